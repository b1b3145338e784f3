/* SPDX-License-Identifier: BSD-3-Clause */
/* Work of the stages of `auto`, in counted sweeps: what each may spend beside what was spent before
 * it, and whether all of it is much more than the cheapest of them took. */
#ifndef PERP_SOLVERS_AUTO_SHARES_H
#define PERP_SOLVERS_AUTO_SHARES_H

#include "handle/nested.h"

typedef struct perp_shares {
    const perp_nested *running;
    double share;             /* of the stage that runs; INFINITY: none */
    double cheapest;          /* work of the cheapest stage of this solve */
    double before_last, last; /* cheapest without the last stage; work of that one */
} perp_shares;

/* At the beginning of a solve. */
void perp_shares_start(perp_shares *shares);
/* A stage begins: `times` what was spent, 0: 30 times, or `least` where it is more; endless: no
 * limit. */
void perp_shares_begin(perp_shares *shares, const perp_work *work, const perp_nested *running,
                       double least, int times, int endless);
/* 1: the stage that runs has had its share. */
int perp_shares_over(const perp_shares *shares, int iteration);
/* It ended; again: it went on from the run before, and both count as one.  Notes in work->info what
 * is dear. */
void perp_shares_end(perp_shares *shares, perp_work *work, int again);

#endif
