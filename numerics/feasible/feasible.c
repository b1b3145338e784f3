/* SPDX-License-Identifier: BSD-3-Clause */
/* A common point of linear rows, or the best proof that there is none. */
#include <perp/feasible.h>

#include <math.h>
#include <string.h>

#include "core/arena.h"
#include "core/float_environment.h"
#include "core/sized.h"
#include "feasible/cone_projection.h"
#include "feasible/rows.h"

static const double most_work = 4e9, rounding_share = 1e-13, point_slack = 1e-8;
enum { NEWTON = 100 };

/* The rows with columns over the roots of their weights, each row of length 1. */
typedef struct search {
    const perp_linear_rows *rows;
    perp_row_cone cone;
    int *ptr, *col;
    double *a, *last, *noise; /* of the cone */
    double *length;           /* rows: of A_i in the metric of the weights, 1 where it is 0 */
    unsigned char *equality;
    double unit; /* what b is divided by, besides the lengths */
    double *v, *y, *trial;
} search;

static double root_weight(const perp_linear_rows *r, int j)
{
    return r->weight ? sqrt(r->weight[j]) : 1.0;
}

static int take(search *s, const perp_linear_rows *r, perp_arena *arena)
{
    size_t n = (size_t)r->rows, entries = (size_t)r->colptr[r->cols];
    s->rows = r;
    s->ptr = perp_arena_take_zero(arena, n + 1, sizeof(int));
    s->col = PERP_TAKE(arena, int, entries);
    s->a = PERP_TAKE(arena, double, entries);
    s->last = PERP_TAKE(arena, double, n);
    s->noise = perp_arena_take_zero(arena, n, sizeof(double));
    s->length = perp_arena_take_zero(arena, n, sizeof(double));
    s->equality = perp_arena_take_zero(arena, n, 1);
    s->v = perp_arena_take_zero(arena, (size_t)r->cols, sizeof(double));
    s->y = perp_arena_take_zero(arena, n, sizeof(double));
    s->trial = perp_arena_take_zero(arena, n, sizeof(double));
    s->cone = (perp_row_cone){.n = r->rows,
                              .m = r->cols,
                              .ptr = s->ptr,
                              .col = s->col,
                              .a = s->a,
                              .last = s->last,
                              .noise = s->noise,
                              .equality = s->equality,
                              .most = most_work};
    return !arena->failed && perp_row_cone_take(&s->cone, arena);
}

/* A by rows, scaled. */
static void scale_rows(search *s)
{
    const perp_linear_rows *r = s->rows;
    for (int j = 0; j < r->cols; j++)
        for (int k = r->colptr[j]; k < r->colptr[j + 1]; k++) {
            double x = r->x[k] / root_weight(r, j);
            s->ptr[r->row[k] + 1]++;
            s->length[r->row[k]] += x * x;
        }
    for (int i = 0; i < r->rows; i++) {
        s->ptr[i + 1] += s->ptr[i];
        s->length[i] = s->length[i] > 0.0 ? sqrt(s->length[i]) : 1.0;
        s->equality[i] = (unsigned char)(r->equality && r->equality[i]);
    }
    for (int j = 0; j < r->cols; j++)
        for (int k = r->colptr[j]; k < r->colptr[j + 1]; k++) {
            int i = r->row[k], at = s->ptr[i]++;
            s->col[at] = j;
            s->a[at] = r->x[k] / root_weight(r, j) / s->length[i];
        }
    for (int i = r->rows; i > 0; i--)
        s->ptr[i] = s->ptr[i - 1];
    s->ptr[0] = 0;
}

static double noise_of(const perp_linear_rows *r, int i)
{
    return r->noise ? r->noise[i] : 0.0;
}

/* The last entries for b + shift on the inequalities. */
static void set_last(search *s, double shift)
{
    const perp_linear_rows *r = s->rows;
    s->unit = 0.0;
    for (int i = 0; i < r->rows; i++) {
        s->last[i] = (r->b[i] + (s->equality[i] ? 0.0 : shift)) / s->length[i];
        s->unit = fmax(s->unit, fabs(s->last[i]));
    }
    s->unit = s->unit > 0.0 ? s->unit : 1.0;
    for (int i = 0; i < r->rows; i++) {
        s->last[i] /= s->unit;
        s->noise[i] = noise_of(r, i) / s->length[i] / s->unit;
    }
}

/* The proof of the cone in the rows of the caller, without what rounding alone left; its entries on
 * inequalities sum to 1 (or the largest of equalities is 1).  What y.b comes to. */
static double read_proof(search *s, double *y)
{
    const perp_row_cone *c = &s->cone;
    double largest = 0.0, sum = 0.0, value = 0.0;
    memset(y, 0, (size_t)s->rows->rows * sizeof *y);
    for (int k = 0; k < c->p; k++)
        largest = fmax(largest, fabs(c->y[k]));
    for (int k = 0; k < c->p; k++) {
        int i = c->passive[k];
        if (fabs(c->y[k]) <= rounding_share * largest)
            continue;
        y[i] = c->y[k] / s->length[i];
        sum += s->equality[i] ? 0.0 : y[i];
    }
    if (sum <= 0.0)
        for (int i = 0; i < s->rows->rows; i++)
            sum = fmax(sum, fabs(y[i]));
    for (int i = 0; i < s->rows->rows && sum > 0.0; i++) {
        y[i] /= sum;
        value += y[i] * s->rows->b[i];
    }
    return value;
}

static void read_point(search *s)
{
    const perp_row_cone *c = &s->cone;
    for (int j = 0; j < c->m; j++)
        s->v[j] = c->x[j] / c->x[c->m] * s->unit / root_weight(s->rows, j);
}

/* v = 0 will do. */
static int rest_is_feasible(const search *s)
{
    const perp_linear_rows *r = s->rows;
    for (int i = 0; i < r->rows; i++)
        if (s->equality[i] ? fabs(r->b[i]) > noise_of(r, i) : r->b[i] < -noise_of(r, i))
            return 0;
    return 1;
}

/* The rows hold at v, all inequalities relieved by `shift`. */
static int point_holds(search *s, double shift)
{
    const perp_linear_rows *r = s->rows;
    double *sum = s->trial, *terms = s->last;
    for (int i = 0; i < r->rows; i++) {
        sum[i] = r->b[i] + (s->equality[i] ? 0.0 : shift);
        terms[i] = fabs(r->b[i]);
    }
    for (int j = 0; j < r->cols; j++)
        for (int k = r->colptr[j]; k < r->colptr[j + 1]; k++) {
            sum[r->row[k]] += r->x[k] * s->v[j];
            terms[r->row[k]] += fabs(r->x[k] * s->v[j]);
        }
    for (int i = 0; i < r->rows; i++) {
        double slack = point_slack * terms[i] + 4.0 * noise_of(r, i);
        if (!((s->equality[i] ? fabs(sum[i]) : -sum[i]) <= slack))
            return 0;
    }
    return 1;
}

static int has_inequality(const search *s, const double *y)
{
    for (int i = 0; i < s->rows->rows; i++)
        if (!s->equality[i] && y[i] > 0.0)
            return 1;
    return 0;
}

/* Raises the shift of the inequalities by proof after proof until the rows have a point: each proof
 * is a vertex with a larger value, so that this ends.  PERP_SOLVED: at shift 0 already. */
static perp_status look(search *s)
{
    double shift = 0.0;
    for (int k = 0; k < NEWTON; k++) {
        set_last(s, shift);
        perp_row_cone_end end = perp_row_cone_project(&s->cone);
        if (end == PERP_ROW_CONE_NO_MEMORY)
            return PERP_ERR_MEMORY;
        if (end == PERP_ROW_CONE_LIMIT)
            return k > 0 ? PERP_INFEASIBLE : PERP_STALLED;
        if (end == PERP_ROW_CONE_POINT) {
            if (k == 0)
                read_point(s);
            return k > 0 ? PERP_INFEASIBLE : PERP_SOLVED;
        }
        double raised = -read_proof(s, s->trial);
        if (k > 0 && !(raised > shift))
            return PERP_INFEASIBLE;
        memcpy(s->y, s->trial, (size_t)s->rows->rows * sizeof *s->y);
        if (!has_inequality(s, s->y) || raised - shift <= 1e-12 * raised)
            return PERP_INFEASIBLE;
        shift = raised;
    }
    return PERP_INFEASIBLE;
}

/* A proof that the check does not confirm may be one of noise: then the rows hold to it. */
static perp_status settle(search *s, const perp_allocator *allocator, perp_refutation *found)
{
    perp_status status = look(s);
    if (status == PERP_SOLVED && !point_holds(s, 0.0))
        return PERP_STALLED;
    if (status != PERP_INFEASIBLE)
        return status;
    perp_status checked = perp_refutation_check(s->rows, s->y, allocator, found);
    if (checked != PERP_SOLVED)
        return checked;
    if (found->holds)
        return PERP_INFEASIBLE;
    *found = (perp_refutation){.size = sizeof *found};
    memset(s->y, 0, (size_t)s->rows->rows * sizeof *s->y);
    return PERP_STALLED;
}

static perp_status find(search *s, const perp_linear_rows *rows, const perp_allocator *allocator,
                        perp_arena *arena, perp_refutation *found)
{
    if (!take(s, rows, arena))
        return PERP_ERR_MEMORY;
    scale_rows(s);
    return rest_is_feasible(s) ? PERP_SOLVED : settle(s, allocator, found);
}

perp_status perp_rows_refute(const perp_linear_rows *rows, double most, perp_arena *arena,
                             double *v, double *y)
{
    search s;
    if (!take(&s, rows, arena))
        return PERP_ERR_MEMORY;
    s.cone.most = most;
    scale_rows(&s);
    set_last(&s, 0.0);
    switch (perp_row_cone_project(&s.cone)) {
    case PERP_ROW_CONE_NO_MEMORY:
        return PERP_ERR_MEMORY;
    case PERP_ROW_CONE_POINT:
        read_point(&s);
        memcpy(v, s.v, (size_t)rows->cols * sizeof *v);
        return PERP_SOLVED;
    case PERP_ROW_CONE_NOTHING:
        (void)read_proof(&s, y);
        return PERP_INFEASIBLE;
    default:
        return PERP_STALLED;
    }
}

perp_status perp_rows_feasible(const perp_linear_rows *rows, const perp_allocator *allocator,
                               double *v, double *y, perp_refutation *figures)
{
    PERP_HOLD_ENVIRONMENT();
    perp_linear_rows own;
    perp_refutation found = {.size = sizeof found};
    search s;
    perp_arena arena;
    perp_status status = perp_rows_read(&own, rows);
    if (status != PERP_SOLVED)
        return status;
    if (figures && !perp_sized_claim(figures))
        return PERP_ERR_ARGUMENT;
    perp_arena_init(&arena, allocator);
    status = find(&s, &own, allocator, &arena, &found);
    if (status >= 0) {
        if (v)
            memcpy(v, s.v, (size_t)own.cols * sizeof *v);
        if (y)
            memcpy(y, s.y, (size_t)own.rows * sizeof *y);
        if (figures)
            perp_sized_write(figures, &found, sizeof found);
    }
    perp_arena_free(&arena);
    return status;
}
