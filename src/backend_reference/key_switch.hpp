// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "scheme/evaluation_key.hpp"
#include "scheme/parameters.hpp"

namespace toroid::backend_reference {

/// From a sample of dimension k N under the GLWE key to one of dimension n under the LWE key (CGGI 2020,
/// section 4.3), with the digits and rounding of backend/key_switch_body.hpp.
class KeySwitch {
 public:
    explicit KeySwitch(const scheme::EvaluationKey& key);

    /// sample: k N + 1 torus words; out: n + 1 words < 2^modulus_log. They must not overlap.
    void apply(std::span<const std::uint32_t> sample, std::span<std::uint32_t> out) const;

    [[nodiscard]] std::uint64_t bytes() const noexcept { return samples_.size() * sizeof(std::uint32_t); }

 private:
    scheme::Parameters parameters_;
    std::vector<std::uint32_t> samples_;  // k N x levels samples of n + 1 words
};

}  // namespace toroid::backend_reference
