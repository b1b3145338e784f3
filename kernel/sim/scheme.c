/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of schemes, and schemes set by name. */
#include "core/float_environment.h"
#include "kernel/sim/scheme_list.h"

#include <stddef.h>
#include <string.h>

#include "core/option_table.h"
#include "core/sized.h"

#define PERP_ADDRESS(symbol) &symbol,
static const perp_integrator *const all[] = {PERP_SCHEMES(PERP_ADDRESS)};
#undef PERP_ADDRESS
enum { COUNT = sizeof all / sizeof all[0] };

static const perp_option parameters[] = {
#define PERP_REAL(name, def, lo, hi, text) PERP_OPTION_REAL(perp_scheme, name, def, lo, hi, text)
#define PERP_INT(name, def, lo, hi, text) PERP_OPTION_INT(perp_scheme, name, def, lo, hi, text)
#define PERP_CHOICE(name, def, choices, text)                                                      \
    PERP_OPTION_CHOICE(perp_scheme, name, def, choices, text)
#include <perp/scheme.def>
#undef PERP_REAL
#undef PERP_INT
#undef PERP_CHOICE
};

static const perp_option_table table = {parameters, sizeof parameters / sizeof parameters[0], NULL};

const perp_integrator *perp_integrator_at(int k)
{
    return k >= 0 && k < COUNT ? all[k] : NULL;
}

const perp_integrator *perp_integrator_find(const char *name)
{
    for (int k = 0; name && k < COUNT; k++)
        if (strcmp(all[k]->name, name) == 0)
            return all[k];
    return NULL;
}

const char *perp_scheme_at(int k)
{
    const perp_integrator *integrator = perp_integrator_at(k);
    return integrator ? integrator->name : NULL;
}

const char *perp_scheme_summary(const char *name)
{
    const perp_integrator *integrator = perp_integrator_find(name);
    return integrator ? integrator->summary : NULL;
}

const char *perp_scheme_reads(const char *name)
{
    const perp_integrator *integrator = perp_integrator_find(name);
    return integrator ? integrator->reads : NULL;
}

int perp_scheme_chooses_instants(const char *name)
{
    const perp_integrator *integrator = perp_integrator_find(name);
    return integrator && integrator->march;
}

/* The scheme with its defaults. */
static void fill(perp_scheme *own, const perp_integrator *integrator)
{
    memset(own, 0, sizeof *own);
    own->size = sizeof *own;
    own->name = integrator->name;
    perp_options_default(&table, own);
    if (integrator->defaults)
        integrator->defaults(own);
}

perp_status perp_scheme_init(perp_scheme *scheme, const char *name, size_t size)
{
    PERP_HOLD_ENVIRONMENT();
    const perp_integrator *integrator = perp_integrator_find(name);
    perp_scheme own;
    if (!scheme)
        return PERP_ERR_ARGUMENT;
    if (!integrator || perp_sized_claim(&size) == 0)
        return PERP_ERR_SETTING;
    fill(&own, integrator);
    perp_sized_init(scheme, size, &own, sizeof own);
    return PERP_SOLVED;
}

perp_status perp_scheme_set(perp_scheme *scheme, const char *name, const char *value)
{
    PERP_HOLD_ENVIRONMENT();
    if (!scheme || !name || !value)
        return PERP_ERR_ARGUMENT;
    return perp_option_set(&table, scheme, name, value);
}

perp_status perp_scheme_read(perp_scheme *own, const perp_scheme *callers, const char **wrong)
{
    *wrong = NULL;
    if (!perp_sized_has(callers, offsetof(perp_scheme, name), sizeof callers->name)) {
        *wrong = "size";
        return PERP_ERR_SETTING;
    }
    const perp_integrator *integrator = perp_integrator_find(callers->name);
    if (!integrator) {
        *wrong = "name";
        return PERP_ERR_SETTING;
    }
    fill(own, integrator);
    if (perp_sized_read(own, sizeof *own, callers) != PERP_SOLVED) {
        *wrong = "size";
        return PERP_ERR_SETTING;
    }
    own->name = integrator->name;
    const perp_option *option = perp_options_check(&table, own);
    *wrong = option ? option->info.name : NULL;
    return option ? PERP_ERR_SETTING : PERP_SOLVED;
}

int perp_scheme_same(const perp_scheme *a, const perp_scheme *b)
{
    return strcmp(a->name, b->name) == 0 && perp_options_same(&table, a, b);
}

const perp_setting_info *perp_scheme_parameter_at(int k)
{
    const perp_option *option = perp_option_at(&table, k);
    return option ? &option->info : NULL;
}
