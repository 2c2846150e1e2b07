// SPDX-License-Identifier: Apache-2.0
#include "circuit/netlist_text.hpp"

#include <fmt/format.h>

#include <charconv>

#include "toroid/error.hpp"

namespace toroid::circuit {

bool NetlistText::next_line(std::string_view& line) {
    if (rest_.empty()) return false;
    const std::size_t end = rest_.find('\n');
    line = rest_.substr(0, end);
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    ++line_;
    return true;
}

void NetlistText::fail(std::uint32_t line, const std::string& message) const {
    throw Error(ErrorKind::circuit, line == 0 ? fmt::format("{}: {}", source_, message)
                                              : fmt::format("{}:{}: {}", source_, line, message));
}

void NetlistText::warn(std::uint32_t line, const std::string& message) const {
    if (options_.strict) fail(line, message);
    if (options_.warnings != nullptr) {
        options_.warnings->push_back({line == 0 ? source_ : fmt::format("{}:{}", source_, line), message});
    }
}

void split_words(std::string_view line, std::vector<std::string_view>& words) {
    constexpr std::string_view blanks = " \t\v\f\r";
    for (std::size_t at = line.find_first_not_of(blanks); at != std::string_view::npos;) {
        const std::size_t end = line.find_first_of(blanks, at);
        words.push_back(line.substr(at, end - at));
        at = end == std::string_view::npos ? end : line.find_first_not_of(blanks, end);
    }
}

std::optional<std::uint64_t> parse_count(std::string_view word) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
    return value;
}

std::string shown(std::string_view word) {
    std::string out;
    for (const char c : word.substr(0, 60)) out += c >= ' ' && c <= '~' ? c : '?';
    if (word.size() > 60) out += "...";
    return out;
}

std::string stem_of(const std::string& source) {
    std::string name = source.substr(source.find_last_of("/\\") + 1);
    if (const std::size_t dot = name.find('.'); dot != std::string::npos && dot != 0) name.resize(dot);
    return name.empty() ? "circuit" : name;
}

}  // namespace toroid::circuit
