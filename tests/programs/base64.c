// SPDX-License-Identifier: Apache-2.0
// Six bytes as eight letters.
#include <stdint.h>

void base64(const uint8_t data[6], char text[8]) {
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (int i = 0; i < 2; i++) {
        uint32_t three = (uint32_t)data[3 * i] << 16 | (uint32_t)data[3 * i + 1] << 8 | data[3 * i + 2];
        for (int k = 0; k < 4; k++) text[4 * i + k] = letters[(three >> (18 - 6 * k)) & 63];
    }
}
