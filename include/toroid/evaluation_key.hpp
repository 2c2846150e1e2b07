// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "toroid/parameters.hpp"

namespace toroid {

namespace detail {
struct Access;
}

/// What a server needs to evaluate gates. It holds no secret. Cheap to copy.
class EvaluationKey {
 public:
    /// Error(format) for anything that is not an evaluation key, a secret key above all.
    [[nodiscard]] static EvaluationKey load(const std::filesystem::path& path);
    void save(const std::filesystem::path& path) const;

    [[nodiscard]] const ParameterSet& parameters() const noexcept;
    /// Hexadecimal, equal for the keys that belong together.
    [[nodiscard]] std::string key_id() const;

 private:
    friend struct detail::Access;
    struct State;
    explicit EvaluationKey(std::shared_ptr<const State> state);
    std::shared_ptr<const State> state_;
};

}  // namespace toroid
