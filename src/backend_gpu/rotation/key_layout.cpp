// SPDX-License-Identifier: Apache-2.0
#include "backend_gpu/rotation/key_layout.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <numbers>
#include <string>
#include <vector>

#include "toroid/error.hpp"

namespace toroid::backend_gpu {
namespace {

std::uint64_t aligned(std::uint64_t bytes) {
    return (bytes + 255) / 256 * 256;
}

/// `value` in units of 2^shift, plus 2^(bits - 1).
std::uint64_t packed_part(double value, int shift, int bits) {
    const double half_range = std::ldexp(1.0, bits - 1);
    const double rounded = std::nearbyint(std::ldexp(value, -shift)) + half_range;
    if (rounded < 0 || rounded >= 2 * half_range) {
        throw Error(ErrorKind::format,
                    "bootstrapping key: a spectrum is too large to come from a random key");
    }
    return static_cast<std::uint64_t>(rounded);
}

/// The pass that holds a row's component, and the number of the row in it.
struct PackedPlace {
    int pass;
    int within;
};
PackedPlace place_in(const PackedKeyOrder& order, int row, int component) {
    for (int pass = 0; pass < order.passes(); ++pass) {
        const int column = component - order.first_component(pass);
        if (column < 0 || column >= order.components_of(pass)) continue;
        for (int within = 0; within < order.rows_of(pass); ++within) {
            if (order.row(pass, within) == row) return {pass, within};
        }
    }
    throw Error(ErrorKind::internal, "packed key: no place for row " + std::to_string(row));
}

std::uint64_t packed_step_bytes(const RotationSizes& sizes) {
    return static_cast<std::uint64_t>(packed_key_order(sizes).words() * sizes.points()) * 16;
}
std::uint64_t tensor_step_bytes(const RotationSizes& sizes) {
    return static_cast<std::uint64_t>(tensor_key_order(sizes).words()) * 16;
}

}  // namespace

PackedKeyOrder packed_key_order(const RotationSizes& sizes) {
    return {sizes.mask.levels, sizes.body.levels, sizes.block};
}

TensorKeyOrder tensor_key_order(const RotationSizes& sizes) {
    return {sizes.block};
}

KeyLayout::KeyLayout(const RotationSizes& sizes, bool packed, bool tensor)
    : sizes_(sizes), tables_(sizes.ring_dimension), packed_(packed), tensor_(tensor) {
    const auto points = static_cast<std::uint64_t>(sizes.points());
    const auto n = static_cast<std::uint64_t>(sizes.lwe_dimension);
    const auto steps = static_cast<std::uint64_t>(sizes.steps());
    twiddles_ = aligned(tables_.roots().size() * sizeof(HostComplex));
    leaf_exponents_ = twiddles_ + aligned(tables_.twiddles().size() * sizeof(HostComplex));
    lane_table_ = leaf_exponents_ + aligned(points * sizeof(std::uint16_t));
    general_key_ = lane_table_ + (packed ? aligned(lane_twiddles * 16 * sizeof(HostComplex)) : 0);
    packed_key_ = general_key_ + aligned(n * static_cast<std::uint64_t>(sizes.rows() * sizes.components()) *
                                         points * sizeof(HostComplex));
    tensor_key_ = packed_key_;
    if (packed) tensor_key_ += steps * packed_step_bytes(sizes);
    bytes_ = tensor_key_;
    if (tensor) bytes_ += steps * tensor_step_bytes(sizes);
}

void KeyLayout::build_packed_tables(std::span<std::byte> out) const {
    // Angles in units of pi / 512. The tree of lane l ends at the roots of X^16 = exp(i pi (1 + 4 l) / 32),
    // X = exp(i pi (4 l + 1 + 64 q) / 512): e = 4 l + 1 is the angle of its last twiddle. The inverse tree
    // runs at the conjugate points and multiplies by exp(-i pi l / 512) as it begins.
    const auto put = [&](int pair, int lane, double re, double im) {
        const HostComplex value{re, im};
        std::memcpy(out.data() + lane_table_ + static_cast<std::size_t>(pair * 16 + lane) * sizeof(value),
                    &value, sizeof(value));
    };
    constexpr long double unit = std::numbers::pi_v<long double> / 512;
    for (int lane = 0; lane < 16; ++lane) {
        const int e = 4 * lane + 1;
        const int angles[] = {2 * e, 2 * e + 128, e, e + 64, e + 128, e + 192, -lane};
        for (int pair = 0; pair < 7; ++pair) {
            const long double angle = unit * angles[pair];
            put(pair, lane, static_cast<double>(std::cos(angle)), static_cast<double>(std::sin(angle)));
        }
        for (const bool inverse : {false, true}) {
            const int extra = inverse ? lane : 0;
            const long double a1 = unit * (4 * e + extra);
            const long double a2 = unit * (8 * e + extra);
            const long double a3 = unit * (12 * e + extra);
            const int first = inverse ? 10 : 7;
            put(first, lane, static_cast<double>(std::tan(a1)), static_cast<double>(std::tan(a2)));
            put(first + 1, lane, static_cast<double>(std::tan(a3)), static_cast<double>(std::cos(a2)));
            put(first + 2, lane, static_cast<double>(std::cos(a3) / std::cos(a1)),
                static_cast<double>(std::cos(a1)));
        }
    }
}

void KeyLayout::put_packed(int i, int row, int c, std::span<const HostComplex> spectrum,
                           std::span<std::byte> out) const {
    const PackedKeyOrder order = packed_key_order(sizes_);
    std::byte* const step =
        out.data() + packed_key_ + static_cast<std::uint64_t>(i / sizes_.block) * packed_step_bytes(sizes_);
    const std::size_t points = spectrum.size();
    const auto [pass, within] = place_in(order, row, c);
    const int column = c - order.first_component(pass);
    const int line = i % sizes_.block * order.rows_of(pass) + within;
    const int index = line * order.components_of(pass) + column;
    const bool fine = c + 1 < sizes_.components() && !order.coarse();
    const int shift = fine ? packed_mask_shift : packed_body_shift;
    const auto low = static_cast<std::size_t>(order.first_word(pass) + index / 2);
    // Place of the upper bits: mask parts in order, ten to 32 bits.
    const int field = (line * order.masks_of(pass) + column) * 2;
    const auto high = static_cast<std::size_t>(order.first_word(pass) + order.low_words(pass));
    for (std::size_t f = 0; f < points; ++f) {
        const double parts[2] = {spectrum[f].re, spectrum[f].im};
        for (int part = 0; part < 2; ++part) {
            const std::uint64_t packed = packed_part(parts[part], shift, fine ? 35 : 32);
            const auto lower = static_cast<std::uint32_t>(packed);
            std::memcpy(step + (low * points + f) * 16 + static_cast<std::size_t>(index % 2) * 8 +
                            static_cast<std::size_t>(part) * sizeof(lower),
                        &lower, sizeof(lower));
            if (!fine) continue;
            const auto place = static_cast<std::size_t>(field + part);
            std::byte* const at =
                step + ((high + place / 40) * points + f) * 16 + place / 10 % 4 * sizeof(lower);
            std::uint32_t fields = 0;
            std::memcpy(&fields, at, sizeof(fields));
            fields |= static_cast<std::uint32_t>(packed >> 32) << (place % 10 * 3);
            std::memcpy(at, &fields, sizeof(fields));
        }
    }
}

void KeyLayout::put_tensor(int i, int row, int c, std::span<const HostComplex> spectrum,
                           std::span<std::byte> out) const {
    const TensorKeyOrder order = tensor_key_order(sizes_);
    std::byte* const step =
        out.data() + tensor_key_ + static_cast<std::uint64_t>(i / sizes_.block) * tensor_step_bytes(sizes_);
    for (std::size_t f = 0; f < spectrum.size(); ++f) {
        const double parts[2] = {spectrum[f].re, spectrum[f].im};
        for (int part = 0; part < 2; ++part) {
            // To the nearest of 48 bits.
            const auto bits =
                (std::bit_cast<std::uint64_t>(std::ldexp(parts[part], -packed_mask_shift)) + 0x8000) >> 16;
            const auto upper = static_cast<std::uint32_t>(bits >> 16);
            const auto lower = static_cast<std::uint16_t>(bits);
            const TensorKeyOrder::Place place =
                order.place(static_cast<int>(f), i % sizes_.block, row, 2 * c + part);
            std::memcpy(step + place.upper, &upper, sizeof(upper));
            std::memcpy(step + place.lower, &lower, sizeof(lower));
        }
    }
}

void KeyLayout::build(const GlweRowSource& rows, base::ThreadPool& pool, std::span<std::byte> out) const {
    if (out.size() != bytes_) {
        throw Error(ErrorKind::internal, "loaded rotation key: " + std::to_string(out.size()) +
                                             " bytes given, " + std::to_string(bytes_) + " needed");
    }
    std::fill(out.begin(), out.end(), std::byte{0});
    const auto copy = [&](std::uint64_t at, const auto& table) {
        std::memcpy(out.data() + at, table.data(), table.size() * sizeof(table[0]));
    };
    copy(roots(), tables_.roots());
    copy(twiddles_, tables_.twiddles());
    copy(leaf_exponents_, tables_.leaf_exponents());
    if (packed_) build_packed_tables(out);

    const auto points = static_cast<std::size_t>(sizes_.points());
    const auto components = static_cast<std::size_t>(sizes_.components());
    const auto add_ggsw = [&](std::size_t i) {
        std::vector<std::uint32_t> words(components * 2 * points);
        std::vector<HostComplex> leaves(points);
        std::vector<HostComplex> spectrum(points);
        for (int row = 0; row < sizes_.rows(); ++row) {
            rows(static_cast<int>(i), row, words);
            for (std::size_t c = 0; c < components; ++c) {
                tables_.forward(std::span(words).subspan(c * 2 * points, 2 * points), leaves);
                const std::size_t polynomial =
                    (i * static_cast<std::size_t>(sizes_.rows()) + static_cast<std::size_t>(row)) *
                        components +
                    c;
                std::memcpy(out.data() + general_key_ + polynomial * points * sizeof(HostComplex),
                            leaves.data(), points * sizeof(HostComplex));
                if (!packed_) continue;
                for (std::size_t leaf = 0; leaf < points; ++leaf) {
                    const std::size_t f = tables_.leaf_exponents()[leaf] / 4U;
                    const HostComplex turn = tables_.root(f % 16);
                    const HostComplex value = leaves[leaf];
                    spectrum[f] = {value.re * turn.re - value.im * turn.im,
                                   value.re * turn.im + value.im * turn.re};
                }
                put_packed(static_cast<int>(i), row, static_cast<int>(c), spectrum, out);
                if (tensor_) put_tensor(static_cast<int>(i), row, static_cast<int>(c), spectrum, out);
            }
        }
    };
    // A step's GGSWs share words of the packed form: one task for all of them.
    pool.for_each(static_cast<std::size_t>(sizes_.steps()), [&](std::size_t step, unsigned) {
        const auto block = static_cast<std::size_t>(sizes_.block);
        const std::size_t end = std::min((step + 1) * block, static_cast<std::size_t>(sizes_.lwe_dimension));
        for (std::size_t i = step * block; i < end; ++i) add_ggsw(i);
    });
}

}  // namespace toroid::backend_gpu
