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

/// What one of several devices did for a pool.
struct DeviceWork {
    std::string device;
    std::uint64_t bootstraps = 0;
    std::uint64_t received_bytes = 0;               ///< of ciphertexts that other devices sent
    std::uint64_t received_through_host_bytes = 0;  ///< of these, what went by way of host memory
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
    /// By device, if the pool spreads over several, else empty.
    [[nodiscard]] virtual std::vector<DeviceWork> work() const { return {}; }
};

/// Order of work on one device. Calls on one stream happen in order; different streams may overlap.
class Stream {
 public:
    virtual ~Stream() = default;
    /// Waits for everything given to this stream; rethrows its failure.
    virtual void synchronize() = 0;
};

/// One direction between two devices that hold the same evaluation key. From one thread at a time.
class Link {
 public:
    virtual ~Link() = default;
    /// Copies slots of `from` into the same slots of `to`, in the order of both streams: after what they were
    /// given before, ahead of what they are given next. May return before it is done. OutOfMemory if there is
    /// no room for samples under way; then nothing was copied.
    virtual void copy(std::span<const std::uint32_t> slots, const CiphertextPool& from, Stream& from_stream,
                      CiphertextPool& to, Stream& to_stream) = 0;
    /// Whether the samples go by way of host memory.
    [[nodiscard]] virtual bool through_host() const noexcept = 0;
};

/// Seconds spent in each step, summed over threads; measured only when asked for.
struct StepSeconds {
    double linear = 0;
    double key_switch = 0;
    double modulus_switch = 0;
    double blind_rotation = 0;
    double extraction = 0;

    StepSeconds& operator+=(const StepSeconds& other) noexcept;
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
    /// From pools of this key to pools of the same evaluation key on another device or in another copy on
    /// this one. By default through host memory, which waits for both streams.
    [[nodiscard]] virtual std::unique_ptr<Link> make_link(const LoadedKey& to) const;

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
    int device = -1;  ///< its number; -1: the first one that can be used
};

/// One device of a backend: `toroid devices` lists it, `--device NAME:INDEX` takes it.
struct DeviceInfo {
    int index = 0;
    std::string name;          ///< model
    std::string architecture;  ///< e.g. "compute capability 9.0"
    std::uint64_t memory_bytes = 0;
    std::string transform;  ///< the one that Transform::automatic takes
    std::string transform_reason;
    std::vector<std::string> shapes;  ///< with kernels of their own in this program
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
    /// For predictions: a batch of b bootstraps takes seconds_per_bootstrap * width * ceil(b / width), so
    /// this many at once take about as long as one.
    [[nodiscard]] virtual std::uint32_t parallel_width(const scheme::Parameters& parameters) const = 0;
    /// Error(parameters) with unsupported_reason if unsupported.
    [[nodiscard]] virtual std::unique_ptr<LoadedKey> load(const scheme::EvaluationKey& key) const = 0;
};

/// One row of the registry: how to make a backend, or why this machine has none.
struct BackendEntry {
    std::string_view name;
    /// Empty if the device is present, else the reason it is absent.
    std::string (*absence_reason)();
    /// Null if this build has no code for it; then it is always absent. Error(device) if the chosen device
    /// cannot be used.
    std::unique_ptr<Backend> (*make)(const BackendOptions&);
    /// Its devices in this machine, also those that make() refuses since this build has no code for them.
    /// Null: it has one, number 0, and nothing to say about it.
    std::vector<DeviceInfo> (*devices)() = nullptr;
};

/// Checks indices, forms and output uniqueness; Error(internal) names the gate. True if some output slot is an
/// operand of another gate of the batch, so that outputs must be staged.
bool check_batch(const GateBatch& batch, std::uint32_t slots);

}  // namespace toroid::backend
