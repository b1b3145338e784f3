/* SPDX-License-Identifier: BSD-3-Clause */
/* Inside of the verification of a run.  Nothing here comes from the kernel: systems are what
 * scene.json says, states are rows of series.csv. */
#ifndef PERP_SCENE_VERIFY_INSIDE_H
#define PERP_SCENE_VERIFY_INSIDE_H

#include <stdio.h>

#include <jansson.h>

#include <perp/verify.h>

enum { PERP_VERIFY_NAME = 112 };

typedef enum perp_verify_kind {
    PERP_VERIFY_BODY,
    PERP_VERIFY_LINEAR,      /* M q'' + C q' + K q = F + p */
    PERP_VERIFY_FIRST_ORDER, /* M x' + K x = F + r, K = -A */
    PERP_VERIFY_OTHER        /* energies and forces are not known here */
} perp_verify_kind;

typedef enum perp_verify_form {
    PERP_VERIFY_NO_SHAPE,
    PERP_VERIFY_SPHERE,
    PERP_VERIFY_BOX,
    PERP_VERIFY_CAPSULE, /* along z: radius, half length */
    PERP_VERIFY_PLANE,
    PERP_VERIFY_CYLINDER, /* along z: radius, half length */
    PERP_VERIFY_CONE,     /* along z from 0: radius, height */
    PERP_VERIFY_ELLIPSOID,
    PERP_VERIFY_HULL,       /* of points; a polygon */
    PERP_VERIFY_OTHER_SHAPE /* overlaps of it are not known here */
} perp_verify_form;

typedef enum perp_verify_scheme {
    PERP_VERIFY_MOREAU_JEAN,       /* its equations are those of the check "dynamics" */
    PERP_VERIFY_DISCRETE_GRADIENT, /* velocities are projected after the step */
    PERP_VERIFY_EULER_MOREAU,
    PERP_VERIFY_TWO_STEP, /* velocities are differences of positions */
    PERP_VERIFY_OTHER_SCHEME
} perp_verify_scheme;

/* vector times the function of time that `at` says */
typedef struct perp_verify_load {
    double *vector;
    int n, own;      /* own: a force in the frame of its body */
    double point[3]; /* where it acts, in that frame */
    const json_t *at;
    struct perp_verify_load *next;
} perp_verify_load;

/* In the frame of its body, before what `moved` of the body says. */
typedef struct perp_verify_shape {
    perp_verify_form form;
    double size[3], place[3], turn[4];
    const double *points; /* 3 each */
    int npoints;
    const char *material; /* that of the body where it has none */
    int group;
    unsigned category, touches;
    double reach, least; /* radius of a ball around its origin; smallest half width */
} perp_verify_shape;

typedef struct perp_verify_system {
    char name[PERP_VERIFY_NAME], material[PERP_VERIFY_NAME];
    perp_verify_kind kind;
    perp_verify_form form;
    int fixed, planar, nq, nv;
    double *M, *C, *K, *F; /* nv x nv column-major, NULL: absent (M: identity); F: nv */
    double mass, inertia[9], force[3], moment[3]; /* of a body; force in the world's frame */
    int no_mass;                                  /* mass and inertia are not known here */
    double position[3], quaternion[4];            /* of what stands still */
    double size[3], normal[3], offset;
    perp_verify_shape *shapes;
    int nshapes, moved; /* moved: by `shift`, which the first row says, less what the scene says;
                           -1: it is not known */
    double shift[3], around; /* around: radius of a ball around its origin */
    int jitter;              /* the scene does not say where it stands at the start */
    double *q0, *v0;         /* what the scene says of the start; NULL: not known */
    perp_verify_scheme scheme;
    double theta;
    int plain; /* the scheme has no parameter that changes its equations */
    perp_verify_load *loads;
    const json_t *motion;                     /* of a body that moves by it; NULL: none */
    int surface;                              /* its surface runs */
    int springs;                              /* one to another system, or a muscle, acts on it */
    int dim;                                  /* of point masses: entries of each; 0: it is none */
    int rods;                                 /* of a pendulum, 1 or 2; 0: it is none */
    double rod[2], bob[2], weight;            /* lengths, masses at their ends, gravity along -y */
    int jointed, touches_world, interactions; /* by the interactions of the scene */
    int group, world;                         /* of the groups of this row */
    int q_at, v_at, p_at, kinetic_at, potential_at; /* columns; -1: not recorded */
    /* Of the row that is looked at. */
    double impulse[3], strength, momentum; /* of interactions, with sum |lambda| of them; M |v| */
    double struck;                  /* sum |lambda| of interactions with impacts in strength */
    double reach;                   /* longest arm of its joints */
    double pushed[3], rubbed, blur; /* of contacts: sum of normal impulses; what may be added to it;
                                       blur: by directions that are means over a step */
    int impulse_known, acting, unbounded, near; /* near: of some shape, touching or not */
    int has_unseen, unseen; /* shapes that are not looked at: its own; its own or one near */
    double low, high;                           /* of its shape along x */
    double *flying; /* nv each: v' of the stages of impacts, its change in one, and in all */
    int unclear;    /* these are not known in this step */
} perp_verify_system;

typedef struct perp_verify_end { /* of a spring */
    perp_verify_system *system;  /* NULL: the world */
    int is_point, index;         /* index: a coordinate, or the number of a point */
    double place[3];             /* in the frame of the system, or of the world */
} perp_verify_end;

typedef struct perp_verify_spring {
    perp_verify_end end[2]; /* from, to */
    double stiffness, damping;
    double bend[2], brake[2]; /* - (stiffness + bend[0] x + bend[1] x^2) x, and with |u| for u */
    double length, longest;   /* at rest between these */
    int drags; /* a damper in all directions */
    int fluid; /* or one of its own along each axis of a frame in the body */
    double axes[4], wind[3], fluid_damping[6], fluid_drag[6];
    /* Of an ellipsoid, where it has radii: blunt, slender, angular, lift, spin; mass and inertia. */
    double radii[3], density, viscosity, shares[5], added[6];
    int turns; /* of orientations: not known here */
    struct perp_verify_spring *next;
} perp_verify_spring;

typedef enum perp_verify_relation {
    PERP_VERIFY_MATRIX, /* y = C x + D lambda + e */
    PERP_VERIFY_POINT,  /* joints */
    PERP_VERIFY_PIVOT,
    PERP_VERIFY_PRISMATIC,
    PERP_VERIFY_FIXED,
    PERP_VERIFY_DISTANCE,
    PERP_VERIFY_CYLINDRICAL,
    PERP_VERIFY_UNIVERSAL,
    PERP_VERIFY_PLANAR,
    PERP_VERIFY_SLIDE, /* coordinates of joints: side (coordinate - origin) */
    PERP_VERIFY_ANGLE,
    PERP_VERIFY_SPHERE_PLANE,
    PERP_VERIFY_SPHERE_SPHERE,
    PERP_VERIFY_OTHER_RELATION
} perp_verify_relation;

typedef enum perp_verify_law {
    PERP_VERIFY_COMPLEMENTARITY,
    PERP_VERIFY_EQUALITY,
    PERP_VERIFY_RELAY,
    PERP_VERIFY_IMPACT,
    PERP_VERIFY_FRICTION
} perp_verify_law;

/* factor times a coordinate: of a joint, by its number among the interactions, or of a system. */
typedef struct perp_verify_term {
    int joint, is_angle; /* joint -1: entry `entry` of system */
    const perp_verify_system *system;
    int entry;
    double factor, start; /* start: what the coordinate is at the start */
    double last;          /* angle in the row before, over whole turns */
} perp_verify_term;

/* Whether an interaction acts at a point: from one body to the next, or along a string. */
typedef enum perp_verify_acts {
    PERP_VERIFY_ACTS_NOWHERE,
    PERP_VERIFY_ACTS_BETWEEN,
    PERP_VERIFY_ACTS_ALONG
} perp_verify_acts;

typedef struct perp_verify_interaction {
    char name[PERP_VERIFY_NAME];
    perp_verify_relation relation;
    perp_verify_law law;
    double e, e_t, mu, lo, hi;
    double *row_lo, *row_hi; /* of each row of a RELAY that has lists of them, or NULL */
    int screw;           /* a cylindrical joint whose coordinates are tied together */
    int soft, gives;     /* it has a compliance; or a relative one */
    int drives;          /* a RELAY that is a motor, a servo, a spring or dry friction */
    double origin, side; /* of coordinates */
    int dim, rows, nsystems, moving; /* moving: "motion" is in it, */
    const json_t *motion;            /* which is this */
    perp_verify_system *system[2], **systems;
    double *C, *D, *offset_e;                          /* rows x N, rows x rows, rows */
    double anchor[3], anchor_b[3], axis[3], axis_b[3]; /* as given, in the world's frame */
    double cosine;                                     /* of UNIVERSAL, in the first row */
    double arm[2][3], own_axis[2][3], turn[4], length; /* in body frames, after the first row */
    perp_verify_acts acts;
    int flat;                                /* on a plane or a line: normal . x = offset */
    int point_rows, point_columns[3];        /* of its contact; of lambda, u, y in the series */
    double normal[3], offset, radius[2], point[2][3];
    perp_verify_term *terms; /* of a coupling or a gear: sum of them - offset */
    int nterms, sum_at;      /* sum_at: column of that */
    int y_at, u_at, lambda_at, active_at;
    double size_y, size_u; /* largest terms of y and u so far */
    double reach_y;        /* and of y by any entry of the states: what a relay holds at 0 has none */
} perp_verify_interaction;

/* A contact of contacts.csv. */
typedef struct perp_verify_contact {
    perp_verify_system *first, *second; /* NULL: no such shape */
    int rows, active, feature;
    double gap, normal[3], point_a[3], point_b[3], u[3], lambda[3];
    int more;                   /* what follows is there: files of before do not have it */
    double turns[3], twists[3]; /* u and lambda of rolling and torsional friction */
    double impulse[3], spin[3], moment[3], law[4]; /* law: e, mu, rolling, torsion */
    int shape[2];
    char interaction[PERP_VERIFY_NAME]; /* of the scene; "": it was detected */
} perp_verify_contact;

typedef struct perp_verify_impact perp_verify_impact; /* impacts.h */

typedef struct perp_verify_pair { /* of materials; or what one has by itself, between[1] "" */
    char between[2][PERP_VERIFY_NAME];
    double e, mu, rolling, torsion, skin;
} perp_verify_pair;

typedef struct perp_verify_h5 perp_verify_h5;                   /* series_h5.c */
typedef struct perp_verify_contacts_h5 perp_verify_contacts_h5; /* contacts_h5.c */

enum perp_verify_id {
    PERP_VERIFY_TIMES,
    PERP_VERIFY_START,
    PERP_VERIFY_QUATERNIONS,
    PERP_VERIFY_KINETIC,
    PERP_VERIFY_POTENTIAL,
    PERP_VERIFY_ENERGY,
    PERP_VERIFY_GAIN,
    PERP_VERIFY_POSITIONS,
    PERP_VERIFY_DYNAMICS,
    PERP_VERIFY_IMPULSES,
    PERP_VERIFY_INPUTS,
    PERP_VERIFY_MOMENTUM,
    PERP_VERIFY_SPIN,
    PERP_VERIFY_JOINTS,
    PERP_VERIFY_OUTPUTS,
    PERP_VERIFY_LAWS,
    PERP_VERIFY_OVERLAP,
    PERP_VERIFY_LASTING,
    PERP_VERIFY_CONTACTS,
    PERP_VERIFY_TABLES,
    PERP_VERIFY_IMPACTS,
    PERP_VERIFY_CHECKS
};

typedef struct perp_verify_finding {
    int known, contradicted;
    double worst;
    long row;
    double t;
    char where[256], why[256];
} perp_verify_finding;

typedef struct perp_verify_block {
    struct perp_verify_block *next;
} perp_verify_block;

struct perp_verification {
    perp_allocator memory;
    perp_verify_block *blocks;
    perp_status status;
    perp_scene_error error;
    const char *folder;
    json_t *json;
    double t0, step, gravity[3], newton_tol, tol;
    perp_verify_system **systems;
    int nsystems, systems_capacity;
    double copies; /* of all entries together */
    perp_verify_spring *springs;
    int muscles; /* there are some */
    perp_verify_interaction *interactions;
    int ninteractions;
    int has_contacts, plain_first_order;
    double e, mu, rolling, torsion; /* of pairs of materials that are not listed */
    double skin, most_skin;         /* the latter of all pairs, at least 0 */
    const char *combine[4];         /* rules for e, mu, rolling, torsion */
    int soft;                       /* some pair has a compliance */
    int gives;                      /* some pair has a relative one */
    perp_verify_pair *pairs;
    int npairs;
    perp_verify_system **excluded; /* two each */
    int nexcluded, joined_touch;
    /* The series: two rows of it. */
    FILE *series;       /* NULL: the rows come from h5 */
    perp_verify_h5 *h5; /* NULL: there is no series.h5 */
    int *column_of;     /* of each column of h5 in the series; -1: none */
    int columns, every_step, instants, was_halved; /* was_halved: a step, or it is not recorded */
    char **names;
    double *now, *before;
    long row;
    double t, h;
    int kinetic_at, potential_at, energy_at, halvings_at;
    /* The contacts of the present row. */
    FILE *contact_file;
    int has_contact_file;
    perp_verify_contacts_h5 *contacts_h5; /* NULL: series.h5 has none to compare with */
    perp_verify_contact *contacts;
    int ncontacts, contacts_capacity;
    perp_verify_contact *closing; /* of the row before */
    int nclosing, closing_capacity;
    FILE *impact_file; /* NULL: there is none */
    char *impact_line; /* read ahead, NULL at the end */
    size_t impact_line_capacity;
    double stage_rate; /* largest of the stages of impacts before this one in the step */
    perp_verify_impact *impacts;
    int nimpacts, impacts_capacity;
    char *line, *contact_line; /* of getline(); contact_line: read ahead, NULL at the end */
    size_t line_capacity, contact_line_capacity;
    double contact_t;
    /* Energies so far. */
    double least_energy; /* most that constant forces give in a step from rest */
    double most_kinetic, low_potential, high_potential, energy_before, rises, driven, *rise_at,
        *rise_time;
    long rises_capacity;
    double largest_lambda;
    perp_verify_system **sorted; /* shapes, by x */
    int nsorted;
    double lasting; /* largest overlap of this row */
    /* Depths of all overlaps, until shapes are looked at those of the row before; the same relative
     * to half widths. */
    double overlaps, overlap_parts;
    const perp_verify_system *lasting_pair[2];
    double fastest;       /* largest velocity of this row and the one before */
    double still;         /* speed that the rounding of the places of this row stands for in a step */
    int blind;            /* velocities of something that moves are not in the files */
    double most_momentum; /* largest change or momentum of a body or planar system in it */
    void *groups;         /* of the check of angular momentum */
    double *work;         /* of the checks of motion */
    size_t work_capacity;
    perp_verify_finding found[PERP_VERIFY_CHECKS];
};

/* Zeroed memory that lives as long as the verification; NULL after noting it. */
void *perp_verify_take(perp_verification *v, size_t count, size_t size);
/* Notes an error: returns -1. */
int perp_verify_fail(perp_verification *v, perp_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A deviation of one check in the present row. */
void perp_verify_note(perp_verification *v, enum perp_verify_id id, double deviation,
                      const char *format, ...) __attribute__((format(printf, 4, 5)));
/* What a check does not look at, and why; the check stays known where it looks at something. */
void perp_verify_leave_out(perp_verification *v, enum perp_verify_id id, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* scene.json; series.csv and contacts.csv: 0, or -1 with the error. */
int perp_verify_read_scene(perp_verification *v);
int perp_verify_read_interactions(perp_verification *v);
int perp_verify_read_spring(perp_verification *v, const json_t *at);
/* Energy of the springs between a system and the world in the present row, or, NULL, of those
 * between systems; the force of the former, nv entries.  0: not known. */
int perp_verify_spring_energy(double *energy, double *size, const perp_verification *v,
                              const perp_verify_system *s);
/* A fluid around an ellipsoid: what is read, and force and moment added in its axes. */
void perp_verify_read_ellipsoid(perp_verify_spring *p, const json_t *at);
void perp_verify_ellipsoid(double *force, double *moment, const perp_verify_spring *p,
                           const double *u, const double *w);
int perp_verify_spring_force(double *f, const perp_verification *v, const perp_verify_system *s,
                             const double *row);
/* Where its motion leads a body that moves by it. */
void perp_verify_pose(double q[7], const perp_verify_system *s, double t);
/* motion_checks.c: at most the least principal moment of inertia. */
double perp_verify_least_inertia(const double *J);

/* slow_rates.c: speed that the rounding of a place of this size stands for in a step. */
double perp_verify_rest(const perp_verification *v, double place);
/* slow_rates.c: speed at which a contact of the row before, or row r of a relation by a matrix,
 * closes within the step without an impact: by forces, the acceleration of bodies whose motion is
 * given, what turns leave, the rounding of coordinates.  HUGE_VAL: not known. */
double perp_verify_slow_contact(const perp_verification *v, const perp_verify_contact *c);
double perp_verify_slow_row(const perp_verification *v, const perp_verify_interaction *i, int r);
/* 1: some spring of s (NULL: of any system), to the world or between systems. */
int perp_verify_has_springs(const perp_verification *v, const perp_verify_system *s, int between);
/* Of a pendulum; v NULL: the potential energy alone. */
void perp_verify_bobs(double *kinetic, double *potential, double *size, const perp_verify_system *s,
                      const double *q, const double *v);
/* 1 where the value is there and of the kind. */
int perp_verify_is(const json_t *json, json_type kind);
int perp_verify_is_number(const json_t *json);
/* Members of an object, and of a list the first n; what is absent leaves the default, "" or out. */
double perp_verify_real(const json_t *object, const char *key, double initial);
void perp_verify_reals(double *out, const json_t *list, size_t n);
/* Cut to the range of int; no number: the least. */
int perp_verify_integer(double value);
/* A whole number, cut to -1 .. INT_MAX. */
int perp_verify_whole(const json_t *object, const char *key, int initial);
const char *perp_verify_word(const json_t *object, const char *key);
double *perp_verify_matrix(perp_verification *v, const json_t *json, int rows, int cols);
double *perp_verify_vector(perp_verification *v, const json_t *json, int n);
/* 0, and refused: a matrix that is larger than those of perp run. */
int perp_verify_fits(perp_verification *v, int rows, int cols);
perp_verify_system *perp_verify_find(perp_verification *v, const char *name);
/* A file of the folder, NULL where there is none; -1: there is one, which cannot be opened. */
int perp_verify_open(perp_verification *v, FILE **stream, const char *name);
/* The next line in what getline() made, NULL at the end, and where it cannot be read, which is said. */
void perp_verify_line(perp_verification *v, FILE *stream, const char *name, char **line,
                      size_t *capacity);
int perp_verify_open_series(perp_verification *v);
/* 1: the next row is in v->now, the one before it in v->before; 0: the end; -1. */
int perp_verify_next_row(perp_verification *v);
int perp_verify_next_contacts(perp_verification *v);
/* One of them that is an interaction of the scene, at time t of the present row or before. */
void perp_verify_named_contact(perp_verification *v, double t, const perp_verify_contact *c);
int perp_verify_next_impacts(perp_verification *v);
void perp_verify_end_of_tables(perp_verification *v); /* of the check of series.h5 */
/* Polynomial, sine, ramp and table of an object at a time. */
double perp_verify_function(const json_t *at, double t);
/* Bodies whose motion the scene gives are where it says. */
void perp_verify_prescribed(perp_verification *v);
/* State of a system in a row: columns, or what stands still. */
const double *perp_verify_q(const perp_verify_system *s, const double *row);

/* The checks of one row; each file its own. */
void perp_verify_rows(perp_verification *v);     /* times, quaternions, start */
void perp_verify_energies(perp_verification *v); /* energies of the present row */
void perp_verify_gain(perp_verification *v);     /* at the end */
void perp_verify_motion(perp_verification *v);   /* positions, dynamics, impulses, momentum */
void perp_verify_inputs(perp_verification *v);   /* p of systems with coordinates */
void perp_verify_spin(perp_verification *v);     /* angular momentum, where every step is there */
int perp_verify_group(const perp_verification *v, int k); /* of system k in this row */
void perp_verify_joints(perp_verification *v);            /* joints, outputs */
void perp_verify_laws(perp_verification *v);
void perp_verify_shapes(perp_verification *v);
/* Sets `unseen` of all systems, from the contacts of this row. */
void perp_verify_find_unseen(perp_verification *v);
/* "shape", "shapes", "radius" or "polygon"; 0 or -1. */
int perp_verify_read_shapes(perp_verification *v, perp_verify_system *s, const json_t *at);
void perp_verify_contact_rows(perp_verification *v);
void perp_verify_impacts(perp_verification *v);
/* A relation of one sign that is violated in the row before by more than rounding: the step takes
 * that away on positions of all that hangs together with it.  NULL: there is none. */
const char *perp_verify_violated(const perp_verification *v);
/* 1, and what is left out: a system that overlaps are taken away from, on positions, in a way that
 * does not follow from the files.  open: what is violated; scale: of the positions. */
int perp_verify_moves_unseen(perp_verification *v, const perp_verify_system *s, const char *open,
                             double scale);
/* Largest rate before or after an impact of this row on the system; 0: none. */
double perp_verify_struck_rate(const perp_verification *v, const perp_verify_system *s);
/* And the most that they change its angular velocity by; HUGE_VAL: its inertia is not known. */
double perp_verify_struck_turn(const perp_verification *v, const perp_verify_system *s);
/* The material of the first or second shape of a contact. */
const char *perp_verify_material_of(const perp_verify_contact *c, int side);
/* Restitution, friction, rolling and torsional friction of a pair of materials. */
void perp_verify_material(const perp_verification *v, const char *a, const char *b, double out[4]);
/* The distance of their surfaces at which a contact of the two is closed. */
double perp_verify_skin(const perp_verification *v, const char *a, const char *b);

#endif
