// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "compiler/xls/xls_syntax.hpp"

namespace toroid::compiler::xls {

struct Token {
    enum class Kind : std::uint8_t { end, name, number, string, symbol };
    Kind kind = Kind::end;
    std::string_view text;  ///< of a string without its quotes
    Place place;
};

/// Words of an XLS IR text; comments (//) and blanks are skipped.
class Lexer {
 public:
    Lexer(std::string_view text, const std::string& source) : text_(text), source_(source) { advance(); }

    [[nodiscard]] const Token& peek() const { return token_; }
    Token next() {
        const Token out = token_;
        advance();
        return out;
    }
    [[noreturn]] void fail(Place place, const std::string& message) const {
        xls::fail(source_, place, message);
    }

 private:
    void advance();
    void skip(std::size_t count);

    std::string_view text_;
    const std::string& source_;
    std::size_t at_ = 0;
    Place place_{1, 1};
    Token token_;
};

}  // namespace toroid::compiler::xls
