/* SPDX-License-Identifier: BSD-3-Clause */
/* Laws on the recorded multipliers, and the contacts of contacts.csv. */
#include <math.h>
#include <string.h>

#include "scene/verify/space.h"
#include "scene/verify/verify_inside.h"

/* Multipliers are judged by the largest one met so far, since a solver ends at an error relative to
 * the whole problem. */
static double multiplier_scale(perp_verification *v, const double *lambda, int rows)
{
    for (int k = 0; k < rows; k++)
        v->largest_lambda = fmax(v->largest_lambda, fabs(lambda[k]));
    return fmax(v->largest_lambda, 1e-300);
}

/* How far lambda is from the cone, not relative. */
static double off_cone(const double *lambda, int dim, double mu)
{
    double along = dim >= 3 ? hypot(lambda[1], lambda[2]) : dim == 2 ? fabs(lambda[1]) : 0.0;
    return fmax(-lambda[0], along - mu * fmax(lambda[0], 0.0));
}

static double off_complementarity(const perp_verify_interaction *i, const double *y,
                                  const double *lambda, double scale)
{
    double worst = 0.0, size = i->size_y;

    for (int k = 0; k < i->rows; k++)
        size = fmax(size, fabs(y[k]));
    for (int k = 0; k < i->rows && size > 0.0; k++) {
        double part_y = y[k] / size, part = lambda[k] / scale;
        worst = fmax(worst, fmax(fmax(-part_y, -part), fmin(fabs(part_y), fabs(part))));
    }
    return worst;
}

static double bound_of(const double *of_row, double of_all, int k)
{
    return of_row != NULL ? of_row[k] : of_all;
}

/* -y in the normal cone of [lo, hi] at lambda: lambda is the point of it next to lambda - y; y
 * NULL: not known. */
static double off_relay(const perp_verify_interaction *i, const double *y, const double *lambda,
                        double scale)
{
    double worst = 0.0, size = i->reach_y;

    for (int k = 0; y != NULL && k < i->rows; k++)
        size = fmax(size, fabs(y[k]));
    for (int k = 0; k < i->rows; k++) {
        double lo = bound_of(i->row_lo, i->lo, k), hi = bound_of(i->row_hi, i->hi, k);
        worst = fmax(worst, fmax(lo - lambda[k], lambda[k] - hi) / scale);
        if (y == NULL || !(size > 0.0))
            continue;
        double part = lambda[k] / scale, next = part - y[k] / size;
        worst = fmax(worst, fabs(part - fmin(fmax(next, lo / scale), hi / scale)));
    }
    return worst;
}

/* Newton's law on rows whose H does not change: 0 <= u + e u_before perp lambda >= 0, where it was
 * in the problem. */
static double off_newton(perp_verification *v, const perp_verify_interaction *i, double scale)
{
    double worst = 0.0, speed = fmax(i->size_u, 1e-300);

    if (i->relation != PERP_VERIFY_MATRIX || i->moving || i->u_at < 0 || i->active_at < 0 ||
        i->D != NULL || i->gives || !v->every_step || v->row == 0 || i->nsystems < 1 ||
        i->systems[0]->scheme != PERP_VERIFY_MOREAU_JEAN || !i->systems[0]->plain ||
        v->now[i->active_at] == 0.0)
        return 0.0;
    for (int k = 0; k < i->rows; k += i->dim)
        speed = fmax(speed, fmax(fabs(v->now[i->u_at + k]), fabs(v->before[i->u_at + k])));
    for (int k = 0; k < i->rows; k += i->dim) {
        double w = (v->now[i->u_at + k] + i->e * v->before[i->u_at + k]) / speed;
        double part = v->now[i->lambda_at + k] / scale;
        if (part > 0.0) /* in the index set for certain */
            worst = fmax(worst, fmin(fabs(w), part));
    }
    return worst;
}

void perp_verify_laws(perp_verification *v)
{
    for (int n = 0; n < v->ninteractions; n++) {
        const perp_verify_interaction *i = &v->interactions[n];
        const double *lambda = i->lambda_at >= 0 ? v->now + i->lambda_at : NULL;
        double worst = 0.0;
        if (i->law == PERP_VERIFY_EQUALITY)
            continue;
        if (lambda == NULL || i->rows < 1) {
            perp_verify_leave_out(v, PERP_VERIFY_LAWS, "no lambda of '%s'", i->name);
            continue;
        }
        double scale = multiplier_scale(v, lambda, i->rows);
        int first = i->nsystems > 0 && i->systems[0]->kind == PERP_VERIFY_FIRST_ORDER;
        int euler = first && i->systems[0]->scheme == PERP_VERIFY_EULER_MOREAU;
        int has_y = i->y_at >= 0 && v->row > 0;
        if (i->law == PERP_VERIFY_COMPLEMENTARITY && has_y && (!first || euler))
            worst = off_complementarity(i, v->now + i->y_at, lambda, scale);
        else if (i->law == PERP_VERIFY_RELAY)
            worst = off_relay(i, has_y && euler ? v->now + i->y_at : NULL, lambda, scale);
        for (int k = 0; (i->law == PERP_VERIFY_IMPACT || i->law == PERP_VERIFY_FRICTION) &&
                        k + i->dim <= i->rows;
             k += i->dim)
            worst = fmax(worst, off_cone(lambda + k, i->dim, i->mu) / scale);
        if (i->law == PERP_VERIFY_IMPACT || i->law == PERP_VERIFY_FRICTION)
            worst = fmax(worst, off_newton(v, i, scale));
        perp_verify_note(v, PERP_VERIFY_LAWS, worst, "%s", i->name);
    }
}

static double combine(const char *rule, double a, double b)
{
    switch (rule[0] == 'm' ? rule[1] : rule[0]) {
    case 'i':
        return fmin(a, b);
    case 'a':
        return fmax(a, b);
    case 'e':
        return (a + b) / 2.0;
    case 'p':
        return a * b;
    default:
        return sqrt(a * b);
    }
}

/* What a material has by itself; 0: nothing, and what holds for all. */
static int own_coefficients(double out[4], const perp_verification *v, const char *name)
{
    int has = 0;

    out[0] = v->e, out[1] = v->mu, out[2] = v->rolling, out[3] = v->torsion;
    for (int k = 0; k < v->npairs; k++) {
        const perp_verify_pair *own = &v->pairs[k];
        if (own->between[1][0] != '\0' || strcmp(own->between[0], name) != 0)
            continue;
        out[0] = own->e, out[1] = own->mu, out[2] = own->rolling, out[3] = own->torsion;
        has = 1;
    }
    return has;
}

/* What is said of the two together. */
static int is_pair(const perp_verify_pair *pair, const char *a, const char *b)
{
    int there = strcmp(pair->between[0], a) == 0 && strcmp(pair->between[1], b) == 0;
    int back = strcmp(pair->between[1], a) == 0 && strcmp(pair->between[0], b) == 0;

    return pair->between[1][0] != '\0' && (there || back);
}

void perp_verify_material(const perp_verification *v, const char *a, const char *b, double out[4])
{
    double of_a[4], of_b[4];
    int own = own_coefficients(of_a, v, a);

    own |= own_coefficients(of_b, v, b);
    for (int k = 0; k < 4; k++)
        out[k] = own ? combine(v->combine[k], of_a[k], of_b[k]) : of_a[k];
    for (int k = 0; k < v->npairs; k++) {
        const perp_verify_pair *pair = &v->pairs[k];
        if (is_pair(pair, a, b))
            out[0] = pair->e, out[1] = pair->mu, out[2] = pair->rolling, out[3] = pair->torsion;
    }
    if (out[1] == 0.0)
        out[2] = out[3] = 0.0;
}

double perp_verify_skin(const perp_verification *v, const char *a, const char *b)
{
    double skin = v->skin;

    for (int k = 0; k < v->npairs; k++)
        if (is_pair(&v->pairs[k], a, b))
            skin = v->pairs[k].skin;
    return skin;
}

/* The centre of a sphere or a disc; 0: another shape, or it is not recorded. */
static int centre(double *out, const perp_verify_system *s, const double *row)
{
    const double *q = perp_verify_q(s, row);

    if (s->form != PERP_VERIFY_SPHERE || q == NULL)
        return 0;
    memcpy(out, q, 3 * sizeof *out);
    if (s->planar)
        out[2] = 0.0;
    return 1;
}

/* Of the recorded geometry: the normal, the gap between the points, the points on spheres or half
 * of the skin off them. */
static double off_geometry(const perp_verification *v, const perp_verify_contact *c)
{
    double worst = fabs(space_length(c->normal) - 1.0), gap = 0.0, place[3], apart[3];
    const perp_verify_system *shapes[2] = {c->first, c->second};
    const double *points[2] = {c->point_a, c->point_b};
    double size = 1e-3, half = 0.5 * perp_verify_skin(v, perp_verify_material_of(c, 0),
                                                      perp_verify_material_of(c, 1));

    for (int k = 0; k < 3; k++)
        gap += c->normal[k] * (c->point_a[k] - c->point_b[k]);
    for (int n = 0; n < 2; n++)
        size = fmax(size, space_length(points[n]));
    worst = fmax(worst, fabs(gap - c->gap) / size);
    /* Points on boxes and capsules are features that move with the bodies until they are found
     * again.
     */
    int round = (c->first->form == PERP_VERIFY_SPHERE || c->first->form == PERP_VERIFY_PLANE) &&
                (c->second->form == PERP_VERIFY_SPHERE || c->second->form == PERP_VERIFY_PLANE);
    for (int n = 0; n < 2 && round; n++) {
        if (!centre(place, shapes[n], v->now))
            continue;
        for (int k = 0; k < 3; k++)
            apart[k] = points[n][k] - place[k];
        worst = fmax(worst, fabs(space_length(apart) - shapes[n]->size[0] - half) / size);
    }
    return worst;
}

/* The shape of a contact; NULL: there is no such. */
static const perp_verify_shape *shape_of(const perp_verify_contact *c, int side)
{
    const perp_verify_system *s = side == 0 ? c->first : c->second;
    int k = c->more ? c->shape[side] : 0;

    return k >= 0 && k < s->nshapes ? &s->shapes[k] : NULL;
}

/* Both: the interval of the moment about the normal, the cone of that about the tangents, and the
 * two in the world. */
static double off_both(const perp_verify_contact *c, const double law[4], double least,
                       double scale)
{
    double along = space_dot(c->moment, c->normal), across[3];
    double twist = hypot(c->twists[1], c->twists[2]), press = fmax(c->lambda[0], 0.0);
    double spin = fmax(fabs(c->twists[0]) - law[3] * press, fabs(along - c->twists[0]));

    for (int k = 0; k < 3; k++)
        across[k] = c->moment[k] - along * c->normal[k];
    double roll = fmax(twist - law[2] * press, fabs(space_length(across) - twist));
    return fmax(spin / fmax(law[3], least), roll / fmax(law[2], least)) / scale;
}

/* Torsional friction: its interval, and its moment in the world, along the normal. */
static double off_torsion(const perp_verify_contact *c, double torsion, double least, double scale)
{
    double arm = fmax(torsion, least), twist = c->twists[0], apart[3];
    double worst = fmax(fabs(c->twists[1]), fabs(c->twists[2]));

    for (int k = 0; k < 3; k++)
        apart[k] = c->moment[k] - twist * c->normal[k];
    worst = fmax(worst, fabs(twist) - torsion * fmax(c->lambda[0], 0.0));
    worst = fmax(worst, space_length(apart));
    return worst / (scale * arm);
}

/* Rolling friction: its cone, and its moment in the world, across the normal. */
static double off_rolling(const perp_verify_contact *c, double rolling, double least, double scale)
{
    double twist = hypot(c->twists[0], c->twists[1]), arm = fmax(rolling, least);
    double worst = fmax(twist - rolling * fmax(c->lambda[0], 0.0), fabs(c->twists[2]));

    worst = fmax(worst, fabs(space_length(c->moment) - twist));
    if (!c->first->planar)
        worst = fmax(worst, fabs(space_dot(c->moment, c->normal)));
    return worst / (scale * arm);
}

/* What a contact says of itself against its materials and its multipliers. */
static void check_said(perp_verification *v, const perp_verify_contact *c, const double law[4],
                       double scale)
{
    const perp_verify_shape *a = shape_of(c, 0), *b = shape_of(c, 1);
    double length = hypot(c->lambda[0], hypot(c->lambda[1], c->lambda[2]));

    if (!c->more)
        return;
    if (a == NULL || b == NULL) {
        perp_verify_note(v, PERP_VERIFY_CONTACTS, INFINITY, "a shape that is not in the scene");
        return;
    }
    for (int k = 0; k < 4; k++)
        perp_verify_note(v, PERP_VERIFY_CONTACTS, fabs(c->law[k] - law[k]) / (1.0 + law[k]),
                         "%s and %s: %s", c->first->name, c->second->name,
                         k == 0   ? "e"
                         : k == 1 ? "mu"
                         : k == 2 ? "rolling"
                                  : "torsion");
    perp_verify_note(v, PERP_VERIFY_CONTACTS, fabs(space_length(c->impulse) - length) / scale,
                     "%s and %s: impulse", c->first->name, c->second->name);
    if (law[3] > 0.0 && law[2] > 0.0)
        perp_verify_note(v, PERP_VERIFY_LAWS, off_both(c, law, fmin(a->least, b->least), scale),
                         "%s and %s", c->first->name, c->second->name);
    else if (law[3] > 0.0)
        perp_verify_note(v, PERP_VERIFY_LAWS,
                         off_torsion(c, law[3], fmin(a->least, b->least), scale), "%s and %s",
                         c->first->name, c->second->name);
    else if (law[2] > 0.0 || c->twists[0] != 0.0 || c->twists[1] != 0.0 || c->twists[2] != 0.0)
        perp_verify_note(v, PERP_VERIFY_LAWS,
                         off_rolling(c, law[2], fmin(a->least, b->least), scale), "%s and %s",
                         c->first->name, c->second->name);
}

const char *perp_verify_material_of(const perp_verify_contact *c, int side)
{
    const perp_verify_shape *shape = shape_of(c, side);

    return shape != NULL ? shape->material : (side == 0 ? c->first : c->second)->material;
}

void perp_verify_contact_rows(perp_verification *v)
{
    for (int n = 0; n < v->ncontacts; n++) {
        const perp_verify_contact *c = &v->contacts[n];
        double law[4];
        if (c->first == NULL || c->second == NULL) {
            perp_verify_note(v, PERP_VERIFY_CONTACTS, INFINITY, "a shape that is not in the scene");
            continue;
        }
        perp_verify_material(v, perp_verify_material_of(c, 0), perp_verify_material_of(c, 1), law);
        if (c->first->planar)
            law[3] = 0.0;
        double scale = multiplier_scale(v, c->lambda, 3);
        perp_verify_note(v, PERP_VERIFY_LAWS, off_cone(c->lambda, c->rows, law[1]) / scale,
                         "%s and %s", c->first->name, c->second->name);
        perp_verify_note(v, PERP_VERIFY_CONTACTS, off_geometry(v, c), "%s and %s", c->first->name,
                         c->second->name);
        check_said(v, c, law, scale);
        /* A contact that gave an impulse is closed, or opens at its speed. */
        double reach = 2.0 * fabs(v->h) * fmax(v->fastest, v->h * space_length(v->gravity)) +
                       1e-6 * (c->first->size[0] + c->second->size[0]);
        if (v->blind)
            perp_verify_leave_out(v, PERP_VERIFY_CONTACTS,
                                  "gaps beside velocities that are not in the files");
        else if (c->lambda[0] > 1e-6 * scale && c->rows > 0)
            perp_verify_note(v, PERP_VERIFY_CONTACTS,
                             law[0] > 0.0 ? 0.0 : fmax(0.0, c->gap - reach) / fmax(reach, 1e-300),
                             "%s and %s, which do not touch", c->first->name, c->second->name);
    }
}
