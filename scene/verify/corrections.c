/* SPDX-License-Identifier: BSD-3-Clause */
/* Overlaps, and what violates relations of one sign, are taken away on positions of all that joints
 * move with it, by how much is not known here for each. */
#include <math.h>

#include "scene/verify/verify_inside.h"

/* Of what y is made of: angles, or places. */
static double size_of_output(const perp_verification *v, const perp_verify_interaction *i)
{
    double size = 0.0;

    if (i->relation == PERP_VERIFY_ANGLE)
        return 1.0;
    for (int k = 0; k < i->nsystems; k++) {
        const perp_verify_system *s = i->systems[k];
        int places = s->kind == PERP_VERIFY_BODY ? 3 : s->nq;
        for (int j = 0; s->q_at >= 0 && j < places; j++)
            size = fmax(size, fabs(v->before[s->q_at + j]));
    }
    return size;
}

const char *perp_verify_violated(const perp_verification *v)
{
    static const double BY = 1e-6;

    for (int k = 0; k < v->ninteractions && v->row > 0; k++) {
        const perp_verify_interaction *i = &v->interactions[k];
        int at = i->nterms > 0 ? i->sum_at : i->y_at, rows = i->nterms > 0 ? 1 : i->rows;
        int corrected = i->nsystems > 0 && at >= 0 && !i->soft && !i->gives &&
                        i->systems[0]->scheme == PERP_VERIFY_DISCRETE_GRADIENT;
        if (!corrected || i->law == PERP_VERIFY_EQUALITY || i->law == PERP_VERIFY_RELAY)
            continue;
        for (int r = 0; r < rows; r += i->dim > 0 ? i->dim : 1)
            if (v->before[at + r] < -BY * size_of_output(v, i))
                return i->name;
    }
    return NULL;
}

int perp_verify_moves_unseen(perp_verification *v, const perp_verify_system *s, const char *open,
                             double scale)
{
    static const double NONE = 1e-6;
    int follows = s->interactions > 0 && s->kind != PERP_VERIFY_BODY && !s->planar;

    if (v->blind)
        perp_verify_leave_out(v, PERP_VERIFY_POSITIONS,
                              "overlaps are taken away on positions, of '%s' by what velocities "
                              "that are not in the files made",
                              s->name);
    else if (s->unseen)
        perp_verify_leave_out(v, PERP_VERIFY_POSITIONS,
                              "overlaps of '%s' with shapes that are not looked at are taken away",
                              s->name);
    else if (s->scheme != PERP_VERIFY_DISCRETE_GRADIENT)
        return 0;
    else if (open != NULL)
        perp_verify_leave_out(v, PERP_VERIFY_POSITIONS,
                              "'%s' is violated in a row, which is taken away on positions", open);
    else if (follows && v->overlaps > NONE * scale)
        perp_verify_leave_out(v, PERP_VERIFY_POSITIONS,
                              "overlaps are taken away on positions, and '%s' follows", s->name);
    else
        return 0;
    return 1;
}
