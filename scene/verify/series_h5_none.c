/* SPDX-License-Identifier: BSD-3-Clause */
/* Where configure found no HDF5. */
#include "scene/verify/series_h5.h"

int perp_verify_h5_open(perp_verification *v)
{
    (void)v;
    return 0;
}

void perp_verify_h5_close(perp_verification *v)
{
    (void)v;
}

int perp_verify_has_h5(void)
{
    return 0;
}

int perp_verify_h5_columns(const perp_verify_h5 *h5)
{
    (void)h5;
    return 0;
}

const char *perp_verify_h5_name(const perp_verify_h5 *h5, int k)
{
    (void)h5, (void)k;
    return NULL;
}

long perp_verify_h5_rows(const perp_verify_h5 *h5)
{
    (void)h5;
    return 0;
}

const double *perp_verify_h5_row(perp_verification *v, long row)
{
    (void)v, (void)row;
    return NULL;
}
