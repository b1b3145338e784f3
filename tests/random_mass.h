/* SPDX-License-Identifier: BSD-3-Clause */
/* Mass matrices of known components, in every kind of view. */
#ifndef PERP_TESTS_RANDOM_MASS_H
#define PERP_TESTS_RANDOM_MASS_H

#include <check.h>

#include "dense_reference.h"
#include "linalg/csc.h"

/* What kind of mass matrix: sizes of the components that it falls into. */
typedef enum mass_shape {
    DIAGONAL,
    BODIES,  /* components of 1 to 12 unknowns */
    COUPLED, /* one large component */
    MIXED,   /* bodies and several large components */
    SHAPES
} mass_shape;

static inline int component_size(perp_rng *rng, mass_shape shape, int k, int rest)
{
    int size = 1;
    if (shape == BODIES)
        size = 1 + perp_rng_below(rng, 12);
    else if (shape == COUPLED)
        size = rest;
    else if (shape == MIXED)
        size = k % 3 == 1 ? 13 + perp_rng_below(rng, 10) : 1 + perp_rng_below(rng, 12);
    return size < rest ? size : rest;
}

/* A dense matrix that falls into components after a random permutation; each
 * is a random graph with a path through it, positive definite when symmetric. */
static inline double *random_mass(perp_rng *rng, int n, mass_shape shape, int symmetric,
                                  int *component)
{
    double *M = ref_zero(n, n);
    int *order = malloc((size_t)n * sizeof(int));
    for (int i = 0; i < n; i++)
        order[i] = i;
    for (int i = n - 1; i > 0; i--) {
        int j = perp_rng_below(rng, i + 1), t = order[i];
        order[i] = order[j];
        order[j] = t;
    }
    for (int first = 0, k = 0; first < n; k++) {
        int size = component_size(rng, shape, k, n - first);
        double unit = pow(10.0, 3.0 * perp_rng_signed(rng));
        for (int i = 0; i < size; i++) {
            component[order[first + i]] = k;
            for (int j = 0; j < i; j++) {
                if (j != i - 1 && perp_rng_uniform(rng) < 0.7)
                    continue;
                double below = unit * perp_rng_signed(rng), above = unit * perp_rng_signed(rng);
                M[order[first + i] + order[first + j] * n] = below;
                M[order[first + j] + order[first + i] * n] = symmetric ? below : above;
            }
        }
        for (int i = 0; i < size; i++) {
            double sum = 0.0;
            for (int j = 0; j < n; j++)
                sum += fabs(M[order[first + i] + j * n]) + fabs(M[j + order[first + i] * n]);
            M[order[first + i] + order[first + i] * n] = sum + unit * (0.1 + perp_rng_uniform(rng));
        }
        first += size;
    }
    free(order);
    return M;
}

/* The same matrix in another kind of view; BSR where 2 divides n. */
static inline perp_mat view_as(const double *M, int n, perp_mat_kind kind, perp_arena *arena)
{
    perp_mat A;
    perp_csc C;
    ck_assert_int_eq(perp_mat_init_dense(&A, n, n, M, n), PERP_SOLVED);
    if (kind == PERP_DENSE)
        return A;
    ck_assert_int_eq(perp_csc_from_mat(&C, &A, arena), PERP_SOLVED);
    if (kind == PERP_CSC)
        return perp_csc_view(&C);
    ck_assert_int_eq(perp_bsr_from_csc(&A, &C, 2, arena), PERP_SOLVED);
    return A;
}

#endif
