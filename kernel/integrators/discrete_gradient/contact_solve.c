/* SPDX-License-Identifier: BSD-3-Clause */
/* The law of the contacts at an iterate of the Newton loop.  The next iterate has other rows, so
 * the first solves need not be exact, and one that resists may be left: with its rows a little
 * changed it often does not ([DemboEtAl1982]).  The last one is always solved to the tolerance. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "kernel/integrators/discrete_gradient/discrete_gradient.h"
#include "kernel/laws/law.h"
#include "kernel/step/rest.h"
#include "kernel/step/squeeze.h"
#include "kernel/step/step_clock.h"
#include "kernel/step/stepper.h"

/* Iterates whose solves may end early; iterations that each may take, sweeps or factorisations;
 * rows from which a looser tolerance saves more than another iterate costs. */
enum { PARTLY = 15, BUDGET = 700, MANY_ROWS = 400 };
/* The same where laws still change. */
enum { SOME_ROWS = 50 };
/* By how much a solve reduces the error of its iterate, largest tolerance, and error with which a
 * solve that ran out of iterations may be left. */
static const double REDUCTION = 1e-3, LOOSEST = 1e-4, ENOUGH = 1e-3;

/* Rates within this part of the speed that forces give in a step are what sums round. */
static const double ROUNDING = 64.0 * DBL_EPSILON;
/* Impulses so many times all momenta are looked at again, with so much of the largest entry on the
 * diagonal; those that are left are at most this part. */
static const double WEDGED = 1e2, GIVING = 1e-9, MUCH_LESS = 0.1;
/* Of the diagonal of free bodies; of the rates of rounding. */
static const double HELD = 1e-10, HELD_RATE = 16.0;

/* What rounding of places leaves in one rate, as the measures of the solver see it. */
static double rounding_of(const perp_dg *dg, const perp_one_step *one)
{
    double none = 0.0, rates = 0.0, impulses = 0.0;
    for (int a = 0; dg->njoints > 0 && a < one->nactive; a++)
        none = fmax(none, perp_dg_no_rate(dg, one->active[a]));
    for (int i = 0; none > 0.0 && i < one->rows; i++) {
        rates += one->q[i] * one->q[i];
        impulses += one->z[i] * one->z[i];
    }
    double base = sqrt(fmax(rates, impulses));
    return base > 0.0 ? none / base : 0.0;
}

/* Bodies that joints hold still have rates of rounding alone, whose signs may contradict each other
 * where a body is wedged: then they are none.  Nor are those of single rows, which joints may hold
 * as well. */
static void drop_rounding(const perp_dg *dg, perp_one_step *one)
{
    int all = one->rows > 0; /* else there are no arrays */
    for (int a = 0; a < one->nactive; a++) {
        const perp_link *link = one->active[a];
        double none = perp_dg_no_rate(dg, link), most = none + ROUNDING * dg->h * dg->acceleration;
        for (int i = link->first_row; i < link->first_row + link->rows; i++) {
            all &= fabs(one->q[i]) <= most;
            one->q[i] = fabs(one->q[i]) <= none ? 0.0 : one->q[i];
        }
        const double *inner = one->q + link->first_row + link->rows;
        for (int i = 0; i < link->inner; i++)
            all &= fabs(inner[i]) <= most;
    }
    if (!all)
        return;
    memset(one->q, 0, sizeof *one->q * (size_t)one->rows);
    memset(one->z, 0, sizeof *one->z * (size_t)one->rows);
}

double perp_dg_free_diagonal(const perp_link *link, int i)
{
    const double *H = link->left + i;
    double sum = 0.0;
    for (int k = 0; k < link->nsystems; k++)
        for (int j = 0; j < link->systems[k]->nv; j++, H += link->rows)
            sum += *H * *H * link->systems[k]->ledger.weight[j];
    return sum;
}

/* A contact between bodies that joints hold together: no impulse changes its rates.  The normal one
 * is that of rounding, or opens; the tangential ones are, too, or what the mean configuration of
 * the step makes of the turn of both.  No impulse is an answer whatever these are, and with the
 * diagonal of bodies that are free it is the one. */
static void release_held(const perp_dg *dg, perp_one_step *one)
{
    if (dg->njoints == 0 || one->form == PERP_FORM_DELASSUS)
        return;
    for (int a = 0; a < one->nactive; a++) {
        const perp_link *link = one->active[a];
        double most = HELD_RATE * perp_dg_no_rate(dg, link);
        int dim = perp_dg_role_of(link) == PERP_DG_CONTACT ? link->law.dim : 0;
        for (int r = 0; dim > 0 && r < link->rows; r += dim) {
            int row = link->first_row + r, held = one->q[row] >= -most;
            for (int i = 0; held && i < dim; i++)
                held = perp_one_step_diagonal(one, row + i) <=
                       HELD * perp_dg_free_diagonal(link, r + i);
            for (int i = 0; held && i < dim; i++)
                perp_one_step_add_diagonal(one, row + i, perp_dg_free_diagonal(link, r + i));
        }
    }
}

perp_status perp_dg_add_contacts(perp_step *step, perp_dg *dg)
{
    perp_dg_clear_impulses(dg);
    perp_status status = perp_dg_add_impulses(step, dg, 0);
    for (int k = 0; k < dg->nopen; k++) {
        perp_system *s = dg->open[k];
        for (int i = 0; i < s->nv; i++)
            s->residual[i] += s->p[i];
    }
    return status;
}

int perp_dg_add_contact_changes(const perp_dg *dg)
{
    const perp_one_step *one = &dg->smooth;
    if (memcmp(one->z, dg->multipliers, sizeof *one->z * (size_t)one->rows) == 0)
        return 0;
    for (int a = 0; a < one->nactive; a++) {
        const perp_link *link = one->active[a];
        const double *z = one->z + link->first_row, *before = dg->multipliers + link->first_row;
        const double *H = link->left;
        for (int m = 0; m < link->nsystems; m++)
            for (int j = 0; j < link->systems[m]->nv; j++, H += link->rows)
                for (int i = 0; i < link->rows; i++)
                    link->systems[m]->residual[j] += H[i] * (z[i] - before[i]);
    }
    return 1;
}

/* Rows and matrix, or the matrix of an earlier iterate, for the changes of the impulses. */
static perp_status pose(perp_step *step, perp_dg *dg, perp_one_step *one, int keeps)
{
    one->saddle = dg->njoints ? dg->factors : NULL;
    int smooth = one == &dg->smooth;
    perp_status status = perp_one_step_shape(one, smooth ? dg->links : dg->stage.links,
                                             smooth ? dg->nlinks : dg->stage.nlinks, dg->systems,
                                             dg->nsystems, dg->version);
    for (int k = 0; k < dg->nopen; k++)
        memset(dg->open[k]->p, 0, sizeof(double) * (size_t)dg->open[k]->nv);
    if (status == PERP_SOLVED && one->rows > 0)
        status = perp_one_step_fill(one, dg->systems, dg->nsystems, keeps);
    if (status == PERP_SOLVED && keeps && one->rows > 0)
        status = perp_one_step_from_start(one);
    if (status == PERP_SOLVED)
        drop_rounding(dg, one);
    if (status == PERP_SOLVED && one->rows > 0) {
        release_held(dg, one);
        perp_dg_hold_stresses(step, dg, one);
        dg->rounding = one->enough = rounding_of(dg, one);
    }
    if (status != PERP_SOLVED)
        return perp_step_refuse(step, status, "form", -1, "the contacts of the step");
    if (!perp_pool_grow(dg->pool, (void **)&dg->multipliers, &dg->capacity_multipliers, one->rows,
                        sizeof(double)))
        return perp_step_refuse(step, PERP_ERR_MEMORY, NULL, -1, NULL);
    if (one->rows > 0)
        memcpy(dg->multipliers, one->z, sizeof(double) * (size_t)one->rows);
    if (one->rows > 0 || step->stepper->shown == &step->stepper->one)
        step->stepper->shown = one; /* the last problem that has rows */
    return PERP_SOLVED;
}

static perp_status solve_to_tolerance(perp_step *step, perp_one_step *one)
{
    perp_stepper *stepper = step->stepper;
    double at = perp_step_clock(stepper);
    step->one = one;
    perp_status status = perp_step_solve(step);
    step->one = &stepper->one;
    stepper->info.solve_seconds += perp_step_clock(stepper) - at;
    return status;
}

/* Those that carry are found to a loose tolerance, and what is outside of a cone is no friction. */
static void shrink(perp_one_step *one)
{
    for (int a = 0; a < one->nactive; a++) {
        const perp_link *link = one->active[a];
        for (int r = 0; r < link->rows; r += link->law.dim)
            perp_law_shrink(&link->law, one->z + link->first_row + r);
    }
}

perp_status perp_dg_solve(perp_step *step, perp_dg *dg, perp_one_step *one)
{
    perp_status status = pose(step, dg, one, 0);
    if (status != PERP_SOLVED || one->rows == 0)
        return status;
    status = solve_to_tolerance(step, one);
    if (status == PERP_SOLVED && one == &dg->impact)
        shrink(one);
    if (status == PERP_SOLVED)
        perp_one_step_scatter(one, dg->open, dg->nopen);
    return status;
}

static perp_status solve_once(perp_step *step, perp_dg *dg, const perp_settings *settings)
{
    perp_stepper *stepper = step->stepper;
    double at = perp_step_clock(stepper);
    stepper->info.solves++;
    perp_status status =
        perp_one_step_solve_first(&dg->smooth, stepper->options.solver, settings,
                                  stepper->options.warm_start, &stepper->solver_info);
    stepper->info.solve_seconds += perp_step_clock(stepper) - at;
    return status;
}

/* 1: it ran out of iterations too far from a solution to be left. */
static int is_far(perp_status status, const perp_info *info)
{
    return status > 0 && status != PERP_INTERRUPTED && info->error > ENOUGH;
}

/* 1: z is good enough to go on from. */
static int solve_early(perp_step *step, perp_dg *dg, perp_dg_effort effort, double error)
{
    perp_stepper *stepper = step->stepper;
    perp_info *info = &stepper->solver_info;
    perp_settings settings = stepper->settings;
    int rows = perp_one_step_hard_rows(&dg->smooth, stepper->options.solver);
    if (effort == PERP_DG_ROUGHLY && rows >= SOME_ROWS)
        settings.tol = fmax(settings.tol, LOOSEST);
    else if (rows >= MANY_ROWS)
        settings.tol = fmax(settings.tol, fmin(LOOSEST, REDUCTION * error));
    if (settings.max_iter == 0 || settings.max_iter > BUDGET)
        settings.max_iter = BUDGET;
    if (settings.tol > stepper->settings.tol)
        dg->smooth.strict_start = 1;
    if (dg->rounding > settings.tol)
        dg->smooth.enough = fmax(dg->rounding, fmin(LOOSEST, REDUCTION * error));
    step->relief = 0.0;
    perp_status status = solve_once(step, dg, &settings);
    if (is_far(status, info)) { /* with as many iterations as it takes, to this tolerance */
        settings.max_iter = stepper->settings.max_iter;
        status = solve_once(step, dg, &settings);
    }
    dg->smooth.enough = dg->rounding;
    dg->loose = info->error > fmax(stepper->settings.tol, dg->rounding) ? info->error : 0.0;
    /* The solve of the step asks again and ends it, and looks for a proof that there is no solution
     * where impulses are far beyond all momenta. */
    if (status == PERP_INTERRUPTED || perp_squeeze_is_likely(&dg->smooth, dg->h))
        return 0;
    return status == PERP_SOLVED || (status > 0 && info->error <= ENOUGH);
}

/* An iterate that is taken with an error moves the bodies a little; the next step turns them back,
 * the one after stops them, and the multipliers that this leaves have the very error again. */
static const double QUIET = 1e-3; /* of the tolerance: error of such a start */

static void note_rest(perp_step *step, const perp_dg *dg)
{
    const perp_info *info = &step->stepper->solver_info;
    double *restless = perp_step_carry(step) + PERP_CARRY_RESTLESS;
    if (dg->smooth.strict_start < 2)
        return;
    if (info->notes & PERP_NOTE_SETTLED || dg->smooth.strict_start > 3)
        *restless = PERP_REST_STEPS;
    else if (info->iterations == 0 && info->error <= QUIET * step->stepper->settings.tol)
        *restless = fmax(*restless - 1.0, 0.0);
}

/* Do all bodies that touch begin at rest, to the last bit, as scenes of what stands are made? */
static int is_from_rest(const perp_one_step *one)
{
    for (int k = 0; k < one->ntouched; k++)
        for (int i = 0; i < one->touched[k]->nv; i++)
            if (one->touched[k]->v_kept[i] != 0.0)
                return 0;
    return 1;
}

/* A sweep changes impulses by what the solver leaves, and turns the rows: where rates differ by
 * less a start within the tolerance is taken as it is, or an iterate would be a sweep for ever. */
static int strictness(perp_step *step, const perp_dg *dg, const perp_one_step *one)
{
    if (dg->settles)
        return 0;
    if (step->stepper->info.solves > dg->solves || perp_dg_is_stressed(dg))
        return 1;
    if (is_from_rest(one))
        return 4;
    return perp_step_carry(step)[PERP_CARRY_RESTLESS] > 0.0 ? 3 : 2;
}

static double largest_of(const double *z, int n)
{
    double largest = 0.0;
    for (int i = 0; i < n; i++)
        largest = fmax(largest, fabs(z[i]));
    return largest;
}

/* The largest impulse is that of a contact with friction.  What strings in a line hold is a load.
 */
static int rubs_most(const perp_one_step *one)
{
    double largest = 0.0;
    int rubs = 0;
    for (int a = 0; a < one->nactive; a++) {
        const perp_link *link = one->active[a];
        double own = largest_of(one->z + link->first_row, link->rows);
        if (own > largest)
            rubs = link->law.kind == PERP_LAW_FRICTION && link->law.mu > 0.0;
        largest = fmax(largest, own);
    }
    return rubs;
}

/* Contacts whose cones of friction see each other, as of a ball in a right angle with a friction of
 * 1, hold any impulses among themselves, and a solver may have some that are beyond all momenta.
 * Those of contacts that give way by nothing are the least; where they are not much less than the
 * others there are no smaller ones, and the others stand.  What joints hold is held there
 * (joint_stresses.c). */
static perp_status release_wedged(perp_step *step, perp_dg *dg, perp_one_step *one)
{
    size_t bytes = sizeof(double) * (size_t)one->rows;
    if (one->form == PERP_FORM_DELASSUS || step->stepper->on_failure || dg->njoints > 0 ||
        !perp_squeeze_is_beyond(one, dg->h, WEDGED) || !rubs_most(one))
        return PERP_SOLVED;
    if (!perp_pool_grow(dg->pool, (void **)&dg->wedged, &dg->capacity_wedged, 2 * one->rows,
                        sizeof(double)))
        return perp_step_refuse(step, PERP_ERR_MEMORY, NULL, -1, NULL);
    memcpy(dg->wedged, one->z, bytes);
    memcpy(dg->wedged + one->rows, one->w, bytes);
    memset(one->z, 0, bytes);
    (void)perp_one_step_shift(one, GIVING);
    perp_info kept = step->stepper->solver_info;
    perp_status status = solve_once(step, dg, &step->stepper->settings);
    if (status == PERP_INTERRUPTED || status == PERP_ERR_MEMORY)
        return status;
    double before = largest_of(dg->wedged, one->rows), after = largest_of(one->z, one->rows);
    if (status == PERP_SOLVED && after <= MUCH_LESS * before)
        return status;
    step->stepper->solver_info = kept;
    memcpy(one->z, dg->wedged, bytes);
    memcpy(one->w, dg->wedged + one->rows, bytes);
    return PERP_SOLVED;
}

perp_status perp_dg_solve_contacts(perp_step *step, perp_dg *dg, perp_dg_effort effort,
                                   double error)
{
    perp_one_step *one = &dg->smooth;
    perp_status status = pose(step, dg, one, dg->keeps);
    one->strict_start = strictness(step, dg, one);
    int early = effort != PERP_DG_WHOLLY && step->iteration < PARTLY &&
                !step->stepper->on_failure && !one->linear && one->strict_start < 4;
    dg->loose = 0.0;
    if (status != PERP_SOLVED || one->rows == 0)
        return status;
    if (!early || !solve_early(step, dg, effort, error)) {
        dg->loose = 0.0;
        status = solve_to_tolerance(step, one);
    }
    if (status == PERP_SOLVED)
        status = release_wedged(step, dg, one);
    note_rest(step, dg);
    if (status == PERP_SOLVED)
        perp_one_step_scatter(one, dg->open, dg->nopen);
    return status;
}
