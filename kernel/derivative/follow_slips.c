/* SPDX-License-Identifier: BSD-3-Clause */
/* Slips that are stopped at the end of a step, differentiated: a problem with Tresca's law in
 * z = base + dp, M dv = H' (z - base), w = H (v + dv), with what the impulses p of the step decide,
 *
 *     base_N = k p_N,  base_T = p_T,  bound = (1 - k) mu p_N,  k = max(0, 1 - |p_T|/(mu p_N))/2. */
#include <math.h>
#include <string.h>

#include "kernel/derivative/stage_build.h"
#include "kernel/laws/law.h"
#include "kernel/step/stepper.h"

/* k of a relation, and its slopes by p (dim) and by mu. */
static double part_left(double *slope, double *by_mu, const double *p, double mu, int dim)
{
    double size = dim == 2 ? fabs(p[1]) : hypot(p[1], p[2]), most = mu * p[0];
    memset(slope, 0, sizeof(double) * (size_t)dim);
    *by_mu = 0.0;
    if (!(most > 0.0) || !(size < most))
        return 0.0;
    slope[0] = 0.5 * size / (most * p[0]);
    for (int i = 1; i < dim; i++)
        slope[i] = size > 0.0 ? -0.5 * p[i] / (size * most) : 0.0;
    *by_mu = 0.5 * size / (most * mu);
    return 0.5 * (1.0 - size / most);
}

/* Matrices of a contact by the impulses of the step. */
typedef struct by_impulses {
    double *kept, *bound; /* rows x nv, rows x relations */
    double *z, *dp;
} by_impulses;

static int make(by_impulses *b, perp_tape *tape, const perp_link *link)
{
    b->kept = perp_tape_zeros(tape, link->rows, link->nv);
    b->bound = perp_tape_zeros(tape, link->rows, link->relations);
    b->z = PERP_TAPE_ARRAY(tape, double, link->rows);
    b->dp = PERP_TAPE_ARRAY(tape, double, link->rows);
    return b->kept && b->bound && b->z && b->dp;
}

/* rho -= H' of the base, which moves by base[i] for impulse number j. */
static void add_base(double *kept, const perp_link *link, int j, int i, double slope)
{
    for (int l = 0; l < link->nv; l++)
        kept[j + l * link->rows] -= slope * link->left[i + l * link->rows];
}

static int fill(by_impulses *b, perp_tape *tape, perp_tape_solve_stage *solve,
                const perp_tape_part *part, const perp_link *link, const int *mu)
{
    int dim = link->law.dim, fine = 1;
    for (int r = 0; r < link->relations; r++) {
        const double *p = link->spare + r * dim;
        double slope[3], by_mu, k = part_left(slope, &by_mu, p, link->law.mu, dim);
        int n = r * dim;
        for (int i = 0; i < dim; i++) {
            b->dp[n + i] = link->lambda[n + i];
            b->z[n + i] = b->dp[n + i] + (i == 0 ? k * fmax(p[0], 0.0) : p[i]);
            add_base(b->kept, link, n + i, n, p[0] * slope[i] + (i == 0 ? k : 0.0));
            if (i > 0)
                add_base(b->kept, link, n + i, n + i, 1.0);
            b->bound[n + i + r * link->rows] =
                link->law.mu * (-slope[i] * p[0] + (i == 0 ? 1.0 - k : 0.0));
        }
        for (int j = 0; j < tape->nparameters; j++) {
            if (!mu[j] || !(p[0] > 0.0))
                continue;
            fine &= perp_tape_add_term(tape, solve, j, PERP_TAPE_PAR0, part->block + r,
                                       (1.0 - k) * p[0] - link->law.mu * by_mu * p[0]);
            int at = 0;
            for (int m = 0; m < link->nsystems; m++)
                for (int l = 0; l < link->systems[m]->nv; l++, at++)
                    fine &= perp_tape_add_term(tape, solve, j, PERP_TAPE_RHO,
                                               tape->systems[part->system[m]].at + l,
                                               -by_mu * p[0] * link->left[n + at * link->rows]);
        }
    }
    return fine;
}

/* Which parameters are its coefficient of friction. */
static int *parameters_mu(perp_tape *tape, const perp_link *link)
{
    const perp_model *model = tape->sim->stepper.model;
    int *mu = PERP_TAPE_ARRAY(tape, int, tape->nparameters);
    for (int j = 0; mu && j < tape->nparameters; j++) {
        const perp_tape_parameter *p = &tape->parameters[j];
        mu[j] = p->quantity == PERP_TAPE_MU &&
                (p->interaction.generation == 0 ||
                 ((int)p->interaction.index == link->slot &&
                  p->interaction.generation == model->links[link->slot].generation));
    }
    return mu;
}

/* dH at the end: of H' dp, and of H (v + dv). */
static perp_status turns(perp_tape *tape, perp_step *step, perp_link *link, const double *dp,
                         double *rho, double *beta)
{
    size_t N = (size_t)link->N, nv = (size_t)link->nv, m = (size_t)link->rows * nv;
    double *x = perp_pool_take_array(
        &tape->pool, N + m * nv + m + nv + perp_tape_turn_numbers(tape, link) + 1, sizeof *x);
    if (!x)
        return PERP_ERR_MEMORY;
    double *G = x + N, *drift = G + m * nv, *v = drift + m, *work = v + nv;
    int at = 0;
    perp_tape_gather_q(x, link, PERP_NOW);
    perp_status status = perp_tape_turn_at(tape, link, step->t_end, x, G, drift, work);
    for (int k = 0; k < link->nsystems; k++)
        for (int j = 0; j < link->systems[k]->nv; j++)
            v[at++] = link->systems[k]->v[PERP_NOW][j] + link->systems[k]->work[j];
    perp_tape_along_impulse(rho, G, link->rows, link->nv, dp);
    perp_tape_along_velocity(beta, G, drift, 0.0, link->rows, link->nv, v);
    perp_pool_give(&tape->pool, x);
    return status;
}

static perp_status follow_contact(perp_tape *tape, perp_step *step, const perp_dg *dg,
                                  perp_tape_solve_stage *solve, perp_link *link, int first)
{
    by_impulses b;
    const int *place = perp_tape_places(tape, link), *mu = parameters_mu(tape, link);
    double *rho = perp_tape_zeros(tape, link->nv, link->nv);
    double *beta = perp_tape_zeros(tape, link->rows, link->nv);
    double *H = perp_tape_new_copy(tape, link->left, link->rows, link->nv);
    if (!place || !mu || !rho || !beta || !H || !make(&b, tape, link))
        return PERP_ERR_MEMORY;
    perp_tape_part *part = perp_tape_add_part(tape, solve, place, link->nsystems, link->nv);
    if (!part ||
        !perp_tape_set_rows(tape, solve, part, &link->law, link->rows, b.z,
                            dg->slip.w + link->first_row, 1.0) ||
        !fill(&b, tape, solve, part, link, mu))
        return PERP_ERR_MEMORY;
    perp_status status = turns(tape, step, link, b.dp, rho, beta);
    part->set = PERP_TRESCA;
    part->z = b.z;
    part->par[0] = link->bound[0];
    part->values = perp_tape_copy(tape, link->bound, (size_t)link->relations);
    part->G = part->N = H;
    part->kept = b.kept;
    part->bound = b.bound;
    part->kept_first = first;
    part->kept_rows = link->rows;
    return part->values && perp_tape_add_from(tape, part, PERP_REG_END_Q, rho, beta) &&
                   perp_tape_add_from(tape, part, PERP_REG_END_V, NULL, H)
               ? status
               : PERP_ERR_MEMORY;
}

static int place_of(const perp_dg *dg, const perp_link *link)
{
    for (int k = 0; k < dg->nlinks; k++)
        if (dg->links[k] == link)
            return k;
    return 0;
}

perp_status perp_tape_follow_slips(perp_tape *tape, perp_step *step, const perp_dg *dg)
{
    perp_tape_solve_stage *smooth = tape->draft.smooth;
    if (!dg->slips_solved)
        return perp_tape_end(tape, PERP_ERR_UNSUPPORTED, "step", -1,
                             "slips whose problem was not solved are not recorded");
    if (!(fabs(dg->slip_part - 1.0) <= 1e-6))
        return perp_tape_end(tape, PERP_ERR_UNSUPPORTED, "step", -1,
                             "slips that were stopped in part alone are not recorded");
    perp_tape_stage *stage = perp_tape_add_stage(tape, PERP_STAGE_SOLVE);
    if (!stage)
        return PERP_ERR_MEMORY;
    smooth->keeps = 1;
    if (smooth->rows > tape->draft.stages->kept_rows)
        tape->draft.stages->kept_rows = smooth->rows;
    perp_status status =
        perp_tape_follow_masses(tape, step, dg, &stage->as.solve, PERP_NOW, PERP_REG_END_Q);
    for (int k = 0; k < dg->nslipping && status == PERP_SOLVED; k++) {
        perp_link *link = dg->slipping[k];
        status = follow_contact(tape, step, dg, &stage->as.solve, link,
                                tape->draft.first[place_of(dg, link)]);
    }
    for (int k = 0; k < dg->njoints && status == PERP_SOLVED; k++) {
        perp_tape_joint_rows rows = {PERP_NOW, PERP_REG_END_Q, 0,
                                     perp_dg_joint_increment(dg, dg->joints[k])};
        status = perp_tape_follow_joint(tape, step, &stage->as.solve, dg->joints[k], &rows);
    }
    if (status != PERP_SOLVED)
        return status;
    return perp_tape_add_to(tape, PERP_REG_END_V) ? PERP_SOLVED : PERP_ERR_MEMORY;
}
