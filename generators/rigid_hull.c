/* SPDX-License-Identifier: BSD-3-Clause */
/* Convex hulls of few points: faces by trying all triples, mass and inertia by the tetrahedra of
 * its faces with a point inside. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "generators/rigid_scene.h"

enum { FACES = 2 * RIGID_HULL_POINTS };

typedef struct hull_work {
    const double (*point)[3];
    int points;
    double size, middle[3];
    double normal[FACES][3], offset[FACES];
    int faces;
    double direction[2 * FACES][3]; /* those of the faces, then of the edges */
    int directions, of_faces;
    double volume, first[3], second[3][3]; /* moments about the middle */
} hull_work;

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(double *c, const double *a, const double *b)
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

static void minus(double *d, const double *a, const double *b)
{
    for (int k = 0; k < 3; k++)
        d[k] = a[k] - b[k];
}

/* Among the directions `from` and later, unless one of them is parallel. */
static void add_direction(hull_work *w, const double *v, int from)
{
    double length = sqrt(dot(v, v)), c[3];

    for (int k = from; k < w->directions; k++) {
        cross(c, v, w->direction[k]);
        if (sqrt(dot(c, c)) < 1e-9 * length)
            return;
    }
    for (int i = 0; i < 3 && w->directions < 2 * FACES; i++)
        w->direction[w->directions][i] = v[i] / length;
    w->directions += w->directions < 2 * FACES;
}

/* The plane of three points, where all points lie on one side of it and it is not there yet. */
static void try_face(hull_work *w, int i, int j, int k)
{
    double a[3], b[3], n[3], length, offset, low = 0.0, high = 0.0;

    minus(a, w->point[j], w->point[i]);
    minus(b, w->point[k], w->point[i]);
    cross(n, a, b);
    length = sqrt(dot(n, n));
    if (length < 1e-9 * w->size * w->size || w->faces == FACES)
        return;
    for (int m = 0; m < 3; m++)
        n[m] /= length;
    offset = dot(n, w->point[i]);
    for (int m = 0; m < w->points; m++) {
        low = fmin(low, dot(n, w->point[m]) - offset);
        high = fmax(high, dot(n, w->point[m]) - offset);
    }
    if (high > 1e-9 * w->size) {
        if (low < -1e-9 * w->size)
            return;
        for (int m = 0; m < 3; m++)
            n[m] = -n[m];
        offset = -offset;
    }
    for (int m = 0; m < w->faces; m++)
        if (dot(n, w->normal[m]) > 1.0 - 1e-12 && fabs(offset - w->offset[m]) < 1e-9 * w->size)
            return;
    memcpy(w->normal[w->faces], n, sizeof n);
    w->offset[w->faces++] = offset;
}

/* The tetrahedron of the middle and a triangle that is seen from outside anticlockwise. */
static void add_tetrahedron(hull_work *w, const double *p, const double *q, const double *r)
{
    double a[3], b[3], c[3], bc[3], volume;

    minus(a, p, w->middle);
    minus(b, q, w->middle);
    minus(c, r, w->middle);
    cross(bc, b, c);
    volume = dot(a, bc) / 6.0;
    w->volume += volume;
    for (int i = 0; i < 3; i++) {
        double sum = a[i] + b[i] + c[i];
        w->first[i] += volume / 4.0 * sum;
        for (int j = 0; j < 3; j++)
            w->second[i][j] +=
                volume / 20.0 *
                (sum * (a[j] + b[j] + c[j]) + a[i] * a[j] + b[i] * b[j] + c[i] * c[j]);
    }
}

/* Its corners by their angle about its middle; then edges and tetrahedra. */
static void walk_face(hull_work *w, int face)
{
    int corner[RIGID_HULL_POINTS], corners = 0, first = w->of_faces;
    double angle[RIGID_HULL_POINTS], at[3] = {0}, u[3], v[3], d[3];
    const double *n = w->normal[face];

    for (int k = 0; k < w->points; k++)
        if (fabs(dot(n, w->point[k]) - w->offset[face]) < 1e-9 * w->size) {
            corner[corners++] = k;
            for (int i = 0; i < 3; i++)
                at[i] += w->point[k][i];
        }
    for (int i = 0; i < 3; i++)
        at[i] /= corners;
    minus(u, w->point[corner[0]], at);
    cross(v, n, u);
    for (int k = 0; k < corners; k++) {
        int key = corner[k], to = k;
        double its;
        minus(d, w->point[key], at);
        its = atan2(dot(v, d), dot(u, d));
        for (; to > 0 && angle[to - 1] > its; to--) {
            angle[to] = angle[to - 1];
            corner[to] = corner[to - 1];
        }
        angle[to] = its;
        corner[to] = key;
    }
    for (int k = 0; k < corners; k++) {
        const double *p = w->point[corner[k]], *q = w->point[corner[(k + 1) % corners]];
        minus(d, q, p);
        add_direction(w, d, first);
        add_tetrahedron(w, at, p, q);
    }
}

static void measure(hull_work *w)
{
    for (int k = 0; k < w->points; k++)
        for (int i = 0; i < 3; i++)
            w->middle[i] += w->point[k][i] / w->points;
    for (int k = 0; k < w->points; k++) {
        double d[3];
        minus(d, w->point[k], w->middle);
        w->size = fmax(w->size, sqrt(dot(d, d)));
    }
    for (int i = 0; i < w->points; i++)
        for (int j = i + 1; j < w->points; j++)
            for (int k = j + 1; k < w->points; k++)
                try_face(w, i, j, k);
    for (int k = 0; k < w->faces; k++)
        add_direction(w, w->normal[k], 0);
    w->of_faces = w->directions;
    for (int k = 0; k < w->faces; k++)
        walk_face(w, k);
}

/* Vertices about the centre of mass, with the box about them, and the directions behind them. */
static int fill_shape(rigid_body *b, const hull_work *w, const double *centre)
{
    double(*block)[3] = malloc((size_t)(w->points + w->directions) * sizeof *block);

    if (block == NULL)
        return -1;
    b->shape = RIGID_HULL;
    b->vertices = w->points;
    b->faces = w->of_faces;
    b->edges = w->directions - w->of_faces;
    b->vertex = block;
    b->axis = block + w->points;
    for (int k = 0; k < w->points; k++)
        for (int i = 0; i < 3; i++) {
            block[k][i] = w->point[k][i] - centre[i];
            b->half[i] = fmax(b->half[i], fabs(block[k][i]));
        }
    memcpy(b->axis, w->direction, (size_t)w->directions * sizeof w->direction[0]);
    return 0;
}

int rigid_add_hull(rigid_scene *scene, const char *name, const double (*point)[3], int points,
                   double density, const double at[3], double turn)
{
    hull_work w = {.point = point, .points = points};
    double centre[3], place[3], mass, square[3];
    int k;

    measure(&w);
    mass = density * w.volume;
    for (int i = 0; i < 3; i++) {
        double shift = w.first[i] / w.volume;
        centre[i] = w.middle[i] + shift;
        square[i] = density * (w.second[i][i] - w.volume * shift * shift);
    }
    place[0] = at[0] + cos(turn) * centre[0] + sin(turn) * centre[2];
    place[1] = at[1] + centre[1];
    place[2] = at[2] - sin(turn) * centre[0] + cos(turn) * centre[2];
    k = rigid_add_bare(
        scene, name, mass,
        (double[3]){square[1] + square[2], square[0] + square[2], square[0] + square[1]}, place,
        turn);
    if (k >= 0 && fill_shape(&scene->body[k], &w, centre) != 0) {
        scene->failed = 1;
        return -1;
    }
    return k;
}
