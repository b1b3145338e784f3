/* SPDX-License-Identifier: BSD-3-Clause */
/* Normal and tangential forces in turn [Panagiotopoulos1975]: with the tangential forces frozen the normal ones solve
 * a problem with z_N >= 0; with the normal forces frozen the tangential ones lie in |z_T| <=
 * mu z_N, a fixed bound.  All other blocks are unknowns of both problems.
 *
 * Each has its own part of M, made in setup.  In the tangential problem a contact in 3D is a TRESCA
 * block whose normal row stands alone, with q_N > 0, so that its z_N stays 0; in 2D a BOX row. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg/select.h"
#include "solvers/outer/laws.h"

enum { NORMAL, TANGENTIAL, PARTS };

typedef struct split {
    perp_select part[PARTS];
    int *source[PARTS], *map[PARTS];
    unsigned char *alone[PARTS];
    int rows[PARTS];
    double *low;            /* -bound, of BOX rows */
    double *frozen, *force; /* n: the forces that are given, and M times them */
    double *next;           /* n: the next iterate, both parts */
} split;

/* What becomes of each row; fills source, map and alone. */
static void list_rows(split *s, const perp_blocks *blocks)
{
    for (int k = 0; k < blocks->count; k++) {
        const perp_block *block = &blocks->at[k];
        for (int i = 0; i < block->dim; i++) {
            int row = block->row + i, contact = block->set == PERP_COULOMB;
            int kept[PARTS] = {!contact || i == 0, !contact || i > 0 || block->dim == 3};
            for (int p = 0; p < PARTS; p++) {
                s->alone[p][row] = p == TANGENTIAL && contact && i == 0;
                s->map[p][row] = kept[p] ? s->rows[p] : -1;
                if (kept[p])
                    s->source[p][s->rows[p]++] = row;
            }
        }
    }
}

static perp_status take_split(perp_outer *outer, perp_work *work)
{
    perp_arena *arena = work->arena;
    size_t n = (size_t)work->blocks.n;
    split *s = perp_arena_take_zero(arena, 1, sizeof *s);
    if (!s)
        return PERP_ERR_MEMORY;
    outer->own = s;
    for (int p = 0; p < PARTS; p++) {
        s->source[p] = PERP_TAKE(arena, int, n);
        s->map[p] = PERP_TAKE(arena, int, n);
        s->alone[p] = PERP_TAKE(arena, unsigned char, n);
    }
    s->low = perp_arena_take_zero(arena, (size_t)outer->contacts, sizeof(double));
    s->frozen = PERP_TAKE(arena, double, n);
    s->force = PERP_TAKE(arena, double, n);
    s->next = PERP_TAKE(arena, double, n);
    if (arena->failed)
        return PERP_ERR_MEMORY;
    list_rows(s, &work->blocks);
    return PERP_SOLVED;
}

static void fill_segments(perp_outer *outer, const perp_problem *problem)
{
    const split *s = outer->own;
    int contact = 0;
    for (int k = 0; k < problem->nseg; k++) {
        const perp_segment *seg = &problem->seg[k];
        const double *bound = outer->bound + contact, *low = s->low + contact;
        perp_segment normal = {PERP_NONNEG, 1, seg->count, {NULL, NULL}, {0, 0}};
        perp_segment disk = {PERP_TRESCA, 3, seg->count, {bound, NULL}, {1, 0}};
        perp_segment box = {PERP_BOX, 1, seg->count, {low, bound}, {1, 1}};
        int is_contact = seg->set == PERP_COULOMB;
        outer->inner[NORMAL].seg[k] = is_contact ? normal : *seg;
        outer->inner[TANGENTIAL].seg[k] = !is_contact ? *seg : seg->dim == 3 ? disk : box;
        contact += is_contact ? seg->count : 0;
    }
}

/* The segments and the parts of M as they are now. */
static void fill(perp_outer *outer, const perp_work *work)
{
    split *s = outer->own;
    const perp_problem *problem = work->problem;
    fill_segments(outer, problem);
    for (int p = 0; p < PARTS; p++) {
        perp_inner *inner = &outer->inner[p];
        inner->problem.nseg = problem->nseg;
        inner->problem.M = s->part[p].mat;
        for (int i = 0; i < s->rows[p]; i++)
            inner->q[i] = problem->q[s->source[p][i]];
    }
}

/* q + M frozen, where the part has its rows, and the start. */
static perp_status freeze(perp_outer *outer, perp_work *work, int p)
{
    const split *s = outer->own;
    const perp_problem *problem = work->problem;
    perp_inner *inner = &outer->inner[p];
    perp_status status = perp_mat_apply(&problem->M, s->frozen, work->scratch, s->force);
    if (status != PERP_SOLVED) {
        work->monitor.verdict = status;
        return status;
    }
    for (int i = 0; i < s->rows[p]; i++) {
        int row = s->source[p][i];
        inner->q[i] = problem->q[row] + s->force[row];
        inner->z[i] = s->alone[p][row] ? 0.0 : s->next[row];
    }
    for (int i = 0; p == TANGENTIAL && i < s->rows[p]; i++)
        if (s->alone[p][s->source[p][i]])
            inner->q[i] = fmax(hypot(inner->q[i + 1], inner->q[i + 2]), DBL_MIN);
    return PERP_SOLVED;
}

/* Both measures of the part are relative to its own numbers, those of the whole to all of them.
 * By how much tol may be larger for that. */
static double relief(const perp_outer *outer, const perp_work *work, int p)
{
    const split *s = outer->own;
    const double *q = outer->inner[p].q, *z = outer->inner[p].z, *d = work->scaling.d;
    double sum[2][4] = {{0.0}, {0.0}};
    for (int k = 0; k < work->blocks.count; k++) {
        const perp_block *block = &work->blocks.at[k];
        double unit = d ? d[k] : 1.0;
        for (int row = block->row; row < block->row + block->dim; row++) {
            int i = s->map[p][row];
            double here[2] = {work->problem->q[row], s->next[row]};
            double there[2] = {i < 0 ? 0.0 : q[i], i < 0 ? 0.0 : z[i]};
            for (int c = 0; c < 2; c++) {
                double scale = c == 0 ? 1.0 / unit : unit;
                sum[0][c] += here[c] * here[c];
                sum[1][c] += there[c] * there[c];
                sum[0][2 + c] += scale * scale * here[c] * here[c];
                sum[1][2 + c] += scale * scale * there[c] * there[c];
            }
        }
    }
    double natural = fmax(sum[0][0], sum[0][1]) / fmax(sum[1][0], sum[1][1]);
    double scaled = fmax(sum[0][2], sum[0][3]) / fmax(sum[1][2], sum[1][3]);
    return sqrt(fmin(fmax(fmin(natural, scaled), 1.0), 1e12));
}

static perp_status solve_part(perp_outer *outer, perp_work *work, int p, int iteration,
                              double error, double tol)
{
    const split *s = outer->own;
    perp_inner *inner = &outer->inner[p];
    perp_status status = freeze(outer, work, p);
    if (status != PERP_SOLVED)
        return status;
    tol *= relief(outer, work, p);
    status = perp_inner_solve(inner, work, iteration, error, tol);
    outer->sweeps += inner->info.iterations;
    for (int i = 0; status >= 0 && i < s->rows[p]; i++)
        if (!s->alone[p][s->source[p][i]])
            s->next[s->source[p][i]] = inner->z[i];
    return status;
}

static void freeze_tangents(const perp_outer *outer, const perp_work *work)
{
    const split *s = outer->own;
    const double *x = outer->x;
    memset(s->frozen, 0, (size_t)work->blocks.n * sizeof(double));
    for (int k = 0; k < outer->contacts; k++) {
        const perp_block *block = &work->blocks.at[outer->contact[k]];
        for (int i = 1; i < block->dim; i++)
            s->frozen[block->row + i] = *x++;
    }
}

static void freeze_normals(const perp_outer *outer, const perp_work *work)
{
    const split *s = outer->own;
    memset(s->frozen, 0, (size_t)work->blocks.n * sizeof(double));
    for (int k = 0; k < outer->contacts; k++) {
        const perp_block *block = &work->blocks.at[outer->contact[k]];
        double normal = fmax(s->next[block->row], 0.0);
        s->next[block->row] = s->frozen[block->row] = normal;
        outer->bound[k] = block->par[0] * normal;
        s->low[k] = -outer->bound[k];
    }
}

static perp_status normal_then_tangential(perp_outer *outer, perp_work *work, int iteration, double error,
                            double tol)
{
    const split *s = outer->own;
    size_t bytes = (size_t)work->blocks.n * sizeof(double);
    memcpy(s->next, work->z, bytes);
    freeze_tangents(outer, work);
    perp_status status = solve_part(outer, work, NORMAL, iteration, error, tol), second = status;
    if (status >= 0 && work->monitor.verdict == PERP_SOLVED && outer->contacts > 0) {
        freeze_normals(outer, work);
        second = solve_part(outer, work, TANGENTIAL, iteration, error, tol);
        status = second < 0 || status == PERP_SOLVED ? second : status;
    }
    if (status >= 0 && work->monitor.verdict == PERP_SOLVED)
        memcpy(work->z, s->next, bytes);
    return status;
}

static void tangents(double *f, const perp_outer *outer, const perp_work *work)
{
    for (int k = 0; k < outer->contacts; k++) {
        const perp_block *block = &work->blocks.at[outer->contact[k]];
        for (int i = 1; i < block->dim; i++)
            *f++ = work->z[block->row + i];
    }
}

static const perp_outer_method method = {.solve = normal_then_tangential, .image = tangents};

perp_status perp_split_forces_setup(perp_work *work)
{
    perp_outer *outer = perp_outer_take(work, &method, PARTS);
    perp_status status = outer ? take_split(outer, work) : PERP_ERR_MEMORY;
    for (int p = 0; p < PARTS && status == PERP_SOLVED; p++) {
        split *s = outer->own;
        status = perp_select_take(&s->part[p], &work->problem->M, s->rows[p], s->source[p],
                                  s->map[p], s->alone[p], work->arena);
        if (status == PERP_SOLVED)
            status =
                perp_inner_take(&outer->inner[p], s->rows[p], work->problem->nseg, work->arena);
    }
    if (status != PERP_SOLVED)
        return status;
    fill(outer, work);
    return perp_outer_setup(outer, work);
}

perp_status perp_split_forces_update(perp_work *work)
{
    perp_outer *outer = work->state;
    split *s = outer->own;
    perp_status status = PERP_SOLVED;
    for (int p = 0; p < PARTS && status == PERP_SOLVED; p++)
        status = perp_select_load(&s->part[p], &work->problem->M);
    if (status == PERP_SOLVED)
        fill(outer, work);
    for (int p = 0; p < PARTS && status == PERP_SOLVED; p++)
        status = perp_inner_update(&outer->inner[p]);
    return status;
}
