/* SPDX-License-Identifier: BSD-3-Clause */
#include "sets/rolling.h"

#include <math.h>
#include <string.h>

#include "sets/cone.h"
#include "sets/set.h"

/* Which of the disks hold x, and v of the header; apex: P(x) = 0. */
typedef struct face {
    unsigned active; /* a bit per disk */
    int apex;
    double first;                 /* v_N */
    double v[PERP_ROLLING_DISKS]; /* unit vector in (N, |T|, |R|, |S|), with `first` */
    double along;                 /* v.(x_N, a) */
} face;

static int is_active(const face *f, int k)
{
    return (int)(f->active >> k & 1u);
}

static void set_face(face *f, unsigned active, double x0, const double *a, const double *par,
                     int disks)
{
    double m[PERP_ROLLING_DISKS], h = 1.0;
    f->active = active;
    f->apex = 0;
    for (int k = 0; k < disks; k++) {
        m[k] = is_active(f, k) ? par[k] : 0.0;
        h = perp_length2(h, m[k]);
    }
    f->first = 1.0 / h;
    f->along = f->first * x0;
    for (int k = 0; k < disks; k++) {
        f->v[k] = m[k] / h;
        f->along += f->v[k] * a[k];
    }
}

/* Those that are not active, and have no space left at its n. */
static unsigned short_of(const face *f, const double *a, const double *par, int disks)
{
    unsigned out = 0;
    for (int k = 0; k < disks; k++)
        if (!is_active(f, k) && !(a[k] <= par[k] * (f->along * f->first)))
            out |= 1u << k;
    return out;
}

/* Where no disk holds x, x is inside.  Of the others, fewer disks come first: a face that holds
 * has all those of the answer, so the first one is it. */
static face find_face(double x0, const double *a, const double *par, int disks)
{
    static const unsigned char fewer[] = {1, 2, 4, 3, 5, 6};
    const unsigned all = (1u << disks) - 1u;
    unsigned outside = 0;
    face f;
    for (int k = 0; k < disks; k++)
        outside |= (unsigned)(a[k] > par[k] * x0) << k;
    set_face(&f, all, x0, a, par, disks);
    if (x0 < 0.0 && !(f.along > 0.0)) {
        f.apex = 1;
        return f;
    }
    if (x0 >= 0.0 && !outside) {
        set_face(&f, 0, x0, a, par, disks);
        return f;
    }
    for (size_t i = 0; i < sizeof fewer; i++) {
        if (fewer[i] & ~outside || fewer[i] == all)
            continue;
        set_face(&f, fewer[i], x0, a, par, disks);
        if (f.along >= 0.0 && short_of(&f, a, par, disks) == 0)
            return f;
    }
    /* All that are outside, and what rounding says is so too at that face. */
    set_face(&f, outside, x0, a, par, disks);
    set_face(&f, outside | short_of(&f, a, par, disks), x0, a, par, disks);
    f.along = f.along < 0.0 ? 0.0 : f.along; /* rounding at the apex */
    return f;
}

void perp_rolling_lengths(double *a, const double *x, int dim)
{
    for (int k = 0; k < perp_rolling_disks(dim); k++)
        a[k] = perp_cone_length(x + perp_rolling_first(dim, k), perp_rolling_count(dim, k));
}

double perp_rolling_lever(const double *a, const double *par, int dim)
{
    double sum = par[0] * a[0];
    for (int k = 1; k < perp_rolling_disks(dim); k++)
        sum += par[k] * a[k];
    return sum;
}

static face face_of(const double *x, const double *par, int dim, double *a)
{
    perp_rolling_lengths(a, x, dim);
    return find_face(x[0], a, par, perp_rolling_disks(dim));
}

static void project(double *p, const double *x, const double *par, int dim)
{
    double a[PERP_ROLLING_DISKS];
    face f = face_of(x, par, dim, a);
    if (f.apex) {
        memset(p, 0, (size_t)dim * sizeof(double));
        return;
    }
    p[0] = f.active ? f.along * f.first : x[0];
    for (int k = 0; k < perp_rolling_disks(dim); k++) {
        double turn = is_active(&f, k) && a[k] > 0.0 ? f.along * f.v[k] / a[k] : 1.0;
        int first = perp_rolling_first(dim, k), end = first + perp_rolling_count(dim, k);
        for (int i = first; i < end; i++)
            p[i] = is_active(&f, k) ? turn * x[i] : x[i];
    }
}

/* Rows first .. first + n - 1 of J: f (I - t t') on the block, v v' is added elsewhere. */
static void add_turn(double *J, const double *x, int first, int n, double length, double f, int dim)
{
    for (int j = first; j < first + n; j++) {
        for (int i = first; i < first + n; i++)
            J[i + j * dim] -= f * (x[i] / length) * (x[j] / length);
        J[j + j * dim] += f;
    }
}

static void jacobian(double *J, const double *x, const double *par, int dim)
{
    double a[PERP_ROLLING_DISKS], g[PERP_ROLLING_ROWS] = {0.0};
    const int disks = perp_rolling_disks(dim);
    face f = face_of(x, par, dim, a);
    memset(J, 0, (size_t)(dim * dim) * sizeof(double));
    if (f.apex)
        return;
    g[0] = f.first;
    for (int k = 0; k < disks; k++) {
        int first = perp_rolling_first(dim, k), end = first + perp_rolling_count(dim, k);
        for (int i = first; is_active(&f, k) && a[k] > 0.0 && i < end; i++)
            g[i] = f.v[k] * (x[i] / a[k]);
    }
    for (int j = 0; j < dim; j++)
        for (int i = 0; i < dim; i++)
            J[i + j * dim] = g[i] * g[j];
    for (int k = 0; k < disks; k++) {
        int first = perp_rolling_first(dim, k), count = perp_rolling_count(dim, k);
        for (int i = first; !is_active(&f, k) && i < first + count; i++)
            J[i + i * dim] += 1.0;
        if (is_active(&f, k) && a[k] > 0.0)
            add_turn(J, x, first, count, a[k], f.along * f.v[k] / a[k], dim);
    }
}

/* |(along, a of the disks that are not active)|. */
static double length_of(const face *f, const double *a, int disks)
{
    double length = f->along;
    for (int k = 0; k < disks; k++)
        length = perp_length2(length, is_active(f, k) ? 0.0 : a[k]);
    return length;
}

double perp_rolling_length(double normal, const double *a, const double *par, int dim)
{
    face f = find_face(normal, a, par, perp_rolling_disks(dim));
    return f.apex ? 0.0 : length_of(&f, a, perp_rolling_disks(dim));
}

double perp_rolling_distance(double normal, const double *a, const double *par, int dim)
{
    const int disks = perp_rolling_disks(dim);
    face f = find_face(normal, a, par, disks);
    if (!f.apex && !f.active)
        return 0.0;
    double length = f.apex ? normal : normal - f.along * f.first;
    for (int k = 0; k < disks; k++)
        length = perp_length2(length, f.apex             ? a[k]
                                      : is_active(&f, k) ? a[k] - f.along * f.v[k]
                                                         : 0.0);
    return length;
}

/* By Moreau |P_K(-y)|, whose length is -excess / |m| on the face of all disks. */
double perp_rolling_dual(double excess, const double *a, const double *par, int dim)
{
    const int disks = perp_rolling_disks(dim);
    if (excess >= 0.0)
        return 0.0;
    double y0 = excess;
    for (int k = 0; k < disks; k++)
        y0 += par[k] * a[k];
    face f = find_face(-y0, a, par, disks);
    if (f.apex || f.active == (1u << disks) - 1u)
        return -excess * f.first;
    return length_of(&f, a, disks);
}

static double shift(const double *w, const double *par, int dim)
{
    double a[PERP_ROLLING_DISKS];
    perp_rolling_lengths(a, w, dim);
    return perp_rolling_lever(a, par, dim);
}

/* Where w is 0 in the rows of a disk, 0 is taken from it. */
static void shift_gradient(double *g, const double *w, const double *par, int dim)
{
    double a[PERP_ROLLING_DISKS];
    perp_rolling_lengths(a, w, dim);
    g[0] = 0.0;
    for (int k = 0; k < perp_rolling_disks(dim); k++) {
        int first = perp_rolling_first(dim, k), end = first + perp_rolling_count(dim, k);
        for (int i = first; i < end; i++)
            g[i] = a[k] > 0.0 ? par[k] * (w[i] / a[k]) : 0.0;
    }
}

static double dual_distance(const double *y, const double *par, int dim)
{
    double a[PERP_ROLLING_DISKS];
    perp_rolling_lengths(a, y, dim);
    return perp_rolling_length(-y[0], a, par, dim);
}

static int admissible(const double *par)
{
    int all = 1;
    for (int k = 0; k < PERP_ROLLING_DISKS; k++)
        all &= par[k] >= 0.0 && par[k] < INFINITY;
    return all;
}

const perp_set_type perp_set_rolling = {
    .name = "ROLLING",
    .parameters = 3,
    .last_from = 6,
    .parameter = {"mu", "mu_r", "mu_s"},
    .min_dim = 3,
    .max_dim = PERP_ROLLING_ROWS,
    .project = project,
    .jacobian = jacobian,
    .shift = shift,
    .shift_gradient = shift_gradient,
    .dual_distance = dual_distance,
    .gap = perp_cone_gap,
    .admissible = admissible,
};
