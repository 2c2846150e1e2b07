// SPDX-License-Identifier: Apache-2.0
// Files of each format version, kept in tests/golden, must load for ever; see the README there.
#include <gtest/gtest.h>
#include <sodium.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "client/encryption.hpp"
#include "client/secret_key.hpp"
#include "math/negacyclic.hpp"
#include "scheme/ciphertext_bundle.hpp"
#include "scheme/evaluation_key.hpp"
#include "scheme/public_key.hpp"
#include "support/damaged_files.hpp"
#include "support/temporary_folder.hpp"
#include "support/toy_parameters.hpp"
#include "toroid/error.hpp"

namespace toroid::client {
namespace {

const std::filesystem::path golden = std::filesystem::path(TOROID_SOURCE_DIR) / "tests" / "golden";
constexpr std::array file_names{"v1-secret-key.toroid", "v1-evaluation-key.toroid", "v1-public-key.toroid",
                                "v1-ciphertexts.toroid"};
/// BLAKE2b-256 over the four files in that order.
constexpr const char* golden_hash = "1a786212fcb2d14ae1a017388ad0a842cb06322fea6968762d733af5ff80cb3a";

/// The same bytes in every run, whatever the seed of the tests.
class FixedSource : public base::RandomSource {
 public:
    explicit FixedSource(std::uint64_t number) : stream_(base::MaskSeed{std::byte{0x67}}, number) {}
    void fill(std::span<std::byte> bytes) override {
        std::vector<std::uint16_t> halves((bytes.size() + 1) / 2);
        stream_.fill(std::span(halves));
        for (std::size_t i = 0; i < bytes.size(); ++i)
            bytes[i] = static_cast<std::byte>(halves[i / 2] >> (8 * (i % 2)) & 0xff);
    }

 private:
    base::MaskStream stream_;
};

class FixedSources : public base::RandomSourceFactory {
 public:
    [[nodiscard]] std::unique_ptr<base::RandomSource> make() override {
        return std::make_unique<FixedSource>(made_++);
    }

 private:
    std::uint64_t made_ = 0;
};

scheme::Parameters golden_parameters() {
    auto literal = tests::toy_literal("golden-1");
    literal.lwe = {.dimension = 9, .key = scheme::KeyDistribution::block_binary, .block = 3, .std_log2 = -14};
    literal.glwe.ring_dimension = 32;
    return scheme::Parameters(literal);
}

const std::vector<bool> seeded_bits{true,  false, false, true,  true,  true,
                                    false, true,  false, false, false, true};
const std::vector<bool> public_bits{true, true, false};

scheme::CiphertextEntry entry(std::string name, std::uint32_t width, std::uint32_t steps,
                              scheme::Origin origin, scheme::LweArray samples) {
    scheme::CiphertextEntry result;
    result.name = std::move(name);
    result.width = width;
    result.steps = steps;
    result.origin = origin;
    result.samples = std::move(samples);
    return result;
}

/// Writes the four files from the fixed sources.
void write_files(const std::filesystem::path& folder) {
    FixedSources sources;
    base::ThreadPool pool(1);  // the order in which workers draw noise would not be fixed
    const scheme::Parameters parameters = golden_parameters();
    const SecretKey key = SecretKey::generate(parameters, sources, true);
    key.save(folder / file_names[0]);
    make_evaluation_key(key, sources, pool, {}).save(folder / file_names[1]);
    const scheme::PublicKey public_key = make_public_key(key, sources);
    public_key.save(folder / file_names[2]);

    scheme::CiphertextBundle bundle{parameters.fingerprint(), key.key_id(), {}, {}};
    bundle.interface_id.fill(std::byte{0x1f});
    auto seeded = encrypt(key, seeded_bits, sources);
    scheme::LweArray evaluated = seeded.samples;
    for (std::size_t i = 0; i < evaluated.count(); ++i)
        for (std::uint32_t& word : evaluated[i]) word = 0U - word;  // what a NOT of a wire does
    bundle.entries.push_back(entry("amount", 4, 3, scheme::Origin::secret_key, std::move(seeded.samples)));
    bundle.entries.back().is_signed = true;
    bundle.entries.back().seed = seeded.seed;
    bundle.entries.push_back(
        entry("flags", 3, 1, scheme::Origin::public_key, public_key.encrypt(public_bits, sources)));
    bundle.entries.push_back(entry("result", 12, 1, scheme::Origin::evaluated, std::move(evaluated)));
    bundle.entries.back().variance = 1.5F;
    bundle.save(folder / file_names[3]);
}

std::string hash_of(const std::filesystem::path& folder) {
    std::array<unsigned char, 32> digest{};
    crypto_generichash_state state;
    crypto_generichash_init(&state, nullptr, 0, digest.size());
    for (const char* name : file_names) {
        const auto bytes = tests::read_bytes(folder / name);
        crypto_generichash_update(&state, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
    }
    crypto_generichash_final(&state, digest.data(), digest.size());
    return base::hex(std::as_bytes(std::span(digest)));
}

TEST(GoldenFiles, OfVersion1AreUnchanged) {
    EXPECT_EQ(hash_of(golden), golden_hash);
}

TEST(GoldenFiles, AreWhatTheFixedSourcesGive) {
    // Holds file format, streams, sampling and key generation still. When one of them must change, the old
    // files stay, and the new version gets new ones.
    if (const char* target = std::getenv("TOROID_WRITE_GOLDEN")) write_files(target);
    const tests::TemporaryFolder folder;
    write_files(folder / "");
    for (const char* name : file_names)
        EXPECT_EQ(tests::read_bytes(folder / name), tests::read_bytes(golden / name)) << name;
}

TEST(GoldenFiles, OfVersion1LoadWithTheirMeaning) {
    const scheme::Parameters parameters = golden_parameters();
    const SecretKey key = SecretKey::load(golden / file_names[0]);
    EXPECT_EQ(key.parameters().name(), "golden-1");
    EXPECT_EQ(key.parameters().fingerprint(), parameters.fingerprint());

    const auto bundle = scheme::CiphertextBundle::load(golden / file_names[3], parameters);
    EXPECT_NO_THROW(bundle.require_key(key.key_id(), "golden"));
    EXPECT_EQ(bundle.interface_id[31], std::byte{0x1f});
    ASSERT_EQ(bundle.entries.size(), 3U);
    EXPECT_EQ(bundle.entries[0].name, "amount");
    EXPECT_EQ(bundle.entries[0].steps, 3U);
    EXPECT_TRUE(bundle.entries[0].is_signed);
    EXPECT_EQ(bundle.entries[0].origin, scheme::Origin::secret_key);
    EXPECT_EQ(decrypt(key, bundle.entries[0].samples), seeded_bits);
    EXPECT_EQ(bundle.entries[1].name, "flags");
    EXPECT_EQ(bundle.entries[1].origin, scheme::Origin::public_key);
    EXPECT_EQ(decrypt(key, bundle.entries[1].samples), public_bits);

    EXPECT_EQ(bundle.entries[2].name, "result");
    EXPECT_EQ(bundle.entries[2].origin, scheme::Origin::evaluated);
    EXPECT_EQ(bundle.entries[2].variance, 1.5F);
    std::vector<bool> inverted = seeded_bits;
    inverted.flip();
    EXPECT_EQ(decrypt(key, bundle.entries[2].samples), inverted);

    const auto public_key = scheme::PublicKey::load(golden / file_names[2]);
    EXPECT_EQ(public_key.key_id(), key.key_id());
    EXPECT_EQ(decrypt(key, public_key.encrypt(seeded_bits, base::system_random_sources())), seeded_bits);

    const auto evaluation_key = scheme::EvaluationKey::load(golden / file_names[1]);
    EXPECT_EQ(evaluation_key.key_id(), key.key_id());
    // Each key-switching sample of level 1 holds a key coefficient in quarters of its modulus.
    std::vector<std::uint32_t> sample(static_cast<std::size_t>(parameters.n()) + 1);
    for (int j = 0; j < parameters.extracted_dimension(); ++j) {
        evaluation_key.lwe_sample(j, 0, sample);
        const std::uint32_t phase =
            sample.back() - math::inner_product(std::span(sample).first(sample.size() - 1), key.lwe());
        const auto quarters = static_cast<std::int8_t>(static_cast<std::int16_t>(phase + 0x2000) >> 14);
        EXPECT_EQ(quarters, key.glwe()[static_cast<std::size_t>(j)]) << j;
    }
    // Coefficient 0 of each body row of level 1 holds a bit in 1/128 of the torus, the others nothing.
    const auto ring = static_cast<std::size_t>(parameters.N());
    std::vector<std::uint32_t> row(3 * ring);
    std::vector<std::uint32_t> phase(ring);
    for (int i = 0; i < parameters.n(); ++i) {
        evaluation_key.glwe_row(i, parameters.k() * parameters.mask().levels, row);
        std::ranges::fill(phase, 0U);
        for (std::size_t c = 0; c < 2; ++c)
            math::negacyclic_add_product(std::span(row).subspan(c * ring, ring),
                                         key.glwe().subspan(c * ring, ring), phase);
        for (std::size_t x = 0; x < ring; ++x) {
            const std::uint32_t rounded = (row[2 * ring + x] - phase[x] + (1U << 24)) >> 25;
            EXPECT_EQ(rounded,
                      x == 0 ? static_cast<std::uint32_t>(key.lwe()[static_cast<std::size_t>(i)]) : 0U);
        }
    }
}

}  // namespace
}  // namespace toroid::client
