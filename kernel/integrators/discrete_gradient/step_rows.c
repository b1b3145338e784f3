/* SPDX-License-Identifier: BSD-3-Clause */
/* States, rows and impulses of the discrete-gradient scheme at one iterate of its Newton loop. */
#include <math.h>
#include <string.h>

#include "kernel/integrators/discrete_gradient/discrete_gradient.h"
#include "kernel/step/stepper.h"
#include "kernel/integrators/moreau_jean.h"
#include "kernel/relations/discrete_gradient.h"

perp_dg_role perp_dg_role_of(const perp_link *link)
{
    if (perp_link_has_input(link))
        return PERP_DG_INPUT;
    if (perp_link_has_feedthrough(link))
        return PERP_DG_COMPLIANT;
    if (link->law.kind == PERP_LAW_EQUALITY)
        return PERP_DG_JOINT;
    return link->law.kind == PERP_LAW_BOX ? PERP_DG_RATE : PERP_DG_CONTACT;
}

int perp_dg_start_rates(perp_step *step, perp_link *link)
{
    const double *x = perp_link_gather_x(link, PERP_START);
    if (perp_link_jacobian(link->H, link, step->t, x, link->lambda_start) ||
        perp_link_drift(link->spare, link, step->t, x, link->lambda_start))
        return 1;
    double *v = link->V;
    for (int k = 0; k < link->nsystems; k++)
        for (int j = 0; j < link->systems[k]->nv; j++)
            *v++ = link->systems[k]->v_kept[j];
    perp_link_rate(link->u, link, link->H, link->V, link->spare);
    return 0;
}

double perp_dg_unit(const perp_dg *dg, const perp_link *link)
{
    return perp_link_has_feedthrough(link) || link->law.kind == PERP_LAW_BOX ? dg->h : 1.0;
}

void perp_dg_place_system(const perp_dg *dg, perp_system *s)
{
    const double *v = s->v[PERP_NOW], *v_start = s->v_kept;
    double *mean = s->v[PERP_GUESS];
    for (int i = 0; i < s->nv; i++)
        mean[i] = dg->theta * v[i] + (1.0 - dg->theta) * v_start[i];
    const double *lag = perp_dg_lag(dg, s);
    for (int i = 0; lag && i < s->nv; i++)
        mean[i] -= lag[i];
    perp_system_move(s->q[PERP_GUESS], s, s->q[PERP_START], mean, 0.5 * dg->h);
    perp_system_move(s->q[PERP_NOW], s, s->q[PERP_START], mean, dg->h);
}

void perp_dg_place(const perp_dg *dg)
{
    for (int k = 0; k < dg->nopen; k++)
        perp_dg_place_system(dg, dg->open[k]);
}

/* offset -= left v + D z, with the v of the iterate. */
static void linearise(perp_link *link, const double *z)
{
    const double *v = perp_link_gather_v(link, PERP_NOW);
    int rows = link->rows;
    for (int j = 0; j < link->nv; j++)
        for (int i = 0; i < rows; i++)
            link->offset[i] -= link->left[i + j * rows] * v[j];
    for (int j = 0; z && j < rows; j++)
        for (int i = 0; i < rows; i++)
            link->offset[i] -= link->D[i + j * rows] * z[j];
}

void perp_dg_transpose_left(perp_link *link)
{
    for (int j = 0; j < link->nv; j++)
        for (int i = 0; i < link->rows; i++)
            link->right[j + i * link->nv] = link->left[i + j * link->rows];
}

int perp_dg_compliant(perp_step *step, const perp_dg *dg, perp_link *link, double force, double *G,
                      double *drift)
{
    for (int i = 0; i < link->rows; i++)
        link->u[i] = force * link->lambda[i];
    const double *x = perp_link_gather_x(link, PERP_START);
    return perp_link_output(link->spare, link, step->t, x, link->u) ||
           perp_link_discrete_gradient(G, drift, link->y, link, step->t, dg->h, link->spare,
                                       link->u);
}

/* Law on the mean y_theta(lambda) = theta y(q, lambda) + (1 - theta) y(q_k, lambda), divided by
 * `unit`: h theta^2 leaves left = G.  z = lambda / force. */
static int mean_rows(perp_step *step, perp_dg *dg, perp_link *link, double unit, double force)
{
    int rows = link->rows;
    double h = dg->h, theta = dg->theta;
    if (perp_dg_compliant(step, dg, link, force, link->left, link->offset))
        return 1;
    const double *x = perp_link_gather_x(link, PERP_NOW);
    if (perp_link_feedthrough(link->D, link, step->t_end, x, link->u))
        return 1;
    for (int i = 0; i < rows; i++)
        link->offset[i] = (theta * link->y[i] + (1.0 - theta) * link->spare[i]) / unit;
    for (int i = 0; i < rows * link->nv; i++)
        link->left[i] *= h * theta * theta / unit;
    for (int i = 0; i < rows * rows; i++)
        link->D[i] *= force / unit;
    linearise(link, link->lambda);
    return 0;
}

/* An input g(t, q, lambda) of its own: the unknown is lambda in its own unit. */
static int input_rows(perp_step *step, perp_dg *dg, perp_link *link)
{
    int refused = 0;
    link->symmetric = 0;
    if (perp_link_has_feedthrough(link)) {
        refused = mean_rows(step, dg, link, 1.0, 1.0);
    } else {
        memset(link->D, 0, sizeof(double) * (size_t)link->rows * (size_t)link->rows);
        refused = perp_link_discrete_gradient(link->left, link->offset, link->y, link, step->t,
                                              dg->h, link->y_start, link->lambda);
        if (!refused && perp_law_is_impact(&link->law))
            perp_dg_gap_rows(dg, link);
        if (!refused && link->law.kind == PERP_LAW_EQUALITY) {
            for (int i = 0; i < link->rows; i++)
                link->offset[i] = link->y[i] / (dg->h * dg->theta);
            linearise(link, NULL);
        }
    }
    return refused || perp_mj_own_input(step, link, perp_dg_unit(dg, link), dg->h * dg->theta);
}

static int joint_rows(perp_step *step, perp_dg *dg, perp_link *link)
{
    if (perp_link_discrete_gradient(link->left, link->offset, link->y, link, step->t, dg->h,
                                    link->y_start, link->lambda))
        return 1;
    memcpy(dg->gap + link->first_row, link->y, sizeof(double) * (size_t)link->rows);
    for (int i = 0; dg->moving.giving && i < link->rows; i++)
        dg->gap[link->first_row + i] +=
            dg->h * dg->theta * dg->giving[link->first_row + i] * link->lambda[i];
    return 0;
}

static int other_rows(perp_step *step, perp_dg *dg, perp_link *link)
{
    perp_dg_role role = perp_dg_role_of(link);
    if (role == PERP_DG_INPUT)
        return input_rows(step, dg, link);
    link->symmetric = role != PERP_DG_COMPLIANT;
    if (role == PERP_DG_COMPLIANT) {
        int refused = mean_rows(step, dg, link, dg->h * dg->theta * dg->theta, 1.0 / dg->h);
        perp_dg_transpose_left(link);
        return refused;
    }
    if (perp_link_discrete_gradient(link->left, link->offset, link->y, link, step->t, dg->h,
                                    link->y_start, link->lambda))
        return 1;
    if (role == PERP_DG_CONTACT)
        perp_dg_gap_rows(dg, link);
    if (link->law.drive != PERP_DRIVE_NONE)
        perp_dg_drive_row(dg, link);
    return 0;
}

perp_status perp_dg_link_rows(perp_step *step, perp_dg *dg, perp_link *link)
{
    return other_rows(step, dg, link)
               ? perp_step_callback_refused(step, PERP_INTERRUPTED, "interaction", link->slot)
               : PERP_SOLVED;
}

perp_status perp_dg_rows(perp_step *step, perp_dg *dg)
{
    perp_status status = PERP_SOLVED;
    for (int k = 0; k < dg->njoints; k++)
        if (joint_rows(step, dg, dg->joints[k]))
            return perp_step_callback_refused(step, PERP_INTERRUPTED, "interaction",
                                              dg->joints[k]->slot);
    for (int k = 0; k < dg->nlinks && status == PERP_SOLVED; k++)
        if (dg->links[k]->active)
            status = perp_dg_link_rows(step, dg, dg->links[k]);
    return status;
}

/* residual -= h (theta g(v) + (1 - theta) g(v') - g(vb)), g the gyroscopic moment: it is taken at
 * the mean velocity, where it does no work. */
static void move_gyroscopic(const perp_dg *dg, perp_system *s)
{
    double now[3], start[3], mean[3], spin[3];
    for (int i = 0; i < 3; i++)
        spin[i] = perp_dg_start_velocity(dg, s, 3 + i);
    perp_body_gyroscopic(now, s, s->v[PERP_NOW] + 3);
    perp_body_gyroscopic(start, s, spin);
    perp_body_gyroscopic(mean, s, s->v[PERP_GUESS] + 3);
    for (int i = 0; i < 3; i++)
        s->residual[3 + i] -= dg->h * (dg->theta * now[i] + (1.0 - dg->theta) * start[i] - mean[i]);
}

perp_status perp_dg_forces(perp_step *step, perp_dg *dg, perp_system *s)
{
    double h = dg->h, theta = dg->theta;
    const double *v = s->v[PERP_NOW];
    for (int i = 0; i < s->nv; i++)
        s->work[i] = v[i] - s->v_kept[i];
    if (perp_system_mass_apply(s->residual, s, s->q[PERP_GUESS], s->work) ||
        perp_system_force(s->work, s, step->t_end, s->q[PERP_NOW], v))
        return PERP_INTERRUPTED;
    for (int i = 0; i < s->nv; i++)
        s->residual[i] -= h * (theta * s->work[i] + (1.0 - theta) * s->force[i]);
    if (s->kind == PERP_SYSTEM_BODY && !s->as.body.no_gyroscopic)
        move_gyroscopic(dg, s);
    return PERP_SOLVED;
}

/* p += left' lambda and size += the magnitudes of its terms, for one system. */
static inline __attribute__((always_inline)) void
add_columns(double *restrict p, double *restrict size, const double *left, const double *lambda,
            int rows, int nv)
{
    for (int j = 0; j < nv; j++, left += rows) {
        double sum = 0.0, magnitude = 0.0;
        for (int i = 0; i < rows; i++) {
            double part = left[i] * lambda[i];
            sum += part;
            magnitude += fabs(part);
        }
        p[j] += sum;
        size[j] += magnitude;
    }
}

static perp_status add_input(perp_step *step, const perp_dg *dg, perp_link *link)
{
    double unit = perp_dg_unit(dg, link);
    const double *x = perp_link_gather_x(link, PERP_NOW), *input = link->spare;
    if (perp_link_input(link->spare, link, step->t_end, x, link->lambda))
        return PERP_INTERRUPTED;
    for (int k = 0; k < link->nsystems; k++)
        for (int j = 0; j < link->systems[k]->nv; j++, input++) {
            link->systems[k]->p[j] += unit * *input;
            link->systems[k]->free[j] += fabs(unit * *input);
        }
    return PERP_SOLVED;
}

/* p += left' lambda, or the input of its own; free += the sizes of the terms.  Pivots, couplings of
 * their coordinates and contacts by their numbers of rows. */
static perp_status add_link(perp_step *step, const perp_dg *dg, perp_link *link)
{
    if (perp_link_has_input(link))
        return add_input(step, dg, link);
    const double *left = link->left, *lambda = link->lambda;
    int rows = link->rows;
    for (int k = 0; k < link->nsystems; k++) {
        perp_system *s = link->systems[k];
        if (rows == 5 && s->nv == 6)
            add_columns(s->p, s->free, left, lambda, 5, 6);
        else if (rows == 3 && s->nv == 6)
            add_columns(s->p, s->free, left, lambda, 3, 6);
        else if (rows == 1 && s->nv == 6)
            add_columns(s->p, s->free, left, lambda, 1, 6);
        else
            add_columns(s->p, s->free, left, lambda, rows, s->nv);
        left += rows * s->nv;
    }
    return PERP_SOLVED;
}

perp_status perp_dg_add_impulses(perp_step *step, const perp_dg *dg, int joints)
{
    if (joints)
        for (int k = 0; k < dg->njoints; k++)
            (void)add_link(step, dg, dg->joints[k]);
    for (int k = 0; !joints && k < dg->nlinks; k++) {
        perp_status status = dg->links[k]->active ? add_link(step, dg, dg->links[k]) : PERP_SOLVED;
        if (status != PERP_SOLVED)
            return perp_step_callback_refused(step, status, "interaction", dg->links[k]->slot);
    }
    return PERP_SOLVED;
}

void perp_dg_clear_impulses(const perp_dg *dg)
{
    for (int k = 0; k < dg->nopen; k++) {
        perp_system *s = dg->open[k];
        memset(s->p, 0, sizeof(double) * (size_t)s->nv);
        memset(s->free, 0, sizeof(double) * (size_t)s->nv);
    }
}
