// SPDX-License-Identifier: Apache-2.0
// A loan decision on an applicant's private figures. Whoever runs it learns neither the figures nor the decision.
#include <stdbool.h>
#include <stdint.h>

struct applicant {
    uint8_t income;         // a month, in hundreds
    uint8_t debt_payments;  // a month, in hundreds
    uint8_t age;            // years
    uint8_t years_employed;
    uint8_t profession;     // 0 to 7
    bool owns_home;
    int16_t balance[6];     // of the account at the end of each of the last months
};

enum offer { NONE, STANDARD, GOOD, BEST_RATE };

struct decision {
    uint8_t score;  // 0 to 255
    bool eligible;
    enum offer offer;
};

static const int8_t points_by_profession[8] = {0, 5, 12, 8, -4, 3, 15, 6};

static int clamp(int value, int low, int high) {
    return value < low ? low : value > high ? high : value;
}

// Eight points lost a month that ended below zero; three in a row refuse the loan.
static int lost_points(const int16_t balance[6], bool* refused) {
    int lost = 0;
    int in_a_row = 0;
    for (int month = 0; month < 6; month++) {
        if (balance[month] >= 0) {
            in_a_row = 0;
            continue;
        }
        lost += 8;
        if (++in_a_row == 3) {
            *refused = true;
            break;
        }
    }
    return lost;
}

struct decision loan_score(struct applicant a) {
    struct decision decision = {0, false, NONE};
    bool refused = a.age < 18 || a.age >= 75;
    // What is left of the income; payments may take at most half of it.
    int free_income = a.income > a.debt_payments ? a.income - a.debt_payments : 0;
    if (2 * a.debt_payments > a.income) refused = true;
    int score = 40 + free_income / 2 + 2 * (a.years_employed > 15 ? 15 : a.years_employed) + (a.owns_home ? 12 : 0);
    score += points_by_profession[a.profession & 7];
    score -= lost_points(a.balance, &refused);
    decision.score = (uint8_t)clamp(score, 0, 255);
    if (refused || decision.score < 70) return decision;
    decision.eligible = true;
    decision.offer = decision.score >= 110 ? BEST_RATE : decision.score >= 90 ? GOOD : STANDARD;
    return decision;
}
