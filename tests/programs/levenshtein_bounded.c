// SPDX-License-Identifier: Apache-2.0
// Whether two zero-terminated words of at most five letters differ by at most two edits.
#include <stdbool.h>

static int length(const char word[6]) {
    int n = 0;
    while (n < 5 && word[n] != 0) n++;
    return n;
}

bool levenshtein_bounded(const char a[6], const char b[6]) {
    int rows[2][6];
    int a_length = length(a);
    int b_length = length(b);
    int result = 0;
    for (int j = 0; j <= 5; j++) rows[0][j] = j;
    for (int i = 1; i <= 5; i++) {
        int* now = rows[i % 2];
        int* before = rows[(i + 1) % 2];
        now[0] = i;
        for (int j = 1; j <= 5; j++) {
            int best = before[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            if (before[j] + 1 < best) best = before[j] + 1;
            if (now[j - 1] + 1 < best) best = now[j - 1] + 1;
            now[j] = best;
        }
        if (i == a_length) result = now[b_length];
    }
    if (a_length == 0) result = b_length;
    return result <= 2;
}
