/* SPDX-License-Identifier: BSD-3-Clause */
#include "scene/plain_number.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#ifdef __SIZEOF_INT128__
__extension__ typedef unsigned __int128 wide;

enum { MOST_DIGITS = 17, MOST_WRITTEN = 24, MOST_POWER = 54, HALF_POWER = 27 }; /* 5^27 < 2^63 */

static const uint64_t five[HALF_POWER + 1] = {1,
                                              5,
                                              25,
                                              125,
                                              625,
                                              3125,
                                              15625,
                                              78125,
                                              390625,
                                              1953125,
                                              9765625,
                                              48828125,
                                              244140625,
                                              1220703125,
                                              6103515625,
                                              30517578125,
                                              152587890625,
                                              762939453125,
                                              3814697265625,
                                              19073486328125,
                                              95367431640625,
                                              476837158203125,
                                              2384185791015625,
                                              11920928955078125,
                                              59604644775390625,
                                              298023223876953125,
                                              1490116119384765625,
                                              7450580596923828125};

/* The integer that is nearest to m 5^n 2^s, an even one in the middle; 0 <= n <= MOST_POWER, and it
 * is below 2^63.  Exact: the product has no more than 53 + 126 bits. */
static uint64_t scaled(uint64_t m, int n, int s)
{
    int first = n < HALF_POWER ? n : HALF_POWER, lost = 0;
    wide part = (wide)m * five[first], high, low, value, rest;
    uint64_t factor = five[n - first];

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
    const uint64_t limit = five[digits] << digits; /* 10^digits */
    uint64_t bits, m;
    int e, n;

    memcpy(&bits, &x, sizeof bits);
    m = (bits & (((uint64_t)1 << 52) - 1)) | (uint64_t)1 << 52;
    e = (int)(bits >> 52 & 0x7ff) - 1023; /* |x| = m 2^(e - 52) */
    /* e log10(2), rounded down: it is never as near to an integer as the factor is to it */
    *exponent = (e * 78913 - (e < 0 ? 262143 : 0)) / 262144;
    for (int k = 0; k < 2; k++, ++*exponent) {
        uint64_t value;
        n = digits - 1 - *exponent;
        if (n < 0 || n > MOST_POWER)
            return 0;
        value = scaled(m, n, e - 52 + n);
        if (value < limit)
            return value;
    }
    return 0;
}

/* A number below 10^8 as eight digits, all of them at the same time: halves, pairs, then digits in
 * the parts of one word. */
static void write_eight(char *out, uint64_t value)
{
    uint64_t x = value / 10000 | value % 10000 << 32, part;

    part = (x * 10486 >> 20) & 0x0000007f0000007fu; /* a hundredth */
    x = part | (x - 100 * part) << 16;
    part = (x * 103 >> 10) & 0x000f000f000f000fu;            /* a tenth */
    x = (part | (x - 10 * part) << 8) + 0x3030303030303030u; /* '0' */
    for (int k = 0; k < 8; k++)
        out[k] = (char)(x >> 8 * k & 0xff);
}

/* The digits of the value, at the end of `out`. */
static void write_digits(char out[MOST_WRITTEN], uint64_t value)
{
    const uint64_t eight = 100000000;

    write_eight(out, value / (eight * eight));
    write_eight(out + 8, value / eight % eight);
    write_eight(out + 16, value % eight);
}

/* The digits with a point after the first, and a power of ten. */
static char *with_power(char *out, const char *digit, int count, int exponent)
{
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
    return out;
}

/* The digits with a point or zeros where they belong. */
static char *with_point(char *out, const char *digit, int count, int exponent)
{
    int whole = exponent < 0 ? 0 : exponent + 1, before = count < whole ? count : whole;

    if (exponent < 0) {
        memcpy(out, "0.000", 5);
        out += 1 - exponent;
    }
    memcpy(out, digit, (size_t)before);
    out += before;
    for (; before < whole; before++)
        *out++ = '0';
    if (whole > 0 && count > whole)
        *out++ = '.';
    if (count > whole) {
        memcpy(out, digit + whole, (size_t)(count - whole));
        out += count - whole;
    }
    return out;
}

/* As %.Ng; its length, 0: not done here. */
static int exact_number(char *out, double x, int digits)
{
    char written[MOST_WRITTEN], *begin = out;
    const char *digit = written + MOST_WRITTEN - digits;
    int exponent, count = digits;
    uint64_t value;

    if (signbit(x))
        *out++ = '-';
    if (x == 0.0) {
        *out++ = '0';
        return (int)(out - begin);
    }
    if (digits < 1 || digits > MOST_DIGITS || !(fabs(x) > 1e-36 && fabs(x) < 1e16) ||
        (value = decimal(x, digits, &exponent)) == 0)
        return 0;
    write_digits(written, value);
    while (count > 1 && digit[count - 1] == '0')
        count--;
    out = exponent < -4 || exponent >= digits ? with_power(out, digit, count, exponent)
                                              : with_point(out, digit, count, exponent);
    return (int)(out - begin);
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
    size_t sign = (size_t)exact_number(out.text, x, digits);

    if (sign > 0) {
        out.text[sign] = '\0';
        return out;
    }
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

int perp_scene_number_put(char *out, double x, int digits)
{
    int length = exact_number(out, x, digits);

    if (length == 0) {
        perp_scene_digits text = perp_scene_number_text(x, digits);
        length = (int)strlen(text.text);
        memcpy(out, text.text, (size_t)length);
    }
    return length;
}
