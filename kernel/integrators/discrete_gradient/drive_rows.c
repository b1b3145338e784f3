/* SPDX-License-Identifier: BSD-3-Clause */
/* Drives under the discrete-gradient scheme: a row on the rate u = Gb v by a discrete gradient, so
 * that the work of a drive in a step is its impulse times the change of its coordinate over h,
 *
 *     p . ub = p (y_1 - y_0)/h,
 *
 * and that of a servo taken half way is minus the change of its energy k (y - target)^2/2, less
 * what its damper takes.  Dry friction sees u + (1 - theta)/theta u' where it would give energy, as
 * friction of contacts does (gap_law.c). */
#include <math.h>
#include <string.h>

#include "kernel/integrators/discrete_gradient/discrete_gradient.h"
#include "kernel/step/stepper.h"

/* A servo with h omega above this, omega^2 = k H W^-1 H', is taken at the end of the step. */
static const double STIFF = 1.0;

double perp_dg_drive_offset(const perp_dg *dg, const perp_link *link, double u_start,
                            double *compliance)
{
    double offset, before = (1.0 - dg->theta) / dg->theta;
    perp_law_drive(&offset, compliance, &link->law, dg->h, dg->theta, link->y_start[0], u_start,
                   link->key[0]);
    return link->mode[0] & PERP_DG_BACKWARD ? offset + before * u_start : offset;
}

void perp_dg_drive_row(const perp_dg *dg, perp_link *link)
{
    double compliance, u_start = perp_dg_start_rate(dg, link, 0, link->offset[0]);
    link->offset[0] += perp_dg_drive_offset(dg, link, u_start, &compliance);
    link->symmetric = compliance == 0.0;
    if (link->symmetric)
        return;
    link->D[0] = compliance;
    perp_dg_transpose_left(link);
}

/* H M^-1 H' of a row by its bodies alone, with H at the start; adds what the force of the last step
 * does to the accelerations of the free motion.  Of what joints hold it says nothing: a part
 * without a mass of its own between two joints would be thrown by the friction in one of them. */
static double mobility(const perp_link *link)
{
    const double *H = link->H;
    double sum = 0.0;
    for (int k = 0; k < link->nsystems; k++) {
        perp_system *s = link->systems[k];
        memcpy(s->work, H, sizeof(double) * (size_t)s->nv);
        perp_system_solve(s, s->work, 1);
        for (int j = 0; j < s->nv; j++) {
            sum += H[j] * s->work[j];
            if (s->coupled < 0)
                s->v[PERP_GUESS][j] += link->lambda_start[0] * s->work[j];
        }
        H += s->nv;
    }
    return sum;
}

static int is_tied(const perp_link *link)
{
    for (int k = 0; k < link->nsystems; k++)
        if (link->systems[k]->coupled >= 0)
            return 1;
    return 0;
}

/* The same where the joints hold, their factors being those of the start. */
static double mobility_in_joints(perp_dg *dg, const perp_link *link)
{
    const double *H = link->H;
    double sum = 0.0;
    for (int k = 0; k < dg->nsystems; k++)
        memset(dg->systems[k]->residual, 0, sizeof(double) * (size_t)dg->systems[k]->nv);
    for (int k = 0; k < link->nsystems; H += link->systems[k++]->nv)
        memcpy(link->systems[k]->residual, H, sizeof(double) * (size_t)link->systems[k]->nv);
    memset(dg->gap, 0, sizeof(double) * (size_t)perp_saddle_rows(&dg->saddle));
    perp_dg_increment(dg);
    H = link->H;
    for (int k = 0; k < link->nsystems; H += link->systems[k++]->nv)
        for (int j = 0; j < link->systems[k]->nv; j++)
            sum += H[j] * link->systems[k]->work[j];
    return sum;
}

static perp_status choose_place(perp_step *step, perp_dg *dg, perp_link *link, double mobile,
                                int *factored)
{
    double scale = dg->h * dg->h * link->law.stiffness;
    link->key[0] = 0.5;
    if (link->law.drive != PERP_DRIVE_SERVO || scale * mobile <= STIFF * STIFF)
        return PERP_SOLVED;
    if (is_tied(link)) {
        perp_status status = PERP_SOLVED;
        if (!*factored)
            status = perp_dg_joint_rates(step, dg, PERP_START);
        if (status == PERP_SOLVED && !*factored)
            status = perp_dg_factor(step, dg, 0);
        if (status != PERP_SOLVED)
            return status;
        *factored = 1;
        mobile = mobility_in_joints(dg, link);
    }
    if (scale * mobile > STIFF * STIFF)
        link->key[0] = 1.0;
    return PERP_SOLVED;
}

perp_status perp_dg_begin_drives(perp_step *step, perp_dg *dg)
{
    perp_status status = PERP_SOLVED;
    int factored = 0;
    dg->drives = dg->coordinates = 0;
    for (int k = 0; k < dg->nlinks && status == PERP_SOLVED; k++) {
        perp_link *link = dg->links[k];
        dg->coordinates += perp_link_is_coordinate(link);
        if (link->law.drive == PERP_DRIVE_NONE)
            continue;
        dg->drives++;
        if (perp_dg_start_rates(step, link))
            return perp_step_callback_refused(step, PERP_INTERRUPTED, "interaction", link->slot);
        status = choose_place(step, dg, link, mobility(link), &factored);
    }
    return status;
}
