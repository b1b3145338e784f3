/* SPDX-License-Identifier: BSD-3-Clause */
/* Scenes of several systems: balances over impacts, numbering, rows of every law in one step. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fixtures/mixture.h"

static const double one = 1.0;

/* Balls of different masses on a line between two walls, no weight. */
enum { BALLS = 6 };
static const double weights[BALLS] = {1.0, 2.5, 0.7, 1.3, 4.0, 0.2};

/* order: which ball is added as the k-th, and which contact. */
static void add_line(rig *r, perp_system_id *ball, const int *balls, const int *contacts, double e)
{
    const double speed[BALLS] = {1.0, -0.5, 0.8, -1.2, 0.1, 2.0};
    const double between[] = {-1.0, 1.0}, gap = -0.2, left = 1.0, right = -1.0;
    const double from_left = -0.1, from_right = 5.9;
    for (int k = 0; k < BALLS; k++) {
        int i = balls[k];
        double q0 = 0.5 + i;
        ball[i] = rig_lagrangian(r, 1, &q0, &speed[i], &weights[i], NULL);
    }
    for (int k = 0; k <= BALLS; k++) {
        int i = contacts[k];
        perp_relation relation = rig_relation(PERP_RELATION_LINEAR, 1);
        relation.C = i == 0 ? &left : i == BALLS ? &right : between;
        relation.e = i == 0 ? &from_left : i == BALLS ? &from_right : &gap;
        if (i == 0 || i == BALLS)
            rig_interact(r, &ball[i == 0 ? 0 : BALLS - 1], 1, &relation, perp_law_impact(e));
        else
            rig_interact(r, &ball[i - 1], 2, &relation, perp_law_impact(e));
    }
}

static const int straight[] = {0, 1, 2, 3, 4, 5, 6};

/* Momentum changes by what the walls give; energy falls, or stays where e = 1. */
START_TEST(line_of_balls)
{
    const double e = 0.5 * _i;
    rig r;
    perp_system_id ball[BALLS];
    rig_init(&r, 1e-3);
    add_line(&r, ball, straight, straight, e);
    rig_start_moreau_jean(&r);
    double last = INFINITY;
    int impacts = 0;
    for (int k = 0; k < 4000; k++) {
        double momentum = 0.0, before = 0.0, energy = 0.0, inputs = 0.0, each;
        for (int i = 0; i < BALLS; i++)
            before += weights[i] * *rig_v(&r, ball[i]);
        rig_step(&r);
        for (int i = 0; i < BALLS; i++) {
            perp_model_kinetic_energy(r.model, ball[i], 0.0, &each);
            momentum += weights[i] * *rig_v(&r, ball[i]);
            energy += each;
            inputs += *rig_input(&r, ball[i]);
        }
        ck_assert_double_eq_tol(momentum - before, inputs, 1e-12);
        ck_assert_double_le(energy, last + 1e-12);
        if (e == 1.0 && isfinite(last))
            ck_assert_double_eq_tol(energy, last, 1e-11);
        impacts += perp_sim_info(r.sim)->active > 0;
        last = energy;
    }
    ck_assert_int_gt(impacts, 5);
    rig_free(&r);
}
END_TEST

/* The order in which systems and interactions were added does not matter. */
START_TEST(numbering)
{
    static const int balls[][BALLS] = {{5, 4, 3, 2, 1, 0}, {2, 5, 0, 3, 1, 4}};
    static const int contacts[][BALLS + 1] = {{6, 5, 4, 3, 2, 1, 0}, {3, 0, 6, 1, 5, 2, 4}};
    static const char *const solvers[] = {"lemke", "gs", NULL};
    for (int s = 0; s < 3; s++) {
        rig r[3];
        perp_system_id ball[3][BALLS];
        for (int k = 0; k < 3; k++) {
            rig_init(&r[k], 1e-3);
            r[k].options.solver = solvers[s];
            add_line(&r[k], ball[k], k ? balls[k - 1] : straight, k ? contacts[k - 1] : straight,
                     0.8);
            rig_start_moreau_jean(&r[k]);
            rig_run(&r[k], 3.0);
        }
        for (int k = 1; k < 3; k++)
            for (int i = 0; i < BALLS; i++) {
                ck_assert_double_eq_tol(*rig_q(&r[k], ball[k][i]), *rig_q(&r[0], ball[0][i]), 1e-9);
                ck_assert_double_eq_tol(*rig_v(&r[k], ball[k][i]), *rig_v(&r[0], ball[0][i]), 1e-9);
            }
        for (int k = 0; k < 3; k++)
            rig_free(&r[k]);
    }
}
END_TEST

/* The same run whatever the matrix of the one-step problem is kept as. */
START_TEST(forms)
{
    static const perp_form form[] = {PERP_FORM_DENSE, PERP_FORM_CSC, PERP_FORM_BSR,
                                     PERP_FORM_DELASSUS, PERP_FORM_AUTO};
    double q[5][BALLS];
    for (int k = 0; k < 5; k++) {
        rig r;
        perp_system_id ball[BALLS];
        rig_init(&r, 1e-3);
        r.options.solver = "gs";
        r.options.form = form[k];
        add_line(&r, ball, straight, straight, 0.7);
        rig_start_moreau_jean(&r);
        rig_run(&r, 3.0);
        for (int i = 0; i < BALLS; i++) {
            q[k][i] = *rig_q(&r, ball[i]);
            ck_assert_msg(fabs(q[k][i] - q[0][i]) < 1e-9, "form %d", k);
        }
        rig_free(&r);
    }
}
END_TEST

/* Second-order systems with friction and a joint in one step: dense and global form. */
START_TEST(forms_with_friction)
{
    static const perp_form form[] = {PERP_FORM_DENSE, PERP_FORM_CSC, PERP_FORM_DELASSUS};
    static const char *const solvers[] = {"gs", "nsn"};
    double state[6][64];
    int count = 0;
    for (int k = 0; k < 6; k++) {
        mixture m;
        mixture_define(&m, WITH_BALL | WITH_BODY | WITH_ARM, NULL);
        m.r.options.form = form[k % 3];
        m.r.options.solver = solvers[k / 3];
        rig_start_moreau_jean(&m.r);
        for (int step = 0; step < 400; step++)
            rig_step(&m.r);
        count = mixture_states(state[k], &m);
        for (int i = 0; i < count; i++)
            ck_assert_msg(fabs(state[k][i] - state[0][i]) < 1e-8, "%s, form %d: state %d, %g",
                          solvers[k / 3], k % 3, i, state[k][i] - state[0][i]);
        mixture_free(&m);
    }
}
END_TEST

static void same(const rig *a, perp_system_id in_a, const rig *b, perp_system_id in_b)
{
    double *x[2], *v[2];
    int nx[2], nv[2];
    perp_model_state(a->model, in_a, &x[0], &v[0], &nx[0], &nv[0]);
    perp_model_state(b->model, in_b, &x[1], &v[1], &nx[1], &nv[1]);
    ck_assert_int_eq(nx[0], nx[1]);
    for (int i = 0; i < nx[0]; i++)
        ck_assert_double_eq_tol(x[0][i], x[1][i], 1e-8);
    for (int i = 0; v[0] && i < nv[0]; i++)
        ck_assert_double_eq_tol(v[0][i], v[1][i], 1e-8);
}

/* First-order systems, Lagrangian systems and bodies with NONNEG, BOX, FREE and COULOMB rows
 * in one step run as each of them alone. */
START_TEST(mixed_scene)
{
    static const char *const solvers[] = {"gs", "nsn", NULL};
    mixture all, alone;
    mixture_define(&all, WITH_ALL, NULL);
    all.r.options.solver = solvers[_i];
    rig_start_moreau_jean(&all.r);
    unsigned seen = 0;
    for (int k = 0; k < 500; k++) {
        perp_problem problem;
        rig_step(&all.r);
        perp_sim_last_problem(all.r.sim, &problem, NULL, NULL);
        for (int s = 0; s < problem.nseg; s++)
            seen |= 1u << problem.seg[s].set;
    }
    ck_assert_uint_eq(seen,
                      1u << PERP_FREE | 1u << PERP_NONNEG | 1u << PERP_BOX | 1u << PERP_COULOMB);
    for (int with = 1; with <= WITH_ALL; with *= 2) {
        mixture_make(&alone, with, NULL, NULL);
        for (int k = 0; k < 500; k++)
            rig_step(&alone.r);
        perp_system_id there = with == WITH_BALL      ? all.ball
                               : with == WITH_BODY    ? all.body
                               : with == WITH_ARM     ? all.arm
                               : with == WITH_CIRCUIT ? all.circuit
                                                      : all.relay;
        same(&all.r, there, &alone.r,
             perp_model_next_system(alone.r.model, (perp_system_id){0, 0}));
        rig_free(&alone.r);
    }
    rig_free(&all.r);
}
END_TEST

/* One interaction with three relations of Newton's law between three masses, and the same as
 * three interactions; the three masses see each other only there. */
START_TEST(several_relations)
{
    const double q0[] = {0.2, 0.7, 1.1}, v0[] = {-1.0, -2.0, 0.5}, F = -3.0;
    const double C[] = {1, -1, 0, 0, 1, -1, 0, 0, 1}, e[] = {0.0, -0.1, -0.2};
    rig r[2];
    perp_system_id mass[2][3];
    for (int k = 0; k < 2; k++) {
        rig_init(&r[k], 1e-3);
        for (int i = 0; i < 3; i++)
            mass[k][i] = rig_lagrangian(&r[k], 1, &q0[i], &v0[i], NULL, &F);
    }
    perp_relation relation = rig_relation(PERP_RELATION_LINEAR, 3);
    relation.C = C;
    relation.e = e;
    perp_interaction_id all = rig_interact(&r[0], mass[0], 3, &relation, perp_law_impact(0.4));
    perp_interaction_id each[3];
    const double pair[] = {-1.0, 1.0};
    each[0] = rig_linear(&r[1], mass[1][0], 1, &one, NULL, perp_law_impact(0.4));
    for (int i = 1; i < 3; i++) {
        perp_relation between = rig_relation(PERP_RELATION_LINEAR, 1);
        between.C = pair;
        between.e = &e[i];
        each[i] = rig_interact(&r[1], mass[1] + i - 1, 2, &between, perp_law_impact(0.4));
    }
    rig_start_moreau_jean(&r[0]);
    rig_start_moreau_jean(&r[1]);
    int sizes[4] = {0};
    for (int k = 0; k < 1500; k++) {
        int closed = 0;
        rig_step(&r[0]);
        rig_step(&r[1]);
        for (int i = 0; i < 3; i++) {
            double lambda = rig_lambda(&r[0], all)[i];
            ck_assert_double_eq_tol(lambda, *rig_lambda(&r[1], each[i]), 1e-11);
            ck_assert_double_eq_tol(*rig_q(&r[0], mass[0][i]), *rig_q(&r[1], mass[1][i]), 1e-11);
            closed += lambda > 0.0;
        }
        sizes[closed]++;
    }
    for (int k = 0; k < 4; k++)
        ck_assert_msg(sizes[k] > 0, "never %d closed", k);
    rig_free(&r[0]);
    rig_free(&r[1]);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("balances");
    TCase *tcase = tcase_create("balances");
    tcase_add_loop_test(tcase, line_of_balls, 0, 3);
    tcase_add_test(tcase, numbering);
    tcase_add_test(tcase, forms);
    tcase_add_test(tcase, forms_with_friction);
    tcase_add_loop_test(tcase, mixed_scene, 0, 3);
    tcase_add_test(tcase, several_relations);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
