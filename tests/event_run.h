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

#endif
