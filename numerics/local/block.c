/* SPDX-License-Identifier: BSD-3-Clause */
/* Any block of any set. */
#include <string.h>

#include "local/local_rolling.h"
#include "local/scalar.h"
#include "local/slip.h"
#include "local/local_tresca.h"

static const perp_set_type *const convex_sets[PERP_SET_COUNT] = {
    [PERP_TRESCA] = &perp_set_tresca,
    [PERP_SOC] = &perp_set_soc,
};

size_t perp_local_scratch(int dim)
{
    return dim <= 3 ? 0 : perp_convex_scratch(dim);
}

static perp_status contact3(double r[3], const double A[9], const perp_local_prep *prep,
                            const double b[3], double mu, perp_local_kind kind)
{
    switch (kind) {
    case PERP_LOCAL_QUARTIC:
        return perp_local_quartic(r, A, prep, b, mu);
    case PERP_LOCAL_NEWTON:
        return perp_local_newton(r, A, prep, b, mu);
    case PERP_LOCAL_PROJECTION:
        return perp_local_projection(r, A, prep, b, mu);
    case PERP_LOCAL_HYBRID:
    default:
        return perp_local_hybrid(r, A, prep, b, mu);
    }
}

/* u = 0 inside the set, by the prepared inverse: the usual case. */
static int inside(double *z, const perp_convex *block, const perp_local_prep *prep)
{
    const int n = block->dim;
    double x[3], work[6];
    if (n > 3 || !prep || !prep->invertible)
        return 0;
    for (int i = 0; i < n; i++) {
        x[i] = 0.0;
        for (int j = 0; j < n; j++)
            x[i] -= prep->inverse[n * j + i] * block->b[j];
    }
    if (!(x[0] >= 0.0) || perp_convex_error(block, x, work) > PERP_LOCAL_ACCEPT)
        return 0;
    memcpy(z, x, (size_t)n * sizeof(double));
    return 1;
}

/* 1: w_N cannot become what the set demands, because A_N z <= reach for every z in it. */
static int never(const perp_block *block, const double *A, const double *b)
{
    double size = 0.0;
    for (int j = 1; j < block->dim; j++)
        size = hypot(size, A[(size_t)j * (size_t)block->dim]);
    size *= block->par[0];
    if (block->set == PERP_TRESCA)
        return A[0] <= 0.0 && b[0] + size < 0.0;
    return b[0] < 0.0 && A[0] + size <= 0.0;
}

static perp_status convex(double *z, const perp_block *block, const double *A,
                          const perp_local_prep *prep, const double *b, double *scratch)
{
    const int n = block->dim;
    double small[42], *work = n > 3 ? scratch : small;
    perp_local_prep own;
    if (!prep) {
        perp_local_prepare(&own, A, n);
        prep = &own;
    }
    const perp_convex c = {.set = convex_sets[block->set],
                           .A = A,
                           .b = b,
                           .par = block->par,
                           .norm = prep->norm > 0.0 ? prep->norm : 1.0,
                           .dim = n};
    if (b[0] < 0.0 && never(block, A, b))
        return PERP_INFEASIBLE;
    if (inside(z, &c, prep))
        return PERP_SOLVED;
    double error = HUGE_VAL;
    if (block->set == PERP_TRESCA)
        error = perp_tresca_solve(z, &c);
    if (!(error <= PERP_LOCAL_SOLVED))
        error = perp_convex_solve(z, &c, work);
    if (!(error <= PERP_LOCAL_SOLVED) && block->set == PERP_SOC && block->par[0] > 0.0) {
        (void)perp_soc_boundary(z, &c, error, work);
        error = perp_convex_solve(z, &c, work);
    }
    return error <= PERP_LOCAL_SOLVED ? PERP_SOLVED : PERP_STALLED;
}

perp_status perp_local_solve(double *z, const perp_block *block, const double *A,
                             const perp_local_prep *prep, const double *b, perp_local_kind kind,
                             double *scratch)
{
    switch (block->set) {
    case PERP_FREE:
        return perp_scalar_free(z, A[0], b[0]);
    case PERP_NONNEG:
        return perp_scalar_nonneg(z, A[0], b[0]);
    case PERP_BOX:
        return perp_scalar_box(z, A[0], b[0], block->par[0], block->par[1]);
    case PERP_COULOMB:
        if (block->dim == 2)
            return perp_local_contact2(z, A, b, block->par[0]);
        return contact3(z, A, prep, b, block->par[0], kind);
    case PERP_ROLLING:
        return perp_local_rolling(z, block, A, b);
    default:
        return convex(z, block, A, prep, b, scratch);
    }
}
