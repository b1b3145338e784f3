/* SPDX-License-Identifier: BSD-3-Clause */
/* A robot between the file that it was read from and the scene that is made of it: a tree of bodies
 * with joints, masses and shapes.  Both readers, of URDF and of MJCF, fill it. */
#ifndef PERP_SCENE_ROBOTS_ROBOT_H
#define PERP_SCENE_ROBOTS_ROBOT_H

#include "scene/muscle.h"
#include "scene/path_length.h"
#include "scene/robots/name_index.h"
#include "scene/pose.h"
#include "scene/robots/xml.h"

typedef enum perp_robot_form {
    PERP_ROBOT_PLANE, /* through its place, free where its z is positive */
    PERP_ROBOT_SPHERE,
    PERP_ROBOT_CAPSULE,
    PERP_ROBOT_ELLIPSOID,
    PERP_ROBOT_CYLINDER,
    PERP_ROBOT_BOX,
    PERP_ROBOT_MESH,
    PERP_ROBOT_FIELD /* of heights over a grid, of what stands */
} perp_robot_form;

/* A mesh: its file, or its points. */
typedef struct perp_robot_mesh {
    const char *name;
    const perp_xml *at;
    const char *file; /* NULL: the points alone */
    double scale[3];
    perp_pose pose; /* of the points in the frame that the model means */
    const double *points;
    int npoints;
    const int *triangles; /* NULL: a hull is meant */
    int ntriangles;
    int loaded, weighed;
    const char *weight;                  /* how it weighs: convex, exact, legacy, shell; NULL */
    const char *wanted;                  /* the file, as the model names it */
    int told;                            /* that it is not there, and not needed */
    int lost, outside;                   /* it is not there, or not where files may be read */
    double volume, centre[3], second[9]; /* of density 1; second: inertia about the centre */
} perp_robot_mesh;

/* Heights row by row, along x, the middle of the grid in the origin. */
typedef struct perp_robot_field {
    const char *name;
    const perp_xml *at;
    int rows, columns, lost; /* lost: it could not be read */
    double *height, spacing[2];
} perp_robot_field;

typedef struct perp_robot_geom {
    const char *name;
    const perp_xml *at;
    int body;
    perp_robot_form form;
    perp_pose pose; /* in the body */
    double size[3]; /* radius; half length in [1]; half axes; half sides */
    perp_robot_mesh *mesh;
    const perp_robot_field *field;
    double mass; /* >= 0 */
    int shell;   /* its mass is on its surface */
    int weighs;  /* its mass counts where the body's follows from its shapes */
    double mu, torsion, rolling, e, margin;
    int condim, contype, conaffinity, priority;
    int slender; /* an ellipsoid in a fluid, with these coefficients */
    double flow[5];
    int bits_matter;   /* contype and conaffinity say what it touches */
    double surface[6]; /* of one that stands: its velocity and spin, in its frame */
} perp_robot_geom;

typedef struct perp_robot_body {
    const char *name;
    const perp_xml *at;
    int parent;     /* number, less than its own; -1: the world */
    perp_pose pose; /* in the parent, with all joints where the model has them */
    int has_inertial;
    double mass, centre[3], inertia[9]; /* about the centre, in the axes of the body */
    double axes[4];                     /* of an MJCF: the turn to its principal axes */
    double lift;                        /* the part of its weight that is taken away */
    double lost;                        /* mass of shapes that are not there */
    int slender;                        /* its drag in a fluid is of another kind than boxes */
    int still;                          /* moved by nothing but a program: it stands */
    perp_pose modelled;                 /* of one that a keyframe has moved */
    int moved;
    int first_joint, joints;
} perp_robot_body;

typedef enum perp_robot_motion {
    PERP_ROBOT_FREE,
    PERP_ROBOT_BALL,
    PERP_ROBOT_SLIDE,
    PERP_ROBOT_HINGE,
    PERP_ROBOT_FLAT /* in the plane across its axis: x, y and the angle */
} perp_robot_motion;

typedef struct perp_robot_joint {
    const char *name;
    const perp_xml *at;
    int body;
    perp_robot_motion motion;
    double anchor[3], axis[3]; /* in the body, before it moves */
    int limited;
    double low, high, e;
    double stiffness, rest, damping, friction, armature;
    double bend[2], brake[2]; /* - (stiffness + bend[0] x + bend[1] x^2) x, x from the rest; the
                                 damper with the rate's absolute value */
    double response[2];       /* time constant and damping ratio that give both; 0: none */
    double reference;         /* its value where the model has it */
    double start, rate;       /* value and speed at the start */
    double pose[7];           /* FREE, BALL at the start: place, quaternion */
    double twist[6]; /* FREE: velocity, angular; BALL: angular in [3..5]; in the body's axes */
    int has_pose;    /* those were given */
    int placed;      /* its start follows from that of another one */
    double most_low, most; /* of what drives give together; most infinite: any */
    double speed_limit;    /* URDF; infinite: none */
    int lift_counts;       /* what takes weight away counts among them, as in MuJoCo */
    double load;           /* constant force or torque */
    double push[6]; /* constant: FREE a force in the world and a moment in its body; BALL: [3..5] */
    double elastic[3]; /* BALL: stiffness about the axes of the body, from where the model has it */
    int flat;          /* from where both bodies have the same axes */
    int wants_rotor;   /* something is tied to a coordinate of its own */
    int has_servo, holds;
    double servo_stiffness, servo_damping, target, servo_most;
    const struct perp_robot_table *targets; /* in place of the target; NULL: none */
} perp_robot_joint;

/* A ball joint that acts about three axes: a spring, an armature. */
static inline int perp_robot_has_axes(const perp_robot_joint *joint)
{
    return joint->motion == PERP_ROBOT_BALL &&
           joint->elastic[0] + joint->elastic[1] + joint->elastic[2] + joint->armature > 0.0;
}

typedef enum perp_robot_tie {
    PERP_ROBOT_CONNECT,
    PERP_ROBOT_WELD,
    PERP_ROBOT_COUPLE
} perp_robot_tie;
typedef struct perp_robot_equality {
    const char *name;
    const perp_xml *at;
    perp_robot_tie tie;
    int body[2];      /* -1: the world */
    double anchor[3]; /* CONNECT: in the first body */
    perp_pose pose;   /* WELD: of the second body in the first one, where has_pose */
    int has_pose;
    perp_pose site[2]; /* in the bodies: held together, where by_sites */
    int by_sites;
    int joint[2]; /* COUPLE: q0 = offset + ratio q1; the second may be -1 */
    double ratio, offset;
    int curved; /* q0 = a polynomial of q1 instead */
    double poly[5];
} perp_robot_equality;

/* A path: places in the frames of bodies, by their numbers. */
typedef struct perp_robot_path {
    perp_path_part *parts;
    int count;
} perp_robot_path;

/* A function of time, constant before and after its entries. */
typedef struct perp_robot_entry {
    double t, value;
} perp_robot_entry;
typedef struct perp_robot_table {
    perp_robot_entry *entries;
    int count, straight; /* straight between entries */
} perp_robot_table;

typedef struct perp_robot_muscle {
    perp_muscle muscle;
    perp_robot_table activation;
} perp_robot_muscle;

/* A sum of coefficients times joint coordinates, or a factor times the length of a path, low <= sum
 * <= high; or it is `low`.  load - stiffness sum - damping d(sum)/dt acts along it, and the
 * armature is a mass that it moves. */
enum { PERP_ROBOT_TERMS = 32 };
typedef struct perp_robot_sum {
    const char *name;
    const perp_xml *at;
    int joint[PERP_ROBOT_TERMS], terms;
    double factor[PERP_ROBOT_TERMS], low, high, e;
    const perp_robot_path *path; /* NULL: of joints */
    double path_factor;
    int equal;
    double stiffness, damping, armature, load;
    double bend[2], brake[2], rest; /* as those of joints, with a rest of their own */
    /* Or min(max(- drive_stiffness (sum - target) - drive_damping d(sum)/dt, most[0]), most[1])
     * acts along it, as a row. */
    int drives;
    double drive_stiffness, drive_damping, target, most[2];
    double friction;
    const perp_robot_muscle *muscle; /* NULL: none */
    const perp_robot_table *force;   /* along it; NULL: none */
    const char *rotor;               /* its coordinate in the scene, where something acts */
} perp_robot_sum;

/* A string between two points: low <= length <= high; and a spring with a damper along it. */
typedef struct perp_robot_string {
    const char *name;
    const perp_xml *at;
    int body[2];
    double place[2][3], low, high, e, stiffness, damping, rest, longest; /* at rest up to longest */
} perp_robot_string;

/* A constant force and moment on a body, in its frame. */
typedef struct perp_robot_push {
    const perp_xml *at;
    int body;
    double place[3], force[3], moment[3];
} perp_robot_push;

/* A spring and a damper of the rotation of one site against another one. */
typedef struct perp_robot_turn {
    const perp_xml *at;
    const struct perp_robot_site *site[2];
    double stiffness, damping;
    double spring[9], damper[9], load[3]; /* sums of what acts about axes of the second frame */
} perp_robot_turn;

typedef struct perp_robot_pair {
    const perp_xml *at;
    int a, b; /* bodies or shapes */
    double mu, torsion, rolling, margin;
    int condim;
} perp_robot_pair;

typedef struct perp_robot_site {
    const char *name;
    int body;
    perp_pose pose;
} perp_robot_site;

/* A quantity of a body (q, v, p), of a joint (angle, rate, torque, which slides name in their
 * way), or of all. */
typedef struct perp_robot_record {
    const char *field;
    int body, joint; /* -1: of none */
} perp_robot_record;

typedef struct perp_robot {
    perp_robot_job *job;
    const char *title;
    double step, gravity[3], e, mu;
    double density, viscosity, wind[3]; /* of the fluid around it; 0: none */
    int no_contacts, parents_touch;
    int one_robot;        /* a URDF: all of it is the robot, and joints start within their limits */
    int floats;           /* the root of a URDF, by its SRDF */
    const char *keyframe; /* one of an MJCF that nobody asked for; NULL: none */
    const struct perp_robot_links *links; /* of the text */
    size_t exclude_at; /* in the text: where more pairs that never touch would go; 0: no contacts */
    int excludes_none; /* it has none yet */
    perp_robot_body *bodies;
    perp_robot_joint *joints;
    perp_robot_geom *geoms;
    perp_robot_equality *equalities;
    perp_robot_string *strings;
    perp_robot_sum *sums;
    perp_robot_push *pushes;
    perp_robot_turn *turns;
    perp_robot_pair *excludes, *pairs;
    perp_robot_site *sites;
    perp_robot_record *records;
    perp_name_index body_names, joint_names, geom_names,
        site_names; /* catch up when they are asked */
    int nbodies, njoints, ngeoms, nequalities, nstrings, nsums, npushes, nturns, nexcludes, npairs,
        nsites, nrecords;
    int bodies_capacity, joints_capacity, geoms_capacity, equalities_capacity, strings_capacity,
        sums_capacity, pushes_capacity, turns_capacity, excludes_capacity, pairs_capacity,
        sites_capacity, records_capacity;
} perp_robot;

/* A new element at the end of a list of the robot, zeroed; NULL after a failure. */
#define PERP_ROBOT_ADD(robot, list)                                                                \
    perp_robot_add((robot)->job, (void **)&(robot)->list, &(robot)->n##list,                       \
                   &(robot)->list##_capacity, sizeof *(robot)->list)

int perp_robot_find_body(perp_robot *robot, const char *name);  /* -1 */
int perp_robot_find_joint(perp_robot *robot, const char *name); /* -1 */
int perp_robot_find_geom(perp_robot *robot, const char *name);  /* -1 */
const perp_robot_site *perp_robot_find_site(perp_robot *robot, const char *name);

/* The name of "NAME=VALUE"; NULL after a failure. */
const char *perp_robot_assignment(perp_robot_job *job, const char *text, double *value);

/* Readers: 0 or -1. */
int perp_robot_read_mjcf(perp_robot *robot, perp_xml *root);
int perp_robot_read_urdf(perp_robot *robot, perp_xml *root);
/* An SRDF: before the URDF, what holds its root; after it, the rest. */
void perp_robot_read_srdf_base(perp_robot *robot, const perp_xml *root);
int perp_robot_read_srdf(perp_robot *robot, const perp_xml *root);

#endif
