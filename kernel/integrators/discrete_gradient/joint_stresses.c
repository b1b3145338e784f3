/* SPDX-License-Identifier: BSD-3-Clause */
/* Stresses: impulses of contacts that joints hold apart, as of feet that a robot spreads, and of
 * contacts beside joints of the same direction, change no rate.  The rows do not say how large they
 * are, solvers leave them anywhere, and the next iterate, whose rows are a little others, has an
 * error as large as they are: the loop goes round.
 *
 * Systems of which a loop took long are stressed for some steps.  Then each iterate is a proximal
 * point of the one before, u = W z + q + d (z - z_before): impulses that change no rate stay where
 * they are, and the law is that of the rows once z changes no more ([Rockafellar1976]).  Those that
 * are there from earlier steps fade away. */
#include <math.h>

#include "kernel/integrators/discrete_gradient/discrete_gradient.h"
#include "kernel/step/stepper.h"

/* Iterates that are many; steps from such a loop on. */
enum { MANY_ITERATES = 8, STEPS = 100 };
/* d over the largest entry of the diagonal; where the loop does not end; over its own one at most.
 * A larger one holds more, and takes more iterates to let go of the rest. */
static const double PROXIMAL = 1e-7, FIRMLY = 1e-6, OF_OWN = 1e-4;
/* Part of the impulses of the last step that the first iterate is to be near. */
static const double FADING = 0.9;

int perp_dg_is_stressed(const perp_dg *dg)
{
    for (int k = 0; dg->njoints > 0 && k < dg->nsystems; k++)
        if (dg->systems[k]->stressed > 0)
            return 1;
    return 0;
}

void perp_dg_note_stresses(const perp_step *step, const perp_dg *dg)
{
    if (dg->njoints == 0 || dg->smooth.rows == 0 || step->iteration < MANY_ITERATES)
        return;
    for (int k = 0; k < dg->nsystems; k++)
        dg->systems[k]->stressed = STEPS;
}

void perp_dg_hold_stresses(const perp_step *step, const perp_dg *dg, perp_one_step *one)
{
    int many = dg->njoints > 0 && step->iteration >= MANY_ITERATES;
    if (one != &dg->smooth || one->form == PERP_FORM_DELASSUS || !(many || perp_dg_is_stressed(dg)))
        return;
    double largest = 0.0, part = step->iteration == 0 ? FADING : 1.0;
    for (int i = 0; i < one->rows; i++)
        largest = fmax(largest, perp_one_step_diagonal(one, i));
    largest *= step->iteration >= step->stepper->options.newton_iter ? FIRMLY : PROXIMAL;
    for (int i = 0; i < one->rows; i++) {
        double d = fmin(largest, OF_OWN * fmax(perp_one_step_diagonal(one, i), 0.0));
        perp_one_step_add_diagonal(one, i, d);
        one->q[i] -= part * d * one->z[i];
    }
}
