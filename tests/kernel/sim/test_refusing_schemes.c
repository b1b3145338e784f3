/* SPDX-License-Identifier: BSD-3-Clause */
/* Every scheme with callbacks that refuse, each call in turn: the step says so and leaves the state
 * of its start, and the run goes on to the same bits.  The same with one that gives no number: the
 * step says so, or the state has numbers all the same. */
#include "tests/fixtures/sim_scene.h"
#include "tests/fixtures/kernel_rig.h"

enum { STEPS = 5, STATE = 64, PENDULUM = 1, DRIVEN = 2, SPHERE = 4, SOURCE = 8, PARTS = 4 };

static const struct {
    const char *name, *parameters;
    double h;
} schemes[] = {
    {"moreau-jean", "", 5e-3},
    {"moreau-jean", "configuration=converged theta=0.6", 5e-3},
    {"moreau-jean", "forces=explicit configuration=start", 5e-3},
    {"schatzman-paoli", "", 5e-3},
    {"generalized-alpha", "", 5e-3},
    {"generalized-alpha", "smooth_contacts=0", 5e-3},
    {"discrete-gradient", "", 5e-3},
    {"discrete-gradient", "impacts=newton", 5e-3},
    {"discrete-gradient", "impacts=poisson", 5e-3},
    {"euler-moreau", "variant=full", 5e-3},
    {"euler-moreau", "variant=midpoint", 5e-3},
    {"moreau-jean-direct-projection", "", 5e-3},
    {"moreau-jean-combined-projection", "", 5e-3},
    {"moreau-jean-adaptive", "at_h_min=accept h_min=0.1 atol=1e-3", 5e-3},
    {"discrete-gradient-adaptive", "at_h_min=accept h_min=0.1 atol=1e-3", 5e-3},
    {"moreau-jean-extrapolated", "at_h_min=accept h_min=0.1 atol=1e-3 levels=3", 5e-3},
    {"event-driven", "", 5e-3},
    {"event-driven", "tableau=radau5", 5e-3},
    {"event-capturing-rk", "", 5e-3},
    {"event-capturing-rk", "tableau=radau5", 5e-3},
    {"splitting", "", 5e-3},
    {"splitting", "contact_forces=continuous inner_steps=controlled", 5e-3},
};
enum { SCHEMES = sizeof schemes / sizeof schemes[0] };

typedef struct world {
    scene_calls calls;
    rig r;
    perp_system_id id;
} world;

static perp_system_id pendulum(world *w)
{
    static const double z[1] = {4.0};
    double q0[1] = {-0.195}, v0[1] = {-0.4};
    perp_lagrangian_def def;
    perp_lagrangian_def_init(&def, sizeof def);
    def.n = 1;
    def.q0 = q0;
    def.v0 = v0;
    def.user = &w->calls;
    def.z = z;
    def.nz = 1;
    def.mass = scene_mass;
    def.F_int = scene_F_int;
    def.F_int_q = scene_F_int_q;
    def.F_int_v = scene_F_int_v;
    perp_system_id id = rig_add_lagrangian(&w->r, &def);
    perp_relation stop = rig_relation(PERP_RELATION_SCLERONOMOUS, 1);
    stop.h = scene_h;
    stop.h_x = scene_h_x;
    stop.user = &w->calls;
    rig_interact(&w->r, &id, 1, &stop, perp_law_impact(0.4));
    return id;
}

static perp_system_id driven(world *w)
{
    static const double one[1] = {1.0}, e[1] = {0.02};
    double q0[1] = {-0.015}, v0[1] = {-0.4};
    perp_lagrangian_def def;
    perp_lagrangian_def_init(&def, sizeof def);
    def.n = 1;
    def.q0 = q0;
    def.v0 = v0;
    def.user = &w->calls;
    def.F_ext = scene_push;
    perp_system_id id = rig_add_lagrangian(&w->r, &def);
    rig_linear(&w->r, id, 1, one, e, perp_law_impact(0.6));
    return id;
}

static perp_system_id sphere(world *w)
{
    perp_body_def body;
    perp_body_def_init(&body, sizeof body);
    body.position[2] = 0.503;
    body.velocity[0] = 0.7;
    body.velocity[2] = -0.5;
    body.force[2] = -9.81;
    perp_system_id id = rig_add_body(&w->r, &body);
    perp_relation touch = rig_relation(PERP_RELATION_CONTACT, 3);
    touch.contact = scene_floor;
    touch.user = &w->calls;
    rig_interact(&w->r, &id, 1, &touch, perp_law_friction(3, 0.2, 0.3));
    return id;
}

static perp_system_id source(world *w)
{
    static const double C[4] = {1, 0, 0, 1}, B[4] = {1, 0, 0, 0.5};
    double x0[2] = {1.0, -0.5}, A[4] = {-1.0, 2.0, -2.0, -0.3};
    perp_first_order_def def;
    perp_first_order_def_init(&def, sizeof def);
    def.n = 2;
    def.x0 = x0;
    perp_mat_init_dense(&def.A, 2, 2, A, 2);
    def.b_at = scene_source;
    def.user = &w->calls;
    perp_system_id id = rig_add_first_order(&w->r, &def);
    perp_relation diode = rig_relation(PERP_RELATION_LINEAR, 2);
    diode.C = C;
    diode.B = B;
    rig_interact(&w->r, &id, 1, &diode, perp_law_complementarity());
    return id;
}

/* 0 where the scheme does not take the system. */
static int open_world(world *w, int by, int part)
{
    memset(w, 0, sizeof *w);
    rig_init(&w->r, schemes[by].h);
    w->r.options.solver = NULL;
    w->id = part == PENDULUM ? pendulum(w)
            : part == DRIVEN ? driven(w)
            : part == SPHERE ? sphere(w)
                             : source(w);
    perp_scheme s = rig_scheme(schemes[by].name, schemes[by].parameters);
    rig_start(&w->r, NULL);
    perp_status status = perp_sim_set_scheme(w->r.sim, w->id, &s);
    if (status == PERP_SOLVED)
        return 1;
    ck_assert_int_eq(status, PERP_ERR_UNSUPPORTED);
    return 0;
}

static int state_of(const world *w, double *out)
{
    double *q, *v;
    int nq, nv;
    perp_model_state(w->r.model, w->id, &q, &v, &nq, &nv);
    memcpy(out, q, sizeof *q * (size_t)nq);
    if (v)
        memcpy(out + nq, v, sizeof *v * (size_t)nv);
    return v ? nq + nv : nq;
}

/* STEPS steps, of which one may fail, with the state of its start; 1 where one did. */
static int run(world *w, int by, int part, const char *what, long k)
{
    double before[STATE], after[STATE];
    int failed = 0;
    while (perp_sim_info(w->r.sim)->step < STEPS) {
        int n = state_of(w, before);
        perp_status status = perp_sim_step(w->r.sim);
        if (status == PERP_SOLVED)
            continue;
        const perp_step_info *info = perp_sim_info(w->r.sim);
        ck_assert_msg(k > 0 && failed++ == 0 && info->detail[0] && status != PERP_ERR_MEMORY,
                      "%s %s, part %d, %s %ld: %s: %s", schemes[by].name, schemes[by].parameters,
                      part, what, k, perp_status_name(status), info->detail);
        state_of(w, after);
        ck_assert_msg(memcmp(before, after, sizeof *before * (size_t)n) == 0,
                      "%s, part %d, %s %ld: another state", schemes[by].name, part, what, k);
    }
    return failed;
}

START_TEST(each_call_in_turn)
{
    int by = _i / PARTS, part = 1 << _i % PARTS;
    world plain, w;
    double wanted[STATE], found[STATE];
    int told[2] = {0, 0};
    int taken = open_world(&plain, by, part);
    if (taken && perp_sim_check(plain.r.sim) == PERP_ERR_UNSUPPORTED)
        taken = 0;
    if (taken)
        run(&plain, by, part, "", 0);
    int n = state_of(&plain, wanted);
    rig_free(&plain.r);
    for (int nan = 0; taken && nan < 2; nan++)
        for (long k = 1, calls = k; calls >= k; k += k < 150 ? 1 : 13) {
            open_world(&w, by, part);
            *(nan ? &w.calls.nan_at : &w.calls.refuse_at) = w.calls.calls + k;
            long at = w.calls.calls;
            int failed = run(&w, by, part, nan ? "NaN" : "refusal", k);
            calls = w.calls.calls - at;
            told[nan] += failed;
            state_of(&w, found);
            if (failed && !nan)
                ck_assert_msg(memcmp(found, wanted, sizeof *found * (size_t)n) == 0,
                              "%s, part %d, refusal %ld: another end", schemes[by].name, part, k);
            /* What tries again, with shorter steps or from another iterate, goes another way; a
             * projection may leave out what it cannot correct. */
            int again = perp_scheme_chooses_instants(schemes[by].name) ||
                        strcmp(schemes[by].name, "discrete-gradient") == 0;
            double least = again ? HUGE_VAL : 1e-3;
            for (int i = 0; i < n; i++)
                ck_assert_msg(isfinite(found[i]) && fabs(found[i] - wanted[i]) <= least,
                              "%s %s, part %d, NaN %ld: %g, not %g", schemes[by].name,
                              schemes[by].parameters, part, k, found[i], wanted[i]);
            rig_free(&w.r);
        }
    if (taken) /* what a scheme tries again with shorter steps may meet no NaN then */
        ck_assert_int_gt(told[0], 3);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("refusing schemes");
    TCase *tests = tcase_create("callbacks");
    tcase_set_timeout(tests, 60);
    tcase_add_loop_test(tests, each_call_in_turn, 0, SCHEMES * PARTS);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
