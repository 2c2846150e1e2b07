// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "toroid/values.hpp"

namespace toroid {

namespace detail {
struct Access;
}

/// What a client must know to encrypt inputs and read outputs: names, widths, signedness. It has no gates.
/// Encrypted inputs are bound to its fingerprint. Cheap to copy.
class Interface {
 public:
    /// Error(format) names `source` and what is wrong.
    [[nodiscard]] static Interface from_json(std::string_view text, const std::string& source);
    [[nodiscard]] static Interface load(const std::filesystem::path& path);

    [[nodiscard]] const std::string& circuit_name() const noexcept;
    [[nodiscard]] const std::vector<Port>& inputs() const noexcept;
    [[nodiscard]] const std::vector<Port>& outputs() const noexcept;
    /// Whether the circuit has registers, so that it runs for a number of clock cycles.
    [[nodiscard]] bool is_sequential() const noexcept;
    /// Hexadecimal BLAKE2b over names, widths and signedness.
    [[nodiscard]] std::string fingerprint() const;

    [[nodiscard]] std::string to_json() const;
    /// Written aside and renamed.
    void save(const std::filesystem::path& path) const;

 private:
    friend struct detail::Access;
    struct State;
    explicit Interface(std::shared_ptr<const State> state);
    std::shared_ptr<const State> state_;
};

}  // namespace toroid
