/* SPDX-License-Identifier: BSD-3-Clause */
/* Joints at a dead centre.  Where rows of joints, or joints and contacts, hold each other without
 * any load, y'G = 0, and y' (second derivative of g) [v, v] has one sign for the velocities v that
 * they leave, no motion along v fulfils g = 0: the bodies are locked as if v = 0 were a row, and no
 * multiplier of the joints says so: a load along v asks for one of load/phi at an angle phi, which
 * is 0.  Two rods in line under a load across them are the simplest.  Where the sign is not one,
 * motions go on along several ways, and the first order does not say which.
 *
 * What joints are made of gives way a little, and then there is one answer:
 *
 *     g(q) + h theta C lambda = 0,     C = part times the diagonal of G M^-1 G',
 *
 * with phi the third root of what the load stretches the joint by.  That is 1e-10 of its length
 * here, so that phi is some 1e-3 and g some 1e-7 of the length: the certificate sees it. */
#include "kernel/integrators/discrete_gradient/discrete_gradient.h"
#include "kernel/step/stepper.h"

/* Halvings of a step before its joints give way. */
enum { TRIED = 3 };
/* Of the length of the joints: what forces stretch them by; part where there are no forces. */
static const double STRETCH = 1e-10, WITHOUT_FORCES = 1e-8, LARGEST = 1e-3;

int perp_dg_may_give(const perp_step *step, const perp_dg *dg, perp_status status)
{
    return status > 0 && status != PERP_INTERRUPTED && status != PERP_INFEASIBLE_STEP &&
           dg->njoints > 0 && step->stepper->info.halvings >= TRIED;
}

perp_status perp_dg_give(perp_step *step, perp_dg *dg)
{
    int rows = perp_saddle_rows(&dg->saddle);
    if (!perp_pool_grow(dg->pool, (void **)&dg->giving, &dg->capacity_giving, rows, sizeof(double)))
        return perp_step_refuse(step, PERP_ERR_MEMORY, NULL, -1, NULL);
    perp_status status = perp_dg_set_masses(step, dg, PERP_START);
    if (status != PERP_SOLVED)
        return status;
    double forces = dg->h * dg->h * dg->theta * dg->acceleration;
    double part = forces > 0.0 ? fmin(STRETCH * dg->length / forces, LARGEST) : WITHOUT_FORCES;
    for (int i = 0; i < rows; i++)
        dg->giving[i] = part * dg->saddle.scale[perp_saddle_dofs(&dg->saddle) + i];
    return PERP_SOLVED;
}
