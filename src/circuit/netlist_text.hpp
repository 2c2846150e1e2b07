// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "circuit/netlist_reader.hpp"

namespace toroid::circuit {

/// Where a text reader stands: errors and warnings that name file and line.
class NetlistText {
 public:
    NetlistText(std::string_view text, const std::string& source, const ReadOptions& options)
        : rest_(text), source_(source), options_(options) {}

    /// The next line without its end (LF, CRLF); false at the end of the text.
    bool next_line(std::string_view& line);
    [[nodiscard]] std::uint32_t line_number() const { return line_; }
    [[nodiscard]] const std::string& source() const { return source_; }

    /// Error(circuit) "source:line: message"; line 0 leaves the line out.
    [[noreturn]] void fail(std::uint32_t line, const std::string& message) const;
    /// A warning, or the error where the options are strict.
    void warn(std::uint32_t line, const std::string& message) const;

 private:
    std::string_view rest_;
    std::uint32_t line_ = 0;
    const std::string& source_;
    const ReadOptions& options_;
};

/// Appends the words of a line (separated by blanks or tabs).
void split_words(std::string_view line, std::vector<std::string_view>& words);

/// A decimal number that fills the whole word and fits; nothing otherwise.
[[nodiscard]] std::optional<std::uint64_t> parse_count(std::string_view word);

/// A word of the input as an error message may show it: unprintable bytes replaced, cut at 60 characters.
[[nodiscard]] std::string shown(std::string_view word);

/// File name without folder and extensions, as a name for circuits that have none.
[[nodiscard]] std::string stem_of(const std::string& source);

}  // namespace toroid::circuit
