/* SPDX-License-Identifier: BSD-3-Clause */
/* One step: free motion, index set, Newton loop over one-step problems, outputs. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "kernel/laws/law.h"
#include "kernel/step/step_certificate.h"
#include "kernel/step/step_clock.h"
#include "kernel/step/step_parts.h"
#include "kernel/step/stepper.h"

static const perp_integrator *of_system(const perp_step *step, const perp_system *s)
{
    return step->stepper->integrators[s->scheme];
}

static const perp_integrator *of_link(const perp_step *step, const perp_link *link)
{
    return step->stepper->integrators[link->systems[0]->scheme];
}

perp_status perp_step_callback_refused(perp_step *step, perp_status status, const char *what,
                                       int slot)
{
    const char *detail = status == PERP_INTERRUPTED ? "a callback refused"
                         : status == PERP_ERR_SINGULAR
                             ? "the iteration matrix is singular or not finite"
                             : NULL;
    return perp_stepper_fail(step->stepper, status, what, slot, detail);
}

static void copy(double *to, const double *from, int count)
{
    if (count > 0)
        memcpy(to, from, sizeof(double) * (size_t)count);
}

/* What restore() brings back, before any of it changes. */
static void remember(perp_step *step)
{
    for (int k = 0; k < step->nsystems; k++) {
        perp_system *s = step->systems[k];
        copy(s->q[PERP_START], s->q[PERP_NOW], s->nq);
        if (s->v[PERP_NOW])
            copy(s->v[PERP_START], s->v[PERP_NOW], s->nv);
        copy(s->p_before, s->p, s->nv);
    }
    for (int k = 0; k < step->nlinks; k++) {
        perp_link *link = step->links[k];
        copy(link->y_start, link->y, link->rows);
        copy(link->u_start, link->u, link->rows);
        copy(link->lambda_start, link->lambda, link->rows);
        copy(link->rho_start, link->rho, link->inner);
        memcpy(link->on_start, link->on, (size_t)link->relations);
        link->was_active = link->active;
        link->branch_start = link->branch;
        for (int i = 0; perp_coupling_part(link, i); i++)
            perp_coupling_part(link, i)->branch_start = perp_coupling_part(link, i)->branch;
    }
}

static perp_status begin_systems(perp_step *step)
{
    for (int k = 0; k < step->nsystems; k++) {
        perp_system *s = step->systems[k];
        perp_status status = PERP_SOLVED;
        if (!s->started && of_system(step, s)->start)
            status = of_system(step, s)->start(step, s);
        if (status == PERP_SOLVED)
            status = of_system(step, s)->begin(step, s);
        if (status != PERP_SOLVED)
            return perp_step_callback_refused(step, status, "system", s->slot);
    }
    return PERP_SOLVED;
}

static perp_status begin_links(perp_step *step)
{
    for (int k = 0; k < step->nlinks; k++) {
        perp_link *link = step->links[k];
        link->own_restitution = 0;
        link->bound_scale = 1.0;
        perp_status status = of_link(step, link)->activate(step, link);
        if (status != PERP_SOLVED)
            return perp_step_callback_refused(step, status, "interaction", link->slot);
        if (!link->active)
            memset(link->lambda, 0, sizeof(double) * (size_t)link->rows);
    }
    return PERP_SOLVED;
}

/* The state, outputs and multipliers of the start of the step. */
static void restore(perp_step *step)
{
    for (int k = 0; k < step->nsystems; k++) {
        perp_system *s = step->systems[k];
        copy(s->q[PERP_NOW], s->q[PERP_START], s->nq);
        if (s->v[PERP_NOW])
            copy(s->v[PERP_NOW], s->v[PERP_START], s->nv);
        copy(s->p, s->p_before, s->nv);
    }
    for (int k = 0; k < step->nlinks; k++) {
        perp_link *link = step->links[k];
        copy(link->y, link->y_start, link->rows);
        copy(link->u, link->u_start, link->rows);
        copy(link->lambda, link->lambda_start, link->rows);
        copy(link->rho, link->rho_start, link->inner);
        memcpy(link->on, link->on_start, (size_t)link->relations);
        link->active = link->was_active;
        link->branch = link->branch_start;
        for (int i = 0; perp_coupling_part(link, i); i++)
            perp_coupling_part(link, i)->branch = perp_coupling_part(link, i)->branch_start;
    }
}

/* W and the free state of each system, blocks of each active link, M and q. */
static perp_status assemble(perp_step *step)
{
    perp_stepper *stepper = step->stepper;
    perp_one_step *one = &stepper->one;
    for (int k = 0; k < step->nsystems; k++) {
        perp_system *s = step->systems[k];
        if (s->biased) {
            memset(s->bias, 0, sizeof(double) * (size_t)s->nv);
            s->biased = 0;
        }
        perp_status status = of_system(step, s)->iterate(step, s);
        stepper->info.differences |= s->differences;
        if (status != PERP_SOLVED)
            return perp_step_callback_refused(step, status, "system", s->slot);
    }
    perp_status status = perp_one_step_shape(one, step->links, step->nlinks, step->systems,
                                             step->nsystems, stepper->listed);
    int same = 1;
    for (int k = 0; k < one->nactive && status == PERP_SOLVED; k++) {
        perp_link *link = one->active[k];
        int ready = link->ready;
        double key[2] = {link->key[0], link->key[1]};
        status = of_link(step, link)->rows(step, link);
        same &= ready && link->ready && key[0] == link->key[0] && key[1] == link->key[1];
        stepper->info.differences |= link->differences;
        if (status != PERP_SOLVED)
            return perp_step_callback_refused(step, status, "interaction", link->slot);
    }
    if (status == PERP_SOLVED && (one->rows > 0 || one->of_parts))
        status = perp_one_step_fill(one, step->systems, step->nsystems, same);
    if (status == PERP_ERR_UNSUPPORTED)
        return perp_stepper_fail(stepper, status, "form", -1,
                                 one->form == PERP_FORM_BSR
                                     ? "form bsr does not take blocks of several sizes: choose csc"
                                     : "form delassus needs inputs that are transposed outputs");
    return status == PERP_SOLVED ? status : perp_stepper_fail(stepper, status, NULL, -1, NULL);
}

static perp_status advance(perp_step *step)
{
    if (step->stepper->one.rows > 0)
        perp_one_step_scatter(&step->stepper->one, step->systems, step->nsystems);
    else
        for (int k = 0; k < step->nsystems; k++)
            memset(step->systems[k]->p, 0, sizeof(double) * (size_t)step->systems[k]->nv);
    perp_status added = perp_step_is_part(step) ? perp_step_add_impulses(step) : PERP_SOLVED;
    if (added != PERP_SOLVED)
        return added;
    for (int k = 0; k < step->nsystems; k++) {
        perp_system *s = step->systems[k];
        perp_status status = of_system(step, s)->advance(step, s);
        if (status != PERP_SOLVED)
            return perp_step_callback_refused(step, status, "system", s->slot);
    }
    return PERP_SOLVED;
}

/* Of dynamics and relations together, and of the relations alone. */
static perp_status residual(perp_step *step, double *norm, double *relations)
{
    double square = 0.0, dynamics;
    for (int k = 0; k < step->nsystems; k++) {
        perp_system *s = step->systems[k];
        perp_status status = of_system(step, s)->residual(&square, step, s);
        if (status != PERP_SOLVED)
            return perp_step_callback_refused(step, status, "system", s->slot);
        if (!isfinite(square))
            return perp_stepper_fail(step->stepper, PERP_ERR_NUMERICAL, "system", s->slot,
                                     "the Newton iterate is not finite");
    }
    dynamics = square;
    for (int k = 0; k < step->nlinks; k++) {
        perp_link *link = step->links[k];
        if (!of_link(step, link)->relation_residual)
            continue;
        perp_status status = of_link(step, link)->relation_residual(&square, step, link);
        if (status != PERP_SOLVED)
            return perp_step_callback_refused(step, status, "interaction", link->slot);
    }
    *relations = sqrt(square - dynamics);
    *norm = sqrt(square);
    return isfinite(*norm) ? PERP_SOLVED
                           : perp_stepper_fail(step->stepper, PERP_ERR_NUMERICAL, "interaction", -1,
                                               "the Newton iterate is not finite");
}

/* Whether rounding of momenta and inputs alone leaves such a residual, so that a tolerance in other
 * units cannot be met. */
static int is_rounding(perp_step *step, double norm)
{
    double square = 0.0;
    for (int k = 0; k < step->nsystems; k++) {
        perp_system *s = step->systems[k];
        const double *v = s->v[PERP_NOW] ? s->v[PERP_NOW] : s->q[PERP_NOW];
        if (perp_system_mass_apply(s->residual, s, s->q[PERP_NOW], v))
            return 0;
        for (int i = 0; i < s->nv; i++)
            square += s->residual[i] * s->residual[i] + s->p[i] * s->p[i];
    }
    return norm <= 8.0 * DBL_EPSILON * sqrt(square);
}

static int is_converged(perp_step *step, double before, double relations)
{
    const perp_stepper *stepper = step->stepper;
    double norm = stepper->info.newton_residual, tol = stepper->options.newton_tol;
    if (stepper->linear || stepper->options.newton_iter == 1 || norm <= tol)
        return 1;
    return step->iteration > 0 && norm > 0.5 * before && relations <= tol &&
           is_rounding(step, norm);
}

static perp_status newton(perp_step *step)
{
    perp_stepper *stepper = step->stepper;
    perp_step_info *info = &stepper->info;
    double relations = 0.0;
    for (step->iteration = 0;; step->iteration++) {
        double at = perp_step_clock(stepper), before = info->newton_residual;
        perp_status status = assemble(step);
        info->assembly_seconds += perp_step_clock(stepper) - at;
        at = perp_step_clock(stepper);
        if (status == PERP_SOLVED && (stepper->one.rows > 0 || stepper->one.of_parts))
            status = stepper->one.of_parts ? perp_step_solve_part(step) : perp_step_solve(step);
        info->solve_seconds += perp_step_clock(stepper) - at;
        if (status != PERP_SOLVED)
            return status;
        at = perp_step_clock(stepper);
        status = advance(step);
        info->newton++;
        if (status == PERP_SOLVED && !stepper->linear && stepper->options.newton_iter > 1)
            status = residual(step, &info->newton_residual, &relations);
        info->update_seconds += perp_step_clock(stepper) - at;
        if (status != PERP_SOLVED)
            return status;
        int converged = is_converged(step, before, relations);
        if (perp_step_is_part(step))
            status = perp_step_holds_everywhere(step, &converged);
        if (status != PERP_SOLVED || converged)
            return status;
        if (step->iteration + 1 >= stepper->options.newton_iter)
            return perp_step_unsolved(step, PERP_ITERATION_LIMIT, NULL,
                                      "Newton's method did not converge");
    }
}

/* Schemes that solve in `finish` do it there. */
static perp_status certify(perp_step *step)
{
    perp_status status = PERP_SOLVED;
    for (int k = 0; k < step->stepper->nschemes && status == PERP_SOLVED; k++)
        if (!step->stepper->integrators[k]->certifies)
            status = perp_step_certify(step, k);
    return status;
}

static perp_status finish(perp_step *step, int *again)
{
    *again = 0;
    for (int k = 0; k < step->stepper->nschemes; k++) {
        if (!step->stepper->integrators[k]->finish)
            continue;
        int wanted = 0;
        perp_status status = step->stepper->integrators[k]->finish(step, k, &wanted);
        if (status != PERP_SOLVED) /* it may have said itself what is wrong */
            return step->stepper->info.status == status
                       ? status
                       : perp_step_callback_refused(step, status, "scheme", k);
        *again |= wanted;
    }
    return PERP_SOLVED;
}

/* The first iterate once more, for a pass with another index set. */
static perp_status begin_again(perp_step *step)
{
    for (int k = 0; k < step->nsystems; k++) {
        perp_system *s = step->systems[k];
        copy(s->q[PERP_NOW], s->q[PERP_START], s->nq);
        if (s->v[PERP_NOW])
            copy(s->v[PERP_NOW], s->v[PERP_START], s->nv);
        perp_status status = of_system(step, s)->begin(step, s);
        if (status != PERP_SOLVED)
            return perp_step_callback_refused(step, status, "system", s->slot);
    }
    return PERP_SOLVED;
}

perp_status perp_step_finite_states(perp_step *step)
{
    for (int k = 0; k < step->nsystems; k++) {
        const perp_system *s = step->systems[k];
        if (!perp_finite(s->q[PERP_NOW], s->nq) ||
            (s->v[PERP_NOW] && !perp_finite(s->v[PERP_NOW], s->nv)))
            return perp_stepper_fail(step->stepper, PERP_ERR_NUMERICAL, "system", s->slot,
                                     "the new state is not finite");
    }
    return PERP_SOLVED;
}

static void forget_trace(double *x, int count)
{
    static const double trace = 1e-100;
    for (int i = 0; i < count; i++)
        x[i] = fabs(x[i]) < trace ? 0.0 : x[i];
}

/* A motor that stands leaves rates and forces of eps of those before in each step: in the end they
 * are none, or they would reach the smallest numbers that there are. */
static void forget_traces(perp_step *step)
{
    int drives = 0;
    for (int k = 0; k < step->nlinks; k++)
        drives |= step->links[k]->law.drive != PERP_DRIVE_NONE;
    for (int k = 0; drives && k < step->nsystems; k++)
        if (step->systems[k]->v[PERP_NOW])
            forget_trace(step->systems[k]->v[PERP_NOW], step->systems[k]->nv);
    for (int k = 0; drives && k < step->nlinks; k++)
        forget_trace(step->links[k]->lambda, step->links[k]->rows);
}

static void accepted(perp_step *step)
{
    forget_traces(step);
    for (int k = 0; k < step->nsystems; k++) {
        perp_system *s = step->systems[k];
        s->started = 1;
        if (of_system(step, s)->accepted)
            of_system(step, s)->accepted(step, s);
    }
}

/* Contacts that the step has made itself. */
static perp_status look_out(perp_step *step)
{
    perp_stepper *stepper = step->stepper;
    const perp_step_lookout *lookout = &stepper->lookout;
    perp_status status = PERP_SOLVED;
    if (!lookout->look || step->uncut || perp_stepper_is_spent(stepper) || perp_step_is_part(step))
        return status;
    if (stepper->nguides > 0)
        status = perp_stepper_guide(stepper, step->t_end, 0.0);
    if (status != PERP_SOLVED)
        return status;
    step->unforeseen = lookout->look(lookout->ctx, step->t, step->h);
    if (step->unforeseen < 0)
        return perp_stepper_fail(stepper, PERP_ERR_MEMORY, NULL, -1, NULL);
    return stepper->nguides > 0 ? perp_stepper_guide(stepper, step->t, step->h) : status;
}

/* Until it is known whether the step stands. */
static perp_status make(perp_step *step)
{
    remember(step);
    perp_status status = perp_stepper_guide(step->stepper, step->t, step->h);
    if (status == PERP_SOLVED)
        status = begin_systems(step);
    if (status == PERP_SOLVED)
        status = begin_links(step);
    for (int again = 1; again && status == PERP_SOLVED; step->pass++) {
        perp_step_certificate_begin(step);
        if (step->pass > 0)
            status = begin_again(step);
        if (status == PERP_SOLVED)
            status = newton(step);
        if (status == PERP_SOLVED)
            status = certify(step);
        if (status == PERP_SOLVED)
            status = finish(step, &again);
    }
    if (status == PERP_SOLVED && !perp_step_is_part(step))
        status = perp_stepper_stopped(step->stepper);
    if (status == PERP_SOLVED)
        status = perp_step_finite_states(step);
    return status == PERP_SOLVED ? look_out(step) : status;
}

static perp_status take(perp_step *step)
{
    perp_status status = perp_step_outputs(step, step->t_end);
    if (status == PERP_SOLVED)
        status = perp_step_certificate_end(step);
    if (status == PERP_SOLVED)
        accepted(step);
    return status;
}

/* Halvings on the way to a step, and steps tried in place of one: a step whose halves are solved
 * only after as many halvings again is not worth them. */
enum { HALVINGS = 20, TRIED = 300 };
static const double shrinks = 0.9;
/* Times that a step is made again with contacts that were missed. */
enum { LOOKS = 3 };

typedef struct attempts {
    int tried;
    int over; /* another process failed, and the step of all with it */
} attempts;

/* Halves of a step: how deep, how many were tried; whether the step that was cut began at the same
 * state and could be shown to have no solution, and its s*. */

typedef struct cut {
    int depth, same_start, looks;
    attempts *all;
    double speed;
} cut;

static int is_again(const cut *at)
{
    return at->looks > 0 && at->looks <= LOOKS;
}

/* 1 where halves of the failed step are tried, but for one that is made again with what was missed.
 * A proof that is as strong for half the length from
 * the same state does not depend on the length. */
static int may_halve(const perp_step *step, const cut *at)
{
    if (!step->halve || is_again(at) || at->depth >= HALVINGS || at->all->tried >= TRIED)
        return 0;
    return !(step->proved && at->same_start && at->speed > 0.0 &&
             step->speed >= shrinks * at->speed);
}

/* What all processes that make islands of the step do: those that are to make it again by
 * themselves do that first. */
static perp_status agree(perp_step *step, perp_status status, const cut *at)
{
    if (!perp_step_has_islands(step) || (status != PERP_SOLVED && is_again(at)))
        return status;
    double halves = status != PERP_SOLVED && may_halve(step, at);
    double failures = status != PERP_SOLVED && halves == 0.0;
    perp_status met = perp_step_count_failures(step, &halves, &failures);
    at->all->over = met != PERP_SOLVED || failures > 0.0;
    step->all_halve = !at->all->over && halves > 0.0;
    if (status != PERP_SOLVED || met != PERP_SOLVED)
        return status != PERP_SOLVED ? status : met;
    return at->all->over     ? perp_stepper_interrupted(step->stepper, "parts", -1)
           : step->all_halve ? PERP_ITERATION_LIMIT
                             : status;
}

static perp_status advance_by(perp_stepper *stepper, double t, double h, int uncut, cut at);

/* The simulation did what the lookout asked for. */
static perp_status told(perp_stepper *stepper, perp_status status)
{
    return status == PERP_SOLVED || stepper->info.status == status
               ? status
               : perp_stepper_fail(stepper, status, NULL, -1, NULL);
}

/* Once more from the start, by what the report said before. */
static perp_status from_start(perp_step *step, perp_status sofar, int impacts, cut at)
{
    step->stepper->info.status = sofar;
    step->stepper->info.impacts = impacts;
    return advance_by(step->stepper, step->t, step->h, step->uncut, at);
}

/* With what was missed; without it where that is not solved. */
static perp_status look_again(perp_step *step, perp_status sofar, int impacts, cut at)
{
    perp_stepper *stepper = step->stepper;
    const perp_step_lookout *lookout = &stepper->lookout;
    perp_status status = told(stepper, lookout->add(lookout->ctx, stepper->sim));
    if (status != PERP_SOLVED)
        return status;
    int first = at.looks++ == 0;
    status = from_start(step, sofar, impacts, at);
    if (!first || status == PERP_SOLVED || status == PERP_INTERRUPTED ||
        status == PERP_ERR_MEMORY || at.all->over)
        return status;
    status = told(stepper, lookout->leave(lookout->ctx, stepper->sim));
    at.looks = LOOKS + 1;
    return status == PERP_SOLVED ? from_start(step, sofar, impacts, at) : status;
}

static perp_status advance_by(perp_stepper *stepper, double t, double h, int uncut, cut at)
{
    perp_step step = perp_stepper_step(stepper, t, h);
    step.uncut = uncut;
    stepper->shown = &stepper->one;
    stepper->nearlier = 0;
    stepper->beside = 1;
    at.all->tried++;
    int impacts = stepper->info.impacts;
    perp_step_lookout lookout = stepper->lookout;
    /* Lists of the halves before it would be stale. */
    if (at.depth > 0 || at.looks >= LOOKS)
        stepper->lookout.look = NULL;
    perp_status sofar = stepper->info.status, status = make(&step);
    stepper->lookout = lookout;
    if (step.unforeseen == 0)
        status = agree(&step, status, &at);
    if (step.unforeseen == 0 && status == PERP_SOLVED)
        status = take(&step);
    if (status == PERP_SOLVED && step.unforeseen == 0)
        return status;
    restore(&step);
    if (status == PERP_SOLVED)
        return look_again(&step, sofar, impacts, at);
    if (perp_step_has_islands(&step) ? !step.all_halve : !may_halve(&step, &at))
        return status;
    if (at.depth == 0 && perp_step_keep(&step, &stepper->halved) != PERP_SOLVED)
        return perp_stepper_fail(stepper, PERP_ERR_MEMORY, NULL, -1, NULL);
    stepper->info.halvings++;
    perp_stepper_fail(stepper, sofar, NULL, -1, NULL);
    cut half = {at.depth + 1, 1, at.looks, at.all, step.proved ? step.speed : 0.0};
    status = advance_by(stepper, t, 0.5 * h, uncut, half);
    half.same_start = 0;
    if (status == PERP_SOLVED)
        status = advance_by(stepper, t + 0.5 * h, 0.5 * h, uncut, half);
    if (status != PERP_SOLVED && at.depth == 0)
        perp_step_take_back(&step, &stepper->halved);
    return status;
}

perp_status perp_step_once(perp_step *step, double t, double h)
{
    attempts all = {0, 0};
    return advance_by(step->stepper, t, h, step->uncut, (cut){0, 0, 0, &all, 0.0});
}
