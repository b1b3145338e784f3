/* SPDX-License-Identifier: BSD-3-Clause */
/* Of the solutions that rows on a kink have, the one whose dz is least.
 *
 * Where they are half-lines with a symmetric matrix all solutions have the same w, and are
 *
 *     zeta + L b,     zeta + L b >= 0,   = 0 in the rows where w > 0,
 *
 * L of the directions that change no w, dz + Q b in the unknowns of the problem.  With Q
 * orthonormal that is min |b + Q' dz|^2 / 2 under these rows, by the multipliers of which b = L' mu
 * - Q' dz:
 *
 *     0 <= mu   perp   zeta + L (L' mu - Q' dz) >= 0,
 *
 * rows with w > 0 both ways: second copies of the others are far from it and do nothing. */
#include <math.h>
#include <string.h>

#include "derivative/state.h"
#include "linalg/small.h"

/* Of the largest w or q: no w.  Of its size, what is left of a direction that depends on others. */
static const double no_w = 1e-10, none = 1e-10;
static const double tolerance = 1e-12;

/* x of n numbers and l of m become orthogonal to those before; 0: x depends on them. */
static int make_orthogonal(const perp_least_norm *s, double *x, double *l, size_t n, size_t m)
{
    double before = sqrt(perp_dot(x, x, (int)n));
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < s->count; k++) {
            const double *e = s->along + (size_t)k * n, *own = s->loose + (size_t)k * m;
            double sum = perp_dot(e, x, (int)n);
            for (size_t i = 0; i < n; i++)
                x[i] -= sum * e[i];
            for (size_t i = 0; i < m; i++)
                l[i] -= sum * own[i];
        }
    double size = sqrt(perp_dot(x, x, (int)n));
    if (!(size > none * before))
        return 0;
    for (size_t i = 0; i < n; i++)
        x[i] /= size;
    for (size_t i = 0; i < m; i++)
        l[i] /= size;
    return 1;
}

static void find_directions(perp_derivative *d)
{
    perp_least_norm *s = &d->least_norm;
    size_t n = (size_t)d->info.rows, m = (size_t)d->kinks.count;
    for (int f = 0; f < d->kinks.free; f++) {
        double *x = s->along + (size_t)s->count * n, *l = s->loose + (size_t)s->count * m;
        perp_kinks_loose(d, f, d->y);
        memset(x, 0, n * sizeof(double));
        perp_reduced_add_c(x, &d->laws, d->y, 0);
        perp_take_off_nulls(d, x);
        memcpy(l, d->y + d->laws.regular, m * sizeof(double));
        s->count += make_orthogonal(s, x, l, n, m);
    }
}

/* L L' in four quarters, of the rows and of those with the other sign. */
static void multiply(perp_least_norm *s, size_t m)
{
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < m; j++) {
            double sum = 0.0;
            for (int k = 0; k < s->count; k++)
                sum += s->loose[i + (size_t)k * m] * s->loose[j + (size_t)k * m];
            s->matrix[i + j * 2 * m] = s->matrix[m + i + (m + j) * 2 * m] = sum;
            s->matrix[m + i + j * 2 * m] = s->matrix[i + (m + j) * 2 * m] = -sum;
        }
}

static perp_status take(perp_derivative *d)
{
    perp_least_norm *s = &d->least_norm;
    size_t n = (size_t)d->info.rows, m = (size_t)d->kinks.count, most = (size_t)d->kinks.free;
    double **arrays[] = {&s->q, &s->z, &s->w};
    for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; k++)
        *arrays[k] = perp_arena_take_zero(&d->arena, 2 * m, sizeof(double));
    s->along = PERP_TAKE(&d->arena, double, n *most);
    s->loose = PERP_TAKE(&d->arena, double, m *most);
    s->part = PERP_TAKE(&d->arena, double, most);
    s->matrix = PERP_TAKE(&d->arena, double, 4 * m * m);
    return d->arena.failed ? PERP_ERR_MEMORY : PERP_SOLVED;
}

perp_status perp_least_norm_build(perp_derivative *d)
{
    perp_least_norm *s = &d->least_norm;
    int rows = 2 * d->kinks.count;
    perp_settings settings;
    *s = (perp_least_norm){.count = 0};
    if (d->kinks.count == 0 || d->kinks.unique || !d->kinks.same_w)
        return PERP_SOLVED;
    perp_status status = take(d);
    if (status != PERP_SOLVED)
        return status;
    find_directions(d);
    if (s->count == 0)
        return PERP_SOLVED;
    multiply(s, (size_t)d->kinks.count);
    s->segment = (perp_segment){.set = PERP_NONNEG, .dim = 1, .count = rows};
    s->problem = (perp_problem){.q = s->q, .seg = &s->segment, .nseg = 1};
    perp_mat_init_dense(&s->problem.M, rows, rows, s->matrix, rows);
    perp_settings_init(&settings, sizeof settings);
    settings.tol = tolerance;
    status = perp_solver_create(&s->solver, perp_solver_find("lemke"), &settings,
                                &d->arena.allocator, NULL);
    return status == PERP_SOLVED ? perp_solver_setup(s->solver, &s->problem) : status;
}

/* q of the multipliers, from part = Q' dz. */
static void set_rows(perp_derivative *d)
{
    const perp_kinks *kinks = &d->kinks;
    perp_least_norm *s = &d->least_norm;
    size_t m = (size_t)kinks->count;
    double largest = 0.0, size = sqrt(perp_dot(s->part, s->part, s->count));
    for (size_t i = 0; i < m; i++)
        largest = fmax(largest, fmax(fabs(kinks->w[i]), fabs(kinks->q[i])));
    for (size_t i = 0; i < m; i++) {
        double now = kinks->z[i], reach = 0.0;
        for (int k = 0; k < s->count; k++) {
            double l = s->loose[i + (size_t)k * m];
            now -= l * s->part[k];
            reach += l * l;
        }
        s->q[i] = now;
        s->q[m + i] = -now;
        if (!(kinks->w[i] > no_w * largest)) /* |b| <= 2 |Q' dz|, since b = 0 is allowed */
            s->q[m + i] = fabs(kinks->z[i]) + 4.0 * sqrt(reach) * size;
    }
}

void perp_least_norm_take(perp_derivative *d, double *dz)
{
    perp_least_norm *s = &d->least_norm;
    size_t n = (size_t)d->info.rows, m = (size_t)d->kinks.count;
    for (int k = 0; k < s->count; k++)
        s->part[k] = perp_dot(s->along + (size_t)k * n, dz, (int)n);
    set_rows(d);
    if (perp_solver_update_q(s->solver, s->q) != PERP_SOLVED ||
        perp_solver_solve(s->solver, s->z, s->w, NULL) != PERP_SOLVED)
        return;
    for (int k = 0; k < s->count; k++) {
        double b = -s->part[k];
        for (size_t i = 0; i < m; i++)
            b += s->loose[i + (size_t)k * m] * (s->z[i] - s->z[m + i]);
        for (size_t i = 0; i < n; i++)
            dz[i] += b * s->along[(size_t)k * n + i];
    }
}

void perp_least_norm_destroy(perp_least_norm *s)
{
    perp_solver_destroy(s->solver);
    s->solver = NULL;
}
