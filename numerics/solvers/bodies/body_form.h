/* SPDX-License-Identifier: BSD-3-Clause */
/* Systems in the velocities of the bodies.  For M = H' Minv H (+ a diagonal, which is the caller's)
 * with a mass of small components, and one square C_k for each block of z,
 *
 *     A = I + sum_k P_k C_k Q_k,    P = B H S, Q = P'  where Minv = B' B,
 *                                   P = Minv H S, Q = S H'  where it has no such root,
 *
 * S a diagonal of the caller's.  A couples the bodies that a block joins: six unknowns a body in
 * place of three a contact.  By the identities of Woodbury it stands for I + C Q P, whose
 * determinant it has.
 *
 * A body is what the same blocks touch: of a diagonal mass each unknown is a component of its own,
 * and one body all the same. */
#ifndef PERP_SOLVERS_BODIES_BODY_FORM_H
#define PERP_SOLVERS_BODIES_BODY_FORM_H

#include "linalg/csc.h"
#include "problem/blocks.h"

#define PERP_BODY_INLINE static inline __attribute__((always_inline))

/* A body in a block of z. */
typedef struct perp_body_touch {
    int body;
    size_t lever; /* offset in P and Q: unknowns of the body x dim, column-major */
    size_t pair;  /* offset in `place`: of its pairs with the bodies of the block */
} perp_body_touch;

typedef struct perp_body_form {
    int bodies, order;      /* that are touched; their unknowns */
    int definite;           /* Q is P' */
    int components;         /* of the mass */
    int *first;             /* bodies + 1: first unknown */
    int *body;              /* components: body, -1: touched by nothing */
    int *offset;            /* components: place in the unknowns of the body */
    int *size;              /* components: unknowns */
    int *touch_ptr;         /* blocks + 1 */
    perp_body_touch *touch; /* body by body in each block */
    int *place;             /* of each pair (a, b) of a block: their first entry in A.x */
    double *P, *Q;          /* Q transposed; the same array where definite */
    double *product;        /* the largest C_k Q_k of a body */
    unsigned char *couples; /* blocks: the C_k that was added last is not 0 */
    perp_csc A;             /* the columns of a body have the same rows */
    double flops;           /* of perp_body_form_add() */
} perp_body_form;

/* 1: M has this form. */
int perp_body_form_takes(const perp_mat *M);
/* Bodies, pattern and memory.  PERP_ERR_OVERFLOW at 2^31 entries of A. */
perp_status perp_body_form_build(perp_body_form *form, const perp_mat *M, const perp_blocks *blocks,
                                 perp_arena *arena);
/* P and Q; scale: n numbers of S, NULL: 1.  PERP_ERR_STATE: other bodies are touched, or the mass
 * has other components. */
perp_status perp_body_form_load(perp_body_form *form, const perp_mat *M, const perp_blocks *blocks,
                                const double *scale);
/* A = (1 + shift) I + P C Q, given C column by column for each block; blocks of C that are 0 cost
 * nothing. */
void perp_body_form_add(perp_body_form *form, const perp_blocks *blocks, const double *C,
                        double shift);

static inline int perp_body_form_size(const perp_body_form *form, int body)
{
    return form->first[body + 1] - form->first[body];
}

/* y += A x, rows x columns. */
PERP_BODY_INLINE void perp_body_add_product(double *restrict y, const double *restrict A,
                                            const double *restrict x, int rows, int columns)
{
    for (int j = 0; j < columns; j++)
        for (int i = 0; i < rows; i++)
            y[i] += A[i + j * rows] * x[j];
}

/* y += A' x, in two sums for each row of y. */
PERP_BODY_INLINE void perp_body_add_transposed(double *restrict y, const double *restrict A,
                                               const double *restrict x, int rows, int columns)
{
    for (int j = 0; j < columns; j++) {
        double even = 0.0, odd = 0.0;
        for (int i = 0; i + 1 < rows; i += 2) {
            even += A[i + j * rows] * x[i];
            odd += A[i + 1 + j * rows] * x[i + 1];
        }
        y[j] += even + odd + (rows % 2 ? A[rows - 1 + j * rows] * x[rows - 1] : 0.0);
    }
}

/* v += P_k x of a block of `dim` rows; contacts of rigid bodies in space have a loop of their own.
 */
PERP_BODY_INLINE void perp_body_form_push(double *v, const perp_body_form *form, int k, int dim,
                                          const double *x)
{
    for (int e = form->touch_ptr[k]; e < form->touch_ptr[k + 1]; e++) {
        const perp_body_touch *touch = &form->touch[e];
        int size = perp_body_form_size(form, touch->body);
        double *out = v + form->first[touch->body];
        if (size == 6 && dim == 3)
            perp_body_add_product(out, form->P + touch->lever, x, 6, 3);
        else
            perp_body_add_product(out, form->P + touch->lever, x, size, dim);
    }
}

/* y += Q_k v. */
PERP_BODY_INLINE void perp_body_form_add_rates(double *y, const perp_body_form *form, int k,
                                               int dim, const double *v)
{
    for (int e = form->touch_ptr[k]; e < form->touch_ptr[k + 1]; e++) {
        const perp_body_touch *touch = &form->touch[e];
        int size = perp_body_form_size(form, touch->body);
        const double *own = v + form->first[touch->body];
        if (size == 6 && dim == 3)
            perp_body_add_transposed(y, form->Q + touch->lever, own, 6, 3);
        else
            perp_body_add_transposed(y, form->Q + touch->lever, own, size, dim);
    }
}

#endif
