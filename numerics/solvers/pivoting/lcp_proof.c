/* SPDX-License-Identifier: BSD-3-Clause */
#include "solvers/pivoting/lcp_proof.h"

#include <math.h>
#include <string.h>

int perp_lcp_proves_infeasible(double *y, const perp_lcp *lcp)
{
    size_t N = (size_t)lcp->size;
    double largest = 0.0, value = 0.0, terms = 0.0;
    for (size_t i = 0; i < N; i++)
        largest = fmax(largest, fabs(y[i]));
    for (size_t i = 0; i < N; i++) {
        if (fabs(y[i]) <= 1e-12 * largest)
            y[i] = 0.0;
        if (y[i] < 0.0 && lcp->kind[i] == PERP_LCP_PAIR)
            return 0;
        value += y[i] * lcp->b[i];
        terms += fabs(y[i] * lcp->b[i]);
    }
    for (size_t j = 0; j < N; j++) {
        double sum = 0.0, size = 0.0;
        for (size_t i = 0; i < N; i++) {
            sum += lcp->a[i + j * N] * y[i];
            size += fabs(lcp->a[i + j * N] * y[i]);
        }
        if (sum > 1e-10 * size || (lcp->kind[j] == PERP_LCP_FREE && sum < -1e-10 * size))
            return 0;
    }
    return value < -1e-8 * terms;
}

int perp_lcp_row_proves(double *y, const perp_lcp *lcp)
{
    size_t N = (size_t)lcp->size;
    for (size_t i = 0; i < N; i++) {
        size_t j = 0;
        if (lcp->kind[i] != PERP_LCP_PAIR || !(lcp->b[i] < 0.0))
            continue;
        while (j < N && lcp->a[i + j * N] <= 0.0)
            j++;
        memset(y, 0, N * sizeof(double));
        y[i] = 1.0;
        if (j == N && perp_lcp_proves_infeasible(y, lcp))
            return 1;
    }
    return 0;
}

void perp_lcp_to_multipliers(double *certificate, const perp_lcp *lcp, const double *y)
{
    memset(certificate, 0, (size_t)lcp->n * sizeof(double));
    for (int i = 0; i < lcp->size; i++)
        if (lcp->kind[i] != PERP_LCP_SLACK)
            certificate[lcp->origin[i]] = lcp->sign[i] * lcp->row_scale[i] * y[i];
}
