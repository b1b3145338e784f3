/* SPDX-License-Identifier: BSD-3-Clause */
/* A BOX law whose rows have bounds of their own: equations, complementarity and relays whose
 * outputs depend on each other's lambda in one interaction, in problems that can be solved by hand.
 */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fixtures/callbacks.h"
#include "tests/fixtures/kernel_rig.h"

static const double NONE = (double)INFINITY;

/* A boxed linear relation; lo and hi of each row, NULL: -1 and 1. */
static perp_interaction_id boxed(rig *r, perp_system_id system, int rows, const double *C,
                                 const double *D, const double *e, const double *B,
                                 const double *lo, const double *hi)
{
    perp_relation relation = rig_relation(PERP_RELATION_LINEAR, rows);
    relation.C = C;
    relation.D = D;
    relation.e = e;
    relation.B = B;
    relation.lo = lo;
    relation.hi = hi;
    return rig_interact(r, &system, 1, &relation, perp_law_relay(-1.0, 1.0));
}

/* x' = -x + a + c with 0 = a + b - 2 (or a + b + b^3 - 2), 0 <= 1 - x perp b >= 0, and c in [-1/4,
 * 1/4] against the sign of x - 1/2.  An implicit step by hand: x is held at 1/2 where neither value
 * of c fits, and at 1. */
static double by_hand(double x, double h)
{
    double below = (x + 2.25 * h) / (1.0 + h), above = (x + 1.75 * h) / (1.0 + h);
    double next = below < 0.5 ? below : above > 0.5 ? above : 0.5;
    return fmin(next, 1.0);
}

/* y = (a + b - 2, 1 - x, x - 1/2). */
static const double slope[] = {0, -1, 1}, shift[] = {-2, 1, -0.5}, into[] = {1, 0, 1};
static const double ties[] = {1, 0, 0, 1, 0, 0, 0, 0, 0};
static const double least[] = {-HUGE_VAL, 0, -0.25}, most[] = {HUGE_VAL, HUGE_VAL, 0.25};

RELATION(cubic)
{
    (void)t, (void)z, (void)user;
    out[0] = lambda[0] + lambda[1] + pow(lambda[1], 3.0) - 2.0;
    out[1] = 1.0 - x[0];
    out[2] = x[0] - 0.5;
    return 0;
}

RELATION(feed)
{
    (void)t, (void)x, (void)z, (void)user;
    *out = lambda[0] + lambda[2];
    return 0;
}

START_TEST(rows_of_unlike_kinds)
{
    const double A = -1.0, x0 = 0.0, h = 1.0 / 64.0;
    double x = x0;
    rig r;
    rig_init(&r, h);
    perp_system_id system = rig_first_order(&r, 1, &x0, &A);
    perp_relation nonlinear = rig_relation(PERP_RELATION_TYPE2, 3);
    nonlinear.h = cubic;
    nonlinear.g = feed;
    nonlinear.differences = 1;
    nonlinear.lo = least;
    nonlinear.hi = most;
    perp_interaction_id id =
        _i ? rig_interact(&r, &system, 1, &nonlinear, perp_law_relay(-1.0, 1.0))
           : boxed(&r, system, 3, slope, ties, shift, into, least, most);
    perp_scheme scheme = rig_scheme("euler-moreau", "theta=1");
    rig_start(&r, &scheme);
    for (int k = 0; k < 64; k++) {
        rig_step(&r);
        const double *lambda = rig_lambda(&r, id), *y = rig_y(&r, id);
        x = by_hand(x, h);
        ck_assert_double_eq_tol(*rig_q(&r, system), x, 1e-8);
        ck_assert_double_eq_tol(y[0], 0.0, 1e-8);
        ck_assert(fabs(lambda[2]) <= 0.25 + 1e-12 && lambda[1] >= -1e-12);
    }
    ck_assert(x == 1.0);
    /* At rest 0 = -1 + a - 1/4. */
    const double *lambda = rig_lambda(&r, id);
    ck_assert_double_eq_tol(lambda[0], 1.25, 1e-8);
    ck_assert_double_eq_tol(lambda[1] + (_i ? pow(lambda[1], 3.0) : 0.0), 0.75, 1e-7);
    ck_assert_double_eq_tol(lambda[2], -0.25, 1e-8);
    rig_free(&r);
}
END_TEST

/* x' = lambda in P = {|lambda_i| <= 1, lambda_1 + lambda_2 <= 1} with -x in the normal cone of P: 0
 * = x + G'm, 0 <= m perp g - G lambda >= 0.  From (-1, -2) lambda is the corner (0, 1), then on the
 * edge (1/2, 1/2) along x_1 = x_2, and 0 from t = 3 on. */
START_TEST(a_polygon)
{
    static const double G[5][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}, {1, 1}},
                        g[5] = {1, 1, 1, 1, 1};
    enum { ROWS = 7 };
    const double x0[2] = {-1.0, -2.0}, h = 1.0 / 16.0;
    double C[ROWS * 2] = {0}, D[ROWS * ROWS] = {0}, e[ROWS] = {0}, B[2 * ROWS] = {1, 0, 0, 1};
    double lo[ROWS], hi[ROWS];
    C[0] = C[1 + ROWS] = 1.0;
    for (int i = 0; i < ROWS; i++) {
        lo[i] = i < 2 ? -NONE : 0.0;
        hi[i] = NONE;
        e[i] = i < 2 ? 0.0 : g[i - 2];
    }
    /* The normal cone has -x = G'm; rows of m: g - G lambda. */
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 2; j++) {
            D[j + ROWS * (2 + i)] = G[i][j];
            D[2 + i + ROWS * j] = -G[i][j];
        }
    rig r;
    rig_init(&r, h);
    perp_system_id system = rig_first_order(&r, 2, x0, NULL);
    perp_interaction_id id = boxed(&r, system, ROWS, C, D, e, B, lo, hi);
    perp_scheme scheme = rig_scheme("euler-moreau", "theta=1");
    rig_start(&r, &scheme);
    for (int k = 1; k <= 64; k++) {
        double t = k * h, along = t < 3.0 ? -1.0 + (t - 1.0) / 2.0 : 0.0;
        rig_step(&r);
        const double *x = rig_q(&r, system), *lambda = rig_lambda(&r, id);
        ck_assert_double_eq_tol(x[0], t <= 1.0 ? -1.0 : along, 1e-12);
        ck_assert_double_eq_tol(x[1], t <= 1.0 ? -2.0 + t : along, 1e-12);
        ck_assert_double_eq_tol(lambda[0], t <= 1.0 || t > 3.0 ? 0.0 : 0.5, 1e-10);
        ck_assert_double_eq_tol(lambda[1], t <= 1.0 ? 1.0 : t > 3.0 ? 0.0 : 0.5, 1e-10);
    }
    rig_free(&r);
}
END_TEST

/* Forces on the rates of four coordinates of 1 kg: friction of 1 N and 3 N under 2 N, a row without
 * bounds under 5 N, a ratchet under -4 N. */
START_TEST(forces_on_rates)
{
    static const char *const schemes[] = {"moreau-jean", "discrete-gradient", "generalized-alpha"};
    static const double C[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    const double F[4] = {2, 2, 5, -4}, q0[4] = {0}, v0[4] = {0}, h = 1.0 / 32.0;
    const double lo[4] = {-1, -3, -NONE, 0}, hi[4] = {1, 3, NONE, NONE};
    const double expected[4] = {-1, -2, -5, 4};
    rig r;
    rig_init(&r, h);
    perp_system_id system = rig_lagrangian(&r, 4, q0, v0, NULL, F);
    perp_interaction_id id = boxed(&r, system, 4, C, NULL, NULL, NULL, lo, hi);
    perp_scheme scheme = rig_scheme(schemes[_i], "");
    rig_start(&r, &scheme);
    for (int k = 1; k <= 32; k++) {
        rig_step(&r);
        const double *v = rig_v(&r, system), *lambda = rig_lambda(&r, id);
        ck_assert_double_eq_tol(v[0], k * h, 1e-10);
        for (int i = 1; i < 4; i++)
            ck_assert_double_eq_tol(v[i], 0.0, 1e-10);
        for (int i = 0; i < 4; i++)
            ck_assert_double_eq_tol(lambda[i], expected[i], 1e-8);
    }
    rig_free(&r);
}
END_TEST

/* What a definition may not say, and where. */
START_TEST(refused_bounds)
{
    static const struct {
        double lo, hi;
        int none; /* 1: hi, 2: lo is not given */
        perp_law_kind law;
        const char *what;
        int index;
    } all[] = {{2, 1, 0, PERP_LAW_BOX, "relation.lo", 1},
               {(double)NAN, 1, 0, PERP_LAW_BOX, "relation.lo", 1},
               {0, (double)NAN, 2, PERP_LAW_BOX, "relation.hi", 1},
               {2, 0, 1, PERP_LAW_BOX, "relation.lo", 1},
               {-HUGE_VAL, -HUGE_VAL, 0, PERP_LAW_BOX, "relation.hi", 1},
               {0, 1, 0, PERP_LAW_COMPLEMENTARITY, "relation.lo", -1},
               {0, 1, 2, PERP_LAW_EQUALITY, "relation.hi", -1}};
    static const double C[] = {1, 1}, x0 = 0.0;
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) {
        double lo[2] = {0, all[k].lo}, hi[2] = {1, all[k].hi};
        perp_interaction_def def;
        perp_interaction_id id;
        perp_where where = {NULL, -1, -1};
        rig r;
        rig_init(&r, 0.1);
        perp_system_id system = rig_first_order(&r, 1, &x0, NULL);
        perp_interaction_def_init(&def, sizeof def);
        def.systems = &system;
        def.nsystems = 1;
        def.relation.rows = 2;
        def.relation.C = C;
        def.relation.lo = all[k].none == 2 ? NULL : lo;
        def.relation.hi = all[k].none == 1 ? NULL : hi;
        def.law = all[k].law == PERP_LAW_BOX               ? perp_law_relay(-1.0, 1.0)
                  : all[k].law == PERP_LAW_COMPLEMENTARITY ? perp_law_complementarity()
                                                           : perp_law_equality();
        ck_assert_int_lt(perp_model_add_interaction(r.model, &def, &id, &where), 0);
        ck_assert_str_eq(where.what, all[k].what);
        ck_assert_int_eq(where.index, all[k].index);
        rig_free(&r);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("bounds of rows");
    TCase *tcase = tcase_create("bounds of rows");
    tcase_add_loop_test(tcase, rows_of_unlike_kinds, 0, 2);
    tcase_add_test(tcase, a_polygon);
    tcase_add_loop_test(tcase, forces_on_rates, 0, 3);
    tcase_add_test(tcase, refused_bounds);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
