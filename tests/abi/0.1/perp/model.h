/* SPDX-License-Identifier: BSD-3-Clause */
/* A model: dynamical systems and the interactions between them.
 *
 * Definitions are plain structs, filled by an _init call with the size of the
 * struct and copied when they are added: their arrays may go away afterwards.  What is added is
 * named by an identifier {index, generation}; {0, 0} names nothing, and one whose object was
 * removed is refused with PERP_ERR_STATE.  A model may be changed between the steps of a
 * simulation, never inside a step.
 *
 * Matrices are column-major; a perp_mat with rows = 0 is absent.  Callbacks
 * write all of `out` and return 0; any other value ends the step with
 * PERP_INTERRUPTED.  A definition that is refused names field and index in
 * *where (may be NULL).
 */
#ifndef PERP_MODEL_H
#define PERP_MODEL_H

#include <perp/numerics.h>
#include <perp/relation.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct perp_model perp_model;

typedef struct perp_system_id {
    uint32_t index, generation;
} perp_system_id;

typedef struct perp_interaction_id {
    uint32_t index, generation;
} perp_interaction_id;

/* out = value at time t.  First-order systems: x is the state, v is NULL.
 * Lagrangian: x = q, v the velocity.  Bodies: x = (centre of mass, unit
 * quaternion, scalar first), v = (velocity, angular velocity in the body frame).
 * z: the system's parameters. */
typedef int (*perp_system_fn)(double *out, double t, const double *x, const double *v,
                              const double *z, void *user);

/* M x' = A(t) x + b(t) + f(t, x, z) + T(x) u(t, x) + r      ([SDN] sec. 2.2, 2.3, 9.1)
 * f_x is needed with f, control_x = d(T u)/dx with T and u, unless
 * `differences` asks for forward differences. */
typedef struct perp_first_order_def {
    size_t size; /* sizeof(perp_first_order_def) of the caller; set by the init call */
    int n;
    const double *x0;      /* n */
    perp_mat M;            /* n x n, DENSE or CSC; absent: identity */
    perp_mat A;            /* n x n; absent: 0 */
    const double *b;       /* n; NULL: 0 */
    perp_system_fn A_at;   /* n x n at t, instead of A; depends on t and z only */
    perp_system_fn b_at;   /* n at t, instead of b; likewise */
    perp_system_fn f, f_x; /* n; n x n */
    int controls;          /* entries of u */
    perp_system_fn T, u;   /* n x controls; controls */
    perp_system_fn control_x;
    const double *z; /* nz parameters, handed to each callback */
    int nz;
    int differences;
    void *user;
} perp_first_order_def;

/* M(q,z) v' + C v + K q + N(q,v,z) + F_int(t,q,v,z) = F + F_ext(t,z) + T(q) u(t,q,v) + p,
 * q' = v      ([SDN] sec. 2.4, 2.5, (10.1); internal forces on the left)
 * The Jacobians of N, F_int and T u are needed with their functions, unless
 * `differences` asks for forward differences. */
typedef struct perp_lagrangian_def {
    size_t size;
    int n;
    const double *q0, *v0; /* n each; v0 NULL: 0 */
    perp_mat M;            /* n x n, DENSE or CSC, constant, symmetric; absent: identity */
    perp_mat C, K;         /* n x n; absent: 0 */
    const double *F;       /* n, constant external force; NULL: 0 */
    perp_system_fn mass;   /* n x n at q, instead of M, symmetric; v is NULL and t is 0 */
    perp_system_fn
        mass_q; /* n x n: d(M(q) w)/dq with w in place of v; NULL: neglected ([SNL] NL9) */
    perp_system_fn N, N_q, N_v;
    perp_system_fn F_int, F_int_q, F_int_v;
    perp_system_fn F_ext; /* depends on t and z only */
    int controls;
    perp_system_fn T, u, control_q, control_v; /* n x controls; controls; d(T u) */
    const double *z;
    int nz;
    int differences;
    void *user;
} perp_lagrangian_def;

/* A prescribed motion: pose (7: centre, unit quaternion) and twist (6: velocity of the centre in the
 * inertial frame, angular velocity in that of the body) at time t.  The twist is the derivative of
 * the pose but where the motion has a kink; within a step the body turns by less than half a turn. */
typedef int (*perp_motion_fn)(double *pose, double *twist, double t, void *user);

typedef enum perp_frame { PERP_INERTIAL, PERP_BODY } perp_frame;

/* Rigid body ([SDN] ch. 11): twist v = (velocity of the centre of mass in the inertial
 * frame, angular velocity in the body frame), M = diag(mass I, inertia),
 * M v' = (f, m - omega x inertia omega) + p; C v + K q on the left where given. */
typedef struct perp_body_def {
    size_t size;
    double mass;          /* > 0 */
    double inertia[9];    /* symmetric positive definite, body frame; no more is asked, so that
                             rotors and added mass may be in it, beyond the moments of any body */
    double position[3];   /* centre of mass */
    double quaternion[4]; /* scalar first; normalised when added */
    double velocity[3];   /* inertial frame */
    double angular[3];    /* body frame */
    double force[3];      /* constant, in force_frame (a weight, say) */
    double moment[3];     /* constant, in moment_frame */
    perp_frame force_frame, moment_frame;
    perp_system_fn f, f_q, f_v; /* 3; 3 x 7; 3 x 6: more force, in force_frame */
    perp_system_fn m, m_q, m_v; /* more moment, in moment_frame */
    perp_mat C, K;              /* 6 x 6 on the twist, 6 x 7 on q: linear internal wrench */
    int no_gyroscopic;          /* 1: leaves omega x inertia omega out */
    const double *z;
    int nz;
    int differences;
    void *user;
    /* Not NULL: the body moves as this says (called with `user`), whatever acts on it: a wall, a
     * platform, a shaker.  Its state when it is added is that of time 0, before each step that of the
     * step; masses and forces are not read.  It has no scheme and no kinetic energy; contacts and
     * joints tie other bodies to it, and what it gives them is work from outside. */
    perp_motion_fn motion;
} perp_body_def;

/* size: sizeof the struct where the caller was compiled; no byte beyond is touched.  A definition
 * of an older caller (smaller) is taken with the defaults for what it does not have; one of a newer
 * caller (larger) where the rest is zero.  Else PERP_ERR_ARGUMENT, *where "size". */
PERP_API void perp_first_order_def_init(perp_first_order_def *def, size_t size);
PERP_API void perp_lagrangian_def_init(perp_lagrangian_def *def, size_t size);
/* Unit mass and inertia, at the origin; force in the inertial frame, moment in the body's. */
PERP_API void perp_body_def_init(perp_body_def *def, size_t size);

PERP_API perp_status perp_model_create(perp_model **model, const perp_allocator *allocator);
PERP_API void perp_model_destroy(perp_model *model);

/* Errors: PERP_ERR_ARGUMENT (a size, a missing array or Jacobian, a mass <= 0 or
 * unsymmetric, a quaternion of norm 0), PERP_ERR_NONFINITE, PERP_ERR_SINGULAR (a constant mass
 * that has no inverse), PERP_ERR_MEMORY. */
PERP_API perp_status perp_model_add_first_order(perp_model *model, const perp_first_order_def *def,
                                                perp_system_id *id, perp_where *where);
PERP_API perp_status perp_model_add_lagrangian(perp_model *model, const perp_lagrangian_def *def,
                                               perp_system_id *id, perp_where *where);
PERP_API perp_status perp_model_add_body(perp_model *model, const perp_body_def *def,
                                         perp_system_id *id, perp_where *where);
/* Removes a system and each interaction that it takes part in. */
PERP_API perp_status perp_model_remove_system(perp_model *model, perp_system_id id);

typedef struct perp_interaction_def {
    size_t size;
    const perp_system_id *systems; /* at least one, each once */
    int nsystems;
    perp_relation relation;
    perp_law law; /* relation.rows is a multiple of its dimension */
} perp_interaction_def;

/* A linear relation without rows, complementarity. */
PERP_API void perp_interaction_def_init(perp_interaction_def *def, size_t size);
PERP_API perp_status perp_model_add_interaction(perp_model *model, const perp_interaction_def *def,
                                                perp_interaction_id *id, perp_where *where);
PERP_API perp_status perp_model_remove_interaction(perp_model *model, perp_interaction_id id);

/* The state of a system, to be read or changed between steps: x or q (n, or 7
 * for a body), v (n or 6; NULL for a first-order system).  The pointers hold
 * until the system is removed or its presence changes.  Each output may be NULL. */
PERP_API perp_status perp_model_state(perp_model *model, perp_system_id id, double **x, double **v,
                                      int *nx, int *nv);
/* To be called after states were changed by hand: outputs are computed again. */
PERP_API void perp_model_changed(perp_model *model);
/* The input that the interactions gave to a system in the last step: r, or the impulse p. */
PERP_API perp_status perp_model_input(const perp_model *model, perp_system_id id, const double **p);
/* Parameters z, to be changed between steps. */
PERP_API perp_status perp_model_parameters(perp_model *model, perp_system_id id, double **z,
                                           int *nz);
/* Replaces the constant force of a Lagrangian system (n) or a body (3). */
PERP_API perp_status perp_model_set_force(perp_model *model, perp_system_id id, const double *F);

/* Of an interaction: y, its rate u (0 for first-order systems) and lambda as of
 * the last step, rows entries each; *active 1 where it was in the problem.
 * What lambda is depends on the scheme: docs/reference/kernel.md.  Each output may be NULL. */
PERP_API perp_status perp_model_output(const perp_model *model, perp_interaction_id id,
                                       const double **y, const double **u, const double **lambda,
                                       int *rows, int *active);
/* The systems that an interaction acts on, without bodies with a prescribed motion: how many there
 * are, of which the first `capacity` are given.  0: a stale identifier. */
PERP_API int perp_model_interaction_systems(const perp_model *model, perp_interaction_id id,
                                            perp_system_id *systems, int capacity);
/* Changes the law of an interaction (same kind and dimension), between steps or in the hook before
 * one.  The numbers of a drive (the same `drive`), targets for one, cost no new analysis of the
 * problem. */
PERP_API perp_status perp_model_set_law(perp_model *model, perp_interaction_id id,
                                        const perp_law *law);

/* 1: a body with a prescribed motion; 0: not, or a stale identifier. */
PERP_API int perp_model_is_prescribed(const perp_model *model, perp_system_id id);

/* Where several processes make one simulation together (perp_sim_set_parts()), each has the whole
 * model and steps a part of it.  A system that is not OWN or SHARED is owned by another process. */
typedef enum perp_presence {
    PERP_PRESENCE_OWN,    /* at the start: stepped here alone */
    PERP_PRESENCE_SHARED, /* own, and a guest elsewhere: impulses of other processes act on it */
    PERP_PRESENCE_GUEST,  /* stepped here, too, as interactions with own systems need it */
    PERP_PRESENCE_ABSENT  /* not stepped; its state is that of some time ago */
} perp_presence;
/* An interaction between systems that are here belongs to the process that owns the heavier body (of
 * equals, and of other systems, the one added first), and acts there alone; contact detection makes
 * those that belong here.  All systems of one with more than two are in one process.  Bodies with a
 * prescribed motion are in all processes and stay OWN.  Between
 * steps, or in the hook before one.  Of an ABSENT body without interactions, C, K and z the definition
 * and the state alone are kept: pointers of perp_model_state() end where presence changes, its input is
 * 0, and what its scheme kept of its last step begins again; one that rested is awake.  PERP_ERR_STATE: a stale identifier;
 * PERP_ERR_ARGUMENT: another number, or a prescribed body; PERP_ERR_MEMORY. */
PERP_API perp_status perp_model_set_presence(perp_model *model, perp_system_id id,
                                             perp_presence presence);

/* absent 1: bodies without a prescribed motion that are added from here on are ABSENT at first, and
 * never held whole where they stay it. */
PERP_API void perp_model_begin_absent(perp_model *model, int absent);

PERP_API int perp_model_systems(const perp_model *model); /* how many there are */
PERP_API int perp_model_interactions(const perp_model *model);
/* The next one after `id` in order of creation slots; {0, 0} begins and ends. */
PERP_API perp_system_id perp_model_next_system(const perp_model *model, perp_system_id id);
PERP_API perp_interaction_id perp_model_next_interaction(const perp_model *model,
                                                         perp_interaction_id id);

/* Kinetic energy of a Lagrangian system or a body; 0 for first-order systems. */
PERP_API perp_status perp_model_kinetic_energy(perp_model *model, perp_system_id id, double t,
                                               double *energy);

#ifdef __cplusplus
}
#endif
#endif
