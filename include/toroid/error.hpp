// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace toroid {

/// What went wrong, by who can mend it. The command line maps each kind to one documented exit code.
enum class ErrorKind : std::uint8_t {
    usage,          ///< the call itself: unknown option, missing argument
    io,             ///< the file system: cannot open, cannot write, disk full
    format,         ///< a file is not what it should be: truncated, foreign, damaged, other version
    parameters,     ///< a parameter set is refused
    key_mismatch,   ///< ciphertext, key and parameter set do not belong together
    circuit,        ///< a netlist or program is wrong or unsupported
    value,          ///< a value does not fit its port, or a port name is unknown
    noise,          ///< a gate or output would exceed the circuit's target failure probability
    device,         ///< the device asked for is absent or failed
    out_of_memory,  ///< see OutOfMemory
    interrupted,    ///< the user or a limit stopped the work
    internal,       ///< a broken invariant of Toroid itself
};

/// The one exception type of the public API. what() names the thing and the place.
class Error : public std::runtime_error {
   public:
    Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
    [[nodiscard]] ErrorKind kind() const noexcept { return kind_; }

   private:
    ErrorKind kind_;
};

/// Raised before an allocation that cannot succeed. The process and every loaded key stay usable.
class OutOfMemory : public Error {
   public:
    OutOfMemory(const std::string& message, std::uint64_t needed_bytes, std::uint64_t free_bytes)
        : Error(ErrorKind::out_of_memory, message), needed_bytes_(needed_bytes), free_bytes_(free_bytes) {}
    [[nodiscard]] std::uint64_t needed_bytes() const noexcept { return needed_bytes_; }
    [[nodiscard]] std::uint64_t free_bytes() const noexcept { return free_bytes_; }

   private:
    std::uint64_t needed_bytes_;
    std::uint64_t free_bytes_;
};

}  // namespace toroid
