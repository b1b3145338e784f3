/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/names.h"

#include <stdio.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/message.h"

enum { MOST_NAMES = 256 };

int perp_complain_unknown(const char *what, const char *word, perp_name_at_fn name_at, void *ctx,
                          const char *also)
{
    const char *names[MOST_NAMES], *nearest;
    int count = 0;

    while (count < MOST_NAMES && (names[count] = name_at(ctx, count)) != NULL)
        count++;
    nearest = perp_nearest_name(word, names, count);
    if (nearest != NULL) {
        perp_complain("unknown %s '%s': did you mean '%s'?", what, word, nearest);
    } else {
        perp_complain("unknown %s '%s'", what, word);
        fputs("known:", stderr);
        for (int k = 0; k < count; k++)
            fprintf(stderr, " %s", names[k]);
        fputc('\n', stderr);
    }
    if (also != NULL)
        fprintf(stderr, "%s\n", also);
    return PERP_EXIT_ERROR;
}

const char *perp_name_in_array(void *names, int k)
{
    return ((const char *const *)names)[k];
}

static const char *solver_at(void *ctx, int k)
{
    const perp_solver_type *type = perp_solver_at(k);

    (void)ctx;
    return type != NULL ? perp_solver_name(type) : NULL;
}

const perp_solver_type *perp_solver_by_name(const char *name)
{
    const perp_solver_type *type = perp_solver_find(name);

    if (type == NULL && perp_solver_renamed(name) != NULL)
        perp_complain("%s", perp_solver_renamed(name));
    else if (type == NULL)
        perp_complain_unknown("solver", name, solver_at, NULL,
                              "'perp solvers --all' says what each one does");
    return type;
}

static const char *setting_name_at(void *ctx, int k)
{
    const perp_setting_info *info = perp_setting_at(k);

    (void)ctx;
    return info != NULL ? info->name : NULL;
}

static int refuse_choice(const perp_setting_info *info, const char *value)
{
    size_t length;
    const char *nearest = perp_nearest_in_list(value, info->choices, &length);

    if (nearest != NULL)
        return perp_complain("setting %s: '%s' is none of %s: did you mean '%.*s'?", info->name,
                             value, info->choices, (int)length, nearest);
    return perp_complain("setting %s: '%s' is none of %s", info->name, value, info->choices);
}

/* Says what is wrong with a refused NAME=VALUE. */
static int refuse_setting(const char *name, const char *value)
{
    const perp_setting_info *info;

    for (int k = 0; (info = perp_setting_at(k)) != NULL; k++) {
        if (strcmp(info->name, name) != 0)
            continue;
        if (info->choices != NULL)
            return refuse_choice(info, value);
        if (info->type == PERP_SETTING_NAME)
            return perp_complain("setting %s: '%s' is no solver", name, value);
        return perp_complain("setting %s: '%s' is not %s from %.10g to %.10g", name, value,
                             info->type == PERP_SETTING_INTEGER ? "a whole number" : "a number",
                             info->lowest, info->highest);
    }
    if (perp_setting_renamed(name) != NULL)
        return perp_complain("%s", perp_setting_renamed(name));
    return perp_complain_unknown("setting", name, setting_name_at, NULL,
                                 "'perp solvers --all' lists the settings");
}

int perp_change_setting(perp_settings *settings, const char *pair)
{
    const char *equals = strchr(pair, '=');
    char name[64];

    if (equals == NULL || equals == pair || (size_t)(equals - pair) >= sizeof name)
        return perp_complain("--set wants NAME=VALUE, not '%s'", pair);
    snprintf(name, sizeof name, "%.*s", (int)(equals - pair), pair);
    if (perp_settings_set(settings, name, equals + 1) != PERP_SOLVED)
        return refuse_setting(name, equals + 1);
    return 0;
}

const perp_solver_type *perp_solver_with_settings(char *name, size_t size, const char *word,
                                                  perp_settings *settings)
{
    size_t length = strcspn(word, "+");
    const perp_solver_type *type;

    snprintf(name, size, "%.*s", (int)length, word);
    type = length < size ? perp_solver_by_name(name) : NULL;
    if (length >= size)
        perp_complain("unknown solver '%s...'", name);
    for (word += length; type != NULL && *word == '+'; word += length) {
        char pair[128];

        length = strcspn(++word, "+");
        if (length >= sizeof pair) {
            perp_complain("setting '%.*s...': longer than %zu bytes", 20, word, sizeof pair - 1);
            return NULL;
        }
        snprintf(pair, sizeof pair, "%.*s", (int)length, word);
        if (perp_change_setting(settings, pair) != 0)
            return NULL;
    }
    return type;
}
