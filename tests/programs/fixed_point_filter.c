// SPDX-License-Identifier: Apache-2.0
// A filter of five taps in Q15 with rounding and saturation.
#include <stdint.h>

static const int16_t taps[5] = {1638, 6554, 16384, 6554, 1638};

static int16_t saturate(int32_t value) {
    if (value > INT16_MAX) return INT16_MAX;
    if (value < INT16_MIN) return INT16_MIN;
    return (int16_t)value;
}

void fixed_point_filter(const int16_t samples[8], int16_t filtered[4]) {
    for (int i = 0; i < 4; i++) {
        int32_t sum = 1 << 14;
        for (int k = 0; k < 5; k++) sum += samples[i + k] * taps[k];
        filtered[i] = saturate(sum >> 15);
    }
}
