/* SPDX-License-Identifier: BSD-3-Clause */
#include "solvers/avi/normal_path.h"

#include <math.h>
#include <string.h>

#include "linalg/dense_lu.h"

static const double pivot_floor = 1e-10, tie = 1e-11;
enum { REFRESH_EVERY = 40 };

size_t perp_normal_path_bytes(size_t n)
{
    return (3 * n * n + 9 * n) * sizeof(double) + (8 * n + 8) * sizeof(int) + 20 * 64;
}

perp_status perp_normal_path_take(perp_normal_path *p, const perp_mat *M, perp_arena *arena)
{
    size_t n = (size_t)M->rows;
    *p = (perp_normal_path){.n = M->rows};
    if (n > (size_t)1 << 24)
        return PERP_ERR_OVERFLOW;
    perp_status status = perp_csc_from_mat(&p->M, M, arena);
    if (status != PERP_SOLVED)
        return status;
    p->q = PERP_TAKE(arena, double, n);
    p->lo = PERP_TAKE(arena, double, n);
    p->hi = PERP_TAKE(arena, double, n);
    p->unit = PERP_TAKE(arena, double, n);
    p->at = PERP_TAKE(arena, unsigned char, n);
    p->basic = PERP_TAKE(arena, int, n);
    p->place = PERP_TAKE(arena, int, 3 * n + 1);
    p->inverse = PERP_TAKE(arena, double, n *n);
    p->order = PERP_TAKE(arena, double, n *n);
    p->lu = PERP_TAKE(arena, double, n *n);
    p->value = PERP_TAKE(arena, double, n);
    p->cover = PERP_TAKE(arena, double, n);
    p->column = PERP_TAKE(arena, double, n);
    p->right = PERP_TAKE(arena, double, n);
    p->pivots = PERP_TAKE(arena, int, n);
    p->rows = PERP_TAKE(arena, int, n);
    return arena->failed ? PERP_ERR_MEMORY : PERP_SOLVED;
}

static double power_of_two(double x)
{
    int e;
    if (!(x > 0.0) || !isfinite(x))
        return 1.0;
    frexp(x, &e);
    return ldexp(1.0, e - 1);
}

void perp_normal_path_fill(perp_normal_path *p, const perp_csc *M, const double *q,
                           const perp_blocks *blocks, const double *d)
{
    double largest = 0.0;
    for (int i = 0; i < p->n; i++) {
        const perp_block *block = &blocks->at[i];
        p->unit[i] = 1.0 / power_of_two(d ? d[i] : 1.0);
        p->q[i] = q[i] * p->unit[i];
        p->lo[i] = block->set == PERP_BOX      ? block->par[0] / p->unit[i]
                   : block->set == PERP_NONNEG ? 0.0
                                               : -INFINITY;
        p->hi[i] = block->set == PERP_BOX ? block->par[1] / p->unit[i] : INFINITY;
        largest = fmax(largest, fabs(p->q[i]));
    }
    p->size = power_of_two(largest);
    for (int i = 0; i < p->n; i++) {
        p->q[i] /= p->size;
        p->lo[i] /= p->size;
        p->hi[i] /= p->size;
        for (int k = M->colptr[i]; k < M->colptr[i + 1]; k++)
            p->M.x[k] = M->x[k] * p->unit[i] * p->unit[M->row[k]];
    }
}

static int is_free(const perp_normal_path *p, int i)
{
    return isinf(p->lo[i]) && isinf(p->hi[i]);
}

/* y += f times the column of variable k. */
static void add_column(double *y, const perp_normal_path *p, int k, double f)
{
    int n = p->n;
    if (k == 3 * n)
        for (int i = 0; i < n; i++)
            y[i] += f * p->cover[i];
    else if (k >= n)
        y[k % n] += k < 2 * n ? -f : f;
    else
        for (int at = p->M.colptr[k]; at < p->M.colptr[k + 1]; at++)
            y[p->M.row[at]] += f * p->M.x[at];
}

/* column = inverse * column of k. */
static void transform(perp_normal_path *p, int k)
{
    size_t n = (size_t)p->n;
    memset(p->right, 0, n * sizeof(double));
    memset(p->column, 0, n * sizeof(double));
    add_column(p->right, p, k, 1.0);
    for (size_t j = 0; j < n; j++) {
        double f = p->right[j];
        const double *inverse = p->inverse + j * n;
        for (size_t i = 0; f != 0.0 && i < n; i++)
            p->column[i] += inverse[i] * f;
    }
}

static double bound_of(const perp_normal_path *p, int i)
{
    return p->at[i] ? p->hi[i] : p->lo[i];
}

/* Values of the basic variables: inverse (-q - M z of the others). */
static void evaluate(perp_normal_path *p)
{
    size_t n = (size_t)p->n;
    for (size_t i = 0; i < n; i++)
        p->right[i] = -p->q[i];
    for (int j = 0; j < p->n; j++)
        if (p->place[j] < 0 && !is_free(p, j))
            add_column(p->right, p, j, -bound_of(p, j));
    memset(p->value, 0, n * sizeof(double));
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++)
            p->value[i] += p->inverse[i + j * n] * p->right[j];
}

/* Row r of a matrix with n columns is divided by column[r] and cleared from the others. */
static void eliminate(const perp_normal_path *p, double *matrix, int r)
{
    size_t n = (size_t)p->n;
    for (size_t j = 0; j < n; j++) {
        double *x = matrix + j * n, f = x[r] / p->column[r];
        if (f == 0.0)
            continue;
        for (size_t i = 0; i < n; i++)
            x[i] -= p->column[i] * f;
        x[r] = f;
    }
}

/* k, transformed in p->column, takes position r. */
static void exchange(perp_normal_path *p, int r, int k, int ordered)
{
    eliminate(p, p->inverse, r);
    if (ordered)
        eliminate(p, p->order, r);
    p->place[p->basic[r]] = -1;
    p->basic[r] = k;
    p->place[k] = r;
    p->exchanges++;
}

/* The basis of v and u alone; FREE rows get a v that will be 0. */
static void unit_basis(perp_normal_path *p)
{
    int n = p->n;
    memset(p->inverse, 0, (size_t)n * (size_t)n * sizeof(double));
    for (int k = 0; k <= 3 * n; k++)
        p->place[k] = -1;
    for (int i = 0; i < n; i++) {
        p->at[i] = isinf(p->lo[i]) && !isinf(p->hi[i]);
        p->basic[i] = p->at[i] ? 2 * n + i : n + i;
        p->place[p->basic[i]] = i;
        p->inverse[i + i * n] = p->at[i] ? 1.0 : -1.0;
    }
    p->exchanges = 0;
}

/* The largest entry of p->column in rows whose basic variable is that of an unmet FREE row. */
static int best_row(const perp_normal_path *p, int bounded_too, double *size)
{
    int best = -1;
    *size = 0.0;
    for (int r = 0; r < p->n; r++) {
        int i = p->basic[r] % p->n;
        if (p->basic[r] < p->n || (!bounded_too && !is_free(p, i)))
            continue;
        if (bounded_too && (is_free(p, i) || (isfinite(p->lo[i]) && isfinite(p->hi[i]))))
            continue;
        if (fabs(p->column[r]) > *size) {
            *size = fabs(p->column[r]);
            best = r;
        }
    }
    return best;
}

static double largest_entry(const double *x, int n)
{
    double largest = 0.0;
    for (int i = 0; i < n; i++)
        largest = fmax(largest, fabs(x[i]));
    return largest;
}

/* z_f into the place of a bounded row k, and z_k into that of an unmet FREE row. */
static int two_pivots(perp_normal_path *p, int f)
{
    double size;
    transform(p, f);
    int r = best_row(p, 1, &size);
    if (r < 0 || size <= pivot_floor * largest_entry(p->right, p->n))
        return 0;
    int k = p->basic[r] % p->n, out = p->basic[r];
    exchange(p, r, f, 0);
    transform(p, k);
    int back = best_row(p, 0, &size);
    if (back >= 0 && size > pivot_floor * largest_entry(p->right, p->n)) {
        exchange(p, back, k, 0);
        return 1;
    }
    transform(p, out);
    exchange(p, r, out, 0);
    return 0;
}

int perp_normal_path_start(perp_normal_path *p)
{
    int left = 0, moved = 1;
    unit_basis(p);
    for (int pass = 0; pass < 2 && moved; pass++) {
        moved = 0;
        left = 0;
        for (int f = 0; f < p->n; f++) {
            double size;
            if (!is_free(p, f) || p->place[f] >= 0)
                continue;
            transform(p, f);
            int r = best_row(p, 0, &size);
            if (r >= 0 && size > pivot_floor * largest_entry(p->right, p->n)) {
                exchange(p, r, f, 0);
                moved = 1;
            } else if (two_pivots(p, f)) {
                moved = 1;
            } else {
                left++;
            }
        }
    }
    return left;
}

int perp_normal_path_start_with(perp_normal_path *p, const unsigned char *first)
{
    unit_basis(p);
    for (int k = 0; k < p->n; k++) {
        double size = 0.0;
        int row = -1;
        if (!first[k])
            continue;
        transform(p, k);
        for (int r = 0; r < p->n; r++) {
            if (p->basic[r] >= p->n && first[p->basic[r] % p->n] && fabs(p->column[r]) > size) {
                size = fabs(p->column[r]);
                row = r;
            }
        }
        if (row < 0 || size <= pivot_floor * largest_entry(p->right, p->n))
            return 0;
        exchange(p, row, k, 0);
    }
    return 1;
}

/* Bounds of a variable; those of v and u of a FREE row that could not be met are none. */
static double lower(const perp_normal_path *p, int k)
{
    if (k < p->n)
        return p->lo[k];
    return k < 3 * p->n && is_free(p, k % p->n) ? -INFINITY : 0.0;
}

static double upper(const perp_normal_path *p, int k)
{
    return k < p->n ? p->hi[k] : INFINITY;
}

/* Rows between two finite bounds start at the bound that the sign of v - u asks for. */
static void choose_ends(perp_normal_path *p)
{
    int n = p->n, changed = 1;
    for (int round = 0; round < 2 && changed; round++) {
        changed = 0;
        evaluate(p);
        for (int r = 0; r < n; r++) {
            int k = p->basic[r], i = k % n;
            if (k < n || k == 3 * n || isinf(p->lo[i]) || isinf(p->hi[i]) || p->value[r] >= 0.0)
                continue;
            changed = 1;
            p->at[i] = k < 2 * n;
            p->place[k] = -1;
            p->basic[r] = k < 2 * n ? k + n : k - n;
            p->place[p->basic[r]] = r;
            for (int j = 0; j < n; j++)
                p->inverse[r + j * n] = -p->inverse[r + j * n];
        }
    }
    evaluate(p);
}

/* The variable that moves when k has left the basis; at: 1 where k left at its upper bound. */
static int complement(perp_normal_path *p, int k, int at)
{
    int n = p->n;
    if (k >= n)
        return k % n;
    p->at[k] = (unsigned char)at;
    return at ? 2 * n + k : n + k;
}

/* How far the value in position r is outside its bounds: > 0 below, < 0 above, else 0. */
static double violation(const perp_normal_path *p, int r)
{
    int k = p->basic[r];
    if (p->value[r] < lower(p, k))
        return lower(p, k) - p->value[r];
    return p->value[r] > upper(p, k) ? upper(p, k) - p->value[r] : 0.0;
}

/* What the covering variable adds to the values: rows with one
 * bound move away from it, violated ones with two just into theirs. */
static void choose_cover(perp_normal_path *p, double *d, double worst, int attempt)
{
    perp_rng rng = {(uint64_t)attempt};
    for (int r = 0; r < p->n; r++) {
        int k = p->basic[r];
        double share = attempt == 0 ? 1.0 : 1.0 + 7.0 * perp_rng_uniform(&rng);
        if (isinf(lower(p, k)) && isinf(upper(p, k)))
            d[r] = 0.0;
        else if (isfinite(lower(p, k)) && isfinite(upper(p, k)))
            d[r] = violation(p, r);
        else
            d[r] = isfinite(lower(p, k)) ? share * worst : -share * worst;
    }
}

int perp_normal_path_cover(perp_normal_path *p, int attempt, int *entering)
{
    size_t n = (size_t)p->n;
    double worst = 0.0, longest = 0.0, *d = p->lu;
    int first = -1;
    choose_ends(p);
    for (int r = 0; r < p->n; r++)
        worst = fmax(worst, fabs(violation(p, r)));
    if (!(worst > 0.0))
        return 1;
    choose_cover(p, d, worst, attempt);
    memset(p->cover, 0, n * sizeof(double));
    for (int r = 0; r < p->n; r++) {
        if (d[r] == 0.0)
            continue;
        add_column(p->cover, p, p->basic[r], -d[r]);
        if (violation(p, r) / d[r] > longest) {
            longest = violation(p, r) / d[r];
            first = r;
        }
    }
    if (first < 0)
        return 1;
    memset(p->order, 0, n * n * sizeof(double));
    for (size_t r = 0; r < n; r++)
        p->order[r + r * n] = 1.0;
    int leaving = p->basic[first], at = violation(p, first) < 0.0;
    transform(p, 3 * p->n);
    for (int r = 0; r < p->n; r++)
        p->value[r] -= longest * p->column[r];
    exchange(p, first, 3 * p->n, 1);
    p->value[first] = longest;
    *entering = complement(p, leaving, at);
    return 0;
}

/* The inverse and the values from M; 0: singular to working precision, and unchanged in effect. */
static int refresh(perp_normal_path *p)
{
    int n = p->n;
    size_t size = (size_t)n;
    memset(p->lu, 0, size * size * sizeof(double));
    for (int r = 0; r < n; r++)
        add_column(p->lu + (size_t)r * size, p, p->basic[r], 1.0);
    if (!perp_dense_lu_factor(p->lu, p->pivots, n))
        return 0;
    for (int j = 0; j < n; j++) {
        double *x = p->inverse + (size_t)j * size;
        memset(x, 0, size * sizeof(double));
        x[j] = 1.0;
        perp_dense_lu_solve(x, p->lu, p->pivots, n);
    }
    p->exchanges = 0;
    evaluate(p);
    return 1;
}

/* 1: row a leaves before row b at equal ratios; towards: signs of their bounds. */
static int leaves_before(const perp_normal_path *p, int a, double pa, int b, double pb)
{
    size_t n = (size_t)p->n;
    if (p->basic[a] == 3 * p->n || p->basic[b] == 3 * p->n)
        return p->basic[a] == 3 * p->n;
    for (size_t j = 0; j < n; j++) {
        double x = p->order[(size_t)a + j * n] / pa, y = p->order[(size_t)b + j * n] / pb;
        if (fabs(x - y) > tie * (fabs(x) + fabs(y)))
            return x < y;
    }
    return p->basic[a] < p->basic[b];
}

/* The step of the entering variable and the row that ends it, -1: its own bound, -2: nothing does.
 */
static double ratio_test(perp_normal_path *p, int entering, double sign, int *row, int *at)
{
    double step = entering < p->n ? p->hi[entering] - p->lo[entering] : INFINITY, chosen = 0.0;
    double floor = pivot_floor * fmax(largest_entry(p->column, p->n), 1e-300);
    *row = isfinite(step) ? -1 : -2;
    for (int r = 0; r < p->n; r++) {
        double down = sign * p->column[r]; /* the value falls by this for each unit */
        int k = p->basic[r];
        double bound = down > 0.0 ? lower(p, k) : upper(p, k);
        if (fabs(down) <= floor || isinf(bound))
            continue;
        double distance = fmax((p->value[r] - bound) / down, 0.0);
        double slack = tie * (fabs(distance) + fabs(step) + 1e-300) + 1e-14 / fabs(down);
        int better = *row < 0 ? distance < step - (isfinite(step) ? tie * step : 0.0)
                     : fabs(distance - step) <= slack && isfinite(step)
                         ? leaves_before(p, r, down, *row, chosen)
                         : distance < step;
        if (!better)
            continue;
        step = *row >= 0 ? fmin(distance, step) : distance;
        *row = r;
        *at = down < 0.0;
        chosen = down;
    }
    return step;
}

perp_path_end perp_normal_path_pivot(perp_normal_path *p, int *entering)
{
    int k = *entering, row, at = 0, n = p->n;
    if (p->exchanges >= REFRESH_EVERY)
        refresh(p);
    double sign = k < n && p->at[k] ? -1.0 : 1.0;
    transform(p, k);
    double step = ratio_test(p, k, sign, &row, &at);
    if (row == -2)
        return PERP_PATH_RAY;
    for (int r = 0; r < n; r++)
        p->value[r] -= sign * step * p->column[r];
    if (row == -1) {
        p->at[k] = !p->at[k];
        *entering = p->at[k] ? 2 * n + k : n + k;
        return PERP_PATH_GOES_ON;
    }
    int leaving = p->basic[row];
    exchange(p, row, k, 1);
    p->value[row] = (k < n ? bound_of(p, k) : 0.0) + sign * step;
    if (leaving == 3 * n)
        return PERP_PATH_DONE;
    *entering = complement(p, leaving, at);
    return PERP_PATH_GOES_ON;
}

void perp_normal_path_point(double *z, const perp_normal_path *p)
{
    for (int i = 0; i < p->n; i++) {
        double x = p->place[i] >= 0 ? p->value[p->place[i]] : is_free(p, i) ? 0.0 : bound_of(p, i);
        z[i] = fmin(fmax(x, p->lo[i]), p->hi[i]) * p->size * p->unit[i];
    }
}

void perp_normal_path_direction(double *z, perp_normal_path *p, int entering)
{
    double sign = entering < p->n && p->at[entering] ? -1.0 : 1.0;
    transform(p, entering);
    for (int i = 0; i < p->n; i++)
        z[i] = p->unit[i] * (i == entering      ? sign
                             : p->place[i] >= 0 ? -sign * p->column[p->place[i]]
                                                : 0.0);
}

int perp_normal_path_solution(double *z, perp_normal_path *p)
{
    int n = p->n, m = 0;
    double *x = p->column;
    for (int i = 0; i < n; i++) {
        x[i] = p->place[i] >= 0 || is_free(p, i) ? 0.0 : bound_of(p, i);
        p->rows[i] = p->place[i] >= 0 ? m : -1;
        m += p->place[i] >= 0;
    }
    memset(p->lu, 0, (size_t)m * (size_t)m * sizeof(double));
    for (int j = 0; j < n; j++)
        for (int k = p->M.colptr[j]; p->rows[j] >= 0 && k < p->M.colptr[j + 1]; k++)
            if (p->rows[p->M.row[k]] >= 0)
                p->lu[p->rows[p->M.row[k]] + p->rows[j] * m] = p->M.x[k];
    if (m > 0 && !perp_dense_lu_factor(p->lu, p->pivots, m))
        return 0;
    for (int step = 0; step < 4 && m > 0; step++) {
        double *r = p->value;
        for (int i = 0; i < n; i++)
            p->right[i] = -p->q[i];
        for (int j = 0; j < n; j++)
            if (x[j] != 0.0)
                add_column(p->right, p, j, -x[j]);
        for (int i = 0; i < n; i++)
            if (p->rows[i] >= 0)
                r[p->rows[i]] = p->right[i];
        perp_dense_lu_solve(r, p->lu, p->pivots, m);
        for (int i = 0; i < n; i++)
            x[i] += p->rows[i] >= 0 ? r[p->rows[i]] : 0.0;
    }
    for (int i = 0; i < n; i++) {
        if (!isfinite(x[i]))
            return 0;
        z[i] = fmin(fmax(x[i], p->lo[i]), p->hi[i]) * p->size * p->unit[i];
    }
    return 1;
}
