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

/* Names that solvers had before, and what stands for them. */
#define PERP_RENAMED(old, new, more)                                                               \
    {                                                                                              \
        old, "'" old "' is now '" new "'" more                                                     \
    }
static const struct renamed {
    const char *name, *sentence;
} renamed[] = {
    PERP_RENAMED("psor", "pgs", " with --set pgs_variant=psor"),
    PERP_RENAMED("nncg", "pgs", " with --set pgs_variant=nncg"),
    PERP_RENAMED("rpgs", "pgs", " with --set pgs_variant=rpgs"),
    PERP_RENAMED("enum", "enumerative", ""),
    PERP_RENAMED("fixed-point", "projection", " with --set correction=none"),
    PERP_RENAMED("extragradient", "projection", " with --set correction=extragradient"),
    PERP_RENAMED("tresca", "lagged", " with --set lagged_law=tresca"),
    PERP_RENAMED("panagiotopoulos", "lagged", " with --set lagged_law=panagiotopoulos"),
    PERP_RENAMED("de-saxce", "lagged", " with --set lagged_law=de-saxce"),
    PERP_RENAMED("nsn-ac", "nsn", " with --set formulation=alart-curnier"),
    PERP_RENAMED("nsn-jm", "nsn", " with --set formulation=jean-moreau"),
    PERP_RENAMED("nsn-nm", "nsn", " with --set formulation=natural-map"),
    PERP_RENAMED("nsn-fb", "nsn", " with --set formulation=fischer-burmeister"),
    PERP_RENAMED("newton-min", "newton", " with --set formulation=natural-map"),
    PERP_RENAMED("newton-fb", "newton", " with --set formulation=fischer-burmeister"),
    PERP_RENAMED("snp", "prox", " with --set prox_newton=single"),
    PERP_RENAMED("snp-smooth", "prox", " with --set prox_newton=smoothed"),
    PERP_RENAMED("path", "central-path", ""),
};
#undef PERP_RENAMED

const char *perp_solver_renamed(const char *name)
{
    for (size_t k = 0; name && k < sizeof renamed / sizeof renamed[0]; k++)
        if (strcmp(renamed[k].name, name) == 0)
            return renamed[k].sentence;
    return NULL;
}

const perp_solver_type *perp_solver_method(const perp_solver_type *type,
                                           const perp_settings *settings)
{
    int value;
    if (!type || !type->variants)
        return type;
    memcpy(&value, (const char *)settings + type->choice, sizeof value);
    return type->variants[value];
}

int perp_solver_is_everyday(const perp_solver_type *type)
{
    return type ? type->everyday : 0;
}

const char *perp_solver_name(const perp_solver_type *type)
{
    return type ? type->name : NULL;
}

const char *perp_solver_summary(const perp_solver_type *type)
{
    return type ? type->summary : NULL;
}

const char *perp_solver_reads(const perp_solver_type *type)
{
    if (!type)
        return NULL;
    return type->variants_read ? type->variants_read : type->reads;
}

int perp_solver_takes_set(const perp_solver_type *type, perp_set set)
{
    unsigned sets = type ? type->sets : 0u;
    for (int k = 0; type && k < type->methods; k++)
        sets |= type->variants[k]->sets;
    return (int)set >= 0 && set < PERP_SET_COUNT && (sets & PERP_BIT(set)) != 0;
}

int perp_solver_takes_matrix(const perp_solver_type *type, perp_mat_kind kind)
{
    unsigned matrices = type ? type->matrices : 0u;
    for (int k = 0; type && k < type->methods; k++)
        matrices |= type->variants[k]->matrices;
    return (int)kind >= 0 && kind <= PERP_DELASSUS && (matrices & PERP_BIT(kind)) != 0;
}

int perp_solver_allocates(const perp_solver_type *type)
{
    return type && (type->flags & PERP_ALLOCATES) != 0;
}
