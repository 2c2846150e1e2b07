// SPDX-License-Identifier: Apache-2.0
#include "compiler/xls/xls_lexer.hpp"

#include <fmt/format.h>

namespace toroid::compiler::xls {
namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
bool starts_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool in_name(char c) {
    return starts_name(c) || is_digit(c) || c == '.';
}

}  // namespace

void Lexer::skip(std::size_t count) {
    for (; count > 0; --count, ++at_) {
        if (text_[at_] == '\n') {
            ++place_.line;
            place_.column = 1;
        } else {
            ++place_.column;
        }
    }
}

void Lexer::advance() {
    for (;;) {
        const std::size_t word = text_.find_first_not_of(" \t\r\n", at_);
        skip((word == std::string_view::npos ? text_.size() : word) - at_);
        if (text_.substr(at_, 2) != "//") break;
        const std::size_t end = text_.find('\n', at_);
        skip((end == std::string_view::npos ? text_.size() : end) - at_);
    }
    token_ = {Token::Kind::end, {}, place_};
    if (at_ == text_.size()) return;
    const char first = text_[at_];
    std::size_t length = 1;
    if (starts_name(first)) {
        while (at_ + length < text_.size() && in_name(text_[at_ + length])) ++length;
        token_.kind = Token::Kind::name;
    } else if (is_digit(first) || (first == '-' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1]))) {
        while (at_ + length < text_.size() && (in_name(text_[at_ + length]))) ++length;
        token_.kind = Token::Kind::number;
    } else if (first == '"') {
        while (at_ + length < text_.size() && text_[at_ + length] != '"')
            length += text_[at_ + length] == '\\' ? 2 : 1;
        if (at_ + length >= text_.size()) fail(place_, "a string without an end");
        token_.kind = Token::Kind::string;
        token_.text = text_.substr(at_ + 1, length - 1);
        skip(length + 1);
        return;
    } else {
        token_.kind = Token::Kind::symbol;
        if (text_.substr(at_, 2) == "->") length = 2;
        if (std::string_view("()[]{},:=#!<>").find(first) == std::string_view::npos && length == 1) {
            const auto code = static_cast<unsigned char>(first);
            fail(place_, fmt::format("unexpected character {}", code >= 32 && code < 127
                                                                    ? fmt::format("'{}'", first)
                                                                    : fmt::format("0x{:02x}", code)));
        }
    }
    token_.text = text_.substr(at_, length);
    skip(length);
}

}  // namespace toroid::compiler::xls
