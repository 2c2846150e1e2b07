// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace toroid::runtime {

/// The noise of a wire as a weighted sum of independent sources: (source, weight), sorted by source, no
/// source twice, no weight 0. A source is what one signal held a number of cycles ago.
class WireNoise {
 public:
    using Source = std::uint64_t;
    using Term = std::pair<Source, double>;

    WireNoise() = default;
    WireNoise(Source source, double weight) : terms_{{source, weight}} {}

    [[nodiscard]] static Source source(std::uint32_t signal, std::uint32_t age) {
        return std::uint64_t{age} << 32 | signal;
    }
    /// The age of a sample that is the same in every cycle.
    static constexpr std::uint32_t ageless = 0xFFFFFFFF;
    [[nodiscard]] static std::uint32_t signal(Source source) { return static_cast<std::uint32_t>(source); }
    [[nodiscard]] static std::uint32_t age(Source source) { return static_cast<std::uint32_t>(source >> 32); }

    [[nodiscard]] std::span<const Term> terms() const noexcept { return terms_; }
    void add(const WireNoise& other, double weight);
    /// Merges what add() appended.
    void normalise();
    /// One cycle later.
    void grow_older();

    friend bool operator==(const WireNoise&, const WireNoise&) = default;

 private:
    std::vector<Term> terms_;
};

}  // namespace toroid::runtime
