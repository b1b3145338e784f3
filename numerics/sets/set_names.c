/* SPDX-License-Identifier: BSD-3-Clause */
/* What is public of the table of sets: in libperp-numerics alone, whatever has a copy of the sets.
 */
#include "sets/set.h"

static const perp_set_type *type_of(perp_set set)
{
    return (unsigned)set < PERP_SET_COUNT ? perp_set_type_of((int)set) : NULL;
}

const char *perp_set_name(perp_set set)
{
    const perp_set_type *type = type_of(set);
    return type ? type->name : NULL;
}

int perp_set_parameters(perp_set set)
{
    const perp_set_type *type = type_of(set);
    return type ? type->parameters : 0;
}

const char *perp_set_parameter(perp_set set, int p)
{
    return p >= 0 && p < perp_set_parameters(set) ? type_of(set)->parameter[p] : NULL;
}
