/* SPDX-License-Identifier: BSD-3-Clause */
/* Random blocks of three rows with a planted solution: r in K in one of the
 * three regimes, u from the law, b = u - A r. */
#ifndef PERP_GENERATORS_PLANTED_BLOCK_H
#define PERP_GENERATORS_PLANTED_BLOCK_H

#include <math.h>
#include <string.h>

#include "core/rng.h"

typedef enum planted_family {
    PLANTED_SPD,
    PLANTED_NEARLY_SINGULAR, /* singular values down to 1e-15 of the largest */
    PLANTED_RANK_1,
    PLANTED_RANK_2,
    PLANTED_UNSYMMETRIC, /* SPD and a few per cent of anything */
    PLANTED_CONTACT,     /* the block of a sphere on a plane, as in a packing */
    PLANTED_FAMILIES
} planted_family;

typedef enum planted_regime { PLANTED_OPEN, PLANTED_STICK, PLANTED_SLIP } planted_regime;

typedef struct planted_block {
    double A[9], b[3], r[3], mu;
    planted_regime regime;
} planted_block;

static inline double planted_between(perp_rng *rng, double lo, double hi)
{
    return lo + (hi - lo) * perp_rng_uniform(rng);
}

static inline void planted_unit(double *x, int n, perp_rng *rng)
{
    double square;
    do {
        square = 0.0;
        for (int i = 0; i < n; i++) {
            x[i] = planted_between(rng, -1.0, 1.0);
            square += x[i] * x[i];
        }
    } while (square > 1.0 || square < 1e-2);
    for (int i = 0; i < n; i++)
        x[i] /= sqrt(square);
}

/* A += s v v' with a random unit v. */
static inline void planted_add(double A[9], double s, perp_rng *rng)
{
    double v[3];
    planted_unit(v, 3, rng);
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++)
            A[3 * j + i] += s * v[i] * v[j];
}

static inline void planted_matrix(double A[9], planted_family family, perp_rng *rng)
{
    memset(A, 0, 9 * sizeof(double));
    if (family == PLANTED_CONTACT) {
        /* 1/m (I - n n' ...) of a ball, slightly coupled by a lever arm. */
        A[0] = 1.0;
        A[4] = A[8] = 3.5;
        planted_add(A, planted_between(rng, 0.0, 2.0), rng);
        planted_add(A, planted_between(rng, 0.0, 1.0), rng);
    } else {
        planted_add(A, 1.0, rng);
        if (family != PLANTED_RANK_1)
            planted_add(A, planted_between(rng, 0.05, 1.0), rng);
        if (family == PLANTED_NEARLY_SINGULAR) {
            planted_add(A, pow(10.0, planted_between(rng, -15.0, -2.0)), rng);
        } else if (family != PLANTED_RANK_1 && family != PLANTED_RANK_2) {
            planted_add(A, planted_between(rng, 0.05, 1.0), rng);
            for (int i = 0; i < 3; i++)
                A[4 * i] += 0.05;
        }
        if (family == PLANTED_UNSYMMETRIC)
            for (int k = 0; k < 9; k++)
                A[k] += planted_between(rng, -0.03, 0.03);
    }
    const double scale = pow(10.0, planted_between(rng, -12.0, 12.0));
    for (int k = 0; k < 9; k++)
        A[k] *= scale;
}

static inline void planted_make(planted_block *block, planted_family family, planted_regime regime,
                                double mu, perp_rng *rng)
{
    double c[2], u[3] = {0.0, 0.0, 0.0}, size = 0.0;
    planted_matrix(block->A, family, rng);
    planted_unit(c, 2, rng);
    for (int k = 0; k < 9; k++)
        size = fmax(size, fabs(block->A[k]));
    const double normal = pow(10.0, planted_between(rng, -6.0, 6.0));
    const double speed = size * normal * pow(10.0, planted_between(rng, -2.0, 2.0));
    block->mu = mu;
    block->regime = regime;
    memset(block->r, 0, sizeof block->r);
    if (regime == PLANTED_OPEN) {
        u[0] = speed * perp_rng_uniform(rng);
        u[1] = speed * c[0];
        u[2] = speed * c[1];
    } else {
        const double share = regime == PLANTED_STICK ? perp_rng_uniform(rng) : 1.0;
        block->r[0] = normal;
        block->r[1] = mu * share * normal * c[0];
        block->r[2] = mu * share * normal * c[1];
        if (regime == PLANTED_SLIP) {
            u[1] = -speed * c[0];
            u[2] = -speed * c[1];
        }
    }
    for (int i = 0; i < 3; i++)
        block->b[i] = u[i] - (block->A[i] * block->r[0] + block->A[3 + i] * block->r[1] +
                              block->A[6 + i] * block->r[2]);
}

#endif
