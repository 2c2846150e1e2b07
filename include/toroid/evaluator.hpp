// SPDX-License-Identifier: Apache-2.0
// The server's side: runs circuits on encrypted values. Nothing here can name a secret key.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "toroid/ciphertexts.hpp"
#include "toroid/circuit.hpp"
#include "toroid/evaluation_key.hpp"
#include "toroid/progress.hpp"

namespace toroid {

/// One of the cards of a device.
struct Card {
    std::string name;  ///< as DeviceChoice takes it, e.g. "cuda:0"
    std::string model;
    std::string architecture;  ///< e.g. "compute capability 9.0"
    std::uint64_t memory_bytes = 0;
    std::string unusable_reason;  ///< empty if this program's code runs on it
    std::string transform;        ///< that it takes of itself: "fft" or "ntt"
    std::string transform_reason;
    std::vector<std::string> shapes;  ///< of parameter sets, with kernels of their own in this program
};

/// A kind of device this build knows, and whether this machine has it.
struct Device {
    std::string name;
    bool present = false;
    std::string absence_reason;  ///< empty if present
    std::string description;     ///< what would really run, if present
    std::vector<Card> cards;     ///< of a GPU, as far as the driver shows them
};
[[nodiscard]] std::vector<Device> devices(unsigned threads = 0);

/// How a device multiplies polynomials: the Fourier transform in FP64, whose rounding stays far below the
/// noise, or the number-theoretic one, which is exact. Any key runs under both; RunReport::device names the
/// one used.
enum class Transform : std::uint8_t { automatic, fft, ntt };

/// Which device runs, and how.
struct DeviceChoice {
    /// "auto" takes the best present one; a named device that is absent is Error(device), never another one.
    /// "cuda" is the first usable card, "cuda:1" the one of that number as the driver counts (so
    /// CUDA_VISIBLE_DEVICES chooses and orders), "cuda:0,1" both together, "cuda:all" all. A card named twice
    /// counts as two, with memory and copies of their own. Error(usage) for a text of another form.
    std::string name = "auto";
    unsigned threads = 0;  ///< of a CPU device; 0: all the process may use
    /// `automatic` is the device's own choice; a device that lacks the one named is Error(parameters).
    Transform transform = Transform::automatic;
};

/// Refuses what an Evaluator with a key of this set would refuse of the choice, without a key.
void check_device(const DeviceChoice& device, const ParameterSet& parameters);

struct RunOptions {
    std::uint32_t cycles = 1;           ///< clock cycles of a sequential circuit
    double target_failure_log2 = -128;  ///< a gate or output above it is Error(noise); above 0 Error(usage)
    bool only_last_cycle = false;       ///< keep the outputs of the last cycle alone
    Progress progress;                  ///< (bootstraps done, total)
};

/// What one of the devices of a run did.
struct DeviceShare {
    std::string name;  ///< e.g. "cuda:0"; "cuda:0#1" and "cuda:0#2" where one card was taken twice
    std::uint64_t bootstraps = 0;
    std::uint64_t received_bytes = 0;               ///< of ciphertexts from the other devices
    std::uint64_t received_through_host_bytes = 0;  ///< of these, what went by way of host memory
};

/// What a run really did.
struct RunReport {
    std::string circuit;
    std::string parameters;
    std::string key_id;
    std::string device;  ///< description of what ran
    std::vector<DeviceShare> devices;
    std::uint32_t cycles = 0;
    std::uint64_t gates = 0;                  ///< in one cycle, linear ones included
    std::uint64_t bootstraps_in_circuit = 0;  ///< in one cycle, clear inputs folded in, refreshes added
    std::uint64_t bootstraps_done = 0;        ///< counted as they ran
    std::uint32_t levels = 0;                 ///< bootstraps on the longest path
    std::uint64_t batches = 0;                ///< given to the device, all cycles
    double load_seconds = 0;                  ///< to bring the key into the device's layout
    double seconds = 0;                       ///< evaluation alone
    double bootstraps_per_second = 0;
    std::uint64_t key_bytes = 0;          ///< of the loaded key
    std::uint64_t pool_bytes = 0;         ///< of the ciphertexts held at once
    std::uint64_t peak_memory_bytes = 0;  ///< of the whole process, as the system counted it
    FailureFigures failure;
    double target_failure_log2 = 0;

    [[nodiscard]] std::string to_text() const;
    [[nodiscard]] std::string to_json() const;
};

struct RunResult {
    Ciphertexts outputs;
    RunReport report;
};

/// Seconds a circuit would take, predicted by the device's measured rate: each batch of b bootstraps counts
/// seconds_per_bootstrap * parallel_width * ceil(b / parallel_width).
struct Estimate {
    std::string device;
    double seconds_per_bootstrap = 0;  ///< when the device is full
    std::uint32_t parallel_width = 0;  ///< so many bootstraps at once take about as long as one
    double seconds = 0;
};
[[nodiscard]] Estimate estimate(const Circuit& circuit, const ParameterSet& parameters,
                                const DeviceChoice& device, std::uint32_t cycles = 1);

struct BenchmarkOptions {
    std::uint32_t batch = 0;  ///< gates a batch; 0: what fills the device
    double seconds = 2;       ///< runs for at least this long
    Progress progress;        ///< (milliseconds done, total)
};
struct BenchmarkResult {
    std::string device;
    std::string parameters;
    std::uint32_t batch = 0;
    std::uint64_t gates = 0;
    double seconds = 0;
    double milliseconds_per_gate = 0;
    std::uint64_t bytes_between_devices = 0;  ///< in a batch
    // Shares of one gate, summed over threads; 0 where the device does not tell.
    double linear_milliseconds = 0;
    double key_switch_milliseconds = 0;
    double modulus_switch_milliseconds = 0;
    double blind_rotation_milliseconds = 0;
    double extraction_milliseconds = 0;
};

/// An evaluation key on a device.
class Evaluator {
 public:
    /// Error(device) if the device is absent, Error(parameters) if it cannot run the set.
    explicit Evaluator(const EvaluationKey& key, const DeviceChoice& device = {});
    ~Evaluator();
    Evaluator(Evaluator&&) noexcept;
    Evaluator& operator=(Evaluator&&) noexcept;

    /// Description of what really runs.
    [[nodiscard]] const std::string& device() const noexcept;

    /// Checks what run() would refuse, without running: interface, names, widths, key, noise.
    void check(const Circuit& circuit, const Ciphertexts& inputs, const Values& clear = {},
               const RunOptions& options = {}) const;
    /// Evaluates the circuit. `inputs` and `clear` (known to the server) together give each input once.
    /// Error(value) names missing, unknown and doubled inputs; Error(key_mismatch) names both ids;
    /// Error(noise) gives the failure probability of the offending gate or output and the target.
    [[nodiscard]] RunResult run(const Circuit& circuit, const Ciphertexts& inputs, const Values& clear = {},
                                const RunOptions& options = {}) const;

    /// Times NAND gates whose inputs are outputs of earlier bootstraps.
    [[nodiscard]] BenchmarkResult benchmark(const BenchmarkOptions& options = {}) const;

 private:
    struct State;
    std::unique_ptr<State> state_;
};

/// As Evaluator::check for a key that is not loaded on any device yet.
void check_run(const EvaluationKey& key, const Circuit& circuit, const Ciphertexts& inputs,
               const Values& clear = {}, const RunOptions& options = {});

}  // namespace toroid
