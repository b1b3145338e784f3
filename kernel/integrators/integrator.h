/* SPDX-License-Identifier: BSD-3-Clause */
/* What a time integrator is: a table of functions that the step (sim/step.c) calls in this
 * order, for the systems and interactions that have the scheme.
 *
 *     start                       once for each system, before its first step
 *     begin                       states at START are set; NOW is the first iterate
 *     activate                    the index set
 *     do   iterate                W and the free state at NOW
 *          rows                   blocks of the active interactions
 *          (assembly, solve, scatter: lambda, rho and p are new)
 *          advance                the state at NOW from free and p
 *          residual               until their 2-norm is within newton_tol
 *     finish                      projection; may ask to go back to `do`
 *     output                      y and u at the new state
 *     accepted                    memory of schemes of several steps
 */
#ifndef PERP_KERNEL_INTEGRATOR_H
#define PERP_KERNEL_INTEGRATOR_H

#include <perp/sim.h>

#include "kernel/laws/law.h"
#include "kernel/model/system.h"
#include "kernel/relations/link.h"

/* The step at hand. */
typedef struct perp_step {
    perp_sim *sim;
    const perp_scheme *schemes; /* by perp_system.scheme */
    double t, t_end, h;         /* from t to t_end = t + h */
    int iteration;              /* of the Newton loop, from 0 */
    int pass;                   /* times `finish` sent it back, from 0 */
    int global;                 /* the one-step problem is left as factors (DELASSUS) */
    perp_system **systems;      /* all of them, dense */
    int nsystems;
    perp_link **links; /* all of them, dense */
    int nlinks;
} perp_step;

static inline const perp_scheme *perp_step_scheme(const perp_step *step, const perp_system *s)
{
    return &step->schemes[s->scheme];
}

/* The systems of a link have one scheme. */
static inline const perp_scheme *perp_link_scheme(const perp_step *step, const perp_link *link)
{
    return &step->schemes[link->systems[0]->scheme];
}

typedef struct perp_integrator {
    const char *name, *summary;
    const char *reads; /* parameters of scheme.def, separated by blanks */
    unsigned kinds;    /* or of 1u << perp_system_kind */
    /* Says which law or relation it does not take: a sentence in *why, or NULL where it does. */
    perp_status (*accepts)(const perp_link *link, const perp_scheme *scheme, const char **why);
    perp_status (*start)(perp_step *step, perp_system *s); /* may be NULL */
    perp_status (*begin)(perp_step *step, perp_system *s);
    perp_status (*activate)(perp_step *step, perp_link *link);
    perp_status (*iterate)(perp_step *step, perp_system *s);
    perp_status (*rows)(perp_step *step, perp_link *link);
    perp_status (*advance)(perp_step *step, perp_system *s);
    /* Adds the squares of the residual of the equations that are not linear. */
    perp_status (*residual)(double *square, perp_step *step, perp_system *s);
    perp_status (*relation_residual)(double *square, perp_step *step,
                                     perp_link *link); /* or NULL */
    /* For all systems with the scheme of this index.  *again = 1: redo the step. */
    perp_status (*finish)(perp_step *step, int scheme, int *again); /* may be NULL */
    perp_status (*output)(perp_step *step, perp_link *link);
    /* For each system once the step stands; may be NULL. */
    void (*accepted)(perp_step *step, perp_system *s);
    /* Shapes for the check: 1 where one Newton iteration is exact for this system / link. */
    int (*is_linear)(const perp_link *link, const perp_scheme *scheme);
} perp_integrator;

/* One line each: symbol. */
#define PERP_INTEGRATORS(X)                                                                        \
    X(perp_euler_moreau)                                                                           \
    X(perp_moreau_jean)                                                                            \
    X(perp_schatzman_paoli)                                                                        \
    X(perp_direct_projection)                                                                      \
    X(perp_combined_projection)
#define PERP_DECLARE(symbol) extern const perp_integrator symbol;
PERP_INTEGRATORS(PERP_DECLARE)
#undef PERP_DECLARE

const perp_integrator *perp_integrator_find(const char *name);
/* Name and range of each parameter; PERP_ERR_SETTING with the one that is wrong in *name. */
perp_status perp_scheme_check(const perp_scheme *scheme, const char **name);
/* 1 where name and parameters are equal; both were checked. */
int perp_scheme_same(const perp_scheme *a, const perp_scheme *b);

/* The functions of moreau-jean, for the schemes that begin as it does. */
perp_status perp_mj_accepts(const perp_link *link, const perp_scheme *scheme, const char **why);
perp_status perp_mj_begin(perp_step *step, perp_system *s);
perp_status perp_mj_activate(perp_step *step, perp_link *link);
perp_status perp_mj_iterate(perp_step *step, perp_system *s);
perp_status perp_mj_rows(perp_step *step, perp_link *link);
perp_status perp_mj_advance(perp_step *step, perp_system *s);
perp_status perp_mj_residual(double *square, perp_step *step, perp_system *s);
perp_status perp_mj_relation_residual(double *square, perp_step *step, perp_link *link);
perp_status perp_mj_output(perp_step *step, perp_link *link);
int perp_mj_is_linear(const perp_link *link, const perp_scheme *scheme);

#endif
