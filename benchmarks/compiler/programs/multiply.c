// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>

int32_t multiply(int16_t a, int16_t b) {
    return (int32_t)a * b;
}
