// SPDX-License-Identifier: Apache-2.0
// The whole part of the square root, bit by bit.
#include <stdint.h>

uint16_t isqrt(uint32_t x) {
    uint32_t root = 0;
    for (uint32_t bit = 1U << 30; bit != 0; bit >>= 2) {
        if (x >= root + bit) {
            x -= root + bit;
            root = (root >> 1) + bit;
        } else {
            root >>= 1;
        }
    }
    return (uint16_t)root;
}
