// SPDX-License-Identifier: Apache-2.0
#include "compiler/word/lower.hpp"

#include <tuple>

#include "compiler/word/bit_lowering.hpp"
#include "compiler/word/restructure.hpp"

namespace toroid::compiler {

bool CostByLocation::Less::operator()(const SourceLocation& a, const SourceLocation& b) const {
    return std::tie(a.file, a.line, a.column) < std::tie(b.file, b.line, b.column);
}

circuit::Circuit lower(const WordGraph& program, const std::string& name, const MappingOptions& options,
                       CostByLocation* cost) {
    const WordGraph graph = restructure(program);
    GateNet net(options.weight_limit);
    BitLowering lowering(graph, net, options.objective);
    lowering.run();
    std::vector<Literal> outputs;
    for (const WordGraph::Output& output : graph.outputs()) {
        const auto& bits = lowering.bits(output.word);
        outputs.insert(outputs.end(), bits.begin(), bits.end());
    }
    net.settle_noise(outputs);

    circuit::CircuitBuilder builder(name);
    std::vector<Literal> made(net.size());
    for (const WordGraph::Input& input : graph.inputs()) {
        const auto literals = builder.add_input(input.name, input.width, input.is_signed);
        const auto& bits = lowering.bits(input.word);
        for (std::size_t bit = 0; bit < literals.size(); ++bit) made[bits[bit].signal()] = literals[bit];
    }
    for (const std::uint32_t signal : net.live_gates(outputs)) {
        made[signal] = net.emit(signal, made, builder);
        if (cost != nullptr)
            cost->bootstraps[graph.node({net.origin(signal)}).location] +=
                static_cast<std::uint64_t>(net.bootstraps(signal));
    }
    auto next = outputs.begin();
    for (const WordGraph::Output& output : graph.outputs()) {
        std::vector<Literal> bits;
        for (std::uint32_t bit = 0; bit < graph.width(output.word); ++bit, ++next) {
            const Literal literal = made[next->signal()];
            bits.push_back(next->negated() ? !literal : literal);
        }
        builder.add_output(output.name, std::move(bits), output.is_signed);
    }
    return builder.finish();
}

}  // namespace toroid::compiler
