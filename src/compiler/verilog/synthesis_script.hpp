// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "compiler/verilog/verilog_reader.hpp"

namespace toroid::compiler {

/// Names inside the private folder of a synthesis run.
inline constexpr const char* script_file_name = "script.ys";
inline constexpr const char* output_file_name = "netlist.json";
inline constexpr const char* placed_file_name = "placed.json";  ///< while cells still know their lines
inline constexpr const char* error_file_name = "errors.txt";

/// Lays links to the sources, the mapping rules and the script into the folder.
void write_synthesis_folder(const std::filesystem::path& folder,
                            const std::vector<std::filesystem::path>& sources, const VerilogOptions& options);

/// The name under which Yosys sees source number `index`, and the folder of that source.
[[nodiscard]] std::string source_name_in_script(std::size_t index, const std::filesystem::path& source);
[[nodiscard]] std::string source_folder_in_script(std::size_t index);
/// The name of the include folder of that number among the options.
[[nodiscard]] std::string include_folder_in_script(std::size_t index);
/// Whether a file is one of the rules that cells are mapped by, and so no source of the user's.
[[nodiscard]] bool is_mapping_rule(const std::string& file);

}  // namespace toroid::compiler
