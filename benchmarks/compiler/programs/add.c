// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>

uint32_t add(uint32_t a, uint32_t b) {
    return a + b;
}
