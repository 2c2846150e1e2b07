// SPDX-License-Identifier: Apache-2.0
#include "backend_gpu/gpu_key.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "backend_gpu/gpu_link.hpp"
#include "backend_gpu/sample_kernels.hpp"
#include "base/aligned_vector.hpp"
#include "toroid/error.hpp"

namespace toroid::backend_gpu {
namespace {

/// Chunks are this many full batches: long enough that their ends cost nothing.
constexpr std::size_t full_batches_a_chunk = 8;

std::int16_t modulo_eighths(int eighths) {
    return static_cast<std::int16_t>(eighths & 7);
}

/// Operands [first, end).
struct OperandRange {
    std::size_t first = 0;
    std::size_t end = 0;
};

/// What the gates of a batch read of its operands, which may be those of a whole circuit.
OperandRange operand_range(const backend::GateBatch& batch) {
    OperandRange range{batch.operands.size(), 0};
    for (const base::GateRecord& gate : batch.gates) {
        const std::size_t count = std::size_t{gate.operands_a} + gate.operands_b;
        if (count == 0) continue;
        range.first = std::min<std::size_t>(range.first, gate.first_operand);
        range.end = std::max<std::size_t>(range.end, gate.first_operand + count);
    }
    return range.end == 0 ? OperandRange{} : range;
}

}  // namespace

RotationSizes rotation_sizes(const scheme::Parameters& parameters) {
    return {parameters.n(), parameters.block(), parameters.N(),
            parameters.k(), parameters.mask(),  parameters.body()};
}

GpuKey::GpuKey(const scheme::EvaluationKey& key, int device, backend::Transform transform,
               base::ThreadPool& pool, bool peer_access)
    : parameters_(key.parameters()), key_id_(key.key_id()), device_(device), peer_access_(peer_access) {
    const CurrentDevice current(device_);
    gpuDeviceProp properties;
    TOROID_GPU_CHECK(gpuGetDeviceProperties(&properties, device_));
    rotation_ =
        std::make_unique<Rotation>(rotation_sizes(parameters_), rotation_limits(properties), transform);
    require_device_memory(rotation_->key_bytes(), "the key of set " + parameters_.name());
    base::AlignedVector<std::byte> host(rotation_->key_bytes());
    rotation_->build_key([&](int i, int r, std::span<std::uint32_t> words) { key.glwe_row(i, r, words); },
                         pool, host);
    rotation_key_ = DeviceBuffer<std::byte>(host.size(), "the bootstrapping key");
    TOROID_GPU_CHECK(gpuMemcpy(static_cast<void*>(rotation_key_.data()),
                               static_cast<const void*>(host.data()), host.size(), gpuMemcpyHostToDevice));
    key_switch_ = std::make_unique<KeySwitchKey>(key, pool);
}

std::unique_ptr<backend::CiphertextPool> GpuKey::make_pool(std::uint32_t slots) const {
    return std::make_unique<GpuPool>(parameters_, key_id_, device_, slots);
}

std::unique_ptr<backend::Stream> GpuKey::make_stream() const {
    return std::make_unique<GpuStream>(device_);
}

std::unique_ptr<backend::Link> GpuKey::make_link(const backend::LoadedKey& to) const {
    const auto* other = dynamic_cast<const GpuKey*>(&to);
    if (other == nullptr) return LoadedKey::make_link(to);
    return std::make_unique<GpuLink>(device_, other->device_, peer_access_ && other->peer_access_);
}

std::uint32_t GpuKey::full_batch() const noexcept {
    return static_cast<std::uint32_t>(rotation_->full_batch());
}

std::size_t GpuKey::largest_chunk() const noexcept {
    return full_batches_a_chunk * static_cast<std::size_t>(rotation_->full_batch());
}

ModulusSwitch GpuKey::modulus_rule() const {
    return {parameters_.switched_modulus_log(), parameters_.rotation_log(), parameters_.lwe_key_mean()};
}

GpuKey::BatchArrays GpuKey::arrange(const backend::GateBatch& batch, bool keep_all) const {
    BatchArrays arrays;
    const OperandRange range = operand_range(batch);
    arrays.operands = batch.operands.subspan(range.first, range.end - range.first);
    const auto term_of = [&range](std::size_t first, std::uint16_t count, int offset) {
        return Term{static_cast<std::uint32_t>(first - range.first), count, modulo_eighths(offset)};
    };
    for (std::size_t i = 0; i < batch.gates.size(); ++i) {
        const base::GateRecord& gate = batch.gates[i];
        const auto bootstraps = static_cast<std::size_t>(gate.bootstraps());
        // A chunk of a gate or two takes as long as a full batch: never one more than the batch needs.
        const bool full =
            !arrays.chunks.empty() && (arrays.chunks.back().terms + bootstraps > largest_chunk() ||
                                       arrays.chunks.back().linear == largest_chunk());
        if (arrays.chunks.empty() || full) {
            arrays.chunks.push_back({.first_gate = i,
                                     .first_term = arrays.terms.size(),
                                     .first_linear = arrays.linear_terms.size()});
            arrays.first_output.push_back(arrays.outputs.size());
        }
        Chunk& chunk = arrays.chunks.back();
        ++chunk.gates;
        if (gate.form == base::GateForm::linear) {
            // Linear results are numbered over the batch when all are kept, else over the chunk.
            const std::size_t part = keep_all ? arrays.linear_terms.size() : chunk.linear;
            arrays.linear_terms.push_back(term_of(gate.first_operand, gate.operands_a, gate.offset_a));
            arrays.linear_outputs.push_back({gate.output, static_cast<std::uint32_t>(part), 1, 0});
            ++chunk.linear;
            continue;
        }
        arrays.outputs.push_back({gate.output, static_cast<std::uint32_t>(chunk.terms),
                                  static_cast<std::uint16_t>(gate.bootstraps()),
                                  modulo_eighths(gate.post_offset)});
        arrays.terms.push_back(term_of(gate.first_operand, gate.operands_a, gate.offset_a));
        if (gate.form == base::GateForm::pair) {
            arrays.terms.push_back(
                term_of(std::size_t{gate.first_operand} + gate.operands_a, gate.operands_b, gate.offset_b));
        }
        chunk.terms = arrays.terms.size() - chunk.first_term;
    }
    arrays.first_output.push_back(arrays.outputs.size());
    for (const Chunk& chunk : arrays.chunks) {
        arrays.most_terms = std::max(arrays.most_terms, chunk.terms);
        arrays.most_linear = std::max(arrays.most_linear, chunk.linear);
    }
    return arrays;
}

void GpuKey::reserve(const BatchArrays& arrays, bool keep_all, GpuStream& stream) const {
    const std::string what = "a batch of " + std::to_string(arrays.outputs.size()) + " gates";
    stream.switched.reserve((keep_all ? arrays.terms.size() : arrays.most_terms) * switched_width(), what);
    stream.extracted.reserve(arrays.most_terms * static_cast<std::size_t>(extracted_stride()), what);
    stream.linear.reserve((keep_all ? arrays.linear_terms.size() : arrays.most_linear) *
                              static_cast<std::size_t>(slot_stride()),
                          what);
    stream.key_switch.reserve(key_switch_->sizes(), static_cast<int>(arrays.most_terms));
}

GpuKey::Records GpuKey::upload(const BatchArrays& arrays, GpuStream& stream) const {
    RecordStage& stage = stream.records;
    const auto bytes_of = [](const auto& array) {
        return RecordStage::padded(std::span(array).size_bytes());
    };
    stage.begin(bytes_of(arrays.operands) + bytes_of(arrays.terms) + bytes_of(arrays.linear_terms) +
                    bytes_of(arrays.outputs) + bytes_of(arrays.linear_outputs),
                "a batch of " + std::to_string(arrays.outputs.size()) + " gates");
    const Records records{.operands = stage.add(arrays.operands),
                          .terms = stage.add(std::span(arrays.terms)),
                          .linear_terms = stage.add(std::span(arrays.linear_terms)),
                          .outputs = stage.add(std::span(arrays.outputs)),
                          .linear_outputs = stage.add(std::span(arrays.linear_outputs))};
    stage.send(stream.handle());
    return records;
}

void GpuKey::read_chunk(const Records& records, const Chunk& chunk, bool keep_all, const SampleView& slots,
                        GpuStream& stream, StepTimer& timer) const {
    const gpuStream_t handle = stream.handle();
    const std::size_t first_kept = keep_all ? chunk.first_linear : 0;
    timer.time(&backend::StepSeconds::linear, [&] {
        launch_sums(slots, records.operands, records.linear_terms + chunk.first_linear,
                    static_cast<int>(chunk.linear),
                    {stream.linear.data() + first_kept * static_cast<std::size_t>(slot_stride()),
                     slot_stride(), slots.dimension},
                    handle);
    });
    const Term* const terms = records.terms + chunk.first_term;
    const auto count = static_cast<int>(chunk.terms);
    std::uint16_t* const switched =
        stream.switched.data() + (keep_all ? chunk.first_term : 0) * switched_width();
    if (parameters_.order() == scheme::GateOrder::key_switch_first) {
        timer.time(&backend::StepSeconds::key_switch, [&] {
            key_switch_->launch_switched(slots, records.operands, terms, count, modulus_rule(),
                                         stream.key_switch, switched, handle);
        });
    } else {
        timer.time(&backend::StepSeconds::modulus_switch, [&] {
            launch_switched_sums(slots, records.operands, terms, count, modulus_rule(), switched, handle);
        });
    }
}

void GpuKey::write_chunk(const BatchArrays& arrays, const Records& records, std::size_t number, bool keep_all,
                         const SampleView& slots, GpuStream& stream, StepTimer& timer) const {
    const gpuStream_t handle = stream.handle();
    const Chunk& chunk = arrays.chunks[number];
    timer.time(&backend::StepSeconds::blind_rotation, [&] {
        rotation_->launch(
            {.key = rotation_key_.data(),
             .switched = stream.switched.data() + (keep_all ? chunk.first_term : 0) * switched_width(),
             .samples = stream.extracted.data(),
             .sample_stride = extracted_stride(),
             .rotations = static_cast<int>(chunk.terms),
             .stream = handle});
    });
    const Output* const outputs = records.outputs + arrays.first_output[number];
    const auto count = static_cast<int>(arrays.first_output[number + 1] - arrays.first_output[number]);
    const SampleView parts{stream.extracted.data(), extracted_stride(), parameters_.extracted_dimension()};
    if (parameters_.order() == scheme::GateOrder::key_switch_first) {
        timer.time(&backend::StepSeconds::extraction,
                   [&] { backend_gpu::launch_outputs(parts, outputs, count, slots, handle); });
    } else {
        timer.time(&backend::StepSeconds::key_switch, [&] {
            key_switch_->launch_outputs(parts, outputs, count, stream.key_switch, slots, handle);
        });
    }
    timer.time(&backend::StepSeconds::linear, [&] {
        backend_gpu::launch_outputs({stream.linear.data(), slot_stride(), slots.dimension},
                                    records.linear_outputs + chunk.first_linear,
                                    static_cast<int>(chunk.linear), slots, handle);
    });
}

std::size_t GpuKey::head_gates(const backend::GateBatch& batch) const {
    const auto full = static_cast<std::size_t>(rotation_->full_batch());
    std::size_t rotations = 0;
    for (std::size_t i = 0; i < batch.gates.size(); ++i) {
        if (rotations == full) return i;
        if (rotations > full) break;
        rotations += static_cast<std::size_t>(batch.gates[i].bootstraps());
    }
    return 0;
}

void GpuKey::evaluate(const backend::GateBatch& batch, backend::CiphertextPool& pool, backend::Stream& stream,
                      backend::StepSeconds* seconds) const {
    const SampleView slots = GpuPool::of(pool, *this, device_).view();
    GpuStream& own = GpuStream::of(stream, device_);
    const bool alias = backend::check_batch(batch, pool.slots());
    const CurrentDevice current(device_);
    if (alias) {
        enqueue(batch, true, slots, own, seconds);
        return;
    }
    // While the device is at the head, the host arranges the rest.
    const std::size_t head = head_gates(batch);
    enqueue({batch.gates.first(head), batch.operands}, false, slots, own, seconds);
    enqueue({batch.gates.subspan(head), batch.operands}, false, slots, own, seconds);
}

void GpuKey::enqueue(const backend::GateBatch& batch, bool keep_all, const SampleView& slots, GpuStream& own,
                     backend::StepSeconds* seconds) const {
    if (batch.gates.empty()) return;
    const BatchArrays arrays = arrange(batch, keep_all);
    reserve(arrays, keep_all, own);
    const Records records = upload(arrays, own);
    StepTimer timer(seconds, own.handle());
    if (keep_all) {
        for (const Chunk& chunk : arrays.chunks) read_chunk(records, chunk, true, slots, own, timer);
        for (std::size_t i = 0; i < arrays.chunks.size(); ++i)
            write_chunk(arrays, records, i, true, slots, own, timer);
        return;
    }
    for (std::size_t i = 0; i < arrays.chunks.size(); ++i) {
        read_chunk(records, arrays.chunks[i], false, slots, own, timer);
        write_chunk(arrays, records, i, false, slots, own, timer);
    }
}

std::vector<std::uint16_t> GpuKey::probe_switched(const backend::GateBatch& batch,
                                                  const backend::CiphertextPool& pool) const {
    const SampleView slots = GpuPool::of(pool, *this, device_).view();
    backend::check_batch(batch, pool.slots());
    const CurrentDevice current(device_);
    GpuStream stream(device_);
    const BatchArrays arrays = arrange(batch, true);
    std::vector<std::uint16_t> out(arrays.terms.size() * switched_width());
    if (out.empty()) return out;
    reserve(arrays, true, stream);
    const Records records = upload(arrays, stream);
    StepTimer timer(nullptr, stream.handle());
    for (const Chunk& chunk : arrays.chunks) read_chunk(records, chunk, true, slots, stream, timer);
    copy_to_host(std::span(out), static_cast<const std::uint16_t*>(stream.switched.data()), stream.handle());
    return out;
}

std::vector<std::uint32_t> GpuKey::probe_accumulators(std::span<const std::uint16_t> switched) const {
    if (switched.size() % switched_width() != 0) {
        throw Error(ErrorKind::internal, fmt::format("{} exponents are no whole number of samples of {}",
                                                     switched.size(), switched_width()));
    }
    const auto too_large = std::ranges::find_if(
        switched, [&](std::uint16_t exponent) { return exponent >= 2 * parameters_.N(); });
    if (too_large != switched.end())
        throw Error(ErrorKind::internal, fmt::format("exponent {} of {}", *too_large, 2 * parameters_.N()));
    const std::size_t words = static_cast<std::size_t>((parameters_.k() + 1) * parameters_.N());
    const std::size_t count = switched.size() / switched_width();
    std::vector<std::uint32_t> out(count * words);
    const CurrentDevice current(device_);
    GpuStream stream(device_);
    const std::size_t most = std::min(count, largest_chunk());
    DeviceBuffer<std::uint32_t> accumulators(most * words, "accumulators");
    stream.switched.reserve(most * switched_width(), "accumulators");
    for (std::size_t first = 0; first < count; first += most) {
        const std::size_t now = std::min(most, count - first);
        copy_to_device(stream.switched.data(),
                       switched.subspan(first * switched_width(), now * switched_width()), stream.handle());
        rotation_->launch({.key = rotation_key_.data(),
                           .switched = stream.switched.data(),
                           .accumulators = accumulators.data(),
                           .rotations = static_cast<int>(now),
                           .stream = stream.handle()});
        copy_to_host(std::span(out).subspan(first * words, now * words),
                     static_cast<const std::uint32_t*>(accumulators.data()), stream.handle());
    }
    return out;
}

}  // namespace toroid::backend_gpu
