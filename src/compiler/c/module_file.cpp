// SPDX-License-Identifier: Apache-2.0
#include "compiler/c/module_file.hpp"

#include <fmt/format.h>
#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/raw_ostream.h>

#include "base/file.hpp"
#include "toroid/error.hpp"

namespace toroid::compiler {
namespace {

constexpr std::uint64_t longest_module = std::uint64_t{1} << 30;

void keep_message(const llvm::DiagnosticInfo* info, void* target) {
    if (info->getSeverity() != llvm::DS_Error) return;
    llvm::raw_string_ostream stream(*static_cast<std::string*>(target));
    llvm::DiagnosticPrinterRawOStream printer(stream);
    info->print(printer);
}

std::unique_ptr<llvm::Module> read_module(llvm::LLVMContext& context, const std::filesystem::path& file) {
    const std::vector<std::byte> bytes = base::read_file(file, longest_module);
    const llvm::StringRef text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    auto module = llvm::parseBitcodeFile(llvm::MemoryBufferRef(text, file.string()), context);
    if (!module)
        throw Error(ErrorKind::internal,
                    fmt::format("clang's bitcode cannot be read: {}", llvm::toString(module.takeError())));
    return std::move(*module);
}

}  // namespace

std::unique_ptr<llvm::Module> read_modules(llvm::LLVMContext& context,
                                           const std::vector<std::filesystem::path>& files) {
    std::string message;
    context.setDiagnosticHandlerCallBack(keep_message, &message);
    std::unique_ptr<llvm::Module> result = read_module(context, files[0]);
    for (std::size_t i = 1; i < files.size(); ++i) {
        std::unique_ptr<llvm::Module> next = read_module(context, files[i]);
        const std::string source = next->getSourceFileName();
        if (llvm::Linker::linkModules(*result, std::move(next)))
            throw Error(ErrorKind::circuit, fmt::format("{}: {}", source, message));
    }
    context.setDiagnosticHandlerCallBack(nullptr, nullptr);
    return result;
}

void write_module(const llvm::Module& module, const std::filesystem::path& file) {
    std::string bytes;
    llvm::raw_string_ostream stream(bytes);
    llvm::WriteBitcodeToFile(module, stream);
    stream.flush();
    base::write_file(file, bytes, base::FileMode::ordinary);
}

}  // namespace toroid::compiler
