/* SPDX-License-Identifier: BSD-3-Clause */
/* Impacts at the start of a step, in stages: of the contacts with restitution that close within it
 * those that do so now are struck together, then those that close by what came out, until none is
 * left.  Each stage is Newton's law with friction on its own contacts alone,
 *
 *     M (v+ - v) = H' p + G' mu,   G v+ = 0,   0 <= u+_N + e u_N perp p_N >= 0,
 *
 * with all others left alone, so that what strikes a row of touching balls leaves at its end.  A
 * stage works p . (u + u+)/2; where friction at several contacts makes that positive the stage is
 * made again without restitution.  Approaches slower than the forces cause within a step are
 * left to the gap law: they end plastically, and so do impacts that accumulate. */
#include <math.h>
#include <string.h>

#include "kernel/integrators/discrete_gradient/discrete_gradient.h"
#include "kernel/step/stepper.h"

/* Stages for each contact at most. */
enum { STAGES = 4 };

static int may_strike(const perp_link *link)
{
    return perp_dg_role_of(link) == PERP_DG_CONTACT && (link->law.e > 0.0 || link->law.e_t > 0.0);
}

/* Does relation i of the link strike with rate u?  Its Jacobian at the start is in H. */
static int strikes(const perp_dg *dg, const perp_link *link, int i, double u)
{
    double a = perp_dg_acceleration(link, link->H, i), h = dg->h;
    return link->law.e > 0.0 && u < -a * h && u < 0.0 &&
           link->y_start[i] + h * u - 0.5 * a * h * h <= 0.0;
}

/* A contact of at most 3/2 h |u| may strike, see strikes(): else there is nothing to do. */
static int any_closing(const perp_dg *dg)
{
    for (int k = 0; k < dg->nlinks; k++) {
        const perp_link *link = dg->links[k];
        for (int i = 0; may_strike(link) && i < link->rows; i += link->law.dim)
            if (link->u_start[i] < 0.0 && link->y_start[i] <= -1.5 * dg->h * link->u_start[i])
                return 1;
    }
    return 0;
}

/* The rows of a struck contact; its other relations keep empty ones. */
static void strike_rows(perp_link *link, double restitution)
{
    int rows = link->rows, dim = link->law.dim;
    memcpy(link->left, link->H, sizeof(double) * (size_t)rows * (size_t)link->nv);
    memcpy(link->offset, link->spare, sizeof(double) * (size_t)rows);
    for (int i = 0; i < rows; i++) {
        int struck = link->mode[i / dim] & PERP_DG_STRUCK;
        double e = i % dim == 0 ? link->law.e : link->law.e_t;
        link->offset[i] = struck ? link->offset[i] + restitution * e * link->u[i] : i % dim == 0;
        for (int j = 0; !struck && j < link->nv; j++)
            link->left[i + j * rows] = 0.0;
    }
    link->symmetric = 1;
    link->own_restitution = 1;
}

/* Marks the contacts of the next stage and sets their rows; how many there are, -1: refused. */
static int next_stage(perp_step *step, perp_dg *dg)
{
    int struck = 0;
    for (int k = 0; k < dg->nlinks; k++) {
        perp_link *link = dg->links[k];
        link->active = 0;
        if (!may_strike(link))
            continue;
        if (perp_dg_start_rates(step, link)) {
            perp_step_callback_refused(step, PERP_INTERRUPTED, "interaction", link->slot);
            return -1;
        }
        for (int r = 0; r < link->relations; r++) {
            int i = r * link->law.dim, now = strikes(dg, link, i, link->u[i]);
            perp_dg_mark(link, r, now ? PERP_DG_STRUCK : 0);
            link->on[r] = (unsigned char)now;
            link->active |= now;
            struck += now;
        }
        memset(link->lambda, 0, sizeof(double) * (size_t)link->rows);
        if (link->active)
            strike_rows(link, 1.0);
    }
    return struck;
}

/* The struck systems by their masses, joints at the start of the step. */
static perp_status set_masses(perp_step *step, perp_dg *dg)
{
    for (int k = 0; k < dg->nsystems; k++) {
        perp_system *s = dg->systems[k];
        perp_status status = perp_dg_mass(step, s, PERP_START);
        if (status != PERP_SOLVED)
            return status;
    }
    perp_status status = perp_dg_joint_rates(step, dg, PERP_START);
    return status == PERP_SOLVED && dg->njoints ? perp_dg_factor(step, dg, 0) : status;
}

/* Impulses and the increments of the velocities, in work of the systems. */
static perp_status solve_stage(perp_step *step, perp_dg *dg)
{
    perp_dg_joint_targets(dg);
    for (int k = 0; k < dg->nsystems; k++)
        memset(dg->systems[k]->residual, 0, sizeof(double) * (size_t)dg->systems[k]->nv);
    perp_dg_increment(dg);
    for (int k = 0; k < dg->nsystems; k++) {
        perp_system *s = dg->systems[k];
        for (int i = 0; i < s->nv; i++)
            s->free[i] = s->v_kept[i] + s->work[i];
    }
    perp_status status = perp_dg_solve(step, dg, &dg->impact);
    if (status != PERP_SOLVED)
        return status;
    for (int k = 0; k < dg->nsystems; k++) {
        perp_system *s = dg->systems[k];
        memcpy(s->residual, s->p, sizeof(double) * (size_t)s->nv);
    }
    perp_dg_increment(dg);
    return PERP_SOLVED;
}

/* Work of the impulses of the stage, and its scale. */
static double work_of_stage(const perp_dg *dg, double *scale)
{
    double work = 0.0;
    *scale = 0.0;
    for (int k = 0; k < dg->nlinks; k++) {
        const perp_link *link = dg->links[k];
        int at = 0;
        if (!link->active)
            continue;
        for (int m = 0; m < link->nsystems; m++) {
            const perp_system *s = link->systems[m];
            for (int j = 0; j < s->nv; j++, at++)
                for (int i = 0; i < link->rows; i++) {
                    double part = link->lambda[i] * link->left[i + at * link->rows] *
                                  (s->v_kept[j] + 0.5 * s->work[j]);
                    work += part;
                    *scale += fabs(part);
                }
        }
    }
    return work;
}

static int note(perp_dg *dg, perp_link *link, const double *impulse)
{
    for (int i = 0; i < link->rows; i++) {
        if (impulse[i] == 0.0)
            continue;
        if (!perp_pool_grow(dg->pool, (void **)&dg->strikes, &dg->room_strikes, dg->nstrikes + 1,
                            sizeof *dg->strikes))
            return 0;
        dg->strikes[dg->nstrikes++] = (perp_dg_strike){link, i, impulse[i]};
    }
    return 1;
}

/* The velocities after the stage, and its impulses for the report. */
static perp_status accept_stage(perp_step *step, perp_dg *dg)
{
    for (int k = 0; k < dg->nsystems; k++) {
        perp_system *s = dg->systems[k];
        for (int i = 0; i < s->nv; i++)
            s->v_kept[i] += s->work[i];
    }
    int noted = 1;
    for (int k = 0; k < dg->nlinks && noted; k++)
        if (dg->links[k]->active)
            noted = note(dg, dg->links[k], dg->links[k]->lambda);
    for (int k = 0; k < dg->njoints && noted; k++)
        noted = note(dg, dg->joints[k], perp_dg_joint_increment(dg, dg->joints[k]));
    step->stepper->info.impacts++;
    return noted ? PERP_SOLVED : perp_step_refuse(step, PERP_ERR_MEMORY, NULL, -1, NULL);
}

static perp_status stage(perp_step *step, perp_dg *dg)
{
    double scale, work;
    perp_status status = solve_stage(step, dg);
    if (status != PERP_SOLVED)
        return status;
    work = work_of_stage(dg, &scale);
    if (work > 1e-12 * scale) {
        for (int k = 0; k < dg->nlinks; k++)
            if (dg->links[k]->active)
                strike_rows(dg->links[k], 0.0);
        status = solve_stage(step, dg);
    }
    return status == PERP_SOLVED ? accept_stage(step, dg) : status;
}

perp_status perp_dg_impacts(perp_step *step, perp_dg *dg)
{
    perp_status status = PERP_SOLVED;
    int struck, ready = 0;
    dg->nstrikes = 0;
    if (!any_closing(dg))
        return PERP_SOLVED;
    for (int k = 0; k < STAGES * dg->nlinks && status == PERP_SOLVED; k++) {
        struck = next_stage(step, dg);
        if (struck < 0)
            return PERP_INTERRUPTED;
        if (struck == 0)
            break;
        if (!ready)
            status = set_masses(step, dg);
        ready = 1;
        if (status == PERP_SOLVED)
            status = stage(step, dg);
    }
    for (int k = 0; k < dg->nlinks; k++)
        perp_dg_clear_marks(dg->links[k]);
    return status;
}

void perp_dg_add_strikes(const perp_dg *dg)
{
    for (int k = 0; k < dg->nstrikes; k++) {
        perp_link *link = dg->strikes[k].link;
        link->lambda[dg->strikes[k].row] += dg->strikes[k].impulse;
        link->on[dg->strikes[k].row / link->law.dim] = 1;
        link->active = 1;
    }
}
