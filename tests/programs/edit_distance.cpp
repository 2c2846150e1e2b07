// SPDX-License-Identifier: Apache-2.0
// Levenshtein distance of two words of five letters, by rows, with the standard library's arrays.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

std::uint8_t edit_distance(const std::array<char, 5>& a, const std::array<char, 5>& b) {
    std::array<std::uint8_t, 6> row{};
    for (std::size_t j = 0; j < row.size(); ++j) row[j] = static_cast<std::uint8_t>(j);
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::uint8_t diagonal = row[0];
        row[0] = static_cast<std::uint8_t>(i + 1);
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::uint8_t above = row[j + 1];
            const auto changed = static_cast<std::uint8_t>(diagonal + (a[i] != b[j] ? 1 : 0));
            row[j + 1] = std::min({changed, static_cast<std::uint8_t>(above + 1),
                                   static_cast<std::uint8_t>(row[j] + 1)});
            diagonal = above;
        }
    }
    return row.back();
}
