/* SPDX-License-Identifier: BSD-3-Clause */
/* Problems that are meant to break a solver, its stop rule or its proofs; each is made from a seed
 * and a number alone. */
#ifndef PERP_TESTS_TORTURE_ADVERSARY_H
#define PERP_TESTS_TORTURE_ADVERSARY_H

#include "tests/fixtures/stored.h"

enum { ADVERSARY_ROWS = 24, ADVERSARY_FAMILIES = 6 };

extern const char *const adversary_families[ADVERSARY_FAMILIES];

typedef struct adversary {
    stored_problem p; /* p.z: a solution, exactly, where planted is 1 */
    storage storage;
    int family, planted, rowwise; /* rowwise: no set of several rows */
} adversary;

/* stored_free(&a->p) afterwards. */
void adversary_draw(adversary *a, perp_rng *rng);

#endif
