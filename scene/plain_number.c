/* SPDX-License-Identifier: BSD-3-Clause */
#include "scene/plain_number.h"

#include <stdio.h>
#include <string.h>

perp_scene_digits perp_scene_number_text(double x, int digits)
{
    static const char plain[] = "+-.0123456789abcdefghijklmnopqrstuvwxyz";
    perp_scene_digits out;
    size_t sign;

    snprintf(out.text, sizeof out.text, "%.*g", digits, x);
    /* What is left is the decimal sign of the locale, of one byte or more. */
    sign = strspn(out.text, plain);
    if (out.text[sign] != '\0') {
        size_t rest = sign + strcspn(out.text + sign, plain);
        out.text[sign] = '.';
        memmove(out.text + sign + 1, out.text + rest, strlen(out.text + rest) + 1);
    }
    return out;
}
