// SPDX-License-Identifier: Apache-2.0
#include "compiler/optimize/control_rewriting.hpp"

#include <fmt/format.h>

#include <array>

#include "base/file.hpp"
#include "circuit/netlist_reader.hpp"
#include "compiler/process/child_process.hpp"
#include "compiler/process/temporary_folder.hpp"

namespace toroid::compiler {
namespace {

using Kind = LogicGraph::Kind;

constexpr std::uint64_t longest_result = std::uint64_t{1} << 30;
// A. Mishchenko, R. Brayton, "Scalable logic synthesis using a simple circuit structure", IWLS 2006: the
// sequence that ABC's own start file calls compress2rs.
constexpr const char* passes =
    "balance; resub -K 6; rewrite; resub -K 6 -N 2; refactor; resub -K 8; balance; resub -K 8 -N 2; rewrite; "
    "resub -K 10; rewrite -z; resub -K 10 -N 2; balance; resub -K 12; refactor -z; resub -K 12 -N 2; rewrite "
    "-z; "
    "balance";

/// Bytes of a number, seven bits each, the lowest first.
void put_number(std::string& out, std::uint32_t value) {
    for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
    out += static_cast<char>(value);
}

std::vector<std::uint64_t> simulate(const LogicGraph& graph, std::uint64_t seed) {
    std::vector<std::uint64_t> value(graph.size(), 0);
    std::uint64_t state = seed;
    const auto word = [&](Edge edge) { return edge.negated() ? ~value[edge.node()] : value[edge.node()]; };
    for (std::uint32_t i = 1; i < graph.size(); ++i) {
        const LogicGraph::Node& node = graph.nodes()[i];
        if (node.kind == Kind::leaf) {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            value[i] = state;
        } else {
            value[i] = node.kind == Kind::conjunction ? word(node.first) & word(node.second)
                                                      : word(node.first) ^ word(node.second);
        }
    }
    std::vector<std::uint64_t> out;
    for (const Edge root : graph.roots) out.push_back(word(root));
    return out;
}

}  // namespace

std::string to_aiger(const LogicGraph& graph) {
    std::vector<std::uint32_t> literal(graph.size(), 0);
    std::uint32_t variables = 0;
    for (std::uint32_t i = 0; i < graph.leaves(); ++i) literal[graph.leaf(i).node()] = 2 * ++variables;
    std::string gates;
    const auto of = [&](Edge edge) { return literal[edge.node()] ^ (edge.negated() ? 1U : 0U); };
    const auto conjunction = [&](std::uint32_t a, std::uint32_t b) {
        const std::uint32_t own = 2 * ++variables;
        put_number(gates, own - std::max(a, b));
        put_number(gates, std::max(a, b) - std::min(a, b));
        return own;
    };
    for (std::uint32_t i = graph.leaves() + 1; i < graph.size(); ++i) {
        const LogicGraph::Node& node = graph.nodes()[i];
        const std::uint32_t a = of(node.first);
        const std::uint32_t b = of(node.second);
        if (node.kind == Kind::conjunction) {
            literal[i] = conjunction(a, b);
        } else {
            const std::uint32_t left = conjunction(a, b ^ 1);
            const std::uint32_t right = conjunction(a ^ 1, b);
            literal[i] = conjunction(left ^ 1, right ^ 1) ^ 1;
        }
    }
    std::string out = fmt::format("aig {} {} 0 {} {}\n", variables, graph.leaves(), graph.roots.size(),
                                  variables - graph.leaves());
    for (const Edge root : graph.roots) out += fmt::format("{}\n", of(root));
    return out + gates;
}

bool agree_on_random_vectors(const LogicGraph& a, const LogicGraph& b) {
    constexpr std::uint64_t words = 64;
    for (std::uint64_t seed = 1; seed <= words; ++seed) {
        if (simulate(a, seed * 0x9e3779b97f4a7c15ULL) != simulate(b, seed * 0x9e3779b97f4a7c15ULL))
            return false;
    }
    return true;
}

std::optional<LogicGraph> rewrite_control_logic(const LogicGraph& graph,
                                                const ControlRewritingOptions& options) {
    auto program = find_program("berkeley-abc");
    if (!program) program = find_program("yosys-abc");
    if (!program || graph.leaves() == 0 || graph.roots.empty()) return std::nullopt;
    const TemporaryFolder folder;
    const auto in_folder = [](const char* name) {
        return fmt::format("/proc/self/fd/{}/{}", folder_descriptor, name);
    };
    base::write_file(folder.path() / "in.aig", to_aiger(graph), base::FileMode::ordinary);
    ChildProcess child;
    child.program = *program;
    child.arguments = {"-q", fmt::format("read_aiger {}; {}; write_aiger {}", in_folder("in.aig"), passes,
                                         in_folder("out.aig"))};
    child.folder = folder.path();
    child.error_file = folder.path() / "errors.txt";
    child.time_limit = options.time_limit;
    child.memory_limit_bytes = options.memory_limit_bytes;
    child.checkpoint = options.checkpoint;
    const ChildResult result = run_child(child);
    const std::filesystem::path made = folder.path() / "out.aig";
    std::error_code ignored;
    if (result.timed_out || result.signal != 0 || result.exit_code != 0 ||
        !std::filesystem::exists(made, ignored))
        return std::nullopt;
    const std::vector<std::byte> bytes = base::read_file(made, longest_result);
    const circuit::Circuit circuit =
        circuit::read_aiger({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, "ABC's result", {});
    LogicGraph out = to_logic_graph(circuit);
    if (out.leaves() != graph.leaves() || out.roots.size() != graph.roots.size() ||
        !agree_on_random_vectors(graph, out))
        return std::nullopt;
    return out;
}

}  // namespace toroid::compiler
