/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrices of the Newton loop that serve more than once: they are most of the cost of a mechanism.
 * Within a step they change with the errors, between steps with the configuration: what moves little
 * begins a step with the factors of the one before.  The end of a step is measured all the same;
 * stale factors cost iterates, and where they do the loop has its own. */
#include "kernel/integrators/discrete_gradient/discrete_gradient.h"

/* Matrices are kept while an iterate leaves at most this part of the error. */
static const double KEEP = 0.02;
/* From this iterate on in any case: the first takes up the multipliers, in which residuals are linear,
 * so these fall however much the stiffness by the multipliers changes.  Whether that much depends on
 * the mechanism: where it did not, the second iterate keeps its matrices, too.  And up to this one:
 * what has not ended by then needs its own. */
enum { KEEP_FROM = 2, KEEP_UNTIL = 6 };
/* A step of more iterates moves too much for its factors to begin the next one; and steps that begin
 * with their own after one that took more iterates with those of the step before. */
enum { FEW = 2, PAUSE = 16 };
/* Iterates of a step that converges as most do. */
enum { USUAL = 4 };
/* Of the tolerance: what a step that keeps the factors of the one before has to end with.  With its own
 * the last iterate mostly leaves less, and multipliers are known as much better. */
static const double STRICT = 0.01;

/* Not where rows of joints were left out, which are others in each configuration. */
static int may_any(const perp_dg *dg)
{
    if (dg->njoints == 0 || dg->moving.ndropped > 0 || dg->clamped || perp_dg_has_bias(dg))
        return 0;
    for (int k = 0; k < dg->nlinks; k++) {
        const perp_link *link = dg->links[k];
        if (link->active && (!link->symmetric || perp_law_gives_way(&link->law)))
            return 0;
    }
    return 1;
}

static int may_begin(const perp_dg *dg)
{
    const perp_dg_kept *kept = &dg->kept;
    return kept->serve && kept->version == dg->moving.version && dg->moving.factored &&
           kept->h == dg->h && kept->theta == dg->theta && dg->nhits == 0;
}

int perp_dg_may_keep(const perp_step *step, perp_dg *dg, double before, double error)
{
    if (step->iteration == 0) {
        dg->kept.began = may_begin(dg) && may_any(dg);
        return dg->kept.began;
    }
    if (step->iteration == KEEP_FROM && !dg->kept.began && dg->keeps && error > KEEP * before)
        dg->kept.later = PAUSE;
    int early = dg->kept.later == 0 && dg->kept.last <= USUAL;
    int from = dg->kept.began || early ? 1 : KEEP_FROM;
    if (step->iteration < from || step->iteration >= KEEP_UNTIL || error > KEEP * before)
        return 0;
    return may_any(dg);
}

double perp_dg_enough(const perp_dg *dg)
{
    return dg->kept.began && dg->keeps ? STRICT : 1.0;
}

void perp_dg_note_kept(perp_dg *dg, int iterates)
{
    perp_dg_kept *kept = &dg->kept;
    kept->last = iterates;
    int more = kept->began && iterates > kept->fresh;
    if (!kept->began)
        kept->fresh = iterates;
    if (!(iterates <= USUAL))
        kept->later = PAUSE;
    else if (kept->later > 0)
        kept->later--;
    if (more)
        kept->pause = PAUSE;
    else if (kept->pause > 0)
        kept->pause--;
    kept->serve = iterates <= FEW && kept->pause == 0 && dg->njoints > 0;
    kept->version = dg->moving.version;
    kept->h = dg->h;
    kept->theta = dg->theta;
}
