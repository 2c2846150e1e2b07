// SPDX-License-Identifier: Apache-2.0
#include "compiler/c/c_reader.hpp"

#include <fmt/format.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include "compiler/c/c_interface.hpp"
#include "compiler/c/clang_driver.hpp"
#include "compiler/c/module_file.hpp"
#include "compiler/c/native_check.hpp"
#include "compiler/c/program_builder.hpp"
#include "compiler/process/temporary_folder.hpp"
#include "toroid/error.hpp"

namespace toroid::compiler {
namespace {

std::size_t source_of(const COptions& options, const std::string& file) {
    for (std::size_t i = 0; i < options.files.size(); ++i) {
        if (options.files[i].string() == file || "./" + options.files[i].string() == file) return i;
    }
    return 0;
}

// Where each value lies in the block that the native program is given and gives back.
NativeProgram native_program(const COptions& options, const std::string& linkage_name,
                             const CInterface& interface, const ClearBits& clear, const BuiltProgram& built) {
    NativeProgram native;
    native.options = options;
    native.linkage_name = linkage_name;
    native.interface = interface;
    native.has_loop_bound_output = built.has_loop_bound_output;
    const auto place = [&](const CParameter& parameter) {
        const std::uint64_t offset = native.block_bytes;
        native.block_bytes += (parameter.size + 16 + 15) / 16 * 16;
        return offset;
    };
    for (const CParameter& parameter : interface.parameters) native.offsets.push_back(place(parameter));
    native.result_offset = place(interface.result);
    native.initial.resize(native.block_bytes);
    for (std::size_t i = 0; i < interface.parameters.size(); ++i) {
        for (const Leaf& leaf : interface.parameters[i].leaves) {
            const std::uint64_t bit = 8 * native.offsets[i] + leaf.first_bit;
            if (const auto known = clear.find(leaf.name); known != clear.end()) {
                for (std::uint32_t k = 0; k < leaf.width; ++k) {
                    if (known->second[k])
                        native.initial[(bit + k) / 8] |= static_cast<std::uint8_t>(1U << ((bit + k) % 8));
                }
            } else if (!built.output_only.contains(i)) {
                native.inputs.push_back({leaf.name, bit, leaf.width, leaf.is_signed});
            }
        }
    }
    for (const Leaf& leaf : interface.result.leaves) {
        native.outputs.push_back({built.result_name + leaf.name.substr(interface.result.name.size()),
                                  8 * native.result_offset + leaf.first_bit, leaf.width, leaf.is_signed});
    }
    for (const std::size_t i : built.written) {
        for (const Leaf& leaf : interface.parameters[i].leaves)
            native.outputs.push_back(
                {leaf.name, 8 * native.offsets[i] + leaf.first_bit, leaf.width, leaf.is_signed});
    }
    return native;
}

}  // namespace

CProgram read_c(const COptions& options) {
    const TemporaryFolder folder;
    const ClangDriver driver(options, folder.path());
    CProgram program;
    std::vector<std::filesystem::path> files;
    for (std::size_t i = 0; i < options.files.size(); ++i)
        files.push_back(driver.bitcode(i, &program.warnings));

    llvm::LLVMContext context;
    const std::unique_ptr<llvm::Module> source = read_modules(context, files);
    const llvm::Function& chosen = find_function(*source, options.top);
    const CInterface interface = interface_of(chosen, [&](const std::string& file, const std::string& name,
                                                          const std::vector<std::string>& parameter_names) {
        return declared_parameters(driver.printed_declarations(source_of(options, file), name), name,
                                   parameter_names);
    });
    const ClearBits clear = clear_bits(interface, options);

    const std::string linkage_name = chosen.getName().str();
    source->getFunction(linkage_name)->setLinkage(llvm::GlobalValue::ExternalLinkage);
    const std::filesystem::path linked = folder.path() / "linked.bc";
    write_module(*source, linked);
    const std::unique_ptr<llvm::Module> optimized =
        read_modules(context, {driver.optimized(linked, linkage_name)});
    const llvm::Function* function = optimized->getFunction(linkage_name);
    if (function == nullptr || function->isDeclaration())
        throw Error(ErrorKind::internal, fmt::format("the optimiser has lost function '{}'", interface.name));

    BuiltProgram built = build_program(*function, interface, clear, {}, options);
    if (!built.output_only.empty()) {
        // What is only written is no input: once more without those inputs.
        const std::set<std::size_t> output_only = built.output_only;
        built = build_program(*function, interface, clear, output_only, options);
        built.output_only = output_only;
    }
    program.name = interface.name;
    program.native =
        std::make_shared<const NativeProgram>(native_program(options, linkage_name, interface, clear, built));
    program.graph = std::move(built.graph);
    for (circuit::Warning& warning : built.warnings) program.warnings.push_back(std::move(warning));
    return program;
}

}  // namespace toroid::compiler
