/* SPDX-License-Identifier: BSD-3-Clause */
/* What a text asks for that is a mistake more often than not: shapes that nothing makes touch,
 * bodies that all fall, moments of inertia that no body has, angles in degrees. */
#include <math.h>
#include <string.h>

#include "scene/pose.h"
#include "scene/scene_inside.h"

static const double turn = 6.283185307179586, least_limit = 15.0, step_of_degrees = 5.0;

static int has_shape(const perp_scene_member *s)
{
    return s->shape.form != PERP_SCENE_NO_SHAPE;
}

static int is_endless(const perp_scene_member *s)
{
    return s->fixed && s->shape.form == PERP_SCENE_PLANE;
}

static int has_contact_law(const perp_scene *scene)
{
    for (int k = 0; k < scene->ninteractions; k++) {
        perp_law_kind law = scene->interactions[k].law;
        if (scene->interactions[k].joint == NULL &&
            (law == PERP_LAW_IMPACT || law == PERP_LAW_FRICTION))
            return 1;
    }
    return 0;
}

/* A plane is there to be touched, and so is what stands still where nothing ties the others. */
static void note_no_contacts(perp_scene *scene)
{
    const perp_scene_member *ground = NULL, *moving = NULL;

    if (scene->contacts != NULL || has_contact_law(scene))
        return;
    for (int k = 0; k < scene->nsystems; k++) {
        const perp_scene_member *s = scene->systems[k];
        if (perp_scene_is_integrated(s) && has_shape(s) && moving == NULL)
            moving = s;
        if (ground == NULL && has_shape(s) && !perp_scene_is_integrated(s) &&
            (is_endless(s) || scene->ninteractions == 0))
            ground = s;
    }
    if (ground != NULL && moving != NULL)
        perp_scene_warn(scene, NULL,
                        "there is no section \"contacts\", so that shapes pass through each other: "
                        "'%s' does not touch '%s'",
                        moving->name, ground->name);
}

static int is_held(const perp_scene_member *s)
{
    return !perp_scene_is_integrated(s) || s->kind != PERP_SCENE_BODY || s->springs != NULL ||
           s->loads != NULL || s->muscles != NULL;
}

/* Contacts, gravity, and nothing that holds any of it up. */
static void note_all_fall(perp_scene *scene)
{
    int held = scene->nsystems < 2 || scene->contacts == NULL || scene->controllers != NULL;

    for (int k = 0; k < scene->nsystems && !held; k++) {
        const double *force = scene->systems[k]->force;
        held = is_held(scene->systems[k]);
        for (int i = 0; i < 3 && !held; i++)
            held = scene->gravity[i] != 0.0 && !(force[i] * scene->gravity[i] > 0.0);
    }
    for (int k = 0; k < scene->ninteractions && !held; k++)
        held = scene->interactions[k].nsystems < 2;
    if (!held && (scene->gravity[0] != 0.0 || scene->gravity[1] != 0.0 || scene->gravity[2] != 0.0))
        perp_scene_warn(scene, NULL,
                        "nothing stands still: by gravity all bodies fall for ever; a floor is a "
                        "body with the shape \"plane\"");
}

int perp_scene_check_inertia(perp_scene *scene, const perp_scene_node *at, const double *inertia)
{
    double moment[3];

    perp_tensor_eigenvalues(moment, inertia);
    if (!(moment[0] > 0.0))
        return perp_scene_fail(at, "its least principal moment, %.4g, is not positive", moment[0]);
    double largest = moment[2], others = moment[0] + moment[1];
    if (others > 0.0 && largest > (1.0 + 1e-6) * others)
        perp_scene_warn(scene, at,
                        "no body has such moments: the largest one, %.4g, is more than the others "
                        "together, %.4g; it moves as they say",
                        largest, others);
    return 0;
}

/* Rotation vectors of more than a whole turn. */
static void note_turns(perp_scene *scene)
{
    perp_scene_node root = perp_scene_root(scene), list = perp_scene_get(&root, "bodies");

    for (size_t k = 0; k < json_array_size(list.json); k++) {
        perp_scene_node body = perp_scene_at(&list, k), node = perp_scene_get(&body, "rotation");
        double square = 0.0;
        for (size_t i = 0; i < json_array_size(node.json); i++)
            square += pow(json_number_value(json_array_get(node.json, i)), 2.0);
        if (sqrt(square) > turn * (1.0 + 1e-9))
            perp_scene_warn(scene, &node, "its length is an angle in radians: %.4g are %.3g turns",
                            sqrt(square), sqrt(square) / turn);
    }
}

void perp_scene_note_angle(perp_scene *scene, const perp_scene_node *at, double angle)
{
    if (fabs(angle) >= least_limit && fabs(angle) <= 360.0 &&
        fmod(fabs(angle), step_of_degrees) == 0.0)
        perp_scene_warn(scene, at, "angles are in radians: %g are %.3g turns", angle, angle / turn);
}

void perp_scene_note_doubts(perp_scene *scene)
{
    note_turns(scene);
    note_no_contacts(scene);
    note_all_fall(scene);
}
