// SPDX-License-Identifier: Apache-2.0
// The project's own text format, version 1. Lines, words separated by one blank:
//
//     toroid-circuit 1
//     name <name>
//     input <name> <width> unsigned|signed
//     register <name> <init>
//     linear    <offset> <weight>*<signal> ...
//     bootstrap <offset> <weight>*<signal> ...
//     pair <post> | <offset> <weight>*<signal> ... | <offset> <weight>*<signal> ...
//     next <literal>                      one a register, in their order
//     output <name> unsigned|signed <literal> ...
//     end <gates> <checksum>
//
// Signals are numbered as they come: input bits, registers and gates, from 1; 0 is the constant 0. The lines
// of inputs, registers and gates stand in the order of their signals. A literal is a signal, with ! before it
// where it is negated. Names escape blanks, controls, % and # as %xx. The checksum is the BLAKE2b of
// everything before the last line, 16 bytes in hexadecimal: it tells a cut or damaged file, it is no
// signature.
#pragma once

#include <string>
#include <string_view>

namespace toroid::circuit {

inline constexpr std::string_view native_magic = "toroid-circuit";
inline constexpr int native_version = 1;

[[nodiscard]] std::string native_checksum(std::string_view text);

}  // namespace toroid::circuit
