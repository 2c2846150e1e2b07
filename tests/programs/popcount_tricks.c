// SPDX-License-Identifier: Apache-2.0
// Ways to count bits, and what can be had from counting them.
#include <stdint.h>

struct counts {
    uint8_t by_builtin, by_masks, by_loop, leading, trailing, parity, first_set;
};

struct counts popcount_tricks(uint32_t x) {
    struct counts result;
    result.by_builtin = (uint8_t)__builtin_popcount(x);
    uint32_t y = x - ((x >> 1) & 0x55555555U);
    y = (y & 0x33333333U) + ((y >> 2) & 0x33333333U);
    y = (y + (y >> 4)) & 0x0f0f0f0fU;
    result.by_masks = (uint8_t)((y * 0x01010101U) >> 24);
    uint8_t count = 0;
    for (uint32_t rest = x; rest != 0; rest &= rest - 1) {
        count++;
        if (count == 32) break;
    }
    result.by_loop = count;
    result.leading = x == 0 ? 32 : (uint8_t)__builtin_clz(x);
    result.trailing = x == 0 ? 32 : (uint8_t)__builtin_ctz(x);
    result.parity = (uint8_t)__builtin_parity(x);
    result.first_set = (uint8_t)__builtin_ffs((int)x);
    return result;
}
