// SPDX-License-Identifier: Apache-2.0
#include "compiler/optimize/cost_by_output.hpp"

#include <algorithm>

namespace toroid::compiler {
namespace {

constexpr std::uint32_t nobody = 0;
constexpr std::uint32_t several = 1;

std::string word_of(const std::string& name) {
    return name.ends_with(']') ? name.substr(0, name.rfind('[')) : name;
}

}  // namespace

std::vector<std::pair<std::string, std::uint64_t>> cost_by_output(const circuit::Circuit& circuit) {
    std::vector<std::pair<std::string, std::uint64_t>> costs{{"", 0}, {"shared by several outputs", 0}};
    std::vector<std::uint32_t> user(circuit.signal_count, nobody);
    const auto mark = [&](circuit::SignalId signal, std::uint32_t who) {
        if (user[signal] != who) user[signal] = user[signal] == nobody ? who : several;
    };
    for (const circuit::OutputPort& port : circuit.outputs) {
        costs.emplace_back("output " + port.name, 0);
        for (const circuit::Literal bit : port.bits)
            mark(bit.signal(), static_cast<std::uint32_t>(costs.size() - 1));
    }
    std::string last;
    for (const circuit::Register& item : circuit.registers) {
        const std::string place = "register " + word_of(item.name);
        if (place != last) costs.emplace_back(place, 0);
        last = place;
        mark(item.next.signal(), static_cast<std::uint32_t>(costs.size() - 1));
    }
    for (auto gate = circuit.gates.rbegin(); gate != circuit.gates.rend(); ++gate) {
        const std::uint32_t who = user[gate->output];
        costs[who].second += static_cast<std::uint64_t>(gate->bootstraps());
        if (who == nobody) continue;
        for (std::uint32_t i = 0; i < std::uint32_t{gate->operands_a} + gate->operands_b; ++i)
            mark(circuit.operands[gate->first_operand + i].index, who);
    }
    std::erase_if(costs, [](const auto& cost) { return cost.second == 0; });
    for (auto& [place, bootstraps] : costs) {
        if (place.empty()) place = "read by no output";
    }
    return costs;
}

}  // namespace toroid::compiler
