/* SPDX-License-Identifier: BSD-3-Clause */
/* Inside of an interaction: a relation and a law between some systems, its values, and
 * the blocks that it contributes to the one-step problem.
 *
 * X stands for the states of its systems, stacked (N entries), V for their
 * velocities (nv entries); for first-order systems nv = N. */
#ifndef PERP_KERNEL_LINK_H
#define PERP_KERNEL_LINK_H

#include <float.h>

#include <perp/model.h>

#include "kernel/systems/dynamic_system.h"

typedef struct perp_joint_frames perp_joint_frames;
typedef struct perp_coupling perp_coupling;

/* Modes of a relation in smooth motion ([ACA10] (24)-(26), (30)-(31)). */
enum perp_mode {
    PERP_MODE_OPEN,    /* outside I_s: no force */
    PERP_MODE_CLOSED,  /* in I_s; with friction in I_r: it sticks */
    PERP_MODE_FORWARD, /* in I_t: slides with u_T > 0, F_T = -mu F_N */
    PERP_MODE_BACKWARD /* in I_t: slides with u_T < 0, F_T = mu F_N */
};

typedef struct perp_link {
    int slot;
    int nsystems;
    perp_system **systems;
    int second_order; /* its systems are Lagrangian or bodies */
    int N, nv;        /* of all its systems together */
    int rows;
    /* A body with a prescribed motion that takes part in a contact or joint, or NULL.  It is not
     * among `systems`: the relation depends on time through it, and x, H, drift are those of the
     * other one. */
    perp_system *guide;
    int guide_first;        /* 1: it is the first of the two bodies */
    double *both, *both_H;  /* 14; rows x 12: of both bodies */
    perp_relation relation; /* arrays copied */
    perp_law law;
    perp_joint_frames *joint;    /* a joint in body frames, joints.c; else NULL */
    perp_coupling *coupling;     /* coordinates tied together, coupling.c; else NULL */
    double branch, branch_start; /* ANGLE: the angle, with its turns, where outputs were last taken;
                                    at the start of the step */
    double *z;

    /* Values, rows entries each. */
    double *y, *u;             /* output and its rate at the current state */
    double *y_start, *u_start; /* at the start of the step */
    double *lambda;            /* of the last solve in which it was active, else 0 */
    double *lambda_start;      /* at the start of the step; first warm start */

    /* Blocks for assembly: w = D lambda + offset + sum over systems of left x, where
     * x = free + W^-1 (sum over interactions of right lambda) is the new velocity or state. */
    double *left;   /* rows x nv column-major; the columns of a system are contiguous */
    double *right;  /* nv x rows column-major; NULL for contacts and joints whose relations act
                     * together by impulses: those are symmetric under every scheme */
    double *D;      /* rows x rows */
    double *offset; /* rows */
    /* A contact that gives way, in problems whose owner says so: the diagonal of M grows by `give`
     * on normal rows and by soft[i] on all, which the fill makes from relative_compliance; q by
     * - soft[i] centre[i].  Not in D, and it leaves `symmetric` as it is. */
    double give, *soft, *centre;
    int symmetric; /* right = left' (right is not filled), D = 0 */
    /* Auxiliary FREE rows rho for g that depends on x (K = dg/dx): see links with `inner`. */
    int inner;            /* nv where K is present, else 0 */
    double *inner_left;   /* inner x nv: weight of x in the rows of rho */
    double *inner_D;      /* inner x rows: weight of lambda in the rows of rho */
    double *inner_right;  /* scalar weight of rho on the systems, 1 entry */
    double *inner_offset; /* inner */
    double *rho;          /* inner: value of g in the last solve */
    double *rho_start;    /* inner: at the start of the step */

    int relations;           /* rows / law.dim */
    unsigned char *on;       /* relations entries: 1 where that relation is in the index set */
    unsigned char *on_start; /* at the start of the step */
    unsigned char *mode;     /* relations entries: a perp_mode; of event-driven schemes */
    double *flight; /* 2 a relation: time of its last impact, flight before that; 0: none */

    double reach; /* of the certificate: largest |y| seen */
    double slack; /* of integrators, second order: a gap or violation that counts as none */

    int active;              /* in the one-step problem of this iteration */
    int was_active;          /* in that of the last step */
    int first_row;           /* of its rows in the problem; its rho rows follow its own */
    int known;               /* y and u are those of the current state */
    int own_restitution;     /* the scheme puts e into its rows; reset at each step */
    int ready;               /* left and D of a constant relation are filled */
    double bound_scale;      /* of the bounds of BOX in the problem; 1: lambda is what they bound */
    double *bound;           /* of its owner, relations entries: of friction where it is Tresca's */
    double key[2];           /* with which weights, where a scheme needs them */
    int hit, first_relation; /* of the integrators: numbers of it in a step */
    int linear;              /* relation affine: one Newton step is enough */
    int steady;              /* relation depends on its systems alone: no time, no callback of
                                others; of those that a collider made it sets it */
    int differences;         /* some Jacobian came from differences */

    /* Work: gathered states and Jacobians. */
    double *X, *V; /* N, nv */
    double *H;     /* rows x nv */
    double *H_x;   /* rows x N: dh/dx, by perp_link_jacobian where a body meets h_x or C; or NULL */
    double *work;  /* of the evaluation, as much as it needs; may be NULL */
    double *spare; /* max(N, nv, rows): of the integrators */
    double *momentum, *mismatch; /* max(nv, rows), rows: of discrete gradients; second order */
    double *swing;               /* rows: by what the drift changes in the step; second order */
    double *ahead;  /* rows: of integrators, what the motion at the start gives the mean rate of a
                       step; second order */
    double *smooth; /* rows: of integrators, lambda of the last step without its impacts, where the
                       next begins; second order */
    double *turn;   /* rows: of integrators, rate at which a gap closes at the end of a step by the
                       turn    of its row alone; second order */
    double turn_spin;   /* of its bodies, by which that was found; 0: it is not theirs */
    double force_speed; /* of integrators, that forces give a contact in a step; second order */
    unsigned absent;    /* or of perp_part: Jacobians by differences */
} perp_link;

/* 1 where relation r is in a sliding mode. */
static inline int perp_link_slides(const perp_link *link, int r)
{
    return link->law.kind == PERP_LAW_FRICTION && link->mode[r] >= PERP_MODE_FORWARD;
}

/* The law of relation r: that of the link, with the bounds of that row where it has its own. */
static inline perp_law perp_link_law(const perp_link *link, int r)
{
    perp_law law = link->law;
    if (link->relation.lo)
        law.lo = link->relation.lo[r];
    if (link->relation.hi)
        law.hi = link->relation.hi[r];
    return law;
}

/* All of its systems are at rest, but those that are about to wake. */
static inline int perp_link_rests(const perp_link *link)
{
    return link->systems[0]->resting == PERP_REST_HELD;
}

/* What places are known to, of the largest coordinate: rates that it makes in a step are none. */
#define PERP_ROUNDING_OF_PLACE (64.0 * DBL_EPSILON)
double perp_link_place(const perp_link *link, perp_moment moment);

/* The bodies of a contact or joint: how many, and the first or second. */
static inline int perp_link_bodies(const perp_link *link)
{
    return link->nsystems + (link->guide != NULL);
}
static inline perp_system *perp_link_body(const perp_link *link, int k)
{
    if (!link->guide)
        return link->systems[k];
    return (k == 0) == link->guide_first ? link->guide : link->systems[0];
}

/* Functions of a relation, as bits. */
enum perp_part {
    PERP_PART_H = 1,
    PERP_PART_H_X = 2,
    PERP_PART_H_T = 4,
    PERP_PART_H_LAMBDA = 8,
    PERP_PART_G = 16,
    PERP_PART_G_X = 32,
    PERP_PART_G_LAMBDA = 64
};

/* Sizes, kinds of systems, needed functions, finite arrays; check.c. */
perp_status perp_link_check(const perp_interaction_def *def, perp_system *const *systems,
                            perp_where *where);
/* or of the perp_part that a relation needs on such systems. */
unsigned perp_relation_needs(const perp_relation *relation, int second_order);
/* or of the perp_part that it gives. */
unsigned perp_relation_gives(const perp_relation *relation);

perp_status perp_coupling_check(const perp_interaction_def *def, perp_where *where);
/* A link from a definition whose systems were found; pool memory.  Checks sizes, law,
 * needed Jacobians; where->what names the field ("relation.h_x", "law.mu", "systems").  A
 * joint is made for the states at NOW.  Errors: PERP_ERR_ARGUMENT, PERP_ERR_NONFINITE,
 * PERP_ERR_OVERFLOW, PERP_ERR_MEMORY. */
perp_status perp_link_make(perp_link **link, const perp_interaction_def *def,
                           perp_system *const *systems, perp_pool *pool, perp_where *where);
void perp_link_free(perp_link *link, perp_pool *pool);

/* Collects the states or velocities of its systems at a moment into link->X or link->V.
 * PERP_START, PERP_NOW, PERP_GUESS. */
const double *perp_link_gather_x(perp_link *link, perp_moment moment);
const double *perp_link_gather_v(perp_link *link, perp_moment moment);

/* Evaluation; x as gathered (N entries).  Non-zero: a callback refused.  Absent parts give
 * zeros.  No output may be link->work or H_x; spare is free to use. */
int perp_link_output(double *y, perp_link *link, double t, const double *x, const double *lambda);
/* H = dy/dx T(q): rows x nv column-major ([SDN] (11.76)); for CONTACT and JOINT as in ch. 12. */
int perp_link_jacobian(double *H, perp_link *link, double t, const double *x, const double *lambda);
/* Both at the same point; a contact is asked once. */
int perp_link_evaluate(double *y, double *H, perp_link *link, double t, const double *x,
                       const double *lambda);
/* dy/dt at fixed x; 0 for first-order systems. */
int perp_link_drift(double *h_t, perp_link *link, double t, const double *x, const double *lambda);
/* By what it changes from t to t + h at fixed x; spare is overwritten. */
int perp_link_swing(double *change, perp_link *link, double t, double h, const double *x,
                    const double *lambda);
int perp_link_feedthrough(double *D, perp_link *link, double t, const double *x,
                          const double *lambda);
/* r or p = g: nv entries; B = dg/dlambda: nv x rows; K = dg/dx T(q): nv x nv.  Where the
 * input is H' lambda the first two leave H at x in link->H, and K, the curvature of h, is
 * neglected: 0. */
int perp_link_input(double *g, perp_link *link, double t, const double *x, const double *lambda);
int perp_link_input_lambda(double *B, perp_link *link, double t, const double *x,
                           const double *lambda);
int perp_link_input_x(double *K, perp_link *link, double t, const double *x, const double *lambda);

/* guide.c.  x of both bodies from that of the one that moves freely, with the guide at time t;
 * NULL: its callback refused.  Without a guide it is x. */
const double *perp_link_both(perp_link *link, double t, const double *x);
/* The same with the guide at a moment of the step. */
const double *perp_link_both_at(const perp_link *link, perp_moment moment, const double *x);
/* H of the free body from both_H; rows += what both_H gives to the rates by the twist v of the
 * guide. */
void perp_link_take_own(double *H, const perp_link *link);
void perp_link_add_guide_rate(double *rows, const perp_link *link, const double *v);
int perp_link_guide_drift(double *h_t, perp_link *link, double t, const double *x);

/* Couplings (coupling.c): each term is a link of its own between systems of this one. */
perp_status perp_coupling_make(perp_link *link, perp_system *const *systems, perp_pool *pool,
                               perp_where *where);
void perp_coupling_free(perp_link *link, perp_pool *pool);
perp_link *perp_coupling_part(const perp_link *link, int k); /* NULL: no such term */
double perp_coupling_factor(const perp_link *link, int k);   /* of this part */
int perp_coupling_output(double *y, perp_link *link, double t, const double *x);
int perp_coupling_jacobian(double *H, perp_link *link, double t, const double *x);
int perp_coupling_has_drift(const perp_link *link);
int perp_coupling_drift(double *h_t, perp_link *link, double t, const double *x);
void perp_coupling_settle(perp_link *link, const double *x);
/* 1: the prescribed body takes part. */
int perp_coupling_has_guide(const perp_link *link, const perp_system *s);
/* A coordinate of a joint, or several of them. */
static inline int perp_link_is_coordinate(const perp_link *link)
{
    perp_relation_kind kind = link->relation.kind;
    return kind == PERP_RELATION_JOINT || kind == PERP_RELATION_COUPLING;
}

/* What a relation has. */
int perp_link_has_drift(const perp_link *link);       /* y depends on t, second-order systems */
int perp_link_has_feedthrough(const perp_link *link); /* D or h_lambda */
int perp_link_has_input(const perp_link *link);       /* g or B of its own, not H' lambda */
int perp_link_input_depends_on_x(const perp_link *link);

/* u = H V + h_t; h_t NULL: 0. */
void perp_link_rate(double *u, const perp_link *link, const double *H, const double *V,
                    const double *h_t);
/* u += H V, of so many rows and columns. */
void perp_link_add_rates(double *u, const double *H, const double *V, int rows, int nv);

/* One file per topic, called by evaluate.c.  out (rows x nv) = in (rows x N) T(q). */
void perp_link_to_rates(double *out, const perp_link *link, const double *in, const double *x,
                        int rows);
int perp_linear_output(double *y, perp_link *link, double t, const double *x, const double *lambda);
int perp_linear_jacobian(double *H, perp_link *link, double t, const double *x,
                         const double *lambda);
int perp_linear_feedthrough(double *D, perp_link *link, double t, const double *x,
                            const double *lambda);
int perp_linear_input_lambda(double *B, perp_link *link, double t, const double *x,
                             const double *lambda);
int perp_smooth_jacobian(double *H, perp_link *link, double t, const double *x,
                         const double *lambda);
int perp_smooth_drift(double *h_t, perp_link *link, double t, const double *x,
                      const double *lambda);
int perp_smooth_feedthrough(double *D, perp_link *link, double t, const double *x,
                            const double *lambda);
int perp_smooth_input_lambda(double *B, perp_link *link, double t, const double *x,
                             const double *lambda);
int perp_smooth_input_x(double *K, perp_link *link, double t, const double *x,
                        const double *lambda);

/* Contact and joints (bodies): output and twist Jacobian.  y or H NULL: not wanted. */
int perp_contact_evaluate(double *y, double *H, perp_link *link, double t, const double *x);
/* How far the square of the length of the normal is from 1, at x; -1 where the callback refuses. */
double perp_contact_normal_error(perp_link *link, double t, const double *x);
/* The same of both bodies, x and H. */
int perp_contact_rows(double *y, double *H, perp_link *link, double t, const double *x);
perp_status perp_joint_make(perp_link *link, perp_pool *pool, perp_where *where);
/* Place of the anchor on its free body at NOW, inertial frame; 0: not a joint. */
int perp_joint_anchor(double *point, const perp_link *link);
/* The longer of its arms, from a centre of mass to an anchor, or the length of a distance joint
 * where that is more; 0 where the link is no joint. */
double perp_joint_arm(const perp_link *link);
/* What an opening of this row is compared with: that arm, or the length of a distance; 1 for rows
 * that are angles. */
double perp_joint_length(const perp_link *link, int row);
int perp_joint_row_turns(const perp_link *link, int row); /* 1: it is an angle */
/* 1 where all rows are the angle of an ANGLE. */
int perp_joint_is_angle(const perp_link *link);
/* SLIDE and ANGLE: the branch of an angle is that of x from here on. */
void perp_joint_settle(perp_link *link, const double *x);
/* x and H of all bodies that take part. */
void perp_joint_output(double *y, const perp_link *link, const double *x);
void perp_joint_jacobian(double *H, const perp_link *link, const double *x);

#endif
