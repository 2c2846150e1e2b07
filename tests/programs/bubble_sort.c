// SPDX-License-Identifier: Apache-2.0
// Sorts eight bytes in place.
#include <stdint.h>

void bubble_sort(uint8_t values[8]) {
    for (int last = 7; last > 0; last--) {
        for (int i = 0; i < last; i++) {
            if (values[i] > values[i + 1]) {
                uint8_t kept = values[i];
                values[i] = values[i + 1];
                values[i + 1] = kept;
            }
        }
    }
}
