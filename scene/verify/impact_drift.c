/* SPDX-License-Identifier: BSD-3-Clause */
/* What forces and the smooth motion make of the rates of impacts within a step, and impulses. */
#include <math.h>

#include "scene/verify/impacts.h"
#include "scene/verify/space.h"

/* The largest angular acceleration J^-1 (J w x w), w that of the row before or after the impacts so
 * far. */
static double tumbling(const perp_verification *v, const perp_verify_system *s)
{
    const double *J = s->inertia, *w[2] = {v->before + s->v_at + 3, s->flying + 3};
    double cofactors[9], spin[3], turn[3], change[3], most = 0.0;

    if (s->kind != PERP_VERIFY_BODY)
        return 0.0;
    space_cross(cofactors, J + 3, J + 6);
    space_cross(cofactors + 3, J + 6, J);
    space_cross(cofactors + 6, J, J + 3);
    double volume = space_dot(J, cofactors);
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < 3; i++)
            spin[i] = J[i] * w[k][0] + J[i + 3] * w[k][1] + J[i + 6] * w[k][2];
        space_cross(turn, spin, w[k]);
        for (int i = 0; i < 3; i++)
            change[i] = space_dot(cofactors + 3 * i, turn) / volume;
        most = fmax(most, space_length(change));
    }
    return most;
}

double perp_verify_drift(const perp_verification *v, const perp_verify_impact *i)
{
    const perp_verify_system *pair[2] = {i->first, i->second};
    int count = i->interaction != NULL ? i->interaction->nsystems : 2;
    double sum = 0.0;

    for (int k = 0; k < count; k++) {
        const perp_verify_system *s = i->interaction != NULL ? i->interaction->systems[k] : pair[k];
        if (perp_verify_stands(s))
            continue;
        sum += s->around * v->h * tumbling(v, s);
        for (int j = 0; j < s->nv; j++) {
            double arm = s->kind == PERP_VERIFY_BODY && j >= 3 ? s->around : 1.0;
            double force = s->kind == PERP_VERIFY_BODY
                               ? (j < 3 ? s->force[j] / s->mass : 0.0)
                               : s->F[j] / (s->M != NULL ? s->M[j * (s->nv + 1)] : 1.0);
            double made = v->now[s->v_at + j] - v->before[s->v_at + j] - s->flying[2 * s->nv + j];
            sum += arm * (fabs(made) + v->h * fabs(force));
        }
    }
    return sum;
}

double perp_verify_mobility(const perp_verify_impact *i, int *known)
{
    const perp_verify_system *pair[2] = {i->first, i->second};
    double most = 0.0;

    *known = 1;
    for (int k = 0; k < 2; k++) {
        if (perp_verify_stands(pair[k]) || pair[k]->motion)
            continue;
        if (pair[k]->mass > 0.0)
            most = fmax(most, 1.0 / pair[k]->mass);
        else
            *known &= pair[k]->kind != PERP_VERIFY_BODY;
    }
    return most;
}
