// SPDX-License-Identifier: Apache-2.0
#include "fuzz/fuzz_target.hpp"

#include <sodium.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "toroid/error.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t limit);

namespace toroid::tests {
namespace {

constexpr std::size_t head_bytes = 72;
constexpr std::size_t length_at = 64;
constexpr std::size_t checksum_bytes = 32;

std::uint64_t accepted = 0;
std::uint64_t tried = 0;

void report() {
    std::fprintf(stderr, "accepted %llu of %llu inputs\n", static_cast<unsigned long long>(accepted),
                 static_cast<unsigned long long>(tried));
    if (accepted == 0) {
        std::fputs("no input was ever accepted: the target tests nothing behind the reader's first checks\n",
                   stderr);
        std::_Exit(1);
    }
}

void seal(std::span<std::uint8_t> file) {
    if (file.size() < head_bytes + checksum_bytes) return;
    const std::uint64_t body = file.size() - head_bytes - checksum_bytes;
    for (std::size_t i = 0; i < 8; ++i) file[length_at + i] = static_cast<std::uint8_t>(body >> (8 * i));
    crypto_generichash_state state;
    crypto_generichash_init(&state, nullptr, 0, checksum_bytes);
    crypto_generichash_update(&state, file.data() + head_bytes, body);
    crypto_generichash_update(&state, file.data(), head_bytes);
    crypto_generichash_final(&state, file.data() + head_bytes + body, checksum_bytes);
}

}  // namespace

std::string_view text_of(std::span<const std::byte> input) {
    return {reinterpret_cast<const char*>(input.data()), input.size()};
}

std::filesystem::path file_of(std::span<const std::byte> input) {
    static const int descriptor = ::memfd_create("fuzz", MFD_CLOEXEC);
    require(descriptor >= 0 && ::ftruncate(descriptor, 0) == 0, "a file in memory");
    require(::pwrite(descriptor, input.data(), input.size(), 0) == static_cast<ssize_t>(input.size()),
            "the input fits into memory");
    return "/proc/self/fd/" + std::to_string(descriptor);
}

void require(bool holds, const char* property) {
    if (holds) return;
    std::fprintf(stderr, "property does not hold: %s\n", property);
    std::abort();
}

}  // namespace toroid::tests

extern "C" int LLVMFuzzerInitialize(int*, char***) {
    toroid::tests::require(sodium_init() >= 0, "libsodium starts");
    std::atexit(toroid::tests::report);
    return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    ++toroid::tests::tried;
    try {
        toroid::tests::accept(std::as_bytes(std::span(data, size)));
        ++toroid::tests::accepted;
    } catch (const toroid::Error& error) {
        // A broken invariant that an input can reach is a fault, and so goes on to libFuzzer.
        if (error.kind() == toroid::ErrorKind::internal) throw;
        toroid::tests::require(error.what()[0] != '\0', "an error has a message");
    }
    return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t limit,
                                               unsigned seed) {
    const std::size_t changed = LLVMFuzzerMutate(data, size, limit);
    if (toroid::tests::section_files && seed % 16 != 0) toroid::tests::seal({data, changed});
    return changed;
}
