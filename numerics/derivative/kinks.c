/* SPDX-License-Identifier: BSD-3-Clause */
/* The linearised problem on the critical cone.  Regular rows are eliminated; what is left is a
 * problem w = S z + q over NONNEG rows and cones, and is solved as any other. */
#include <math.h>
#include <string.h>

#include "derivative/state.h"

static const double tolerance = 1e-12, accepted = 1e-9, rounding = 1e-12;
enum { MINORS_UP_TO = 10 };

/* Sign of the determinant of the rows and columns in `chosen`. */
static int minor_is_positive(const double *S, int n, unsigned chosen)
{
    double a[MINORS_UP_TO * MINORS_UP_TO], largest = 0.0;
    int at[MINORS_UP_TO], m = 0;
    for (int i = 0; i < n; i++)
        if (chosen >> i & 1u)
            at[m++] = i;
    for (int j = 0; j < m; j++)
        for (int i = 0; i < m; i++) {
            a[i + j * m] = S[at[i] + at[j] * n];
            largest = fmax(largest, fabs(a[i + j * m]));
        }
    int sign = 1;
    for (int k = 0; k < m; k++) {
        int row = k;
        for (int i = k + 1; i < m; i++)
            row = fabs(a[i + k * m]) > fabs(a[row + k * m]) ? i : row;
        if (!(fabs(a[row + k * m]) > 1e-11 * largest))
            return 0;
        sign = row == k ? sign : -sign;
        for (int j = k; j < m; j++) {
            double keep = a[k + j * m];
            a[k + j * m] = a[row + j * m];
            a[row + j * m] = keep;
        }
        sign = a[k + k * m] < 0.0 ? -sign : sign;
        for (int i = k + 1; i < m; i++)
            for (int j = k + 1; j < m; j++)
                a[i + j * m] -= a[i + k * m] / a[k + k * m] * a[k + j * m];
    }
    return sign > 0;
}

/* The symmetric part is positive definite. */
static int is_definite(const double *S, int n, double *work)
{
    size_t m = (size_t)n;
    for (size_t j = 0; j < m; j++) {
        for (size_t i = j; i < m; i++) {
            double sum = 0.5 * (S[i + j * m] + S[j + i * m]);
            for (size_t k = 0; k < j; k++)
                sum -= work[i + k * m] * work[j + k * m];
            if (i == j && !(sum > 1e-11 * fabs(S[j + j * m])))
                return 0;
            work[i + j * m] = i == j ? sqrt(sum) : sum / work[j + j * m];
        }
    }
    return 1;
}

/* Half-lines: a P-matrix, by its minors where they are few. */
static int is_unique(const double *S, int n, int half_lines, double *work)
{
    if (!half_lines || n > MINORS_UP_TO)
        return is_definite(S, n, work);
    for (unsigned chosen = 1; chosen < 1u << n; chosen++)
        if (!minor_is_positive(S, n, chosen))
            return 0;
    return 1;
}

static perp_status take(perp_kinks *k, int regular, int count, perp_arena *arena)
{
    size_t m = (size_t)regular, n = (size_t)count;
    k->left = perp_arena_take_zero(arena, m * n, sizeof(double));
    k->right = perp_arena_take_zero(arena, m * n, sizeof(double));
    k->away = PERP_TAKE(arena, double, m *n);
    k->matrix = perp_arena_take_zero(arena, n * n, sizeof(double));
    k->q = perp_arena_take_zero(arena, n, sizeof(double));
    k->z = perp_arena_take_zero(arena, n, sizeof(double));
    k->w = perp_arena_take_zero(arena, n, sizeof(double));
    k->segment = PERP_TAKE(arena, perp_segment, n);
    return arena->failed ? PERP_ERR_MEMORY : PERP_SOLVED;
}

static void split(perp_kinks *k, const perp_csc *B, int regular)
{
    size_t m = (size_t)regular, n = (size_t)k->count;
    for (int j = 0; j < B->cols; j++) {
        for (int p = B->colptr[j]; p < B->colptr[j + 1]; p++) {
            int i = B->row[p];
            if (i < regular && j >= regular)
                k->right[(size_t)i + (size_t)(j - regular) * m] = B->x[p];
            else if (i >= regular && j < regular)
                k->left[(size_t)j + (size_t)(i - regular) * m] = B->x[p];
            else if (i >= regular)
                k->matrix[(size_t)(i - regular) + (size_t)(j - regular) * n] = B->x[p];
        }
    }
}

/* x - left.right, and 0 where that is what rounding leaves of its terms. */
static double reduced(double x, const double *left, const double *right, int n)
{
    double terms = fabs(x);
    for (int i = 0; i < n; i++) {
        x -= left[i] * right[i];
        terms += fabs(left[i] * right[i]);
    }
    return fabs(x) > rounding * terms ? x : 0.0;
}

static void eliminate(perp_kinks *k, perp_square *system)
{
    size_t m = (size_t)system->n, n = (size_t)k->count;
    memcpy(k->away, k->right, m * n * sizeof(double));
    for (size_t j = 0; j < n; j++) {
        perp_square_solve(system, k->away + j * m, 0);
        for (size_t i = 0; i < n; i++)
            k->matrix[i + j * n] =
                reduced(k->matrix[i + j * n], k->left + i * m, k->away + j * m, system->n);
    }
}

/* Segments of the rows on a kink; 1: all of them NONNEG. */
static int describe(perp_kinks *k, const perp_laws *laws)
{
    int half_lines = 1;
    k->problem = (perp_problem){.q = k->q, .seg = k->segment};
    perp_mat_init_dense(&k->problem.M, k->count, k->count, k->matrix, k->count);
    for (int i = 0; i < laws->count; i++) {
        const perp_law_row *row = &laws->row[i];
        if (row->set == PERP_FREE || row->set == PERP_LAW_INNER)
            continue;
        half_lines &= row->set == PERP_NONNEG;
        perp_segment *segment = &k->segment[k->problem.nseg++];
        *segment = (perp_segment){.set = (perp_set)row->set, .dim = row->dim, .count = 1};
        for (int p = 0; p < PERP_PARAMETERS; p++)
            segment->par[p] = &row->par[p];
    }
    return half_lines;
}

/* Half-lines and SOC with a symmetric matrix: solutions differ in its null space alone. */
static int is_convex(const perp_kinks *k)
{
    double largest = 0.0, skew = 0.0;
    for (int i = 0; i < k->problem.nseg; i++)
        if (k->segment[i].set != PERP_NONNEG && k->segment[i].set != PERP_SOC)
            return 0;
    for (int j = 0; j < k->count; j++) {
        for (int i = 0; i < k->count; i++) {
            double x = k->matrix[i + j * k->count];
            largest = fmax(largest, fabs(x));
            skew = fmax(skew, fabs(x - k->matrix[j + i * k->count]));
        }
    }
    return skew <= 1e-10 * largest;
}

static perp_status loose_of_null(perp_kinks *k, const perp_square *values, perp_arena *temporary)
{
    int n = k->count;
    size_t stride = perp_nulls_stride(k->free), numbers = (size_t)n * stride;
    double *rows = PERP_TAKE(temporary, double, 2 * numbers);
    if (!rows)
        return PERP_ERR_MEMORY;
    perp_square_nulls(values, rows, stride, rows + numbers);
    for (int f = 0; f < k->free; f++)
        for (int i = 0; i < n; i++)
            k->loose[i + f * n] = rows[(size_t)f + (size_t)i * stride];
    return PERP_SOLVED;
}

/* Where the solution may not be unique: the null space of what is left, or any direction. */
static perp_status find_loose(perp_kinks *k, int half_lines, perp_arena *arena,
                              perp_arena *temporary)
{
    int n = k->count, convex = is_convex(k);
    perp_csc S = {.rows = n, .cols = n, .x = k->matrix};
    perp_square values;
    S.colptr = PERP_TAKE(temporary, int, n + 1);
    S.row = PERP_TAKE(temporary, int, (size_t)n *(size_t)n);
    k->loose = perp_arena_take_zero(arena, (size_t)n * (size_t)n, sizeof(double));
    if (!k->loose || temporary->failed)
        return PERP_ERR_MEMORY;
    for (int j = 0; j <= n; j++)
        S.colptr[j] = j * n;
    for (int i = 0; i < n * n; i++)
        S.row[i] = i % n;
    perp_status status = perp_square_factor(&values, &S, n, 0, temporary, temporary);
    if (status != PERP_SOLVED)
        return status;
    int singular = convex && values.rank < n;
    k->free = singular ? n - values.rank : n;
    k->same_w = singular && half_lines;
    for (int f = 0; f < k->free && !singular; f++)
        k->loose[f + f * n] = 1.0;
    return singular ? loose_of_null(k, &values, temporary) : PERP_SOLVED;
}

void perp_kinks_loose(const perp_derivative *d, int f, double *y)
{
    const perp_kinks *k = &d->kinks;
    int regular = d->system.n;
    memset(y, 0, (size_t)regular * sizeof(double));
    for (int i = 0; i < k->count; i++) {
        y[regular + i] = k->loose[i + f * k->count];
        for (int j = 0; j < regular; j++)
            y[j] -= k->away[(size_t)j + (size_t)i * (size_t)regular] * y[regular + i];
    }
}

perp_status perp_kinks_build(perp_derivative *d)
{
    perp_kinks *k = &d->kinks;
    perp_settings settings;
    int regular = d->laws.regular, count = d->laws.count - regular;
    *k = (perp_kinks){.count = count};
    if (count == 0)
        return PERP_SOLVED;
    perp_status status = take(k, regular, count, &d->arena);
    double *work = status == PERP_SOLVED
                       ? PERP_TAKE(&d->temporary, double, (size_t)count *(size_t)count)
                       : NULL;
    if (!work)
        return PERP_ERR_MEMORY;
    split(k, &d->B, regular);
    eliminate(k, &d->system);
    int half_lines = describe(k, &d->laws);
    k->unique = is_unique(k->matrix, count, half_lines, work) &&
                (d->system.rank == d->system.n || is_convex(k));
    if (!k->unique && (status = find_loose(k, half_lines, &d->arena, &d->temporary)) != PERP_SOLVED)
        return status;
    perp_settings_init(&settings, sizeof settings);
    settings.tol = tolerance;
    status = perp_solver_create(&k->solver, perp_solver_find(half_lines ? "lemke" : "auto"),
                                &settings, &d->arena.allocator, NULL);
    return status == PERP_SOLVED ? perp_solver_setup(k->solver, &k->problem) : status;
}

static int solve_own(perp_kinks *k)
{
    if (perp_solver_update_q(k->solver, k->q) != PERP_SOLVED)
        return 0;
    perp_status status = perp_solver_solve(k->solver, k->z, k->w, NULL);
    return status == PERP_SOLVED || (status > 0 && perp_solver_info(k->solver)->error <= accepted);
}

int perp_kinks_solve(perp_derivative *d, double *y)
{
    perp_kinks *k = &d->kinks;
    int regular = d->system.n, found = 1;
    double *rest = y + regular;
    perp_square_solve(&d->system, y, 0);
    for (int i = 0; i < k->count; i++)
        k->q[i] = -reduced(rest[i], k->left + (size_t)i * (size_t)regular, y, regular);
    if (k->count > 0)
        found = solve_own(k);
    for (int i = 0; i < k->count; i++) {
        rest[i] = found ? k->z[i] : 0.0;
        for (int j = 0; j < regular; j++)
            y[j] -= k->away[(size_t)j + (size_t)i * (size_t)regular] * rest[i];
    }
    return found;
}

void perp_kinks_destroy(perp_kinks *kinks)
{
    perp_solver_destroy(kinks->solver);
    kinks->solver = NULL;
}
