/* SPDX-License-Identifier: BSD-3-Clause */
/* Failing allocations while steps are recorded and in products, and the gradient with checkpoints
 * beside the one without. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fixtures/contract.h"
#include "tests/fixtures/tape_world.h"

static perp_tape *tape_of(perp_sim *sim, int differences, const perp_allocator *allocator)
{
    perp_tape_settings settings;
    perp_tape *tape;
    perp_tape_settings_init(&settings, sizeof settings);
    settings.differences = differences;
    ck_assert_int_eq(perp_tape_create(&tape, sim, &settings, allocator, NULL), PERP_SOLVED);
    return tape;
}

static perp_tape_info info_of(const perp_tape *tape)
{
    perp_tape_info info = {.size = sizeof info};
    ck_assert_int_eq(perp_tape_info_get(tape, &info), PERP_SOLVED);
    return info;
}

/* Allocation k fails, or block k, while steps are recorded and in the products: told, nothing
 * leaks, the run is what it was. */
/* The cases of a list by moreau-jean, and then by discrete-gradient. */
static const tape_case *of_both(const char *const *names, int count, int k)
{
    tape_use_scheme(k < count ? "moreau-jean" : "discrete-gradient");
    return tape_case_of(names[k % count]);
}

static void each_fails(const tape_case *c, int steps, int blocks)
{
    tape_world plain;
    unsigned char wanted[512] = {0}, bits[512] = {0};
    int done = 0;
    tape_world_open(&plain, c, c->p, NULL);
    tape_world_run(&plain, steps);
    tape_world_bits(wanted, sizeof wanted, &plain);
    tape_world_close(&plain);
    for (long k = 1; !done && k < 20000; k++) {
        counter memory = {0, 0, k, 1};
        perp_allocator allocator = blocks ? block_allocator(&memory) : counter_allocator(&memory);
        perp_tape_settings settings;
        perp_tape_parameter list[TAPE_PARAMETERS];
        perp_tape *tape = NULL;
        tape_world w;
        double dq[TAPE_DOFS] = {0}, dv[TAPE_DOFS] = {0}, p[TAPE_PARAMETERS];
        perp_tape_settings_init(&settings, sizeof settings);
        settings.differences = 1;
        tape_world_open(&w, c, c->p, NULL);
        perp_status status = perp_tape_create(&tape, w.r.sim, &settings, &allocator, NULL);
        c->list(list, &w);
        if (status == PERP_SOLVED)
            status = perp_tape_set_parameters(tape, c->count, list, NULL);
        tape_world_run(&w, steps);
        tape_world_bits(bits, sizeof bits, &w);
        ck_assert_mem_eq(bits, wanted, sizeof bits);
        perp_tape_tangent along = {.size = sizeof along, .v = dv};
        perp_tape_gradient of = {.size = sizeof of, .parameters = p};
        dv[0] = 1.0;
        perp_status forward = PERP_ERR_MEMORY, backward = PERP_ERR_MEMORY;
        if (status == PERP_SOLVED) {
            forward = perp_tape_jvp(tape, 1, &along, 0, dq, NULL, NULL, NULL);
            backward = perp_tape_vjp(tape, 1, 0, dv, dv, &of, NULL);
        }
        done = memory.allocations < k;
        if (done) {
            ck_assert_int_ge(forward, 0);
            ck_assert_int_ge(backward, 0);
        } else {
            ck_assert(forward == PERP_ERR_MEMORY || backward == PERP_ERR_MEMORY);
            ck_assert(forward == PERP_ERR_MEMORY || forward >= 0);
        }
        perp_tape_destroy(tape);
        tape_world_close(&w);
        ck_assert_int_eq(memory.live, 0);
    }
    ck_assert_int_eq(done, 1);
}

START_TEST(every_allocation_may_fail)
{
    static const char *const names[] = {"several", "spheres", "nonlinear", "soft", "limit"};
    const tape_case *c = of_both(names, 5, _i % 10);
    each_fails(c, c->steps, _i >= 10);
}
END_TEST

/* The first steps of the other motions. */
START_TEST(every_block_may_fail)
{
    static const char *const names[] = {"drives",
                                        "profiles",
                                        "explicit",
                                        "rolling",
                                        "both",
                                        "pivot and distance",
                                        "prismatic and planar",
                                        "gear",
                                        "discs",
                                        "platform"};
    const tape_case *c = of_both(names, 10, _i);
    each_fails(c, c->steps < 16 ? c->steps : 16, 1);
}
END_TEST

/* Directions and gradients by the velocities, four times, beside those that were first. */
static void products_again(perp_tape *tape, size_t most, double first[2][TAPE_DOFS], int is_first)
{
    double v[TAPE_DOFS], out[2][TAPE_DOFS];
    for (int i = 0; i < TAPE_DOFS; i++)
        v[i] = 1.0 + 0.1 * i;
    for (int k = 0; k < 4; k++) {
        perp_tape_tangent along = {.size = sizeof along, .v = v};
        perp_tape_gradient of = {.size = sizeof of, .v = out[1]};
        size_t before = info_of(tape).factors;
        ck_assert_int_ge(perp_tape_jvp(tape, 1, &along, 0, NULL, out[0], NULL, NULL), 0);
        if (k == 0)
            ck_assert_uint_eq(info_of(tape).factors, 0);
        ck_assert_int_ge(perp_tape_vjp(tape, 1, 0, NULL, v, &of, NULL), 0);
        size_t bytes = info_of(tape).factors;
        ck_assert_uint_le(bytes, most);
        ck_assert_int_eq(bytes > 0, most > 0);
        if (k > 0)
            ck_assert_uint_eq(bytes, before);
        if (is_first && k == 0)
            memcpy(first, out, sizeof out);
        for (int i = 0; i < info_of(tape).dofs; i++)
            for (int j = 0; j < 2; j++)
                ck_assert_double_eq_tol(out[j][i], first[j][i], 1e-9 * (1.0 + fabs(first[j][i])));
    }
}

/* From the second product on, in the bytes that are given and until a reset; answers stay. */
START_TEST(factors_are_kept)
{
    static const char *const names[] = {"several", "spheres", "limit"};
    static const size_t most[] = {(size_t)1 << 28, 0, 400000};
    const tape_case *c = of_both(names, 3, _i);
    double first[2][TAPE_DOFS];
    for (int k = 0; k < 3; k++) {
        perp_tape_settings settings;
        perp_tape *tape;
        tape_world w;
        perp_tape_settings_init(&settings, sizeof settings);
        ck_assert_uint_eq(settings.factors, most[0]);
        settings.factors = most[k];
        settings.differences = 1;
        tape_world_open(&w, c, c->p, NULL);
        ck_assert_int_eq(perp_tape_create(&tape, w.r.sim, &settings, NULL, NULL), PERP_SOLVED);
        tape_world_run(&w, c->steps);
        products_again(tape, most[k], first, k == 0);
        perp_tape_reset(tape);
        ck_assert_uint_eq(info_of(tape).factors, 0);
        perp_tape_destroy(tape);
        tape_world_close(&w);
    }
}
END_TEST

typedef struct loss {
    const tape_world *w;
    long calls, stop;
    int changes; /* the second run is another one */
} loss;

/* Of sum over steps of |q|^2 / 2 + step v_0. */
static int cotangent(void *ctx, perp_sim *sim, long step, double *q_bar, double *v_bar)
{
    loss *l = ctx;
    double *q, *v;
    int nv, at = 0;
    (void)sim;
    for (int k = 0; k < l->w->systems; k++) {
        perp_model_state(l->w->r.model, l->w->system[k], &q, &v, NULL, &nv);
        for (int i = 0; i < nv; i++)
            q_bar[at++] += q[i];
    }
    v_bar[0] += (double)step;
    return ++l->calls == l->stop;
}

/* The same gradient as by a tape of the whole motion. */
START_TEST(checkpoints_give_the_same_gradient)
{
    static const char *const names[] = {"stop",  "several", "nonlinear", "drives",
                                        "block", "spheres", "box"};
    const tape_case *c = of_both(names, 7, _i);
    tape_world w, plain;
    perp_tape_parameter list[TAPE_PARAMETERS];
    perp_tape_report report = {.size = sizeof report};
    tape_world_open(&w, c, c->p, NULL);
    int dofs = tape_world_dofs(&w);
    size_t n = (size_t)((c->steps + 1) * dofs), f = (size_t)(c->steps * dofs);
    double *bars = calloc(2 * n + 2 * f, sizeof(double)), *q_bar = bars, *v_bar = bars + n;
    double got[2][3][TAPE_DOFS];
    perp_tape_gradient of = {sizeof of, got[0][0], got[0][1], got[0][2], bars + 2 * n};
    perp_tape *tape = tape_of(w.r.sim, 1, NULL);
    c->list(list, &w);
    ck_assert_int_eq(perp_tape_set_parameters(tape, c->count, list, NULL), PERP_SOLVED);
    loss l = {.w = &w};
    ck_assert_int_eq(perp_tape_set_collider(tape, w.collider), PERP_SOLVED);
    perp_status status = perp_tape_gradient_of_run(tape, c->steps, cotangent, &l, &of, &report);
    ck_assert_int_ge(status, PERP_SOLVED);
    ck_assert_int_eq(l.calls, c->steps + 1);
    size_t mine = info_of(tape).bytes;
    tape_world_open(&plain, c, c->p, NULL);
    perp_tape *whole = tape_of(plain.r.sim, 1, NULL);
    c->list(list, &plain);
    ck_assert_int_eq(perp_tape_set_parameters(whole, c->count, list, NULL), PERP_SOLVED);
    l.w = &plain;
    l.calls = 0;
    for (int k = 0; k <= c->steps; k++) {
        if (k > 0)
            tape_world_run(&plain, 1);
        cotangent(&l, plain.r.sim, k, q_bar + k * dofs, v_bar + k * dofs);
    }
    of = (perp_tape_gradient){sizeof of, got[1][0], got[1][1], got[1][2], bars + 2 * n + f};
    ck_assert_int_eq(perp_tape_vjp(whole, 1, 1, q_bar, v_bar, &of, NULL), status);
    for (int i = 0; i < dofs; i++)
        for (int k = 0; k < 2; k++)
            ck_assert_double_eq_tol(got[0][k][i], got[1][k][i], 1e-7 * (1 + fabs(got[1][k][i])));
    for (int i = 0; i < c->count; i++)
        ck_assert_double_eq_tol(got[0][2][i], got[1][2][i], 1e-7 * (1 + fabs(got[1][2][i])));
    for (size_t i = 0; i < f; i++)
        ck_assert_double_eq_tol(bars[2 * n + i], bars[2 * n + f + i],
                                1e-7 * (1 + fabs(bars[2 * n + f + i])));
    ck_assert_double_eq_tol(perp_sim_time(w.r.sim), perp_sim_time(plain.r.sim), 1e-12);
    ck_assert_uint_lt(mine, info_of(whole).bytes / 3);
    perp_tape_destroy(tape);
    perp_tape_destroy(whole);
    tape_world_close(&w);
    tape_world_close(&plain);
    free(bars);
}
END_TEST

START_TEST(every_allocation_of_checkpoints_may_fail)
{
    const tape_case *c = tape_case_of("spheres");
    int done = 0;
    for (long k = 1; !done && k < 1000; k++) {
        counter memory = {0, 0, k, 1};
        perp_allocator allocator = _i == 0 ? counter_allocator(&memory) : block_allocator(&memory);
        double q[TAPE_DOFS] = {3.0};
        perp_tape_gradient of = {.size = sizeof of, .q = q};
        tape_world w;
        perp_tape *tape;
        tape_world_open(&w, c, c->p, NULL);
        perp_status status = perp_tape_create(&tape, w.r.sim, NULL, &allocator, NULL);
        loss l = {.w = &w};
        if (status == PERP_SOLVED) {
            perp_tape_set_collider(tape, w.collider);
            status = perp_tape_gradient_of_run(tape, 40, cotangent, &l, &of, NULL);
        }
        done = memory.allocations < k;
        if (done)
            ck_assert_int_eq(status, PERP_SOLVED);
        else
            ck_assert_int_eq(status, PERP_ERR_MEMORY);
        ck_assert(done || q[0] == 3.0);
        perp_tape_destroy(tape);
        tape_world_close(&w);
        ck_assert_int_eq(memory.live, 0);
    }
    ck_assert_int_eq(done, 1);
}
END_TEST

/* A hook that does something else the second time, and a cotangent that stops. */
START_TEST(second_run_that_differs)
{
    const tape_case *c = tape_case_of("block");
    tape_world w;
    double *forces = calloc(400, sizeof(double)), q[2] = {5.0, 5.0};
    perp_tape_gradient of = {.size = sizeof of, .q = q};
    tape_world_open(&w, c, c->p, NULL);
    for (int i = 0; i < 400; i++)
        forces[i] = i < 40 ? 0.0 : 0.01 * i;
    w.forces = forces; /* by a counter of steps that goes on */
    perp_tape *tape = tape_of(w.r.sim, 0, NULL);
    loss l = {.w = &w};
    ck_assert_int_eq(perp_tape_gradient_of_run(tape, 30, cotangent, &l, &of, NULL), PERP_ERR_STATE);
    ck_assert_str_eq(info_of(tape).where.what, "hooks");
    ck_assert_double_eq(q[0], 5.0);
    w.forces = NULL;
    perp_tape_reset(tape);
    l = (loss){.w = &w, .stop = 3};
    ck_assert_int_eq(perp_tape_gradient_of_run(tape, 30, cotangent, &l, &of, NULL),
                     PERP_INTERRUPTED);
    ck_assert_double_eq(q[0], 5.0);
    ck_assert_int_eq(perp_tape_gradient_of_run(tape, 0, cotangent, &l, &of, NULL),
                     PERP_ERR_ARGUMENT);
    perp_tape_destroy(tape);
    tape_world_close(&w);
    free(forces);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("memory of derivatives of motions");
    TCase *test = tcase_create("memory");
    tcase_set_timeout(test, 120);
    tcase_add_loop_test(test, every_allocation_may_fail, 0, 20);
    tcase_add_loop_test(test, every_block_may_fail, 0, 20);
    tcase_add_loop_test(test, factors_are_kept, 0, 6);
    tcase_add_loop_test(test, checkpoints_give_the_same_gradient, 0, 14);
    tcase_add_loop_test(test, every_allocation_of_checkpoints_may_fail, 0, 2);
    tcase_add_test(test, second_run_that_differs);
    suite_add_tcase(suite, test);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
