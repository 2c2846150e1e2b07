// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace toroid::compiler {

/// Names inside the private folder of a synthesis run.
inline constexpr const char* script_file_name = "script.ys";
inline constexpr const char* output_file_name = "netlist.json";
inline constexpr const char* error_file_name = "errors.txt";

/// Lays links to the sources, the mapping rules and the script into the folder. `top` is empty for "find it".
void write_synthesis_folder(const std::filesystem::path& folder,
                            const std::vector<std::filesystem::path>& sources, const std::string& top);

/// The name under which Yosys sees source number `index`.
[[nodiscard]] std::string source_name_in_script(std::size_t index, const std::filesystem::path& source);

}  // namespace toroid::compiler
