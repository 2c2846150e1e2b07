// SPDX-License-Identifier: Apache-2.0
#include "base/random_source.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/byte_stream.hpp"
#include "support/seed.hpp"

namespace toroid::base {
namespace {

std::vector<std::byte> draw(RandomSource& source, std::size_t bytes) {
    std::vector<std::byte> out(bytes);
    source.fill(out);
    return out;
}

TEST(SystemRandomSources, DrawsAreUniform) {
    // Chi-square over 256 byte values, each draw size crossing the internal buffer differently.
    const auto source = system_random_sources().make();
    for (const std::size_t piece :
         {std::size_t{1}, std::size_t{37}, std::size_t{1024}, std::size_t{1025}, std::size_t{65536}}) {
        std::array<std::uint64_t, 256> counts{};
        const std::size_t total = std::size_t{1} << 18;
        for (std::size_t done = 0; done < total; done += piece) {
            for (const std::byte byte : draw(*source, piece)) ++counts[std::to_integer<std::size_t>(byte)];
        }
        double drawn = 0;
        for (const auto count : counts) drawn += static_cast<double>(count);
        double chi_square = 0;
        for (const auto count : counts) {
            const double expected = drawn / 256;
            chi_square += std::pow(static_cast<double>(count) - expected, 2) / expected;
        }
        // 255 degrees of freedom: mean 255, deviation 22.6; ten deviations never happen by chance.
        EXPECT_LT(chi_square, 255 + 226) << "piece " << piece;
        EXPECT_GT(chi_square, 255 - 226) << "piece " << piece;
    }
}

TEST(SystemRandomSources, WordsHaveTheRightMeanAndEveryBitIsFair) {
    const auto source = system_random_sources().make();
    constexpr int draws = 200000;
    double sum = 0;
    std::array<int, 64> ones{};
    for (int i = 0; i < draws; ++i) {
        sum += source->next_u32() / 4294967296.0;
        const std::uint64_t word = source->next_u64();
        for (std::size_t bit = 0; bit < 64; ++bit) ones[bit] += static_cast<int>((word >> bit) & 1);
    }
    EXPECT_NEAR(sum / draws, 0.5, 8 / std::sqrt(12.0 * draws));
    for (const int count : ones) EXPECT_NEAR(count, draws / 2, 8 * std::sqrt(draws / 4.0));
}

TEST(SystemRandomSources, NoBlockEverRepeats) {
    std::set<std::uint64_t> seen;
    std::size_t drawn = 0;
    for (int i = 0; i < 8; ++i) {
        const auto source = system_random_sources().make();
        for (int j = 0; j < 2000; ++j, ++drawn) seen.insert(source->next_u64());
        const auto block = draw(*source, 16000);
        for (std::size_t at = 0; at < block.size(); at += 8, ++drawn) {
            std::uint64_t word = 0;
            std::memcpy(&word, block.data() + at, 8);
            seen.insert(word);
        }
    }
    EXPECT_EQ(seen.size(), drawn);
}

TEST(SystemRandomSources, ThreadsAreIndependent) {
    std::array<std::string, 4> drawn;
    {
        std::vector<std::jthread> threads;
        for (auto& out : drawn)
            threads.emplace_back([&out] { out = hex(draw(*system_random_sources().make(), 64)); });
    }
    EXPECT_EQ(std::set(drawn.begin(), drawn.end()).size(), drawn.size());
}

TEST(SystemRandomSources, AForkedChildDoesNotRepeatItsParent) {
    const auto source = system_random_sources().make();
    static_cast<void>(source->next_u32());  // both now hold the same buffer
    std::array<int, 2> pipe_ends{};
    ASSERT_EQ(pipe(pipe_ends.data()), 0);
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        const auto bytes = draw(*source, 32);
        const ssize_t written = write(pipe_ends[1], bytes.data(), bytes.size());
        _exit(written == 32 ? 0 : 1);
    }
    std::vector<std::byte> of_child(32);
    ASSERT_EQ(read(pipe_ends[0], of_child.data(), of_child.size()), 32);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    close(pipe_ends[0]);
    close(pipe_ends[1]);
    EXPECT_NE(of_child, draw(*source, 32));
}

MaskSeed counting_seed() {
    MaskSeed seed{};
    for (std::size_t i = 0; i < seed.size(); ++i) seed[i] = static_cast<std::byte>(i);
    return seed;
}

TEST(MaskStream, IsChaCha20OfThePublishedVectors) {
    // draft-strombergson-chacha-test-vectors-01, TC1: 256-bit key of zeros, nonce zero.
    MaskStream stream(MaskSeed{}, 0);
    std::array<std::uint32_t, 16> words{};
    stream.fill(std::span(words));
    EXPECT_EQ(hex(std::as_bytes(std::span(words))),
              "76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7"
              "da41597c5157488d7724e03fb8d84a376a43b8f41518a11cc387b669b2ee6586");
    stream.fill(std::span(words));
    EXPECT_EQ(hex(std::as_bytes(std::span(words))),
              "9f07e7be5551387a98ba977c732d080dcb0f29a048e3656912c6533e32ee7aed"
              "29b721769ce64e43d57133b074d839d531ed1f28510afb45ace10a1f4b794d6f");
    EXPECT_EQ(words[0], 0xbee7079fU) << "words are little endian";
}

TEST(MaskStream, HowCallsSplitItChangesNothing) {
    auto generator = tests::generator();
    std::vector<std::uint16_t> whole(5000);
    MaskStream(counting_seed(), 7).fill(std::span(whole));
    MaskStream pieces(counting_seed(), 7);
    std::vector<std::uint16_t> joined;
    while (joined.size() < whole.size()) {
        const std::size_t left = whole.size() - joined.size();
        if (const std::size_t words = generator() % 70; words * 2 <= left && generator() % 2 == 0) {
            std::vector<std::uint32_t> part(words);
            pieces.fill(std::span(part));
            for (const std::uint32_t word : part) {
                joined.push_back(static_cast<std::uint16_t>(word));
                joined.push_back(static_cast<std::uint16_t>(word >> 16));
            }
        } else {
            std::vector<std::uint16_t> part(std::min<std::size_t>(left, generator() % 70));
            pieces.fill(std::span(part));
            joined.insert(joined.end(), part.begin(), part.end());
        }
    }
    EXPECT_EQ(joined, whole);
}

TEST(MaskStream, SeedsAndStreamNumbersGiveUnrelatedStreams) {
    std::set<std::vector<std::uint32_t>> seen;
    const auto add = [&seen](const MaskSeed& seed, std::uint64_t number) {
        std::vector<std::uint32_t> words(8);
        MaskStream(seed, number).fill(std::span(words));
        seen.insert(words);
    };
    MaskSeed other = counting_seed();
    other[31] ^= std::byte{1};
    for (const std::uint64_t number : {0ULL, 1ULL, 256ULL, 1ULL << 32, 1ULL << 63}) {
        add(counting_seed(), number);
        add(other, number);
    }
    EXPECT_EQ(seen.size(), 10U);
}

TEST(SeededSources, ReplayFromTheSeedAndDifferByPurposeAndNumber) {
    const auto first = [](std::uint64_t purpose, int number) {
        tests::SeededSources sources(purpose);
        auto source = sources.make();
        for (int i = 0; i < number; ++i) source = sources.make();
        return source->next_u64();
    };
    EXPECT_EQ(first(1, 2), first(1, 2));
    EXPECT_EQ((std::set{first(1, 0), first(1, 1), first(2, 0), first(2, 1)}.size()), 4U);
}

}  // namespace
}  // namespace toroid::base
