// SPDX-License-Identifier: Apache-2.0
// Calls, blocks, branches, joins and loops.
#include "compiler/c/executor.hpp"

#include <fmt/format.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <algorithm>

#include "compiler/c/frame.hpp"
#include "compiler/c/source_place.hpp"
#include "compiler/c/toroid_header.hpp"
#include "toroid/error.hpp"

namespace toroid::compiler {
namespace {

// Rounds of a loop that end by themselves need no bound up to here.
constexpr std::uint64_t guarded_rounds_limit = 4096;
constexpr std::uint64_t rounds_limit = std::uint64_t{1} << 22;
constexpr std::uint64_t steps_between_checks = 1024;
constexpr std::size_t deepest_call = 512;

const llvm::MDNode* loop_metadata(const llvm::Instruction& latch_terminator) {
    return latch_terminator.getMetadata(llvm::LLVMContext::MD_loop);
}

std::optional<std::uint64_t> annotated_bound(const llvm::Instruction& latch_terminator) {
    const llvm::MDNode* loop = loop_metadata(latch_terminator);
    if (loop == nullptr) return std::nullopt;
    for (const llvm::MDOperand& operand : llvm::drop_begin(loop->operands())) {
        const auto* entry = llvm::dyn_cast<llvm::MDNode>(operand);
        if (entry == nullptr || entry->getNumOperands() != 2) continue;
        const auto* name = llvm::dyn_cast<llvm::MDString>(entry->getOperand(0));
        if (name == nullptr || name->getString() != llvm::StringRef(loop_bound_metadata)) continue;
        const auto* number = llvm::mdconst::extract<llvm::ConstantInt>(entry->getOperand(1));
        return number->getZExtValue();
    }
    return std::nullopt;
}

std::string place_of_loop(const llvm::Instruction& latch_terminator) {
    if (const llvm::MDNode* loop = loop_metadata(latch_terminator); loop != nullptr) {
        for (const llvm::MDOperand& operand : llvm::drop_begin(loop->operands())) {
            if (const auto* location = llvm::dyn_cast<llvm::DILocation>(operand)) return place_of(location);
        }
    }
    return place_of(latch_terminator);
}

}  // namespace

Executor::Executor(WordGraph& graph, MemoryModel& memory, PathBounds& bounds, const llvm::Module& module,
                   const COptions& options, std::vector<circuit::Warning>& warnings)
    : graph_(graph),
      memory_(memory),
      bounds_(bounds),
      module_(module),
      layout_(module.getDataLayout()),
      options_(options),
      warnings_(warnings),
      paths_(graph),
      deadline_(std::chrono::steady_clock::now() + options.time_limit) {}

Executor::~Executor() = default;

Executor::Result Executor::run(const llvm::Function& function, std::vector<Value> arguments, Memory memory) {
    State state;
    state.memory = std::move(memory);
    Result result;
    result.value = call(function, std::move(arguments), state, nullptr);
    result.memory = std::move(state.memory);
    return result;
}

const ControlFlow& Executor::flow_of(const llvm::Function& function) {
    std::unique_ptr<ControlFlow>& flow = flows_[&function];
    if (flow == nullptr) flow = std::make_unique<ControlFlow>(function);
    return *flow;
}

Value Executor::call(const llvm::Function& function, std::vector<Value> arguments, State& state,
                     const llvm::Instruction* site) {
    for (const Frame* frame : frames_) {
        if (frame->function == &function)
            fail(*site, fmt::format("recursion: '{}' is called while it runs; only loops can be compiled",
                                    source_name(function)));
    }
    if (frames_.size() >= deepest_call) fail(*site, fmt::format("calls nest deeper than {}", deepest_call));
    if (function.arg_size() > arguments.size())
        fail(*site, fmt::format("'{}' is called with too few arguments", source_name(function)));
    Frame frame;
    frame.function = &function;
    frame.site = site;
    frame.flow = &flow_of(function);
    frame.paths.resize(frame.flow->blocks().size());
    for (const llvm::Argument& argument : function.args()) {
        Value& value = arguments[argument.getArgNo()];
        if (argument.hasByValAttr()) {
            const std::uint64_t size = layout_.getTypeAllocSize(argument.getParamByValType());
            const ObjectId copy = memory_.add({"a copy of an argument", size, false, false, nullptr});
            state.memory[copy] = std::make_shared<Object>(memory_.zeros(size));
            frame.locals.push_back(copy);
            const Pointer to = memory_.pointer_to(copy);
            memory_.copy(state.memory, to, *value.pointer, size, [](const std::string&) {});
            value = Value::of(to);
        }
        frame.values[&argument] = std::move(value);
    }
    frames_.push_back(&frame);
    const struct PopFrame {
        std::vector<Frame*>& frames;
        ~PopFrame() { frames.pop_back(); }
    } pop{frames_};
    Value result = run_blocks(frame, state);
    for (const ObjectId local : frame.locals) state.memory.erase(local);
    return result;
}

Value Executor::run_blocks(Frame& frame, State& state) {
    const Path entry_path = state.path;
    frame.pending[0].push_back({std::move(state), {}});
    while (!frame.pending.empty()) {
        const std::uint32_t number = frame.pending.begin()->first;
        std::vector<Arrival> arrivals = std::move(frame.pending.begin()->second);
        frame.pending.erase(frame.pending.begin());
        const ControlFlow::Block& block = frame.flow->blocks()[number];
        set_location(*block.block->getFirstNonPHI());
        const bool is_join = arrivals.size() > 1;
        Arrival arrival = join(std::move(arrivals));
        if (is_join && block.fork) arrival.state.path = frame.paths[*block.fork];
        std::size_t next_phi = 0;
        for (const llvm::PHINode& phi : block.block->phis())
            frame.values[&phi] = std::move(arrival.phis[next_phi++]);
        frame.paths[number] = arrival.state.path;
        run_block(frame, number, std::move(arrival.state));
    }
    if (frame.returns.empty()) {
        throw Error(ErrorKind::circuit, fmt::format("{}: function '{}' never returns",
                                                    place_of(*frame.function), source_name(*frame.function)));
    }
    Arrival arrival = join(std::move(frame.returns));
    state = std::move(arrival.state);
    state.path = entry_path;
    return arrival.phis.empty() ? Value{} : std::move(arrival.phis[0]);
}

Executor::Arrival Executor::join(std::vector<Arrival> arrivals) {
    while (arrivals.size() > 1) {
        std::vector<Arrival> halved;
        for (std::size_t i = 0; i + 1 < arrivals.size(); i += 2) {
            Arrival& a = arrivals[i];
            Arrival& b = arrivals[i + 1];
            PathLogic::Join joined = paths_.join(a.state.path, b.state.path);
            for (std::size_t k = 0; k < a.phis.size(); ++k)
                a.phis[k] = memory_.select(joined.from_first, a.phis[k], b.phis[k]);
            a.state.memory = memory_.merge(joined.from_first, a.state.memory, b.state.memory);
            a.state.path = std::move(joined.path);
            halved.push_back(std::move(a));
        }
        if (arrivals.size() % 2 != 0) halved.push_back(std::move(arrivals.back()));
        arrivals = std::move(halved);
    }
    return std::move(arrivals[0]);
}

void Executor::run_block(Frame& frame, std::uint32_t number, State state) {
    const llvm::BasicBlock& block = *frame.flow->blocks()[number].block;
    bounds_.set_path(state.path);
    for (const llvm::Instruction& instruction : block) {
        if (llvm::isa<llvm::PHINode>(instruction)) continue;
        count_step();
        set_location(instruction);
        try {
            if (instruction.isTerminator()) {
                leave(frame, number, instruction, std::move(state));
                return;
            }
            if (!execute(instruction, state)) return;
        } catch (const UnsupportedProgram& error) {
            fail(instruction, error.message);
        }
    }
}

void Executor::leave(Frame& frame, std::uint32_t from, const llvm::Instruction& terminator, State state) {
    const auto go = [&](const llvm::BasicBlock* to, State next) {
        arrive(frame, from, terminator, frame.flow->number(to), std::move(next));
    };
    const auto with = [&](Condition condition) {
        State next = state;
        if (!PathLogic::holds(next.path, condition)) next.path.push_back(condition);
        return next;
    };
    if (const auto* branch = llvm::dyn_cast<llvm::BranchInst>(&terminator)) {
        if (branch->isUnconditional() || branch->getSuccessor(0) == branch->getSuccessor(1)) {
            go(branch->getSuccessor(0), std::move(state));
            return;
        }
        const Word word = word_of(branch->getCondition());
        const Condition condition = paths_.condition(word);
        const std::optional<bool> known = bounds_.truth(word);
        if (known == true || bounds_.excludes(!condition)) {
            go(branch->getSuccessor(0), std::move(state));
        } else if (known == false || bounds_.excludes(condition)) {
            go(branch->getSuccessor(1), std::move(state));
        } else {
            go(branch->getSuccessor(0), with(condition));
            go(branch->getSuccessor(1), with(!condition));
        }
        return;
    }
    if (const auto* choice = llvm::dyn_cast<llvm::SwitchInst>(&terminator)) {
        const Word word = word_of(choice->getCondition());
        Word any = graph_.constant(0, 1);
        std::vector<std::pair<const llvm::BasicBlock*, Word>> ways;
        const auto add = [&](const llvm::BasicBlock* to, Word taken) {
            const auto found = std::ranges::find(ways, to, &std::pair<const llvm::BasicBlock*, Word>::first);
            if (found == ways.end()) {
                ways.emplace_back(to, taken);
            } else {
                found->second = graph_.bit_or(found->second, taken);
            }
        };
        for (const auto& one : choice->cases()) {
            const Word taken = compare_words(llvm::CmpInst::ICMP_EQ, word, word_of(one.getCaseValue()));
            any = graph_.bit_or(any, taken);
            add(one.getCaseSuccessor(), taken);
        }
        add(choice->getDefaultDest(), graph_.bit_not(any));
        for (const auto& [to, taken] : ways) {
            const Condition condition = paths_.condition(taken);
            if (bounds_.truth(taken) == false || bounds_.excludes(condition)) continue;
            go(to, bounds_.excludes(!condition) ? state : with(condition));
        }
        return;
    }
    if (const auto* end = llvm::dyn_cast<llvm::ReturnInst>(&terminator)) {
        Arrival arrival{std::move(state), {}};
        if (end->getReturnValue() != nullptr) arrival.phis.push_back(value_of(end->getReturnValue()));
        frame.returns.push_back(std::move(arrival));
        return;
    }
    if (llvm::isa<llvm::UnreachableInst>(terminator)) return;
    fail(terminator, fmt::format("control by '{}' is not supported", terminator.getOpcodeName()));
}

void Executor::arrive(Frame& frame, std::uint32_t from, const llvm::Instruction& terminator, std::uint32_t to,
                      State state) {
    const ControlFlow::Block& target = frame.flow->blocks()[to];
    if (target.is_loop_header && !enter_round(frame, to, from, terminator, state)) {
        const Word cut = paths_.conjunction(state.path);
        loop_bound_hit_ = loop_bound_hit_ ? graph_.bit_or(*loop_bound_hit_, cut) : cut;
        return;
    }
    for (const ControlFlow::Block::InLoop& loop : target.loops) {
        // In its last round a loop only goes on to where it may end.
        if (loop.header == to || loop.is_exiting || !frame.loops[loop.header].is_last_round) continue;
        const Word cut = paths_.conjunction(state.path);
        loop_bound_hit_ = loop_bound_hit_ ? graph_.bit_or(*loop_bound_hit_, cut) : cut;
        return;
    }
    const llvm::BasicBlock* source = terminator.getParent();
    Arrival arrival{std::move(state), {}};
    for (const llvm::PHINode& phi : target.block->phis())
        arrival.phis.push_back(value_of(phi.getIncomingValueForBlock(source)));
    frame.pending[to].push_back(std::move(arrival));
}

// Counts the round that an arrival at a loop's header begins; false if the loop must not go on.
bool Executor::enter_round(Frame& frame, std::uint32_t header, std::uint32_t from,
                           const llvm::Instruction& terminator, const State& state) {
    const ControlFlow::Block& block = frame.flow->blocks()[header];
    LoopState& loop = frame.loops[header];
    if (frame.flow->blocks()[from].block != block.latch) {
        loop = {};
        loop.entry_conditions = state.path.size();
        return true;
    }
    if (++loop.rounds >= rounds_limit) {
        throw Error(ErrorKind::circuit,
                    fmt::format("{}: this loop does not end: it was followed for {} rounds",
                                place_of_loop(terminator), rounds_limit));
    }
    if (state.path.size() <= loop.entry_conditions) return true;
    ++loop.guarded_rounds;
    const auto annotated = annotated_bound(terminator);
    if (!annotated && !options_.loop_bound) {
        if (loop.guarded_rounds <= guarded_rounds_limit) return true;
        throw Error(
            ErrorKind::circuit,
            fmt::format("{}: this loop ends on encrypted data only, and was followed for {} rounds; give "
                        "it a bound: --loop-bound N, or TOROID_LOOP_BOUND(N) before it",
                        place_of_loop(terminator), guarded_rounds_limit));
    }
    if (loop.guarded_rounds < (annotated ? *annotated : *options_.loop_bound)) return true;
    // A loop that tests at its end has no more to do; one that tests at its start may still end there.
    if (loop.is_last_round || from == header) return false;
    loop.is_last_round = true;
    return std::ranges::any_of(block.loops, [&](const ControlFlow::Block::InLoop& own) {
        return own.header == header && own.is_exiting;
    });
}

void Executor::count_step() {
    if (++steps_ % steps_between_checks != 0) return;
    const auto stop = [&](const std::string& limit) {
        const Frame& frame = *frames_.back();
        throw Error(ErrorKind::circuit,
                    fmt::format("{}: compiling stopped in function '{}' at the limit of {}",
                                place_of(*frame.function), source_name(*frame.function), limit));
    };
    if (options_.checkpoint) options_.checkpoint();
    if (steps_ > options_.step_limit) stop(fmt::format("{} executed instructions", options_.step_limit));
    if (graph_.size() > options_.word_limit) stop(fmt::format("{} words", options_.word_limit));
    if (std::chrono::steady_clock::now() > deadline_)
        stop(fmt::format("{} seconds", options_.time_limit.count()));
}

void Executor::set_location(const llvm::Instruction& instruction) {
    const llvm::DILocation* location = instruction.getDebugLoc().get();
    if (location == nullptr) return;
    const std::string name = location->getFilename().str();
    auto found = files_.find(name);
    if (found == files_.end()) found = files_.emplace(name, graph_.add_file(name)).first;
    graph_.set_location({found->second, location->getLine(), location->getColumn()});
}

}  // namespace toroid::compiler
