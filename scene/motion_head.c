/* SPDX-License-Identifier: BSD-3-Clause */
/* The head of motion.bin: systems with their shapes, joints, springs, and the lines and planes that
 * interactions name. */
#include <math.h>
#include <string.h>

#include <perp/verdict.h>

#include "scene/motion_record.h"
#include "scene/shapes.h"

static const char *const forms[] = {
    [PERP_SCENE_NO_SHAPE] = "none",       [PERP_SCENE_SPHERE] = "sphere",
    [PERP_SCENE_DISC] = "disc",           [PERP_SCENE_BOX] = "box",
    [PERP_SCENE_CAPSULE] = "capsule",     [PERP_SCENE_PLANE] = "plane",
    [PERP_SCENE_CYLINDER] = "cylinder",   [PERP_SCENE_CONE] = "cone",
    [PERP_SCENE_ELLIPSOID] = "ellipsoid", [PERP_SCENE_HULL] = "hull",
    [PERP_SCENE_SURFACE] = "mesh",        [PERP_SCENE_POLYGON] = "polygon"};
static const char *const joints[] = {"point",       "pivot",     "prismatic", "fixed", "distance",
                                     "cylindrical", "universal", "slide",     "angle", "planar"};

static json_t *reals(const double *x, int count)
{
    json_t *list = json_array();

    for (int k = 0; k < count; k++)
        json_array_append_new(list, json_real(isfinite(x[k]) ? x[k] : 0.0));
    return list;
}

static json_t *integers(const int *x, int count)
{
    json_t *list = json_array();

    for (int k = 0; k < count; k++)
        json_array_append_new(list, json_integer(x[k]));
    return list;
}

/* Vertices that copies share stand once in `meshes`; its place there. */
static int mesh_of(json_t *meshes, const double **seen, int *count, const perp_scene_shape *x)
{
    json_t *mesh;

    for (int k = 0; k < *count; k++)
        if (seen[k] == x->vertex)
            return k;
    mesh = json_object();
    json_object_set_new(mesh, "vertices", reals(x->vertex, 3 * x->vertices));
    json_object_set_new(mesh, "triangles", integers(x->triangle, 3 * x->triangles));
    json_array_append_new(meshes, mesh);
    seen[*count] = x->vertex;
    return (*count)++;
}

static json_t *shape_of(const perp_scene_shape *x)
{
    json_t *shape = json_object();

    json_object_set_new(shape, "type", json_string(forms[x->form]));
    json_object_set_new(shape, "size", reals(x->size, 3));
    if (x->form == PERP_SCENE_PLANE) {
        json_object_set_new(shape, "normal", reals(x->normal, 3));
        json_object_set_new(shape, "offset", json_real(x->offset));
    } else {
        json_object_set_new(shape, "place", reals(x->place, 3));
        json_object_set_new(shape, "turn", reals(x->turn, 4));
    }
    return shape;
}

/* The object of the text that a system was read from. */
static json_t *source_of(const perp_scene *scene, const perp_scene_member *s)
{
    json_t *list = json_object_get(scene->json, s->list != NULL ? s->list : "");

    return json_array_get(list, s->place);
}

static json_t *system_of(const perp_scene *scene, perp_scene_member *s, json_t *meshes,
                         const double **seen, int *count)
{
    json_t *object = json_object(), *shapes = json_array();
    const char *type = json_string_value(json_object_get(source_of(scene, s), "type"));

    json_object_set_new(object, "name", json_string(s->name));
    json_object_set_new(object, "type",
                        json_string(s->kind == PERP_SCENE_BODY ? "body"
                                    : type                     ? type
                                                               : "fixed"));
    json_object_set_new(object, "entries", json_integer(perp_scene_motion_entries(s)));
    if (s->fixed) {
        json_object_set_new(object, "position", reals(s->position, 3));
        json_object_set_new(object, "quaternion", reals(s->quaternion, 4));
    } else if (s->kind == PERP_SCENE_BODY && !s->prescribed) {
        json_object_set_new(object, "mass", json_real(s->as->body.mass));
        json_object_set_new(object, "inertia", reals(s->as->body.inertia, 9));
    } else if (s->kind == PERP_SCENE_LAGRANGIAN) {
        json_object_set_new(object, "parameters", reals(s->parameter, 12));
        json_object_set_new(object, "dim", json_integer(s->dim));
    }
    for (perp_scene_shape *x = perp_scene_next_shape(s, NULL); x; x = perp_scene_next_shape(s, x)) {
        json_t *shape = shape_of(x);
        if (x->vertex != NULL && x->triangle != NULL)
            json_object_set_new(shape, "mesh", json_integer(mesh_of(meshes, seen, count, x)));
        json_array_append_new(shapes, shape);
    }
    json_object_set_new(object, "shapes", shapes);
    return object;
}

static int count_shapes(perp_scene *scene)
{
    int count = 0;

    for (int k = 0; k < scene->nsystems; k++)
        for (perp_scene_shape *x = perp_scene_next_shape(scene->systems[k], NULL); x;
             x = perp_scene_next_shape(scene->systems[k], x))
            count++;
    return count;
}

static int add_systems(json_t *head, perp_scene *scene)
{
    const double **seen =
        (const double **)perp_scene_take(scene, (size_t)count_shapes(scene) + 1, sizeof *seen);
    json_t *systems = json_array(), *meshes = json_array();
    int count = 0;

    json_object_set_new(head, "systems", systems);
    json_object_set_new(head, "meshes", meshes);
    if (seen == NULL)
        return -1;
    for (int k = 0; k < scene->nsystems; k++)
        json_array_append_new(systems, system_of(scene, scene->systems[k], meshes, seen, &count));
    return 0;
}

static int place_of(const perp_scene *scene, const perp_scene_member *s)
{
    for (int k = 0; k < scene->nsystems; k++)
        if (scene->systems[k] == s)
            return k;
    return -1;
}

static int place_by_name(const perp_scene *scene, const json_t *name)
{
    const char *text = json_string_value(name);

    for (int k = 0; text != NULL && k < scene->nsystems; k++)
        if (strcmp(scene->systems[k]->name, text) == 0)
            return k;
    return -1;
}

/* A place or an axis of the start, in the frame of a body as it was then; of the world for NULL. */
static json_t *local(const perp_scene_member *s, const double *x, int is_axis)
{
    double place[3] = {x[0], x[1], x[2]}, turned[3];

    if (s == NULL || s->kind != PERP_SCENE_BODY || s->fixed)
        return reals(place, 3);
    const double *q = s->as->body.quaternion;
    const double back[4] = {q[0], -q[1], -q[2], -q[3]};
    for (int k = 0; k < 3 && !is_axis; k++)
        place[k] -= s->position[k];
    perp_quaternion_rotate(back, place, turned);
    return reals(turned, 3);
}

static void add_joints(json_t *head, const perp_scene *scene)
{
    json_t *list = json_array();

    json_object_set_new(head, "joints", list);
    for (int k = 0; k < scene->ninteractions; k++) {
        const perp_scene_named_interaction *noted = &scene->interactions[k];
        const perp_relation *r = noted->relation;
        const perp_scene_member *a = noted->nsystems > 0 ? noted->systems[0] : NULL;
        const perp_scene_member *b = noted->nsystems > 1 ? noted->systems[1] : NULL;
        if (r == NULL || r->kind != PERP_RELATION_JOINT || noted->law != PERP_LAW_EQUALITY ||
            a == NULL)
            continue;
        json_t *joint = json_object();
        const double *other = r->joint == PERP_JOINT_DISTANCE ? r->anchor_b : r->anchor;
        json_object_set_new(joint, "name", json_string(noted->name));
        json_object_set_new(joint, "type", json_string(joints[r->joint]));
        json_object_set_new(joint, "first", json_integer(place_of(scene, a)));
        json_object_set_new(joint, "second", json_integer(b != NULL ? place_of(scene, b) : -1));
        json_object_set_new(joint, "anchor", local(a, r->anchor, 0));
        json_object_set_new(joint, "anchor_b", local(b, other, 0));
        json_object_set_new(joint, "axis", local(a, r->axis, 1));
        json_array_append_new(list, joint);
    }
}

static json_t *end_of(const perp_scene *scene, const perp_scene_end *end)
{
    json_t *one = json_object();

    json_object_set_new(one, "system",
                        json_integer(end->system ? place_of(scene, end->system) : -1));
    json_object_set_new(one, "index", json_integer(end->index));
    json_object_set_new(one, "place", reals(end->place, 3));
    return one;
}

/* Strings and rods between points: drawn as springs are. */
static void add_distances(json_t *list, const perp_scene *scene)
{
    for (int k = 0; k < scene->ninteractions; k++) {
        const perp_scene_end *end = scene->interactions[k].ends;
        if (end == NULL)
            continue;
        json_t *one = json_object();
        json_object_set_new(one, "ends",
                            json_pack("[o,o]", end_of(scene, end), end_of(scene, end + 1)));
        json_array_append_new(list, one);
    }
}

static void add_springs(json_t *list, const perp_scene *scene, const perp_scene_spring *p)
{
    for (; p != NULL; p = p->next) {
        if (p->turns || p->drags) /* between no points */
            continue;
        json_t *spring = json_object(), *ends = json_array();
        for (int k = 0; k < 2 && (p->end[k].is_point || p->end[k].system == NULL); k++)
            json_array_append_new(ends, end_of(scene, &p->end[k]));
        json_object_set_new(spring, "ends", ends);
        json_array_append_new(list, spring);
    }
}

static void add_lines(json_t *head, const perp_scene *scene)
{
    static const char *const types[] = {"point-line", "disc-line", "sphere-plane", "point-plane"};
    json_t *from = json_object_get(scene->json, "interactions"), *list = json_array();

    json_object_set_new(head, "lines", list);
    for (size_t k = 0; k < json_array_size(from); k++) {
        json_t *relation = json_object_get(json_array_get(from, k), "relation");
        const char *type = json_string_value(json_object_get(relation, "type"));
        for (size_t i = 0; type != NULL && i < sizeof types / sizeof types[0]; i++)
            if (strcmp(type, types[i]) == 0) {
                json_t *line = json_copy(relation),
                       *of = json_object_get(json_array_get(from, k), "systems");
                json_object_set_new(line, "system",
                                    json_integer(place_by_name(scene, json_array_get(of, 0))));
                json_array_append_new(list, line);
            }
    }
}

static void add_whole(json_t *head, const perp_motion_about *about, const perp_scene *scene)
{
    json_t *names = json_array();
    perp_figure figure = {.size = sizeof figure};

    json_object_set_new(head, "version", json_integer(1));
    json_object_set_new(head, "perp", json_string(perp_version()));
    json_object_set_new(head, "scene", json_string(scene->name));
    if (scene->title != NULL)
        json_object_set_new(head, "title", json_string(scene->title));
    json_object_set_new(head, "t0", json_real(scene->t0));
    json_object_set_new(head, "step", json_real(scene->step));
    json_object_set_new(head, "every", json_integer(about->every));
    json_object_set_new(head, "contacts", json_boolean(about->contacts));
    json_object_set_new(head, "gravity", reals(scene->gravity, 3));
    for (int k = 0; perp_sim_figure(scene->sim, k, &figure, sizeof figure) == PERP_SOLVED; k++)
        json_array_append_new(names, json_string(figure.name));
    json_object_set_new(head, "measures", names);
}

char *perp_scene_motion_head(const perp_motion_about *about, perp_scene *scene)
{
    json_t *head = json_object(), *springs = json_array();
    char *text = NULL;

    json_object_set_new(head, "springs", springs);
    add_whole(head, about, scene);
    add_joints(head, scene);
    add_lines(head, scene);
    add_springs(springs, scene, scene->springs);
    add_distances(springs, scene);
    for (int k = 0; k < scene->nsystems; k++)
        if (scene->systems[k]->kind != PERP_SCENE_FIRST_ORDER && !scene->systems[k]->fixed)
            add_springs(springs, scene, scene->systems[k]->springs);
    if (add_systems(head, scene) == 0)
        text = json_dumps(head, JSON_COMPACT | JSON_REAL_PRECISION(9));
    json_decref(head);
    return text;
}
