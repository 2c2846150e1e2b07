// SPDX-License-Identifier: Apache-2.0
// Keys are costly: made once a process and set, and loaded into few backends at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "backend/backend.hpp"
#include "client/secret_key.hpp"
#include "contract/instance.hpp"
#include "scheme/evaluation_key.hpp"

namespace toroid::tests {

struct TestKey {
    client::SecretKey secret;
    scheme::EvaluationKey evaluation;
};

/// A fresh pair, seeded by the test seed and `number`.
[[nodiscard]] TestKey make_test_key(const scheme::Parameters& parameters, std::uint64_t number);
/// The pair of this set and number, kept for the life of the process.
[[nodiscard]] const TestKey& test_key(const scheme::Parameters& parameters, std::uint64_t number = 0);

/// The backend of this name, made with default options and kept.
[[nodiscard]] backend::Backend& test_backend(const std::string& name);

/// test_key(...).evaluation loaded into the instance's backend. The last few stay loaded.
[[nodiscard]] std::shared_ptr<const backend::LoadedKey> loaded_key(const Instance& instance,
                                                                   std::uint64_t number = 0);

}  // namespace toroid::tests
