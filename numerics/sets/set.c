/* SPDX-License-Identifier: BSD-3-Clause */
#include "sets/set.h"

#include <limits.h>

static const perp_set_type *const table[PERP_SET_COUNT] = {
    [PERP_FREE] = &perp_set_free,       [PERP_NONNEG] = &perp_set_nonneg,
    [PERP_BOX] = &perp_set_box,         [PERP_TRESCA] = &perp_set_tresca,
    [PERP_COULOMB] = &perp_set_coulomb, [PERP_SOC] = &perp_set_soc,
    [PERP_ROLLING] = &perp_set_rolling,
};

const perp_set_type *perp_set_type_of(int set)
{
    return table[set];
}

int perp_set_takes_dim(const perp_set_type *type, int dim)
{
    int highest = type->max_dim ? type->max_dim : SHRT_MAX;
    return dim >= type->min_dim && dim <= highest;
}
