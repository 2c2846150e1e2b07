// SPDX-License-Identifier: Apache-2.0
// The exact transform of every instruction set: accumulators after whole blind rotations are the reference's,
// bit for bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "backend_cpu/cpu_backend.hpp"
#include "backend_cpu/instruction_set.hpp"
#include "backend_reference/reference_backend.hpp"
#include "client/secret_key.hpp"
#include "support/expect_error.hpp"
#include "support/seed.hpp"
#include "support/toy_parameters.hpp"

namespace toroid::tests {
namespace {

using backend::Transform;
using backend_cpu::KernelTable;
using scheme::Parameters;

struct Case {
    std::string name;
    int ring;
    int k;
    math::Gadget mask;
    math::Gadget body;
    int n;
    int block;
    bool bootstrap_first;
};

/// Rings with an odd and an even number of stages, k = 1 to 4, uneven levels, twelve rows, uniform and block
/// keys, both gate orders.
const std::vector<Case> cases{
    {"tfhe128", 512, 2, {8, 2}, {7, 2}, 8, 1, false},
    {"tfhe128_block", 512, 2, {8, 2}, {7, 2}, 9, 3, false},
    {"wide_block_first", 512, 2, {6, 3}, {7, 2}, 8, 2, true},
    {"tfhepp_128bit", 1024, 1, {6, 3}, {6, 3}, 4, 1, true},
    {"tfhers_default", 512, 3, {10, 2}, {10, 2}, 4, 1, true},
    {"ring64", 64, 4, {9, 2}, {7, 3}, 15, 1, false},
    {"ring128_block", 128, 3, {8, 3}, {7, 3}, 12, 4, false},
    {"ring2048", 2048, 1, {8, 1}, {7, 1}, 3, 1, false},
    {"one_level", 256, 2, {14, 1}, {15, 1}, 6, 1, false},
};

Parameters parameters_of(const Case& sizes) {
    scheme::ParametersLiteral literal = toy_literal("ntt_" + sizes.name);
    literal.lwe.dimension = sizes.n;
    if (sizes.block > 1) {
        literal.lwe.key = scheme::KeyDistribution::block_binary;
        literal.lwe.block = sizes.block;
    }
    if (sizes.bootstrap_first) {
        literal.order = scheme::GateOrder::bootstrap_first;
        literal.glwe.key = scheme::KeyDistribution::binary;
        literal.key_switch = {.gadget = {.base_log = 3, .levels = 5}, .modulus_log = 32};
    }
    literal.glwe.ring_dimension = sizes.ring;
    literal.glwe.glwe_dimension = sizes.k;
    literal.mask = sizes.mask;
    literal.body = sizes.body;
    return Parameters(literal);
}

scheme::EvaluationKey key_of(const Parameters& parameters) {
    SeededSources random(81);
    base::ThreadPool pool;
    return client::make_evaluation_key(client::SecretKey::generate(parameters, random, true), random, pool,
                                       {});
}

std::vector<std::uint16_t> random_rows(const Parameters& parameters, std::size_t count) {
    auto random = generator(82);
    std::vector<std::uint16_t> rows(count * (static_cast<std::size_t>(parameters.n()) + 1));
    for (std::uint16_t& value : rows) {
        value = static_cast<std::uint16_t>(random() % static_cast<std::uint64_t>(2 * parameters.N()));
    }
    rows[0] = 0;
    return rows;
}

class NttRotation : public testing::TestWithParam<std::tuple<const KernelTable*, Case>> {};

TEST_P(NttRotation, EqualsTheReferenceBitForBit) {
    const auto& [kernels, sizes] = GetParam();
    if (const std::string absent = backend_cpu::absence_reason(*kernels); !absent.empty())
        GTEST_SKIP() << absent;
    const Parameters parameters = parameters_of(sizes);
    const scheme::EvaluationKey evaluation = key_of(parameters);
    const auto exact =
        backend_cpu::make_backend(*kernels, {.threads = 1, .transform = Transform::ntt})->load(evaluation);
    const auto reference = backend_reference::entry().make({})->load(evaluation);
    const auto rows = random_rows(parameters, 3);
    EXPECT_EQ(exact->probe_accumulators(rows), reference->probe_accumulators(rows));
}

INSTANTIATE_TEST_SUITE_P(All, NttRotation,
                         testing::Combine(testing::ValuesIn(backend_cpu::compiled_kernels()),
                                          testing::ValuesIn(cases)),
                         [](const auto& info) {
                             return std::string(std::get<0>(info.param)->name) + "_" +
                                    std::get<1>(info.param).name;
                         });

/// Whole LWE keys: hundreds of steps, so that an error of one word anywhere spreads.
class NttOfNamedSet : public testing::TestWithParam<std::string> {};

TEST_P(NttOfNamedSet, EqualsTheReferenceBitForBit) {
    const Parameters& parameters = scheme::named_parameters(GetParam());
    const scheme::EvaluationKey evaluation = key_of(parameters);
    const auto cpu = backend_cpu::make_backend(backend_cpu::choose_kernels(std::nullopt),
                                               {.threads = 1, .transform = Transform::ntt});
    const auto reference = backend_reference::entry().make({})->load(evaluation);
    const auto rows = random_rows(parameters, 1);
    EXPECT_EQ(cpu->load(evaluation)->probe_accumulators(rows), reference->probe_accumulators(rows));
}

INSTANTIATE_TEST_SUITE_P(Sets, NttOfNamedSet, testing::Values("tfhe128", "tfhe128-fast"),
                         [](const auto& info) {
                             std::string name = info.param;
                             std::ranges::replace(name, '-', '_');
                             return name;
                         });

TEST(NttBackend, SaysWhichTransformRuns) {
    const KernelTable& portable = backend_cpu::choose_kernels("portable");
    const auto description = [&](Transform transform) {
        return backend_cpu::make_backend(portable, {.threads = 2, .transform = transform})->description();
    };
    EXPECT_EQ(description(Transform::ntt), "cpu portable, ntt, 2 threads");
    EXPECT_EQ(description(Transform::fft), "cpu portable, fft, 2 threads");
    EXPECT_EQ(description(Transform::automatic), "cpu portable, fft, 2 threads");
}

TEST(NttBackend, TakesEveryNamedSetAndRefusesWhatItsPrimesCannotHold) {
    const KernelTable& portable = backend_cpu::choose_kernels("portable");
    const auto exact = backend_cpu::make_backend(portable, {.threads = 1, .transform = Transform::ntt});
    for (const Parameters& parameters : scheme::named_parameters()) {
        EXPECT_EQ(exact->unsupported_reason(parameters), "") << parameters.name();
    }
    const Parameters rows = parameters_of({"thirteen_rows", 64, 5, {6, 2}, {7, 3}, 4, 1, false});
    EXPECT_NE(exact->unsupported_reason(rows).find("13"), std::string::npos);
    expect_error(ErrorKind::parameters, {"12 rows", "13"},
                 [&] { static_cast<void>(exact->load(key_of(rows))); });
    const auto fourier = backend_cpu::make_backend(portable, {.threads = 1, .transform = Transform::fft});
    EXPECT_EQ(fourier->unsupported_reason(rows), "");
}

TEST(NttBackend, TheReferenceHasNoTransformToChoose) {
    const Parameters parameters = parameters_of(cases.front());
    for (const Transform transform : {Transform::fft, Transform::ntt}) {
        const auto backend = backend_reference::entry().make({.transform = transform});
        EXPECT_NE(backend->unsupported_reason(parameters).find("without a transform"), std::string::npos);
    }
}

}  // namespace
}  // namespace toroid::tests
