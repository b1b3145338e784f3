/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of integrators, and schemes set by name. */
#include "kernel/integrators/integrator.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define PERP_ADDRESS(symbol) &symbol,
static const perp_integrator *const all[] = {PERP_INTEGRATORS(PERP_ADDRESS)};
#undef PERP_ADDRESS
enum { COUNT = sizeof all / sizeof all[0] };

const perp_integrator *perp_integrator_find(const char *name)
{
    for (int k = 0; name && k < COUNT; k++)
        if (strcmp(all[k]->name, name) == 0)
            return all[k];
    return NULL;
}

const char *perp_scheme_at(int k)
{
    return k >= 0 && k < COUNT ? all[k]->name : NULL;
}

const char *perp_scheme_summary(const char *name)
{
    const perp_integrator *integrator = perp_integrator_find(name);
    return integrator ? integrator->summary : NULL;
}
