/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PERP_SCENE_CROSS_H
#define PERP_SCENE_CROSS_H

/* out = a x b; out is neither of them. */
static inline void perp_scene_cross(double out[3], const double a[3], const double b[3])
{
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        out[k] = a[i] * b[j] - a[j] * b[i];
    }
}

#endif
