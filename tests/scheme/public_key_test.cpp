// SPDX-License-Identifier: Apache-2.0
// What needs no secret key: the file. Encryption and noise are tested beside the secret key.
#include "scheme/public_key.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "support/damaged_files.hpp"
#include "support/seed.hpp"
#include "support/temporary_folder.hpp"
#include "support/toy_parameters.hpp"
#include "toroid/error.hpp"

namespace toroid::scheme {
namespace {

Parameters toy(GateOrder order) {
    auto literal = tests::toy_literal();
    literal.order = order;
    if (order == GateOrder::bootstrap_first) {
        literal.lwe.std_log2 = -17;
        literal.key_switch = {.gadget = {.base_log = 3, .levels = 5}, .modulus_log = 32};
    }
    return Parameters(literal);
}

PublicKey random_key(GateOrder order) {
    const Parameters parameters = toy(order);
    auto generator = tests::generator(0xbc);
    base::AlignedVector<std::uint32_t> bodies(static_cast<std::size_t>(parameters.wire_dimension()));
    std::ranges::generate(bodies, [&] { return static_cast<std::uint32_t>(generator()); });
    base::KeyId id{};
    std::ranges::generate(id, [&] { return static_cast<std::byte>(generator()); });
    base::MaskSeed seed{};
    std::ranges::generate(seed, [&] { return static_cast<std::byte>(generator()); });
    return {parameters, id, seed, std::move(bodies)};
}

class PublicKeyFile : public testing::TestWithParam<GateOrder> {};
INSTANTIATE_TEST_SUITE_P(Orders, PublicKeyFile,
                         testing::Values(GateOrder::key_switch_first, GateOrder::bootstrap_first));

TEST_P(PublicKeyFile, HoldsTheWholeKey) {
    const tests::TemporaryFolder folder;
    const PublicKey key = random_key(GetParam());
    key.save(folder / "public.key");
    const PublicKey loaded = PublicKey::load(folder / "public.key");
    EXPECT_EQ(loaded.key_id(), key.key_id());
    EXPECT_EQ(loaded.parameters().fingerprint(), key.parameters().fingerprint());
    loaded.save(folder / "again.key");
    EXPECT_EQ(tests::read_bytes(folder / "again.key"), tests::read_bytes(folder / "public.key"));
    // The same randomness gives the same ciphertexts.
    tests::SeededSources one(3);
    tests::SeededSources other(3);
    const std::vector<bool> bits{true, false, true};
    const LweArray a = key.encrypt(bits, one);
    const LweArray b = loaded.encrypt(bits, other);
    for (std::size_t i = 0; i < bits.size(); ++i) EXPECT_TRUE(std::ranges::equal(a[i], b[i]));
}

TEST_P(PublicKeyFile, DamageIsRefused) {
    const tests::TemporaryFolder folder;
    random_key(GetParam()).save(folder / "public.key");
    tests::expect_refuses_damage(tests::read_bytes(folder / "public.key"),
                                 [](const std::filesystem::path& path) { (void)PublicKey::load(path); });
}

TEST_P(PublicKeyFile, SizesAreChecked) {
    const Parameters parameters = toy(GetParam());
    EXPECT_THROW(PublicKey(parameters, {}, {}, base::AlignedVector<std::uint32_t>(3)), Error);
    std::vector<std::uint32_t> row(static_cast<std::size_t>(parameters.wire_dimension()));
    const int rows = GetParam() == GateOrder::key_switch_first ? parameters.k() : parameters.n();
    EXPECT_NO_THROW(expand_public_row(parameters, {}, rows - 1, row));
    EXPECT_THROW(expand_public_row(parameters, {}, rows, row), Error);
    EXPECT_THROW(expand_public_row(parameters, {}, -1, row), Error);
    EXPECT_THROW(expand_public_row(parameters, {}, 0, std::span(row).first(row.size() - 1)), Error);
}

}  // namespace
}  // namespace toroid::scheme
