/* SPDX-License-Identifier: BSD-3-Clause */
/* The linear equations of one recorded step, ready for products with directions and cotangents. */
#ifndef PERP_KERNEL_LINEAR_H
#define PERP_KERNEL_LINEAR_H

#include "kernel/derivative/tape.h"

struct perp_tape_linear {
    struct perp_tape_linear *next; /* of those that are kept */
    size_t bytes;                  /* of the pool that it takes */
    perp_status status;            /* of the last step that it was set for */
    perp_allocator allocator;      /* the pool of the tape */
    perp_mass *W;
    perp_derivative *derivative;
    int capacity_column, capacity_row, capacity_x, capacity_h_column, capacity_h_row, capacity_h_x,
        capacity_segments;
    int capacity_rows, capacity_dofs, capacity_system;
    int *column, *row; /* of W */
    double *x;
    int *h_column, *h_row; /* H: dofs x rows */
    double *h_x;
    perp_segment *segments;
    double *of_rows, *of_dofs, *of_system; /* blocks of the arrays below */

    int rows, blocks, dofs;
    double *q, *z, *w, *diagonal, *par[PERP_PARAMETERS]; /* rows each: the problem */
    double *dbeta, *dz, *dpar[PERP_PARAMETERS];          /* rows each: of a product */
    double *rho, *part, *scratch, *guess;                /* dofs each */
    double *dense;                                       /* largest system squared */
    double *gather[4];                                   /* widest interaction, or system */
};

/* All of a tape, or those that steps keep. */
void perp_tape_linear_destroy(perp_tape *tape);
void perp_tape_linear_forget(perp_tape *tape);
/* tape->linear: W, H and the problem of a step; its derivative factored, now or by a product
 * before.  The status of that. */
perp_status perp_tape_linear_set(perp_tape *tape, perp_tape_step *node);
void perp_tape_solve(perp_tape_linear *l, double *x);                         /* x = W^-1 x */
void perp_tape_solve_transposed(perp_tape_linear *l, double *x);              /* x = W^-T x */
void perp_tape_add_h(double *y, const perp_tape_linear *l, const double *z);  /* y += H z, dofs */
void perp_tape_add_ht(double *y, const perp_tape_linear *l, const double *x); /* y += H' x, rows */

/* The part of a vector of dofs that the systems of an interaction have; x += such a part. */
void perp_tape_gather(double *part, const perp_tape *tape, const int *system, int count,
                      const double *x);
void perp_tape_scatter(double *x, const perp_tape *tape, const int *system, int count,
                       const double *part);

/* y += scale A x and y += scale A' x, A rows x columns; A NULL: nothing. */
void perp_tape_add(double *y, const double *A, int rows, int columns, const double *x,
                   double scale);
void perp_tape_add_transposed(double *y, const double *A, int rows, int columns, const double *x,
                              double scale);
/* y += |A| |x|. */
void perp_tape_add_sizes(double *y, const double *A, int rows, int columns, const double *x);
/* y += scale T x and y += scale T' x with T = A of a system: a rotation in its last three numbers,
 * NULL: the identity. */
void perp_tape_add_turned(double *y, const double *A, int nv, const double *x, double scale);
void perp_tape_add_turned_back(double *y, const double *A, int nv, const double *x, double scale);

/* Coefficients of the rows of a drive or of restitution in beta. */
typedef struct perp_tape_row_terms {
    double by_start; /* of Hs dv + A3 dq: e or e_t */
    double by_mean;  /* of H dv + A4 x_g */
    double by_place; /* of Hs dq */
} perp_tape_row_terms;
perp_tape_row_terms perp_tape_terms_of_row(const perp_tape_tie *tie, const perp_tape_step *node,
                                           int row);

#endif
