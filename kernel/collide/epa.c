/* SPDX-License-Identifier: BSD-3-Clause */
/* The least translation that parts two overlapping cores: a polytope within their difference grows
 * where its boundary is nearest to the origin (van den Bergen [Bergen2001]).  It is begun from
 * points far apart, so that the origin may lie outside of it or on it: the face of least height is
 * the next to grow in any case. */
#include <math.h>
#include <string.h>

#include "kernel/collide/convex.h"
#include "kernel/relations/twist.h"

enum { VERTICES = 160, FACES = 400, EDGES = 400, ATTEMPTS = 5 };

/* A polytope that cannot grow for rounding is begun again along other axes. */
static const double axes[ATTEMPTS][9] = {{1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0},
                                         {0.36, 0.48, -0.8, -0.8, 0.6, 0.0, 0.48, 0.64, 0.6},
                                         {0.6, 0.0, 0.8, -0.64, 0.6, 0.48, -0.48, -0.8, 0.36},
                                         {2.0 / 3.0, -1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0,
                                          -1.0 / 3.0, -1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0},
                                         {2.0 / 7.0, 3.0 / 7.0, 6.0 / 7.0, 3.0 / 7.0, -6.0 / 7.0,
                                          2.0 / 7.0, 6.0 / 7.0, 2.0 / 7.0, -3.0 / 7.0}};

typedef struct face {
    int v[3];
    double n[3], height;
} face;

typedef struct polytope {
    perp_minkowski vertex[VERTICES];
    face face[FACES];
    int vertices, faces;
    double size, level; /* what is above a face by less is in its plane */
} polytope;

static void subtract(double *out, const double *a, const double *b)
{
    for (int k = 0; k < 3; k++)
        out[k] = a[k] - b[k];
}

static int make_face(face *f, const polytope *p, int i, int j, int l)
{
    double u[3], w[3];
    const double *x = p->vertex[i].m;
    *f = (face){{i, j, l}, {0.0}, 0.0};
    subtract(u, p->vertex[j].m, x);
    subtract(w, p->vertex[l].m, x);
    perp_cross3(f->n, u, w);
    double square = perp_dot3(f->n, f->n);
    if (!(square > 1e-26 * perp_dot3(u, u) * perp_dot3(w, w)))
        return 0;
    for (int k = 0; k < 3; k++)
        f->n[k] /= sqrt(square);
    f->height = perp_dot3(f->n, x);
    return 1;
}

/* A start of up to four vertices that are not in one plane; their number. */
static int begin(polytope *p, const perp_convex *a, const perp_convex *b, int attempt)
{
    double d[3], u[3] = {0.0}, w[3] = {0.0}, n[3], least = 1e-10 * p->size;
    p->vertices = 1;
    memcpy(d, axes[attempt], sizeof d);
    perp_gjk_support(&p->vertex[0], a, b, d);
    for (int axis = 0; axis < 6 && p->vertices == 1; axis++) {
        for (int k = 0; k < 3; k++)
            d[k] = (axis % 2 ? 1.0 : -1.0) * axes[attempt][3 * (axis / 2) + k];
        perp_gjk_support(&p->vertex[1], a, b, d);
        subtract(u, p->vertex[1].m, p->vertex[0].m);
        if (perp_dot3(u, u) > 100.0 * least * least)
            p->vertices = 2;
    }
    if (p->vertices < 2)
        return 1;
    int axis = fabs(u[0]) < fabs(u[1]) ? 0 : 1;
    axis = fabs(u[2]) < fabs(u[axis]) ? 2 : axis;
    double e[3] = {axis == 0, axis == 1, axis == 2}, side[2][3];
    perp_cross3(side[0], u, e);
    perp_cross3(side[1], u, side[0]);
    for (int k = 0; k < 4 && p->vertices == 2; k++) {
        double s = k % 2 ? -1.0 : 1.0, length = sqrt(perp_dot3(side[k / 2], side[k / 2]));
        for (int i = 0; i < 3; i++)
            d[i] = s * side[k / 2][i] / length;
        perp_gjk_support(&p->vertex[2], a, b, d);
        subtract(w, p->vertex[2].m, p->vertex[0].m);
        if (perp_dot3(w, d) > least)
            p->vertices = 3;
    }
    if (p->vertices < 3)
        return 2;
    perp_cross3(n, u, w);
    double length = sqrt(perp_dot3(n, n));
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < 3; i++)
            d[i] = (k ? -1.0 : 1.0) * n[i] / length;
        perp_gjk_support(&p->vertex[3], a, b, d);
        subtract(w, p->vertex[3].m, p->vertex[0].m);
        if (perp_dot3(w, d) > least)
            break;
        if (k == 1)
            return 3;
    }
    p->vertices = 4;
    return 4;
}

static int close_begin(polytope *p)
{
    static const int side[4][4] = {{0, 1, 2, 3}, {0, 3, 1, 2}, {0, 2, 3, 1}, {1, 3, 2, 0}};
    p->faces = 0;
    for (int k = 0; k < 4; k++) {
        face f;
        if (!make_face(&f, p, side[k][0], side[k][1], side[k][2]))
            return 0;
        if (perp_dot3(f.n, p->vertex[side[k][3]].m) > f.height &&
            !make_face(&f, p, side[k][0], side[k][2], side[k][1]))
            return 0;
        p->face[p->faces++] = f;
    }
    return 1;
}

/* An edge that two faces in sight of the new vertex share is inside. */
static int note_edge(int (*edge)[2], int count, int u, int v)
{
    for (int k = 0; k < count; k++)
        if (edge[k][0] == v && edge[k][1] == u) {
            edge[k][0] = edge[count - 1][0];
            edge[k][1] = edge[count - 1][1];
            return count - 1;
        }
    edge[count][0] = u;
    edge[count][1] = v;
    return count + 1;
}

static int is_loop(int (*edge)[2], int count)
{
    for (int i = 0; i < count; i++) {
        int from = 0, to = 0;
        for (int j = 0; j < count; j++) {
            from += edge[j][0] == edge[i][0];
            to += edge[j][0] == edge[i][1];
        }
        if (from != 1 || to != 1)
            return 0;
    }
    return count >= 3;
}

/* 0: left as it was, or as good as it gets. */
static int grow(polytope *p, const perp_minkowski *w)
{
    int edge[EDGES][2], edges = 0, in_sight = 0;
    char seen[FACES];
    if (p->vertices == VERTICES)
        return 0;
    for (int f = 0; f < p->faces; f++) {
        const face *x = &p->face[f];
        seen[f] = perp_dot3(x->n, w->m) - x->height > p->level;
        in_sight += seen[f];
        for (int k = 0; k < 3 && seen[f]; k++) {
            if (edges == EDGES)
                return 0;
            edges = note_edge(edge, edges, x->v[k], x->v[(k + 1) % 3]);
        }
    }
    if (!is_loop(edge, edges) || p->faces - in_sight + edges > FACES)
        return 0;
    int index = p->vertices;
    p->vertex[index] = *w;
    face fresh[EDGES];
    for (int k = 0; k < edges; k++)
        if (!make_face(&fresh[k], p, edge[k][0], edge[k][1], index))
            return 0;
    int kept = 0;
    for (int f = 0; f < p->faces; f++)
        if (!seen[f])
            p->face[kept++] = p->face[f];
    for (int k = 0; k < edges; k++)
        p->face[kept++] = fresh[k];
    p->faces = kept;
    p->vertices++;
    return 1;
}

/* A difference without volume: its normal, towards the centre of a. */
static void flat(perp_simplex *simplex, double *normal, const polytope *p, int dimension,
                 const perp_convex *a, const perp_convex *b)
{
    double u[3] = {0.0}, w[3] = {0.0}, apart[3];
    subtract(apart, a->centre, b->centre);
    if (dimension > 1)
        subtract(u, p->vertex[1].m, p->vertex[0].m);
    if (dimension > 2) {
        subtract(w, p->vertex[2].m, p->vertex[0].m);
        perp_cross3(normal, u, w);
    } else if (dimension > 1) {
        int axis = fabs(u[2]) <= fabs(u[0]) && fabs(u[2]) <= fabs(u[1]) ? 2
                   : fabs(u[1]) <= fabs(u[0])                           ? 1
                                                                        : 0;
        double square = perp_dot3(u, u);
        for (int k = 0; k < 3; k++)
            normal[k] = (k == axis) - u[axis] * u[k] / square;
    } else {
        normal[0] = normal[1] = 0.0;
        normal[2] = 1.0;
    }
    double length = sqrt(perp_dot3(normal, normal)),
           s = perp_dot3(normal, apart) < 0.0 ? -1.0 : 1.0;
    for (int k = 0; k < 3; k++)
        normal[k] *= s / length;
    simplex->count = 1;
    simplex->weight[0] = 1.0;
    double down[3] = {-normal[0], -normal[1], -normal[2]};
    perp_gjk_support(&simplex->vertex[0], a, b, down);
}

static const face *lowest(const polytope *p)
{
    const face *best = &p->face[0];
    for (int f = 1; f < p->faces; f++)
        if (p->face[f].height < best->height)
            best = &p->face[f];
    return best;
}

/* Weights of the vertices of a face at the foot of the origin on it; the least of them. */
static double weigh(double *weight, const polytope *p, const face *f)
{
    double u[3], w[3], part[3], whole[3], least = INFINITY;
    const double *x[3];
    for (int k = 0; k < 3; k++)
        x[k] = p->vertex[f->v[k]].m;
    subtract(u, x[1], x[0]);
    subtract(w, x[2], x[0]);
    perp_cross3(whole, u, w);
    double square = perp_dot3(whole, whole);
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 3; i++) {
            u[i] = x[(k + 1) % 3][i] - f->height * f->n[i];
            w[i] = x[(k + 2) % 3][i] - f->height * f->n[i];
        }
        perp_cross3(part, u, w);
        weight[k] = perp_dot3(part, whole) / square;
        least = fmin(least, weight[k]);
    }
    return least;
}

/* Of the triangles of one face of the difference that which holds the foot. */
static void finish(perp_simplex *simplex, double *normal, const polytope *p, const face *f)
{
    double weight[3], best = weigh(simplex->weight, p, f), sum = 0.0;
    const face *chosen = f;
    for (int k = 0; k < p->faces && best < 0.0; k++) {
        const face *other = &p->face[k];
        if (other->height > f->height + 1e-9 * p->size)
            continue;
        double least = weigh(weight, p, other);
        if (least > best) {
            best = least;
            chosen = other;
        }
    }
    weigh(weight, p, chosen);
    simplex->count = 3;
    for (int k = 0; k < 3; k++) {
        simplex->vertex[k] = p->vertex[chosen->v[k]];
        simplex->weight[k] = fmax(0.0, weight[k]);
        sum += simplex->weight[k];
        normal[k] = -chosen->n[k];
    }
    for (int k = 0; k < 3; k++)
        simplex->weight[k] /= sum;
}

/* Grows until the lowest face is on the boundary: what is missing to that. */
static double attempt_to_grow(polytope *p, const perp_convex *a, const perp_convex *b)
{
    for (;;) {
        const face *f = lowest(p);
        perp_minkowski w;
        perp_gjk_support(&w, a, b, f->n);
        double missing = perp_dot3(w.m, f->n) - f->height;
        if (missing <= 3e-10 * p->size || !grow(p, &w))
            return missing;
    }
}

void perp_epa(perp_simplex *simplex, double *normal, const perp_convex *a, const perp_convex *b)
{
    polytope p;
    perp_simplex found;
    double n[3], best = -INFINITY;
    p.size = a->size + b->size;
    for (int k = 0; k < ATTEMPTS; k++) {
        int dimension = begin(&p, a, b, k);
        p.level = k % 2 ? 1e-12 * p.size : 1e-14 * p.size;
        if (dimension < 4 || !close_begin(&p)) {
            if (best == -INFINITY)
                flat(simplex, normal, &p, dimension < 4 ? dimension : 3, a, b);
            return;
        }
        double missing = attempt_to_grow(&p, a, b);
        finish(&found, n, &p, lowest(&p));
        double g = perp_convex_gap(a, b, n);
        if (g > best) {
            best = g;
            *simplex = found;
            memcpy(normal, n, sizeof n);
        }
        if (missing <= 1e-7 * p.size)
            return;
    }
}
