// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace toroid::compiler {

/// How a parameter was declared, as far as its type no longer tells.
struct DeclaredParameter {
    enum class Form : std::uint8_t {
        plain,         ///< neither * nor & nor [
        pointer,       ///< int* p, int& r
        array,         ///< int a[5]
        open_array,    ///< int a[]
        variable_size  ///< int a[n]
    };
    Form form = Form::plain;
    std::uint64_t extent = 1;  ///< of an array, outermost dimension
};

/// The parameters of function `name` in clang's print of its declarations; one entry a function of that name
/// with `parameter_names.size()` parameters called so (an empty name: unnamed). `name` is unqualified.
[[nodiscard]] std::vector<std::vector<DeclaredParameter>> declared_parameters(
    std::string_view printed, std::string_view name, const std::vector<std::string>& parameter_names);

}  // namespace toroid::compiler
