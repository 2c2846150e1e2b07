// SPDX-License-Identifier: Apache-2.0
#include "interruption.hpp"

#include <csignal>

#include "toroid/error.hpp"
#include "toroid/files.hpp"

namespace toroid::cli {
namespace {

volatile std::sig_atomic_t received = 0;

extern "C" void end_tidily(int signal) {
    remove_temporary_files();
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

extern "C" void remember_signal(int signal) {
    if (received != 0) end_tidily(signal);
    received = signal;
}

void set(int signal, void (*handler)(int)) {
    struct sigaction action {};
    action.sa_handler = handler;
    sigemptyset(&action.sa_mask);
    sigaction(signal, &action, nullptr);
}

}  // namespace

void end_tidily_on_signals() {
    set(SIGINT, end_tidily);
    set(SIGTERM, end_tidily);
}

InterruptionGuard::InterruptionGuard() {
    set(SIGINT, remember_signal);
    set(SIGTERM, remember_signal);
}

InterruptionGuard::~InterruptionGuard() {
    end_tidily_on_signals();
}

int interrupting_signal() noexcept {
    return received;
}

void check_interrupted() {
    if (received == 0) return;
    throw Error(ErrorKind::interrupted,
                received == SIGTERM ? "terminated; nothing was written" : "interrupted; nothing was written");
}

}  // namespace toroid::cli
