// SPDX-License-Identifier: Apache-2.0
// Random keys and exact integer products, to hold the kernels against.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "backend_cpu/blind_rotation_job.hpp"
#include "backend_cpu/transform_plan.hpp"
#include "base/aligned_vector.hpp"
#include "math/decomposition.hpp"
#include "math/negacyclic.hpp"

namespace toroid::tests {

struct RotationSizes {
    std::string name;
    int ring_dimension;
    int glwe_dimension;
    math::Gadget mask;
    math::Gadget body;
    int lwe_dimension;
    int block;
};

/// A key of uniformly random words: external products are linear in it, so nothing depends on what it
/// encrypts.
class RandomRotationKey {
 public:
    RandomRotationKey(const RotationSizes& sizes, std::mt19937_64& random)
        : plan_(sizes.ring_dimension), sizes_(sizes) {
        view_.transform = plan_.tables();
        view_.lwe_dimension = sizes.lwe_dimension;
        view_.block = sizes.block;
        view_.ring_dimension = sizes.ring_dimension;
        view_.glwe_dimension = sizes.glwe_dimension;
        view_.mask_levels = sizes.mask.levels;
        view_.body_levels = sizes.body.levels;
        view_.mask_base_log = sizes.mask.base_log;
        view_.body_base_log = sizes.body.base_log;
        words_.resize(static_cast<std::size_t>(view_.step_stride() * sizes.lwe_dimension));
        for (std::uint32_t& word : words_) word = static_cast<std::uint32_t>(random());
        values_.resize(words_.size() + rows() * components() * 128);  // and four blocks that are prefetched
        const std::size_t ring = this->ring();
        const std::size_t polynomials_a_step = rows() * components();
        std::vector<double> leaves(ring);
        for (std::size_t polynomial = 0; polynomial < words_.size() / ring; ++polynomial) {
            std::vector<std::int32_t> coefficients(ring);
            for (std::size_t j = 0; j < ring; ++j) {
                coefficients[j] = static_cast<std::int32_t>(words_[polynomial * ring + j]);
            }
            plan_.forward(coefficients, 2.0 / static_cast<double>(ring), leaves);
            // The layout's own formula: [block][child][row, component][re, im][node in block].
            double* const step = values_.data() + polynomial / polynomials_a_step * polynomials_a_step * ring;
            const std::size_t within = polynomial % polynomials_a_step;
            for (std::size_t leaf = 0; leaf < ring / 2; ++leaf) {
                const std::size_t block = leaf / 16;
                const std::size_t node = leaf / 4 % 4;
                const std::size_t child = leaf % 4;
                double* const at = step + ((block * 4 + child) * polynomials_a_step + within) * 8 + node;
                at[0] = leaves[2 * leaf];
                at[4] = leaves[2 * leaf + 1];
            }
        }
        view_.values = values_.data();
    }

    [[nodiscard]] const backend_cpu::RotationKey& view() const { return view_; }
    [[nodiscard]] std::size_t ring() const { return static_cast<std::size_t>(view_.ring_dimension); }
    [[nodiscard]] std::size_t components() const {
        return static_cast<std::size_t>(view_.glwe_dimension) + 1;
    }
    [[nodiscard]] std::size_t rows() const { return static_cast<std::size_t>(view_.rows()); }

    /// out (k+1 polynomials) += digits of in, times GGSW i.
    void add_external_product(std::size_t i, std::span<const std::uint32_t> in,
                              std::span<std::uint32_t> out) const {
        std::vector<std::uint32_t> product(ring());
        std::size_t row = 0;
        for (std::size_t c = 0; c < components(); ++c) {
            const math::Gadget gadget = c + 1 < components() ? sizes_.mask : sizes_.body;
            std::vector<std::vector<std::uint32_t>> digits(static_cast<std::size_t>(gadget.levels),
                                                           std::vector<std::uint32_t>(ring()));
            std::vector<std::int32_t> one(static_cast<std::size_t>(gadget.levels));
            for (std::size_t j = 0; j < ring(); ++j) {
                math::decompose(in[c * ring() + j], gadget, one);
                for (std::size_t l = 0; l < one.size(); ++l)
                    digits[l][j] = static_cast<std::uint32_t>(one[l]);
            }
            for (const std::vector<std::uint32_t>& digit : digits) {
                for (std::size_t to = 0; to < components(); ++to) {
                    const std::size_t at = ((i * rows() + row) * components() + to) * ring();
                    math::negacyclic_multiply(digit, std::span(words_).subspan(at, ring()), product);
                    for (std::size_t j = 0; j < ring(); ++j) out[to * ring() + j] += product[j];
                }
                ++row;
            }
        }
    }

    /// (X^power - 1) in, all components.
    [[nodiscard]] std::vector<std::uint32_t> rotate_difference(std::span<const std::uint32_t> in,
                                                               std::size_t power) const {
        std::vector<std::uint32_t> out(in.size());
        for (std::size_t c = 0; c < components(); ++c) {
            for (std::size_t j = 0; j < ring(); ++j) {
                const std::size_t to = (j + power) % (2 * ring());
                const std::uint32_t value = in[c * ring() + j];
                out[c * ring() + to % ring()] += to < ring() ? value : 0U - value;
            }
            for (std::size_t j = 0; j < ring(); ++j) out[c * ring() + j] -= in[c * ring() + j];
        }
        return out;
    }

    /// The accumulator after all steps, by exact integers.
    void rotate(std::span<const std::uint16_t> exponents, std::vector<std::uint32_t>& accumulator) const {
        const auto block = static_cast<std::size_t>(view_.block);
        for (std::size_t first = 0; first < exponents.size(); first += block) {
            const std::vector<std::uint32_t> before = accumulator;
            if (block == 1) {
                add_external_product(first, rotate_difference(before, exponents[first]), accumulator);
                continue;
            }
            for (std::size_t i = first; i < std::min(first + block, exponents.size()); ++i) {
                std::vector<std::uint32_t> product(before.size());
                add_external_product(i, before, product);
                const auto difference = rotate_difference(product, exponents[i]);
                for (std::size_t j = 0; j < before.size(); ++j) accumulator[j] += difference[j];
            }
        }
    }

 private:
    backend_cpu::TransformPlan plan_;
    RotationSizes sizes_;
    std::vector<std::uint32_t> words_;
    base::AlignedVector<double> values_;
    backend_cpu::RotationKey view_;
};

}  // namespace toroid::tests
