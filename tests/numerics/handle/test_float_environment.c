/* SPDX-License-Identifier: BSD-3-Clause */
/* Hosts with traps, other rounding, or denormal numbers flushed to zero: every solver gives the
 * bits that it gives in the default environment, dies of no trap, and leaves the environment as it
 * was. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fixtures/contract.h"
#include "tests/fixtures/float_host.h"

enum { MAX_N = 64 };

typedef struct answer {
    perp_status status;
    double z[MAX_N], w[MAX_N];
    int iterations;
} answer;

static void answer_in(answer *a, contract_case *c, int h)
{
    perp_info info = {.size = sizeof info};
    perp_solver *solver = NULL;
    memset(a, 0, sizeof *a);
    float_host_enter(h);
    perp_status made = perp_solver_create(&solver, c->type, NULL, NULL, NULL);
    if (made == PERP_SOLVED)
        made = perp_solver_setup(solver, &c->view->problem);
    a->status = made == PERP_SOLVED ? perp_solver_solve(solver, a->z, a->w, &info) : made;
    if (!float_host_leave(h))
        complain(c->complaints, "%s: host %d: the environment is another one", c->name, h);
    a->iterations = info.iterations;
    perp_solver_destroy(solver);
}

static void in_every_host(contract_case *c)
{
    answer first, other;
    answer_in(&first, c, 0);
    for (int k = 1; k < FLOAT_HOSTS; k++) {
        answer_in(&other, c, k);
        if (other.status != first.status || other.iterations != first.iterations ||
            memcmp(other.z, first.z, sizeof first.z) != 0 ||
            memcmp(other.w, first.w, sizeof first.w) != 0)
            complain(c->complaints, "%s: host %d: %s in %d, not %s in %d", c->name, k,
                     perp_status_name(other.status), other.iterations,
                     perp_status_name(first.status), first.iterations);
    }
}

START_TEST(every_solver)
{
    contract_each(in_every_host, ZOO_UNSOLVABLE, 1, 1 << STORED_DENSE);
}
END_TEST

/* What is refused is refused in every host: numbers that are none, and too large ones. */
START_TEST(bad_input)
{
    const double M[4] = {2, 0, 0, 2}, bad[4] = {NAN, INFINITY, 1e308, -1e308};
    const perp_segment seg = {PERP_NONNEG, 1, 2, {NULL, NULL}, {0, 0}};
    for (int k = 0; k < 4; k++) {
        perp_status status[FLOAT_HOSTS];
        for (int h = 0; h < FLOAT_HOSTS; h++) {
            double q[2] = {-1, bad[k]}, z[2] = {0, 0}, w[2];
            perp_problem problem = {.q = q, .seg = &seg, .nseg = 1};
            perp_settings settings;
            float_host_enter(h);
            perp_mat_init_dense(&problem.M, 2, 2, M, 2);
            perp_settings_init(&settings, sizeof settings);
            ck_assert_int_ne(perp_settings_set(&settings, "tol", "1e999"), PERP_SOLVED);
            status[h] = perp_solve(NULL, &problem, NULL, z, w, NULL);
            ck_assert_int_eq(perp_problem_check(&problem, NULL, NULL),
                             k < 2 ? PERP_ERR_NONFINITE : PERP_SOLVED);
            ck_assert(float_host_leave(h));
            ck_assert_int_eq(status[h], status[0]);
        }
    }
}
END_TEST

/* Threads take the environment of the host when they begin. */
START_TEST(threads)
{
    enum { CONTACTS = 40, N = 3 * CONTACTS };
    static double W[N * N], q[N], first[N], z[N], w[N];
    const double mu = 0.4;
    const perp_segment seg = {PERP_COULOMB, 3, CONTACTS, {&mu, NULL}, {0, 0}};
    perp_problem problem = {.q = q, .seg = &seg, .nseg = 1};
    perp_settings settings;
    for (int i = 0; i < N; i++) {
        q[i] = i % 3 == 0 ? -1.0 - 0.01 * i : 0.3 * (i % 5) - 0.5;
        for (int j = 0; j < N; j++)
            W[i + N * j] = i == j ? 3.0 : 0.8 / (1 + abs(i - j));
    }
    perp_mat_init_dense(&problem.M, N, N, W, N);
    perp_settings_init(&settings, sizeof settings);
    settings.threads = 4;
    for (int h = FLOAT_HOSTS - 1; h >= 0; h--) {
        memset(z, 0, sizeof z);
        float_host_enter(h);
        perp_status status = perp_solve("gs", &problem, &settings, z, w, NULL);
        ck_assert(float_host_leave(h));
        ck_assert_int_eq(status, PERP_SOLVED);
        if (h == FLOAT_HOSTS - 1)
            memcpy(first, z, sizeof z);
        ck_assert_mem_eq(z, first, sizeof z);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("float environment");
    TCase *tcase = tcase_create("float environment");
    tcase_set_timeout(tcase, 300);
    tcase_add_test(tcase, every_solver);
    tcase_add_test(tcase, bad_input);
    tcase_add_test(tcase, threads);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
