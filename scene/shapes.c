/* SPDX-License-Identifier: BSD-3-Clause */
#include "scene/shapes.h"

#include <math.h>
#include <string.h>

#include "scene/mesh_file.h"
#include "scene/numbers.h"

#define COMMON " type position rotation quaternion material group category touches"
static const char shape_words[] =
    "sphere|box|capsule|plane|line|cylinder|cone|ellipsoid|hull|surface|height-field";

perp_scene_shape *perp_scene_next_shape(perp_scene_member *s, perp_scene_shape *last)
{
    if (last != NULL)
        return last->next;
    return s->shape.form != PERP_SCENE_NO_SHAPE ? &s->shape : NULL;
}

double perp_scene_half_width(const perp_scene_shape *shape)
{
    const double *s = shape->size;

    switch (shape->form) {
    case PERP_SCENE_BOX:
    case PERP_SCENE_ELLIPSOID:
    case PERP_SCENE_HULL:
        return fmin(s[0], fmin(s[1], s[2]));
    case PERP_SCENE_CYLINDER:
    case PERP_SCENE_CONE:
    case PERP_SCENE_POLYGON:
        return fmin(s[0], s[1]);
    case PERP_SCENE_NO_SHAPE:
    case PERP_SCENE_PLANE:
    case PERP_SCENE_SURFACE:
        return 0.0;
    default:
        return s[0];
    }
}

double perp_scene_least_half_width(perp_scene_member *s)
{
    double least = INFINITY;

    for (perp_scene_shape *x = perp_scene_next_shape(s, NULL); x; x = perp_scene_next_shape(s, x)) {
        double size = perp_scene_half_width(x);
        least = size > 0.0 ? fmin(least, size) : least;
    }
    return isfinite(least) ? least : 0.0;
}

static int read_plane(perp_scene_shape *shape, const perp_scene_node *at, int dim)
{
    perp_scene_node node = perp_scene_get(at, "normal");
    double length;

    if (perp_scene_object(at, "normal offset type material group category touches") != 0 ||
        perp_scene_need_reals(shape->normal, at, "normal", dim) != 0 ||
        perp_scene_real(&shape->offset, at, "offset", -INFINITY, INFINITY) != 0)
        return -1;
    length = sqrt(shape->normal[0] * shape->normal[0] + shape->normal[1] * shape->normal[1] +
                  shape->normal[2] * shape->normal[2]);
    if (!(length > 0.0))
        return perp_scene_fail(&node, "the zero vector is no normal");
    for (int k = 0; k < 3; k++)
        shape->normal[k] /= length;
    return 0;
}

static int need_positive(double *size, const perp_scene_node *at, const char *key, int count)
{
    perp_scene_node node = perp_scene_get(at, key);

    if (count == 1)
        return perp_scene_need_real(size, at, key, 1e-300, INFINITY);
    if (perp_scene_need_reals(size, at, key, count) != 0)
        return -1;
    for (int k = 0; k < count; k++)
        if (!(size[k] > 0.0))
            return perp_scene_fail(&node, strcmp(key, "sides") == 0
                                              ? "every side is to be positive"
                                              : "every one is to be positive");
    return 0;
}

/* Radius and a length along z that is kept as its half. */
static int read_round(perp_scene_shape *shape, const perp_scene_node *at, const char *length)
{
    if (need_positive(&shape->size[0], at, "radius", 1) != 0 ||
        need_positive(&shape->size[1], at, length, 1) != 0)
        return -1;
    shape->size[1] *= 0.5;
    return 0;
}

/* A file beside that of the scene, unless its path is absolute. */
static int read_file(perp_scene_mesh *mesh, perp_scene *scene, const perp_scene_node *node)
{
    const char *file = json_string_value(node->json), *slash = strrchr(scene->name, '/');
    char path[4096], text[200];
    int folder = file[0] == '/' || slash == NULL ? 0 : (int)(slash + 1 - scene->name);

    if (snprintf(path, sizeof path, "%.*s%s", folder, scene->name, file) >= (int)sizeof path)
        return perp_scene_fail(node, "the path is too long");
    if (perp_scene_mesh_read(mesh, path, text, sizeof text) != 0)
        return perp_scene_fail(node, "'%s': %s", file, text);
    return 0;
}

static int read_scale(double *scale, const perp_scene_node *at)
{
    perp_scene_node number = perp_scene_get(at, "scale");

    scale[0] = scale[1] = scale[2] = 1.0;
    if (perp_scene_is_number(&number)) {
        if (perp_scene_real(scale, at, "scale", -1e300, 1e300) != 0)
            return -1;
        scale[1] = scale[2] = scale[0];
    } else if (perp_scene_reals(scale, at, "scale", 3) != 0) {
        return -1;
    }
    return scale[0] != 0.0 && scale[1] != 0.0 && scale[2] != 0.0
               ? 0
               : perp_scene_fail(&number, "0 leaves nothing of it");
}

/* Vertices and triangles of a file; a scale that mirrors turns the triangles round. */
static int read_from_file(perp_scene *scene, perp_scene_shape *shape, const perp_scene_node *at)
{
    perp_scene_node node = perp_scene_get(at, "file");
    double scale[3];
    perp_scene_mesh mesh;

    if (!perp_scene_is(&node, JSON_STRING))
        return perp_scene_fail(&node, "a string is expected");
    if (read_scale(scale, at) != 0 || read_file(&mesh, scene, &node) != 0)
        return -1;
    int mirrored = (scale[0] < 0.0) ^ (scale[1] < 0.0) ^ (scale[2] < 0.0);
    double *x = perp_scene_take(scene, 3 * (size_t)mesh.vertices, sizeof *x);
    int *t = perp_scene_take(scene, 3 * (size_t)mesh.triangles + 1, sizeof *t);
    for (int i = 0; x != NULL && i < 3 * mesh.vertices; i++)
        x[i] = scale[i % 3] * mesh.vertex[i];
    for (int i = 0; t != NULL && i < 3 * mesh.triangles; i++)
        t[i] = mesh.triangle[mirrored && i % 3 > 0 ? i + (i % 3 == 1 ? 1 : -1) : i];
    shape->vertex = x;
    shape->vertices = mesh.vertices;
    shape->triangle = t;
    shape->triangles = mesh.triangles;
    perp_scene_mesh_free(&mesh);
    return x == NULL || t == NULL ? -1 : 0;
}

/* Points under a key, 3 each; rows as they are in memory of a matrix by columns. */
static int read_points(perp_scene *scene, perp_scene_shape *shape, const perp_scene_node *at,
                       const char *key)
{
    perp_scene_node list = perp_scene_get(at, key);
    double *x = NULL;
    int rows = -1, three = 3;

    if (perp_scene_matrix(scene, &x, &rows, &three, at, key) != 0)
        return -1;
    if (x == NULL)
        return perp_scene_fail(&list, "missing, and so is file");
    double *points = perp_scene_take(scene, 3 * (size_t)rows, sizeof *points);
    if (points == NULL)
        return -1;
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < 3; k++)
            points[3 * i + k] = x[i + k * rows];
    shape->vertex = points;
    shape->vertices = rows;
    return 0;
}

static int read_triangles(perp_scene *scene, perp_scene_shape *shape, const perp_scene_node *at)
{
    perp_scene_node list = perp_scene_get(at, "triangles");
    double *x = NULL;
    int rows = -1, three = 3;

    if (perp_scene_matrix(scene, &x, &rows, &three, at, "triangles") != 0)
        return -1;
    if (x == NULL)
        return perp_scene_fail(&list, "missing");
    shape->triangle = perp_scene_take(scene, 3 * (size_t)rows, sizeof *shape->triangle);
    shape->triangles = rows;
    for (int i = 0; shape->triangle != NULL && i < 3 * rows; i++) {
        double index = x[i / 3 + i % 3 * rows];
        if (!(index >= 0.0 && index < shape->vertices && index == floor(index)))
            return perp_scene_fail(&list, "numbers of vertices, from 0, are expected");
        shape->triangle[i] = (int)index;
    }
    return shape->triangle == NULL ? -1 : 0;
}

/* Triangles of a body that moves are closed; those that are inside out are turned round. */
static int check_closed(perp_scene *scene, perp_scene_shape *shape, const perp_scene_node *at)
{
    perp_shape_def def;
    perp_where where = {NULL, -1, -1};
    double volume;

    perp_scene_shape_def(&def, shape);
    perp_status status = perp_shape_volume(&def, &volume, &where);
    if (status == PERP_ERR_STRUCTURE && where.index < 0) {
        for (int t = 0; t < shape->triangles; t++) {
            int swap = shape->triangle[3 * t + 1];
            shape->triangle[3 * t + 1] = shape->triangle[3 * t + 2];
            shape->triangle[3 * t + 2] = swap;
        }
        perp_scene_warn(scene, at, "the triangles are inside out: they were turned round");
        return 0;
    }
    if (status != PERP_SOLVED)
        return perp_scene_fail(at, "the triangles of a body that moves are to enclose it: %s %d",
                               where.what != NULL ? where.what : perp_status_text(status),
                               where.index);
    return 0;
}

static int read_surface(perp_scene *scene, perp_scene_shape *shape, const perp_scene_node *at,
                        int still)
{
    perp_scene_node file = perp_scene_get(at, "file"), list = perp_scene_get(at, "vertices");

    if (perp_scene_object(at, "file scale vertices triangles" COMMON) != 0)
        return -1;
    if (file.json != NULL && list.json != NULL)
        return perp_scene_fail(&list, "vertices and file are both given");
    if (file.json != NULL ? read_from_file(scene, shape, at) != 0
                          : read_points(scene, shape, at, "vertices") != 0 ||
                                read_triangles(scene, shape, at) != 0)
        return -1;
    if (shape->triangles == 0)
        return perp_scene_fail(file.json != NULL ? &file : &list, "no triangles in it");
    shape->turn[0] = 1.0;
    return still ? 0 : check_closed(scene, shape, at);
}

/* {"heights": [[..], ..], "spacing": [dx, dy]}: rows along y, their numbers along x; the middle of
 * the grid is the origin. */
static int read_heights(perp_scene *scene, perp_scene_shape *shape, const perp_scene_node *at,
                        int still)
{
    perp_scene_node list = perp_scene_get(at, "heights"), gap = perp_scene_get(at, "spacing");
    double *z = NULL, spacing[2] = {0.0, 0.0};
    int rows = -1, columns = -1, count = 0;

    if (perp_scene_object(at, "heights spacing" COMMON) != 0 ||
        perp_scene_matrix(scene, &z, &rows, &columns, at, "heights") != 0 ||
        perp_scene_need_reals(spacing, at, "spacing", 2) != 0)
        return -1;
    if (z == NULL || rows < 2 || columns < 2)
        return perp_scene_fail(&list, "two rows of two numbers at least are expected");
    if (!(spacing[0] > 0.0 && spacing[1] > 0.0))
        return perp_scene_fail(&gap, "both are to be positive");
    if (!still)
        return perp_scene_fail(at, "a height field stands still");
    double *x = perp_scene_take(scene, 3 * (size_t)rows * (size_t)columns, sizeof *x);
    int *t = perp_scene_take(scene, 6 * (size_t)rows * (size_t)columns, sizeof *t);
    for (int j = 0; x != NULL && t != NULL && j < rows; j++)
        for (int i = 0; i < columns; i++) {
            int k = i + columns * j;
            x[3 * k] = spacing[0] * (i - 0.5 * (columns - 1));
            x[3 * k + 1] = spacing[1] * (j - 0.5 * (rows - 1));
            x[3 * k + 2] = z[j + rows * i];
            if (i + 1 == columns || j + 1 == rows)
                continue;
            const int two[6] = {k, k + 1, k + 1 + columns, k, k + 1 + columns, k + columns};
            memcpy(t + 3 * count, two, sizeof two);
            count += 2;
        }
    shape->vertex = x;
    shape->vertices = rows * columns;
    shape->triangle = t;
    shape->triangles = count;
    return x == NULL || t == NULL ? -1 : 0;
}

/* The triangles are for the mass and the pictures; half sides of a box around it in size. */
static int read_hull(perp_scene *scene, perp_scene_shape *shape, const perp_scene_node *at)
{
    perp_scene_node file = perp_scene_get(at, "file"), points = perp_scene_get(at, "points");
    const perp_scene_node *node = file.json != NULL ? &file : &points;

    if (perp_scene_object(at, "points file scale" COMMON) != 0)
        return -1;
    if (file.json != NULL && points.json != NULL)
        return perp_scene_fail(&points, "points and file are both given");
    if ((file.json != NULL ? read_from_file(scene, shape, at)
                           : read_points(scene, shape, at, "points")) != 0)
        return -1;
    int *triangle = perp_scene_take(scene, 6 * (size_t)shape->vertices, sizeof *triangle);
    if (triangle == NULL)
        return -1;
    perp_status status =
        perp_hull_triangles(shape->vertex, shape->vertices, triangle, &shape->triangles, NULL);
    if (status == PERP_ERR_UNSUPPORTED)
        return perp_scene_fail(node, "a hull needs Qhull (Debian: libqhull-dev), which this build "
                                     "does not have");
    if (status != PERP_SOLVED)
        return perp_scene_fail(node, "four points that are not in one plane are expected");
    shape->triangle = triangle;
    for (int k = 0; k < 3; k++) {
        double lo = INFINITY, hi = -INFINITY;
        for (int i = 0; i < shape->vertices; i++) {
            lo = fmin(lo, shape->vertex[3 * i + k]);
            hi = fmax(hi, shape->vertex[3 * i + k]);
        }
        shape->size[k] = 0.5 * (hi - lo);
    }
    return 0;
}

static int read_form(perp_scene *scene, perp_scene_shape *shape, const perp_scene_node *at,
                     int type, int still)
{
    static const perp_scene_form forms[] = {
        PERP_SCENE_SPHERE, PERP_SCENE_BOX,      PERP_SCENE_CAPSULE, PERP_SCENE_PLANE,
        PERP_SCENE_PLANE,  PERP_SCENE_CYLINDER, PERP_SCENE_CONE,    PERP_SCENE_ELLIPSOID,
        PERP_SCENE_HULL,   PERP_SCENE_SURFACE,  PERP_SCENE_SURFACE};

    shape->form = forms[type];
    switch (type) {
    case 0:
        return perp_scene_object(at, "radius" COMMON) != 0
                   ? -1
                   : need_positive(&shape->size[0], at, "radius", 1);
    case 1:
        if (perp_scene_object(at, "sides" COMMON) != 0 ||
            need_positive(shape->size, at, "sides", 3) != 0)
            return -1;
        for (int k = 0; k < 3; k++)
            shape->size[k] *= 0.5;
        return 0;
    case 3:
    case 4:
        shape->size[0] = type == 4; /* a line is a plane of two dimensions */
        return read_plane(shape, at, type == 4 ? 2 : 3);
    case 6:
        return perp_scene_object(at, "radius height" COMMON) != 0 ? -1
                                                                  : read_round(shape, at, "height");
    case 7:
        return perp_scene_object(at, "radii" COMMON) != 0
                   ? -1
                   : need_positive(shape->size, at, "radii", 3);
    case 8:
        return read_hull(scene, shape, at);
    case 9:
        return read_surface(scene, shape, at, still);
    case 10:
        return read_heights(scene, shape, at, still);
    default:
        return perp_scene_object(at, "radius length" COMMON) != 0 ? -1
                                                                  : read_round(shape, at, "length");
    }
}

static int read_shape(perp_scene *scene, perp_scene_shape *shape, const perp_scene_node *at,
                      int still)
{
    perp_scene_node word = perp_scene_get(at, "type");
    int type = -1;

    if (!perp_scene_is(at, JSON_OBJECT))
        return perp_scene_fail(at, "an object is expected");
    if (perp_scene_choice(&type, at, "type", shape_words) != 0)
        return -1;
    if (type < 0)
        return perp_scene_fail(&word, "missing; one of %s", shape_words);
    shape->category = shape->touches = 1;
    if (read_form(scene, shape, at, type, still) != 0 ||
        perp_scene_integer(&shape->category, at, "category", 0, INT32_MAX) != 0 ||
        perp_scene_integer(&shape->touches, at, "touches", 0, INT32_MAX) != 0 ||
        perp_scene_string(&shape->material, at, "material") != 0 ||
        perp_scene_integer(&shape->group, at, "group", 0, INT32_MAX) != 0)
        return -1;
    if (shape->category == 0 && shape->touches == 0)
        return perp_scene_fail(at, "category and touches are both 0: the shape touches nothing");
    return shape->form == PERP_SCENE_PLANE ? 0
                                           : perp_scene_read_pose(shape->place, shape->turn, at);
}

int perp_scene_read_shapes(perp_scene *scene, perp_scene_member *s, const perp_scene_node *at)
{
    perp_scene_node one = perp_scene_get(at, "shape"), list = perp_scene_get(at, "shapes");
    perp_scene_shape *last = NULL;
    size_t count = 0;
    perp_scene_node fixed = perp_scene_get(at, "fixed");
    int still = perp_scene_is(&fixed, JSON_TRUE) || perp_scene_has(at, "motion");

    if (one.json != NULL && list.json != NULL)
        return perp_scene_fail(&list, "shape and shapes are both given");
    if (one.json != NULL)
        return read_shape(scene, &s->shape, &one, still);
    if (list.json == NULL)
        return 0;
    if (perp_scene_array(&list, &count) != 0)
        return -1;
    for (size_t k = 0; k < count; k++) {
        perp_scene_node node = perp_scene_at(&list, k);
        perp_scene_shape *shape = k == 0 ? &s->shape : perp_scene_take(scene, 1, sizeof *shape);
        if (shape == NULL)
            return -1;
        shape->turn[0] = 1.0;
        if (read_shape(scene, shape, &node, still) != 0)
            return -1;
        if (shape->form == PERP_SCENE_PLANE && count > 1)
            return perp_scene_fail(&node, "a plane is no part of a body");
        if (last != NULL)
            last->next = shape;
        last = shape;
    }
    return 0;
}

int perp_scene_copy_shapes(perp_scene *scene, perp_scene_member *s)
{
    for (perp_scene_shape *x = &s->shape; x->next != NULL; x = x->next) {
        perp_scene_shape *copy = perp_scene_take(scene, 1, sizeof *copy);
        if (copy == NULL)
            return -1;
        *copy = *x->next;
        x->next = copy;
    }
    return 0;
}

void perp_scene_shape_def(perp_shape_def *def, const perp_scene_shape *shape)
{
    static const perp_shape_kind kinds[] = {
        [PERP_SCENE_SPHERE] = PERP_SHAPE_SPHERE,
        [PERP_SCENE_DISC] = PERP_SHAPE_DISC,
        [PERP_SCENE_BOX] = PERP_SHAPE_BOX,
        [PERP_SCENE_CAPSULE] = PERP_SHAPE_CAPSULE,
        [PERP_SCENE_PLANE] = PERP_SHAPE_PLANE,
        [PERP_SCENE_CYLINDER] = PERP_SHAPE_CYLINDER,
        [PERP_SCENE_CONE] = PERP_SHAPE_CONE,
        [PERP_SCENE_HULL] = PERP_SHAPE_HULL,
        [PERP_SCENE_ELLIPSOID] = PERP_SHAPE_ELLIPSOID,
        [PERP_SCENE_SURFACE] = PERP_SHAPE_MESH,
        [PERP_SCENE_POLYGON] = PERP_SHAPE_POLYGON,
    };

    perp_shape_def_init(def, sizeof *def);
    def->kind = kinds[shape->form];
    def->group = shape->group;
    def->category = (uint32_t)shape->category;
    def->touches = (uint32_t)shape->touches;
    def->vertices = shape->vertex;
    def->nvertices = shape->vertices;
    def->triangles = shape->triangle;
    def->ntriangles = shape->triangles;
    if (shape->form == PERP_SCENE_PLANE) {
        if (shape->size[0] > 0.0)
            def->kind = PERP_SHAPE_LINE;
        for (int k = 0; k < 3; k++) {
            def->normal[k] = shape->normal[k];
            def->position[k] = shape->offset * shape->normal[k];
        }
        return;
    }
    memcpy(def->position, shape->place, sizeof def->position);
    memcpy(def->quaternion, shape->turn, sizeof def->quaternion);
    def->radius = shape->size[0];
    if (shape->form == PERP_SCENE_BOX || shape->form == PERP_SCENE_ELLIPSOID)
        memcpy(def->half, shape->size, sizeof def->half);
    else if (shape->form == PERP_SCENE_CAPSULE || shape->form == PERP_SCENE_CYLINDER ||
             shape->form == PERP_SCENE_CONE)
        def->half[2] = shape->size[1];
}

/* Of all shapes together. */
static double volume(perp_scene_member *s)
{
    double sum = 0.0;

    for (perp_scene_shape *x = perp_scene_next_shape(s, NULL); x; x = perp_scene_next_shape(s, x)) {
        perp_shape_def def;
        double part = 0.0;
        perp_scene_shape_def(&def, x);
        (void)perp_shape_volume(&def, &part, NULL);
        sum += part;
    }
    return sum;
}

/* The mass filled evenly into all shapes; inertia about the centre. */
static void fill(double *centre, double *inertia, perp_scene_member *s, double mass)
{
    double sum = 0.0, whole = volume(s);

    memset(centre, 0, 3 * sizeof *centre);
    memset(inertia, 0, 9 * sizeof *inertia);
    for (perp_scene_shape *x = perp_scene_next_shape(s, NULL); x && whole > 0.0;
         x = perp_scene_next_shape(s, x)) {
        perp_shape_def def;
        double at[3], own[9], part = 0.0;
        perp_scene_shape_def(&def, x);
        (void)perp_shape_volume(&def, &part, NULL);
        part = s->shape.next == NULL ? mass : mass * (part / whole);
        if (perp_shape_fill(&def, part, at, own, NULL) == PERP_SOLVED)
            perp_mass_add(&sum, centre, inertia, part, at, own);
    }
}

/* The centre of the shapes becomes the origin of the body. */
static void shift_shapes(perp_scene_member *s, const double *centre)
{
    for (perp_scene_shape *x = perp_scene_next_shape(s, NULL); x; x = perp_scene_next_shape(s, x))
        for (int k = 0; k < 3; k++)
            x->place[k] -= centre[k];
}

static int read_inertia(perp_scene *scene, perp_body_def *def, const double *filled,
                        const perp_scene_node *at, int has_shape)
{
    perp_scene_node node = perp_scene_get(at, "inertia");
    perp_scene_node first = perp_scene_at(&node, 0);
    double moment[3], *full = NULL;
    int three = 3;

    if (perp_scene_is(&first, JSON_ARRAY)) {
        if (perp_scene_matrix(scene, &full, &three, &three, at, "inertia") != 0)
            return -1;
        memcpy(def->inertia, full, sizeof def->inertia);
        return perp_scene_check_inertia(scene, &node, def->inertia);
    }
    if (node.json == NULL && !has_shape)
        return perp_scene_fail(&node, "missing; it follows from the shape where there is one");
    memcpy(def->inertia, filled, sizeof def->inertia);
    if (node.json == NULL)
        return 0;
    if (perp_scene_reals(moment, at, "inertia", 3) != 0)
        return -1;
    memset(def->inertia, 0, sizeof def->inertia);
    for (int k = 0; k < 3; k++)
        def->inertia[4 * k] = moment[k];
    return perp_scene_check_inertia(scene, &node, def->inertia);
}

int perp_scene_read_mass(perp_scene *scene, perp_scene_member *s, double *moved,
                         const perp_scene_node *at)
{
    perp_scene_node node = perp_scene_get(at, "mass");
    double density = NAN, filled[9];

    memset(moved, 0, 3 * sizeof *moved);
    if (perp_scene_real(&density, at, "density", 1e-300, INFINITY) != 0)
        return -1;
    if (!isnan(density) && node.json != NULL)
        return perp_scene_fail(&node, "mass and density are both given");
    if (isnan(density) && node.json == NULL)
        return perp_scene_fail(&node, "missing, and so is density");
    if (!isnan(density))
        s->as->body.mass = density * volume(s);
    else if (perp_scene_need_real(&s->as->body.mass, at, "mass", 1e-300, INFINITY) != 0)
        return -1;
    if (!(s->as->body.mass > 0.0))
        return perp_scene_fail(&node, "missing; a density needs a shape with a volume");
    fill(moved, filled, s, s->as->body.mass);
    /* A body whose inertia is given has its centre of mass at its origin. */
    if (perp_scene_has(at, "inertia"))
        memset(moved, 0, 3 * sizeof *moved);
    shift_shapes(s, moved);
    return read_inertia(scene, &s->as->body, filled, at, s->shape.form != PERP_SCENE_NO_SHAPE);
}
