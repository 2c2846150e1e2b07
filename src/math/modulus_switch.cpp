// SPDX-License-Identifier: Apache-2.0
#include <cstddef>

#include "math/decomposition.hpp"
#include "toroid/error.hpp"

namespace toroid::math {

std::int64_t divide_rounded(std::int64_t numerator, std::int64_t denominator) {
    if (denominator <= 0) throw Error(ErrorKind::internal, "divide_rounded: denominator is not positive");
    std::int64_t quotient = numerator / denominator;
    std::int64_t remainder = numerator % denominator;
    if (remainder < 0) {
        remainder += denominator;
        --quotient;
    }
    return remainder >= denominator - remainder ? quotient + 1 : quotient;
}

void modulus_switch(std::span<const std::uint32_t> sample, int modulus_log, int rotation_log, KeyMean mean,
                    std::span<std::uint16_t> out) {
    if (sample.empty() || out.size() != sample.size() || rotation_log < 1 || rotation_log > 16 ||
        modulus_log <= rotation_log || modulus_log > 32) {
        throw Error(ErrorKind::internal, "modulus_switch: sizes or moduli do not fit");
    }
    const int shift = modulus_log - rotation_log;
    const std::uint64_t half = std::uint64_t{1} << (shift - 1);
    const std::uint64_t low_mask = 2 * half - 1;
    const std::uint64_t rotation_mask = (std::uint64_t{1} << rotation_log) - 1;
    const std::uint64_t modulus_mask = (std::uint64_t{1} << modulus_log) - 1;

    const std::size_t n = sample.size() - 1;
    std::int64_t rounding_errors = 0;  // sum of a_i - (r_i << shift), each in [-half, half)
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint64_t raised = sample[i] + half;
        out[i] = static_cast<std::uint16_t>((raised >> shift) & rotation_mask);
        rounding_errors += static_cast<std::int64_t>(raised & low_mask) - static_cast<std::int64_t>(half);
    }
    const std::int64_t correction = divide_rounded(mean.numerator * rounding_errors, mean.denominator);
    const std::uint64_t body = (sample[n] - static_cast<std::uint64_t>(correction)) & modulus_mask;
    out[n] = static_cast<std::uint16_t>(body >> shift);
}

}  // namespace toroid::math
