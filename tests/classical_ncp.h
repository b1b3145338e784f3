/* SPDX-License-Identifier: BSD-3-Clause */
/* Nonlinear complementarity problems of the literature, with their Jacobians. */
#ifndef PERP_TESTS_CLASSICAL_NCP_H
#define PERP_TESTS_CLASSICAL_NCP_H

#include <perp/ncp.h>

enum { CLASSICAL_MAX = 8, CLASSICAL_COUNT = 7 };

typedef struct classical_ncp {
    const char *name;
    int n;
    perp_ncp_value_fn F;
    perp_ncp_jacobian_fn J;
    double lo[CLASSICAL_MAX], hi[CLASSICAL_MAX];
    double start[3][CLASSICAL_MAX];
    int solutions; /* known, all of them; 0: not listed */
    double solution[2][CLASSICAL_MAX];
} classical_ncp;

extern const classical_ncp classical_ncps[CLASSICAL_COUNT];

#endif
