/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts of the help made from the library's own tables. */
#ifndef PERP_CLI_HELP_H
#define PERP_CLI_HELP_H

#include <stdio.h>

#include <perp/numerics.h>

/* Settings: name, default, range or choices, text.  reads: only those named in this
 * blank-separated list; NULL: every one. */
void perp_help_settings(FILE *out, const char *reads);
/* Those of everyday use in short: name, default, text. */
void perp_help_everyday_settings(FILE *out);
/* Names of the solvers in one line, separated by ", "; all 0: those of everyday use. */
void perp_help_solver_names(FILE *out, int all);
/* The sets or the kinds of matrices that a solver takes, separated by blanks. */
void perp_help_takes_sets(FILE *out, const perp_solver_type *type);
void perp_help_takes_matrices(FILE *out, const perp_solver_type *type);
/* "FREE" ... and "DENSE" ... */
const char *perp_matrix_kind_word(perp_mat_kind kind);
/* Words of `text` wrapped at 77 columns; the first line goes on after `column`
 * characters, later ones are indented by `indent`. */
void perp_help_wrap(FILE *out, const char *text, int column, int indent);

#endif
