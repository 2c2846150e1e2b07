// SPDX-License-Identifier: Apache-2.0
#include "math/negacyclic.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "support/seed.hpp"
#include "toroid/error.hpp"

namespace toroid::math {
namespace {

using Polynomial = std::vector<std::uint32_t>;

Polynomial uniform(std::size_t size, std::mt19937_64& random) {
    Polynomial out(size);
    for (std::uint32_t& word : out) word = static_cast<std::uint32_t>(random());
    return out;
}

std::vector<std::int8_t> ternary(std::size_t size, std::mt19937_64& random) {
    std::vector<std::int8_t> out(size);
    for (std::int8_t& c : out) c = static_cast<std::int8_t>(static_cast<int>(random() % 3) - 1);
    return out;
}

Polynomial lift(const std::vector<std::int8_t>& key) {
    Polynomial out;
    for (const std::int8_t c : key) out.push_back(static_cast<std::uint32_t>(static_cast<std::int32_t>(c)));
    return out;
}

TEST(Negacyclic, ProductByAMonomialRotatesAndNegates) {
    // (1 + 2X + 3X^2 + 4X^3) X^3 = X^3 - 2 - 3X - 4X^2 mod X^4 + 1.
    Polynomial product(4);
    negacyclic_multiply(Polynomial{1, 2, 3, 4}, Polynomial{0, 0, 0, 1}, product);
    EXPECT_EQ(product, (Polynomial{0U - 2, 0U - 3, 0U - 4, 1}));
    // X^(N-1) * X = -1.
    negacyclic_multiply(Polynomial{0, 0, 0, 1}, Polynomial{0, 1, 0, 0}, product);
    EXPECT_EQ(product, (Polynomial{0U - 1, 0, 0, 0}));
}

TEST(Negacyclic, ProductAgreesWithTheRulesOfARing) {
    auto random = tests::generator(5);
    const std::size_t size = 64;
    const Polynomial a = uniform(size, random);
    const Polynomial b = uniform(size, random);
    const Polynomial c = uniform(size, random);
    Polynomial ab(size), ba(size), ab_c(size), bc(size), a_bc(size);
    negacyclic_multiply(a, b, ab);
    negacyclic_multiply(b, a, ba);
    EXPECT_EQ(ab, ba);
    negacyclic_multiply(ab, c, ab_c);
    negacyclic_multiply(b, c, bc);
    negacyclic_multiply(a, bc, a_bc);
    EXPECT_EQ(ab_c, a_bc);
}

TEST(Negacyclic, SmallKeyProductEqualsSchoolbook) {
    auto random = tests::generator(6);
    for (const std::size_t size : {4U, 8U, 16U, 256U, 512U, 1024U, 2048U}) {
        const Polynomial a = uniform(size, random);
        const std::vector<std::int8_t> key = ternary(size, random);
        const Polynomial start = uniform(size, random);
        Polynomial expected(size);
        negacyclic_multiply(a, lift(key), expected);
        for (std::size_t i = 0; i < size; ++i) expected[i] += start[i];
        Polynomial sum = start;
        negacyclic_add_product(a, key, sum);
        EXPECT_EQ(sum, expected) << "N = " << size;
    }
}

TEST(Negacyclic, SmallKeyProductAtTheEnds) {
    for (const int coefficient : {-1, 0, 1}) {
        const std::vector<std::int8_t> key(16, static_cast<std::int8_t>(coefficient));
        for (const std::uint32_t word : {0U, 1U, 0x7fffffffU, 0x80000000U, 0xffffffffU}) {
            Polynomial expected(16);
            negacyclic_multiply(Polynomial(16, word), lift(key), expected);
            Polynomial sum(16);
            negacyclic_add_product(Polynomial(16, word), key, sum);
            EXPECT_EQ(sum, expected) << coefficient << " times " << word;
        }
    }
}

TEST(Negacyclic, AccumulatorMayAliasTheInput) {
    auto random = tests::generator(7);
    const Polynomial a = uniform(32, random);
    const std::vector<std::int8_t> key = ternary(32, random);
    Polynomial expected = a;
    negacyclic_add_product(a, key, expected);
    Polynomial aliased = a;
    negacyclic_add_product(aliased, key, aliased);
    EXPECT_EQ(aliased, expected);
}

TEST(Negacyclic, InnerProduct) {
    auto random = tests::generator(8);
    const Polynomial a = uniform(333, random);
    const std::vector<std::int8_t> key = ternary(333, random);
    std::uint32_t expected = 0;
    for (std::size_t i = 0; i < a.size(); ++i) expected += key[i] == 1 ? a[i] : key[i] == -1 ? 0U - a[i] : 0U;
    EXPECT_EQ(inner_product(a, key), expected);
}

TEST(Negacyclic, RefusesSizesThatDiffer) {
    Polynomial a(8), out(8), short_out(4), six(6);
    const std::vector<std::int8_t> key(8), six_key(6);
    EXPECT_THROW(negacyclic_multiply(a, short_out, out), Error);
    EXPECT_THROW(negacyclic_multiply(a, a, short_out), Error);
    EXPECT_THROW(negacyclic_add_product(a, key, short_out), Error);
    EXPECT_THROW(negacyclic_add_product(six, six_key, six), Error);
    EXPECT_THROW(static_cast<void>(inner_product(short_out, key)), Error);
}

}  // namespace
}  // namespace toroid::math
