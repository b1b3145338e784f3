/* SPDX-License-Identifier: BSD-3-Clause */
/* The distance of two convex cores (Gilbert, Johnson, Keerthi [GilbertEtAl1988]).  The point of a
 * simplex that is nearest to the origin is sought among all its parts, that of a triangle along its
 * normal: the direction is then right however small the distance. */
#include <math.h>
#include <string.h>

#include "kernel/collide/convex.h"
#include "kernel/relations/twist.h"

enum { ROUNDS = 128 };

void perp_gjk_support(perp_minkowski *out, const perp_convex *a, const perp_convex *b,
                      const double *direction)
{
    double back[3] = {-direction[0], -direction[1], -direction[2]};
    out->branch_a = perp_convex_support(out->a, a, direction);
    out->branch_b = perp_convex_support(out->b, b, back);
    for (int k = 0; k < 3; k++)
        out->m[k] = out->a[k] - out->b[k];
}

static void subtract(double *out, const double *a, const double *b)
{
    for (int k = 0; k < 3; k++)
        out[k] = a[k] - b[k];
}

typedef struct nearest {
    int count, index[4];
    double weight[4], v[3], square, normal[3];
    int has_normal;
} nearest;

static void offer(nearest *best, const nearest *n)
{
    if (n->square < best->square)
        *best = *n;
}

static void try_point(nearest *best, const perp_simplex *s, int i)
{
    nearest n = {.count = 1, .index = {i}, .weight = {1.0}};
    memcpy(n.v, s->vertex[i].m, sizeof n.v);
    n.square = perp_dot3(n.v, n.v);
    offer(best, &n);
}

static void try_edge(nearest *best, const perp_simplex *s, int i, int j)
{
    const double *p = s->vertex[i].m, *q = s->vertex[j].m;
    double d[3];
    subtract(d, q, p);
    double square = perp_dot3(d, d), t = square > 0.0 ? -perp_dot3(p, d) / square : 0.0;
    if (!(t > 0.0 && t < 1.0))
        return;
    nearest n = {.count = 2, .index = {i, j}, .weight = {1.0 - t, t}};
    for (int k = 0; k < 3; k++)
        n.v[k] = p[k] + t * d[k];
    n.square = perp_dot3(n.v, n.v);
    offer(best, &n);
}

static void try_triangle(nearest *best, const perp_simplex *s, int i, int j, int l)
{
    const double *p = s->vertex[i].m, *q = s->vertex[j].m, *r = s->vertex[l].m;
    double u[3], w[3], normal[3], part[3];
    subtract(u, q, p);
    subtract(w, r, p);
    perp_cross3(normal, u, w);
    double square = perp_dot3(normal, normal);
    if (!(square > 1e-28 * perp_dot3(u, u) * perp_dot3(w, w)))
        return;
    nearest n = {.count = 3, .index = {i, j, l}};
    /* From p, not from the origin: the triangle may be thin, and small beside its distance. */
    perp_cross3(part, w, p);
    n.weight[1] = perp_dot3(part, normal) / square;
    perp_cross3(part, p, u);
    n.weight[2] = perp_dot3(part, normal) / square;
    n.weight[0] = 1.0 - n.weight[1] - n.weight[2];
    if (!(n.weight[0] > 0.0 && n.weight[1] > 0.0 && n.weight[2] > 0.0))
        return;
    double height = (perp_dot3(p, normal) + perp_dot3(q, normal) + perp_dot3(r, normal)) / 3.0;
    for (int k = 0; k < 3; k++) {
        n.v[k] = height / square * normal[k];
        n.normal[k] = normal[k] / sqrt(square) * (height < 0.0 ? -1.0 : 1.0);
    }
    n.has_normal = 1;
    n.square = perp_dot3(n.v, n.v);
    offer(best, &n);
}

/* The origin within the tetrahedron. */
static int contains(const perp_simplex *s)
{
    static const int face[4][4] = {{0, 1, 2, 3}, {0, 1, 3, 2}, {0, 2, 3, 1}, {1, 2, 3, 0}};
    for (int f = 0; f < 4; f++) {
        const double *p = s->vertex[face[f][0]].m;
        double u[3], w[3], to[3], normal[3];
        subtract(u, s->vertex[face[f][1]].m, p);
        subtract(w, s->vertex[face[f][2]].m, p);
        subtract(to, s->vertex[face[f][3]].m, p);
        perp_cross3(normal, u, w);
        double inner = perp_dot3(to, normal), own = -perp_dot3(p, normal);
        if (!(inner * own > 0.0))
            return 0;
    }
    return 1;
}

static void reduce(nearest *best, const perp_simplex *s)
{
    *best = (nearest){.square = INFINITY};
    for (int i = 0; i < s->count; i++)
        try_point(best, s, i);
    for (int i = 0; i < s->count; i++)
        for (int j = i + 1; j < s->count; j++)
            try_edge(best, s, i, j);
    for (int i = 0; i < s->count; i++)
        for (int j = i + 1; j < s->count; j++)
            for (int l = j + 1; l < s->count; l++)
                try_triangle(best, s, i, j, l);
}

static void take(perp_simplex *s, const nearest *n)
{
    perp_simplex kept = {.count = n->count};
    for (int k = 0; k < n->count; k++) {
        kept.vertex[k] = s->vertex[n->index[k]];
        kept.weight[k] = n->weight[k];
    }
    *s = kept;
}

static int is_known(const perp_simplex *s, const perp_minkowski *w)
{
    for (int k = 0; k < s->count; k++)
        if (memcmp(s->vertex[k].m, w->m, sizeof w->m) == 0)
            return 1;
    return 0;
}

/* On an edge v is across it: along it rounding is large beside a short v. */
static void direct(double *normal, const nearest *n, const perp_simplex *s, const double *v)
{
    double length = sqrt(perp_dot3(v, v));
    for (int k = 0; k < 3; k++)
        normal[k] = n->has_normal ? n->normal[k] : v[k] / length;
    if (n->count != 2)
        return;
    double d[3], across[3];
    subtract(d, s->vertex[1].m, s->vertex[0].m);
    double along = perp_dot3(normal, d) / perp_dot3(d, d);
    for (int k = 0; k < 3; k++)
        across[k] = normal[k] - along * d[k];
    length = sqrt(perp_dot3(across, across));
    for (int k = 0; k < 3 && length > 0.5; k++)
        normal[k] = across[k] / length;
}

int perp_gjk(perp_simplex *simplex, double *normal, const perp_convex *a, const perp_convex *b,
             double limit)
{
    double size = a->size + b->size, v[3];
    nearest best = {.square = INFINITY};
    int apart = 0; /* a plane between them was found: what says otherwise is rounding */
    simplex->count = 0;
    subtract(v, a->centre, b->centre);
    if (!(perp_dot3(v, v) > 0.0))
        v[0] = 1.0;
    direct(normal, &best, simplex, v);
    for (int round = 0; round < ROUNDS; round++) {
        perp_minkowski w;
        double down[3] = {-v[0], -v[1], -v[2]}, square = perp_dot3(v, v);
        perp_gjk_support(&w, a, b, down);
        double along = perp_dot3(v, w.m);
        if (along > 0.0 && along * along > limit * limit * square)
            return PERP_GJK_FAR;
        apart |= along > 1e-14 * size * sqrt(square);
        if (round > 0 && (square - along <= 1e-15 * square || is_known(simplex, &w)))
            break;
        perp_simplex grown = *simplex;
        grown.vertex[grown.count++] = w;
        nearest next;
        if (grown.count == 4 && !apart && contains(&grown))
            return PERP_GJK_OVERLAP;
        reduce(&next, &grown);
        if (!(next.square < best.square))
            break;
        best = next;
        take(&grown, &best);
        *simplex = grown;
        memcpy(v, best.v, sizeof v);
        if (best.has_normal || best.square > 0.0)
            direct(normal, &best, simplex, v);
        if (best.square <= 1e-22 * size * size)
            return PERP_GJK_OVERLAP;
    }
    /* Without a plane between them, what is nearest may be on either side of them for rounding. */
    return apart ? PERP_GJK_APART : PERP_GJK_OVERLAP;
}
