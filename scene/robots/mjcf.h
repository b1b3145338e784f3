/* SPDX-License-Identifier: BSD-3-Clause */
/* The reader of MJCF: what its parts share. */
#ifndef PERP_SCENE_ROBOTS_MJCF_H
#define PERP_SCENE_ROBOTS_MJCF_H

#include "scene/robots/robot.h"

/* A class of defaults: the elements of a <default>. */
typedef struct perp_mjcf_class {
    const char *name;
    const struct perp_mjcf_class *up;
    const perp_xml *at;
} perp_mjcf_class;

enum { PERP_MJCF_NEVER, PERP_MJCF_AUTO, PERP_MJCF_ALWAYS };

/* A fixed tendon: a sum of coefficients times joints; a spatial one: the length of a path. */
typedef struct perp_mjcf_term {
    int joint;
    double coefficient;
} perp_mjcf_term;
/* force - stiffness length - damping rate of several actuators, within bounds where one has them.
 */
typedef struct perp_mjcf_total {
    double force, stiffness, damping, low, high;
    int count, bounded;
} perp_mjcf_total;
typedef struct perp_mjcf_tendon {
    const char *name;
    const perp_xml *at;
    int first, count;      /* of the terms; count 0: a spatial one */
    perp_robot_path *path; /* of a spatial one, whose points are all there */
    int is_string;         /* its spring and damper are done */
    double stiffness, rest, longest, damping, armature, friction; /* what acts along it */
    double bend[2], brake[2];                                     /* that is no line */
    double servo_stiffness, servo_damping, load;                  /* of its actuators */
    double most[2];                                               /* that these give together */
    perp_mjcf_total total;                                        /* where that is finite, */
    double total_gear;                                            /* before their common gear */
} perp_mjcf_tendon;

typedef struct perp_mjcf_actuator {
    const char *name;
    const perp_xml *at;
    double control, activation;
    int done; /* its kind is */
} perp_mjcf_actuator;

/* What <compiler> says of the elements of a file. */
typedef struct perp_mjcf_settings {
    double radians;   /* of a unit of angles */
    char sequence[4]; /* of Euler angles */
    int autolimits, from_shapes, balance;
    double least_mass, least_inertia, total_mass;
    double first_group, last_group; /* of shapes that weigh */
    const char *mesh_folder;
    int strip_path; /* files are named without their folders */
    int fit_bounds; /* shapes are fitted to the bounds of meshes */
    int global;     /* places are in the world, as up to MuJoCo 2.3.3 */
} perp_mjcf_settings;

/* A model that is attached to another one; elements have its number. */
typedef struct perp_mjcf_part {
    perp_mjcf_settings settings;
    perp_xml *defaults;
    const char *main_class;
    int first; /* parts from the one behind it to this one are attached to this one */
} perp_mjcf_part;

typedef struct perp_mjcf {
    perp_robot *robot;
    perp_robot_job *job;
    const perp_xml *root;
    perp_mjcf_class **classes; /* the first one is the outermost */
    int nclasses, classes_capacity, defaults;
    perp_mjcf_settings settings; /* of the model itself */
    perp_mjcf_part *parts;       /* the first one has the number 1 */
    int nparts, parts_capacity;
    int no_constraints, no_limits, no_friction, no_ties, no_actuators, no_clamps;
    int no_springs, no_dampers;   /* of joints and tendons; both: nothing passive at all */
    unsigned disabled_groups;     /* of actuators: bits */
    int no_masks, no_pairs;       /* nothing touches by contype and conaffinity; by <pair> */
    const perp_xml *soft, *thick; /* the first element with a softness; with a margin */
    perp_robot_mesh *meshes;
    int nmeshes, meshes_capacity;
    perp_robot_field *fields;
    int nfields, fields_capacity;
    perp_mjcf_actuator *actuators;
    const char **suffixes; /* of replicas, each once */
    int nsuffixes, suffixes_capacity;
    perp_name_index suffix_index, tendon_index, mesh_index, class_index, sum_index, lost_geoms;
    long tries;
    perp_mjcf_tendon *tendons;
    perp_mjcf_term *terms;
    perp_mjcf_total *totals; /* of joints whose actuators are bounded together */
    int nactuators, actuators_capacity, ntendons, tendons_capacity, nterms, terms_capacity;
} perp_mjcf;

/* Where elements of the body tree stand: the frame around them, in the body, their class, and what
 * replicas add to names. */
typedef struct perp_mjcf_place {
    int body; /* -1: the world */
    perp_pose frame;
    const perp_mjcf_class *childclass;
    const char *suffix;
    int depth;
    int joints; /* joints alone are read: those of a body, with its frames and replicas, in their
                 * order, before what hangs on it; else all but them */
} perp_mjcf_place;

/* The file with all that it includes, files named from a folder (NULL: of the model); 0 or -1. */
int perp_mjcf_include(perp_robot_job *job, perp_xml *root, const char *folder, int depth);
/* Models in the places of <attach>; 0 or -1. */
int perp_mjcf_attach(perp_mjcf *m, perp_xml *root, const char *folder, int depth);
/* The settings for an element. */
const perp_mjcf_settings *perp_mjcf_settings_of(const perp_mjcf *m, const perp_xml *at);
/* Those of a file in this folder (NULL: that of the model). */
int perp_mjcf_read_settings(perp_mjcf *m, const perp_xml *root, const char *folder,
                            perp_mjcf_settings *settings);
/* Classes of all sections <default>. */
int perp_mjcf_read_classes(perp_mjcf *m);
/* The class of an element: named, or that around it; NULL after a failure. */
const perp_mjcf_class *perp_mjcf_class_of(perp_mjcf *m, const perp_xml *at,
                                          const perp_mjcf_class *childclass);
/* An attribute of an element, or of the defaults for elements called `tag` (NULL: as it is called).
 */
const char *perp_mjcf_get(const perp_xml *at, const perp_mjcf_class *from, const char *tag,
                          const char *attribute);

/* 1: the word is one of those in the list, which blanks separate. */
int perp_mjcf_is_listed(const char *list, const char *word);

/* The same as numbers: how many were there (0: absent, values stay), -1 after a failure. */
typedef struct perp_mjcf_reader {
    perp_mjcf *m;
    const perp_xml *at;
    const perp_mjcf_class *from;
    const char *tag;
} perp_mjcf_reader;
int perp_mjcf_numbers(const perp_mjcf_reader *r, const char *attribute, double *values, int most);
/* Exactly n of them, or none. */
int perp_mjcf_exactly(const perp_mjcf_reader *r, const char *attribute, double *values, int n);
int perp_mjcf_flag(const perp_mjcf_reader *r, const char *attribute, int *value); /* true, false */
/* -1, 0 or 1 for "auto", "false", "true". */
int perp_mjcf_limited(const perp_mjcf_reader *r, const char *attribute, int *value);
/* quat, axisangle, euler, xyaxes or zaxis. */
int perp_mjcf_orientation(const perp_mjcf_reader *r, double *q);
int perp_mjcf_pose(const perp_mjcf_reader *r, perp_pose *pose);
/* Notes attributes of softness and margins, of the element and of its defaults, and those that are
 * neither read nor harmless (names separated by blanks): they are not done. */
void perp_mjcf_note_soft(perp_mjcf *m, const perp_xml *at);
void perp_mjcf_check(const perp_mjcf_reader *r, const char *read, const char *harmless);
/* The name of an element, or PREFIX and a number, with the suffix of replicas. */
const char *perp_mjcf_name(perp_mjcf *m, const perp_xml *at, const char *suffix, const char *prefix,
                           int number);
/* Restitution that a solref stands for. */
int perp_mjcf_restitution(const perp_mjcf_reader *r, const char *attribute, double *e);

/* "meshes/link.stl" is the mesh link, where it has no name. */
const char *perp_robot_base_name(perp_robot_job *job, const char *path);
int perp_mjcf_read_option(perp_mjcf *m);
int perp_mjcf_read_meshes(perp_mjcf *m);
/* Points and triangles of a <mesh builtin>: 0; 1: it is not done, and it was said; -1. */
int perp_mjcf_builtin(const perp_mjcf_reader *r, perp_robot_mesh *mesh, double **points);
int perp_mjcf_read_fields(perp_mjcf *m);
/* The heights that a geom names: 0; 1: they could not be read, -1. */
int perp_mjcf_field_of(perp_mjcf *m, const perp_mjcf_reader *r, perp_robot_geom *geom);
/* A geom of a simple form that names a mesh: 0; 1: it could not be read, -1. */
int perp_mjcf_fit(const perp_mjcf_reader *r, perp_robot_geom *geom);
/* mjcf_attach.c: one more attribute; -1: no memory, or value is NULL. */
int perp_mjcf_add_attribute(perp_mjcf *m, perp_xml *at, const char *name, const char *value);
int perp_mjcf_read_child(perp_mjcf *m, const perp_xml *at, const perp_mjcf_place *place);
int perp_mjcf_read_composite(perp_mjcf *m, const perp_xml *at, const perp_mjcf_place *place);
int perp_mjcf_read_tree(perp_mjcf *m);
int perp_mjcf_read_geom(perp_mjcf *m, const perp_xml *at, const perp_mjcf_place *place);
int perp_mjcf_read_joint(perp_mjcf *m, const perp_xml *at, const perp_mjcf_place *place);
int perp_mjcf_read_inertial(perp_mjcf *m, const perp_xml *at, const perp_mjcf_place *place);
int perp_mjcf_weigh(perp_mjcf *m);
/* After the masses: springs and dampers that follow from them. */
int perp_mjcf_tune_springs(perp_mjcf *m);
/* After the tree: elements that refer to replicas, once for each. */
int perp_mjcf_copy_references(perp_mjcf *m);
int perp_mjcf_read_contact(perp_mjcf *m);
int perp_mjcf_read_equality(perp_mjcf *m);
int perp_mjcf_read_tendons(perp_mjcf *m);
/* An <equality> of fixed tendons: their sum as a row. */
int perp_mjcf_tie_tendons(perp_mjcf *m, const perp_xml *at);
/* The path of a spatial tendon: 0 or -1; without one after saying what is not done. */
int perp_mjcf_read_path(perp_mjcf *m, const perp_xml *at, perp_mjcf_tendon *tendon);
/* Its length where the model has its joints, or (at_rest) with each one at its springref; -1: no
 * memory. */
double perp_mjcf_path_length(const perp_mjcf *m, const perp_robot_path *path, int at_rest);
/* Sum += factor times the length of the path: 0 or -1. */
int perp_mjcf_add_path(perp_mjcf *m, perp_robot_sum *sum, const perp_robot_path *path,
                       double factor);
/* What its activation follows. */
typedef enum perp_mjcf_dynamics {
    PERP_MJCF_DIRECT, /* it has none */
    PERP_MJCF_INTEGRATOR,
    PERP_MJCF_FILTER,
    PERP_MJCF_MUSCLE,
    PERP_MJCF_OTHER
} perp_mjcf_dynamics;
perp_mjcf_dynamics perp_mjcf_dynamics_of(const perp_mjcf_reader *r);
/* The activation from its start on, under a constant control, within a range: 0 or -1. */
int perp_mjcf_activation(const perp_mjcf_reader *r, double start, double control,
                         const double *range, perp_robot_table *table);
int perp_mjcf_is_muscle(const perp_mjcf_reader *r);
/* A muscle along the sum, which has no other force: 0 (also where it is not done), -1. */
int perp_mjcf_read_muscle(const perp_mjcf_reader *r, perp_robot_sum *sum, double start,
                          double control, const double *bound);
/* |M^-1 J|^2 with M the mass matrix where the model has its joints and J the moment arms of the
 * sum, or of a path with this gradient (6 for each body). */
int perp_mjcf_response(perp_mjcf *m, const perp_robot_sum *sum, const double *gradient,
                       double *square);
/* A sum along a tendon, or a joint (t NULL), times a factor; NULL after a failure. */
perp_robot_sum *perp_mjcf_sum_of(perp_mjcf *m, const perp_mjcf_tendon *t,
                                 const perp_robot_joint *joint, double factor, const char *name,
                                 const perp_xml *at);
/* A row that acts along a tendon, or a joint (t NULL), times a factor; NULL after a failure. */
perp_robot_sum *perp_mjcf_drive_of(perp_mjcf *m, const perp_mjcf_tendon *t,
                                   const perp_robot_joint *joint, double factor, const char *name,
                                   const perp_xml *at);
/* What an actuator moves: a joint, a tendon, a site, or one that is laid for it along which its
 * gear is `gear` (0: as it says itself). */
typedef struct perp_mjcf_target {
    perp_robot_joint *joint;
    perp_mjcf_tendon *tendon;
    const perp_robot_site *site, *turns_in; /* turns_in: it turns in the frame of that one */
    double gear;
} perp_mjcf_target;
/* 0; 1: it is not done, and it was said, or nothing comes of it; -1. */
int perp_mjcf_target_of(const perp_mjcf_reader *r, perp_mjcf_target *to);
/* actuatorfrcrange; infinite where there is none. */
/* stiffness or damping, 1 to 3 numbers: c0, and c1, c2 of c0 + c1 x + c2 x^2.  0 or -1. */
int perp_mjcf_read_line(const perp_mjcf_reader *r, const char *word, double *line, double *more);
int perp_mjcf_read_most(const perp_mjcf_reader *r, double *range);
/* One more actuator, times its gear. */
void perp_mjcf_gather(perp_mjcf_total *total, const perp_mjcf_total *one, double gear);
/* Along joints and tendons with an actuatorfrcrange, after all actuators: 0 or -1. */
int perp_mjcf_settle(perp_mjcf *m);
/* A constant force along a joint: 0 or -1. */
int perp_mjcf_push_joint(perp_mjcf *m, perp_robot_joint *joint, double force);
/* Armature and damping of actuators, to those of their joints and tendons: early, the armatures of
 * joints, by which springs are tuned; then the rest: 0 or -1. */
int perp_mjcf_reflect(perp_mjcf *m, int early);
/* After the actuators: what acts along fixed tendons. */
int perp_mjcf_apply_tendons(perp_mjcf *m);
int perp_mjcf_read_actuators(perp_mjcf *m);
int perp_mjcf_read_sensors(perp_mjcf *m);
/* The keyframe that is asked for: places and speeds of joints, controls. */
int perp_mjcf_read_start(perp_mjcf *m);
/* What the actuators do, with the controls that they have. */
int perp_mjcf_apply_actuators(perp_mjcf *m);

#endif
