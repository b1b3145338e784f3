/* SPDX-License-Identifier: BSD-3-Clause */
/* Relations in the plane: a carried point on a line, discs on lines and on each other,
 * distances of points.  Row 0 is the gap along the normal, row 1 the sliding along the normal
 * turned by +90 degrees. */
#include <math.h>
#include <string.h>

#include "scene/relations.h"
#include "scene/spring.h"

typedef struct contact {
    const perp_scene_member *system[2];
    perp_scene_end end[2];
    double normal[2], offset, radius[2];
    double length, sign;
    int rows;
} contact;

static contact *make(perp_scene_link *link, const perp_scene_node *at, int rows)
{
    perp_relation *relation = &link->def.relation;
    contact *made = perp_scene_take(link->scene, 1, sizeof *made);

    if (made == NULL || perp_scene_want_rows(link, at, rows) != 0)
        return NULL;
    for (int k = 0; k < link->nsystems && k < 2; k++)
        made->system[k] = link->systems[k];
    made->rows = link->def.law.dim;
    relation->kind = PERP_RELATION_SCLERONOMOUS;
    relation->rows = made->rows;
    relation->user = made;
    return made;
}

static int point_line(double *out, double t, const double *x, const double *lambda, const double *z,
                      void *user)
{
    const contact *c = user;
    const double *n = c->normal;
    double place[3];

    (void)t, (void)lambda, (void)z;
    c->system[0]->point(place, NULL, c->system[0], x, &c->end[0]);
    out[0] = n[0] * place[0] + n[1] * place[1] - c->offset;
    if (c->rows == 2)
        out[1] = -n[1] * place[0] + n[0] * place[1];
    return 0;
}

static int point_line_x(double *out, double t, const double *x, const double *lambda,
                        const double *z, void *user)
{
    const contact *c = user;
    const double *n = c->normal;
    double jacobian[3 * 64];

    (void)t, (void)lambda, (void)z;
    c->system[0]->point(NULL, jacobian, c->system[0], x, &c->end[0]);
    for (int j = 0; j < c->system[0]->nx; j++) {
        const double *column = jacobian + 2 * j;
        out[c->rows * j] = n[0] * column[0] + n[1] * column[1];
        if (c->rows == 2)
            out[2 * j + 1] = -n[1] * column[0] + n[0] * column[1];
    }
    return 0;
}

/* Where a point, or the lowest one of a disc around it, is nearest to the line. */
static int at_line(perp_contact_point *point, const contact *c, const double *place)
{
    double height = c->normal[0] * place[0] + c->normal[1] * place[1] - c->offset;

    memset(point, 0, sizeof *point);
    point->gap = height - c->radius[0];
    for (int i = 0; i < 2; i++) {
        point->normal[i] = c->normal[i];
        point->point_a[i] = place[i] - c->radius[0] * c->normal[i];
        point->point_b[i] = place[i] - height * c->normal[i];
    }
    return 0;
}

static int point_touches(perp_contact_point *point, double t, const double *q_a, const double *q_b,
                         const double *z, void *user)
{
    const contact *c = user;
    double place[3];

    (void)t, (void)q_b, (void)z;
    c->system[0]->point(place, NULL, c->system[0], q_a, &c->end[0]);
    return at_line(point, c, place);
}

int perp_scene_read_point_line(perp_scene_link *link, const perp_scene_node *at)
{
    contact *c;

    if (perp_scene_object(at, "type point normal offset") != 0 ||
        perp_scene_want(link, at, 1, PERP_SCENE_LAGRANGIAN) != 0)
        return -1;
    if (link->systems[0]->point == NULL || link->systems[0]->dim != 2)
        return perp_scene_fail(at, "'%s' has no points in the plane", link->systems[0]->name);
    c = make(link, at, 2);
    if (c == NULL || perp_scene_read_normal(c->normal, &c->offset, 2, at) != 0)
        return -1;
    c->end[0].system = link->systems[0];
    link->touch = point_touches;
    link->def.relation.h = point_line;
    link->def.relation.h_x = point_line_x;
    return perp_scene_read_point(&c->end[0], at, "point");
}

static int disc_line(double *out, double t, const double *x, const double *lambda, const double *z,
                     void *user)
{
    const contact *c = user;
    const double *n = c->normal;

    (void)t, (void)lambda, (void)z;
    out[0] = n[0] * x[0] + n[1] * x[1] - c->offset - c->radius[0];
    if (c->rows == 2)
        out[1] = -n[1] * x[0] + n[0] * x[1] - c->radius[0] * x[2];
    return 0;
}

static int disc_line_x(double *out, double t, const double *x, const double *lambda,
                       const double *z, void *user)
{
    const contact *c = user;
    const double *n = c->normal;
    const double rows[2][3] = {{n[0], n[1], 0.0}, {-n[1], n[0], -c->radius[0]}};

    (void)t, (void)x, (void)lambda, (void)z;
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < c->rows; i++)
            out[i + c->rows * j] = rows[i][j];
    return 0;
}

static int disc_touches(perp_contact_point *point, double t, const double *q_a, const double *q_b,
                        const double *z, void *user)
{
    (void)t, (void)q_b, (void)z;
    return at_line(point, user, q_a);
}

static int want_discs(perp_scene_link *link, const perp_scene_node *at, int count)
{
    if (perp_scene_want(link, at, count, PERP_SCENE_LAGRANGIAN) != 0)
        return -1;
    for (int k = 0; k < count; k++)
        if (link->systems[k]->shape.form != PERP_SCENE_DISC)
            return perp_scene_fail(at, "'%s' is no planar system with a radius",
                                   link->systems[k]->name);
    return 0;
}

int perp_scene_read_disc_line(perp_scene_link *link, const perp_scene_node *at)
{
    contact *c;

    if (perp_scene_object(at, "type normal offset") != 0 || want_discs(link, at, 1) != 0)
        return -1;
    c = make(link, at, 2);
    if (c == NULL || perp_scene_read_normal(c->normal, &c->offset, 2, at) != 0)
        return -1;
    c->radius[0] = link->systems[0]->shape.size[0];
    link->touch = disc_touches;
    link->def.relation.h = disc_line;
    link->def.relation.h_x = disc_line_x;
    return 0;
}

/* Unit vector from the second centre to the first, and their distance. */
static double between(double *normal, const double *x)
{
    double a = x[0] - x[3], b = x[1] - x[4], length = sqrt(a * a + b * b);

    normal[0] = length > 0.0 ? a / length : 1.0;
    normal[1] = length > 0.0 ? b / length : 0.0;
    return length;
}

/* Sliding has no potential: its output stays 0, its Jacobian counts. */
static int disc_disc(double *out, double t, const double *x, const double *lambda, const double *z,
                     void *user)
{
    const contact *c = user;
    double normal[2];

    (void)t, (void)lambda, (void)z;
    out[0] = between(normal, x) - c->radius[0] - c->radius[1];
    if (c->rows == 2)
        out[1] = 0.0;
    return 0;
}

static int disc_disc_x(double *out, double t, const double *x, const double *lambda,
                       const double *z, void *user)
{
    const contact *c = user;
    double n[2];

    (void)t, (void)lambda, (void)z;
    between(n, x);
    const double rows[2][6] = {{n[0], n[1], 0.0, -n[0], -n[1], 0.0},
                               {-n[1], n[0], -c->radius[0], n[1], -n[0], -c->radius[1]}};
    for (int j = 0; j < 6; j++)
        for (int i = 0; i < c->rows; i++)
            out[i + c->rows * j] = rows[i][j];
    return 0;
}

static int discs_touch(perp_contact_point *point, double t, const double *q_a, const double *q_b,
                       const double *z, void *user)
{
    const contact *c = user;
    const double both[6] = {q_a[0], q_a[1], q_a[2], q_b[0], q_b[1], q_b[2]};

    (void)t, (void)z;
    memset(point, 0, sizeof *point);
    point->gap = between(point->normal, both) - c->radius[0] - c->radius[1];
    for (int i = 0; i < 2; i++) {
        point->point_a[i] = q_a[i] - c->radius[0] * point->normal[i];
        point->point_b[i] = q_b[i] + c->radius[1] * point->normal[i];
    }
    return 0;
}

int perp_scene_read_disc_disc(perp_scene_link *link, const perp_scene_node *at)
{
    contact *c;

    if (perp_scene_object(at, "type") != 0 || want_discs(link, at, 2) != 0)
        return -1;
    c = make(link, at, 2);
    if (c == NULL)
        return -1;
    for (int k = 0; k < 2; k++)
        c->radius[k] = link->systems[k]->shape.size[0];
    link->touch = discs_touch;
    link->def.relation.h = disc_disc;
    link->def.relation.h_x = disc_disc_x;
    return 0;
}

/* Difference of the two points; its Jacobians go to the two arrays. */
static double apart(double *line, double jacobian[2][3 * 64], const contact *c, const double *x)
{
    double place[2][3] = {{0}}, length = 0.0;
    const double *q = x;

    for (int k = 0; k < 2; k++) {
        const perp_scene_member *s = c->end[k].system;
        if (s == NULL) {
            memcpy(place[k], c->end[k].place, sizeof place[k]);
            continue;
        }
        s->point(place[k], jacobian != NULL ? jacobian[k] : NULL, s, q, &c->end[k]);
        q += c->system[1] != NULL ? s->nx : 0;
    }
    for (int i = 0; i < 3; i++) {
        line[i] = place[0][i] - place[1][i];
        length += line[i] * line[i];
    }
    return sqrt(length);
}

static int distance(double *out, double t, const double *x, const double *lambda, const double *z,
                    void *user)
{
    const contact *c = user;
    double line[3];

    (void)t, (void)lambda, (void)z;
    out[0] = c->sign * (apart(line, NULL, c, x) - c->length);
    return 0;
}

static int distance_x(double *out, double t, const double *x, const double *lambda, const double *z,
                      void *user)
{
    const contact *c = user;
    double line[3], jacobian[2][3 * 64], length = apart(line, jacobian, c, x), *at = out;
    int entries = c->system[0]->nx + (c->system[1] != NULL ? c->system[1]->nx : 0);

    (void)t, (void)lambda, (void)z;
    memset(out, 0, (size_t)entries * sizeof *out);
    for (int k = 0; length > 0.0 && k < 2; k++) {
        const perp_scene_member *s = c->end[k].system;
        for (int j = 0; s != NULL && j < s->nx; j++)
            for (int i = 0; i < s->dim; i++)
                at[j] += (k == 0 ? 1.0 : -1.0) * c->sign * jacobian[k][i + j * s->dim] * line[i] /
                         length;
        at += s != NULL && c->system[1] != NULL ? s->nx : 0;
    }
    return 0;
}

static int read_ends(perp_scene_link *link, contact *c, const perp_scene_node *at)
{
    perp_scene_node second = perp_scene_get(at, "to"), anchor = perp_scene_get(at, "anchor");

    c->end[0].system = link->systems[0];
    if (perp_scene_read_point(&c->end[0], at, "point") != 0)
        return -1;
    if (anchor.json != NULL) {
        if (link->nsystems != 1 || second.json != NULL)
            return perp_scene_fail(&anchor,
                                   "an anchor in the world goes with one system and no 'to'");
        return perp_scene_reals(c->end[1].place, at, "anchor", link->systems[0]->dim);
    }
    c->end[1].system = link->systems[link->nsystems - 1];
    if (second.json == NULL)
        return perp_scene_fail(&second, "missing, and so is anchor");
    if (c->end[1].system->dim != c->end[0].system->dim)
        return perp_scene_fail(&second, "one point is in the plane, the other is not");
    return perp_scene_read_point(&c->end[1], at, "to");
}

int perp_scene_read_distance(perp_scene_link *link, const perp_scene_node *at)
{
    contact *c;
    int side = 0;

    if (link->nsystems >= 1 && link->systems[0]->kind == PERP_SCENE_BODY)
        return perp_scene_read_body_distance(link, at);
    if (perp_scene_object(at, "type point to anchor length side") != 0 ||
        (link->nsystems != 1 && perp_scene_want(link, at, 2, PERP_SCENE_LAGRANGIAN) != 0) ||
        perp_scene_choice(&side, at, "side", "equal|at-least|at-most") != 0)
        return -1;
    for (int k = 0; k < link->nsystems; k++)
        if (link->systems[k]->point == NULL)
            return perp_scene_fail(at, "'%s' has no points for it", link->systems[k]->name);
    if (!link->has_law && side == 0) {
        link->def.law = perp_law_equality();
        link->has_law = 1;
    }
    c = make(link, at, 1);
    if (c == NULL || perp_scene_need_real(&c->length, at, "length", 0.0, INFINITY) != 0)
        return -1;
    c->sign = side == 2 ? -1.0 : 1.0;
    link->ends = c->end;
    link->def.relation.h = distance;
    link->def.relation.h_x = distance_x;
    return read_ends(link, c, at);
}
