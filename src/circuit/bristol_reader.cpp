// SPDX-License-Identifier: Apache-2.0
// Bristol Fashion ("gates wires / inputs sizes.. / outputs sizes.."; nigelsmart.github.io/MPC-Circuits) and
// the older Bristol format ("gates wires / in1 in2 out"). In both the inputs are the first wires and the
// outputs the last.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "circuit/circuit_builder.hpp"
#include "circuit/netlist_text.hpp"
#include "circuit/topological_order.hpp"

namespace toroid::circuit {
namespace {

enum class Word : std::uint8_t {
    exclusive_or,
    conjunction,
    disjunction,
    inversion,
    constant,
    copy,
    nand,
    nor,
    xnor,
    mux,
    mand
};

struct WordEntry {
    std::string_view text;
    Word word;
    std::uint32_t inputs;  ///< exactly; 0 = two or more
};
constexpr std::array<WordEntry, 13> word_table = {{{"XOR", Word::exclusive_or, 0},
                                                   {"AND", Word::conjunction, 0},
                                                   {"INV", Word::inversion, 1},
                                                   {"NOT", Word::inversion, 1},
                                                   {"EQ", Word::constant, 1},
                                                   {"EQW", Word::copy, 1},
                                                   {"OR", Word::disjunction, 0},
                                                   {"NAND", Word::nand, 0},
                                                   {"NOR", Word::nor, 0},
                                                   {"XNOR", Word::xnor, 2},
                                                   {"MUX", Word::mux, 3},
                                                   {"MAND", Word::mand, 0},
                                                   {"BUF", Word::copy, 1}}};

struct Gate {
    Word word;
    std::uint32_t line;
    std::uint32_t first;  ///< into the wire list: inputs, then outputs
    std::uint32_t inputs;
    std::uint32_t outputs;
};

class BristolReader {
 public:
    BristolReader(std::string_view text, const std::string& source, const ReadOptions& options)
        : text_(text, source, options), size_(text.size()), builder_(stem_of(source)) {}

    Circuit read() {
        read_header();
        read_gates();
        return build();
    }

 private:
    bool next_words() {
        std::string_view line;
        while (text_.next_line(line)) {
            words_.clear();
            split_words(line, words_);
            line_ = text_.line_number();
            if (!words_.empty()) return true;
        }
        return false;
    }
    std::uint64_t number(std::size_t index, std::string_view what) {
        const auto value = parse_count(words_.at(index));
        if (!value) {
            text_.fail(line_, fmt::format("{} is not a number: {}", what, shown(words_[index])));
        }
        return *value;
    }
    std::vector<std::uint64_t> sizes(std::string_view what) {
        const std::uint64_t count = number(0, fmt::format("the number of {}s", what));
        if (count != words_.size() - 1) {
            text_.fail(line_, fmt::format("the header announces {} {}s and gives {} sizes", count, what,
                                          words_.size() - 1));
        }
        std::vector<std::uint64_t> out;
        for (std::size_t i = 1; i < words_.size(); ++i) {
            out.push_back(number(i, fmt::format("the size of an {}", what)));
            if (out.back() == 0) text_.fail(line_, fmt::format("{} {} has no wires", what, i - 1));
        }
        return out;
    }
    std::uint64_t total(const std::vector<std::uint64_t>& groups, std::string_view what) {
        // A header alone must not make us allocate: inputs need no other text in the file.
        const std::uint64_t limit = std::max<std::uint64_t>(std::uint64_t{1} << 20, size_);
        std::uint64_t sum = 0;
        for (const std::uint64_t size : groups) {
            if (size > limit || sum > limit) {
                text_.fail(header_line_, fmt::format("the {}s have more than {} wires in a file of {} bytes",
                                                     what, limit, size_));
            }
            sum += size;
        }
        return sum;
    }

    void read_header() {
        if (!next_words()) text_.fail(0, "the file is empty");
        header_line_ = text_.line_number();
        if (words_.size() != 2) text_.fail(header_line_, "the first line must be: gates wires");
        gate_count_ = number(0, "the number of gates");
        wire_count_ = number(1, "the number of wires");
        if (!next_words()) text_.fail(text_.line_number(), "the file ends in the header");
        const std::uint32_t second_line = text_.line_number();
        const std::vector<std::string_view> second = words_;
        has_words_ = next_words();
        // Gate lines end in a word, so a third line of numbers can only be the outputs of Bristol Fashion.
        // The old format has "in1 in2 out", or "in out".
        const bool is_old = (second.size() == 2 || second.size() == 3) &&
                            !(has_words_ && parse_count(words_.back()).has_value());
        if (!is_old) {
            std::vector<std::string_view> third = words_;
            words_ = second;
            header_line_ = line_ = second_line;
            inputs_ = sizes("input");
            if (!has_words_) text_.fail(text_.line_number(), "the file ends in the header");
            words_ = std::move(third);
            line_ = text_.line_number();
            outputs_ = sizes("output");
            has_words_ = next_words();
        } else {
            std::vector<std::string_view> third = words_;
            words_ = second;
            header_line_ = line_ = second_line;
            for (std::size_t i = 0; i + 1 < words_.size(); ++i) {
                const std::uint64_t size = number(i, "the size of an input");
                if (size != 0) inputs_.push_back(size);
            }
            outputs_.push_back(number(words_.size() - 1, "the size of the output"));
            if (outputs_[0] == 0) text_.fail(second_line, "output 0 has no wires");
            words_ = std::move(third);
            line_ = text_.line_number();
        }
        input_wires_ = total(inputs_, "input");
        output_wires_ = total(outputs_, "output");
        if (wire_count_ > input_wires_ + size_ || wire_count_ > no_node) {
            text_.fail(header_line_, fmt::format("{} wires cannot all be driven in a file of {} bytes",
                                                 wire_count_, size_));
        }
        if (input_wires_ > wire_count_ || output_wires_ > wire_count_) {
            text_.fail(header_line_, fmt::format("{} input and {} output wires, but {} wires in all",
                                                 input_wires_, output_wires_, wire_count_));
        }
    }

    void read_gates() {
        driver_.assign(wire_count_, no_node);
        for (; has_words_; has_words_ = next_words()) {
            const std::uint32_t line = line_;
            if (gates_.size() == gate_count_) {
                text_.fail(line,
                           fmt::format("more than the {} gates that the header announces", gate_count_));
            }
            read_gate(line);
        }
        if (gates_.size() != gate_count_) {
            text_.fail(text_.line_number(),
                       fmt::format("the file ends after {} of {} gates", gates_.size(), gate_count_));
        }
    }

    void read_gate(std::uint32_t line) {
        if (words_.size() < 4) text_.fail(line, "a gate line is: inputs outputs wires... NAME");
        const std::uint64_t ins = number(0, "the number of inputs");
        const std::uint64_t outs = number(1, "the number of outputs");
        const auto entry = std::ranges::find(word_table, words_.back(), &WordEntry::text);
        if (entry == word_table.end()) {
            text_.fail(line, fmt::format("unknown gate {}", shown(words_.back())));
        }
        const std::uint64_t wires = words_.size() - 3;
        if (ins > wires || outs > wires || ins + outs != wires) {
            text_.fail(line, fmt::format("{} gate of {} inputs and {} outputs lists {} wires", entry->text,
                                         ins, outs, wires));
        }
        const bool multiple = entry->word == Word::mand;
        if ((entry->inputs != 0 ? ins != entry->inputs : ins < 2) ||
            (multiple ? ins != 2 * outs : outs != 1)) {
            text_.fail(line, fmt::format("{} gate with {} inputs and {} outputs", entry->text, ins, outs));
        }
        const Gate gate{entry->word, line, static_cast<std::uint32_t>(wires_.size()),
                        static_cast<std::uint32_t>(ins), static_cast<std::uint32_t>(outs)};
        for (std::size_t i = 0; i < wires; ++i) {
            const std::uint64_t wire = number(2 + i, "a wire");
            if (gate.word == Word::constant && i == 0) {
                if (wire > 1) text_.fail(line, fmt::format("EQ sets a wire to 0 or 1, not to {}", wire));
            } else if (wire >= wire_count_) {
                text_.fail(line,
                           fmt::format("wire {} does not exist: the header announces {}", wire, wire_count_));
            }
            wires_.push_back(static_cast<std::uint32_t>(wire));
            if (i < ins) continue;
            if (wire < input_wires_) text_.fail(line, fmt::format("the gate drives input wire {}", wire));
            if (driver_[wire] != no_node) {
                text_.fail(line, fmt::format("wire {} is already driven in line {}", wire,
                                             gates_[driver_[wire]].line));
            }
            driver_[wire] = static_cast<std::uint32_t>(gates_.size());
        }
        gates_.push_back(gate);
    }

    [[nodiscard]] std::uint32_t wires_read(const Gate& gate) const {
        return gate.word == Word::constant ? 0 : gate.inputs;
    }

    Circuit build() {
        std::vector<Literal> value(wire_count_);
        std::uint64_t wire = 0;
        for (std::size_t i = 0; i < inputs_.size(); ++i) {
            for (const Literal bit :
                 builder_.add_input(fmt::format("in{}", i), static_cast<std::uint32_t>(inputs_[i]))) {
                value[wire++] = bit;
            }
        }
        const auto check_driven = [&](std::uint64_t read, std::uint32_t line) {
            if (read >= input_wires_ && driver_[read] == no_node) {
                text_.fail(line, fmt::format("wire {} is never driven", read));
            }
        };
        for (const Gate& gate : gates_) {
            for (std::uint32_t i = 0; i < wires_read(gate); ++i)
                check_driven(wires_[gate.first + i], gate.line);
        }
        for (std::uint64_t i = wire_count_ - output_wires_; i < wire_count_; ++i)
            check_driven(i, header_line_);
        const TopologicalOrder sorted = topological_order(
            static_cast<std::uint32_t>(gates_.size()),
            [&](std::uint32_t gate) { return wires_read(gates_[gate]); },
            [&](std::uint32_t gate, std::uint32_t input) {
                return driver_[wires_[gates_[gate].first + input]];
            });
        if (!sorted.cycle.empty()) {
            const Gate& gate = gates_[sorted.cycle.front()];
            text_.fail(gate.line, fmt::format("wire {} lies on a loop of {} gates",
                                              wires_[gate.first + gate.inputs], sorted.cycle.size()));
        }
        std::vector<Literal> ins;
        for (const std::uint32_t index : sorted.order) {
            const Gate& gate = gates_[index];
            ins.clear();
            for (std::uint32_t i = 0; i < wires_read(gate); ++i) ins.push_back(value[wires_[gate.first + i]]);
            const std::uint32_t* out = &wires_[gate.first + gate.inputs];
            if (gate.word == Word::mand) {
                for (std::uint32_t i = 0; i < gate.outputs; ++i) {
                    value[out[i]] = builder_.and_gate(ins[i], ins[i + gate.outputs]);
                }
            } else {
                value[*out] = make(gate, ins);
            }
        }
        wire = wire_count_ - output_wires_;
        for (std::size_t i = 0; i < outputs_.size(); ++i) {
            const auto first = value.begin() + static_cast<std::ptrdiff_t>(wire);
            builder_.add_output(fmt::format("out{}", i),
                                {first, first + static_cast<std::ptrdiff_t>(outputs_[i])});
            wire += outputs_[i];
        }
        return builder_.finish();
    }

    Literal make(const Gate& gate, const std::vector<Literal>& ins) {
        switch (gate.word) {
            case Word::exclusive_or:
                return builder_.xor_of(ins);
            case Word::xnor:
                return !builder_.xor_of(ins);
            case Word::conjunction:
                return builder_.and_of(ins);
            case Word::nand:
                return !builder_.and_of(ins);
            case Word::disjunction:
                return builder_.or_of(ins);
            case Word::nor:
                return !builder_.or_of(ins);
            case Word::inversion:
                return !ins[0];
            case Word::copy:
                return ins[0];
            case Word::constant:
                return Literal::constant(wires_[gate.first] != 0);
            case Word::mux:  // wires a b s: s ? b : a
                return builder_.mux(ins[2], ins[1], ins[0]);
            case Word::mand:
                break;
        }
        return {};
    }

    NetlistText text_;
    std::uint64_t size_;
    CircuitBuilder builder_;
    std::vector<std::string_view> words_;
    bool has_words_ = false;
    std::uint32_t header_line_ = 0;
    std::uint32_t line_ = 0;  ///< of words_
    std::uint64_t gate_count_ = 0;
    std::uint64_t wire_count_ = 0;
    std::uint64_t input_wires_ = 0;
    std::uint64_t output_wires_ = 0;
    std::vector<std::uint64_t> inputs_;
    std::vector<std::uint64_t> outputs_;
    std::vector<Gate> gates_;
    std::vector<std::uint32_t> wires_;
    std::vector<std::uint32_t> driver_;
};

}  // namespace

Circuit read_bristol(std::string_view text, const std::string& source, const ReadOptions& options) {
    return BristolReader(text, source, options).read();
}

}  // namespace toroid::circuit
