/* SPDX-License-Identifier: BSD-3-Clause */
/* Newton's method for the smooth step.  At each iterate
 *
 *     A dv - Gb' dlambda - Hb' dp = - r,   Gb dv = - g(q)/(h theta),   law on Hb (v + dv) + b,
 *
 * A = M + h theta K - h theta dF/dv - h^2 theta^2 dF/dq with K the geometric stiffness of the
 * joints. K is taken as it is, with its negative parts, while A is positive definite on the motions
 * that the joints allow (as many negative pivots as rows); else, and where the iteration does not
 * end, its positive part is.  The joints are eliminated, so the law of the contacts sees the matrix
 * Hb (inverse of the saddle) Hb', symmetric and positive semidefinite in both cases.  The
 * gyroscopic term of what touches is left out of A, which would not be symmetric with it. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "kernel/integrators/discrete_gradient/discrete_gradient.h"
#include "kernel/relations/discrete_gradient.h"
#include "kernel/step/one_step_give.h"
#include "kernel/step/stepper.h"

void dsyev_(const char *jobz, const char *uplo, const int *n, double *a, const int *lda, double *w,
            double *work, const int *lwork, int *info);

enum { CLAMP_AFTER = 25, RELAX_AFTER = 4, LARGEST_JOINT = 24, FLIGHT = 3 };
/* Up to MIX_SURELY iterates are mixed only where the last one left more than this part of the
 * error: those of a loop that ends soon have changes in impulses that are not unique, which mixed
 * velocities know nothing of.  What goes on for longer may go to and fro between two of them. */
enum { MIX_SURELY = 8 };
static const double MIX_SLOW = 0.1;
/* Iterates for which rows of joints that followed from others at the start are left out: gaps that
 * the others do not close by then are their own. */
enum { TRUSTED = 12 };

/* Of the error two iterates before: what ends no faster goes to and fro. */
static const double CYCLE = 0.25;
/* Of the tolerance of the solver of the contacts: rates that are finer are not worth another solve.
 */
static const double SOLVED_PART = 0.1;
/* Of the momenta of a tumbling body. */
static const double ROUNDING = 16.0 * DBL_EPSILON;

/* Work and joint_x from residual and the targets of the joints: A dv = residual + G' dlambda. */
void perp_dg_increment(perp_dg *dg)
{
    int dofs = dg->njoints ? perp_saddle_dofs(&dg->saddle) : 0;
    for (int k = 0; k < dg->nopen; k++) {
        perp_system *s = dg->open[k];
        memcpy(s->work, s->residual, sizeof(double) * (size_t)s->nv);
        if (s->coupled < 0)
            perp_system_solve(s, s->work, 1);
        else
            memcpy(dg->saddle_x + s->coupled, s->residual, sizeof(double) * (size_t)s->nv);
    }
    if (dg->njoints == 0)
        return;
    memcpy(dg->saddle_x + dofs, dg->gap, sizeof(double) * (size_t)perp_saddle_rows(dg->factors));
    perp_saddle_solve(dg->factors, dg->saddle_x);
    for (int k = 0; k < dg->nopen; k++) {
        perp_system *s = dg->open[k];
        if (s->coupled >= 0)
            memcpy(s->work, dg->saddle_x + s->coupled, sizeof(double) * (size_t)s->nv);
    }
}

const double *perp_dg_joint_increment(const perp_dg *dg, const perp_link *link)
{
    return dg->saddle_x + perp_saddle_dofs(&dg->saddle) + link->first_row;
}

/* The positive part of K in the metric of the masses. */
static void clamp(double *K, const perp_link *link)
{
    int n = link->nv, lwork = 3 * LARGEST_JOINT * LARGEST_JOINT, info = 0, at = 0;
    double scale[LARGEST_JOINT], values[LARGEST_JOINT], work[3 * LARGEST_JOINT * LARGEST_JOINT];
    double V[LARGEST_JOINT * LARGEST_JOINT];
    for (int k = 0; k < link->nsystems; k++)
        for (int i = 0; i < link->systems[k]->nv; i++)
            scale[at++] = sqrt(fabs(perp_iteration_diagonal(&link->systems[k]->W, i)));
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            V[i + j * n] = K[i + j * n] / (scale[i] * scale[j]);
    dsyev_("V", "U", &n, V, &n, values, work, &lwork, &info);
    memset(K, 0, sizeof(double) * (size_t)n * (size_t)n);
    for (int k = 0; info == 0 && k < n; k++)
        for (int j = 0; values[k] > 0.0 && j < n; j++)
            for (int i = 0; i < n; i++)
                K[i + j * n] += values[k] * V[i + k * n] * V[j + k * n] * scale[i] * scale[j];
}

static void fill_stiffness(const perp_step *step, perp_dg *dg)
{
    double *K = dg->stiffness_block, t = step->t + 0.5 * dg->h;
    for (int k = 0; k < dg->njoints; k++) {
        perp_link *link = dg->joints[k];
        int smooth = !perp_link_is_coordinate(link) && !link->linear;
        int has =
            link->nv <= LARGEST_JOINT && (smooth ? perp_smooth_stiffness(K, link, t, link->lambda)
                                                 : perp_link_stiffness(K, link, link->lambda));
        dg->stiffness[k] = has ? K : NULL;
        K += has ? link->nv * link->nv : 0;
    }
}

perp_status perp_dg_factor(perp_step *step, perp_dg *dg, int with_stiffness)
{
    double weight = dg->h * dg->theta;
    int negative = 0, rows = perp_saddle_rows(&dg->saddle);
    const double *const *K = with_stiffness ? (const double *const *)dg->stiffness : NULL;
    if (with_stiffness)
        fill_stiffness(step, dg);
    perp_status status = PERP_ERR_SINGULAR;
    if (!with_stiffness || !dg->clamped)
        status = perp_saddle_factor(dg->factors, K, weight, &negative);
    if (with_stiffness && (status == PERP_ERR_SINGULAR || negative != rows)) {
        for (int k = 0; k < dg->njoints; k++)
            if (dg->stiffness[k])
                clamp(dg->stiffness[k], dg->joints[k]);
        perp_dg_history_forget(&dg->history);
        status = perp_saddle_factor(dg->factors, K, weight, &negative);
    }
    return status == PERP_SOLVED ? status
                                 : perp_step_refuse(step, status, "joints", -1,
                                                    "the matrix of the joints is singular");
}

/* Joints and contacts want a symmetric W; what moves freely has its own, and so converges. */
static void choose_gyroscopic(const perp_dg *dg)
{
    for (int k = 0; k < dg->nopen; k++)
        dg->open[k]->without_gyroscopic = dg->open[k]->coupled >= 0;
    for (int k = 0; k < dg->nlinks; k++)
        for (int m = 0; dg->links[k]->active && m < dg->links[k]->nsystems; m++)
            dg->links[k]->systems[m]->without_gyroscopic = 1;
}

/* Where its derivatives are taken: where its forces are, or, where these do not depend on v but by
 * the gyroscopic term, there. */
static const double *velocity_of(const perp_system *s)
{
    int gyroscopic = s->kind == PERP_SYSTEM_BODY && !s->as.body.f && !s->as.body.m;
    return gyroscopic ? s->v[PERP_GUESS] : s->v[PERP_NOW];
}

static perp_status matrix(perp_step *step, const perp_dg *dg, perp_system *s)
{
    double a = dg->h * dg->theta, *change = NULL;
    if (s->kind == PERP_SYSTEM_LAGRANGIAN && s->as.lagrangian.mass_q) {
        change = s->free;
        for (int i = 0; i < s->nv; i++)
            change[i] = s->v[PERP_NOW][i] - s->v_kept[i];
    }
    int shared = s->coupled >= 0 && !s->W_constant;
    perp_status status = (shared ? perp_system_matrix : perp_system_iteration)(
        s, step->t_end, s->q[PERP_GUESS], s->q[PERP_NOW], velocity_of(s), a, a * a, change,
        0.5 * a);
    return status == PERP_SOLVED ? status
                                 : perp_step_callback_refused(step, status, "system", s->slot);
}

/* Matrices at the iterate: W of each system, and the factors with the joints. */
static perp_status matrices(perp_step *step, perp_dg *dg)
{
    perp_status status = PERP_SOLVED;
    choose_gyroscopic(dg);
    for (int k = 0; k < dg->nopen && status == PERP_SOLVED; k++)
        status = matrix(step, dg, dg->open[k]);
    if (status != PERP_SOLVED)
        return status;
    if (dg->njoints == 0)
        return PERP_SOLVED;
    dg->moving.trusting = step->iteration < TRUSTED && dg->astray == 0 && !dg->moving.giving;
    status = perp_dg_factor(step, dg, 1);
    dg->moving.trusting = 0;
    return status;
}

/* The row as left v + offset = 0, for proofs that there is no solution. */
static void state_target(const perp_dg *dg, perp_link *link)
{
    const double *v = perp_link_gather_v(link, PERP_NOW), *gap = dg->gap + link->first_row;
    memcpy(link->offset, gap, sizeof(double) * (size_t)link->rows);
    perp_link_add_rates(link->offset, link->left, v, link->rows, link->nv);
    for (int i = 0; i < link->rows; i++)
        link->offset[i] = -link->offset[i];
}

/* residual becomes - (residual - p). */
static void turn_residuals(const perp_dg *dg)
{
    for (int k = 0; k < dg->nopen; k++) {
        perp_system *s = dg->open[k];
        for (int i = 0; i < s->nv; i++)
            s->residual[i] = s->p[i] - s->residual[i];
    }
}

int perp_dg_has_bias(const perp_dg *dg)
{
    for (int k = 0; k < dg->nopen; k++)
        if (dg->open[k]->biased)
            return 1;
    return 0;
}

/* Right-hand side of the increment, p being that of the joints, or all that the measure of the
 * iterate left there. */
static void right_hand_sides(perp_step *step, perp_dg *dg, int all)
{
    if (!all) {
        perp_dg_clear_impulses(dg);
        (void)perp_dg_add_impulses(step, dg, 1);
    }
    turn_residuals(dg);
    int rows = dg->njoints ? perp_saddle_rows(&dg->saddle) : 0;
    for (int i = 0; i < rows; i++)
        dg->gap[i] /= -(dg->h * dg->theta);
    for (int k = 0; k < dg->njoints; k++)
        state_target(dg, dg->joints[k]);
}

/* One increment: free motion, law of the contacts, both together.  error: of this iterate. */
static perp_status iterate(perp_step *step, perp_dg *dg, perp_dg_effort effort, double error)
{
    perp_status status = dg->keeps ? PERP_SOLVED : matrices(step, dg);
    if (status != PERP_SOLVED)
        return status;
    int all = dg->keeps && effort != PERP_DG_ROUGHLY; /* else laws and rows changed since */
    right_hand_sides(step, dg, all);
    if (dg->keeps && !all)
        status = perp_dg_add_contacts(step, dg);
    if (status == PERP_SOLVED && dg->turns)
        status = perp_dg_turning_increment(step, dg);
    else if (status == PERP_SOLVED)
        perp_dg_increment(dg);
    if (status != PERP_SOLVED)
        return status;
    for (int k = 0; k < dg->nopen; k++) {
        perp_system *s = dg->open[k];
        for (int i = 0; i < s->nv; i++)
            s->free[i] = s->v[PERP_NOW][i] + s->work[i];
    }
    status = perp_dg_solve_contacts(step, dg, effort, error);
    dg->rates_known = 1;
    if (status != PERP_SOLVED)
        return status;
    int other = dg->smooth.rows > 0; /* impulses than those of the free motion */
    if (other && dg->keeps)
        other = perp_dg_add_contact_changes(dg);
    for (int k = 0; dg->smooth.rows > 0 && !dg->keeps && k < dg->nopen; k++) {
        perp_system *s = dg->open[k];
        for (int i = 0; i < s->nv; i++)
            s->residual[i] += s->p[i] + (s->biased ? s->bias[i] : 0.0);
    }
    if (other)
        perp_dg_increment(dg);
    return perp_dg_advance(step, dg);
}

/* Velocities follow the impulses that the contacts have: where only the directions of these changed
 * with the rows, and the rates of the contacts are still those that their solver saw. */
static perp_status follow_momenta(perp_step *step, perp_dg *dg)
{
    perp_status status = matrices(step, dg);
    if (status != PERP_SOLVED)
        return status;
    turn_residuals(dg);
    perp_dg_increment(dg);
    return perp_dg_advance(step, dg);
}

/* Is the tolerance of the rates, so many times, well below what the solver of the contacts leaves?
 * Joints ask for all. */
static int is_below_solver(const perp_step *step, const perp_dg *dg, double times)
{
    double solved = SOLVED_PART * step->stepper->settings.tol;
    return times * dg->strictness * perp_dg_rate_tolerance() <= solved && dg->njoints == 0 &&
           dg->rates_known && dg->loose == 0.0;
}

static int may_follow(const perp_step *step, const perp_dg *dg, double rates)
{
    return is_below_solver(step, dg, 1.0) && rates <= 1.0 && !perp_dg_has_bias(dg);
}

/* Bodies that tumble freely, to rounding: what the tolerance leaves of their energy has a sign and
 * adds up over a flight. */
static perp_status finish_flights(perp_step *step, perp_dg *dg)
{
    choose_gyroscopic(dg);
    for (int k = 0; k < dg->nopen; k++) {
        perp_system *s = dg->open[k];
        if (s->kind != PERP_SYSTEM_BODY || s->without_gyroscopic || s->as.body.no_gyroscopic)
            continue;
        for (int again = 0; again < FLIGHT; again++) {
            perp_status status = perp_dg_forces(step, dg, s);
            double worst = 0.0, scale = 0.0;
            if (status != PERP_SOLVED)
                return perp_step_callback_refused(step, status, "system", s->slot);
            if (perp_system_mass_apply(s->work, s, s->q[PERP_GUESS], s->v_kept))
                return perp_step_callback_refused(step, PERP_INTERRUPTED, "system", s->slot);
            for (int i = 3; i < 6; i++) {
                worst = fmax(worst, fabs(s->residual[i]));
                scale = fmax(scale, fabs(s->work[i]));
            }
            if (worst <= ROUNDING * scale)
                break;
            status = matrix(step, dg, s);
            if (status != PERP_SOLVED)
                return status;
            memcpy(s->work, s->residual, sizeof(double) * (size_t)s->nv);
            perp_system_solve(s, s->work, 1);
            for (int i = 0; i < s->nv; i++)
                s->v[PERP_NOW][i] -= s->work[i];
            perp_dg_place_system(dg, s);
        }
    }
    return PERP_SOLVED;
}

/* 1: contacts that were not in the problem came into it, with their rows. */
static int take_missed(perp_step *step, perp_dg *dg, perp_status *status)
{
    int missed = perp_dg_catch_missed(step, dg);
    *status = missed < 0 ? PERP_INTERRUPTED : PERP_SOLVED;
    if (missed <= 0)
        return 0;
    dg->rates_known = 0;
    *status = perp_dg_rows(step, dg);
    return *status == PERP_SOLVED;
}

/* Of joints: does the loop end soon, or now? */
static int ends(const perp_step *step, const perp_dg *dg, double before, double error)
{
    return dg->njoints > 0 &&
           (error <= 1.0 || (step->iteration < MIX_SURELY && error < MIX_SLOW * before));
}

/* Of iterates that go to and fro one more is made where the last one tells of no joint. */
static int is_spent(const perp_step *step, const perp_dg *dg, int most)
{
    return step->iteration > most ||
           (step->iteration == most && (dg->njoints == 0 || perp_dg_stays_open(dg)));
}

static perp_status loop(perp_step *step, perp_dg *dg)
{
    perp_step_info *info = &step->stepper->info;
    int limit = step->stepper->options.newton_iter;
    double error = HUGE_VAL, before = HUGE_VAL, rates = 0.0, lost = HUGE_VAL;
    int turned = 0, followed = 0;
    dg->rates_known = dg->clamped = dg->keeps = dg->astray = dg->relaxed = 0;
    dg->loose = 0.0;
    dg->largest[0] = dg->largest[1] = dg->arm = 0.0;
    dg->turns = perp_dg_turns(dg);
    perp_dg_history_forget(&dg->history);
    for (step->iteration = 0;; step->iteration++) {
        double earlier = before;
        before = error;
        perp_dg_place(dg);
        dg->expects = step->iteration == 0;
        perp_status status = perp_dg_rows(step, dg);
        dg->expects = 0;
        if (status == PERP_SOLVED)
            status = perp_dg_measure(step, dg, &error, &rates);
        if (status != PERP_SOLVED)
            return status;
        perp_dg_count_astray(step, dg, lost);
        lost = dg->lost;
        if (error >
            before) /* differences that led astray, or are what the contacts' solver leaves */
            perp_dg_history_forget(&dg->history);
        info->newton_residual = error * perp_dg_tolerance(dg);
        if (error > before)
            dg->turns = 0;
        if (step->iteration > 0) {
            turned = perp_dg_turn_backward(step, dg);
            if (turned < 0)
                return PERP_INTERRUPTED;
            if (!turned && limit == 1 && dg->loose == 0.0)
                return PERP_SOLVED;
            if (!turned && perp_dg_is_enough(dg, before, error) && dg->loose == 0.0) {
                turned = take_missed(step, dg, &status);
                if (!turned)
                    return status == PERP_SOLVED ? finish_flights(step, dg) : status;
            }
            if (!turned && !followed && may_follow(step, dg, rates)) {
                followed = 1;
                info->newton++;
                status = follow_momenta(step, dg);
                if (status != PERP_SOLVED)
                    return status;
                continue;
            }
            followed = 0;
        }
        if (is_spent(step, dg, 2 * limit))
            return perp_dg_not_ended(step, dg);
        /* Increments by other laws say nothing of the next. */
        if (turned || ends(step, dg, before, error))
            perp_dg_history_forget(&dg->history);
        dg->clamped |= step->iteration >= CLAMP_AFTER;
        dg->relaxed += dg->relaxed || (step->iteration >= RELAX_AFTER && error > CYCLE * earlier);
        /* While laws change the rest need not be exact; where rows change no more, what resists
         * now would resist again. */
        perp_dg_effort effort = turned         ? PERP_DG_ROUGHLY
                                : error <= 1.0 ? PERP_DG_WHOLLY
                                               : PERP_DG_PARTLY;
        dg->keeps = perp_dg_may_keep(step, dg, before, error);
        dg->settles = !turned && step->iteration > 0 && is_below_solver(step, dg, fmax(1.0, rates));
        status = iterate(step, dg, effort, info->newton_residual);
        info->newton++;
        if (status != PERP_SOLVED)
            return status;
    }
}

/* Is its end v = v' + h M^-1 F, whatever the others do: tied to nothing, its forces constant? */
static int flies_alone(const perp_dg *dg, const perp_system *s)
{
    int turns = s->kind == PERP_SYSTEM_BODY && !s->as.body.no_gyroscopic;
    return s->plain && s->W_constant && !turns && s->coupled < 0 && dg->drives == 0 &&
           dg->coordinates == 0;
}

/* The end of what flies alone, from the accelerations in v[PERP_GUESS]. */
static void fly(const perp_dg *dg, perp_system *s)
{
    for (int i = 0; i < s->nv; i++)
        s->v[PERP_NOW][i] = s->v_kept[i] + dg->h * s->v[PERP_GUESS][i];
    memset(s->p, 0, sizeof(double) * (size_t)s->nv);
    perp_dg_place_system(dg, s);
}

/* What flies alone has its end, the others are left to the loop; 0: no memory. */
static int open_systems(perp_dg *dg)
{
    if (!perp_pool_grow(dg->pool, (void **)&dg->tied, &dg->capacity_tied, dg->nsystems,
                        sizeof *dg->tied))
        return 0;
    for (int k = 0; k < dg->nsystems; k++)
        dg->systems[k]->alone = flies_alone(dg, dg->systems[k]);
    for (int k = 0; k < dg->nlinks; k++)
        for (int m = 0; dg->links[k]->active && m < dg->links[k]->nsystems; m++)
            dg->links[k]->systems[m]->alone = 0;
    dg->open = dg->tied;
    dg->nopen = 0;
    for (int k = 0; k < dg->nsystems; k++) {
        perp_system *s = dg->systems[k];
        if (s->alone)
            fly(dg, s);
        else
            dg->open[dg->nopen++] = s;
    }
    return 1;
}

/* From the start, with joints that give way: what failed is no end of the step. */
static perp_status loop_giving(perp_step *step, perp_dg *dg)
{
    perp_stepper_fail(step->stepper, PERP_SOLVED, NULL, -1, NULL);
    dg->factors = &dg->saddle;
    perp_status status = perp_dg_give(step, dg);
    dg->factors = &dg->moving;
    if (status != PERP_SOLVED)
        return status;
    perp_dg_begin_loop(dg);
    dg->moving.giving = dg->giving;
    dg->gave = 1;
    status = loop(step, dg);
    dg->moving.giving = NULL;
    return status;
}

perp_status perp_dg_newton(perp_step *step, perp_dg *dg)
{
    if (!open_systems(dg))
        return perp_step_refuse(step, PERP_ERR_MEMORY, NULL, -1, NULL);
    dg->factors = &dg->moving;
    dg->moving.roughly = 1; /* the next iterate sees what solves leave */
    perp_status status = loop(step, dg);
    if (perp_dg_may_give(step, dg, status))
        status = loop_giving(step, dg);
    if (status == PERP_SOLVED)
        perp_dg_note_stresses(step, dg);
    dg->factors = &dg->saddle;
    dg->open = dg->systems;
    dg->nopen = dg->nsystems;
    return status;
}
