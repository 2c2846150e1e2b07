// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/bit_vector.hpp"

namespace toroid::compiler {

/// A node of a WordGraph: a two's complement word of fixed width. Only meaningful with its graph.
struct Word {
    std::uint32_t id = 0;
    friend bool operator==(Word, Word) = default;
};

enum class WordOp : std::uint8_t {
    input,
    constant,
    // operands and result of one width
    add,
    multiply,
    unsigned_divide,     ///< x / 0 = all ones
    unsigned_remainder,  ///< x % 0 = x
    bit_and,
    bit_or,
    bit_xor,
    bit_not,
    negate,
    // shifts: the amount is unsigned, of any width; one not below the width shifts everything out
    shift_left,
    shift_right_logical,
    shift_right_arithmetic,
    // one-bit results
    equal,
    unsigned_less,
    signed_less,
    // structure
    select,       ///< operands: one-bit condition, word if 1, word if 0
    concatenate,  ///< operand 0 is the least significant part
    extract,      ///< bits [parameter, parameter + width) of operand 0
    zero_extend,
    sign_extend,
    // others
    popcount,  ///< result as wide as asked for; the count modulo 2^width
    lookup,    ///< operand 0 is the index into the constant table `parameter`; beyond its end 0
};

/// Where a word comes from in the user's source; line 0 is "unknown".
struct SourceLocation {
    std::uint32_t file = 0;  ///< index into WordGraph::files()
    std::uint32_t line = 0;
    std::uint32_t column = 0;
    friend bool operator==(const SourceLocation&, const SourceLocation&) = default;
};

/// The word-level program between front ends (C, XLS IR) and the circuit: straight-line arithmetic on words,
/// hash-consed, simplified as it is built (constants fold, neutral elements vanish, extracts see through
/// concatenations and extensions, commutative operands are ordered). lower.hpp makes it a Circuit.
/// Every function throws Error(internal) on operands whose widths do not fit: front ends check their input.
class WordGraph {
 public:
    struct Node {
        WordOp op = WordOp::constant;
        std::uint32_t width = 1;
        std::uint32_t parameter = 0;  ///< extract: first bit; input, constant, lookup: index into its list
        std::uint32_t first_operand = 0;  ///< into the flat list of operands
        std::uint32_t operand_count = 0;
        SourceLocation location;
    };
    struct Input {
        std::string name;
        std::uint32_t width = 1;
        bool is_signed = false;
        Word word;
    };
    struct Output {
        std::string name;
        bool is_signed = false;
        Word word;
    };
    struct Table {
        std::uint32_t width = 1;
        std::vector<base::BitVector> entries;
    };

    /// New words get this location until the next call.
    void set_location(SourceLocation location) { location_ = location; }
    std::uint32_t add_file(const std::string& name);  ///< the same name gives the same index

    Word input(const std::string& name, std::uint32_t width, bool is_signed);
    void output(const std::string& name, Word word, bool is_signed);

    Word constant(const base::BitVector& bits);
    Word constant(std::uint64_t value, std::uint32_t width);  ///< bits above 64 are 0
    Word ones(std::uint32_t width);

    Word add(Word a, Word b);
    Word subtract(Word a, Word b);  ///< a + negate(b)
    Word multiply(Word a, Word b);
    Word unsigned_divide(Word a, Word b);
    Word unsigned_remainder(Word a, Word b);
    /// Truncating; x / 0 = x < 0 ? 1 : -1 and x % 0 = x, the most negative number / -1 is itself.
    Word signed_divide(Word a, Word b);
    Word signed_remainder(Word a, Word b);
    Word negate(Word a);

    Word bit_and(Word a, Word b);
    Word bit_or(Word a, Word b);
    Word bit_xor(Word a, Word b);
    Word bit_not(Word a);

    Word shift_left(Word a, Word amount);
    Word shift_right_logical(Word a, Word amount);
    Word shift_right_arithmetic(Word a, Word amount);
    /// Amount taken modulo the width (any width).
    Word rotate_left(Word a, Word amount);
    Word rotate_right(Word a, Word amount);

    Word equal(Word a, Word b);
    Word not_equal(Word a, Word b);
    Word unsigned_less(Word a, Word b);
    Word signed_less(Word a, Word b);

    Word select(Word condition, Word if_one, Word if_zero);
    Word concatenate(std::span<const Word> parts);  ///< parts[0] least significant
    Word extract(Word a, std::uint32_t first_bit, std::uint32_t width);
    Word zero_extend(Word a, std::uint32_t width);
    Word sign_extend(Word a, std::uint32_t width);
    Word resize(Word a, std::uint32_t width, bool is_signed);  ///< extend or cut

    Word popcount(Word a, std::uint32_t width);
    Word count_leading_zeros(Word a);   ///< width of a; its width for a = 0
    Word count_trailing_zeros(Word a);  ///< the same from the other end
    Word any_bit(Word a);               ///< one bit: a != 0
    Word parity(Word a);
    Word lookup(Word index, const Table& table);

    [[nodiscard]] std::uint32_t width(Word a) const { return nodes_[a.id].width; }
    [[nodiscard]] const Node& node(Word a) const { return nodes_[a.id]; }
    [[nodiscard]] std::span<const Word> operands(Word a) const {
        return std::span(operands_).subspan(nodes_[a.id].first_operand, nodes_[a.id].operand_count);
    }
    [[nodiscard]] bool is_constant(Word a) const { return nodes_[a.id].op == WordOp::constant; }
    [[nodiscard]] const base::BitVector& constant_bits(Word a) const {
        return constants_[nodes_[a.id].parameter];
    }
    /// The constant as a number if it fits 64 bits unsigned, else nothing; also nothing if `a` is no
    /// constant.
    [[nodiscard]] bool constant_value(Word a, std::uint64_t& value) const;
    [[nodiscard]] bool is_zero(Word a) const;
    [[nodiscard]] bool is_ones(Word a) const;

    [[nodiscard]] std::size_t size() const { return nodes_.size(); }
    [[nodiscard]] const std::vector<Input>& inputs() const { return inputs_; }
    [[nodiscard]] const std::vector<Output>& outputs() const { return outputs_; }
    [[nodiscard]] const std::vector<std::string>& files() const { return files_; }
    [[nodiscard]] const Table& table(Word lookup) const { return tables_[nodes_[lookup.id].parameter]; }

 private:
    Word make(WordOp op, std::uint32_t width, std::uint32_t parameter, std::span<const Word> operands);
    Word make(WordOp op, std::uint32_t width, std::initializer_list<Word> operands,
              std::uint32_t parameter = 0) {
        return make(op, width, parameter, std::span(operands.begin(), operands.size()));
    }
    [[nodiscard]] std::uint64_t hash(const Node& node, std::span<const Word> operands) const;
    void grow_buckets();
    [[nodiscard]] bool is(Word a, WordOp op) const { return nodes_[a.id].op == op; }
    [[nodiscard]] Word operand(Word a, std::size_t index) const {
        return operands_[nodes_[a.id].first_operand + index];
    }
    std::uint32_t same_width(Word a, Word b, const char* what) const;
    void check_bit(Word a, const char* what) const;
    /// Constants last, otherwise the older word first.
    void order(Word& a, Word& b) const;
    /// Whether a and b are known to be each other's inverse.
    [[nodiscard]] bool inverse(Word a, Word b) const;

    Word absorb(WordOp op, Word a, Word b, bool& found);
    Word mask(WordOp op, Word a, const base::BitVector& bits, bool& found);
    bool constant_amount(Word amount, std::uint32_t width, std::uint32_t& shift) const;
    Word strip_extension(Word a) const;
    Word rotate(Word a, Word amount, bool left);
    Word absolute(Word a);
    Word compare_equal_to_constant(Word a, Word constant, bool& found);
    Word leading_zeros(std::vector<Word> bits, std::uint32_t width);
    void flatten(Word part, std::vector<Word>& parts) const;
    bool join(Word low, Word high, Word& joined);
    void join_selects(std::vector<Word>& parts);
    Word extract_pieces(Word a, std::uint32_t first_bit, std::uint32_t width);

    struct PartsHash {
        std::size_t operator()(const std::vector<std::uint32_t>& parts) const;
    };
    std::vector<Node> nodes_;
    std::vector<Word> operands_;
    std::vector<base::BitVector> constants_;
    std::vector<Table> tables_;
    std::vector<Input> inputs_;
    std::vector<Output> outputs_;
    std::vector<std::string> files_;
    SourceLocation location_;
    std::vector<std::uint32_t> buckets_;  ///< open addressing, node ids + 1
    std::unordered_map<base::BitVector, Word> known_constants_;
    std::unordered_multimap<std::uint64_t, std::uint32_t> known_tables_;
    /// Concatenations of selects already merged: what keeps a chain of selects from being walked once a path.
    std::unordered_map<std::vector<std::uint32_t>, Word, PartsHash> merged_selects_;
    int depth_ = 0;  ///< nesting of merges; beyond a limit words are left unmerged
};

}  // namespace toroid::compiler
