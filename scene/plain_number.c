/* SPDX-License-Identifier: BSD-3-Clause */
#include "scene/plain_number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
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

enum { DIGITS = 7, MOST = 10000000 };

/* Without an exponent: d digits before the point, or -d zeros behind it. */
static size_t place_point(char *out, const char *digit, int count, int d)
{
    char *at = out;

    if (d <= 0) {
        *at++ = '0';
        *at++ = '.';
        for (int k = d; k < 0; k++)
            *at++ = '0';
    }
    for (int k = 0; k < count || k < d; k++) {
        if (k == d && k > 0)
            *at++ = '.';
        *at++ = k < count ? digit[k] : '0';
    }
    return (size_t)(at - out);
}

size_t perp_scene_short_number(char out[PERP_SCENE_SHORT], double x)
{
    static const double power[] = {1e-4, 1e-3, 1e-2, 1e-1, 1e0, 1e1, 1e2,  1e3,
                                   1e4,  1e5,  1e6,  1e7,  1e8, 1e9, 1e10, 1e11};
    double size = fabs(x);
    char digit[DIGITS];
    int d = -4, count = DIGITS, sign = x < 0.0;
    long value;

    if (x == 0.0) {
        out[0] = '0';
        return 1;
    }
    if (!(size >= 1e-4 && size < 1e6))
        return (size_t)snprintf(out, PERP_SCENE_SHORT, "%s",
                                perp_scene_number_text(x, DIGITS).text);
    while (size >= power[d + 5])
        d++;
    value = lround(size * power[4 + DIGITS - 1 - d]);
    if (value >= MOST) { /* rounded up to the next power of ten */
        value /= 10;
        d++;
    }
    for (int k = DIGITS - 1; k >= 0; k--, value /= 10)
        digit[k] = (char)('0' + value % 10);
    while (count > 1 && digit[count - 1] == '0')
        count--;
    out[0] = '-';
    return (size_t)sign + place_point(out + sign, digit, count, d + 1);
}

size_t perp_scene_short_integer(char out[PERP_SCENE_SHORT], int x)
{
    char digit[PERP_SCENE_SHORT];
    size_t count = 0, at = 0;
    unsigned rest = x < 0 ? 0u - (unsigned)x : (unsigned)x;

    do {
        digit[count++] = (char)('0' + rest % 10u);
        rest /= 10u;
    } while (rest > 0u);
    if (x < 0)
        out[at++] = '-';
    while (count > 0)
        out[at++] = digit[--count];
    return at;
}
