/* SPDX-License-Identifier: BSD-3-Clause */
#include "scene/plain_number.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#ifdef __SIZEOF_INT128__
__extension__ typedef unsigned __int128 wide;

enum { MOST_DIGITS = 17, MOST_POWER = 54, HALF_POWER = 27 }; /* 5^27 < 2^63 */

static uint64_t power_of_five(int n)
{
    uint64_t power = 1;

    for (uint64_t base = 5; n > 0; n >>= 1, base *= base)
        if (n & 1)
            power *= base;
    return power;
}

/* The integer that is nearest to m 5^n 2^s, an even one in the middle; 0 <= n <= MOST_POWER, and it
 * is below 2^63.  Exact: the product has no more than 53 + 126 bits. */
static uint64_t scaled(uint64_t m, int n, int s)
{
    int first = n < HALF_POWER ? n : HALF_POWER, lost = 0;
    wide part = (wide)m * power_of_five(first), high, low, value, rest;
    uint64_t factor = power_of_five(n - first);

    /* high 2^64 + low, low below 2^64 */
    low = (wide)(uint64_t)part * factor;
    high = (part >> 64) * factor + (low >> 64);
    low = (uint64_t)low;
    if (s >= 0)
        return (uint64_t)low << s;
    s = -s;
    if (s > 64) {
        lost = low != 0;
        s -= 64;
    } else {
        high = high << 64 | low;
    }
    value = high >> s;
    rest = high - (value << s);
    if (rest > (wide)1 << (s - 1) || (rest == (wide)1 << (s - 1) && (lost || (value & 1) != 0)))
        value++;
    return (uint64_t)value;
}

/* |x| = value 10^(exponent + 1 - digits) rounded to so many digits; 0: not done here. */
static uint64_t decimal(double x, int digits, int *exponent)
{
    static const double log10_2 = 0.30102999566398120;
    uint64_t least = 1, value;
    int e, n;
    double m = frexp(fabs(x), &e); /* in [1/2, 1) */

    for (int k = 1; k < digits; k++)
        least *= 10;
    *exponent = (int)floor((e - 1) * log10_2);
    for (int k = 0; k < 2; k++, ++*exponent) {
        n = digits - 1 - *exponent;
        if (n < 0 || n > MOST_POWER)
            return 0;
        value = scaled((uint64_t)ldexp(m, 53), n, e - 53 + n);
        if (value < 10 * least)
            return value;
    }
    return 0;
}

/* The digits of the value, without zeros at the end; how many. */
static int write_digits(char *out, uint64_t value, int digits)
{
    for (int k = digits - 1; k >= 0; k--, value /= 10)
        out[k] = (char)('0' + value % 10);
    while (digits > 1 && out[digits - 1] == '0')
        digits--;
    return digits;
}

/* As %.Ng; 0: not done here. */
static int exact_number(char *out, double x, int digits)
{
    char digit[MOST_DIGITS];
    int exponent, count;
    uint64_t value;

    if (x == 0.0) {
        strcpy(out, signbit(x) ? "-0" : "0");
        return 1;
    }
    if (digits > MOST_DIGITS || !(fabs(x) > 1e-36 && fabs(x) < 1e16) ||
        (value = decimal(x, digits, &exponent)) == 0)
        return 0;
    count = write_digits(digit, value, digits);
    if (x < 0.0)
        *out++ = '-';
    if (exponent < -4 || exponent >= digits) {
        *out++ = digit[0];
        if (count > 1)
            *out++ = '.';
        memcpy(out, digit + 1, (size_t)count - 1);
        out += count - 1;
        *out++ = 'e';
        *out++ = exponent < 0 ? '-' : '+';
        exponent = exponent < 0 ? -exponent : exponent;
        *out++ = (char)('0' + exponent / 10);
        *out++ = (char)('0' + exponent % 10);
        *out = '\0';
        return 1;
    }
    if (exponent < 0) {
        memcpy(out, "0.000", 5);
        out += 1 - exponent;
        exponent = -1;
    }
    for (int k = 0; k < count || k <= exponent; k++) {
        if (k == exponent + 1 && k > 0)
            *out++ = '.';
        *out++ = k < count ? digit[k] : '0';
    }
    *out = '\0';
    return 1;
}
#else
static int exact_number(char *out, double x, int digits)
{
    (void)out, (void)x, (void)digits;
    return 0;
}
#endif

perp_scene_digits perp_scene_number_text(double x, int digits)
{
    static const char plain[] = "+-.0123456789abcdefghijklmnopqrstuvwxyz";
    perp_scene_digits out;
    size_t sign;

    if (exact_number(out.text, x, digits))
        return out;
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
