/* SPDX-License-Identifier: BSD-3-Clause */
#include "boxed.h"

#include <check.h>
#include <math.h>
#include <string.h>

perp_status boxed_solve(const char *name, const boxed *b, double tol, double *z, double *w,
                        perp_info *info, perp_certificate_kind *kind, double *certificate)
{
    perp_segment seg[BOXED_MAX];
    perp_problem problem = {.q = b->q, .seg = seg, .nseg = b->n};
    perp_settings settings;
    perp_solver *solver;
    perp_settings_init(&settings, sizeof settings);
    settings.tol = tol;
    for (int i = 0; i < b->n; i++) {
        perp_set set = PERP_BOX;
        if (b->lo[i] == 0.0 && b->hi[i] == INFINITY)
            set = PERP_NONNEG;
        else if (b->lo[i] == -INFINITY && b->hi[i] == INFINITY)
            set = PERP_FREE;
        seg[i] = (perp_segment){set, 1, 1, {&b->lo[i], &b->hi[i]}, {0, 0}};
        if (set != PERP_BOX)
            seg[i].par[0] = seg[i].par[1] = NULL;
    }
    perp_mat_init_dense(&problem.M, b->n, b->n, b->M, b->n);
    ck_assert_int_eq(perp_solver_create(&solver, perp_solver_find(name), &settings, NULL), 0);
    ck_assert_int_eq(perp_solver_setup(solver, &problem), 0);
    perp_status status = perp_solver_solve(solver, z, w, info);
    if (kind)
        perp_solver_certificate(solver, kind, certificate, b->n);
    perp_solver_destroy(solver);
    return status;
}

void boxed_nonneg(boxed *b, int n)
{
    b->n = n;
    for (int i = 0; i < n; i++) {
        b->lo[i] = 0.0;
        b->hi[i] = INFINITY;
    }
}

void boxed_random_p(boxed *b, int n, double decades, perp_rng *rng)
{
    boxed_nonneg(b, n);
    for (int k = 0; k < n * n; k++)
        b->M[k] = perp_rng_signed(rng);
    for (int i = 0; i < n; i++) {
        double sum = 0.1;
        for (int j = 0; j < n; j++)
            sum += j == i ? 0.0 : fabs(b->M[i + j * n]);
        b->M[i + i * n] = sum;
        b->q[i] = perp_rng_signed(rng);
    }
    for (int j = 0; j < n; j++) {
        double scale = pow(10.0, decades * perp_rng_signed(rng));
        for (int i = 0; i < n; i++)
            b->M[i + j * n] *= scale;
    }
}

/* A x = b by elimination with full pivoting; 0 when singular. */
static int gauss(double *x, const double *A, const double *b, int n)
{
    double a[BOXED_MAX * BOXED_MAX], r[BOXED_MAX];
    int column[BOXED_MAX];
    memcpy(a, A, sizeof(double) * (size_t)(n * n));
    memcpy(r, b, sizeof(double) * (size_t)n);
    for (int k = 0; k < n; k++)
        column[k] = k;
    for (int k = 0; k < n; k++) {
        int pi = k, pj = k;
        for (int i = k; i < n; i++)
            for (int j = k; j < n; j++)
                if (fabs(a[i + j * n]) > fabs(a[pi + pj * n])) {
                    pi = i;
                    pj = j;
                }
        if (fabs(a[pi + pj * n]) < 1e-11)
            return 0;
        for (int j = 0; j < n; j++) {
            double t = a[k + j * n];
            a[k + j * n] = a[pi + j * n];
            a[pi + j * n] = t;
        }
        double t = r[k];
        r[k] = r[pi];
        r[pi] = t;
        for (int i = 0; i < n; i++) {
            double s = a[i + k * n];
            a[i + k * n] = a[i + pj * n];
            a[i + pj * n] = s;
        }
        int c = column[k];
        column[k] = column[pj];
        column[pj] = c;
        for (int i = k + 1; i < n; i++) {
            double f = a[i + k * n] / a[k + k * n];
            for (int j = k; j < n; j++)
                a[i + j * n] -= f * a[k + j * n];
            r[i] -= f * r[k];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++)
            r[k] -= a[k + j * n] * x[column[j]];
        x[column[k]] = r[k] / a[k + k * n];
    }
    return 1;
}

/* State of each row: 0 at lo, 1 at hi, 2 between.  1 when that is a solution. */
static int try_state(const boxed *b, const int *state, double *z)
{
    int n = b->n, index[BOXED_MAX], m = 0;
    double A[BOXED_MAX * BOXED_MAX], r[BOXED_MAX], x[BOXED_MAX];
    for (int i = 0; i < n; i++) {
        z[i] = state[i] == 0 ? b->lo[i] : b->hi[i];
        if (state[i] == 2)
            index[m++] = i;
        else if (!isfinite(z[i]))
            return 0;
    }
    for (int i = 0; i < m; i++) {
        r[i] = -b->q[index[i]];
        for (int j = 0; j < n; j++)
            if (state[j] != 2)
                r[i] -= b->M[index[i] + j * n] * z[j];
        for (int j = 0; j < m; j++)
            A[i + j * m] = b->M[index[i] + index[j] * n];
    }
    if (m > 0 && !gauss(x, A, r, m))
        return 0;
    for (int i = 0; i < m; i++) {
        z[index[i]] = x[i];
        if (x[i] < b->lo[index[i]] - 1e-9 || x[i] > b->hi[index[i]] + 1e-9)
            return 0;
    }
    for (int i = 0; i < n; i++) {
        double w = b->q[i];
        for (int j = 0; j < n; j++)
            w += b->M[i + j * n] * z[j];
        if ((state[i] == 0 && b->lo[i] < b->hi[i] && w < -1e-9) ||
            (state[i] == 1 && b->lo[i] < b->hi[i] && w > 1e-9))
            return 0;
    }
    return 1;
}

int boxed_enumerate(const boxed *b, double *z)
{
    int state[BOXED_MAX] = {0}, found = 0, i;
    double candidate[BOXED_MAX];
    do {
        if (try_state(b, state, candidate) && found++ == 0)
            memcpy(z, candidate, sizeof(double) * (size_t)b->n);
        for (i = 0; i < b->n && state[i] == 2; i++)
            state[i] = 0;
        if (i < b->n)
            state[i]++;
    } while (i < b->n);
    return found;
}

void boxed_multiply(double *w, const boxed *b, const double *z, int transposed)
{
    for (int i = 0; i < b->n; i++) {
        w[i] = 0.0;
        for (int j = 0; j < b->n; j++)
            w[i] += (transposed ? b->M[j + i * b->n] : b->M[i + j * b->n]) * z[j];
    }
}

static int is_free(const boxed *b, int i)
{
    return b->lo[i] == -INFINITY;
}

void boxed_check_infeasible(const boxed *b, const double *y)
{
    double t[BOXED_MAX], value = 0.0, size = 0.0;
    boxed_multiply(t, b, y, 1);
    for (int i = 0; i < b->n; i++)
        size = fmax(size, fabs(y[i]));
    for (int i = 0; i < b->n; i++) {
        value += b->q[i] * y[i];
        ck_assert(is_free(b, i) || y[i] >= 0.0);
        ck_assert_double_le(t[i], 1e-9 * size);
        if (is_free(b, i))
            ck_assert_double_ge(t[i], -1e-9 * size);
    }
    ck_assert_double_lt(value, -1e-9 * size);
}

/* z-part of a secondary ray: y >= 0, y_i (M y + d t)_i = 0 for some d > 0, t >= 0,
 * that is y_i > 0 only where (M y)_i <= 0. */
static void check_ray(const boxed *b, const double *y)
{
    double t[BOXED_MAX], size = 0.0;
    boxed_multiply(t, b, y, 0);
    for (int i = 0; i < b->n; i++)
        size = fmax(size, fabs(y[i]));
    ck_assert_double_gt(size, 0.0);
    for (int i = 0; i < b->n; i++) {
        ck_assert(is_free(b, i) || y[i] >= -1e-9 * size);
        if (y[i] > 1e-9 * size && !is_free(b, i))
            ck_assert_double_le(t[i], 1e-9 * size);
    }
}

void boxed_check_end(const boxed *b, perp_status status, perp_certificate_kind kind,
                     const double *certificate)
{
    if (status == PERP_INFEASIBLE) {
        ck_assert_int_eq(kind, PERP_CERTIFICATE_INFEASIBLE);
        boxed_check_infeasible(b, certificate);
    } else if (status == PERP_RAY) {
        ck_assert_int_eq(kind, PERP_CERTIFICATE_RAY);
        check_ray(b, certificate);
    }
}
