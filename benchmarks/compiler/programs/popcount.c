// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>

int popcount(uint64_t word) {
    int count = 0;
    for (int i = 0; i < 64; i++) count += word >> i & 1;
    return count;
}
