// SPDX-License-Identifier: Apache-2.0
#include "math/noise.hpp"

#include <cmath>
#include <limits>
#include <numbers>

namespace toroid::math {
namespace {

double square(double x) {
    return x * x;
}

/// B^(-2 levels): the square of the weight of the last digit.
double last_weight_squared(Gadget gadget) {
    return std::exp2(-2.0 * gadget.base_log * gadget.levels);
}

/// erfc(x) x sqrt(pi) exp(x^2) by its continued fraction 1/(1 + t/(1 + 2t/(1 + 3t/(1 + ...)))), t = 1/(2
/// x^2); from x = 5 on, sixty terms are exact to the last bits of a double.
double scaled_erfc(double x) {
    const double t = 1.0 / (2.0 * x * x);
    double tail = 1.0;
    for (int term = 60; term >= 1; --term) tail = 1.0 + term * t / tail;
    return 1.0 / tail;
}

}  // namespace

double digit_variance(int base_log) {
    return (std::exp2(2.0 * base_log) + 2.0) / 12.0;
}

double balanced_digit_variance(int base_log) {
    const double base = std::exp2(base_log);
    const double half = base / 2;
    // Sum of d^2 over the digits strictly between the ties, both signs.
    const double inner = 2 * ((half - 1) * half * (2 * half - 1) / 6);
    // Two states: after a tie the next digit cannot be a tie, otherwise it is one with probability 1/B; so a
    // digit follows a tie with probability 1/(B+1).
    return (inner + square(half)) / base * (base / (base + 1)) + inner / base / (base + 1);
}

ExternalProductNoise external_product_noise(int ring_dimension, int glwe_dimension, Gadget mask, Gadget body,
                                            double glwe_std, double key_second_moment) {
    const double N = ring_dimension;
    const double k = glwe_dimension;
    return {
        .key =
            N *
            (k * mask.levels * digit_variance(mask.base_log) + body.levels * digit_variance(body.base_log)) *
            square(glwe_std),
        .rounding = (last_weight_squared(body) + k * N * key_second_moment * last_weight_squared(mask)) / 12};
}

double blind_rotation_variance_binary(int lwe_dimension, ExternalProductNoise product) {
    return lwe_dimension * (product.key + product.rounding / 2);
}

double blind_rotation_variance_block(int lwe_dimension, int block, ExternalProductNoise product) {
    return lwe_dimension * 2 * product.key + lwe_dimension / (block + 1.0) * 2 * product.rounding;
}

double key_switch_variance(int input_dimension, Gadget gadget, double lwe_std, double compensated_key_moment,
                           int modulus_log) {
    return input_dimension * (gadget.levels * balanced_digit_variance(gadget.base_log) * square(lwe_std) +
                              compensated_key_moment * last_weight_squared(gadget) / 12) +
           std::exp2(-2.0 * modulus_log) / 12;
}

double modulus_switch_variance(int lwe_dimension, int ring_dimension, double key_variance) {
    return (1 + lwe_dimension * key_variance) / (12 * square(2.0 * ring_dimension));
}

double public_key_variance_module(int extracted_dimension, double glwe_std, double random_second_moment,
                                  double key_second_moment) {
    return square(glwe_std) *
           (extracted_dimension * random_second_moment + 1 + extracted_dimension * key_second_moment);
}

double public_key_variance_lwe(int lwe_dimension, double lwe_std, double key_second_moment) {
    return square(lwe_std) * (lwe_dimension * 0.5 + 1 + lwe_dimension * key_second_moment);
}

double fourier_error_variance(int lwe_dimension, int ring_dimension, int glwe_dimension, Gadget mask,
                              Gadget body) {
    const double digits = glwe_dimension * mask.levels * digit_variance(mask.base_log) +
                          body.levels * digit_variance(body.base_log);
    return square(4 * std::exp2(-53)) * lwe_dimension * ring_dimension * digits / 12;
}

double failure_log2(double margin, double variance) {
    if (!(margin > 0)) return 0;
    if (!(variance > 0)) return -std::numeric_limits<double>::infinity();
    const double x = margin / std::sqrt(2 * variance);
    if (x < 5) return std::log2(std::erfc(x));
    return (std::log(scaled_erfc(x)) - x * x - std::log(x * std::sqrt(std::numbers::pi))) *
           std::numbers::log2e;
}

}  // namespace toroid::math
