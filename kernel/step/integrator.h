/* SPDX-License-Identifier: BSD-3-Clause */
/* What a time integrator is: a table of functions that the step (step/step_order.c) calls in this
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

#include "kernel/certificate/balance.h"
#include "kernel/laws/law.h"
#include "kernel/systems/pool.h"
#include "kernel/systems/dynamic_system.h"
#include "kernel/relations/link.h"

struct perp_stepper;
struct perp_walk;

/* One step. */
typedef struct perp_step {
    struct perp_stepper *stepper; /* stepper.h */
    const perp_scheme *schemes;   /* by perp_system.scheme */
    double t, t_end, h;           /* from t to t_end = t + h */
    int iteration;                /* of the Newton loop, from 0 */
    int pass;                     /* times `finish` sent it back, from 0 */
    int halve;                    /* the step is to be redone in two halves */
    int uncut;                    /* set by its owner, who chooses other lengths himself: a step
                                     that is not solved is not halved */
    int proved;                   /* it was shown to have no solution */
    double speed;                 /* then: by how much all gaps would have to give way, see
                                     perp_infeasibility */
    int all_halve;         /* several processes make the step, and one of them halves it */
    int unforeseen;        /* contacts that were missed: it is to be made again with them */
    double relief;         /* what the last solve added to the normal rows, on_unsolved LEAST;
                              schemes that judge gaps themselves allow for it */
    int global;            /* the one-step problem is left as factors (DELASSUS) */
    perp_system **systems; /* all of them, dense */
    int nsystems;
    perp_link **links; /* all of them, dense */
    int nlinks;
    struct perp_one_step *one; /* the problem of this step */
    perp_link **held; /* equalities that hold beside its rows, left and offset filled; set by */
    int nheld;        /* schemes that eliminate them */
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
    /* Schemes that choose their own instants make the whole step, from the states at NOW for
     * step->t to those for step->t_end; all systems of the simulation then have this scheme.
     * The functions above serve the steps of perp_step_once().  Where it fails the caller
     * restores the start of the step.  NULL: the order above is the step. */
    perp_status (*march)(perp_step *step);

    unsigned default_for; /* or of 1u << perp_system_kind: the default scheme of these systems */
    /* Sets the parameters that begin with other values than those of scheme.def; may be NULL. */
    void (*defaults)(perp_scheme *scheme);
    /* Of perp_step_memory(), each may be NULL: gives back what it holds; its lists of systems and
     * interactions are stale; a checkpoint is read: what was learned by steps is forgotten. */
    void (*release)(void *memory, perp_pool *pool);
    void (*changed)(void *memory);
    void (*forget)(void *memory);
    /* What was learned and is in checkpoints, see snapshot.h: after `forget` where it is read; where
     * it is looked at the memory need not be there. */
    void (*walk)(struct perp_walk *w, struct perp_stepper *stepper, int scheme);

    /* For the certificate, see kernel/certificate/balance.h; called by perp_step_certify() with v_k
     * at START and the velocities before any projection at NOW.  1: filled; 0: the scheme cannot
     * say; -1: a callback refused.  They may use link->H, X, V, spare and s->work, and leave GUESS
     * as it is.  NULL: the scheme cannot say. */
    int (*balance)(perp_step *step, perp_system *s, perp_balance *balance);
    int (*paired)(perp_step *step, perp_link *link, perp_pairing *pairing);
    /* 1: the scheme calls perp_step_certify() itself, in its `finish`: once, or once for each
     * equation that it solves one after the other. */
    int certifies;
    /* 1: gaps hold at the end of the step, so that contacts which the step itself makes count in
     * it: it is made again with them (perp_step_lookout in stepper.h). */
    int looks_out;
    int rests; /* 1: what hardly moves comes to rest after a step of it, see rest.h */
    const struct perp_integrator
        *second; /* of schemes for both kinds of systems that make steps by
                    another table, see integrators/either_kind.h; or NULL */
    /* 1, with march: between its ordinary steps and impacts it moves by other means, of which there
     * is no statement. */
    int between;
    /* Why some measures of the certificate are silent for it: "no statement by NAME: ..."; NULL:
     * none is. */
    const char *unstated;
} perp_integrator;

/* Parts of a step, for who follows it (perp_stepper.follower): of schemes that make it in stages.
 */
typedef enum perp_step_part {
    PERP_PART_BEGINS,
    PERP_PART_JOINTS_STRUCK, /* increments of the velocities in work */
    PERP_PART_PREDICTED,     /* what velocities change by without impacts */
    PERP_PART_CARRYING,      /* the same with contacts that carry */
    PERP_PART_CHOSEN,        /* the strikes of a stage and their times */
    PERP_PART_CARRIED,       /* impulses until the stage, not made */
    PERP_PART_STRUCK,        /* increments of the velocities in work */
    PERP_PART_LAGGED,        /* increments of the lags in work */
    PERP_PART_AGAIN,         /* with the changes that came out */
    PERP_PART_SMOOTH,        /* the equation of motion is solved */
    PERP_PART_SEPARATED,     /* a correction of positions in work, not made, with joints */
    PERP_PART_PROJECTED,     /* the same by the general projection, in its `move` */
    PERP_PART_JOINTS,        /* velocities of joints, increments in work, not made */
    PERP_PART_SLIPS          /* slips that are stopped, the same */
} perp_step_part;

/* Services for schemes (step_order.c, step_services.c). */

/* Shows a part to the follower, which changes nothing. */
void perp_step_show_part(perp_step *step, int scheme, perp_step_part part);

/* Solves step->one.  Where that failed: what the hook of the user says, or another solver and then
 * perp_step_unsolved(). */
perp_status perp_step_solve(perp_step *step);
/* What becomes of a step whose problem or loop ended early with this status > 0
 * (PERP_ERR_NUMERICAL: without an iterate), by the option on_unsolved: PERP_SOLVED where the step
 * goes on, marked in info.status; else the status that it fails with, and step->halve is set where
 * halves may do better.  one: its rows are looked at for a proof that there is no solution; NULL:
 * they are not. */
perp_status perp_step_unsolved(perp_step *step, perp_status status, struct perp_one_step *one,
                               const char *detail);
/* The same of a solver that ended early: its name and what it reached. */
perp_status perp_step_not_solved(perp_step *step, perp_status status, struct perp_one_step *one);
/* One step by the table of the scheme from the states at NOW for time t; on a failure those states
 * are as they were. */
perp_status perp_step_once(perp_step *step, double t, double h);
/* Outputs y and u of all links for the states at NOW, and the largest violation there. */
perp_status perp_step_outputs(perp_step *step, double t);
/* Shows an instant to the user, after its outputs; counts an inner step where h > 0. */
perp_status perp_step_instant(perp_step *step, double t, double h, perp_instant_kind kind);
/* `is_linear` of schemes that are exact for every linear relation. */
int perp_step_link_is_linear(const perp_link *link, const perp_scheme *scheme);
/* For `residual`: adds the squares of s->residual - s->p - bias; bias may be NULL. */
void perp_step_add_squares(double *square, const perp_system *s, const double *bias);
/* Counts an inner step that was made and thrown away. */
void perp_step_reject(perp_step *step);
/* Ends a step with a status: what went wrong, at which link or system (slot, or -1). */
perp_status perp_step_refuse(perp_step *step, perp_status status, const char *what, int slot,
                             const char *detail);
/* Takes the step of the systems with the scheme of this index into the certificate: once in a pass
 * (or for each of its equations), when it is solved and before positions or velocities are
 * projected.  perp_step_once() calls it before `finish` but for schemes that say `certifies`.  It
 * overwrites link->H, X, V and spare and s->work. */
perp_status perp_step_certify(perp_step *step, int scheme);
/* An impact of all systems at once at time t, as schemes with `march` make them: M (v+ - v-) = sum
 * of H' lambda over the active interactions, their laws with restitution by u-, action = reaction;
 * v+ and q at NOW, v- in s->ledger.kept.  It overwrites the same as perp_step_certify(). */
perp_status perp_step_certify_impact(perp_step *step, double t);
/* Around a correction of positions or velocities that is no part of the equation of motion, after
 * perp_step_certify(): called with done = 0 before it and with done = 1 after it.  What it does to
 * the energy is accounted apart. */
typedef enum perp_moved { PERP_MOVED_POSITIONS, PERP_MOVED_VELOCITIES } perp_moved;
perp_status perp_step_moved(perp_step *step, int scheme, perp_moved what, int done);
/* Largest h omega of what is stiff in the step, where a scheme knows it. */
void perp_step_resolution(perp_step *step, double h_omega);
/* The states are no longer those of the steps that were made (extrapolation): their motion and
 * energy are not known. */
void perp_step_replaced(perp_step *step);
/* States, multipliers and outputs of the whole model in a block that is used again; release
 * with perp_pool_give(pool, kept->bytes). */
typedef struct perp_kept {
    unsigned char *bytes;
    size_t capacity;
} perp_kept;
perp_status perp_step_keep(perp_step *step, perp_kept *kept);
void perp_step_take_back(perp_step *step, const perp_kept *kept);
/* The same of the lists of the step alone, while they are those of the simulation. */
perp_status perp_step_keep_own(perp_step *step, perp_kept *kept);
void perp_step_take_back_own(perp_step *step, const perp_kept *kept);
/* Memory of the integrator of a scheme, shared by all schemes that have it: zeroed when it is
 * first asked for and then kept from step to step; NULL when memory is out.  Checkpoints hold what
 * `walk` shows of it; what else the next step depends on is in perp_step_carry() (PERP_CARRY
 * numbers, 0 at first; for `march`, but the last for discrete-gradient), link->mode and the memory
 * of each system. */
void *perp_step_memory(perp_step *step, int scheme, size_t bytes);
enum { PERP_CARRY = 8 };
/* Of them, for discrete-gradient: so many starts are to be answers before solves of steps at rest are
 * no finer ones any more; from a step that was polished, or in which all hardly moved. */
enum { PERP_CARRY_RESTLESS = PERP_CARRY - 1 };
double *perp_step_carry(perp_step *step);

#endif
