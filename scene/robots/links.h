/* SPDX-License-Identifier: BSD-3-Clause */
/* The rigid parts of a robot where it starts: bodies without joints belong to the one that carries
 * them, and several joints in a row have a small part between each two. */
#ifndef PERP_SCENE_ROBOTS_LINKS_H
#define PERP_SCENE_ROBOTS_LINKS_H

#include "scene/robots/inertia.h"

/* Mass and inertia of a part without a mass of its own, between two joints, in those of what it
 * carries.  A motion changes by as much. */
#define PERP_ROBOT_SMALL 1e-7

typedef struct perp_robot_link {
    int body;   /* the one that gives it its name and its axes */
    int joint;  /* to its parent; -1: none, it is free */
    int parent; /* number of a link, less than its own; -1: the world */
    int small;
    perp_pose pose;                 /* of its frame */
    perp_robot_lump lump;           /* in the world's axes */
    double velocity[3], angular[3]; /* of the centre, in the world */
    double lift;                    /* of its weight, in units of mass */
    int lifts_apart; /* or each of its bodies by itself, not in the centre of mass of all */
    double anchor[3], axis[3]; /* of the joint, in the world */
    const char *name;          /* in the scene */
} perp_robot_link;

typedef struct perp_robot_links {
    perp_robot_link *link;
    int count, capacity;
    int *carrier;    /* of each body: its link, -1: it stands */
    perp_pose *pose; /* of each body, in the world */
} perp_robot_links;

/* 0 or -1. */
int perp_robot_make_links(perp_robot_links *links, perp_robot *robot);

#endif
