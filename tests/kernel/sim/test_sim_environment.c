/* SPDX-License-Identifier: BSD-3-Clause */
/* Simulations in hosts with traps, other rounding, or denormal numbers flushed to zero: the same
 * bits as in the default environment, and the environment as it was. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include <perp/kernel.h>

#include "tests/fixtures/float_host.h"

enum { STEPS = 120 };

typedef struct motion {
    perp_status status;
    int steps;
    double state[2 * STEPS];
} motion;

/* A ball that falls and bounces on the ground, by a scheme. */
static void bounce(motion *m, const char *name)
{
    const double q0 = 0.1, v0 = 0.0, F = -9.81, one = 1.0;
    perp_model *model = NULL;
    perp_sim *sim = NULL;
    perp_system_id s;
    perp_interaction_id id;
    perp_lagrangian_def def;
    perp_interaction_def in;
    perp_sim_options o;
    perp_scheme scheme;
    double *q, *v;

    memset(m, 0, sizeof *m);
    perp_lagrangian_def_init(&def, sizeof def);
    def.n = 1, def.q0 = &q0, def.v0 = &v0, def.F = &F;
    perp_interaction_def_init(&in, sizeof in);
    in.systems = &s, in.nsystems = 1, in.relation.kind = PERP_RELATION_LINEAR;
    in.relation.rows = 1, in.relation.C = &one, in.law = perp_law_impact(0.6);
    perp_sim_options_init(&o, sizeof o);
    o.h = 0.005;
    m->status = perp_model_create(&model, NULL);
    if (m->status == PERP_SOLVED)
        m->status = perp_model_add_lagrangian(model, &def, &s, NULL);
    if (m->status == PERP_SOLVED)
        m->status = perp_model_add_interaction(model, &in, &id, NULL);
    if (m->status == PERP_SOLVED)
        m->status = perp_sim_create(&sim, model, &o, NULL, NULL);
    if (m->status == PERP_SOLVED)
        m->status = perp_scheme_init(&scheme, name, sizeof scheme);
    if (m->status == PERP_SOLVED)
        m->status = perp_sim_set_scheme(sim, (perp_system_id){0, 0}, &scheme);
    while (m->status == PERP_SOLVED && m->steps < STEPS) {
        m->status = perp_sim_step(sim);
        if (perp_model_state(model, s, &q, &v, NULL, NULL) == PERP_SOLVED) {
            m->state[2 * m->steps] = *q;
            m->state[2 * m->steps + 1] = *v;
        }
        m->steps++;
    }
    perp_sim_destroy(sim);
    perp_model_destroy(model);
}

START_TEST(every_scheme)
{
    static motion first, other;
    int whole = 0;

    for (int k = 0; perp_scheme_at(k) != NULL; k++) {
        bounce(&first, perp_scheme_at(k));
        whole += first.status == PERP_SOLVED;
        for (int h = 1; h < FLOAT_HOSTS; h++) {
            float_host_enter(h);
            bounce(&other, perp_scheme_at(k));
            ck_assert_msg(float_host_leave(h), "%s in host %d", perp_scheme_at(k), h);
            ck_assert_msg(memcmp(&first, &other, sizeof first) == 0, "%s in host %d",
                          perp_scheme_at(k), h);
        }
    }
    ck_assert_int_gt(whole, 5);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("sim environment");
    TCase *tcase = tcase_create("sim environment");
    tcase_add_test(tcase, every_scheme);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
