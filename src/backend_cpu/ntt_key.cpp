// SPDX-License-Identifier: Apache-2.0
#include "backend_cpu/ntt_key.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace toroid::backend_cpu {
namespace {

static_assert(most_job_rows == math::most_ntt_rows);

NttRotationKey view_sizes(const scheme::Parameters& parameters) {
    NttRotationKey out;
    out.lwe_dimension = parameters.n();
    out.block = parameters.block();
    out.ring_dimension = parameters.N();
    out.glwe_dimension = parameters.k();
    out.mask_levels = parameters.mask().levels;
    out.body_levels = parameters.body().levels;
    out.mask_base_log = parameters.mask().base_log;
    out.body_base_log = parameters.body().base_log;
    return out;
}

}  // namespace

math::NttSizes ntt_sizes(const scheme::Parameters& parameters) {
    return {parameters.N(), parameters.k(), parameters.mask(), parameters.body(), parameters.block()};
}

NttPlan::NttPlan(int ring_dimension)
    : transforms_{math::Ntt(ring_dimension, 0), math::Ntt(ring_dimension, 1)} {
    const auto ring = static_cast<std::size_t>(ring_dimension);
    for (std::size_t table = 0; table < 4; ++table) {
        const math::Ntt& ntt = transforms_[table / 2];
        const auto twiddles = table % 2 == 0 ? ntt.twiddles() : ntt.inverse_twiddles();
        heads_[table].resize(ring / 4);
        for (std::size_t node = 1; node < ring / 8; ++node) {
            heads_[table][2 * node] = twiddles[node].value;
            heads_[table][2 * node + 1] = twiddles[node].quotient;
        }
        tails_[table].resize(ring / ntt_block_leaves * ntt_tail_nodes * 2 * ntt_lanes);
        for (std::size_t block = 0; block < ring / ntt_block_leaves; ++block) {
            for (std::size_t node = 0; node < ntt_tail_nodes; ++node) {
                // Node numbers 1; 2, 3; 4 ... 7 of the little tree under each lane.
                const std::size_t width = node == 0 ? 1 : node < 3 ? 2 : 4;
                for (std::size_t lane = 0; lane < ntt_lanes; ++lane) {
                    const std::size_t root = ring / 8 + block * ntt_lanes + lane;
                    const math::ShoupFactor w = twiddles[root * width + (node + 1 - width)];
                    const std::size_t at = ((block * ntt_tail_nodes + node) * 2) * ntt_lanes + lane;
                    tails_[table][at] = w.value;
                    tails_[table][at + ntt_lanes] = w.quotient;
                }
            }
        }
    }
    leaf_exponents_.resize(ring);
    for (std::size_t leaf = 0; leaf < ring; ++leaf) {
        leaf_exponents_[place(leaf)] = transforms_[0].leaf_exponents()[leaf];
    }
}

void NttPlan::describe(NttRotationKey& key) const noexcept {
    for (std::size_t prime = 0; prime < 2; ++prime) {
        const math::NttModulus& modulus = transforms_[prime].modulus();
        key.primes[prime] = {.forward = {heads_[2 * prime].data(), tails_[2 * prime].data()},
                             .inverse = {heads_[2 * prime + 1].data(), tails_[2 * prime + 1].data()},
                             .roots = transforms_[prime].roots().data(),
                             .prime = modulus.prime,
                             .negated_inverse = modulus.negated_inverse,
                             .one = modulus.one};
    }
    key.leaf_exponents = leaf_exponents_.data();
    key.combination[0] = math::ntt_combination.value;
    key.combination[1] = math::ntt_combination.quotient;
}

std::uint64_t NttPlan::bytes() const noexcept {
    std::uint64_t words = leaf_exponents_.size();
    for (const auto& table : heads_) words += table.size();
    for (const auto& table : tails_) words += table.size();
    for (const math::Ntt& ntt : transforms_) words += ntt.roots().size() + 4 * ntt.twiddles().size();
    return words * sizeof(std::uint32_t);
}

LoadedNttKey::LoadedNttKey(const scheme::EvaluationKey& key, base::ThreadPool& pool)
    : plan_(key.parameters().N()),
      view_(view_sizes(key.parameters())),
      values_(static_cast<std::size_t>(view_.step_stride() * view_.lwe_dimension)) {
    plan_.describe(view_);
    view_.values = values_.data();
    const auto ring = static_cast<std::size_t>(view_.ring_dimension);
    const auto components = static_cast<std::size_t>(view_.glwe_dimension) + 1;
    const auto rows = static_cast<std::size_t>(view_.rows());
    pool.for_each(static_cast<std::size_t>(view_.lwe_dimension), [&](std::size_t i, unsigned) {
        std::vector<std::uint32_t> words(components * ring);
        std::vector<std::uint32_t> leaves(ring);
        for (std::size_t row = 0; row < rows; ++row) {
            key.glwe_row(static_cast<int>(i), static_cast<int>(row), words);
            for (std::size_t prime = 0; prime < 2; ++prime) {
                const auto of_prime = std::span(values_).subspan((2 * i + prime) * rows * components * ring);
                for (std::size_t c = 0; c < components; ++c) {
                    plan_.transform(prime).load_key(std::span(words).subspan(c * ring, ring), leaves);
                    for (std::size_t leaf = 0; leaf < ring; ++leaf) {
                        const std::size_t at = NttPlan::place(leaf);
                        of_prime[((at / ntt_lanes * rows + row) * components + c) * ntt_lanes +
                                 at % ntt_lanes] = leaves[leaf];
                    }
                }
            }
        }
    });
}

}  // namespace toroid::backend_cpu
