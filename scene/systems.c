/* SPDX-License-Identifier: BSD-3-Clause */
/* Systems: linear ones from their matrices, built-in ones by type; and their
 * addition to the model once forces are known. */
#include <math.h>
#include <string.h>

#include "scene/numbers.h"

static int read_first_order(perp_scene *scene, perp_scene_member *s, const perp_scene_node *at)
{
    perp_first_order_def *def = &s->as->first_order;
    perp_scene_node start = perp_scene_get(at, "x0");
    double *x0 = NULL;
    int n = -1;

    s->kind = PERP_SCENE_FIRST_ORDER;
    perp_first_order_def_init(def, sizeof *def);
    if (perp_scene_object(at, "name type x0 M A b") != 0 ||
        perp_scene_vector(scene, &x0, &n, at, "x0") != 0)
        return -1;
    if (x0 == NULL)
        return perp_scene_fail(&start, "missing");
    if (perp_scene_mat(scene, &def->M, &n, &n, at, "M") != 0 ||
        perp_scene_mat(scene, &def->A, &n, &n, at, "A") != 0 ||
        perp_scene_vector(scene, &s->force, &n, at, "b") != 0)
        return -1;
    def->n = s->nx = s->nv = n;
    def->x0 = x0;
    def->b = s->force;
    return 0;
}

static int read_lagrangian(perp_scene *scene, perp_scene_member *s, const perp_scene_node *at)
{
    perp_lagrangian_def *def = &s->as->lagrangian;
    perp_scene_node start = perp_scene_get(at, "q0");
    double *q0 = NULL, *v0 = NULL;
    int n = -1;

    if (perp_scene_object(at, "name type q0 v0 M C K F") != 0 ||
        perp_scene_vector(scene, &q0, &n, at, "q0") != 0)
        return -1;
    if (q0 == NULL)
        return perp_scene_fail(&start, "missing");
    if (perp_scene_vector(scene, &v0, &n, at, "v0") != 0 ||
        perp_scene_mat(scene, &def->M, &n, &n, at, "M") != 0 ||
        perp_scene_mat(scene, &def->C, &n, &n, at, "C") != 0 ||
        perp_scene_mat(scene, &def->K, &n, &n, at, "K") != 0 ||
        perp_scene_vector(scene, &s->force, &n, at, "F") != 0)
        return -1;
    def->n = s->nx = s->nv = n;
    def->q0 = q0;
    def->v0 = v0;
    return 0;
}

typedef struct system_type {
    const char *name;
    int (*read)(perp_scene *scene, perp_scene_member *s, const perp_scene_node *at);
} system_type;

static const system_type types[] = {
    {"first-order", read_first_order},
    {"lagrangian", read_lagrangian},
    {"pendulum", perp_scene_read_pendulum},
    {"double-pendulum", perp_scene_read_double_pendulum},
    {"slider-crank", perp_scene_read_slider_crank},
    {"planar", perp_scene_read_planar},
    {"point-masses", perp_scene_read_point_masses},
};
static const char type_words[] =
    "first-order|lagrangian|pendulum|double-pendulum|slider-crank|planar|point-masses";

static int read_system(void *ctx, const perp_scene_node *at)
{
    perp_scene *scene = ctx;
    perp_scene_node word = perp_scene_get(at, "type");
    perp_scene_member *s;
    int type = -1;

    if (!perp_scene_is(at, JSON_OBJECT))
        return perp_scene_fail(at, "an object is expected");
    if (perp_scene_choice(&type, at, "type", type_words) != 0)
        return -1;
    if (type < 0)
        return perp_scene_fail(&word, "missing; one of %s", type_words);
    s = perp_scene_new_system(scene, at, "system");
    if (s == NULL)
        return -1;
    s->kind = PERP_SCENE_LAGRANGIAN;
    perp_lagrangian_def_init(&s->as->lagrangian, sizeof s->as->lagrangian);
    if (types[type].read(scene, s, at) != 0)
        return -1;
    if (s->kind == PERP_SCENE_LAGRANGIAN)
        s->K = s->as->lagrangian.K;
    if (s->force == NULL)
        s->force = perp_scene_take(scene, (size_t)s->nv, sizeof *s->force);
    return s->force == NULL ? -1 : 0;
}

int perp_scene_read_systems(perp_scene *scene, const perp_scene_node *root)
{
    return perp_scene_each(root, "systems", read_system, scene);
}

static perp_status add(perp_scene *scene, perp_scene_member *s, perp_where *where)
{
    perp_body_def body;

    switch (s->kind) {
    case PERP_SCENE_FIRST_ORDER:
        s->as->first_order.b = s->as->first_order.b_at == NULL ? s->force : NULL;
        return perp_model_add_first_order(scene->model, &s->as->first_order, &s->id, where);
    case PERP_SCENE_LAGRANGIAN:
        s->as->lagrangian.F = s->force;
        return perp_model_add_lagrangian(scene->model, &s->as->lagrangian, &s->id, where);
    default:
        body = s->as->body;
        if (s->prescribed) {
            body.motion = perp_scene_prescribed_pose;
            body.user = s;
        }
        memcpy(body.position, s->position, sizeof body.position);
        memcpy(body.force, s->force, sizeof body.force);
        return perp_model_add_body(scene->model, &body, &s->id, where);
    }
}

int perp_scene_add_systems(perp_scene *scene)
{
    perp_scene_node root = perp_scene_root(scene);

    for (int k = 0; k < scene->nsystems; k++) {
        perp_scene_member *s = scene->systems[k];
        perp_scene_node list = perp_scene_get(&root, s->list);
        perp_scene_node node = perp_scene_at(&list, s->place);
        perp_where where = {NULL, -1, -1};
        perp_status status;
        if (s->fixed)
            continue;
        if (!s->prescribed && perp_scene_wire_forces(scene, s) != 0)
            return -1;
        status = add(scene, s, &where);
        if (status != PERP_SOLVED)
            return perp_scene_fail_status(&node, status, &where);
    }
    if (scene->nsystems == 0)
        return perp_scene_fail(&root, "the scene has neither systems nor bodies");
    return 0;
}
