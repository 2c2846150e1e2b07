// SPDX-License-Identifier: Apache-2.0
#include "backend_gpu/rotation/ntt_key_layout.hpp"

#include <array>
#include <bit>
#include <cstring>
#include <string>
#include <vector>

#include "toroid/error.hpp"

namespace toroid::backend_gpu {
namespace {

std::uint64_t aligned(std::uint64_t bytes) {
    return (bytes + 255) / 256 * 256;
}

}  // namespace

NttKeyLayout::NttKeyLayout(const math::NttSizes& sizes, int lwe_dimension)
    : sizes_(sizes),
      lwe_dimension_(lwe_dimension),
      rows_(sizes.glwe_dimension * sizes.mask.levels + sizes.body.levels) {
    const auto ring = static_cast<std::uint64_t>(sizes.ring_dimension);
    roots_ = aligned(4 * ring * sizeof(math::ShoupFactor));
    leaf_exponents_ = roots_ + aligned(4 * ring * sizeof(std::uint32_t));
    key_ = leaf_exponents_ + aligned(ring * sizeof(std::uint16_t));
    bytes_ = key_ + static_cast<std::uint64_t>(lwe_dimension) *
                        static_cast<std::uint64_t>(rows_ * (sizes.glwe_dimension + 1)) * 2 * ring *
                        sizeof(std::uint32_t);
}

void NttKeyLayout::build(const RowSource& source, base::ThreadPool& pool, std::span<std::byte> out) const {
    if (out.size() != bytes_) {
        throw Error(ErrorKind::internal, "loaded exact rotation key: " + std::to_string(out.size()) +
                                             " bytes given, " + std::to_string(bytes_) + " needed");
    }
    const auto copy = [&](std::uint64_t at, const auto& table) {
        std::memcpy(out.data() + at, table.data(), table.size_bytes());
    };
    const std::array<math::Ntt, 2> transforms{math::Ntt(sizes_.ring_dimension, 0),
                                              math::Ntt(sizes_.ring_dimension, 1)};
    for (std::size_t prime = 0; prime < 2; ++prime) {
        const math::Ntt& ntt = transforms[prime];
        copy(2 * prime * ntt.twiddles().size_bytes(), ntt.twiddles());
        copy((2 * prime + 1) * ntt.twiddles().size_bytes(), ntt.inverse_twiddles());
        copy(roots_ + prime * ntt.roots().size_bytes(), ntt.roots());
    }
    copy(leaf_exponents_, transforms[0].leaf_exponents());

    const auto ring = static_cast<std::size_t>(sizes_.ring_dimension);
    const auto components = static_cast<std::size_t>(sizes_.glwe_dimension) + 1;
    const auto rows = static_cast<std::size_t>(rows_);
    pool.for_each(static_cast<std::size_t>(lwe_dimension_), [&](std::size_t i, unsigned) {
        std::vector<std::uint32_t> words(components * ring);
        std::vector<std::uint32_t> leaves(ring);
        for (std::size_t row = 0; row < rows; ++row) {
            source(static_cast<int>(i), static_cast<int>(row), words);
            for (std::size_t prime = 0; prime < 2; ++prime) {
                for (std::size_t c = 0; c < components; ++c) {
                    transforms[prime].load_key(std::span(words).subspan(c * ring, ring), leaves);
                    const std::size_t polynomial = ((2 * i + prime) * rows + row) * components + c;
                    copy(key_ + polynomial * ring * sizeof(std::uint32_t), std::span(leaves));
                }
            }
        }
    });
}

std::int64_t NttKeyLayout::shared_bytes() const noexcept {
    return std::int64_t{sizes_.ring_dimension} * (8 * rows_ + 4 * (sizes_.glwe_dimension + 1));
}

NttArguments NttKeyLayout::arguments(const void* key) const {
    const char* const base = static_cast<const char*>(key);
    NttArguments out;
    out.key = reinterpret_cast<const std::uint32_t*>(base + key_);
    out.twiddles = reinterpret_cast<const math::ShoupFactor*>(base);
    out.roots = reinterpret_cast<const std::uint32_t*>(base + roots_);
    out.leaf_exponents = reinterpret_cast<const std::uint16_t*>(base + leaf_exponents_);
    out.lwe_dimension = lwe_dimension_;
    out.block = sizes_.block;
    out.ring_log = std::countr_zero(static_cast<unsigned>(sizes_.ring_dimension));
    out.components = sizes_.glwe_dimension + 1;
    out.rows = rows_;
    out.mask = gadget_fields(sizes_.mask);
    out.body = gadget_fields(sizes_.body);
    for (std::size_t prime = 0; prime < 2; ++prime)
        out.modulus[prime] = math::ntt_modulus(math::ntt_primes[prime]);
    out.combination = math::ntt_combination;
    return out;
}

}  // namespace toroid::backend_gpu
