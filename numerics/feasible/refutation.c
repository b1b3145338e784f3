/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks of linear rows and of proofs that they have no common point, from the arrays alone. */
#include <perp/feasible.h>

#include <math.h>
#include <string.h>

#include "core/arena.h"
#include "core/float_environment.h"
#include "core/sized.h"
#include "feasible/rows.h"
#include "linalg/exact_sum.h"

static const double most_breach = 1e-12, value_rounding = 1e-12;

static int sorted(const perp_linear_rows *r)
{
    if (r->colptr[0] != 0)
        return 0;
    for (int j = 0; j < r->cols; j++) {
        if (r->colptr[j + 1] < r->colptr[j])
            return 0;
        for (int k = r->colptr[j]; k < r->colptr[j + 1]; k++)
            if (r->row[k] < 0 || r->row[k] >= r->rows)
                return 0;
    }
    return 1;
}

static int finite_values(const perp_linear_rows *r)
{
    double sum = 0.0;
    for (int k = 0; k < r->colptr[r->cols]; k++)
        sum += r->x[k] - r->x[k];
    for (int i = 0; i < r->rows; i++)
        sum += r->b[i] - r->b[i];
    for (int i = 0; r->noise && i < r->rows; i++)
        sum += r->noise[i] - r->noise[i];
    return sum == 0.0;
}

perp_status perp_rows_read(perp_linear_rows *own, const perp_linear_rows *callers)
{
    memset(own, 0, sizeof *own);
    if (!callers || perp_sized_read(own, sizeof *own, callers) != PERP_SOLVED)
        return PERP_ERR_ARGUMENT;
    if (own->rows < 0 || own->cols < 0 || !own->colptr || (own->rows > 0 && !own->b))
        return PERP_ERR_ARGUMENT;
    if (own->colptr[own->cols] > 0 && (!own->row || !own->x))
        return PERP_ERR_ARGUMENT;
    if (!sorted(own))
        return PERP_ERR_STRUCTURE;
    if (!finite_values(own))
        return PERP_ERR_NONFINITE;
    for (int i = 0; own->noise && i < own->rows; i++)
        if (own->noise[i] < 0.0)
            return PERP_ERR_ARGUMENT;
    for (int j = 0; j < own->cols; j++)
        if ((own->weight && !(own->weight[j] > 0.0 && own->weight[j] < INFINITY)) ||
            (own->group && (own->group[j] < 0 || own->group[j] >= own->cols)))
            return PERP_ERR_ARGUMENT;
    return PERP_SOLVED;
}

typedef struct sums {
    double *moved; /* groups: |A'y|^2 */
    double *size;  /* groups: sum over rows of |y_i| |A_i| */
    double *part;  /* rows: |A_i|^2 in one group */
} sums;

/* The columns of one group, which `order` lists. */
static void add_group(sums *s, const perp_linear_rows *r, const double *y, const int *order,
                      int count, int g)
{
    for (int c = 0; c < count; c++) {
        int j = order[c];
        double w = r->weight ? r->weight[j] : 1.0;
        perp_exact_sum sum = {0.0, 0.0, 0.0};
        for (int k = r->colptr[j]; k < r->colptr[j + 1]; k++) {
            perp_exact_add_product(&sum, r->x[k], y[r->row[k]]);
            s->part[r->row[k]] += r->x[k] * r->x[k] / w;
        }
        perp_interval in = perp_exact_interval(&sum);
        double most = fabs(in.above) > fabs(in.below) ? in.above : in.below;
        s->moved[g] = perp_sum_up(s->moved[g], perp_product_up(perp_product_up(most, most), 1.0 / w) *
                                                   (1.0 + 0x1p-50));
    }
    for (int c = 0; c < count; c++) {
        int j = order[c];
        for (int k = r->colptr[j]; k < r->colptr[j + 1]; k++) {
            double *part = &s->part[r->row[k]];
            s->size[g] += fabs(y[r->row[k]]) * sqrt(*part);
            *part = 0.0;
        }
    }
}

/* Columns sorted by group: order (cols), first (cols + 1). */
static void sort_columns(int *order, int *first, const perp_linear_rows *r)
{
    memset(first, 0, ((size_t)r->cols + 1) * sizeof *first);
    for (int j = 0; j < r->cols; j++)
        first[(r->group ? r->group[j] : 0) + 1]++;
    for (int g = 0; g < r->cols; g++)
        first[g + 1] += first[g];
    for (int j = 0; j < r->cols; j++)
        order[first[r->group ? r->group[j] : 0]++] = j;
    for (int g = r->cols; g > 0; g--)
        first[g] = first[g - 1];
    first[0] = 0;
}

static int add_values(perp_refutation *f, const perp_linear_rows *r, const double *y)
{
    double value = 0.0, noise = 0.0, terms = 0.0, sum = 0.0, all = 0.0;
    perp_exact_sum lost = {0.0, 0.0, 0.0};
    int right = 1;
    for (int i = 0; i < r->rows; i++) {
        int free = r->equality && r->equality[i];
        right &= free || y[i] >= 0.0;
        sum += free ? 0.0 : y[i];
        all += fabs(y[i]);
        value -= r->b[i] * y[i];
        terms += fabs(r->b[i] * y[i]);
        noise += r->noise ? r->noise[i] * fabs(y[i]) : 0.0;
        perp_exact_add_product(&lost, r->b[i], y[i]);
        if (r->noise)
            perp_exact_add_product(&lost, r->noise[i], fabs(y[i]));
    }
    f->speed = sum > 0.0 ? value / sum : value > 0.0 ? INFINITY : 0.0;
    f->value = value - noise - value_rounding * terms;
    double above = perp_exact_interval(&lost).above;
    return right && all > 0.0 && above < 0.0 && f->value <= -above;
}

static perp_status check(perp_refutation *f, const perp_linear_rows *r, const double *y,
                         perp_arena *arena)
{
    size_t cols = (size_t)r->cols;
    int *order = PERP_TAKE(arena, int, cols), *first = PERP_TAKE(arena, int, cols + 1);
    sums s = {perp_arena_take_zero(arena, cols, sizeof(double)),
              perp_arena_take_zero(arena, cols, sizeof(double)),
              perp_arena_take_zero(arena, (size_t)r->rows, sizeof(double))};
    double moved = 0.0;
    if (arena->failed)
        return PERP_ERR_MEMORY;
    for (int i = 0; i < r->rows; i++)
        if (!isfinite(y[i]))
            return PERP_ERR_NONFINITE;
    sort_columns(order, first, r);
    for (int g = 0; g < r->cols; g++) {
        add_group(&s, r, y, order + first[g], first[g + 1] - first[g], g);
        if (s.moved[g] > 0.0)
            f->breach = fmax(f->breach, sqrt(s.moved[g]) / s.size[g]);
        moved = perp_sum_up(moved, s.moved[g]);
    }
    int signs = add_values(f, r, y);
    f->reach = !(f->value > 0.0) ? 0.0 : moved > 0.0 ? f->value / sqrt(moved) * (1.0 - 0x1p-50)
                                                        : INFINITY;
    f->holds = signs && f->breach <= most_breach && f->value > 0.0;
    return PERP_SOLVED;
}

perp_status perp_refutation_check(const perp_linear_rows *rows, const double *y,
                                  const perp_allocator *allocator, perp_refutation *figures)
{
    PERP_HOLD_ENVIRONMENT();
    perp_linear_rows own;
    perp_refutation found = {0};
    perp_arena arena;
    perp_status status = perp_rows_read(&own, rows);
    if (status != PERP_SOLVED)
        return status;
    if ((!y && own.rows > 0) || !perp_sized_claim(figures))
        return PERP_ERR_ARGUMENT;
    perp_arena_init(&arena, allocator);
    status = check(&found, &own, y, &arena);
    perp_arena_free(&arena);
    if (status == PERP_SOLVED)
        perp_sized_write(figures, &found, sizeof found);
    return status;
}
