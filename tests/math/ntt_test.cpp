// SPDX-License-Identifier: Apache-2.0
#include "math/ntt.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "math/negacyclic.hpp"
#include "support/expect_error.hpp"
#include "support/seed.hpp"

namespace toroid::tests {
namespace {

using math::multiply_modulo;
using math::Ntt;
using math::ntt_primes;

class NttOfRing : public testing::TestWithParam<int> {};

/// Leaf i is the value at psi^leaf_exponents[i], by Horner's rule.
TEST_P(NttOfRing, LeavesAreValuesAtTheRoots) {
    auto random = generator(61);
    for (const std::size_t index : {0, 1}) {
        const Ntt ntt(GetParam(), index);
        const std::uint32_t prime = ntt.modulus().prime;
        const auto ring = static_cast<std::size_t>(GetParam());
        std::vector<std::uint32_t> coefficients(ring);
        for (std::uint32_t& c : coefficients) c = static_cast<std::uint32_t>(random() % prime);
        std::vector<std::uint32_t> leaves = coefficients;
        ntt.forward(leaves);
        // Roots are in Montgomery form, times 2^32.
        const std::uint32_t from_montgomery = math::inverse_modulo(ntt.modulus().one, prime);
        const auto root = [&](std::size_t e) {
            return multiply_modulo(ntt.roots()[e], from_montgomery, prime);
        };
        EXPECT_EQ(root(0), 1U);
        EXPECT_EQ(root(ring), prime - 1) << "psi^N is -1";
        std::vector<bool> seen(2 * ring);
        for (std::size_t i = 0; i < ring; i += i < 4 ? 1 : 1 + ring / 12) {
            const std::size_t exponent = ntt.leaf_exponents()[i];
            EXPECT_EQ(exponent % 2, 1U);
            EXPECT_FALSE(seen[exponent]) << "two leaves at one root";
            seen[exponent] = true;
            std::uint32_t value = 0;
            for (std::size_t j = ring; j-- > 0;) {
                value = (multiply_modulo(value, root(exponent), prime) + coefficients[j]) % prime;
            }
            EXPECT_EQ(leaves[i], value) << "leaf " << i << " modulo " << prime;
        }
        ntt.inverse(leaves);
        const auto scale = static_cast<std::uint32_t>(GetParam());
        for (std::size_t j = 0; j < ring; ++j) {
            ASSERT_EQ(leaves[j], multiply_modulo(coefficients[j], scale, prime)) << j;
        }
    }
}

/// Digits times a loaded key polynomial, leaf by leaf with one Montgomery reduction, are the product.
TEST_P(NttOfRing, ProductsWithALoadedKeyAreExact) {
    auto random = generator(62);
    const auto ring = static_cast<std::size_t>(GetParam());
    std::vector<std::uint32_t> key(ring);
    for (std::uint32_t& word : key) word = static_cast<std::uint32_t>(random());
    std::vector<std::uint32_t> digits(ring);
    for (std::uint32_t& digit : digits) digit = static_cast<std::uint32_t>(random() % 1024) - 512;
    // The largest values at once.
    key[0] = 0x80000000U;
    digits[0] = 0U - 512;
    std::vector<std::uint32_t> residues[2];
    for (const std::size_t index : {0, 1}) {
        const Ntt ntt(GetParam(), index);
        const math::NttModulus modulus = ntt.modulus();
        std::vector<std::uint32_t> leaves(ring);
        ntt.load_key(key, leaves);
        std::vector<std::uint32_t> values(ring);
        for (std::size_t j = 0; j < ring; ++j) {
            const auto digit = static_cast<std::int32_t>(digits[j]);
            values[j] = digit < 0 ? digits[j] + modulus.prime : digits[j];
        }
        ntt.forward(values);
        for (std::size_t i = 0; i < ring; ++i) {
            const std::uint64_t product = std::uint64_t{values[i]} * leaves[i];
            const std::uint32_t quotient = static_cast<std::uint32_t>(product) * modulus.negated_inverse;
            values[i] =
                static_cast<std::uint32_t>((product + std::uint64_t{quotient} * modulus.prime) >> 32) %
                modulus.prime;
        }
        ntt.inverse(values);
        residues[index] = values;
    }
    std::vector<std::uint32_t> expected(ring);
    math::negacyclic_multiply(digits, key, expected);
    for (std::size_t j = 0; j < ring; ++j) {
        ASSERT_EQ(math::combine_residues(residues[0][j], residues[1][j]), expected[j]) << j;
    }
}

INSTANTIATE_TEST_SUITE_P(Rings, NttOfRing, testing::Values(64, 128, 512, 1024, 2048, 32768),
                         testing::PrintToStringParamName());

TEST(Ntt, ResiduesGiveEverySumWithinTheBound) {
    const std::int64_t limit = (std::int64_t{ntt_primes[1]} / 2 - 1) * ntt_primes[0];
    auto random = generator(63);
    std::vector<std::int64_t> sums{0, 1, -1, ntt_primes[0], -std::int64_t{ntt_primes[0]}, ntt_primes[1]};
    for (const std::int64_t edge : {limit - 1, limit - 2, 1 - limit, 2 - limit}) sums.push_back(edge);
    for (int i = 0; i < 1000; ++i) {
        sums.push_back(static_cast<std::int64_t>(random() % (2 * static_cast<std::uint64_t>(limit))) - limit);
    }
    for (const std::int64_t sum : sums) {
        const auto residue = [&](std::uint32_t prime) {
            const std::int64_t rest = sum % std::int64_t{prime};
            return static_cast<std::uint32_t>(rest < 0 ? rest + prime : rest);
        };
        EXPECT_EQ(math::combine_residues(residue(ntt_primes[0]), residue(ntt_primes[1])),
                  static_cast<std::uint32_t>(static_cast<std::uint64_t>(sum)))
            << sum;
    }
}

TEST(Ntt, RefusesWhatItCannotHold) {
    using math::ntt_refusal;
    EXPECT_EQ(ntt_refusal({512, 2, {8, 2}, {7, 2}, 1}), "");
    EXPECT_EQ(ntt_refusal({1024, 1, {6, 3}, {6, 3}, 1}), "");
    EXPECT_EQ(ntt_refusal({512, 3, {10, 2}, {10, 2}, 3}), "");
    EXPECT_NE(ntt_refusal({32, 2, {8, 2}, {7, 2}, 1}).find("32"), std::string::npos);
    EXPECT_NE(ntt_refusal({65536, 2, {8, 2}, {7, 2}, 1}).find("65536"), std::string::npos);
    EXPECT_NE(ntt_refusal({96, 2, {8, 2}, {7, 2}, 1}).find("96"), std::string::npos);
    EXPECT_NE(ntt_refusal({512, 4, {4, 3}, {5, 1}, 1}).find("13"), std::string::npos);
    // 2^31 2^9 (2^15 + 2^15) = 2^56 for one step, 2^59.6 for a block of 6.
    EXPECT_EQ(ntt_refusal({512, 1, {16, 1}, {16, 1}, 1}), "");
    EXPECT_NE(ntt_refusal({512, 1, {16, 1}, {16, 1}, 6}).find("2^59.5"), std::string::npos);
    // Just below and just above the bound of 2^58.997.
    EXPECT_EQ(ntt_refusal({2048, 1, {16, 1}, {16, 1}, 1}), "");
    EXPECT_NE(ntt_refusal({4096, 1, {16, 1}, {16, 1}, 1}), "");
    expect_error(ErrorKind::internal, {"48"}, [] { static_cast<void>(Ntt(48, 0)); });
}

}  // namespace
}  // namespace toroid::tests
