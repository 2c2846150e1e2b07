// SPDX-License-Identifier: Apache-2.0
// The device code of the exact blind rotation, run on the host: a block of threads whose tasks come in any
// order between two barriers must give the reference's accumulator bit for bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "backend_gpu/rotation/ntt_key_layout.hpp"
#include "backend_reference/blind_rotation.hpp"
#include "backend_reference/sample_extraction.hpp"
#include "base/aligned_vector.hpp"
#include "client/secret_key.hpp"
#include "support/seed.hpp"
#include "support/toy_parameters.hpp"

namespace toroid::tests {
namespace {

using backend_gpu::NttArguments;
using backend_gpu::NttBlock;
using backend_gpu::NttKeyLayout;
using scheme::Parameters;

/// Runs the tasks of a phase in a shuffled order: tasks of one phase must not depend on each other.
class ShufflingTeam {
 public:
    explicit ShufflingTeam(std::mt19937_64& random) : random_(&random) {}
    template <typename Task>
    void for_each(int count, const Task& task) const {
        std::vector<int> order(static_cast<std::size_t>(count));
        std::iota(order.begin(), order.end(), 0);
        // A few swaps upset the order of neighbours and of far ones, at little cost.
        for (int swap = 0; swap < 32 && count > 1; ++swap) {
            std::swap(order[(*random_)() % order.size()], order[(*random_)() % order.size()]);
        }
        if ((*random_)() % 2 == 0) std::ranges::reverse(order);
        for (const int i : order) task(i);
    }

 private:
    std::mt19937_64* random_;
};

struct Case {
    std::string name;
    int ring;
    int k;
    math::Gadget mask;
    math::Gadget body;
    int n;
    int block;
};

/// Rings with an odd and an even number of stages, k = 1 to 4, uneven levels, uniform and block keys.
const std::vector<Case> cases{
    {"tfhe128", 512, 2, {8, 2}, {7, 2}, 5, 1},          {"tfhe128_block", 512, 2, {8, 2}, {7, 2}, 6, 3},
    {"wide_block", 512, 2, {6, 3}, {7, 2}, 4, 2},       {"tfhepp_128bit", 1024, 1, {6, 3}, {6, 3}, 3, 1},
    {"tfhers_default", 512, 3, {10, 2}, {10, 2}, 3, 1}, {"ring64", 64, 4, {9, 2}, {7, 3}, 9, 1},
    {"ring256_block", 256, 3, {8, 1}, {9, 2}, 8, 4},    {"ring2048", 2048, 1, {8, 1}, {7, 1}, 2, 1},
    {"one_level", 128, 2, {14, 1}, {15, 1}, 6, 1},
};

Parameters parameters_of(const Case& sizes) {
    scheme::ParametersLiteral literal = toy_literal("ntt_" + sizes.name);
    literal.lwe.dimension = sizes.n;
    if (sizes.block > 1) {
        literal.lwe.key = scheme::KeyDistribution::block_binary;
        literal.lwe.block = sizes.block;
    }
    literal.glwe.ring_dimension = sizes.ring;
    literal.glwe.glwe_dimension = sizes.k;
    literal.mask = sizes.mask;
    literal.body = sizes.body;
    return Parameters(literal);
}

class NttBlockOf : public testing::TestWithParam<Case> {};

TEST_P(NttBlockOf, EqualsTheReferenceBitForBit) {
    const Parameters parameters = parameters_of(GetParam());
    SeededSources sources(71);
    base::ThreadPool pool(1);
    const auto secret = client::SecretKey::generate(parameters, sources, true);
    const auto key = client::make_evaluation_key(secret, sources, pool, {});
    const math::NttSizes sizes{parameters.N(), parameters.k(), parameters.mask(), parameters.body(),
                               parameters.block()};
    ASSERT_EQ(math::ntt_refusal(sizes), "");
    const NttKeyLayout layout(sizes, parameters.n());
    base::AlignedVector<std::byte> loaded(layout.bytes());
    layout.build([&](int i, int r, std::span<std::uint32_t> words) { key.glwe_row(i, r, words); }, pool,
                 loaded);

    auto random = generator(72);
    constexpr std::size_t rotations = 2;
    const auto width = static_cast<std::size_t>(parameters.n()) + 1;
    std::vector<std::uint16_t> switched(rotations * width);
    for (std::uint16_t& value : switched) {
        value = static_cast<std::uint16_t>(random() % static_cast<std::uint64_t>(2 * parameters.N()));
    }
    switched[0] = 0;
    const auto words = static_cast<std::size_t>((parameters.k() + 1) * parameters.N());
    const auto sample_words = static_cast<std::size_t>(parameters.extracted_dimension()) + 1;
    const std::size_t stride = sample_words + 3;
    std::vector<std::uint32_t> accumulators(rotations * words);
    std::vector<std::uint32_t> samples(rotations * stride, 77U);
    NttArguments arguments = layout.arguments(loaded.data());
    arguments.switched = switched.data();
    arguments.accumulators = accumulators.data();
    arguments.samples = samples.data();
    arguments.sample_stride = static_cast<std::int64_t>(stride);
    const backend_reference::BlindRotation reference(key);
    for (std::size_t i = 0; i < rotations; ++i) {
        std::vector<std::uint32_t> shared(static_cast<std::size_t>(layout.shared_bytes()) / 4, 0xA5A5A5A5U);
        NttBlock(arguments, ShufflingTeam(random), shared.data(), static_cast<std::int64_t>(i)).run();
        std::vector<std::uint32_t> expected(words);
        reference.apply(std::span(switched).subspan(i * width, width), expected);
        EXPECT_TRUE(std::ranges::equal(std::span(accumulators).subspan(i * words, words), expected));
        std::vector<std::uint32_t> sample(sample_words);
        backend_reference::extract_sample(expected, parameters.N(), sample);
        EXPECT_TRUE(std::ranges::equal(std::span(samples).subspan(i * stride, sample_words), sample));
        EXPECT_EQ(samples[i * stride + sample_words], 77U) << "beyond the sample";
    }
}

INSTANTIATE_TEST_SUITE_P(Shapes, NttBlockOf, testing::ValuesIn(cases),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace toroid::tests
