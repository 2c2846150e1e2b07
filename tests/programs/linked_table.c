// SPDX-License-Identifier: Apache-2.0
// Records that point to each other, a function chosen by a table, and a walk of clear length.
#include <stdint.h>

struct record {
    int16_t value;
    struct record* next;
};

static int16_t twice(int16_t x) { return (int16_t)(2 * x); }
static int16_t inverted(int16_t x) { return (int16_t)~x; }

int16_t linked_table(const int16_t values[4], uint8_t start) {
    static int16_t (*const changes[2])(int16_t) = {twice, inverted};
    struct record records[4];
    for (int i = 0; i < 4; i++) {
        records[i].value = changes[i % 2](values[i]);
        records[i].next = &records[(i * 3 + 1) % 4];
    }
    struct record* at = &records[start & 3];
    int16_t sum = 0;
    for (int i = 0; i < 3; i++) {
        sum = (int16_t)(sum + at->value);
        at = at->next;
    }
    return sum;
}
