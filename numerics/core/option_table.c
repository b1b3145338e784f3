/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/option_table.h"

#include <math.h>
#include <string.h>

#include "core/sized.h"

const perp_option *perp_option_at(const perp_option_table *table, int k)
{
    return k >= 0 && k < table->count ? &table->option[k] : NULL;
}

const perp_option *perp_option_find(const perp_option_table *table, const char *name)
{
    for (int k = 0; name && k < table->count; k++)
        if (strcmp(table->option[k].info.name, name) == 0)
            return &table->option[k];
    return NULL;
}

static const char *load_name(const void *values, const perp_option *option)
{
    const char *name;
    memcpy(&name, (const char *)values + option->offset, sizeof name);
    return name;
}

static void store_name(void *values, const perp_option *option, const char *name)
{
    memcpy((char *)values + option->offset, &name, sizeof name);
}

void perp_option_store(void *values, const perp_option *option, double value)
{
    char *at = (char *)values + option->offset;
    if (option->info.type == PERP_SETTING_REAL) {
        memcpy(at, &value, sizeof value);
        return;
    }
    int whole = (int)value;
    memcpy(at, &whole, sizeof whole);
}

double perp_option_value(const void *values, const perp_option *option)
{
    const char *at = (const char *)values + option->offset;
    double value;
    int whole;
    if (option->info.type == PERP_SETTING_REAL) {
        memcpy(&value, at, sizeof value);
        return value;
    }
    memcpy(&whole, at, sizeof whole);
    return whole;
}

void perp_options_default(const perp_option_table *table, void *values)
{
    for (int k = 0; k < table->count; k++) {
        const perp_option *option = &table->option[k];
        if (option->info.type == PERP_SETTING_NAME)
            store_name(values, option, option->info.initial_name);
        else
            perp_option_store(values, option, option->info.initial);
    }
}

static int same_name(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

int perp_option_changed(const void *values, const perp_option *option)
{
    if (option->info.type == PERP_SETTING_NAME)
        return !same_name(load_name(values, option), option->info.initial_name);
    double value = perp_option_value(values, option);
    return value < option->info.initial || value > option->info.initial;
}

int perp_options_same(const perp_option_table *table, const void *a, const void *b)
{
    for (int k = 0; k < table->count; k++) {
        const perp_option *option = &table->option[k];
        if (option->info.type == PERP_SETTING_NAME) {
            if (!same_name(load_name(a, option), load_name(b, option)))
                return 0;
        } else if (!(perp_option_value(a, option) == perp_option_value(b, option))) {
            return 0;
        }
    }
    return 1;
}

/* Position of text among "a|b|c", or -1. */
static int choice_index(const char *choices, const char *text)
{
    size_t length = strlen(text);
    int index = 0;
    for (const char *at = choices;; index++) {
        size_t span = strcspn(at, "|");
        if (span == length && strncmp(at, text, length) == 0)
            return index;
        if (at[span] == '\0')
            return -1;
        at += span + 1;
    }
}

static int choice_count(const char *choices)
{
    int count = 1;
    for (; *choices; choices++)
        count += *choices == '|';
    return count;
}

static int in_range(const perp_option *option, double value)
{
    if (option->info.type == PERP_SETTING_CHOICE)
        return value >= 0 && value < choice_count(option->info.choices);
    return value >= option->info.lowest && value <= option->info.highest;
}

static size_t bytes_of(const perp_option *option)
{
    switch (option->info.type) {
    case PERP_SETTING_REAL:
        return sizeof(double);
    case PERP_SETTING_NAME:
        return sizeof(char *);
    default:
        return sizeof(int);
    }
}

static perp_status set_name(const perp_option_table *table, void *callers,
                            const perp_option *option, const char *text)
{
    const char *name = table->find_name(text);
    if (!name)
        return PERP_ERR_SETTING;
    store_name(callers, option, name);
    return PERP_SOLVED;
}

perp_status perp_option_set(const perp_option_table *table, void *callers, const char *name,
                            const char *text)
{
    const perp_option *option = perp_option_find(table, name);
    if (!option || !perp_sized_has(callers, option->offset, bytes_of(option)))
        return PERP_ERR_SETTING;
    if (option->info.type == PERP_SETTING_NAME)
        return set_name(table, callers, option, text);
    double value = 0.0;
    if (option->info.type == PERP_SETTING_CHOICE) {
        value = choice_index(option->info.choices, text);
    } else {
        const char *end = perp_number_read(text, &value);
        if (!end || *end != '\0')
            return PERP_ERR_SETTING;
    }
    if (!in_range(option, value) ||
        (option->info.type == PERP_SETTING_INTEGER && value != floor(value)))
        return PERP_ERR_SETTING;
    perp_option_store(callers, option, value);
    return PERP_SOLVED;
}

int perp_option_check(const perp_option_table *table, void *values, const perp_option *option)
{
    if (option->info.type != PERP_SETTING_NAME)
        return in_range(option, perp_option_value(values, option));
    const char *name = load_name(values, option), *known = name ? table->find_name(name) : NULL;
    if (name && !known)
        return 0;
    store_name(values, option, known);
    return 1;
}

const perp_option *perp_options_check(const perp_option_table *table, void *values)
{
    for (int k = 0; k < table->count; k++)
        if (!perp_option_check(table, values, &table->option[k]))
            return &table->option[k];
    return NULL;
}

int perp_option_same(const void *a, const void *b, const perp_option *option)
{
    size_t bytes = option->info.type == PERP_SETTING_REAL   ? sizeof(double)
                   : option->info.type == PERP_SETTING_NAME ? sizeof(char *)
                                                            : sizeof(int);
    return memcmp((const char *)a + option->offset, (const char *)b + option->offset, bytes) == 0;
}
