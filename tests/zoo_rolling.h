/* SPDX-License-Identifier: BSD-3-Clause */
/* The problems of the zoo with rolling friction. */
#ifndef PERP_TESTS_ZOO_ROLLING_H
#define PERP_TESTS_ZOO_ROLLING_H

#include "stored.h"

/* One block of five rows, full and unsymmetric, in a regime. */
void zoo_rolling_open(stored_problem *p);
void zoo_rolling_rests(stored_problem *p);
void zoo_rolling_slides(stored_problem *p);
void zoo_rolling_rolls(stored_problem *p);
void zoo_rolling_both(stored_problem *p);
/* Every regime in turn, blocks of three and of five rows. */
void zoo_rolling2(stored_problem *p);
void zoo_rolling3(stored_problem *p);
void zoo_rolling_unsymmetric(stored_problem *p);
/* mu = 0, mu_r = 0, both. */
void zoo_rolling_flat(stored_problem *p);
void zoo_rolling_rough(stored_problem *p);
/* Moments and angles in units of their own in every block. */
void zoo_rolling_units(stored_problem *p);
void zoo_rolling_mixture(stored_problem *p);
void zoo_rolling_sphere(stored_problem *p);
/* Twenty rows on six unknowns. */
void zoo_rolling_box(stored_problem *p);
void zoo_rolling_squeezed(stored_problem *p);

#endif
