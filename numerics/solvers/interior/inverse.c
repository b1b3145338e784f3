/* SPDX-License-Identifier: BSD-3-Clause */
#include "solvers/interior/inverse.h"

#include <math.h>
#include <string.h>

#include "linalg/small.h"

/* x = (F + weight)^-1 b.  The eigenvalues lie far apart, so that an inverse that was
 * multiplied out would lose what the small one needs: b is taken apart along the
 * eigenvectors (1, n), (1, -n) and those across, n = p_T/|p_T|. */
static void divide_cone(double *x, const double *p, double eta, double weight, const double *b,
                        int dim)
{
    double length = perp_norm(p + 1, dim - 1), wide = p[0] + length, e = eta * eta;
    double along = length > 0.0 ? perp_dot(p + 1, b + 1, dim - 1) / length : 0.0;
    double plus = 0.5 * (b[0] + along) / (e * wide * wide + weight);
    double minus = 0.5 * (b[0] - along) / (e / (wide * wide) + weight);
    for (int i = 1; i < dim; i++) {
        double n = length > 0.0 ? p[i] / length : 0.0;
        x[i] = (b[i] - along * n) / (e + weight) + (plus - minus) * n;
    }
    x[0] = plus + minus;
}

/* x = (G F + weight)^-1 b, with G F + weight = G (F + weight + weight e0 t'): the last term by
 * the formula of Sherman and Morrison.  y has space for one column. */
static void divide_shifted(double *x, double *y, const double *p, const double *t, double eta,
                           double weight, const double *b, int dim)
{
    for (int i = 0; i < dim; i++)
        y[i] = b[i];
    y[0] += perp_dot(t + 1, b + 1, dim - 1);
    divide_cone(x, p, eta, weight, y, dim);
    if (weight == 0.0)
        return;
    memset(y, 0, (size_t)dim * sizeof(double));
    y[0] = weight;
    divide_cone(y, p, eta, weight, y, dim);
    double f = perp_dot(t + 1, x + 1, dim - 1) / (1.0 + perp_dot(t + 1, y + 1, dim - 1));
    for (int i = 0; i < dim; i++)
        x[i] -= f * y[i];
}

/* The tangential part of F is eta^2 (I + 2 p_T p_T'). */
static void divide_disk(double *x, const double *p, double eta, double weight, const double *b,
                        int dim)
{
    double square = perp_dot(p + 1, p + 1, dim - 1), e = eta * eta;
    double along = square > 0.0 ? perp_dot(p + 1, b, dim - 1) / square : 0.0;
    for (int i = 1; i < dim; i++)
        x[i - 1] = (b[i - 1] - along * p[i]) / (e + weight) +
                   along * p[i] / (e * (1.0 + 2.0 * square) + weight);
}

/* x = (A + more e0 e0')^-1 b from x = A^-1 b of a cone, by the formula of Sherman and Morrison.
 * unit: a column in which y = A^-1 e0 is made, another follows it. */
static void stiffen_normal(double *x, double *unit, const perp_interior_cone *cone, const double *p,
                           const double *t, double eta, double weight, double more, double *work)
{
    double *y = unit + cone->dim;
    memset(unit, 0, (size_t)cone->dim * sizeof(double));
    unit[0] = 1.0;
    if (cone->shifted)
        divide_shifted(y, work, p, t, eta, weight, unit, cone->dim);
    else
        divide_cone(y, p, eta, weight, unit, cone->dim);
    double f = more * x[0] / (1.0 + more * y[0]);
    for (int i = 0; i < cone->dim; i++)
        x[i] -= f * y[i];
}

/* F = eta^2 [g, h n'; h n, g n n' + (I - n n')] with n = p_T/|p_T|.  g and h are made from the
 * large eigenvalue alone: p_0^2 - |p_T|^2 = 1, on which the small one depends, is lost where p is
 * large and rounded. */
typedef struct spread {
    double e, g, h, length, along; /* eta^2, |p_T|, and what a vector has along n */
} spread;

static spread spread_of(const double *p, double eta, const double *b, int dim)
{
    double length = perp_norm(p + 1, dim - 1), wide = (p[0] + length) * (p[0] + length);
    return (spread){.e = eta * eta,
                    .g = 0.5 * (wide + 1.0 / wide),
                    .h = 0.5 * (wide - 1.0 / wide),
                    .length = length,
                    .along = length > 0.0 ? perp_dot(p + 1, b, dim - 1) / length : 0.0};
}

/* x = (sum of A' F A + weight)^-1 b of the `count` cones of ROLLING from c on, which share row N:
 * their other rows are eliminated.  x may be b. */
static void divide_fan(double *x, const perp_interior *in, const perp_interior_scaling *s, int c,
                       int count, double weight, const double *b)
{
    const perp_interior_cone *cones = in->cones + c;
    const int row = cones->row;
    spread of[PERP_ROLLING_DISKS];
    double pivot = weight, right = b[0];
    for (int k = 0; k < count; k++) {
        of[k] = spread_of(s->p + cones[k].slot, s->eta[c + k], b + (cones[k].tangent - row),
                          cones[k].dim);
        double wide = of[k].e * of[k].g + weight;
        pivot += of[k].e * (of[k].e + of[k].g * weight) / wide;
        right -= of[k].e * of[k].h / wide * of[k].along;
    }
    x[0] = right / pivot;
    for (int k = 0; k < count; k++) {
        const spread *f = &of[k];
        const double *p = s->p + cones[k].slot, *part = b + (cones[k].tangent - row);
        double *out = x + (cones[k].tangent - row);
        double of_x = (f->along - f->e * f->h * x[0]) / (f->e * f->g + weight);
        for (int i = 1; i < cones[k].dim; i++) {
            double n = f->length > 0.0 ? p[i] / f->length : 0.0;
            out[i - 1] = (part[i - 1] - f->along * n) / (f->e + weight) + of_x * n;
        }
    }
}

/* The same with the De Saxce terms, as divide_shifted() has it; y: space for a block. */
static void divide_rolling(double *x, double *y, const perp_interior *in,
                           const perp_interior_scaling *s, int c, int count, double weight,
                           const double *b, int dim)
{
    const int row = in->cones[c].row;
    memcpy(y, b, (size_t)dim * sizeof(double));
    for (int k = c; k < c + count; k++) {
        const perp_interior_cone *cone = &in->cones[k];
        y[0] += perp_dot(s->t + cone->slot + 1, b + (cone->tangent - row), cone->dim - 1);
    }
    divide_fan(x, in, s, c, count, weight, y);
    if (weight == 0.0)
        return;
    double upper = 0.0, lower = 1.0;
    memset(y, 0, (size_t)dim * sizeof(double));
    y[0] = weight;
    divide_fan(y, in, s, c, count, weight, y);
    for (int k = c; k < c + count; k++) {
        const perp_interior_cone *cone = &in->cones[k];
        const double *t = s->t + cone->slot + 1;
        upper += perp_dot(t, x + (cone->tangent - row), cone->dim - 1);
        lower += perp_dot(t, y + (cone->tangent - row), cone->dim - 1);
    }
    for (int k = c; k < c + count; k++) {
        const perp_interior_cone *cone = &in->cones[k];
        for (int i = cone->tangent - row; i < cone->tangent - row + cone->dim - 1; i++)
            x[i] -= upper / lower * y[i];
    }
    x[0] -= upper / lower * y[0];
}

void perp_interior_divide(double *x, const perp_interior_system *system, int k, int *c,
                          const double *E, const double *b)
{
    const perp_interior *in = system->interior;
    const perp_interior_scaling *s = system->scaling;
    const perp_block *block = &in->blocks->at[k];
    const double *soft = system->bodies.soft ? system->bodies.soft + block->row : NULL;
    for (int i = 0; i < block->dim; i++) {
        double e = E[(size_t)i * (size_t)(block->dim + 1)] + (soft ? soft[i] : 0.0);
        x[i] = e > 0.0 ? b[i] / e : 0.0;
    }
    if (block->set == PERP_ROLLING) {
        int first = *c;
        while (*c < in->count && in->cones[*c].block == k)
            ++*c;
        if (in->cones[first].dim > 1)
            divide_rolling(x, system->column, in, s, first, *c - first, system->weight, b,
                           block->dim);
        return;
    }
    for (; *c < in->count && in->cones[*c].block == k; ++*c) {
        const perp_interior_cone *cone = &in->cones[*c];
        const double *p = s->p + cone->slot, *t = s->t + cone->slot;
        int at = cone->row - block->row;
        double weight = system->weight + (soft && block->dim > 1 ? soft[1] : 0.0);
        if (cone->kind == PERP_INTERIOR_DISK)
            divide_disk(x + at, p, s->eta[*c], weight, b + at, cone->dim);
        else if (cone->shifted)
            divide_shifted(x, system->column, p, t, s->eta[*c], weight, b, cone->dim);
        else if (cone->dim > 1)
            divide_cone(x, p, s->eta[*c], weight, b, cone->dim);
        if (soft && cone->kind != PERP_INTERIOR_DISK && cone->dim > 1 && soft[0] != soft[1])
            stiffen_normal(x, system->unit, cone, p, t, s->eta[*c], weight, soft[0] - soft[1],
                           system->column);
    }
}
