// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "compiler/xls/xls_reader.hpp"
#include "compiler/xls/xls_syntax.hpp"

namespace toroid::compiler::xls {

/// The words of a value, elements of arrays and tuples one after the other; bits[0] and tokens have none.
using Words = std::vector<Word>;
struct Value {
    TypeId type = 0;
    Words words;
};

/// Computes functions of a package on words.
class Evaluator {
 public:
    Evaluator(Package& package, WordGraph& graph, const std::string& source, const XlsOptions& options,
              std::vector<circuit::Warning>& warnings);

    [[nodiscard]] Value call(const Function& function, std::vector<Value> arguments);

 private:
    /// One node at work.
    struct Job {
        const Node& node;
        const std::vector<Value>& values;
    };

    [[noreturn]] void fail(const Job& job, const std::string& message) const;
    void spend(const Job& job, std::uint64_t steps);
    [[nodiscard]] const Type& type(TypeId id) const { return package_.types[id]; }
    [[nodiscard]] std::uint32_t width(const Job& job) const;  ///< of the result, which must be bits
    void expect_operands(const Job& job, std::size_t count) const;
    [[nodiscard]] const Value& operand(const Job& job, std::size_t index) const;
    [[nodiscard]] const Keyword* find_keyword(const Job& job, const char* name) const;
    [[nodiscard]] const Keyword& keyword(const Job& job, const char* name) const;
    [[nodiscard]] std::uint32_t number(const Job& job, const char* name) const;
    [[nodiscard]] const Function& function(const Job& job, const char* keyword_name) const;
    /// Bits of any width; none count as one bit 0.
    [[nodiscard]] Word bits(const Job& job, const Value& value) const;
    [[nodiscard]] Word bits(const Job& job, std::size_t index) const {
        return bits(job, operand(job, index));
    }
    void expect_type(const Job& job, const Value& value, TypeId wanted) const;
    [[nodiscard]] Value result(const Job& job, Word word) const;

    Value evaluate(const Job& job);
    bool evaluate_bits(const Job& job, Value& out);
    bool evaluate_arithmetic(const Job& job, Value& out);
    bool evaluate_comparison(const Job& job, Value& out);
    bool evaluate_choice(const Job& job, Value& out);
    bool evaluate_aggregate(const Job& job, Value& out);
    bool evaluate_call(const Job& job, Value& out);
    bool evaluate_effect(const Job& job, const Value& out);

    Word bitwise(const Job& job);
    Word product(const Job& job, bool is_signed, std::uint32_t result_width);
    Word one_hot(Word word, bool lowest_first);
    Word encode(const Job& job, Word word);
    Value array_element(const Job& job, const Value& array, Word index);
    Value array_updated(const Job& job, const Value& array, const std::vector<Word>& indices,
                        std::size_t depth, const Value& value, Word condition);
    [[nodiscard]] Value part(const Value& value, std::uint32_t index) const;
    [[nodiscard]] Value chosen(Word condition, const Value& if_one, const Value& if_zero);
    /// Choices by the bits of an index; `beyond` for those past the end.
    [[nodiscard]] Value indexed(const Job& job, Word index, std::vector<Value> choices, const Value& beyond);

    Package& package_;
    WordGraph& graph_;
    const std::string& source_;
    const XlsOptions& options_;
    std::vector<circuit::Warning>& warnings_;
    std::vector<std::uint32_t> files_;  ///< the graph's numbers of the package's files
    std::uint32_t own_file_ = 0;
    std::uint64_t steps_ = 0;
    std::uint32_t depth_ = 0;
    /// one_hot words and what they were made of, so that encoding one again is a count of zeros.
    std::unordered_map<std::uint32_t, Word> one_hot_of_;
};

}  // namespace toroid::compiler::xls
