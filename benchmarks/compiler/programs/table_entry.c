// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>

uint64_t table_entry(const uint64_t table[16], uint8_t index) {
    return table[index & 15];
}
