// SPDX-License-Identifier: Apache-2.0
#include "scheme/parameters_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "math/noise.hpp"
#include "scheme/noise_model.hpp"

namespace toroid::scheme {
namespace {

constexpr int largest_lwe_dimension = 4096;
constexpr int smallest_ring_dimension = 16;
constexpr int largest_ring_dimension = 32768;
constexpr int largest_extracted_dimension = 32768;
constexpr int largest_glwe_dimension = 16;
constexpr int largest_block = 8;
constexpr std::size_t longest_name = 64;
constexpr std::size_t longest_text = 400;
// Above 2^-3 the noise alone is wider than the message.
constexpr double largest_std_log2 = -3;
// At half a bit above one unit of the modulus, rounding the noise to integers adds 4 % to its variance.
constexpr double smallest_std_units_log2 = 0.5;
// |sum| must always convert to a 64-bit integer, and up to 8 rms stay below 2^51, where FP64 resolves half a
// unit and rounding by a magic constant works.
constexpr double worst_case_limit_log2 = 62;
constexpr double rms_limit_log2 = 48;
// Errors of the transform may add at most this part to a blind rotation's variance.
constexpr double fourier_share_limit = 0.01;

bool is_name_character(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
}

bool is_control(char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

class Refusals {
 public:
    template <typename... Arguments>
    bool require(bool condition, fmt::format_string<Arguments...> format, Arguments&&... arguments) {
        if (!condition) list_.push_back(fmt::format(format, std::forward<Arguments>(arguments)...));
        return condition;
    }
    [[nodiscard]] bool none() const { return list_.empty(); }
    [[nodiscard]] std::vector<std::string> take() { return std::move(list_); }

 private:
    std::vector<std::string> list_;
};

void check_texts(const ParametersLiteral& literal, Refusals& refusals) {
    refusals.require(is_parameter_name(literal.name),
                     "name: must be 1 to {} characters of letters, digits, '.', '_' and '-'", longest_name);
    const auto printable = [](const std::string& text) {
        return text.size() <= longest_text && std::none_of(text.begin(), text.end(), is_control);
    };
    refusals.require(printable(literal.purpose),
                     "purpose: must be at most {} bytes without control characters", longest_text);
    for (const SecurityEstimate& estimate : literal.security) {
        refusals.require(
            printable(estimate.model) && printable(estimate.source) && std::isfinite(estimate.bits),
            "security: a figure is not finite, or its texts are too long or hold control characters");
    }
}

void check_lwe(const ParametersLiteral& literal, Refusals& refusals) {
    const LweLiteral& lwe = literal.lwe;
    const bool dimension_fits =
        refusals.require(lwe.dimension >= 1 && lwe.dimension <= largest_lwe_dimension,
                         "lwe.n: {} is outside 1..{}", lwe.dimension, largest_lwe_dimension);
    switch (lwe.key) {
        case KeyDistribution::binary:
            refusals.require(lwe.block == 1, "lwe.block: a binary key has no blocks, {} given", lwe.block);
            break;
        case KeyDistribution::block_binary:
            if (refusals.require(lwe.block >= 2 && lwe.block <= largest_block,
                                 "lwe.block: {} is outside 2..{}", lwe.block, largest_block) &&
                dimension_fits) {
                refusals.require(lwe.dimension % lwe.block == 0, "lwe.block: {} does not divide n = {}",
                                 lwe.block, lwe.dimension);
            }
            break;
        default:
            refusals.require(false, "lwe.key: only binary and block-binary LWE keys are supported");
    }
    const double smallest = smallest_std_units_log2 - literal.key_switch.modulus_log;
    refusals.require(lwe.std_log2 >= smallest && lwe.std_log2 <= largest_std_log2,
                     "lwe.std: 2^{} is outside 2^{}..2^{} (modulus 2^{})", lwe.std_log2, smallest,
                     largest_std_log2, literal.key_switch.modulus_log);
}

void check_glwe(const ParametersLiteral& literal, Refusals& refusals) {
    const GlweLiteral& glwe = literal.glwe;
    const bool ring_fits = refusals.require(
        glwe.ring_dimension >= smallest_ring_dimension && glwe.ring_dimension <= largest_ring_dimension &&
            std::has_single_bit(static_cast<unsigned>(glwe.ring_dimension)),
        "glwe.N: {} is not a power of two in {}..{}", glwe.ring_dimension, smallest_ring_dimension,
        largest_ring_dimension);
    const bool dimension_fits =
        refusals.require(glwe.glwe_dimension >= 1 && glwe.glwe_dimension <= largest_glwe_dimension,
                         "glwe.k: {} is outside 1..{}", glwe.glwe_dimension, largest_glwe_dimension);
    if (ring_fits && dimension_fits) {
        refusals.require(glwe.glwe_dimension * glwe.ring_dimension <= largest_extracted_dimension,
                         "glwe: k N = {} exceeds {}", glwe.glwe_dimension * glwe.ring_dimension,
                         largest_extracted_dimension);
    }
    if (ring_fits) {
        const int modulus_log = literal.order == GateOrder::key_switch_first ? literal.key_switch.modulus_log
                                                                             : literal.torus_bits;
        refusals.require(2.0 * glwe.ring_dimension < std::exp2(modulus_log),
                         "glwe.N: 2N = {} is not below the modulus 2^{} that is switched to it",
                         2 * glwe.ring_dimension, modulus_log);
    }
    refusals.require(glwe.key == KeyDistribution::binary || glwe.key == KeyDistribution::ternary,
                     "glwe.key: only binary and ternary GLWE keys are supported");
    const double smallest = smallest_std_units_log2 - 32;
    refusals.require(glwe.std_log2 >= smallest && glwe.std_log2 <= largest_std_log2,
                     "glwe.std: 2^{} is outside 2^{}..2^{}", glwe.std_log2, smallest, largest_std_log2);
}

void check_gadgets(const ParametersLiteral& literal, Refusals& refusals) {
    const auto sound = [&](const char* field, math::Gadget gadget) {
        const std::string reason = math::gadget_refusal(gadget);
        return refusals.require(reason.empty(), "{}: {}", field, reason);
    };
    sound("mask", literal.mask);
    sound("body", literal.body);
    const KeySwitchLiteral& key_switch = literal.key_switch;
    const bool modulus_fits =
        refusals.require(key_switch.modulus_log == 16 || key_switch.modulus_log == 32,
                         "key_switch.modulus_log: {} is neither 16 nor 32", key_switch.modulus_log);
    if (sound("key_switch", key_switch.gadget) && modulus_fits) {
        const int bits = key_switch.gadget.base_log * key_switch.gadget.levels;
        refusals.require(bits <= key_switch.modulus_log,
                         "key_switch: base_log * levels = {} exceeds its modulus 2^{}", bits,
                         key_switch.modulus_log);
        refusals.require(key_switch.gadget.base_log < 32,
                         "key_switch.base_log: a balanced digit of 32 bits is impossible");
    }
    if (modulus_fits) {
        refusals.require(
            literal.order == GateOrder::key_switch_first || key_switch.modulus_log == 32,
            "key_switch.modulus_log: br-first wires are key-switched samples and need 32, not {}",
            key_switch.modulus_log);
    }
}

/// What needs the numbers above to be sound.
void check_derived(const ParametersLiteral& literal, Refusals& refusals) {
    const ProductBound bound = product_bound(literal);
    refusals.require(bound.worst_case_log2 < worst_case_limit_log2,
                     "exactness: an external product may reach 2^{:.1f}, above 2^{}", bound.worst_case_log2,
                     worst_case_limit_log2);
    refusals.require(bound.rms_log2 <= rms_limit_log2,
                     "exactness: an external product has rms 2^{:.1f}, above 2^{}: FP64 cannot carry it",
                     bound.rms_log2, rms_limit_log2);
    const Variances variances = compute_variances(literal);
    const double fourier =
        math::fourier_error_variance(literal.lwe.dimension, literal.glwe.ring_dimension,
                                     literal.glwe.glwe_dimension, literal.mask, literal.body);
    refusals.require(fourier <= fourier_share_limit * variances.blind_rotation,
                     "exactness: FP64 errors would add {:.1f} % to a blind rotation's variance",
                     100 * fourier / variances.blind_rotation);
    refusals.require(
        variances.fresh <= variances.unit && variances.fresh_public_key <= variances.unit,
        "noise: a fresh encryption (variance {:.3g}, by public key {:.3g}) is noisier than a bootstrapped "
        "bit ({:.3g})",
        variances.fresh, variances.fresh_public_key, variances.unit);
}

}  // namespace

bool is_parameter_name(std::string_view name) {
    return !name.empty() && name.size() <= longest_name &&
           std::all_of(name.begin(), name.end(), is_name_character);
}

ProductBound product_bound(const ParametersLiteral& literal) {
    const double N = literal.glwe.ring_dimension;
    const double mask_rows = static_cast<double>(literal.glwe.glwe_dimension) * literal.mask.levels;
    const double body_rows = literal.body.levels;
    const double largest_digits =
        mask_rows * std::exp2(literal.mask.base_log - 1) + body_rows * std::exp2(literal.body.base_log - 1);
    const double digit_squares = mask_rows * math::digit_variance(literal.mask.base_log) +
                                 body_rows * math::digit_variance(literal.body.base_log);
    // A block key adds `block` products, each times X^a - 1, before it transforms back.
    const double block = literal.lwe.key == KeyDistribution::block_binary ? literal.lwe.block : 0.5;
    return {.worst_case_log2 = std::log2(N * largest_digits * 2 * block) + 31,
            .rms_log2 = 0.5 * std::log2(N * digit_squares * 2 * block / 12) + 32};
}

std::vector<std::string> parameter_refusals(const ParametersLiteral& literal) {
    Refusals refusals;
    check_texts(literal, refusals);
    refusals.require(literal.method == Method::cggi, "method: only cggi is supported");
    refusals.require(literal.torus_bits == 32,
                     "torus_bits: only a torus of 32 bits is supported so far, {} given", literal.torus_bits);
    refusals.require(
        literal.order == GateOrder::key_switch_first || literal.order == GateOrder::bootstrap_first,
        "order: must be ks-first or br-first");
    check_lwe(literal, refusals);
    check_glwe(literal, refusals);
    check_gadgets(literal, refusals);
    if (refusals.none()) check_derived(literal, refusals);
    return refusals.take();
}

}  // namespace toroid::scheme
