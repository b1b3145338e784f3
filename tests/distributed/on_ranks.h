/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks that all ranks make together. */
#ifndef PERP_TESTS_ON_RANKS_H
#define PERP_TESTS_ON_RANKS_H

#include <stdint.h>

#include <perp/io.h>
#include <perp/petsc.h>

extern int rank, size, failures;

/* Collective: holds on all ranks, or it failed; rank 0 says which.  expected() is for what is said
 * with printf. */
void expect(int holds, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* 1: all ranks have the same number. */
int alike(long long x);

/* Deterministic numbers in [-1, 1], the same for the same seed. */
double uniform(uint64_t *state);

/* A generated packing on every rank, with its unified problem; NULL after a message. */
typedef struct packing {
    perp_problem_file *file;
    perp_problem problem;
    double *C; /* compliance, of test_answers.c; NULL */
} packing;
packing *packing_make(const char *kind, int contacts, double mu);
packing *packing_make_rolling(const char *kind, int contacts, double mu, double mu_r, double mu_s);
/* With W and q instead of masses and H. */
packing *packing_make_local(const char *kind, int contacts, double mu);
void packing_free(packing *p);

/* Divides it and makes the system; statuses are expected. */
typedef struct divided {
    perp_petsc_share *share;
    perp_petsc *system;
    Vec z, w;
} divided;
int divide(divided *d, const packing *p);
void divided_free(divided *d);
/* The residuals of z scaled by `unit`, from both libraries. */
void compare_residuals(const packing *p, divided *d, double unit);

/* A dense matrix, not quite symmetric, in place of the W of boxes; n * n doubles, to be freed. */
double *make_dense(packing *p);
/* By gs to 1e-12. */
void solve_serial(const packing *p, double *z);

/* The groups of checks. */
void check_residual(void);
void check_answers(void);
void check_assembled(void);
void check_assembled_rows(void);
void check_bad_matrices(void);
void check_rows(void);
void check_empty(void);
void check_bad_input(void);
void check_bad_calls(void);
void check_memory(void);
void check_failing_petsc(void);
void check_parts(void);
void check_rolling(void);
void check_bad_parts(void);
void check_islands(void);
void print_bits(const char *solver);

#endif
