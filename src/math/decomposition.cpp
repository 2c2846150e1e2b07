// SPDX-License-Identifier: Apache-2.0
#include "math/decomposition.hpp"

#include <string>

#include "toroid/error.hpp"

namespace toroid::math {
namespace {

constexpr int torus_bits = 32;

/// 2^(32 - 1 - bits): half of the last digit's weight, 0 where nothing is rounded away.
constexpr Torus32 rounding_half(int bits) {
    return bits < torus_bits ? Torus32{1} << (torus_bits - 1 - bits) : Torus32{0};
}

void require(bool condition, const char* what) {
    if (!condition) throw Error(ErrorKind::internal, std::string("gadget decomposition: ") + what);
}

}  // namespace

std::string gadget_refusal(Gadget gadget) {
    if (gadget.base_log < 1) return "base_log " + std::to_string(gadget.base_log) + " is below 1";
    if (gadget.levels < 1) return "levels " + std::to_string(gadget.levels) + " is below 1";
    // Divide rather than multiply: both come from a file and may be huge.
    if (gadget.base_log > torus_bits || gadget.levels > torus_bits / gadget.base_log) {
        return "base_log * levels = " + std::to_string(gadget.base_log) + " * " +
               std::to_string(gadget.levels) + " exceeds the torus's 32 bits";
    }
    return {};
}

void decompose(Torus32 value, Gadget gadget, std::span<std::int32_t> digits) {
    require(gadget_refusal(gadget).empty(), "impossible gadget");
    require(digits.size() == static_cast<std::size_t>(gadget.levels), "digits.size() differs from levels");
    // Adding B/2 at every level (and half of the last weight, to round) turns the signed digits into plain
    // fields of B/2 too much each; carries run by themselves and the one out of the top is dropped mod 1.
    const std::uint64_t half_base = std::uint64_t{1} << (gadget.base_log - 1);
    std::uint64_t shifted = std::uint64_t{value} + rounding_half(gadget.base_log * gadget.levels);
    for (int l = 1; l <= gadget.levels; ++l) shifted += half_base << (torus_bits - l * gadget.base_log);
    const std::uint64_t field = 2 * half_base - 1;
    for (int l = 1; l <= gadget.levels; ++l) {
        const std::uint64_t biased = (shifted >> (torus_bits - l * gadget.base_log)) & field;
        digits[static_cast<std::size_t>(l - 1)] = static_cast<std::int32_t>(
            static_cast<std::int64_t>(biased) - static_cast<std::int64_t>(half_base));
    }
}

void decompose_balanced(Torus32 value, Gadget gadget, std::span<std::int32_t> digits) {
    require(gadget_refusal(gadget).empty() && gadget.base_log < torus_bits, "impossible balanced gadget");
    require(digits.size() == static_cast<std::size_t>(gadget.levels), "digits.size() differs from levels");
    const int bits = gadget.base_log * gadget.levels;
    const std::uint64_t half_base = std::uint64_t{1} << (gadget.base_log - 1);
    // Rounded to B^-levels, modulo 1, as an integer of `bits` bits.
    std::uint64_t rest = static_cast<Torus32>(value + rounding_half(bits)) >> (torus_bits - bits);
    for (int l = gadget.levels; l >= 1; --l) {
        const std::uint64_t residue = rest & (2 * half_base - 1);
        rest >>= gadget.base_log;
        const bool decided_by = l > 1 ? ((rest >> (gadget.base_log - 1)) & 1U) != 0 : (value & 1U) != 0;
        const bool carry = residue > half_base || (residue == half_base && decided_by);
        digits[static_cast<std::size_t>(l - 1)] = static_cast<std::int32_t>(
            static_cast<std::int64_t>(residue) - (carry ? static_cast<std::int64_t>(2 * half_base) : 0));
        rest += carry ? 1 : 0;
    }
}

Torus32 recompose(std::span<const std::int32_t> digits, Gadget gadget) {
    require(gadget_refusal(gadget).empty(), "impossible gadget");
    require(digits.size() == static_cast<std::size_t>(gadget.levels), "digits.size() differs from levels");
    Torus32 sum = 0;
    for (int l = 1; l <= gadget.levels; ++l) {
        sum += static_cast<Torus32>(digits[static_cast<std::size_t>(l - 1)])
               << (torus_bits - l * gadget.base_log);
    }
    return sum;
}

}  // namespace toroid::math
