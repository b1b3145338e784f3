/* SPDX-License-Identifier: BSD-3-Clause */
/* W = M - h theta dF/dv - h theta dF/dq h theta B of each system, H of the interactions, and the
 * problem H' W^-1 H + diag of the step in its impulses. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "kernel/derivative/linear.h"
#include "kernel/integrators/moreau_jean.h"
#include "kernel/laws/law.h"
#include "numerics/core/clones.h"

#define GROW(tape, array, capacity, count)                                                         \
    perp_pool_grow(&(tape)->pool, (void **)&(tape)->linear->array, &(tape)->linear->capacity,      \
                   (count), sizeof *(tape)->linear->array)

static void destroy(perp_pool *pool, perp_tape_linear *l)
{
    if (!l)
        return;
    perp_mass_destroy(l->W);
    perp_derivative_destroy(l->derivative);
    void *arrays[] = {l->column, l->row,      l->x,       l->h_column, l->h_row,
                      l->h_x,    l->segments, l->of_rows, l->of_dofs,  l->of_system};
    for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; k++)
        perp_pool_give(pool, arrays[k]);
    perp_pool_give(pool, l);
}

void perp_tape_linear_forget(perp_tape *tape)
{
    while (tape->kept_linear) {
        perp_tape_linear *next = tape->kept_linear->next;
        destroy(&tape->pool, tape->kept_linear);
        tape->kept_linear = next;
    }
    tape->linear = NULL;
}

void perp_tape_linear_destroy(perp_tape *tape)
{
    perp_tape_linear_forget(tape);
    destroy(&tape->pool, tape->spare_linear);
    tape->spare_linear = NULL;
}

void perp_tape_gather(double *part, const perp_tape *tape, const int *system, int count,
                      const double *x)
{
    for (int k = 0; k < count; k++) {
        const perp_tape_system *s = &tape->systems[system[k]];
        memcpy(part, x + s->at, sizeof(double) * (size_t)s->nv);
        part += s->nv;
    }
}

void perp_tape_scatter(double *x, const perp_tape *tape, const int *system, int count,
                       const double *part)
{
    for (int k = 0; k < count; k++) {
        const perp_tape_system *s = &tape->systems[system[k]];
        for (int i = 0; i < s->nv; i++)
            x[s->at + i] += *part++;
    }
}

/* Four columns at a time, which need not wait for each other. */
PERP_CLONES static void add_columns(double *restrict y, const double *restrict A, size_t rows,
                                    size_t columns, const double *restrict x, double scale)
{
    size_t j = 0;
    for (; j + 4 <= columns; j += 4, A += 4 * rows) {
        double a = scale * x[j], b = scale * x[j + 1], c = scale * x[j + 2], d = scale * x[j + 3];
        for (size_t i = 0; i < rows; i++)
            y[i] += (a * A[i] + b * A[rows + i]) + (c * A[2 * rows + i] + d * A[3 * rows + i]);
    }
    for (; j < columns; j++, A += rows)
        for (size_t i = 0; i < rows; i++)
            y[i] += scale * A[i] * x[j];
}

void perp_tape_add(double *y, const double *A, int rows, int columns, const double *x, double scale)
{
    if (A)
        add_columns(y, A, (size_t)rows, (size_t)columns, x, scale);
}

PERP_CLONES static void add_sizes(double *restrict y, const double *restrict A, size_t rows,
                                  size_t columns, const double *restrict x)
{
    size_t j = 0;
    for (; j + 4 <= columns; j += 4, A += 4 * rows)
        for (size_t i = 0; i < rows; i++)
            y[i] += (fabs(A[i] * x[j]) + fabs(A[rows + i] * x[j + 1])) +
                    (fabs(A[2 * rows + i] * x[j + 2]) + fabs(A[3 * rows + i] * x[j + 3]));
    for (; j < columns; j++, A += rows)
        for (size_t i = 0; i < rows; i++)
            y[i] += fabs(A[i] * x[j]);
}

void perp_tape_add_sizes(double *y, const double *A, int rows, int columns, const double *x)
{
    if (A)
        add_sizes(y, A, (size_t)rows, (size_t)columns, x);
}

void perp_tape_add_transposed(double *y, const double *A, int rows, int columns, const double *x,
                              double scale)
{
    size_t n = (size_t)rows;
    int j = 0;
    for (; A && j + 4 <= columns; j += 4, A += 4 * n, y += 4) { /* sums that need not wait */
        double a = y[0], b = y[1], c = y[2], d = y[3];
        for (size_t i = 0; i < n; i++) {
            a += scale * A[i] * x[i];
            b += scale * A[n + i] * x[i];
            c += scale * A[2 * n + i] * x[i];
            d += scale * A[3 * n + i] * x[i];
        }
        y[0] = a;
        y[1] = b;
        y[2] = c;
        y[3] = d;
    }
    for (; A && j < columns; j++, A += n, y++)
        for (size_t i = 0; i < n; i++)
            *y += scale * A[i] * x[i];
}

void perp_tape_add_turned(double *y, const double *A, int nv, const double *x, double scale)
{
    int plain = A ? 3 : nv;
    for (int i = 0; i < plain; i++)
        y[i] += scale * x[i];
    perp_tape_add(y + 3, A, 3, 3, x + 3, scale);
}

void perp_tape_add_turned_back(double *y, const double *A, int nv, const double *x, double scale)
{
    int plain = A ? 3 : nv;
    for (int i = 0; i < plain; i++)
        y[i] += scale * x[i];
    perp_tape_add_transposed(y + 3, A, 3, 3, x + 3, scale);
}

/* Sizes of a step: rows, entries of H, widest system and interaction. */
typedef struct sizes {
    int rows, blocks, widest;
    size_t h_entries, entries;
} sizes;

static int measure(sizes *s, const perp_tape *tape, const perp_tape_step *node)
{
    *s = (sizes){.rows = node->rows, .widest = 1};
    for (int k = 0; k < tape->nsystems; k++) {
        int nv = tape->systems[k].nv;
        s->entries += (size_t)nv * (size_t)nv;
        s->widest = nv > s->widest ? nv : s->widest;
    }
    for (int k = 0; k < node->nties; k++) {
        const perp_tape_tie *tie = &node->ties[k];
        s->h_entries += (size_t)tie->rows * (size_t)tie->nv;
        s->widest = tie->nv > s->widest ? tie->nv : s->widest;
        s->blocks += tie->relations;
    }
    return s->entries <= INT32_MAX && s->h_entries <= INT32_MAX;
}

static perp_status reserve(perp_tape *tape, const sizes *s, int nties)
{
    perp_tape_linear *l = tape->linear;
    int dofs = tape->dofs, widest = s->widest;
    if (!GROW(tape, column, capacity_column, dofs + 1) ||
        !GROW(tape, row, capacity_row, (int)s->entries) ||
        !GROW(tape, x, capacity_x, (int)s->entries) ||
        !GROW(tape, h_column, capacity_h_column, s->rows + 1) ||
        !GROW(tape, h_row, capacity_h_row, (int)s->h_entries) ||
        !GROW(tape, h_x, capacity_h_x, (int)s->h_entries) ||
        !GROW(tape, segments, capacity_segments, nties) ||
        !GROW(tape, of_rows, capacity_rows, 12 * (s->rows + 1)) ||
        !GROW(tape, of_dofs, capacity_dofs, 4 * (dofs + 1)) ||
        !GROW(tape, of_system, capacity_system, widest * widest + 4 * widest))
        return PERP_ERR_MEMORY;
    double **rows[] = {&l->q,      &l->z,     &l->w,  &l->diagonal, &l->par[0],  &l->par[1],
                       &l->par[2], &l->dbeta, &l->dz, &l->dpar[0],  &l->dpar[1], &l->dpar[2]};
    double **dof[] = {&l->rho, &l->part, &l->scratch, &l->guess};
    for (int k = 0; k < 12; k++)
        *rows[k] = l->of_rows + (size_t)k * (size_t)(s->rows + 1);
    for (int k = 0; k < 4; k++)
        *dof[k] = l->of_dofs + (size_t)k * (size_t)(dofs + 1);
    l->dense = l->of_system;
    for (int k = 0; k < 4; k++)
        l->gather[k] = l->of_system + (size_t)(widest * widest) + (size_t)(k * widest);
    l->rows = s->rows;
    l->blocks = s->blocks;
    l->dofs = dofs;
    return PERP_SOLVED;
}

/* W of one system, dense. */
static void system_matrix(double *W, const perp_tape_motion *m, int nv, double h)
{
    size_t n = (size_t)nv, turn = m->B ? 3 : n;
    memcpy(W, m->mass, n * n * sizeof(double));
    for (size_t k = 0; m->v1 && k < n * n; k++)
        W[k] -= m->end * m->v1[k];
    double weight = m->end * h * m->theta;
    for (size_t j = 0; m->q1 && j < turn; j++)
        for (size_t i = 0; i < n; i++)
            W[i + j * n] -= weight * m->q1[i + j * n];
    for (size_t j = turn; m->q1 && j < n; j++)
        for (size_t l = turn; l < n; l++)
            for (size_t i = 0; i < n; i++)
                W[i + j * n] -= weight * m->q1[i + l * n] * m->B[l - 3 + 3 * (j - 3)];
}

/* Appends one system to W. */
static void append(perp_tape_linear *l, int at, int nv)
{
    int *column = l->column, *row = l->row;
    double *x = l->x;
    size_t n = (size_t)nv;
    int count = column[at];
    for (size_t j = 0; j < n; j++) {
        for (size_t i = 0; i < n; i++) {
            double value = l->dense[i + j * n];
            if (value == 0.0 && i != j)
                continue;
            row[count] = at + (int)i;
            x[count++] = value;
        }
        column[at + (int)j + 1] = count;
    }
}

static perp_status make_mass(perp_tape_linear *l)
{
    perp_mat M;
    perp_status status = perp_mat_init_csc(&M, l->dofs, l->dofs, l->column, l->row, l->x);
    if (status != PERP_SOLVED)
        return status;
    if (l->W && perp_mass_size(l->W) == l->dofs) {
        status = perp_mass_update(l->W, &M, NULL);
        if (status == PERP_SOLVED)
            return status;
    }
    perp_mass_destroy(l->W);
    l->W = NULL;
    return perp_mass_create(&l->W, &M, &l->allocator, NULL);
}

static perp_status make_W(perp_tape *tape, const perp_tape_step *node)
{
    perp_tape_linear *l = tape->linear;
    l->column[0] = 0;
    for (int k = 0; k < tape->nsystems; k++) {
        const perp_tape_system *s = &tape->systems[k];
        system_matrix(l->dense, &node->motions[k], s->nv, node->h);
        append(l, s->at, s->nv);
    }
    return make_mass(l);
}

static void make_H(perp_tape *tape, const perp_tape_step *node)
{
    perp_tape_linear *l = tape->linear;
    int count = 0;
    l->h_column[0] = 0;
    for (int k = 0; k < node->nties; k++) {
        const perp_tape_tie *tie = &node->ties[k];
        for (int i = 0; i < tie->rows; i++) {
            int at = 0;
            for (int j = 0; j < tie->nsystems; j++) {
                const perp_tape_system *s = &tape->systems[tie->system[j]];
                for (int v = 0; v < s->nv; v++, at++) {
                    l->h_row[count] = s->at + v;
                    l->h_x[count++] = tie->H[(size_t)i + (size_t)at * (size_t)tie->rows];
                }
            }
            l->h_column[tie->first + i + 1] = count;
        }
    }
}

int perp_tape_has_spring(const perp_law *law)
{
    return law->drive == PERP_DRIVE_SERVO || perp_law_is_soft(law);
}

double perp_tape_spring_compliance(const perp_law *law, double h)
{
    double place = law->place > 0.0 ? law->place : PERP_MJ_SERVO_PLACE;
    return 1.0 / (h * (place * h * law->stiffness + law->damping));
}

/* The least of way/h, sqrt(2 a way) and the largest rate; near 0 it is the first. */
double perp_tape_profile_slope(const perp_law *law, double h, double y, int *kink)
{
    static const double near = 1e-9;
    double way = fabs(law->target - y), brakes = sqrt(2.0 * law->acceleration * way);
    double rates[3] = {way / h, brakes, law->rate}, slopes[3] = {1.0 / h, 0.0, 0.0};
    int least = 0;
    slopes[1] = brakes > 0.0 ? law->acceleration / brakes : 0.0;
    for (int k = 1; k < 3; k++)
        least = rates[k] < rates[least] ? k : least;
    *kink = 0;
    for (int k = 0; k < 3; k++)
        *kink |= k != least && way > 0.0 && isfinite(rates[k]) &&
                 rates[k] - rates[least] <= near * rates[k];
    return slopes[least];
}

perp_tape_row_terms perp_tape_terms_of_row(const perp_tape_tie *tie, const perp_tape_step *node,
                                           int row)
{
    perp_tape_row_terms terms = {0.0, 0.0, 0.0};
    double theta = node->motions[tie->system[0]].theta;
    if (perp_law_is_impact(&tie->law))
        terms.by_start = row % tie->law.dim == 0 ? tie->law.e : tie->law.e_t;
    int kink;
    if (tie->law.drive == PERP_DRIVE_PROFILE)
        terms.by_place = perp_tape_profile_slope(&tie->law, node->h, tie->y[0], &kink);
    if (!perp_tape_has_spring(&tie->law) || row % tie->law.dim != 0)
        return terms;
    double open = 1.0 / (node->h * (tie->law.place > 0.0 ? tie->law.place : PERP_MJ_SERVO_PLACE));
    double closed = perp_tape_spring_compliance(&tie->law, node->h) * node->h * tie->law.stiffness;
    int apart = perp_law_is_soft(&tie->law) && tie->y[row / tie->law.dim] > 0.0;
    terms.by_mean = (1.0 - theta) / theta;
    terms.by_place = (apart ? open : closed) / theta;
    return terms;
}

static void make_sets(perp_tape *tape, const perp_tape_step *node)
{
    perp_tape_linear *l = tape->linear;
    for (int k = 0; k < node->nties; k++) {
        const perp_tape_tie *tie = &node->ties[k];
        double theta = node->motions[tie->system[0]].theta;
        double par[PERP_PARAMETERS], scale = tie->law.kind == PERP_LAW_BOX ? tie->scale : 1.0;
        perp_law_parameters(par, &tie->law);
        l->segments[k] = (perp_segment){
            .set = perp_law_set(&tie->law), .dim = tie->law.dim, .count = tie->relations};
        for (int p = 0; p < PERP_PARAMETERS; p++) {
            l->par[p][k] = par[p] * scale;
            l->segments[k].par[p] = &l->par[p][k];
        }
        for (int i = 0; i < tie->rows; i++) {
            l->z[tie->first + i] = tie->z[i];
            l->w[tie->first + i] = tie->w[i];
            l->diagonal[tie->first + i] =
                perp_tape_has_spring(&tie->law) && i % tie->law.dim == 0
                    ? perp_tape_spring_compliance(&tie->law, node->h) / theta
                    : 0.0;
        }
    }
}

void perp_tape_solve(perp_tape_linear *l, double *x)
{
    perp_mass_solve(l->W, x, l->scratch, x);
}

void perp_tape_solve_transposed(perp_tape_linear *l, double *x)
{
    perp_mass_solve_transposed(l->W, x, l->scratch, x);
}

void perp_tape_add_h(double *y, const perp_tape_linear *l, const double *z)
{
    for (int j = 0; j < l->rows; j++)
        for (int p = l->h_column[j]; p < l->h_column[j + 1]; p++)
            y[l->h_row[p]] += l->h_x[p] * z[j];
}

void perp_tape_add_ht(double *y, const perp_tape_linear *l, const double *x)
{
    for (int j = 0; j < l->rows; j++)
        for (int p = l->h_column[j]; p < l->h_column[j + 1]; p++)
            y[j] += l->h_x[p] * x[l->h_row[p]];
}

/* The problem that z and w solve, q = w - M z. */
static perp_status factor(perp_tape *tape, const perp_tape_step *node)
{
    perp_tape_linear *l = tape->linear;
    perp_problem problem = {.q = l->q, .seg = l->segments, .nseg = node->nties};
    memset(l->part, 0, sizeof(double) * (size_t)l->dofs);
    perp_tape_add_h(l->part, l, l->z);
    perp_tape_solve(l, l->part);
    memset(l->q, 0, sizeof(double) * (size_t)l->rows);
    perp_tape_add_ht(l->q, l, l->part);
    for (int i = 0; i < l->rows; i++)
        l->q[i] = l->w[i] - l->q[i] - l->diagonal[i] * l->z[i];
    perp_status status =
        perp_mat_init_delassus(&problem.M, l->dofs, l->rows, l->h_column, l->h_row, l->h_x, l->W);
    if (status == PERP_SOLVED)
        status = perp_mat_set_compliance(&problem.M, l->diagonal);
    if (status == PERP_SOLVED && !l->derivative) {
        perp_derivative_settings settings = {.size = sizeof settings};
        perp_derivative_settings_init(&settings, sizeof settings);
        settings.kink = tape->settings.kink;
        settings.dense = tape->settings.dense;
        status = perp_derivative_create(&l->derivative, &settings, &l->allocator, NULL);
    }
    return status == PERP_SOLVED ? perp_derivative_factor(l->derivative, &problem, l->z, NULL)
                                 : status;
}

static perp_status make(perp_tape *tape, const perp_tape_step *node)
{
    sizes s;
    if (!measure(&s, tape, node))
        return PERP_ERR_OVERFLOW;
    perp_status status = reserve(tape, &s, node->nties);
    if (status == PERP_SOLVED)
        status = make_W(tape, node);
    if (status != PERP_SOLVED || node->rows == 0)
        return status;
    make_H(tape, node);
    make_sets(tape, node);
    return factor(tape, node);
}

perp_status perp_tape_linear_set(perp_tape *tape, perp_tape_step *node)
{
    size_t before = tape->pool.taken;
    tape->linear = node->linear;
    if (tape->linear)
        return tape->linear->status;
    if (!tape->spare_linear)
        tape->spare_linear = perp_pool_take(&tape->pool, sizeof *tape->spare_linear);
    perp_tape_linear *l = tape->linear = tape->spare_linear;
    if (!l)
        return PERP_ERR_MEMORY;
    l->allocator = perp_pool_allocator(&tape->pool);
    l->status = make(tape, node);
    if (tape->keeps && l->derivative)
        perp_derivative_trim(l->derivative);
    l->bytes += tape->pool.taken - before;
    if (l->status >= 0 && perp_tape_keeps(tape, l->bytes)) {
        l->next = tape->kept_linear;
        tape->kept_linear = node->linear = l;
        tape->spare_linear = NULL;
    }
    return l->status;
}
