/* SPDX-License-Identifier: BSD-3-Clause */
/* What perp-mpi prints beside the report of a solve: who has what, and what it cost. */
#ifndef PERP_CLI_MPI_RANK_REPORT_H
#define PERP_CLI_MPI_RANK_REPORT_H

#include <perp/petsc.h>

#include "cli/json.h"

/* The part of one rank, gathered on rank 0. */
typedef struct perp_rank_line {
    perp_petsc_load load;
    int bodies; /* owned */
} perp_rank_line;

/* The division, before the solve. */
void perp_report_cut(const perp_petsc_cut *cut, const perp_problem *problem, int ranks);
/* Counts of each rank, after it. */
void perp_report_ranks(const perp_rank_line *line, const perp_petsc_info *info);

/* Counts as members of the object that is open, and "partition". */
void perp_json_load(perp_json *json, const perp_petsc_load *load);
void perp_json_cut(perp_json *json, const perp_petsc_cut *cut);
/* "partition", "ranks" and "counts". */
void perp_json_ranks(perp_json *json, const perp_petsc_cut *cut, const perp_rank_line *line,
                     const perp_petsc_info *info);

#endif
