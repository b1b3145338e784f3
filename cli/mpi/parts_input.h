/* SPDX-License-Identifier: BSD-3-Clause */
/* A problem of which each rank reads or makes its part. */
#ifndef PERP_CLI_MPI_PARTS_INPUT_H
#define PERP_CLI_MPI_PARTS_INPUT_H

#include <perp/petsc.h>

#include "generators/friction_problems.h"

/* Collective.  From the file, or, path NULL, of the generator.  0, or PERP_EXIT_ERROR on all ranks
 * after one of them complained; then *part is NULL. */
int perp_parts_load(perp_problem_part **part, const char *path, const perp_generator *generator,
                    const perp_generate_options *options);
/* A file with the sizes alone, for reports, and the problem that belongs to it, without numbers. */
perp_status perp_parts_sizes(const perp_problem_part *part, const char *title,
                             perp_problem_file **file, perp_problem *problem);

#endif
