/* SPDX-License-Identifier: BSD-3-Clause */
/* What solve and info print about a problem and about the result. */
#ifndef PERP_CLI_TEXT_REPORT_H
#define PERP_CLI_TEXT_REPORT_H

#include <stdio.h>

#include <perp/io.h>

/* Label in a fixed column, then the text as by printf, then a new line. */
void perp_row(const char *label, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* "3D friction, global form" and the like. */
const char *perp_describe_class(const perp_problem_file *file);
/* Blocks of equal set and size from segment *k on, which moves behind them. */
long long perp_same_segments(const perp_problem *problem, int *k);
/* File, class, title, sizes, sets, the reader's note. */
void perp_report_problem(const char *path, const perp_problem_file *file,
                         const perp_problem *problem);
/* Status, iterations, times, residuals, notes. */
void perp_report_result(const perp_info *info, const perp_settings *settings, int verbose);

#endif
