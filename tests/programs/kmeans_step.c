// SPDX-License-Identifier: Apache-2.0
// One step of k-means in the plane: assigns six points to the nearer of two centres and moves the centres.
#include <stdint.h>

struct point {
    int8_t x, y;
};

static int distance(struct point a, struct point b) {
    int dx = a.x - b.x;
    int dy = a.y - b.y;
    return dx * dx + dy * dy;
}

void kmeans_step(const struct point points[6], struct point centres[2]) {
    int16_t sum_x[2] = {0, 0};
    int16_t sum_y[2] = {0, 0};
    uint8_t count[2] = {0, 0};
    for (int i = 0; i < 6; i++) {
        int nearer = distance(points[i], centres[1]) < distance(points[i], centres[0]);
        sum_x[nearer] = (int16_t)(sum_x[nearer] + points[i].x);
        sum_y[nearer] = (int16_t)(sum_y[nearer] + points[i].y);
        count[nearer]++;
    }
    for (int k = 0; k < 2; k++) {
        if (count[k] == 0) continue;
        centres[k].x = (int8_t)(sum_x[k] / count[k]);
        centres[k].y = (int8_t)(sum_y[k] / count[k]);
    }
}
