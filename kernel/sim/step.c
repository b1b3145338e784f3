/* SPDX-License-Identifier: BSD-3-Clause */
/* One step: free motion, index set, Newton loop over one-step problems, outputs. */
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
    const char *detail = status == PERP_INTERRUPTED    ? "a callback refused"
                         : status == PERP_ERR_SINGULAR ? "the iteration matrix is singular"
                                                       : NULL;
    return perp_sim_fail(step->sim, status, what, slot, detail);
}

static perp_status begin_systems(perp_step *step)
{
    for (int k = 0; k < step->nsystems; k++) {
        perp_system *s = step->systems[k];
        perp_status status = PERP_SOLVED;
        memcpy(s->q[PERP_START], s->q[PERP_NOW], sizeof(double) * (size_t)s->nq);
        if (s->v[PERP_NOW])
            memcpy(s->v[PERP_START], s->v[PERP_NOW], sizeof(double) * (size_t)s->nv);
        if (!s->started && of_system(step, s)->start)
            status = of_system(step, s)->start(step, s);
        s->started = 1;
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
        size_t bytes = sizeof(double) * (size_t)link->rows;
        memcpy(link->y_start, link->y, bytes);
        memcpy(link->u_start, link->u, bytes);
        memcpy(link->lambda_start, link->lambda, bytes);
        link->was_active = link->active;
        link->own_restitution = 0;
        perp_status status = of_link(step, link)->activate(step, link);
        if (status != PERP_SOLVED)
            return refused(step, status, "interaction", link->slot);
        if (!link->active)
            memset(link->lambda, 0, bytes);
    }
    return PERP_SOLVED;
}

/* The state, outputs and multipliers of the start of the step. */
static void restore(perp_step *step)
{
    for (int k = 0; k < step->nsystems; k++) {
        perp_system *s = step->systems[k];
        memcpy(s->q[PERP_NOW], s->q[PERP_START], sizeof(double) * (size_t)s->nq);
        if (s->v[PERP_NOW])
            memcpy(s->v[PERP_NOW], s->v[PERP_START], sizeof(double) * (size_t)s->nv);
    }
    for (int k = 0; k < step->nlinks; k++) {
        perp_link *link = step->links[k];
        size_t bytes = sizeof(double) * (size_t)link->rows;
        memcpy(link->y, link->y_start, bytes);
        memcpy(link->u, link->u_start, bytes);
        memcpy(link->lambda, link->lambda_start, bytes);
        link->active = link->was_active;
        memset(link->on, link->active, (size_t)link->relations);
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
        status = of_link(step, link)->rows(step, link);
        same &= ready && link->ready;
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

/* Solves, and asks what to do where that failed.  *halve: redo the step in two. */
static perp_status solve(perp_step *step, int *halve)
{
    perp_sim *sim = step->sim;
    perp_info *info = &sim->info.solver;
    const char *solver = sim->options.solver;
    int warm = !sim->options.cold;
    for (int attempt = 0;; attempt++) {
        perp_status status =
            perp_one_step_solve(&sim->one, solver, &sim->options.settings, warm, info);
        sim->info.solves++;
        if (status == PERP_SOLVED)
            return status;
        if (status < 0 && status != PERP_ERR_NUMERICAL)
            return perp_sim_fail(sim, status, info->where.what, info->where.index,
                                 "the one-step problem was refused");
        perp_failure_action action;
        if (sim->on_failure) {
            action = sim->on_failure(sim->failure_ctx, sim, info, attempt, &solver);
        } else {
            action = attempt == 0 ? PERP_FAILURE_RETRY : PERP_FAILURE_ACCEPT;
            solver = "gs";
        }
        if (action == PERP_FAILURE_RETRY)
            continue;
        *halve = action == PERP_FAILURE_HALVE;
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

static perp_status residual(perp_step *step, double *norm)
{
    double square = 0.0;
    for (int k = 0; k < step->nsystems; k++) {
        perp_system *s = step->systems[k];
        perp_status status = of_system(step, s)->residual(&square, step, s);
        if (status != PERP_SOLVED)
            return refused(step, status, "system", s->slot);
    }
    for (int k = 0; k < step->nlinks; k++) {
        perp_link *link = step->links[k];
        if (!of_link(step, link)->relation_residual)
            continue;
        perp_status status = of_link(step, link)->relation_residual(&square, step, link);
        if (status != PERP_SOLVED)
            return refused(step, status, "interaction", link->slot);
    }
    *norm = sqrt(square);
    return isfinite(*norm) ? PERP_SOLVED
                           : perp_sim_fail(step->sim, PERP_ERR_NUMERICAL, "newton", -1,
                                           "the Newton iterate is not finite");
}

static perp_status newton(perp_step *step, int *halve)
{
    perp_sim *sim = step->sim;
    perp_step_info *info = &sim->info;
    for (step->iteration = 0;; step->iteration++) {
        double at = perp_stopwatch(sim);
        perp_status status = assemble(step);
        info->assembly_seconds += perp_stopwatch(sim) - at;
        at = perp_stopwatch(sim);
        if (status == PERP_SOLVED && sim->one.rows > 0)
            status = solve(step, halve);
        info->solve_seconds += perp_stopwatch(sim) - at;
        if (status != PERP_SOLVED)
            return status;
        at = perp_stopwatch(sim);
        status = advance(step);
        info->newton++;
        if (status == PERP_SOLVED && !sim->linear && sim->options.newton_iter > 1)
            status = residual(step, &info->newton_residual);
        info->update_seconds += perp_stopwatch(sim) - at;
        if (status != PERP_SOLVED)
            return status;
        if (sim->linear || sim->options.newton_iter == 1 ||
            info->newton_residual <= sim->options.newton_tol)
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
        if (status != PERP_SOLVED)
            return refused(step, status, "scheme", k);
        *again |= wanted;
    }
    return PERP_SOLVED;
}

/* Outputs at the new state; the largest violation of the constraints there. */
static perp_status outputs(perp_step *step)
{
    double worst = 0.0;
    for (int k = 0; k < step->nlinks; k++) {
        perp_link *link = step->links[k];
        perp_status status = of_link(step, link)->output(step, link);
        if (status != PERP_SOLVED)
            return refused(step, status, "interaction", link->slot);
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
        memcpy(s->q[PERP_NOW], s->q[PERP_START], sizeof(double) * (size_t)s->nq);
        if (s->v[PERP_NOW])
            memcpy(s->v[PERP_NOW], s->v[PERP_START], sizeof(double) * (size_t)s->nv);
        perp_status status = of_system(step, s)->begin(step, s);
        if (status != PERP_SOLVED)
            return refused(step, status, "system", s->slot);
    }
    return PERP_SOLVED;
}

/* A force that is not finite shows in the state alone where no residual is taken. */
static perp_status finite_states(perp_step *step)
{
    for (int k = 0; k < step->nsystems; k++) {
        const perp_system *s = step->systems[k];
        const double *x = s->v[PERP_NOW] ? s->v[PERP_NOW] : s->q[PERP_NOW];
        double sum = 0.0;
        for (int i = 0; i < s->nv; i++)
            sum += 0.0 * x[i];
        if (!(sum == 0.0))
            return perp_sim_fail(step->sim, PERP_ERR_NUMERICAL, "system", s->slot,
                                 "the new state is not finite");
    }
    return PERP_SOLVED;
}

static void accepted(perp_step *step)
{
    for (int k = 0; k < step->nsystems; k++) {
        perp_system *s = step->systems[k];
        if (of_system(step, s)->accepted)
            of_system(step, s)->accepted(step, s);
    }
}

static perp_status whole(perp_step *step, int *halve)
{
    perp_status status = begin_systems(step);
    if (status == PERP_SOLVED)
        status = begin_links(step);
    for (int again = 1; again && status == PERP_SOLVED; step->pass++) {
        if (step->pass > 0)
            status = begin_again(step);
        if (status == PERP_SOLVED)
            status = newton(step, halve);
        if (status == PERP_SOLVED)
            status = finish(step, &again);
    }
    if (status == PERP_SOLVED)
        status = finite_states(step);
    if (status == PERP_SOLVED)
        status = outputs(step);
    if (status == PERP_SOLVED)
        accepted(step);
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
                      .nlinks = sim->nlinks};
    int halve = 0;
    perp_status status = whole(&step, &halve);
    if (status == PERP_SOLVED)
        return status;
    restore(&step);
    if (!halve || depth >= HALVINGS)
        return status;
    sim->info.halvings++;
    sim->info.status = PERP_SOLVED;
    if (depth == 0 && perp_sim_keep(sim) != PERP_SOLVED)
        return perp_sim_fail(sim, PERP_ERR_MEMORY, NULL, -1, NULL);
    status = advance_by(sim, t, 0.5 * h, depth + 1);
    if (status == PERP_SOLVED)
        status = advance_by(sim, t + 0.5 * h, 0.5 * h, depth + 1);
    if (status != PERP_SOLVED && depth == 0)
        perp_sim_take_back(sim);
    return status;
}

perp_status perp_sim_advance(perp_sim *sim, double h)
{
    return advance_by(sim, sim->t, h, 0);
}
