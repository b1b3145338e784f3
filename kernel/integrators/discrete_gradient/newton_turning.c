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
 * Its product with an increment is taken from the right-hand side of that increment.  Where the
 * symmetric part alone leaves some part of an error, this leaves the square of it. */
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
/* Of an increment: what these parts change in it at most.  Heavy loads at the end of chains of
 * light bodies have larger ones, and no such series would end. */
static const double PART = 0.02;

int perp_dg_turns(const perp_dg *dg)
{
    double most = SLOW / dg->h;
    for (int k = 0; dg->njoints > 0 && k < dg->nopen; k++) {
        const perp_system *s = dg->open[k];
        const double *omega = s->v_kept + 3;
        if (s->coupled >= 0 && s->kind == PERP_SYSTEM_BODY && perp_dot3(omega, omega) > most * most)
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

static void take_gyroscopic(const perp_dg *dg, perp_system *s, double part)
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
        s->residual[3 + i] -= part * dg->h * dg->theta * (a[i] + b[i]);
}

/* Of one body; columns: those of left that are its rotation. */
static void take_moment(const perp_dg *dg, perp_system *s, const double *columns,
                        const double *lambda, int rows, double part)
{
    double tau[3] = {0.0}, x[3];
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < rows; i++)
            tau[j] += columns[i + j * rows] * lambda[i];
    perp_cross3(x, tau, s->work + 3);
    for (int j = 0; j < 3; j++)
        s->residual[3 + j] += part * 0.25 * dg->h * dg->theta * x[j];
}

/* sum += H end - left x of one system, size += magnitudes of the last terms. */
static inline __attribute__((always_inline)) void
add_columns(double *restrict sum, double *restrict size, const double *H, const double *left,
            const double *end, const double *x, int rows, int nv)
{
    for (int j = 0; j < nv; j++, left += rows, H += rows)
        for (int i = 0; i < rows; i++) {
            double change = left[i] * x[j];
            sum[i] += H[i] * end[j] - change;
            size[i] += fabs(change);
        }
}

/* Pivots, and couplings of their coordinates, by their numbers of rows. */
static void add_system(double *sum, double *size, const double *H, const double *left,
                       const double *end, const perp_system *s, int rows)
{
    if (rows == 5 && s->nv == 6)
        add_columns(sum, size, H, left, end, s->work, 5, 6);
    else if (rows == 1)
        add_columns(sum, size, H, left, end, s->work, 1, s->nv);
    else
        add_columns(sum, size, H, left, end, s->work, rows, s->nv);
}

static void take_joint(const perp_dg *dg, perp_link *link, double part)
{
    int rows = link->rows;
    double *sum = link->spare, *size = link->mismatch, turned[6];
    const double *left = link->left, *H = link->H;
    memset(sum, 0, sizeof *sum * (size_t)rows);
    memset(size, 0, sizeof *size * (size_t)rows);
    for (int k = 0; k < link->nsystems; k++) {
        perp_system *s = link->systems[k];
        const double *end = s->work;
        if (s->kind == PERP_SYSTEM_BODY) {
            memcpy(turned, s->work, 3 * sizeof *turned);
            turn_to_end(turned + 3, s->v[PERP_GUESS] + 3, s->work + 3, dg->h);
            take_moment(dg, s, left + 3 * rows, link->lambda, rows, part);
            end = turned;
        }
        add_system(sum, size, H, left, end, s, rows);
        left += rows * s->nv;
        H += rows * s->nv;
    }
    for (int i = 0; i < rows; i++)
        if (fabs(sum[i]) <= NEAR * size[i])
            dg->gap[link->first_row + i] -= part * sum[i];
}

/* `part` times the product with the increment in work, from residual and gap. */
static void take(const perp_dg *dg, double part)
{
    for (int k = 0; k < dg->nopen; k++) {
        perp_system *s = dg->open[k];
        if (s->coupled >= 0 && s->kind == PERP_SYSTEM_BODY && !s->as.body.no_gyroscopic)
            take_gyroscopic(dg, s, part);
    }
    for (int k = 0; k < dg->njoints; k++)
        if (is_of_bodies(dg->joints[k]))
            take_joint(dg, dg->joints[k], part);
}

static void keep_increment(const perp_dg *dg)
{
    double *kept = dg->lanczos;
    for (int k = 0; k < dg->nopen; kept += dg->open[k++]->nv)
        memcpy(kept, dg->open[k]->work, sizeof *kept * (size_t)dg->open[k]->nv);
}

/* Did the increment change by a small part of what is kept, in the metric of the masses? */
static int is_small(const perp_dg *dg)
{
    const double *kept = dg->lanczos;
    double change = 0.0, whole = 0.0;
    for (int k = 0; k < dg->nopen; k++) {
        const perp_system *s = dg->open[k];
        for (int i = 0; i < s->nv; i++, kept++) {
            double d = s->work[i] - *kept;
            change += d * d / s->ledger.weight[i];
            whole += *kept * *kept / s->ledger.weight[i];
        }
    }
    return change <= PART * PART * whole;
}

/* As before the product was taken; no other one is in this step. */
static void take_back(perp_dg *dg)
{
    const double *kept = dg->lanczos;
    for (int k = 0; k < dg->nopen; kept += dg->open[k++]->nv)
        memcpy(dg->open[k]->work, kept, sizeof *kept * (size_t)dg->open[k]->nv);
    take(dg, -1.0);
    dg->turns = 0;
}

static void subtract_impulses(const perp_dg *dg)
{
    for (int k = 0; k < dg->nopen; k++) {
        perp_system *s = dg->open[k];
        for (int i = 0; i < s->nv; i++)
            s->residual[i] -= s->p[i];
    }
}

perp_status perp_dg_turning_increment(perp_step *step, perp_dg *dg)
{
    int contacts = !dg->keeps && dg->nlinks > 0; /* the right-hand side is without them */
    perp_status status = dg->keeps ? PERP_SOLVED : find_ends(step, dg);
    if (status == PERP_SOLVED && contacts)
        status = perp_dg_add_contacts(step, dg);
    if (status != PERP_SOLVED)
        return status;
    perp_dg_increment(dg);
    keep_increment(dg);
    take(dg, 1.0);
    perp_dg_increment(dg);
    if (!is_small(dg))
        take_back(dg);
    if (contacts)
        subtract_impulses(dg);
    if (contacts || !dg->turns)
        perp_dg_increment(dg);
    return PERP_SOLVED;
}
