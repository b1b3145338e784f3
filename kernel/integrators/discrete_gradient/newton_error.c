/* SPDX-License-Identifier: BSD-3-Clause */
/* Errors of an iterate of the Newton loop, with its present rows and in units of their tolerances:
 * momenta and their work, gaps of the joints, rates of the contacts. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernel/integrators/discrete_gradient/discrete_gradient.h"
#include "kernel/step/one_step_give.h"
#include "kernel/step/stepper.h"

/* Relative to momenta, rates and lengths: with joints, and without. */
static const double TOL_JOINTS = 1e-10, TOL_FREE = 5e-7, TOL_RATES = 1e-6, TOL_WORK = 1e-8;
/* Work that is left in systems with other masses than those of bodies has one sign for long, and
 * counts so many times. */
static const double LONG = 30.0;
/* Rotations of less than this part of the energy count as this part of the translation. */
static const double SMALL_PART = 1e-3;
/* Of the largest momentum: multipliers carry its rounding to the lightest body, if not to one that
 * flies freely. */
static const double ROUNDING = 32.0 * DBL_EPSILON;
/* Of the rate that forces give in a step: rates of contacts count as no more than this, or in short
 * steps what is nothing beside a rate would be much of the impulse. */
static const double OF_FORCES = 100.0;
/* Tolerances by which a joint is open that iterates do not close. */
static const double OPEN = 1e4;
/* Of places. */
static const double OF_PLACES = 4.0 * DBL_EPSILON;

static inline double larger(double a, double b)
{
    return b > a ? b : a;
}

/* Rotations that are nothing beside the translation count as the certificate counts them. */
static double small_turn(const perp_system *s)
{
    const double *weight = s->ledger.weight;
    double least = fmax(weight[3], fmax(weight[4], weight[5]));
    return least > 0.0 ? SMALL_PART * sqrt(weight[0] / least) : 0.0;
}

/* Momenta about the axes of a body count by the energy that they stand for, as in the certificate:
 * about the axis of the least inertia as they are, less about the others. */
static double axis_part(const perp_system *s, int i)
{
    const double *weight = s->ledger.weight + 3;
    double least = larger(weight[0], larger(weight[1], weight[2]));
    return least > 0.0 && weight[i] > 0.0 ? sqrt(weight[i] / least) : 1.0;
}

/* One component of a momentum. */
static inline __attribute__((always_inline)) void add_terms(perp_dg *dg, const perp_system *s,
                                                            int i, double unit, double weight,
                                                            double *worst, double *scale)
{
    double force = dg->h * fabs(s->force[i]), left = s->residual[i] - s->p[i];
    double terms = fabs(s->work[i]) + s->free[i] + force + fabs(s->residual[i]);
    *worst = larger(*worst, unit * fabs(left));
    *scale = larger(*scale, unit * terms);
    dg->power += weight * fabs(left * s->v[PERP_GUESS][i]);
    dg->energy +=
        fabs(s->work[i] * s->v_kept[i]) + (force + s->free[i]) * fabs(s->v[PERP_GUESS][i]);
}

static double rest_speed(const perp_dg *dg, int part)
{
    return OF_PLACES * (part ? 1.0 : dg->place) / dg->h;
}

/* Momentum that the rounding of a place, or of a quaternion, stands for in a step: forces on what
 * rests, and has no other scale, know no more of it. */
static double rest_of(const perp_dg *dg, const perp_system *s, int part)
{
    const double *weight = s->ledger.weight;
    if (s->kind != PERP_SYSTEM_BODY)
        return 0.0;
    double most = part ? fmax(weight[3], fmax(weight[4], weight[5])) : weight[0];
    return most > 0.0 ? rest_speed(dg, part) / most : 0.0;
}

/* Largest of |residual - p| against its terms, in units of the tolerance; translations and
 * rotations of a body apart. */
static perp_status system_error(perp_step *step, perp_dg *dg, perp_system *s, double tol,
                                double *error)
{
    double worst[2] = {0.0, 0.0}, scale[2] = {0.0, 0.0}, lift = 0.0;
    int carries = 0;
    double weight = s->kind == PERP_SYSTEM_BODY ? 1.0 : LONG;
    perp_status status = perp_dg_forces(step, dg, s);
    if (status != PERP_SOLVED)
        return perp_step_callback_refused(step, status, "system", s->slot);
    if (perp_system_mass_apply(s->work, s, s->q[PERP_GUESS], s->v_kept))
        return perp_step_callback_refused(step, PERP_INTERRUPTED, "system", s->slot);
    int straight = s->kind == PERP_SYSTEM_BODY ? 3 : s->nv;
    for (int i = 0; i < straight; i++) {
        add_terms(dg, s, i, 1.0, weight, &worst[0], &scale[0]);
        lift += fabs(s->force[i]);
    }
    for (int i = straight; i < s->nv; i++)
        add_terms(dg, s, i, axis_part(s, i - straight), weight, &worst[1], &scale[1]);
    for (int i = 0; i < s->nv; i++)
        carries |= s->p[i] != 0.0;
    dg->energy += dg->arm * lift;
    if (s->kind == PERP_SYSTEM_BODY && dg->njoints == 0)
        scale[1] = fmax(scale[1], small_turn(s) * scale[0]);
    for (int part = 0; part < 2; part++) {
        double arm = part ? dg->largest[1] + dg->length * dg->largest[0] : dg->largest[0];
        double most = tol * scale[part] + (dg->njoints > 0 && carries ? ROUNDING * arm : 0.0);
        double rest = rest_of(dg, s, part);
        most += rest;
        dg->energy += rest * rest_speed(dg, part) / TOL_WORK; /* as a whole */
        if (!(worst[part] <= most))
            *error = fmax(*error, worst[part] / most);
        dg->found[part] = fmax(dg->found[part], scale[part]);
    }
    if (!isfinite(worst[0]) || !isfinite(worst[1]))
        return perp_step_unsolved(step, PERP_ERR_NUMERICAL, NULL,
                                  "the Newton iterate is not finite");
    return PERP_SOLVED;
}

/* The longest arm of the points of a relation on bodies; 0 where it has none. */
static double arm_of(const perp_link *link)
{
    double longest = 0.0;
    int at = 0;
    if (perp_link_is_coordinate(link)) /* a coordinate, which may be an angle */
        return 0.0;
    for (int k = 0; k < link->nsystems; at += link->systems[k++]->nv)
        for (int i = 0; link->systems[k]->kind == PERP_SYSTEM_BODY && i < link->rows; i++) {
            if (i % link->law.dim > perp_law_slips(&link->law))
                continue; /* a turn */
            const double *turn = link->left + i + (size_t)(at + 3) * (size_t)link->rows;
            double a = turn[0], b = turn[link->rows], c = turn[2 * link->rows];
            longest = fmax(longest, sqrt(a * a + b * b + c * c));
        }
    return longest;
}

/* Rates of the contacts now against those that the solver saw: in parts of their terms, or of the
 * size that they would change the gap by. */
static double rate_error(const perp_step *step, perp_dg *dg, perp_link *link)
{
    const double *w = dg->smooth.w + link->first_row;
    double error = 0.0, arm = arm_of(link);
    const double *v = perp_link_gather_v(link, PERP_NOW);
    int weightless = perp_link_is_coordinate(link) || dg->drives > 0 || dg->acceleration == 0.0;
    if (perp_dg_role_of(link) == PERP_DG_INPUT)
        return 0.0;
    double none = perp_dg_no_speed(dg, link);
    dg->arm = fmax(dg->arm, arm);
    arm = dg->njoints ? 0.0 : 0.05 * arm / dg->h;
    for (int i = 0; i < link->rows; i++) {
        double length = perp_dg_row_length(dg, link, i);
        double now = link->offset[i], forces = dg->h * dg->acceleration / length,
               scale = fmax(fabs(link->offset[i]) + forces, arm / length);
        for (int j = 0; j < link->nv; j++) {
            double part = link->left[i + j * link->rows] * v[j];
            now += part;
            scale += fabs(part);
        }
        if (weightless) /* what comes to rest without forces has no rates but what was taken from it
                         */
            scale +=
                fabs(perp_dg_start_rate(dg, link, i, 0.0)) +
                fabs(perp_one_step_diagonal(&dg->smooth, link->first_row + i) * link->lambda[i]);
        else
            scale = fmin(scale, OF_FORCES * forces);
        for (int j = 0; !link->symmetric && j < link->rows; j++)
            now += link->D[i + j * link->rows] * link->lambda[j];
        if (perp_law_gives_way(&link->law))
            now += perp_one_step_given(link, i, link->lambda);
        if (i % link->law.dim == 0 && perp_law_is_impact(&link->law))
            now += step->relief;
        error =
            fmax(error, fabs(now - w[i]) / (dg->strictness * TOL_RATES * scale + none / length));
    }
    return error;
}

double perp_dg_tolerance(const perp_dg *dg)
{
    return dg->strictness * (dg->njoints ? TOL_JOINTS : TOL_FREE);
}

double perp_dg_carried_rounding(const perp_dg *dg)
{
    return ROUNDING * dg->largest[0];
}

double perp_dg_rate_tolerance(void)
{
    return TOL_RATES;
}

double perp_dg_no_approach(const perp_dg *dg, const perp_link *link)
{
    return TOL_RATES * dg->h * dg->acceleration / perp_dg_row_length(dg, link, 0);
}

double perp_dg_gap_tolerance(const perp_dg *dg, int turns)
{
    double closed = dg->strictness * TOL_JOINTS;
    return turns ? closed + ROUNDING : closed * dg->length + ROUNDING * dg->place;
}

perp_status perp_dg_measure(perp_step *step, perp_dg *dg, double *error, double *rates)
{
    double tol = perp_dg_tolerance(dg);
    double work = dg->strictness * TOL_WORK;
    double gap[] = {perp_dg_gap_tolerance(dg, 0), perp_dg_gap_tolerance(dg, 1)};
    perp_status status;
    *error = *rates = 0.0;
    dg->power = dg->energy = 0.0;
    dg->found[0] = dg->found[1] = 0.0;
    /* Of some contact, until rate_error() has seen all: the energy has no scale without. */
    for (int k = 0; k < dg->nlinks && dg->arm == 0.0; k++)
        if (dg->links[k]->active && perp_dg_role_of(dg->links[k]) != PERP_DG_INPUT)
            dg->arm = arm_of(dg->links[k]);
    perp_dg_clear_impulses(dg);
    status = perp_dg_add_impulses(step, dg, 1);
    if (status == PERP_SOLVED)
        status = perp_dg_add_impulses(step, dg, 0);
    for (int k = 0; k < dg->nopen && status == PERP_SOLVED; k++)
        status = system_error(step, dg, dg->open[k], tol, error);
    memcpy(dg->largest, dg->found, sizeof dg->largest);
    if (dg->power > work * dg->energy)
        *error = fmax(*error, dg->power / (work * dg->energy));
    dg->lost = 0.0;
    for (int k = 0; k < dg->njoints; k++) {
        const perp_link *link = dg->joints[k];
        for (int i = 0; i < link->rows; i++) {
            int row = link->first_row + i, out = step->iteration > 0 && dg->factors->dropped[row];
            double *to = out ? &dg->lost : error;
            *to = fmax(*to, fabs(dg->gap[row]) / gap[perp_joint_row_turns(link, i)]);
        }
    }
    for (int k = 0; k < dg->nlinks && dg->rates_known; k++)
        if (dg->links[k]->active)
            *rates = fmax(*rates, rate_error(step, dg, dg->links[k]));
    dg->others = fmax(*error, *rates);
    *error = fmax(dg->others, dg->lost);
    return status;
}

/* The joint that is open by the most of its tolerance, and *gap, in all; NULL: none is by so many
 * that it is why the loop did not end. */
static const perp_link *open_joint(const perp_dg *dg, double *gap)
{
    const perp_link *worst = NULL;
    double most = OPEN;
    for (int k = 0; k < dg->njoints; k++) {
        const perp_link *link = dg->joints[k];
        for (int i = 0; i < link->rows; i++) {
            double size = fabs(dg->gap[link->first_row + i]);
            double error = size / perp_dg_gap_tolerance(dg, perp_joint_row_turns(link, i));
            if (error > most) {
                most = error;
                *gap = size;
                worst = link;
            }
        }
    }
    return worst;
}

int perp_dg_stays_open(const perp_dg *dg)
{
    double gap = 0.0;
    return open_joint(dg, &gap) != NULL;
}

perp_status perp_dg_not_ended(perp_step *step, const perp_dg *dg)
{
    static const char detail[] = "the Newton loop of the step did not end";
    perp_status status = perp_step_unsolved(step, PERP_ITERATION_LIMIT, NULL, detail);
    char text[sizeof step->stepper->info.detail];
    double gap = 0.0;
    const perp_link *joint = status == PERP_SOLVED ? NULL : open_joint(dg, &gap);
    if (!joint)
        return status;
    snprintf(text, sizeof text, "%s: this relation stays open by %.2g", detail, gap);
    return perp_stepper_fail(step->stepper, status, "interaction", joint->slot, text);
}
