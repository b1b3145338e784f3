/* SPDX-License-Identifier: BSD-3-Clause */
/* Fixed points for friction with a convex problem inside.  A vector x stands for what Coulomb's
 * law makes depend on the solution (friction bounds, tangential forces, sliding speeds).  With x
 * frozen the problem is convex and an inner solver gives z; F(x) is what z says about x; x = F(x)
 * at a solution.
 *
 *     x+ = x + theta (F(x) - x), accelerated by Anderson's method
 *
 * The inner problem is solved to inner_ratio times the error of the outer one.  theta is halved
 * where |F(x) - x| grows again soon after Anderson's method went back to its best point, and
 * recovers afterwards.  Five inner solves in a row that neither arrive nor lower the error of the
 * outer iterate end the solve.
 */
#ifndef PERP_SOLVERS_OUTER_H
#define PERP_SOLVERS_OUTER_H

#include "solvers/acceleration/anderson.h"
#include "solvers/outer/inner.h"

typedef struct perp_outer perp_outer;

typedef struct perp_outer_method {
    /* Freezes outer->x, runs the inner solver to the accuracy tol, and puts the next iterate into
     * work->z.  iteration and error: of the outer solve, for perp_inner_solve(). */
    perp_status (*solve)(perp_outer *outer, perp_work *work, int iteration, double error,
                         double tol);
    /* The segments and q of the inner problem; for methods with one inner problem of the size of
     * the outer one, which perp_outer_setup_whole() and perp_outer_update_whole() call. */
    void (*fill)(perp_outer *outer, const perp_work *work);
    /* f = F(x), from work->z and work->w = M z + q. */
    void (*image)(double *f, const perp_outer *outer, const perp_work *work);
    int per_contact; /* entries of x for a contact; 0: one for each tangential row */
    int nonnegative; /* x >= 0 */
    int velocity;    /* x has the unit of w, not of z */
} perp_outer_method;

struct perp_outer {
    const perp_outer_method *method;
    perp_inner *inner; /* ninner of them */
    int ninner;
    int contacts;  /* COULOMB blocks */
    int *contact;  /* their numbers in work->blocks.at */
    int size;      /* of x */
    double *x, *f; /* size each */
    double *bound; /* contacts: a parameter of each one's inner set, for methods that need it */
    perp_anderson *anderson; /* NULL: plain */
    double theta;
    double lowest; /* error so far */
    int calm;      /* steps since the last restart */
    int futile;    /* inner solves in a row that led nowhere */
    long sweeps;   /* inner iterations of this solve */
    void *own;     /* of the method */
};

/* Allocates the state, with space for ninner inner solvers, and makes it work->state.  NULL when
 * memory is out. */
perp_outer *perp_outer_take(perp_work *work, const perp_outer_method *method, int ninner);

/* Where all inner problems are filled.  work->memory is that of the inner solvers. */
perp_status perp_outer_setup(perp_outer *outer, perp_work *work);
/* One inner problem in all the rows of z: the setup and update of descriptors, and the solve of
 * a method after it has written q and parameters. */
perp_status perp_outer_setup_whole(perp_work *work, const perp_outer_method *method);
perp_status perp_outer_update_whole(perp_work *work);
perp_status perp_outer_solve_whole(perp_outer *outer, perp_work *work, int iteration, double error,
                                   double tol);
/* For descriptors. */
perp_status perp_outer_solve(perp_work *work);
void perp_outer_release(perp_work *work);

/* The problem with `set` in the place of COULOMB: M and all other segments are borrowed, the
 * parameter of the contacts is `bound` (NULL: their own). */
void perp_outer_replace(perp_inner *inner, const perp_problem *problem, perp_set set,
                        const double *bound);

#endif
