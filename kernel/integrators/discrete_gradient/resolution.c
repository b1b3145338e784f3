/* SPDX-License-Identifier: BSD-3-Clause */
/* Does the step resolve the vibrations of what is stiff?  The largest h omega of
 *
 *     K x = omega^2 M x  on the velocities that the joints allow,   G x = 0,
 *
 * K: stiffness of the joints under their forces, of the forces of the systems, of servos and of
 * compliant relations at work.  A few steps of Lanczos' method in the metric of the masses from a
 * fixed vector; each takes one solve with the factors that the projection of velocities left, so
 * that the operator is P M^-1 K with P the projection on G x = 0.  Ritz values are never above the
 * truth, and within some per cent of it ([Parlett1998]).  Negative values are growth rates of what
 * is pressed; the larger of the two counts. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "kernel/integrators/discrete_gradient/discrete_gradient.h"
#include "kernel/relations/discrete_gradient.h"
#include "kernel/step/stepper.h"

void dsterf_(const int *n, double *d, double *e, int *info);

/* Steps between two estimates, and of Lanczos' method in each; in between, one where a joint is
 * drawn by this much more than ever: an estimate costs a third of a step. */
enum { EVERY = 256, STEPS = 5 };
static const double MORE = 1.5;

/* Largest acceleration that a joint alone would give. */
static double draw(const perp_dg *dg)
{
    double most = 0.0;
    for (int k = 0; k < dg->njoints; k++) {
        const perp_link *link = dg->joints[k];
        double weight = 0.0;
        for (int m = 0; m < link->nsystems; m++)
            weight = fmax(weight, link->systems[m]->ledger.weight[0] / dg->h);
        for (int i = 0; i < link->rows; i++)
            most = fmax(most, weight * fabs(link->lambda[i]));
    }
    return most;
}

/* Not the first step, which may have to mend the velocities that it begins with. */
static int is_due(const perp_step *step, const perp_dg *dg)
{
    perp_certificate *c = &step->stepper->certificate;
    long before = c->sums.steps + c->commits;
    double drawn = draw(dg);
    if (before == 0 || (before % EVERY != 1 && !(drawn > MORE * c->sums.drawn)))
        return 0;
    c->step.drawn = fmax(c->step.drawn, drawn);
    return 1;
}

static int is_stiff(const perp_system *s)
{
    return s->jacobian_q || (s->kind == PERP_SYSTEM_LAGRANGIAN && s->as.lagrangian.K.rows);
}

/* W = M: the projection of velocities did that for what joints tie. */
static perp_status mass_of(perp_step *step, perp_system *s)
{
    long evaluations = s->evaluations; /* those of the scheme count */
    perp_status status = s->coupled < 0 ? perp_dg_mass(step, s, PERP_NOW) : PERP_SOLVED;
    s->evaluations = evaluations;
    return status;
}

static int acts(const perp_link *link)
{
    perp_dg_role role = perp_dg_role_of(link);
    if (!link->active)
        return 0;
    if (role == PERP_DG_COMPLIANT)
        return 1;
    if (role == PERP_DG_CONTACT)
        return perp_law_is_soft(&link->law);
    double most = link->bound_scale * link->law.hi;
    return link->law.drive == PERP_DRIVE_SERVO && fabs(link->lambda[0]) < most;
}

/* K of the joints (by callbacks: that of the last iterate), H of what acts.  lambda has no impacts
 * in it: they are made before the smooth step. */
static perp_status prepare_links(perp_step *step, perp_dg *dg, int *any)
{
    for (int k = 0; k < dg->njoints; k++)
        if (dg->stiffness[k] && perp_link_is_coordinate(dg->joints[k]))
            perp_link_stiffness(dg->stiffness[k], dg->joints[k], dg->joints[k]->lambda);
    for (int k = 0; k < dg->nlinks; k++) {
        perp_link *link = dg->links[k];
        if (!acts(link))
            continue;
        const double *x = perp_link_gather_x(link, PERP_NOW);
        if (perp_link_jacobian(link->H, link, step->t_end, x, link->lambda))
            return perp_step_callback_refused(step, PERP_INTERRUPTED, "interaction", link->slot);
        *any = 1;
        for (int m = 0; m < link->nsystems; m++) {
            perp_status status = mass_of(step, link->systems[m]);
            if (status != PERP_SOLVED)
                return status;
        }
    }
    return PERP_SOLVED;
}

static perp_status prepare(perp_step *step, perp_dg *dg, int *any)
{
    perp_status status = PERP_SOLVED;
    *any = dg->njoints > 0;
    for (int k = 0; k < dg->nsystems && status == PERP_SOLVED; k++) {
        perp_system *s = dg->systems[k];
        if (!is_stiff(s))
            continue;
        *any = 1;
        status = mass_of(step, s);
        if (s->kind == PERP_SYSTEM_BODY) /* where derivatives of forces lie in velocities */
            perp_system_to_rates(s->matrix, s, s->jacobian_q, s->q[PERP_NOW], s->nv);
    }
    return status == PERP_SOLVED ? prepare_links(step, dg, any) : status;
}

/* y -= the derivative of the forces times x, its symmetric part. */
static void add_forces(double *y, perp_system *s, const double *x)
{
    const double *J = s->kind == PERP_SYSTEM_BODY ? s->matrix : s->jacobian_q;
    int n = s->nv;
    if (!J) {
        perp_system_add_product(y, &s->as.lagrangian.K, x, 1.0);
        return;
    }
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            y[i] -= 0.5 * (J[i + j * n] + J[j + i * n]) * x[j];
}

static void add_joint(const perp_link *link, const double *K, double scale, const double *x)
{
    int n = link->nv, row = 0;
    for (int m = 0; m < link->nsystems; m++) {
        perp_system *s = link->systems[m];
        for (int i = 0; i < s->nv; i++, row++)
            for (int j = 0; j < n; j++)
                s->residual[i] += scale * K[row + j * n] * x[j];
    }
}

/* H' of the stiffness of each row times H x: of a servo, or 1/D_ii where lambda acts (D of
 * mean_rows in step_rows.c). */
static void add_rows(const perp_dg *dg, const perp_link *link, const double *x)
{
    int rows = link->rows, at = 0, compliant = perp_dg_role_of(link) == PERP_DG_COMPLIANT;
    for (int i = 0; i < rows; i++) {
        double rate = 0.0, D = link->D[i + i * rows] * dg->theta * dg->theta; /* over h^2 */
        double k = dg->h * dg->h * link->law.stiffness;
        if (perp_law_is_impact(&link->law) && !(i % link->law.dim == 0 && link->lambda[i] > 0.0))
            k = 0.0;
        if (compliant)
            k = link->lambda[i] != 0.0 && D > 0.0 ? 1.0 / D : 0.0;
        for (int j = 0; j < link->nv; j++)
            rate += link->H[i + j * rows] * x[j];
        link->spare[i] = k * rate;
    }
    for (int m = 0; m < link->nsystems; m++)
        for (int j = 0; j < link->systems[m]->nv; j++, at++)
            for (int i = 0; i < rows; i++)
                link->systems[m]->residual[j] += link->H[i + at * rows] * link->spare[i];
}

/* The parts of x, which is in s->free, of the systems of a link. */
static const double *gather(perp_link *link)
{
    double *x = link->V;
    for (int m = 0; m < link->nsystems; m++)
        for (int j = 0; j < link->systems[m]->nv; j++)
            *x++ = link->systems[m]->free[j];
    return link->V;
}

/* residual = h^2 K x, work = P M^-1 of it. */
static void apply(perp_dg *dg)
{
    double h = dg->h;
    for (int k = 0; k < dg->nsystems; k++) {
        perp_system *s = dg->systems[k];
        memset(s->work, 0, sizeof(double) * (size_t)s->nv);
        if (is_stiff(s))
            add_forces(s->work, s, s->free);
        for (int i = 0; i < s->nv; i++)
            s->residual[i] = h * h * s->work[i];
    }
    for (int k = 0; k < dg->njoints; k++) /* K of impulses, half of it: 2/h */
        if (dg->stiffness[k])
            add_joint(dg->joints[k], dg->stiffness[k], 2.0 * h, gather(dg->joints[k]));
    for (int k = 0; k < dg->nlinks; k++)
        if (acts(dg->links[k]))
            add_rows(dg, dg->links[k], gather(dg->links[k]));
    if (dg->njoints > 0)
        memset(dg->gap, 0, sizeof(double) * (size_t)perp_saddle_rows(&dg->saddle));
    perp_dg_increment(dg);
}

static double work_dot_residual(const perp_dg *dg)
{
    double sum = 0.0;
    for (int k = 0; k < dg->nsystems; k++)
        for (int i = 0; i < dg->systems[k]->nv; i++)
            sum += dg->systems[k]->work[i] * dg->systems[k]->residual[i];
    return sum;
}

static double free_dot_residual(const perp_dg *dg)
{
    double sum = 0.0;
    for (int k = 0; k < dg->nsystems; k++)
        for (int i = 0; i < dg->systems[k]->nv; i++)
            sum += dg->systems[k]->free[i] * dg->systems[k]->residual[i];
    return sum;
}

/* The same numbers in every run: each velocity at the speed of an equal energy, more or less. */
static void first_vector(const perp_dg *dg)
{
    unsigned long seed = 12345;
    for (int k = 0; k < dg->nsystems; k++) {
        perp_system *s = dg->systems[k];
        for (int i = 0; i < s->nv; i++) {
            seed = (1103515245UL * seed + 12345UL) & 0x7fffffffUL;
            double part = (double)seed / 1073741824.0 - 1.0;
            s->free[i] = (part + copysign(0.5, part)) * sqrt(s->ledger.weight[i]);
        }
    }
}

/* free = (work - alpha free - beta before)/next, before = the old free. */
static void next_vector(perp_dg *dg, double alpha, double beta, double next)
{
    double *before = dg->lanczos;
    for (int k = 0; k < dg->nsystems; k++) {
        perp_system *s = dg->systems[k];
        for (int i = 0; i < s->nv; i++, before++) {
            double x = s->free[i];
            s->free[i] = (s->work[i] - alpha * x - beta * *before) / next;
            *before = x;
        }
    }
}

/* The largest magnitude of an eigenvalue of the tridiagonal matrix. */
static double largest(double *alpha, double *beta, int n)
{
    int info = 0;
    dsterf_(&n, alpha, beta, &info);
    return info == 0 ? fmax(fabs(alpha[0]), fabs(alpha[n - 1])) : 0.0;
}

/* The largest (h omega)^2.  |w|_M^2 = w . h^2 K x, since both lie in G x = 0. */
static double lanczos(perp_dg *dg)
{
    double alpha[STEPS], beta[STEPS + 1] = {0.0};
    int n = 0;
    first_vector(dg);
    apply(dg);
    double size = work_dot_residual(dg);
    if (!(size > 0.0) || !isfinite(size))
        return 0.0;
    memset(dg->lanczos, 0, sizeof(double) * (size_t)dg->dofs);
    next_vector(dg, 0.0, 0.0, sqrt(size));
    memset(dg->lanczos, 0, sizeof(double) * (size_t)dg->dofs);
    while (n < STEPS) {
        apply(dg);
        alpha[n] = free_dot_residual(dg);
        double square = work_dot_residual(dg);
        double rest = square - alpha[n] * alpha[n] - beta[n] * beta[n];
        n++;
        if (!(rest > 1e-10 * square) || n == STEPS)
            break;
        beta[n] = sqrt(rest);
        next_vector(dg, alpha[n - 1], beta[n - 1], beta[n]);
    }
    return largest(alpha, beta + 1, n);
}

perp_status perp_dg_resolution(perp_step *step, perp_dg *dg)
{
    int any = 0;
    if (!is_due(step, dg))
        return PERP_SOLVED;
    perp_status status = prepare(step, dg, &any);
    if (status != PERP_SOLVED || !any)
        return status;
    double square = lanczos(dg);
    if (square > 0.0)
        perp_step_resolution(step, sqrt(square));
    return status;
}
