// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace toroid::compiler {

/// What `#include <toroid.h>` gives to a program. An unusual loop hint carries the bound through clang: its
/// own meaning (software pipelining) concerns none of the passes used here.
inline constexpr std::string_view toroid_header = R"(#ifndef TOROID_H
#define TOROID_H
#ifdef __clang__
/* before a parameter's type: its value is given at compile time (--set name=value) */
#define TOROID_CLEAR __attribute__((annotate("toroid_clear")))
/* before a loop: it may go round n times under encrypted conditions */
#define TOROID_LOOP_BOUND(n) TOROID_PRAGMA(clang loop pipeline_initiation_interval(n))
#define TOROID_PRAGMA(text) _Pragma(#text)
#else
#define TOROID_CLEAR
#define TOROID_LOOP_BOUND(n)
#endif
#endif
)";
inline constexpr std::string_view clear_annotation = "toroid_clear";
inline constexpr std::string_view loop_bound_metadata = "llvm.loop.pipeline.initiationinterval";

}  // namespace toroid::compiler
