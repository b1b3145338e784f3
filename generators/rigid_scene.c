/* SPDX-License-Identifier: BSD-3-Clause */
#include "generators/rigid_scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Memory for one more; NULL without memory. */
static void *more(rigid_scene *scene, void *list, int count, int which, size_t bytes)
{
    int capacity = scene->capacity[which];
    void *made;

    if (scene->failed || count < capacity)
        return scene->failed ? NULL : list;
    capacity = 2 * capacity + 16;
    made = realloc(list, (size_t)capacity * bytes);
    if (made == NULL)
        scene->failed = 1;
    else
        scene->capacity[which] = capacity;
    return made;
}

int rigid_add_plane(rigid_scene *scene, double nx, double ny, double nz, double offset)
{
    rigid_plane *list = more(scene, scene->plane, scene->planes, 1, sizeof *list);
    double length = sqrt(nx * nx + ny * ny + nz * nz);

    if (list == NULL)
        return -1;
    scene->plane = list;
    list[scene->planes] = (rigid_plane){{nx / length, ny / length, nz / length}, offset};
    return scene->planes++;
}

int rigid_add_bare(rigid_scene *scene, const char *name, double mass, const double inertia[3],
                   const double at[3], double turn)
{
    rigid_body *list = more(scene, scene->body, scene->bodies, 0, sizeof *list), *b;

    if (list == NULL)
        return -1;
    scene->body = list;
    b = &list[scene->bodies];
    memset(b, 0, sizeof *b);
    snprintf(b->name, sizeof b->name, "%s", name);
    b->mass = mass;
    memcpy(b->inertia, inertia, sizeof b->inertia);
    memcpy(b->position, at, sizeof b->position);
    b->quaternion[0] = cos(0.5 * turn);
    b->quaternion[2] = sin(0.5 * turn);
    return scene->bodies++;
}

int rigid_add_sphere(rigid_scene *scene, const char *name, double radius, double mass,
                     const double at[3])
{
    double moment = 0.4 * mass * radius * radius;
    int k = rigid_add_bare(scene, name, mass, (double[3]){moment, moment, moment}, at, 0.0);

    if (k >= 0) {
        scene->body[k].shape = RIGID_SPHERE;
        scene->body[k].radius = radius;
    }
    return k;
}

int rigid_add_box(rigid_scene *scene, const char *name, const double sides[3], double mass,
                  const double at[3], double turn)
{
    double square[3] = {sides[0] * sides[0], sides[1] * sides[1], sides[2] * sides[2]};
    double part = mass / 12.0;
    int k =
        rigid_add_bare(scene, name, mass,
                       (double[3]){part * (square[1] + square[2]), part * (square[0] + square[2]),
                                   part * (square[0] + square[1])},
                       at, turn);

    if (k >= 0) {
        scene->body[k].shape = RIGID_BOX;
        for (int i = 0; i < 3; i++)
            scene->body[k].half[i] = 0.5 * sides[i];
    }
    return k;
}

int rigid_add_joint(rigid_scene *scene, rigid_joint_kind kind, int a, int b, const double at[3])
{
    rigid_joint *list = more(scene, scene->joint, scene->joints, 2, sizeof *list), *j;

    if (list == NULL)
        return -1;
    scene->joint = list;
    j = &list[scene->joints];
    memset(j, 0, sizeof *j);
    j->kind = kind;
    j->a = a;
    j->b = b;
    memcpy(j->at, at, sizeof j->at);
    memcpy(j->at_b, at, sizeof j->at_b);
    j->axis[1] = 1.0;
    return scene->joints++;
}

rigid_name rigid_numbered(const char *stem, int k)
{
    rigid_name name;

    snprintf(name.text, sizeof name.text, "%.11s-%d", stem, k);
    return name;
}

void rigid_scene_free(rigid_scene *scene)
{
    for (int k = 0; k < scene->bodies; k++)
        free(scene->body[k].vertex);
    free(scene->body);
    free(scene->plane);
    free(scene->joint);
    memset(scene, 0, sizeof *scene);
}

const char *rigid_law_title(rigid_law law)
{
    static const char *const title[] = {
        [RIGID_LAW_NONE] = "",
        [RIGID_LAW_ACCELERATION] = "acceleration, m/s^2",
        [RIGID_LAW_SPEED] = "speed, m/s",
        [RIGID_LAW_PRECESSION] = "precession, rad/s",
        [RIGID_LAW_TURNING] = "turning, rad/s",
        [RIGID_LAW_STOPPED] = "stopped",
        [RIGID_LAW_WAVE] = "speed over sqrt(g height)",
        [RIGID_LAW_RUN_OUT] = "run-out",
        [RIGID_LAW_COLLAPSED] = "collapsed",
        [RIGID_LAW_WAY] = "way, m",
        [RIGID_LAW_CREEP] = "creep, um/s",
        [RIGID_LAW_AXIS] = "z of the axis",
    };

    return title[law];
}

static void write_numbers(FILE *f, const char *key, const double *x, int count)
{
    fprintf(f, ", \"%s\": [", key);
    for (int k = 0; k < count; k++)
        fprintf(f, "%s%.17g", k > 0 ? ", " : "", x[k]);
    fputc(']', f);
}

static void write_body(FILE *f, const rigid_body *b)
{
    static const char *const shape[] = {"bare", "sphere", "box", "hull"};

    fprintf(f, "{\"name\": \"%s\", \"shape\": \"%s\", \"mass\": %.17g", b->name, shape[b->shape],
            b->mass);
    if (b->shape == RIGID_SPHERE)
        fprintf(f, ", \"radius\": %.17g", b->radius);
    if (b->shape == RIGID_BOX)
        write_numbers(f, "half", b->half, 3);
    if (b->shape == RIGID_HULL)
        write_numbers(f, "vertices", b->vertex[0], 3 * b->vertices);
    if (b->shape != RIGID_BARE)
        write_numbers(f, "shapeAt", b->shape_at, 3);
    write_numbers(f, "inertia", b->inertia, 3);
    write_numbers(f, "position", b->position, 3);
    write_numbers(f, "quaternion", b->quaternion, 4);
    write_numbers(f, "velocity", b->velocity, 3);
    write_numbers(f, "angular", b->angular, 3);
    fputc('}', f);
}

static void write_drive(FILE *f, const rigid_drive *d)
{
    static const char *const kind[] = {"free", "force", "speed", "target"};

    if (d->limited)
        write_numbers(f, "limits", (double[2]){d->low, d->high}, 2);
    if (d->kind == RIGID_FREE)
        return;
    fprintf(f, ", \"drive\": {\"kind\": \"%s\", \"largest\": %.17g, \"speed\": %.17g",
            kind[d->kind], d->largest, d->speed);
    fprintf(f, ", \"target\": %.17g, \"acceleration\": %.17g}", d->target, d->acceleration);
}

static void write_joint(FILE *f, const rigid_joint *j)
{
    static const char *const kind[] = {"ball", "hinge", "distance", "slider"};

    fprintf(f, "{\"kind\": \"%s\", \"a\": %d, \"b\": %d", kind[j->kind], j->a, j->b);
    write_numbers(f, "at", j->at, 3);
    if (j->kind == RIGID_DISTANCE)
        write_numbers(f, "at_b", j->at_b, 3);
    if (j->kind == RIGID_HINGE || j->kind == RIGID_SLIDER)
        write_numbers(f, "axis", j->axis, 3);
    write_drive(f, &j->drive);
    fputc('}', f);
}

int rigid_scene_write(FILE *f, const rigid_scene *scene)
{
    fprintf(f, "{\"format\": \"rigid-scene 1\", \"name\": \"%s\", \"title\": \"%s\"", scene->name,
            scene->title);
    fprintf(f, ",\n\"h\": %.17g, \"until\": %.17g, \"mu\": %.17g, \"e\": %.17g", scene->h,
            scene->until, scene->mu, scene->e);
    fprintf(f, ", \"rolling\": %.17g", scene->rolling);
    write_numbers(f, "gravity", scene->gravity, 3);
    fputs(",\n\"planes\": [", f);
    for (int k = 0; k < scene->planes; k++) {
        fprintf(f, "%s{\"offset\": %.17g", k > 0 ? ",\n  " : "\n  ", scene->plane[k].offset);
        write_numbers(f, "normal", scene->plane[k].normal, 3);
        fputc('}', f);
    }
    fputs("],\n\"bodies\": [", f);
    for (int k = 0; k < scene->bodies; k++) {
        fputs(k > 0 ? ",\n  " : "\n  ", f);
        write_body(f, &scene->body[k]);
    }
    fputs("],\n\"joints\": [", f);
    for (int k = 0; k < scene->joints; k++) {
        fputs(k > 0 ? ",\n  " : "\n  ", f);
        write_joint(f, &scene->joint[k]);
    }
    fputs("]}\n", f);
    return ferror(f) ? -1 : 0;
}
