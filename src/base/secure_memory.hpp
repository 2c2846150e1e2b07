// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <new>
#include <span>
#include <type_traits>
#include <vector>

namespace toroid::base {

/// Overwrites memory in a way the compiler may not remove (libsodium sodium_memzero).
void wipe(std::span<std::byte> bytes) noexcept;

/// Switches core dumps of this process off. Called once by whatever is about to hold a secret.
void forbid_core_dumps() noexcept;

/// Wipes what it frees; for secrets and for noise. Pages are locked against swapping where the limit allows.
template <typename T>
struct WipingAllocator {
    static_assert(std::is_trivially_copyable_v<T>);
    using value_type = T;
    WipingAllocator() = default;
    template <typename U>
    explicit WipingAllocator(const WipingAllocator<U>&) noexcept {}
    [[nodiscard]] T* allocate(std::size_t count);
    void deallocate(T* pointer, std::size_t count) noexcept;
    friend bool operator==(const WipingAllocator&, const WipingAllocator&) { return true; }
};

template <typename T>
using SecretVector = std::vector<T, WipingAllocator<T>>;

namespace detail {
[[nodiscard]] void* allocate_locked(std::size_t bytes);
void wipe_and_free(void* pointer, std::size_t bytes) noexcept;
}  // namespace detail

template <typename T>
T* WipingAllocator<T>::allocate(std::size_t count) {
    if (count > static_cast<std::size_t>(-1) / sizeof(T)) throw std::bad_array_new_length();
    return static_cast<T*>(detail::allocate_locked(count * sizeof(T)));
}

template <typename T>
void WipingAllocator<T>::deallocate(T* pointer, std::size_t count) noexcept {
    detail::wipe_and_free(pointer, count * sizeof(T));
}

}  // namespace toroid::base
