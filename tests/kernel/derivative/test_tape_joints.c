/* SPDX-License-Identifier: BSD-3-Clause */
/* Joints that are there twice: products are those of the same motion with each of them once,
 * forwards and backwards; and many small ones. */
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include <perp/kernel.h>
#include <perp/sim_derivative.h>

enum { BODIES = 3, DOFS = 6 * BODIES, STEPS = 20 };

typedef struct world {
    perp_model *model;
    perp_sim *sim;
    perp_tape *tape;
} world;

static void add_pivot(world *w, perp_system_id *ids, int count, double x, double y)
{
    perp_interaction_def pivot;
    perp_interaction_def_init(&pivot, sizeof pivot);
    pivot.systems = ids;
    pivot.nsystems = count;
    pivot.relation.kind = PERP_RELATION_JOINT;
    pivot.relation.joint = PERP_JOINT_PIVOT;
    pivot.relation.rows = 5;
    pivot.relation.anchor[0] = x;
    pivot.relation.anchor[1] = y;
    pivot.relation.axis[1] = 1.0;
    pivot.law = perp_law_equality();
    ck_assert_int_eq(perp_model_add_interaction(w->model, &pivot, NULL, NULL), PERP_SOLVED);
}

/* A chain that hangs on the world and swings; copies: of each pivot, elsewhere on its axis. */
static void open_world(world *w, int copies)
{
    perp_system_id ids[BODIES];
    perp_sim_options options;
    perp_settings settings;
    ck_assert_int_eq(perp_model_create(&w->model, NULL), PERP_SOLVED);
    for (int k = 0; k < BODIES; k++) {
        perp_body_def def;
        perp_body_def_init(&def, sizeof def);
        def.position[0] = 0.3 * (k + 1);
        def.force[2] = -9.81;
        def.inertia[0] = def.inertia[4] = def.inertia[8] = 0.01;
        ck_assert_int_eq(perp_model_add_body(w->model, &def, &ids[k], NULL), PERP_SOLVED);
        for (int n = 0; n < copies; n++)
            add_pivot(w, k ? &ids[k - 1] : ids, k ? 2 : 1, 0.3 * k, 0.1 * n);
    }
    perp_sim_options_init(&options, sizeof options);
    perp_settings_init(&settings, sizeof settings);
    settings.tol = 1e-12;
    options.settings = &settings;
    options.h = 1e-3;
    ck_assert_int_eq(perp_sim_create(&w->sim, w->model, &options, NULL, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_tape_create(&w->tape, w->sim, NULL, NULL, NULL), PERP_SOLVED);
    for (int k = 0; k < STEPS; k++)
        ck_assert_int_eq(perp_sim_step(w->sim), PERP_SOLVED);
}

static void close_world(world *w)
{
    perp_tape_destroy(w->tape);
    perp_sim_destroy(w->sim);
    perp_model_destroy(w->model);
}

/* Of all bodies turning about the first pivot: dq and dv; then a gradient by v along it. */
static double find(double *out, const double *bar, int copies)
{
    double turn[DOFS] = {0.0}, q[DOFS] = {0.0}, v[DOFS] = {0.0}, along = 0.0;
    world w;
    open_world(&w, copies);
    for (int k = 0; k < BODIES; k++) {
        turn[6 * k + 2] = -0.3 * (k + 1);
        turn[6 * k + 4] = 1.0;
    }
    perp_tape_tangent given = {.size = sizeof given, .v = turn};
    perp_tape_gradient of = {.size = sizeof of, .q = q, .v = v};
    ck_assert_int_ge(perp_tape_jvp(w.tape, 1, &given, 0, out, out + DOFS, NULL, NULL), 0);
    ck_assert_int_ge(perp_tape_vjp(w.tape, 1, 0, NULL, bar, &of, NULL), 0);
    for (int i = 0; i < DOFS; i++)
        along += v[i] * turn[i];
    close_world(&w);
    return along;
}

START_TEST(joints_twice)
{
    double once[2 * DOFS], twice[2 * DOFS], bar[DOFS], expected = 0.0;
    for (int i = 0; i < DOFS; i++)
        bar[i] = 1.0 + 0.1 * i;
    double first = find(once, bar, 1), second = find(twice, bar, 2);
    for (int i = 0; i < 2 * DOFS; i++)
        ck_assert_double_le(fabs(once[i] - twice[i]), 1e-9);
    for (int i = 0; i < DOFS; i++)
        expected += once[DOFS + i] * bar[i];
    ck_assert_double_le(fabs(first - expected), 1e-9 * (1.0 + fabs(expected)));
    ck_assert_double_le(fabs(second - expected), 1e-9 * (1.0 + fabs(expected)));
}
END_TEST

enum { BEADS = 40 };

/* Beads in a row, each of one velocity and tied to the next by one row: more blocks of their matrix
 * than there is place for, were joints to follow the bodies that they hold. */
START_TEST(many_small_ties)
{
    const double one = 1.0, C[2] = {1.0, -1.0};
    double push[BEADS], bar[BEADS] = {0.0}, dq[BEADS], dv[BEADS], v[BEADS] = {0.0}, along = 0.0;
    world w;
    perp_system_id ids[BEADS];
    perp_sim_options options;
    ck_assert_int_eq(perp_model_create(&w.model, NULL), PERP_SOLVED);
    for (int k = 0; k < BEADS; k++) {
        perp_lagrangian_def def;
        perp_interaction_def tie;
        perp_lagrangian_def_init(&def, sizeof def);
        def.n = 1;
        def.q0 = def.F = &one;
        ck_assert_int_eq(perp_model_add_lagrangian(w.model, &def, &ids[k], NULL), PERP_SOLVED);
        push[k] = 1.0;
        if (k == 0)
            continue;
        perp_interaction_def_init(&tie, sizeof tie);
        tie.systems = &ids[k - 1];
        tie.nsystems = 2;
        tie.relation.kind = PERP_RELATION_LINEAR;
        tie.relation.rows = 1;
        tie.relation.C = C;
        tie.law = perp_law_equality();
        ck_assert_int_eq(perp_model_add_interaction(w.model, &tie, NULL, NULL), PERP_SOLVED);
    }
    perp_sim_options_init(&options, sizeof options);
    options.h = 1e-2;
    ck_assert_int_eq(perp_sim_create(&w.sim, w.model, &options, NULL, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_tape_create(&w.tape, w.sim, NULL, NULL, NULL), PERP_SOLVED);
    for (int k = 0; k < STEPS; k++)
        ck_assert_int_eq(perp_sim_step(w.sim), PERP_SOLVED);
    perp_tape_tangent given = {.size = sizeof given, .v = push};
    perp_tape_gradient of = {.size = sizeof of, .v = v};
    bar[BEADS - 1] = 1.0;
    ck_assert_int_ge(perp_tape_jvp(w.tape, 1, &given, 0, dq, dv, NULL, NULL), 0);
    ck_assert_int_ge(perp_tape_vjp(w.tape, 1, 0, bar, NULL, &of, NULL), 0);
    for (int k = 0; k < BEADS; k++) {
        ck_assert_double_le(fabs(dv[k] - 1.0), 1e-9);
        ck_assert_double_le(fabs(dq[k] - 1e-2 * STEPS), 1e-9);
        along += v[k];
    }
    ck_assert_double_le(fabs(along - 1e-2 * STEPS), 1e-9);
    close_world(&w);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("joints that are there twice");
    TCase *test = tcase_create("joints that are there twice");
    tcase_add_test(test, joints_twice);
    tcase_add_test(test, many_small_ties);
    suite_add_tcase(suite, test);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
