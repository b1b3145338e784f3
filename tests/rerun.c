/* SPDX-License-Identifier: BSD-3-Clause */
#include "rerun.h"

#include <check.h>
#include <stdlib.h>

void rerun_check(const char *name, const perp_problem *before, const perp_problem *after)
{
    size_t n = (size_t)before->M.rows;
    perp_solver *solver;
    double *z = calloc(n, sizeof *z), *w = calloc(n, sizeof *w), *again = calloc(n, sizeof *z);
    ck_assert_int_eq(perp_solver_create(&solver, perp_solver_find(name), NULL, NULL), 0);
    ck_assert_int_eq(perp_solver_setup(solver, before), 0);
    ck_assert_int_eq(perp_solver_solve(solver, z, w, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_solver_solve(solver, again, w, NULL), PERP_SOLVED);
    ck_assert_mem_eq(z, again, n * sizeof *z);
    ck_assert_int_eq(perp_solver_update(solver, after), 0);
    ck_assert_int_eq(perp_solver_solve(solver, again, w, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_solve(name, after, NULL, z, w, NULL), PERP_SOLVED);
    ck_assert_mem_eq(z, again, n * sizeof *z);
    perp_solver_destroy(solver);
    free(z);
    free(w);
    free(again);
}
