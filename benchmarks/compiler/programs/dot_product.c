// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>

int32_t dot_product(const int16_t a[16], const int16_t b[16]) {
    int32_t sum = 0;
    for (int i = 0; i < 16; i++) sum += a[i] * b[i];
    return sum;
}
