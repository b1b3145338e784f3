/* SPDX-License-Identifier: BSD-3-Clause */
/* A scene: what a file describes, as a model and a simulation of the kernel.
 * docs/scene.md is the manual of the schema. */
#ifndef PERP_SCENE_SCENE_H
#define PERP_SCENE_SCENE_H

#include <perp/kernel.h>

#include "scene/node.h"

typedef struct perp_run_scene perp_run_scene;
typedef struct perp_run_system perp_run_system;

/* A function of time: polynomial + amplitude sin(omega t + phase). */
typedef struct perp_run_motion {
    double amplitude, omega, phase;
    double *coefficient; /* of 1, t, t^2, ... */
    int coefficients;
} perp_run_motion;

/* vector * motion(t), on the nv velocities of a system. */
typedef struct perp_run_load {
    perp_run_motion motion;
    double *vector;
    struct perp_run_load *next;
} perp_run_load;

/* One end of a spring: a coordinate (point = 0) or a point that a system carries. */
typedef struct perp_run_end {
    perp_run_system *system; /* NULL: the world */
    int coordinate, is_point;
    int index;       /* of a mass or of a marked point */
    double place[3]; /* in the frame of a body, or in the world */
} perp_run_end;

typedef struct perp_run_spring {
    double stiffness, damping, length;
    perp_run_end end[2];
    struct perp_run_spring *next;
} perp_run_spring;

typedef enum perp_run_kind {
    PERP_RUN_FIRST_ORDER,
    PERP_RUN_LAGRANGIAN,
    PERP_RUN_BODY
} perp_run_kind;

typedef enum perp_run_form {
    PERP_RUN_NO_SHAPE,
    PERP_RUN_SPHERE,
    PERP_RUN_DISC,
    PERP_RUN_BOX,
    PERP_RUN_CAPSULE,
    PERP_RUN_PLANE
} perp_run_form;

typedef struct perp_run_shape {
    perp_run_form form;
    double size[3];   /* half sides of a box; radius; radius and half length of a capsule */
    double normal[3]; /* plane: normal . x = offset, free where larger */
    double offset;
} perp_run_shape;

/* Points that a system of ours carries: place in the plane or in space, and its
 * Jacobian, dim x nq column-major.  Each output may be NULL. */
typedef void (*perp_run_point_fn)(double *place, double *jacobian, const perp_run_system *s,
                                  const double *q, const perp_run_end *end);

struct perp_run_system {
    const char *name;
    const char *list; /* "systems" or "bodies": where it stands in the file */
    size_t place;
    const char *material;
    perp_run_kind kind;
    int fixed; /* a shape of the world: there is no system in the model */
    int nx, nv;
    perp_system_id id;
    union {
        perp_first_order_def first_order;
        perp_lagrangian_def lagrangian;
        perp_body_def body;
    } as;
    double *force;           /* nv: constant force, of the def and of the checks of energy */
    perp_mat K;              /* Lagrangian: stiffness, as in the definition */
    perp_system_fn internal; /* F_int of a built-in system, its Jacobian by q, potential */
    perp_system_fn internal_q;
    double (*potential)(const perp_run_system *s, const double *q);
    double parameter[12]; /* of a built-in system */
    double *masses;
    int points, dim; /* points that it carries, -1: any; plane or space */
    perp_run_point_fn point;
    perp_run_load *loads;
    perp_run_spring *springs; /* to the world */
    double *coupled;          /* nv: force of springs to other systems in this step */
    double *work;             /* nv */
    double *moved, advance;   /* nx: q + advance h v, where those springs are taken */
    perp_run_shape shape;
    double position[3], quaternion[4]; /* of a fixed body */
};

typedef struct perp_run_interaction {
    const char *name;
    perp_interaction_id id;
    int rows;
} perp_run_interaction;

typedef struct perp_run_block {
    struct perp_run_block *next;
} perp_run_block;

struct perp_run_scene {
    const char *file;
    json_t *json;
    perp_run_report report;
    perp_run_block *blocks; /* memory of the scene */
    const char *title;
    double t0, until, step;
    perp_sim_options options;
    perp_settings settings; /* of the options */
    perp_model *model;
    perp_sim *sim;
    double gravity[3];
    perp_run_system **systems;
    int nsystems, room_systems;
    perp_run_interaction *interactions;
    int ninteractions, room_interactions;
    perp_run_spring *springs;           /* between systems: taken at the start of a step */
    struct perp_run_contacts *contacts; /* NULL: none asked for */
    const char *retry[4]; /* solvers to try where one-step problems fail, and what then */
    int retries, has_failure;
    perp_failure_action then;
    int frames; /* steps between two pictures, 0: chosen */
    int stride; /* steps between two records */
};

/* Reads a file.  until and step (NaN: as in the file), solver and scheme (NULL likewise), and the
 * settings of the solver, "name=value" each, take the place of what the file says.  Returns 0, or -1 after a
 * message; *scene is to be destroyed in both cases. */
typedef struct perp_run_changes {
    double until, step;
    const char *solver, *scheme;
    const char *const *set;
    int sets;
} perp_run_changes;
int perp_run_read(perp_run_scene *scene, const char *file, const perp_run_changes *changes);
void perp_run_destroy(perp_run_scene *scene);
/* The whole file as a node. */
perp_run_node perp_run_root(perp_run_scene *scene);
/* Zeroed memory that lives as long as the scene; NULL after noting it as a failure. */
void *perp_run_take(perp_run_scene *scene, size_t count, size_t size);
char *perp_run_text(perp_run_scene *scene, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A system named by a string node; NULL after a message. */
perp_run_system *perp_run_named(perp_run_scene *scene, const perp_run_node *node);
perp_run_system *perp_run_find(perp_run_scene *scene, const char *name);
/* A new entry of the list, its name read from the node (default: list + number). */
perp_run_system *perp_run_new_system(perp_run_scene *scene, const perp_run_node *at,
                                     const char *standard);
/* A name that the records can use: checked to be new and free of . [ ] , and blanks. */
int perp_run_check_name(perp_run_scene *scene, const perp_run_node *at, const char *name);

/* The parts of a file, one file of ours each; 0 or -1. */
int perp_run_read_systems(perp_run_scene *scene, const perp_run_node *root);
int perp_run_read_bodies(perp_run_scene *scene, const perp_run_node *root);
int perp_run_read_forces(perp_run_scene *scene, const perp_run_node *root);
int perp_run_add_systems(perp_run_scene *scene);
int perp_run_read_interactions(perp_run_scene *scene, const perp_run_node *root);
int perp_run_read_contacts(perp_run_scene *scene, const perp_run_node *root);
int perp_run_read_options(perp_run_scene *scene, const perp_run_node *root);
int perp_run_read_schemes(perp_run_scene *scene, const perp_run_node *root);

/* One kind of built-in system each. */
int perp_run_read_pendulum(perp_run_scene *scene, perp_run_system *s, const perp_run_node *at);
int perp_run_read_double_pendulum(perp_run_scene *scene, perp_run_system *s,
                                  const perp_run_node *at);
int perp_run_read_slider_crank(perp_run_scene *scene, perp_run_system *s, const perp_run_node *at);
int perp_run_read_planar(perp_run_scene *scene, perp_run_system *s, const perp_run_node *at);
int perp_run_read_point_masses(perp_run_scene *scene, perp_run_system *s, const perp_run_node *at);

/* Motions: {"amplitude", "frequency", "phase", "polynomial"}. */
#define PERP_RUN_MOTION_KEYS "amplitude frequency phase polynomial"
int perp_run_read_motion(perp_run_scene *scene, perp_run_motion *motion, const perp_run_node *at);
double perp_run_motion_value(const perp_run_motion *motion, double t);
double perp_run_motion_rate(const perp_run_motion *motion, double t);

/* Puts the callbacks of loads and springs into the definition of a system. */
int perp_run_wire_forces(perp_run_scene *scene, perp_run_system *s);
/* Forces of springs between systems, for the step of length h that begins. */
void perp_run_set_springs(perp_run_scene *scene, double h);
/* Kinetic and potential energy of a system; of springs between systems in `spring`. */
double perp_run_kinetic(perp_run_scene *scene, const perp_run_system *s);
double perp_run_potential(perp_run_scene *scene, const perp_run_system *s);
double perp_run_spring_energy(perp_run_scene *scene);

#endif
