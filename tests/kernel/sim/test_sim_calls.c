/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls of a simulation one by one: reasons of hooks, samplers and their checkpoints, checkpoints
 * without memory, sizes of structs, and arguments that are refused. */
#include "tests/fixtures/sim_scene.h"

#include <perp/verdict.h>

#include "tests/fixtures/contract.h"

typedef struct hook {
    int calls, answer, with_place;
    double at[40];
} hook;

static int note(void *ctx, perp_sim *sim, perp_model *model, double t, double h)
{
    hook *k = ctx;
    perp_where place = {"valve", 3, 4};
    (void)model, (void)h;
    k->at[k->calls++ % 40] = t;
    if (k->with_place == 1)
        perp_sim_set_reason(sim, PERP_ERR_NONFINITE, &place, "the valve is stuck");
    if (k->with_place == 2)
        perp_sim_set_reason(sim, PERP_ERR_STATE, NULL, NULL);
    return k->answer;
}

static void opened(scene *s)
{
    perp_sim_options options = scene_options();
    ck_assert_int_eq(scene_open(s, &options, NULL), PERP_SOLVED);
}

START_TEST(reasons)
{
    scene s;
    perp_sim_options options = scene_options();
    ck_assert_int_eq(scene_open(&s, &options, NULL), PERP_SOLVED);
    const perp_step_info *info = perp_sim_info(s.sim);
    hook k = {.answer = 1, .with_place = 1};
    perp_sim_set_before_step(s.sim, note, &k);
    ck_assert_int_eq(perp_sim_step(s.sim), PERP_INTERRUPTED);
    ck_assert_int_eq(info->reason, PERP_ERR_NONFINITE);
    ck_assert_str_eq(info->where.what, "valve");
    ck_assert(info->where.index == 4 && info->step == 0);
    ck_assert_str_eq(info->detail, "the valve is stuck");
    k.with_place = 2;
    ck_assert_int_eq(perp_sim_step(s.sim), PERP_INTERRUPTED);
    ck_assert_int_eq(info->reason, PERP_ERR_STATE);
    ck_assert_str_eq(info->detail, "");
    k.with_place = 0;
    ck_assert_int_eq(perp_sim_step(s.sim), PERP_INTERRUPTED);
    ck_assert_int_eq(info->reason, PERP_SOLVED);
    ck_assert_str_eq(info->where.what, "before_step");
    k.with_place = 1; /* taken back */
    k.answer = 0;
    ck_assert_int_eq(perp_sim_step(s.sim), PERP_SOLVED);
    ck_assert_int_eq(info->reason, PERP_SOLVED);
    perp_sim_set_before_step(s.sim, NULL, NULL);
    perp_sim_set_reason(NULL, PERP_SOLVED, NULL, NULL);
    scene_close(&s);
}
END_TEST

START_TEST(samplers)
{
    scene s;
    hook a = {0}, b = {0}, stop = {.answer = 1};
    size_t bytes = 0;
    perp_sim_options options = scene_options();
    ck_assert_int_eq(scene_open(&s, &options, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_sim_add_sampler(s.sim, 3.0 * options.h, note, &a), PERP_SOLVED);
    ck_assert_int_eq(perp_sim_add_sampler(s.sim, 2.5 * options.h, note, &b), PERP_SOLVED);
    scene_steps(&s, 11);
    /* At 0, 3, 6, 9 steps; and first after 0, 2.5, 5, 7.5, 10. */
    const int first[] = {0, 3, 6, 9}, second[] = {0, 3, 5, 8, 10};
    ck_assert(a.calls == 4 && b.calls == 5);
    for (int k = 0; k < 5; k++) {
        if (k < 4)
            ck_assert_double_eq_tol(a.at[k], first[k] * options.h, 1e-14);
        ck_assert_double_eq_tol(b.at[k], second[k] * options.h, 1e-14);
    }
    /* A checkpoint knows which were taken; other samplers are another simulation. */
    ck_assert_int_eq(perp_sim_save(s.sim, NULL, &bytes), PERP_SOLVED);
    unsigned char *kept = malloc(bytes);
    size_t less = bytes - 1;
    ck_assert_int_eq(perp_sim_save(s.sim, kept, &less), PERP_ERR_ARGUMENT);
    ck_assert_uint_eq(less, bytes);
    ck_assert_int_eq(perp_sim_save(s.sim, kept, &bytes), PERP_SOLVED);
    for (int count = 0; count < 3; count++) {
        scene other;
        hook c = {0};
        opened(&other);
        for (int k = 0; k < count; k++)
            ck_assert_int_eq(perp_sim_add_sampler(other.sim, (3.0 - 0.5 * k) * options.h, note, &c),
                             PERP_SOLVED);
        ck_assert_int_eq(perp_sim_load(other.sim, kept, bytes),
                         count == 2 ? PERP_SOLVED : PERP_ERR_FORMAT);
        if (count == 2) {
            scene_steps(&other, 1); /* at 11 none is due, at 12 the first */
            ck_assert_int_eq(c.calls, 0);
            scene_steps(&other, 1);
            ck_assert_int_eq(c.calls, 1);
        }
        scene_close(&other);
    }
    free(kept);
    ck_assert_int_eq(perp_sim_add_sampler(s.sim, 1e-9, note, &stop), PERP_SOLVED);
    ck_assert_int_eq(perp_sim_step(s.sim), PERP_INTERRUPTED);
    ck_assert_str_eq(perp_sim_info(s.sim)->where.what, "sampler");
    ck_assert_int_eq(perp_sim_info(s.sim)->where.index, 2);
    scene_close(&s);
}
END_TEST

/* A sampler sees outputs in the first step; where a callback keeps them away the step says so. */
START_TEST(a_sampler_before_the_first_step)
{
    scene s;
    hook a = {0};
    perp_sim_options options = scene_options();
    ck_assert_int_eq(scene_open(&s, &options, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_sim_add_sampler(s.sim, options.h, note, &a), PERP_SOLVED);
    s.calls.refuse_at = 1;
    ck_assert_int_eq(perp_sim_step(s.sim), PERP_INTERRUPTED);
    ck_assert_str_eq(perp_sim_info(s.sim)->where.what, "interaction");
    ck_assert_int_eq(a.calls, 0);
    s.calls = (scene_calls){.nan_at = 1};
    ck_assert_int_eq(perp_sim_step(s.sim), PERP_ERR_NONFINITE);
    ck_assert_int_eq(a.calls, 0);
    s.calls = (scene_calls){0};
    ck_assert_int_eq(perp_sim_step(s.sim), PERP_SOLVED);
    ck_assert_int_eq(a.calls, 1);
    scene_close(&s);
}
END_TEST

/* Each block fails once while a run is saved, and while it is loaded: it is said, and a save and a
 * load after it are as ever. */
START_TEST(checkpoints_without_memory)
{
    scene_memory memory = {0};
    size_t bytes = 0, size;
    double wanted[SCENE_STATE];
    scene plain, s;
    perp_sim_options options = scene_options();
    ck_assert_int_eq(scene_open(&plain, &options, NULL), PERP_SOLVED);
    scene_steps(&plain, 20);
    ck_assert_int_eq(perp_sim_save(plain.sim, NULL, &bytes), PERP_SOLVED);
    unsigned char *kept = malloc(bytes), *second = malloc(bytes);
    ck_assert_int_eq(perp_sim_save(plain.sim, kept, &bytes), PERP_SOLVED);
    scene_steps(&plain, 5);
    scene_state(&plain, wanted);
    for (int told = 1, k = 1; told; k++) {
        ck_assert_int_eq(scene_open(&s, &options, &memory), PERP_SOLVED);
        memory.fail_at = memory.calls + k;
        perp_status status = perp_sim_load(s.sim, kept, bytes);
        told = status == PERP_ERR_MEMORY;
        ck_assert(told || status == PERP_SOLVED);
        memory.fail_at = 0;
        ck_assert_int_eq(perp_sim_load(s.sim, kept, bytes), PERP_SOLVED);
        size = bytes;
        memory.fail_at = memory.calls + k;
        status = perp_sim_save(s.sim, second, &size);
        told |= status == PERP_ERR_MEMORY;
        ck_assert(status == PERP_ERR_MEMORY || status == PERP_SOLVED);
        memory.fail_at = 0;
        size = bytes;
        ck_assert_int_eq(perp_sim_load(s.sim, kept, bytes), PERP_SOLVED);
        ck_assert_int_eq(perp_sim_save(s.sim, second, &size), PERP_SOLVED);
        ck_assert_uint_eq(size, bytes);
        scene_steps(&s, 5);
        scene_same(&s, wanted, "after failing allocation", k);
        scene_close(&s);
        ck_assert_int_eq((int)memory.alive, 0);
        ck_assert_int_lt(k, 500);
    }
    free(kept);
    free(second);
    scene_close(&plain);
}
END_TEST

START_TEST(schemes)
{
    scene s, other;
    perp_scheme scheme, found;
    perp_sim_options options = scene_options();
    const perp_system_id none = {7, 99}, all = {0, 0};
    ck_assert_int_eq(scene_open(&s, &options, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_scheme_init(&scheme, "moreau-jean", sizeof scheme), PERP_SOLVED);
    found = scheme;
    ck_assert_int_eq(perp_scheme_init(NULL, "moreau-jean", sizeof scheme), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_scheme_init(&scheme, "no-such", sizeof scheme), PERP_ERR_SETTING);
    ck_assert_int_eq(perp_scheme_init(&scheme, "moreau-jean", 0), PERP_ERR_SETTING);
    ck_assert_int_eq(perp_scheme_set(&scheme, "theta", NULL), PERP_ERR_ARGUMENT);
    ck_assert_ptr_null(perp_scheme_summary("no-such"));
    ck_assert_ptr_null(perp_scheme_reads("no-such"));
    ck_assert_int_eq(perp_scheme_chooses_instants("no-such"), 0);
    ck_assert_ptr_null(perp_scheme_at(-1));
    ck_assert_int_eq(perp_sim_set_scheme(s.sim, none, &scheme), PERP_ERR_STATE);
    ck_assert_int_eq(perp_sim_set_scheme(NULL, all, &scheme), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_sim_set_scheme(s.sim, all, NULL), PERP_ERR_ARGUMENT);
    scheme.name = "no-such";
    ck_assert_int_eq(perp_sim_set_scheme(s.sim, all, &scheme), PERP_ERR_SETTING);
    scheme = found;
    scheme.size = 3;
    ck_assert_int_eq(perp_sim_set_scheme(s.sim, all, &scheme), PERP_ERR_SETTING);
    scheme = found;
    scheme.theta = 2.0;
    ck_assert_int_eq(perp_sim_set_scheme(s.sim, all, &scheme), PERP_ERR_SETTING);
    ck_assert_int_eq(perp_sim_scheme(s.sim, s.systems[2], &found), PERP_SOLVED);
    ck_assert_str_eq(found.name, "schatzman-paoli");
    ck_assert_int_eq(perp_sim_scheme(s.sim, s.systems[0], &found), PERP_SOLVED);
    ck_assert_str_eq(found.name, "euler-moreau");
    ck_assert_int_eq(perp_sim_scheme(s.sim, none, &found), PERP_ERR_STATE);
    ck_assert_int_eq(perp_sim_scheme(NULL, all, &found), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_sim_scheme(s.sim, all, NULL), PERP_ERR_ARGUMENT);

    /* What the first simulation of a model would say is nothing to the second. */
    ck_assert_int_eq(scene_open(&other, &options, NULL), PERP_SOLVED);
    perp_sim *second;
    ck_assert_int_eq(perp_sim_create(&second, other.model, &options, NULL, NULL), PERP_SOLVED);
    for (int k = 0; k < 4; k++) {
        ck_assert_int_eq(perp_scheme_init(&scheme, "moreau-jean", sizeof scheme), PERP_SOLVED);
        scheme.theta = 0.6 + 0.1 * k;
        ck_assert_int_eq(perp_sim_set_scheme(other.sim, other.systems[3], &scheme), PERP_ERR_STATE);
    }
    ck_assert_int_eq(perp_sim_step(second), PERP_SOLVED);
    ck_assert_int_eq(perp_sim_scheme(second, other.systems[3], &found), PERP_SOLVED);
    ck_assert_double_ne(found.theta, scheme.theta);
    perp_sim_destroy(second);
    scene_close(&other);
    scene_close(&s);
}
END_TEST

/* What a caller of an older version gets is the beginning, of a newer one zeros behind it. */
START_TEST(sizes)
{
    scene s;
    union {
        perp_verdict v;
        unsigned char bytes[4096];
    } u[2];
    opened(&s);
    scene_steps(&s, 3);
    memset(u, 0x5a, sizeof u);
    ck_assert_int_eq(perp_sim_verdict(s.sim, &u[0].v, sizeof u[0].v), PERP_SOLVED);
    ck_assert_int_eq(u[0].v.steps, 3);
    ck_assert_int_eq(perp_sim_verdict(s.sim, &u[1].v, sizeof u[1]), PERP_SOLVED);
    ck_assert_int_eq(u[1].v.steps, 3);
    ck_assert_uint_eq(u[1].bytes[sizeof u[1].v + 9], 0);
    ck_assert_int_eq(perp_sim_set_thresholds(s.sim, NULL), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_sim_set_thresholds(NULL, NULL), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_sim_set_size(NULL, s.systems[0], 1.0), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_sim_set_size(s.sim, s.systems[0], HUGE_VAL), PERP_ERR_ARGUMENT);
    perp_figure figure;
    perp_step_figure step;
    ck_assert_int_eq(perp_sim_figure(NULL, 0, &figure, sizeof figure), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_sim_figure(s.sim, 0, NULL, sizeof figure), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_sim_step_figure(NULL, &step, sizeof step), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_sim_step_figure(s.sim, &step, sizeof step), PERP_SOLVED);
    scene_close(&s);
}
END_TEST

static perp_failure_action go_on(void *ctx, const perp_sim *sim, const perp_info *info, int attempt,
                                 const char **solver)
{
    (void)ctx, (void)sim, (void)info, (void)attempt, (void)solver;
    return PERP_FAILURE_ACCEPT;
}

START_TEST(refused_arguments)
{
    scene s;
    perp_problem problem;
    perp_infeasibility proof = {.size = sizeof proof};
    perp_strike_info strike = {.size = sizeof strike};
    perp_sim_parts parts = {.size = sizeof parts};
    hook k = {0};
    size_t bytes = 0;
    char buf[8] = "";
    const perp_interaction_id none = {7, 99};
    opened(&s);
    scene_steps(&s, 5);
    perp_sim_set_on_failure(NULL, go_on, NULL);
    perp_sim_set_solve(NULL, 0, NULL, NULL);
    perp_sim_set_before_step(NULL, note, &k);
    perp_sim_set_after_step(NULL, note, &k);
    perp_sim_set_at_instants(NULL, NULL, NULL);
    perp_sim_destroy(NULL);
    ck_assert_int_eq(perp_sim_check(NULL), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_sim_step(NULL), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_sim_run(NULL, 1.0), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_sim_run(s.sim, HUGE_VAL), PERP_ERR_ARGUMENT);
    ck_assert(isnan(perp_sim_time(NULL)));
    ck_assert_ptr_null(perp_sim_info(NULL));
    ck_assert_int_eq(perp_sim_set_h(NULL, 1.0), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_sim_set_h(s.sim, 0.0), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_sim_set_h(s.sim, HUGE_VAL), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_sim_last_problem(NULL, &problem, NULL, NULL), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_sim_last_problem(s.sim, NULL, NULL, NULL), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_sim_last_problem(s.sim, &problem, NULL, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_sim_problems(NULL), 0);
    ck_assert_int_eq(perp_sim_problem(s.sim, 0, NULL, NULL, NULL), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_sim_problem(s.sim, -1, &problem, NULL, NULL), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_sim_problem(s.sim, 99, &problem, NULL, NULL), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_sim_infeasibility(NULL, &proof), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_sim_infeasibility(s.sim, &proof), PERP_SOLVED);
    ck_assert_int_eq(proof.rows, 0);
    ck_assert_int_eq(perp_sim_strikes(NULL), 0);
    ck_assert_int_eq(perp_sim_strike(NULL, 0, &strike), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_sim_strike(s.sim, 0, NULL), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_sim_strike(s.sim, -1, &strike), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_sim_strike(s.sim, 999, &strike), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_sim_set_parts(NULL, NULL), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_sim_set_parts(s.sim, &parts), PERP_ERR_ARGUMENT); /* without total */
    parts.size = 0;
    ck_assert_int_eq(perp_sim_set_parts(s.sim, &parts), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_sim_add_sampler(NULL, 1.0, note, &k), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_sim_add_sampler(s.sim, 1.0, NULL, &k), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_sim_add_sampler(s.sim, 0.0, note, &k), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_sim_add_sampler(s.sim, HUGE_VAL, note, &k), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_sim_schedule(NULL, 1.0, note, &k), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_sim_schedule(s.sim, 1.0, NULL, &k), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_sim_schedule(s.sim, HUGE_VAL, note, &k), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_sim_save(NULL, NULL, &bytes), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_sim_save(s.sim, NULL, NULL), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_sim_load(NULL, buf, 1), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_sim_load(s.sim, NULL, 1), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_sim_save_interaction(NULL, none, NULL, &bytes), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_sim_save_interaction(s.sim, none, NULL, NULL), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_sim_save_interaction(s.sim, none, NULL, &bytes), PERP_ERR_STATE);
    ck_assert_int_eq(perp_sim_load_interaction(NULL, none, buf, 8), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_sim_load_interaction(s.sim, none, NULL, 8), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_sim_load_interaction(s.sim, none, buf, 8), PERP_ERR_STATE);
    ck_assert_int_eq(perp_sim_load_interaction(s.sim, s.links[0], buf, 8), PERP_ERR_FORMAT);
    scene_close(&s);
}
END_TEST

START_TEST(refused_options)
{
    static const struct {
        const char *what;
        perp_status status;
    } expected[] = {{"size", PERP_ERR_ARGUMENT},        {"t0", PERP_ERR_ARGUMENT},
                    {"h", PERP_ERR_ARGUMENT},           {"warm_start", PERP_ERR_ARGUMENT},
                    {"warm_start", PERP_ERR_ARGUMENT},  {"newton_tol", PERP_ERR_ARGUMENT},
                    {"newton_iter", PERP_ERR_ARGUMENT}, {"on_unsolved", PERP_ERR_ARGUMENT},
                    {"on_unsolved", PERP_ERR_ARGUMENT}, {"form", PERP_ERR_ARGUMENT},
                    {"form", PERP_ERR_ARGUMENT},        {"solver", PERP_ERR_ARGUMENT},
                    {"tol", PERP_ERR_SETTING}};
    scene s;
    perp_settings settings;
    opened(&s);
    perp_settings_init(&settings, sizeof settings);
    settings.tol = -1.0;
    for (int k = 0; k < (int)(sizeof expected / sizeof expected[0]); k++) {
        perp_sim_options o = scene_options();
        perp_sim *sim = s.sim;
        perp_where where = {"", -1, -1};
        o.size = k == 0 ? 0 : o.size;
        o.t0 = k == 1 ? HUGE_VAL : o.t0;
        o.h = k == 2 ? HUGE_VAL : o.h;
        o.warm_start = k == 3 ? -1 : k == 4 ? 3 : o.warm_start;
        o.newton_tol = k == 5 ? (double)NAN : o.newton_tol;
        o.newton_iter = k == 6 ? 0 : o.newton_iter;
        o.on_unsolved = k == 7 ? (perp_unsolved)-1 : k == 8 ? (perp_unsolved)99 : o.on_unsolved;
        o.form = k == 9 ? (perp_form)-1 : k == 10 ? (perp_form)99 : o.form;
        o.solver = k == 11 ? "no-such" : NULL;
        o.settings = k == 12 ? &settings : NULL;
        ck_assert_int_eq(perp_sim_create(&sim, s.model, &o, NULL, &where), expected[k].status);
        ck_assert_ptr_null(sim);
        ck_assert_str_eq(where.what, expected[k].what);
    }
    perp_sim *sim;
    perp_sim_options o = scene_options();
    ck_assert_int_eq(perp_sim_create(NULL, s.model, &o, NULL, NULL), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_sim_create(&sim, NULL, &o, NULL, NULL), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_sim_create(&sim, s.model, NULL, NULL, NULL), PERP_ERR_ARGUMENT);
    scene_close(&s);
}
END_TEST

/* A prescribed motion that refuses from a given call on. */
static int ride(double *pose, double *twist, double t, void *user)
{
    scene_calls *c = user;
    const double still[7] = {0.1 * t, 0, -5, 1, 0, 0, 0}, rates[6] = {0.1, 0, 0, 0, 0, 0};
    memcpy(pose, still, sizeof still);
    memcpy(twist, rates, sizeof rates);
    return ++c->calls == c->refuse_at;
}

START_TEST(a_prescribed_motion_refuses)
{
    int refused = 0;
    for (long k = 1; k < 40; k++) {
        scene s;
        scene_calls ridden = {0};
        perp_body_def def;
        perp_system_id id;
        double before[SCENE_STATE];
        perp_sim_options options = scene_options();
        ck_assert_int_eq(scene_open(&s, &options, NULL), PERP_SOLVED);
        perp_body_def_init(&def, sizeof def);
        def.motion = ride;
        def.user = &ridden;
        ck_assert_int_eq(perp_model_add_body(s.model, &def, &id, NULL), PERP_SOLVED);
        ridden.refuse_at = ridden.calls + k;
        for (int i = 0; i < 4; i++) {
            scene_state(&s, before);
            perp_status status = perp_sim_step(s.sim);
            if (status == PERP_SOLVED)
                continue;
            refused++;
            ck_assert_int_eq(status, PERP_INTERRUPTED);
            ck_assert_str_eq(perp_sim_info(s.sim)->where.what, "system");
            ck_assert_ptr_nonnull(strstr(perp_sim_info(s.sim)->detail, "motion"));
            if (perp_sim_info(s.sim)->step > 0)
                scene_same(&s, before, "refusal", k);
        }
        scene_close(&s);
    }
    ck_assert_int_gt(refused, 3);
}
END_TEST

/* A model that another simulation took: the earlier one says so and changes nothing, whatever is
 * destroyed first; a simulation that could not be made takes nothing. */
START_TEST(a_later_simulation)
{
    scene s;
    perp_sim *later = NULL;
    perp_sim_options options = scene_options();
    perp_scheme scheme;
    perp_reaction reaction = {.size = sizeof reaction};
    perp_interaction_id none = {0, 0};
    unsigned char buffer[16384];
    size_t bytes = sizeof buffer, again = sizeof buffer;
    hook k = {.answer = 0};
    opened(&s);
    ck_assert_int_eq(perp_scheme_init(&scheme, "moreau-jean", sizeof scheme), PERP_SOLVED);
    ck_assert_int_eq(perp_sim_step(s.sim), PERP_SOLVED);
    ck_assert_int_eq(perp_sim_save(s.sim, buffer, &bytes), PERP_SOLVED);
    options.h = -1.0;
    ck_assert_int_lt(perp_sim_create(&later, s.model, &options, NULL, NULL), 0);
    ck_assert_int_eq(perp_sim_step(s.sim), PERP_SOLVED);
    options.h = scene_options().h;
    ck_assert_int_eq(perp_sim_create(&later, s.model, &options, NULL, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_sim_set_scheme(later, (perp_system_id){0, 0}, &scheme), PERP_SOLVED);
    ck_assert_int_eq(perp_sim_step(later), PERP_SOLVED);

    perp_sim_set_before_step(s.sim, note, &k);
    double t = perp_sim_time(s.sim);
    ck_assert_int_eq(perp_sim_step(s.sim), PERP_ERR_STATE);
    ck_assert_str_eq(perp_sim_info(s.sim)->where.what, "model");
    ck_assert_str_eq(perp_sim_info(s.sim)->detail,
                     "a simulation that was made later has the model");
    ck_assert(k.calls == 0 && perp_sim_time(s.sim) == t);
    ck_assert_int_eq(perp_sim_run(s.sim, 10.0), PERP_ERR_STATE);
    ck_assert_int_eq(perp_sim_check(s.sim), PERP_ERR_STATE);
    ck_assert_int_eq(perp_sim_save(s.sim, buffer, &again), PERP_ERR_STATE);
    ck_assert_int_eq(perp_sim_load(s.sim, buffer, bytes), PERP_ERR_STATE);
    ck_assert_int_eq(perp_sim_set_scheme(s.sim, (perp_system_id){0, 0}, &scheme), PERP_ERR_STATE);
    ck_assert_int_eq(perp_sim_reaction(s.sim, none, &reaction), PERP_ERR_STATE);
    for (uint32_t i = 0; i < 3; i++)
        ck_assert_int_eq(perp_sim_scheme(s.sim, (perp_system_id){i, 1}, &scheme), PERP_ERR_STATE);
    ck_assert_int_eq(perp_sim_step(later), PERP_SOLVED);
    perp_sim_destroy(s.sim);
    s.sim = later;
    ck_assert_int_eq(perp_sim_step(later), PERP_SOLVED);
    scene_close(&s);
}
END_TEST

int main(void)
{
    const TTest *tests[] = {reasons,
                            samplers,
                            a_sampler_before_the_first_step,
                            checkpoints_without_memory,
                            schemes,
                            sizes,
                            refused_arguments,
                            refused_options,
                            a_prescribed_motion_refuses,
                            a_later_simulation};
    return contract_main("calls of a simulation", tests, (int)(sizeof tests / sizeof tests[0]));
}
