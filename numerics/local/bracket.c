/* SPDX-License-Identifier: BSD-3-Clause */
/* Roots of the slip equation by samples over the angle. */
#include "local/slip.h"

#define SAMPLES 64

static double value(const perp_circle *e, const double c[2])
{
    double slope, along;
    return perp_circle_value(e, c[0], c[1], &slope, &along);
}

static void middle(double m[2], const double a[2], const double b[2])
{
    const double s = a[0] + b[0], t = a[1] + b[1], scale = 1.0 / sqrt(s * s + t * t);
    m[0] = s * scale;
    m[1] = t * scale;
}

static void bisect(double c[2], const perp_circle *e, const double from[2], const double to[2])
{
    double a[2] = {from[0], from[1]}, b[2] = {to[0], to[1]};
    const int negative = value(e, a) < 0.0;
    for (int k = 0; k < 56; k++) {
        middle(c, a, b);
        double *end = (value(e, c) < 0.0) == negative ? a : b;
        end[0] = c[0];
        end[1] = c[1];
    }
}

/* Least |f| between two samples, by ternary search. */
static void least(double c[2], const perp_circle *e, const double from[2], const double to[2])
{
    double a[2] = {from[0], from[1]}, b[2] = {to[0], to[1]};
    for (int k = 0; k < 60; k++) {
        double l[2], h[2];
        middle(c, a, b);
        middle(l, a, c);
        middle(h, c, b);
        const int left = fabs(value(e, l)) < fabs(value(e, h));
        double *end = left ? b : a, *in = left ? h : l;
        end[0] = in[0];
        end[1] = in[1];
    }
    middle(c, a, b);
}

int perp_circle_bracket(double c[24], const perp_circle *e)
{
    /* cos and sin of 2 pi / SAMPLES turn one sample into the next. */
    const double turn0 = 0.99518472667219688624, turn1 = 0.09801714032956060199;
    double at[SAMPLES + 2][2], f[SAMPLES + 2];
    at[0][0] = 1.0;
    at[0][1] = 0.0;
    for (int k = 0; k < SAMPLES + 2; k++) {
        if (k > 0) {
            at[k][0] = turn0 * at[k - 1][0] - turn1 * at[k - 1][1];
            at[k][1] = turn1 * at[k - 1][0] + turn0 * at[k - 1][1];
        }
        f[k] = value(e, at[k]);
    }
    /* |f''| <= 4 size bounds what a root between two samples leaves at them. */
    const double near = 0.05 * perp_circle_size(e);
    int found = 0;
    for (int k = 0; k < SAMPLES && found < 12; k++) {
        if ((f[k] < 0.0) != (f[k + 1] < 0.0))
            bisect(c + 2 * found++, e, at[k], at[k + 1]);
        else if (fabs(f[k + 1]) <= near && fabs(f[k + 1]) <= fabs(f[k]) &&
                 fabs(f[k + 1]) <= fabs(f[k + 2]) && (f[k + 1] < 0.0) == (f[k + 2] < 0.0))
            least(c + 2 * found++, e, at[k], at[k + 2]);
    }
    return found;
}
