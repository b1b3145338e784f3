/* SPDX-License-Identifier: BSD-3-Clause */
/* Velocities moved to those that joints allow, M dv = H' pi, H (v + dv) + h_t = 0 at the end, and
 * slips that are stopped there, differentiated. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "kernel/derivative/stage_build.h"
#include "kernel/laws/law.h"
#include "kernel/step/stepper.h"

int perp_tape_mass_terms(perp_tape *tape, perp_tape_solve_stage *solve, const perp_step *step,
                         const double *const *increment)
{
    int fine = 1;
    for (int j = 0; j < tape->nparameters; j++) {
        const perp_tape_parameter *p = &tape->parameters[j];
        int k = (int)p->system.index < tape->places ? tape->place[p->system.index] : -1;
        if ((p->quantity != PERP_TAPE_MASS && p->quantity != PERP_TAPE_INERTIA) || k < 0 ||
            tape->systems[k].generation != p->system.generation)
            continue;
        const perp_tape_system *own = &tape->systems[k];
        const double *dv = increment[k], *M = own->mass;
        if (step->systems[k]->kind != PERP_SYSTEM_BODY) {
            fine &=
                perp_tape_add_term(tape, solve, j, PERP_TAPE_RHO, own->at + p->row, -dv[p->column]);
            continue;
        }
        for (int i = 0; i < 3; i++) {
            double value = p->quantity == PERP_TAPE_MASS ? -dv[i] : 0.0;
            for (int l = 0; p->quantity == PERP_TAPE_INERTIA && l < 3; l++)
                value -= M[3 + i + 6 * (3 + l)] * dv[3 + l];
            fine &=
                perp_tape_add_term(tape, solve, j, PERP_TAPE_RHO,
                                   own->at + i + (p->quantity == PERP_TAPE_MASS ? 0 : 3), value);
        }
    }
    return fine;
}

/* Parameters z in the mass, by differences. */
static perp_status terms_of_z(perp_tape *tape, perp_tape_solve_stage *solve, int k, perp_system *s,
                              const double *q)
{
    const perp_tape_system *own = &tape->systems[k];
    if (s->kind != PERP_SYSTEM_LAGRANGIAN || !s->as.lagrangian.mass)
        return PERP_SOLVED;
    for (int j = 0; j < tape->nparameters; j++) {
        const perp_tape_parameter *p = &tape->parameters[j];
        if (p->quantity != PERP_TAPE_Z || (int)p->system.index != own->slot ||
            p->system.generation != own->generation || p->row >= s->nz)
            continue;
        double value = s->z[p->row], by = cbrt(DBL_EPSILON) * fmax(1.0, fabs(value));
        double *part = PERP_TAPE_ARRAY(tape, double, 2 * s->nv);
        if (!part)
            return PERP_ERR_MEMORY;
        for (int side = 0; side < 2; side++) {
            s->z[p->row] = value + (side ? by : -by);
            int refused = perp_system_mass_apply(part + side * s->nv, s, q, s->work);
            s->z[p->row] = value;
            if (refused)
                return PERP_INTERRUPTED;
        }
        for (int i = 0; i < s->nv; i++)
            if (!perp_tape_add_term(tape, solve, j, PERP_TAPE_RHO, own->at + i,
                                    -(part[s->nv + i] - part[i]) / (2.0 * by)))
                return PERP_ERR_MEMORY;
    }
    return PERP_SOLVED;
}

perp_status perp_tape_follow_masses(perp_tape *tape, const perp_step *step, const perp_dg *dg,
                                    perp_tape_solve_stage *solve, perp_moment moment, int reg)
{
    perp_status status = PERP_SOLVED;
    const double **increment = PERP_TAPE_ARRAY(tape, const double *, tape->nsystems);
    if (!increment)
        return PERP_ERR_MEMORY;
    for (int k = 0; k < dg->nsystems && status == PERP_SOLVED; k++) {
        perp_system *s = dg->systems[k];
        int *place = PERP_TAPE_ARRAY(tape, int, 1);
        increment[k] = s->work;
        perp_tape_part *part = place ? perp_tape_add_part(tape, solve, place, 1, s->nv) : NULL;
        if (!part)
            return PERP_ERR_MEMORY;
        *place = k;
        part->K = perp_tape_mass_at(tape, k, s, s->q[moment], &status);
        double *turn = status == PERP_SOLVED
                           ? (double *)perp_tape_mass_turn(tape, s, s->q[moment], s->work, &status)
                           : NULL;
        for (int i = 0; turn && status == PERP_SOLVED && i < s->nv * s->nv; i++)
            turn[i] = -turn[i];
        if (status == PERP_SOLVED && !perp_tape_add_from(tape, part, reg, turn, NULL))
            return PERP_ERR_MEMORY;
        if (status == PERP_SOLVED)
            status = terms_of_z(tape, solve, k, s, s->q[moment]);
    }
    return status != PERP_SOLVED || perp_tape_mass_terms(tape, solve, step, increment)
               ? status
               : PERP_ERR_MEMORY;
}

perp_status perp_tape_follow_joint(perp_tape *tape, const perp_step *step,
                                   perp_tape_solve_stage *solve, perp_link *link,
                                   const perp_tape_joint_rows *rows)
{
    int m = link->rows, n = link->nv;
    size_t M = (size_t)m, N = (size_t)n;
    double t = rows->moment == PERP_START ? step->t : step->t_end;
    const int *place = perp_tape_places(tape, link);
    perp_tape_part *part = place ? perp_tape_add_part(tape, solve, place, link->nsystems, n) : NULL;
    double *H = perp_tape_zeros(tape, m, n), *rho = perp_tape_zeros(tape, n, n);
    double *beta = perp_tape_zeros(tape, m, n);
    size_t numbers = (size_t)link->N + M * N * N + M * N + N + perp_tape_turn_numbers(tape, link);
    if (!part || !H || !rho || !beta ||
        !perp_tape_set_equalities(tape, solve, part, m, rows->lambda))
        return PERP_ERR_MEMORY;
    double *x = perp_pool_take_array(&tape->pool, numbers + 1, sizeof *x);
    if (!x)
        return PERP_ERR_MEMORY;
    double *G = x + link->N, *drift = G + M * N * N, *v = drift + M * N, *work = v + N;
    perp_tape_gather_q(x, link, rows->moment);
    perp_status status = perp_tape_turn_at(tape, link, t, x, G, drift, work);
    if (status == PERP_SOLVED && perp_link_jacobian(H, link, t, x, link->lambda))
        status = PERP_INTERRUPTED;
    int at = 0;
    for (int k = 0; k < link->nsystems; k++)
        for (int j = 0; j < link->systems[k]->nv; j++)
            v[at++] = (rows->velocity
                           ? (rows->velocity == PERP_REG_END_V ? link->systems[k]->v[PERP_NOW][j]
                                                               : link->systems[k]->v_kept[j])
                           : 0.0) +
                      link->systems[k]->work[j];
    perp_tape_along_impulse(rho, G, m, n, rows->lambda);
    perp_tape_along_velocity(beta, G, drift, rows->velocity ? 1.0 : 0.0, m, n, v);
    perp_pool_give(&tape->pool, x);
    part->G = part->N = H;
    if (status != PERP_SOLVED)
        return status;
    int fine = perp_tape_add_from(tape, part, rows->reg, rho, beta) &&
               (!rows->velocity || perp_tape_add_from(tape, part, rows->velocity, NULL, H));
    return fine ? PERP_SOLVED : PERP_ERR_MEMORY;
}

/* A register that a solve adds to. */
int perp_tape_add_to(perp_tape *tape, int reg)
{
    perp_tape_stage *stage = perp_tape_add_stage(tape, PERP_STAGE_MOVE);
    double *keep = PERP_TAPE_ARRAY(tape, double, tape->nsystems);
    if (!stage || !keep)
        return 0;
    for (int k = 0; k < tape->nsystems; k++)
        keep[k] = 1.0;
    stage->as.move = (perp_tape_move_stage){
        .reg = reg, .count = 1, .keep = keep, .source = {{PERP_REG_Y, 1.0, NULL, NULL}}};
    return 1;
}

perp_status perp_tape_follow_velocities(perp_tape *tape, perp_step *step, const perp_dg *dg)
{
    perp_tape_stage *stage = perp_tape_add_stage(tape, PERP_STAGE_SOLVE);
    if (!stage)
        return PERP_ERR_MEMORY;
    /* Systems without joints stand beside; their increments are old. */
    for (int k = 0; k < dg->nsystems; k++)
        if (dg->systems[k]->coupled < 0)
            memset(dg->systems[k]->work, 0, sizeof(double) * (size_t)dg->systems[k]->nv);
    perp_status status =
        perp_tape_follow_masses(tape, step, dg, &stage->as.solve, PERP_NOW, PERP_REG_END_Q);
    for (int k = 0; k < dg->njoints && status == PERP_SOLVED; k++) {
        perp_tape_joint_rows rows = {PERP_NOW, PERP_REG_END_Q, PERP_REG_END_V,
                                     perp_dg_joint_increment(dg, dg->joints[k])};
        status = perp_tape_follow_joint(tape, step, &stage->as.solve, dg->joints[k], &rows);
    }
    if (status != PERP_SOLVED)
        return status;
    return perp_tape_add_to(tape, PERP_REG_END_V) ? PERP_SOLVED : PERP_ERR_MEMORY;
}
