// SPDX-License-Identifier: Apache-2.0
// Which backends this build has, and that the one asked for is the one that runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>

#include "api/evaluation/backend_table.hpp"
#include "contract/workbench.hpp"

namespace toroid::tests {
namespace {

TEST(ContractTable, ExpectedBackendsArePresent) {
    const auto expected = expected_backends();
    if (expected.empty()) GTEST_SKIP() << "TOROID_EXPECT_BACKENDS names no backend";
    for (const std::string& name : expected) {
        ASSERT_NO_THROW((void)api::backend_table().find(name));
        EXPECT_EQ(api::backend_table().find(name).absence_reason(), "") << name;
    }
}

TEST(ContractTable, HostBackendsAreAlwaysPresentAndTakeEveryNamedSet) {
    for (const std::string name : {"cpu", "reference"}) {
        ASSERT_EQ(api::backend_table().find(name).absence_reason(), "");
        for (const scheme::Parameters& set : scheme::named_parameters()) {
            EXPECT_EQ(test_backend(name).unsupported_reason(set), "") << name << " with " << set.name();
        }
    }
}

class WhichRan : public testing::TestWithParam<Instance> {};

TEST_P(WhichRan, NameAndStepsSaySo) {
    TOROID_REQUIRE_INSTANCE(GetParam());
    const backend::Backend& made = test_backend(GetParam().backend);
    EXPECT_EQ(made.name(), backend_of(GetParam().backend));
    EXPECT_THAT(made.description(), testing::HasSubstr(backend_of(GetParam().backend)));
    EXPECT_GT(made.seconds_per_bootstrap(GetParam().parameters), 0);
    EXPECT_GE(made.parallel_width(GetParam().parameters), 1U);

    Workbench bench(GetParam(), 3);
    EXPECT_EQ(bench.parameters().fingerprint(), GetParam().parameters.fingerprint());
    EXPECT_EQ(bench.key().key_id(), bench.secrets().evaluation.key_id());
    EXPECT_GE(bench.key().full_batch(), 1U);
    EXPECT_EQ(bench.pool().slots(), 3U);
    const auto wire_bytes = static_cast<std::uint64_t>(bench.parameters().wire_dimension() + 1) * 4;
    EXPECT_GE(bench.pool().bytes(), 3 * wire_bytes);

    bench.encrypt(0, {true, true});
    BatchBuilder gates;
    gates.add(gate_kind("NAND"), std::array{0U, 1U}, 2);
    backend::StepSeconds seconds;
    bench.run(gates.batch(), &seconds);
    EXPECT_FALSE(bench.decrypt(2));
    // No backend can have done these steps without spending time on them; one may do neighbours in one pass,
    // as the GPU does with a blind rotation and the extraction of its sample.
    EXPECT_GT(seconds.linear + seconds.key_switch + seconds.modulus_switch, 0);
    EXPECT_GT(seconds.key_switch, 0);
    EXPECT_GT(seconds.blind_rotation, 0);
    const double blind_rotation = seconds.blind_rotation;
    bench.run(gates.batch(), &seconds);
    EXPECT_GT(seconds.blind_rotation, blind_rotation) << "seconds are summed, not replaced";
}

class KeySize : public testing::TestWithParam<Instance> {};

TEST_P(KeySize, StaysNearTheFourierForm) {
    TOROID_REQUIRE_INSTANCE(GetParam());
    const auto key = loaded_key(GetParam());
    const scheme::Parameters& set = key->parameters();
    const double ggsw_words = static_cast<double>(set.rows()) * (set.k() + 1) * set.N();
    const double key_switch_words =
        static_cast<double>(set.extracted_dimension()) * set.key_switch_gadget().levels * (set.n() + 1);
    const double word_bytes = set.key_switch_modulus_log() == 16 ? 2 : 4;
    const double fourier = set.n() * ggsw_words * 8 + key_switch_words * word_bytes;
    const double bytes = static_cast<double>(key->bytes()) / devices_of(GetParam().backend);
    EXPECT_GE(bytes, fourier / 4);
    // The GPU keeps a second layout of half the size, for the kernel of large batches, and with three mask
    // levels and a block key a third of three quarters.
    const bool tensor = set.block() > 1 && set.mask().levels > 2;
    const double largest = backend_of(GetParam().backend) != "cuda" ? 1.2 : tensor ? 2.4 : 1.7;
    EXPECT_LE(bytes, largest * fourier);
}

INSTANTIATE_TEST_SUITE_P(Reduced, WhichRan, testing::ValuesIn(reduced_instances(4)), instance_name);
INSTANTIATE_TEST_SUITE_P(Full, WhichRan, testing::ValuesIn(full_instances()), instance_name);
INSTANTIATE_TEST_SUITE_P(Full, KeySize, testing::ValuesIn(full_instances()), instance_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(WhichRan);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(KeySize);

}  // namespace
}  // namespace toroid::tests
