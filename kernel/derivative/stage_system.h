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
    int is_small;                        /* W, and the equalities, are in lu, else W in W */
    int equalities, rest;                /* rows that were eliminated with W, and the others */
    int has_matrix;                      /* of the rest, with W */
    perp_small_lu lu;                    /* in the arrays lu_of and lu_x */
    int *lu_of;
    double *lu_x;
    perp_mass *W;
    perp_derivative *derivative;
    int capacity_lu_of, capacity_lu_x, capacity_start, capacity_row, capacity_x, capacity_mark,
        capacity_m_column, capacity_m_row, capacity_m_x, capacity_segments, capacity_of_rows,
        capacity_of_dofs, capacity_of_part, capacity_rest_row, capacity_rest_block;
    int *start, *row, *mark; /* of W: dofs + 1, entries, dofs */
    double *x;
    int *m_column, *m_row; /* of the matrix of the rest, where it is not dense */
    double *m_x;
    int *rest_row, *rest_block; /* of the solve, by row and block of the rest */
    perp_segment *segments;
    int nsegments, blocks;               /* of the rest */
    int velocities;                      /* of the derivative */
    double *of_rows, *of_dofs, *of_part; /* blocks of the arrays below */

    int rows, dofs;
    double *beta, *dz, *dpar[PERP_PARAMETERS]; /* rows each: of a product */
    double *size, *moved;                      /* rows: terms of beta; see sizes_of_moves() */
    double *q, *z, *w, *par[PERP_PARAMETERS];  /* rest each: the problem */
    double *rest_q, *rest_z, *rest_w, *rest_par[PERP_PARAMETERS]; /* rest each: of a product */
    double *diagonal;                                             /* rest: of the matrix */
    unsigned char *flags;                                         /* rest */
    int capacity_flags;
    double *rho, *part, *scratch; /* dofs each, and equalities behind them */
    double *gather[3];            /* widest part */
} perp_tape_stage_system;

/* All of a tape, or those that solves keep. */
void perp_tape_stage_system_destroy(perp_tape *tape);
void perp_tape_stage_system_forget(perp_tape *tape);
/* tape->stage_system: W and its problem, factored now or by a product before. */
perp_status perp_tape_stage_set(perp_tape *tape, perp_tape_solve_stage *solve);
/* x = K^-1 x and x = K^-T x, K = W, or with equalities those rows and columns beside it. */
void perp_tape_stage_solve(perp_tape_stage_system *s, double *x);
void perp_tape_stage_solve_transposed(perp_tape_stage_system *s, double *x);
/* The part is in K. */
int perp_tape_stage_eliminates(const perp_tape_stage_system *s, const perp_tape_part *p);
/* Factors of few dofs, and the matrix of the rest (stage_small.c). */
perp_status perp_tape_stage_factor_small(perp_tape *tape, const perp_tape_solve_stage *solve);
/* N' of the rest dof by dof, rest numbers each; place: of the dofs of each system that it touches,
 * among `count`, or NULL: as they are.  From W^-T N' so, of all dofs, N W^-1 G' + D into m_x, rest
 * x rest.  Both with W alone; 0: memory is out. */
void perp_tape_stage_lay_out(double *to, const int *place, int count, const perp_tape *tape,
                             const perp_tape_solve_stage *solve);
void perp_tape_stage_columns(perp_tape *tape, const perp_tape_solve_stage *solve, const double *to);
/* y = sum over k of c[k] x[k], x[k] of n numbers one behind the other; more: added to y. */
void perp_tape_stage_sum(double *restrict y, const double *restrict x, const double *restrict c,
                         int count, size_t n, int more);
int perp_tape_stage_matrix(perp_tape *tape, const perp_tape_solve_stage *solve);
/* Of the rest: y += G' z, y += N' z over dofs; z += N y over rows (size: of the terms; NULL: not
 * wanted), z += G y. */
void perp_tape_stage_add_G(double *y, const perp_tape *tape, const perp_tape_solve_stage *solve,
                           const double *z, int rates);
void perp_tape_stage_add_N(double *z, double *size, const perp_tape *tape,
                           const perp_tape_solve_stage *solve, const double *y, int forces);

#endif
