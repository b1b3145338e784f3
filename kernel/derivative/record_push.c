/* SPDX-License-Identifier: BSD-3-Clause */
/* Parameters z of a system: what a change of one pushes in a step, by central differences of the
 * right-hand side at both ends and of M(x_g) (v+ - v). */
#include <float.h>
#include <math.h>
#include <string.h>

#include "kernel/derivative/tape.h"

/* rho += weight times the equation of motion of the step, for the present z. */
static int add_equation(double *rho, double *part, double *guess, const perp_tape_motion *m,
                        perp_system *s, const perp_step *step, double weight)
{
    if (m->start != 0.0) {
        if (perp_system_force(part, s, step->t, s->q[PERP_START], s->v[PERP_START]))
            return 1;
        for (int i = 0; i < s->nv; i++)
            rho[i] += weight * m->start * part[i];
    }
    if (m->end != 0.0) {
        if (perp_system_force(part, s, step->t_end, s->q[PERP_NOW], s->v[PERP_NOW]))
            return 1;
        for (int i = 0; i < s->nv; i++)
            rho[i] += weight * m->end * part[i];
    }
    perp_tape_guess(guess, s, m->ahead);
    if (perp_system_mass_apply(part, s, guess, m->change))
        return 1;
    for (int i = 0; i < s->nv; i++)
        rho[i] -= weight * part[i];
    return 0;
}

static perp_status push(perp_tape *tape, perp_tape_push *out, const perp_step *step,
                        const perp_tape_step *node, const perp_tape_parameter *p)
{
    int k = (int)p->system.index < tape->places ? tape->place[p->system.index] : -1;
    out->system = k;
    if (k < 0 || tape->systems[k].generation != p->system.generation)
        return perp_tape_end(tape, PERP_ERR_STATE, "system", (int)p->system.index,
                             "a parameter is of a system that is gone");
    perp_system *s = step->systems[k];
    if (p->row >= s->nz)
        return perp_tape_end(tape, PERP_ERR_ARGUMENT, "system", s->slot,
                             "it has no parameter z of this number");
    double *rho = PERP_TAPE_ARRAY(tape, double, s->nv);
    double *work = perp_tape_work(tape, (size_t)(s->nv + s->nq));
    out->rho = rho;
    if (!rho || !work)
        return PERP_ERR_MEMORY;
    double value = s->z[p->row], small = cbrt(DBL_EPSILON) * fmax(1.0, fabs(value));
    long evaluations = s->evaluations;
    int refused = 0;
    for (int side = -1; side <= 1 && !refused; side += 2) {
        s->z[p->row] = value + side * small;
        refused =
            add_equation(rho, work, work + s->nv, &node->motions[k], s, step, side / (2.0 * small));
    }
    s->z[p->row] = value;
    s->evaluations = evaluations;
    tape->info.differences = 1;
    return refused ? perp_tape_end(tape, PERP_INTERRUPTED, "system", s->slot, "a callback refused")
                   : PERP_SOLVED;
}

perp_status perp_tape_record_pushes(perp_tape *tape, const perp_step *step, perp_tape_step *node)
{
    int count = 0;
    for (int k = 0; k < tape->nparameters; k++)
        count += tape->parameters[k].quantity == PERP_TAPE_Z;
    if (count == 0)
        return PERP_SOLVED;
    node->pushes = PERP_TAPE_ARRAY(tape, perp_tape_push, count);
    perp_status status = node->pushes ? PERP_SOLVED : PERP_ERR_MEMORY;
    count = 0;
    for (int k = 0; k < tape->nparameters && status == PERP_SOLVED; k++)
        if (tape->parameters[k].quantity == PERP_TAPE_Z)
            status = push(tape, &node->pushes[count++], step, node, &tape->parameters[k]);
    return status;
}
