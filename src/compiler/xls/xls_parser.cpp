// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <unordered_map>

#include "compiler/xls/xls_lexer.hpp"
#include "toroid/error.hpp"

namespace toroid::compiler::xls {
namespace {

constexpr int deepest_type = 64;
constexpr std::uint64_t widest = 16384;  ///< bits of a word, elements of an array
constexpr std::size_t longest_decimal = 4096;

class Parser {
 public:
    Parser(std::string_view text, const std::string& source) : lexer_(text, source) {}

    Package run() {
        if (peek_name("package")) {
            lexer_.next();
            package_.name = expect_name("the package's name");
        }
        while (lexer_.peek().kind != Token::Kind::end) declaration();
        return std::move(package_);
    }

 private:
    [[nodiscard]] bool peek_symbol(std::string_view symbol) const {
        return lexer_.peek().kind == Token::Kind::symbol && lexer_.peek().text == symbol;
    }
    [[nodiscard]] bool peek_name(std::string_view name) const {
        return lexer_.peek().kind == Token::Kind::name && lexer_.peek().text == name;
    }
    bool accept(std::string_view symbol) {
        if (!peek_symbol(symbol)) return false;
        lexer_.next();
        return true;
    }
    [[noreturn]] void unexpected(const std::string& wanted) {
        const Token& token = lexer_.peek();
        lexer_.fail(token.place,
                    token.kind == Token::Kind::end
                        ? fmt::format("the text ends where {} should be", wanted)
                        : fmt::format("'{}' where {} should be", token.text.substr(0, 60), wanted));
    }
    void expect(std::string_view symbol) {
        if (!accept(symbol)) unexpected(fmt::format("'{}'", symbol));
    }
    std::string expect_name(const std::string& what) {
        if (lexer_.peek().kind != Token::Kind::name) unexpected(what);
        return std::string(lexer_.next().text);
    }
    std::int64_t expect_number(const std::string& what) {
        if (lexer_.peek().kind != Token::Kind::number) unexpected(what);
        const Token token = lexer_.next();
        std::int64_t value = 0;
        const char* end = token.text.data() + token.text.size();
        const auto result = std::from_chars(token.text.data(), end, value);
        if (result.ec != std::errc() || result.ptr != end)
            lexer_.fail(token.place, fmt::format("'{}' is not {}", token.text.substr(0, 60), what));
        return value;
    }
    std::uint32_t expect_size(const std::string& what) {
        const Place place = lexer_.peek().place;
        const std::int64_t value = expect_number(what);
        if (value < 0 || static_cast<std::uint64_t>(value) > widest)
            lexer_.fail(place, fmt::format("{} {} is not between 0 and {}", what, value, widest));
        return static_cast<std::uint32_t>(value);
    }

    void declaration() {
        if (accept("#")) {  // an attribute: #[...] or #![...]
            static_cast<void>(accept("!"));
            skip_balanced("[", "]");
            return;
        }
        const Token word = lexer_.peek();
        const std::string name = expect_name("a declaration");
        if (name == "file_number") {
            const std::uint32_t number = expect_size("a file number");
            if (lexer_.peek().kind != Token::Kind::string) unexpected("a file name");
            file_of_number_[number] = static_cast<std::uint32_t>(package_.files.size());
            package_.files.emplace_back(lexer_.next().text);
        } else if (name == "fn") {
            function(false);
        } else if (name == "top") {
            const Token kind = lexer_.peek();
            const std::string what = expect_name("fn");
            if (what != "fn") {
                lexer_.fail(kind.place,
                            fmt::format("'{}': only functions can be compiled, no procs or blocks", what));
            }
            function(true);
        } else if (name == "proc" || name == "block" || name == "scheduled_fn" || name == "scheduled_proc" ||
                   name == "scheduled_block") {
            // Another top may be meant; it is looked over.
            while (!peek_symbol("{")) {
                if (lexer_.peek().kind == Token::Kind::end) unexpected("'{'");
                lexer_.next();
            }
            skip_balanced("{", "}");
        } else if (name == "chan") {
            expect_name("the channel's name");
            skip_balanced("(", ")");
        } else {
            lexer_.fail(word.place, fmt::format("'{}' is no declaration", name.substr(0, 60)));
        }
    }
    void skip_balanced(std::string_view open, std::string_view close) {
        expect(open);
        for (int depth = 1; depth > 0;) {
            if (lexer_.peek().kind == Token::Kind::end) unexpected(fmt::format("'{}'", close));
            const Token token = lexer_.next();
            if (token.kind != Token::Kind::symbol) continue;
            if (token.text == open) ++depth;
            if (token.text == close) --depth;
        }
    }

    TypeId type(int depth = 0) {
        const Place place = lexer_.peek().place;
        if (depth > deepest_type)
            lexer_.fail(place, fmt::format("types nested more than {} deep", deepest_type));
        try {
            TypeId out = 0;
            if (accept("(")) {
                std::vector<TypeId> elements;
                while (!accept(")")) {
                    if (!elements.empty()) {
                        expect(",");
                        if (accept(")")) break;
                    }
                    elements.push_back(type(depth + 1));
                }
                out = package_.types.tuple(std::move(elements));
            } else if (peek_name("token")) {
                lexer_.next();
                out = package_.types.token();
            } else if (peek_name("bits")) {
                lexer_.next();
                expect("[");
                out = package_.types.bits(expect_size("a width"));
                expect("]");
            } else {
                unexpected("a type");
            }
            for (int dimension = depth; accept("["); ++dimension) {
                if (dimension > deepest_type)
                    lexer_.fail(place, fmt::format("types nested more than {} deep", deepest_type));
                out = package_.types.array(out, expect_size("an array's length"));
                expect("]");
            }
            return out;
        } catch (const Error& error) {
            // The table knows no places.
            if (std::string_view(error.what()).starts_with("a type of")) lexer_.fail(place, error.what());
            throw;
        }
    }

    void bits_value(std::uint32_t width, std::vector<base::BitVector>& leaves) {
        if (peek_name("bits")) {
            const Place place = lexer_.peek().place;
            lexer_.next();
            expect("[");
            if (expect_size("a width") != width)
                lexer_.fail(place, fmt::format("not a value of bits[{}]", width));
            expect("]");
            expect(":");
        }
        if (lexer_.peek().kind != Token::Kind::number) unexpected("a number");
        const Token token = lexer_.next();
        std::string text(token.text);
        std::erase(text, '_');
        const bool based = text.find_first_of("xXbB") != std::string::npos;
        if (!based && text.size() > longest_decimal)
            lexer_.fail(token.place, fmt::format("a decimal number of more than {} digits", longest_decimal));
        try {
            const bool negative = text.starts_with('-');
            const base::BitVector bits =
                base::parse_bits(text, std::max<std::size_t>(width, 1), negative, "the literal");
            if (width != 0) {
                leaves.push_back(bits);
            } else if (bits[0]) {
                throw Error(ErrorKind::value, "a value other than 0 of no bits");
            }
        } catch (const Error& error) {
            lexer_.fail(token.place, error.what());
        }
    }
    void value(TypeId id, std::vector<base::BitVector>& leaves) {
        const Type type = package_.types[id];
        switch (type.kind) {
            case Type::Kind::bits:
                bits_value(type.width, leaves);
                return;
            case Type::Kind::token:
                expect_name("token");
                return;
            default:
                break;
        }
        const bool array = type.kind == Type::Kind::array;
        expect(array ? "[" : "(");
        for (std::uint32_t i = 0; i < type.count; ++i) {
            if (i != 0) expect(",");
            value(package_.types.element(id, i), leaves);
        }
        expect(array ? "]" : ")");
    }

    /// pos=[(file,line,column), ...], or file,line,column without brackets; the first place counts.
    void position(Node& node) {
        const auto triple = [&] {
            const std::uint32_t number = expect_size("a file number");
            expect(",");
            const std::int64_t line = expect_number("a line");
            expect(",");
            const std::int64_t column = expect_number("a column");
            const auto file = file_of_number_.find(number);
            if (file == file_of_number_.end() || node.location.line != 0) return;
            const auto cut = [](std::int64_t x) {
                return static_cast<std::uint32_t>(std::clamp<std::int64_t>(x, 0, 0x7fffffff));
            };
            node.location = {file->second, cut(line), cut(column)};
        };
        if (!accept("[")) {
            triple();
            return;
        }
        while (!accept("]")) {
            expect("(");
            triple();
            expect(")");
            if (!peek_symbol("]")) expect(",");
        }
    }
    std::uint32_t operand(const Token& token) {
        const auto found = nodes_.find(std::string(token.text));
        if (found == nodes_.end())
            lexer_.fail(token.place, fmt::format("'{}' is not defined above", token.text.substr(0, 60)));
        return found->second;
    }
    void keyword(Node& node, const Token& name) {
        if (name.text == "pos") {
            position(node);
            return;
        }
        if (name.text == "value" && node.operation == "literal") {
            value(node.type, node.literal);
            return;
        }
        Keyword keyword;
        keyword.name = name.text;
        keyword.place = name.place;
        const bool list = accept("[");
        do {
            if (list && peek_symbol("]")) break;
            const Token token = lexer_.next();
            if (token.kind == Token::Kind::number && !list) {
                const char* end = token.text.data() + token.text.size();
                const auto result = std::from_chars(token.text.data(), end, keyword.number);
                keyword.is_number = result.ec == std::errc() && result.ptr == end;
            }
            const bool takes_operands = keyword.name == "cases" || keyword.name == "indices" ||
                                        keyword.name == "default" || keyword.name == "invariant_args";
            if (token.kind == Token::Kind::end || token.kind == Token::Kind::symbol)
                lexer_.fail(token.place, fmt::format("'{}' has no value", keyword.name));
            if (takes_operands) keyword.operands.push_back(operand(token));
            keyword.text = token.text;
        } while (list && accept(","));
        if (list) expect("]");
        node.keywords.push_back(std::move(keyword));
    }
    void add_node(Function& function, Node node) {
        if (!nodes_.emplace(node.name, static_cast<std::uint32_t>(function.nodes.size())).second)
            lexer_.fail(node.place, fmt::format("'{}' is defined twice", node.name.substr(0, 60)));
        function.nodes.push_back(std::move(node));
    }
    void function(bool is_top) {
        Function out;
        nodes_.clear();
        out.is_top = is_top;
        out.place = lexer_.peek().place;
        out.name = expect_name("the function's name");
        expect("(");
        while (!accept(")")) {
            if (!out.nodes.empty()) expect(",");
            Node node;
            node.place = lexer_.peek().place;
            node.name = expect_name("a parameter");
            node.operation = "param";
            expect(":");
            node.type = type();
            if (peek_name("id")) {
                lexer_.next();
                expect("=");
                expect_number("an id");
            }
            add_node(out, std::move(node));
        }
        out.parameters = static_cast<std::uint32_t>(out.nodes.size());
        expect("->");
        const TypeId result = type();
        expect("{");
        bool returned = false;
        while (!accept("}")) {
            Node node;
            node.place = lexer_.peek().place;
            node.name = expect_name("a value's name");
            bool returns = false;
            if (node.name == "ret" && lexer_.peek().kind == Token::Kind::name) {
                returns = true;
                node.place = lexer_.peek().place;
                node.name = expect_name("a value's name");
            }
            expect(":");
            node.type = type();
            expect("=");
            node.operation = expect_name("an operation");
            expect("(");
            while (!accept(")")) {
                const Token token = lexer_.next();
                if (token.kind != Token::Kind::name)
                    lexer_.fail(token.place, "an operand or a keyword is missing");
                if (accept("=")) {
                    keyword(node, token);
                } else {
                    node.operands.push_back(operand(token));
                }
                if (!peek_symbol(")")) expect(",");
            }
            if (returns) {
                if (returned) lexer_.fail(node.place, "a second result");
                returned = true;
                if (node.type != result) {
                    lexer_.fail(node.place,
                                fmt::format("the result is {}, not {}", package_.types.text(node.type),
                                            package_.types.text(result)));
                }
                out.result = static_cast<std::uint32_t>(out.nodes.size());
                // A parameter that is returned is written as a value of its own name.
                if (node.operation == "param") {
                    const auto found = nodes_.find(node.name);
                    if (found == nodes_.end() || found->second >= out.parameters)
                        lexer_.fail(node.place, fmt::format("no parameter '{}'", node.name.substr(0, 60)));
                    out.result = found->second;
                    if (out.nodes[out.result].type != result)
                        lexer_.fail(node.place, "the result is not of the parameter's type");
                    continue;
                }
            }
            add_node(out, std::move(node));
        }
        if (!returned)
            lexer_.fail(out.place, fmt::format("function '{}' returns nothing", out.name.substr(0, 60)));
        if (!package_.function_by_name
                 .emplace(out.name, static_cast<std::uint32_t>(package_.functions.size()))
                 .second) {
            lexer_.fail(out.place, fmt::format("function '{}' is defined twice", out.name.substr(0, 60)));
        }
        package_.functions.push_back(std::move(out));
    }

    Lexer lexer_;
    Package package_;
    std::map<std::uint32_t, std::uint32_t> file_of_number_;
    std::unordered_map<std::string, std::uint32_t> nodes_;
};

}  // namespace

Package parse(std::string_view text, const std::string& source) {
    return Parser(text, source).run();
}

}  // namespace toroid::compiler::xls
