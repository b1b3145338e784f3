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

/* Half the width of a shape along a unit vector. */
static double reach(const rigid_body *body, const double R[9], const double *along)
{
    double sum = 0.0;

    if (body->shape == RIGID_SPHERE)
        return body->radius;
    for (int j = 0; j < 3; j++)
        sum += body->half[j] * fabs(R[j] * along[0] + R[j + 3] * along[1] + R[j + 6] * along[2]);
    return sum;
}

double overlap_with_plane(const rigid_body *body, const double *pose, const rigid_plane *plane)
{
    double R[9];

    if (body->shape == RIGID_BARE)
        return 0.0;
    overlap_rotation(R, pose + 3);
    return fmax(0.0, plane->offset + reach(body, R, plane->normal) - dot(plane->normal, pose));
}

static double two_spheres(const rigid_body *a, const double *pose_a, const rigid_body *b,
                          const double *pose_b)
{
    double d[3];

    for (int k = 0; k < 3; k++)
        d[k] = pose_a[k] - pose_b[k];
    return fmax(0.0, a->radius + b->radius - sqrt(dot(d, d)));
}

static double sphere_and_box(const rigid_body *ball, const double *at, const rigid_body *box,
                             const double *pose)
{
    double R[9], d[3], out = 0.0, inside = INFINITY;

    overlap_rotation(R, pose + 3);
    for (int k = 0; k < 3; k++)
        d[k] = at[k] - pose[k];
    for (int j = 0; j < 3; j++) {
        double local = fabs(R[j] * d[0] + R[j + 3] * d[1] + R[j + 6] * d[2]) - box->half[j];
        out += local > 0.0 ? local * local : 0.0;
        inside = fmin(inside, -local);
    }
    return out > 0.0 ? fmax(0.0, ball->radius - sqrt(out)) : ball->radius + inside;
}

/* Separating axes: the faces of both and the products of their edges. */
static double two_boxes(const rigid_body *a, const double *pose_a, const rigid_body *b,
                        const double *pose_b)
{
    double A[9], B[9], d[3], axis[15][3], least = INFINITY;

    overlap_rotation(A, pose_a + 3);
    overlap_rotation(B, pose_b + 3);
    for (int k = 0; k < 3; k++)
        d[k] = pose_a[k] - pose_b[k];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            axis[i][k] = A[3 * k + i];
            axis[3 + i][k] = B[3 * k + i];
        }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            const double *u = axis[i], *v = axis[3 + j];
            double *w = axis[6 + 3 * i + j];
            w[0] = u[1] * v[2] - u[2] * v[1];
            w[1] = u[2] * v[0] - u[0] * v[2];
            w[2] = u[0] * v[1] - u[1] * v[0];
        }
    for (int i = 0; i < 15; i++) {
        double length = sqrt(dot(axis[i], axis[i]));
        if (length < 1e-6) /* parallel edges: the faces tell */
            continue;
        for (int k = 0; k < 3; k++)
            axis[i][k] /= length;
        least = fmin(least, reach(a, A, axis[i]) + reach(b, B, axis[i]) - fabs(dot(axis[i], d)));
    }
    return fmax(0.0, least);
}

double overlap_of(const rigid_body *a, const double *pose_a, const rigid_body *b,
                  const double *pose_b)
{
    if (a->shape == RIGID_BARE || b->shape == RIGID_BARE)
        return 0.0;
    if (a->shape == RIGID_SPHERE && b->shape == RIGID_SPHERE)
        return two_spheres(a, pose_a, b, pose_b);
    if (a->shape == RIGID_SPHERE)
        return sphere_and_box(a, pose_a, b, pose_b);
    if (b->shape == RIGID_SPHERE)
        return sphere_and_box(b, pose_b, a, pose_a);
    return two_boxes(a, pose_a, b, pose_b);
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
        double R[9];
        if (scene->body[k].shape == RIGID_BARE)
            continue;
        overlap_rotation(R, at + 3);
        for (int i = 0; i < 3; i++) {
            double axis[3] = {i == 0, i == 1, i == 2}, r = reach(&scene->body[k], R, axis);
            list[count].low[i] = at[i] - r;
            list[count].high[i] = at[i] + r;
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
