// SPDX-License-Identifier: Apache-2.0
// ISCAS .bench: INPUT(a), OUTPUT(y), y = NAND(a, b), q = DFF(d); registers start at 0.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "circuit/net_graph.hpp"

namespace toroid::circuit {
namespace {

struct BenchGate {
    std::string_view name;
    LogicKind kind;
    std::size_t inputs;  ///< 0 = one or more
};
constexpr std::array<BenchGate, 13> bench_gates = {{{"AND", LogicKind::conjunction, 0},
                                                    {"NAND", LogicKind::nand, 0},
                                                    {"OR", LogicKind::disjunction, 0},
                                                    {"NOR", LogicKind::nor, 0},
                                                    {"XOR", LogicKind::exclusive_or, 0},
                                                    {"XNOR", LogicKind::xnor, 0},
                                                    {"NOT", LogicKind::inversion, 1},
                                                    {"INV", LogicKind::inversion, 1},
                                                    {"BUF", LogicKind::copy, 1},
                                                    {"BUFF", LogicKind::copy, 1},
                                                    {"GND", LogicKind::constant_0, 0},
                                                    {"VDD", LogicKind::constant_1, 0},
                                                    {"VCC", LogicKind::constant_1, 0}}};

class BenchReader {
 public:
    BenchReader(std::string_view text, const std::string& source, const ReadOptions& options)
        : text_(text, source, options), graph_(text_) {}

    Circuit read() {
        std::string_view line;
        while (text_.next_line(line)) {
            line = trimmed(line.substr(0, line.find('#')));
            if (!line.empty()) statement(line);
        }
        if (graph_.net_count() == 0) text_.fail(0, "no gate in the file");
        return graph_.build(stem_of(text_.source()));
    }

 private:
    static std::string_view trimmed(std::string_view word) {
        constexpr std::string_view blanks = " \t\r\v\f";
        const std::size_t first = word.find_first_not_of(blanks);
        if (first == std::string_view::npos) return {};
        return word.substr(first, word.find_last_not_of(blanks) - first + 1);
    }
    [[noreturn]] void fail(const std::string& message) const { text_.fail(text_.line_number(), message); }

    NetGraph::NetId net(std::string_view name) {
        if (name.empty() || name.find_first_of(" \t(),=") != std::string_view::npos) {
            fail(fmt::format("'{}' is no net name", shown(name)));
        }
        const auto [entry, is_new] = nets_.try_emplace(name, 0);
        if (is_new) entry->second = graph_.add_net(std::string(name));
        return entry->second;
    }

    void statement(std::string_view line) {
        const std::uint32_t number = text_.line_number();
        const std::size_t equal = line.find('=');
        std::string_view call = equal == std::string_view::npos ? line : trimmed(line.substr(equal + 1));
        const std::size_t open = call.find('(');
        std::string_view arguments;
        if (open != std::string_view::npos) {
            if (call.back() != ')') fail("a closing parenthesis is missing");
            arguments = trimmed(call.substr(open + 1, call.size() - open - 2));
            call = trimmed(call.substr(0, open));
        } else if (equal == std::string_view::npos) {
            fail(fmt::format("not a .bench line: {}", shown(line)));
        }
        std::string word;
        for (const char c : call) word += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
        if (equal == std::string_view::npos) {
            if (word == "INPUT") {
                graph_.add_input(net(arguments), number);
            } else if (word == "OUTPUT") {
                graph_.add_output(net(arguments), number);
            } else {
                fail(fmt::format("unknown declaration {}", shown(call)));
            }
            return;
        }
        pins_.clear();
        for (std::string_view rest = arguments; !rest.empty();) {
            const std::size_t comma = rest.find(',');
            pins_.push_back(net(trimmed(rest.substr(0, comma))));
            if (comma == std::string_view::npos) break;
            rest = trimmed(rest.substr(comma + 1));
            if (rest.empty()) fail("an operand is missing after the comma");
        }
        const auto output = net(trimmed(line.substr(0, equal)));
        if (word == "DFF") {
            if (pins_.size() != 1) fail(fmt::format("DFF with {} inputs", pins_.size()));
            graph_.add_storage(pins_[0], output, false, number);
            return;
        }
        const auto gate = std::ranges::find(bench_gates, word, &BenchGate::name);
        if (gate == bench_gates.end()) fail(fmt::format("unknown gate {}", shown(call)));
        const bool is_constant = gate->kind == LogicKind::constant_0 || gate->kind == LogicKind::constant_1;
        if (is_constant ? !pins_.empty() : gate->inputs != 0 ? pins_.size() != gate->inputs : pins_.empty()) {
            fail(fmt::format("{} with {} inputs", gate->name, pins_.size()));
        }
        graph_.add_logic(gate->kind, pins_, output, number);
    }

    NetlistText text_;
    NetGraph graph_;
    std::unordered_map<std::string_view, NetGraph::NetId> nets_;
    std::vector<NetGraph::NetId> pins_;
};

}  // namespace

Circuit read_bench(std::string_view text, const std::string& source, const ReadOptions& options) {
    return BenchReader(text, source, options).read();
}

}  // namespace toroid::circuit
