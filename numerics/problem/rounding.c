/* SPDX-License-Identifier: BSD-3-Clause */
/* A sum of k products in doubles is off by at most k u / (1 - k u) times the sum of their sizes,
 * u = 2^-53, in whatever order it was made.  So
 *     |dw| <= (k + 2) u (|M| |z| + |q|),   |D^-1 dw| <= (k + 2) u (|D^-1 |M| D^-1| |D z| + |q / d|),
 * the map moves by at most 1 + mu times that, and the measure divides by max(|q|, |z|, |w|). */
#include "problem/rounding.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg/exact_sum.h"
#include "linalg/mass.h"
#include "sets/rolling.h"

static const double half = 0.5 * DBL_EPSILON;

size_t perp_rounding_work(const perp_mat *M)
{
    if (M->kind == PERP_DELASSUS)
        return 2 * (size_t)M->as.delassus.dofs;
    return M->kind == PERP_OPERATOR ? 0 : (size_t)M->rows;
}

/* d of row i of the block; the rows of moments have the unit of length of their own. */
static double unit_of(const perp_scaling *scaling, const perp_blocks *blocks, int k, int i)
{
    const perp_block *block = &blocks->at[k];
    double d = scaling->d[k]; /* what has a bound has one */
    int moment = block->set == PERP_ROLLING && i - block->row > perp_rolling_rows(block->dim);
    return moment ? d / block->length : d;
}

/* D in rows; the squares of the entries of D^-1 M D^-1. */
typedef struct squares {
    long double plain, scaled; /* for their range */
} squares;

static void fill_units(double *d, const perp_blocks *blocks, const perp_scaling *scaling)
{
    for (int k = 0; k < blocks->count; k++)
        for (int i = blocks->at[k].row; i < blocks->at[k].row + blocks->at[k].dim; i++)
            d[i] = 1.0 / unit_of(scaling, blocks, k, i);
}

static inline void add_entry(squares *s, double x, double row, double col)
{
    long double entry = x, own = entry * row * col;
    s->plain += entry * entry;
    s->scaled += own * own;
}

static squares entries(const perp_mat *M, const double *back)
{
    squares s = {0.0, 0.0};
    if (M->kind == PERP_BSR) {
        int m = M->as.bsr.block;
        const double *x = M->as.bsr.x;
        for (int k = 0; k < M->rows / m; k++)
            for (int p = M->as.bsr.rowptr[k]; p < M->as.bsr.rowptr[k + 1]; p++)
                for (int e = 0; e < m * m; e++, x++)
                    add_entry(&s, *x, back[k * m + e % m], back[M->as.bsr.col[p] * m + e / m]);
    }
    for (int j = 0; j < M->cols; j++) {
        if (M->kind == PERP_CSC)
            for (int p = M->as.csc.colptr[j]; p < M->as.csc.colptr[j + 1]; p++)
                add_entry(&s, M->as.csc.x[p], back[M->as.csc.row[p]], back[j]);
        const double *x = M->kind == PERP_DENSE
                              ? M->as.dense.x + (size_t)j * (size_t)M->as.dense.ld
                              : NULL;
        for (int i = 0; x && i < M->rows; i++)
            add_entry(&s, x[i], back[i], back[j]);
    }
    return s;
}

/* Squares of the rows of H, and of H D^-1; the bodies that a column meets at most. */
static int rows_of_product(double *plain, double *scaled, const perp_mat *M,
                           const perp_blocks *blocks, const perp_scaling *scaling)
{
    const perp_mass *mass = M->as.delassus.mass;
    const int *colptr = M->as.delassus.colptr, *row = M->as.delassus.row;
    int most = 0;
    for (int k = 0; k < blocks->count; k++)
        for (int j = blocks->at[k].row; j < blocks->at[k].row + blocks->at[k].dim; j++) {
            double back = 1.0 / unit_of(scaling, blocks, k, j);
            int met = 0, last = -1;
            for (int p = colptr[j]; p < colptr[j + 1]; p++) {
                double x = M->as.delassus.x[p];
                plain[row[p]] += x * x;
                scaled[row[p]] += x * back * (x * back);
                met += mass->block_of[row[p]] != last;
                last = mass->block_of[row[p]];
            }
            most = met > most ? met : most;
        }
    return most;
}

/* Rows that give way: largest entry of the diagonal of their own. */
static squares of_diagonal(const perp_mat *M, const perp_blocks *blocks,
                           const perp_scaling *scaling)
{
    squares largest = {0.0L, 0.0L};
    for (int k = 0; M->as.delassus.diagonal && k < blocks->count; k++)
        for (int j = blocks->at[k].row; j < blocks->at[k].row + blocks->at[k].dim; j++) {
            double back = 1.0 / unit_of(scaling, blocks, k, j);
            long double x = fabs(M->as.delassus.diagonal[j]);
            largest.plain = fmaxl(largest.plain, x);
            largest.scaled = fmaxl(largest.scaled, x * back * back);
        }
    return largest;
}

/* H'B H is the sum over the bodies b of |H_b|' |B_b| |H_b| at most, each of norm at most
 * (sum_i sqrt(B_ii) |row i of H|)^2, as B is positive definite; a column meets `most` bodies. */
static squares of_product(const perp_mat *M, const perp_blocks *blocks,
                          const perp_scaling *scaling, double *row2)
{
    const perp_mass *mass = M->as.delassus.mass;
    int dofs = M->as.delassus.dofs;
    double *plain = row2, *scaled = row2 + dofs;
    squares largest = {0.0, 0.0}, own = of_diagonal(M, blocks, scaling);
    memset(row2, 0, 2 * (size_t)dofs * sizeof *row2);
    int most = rows_of_product(plain, scaled, M, blocks, scaling);
    for (int k = 0; k < mass->nblocks; k++) {
        const perp_mass_block *b = &mass->blocks[k];
        squares sum = {0.0, 0.0};
        for (int i = 0; i < b->dim; i++) {
            double B = fabs(mass->inverses[b->inverse + (size_t)(i + i * b->dim)]);
            sum.plain += sqrt(B) * sqrt(plain[mass->dof[b->first + i]]);
            sum.scaled += sqrt(B) * sqrt(scaled[mass->dof[b->first + i]]);
        }
        largest.plain = fmaxl(largest.plain, sum.plain);
        largest.scaled = fmaxl(largest.scaled, sum.scaled);
    }
    largest.plain = largest.plain * largest.plain * most + own.plain;
    largest.scaled = largest.scaled * largest.scaled * most + own.scaled;
    return (squares){largest.plain * largest.plain, largest.scaled * largest.scaled};
}

static int has_bound(const perp_mat *M)
{
    return M->kind != PERP_OPERATOR && (M->kind != PERP_DELASSUS || (M->as.delassus.mass->roots &&
                                                                     M->as.delassus.mass->nsparse == 0));
}

/* Entries of the fullest row. */
static double fullest_row(const perp_mat *M, double *count)
{
    double most = 0.0;
    memset(count, 0, (size_t)M->rows * sizeof *count);
    for (int p = 0; p < M->as.csc.colptr[M->cols]; p++) {
        double *own = &count[M->as.csc.row[p]];
        *own += 1.0;
        most = fmax(most, *own);
    }
    return most;
}

void perp_rounding_sharpen_norms(const perp_problem *problem, const perp_blocks *blocks,
                                 perp_scaling *scaling)
{
    squares s;
    if (problem->M.kind == PERP_CSC)
        scaling->terms = fullest_row(&problem->M, scaling->low) + 2.0;
    if (problem->M.kind == PERP_DELASSUS) {
        s = of_product(&problem->M, blocks, scaling, scaling->low);
    } else {
        fill_units(scaling->low, blocks, scaling);
        s = entries(&problem->M, scaling->low);
    }
    scaling->norm[0] = (double)sqrtl(s.plain);
    scaling->norm[1] = (double)sqrtl(s.scaled);
    scaling->at_most = perp_rounding_at_most(problem, blocks, scaling);
    scaling->sharp = 1;
}

/* Products that one entry of w is summed from, at most. */
static double terms_of(const perp_mat *M)
{
    int most = M->rows;
    if (M->kind == PERP_BSR) {
        most = 0;
        for (int k = 0; k < M->rows / M->as.bsr.block; k++) {
            int count = M->as.bsr.rowptr[k + 1] - M->as.bsr.rowptr[k];
            most = count > most ? count : most;
        }
        most *= M->as.bsr.block;
    } else if (M->kind == PERP_DELASSUS) {
        most += 2 * PERP_MASS_BLOCK_MAX;
    }
    return most + 2.0;
}

#define PERP_BIT_OF(set) (1u << (set))

static double friction_of(const perp_block *block)
{
    return block->set == PERP_ROLLING   ? block->par[0] + block->par[1] + block->par[2]
           : block->set == PERP_COULOMB ? block->par[0]
                                        : 0.0;
}

typedef struct sizes {
    long double z[2], q[2], w[2]; /* squares first, for their range */
    double mu;
} sizes;

static sizes measure(const perp_problem *problem, const perp_blocks *blocks,
                     const perp_scaling *scaling, const double *z, const double *w)
{
    sizes s = {{0.0}, {0.0}, {0.0}, 0.0};
    for (int k = 0; k < blocks->count; k++) {
        const perp_block *block = &blocks->at[k];
        s.mu = fmax(s.mu, friction_of(block));
        for (int i = block->row; i < block->row + block->dim; i++) {
            long double x = z[i], q = problem->q[i], y = w[i];
            long double d = unit_of(scaling, blocks, k, i), back = 1.0L / d;
            s.z[0] += x * x;
            s.q[0] += q * q;
            s.w[0] += y * y;
            s.z[1] += d * x * (d * x);
            s.q[1] += back * q * (back * q);
            s.w[1] += back * y * (back * y);
        }
    }
    for (int m = 0; m < 2; m++) {
        s.z[m] = sqrtl(s.z[m]);
        s.q[m] = sqrtl(s.q[m]);
        s.w[m] = sqrtl(s.w[m]);
    }
    return s;
}

double perp_rounding_at_most(const perp_problem *problem, const perp_blocks *blocks,
                             const perp_scaling *scaling)
{
    double mu = 0.0;
    if (!has_bound(&problem->M))
        return 0.0;
    if (blocks->sets & (PERP_BIT_OF(PERP_COULOMB) | PERP_BIT_OF(PERP_ROLLING)))
        for (int k = 0; k < blocks->count; k++)
            mu = fmax(mu, friction_of(&blocks->at[k]));
    double norm = fmax(scaling->norm[0], scaling->norm[1]);
    return (1.0 + mu) * half * terms_of(&problem->M) * (norm + 2.0);
}

static double largest(const double *x, int n)
{
    double most = 0.0;
    for (int i = 0; i < n; i++)
        most = x[i] > most ? x[i] : -x[i] > most ? -x[i] : most;
    return most;
}

double perp_rounding_of_dual(const perp_problem *problem, const perp_scaling *scaling,
                             const double *z, const double *w)
{
    int n = problem->M.rows;
    double norm = fmax(scaling->norm[0], scaling->d ? scaling->norm[1] : 0.0);
    double unit = scaling->at_most / (norm + 2.0), q = largest(problem->q, n), root = sqrt(n);
    if (!(scaling->at_most > 0.0) || isinf(norm))
        return scaling->at_most;
    double base = q > 0.0 ? q : 1.0;
    double moved = scaling->norm[0] * (largest(z, n) / base) + largest(w, n) / base + q / base;
    return unit * root * moved;
}

void perp_rounding_bound(double bound[3], const perp_problem *problem, const perp_blocks *blocks,
                         perp_scaling *scaling, const double *z, const double *w)
{
    memset(bound, 0, 3 * sizeof *bound);
    if (!has_bound(&problem->M) || blocks->n == 0)
        return;
    sizes s = measure(problem, blocks, scaling, z, w);
    if (!scaling->sharp)
        perp_rounding_sharpen_norms(problem, blocks, scaling);
    double unit = half * (scaling->terms > 0.0 ? scaling->terms : terms_of(&problem->M));
    for (int m = 0; m < 2; m++) {
        long double moved = (1.0 + s.mu) * unit * (scaling->norm[m] * s.z[m] + s.q[m] + s.w[m]);
        long double base = fmaxl(s.q[m], fmaxl(s.z[m], s.w[m]));
        bound[m] = base > 0.0L ? (double)(moved / base) : 0.0;
        if (m == 0)
            bound[2] = (double)(s.q[0] > 0.0L ? moved / s.q[0] : moved);
    }
}

/* high[i] + low[i] += a b. */
static inline void add_to(double *high, double *low, double a, double b)
{
    double product = a * b, rest = fma(a, b, -product);
    perp_twofold sum = perp_twofold_sum(*high, product);
    *high = sum.high;
    *low += sum.low + rest;
}

/* v + rest = B (v + rest), block by block. */
static void solve_mass(double *v, double *rest, const perp_mass *mass)
{
    for (int k = 0; k < mass->nblocks; k++) {
        const perp_mass_block *b = &mass->blocks[k];
        const double *inverse = mass->inverses + b->inverse;
        const int *dof = mass->dof + b->first;
        double high[PERP_MASS_BLOCK_MAX], low[PERP_MASS_BLOCK_MAX];
        for (int i = 0; i < b->dim; i++) {
            high[i] = low[i] = 0.0;
            for (int j = 0; j < b->dim; j++) {
                add_to(&high[i], &low[i], inverse[i + j * b->dim], v[dof[j]]);
                low[i] += inverse[i + j * b->dim] * rest[dof[j]];
            }
        }
        for (int i = 0; i < b->dim; i++) {
            v[dof[i]] = high[i];
            rest[dof[i]] = low[i];
        }
    }
}

/* w = M z + q; v: two numbers a degree of freedom. */
static void multiply_product(double *w, const perp_mat *M, const double *z, const double *q,
                             double *v)
{
    const int *colptr = M->as.delassus.colptr, *row = M->as.delassus.row;
    const double *x = M->as.delassus.x, *diagonal = M->as.delassus.diagonal;
    size_t dofs = (size_t)M->as.delassus.dofs;
    double *rest = v + dofs;
    memset(v, 0, 2 * dofs * sizeof *v);
    for (int j = 0; j < M->cols; j++)
        for (int p = colptr[j]; z[j] != 0.0 && p < colptr[j + 1]; p++)
            add_to(&v[row[p]], &rest[row[p]], x[p], z[j]);
    solve_mass(v, rest, M->as.delassus.mass);
    for (int j = 0; j < M->cols; j++) {
        double low = 0.0;
        w[j] = q[j];
        for (int p = colptr[j]; p < colptr[j + 1]; p++) {
            add_to(&w[j], &low, x[p], v[row[p]]);
            low += x[p] * rest[row[p]];
        }
        if (diagonal)
            add_to(&w[j], &low, diagonal[j], z[j]);
        w[j] += low;
    }
}

/* w = M z + q, M of stored entries. */
static void multiply(double *w, double *low, const perp_mat *M, const double *z, const double *q)
{
    size_t n = (size_t)M->rows;
    memcpy(w, q, n * sizeof *w);
    memset(low, 0, n * sizeof *low);
    if (M->kind == PERP_BSR) {
        int m = M->as.bsr.block;
        const double *x = M->as.bsr.x;
        for (int k = 0; k < M->rows / m; k++)
            for (int p = M->as.bsr.rowptr[k]; p < M->as.bsr.rowptr[k + 1]; p++)
                for (int e = 0; e < m * m; e++, x++)
                    add_to(&w[k * m + e % m], &low[k * m + e % m], *x,
                           z[M->as.bsr.col[p] * m + e / m]);
    }
    for (size_t j = 0; j < n; j++) {
        if (z[j] == 0.0)
            continue;
        if (M->kind == PERP_CSC)
            for (int p = M->as.csc.colptr[j]; p < M->as.csc.colptr[j + 1]; p++)
                add_to(&w[M->as.csc.row[p]], &low[M->as.csc.row[p]], M->as.csc.x[p], z[j]);
        for (size_t i = 0; M->kind == PERP_DENSE && i < n; i++)
            add_to(&w[i], &low[i], M->as.dense.x[i + j * (size_t)M->as.dense.ld], z[j]);
    }
    for (size_t i = 0; i < n; i++)
        w[i] += low[i];
}

void perp_residual_sharpen(double bound[3], const perp_problem *problem, const perp_blocks *blocks,
                           const perp_scaling *scaling, const double *z, double *w,
                           perp_residuals *residuals)
{
    double terms = scaling->terms > 0.0 ? scaling->terms : terms_of(&problem->M);
    double once = 8.0 * half;
    if (problem->M.kind == PERP_DELASSUS)
        multiply_product(w, &problem->M, z, problem->q, scaling->low);
    else
        multiply(w, scaling->low, &problem->M, z, problem->q);
    perp_residual_given_w(problem, blocks, scaling, z, w, residuals);
    /* The second sums lose what the first did, once more; then w was rounded. */
    for (int m = 0; m < 3; m++)
        bound[m] = once + terms * half * bound[m];
}
