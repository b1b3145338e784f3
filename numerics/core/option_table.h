/* SPDX-License-Identifier: BSD-3-Clause */
/* Options of a struct as a table: settings of a solve, parameters of a scheme.  The struct is one
 * that grows (core/sized.h); each option is a double (REAL), an int (INTEGER, CHOICE) or a
 * const char * (NAME) in it. */
#ifndef PERP_CORE_OPTION_TABLE_H
#define PERP_CORE_OPTION_TABLE_H

#include <perp/settings.h>

typedef struct perp_option {
    perp_setting_info info;
    size_t offset;
} perp_option;

typedef struct perp_option_table {
    const perp_option *option;
    int count;
    /* The static string of a NAME, or NULL where there is no such name.  NULL: no option is a NAME.
     */
    const char *(*find_name)(const char *text);
} perp_option_table;

/* Entries of a table from the macros of a .def file; TYPE is the struct. */
#define PERP_OPTION_REAL(TYPE, name, def, lo, hi, text)                                            \
    {{#name, NULL, text, PERP_SETTING_REAL, def, lo, hi, NULL}, offsetof(TYPE, name)},
#define PERP_OPTION_INT(TYPE, name, def, lo, hi, text)                                             \
    {{#name, NULL, text, PERP_SETTING_INTEGER, def, lo, hi, NULL}, offsetof(TYPE, name)},
#define PERP_OPTION_CHOICE(TYPE, name, def, choices, text)                                         \
    {{#name, choices, text, PERP_SETTING_CHOICE, def, 0, 1e9, NULL}, offsetof(TYPE, name)},
#define PERP_OPTION_NAME(TYPE, name, def, text)                                                    \
    {{#name, NULL, text, PERP_SETTING_NAME, 0, 0, 0, def}, offsetof(TYPE, name)},

/* NULL where there is none. */
const perp_option *perp_option_at(const perp_option_table *table, int k);
const perp_option *perp_option_find(const perp_option_table *table, const char *name);

/* All options of *values (a whole struct of this library) get their defaults. */
void perp_options_default(const perp_option_table *table, void *values);
/* One option, not a NAME. */
void perp_option_store(void *values, const perp_option *option, double value);
double perp_option_value(const void *values, const perp_option *option);
/* 1: it differs from the default. */
int perp_option_changed(const void *values, const perp_option *option);
/* 1: all options have the same values in both. */
int perp_options_same(const perp_option_table *table, const void *a, const void *b);

/* From text, in the caller's struct.  PERP_ERR_SETTING, and nothing is changed: an unknown name, a
 * value that is none or out of range, or a struct that does not have the option. */
perp_status perp_option_set(const perp_option_table *table, void *callers, const char *name,
                            const char *text);
/* 1: the bytes of an option are the same in both. */
int perp_option_same(const void *a, const void *b, const perp_option *option);
/* 0: an option of *values is out of range.  A name becomes the static one. */
int perp_option_check(const perp_option_table *table, void *values, const perp_option *option);
/* The first option of *values that is out of range, or NULL.  Names become the static ones. */
const perp_option *perp_options_check(const perp_option_table *table, void *values);

#endif
