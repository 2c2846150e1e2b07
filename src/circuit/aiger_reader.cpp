// SPDX-License-Identifier: Apache-2.0
// AIGER, ASCII (.aag) and binary (.aig): and-inverter graphs with latches. A. Biere, "The AIGER And-Inverter
// Graph (AIG) Format Version 20071012"; A. Biere, K. Heljanko, S. Wieringa, "AIGER 1.9 and beyond", FMV
// report 11/2, 2011.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>
#include <vector>

#include "circuit/circuit_builder.hpp"
#include "circuit/net_graph.hpp"
#include "circuit/netlist_reader.hpp"
#include "circuit/netlist_text.hpp"
#include "circuit/topological_order.hpp"
#include "toroid/error.hpp"

namespace toroid::circuit {
namespace {

/// A binary file names no inputs, so that a short one could ask for any number of them.
constexpr std::uint64_t most_binary_inputs = std::uint64_t{1} << 20;
constexpr std::uint64_t most_unused_variables = std::uint64_t{1} << 20;
constexpr std::uint64_t most_variables = std::uint64_t{1} << 30;

/// 2 v is variable v, 2 v + 1 its negation; variable 0 is the constant 0.
using AigerLiteral = std::uint32_t;

class AigerReader {
 public:
    AigerReader(std::string_view text, const std::string& source, const ReadOptions& options)
        : rest_(text), size_(text.size()), report_({}, source, options), source_(source) {}

    Circuit read() {
        read_header();
        read_inputs();
        read_latches();
        read_outputs();
        if (is_binary_) {
            read_binary_gates();
        } else {
            read_gates();
        }
        read_symbols();
        check_defined();
        return build();
    }

 private:
    enum class Kind : std::uint8_t { none, input, latch, gate };
    struct Variable {
        Kind kind = Kind::none;
        std::uint32_t index = 0;
    };
    struct Latch {
        std::uint32_t variable = 0;
        AigerLiteral next = 0;
        bool init = false;
        std::uint32_t line = 0;
    };
    struct Gate {
        std::uint32_t variable = 0;
        AigerLiteral first = 0;
        AigerLiteral second = 0;
        std::uint32_t line = 0;
    };
    struct Output {
        AigerLiteral literal = 0;
        std::uint32_t line = 0;
    };

    [[noreturn]] void fail(const std::string& message) const { report_.fail(line_, message); }
    /// Binary gates have no lines.
    [[noreturn]] void fail_at_byte(const std::string& message) const {
        report_.fail(0, fmt::format("byte {}: {}", size_ - rest_.size(), message));
    }

    /// The words of the next line; false at the end of the file.
    bool next_line() {
        words_.clear();
        if (rest_.empty()) return false;
        const std::size_t end = rest_.find('\n');
        line_text_ = rest_.substr(0, end);
        rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
        if (!line_text_.empty() && line_text_.back() == '\r') line_text_.remove_suffix(1);
        ++line_;
        split_words(line_text_, words_);
        return true;
    }
    void expect_line(const char* what, std::size_t number, std::size_t least, std::size_t most) {
        if (!next_line()) fail(fmt::format("the file ends before {} {}", what, number));
        if (words_.size() < least || words_.size() > most) {
            fail(fmt::format("{} {} is '{}', which has {} numbers", what, number, shown(line_text_),
                             words_.size()));
        }
    }
    [[nodiscard]] AigerLiteral literal(std::string_view word) const {
        const std::optional<std::uint64_t> value = parse_count(word);
        if (!value) fail(fmt::format("'{}' is no literal", shown(word)));
        if (*value > 2 * std::uint64_t{variables_} + 1)
            fail(fmt::format("literal {} is above the largest, {}", *value,
                             2 * std::uint64_t{variables_} + 1));
        return static_cast<AigerLiteral>(*value);
    }
    void define(AigerLiteral value, Kind kind, std::size_t index) {
        if (value < 2 || value % 2 != 0)
            fail(fmt::format("literal {} cannot be defined: it is {}", value,
                             value < 2 ? "a constant" : "negated"));
        Variable& variable = defined_[value / 2];
        if (variable.kind != Kind::none) fail(fmt::format("literal {} is defined twice", value));
        variable = {kind, static_cast<std::uint32_t>(index)};
    }

    void read_header() {
        constexpr std::array<const char*, 4> extensions = {
            "bad state properties (B)", "invariant constraints (C)", "justice properties (J)",
            "fairness constraints (F)"};
        if (!next_line() || words_.empty() || (words_[0] != "aag" && words_[0] != "aig"))
            fail("an AIGER file begins with 'aag' or 'aig'");
        is_binary_ = words_[0] == "aig";
        if (words_.size() < 6 || words_.size() > 10) {
            fail(fmt::format("the header '{}' does not have the five numbers M I L O A", shown(line_text_)));
        }
        std::vector<std::uint64_t> counts;
        for (std::size_t i = 1; i < words_.size(); ++i) {
            const std::optional<std::uint64_t> value = parse_count(words_[i]);
            if (!value) fail(fmt::format("'{}' in the header is no count", shown(words_[i])));
            counts.push_back(*value);
            if (i > 5 && *value != 0)
                fail(fmt::format("{} are for model checkers; a circuit has none", extensions[i - 6]));
        }
        for (const std::uint64_t count : counts) {
            if (count > most_variables)
                fail(fmt::format("the header asks for {} of something (limit {})", count, most_variables));
        }
        inputs_ = static_cast<std::uint32_t>(counts[1]);
        const std::uint64_t in_text = (is_binary_ ? 0 : counts[1]) + counts[2] + counts[3] + counts[4];
        // Whatever is not implied takes two bytes at least.
        if (2 * in_text > rest_.size() + 1) fail("the file is too short for what its header says");
        if (is_binary_ && counts[1] > most_binary_inputs)
            fail(fmt::format("{} inputs (limit {})", counts[1], most_binary_inputs));
        const std::uint64_t used = counts[1] + counts[2] + counts[4];
        if (counts[0] < used || (is_binary_ && counts[0] != used)) {
            fail(fmt::format("the largest variable is {}, but there are {} inputs, latches and gates",
                             counts[0], used));
        }
        if (counts[0] > most_variables || counts[0] - used > most_unused_variables)
            fail(
                fmt::format("the largest variable is {}, for {} inputs, latches and gates", counts[0], used));
        variables_ = static_cast<std::uint32_t>(counts[0]);
        latches_.resize(counts[2]);
        outputs_.resize(counts[3]);
        gates_.resize(counts[4]);
        defined_.resize(counts[0] + 1);
        input_variables_.resize(inputs_);
    }

    void read_inputs() {
        for (std::uint32_t i = 0; i < inputs_; ++i) {
            AigerLiteral value = 2 * (i + 1);
            if (!is_binary_) {
                expect_line("input", i, 1, 1);
                value = literal(words_[0]);
            }
            define(value, Kind::input, i);
            input_variables_[i] = value / 2;
        }
    }

    void read_latches() {
        for (std::size_t i = 0; i < latches_.size(); ++i) {
            Latch& latch = latches_[i];
            const std::size_t implied = is_binary_ ? 1 : 0;
            expect_line("latch", i, 2 - implied, 3 - implied);
            const AigerLiteral own =
                is_binary_ ? 2 * (inputs_ + static_cast<std::uint32_t>(i) + 1) : literal(words_[0]);
            define(own, Kind::latch, i);
            latch.variable = own / 2;
            latch.next = literal(words_[1 - implied]);
            latch.line = line_;
            if (words_.size() == 2 - implied) continue;
            const AigerLiteral init = literal(words_[2 - implied]);
            if (init == own) {
                report_.warn(line_, fmt::format("latch {} has no initial value; it starts at 0", i));
            } else if (init > 1) {
                fail(fmt::format("latch {} starts at {}, which is neither 0, 1 nor itself", i, init));
            }
            latch.init = init == 1;
        }
    }

    void read_outputs() {
        for (std::size_t i = 0; i < outputs_.size(); ++i) {
            expect_line("output", i, 1, 1);
            outputs_[i] = {literal(words_[0]), line_};
        }
    }

    void read_gates() {
        for (std::size_t i = 0; i < gates_.size(); ++i) {
            expect_line("gate", i, 3, 3);
            const AigerLiteral own = literal(words_[0]);
            define(own, Kind::gate, i);
            gates_[i] = {own / 2, literal(words_[1]), literal(words_[2]), line_};
        }
    }

    /// Seven bits a byte, the lowest first; the top bit says that more follow.
    std::uint32_t read_delta() {
        std::uint64_t value = 0;
        for (unsigned shift = 0;; shift += 7) {
            if (rest_.empty()) fail_at_byte("the file ends within the gates");
            const auto byte = static_cast<unsigned char>(rest_.front());
            rest_.remove_prefix(1);
            if (shift > 28) fail_at_byte("a difference of more than 32 bits");
            value |= std::uint64_t{byte & 0x7fU} << shift;
            if ((byte & 0x80U) == 0) break;
        }
        if (value > 0xffffffffU) fail_at_byte("a difference of more than 32 bits");
        return static_cast<std::uint32_t>(value);
    }

    void read_binary_gates() {
        const auto before = inputs_ + static_cast<std::uint32_t>(latches_.size());
        for (std::size_t i = 0; i < gates_.size(); ++i) {
            const AigerLiteral own = 2 * (before + static_cast<std::uint32_t>(i) + 1);
            const std::uint32_t first = read_delta();
            if (first == 0 || first > own) fail_at_byte(fmt::format("gate {} reads no earlier literal", own));
            const std::uint32_t second = read_delta();
            if (second > own - first) fail_at_byte(fmt::format("gate {} reads a literal below 0", own));
            define(own, Kind::gate, i);
            gates_[i] = {own / 2, own - first, own - first - second, 0};
        }
    }

    void read_symbols() {
        input_names_.resize(inputs_);
        latch_names_.resize(latches_.size());
        output_names_.resize(outputs_.size());
        while (next_line()) {
            if (line_text_ == "c") return;  // comments follow
            if (words_.empty()) continue;
            const char kind = line_text_.front();
            std::vector<std::string>* names = kind == 'i'   ? &input_names_
                                              : kind == 'l' ? &latch_names_
                                              : kind == 'o' ? &output_names_
                                                            : nullptr;
            const std::size_t blank = std::min(line_text_.find(' '), line_text_.size());
            const std::uint64_t none = ~std::uint64_t{0};
            const std::uint64_t position = parse_count(line_text_.substr(1, blank - 1)).value_or(none);
            if (names == nullptr || position == none || blank == line_text_.size())
                fail(fmt::format("'{}' is no symbol and no comment", shown(line_text_)));
            if (position >= names->size())
                fail(fmt::format("a name for {}{}, of which there are {}", kind, position, names->size()));
            const std::string_view name = line_text_.substr(blank + 1);
            const bool is_printable = std::ranges::none_of(
                name, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
            if (name.empty() || !is_printable)
                fail(fmt::format("the name of {}{} is empty or has control characters", kind, position));
            if (!(*names)[position].empty()) fail(fmt::format("{}{} is named twice", kind, position));
            (*names)[position] = name;
        }
    }

    void check_defined() const {
        const auto check = [&](AigerLiteral value, std::uint32_t line) {
            if (value > 1 && defined_[value / 2].kind == Kind::none)
                report_.fail(line, fmt::format("literal {} is used but never defined", value));
        };
        for (const Latch& latch : latches_) check(latch.next, latch.line);
        for (const Output& output : outputs_) check(output.literal, output.line);
        for (const Gate& gate : gates_) {
            check(gate.first, gate.line);
            check(gate.second, gate.line);
        }
    }

    /// Names as given; without one "i[3]", "o[3]", "l[3]", so that a file without names has the ports i and
    /// o.
    [[nodiscard]] std::vector<std::string> with_names(std::vector<std::string> names, char kind) const {
        std::unordered_map<std::string_view, std::size_t> seen;
        for (std::size_t i = 0; i < names.size(); ++i) {
            if (names[i].empty()) names[i] = fmt::format("{}[{}]", kind, i);
        }
        for (std::size_t i = 0; i < names.size(); ++i) {
            const auto [other, is_new] = seen.try_emplace(names[i], i);
            if (!is_new)
                report_.fail(0, fmt::format("{0}{1} and {0}{2} are both named {3}", kind, other->second, i,
                                            shown(names[i])));
        }
        return names;
    }

    Circuit build() {
        CircuitBuilder builder(stem_of(source_));
        std::vector<Literal> value(std::size_t{variables_} + 1, Literal::constant(false));
        const std::vector<std::string> inputs = with_names(std::move(input_names_), 'i');
        for (const PortGroup& port : group_ports(inputs)) {
            const auto bits = builder.add_input(port.name, static_cast<std::uint32_t>(port.members.size()));
            for (std::size_t i = 0; i < bits.size(); ++i) value[input_variables_[port.members[i]]] = bits[i];
        }
        const std::vector<std::string> latches = with_names(std::move(latch_names_), 'l');
        for (std::size_t i = 0; i < latches_.size(); ++i)
            value[latches_[i].variable] = builder.add_register(latches[i], latches_[i].init);
        const auto mapped = [&](AigerLiteral item) {
            return item % 2 != 0 ? !value[item / 2] : value[item / 2];
        };
        for (const std::uint32_t index : sorted_gates()) {
            const Gate& gate = gates_[index];
            value[gate.variable] = builder.and_gate(mapped(gate.first), mapped(gate.second));
        }
        for (const Latch& latch : latches_) builder.set_next(value[latch.variable], mapped(latch.next));
        const std::vector<std::string> outputs = with_names(std::move(output_names_), 'o');
        for (const PortGroup& port : group_ports(outputs)) {
            std::vector<Literal> bits;
            for (const std::uint32_t member : port.members) bits.push_back(mapped(outputs_[member].literal));
            builder.add_output(port.name, std::move(bits));
        }
        return builder.finish();
    }

    [[nodiscard]] std::vector<std::uint32_t> sorted_gates() const {
        const auto count = [](std::uint32_t) { return 2U; };
        const auto driver = [&](std::uint32_t gate, std::uint32_t input) {
            const Variable& variable = defined_[(input == 0 ? gates_[gate].first : gates_[gate].second) / 2];
            return variable.kind == Kind::gate ? variable.index : no_node;
        };
        TopologicalOrder order = topological_order(static_cast<std::uint32_t>(gates_.size()), count, driver);
        if (!order.cycle.empty()) {
            const Gate& gate = gates_[order.cycle.front()];
            report_.fail(gate.line, fmt::format("gate {} reads itself, through {} gates", 2 * gate.variable,
                                                order.cycle.size()));
        }
        return std::move(order.order);
    }

    std::string_view rest_;
    std::size_t size_;
    NetlistText report_;
    const std::string& source_;
    std::uint32_t line_ = 0;
    std::string_view line_text_;
    std::vector<std::string_view> words_;

    bool is_binary_ = false;
    std::uint32_t variables_ = 0;
    std::uint32_t inputs_ = 0;
    std::vector<Variable> defined_;  ///< by variable
    std::vector<std::uint32_t> input_variables_;
    std::vector<Latch> latches_;
    std::vector<Output> outputs_;
    std::vector<Gate> gates_;
    std::vector<std::string> input_names_;
    std::vector<std::string> latch_names_;
    std::vector<std::string> output_names_;
};

}  // namespace

Circuit read_aiger(std::string_view text, const std::string& source, const ReadOptions& options) {
    return AigerReader(text, source, options).read();
}

}  // namespace toroid::circuit
