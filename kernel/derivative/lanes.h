/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers and vectors that carry their derivatives by the 18 coordinates of a joint over a step:
 * the chain rule, for all coordinates at once. */
#ifndef PERP_KERNEL_LANES_H
#define PERP_KERNEL_LANES_H

#include <math.h>
#include <string.h>

#include "kernel/relations/twist.h"

enum {
    PERP_LANES_A = 0, /* three of a turn of the first body at the start, three of its rotation */
    PERP_LANES_B = 6, /* vector of the step; the same of the second */
    PERP_LANES_PLACE = 12, /* centre of the first less that of the second, at the start */
    PERP_LANES_MOVE = 15,  /* what the step adds to that */
    PERP_LANES = 18
};

typedef struct perp_number {
    double x, d[PERP_LANES];
} perp_number;

typedef struct perp_vector {
    double x[3], d[3][PERP_LANES];
} perp_vector;

/* sum += a s and a is constant, or s is. */
static inline void perp_vector_add(perp_vector *sum, const perp_vector *a, double s)
{
    for (int i = 0; i < 3; i++) {
        sum->x[i] += s * a->x[i];
        for (int k = 0; k < PERP_LANES; k++)
            sum->d[i][k] += s * a->d[i][k];
    }
}

static inline void perp_vector_add_constant(perp_vector *sum, const double *a, const perp_number *s)
{
    for (int i = 0; i < 3; i++) {
        sum->x[i] += s->x * a[i];
        for (int k = 0; k < PERP_LANES; k++)
            sum->d[i][k] += s->d[k] * a[i];
    }
}

static inline void perp_vector_add_product(perp_vector *sum, const perp_vector *a,
                                           const perp_number *s)
{
    for (int i = 0; i < 3; i++) {
        sum->x[i] += s->x * a->x[i];
        for (int k = 0; k < PERP_LANES; k++)
            sum->d[i][k] += s->x * a->d[i][k] + s->d[k] * a->x[i];
    }
}

/* sum += sign a x b. */
static inline void perp_vector_add_cross(perp_vector *sum, double sign, const perp_vector *a,
                                         const perp_vector *b)
{
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, l = (i + 2) % 3;
        sum->x[i] += sign * (a->x[j] * b->x[l] - a->x[l] * b->x[j]);
        for (int k = 0; k < PERP_LANES; k++)
            sum->d[i][k] += sign * (a->d[j][k] * b->x[l] + a->x[j] * b->d[l][k] -
                                    a->d[l][k] * b->x[j] - a->x[l] * b->d[j][k]);
    }
}

/* The same, a constant. */
static inline void perp_vector_add_arm(perp_vector *sum, double sign, const double *a,
                                       const perp_vector *b)
{
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, l = (i + 2) % 3;
        sum->x[i] += sign * (a[j] * b->x[l] - a[l] * b->x[j]);
        for (int k = 0; k < PERP_LANES; k++)
            sum->d[i][k] += sign * (a[j] * b->d[l][k] - a[l] * b->d[j][k]);
    }
}

/* out = R v, or R' v; R column-major and constant. */
static inline void perp_vector_rotate(perp_vector *out, const double *R, const perp_vector *v)
{
    perp_rotate3(out->x, R, v->x);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < PERP_LANES; k++)
            out->d[i][k] = R[i] * v->d[0][k] + R[i + 3] * v->d[1][k] + R[i + 6] * v->d[2][k];
}

static inline void perp_vector_rotate_back(perp_vector *out, const double *R, const perp_vector *v)
{
    perp_rotate_back3(out->x, R, v->x);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < PERP_LANES; k++)
            out->d[i][k] =
                R[3 * i] * v->d[0][k] + R[3 * i + 1] * v->d[1][k] + R[3 * i + 2] * v->d[2][k];
}

static inline perp_number perp_vector_dot(const perp_vector *a, const perp_vector *b)
{
    perp_number out = {.x = perp_dot3(a->x, b->x)};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < PERP_LANES; k++)
            out.d[k] += a->d[i][k] * b->x[i] + a->x[i] * b->d[i][k];
    return out;
}

/* A function of a and b with this value and these slopes. */
static inline perp_number perp_number_of(double value, double by_a, const perp_number *a,
                                         double by_b, const perp_number *b)
{
    perp_number out = {.x = value};
    for (int k = 0; k < PERP_LANES; k++)
        out.d[k] = by_a * a->d[k] + by_b * b->d[k];
    return out;
}

static inline perp_number perp_number_product(const perp_number *a, const perp_number *b)
{
    return perp_number_of(a->x * b->x, b->x, a, a->x, b);
}

/* |v|; at 0 it stands still. */
static inline perp_number perp_vector_length(const perp_vector *v)
{
    perp_number square = perp_vector_dot(v, v);
    double length = sqrt(square.x), slope = length > 0.0 ? 0.5 / length : 0.0;
    return perp_number_of(length, slope, &square, 0.0, &square);
}

#endif
