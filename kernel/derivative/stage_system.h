/* SPDX-License-Identifier: BSD-3-Clause */
/* The linear system of one solve among the stages of a step, ready for products. */
#ifndef PERP_KERNEL_STAGE_SYSTEM_H
#define PERP_KERNEL_STAGE_SYSTEM_H

#include "kernel/derivative/small_lu.h"
#include "kernel/derivative/tape.h"

typedef struct perp_tape_stage_system {
    struct perp_tape_stage_system *next; /* of those that are kept */
    size_t bytes;                        /* of the pool that it takes */
    perp_status status;                  /* of the last solve that it was set for */
    perp_allocator allocator;            /* the pool of the tape */
    int is_small;                        /* W is in lu, else in W */
    perp_small_lu lu;                    /* in the arrays lu_of and lu_x */
    int *lu_of;
    double *lu_x;
    perp_mass *W;
    perp_derivative *derivative;
    int capacity_lu_of, capacity_lu_x, capacity_start, capacity_row, capacity_x, capacity_mark,
        capacity_m_column, capacity_m_row, capacity_m_x, capacity_segments, capacity_of_rows,
        capacity_of_dofs, capacity_of_part;
    int *start, *row, *mark; /* of W: dofs + 1, entries, dofs */
    double *x;
    int *m_column, *m_row; /* of N W^-1 G' + D, where it is not dense */
    double *m_x;
    perp_segment *segments;
    double *of_rows, *of_dofs, *of_part; /* blocks of the arrays below */

    int rows, dofs;
    double *q, *z, *w, *par[PERP_PARAMETERS];  /* rows each: the problem */
    double *beta, *dz, *dpar[PERP_PARAMETERS]; /* rows each: of a product */
    double *size, *dw;                         /* rows: of the terms of beta; of a product */
    double *diagonal, *moved;                  /* rows: of the matrix; see sizes_of_moves() */
    unsigned char *flags;                      /* rows */
    int capacity_flags;
    double *rho, *part, *scratch; /* dofs each */
    double *gather[3];            /* widest part */
} perp_tape_stage_system;

/* All of a tape, or those that solves keep. */
void perp_tape_stage_system_destroy(perp_tape *tape);
void perp_tape_stage_system_forget(perp_tape *tape);
/* tape->stage_system: W and its problem, factored now or by a product before. */
perp_status perp_tape_stage_set(perp_tape *tape, perp_tape_solve_stage *solve);
void perp_tape_stage_solve(perp_tape_stage_system *s, double *x);            /* x = W^-1 x */
void perp_tape_stage_solve_transposed(perp_tape_stage_system *s, double *x); /* x = W^-T x */
/* N W^-1 G' + D, rows x rows, into m_x, and what is on its diagonal; 0: memory is out. */
int perp_tape_stage_matrix(perp_tape *tape, const perp_tape_solve_stage *solve);
/* y += G' z, y += N' z over dofs; z += N y over rows (size: of the terms; NULL: not wanted), z += G
 * y. */
void perp_tape_stage_add_G(double *y, const perp_tape *tape, const perp_tape_solve_stage *solve,
                           const double *z, int rates);
void perp_tape_stage_add_N(double *z, double *size, const perp_tape *tape,
                           const perp_tape_solve_stage *solve, const double *y, int forces);

#endif
