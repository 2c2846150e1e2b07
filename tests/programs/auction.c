// SPDX-License-Identifier: Apache-2.0
// Second-price auction: who wins, and what they pay. The first of equal bids wins.
#include <stdint.h>

struct outcome {
    uint8_t winner;
    uint16_t price;
};

struct outcome auction(const uint16_t bids[6], uint16_t reserve) {
    struct outcome result = {255, 0};
    uint16_t highest = 0;
    uint16_t second = reserve;
    for (uint8_t i = 0; i < 6; i++) {
        if (bids[i] < reserve) continue;
        if (result.winner == 255 || bids[i] > highest) {
            if (result.winner != 255) second = highest;
            highest = bids[i];
            result.winner = i;
        } else if (bids[i] > second) {
            second = bids[i];
        }
    }
    if (result.winner != 255) result.price = second;
    return result;
}
