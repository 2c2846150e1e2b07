// SPDX-License-Identifier: Apache-2.0
// Days since 1 March 2000, the day of the week and whether the year is a leap year.
#include <stdbool.h>
#include <stdint.h>

struct day {
    int32_t number;
    uint8_t weekday;
    bool leap;
};

struct day date(uint16_t year, uint8_t month, uint8_t day_of_month) {
    static const uint16_t days_before[12] = {306, 337, 0, 31, 61, 92, 122, 153, 184, 214, 245, 275};
    struct day result;
    uint32_t y = year;
    result.leap = (y % 4 == 0 && y % 100 != 0) || y % 400 == 0;
    uint8_t m = month < 1 ? 1 : month > 12 ? 12 : month;
    if (m < 3) y--;
    int32_t full = (int32_t)y - 2000;
    int32_t leaps = (int32_t)(y / 4) - (int32_t)(y / 100) + (int32_t)(y / 400) - (500 - 20 + 5);
    result.number = full * 365 + leaps + days_before[m - 1] + day_of_month - 1;
    result.weekday = (uint8_t)(((result.number % 7) + 7 + 3) % 7);
    return result;
}
