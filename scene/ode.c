/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include <string.h>

#include <perp/narrow_phase.h>

#ifndef HAVE_ODE

perp_status perp_narrow_phase_create(perp_narrow_phase *narrow, const perp_allocator *allocator)
{
    (void)allocator;
    if (narrow == NULL)
        return PERP_ERR_ARGUMENT;
    memset(narrow, 0, sizeof *narrow);
    return PERP_ERR_UNSUPPORTED;
}

void perp_narrow_phase_destroy(perp_narrow_phase *narrow)
{
    (void)narrow;
}

#else

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <ode/ode.h>

#include <perp/rotation.h>

#include "scene/ball_mesh.h"
#include "scene/scene_memory.h"

enum { MOST = 32, PROJECTIONS = 8 };

typedef struct solid {
    perp_shape_def def;
    dGeomID geom;
    dTriMeshDataID data;
} solid;

/* A sphere for the ends of capsules, and the triangles that the engine found near one. */
typedef struct engine {
    perp_allocator memory;
    void *ball;
    int *found;
    int nfound, capacity, lacks_memory;
    int broken; /* the engine gave up in the middle of a call */
} engine;

/* One of a pair where it is. */
typedef struct placed {
    const solid *solid;
    const double *pose;
    double grown; /* what it was enlarged by */
} placed;

/* The engine ends the process once a handler of errors returns.  These leave its call instead; they
 * are in place only while it is called. */
static _Thread_local jmp_buf *way_out;

static void give_up(int number, const char *text, va_list arguments)
{
    (void)number, (void)text, (void)arguments;
    longjmp(*way_out, 1);
}

static void be_silent(int number, const char *text, va_list arguments)
{
    (void)number, (void)text, (void)arguments;
}

typedef struct handlers {
    dMessageFunction *error, *debug, *message;
} handlers;

static handlers take_over(void)
{
    handlers old = {dGetErrorHandler(), dGetDebugHandler(), dGetMessageHandler()};

    dSetErrorHandler(give_up);
    dSetDebugHandler(give_up);
    dSetMessageHandler(be_silent);
    return old;
}

static void hand_back(handlers old)
{
    dSetErrorHandler(old.error);
    dSetDebugHandler(old.debug);
    dSetMessageHandler(old.message);
}

/* Calls `action`; 0 where the engine gave up in it, now or before. */
static int attempt(engine *e, void (*action)(engine *e, void *data), void *data)
{
    jmp_buf here, *outer = way_out;
    handlers old;

    if (e->broken)
        return 0;
    old = take_over();
    way_out = &here;
    if (setjmp(here) == 0)
        action(e, data);
    else
        e->broken = 1;
    way_out = outer;
    hand_back(old);
    return !e->broken;
}

/* Called by the engine for each triangle of a mesh near another shape.  For spheres it only
 * lists them: what it makes of edges is not exact. */
static int collect(dGeomID mesh, dGeomID other, int triangle)
{
    engine *e = dGeomGetData(mesh);
    if (dGeomGetClass(other) != dSphereClass)
        return 1;
    if (e->nfound == e->capacity) {
        int capacity = 2 * e->capacity + 64;
        int *more = perp_scene_zeroed(&e->memory, (size_t)capacity, sizeof *more);
        if (!more) {
            e->lacks_memory = 1;
            return 0;
        }
        if (e->nfound > 0)
            memcpy(more, e->found, (size_t)e->nfound * sizeof *more);
        perp_scene_release(&e->memory, e->found);
        e->found = more;
        e->capacity = capacity;
    }
    e->found[e->nfound++] = triangle;
    return 0;
}

static int ascending(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static void build(engine *e, void *data)
{
    solid *made = data;
    const perp_shape_def *def = &made->def;

    switch (def->kind) {
    case PERP_SHAPE_SPHERE:
        made->geom = dCreateSphere(NULL, def->radius > 0.0 ? def->radius : 1.0);
        break;
    case PERP_SHAPE_BOX:
        made->geom = dCreateBox(NULL, 2.0 * def->half[0], 2.0 * def->half[1], 2.0 * def->half[2]);
        break;
    case PERP_SHAPE_CAPSULE:
        made->geom =
            dCreateCapsule(NULL, def->radius > 0.0 ? def->radius : 1.0, 2.0 * def->half[2]);
        break;
    default:
        made->data = dGeomTriMeshDataCreate();
        dGeomTriMeshDataBuildDouble(made->data, def->vertices, 3 * sizeof(double), def->nvertices,
                                    def->triangles, 3 * def->ntriangles, 3 * sizeof(int));
        made->geom = dCreateTriMesh(NULL, made->data, collect, NULL, NULL);
        dGeomSetData(made->geom, e);
    }
}

static perp_status make(void **own, void *ctx, const perp_shape_def *def)
{
    engine *e = ctx;
    solid *made = perp_scene_zeroed(&e->memory, 1, sizeof *made);

    if (!made)
        return PERP_ERR_MEMORY;
    made->def = *def;
    if (!attempt(e, build, made)) {
        perp_scene_release(&e->memory, made);
        return PERP_ERR_NUMERICAL;
    }
    *own = made;
    return PERP_SOLVED;
}

static void drop(void *own, void *ctx)
{
    engine *e = ctx;
    solid *s = own;
    dGeomDestroy(s->geom);
    if (s->data)
        dGeomTriMeshDataDestroy(s->data);
    perp_scene_release(&e->memory, s);
}

static int is_round(const placed *p)
{
    return p->solid->def.kind == PERP_SHAPE_SPHERE || p->solid->def.kind == PERP_SHAPE_CAPSULE;
}

static int is_box(const placed *p)
{
    return p->solid->def.kind == PERP_SHAPE_BOX;
}

/* Sets size and place of the shape in the engine. */
static void place(const placed *p)
{
    const perp_shape_def *def = &p->solid->def;
    dGeomID geom = p->solid->geom;
    double more = p->grown;
    if (def->kind == PERP_SHAPE_SPHERE)
        dGeomSphereSetRadius(geom, def->radius + more);
    if (def->kind == PERP_SHAPE_CAPSULE)
        dGeomCapsuleSetParams(geom, def->radius + more, 2.0 * def->half[2]);
    if (def->kind == PERP_SHAPE_BOX)
        dGeomBoxSetLengths(geom, 2.0 * (def->half[0] + more), 2.0 * (def->half[1] + more),
                           2.0 * (def->half[2] + more));
    dQuaternion turned = {p->pose[3], p->pose[4], p->pose[5], p->pose[6]};
    dGeomSetPosition(geom, p->pose[0], p->pose[1], p->pose[2]);
    dGeomSetQuaternion(geom, turned);
}

/* The point of the axis of a sphere or capsule that is nearest to x. */
static void nearest_of_axis(double *out, const placed *p, const double *x)
{
    const double *centre = p->pose;
    double z[3] = {0.0, 0.0, 1.0}, along = 0.0, half = p->solid->def.half[2];
    if (p->solid->def.kind == PERP_SHAPE_SPHERE)
        half = 0.0;
    perp_quaternion_rotate(p->pose + 3, z, z);
    for (int k = 0; k < 3; k++)
        along += z[k] * (x[k] - centre[k]);
    along = fmax(-half, fmin(half, along));
    for (int k = 0; k < 3; k++)
        out[k] = centre[k] + along * z[k];
}

/* x moved into a box; other shapes leave it where it is. */
static void into_box(double *x, const placed *p)
{
    double local[3];
    if (!is_box(p))
        return;
    for (int k = 0; k < 3; k++)
        local[k] = x[k] - p->pose[k];
    perp_quaternion_rotate_back(p->pose + 3, local, local);
    for (int k = 0; k < 3; k++)
        local[k] = fmax(-p->solid->def.half[k], fmin(p->solid->def.half[k], local[k]));
    perp_quaternion_rotate(p->pose + 3, local, local);
    for (int k = 0; k < 3; k++)
        x[k] = p->pose[k] + local[k];
}

/* How much farther a shape reaches along n for having been enlarged. */
static double growth_along(const placed *p, const double *n)
{
    double local[3];
    if (p->grown == 0.0 || !is_box(p))
        return p->grown;
    perp_quaternion_rotate_back(p->pose + 3, n, local);
    return p->grown * (fabs(local[0]) + fabs(local[1]) + fabs(local[2]));
}

/* Points of boxes taken back to the true boxes.  0: the enlarged ones met at edges
 * that pass each other. */
static int settle_boxes(perp_contact_point *point, const placed *a, const placed *b, double reach)
{
    double other[3], square = 0.0, apart = fmax(point->gap, 0.0);
    into_box(point->point_a, a);
    memcpy(other, point->point_a, sizeof other);
    for (int round = 0; round < PROJECTIONS && is_box(a) && is_box(b); round++) {
        memcpy(other, point->point_a, sizeof other);
        into_box(other, b);
        memcpy(point->point_a, other, sizeof other);
        into_box(point->point_a, a);
    }
    for (int k = 0; k < 3 && is_box(a) && is_box(b); k++) {
        double off = point->point_a[k] - other[k] - apart * point->normal[k];
        square += off * off;
    }
    return sqrt(square) <= 0.2 * reach;
}

static int settle(perp_contact_point *point, const placed *a, const placed *b,
                  const dContactGeom *found, double reach)
{
    double axis[3];
    for (int k = 0; k < 3; k++) {
        point->normal[k] = found->normal[k];
        point->point_a[k] = found->pos[k];
    }
    point->gap = growth_along(a, point->normal) + growth_along(b, point->normal) - found->depth;
    if (is_round(a) || is_round(b)) {
        const placed *round = is_round(a) ? a : b;
        double radius =
            is_round(a) ? -round->solid->def.radius : round->solid->def.radius + point->gap;
        nearest_of_axis(axis, round, point->point_a);
        for (int k = 0; k < 3; k++)
            point->point_a[k] = axis[k] + radius * point->normal[k];
    } else if (!settle_boxes(point, a, b, reach)) {
        return 0;
    }
    for (int k = 0; k < 3; k++)
        point->point_b[k] = point->point_a[k] - point->gap * point->normal[k];
    return point->gap <= reach;
}

static int is_new(const perp_contact_point *points, int count, double apart)
{
    for (int i = 0; i < count; i++) {
        double square = 0.0;
        for (int k = 0; k < 3; k++) {
            double d = points[i].point_a[k] - points[count].point_a[k];
            square += d * d;
        }
        if (square < apart * apart)
            return 0;
    }
    return 1;
}

/* A sphere and a mesh: the engine finds the triangles, the points are made here. */
static int add_ball_points(perp_contact_point *points, int count, int capacity, engine *e,
                           const placed *a, const placed *b, double reach)
{
    const placed *mesh = a->solid->def.kind == PERP_SHAPE_MESH ? a : b;
    const placed *ball = mesh == a ? b : a;
    const double *p = mesh->pose + 3;
    double centre[3];
    for (int k = 0; k < 3; k++)
        centre[k] = ball->pose[k] - mesh->pose[k];
    perp_quaternion_rotate_back(p, centre, centre);
    qsort(e->found, (size_t)e->nfound, sizeof(int), ascending);
    int n = ball_mesh_points(points + count, capacity - count, &mesh->solid->def, e->found,
                             e->nfound, centre, ball->solid->def.radius, reach);
    for (int i = count; i < count + n; i++) {
        double on_ball[3], on_mesh[3], sign = mesh == a ? -1.0 : 1.0;
        perp_quaternion_rotate(p, points[i].point_a, on_ball);
        perp_quaternion_rotate(p, points[i].point_b, on_mesh);
        perp_quaternion_rotate(p, points[i].normal, points[i].normal);
        for (int k = 0; k < 3; k++) {
            points[i].normal[k] *= sign;
            points[i].point_a[k] = mesh->pose[k] + (mesh == a ? on_mesh[k] : on_ball[k]);
            points[i].point_b[k] = mesh->pose[k] + (mesh == a ? on_ball[k] : on_mesh[k]);
        }
    }
    return count + n;
}

static int is_ball_and_mesh(const placed *a, const placed *b)
{
    perp_shape_kind x = a->solid->def.kind, y = b->solid->def.kind;
    return (x == PERP_SHAPE_SPHERE && y == PERP_SHAPE_MESH) ||
           (x == PERP_SHAPE_MESH && y == PERP_SHAPE_SPHERE);
}

/* Adds the points of one call of the engine to those that there are. */
static int add_points(perp_contact_point *points, int count, int capacity, engine *e,
                      const placed *a, const placed *b, double reach)
{
    dContactGeom found[MOST];
    perp_contact_point point[1];
    place(a);
    place(b);
    e->nfound = 0;
    int n = dCollide(a->solid->geom, b->solid->geom, MOST, found, sizeof *found);
    if (is_ball_and_mesh(a, b))
        return add_ball_points(points, count, capacity, e, a, b, reach);
    for (int k = 0; k < n && count < capacity; k++) {
        if (!settle(point, a, b, &found[k], reach))
            continue;
        points[count] = *point;
        count += is_new(points, count, 0.05 * reach);
    }
    return count;
}

/* The engine gives one point for a capsule: its ends as spheres add those of a capsule that
 * lies flat. */
static int add_ends(perp_contact_point *points, int count, int capacity, engine *e, const placed *a,
                    const placed *b, double reach)
{
    const placed *capsule = a->solid->def.kind == PERP_SHAPE_CAPSULE ? a : b;
    const placed *second = capsule == a ? b : a;
    if (capsule->solid->def.kind != PERP_SHAPE_CAPSULE ||
        second->solid->def.kind == PERP_SHAPE_SPHERE)
        return count;
    solid sphere = *(const solid *)e->ball;
    sphere.def.radius = capsule->solid->def.radius;
    for (int end = -1; end <= 1; end += 2) {
        double pose[7], z[3] = {0.0, 0.0, end * capsule->solid->def.half[2]};
        placed p = {&sphere, pose, reach}, other = *second;
        other.grown = 0.0;
        memcpy(pose, capsule->pose, sizeof pose);
        perp_quaternion_rotate(pose + 3, z, z);
        for (int k = 0; k < 3; k++)
            pose[k] += z[k];
        count = add_points(points, count, capacity, e, capsule == a ? &p : &other,
                           capsule == a ? &other : &p, reach);
    }
    return count;
}

typedef struct pair {
    perp_contact_point *points;
    int capacity, count;
    placed a, b;
    double reach;
} pair;

static void find_points(engine *e, void *data)
{
    pair *p = data;
    int count = add_ends(p->points, 0, p->capacity, e, &p->a, &p->b, p->reach);

    p->count = add_points(p->points, count, p->capacity, e, &p->a, &p->b, p->reach);
}

static int collide(perp_contact_point *points, int capacity, void *ctx, void *own_a,
                   const double *pose_a, void *own_b, const double *pose_b, double reach)
{
    engine *e = ctx;
    pair p = {points, capacity, 0, {own_a, pose_a, 0.0}, {own_b, pose_b, 0.0}, reach};
    if (is_round(&p.a))
        p.a.grown = reach;
    else if (is_round(&p.b))
        p.b.grown = reach;
    else if (is_box(&p.a))
        p.a.grown = reach;
    else if (is_box(&p.b))
        p.b.grown = reach;
    return attempt(e, find_points, &p) && !e->lacks_memory ? p.count : -1;
}

perp_status perp_narrow_phase_create(perp_narrow_phase *narrow, const perp_allocator *allocator)
{
    perp_allocator memory = perp_scene_memory(allocator);
    perp_shape_def def;
    engine *e;

    if (!narrow)
        return PERP_ERR_ARGUMENT;
    memset(narrow, 0, sizeof *narrow);
    e = perp_scene_zeroed(&memory, 1, sizeof *e);
    if (!e)
        return PERP_ERR_MEMORY;
    e->memory = memory;
    perp_shape_def_init(&def, sizeof def);
    if (!dInitODE2(0)) {
        perp_scene_release(&memory, e);
        return PERP_ERR_MEMORY;
    }
    if (!dAllocateODEDataForThread((unsigned)dAllocateMaskAll) ||
        make(&e->ball, e, &def) != PERP_SOLVED) {
        dCloseODE();
        perp_scene_release(&memory, e);
        return PERP_ERR_MEMORY;
    }
    *narrow = (perp_narrow_phase){.size = sizeof(perp_narrow_phase),
                                  .ctx = e,
                                  .make = make,
                                  .drop = drop,
                                  .collide = collide};
    return PERP_SOLVED;
}

void perp_narrow_phase_destroy(perp_narrow_phase *narrow)
{
    engine *e = narrow ? narrow->ctx : NULL;
    perp_allocator memory;

    if (!e)
        return;
    drop(e->ball, e);
    memory = e->memory;
    perp_scene_release(&memory, e->found);
    perp_scene_release(&memory, e);
    dCloseODE();
    memset(narrow, 0, sizeof *narrow);
}

#endif
