/* SPDX-License-Identifier: BSD-3-Clause */
/* Inside of a perp_derivative. */
#ifndef PERP_DERIVATIVE_STATE_H
#define PERP_DERIVATIVE_STATE_H

#include <perp/derivative.h>

#include "core/arena.h"
#include "derivative/laws.h"
#include "derivative/eliminated.h"
#include "linalg/csc.h"
#include "linalg/factor/lu.h"
#include "problem/blocks.h"

/* A square matrix that can be solved with both ways. */
typedef struct perp_square {
    int n;
    enum {
        PERP_SQUARE_DENSE,
        PERP_SQUARE_SPARSE,
        PERP_SQUARE_ELIMINATED,
        PERP_SQUARE_ORTHOGONAL,
        PERP_SQUARE_VALUES
    } kind;
    double *dense; /* n x n: factors */
    int *pivots;
    perp_lu lu;
    perp_eliminated eliminated;
    perp_orthogonal orthogonal;
    int rank; /* below n: ELIMINATED, ORTHOGONAL, or VALUES where the rank is not clear; A = U
                 diag(value) V' */
    double *u, *vt, *value;
    double *work; /* n */
    double rcond;
} perp_square;

/* The rows on a kink: a problem of their own in what is left of them when the regular rows are
 * eliminated. */
typedef struct perp_kinks {
    int count;
    double *left, *right; /* regular x count (A_kr', A_rk) */
    double *away;         /* regular x count: A_rr^-1 A_rk */
    double *matrix;       /* count x count: what is left */
    double *q, *z, *w;    /* count */
    perp_segment *segment;
    perp_problem problem;
    perp_solver *solver;
    int unique;    /* 1: the problem has one solution at most, whatever its q */
    int same_w;    /* 1: half-lines, whose solutions have the same w and differ along `loose` */
    int free;      /* columns of `loose`: directions in which its solutions may differ */
    double *loose; /* count x count */
} perp_kinks;

/* Of the solutions of rows on a kink the one of least norm, where all have the same w; count 0:
 * nothing to choose from. */
typedef struct perp_least_norm {
    int count;
    double *along;  /* n x count, orthonormal: of dz */
    double *loose;  /* kinks.count x count: the same of the rows on a kink */
    double *part;   /* count: of dz along them */
    double *matrix; /* 2 kinks.count, square */
    double *q, *z, *w;
    perp_segment segment;
    perp_problem problem;
    perp_solver *solver;
} perp_least_norm;

struct perp_derivative {
    perp_arena arena, temporary;
    perp_derivative_settings settings;
    int ready;
    perp_derivative_info info;
    perp_mat M; /* the problem's: arrays borrowed */
    perp_csc A; /* the same, with the order of rows that products use */
    int full;   /* A has all entries, and B too, column by column; their rows are not kept */
    perp_blocks blocks;
    perp_laws laws;
    perp_csc B; /* system of all rows of laws, scaled, in the order of places */
    perp_square system;
    perp_kinks kinks;
    perp_least_norm least_norm;
    int nulls;    /* directions in `null` */
    double *null; /* n x nulls: orthonormal, directions of z that change no equation */
    double *z;
    double *drift, *load;                          /* DELASSUS: M^-1 H z; dofs */
    double *c, *offset, *dz, *dw, *rhs, *y, *size; /* n each: of one right-hand side */
    double *dof[3];                                /* dofs each */
};

/* The first row on a kink, or -1. */
int perp_first_kink(const perp_derivative *d);
/* perp_square: all memory is taken here; `matrix` (n x n) or `sparse` of that size, by its kind,
 * which the call chooses.  doubtful: it is expected to be singular, and tried as such first.
 * PERP_ERR_SINGULAR: see perp_derivative_factor(). */
perp_status perp_square_factor(perp_square *square, const perp_csc *A, int values_up_to,
                               int doubtful, perp_arena *arena, perp_arena *temporary);
/* x becomes A^-1 x, or A^-T x; where it is singular, of the pseudo-inverse.  No allocation. */
void perp_square_solve(perp_square *square, double *x, int transposed);
/* A base of the null space, as perp_orthogonal_nulls() gives it; it need not be orthonormal. */
void perp_square_nulls(const perp_square *square, double *rows, size_t stride, double *work);
/* Stride of the rows for so many columns. */
size_t perp_nulls_stride(int columns);

/* d->null, and x less what it has along these: x -= N N' x. */
perp_status perp_nulls_build(perp_derivative *d);
void perp_take_off_nulls(const perp_derivative *d, double *x);

/* The system of the linearised laws. */
perp_status perp_reduced_build(perp_derivative *d);
/* left -= B y */
void perp_reduced_take_off(double *left, const perp_derivative *d, const double *y);
/* x = C y + x and so on; y in places of the system, `regular` of them where only_regular. */
void perp_reduced_add_c(double *x, const perp_laws *laws, const double *y, int only_regular);
void perp_reduced_add_ct(double *y, const perp_laws *laws, const double *x, int only_regular);
void perp_reduced_add_r(double *y, const perp_laws *laws, const double *x, int only_regular);
void perp_reduced_add_rt(double *x, const perp_laws *laws, const double *y, int only_regular);

/* y += A x, y += A' x. */
void perp_entries_apply(double *y, const perp_csc *A, const double *x);
void perp_entries_apply_transposed(double *y, const perp_csc *A, const double *x);

perp_status perp_kinks_build(perp_derivative *d);
/* y: right-hand side of the whole system; becomes its solution.  0: none was found. */
int perp_kinks_solve(perp_derivative *d, double *y);
/* y becomes a direction of the whole system in which its solutions may differ; f below kinks.free.
 */
void perp_kinks_loose(const perp_derivative *d, int f, double *y);
void perp_kinks_destroy(perp_kinks *kinks);

perp_status perp_least_norm_build(perp_derivative *d);
/* dz, of which the kinks have been solved, becomes the least one; it stays where that fails. */
void perp_least_norm_take(perp_derivative *d, double *dz);
void perp_least_norm_destroy(perp_least_norm *s);

/* c += (dM) z of direction k; gradients by the entries for one cotangent q. */
perp_status perp_entries_add(perp_derivative *d, double *c, const perp_tangent *along, int k);
void perp_entries_gradient(perp_derivative *d, const double *q, const perp_gradient *of, int k);
/* Memory for them, and M^-1 H z. */
perp_status perp_entries_prepare(perp_derivative *d);

#endif
