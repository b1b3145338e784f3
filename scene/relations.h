/* SPDX-License-Identifier: BSD-3-Clause */
/* Relations of a scene.  Each reader gets the systems that take part and the law, sets
 * def->relation and may leave def->law as it is; rows follow from the relation or the law. */
#ifndef PERP_SCENE_RELATIONS_H
#define PERP_SCENE_RELATIONS_H

#include "scene/scene.h"

typedef struct perp_run_link {
    perp_run_scene *scene;
    perp_run_system **systems;
    int nsystems, entries; /* entries of all states together */
    int has_law;
    perp_interaction_def def;
} perp_run_link;

typedef int (*perp_run_relation_reader)(perp_run_link *link, const perp_run_node *at);
int perp_run_read_linear(perp_run_link *link, const perp_run_node *at);
int perp_run_read_point_line(perp_run_link *link, const perp_run_node *at);
int perp_run_read_disc_line(perp_run_link *link, const perp_run_node *at);
int perp_run_read_disc_disc(perp_run_link *link, const perp_run_node *at);
int perp_run_read_distance(perp_run_link *link, const perp_run_node *at);
int perp_run_read_sphere_plane(perp_run_link *link, const perp_run_node *at);
int perp_run_read_sphere_sphere(perp_run_link *link, const perp_run_node *at);
int perp_run_read_joint(perp_run_link *link, const perp_run_node *at);

int perp_run_read_law(perp_law *law, const perp_run_node *at);
/* Refuses another number of systems than `count`, or of another kind. */
int perp_run_want(const perp_run_link *link, const perp_run_node *at, int count,
                  perp_run_kind kind);
/* Refuses a law with another number of rows than 1 or `rows`. */
int perp_run_want_rows(const perp_run_link *link, const perp_run_node *at, int rows);
/* Reads "normal" (dim numbers, made a unit vector) and "offset". */
int perp_run_read_normal(double *normal, double *offset, int dim, const perp_run_node *at);

#endif
