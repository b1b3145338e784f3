/* SPDX-License-Identifier: BSD-3-Clause */
/* The natural residual from its definition (include/perp/problem.h), in long double. */
#include "bench/small_check.h"

#include <math.h>
#include <stdlib.h>

typedef long double real;

static real length(const real *x, int n)
{
    real sum = 0.0L;
    for (int i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sqrtl(sum);
}

/* Nearest point of {|x_T| <= mu x_N}. */
static void project_cone(real *x, real mu, int dim)
{
    real t = length(x + 1, dim - 1);
    if (t <= mu * x[0])
        return;
    real along = (x[0] + mu * t) / (1.0L + mu * mu);
    along = mu * t + x[0] > 0.0L ? along : 0.0L;
    x[0] = along;
    for (int i = 1; i < dim; i++)
        x[i] = t > 0.0L ? x[i] / t * mu * along : 0.0L;
}

static void project(real *x, perp_set set, real a, real b, int dim)
{
    real t;
    switch (set) {
    case PERP_NONNEG:
        x[0] = x[0] > 0.0L ? x[0] : 0.0L;
        break;
    case PERP_BOX:
        x[0] = x[0] < a ? a : x[0] > b ? b : x[0];
        break;
    case PERP_TRESCA:
        x[0] = x[0] > 0.0L ? x[0] : 0.0L;
        t = length(x + 1, dim - 1);
        for (int i = 1; t > a && i < dim; i++)
            x[i] *= a / t;
        break;
    case PERP_COULOMB:
    case PERP_SOC:
        project_cone(x, a, dim);
        break;
    default:
        break;
    }
}

/* y = A x for a column-wise matrix of int indices, and its transpose. */
static void spread(real *y, const perp_mat *A, const real *x)
{
    for (int j = 0; j < A->cols; j++)
        for (int k = A->as.csc.colptr[j]; k < A->as.csc.colptr[j + 1]; k++)
            y[A->as.csc.row[k]] += (real)A->as.csc.x[k] * x[j];
}

static void gather(real *y, const perp_mat *A, const real *x)
{
    for (int j = 0; j < A->cols; j++)
        for (int k = A->as.csc.colptr[j]; k < A->as.csc.colptr[j + 1]; k++)
            y[j] += (real)A->as.csc.x[k] * x[A->as.csc.row[k]];
}

/* x = M^-1 x by Cholesky; the mass has blocks of at most six rows, so a band of
 * five below the diagonal holds it and its factor. */
enum { BAND = 6 };
static int solve_mass(real *x, const perp_mat *M)
{
    int n = M->rows;
    real *L = calloc((size_t)n * BAND + 1, sizeof *L); /* L[BAND i + d] = L(i, i - d) */
    if (!L)
        return -1;
    for (int j = 0; j < n; j++)
        for (int k = M->as.csc.colptr[j]; k < M->as.csc.colptr[j + 1]; k++) {
            int d = M->as.csc.row[k] - j;
            if (d >= 0 && d < BAND)
                L[(j + d) * BAND + d] = M->as.csc.x[k];
        }
    for (int i = 0; i < n; i++) {
        for (int d = i < BAND ? i : BAND - 1; d >= 0; d--) {
            int j = i - d;
            real sum = L[i * BAND + d];
            for (int e = d + 1; e < BAND && e <= i; e++)
                sum -= L[i * BAND + e] * L[j * BAND + e - d];
            L[i * BAND + d] = d ? sum / L[j * BAND] : sqrtl(sum);
        }
        for (int d = 1; d < BAND && d <= i; d++)
            x[i] -= L[i * BAND + d] * x[i - d];
        x[i] /= L[i * BAND];
    }
    for (int i = n - 1; i >= 0; i--) {
        x[i] /= L[i * BAND];
        for (int d = 1; d < BAND && d <= i; d++)
            x[i - d] -= L[i * BAND + d] * x[i];
    }
    free(L);
    return 0;
}

/* v = M^-1 (H r + G l + part of f); y = (H' v + part of w, G' v + part of b). */
static int through_bodies(real *y, const perp_problem_file *d, const real *z, real part)
{
    int rows = d->H.cols;
    real *v = calloc((size_t)d->dofs + 1, sizeof *v);
    if (!v)
        return -1;
    for (int i = 0; i < d->dofs; i++)
        v[i] = part * d->q[i];
    spread(v, &d->H, z);
    if (d->has_G)
        spread(v, &d->G, z + rows);
    int bad = solve_mass(v, &d->M);
    for (int i = 0; i < rows + d->bilateral; i++)
        y[i] = part * (i < rows ? d->w[i] : d->b[i - rows]);
    gather(y, &d->H, v);
    if (d->has_G)
        gather(y + rows, &d->G, v);
    free(v);
    return bad;
}

static void through_blocks(real *y, const perp_mat *A, const real *x)
{
    int b = A->as.bsr.block;
    for (int i = 0; i < A->rows / b; i++)
        for (int k = A->as.bsr.rowptr[i]; k < A->as.bsr.rowptr[i + 1]; k++)
            for (int c = 0; c < b; c++)
                for (int r = 0; r < b; r++)
                    y[i * b + r] +=
                        (real)A->as.bsr
                            .x[((size_t)k * (size_t)b + (size_t)c) * (size_t)b + (size_t)r] *
                        x[A->as.bsr.col[k] * b + c];
}

/* y = M x + part q. */
static int product(real *y, const small_problem *p, const real *x, real part)
{
    int n = p->problem.M.rows;
    if (p->file && p->file->cls == PERP_CLASS_GLOBAL)
        return through_bodies(y, p->file, x, part);
    for (int i = 0; i < n; i++)
        y[i] = part * p->problem.q[i];
    if (p->dense) {
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++)
                y[i] += (real)p->dense[(size_t)i + (size_t)j * (size_t)n] * x[j];
    } else if (p->problem.M.kind == PERP_BSR) {
        through_blocks(y, &p->problem.M, x);
    } else {
        spread(y, &p->problem.M, x);
    }
    return 0;
}

static real map_error(const small_problem *p, const real *z, const real *w)
{
    real sum = 0.0L, x[3];
    int row = 0;
    for (int s = 0; s < p->problem.nseg; s++) {
        const perp_segment *seg = &p->problem.seg[s];
        for (int k = 0; k < seg->count; k++, row += seg->dim) {
            real a = seg->par[0] ? seg->par[0][k * seg->stride[0]] : 0.0L;
            real b = seg->par[1] ? seg->par[1][k * seg->stride[1]] : 0.0L;
            for (int i = 0; i < seg->dim; i++)
                x[i] = z[row + i] - w[row + i];
            if (seg->set == PERP_COULOMB)
                x[0] -= a * length(w + row + 1, seg->dim - 1);
            project(x, seg->set, a, b, seg->dim);
            if (seg->set == PERP_FREE)
                x[0] = z[row] - w[row];
            for (int i = 0; i < seg->dim; i++)
                sum += (z[row + i] - x[i]) * (z[row + i] - x[i]);
        }
    }
    return sqrtl(sum);
}

static int all_finite(const double *x, int n)
{
    for (int i = 0; i < n; i++)
        if (!isfinite(x[i]))
            return 0;
    return 1;
}

double small_error(const small_problem *p, const double *z, const double *w, double *away)
{
    int n = p->problem.M.rows;
    size_t capacity = (size_t)n + 1;
    real *x = calloc(4 * capacity, sizeof *x), *y = x + capacity, *q = y + capacity,
         *zero = q + capacity;
    double error = NAN;
    *away = NAN;
    if (x && all_finite(z, n) && all_finite(w, n)) {
        real worst = 0.0L;
        for (int i = 0; i < n; i++)
            x[i] = z[i];
        if (product(y, p, x, 1.0L) == 0 && product(q, p, zero, 1.0L) == 0) {
            for (int i = 0; i < n; i++)
                worst = fmaxl(worst, fabsl(y[i] - w[i]));
            real base = fmaxl(length(q, n), fmaxl(length(x, n), length(y, n)));
            base = base > 0.0L ? base : 1.0L;
            error = (double)(map_error(p, x, y) / base);
            *away = (double)(worst / base);
        }
    }
    free(x);
    return error;
}
