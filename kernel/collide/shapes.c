/* SPDX-License-Identifier: BSD-3-Clause */
/* Shapes: checks, what is derived from their definitions, addition and removal. */
#include <math.h>
#include <string.h>

#include <perp/rotation.h>

#include "core/float_environment.h"
#include "kernel/collide/collider.h"
#include "kernel/collide/hull.h"
#include "kernel/collide/mesh.h"
#include "kernel/model/away.h"
#include "numerics/core/sized.h"

void perp_shape_def_init(perp_shape_def *def, size_t size)
{
    const perp_shape_def begun = {.kind = PERP_SHAPE_SPHERE,
                                  .quaternion = {1.0, 0.0, 0.0, 0.0},
                                  .radius = 1.0,
                                  .half = {1.0, 1.0, 1.0},
                                  .normal = {0.0, 0.0, 1.0}};
    perp_sized_init(def, size, &begun, sizeof begun);
}

static perp_status refuse(perp_where *where, perp_status status, const char *what, int index)
{
    if (where)
        *where = (perp_where){what, -1, index};
    return status;
}

static int first_bad(const double *x, int n)
{
    for (int i = 0; i < n; i++)
        if (!isfinite(x[i]))
            return i;
    return -1;
}

static perp_status check_vertices(const perp_shape_def *def, int least, perp_where *where)
{
    if (!def->vertices || def->nvertices < least || def->nvertices > 1 << 24)
        return refuse(where, PERP_ERR_ARGUMENT, "vertices", -1);
    int bad = first_bad(def->vertices, 3 * def->nvertices);
    return bad >= 0 ? refuse(where, PERP_ERR_NONFINITE, "vertices", bad) : PERP_SOLVED;
}

static int is_flat(perp_shape_kind kind)
{
    return kind == PERP_SHAPE_DISC || kind == PERP_SHAPE_LINE || kind == PERP_SHAPE_POLYGON;
}

/* Turns at the vertices of a polygon that goes round once: all to one side; the sum of the areas
 * says which. */
static double turn_at(const perp_shape_def *def, int i)
{
    const double *p = def->vertices + 3 * i, *q = def->vertices + 3 * ((i + 1) % def->nvertices);
    const double *r = def->vertices + 3 * ((i + 2) % def->nvertices);
    return (q[0] - p[0]) * (r[1] - q[1]) - (q[1] - p[1]) * (r[0] - q[0]);
}

static perp_status check_polygon(const perp_shape_def *def, perp_where *where)
{
    double angles = 0.0, side;
    perp_status status = check_vertices(def, 3, where);
    if (status != PERP_SOLVED)
        return status;
    if (def->nvertices > PERP_POLYGON_VERTICES)
        return refuse(where, PERP_ERR_ARGUMENT, "nvertices", -1);
    side = turn_at(def, 0) < 0.0 ? -1.0 : 1.0;
    for (int i = 0; i < def->nvertices; i++) {
        const double *p = def->vertices + 3 * i;
        const double *q = def->vertices + 3 * ((i + 1) % def->nvertices);
        const double *r = def->vertices + 3 * ((i + 2) % def->nvertices);
        double turn = turn_at(def, i);
        if (!(side * turn > 0.0))
            return refuse(where, PERP_ERR_ARGUMENT, "vertices", (i + 1) % def->nvertices);
        angles += atan2(side * turn, (q[0] - p[0]) * (r[0] - q[0]) + (q[1] - p[1]) * (r[1] - q[1]));
    }
    return angles < 7.0 ? PERP_SOLVED : refuse(where, PERP_ERR_ARGUMENT, "vertices", -1);
}

static perp_status check_mesh(const perp_shape_def *def, perp_where *where)
{
    perp_status status = check_vertices(def, 3, where);
    if (status != PERP_SOLVED)
        return status;
    if (!def->triangles || def->ntriangles < 1 || def->ntriangles > 1 << 24)
        return refuse(where, PERP_ERR_ARGUMENT, "triangles", -1);
    for (int i = 0; i < 3 * def->ntriangles; i++)
        if (def->triangles[i] < 0 || def->triangles[i] >= def->nvertices)
            return refuse(where, PERP_ERR_ARGUMENT, "triangles", i);
    return PERP_SOLVED;
}

static perp_status check_sizes(const perp_shape_def *def, perp_where *where)
{
    perp_shape_kind kind = def->kind;
    int thick = kind == PERP_SHAPE_CYLINDER || kind == PERP_SHAPE_CONE;
    int round =
        thick || kind == PERP_SHAPE_SPHERE || kind == PERP_SHAPE_DISC || kind == PERP_SHAPE_CAPSULE;
    if (round && !((thick ? def->radius > 0.0 : def->radius >= 0.0) && isfinite(def->radius)))
        return refuse(where, PERP_ERR_ARGUMENT, "radius", -1);
    for (int k = 0; k < 3; k++) {
        int used = kind == PERP_SHAPE_BOX || kind == PERP_SHAPE_ELLIPSOID ||
                   ((thick || kind == PERP_SHAPE_CAPSULE) && k == 2);
        if (used && !(def->half[k] > 0.0 && isfinite(def->half[k])))
            return refuse(where, PERP_ERR_ARGUMENT, "half", k);
    }
    if (kind == PERP_SHAPE_POLYGON)
        return check_polygon(def, where);
    if (kind == PERP_SHAPE_HULL)
        return check_vertices(def, 4, where);
    return kind == PERP_SHAPE_MESH ? check_mesh(def, where) : PERP_SOLVED;
}

static perp_status check(perp_collider *c, const perp_shape_def *def, perp_where *where)
{
    int flat = is_flat(def->kind);
    int bad = first_bad(def->position, 3), nx, nv;
    double *v;
    if ((unsigned)def->kind > PERP_SHAPE_POLYGON)
        return refuse(where, PERP_ERR_ARGUMENT, "kind", -1);
    if (bad >= 0)
        return refuse(where, PERP_ERR_NONFINITE, "position", bad);
    if (def->material < 0)
        return refuse(where, PERP_ERR_ARGUMENT, "material", -1);
    if (def->body.generation == 0)
        return check_sizes(def, where);
    perp_status status = perp_model_state(c->model, def->body, NULL, &v, &nx, &nv);
    if (status != PERP_SOLVED)
        return refuse(where, status, "body", -1);
    if (!v || nx != (flat ? 3 : 7) || nv != (flat ? 3 : 6))
        return refuse(where, PERP_ERR_UNSUPPORTED, "body", -1);
    return check_sizes(def, where);
}

static perp_status normalise(perp_shape *shape, perp_where *where)
{
    perp_shape_def *def = &shape->def;
    if (shape->flat) {
        memcpy(def->quaternion, (double[4]){1.0, 0.0, 0.0, 0.0}, sizeof def->quaternion);
        def->position[2] = def->normal[2] = 0.0;
    }
    if (perp_quaternion_normalise(def->quaternion) != PERP_SOLVED)
        return refuse(where, PERP_ERR_ARGUMENT, "quaternion", -1);
    if (!shape->endless)
        return PERP_SOLVED;
    double *n = def->normal, norm = hypot(hypot(n[0], n[1]), n[2]);
    if (!(norm > 0.0) || !isfinite(norm))
        return refuse(where, PERP_ERR_ARGUMENT, "normal", -1);
    for (int k = 0; k < 3; k++)
        n[k] /= norm;
    return PERP_SOLVED;
}

/* Box around the shape but for its ball, in the frame of the shape. */
static void surround(double *middle, double *half, const perp_shape_def *def)
{
    memset(middle, 0, 3 * sizeof(double));
    memset(half, 0, 3 * sizeof(double));
    switch (def->kind) {
    case PERP_SHAPE_BOX:
    case PERP_SHAPE_ELLIPSOID:
        memcpy(half, def->half, 3 * sizeof(double));
        return;
    case PERP_SHAPE_CYLINDER:
    case PERP_SHAPE_CONE:
        half[0] = half[1] = def->radius;
        half[2] = def->half[2];
        middle[2] = def->kind == PERP_SHAPE_CONE ? def->half[2] : 0.0;
        return;
    case PERP_SHAPE_CAPSULE:
        half[2] = def->half[2];
        return;
    default:
        break;
    }
    for (int k = 0; k < 3 && def->nvertices > 0; k++) {
        double lo = INFINITY, hi = -INFINITY;
        for (int i = 0; i < def->nvertices; i++) {
            lo = fmin(lo, def->vertices[3 * i + k]);
            hi = fmax(hi, def->vertices[3 * i + k]);
        }
        middle[k] = 0.5 * (lo + hi);
        half[k] = 0.5 * (hi - lo);
    }
    /* A square that holds it however it is turned. */
    if (def->kind == PERP_SHAPE_POLYGON) {
        half[0] = half[1] = hypot(half[0], half[1]);
        half[2] = middle[2] = 0.0;
    }
}

static int count_points(const perp_shape_def *def)
{
    switch (def->kind) {
    case PERP_SHAPE_BOX:
        return 8;
    case PERP_SHAPE_CAPSULE:
        return 2;
    case PERP_SHAPE_MESH:
    case PERP_SHAPE_HULL:
    case PERP_SHAPE_POLYGON:
        return def->nvertices;
    case PERP_SHAPE_SPHERE:
    case PERP_SHAPE_DISC:
        return 1;
    default:
        return 0;
    }
}

/* Balls that a plane can meet: centre, ends, or vertices. */
static void place_point(double *point, const perp_shape_def *def, int i)
{
    double local[3] = {0.0, 0.0, 0.0};
    if (def->nvertices > 0)
        memcpy(local, def->vertices + 3 * i, sizeof local);
    if (def->kind == PERP_SHAPE_CAPSULE)
        local[2] = i ? def->half[2] : -def->half[2];
    for (int k = 0; k < 3 && def->kind == PERP_SHAPE_BOX; k++)
        local[k] = i >> k & 1 ? def->half[k] : -def->half[k];
    perp_quaternion_rotate(def->quaternion, local, point);
    for (int k = 0; k < 3; k++)
        point[k] += def->position[k];
}

perp_status perp_shape_list_points(perp_collider *c, perp_shape *shape, int wanted)
{
    if (!wanted) {
        perp_pool_give(&c->pool, shape->points);
        shape->points = NULL;
        return PERP_SOLVED;
    }
    if (shape->points || shape->npoints == 0)
        return PERP_SOLVED;
    shape->points = PERP_POOL_ARRAY(&c->pool, double, 3 * shape->npoints);
    for (int i = 0; shape->points && i < shape->npoints; i++)
        place_point(shape->points + 3 * i, &shape->def, i);
    return shape->points ? PERP_SOLVED : PERP_ERR_MEMORY;
}

/* Vertices anticlockwise, in the plane. */
static void go_round(double *x, const perp_shape_def *def)
{
    int count = def->nvertices;
    for (int i = 0; i < count; i++)
        x[3 * i + 2] = 0.0;
    if (turn_at(def, 0) > 0.0)
        return;
    for (int i = 0; i < count / 2; i++)
        for (int k = 0; k < 2; k++) {
            double swap = x[3 * i + k];
            x[3 * i + k] = x[3 * (count - 1 - i) + k];
            x[3 * (count - 1 - i) + k] = swap;
        }
}

/* Own copies of the arrays; of a hull its vertices alone, those that are inside are left out. */
static perp_status copy_arrays(perp_collider *c, perp_shape *shape)
{
    perp_shape_def *def = &shape->def;
    const double *vertices = def->vertices;
    const int *triangles = def->triangles;
    int count = def->nvertices;
    def->vertices = NULL;
    def->triangles = NULL;
    def->nvertices = 0;
    if (def->kind == PERP_SHAPE_HULL) {
        perp_status status = perp_hull_make(&shape->hull, &c->pool, vertices, count);
        if (status != PERP_SOLVED)
            return status;
        vertices = shape->hull->vertex;
        count = shape->hull->nvertices;
        triangles = NULL;
    } else if (def->kind == PERP_SHAPE_POLYGON) {
        triangles = NULL;
    } else if (def->kind != PERP_SHAPE_MESH) {
        return PERP_SOLVED;
    }
    double *x = PERP_POOL_ARRAY(&c->pool, double, 3 * count);
    def->vertices = x;
    if (!x)
        return PERP_ERR_MEMORY;
    def->nvertices = count;
    memcpy(x, vertices, 3 * (size_t)count * sizeof(double));
    if (def->kind == PERP_SHAPE_POLYGON)
        go_round(x, def);
    if (!triangles)
        return PERP_SOLVED;
    int *index = PERP_POOL_ARRAY(&c->pool, int, 3 * def->ntriangles);
    def->triangles = index;
    if (!index)
        return PERP_ERR_MEMORY;
    memcpy(index, triangles, 3 * (size_t)def->ntriangles * sizeof(int));
    return perp_mesh_make(&shape->mesh, &c->pool, x, index, def->ntriangles);
}

static double length3(const double *p)
{
    return sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
}

/* Copies of arrays and what follows from the definition. */
static perp_status derive(perp_collider *c, perp_shape *shape)
{
    perp_shape_def *def = &shape->def;
    double middle[3];
    perp_status status = copy_arrays(c, shape);
    if (status != PERP_SOLVED)
        return status;
    shape->npoints = count_points(def);
    int thick = def->kind == PERP_SHAPE_CYLINDER || def->kind == PERP_SHAPE_CONE;
    int round = def->kind == PERP_SHAPE_SPHERE || def->kind == PERP_SHAPE_DISC ||
                def->kind == PERP_SHAPE_CAPSULE;
    if (!thick && !round)
        def->radius = 0.0;
    shape->ball = round ? def->radius : 0.0;
    surround(middle, shape->box_half, def);
    perp_quaternion_rotate(def->quaternion, middle, shape->middle);
    for (int k = 0; k < 3; k++)
        shape->middle[k] += def->position[k];
    for (int k = 0; k < shape->npoints; k++) {
        double point[3];
        place_point(point, def, k);
        shape->arm = fmax(shape->arm, length3(point));
    }
    status = perp_shape_list_points(c, shape, !perp_model_is_absent(c->model, def->body));
    if (status != PERP_SOLVED)
        return status;
    if (shape->npoints == 0 && !shape->endless)
        shape->arm = length3(shape->middle) + length3(shape->box_half);
    if (c->has_narrow && !shape->flat && !shape->endless && def->kind <= PERP_SHAPE_MESH)
        return c->narrow.make(&shape->own, c->narrow.ctx, def);
    return PERP_SOLVED;
}

static void release(perp_collider *c, perp_shape *shape)
{
    if (shape->own)
        c->narrow.drop(shape->own, c->narrow.ctx);
    perp_hull_free(shape->hull, &c->pool);
    perp_mesh_free(shape->mesh, &c->pool);
    shape->hull = NULL;
    shape->mesh = NULL;
    perp_pool_give(&c->pool, shape->points);
    perp_pool_give(&c->pool, (void *)(uintptr_t)shape->def.vertices);
    perp_pool_give(&c->pool, (void *)(uintptr_t)shape->def.triangles);
    shape->own = NULL;
    shape->points = NULL;
    shape->def.vertices = NULL;
    shape->def.triangles = NULL;
}

void perp_shape_drop(perp_collider *c, int slot)
{
    perp_shape *shape = &c->shapes[slot];
    release(c, shape);
    perp_collider_forget_excluded(c, slot);
    shape->alive = 0;
    shape->generation++;
    shape->next_free = c->free_shape;
    c->free_shape = slot;
    c->alive--;
}

static int grow(perp_collider *c, int shapes)
{
    return perp_pool_grow(&c->pool, (void **)&c->shapes, &c->capacity_shapes, shapes,
                          sizeof(perp_shape)) &&
           perp_pool_grow(&c->pool, (void **)&c->spots, &c->capacity_spots, shapes,
                          sizeof(perp_spot));
}

perp_status perp_collider_reserve(perp_collider *collider, int shapes)
{
    if (!collider || shapes < 0)
        return PERP_ERR_ARGUMENT;
    return grow(collider, shapes) ? PERP_SOLVED : PERP_ERR_MEMORY;
}

perp_status perp_collider_add(perp_collider *collider, const perp_shape_def *def, perp_shape_id *id,
                              perp_where *where)
{
    PERP_HOLD_ENVIRONMENT();
    perp_shape shape = {0};
    if (!collider || !def)
        return refuse(where, PERP_ERR_ARGUMENT, collider ? "def" : "collider", -1);
    perp_shape_def_init(&shape.def, sizeof shape.def);
    if (perp_sized_read(&shape.def, sizeof shape.def, def) != PERP_SOLVED)
        return refuse(where, PERP_ERR_ARGUMENT, "size", -1);
    def = &shape.def;
    perp_status status = check(collider, def, where);
    if (status != PERP_SOLVED)
        return status;
    shape.endless = def->kind == PERP_SHAPE_PLANE || def->kind == PERP_SHAPE_LINE;
    shape.flat = is_flat(def->kind);
    shape.moving = def->body.generation != 0;
    status = normalise(&shape, where);
    if (status != PERP_SOLVED)
        return status;
    int fresh = collider->free_shape < 0, slot = fresh ? collider->nshapes : collider->free_shape;
    if (!grow(collider, slot + 1))
        return refuse(where, PERP_ERR_MEMORY, "shape", -1);
    status = derive(collider, &shape);
    if (status != PERP_SOLVED) {
        const char *what = def->kind != PERP_SHAPE_HULL     ? "shape"
                           : status == PERP_ERR_UNSUPPORTED ? "hull: this build has no Qhull"
                           : status == PERP_ERR_ARGUMENT    ? "vertices: they are in one plane"
                                                            : "shape";
        release(collider, &shape);
        return refuse(where, status, what, -1);
    }
    shape.generation = fresh ? 1 : collider->shapes[slot].generation;
    shape.alive = 1;
    if (fresh)
        collider->nshapes++;
    else
        collider->free_shape = collider->shapes[slot].next_free;
    collider->shapes[slot] = shape;
    collider->alive++;
    if (id)
        *id = (perp_shape_id){(uint32_t)slot, shape.generation};
    return PERP_SOLVED;
}

perp_status perp_collider_remove(perp_collider *collider, perp_shape_id id)
{
    if (!collider || id.index >= (uint32_t)collider->nshapes)
        return PERP_ERR_STATE;
    const perp_shape *shape = &collider->shapes[id.index];
    if (!shape->alive || shape->generation != id.generation)
        return PERP_ERR_STATE;
    perp_collider_clear(collider, (int)id.index);
    perp_shape_drop(collider, (int)id.index);
    return PERP_SOLVED;
}
