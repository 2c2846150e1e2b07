// SPDX-License-Identifier: Apache-2.0
#include "base/byte_stream.hpp"

#include <gtest/gtest.h>
#include <sodium.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>

#include "support/expect_error.hpp"
#include "support/seed.hpp"
#include "support/temporary_folder.hpp"

namespace toroid::base {
namespace {

using tests::expect_error;
using tests::slurp;
using tests::spill;
using tests::TemporaryFolder;

constexpr std::size_t head_bytes = 72;
constexpr std::size_t checksum_bytes = 32;

FileHead sample_head() {
    FileHead head;
    head.kind = FileKind::evaluation_key;
    for (std::size_t i = 0; i < 32; ++i) head.parameters[i] = static_cast<std::byte>(i);
    for (std::size_t i = 0; i < 16; ++i) head.key_id[i] = static_cast<std::byte>(0xa0 + i);
    return head;
}

std::vector<std::byte> counting(std::size_t size) {
    std::vector<std::byte> bytes(size);
    for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(i * 7);
    return bytes;
}

class SectionFile : public testing::Test {
 protected:
    SectionFile() {
        SectionWriter writer(path, FileMode::ordinary, sample_head());
        writer.section("AAAA", counting(10));
        writer.begin("BBBB", 5);
        writer.write(counting(2));
        writer.write(counting(3));
        writer.end();
        writer.section("CCCC", {});
        writer.commit();
        content = slurp(path);
    }

    /// Opens and reads the file as its owner would.
    void read() const {
        SectionReader reader(path, FileKind::evaluation_key);
        static_cast<void>(reader.read_all("AAAA", 100));
        reader.enter("BBBB", 5);
        std::vector<std::byte> bytes(5);
        reader.read(bytes);
        reader.leave();
        reader.enter("CCCC", 0);
        reader.leave();
        reader.finish();
    }
    std::string expect_refused(const std::string& text, const std::vector<std::string>& parts) const {
        spill(path, text);
        std::vector<std::string> all{path.string(), "offset"};
        all.insert(all.end(), parts.begin(), parts.end());
        return expect_error(ErrorKind::format, all, [this] { read(); });
    }
    /// Puts a right checksum behind changed content, as an attacker would.
    static std::string sealed(std::string text) {
        text.resize(text.size() - checksum_bytes);
        crypto_generichash_state state;
        crypto_generichash_init(&state, nullptr, 0, checksum_bytes);
        const auto* const raw = reinterpret_cast<const unsigned char*>(text.data());
        crypto_generichash_update(&state, raw + head_bytes, text.size() - head_bytes);
        crypto_generichash_update(&state, raw, head_bytes);
        std::string checksum(checksum_bytes, '\0');
        crypto_generichash_final(&state, reinterpret_cast<unsigned char*>(checksum.data()), checksum_bytes);
        return text + checksum;
    }
    static std::string with_u64(std::string text, std::size_t at, std::uint64_t value) {
        for (std::size_t i = 0; i < 8; ++i) text[at + i] = static_cast<char>(value >> (8 * i));
        return text;
    }

    TemporaryFolder folder;
    std::filesystem::path path = folder / "file";
    std::string content;
};

TEST_F(SectionFile, ReadsBackWhatWasWritten) {
    SectionReader reader(path, FileKind::evaluation_key);
    EXPECT_EQ(reader.head().parameters, sample_head().parameters);
    EXPECT_EQ(reader.head().key_id, sample_head().key_id);
    EXPECT_EQ(reader.head().kind, FileKind::evaluation_key);
    EXPECT_EQ(reader.read_all("AAAA", 10), counting(10));
    EXPECT_EQ(reader.enter("BBBB"), 5U);
    std::vector<std::byte> bytes(3);
    reader.read(std::span(bytes).first(2));
    EXPECT_TRUE(std::equal(bytes.begin(), bytes.begin() + 2, counting(2).begin()));
    reader.read(bytes);
    EXPECT_EQ(bytes, counting(3));
    reader.leave();
    EXPECT_EQ(reader.enter("CCCC"), 0U);
    reader.finish();
}

TEST_F(SectionFile, HasTheDocumentedLayout) {
    EXPECT_EQ(content.size(), head_bytes + (12 + 10) + (12 + 5) + 12 + checksum_bytes);
    EXPECT_EQ(hex(std::as_bytes(std::span(content)).first(head_bytes)),
              "544f524f49440d0a"  // TOROID\r\n
              "0100"              // version
              "0200"              // kind
              "00000000"
              "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
              "a0a1a2a3a4a5a6a7a8a9aaabacadaeaf"
              "3300000000000000");
    EXPECT_EQ(content.substr(head_bytes, 4), "AAAA");
    EXPECT_EQ(hex(std::as_bytes(std::span(content)).subspan(head_bytes + 4, 8)), "0a00000000000000");
    EXPECT_EQ(sealed(content), content) << "checksum over the sections and then the head";
}

TEST_F(SectionFile, EveryTruncationNamesPlaceAndOffset) {
    for (std::size_t size = 0; size < content.size(); ++size) {
        const std::string message =
            expect_refused(content.substr(0, size), {"offset " + std::to_string(size)});
        EXPECT_THAT(message, testing::HasSubstr(size == 0 ? "empty" : "truncated"));
    }
    const std::size_t a = head_bytes;
    const std::size_t b = a + 22;
    const std::size_t c = b + 17;
    expect_refused(content.substr(0, a - 1), {"head"});
    expect_refused(content.substr(0, a), {"after section 'head'"});
    expect_refused(content.substr(0, a + 1), {"section head after 'head'"});
    expect_refused(content.substr(0, b - 1), {"section 'AAAA'"});
    expect_refused(content.substr(0, b), {"after section 'AAAA'"});
    expect_refused(content.substr(0, b + 1), {"section head after 'AAAA'"});
    expect_refused(content.substr(0, c - 1), {"section 'BBBB'"});
    expect_refused(content.substr(0, c + 12), {"after section 'CCCC'"});
}

TEST_F(SectionFile, EveryFlippedBitIsRefused) {
    for (std::size_t at = 0; at < content.size(); ++at) {
        for (const int bit : {0, 5, 7}) {
            std::string damaged = content;
            damaged[at] = static_cast<char>(static_cast<unsigned char>(damaged[at]) ^ (1U << bit));
            expect_refused(damaged, {});
        }
    }
}

TEST_F(SectionFile, FlipsOutsideTheCheckedFieldsBreakTheChecksum) {
    for (const std::size_t at : {std::size_t{16}, std::size_t{50}, head_bytes + 12, content.size() - 1}) {
        std::string damaged = content;
        damaged[at] = static_cast<char>(damaged[at] ^ 1);
        expect_refused(damaged, {"checksum", "damaged"});
    }
}

TEST_F(SectionFile, PaddingForeignAndOtherVersionsEachHaveTheirMessage) {
    expect_refused(content + "x", {"1 bytes follow"});
    expect_refused(content + std::string(5000, '\0'), {"5000 bytes follow"});
    expect_refused("{\"a\": 1}", {"no Toroid file"});
    expect_refused(std::string(1000, '\0'), {"no Toroid file"});
    expect_refused("\x1f\x8b\x08" + content, {"gzip"});
    std::string text_mode = content;
    text_mode.erase(6, 1);
    expect_refused(text_mode, {"as text"});
    std::string version = content;
    version[8] = 2;
    expect_refused(sealed(version), {"version 2", "newer"});
    version[8] = 0;
    expect_refused(sealed(version), {"version 0", "not supported"});
    std::string reserved = content;
    reserved[12] = 1;
    expect_refused(sealed(reserved), {"reserved"});
}

TEST_F(SectionFile, AnotherKindIsNamed) {
    expect_error(ErrorKind::format, {path.string(), "evaluation key", "secret key"},
                 [&] { SectionReader(path, FileKind::secret_key); });
    std::string unknown = content;
    unknown[10] = 99;
    expect_refused(sealed(unknown), {"unknown kind 99"});
}

TEST_F(SectionFile, HugeLengthsAreRefusedWithoutAllocating) {
    for (const std::uint64_t length :
         {std::uint64_t{1} << 63, ~std::uint64_t{0}, std::uint64_t{1} << 40, ~std::uint64_t{0} - 103}) {
        expect_refused(sealed(with_u64(content, 64, length)), {"truncated"});
        expect_refused(sealed(with_u64(content, head_bytes + 4, length)),
                       {"section 'AAAA'", std::to_string(length)});
    }
    // One byte too long reaches into the next section and ends there with the wrong name.
    expect_refused(sealed(with_u64(content, head_bytes + 4, 11)), {"section 'BBBB'"});
    expect_refused(sealed(with_u64(content, head_bytes + 22 + 4, 4)),
                   {"section 'BBBB'", "length 4 where 5 is right"});
}

TEST_F(SectionFile, ReadingPastOrShortOfASectionIsRefused) {
    expect_error(ErrorKind::format, {"AAAA", "length 10", "9", "offset 84"}, [&] {
        SectionReader reader(path, FileKind::evaluation_key);
        static_cast<void>(reader.read_all("AAAA", 9));
    });
    expect_error(ErrorKind::format, {"AAAA", "offset 84", "11 bytes", "10 left"}, [&] {
        SectionReader reader(path, FileKind::evaluation_key);
        reader.enter("AAAA");
        std::vector<std::byte> bytes(11);
        reader.read(bytes);
    });
    const auto enter_and_read = [&](std::size_t count, auto&& then) {
        SectionReader reader(path, FileKind::evaluation_key);
        reader.enter("AAAA");
        std::vector<std::byte> bytes(count);
        reader.read(bytes);
        then(reader);
    };
    for (const auto& then : std::vector<void (*)(SectionReader&)>{[](SectionReader& r) { r.leave(); },
                                                                  [](SectionReader& r) { r.enter("BBBB"); },
                                                                  [](SectionReader& r) { r.finish(); }}) {
        expect_error(ErrorKind::format, {"AAAA", "3 unexpected bytes"}, [&] { enter_and_read(7, then); });
    }
    expect_error(ErrorKind::format, {"end", "follow the last section"},
                 [&] { enter_and_read(10, [](SectionReader& r) { r.finish(); }); });
    expect_error(ErrorKind::format, {"'XXXX'", "'BBBB' stands here"},
                 [&] { enter_and_read(10, [](SectionReader& r) { r.enter("XXXX"); }); });
    expect_error(ErrorKind::format, {"file", "AAAA", "offset 87", "bad content"},
                 [&] { enter_and_read(3, [](SectionReader& r) { r.fail("bad content"); }); });
    expect_error(ErrorKind::format, {"'DDDD'", "missing"}, [&] {
        SectionReader reader(path, FileKind::evaluation_key);
        static_cast<void>(reader.read_all("AAAA", 10));
        static_cast<void>(reader.read_all("BBBB", 10));
        static_cast<void>(reader.read_all("CCCC", 10));
        reader.enter("DDDD");
    });
}

TEST_F(SectionFile, MessagesHoldNoControlCharacters) {
    std::string strange = content;
    strange.replace(head_bytes, 4, "\x1b[3\x01");
    expect_refused(sealed(strange), {"'\\x1b[3\\x01' stands here"});
    expect_refused(strange.substr(0, head_bytes + 15), {"\\x1b[3"});
}

TEST_F(SectionFile, WhatIsNoOrdinaryFileIsRefusedAtOnce) {
    expect_error(ErrorKind::io, {"missing", "No such file"},
                 [&] { SectionReader(folder / "missing", FileKind::ciphertexts); });
    expect_error(ErrorKind::io, {folder.path().string()},
                 [&] { SectionReader(folder.path(), FileKind::ciphertexts); });
    ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
    expect_error(ErrorKind::io, {"pipe", "ordinary"},
                 [&] { SectionReader(folder / "pipe", FileKind::ciphertexts); });
}

TEST_F(SectionFile, AFileThatShrinksWhileItIsReadIsRefused) {
    SectionReader reader(path, FileKind::evaluation_key);
    reader.enter("AAAA");
    ASSERT_EQ(::truncate(path.c_str(), 75), 0);
    std::vector<std::byte> bytes(10);
    expect_error(ErrorKind::format, {"shorter"}, [&] { reader.read(bytes); });
}

TEST(SectionWriter, RefusesMisuseAndLeavesNoFile) {
    const TemporaryFolder folder;
    const auto path = folder / "out";
    const auto refused = [&](auto&& use) {
        expect_error(ErrorKind::internal, {"section"}, [&] {
            SectionWriter writer(path, FileMode::ordinary, sample_head());
            use(writer);
        });
        EXPECT_EQ(folder.entries(), 0U);
    };
    refused([](SectionWriter& w) { w.begin("TOOLONG", 1); });
    refused([](SectionWriter& w) {
        w.begin("AAAA", 2);
        w.write(counting(3));
    });
    refused([](SectionWriter& w) {
        w.begin("AAAA", 2);
        w.write(counting(1));
        w.end();
    });
    refused([](SectionWriter& w) {
        w.begin("AAAA", 2);
        w.begin("BBBB", 2);
    });
    refused([](SectionWriter& w) {
        w.begin("AAAA", 0);
        w.commit();
    });
    refused([](SectionWriter& w) { w.write(counting(1)); });
}

TEST(SectionWriter, ASecretFileIsOwnerOnlyAndNeverReplaced) {
    const TemporaryFolder folder;
    const auto path = folder / "secret";
    FileHead head = sample_head();
    head.kind = FileKind::secret_key;
    const auto write = [&] {
        SectionWriter writer(path, FileMode::owner_only, head);
        writer.section("SECR", counting(100));
        writer.commit();
    };
    write();
    EXPECT_EQ(std::filesystem::status(path).permissions(), std::filesystem::perms(0600));
    expect_error(ErrorKind::io, {path.string(), "exists"}, write);
}

TEST(SectionWriter, AFullDiskIsReported) {
    expect_error(ErrorKind::io, {"/dev/full", "No space left"}, [] {
        SectionWriter writer("/dev/full", FileMode::ordinary, sample_head());
        writer.section("AAAA", counting(3000000));
        writer.commit();
    });
}

TEST(SectionReader, NeedsLittleMemoryForALargeFile) {
    const TemporaryFolder folder;
    constexpr std::uint64_t size = std::uint64_t{96} << 20;
    {
        SectionWriter writer(folder / "large", FileMode::ordinary, sample_head());
        writer.begin("DATA", size);
        const auto piece = counting(std::size_t{1} << 20);
        for (std::uint64_t done = 0; done < size; done += piece.size()) writer.write(piece);
        writer.end();
        writer.commit();
    }
    std::filesystem::resize_file(folder / "large", size);
    const auto peak = [] {
        rusage usage{};
        getrusage(RUSAGE_SELF, &usage);
        return usage.ru_maxrss;
    };
    const long before = peak();
    expect_error(ErrorKind::format, {"section 'DATA'", "truncated"},
                 [&] { SectionReader(folder / "large", FileKind::evaluation_key); });
    // Right length again, wrong checksum: now the whole file is hashed.
    std::filesystem::resize_file(folder / "large", head_bytes + 12 + size + checksum_bytes);
    expect_error(ErrorKind::format, {"checksum", "damaged"},
                 [&] { SectionReader(folder / "large", FileKind::evaluation_key); });
    EXPECT_LT(peak() - before, 16 * 1024) << "KiB";
}

TEST_F(SectionFile, ItsKindIsToldByItsFirstBytes) {
    EXPECT_EQ(kind_of_file(path), FileKind::evaluation_key);
    spill(path, content.substr(0, 12));
    EXPECT_EQ(kind_of_file(path), FileKind::evaluation_key);
    std::string unknown = content;
    unknown[10] = 99;
    for (const std::string& text : {std::string(), content.substr(0, 11), "x" + content, unknown}) {
        spill(path, text);
        EXPECT_EQ(kind_of_file(path), std::nullopt) << text.size();
    }
    EXPECT_EQ(kind_of_file(folder.path()), std::nullopt);
    expect_error(ErrorKind::io, {"missing", "No such file"},
                 [&] { static_cast<void>(kind_of_file(folder / "missing")); });
}

TEST_F(SectionFile, AskingForTheKindTakesNothingFromAPipe) {
    std::array<int, 2> ends{};
    ASSERT_EQ(::pipe(ends.data()), 0);
    ASSERT_EQ(::write(ends[1], content.data(), content.size()), static_cast<ssize_t>(content.size()));
    ::close(ends[1]);
    EXPECT_EQ(kind_of_file("/proc/self/fd/" + std::to_string(ends[0])), std::nullopt);
    std::string left(content.size(), '\0');
    EXPECT_EQ(::read(ends[0], left.data(), left.size()), static_cast<ssize_t>(left.size()));
    ::close(ends[0]);
    EXPECT_EQ(left, content);
}

TEST(FileKind, NamesAreDistinct) {
    EXPECT_EQ(name(FileKind::secret_key), "secret key");
    EXPECT_EQ(name(FileKind::evaluation_key), "evaluation key");
    EXPECT_EQ(name(FileKind::public_key), "public key");
    EXPECT_EQ(name(FileKind::ciphertexts), "ciphertext");
    EXPECT_EQ(hex(counting(3)), "00070e");
}

}  // namespace
}  // namespace toroid::base
