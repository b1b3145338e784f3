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
    const char *solver;
    const char *stage; /* the solver at work inside it (`auto` runs others), or itself */
    int iteration;     /* of all stages together */
    double error;      /* the measure that tol is compared with */
    double best;       /* lowest error so far */
    double seconds;    /* since the solve began */
} perp_progress;

/* A non-zero return stops the solve with PERP_INTERRUPTED. */
typedef int (*perp_progress_fn)(void *ctx, const perp_progress *progress);

typedef struct perp_settings {
    size_t size; /* sizeof(perp_settings) of the caller; set by perp_settings_init() */
#define PERP_REAL(name, def, lo, hi, text) double name;
#define PERP_INT(name, def, lo, hi, text) int name;
#define PERP_CHOICE(name, def, choices, text) int name;
#include <perp/settings.def>
#undef PERP_REAL
#undef PERP_INT
#undef PERP_CHOICE
    perp_progress_fn progress; /* NULL: none */
    void *progress_ctx;
} perp_settings;

/* Fills *settings with the defaults.  size is sizeof(perp_settings) where the
 * caller was compiled: no byte beyond is touched, and every call that takes
 * settings of another size than the library's refuses them (PERP_ERR_SETTING,
 * "size"), since their fields lie elsewhere. */
PERP_API void perp_settings_init(perp_settings *settings, size_t size);

/* Sets one setting from text ("1e-4", "symmetric"), independent of the locale.
 * PERP_ERR_SETTING when the name is unknown, the value is outside its range or
 * the struct was not filled by perp_settings_init(). */
PERP_API perp_status perp_settings_set(perp_settings *settings, const char *name,
                                       const char *value);

/* Range check of all fields; *name (may be NULL) receives the offending one. */
PERP_API perp_status perp_settings_check(const perp_settings *settings, const char **name);

/* Enumeration for help texts: entry k, or NULL past the end. */
typedef struct perp_setting_info {
    const char *name;
    const char *choices; /* "a|b|c", NULL for numbers */
    const char *text;
    int is_integer;
    double standard, lowest, highest;
} perp_setting_info;
PERP_API const perp_setting_info *perp_setting_at(int k);
/* 1: a setting of everyday use, to be shown first. */
PERP_API int perp_setting_is_everyday(const char *name);
/* For a name that a setting had before, one sentence with its present name; NULL for all others. */
PERP_API const char *perp_setting_renamed(const char *name);

#ifdef __cplusplus
}
#endif
#endif
