/* SPDX-License-Identifier: BSD-3-Clause */
/* Relations of a scene.  Each reader gets the systems that take part and the law, sets
 * def->relation and may leave def->law as it is; rows follow from the relation or the law. */
#ifndef PERP_SCENE_RELATIONS_H
#define PERP_SCENE_RELATIONS_H

#include "scene/scene_inside.h"

typedef struct perp_scene_link {
    perp_scene *scene;
    perp_scene_member **systems;
    int nsystems, entries; /* entries of all states together */
    int has_law;
    perp_contact_fn
        touch; /* where the relation acts, with its user; NULL: no point, or that of `def` */
    const perp_scene_end *ends; /* two points whose distance matters; NULL: none */
    perp_interaction_def def;
} perp_scene_link;

typedef int (*perp_scene_relation_reader)(perp_scene_link *link, const perp_scene_node *at);
int perp_scene_read_linear(perp_scene_link *link, const perp_scene_node *at);
int perp_scene_read_point_line(perp_scene_link *link, const perp_scene_node *at);
int perp_scene_read_disc_line(perp_scene_link *link, const perp_scene_node *at);
int perp_scene_read_disc_disc(perp_scene_link *link, const perp_scene_node *at);
int perp_scene_read_rate(perp_scene_link *link, const perp_scene_node *at);
int perp_scene_read_distance(perp_scene_link *link, const perp_scene_node *at);
/* Of points of bodies in space, kept apart or together by a law of impact. */
int perp_scene_read_body_distance(perp_scene_link *link, const perp_scene_node *at);
int perp_scene_read_sphere_plane(perp_scene_link *link, const perp_scene_node *at);
int perp_scene_read_sphere_sphere(perp_scene_link *link, const perp_scene_node *at);
int perp_scene_read_curve(perp_scene_link *link, const perp_scene_node *at);
int perp_scene_read_path(perp_scene_link *link, const perp_scene_node *at);
int perp_scene_read_coupling(perp_scene_link *link, const perp_scene_node *at);
int perp_scene_read_joint(perp_scene_link *link, const perp_scene_node *at);
/* gears.c: "gear" between coordinates of joints that were read before; the coupling of a screw,
 * once its joint was noted. */
int perp_scene_read_gear(perp_scene *scene, const perp_scene_node *at);
/* The joint behind the key, and which of its coordinates; NULL after a message. */
const perp_scene_named_interaction *perp_scene_joint_coordinate(int *is_angle, perp_scene *scene,
                                                                const perp_scene_node *at,
                                                                const char *key);
int perp_scene_add_screw(const perp_scene_link *link, const perp_scene_node *at);
/* Keys of a joint that are not its own: limits, motors and the like of its coordinates. */
extern const char perp_scene_coordinate_keys[];
/* Adds the interactions that they stand for, once the joint itself was noted. */
int perp_scene_read_coordinates(const perp_scene_link *link, const perp_scene_node *at);
/* Notes an interaction that was made; the caller may fill in more. */
perp_scene_named_interaction *perp_scene_note_interaction(const perp_scene_link *link,
                                                          const char *name, perp_interaction_id id);

int perp_scene_read_law(perp_scene *scene, perp_law *law, perp_scene_timed_law **timed,
                        const perp_scene_node *at);
/* Lists of bounds of a box, one for each row of the relation, into it. */
int perp_scene_read_row_bounds(perp_scene_link *link, const perp_scene_node *at);
/* Keys of laws of contact beside e and mu: the compliance (length per force) and the damping (force
 * per speed) of a spring along the normal, and relative_compliance.  Read into a law that has e. */
#define PERP_SCENE_COMPLIANCE "compliance damping relative_compliance"
int perp_scene_read_compliance(perp_law *law, const perp_scene_node *at);
/* A motor, and a servo by stiffness or by speed and acceleration; `force` is the key of the largest
 * force, `more` are keys that are somebody else's.  The speed or the target may be a function of
 * time: then *timed is made. */
int perp_scene_read_motor(perp_scene *scene, perp_law *law, perp_scene_timed_law **timed,
                          const perp_scene_node *at, const char *force, const char *more);
/* Of a servo beside a turn-spring with lag: the stiffness and the armature of that, 0: none. */
int perp_scene_read_lag(double lag[2], const perp_scene_node *at);
int perp_scene_read_servo(perp_scene *scene, perp_law *law, perp_scene_timed_law **timed,
                          const perp_scene_node *at, const char *force, const char *more);
/* Refuses another number of systems than `count`, or of another kind. */
int perp_scene_want(const perp_scene_link *link, const perp_scene_node *at, int count,
                    perp_scene_kind kind);
/* Refuses a law with another number of rows than 1 or `rows`. */
int perp_scene_want_rows(const perp_scene_link *link, const perp_scene_node *at, int rows);
/* Reads "normal" (dim numbers, made a unit vector) and "offset". */
int perp_scene_read_normal(double *normal, double *offset, int dim, const perp_scene_node *at);

#endif
