// SPDX-License-Identifier: Apache-2.0
// Insertion sort with the inner loop that ends when the place is found: an encrypted exit.
#include <stdint.h>

void insertion_sort(int16_t values[6]) {
    for (int i = 1; i < 6; i++) {
        int16_t moved = values[i];
        int place = i;
        while (place > 0 && values[place - 1] > moved) {
            values[place] = values[place - 1];
            place--;
        }
        values[place] = moved;
    }
}
