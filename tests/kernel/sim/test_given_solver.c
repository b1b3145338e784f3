/* SPDX-License-Identifier: BSD-3-Clause */
/* One-step problems that a caller solves (perp_sim_set_solve()): what it is given, what becomes of
 * its answers, good, bad and none. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <perp/collide.h>
#include <perp/sim.h>

#include "tests/fixtures/ball_pile.h"

enum { NUMBERS = STATE * BALLS };

static void open_world(world *w, const char *scheme_name)
{
    open_pile(w, &(ball_pile){2.0, 2.0, 0.205, 0.003, 1e-9}, scheme_name);
}

static void run(world *w, int steps, double *state)
{
    for (int k = 0; k < steps; k++) {
        perp_status status = perp_sim_step(w->sim);
        ck_assert_msg(status == PERP_SOLVED, "step %d: %s, %s", k, perp_status_name(status),
                      perp_sim_info(w->sim)->detail);
    }
    read_states(w, state);
}

enum { WELL, LIES, DECLINES, STOPS_EARLY, INTERRUPTS, FAILS };

typedef struct helper {
    int how, least;
    long calls, with_mass;
} helper;

/* W of the problem is H' M^-1 H with this M: (W x) again by a mass of its own. */
static void check_mass(const perp_problem *problem, const perp_mat *mass)
{
    int n = problem->M.rows, dofs = mass->rows;
    perp_mass *inverse;
    perp_mat again;
    double *x = calloc((size_t)n, sizeof *x), *y = calloc((size_t)n, sizeof *y);
    double *z = calloc((size_t)n, sizeof *z);
    double *scratch = calloc(perp_mat_scratch(&problem->M) + 1, sizeof *scratch);
    ck_assert_int_eq(problem->M.kind, PERP_DELASSUS);
    ck_assert_int_eq(mass->kind, PERP_CSC);
    ck_assert_int_eq(perp_mass_create(&inverse, mass, NULL, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_mat_init_delassus(&again, dofs, n, problem->M.as.delassus.colptr,
                                            problem->M.as.delassus.row, problem->M.as.delassus.x,
                                            inverse),
                     PERP_SOLVED);
    for (int i = 0; i < n; i++)
        x[i] = cos(i);
    perp_mat_apply(&problem->M, x, scratch, y);
    perp_mat_apply(&again, x, scratch, z);
    for (int i = 0; i < n; i++)
        ck_assert_double_eq_tol(y[i], z[i], 1e-12);
    perp_mass_destroy(inverse);
    free(x);
    free(y);
    free(z);
    free(scratch);
}

static perp_status help(void *ctx, const perp_problem *problem, const perp_mat *mass,
                        const perp_settings *settings, double *z, perp_info *info)
{
    helper *h = ctx;
    int n = problem->M.rows;
    perp_status status;
    ck_assert_int_ge(n, h->least);
    ck_assert_uint_eq(info->size, sizeof *info);
    h->calls++;
    h->with_mass += mass != NULL;
    if (mass && h->calls < 3)
        check_mass(problem, mass);
    switch (h->how) {
    case DECLINES:
        return PERP_ERR_UNSUPPORTED;
    case INTERRUPTS:
        return PERP_INTERRUPTED;
    case FAILS:
        snprintf(info->detail, sizeof info->detail, "no such luck");
        return PERP_ERR_MEMORY;
    case LIES:
        memset(z, 0, (size_t)n * sizeof *z);
        return PERP_SOLVED;
    default:
        break;
    }
    perp_settings own = *settings;
    own.max_iter = h->how == STOPS_EARLY ? 2 : own.max_iter;
    double *w = calloc((size_t)n, sizeof *w);
    status = perp_solve("gs", problem, &own, z, w, info);
    free(w);
    return status;
}

static const char *const schemes[] = {"moreau-jean", "discrete-gradient"};

static double distance(const double *a, const double *b)
{
    double most = 0.0;
    for (int i = 0; i < NUMBERS; i++)
        most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

/* All that answers within the tolerance has the same motion.  moreau-jean looks at the sign of a
 * gap: what a tolerance leaves takes contacts at rest out of a step. */
START_TEST(the_motion_is_the_same)
{
    static const double limit[] = {5e-3, 1e-5};
    static const int ways[] = {WELL, LIES, DECLINES, STOPS_EARLY};
    double own[NUMBERS], with[NUMBERS];
    world w;
    open_world(&w, schemes[_i]);
    run(&w, 30, own);
    close_world(&w);
    for (size_t k = 0; k < sizeof ways / sizeof ways[0]; k++) {
        helper h = {.how = ways[k], .least = 20};
        open_world(&w, schemes[_i]);
        perp_sim_set_solve(w.sim, h.least, help, &h);
        run(&w, 30, with);
        close_world(&w);
        ck_assert_int_gt(h.calls, 10);
        ck_assert_int_eq(h.calls, h.with_mass);
        ck_assert_msg(distance(own, with) < limit[_i], "way %d: %g away", ways[k],
                      distance(own, with));
    }
}
END_TEST

/* Entry (i, j) of a CSC matrix. */
static double entry_of(const perp_mat *A, int i, int j)
{
    for (int p = A->as.csc.colptr[j]; p < A->as.csc.colptr[j + 1]; p++)
        if (A->as.csc.row[p] == i)
            return A->as.csc.x[p];
    return 0.0;
}

static perp_status see_symmetry(void *ctx, const perp_problem *problem, const perp_mat *mass,
                                const perp_settings *settings, double *z, perp_info *info)
{
    long *seen = ctx;
    (void)problem, (void)settings, (void)z, (void)info;
    ck_assert_ptr_nonnull(mass);
    for (int j = 0; j < mass->cols; j++)
        for (int i = 0; i < mass->rows; i++)
            ck_assert_double_eq(entry_of(mass, i, j), entry_of(mass, j, i));
    *seen += mass->rows == 6 * (BALLS + 1); /* not where islands are made by themselves */
    return PERP_ERR_UNSUPPORTED;
}

/* A body that tumbles and touches nothing has a matrix that is not symmetric; that of the problem
 * is. */
START_TEST(what_tumbles_apart)
{
    double state[NUMBERS];
    perp_body_def def;
    perp_system_id id;
    world w;
    long seen = 0;
    open_world(&w, "discrete-gradient");
    perp_body_def_init(&def, sizeof def);
    def.mass = 1.0;
    for (int i = 0; i < 3; i++) {
        def.inertia[4 * i] = 1.0 + 0.4 * i;
        def.angular[i] = 2.0 - i;
    }
    def.position[2] = 50.0;
    ck_assert_int_eq(perp_model_add_body(w.model, &def, &id, NULL), PERP_SOLVED);
    perp_sim_set_solve(w.sim, 20, see_symmetry, &seen);
    run(&w, 40, state);
    ck_assert_int_gt(seen, 5);
    close_world(&w);
}
END_TEST

/* Problems with fewer rows are not handed out: the same bits. */
START_TEST(few_rows_stay)
{
    double own[NUMBERS], with[NUMBERS];
    helper h = {.how = FAILS, .least = 100000};
    world w;
    open_world(&w, schemes[_i]);
    run(&w, 12, own);
    close_world(&w);
    open_world(&w, schemes[_i]);
    perp_sim_set_solve(w.sim, h.least, help, &h);
    run(&w, 12, with);
    close_world(&w);
    ck_assert_int_eq(h.calls, 0);
    ck_assert_int_eq(memcmp(own, with, sizeof own), 0);
}
END_TEST

static void expect_end(int how, perp_status wanted, const char *detail)
{
    helper h = {.how = how, .least = 20};
    double before[NUMBERS], after[NUMBERS];
    world w;
    open_world(&w, schemes[0]);
    run(&w, 12, before);
    perp_sim_set_solve(w.sim, h.least, help, &h);
    ck_assert_int_eq(perp_sim_step(w.sim), wanted);
    ck_assert_int_eq((int)perp_sim_info(w.sim)->step, 12);
    ck_assert_msg(strstr(perp_sim_info(w.sim)->detail, detail) != NULL, "%s",
                  perp_sim_info(w.sim)->detail);
    run(&w, 0, after);
    ck_assert_int_eq(memcmp(before, after, sizeof before), 0);
    perp_sim_set_solve(w.sim, 0, NULL, NULL);
    run(&w, 1, after);
    close_world(&w);
}

START_TEST(errors_end_the_step)
{
    expect_end(INTERRUPTS, PERP_INTERRUPTED, "");
    expect_end(FAILS, PERP_ERR_MEMORY, "no such luck");
    perp_sim_set_solve(NULL, 0, NULL, NULL);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("given solver");
    TCase *tcase = tcase_create("given solver");
    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, the_motion_is_the_same, 0, 2);
    tcase_add_loop_test(tcase, few_rows_stay, 0, 2);
    tcase_add_test(tcase, what_tumbles_apart);
    tcase_add_test(tcase, errors_end_the_step);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
