// SPDX-License-Identifier: Apache-2.0
// How many of twelve samples fall into each of eight bins: stores at encrypted places.
#include <stdint.h>

void histogram(const uint8_t samples[12], uint8_t bins[8]) {
    for (int i = 0; i < 8; i++) bins[i] = 0;
    for (int i = 0; i < 12; i++) bins[samples[i] >> 5]++;
}
