// SPDX-License-Identifier: Apache-2.0
#include "base/thread_pool.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <new>
#include <optional>
#include <thread>

#include "toroid/error.hpp"

namespace toroid::base {
namespace {

constexpr unsigned most_threads = 4096;

unsigned usable_threads() {
    // Kernels with more than 1024 processors refuse a mask that is too small, so grow it until it fits.
    for (int processors = 1024; processors <= (1 << 20); processors *= 2) {
        cpu_set_t* const mask = CPU_ALLOC(static_cast<std::size_t>(processors));
        if (mask == nullptr) break;
        const std::size_t bytes = CPU_ALLOC_SIZE(static_cast<std::size_t>(processors));
        CPU_ZERO_S(bytes, mask);
        const bool known = sched_getaffinity(0, bytes, mask) == 0;
        const int count = known ? CPU_COUNT_S(bytes, mask) : 0;
        CPU_FREE(mask);
        if (count > 0) return std::min(static_cast<unsigned>(count), most_threads);
    }
    return std::clamp(std::thread::hardware_concurrency(), 1U, most_threads);
}

/// The pool whose body runs on this thread, to refuse a nested call, which would wait for itself.
thread_local const void* running_pool = nullptr;

}  // namespace

struct ThreadPool::State {
    unsigned threads = 1;
    std::mutex call;  ///< held for the length of one for_each
    std::optional<boost::asio::thread_pool> helpers;

    /// What the workers of one for_each share.
    struct Run {
        std::size_t tasks = 0;
        const std::function<void(std::size_t, unsigned)>* body = nullptr;
        std::atomic<std::size_t> next{0};
        std::mutex mutex;
        std::condition_variable ended;
        unsigned running = 0;
        std::exception_ptr failure;
    };

    void work(Run& run, unsigned worker) const {
        const void* const outer = running_pool;
        running_pool = this;
        try {
            for (;;) {
                const std::size_t task = run.next.fetch_add(1, std::memory_order_relaxed);
                if (task >= run.tasks) break;
                (*run.body)(task, worker);
            }
        } catch (...) {
            // run.tasks stays below SIZE_MAX / 2 (checked), so later fetch_adds cannot wrap around.
            run.next.store(run.tasks, std::memory_order_relaxed);
            const std::lock_guard lock(run.mutex);
            if (!run.failure) run.failure = std::current_exception();
        }
        running_pool = outer;
    }
};

ThreadPool::ThreadPool(unsigned threads) : state_(std::make_unique<State>()) {
    if (threads > most_threads) {
        throw Error(ErrorKind::usage,
                    fmt::format("{} threads asked for; at most {} are possible", threads, most_threads));
    }
    state_->threads = threads == 0 ? usable_threads() : threads;
    if (state_->threads == 1) return;
    try {
        // The caller of for_each is the last worker.
        state_->helpers.emplace(state_->threads - 1);
    } catch (const std::exception& error) {
        throw Error(ErrorKind::device,
                    fmt::format("cannot start {} threads: {}", state_->threads, error.what()));
    }
}

ThreadPool::~ThreadPool() {
    if (state_->helpers) state_->helpers->join();
}

unsigned ThreadPool::threads() const noexcept {
    return state_->threads;
}

void ThreadPool::for_each(std::size_t tasks, const std::function<void(std::size_t, unsigned)>& body) {
    if (running_pool == state_.get()) {
        throw Error(ErrorKind::internal, "ThreadPool::for_each called from inside a body of the same pool");
    }
    if (tasks > static_cast<std::size_t>(-1) / 2)
        throw Error(ErrorKind::internal, "too many tasks for a thread pool");
    if (tasks == 0) return;

    const std::lock_guard call(state_->call);
    State::Run run;
    run.tasks = tasks;
    run.body = &body;
    const auto helpers = static_cast<unsigned>(std::min<std::size_t>(state_->threads, tasks)) - 1;
    run.running = helpers;
    unsigned posted = 0;
    try {
        for (; posted < helpers; ++posted) {
            boost::asio::post(*state_->helpers, [state = state_.get(), &run, worker = posted + 1] {
                state->work(run, worker);
                // Notified under the lock: the caller may destroy `run` as soon as it sees zero.
                const std::lock_guard lock(run.mutex);
                if (--run.running == 0) run.ended.notify_one();
            });
        }
    } catch (const std::bad_alloc&) {
        // Without memory for more helpers, those that have begun on `run` and the caller do all of it.
        const std::lock_guard lock(run.mutex);
        run.running -= helpers - posted;
    }
    state_->work(run, 0);
    std::unique_lock lock(run.mutex);
    run.ended.wait(lock, [&] { return run.running == 0; });
    if (run.failure) std::rethrow_exception(run.failure);
}

}  // namespace toroid::base
