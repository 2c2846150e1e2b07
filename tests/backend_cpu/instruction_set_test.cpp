// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "backend_cpu/cpu_backend.hpp"
#include "backend_cpu/instruction_set.hpp"
#include "support/expect_error.hpp"

namespace toroid::tests {
namespace {

using backend_cpu::KernelTable;

/// Sets TOROID_CPU_ISA for one test.
class InstructionSet : public testing::Test {
 protected:
    void SetUp() override {
        if (const char* value = std::getenv("TOROID_CPU_ISA")) before_ = value;
    }
    void TearDown() override { set(before_); }
    static void set(const std::string& value) {
        if (value.empty()) {
            unsetenv("TOROID_CPU_ISA");
        } else {
            setenv("TOROID_CPU_ISA", value.c_str(), 1);
        }
    }

 private:
    std::string before_;
};

TEST_F(InstructionSet, TheForcedOneRunsOrIsRefused) {
    int present = 0;
    for (const KernelTable* kernels : backend_cpu::compiled_kernels()) {
        set(kernels->name);
        const auto make = [] { return backend_cpu::entry().make({.threads = 1}); };
        if (const std::string absent = backend_cpu::absence_reason(*kernels); absent.empty()) {
            EXPECT_EQ(make()->description(), std::string("cpu ") + kernels->description + ", fft, 1 thread");
            ++present;
        } else {
            expect_error(ErrorKind::device, {kernels->name, absent}, make);
        }
    }
    EXPECT_GE(present, 1);
}

TEST_F(InstructionSet, TheBestPresentOneIsTheDefault) {
    set("");
    const KernelTable& chosen = backend_cpu::choose_kernels_by_environment();
    for (const KernelTable* kernels : backend_cpu::compiled_kernels()) {
        if (kernels == &chosen) break;
        EXPECT_NE(backend_cpu::absence_reason(*kernels), "") << kernels->name << " is better and present";
    }
    EXPECT_EQ(backend_cpu::absence_reason(chosen), "");
}

TEST_F(InstructionSet, UnknownNamesAreRefused) {
    set("sse9");
    expect_error(ErrorKind::device, {"sse9", "TOROID_CPU_ISA", "portable"},
                 [] { static_cast<void>(backend_cpu::entry().make({})); });
}

/// Each instruction set really computes with its own vectors: the rates must differ by the vectors' width.
TEST_F(InstructionSet, WiderVectorsMultiplyFaster) {
    double best = 0;
    double portable = 0;
    for (const KernelTable* kernels : backend_cpu::compiled_kernels()) {
        if (!backend_cpu::absence_reason(*kernels).empty()) continue;
        const double rate = backend_cpu::multiply_adds_per_second(*kernels);
        best = std::max(best, rate);
        if (std::string(kernels->name) == "portable") portable = rate;
    }
    EXPECT_GT(portable, 0);
    if (best == portable) GTEST_SKIP() << "this machine runs the portable kernels only";
    EXPECT_GT(best, 1.3 * portable);
}

}  // namespace
}  // namespace toroid::tests
