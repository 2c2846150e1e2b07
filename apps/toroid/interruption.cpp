// SPDX-License-Identifier: Apache-2.0
#include "interruption.hpp"

#include <csignal>

#include "toroid/error.hpp"

namespace toroid::cli {
namespace {

volatile std::sig_atomic_t received = 0;

extern "C" void remember_signal(int signal) {
    received = signal;
}

void set(int signal, void (*handler)(int)) {
    struct sigaction action {};
    action.sa_handler = handler;
    sigemptyset(&action.sa_mask);
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigaction(signal, &action, nullptr);
}

}  // namespace

InterruptionGuard::InterruptionGuard() {
    set(SIGINT, remember_signal);
    set(SIGTERM, remember_signal);
}

InterruptionGuard::~InterruptionGuard() {
    set(SIGINT, SIG_DFL);
    set(SIGTERM, SIG_DFL);
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
