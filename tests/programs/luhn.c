// SPDX-License-Identifier: Apache-2.0
// Whether a number of eight digits passes the Luhn check.
#include <stdbool.h>
#include <stdint.h>

bool luhn(const uint8_t digits[8]) {
    uint8_t sum = 0;
    for (int i = 0; i < 8; i++) {
        uint8_t digit = digits[i] % 10;
        if (i % 2 == 0) {
            digit = (uint8_t)(digit * 2);
            if (digit > 9) digit = (uint8_t)(digit - 9);
        }
        sum = (uint8_t)(sum + digit);
    }
    return sum % 10 == 0;
}
