/* SPDX-License-Identifier: BSD-3-Clause */
#include "reform/reform.h"

#include <perp/choices.h>

/* The last is no choice of the setting `formulation`. */
static const perp_reform *const table[] = {
    [PERP_FORMULATION_ALART_CURNIER] = &perp_reform_alart_curnier,
    [PERP_FORMULATION_JEAN_MOREAU] = &perp_reform_jean_moreau,
    [PERP_FORMULATION_NATURAL_MAP] = &perp_reform_natural_map,
    [PERP_FORMULATION_NATURAL_MAP + 1] = &perp_reform_fischer_burmeister,
};

const perp_reform *perp_reform_at(int k)
{
    return (unsigned)k < sizeof(table) / sizeof(table[0]) ? table[k] : NULL;
}
