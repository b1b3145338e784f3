/* SPDX-License-Identifier: BSD-3-Clause */
/* Solves with the factors of a saddle system, and their refinement. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "kernel/step/saddle.h"
#include "numerics/core/clones.h"

/* Corrections of one solve, at most.  A residual of less than ROUNDING of the right-hand side is
 * left; one of less than NEARLY is rounding after one correction, which needs no look where no row
 * was left out. */
enum { CORRECTIONS = 4, WIDEST = 6 };

static const double ROUNDING = 4.0 * DBL_EPSILON, NEARLY = 1e-7, EXACT = 1e-9, ROUGH = 1e-12;

/* Sums of a row of L times x, in two parts that do not wait for each other. */
static inline __attribute__((always_inline)) double product_of_row(const double *L, const double *x,
                                                                   int w)
{
    double even = 0.0, odd = 0.0;
    for (int c = 0; c + 1 < w; c += 2) {
        even += L[c] * x[c];
        odd += L[c + 1] * x[c + 1];
    }
    return w % 2 ? even + odd + L[w - 1] * x[w - 1] : even + odd;
}

/* y below the block of a column -= L y_block, after y_block = L^-1 y_block; both with unit L.
 * own: w entries, a copy where w is known. */
static inline __attribute__((always_inline)) void down(double *restrict y, double *restrict own,
                                                       const perp_saddle *saddle, int place, int w)
{
    const double *L = saddle->values + saddle->panel[place];
    const int *at = saddle->row_at + saddle->row_ptr[place];
    const int *end = saddle->row_at + saddle->row_ptr[place + 1];
    for (int r = 1; r < w; r++)
        for (int c = 0; c < r; c++)
            own[r] -= L[r * w + c] * own[c];
    for (L += w * w; at < end; at++, L += w)
        y[*at] -= product_of_row(L, own, w);
}

/* The same with L', from below. */
static inline __attribute__((always_inline)) void up(const double *restrict y, double *restrict own,
                                                     const perp_saddle *saddle, int place, int w)
{
    const double *block = saddle->values + saddle->panel[place], *L = block + w * w;
    const int *at = saddle->row_at + saddle->row_ptr[place];
    const int *end = saddle->row_at + saddle->row_ptr[place + 1];
    for (; at < end; at++, L += w) {
        double x = y[*at];
        for (int c = 0; c < w; c++)
            own[c] -= L[c] * x;
    }
    for (int r = w - 1; r > 0; r--) {
        double x = own[r];
        for (int c = 0; c < r; c++)
            own[c] -= block[r * w + c] * x;
    }
}

/* One of the two in registers. */
static inline __attribute__((always_inline)) void pass(double *y, const perp_saddle *saddle,
                                                       int place, int w, int downwards)
{
    double own[WIDEST], *at = y + saddle->first[place];
    for (int c = 0; c < w; c++)
        own[c] = at[c];
    if (downwards)
        down(y, own, saddle, place, w);
    else
        up(y, own, saddle, place, w);
    for (int c = 0; c < w; c++)
        at[c] = own[c];
}

#define PERP_EACH_WIDTH(X) X(1) X(2) X(3) X(4) X(5) X(6)

/* y = (L D L')^-1 y in the places from..to - 1. */
PERP_CLONES static void solve_factors(double *y, const perp_saddle *saddle, int from, int to)
{
    for (int k = from; k < to; k++) {
        switch (saddle->width[k]) {
#define PERP_DOWN(w)                                                                               \
    case w:                                                                                        \
        pass(y, saddle, k, w, 1);                                                                  \
        break;
            PERP_EACH_WIDTH(PERP_DOWN)
#undef PERP_DOWN
        default:
            down(y, y + saddle->first[k], saddle, k, saddle->width[k]);
        }
    }
    for (int i = saddle->first[from]; i < saddle->first[to]; i++)
        y[i] /= saddle->pivots[i];
    for (int k = to - 1; k >= from; k--) {
        switch (saddle->width[k]) {
#define PERP_UP(w)                                                                                 \
    case w:                                                                                        \
        pass(y, saddle, k, w, 0);                                                                  \
        break;
            PERP_EACH_WIDTH(PERP_UP)
#undef PERP_UP
        default:
            up(y, y + saddle->first[k], saddle, k, saddle->width[k]);
        }
    }
}

/* r -= A x, n x n. */
static inline __attribute__((always_inline)) void
subtract_dense(double *restrict r, const double *restrict A, const double *restrict x, int n)
{
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            r[i] -= A[i + j * n] * x[j];
}

/* r -= A x of one system. */
static void subtract_system(double *r, const perp_saddle *saddle, int k, const double *x)
{
    const perp_iteration *W = &saddle->systems[k]->W;
    const double *A = saddle->numbers + saddle->A_at[k];
    int n = W->n;
    r += saddle->system_at[k];
    x += saddle->system_at[k];
    if (n == 6 && saddle->weight[saddle->system_node[k]] == n) {
        subtract_dense(r, A, x, 6);
    } else if (saddle->weight[saddle->system_node[k]] == n) {
        subtract_dense(r, A, x, n);
    } else if (W->kind == PERP_ITERATION_DIAGONAL) {
        for (int i = 0; i < n; i++)
            r[i] -= A[i] * x[i];
    } else {
        for (int j = 0; j < n; j++)
            for (int i = W->colptr[j]; i < W->colptr[j + 1]; i++) {
                r[W->row[i]] -= 0.5 * A[i] * x[j];
                r[j] -= 0.5 * A[i] * x[W->row[i]];
            }
    }
}

/* row -= G x and to -= G' l for the columns of one system. */
static inline __attribute__((always_inline)) void
subtract_rows(double *restrict row, double *restrict to, const double *restrict G, int nv,
              const double *restrict x, const double *restrict l, int rows, int n)
{
    for (int i = 0; i < rows; i++, G += nv) {
        double sum = 0.0, factor = l[i];
        for (int v = 0; v < n; v++) {
            sum += G[v] * x[v];
            to[v] -= G[v] * factor;
        }
        row[i] -= sum;
    }
}

/* to -= a block of K times x. */
static inline __attribute__((always_inline)) void
subtract_stiffness(double *restrict to, const double *restrict K, int nv, const double *restrict x,
                   int n, int m)
{
    for (int v = 0; v < m; v++)
        for (int i = 0; i < n; i++)
            to[i] -= K[i + v * nv] * x[v];
}

/* r -= what G, G' and the K between systems contribute for one joint. */
static void subtract_joint(double *r, const perp_saddle *saddle, int j, const double *x)
{
    const double *G = saddle->numbers + saddle->G_at[j], *K = saddle->numbers + saddle->K_at[j];
    const double *l = x + saddle->dofs + saddle->joint_at[j];
    double *row = r + saddle->dofs + saddle->joint_at[j];
    int rows = saddle->joints[j]->rows, nv = saddle->joints[j]->nv;
    int stiff = saddle->stiff[j] && saddle->stiffened;
    for (int a = saddle->tie_ptr[j]; a < saddle->tie_ptr[j + 1]; a++) {
        int system = saddle->tie_system[a], column = saddle->tie_column[a];
        int n = saddle->systems[system]->nv;
        const double *from = x + saddle->system_at[system];
        double *to = r + saddle->system_at[system];
        if (n == 6)
            subtract_rows(row, to, G + column, nv, from, l, rows, 6);
        else
            subtract_rows(row, to, G + column, nv, from, l, rows, n);
        for (int b = saddle->tie_ptr[j]; stiff && b < saddle->tie_ptr[j + 1]; b++) {
            int other = saddle->tie_system[b];
            int m = saddle->systems[other]->nv;
            const double *block = K + column + saddle->tie_column[b] * nv;
            const double *y = x + saddle->system_at[other];
            if (n == 6 && m == 6)
                subtract_stiffness(to, block, nv, y, 6, 6);
            else
                subtract_stiffness(to, block, nv, y, n, m);
        }
    }
}

/* Squares of (b, c) in the measure of W^-1 and (G W^-1 G')^-1 by diagonals, which has no units
 * of its own. */
static double measure(const perp_saddle *saddle, int island, const double *r)
{
    double sum = 0.0;
    const int *at = saddle->scalar + saddle->first[saddle->node_part[island]];
    const int *end = saddle->scalar + saddle->first[saddle->node_part[island + 1]];
    for (; at < end; at++)
        sum += saddle->scale[*at] > 0.0 ? r[*at] * r[*at] / saddle->scale[*at] : 0.0;
    return sum;
}

/* right = saddle->right - K x on one island; 0 where rows were left out. */
static void residual(perp_saddle *saddle, int island, const double *x, double *r)
{
    const int *at = saddle->scalar + saddle->first[saddle->node_part[island]];
    const int *end = saddle->scalar + saddle->first[saddle->node_part[island + 1]];
    for (; at < end; at++)
        r[*at] = saddle->right[*at];
    for (int k = saddle->system_part[island]; k < saddle->system_part[island + 1]; k++)
        subtract_system(r, saddle, k, x);
    for (int j = saddle->joint_part[island]; j < saddle->joint_part[island + 1]; j++)
        subtract_joint(r, saddle, j, x);
    int first = saddle->joint_at[saddle->joint_part[island]];
    int last = saddle->joint_at[saddle->joint_part[island + 1]];
    for (int i = first; saddle->giving && i < last; i++)
        r[saddle->dofs + i] += saddle->giving[i] * x[saddle->dofs + i];
    for (int i = first; saddle->ndropped > 0 && i < last; i++)
        if (saddle->dropped[i])
            r[saddle->dofs + i] = 0.0;
}

/* x of one island = K^-1 r, or x += K^-1 r. */
static void apply(perp_saddle *saddle, int island, double *x, const double *r, int add)
{
    int from = saddle->node_part[island], to = saddle->node_part[island + 1];
    int first = saddle->first[from], last = saddle->first[to];
    double *y = saddle->permuted;
    const int *at = saddle->scalar;
    for (int i = first; i < last; i++)
        y[i] = r[at[i]];
    solve_factors(y, saddle, from, to);
    for (int i = first; add && i < last; i++)
        x[at[i]] += y[i];
    for (int i = first; !add && i < last; i++)
        x[at[i]] = y[i];
}

void perp_saddle_zero_island(const perp_saddle *saddle, int island, double *x)
{
    for (int node = saddle->node_part[island]; node < saddle->node_part[island + 1]; node++)
        memset(x + saddle->node_at[node], 0, sizeof *x * (size_t)saddle->weight[node]);
}

void perp_saddle_solve_island(perp_saddle *saddle, int island, double *x)
{
    double *right = saddle->right, *r = saddle->change;
    const int *at = saddle->scalar + saddle->first[saddle->node_part[island]];
    const int *end = saddle->scalar + saddle->first[saddle->node_part[island + 1]];
    for (; at < end; at++)
        right[*at] = x[*at];
    apply(saddle, island, x, right, 0);
    int roughly = saddle->roughly && saddle->ndropped == 0;
    int known = roughly && saddle->loss[island] >= 0.0 && saddle->loss[island] <= ROUGH;
    double whole = known ? 0.0 : measure(saddle, island, right), before = INFINITY;
    for (int k = 0; !known && k < CORRECTIONS; k++) {
        residual(saddle, island, x, r);
        double left = measure(saddle, island, r);
        if (k == 0 && whole > 0.0)
            saddle->loss[island] = fmax(saddle->loss[island], sqrt(left / whole));
        double enough = roughly ? ROUGH : ROUNDING;
        if (!(left > enough * enough * whole) || !(left < 0.25 * before))
            break;
        apply(saddle, island, x, r, 1);
        if (saddle->ndropped == 0 && left <= NEARLY * NEARLY * whole)
            break;
        before = left;
    }
    int first = saddle->joint_at[saddle->joint_part[island]];
    int last = saddle->joint_at[saddle->joint_part[island + 1]];
    for (int i = first; i < last; i++)
        x[saddle->dofs + i] = -x[saddle->dofs + i];
}

int perp_saddle_is_exact(const perp_saddle *saddle, int island)
{
    return saddle->loss[island] >= 0.0 && saddle->loss[island] <= EXACT;
}

void perp_saddle_solve(perp_saddle *saddle, double *x)
{
    for (int island = 0; island < saddle->islands; island++)
        perp_saddle_solve_island(saddle, island, x);
}
