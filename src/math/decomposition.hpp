// SPDX-License-Identifier: Apache-2.0
// Gadget decomposition and the integer steps of a gate, specified exactly so that backends agree bit for bit.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "math/torus.hpp"

namespace toroid::math {

/// Base B = 2^base_log, digits for the weights B^-1 ... B^-levels.
struct Gadget {
    int base_log = 0;
    int levels = 0;
    friend bool operator==(const Gadget&, const Gadget&) = default;
};

/// Empty if base_log, levels >= 1 and base_log * levels <= 32; else the reason, for a message. The functions
/// below raise Error(internal) for an impossible gadget or a span of the wrong size.
[[nodiscard]] std::string gadget_refusal(Gadget gadget);

/// Digits d_1..d_levels in [-B/2, B/2) with |value - sum d_l B^-l| <= B^-levels / 2 mod 1 (ties of the final
/// rounding go up). digits.size() == levels. Blind rotation uses this rule.
void decompose(Torus32 value, Gadget gadget, std::span<std::int32_t> digits);

/// Digits in [-B/2, B/2] with the balanced tie rule of key switching: after rounding to B^-levels, from the
/// last digit up, a digit of exactly +-B/2 is made -B/2 (carry 1) if the next higher digit's top bit is set,
/// else +B/2; the top digit's tie is decided by the lowest bit of `value`. Mean zero, variance below the
/// plain rule's (docs/parameters.md, "Digit bias"). base_log <= 31, so that +B/2 is a digit.
void decompose_balanced(Torus32 value, Gadget gadget, std::span<std::int32_t> digits);

/// The value that digits stand for: sum d_l 2^(32 - l base_log).
[[nodiscard]] Torus32 recompose(std::span<const std::int32_t> digits, Gadget gadget);

/// floor(numerator / denominator + 1/2) for denominator > 0.
[[nodiscard]] std::int64_t divide_rounded(std::int64_t numerator, std::int64_t denominator);

/// The mean of one key coefficient as a fraction, e.g. 1/2 for binary keys, 1/(block+1) for block-binary
/// keys.
struct KeyMean {
    int numerator = 0;
    int denominator = 1;
    friend bool operator==(const KeyMean&, const KeyMean&) = default;
};

/// Modulus switch of an LWE sample from 2^modulus_log to 2^rotation_log = 2N with mean compensation.
///   mask:  r_i = (a_i + 2^(sh-1)) >> sh mod 2N,           sh = modulus_log - rotation_log
///   body:  r_b = (b - divide_rounded(mean * sum_i (a_i - (r_i << sh) as signed), 1)) >> sh mod 2N
/// The body is floored: with the half-step this leaves, rotation index floor(phase * 2N) is in [0, N) exactly
/// for a phase in [0, 1/2). sample: n + 1 words (body last) holding values < 2^modulus_log; out: n + 1 words.
void modulus_switch(std::span<const std::uint32_t> sample, int modulus_log, int rotation_log, KeyMean mean,
                    std::span<std::uint16_t> out);

}  // namespace toroid::math
