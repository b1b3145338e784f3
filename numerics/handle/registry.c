/* SPDX-License-Identifier: BSD-3-Clause */
#include "handle/registry.h"

#include <string.h>

static const perp_solver_type *const solvers[] = {
#define PERP_SOLVER_ENTRY(symbol) &symbol,
    PERP_SOLVERS(PERP_SOLVER_ENTRY)
#undef PERP_SOLVER_ENTRY
        NULL};

const perp_solver_type *perp_solver_at(int k)
{
    int count = (int)(sizeof solvers / sizeof solvers[0]) - 1;
    return k >= 0 && k < count ? solvers[k] : NULL;
}

const perp_solver_type *perp_solver_find(const char *name)
{
    for (int k = 0; name && solvers[k]; k++)
        if (strcmp(solvers[k]->name, name) == 0)
            return solvers[k];
    return NULL;
}

const char *perp_solver_name(const perp_solver_type *type)
{
    return type->name;
}

const char *perp_solver_summary(const perp_solver_type *type)
{
    return type->summary;
}

const char *perp_solver_reads(const perp_solver_type *type)
{
    return type->reads;
}

int perp_solver_takes_set(const perp_solver_type *type, perp_set set)
{
    return (int)set >= 0 && set < PERP_SET_COUNT && (type->sets & PERP_BIT(set)) != 0;
}

int perp_solver_takes_matrix(const perp_solver_type *type, perp_mat_kind kind)
{
    return (int)kind >= 0 && kind <= PERP_DELASSUS && (type->matrices & PERP_BIT(kind)) != 0;
}

int perp_solver_allocates(const perp_solver_type *type)
{
    return (type->flags & PERP_ALLOCATES) != 0;
}
