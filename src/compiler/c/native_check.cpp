// SPDX-License-Identifier: Apache-2.0
#include "compiler/c/native_check.hpp"

#include <fmt/format.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <random>
#include <unordered_map>

#include "base/bit_vector.hpp"
#include "base/file.hpp"
#include "circuit/simulator.hpp"
#include "compiler/c/clang_driver.hpp"
#include "compiler/c/module_file.hpp"
#include "compiler/c/native_driver.hpp"
#include "compiler/process/child_process.hpp"
#include "compiler/process/temporary_folder.hpp"
#include "toroid/error.hpp"

namespace toroid::compiler {
namespace {

constexpr std::uint32_t lanes = 64;
constexpr std::size_t most_regions = 1024;
constexpr std::size_t most_ports_shown = 48;
constexpr std::uint64_t longest_output = std::uint64_t{1} << 30;

// void toroid_native_call(char** regions): the call in the form that LLVM's code has, from and to memory.
class CallBuilder {
 public:
    CallBuilder(llvm::Module& module, const NativeProgram& program)
        : program_(program),
          module_(module),
          target_(*module.getFunction(program.linkage_name)),
          builder_(module.getContext()) {}

    void build() {
        llvm::Type* pointer = builder_.getPtrTy();
        auto* type = llvm::FunctionType::get(builder_.getVoidTy(), {pointer}, false);
        auto* call = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage,
                                            llvm::StringRef(native_call_name), module_);
        regions_ = call->getArg(0);
        builder_.SetInsertPoint(llvm::BasicBlock::Create(module_.getContext(), "", call));
        const CInterface& interface = program_.interface;
        std::vector<llvm::Value*> arguments;
        const std::size_t result_region = interface.parameters.size();
        if (interface.result.passing == Passing::memory) arguments.push_back(region(result_region));
        for (std::size_t i = 0; i < interface.parameters.size(); ++i)
            add(interface.parameters[i], i, arguments);
        llvm::CallInst* result = builder_.CreateCall(&target_, arguments);
        result->setAttributes(target_.getAttributes());
        result->setCallingConv(target_.getCallingConv());
        if (interface.result.passing == Passing::direct) {
            store(result, result_region, 0);
        } else if (interface.result.passing == Passing::pieces) {
            if (result->getType()->isStructTy()) {
                for (unsigned k = 0; k < result->getType()->getStructNumElements(); ++k)
                    store(builder_.CreateExtractValue(result, k), result_region, 8 * k);
            } else {
                store(result, result_region, 0);
            }
        }
        builder_.CreateRetVoid();
    }

 private:
    llvm::Value* region(std::size_t index) {
        llvm::Value* place = builder_.CreateConstGEP1_64(builder_.getPtrTy(), regions_, index);
        return builder_.CreateLoad(builder_.getPtrTy(), place);
    }
    llvm::Value* at(std::size_t index, std::uint64_t offset) {
        return builder_.CreateConstGEP1_64(builder_.getInt8Ty(), region(index), offset);
    }
    void add(const CParameter& parameter, std::size_t index, std::vector<llvm::Value*>& arguments) {
        if (parameter.passing == Passing::memory) arguments.push_back(region(index));
        if (parameter.passing != Passing::direct && parameter.passing != Passing::pieces) return;
        for (unsigned k = 0; k < parameter.argument_count; ++k) {
            llvm::Type* type = target_.getArg(parameter.first_argument + k)->getType();
            const unsigned bytes = (type->getIntegerBitWidth() + 7) / 8;
            llvm::Value* stored =
                builder_.CreateAlignedLoad(builder_.getIntNTy(8 * bytes), at(index, 8 * k), llvm::Align(1));
            arguments.push_back(builder_.CreateTrunc(stored, type));
        }
    }
    void store(llvm::Value* value, std::size_t index, std::uint64_t offset) {
        const unsigned bytes = (value->getType()->getIntegerBitWidth() + 7) / 8;
        builder_.CreateAlignedStore(builder_.CreateZExt(value, builder_.getIntNTy(8 * bytes)),
                                    at(index, offset), llvm::Align(1));
    }

    const NativeProgram& program_;
    llvm::Module& module_;
    llvm::Function& target_;
    llvm::IRBuilder<> builder_;
    llvm::Value* regions_ = nullptr;
};

using Block = std::vector<std::uint8_t>;

bool bit_of(const std::uint8_t* block, std::uint64_t bit) {
    return (block[bit / 8] >> (bit % 8) & 1) != 0;
}

class NativeRun {
 public:
    explicit NativeRun(const NativeProgram& program)
        : program_(program), driver_(program_.options, folder_.path()) {
        if (program.interface.parameters.size() + 1 > most_regions)
            throw Error(ErrorKind::circuit,
                        fmt::format("'{}' has more than {} parameters; the native check cannot "
                                    "call it",
                                    program.interface.name, most_regions - 1));
        std::vector<std::filesystem::path> files;
        for (std::size_t i = 0; i < program.options.files.size(); ++i)
            files.push_back(driver_.trapping_bitcode(i));
        llvm::LLVMContext context;
        const std::unique_ptr<llvm::Module> module = read_modules(context, files);
        llvm::StripDebugInfo(*module);
        if (llvm::Function* own_main = module->getFunction("main"); own_main != nullptr)
            own_main->setName("toroid_user_main");
        llvm::Function* target = module->getFunction(program.linkage_name);
        if (target == nullptr)
            throw Error(ErrorKind::internal, fmt::format("the native code lacks '{}'", program.linkage_name));
        target->setLinkage(llvm::GlobalValue::ExternalLinkage);
        CallBuilder(*module, program).build();
        write_module(*module, folder_.path() / "call.bc");
        base::write_file(folder_.path() / "driver.c", std::string(native_driver), base::FileMode::ordinary);
        driver_.link({folder_.path() / "call.bc", folder_.path() / "driver.c"}, folder_.path() / "native");
    }

    /// For each block whether C defines the run, and the block afterwards.
    std::vector<std::pair<bool, Block>> run(const std::vector<Block>& blocks) {
        std::string input;
        for (const Block& block : blocks) input.append(block.begin(), block.end());
        base::write_file(folder_.path() / "vectors", input, base::FileMode::ordinary);
        ChildProcess child;
        child.program = folder_.path() / "native";
        child.arguments.push_back(std::to_string(program_.block_bytes));
        const auto add_region = [&](std::uint64_t offset, std::uint64_t size) {
            child.arguments.push_back(std::to_string(offset));
            child.arguments.push_back(std::to_string(size));
        };
        for (std::size_t i = 0; i < program_.offsets.size(); ++i)
            add_region(program_.offsets[i], region_size(program_.interface.parameters[i]));
        add_region(program_.result_offset, region_size(program_.interface.result));
        child.folder = folder_.path();
        child.error_file = folder_.path() / "errors.txt";
        child.input_file = folder_.path() / "vectors";
        child.output_file = folder_.path() / "results";
        child.time_limit = program_.options.time_limit;
        child.memory_limit_bytes = program_.options.memory_limit_bytes;
        child.checkpoint = program_.options.checkpoint;
        const ChildResult result = run_child(child);
        const std::string file = program_.options.files[0].string();
        if (result.timed_out) {
            throw Error(ErrorKind::circuit,
                        fmt::format("{}: the native check was stopped at the time limit of {} "
                                    "seconds",
                                    file, program_.options.time_limit.count()));
        }
        const std::vector<std::byte> output = base::read_file(child.output_file, longest_output);
        if (result.exit_code != 0 || result.signal != 0 ||
            output.size() != blocks.size() * (program_.block_bytes + 1)) {
            throw Error(ErrorKind::circuit,
                        fmt::format("{}: the native check failed with exit status {}, signal {}", file,
                                    result.exit_code, result.signal));
        }
        std::vector<std::pair<bool, Block>> results;
        for (std::size_t i = 0; i < blocks.size(); ++i) {
            const auto* start =
                reinterpret_cast<const std::uint8_t*>(output.data()) + i * (program_.block_bytes + 1);
            results.emplace_back(*start != 0, Block(start + 1, start + 1 + program_.block_bytes));
        }
        return results;
    }

 private:
    // Numbers in registers are read and written in whole words; what lies in memory has no byte to spare.
    static std::uint64_t region_size(const CParameter& parameter) {
        return parameter.passing == Passing::memory ? parameter.size : parameter.size + 16;
    }

    const NativeProgram& program_;
    const TemporaryFolder folder_;
    ClangDriver driver_;
};

// Edge values first, then random ones, of which some are small and some have few bits.
void fill_port(Block& block, const NativeProgram::Port& port, std::uint32_t vector, std::mt19937_64& random) {
    const std::uint64_t style = vector < 4 ? vector : 4 + random() % 8;
    for (std::uint32_t k = 0; k < port.width; ++k) {
        bool bit = false;
        switch (style) {
            case 0:
                break;
            case 1:
                bit = true;
                break;
            case 2:  // the largest number
                bit = !port.is_signed || k + 1 < port.width;
                break;
            case 3:  // the smallest
                bit = port.is_signed && k + 1 == port.width;
                break;
            case 4:
                bit = k == 0;
                break;
            case 5:
                bit = k < 3 && random() % 2 != 0;
                break;
            case 6:
                bit = random() % 8 == 0;
                break;
            case 7:  // a small negative number
                bit = k >= 3 || random() % 2 != 0;
                break;
            default:
                bit = random() % 2 != 0;
                break;
        }
        const std::uint64_t at = port.first_bit + k;
        if (bit) block[at / 8] |= static_cast<std::uint8_t>(1U << (at % 8));
    }
}

std::string shown(const NativeProgram::Port& port, const std::uint8_t* block) {
    base::BitVector bits(port.width);
    for (std::uint32_t k = 0; k < port.width; ++k) bits[k] = bit_of(block, port.first_bit + k);
    return base::format_decimal(bits, port.is_signed);
}

std::string shown_inputs(const std::vector<NativeProgram::Port>& ports, const Block& block) {
    std::string result;
    for (std::size_t i = 0; i < std::min(ports.size(), most_ports_shown); ++i)
        result += fmt::format(" {}={}", ports[i].name, shown(ports[i], block.data()));
    if (ports.size() > most_ports_shown) result += " ...";
    return result;
}

}  // namespace

NativeCheck check_against_native(const CProgram& program, const circuit::Circuit& circuit,
                                 std::uint32_t vectors) {
    const NativeProgram& native = *program.native;
    NativeCheck check;
    if (vectors == 0) return check;
    std::unordered_map<std::string, const NativeProgram::Port*> inputs;
    for (const NativeProgram::Port& port : native.inputs) inputs[port.name] = &port;
    std::unordered_map<std::string, const circuit::OutputPort*> outputs;
    std::unordered_map<std::string, std::size_t> first_output_bit;
    std::size_t output_bits = 0;
    for (const circuit::OutputPort& port : circuit.outputs) {
        outputs[port.name] = &port;
        first_output_bit[port.name] = output_bits;
        output_bits += port.bits.size();
    }
    std::mt19937_64 random(20240607);
    std::vector<Block> blocks(vectors, native.initial);
    for (std::uint32_t v = 0; v < vectors; ++v) {
        for (const NativeProgram::Port& port : native.inputs) fill_port(blocks[v], port, v, random);
    }
    const std::vector<std::pair<bool, Block>> results = NativeRun(native).run(blocks);

    circuit::Simulator simulator(circuit);
    for (std::uint32_t first = 0; first < vectors; first += lanes) {
        const std::uint32_t count = std::min(lanes, vectors - first);
        std::vector<std::uint64_t> words;
        for (const circuit::InputPort& port : circuit.inputs) {
            const auto found = inputs.find(port.name);
            if (found == inputs.end() || found->second->width != port.signals.size())
                throw Error(ErrorKind::internal,
                            fmt::format("the circuit's input '{}' is none of the program's", port.name));
            for (std::uint32_t k = 0; k < found->second->width; ++k) {
                std::uint64_t word = 0;
                for (std::uint32_t v = 0; v < count; ++v)
                    word |= static_cast<std::uint64_t>(
                                bit_of(blocks[first + v].data(), found->second->first_bit + k))
                            << v;
                words.push_back(word);
            }
        }
        const std::vector<std::uint64_t> simulated = simulator.step(words);
        for (std::uint32_t v = 0; v < count; ++v) {
            const auto& [is_defined, block] = results[first + v];
            const auto hit = first_output_bit.find("loop_bound_hit");
            const bool beyond_bound = native.has_loop_bound_output && hit != first_output_bit.end() &&
                                      (simulated[hit->second] >> v & 1) != 0;
            if (!is_defined || beyond_bound) {
                ++check.undefined;
                continue;
            }
            for (const NativeProgram::Port& port : native.outputs) {
                const auto found = first_output_bit.find(port.name);
                if (found == first_output_bit.end() || outputs[port.name]->bits.size() != port.width)
                    throw Error(ErrorKind::internal,
                                fmt::format("the circuit lacks the program's output '{}'", port.name));
                base::BitVector bits(port.width);
                bool equal = true;
                for (std::uint32_t k = 0; k < port.width; ++k) {
                    bits[k] = (simulated[found->second + k] >> v & 1) != 0;
                    equal = equal && bits[k] == bit_of(block.data(), port.first_bit + k);
                }
                if (equal) continue;
                throw Error(
                    ErrorKind::circuit,
                    fmt::format(
                        "{}: the circuit of '{}' differs from the native program: for{} output '{}' is "
                        "{} in the circuit and {} natively",
                        native.options.files[0].string(), native.interface.name,
                        shown_inputs(native.inputs, blocks[first + v]), port.name,
                        base::format_decimal(bits, port.is_signed), shown(port, block.data())));
            }
            ++check.compared;
        }
    }
    return check;
}

}  // namespace toroid::compiler
