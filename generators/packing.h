/* SPDX-License-Identifier: BSD-3-Clause */
/* Rigid bodies, contacts and ball joints, and the global problem of one step. */
#ifndef PERP_GENERATORS_PACKING_H
#define PERP_GENERATORS_PACKING_H

#include <perp/io.h>

#include "core/rng.h"

/* In 2D: x and the velocity use their first two entries, spin[0] is the angular
 * velocity and inertia[0] the moment of inertia. */
typedef struct perp_body {
    double x[3];   /* centre of mass */
    double radius; /* of a ball, else 0 */
    double mass;
    double inertia[6]; /* xx yy zz xy xz yz, about the centre, in the fixed frame */
    double velocity[3];
    double spin[3];
} perp_body;

/* Body b may be -1: the ground.  The arms go from the centres to the common point. */
typedef struct perp_touch {
    int a, b;
    double frame[3][3]; /* normal from b to a, then the tangents */
    double arm_a[3], arm_b[3];
} perp_touch;

typedef struct perp_joint {
    int a, b;
    double arm_a[3], arm_b[3];
} perp_joint;

typedef struct perp_packing {
    int spacedim;
    double mu_r; /* rolling friction of every contact, a length; negative: contacts do not resist
                    rolling and have no rows for it */
    double mu_s; /* torsional friction in the same way, in space */
    int bodies, touches, joints;
    int capacity[3]; /* for bodies, touches, joints */
    perp_body *body;
    perp_touch *touch;
    perp_joint *joint;
    perp_rng rng;
    perp_allocator allocator;
    perp_status status; /* PERP_SOLVED until an addition fails; later ones do nothing */
} perp_packing;

/* allocator NULL: malloc and free. */
void perp_packing_init(perp_packing *scene, int spacedim, uint64_t seed,
                       const perp_allocator *allocator);
void perp_packing_free(perp_packing *scene);

/* Returns the number of the new body, or -1 when the scene has failed. */
int perp_packing_add_body(perp_packing *scene, const perp_body *body);
/* The normal (unit length) points from b to a; the tangents are chosen here. */
void perp_packing_add_touch(perp_packing *scene, int a, int b, const double normal[3],
                            const double arm_a[3], const double arm_b[3]);
/* Contact at a point of space. */
void perp_packing_add_touch_at(perp_packing *scene, int a, int b, const double normal[3],
                               const double point[3]);
/* The velocities of a and b agree at the point: spacedim bilateral rows. */
void perp_packing_add_joint_at(perp_packing *scene, int a, int b, const double point[3]);

/* Random velocities, zero mean, of the given standard deviations. */
void perp_packing_shake(perp_packing *scene, double linear, double angular);

/* Rows of a contact: spacedim, and with rolling those of the relative angular velocity
 * about the tangents (in 2D about the one axis there is), with torsion that about the normal. */
int perp_packing_rows(const perp_packing *scene);

/* The step's problem; on error *file is NULL. */
perp_status perp_packing_to_file(perp_problem_file **file, const perp_packing *scene, double mu,
                                 double restitution, const char *title);

/* About normal: zero mean, variance 1, within 6 of 0; a sum of 12 uniforms, so
 * the same bits everywhere. */
double perp_rng_normal(perp_rng *rng);

#endif
