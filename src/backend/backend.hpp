// SPDX-License-Identifier: Apache-2.0
// What every device implements. Batches only; nothing global.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backend/transform.hpp"
#include "base/gate_record.hpp"
#include "scheme/evaluation_key.hpp"
#include "scheme/lwe_array.hpp"
#include "scheme/parameters.hpp"

namespace toroid::backend {

/// Gates that may all run at once; operand indices and outputs are slots of one CiphertextPool.
/// Every operand is read as it was before the batch, so outputs may alias any operand; two gates with the
/// same output slot are refused. The arrays must outlive the call.
struct GateBatch {
    std::span<const base::GateRecord> gates;
    std::span<const base::Operand> operands;
};

/// Ciphertext slots on the device.
class CiphertextPool {
 public:
    virtual ~CiphertextPool() = default;
    [[nodiscard]] virtual std::uint32_t slots() const noexcept = 0;
    [[nodiscard]] virtual std::uint64_t bytes() const noexcept = 0;
    /// Copies samples[i] into slots[i].
    virtual void upload(std::span<const std::uint32_t> slots, const scheme::LweArray& samples) = 0;
    /// The samples of slots[i], in order.
    [[nodiscard]] virtual scheme::LweArray download(std::span<const std::uint32_t> slots) const = 0;
    /// A trivial (noiseless, unencrypted) sample of this many eighths.
    virtual void set_trivial(std::uint32_t slot, int eighths) = 0;
};

/// Order of work on one device. Calls on one stream happen in order; different streams may overlap.
class Stream {
 public:
    virtual ~Stream() = default;
    /// Waits for everything given to this stream; rethrows its failure.
    virtual void synchronize() = 0;
};

/// Seconds spent in each step, summed over threads; measured only when asked for.
struct StepSeconds {
    double linear = 0;
    double key_switch = 0;
    double modulus_switch = 0;
    double blind_rotation = 0;
    double extraction = 0;
};

/// An evaluation key in the device's own layout. Thread safe: pools and streams of one key may be used from
/// several threads, each pool and each stream from one thread at a time.
class LoadedKey {
 public:
    virtual ~LoadedKey() = default;
    [[nodiscard]] virtual const scheme::Parameters& parameters() const noexcept = 0;
    [[nodiscard]] virtual const base::KeyId& key_id() const noexcept = 0;
    /// Bytes the loaded key occupies on the device.
    [[nodiscard]] virtual std::uint64_t bytes() const noexcept = 0;

    /// OutOfMemory says need and free.
    [[nodiscard]] virtual std::unique_ptr<CiphertextPool> make_pool(std::uint32_t slots) const = 0;
    [[nodiscard]] virtual std::unique_ptr<Stream> make_stream() const = 0;

    /// Runs the batch on the pool (made by this key; another key's is Error(key_mismatch)). May return before
    /// the work is done: synchronize the stream before reading the pool. Bad indices are Error(internal).
    virtual void evaluate(const GateBatch& batch, CiphertextPool& pool, Stream& stream,
                          StepSeconds* seconds = nullptr) const = 0;

    /// Batches of at least this many gates keep the device full.
    [[nodiscard]] virtual std::uint32_t full_batch() const noexcept = 0;

    // Step probes, for the contract suite: what must agree between backends.

    /// The modulus-switched samples that enter blind rotation, one row of n + 1 per bootstrap in gate order.
    [[nodiscard]] virtual std::vector<std::uint16_t> probe_switched(const GateBatch& batch,
                                                                    const CiphertextPool& pool) const = 0;
    /// Accumulators ((k+1) N words each, masks first) after blind rotation of such rows from the sign test
    /// polynomial.
    [[nodiscard]] virtual std::vector<std::uint32_t> probe_accumulators(
        std::span<const std::uint16_t> switched) const = 0;
};

/// How a backend is to be set up.
struct BackendOptions {
    unsigned threads = 0;  ///< 0: all the process may use
    Transform transform = Transform::automatic;
};

class Backend {
 public:
    virtual ~Backend() = default;
    [[nodiscard]] virtual std::string_view name() const noexcept = 0;
    /// What really runs, for reports: e.g. "cpu avx2+fma, 2 threads".
    [[nodiscard]] virtual std::string description() const = 0;
    /// Empty if the set can be loaded, else the reason it cannot.
    [[nodiscard]] virtual std::string unsupported_reason(const scheme::Parameters& parameters) const = 0;
    /// Predicted seconds for one bootstrap of this set when the device is full (all its threads busy), from
    /// the operation count and a rate measured on this machine.
    [[nodiscard]] virtual double seconds_per_bootstrap(const scheme::Parameters& parameters) const = 0;
    /// Error(parameters) with unsupported_reason if unsupported.
    [[nodiscard]] virtual std::unique_ptr<LoadedKey> load(const scheme::EvaluationKey& key) const = 0;
};

/// One row of the registry: how to make a backend, or why this machine has none.
struct BackendEntry {
    std::string_view name;
    /// Empty if the device is present, else the reason it is absent.
    std::string (*absence_reason)();
    /// Null if this build has no code for it; then it is always absent.
    std::unique_ptr<Backend> (*make)(const BackendOptions&);
};

/// Checks indices, forms and output uniqueness; Error(internal) names the gate.
void check_batch(const GateBatch& batch, std::uint32_t slots);
/// True if some output slot is an operand of another gate of the batch, so that outputs must be staged.
[[nodiscard]] bool outputs_alias_inputs(const GateBatch& batch, std::uint32_t slots);

}  // namespace toroid::backend
