/* SPDX-License-Identifier: BSD-3-Clause */
/* Systems of a simulation that several processes make together. */
#include "kernel/systems/dynamic_system.h"

static double mass_of(const perp_system *s)
{
    return s->kind == PERP_SYSTEM_BODY ? s->as.body.mass : 0.0;
}

static int is_own(const perp_system *s)
{
    return s->presence == PERP_PRESENCE_OWN || s->presence == PERP_PRESENCE_SHARED;
}

int perp_system_holds(const perp_system *a, const perp_system *b)
{
    if (a && perp_system_is_prescribed(a))
        a = NULL;
    if (b && perp_system_is_prescribed(b))
        b = NULL;
    if (!a || !b)
        return a ? is_own(a) : !b || is_own(b);
    if (a->presence == PERP_PRESENCE_ABSENT || b->presence == PERP_PRESENCE_ABSENT)
        return 0;
    if (a->slot > b->slot) {
        const perp_system *later = a;
        a = b;
        b = later;
    }
    return is_own(mass_of(b) > mass_of(a) ? b : a);
}
