/* SPDX-License-Identifier: BSD-3-Clause */
/* Scenes of rigid bodies in one description that any engine can be given: shapes, masses, joints,
 * a material, a step.  The catalogue has those that simulations get wrong; perp bench scenes runs
 * them, bench/trust shares their geometry.
 *
 *     rigid_scene scene;
 *     if (rigid_scene_make(&scene, "wall:10") == RIGID_MADE)
 *         ...
 *     rigid_scene_free(&scene);
 *
 * Units: m, kg, s.  The z axis points up. */
#ifndef PERP_GENERATORS_RIGID_SCENE_H
#define PERP_GENERATORS_RIGID_SCENE_H

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum rigid_shape { RIGID_BARE, RIGID_SPHERE, RIGID_BOX, RIGID_HULL } rigid_shape;

typedef struct rigid_body {
    char name[24];
    rigid_shape shape; /* about shape_at, along the axes of the body; RIGID_BARE touches nothing */
    double radius;
    double half[3];     /* of a hull: of the box about it */
    double shape_at[3]; /* centre of the shape from the centre of mass, in the body's axes */
    /* RIGID_HULL: its vertices about shape_at, and directions by which overlaps are seen, normals
     * of its faces, then its edges, one of each that are parallel; one block, which the scene
     * frees. */
    double (*vertex)[3], (*axis)[3];
    int vertices, faces, edges;
    double mass;          /* > 0 */
    double inertia[3];    /* principal, along the axes of the body */
    double position[3];   /* of the centre of mass */
    double quaternion[4]; /* unit, scalar first: body axes to world axes */
    double velocity[3];   /* world axes */
    double angular[3];    /* world axes */
} rigid_body;

/* Solid where normal . x <= offset. */
typedef struct rigid_plane {
    double normal[3]; /* unit */
    double offset;
} rigid_plane;

/* What acts on the coordinate of a joint: the angle of a hinge about its axis, the way of a slider
 * along it, of body a against b, 0 at the start. */
typedef enum rigid_drive_kind {
    RIGID_FREE,
    RIGID_FORCE, /* `largest`, a force or a torque with its sign */
    RIGID_SPEED, /* `speed`, as far as a force of `largest` goes */
    RIGID_TARGET /* goes to `target` with at most `speed` and `acceleration`, and stays there */
} rigid_drive_kind;
typedef struct rigid_drive {
    rigid_drive_kind kind;
    double largest, speed, target, acceleration;
    int limited; /* 1: the coordinate stays between low and high */
    double low, high;
} rigid_drive;

/* Bodies that are joined do not touch each other. */
typedef enum rigid_joint_kind {
    RIGID_BALL,
    RIGID_HINGE,
    RIGID_DISTANCE,
    RIGID_SLIDER
} rigid_joint_kind;
typedef struct rigid_joint {
    rigid_joint_kind kind;
    int a, b;          /* bodies; b = -1: the world */
    double at[3];      /* anchor, world axes at the start */
    double at_b[3];    /* RIGID_DISTANCE: the anchor on b; their distance is kept */
    double axis[3];    /* RIGID_HINGE, RIGID_SLIDER: unit */
    rigid_drive drive; /* of these two */
} rigid_joint;

/* What is compared with a closed form or a published value, beside what is measured of all scenes;
 * `expected` says how much it should be. */
typedef enum rigid_law {
    RIGID_LAW_NONE,
    RIGID_LAW_ACCELERATION, /* of body `watched` along `along`, from its way over the whole time */
    RIGID_LAW_SPEED,        /* of body `watched` along `along` at the end */
    RIGID_LAW_PRECESSION,   /* rate at which the place of body `watched` turns about the z axis */
    RIGID_LAW_TURNING,      /* the same of its velocity */
    RIGID_LAW_STOPPED,      /* 1: body `watched` ends before the plane x = `place`, 0: behind it */
    RIGID_LAW_WAVE,         /* speed at which boxes fall one after the other, over sqrt(g height) */
    RIGID_LAW_RUN_OUT,      /* (r - r0)/r0, r the radius that holds 95 % of the bodies */
    RIGID_LAW_COLLAPSED,    /* 1 where a body fell, 0 where none did */
    RIGID_LAW_WAY,          /* of body `watched` along `along` */
    RIGID_LAW_CREEP,        /* from t = `place` to the end, of body `watched` in the frame of body
                               `reference`, um/s */
    RIGID_LAW_AXIS          /* z component of the axis of body `watched` that was up at the start */
} rigid_law;
/* What it is, with its unit. */
const char *rigid_law_title(rigid_law law);

typedef struct rigid_scene {
    char name[64], title[120];
    int number; /* in the list of docs/notes/scenes.md */
    double gravity[3];
    double mu, e;
    double rolling; /* a length: moments against rolling are at most this times the normal force */
    double h, until;
    int rests; /* 1: nothing should move */
    rigid_law law;
    int watched, reference;
    double along[3], place, expected; /* expected: NaN where there is no closed form */
    rigid_body *body;
    rigid_plane *plane;
    rigid_joint *joint;
    int bodies, planes, joints;
    int capacity[3];
    int failed; /* no memory: what was added later is not there */
} rigid_scene;

/* Families by number, NULL past the end: one line each of the catalogue. */
typedef struct rigid_family {
    const char *name, *title;
    int number;
    const char *count_text, *size_text; /* what the parameters are; NULL: it has none */
    int count, most;                    /* default and largest number */
    double size, size_least, size_most;
    void (*fill)(rigid_scene *scene, int count, double size);
} rigid_family;
const rigid_family *rigid_family_at(int k);
/* Names of the scenes that are run where none is asked for; NULL past the end. */
const char *rigid_scene_at(int k);

/* By name: "wall", "wall:10", "chain:20:1e6": family, number, size; what is left out is the
 * default.  message: why not, one sentence (may be NULL). */
typedef enum rigid_made { RIGID_MADE, RIGID_UNKNOWN, RIGID_NO_MEMORY } rigid_made;
rigid_made rigid_scene_make(rigid_scene *scene, const char *name, char *message, size_t size);
void rigid_scene_free(rigid_scene *scene);

/* For peers in other languages: one JSON object; 0, or -1 where the stream has an error. */
int rigid_scene_write(FILE *f, const rigid_scene *scene);

/* Parts of scenes.  Each returns the number of what was added, or -1 without memory. */
int rigid_add_plane(rigid_scene *scene, double nx, double ny, double nz, double offset);
int rigid_add_sphere(rigid_scene *scene, const char *name, double radius, double mass,
                     const double at[3]);
/* Turned by `turn` about the y axis, then shifted. */
int rigid_add_box(rigid_scene *scene, const char *name, const double sides[3], double mass,
                  const double at[3], double turn);
/* The convex hull of up to RIGID_HULL_POINTS points (3 numbers each), filled evenly.  They are
 * given in axes that are principal ones of it; their origin is put at `at`, turned by `turn` about
 * the y axis. */
enum { RIGID_HULL_POINTS = 24 };
int rigid_add_hull(rigid_scene *scene, const char *name, const double (*point)[3], int points,
                   double density, const double at[3], double turn);
/* Without a shape. */
int rigid_add_bare(rigid_scene *scene, const char *name, double mass, const double inertia[3],
                   const double at[3], double turn);
int rigid_add_joint(rigid_scene *scene, rigid_joint_kind kind, int a, int b, const double at[3]);
/* name of "stem-k". */
typedef struct rigid_name {
    char text[24];
} rigid_name;
rigid_name rigid_numbered(const char *stem, int k);

/* The families: rigid_stacks.c, rigid_arches.c, rigid_linkages.c, rigid_machines.c, rigid_heaps.c,
 * rigid_motions.c. */
void rigid_fill_heavy(rigid_scene *scene, int count, double ratio);
void rigid_fill_ramp(rigid_scene *scene, int count, double degrees);
void rigid_fill_wall(rigid_scene *scene, int count, double speed);
void rigid_fill_cards(rigid_scene *scene, int levels, double cubes);
void rigid_fill_pyramid(rigid_scene *scene, int count, double size);
void rigid_fill_dominoes(rigid_scene *scene, int count, double size);
void rigid_fill_arch(rigid_scene *scene, int count, double speed);
void rigid_fill_thin_arch(rigid_scene *scene, int count, double ratio);
void rigid_fill_chain(rigid_scene *scene, int count, double mass);
void rigid_fill_four_bar(rigid_scene *scene, int points, double size);
void rigid_fill_loops(rigid_scene *scene, int count, double size);
void rigid_fill_top(rigid_scene *scene, int count, double rate);
void rigid_fill_tippe_top(rigid_scene *scene, int count, double rate);
void rigid_fill_grasp(rigid_scene *scene, int count, double force);
void rigid_fill_machine(rigid_scene *scene, int count, double rate);
void rigid_fill_turntable(rigid_scene *scene, int count, double rate);
void rigid_fill_heap(rigid_scene *scene, int count, double size);
void rigid_fill_column(rigid_scene *scene, int count, double aspect);
void rigid_fill_grains(rigid_scene *scene, int count, double aspect);
void rigid_fill_cradle(rigid_scene *scene, int count, double gap);
void rigid_fill_rod(rigid_scene *scene, int count, double mu);
void rigid_fill_backspin(rigid_scene *scene, int count, double spin);
void rigid_fill_bullet(rigid_scene *scene, int count, double speed);
void rigid_fill_rolling(rigid_scene *scene, int count, double mu);

#ifdef __cplusplus
}
#endif
#endif
