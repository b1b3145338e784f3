/* SPDX-License-Identifier: BSD-3-Clause */
/* A robot as the text of a scene. */
#ifndef PERP_SCENE_ROBOTS_DOCUMENT_H
#define PERP_SCENE_ROBOTS_DOCUMENT_H

#include "scene/robots/contact_rules.h"
#include "scene/robots/names.h"
#include "scene/robots/text_writer.h"

typedef struct perp_robot_document {
    perp_robot *robot;
    perp_robot_links *links;
    perp_contact_rules rules;
    perp_text_writer out;
    perp_robot_names names;
    const char **joint_name;       /* of joints in the scene */
    const char **rotor;            /* of joints with an armature */
    int *link_of;                  /* of joints: the link that they move */
    int *coordinate;               /* of joints: 1 where the scene has its angle or slide */
    int *first_shape, *next_shape; /* shapes of each link, as a list; -1: none */
    int *first_still;              /* the same of what stands: of the world, of each body */
    const char **still_name;       /* of shapes that stand: the body that they are in the scene */
} perp_robot_document;

/* The text, in memory of the job; NULL after a failure. */
const char *perp_robot_document_text(perp_robot *robot);

/* Its parts, a file of ours each. */
void perp_document_bodies(perp_robot_document *d);
void perp_document_joints(perp_robot_document *d);
/* All names of two sides (perp_contact_rules) as pairs of a list that begins with the first one. */
void perp_document_pair(perp_robot_document *d, int a, int b, int *first);
/* The beginning of one more interaction, of which there were *count. */
void perp_document_begin(perp_robot_document *d, int *count);
/* "systems": one or two links; b -1: the world. */
void perp_document_systems(perp_robot_document *d, int a, int b);
/* The beginning of one more force. */
void perp_document_begin_force(perp_robot_document *d, int *count);
/* What acts on free and ball joints; forces on bodies; friction and moments of those joints as
 * rows. */
void perp_document_passive_forces(perp_robot_document *d, int link, int *count);
void perp_document_pushes(perp_robot_document *d, int *count);
/* Drag of all bodies in the fluid of the model, where there is one. */
void perp_document_fluid(perp_robot_document *d, int *count);
/* From the frame of a body into that of its link, which has the axes of another one where they are
 * held together. */
void perp_document_into_link(double *out, const perp_robot_document *d, int body, const double *x,
                             int is_place);
void perp_document_passive_rows(perp_robot_document *d, int link, int *count);
/* A sum of joints: side 0: it is `low`, 1: at least `low`, -1: at most `high`. */
void perp_document_sum(perp_robot_document *d, const perp_robot_sum *sum, int side, int *count);
/* A path whose parts lie in frames of links, which `body` counts as `link` has them. */
typedef struct perp_document_path {
    perp_path_part *parts;
    double (*axis)[3], (*side)[3]; /* of round shapes and axes, in those frames */
    int count, *link, nlinks;
} perp_document_path;
int perp_document_find_path(perp_document_path *path, const perp_robot_document *d,
                            const perp_robot_path *of);
/* Its length and rate at the start, and the sum of (gradient)^2 / mass as if its links were free.
 */
int perp_document_start_of_path(const perp_document_path *path, const perp_robot_document *d,
                                double *length, double *rate, double *ease);
/* The beginning of a row on factor times its length, with `rotor` less its coordinate. */
void perp_document_write_path(perp_robot_document *d, const perp_document_path *path,
                              const char *name, const char *rotor, double factor, int *count);
/* All sums of the robot, and what ties those along which something acts to their coordinates. */
void perp_document_sums(perp_robot_document *d, int *count);
/* A function of time, or a number where it is one. */
void perp_document_write_table(perp_text_writer *w, const perp_robot_table *table);
/* Muscles and forces that change along sums. */
void perp_document_sum_forces(perp_robot_document *d, int *count);
/* The armature of a joint: a rotor, and what ties it to the joint; the section "systems" of all. */
void perp_document_rotor(perp_robot_document *d, int joint, int *count);
void perp_document_rotors(perp_robot_document *d);
/* angle, rate, torque as the quantity of this joint is called. */
const char *perp_document_word(const perp_robot_document *d, int joint, const char *field);

#endif
