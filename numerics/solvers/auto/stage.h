/* SPDX-License-Identifier: BSD-3-Clause */
/* One stage of `auto`: whether it takes the problem, what it costs at least, its solver's memory,
 * and the record of what it did. */
#ifndef PERP_SOLVERS_AUTO_STAGE_H
#define PERP_SOLVERS_AUTO_STAGE_H

#include "solvers/auto/watch.h"

int perp_stage_takes(const perp_plan_stage *plan, const perp_work *work);
/* 1: its steps are not too dear for it. */
int perp_stage_pays(const perp_auto *state, const perp_plan_stage *plan);
/* 1: it takes the problem, and is the accelerated gradient that follows the first sweeps. */
int perp_stage_is_gradient(const perp_plan_stage *plan, const perp_work *work);
/* 1: an iteration costs as a sweep does: block Gauss-Seidel, the accelerated gradient. */
int perp_stage_sweeps(const perp_plan_stage *plan);
/* The stage of the plan after the sweeps and gradient steps, and what comes after them in this
 * solve, which is another one where it begins at rest. */
const perp_plan_stage *perp_stage_polishing(const perp_auto *state, const perp_work *work);
const perp_plan_stage *perp_stage_second(const perp_auto *state, const perp_work *work);
/* The solver of a stage, made where it is asked for first; NULL: no memory. */
perp_nested *perp_stage_inner(perp_auto *state, const perp_work *work,
                              const perp_solver_type *type);
/* The least that it does: a sweep, or a Newton step and the analysis before the first. */
double perp_stage_least(const perp_auto *state, const perp_plan_stage *plan);
/* 1: neither the time nor the work that is left is too little for the least that it does. */
int perp_stage_allows(const perp_auto *state, const perp_work *work, const perp_plan_stage *plan);

/* 1: another solver may do better; a factorisation that does not fit into memory or integers is no
 * reason to lose what the others found. */
int perp_stage_goes_on(perp_status status);
/* Seconds, 0 where nobody wants them. */
double perp_stage_clock(const perp_work *work);
void perp_stage_record(perp_work *work, perp_stage stage);
/* Of the last run of a solver inside: the error before it, and when it began. */
void perp_stage_record_inner(perp_work *work, const perp_nested *inner, const char *why,
                             double first, double start);
/* Memory beside the arena of the handle. */
size_t perp_auto_bytes(const perp_auto *state);

#endif
