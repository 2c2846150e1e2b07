// SPDX-License-Identifier: Apache-2.0
// The backends x parameter sets that the contract suite runs on.
#pragma once

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "scheme/parameters.hpp"

namespace toroid::tests {

/// One backend of the table with one parameter set.
struct Instance {
    std::string backend;
    scheme::Parameters parameters;
};
std::ostream& operator<<(std::ostream& out, const Instance& instance);
/// Instance as a GoogleTest name: backend_set.
[[nodiscard]] std::string instance_name(const testing::TestParamInfo<Instance>& info);

/// The set with a shorter LWE key of n coefficients and nothing else changed: insecure, quick, for tests
/// alone.
[[nodiscard]] scheme::Parameters reduced(const scheme::Parameters& parameters, int n);

/// Every backend with every named set at this reduced n.
[[nodiscard]] std::vector<Instance> reduced_instances(int n);
/// Every backend but the (slow) reference with every named set as it is.
[[nodiscard]] std::vector<Instance> full_instances();
/// As full_instances, for these sets only.
[[nodiscard]] std::vector<Instance> full_instances(const std::vector<std::string>& sets);
/// The reference with every named set as it is.
[[nodiscard]] std::vector<Instance> reference_instances();

/// Names in TOROID_EXPECT_BACKENDS: those whose absence is a failure and no skip.
[[nodiscard]] std::vector<std::string> expected_backends();

/// Why this instance cannot run here, empty if it can.
[[nodiscard]] std::string absence_reason(const Instance& instance);

}  // namespace toroid::tests

/// Skips with the reason, or fails if the backend is one of expected_backends().
#define TOROID_REQUIRE_INSTANCE(instance)                                                        \
    if (const std::string reason = ::toroid::tests::absence_reason(instance); !reason.empty()) { \
        const auto expected = ::toroid::tests::expected_backends();                              \
        if (std::ranges::find(expected, (instance).backend) != expected.end()) {                 \
            FAIL() << (instance).backend << " is expected here but cannot run: " << reason;      \
        }                                                                                        \
        GTEST_SKIP() << (instance).backend << ": " << reason;                                    \
    }
