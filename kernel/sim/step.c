/* SPDX-License-Identifier: BSD-3-Clause */
/* One step: free motion, index set, Newton loop over one-step problems, outputs. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "kernel/sim/sim_inside.h"
#include "kernel/sim/stopwatch.h"

static const perp_integrator *of_system(const perp_step *step, const perp_system *s)
{
    return step->sim->integrators[s->scheme];
}

static const perp_integrator *of_link(const perp_step *step, const perp_link *link)
{
    return step->sim->integrators[link->systems[0]->scheme];
}

static perp_status refused(perp_step *step, perp_status status, const char *what, int slot)
{
    const char *detail = status == PERP_INTERRUPTED ? "a callback refused"
                         : status == PERP_ERR_SINGULAR
                             ? "the iteration matrix is singular or not finite"
                             : NULL;
    return perp_sim_fail(step->sim, status, what, slot, detail);
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
            return refused(step, status, "system", s->slot);
    }
    return PERP_SOLVED;
}

static perp_status begin_links(perp_step *step)
{
    for (int k = 0; k < step->nlinks; k++) {
        perp_link *link = step->links[k];
        link->own_restitution = 0;
        perp_status status = of_link(step, link)->activate(step, link);
        if (status != PERP_SOLVED)
            return refused(step, status, "interaction", link->slot);
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
    }
}

/* W and the free state of each system, blocks of each active link, M and q. */
static perp_status assemble(perp_step *step)
{
    perp_sim *sim = step->sim;
    perp_one_step *one = &sim->one;
    for (int k = 0; k < step->nsystems; k++) {
        perp_system *s = step->systems[k];
        if (s->biased) {
            memset(s->bias, 0, sizeof(double) * (size_t)s->nv);
            s->biased = 0;
        }
        perp_status status = of_system(step, s)->iterate(step, s);
        sim->info.differences |= s->differences;
        if (status != PERP_SOLVED)
            return refused(step, status, "system", s->slot);
    }
    perp_status status = perp_one_step_shape(one, step->links, step->nlinks, step->systems,
                                             step->nsystems, sim->version);
    int same = 1;
    for (int k = 0; k < one->nactive && status == PERP_SOLVED; k++) {
        perp_link *link = one->active[k];
        int ready = link->ready;
        double key[2] = {link->key[0], link->key[1]};
        status = of_link(step, link)->rows(step, link);
        same &= ready && link->ready && key[0] == link->key[0] && key[1] == link->key[1];
        sim->info.differences |= link->differences;
        if (status != PERP_SOLVED)
            return refused(step, status, "interaction", link->slot);
    }
    if (status == PERP_SOLVED && one->rows > 0)
        status = perp_one_step_fill(one, step->systems, step->nsystems, same);
    if (status == PERP_ERR_UNSUPPORTED)
        return perp_sim_fail(sim, status, "form", -1,
                             one->form == PERP_FORM_BSR
                                 ? "blocks of several sizes: choose csc"
                                 : "the global form needs inputs that are transposed outputs");
    return status == PERP_SOLVED ? status : perp_sim_fail(sim, status, NULL, -1, NULL);
}

enum { ATTEMPTS = 100 };

perp_status perp_sim_solve(perp_step *step)
{
    perp_sim *sim = step->sim;
    perp_info *info = &sim->info.solver;
    const char *solver = sim->options.solver;
    int warm = !sim->options.cold;
    perp_status last = PERP_SOLVED;
    for (int attempt = 0;; attempt++) {
        perp_status status =
            perp_one_step_solve(step->one, solver, &sim->options.settings, warm, info);
        sim->info.solves++;
        if (status == PERP_SOLVED)
            return status;
        /* The solver of the standard retry does not take the problem: the iterate stays. */
        if (status == PERP_ERR_UNSUPPORTED && !sim->on_failure && last > 0) {
            sim->info.status = last;
            return PERP_SOLVED;
        }
        last = status;
        if (status < 0 && status != PERP_ERR_NUMERICAL)
            return perp_sim_fail(sim, status, info->where.what, info->where.index,
                                 "the one-step problem was refused");
        perp_failure_action action;
        if (sim->on_failure) {
            solver = solver ? solver : info->solver;
            action = sim->on_failure(sim->failure_ctx, sim, info, attempt, &solver);
        } else {
            action = attempt == 0 ? PERP_FAILURE_RETRY : PERP_FAILURE_ACCEPT;
            solver = "gs";
        }
        if (action == PERP_FAILURE_RETRY && attempt + 1 < ATTEMPTS)
            continue;
        step->halve = action == PERP_FAILURE_HALVE;
        if (action == PERP_FAILURE_ACCEPT && status > 0) {
            sim->info.status = status;
            return PERP_SOLVED;
        }
        return perp_sim_fail(sim, status, "solver", -1, "the one-step problem was not solved");
    }
}

static perp_status advance(perp_step *step)
{
    if (step->sim->one.rows > 0)
        perp_one_step_scatter(&step->sim->one, step->systems, step->nsystems);
    else
        for (int k = 0; k < step->nsystems; k++)
            memset(step->systems[k]->p, 0, sizeof(double) * (size_t)step->systems[k]->nv);
    for (int k = 0; k < step->nsystems; k++) {
        perp_system *s = step->systems[k];
        perp_status status = of_system(step, s)->advance(step, s);
        if (status != PERP_SOLVED)
            return refused(step, status, "system", s->slot);
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
            return refused(step, status, "system", s->slot);
        if (!isfinite(square))
            return perp_sim_fail(step->sim, PERP_ERR_NUMERICAL, "system", s->slot,
                                 "the Newton iterate is not finite");
    }
    dynamics = square;
    for (int k = 0; k < step->nlinks; k++) {
        perp_link *link = step->links[k];
        if (!of_link(step, link)->relation_residual)
            continue;
        perp_status status = of_link(step, link)->relation_residual(&square, step, link);
        if (status != PERP_SOLVED)
            return refused(step, status, "interaction", link->slot);
    }
    *relations = sqrt(square - dynamics);
    *norm = sqrt(square);
    return isfinite(*norm) ? PERP_SOLVED
                           : perp_sim_fail(step->sim, PERP_ERR_NUMERICAL, "interaction", -1,
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
    const perp_sim *sim = step->sim;
    double norm = sim->info.newton_residual, tol = sim->options.newton_tol;
    if (sim->linear || sim->options.newton_iter == 1 || norm <= tol)
        return 1;
    return step->iteration > 0 && norm > 0.5 * before && relations <= tol &&
           is_rounding(step, norm);
}

static perp_status newton(perp_step *step)
{
    perp_sim *sim = step->sim;
    perp_step_info *info = &sim->info;
    double relations = 0.0;
    for (step->iteration = 0;; step->iteration++) {
        double at = perp_stopwatch(sim), before = info->newton_residual;
        perp_status status = assemble(step);
        info->assembly_seconds += perp_stopwatch(sim) - at;
        at = perp_stopwatch(sim);
        if (status == PERP_SOLVED && sim->one.rows > 0)
            status = perp_sim_solve(step);
        info->solve_seconds += perp_stopwatch(sim) - at;
        if (status != PERP_SOLVED)
            return status;
        at = perp_stopwatch(sim);
        status = advance(step);
        info->newton++;
        if (status == PERP_SOLVED && !sim->linear && sim->options.newton_iter > 1)
            status = residual(step, &info->newton_residual, &relations);
        info->update_seconds += perp_stopwatch(sim) - at;
        if (status != PERP_SOLVED)
            return status;
        if (is_converged(step, before, relations))
            return PERP_SOLVED;
        if (step->iteration + 1 >= sim->options.newton_iter) {
            info->status = PERP_ITERATION_LIMIT;
            return PERP_SOLVED;
        }
    }
}

static perp_status finish(perp_step *step, int *again)
{
    *again = 0;
    for (int k = 0; k < step->sim->nschemes; k++) {
        if (!step->sim->integrators[k]->finish)
            continue;
        int wanted = 0;
        perp_status status = step->sim->integrators[k]->finish(step, k, &wanted);
        if (status != PERP_SOLVED) /* it may have said itself what is wrong */
            return step->sim->info.status == status ? status : refused(step, status, "scheme", k);
        *again |= wanted;
    }
    return PERP_SOLVED;
}

perp_status perp_sim_outputs(perp_step *step)
{
    double worst = 0.0;
    for (int k = 0; k < step->nlinks; k++) {
        perp_link *link = step->links[k];
        perp_status status = of_link(step, link)->output(step, link);
        if (status != PERP_SOLVED)
            return refused(step, status, "interaction", link->slot);
        if (!perp_link_sound(link))
            return perp_sim_fail(step->sim, PERP_ERR_NUMERICAL, "interaction", link->slot,
                                 "the new output is not a number");
        double violation = perp_law_violation(&link->law, link->y, link->rows);
        worst = violation > worst ? violation : worst;
    }
    step->sim->info.violation = worst;
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
            return refused(step, status, "system", s->slot);
    }
    return PERP_SOLVED;
}

perp_status perp_sim_finite_states(perp_step *step)
{
    for (int k = 0; k < step->nsystems; k++) {
        const perp_system *s = step->systems[k];
        if (!perp_finite(s->q[PERP_NOW], s->nq) ||
            (s->v[PERP_NOW] && !perp_finite(s->v[PERP_NOW], s->nv)))
            return perp_sim_fail(step->sim, PERP_ERR_NUMERICAL, "system", s->slot,
                                 "the new state is not finite");
    }
    return PERP_SOLVED;
}

void perp_sim_accepted(perp_step *step)
{
    for (int k = 0; k < step->nsystems; k++) {
        perp_system *s = step->systems[k];
        s->started = 1;
        if (of_system(step, s)->accepted)
            of_system(step, s)->accepted(step, s);
    }
}

static perp_status whole(perp_step *step)
{
    remember(step);
    perp_status status = begin_systems(step);
    if (status == PERP_SOLVED)
        status = begin_links(step);
    for (int again = 1; again && status == PERP_SOLVED; step->pass++) {
        if (step->pass > 0)
            status = begin_again(step);
        if (status == PERP_SOLVED)
            status = newton(step);
        if (status == PERP_SOLVED)
            status = finish(step, &again);
    }
    if (status == PERP_SOLVED)
        status = perp_sim_finite_states(step);
    if (status == PERP_SOLVED)
        status = perp_sim_outputs(step);
    if (status == PERP_SOLVED)
        perp_sim_accepted(step);
    return status;
}

enum { HALVINGS = 20 };

static perp_status advance_by(perp_sim *sim, double t, double h, int depth)
{
    perp_step step = {.sim = sim,
                      .schemes = sim->schemes,
                      .t = t,
                      .t_end = t + h,
                      .h = h,
                      .global = sim->options.form == PERP_FORM_DELASSUS,
                      .systems = sim->systems,
                      .nsystems = sim->nsystems,
                      .links = sim->links,
                      .nlinks = sim->nlinks,
                      .one = &sim->one};
    sim->shown = &sim->one;
    perp_status sofar = sim->info.status, status = whole(&step);
    if (status == PERP_SOLVED)
        return status;
    restore(&step);
    if (!step.halve || depth >= HALVINGS)
        return status;
    if (depth == 0 && perp_sim_keep(sim, &sim->kept) != PERP_SOLVED)
        return perp_sim_fail(sim, PERP_ERR_MEMORY, NULL, -1, NULL);
    sim->info.halvings++;
    perp_sim_fail(sim, sofar, NULL, -1, NULL);
    status = advance_by(sim, t, 0.5 * h, depth + 1);
    if (status == PERP_SOLVED)
        status = advance_by(sim, t + 0.5 * h, 0.5 * h, depth + 1);
    if (status != PERP_SOLVED && depth == 0)
        perp_sim_take_back(sim, &sim->kept);
    return status;
}

perp_status perp_step_once(perp_step *step, double t, double h)
{
    return advance_by(step->sim, t, h, 0);
}

perp_status perp_sim_advance(perp_sim *sim, double h)
{
    if (sim->march)
        return perp_sim_march(sim, sim->t, h);
    perp_status status = advance_by(sim, sim->t, h, 0);
    if (status == PERP_SOLVED)
        sim->info.inner = 1;
    return status;
}
