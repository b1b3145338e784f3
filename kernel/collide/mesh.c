/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernel/collide/mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/relations/twist.h"

enum { LEAF = 4 };

void perp_mesh_free(perp_mesh *mesh, perp_pool *pool)
{
    if (!mesh)
        return;
    perp_pool_give(pool, mesh->node);
    perp_pool_give(pool, mesh->order);
    perp_pool_give(pool, mesh->normal);
    perp_pool_give(pool, mesh->neighbour);
    perp_pool_give(pool, mesh);
}

static const double *corner(const perp_mesh *m, int triangle, int i)
{
    return m->vertex + (size_t)3 * (size_t)m->triangle[3 * triangle + i];
}

static void find_normals(perp_mesh *m)
{
    for (int t = 0; t < m->triangles; t++) {
        const double *x = corner(m, t, 0), *y = corner(m, t, 1), *z = corner(m, t, 2);
        double u[3], w[3], *n = m->normal + 3 * t;
        for (int k = 0; k < 3; k++) {
            u[k] = y[k] - x[k];
            w[k] = z[k] - x[k];
        }
        perp_cross3(n, u, w);
        double length = sqrt(perp_dot3(n, n));
        for (int k = 0; k < 3; k++)
            n[k] = length > 0.0 ? n[k] / length : 0.0;
    }
}

typedef struct side {
    int from, to, triangle, edge;
} side;

static int by_ends(const void *x, const void *y)
{
    const side *a = x, *b = y;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    if (a->to != b->to)
        return a->to < b->to ? -1 : 1;
    return a->triangle < b->triangle ? -1 : a->triangle > b->triangle;
}

static perp_status find_neighbours(perp_mesh *m, perp_pool *pool)
{
    int count = 3 * m->triangles;
    side *sides = PERP_POOL_ARRAY(pool, side, count);
    if (!sides)
        return PERP_ERR_MEMORY;
    for (int i = 0; i < count; i++) {
        int next = i % 3 == 2 ? i - 2 : i + 1;
        sides[i] = (side){m->triangle[i], m->triangle[next], i / 3, i % 3};
    }
    qsort(sides, (size_t)count, sizeof *sides, by_ends);
    for (int i = 0; i < count; i++) {
        const side *s = &sides[i];
        int lo = 0, hi = count;
        while (lo < hi) {
            int middle = lo + (hi - lo) / 2;
            const side *x = &sides[middle];
            if (x->from < s->to || (x->from == s->to && x->to < s->from))
                lo = middle + 1;
            else
                hi = middle;
        }
        int found = lo < count && sides[lo].from == s->to && sides[lo].to == s->from;
        m->neighbour[3 * s->triangle + s->edge] = found ? sides[lo].triangle : -1;
    }
    perp_pool_give(pool, sides);
    return PERP_SOLVED;
}

static void surround(perp_mesh_node *node, const perp_mesh *m)
{
    for (int k = 0; k < 3; k++) {
        node->lo[k] = INFINITY;
        node->hi[k] = -INFINITY;
    }
    for (int i = node->first; i < node->first + node->count; i++)
        for (int c = 0; c < 3; c++)
            for (int k = 0; k < 3; k++) {
                double x = corner(m, m->order[i], c)[k];
                node->lo[k] = fmin(node->lo[k], x);
                node->hi[k] = fmax(node->hi[k], x);
            }
}

/* Triangles whose middle is below the middle of the node along its longest axis come first. */
static int divide(perp_mesh *m, const perp_mesh_node *node)
{
    int axis = 0, kept = node->first;
    for (int k = 1; k < 3; k++)
        if (node->hi[k] - node->lo[k] > node->hi[axis] - node->lo[axis])
            axis = k;
    double middle = 0.0;
    for (int i = node->first; i < node->first + node->count; i++)
        for (int c = 0; c < 3; c++)
            middle += corner(m, m->order[i], c)[axis] / (3.0 * node->count);
    for (int i = node->first; i < node->first + node->count; i++) {
        int t = m->order[i];
        double sum = corner(m, t, 0)[axis] + corner(m, t, 1)[axis] + corner(m, t, 2)[axis];
        if (sum / 3.0 < middle) {
            m->order[i] = m->order[kept];
            m->order[kept++] = t;
        }
    }
    int half = kept - node->first;
    return half == 0 || half == node->count ? node->count / 2 : half;
}

static void build_tree(perp_mesh *m)
{
    m->node[0] = (perp_mesh_node){.first = 0, .count = m->triangles};
    m->nodes = 1;
    for (int i = 0; i < m->nodes; i++) {
        perp_mesh_node *node = &m->node[i];
        surround(node, m);
        if (node->count <= LEAF)
            continue;
        int half = divide(m, node);
        m->node[m->nodes] = (perp_mesh_node){.first = node->first, .count = half};
        m->node[m->nodes + 1] =
            (perp_mesh_node){.first = node->first + half, .count = node->count - half};
        node->first = m->nodes;
        node->count = 0;
        m->nodes += 2;
    }
}

perp_status perp_mesh_make(perp_mesh **mesh, perp_pool *pool, const double *vertices,
                           const int *triangles, int count)
{
    perp_mesh *m = PERP_POOL_ARRAY(pool, perp_mesh, 1);
    *mesh = NULL;
    if (!m)
        return PERP_ERR_MEMORY;
    *m = (perp_mesh){.vertex = vertices, .triangle = triangles, .triangles = count};
    m->node = PERP_POOL_ARRAY(pool, perp_mesh_node, 2 * count + 1);
    m->order = PERP_POOL_ARRAY(pool, int, count);
    m->normal = PERP_POOL_ARRAY(pool, double, 3 * count);
    m->neighbour = PERP_POOL_ARRAY(pool, int, 3 * count);
    perp_status status = m->node && m->order && m->normal && m->neighbour ? find_neighbours(m, pool)
                                                                          : PERP_ERR_MEMORY;
    if (status != PERP_SOLVED) {
        perp_mesh_free(m, pool);
        return status;
    }
    find_normals(m);
    for (int t = 0; t < count; t++)
        m->order[t] = t;
    build_tree(m);
    *mesh = m;
    return PERP_SOLVED;
}
