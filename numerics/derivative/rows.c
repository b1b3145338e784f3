/* SPDX-License-Identifier: BSD-3-Clause */
/* What is said of each row, made where it is asked for. */
#include <math.h>
#include <string.h>

#include "derivative/state.h"

/* Below this what is beside 1 is rounding. */
static const double none = 1e-9;

/* Rows that a direction moves in which solutions differ. */
static void flag_along(const perp_derivative *d, unsigned char *flags, const double *e)
{
    int n = d->info.rows;
    const double *unit = d->laws.unit;
    double size = 0.0;
    memset(d->dw, 0, (size_t)n * sizeof(double));
    perp_entries_apply(d->dw, &d->A, e);
    for (int i = 0; i < n; i++)
        size = fmax(size, fabs(e[i]) * unit[i]);
    for (int i = 0; i < n; i++) {
        if (fabs(e[i]) * unit[i] > none * size)
            flags[i] |= PERP_ROW_Z_NOT_UNIQUE;
        if (fabs(d->dw[i]) / unit[i] > none * size)
            flags[i] |= PERP_ROW_W_NOT_UNIQUE;
    }
}

/* A row of the laws that is on a kink: w, or z, of the rows of the problem in it may stay 0. */
static int is_kink(const perp_laws *laws, int k)
{
    return laws->flags[laws->row[k].block] & PERP_LAW_KINK && laws->row[k].set != PERP_FREE;
}

int perp_first_kink(const perp_derivative *d)
{
    const perp_laws *laws = &d->laws;
    int first = -1;
    for (int k = 0; k < laws->count; k++)
        for (int p = laws->row[k].r; is_kink(laws, k) && p < laws->row[k].r_end; p++)
            first = first < 0 || laws->r_at[p] < first ? laws->r_at[p] : first;
    return first;
}

perp_status perp_derivative_rows(const perp_derivative *d, unsigned char *flags)
{
    if (!d || !flags)
        return PERP_ERR_ARGUMENT;
    if (!d->ready)
        return PERP_ERR_STATE;
    const perp_laws *laws = &d->laws;
    size_t n = (size_t)d->info.rows;
    memset(flags, 0, n);
    for (int k = 0; k < laws->count; k++)
        for (int p = laws->row[k].r; is_kink(laws, k) && p < laws->row[k].r_end; p++)
            flags[laws->r_at[p]] |= PERP_ROW_KINK;
    for (int k = 0; k < d->nulls; k++)
        flag_along(d, flags, d->null + (size_t)k * n);
    for (int k = 0; k < d->kinks.free; k++) {
        perp_kinks_loose(d, k, d->y);
        memset(d->dz, 0, n * sizeof(double));
        perp_reduced_add_c(d->dz, laws, d->y, 0);
        flag_along(d, flags, d->dz);
    }
    return PERP_SOLVED;
}
