// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "toroid/interface.hpp"
#include "toroid/parameters.hpp"
#include "toroid/values.hpp"

namespace toroid {

/// What a reader could mend; `place` is "file:line" where a line is known.
struct Warning {
    std::string place;
    std::string message;
};

/// What the compiler makes small.
enum class Optimize : std::uint8_t {
    none,       ///< a netlist stays as it is; a program is mapped for size
    size,       ///< bootstraps, then depth
    depth,      ///< depth, then bootstraps
    balanced,   ///< depth, with at most a twentieth more bootstraps than the fewest that are found
    automatic,  ///< rounds of the target device: the sum over all levels of ceil(bootstraps / its width)
};

/// Whose width `Optimize::automatic` counts with.
enum class TargetDevice : std::uint8_t { cpu, cuda };

struct CompileOptions {
    std::string top;      ///< Verilog: the top module; empty: found by its not being instantiated
    bool strict = false;  ///< warnings become Error(circuit)
    std::chrono::seconds time_limit{600};  ///< for each program that is called: synthesis, simulation
    /// Called many times a second while programs run and circuits are optimised. To stop the compiler, throw
    /// from here: the exception leaves compile() or read(), and nothing half-made stays behind.
    std::function<void()> checkpoint = {};

    Optimize optimize = Optimize::none;
    TargetDevice device = TargetDevice::cpu;
    /// The parameter sets that the circuit may run with: no gate gets a weight norm above what its set
    /// carries at the target failure probability. Of several, the one with the least bootstraps times the
    /// operations of a bootstrap is chosen. Empty: the first of ParameterSet::all().
    std::vector<ParameterSet> parameters;
    double target_failure_log2 = -128;
    /// "name=value": inputs that are clear when the circuit is compiled, and so are no inputs of it.
    std::vector<std::string> fixed_inputs;
    /// C and C++: how often a loop may run whose end depends on encrypted values; 0: such a loop is an error.
    std::uint32_t loop_bound = 0;
    /// Test vectors on which the circuit is compared with its source (a netlist with itself as it was read,
    /// Verilog with Icarus Verilog); Error(circuit) names the vector that differs. 0: none.
    std::uint32_t verify = 0;
    /// C, C++ and Verilog: where included files are looked for after the folder of the file, and macros:
    /// "NAME", which means 1, or "NAME=value".
    std::vector<std::filesystem::path> include_folders;
    std::vector<std::string> defines;
    /// Whether CompileReport::costs of Verilog are wanted by source line; takes a second reading and some
    /// time.
    bool explain = false;
};

/// Bootstraps that come from one place of the source: "file:line", an output port, or a kind of gate.
struct SourceCost {
    std::string place;
    std::uint64_t bootstraps = 0;
};

/// What compile() did.
struct CompileReport {
    std::vector<Warning> warnings;
    std::string parameters;              ///< the set that was chosen
    std::uint32_t weight_limit = 0;      ///< largest weight norm W that a gate was allowed
    Optimize optimize = Optimize::none;  ///< what it was made for
    std::uint64_t bootstraps_read = 0;   ///< before gates were merged
    std::uint32_t depth_read = 0;
    std::uint64_t bootstraps = 0;
    std::uint32_t depth = 0;
    std::uint32_t verified_vectors = 0;
    std::string verified_against;  ///< "the netlist as read", "Icarus Verilog"; empty: not verified
    /// Dearest first. By output, and by source line of Verilog, they add up to `bootstraps`; by source line
    /// of C and XLS IR to `bootstraps_read`, since a gate made of several belongs to no one line.
    std::vector<SourceCost> costs;
    bool costs_are_by_line = false;
};

/// Numbers of one circuit, cryptography apart.
struct CircuitFigures {
    std::map<std::string, std::uint64_t> gates_by_kind;  ///< AND, XOR, MAJ3, MUX, FORM (no bootstrap), ...
    std::uint64_t gates = 0;
    std::uint64_t bootstraps = 0;  ///< in one clock cycle
    std::uint64_t registers = 0;
    std::uint32_t depth = 0;                    ///< bootstraps on the longest path
    std::vector<std::uint64_t> width_by_level;  ///< bootstraps at each level, level 1 first
    std::uint32_t slots =
        0;  ///< encrypted bits held at once when run on a device that wants 64 gates a batch
};

/// How likely a run is to give a wrong bit, as log2 of probabilities.
struct FailureFigures {
    double largest_weight_norm = 0;  ///< largest W of a gate
    double gate_log2 = 0;            ///< the worst gate
    std::string worst_gate;          ///< its kind and number
    double output_variance = 0;  ///< largest variance of an output bit, in units of one bootstrapped output
    double output_log2 = 0;      ///< the worst output bit's decryption
    std::string worst_output;
    double circuit_log2 = 0;  ///< sum over all gates of all cycles and all output bits
    /// Bootstraps that a run adds in each cycle to refresh wires which are too noisy for their readers at the
    /// target failure probability; the figures above are with them.
    std::uint64_t refreshes = 0;
};

/// A circuit of bootstrapped gates. Immutable; cheap to copy; holds no secret and no ciphertext.
class Circuit {
 public:
    /// Reads a netlist (Bristol Fashion, old Bristol, BLIF, .bench, AIGER, Yosys JSON, .toroid; each also as
    /// .gz) or compiles Verilog (.v, .sv; several files make one design), and does what the options say.
    /// Error(circuit) names file and line, or the cell; Error(noise) a set that carries no gate at the
    /// target.
    [[nodiscard]] static Circuit compile(const std::vector<std::filesystem::path>& files,
                                         const CompileOptions& options, CompileReport& report);
    /// The same; by default the circuit is as the file has it.
    [[nodiscard]] static Circuit read(const std::vector<std::filesystem::path>& files,
                                      const CompileOptions& options = {},
                                      std::vector<Warning>* warnings = nullptr);
    [[nodiscard]] static Circuit read(const std::filesystem::path& file, const CompileOptions& options = {},
                                      std::vector<Warning>* warnings = nullptr);

    [[nodiscard]] const std::string& name() const noexcept;
    [[nodiscard]] const Interface& interface() const noexcept;
    [[nodiscard]] CircuitFigures figures() const;
    /// The failure probabilities of a run of `cycles` cycles on fresh secret-key encryptions, with the
    /// refreshes that such a run adds to reach the target, at most 0.
    [[nodiscard]] FailureFigures failure(const ParameterSet& parameters, std::uint32_t cycles = 1,
                                         double target_failure_log2 = -128) const;

    /// Runs on plain values for `cycles` clock cycles. An input of several values must have `cycles` of them.
    /// Every output has one value a cycle. Error(value) names the port.
    [[nodiscard]] Values simulate(const Values& inputs, std::uint32_t cycles = 1) const;

    /// The project's own text format: the same circuit gives the same bytes.
    [[nodiscard]] std::string to_native() const;
    [[nodiscard]] std::string to_blif() const;
    /// Written aside and renamed; .toroid or .blif by the name's ending, anything else is Error(usage).
    void save(const std::filesystem::path& path) const;

 private:
    friend struct detail::Access;
    struct State;
    explicit Circuit(std::shared_ptr<const State> state);
    std::shared_ptr<const State> state_;
};

}  // namespace toroid
