// SPDX-License-Identifier: Apache-2.0
// Circuit::compile: one program mapped for each parameter set in question, the best circuit kept and
// verified.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "api/common/access.hpp"
#include "api/common/program.hpp"
#include "compiler/optimize/circuit_cost.hpp"
#include "compiler/optimize/cost_by_output.hpp"
#include "compiler/optimize/optimizer.hpp"
#include "scheme/cost_model.hpp"
#include "scheme/noise_model.hpp"

namespace toroid {
namespace {

/// Bootstraps that a device does at once: eight on each thread of a CPU with 16, eight on each multiprocessor
/// of a large GPU. Constants, so that a program gives the same circuit on every machine.
constexpr std::uint64_t cpu_width = 128;
constexpr std::uint64_t cuda_width = 1056;
/// A two-input gate has weight norm 2: below that a set carries no circuit at all.
constexpr int least_weight_limit = 2;

/// A parameter set as the compiler sees it.
struct Target {
    std::string name;
    int weight_limit = 0;
    double price = 0;  ///< of one bootstrap
};

Target target_of(const ParameterSet& set, double target_log2) {
    const scheme::Parameters& parameters = detail::Access::of(set);
    const double norm = scheme::NoiseModel(parameters).largest_weight_norm(target_log2);
    return {set.name(), static_cast<int>(std::floor(norm)), scheme::CostModel(parameters).blind_rotation_fma};
}

std::vector<Target> targets_of(const CompileOptions& options) {
    std::vector<ParameterSet> sets = options.parameters;
    if (sets.empty()) sets.push_back(ParameterSet::all().front());
    std::vector<Target> targets;
    std::string refused;
    for (const ParameterSet& set : sets) {
        const Target target = target_of(set, options.target_failure_log2);
        if (target.weight_limit >= least_weight_limit) {
            targets.push_back(target);
        } else {
            refused += (refused.empty() ? "" : ", ") + set.name();
        }
    }
    if (targets.empty()) {
        throw Error(ErrorKind::noise,
                    fmt::format("no gate fails with probability 2^{:g} or less under parameter set {}; "
                                "take another set or a higher target",
                                options.target_failure_log2, refused));
    }
    return targets;
}

struct Candidate {
    circuit::Circuit circuit;
    compiler::CostByLocation by_location;
    compiler::CircuitCost mapped;  ///< before gates were merged
    compiler::CircuitCost cost;
};

class Compilation {
 public:
    Compilation(const detail::Program& program, const CompileOptions& options, CompileReport& report)
        : program_(program), options_(options), report_(report) {}

    circuit::Circuit run() {
        std::optional<Candidate> best;
        double best_price = 0;
        for (const auto& [target, made] : made_for_targets()) {
            const double price = target.price * static_cast<double>(measure(made));
            if (best && price >= best_price) continue;
            best = made;
            best_price = price;
            report_.parameters = target.name;
            report_.weight_limit = static_cast<std::uint32_t>(target.weight_limit);
        }
        if (best->cost.too_heavy != 0 && options_.optimize != Optimize::none) {
            throw Error(
                ErrorKind::noise,
                fmt::format(
                    "circuit {}: {} gates have a weight norm above {}, the largest at which parameter "
                    "set {} fails with at most 2^{:g}",
                    best->circuit.name, best->cost.too_heavy, report_.weight_limit, report_.parameters,
                    options_.target_failure_log2));
        }
        verify(best->circuit);
        fill_report(*best);
        return std::move(best->circuit);
    }

 private:
    /// The best circuit for each target; sets of one weight limit share theirs.
    std::vector<std::pair<Target, Candidate>> made_for_targets() {
        std::vector<std::pair<Target, Candidate>> out;
        std::vector<Target> targets = targets_of(options_);
        if (options_.optimize == Optimize::none) targets.resize(1);
        for (const Target& target : targets) {
            const auto same = std::ranges::find_if(
                out, [&](const auto& other) { return other.first.weight_limit == target.weight_limit; });
            Candidate made = same != out.end() ? same->second : make(target.weight_limit);
            out.emplace_back(target, std::move(made));
        }
        return out;
    }

    Candidate make(int weight_limit) {
        switch (options_.optimize) {
            case Optimize::none:
            case Optimize::size:
                return make(weight_limit, compiler::Objective::size);
            case Optimize::depth:
                return make(weight_limit, compiler::Objective::depth);
            case Optimize::balanced:
                return make_balanced(weight_limit);
            case Optimize::automatic:
                break;
        }
        Candidate small = make(weight_limit, compiler::Objective::size);
        if (!program_.has_objectives) return small;
        Candidate shallow = make(weight_limit, compiler::Objective::depth);
        return measure(shallow) < measure(small) ? shallow : small;
    }

    Candidate make_balanced(int weight_limit) {
        std::vector<Candidate> candidates;
        candidates.push_back(make(weight_limit, compiler::Objective::size, true));
        if (program_.has_objectives) {
            candidates.push_back(make(weight_limit, compiler::Objective::depth, true));
            // Says what the fewest bootstraps are.
            candidates.push_back(make(weight_limit, compiler::Objective::size));
        }
        std::vector<const compiler::CircuitCost*> costs;
        for (const Candidate& candidate : candidates) costs.push_back(&candidate.cost);
        return std::move(candidates[compiler::most_balanced(costs)]);
    }

    /// 0: rounds do not count.
    [[nodiscard]] std::uint64_t device_width() const {
        if (options_.optimize != Optimize::automatic) return 0;
        return options_.device == TargetDevice::cuda ? cuda_width : cpu_width;
    }

    Candidate make(int weight_limit, compiler::Objective objective, bool is_balanced = false) {
        Candidate out;
        const compiler::MappingOptions mapping{weight_limit, objective};
        out.circuit = program_.map(mapping, &out.by_location);
        // A circuit that is only read may be one whose noise a run refuses.
        out.cost = options_.optimize == Optimize::none ? compiler::plain_cost(out.circuit)
                                                       : compiler::circuit_cost(out.circuit, weight_limit);
        out.mapped = out.cost;
        if (options_.optimize == Optimize::none) return out;
        compiler::OptimizerOptions optimizer;
        optimizer.mapping = mapping;
        optimizer.is_balanced = is_balanced;
        if (is_balanced) optimizer.mapping.objective = compiler::Objective::size;
        optimizer.device_width = device_width();
        optimizer.time_limit = options_.time_limit;
        optimizer.checkpoint = options_.checkpoint;
        circuit::Circuit optimised = compiler::optimize(out.circuit, optimizer);
        const compiler::CircuitCost cost = compiler::circuit_cost(optimised, weight_limit);
        if (is_balanced || compiler::is_better(cost, out.cost, objective, device_width())) {
            out.circuit = std::move(optimised);
            out.cost = cost;
        }
        return out;
    }

    /// What the objective counts.
    [[nodiscard]] std::uint64_t measure(const Candidate& candidate) const {
        switch (options_.optimize) {
            case Optimize::automatic:
                return candidate.cost.rounds(device_width());
            case Optimize::depth:
                return candidate.cost.depth;
            case Optimize::none:
            case Optimize::size:
            case Optimize::balanced:
                break;
        }
        return candidate.cost.bootstraps + candidate.cost.refreshes;
    }

    void verify(const circuit::Circuit& circuit) {
        if (options_.verify == 0 || !program_.verify(circuit, options_.verify)) return;
        report_.verified_vectors = options_.verify;
        report_.verified_against = program_.verified_against;
    }

    void fill_report(const Candidate& best) {
        report_.optimize = options_.optimize;
        report_.bootstraps_read = best.mapped.bootstraps;
        report_.depth_read = best.mapped.depth;
        report_.bootstraps = best.cost.bootstraps;
        report_.depth = best.cost.depth;
        std::map<std::string, std::uint64_t> by_line;  // expressions of one line are added
        for (const auto& [location, bootstraps] : best.by_location.bootstraps) {
            const bool is_known = location.line != 0 && location.file < program_.source_files.size();
            by_line[is_known ? fmt::format("{}:{}", program_.source_files[location.file], location.line)
                             : std::string("no line of the source")] += bootstraps;
        }
        for (const auto& [place, bootstraps] : by_line) report_.costs.push_back({place, bootstraps});
        report_.costs_are_by_line = !best.by_location.bootstraps.empty() || program_.cost_by_line != nullptr;
        if (best.by_location.bootstraps.empty()) {
            for (auto& [place, bootstraps] : program_.cost_by_line ? program_.cost_by_line(best.circuit)
                                                                   : compiler::cost_by_output(best.circuit)) {
                report_.costs.push_back({place, bootstraps});
            }
        }
        std::ranges::stable_sort(report_.costs, std::greater<>(), &SourceCost::bootstraps);
    }

    const detail::Program& program_;
    const CompileOptions& options_;
    CompileReport& report_;
};

}  // namespace

Circuit Circuit::compile(const std::vector<std::filesystem::path>& files, const CompileOptions& options,
                         CompileReport& report) {
    detail::check_target(options.target_failure_log2);
    report = {};
    std::vector<circuit::Warning> found;
    circuit::ReadOptions read;
    read.strict = options.strict;
    read.warnings = &found;
    const detail::Program program = detail::read_program(files, options, read);
    circuit::Circuit circuit = Compilation(program, options, report).run();
    for (circuit::Warning& warning : found) {
        report.warnings.push_back({std::move(warning.place), std::move(warning.message)});
    }
    return detail::Access::wrap(std::move(circuit));
}

}  // namespace toroid
