// SPDX-License-Identifier: Apache-2.0
/* For C and C++ programs that `toroid compile` reads. Other compilers see none of it. */
#ifndef TOROID_H
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
