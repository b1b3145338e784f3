/* SPDX-License-Identifier: BSD-3-Clause */
/* What each parameter puts into the equations of a step, number by number, so that directions and
 * gradients use the same numbers. */
#include <math.h>

#include "kernel/derivative/linear.h"
#include "kernel/derivative/tape.h"
#include "kernel/integrators/moreau_jean.h"
#include "kernel/laws/law.h"

int perp_tape_law_has(const perp_law *law, perp_tape_quantity quantity)
{
    switch (quantity) {
    case PERP_TAPE_MU:
        return law->kind == PERP_LAW_FRICTION;
    case PERP_TAPE_MU_R:
        return perp_law_rolls(law);
    case PERP_TAPE_MU_S:
        return perp_law_rolls(law) && law->mu_s > 0.0;
    case PERP_TAPE_E:
        return perp_law_is_impact(law);
    case PERP_TAPE_E_T:
        return law->kind == PERP_LAW_FRICTION && !perp_law_rolls(law);
    case PERP_TAPE_LO:
    case PERP_TAPE_HI:
        return law->kind == PERP_LAW_BOX;
    case PERP_TAPE_RATE:
        return law->drive == PERP_DRIVE_MOTOR || law->drive == PERP_DRIVE_PROFILE;
    case PERP_TAPE_TARGET:
        return law->drive == PERP_DRIVE_SERVO || law->drive == PERP_DRIVE_PROFILE;
    case PERP_TAPE_STIFFNESS:
    case PERP_TAPE_DAMPING:
        return perp_tape_has_spring(law);
    default:
        return 0;
    }
}

int perp_tape_parameter_place(const perp_law *law, perp_tape_quantity quantity)
{
    switch (quantity) {
    case PERP_TAPE_MU:
    case PERP_TAPE_LO:
        return PERP_TAPE_PAR0;
    case PERP_TAPE_MU_S:
        return law->mu_r > 0.0 ? PERP_TAPE_PAR2 : PERP_TAPE_PAR1;
    case PERP_TAPE_MU_R:
    case PERP_TAPE_HI:
        return PERP_TAPE_PAR1;
    default:
        return -1;
    }
}

static perp_status check_system(const perp_tape *tape, const perp_tape_parameter *p,
                                const char **what)
{
    const perp_system *s = perp_model_system(tape->sim->stepper.model, p->system);
    perp_tape_quantity quantity = p->quantity;
    *what = "system";
    if (!s)
        return PERP_ERR_STATE;
    if (s->kind == PERP_SYSTEM_FIRST_ORDER || perp_system_is_prescribed(s))
        return PERP_ERR_UNSUPPORTED;
    int lagrangian = s->kind == PERP_SYSTEM_LAGRANGIAN;
    *what = "quantity";
    if ((quantity == PERP_TAPE_INERTIA && lagrangian) ||
        ((quantity == PERP_TAPE_C || quantity == PERP_TAPE_K) && !lagrangian) ||
        (quantity == PERP_TAPE_MASS && lagrangian && s->as.lagrangian.mass))
        return PERP_ERR_ARGUMENT;
    if (quantity == PERP_TAPE_Z && !tape->settings.differences)
        return PERP_ERR_UNSUPPORTED;
    if (quantity == PERP_TAPE_INERTIA || (quantity == PERP_TAPE_MASS && !lagrangian))
        return PERP_SOLVED;
    *what = "row";
    if (p->row < 0 || p->row >= (quantity == PERP_TAPE_Z ? s->nz : s->nv))
        return PERP_ERR_ARGUMENT;
    *what = "column";
    int square = quantity != PERP_TAPE_Z && quantity != PERP_TAPE_FORCE;
    return square && (p->column < 0 || p->column >= s->nv) ? PERP_ERR_ARGUMENT : PERP_SOLVED;
}

perp_status perp_tape_check_parameter(const perp_tape *tape, const perp_tape_parameter *p,
                                      const char **what)
{
    *what = "quantity";
    if ((int)p->quantity < 0 || p->quantity > PERP_TAPE_Z)
        return PERP_ERR_ARGUMENT;
    if (p->quantity >= PERP_TAPE_MASS)
        return check_system(tape, p, what);
    if (p->interaction.generation == 0)
        return PERP_SOLVED;
    const perp_link *link = perp_model_link(tape->sim->stepper.model, p->interaction);
    if (!link) {
        *what = "interaction";
        return PERP_ERR_STATE;
    }
    return perp_tape_law_has(&link->law, p->quantity) ? PERP_SOLVED : PERP_ERR_ARGUMENT;
}

/* A spring and its damper: offset and compliance change with C and k. */
static double spring_term(const perp_tape_tie *tie, int relation, double h, double theta,
                          int by_stiffness)
{
    const perp_law *law = &tie->law;
    double C = perp_tape_spring_compliance(law, h), y = tie->y[relation];
    double way = perp_law_is_soft(law) ? fmin(y, 0.0) : y - law->target;
    double place = law->place > 0.0 ? law->place : PERP_MJ_SERVO_PLACE;
    double grows = by_stiffness ? -C * C * h * h * place : -C * C * h;
    double offset = grows * h * law->stiffness * way + (by_stiffness ? C * h * way : 0.0);
    return (offset + grows * tie->z[relation * law->dim]) / theta;
}

/* Of a motor, and of a profile that is at its largest rate. */
static double rate_term(const perp_tape_tie *tie, double h)
{
    int kink;
    if (tie->law.drive == PERP_DRIVE_MOTOR)
        return -1.0;
    if (perp_tape_profile_slope(&tie->law, h, tie->y[0], &kink) != 0.0)
        return 0.0;
    return tie->law.target > tie->y[0] ? -1.0 : 1.0;
}

static void terms_of_tie(const perp_tape_tie *tie, const perp_tape_step *node,
                         perp_tape_quantity quantity, perp_tape_term_fn term, void *ctx)
{
    double theta = node->motions[tie->system[0]].theta;
    int dim = tie->law.dim;
    int place = perp_tape_parameter_place(&tie->law, quantity);
    double bound = quantity == PERP_TAPE_HI ? tie->law.hi : tie->law.lo;
    for (int r = 0; r < tie->relations; r++) {
        int row = tie->first + r * dim, block = tie->block + r;
        switch (quantity) {
        case PERP_TAPE_MU:
        case PERP_TAPE_MU_R:
        case PERP_TAPE_MU_S:
            term(ctx, (perp_tape_target)place, block, 1.0);
            break;
        case PERP_TAPE_LO:
        case PERP_TAPE_HI:
            if (isfinite(bound))
                term(ctx, (perp_tape_target)place, block, tie->scale);
            break;
        case PERP_TAPE_E:
            term(ctx, PERP_TAPE_BETA, row, tie->u[r * dim]);
            break;
        case PERP_TAPE_E_T:
            for (int i = 1; i < dim; i++)
                term(ctx, PERP_TAPE_BETA, row + i, tie->u[r * dim + i]);
            break;
        case PERP_TAPE_RATE:
            term(ctx, PERP_TAPE_BETA, row, rate_term(tie, node->h));
            break;
        case PERP_TAPE_TARGET:
            term(ctx, PERP_TAPE_BETA, row, -perp_tape_terms_of_row(tie, node, 0).by_place);
            break;
        case PERP_TAPE_STIFFNESS:
        case PERP_TAPE_DAMPING:
            term(ctx, PERP_TAPE_BETA, row,
                 spring_term(tie, r, node->h, theta, quantity == PERP_TAPE_STIFFNESS));
            break;
        default:
            break;
        }
    }
}

static void terms_of_body(const perp_tape_system *s, const perp_tape_motion *m,
                          perp_tape_quantity quantity, perp_tape_term_fn term, void *ctx)
{
    for (int i = 0; i < 3; i++) {
        double value = -m->change[i];
        if (quantity == PERP_TAPE_INERTIA) {
            value = -m->start * m->spin[i] - m->end * m->spin[3 + i];
            for (int j = 0; j < 3; j++)
                value -= m->mass[3 + i + 6 * (3 + j)] * m->change[3 + j];
        }
        term(ctx, PERP_TAPE_RHO, s->at + i + (quantity == PERP_TAPE_INERTIA ? 3 : 0), value);
    }
}

static void terms_of_system(const perp_tape *tape, const perp_tape_step *node,
                            const perp_tape_parameter *p, perp_tape_term_fn term, void *ctx)
{
    int k = (int)p->system.index < tape->places ? tape->place[p->system.index] : -1;
    if (k < 0 || tape->systems[k].generation != p->system.generation)
        return;
    const perp_tape_system *s = &tape->systems[k];
    const perp_tape_motion *m = &node->motions[k];
    const double *state = m->state;
    int at = s->at + p->row, n = s->nv;
    int body = m->B != NULL;
    if (p->quantity == PERP_TAPE_FORCE)
        term(ctx, PERP_TAPE_RHO, at, node->h);
    else if (p->quantity == PERP_TAPE_INERTIA || (p->quantity == PERP_TAPE_MASS && body))
        terms_of_body(s, m, p->quantity, term, ctx);
    else if (p->quantity == PERP_TAPE_MASS)
        term(ctx, PERP_TAPE_RHO, at, -m->change[p->column]);
    else if (p->quantity == PERP_TAPE_K)
        term(ctx, PERP_TAPE_RHO, at,
             -m->start * state[p->column] - m->end * state[2 * n + p->column]);
    else if (p->quantity == PERP_TAPE_C)
        term(ctx, PERP_TAPE_RHO, at,
             -m->start * state[n + p->column] - m->end * state[3 * n + p->column]);
}

void perp_tape_parameter_terms(const perp_tape *tape, const perp_tape_step *node, int k,
                               perp_tape_term_fn term, void *ctx)
{
    const perp_tape_parameter *p = &tape->parameters[k];
    if (p->quantity == PERP_TAPE_Z) {
        int number = 0;
        for (int j = 0; j < k; j++)
            number += tape->parameters[j].quantity == PERP_TAPE_Z;
        const perp_tape_system *s = &tape->systems[node->pushes[number].system];
        for (int i = 0; i < s->nv; i++)
            term(ctx, PERP_TAPE_RHO, s->at + i, node->pushes[number].rho[i]);
        return;
    }
    if (p->quantity >= PERP_TAPE_MASS) {
        terms_of_system(tape, node, p, term, ctx);
        return;
    }
    for (int j = 0; j < node->nties; j++) {
        const perp_tape_tie *tie = &node->ties[j];
        int all = p->interaction.generation == 0;
        if ((all || (tie->slot == (int)p->interaction.index &&
                     tie->generation == p->interaction.generation)) &&
            perp_tape_law_has(&tie->law, p->quantity))
            terms_of_tie(tie, node, p->quantity, term, ctx);
    }
}
