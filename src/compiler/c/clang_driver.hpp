// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "compiler/c/c_reader.hpp"

namespace toroid::compiler {

/// Runs clang and LLVM's optimiser as child processes in a private folder. Error(circuit) carries clang's own
/// messages with file, line and column, or says which limit was hit or what is not installed.
class ClangDriver {
 public:
    /// Writes toroid.h into the folder. Error(io) if a source cannot be read.
    ClangDriver(const COptions& options, const std::filesystem::path& folder);

    /// Plain bitcode of a source, before any optimisation, with debug information. Warnings are appended.
    [[nodiscard]] std::filesystem::path bitcode(std::size_t source,
                                                std::vector<circuit::Warning>* warnings) const;
    /// Bitcode for running: undefined behaviour traps, everything else means the same.
    [[nodiscard]] std::filesystem::path trapping_bitcode(std::size_t source) const;
    /// Clang's print of the declarations whose names contain `name`: the only place where the length of an
    /// array parameter survives.
    [[nodiscard]] std::string printed_declarations(std::size_t source, const std::string& name) const;
    /// Inlines and cleans up; `top` stays visible.
    [[nodiscard]] std::filesystem::path optimized(const std::filesystem::path& input,
                                                  const std::string& top) const;
    /// An executable from bitcode and C sources.
    void link(const std::vector<std::filesystem::path>& inputs, const std::filesystem::path& output) const;

 private:
    struct Outcome {
        std::string output;
        std::string messages;
    };
    [[nodiscard]] std::vector<std::string> source_arguments(std::size_t source) const;
    [[nodiscard]] Outcome run(const std::string& program, std::vector<std::string> arguments,
                              const std::string& subject) const;
    [[nodiscard]] std::string name_of(std::size_t source) const { return options_.files[source].string(); }

    const COptions& options_;
    std::filesystem::path folder_;
};

/// Whether the file is C or C++ by its name.
[[nodiscard]] bool is_c_source(const std::filesystem::path& file);

}  // namespace toroid::compiler
