/* SPDX-License-Identifier: BSD-3-Clause */
/* What a simulation does when callbacks refuse, write NaN or change the model, and when solvers
 * fail: an error that is clear, and the bits of the state at the start of the step. */
#include "tests/fixtures/sim_scene.h"

/* Each callback of a step in turn refuses; the run goes on as if nothing had been. */
START_TEST(each_refusal_keeps_the_state)
{
    perp_sim_options options = scene_options();
    double before[SCENE_STATE], after[SCENE_STATE], later[SCENE_STATE];
    scene s;
    options.form = _i ? PERP_FORM_CSC : PERP_FORM_AUTO;
    ck_assert_int_eq(scene_open(&s, &options, NULL), PERP_SOLVED);
    scene_steps(&s, 12);
    scene_state(&s, before);
    long first = s.calls.calls;
    scene_steps(&s, 1);
    scene_state(&s, after);
    long last = s.calls.calls;
    scene_steps(&s, 8);
    scene_state(&s, later);
    scene_close(&s);
    ck_assert_int_gt(last - first, 10);
    for (long k = first + 1; k <= last; k++) {
        ck_assert_int_eq(scene_open(&s, &options, NULL), PERP_SOLVED);
        scene_steps(&s, 12);
        s.calls.refuse_at = k;
        ck_assert_int_eq(perp_sim_step(s.sim), PERP_INTERRUPTED);
        ck_assert_int_eq((int)perp_sim_info(s.sim)->step, 12);
        ck_assert_ptr_nonnull(perp_sim_info(s.sim)->where.what);
        scene_same(&s, before, "refused at", k);
        scene_steps(&s, 1);
        scene_same(&s, after, "after refusal", k);
        scene_steps(&s, 8);
        scene_same(&s, later, "later than refusal", k);
        scene_close(&s);
    }
}
END_TEST

/* The same with NaN: an error, never a state that holds it. */
START_TEST(each_nan_is_an_error)
{
    perp_sim_options options = scene_options();
    double before[SCENE_STATE], now[SCENE_STATE];
    scene s;
    ck_assert_int_eq(scene_open(&s, &options, NULL), PERP_SOLVED);
    scene_steps(&s, 12);
    scene_state(&s, before);
    long first = s.calls.calls;
    scene_steps(&s, 1);
    long last = s.calls.calls;
    scene_close(&s);
    for (long k = first + 1; k <= last; k++) {
        ck_assert_int_eq(scene_open(&s, &options, NULL), PERP_SOLVED);
        scene_steps(&s, 12);
        s.calls.nan_at = k;
        perp_status status = perp_sim_step(s.sim);
        if (status < 0) {
            scene_same(&s, before, "NaN at", k);
            ck_assert_int_gt((int)strlen(perp_sim_info(s.sim)->detail), 0);
        }
        int count = scene_state(&s, now);
        for (int i = 0; i < count; i++)
            ck_assert(isfinite(now[i]));
        scene_steps(&s, 3);
        scene_close(&s);
    }
}
END_TEST

/* A linear system with a NaN force and no contact: nobody else would notice. */
START_TEST(nan_in_a_free_flight)
{
    scene_calls calls = {0, 0, 0};
    double q0 = 1.0, *q;
    perp_sim_options options = scene_options();
    perp_lagrangian_def def;
    perp_system_id id;
    perp_model *model;
    perp_sim *sim;
    perp_model_create(&model, NULL);
    perp_lagrangian_def_init(&def, sizeof def);
    def.n = 1;
    def.q0 = &q0;
    def.F_ext = scene_push;
    def.user = &calls;
    ck_assert_int_eq(perp_model_add_lagrangian(model, &def, &id, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_sim_create(&sim, model, &options, NULL, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_sim_step(sim), PERP_SOLVED);
    perp_model_state(model, id, &q, NULL, NULL, NULL);
    double kept = *q;
    calls.nan_at = calls.calls + 1;
    ck_assert_int_eq(perp_sim_step(sim), PERP_ERR_NUMERICAL);
    ck_assert_str_eq(perp_sim_info(sim)->where.what, "system");
    ck_assert_int_eq(perp_sim_info(sim)->where.index, (int)id.index);
    ck_assert(*q == kept);
    ck_assert_int_eq(perp_sim_step(sim), PERP_SOLVED);
    perp_sim_destroy(sim);
    perp_model_destroy(model);
}
END_TEST

/* What a failing solver is answered with, one entry a call; the last one is repeated. */
typedef struct answers {
    perp_failure_action list[8];
    int count, asked;
} answers;

static perp_failure_action answer(void *ctx, const perp_sim *sim, const perp_info *info,
                                  int attempt, const char **solver)
{
    answers *a = ctx;
    (void)attempt;
    ck_assert_ptr_nonnull(sim);
    ck_assert_ptr_nonnull(*solver);
    ck_assert_int_ne(info->status, PERP_SOLVED);
    int k = a->asked < a->count ? a->asked : a->count - 1;
    a->asked++;
    return a->list[k];
}

/* Solves that always end at their iteration limit. */
static perp_sim_options failing_options(void)
{
    static perp_settings settings;
    perp_sim_options options = scene_options();
    perp_settings_init(&settings, sizeof settings);
    settings.max_iter = 1;
    settings.tol = 1e-300;
    options.settings = &settings;
    options.solver = "gs";
    options.newton_iter = 1;
    return options;
}

START_TEST(failures_keep_the_state)
{
    static const answers all[] = {
        {{PERP_FAILURE_STOP}, 1, 0},
        {{PERP_FAILURE_HALVE}, 1, 0},
        {{PERP_FAILURE_HALVE, PERP_FAILURE_STOP}, 2, 0},
        {{PERP_FAILURE_HALVE, PERP_FAILURE_ACCEPT, PERP_FAILURE_STOP}, 3, 0},
        {{PERP_FAILURE_HALVE, PERP_FAILURE_HALVE, PERP_FAILURE_ACCEPT, PERP_FAILURE_ACCEPT,
          PERP_FAILURE_STOP},
         5,
         0},
        {{PERP_FAILURE_RETRY}, 1, 0},
    };
    perp_sim_options options = failing_options();
    double before[SCENE_STATE], after[SCENE_STATE];
    scene s;
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) {
        answers a = {{PERP_FAILURE_ACCEPT}, 1, 0}, used = all[k];
        ck_assert_int_eq(scene_open(&s, &options, NULL), PERP_SOLVED);
        perp_sim_set_on_failure(s.sim, answer, &a);
        scene_steps(&s, 12);
        scene_state(&s, before);
        perp_sim_set_on_failure(s.sim, answer, &used);
        perp_status status = perp_sim_step(s.sim);
        ck_assert_msg(status > 0, "%d %s", (int)status, perp_sim_info(s.sim)->detail);
        ck_assert_int_eq((int)perp_sim_info(s.sim)->step, 12);
        scene_same(&s, before, "answers", (long)k);
        perp_sim_set_on_failure(s.sim, answer, &a);
        scene_steps(&s, 1);
        scene_state(&s, after);
        scene_close(&s);
        a.asked = 0;
        ck_assert_int_eq(scene_open(&s, &options, NULL), PERP_SOLVED);
        perp_sim_set_on_failure(s.sim, answer, &a);
        scene_steps(&s, 13);
        scene_same(&s, after, "undisturbed", (long)k);
        scene_close(&s);
    }
}
END_TEST

static perp_failure_action name_another(void *ctx, const perp_sim *sim, const perp_info *info,
                                        int attempt, const char **solver)
{
    (void)ctx, (void)sim, (void)attempt;
    ck_assert_str_eq(*solver, info->solver);
    *solver = "no such solver";
    return PERP_FAILURE_RETRY;
}

START_TEST(an_unknown_solver_is_told)
{
    perp_sim_options options = failing_options();
    double before[SCENE_STATE];
    scene s;
    options.solver = NULL;
    ck_assert_int_eq(scene_open(&s, &options, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_sim_check(s.sim), PERP_SOLVED);
    perp_sim_set_on_failure(s.sim, name_another, NULL);
    perp_status status = PERP_SOLVED;
    for (int k = 0; k < 200 && status == PERP_SOLVED; k++) {
        scene_state(&s, before);
        status = perp_sim_step(s.sim);
    }
    ck_assert_int_eq(status, PERP_ERR_SETTING);
    ck_assert_str_eq(perp_sim_info(s.sim)->where.what, "solver");
    scene_same(&s, before, "unknown", 0);
    scene_close(&s);
}
END_TEST

/* Halved steps end at the same time, and say how they went. */
START_TEST(halved_steps_arrive)
{
    perp_sim_options options = failing_options();
    answers a = {{PERP_FAILURE_HALVE, PERP_FAILURE_ACCEPT}, 2, 0};
    scene s;
    ck_assert_int_eq(scene_open(&s, &options, NULL), PERP_SOLVED);
    perp_sim_set_on_failure(s.sim, answer, &a);
    ck_assert_int_eq(perp_sim_step(s.sim), PERP_ITERATION_LIMIT);
    const perp_step_info *info = perp_sim_info(s.sim);
    ck_assert_int_eq(info->halvings, 1);
    ck_assert_int_eq(info->solves, 3);
    ck_assert_int_eq((int)info->step, 1);
    ck_assert_ptr_null(info->where.what);
    ck_assert(perp_sim_time(s.sim) == options.h);
    scene_close(&s);
}
END_TEST

START_TEST(newton_that_does_not_converge_is_told)
{
    perp_sim_options options = scene_options();
    scene s;
    options.newton_tol = 0.0;
    options.newton_iter = 2;
    options.on_unsolved = PERP_UNSOLVED_ACCEPT;
    ck_assert_int_eq(scene_open(&s, &options, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_sim_step(s.sim), PERP_ITERATION_LIMIT);
    ck_assert_int_eq((int)perp_sim_info(s.sim)->unsolved, 1);
    ck_assert_int_eq((int)perp_sim_info(s.sim)->step, 1);
    ck_assert_int_eq(perp_sim_info(s.sim)->newton, 2);
    ck_assert(perp_sim_info(s.sim)->newton_residual < 1e-3);
    scene_close(&s);
}
END_TEST

/* A form that is refused is refused in each step, and may be followed by nothing else. */
static void set_moreau_jean(perp_sim *sim)
{
    const perp_system_id all = {0, 0};
    perp_scheme scheme;
    ck_assert_int_eq(perp_scheme_init(&scheme, "moreau-jean", sizeof scheme), PERP_SOLVED);
    ck_assert_int_eq(perp_sim_set_scheme(sim, all, &scheme), PERP_SOLVED);
}

/* Impulses scale with the mass, so what rounding leaves of the dynamics does too: bodies of any
 * mass fall, bounce and slide the same way, and every step of their Newton loops ends. */
START_TEST(bodies_of_any_mass)
{
    const double mass = pow(10.0, 3.0 * _i - 9.0);
    perp_model *model;
    perp_sim *sim;
    perp_system_id id;
    perp_body_def def;
    perp_body_def_init(&def, sizeof def);
    def.mass = mass;
    def.inertia[0] = 0.3 * mass, def.inertia[4] = 0.5 * mass, def.inertia[8] = 0.7 * mass;
    def.position[2] = 0.6;
    def.angular[0] = 3.0, def.angular[1] = 1.0, def.angular[2] = 0.5;
    def.force[2] = -9.81 * mass;
    scene_calls calls = {0};
    perp_interaction_def touch;
    perp_interaction_def_init(&touch, sizeof touch);
    touch.systems = &id;
    touch.nsystems = 1;
    touch.relation.kind = PERP_RELATION_CONTACT;
    touch.relation.rows = 3;
    touch.relation.contact = scene_floor;
    touch.relation.user = &calls;
    touch.law = perp_law_friction(3, 0.2, 0.4);
    perp_sim_options options = scene_options();
    ck_assert_int_eq(perp_model_create(&model, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_model_add_body(model, &def, &id, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_model_add_interaction(model, &touch, NULL, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_sim_create(&sim, model, &options, NULL, NULL), PERP_SOLVED);
    set_moreau_jean(sim);
    for (int k = 0; k < 300; k++)
        ck_assert_int_eq(perp_sim_step(sim), PERP_SOLVED);
    double *x;
    ck_assert_int_eq(perp_model_state(model, id, &x, NULL, NULL, NULL), PERP_SOLVED);
    ck_assert_double_eq_tol(x[0], 0.63013, 1e-4);
    ck_assert_double_eq_tol(x[1], -0.97639, 1e-4);
    ck_assert_double_eq_tol(x[2], 0.49814, 1e-4);
    perp_sim_destroy(sim);
    perp_model_destroy(model);
}
END_TEST

START_TEST(a_form_is_refused_each_time)
{
    perp_sim_options options = scene_options();
    const perp_form forms[] = {PERP_FORM_BSR, PERP_FORM_DELASSUS};
    double before[SCENE_STATE];
    perp_problem problem;
    const double *z, *w;
    scene s;
    options.form = forms[_i];
    ck_assert_int_eq(scene_open(&s, &options, NULL), PERP_SOLVED);
    perp_sim_check(s.sim);
    scene_state(&s, before);
    for (int k = 0; k < 3; k++) {
        ck_assert_int_eq(perp_sim_step(s.sim), PERP_ERR_UNSUPPORTED);
        ck_assert_str_eq(perp_sim_info(s.sim)->where.what, "form");
        scene_same(&s, before, "form", k);
        ck_assert_int_eq(perp_sim_last_problem(s.sim, &problem, &z, &w), PERP_SOLVED);
        ck_assert_int_eq(problem.M.rows, 0);
        ck_assert_ptr_null(z);
    }
    scene_close(&s);
}
END_TEST

/* Same bits in a second run. */
START_TEST(two_runs_have_the_same_bits)
{
    perp_sim_options options = scene_options();
    double expected[SCENE_STATE];
    scene s;
    for (int k = 0; k < 2; k++) {
        ck_assert_int_eq(scene_open(&s, &options, NULL), PERP_SOLVED);
        scene_steps(&s, 100);
        if (k == 0)
            scene_state(&s, expected);
        else
            scene_same(&s, expected, "run", k);
        scene_close(&s);
    }
}
END_TEST

static perp_system_id add_ball(perp_model *model, double height)
{
    double F = -9.81;
    perp_system_id id;
    perp_lagrangian_def def;
    perp_lagrangian_def_init(&def, sizeof def);
    def.n = 1;
    def.q0 = &height;
    def.F = &F;
    ck_assert_int_eq(perp_model_add_lagrangian(model, &def, &id, NULL), PERP_SOLVED);
    return id;
}

static perp_interaction_id add_ground(perp_model *model, const perp_system_id *systems, int count)
{
    double C[3] = {1, 1, 1};
    perp_interaction_id id;
    perp_interaction_def def;
    perp_interaction_def_init(&def, sizeof def);
    def.systems = systems;
    def.nsystems = count;
    def.relation.kind = PERP_RELATION_LINEAR;
    def.relation.rows = 1;
    def.relation.C = C;
    def.law = perp_law_impact(0.5);
    ck_assert_int_eq(perp_model_add_interaction(model, &def, &id, NULL), PERP_SOLVED);
    return id;
}

typedef struct surgeon {
    perp_system_id ball;
    perp_interaction_id contacts[1000];
    int step;
} surgeon;

/* Step 3 adds a thousand contacts, step 6 takes them away, step 9 removes the ball, step 12
 * brings another. */
static int operate(void *ctx, perp_sim *sim, perp_model *model, double t, double h)
{
    surgeon *s = ctx;
    (void)sim, (void)t, (void)h;
    s->step++;
    for (int k = 0; s->step == 3 && k < 1000; k++)
        s->contacts[k] = add_ground(model, &s->ball, 1);
    for (int k = 999; s->step == 6 && k >= 0; k--)
        ck_assert_int_eq(perp_model_remove_interaction(model, s->contacts[k]), PERP_SOLVED);
    if (s->step == 9)
        ck_assert_int_eq(perp_model_remove_system(model, s->ball), PERP_SOLVED);
    if (s->step == 12) {
        s->ball = add_ball(model, 2.0);
        add_ground(model, &s->ball, 1);
    }
    return 0;
}

START_TEST(models_change_in_hooks)
{
    surgeon s = {.step = 0};
    perp_sim_options options = scene_options();
    perp_model *model;
    perp_sim *sim;
    perp_model_create(&model, NULL);
    s.ball = add_ball(model, -0.01);
    add_ground(model, &s.ball, 1);
    ck_assert_int_eq(perp_sim_create(&sim, model, &options, NULL, NULL), PERP_SOLVED);
    if (_i == 0)
        perp_sim_set_before_step(sim, operate, &s);
    else
        perp_sim_set_after_step(sim, operate, &s);
    for (int k = 0; k < 20; k++) {
        perp_status status = perp_sim_step(sim);
        ck_assert_msg(status >= 0, "%d: %d %s", k, (int)status, perp_sim_info(sim)->detail);
        perp_problem problem;
        ck_assert_int_eq(perp_sim_last_problem(sim, &problem, NULL, NULL), PERP_SOLVED);
    }
    ck_assert_int_eq(perp_model_systems(model), 1);
    ck_assert_int_eq(perp_model_interactions(model), 1);
    perp_sim_destroy(sim);
    perp_model_destroy(model);
}
END_TEST

static int stop(void *ctx, perp_sim *sim, perp_model *model, double t, double h)
{
    (void)ctx, (void)sim, (void)model, (void)t, (void)h;
    return 1;
}

/* perp_sim_run() ends where a hook stops, before or after the step. */
START_TEST(hooks_stop_a_run)
{
    perp_sim_options options = scene_options();
    perp_model *model;
    perp_sim *sim;
    perp_model_create(&model, NULL);
    add_ball(model, 1.0);
    ck_assert_int_eq(perp_sim_create(&sim, model, &options, NULL, NULL), PERP_SOLVED);
    perp_sim_set_before_step(sim, stop, NULL);
    ck_assert_int_eq(perp_sim_run(sim, 1.0), PERP_INTERRUPTED);
    ck_assert(perp_sim_time(sim) == 0.0);
    perp_sim_set_before_step(sim, NULL, NULL);
    perp_sim_set_after_step(sim, stop, NULL);
    ck_assert_int_eq(perp_sim_run(sim, 1.0), PERP_INTERRUPTED);
    ck_assert(perp_sim_time(sim) == options.h);
    perp_sim_set_after_step(sim, NULL, NULL);
    ck_assert_int_eq(perp_sim_schedule(sim, 0.02, stop, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_sim_run(sim, 1.0), PERP_INTERRUPTED);
    ck_assert_double_eq_tol(perp_sim_time(sim), 0.02, 1e-15);
    ck_assert_int_eq(perp_sim_run(sim, 1.0), PERP_SOLVED);
    ck_assert_double_eq_tol(perp_sim_time(sim), 1.0, 1e-12);
    perp_sim_destroy(sim);
    perp_model_destroy(model);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("sim hostile");
    TCase *tcase = tcase_create("refusals");
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, each_refusal_keeps_the_state, 0, 2);
    tcase_add_test(tcase, each_nan_is_an_error);
    tcase_add_test(tcase, nan_in_a_free_flight);
    tcase_add_test(tcase, failures_keep_the_state);
    tcase_add_test(tcase, an_unknown_solver_is_told);
    tcase_add_test(tcase, halved_steps_arrive);
    tcase_add_test(tcase, newton_that_does_not_converge_is_told);
    tcase_add_loop_test(tcase, bodies_of_any_mass, 0, 8);
    tcase_add_loop_test(tcase, a_form_is_refused_each_time, 0, 2);
    tcase_add_test(tcase, two_runs_have_the_same_bits);
    tcase_add_loop_test(tcase, models_change_in_hooks, 0, 2);
    tcase_add_test(tcase, hooks_stop_a_run);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
