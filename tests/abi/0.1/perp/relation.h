/* SPDX-License-Identifier: BSD-3-Clause */
/* Relations between the states of systems and the pair (y, lambda), and the
 * nonsmooth laws that tie y to lambda. */
#ifndef PERP_RELATION_H
#define PERP_RELATION_H

#include <perp/numerics.h>

#ifdef __cplusplus
extern "C" {
#endif

/* out = value at time t.  x: the states of the systems, stacked (x,
 * q, or 7 numbers for a body), lambda: rows multipliers, z: the relation's own
 * parameters. */
typedef int (*perp_relation_fn)(double *out, double t, const double *x, const double *lambda,
                                const double *z, void *user);

/* N: entries of all states together; nv: of all velocities (6 for a body).
 * First-order systems ([SDN] ch. 9):
 *   LINEAR       y = C x + D lambda + F z + e,  r = B lambda; each constant or at t
 *   TYPE1        y = h(x),          r = g(lambda)
 *   TYPE2        y = h(x, lambda),  r = g(lambda)
 *   NONLINEAR    y = h(t, x, lambda), r = g(t, x, lambda)
 * Lagrangian systems and bodies ([SDN] ch. 10), H = dh/dx (times T(q) for a body):
 *   LINEAR       y = C q + D lambda + F z + e,  p = C' lambda; h_t where a term is at t
 *   SCLERONOMOUS y = h(q);  RHEONOMOUS y = h(t, q) with h_t;
 *   COMPLIANT    y = h(q, lambda) with h_lambda;        p = H' lambda
 *   NONLINEAR    y = h(t, q, lambda) with h_t, p = g(t, q, lambda)
 * Bodies ([SDN] ch. 12):
 *   CONTACT      1, 3, 4 or 5 rows (normal, slip, and the turn about n, or those about t_1 and t_2) at a
 *                point given by `contact`; h_t (NULL: 0) is their velocity while the bodies rest: a moving
 *                obstacle
 *   JOINT        bilateral, 1 to 6 rows, see perp_joint
 *   COUPLING     1 row: coordinates of joints and of Lagrangian systems tied together, see
 *                perp_joint_term
 */
typedef enum perp_relation_kind {
    PERP_RELATION_LINEAR,
    PERP_RELATION_TYPE1,
    PERP_RELATION_TYPE2,
    PERP_RELATION_NONLINEAR,
    PERP_RELATION_SCLERONOMOUS,
    PERP_RELATION_RHEONOMOUS,
    PERP_RELATION_COMPLIANT,
    PERP_RELATION_CONTACT,
    PERP_RELATION_JOINT,
    PERP_RELATION_COUPLING
} perp_relation_kind;

/* A point of contact: normal from the second body (or the world) towards the first. */
typedef struct perp_contact_point {
    double gap;        /* positive when open */
    double normal[3];  /* unit (to 1e-6, looked at before the first step), inertial frame */
    double point_a[3]; /* on the first body, inertial frame */
    double point_b[3]; /* on the second body or the world */
} perp_contact_point;

/* The axes of the three rows of a CONTACT: frame = (normal, t_1, t_2), 3 x 3 column-major, inertial,
 * for a unit normal.  lambda = (lambda_N, lambda_1, lambda_2) acts on the first body along them. */
PERP_API void perp_contact_frame(const double *normal, double *frame);

/* q_b is NULL where the second is the world. */
typedef int (*perp_contact_fn)(perp_contact_point *point, double t, const double *q_a,
                               const double *q_b, const double *z, void *user);

/* Joints between two bodies, or a body and the world.  anchor and axis are given
 * in the inertial frame for the configuration of the moment when the joint is added;
 * the law is EQUALITY but for torque limits (BOX) and the like.
 *   POINT     3 rows: the two anchors coincide (knee, ball joint); inertial frame
 *   PIVOT     5 rows: and both axes stay parallel
 *   PRISMATIC 5 rows: slides along an axis of the second body, no rotation
 *   FIXED     6 rows: as POINT, no rotation
 *   DISTANCE  1 row:  |anchor - anchor_b| keeps its value (anchor on the first body,
 *             anchor_b on the second or the world)
 *   CYLINDRICAL 4 rows: slides along the axis of the second body and turns about it
 *   UNIVERSAL 4 rows: as POINT, and the angle between `axis` on the first body and axis_b on the
 *             second keeps its value (they must not be parallel)
 *   PLANAR    3 rows: the anchor stays in the plane across the axis of the second body, and both axes
 *             parallel: slides two ways and turns
 *
 * Coordinates of a joint, 1 row each, y = side (coordinate - origin): they take every law of one
 * row, next to the joint itself, and do not constrain anything else.
 *   SLIDE     way of the anchor of the first body along the axis, which turns with the second; a
 *             length, 0 when it is made
 *   ANGLE     angle about the axis by which the first body is turned against the second, by the
 *             right-hand rule, in radians, 0 when it is made.  It goes on over any number of turns:
 *             it is the one nearest to that of the last accepted state, so that no step may turn it
 *             by more than half a turn.  Both axes are meant to be parallel: beside a PIVOT or a
 *             CYLINDRICAL joint with the same axis
 *   TURN      angle from 0 to pi of the whole rotation of the first body against the second, about
 *             whatever axis; when it is made they are turned by the rotation vector `axis`, in the
 *             first body, of any length.  With side -1 and an IMPACT law the limit of a ball joint,
 *             beside a POINT.  Where the angle is 0 it has no rate
 *   SPIN      no coordinate but a rate: of the turns of the first body against the second about an
 *             axis of the first; its y is 0.  Takes BOX laws that do not look at y: friction,
 *             motors, dampers, relays.  Three of them are the friction of a ball joint */
typedef enum perp_joint {
    PERP_JOINT_POINT,
    PERP_JOINT_PIVOT,
    PERP_JOINT_PRISMATIC,
    PERP_JOINT_FIXED,
    PERP_JOINT_DISTANCE,
    PERP_JOINT_CYLINDRICAL,
    PERP_JOINT_UNIVERSAL,
    PERP_JOINT_SLIDE,
    PERP_JOINT_ANGLE,
    PERP_JOINT_PLANAR,
    PERP_JOINT_TURN,
    PERP_JOINT_SPIN
} perp_joint;
PERP_API int perp_joint_rows(perp_joint joint);

/* One coordinate in a COUPLING, y = sum of factor times coordinate, less `origin` of the relation;
 * each is a SLIDE or an ANGLE between two of the systems of the interaction (bodies), or one and the
 * world, 0 when the relation is made; or a coordinate of a Lagrangian system (the rotor of a motor).
 * With the law EQUALITY this is
 *     gear, mimic   angle - ratio times angle of another joint (or slides)
 *     rack          slide - radius times angle
 *     screw         slide - lead/(2 pi) times angle, beside a CYLINDRICAL joint of the same bodies
 * and with other laws of one row a limit or a drive of such a combination.  The rotor of a gear may
 * turn any number of times. */
typedef struct perp_joint_term {
    perp_joint coordinate; /* SLIDE or ANGLE */
    int first, second;     /* places in `systems` of the interaction; second -1: the world */
    double anchor[3], axis[3];
    double factor; /* finite, not 0 */
    /* 1: coordinate `entry` of the Lagrangian system `first`; second is -1, and coordinate, anchor and
     * axis are not looked at. */
    int lagrangian, entry;
} perp_joint_term;
enum { PERP_JOINT_TERMS = 64 }; /* terms at most */

/* Lies in a perp_interaction_def, so its sizeof stays: new fields take reserved space. */
typedef struct perp_relation {
    size_t size; /* sizeof(perp_relation); set by perp_relation_init() */
    perp_relation_kind kind;
    int rows;
    /* LINEAR: rows x N, rows x rows, rows x nz, rows, N x rows; NULL: absent */
    const double *C, *D, *F, *e, *B;
    perp_relation_fn C_at, D_at, F_at, e_at, B_at; /* at t, instead */
    /* others: rows; rows x N; rows; rows x rows; N or nv; (N or nv) x N; (N or nv) x rows */
    perp_relation_fn h, h_x, h_t, h_lambda, g, g_x, g_lambda;
    perp_contact_fn contact;
    perp_joint joint;
    double anchor[3], anchor_b[3], axis[3];
    const double *z; /* nz parameters */
    int nz;
    int differences; /* 1: Jacobians that are needed and absent by forward differences */
    void *user;
    double axis_b[3];  /* of UNIVERSAL */
    double origin;     /* of SLIDE, ANGLE and COUPLING */
    int side;          /* of SLIDE, ANGLE, TURN, SPIN: 1 or -1; 0: 1 */
    int nterms;        /* of COUPLING: 1 to PERP_JOINT_TERMS */
    const perp_joint_term *terms;
    /* Of the law BOX without a drive: bounds of each row, rows entries each, in place of those of the
     * law; one of them NULL: that of the law.  A row between infinite ones is an equation, y = 0, one
     * between 0 and infinity 0 <= y perp lambda >= 0: rows of unlike kinds whose y depends on the
     * lambda of all of them stand in one interaction ([SDN] (9.34), (9.36)).  They stay as they are. */
    const double *lo, *hi;
    void *reserved[2]; /* NULL */
} perp_relation;

/* LINEAR without rows; everything else absent. */
PERP_API void perp_relation_init(perp_relation *relation, size_t size);

/*   COMPLEMENTARITY  0 <= y perp lambda >= 0
 *   EQUALITY         y = 0 (on second-order systems: its rate)
 *   BOX              -y in N_[lo,hi](lambda); relay: lo = -1, hi = 1.  The rows of a relation may
 *                    each have its own, perp_relation.lo and hi.  On second-order systems
 *                    with the rate u of y, and lambda a force; `drive` says what is added to u
 *   IMPACT           0 <= u + e u_before perp lambda >= 0 where y closes (Newton)
 *   FRICTION         the same on the normal row with Coulomb friction, 2 or 3 rows;
 *                    tangential restitution e_t.  With rolling friction mu_r, 3 rows in the plane or
 *                    5: the relative turns about the tangents follow, and moments against them.
 *                    With torsional friction mu_s, 4 rows: the relative turn about the normal
 *                    follows, and a moment against it.  With both, 6 rows: the relative turns about
 *                    the normal and about the tangents follow, with moments against each */
typedef enum perp_law_kind {
    PERP_LAW_COMPLEMENTARITY,
    PERP_LAW_EQUALITY,
    PERP_LAW_BOX,
    PERP_LAW_IMPACT,
    PERP_LAW_FRICTION
} perp_law_kind;

/* What a BOX law does on one row of second-order systems: y a coordinate (of a joint, say), u its
 * rate, lambda the force or torque along it that acts in the direction of growing y, within lo and
 * hi. */
typedef enum perp_drive {
    PERP_DRIVE_NONE,     /* the law on u as it is */
    PERP_DRIVE_MOTOR,    /* u = rate, as far as the force goes */
    PERP_DRIVE_FRICTION, /* u = 0, as far as the force goes; its work is never positive */
    PERP_DRIVE_SERVO,    /* lambda = - stiffness (y - target) - damping u, within lo and hi */
    PERP_DRIVE_PROFILE   /* y = target at u = 0, by a motor whose rate is within +-rate and from
                            which `acceleration` can brake */
} perp_drive;

/* Made by the calls below.  Its sizeof stays: new fields take reserved space. */
typedef struct perp_law {
    size_t size; /* sizeof(perp_law) */
    perp_law_kind kind;
    int dim;          /* rows: 1; FRICTION 2 or 3, with mu_r 3 (in the plane) or 5, with mu_s 4,
                         with both 6 */
    double e, e_t;    /* in [0, 1] */
    double mu;        /* >= 0 */
    union {           /* BOX: lo <= hi, may be infinite.  FRICTION of 3 (in the plane), 5, 6 rows: */
        double lo;
        double mu_r; /* rolling friction, a length > 0: the moment is at most mu_r times the normal
                        force; 0: none */
    };
    union {           /* BOX: hi.  FRICTION of 4 or 6 rows: */
        double hi;
        double mu_s; /* torsional friction, a length > 0: the moment about the normal is at most
                        mu_s times the normal force; 0: none */
    };
    perp_drive drive; /* BOX */
    int reserved_int; /* 0 */
    double rate;      /* MOTOR: of y, per time; PROFILE: the largest, > 0, may be infinite */
    double target;    /* SERVO, PROFILE: of y */
    double stiffness, damping; /* SERVO: force per y and per rate, >= 0, not both 0.  IMPACT,
                                  FRICTION: of the normal row, stiffness 0: rigid */
    double acceleration;       /* PROFILE: > 0 */
    double place; /* SERVO: where in a step its spring is taken, 1/2 (the middle: its work is the
                     change of its energy) to 1 (the end: for stiff ones); 0: chosen by the scheme,
                     docs/reference/kernel.md.  IMPACT, FRICTION with a stiffness: the same; 0: 1 */
    double relative_compliance; /* IMPACT, FRICTION: eps >= 0 of the one-step problem; 0: rigid */
} perp_law;

/* Contacts that give way.  The schemes discrete-gradient and moreau-jean take them, and what is
 * built on these; certificates are then those of the compliant problem.
 *
 *   stiffness k (force per length, the inverse of a compliance) and damping d (force per speed) of
 *   IMPACT and FRICTION: the normal row is a spring and a damper that only press,
 *       F = max(0, -k y - d y') where the gap y is negative,
 *   in place of y >= 0, so that bodies at rest overlap by F/k.  e and e_t are 0: what is given back is
 *   up to d (of two bodies with the reduced mass m, e = exp(-pi z/sqrt(1 - z^2)), z = d/(2 sqrt(k m))).
 *   Friction is Coulomb's with this F.
 *
 *   relative_compliance eps: with z the impulses of a contact in the step, z' those of the step
 *   before (0 for a new contact) and W its block of the matrix of the one-step problem, the law is on
 *       u + eps |W|_2 (z - z')      in place of u,
 *   which determines the impulses of walls and piles that rigid contacts leave undetermined, and makes
 *   such steps cheap: 1e-4 is much.  Where nothing changes from step to step it changes nothing; what
 *   moves is a little soft, for a step. */

PERP_API perp_law perp_law_complementarity(void);
PERP_API perp_law perp_law_equality(void);
PERP_API perp_law perp_law_relay(double lo, double hi);
PERP_API perp_law perp_law_impact(double e);
PERP_API perp_law perp_law_friction(int dim, double e, double mu);
/* dim 3 (N, T, turn) or 5 (N, T1, T2, turns); mu_r > 0.  Rigid, e_t = 0. The schemes
 * discrete-gradient and moreau-jean take it, and what is built on them. */
PERP_API perp_law perp_law_rolling(int dim, double e, double mu, double mu_r);
/* 4 rows (N, T1, T2, the turn about N); mu_s > 0.  Rigid, e_t = 0, by the same schemes. */
PERP_API perp_law perp_law_torsion(double e, double mu, double mu_s);
/* 6 rows (N, T1, T2, the turns about N, T1 and T2); mu_r and mu_s > 0.  Rigid, e_t = 0, by the same
 * schemes. */
PERP_API perp_law perp_law_rolling_torsion(double e, double mu, double mu_r, double mu_s);
/* A contact with a stiffness and a damping: IMPACT for dim 1 (mu is 0), FRICTION for 2 and 3. */
PERP_API perp_law perp_law_soft_contact(int dim, double stiffness, double damping, double mu);

/* Drives: laws of one row, by force or torque up to `largest` (>= 0, may be infinite but for
 * friction). perp_model_set_law() changes their numbers between steps at no cost.  A limit of a
 * coordinate is perp_law_impact() on y >= 0.  The schemes discrete-gradient and moreau-jean take
 * them, and what is built on these. */
PERP_API perp_law perp_law_motor(double rate, double largest);
PERP_API perp_law perp_law_dry_friction(double largest);
PERP_API perp_law perp_law_servo(double stiffness, double damping, double target, double largest);
PERP_API perp_law perp_law_profile(double target, double rate, double acceleration, double largest);

/* Relative degree of y = C x + D lambda, M x' = A x + B lambda ([SDN] sec. 8.1): 0 where D is
 * regular, r where C (M^-1 A)^k M^-1 B vanishes for k < r - 1 and is regular for k = r - 1,
 * -1 where no Markov parameter up to n is regular while one is not zero, n + 1 where all
 * vanish.  A, M: n x n (M NULL: identity), B: n x m, C: m x n, D: m x m (NULL: 0); dense.
 * relative = {degree of each row: first k with a non-zero diagonal coefficient, (1.28)}, m
 * entries, may be NULL. */
PERP_API perp_status perp_relative_degree(const double *M, const double *A, const double *B,
                                          const double *C, const double *D, int n, int m,
                                          const perp_allocator *allocator, int *degree,
                                          int *relative);

#ifdef __cplusplus
}
#endif
#endif
