/* SPDX-License-Identifier: BSD-3-Clause */
/* Products through the stages of a step, forwards and backwards, for all directions at once. */
#include <math.h>
#include <string.h>

#include "kernel/derivative/linear.h"
#include "kernel/derivative/product.h"
#include "kernel/derivative/stage_system.h"

/* What of a move off an edge is none: rounding, and what differences leave. */
static const double ROUNDING = 1e-12, DIFFERENCES = 1e-6;
/* Of the largest move of a multiplier, and of the terms of a rate. */
static const double STILL = 1e-10;

/* Registers, numbers and kept multipliers of each direction. */
typedef struct bench {
    perp_tape *tape;
    const perp_tape_stages *stages;
    const perp_tape_bundle *bundle;
    double *block;
    size_t dofs, each; /* each: doubles of a direction */
    int backward;
} bench;

static double *reg(const bench *b, int c, int k)
{
    return b->block + (size_t)c * b->each + (size_t)k * b->dofs;
}

static double *times(const bench *b, int c)
{
    return reg(b, c, PERP_REG_COUNT);
}

static double *kept(const bench *b, int c)
{
    return times(b, c) + b->stages->times;
}

static int open_bench(bench *b, perp_tape *tape, const perp_tape_step *node,
                      const perp_tape_bundle *bundle)
{
    *b = (bench){.tape = tape, .stages = node->stages, .bundle = bundle};
    b->dofs = (size_t)tape->dofs;
    b->each = PERP_REG_COUNT * b->dofs + (size_t)(node->stages->times + node->stages->kept_rows);
    b->block =
        perp_pool_take_array(&tape->pool, b->each * (size_t)bundle->count + 1, sizeof *b->block);
    return b->block != NULL;
}

static void raise_status(const perp_tape_bundle *bundle, int c, perp_status status)
{
    if (status > bundle->each[c])
        bundle->each[c] = status;
}

static double row_forward(const bench *b, int c, const perp_tape_row *row)
{
    double sum = 0.0;
    for (int k = 0; k < PERP_REG_COUNT; k++) {
        int at = 0;
        for (int m = 0; row->of[k] && m < row->nsystems; m++) {
            const perp_tape_system *s = &b->tape->systems[row->system[m]];
            const double *x = reg(b, c, k) + s->at;
            for (int i = 0; i < s->nv; i++, at++)
                sum += row->of[k][at] * x[i];
        }
    }
    return sum;
}

static void row_backward(const bench *b, int c, const perp_tape_row *row, double bar)
{
    for (int k = 0; k < PERP_REG_COUNT; k++) {
        int at = 0;
        for (int m = 0; row->of[k] && m < row->nsystems; m++) {
            const perp_tape_system *s = &b->tape->systems[row->system[m]];
            double *x = reg(b, c, k) + s->at;
            for (int i = 0; i < s->nv; i++, at++)
                x[i] += row->of[k][at] * bar;
        }
    }
}

static void time_stage(const bench *b, int c, const perp_tape_time_stage *t)
{
    double *number = times(b, c);
    if (!b->backward) {
        number[t->number] = row_forward(b, c, &t->row);
        if (t->earlier >= 0)
            number[t->number] += t->share * number[t->earlier];
        return;
    }
    double bar = number[t->number];
    row_backward(b, c, &t->row, bar);
    number[t->number] = 0.0;
    if (t->earlier >= 0)
        number[t->earlier] += t->share * bar;
}

static double most_of(const double *x, size_t n)
{
    double most = 0.0;
    for (size_t i = 0; i < n; i++)
        most = fabs(x[i]) > most ? fabs(x[i]) : most;
    return most;
}

/* What a row would be if its systems moved as much as the one that moves most. */
static double size_of_row(const bench *b, int c, const perp_tape_row *row)
{
    double sum = 0.0;
    for (int k = 0; k < PERP_REG_COUNT; k++) {
        double weight = 0.0;
        for (int j = 0; row->of[k] && j < row->nv; j++)
            weight += fabs(row->of[k][j]);
        if (row->of[k])
            sum += weight * most_of(reg(b, c, k), b->dofs);
    }
    return sum;
}

static void edge_stage(const bench *b, int c, const perp_tape_row *row)
{
    double none = fmax(row->none, b->tape->info.differences ? DIFFERENCES : ROUNDING);
    if (b->backward) {
        raise_status(b->bundle, c, row->unknown ? PERP_NOT_DIFFERENTIABLE : PERP_ONE_SIDED);
        return;
    }
    /* A move of the state by as much as counts as none leads over it. */
    double moves = fabs(row_forward(b, c, row)), size = size_of_row(b, c, row);
    if (moves > none * size && (row->unknown || fabs(row->value) * size <= row->zero * moves))
        raise_status(b->bundle, c, PERP_NOT_DIFFERENTIABLE);
}

/* to += scale T from, or its transpose, for one system. */
static void add_source(double *to, const double *from, const perp_tape_source *source, int k,
                       int nv, int back)
{
    const double *T = source->turns ? source->turns[k] : NULL;
    double scale = source->scale * (source->each ? source->each[k] : 1.0);
    if (scale == 0.0)
        return;
    if (back)
        perp_tape_add_turned_back(to, T, nv, from, scale);
    else
        perp_tape_add_turned(to, T, nv, from, scale);
}

/* The sources of a move are other registers than the one it goes to. */
static void move_stage(const bench *b, int c, const perp_tape_move_stage *move)
{
    for (int k = 0; k < b->tape->nsystems; k++) {
        const perp_tape_system *s = &b->tape->systems[k];
        double *x = reg(b, c, move->reg) + s->at, keep = move->keep ? move->keep[k] : 0.0;
        int number = move->time ? move->time[k] : -1;
        for (int m = 0; b->backward && m < move->count; m++)
            add_source(reg(b, c, move->source[m].reg) + s->at, x, &move->source[m], k, s->nv, 1);
        for (int i = 0; b->backward && number >= 0 && i < s->nv; i++)
            times(b, c)[number] += move->by_time[s->at + i] * x[i];
        for (int i = 0; i < s->nv; i++)
            x[i] *= keep;
        for (int m = 0; !b->backward && m < move->count; m++)
            add_source(x, reg(b, c, move->source[m].reg) + s->at, &move->source[m], k, s->nv, 0);
        for (int i = 0; !b->backward && number >= 0 && i < s->nv; i++)
            x[i] += move->by_time[s->at + i] * times(b, c)[number];
    }
}

static void parts_forward(const bench *b, int c, const perp_tape_solve_stage *solve)
{
    perp_tape_stage_system *s = b->tape->stage_system;
    double *in = s->gather[0], *out = s->gather[1];
    for (const perp_tape_part *p = solve->parts; p; p = p->next) {
        double *beta = s->beta + p->first;
        memset(out, 0, sizeof(double) * (size_t)p->nv);
        for (const perp_tape_from *f = p->from; f; f = f->next) {
            perp_tape_gather(in, b->tape, p->system, p->nsystems, reg(b, c, f->reg));
            perp_tape_add(out, f->rho, p->nv, p->nv, in, 1.0);
            perp_tape_add(beta, f->beta, p->rows, p->nv, in, 1.0);
            perp_tape_add_sizes(s->size + p->first, f->beta, p->rows, p->nv, in);
        }
        for (const perp_tape_by *t = p->by; t; t = t->next) {
            perp_tape_add(out, t->rho, p->nv, 1, times(b, c) + t->time, 1.0);
            perp_tape_add(beta, t->beta, p->rows, 1, times(b, c) + t->time, 1.0);
        }
        perp_tape_add_transposed(out, p->kept, p->kept_rows, p->nv, kept(b, c) + p->kept_first,
                                 1.0);
        perp_tape_add_transposed(s->dpar[0] + p->block, p->bound, p->kept_rows, p->blocks,
                                 kept(b, c) + p->kept_first, 1.0);
        perp_tape_scatter(s->rho, b->tape, p->system, p->nsystems, out);
    }
}

static void parts_backward(const bench *b, int c, const perp_tape_solve_stage *solve)
{
    perp_tape_stage_system *s = b->tape->stage_system;
    double *rho = s->gather[0], *out = s->gather[1];
    for (const perp_tape_part *p = solve->parts; p; p = p->next) {
        const double *beta = s->beta + p->first;
        perp_tape_gather(rho, b->tape, p->system, p->nsystems, s->rho);
        for (const perp_tape_from *f = p->from; f; f = f->next) {
            memset(out, 0, sizeof(double) * (size_t)p->nv);
            perp_tape_add_transposed(out, f->rho, p->nv, p->nv, rho, 1.0);
            perp_tape_add_transposed(out, f->beta, p->rows, p->nv, beta, 1.0);
            perp_tape_scatter(reg(b, c, f->reg), b->tape, p->system, p->nsystems, out);
        }
        for (const perp_tape_by *t = p->by; t; t = t->next) {
            perp_tape_add_transposed(times(b, c) + t->time, t->rho, p->nv, 1, rho, 1.0);
            perp_tape_add_transposed(times(b, c) + t->time, t->beta, p->rows, 1, beta, 1.0);
        }
        perp_tape_add(kept(b, c) + p->kept_first, p->kept, p->kept_rows, p->nv, rho, 1.0);
        perp_tape_add(kept(b, c) + p->kept_first, p->bound, p->kept_rows, p->blocks,
                      s->dpar[0] + p->block, 1.0);
    }
}

static double *target_of(perp_tape_stage_system *s, int target, int at)
{
    double *arrays[] = {s->rho, s->beta, s->dpar[0], s->dpar[1], s->dpar[2]};
    return arrays[target] + at;
}

static void clear(perp_tape_stage_system *s)
{
    size_t rows = sizeof(double) * (size_t)(s->rows + 1), dofs = sizeof(double) * (size_t)s->dofs;
    memset(s->beta, 0, rows);
    memset(s->size, 0, rows);
    for (int p = 0; p < PERP_PARAMETERS; p++)
        memset(s->dpar[p], 0, rows);
    memset(s->rho, 0, dofs);
}

static void from_rest(double *to, const double *x, const int *at, int count)
{
    for (int i = 0; i < count; i++)
        to[at[i]] = x[i];
}

static void to_rest(double *to, const double *x, const int *at, int count)
{
    for (int i = 0; i < count; i++)
        to[i] = x[at[i]];
}

/* Rows of the equalities that were eliminated with W, one behind the other: to = scale x, or back.
 */
static void to_equalities(double *to, const double *x, const perp_tape_stage_system *s,
                          const perp_tape_solve_stage *solve, double scale)
{
    for (const perp_tape_part *p = solve->parts; p && s->equalities > 0; p = p->next)
        for (int i = 0; i < p->rows && perp_tape_stage_eliminates(s, p); i++)
            *to++ = scale * x[p->first + i];
}

static void from_equalities(double *to, const double *x, const perp_tape_stage_system *s,
                            const perp_tape_solve_stage *solve, double scale)
{
    for (const perp_tape_part *p = solve->parts; p && s->equalities > 0; p = p->next)
        for (int i = 0; i < p->rows && perp_tape_stage_eliminates(s, p); i++)
            to[p->first + i] = scale * *x++;
}

/* What is nothing but rounding of the terms of a row becomes 0, see change_of_q() of products.c. */
static void drop_rounding(perp_tape_stage_system *s)
{
    static const double rounding = 1e-14;
    for (int i = 0; i < s->rest; i++) {
        int j = s->rest_row[i];
        if (!(fabs(s->beta[j]) > rounding * s->size[j]))
            s->beta[j] = 0.0;
    }
}

static void add_moved(double *moved, const double *A, int rows, int nv, double most)
{
    for (int j = 0; A && j < nv; j++)
        for (int i = 0; i < rows; i++)
            moved[i] += fabs(A[(size_t)i + (size_t)j * (size_t)rows]) * most;
}

/* s->moved: what the rates of a part would be if all of its systems moved as much as what of them
 * moves most.  The terms of a row do not tell what is rounding in it: the normal motion of a sphere
 * that rolls over a floor is rounding of its other motion.  s->part: W^-1 rho. */
static void sizes_of_moves(const bench *b, int c, const perp_tape_solve_stage *solve)
{
    perp_tape_stage_system *s = b->tape->stage_system;
    double *in = s->gather[0];
    memset(s->moved, 0, sizeof(double) * (size_t)s->rows);
    for (const perp_tape_part *p = solve->parts; p; p = p->next) {
        double *moved = s->moved + p->first;
        for (const perp_tape_from *f = p->from; f; f = f->next) {
            perp_tape_gather(in, b->tape, p->system, p->nsystems, reg(b, c, f->reg));
            add_moved(moved, f->beta, p->rows, p->nv, most_of(in, (size_t)p->nv));
        }
        for (const perp_tape_by *t = p->by; t; t = t->next)
            add_moved(moved, t->beta, p->rows, 1, fabs(times(b, c)[t->time]));
        perp_tape_gather(in, b->tape, p->system, p->nsystems, s->part);
        add_moved(moved, p->N, p->rows, p->nv, most_of(in, (size_t)p->nv));
    }
}

/* Where nothing of a kink moves, both sides have the same derivative. */
static int kinks_stay(const bench *b, int c, const perp_tape_solve_stage *solve)
{
    perp_tape_stage_system *s = b->tape->stage_system;
    if (perp_derivative_rows(s->derivative, s->flags) != PERP_SOLVED)
        return 0;
    sizes_of_moves(b, c, solve);
    for (int i = 0; i < s->rest; i++)
        if (s->flags[i] & PERP_ROW_KINK &&
            fabs(s->rest_w[i]) + s->diagonal[i] * fabs(s->rest_z[i]) >
                STILL * s->moved[s->rest_row[i]])
            return 0;
    return 1;
}

static perp_tangent rest_tangent(perp_tape_stage_system *s)
{
    to_rest(s->rest_q, s->beta, s->rest_row, s->rest);
    for (int p = 0; p < PERP_PARAMETERS; p++)
        to_rest(s->rest_par[p], s->dpar[p], s->rest_block, s->blocks);
    return (perp_tangent){.size = sizeof(perp_tangent),
                          .q = s->rest_q,
                          .par = {s->rest_par[0], s->rest_par[1], s->rest_par[2]}};
}

/* The cotangent of z of the rest becomes those of beta and the parameters. */
static perp_status rest_backward(perp_tape_stage_system *s)
{
    perp_gradient of = {
        .size = sizeof of, .q = s->rest_q, .par = {s->rest_par[0], s->rest_par[1], s->rest_par[2]}};
    to_rest(s->rest_z, s->dz, s->rest_row, s->rest);
    perp_status status = perp_derivative_vjp(s->derivative, 1, s->rest_z, NULL, &of);
    from_rest(s->beta, s->rest_q, s->rest_row, s->rest);
    for (int p = 0; p < PERP_PARAMETERS; p++)
        from_rest(s->dpar[p], s->rest_par[p], s->rest_block, s->blocks);
    return status;
}

static perp_status solve_forward(const bench *b, int c, const perp_tape_solve_stage *solve)
{
    perp_tape_stage_system *s = b->tape->stage_system;
    const perp_tape_bundle *bundle = b->bundle;
    perp_status status = PERP_SOLVED;
    clear(s);
    parts_forward(b, c, solve);
    const double *parameters =
        bundle->parameters ? bundle->parameters + (size_t)c * (size_t)b->tape->nparameters : NULL;
    for (const perp_tape_term *t = parameters ? solve->terms : NULL; t; t = t->next)
        *target_of(s, t->target, t->at) += t->value * parameters[t->parameter];
    const double *forces =
        bundle->forces ? bundle->forces + (size_t)c * bundle->forces_stride : NULL;
    for (size_t i = 0; forces && solve->forces != 0.0 && i < b->dofs; i++)
        s->rho[i] += solve->forces * forces[i];
    to_equalities(s->rho + b->dofs, s->beta, s, solve, -1.0);
    if (s->rest > 0) {
        memcpy(s->part, s->rho, sizeof(double) * (b->dofs + (size_t)s->equalities));
        perp_tape_stage_solve(s, s->part);
        perp_tape_stage_add_N(s->beta, s->size, b->tape, solve, s->part, 0);
        drop_rounding(s);
        perp_tangent along = rest_tangent(s);
        status = perp_derivative_jvp(s->derivative, 1, &along, s->rest_z, s->rest_w, NULL);
        if (status < 0)
            return status;
        if (status != PERP_ONE_SIDED || !kinks_stay(b, c, solve))
            raise_status(bundle, c, status);
        from_rest(s->dz, s->rest_z, s->rest_row, s->rest);
        perp_tape_stage_add_G(s->rho, b->tape, solve, s->dz, 0);
    }
    perp_tape_stage_solve(s, s->rho);
    memcpy(reg(b, c, PERP_REG_Y), s->rho, sizeof(double) * b->dofs);
    if (solve->keeps) {
        from_equalities(s->dz, s->rho + b->dofs, s, solve, 1.0);
        memcpy(kept(b, c), s->dz, sizeof(double) * (size_t)s->rows);
    }
    return status;
}

/* The cotangent of y, and of what was kept, become those of all that goes in. */
static perp_status solve_backward(const bench *b, int c, const perp_tape_solve_stage *solve)
{
    perp_tape_stage_system *s = b->tape->stage_system;
    const perp_tape_bundle *bundle = b->bundle;
    perp_status status = PERP_SOLVED;
    size_t dofs = sizeof(double) * b->dofs, rows = sizeof(double) * (size_t)s->rows;
    size_t unknowns = b->dofs + (size_t)s->equalities;
    double *y = reg(b, c, PERP_REG_Y);
    clear(s);
    memset(s->dz, 0, rows);
    if (solve->keeps) {
        memcpy(s->dz, kept(b, c), rows);
        memset(kept(b, c), 0, rows);
    }
    memcpy(s->rho, y, dofs);
    memset(y, 0, dofs);
    to_equalities(s->rho + b->dofs, s->dz, s, solve, 1.0);
    perp_tape_stage_solve_transposed(s, s->rho);
    if (s->rest > 0) {
        perp_tape_stage_add_N(s->dz, NULL, b->tape, solve, s->rho, 1);
        status = rest_backward(s);
        if (status < 0)
            return status;
        raise_status(bundle, c, status);
        memset(s->part, 0, sizeof(double) * unknowns);
        perp_tape_stage_add_G(s->part, b->tape, solve, s->beta, 1);
        perp_tape_stage_solve_transposed(s, s->part);
        for (size_t i = 0; i < unknowns; i++)
            s->rho[i] += s->part[i];
    }
    from_equalities(s->beta, s->rho + b->dofs, s, solve, -1.0);
    double *parameters = bundle->parameters_bar
                             ? bundle->parameters_bar + (size_t)c * (size_t)b->tape->nparameters
                             : NULL;
    for (const perp_tape_term *t = parameters ? solve->terms : NULL; t; t = t->next)
        parameters[t->parameter] += t->value * *target_of(s, t->target, t->at);
    double *forces =
        bundle->forces_bar ? bundle->forces_bar + (size_t)c * bundle->forces_stride : NULL;
    for (size_t i = 0; forces && i < b->dofs; i++)
        forces[i] += solve->forces * s->rho[i];
    parts_backward(b, c, solve);
    return status;
}

static perp_status make_stage(const bench *b, perp_tape_stage *stage)
{
    perp_status status = PERP_SOLVED;
    if (stage->kind == PERP_STAGE_SOLVE)
        status = perp_tape_stage_set(b->tape, &stage->as.solve);
    for (int c = 0; c < b->bundle->count && status >= 0; c++) {
        if (stage->kind == PERP_STAGE_TIME)
            time_stage(b, c, &stage->as.time);
        else if (stage->kind == PERP_STAGE_MOVE)
            move_stage(b, c, &stage->as.move);
        else if (stage->kind == PERP_STAGE_EDGE)
            edge_stage(b, c, &stage->as.edge);
        else
            status = b->backward ? solve_backward(b, c, &stage->as.solve)
                                 : solve_forward(b, c, &stage->as.solve);
    }
    return status < 0 ? status : PERP_SOLVED;
}

perp_status perp_tape_stages_forward(perp_tape *tape, perp_tape_step *node,
                                     const perp_tape_bundle *bundle)
{
    bench b;
    perp_status status = open_bench(&b, tape, node, bundle) ? PERP_SOLVED : PERP_ERR_MEMORY;
    size_t dofs = sizeof(double) * (size_t)tape->dofs;
    for (int c = 0; c < bundle->count && status == PERP_SOLVED; c++) {
        memcpy(reg(&b, c, PERP_REG_Q), bundle->q[c], dofs);
        memcpy(reg(&b, c, PERP_REG_START), bundle->v[c], dofs);
        memcpy(reg(&b, c, PERP_REG_V), bundle->v[c], dofs);
    }
    for (perp_tape_stage *s = node->stages->first; s && status == PERP_SOLVED; s = s->next)
        status = make_stage(&b, s);
    for (int c = 0; c < bundle->count && status == PERP_SOLVED; c++) {
        memcpy(bundle->q[c], reg(&b, c, PERP_REG_END_Q), dofs);
        memcpy(bundle->v[c], reg(&b, c, PERP_REG_END_V), dofs);
    }
    perp_pool_give(&tape->pool, b.block);
    return status;
}

perp_status perp_tape_stages_backward(perp_tape *tape, perp_tape_step *node,
                                      const perp_tape_bundle *bundle)
{
    bench b;
    perp_status status = open_bench(&b, tape, node, bundle) ? PERP_SOLVED : PERP_ERR_MEMORY;
    size_t dofs = sizeof(double) * (size_t)tape->dofs;
    b.backward = 1;
    for (int c = 0; c < bundle->count && status == PERP_SOLVED; c++) {
        memcpy(reg(&b, c, PERP_REG_END_Q), bundle->q[c], dofs);
        memcpy(reg(&b, c, PERP_REG_END_V), bundle->v[c], dofs);
        if (bundle->forces_bar)
            memset(bundle->forces_bar + (size_t)c * bundle->forces_stride, 0, dofs);
    }
    for (perp_tape_stage *s = node->stages->last; s && status == PERP_SOLVED; s = s->before)
        status = make_stage(&b, s);
    for (int c = 0; c < bundle->count && status == PERP_SOLVED; c++) {
        const double *start = reg(&b, c, PERP_REG_START), *v = reg(&b, c, PERP_REG_V);
        memcpy(bundle->q[c], reg(&b, c, PERP_REG_Q), dofs);
        for (size_t i = 0; i < b.dofs; i++)
            bundle->v[c][i] = start[i] + v[i];
    }
    perp_pool_give(&tape->pool, b.block);
    return status;
}
