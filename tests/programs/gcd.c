// SPDX-License-Identifier: Apache-2.0
// Euclid's algorithm; two bytes need at most 12 rounds.
#include <stdint.h>
#include <toroid.h>

uint8_t gcd(uint8_t a, uint8_t b) {
    TOROID_LOOP_BOUND(12)
    while (b != 0) {
        uint8_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}
