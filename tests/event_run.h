/* SPDX-License-Identifier: BSD-3-Clause */
/* What the tests of the event-driven scheme share. */
#ifndef PERP_TESTS_EVENT_RUN_H
#define PERP_TESTS_EVENT_RUN_H

#include <stdlib.h>

#include "scheme_run.h"

static const double g = 9.81;

static inline perp_system_id add_point(scheme_run *run, int n, const double *q0, const double *v0,
                                       const double *F)
{
    perp_lagrangian_def def;
    perp_system_id id = {0, 0};
    perp_where where = {NULL, -1, -1};
    perp_lagrangian_def_init(&def);
    def.n = n;
    def.q0 = q0;
    def.v0 = v0;
    def.F = F;
    perp_status status = perp_model_add_lagrangian(run->model, &def, &id, &where);
    ck_assert_msg(status == PERP_SOLVED, "%s", where.what);
    return id;
}

static inline void sharp(scheme_run *run)
{
    run->scheme.atol = run->scheme.rtol = 1e-11;
}

static inline void run_until(scheme_run *run, double t)
{
    while (perp_sim_time(run->sim) < t - 1e-9)
        run_step(run);
}

/* q >= 0 for the first coordinate. */
static inline perp_interaction_id add_floor(scheme_run *run, perp_system_id id, double e)
{
    static const double one[] = {1.0};
    perp_relation relation = {.kind = PERP_RELATION_LINEAR, .rows = 1, .C = one};
    return run_link(run, &id, 1, &relation, perp_law_impact(e));
}

/* Distance from the unit circle. */
static inline int circle(double *y, const double t, const double *q, const double *lambda,
                         const double *z, void *u)
{
    (void)t, (void)lambda, (void)z, (void)u;
    y[0] = sqrt(q[0] * q[0] + q[1] * q[1]) - 1.0;
    return 0;
}
static inline int circle_q(double *H, double t, const double *q, const double *lambda,
                           const double *z, void *u)
{
    (void)t, (void)lambda, (void)z, (void)u;
    double r = sqrt(q[0] * q[0] + q[1] * q[1]);
    H[0] = q[0] / r;
    H[1] = q[1] / r;
    return 0;
}

#endif
