// SPDX-License-Identifier: Apache-2.0
#include "base/secure_memory.hpp"

#include <sodium.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

namespace toroid::base {
namespace {

std::size_t page_bytes() {
    static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    return bytes;
}

/// Large blocks own whole pages, so that their pages can be unlocked again. Small blocks share pages with
/// other small blocks, possibly secret ones: theirs stay locked, which is a bounded part of the heap.
bool owns_pages(std::size_t bytes) {
    return bytes >= page_bytes();
}

std::size_t whole_pages(std::size_t bytes) {
    if (bytes > static_cast<std::size_t>(-1) - page_bytes()) throw std::bad_array_new_length();
    return (bytes + page_bytes() - 1) / page_bytes() * page_bytes();
}

std::align_val_t alignment_of(std::size_t bytes) {
    return std::align_val_t{owns_pages(bytes) ? page_bytes() : 64};
}

}  // namespace

void wipe(std::span<std::byte> bytes) noexcept {
    sodium_memzero(bytes.data(), bytes.size());
}

void forbid_core_dumps() noexcept {
    const rlimit none{0, 0};
    setrlimit(RLIMIT_CORE, &none);
    // Also refuses a debugger of the same user, and covers core_pattern pipes, which ignore the limit.
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

namespace detail {

void* allocate_locked(std::size_t bytes) {
    const std::size_t size = owns_pages(bytes) ? whole_pages(bytes) : bytes;
    void* const pointer = ::operator new(size, alignment_of(bytes));
    // Best effort: the limit on locked memory is small on many machines, and working matters more.
    static_cast<void>(mlock(pointer, size));
    return pointer;
}

void wipe_and_free(void* pointer, std::size_t bytes) noexcept {
    if (pointer == nullptr) return;
    sodium_memzero(pointer, bytes);
    if (owns_pages(bytes)) static_cast<void>(munlock(pointer, whole_pages(bytes)));
    ::operator delete(pointer, alignment_of(bytes));
}

}  // namespace detail
}  // namespace toroid::base
