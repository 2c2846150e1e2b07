// SPDX-License-Identifier: Apache-2.0
// Sharpens the inner four pixels of a 4x4 image, with saturation.
#include <stdint.h>

static uint8_t clamp(int value) {
    return value < 0 ? 0 : value > 255 ? 255 : (uint8_t)value;
}

void image_filter(const uint8_t image[4][4], uint8_t sharp[2][2]) {
    for (int y = 1; y < 3; y++) {
        for (int x = 1; x < 3; x++) {
            int value = 5 * image[y][x] - image[y - 1][x] - image[y + 1][x] - image[y][x - 1] - image[y][x + 1];
            sharp[y - 1][x - 1] = clamp(value);
        }
    }
}
