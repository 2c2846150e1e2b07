// SPDX-License-Identifier: Apache-2.0
// The millionaires: who has more, and by how much at least, in steps.
#include <stdint.h>

enum verdict { EQUAL, FIRST, SECOND };

enum verdict private_comparison(uint64_t first, uint64_t second, uint8_t* magnitude) {
    if (first == second) {
        *magnitude = 0;
        return EQUAL;
    }
    uint64_t difference = first > second ? first - second : second - first;
    if (difference < 1000)
        *magnitude = 1;
    else if (difference < 1000000)
        *magnitude = 2;
    else
        *magnitude = 3;
    return first > second ? FIRST : SECOND;
}
