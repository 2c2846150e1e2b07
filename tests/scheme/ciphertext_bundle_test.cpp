// SPDX-License-Identifier: Apache-2.0
#include "scheme/ciphertext_bundle.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "base/available_memory.hpp"
#include "support/damaged_files.hpp"
#include "support/seed.hpp"
#include "support/temporary_folder.hpp"
#include "support/toy_parameters.hpp"
#include "toroid/error.hpp"

namespace toroid::scheme {
namespace {

Parameters toy() {
    return Parameters(tests::toy_literal());
}

CiphertextEntry random_entry(std::string name, std::uint32_t width, std::uint32_t steps, bool seeded,
                             std::mt19937_64& generator) {
    CiphertextEntry entry;
    entry.name = std::move(name);
    entry.width = width;
    entry.steps = steps;
    entry.origin = seeded ? Origin::secret_key : Origin::evaluated;
    entry.is_signed = !seeded;
    entry.variance = seeded ? 0.0F : 2.25F;
    entry.samples = LweArray(std::size_t{width} * steps, toy().wire_dimension());
    if (seeded) {
        entry.seed.emplace();
        std::ranges::generate(*entry.seed, [&] { return static_cast<std::byte>(generator()); });
    }
    for (std::size_t i = 0; i < entry.samples.count(); ++i) {
        const auto sample = entry.samples[i];
        std::ranges::generate(sample, [&] { return static_cast<std::uint32_t>(generator()); });
        if (seeded) expand_sample_mask(*entry.seed, i, sample.first(sample.size() - 1));
    }
    return entry;
}

CiphertextBundle random_bundle() {
    auto generator = tests::generator(0xb0);
    CiphertextBundle bundle;
    bundle.parameters = toy().fingerprint();
    std::ranges::generate(bundle.key_id, [&] { return static_cast<std::byte>(generator()); });
    std::ranges::generate(bundle.interface_id, [&] { return static_cast<std::byte>(generator()); });
    bundle.entries.push_back(random_entry("key", 5, 1, true, generator));
    bundle.entries.push_back(random_entry("stream \xc3\xa9", 3, 4, false, generator));
    bundle.entries.push_back(random_entry("one", 1, 1, true, generator));
    return bundle;
}

void read(const std::filesystem::path& path) {
    (void)CiphertextBundle::load(path, toy());
}

tests::FileBytes saved(const CiphertextBundle& bundle) {
    const tests::TemporaryFolder folder;
    bundle.save(folder / "bundle");
    return tests::read_bytes(folder / "bundle");
}

TEST(CiphertextBundle, FileHoldsEverything) {
    const tests::TemporaryFolder folder;
    const CiphertextBundle bundle = random_bundle();
    bundle.save(folder / "bundle");
    const CiphertextBundle loaded = CiphertextBundle::load(folder / "bundle", toy());
    EXPECT_EQ(loaded.parameters, bundle.parameters);
    EXPECT_EQ(loaded.key_id, bundle.key_id);
    EXPECT_EQ(loaded.interface_id, bundle.interface_id);
    ASSERT_EQ(loaded.entries.size(), bundle.entries.size());
    for (std::size_t e = 0; e < bundle.entries.size(); ++e) {
        const CiphertextEntry& expected = bundle.entries[e];
        const CiphertextEntry& entry = loaded.entries[e];
        EXPECT_EQ(entry.name, expected.name);
        EXPECT_EQ(entry.width, expected.width);
        EXPECT_EQ(entry.steps, expected.steps);
        EXPECT_EQ(entry.is_signed, expected.is_signed);
        EXPECT_EQ(entry.origin, expected.origin);
        EXPECT_EQ(entry.seed, expected.seed);
        EXPECT_EQ(entry.variance, expected.variance);
        ASSERT_EQ(entry.samples.count(), expected.samples.count());
        for (std::size_t i = 0; i < entry.samples.count(); ++i)
            EXPECT_TRUE(std::ranges::equal(entry.samples[i], expected.samples[i]))
                << expected.name << ' ' << i;
    }
}

TEST(CiphertextBundle, SeededEntriesStoreBodiesOnly) {
    const auto sections = tests::sections_of(saved(random_bundle()));
    ASSERT_EQ(sections.size(), 10U);
    EXPECT_EQ(sections[3].tag, "BODY");
    EXPECT_EQ(sections[3].end - sections[3].content, 5U * 4);
    EXPECT_EQ(sections[6].tag, "SMPL");
    EXPECT_EQ(sections[6].end - sections[6].content, 12U * 129 * 4);
}

TEST(CiphertextBundle, MayBeEmpty) {
    const tests::TemporaryFolder folder;
    CiphertextBundle bundle;
    bundle.parameters = toy().fingerprint();
    bundle.save(folder / "bundle");
    EXPECT_TRUE(CiphertextBundle::load(folder / "bundle", toy()).entries.empty());
}

TEST(CiphertextBundle, DamagedFilesAreRefused) {
    tests::expect_refuses_damage(saved(random_bundle()), read, "NAME");
}

TEST(CiphertextBundle, AnotherSetIsAMismatch) {
    const tests::TemporaryFolder folder;
    random_bundle().save(folder / "bundle");
    auto literal = tests::toy_literal("other");
    literal.lwe.dimension += 1;
    try {
        (void)CiphertextBundle::load(folder / "bundle", Parameters(literal));
        ADD_FAILURE();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::key_mismatch);
        EXPECT_THAT(error.what(), testing::HasSubstr("bundle"));
        EXPECT_THAT(error.what(), testing::HasSubstr("other"));
    }
}

TEST(CiphertextBundle, AnotherKeyIsAMismatch) {
    CiphertextBundle bundle = random_bundle();
    EXPECT_NO_THROW(bundle.require_key(bundle.key_id, "inputs.ct"));
    base::KeyId other = bundle.key_id;
    other[15] ^= std::byte{1};
    try {
        bundle.require_key(other, "inputs.ct");
        ADD_FAILURE();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::key_mismatch);
        for (const std::string& part : {std::string("inputs.ct"), base::hex(other), base::hex(bundle.key_id)})
            EXPECT_THAT(error.what(), testing::HasSubstr(part));
    }
}

/// One sealed lie in section number `section`: byte `at` becomes `value`.
std::string refusal_of_byte(const tests::FileBytes& valid, std::size_t section, std::size_t at,
                            unsigned value) {
    tests::FileBytes file = valid;
    file.at(tests::sections_of(valid).at(section).content + at) = static_cast<std::byte>(value);
    tests::seal(file);
    return tests::refusal_of(file, read);
}

TEST(CiphertextBundle, LiesInSealedFilesAreRefused) {
    const auto valid = saved(random_bundle());
    constexpr std::size_t bind = 0, name = 1, form = 2, unseeded_form = 5;
    EXPECT_THAT(refusal_of_byte(valid, bind, 32, 127), testing::HasSubstr("dimension 127"));
    EXPECT_THAT(refusal_of_byte(valid, bind, 35, 255), testing::HasSubstr("dimension"));
    EXPECT_THAT(refusal_of_byte(valid, bind, 36, 4), testing::HasSubstr("NAME"));
    EXPECT_THAT(refusal_of_byte(valid, bind, 39, 255), testing::HasSubstr("NAME"));
    refusal_of_byte(valid, bind, 36, 2);
    refusal_of_byte(valid, bind, 36, 0);
    EXPECT_THAT(refusal_of_byte(valid, name, 1, 10), testing::HasSubstr("control"));
    for (const std::size_t at : {0U, 3U, 4U, 7U})
        EXPECT_THAT(refusal_of_byte(valid, form, at, 200), testing::HasSubstr("'key'")) << at;
    EXPECT_THAT(refusal_of_byte(valid, form, 0, 0), testing::HasSubstr("no bits"));
    EXPECT_THAT(refusal_of_byte(valid, form, 8, 2), testing::HasSubstr("byte 8"));
    EXPECT_THAT(refusal_of_byte(valid, form, 9, 3), testing::HasSubstr("origin 3"));
    EXPECT_THAT(refusal_of_byte(valid, form, 10, 0), testing::HasSubstr("FORM"));
    EXPECT_THAT(refusal_of_byte(valid, unseeded_form, 10, 1), testing::HasSubstr("FORM"));
    EXPECT_THAT(refusal_of_byte(valid, form, 11, 1), testing::HasSubstr("byte 11"));
    EXPECT_THAT(refusal_of_byte(valid, form, 15, 0x3f), testing::HasSubstr("never evaluated"));
    EXPECT_THAT(refusal_of_byte(valid, unseeded_form, 15, 0xc0), testing::HasSubstr("no number"));
    auto not_a_number = valid;
    const std::size_t variance = tests::sections_of(valid).at(unseeded_form).content + 12;
    for (std::size_t i = 0; i < 4; ++i) not_a_number[variance + i] = std::byte{0x7f};
    not_a_number[variance + 2] = std::byte{0xff};
    tests::seal(not_a_number);
    EXPECT_THAT(tests::refusal_of(not_a_number, read), testing::HasSubstr("no number"));
}

/// A seeded file of a megabyte that unfolds to more than this machine has.
TEST(CiphertextBundle, WhatUnfoldsBeyondTheMemoryIsRefusedBeforehand) {
    const std::uint64_t available = base::available_memory_bytes();
    if (available > std::uint64_t{1} << 42) GTEST_SKIP() << "the system does not say how much memory is free";
    auto literal = tests::toy_literal();
    literal.glwe.ring_dimension = 16384;
    literal.glwe.std_log2 = -31;
    literal.mask = literal.body = {.base_log = 4, .levels = 6};
    const Parameters set(literal);
    const auto dimension = static_cast<std::uint32_t>(set.wire_dimension());
    const auto count = static_cast<std::uint32_t>(2 * available / (4 * (std::uint64_t{dimension} + 1)));
    const tests::TemporaryFolder folder;
    {
        base::SectionWriter writer(folder / "bundle", base::FileMode::ordinary,
                                   {base::FileKind::ciphertexts, set.fingerprint(), {}});
        std::array<std::uint32_t, 10> bind{};
        bind[8] = dimension;
        bind[9] = 1;
        writer.section("BIND", std::as_bytes(std::span(bind)));
        writer.section("NAME", std::as_bytes(std::span("x", 1)));
        std::array<std::uint32_t, 12> form{count, 1, 1U << 16};  // origin 0, seeded
        writer.section("FORM", std::as_bytes(std::span(form)));
        writer.section("BODY", std::vector<std::byte>(4 * std::size_t{count}));
        writer.commit();
    }
    try {
        (void)CiphertextBundle::load(folder / "bundle", set);
        ADD_FAILURE() << "accepted";
    } catch (const OutOfMemory& error) {
        EXPECT_THAT(error.what(), testing::HasSubstr("'x'"));
        EXPECT_EQ(error.needed_bytes(), 4 * std::uint64_t{count} * (dimension + 1));
        EXPECT_GT(error.needed_bytes(), error.free_bytes());
    }
}

TEST(CiphertextBundle, NamesAreBoundedAndUnique) {
    const auto valid = saved(random_bundle());
    const auto renamed = [&](const std::string& name) {
        return tests::with_section(valid, 1, std::as_bytes(std::span(name)));
    };
    EXPECT_THAT(tests::refusal_of(renamed("one"), read), testing::HasSubstr("'one' is there twice"));
    tests::refusal_of(renamed(std::string(4097, 'x')), read);
    const tests::TemporaryFolder folder;
    tests::write_bytes(folder / "long", renamed(std::string(4096, 'x')));
    EXPECT_EQ(CiphertextBundle::load(folder / "long", toy()).entries[0].name.size(), 4096U);
}

TEST(CiphertextBundle, ContradictionsAreNotSaved) {
    const tests::TemporaryFolder folder;
    const auto refuses = [&](auto change) {
        CiphertextBundle bundle = random_bundle();
        change(bundle.entries);
        EXPECT_THROW(bundle.save(folder / "bundle"), Error);
        EXPECT_FALSE(std::filesystem::exists(folder / "bundle"));
    };
    refuses([](auto& entries) { entries[0].name.clear(); });
    refuses([](auto& entries) { entries[0].name = "one"; });
    refuses([](auto& entries) { entries[0].name = "a\nb"; });
    refuses([](auto& entries) { entries[0].name.assign(4097, 'x'); });
    refuses([](auto& entries) { entries[0].width = 6; });
    refuses([](auto& entries) { entries[0].width = 0; });
    refuses([](auto& entries) { entries[0].variance = 1; });
    refuses([](auto& entries) { entries[1].variance = -1; });
    refuses([](auto& entries) { entries[1].samples = LweArray(12, 64); });
    refuses([](auto& entries) { entries[0].samples[2][17] ^= 1; });
    refuses([](auto& entries) { (*entries[2].seed)[0] ^= std::byte{1}; });
}

}  // namespace
}  // namespace toroid::scheme
