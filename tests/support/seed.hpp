// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <random>

#include "base/random_source.hpp"

namespace toroid::tests {

void set_seed(std::uint64_t seed);
[[nodiscard]] std::uint64_t seed();

/// A generator for test data, different for each `purpose`, replayable from the seed.
[[nodiscard]] std::mt19937_64 generator(std::uint64_t purpose = 0);

/// Seeded random sources for key generation in tests. Only the test target has them.
class SeededSources : public base::RandomSourceFactory {
 public:
    explicit SeededSources(std::uint64_t purpose = 0);
    [[nodiscard]] std::unique_ptr<base::RandomSource> make() override;

 private:
    std::uint64_t purpose_;
    std::uint64_t made_ = 0;
};

}  // namespace toroid::tests
