/* SPDX-License-Identifier: BSD-3-Clause */
/* What the matrix of the Newton loop leaves out at bodies with joints, since it is not symmetric.
 * With d omega the change of a rate of rotation it is
 *
 *     h theta (d omega x I omega + omega x I d omega)    the gyroscopic term,
 *     - h theta/4 tau x d omega                          the skew part of the stiffness of the
 *                                                        joints, tau their moment on the body,
 *     (H_1 J - Gb) dv                                    in the rows of the joints: their outputs
 *                                                        change by H at the end of the step, with
 *                                                        J = 1 - [h omega]/2 + [h omega]^2/6 on
 *                                                        rotations.
 *
 * Its product with an increment is taken from the right-hand side of that increment.  Factors of
 * the symmetric part alone leave h omega of an error, with this they leave the square of it. */
#include <math.h>
#include <string.h>

#include "kernel/integrators/discrete_gradient/discrete_gradient.h"
#include "kernel/relations/twist.h"
#include "kernel/step/stepper.h"

/* Turns in a step below which the symmetric part is as good. */
static const double SLOW = 1e-3;
/* A row that changes by more than this part of its terms otherwise than Gb says turns around in the
 * step, or turns too far for J. */
static const double NEAR = 0.5;

int perp_dg_turns(const perp_dg *dg)
{
    double most = SLOW / dg->h;
    for (int k = 0; dg->njoints > 0 && k < dg->nopen; k++) {
        const perp_system *s = dg->open[k];
        const double *omega = s->v_kept + 3;
        if (s->coupled >= 0 && s->kind == PERP_SYSTEM_BODY &&
            perp_dot3(omega, omega) > most * most)
            return 1;
    }
    return 0;
}

static int is_of_bodies(const perp_link *link)
{
    return perp_link_is_coordinate(link) && !link->guide;
}

/* H at the end, of the joints. */
static perp_status find_ends(perp_step *step, const perp_dg *dg)
{
    for (int k = 0; k < dg->njoints; k++) {
        perp_link *link = dg->joints[k];
        if (is_of_bodies(link) &&
            perp_link_jacobian(link->H, link, step->t_end, perp_link_gather_x(link, PERP_NOW),
                               link->lambda))
            return perp_step_callback_refused(step, PERP_INTERRUPTED, "interaction", link->slot);
    }
    return PERP_SOLVED;
}

/* x = J d omega. */
static void turn_to_end(double *x, const double *omega, const double *change, double h)
{
    double once[3], twice[3];
    perp_cross3(once, omega, change);
    perp_cross3(twice, omega, once);
    for (int i = 0; i < 3; i++)
        x[i] = change[i] - 0.5 * h * once[i] + h * h / 6.0 * twice[i];
}

static void take_gyroscopic(const perp_dg *dg, perp_system *s)
{
    const double *I = s->as.body.inertia, *omega = s->v[PERP_GUESS] + 3, *change = s->work + 3;
    double momentum[3], after[3], a[3], b[3];
    for (int i = 0; i < 3; i++) {
        momentum[i] = I[i] * omega[0] + I[i + 3] * omega[1] + I[i + 6] * omega[2];
        after[i] = I[i] * change[0] + I[i + 3] * change[1] + I[i + 6] * change[2];
    }
    perp_cross3(a, change, momentum);
    perp_cross3(b, omega, after);
    for (int i = 0; i < 3; i++)
        s->residual[3 + i] -= dg->h * dg->theta * (a[i] + b[i]);
}

/* Of one body, whose columns of left begin here. */
static void take_moment(const perp_dg *dg, perp_system *s, const perp_link *link,
                        const double *left)
{
    double tau[3] = {0.0}, x[3];
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < link->rows; i++)
            tau[j] += left[i + (3 + j) * link->rows] * link->lambda[i];
    perp_cross3(x, tau, s->work + 3);
    for (int j = 0; j < 3; j++)
        s->residual[3 + j] += 0.25 * dg->h * dg->theta * x[j];
}

static void take_joint(const perp_dg *dg, perp_link *link)
{
    int rows = link->rows;
    double *sum = link->spare, *size = link->mismatch, *end = link->momentum;
    const double *left = link->left, *H = link->H;
    memset(sum, 0, sizeof *sum * (size_t)rows);
    memset(size, 0, sizeof *size * (size_t)rows);
    for (int k = 0; k < link->nsystems; k++) {
        perp_system *s = link->systems[k];
        memcpy(end, s->work, sizeof *end * (size_t)s->nv);
        if (s->kind == PERP_SYSTEM_BODY) {
            turn_to_end(end + 3, s->v[PERP_GUESS] + 3, s->work + 3, dg->h);
            take_moment(dg, s, link, left);
        }
        for (int j = 0; j < s->nv; j++, left += rows, H += rows)
            for (int i = 0; i < rows; i++) {
                double change = left[i] * s->work[j];
                sum[i] += H[i] * end[j] - change;
                size[i] += fabs(change);
            }
    }
    for (int i = 0; i < rows; i++)
        if (fabs(sum[i]) <= NEAR * size[i])
            dg->gap[link->first_row + i] -= sum[i];
}

/* The increment by the right-hand side as it is, to which the impulses of the contacts are added
 * where it is without them. */
static perp_status first_increment(perp_step *step, perp_dg *dg)
{
    if (dg->keeps || dg->nlinks == 0) {
        perp_dg_increment(dg);
        return PERP_SOLVED;
    }
    perp_status status = perp_dg_add_contacts(step, dg);
    if (status != PERP_SOLVED)
        return status;
    perp_dg_increment(dg);
    for (int k = 0; k < dg->nopen; k++) {
        perp_system *s = dg->open[k];
        for (int i = 0; i < s->nv; i++)
            s->residual[i] -= s->p[i];
    }
    return PERP_SOLVED;
}

perp_status perp_dg_take_turning(perp_step *step, perp_dg *dg)
{
    perp_status status = dg->keeps ? PERP_SOLVED : find_ends(step, dg);
    if (status == PERP_SOLVED)
        status = first_increment(step, dg);
    if (status != PERP_SOLVED)
        return status;
    for (int k = 0; k < dg->nopen; k++) {
        perp_system *s = dg->open[k];
        if (s->coupled >= 0 && s->kind == PERP_SYSTEM_BODY && !s->as.body.no_gyroscopic)
            take_gyroscopic(dg, s);
    }
    for (int k = 0; k < dg->njoints; k++)
        if (is_of_bodies(dg->joints[k]))
            take_joint(dg, dg->joints[k]);
    return PERP_SOLVED;
}
