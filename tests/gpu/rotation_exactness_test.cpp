// SPDX-License-Identifier: Apache-2.0
// Blind-rotation kernels against exact integer products: the exact transform's bit for bit, the Fourier ones
// within the rounding that each states.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "backend_gpu/device_buffer.hpp"
#include "backend_gpu/gpu_key.hpp"
#include "backend_gpu/rotation/key_layout.hpp"
#include "backend_gpu/rotation/packed_shape.hpp"
#include "backend_gpu/rotation/rotation.hpp"
#include "backend_reference/blind_rotation.hpp"
#include "backend_reference/external_product.hpp"
#include "backend_reference/polynomial.hpp"
#include "backend_reference/sample_extraction.hpp"
#include "base/aligned_vector.hpp"
#include "base/thread_pool.hpp"
#include "gpu/mixed_batch.hpp"
#include "math/noise.hpp"
#include "support/seed.hpp"

namespace toroid::tests {
namespace {

using backend::Transform;
using backend_gpu::DeviceBuffer;
using backend_gpu::Rotation;
using backend_gpu::RotationKernel;
using scheme::Parameters;

base::ThreadPool& workers() {
    static base::ThreadPool pool;
    return pool;
}

/// A test key of a set, loaded for one transform on the current device.
class LoadedRotation {
 public:
    LoadedRotation(const Parameters& parameters, Transform transform,
                   const backend_gpu::RotationLimits& limits = card_limits())
        : parameters_(parameters),
          key_(test_key(parameters).evaluation),
          rotation_(backend_gpu::rotation_sizes(parameters), limits, transform) {
        base::AlignedVector<std::byte> host(rotation_.key_bytes());
        rotation_.build_key([&](int i, int r, std::span<std::uint32_t> words) { key_.glwe_row(i, r, words); },
                            workers(), host);
        device_key_ = DeviceBuffer<std::byte>(host.size(), "the test's key");
        backend_gpu::copy_to_device(device_key_.data(), std::span<const std::byte>(host), nullptr);
    }

    static backend_gpu::RotationLimits card_limits() {
        backend_gpu::gpuDeviceProp properties;
        TOROID_GPU_CHECK(backend_gpu::gpuGetDeviceProperties(&properties, 0));
        return backend_gpu::rotation_limits(properties);
    }
    [[nodiscard]] const Rotation& rotation() const { return rotation_; }
    [[nodiscard]] const scheme::EvaluationKey& key() const { return key_; }
    [[nodiscard]] std::size_t width() const { return static_cast<std::size_t>(parameters_.n()) + 1; }
    [[nodiscard]] std::size_t accumulator_words() const {
        return static_cast<std::size_t>((parameters_.k() + 1) * parameters_.N());
    }
    [[nodiscard]] std::size_t sample_words() const {
        return static_cast<std::size_t>(parameters_.extracted_dimension()) + 1;
    }

    struct Result {
        std::vector<std::uint32_t> accumulators;
        std::vector<std::uint32_t> samples;
    };
    /// Rotations by rows of n + 1 exponents.
    [[nodiscard]] Result run(std::span<const std::uint16_t> rows, RotationKernel kernel) const {
        const std::size_t count = rows.size() / width();
        DeviceBuffer<std::uint16_t> switched(rows.size(), "the test's exponents");
        DeviceBuffer<std::uint32_t> accumulators(count * accumulator_words(), "the test's accumulators");
        DeviceBuffer<std::uint32_t> samples(count * sample_words(), "the test's samples");
        backend_gpu::copy_to_device(switched.data(), rows, nullptr);
        rotation_.launch({.key = device_key_.data(),
                          .switched = switched.data(),
                          .samples = samples.data(),
                          .sample_stride = static_cast<std::int64_t>(sample_words()),
                          .accumulators = accumulators.data(),
                          .rotations = static_cast<int>(count)},
                         kernel);
        Result result{std::vector<std::uint32_t>(accumulators.count()),
                      std::vector<std::uint32_t>(samples.count())};
        backend_gpu::copy_to_host(std::span(result.accumulators),
                                  static_cast<const std::uint32_t*>(accumulators.data()), nullptr);
        backend_gpu::copy_to_host(std::span(result.samples),
                                  static_cast<const std::uint32_t*>(samples.data()), nullptr);
        return result;
    }

 private:
    Parameters parameters_;
    const scheme::EvaluationKey& key_;
    Rotation rotation_;
    DeviceBuffer<std::byte> device_key_;
};

std::uint16_t any_rotation(const Parameters& parameters, std::mt19937_64& random) {
    return static_cast<std::uint16_t>(random() % static_cast<std::uint64_t>(2 * parameters.N()));
}

// ---- the exact transform ----

/// `distinct` rows of random exponents, repeated up to `count` rotations.
void expect_exact(const Parameters& parameters, std::size_t distinct, std::size_t count) {
    const LoadedRotation loaded(parameters, Transform::ntt);
    EXPECT_TRUE(loaded.rotation().has_kernel(RotationKernel::general));
    EXPECT_FALSE(loaded.rotation().has_kernel(RotationKernel::packed));
    auto random = generator(910);
    std::vector<std::uint16_t> rows(count * loaded.width());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::size_t period = distinct * loaded.width();
        rows[i] = i < period ? any_rotation(parameters, random) : rows[i - period];
    }
    const auto found = loaded.run(rows, RotationKernel::automatic);
    std::vector<std::vector<std::uint32_t>> expected(distinct,
                                                     std::vector<std::uint32_t>(loaded.accumulator_words()));
    const backend_reference::BlindRotation reference(loaded.key());
    workers().for_each(distinct, [&](std::size_t i, unsigned) {
        reference.apply(std::span(rows).subspan(i * loaded.width(), loaded.width()), expected[i]);
    });
    for (std::size_t i = 0; i < count; ++i) {
        const std::vector<std::uint32_t>& exact = expected[i % distinct];
        ASSERT_TRUE(
            std::ranges::equal(std::span(found.accumulators).subspan(i * exact.size(), exact.size()), exact))
            << "rotation " << i;
        std::vector<std::uint32_t> sample(loaded.sample_words());
        backend_reference::extract_sample(exact, parameters.N(), sample);
        ASSERT_TRUE(
            std::ranges::equal(std::span(found.samples).subspan(i * sample.size(), sample.size()), sample))
            << "sample " << i;
    }
}

class ExactRotation : public testing::TestWithParam<Instance> {};

TEST_P(ExactRotation, EqualsTheReferenceBitForBit) {
    TOROID_REQUIRE_INSTANCE(GetParam());
    // More than the blocks that run at once on any card of today.
    expect_exact(GetParam().parameters, 4, 700);
}

std::vector<Instance> reduced_sets() {
    std::vector<Instance> out;
    for (const Parameters& set : scheme::named_parameters()) out.push_back(gpu_instance(reduced(set, 18)));
    return out;
}

INSTANTIATE_TEST_SUITE_P(Reduced, ExactRotation, testing::ValuesIn(reduced_sets()), instance_name);
INSTANTIATE_TEST_SUITE_P(Whole, ExactRotation,
                         testing::Values(gpu_instance(scheme::named_parameters("tfhe128")),
                                         gpu_instance(scheme::named_parameters("tfhe128-fast"))),
                         instance_name);

// ---- the Fourier transforms ----

/// What one step adds to `accumulator`, by exact integers: (X^a_i - 1) times the external products of block
/// `step`, or for blocks of one the product of the rotated difference.
std::vector<std::uint32_t> exact_step(const Parameters& parameters, const scheme::EvaluationKey& key,
                                      std::span<const std::uint32_t> accumulator, std::size_t step,
                                      std::span<const std::uint16_t> exponents) {
    const auto N = static_cast<std::size_t>(parameters.N());
    const auto rows = static_cast<std::size_t>(parameters.rows());
    const auto difference = [&](std::span<const std::uint32_t> in, std::uint16_t power) {
        std::vector<std::uint32_t> out(in.size());
        for (std::size_t first = 0; first < in.size(); first += N) {
            backend_reference::multiply_by_monomial(in.subspan(first, N), power,
                                                    std::span(out).subspan(first, N));
        }
        for (std::size_t j = 0; j < in.size(); ++j) out[j] -= in[j];
        return out;
    };
    const auto block = static_cast<std::size_t>(parameters.block());
    std::vector<std::uint32_t> out(accumulator.begin(), accumulator.end());
    for (std::size_t j = 0; j < block; ++j) {
        const std::uint16_t power = exponents[step * block + j];
        const std::vector<std::uint32_t> decomposed =
            block == 1 ? difference(accumulator, power)
                       : std::vector<std::uint32_t>(accumulator.begin(), accumulator.end());
        std::vector<std::int32_t> digits(rows * N);
        backend_reference::decompose_glwe(parameters, decomposed, digits);
        std::vector<std::uint32_t> ggsw(rows * accumulator.size());
        for (std::size_t row = 0; row < rows; ++row) {
            key.glwe_row(static_cast<int>(step * block + j), static_cast<int>(row),
                         std::span(ggsw).subspan(row * accumulator.size(), accumulator.size()));
        }
        std::vector<std::uint32_t> product(accumulator.size());
        backend_reference::add_external_product(parameters, digits, ggsw, product);
        if (block > 1) product = difference(product, power);
        for (std::size_t i = 0; i < out.size(); ++i) out[i] += product[i];
    }
    return out;
}

/// Largest error of one coefficient of a component after one step, in units of 2^-32.
double stated_error(const Parameters& parameters, RotationKernel kernel, bool mask) {
    // Each X^a - 1 at most doubles a variance, and a block sums over its entries.
    const double terms = parameters.block() == 1 ? 1 : 2 * parameters.block();
    const double transform =
        std::sqrt(terms * math::fourier_error_variance(1, parameters.N(), parameters.k(), parameters.mask(),
                                                       parameters.body()));
    const double fourier = 2 + 10 * transform * 4294967296.0;
    const bool packed_key = kernel == RotationKernel::packed || kernel == RotationKernel::tensor ||
                            kernel == RotationKernel::spread;
    if (!packed_key) return fourier;
    // Parts of a key spectrum are rounded to units u: after the inverse transform that is a variance of
    // u^2 / 6 times the digits' second moment in each coefficient. Then increments are rounded twice, and the
    // accumulator to the bits that it keeps.
    const auto digit_square = [](math::Gadget gadget) {
        return gadget.levels * (std::exp2(2 * gadget.base_log) + 2) / 12;
    };
    // With a block key and one body level masks may be as coarse as bodies are (PackedKeyOrder).
    const bool fine = mask && (parameters.block() == 1 || parameters.body().levels > 1);
    const double unit = std::exp2(fine ? backend_gpu::packed_mask_shift : backend_gpu::packed_body_shift);
    const double key =
        std::sqrt(terms * unit * unit / 6 *
                  (parameters.k() * digit_square(parameters.mask()) + digit_square(parameters.body())));
    const int mask_bits = parameters.block() == 1 ? 32 : backend_gpu::packed_mask_bits;
    const int kept = fine ? mask_bits : backend_gpu::packed_body_bits;
    const double rounding =
        std::exp2(32 - backend_gpu::packed_increment_bits) + (kept < 32 ? std::exp2(31 - kept) : 0.0);
    return fourier + rounding + 7 * key;
}

struct FourierCase {
    Instance instance;
    RotationKernel kernel;
    std::string kernel_name;
    std::size_t rotations = 0;
    /// As the card is, as if it had 64 KiB of shared memory and no matrix units, or as if it had one
    /// multiprocessor, so that few rotations fill a block.
    enum class Card : std::uint8_t { own, small, single } card = Card::own;
};
std::ostream& operator<<(std::ostream& out, const FourierCase& fourier) {
    return out << fourier.instance << ", " << fourier.kernel_name;
}

class FourierRotation : public testing::TestWithParam<FourierCase> {};

TEST_P(FourierRotation, AddsTheExactProductUpToItsRounding) {
    const Parameters& parameters = GetParam().instance.parameters;
    TOROID_REQUIRE_INSTANCE(GetParam().instance);
    backend_gpu::RotationLimits limits = LoadedRotation::card_limits();
    if (GetParam().card == FourierCase::Card::single) limits.multiprocessors = 1;
    if (GetParam().card == FourierCase::Card::small) {
        limits = {.shared_bytes = 65536, .multiprocessors = limits.multiprocessors};
    }
    const LoadedRotation loaded(parameters, Transform::fft, limits);
    const RotationKernel kernel = GetParam().kernel;
    if (!loaded.rotation().has_kernel(kernel)) {
        GTEST_SKIP() << parameters.name() << " has no " << GetParam().kernel_name << " kernel on this card";
    }
    const std::size_t count = GetParam().rotations;
    const auto n = static_cast<std::size_t>(parameters.n());
    const auto block = static_cast<std::size_t>(parameters.block());
    const std::size_t steps = n / block;
    auto random = generator(911);
    // Two steps turn by something, the others by nothing. What the kernel itself left after the first is the
    // random accumulator whose exact product the second must add: so no digit can differ.
    std::vector<std::uint16_t> first(count * loaded.width());
    std::vector<std::size_t> second_step(count);
    std::vector<std::uint16_t> both;
    for (std::size_t i = 0; i < count; ++i) {
        const auto row = std::span(first).subspan(i * loaded.width(), loaded.width());
        const std::size_t step = random() % (steps / 2);
        for (std::size_t j = 0; j < block; ++j) row[step * block + j] = any_rotation(parameters, random);
        row[n] = any_rotation(parameters, random);
        second_step[i] = steps / 2 + random() % (steps - steps / 2);
    }
    both = first;
    for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t j = 0; j < block; ++j) {
            both[i * loaded.width() + second_step[i] * block + j] = any_rotation(parameters, random);
        }
    }
    const auto before = loaded.run(first, kernel);
    const auto after = loaded.run(both, kernel);

    // The ends of the batch and some between.
    std::vector<std::size_t> checked;
    for (std::size_t i = 0; i < count; i += i < 9 || i + 9 >= count ? 1 : 1 + count / 16)
        checked.push_back(i);
    std::vector<double> errors(2 * checked.size());  // of masks and of bodies
    const auto N = static_cast<std::size_t>(parameters.N());
    const std::size_t words = loaded.accumulator_words();
    workers().for_each(checked.size(), [&](std::size_t task, unsigned) {
        const std::size_t i = checked[task];
        const auto exact =
            exact_step(parameters, loaded.key(), std::span(before.accumulators).subspan(i * words, words),
                       second_step[i], std::span(both).subspan(i * loaded.width(), n));
        for (std::size_t j = 0; j < words; ++j) {
            const auto error = static_cast<std::int32_t>(after.accumulators[i * words + j] - exact[j]);
            double& largest = errors[2 * task + (j < words - N ? 0 : 1)];
            largest = std::max(largest, std::abs(static_cast<double>(error)));
        }
    });
    double largest[2] = {};
    for (std::size_t i = 0; i < errors.size(); ++i) largest[i % 2] = std::max(largest[i % 2], errors[i]);
    EXPECT_LE(largest[0], stated_error(parameters, kernel, true)) << "masks";
    EXPECT_LE(largest[1], stated_error(parameters, kernel, false)) << "bodies";
    RecordProperty("masks_error", std::to_string(largest[0]));
    RecordProperty("bodies_error", std::to_string(largest[1]));
    // A wrong digit adds whole key words, which are uniform: far outside any bound below this.
    EXPECT_LT(stated_error(parameters, kernel, false), std::exp2(20));
}

std::vector<FourierCase> fourier_cases() {
    using Card = FourierCase::Card;
    // Fills every block of the kernels for full batches on any card up to some 200 multiprocessors, but for
    // the last; on one multiprocessor the second block of two.
    constexpr std::size_t many = 1613;
    constexpr std::size_t two_blocks = 13;
    std::vector<FourierCase> out;
    for (const Instance& instance : reduced_sets()) {
        out.push_back({instance, RotationKernel::general, "general", 11});
        out.push_back({instance, RotationKernel::cluster2, "cluster2", 11});
        out.push_back({instance, RotationKernel::cluster4, "cluster4", 11});
        out.push_back({instance, RotationKernel::cluster8, "cluster8", 11});
        const std::pair<RotationKernel, std::string> full[] = {{RotationKernel::packed, "packed"},
                                                               {RotationKernel::tensor, "tensor"},
                                                               {RotationKernel::spread, "spread"}};
        for (const auto& [kernel, name] : full) {
            out.push_back({instance, kernel, name, many});
            out.push_back({instance, kernel, name + "_two_blocks", two_blocks, Card::single});
        }
        out.push_back({instance, RotationKernel::spread, "spread_pair", 2, Card::single});
        out.push_back({instance, RotationKernel::packed, "packed_on_a_small_card", many, Card::small});
    }
    return out;
}

INSTANTIATE_TEST_SUITE_P(Reduced, FourierRotation, testing::ValuesIn(fourier_cases()), [](const auto& info) {
    return info.param.kernel_name + "_" +
           instance_name(testing::TestParamInfo<Instance>(info.param.instance, info.index));
});

}  // namespace
}  // namespace toroid::tests
