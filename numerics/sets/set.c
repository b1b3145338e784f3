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

const char *perp_set_name(perp_set set)
{
    return (unsigned)set < PERP_SET_COUNT ? table[set]->name : NULL;
}

int perp_set_parameters(perp_set set)
{
    return (unsigned)set < PERP_SET_COUNT ? table[set]->parameters : 0;
}

const char *perp_set_parameter(perp_set set, int p)
{
    return p >= 0 && p < perp_set_parameters(set) ? table[set]->parameter[p] : NULL;
}
