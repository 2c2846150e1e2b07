// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "client/secret_key.hpp"
#include "math/negacyclic.hpp"
#include "scheme/sampling.hpp"
#include "toroid/error.hpp"

namespace toroid::client {
namespace {

using Words = base::AlignedVector<std::uint32_t>;

std::size_t size(int value) {
    return static_cast<std::size_t>(value);
}

/// 2^(modulus_log - level * base_log), the weight of a digit of level 1...levels.
std::uint32_t digit_weight(int modulus_log, math::Gadget gadget, int level) {
    const int exponent = modulus_log - level * gadget.base_log;
    if (exponent < 0)
        throw Error(ErrorKind::parameters,
                    fmt::format("a gadget of {} levels of {} bits does not fit the modulus 2^{}",
                                gadget.levels, gadget.base_log, modulus_log));
    return std::uint32_t{1} << exponent;
}

/// Makes the samples of one part of the key; each worker thread has a maker, with noise sources and scratch
/// of its own.
class SampleMaker {
 public:
    SampleMaker(const SecretKey& key, const base::MaskSeed& seed, base::RandomSourceFactory& random)
        : key_(key),
          parameters_(key.parameters()),
          seed_(seed),
          glwe_noise_(random.make(), std::exp2(parameters_.literal().glwe.std_log2), 32),
          lwe_noise_(random.make(), std::exp2(parameters_.literal().lwe.std_log2),
                     parameters_.key_switch_modulus_log()),
          masks_(size(parameters_.extracted_dimension())),
          mask_(size(parameters_.n())) {}

    /// Body of GLWE row (i, r): noise + sum_c mask_c S_c + message.
    void make_glwe_body(int i, int r, std::span<std::uint32_t> body) {
        scheme::expand_glwe_masks(parameters_, seed_, i, r, masks_);
        glwe_noise_.fill(body);
        const std::size_t ring = size(parameters_.N());
        for (int c = 0; c < parameters_.k(); ++c)
            math::negacyclic_add_product(std::span(masks_).subspan(size(c) * ring, ring),
                                         secret_polynomial(c), body);

        const auto bit = static_cast<std::uint32_t>(key_.lwe()[size(i)]);
        const int mask_levels = parameters_.mask().levels;
        if (r >= parameters_.k() * mask_levels) {
            const int level = r - parameters_.k() * mask_levels + 1;
            body[0] += bit * digit_weight(32, parameters_.body(), level);
            return;
        }
        const std::uint32_t scaled_bit = bit * digit_weight(32, parameters_.mask(), r % mask_levels + 1);
        const auto polynomial = secret_polynomial(r / mask_levels);
        for (std::size_t x = 0; x < ring; ++x)
            body[x] -= scaled_bit * static_cast<std::uint32_t>(polynomial[x]);
    }

    /// Body of LWE sample (j, l), l in [0, levels): noise + <mask, s> + S_j q / B^(l+1) mod q.
    std::uint32_t make_lwe_body(int j, int l) {
        const int modulus_log = parameters_.key_switch_modulus_log();
        const int shift = 32 - modulus_log;
        scheme::expand_lwe_mask(parameters_, seed_, j, l, mask_);
        std::uint32_t noise = 0;
        lwe_noise_.fill(std::span(&noise, 1));
        const std::uint32_t message = static_cast<std::uint32_t>(key_.glwe()[size(j)]) *
                                      digit_weight(modulus_log, parameters_.key_switch_gadget(), l + 1);
        const std::uint32_t body = (noise >> shift) + math::inner_product(mask_, key_.lwe()) + message;
        return body << shift >> shift;
    }

 private:
    [[nodiscard]] std::span<const std::int8_t> secret_polynomial(int c) const {
        const std::size_t ring = size(parameters_.N());
        return key_.glwe().subspan(size(c) * ring, ring);
    }

    const SecretKey& key_;
    const scheme::Parameters& parameters_;
    base::MaskSeed seed_;
    scheme::NoiseSampler glwe_noise_;
    scheme::NoiseSampler lwe_noise_;
    Words masks_;
    Words mask_;
};

/// Counts finished tasks and tells the callback, from one thread at a time and never backwards. A worker that
/// finds another one reporting goes on with its work.
class Reporter {
 public:
    Reporter(const base::ProgressCallback& callback, std::uint64_t total)
        : callback_(callback), total_(total) {}
    void task_done() {
        done_.fetch_add(1);
        if (!callback_) return;
        const std::unique_lock lock(mutex_, std::try_to_lock);
        if (!lock.owns_lock()) return;
        const std::uint64_t done = done_.load();
        if (done == reported_) return;
        reported_ = done;
        callback_(done, total_);
    }
    void finish() {
        if (callback_ && reported_ != total_) callback_(total_, total_);
    }

 private:
    const base::ProgressCallback& callback_;
    std::uint64_t total_;
    std::uint64_t reported_ = 0;
    std::atomic<std::uint64_t> done_{0};
    std::mutex mutex_;
};

}  // namespace

scheme::EvaluationKey make_evaluation_key(const SecretKey& key, base::RandomSourceFactory& random,
                                          base::ThreadPool& pool, const base::ProgressCallback& progress) {
    const scheme::Parameters& parameters = key.parameters();
    const base::MaskSeed seed = scheme::sample_mask_seed(*random.make());
    std::vector<std::unique_ptr<SampleMaker>> makers;
    for (unsigned worker = 0; worker < pool.threads(); ++worker)
        makers.push_back(std::make_unique<SampleMaker>(key, seed, random));

    Words bootstrapping(scheme::bootstrapping_body_words(parameters));
    Words key_switching(scheme::key_switching_body_words(parameters));
    const int rows = parameters.rows();
    const int levels = parameters.key_switch_gadget().levels;
    const std::size_t ring = size(parameters.N());
    const auto make_ggsw = [&](std::size_t i, SampleMaker& maker) {
        for (int r = 0; r < rows; ++r)
            maker.make_glwe_body(static_cast<int>(i), r,
                                 std::span(bootstrapping).subspan((i * size(rows) + size(r)) * ring, ring));
    };
    // One task a GLWE key polynomial would be too coarse: take 64 of its coefficients.
    constexpr std::size_t coefficients_a_task = 64;
    const auto make_switch = [&](std::size_t task, SampleMaker& maker) {
        const std::size_t first = task * coefficients_a_task;
        const std::size_t last =
            std::min(first + coefficients_a_task, size(parameters.extracted_dimension()));
        for (std::size_t j = first; j < last; ++j)
            for (int l = 0; l < levels; ++l)
                key_switching[j * size(levels) + size(l)] = maker.make_lwe_body(static_cast<int>(j), l);
    };

    const std::size_t ggsw_tasks = size(parameters.n());
    const std::size_t switch_tasks =
        (size(parameters.extracted_dimension()) + coefficients_a_task - 1) / coefficients_a_task;
    Reporter reporter(progress, ggsw_tasks + switch_tasks);
    pool.for_each(ggsw_tasks + switch_tasks, [&](std::size_t task, unsigned worker) {
        if (task < ggsw_tasks)
            make_ggsw(task, *makers[worker]);
        else
            make_switch(task - ggsw_tasks, *makers[worker]);
        reporter.task_done();
    });
    reporter.finish();
    return {parameters, key.key_id(), seed, std::move(bootstrapping), std::move(key_switching)};
}

}  // namespace toroid::client
