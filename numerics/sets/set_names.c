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

int perp_set_parameters(perp_set set, int dim)
{
    const perp_set_type *type = type_of(set);
    return type ? perp_set_reads(type, dim) : 0;
}

const char *perp_set_parameter(perp_set set, int p)
{
    const perp_set_type *type = type_of(set);
    return type && p >= 0 && p < type->parameters ? type->parameter[p] : NULL;
}
