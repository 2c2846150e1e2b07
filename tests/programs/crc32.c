// SPDX-License-Identifier: Apache-2.0
// CRC-32 (IEEE 802.3) of eight bytes.
#include <stdint.h>

uint32_t crc32(const uint8_t data[8]) {
    uint32_t crc = 0xffffffffU;
    for (int i = 0; i < 8; i++) {
        crc ^= data[i];
        for (int bit = 0; bit < 8; bit++) crc = (crc >> 1) ^ (0xedb88320U & (0U - (crc & 1U)));
    }
    return ~crc;
}
