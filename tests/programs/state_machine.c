// SPDX-License-Identifier: Apache-2.0
// Checks that a text is a number with an optional sign and fraction, e.g. "-12.5"; ends at the first 0.
#include <stdbool.h>

enum state { START, SIGN, WHOLE, POINT, FRACTION, BAD };

bool state_machine(const char text[7]) {
    enum state state = START;
    for (int i = 0; i < 7; i++) {
        char letter = text[i];
        if (letter == 0) break;
        bool digit = letter >= '0' && letter <= '9';
        switch (state) {
            case START:
                state = letter == '-' || letter == '+' ? SIGN : digit ? WHOLE : BAD;
                break;
            case SIGN:
                state = digit ? WHOLE : BAD;
                break;
            case WHOLE:
                state = digit ? WHOLE : letter == '.' ? POINT : BAD;
                break;
            case POINT:
            case FRACTION:
                state = digit ? FRACTION : BAD;
                break;
            default:
                break;
        }
    }
    return state == WHOLE || state == FRACTION;
}
