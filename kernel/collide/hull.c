/* SPDX-License-Identifier: BSD-3-Clause */
/* Convex hulls of points by Qhull [BarberEtAl1996]; its triangles of one plane are merged to faces.
 */
#include "config.h"

#include <math.h>
#include <string.h>

#include "kernel/collide/hull.h"
#include "kernel/relations/twist.h"

void perp_hull_free(perp_hull *hull, perp_pool *pool)
{
    if (!hull)
        return;
    perp_pool_give(pool, hull->vertex);
    perp_pool_give(pool, hull->point);
    perp_pool_give(pool, hull->start);
    perp_pool_give(pool, hull->loop);
    perp_pool_give(pool, hull->normal);
    perp_pool_give(pool, hull);
}

#ifndef HAVE_QHULL

perp_status perp_hull_make(perp_hull **hull, perp_pool *pool, const double *points, int count)
{
    (void)pool, (void)points, (void)count;
    *hull = NULL;
    return PERP_ERR_UNSUPPORTED;
}

#else

#include <stdio.h>
#include <stdlib.h>

#include <libqhull_r/qhull_ra.h>

/* Reads what Qhull found; index: of the points that are vertices, -1 for the others. */
static perp_status read_faces(perp_hull *hull, perp_pool *pool, qhT *qh, const double *points,
                              int *index)
{
    facetT *facet;
    vertexT *vertex, **vertexp;
    int corners = 0, faces = 0, at = 0;
    FORALLfacets
    {
        corners += qh_setsize(qh, facet->vertices);
        faces++;
    }
    hull->vertex = PERP_POOL_ARRAY(pool, double, 3 * qh->num_vertices);
    hull->point = PERP_POOL_ARRAY(pool, int, qh->num_vertices);
    hull->start = PERP_POOL_ARRAY(pool, int, faces + 1);
    hull->loop = PERP_POOL_ARRAY(pool, int, corners);
    hull->normal = PERP_POOL_ARRAY(pool, double, 3 * faces);
    if (!hull->vertex || !hull->point || !hull->start || !hull->loop || !hull->normal)
        return PERP_ERR_MEMORY;
    FORALLfacets
    {
        setT *ring = qh_facet3vertex(qh, facet);
        hull->start[hull->nfaces] = at;
        FOREACHvertex_(ring)
        {
            int id = qh_pointid(qh, vertex->point);
            if (index[id] < 0) {
                index[id] = hull->nvertices++;
                hull->point[index[id]] = id;
                memcpy(hull->vertex + 3 * index[id], points + 3 * id, 3 * sizeof(double));
            }
            hull->loop[at++] = index[id];
        }
        memcpy(hull->normal + 3 * hull->nfaces++, facet->normal, 3 * sizeof(double));
        qh_settempfree(qh, &ring);
    }
    hull->start[hull->nfaces] = at;
    return PERP_SOLVED;
}

/* Loops anticlockwise seen from outside, and normals of the polygons themselves (Newell). */
static void orient(perp_hull *hull)
{
    for (int f = 0; f < hull->nfaces; f++) {
        int first = hull->start[f], count = hull->start[f + 1] - first;
        double n[3] = {0.0, 0.0, 0.0}, *outwards = hull->normal + 3 * f;
        for (int i = 0; i < count; i++) {
            const double *x = hull->vertex + 3 * hull->loop[first + i];
            const double *y = hull->vertex + 3 * hull->loop[first + (i + 1) % count];
            const double *o = hull->vertex + 3 * hull->loop[first];
            double u[3] = {x[0] - o[0], x[1] - o[1], x[2] - o[2]}, part[3];
            double w[3] = {y[0] - o[0], y[1] - o[1], y[2] - o[2]};
            perp_cross3(part, u, w);
            for (int k = 0; k < 3; k++)
                n[k] += part[k];
        }
        double length = sqrt(perp_dot3(n, n)), sign = perp_dot3(n, outwards) < 0.0 ? -1.0 : 1.0;
        for (int i = 0; i < count / 2 && sign < 0.0; i++) {
            int swap = hull->loop[first + i];
            hull->loop[first + i] = hull->loop[first + count - 1 - i];
            hull->loop[first + count - 1 - i] = swap;
        }
        for (int k = 0; k < 3 && length > 0.0; k++)
            outwards[k] = sign * n[k] / length;
    }
}

perp_status perp_hull_make(perp_hull **hull, perp_pool *pool, const double *points, int count)
{
    perp_status status = PERP_ERR_MEMORY;
    char text[256], options[] = "qhull";
    FILE *errors = fmemopen(text, sizeof text, "w");
    perp_hull *made = PERP_POOL_ARRAY(pool, perp_hull, 1);
    int *index = PERP_POOL_ARRAY(pool, int, count), curlong, totlong;
    double *copy = PERP_POOL_ARRAY(pool, double, 3 * count);
    qhT *qh = calloc(1, sizeof *qh);
    *hull = NULL;
    if (made && index && copy && errors && qh) {
        memcpy(copy, points, 3 * (size_t)count * sizeof *copy);
        for (int i = 0; i < count; i++)
            index[i] = -1;
        qh_zero(qh, errors);
        int code = qh_new_qhull(qh, 3, count, copy, False, options, NULL, errors);
        status = code == qh_ERRnone  ? read_faces(made, pool, qh, points, index)
                 : code == qh_ERRmem ? PERP_ERR_MEMORY
                                     : PERP_ERR_ARGUMENT;
        qh_freeqhull(qh, !qh_ALL);
        qh_memfreeshort(qh, &curlong, &totlong);
    }
    free(qh);
    if (errors)
        fclose(errors);
    perp_pool_give(pool, index);
    perp_pool_give(pool, copy);
    if (status != PERP_SOLVED) {
        perp_hull_free(made, pool);
        return status;
    }
    orient(made);
    *hull = made;
    return PERP_SOLVED;
}

#endif

perp_status perp_hull_triangles(const double *points, int npoints, int *triangles, int *ntriangles,
                                perp_where *where)
{
    perp_pool pool;
    perp_hull *hull = NULL;
    if (where)
        *where = (perp_where){"points", -1, -1};
    if (!points || !triangles || !ntriangles || npoints < 4)
        return PERP_ERR_ARGUMENT;
    perp_pool_init(&pool, NULL);
    perp_status status = perp_hull_make(&hull, &pool, points, npoints);
    *ntriangles = 0;
    for (int f = 0; hull && f < hull->nfaces; f++)
        for (int i = hull->start[f] + 1; i + 1 < hull->start[f + 1]; i++) {
            int *to = triangles + 3 * (*ntriangles)++;
            to[0] = hull->point[hull->loop[hull->start[f]]];
            to[1] = hull->point[hull->loop[i]];
            to[2] = hull->point[hull->loop[i + 1]];
        }
    perp_hull_free(hull, &pool);
    perp_pool_free(&pool);
    return status;
}
