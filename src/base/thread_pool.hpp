// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace toroid::base {

/// A fixed number of worker threads (boost::asio::thread_pool underneath).
class ThreadPool {
 public:
    /// threads = 0 takes as many as the process may use (its CPU affinity mask).
    explicit ThreadPool(unsigned threads = 0);
    ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    [[nodiscard]] unsigned threads() const noexcept;

    /// Calls body(task, worker) once for each task in [0, tasks), handing tasks out one at a time; worker is
    /// in [0, threads()) and no two concurrent calls share it. Returns when all are done. The first exception
    /// is rethrown here after the running tasks have ended; tasks not yet begun are then skipped. With one
    /// thread everything runs on the caller. Safe to call from several threads at once (calls queue); never
    /// from inside a body.
    void for_each(std::size_t tasks, const std::function<void(std::size_t task, unsigned worker)>& body);

 private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace toroid::base
