/* SPDX-License-Identifier: BSD-3-Clause */
/* Bodies that do not meet strike in the same stages of a step, each at its own time, however many
 * others there are. */
#include <math.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/rng.h"
#include "tests/fixtures/mechanism.h"

enum { MANY = 100, STATE = 13 };
static const double R = 0.05, H = 0.01;
static const mechanism_sphere sphere = {.r = 0.05, .r_b = 0.05};

/* A column of up to three balls; the lowest one strikes the floor within the step. */
typedef struct column {
    int balls;
    double e, mu, gap[3], speed, slip[2], turn[3];
} column;

static double between(perp_rng *rng, double lo, double hi)
{
    return lo + (hi - lo) * perp_rng_uniform(rng);
}

static column any_column(perp_rng *rng, int k)
{
    column c = {.balls = 1 + k % 3, .e = 0.25 * (k % 5), .mu = k % 2 ? 0.3 : 0.0};
    c.speed = between(rng, 1.0, 3.0);
    c.gap[0] = between(rng, 0.05, 0.9) * H * c.speed;
    for (int i = 1; i < 3; i++)
        c.gap[i] = between(rng, 0.0, 0.3) * H * c.speed;
    for (int i = 0; i < 2; i++)
        c.slip[i] = between(rng, -1.0, 1.0);
    for (int i = 0; i < 3; i++)
        c.turn[i] = between(rng, -3.0, 3.0);
    return c;
}

static void add_column(mechanism *m, const column *c, double x)
{
    static const double inertia[3] = {1e-3, 1e-3, 1e-3};
    double z = 0.0;
    for (int i = 0, below = -1; i < c->balls; i++) {
        const double *w = c->turn;
        double twist[6] = {c->slip[0], c->slip[1], -c->speed, w[0], w[1], w[2]};
        z += c->gap[i] + R;
        double place[3] = {x, 0.0, z};
        int ball = mechanism_moving(m, 1.0 + i, inertia, place, NULL, twist);
        perp_law law = c->mu > 0.0 ? perp_law_friction(3, c->e, c->mu) : perp_law_impact(c->e);
        if (i == 0)
            mechanism_sphere_on_plane(m, ball, &sphere, law);
        else
            mechanism_spheres_touch(m, ball, below, &sphere, law);
        below = ball;
        z += R;
    }
}

/* Two steps of columns first .. first + count - 1: stages of the first; states of all. */
static int fall(const column *c, int first, int count, double *state)
{
    mechanism m;
    mechanism_open(&m, "");
    for (int k = first; k < first + count; k++)
        add_column(&m, c + k, 0.0);
    mechanism_start(&m, H);
    mechanism_step(&m);
    const perp_step_info *info = perp_sim_info(m.run.sim);
    int stages = info->impacts;
    ck_assert_int_eq(info->halvings, 0);
    ck_assert_int_gt(stages, 0);
    ck_assert_double_le(mechanism_figure(&m, "impacts"), 1e-7);
    ck_assert_double_le(mechanism_figure(&m, "dynamics"), 1e-7);
    mechanism_step(&m);
    ck_assert_int_eq(perp_sim_info(m.run.sim)->halvings, 0);
    for (int k = 0; k < m.bodies; k++) {
        memcpy(state + STATE * k, mechanism_x(&m, k), 7 * sizeof(double));
        memcpy(state + STATE * k + 7, mechanism_v(&m, k), 6 * sizeof(double));
    }
    mechanism_close(&m);
    return stages;
}

/* Cascades run beside each other: together they take the stages of the longest one. */
START_TEST(columns_take_the_stages_of_one)
{
    perp_rng rng = {.state = 5};
    column c[MANY];
    double *state = malloc(sizeof(double) * 3 * MANY * STATE);
    int most = 0;
    for (int k = 0; k < MANY; k++)
        c[k] = any_column(&rng, k);
    int stages = fall(c, 0, MANY, state);
    for (int k = 0; k < MANY; k++) {
        int own = fall(c, k, 1, state);
        most = own > most ? own : most;
    }
    ck_assert_int_eq(stages, most);
    free(state);
}
END_TEST

/* Each ball strikes once: one stage, whatever their number, and the state that it has alone. */
START_TEST(balls_as_if_alone)
{
    perp_rng rng = {.state = 8};
    column c[MANY];
    double *all = malloc(sizeof(double) * MANY * STATE), alone[STATE];
    for (int k = 0; k < MANY; k++) {
        c[k] = any_column(&rng, k);
        c[k].balls = 1;
        c[k].e = 0.1 + 0.8 * k / MANY;
        c[k].gap[0] = (0.1 + 0.8 * k / MANY) * H * c[k].speed;
    }
    for (int n = 1; n <= MANY; n *= 10)
        ck_assert_int_eq(fall(c, 0, n, all), 1);
    for (int k = 0; k < MANY; k++) {
        ck_assert_int_eq(fall(c, k, 1, alone), 1);
        for (int i = 0; i < STATE; i++)
            ck_assert_double_eq_tol(all[STATE * k + i], alone[i], 1e-12);
    }
    free(all);
}
END_TEST

/* Energies of impacts are judged, slips that turned around stopped and overlaps taken back column by
 * column, to what the Newton loop leaves. */
START_TEST(columns_as_if_alone)
{
    perp_rng rng = {.state = 5};
    column c[MANY];
    double *all = malloc(sizeof(double) * 3 * MANY * STATE), alone[3 * STATE];
    for (int k = 0; k < MANY; k++)
        c[k] = any_column(&rng, k);
    fall(c, 0, MANY, all);
    const double *own = all;
    for (int k = 0; k < MANY; k++) {
        fall(c, k, 1, alone);
        for (int i = 0; i < c[k].balls * STATE; i++)
            ck_assert_msg(fabs(own[i] - alone[i]) <= 1e-5, "column %d: %.3g", k,
                          own[i] - alone[i]);
        own += (size_t)c[k].balls * STATE;
    }
    free(all);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("independent impacts");
    TCase *test = tcase_create("independent impacts");
    tcase_set_timeout(test, 120);
    tcase_add_test(test, columns_take_the_stages_of_one);
    tcase_add_test(test, balls_as_if_alone);
    tcase_add_test(test, columns_as_if_alone);
    suite_add_tcase(suite, test);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
