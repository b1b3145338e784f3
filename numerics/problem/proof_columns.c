/* SPDX-License-Identifier: BSD-3-Clause */
#include "problem/proof_columns.h"

#include <string.h>

#include "linalg/mass.h"
#include "problem/proof.h"

size_t perp_proof_work(const perp_mat *M)
{
    size_t dofs = M->kind == PERP_DELASSUS ? (size_t)M->as.delassus.dofs : 0;
    return 3 * (size_t)M->rows + 6 * dofs;
}

static void gather(perp_exact_sum *c, double *size, const double *x, double y)
{
    perp_exact_add_product(c, *x, y);
    *size += fabs(*x * y);
}

/* A number and a bound of its error. */
typedef struct near {
    double *x, *away;
} near;

/* x_i -= a x_k. */
static void subtract(const near *v, int i, double a, int k)
{
    double product = a * v->x[k], rest = fabs(fma(a, v->x[k], -product));
    perp_twofold sum = perp_twofold_sum(v->x[i], -product);
    if (a == 0.0 || (v->x[k] == 0.0 && v->away[k] == 0.0))
        return;
    rest = perp_sum_up(rest, fabs(sum.low));
    rest = perp_sum_up(rest, fabs(product) < 0x1p-968 ? 0x1p-1074 : 0.0);
    v->x[i] = sum.high;
    v->away[i] = perp_sum_up(v->away[i], perp_sum_up(rest, perp_product_up(fabs(a), v->away[k])));
}

static void divide(const near *v, int i, double d)
{
    double quotient = v->x[i] / d, rest = fabs(fma(-quotient, d, v->x[i]));
    if (v->x[i] == 0.0 && v->away[i] == 0.0)
        return;
    rest = perp_sum_up(rest, fabs(v->x[i]) < 0x1p-960 ? 0x1p-1074 : 0.0);
    v->x[i] = quotient;
    v->away[i] = perp_up(perp_sum_up(rest, v->away[i]) / fabs(d));
}

/* The transpose of L U, or of L D L' where there is no U. */
static void substitute(const near *v, const perp_lu *lu)
{
    for (int k = 0; k < lu->n; k++) {
        if (!lu->up) {
            for (int p = lu->lp[k]; p < lu->lp[k + 1]; p++)
                subtract(v, lu->li[p], lu->lx[p], k);
            continue;
        }
        for (int p = lu->up[k]; p < lu->up[k + 1]; p++)
            subtract(v, k, lu->ux[p], lu->ui[p]);
        divide(v, k, lu->diagonal[k]);
    }
    for (int k = lu->n - 1; k >= 0; k--) {
        if (!lu->up)
            divide(v, k, lu->diagonal[k]);
        for (int p = lu->lp[k]; p < lu->lp[k + 1]; p++)
            subtract(v, k, lu->lx[p], lu->li[p]);
    }
}

/* u = B'v on the sparse part, where B is the inverse of the factors that the mass holds. */
static void solve_sparse(near u, const perp_mass *mass, near v, near work)
{
    const perp_lu *lu = &mass->lu;
    const int *at = mass->dof + (mass->n - mass->nsparse);
    for (int k = 0; k < mass->nsparse; k++) {
        work.x[k] = v.x[at[lu->q[k]]];
        work.away[k] = v.away[at[lu->q[k]]];
    }
    substitute(&work, lu);
    for (int k = 0; k < mass->nsparse; k++) {
        if (lu->scale)
            divide(&work, k, lu->scale[k]);
        u.x[at[lu->p[k]]] = work.x[k];
        u.away[at[lu->p[k]]] = work.away[k];
    }
}

/* The same on the small blocks, of which the mass holds the inverses. */
static void solve_blocks(near u, const perp_mass *mass, near v)
{
    for (int k = 0; k < mass->nblocks; k++) {
        const perp_mass_block *b = &mass->blocks[k];
        const double *inverse = mass->inverses + b->inverse;
        const int *dof = mass->dof + b->first;
        for (int j = 0; j < b->dim; j++) {
            perp_exact_sum sum = {0.0, 0.0, 0.0};
            double wide = 0.0;
            for (int i = 0; i < b->dim; i++) {
                double entry = inverse[i + j * b->dim];
                perp_exact_add_product(&sum, entry, v.x[dof[i]]);
                wide = perp_sum_up(wide, perp_product_up(fabs(entry), v.away[dof[i]]));
            }
            perp_interval in = perp_exact_interval(&sum);
            u.x[dof[j]] = in.above;
            u.away[dof[j]] =
                in.below == in.above ? wide : perp_up(wide + perp_up(in.above - in.below));
        }
    }
}

/* u = B'v, where B is the inverse that the mass holds. */
static void solve(near u, const perp_mass *mass, near v, near work)
{
    solve_blocks(u, mass, v);
    if (mass->nsparse > 0)
        solve_sparse(u, mass, v, work);
}

/* size = |H'| |B'| |H| |y| and the diagonal: the terms of which a proof leaves little. */
static void delassus_size(double *size, const perp_mat *M, const double *y, near v, near u,
                          near work)
{
    const int *colptr = M->as.delassus.colptr, *row = M->as.delassus.row;
    const double *x = M->as.delassus.x, *diagonal = M->as.delassus.diagonal;
    for (int j = 0; j < M->cols; j++)
        for (int p = colptr[j]; p < colptr[j + 1]; p++)
            v.away[row[p]] += fabs(x[p] * y[j]);
    solve(u, M->as.delassus.mass, v, work);
    for (int j = 0; j < M->cols; j++) {
        for (int p = colptr[j]; p < colptr[j + 1]; p++)
            size[j] += fabs(x[p]) * u.away[row[p]];
        size[j] += diagonal ? fabs(diagonal[j] * y[j]) : 0.0;
    }
}

/* v = H y. */
static void delassus_moved(near v, const perp_mat *M, const double *y, double *low)
{
    const int *colptr = M->as.delassus.colptr, *row = M->as.delassus.row;
    const double *x = M->as.delassus.x;
    for (int j = 0; j < M->cols; j++)
        for (int p = colptr[j]; p < colptr[j + 1]; p++) {
            int i = row[p];
            perp_exact_sum sum = {v.x[i], low[i], v.away[i]};
            perp_exact_add_product(&sum, x[p], y[j]);
            v.x[i] = sum.high;
            low[i] = sum.low;
            v.away[i] = sum.bound;
        }
    for (int i = 0; i < M->as.delassus.dofs; i++) {
        perp_exact_sum sum = {v.x[i], low[i], v.away[i]};
        perp_interval in = perp_exact_interval(&sum);
        v.x[i] = in.above;
        v.away[i] = in.below == in.above ? 0.0 : perp_up(in.above - in.below);
    }
}

/* c = H' B' H y. */
static void delassus_columns(perp_exact_sum *c, double *size, const perp_mat *M, const double *y,
                             double *work)
{
    size_t dofs = (size_t)M->as.delassus.dofs;
    const int *colptr = M->as.delassus.colptr, *row = M->as.delassus.row;
    const double *x = M->as.delassus.x, *diagonal = M->as.delassus.diagonal;
    near v = {work, work + dofs}, u = {work + 2 * dofs, work + 3 * dofs};
    near inner = {work + 4 * dofs, work + 5 * dofs};
    memset(work, 0, 2 * dofs * sizeof(double));
    delassus_size(size, M, y, v, u, inner);
    memset(work, 0, 6 * dofs * sizeof(double));
    delassus_moved(v, M, y, inner.x);
    solve(u, M->as.delassus.mass, v, inner);
    for (int j = 0; j < M->cols; j++) {
        for (int p = colptr[j]; p < colptr[j + 1]; p++) {
            perp_exact_add_product(&c[j], x[p], u.x[row[p]]);
            c[j].bound += perp_product_up(fabs(x[p]), u.away[row[p]]);
        }
        if (diagonal)
            perp_exact_add_product(&c[j], diagonal[j], y[j]);
    }
}

void perp_proof_columns(perp_exact_sum *c, double *size, const perp_mat *M, const double *y,
                        double *work)
{
    memset(c, 0, (size_t)M->cols * sizeof *c);
    memset(size, 0, (size_t)M->cols * sizeof *size);
    if (M->kind == PERP_DELASSUS) {
        delassus_columns(c, size, M, y, work);
        return;
    }
    if (M->kind == PERP_BSR) {
        int m = M->as.bsr.block;
        const double *x = M->as.bsr.x;
        for (int k = 0; k < M->rows / m; k++)
            for (int p = M->as.bsr.rowptr[k]; p < M->as.bsr.rowptr[k + 1]; p++)
                for (int e = 0; e < m * m; e++, x++) {
                    int j = M->as.bsr.col[p] * m + e / m;
                    gather(&c[j], &size[j], x, y[k * m + e % m]);
                }
        return;
    }
    for (int j = 0; j < M->cols; j++) {
        if (M->kind == PERP_CSC)
            for (int p = M->as.csc.colptr[j]; p < M->as.csc.colptr[j + 1]; p++)
                gather(&c[j], &size[j], &M->as.csc.x[p], y[M->as.csc.row[p]]);
        for (int i = 0; M->kind == PERP_DENSE && i < M->rows; i++)
            gather(&c[j], &size[j],
                   &M->as.dense.x[(size_t)i + (size_t)j * (size_t)M->as.dense.ld], y[i]);
    }
}
