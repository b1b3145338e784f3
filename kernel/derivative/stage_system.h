/* SPDX-License-Identifier: BSD-3-Clause */
/* The linear system of one solve among the stages of a step, ready for products. */
#ifndef PERP_KERNEL_STAGE_SYSTEM_H
#define PERP_KERNEL_STAGE_SYSTEM_H

#include "kernel/derivative/tape.h"

typedef struct perp_tape_stage_system {
    perp_allocator allocator; /* the pool of the tape */
    perp_mass *W, *transposed;
    perp_derivative *derivative;
    int capacity_start, capacity_row, capacity_x, capacity_mark, capacity_m_column, capacity_m_row,
        capacity_m_x, capacity_segments, capacity_of_rows, capacity_of_dofs, capacity_of_part;
    int *start, *row, *mark; /* of W: dofs + 1, entries, dofs */
    double *x;
    int *m_column, *m_row; /* of N W^-1 G' + D, where it is not dense */
    double *m_x;
    perp_segment *segments;
    double *of_rows, *of_dofs, *of_part; /* blocks of the arrays below */

    int rows, dofs;
    double *q, *z, *w, *first, *second;   /* rows each: the problem */
    double *beta, *dz, *dfirst, *dsecond; /* rows each: of a product */
    double *size, *dw;                    /* rows: of the terms of beta; of a product */
    double *diagonal, *moved; /* rows: of the matrix; see sizes_of_moves() */
    unsigned char *flags;                 /* rows */
    int capacity_flags;
    double *rho, *part, *scratch; /* dofs each */
    double *gather[3];            /* widest part */
} perp_tape_stage_system;

void perp_tape_stage_system_destroy(perp_tape_stage_system *system);
/* W and its problem, factored; backward: W' too. */
perp_status perp_tape_stage_set(perp_tape *tape, const perp_tape_solve_stage *solve, int backward);
/* y += G' z, y += N' z over dofs; z += N y over rows (size: of the terms; NULL: not wanted), z += G
 * y. */
void perp_tape_stage_add_G(double *y, const perp_tape *tape, const perp_tape_solve_stage *solve,
                           const double *z, int rates);
void perp_tape_stage_add_N(double *z, double *size, const perp_tape *tape,
                           const perp_tape_solve_stage *solve, const double *y, int forces);
void perp_tape_gather(double *part, const perp_tape *tape, const int *system, int count,
                      const double *x);
void perp_tape_scatter(double *x, const perp_tape *tape, const int *system, int count,
                       const double *part);

/* All stages of a step for `count` directions: q and v (count * dofs, dofs * stride apart) of the
 * start become those of the end; each[c] is raised to the status of its direction. */
typedef struct perp_tape_bundle {
    int count;
    double **q, **v;          /* count */
    const double *parameters; /* count * nparameters, or NULL */
    const double *forces;     /* of direction c: forces + c * forces_stride; or NULL */
    size_t forces_stride;
    perp_status *each; /* count */
    double *parameters_bar, *forces_bar;
} perp_tape_bundle;
perp_status perp_tape_stages_forward(perp_tape *tape, const perp_tape_step *node,
                                     const perp_tape_bundle *bundle);
perp_status perp_tape_stages_backward(perp_tape *tape, const perp_tape_step *node,
                                      const perp_tape_bundle *bundle);

#endif
