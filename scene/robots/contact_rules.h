/* SPDX-License-Identifier: BSD-3-Clause */
/* Which shapes may touch, and how rough they are: the rules of a model in the words of a scene,
 * which has materials, masks, groups whose members never touch, and pairs of bodies that never do. */
#ifndef PERP_SCENE_ROBOTS_CONTACT_RULES_H
#define PERP_SCENE_ROBOTS_CONTACT_RULES_H

#include "scene/robots/links.h"

typedef struct perp_contact_material {
    double mu, torsion, rolling, e;
    double margin;              /* 0 where no shape has one below 0 */
    int condim, priority, pair; /* pair: the number of an explicit pair + 1, of one of its shapes */
} perp_contact_material;

enum { PERP_CONTACT_BITS = 31 }; /* of the masks of a scene */

typedef struct perp_contact_rules {
    int *category, *meets; /* masks of each shape; both 0: it touches nothing */
    int masked;            /* not all are 1 */
    unsigned char *paired; /* shapes of explicit pairs */
    perp_name_index known_apart;
    int *material; /* of each shape */
    int *group;    /* of each shape, 0: none */
    int *touches;  /* of each shape, 0: nothing ever touches it */
    perp_contact_material *list;
    int count, capacity;
    perp_robot_pair
        *apart; /* links that never touch; -2 - b: what stands of body b, -1: the world */
    int napart, apart_capacity;
} perp_contact_rules;

int perp_contact_rules_make(perp_contact_rules *rules, perp_robot *robot,
                            const perp_robot_links *links);
typedef struct perp_contact_law {
    double mu, torsion, rolling, e; /* mu 0: no friction */
    double skin;                    /* at most 0 */
} perp_contact_law;
/* Of two materials. */
void perp_contact_rules_law(perp_contact_law *law, const perp_contact_rules *rules,
                            const perp_robot *robot, int a, int b);

#endif
