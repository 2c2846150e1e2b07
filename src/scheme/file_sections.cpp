// SPDX-License-Identifier: Apache-2.0
#include "scheme/file_sections.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "toroid/error.hpp"

namespace toroid::scheme {
namespace {

constexpr std::uint64_t largest_parameters = 64 * 1024;
constexpr std::size_t chunk_bytes = 64 * 1024;

}  // namespace

void write_parameters(base::SectionWriter& writer, const Parameters& parameters) {
    std::string json = parameters_to_json(parameters);
    json.erase(json.find_last_not_of('\n') + 1);  // so that a shorter section is never a whole text
    writer.section("PARM", std::as_bytes(std::span(json)));
}

Parameters read_parameters(base::SectionReader& reader) {
    const std::vector<std::byte> bytes = reader.read_all("PARM", largest_parameters);
    const std::string_view json(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    std::string refusal;
    try {
        Parameters parameters(parameters_from_json(json, "section PARM"));
        if (parameters.fingerprint() == reader.head().parameters) return parameters;
        refusal = "the parameter set of section PARM is not the one named in the head: fingerprint " +
                  base::hex(parameters.fingerprint()) + ", expected " + base::hex(reader.head().parameters);
    } catch (const Error& error) {
        refusal = error.what();
    }
    reader.fail(refusal);
}

void write_seed(base::SectionWriter& writer, const base::MaskSeed& seed) {
    writer.section("SEED", seed);
}

base::MaskSeed read_seed(base::SectionReader& reader) {
    base::MaskSeed seed{};
    reader.enter("SEED", seed.size());
    reader.read(seed);
    reader.leave();
    return seed;
}

void write_words(base::SectionWriter& writer, std::span<const std::uint32_t> words, int bytes_per_word) {
    const auto width = static_cast<std::size_t>(bytes_per_word);
    std::array<std::byte, chunk_bytes> chunk;
    while (!words.empty()) {
        const std::size_t count = std::min(words.size(), chunk_bytes / width);
        for (std::size_t i = 0; i < count; ++i)
            for (std::size_t b = 0; b < width; ++b)
                chunk[i * width + b] = static_cast<std::byte>(words[i] >> (8 * b) & 0xff);
        writer.write(std::span(chunk).first(count * width));
        words = words.subspan(count);
    }
}

void write_words(base::SectionWriter& writer, std::string_view tag, std::span<const std::uint32_t> words,
                 int bytes_per_word) {
    writer.begin(tag, std::uint64_t{words.size()} * static_cast<std::uint64_t>(bytes_per_word));
    write_words(writer, words, bytes_per_word);
    writer.end();
}

void read_words(base::SectionReader& reader, std::span<std::uint32_t> words, int bytes_per_word) {
    const auto width = static_cast<std::size_t>(bytes_per_word);
    std::array<std::byte, chunk_bytes> chunk;
    while (!words.empty()) {
        const std::size_t count = std::min(words.size(), chunk_bytes / width);
        reader.read(std::span(chunk).first(count * width));
        for (std::size_t i = 0; i < count; ++i) {
            std::uint32_t word = 0;
            for (std::size_t b = 0; b < width; ++b)
                word |= std::to_integer<std::uint32_t>(chunk[i * width + b]) << (8 * b);
            words[i] = word;
        }
        words = words.subspan(count);
    }
}

}  // namespace toroid::scheme
