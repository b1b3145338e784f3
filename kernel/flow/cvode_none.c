/* SPDX-License-Identifier: BSD-3-Clause */
/* In builds without CVODE. */
#include "kernel/flow/cvode.h"

#include <stddef.h>

perp_status perp_cvode_create(perp_cvode **cvode, int n, int stiff)
{
    (void)n, (void)stiff;
    *cvode = NULL;
    return PERP_ERR_UNSUPPORTED;
}

void perp_cvode_destroy(perp_cvode *cvode)
{
    (void)cvode;
}

perp_status perp_cvode_start(perp_cvode *cvode, perp_rate_fn f, void *ctx, double t,
                             const double *x, double atol, double rtol)
{
    (void)cvode, (void)f, (void)ctx, (void)t, (void)x, (void)atol, (void)rtol;
    return PERP_ERR_UNSUPPORTED;
}

perp_status perp_cvode_step(perp_cvode *cvode, perp_rk *rk, double most)
{
    (void)cvode, (void)rk, (void)most;
    return PERP_ERR_UNSUPPORTED;
}
