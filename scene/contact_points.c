/* SPDX-License-Identifier: BSD-3-Clause */
#include "scene/contact_points.h"

#include <string.h>

#include "scene/contact_section.h"

static int place_of(const perp_scene *scene, const perp_scene_member *s)
{
    int k = perp_scene_find_system(scene, s->name);

    if (k >= 0 && scene->systems[k] == s)
        return k;
    for (k = scene->nsystems - 1; k >= 0 && scene->systems[k] != s;)
        k--;
    return k;
}

int perp_scene_find_points(perp_scene *scene)
{
    int count = 0;

    for (int k = 0; k < scene->ninteractions; k++)
        count += scene->interactions[k].touch != NULL;
    scene->touch = perp_scene_take(scene, (size_t)count + 1, sizeof *scene->touch);
    if (scene->touch == NULL)
        return -1;
    for (int k = 0; k < scene->ninteractions; k++) {
        const perp_scene_named_interaction *noted = &scene->interactions[k];
        if (noted->touch == NULL)
            continue;
        perp_scene_touch *now = &scene->touch[scene->touches++];
        now->interaction = k;
        for (int i = 0; i < 2; i++)
            now->system[i] = i < noted->nsystems ? place_of(scene, noted->systems[i]) : -1;
    }
    return 0;
}

int perp_scene_has_contacts(const perp_scene *scene)
{
    return perp_scene_collider(scene) != NULL || scene->touches > 0;
}

int perp_scene_detected(const perp_scene *scene)
{
    const perp_collider *collider = perp_scene_collider(scene);

    return collider != NULL ? perp_collider_contacts(collider) : 0;
}

int perp_scene_contact_places(const perp_scene *scene)
{
    return perp_scene_detected(scene) + scene->touches;
}

static int read_detected(perp_scene_contact *c, const perp_scene *scene, int k)
{
    if (perp_collider_contact(perp_scene_collider(scene), k, &c->info) != PERP_SOLVED)
        return 0;
    if (perp_model_output(scene->model, c->info.interaction, NULL, &c->u, &c->lambda, &c->rows,
                          &c->active) != PERP_SOLVED)
        c->rows = 0;
    c->body[0] = perp_scene_body_of_shape(&c->shape[0], scene, c->info.first);
    c->body[1] = perp_scene_body_of_shape(&c->shape[1], scene, c->info.second);
    return 1;
}

static int is_body(const perp_scene_member *s)
{
    return s->kind == PERP_SCENE_BODY;
}

/* Of systems in the plane, discs have an angle that is theirs. */
static void add_spin(double *spin, double sign, const perp_scene_member *s, const double *q,
                     const double *v)
{
    double w[3] = {0.0, 0.0, 0.0};

    if (is_body(s))
        perp_quaternion_rotate(q + 3, v + 3, w);
    else if (s->dim == 2 && s->shape.form == PERP_SCENE_DISC)
        w[2] = v[2];
    for (int k = 0; k < 3; k++)
        spin[k] += sign * w[k];
}

static perp_contact_state state_of(const perp_scene_contact *c, double h)
{
    perp_law law = c->rows < 2 ? perp_law_impact(c->info.e)
                               : perp_law_friction(c->rows < 3 ? 2 : 3, c->info.e, c->info.mu);

    return perp_contact_state_of(&law, c->u, c->lambda, c->info.point.normal, c->info.spin, h);
}

/* Rows into vectors of the world. */
static void read_vectors(perp_scene_contact *c, int in_space)
{
    const double *n = c->info.point.normal;
    double frame[9] = {n[0], n[1], 0.0, -n[1], n[0]};

    if (in_space)
        perp_contact_frame(n, frame);
    for (int i = 0; i < c->rows && i < 3; i++)
        for (int k = 0; k < 3; k++) {
            c->info.velocity[k] += c->u[i] * frame[3 * i + k];
            c->info.impulse[k] += c->lambda[i] * frame[3 * i + k];
        }
}

static int read_touch(perp_scene_contact *c, const perp_scene *scene, const perp_scene_touch *touch)
{
    const perp_scene_named_interaction *noted = &scene->interactions[touch->interaction];
    double *q[2] = {NULL, NULL}, *v[2] = {NULL, NULL};

    if (perp_model_output(scene->model, noted->id, NULL, &c->u, &c->lambda, &c->rows, &c->active) !=
            PERP_SOLVED ||
        !(c->active || c->lambda[0] > 0.0))
        return 0;
    for (int i = 0; i < noted->nsystems && i < 2; i++) {
        if (perp_model_state(scene->model, noted->systems[i]->id, &q[i], &v[i], NULL, NULL) !=
            PERP_SOLVED)
            return 0;
        add_spin(c->info.spin, i == 0 ? 1.0 : -1.0, noted->systems[i], q[i], v[i]);
        c->body[i] = touch->system[i];
    }
    if (noted->touch(&c->info.point, perp_sim_time(scene->sim), q[0], q[1], NULL,
                     noted->touch_user) != 0)
        return 0;
    c->interaction = noted->name;
    c->info.interaction = noted->id;
    c->info.feature = -1;
    c->info.e = noted->e;
    c->info.mu = noted->mu;
    read_vectors(c, is_body(noted->systems[0]));
    c->info.state = state_of(c, perp_sim_info(scene->sim)->h);
    return 1;
}

int perp_scene_touch_acts(const perp_scene *scene, const perp_scene_touch *touch)
{
    const double *lambda;
    int active;

    return perp_model_output(scene->model, scene->interactions[touch->interaction].id, NULL, NULL,
                             &lambda, NULL, &active) == PERP_SOLVED &&
           (active || lambda[0] > 0.0);
}

int perp_scene_contact_at(perp_scene_contact *contact, const perp_scene *scene, int k)
{
    int detected = perp_scene_detected(scene);

    memset(contact, 0, sizeof *contact);
    contact->info.size = sizeof contact->info;
    for (int i = 0; i < 2; i++)
        contact->body[i] = contact->shape[i] = -1;
    return k < detected ? read_detected(contact, scene, k)
                        : read_touch(contact, scene, &scene->touch[k - detected]);
}

const char *perp_scene_contact_body(const perp_scene_contact *contact, const perp_scene *scene,
                                    int side)
{
    return contact->body[side] >= 0 ? scene->systems[contact->body[side]]->name : "";
}
