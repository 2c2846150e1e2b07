// SPDX-License-Identifier: Apache-2.0
// 3x3 matrices.
#include <stdint.h>

void matrix_product(const int16_t a[3][3], const int16_t b[3][3], int32_t c[3][3]) {
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            int32_t sum = 0;
            for (int k = 0; k < 3; k++) sum += a[i][k] * b[k][j];
            c[i][j] = sum;
        }
    }
}
