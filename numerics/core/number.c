/* SPDX-License-Identifier: BSD-3-Clause */
/* Decimal numbers to doubles, correctly rounded, without the locale. */
#include <perp/base.h>

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "core/float_environment.h"

/* A decimal number 0.d1 d2 d3 ... x 10^point.  A double and the midpoint of two have at most 767
 * digits; of more it matters only whether one of them is not 0. */
enum { DIGITS = 800, SHIFT = 60, POINT_MOST = 50000000 };

typedef struct decimal {
    int count, point, cut; /* cut: a digit that is not 0 was left out */
    uint8_t digit[DIGITS];
} decimal;

static void trim(decimal *d)
{
    while (d->count > 0 && d->digit[d->count - 1] == 0)
        d->count--;
    if (d->count == 0)
        d->point = 0;
}

/* d times 2^bits, bits up to SHIFT. */
static void shift_left(decimal *d, int bits)
{
    uint64_t carry = 0;
    uint8_t front[20]; /* of a carry of at most 2^60 */
    int more = 0;
    for (int k = d->count - 1; k >= 0; k--) {
        carry += (uint64_t)d->digit[k] << bits;
        d->digit[k] = (uint8_t)(carry % 10);
        carry /= 10;
    }
    for (; carry > 0; carry /= 10)
        front[more++] = (uint8_t)(carry % 10);
    int kept = d->count + more <= DIGITS ? d->count : DIGITS - more;
    for (int k = kept; k < d->count; k++)
        d->cut |= d->digit[k] != 0;
    memmove(d->digit + more, d->digit, (size_t)kept);
    for (int k = 0; k < more; k++)
        d->digit[k] = front[more - 1 - k];
    d->count = kept + more;
    d->point += more;
    trim(d);
}

/* d over 2^bits, bits up to SHIFT. */
static void shift_right(decimal *d, int bits)
{
    uint64_t rest = 0, mask = ((uint64_t)1 << bits) - 1;
    int read = 0, write = 0;
    for (; rest >> bits == 0; read++)
        rest = 10 * rest + (read < d->count ? d->digit[read] : 0u);
    d->point -= read - 1;
    for (; read < d->count || rest > 0; read++) {
        uint8_t next = (uint8_t)(rest >> bits);
        if (write < DIGITS)
            d->digit[write++] = next;
        else
            d->cut |= next != 0;
        rest = 10 * (rest & mask) + (read < d->count ? d->digit[read] : 0u);
    }
    d->count = write;
    trim(d);
}

/* d times 2^bits. */
static void scale(decimal *d, int bits)
{
    while (bits != 0 && d->count > 0) {
        int size = bits < 0 ? -bits : bits, part = size < SHIFT ? size : SHIFT;
        if (bits > 0)
            shift_left(d, part);
        else
            shift_right(d, part);
        bits += bits > 0 ? -part : part;
    }
}

/* The nearest integer, ties to even; below 2^54. */
static uint64_t rounded(const decimal *d)
{
    uint64_t whole = 0;
    int k = 0;
    for (; k < d->point; k++)
        whole = 10 * whole + (k < d->count ? d->digit[k] : 0u);
    if (d->point < 0 || d->point >= d->count || d->digit[d->point] < 5)
        return whole;
    int half = d->digit[d->point] == 5 && d->point + 1 == d->count && !d->cut;
    return whole + (half ? whole & 1 : 1);
}

/* A shift that surely does not take a number of so many decimal places past 1. */
static int bits_of(int places)
{
    static const int bits[] = {0, 3, 6, 9, 13, 16, 19, 23, 26};
    const int known = sizeof bits / sizeof bits[0];
    return places < known ? bits[places] : places < 20 ? bits[known - 1] : SHIFT;
}

/* By exact arithmetic: 2^exponent <= d < 2^(exponent + 1) is found by shifts, then the bits of the
 * fraction are an integer. */
static double convert(decimal *d)
{
    int exponent = 0, lowest = DBL_MIN_EXP - 1;
    if (d->count == 0 || d->point < -330)
        return 0.0;
    if (d->point > 310)
        return INFINITY;
    while (d->point > 0) {
        int n = bits_of(d->point);
        scale(d, -n);
        exponent += n;
    }
    while (d->point < 0 || (d->point == 0 && d->digit[0] < 5)) {
        int n = d->point == 0 ? 1 : bits_of(-d->point);
        scale(d, n);
        exponent -= n;
    }
    exponent--; /* [1/2, 1) to [1, 2) */
    if (exponent < lowest) {
        scale(d, exponent - lowest);
        exponent = lowest;
    }
    scale(d, DBL_MANT_DIG);
    return ldexp((double)rounded(d), exponent - (DBL_MANT_DIG - 1));
}

/* The product or quotient in long double, where that is exact enough to say how it rounds. */
static int convert_short(double *value, uint64_t mantissa, int exponent)
{
#if LDBL_MANT_DIG == 64
    static const long double power[] = {1e0L,  1e1L,  1e2L,  1e3L,  1e4L,  1e5L,  1e6L,
                                        1e7L,  1e8L,  1e9L,  1e10L, 1e11L, 1e12L, 1e13L,
                                        1e14L, 1e15L, 1e16L, 1e17L, 1e18L, 1e19L, 1e20L,
                                        1e21L, 1e22L, 1e23L, 1e24L, 1e25L, 1e26L, 1e27L};
    const int most = sizeof power / sizeof power[0] - 1;
    if (exponent < -most || exponent > most || mantissa == 0)
        return 0;
    long double x = (long double)mantissa;
    x = exponent < 0 ? x / power[-exponent] : x * power[exponent];
    int unused;
    uint64_t rest = (uint64_t)ldexpl(frexpl(x, &unused), 64) & 2047;
    if (rest >= 1023 && rest <= 1025)
        return 0;
    *value = (double)x;
    return 1;
#else
    (void)value, (void)mantissa, (void)exponent;
    return 0;
#endif
}

/* Digits at *text, without leading zeros, are added to d and to *mantissa (19 of them). */
static int take_digits(decimal *d, uint64_t *mantissa, const char **text, int whole)
{
    int seen = 0;
    for (; **text >= '0' && **text <= '9'; (*text)++, seen = 1) {
        int digit = **text - '0', leading = d->count == 0 && !digit;
        if (whole ? !leading && d->point < POINT_MOST : leading && d->point > -POINT_MOST)
            d->point += whole ? 1 : -1;
        if (leading)
            continue;
        if (d->count < 19)
            *mantissa = 10 * *mantissa + (uint64_t)digit;
        if (d->count < DIGITS)
            d->digit[d->count++] = (uint8_t)digit;
        else
            d->cut |= digit != 0;
    }
    return seen;
}

/* Length of `word` (lower case) where text begins with it in any case, else 0. */
static size_t begins(const char *text, const char *word)
{
    size_t k = 0;
    for (; word[k]; k++)
        if ((text[k] >= 'A' && text[k] <= 'Z' ? text[k] - 'A' + 'a' : text[k]) != word[k])
            return 0;
    return k;
}

static const char *read_word(const char *text, double *value)
{
    size_t length = begins(text, "infinity");
    length = length ? length : begins(text, "inf");
    *value = length ? (double)INFINITY : (double)NAN;
    length = length ? length : begins(text, "nan");
    return length ? text + length : NULL;
}

/* The exponent after an e, if a number stands there. */
static int read_exponent(const char **text)
{
    const char *at = *text;
    if (*at != 'e' && *at != 'E')
        return 0;
    at++;
    int negative = *at == '-', power = 0;
    at += *at == '-' || *at == '+';
    if (*at < '0' || *at > '9')
        return 0;
    for (; *at >= '0' && *at <= '9'; at++)
        power = power < 2 * POINT_MOST ? 10 * power + (*at - '0') : power;
    *text = at;
    return negative ? -power : power;
}

const char *perp_number_read(const char *text, double *value)
{
    PERP_HOLD_ENVIRONMENT();
    if (!text || !value)
        return NULL;
    decimal d;
    d.count = d.point = d.cut = 0;
    uint64_t mantissa = 0;
    double size;
    const char *at = text + (*text == '-' || *text == '+');
    int digits = take_digits(&d, &mantissa, &at, 1);
    if (*at == '.' && (digits || (at[1] >= '0' && at[1] <= '9'))) {
        at++;
        digits |= take_digits(&d, &mantissa, &at, 0);
    }
    if (digits) {
        d.point += read_exponent(&at);
        if (d.count > 19 || !convert_short(&size, mantissa, d.point - d.count)) {
            trim(&d);
            size = convert(&d);
        }
    } else if (!(at = read_word(at, &size))) {
        return NULL;
    }
    *value = *text == '-' ? -size : size;
    return at;
}
