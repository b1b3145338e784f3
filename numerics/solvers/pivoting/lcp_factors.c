/* SPDX-License-Identifier: BSD-3-Clause */
/* The factors of a basis, and systems with them. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg/dense_lu.h"
#include "solvers/pivoting/lcp_basis.h"

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static size_t most_etas(size_t size)
{
    return size / 2 + 16;
}

size_t perp_basis_bytes(size_t size)
{
    size_t most = most_etas(size);
    return sizeof(double) * (size * size + most * size + 7 * size) +
           sizeof(int) * (10 * size + most + 2) + size + 21 * 64;
}

perp_status perp_basis_take(perp_basis *basis, const perp_lcp *lcp, perp_arena *arena)
{
    size_t N = (size_t)lcp->size;
    *basis =
        (perp_basis){.lcp = lcp, .right = lcp->b, .size = lcp->size, .most = (int)most_etas(N)};
    basis->basic = PERP_TAKE(arena, int, N);
    basis->where = PERP_TAKE(arena, int, 2 * N + 1);
    basis->order = PERP_TAKE(arena, int, N);
    basis->ties = PERP_TAKE(arena, int, N);
    basis->pivots = PERP_TAKE(arena, int, N);
    basis->row = PERP_TAKE(arena, int, N);
    basis->at = PERP_TAKE(arena, int, N);
    basis->of = PERP_TAKE(arena, int, N);
    basis->unit = PERP_TAKE(arena, int, N);
    basis->eta_at = PERP_TAKE(arena, int, basis->most);
    basis->open = PERP_TAKE(arena, unsigned char, N);
    basis->value = PERP_TAKE(arena, double, N);
    basis->noise = PERP_TAKE(arena, double, N);
    basis->column = PERP_TAKE(arena, double, N);
    basis->cover = PERP_TAKE(arena, double, N);
    basis->part = PERP_TAKE(arena, double, N);
    basis->entry = PERP_TAKE(arena, double, N);
    basis->work = PERP_TAKE(arena, double, N);
    basis->lu = perp_arena_take(arena, N, N * sizeof(double));
    basis->eta = perp_arena_take(arena, (size_t)basis->most, N * sizeof(double));
    return arena->failed ? PERP_ERR_MEMORY : PERP_SOLVED;
}

static int is_unit(const perp_basis *basis, int v)
{
    return v >= basis->size && v < 2 * basis->size;
}

/* A_j or d, which the basis has with the other sign. */
static const double *stored_column(const perp_basis *basis, int v)
{
    size_t N = (size_t)basis->size;
    return (size_t)v == 2 * N ? basis->cover : basis->lcp->a + (size_t)v * N;
}

/* Kernel: the rows whose y is not basic, and the columns that are no y. */
static perp_status factor(perp_basis *basis)
{
    int N = basis->size, k = 0, rows = 0;
    for (int r = 0; r < N; r++) {
        int v = basis->basic[r];
        basis->unit[r] = is_unit(basis, v) ? v - N : -1;
        if (basis->unit[r] < 0) {
            basis->of[k] = v;
            basis->at[k++] = r;
        }
    }
    for (int i = 0; i < N; i++)
        if (basis->where[N + i] < 0)
            basis->row[rows++] = i;
    double *to = basis->lu;
    for (int c = 0; c < k; c++) {
        const double *a = stored_column(basis, basis->of[c]);
        for (int i = 0; i < k; i++)
            *to++ = -a[basis->row[i]];
    }
    basis->etas = 0;
    basis->spent = 0.0;
    basis->kernel = k;
    basis->factorisations += k > 0;
    return k == 0 || perp_dense_lu_factor(basis->lu, basis->pivots, k) ? PERP_SOLVED
                                                                       : PERP_ERR_SINGULAR;
}

/* The part of B^-1 a in the kernel; 0: it is 0. */
static int solve_kernel(perp_basis *basis, const double *a)
{
    int nonzero = 0;
    for (int i = 0; i < basis->kernel; i++) {
        basis->part[i] = a[basis->row[i]];
        nonzero |= basis->part[i] != 0.0;
    }
    if (nonzero)
        perp_dense_lu_solve(basis->part, basis->lu, basis->pivots, basis->kernel);
    return nonzero;
}

static void apply_eta(double *out, const perp_basis *basis, int e)
{
    size_t N = (size_t)basis->size, p = (size_t)basis->eta_at[e];
    const double *eta = basis->eta + (size_t)e * N;
    if (out[p] == 0.0)
        return;
    double x = out[p] / eta[p];
    for (size_t i = 0; i < N; i++)
        out[i] -= eta[i] * x;
    out[p] = x;
}

/* out = B^-1 a; a (N, by rows of A) is overwritten. */
static void solve(double *out, perp_basis *basis, double *a)
{
    size_t N = (size_t)basis->size;
    int coupled = solve_kernel(basis, a);
    for (int c = 0; c < basis->kernel; c++) {
        const double *column = stored_column(basis, basis->of[c]);
        double x = coupled ? basis->part[c] : 0.0;
        for (size_t i = 0; x != 0.0 && i < N; i++)
            a[i] += column[i] * x;
        out[basis->at[c]] = x;
    }
    for (size_t r = 0; r < N; r++)
        if (basis->unit[r] >= 0)
            out[r] = a[basis->unit[r]];
    for (int e = 0; e < basis->etas; e++)
        apply_eta(out, basis, e);
    basis->spent += 2.0 * (double)N * basis->etas;
}

void perp_basis_column(double *column, perp_basis *basis, int v)
{
    size_t N = (size_t)basis->size;
    double *a = basis->work;
    if (is_unit(basis, v)) {
        memset(a, 0, N * sizeof(double));
        a[(size_t)v - N] = 1.0;
    } else {
        const double *stored = stored_column(basis, v);
        for (size_t i = 0; i < N; i++)
            a[i] = -stored[i];
    }
    solve(column, basis, a);
}

/* Factors and values of the current basis. */
static perp_status renew(perp_basis *basis)
{
    size_t N = (size_t)basis->size;
    if (factor(basis) != PERP_SOLVED)
        return PERP_ERR_SINGULAR;
    memcpy(basis->work, basis->right, N * sizeof(double));
    solve(basis->value, basis, basis->work);
    for (size_t r = 0; r < N; r++)
        basis->noise[r] = DBL_EPSILON * larger(1.0, fabs(basis->value[r]));
    return PERP_SOLVED;
}

perp_status perp_basis_start(perp_basis *basis)
{
    for (int v = 0; v <= 2 * basis->size; v++)
        basis->where[v] = -1;
    for (int r = 0; r < basis->size; r++)
        basis->where[basis->basic[r]] = r;
    perp_status status = renew(basis);
    for (int r = 0; status == PERP_SOLVED && r < basis->size; r++)
        if (basis->kernel == 0)
            basis->noise[r] = DBL_EPSILON * fabs(basis->value[r]);
    return status;
}

/* Elementary matrices have cost as much as factors would. */
static int is_due(const perp_basis *basis)
{
    double k = (double)basis->kernel + basis->etas, N = (double)basis->size;
    return basis->etas == basis->most || basis->spent > k * k * (0.7 * k + 4.0) + 30.0 * N;
}

perp_status perp_basis_exchange(perp_basis *basis, int r, int entering, double step)
{
    size_t N = (size_t)basis->size;
    const double *column = basis->column;
    for (size_t i = 0; i < N; i++) {
        basis->value[i] -= step * column[i];
        basis->noise[i] = larger(basis->noise[i], DBL_EPSILON * fabs(step * column[i]));
    }
    basis->value[r] = step;
    basis->noise[r] = larger(basis->noise[r] / fabs(column[r]), DBL_EPSILON * fabs(step));
    memcpy(basis->eta + (size_t)basis->etas * N, column, N * sizeof(double));
    basis->eta_at[basis->etas++] = r;
    basis->where[basis->basic[r]] = -1;
    basis->basic[r] = entering;
    basis->where[entering] = r;
    return is_due(basis) ? renew(basis) : PERP_SOLVED;
}

/* B value against b. */
double perp_basis_drift(perp_basis *basis)
{
    size_t N = (size_t)basis->size;
    double *r = basis->work, worst = 0.0, scale = 1.0;
    memcpy(r, basis->right, N * sizeof(double));
    for (int k = 0; k < basis->size; k++) {
        int v = basis->basic[k];
        double value = basis->value[k];
        scale = larger(scale, fabs(value));
        if (is_unit(basis, v)) {
            r[(size_t)v - N] -= value;
            continue;
        }
        const double *column = stored_column(basis, v);
        for (size_t i = 0; value != 0.0 && i < N; i++)
            r[i] += column[i] * value;
    }
    for (size_t i = 0; i < N; i++)
        worst = larger(worst, fabs(r[i]));
    return worst / scale;
}

perp_status perp_basis_refresh(perp_basis *basis)
{
    return renew(basis);
}
