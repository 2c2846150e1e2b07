// SPDX-License-Identifier: Apache-2.0
#include "scheme/sampling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "toroid/error.hpp"

namespace toroid::scheme {
namespace {

constexpr std::size_t scratch_words = 512;

/// 1 if a == b, else 0, without a branch.
std::uint32_t equal(std::uint32_t a, std::uint32_t b) {
    const std::uint64_t difference = a ^ b;
    return static_cast<std::uint32_t>((difference - 1) >> 63);
}

void check_block(int block, std::size_t size) {
    if (block < 1 || size % static_cast<std::size_t>(block) != 0)
        throw Error(ErrorKind::internal, fmt::format("key of {} coefficients in blocks of {}", size, block));
}

}  // namespace

std::uint32_t sample_below(base::RandomSource& source, std::uint32_t bound) {
    if (bound == 0) throw Error(ErrorKind::internal, "sample_below: the range is empty");
    const std::uint32_t rejected_below = (0U - bound) % bound;
    std::uint64_t product = 0;
    do {
        product = std::uint64_t{source.next_u32()} * bound;
    } while (static_cast<std::uint32_t>(product) < rejected_below);
    return static_cast<std::uint32_t>(product >> 32);
}

void sample_binary(base::RandomSource& source, std::span<std::int8_t> key) {
    for (auto& coefficient : key) coefficient = static_cast<std::int8_t>(sample_below(source, 2));
}

void sample_ternary(base::RandomSource& source, std::span<std::int8_t> key) {
    for (auto& coefficient : key)
        coefficient = static_cast<std::int8_t>(static_cast<std::int32_t>(sample_below(source, 3)) - 1);
}

void sample_block_binary(base::RandomSource& source, int block, std::span<std::int8_t> key) {
    check_block(block, key.size());
    const auto length = static_cast<std::uint32_t>(block);
    for (std::size_t begin = 0; begin < key.size(); begin += length) {
        const std::uint32_t chosen = sample_below(source, length + 1);
        for (std::uint32_t j = 0; j < length; ++j)
            key[begin + j] = static_cast<std::int8_t>(equal(chosen, j));
    }
}

void sample_key(base::RandomSource& source, KeyDistribution distribution, int block,
                std::span<std::int8_t> key) {
    switch (distribution) {
        case KeyDistribution::binary:
            return sample_binary(source, key);
        case KeyDistribution::ternary:
            return sample_ternary(source, key);
        case KeyDistribution::block_binary:
            return sample_block_binary(source, block, key);
    }
    throw Error(ErrorKind::internal, "sample_key: unknown key distribution");
}

bool is_key_of(KeyDistribution distribution, int block, std::span<const std::int8_t> key) {
    const std::uint32_t lowest = distribution == KeyDistribution::ternary ? 1 : 0;
    std::uint32_t wrong = 0;
    for (const std::int8_t coefficient : key) {
        const std::uint32_t from_lowest =
            static_cast<std::uint32_t>(static_cast<std::int32_t>(coefficient)) + lowest;
        wrong |= (1 + lowest - from_lowest) >> 31;
        wrong |= from_lowest >> 31;
    }
    if (distribution == KeyDistribution::block_binary) {
        check_block(block, key.size());
        const auto length = static_cast<std::size_t>(block);
        for (std::size_t begin = 0; begin < key.size(); begin += length) {
            std::uint32_t ones = 0;
            for (std::size_t j = 0; j < length; ++j) ones += static_cast<std::uint32_t>(key[begin + j] & 1);
            wrong |= (1 - ones) >> 31;
        }
    }
    return wrong == 0;
}

base::MaskSeed sample_mask_seed(base::RandomSource& source) {
    base::MaskSeed seed{};
    source.fill(seed);
    return seed;
}

base::KeyId sample_key_id(base::RandomSource& source) {
    base::KeyId id{};
    source.fill(id);
    return id;
}

NoiseSampler::NoiseSampler(std::unique_ptr<base::RandomSource> source, double std, int modulus_log)
    : source_(std::move(source)), shift_(32 - modulus_log), uniform_(scratch_words) {
    if (modulus_log < 1 || modulus_log > 32)
        throw Error(ErrorKind::internal,
                    fmt::format("noise modulus 2^{} is not in 2^1 ... 2^32", modulus_log));
    const double units = std::ldexp(std, modulus_log);
    if (!(units >= 1.0) || !(std < 0.5))
        throw Error(
            ErrorKind::parameters,
            fmt::format("noise of standard deviation {} cannot be sampled modulo 2^{}", std, modulus_log));
    scale_ = std::sqrt(units * units - 1.0 / 12.0);
}

void NoiseSampler::fill(std::span<std::uint32_t> noise) {
    while (!noise.empty()) {
        const std::size_t count = std::min(noise.size(), scratch_words);
        const auto uniform = std::span(uniform_).first(count + count % 2);
        source_->fill(std::as_writable_bytes(uniform));
        const auto rounded = [this](double value) {
            return static_cast<std::uint32_t>(std::llrint(value * scale_)) << shift_;
        };
        for (std::size_t i = 0; i < count; i += 2) {
            // (x + 1/2) / 2^64 is never 0, so the logarithm is finite.
            const double open_uniform = std::ldexp(static_cast<double>(uniform[i]) + 0.5, -64);
            const double radius = std::sqrt(-2.0 * std::log(open_uniform));
            const double angle =
                2.0 * std::numbers::pi * std::ldexp(static_cast<double>(uniform[i + 1] >> 11), -53);
            noise[i] = rounded(radius * std::cos(angle));
            if (i + 1 < count) noise[i + 1] = rounded(radius * std::sin(angle));
        }
        noise = noise.subspan(count);
    }
}

}  // namespace toroid::scheme
