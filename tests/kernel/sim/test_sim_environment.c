/* SPDX-License-Identifier: BSD-3-Clause */
/* Simulations in hosts with traps, other rounding, or denormal numbers flushed to zero: the same
 * bits as in the default environment, and the environment as it was. */
#define _GNU_SOURCE /* feenableexcept */
#include <check.h>
#include <fenv.h>
#include <stdlib.h>
#include <string.h>

#ifdef __SSE2__
#include <xmmintrin.h>
#endif

#include <perp/kernel.h>

enum { TRAPS = FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW, FLUSH = 0x8040, STEPS = 120 };

static void enter(int traps, int rounding, int flush)
{
    fesetenv(FE_DFL_ENV);
    fesetround(rounding);
#ifdef __SSE2__
    if (flush)
        _mm_setcsr(_mm_getcsr() | FLUSH);
#endif
#ifdef __GLIBC__
    feenableexcept(traps);
#endif
}

/* 1: still that of the host. */
static int leave(int traps, int rounding, int flush)
{
    int same = fegetround() == rounding && fetestexcept(TRAPS) == 0;
#ifdef __SSE2__
    same = same && (_mm_getcsr() & FLUSH) == (flush ? FLUSH : 0);
#endif
#ifdef __GLIBC__
    same = same && fegetexcept() == traps;
#endif
    fesetenv(FE_DFL_ENV);
    return same;
}

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
    static const int hosts[][3] = {{FE_INVALID, FE_TONEAREST, 0},
                                   {FE_DIVBYZERO, FE_TONEAREST, 0},
                                   {FE_OVERFLOW, FE_TONEAREST, 0},
                                   {0, FE_UPWARD, 0},
                                   {0, FE_DOWNWARD, 0},
                                   {0, FE_TOWARDZERO, 0},
                                   {0, FE_TONEAREST, 1},
                                   {TRAPS, FE_DOWNWARD, 1}};
    static motion first, other;
    int whole = 0;

    for (int k = 0; perp_scheme_at(k) != NULL; k++) {
        bounce(&first, perp_scheme_at(k));
        whole += first.status == PERP_SOLVED;
        for (size_t h = 0; h < sizeof hosts / sizeof hosts[0]; h++) {
            enter(hosts[h][0], hosts[h][1], hosts[h][2]);
            bounce(&other, perp_scheme_at(k));
            ck_assert_msg(leave(hosts[h][0], hosts[h][1], hosts[h][2]), "%s in host %zu",
                          perp_scheme_at(k), h);
            ck_assert_msg(memcmp(&first, &other, sizeof first) == 0, "%s in host %zu",
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
