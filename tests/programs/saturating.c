// SPDX-License-Identifier: Apache-2.0
// Arithmetic that checks itself.
#include <stdbool.h>
#include <stdint.h>

struct checked {
    int32_t sum, product, difference;
    bool sum_overflows, product_overflows, difference_overflows;
    uint16_t unsigned_sum;
    int8_t clamped;
};

struct checked saturating(int32_t a, int32_t b, uint16_t c, uint16_t d) {
    struct checked result;
    result.sum_overflows = __builtin_add_overflow(a, b, &result.sum);
    result.product_overflows = __builtin_mul_overflow(a, b, &result.product);
    result.difference_overflows = __builtin_sub_overflow(a, b, &result.difference);
    result.unsigned_sum = (uint16_t)(c + d) < c ? 0xffff : (uint16_t)(c + d);
    int32_t small = a < -128 ? -128 : a;
    result.clamped = (int8_t)(small > 127 ? 127 : small);
    return result;
}
