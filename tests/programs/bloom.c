// SPDX-License-Identifier: Apache-2.0
// Whether a Bloom filter of 256 bits may hold a key: three hashes, three bits read at encrypted places.
#include <stdbool.h>
#include <stdint.h>

bool bloom(const uint32_t filter[8], uint16_t key) {
    uint32_t hash = key;
    for (int i = 0; i < 3; i++) {
        hash = (hash ^ (hash >> 7)) * 0x9e3779b1U;
        uint8_t bit = (uint8_t)(hash >> 24);
        if ((filter[bit >> 5] >> (bit & 31) & 1) == 0) return false;
    }
    return true;
}
