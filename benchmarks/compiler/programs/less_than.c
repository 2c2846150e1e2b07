// SPDX-License-Identifier: Apache-2.0
#include <stdbool.h>
#include <stdint.h>

bool less_than(int32_t a, int32_t b) {
    return a < b;
}
