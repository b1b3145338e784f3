/* SPDX-License-Identifier: BSD-3-Clause */
#include "stored.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sets/set.h"

const char *const storage_names[STORED_COUNT] = {"dense",    "dense-ld",      "csc",     "bsr",
                                                 "operator", "operator-bare", "delassus"};

static void *zeros(size_t count, size_t size)
{
    void *p = calloc(count ? count : 1, size);
    ck_assert_ptr_nonnull(p);
    return p;
}

void stored_init(stored_problem *p, const char *name)
{
    memset(p, 0, sizeof *p);
    strncpy(p->name, name, sizeof p->name - 1);
    for (int k = 0; k < 2; k++)
        p->par[k] = zeros(4096, sizeof(double));
}

void stored_segment(stored_problem *p, perp_set set, int dim, int count, double par0, double par1)
{
    ck_assert_int_lt(p->nseg, STORED_SEGMENTS);
    ck_assert_int_le(p->nblocks + count, 4096);
    p->seg[p->nseg++] =
        (perp_segment){set, dim, count, {p->par[0] + p->nblocks, p->par[1] + p->nblocks}, {1, 1}};
    for (int k = 0; k < count; k++) {
        p->par[0][p->nblocks] = par0;
        p->par[1][p->nblocks++] = par1;
    }
    p->n += dim * count;
}

void stored_allocate(stored_problem *p)
{
    size_t n = (size_t)p->n;
    p->M = zeros(n * n, sizeof(double));
    p->q = zeros(n, sizeof(double));
    p->z = zeros(n, sizeof(double));
}

void stored_factors(stored_problem *p, int dofs)
{
    size_t m = (size_t)dofs;
    p->dofs = dofs;
    p->H = zeros(m * (size_t)p->n, sizeof(double));
    p->mass = zeros(m * m, sizeof(double));
    for (size_t i = 0; i < m; i++)
        p->mass[i + i * m] = 1.0;
}

void stored_free(stored_problem *p)
{
    free(p->par[0]);
    free(p->par[1]);
    free(p->M);
    free(p->q);
    free(p->z);
    free(p->H);
    free(p->mass);
    memset(p, 0, sizeof *p);
}

/* X = A^-1 B, A m x m, B m x n; both are overwritten. */
static void eliminate(long double *A, long double *B, int m, int n)
{
    for (int k = 0; k < m; k++) {
        int pivot = k;
        for (int i = k; i < m; i++)
            if (fabsl(A[i + k * m]) > fabsl(A[pivot + k * m]))
                pivot = i;
        for (int j = 0; j < m + n; j++) {
            long double *c = j < m ? A + j * m : B + (j - m) * m, t = c[k];
            c[k] = c[pivot];
            c[pivot] = t;
        }
        for (int i = 0; i < m; i++) {
            long double f = i == k ? 0.0L : A[i + k * m] / A[k + k * m];
            if (f == 0.0L)
                continue;
            for (int j = k; j < m; j++)
                A[i + j * m] -= f * A[k + j * m];
            for (int j = 0; j < n; j++)
                B[i + j * m] -= f * B[k + j * m];
        }
    }
    for (int k = 0; k < m; k++)
        for (int j = 0; j < n; j++)
            B[k + j * m] /= A[k + k * m];
}

void stored_multiply(stored_problem *p)
{
    int m = p->dofs, n = p->n;
    long double *A = zeros((size_t)(m * m), sizeof *A), *B = zeros((size_t)(m * n), sizeof *B);
    for (int i = 0; i < m * m; i++)
        A[i] = p->mass[i];
    for (int i = 0; i < m * n; i++)
        B[i] = p->H[i];
    eliminate(A, B, m, n);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            long double sum = 0.0L;
            for (int k = 0; k < m; k++)
                sum += (long double)p->H[k + i * m] * B[k + j * m];
            p->M[i + j * n] = (double)sum;
        }
    free(A);
    free(B);
}

perp_set stored_block(const stored_problem *p, int k, int *row, int *dim)
{
    int at = 0;
    for (int s = 0; s < p->nseg; s++) {
        if (k < p->seg[s].count) {
            *row = at + k * p->seg[s].dim;
            *dim = p->seg[s].dim;
            return p->seg[s].set;
        }
        k -= p->seg[s].count;
        at += p->seg[s].count * p->seg[s].dim;
    }
    ck_abort_msg("no such block");
    return PERP_FREE;
}

void stored_definite(stored_problem *p, perp_rng *rng)
{
    int dofs = 2 * p->n;
    stored_factors(p, dofs);
    for (int i = 0; i < dofs * p->n; i++)
        p->H[i] = perp_rng_signed(rng) / sqrt(dofs);
    for (int i = 0; i < p->n; i++)
        p->H[i % dofs + i * dofs] += 1.0;
    stored_multiply(p);
}

void stored_plant(stored_problem *p, perp_rng *rng)
{
    double *w = zeros((size_t)p->n, sizeof(double));
    for (int k = 0; k < p->nblocks; k++) {
        int row, dim;
        const perp_set_type *type = perp_set_type_of((int)stored_block(p, k, &row, &dim));
        double par[2] = {p->par[0][k], p->par[1][k]}, x[64];
        ck_assert_int_le(dim, 64);
        for (int i = 0; i < dim; i++)
            x[i] = perp_rng_signed(rng);
        type->project(p->z + row, x, par, dim);
        for (int i = 0; i < dim; i++)
            w[row + i] = p->z[row + i] - x[i];
        if (type->shift)
            w[row] -= type->shift(w + row, par, dim);
    }
    for (int i = 0; i < p->n; i++) {
        long double sum = w[i];
        for (int j = 0; j < p->n; j++)
            sum -= (long double)p->M[i + j * p->n] * p->z[j];
        p->q[i] = (double)sum;
    }
    free(w);
}

static void *own(stored_view *v, size_t count, size_t size)
{
    ck_assert_int_lt(v->nowned, 24);
    return v->owned[v->nowned++] = zeros(count, size);
}

static double *own_copy(stored_view *v, const char *what, const double *x, int count)
{
    double *copy = own(v, (size_t)count, sizeof(double));
    memcpy(copy, x, (size_t)count * sizeof(double));
    v->real[v->nreal++] = (stored_array){what, copy, count};
    return copy;
}

static int apply_stored(void *ctx, double *y, const double *x)
{
    stored_view *v = ctx;
    const stored_problem *p = v->from;
    for (int i = 0; i < p->n; i++) {
        y[i] = 0.0;
        for (int j = 0; j < p->n; j++)
            y[i] += p->M[i + j * p->n] * x[j];
    }
    return ++v->applies == v->stop_after;
}

/* Columns of a dense matrix, rows from the bottom up in every other column. */
static void make_csc(stored_view *v, const char *what, int rows, int cols, const double *A,
                     int **colptr, int **row, double **x)
{
    int nz = 0;
    *colptr = own(v, (size_t)cols + 1, sizeof(int));
    *row = own(v, (size_t)(rows * cols), sizeof(int));
    double *values = own(v, (size_t)(rows * cols), sizeof(double));
    for (int j = 0; j < cols; j++) {
        for (int k = 0; k < rows; k++) {
            int i = j % 2 ? rows - 1 - k : k;
            if (A[i + j * rows] == 0.0)
                continue;
            (*row)[nz] = i;
            values[nz++] = A[i + j * rows];
        }
        (*colptr)[j + 1] = nz;
    }
    *x = values;
    v->real[v->nreal++] = (stored_array){what, values, nz};
}

/* Common dimension of all blocks, or 1. */
static int common_block(const stored_problem *p)
{
    int dim = p->nseg ? p->seg[0].dim : 1;
    for (int s = 1; s < p->nseg; s++)
        if (p->seg[s].dim != dim)
            return 1;
    return dim <= 6 ? dim : 1;
}

static perp_status make_bsr(stored_view *v, const stored_problem *p)
{
    int b = common_block(p), m = p->n / b, count = 0;
    int *rowptr = own(v, (size_t)m + 1, sizeof(int));
    int *col = own(v, (size_t)(m * m), sizeof(int));
    double *x = own(v, (size_t)(p->n * p->n), sizeof(double));
    for (int i = 0; i < m; i++) {
        for (int k = 0; k < m; k++) {
            int j = i % 2 ? m - 1 - k : k, used = 0;
            for (int e = 0; e < b * b; e++) {
                double a = p->M[i * b + e % b + (j * b + e / b) * p->n];
                x[count * b * b + e] = a;
                used |= a != 0.0;
            }
            if (used)
                col[count++] = j;
        }
        rowptr[i + 1] = count;
    }
    v->real[v->nreal++] = (stored_array){"x", x, count * b * b};
    return perp_mat_init_bsr(&v->problem.M, m, b, rowptr, col, x);
}

static perp_status make_delassus(stored_view *v, const stored_problem *p)
{
    int *colptr, *row;
    double *x;
    perp_mat mass;
    make_csc(v, "mass", p->dofs, p->dofs, p->mass, &colptr, &row, &x);
    v->nreal--;
    ck_assert_int_eq(perp_mat_init_csc(&mass, p->dofs, p->dofs, colptr, row, x), PERP_SOLVED);
    ck_assert_int_eq(perp_mass_create(&v->mass, &mass, NULL, NULL), PERP_SOLVED);
    make_csc(v, "x", p->dofs, p->n, p->H, &colptr, &row, &x);
    return perp_mat_init_delassus(&v->problem.M, p->dofs, p->n, colptr, row, x, v->mass);
}

static perp_status make_dense(stored_view *v, const stored_problem *p, int ld)
{
    double *x = own(v, (size_t)(ld * p->n), sizeof(double));
    for (int k = 0; k < ld * p->n; k++)
        x[k] = k % ld < p->n ? p->M[k % ld + k / ld * p->n] : NAN;
    v->real[v->nreal++] = (stored_array){"x", x, ld * p->n};
    return perp_mat_init_dense(&v->problem.M, p->n, p->n, x, ld);
}

static perp_status make_operator(stored_view *v, const stored_problem *p, int bare)
{
    double *diagonal = NULL;
    if (!bare) {
        diagonal = own(v, (size_t)p->n, sizeof(double));
        for (int i = 0; i < p->n; i++)
            diagonal[i] = p->M[i + i * p->n];
        v->real[v->nreal++] = (stored_array){"diagonal", diagonal, p->n};
    }
    return perp_mat_init_operator(&v->problem.M, p->n, apply_stored, v, diagonal);
}

static perp_status make_matrix(stored_view *v, const stored_problem *p, storage kind)
{
    int *colptr, *row;
    double *x;
    switch (kind) {
    case STORED_DENSE:
        return make_dense(v, p, p->n);
    case STORED_DENSE_LD:
        return make_dense(v, p, p->n + 3);
    case STORED_CSC:
        make_csc(v, "x", p->n, p->n, p->M, &colptr, &row, &x);
        return perp_mat_init_csc(&v->problem.M, p->n, p->n, colptr, row, x);
    case STORED_BSR:
        return make_bsr(v, p);
    case STORED_DELASSUS:
        return make_delassus(v, p);
    default:
        return make_operator(v, p, kind == STORED_OPERATOR_BARE);
    }
}

int stored_view_make(stored_view *v, const stored_problem *p, storage kind)
{
    memset(v, 0, sizeof *v);
    v->from = p;
    if (kind == STORED_DELASSUS && !p->H)
        return 0;
    ck_assert_int_eq(make_matrix(v, p, kind), PERP_SOLVED);
    v->problem.q = own_copy(v, "q", p->q, p->n);
    double *par[2] = {own_copy(v, "par", p->par[0], p->nblocks),
                      own_copy(v, "par", p->par[1], p->nblocks)};
    for (int s = 0, at = 0; s < p->nseg; s++) {
        v->seg[s] = p->seg[s];
        v->seg[s].par[0] = par[0] + at;
        v->seg[s].par[1] = par[1] + at;
        at += p->seg[s].count;
    }
    v->problem.seg = v->seg;
    v->problem.nseg = p->nseg;
    return 1;
}

void stored_view_free(stored_view *v)
{
    perp_mass_destroy(v->mass);
    for (int k = 0; k < v->nowned; k++)
        free(v->owned[k]);
    memset(v, 0, sizeof *v);
}
