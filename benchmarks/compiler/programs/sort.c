// SPDX-License-Identifier: Apache-2.0
// Batcher's odd-even merge sort.
#include <stdint.h>

void sort(uint8_t value[8]) {
    for (int p = 1; p < 8; p *= 2) {
        for (int k = p; k >= 1; k /= 2) {
            for (int j = k % p; j + k < 8; j += 2 * k) {
                for (int i = 0; i < k && i + j + k < 8; i++) {
                    if ((i + j) / (2 * p) != (i + j + k) / (2 * p)) continue;
                    if (value[i + j] > value[i + j + k]) {
                        uint8_t old = value[i + j];
                        value[i + j] = value[i + j + k];
                        value[i + j + k] = old;
                    }
                }
            }
        }
    }
}
