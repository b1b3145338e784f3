/* SPDX-License-Identifier: BSD-3-Clause */
/* An order of the blocks in which threads can share a sweep: clusters of neighbouring
 * blocks, coloured so that no two clusters of a colour are coupled.  The clusters of a
 * colour may be visited at the same time; within one the blocks follow each other.  So a sweep
 * is Gauss-Seidel, its bits do not depend on who visits what, and the order depends on
 * nothing but the pattern of the problem.
 */
#ifndef PERP_SOLVERS_GS_COLOURING_H
#define PERP_SOLVERS_GS_COLOURING_H

#include "core/arena.h"

/* Who is coupled to whom.  Block k names link[first[k]] .. link[first[k + 1] - 1]: blocks
 * where member is NULL (one direction is enough, and k itself may occur), else groups, and
 * the blocks of group g are member[group[g]] .. member[group[g + 1] - 1]. */
typedef struct perp_coupling {
    int count;
    const int *first, *link;
    int groups;
    const int *group, *member;
    int least; /* blocks of a cluster at least; 0: a few */
    int runs;  /* 1: clusters are runs of successive blocks, which lie together in memory */
} perp_coupling;

typedef struct perp_colouring {
    int pieces, colours;
    int *order; /* count: the block at each position */
    int *start; /* pieces + 1: position where each cluster begins */
    int *first; /* colours + 1: clusters of each colour */
} perp_colouring;

/* Takes the arrays of *colouring from `arena`, working memory from its allocator. */
perp_status perp_colouring_find(perp_colouring *colouring, const perp_coupling *coupling,
                                perp_arena *arena);

/* 1: no two clusters of a colour are coupled.  PERP_ERR_MEMORY (negative) where there is
 * no working memory. */
int perp_colouring_holds(const perp_colouring *colouring, const perp_coupling *coupling,
                         const perp_allocator *allocator);

#endif
