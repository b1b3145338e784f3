/* SPDX-License-Identifier: BSD-3-Clause */
/* The system of solvers/central/central_system.h in body unknowns. */
#ifndef PERP_SOLVERS_CENTRAL_CENTRAL_BODIES_H
#define PERP_SOLVERS_CENTRAL_CENTRAL_BODIES_H

#include "solvers/central/central_system.h"

/* Pattern and memory of what this form has; the numbers of `form` are loaded by themselves. */
perp_status perp_central_bodies_build(perp_central *central, const perp_problem *problem,
                                      perp_arena *arena);
perp_status perp_central_bodies_factorise(perp_central *central);
/* Not refined; dz and r differ. */
void perp_central_bodies_solve(double *dz, perp_central *central, const double *r);

#endif
