/* SPDX-License-Identifier: BSD-3-Clause */
/* Small random problems of many kinds, each made from a seed and a number. */
#ifndef PERP_GENERATORS_SMALL_PROBLEM_H
#define PERP_GENERATORS_SMALL_PROBLEM_H

#include <stdint.h>

#include <perp/io.h>

#include "generators/lcp_families.h"
#include "core/rng.h"

enum { SMALL_CONTACTS = 50, SMALL_SEGMENTS = 12, SMALL_ARRAYS = 24, SMALL_ENUMERATED = 12 };
enum { SMALL_LINEAR_FAMILIES = PERP_FAMILY_COUNT + 2 };

/* Planted: a solution is chosen, and q made from it. */
typedef enum small_family {
    SMALL_SPHERES, /* perp generate, global or local form, mu 0..2, restitution 0..1 */
    SMALL_BOXES,   /* the same; mass ratio 1e-6..1e6 of the top course over the bottom one */
    SMALL_ARCH,
    SMALL_GRAINS,
    SMALL_CHAINS,      /* with joints */
    SMALL_RIGID,       /* random bodies and contacts, q = H' v: more contacts than freedom */
    SMALL_RIGID_RATIO, /* the same with masses over six decades */
    SMALL_RIGID_TWINS, /* the same, most contacts two or three times */
    SMALL_SPD,         /* planted, dense W = G G' + eps */
    SMALL_SINGULAR,    /* planted, W of rank 1 to n */
    SMALL_UNSYMMETRIC, /* planted, W with anything of 1e-4 to 0.3 of its size added */
    SMALL_SCALED,      /* planted, D W D with D over three decades */
    SMALL_TWINS,       /* planted, contacts two or three times */
    SMALL_PLANE,       /* planted, 2D friction */
    SMALL_MIXED,       /* planted, blocks of every set */
    SMALL_TRIVIAL,     /* q = 0, or q_N >= 0, or mu = 0 */
    SMALL_LINEAR,      /* from here on: the families of generators/lcp_families.h */
    SMALL_CIRCUIT = SMALL_LINEAR + PERP_FAMILY_COUNT, /* diode bridges, with relays or not */
    SMALL_PYRAMID,                                    /* scenes with boxed friction */
    SMALL_FAMILIES
} small_family;

/* Problems with contacts, or linear complementarity. */
typedef enum small_class { SMALL_OF_CONTACTS, SMALL_OF_LINEAR } small_class;
/* The families of a class take turns. */
small_family small_family_of(small_class cls, long index);

typedef struct small_problem {
    small_family family;
    int contacts;
    perp_problem problem;
    perp_problem_file *file; /* of the generated families; owns their arrays */
    double *dense;           /* the others and linear ones: n x n, column-major */
    const double *planted;   /* the z that was chosen, or NULL */
    double *first;           /* the parameters of the first segment of planted ones */
    perp_segment seg[SMALL_SEGMENTS];
    void *array[SMALL_ARRAYS]; /* all that is to be freed */
    int arrays;
} small_problem;

const char *small_family_name(small_family family);

/* Problem number `index` of a seed: same arguments, same bits.  The families take
 * turns.  0, or -1 when memory is out. */
int small_make(small_problem *p, small_class cls, uint64_t seed, long index);
void small_free(small_problem *p);

/* Into a file that `perp solve` reads, where the family has a form for it.  0 or -1. */
int small_write(const small_problem *p, const char *path);

/* Random bodies and exactly so many random contacts between them with one mu, masses over
 * `decades`, as a local problem in blocks; H receives the 6 bodies x 3 contacts directions
 * (the problem's own), so that q = H' v can be made again. */
int small_make_rigid(small_problem *p, double **H, uint64_t seed, int contacts, int bodies,
                     double mu, double decades);

/* Random matrices and planted solutions (small_planted.c), random bodies (small_rigid.c),
 * complementarity (small_linear.c). */

double *small_take(small_problem *p, size_t count);
int small_store_blocks(small_problem *p, int n, int block);
int small_store(small_problem *p, perp_rng *rng, int n, int block);
int small_build_planted(small_problem *p, perp_rng *rng);
int small_build_rigid(small_problem *p, perp_rng *rng);
int small_build_linear(small_problem *p, perp_rng *rng);
double small_between(perp_rng *rng, double low, double high);
/* 0 to 2, now and then exactly 0 or 1. */
double small_mu(perp_rng *rng);

#endif
