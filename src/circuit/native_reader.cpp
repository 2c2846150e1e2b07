// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <unordered_set>

#include "circuit/native_format.hpp"
#include "circuit/netlist_text.hpp"

namespace toroid::circuit {
namespace {

constexpr std::uint64_t largest_signal_count = std::uint64_t{1} << 31;

class NativeReader {
 public:
    NativeReader(std::string_view text, const std::string& source, const ReadOptions& options)
        : whole_(text), text_(text, source, options) {}

    Circuit read() {
        read_head();
        bool ended = false;
        while (!ended && next()) ended = statement();
        if (!ended) text_.fail(text_.line_number(), "the file ends without its closing line: it is cut off");
        std::string_view rest;
        if (text_.next_line(rest)) fail("something follows the closing line");
        if (nexts_ != circuit_.registers.size()) {
            fail(fmt::format("{} registers but {} next lines", circuit_.registers.size(), nexts_));
        }
        return std::move(circuit_);
    }

 private:
    [[noreturn]] void fail(const std::string& message) const { text_.fail(text_.line_number(), message); }

    bool next() {
        if (!text_.next_line(line_)) return false;
        words_.clear();
        split_words(line_, words_);
        if (words_.empty()) fail("an empty line");
        return true;
    }

    void read_head() {
        if (!next() || words_[0] != native_magic) text_.fail(1, "not a toroid-circuit file");
        if (words_.size() != 2 || words_[1] != std::to_string(native_version)) {
            fail(fmt::format("format version {} is not supported (this program reads version {})",
                             words_.size() == 2 ? shown(words_[1]) : "?", native_version));
        }
        if (!next() || words_[0] != "name" || words_.size() != 2)
            fail("the second line must be: name <name>");
        circuit_.name = unescaped(words_[1]);
    }

    /// True at the closing line.
    bool statement() {
        const std::string_view word = words_[0];
        if (word == "end") {
            closing_line();
            return true;
        }
        if (word == "input") {
            input();
        } else if (word == "register") {
            expect_words(3);
            Register item{unescaped(words_[1]), bit(words_[2]), new_signal(), {}};
            circuit_.registers.push_back(std::move(item));
        } else if (word == "linear" || word == "bootstrap") {
            gate(word == "linear" ? base::GateForm::linear : base::GateForm::bootstrap);
        } else if (word == "pair") {
            pair();
        } else if (word == "next") {
            expect_words(2);
            if (nexts_ == circuit_.registers.size()) fail("more next lines than registers");
            signals_closed_ = true;
            circuit_.registers[nexts_++].next = literal(words_[1]);
        } else if (word == "output") {
            output();
        } else {
            fail(fmt::format("unknown line {}", shown(word)));
        }
        return false;
    }

    void closing_line() {
        expect_words(3);
        if (parse_count(words_[1]) != circuit_.gates.size()) {
            fail(fmt::format("the file announces {} gates and has {}", shown(words_[1]),
                             circuit_.gates.size()));
        }
        const auto before = static_cast<std::size_t>(line_.data() - whole_.data());
        if (words_[2] != native_checksum(whole_.substr(0, before)))
            fail("the checksum is wrong: the file is damaged");
    }

    void expect_words(std::size_t count) const {
        if (words_.size() != count)
            fail(fmt::format("'{}' takes {} words, not {}", shown(words_[0]), count, words_.size()));
    }
    std::string unescaped(std::string_view word) const {
        if (word == "%") return {};
        std::string out;
        for (std::size_t i = 0; i < word.size(); ++i) {
            if (word[i] != '%') {
                out += word[i];
                continue;
            }
            unsigned value = 0;
            const std::string_view digits = word.substr(i + 1, 2);
            const auto [end, error] =
                std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
            if (digits.size() != 2 || error != std::errc() || end != digits.data() + 2) {
                fail(fmt::format("{} has a broken escape", shown(word)));
            }
            out += static_cast<char>(value);
            i += 2;
        }
        return out;
    }
    bool bit(std::string_view word) const {
        if (word != "0" && word != "1") fail(fmt::format("{} is not 0 or 1", shown(word)));
        return word == "1";
    }
    bool sign(std::string_view word) const {
        if (word != "signed" && word != "unsigned")
            fail(fmt::format("{} is not signed or unsigned", shown(word)));
        return word == "signed";
    }
    SignalId new_signal() {
        if (signals_closed_) fail("signals come before next and output lines");
        if (circuit_.signal_count >= largest_signal_count) fail("more than 2^31 signals");
        return circuit_.signal_count++;
    }
    Literal literal(std::string_view word) const {
        const bool negated = word.starts_with('!');
        const auto signal = parse_count(word.substr(negated ? 1 : 0));
        if (!signal || *signal >= circuit_.signal_count)
            fail(fmt::format("{} is no literal of this circuit", shown(word)));
        return {static_cast<SignalId>(*signal), negated};
    }

    void input() {
        expect_words(4);
        InputPort port{unescaped(words_[1]), sign(words_[3]), {}};
        const auto width = parse_count(words_[2]);
        // The width alone must not make us allocate more than the file can hold in readers of those bits.
        const std::uint64_t limit = std::max<std::uint64_t>(std::uint64_t{1} << 20, whole_.size());
        if (!width || *width == 0 || *width > limit ||
            circuit_.signal_count + *width > limit + largest_own_signals()) {
            fail(fmt::format("{} is no width for input {}", shown(words_[2]), shown(words_[1])));
        }
        if (!input_names_.insert(port.name).second)
            fail(fmt::format("two inputs are named {}", shown(port.name)));
        for (std::uint64_t i = 0; i < *width; ++i) port.signals.push_back(new_signal());
        circuit_.inputs.push_back(std::move(port));
    }
    [[nodiscard]] std::uint64_t largest_own_signals() const {
        return circuit_.gates.size() + circuit_.registers.size() + 1;
    }

    void output() {
        if (words_.size() < 4) fail("an output takes a name, signed or unsigned, and its bits");
        signals_closed_ = true;
        OutputPort port{unescaped(words_[1]), sign(words_[2]), {}};
        if (!output_names_.insert(port.name).second)
            fail(fmt::format("two outputs are named {}", shown(port.name)));
        for (std::size_t i = 3; i < words_.size(); ++i) port.bits.push_back(literal(words_[i]));
        circuit_.outputs.push_back(std::move(port));
    }

    std::int8_t offset(std::size_t index) const {
        if (index >= words_.size()) fail("an offset is missing");
        int value = 0;
        const std::string_view word = words_[index];
        const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
        if (error != std::errc() || end != word.data() + word.size() || value < -128 || value > 127) {
            fail(fmt::format("{} is no offset", shown(word)));
        }
        return static_cast<std::int8_t>(value);
    }
    /// Operands words_[first] .. words_[last-1] appended; returns how many.
    std::uint16_t operands(std::size_t first, std::size_t last) {
        if (last - first > std::numeric_limits<std::uint16_t>::max())
            fail("a gate with more than 65535 operands");
        if (circuit_.operands.size() + (last - first) > std::numeric_limits<std::uint32_t>::max()) {
            fail("more than 2^32 operands");
        }
        for (std::size_t i = first; i < last; ++i) {
            const std::string_view word = words_[i];
            const std::size_t star = word.find('*');
            base::Operand operand;
            const char* weight_end = word.data() + std::min(star, word.size());
            const auto [end, error] = std::from_chars(word.data(), weight_end, operand.weight);
            constexpr std::uint64_t none = ~std::uint64_t{0};
            const std::uint64_t signal =
                star == std::string_view::npos ? none : parse_count(word.substr(star + 1)).value_or(none);
            if (error != std::errc() || end != weight_end || signal == none) {
                fail(fmt::format("{} is no operand", shown(word)));
            }
            if (signal >= circuit_.signal_count) {
                fail(fmt::format("operand {} reads a signal that does not exist yet", shown(word)));
            }
            operand.index = static_cast<std::uint32_t>(signal);
            circuit_.operands.push_back(operand);
        }
        return static_cast<std::uint16_t>(last - first);
    }
    base::GateRecord new_gate(base::GateForm form) const {
        base::GateRecord out;
        out.form = form;
        out.first_operand = static_cast<std::uint32_t>(circuit_.operands.size());
        return out;
    }
    void gate(base::GateForm form) {
        base::GateRecord made = new_gate(form);
        made.offset_a = offset(1);
        made.operands_a = operands(2, words_.size());
        made.output = new_signal();
        circuit_.gates.push_back(made);
    }
    void pair() {
        base::GateRecord made = new_gate(base::GateForm::pair);
        made.post_offset = offset(1);
        std::size_t second = 3;
        while (second < words_.size() && words_[second] != "|") ++second;
        if (words_.size() < 3 || words_[2] != "|" || second >= words_.size()) {
            fail("a pair takes: post | offset operands | offset operands");
        }
        made.offset_a = offset(3);
        made.operands_a = operands(4, std::max<std::size_t>(second, 4));
        made.offset_b = offset(second + 1);
        made.operands_b = operands(second + 2, words_.size());
        made.output = new_signal();
        circuit_.gates.push_back(made);
    }

    std::string_view whole_;
    NetlistText text_;
    std::string_view line_;
    std::vector<std::string_view> words_;
    Circuit circuit_;
    std::size_t nexts_ = 0;
    bool signals_closed_ = false;
    std::unordered_set<std::string> input_names_;
    std::unordered_set<std::string> output_names_;
};

}  // namespace

Circuit read_native(std::string_view text, const std::string& source, const ReadOptions& options) {
    return NativeReader(text, source, options).read();
}

}  // namespace toroid::circuit
