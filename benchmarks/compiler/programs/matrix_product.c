// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>

void matrix_product(const int16_t a[10][10], const int16_t b[10][10], int32_t c[10][10]) {
    for (int i = 0; i < 10; i++) {
        for (int j = 0; j < 10; j++) {
            int32_t sum = 0;
            for (int k = 0; k < 10; k++) sum += a[i][k] * b[k][j];
            c[i][j] = sum;
        }
    }
}
