/* SPDX-License-Identifier: BSD-3-Clause */
#include "solvers/lp/lp_relaxation.h"

#include <math.h>
#include <string.h>

#include "linalg/dense_lu.h"

static const double column_slack = 1e-10, least_value = 1e-8, sign_slack = 1e-9;

static void enter_columns(perp_relaxation *r)
{
    const perp_lcp *lcp = r->lcp;
    int N = r->size, at = 0;
    for (int j = 0; j < N; j++) {
        r->colptr[j] = at;
        for (int i = 0; i < N; i++) {
            double a = lcp->a[(size_t)i + (size_t)j * (size_t)N];
            if (a != 0.0) {
                r->row[at] = i;
                r->value[at++] = a;
            }
        }
    }
    for (int k = 0; k < 2 * N; k++) {
        r->colptr[N + k] = at;
        r->row[at] = k % N;
        r->value[at++] = k < N ? -1.0 : 1.0;
    }
    r->colptr[3 * N] = at;
    for (int i = 0; i < N; i++) {
        r->right[i] = -lcp->b[i];
        r->sense[i] = '=';
    }
}

perp_status perp_relaxation_take(perp_relaxation *r, const perp_lcp *lcp,
                                 const perp_lp_table *table, perp_arena *arena)
{
    size_t N = (size_t)lcp->size;
    *r = (perp_relaxation){.lcp = lcp, .table = table, .size = lcp->size};
    if (N > 20000)
        return PERP_ERR_OVERFLOW;
    r->side = PERP_TAKE(arena, unsigned char, N);
    r->state = perp_arena_take_zero(arena, N, 1);
    r->colptr = PERP_TAKE(arena, int, 3 * N + 1);
    r->row = PERP_TAKE(arena, int, N *N + 2 * N);
    r->value = PERP_TAKE(arena, double, N *N + 2 * N);
    r->cost = PERP_TAKE(arena, double, 3 * N);
    r->lo = PERP_TAKE(arena, double, 3 * N);
    r->hi = PERP_TAKE(arena, double, 3 * N);
    r->right = PERP_TAKE(arena, double, N);
    r->sense = PERP_TAKE(arena, char, N);
    r->found = PERP_TAKE(arena, double, 3 * N);
    r->basic = PERP_TAKE(arena, int, N);
    r->x = perp_arena_take_zero(arena, N, sizeof(double));
    r->y = perp_arena_take_zero(arena, N, sizeof(double));
    r->lu = PERP_TAKE(arena, double, N *N);
    r->pivots = PERP_TAKE(arena, int, N);
    r->index = PERP_TAKE(arena, int, 2 * N);
    r->r = PERP_TAKE(arena, double, N);
    if (arena->failed)
        return PERP_ERR_MEMORY;
    enter_columns(r);
    r->program = (perp_lp_program){.rows = r->size,
                                   .cols = 3 * r->size,
                                   .colptr = r->colptr,
                                   .row = r->row,
                                   .x = r->value,
                                   .cost = r->cost,
                                   .sense = r->sense,
                                   .right = r->right,
                                   .lo = r->lo,
                                   .hi = r->hi};
    return PERP_SOLVED;
}

static int is_free(const perp_relaxation *r, int i)
{
    return r->lcp->kind[i] == PERP_LCP_FREE;
}

/* 1 where y_i may be positive; where x_i may. */
static int y_lives(const perp_relaxation *r, int i)
{
    return !is_free(r, i) && r->state[i] != PERP_CASE_Y_IS_ZERO;
}

static int x_lives(const perp_relaxation *r, int i)
{
    return is_free(r, i) || r->state[i] != PERP_CASE_X_IS_ZERO;
}

/* artificial: rows may be broken, at a cost. */
static void enter_bounds(perp_relaxation *r, int artificial)
{
    int N = r->size;
    for (int i = 0; i < N; i++) {
        int open = !is_free(r, i) && r->state[i] == PERP_CASE_OPEN && !artificial;
        r->lo[i] = is_free(r, i) ? -INFINITY : 0.0;
        r->hi[i] = x_lives(r, i) ? INFINITY : 0.0;
        r->cost[i] = open && r->side[i] != PERP_SIDE_Y;
        r->lo[N + i] = r->lo[2 * N + i] = 0.0;
        r->hi[N + i] = y_lives(r, i) || artificial ? INFINITY : 0.0;
        r->cost[N + i] = artificial ? !y_lives(r, i) : open && r->side[i] != PERP_SIDE_X;
        r->hi[2 * N + i] = artificial ? INFINITY : 0.0;
        r->cost[2 * N + i] = 1.0;
    }
}

/* Rows and columns of A that the basis leaves to x: `rows` holds rows without a unit
 * column, `cols` the basic x.  Their number, or -1 where they do not match. */
static int basis_of_x(const perp_relaxation *r, int *rows, int *cols)
{
    int N = r->size, m = 0, left = 0;
    for (int i = 0; i < N; i++)
        r->pivots[i] = 0;
    for (int k = 0; k < N; k++)
        if (r->basic[k] < N)
            cols[m++] = r->basic[k];
        else
            r->pivots[r->basic[k] % N] = 1;
    for (int i = 0; i < N; i++)
        if (!r->pivots[i])
            rows[left++] = i;
    return left == m ? m : -1;
}

/* y = A x + b. */
static void value_of_y(perp_relaxation *r)
{
    size_t N = (size_t)r->size;
    memcpy(r->y, r->lcp->b, N * sizeof(double));
    for (size_t j = 0; j < N; j++)
        for (size_t i = 0; i < N && r->x[j] != 0.0; i++)
            r->y[i] += r->lcp->a[i + j * N] * r->x[j];
}

/* The basic x from A_RC x_C = -b_R with refinement.  0: that is singular. */
static int solve_basis(perp_relaxation *r)
{
    size_t N = (size_t)r->size;
    int *rows = r->index, *cols = r->index + N, m = basis_of_x(r, rows, cols);
    memset(r->x, 0, N * sizeof(double));
    if (m < 0)
        return 0;
    for (int j = 0; j < m; j++)
        for (int i = 0; i < m; i++)
            r->lu[i + j * m] = r->lcp->a[(size_t)rows[i] + (size_t)cols[j] * N];
    if (m > 0 && !perp_dense_lu_factor(r->lu, r->pivots, m))
        return 0;
    for (int step = 0; m > 0 && step < 5; step++) {
        value_of_y(r);
        for (int i = 0; i < m; i++)
            r->r[i] = -r->y[rows[i]];
        perp_dense_lu_solve(r->r, r->lu, r->pivots, m);
        for (int j = 0; j < m; j++)
            r->x[cols[j]] += r->r[j];
    }
    for (size_t j = 0; j < N; j++)
        if (!isfinite(r->x[j]))
            return 0;
    value_of_y(r);
    return 1;
}

perp_lp_outcome perp_relaxation_vertex(perp_relaxation *r, const perp_lp_control *control)
{
    perp_lp_answer answer = {.x = r->found, .basic = r->basic};
    enter_bounds(r, 0);
    perp_lp_outcome outcome = r->table->solve(&r->program, control, &answer);
    if (outcome != PERP_LP_OPTIMAL)
        return outcome;
    if (!solve_basis(r)) {
        memcpy(r->x, r->found, (size_t)r->size * sizeof(double));
        value_of_y(r);
    }
    return outcome;
}

/* B' u = c_B for the current basis: rows with a unit column give their u, the others follow
 * from the basic x, which cost nothing. */
static int multipliers(perp_relaxation *r, double *u)
{
    size_t N = (size_t)r->size;
    int *rows = r->index, *cols = r->index + N, m = basis_of_x(r, rows, cols);
    if (m < 0)
        return 0;
    memset(u, 0, N * sizeof(double));
    for (size_t k = 0; k < N; k++) {
        size_t b = (size_t)r->basic[k];
        if (b >= N && b < 3 * N)
            u[b % N] = b < 2 * N ? -r->cost[b] : r->cost[b];
    }
    for (int j = 0; j < m; j++)
        for (int i = 0; i < m; i++)
            r->lu[j + i * m] = r->lcp->a[(size_t)rows[i] + (size_t)cols[j] * N];
    if (m > 0 && !perp_dense_lu_factor(r->lu, r->pivots, m))
        return 0;
    for (int step = 0; m > 0 && step < 3; step++) {
        for (int j = 0; j < m; j++) {
            const double *column = r->lcp->a + (size_t)cols[j] * N;
            r->r[j] = 0.0;
            for (size_t i = 0; i < N; i++)
                r->r[j] -= column[i] * u[i];
        }
        perp_dense_lu_solve(r->r, r->lu, r->pivots, m);
        for (int i = 0; i < m; i++)
            u[rows[i]] += r->r[i];
    }
    return 1;
}

static int proves(const perp_relaxation *r, double *u)
{
    size_t N = (size_t)r->size;
    double largest = 0.0, value = 0.0, terms = 0.0;
    for (size_t i = 0; i < N; i++)
        largest = fmax(largest, fabs(u[i]));
    for (size_t i = 0; i < N; i++) {
        if (!isfinite(u[i]) || (y_lives(r, (int)i) && u[i] < -sign_slack * largest))
            return 0;
        if (fabs(u[i]) <= sign_slack * 1e-3 * largest || (y_lives(r, (int)i) && u[i] < 0.0))
            u[i] = 0.0;
        value += r->lcp->b[i] * u[i];
        terms += fabs(r->lcp->b[i] * u[i]);
    }
    for (size_t j = 0; j < N; j++) {
        double sum = 0.0, size = 0.0;
        for (size_t i = 0; i < N && x_lives(r, (int)j); i++) {
            sum += r->lcp->a[i + j * N] * u[i];
            size += fabs(r->lcp->a[i + j * N] * u[i]);
        }
        if (sum > column_slack * size || (is_free(r, (int)j) && sum < -column_slack * size))
            return 0;
    }
    return value < -least_value * terms;
}

int perp_relaxation_refute(perp_relaxation *r, double *u, const perp_lp_control *control,
                           perp_lp_outcome *outcome)
{
    perp_lp_answer answer = {.x = r->found, .basic = r->basic};
    enter_bounds(r, 1);
    *outcome = r->table->solve(&r->program, control, &answer);
    return *outcome == PERP_LP_OPTIMAL && multipliers(r, u) && proves(r, u);
}

int perp_relaxation_choose_sides(perp_relaxation *r)
{
    int changed = 0;
    for (int i = 0; i < r->size; i++) {
        unsigned char side = r->x[i] <= r->y[i] ? PERP_SIDE_X : PERP_SIDE_Y;
        changed |= side != r->side[i] && r->state[i] == PERP_CASE_OPEN && !is_free(r, i);
        r->side[i] = side;
    }
    return changed;
}

int perp_relaxation_worst_pair(const perp_relaxation *r, double *gap)
{
    int worst = -1;
    *gap = 0.0;
    for (int i = 0; i < r->size; i++) {
        double here = fmin(r->x[i], r->y[i]);
        if (is_free(r, i) || r->state[i] != PERP_CASE_OPEN || (worst >= 0 && here <= *gap))
            continue;
        worst = i;
        *gap = here;
    }
    return worst;
}
