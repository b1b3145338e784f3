/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/campaign/engines/overlap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void overlap_rotation(double R[9], const double *quaternion)
{
    double s = 0.0, w, x, y, z;

    for (int k = 0; k < 4; k++)
        s += quaternion[k] * quaternion[k];
    s = s > 0.0 ? 1.0 / sqrt(s) : 0.0;
    w = s * quaternion[0];
    x = s * quaternion[1];
    y = s * quaternion[2];
    z = s * quaternion[3];
    R[0] = 1.0 - 2.0 * (y * y + z * z);
    R[1] = 2.0 * (x * y - w * z);
    R[2] = 2.0 * (x * z + w * y);
    R[3] = 2.0 * (x * y + w * z);
    R[4] = 1.0 - 2.0 * (x * x + z * z);
    R[5] = 2.0 * (y * z - w * x);
    R[6] = 2.0 * (x * z - w * y);
    R[7] = 2.0 * (y * z + w * x);
    R[8] = 1.0 - 2.0 * (x * x + y * y);
}

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* How far a shape reaches from its centre along a vector, times its length. */
static double reach(const rigid_body *body, const double R[9], const double *along)
{
    double local[3], sum = 0.0;

    if (body->shape == RIGID_SPHERE)
        return body->radius * sqrt(dot(along, along));
    for (int j = 0; j < 3; j++)
        local[j] = R[j] * along[0] + R[j + 3] * along[1] + R[j + 6] * along[2];
    if (body->shape == RIGID_BOX)
        for (int j = 0; j < 3; j++)
            sum += body->half[j] * fabs(local[j]);
    else {
        sum = -INFINITY;
        for (int k = 0; k < body->vertices; k++)
            sum = fmax(sum, dot(body->vertex[k], local));
    }
    return sum;
}

/* R and the centre of the shape. */
static void place(double R[9], double centre[3], const rigid_body *body, const double *pose)
{
    const double *at = body->shape_at;

    overlap_rotation(R, pose + 3);
    for (int k = 0; k < 3; k++)
        centre[k] = pose[k] + dot(R + 3 * k, at);
}

double overlap_with_plane(const rigid_body *body, const double *pose, const rigid_plane *plane)
{
    double R[9], centre[3], down[3];

    if (body->shape == RIGID_BARE)
        return 0.0;
    place(R, centre, body, pose);
    for (int k = 0; k < 3; k++)
        down[k] = -plane->normal[k];
    return fmax(0.0, plane->offset + reach(body, R, down) - dot(plane->normal, centre));
}

/* Two shapes at their places, and the least overlap along the directions that were tried. */
typedef struct overlap_pair {
    const rigid_body *a, *b;
    double A[9], B[9], d[3]; /* from the centre of b to that of a */
    double least;
} overlap_pair;

static void try_axis(overlap_pair *p, const double *v)
{
    double length = sqrt(dot(v, v)), w[3], back[3], along;

    if (length < 1e-6) /* parallel edges: the faces tell */
        return;
    for (int k = 0; k < 3; k++) {
        w[k] = v[k] / length;
        back[k] = -w[k];
    }
    along = dot(w, p->d);
    p->least = fmin(p->least, reach(p->a, p->A, back) + reach(p->b, p->B, w) - along);
    p->least = fmin(p->least, reach(p->a, p->A, w) + reach(p->b, p->B, back) + along);
}

/* Normals of the faces (edges 0) or edges: how many, and number k. */
static int directions(const rigid_body *body, int edges)
{
    if (body->shape == RIGID_BOX)
        return 3;
    return edges ? body->edges : body->faces;
}

static void direction(double v[3], const rigid_body *body, const double R[9], int edges, int k)
{
    const double unit[3] = {k == 0, k == 1, k == 2};
    const double *local = body->shape == RIGID_BOX ? unit : body->axis[edges ? body->faces + k : k];

    for (int i = 0; i < 3; i++)
        v[i] = dot(R + 3 * i, local);
}

static void try_faces(overlap_pair *p, const rigid_body *body, const double R[9])
{
    double v[3];

    for (int k = 0; k < directions(body, 0); k++) {
        direction(v, body, R, 0, k);
        try_axis(p, v);
    }
}

/* Separating axes: the faces of both and the products of their edges. */
static void two_solids(overlap_pair *p)
{
    double u[3], v[3], w[3];

    try_faces(p, p->a, p->A);
    try_faces(p, p->b, p->B);
    for (int i = 0; i < directions(p->a, 1); i++)
        for (int j = 0; j < directions(p->b, 1); j++) {
            direction(u, p->a, p->A, 1, i);
            direction(v, p->b, p->B, 1, j);
            w[0] = u[1] * v[2] - u[2] * v[1];
            w[1] = u[2] * v[0] - u[0] * v[2];
            w[2] = u[0] * v[1] - u[1] * v[0];
            try_axis(p, w);
        }
}

/* Corner k of b from its centre. */
static void corner(double v[3], const rigid_body *b, const double R[9], int k)
{
    const double of_box[3] = {(k & 1 ? 1 : -1) * b->half[0], (k & 2 ? 1 : -1) * b->half[1],
                              (k & 4 ? 1 : -1) * b->half[2]};
    const double *local = b->shape == RIGID_BOX ? of_box : b->vertex[k];

    for (int i = 0; i < 3; i++)
        v[i] = dot(R + 3 * i, local);
}

/* a is the sphere: directions from faces, and from the nearest points of all segments between two
 * corners, the edges among them. */
static void sphere_and_solid(overlap_pair *p)
{
    int corners = p->b->shape == RIGID_BOX ? 8 : p->b->vertices;
    double u[3], v[3], w[3];

    try_faces(p, p->b, p->B);
    for (int i = 0; i < corners; i++)
        for (int j = i; j < corners; j++) {
            double square, along = 0.0;
            corner(u, p->b, p->B, i);
            corner(v, p->b, p->B, j);
            for (int k = 0; k < 3; k++) {
                v[k] -= u[k];
                w[k] = p->d[k] - u[k];
            }
            square = dot(v, v);
            if (square > 0.0)
                along = fmin(1.0, fmax(0.0, dot(v, w) / square));
            for (int k = 0; k < 3; k++)
                w[k] -= along * v[k];
            try_axis(p, w);
        }
}

double overlap_of(const rigid_body *a, const double *pose_a, const rigid_body *b,
                  const double *pose_b)
{
    overlap_pair p = {.a = a, .b = b, .least = INFINITY};
    double at[3], to[3];

    if (a->shape == RIGID_BARE || b->shape == RIGID_BARE)
        return 0.0;
    if (b->shape == RIGID_SPHERE && a->shape != RIGID_SPHERE)
        return overlap_of(b, pose_b, a, pose_a);
    place(p.A, at, a, pose_a);
    place(p.B, to, b, pose_b);
    for (int k = 0; k < 3; k++)
        p.d[k] = at[k] - to[k];
    if (b->shape == RIGID_SPHERE)
        return fmax(0.0, a->radius + b->radius - sqrt(dot(p.d, p.d)));
    if (a->shape == RIGID_SPHERE)
        sphere_and_solid(&p);
    else
        two_solids(&p);
    return fmax(0.0, p.least);
}

/* Boxes about the shapes along the axes, sorted by their lower end in x. */
typedef struct extent {
    double low[3], high[3];
    int body;
} extent;

static int by_low(const void *a, const void *b)
{
    double x = ((const extent *)a)->low[0], y = ((const extent *)b)->low[0];

    return (x > y) - (x < y);
}

static int tied(const rigid_scene *scene, int a, int b)
{
    for (int k = 0; k < scene->joints; k++) {
        const rigid_joint *j = &scene->joint[k];
        if ((j->a == a && j->b == b) || (j->a == b && j->b == a))
            return 1;
    }
    return 0;
}

static int fill(extent *list, const rigid_scene *scene, const double *pose, int stride)
{
    int count = 0;

    for (int k = 0; k < scene->bodies; k++) {
        const double *at = pose + (size_t)k * (size_t)stride;
        double R[9], centre[3];
        if (scene->body[k].shape == RIGID_BARE)
            continue;
        place(R, centre, &scene->body[k], at);
        for (int i = 0; i < 3; i++) {
            double axis[3] = {i == 0, i == 1, i == 2}, back[3] = {-axis[0], -axis[1], -axis[2]};
            list[count].low[i] = centre[i] - reach(&scene->body[k], R, back);
            list[count].high[i] = centre[i] + reach(&scene->body[k], R, axis);
        }
        list[count++].body = k;
    }
    qsort(list, (size_t)count, sizeof *list, by_low);
    return count;
}

static double largest_pair(const rigid_scene *scene, const extent *list, int count,
                           const double *pose, int stride)
{
    double largest = 0.0;

    for (int i = 0; i < count; i++)
        for (int j = i + 1; j < count && list[j].low[0] <= list[i].high[0]; j++) {
            const extent *a = &list[i], *b = &list[j];
            double depth;
            if (a->low[1] > b->high[1] || b->low[1] > a->high[1] || a->low[2] > b->high[2] ||
                b->low[2] > a->high[2])
                continue;
            depth = overlap_of(&scene->body[a->body], pose + (size_t)a->body * (size_t)stride,
                               &scene->body[b->body], pose + (size_t)b->body * (size_t)stride);
            if (depth > largest && !tied(scene, a->body, b->body))
                largest = depth;
        }
    return largest;
}

double overlap_largest(const rigid_scene *scene, const double *pose, int stride)
{
    extent *list = malloc(((size_t)scene->bodies + 1) * sizeof *list);
    double largest = 0.0;

    if (list == NULL)
        return NAN;
    for (int k = 0; k < scene->bodies; k++)
        for (int p = 0; p < scene->planes; p++)
            largest =
                fmax(largest, overlap_with_plane(&scene->body[k], pose + (size_t)k * (size_t)stride,
                                                 &scene->plane[p]));
    largest =
        fmax(largest, largest_pair(scene, list, fill(list, scene, pose, stride), pose, stride));
    free(list);
    return largest;
}
