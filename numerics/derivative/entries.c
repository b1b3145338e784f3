/* SPDX-License-Identifier: BSD-3-Clause */
/* Directions and gradients in the entries of M as the caller stores them.  For H' B H, B = M^-1:
 *     d(H' B H) z = dH' v + H' B (dH z - dM v),    v = B H z. */
#include <math.h>
#include <string.h>

#include "derivative/state.h"
#include "linalg/mass.h"

/* x = B' x. */
static void solve_transposed(const perp_mass *mass, double *x, double *work)
{
    if (mass->symmetric) {
        perp_mass_solve(mass, x, work, x);
        return;
    }
    for (int k = 0; k < mass->nblocks; k++) {
        const perp_mass_block *b = &mass->blocks[k];
        const double *inverse = mass->inverses + b->inverse;
        double in[PERP_MASS_BLOCK_MAX];
        for (int i = 0; i < b->dim; i++)
            in[i] = x[mass->dof[b->first + i]];
        for (int j = 0; j < b->dim; j++) {
            double sum = 0.0;
            for (int i = 0; i < b->dim; i++)
                sum += inverse[i + j * b->dim] * in[i];
            x[mass->dof[b->first + j]] = sum;
        }
    }
    if (mass->nsparse > 0)
        perp_lu_solve_transposed(x, &mass->lu, x, mass->dof + (mass->n - mass->nsparse), work);
}

static int count_of(const perp_mat *M)
{
    switch (M->kind) {
    case PERP_DENSE:
        return (long long)M->as.dense.ld * M->cols > INT32_MAX ? -1 : M->as.dense.ld * M->cols;
    case PERP_CSC:
        return M->as.csc.colptr[M->cols];
    case PERP_BSR: {
        int b = M->as.bsr.block;
        return M->as.bsr.rowptr[M->rows / b] * b * b;
    }
    case PERP_DELASSUS:
        return M->as.delassus.colptr[M->cols];
    default:
        return 0;
    }
}

/* y += H x and y += H' x for entries `h` on the pattern of H. */
static void add_h(double *y, const perp_mat *M, const double *h, const double *x)
{
    for (int j = 0; j < M->cols; j++)
        for (int p = M->as.delassus.colptr[j]; p < M->as.delassus.colptr[j + 1]; p++)
            y[M->as.delassus.row[p]] += h[p] * x[j];
}

static void add_ht(double *y, const perp_mat *M, const double *h, const double *x)
{
    for (int j = 0; j < M->cols; j++)
        for (int p = M->as.delassus.colptr[j]; p < M->as.delassus.colptr[j + 1]; p++)
            y[j] += h[p] * x[M->as.delassus.row[p]];
}

perp_status perp_entries_prepare(perp_derivative *d)
{
    const perp_mat *M = &d->M;
    d->info.entries = count_of(M);
    if (d->info.entries < 0)
        return PERP_ERR_OVERFLOW;
    if (M->kind != PERP_DELASSUS)
        return PERP_SOLVED;
    d->info.dofs = M->as.delassus.dofs;
    size_t dofs = (size_t)d->info.dofs;
    d->drift = perp_arena_take_zero(&d->arena, dofs, sizeof(double));
    for (int k = 0; k < 3; k++)
        d->dof[k] = perp_arena_take_zero(&d->arena, dofs, sizeof(double));
    if (d->arena.failed)
        return PERP_ERR_MEMORY;
    add_h(d->drift, M, M->as.delassus.x, d->z);
    perp_mass_solve(M->as.delassus.mass, d->drift, d->dof[0], d->drift);
    return PERP_SOLVED;
}

static void add_bsr(double *c, const perp_mat *M, const double *x, const double *z)
{
    int b = M->as.bsr.block;
    for (int i = 0; i < M->rows / b; i++)
        for (int p = M->as.bsr.rowptr[i]; p < M->as.bsr.rowptr[i + 1]; p++)
            for (int k = 0; k < b * b; k++)
                c[i * b + k % b] +=
                    x[(size_t)p * (size_t)(b * b) + (size_t)k] * z[M->as.bsr.col[p] * b + k / b];
}

static perp_status add_delassus(perp_derivative *d, double *c, const double *h,
                                const perp_mat *mass)
{
    const perp_mat *M = &d->M;
    double *force = d->dof[0], *turned = d->dof[1], *work = d->dof[2];
    size_t bytes = (size_t)d->info.dofs * sizeof(double);
    memset(force, 0, bytes);
    if (h) {
        add_h(force, M, h, d->z);
        add_ht(c, M, h, d->drift);
    }
    if (mass) {
        perp_status status = perp_mat_apply(mass, d->drift, NULL, turned);
        if (status != PERP_SOLVED)
            return status;
        for (int i = 0; i < d->info.dofs; i++)
            force[i] -= turned[i];
    }
    perp_mass_solve(M->as.delassus.mass, force, work, force);
    add_ht(c, M, M->as.delassus.x, force);
    return PERP_SOLVED;
}

perp_status perp_entries_add(perp_derivative *d, double *c, const perp_tangent *along, int k)
{
    const perp_mat *M = &d->M;
    const double *x = along->M ? along->M + (size_t)k * (size_t)d->info.entries : NULL;
    int n = d->info.rows;
    for (int i = 0; along->diagonal && i < n; i++)
        c[i] += along->diagonal[(size_t)k * (size_t)n + (size_t)i] * d->z[i];
    if (M->kind == PERP_DELASSUS)
        return x || along->mass ? add_delassus(d, c, x, along->mass ? along->mass + k : NULL)
                                : PERP_SOLVED;
    if (!x)
        return PERP_SOLVED;
    if (M->kind == PERP_BSR)
        add_bsr(c, M, x, d->z);
    for (int j = 0; j < n && M->kind == PERP_DENSE; j++)
        for (int i = 0; i < n; i++)
            c[i] += x[(size_t)i + (size_t)j * (size_t)M->as.dense.ld] * d->z[j];
    for (int j = 0; j < n && M->kind == PERP_CSC; j++)
        for (int p = M->as.csc.colptr[j]; p < M->as.csc.colptr[j + 1]; p++)
            c[M->as.csc.row[p]] += x[p] * d->z[j];
    return PERP_SOLVED;
}

static void delassus_gradient(perp_derivative *d, const double *q, double *h,
                              const perp_gradient *of, int k)
{
    const perp_mat *M = &d->M;
    double *u = d->dof[0];
    size_t dofs = (size_t)d->info.dofs, bytes = dofs * sizeof(double);
    memset(u, 0, bytes);
    add_h(u, M, M->as.delassus.x, q);
    solve_transposed(M->as.delassus.mass, u, d->dof[1]);
    for (int j = 0; h && j < M->cols; j++)
        for (int p = M->as.delassus.colptr[j]; p < M->as.delassus.colptr[j + 1]; p++) {
            int i = M->as.delassus.row[p];
            h[p] = d->drift[i] * q[j] + u[i] * d->z[j];
        }
    if (of->mass_left)
        memcpy(of->mass_left + (size_t)k * dofs, u, bytes);
    if (of->mass_right)
        memcpy(of->mass_right + (size_t)k * dofs, d->drift, bytes);
}

void perp_entries_gradient(perp_derivative *d, const double *q, const perp_gradient *of, int k)
{
    const perp_mat *M = &d->M;
    double *x = of->M ? of->M + (size_t)k * (size_t)d->info.entries : NULL;
    int n = d->info.rows;
    for (int i = 0; of->diagonal && i < n; i++)
        of->diagonal[(size_t)k * (size_t)n + (size_t)i] = q[i] * d->z[i];
    if (M->kind == PERP_DELASSUS) {
        if (x || of->mass_left || of->mass_right)
            delassus_gradient(d, q, x, of, k);
        return;
    }
    if (!x)
        return;
    for (int j = 0; j < n && M->kind == PERP_DENSE; j++)
        for (int i = 0; i < M->as.dense.ld; i++)
            x[(size_t)i + (size_t)j * (size_t)M->as.dense.ld] = i < n ? q[i] * d->z[j] : 0.0;
    for (int j = 0; j < n && M->kind == PERP_CSC; j++)
        for (int p = M->as.csc.colptr[j]; p < M->as.csc.colptr[j + 1]; p++)
            x[p] = q[M->as.csc.row[p]] * d->z[j];
    int b = M->kind == PERP_BSR ? M->as.bsr.block : 1;
    for (int i = 0; i < n / b && M->kind == PERP_BSR; i++)
        for (int p = M->as.bsr.rowptr[i]; p < M->as.bsr.rowptr[i + 1]; p++)
            for (int e = 0; e < b * b; e++)
                x[(size_t)p * (size_t)(b * b) + (size_t)e] =
                    q[i * b + e % b] * d->z[M->as.bsr.col[p] * b + e / b];
}
