/* SPDX-License-Identifier: BSD-3-Clause */
#include "reform/reform.h"

static const perp_reform *const table[] = {&perp_reform_alart_curnier, &perp_reform_jean_moreau,
                                           &perp_reform_natural_map,
                                           &perp_reform_fischer_burmeister};

const perp_reform *perp_reform_at(int k)
{
    return (unsigned)k < sizeof(table) / sizeof(table[0]) ? table[k] : NULL;
}
