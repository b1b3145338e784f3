/* SPDX-License-Identifier: BSD-3-Clause */
/* Unknown names are answered with the nearest known one. */
#ifndef PERP_CLI_NAMES_H
#define PERP_CLI_NAMES_H

#include <perp/numerics.h>

/* Name k of a list, NULL past its end. */
typedef const char *(*perp_name_at_fn)(void *ctx, int k);

/* "unknown WHAT 'word': did you mean 'x'?" and the list of names on standard error, or `also`,
 * a sentence where they are to be found.  Returns PERP_EXIT_ERROR. */
int perp_complain_unknown(const char *what, const char *word, perp_name_at_fn name_at, void *ctx,
                          const char *also);

/* Names in an array (the context), NULL after the last one. */
const char *perp_name_in_array(void *names, int k);

/* The solver of this name; NULL after a message. */
const perp_solver_type *perp_solver_by_name(const char *name);

/* Applies one NAME=VALUE; 0, or PERP_EXIT_ERROR after a message. */
int perp_change_setting(perp_settings *settings, const char *pair);

/* The solver of "nsn+formulation=natural-map", whose settings are applied; its name without them
 * goes into `name`.  NULL after a message. */
const perp_solver_type *perp_solver_with_settings(char *name, size_t size, const char *word,
                                                  perp_settings *settings);

#endif
