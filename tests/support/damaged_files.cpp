// SPDX-License-Identifier: Apache-2.0
#include "support/damaged_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sodium.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <string_view>

#include "support/temporary_folder.hpp"
#include "toroid/error.hpp"

namespace toroid::tests {
namespace {

constexpr std::size_t head_bytes = 72;
constexpr std::size_t version_at = 8;
constexpr std::size_t kind_at = 10;
constexpr std::size_t length_at = 64;
constexpr std::size_t section_head_bytes = 12;
constexpr std::size_t checksum_bytes = 32;

std::uint64_t get_u64(std::span<const std::byte> bytes) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < 8; ++i) value |= std::to_integer<std::uint64_t>(bytes[i]) << (8 * i);
    return value;
}

void put_u64(std::span<std::byte> bytes, std::uint64_t value) {
    for (std::size_t i = 0; i < 8; ++i) bytes[i] = static_cast<std::byte>(value >> (8 * i));
}

/// Largest resident size so far, in KiB.
long peak_kib() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

FileBytes first(const FileBytes& file, std::size_t count) {
    return {file.begin(), file.begin() + static_cast<std::ptrdiff_t>(count)};
}

FileBytes without(const FileBytes& file, std::size_t from, std::size_t to) {
    FileBytes result = first(file, from);
    result.insert(result.end(), file.begin() + static_cast<std::ptrdiff_t>(to), file.end());
    return result;
}

void expect_refuses_cuts(const FileBytes& valid, const std::vector<SectionPlace>& sections,
                         const Reader& read) {
    std::vector<std::size_t> cuts{
        0, 1, version_at, length_at, head_bytes, valid.size() - checksum_bytes, valid.size() - 1};
    for (const SectionPlace& section : sections)
        for (const std::size_t at : {section.head, section.content, section.end})
            for (const std::size_t cut : {at, at + 1}) cuts.push_back(cut);
    for (const std::size_t cut : cuts) {
        SCOPED_TRACE("cut after " + std::to_string(cut) + " bytes");
        EXPECT_THAT(refusal_of(first(valid, cut), read), testing::HasSubstr("offset"));
    }
    for (const std::size_t extra : {1, 32, 1000}) {
        FileBytes padded = valid;
        padded.resize(valid.size() + extra, std::byte{0x5a});
        EXPECT_THAT(refusal_of(padded, read), testing::HasSubstr("follow"));
    }
}

void expect_refuses_heads(const FileBytes& valid, const Reader& read) {
    const auto patched = [&](std::size_t at, int change) {
        FileBytes file = valid;
        file[at] = static_cast<std::byte>(std::to_integer<int>(file[at]) + change);
        seal(file);
        return file;
    };
    EXPECT_THAT(refusal_of(patched(0, 1), read), testing::HasSubstr("no Toroid file"));
    EXPECT_THAT(refusal_of(patched(version_at, 1), read), testing::HasSubstr("version 2"));
    EXPECT_THAT(refusal_of(patched(version_at, -1), read), testing::HasSubstr("version 0"));
    for (std::uint8_t kind = 0; kind < 6; ++kind) {
        FileBytes file = valid;
        if (std::to_integer<std::uint8_t>(file[kind_at]) == kind) continue;
        file[kind_at] = std::byte{kind};
        seal(file);
        EXPECT_THAT(refusal_of(file, read), testing::HasSubstr("is needed"));
    }
    FileBytes packed = valid;
    packed[0] = std::byte{0x1f};
    packed[1] = std::byte{0x8b};
    EXPECT_THAT(refusal_of(packed, read), testing::HasSubstr("gzip"));
    for (const std::uint64_t length :
         {std::uint64_t{1} << 63, std::numeric_limits<std::uint64_t>::max(), std::uint64_t{0}}) {
        FileBytes file = valid;
        put_u64(std::span(file).subspan(length_at), length);
        refusal_of(file, read);
    }
    // A changed byte anywhere is a damaged file, so that a key-switching key of another key generation cannot
    // slip in.
    for (std::size_t at = head_bytes; at < valid.size(); at += 1 + valid.size() / 37) {
        FileBytes file = valid;
        file[at] ^= std::byte{0x10};
        refusal_of(file, read);
    }
}

void expect_refuses_sections(const FileBytes& valid, const std::vector<SectionPlace>& sections,
                             const Reader& read, std::string_view text_section) {
    for (std::size_t i = 0; i < sections.size(); ++i) {
        const SectionPlace& section = sections[i];
        SCOPED_TRACE("section " + section.tag);
        const std::uint64_t length = section.end - section.content;
        for (const std::uint64_t lie : {std::uint64_t{1} << 63, std::numeric_limits<std::uint64_t>::max(),
                                        std::uint64_t{1} << 32, length + 1, length - 1}) {
            FileBytes file = valid;
            put_u64(std::span(file).subspan(section.head + 4), lie);
            seal(file);
            EXPECT_THAT(refusal_of(file, read), testing::HasSubstr("offset")) << lie;
        }
        const auto content = std::span(valid).subspan(section.content, length);
        FileBytes longer(content.begin(), content.end());
        longer.push_back(std::byte{1});
        refusal_of(with_section(valid, i, longer), read);
        if (section.tag != text_section) refusal_of(with_section(valid, i, content.first(length - 1)), read);
        refusal_of(with_section(valid, i, {}), read);

        FileBytes missing = without(valid, section.head, section.end);
        seal(missing);
        refusal_of(missing, read);
        FileBytes doubled = valid;
        const FileBytes copy(valid.begin() + static_cast<std::ptrdiff_t>(section.head),
                             valid.begin() + static_cast<std::ptrdiff_t>(section.end));
        doubled.insert(doubled.begin() + static_cast<std::ptrdiff_t>(section.end), copy.begin(), copy.end());
        seal(doubled);
        refusal_of(doubled, read);
        FileBytes foreign = valid;
        std::memcpy(foreign.data() + section.head, "HUH?", 4);
        seal(foreign);
        EXPECT_THAT(refusal_of(foreign, read), testing::HasSubstr("HUH?"));
    }
}

}  // namespace

FileBytes read_bytes(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    if (!in) throw std::runtime_error("cannot read " + path.string());
    const std::vector<char> text{std::istreambuf_iterator<char>(in), {}};
    FileBytes bytes(text.size());
    std::memcpy(bytes.data(), text.data(), text.size());
    return bytes;
}

void write_bytes(const std::filesystem::path& path, std::span<const std::byte> bytes) {
    std::ofstream out(path, std::ios::binary | std::ios::trunc);
    out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    if (!out.flush()) throw std::runtime_error("cannot write " + path.string());
}

std::vector<SectionPlace> sections_of(std::span<const std::byte> file) {
    std::vector<SectionPlace> sections;
    for (std::size_t at = head_bytes; at + checksum_bytes < file.size();) {
        const std::string tag(reinterpret_cast<const char*>(file.data()) + at, 4);
        const std::size_t content = at + section_head_bytes;
        sections.push_back({tag, at, content, content + get_u64(file.subspan(at + 4))});
        at = sections.back().end;
    }
    return sections;
}

void seal(FileBytes& file) {
    const std::size_t body = file.size() - head_bytes - checksum_bytes;
    put_u64(std::span(file).subspan(length_at), body);
    crypto_generichash_state state;
    crypto_generichash_init(&state, nullptr, 0, checksum_bytes);
    auto* const raw = reinterpret_cast<unsigned char*>(file.data());
    crypto_generichash_update(&state, raw + head_bytes, body);
    crypto_generichash_update(&state, raw, head_bytes);
    crypto_generichash_final(&state, raw + head_bytes + body, checksum_bytes);
}

FileBytes with_section(const FileBytes& file, std::size_t index, std::span<const std::byte> content) {
    const SectionPlace section = sections_of(file).at(index);
    FileBytes result = without(file, section.content, section.end);
    result.insert(result.begin() + static_cast<std::ptrdiff_t>(section.content), content.begin(),
                  content.end());
    put_u64(std::span(result).subspan(section.head + 4), content.size());
    seal(result);
    return result;
}

std::string refusal_of(std::span<const std::byte> bytes, const Reader& read) {
    const TemporaryFolder folder;
    const auto path = folder / "damaged.toroid";
    write_bytes(path, bytes);
    const long before = peak_kib();
    std::string message;
    try {
        read(path);
        ADD_FAILURE() << "a damaged file was accepted";
    } catch (const Error& error) {
        message = error.what();
        EXPECT_EQ(error.kind(), ErrorKind::format) << message;
        EXPECT_THAT(message, testing::HasSubstr(path.string()));
    } catch (const std::exception& error) {
        ADD_FAILURE() << "untyped exception: " << error.what();
    }
    EXPECT_LT(peak_kib() - before, 64 * 1024) << message;
    return message;
}

void expect_refuses_damage(const FileBytes& valid, const Reader& read, std::string_view text_section) {
    const TemporaryFolder folder;
    write_bytes(folder / "valid.toroid", valid);
    ASSERT_NO_THROW(read(folder / "valid.toroid"));
    const std::vector<SectionPlace> sections = sections_of(valid);
    ASSERT_FALSE(sections.empty());
    FileBytes sealed = valid;
    seal(sealed);
    ASSERT_EQ(sealed, valid);
    expect_refuses_cuts(valid, sections, read);
    expect_refuses_heads(valid, read);
    expect_refuses_sections(valid, sections, read, text_section);
}

}  // namespace toroid::tests
