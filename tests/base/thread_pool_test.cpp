// SPDX-License-Identifier: Apache-2.0
#include "base/thread_pool.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <numeric>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "support/expect_error.hpp"

namespace toroid::base {
namespace {

using namespace std::chrono_literals;

TEST(ThreadPool, TakesTheSizeOfTheAffinityMask) {
    cpu_set_t before;
    ASSERT_EQ(sched_getaffinity(0, sizeof(before), &before), 0);
    EXPECT_EQ(ThreadPool().threads(), static_cast<unsigned>(CPU_COUNT(&before)));
    cpu_set_t one;
    CPU_ZERO(&one);
    for (std::size_t cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
        if (CPU_ISSET(cpu, &before)) {
            CPU_SET(cpu, &one);
            break;
        }
    }
    ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
    EXPECT_EQ(ThreadPool().threads(), 1U);
    ASSERT_EQ(sched_setaffinity(0, sizeof(before), &before), 0);
    EXPECT_EQ(ThreadPool(3).threads(), 3U);
}

TEST(ThreadPool, RunsEachTaskExactlyOnce) {
    for (const unsigned threads : {1U, 2U, 5U}) {
        ThreadPool pool(threads);
        for (const std::size_t tasks : {0U, 1U, 2U, 3U, 1000U}) {
            std::vector<std::atomic<int>> ran(tasks);
            pool.for_each(tasks, [&](std::size_t task, unsigned worker) {
                EXPECT_LT(worker, threads);
                ++ran[task];
            });
            for (const auto& count : ran) EXPECT_EQ(count, 1);
        }
    }
}

TEST(ThreadPool, NoTwoConcurrentCallsShareAWorker) {
    ThreadPool pool(4);
    std::vector<std::atomic<int>> busy(4);
    std::vector<long> plain(4);  // the thread sanitizer proves that each is touched by one thread at a time
    std::atomic<int> collisions{0};
    pool.for_each(2000, [&](std::size_t, unsigned worker) {
        if (busy[worker].fetch_add(1) != 0) ++collisions;
        ++plain[worker];
        std::this_thread::yield();
        --busy[worker];
    });
    EXPECT_EQ(collisions, 0);
    EXPECT_EQ(std::accumulate(plain.begin(), plain.end(), 0L), 2000);
}

TEST(ThreadPool, AllWorkersWorkAtOnce) {
    // Each task waits until three tasks run: this ends only if three threads really run together.
    ThreadPool pool(3);
    std::atomic<int> waiting{0};
    std::atomic<bool> late{false};
    pool.for_each(3, [&](std::size_t, unsigned) {
        ++waiting;
        const auto limit = std::chrono::steady_clock::now() + 20s;
        while (waiting < 3 && !late) {
            if (std::chrono::steady_clock::now() > limit) late = true;
            std::this_thread::yield();
        }
    });
    EXPECT_FALSE(late);
}

TEST(ThreadPool, OneThreadRunsOnTheCaller) {
    ThreadPool pool(1);
    const auto caller = std::this_thread::get_id();
    pool.for_each(5, [&](std::size_t, unsigned worker) {
        EXPECT_EQ(std::this_thread::get_id(), caller);
        EXPECT_EQ(worker, 0U);
    });
}

TEST(ThreadPool, RethrowsTheFirstExceptionAndSkipsTheRest) {
    for (const unsigned threads : {1U, 3U}) {
        ThreadPool pool(threads);
        std::atomic<int> begun{0};
        try {
            pool.for_each(1000000, [&](std::size_t task, unsigned) {
                ++begun;
                if (task == 10) throw std::domain_error("task 10");
            });
            FAIL() << "no exception";
        } catch (const std::domain_error& error) {
            EXPECT_STREQ(error.what(), "task 10");
        }
        EXPECT_LT(begun, 900000);
        // The pool is whole afterwards.
        std::atomic<int> after{0};
        pool.for_each(100, [&](std::size_t, unsigned) { ++after; });
        EXPECT_EQ(after, 100);
    }
}

TEST(ThreadPool, RunningTasksEndBeforeTheExceptionLeaves) {
    ThreadPool pool(2);
    std::atomic<bool> started{false};
    std::atomic<bool> ended{false};
    EXPECT_THROW(pool.for_each(2,
                               [&](std::size_t task, unsigned) {
                                   if (task == 0) {
                                       started = true;
                                       std::this_thread::sleep_for(50ms);
                                       ended = true;
                                   } else {
                                       while (!started) std::this_thread::yield();
                                       throw std::runtime_error("stop");
                                   }
                               }),
                 std::runtime_error);
    EXPECT_TRUE(ended);
}

TEST(ThreadPool, CallsFromSeveralThreadsQueue) {
    ThreadPool pool(2);
    std::atomic<int> inside{0};
    std::atomic<int> most{0};
    std::atomic<int> ran{0};
    {
        std::vector<std::jthread> callers;
        for (int caller = 0; caller < 4; ++caller) {
            callers.emplace_back([&] {
                for (int i = 0; i < 50; ++i) {
                    pool.for_each(4, [&](std::size_t, unsigned) {
                        const int now = ++inside;
                        int seen = most;
                        while (now > seen && !most.compare_exchange_weak(seen, now)) {
                        }
                        ++ran;
                        --inside;
                    });
                }
            });
        }
    }
    EXPECT_EQ(ran, 4 * 50 * 4);
    EXPECT_LE(most, 2);
}

TEST(ThreadPool, RefusesACallFromInsideABody) {
    for (const unsigned threads : {1U, 2U}) {
        ThreadPool pool(threads);
        tests::expect_error(ErrorKind::internal, {"inside a body"}, [&] {
            pool.for_each(4, [&](std::size_t, unsigned) { pool.for_each(1, [](std::size_t, unsigned) {}); });
        });
    }
}

TEST(ThreadPool, RefusesAnAbsurdSize) {
    tests::expect_error(ErrorKind::usage, {"100000", "4096"}, [] { ThreadPool pool(100000); });
}

}  // namespace
}  // namespace toroid::base
