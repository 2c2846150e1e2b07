// SPDX-License-Identifier: Apache-2.0
// Where a pattern of three letters first stands in a text, '?' matching any letter; -1 if nowhere.
int string_match(const char text[12], const char pattern[3]) {
    for (int start = 0; start + 3 <= 12; start++) {
        int matches = 1;
        for (int i = 0; i < 3; i++) {
            if (pattern[i] == '?') continue;
            if (text[start + i] != pattern[i]) {
                matches = 0;
                break;
            }
        }
        if (matches) return start;
    }
    return -1;
}
