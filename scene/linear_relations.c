/* SPDX-License-Identifier: BSD-3-Clause */
/* y = C x + D lambda + e - motion(t), r = B lambda. */
#include <math.h>
#include <string.h>

#include "scene/numbers.h"
#include "scene/relations.h"

typedef struct moving {
    const double *C, *e;
    perp_scene_motion *motion; /* of each row */
    int rows, entries;
} moving;

static int offset_at(double *out, double t, const double *x, const double *lambda, const double *z,
                     void *user)
{
    const moving *m = user;

    (void)x, (void)lambda, (void)z;
    for (int k = 0; k < m->rows; k++)
        out[k] = (m->e != NULL ? m->e[k] : 0.0) - perp_scene_motion_value(&m->motion[k], t);
    return 0;
}

static int output_at(double *out, double t, const double *x, const double *lambda, const double *z,
                     void *user)
{
    const moving *m = user;

    offset_at(out, t, x, lambda, z, user);
    for (int j = 0; j < m->entries; j++)
        for (int i = 0; i < m->rows; i++)
            out[i] += m->C[i + j * m->rows] * x[j];
    return 0;
}

static int slope_at(double *out, double t, const double *x, const double *lambda, const double *z,
                    void *user)
{
    const moving *m = user;

    (void)t, (void)x, (void)lambda, (void)z;
    memcpy(out, m->C, (size_t)m->rows * (size_t)m->entries * sizeof *out);
    return 0;
}

static int drift_at(double *out, double t, const double *x, const double *lambda, const double *z,
                    void *user)
{
    const moving *m = user;

    (void)x, (void)lambda, (void)z;
    for (int k = 0; k < m->rows; k++)
        out[k] = -perp_scene_motion_rate(&m->motion[k], t);
    return 0;
}

/* The list "motion" of {"row", amplitude, frequency, phase, polynomial}. */
static int read_motions(perp_scene_link *link, moving *m, const perp_scene_node *at)
{
    perp_scene_node list = perp_scene_get(at, "motion");
    size_t count;

    m->motion = perp_scene_take(link->scene, (size_t)m->rows, sizeof *m->motion);
    if (m->motion == NULL || perp_scene_array(&list, &count) != 0)
        return -1;
    for (size_t k = 0; k < count; k++) {
        perp_scene_node node = perp_scene_at(&list, k);
        int row = 0;
        if (perp_scene_object(&node, "row " PERP_SCENE_MOTION_KEYS) != 0 ||
            perp_scene_integer(&row, &node, "row", 0, m->rows - 1) != 0 ||
            perp_scene_read_motion(link->scene, &m->motion[row], &node) != 0)
            return -1;
    }
    return 0;
}

static int set_motion(perp_scene_link *link, const perp_scene_node *at)
{
    perp_relation *relation = &link->def.relation;
    perp_scene_node node = perp_scene_get(at, "motion"), D = perp_scene_get(at, "D");
    moving *m = perp_scene_take(link->scene, 1, sizeof *m);

    if (m == NULL)
        return -1;
    m->C = relation->C;
    m->e = relation->e;
    m->rows = relation->rows;
    m->entries = link->entries;
    if (m->C == NULL)
        return perp_scene_fail(&node, "needs C");
    if (read_motions(link, m, at) != 0)
        return -1;
    relation->user = m;
    if (link->systems[0]->kind == PERP_SCENE_FIRST_ORDER) {
        relation->e = NULL;
        relation->e_at = offset_at;
        return 0;
    }
    if (D.json != NULL)
        return perp_scene_fail(&D, "a motion on a mechanical system goes without D");
    relation->kind = PERP_RELATION_RHEONOMOUS;
    relation->C = relation->e = NULL;
    relation->h = output_at;
    relation->h_x = slope_at;
    relation->h_t = drift_at;
    return 0;
}

int perp_scene_read_linear(perp_scene_link *link, const perp_scene_node *at)
{
    perp_relation *relation = &link->def.relation;
    perp_scene_node law = perp_scene_get(at->up, "law"), bias = perp_scene_get(at, "C");
    double *C = NULL, *D = NULL, *B = NULL, *e = NULL;
    int rows = -1, entries = link->entries;

    relation->kind = PERP_RELATION_LINEAR;
    if (perp_scene_object(at, "type C D B e motion") != 0)
        return -1;
    if (!link->has_law)
        return perp_scene_fail(&law, "missing");
    if (perp_scene_matrix(link->scene, &C, &rows, &entries, at, "C") != 0 ||
        perp_scene_matrix(link->scene, &D, &rows, &rows, at, "D") != 0 ||
        perp_scene_matrix(link->scene, &B, &entries, &rows, at, "B") != 0 ||
        perp_scene_vector(link->scene, &e, &rows, at, "e") != 0)
        return -1;
    if (rows < 0)
        return perp_scene_fail(&bias, "missing");
    if (rows % link->def.law.dim != 0)
        return perp_scene_fail(at, "%d rows do not divide by the %d of the law", rows,
                               link->def.law.dim);
    relation->rows = rows;
    relation->C = C;
    relation->D = D;
    relation->B = B;
    relation->e = e;
    return perp_scene_has(at, "motion") ? set_motion(link, at) : 0;
}
