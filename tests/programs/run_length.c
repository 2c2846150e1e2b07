// SPDX-License-Identifier: Apache-2.0
// Run-length coding of eight nibbles into pairs of value and count; returns how many pairs there are.
#include <stdint.h>

uint8_t run_length(const uint8_t data[8], uint8_t coded[16]) {
    uint8_t* out = coded;
    int i = 0;
    for (int k = 0; k < 16; k++) coded[k] = 0;
    uint8_t count = 0;
    for (i = 0; i < 8; i++) {
        count++;
        if (i == 7 || data[i + 1] != data[i]) {
            *out++ = data[i];
            *out++ = count;
            count = 0;
        }
    }
    return (uint8_t)((out - coded) / 2);
}
