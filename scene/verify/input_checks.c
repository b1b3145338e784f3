/* SPDX-License-Identifier: BSD-3-Clause */
/* Impulses of systems with coordinates: p = sum of C' lambda over linear relations, lambda times h
 * where it is a force. */
#include <math.h>
#include <string.h>

#include "scene/verify/verify_inside.h"

/* The column of its first coordinate in C; -1: it is not of this interaction. */
static int first_column(const perp_verify_interaction *i, const perp_verify_system *s)
{
    int at = 0;

    for (int k = 0; k < i->nsystems; at += i->systems[k++]->nq)
        if (i->systems[k] == s)
            return at;
    return -1;
}

static int is_force(const perp_verify_interaction *i)
{
    return i->law == PERP_VERIFY_RELAY || i->law == PERP_VERIFY_COMPLEMENTARITY || i->D != NULL;
}

/* Why the impulse of the interaction on this system is not known here; NULL: it is. */
static const char *unknown(const perp_verify_interaction *i, const perp_verify_system *s)
{
    if (i->relation != PERP_VERIFY_MATRIX || i->C == NULL)
        return "is not linear";
    if (i->lambda_at < 0)
        return "has no lambda in the series";
    if (s->scheme == PERP_VERIFY_DISCRETE_GRADIENT && i->law == PERP_VERIFY_EQUALITY)
        return "has impulses of a projection of velocities, too";
    return NULL;
}

static void check_input(perp_verification *v, const perp_verify_system *s, double *p)
{
    double worst = 0.0, scale = 0.0;
    int acts = 0;

    memset(p, 0, (size_t)s->nv * sizeof *p);
    for (int k = 0; k < v->ninteractions; k++) {
        const perp_verify_interaction *i = &v->interactions[k];
        int at = first_column(i, s);
        const char *why = at < 0 ? NULL : unknown(i, s);
        if (why != NULL) {
            perp_verify_leave_out(v, PERP_VERIFY_INPUTS, "'%s' of '%s' %s", i->name, s->name, why);
            return;
        }
        acts += at >= 0;
        double unit = is_force(i) ? v->h : 1.0;
        for (int j = 0; at >= 0 && j < s->nv; j++)
            for (int r = 0; r < i->rows; r++) {
                double part = unit * i->C[r + (at + j) * i->rows] * v->now[i->lambda_at + r];
                p[j] += part;
                scale = fmax(scale, fabs(part));
            }
    }
    for (int j = 0; j < s->nv; j++) {
        worst = fmax(worst, fabs(v->now[s->p_at + j] - p[j]));
        scale = fmax(scale, fabs(v->now[s->p_at + j]));
    }
    if (acts > 0)
        perp_verify_note(v, PERP_VERIFY_INPUTS, scale > 0.0 ? worst / scale : 0.0, "%s", s->name);
}

void perp_verify_inputs(perp_verification *v)
{
    for (int k = 0; k < v->nsystems; k++) {
        const perp_verify_system *s = v->systems[k];
        int gives =
            s->scheme == PERP_VERIFY_MOREAU_JEAN || s->scheme == PERP_VERIFY_DISCRETE_GRADIENT;
        if (s->fixed || s->kind != PERP_VERIFY_LINEAR || s->interactions == 0 || s->near)
            continue;
        if (s->p_at < 0 || !gives || !s->plain)
            perp_verify_leave_out(v, PERP_VERIFY_INPUTS, "no p of '%s', or not that of a step",
                                  s->name);
        else
            check_input(v, s, v->work);
    }
}
