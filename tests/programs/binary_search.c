// SPDX-License-Identifier: Apache-2.0
// The place of a key in a sorted table of 16 entries, or -1.
#include <stdint.h>
#include <toroid.h>

int binary_search(const uint16_t table[16], uint16_t key) {
    int low = 0;
    int high = 15;
    TOROID_LOOP_BOUND(5)
    while (low <= high) {
        int middle = (low + high) / 2;
        if (table[middle] == key) return middle;
        if (table[middle] < key)
            low = middle + 1;
        else
            high = middle - 1;
    }
    return -1;
}
