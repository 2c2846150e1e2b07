// SPDX-License-Identifier: Apache-2.0
#include "runtime/executor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>

#include "math/torus.hpp"
#include "toroid/error.hpp"

namespace toroid::runtime {
namespace {

class Run {
 public:
    Run(const Plan& plan, const backend::LoadedKey& key, const std::vector<PortInput>& inputs,
        const ExecutionOptions& options)
        : plan_(plan), key_(key), inputs_(inputs), options_(options) {
        check_inputs();
        pool_ = key_.make_pool(std::max(plan_.slots, std::uint32_t{1}));
        stream_ = key_.make_stream();
        result_.pool_bytes = pool_->bytes();
        result_.kept_cycles = options_.only_last_cycle ? 1 : options_.cycles;
        result_.outputs = scheme::LweArray(std::size_t{result_.kept_cycles} * plan_.outputs.size(),
                                           key_.parameters().wire_dimension());
        for (const Plan::OutputBit& bit : plan_.outputs) {
            if (bit.source == Plan::OutputBit::Source::slot) output_slots_.push_back(bit.slot);
        }
    }

    Execution run() {
        const auto start = std::chrono::steady_clock::now();
        report_progress();
        for (const Plan::Register& state : plan_.registers)
            pool_->set_trivial(state.slot, state.init ? 1 : -1);
        for (std::uint32_t cycle = 0; cycle < options_.cycles; ++cycle) {
            upload_inputs(cycle);
            for (const Plan::Batch& batch : plan_.batches) evaluate(plan_.gates_of(batch), batch.bootstraps);
            const bool last = cycle + 1 == options_.cycles;
            if (last || !options_.only_last_cycle) {
                download_outputs(options_.only_last_cycle ? 0 : cycle);
            }
            if (!last && !plan_.latch.empty()) evaluate(plan_.latch, 0);
        }
        const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
        result_.seconds = taken.count();
        result_.devices = pool_->work();
        return std::move(result_);
    }

 private:
    void check_inputs() const {
        if (options_.cycles == 0) throw Error(ErrorKind::usage, "a run needs at least one clock cycle");
        for (const Plan::Input& input : plan_.inputs) {
            if (input.port >= inputs_.size() || input.bit >= inputs_[input.port].width) {
                throw Error(ErrorKind::internal,
                            fmt::format("input port {} of the plan has no bit {}", input.port, input.bit));
            }
        }
        for (std::size_t p = 0; p < inputs_.size(); ++p) check_input(p, inputs_[p]);
    }

    void check_input(std::size_t port, const PortInput& input) const {
        if (input.steps != 1 && input.steps != options_.cycles) {
            throw Error(ErrorKind::value, fmt::format("input {} has values for {} cycles, the run has {}",
                                                      port, input.steps, options_.cycles));
        }
        const std::size_t samples =
            input.samples != nullptr ? input.samples->count() : input.width * input.clear.size();
        bool fits = samples == std::size_t{input.steps} * input.width;
        for (const base::BitVector& step : input.clear) fits = fits && step.size() == input.width;
        if (input.samples != nullptr) {
            fits = fits && (samples == 0 || input.samples->dimension() == key_.parameters().wire_dimension());
        }
        if (!fits) {
            throw Error(ErrorKind::internal, fmt::format("input {} has samples of another shape", port));
        }
    }

    /// Every cycle anew: an input's slots may have been reused once its last reader had run.
    void upload_inputs(std::uint32_t cycle) {
        for (std::size_t first = 0; first < plan_.inputs.size();) {
            const std::uint32_t port = plan_.inputs[first].port;
            std::size_t end = first;
            while (end < plan_.inputs.size() && plan_.inputs[end].port == port) ++end;
            upload_port(std::span(plan_.inputs).subspan(first, end - first), inputs_[port], cycle);
            first = end;
        }
    }

    void upload_port(std::span<const Plan::Input> bits, const PortInput& input, std::uint32_t cycle) {
        const std::size_t step = input.steps == 1 ? 0 : cycle;
        if (input.samples == nullptr) {
            for (const Plan::Input& bit : bits)
                pool_->set_trivial(bit.slot, input.clear[step][bit.bit] ? 1 : -1);
            return;
        }
        std::vector<std::uint32_t> slots;
        scheme::LweArray samples(bits.size(), input.samples->dimension());
        for (const Plan::Input& bit : bits) {
            std::ranges::copy((*input.samples)[step * input.width + bit.bit], samples[slots.size()].begin());
            slots.push_back(bit.slot);
        }
        pool_->upload(slots, samples);
    }

    void evaluate(std::span<const base::GateRecord> gates, std::uint32_t bootstraps) {
        key_.evaluate({gates, plan_.operands}, *pool_, *stream_);
        stream_->synchronize();
        ++result_.batches;
        result_.bootstraps += bootstraps;
        report_progress();
    }

    void report_progress() const {
        if (options_.progress) options_.progress(result_.bootstraps, plan_.bootstraps * options_.cycles);
    }

    void download_outputs(std::uint32_t kept_cycle) {
        const scheme::LweArray found = pool_->download(output_slots_);
        std::size_t next = 0;
        std::size_t out = std::size_t{kept_cycle} * plan_.outputs.size();
        for (const Plan::OutputBit& bit : plan_.outputs) {
            const std::span<std::uint32_t> sample = result_.outputs[out++];
            if (bit.source == Plan::OutputBit::Source::constant) {
                sample.back() = math::encode_bit(bit.negated);
                continue;
            }
            std::ranges::copy(found[next++], sample.begin());
            if (bit.negated) {
                for (std::uint32_t& word : sample) word = std::uint32_t{0} - word;
            }
        }
    }

    const Plan& plan_;
    const backend::LoadedKey& key_;
    const std::vector<PortInput>& inputs_;
    const ExecutionOptions& options_;
    std::unique_ptr<backend::CiphertextPool> pool_;
    std::unique_ptr<backend::Stream> stream_;
    std::vector<std::uint32_t> output_slots_;
    Execution result_;
};

}  // namespace

Execution execute(const Plan& plan, const backend::LoadedKey& key, const std::vector<PortInput>& inputs,
                  const ExecutionOptions& options) {
    return Run(plan, key, inputs, options).run();
}

}  // namespace toroid::runtime
