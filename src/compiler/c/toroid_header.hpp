// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace toroid::compiler {

/// What `#include <toroid.h>` gives to a program: include/toroid.h, carried along so that a compiler and its
/// header always fit. An unusual loop hint takes the bound through clang: its own meaning (software
/// pipelining) concerns none of the passes used here.
extern const std::string_view toroid_header;
inline constexpr std::string_view clear_annotation = "toroid_clear";
inline constexpr std::string_view loop_bound_metadata = "llvm.loop.pipeline.initiationinterval";

}  // namespace toroid::compiler
