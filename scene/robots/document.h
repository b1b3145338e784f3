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
    const char **joint_name; /* of joints in the scene */
    int *coordinate;         /* of joints: 1 where the scene has its angle or slide */
    int *first_shape, *next_shape;  /* shapes of each link, as a list; -1: none */
    const char **still_name;        /* of shapes that stand: the body that they are in the scene */
} perp_robot_document;

/* The text, in memory of the job; NULL after a failure. */
const char *perp_robot_document_text(perp_robot *robot);

/* Its parts, a file of ours each. */
void perp_document_bodies(perp_robot_document *d);
void perp_document_joints(perp_robot_document *d);
/* All names of two sides (perp_contact_rules) as pairs of a list that begins with the first one. */
void perp_document_pair(perp_robot_document *d, int a, int b, int *first);
/* angle, rate, torque as the quantity of this joint is called. */
const char *perp_document_word(const perp_robot_document *d, int joint, const char *field);

#endif
