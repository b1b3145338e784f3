/* SPDX-License-Identifier: BSD-3-Clause */
/* Inside of a system: state, input, iteration matrix, and the few functions by which
 * integrators see every kind of system alike:
 *
 *     first-order   M x' = f(t, x) + r                 nq = nv = n, v = NULL
 *     second-order  M(q) v' = F(t, q, v) + p,  q' = T(q) v
 */
#ifndef PERP_KERNEL_SYSTEM_H
#define PERP_KERNEL_SYSTEM_H

#include <string.h>

#include <perp/model.h>

#include "kernel/systems/iteration.h"

typedef enum perp_system_kind {
    PERP_SYSTEM_FIRST_ORDER,
    PERP_SYSTEM_LAGRANGIAN,
    PERP_SYSTEM_BODY
} perp_system_kind;

/* Moments at which a state is kept. */
typedef enum perp_moment {
    PERP_START, /* of the step */
    PERP_NOW,   /* current iterate; after the step, its result */
    PERP_GUESS, /* predicted or other configuration at which Jacobians are taken */
    PERP_MOMENTS
} perp_moment;

typedef enum perp_resting {
    PERP_REST_NONE,
    PERP_REST_HELD,     /* at rest: v = 0, left out of steps */
    PERP_REST_DISTURBED /* to be woken */
} perp_resting;

/* Memory of the certificate, nv entries each, and what it knows of the system. */
typedef struct perp_ledger {
    double *change, *driven, *mean, *momentum; /* of this step, see certificate/balance.h */
    double *input, *magnitude;  /* sum of H' impulse, and of its terms made positive */
    double *kept;               /* max(nq, nv): before a correction */
    double shifted;             /* way of the centre, or of q, in corrections of this step */
    double *weight;             /* 1 / M_ii; 1 where that is no number */
    double scale;               /* largest momentum seen, in sqrt(energy) */
    double turning;             /* its part of the rotation of a body */
    double size;                /* smallest half-width as given; 0: not */
    double half_width;          /* that of the box with its mass and inertia; 0: none */
    const double *before;       /* velocity at the start of the smooth step */
    const double *lag;          /* of its balance, or NULL */
    const double *jump, *earlier; /* of the present stage of impacts and of its compression, or
                                     NULL: perp_jump */
    double since;               /* tau of its last impact */
    double fastest;             /* of the velocities between the impacts, as scale */
    double through;             /* largest impulse of one relation in this stage, as scale */
    double share, inertial;     /* `weight` and `inertial` of its balance */
    double tolerance, slack;    /* of its balance */
    int staggered, still;       /* of its balance */
    int stated;                 /* the scheme said `balance` in this step */
    struct perp_system *island; /* one of its island in this step; itself: the root */
    double defect[3], bulk;     /* of a root: momentum from nothing; sum of momenta */
    int world;                  /* of a root: something outside acts on the island */
    int number;                 /* of a root: among the islands that other processes have, too */
} perp_ledger;

/* Turns of a body over a step, for all joints of it: see relations/joint_gradient.c. */
typedef struct perp_turns {
    double key[16];            /* what they were made of */
    double R0[9], R1[9], P[9]; /* at both ends, and their mean */
} perp_turns;

typedef struct perp_system {
    perp_system_kind kind;
    int nq, nv;
    double *q[PERP_MOMENTS]; /* nq each; x for first-order systems */
    double *v[PERP_MOMENTS]; /* nv each; NULL for first-order systems */
    /* What its scheme keeps from step to step, with the meaning that the scheme gives; a checkpoint
     * holds it.  At first q_kept is q, the others are 0. */
    double *q_kept; /* nq */
    double *v_kept; /* nv */
    double h_kept;
    double *p;        /* nv: input r or impulse p of the interactions, this iterate */
    double *p_before; /* nv: p of the last step */
    double *free;     /* nv: free velocity, or free state */
    double *bias;     /* nv: constant part of a linearised input; rows() adds to it */
    int biased;       /* 1: bias is not zero */
    double *force;    /* nv: F(t_k, q_k, v_k) */
    double *residual; /* nv: free residual of the current iterate */
    double *work;     /* max(nq, nv) */
    perp_ledger ledger;
    /* Of the right-hand side: nv x nv, nv x nq; NULL where W needs only constant matrices. */
    double *jacobian_v, *jacobian_q;
    perp_mat mass; /* constant mass, owned; rows = 0 where mass_diagonal or a callback has it */
    double *mass_diagonal; /* nv: constant diagonal mass, or NULL */
    double *constant;      /* nv: constant part of the right-hand side */
    int plain;             /* the right-hand side is `constant` and nothing else */
    int turns_alone;       /* of a body: or that and the gyroscopic term */
    int steady;            /* it depends on the state alone: no time, no callback */
    perp_iteration W;
    double W_key[4];         /* h and the weights that a constant W was made with */
    unsigned long W_version; /* grows when W changes */
    int W_ready;             /* W holds the factors for W_key */
    int W_is_mass;           /* W is the constant mass and nothing else */
    int W_constant;          /* W depends on a and b only */
    int without_gyroscopic;  /* set by its scheme: W leaves the gyroscopic term out */
    int linear;              /* right-hand side affine in the state: one Newton step */
    int differences;         /* a Jacobian came from differences */
    long evaluations;        /* of the right-hand side in this step */
    int scheme;              /* index into the schemes of the simulation */
    int started;             /* the scheme's start was done and its step stood */
    int quiet;               /* steps in which it hardly moved, see step/rest.h */
    int stressed;            /* steps that are to hold its stresses, see joint_stresses.c */
    int resting;             /* enum perp_resting */
    int presence;            /* enum perp_presence, of <perp/model.h> */
    double unbalanced;       /* at rest: what its forces give that the impulses leave, a part of it */
    int first_row;           /* offset of its nv entries in the vector of all systems */
    int slot;                /* in the model */
    int place;               /* of the integrators: among the systems of its scheme in a step */
    int interactions;        /* that take part */
    int active_head;         /* list of active interactions in assembly, -1 none */
    int coupled;             /* offset of its nv entries among systems tied by joints, -1 none */
    int island;              /* of systems tied by joints, -1 none; both: see step/saddle.h */
    int cluster;             /* memory of its cluster, see discrete_gradient/clusters.h */
    int alone;               /* 1: its end follows from its forces alone, see discrete_gradient/ */
    int ahead;               /* 1: q[GUESS] is where its velocities lead, see discrete_gradient/ */
    int rides;               /* 1: it goes with a joint of bodies, see discrete_gradient/ */
    double *z;
    int nz;
    void *user;
    /* Work of the functions below, not for integrators: see system_make.c. */
    double *block, *base, *shifted, *copy, *matrix, *control;
    perp_turns *turns; /* of a body with joints; or NULL */
    union {
        perp_first_order_def first_order; /* matrices and vectors copied */
        perp_lagrangian_def lagrangian;
        perp_body_def body;
    } as;
} perp_system;

/* At rest, with the state that it came to rest with. */
static inline int perp_system_rests(const perp_system *s)
{
    if (s->resting != PERP_REST_HELD)
        return 0;
    for (int i = 0; i < s->nv; i++)
        if (s->v[PERP_NOW][i] != 0.0)
            return 0;
    return memcmp(s->q[PERP_NOW], s->q[PERP_START], sizeof(double) * (size_t)s->nq) == 0;
}

/* What acts on a system that may be at rest was changed. */
static inline void perp_system_disturb(perp_system *s)
{
    s->resting = s->resting ? PERP_REST_DISTURBED : PERP_REST_NONE;
}

/* f = right-hand side at (t, q, v): f(t, x) or F(t, q, v).  Non-zero: a callback refused. */
int perp_system_force(double *f, perp_system *s, double t, const double *q, const double *v);

/* y = M(q_mass) x.  y and x differ.  Non-zero: a callback refused. */
int perp_system_mass_apply(double *y, perp_system *s, const double *q_mass, const double *x);

/* W = M(q_mass) - a dF/dv - b dF/dq T(q) at (t, q, v), factored into s->W;
 * first-order: W = M - b df/dx.  step (nv or NULL): v - v_k, for the optional mass-Jacobian
 * term with weight c: + c d(M(q_mass) step)/dq.  A constant W is kept while a and b stay.
 * PERP_INTERRUPTED: a callback refused; PERP_ERR_SINGULAR. */
perp_status perp_system_iteration(perp_system *s, double t, const double *q_mass, const double *q,
                                  const double *v, double a, double b, const double *step,
                                  double c);
/* The same without factors: for what others factor together.  W is made each time. */
perp_status perp_system_matrix(perp_system *s, double t, const double *q_mass, const double *q,
                               const double *v, double a, double b, const double *step, double c);

/* x = W^-1 x, `columns` columns of nv. */
static inline void perp_system_solve(const perp_system *s, double *x, int columns)
{
    perp_iteration_solve(&s->W, x, columns);
}

/* q_out = q (+) h v: q + h v, or the Lie group update of a body.  q_out may be q. */
void perp_system_move(double *q_out, const perp_system *s, const double *q, const double *v,
                      double h);

/* q' = T(q) v; dq differs from q and v. */
void perp_system_rates(double *dq, const perp_system *s, const double *q, const double *v);

/* out (rows x nv) = in (rows x nq) T(q): rates of coordinates into velocities.  A copy but
 * for bodies. */
void perp_system_to_rates(double *out, const perp_system *s, const double *in, const double *q,
                          int rows);

/* Bodies with a prescribed motion (prescribed.c).  They are in no list of systems that move. */
static inline int perp_system_is_prescribed(const perp_system *s)
{
    return s->kind == PERP_SYSTEM_BODY && s->as.body.motion;
}
/* pose (7) and twist (6) at t; non-zero: the callback refused, or gave no numbers. */
int perp_system_prescribed(double *pose, double *twist, const perp_system *s, double t);
/* The states of a step: START at t, NOW at t + h; v[GUESS] the mean velocity, by which
 * q[NOW] = q[START] (+) h v[GUESS], and q[GUESS] half way along it.  h = 0: all are those of t. */
int perp_system_prescribe(perp_system *s, double t, double h);

/* Whether what acts between two systems, of which one may be NULL or prescribed, belongs to this
 * process. */
int perp_system_holds(const perp_system *a, const perp_system *b);

/* One file per kind; called by system.c. */
perp_status perp_first_order_make(perp_system *s, const perp_first_order_def *def, perp_pool *pool,
                                  perp_where *where);
int perp_first_order_force(double *f, perp_system *s, double t, const double *x);
int perp_first_order_jacobian(perp_system *s, double t, const double *x); /* into jacobian_q */
perp_status perp_lagrangian_make(perp_system *s, const perp_lagrangian_def *def, perp_pool *pool,
                                 perp_where *where);
int perp_lagrangian_force(double *f, perp_system *s, double t, const double *q, const double *v);
int perp_lagrangian_jacobian(perp_system *s, double t, const double *q, const double *v);
int perp_lagrangian_mass(double *M, perp_system *s, const double *q); /* dense; with as.mass only */
/* M (6 x 6). */
void perp_body_mass(double *M, const perp_body_def *def);
perp_status perp_body_make(perp_system *s, const perp_body_def *def, perp_pool *pool,
                           perp_where *where);
int perp_body_force(double *f, perp_system *s, double t, const double *q, const double *v);
/* moment (3) = omega x I omega, 0 where the body has no such term. */
void perp_body_gyroscopic(double *moment, const perp_system *s, const double *omega);
int perp_body_jacobian(perp_system *s, double t, const double *q, const double *v);
/* Gives back all that a make took; the struct itself stays. */
void perp_system_free(perp_system *s, perp_pool *pool);

/* Parts of the makes (system_make.c). */
/* Fills *where (may be NULL) and returns status. */
perp_status perp_system_refuse(perp_where *where, perp_status status, const char *what, int index);
/* q, v (second_order), and the other vectors; zeroed. */
perp_status perp_system_vectors(perp_system *s, int nq, int nv, int second_order, perp_pool *pool);
/* jacobian_v, jacobian_q, matrix and control. */
perp_status perp_system_callback_memory(perp_system *s, int controls, perp_pool *pool);
/* Copies a vector of the definition into one of the system's (in NULL: stays 0). */
perp_status perp_system_fill(double *out, const double *in, int count, const char *what,
                             perp_where *where);
/* s->z and s->nz. */
perp_status perp_system_parameters(perp_system *s, const double *z, int nz, perp_pool *pool,
                                   perp_where *where);
/* s->mass or s->mass_diagonal from M (absent: identity); without_negative: refuses a negative
 * diagonal. */
perp_status perp_system_mass(perp_system *s, const perp_mat *M, int without_negative,
                             perp_pool *pool, perp_where *where);
/* s->W in the best storage for the mass and `count` more terms; callbacks: entries are not
 * known.  Refuses a constant mass without inverse. */
perp_status perp_system_make_iteration(perp_system *s, const perp_mat *const *terms, int count,
                                       int callbacks, perp_pool *pool, perp_where *where);
int perp_system_is_diagonal(const perp_mat *A); /* rows = 0: yes */
/* First row with an entry that differs from the one across the diagonal by more than 1e-9 of the
 * roots of both diagonals; -1: none. */
int perp_system_asymmetry(const perp_mat *A);

/* Part of a right-hand side. */
typedef int (*perp_system_term)(double *out, perp_system *s, double t, const double *q,
                                const double *v);
/* J (rows x nq, or rows x nv for by_v) = derivative of a term by forward differences with the
 * step sqrt(eps) max(1, |x|); sets s->differences. */
int perp_system_differences(double *J, int rows, perp_system *s, perp_system_term term, double t,
                            const double *q, const double *v, int by_v);
/* J += scale times the Jacobian of a term with nv rows, by `given` or by differences. */
int perp_system_add_jacobian(double *J, perp_system *s, perp_system_fn given, perp_system_term term,
                             double t, const double *q, const double *v, int by_v, double scale);
/* J += scale A for a DENSE or CSC matrix; J has A's shape. */
void perp_system_add_matrix(double *J, const perp_mat *A, double scale);
/* out = T u. */
int perp_system_control(double *out, perp_system *s, perp_system_fn T, perp_system_fn u,
                        int controls, double t, const double *q, const double *v);
/* Copies count doubles (NULL stays NULL) and checks that they are finite. */
perp_status perp_system_copy(const double **out, const double *in, int count, const char *what,
                             perp_pool *pool, perp_where *where);
/* Copies a DENSE or CSC matrix of rows x cols (rows = 0: stays absent). */
perp_status perp_system_copy_mat(perp_mat *out, const perp_mat *in, int rows, int cols,
                                 const char *what, perp_pool *pool, perp_where *where);
/* y += scale A x for a DENSE or CSC matrix (rows = 0: nothing). */
void perp_system_add_product(double *y, const perp_mat *A, const double *x, double scale);

#endif
