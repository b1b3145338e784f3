/* SPDX-License-Identifier: BSD-3-Clause */
/* Corrections of positions, min |d|_M^2/2 with H d + y >= keep min(0, y_0) and H d + g = keep g_0,
 * differentiated: each pass is a problem with the Jacobians of its configuration.  Passes may leave
 * a part of what they correct to the next one; all of them move along M^-1 H' of the same rows, so
 * that it does not matter which pass does how much, and each counts as if it left nothing.  That
 * does not hold of rows that a solve which ended early has pushed apart: no later pass takes it
 * back, and where their gap moves along a direction the step has no derivative that is known. */
#include <math.h>
#include <string.h>

#include "kernel/derivative/stage_build.h"
#include "kernel/integrators/projection_matrix.h"
#include "kernel/step/stepper.h"

/* What overlap_stage.c keeps of a violation at the start. */
static const double KEEP = 0.3;

/* A gap that a correction has closed moves next to nothing; where it is at 0 the two forms differ
 * by KEEP of its move, which is below 1e-7 of the direction. */
static const double STAYS = 3e-7;

/* Of the move of its systems along a row: a gap that a push leaves.  Of the gap that its multiplier
 * alone makes: rounding of solves, where others take all of that back. */
static const double APART = 1e-6, ROUNDING = 1e-11;

/* One row of a relation; left: its gap after the pass, by the linear problem. */
typedef struct row {
    perp_link *link;
    int component, free;
    double z, w, left;
} row;

/* Arrays of the link whose rows come now. */
typedef struct desk {
    perp_link *link;
    double *block, *x, *G, *drift, *H, *H0, *work;
} desk;

static perp_status open_link(desk *d, perp_tape *tape, const perp_step *step, perp_link *link)
{
    size_t N = (size_t)link->N, nv = (size_t)link->nv, m = (size_t)link->rows * nv;
    if (d->link == link)
        return PERP_SOLVED;
    perp_pool_give(&tape->pool, d->block);
    size_t numbers = N + m * nv + 3 * m + perp_tape_turn_numbers(tape, link) + nv;
    d->link = link;
    d->block = perp_pool_take_array(&tape->pool, numbers + 1, sizeof(double));
    if (!d->block)
        return PERP_ERR_MEMORY;
    d->x = d->block;
    d->G = d->x + N;
    d->drift = d->G + m * nv;
    d->H = d->drift + m;
    d->H0 = d->H + m;
    d->work = d->H0 + m;
    perp_tape_gather_q(d->x, link, PERP_START);
    if (perp_link_jacobian(d->H0, link, step->t, d->x, link->lambda))
        return PERP_INTERRUPTED;
    perp_tape_gather_q(d->x, link, PERP_NOW);
    if (perp_link_jacobian(d->H, link, step->t_end, d->x, link->lambda))
        return PERP_INTERRUPTED;
    return perp_tape_turn_at(tape, link, step->t_end, d->x, d->G, d->drift, d->work);
}

static void copy_row(double *to, const double *H, const perp_link *link, int i, double scale)
{
    for (int j = 0; j < link->nv; j++)
        to[j] = scale * H[i + j * link->rows];
}

/* What of a length counts as none. */
static double small(const perp_tape *tape, const perp_link *link)
{
    double largest = 0.0;
    for (int k = 0; k < link->nsystems; k++)
        for (int j = 0; j < (link->systems[k]->kind == PERP_SYSTEM_BODY ? 3 : link->systems[k]->nq);
             j++)
            largest = fmax(largest, fabs(link->systems[k]->q[PERP_START][j]));
    return tape->settings.kink * largest;
}

/* Where this row over a register moves.  NULL: no memory. */
static perp_tape_row *add_edge(perp_tape *tape, const perp_link *link, const int *place, int reg,
                               const double *by)
{
    perp_tape_stage *stage = by ? perp_tape_add_stage(tape, PERP_STAGE_EDGE) : NULL;
    if (!stage)
        return NULL;
    stage->as.edge = (perp_tape_row){.nsystems = link->nsystems, .nv = link->nv, .system = place};
    stage->as.edge.of[reg] = by;
    return &stage->as.edge;
}

/* The gap that the multiplier of a row makes if nothing else pushes. */
static double own_gap(desk *d, const row *r)
{
    const perp_link *link = r->link;
    double sum = 0.0;
    for (int k = 0, at = 0; k < link->nsystems; at += link->systems[k++]->nv) {
        int nv = link->systems[k]->nv;
        for (int j = 0; j < nv; j++)
            d->work[j] = d->H[r->component + (at + j) * link->rows];
        perp_system_solve(link->systems[k], d->work, 1);
        for (int j = 0; j < nv; j++)
            sum += d->H[r->component + (at + j) * link->rows] * d->work[j];
    }
    return sum * r->z;
}

/* Another form begins where the gap at the start is 0, of which a part may stay. */
static int edges(perp_tape *tape, desk *d, const row *r, const int *place, const double *beta,
                 const double *moved)
{
    const perp_link *link = r->link;
    double start = link->y_start[r->component], move = 0.0;
    if (r->free || !(r->z > 0.0))
        return 1;
    if (fabs(start) <= small(tape, link)) {
        double *by_q = perp_tape_zeros(tape, 1, link->nv);
        if (by_q)
            copy_row(by_q, d->H0, link, r->component, 1.0);
        perp_tape_row *edge = add_edge(tape, link, place, PERP_REG_Q, by_q);
        if (!edge)
            return 0;
        edge->value = start;
        edge->zero = small(tape, link);
        edge->none = STAYS;
    }
    for (int k = 0, at = 0; k < link->nsystems; k++)
        for (int j = 0; j < link->systems[k]->nv; j++, at++)
            move +=
                fabs(d->H[r->component + at * link->rows] * moved[tape->systems[place[k]].at + j]);
    if (!(r->left > APART * move + ROUNDING * own_gap(d, r)))
        return 1;
    perp_tape_row *edge = add_edge(tape, link, place, PERP_REG_END_Q, beta);
    if (edge)
        edge->unknown = 1;
    return edge != NULL;
}

static perp_status follow_row(perp_tape *tape, perp_step *step, perp_tape_solve_stage *solve,
                              desk *d, const row *r, const double *moved)
{
    perp_link *link = r->link;
    size_t n = (size_t)link->nv, m = (size_t)link->rows, i = (size_t)r->component;
    perp_status status = open_link(d, tape, step, link);
    static const perp_law gap = {.size = sizeof gap, .kind = PERP_LAW_IMPACT, .dim = 1};
    const int *place = perp_tape_places(tape, link);
    perp_tape_part *part =
        place ? perp_tape_add_part(tape, solve, place, link->nsystems, link->nv) : NULL;
    double *H = perp_tape_zeros(tape, 1, link->nv),
           *rho = perp_tape_zeros(tape, link->nv, link->nv);
    double *beta = perp_tape_zeros(tape, 1, link->nv), *start = perp_tape_zeros(tape, 1, link->nv);
    if (!part || !H || !rho || !beta || !start)
        return PERP_ERR_MEMORY;
    if (status != PERP_SOLVED)
        return status;
    copy_row(H, d->H, link, r->component, 1.0);
    copy_row(beta, d->H, link, r->component, 1.0);
    int at = 0;
    for (int k = 0; k < link->nsystems; k++) {
        const double *by = moved + tape->systems[place[k]].at;
        for (int j = 0; j < link->systems[k]->nv; j++, at++)
            for (size_t l = 0; l < n; l++) {
                double turn = d->G[i + ((size_t)at + l * n) * m];
                beta[l] += turn * by[j];
                rho[(size_t)at + l * n] = turn * r->z;
            }
    }
    int keeps = r->free || link->y_start[r->component] < 0.0;
    copy_row(start, d->H0, link, r->component, keeps ? -KEEP : 0.0);
    part->G = part->N = H;
    int fine = r->free ? perp_tape_set_equalities(tape, solve, part, 1, &r->z)
                       : perp_tape_set_rows(tape, solve, part, &gap, 1, &r->z, &r->w, 1.0);
    fine = fine && perp_tape_add_from(tape, part, PERP_REG_END_Q, rho, beta) &&
           perp_tape_add_from(tape, part, PERP_REG_Q, NULL, keeps ? start : NULL) &&
           edges(tape, d, r, place, beta, moved);
    return fine ? PERP_SOLVED : PERP_ERR_MEMORY;
}

/* END_Q = A END_Q + B y. */
static perp_status move(perp_tape *tape, const double *moved)
{
    perp_tape_turns turns;
    perp_tape_stage *there = perp_tape_add_stage(tape, PERP_STAGE_MOVE);
    perp_tape_stage *back = perp_tape_add_stage(tape, PERP_STAGE_MOVE);
    if (!there || !back || !perp_tape_take_turns(tape, &turns))
        return PERP_ERR_MEMORY;
    for (int k = 0; k < tape->nsystems; k++)
        if (tape->systems[k].system->kind == PERP_SYSTEM_BODY &&
            !perp_tape_set_turn_of(tape, &turns, k, moved + tape->systems[k].at + 3, 1.0))
            return PERP_ERR_MEMORY;
    there->as.move = (perp_tape_move_stage){
        .reg = PERP_REG_CARRIED,
        .count = 2,
        .source = {{PERP_REG_END_Q, 1.0, NULL, turns.A}, {PERP_REG_Y, 1.0, NULL, turns.B}}};
    back->as.move = (perp_tape_move_stage){
        .reg = PERP_REG_END_Q, .count = 1, .source = {{PERP_REG_CARRIED, 1.0, NULL, NULL}}};
    return PERP_SOLVED;
}

/* The displacements of all systems, dofs; in work of the systems, too. */
static double *displacements(perp_tape *tape, const perp_dg *dg, const perp_projection *p)
{
    double *moved = PERP_TAPE_ARRAY(tape, double, tape->dofs);
    for (int k = 0; moved && p && k < dg->nsystems; k++)
        memset(dg->systems[k]->work, 0, sizeof(double) * (size_t)dg->systems[k]->nv);
    for (int k = 0; moved && p && k < p->ntouched; k++) {
        perp_system *s = p->touched[k];
        memcpy(s->work, p->move + p->first_dof[s->slot], sizeof(double) * (size_t)s->nv);
    }
    for (int k = 0; moved && k < dg->nsystems; k++)
        memcpy(moved + tape->systems[k].at, dg->systems[k]->work,
               sizeof(double) * (size_t)dg->systems[k]->nv);
    return moved;
}

static perp_status follow_joints(perp_tape *tape, perp_step *step, const perp_dg *dg,
                                 perp_tape_solve_stage *solve, desk *d, const double *moved)
{
    perp_status status = PERP_SOLVED;
    for (int k = 0; k < dg->njoints && status == PERP_SOLVED; k++) {
        perp_link *link = dg->joints[k];
        const double *lambda = perp_dg_joint_increment(dg, link);
        for (int i = 0; i < link->rows && status == PERP_SOLVED; i++) {
            row r = {link, i, 1, lambda[i], 0.0, 0.0};
            status = follow_row(tape, step, solve, d, &r, moved);
        }
    }
    return status;
}

perp_status perp_tape_follow_positions(perp_tape *tape, perp_step *step, const perp_dg *dg,
                                       perp_step_part what)
{
    const perp_projection *p = what == PERP_PART_PROJECTED ? dg->projection : NULL;
    if (!p && dg->overlap.part != 1.0)
        return perp_tape_end(tape, PERP_ERR_UNSUPPORTED, "step", -1,
                             "a correction of positions was cut: bodies would turn too far");
    int count = p ? p->rows : dg->overlap.rows;
    desk d = {.link = NULL};
    double *moved = displacements(tape, dg, p);
    perp_tape_stage *stage = perp_tape_add_stage(tape, PERP_STAGE_SOLVE);
    if (!moved || !stage)
        return PERP_ERR_MEMORY;
    perp_tape_solve_stage *solve = &stage->as.solve;
    perp_status status = perp_tape_follow_masses(tape, step, dg, solve, PERP_NOW, PERP_REG_END_Q);
    for (int k = 0; k < count && status == PERP_SOLVED; k++) {
        const perp_projection_row *e = p ? &p->entries[k] : NULL;
        const perp_dg_overlap *o = p ? NULL : &dg->overlap.row[k];
        const double *z = p ? p->one.z : dg->overlap.z, *w = p ? p->one.w : dg->overlap.w;
        row r = {.link = p ? e->link : o->link,
                 .component = p ? e->component : o->component,
                 .free = p && e->free,
                 .z = z[k],
                 .left = w[k]};
        /* Solves leave a part of w, which the next pass takes. */
        r.w = r.z > 0.0 ? 0.0 : fabs(w[k]);
        status = follow_row(tape, step, solve, &d, &r, moved);
    }
    if (!p && status == PERP_SOLVED)
        status = follow_joints(tape, step, dg, solve, &d, moved);
    perp_pool_give(&tape->pool, d.block);
    return status == PERP_SOLVED ? move(tape, moved) : status;
}
