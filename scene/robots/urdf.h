/* SPDX-License-Identifier: BSD-3-Clause */
/* What the parts of the reader of URDF share. */
#ifndef PERP_SCENE_ROBOTS_URDF_H
#define PERP_SCENE_ROBOTS_URDF_H

#include "scene/robots/robot.h"

typedef struct perp_urdf {
    perp_robot *robot;
    perp_robot_job *job;
    const perp_xml **links, **joints;
    int nlinks, njoints, links_capacity, joints_capacity;
    perp_name_index link_names, joint_names;
    int *parent; /* of links: the joint above, -1 */
    int *body;   /* of links, once they are made */
    int *made;   /* of joints: the robot's, -1: fixed */
} perp_urdf;

/* Exactly n numbers of an attribute; values stay where it is absent: 1, 0 where it is, -1. */
int perp_urdf_numbers(perp_urdf *u, const perp_xml *at, const char *attribute, double *values,
                      int n);
/* The same, where absence is an error: 0 or -1. */
int perp_urdf_needed(perp_urdf *u, const perp_xml *at, const char *attribute, double *values,
                     int n);
/* <origin xyz rpy> of an element. */
int perp_urdf_origin(perp_urdf *u, const perp_xml *up, perp_pose *pose);
/* A number by its name; -1. */
int perp_urdf_find(const perp_name_index *index, const char *name);

/* Of a link: its mass, and its shapes. */
int perp_urdf_inertial(perp_urdf *u, const perp_xml *link, perp_robot_body *body);
int perp_urdf_collisions(perp_urdf *u, const perp_xml *link, int body);

/* The joint of the robot, after its body; and what it follows, when all joints are made. */
int perp_urdf_joint(perp_urdf *u, int j, int body);
int perp_urdf_mimic(perp_urdf *u, int j);

#endif
