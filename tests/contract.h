/* SPDX-License-Identifier: BSD-3-Clause */
/* What the programs of the contract suite share: every solver, on every
 * problem of the zoo, in every storage; memory that counts and fails. */
#ifndef PERP_TESTS_CONTRACT_H
#define PERP_TESTS_CONTRACT_H

#include <check.h>

#include "judge.h"
#include "zoo.h"

/* Complaints of a test, shown together: the first of them and how many.  All of
 * them go to stderr where the environment has PERP_TEST_ALL. */
typedef struct complaints {
    int count;
    char text[3584]; /* Check takes no longer message */
    size_t used;
} complaints;

void complain(complaints *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Fails the test when there are any. */
void complaints_end(const complaints *c);

/* One problem in one storage with one solver that takes it. */
typedef struct contract_case {
    const zoo_entry *entry;
    stored_problem *stored;
    storage kind;
    stored_view *view;
    const perp_solver_type *type;
    char name[160]; /* "gs, friction3, bsr" */
    complaints *complaints;
} contract_case;

typedef void (*contract_body)(contract_case *c);

/* Calls body for every case; only entries of this level and better (EASY: easy
 * ones), only every `stride`-th problem of the zoo, only storages in the mask. */
void contract_each(contract_body body, zoo_level worst, int stride, unsigned storages);

/* The same on problems that `change` has changed. */
void contract_each_changed(contract_body body, void (*change)(stored_problem *p), zoo_level worst,
                           int stride, unsigned storages);

enum { ALL_STORAGES = (1 << STORED_COUNT) - 1, FEW_STORAGES = 1 << STORED_BSR | 1 << STORED_CSC };

/* perp_solver_at() without those that this installation cannot run: lp where libperp-lp is
 * absent. */
const perp_solver_type *contract_solver_at(int k);

/* Residuals by the judge, with the d that the storage shows. */
perp_residuals contract_judge(const stored_problem *p, storage kind, const double *z, double *w);
/* The number that tol is compared with under measure = both. */
double contract_error(const perp_residuals *r, storage kind);

/* Memory that counts; fails from the fail_at-th allocation on (0: never), or
 * at that one only. */
typedef struct counter {
    long allocations, live, fail_at;
    int once;
} counter;

/* 1 when the allocation just counted has to fail. */
int counter_fails(const counter *c);

perp_allocator counter_allocator(counter *c);

/* The same for malloc and its kin in this thread, where this build can see them.
 * Counting and failing happen between start and stop. */
int malloc_is_seen(void);
void malloc_watch_start(long fail_at, int once);
void malloc_watch_stop(counter *seen);

void settings_default(perp_settings *s);

/* Runs a suite of one case and returns the exit status. */
int contract_main(const char *name, const TTest *const *tests, int count);

#endif
