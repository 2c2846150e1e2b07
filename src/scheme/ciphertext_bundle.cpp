// SPDX-License-Identifier: Apache-2.0
#include "scheme/ciphertext_bundle.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <new>
#include <set>
#include <utility>

#include "base/available_memory.hpp"
#include "scheme/file_sections.hpp"
#include "toroid/error.hpp"

namespace toroid::scheme {
namespace {

constexpr std::uint64_t longest_name = 4096;
constexpr std::size_t bind_bytes = 32 + 4 + 4;
constexpr std::size_t form_bytes = 4 + 4 + 4 + 4;
constexpr std::size_t seeded_form_bytes = form_bytes + sizeof(base::MaskSeed);

void put_u32(std::span<std::byte> bytes, std::uint32_t value) {
    for (std::size_t b = 0; b < 4; ++b) bytes[b] = static_cast<std::byte>(value >> (8 * b) & 0xff);
}

std::uint32_t get_u32(std::span<const std::byte> bytes) {
    std::uint32_t value = 0;
    for (std::size_t b = 0; b < 4; ++b) value |= std::to_integer<std::uint32_t>(bytes[b]) << (8 * b);
    return value;
}

/// Empty if the name may stand in a bundle, else what is wrong with it.
std::string name_fault(std::string_view name) {
    if (name.empty()) return "an entry has no name";
    if (name.size() > longest_name)
        return fmt::format("a name of {} bytes is longer than {}", name.size(), longest_name);
    if (std::ranges::any_of(name, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }))
        return "a name holds a control character";
    return {};
}

/// Empty if the entry's variance can be, else what is wrong with it.
std::string variance_fault(const CiphertextEntry& entry) {
    if (!std::isfinite(entry.variance) || std::signbit(entry.variance)) return "a variance that is no number";
    if (entry.origin != Origin::evaluated && entry.variance != 0)
        return "a variance of its own, though it was never evaluated";
    return {};
}

std::uint64_t sample_count(const CiphertextEntry& entry) {
    return std::uint64_t{entry.width} * entry.steps;
}

void check_entry(const CiphertextEntry& entry, int dimension) {
    const auto fail = [&](const std::string& message) {
        throw Error(ErrorKind::internal, fmt::format("ciphertext entry '{}': {}", entry.name, message));
    };
    if (const std::string fault = name_fault(entry.name); !fault.empty()) fail(fault);
    if (const std::string fault = variance_fault(entry); !fault.empty()) fail(fault);
    if (entry.width == 0 || entry.steps == 0) fail("no bits");
    if (entry.samples.count() != sample_count(entry))
        fail(fmt::format("{} samples for {} x {} bits", entry.samples.count(), entry.steps, entry.width));
    if (entry.samples.dimension() != dimension)
        fail(fmt::format("dimension {} beside {}", entry.samples.dimension(), dimension));
    if (!entry.seed) return;
    std::vector<std::uint32_t> mask(static_cast<std::size_t>(dimension));
    for (std::size_t i = 0; i < entry.samples.count(); ++i) {
        expand_sample_mask(*entry.seed, i, mask);
        if (!std::ranges::equal(mask, entry.samples[i].first(mask.size())))
            fail(fmt::format("the mask of sample {} is not the seed's", i));
    }
}

void write_entry(base::SectionWriter& writer, const CiphertextEntry& entry) {
    writer.section("NAME", std::as_bytes(std::span(entry.name)));
    std::array<std::byte, seeded_form_bytes> form{};
    put_u32(std::span(form).subspan(0, 4), entry.width);
    put_u32(std::span(form).subspan(4, 4), entry.steps);
    form[8] = static_cast<std::byte>(entry.is_signed);
    form[9] = static_cast<std::byte>(entry.origin);
    form[10] = static_cast<std::byte>(entry.seed.has_value());
    put_u32(std::span(form).subspan(12, 4), std::bit_cast<std::uint32_t>(entry.variance));
    if (entry.seed) std::ranges::copy(*entry.seed, std::span(form).subspan(form_bytes).begin());
    writer.section("FORM", std::span(form).first(entry.seed ? seeded_form_bytes : form_bytes));

    const std::size_t words = static_cast<std::size_t>(entry.samples.dimension()) + 1;
    const std::size_t stored = entry.seed ? 1 : words;
    writer.begin(entry.seed ? "BODY" : "SMPL", std::uint64_t{entry.samples.count()} * stored * 4);
    for (std::size_t i = 0; i < entry.samples.count(); ++i)
        write_words(writer, entry.samples[i].last(stored), 4);
    writer.end();
}

void read_form(base::SectionReader& reader, CiphertextEntry& entry) {
    const std::vector<std::byte> form = reader.read_all("FORM", seeded_form_bytes);
    const auto flag = [&](std::size_t at) {
        const auto value = std::to_integer<unsigned>(form[at]);
        if (value > 1)
            reader.fail(
                fmt::format("entry '{}': byte {} of section FORM is neither 0 nor 1", entry.name, at));
        return value == 1;
    };
    if (form.size() < form_bytes)
        reader.fail(fmt::format("entry '{}': section FORM is too short", entry.name));
    entry.width = get_u32(std::span(form).subspan(0, 4));
    entry.steps = get_u32(std::span(form).subspan(4, 4));
    if (entry.width == 0 || entry.steps == 0) reader.fail(fmt::format("entry '{}' has no bits", entry.name));
    entry.is_signed = flag(8);
    const auto origin = std::to_integer<unsigned>(form[9]);
    if (origin > static_cast<unsigned>(Origin::evaluated))
        reader.fail(fmt::format("entry '{}': unknown origin {}", entry.name, origin));
    entry.origin = static_cast<Origin>(origin);
    entry.variance = std::bit_cast<float>(get_u32(std::span(form).subspan(12, 4)));
    if (const std::string fault = variance_fault(entry); !fault.empty())
        reader.fail(fmt::format("entry '{}' has {}", entry.name, fault));
    const bool seeded = flag(10);
    if (form[11] != std::byte{0})
        reader.fail(fmt::format("entry '{}': byte 11 of section FORM is not 0", entry.name));
    if (form.size() != (seeded ? seeded_form_bytes : form_bytes))
        reader.fail(fmt::format("entry '{}': section FORM has {} bytes", entry.name, form.size()));
    if (!seeded) return;
    entry.seed.emplace();
    std::ranges::copy(std::span(form).subspan(form_bytes), entry.seed->begin());
}

void read_samples(base::SectionReader& reader, CiphertextEntry& entry, int dimension) {
    const std::size_t words = static_cast<std::size_t>(dimension) + 1;
    const std::size_t stored = entry.seed ? 1 : words;
    const std::uint64_t length = reader.enter(entry.seed ? "BODY" : "SMPL");
    const std::uint64_t count = length / (stored * 4);
    if (length % (stored * 4) != 0 || count != sample_count(entry))
        reader.fail(fmt::format("entry '{}': {} bytes of samples for {} x {} bits", entry.name, length,
                                entry.steps, entry.width));
    // A seeded entry unfolds to dimension + 1 times what the file holds: the one size that the file does not
    // bear out.
    const std::uint64_t available = base::available_memory_bytes();
    const auto refuse = [&] {
        throw OutOfMemory(
            fmt::format("entry '{}': {} ciphertexts need {} MiB of memory, {} MiB are available", entry.name,
                        count, count * words >> 18, available >> 20),
            count * words * 4, available);
    };
    if (count > available / (words * 4)) refuse();
    try {
        entry.samples = LweArray(static_cast<std::size_t>(count), dimension);
    } catch (const std::bad_alloc&) {
        refuse();
    }
    for (std::size_t i = 0; i < entry.samples.count(); ++i) {
        const auto sample = entry.samples[i];
        if (entry.seed) expand_sample_mask(*entry.seed, i, sample.first(words - 1));
        read_words(reader, sample.last(stored), 4);
    }
    reader.leave();
}

CiphertextEntry read_entry(base::SectionReader& reader, int dimension) {
    CiphertextEntry entry;
    const std::vector<std::byte> name = reader.read_all("NAME", longest_name);
    entry.name.assign(reinterpret_cast<const char*>(name.data()), name.size());
    if (const std::string fault = name_fault(entry.name); !fault.empty()) reader.fail(fault);
    read_form(reader, entry);
    read_samples(reader, entry, dimension);
    return entry;
}

}  // namespace

void CiphertextBundle::save(const std::filesystem::path& path) const {
    const int dimension = entries.empty() ? 0 : entries.front().samples.dimension();
    std::set<std::string_view> names;
    for (const CiphertextEntry& entry : entries) {
        check_entry(entry, dimension);
        if (!names.insert(entry.name).second)
            throw Error(ErrorKind::internal, fmt::format("ciphertext entry '{}' is there twice", entry.name));
    }
    base::SectionWriter writer(path, base::FileMode::ordinary,
                               {base::FileKind::ciphertexts, parameters, key_id});
    std::array<std::byte, bind_bytes> bind{};
    std::ranges::copy(interface_id, bind.begin());
    put_u32(std::span(bind).subspan(32, 4), static_cast<std::uint32_t>(dimension));
    put_u32(std::span(bind).subspan(36, 4), static_cast<std::uint32_t>(entries.size()));
    writer.section("BIND", bind);
    for (const CiphertextEntry& entry : entries) write_entry(writer, entry);
    writer.commit();
}

CiphertextBundle CiphertextBundle::load(const std::filesystem::path& path, const Parameters& parameters) {
    base::SectionReader reader(path, base::FileKind::ciphertexts);
    if (reader.head().parameters != parameters.fingerprint())
        throw Error(ErrorKind::key_mismatch,
                    fmt::format("{}: ciphertexts of parameter set {}, not of '{}' ({})", path.string(),
                                base::hex(reader.head().parameters), parameters.name(),
                                base::hex(parameters.fingerprint())));
    CiphertextBundle bundle{reader.head().parameters, reader.head().key_id, {}, {}};
    std::array<std::byte, bind_bytes> bind{};
    reader.enter("BIND", bind.size());
    reader.read(bind);
    reader.leave();
    std::copy_n(bind.begin(), bundle.interface_id.size(), bundle.interface_id.begin());
    const std::uint32_t dimension = get_u32(std::span(bind).subspan(32, 4));
    const std::uint32_t count = get_u32(std::span(bind).subspan(36, 4));
    const int expected = count == 0 ? 0 : parameters.wire_dimension();
    if (dimension != static_cast<std::uint32_t>(expected))
        reader.fail(fmt::format("section BIND: ciphertexts of dimension {}, not {}", dimension, expected));
    std::set<std::string> names;
    // `count` is not trusted with an allocation: each entry must first be there.
    for (std::uint32_t i = 0; i < count; ++i) {
        bundle.entries.push_back(read_entry(reader, expected));
        if (!names.insert(bundle.entries.back().name).second)
            reader.fail(fmt::format("entry '{}' is there twice", bundle.entries.back().name));
    }
    reader.finish();
    return bundle;
}

void CiphertextBundle::require_key(const base::KeyId& expected, std::string_view what) const {
    if (key_id == expected) return;
    throw Error(ErrorKind::key_mismatch, fmt::format("{} belongs to key {}, not to key {}", what,
                                                     base::hex(key_id), base::hex(expected)));
}

void expand_sample_mask(const base::MaskSeed& seed, std::uint64_t index, std::span<std::uint32_t> mask) {
    base::MaskStream(seed, index).fill(mask);
}

}  // namespace toroid::scheme
