/* SPDX-License-Identifier: BSD-3-Clause */
/* What a joint was found to be at one configuration.  The same one is asked for again and again: at
 * the end of a step by its stages and its outputs, then as the start of the next one. */
#ifndef PERP_KERNEL_JOINT_MEMO_H
#define PERP_KERNEL_JOINT_MEMO_H

#include <string.h>

#include "kernel/relations/link.h"

enum { PERP_JOINT_ROWS = 6 };

typedef struct perp_joint_memo {
    double x[14]; /* of the bodies */
    int side;     /* of the relation */
    int has_y, has_H;
    double branch, origin;                 /* of the link, when y was found */
    double y[PERP_JOINT_ROWS], coordinate; /* coordinate: of SLIDE and ANGLE */
    double H[PERP_JOINT_ROWS * 12];
} perp_joint_memo;

/* Has nothing if x is another configuration than before. */
static inline perp_joint_memo *perp_joint_memo_at(perp_joint_memo *memo, const perp_link *link,
                                                  const double *x)
{
    size_t bytes = 7 * (size_t)perp_link_bodies(link) * sizeof *x;
    if (memo->side == link->relation.side && memcmp(memo->x, x, bytes) == 0)
        return memo;
    memcpy(memo->x, x, bytes);
    memo->side = link->relation.side;
    memo->has_y = memo->has_H = 0;
    return memo;
}

/* Has it the output of the link with its present branch? */
static inline int perp_joint_memo_knows_output(const perp_joint_memo *memo, const perp_link *link)
{
    return memo->has_y && memo->branch == link->branch && memo->origin == link->relation.origin;
}

static inline void perp_joint_memo_has_output(perp_joint_memo *memo, const perp_link *link)
{
    memo->branch = link->branch;
    memo->origin = link->relation.origin;
    memo->has_y = 1;
}

#endif
