/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers as text, with a point in every locale. */
#ifndef PERP_SCENE_PLAIN_NUMBER_H
#define PERP_SCENE_PLAIN_NUMBER_H

typedef struct perp_scene_digits {
    char text[40];
} perp_scene_digits;

/* As printf's %.Ng. */
perp_scene_digits perp_scene_number_text(double x, int digits);

enum { PERP_SCENE_NUMBER = sizeof(perp_scene_digits) };
/* The same to `out`, which has PERP_SCENE_NUMBER bytes, without a zero behind it; the length. */
int perp_scene_number_put(char *out, double x, int digits);

#endif
