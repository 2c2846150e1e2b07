// SPDX-License-Identifier: Apache-2.0
#include "scheme/evaluation_key.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

#include "support/damaged_files.hpp"
#include "support/seed.hpp"
#include "support/temporary_folder.hpp"
#include "support/toy_parameters.hpp"
#include "toroid/error.hpp"

namespace toroid::scheme {
namespace {

/// A key of random bodies: what this class does with them does not depend on their meaning.
EvaluationKey random_key(const Parameters& parameters, std::uint64_t purpose) {
    auto generator = tests::generator(purpose);
    base::AlignedVector<std::uint32_t> bootstrapping(bootstrapping_body_words(parameters));
    for (auto& word : bootstrapping) word = static_cast<std::uint32_t>(generator());
    base::AlignedVector<std::uint32_t> key_switching(key_switching_body_words(parameters));
    for (auto& word : key_switching)
        word = static_cast<std::uint32_t>(generator()) >> (32 - parameters.key_switch_modulus_log());
    base::KeyId id{};
    std::ranges::generate(id, [&] { return static_cast<std::byte>(generator()); });
    base::MaskSeed seed{};
    std::ranges::generate(seed, [&] { return static_cast<std::byte>(generator()); });
    return {parameters, id, seed, std::move(bootstrapping), std::move(key_switching)};
}

Parameters toy(int modulus_log = 16) {
    auto literal = tests::toy_literal();
    literal.key_switch.modulus_log = modulus_log;
    return Parameters(literal);
}

std::vector<std::uint32_t> glwe_row(const EvaluationKey& key, int i, int r) {
    std::vector<std::uint32_t> row(
        static_cast<std::size_t>((key.parameters().k() + 1) * key.parameters().N()));
    key.glwe_row(i, r, row);
    return row;
}

std::vector<std::uint32_t> lwe_sample(const EvaluationKey& key, int j, int l) {
    std::vector<std::uint32_t> sample(static_cast<std::size_t>(key.parameters().n()) + 1);
    key.lwe_sample(j, l, sample);
    return sample;
}

void expect_equal(const EvaluationKey& a, const EvaluationKey& b) {
    const Parameters& parameters = a.parameters();
    EXPECT_EQ(parameters.fingerprint(), b.parameters().fingerprint());
    EXPECT_EQ(parameters.name(), b.parameters().name());
    EXPECT_EQ(a.key_id(), b.key_id());
    EXPECT_EQ(a.seed(), b.seed());
    for (int i = 0; i < parameters.n(); ++i)
        for (int r = 0; r < parameters.rows(); ++r) ASSERT_EQ(glwe_row(a, i, r), glwe_row(b, i, r));
    for (int j = 0; j < parameters.extracted_dimension(); ++j)
        for (int l = 0; l < parameters.key_switch_gadget().levels; ++l)
            ASSERT_EQ(lwe_sample(a, j, l), lwe_sample(b, j, l));
}

TEST(EvaluationKey, MasksAreTheStreamsThatTheHeaderNames) {
    for (const int modulus_log : {16, 32}) {
        const Parameters parameters = toy(modulus_log);
        const EvaluationKey key = random_key(parameters, 1);
        const std::size_t masks = static_cast<std::size_t>(parameters.extracted_dimension());
        std::vector<std::uint32_t> expected(masks);
        base::MaskStream(key.seed(), static_cast<std::uint64_t>(7 * parameters.rows() + 3))
            .fill(std::span(expected));
        const auto row = glwe_row(key, 7, 3);
        EXPECT_TRUE(std::ranges::equal(expected, std::span(row).first(masks)));

        const int sample_stream =
            parameters.n() * parameters.rows() + 100 * parameters.key_switch_gadget().levels + 5;
        base::MaskStream stream(key.seed(), static_cast<std::uint64_t>(sample_stream));
        std::vector<std::uint32_t> mask(static_cast<std::size_t>(parameters.n()));
        if (modulus_log == 16) {
            std::vector<std::uint16_t> halves(mask.size());
            stream.fill(std::span(halves));
            std::ranges::copy(halves, mask.begin());
        } else {
            stream.fill(std::span(mask));
        }
        const auto sample = lwe_sample(key, 100, 5);
        EXPECT_TRUE(std::ranges::equal(mask, std::span(sample).first(mask.size())));
    }
}

TEST(EvaluationKey, LongMasksAreOneStream) {
    // Longer than the piece in which 16-bit masks are expanded.
    auto literal = tests::toy_literal();
    literal.lwe.dimension = 1500;
    const Parameters parameters(literal);
    std::vector<std::uint32_t> mask(1500);
    const base::MaskSeed seed{std::byte{1}};
    expand_lwe_mask(parameters, seed, 0, 0, mask);
    std::vector<std::uint16_t> halves(1500);
    base::MaskStream(seed, static_cast<std::uint64_t>(1500 * parameters.rows())).fill(std::span(halves));
    EXPECT_TRUE(std::ranges::equal(mask, halves));
}

TEST(EvaluationKey, IndicesAndSizesAreChecked) {
    const Parameters parameters = toy();
    const EvaluationKey key = random_key(parameters, 2);
    std::vector<std::uint32_t> row(static_cast<std::size_t>((parameters.k() + 1) * parameters.N()));
    std::vector<std::uint32_t> sample(static_cast<std::size_t>(parameters.n()) + 1);
    for (const auto& [i, r] : {std::pair{-1, 0}, {parameters.n(), 0}, {0, -1}, {0, parameters.rows()}})
        EXPECT_THROW(key.glwe_row(i, r, row), Error);
    for (const auto& [j, l] : {std::pair{-1, 0}, {parameters.extracted_dimension(), 0}, {0, -1}, {0, 6}})
        EXPECT_THROW(key.lwe_sample(j, l, sample), Error);
    EXPECT_THROW(key.glwe_row(0, 0, std::span(row).first(row.size() - 1)), Error);
    EXPECT_THROW(key.lwe_sample(0, 0, std::span(sample).first(sample.size() - 1)), Error);
    EXPECT_THROW(EvaluationKey(parameters, {}, {}, base::AlignedVector<std::uint32_t>(5), {}), Error);
}

TEST(EvaluationKey, FileHoldsTheWholeKey) {
    const tests::TemporaryFolder folder;
    for (const int modulus_log : {16, 32}) {
        const EvaluationKey key = random_key(toy(modulus_log), 3);
        key.save(folder / "toy.key");
        expect_equal(key, EvaluationKey::load(folder / "toy.key"));
        const auto sections = tests::sections_of(tests::read_bytes(folder / "toy.key"));
        ASSERT_EQ(sections.size(), 4U);
        EXPECT_EQ(sections[3].tag, "KSKB");
        EXPECT_EQ(sections[3].end - sections[3].content,
                  key_switching_body_words(key.parameters()) * static_cast<std::size_t>(modulus_log / 8));
    }
}

TEST(EvaluationKey, DamagedFilesAreRefused) {
    const tests::TemporaryFolder folder;
    random_key(toy(), 4).save(folder / "toy.key");
    tests::expect_refuses_damage(tests::read_bytes(folder / "toy.key"),
                                 [](const std::filesystem::path& path) { (void)EvaluationKey::load(path); });
}

TEST(EvaluationKey, ParametersThatAreNotTheHeadsAreRefused) {
    const tests::TemporaryFolder folder;
    random_key(toy(), 5).save(folder / "toy.key");
    const auto file = tests::read_bytes(folder / "toy.key");
    const auto read = [](const std::filesystem::path& path) { (void)EvaluationKey::load(path); };
    auto literal = tests::toy_literal();
    literal.lwe.std_log2 -= 0.01;
    const std::string other = parameters_to_json(Parameters(literal));
    EXPECT_THAT(tests::refusal_of(tests::with_section(file, 0, std::as_bytes(std::span(other))), read),
                testing::HasSubstr("fingerprint"));
    // An impossible set, no JSON at all, and JSON far too deep.
    std::string bad = parameters_to_json(toy());
    const std::size_t at = bad.find("12");
    ASSERT_NE(at, std::string::npos);
    bad.replace(at, 2, "-1");
    EXPECT_THAT(tests::refusal_of(tests::with_section(file, 0, std::as_bytes(std::span(bad))), read),
                testing::HasSubstr("lwe.n"));
    for (const std::string& text : {std::string("{}"), std::string("no"), std::string(60000, '[')})
        EXPECT_THAT(tests::refusal_of(tests::with_section(file, 0, std::as_bytes(std::span(text))), read),
                    testing::HasSubstr("PARM"));
    const std::string huge(70000, ' ');
    tests::refusal_of(tests::with_section(file, 0, std::as_bytes(std::span(huge))), read);
}

TEST(EvaluationKey, BodiesOfAnotherKeyAreRefused) {
    const tests::TemporaryFolder folder;
    random_key(toy(), 6).save(folder / "one.key");
    random_key(toy(), 7).save(folder / "other.key");
    auto file = tests::read_bytes(folder / "one.key");
    const auto other = tests::read_bytes(folder / "other.key");
    const auto place = tests::sections_of(file).at(3);
    std::memcpy(file.data() + place.content, other.data() + place.content, place.end - place.content);
    EXPECT_THAT(
        tests::refusal_of(file, [](const std::filesystem::path& path) { (void)EvaluationKey::load(path); }),
        testing::HasSubstr("checksum"));
}

TEST(EvaluationKey, LyingParametersTakeNoMemory) {
    // A sealed head and PARM of a huge set before small sections: the key would need gigabytes.
    const tests::TemporaryFolder folder;
    random_key(toy(), 8).save(folder / "toy.key");
    auto literal = tests::toy_literal();
    literal.lwe.dimension = 4096;
    literal.glwe.ring_dimension = 4096;
    const Parameters huge(literal);
    auto file = tests::read_bytes(folder / "toy.key");
    std::memcpy(file.data() + 16, huge.fingerprint().data(), huge.fingerprint().size());
    const std::string json = parameters_to_json(huge);
    file = tests::with_section(file, 0, std::as_bytes(std::span(json)));
    EXPECT_THAT(
        tests::refusal_of(file, [](const std::filesystem::path& path) { (void)EvaluationKey::load(path); }),
        testing::HasSubstr("BSKB"));
}

TEST(EvaluationKey, ThatCannotBeWrittenIsAnIoError) {
    try {
        random_key(toy(), 9).save("/no/such/folder/toy.key");
        ADD_FAILURE();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::io);
    }
}

}  // namespace
}  // namespace toroid::scheme
