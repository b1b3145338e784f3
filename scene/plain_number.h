/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers as text, with a point in every locale. */
#ifndef PERP_SCENE_PLAIN_NUMBER_H
#define PERP_SCENE_PLAIN_NUMBER_H

#include <stddef.h>

typedef struct perp_scene_digits {
    char text[40];
} perp_scene_digits;

/* As printf's %.Ng. */
perp_scene_digits perp_scene_number_text(double x, int digits);

/* For pictures, a tenth of the time: seven digits, the last one right but for a tie; and an integer.
 * They return how many characters they wrote, without a zero at the end. */
enum { PERP_SCENE_SHORT = 40 };
size_t perp_scene_short_number(char out[PERP_SCENE_SHORT], double x);
size_t perp_scene_short_integer(char out[PERP_SCENE_SHORT], int x);

#endif
