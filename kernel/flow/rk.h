/* SPDX-License-Identifier: BSD-3-Clause */
/* One step of a Runge-Kutta method for x' = f(t, x), its error estimate and the solution
 * inside it ([ACA10] slides (51)-(59)).  Nothing of models in here.
 *
 * Memory comes from a pool in perp_rk_prepare and nowhere else; the steps allocate nothing. */
#ifndef PERP_KERNEL_RK_H
#define PERP_KERNEL_RK_H

#include "kernel/flow/tableau.h"
#include "kernel/systems/pool.h"

/* rate = f(t, x).  Any status but PERP_SOLVED ends the step and is handed on. */
typedef perp_status (*perp_rate_fn)(double *rate, void *ctx, double t, const double *x);
/* J = df/dx, n x n column-major. */
typedef perp_status (*perp_rate_jacobian_fn)(double *J, void *ctx, double t, const double *x);

/* What the last step says about the first rate of this one. */
typedef enum perp_rk_from {
    PERP_RK_ANEW, /* nothing */
    PERP_RK_SAME, /* it began at the same t and x, with the same f */
    PERP_RK_NEXT  /* it ended at this t and x, and f is the same */
} perp_rk_from;

typedef struct perp_rk {
    const perp_tableau *tableau;
    int n;
    double *k;     /* stages x n: rates of the stages of the last step */
    double *x0;    /* n: state at its start */
    double *x1;    /* n: state at its end */
    double *error; /* n: x1 less the embedded solution; zeros where the tableau has none */
    double t, h;   /* start and length of the last step */
    perp_rate_fn f;
    void *ctx;
    perp_rate_jacobian_fn jacobian; /* for implicit tableaux: may be set after prepare; NULL:
                                       forward differences */
    double newton_tol; /* implicit: last correction of the stages within this times the size of
                          the state, 1e-13 by prepare */
    int newton_iter;   /* 20 by prepare */
    long evaluations;  /* of f, since prepare was first called */
    long newton;       /* iterations since then */
    /* Where another method made the step: its solution at t + sigma h; NULL: that of the tableau.
     */
    perp_status (*inside)(double *x, void *ctx, double sigma);
    void *inside_ctx;
    /* Inside. */
    double *first, *last; /* n: rates at the start and at the end */
    int has_first, has_last, done;
    int doubled;    /* the last step was perp_rk_step_doubled */
    double *work;   /* n, for stage states and differences */
    double *keep;   /* 3 n for the doubled step, n for differences */
    double *stage;  /* implicit: stages x n, rates and corrections */
    double *matrix; /* implicit: (stages n)^2 */
    double *J;      /* implicit: n x n, of the first stage state that was asked for */
    int has_J;
    int *pivots;
    int capacity_n, capacity_stages, capacity_implicit;
} perp_rk;

/* Zeroed memory is a valid perp_rk without arrays. */
/* Takes memory for n entries and this tableau; none is taken where it is there.  Forgets the last
 * step.  PERP_ERR_MEMORY, PERP_ERR_OVERFLOW: as before, without arrays. */
perp_status perp_rk_prepare(perp_rk *rk, const perp_tableau *tableau, int n, perp_pool *pool);
void perp_rk_free(perp_rk *rk, perp_pool *pool);

/* From x at t over h: rk->x1, rk->error, rk->k.  x may be rk->x0 or rk->x1.
 * A status of f; PERP_ERR_NUMERICAL: the result is not finite;
 * implicit: PERP_STALLED where Newton does not converge (a smaller h may), PERP_ERR_SINGULAR.
 * After a failure x0, t and the first rate hold, and PERP_RK_SAME is allowed. */
perp_status perp_rk_step(perp_rk *rk, perp_rate_fn f, void *ctx, double t, double h,
                         const double *x, perp_rk_from from);
/* The same by h and by twice h/2 (54), (55), for tableaux without an embedded one: x1 from the two
 * halves, error = (x_1/2 - x_1) / (2^p - 1), dense output by Hermite. */
perp_status perp_rk_step_doubled(perp_rk *rk, perp_rate_fn f, void *ctx, double t, double h,
                                 const double *x, perp_rk_from from);

/* The one of the two that gives an error: doubled where the tableau has no embedded pair. */
perp_status perp_rk_step_estimated(perp_rk *rk, perp_rate_fn f, void *ctx, double t, double h,
                                   const double *x, perp_rk_from from);

/* Moves the end of the last step, and with it h, by delta of either sign, of which only the third
 * power counts as an error: Heun's method from there, at most two evaluations.  The solution inside
 * the step is Hermite's afterwards. */
perp_status perp_rk_nudge(perp_rk *rk, double delta);

/* x (n) = the solution of the last step at t + sigma h, 0 <= sigma <= 1: the tableau's own, or
 * cubic Hermite, for which the rate at the end is evaluated once when it is first needed. */
perp_status perp_rk_dense(double *x, perp_rk *rk, double sigma);
/* Its derivative by time. */
perp_status perp_rk_dense_rate(double *rate, perp_rk *rk, double sigma);

/* Largest of |error_i| / (atol + rtol max(|x0_i|, |x1_i|)) (56), (57): accepted when <= 1. */
double perp_rk_error_norm(const double *error, const double *x0, const double *x1, double atol,
                          double rtol, int n);

typedef struct perp_rk_control {
    double alpha, alpha_min, alpha_max; /* 0.9, 0.2, 5 are usual */
} perp_rk_control;

/* h min(alpha_max, max(alpha_min, alpha error^(-1/(p+1)))) (59) with p the order of the
 * estimate; a NaN or infinite error gives h alpha_min. */
double perp_rk_next_h(const perp_rk_control *control, double h, double error, int p);

#endif
