/* SPDX-License-Identifier: BSD-3-Clause */
/* W of a solve, summed over its parts, and the matrix N W^-1 G' + D of its problem; of few dofs
 * both are made in stage_small.c. */
#include "kernel/derivative/stage_system.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "kernel/derivative/linear.h"

/* Rows from which the matrix of the problem is kept sparse. */
enum { DENSE_ROWS = 400, ARRAYS_OF_ROWS = 20 };

#define GROW(tape, array, capacity, count)                                                         \
    perp_pool_grow(&(tape)->pool, (void **)&(tape)->stage_system->array,                           \
                   &(tape)->stage_system->capacity, (count), sizeof *(tape)->stage_system->array)

static void destroy(perp_pool *pool, perp_tape_stage_system *s)
{
    if (!s)
        return;
    perp_mass_destroy(s->W);
    perp_derivative_destroy(s->derivative);
    void *arrays[] = {s->start,   s->row,   s->mark,     s->x,         s->m_column, s->m_row,
                      s->m_x,     s->lu_of, s->lu_x,     s->segments,  s->of_rows,  s->of_dofs,
                      s->of_part, s->flags, s->rest_row, s->rest_block};
    for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; k++)
        perp_pool_give(pool, arrays[k]);
    perp_pool_give(pool, s);
}

void perp_tape_stage_system_forget(perp_tape *tape)
{
    while (tape->kept_system) {
        perp_tape_stage_system *next = tape->kept_system->next;
        destroy(&tape->pool, tape->kept_system);
        tape->kept_system = next;
    }
    tape->stage_system = NULL;
}

void perp_tape_stage_system_destroy(perp_tape *tape)
{
    perp_tape_stage_system_forget(tape);
    destroy(&tape->pool, tape->spare_system);
    tape->spare_system = NULL;
}

int perp_tape_stage_eliminates(const perp_tape_stage_system *s, const perp_tape_part *p)
{
    return s->equalities > 0 && p->rows > 0 && p->set == PERP_FREE;
}

void perp_tape_stage_add_G(double *y, const perp_tape *tape, const perp_tape_solve_stage *solve,
                           const double *z, int rates)
{
    double *out = tape->stage_system->gather[2];
    for (const perp_tape_part *p = solve->parts; p; p = p->next) {
        if (p->rows == 0 || perp_tape_stage_eliminates(tape->stage_system, p))
            continue;
        memset(out, 0, sizeof(double) * (size_t)p->nv);
        perp_tape_add_transposed(out, rates ? p->N : p->G, p->rows, p->nv, z + p->first, 1.0);
        perp_tape_scatter(y, tape, p->system, p->nsystems, out);
    }
}

void perp_tape_stage_add_N(double *z, double *size, const perp_tape *tape,
                           const perp_tape_solve_stage *solve, const double *y, int forces)
{
    double *in = tape->stage_system->gather[2];
    for (const perp_tape_part *p = solve->parts; p; p = p->next) {
        if (p->rows == 0 || perp_tape_stage_eliminates(tape->stage_system, p))
            continue;
        const double *A = forces ? p->G : p->N;
        perp_tape_gather(in, tape, p->system, p->nsystems, y);
        perp_tape_add(z + p->first, A, p->rows, p->nv, in, 1.0);
        if (size)
            perp_tape_add_sizes(size + p->first, A, p->rows, p->nv, in);
    }
}

static perp_status reserve(perp_tape *tape, const perp_tape_solve_stage *solve)
{
    perp_tape_stage_system *s = tape->stage_system;
    int dofs = tape->dofs, rows = solve->rows, widest = 1;
    size_t entries = (size_t)dofs;
    for (const perp_tape_part *p = solve->parts; p; p = p->next) {
        entries += p->K ? (size_t)p->nv * (size_t)p->nv : 0;
        widest = p->nv > widest ? p->nv : widest;
    }
    if (entries > INT32_MAX)
        return PERP_ERR_OVERFLOW;
    s->is_small = dofs <= PERP_SMALL_LU_MOST && tape->nsystems <= PERP_SMALL_LU_MOST;
    if (!s->is_small &&
        (!GROW(tape, start, capacity_start, dofs + 1) ||
         !GROW(tape, row, capacity_row, (int)entries) || !GROW(tape, x, capacity_x, (int)entries) ||
         !GROW(tape, mark, capacity_mark, dofs + 1)))
        return PERP_ERR_MEMORY;
    if (!GROW(tape, segments, capacity_segments, solve->parts_with_rows + 1) ||
        !GROW(tape, of_rows, capacity_of_rows, ARRAYS_OF_ROWS * (rows + 1)) ||
        !GROW(tape, flags, capacity_flags, rows + 1) ||
        !GROW(tape, rest_row, capacity_rest_row, rows + 1) ||
        !GROW(tape, rest_block, capacity_rest_block, rows + 1) ||
        !GROW(tape, of_dofs, capacity_of_dofs, 3 * (dofs + rows + 1)) ||
        !GROW(tape, of_part, capacity_of_part, 3 * widest))
        return PERP_ERR_MEMORY;
    double **of_rows[ARRAYS_OF_ROWS] = {
        &s->q,       &s->z,           &s->w,           &s->par[0],      &s->par[1],
        &s->par[2],  &s->beta,        &s->dz,          &s->dpar[0],     &s->dpar[1],
        &s->dpar[2], &s->size,        &s->moved,       &s->rest_q,      &s->rest_z,
        &s->rest_w,  &s->rest_par[0], &s->rest_par[1], &s->rest_par[2], &s->diagonal};
    double **of_dofs[] = {&s->rho, &s->part, &s->scratch};
    for (int k = 0; k < ARRAYS_OF_ROWS; k++)
        *of_rows[k] = s->of_rows + (size_t)k * (size_t)(rows + 1);
    for (int k = 0; k < 3; k++) {
        *of_dofs[k] = s->of_dofs + (size_t)k * (size_t)(dofs + rows + 1);
        s->gather[k] = s->of_part + (size_t)k * (size_t)widest;
    }
    s->rows = s->rest = rows;
    s->dofs = dofs;
    s->equalities = s->has_matrix = 0;
    return PERP_SOLVED;
}

/* Appends entry (i, j) of W, or adds to it where it is there; mark: place of row i in column j. */
static void add_entry(perp_tape_stage_system *s, int *count, int from, int i, double value)
{
    if (s->mark[i] > from) {
        s->x[s->mark[i] - 1] += value;
        return;
    }
    s->row[*count] = i;
    s->x[*count] = value;
    s->mark[i] = ++*count;
}

/* Column `column` of the parts of the systems that it belongs to; parts are listed by system. */
static void add_part_column(perp_tape_stage_system *s, const perp_tape *tape, int *count, int from,
                            const perp_tape_part *p, int column)
{
    int at = 0;
    for (int k = 0; k < p->nsystems; k++) {
        const perp_tape_system *own = &tape->systems[p->system[k]];
        if (column >= own->at && column < own->at + own->nv) {
            int j = at + column - own->at, i = 0;
            for (int m = 0; m < p->nsystems; m++) {
                const perp_tape_system *other = &tape->systems[p->system[m]];
                for (int r = 0; r < other->nv; r++, i++) {
                    double value = p->K[(size_t)i + (size_t)j * (size_t)p->nv];
                    if (value != 0.0 || other->at + r == column)
                        add_entry(s, count, from, other->at + r, value);
                }
            }
        }
        at += own->nv;
    }
}

/* Sums the parts column by column.  lists: of each system the parts that have it. */
static perp_status sum_W(perp_tape *tape, const perp_tape_solve_stage *solve)
{
    perp_tape_stage_system *s = tape->stage_system;
    int count = 0, nplaces = 0;
    for (const perp_tape_part *p = solve->parts; p; p = p->next)
        nplaces += p->K ? p->nsystems : 0;
    size_t lists = (size_t)(tape->nsystems + 1 + nplaces);
    int *first = perp_pool_take_array(&tape->pool, lists, sizeof *first);
    const perp_tape_part **part =
        perp_pool_take_array(&tape->pool, (size_t)nplaces + 1, sizeof(perp_tape_part *));
    if (!first || !part) {
        perp_pool_give(&tape->pool, first);
        perp_pool_give(&tape->pool, part);
        return PERP_ERR_MEMORY;
    }
    for (const perp_tape_part *p = solve->parts; p; p = p->next)
        for (int k = 0; p->K && k < p->nsystems; k++)
            first[p->system[k] + 1]++;
    for (int k = 0; k < tape->nsystems; k++)
        first[k + 1] += first[k];
    for (const perp_tape_part *p = solve->parts; p; p = p->next)
        for (int k = 0; p->K && k < p->nsystems; k++)
            part[first[p->system[k]]++] = p;
    memset(s->mark, 0, sizeof(int) * (size_t)tape->dofs);
    s->start[0] = 0;
    for (int k = 0; k < tape->nsystems; k++)
        for (int j = 0; j < tape->systems[k].nv; j++) {
            int column = tape->systems[k].at + j, from = count;
            for (int m = k > 0 ? first[k - 1] : 0; m < first[k]; m++)
                add_part_column(s, tape, &count, from, part[m], column);
            s->start[column + 1] = count;
        }
    perp_pool_give(&tape->pool, first);
    perp_pool_give(&tape->pool, part);
    return PERP_SOLVED;
}

void perp_tape_stage_solve(perp_tape_stage_system *s, double *x)
{
    if (s->is_small)
        perp_small_lu_solve(&s->lu, x);
    else
        perp_mass_solve(s->W, x, s->scratch, x);
}

void perp_tape_stage_solve_transposed(perp_tape_stage_system *s, double *x)
{
    if (s->is_small)
        perp_small_lu_solve_transposed(&s->lu, x);
    else
        perp_mass_solve_transposed(s->W, x, s->scratch, x);
}

static perp_status make_mass(perp_tape_stage_system *s)
{
    perp_mat M;
    perp_status status = perp_mat_init_csc(&M, s->dofs, s->dofs, s->start, s->row, s->x);
    if (status != PERP_SOLVED)
        return status;
    if (s->W && perp_mass_size(s->W) == s->dofs) {
        status = perp_mass_update(s->W, &M, NULL);
        if (status == PERP_SOLVED || status == PERP_ERR_MEMORY)
            return status;
    }
    perp_mass_destroy(s->W);
    s->W = NULL;
    return perp_mass_create(&s->W, &M, &s->allocator, NULL);
}

/* The sets and the values of the rest. */
static void make_sets(const perp_tape *tape, const perp_tape_solve_stage *solve)
{
    perp_tape_stage_system *s = tape->stage_system;
    int k = 0, row = 0, block = 0;
    for (const perp_tape_part *p = solve->parts; p; p = p->next) {
        if (p->rows == 0 || perp_tape_stage_eliminates(s, p))
            continue;
        s->segments[k] = (perp_segment){.set = p->set, .dim = p->dim, .count = p->blocks};
        for (int j = 0; j < PERP_PARAMETERS; j++) {
            s->par[j][k] = p->par[j];
            s->segments[k].par[j] = &s->par[j][k];
        }
        if (p->values) {
            s->segments[k].par[0] = p->values;
            s->segments[k].stride[0] = 1;
        }
        memcpy(s->z + row, p->z, sizeof(double) * (size_t)p->rows);
        memcpy(s->w + row, p->w, sizeof(double) * (size_t)p->rows);
        for (int i = 0; i < p->rows; i++)
            s->rest_row[row++] = p->first + i;
        for (int i = 0; i < p->blocks; i++)
            s->rest_block[block++] = p->block + i;
        k++;
    }
    s->nsegments = k;
    s->blocks = block;
}

/* W^-1 G' of row i of a part, in s->part. */
static void solve_column(perp_tape *tape, const perp_tape_part *p, int i)
{
    perp_tape_stage_system *s = tape->stage_system;
    double *column = s->gather[0];
    for (int j = 0; j < p->nv; j++)
        column[j] = p->G[(size_t)i + (size_t)j * (size_t)p->rows];
    memset(s->part, 0, sizeof(double) * (size_t)s->dofs);
    perp_tape_scatter(s->part, tape, p->system, p->nsystems, column);
    perp_tape_stage_solve(s, s->part);
}

/* Column `first + i` of N W^-1 G' in s->q; the entries of rows that it does not reach stay 0. */
static void matrix_column(perp_tape *tape, const perp_tape_solve_stage *solve,
                          const perp_tape_part *p, int i)
{
    perp_tape_stage_system *s = tape->stage_system;
    solve_column(tape, p, i);
    memset(s->q, 0, sizeof(double) * (size_t)s->rows);
    perp_tape_stage_add_N(s->q, NULL, tape, solve, s->part, 0);
    s->q[p->first + i] += p->diagonal ? p->diagonal[i] : 0.0;
}

static perp_status make_matrix(perp_tape *tape, const perp_tape_solve_stage *solve, perp_mat *M)
{
    perp_tape_stage_system *s = tape->stage_system;
    int n = s->rest, dense = s->has_matrix || n <= DENSE_ROWS, count = 0;
    if (!s->has_matrix && dense &&
        (!GROW(tape, m_x, capacity_m_x, n * n) || !perp_tape_stage_matrix(tape, solve)))
        return PERP_ERR_MEMORY;
    for (int i = 0; i < n && dense; i++)
        s->diagonal[i] = fabs(s->m_x[(size_t)i * (size_t)(n + 1)]);
    if (dense)
        return perp_mat_init_dense(M, n, n, s->m_x, n);
    if (!GROW(tape, m_column, capacity_m_column, n + 1))
        return PERP_ERR_MEMORY;
    s->m_column[0] = 0;
    for (const perp_tape_part *p = solve->parts; p; p = p->next)
        for (int i = 0; i < p->rows; i++) {
            int j = p->first + i;
            matrix_column(tape, solve, p, i);
            s->diagonal[j] = fabs(s->q[j]);
            if (count > INT32_MAX - n || !GROW(tape, m_row, capacity_m_row, count + n) ||
                !GROW(tape, m_x, capacity_m_x, count + n))
                return PERP_ERR_MEMORY;
            for (int r = 0; r < n; r++)
                if (s->q[r] != 0.0 || r == j) {
                    s->m_row[count] = r;
                    s->m_x[count++] = s->q[r];
                }
            s->m_column[j + 1] = count;
        }
    return perp_mat_init_csc(M, n, n, s->m_column, s->m_row, s->m_x);
}

/* The problem that z and w solve, q = w - M z. */
static perp_status factor(perp_tape *tape, const perp_tape_solve_stage *solve)
{
    perp_tape_stage_system *s = tape->stage_system;
    make_sets(tape, solve);
    perp_problem problem = {.q = s->q, .seg = s->segments, .nseg = s->nsegments};
    perp_status status = make_matrix(tape, solve, &problem.M);
    if (status == PERP_SOLVED)
        status = perp_mat_apply(&problem.M, s->z, NULL, s->q);
    for (int i = 0; i < s->rest; i++)
        s->q[i] = s->w[i] - s->q[i];
    int velocities = s->equalities < s->dofs ? s->dofs - s->equalities : 1;
    if (s->velocities != velocities) {
        perp_derivative_destroy(s->derivative);
        s->derivative = NULL;
    }
    if (status == PERP_SOLVED && !s->derivative) {
        perp_derivative_settings settings = {.size = sizeof settings};
        perp_derivative_settings_init(&settings, sizeof settings);
        settings.kink = tape->settings.kink;
        settings.dense = tape->settings.dense;
        settings.velocities = s->velocities = velocities;
        status = perp_derivative_create(&s->derivative, &settings, &s->allocator, NULL);
    }
    return status == PERP_SOLVED ? perp_derivative_factor(s->derivative, &problem, s->z, NULL)
                                 : status;
}

static perp_status make(perp_tape *tape, const perp_tape_solve_stage *solve)
{
    perp_tape_stage_system *s = tape->stage_system;
    perp_status status = reserve(tape, solve);
    if (status == PERP_SOLVED)
        status = s->is_small ? perp_tape_stage_factor_small(tape, solve) : sum_W(tape, solve);
    if (status == PERP_SOLVED && !s->is_small)
        status = make_mass(s);
    return status == PERP_SOLVED && s->rest > 0 ? factor(tape, solve) : status;
}

/* The spare system for this solve, which keeps it where the memory suffices. */
static perp_status set_spare(perp_tape *tape, perp_tape_solve_stage *solve)
{
    size_t before = tape->pool.taken;
    if (!tape->spare_system)
        tape->spare_system = perp_pool_take(&tape->pool, sizeof *tape->spare_system);
    perp_tape_stage_system *s = tape->stage_system = tape->spare_system;
    if (!s)
        return PERP_ERR_MEMORY;
    s->allocator = perp_pool_allocator(&tape->pool);
    s->status = make(tape, solve);
    if (tape->keeps && s->derivative)
        perp_derivative_trim(s->derivative);
    s->bytes += tape->pool.taken - before;
    if (s->status >= 0 && perp_tape_keeps(tape, s->bytes)) {
        s->next = tape->kept_system;
        tape->kept_system = solve->system = s;
        tape->spare_system = NULL;
    }
    return s->status;
}

perp_status perp_tape_stage_set(perp_tape *tape, perp_tape_solve_stage *solve)
{
    tape->stage_system = solve->system;
    return solve->system ? solve->system->status : set_spare(tape, solve);
}
