/* SPDX-License-Identifier: BSD-3-Clause */
#include "handle/settings_table.h"

#include <perp/solver.h>

#include <string.h>

#include "core/float_environment.h"
#include "core/sized.h"

static const perp_option options[] = {
#define PERP_REAL(name, def, lo, hi, use, text)                                                    \
    PERP_OPTION_REAL(perp_settings, name, def, lo, hi, text)
#define PERP_INT(name, def, lo, hi, use, text)                                                     \
    PERP_OPTION_INT(perp_settings, name, def, lo, hi, text)
#define PERP_CHOICE(name, def, choices, use, text)                                                 \
    PERP_OPTION_CHOICE(perp_settings, name, def, choices, text)
#define PERP_NAME(name, def, use, text) PERP_OPTION_NAME(perp_settings, name, def, text)
#include <perp/settings.def>
#undef PERP_REAL
#undef PERP_INT
#undef PERP_CHOICE
#undef PERP_NAME
};

/* Use of each, in the same order. */
static const enum use {
    SPECIAL,
    EVERYDAY
} uses[] = {
#define PERP_REAL(name, def, lo, hi, use, text) use,
#define PERP_INT(name, def, lo, hi, use, text) use,
#define PERP_CHOICE(name, def, choices, use, text) use,
#define PERP_NAME(name, def, use, text) use,
#include <perp/settings.def>
#undef PERP_REAL
#undef PERP_INT
#undef PERP_CHOICE
#undef PERP_NAME
};

static const char *solver_name(const char *text)
{
    return perp_solver_name(perp_solver_find(text));
}

const perp_option_table perp_settings_table = {options, sizeof options / sizeof options[0],
                                               solver_name};

const perp_setting_info *perp_setting_at(int k)
{
    const perp_option *option = perp_option_at(&perp_settings_table, k);
    return option ? &option->info : NULL;
}

int perp_setting_is_everyday(const char *name)
{
    const perp_setting_info *info;
    for (int k = 0; name && (info = perp_setting_at(k)) != NULL; k++)
        if (strcmp(info->name, name) == 0)
            return uses[k] == EVERYDAY;
    return 0;
}

static void fill(perp_settings *own)
{
    memset(own, 0, sizeof *own);
    own->size = sizeof *own;
    perp_options_default(&perp_settings_table, own);
}

void perp_settings_init(perp_settings *settings, size_t size)
{
    perp_settings own;
    fill(&own);
    perp_sized_init(settings, size, &own, sizeof own);
}

perp_status perp_settings_set(perp_settings *settings, const char *name, const char *value)
{
    PERP_HOLD_ENVIRONMENT();
    if (!settings || !name || !value)
        return PERP_ERR_ARGUMENT;
    return perp_option_set(&perp_settings_table, settings, name, value);
}

perp_status perp_settings_read(perp_settings *own, const perp_settings *callers, perp_where *where)
{
    const char *wrong = NULL;
    fill(own);
    if (callers && perp_sized_read(own, sizeof *own, callers) != PERP_SOLVED) {
        wrong = "size";
    } else if (callers) {
        const perp_option *option = perp_options_check(&perp_settings_table, own);
        wrong = option ? option->info.name : NULL;
    }
    if (where && wrong)
        *where = (perp_where){wrong, -1, -1};
    return wrong ? PERP_ERR_SETTING : PERP_SOLVED;
}

perp_status perp_settings_read_next(perp_settings *own, const perp_settings *before,
                                    const perp_settings *callers, int *method, perp_where *where)
{
    *method = 1;
    if (callers->size != sizeof *own)
        return perp_settings_read(own, callers, where);
    *method = 0;
    *own = *callers;
    for (int k = 0; k < perp_settings_table.count; k++) {
        const perp_option *option = &options[k];
        if (perp_option_same(own, before, option))
            continue;
        *method |= k >= PERP_COMMON_SETTINGS;
        if (perp_option_check(&perp_settings_table, own, option))
            continue;
        if (where)
            *where = (perp_where){option->info.name, -1, -1};
        return PERP_ERR_SETTING;
    }
    return PERP_SOLVED;
}

perp_status perp_settings_check(const perp_settings *settings, perp_where *where)
{
    PERP_HOLD_ENVIRONMENT();
    perp_settings own;
    if (where)
        *where = (perp_where){NULL, -1, -1};
    if (settings)
        return perp_settings_read(&own, settings, where);
    if (where)
        where->what = "size";
    return PERP_ERR_SETTING;
}
