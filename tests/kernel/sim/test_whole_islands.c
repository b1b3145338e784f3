/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts of a simulation that are whole islands (perp_sim_set_parts() without `solve`): alone they
 * are the whole to the bit, for schemes of every kind but those that choose their instants; a step
 * that another process halves is halved here, one that fails there fails here; energies, measures
 * and counts are those of all. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include <perp/collide.h>
#include <perp/sim.h>
#include <perp/verdict.h>

#include "tests/fixtures/ball_pile.h"

static void open_world(world *w, const char *scheme_name)
{
    open_pile(w, &(ball_pile){2.0, 2.0, 0.201, 0.001, 1e-10}, scheme_name);
}

#define PERP_MEASURE(name, verified, remarks, text) PERP_MEASURE_##name,
enum {
#include <perp/verdict.def>
};
#undef PERP_MEASURE

/* What the other processes say. */
typedef struct elsewhere {
    int calls, fails;
    double halves, failures; /* of the next step */
    double factor;           /* energies of all, beside those of here */
} elsewhere;

static int total(void *ctx, double *x, int n)
{
    elsewhere *e = ctx;
    e->calls++;
    if (n == 2) {
        x[0] += e->halves;
        x[1] += e->failures;
        e->halves = e->failures = 0.0;
    }
    for (int k = 0; n > 2 && k < n; k++)
        x[k] *= e->factor;
    return e->fails && e->calls == e->fails;
}

static void part(world *w, elsewhere *e)
{
    perp_sim_parts parts = {.size = sizeof parts, .ctx = e, .total = total};
    ck_assert_int_eq(perp_sim_set_parts(w->sim, &parts), PERP_SOLVED);
}

static void steps(world *w, int count)
{
    for (int k = 0; k < count; k++)
        ck_assert_msg(perp_sim_step(w->sim) == PERP_SOLVED, "step %d: %s", k,
                      perp_sim_info(w->sim)->detail);
}

static const char *const schemes[] = {"discrete-gradient", "generalized-alpha", "moreau-jean",
                                      "moreau-jean-combined-projection"};

START_TEST(alone_they_are_the_whole)
{
    double whole[STATE * BALLS], parted[STATE * BALLS];
    perp_verdict of_whole = {.size = sizeof of_whole}, of_part = {.size = sizeof of_part};
    elsewhere e = {.factor = 1.0};
    world w;
    open_world(&w, schemes[_i]);
    steps(&w, 40);
    read_states(&w, whole);
    ck_assert_int_eq(perp_sim_verdict(w.sim, &of_whole, sizeof of_whole), PERP_SOLVED);
    close_world(&w);
    open_world(&w, schemes[_i]);
    part(&w, &e);
    steps(&w, 40);
    read_states(&w, parted);
    ck_assert_int_eq(perp_sim_verdict(w.sim, &of_part, sizeof of_part), PERP_SOLVED);
    close_world(&w);
    ck_assert_int_ge(e.calls, 80);
    ck_assert_mem_eq(whole, parted, sizeof whole);
    ck_assert_int_eq(of_whole.kind, of_part.kind);
}
END_TEST

/* Halves of a step are two steps of half the length, to what they round. */
START_TEST(halved_with_the_others)
{
    double halved[STATE * BALLS], halves[STATE * BALLS];
    elsewhere e = {.factor = 1.0, .halves = 1.0};
    world w;
    open_world(&w, "discrete-gradient");
    part(&w, &e);
    steps(&w, 1);
    ck_assert_int_eq(perp_sim_info(w.sim)->halvings, 1);
    ck_assert_int_eq(e.calls, 5); /* the step, then two halves with their energies */
    read_states(&w, halved);
    steps(&w, 30);
    ck_assert_int_eq(perp_sim_info(w.sim)->halvings, 0);
    close_world(&w);
    open_world(&w, "discrete-gradient");
    ck_assert_int_eq(perp_sim_set_h(w.sim, 2.5e-3), PERP_SOLVED);
    steps(&w, 2);
    read_states(&w, halves);
    close_world(&w);
    for (int i = 0; i < STATE * BALLS; i++)
        ck_assert_double_eq_tol(halved[i], halves[i], 1e-9);
}
END_TEST

START_TEST(fails_with_the_others)
{
    double before[STATE * BALLS], after[STATE * BALLS];
    elsewhere e = {.factor = 1.0};
    world w;
    open_world(&w, "discrete-gradient");
    part(&w, &e);
    steps(&w, 3);
    read_states(&w, before);
    e.failures = 1.0;
    ck_assert_int_eq(perp_sim_step(w.sim), PERP_INTERRUPTED);
    read_states(&w, after);
    ck_assert_mem_eq(before, after, sizeof after);
    for (int call = 1; call <= 2; call++) { /* the process that brings them together fails */
        e.calls = 0;
        e.fails = call;
        ck_assert_int_eq(perp_sim_step(w.sim), PERP_INTERRUPTED);
        read_states(&w, after);
        ck_assert_mem_eq(before, after, sizeof after);
    }
    e.fails = 0;
    steps(&w, 3);
    close_world(&w);
}
END_TEST

/* Energies are sums: three processes that do the same have the balance of one, and no other
 * verdict. */
START_TEST(energies_of_all)
{
    perp_figure one = {.size = sizeof one}, three = one;
    elsewhere e = {.factor = 3.0};
    world w[2];
    for (int k = 0; k < 2; k++) {
        open_world(&w[k], "discrete-gradient");
        if (k == 1)
            part(&w[k], &e);
        steps(&w[k], 60);
    }
    for (int k = 0; perp_sim_figure(w[0].sim, k, &one, sizeof one) == PERP_SOLVED; k++) {
        ck_assert_int_eq(perp_sim_figure(w[1].sim, k, &three, sizeof three), PERP_SOLVED);
        ck_assert_double_eq_tol(one.value, three.value, 1e-9 + 1e-6 * one.value);
    }
    close_world(&w[0]);
    close_world(&w[1]);
}
END_TEST

/* Another process has a larger measure, twice as many rows, a worse violation. */
static int larger_elsewhere(void *ctx, double *x, int groups, int width)
{
    (void)ctx;
    for (int k = 0; width > 1 && k < groups; k++)
        if (x[k * width] >= 0.0 && k == PERP_MEASURE_penetration) {
            const double there[] = {7.0, 2.0, 12345.0, 3.0, 4.0};
            memcpy(x + k * width, there, sizeof there);
        }
    if (width == 1)
        x[4] = 0.25;
    return 0;
}

START_TEST(measures_of_all)
{
    elsewhere e = {.factor = 2.0};
    perp_sim_parts parts = {
        .size = sizeof parts, .ctx = &e, .total = total, .largest = larger_elsewhere};
    perp_figure figure = {.size = sizeof figure};
    world w[2];
    open_world(&w[0], "discrete-gradient");
    steps(&w[0], 60);
    open_world(&w[1], "discrete-gradient");
    ck_assert_int_eq(perp_sim_set_parts(w[1].sim, &parts), PERP_SOLVED);
    steps(&w[1], 60);
    const perp_step_info *one = perp_sim_info(w[0].sim), *all = perp_sim_info(w[1].sim);
    ck_assert_int_gt(one->rows, 0);
    ck_assert_int_eq(all->rows, 2 * one->rows);
    ck_assert_int_eq(all->active, 2 * one->active);
    ck_assert_double_eq(all->violation, 0.25);
    ck_assert_int_eq(perp_sim_figure(w[1].sim, PERP_MEASURE_penetration, &figure, sizeof figure),
                     PERP_SOLVED);
    ck_assert_str_eq(figure.name, "penetration");
    ck_assert_double_eq(figure.value, 7.0);
    ck_assert_int_eq(figure.kind, PERP_VERDICT_NOT_VERIFIED);
    ck_assert_str_eq(figure.where.what, "interaction");
    ck_assert_int_eq(figure.where.index, 12345);
    ck_assert_int_eq(figure.systems[1], 4);
    close_world(&w[0]);
    close_world(&w[1]);
}
END_TEST

START_TEST(refused)
{
    elsewhere e = {.factor = 1.0};
    perp_sim_parts parts = {.size = sizeof parts, .ctx = &e};
    world w;
    open_world(&w, "discrete-gradient-adaptive");
    ck_assert_int_eq(perp_sim_set_parts(w.sim, &parts), PERP_ERR_ARGUMENT); /* no total */
    part(&w, &e);
    ck_assert_int_eq(perp_sim_step(w.sim), PERP_ERR_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(perp_sim_info(w.sim)->detail, "adaptive makes no part"));
    ck_assert_int_eq(perp_sim_set_parts(w.sim, NULL), PERP_SOLVED);
    ck_assert_int_ge(perp_sim_step(w.sim), 0);
    close_world(&w);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("whole islands");
    TCase *tc = tcase_create("whole islands");
    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, alone_they_are_the_whole, 0, (int)(sizeof schemes / sizeof *schemes));
    tcase_add_test(tc, halved_with_the_others);
    tcase_add_test(tc, fails_with_the_others);
    tcase_add_test(tc, energies_of_all);
    tcase_add_test(tc, measures_of_all);
    tcase_add_test(tc, refused);
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
