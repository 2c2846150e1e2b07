// SPDX-License-Identifier: Apache-2.0
#include "toroid/circuit.hpp"

#include <fmt/format.h>

#include "api/common/access.hpp"
#include "base/file.hpp"
#include "circuit/netlist_reader.hpp"
#include "circuit/statistics.hpp"
#include "runtime/noise_check.hpp"
#include "runtime/plan.hpp"
#include "runtime/refresh.hpp"
#include "scheme/noise_model.hpp"

namespace toroid {
namespace {

constexpr std::uint32_t figures_full_batch = 64;

}  // namespace

Circuit::Circuit(std::shared_ptr<const State> state) : state_(std::move(state)) {}

Circuit detail::Access::wrap(circuit::Circuit circuit) {
    Interface interface = wrap(circuit::interface_of(circuit));
    return Circuit(
        std::make_shared<const Circuit::State>(Circuit::State{std::move(circuit), std::move(interface)}));
}

Circuit Circuit::read(const std::vector<std::filesystem::path>& files, const CompileOptions& options,
                      std::vector<Warning>* warnings) {
    CompileReport report;
    Circuit circuit = compile(files, options, report);
    if (warnings != nullptr) {
        for (Warning& warning : report.warnings) warnings->push_back(std::move(warning));
    }
    return circuit;
}

Circuit Circuit::read(const std::filesystem::path& file, const CompileOptions& options,
                      std::vector<Warning>* warnings) {
    return read(std::vector{file}, options, warnings);
}

const std::string& Circuit::name() const noexcept {
    return state_->circuit.name;
}
const Interface& Circuit::interface() const noexcept {
    return state_->interface;
}

CircuitFigures Circuit::figures() const {
    circuit::Statistics statistics = circuit::statistics(state_->circuit);
    CircuitFigures figures;
    figures.gates_by_kind = std::move(statistics.gates_by_kind);
    figures.gates = statistics.gates;
    figures.bootstraps = statistics.bootstraps;
    figures.registers = state_->circuit.registers.size();
    figures.depth = statistics.depth;
    figures.width_by_level = std::move(statistics.width_by_level);
    figures.slots = runtime::make_plan(state_->circuit, {figures_full_batch, 0}).slots;
    return figures;
}

FailureFigures Circuit::failure(const ParameterSet& parameters, std::uint32_t cycles,
                                double target_failure_log2) const {
    detail::check_target(target_failure_log2);
    const scheme::NoiseModel model(detail::Access::of(parameters));
    const bool held = !state_->circuit.is_sequential();
    const std::vector<runtime::InputNoise> inputs(state_->circuit.inputs.size(), {model.fresh, held});
    const runtime::RefreshedCircuit refreshed =
        runtime::refresh_noisy_wires(state_->circuit, model, model.fresh, target_failure_log2);
    FailureFigures figures =
        detail::to_figures(runtime::noise_report(refreshed.circuit, model, inputs, cycles));
    figures.refreshes = refreshed.refreshes;
    return figures;
}

Values Circuit::simulate(const Values& inputs, std::uint32_t cycles) const {
    return circuit::simulate(state_->circuit, inputs, cycles);
}

std::string Circuit::to_native() const {
    return circuit::write_native(state_->circuit);
}
std::string Circuit::to_blif() const {
    return circuit::write_blif(state_->circuit);
}

void Circuit::save(const std::filesystem::path& path) const {
    const std::string ending = path.extension().string();
    if (ending == ".toroid") {
        base::write_file(path, to_native(), base::FileMode::ordinary);
    } else if (ending == ".blif") {
        base::write_file(path, to_blif(), base::FileMode::ordinary);
    } else {
        throw Error(ErrorKind::usage,
                    fmt::format("{}: a circuit is written as .toroid or .blif", path.string()));
    }
}

void detail::check_target(double target_failure_log2) {
    if (target_failure_log2 <= 0) return;
    throw Error(ErrorKind::usage,
                fmt::format("a target of 2^{} is no failure probability", target_failure_log2));
}

FailureFigures detail::to_figures(const runtime::NoiseReport& report) {
    FailureFigures figures;
    figures.largest_weight_norm = report.largest_weight_norm;
    figures.gate_log2 = report.worst_gate_log2;
    figures.worst_gate = report.worst_gate;
    figures.output_variance = report.largest_output_variance;
    figures.output_log2 = report.worst_output_log2;
    figures.worst_output = report.worst_output;
    figures.circuit_log2 = report.circuit_log2;
    return figures;
}

}  // namespace toroid
