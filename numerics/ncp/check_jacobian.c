/* SPDX-License-Identifier: BSD-3-Clause */
#include <perp/ncp.h>

#include <math.h>
#include <string.h>

#include "core/arena.h"
#include "core/float_environment.h"

/* Column j of J into `column`, dense. */
static void read_column(double *column, const perp_ncp *ncp, const double *values, int j)
{
    size_t n = (size_t)ncp->n;
    if (!ncp->colptr) {
        memcpy(column, values + (size_t)j * n, n * sizeof(double));
        return;
    }
    memset(column, 0, n * sizeof(double));
    for (int p = ncp->colptr[j]; p < ncp->colptr[j + 1]; p++)
        column[ncp->row[p]] = values[p];
}

static perp_status compare(const perp_ncp *ncp, const double *z, double *worst, int *row, int *col,
                           perp_arena *scratch)
{
    size_t n = (size_t)ncp->n, count = ncp->colptr ? (size_t)ncp->colptr[n] : n * n;
    double *values = PERP_TAKE(scratch, double, count), *at = PERP_TAKE(scratch, double, n);
    double *up = PERP_TAKE(scratch, double, n), *down = PERP_TAKE(scratch, double, n);
    double *column = PERP_TAKE(scratch, double, n);
    if (scratch->failed)
        return PERP_ERR_MEMORY;
    if (n > 0)
        memcpy(at, z, n * sizeof(double));
    if (ncp->J(ncp->ctx, values, z))
        return PERP_INTERRUPTED;
    for (int j = 0; j < ncp->n; j++) {
        double h = cbrt(0x1p-52) * fmax(1.0, fabs(z[j])), size = 0.0;
        at[j] = z[j] + h;
        int stop = ncp->F(ncp->ctx, up, at);
        at[j] = z[j] - h;
        stop = stop || ncp->F(ncp->ctx, down, at);
        at[j] = z[j];
        if (stop)
            return PERP_INTERRUPTED;
        read_column(column, ncp, values, j);
        for (size_t i = 0; i < n; i++) {
            up[i] = (up[i] - down[i]) / ((z[j] + h) - (z[j] - h));
            size = fmax(size, fmax(fabs(up[i]), fabs(column[i])));
        }
        for (size_t i = 0; i < n; i++) {
            double off = size > 0.0 ? fabs(up[i] - column[i]) / size : 0.0;
            if (off <= *worst)
                continue;
            *worst = off;
            *row = (int)i;
            *col = j;
        }
    }
    return PERP_SOLVED;
}

perp_status perp_ncp_check_jacobian(const perp_ncp *ncp, const double *z,
                                    const perp_allocator *allocator, double *worst, int *row,
                                    int *col)
{
    PERP_HOLD_ENVIRONMENT();
    int own_row = -1, own_col = -1;
    perp_arena scratch;
    if (!ncp || !ncp->F || !ncp->J || !worst || ncp->n < 0 || (ncp->n > 0 && !z))
        return PERP_ERR_ARGUMENT;
    *worst = 0.0;
    perp_arena_init(&scratch, allocator);
    perp_status status = compare(ncp, z, worst, &own_row, &own_col, &scratch);
    perp_arena_free(&scratch);
    if (row)
        *row = own_row;
    if (col)
        *col = own_col;
    return status;
}
