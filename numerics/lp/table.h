/* SPDX-License-Identifier: BSD-3-Clause */
/* The interface between numerics and libperp-lp, the object that holds lp_solve (LGPL):
 * linear and mixed-integer programs through one constant table of functions. */
#ifndef PERP_LP_TABLE_H
#define PERP_LP_TABLE_H

/* minimise cost.x, A x (>=, =, <=) right, lo <= x <= hi. */
typedef struct perp_lp_program {
    int rows, cols;
    const int *colptr, *row; /* A by compressed columns */
    const double *x;
    const double *cost;           /* cols */
    const char *sense;            /* rows: '>', '=', '<' */
    const double *right;          /* rows */
    const double *lo, *hi;        /* cols; may be infinite */
    const unsigned char *integer; /* cols, non-zero where x is whole; NULL: nowhere */
} perp_lp_program;

typedef struct perp_lp_control {
    int (*stop)(void *ctx); /* asked in each iteration; non-zero: stop.  May be NULL */
    void *ctx;
    long iterations; /* at most */
} perp_lp_control;

typedef struct perp_lp_answer {
    double *x;  /* cols; written where the outcome is OPTIMAL */
    int *basic; /* rows, or NULL: the basic variables, k < cols a column, cols + i the slack of
                   row i; of no meaning where integers were asked for */
    double objective;
    long iterations;
} perp_lp_answer;

typedef enum perp_lp_outcome {
    PERP_LP_OPTIMAL,
    PERP_LP_INFEASIBLE, /* as the program has it, to its own tolerances */
    PERP_LP_UNBOUNDED,
    PERP_LP_LIMIT,   /* of iterations */
    PERP_LP_STOPPED, /* by the callback */
    PERP_LP_FAILED,  /* numerical trouble */
    PERP_LP_NO_MEMORY
} perp_lp_outcome;

typedef struct perp_lp_table {
    int version; /* PERP_LP_VERSION where the object was compiled */
    /* Takes memory by malloc and gives all of it back.  One call at a time: others wait.  The
     * same program gives the same bits. */
    perp_lp_outcome (*solve)(const perp_lp_program *program, const perp_lp_control *control,
                             perp_lp_answer *answer);
} perp_lp_table;

#define PERP_LP_VERSION 1
#define PERP_LP_SYMBOL "perp_lp_table_1" /* of the table */
#define PERP_LP_SONAME "libperp-lp.so.0"

#endif
