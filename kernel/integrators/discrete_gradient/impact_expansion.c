/* SPDX-License-Identifier: BSD-3-Clause */
/* Poisson's law for the contacts of a stage of impacts ([PfeifferGlocker1996]).  Compression
 * is the stage without restitution: its impulses p_c end all approaches, u_c >= 0 perp p_c >= 0.
 * Expansion gives back the part e of the normal ones, and more where contacts would be pressed
 * together by that,
 *
 *     M (v+ - v_c) = H' p_e + G' mu,    0 <= u+_N perp p_eN - e p_cN >= 0,
 *     |p_eT| <= mu p_eN against u+_T + e_t u-_T.
 *
 * With x = p_eN - e p_cN the first is the usual law for x, and friction has the bound
 * mu (e p_cN + x): a problem with bounds that are known, solved again where x changes them.
 *
 * Without friction, and W = H M^-1 H' with the joints, the energy changes by
 *
 *     - (p_c' W p_c - p_c' E W E p_c + x' W x)/2,    E = diag(e),
 *
 * since u_c . p_c = 0 and u+ . x = 0: (1 - e^2) times the energy of the compression is lost where
 * all e are the same, nothing for e = 1.  Elsewhere the caller judges. */
#include <math.h>
#include <string.h>

#include "kernel/integrators/discrete_gradient/discrete_gradient.h"
#include "kernel/step/stepper.h"

enum { CORRECTIONS = 50 };
/* Of the largest bound: what it may still change by. */
static const double SETTLED = 1e-10;

/* lambda of the compression, and first bounds: without more impulse than that. */
static int keep_compression(perp_dg *dg)
{
    int rows = 0;
    for (int k = 0; k < dg->stage.nlinks; k++)
        rows += dg->stage.links[k]->rows;
    if (!perp_pool_grow(dg->pool, (void **)&dg->compression, &dg->capacity_compression, 2 * rows,
                        sizeof(double)))
        return 0;
    double *kept = dg->compression;
    for (int k = 0; k < dg->stage.nlinks; k++) {
        perp_link *link = dg->stage.links[k];
        int dim = link->law.dim;
        link->bound = kept + rows;
        for (int r = 0; r < link->relations; r++)
            link->bound[r] = link->law.mu * link->law.e * link->lambda[r * dim];
        memcpy(kept, link->lambda, sizeof(double) * (size_t)link->rows);
        kept += link->rows;
    }
    return 1;
}

/* The impulses that do not depend on the expansion: p_c, and e p_cN. */
static double given(const perp_link *link, const double *kept, int i)
{
    return i % link->law.dim == 0 ? (1.0 + link->law.e) * kept[i] : kept[i];
}

/* s->residual = H' of these. */
static void set_residuals(const perp_dg *dg)
{
    const double *kept = dg->compression;
    perp_dg_clear_residuals(dg);
    for (int k = 0; k < dg->stage.nlinks; k++) {
        const perp_link *link = dg->stage.links[k];
        const double *H = link->left;
        for (int m = 0; m < link->nsystems; m++) {
            perp_system *s = link->systems[m];
            for (int j = 0; j < s->nv; j++, H += link->rows)
                for (int i = 0; i < link->rows; i++)
                    s->residual[j] += H[i] * given(link, kept, i);
        }
        kept += link->rows;
    }
}

/* Bounds of friction by the normal impulses that came out; 1: they were those already. */
static int bounds_hold(const perp_dg *dg)
{
    const double *kept = dg->compression;
    double largest = 0.0, change = 0.0;
    for (int k = 0; k < dg->stage.nlinks; k++) {
        perp_link *link = dg->stage.links[k];
        int dim = link->law.dim;
        for (int r = 0; r < link->relations && link->law.mu > 0.0; r++) {
            double bound =
                link->law.mu * (link->law.e * kept[r * dim] + fmax(link->lambda[r * dim], 0.0));
            change = fmax(change, fabs(bound - link->bound[r]));
            largest = fmax(largest, bound);
            link->bound[r] = bound;
        }
        kept += link->rows;
    }
    return change <= SETTLED * largest;
}

static void add_given(const perp_dg *dg)
{
    const double *kept = dg->compression;
    for (int k = 0; k < dg->stage.nlinks; k++) {
        perp_link *link = dg->stage.links[k];
        for (int i = 0; i < link->rows; i++)
            link->lambda[i] += given(link, kept, i);
        kept += link->rows;
    }
}

perp_status perp_dg_expand(perp_step *step, perp_dg *dg, int *ended)
{
    perp_status status = PERP_SOLVED;
    *ended = 0;
    if (!keep_compression(dg))
        return perp_step_refuse(step, PERP_ERR_MEMORY, NULL, -1, NULL);
    status = perp_dg_stage_rows(step, dg, 0.0, 1.0);
    for (int k = 0; k < CORRECTIONS && status == PERP_SOLVED && !*ended; k++) {
        set_residuals(dg);
        status = perp_dg_stage_solve(step, dg, &dg->expansion);
        *ended = status == PERP_SOLVED && bounds_hold(dg);
    }
    if (status == PERP_SOLVED)
        add_given(dg);
    return status;
}
