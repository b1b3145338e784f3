/* SPDX-License-Identifier: BSD-3-Clause */
/* Error messages, and the words of option values. */
#ifndef PERP_CLI_MESSAGE_H
#define PERP_CLI_MESSAGE_H

#include <perp/io.h>

/* "perp: " and the text on standard error; returns PERP_EXIT_ERROR. */
int perp_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The text of the last one, "" where there was none. */
const char *perp_last_complaint(void);

/* What was printed is out: the status, or PERP_EXIT_ERROR with a message where it could not be. */
int perp_end_of_output(int status);
/* The same, and the end of the command. */
_Noreturn void perp_end(int status);

/* A failed io call on `path`: its own text when it has one, else the status. */
int perp_complain_io(const char *path, perp_status status, const perp_io_error *error);

/* A failed numerics call: the sentence of the status and the place. */
int perp_complain_where(const char *doing, perp_status status, const perp_where *where,
                        const char *detail);

/* "friction", "global", "rolling", "lcp", "mlcp", "relay", "auto"; 0 when unknown. */
int perp_parse_class(perp_problem_class *cls, const char *word);
/* The same words for printing. */
const char *perp_class_word(perp_problem_class cls);

/* Whole number or real number, all of the text, within [low, high]; 0 otherwise. */
int perp_parse_integer(long long *value, const char *text, long long low, long long high);
int perp_parse_real(double *value, const char *text, double low, double high);

#endif
