/* SPDX-License-Identifier: BSD-3-Clause */
#include "sets/rolling.h"

#include <math.h>
#include <string.h>

#include "sets/cone.h"
#include "sets/set.h"

/* Which of the cones hold x, and v of the header; apex: P(x) = 0. */
typedef struct face {
    int slides, rolls, apex;
    double v[3];  /* unit vector in (N, |T|, |R|) */
    double along; /* v.(x_N, a, b) */
} face;

static void set_face(face *f, int slides, int rolls, double x0, double a, double b,
                     const double *par)
{
    double m = slides ? par[0] : 0.0, r = rolls ? par[1] : 0.0;
    double h = perp_length2(perp_length2(1.0, m), r);
    f->slides = slides;
    f->rolls = rolls;
    f->apex = 0;
    f->v[0] = 1.0 / h;
    f->v[1] = m / h;
    f->v[2] = r / h;
    f->along = f->v[0] * x0 + f->v[1] * a + f->v[2] * b;
}

/* Where neither cone holds x, x is inside.  One alone is active when the other
 * still has space at its n. */
static face find_face(double x0, double a, double b, const double *par)
{
    face f;
    int slides = a > par[0] * x0, rolls = b > par[1] * x0;
    set_face(&f, 1, 1, x0, a, b, par);
    if (x0 < 0.0 && !(f.along > 0.0)) {
        f.apex = 1;
        return f;
    }
    if (x0 >= 0.0 && !slides && !rolls) {
        set_face(&f, 0, 0, x0, a, b, par);
        return f;
    }
    if (slides) {
        set_face(&f, 1, 0, x0, a, b, par);
        if (f.along >= 0.0 && b <= par[1] * (f.along * f.v[0]))
            return f;
    }
    if (rolls) {
        set_face(&f, 0, 1, x0, a, b, par);
        if (f.along >= 0.0 && a <= par[0] * (f.along * f.v[0]))
            return f;
    }
    set_face(&f, 1, 1, x0, a, b, par);
    f.along = f.along < 0.0 ? 0.0 : f.along; /* rounding at the apex */
    return f;
}

static face face_of(const double *x, const double *par, int dim, double *a, double *b)
{
    int n = perp_rolling_rows(dim);
    *a = perp_cone_length(x + 1, n);
    *b = perp_cone_length(x + 1 + n, perp_rolling_turns(dim));
    return find_face(x[0], *a, *b, par);
}

static void project(double *p, const double *x, const double *par, int dim)
{
    double a, b;
    int n = perp_rolling_rows(dim);
    face f = face_of(x, par, dim, &a, &b);
    if (f.apex) {
        memset(p, 0, (size_t)dim * sizeof(double));
        return;
    }
    double turn = f.slides && a > 0.0 ? f.along * f.v[1] / a : 1.0;
    double bend = f.rolls && b > 0.0 ? f.along * f.v[2] / b : 1.0;
    p[0] = f.slides || f.rolls ? f.along * f.v[0] : x[0];
    for (int i = 1; i <= n; i++)
        p[i] = f.slides ? turn * x[i] : x[i];
    for (int i = 1 + n; i < dim; i++)
        p[i] = f.rolls ? bend * x[i] : x[i];
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
    double a, b, g[5];
    int n = perp_rolling_rows(dim);
    face f = face_of(x, par, dim, &a, &b);
    memset(J, 0, (size_t)(dim * dim) * sizeof(double));
    if (f.apex)
        return;
    g[0] = f.v[0];
    for (int i = 1; i <= n; i++)
        g[i] = f.slides && a > 0.0 ? f.v[1] * (x[i] / a) : 0.0;
    for (int i = 1 + n; i < dim; i++)
        g[i] = f.rolls && b > 0.0 ? f.v[2] * (x[i] / b) : 0.0;
    for (int j = 0; j < dim; j++)
        for (int i = 0; i < dim; i++)
            J[i + j * dim] = g[i] * g[j];
    for (int i = 1; i < dim; i++)
        J[i + i * dim] += (i <= n ? f.slides : f.rolls) ? 0.0 : 1.0;
    if (f.slides && a > 0.0)
        add_turn(J, x, 1, n, a, f.along * f.v[1] / a, dim);
    if (f.rolls && b > 0.0)
        add_turn(J, x, 1 + n, perp_rolling_turns(dim), b, f.along * f.v[2] / b, dim);
}

double perp_rolling_length(double normal, double a, double b, const double *par)
{
    face f = find_face(normal, a, b, par);
    double t = f.slides ? 0.0 : a, r = f.rolls ? 0.0 : b;
    return f.apex ? 0.0 : perp_length2(perp_length2(f.along, t), r);
}

double perp_rolling_distance(double normal, double a, double b, const double *par)
{
    face f = find_face(normal, a, b, par);
    if (f.apex)
        return perp_length2(perp_length2(normal, a), b);
    double n = f.along * f.v[0];
    double t = f.slides ? a - f.along * f.v[1] : 0.0, r = f.rolls ? b - f.along * f.v[2] : 0.0;
    return f.slides || f.rolls ? perp_length2(perp_length2(normal - n, t), r) : 0.0;
}

/* By Moreau |P_K(-y)|, whose length is -excess / |(1, mu, mu_r)| on the face of both cones. */
double perp_rolling_dual(double excess, double a, double b, const double *par)
{
    if (excess >= 0.0)
        return 0.0;
    double y0 = excess + par[0] * a + par[1] * b;
    face f = find_face(-y0, a, b, par);
    if (f.apex || (f.slides && f.rolls))
        return -excess * f.v[0];
    double t = f.slides ? 0.0 : a, r = f.rolls ? 0.0 : b;
    return perp_length2(perp_length2(f.along, t), r);
}

static double shift(const double *w, const double *par, int dim)
{
    int n = perp_rolling_rows(dim);
    return par[0] * perp_cone_length(w + 1, n) +
           par[1] * perp_cone_length(w + 1 + n, perp_rolling_turns(dim));
}

/* At w_T = 0 and w_R = 0, 0 is taken from the disk. */
static void shift_gradient(double *g, const double *w, const double *par, int dim)
{
    int n = perp_rolling_rows(dim), turns = perp_rolling_turns(dim);
    double a = perp_cone_length(w + 1, n), b = perp_cone_length(w + 1 + n, turns);
    g[0] = 0.0;
    for (int i = 1; i <= n; i++)
        g[i] = a > 0.0 ? par[0] * (w[i] / a) : 0.0;
    for (int i = 1 + n; i < dim; i++)
        g[i] = b > 0.0 ? par[1] * (w[i] / b) : 0.0;
}

static double dual_distance(const double *y, const double *par, int dim)
{
    int n = perp_rolling_rows(dim);
    double a = perp_cone_length(y + 1, n);
    double b = perp_cone_length(y + 1 + n, perp_rolling_turns(dim));
    return perp_rolling_length(-y[0], a, b, par);
}

static int admissible(const double *par)
{
    return par[0] >= 0.0 && par[0] < INFINITY && par[1] >= 0.0 && par[1] < INFINITY;
}

const perp_set_type perp_set_rolling = {
    .name = "ROLLING",
    .parameters = 2,
    .parameter = {"mu", "mu_r"},
    .min_dim = 3,
    .max_dim = 5,
    .project = project,
    .jacobian = jacobian,
    .shift = shift,
    .shift_gradient = shift_gradient,
    .dual_distance = dual_distance,
    .gap = perp_cone_gap,
    .admissible = admissible,
};
