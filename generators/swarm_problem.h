/* SPDX-License-Identifier: BSD-3-Clause */
/* Small random problems of many kinds, each made from a seed and a number. */
#ifndef PERP_GENERATORS_SWARM_PROBLEM_H
#define PERP_GENERATORS_SWARM_PROBLEM_H

#include <stdint.h>

#include <perp/io.h>

#include "generators/families.h"
#include "core/rng.h"

enum { SWARM_CONTACTS = 50, SWARM_SEGMENTS = 12, SWARM_ARRAYS = 24, SWARM_ENUMERATED = 12 };
enum { SWARM_LINEAR_FAMILIES = PERP_FAMILY_COUNT + 2 };

/* Planted: a solution is chosen, and q made from it. */
typedef enum swarm_family {
    SWARM_SPHERES, /* perp generate, global or local form, mu 0..2, restitution 0..1 */
    SWARM_BOXES,   /* the same; mass ratio 1e-6..1e6 of the top course over the bottom one */
    SWARM_ARCH,
    SWARM_GRAINS,
    SWARM_CHAINS,      /* with joints */
    SWARM_RIGID,       /* random bodies and contacts, q = H' v: more contacts than freedom */
    SWARM_RIGID_RATIO, /* the same with masses over six decades */
    SWARM_RIGID_TWINS, /* the same, most contacts two or three times */
    SWARM_SPD,         /* planted, dense W = G G' + eps */
    SWARM_SINGULAR,    /* planted, W of rank 1 to n */
    SWARM_UNSYMMETRIC, /* planted, W with anything of 1e-4 to 0.3 of its size added */
    SWARM_SCALED,      /* planted, D W D with D over three decades */
    SWARM_TWINS,       /* planted, contacts two or three times */
    SWARM_PLANE,       /* planted, 2D friction */
    SWARM_MIXED,       /* planted, blocks of every set */
    SWARM_TRIVIAL,     /* q = 0, or q_N >= 0, or mu = 0 */
    SWARM_LINEAR,      /* from here on: the families of generators/families.h */
    SWARM_CIRCUIT = SWARM_LINEAR + PERP_FAMILY_COUNT, /* diode bridges, with relays or not */
    SWARM_PYRAMID,                                    /* scenes with boxed friction */
    SWARM_FAMILIES
} swarm_family;

/* Problems with contacts, or linear complementarity. */
typedef enum swarm_class { SWARM_OF_CONTACTS, SWARM_OF_LINEAR } swarm_class;
/* The families of a class take turns. */
swarm_family swarm_family_of(swarm_class cls, long index);

typedef struct swarm_problem {
    swarm_family family;
    int contacts;
    perp_problem problem;
    perp_dump *dump;       /* of the generated families; owns their arrays */
    double *dense;         /* the others and linear ones: n x n, column-major */
    const double *planted; /* the z that was chosen, or NULL */
    double *first;         /* the parameters of the first segment of planted ones */
    perp_segment seg[SWARM_SEGMENTS];
    void *array[SWARM_ARRAYS]; /* all that is to be freed */
    int arrays;
} swarm_problem;

const char *swarm_family_name(swarm_family family);

/* Problem number `index` of a seed: same arguments, same bits.  The families take
 * turns.  0, or -1 when memory is out. */
int swarm_make(swarm_problem *p, swarm_class cls, uint64_t seed, long index);
void swarm_free(swarm_problem *p);

/* The natural residual of z, computed anew in long double and without the library;
 * *product receives max |w - (M z + q)| over max(|q|, |z|, |w|).  NaN where z or w is
 * not finite. */
double swarm_error(const swarm_problem *p, const double *z, const double *w, double *product);

/* 1 where a solution is known to exist: it was planted; or some v gives H' v + w inside the dual
 * cone (Acary, Cadoux, Lemarechal, Malick 2011), seen by solving the convex problem with q_N a
 * little lower.  Impacts with restitution and friction in a packing often have no such v.  Linear
 * problems of up to SWARM_ENUMERATED rows are enumerated. */
int swarm_exists(const swarm_problem *p);

/* Into a file that `perp solve` reads, where the family has a form for it.  0 or -1. */
int swarm_write(const swarm_problem *p, const char *path);

/* Random bodies and exactly so many random contacts between them with one mu, masses over
 * `decades`, as a local problem in blocks; H receives the 6 bodies x 3 contacts directions
 * (the problem's own), so that q = H' v can be made anew. */
int swarm_make_rigid(swarm_problem *p, double **H, uint64_t seed, int contacts, int bodies,
                     double mu, double decades);

/* Random matrices and planted solutions (planted.c), random bodies (rigid.c), complementarity
 * (linear.c). */

double *swarm_take(swarm_problem *p, size_t count);
int swarm_store_blocks(swarm_problem *p, int n, int block);
int swarm_store(swarm_problem *p, perp_rng *rng, int n, int block);
int swarm_build_planted(swarm_problem *p, perp_rng *rng);
int swarm_build_rigid(swarm_problem *p, perp_rng *rng);
int swarm_build_linear(swarm_problem *p, perp_rng *rng);
double swarm_between(perp_rng *rng, double low, double high);
/* 0 to 2, now and then exactly 0 or 1. */
double swarm_mu(perp_rng *rng);

#endif
