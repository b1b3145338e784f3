/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of contacts.csv that are interactions of the scene: against its columns in the series, and
 * the plane or line of its relation. */
#include <math.h>
#include <string.h>

#include "scene/verify/space.h"
#include "scene/verify/verify_inside.h"

static const perp_verify_interaction *interaction_of(const perp_verification *v, const char *name)
{
    for (int k = 0; k < v->ninteractions; k++)
        if (strcmp(v->interactions[k].name, name) == 0)
            return &v->interactions[k];
    return NULL;
}

/* Its systems and rows; the world is the second of one alone. */
static int has_its_systems(const perp_verify_interaction *i, const perp_verify_contact *c)
{
    return i->acts && i->nsystems > 0 && c->rows == i->point_rows && c->first == i->systems[0] &&
           c->second == (i->nsystems > 1 ? i->systems[1] : NULL);
}

static double apart(const double *a, const double *b, int count)
{
    double worst = 0.0;

    for (int k = 0; k < count; k++)
        worst = fmax(worst, fabs(a[k] - b[k]));
    return worst;
}

/* The normal, the gap between the points, the second one in the plane. */
static double off_geometry(const perp_verify_interaction *i, const perp_verify_contact *c)
{
    double between[3], size = 1e-3, worst = fabs(space_length(c->normal) - 1.0);

    for (int k = 0; k < 3; k++)
        between[k] = c->point_a[k] - c->point_b[k];
    size = fmax(size, fmax(space_length(c->point_a), space_length(c->point_b)));
    if (i->acts == PERP_VERIFY_ACTS_BETWEEN) /* a string is as long as it is */
        worst = fmax(worst, fabs(space_dot(c->normal, between) - c->gap) / size);
    if (i->flat) {
        worst = fmax(worst, apart(c->normal, i->normal, 3));
        worst = fmax(worst, fabs(space_dot(i->normal, c->point_b) - i->offset) / size);
    }
    return worst;
}

/* The impulse is that of the rows. */
static double off_impulse(const perp_verify_contact *c)
{
    double length = hypot(c->lambda[0], hypot(c->lambda[1], c->lambda[2]));

    return fmax(fabs(space_length(c->impulse) - length),
                fabs(space_dot(c->impulse, c->normal) - c->lambda[0]));
}

/* How far lambda is from the cone of friction, or from pressing. */
static double off_law(const perp_verify_interaction *i, const perp_verify_contact *c)
{
    double along = hypot(c->lambda[1], c->lambda[2]);

    if (i->law != PERP_VERIFY_IMPACT && i->law != PERP_VERIFY_FRICTION)
        return 0.0;
    return fmax(-c->lambda[0], along - i->mu * fmax(c->lambda[0], 0.0));
}

/* The same numbers as in this row of the series. */
static double off_series(const perp_verification *v, const perp_verify_interaction *i,
                         const perp_verify_contact *c)
{
    const double *row = v->now;
    const int *at = i->point_columns; /* of lambda, u, y */
    double worst = 0.0;

    if (v->instants >= 0 || v->row == 0)
        return 0.0;
    if (at[0] >= 0)
        worst = apart(c->lambda, row + at[0], c->rows) / fmax(space_length(c->lambda), 1e-300);
    if (at[1] >= 0)
        worst = fmax(worst, apart(c->u, row + at[1], c->rows) / fmax(space_length(c->u), 1e-3));
    if (at[2] >= 0 && !i->gives)
        worst = fmax(worst, fabs(c->gap - row[at[2]]) /
                                fmax(space_length(c->point_a), fmax(fabs(c->gap), 1e-3)));
    return worst;
}

void perp_verify_named_contact(perp_verification *v, double t, const perp_verify_contact *c)
{
    const perp_verify_interaction *i = interaction_of(v, c->interaction);

    if (i == NULL || !has_its_systems(i, c)) {
        perp_verify_note(v, PERP_VERIFY_CONTACTS, INFINITY,
                         "%s, which is no interaction of these systems at a point", c->interaction);
        return;
    }
    double scale = fmax(v->largest_lambda, fmax(fabs(c->lambda[0]), 1e-300));
    perp_verify_note(v, PERP_VERIFY_CONTACTS, off_geometry(i, c), "%s", i->name);
    perp_verify_note(v, PERP_VERIFY_CONTACTS, off_impulse(c) / scale, "%s: impulse", i->name);
    perp_verify_note(v, PERP_VERIFY_LAWS, off_law(i, c) / scale, "%s", i->name);
    perp_verify_note(v, PERP_VERIFY_CONTACTS, fabs(c->law[1] - i->mu) / (1.0 + i->mu), "%s: mu",
                     i->name);
    if (t == v->t)
        perp_verify_note(v, PERP_VERIFY_CONTACTS, off_series(v, i, c), "%s: the series", i->name);
}
