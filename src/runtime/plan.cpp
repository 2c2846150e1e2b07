// SPDX-License-Identifier: Apache-2.0
#include "runtime/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <queue>

#include "circuit/statistics.hpp"
#include "toroid/error.hpp"

namespace toroid::runtime {
namespace {

using base::GateForm;
using base::GateRecord;
using base::Operand;
using circuit::Circuit;
using circuit::Literal;
using circuit::SignalId;

constexpr std::uint32_t nothing = std::numeric_limits<std::uint32_t>::max();

std::span<const Operand> operands_of(const Circuit& circuit, const GateRecord& gate) {
    return std::span(circuit.operands)
        .subspan(gate.first_operand, std::size_t{gate.operands_a} + gate.operands_b);
}

/// What makes each signal: the number of its gate or register, else nothing.
struct Makers {
    std::vector<std::uint32_t> gate;
    std::vector<std::uint32_t> state;

    explicit Makers(const Circuit& circuit)
        : gate(circuit.signal_count, nothing), state(circuit.signal_count, nothing) {
        for (std::uint32_t g = 0; g < circuit.gates.size(); ++g) gate[circuit.gates[g].output] = g;
        for (std::uint32_t r = 0; r < circuit.registers.size(); ++r) state[circuit.registers[r].output] = r;
    }
};

/// Signals that some output depends on, through registers too.
std::vector<bool> needed_signals(const Circuit& circuit, const Makers& makers) {
    std::vector<bool> needed(circuit.signal_count, false);
    std::vector<SignalId> work;
    const auto need = [&](SignalId signal) {
        if (signal == circuit::constant_signal || needed[signal]) return;
        needed[signal] = true;
        work.push_back(signal);
    };
    for (const circuit::OutputPort& port : circuit.outputs) {
        for (const Literal bit : port.bits) need(bit.signal());
    }
    while (!work.empty()) {
        const SignalId signal = work.back();
        work.pop_back();
        if (makers.gate[signal] != nothing) {
            for (const Operand& operand : operands_of(circuit, circuit.gates[makers.gate[signal]])) {
                need(operand.index);
            }
        } else if (makers.state[signal] != nothing) {
            need(circuit.registers[makers.state[signal]].next.signal());
        }
    }
    return needed;
}

/// The order of work: needed gates in batches.
class Scheduler {
 public:
    Scheduler(const Circuit& circuit, const Makers& makers, const std::vector<bool>& needed)
        : circuit_(circuit), makers_(makers), needed_(needed) {
        link_readers();
        measure_tails();
    }

    /// Calls emit(gates of one batch) until every needed gate has run.
    template <typename Emit>
    void run(std::uint32_t full, std::uint32_t largest, Emit&& emit) {
        for (std::uint32_t g = 0; g < circuit_.gates.size(); ++g) {
            if (is_needed(g) && pending_[g] == 0) make_ready(g);
        }
        std::vector<std::uint32_t> batch;
        while (!ready_.empty() || !ready_linear_.empty()) {
            batch.swap(ready_linear_);
            ready_linear_.clear();
            take_bootstraps(full, largest, batch);
            std::ranges::sort(batch);
            emit(batch);
            for (const std::uint32_t g : batch) {
                for (std::uint32_t i = first_reader_[g]; i < first_reader_[g + 1]; ++i) {
                    if (--pending_[readers_[i]] == 0) make_ready(readers_[i]);
                }
            }
            batch.clear();
        }
    }

    /// Bootstraps on the longest path.
    [[nodiscard]] std::uint32_t depth() const noexcept { return depth_; }

 private:
    [[nodiscard]] bool is_needed(std::uint32_t g) const { return needed_[circuit_.gates[g].output]; }

    void link_readers() {
        const std::size_t count = circuit_.gates.size();
        first_reader_.assign(count + 1, 0);
        pending_.assign(count, 0);
        const auto each_edge = [&](auto&& visit) {
            for (std::uint32_t g = 0; g < count; ++g) {
                if (!is_needed(g)) continue;
                for (const Operand& operand : operands_of(circuit_, circuit_.gates[g])) {
                    if (makers_.gate[operand.index] != nothing) visit(makers_.gate[operand.index], g);
                }
            }
        };
        each_edge([&](std::uint32_t from, std::uint32_t to) {
            ++first_reader_[from + 1];
            ++pending_[to];
        });
        for (std::size_t g = 0; g < count; ++g) first_reader_[g + 1] += first_reader_[g];
        readers_.resize(first_reader_[count]);
        std::vector<std::uint32_t> next(first_reader_.begin(), first_reader_.end() - 1);
        each_edge([&](std::uint32_t from, std::uint32_t to) { readers_[next[from]++] = to; });
    }

    /// tail: levels of bootstraps from this gate to the end of the longest path through it, itself included.
    void measure_tails() {
        tail_.assign(circuit_.gates.size(), 0);
        for (std::uint32_t g = static_cast<std::uint32_t>(circuit_.gates.size()); g-- > 0;) {
            std::uint32_t after = 0;
            for (std::uint32_t i = first_reader_[g]; i < first_reader_[g + 1]; ++i) {
                after = std::max(after, tail_[readers_[i]]);
            }
            tail_[g] = after + (circuit_.gates[g].form == GateForm::linear ? 0 : 1);
            if (is_needed(g)) depth_ = std::max(depth_, tail_[g]);
        }
        ready_at_tail_.assign(std::size_t{depth_} + 1, 0);
    }

    void make_ready(std::uint32_t g) {
        const GateRecord& gate = circuit_.gates[g];
        if (gate.form == GateForm::linear) {
            ready_linear_.push_back(g);
            return;
        }
        ready_.push({tail_[g], g});
        ready_at_tail_[tail_[g]] += static_cast<std::uint32_t>(gate.bootstraps());
    }

    void take_bootstraps(std::uint32_t full, std::uint32_t largest, std::vector<std::uint32_t>& batch) {
        if (ready_.empty()) return;
        // Gates on a critical path must go now; what else the started full batch holds costs no time.
        const std::uint64_t critical = ready_at_tail_[ready_.top().tail];
        const std::uint64_t limit = std::min<std::uint64_t>((critical + full - 1) / full * full, largest);
        std::uint64_t taken = 0;
        while (!ready_.empty()) {
            const Ready next = ready_.top();
            const auto cost = static_cast<std::uint32_t>(circuit_.gates[next.gate].bootstraps());
            if (taken > 0 && taken + cost > limit) break;
            ready_.pop();
            ready_at_tail_[next.tail] -= cost;
            taken += cost;
            batch.push_back(next.gate);
        }
    }

    struct Ready {
        std::uint32_t tail;
        std::uint32_t gate;
        bool operator<(const Ready& other) const {
            return tail != other.tail ? tail < other.tail : gate > other.gate;
        }
    };

    const Circuit& circuit_;
    const Makers& makers_;
    const std::vector<bool>& needed_;
    std::vector<std::uint32_t> first_reader_;
    std::vector<std::uint32_t> readers_;
    std::vector<std::uint32_t> pending_;  // operands whose gate has not run
    std::vector<std::uint32_t> tail_;
    std::vector<std::uint64_t> ready_at_tail_;
    std::priority_queue<Ready> ready_;
    std::vector<std::uint32_t> ready_linear_;
    std::uint32_t depth_ = 0;
};

/// Hands out slots; a freed one is taken again first, while it is warm.
class SlotAllocator {
 public:
    std::uint32_t take() {
        if (free_.empty()) return made_++;
        const std::uint32_t slot = free_.back();
        free_.pop_back();
        return slot;
    }
    void give_back(std::uint32_t slot) { free_.push_back(slot); }
    [[nodiscard]] std::uint32_t made() const noexcept { return made_; }

 private:
    std::vector<std::uint32_t> free_;
    std::uint32_t made_ = 0;
};

class Planner {
 public:
    Planner(const Circuit& circuit, const PlanOptions& options)
        : circuit_(circuit), makers_(circuit), needed_(needed_signals(circuit, makers_)), options_(options) {
        if (options_.full_batch == 0) options_.full_batch = 1;
        if (options_.largest_batch == 0) {
            constexpr std::uint32_t limit = std::numeric_limits<std::uint32_t>::max() / 8;
            options_.largest_batch = 8 * std::min(options_.full_batch, limit);
        }
        count_uses();
    }

    Plan make() {
        place_registers();
        place_inputs();
        Scheduler scheduler(circuit_, makers_, needed_);
        plan_.depth = scheduler.depth();
        scheduler.run(options_.full_batch, options_.largest_batch,
                      [this](const std::vector<std::uint32_t>& batch) { emit(batch); });
        find_outputs();
        make_latch();
        plan_.slots = slots_.made();
        return std::move(plan_);
    }

 private:
    /// Reads of each signal by gates; a signal that outputs or registers read stays to the end of the cycle.
    void count_uses() {
        uses_.assign(circuit_.signal_count, 0);
        stays_.assign(circuit_.signal_count, false);
        slot_of_.assign(circuit_.signal_count, nothing);
        for (const GateRecord& gate : circuit_.gates) {
            if (!needed_[gate.output]) continue;
            for (const Operand& operand : operands_of(circuit_, gate)) ++uses_[operand.index];
        }
        for (const circuit::OutputPort& port : circuit_.outputs) {
            for (const Literal bit : port.bits) stays_[bit.signal()] = true;
        }
        for (const circuit::Register& state : circuit_.registers) {
            if (!needed_[state.output]) continue;
            stays_[state.output] = true;
            stays_[state.next.signal()] = true;
        }
    }

    void place_registers() {
        for (const circuit::Register& state : circuit_.registers) {
            if (!needed_[state.output]) continue;
            slot_of_[state.output] = slots_.take();
            plan_.registers.push_back({slot_of_[state.output], state.init});
        }
    }

    void place_inputs() {
        for (std::uint32_t p = 0; p < circuit_.inputs.size(); ++p) {
            const auto& signals = circuit_.inputs[p].signals;
            for (std::uint32_t b = 0; b < signals.size(); ++b) {
                if (!needed_[signals[b]]) continue;
                slot_of_[signals[b]] = slots_.take();
                plan_.inputs.push_back({p, b, slot_of_[signals[b]]});
            }
        }
    }

    void emit(const std::vector<std::uint32_t>& batch) {
        Plan::Batch out;
        out.first_gate = static_cast<std::uint32_t>(plan_.gates.size());
        out.gates = static_cast<std::uint32_t>(batch.size());
        for (const std::uint32_t g : batch) append(circuit_.gates[g]);
        for (const std::uint32_t g : batch) release_operands(circuit_.gates[g]);
        for (std::uint32_t i = 0; i < batch.size(); ++i) {
            const GateRecord& gate = circuit_.gates[batch[i]];
            slot_of_[gate.output] = slots_.take();
            plan_.gates[out.first_gate + i].output = slot_of_[gate.output];
            out.bootstraps += static_cast<std::uint32_t>(gate.bootstraps());
        }
        plan_.bootstraps += out.bootstraps;
        plan_.batches.push_back(out);
    }

    /// The gate with its operands as slots; constants go to the offsets.
    void append(const GateRecord& gate) {
        GateRecord placed = gate;
        placed.first_operand = static_cast<std::uint32_t>(plan_.operands.size());
        const auto place = [&](std::span<const Operand> term, std::int8_t& offset) {
            std::uint16_t kept = 0;
            for (const Operand& operand : term) {
                if (operand.index == circuit::constant_signal) {
                    offset = static_cast<std::int8_t>((offset - operand.weight) & 7);
                    continue;
                }
                plan_.operands.push_back({slot_of_[operand.index], operand.weight});
                ++kept;
            }
            return kept;
        };
        placed.operands_a = place(gate.term_a(circuit_.operands), placed.offset_a);
        placed.operands_b = place(gate.term_b(circuit_.operands), placed.offset_b);
        plan_.gates.push_back(placed);
    }

    void release_operands(const GateRecord& gate) {
        for (const Operand& operand : operands_of(circuit_, gate)) {
            if (operand.index == circuit::constant_signal) continue;
            if (--uses_[operand.index] == 0 && !stays_[operand.index]) {
                slots_.give_back(slot_of_[operand.index]);
            }
        }
    }

    void find_outputs() {
        for (const circuit::OutputPort& port : circuit_.outputs) {
            for (const Literal bit : port.bits) {
                Plan::OutputBit found;
                found.negated = bit.negated();
                if (!bit.is_constant()) {
                    found.source = Plan::OutputBit::Source::slot;
                    found.slot = slot_of_[bit.signal()];
                }
                plan_.outputs.push_back(found);
            }
        }
    }

    void make_latch() {
        for (const circuit::Register& state : circuit_.registers) {
            if (!needed_[state.output] || state.next == Literal(state.output, false)) continue;
            GateRecord copy;
            copy.form = GateForm::linear;
            copy.output = slot_of_[state.output];
            copy.first_operand = static_cast<std::uint32_t>(plan_.operands.size());
            if (state.next.is_constant()) {
                copy.offset_a = state.next.negated() ? 1 : -1;
            } else {
                copy.operands_a = 1;
                plan_.operands.push_back({slot_of_[state.next.signal()], state.next.negated() ? -1 : 1});
            }
            plan_.latch.push_back(copy);
        }
    }

    const Circuit& circuit_;
    Makers makers_;
    std::vector<bool> needed_;
    PlanOptions options_;
    std::vector<std::uint32_t> uses_;
    std::vector<bool> stays_;
    std::vector<std::uint32_t> slot_of_;
    SlotAllocator slots_;
    Plan plan_;
};

}  // namespace

Plan make_plan(const Circuit& circuit, const PlanOptions& options) {
    const Circuit flat = circuit::flatten_forms(circuit);
    return Planner(flat, options).make();
}

}  // namespace toroid::runtime
