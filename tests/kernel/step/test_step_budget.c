/* SPDX-License-Identifier: BSD-3-Clause */
/* Steps with a budget of counted work: they are made with the best iterate, say so, and so does the
 * verdict; the same bits with any number of threads, and none changed by a budget that is not met. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include <perp/kernel.h>

enum { HIGH = 5, WIDE = 4, MOST = HIGH * WIDE };

typedef struct pile {
    perp_model *model;
    perp_collider *collider;
    perp_sim *sim;
    perp_system_id ball[MOST];
} pile;

static int detect(void *ctx, perp_sim *sim, perp_model *model, double t, double h)
{
    (void)sim, (void)model;
    return perp_collider_detect(ctx, t, h) != PERP_SOLVED;
}

/* Balls in a corner of three planes. */
static void build(pile *p, const char *scheme, const char *solver, double budget, int threads)
{
    static const double normal[3][3] = {{0, 0, 1}, {0.8, 0, 0.6}, {-0.8, 0, 0.6}};
    perp_sim_options options;
    perp_settings settings;
    perp_scheme s;
    memset(p, 0, sizeof *p);
    ck_assert_int_eq(perp_model_create(&p->model, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_collider_create(&p->collider, p->model, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_collider_set_material(p->collider, 0, 0, 0.0, 0.4), PERP_SOLVED);
    for (int k = 0; k < 3; k++) {
        perp_shape_def def;
        perp_shape_def_init(&def, sizeof def);
        def.kind = PERP_SHAPE_PLANE;
        memcpy(def.normal, normal[k], sizeof def.normal);
        ck_assert_int_eq(perp_collider_add(p->collider, &def, NULL, NULL), PERP_SOLVED);
    }
    for (int b = 0; b < MOST; b++) {
        perp_body_def def;
        perp_shape_def shape;
        perp_body_def_init(&def, sizeof def);
        perp_shape_def_init(&shape, sizeof shape);
        def.mass = 1.0 + b % 3;
        for (int i = 0; i < 3; i++)
            def.inertia[4 * i] = 0.4 * def.mass * 0.01;
        def.position[0] = 0.19 * (b % WIDE - 1.5) + 0.01 * (b / WIDE % 2);
        def.position[2] = 0.15 + 0.19 * (b / WIDE) + 0.15;
        def.force[2] = -9.81 * def.mass;
        ck_assert_int_eq(perp_model_add_body(p->model, &def, &p->ball[b], NULL), PERP_SOLVED);
        shape.body = p->ball[b];
        shape.radius = 0.1;
        ck_assert_int_eq(perp_collider_add(p->collider, &shape, NULL, NULL), PERP_SOLVED);
    }
    perp_settings_init(&settings, sizeof settings);
    settings.budget = budget;
    settings.threads = threads;
    perp_sim_options_init(&options, sizeof options);
    options.h = 5e-3;
    options.settings = &settings;
    options.solver = solver;
    ck_assert_int_eq(perp_sim_create(&p->sim, p->model, &options, NULL, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_scheme_init(&s, scheme, sizeof s), PERP_SOLVED);
    for (int b = 0; b < MOST; b++)
        ck_assert_int_eq(perp_sim_set_scheme(p->sim, p->ball[b], &s), PERP_SOLVED);
    perp_sim_set_before_step(p->sim, detect, p->collider);
}

static void drop(pile *p)
{
    perp_sim_destroy(p->sim);
    perp_collider_destroy(p->collider);
    perp_model_destroy(p->model);
}

static void states(pile *p, double *out)
{
    for (int b = 0; b < MOST; b++) {
        double *q, *v;
        ck_assert_int_eq(perp_model_state(p->model, p->ball[b], &q, &v, NULL, NULL), PERP_SOLVED);
        memcpy(out + 13 * b, q, 7 * sizeof *q);
        memcpy(out + 13 * b + 7, v, 6 * sizeof *v);
    }
}

/* The steps of a run; how many were not solved. */
static long run(pile *p, int steps)
{
    for (int k = 0; k < steps; k++) {
        perp_status status = perp_sim_step(p->sim);
        ck_assert_msg(status >= 0 && perp_sim_info(p->sim)->step == k + 1, "step %d: %s", k,
                      perp_status_name(status));
        ck_assert_int_eq(perp_sim_info(p->sim)->halvings, 0);
    }
    return perp_sim_info(p->sim)->unsolved;
}

static const char *const schemes[] = {"discrete-gradient", "moreau-jean"};

START_TEST(best_iterate_and_verdict)
{
    pile p;
    perp_verdict verdict;
    build(&p, schemes[_i], NULL, 6.0, 1);
    long unsolved = run(&p, 80);
    ck_assert_int_gt(unsolved, 0);
    ck_assert_int_eq(perp_sim_verdict(p.sim, &verdict, sizeof verdict), PERP_SOLVED);
    ck_assert_int_eq(verdict.kind, PERP_VERDICT_NOT_VERIFIED);
    perp_figure figure = {.size = sizeof figure};
    ck_assert_int_eq(perp_sim_figure(p.sim, 0, &figure, sizeof figure), PERP_SOLVED);
    ck_assert_str_eq(figure.name, "unsolved");
    ck_assert_double_eq(figure.value, (double)unsolved);
    drop(&p);
}
END_TEST

START_TEST(bits)
{
    static double x[4][13 * MOST];
    static const double budgets[] = {6.0, 6.0, 0.0, 1e9};
    for (int k = 0; k < 4; k++) {
        pile p;
        build(&p, schemes[_i], "auto", budgets[k], 1 + k % 2);
        long unsolved = run(&p, 60);
        ck_assert_int_eq(unsolved > 0, k < 2);
        states(&p, x[k]);
        drop(&p);
    }
    ck_assert_mem_eq(x[0], x[1], sizeof x[0]);
    ck_assert_mem_eq(x[2], x[3], sizeof x[0]);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("step budget");
    TCase *cases = tcase_create("core");
    tcase_set_timeout(cases, 120.0);
    tcase_add_loop_test(cases, best_iterate_and_verdict, 0, 2);
    tcase_add_loop_test(cases, bits, 0, 2);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed > 0;
}
