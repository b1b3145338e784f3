/* SPDX-License-Identifier: BSD-3-Clause */
/* Slips that friction by the mean rate has turned around (gap_law.c) are stopped at the end of the
 * step: what sticks by the mean rate ends with its slip reversed, which would go to and fro for
 * ever.  Impulses dp at the contacts that carry load make the kinetic energy small,
 *
 *     minimise |v + dv|_M^2 / 2,  M dv = H' dp + G' nu,  G dv = 0,
 *     dp_N >= - k p_N,  |p_T + dp_T| <= mu (1 - k) p_N,
 *
 * with p those of the step, so that what friction gives in the whole step lies in the cone.  k is
 * half of what the contact has left of its cone, 1 - |p_T|/(mu p_N): one that slides is not pulled
 * to the other body, or those beside it would lift off to stop it.  With z_N = k p_N + dp_N and
 * z_T = p_T + dp_T this is friction with known bounds (Tresca).  Of what its solver gives as much
 * is taken as makes the energy least, dp = 0 being feasible: the stage only takes energy, however
 * well it was solved.  Joints are eliminated by the factors of the projection of velocities, which
 * comes before.
 *
 * Systems that joints and loaded contacts join are an island: those where no slip has turned around
 * are left alone, and each has its own part of its impulses. */
#include <math.h>
#include <string.h>

#include "kernel/integrators/discrete_gradient/discrete_gradient.h"
#include "kernel/laws/law.h"
#include "kernel/step/step_clock.h"
#include "kernel/step/stepper.h"

/* Newton's method from the impulses of the step; what it has after so many iterations is taken. */
enum { ITERATIONS = 20 };
/* From so many rows on a few sweeps come first where the tolerance is not below this: they take
 * energy as well, and cost less than one factorisation each. */
enum { MANY_ROWS = 300, SWEEPS = 60 };
static const double SWEPT_TOL = 1e-6;
/* Tolerance, of the slips whose work is nothing (dg->no_work).  Rate at which relations without
 * load are held apart, of what they have. */
static const double STILL = 0.1, APART = 1e3;
/* Of the energies of the step. */
static const double NOTHING = 1e-16;

int perp_dg_stops_slips(const perp_link *link)
{
    return link->active && link->law.kind == PERP_LAW_FRICTION && !perp_link_has_drift(link) &&
           perp_dg_role_of(link) == PERP_DG_CONTACT && !perp_law_is_soft(&link->law) &&
           !perp_law_rolls(&link->law);
}

/* H of row i times v, or times what is in `work` of the systems. */
static double rate(const perp_link *link, int i, int of_work)
{
    double sum = 0.0;
    const double *H = link->left + i;
    for (int k = 0; k < link->nsystems; k++) {
        const perp_system *s = link->systems[k];
        const double *v = of_work ? s->work : s->v[PERP_NOW];
        for (int j = 0; j < s->nv; j++, H += link->rows)
            sum += *H * v[j];
    }
    return sum;
}

/* Has relation r an impulse by its law, 0 <= u + b perp p >= 0 with its last rows?  Of what stays
 * open a solver may leave p = 1e-17, which carries nothing: with W p < u + b it is the gap that
 * holds. */
static int carries(const perp_link *link, int r)
{
    int i = r * link->law.dim;
    double p = link->lambda[i];
    return p > 0.0 && p * perp_dg_free_diagonal(link, i) >= rate(link, i, 0) + link->offset[i];
}

/* Does a contact that carries load end with a slip, by its last rows? */
static int has_turned(const perp_dg *dg, const perp_link *link)
{
    double none = dg->no_work * link->force_speed;
    int dim = link->law.dim;
    for (int r = 0; r < link->relations && perp_dg_stops_slips(link); r++) {
        double slip[2] = {0.0, 0.0};
        if (!(link->mode[r] & PERP_DG_BACKWARD) || !carries(link, r))
            continue;
        for (int i = 1; i < dim; i++)
            slip[i - 1] = rate(link, r * dim + i, 0);
        if (link->law.mu * hypot(slip[0], slip[1]) > none)
            return 1;
    }
    return 0;
}

int perp_dg_has_turned(const perp_dg *dg)
{
    for (int k = 0; k < dg->nlinks; k++)
        if (has_turned(dg, dg->links[k]))
            return 1;
    return 0;
}

static double length(const double *x, int n)
{
    return n == 1 ? fabs(x[0]) : hypot(x[0], x[1]);
}

/* k of a contact. */
static double part_left(const perp_link *link, int r)
{
    const double *p = link->lambda + r * link->law.dim;
    double most = link->law.mu * p[0];
    return most > 0.0 ? 0.5 * fmax(0.0, 1.0 - length(p + 1, link->law.dim - 1) / most) : 0.0;
}

static int has_load(const perp_link *link)
{
    for (int r = 0; r < link->relations && perp_dg_stops_slips(link); r++)
        if (carries(link, r))
            return 1;
    return 0;
}

static perp_dg_island *island_of(const perp_dg *dg, const perp_link *link)
{
    return perp_dg_island_of(dg, link->systems[0]);
}

/* Of all loaded contacts those of islands where a slip has turned around. */
static int leave_others(perp_dg *dg, int loaded)
{
    if (!perp_dg_find_islands(dg, dg->slipping, loaded))
        return 0;
    for (int k = 0; k < dg->nsystems; k++)
        dg->islands[k] = (perp_dg_island){0};
    for (int k = 0; k < dg->nlinks; k++)
        if (has_turned(dg, dg->links[k]))
            island_of(dg, dg->links[k])->turned = 1;
    dg->nslipping = 0;
    for (int k = 0; k < loaded; k++)
        if (island_of(dg, dg->slipping[k])->turned)
            dg->slipping[dg->nslipping++] = dg->slipping[k];
    return 1;
}

/* The contacts of the stage. */
static int list_contacts(perp_dg *dg)
{
    int relations = 0, loaded = 0;
    if (!perp_pool_grow(dg->pool, (void **)&dg->slipping, &dg->capacity_slipping, dg->nlinks,
                        sizeof(perp_link *)))
        return 0;
    for (int k = 0; k < dg->nlinks; k++)
        if (has_load(dg->links[k]))
            dg->slipping[loaded++] = dg->links[k];
    if (!leave_others(dg, loaded))
        return 0;
    for (int k = 0; k < dg->nslipping; k++)
        relations += dg->slipping[k]->relations;
    return perp_pool_grow(dg->pool, (void **)&dg->slip_bound, &dg->capacity_slip_bound, relations,
                          sizeof(double));
}

/* Rows at the end of the step; lambda = z of dp = 0, spare = p. */
static perp_status set_rows(perp_step *step, const perp_dg *dg, perp_link *link, double *bound)
{
    int dim = link->law.dim;
    const double *x = perp_link_gather_x(link, PERP_NOW);
    for (int r = 0; r < link->relations; r++)
        bound[r] = carries(link, r);
    if (perp_link_jacobian(link->left, link, step->t_end, x, link->lambda))
        return perp_step_callback_refused(step, PERP_INTERRUPTED, "interaction", link->slot);
    memcpy(link->spare, link->lambda, sizeof(double) * (size_t)link->rows);
    memset(link->offset, 0, sizeof(double) * (size_t)link->rows);
    link->bound = bound;
    for (int r = 0; r < link->relations; r++) {
        int loaded = bound[r] > 0.0;
        double p = loaded ? link->spare[r * dim] : 0.0, k = loaded ? part_left(link, r) : 0.0;
        bound[r] = (1.0 - k) * link->law.mu * p;
        link->lambda[r * dim] = k * p;
        if (!loaded)
            link->offset[r * dim] =
                APART * (fabs(rate(link, r * dim, 0)) + dg->h * dg->acceleration);
    }
    return PERP_SOLVED;
}

/* work of the systems = what these impulses change their velocities by. */
static void spread(perp_dg *dg)
{
    for (int k = 0; k < dg->nsystems; k++)
        memset(dg->systems[k]->residual, 0, sizeof(double) * (size_t)dg->systems[k]->nv);
    for (int k = 0; k < dg->nslipping; k++) {
        const perp_link *link = dg->slipping[k];
        const double *H = link->left;
        for (int m = 0; m < link->nsystems; m++)
            for (int j = 0; j < link->systems[m]->nv; j++, H += link->rows)
                for (int i = 0; i < link->rows; i++)
                    link->systems[m]->residual[j] += H[i] * link->lambda[i];
    }
    if (dg->njoints > 0)
        memset(dg->gap, 0, sizeof(double) * (size_t)perp_saddle_rows(&dg->saddle));
    perp_dg_increment(dg);
}

/* Masses, rows and free velocities at the end of the step. */
static perp_status set_up(perp_step *step, perp_dg *dg)
{
    perp_status status = PERP_SOLVED;
    double *bound = dg->slip_bound;
    for (int k = 0; k < dg->nsystems && status == PERP_SOLVED; k++) {
        perp_system *s = dg->systems[k];
        if (s->coupled >= 0) /* done by the projection of velocities */
            continue;
        status = perp_dg_mass(step, s, PERP_NOW);
        memcpy(s->v_kept, s->v[PERP_NOW], sizeof(double) * (size_t)s->nv);
    }
    for (int k = 0; k < dg->nslipping && status == PERP_SOLVED; k++) {
        status = set_rows(step, dg, dg->slipping[k], bound);
        bound += dg->slipping[k]->relations;
    }
    if (status != PERP_SOLVED)
        return status;
    spread(dg);
    for (int k = 0; k < dg->nsystems; k++) {
        perp_system *s = dg->systems[k];
        for (int i = 0; i < s->nv; i++)
            s->free[i] = s->v[PERP_NOW][i] - s->work[i];
    }
    return PERP_SOLVED;
}

/* From the impulses of the step, or, where sweeps did not end, from what they have. */
static perp_status sweep_or_solve(perp_one_step *one, perp_settings *settings, perp_info *info)
{
    perp_status status = PERP_STALLED;
    if (one->rows > MANY_ROWS && settings->tol >= SWEPT_TOL) {
        settings->max_iter = SWEEPS;
        status = perp_one_step_solve(one, "gs", settings, 1, info);
    }
    settings->max_iter = ITERATIONS;
    return status > 0 && status != PERP_INTERRUPTED
               ? perp_one_step_solve(one, "nsn", settings, 1, info)
               : status;
}

/* What the solver has in the end, which may be no solution. */
static perp_status solve(perp_step *step, perp_dg *dg)
{
    perp_one_step *one = &dg->slip;
    perp_settings settings = step->stepper->settings;
    perp_info info = {.size = sizeof info};
    one->saddle = dg->njoints ? &dg->saddle : NULL;
    perp_status status = perp_one_step_shape(one, dg->slipping, dg->nslipping, dg->systems,
                                             dg->nsystems, dg->version);
    if (status == PERP_SOLVED && one->rows > 0)
        status = perp_one_step_fill(one, dg->systems, dg->nsystems, 0);
    if (status != PERP_SOLVED)
        return perp_step_refuse(step, status, "form", -1, "the slips of the step");
    settings.tol = fmin(settings.tol, STILL * dg->no_work);
    double at = perp_step_clock(step->stepper);
    status = sweep_or_solve(one, &settings, &info);
    step->stepper->info.solve_seconds += perp_step_clock(step->stepper) - at;
    dg->slips_solved = status == PERP_SOLVED;
    return status == PERP_ERR_MEMORY    ? perp_step_refuse(step, status, NULL, -1, NULL)
           : status == PERP_INTERRUPTED ? status
                                        : PERP_SOLVED;
}

/* lambda = dp, with z moved into its bounds. */
static void take(const perp_one_step *one, perp_link *link)
{
    int dim = link->law.dim;
    for (int r = 0; r < link->relations; r++) {
        const double *z = one->z + link->first_row + r * dim, *p = link->spare + r * dim;
        double *dp = link->lambda + r * dim, size = length(z + 1, dim - 1);
        double part = size > link->bound[r] ? link->bound[r] / size : 1.0;
        dp[0] = fmax(z[0], 0.0) - dp[0];
        for (int i = 1; i < dim; i++)
            dp[i] = part * z[i] - p[i];
    }
}

static void find_slopes(const perp_dg *dg)
{
    for (int k = 0; k < dg->nslipping; k++) {
        const perp_link *link = dg->slipping[k];
        perp_dg_island *island = island_of(dg, link);
        for (int i = 0; i < link->rows; i++) {
            island->slope -= link->lambda[i] * rate(link, i, 0);
            island->curvature += link->lambda[i] * rate(link, i, 1);
        }
    }
}

/* The part of dp that makes the energy of an island least; 0 where it would rise. */
static double best_part(const perp_dg_island *island)
{
    double slope = island->slope, curvature = island->curvature;
    return slope > 0.0 && curvature > 0.0 ? fmin(1.0, slope / curvature) : 0.0;
}

/* The least of all islands; velocities of tolerances are all taken. */
static double least_part(const perp_dg *dg)
{
    double least = 1.0;
    for (int k = 0; k < dg->nslipping; k++) {
        const perp_dg_island *island = island_of(dg, dg->slipping[k]);
        double part = best_part(island), left = 1.0 - part;
        if (left * left * island->curvature > NOTHING * dg->energy)
            least = fmin(least, part);
    }
    return least;
}

perp_status perp_dg_stop_slips(perp_step *step, perp_dg *dg)
{
    if (!list_contacts(dg))
        return perp_step_refuse(step, PERP_ERR_MEMORY, NULL, -1, NULL);
    perp_status status = set_up(step, dg);
    if (status == PERP_SOLVED)
        status = solve(step, dg);
    if (status != PERP_SOLVED)
        return status;
    for (int k = 0; k < dg->nslipping; k++)
        take(&dg->slip, dg->slipping[k]);
    spread(dg);
    find_slopes(dg);
    dg->slip_part = least_part(dg);
    perp_dg_show(step, dg, PERP_PART_SLIPS);
    for (int k = 0; k < dg->nsystems; k++) {
        perp_system *s = dg->systems[k];
        double part = best_part(perp_dg_island_of(dg, s));
        for (int i = 0; i < s->nv; i++)
            s->v[PERP_NOW][i] += part * s->work[i];
    }
    for (int k = 0; k < dg->nslipping; k++) {
        perp_link *link = dg->slipping[k];
        double part = best_part(island_of(dg, link));
        for (int i = 0; i < link->rows; i++) /* what acted in the whole step */
            link->lambda[i] = link->spare[i] + part * link->lambda[i];
    }
    return PERP_SOLVED;
}
