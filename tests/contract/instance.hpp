// SPDX-License-Identifier: Apache-2.0
// The backends x parameter sets that the contract suite runs on.
#pragma once

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "backend/transform.hpp"
#include "scheme/parameters.hpp"

namespace toroid::tests {

/// A device with one parameter set.
struct Instance {
    /// A backend of the table, or several of its devices, or with a transform forced: "cuda:0,0", "cpu+ntt".
    std::string backend;
    scheme::Parameters parameters;
};
/// The backend of "cuda:0,0": "cuda".
[[nodiscard]] std::string backend_of(const std::string& device);
/// The transform of "cpu+ntt", else automatic, and the rest.
[[nodiscard]] backend::Transform transform_of(const std::string& device);
[[nodiscard]] std::string devices_without_transform(const std::string& device);
/// How many devices "cuda:0,0" names: 2.
[[nodiscard]] int devices_of(const std::string& device);
std::ostream& operator<<(std::ostream& out, const Instance& instance);
/// Instance as a GoogleTest name: backend_set.
[[nodiscard]] std::string instance_name(const testing::TestParamInfo<Instance>& info);

/// The set with a shorter LWE key of n coefficients and nothing else changed: insecure, quick, for tests
/// alone.
[[nodiscard]] scheme::Parameters reduced(const scheme::Parameters& parameters, int n);

// TOROID_TEST_DEVICES, if set, lists the devices of the following, separated by blanks, in place of every
// backend of the table: e.g. "cuda:0,0 cuda:1 cuda+ntt".

/// Every backend with every named set at this reduced n, the CPU once more with the exact transform, and as
/// two devices with one set of each order.
[[nodiscard]] std::vector<Instance> reduced_instances(int n);
/// Every backend but the (slow) reference with every named set as it is.
[[nodiscard]] std::vector<Instance> full_instances();
/// As full_instances, for these sets only.
[[nodiscard]] std::vector<Instance> full_instances(const std::vector<std::string>& sets);
/// The reference with every named set as it is.
[[nodiscard]] std::vector<Instance> reference_instances();

/// Names in TOROID_EXPECT_BACKENDS: those whose absence is a failure and no skip.
[[nodiscard]] std::vector<std::string> expected_backends();

/// Whether the device's backend is one of these.
[[nodiscard]] bool is_expected(const std::string& device);

/// Why this instance cannot run here, empty if it can.
[[nodiscard]] std::string absence_reason(const Instance& instance);

}  // namespace toroid::tests

/// Skips with the reason, or fails if the backend is one of expected_backends().
#define TOROID_REQUIRE_INSTANCE(instance)                                                        \
    if (const std::string reason = ::toroid::tests::absence_reason(instance); !reason.empty()) { \
        if (::toroid::tests::is_expected((instance).backend)) {                                  \
            FAIL() << (instance).backend << " is expected here but cannot run: " << reason;      \
        }                                                                                        \
        GTEST_SKIP() << (instance).backend << ": " << reason;                                    \
    }
