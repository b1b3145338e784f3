/* SPDX-License-Identifier: BSD-3-Clause */
/* Small problems that every solver meets: closed forms, classical examples,
 * planted solutions in each regime, degenerate and unsolvable ones. */
#ifndef PERP_TESTS_ZOO_H
#define PERP_TESTS_ZOO_H

#include "stored.h"

typedef enum zoo_level {
    /* The symmetric part of M is well-conditioned and positive definite, friction
     * is moderate: whoever takes the sets and the matrix solves it to 1e-8. */
    ZOO_EASY,
    /* A solution exists; only the solvers named in `must` have to find it. */
    ZOO_HARD,
    /* No solution exists. */
    ZOO_UNSOLVABLE
} zoo_level;

typedef struct zoo_entry {
    const char *name;
    zoo_level level;
    const char *must; /* names of solvers, separated by blanks */
    void (*build)(stored_problem *p);
} zoo_entry;

/* Entry k, or NULL past the end. */
const zoo_entry *zoo_at(int k);
/* Builds it under its name; stored_free() afterwards. */
void zoo_build(stored_problem *p, const zoo_entry *entry);
/* 1 when `solver` must solve it. */
int zoo_expects(const zoo_entry *entry, const char *solver);

#endif
