// SPDX-License-Identifier: Apache-2.0
// The same by a table that the program fills first: clear loops and an encrypted index.
#include <stdint.h>

uint32_t crc32_table(const uint8_t data[4]) {
    uint32_t table[256];
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t value = i;
        for (int bit = 0; bit < 8; bit++) value = (value & 1) != 0 ? (value >> 1) ^ 0xedb88320U : value >> 1;
        table[i] = value;
    }
    uint32_t crc = 0xffffffffU;
    for (int i = 0; i < 4; i++) crc = (crc >> 8) ^ table[(crc ^ data[i]) & 0xff];
    return ~crc;
}
