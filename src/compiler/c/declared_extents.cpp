// SPDX-License-Identifier: Apache-2.0
#include "compiler/c/declared_extents.hpp"

#include <algorithm>
#include <charconv>

namespace toroid::compiler {
namespace {

bool is_word(char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
           (letter >= '0' && letter <= '9') || letter == '_';
}

// Where `word` stands as a word of its own, from `from` on.
std::size_t find_word(std::string_view text, std::string_view word, std::size_t from = 0) {
    for (std::size_t at = text.find(word, from); at != std::string_view::npos; at = text.find(word, at + 1)) {
        const bool starts = at == 0 || !is_word(text[at - 1]);
        const bool ends = at + word.size() >= text.size() || !is_word(text[at + word.size()]);
        if (starts && ends) return at;
    }
    return std::string_view::npos;
}

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    return text;
}

// The text between the bracket at `open` and its partner; empty optional if there is none.
std::optional<std::string_view> inside(std::string_view text, std::size_t open) {
    int depth = 0;
    for (std::size_t at = open; at < text.size(); ++at) {
        if (text[at] == '(' || text[at] == '[' || text[at] == '{') ++depth;
        if (text[at] == ')' || text[at] == ']' || text[at] == '}') --depth;
        if (depth == 0) return text.substr(open + 1, at - open - 1);
    }
    return std::nullopt;
}

std::vector<std::string_view> split_at_commas(std::string_view text) {
    std::vector<std::string_view> parts;
    int depth = 0;
    std::size_t start = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const char letter = text[at];
        if (letter == '(' || letter == '[' || letter == '{' || letter == '<') ++depth;
        if (letter == ')' || letter == ']' || letter == '}' || letter == '>') --depth;
        if (letter == ',' && depth == 0) {
            parts.push_back(trimmed(text.substr(start, at - start)));
            start = at + 1;
        }
    }
    parts.push_back(trimmed(text.substr(start)));
    if (parts.size() == 1 && (parts[0].empty() || parts[0] == "void")) parts.clear();
    return parts;
}

DeclaredParameter parse(std::string_view text, std::string_view name) {
    DeclaredParameter result;
    std::string_view after = text;
    if (!name.empty()) {
        // The name is the last word of that spelling outside brackets: types may be called the same.
        std::size_t found = std::string_view::npos;
        for (std::size_t at = find_word(text, name); at != std::string_view::npos;
             at = find_word(text, name, at + 1)) {
            if (text.substr(0, at).find('[') == std::string_view::npos) found = at;
        }
        after = found == std::string_view::npos ? std::string_view{} : text.substr(found + name.size());
    } else {
        const std::size_t bracket = text.find('[');
        after = bracket == std::string_view::npos ? std::string_view{} : text.substr(bracket);
    }
    after = trimmed(after);
    if (after.starts_with('[')) {
        std::string_view extent = trimmed(inside(after, 0).value_or(""));
        for (const std::string_view qualifier : {"static", "const", "restrict", "volatile"}) {
            if (extent.starts_with(qualifier)) extent = trimmed(extent.substr(qualifier.size()));
        }
        const auto [end, error] =
            std::from_chars(extent.data(), extent.data() + extent.size(), result.extent);
        const bool is_number = error == std::errc{} && (end == extent.data() + extent.size() || *end == 'U' ||
                                                        *end == 'L' || *end == 'u' || *end == 'l');
        result.form = extent.empty() ? DeclaredParameter::Form::open_array
                      : is_number    ? DeclaredParameter::Form::array
                                     : DeclaredParameter::Form::variable_size;
    } else if (text.find('*') != std::string_view::npos || text.find('&') != std::string_view::npos) {
        result.form = DeclaredParameter::Form::pointer;
    }
    return result;
}

}  // namespace

std::vector<std::vector<DeclaredParameter>> declared_parameters(
    std::string_view printed, std::string_view name, const std::vector<std::string>& parameter_names) {
    std::vector<std::vector<DeclaredParameter>> result;
    constexpr std::string_view mark = "Printing ";
    for (std::size_t at = printed.find(mark); at != std::string_view::npos;) {
        const std::size_t line_end = std::min(printed.find('\n', at), printed.size());
        const std::size_t next = printed.find(std::string("\n").append(mark), line_end);
        const std::string_view declaration =
            printed.substr(line_end, next == std::string_view::npos ? next : next - line_end);
        at = next == std::string_view::npos ? next : next + 1;
        const std::size_t name_at = find_word(declaration, name);
        if (name_at == std::string_view::npos) continue;
        const std::size_t open = name_at + name.size();
        if (open >= declaration.size() || declaration[open] != '(') continue;
        const auto list = inside(declaration, open);
        if (!list) continue;
        const std::vector<std::string_view> parts = split_at_commas(*list);
        if (parts.size() != parameter_names.size()) continue;
        std::vector<DeclaredParameter> parameters;
        bool fits = true;
        for (std::size_t i = 0; i < parts.size(); ++i) {
            fits = fits && (parameter_names[i].empty() ||
                            find_word(parts[i], parameter_names[i]) != std::string_view::npos);
            parameters.push_back(parse(parts[i], parameter_names[i]));
        }
        if (fits) result.push_back(std::move(parameters));
    }
    return result;
}

}  // namespace toroid::compiler
