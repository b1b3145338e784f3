/* SPDX-License-Identifier: BSD-3-Clause */
/* What a scene holds, and the readers of its parts. */
#ifndef PERP_SCENE_SCENE_INSIDE_H
#define PERP_SCENE_SCENE_INSIDE_H

#include <jansson.h>

#include <perp/rotation.h>
#include <perp/scene.h>

#include "scene/ellipsoid_drag.h"
#include "scene/scene_memory.h"
#include "scene/name_table.h"
#include "scene/node.h"
#include "scene/quantities.h"

typedef struct perp_scene_member perp_scene_member;
typedef struct perp_scene_muscle perp_scene_muscle;

/* A function of time: polynomial + amplitude sin(omega t + phase) + ramp + table. */
typedef struct perp_scene_motion {
    double amplitude, omega, phase;
    double *coefficient; /* of 1, t, t^2, ... */
    int coefficients;
    double ramp[3];  /* from, to, by; by 0: none */
    double *table;   /* entries x 3: time, value, slope */
    int entries, linear;
} perp_scene_motion;

/* A body that moves as a function of time: its pose at rest is moved by each of these in turn. */
typedef struct perp_scene_move {
    int turns; /* about the axis through the centre; else along the axis */
    double axis[3], centre[3];
    perp_scene_motion motion;
    struct perp_scene_move *next;
} perp_scene_move;

/* A surface that runs. */
typedef struct perp_scene_surface {
    double velocity[3], spin[3];
    perp_scene_motion factor;
    int varies; /* factor is given */
} perp_scene_surface;

/* vector * motion(t), on the nv velocities of a system. */
typedef struct perp_scene_timed_load {
    perp_scene_motion motion;
    double *vector;
    int own;         /* of a body: its force stands in the frame of the body */
    double point[3]; /* where it acts, in that frame */
    int places;      /* own, or at a point: it depends on the orientation */
    struct perp_scene_timed_load *next;
} perp_scene_timed_load;

/* One end of a spring: a coordinate (point = 0) or a point that a system carries. */
typedef struct perp_scene_end {
    perp_scene_member *system; /* NULL: the world */
    int coordinate, is_point;
    int index;       /* of a mass or of a marked point */
    double place[3]; /* in the frame of a body, or in the world */
} perp_scene_end;

/* Forces of a fluid on a body: along each axis of a frame in it -(damping + drag |u|) u of the
 * velocity u of a point, then the same of the angular velocity; and those on an ellipsoid there,
 * where it has radii.  All fluid moves with the wind. */
typedef struct perp_scene_fluid {
    double axes[4], wind[3];
    double damping[6], drag[6];
    perp_ellipsoid_drag ellipsoid;
} perp_scene_fluid;

typedef struct perp_scene_spring {
    double stiffness, damping;
    double bend[2], brake[2]; /* of coordinates: - (stiffness + bend[0] x + bend[1] x^2) x, and
                                 - (damping + brake[0] |u| + brake[1] u^2) u */
    double length, longest; /* at rest between these */
    int drags;      /* no line: a damper of the whole velocity of the first end in the world */
    const perp_scene_fluid *fluid; /* NULL: none; else it drags, too */
    int turns;      /* of the orientation of two bodies, or of one against the world */
    double rest[4]; /* that of the first in the frame of the second, where it is at rest */
    double about[3]; /* of orientations: stiffness about the axes of the first, where has_axes */
    int has_axes;
    int lags; /* between two: taken where the step begins */
    double armature;
    perp_scene_end end[2];
    struct perp_scene_spring *next;
} perp_scene_spring;

typedef enum perp_scene_form {
    PERP_SCENE_NO_SHAPE,
    PERP_SCENE_SPHERE,
    PERP_SCENE_DISC,
    PERP_SCENE_BOX,
    PERP_SCENE_CAPSULE,
    PERP_SCENE_PLANE,
    PERP_SCENE_CYLINDER,
    PERP_SCENE_CONE,
    PERP_SCENE_ELLIPSOID,
    PERP_SCENE_HULL,
    PERP_SCENE_SURFACE,
    PERP_SCENE_POLYGON
} perp_scene_form;

typedef struct perp_scene_shape {
    perp_scene_form form;
    double size[3];   /* half sides of a box, of a box around a hull; semi-axes; radius; radius and
                         half length of a capsule, cylinder or cone */
    double normal[3]; /* plane: normal . x = offset, free where larger */
    double offset;
    double place[3], turn[4]; /* in the frame of the body */
    const char *material;     /* NULL: that of the body */
    int group, category, touches;
    double *vertex; /* of a hull or surface: 3 each, and triangles */
    int vertices;
    int *triangle;
    int triangles;
    perp_shape_id id; /* in the contact detection */
    struct perp_scene_shape *next; /* of the same body */
} perp_scene_shape;

/* Points that a system of ours carries: place in the plane or in space, and its
 * Jacobian, dim x nq column-major.  Each output may be NULL. */
typedef void (*perp_scene_point_fn)(double *place, double *jacobian, const perp_scene_member *s,
                                    const double *q, const perp_scene_end *end);

typedef union perp_scene_def {
    perp_first_order_def first_order;
    perp_lagrangian_def lagrangian;
    perp_body_def body; /* without its position and its force */
} perp_scene_def;

/* Derivatives of the wrench of all fluids on a body at the state of the last question: force and
 * moment are asked for by q and by v, one after the other. */
typedef struct perp_scene_slopes {
    int known;
    double x[7], v[6];
    double by_q[42], by_v[36];
} perp_scene_slopes;

struct perp_scene_member {
    const char *name;
    const char *list; /* "systems" or "bodies": where it stands in the file */
    size_t place;
    const char *material;
    perp_scene_kind kind;
    int fixed; /* a shape of the world: there is no system in the model */
    int prescribed;        /* a body that moves by `moves` */
    perp_scene_move *moves;
    perp_scene_surface *surface;
    int nx, nv;
    perp_system_id id;
    perp_scene_def *as; /* that of copies without loads and springs is common to all */
    double *force;           /* nv: constant force, of the def and of the checks of energy */
    perp_mat K;              /* Lagrangian: stiffness, as in the definition */
    perp_system_fn internal; /* F_int of a built-in system, its Jacobian by q, potential */
    perp_system_fn internal_q;
    double (*potential)(const perp_scene_member *s, const double *q);
    double parameter[12]; /* of a built-in system */
    double *masses;
    int points, dim; /* points that it carries, -1: any; plane or space */
    perp_scene_point_fn point;
    perp_scene_timed_load *loads;
    perp_scene_spring *springs; /* to the world */
    perp_scene_muscle *muscles;
    perp_scene_slopes *slopes;  /* of a body whose springs are fluids with known ones, or NULL */
    double *coupled;            /* nv: force of springs to other systems in this step */
    double *work;               /* nv */
    double *moved, advance;     /* nx: q + advance h v, where those springs are taken */
    perp_scene_shape shape;
    double position[3];   /* of a body, at the start */
    double quaternion[4]; /* of a fixed body */
};

typedef struct perp_scene_named_interaction {
    const char *name;
    const char *type; /* of its relation, as in the text; NULL: it stands for a key of a joint */
    perp_interaction_id id;
    int rows;
    perp_scene_member **systems;
    int nsystems;
    perp_law_kind law;
    int dim;       /* rows of the law */
    double e, mu;  /* of its law */
    int compliant; /* what y is without lambda says nothing */
    perp_contact_fn touch; /* the point at which it acts, for viewers; NULL: none */
    void *touch_user;
    const perp_scene_end *ends; /* two points that it holds together or apart; NULL: none */
    /* Of a coordinate of a joint: y = side (coordinate - origin). */
    const perp_relation *relation; /* of a joint: its copy */
    double start[2];               /* and its slide and its angle at the start */
    const char *joint; /* name of the joint, that very text; NULL: no coordinate */
    int is_angle, side, drives;
    double origin;
    struct { /* of a pivot (kind 1) or prismatic joint (2) itself, at the start; 0: neither */
        int kind;
        double anchor[3], axis[3], start;
    } frame;
} perp_scene_named_interaction;

/* An interaction that acts at a point, and places of its systems; -1: none. */
typedef struct perp_scene_touch {
    int interaction, system[2];
} perp_scene_touch;

/* A law whose numbers are functions of time, or of the step. */
typedef struct perp_scene_timed_law {
    perp_interaction_id id;
    perp_law law;
    perp_scene_motion motion; /* of the rate of a motor, of the target of others, */
    int moves;                /* where this is 1 */
    double lag[2]; /* a damper: more by h/2 times the first and 2/h times the second */
    double damping;
    struct perp_scene_timed_law *next;
} perp_scene_timed_law;

typedef struct perp_scene_controller perp_scene_controller;

/* Not refused, and perhaps not what was meant: a sentence that says what was done. */
typedef struct perp_scene_note {
    int line;
    const char *key, *text; /* text begins with the key */
    struct perp_scene_note *next;
} perp_scene_note;

typedef struct perp_scene_block {
    struct perp_scene_block *next;
} perp_scene_block;

struct perp_scene {
    perp_allocator memory;
    const char *name; /* of the text, for messages */
    json_t *json;
    perp_scene_report report;
    perp_scene_block *blocks; /* memory of the scene */
    int anywhere;             /* bodies may stand at the same place */
    const char *title;
    double t0, until, step;
    perp_sim_options options;
    perp_settings settings; /* of the options; they ask `stop` of the run that is being made */
    int (*stop)(void *ctx);
    void *stop_ctx;
    perp_model *model;
    perp_sim *sim;
    perp_step_fn before; /* of the user */
    void *before_ctx;
    double gravity[3];
    double copies; /* of all entries that ask for some */
    perp_scene_member **systems;
    int nsystems, systems_capacity;
    perp_scene_named_interaction *interactions;
    int ninteractions, interactions_capacity;
    perp_scene_touch *touch;
    int touches;
    /* Places in the two lists, of which the first one of a name counts.  A system that became copies
     * may still have its name here: perp_scene_find_member() looks. */
    perp_scene_name_table system_names, interaction_names;
    perp_scene_timed_law *timed_laws;
    perp_scene_controller *controllers; /* in the order of the text */
    perp_scene_spring *springs;           /* between systems: taken at the start of a step */
    struct perp_scene_contacts *contacts; /* NULL: none asked for */
    perp_scene_note *notes, **last_note;
    int nnotes;
    int saw_start, saw_overlaps, saw_unread; /* what is looked for once was looked for */
    const char *retry[4]; /* solvers to try where one-step problems fail, and what then */
    int retries;
    int frames; /* steps between two pictures, 0: chosen */
    perp_scene_record record;
};

/* All parts of the text whose tree is scene->json: 0, or -1 with the report. */
int perp_scene_read(perp_scene *scene, const perp_scene_options *options);
/* What a step that was not made, or a check, says: one sentence. */
void perp_scene_step_text(char *text, size_t size, const perp_scene *scene, perp_status status,
                          const perp_step_info *info);
/* One more note; NULL and 0 where it concerns no place of the text.  Memory that runs out loses it.
 */
void perp_scene_warn(perp_scene *scene, const perp_scene_node *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Bodies that stand at one place: a note, or a refusal where they are to be kept apart. */
int perp_scene_check_places(perp_scene *scene);
/* A scene to be looked at alone: its bodies may stand at the same place. */
perp_status perp_scene_create_anywhere(perp_scene **scene, const char *text,
                                       const perp_allocator *allocator);
/* doubts.c: a note on what is a mistake more often than not. */
void perp_scene_note_doubts(perp_scene *scene);
int perp_scene_check_inertia(perp_scene *scene, const perp_scene_node *at, const double *inertia);
void perp_scene_note_angle(perp_scene *scene, const perp_scene_node *at, double angle);
/* What the start of a run violates: outputs of interactions after the check of the model, contacts
 * after the first detection. */
void perp_scene_note_outputs(perp_scene *scene);
void perp_scene_note_overlaps(perp_scene *scene);
typedef struct perp_scene_overlap {
    const perp_scene_member *a, *b;
    double depth;
    double place[3], normal[3]; /* of one of its points */
} perp_scene_overlap;
/* Each point of the last detection that overlaps by more than this part of the smaller one. */
typedef void (*perp_scene_overlap_fn)(void *ctx, const perp_scene_overlap *overlap);
void perp_scene_each_overlap(const perp_scene *scene, double part, perp_scene_overlap_fn fn,
                             void *ctx);
/* Pairs of them: how many, and the first ones. */
int perp_scene_find_overlaps(const perp_scene *scene, double part, perp_scene_overlap *list,
                             int capacity);
/* The name of the scheme of a system. */
const char *perp_scene_scheme_of(const perp_scene *scene, const perp_scene_member *s);
/* The name of an interaction of the text, with its first system in pair[0]; NULL for a contact that
 * was detected, with the two that touch, or NULL where it is not known.  Generation 0: any. */
const char *perp_scene_find_interaction_id(const perp_scene_member *pair[2],
                                           const perp_scene *scene, perp_interaction_id id);
/* 1 with a sentence where the last step was shown to have no solution. */
int perp_scene_squeezed_text(char *text, size_t size, const perp_scene *scene);
/* The quantity `which` of perp_scene_joint_words of a joint, NaN where it has no such coordinate;
 * 1 where it has. */
extern const char perp_scene_joint_words[];
int perp_scene_joint_quantity(double *value, const perp_scene *scene, const char *joint, int which);
/* A setting that the solver of the last step did not read. */
void perp_scene_note_solver(perp_scene *scene, const perp_info *info);
/* controllers.c: the section "controllers", once the simulation was made; what a checkpoint has to
 * hold of them, NULL: how many numbers. */
int perp_scene_read_controllers(perp_scene *scene, const perp_scene_node *root);
int perp_scene_start_controllers(perp_scene *scene);
int perp_scene_controller_state(perp_scene *scene, double *state, int write);
/* That of the controller that acts by this interaction; NULL: none does. */
double *perp_scene_controller_memory(const perp_scene *scene, perp_interaction_id id);
/* Laws whose numbers are functions of time, for a step of h from t. */
int perp_scene_set_timed_laws(perp_scene *scene, double t, double h);
/* Springs between systems and contacts: what the scene does before each step. */
int perp_scene_prepare_step(void *scene, perp_sim *sim, perp_model *model, double t, double h);
/* The whole text as a node. */
perp_scene_node perp_scene_root(perp_scene *scene);
/* Zeroed memory that lives as long as the scene; NULL after noting it as a failure. */
void *perp_scene_take(perp_scene *scene, size_t count, size_t size);
char *perp_scene_text(perp_scene *scene, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A system named by a string node; NULL after a message. */
perp_scene_member *perp_scene_named(perp_scene *scene, const perp_scene_node *node);
perp_scene_member *perp_scene_find_member(perp_scene *scene, const char *name);
/* "REASON 'name'; did you mean ..?", of all systems and interactions; -1. */
int perp_scene_fail_name(perp_scene *scene, const perp_scene_node *at, const char *reason,
                         const char *name);
/* A new entry of the list; the name is checked to be new only. */
perp_scene_member *perp_scene_add_member(perp_scene *scene, const perp_scene_node *at,
                                         const char *name);
/* A new entry of the list, its name read from the node (default: prefix + number). */
perp_scene_member *perp_scene_new_system(perp_scene *scene, const perp_scene_node *at,
                                         const char *prefix);
/* A name that the records can use: checked to be new and free of . [ ] , and blanks. */
int perp_scene_check_name(perp_scene *scene, const perp_scene_node *at, const char *name);

/* The parts of a text, one file of ours each; 0 or -1. */
int perp_scene_read_systems(perp_scene *scene, const perp_scene_node *root);
int perp_scene_read_bodies(perp_scene *scene, const perp_scene_node *root);
int perp_scene_read_forces(perp_scene *scene, const perp_scene_node *root);
int perp_scene_add_systems(perp_scene *scene);
int perp_scene_read_interactions(perp_scene *scene, const perp_scene_node *root);
int perp_scene_read_contacts(perp_scene *scene, const perp_scene_node *root);
/* "certificate": after the simulation was made. */
int perp_scene_read_certificate(perp_scene *scene, const perp_scene_node *root);
int perp_scene_read_options(perp_scene *scene, const perp_scene_node *root);
/* asked: the scheme that the caller wants instead of the text's, or NULL. */
int perp_scene_read_schemes(perp_scene *scene, const perp_scene_node *root, const char *asked);

/* position, rotation or quaternion of an object. */
int perp_scene_read_pose(double *position, double *quaternion, const perp_scene_node *at);

/* One kind of built-in system each. */
int perp_scene_read_pendulum(perp_scene *scene, perp_scene_member *s, const perp_scene_node *at);
int perp_scene_read_double_pendulum(perp_scene *scene, perp_scene_member *s,
                                    const perp_scene_node *at);
int perp_scene_read_slider_crank(perp_scene *scene, perp_scene_member *s,
                                 const perp_scene_node *at);
int perp_scene_read_planar(perp_scene *scene, perp_scene_member *s, const perp_scene_node *at);
int perp_scene_read_point_masses(perp_scene *scene, perp_scene_member *s,
                                 const perp_scene_node *at);

/* Motions: {"amplitude", "frequency", "phase", "polynomial", "ramp", "table", "between"}. */
#define PERP_SCENE_MOTION_KEYS "amplitude frequency phase polynomial ramp table between"
int perp_scene_read_motion(perp_scene *scene, perp_scene_motion *motion, const perp_scene_node *at);
double perp_scene_motion_value(const perp_scene_motion *motion, double t);
double perp_scene_motion_rate(const perp_scene_motion *motion, double t);

/* A number, or an object with the keys of a motion; 1 in *varies for the latter. */
int perp_scene_read_profile(perp_scene *scene, perp_scene_motion *motion, int *varies,
                            const perp_scene_node *at, const char *key);
/* prescribed.c: "motion" and "surface" of a body; the callback of the kernel, user: the member. */
int perp_scene_read_moves(perp_scene *scene, perp_scene_member *s, const perp_scene_node *at);
int perp_scene_read_surface(perp_scene *scene, perp_scene_member *s, const perp_scene_node *at);
int perp_scene_prescribed_pose(double *pose, double *twist, double t, void *user);
/* Surfaces as of time t. */
int perp_scene_set_surfaces(perp_scene *scene, double t);
/* Integrated: neither a shape of the world nor prescribed. */
static inline int perp_scene_is_integrated(const perp_scene_member *s)
{
    return !s->fixed && !s->prescribed;
}

/* Puts the callbacks of loads and springs into the definition of a system. */
int perp_scene_wire_forces(perp_scene *scene, perp_scene_member *s);
/* Forces of springs between systems, for the step of length h that begins. */
void perp_scene_set_springs(perp_scene *scene, double h);
/* Kinetic and potential energy of a system; of springs between systems in `spring`. */
double perp_scene_kinetic(perp_scene *scene, const perp_scene_member *s);
double perp_scene_potential(perp_scene *scene, const perp_scene_member *s);
double perp_scene_spring_energy(perp_scene *scene);

#endif
