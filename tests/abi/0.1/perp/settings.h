/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings of a solve: one plain struct, listed once in <perp/settings.def>. */
#ifndef PERP_SETTINGS_H
#define PERP_SETTINGS_H

#include <perp/base.h>
#include <perp/choices.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Progress of a running solve: after each measurement of the residual. */
typedef struct perp_progress {
    size_t size; /* sizeof(perp_progress) of the library */
    const char *solver;
    const char *stage; /* the solver at work inside it (`auto` runs others), or itself */
    int iteration;     /* of all stages together */
    double error;      /* the measure that tol is compared with */
    double best;       /* lowest error so far of what would be returned; one that a method estimates
                          may be below it */
    double seconds;    /* since the solve began */
} perp_progress;

/* A non-zero return stops the solve with PERP_INTERRUPTED. */
typedef int (*perp_progress_fn)(void *ctx, const perp_progress *progress);

typedef struct perp_settings {
    size_t size;               /* set by perp_settings_init() */
    perp_progress_fn progress; /* NULL: none */
    void *progress_ctx;
#define PERP_REAL(name, def, lo, hi, use, text) double name;
#define PERP_INT(name, def, lo, hi, use, text) int name;
#define PERP_CHOICE(name, def, choices, use, text) int name; /* perp_<name>_kind of <perp/choices.h> */
#define PERP_NAME(name, def, use, text) const char *name;
#include <perp/settings.def>
#undef PERP_REAL
#undef PERP_INT
#undef PERP_CHOICE
#undef PERP_NAME
} perp_settings;

/* Fills *settings with the defaults: perp_settings_init(&settings, sizeof settings).  No byte
 * beyond size is touched. */
PERP_API void perp_settings_init(perp_settings *settings, size_t size);

/* Sets one setting from text ("1e-4", "symmetric"), independent of the locale.
 * PERP_ERR_SETTING, and nothing is changed: the name is unknown, the value is outside its range,
 * or the struct was not filled by perp_settings_init() or is too old to have the setting. */
PERP_API perp_status perp_settings_set(perp_settings *settings, const char *name,
                                       const char *value);

/* Range check of all fields.  where->what (where may be NULL) names the offending one, or is
 * "size". */
PERP_API perp_status perp_settings_check(const perp_settings *settings, perp_where *where);

/* What a table of settings says of one of them. */
typedef enum perp_setting_type {
    PERP_SETTING_REAL,
    PERP_SETTING_INTEGER,
    PERP_SETTING_CHOICE, /* an int; its values are those of the enum in <perp/choices.h> */
    PERP_SETTING_NAME    /* of a solver */
} perp_setting_type;
typedef struct perp_setting_info {
    const char *name;
    const char *choices; /* "a|b|c" of a CHOICE, else NULL */
    const char *text;
    perp_setting_type type;
    double initial, lowest, highest; /* default and range; of a CHOICE positions in choices */
    const char *initial_name;        /* default of a NAME, else NULL */
} perp_setting_info;
/* Setting k, static; NULL past the end. */
PERP_API const perp_setting_info *perp_setting_at(int k);
/* 1: a setting of everyday use, to be shown first. */
PERP_API int perp_setting_is_everyday(const char *name);
/* For a name that a setting had before, one sentence with its present name; NULL for all others. */
PERP_API const char *perp_setting_renamed(const char *name);

#ifdef __cplusplus
}
#endif
#endif
