/* SPDX-License-Identifier: BSD-3-Clause */
/* Geometric stiffness of joints against second differences of their rows and against the
 * derivative of the force of their discrete gradient. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/relations/discrete_gradient.h"
#include "tests/fixtures/mean_step.h"

enum { TRIALS = 40, JOINTS = PERP_JOINT_TURN + 1, MOST_ROWS = 6, MOST_NV = 12 };

/* lambda . y at q[GUESS] moved by s u. */
static double weighted_output(const scene *s, perp_link *link, const double *lambda,
                              const double *u, double step)
{
    double x[CASE_MOST], y[MOST_ROWS], sum = 0.0, *to = x;
    for (int k = 0; k < s->count; to += s->systems[k]->nq, u += s->systems[k]->nv, k++)
        perp_system_move(to, s->systems[k], s->systems[k]->q[PERP_GUESS], u, step);
    ck_assert_int_eq(perp_link_output(y, link, 0.0, x, lambda), 0);
    for (int i = 0; i < link->rows; i++)
        sum += lambda[i] * y[i];
    return sum;
}

static double form(const double *K, const double *u, const double *v, int nv)
{
    double sum = 0.0;
    for (int j = 0; j < nv; j++)
        for (int i = 0; i < nv; i++)
            sum += u[i] * K[i + j * nv] * v[j];
    return sum;
}

static perp_link *random_joint(scene *s, perp_rng *rng, int joint, double speed)
{
    perp_law law = perp_law_equality();
    perp_relation r = mean_step_joint((perp_joint)joint, rng);
    perp_link *link = case_link(s, &r, &law);
    mean_step_disturb(s, rng, 0.4);
    mean_step_begin(s, rng, speed);
    mean_step_move(s, 0.1);
    return link;
}

START_TEST(stiffness_is_the_second_derivative)
{
    perp_rng rng = {31};
    for (int joint = 0; joint < JOINTS; joint++)
        for (int trial = 0; trial < TRIALS; trial++) {
            scene s = case_scene(trial % 2 ? CAST_BODY : CAST_TWO_BODIES, &rng);
            perp_link *link = random_joint(&s, &rng, joint, 1.0);
            double K[MOST_NV * MOST_NV], lambda[MOST_ROWS], u[MOST_NV];
            case_fill(&rng, lambda, link->rows);
            ck_assert_int_eq(perp_link_stiffness(K, link, lambda), 1);
            for (int j = 0; j < link->nv; j++)
                for (int i = 0; i < j; i++)
                    ck_assert_double_eq_tol(K[i + j * link->nv], K[j + i * link->nv], 1e-16);
            for (int direction = 0; direction < 10; direction++) {
                const double step = 1e-3;
                case_fill(&rng, u, link->nv);
                double at = weighted_output(&s, link, lambda, u, 0.0);
                /* Fourth order: the weights of second differences at s and 2 s. */
                double one = weighted_output(&s, link, lambda, u, step) +
                             weighted_output(&s, link, lambda, u, -step) - 2.0 * at;
                double two = weighted_output(&s, link, lambda, u, 2.0 * step) +
                             weighted_output(&s, link, lambda, u, -2.0 * step) - 2.0 * at;
                double second = (16.0 * one - two) / (12.0 * step * step);
                ck_assert_msg(fabs(form(K, u, u, link->nv) + 0.5 * second) <= 2e-8,
                              "joint %d, nv %d: %.12g, %.12g", joint, link->nv,
                              form(K, u, u, link->nv), -0.5 * second);
            }
            case_free(&s);
        }
}
END_TEST

/* f = G(v_b)' lambda with the states moved from START. */
static void force(double *f, scene *s, perp_link *link, const double *lambda, double h)
{
    double G[MOST_ROWS * MOST_NV], drift[MOST_ROWS], y0[MOST_ROWS], y1[MOST_ROWS];
    const double *x = perp_link_gather_x(link, PERP_START);
    mean_step_move(s, h);
    ck_assert_int_eq(perp_link_output(y0, link, 0.0, x, lambda), 0);
    ck_assert_int_eq(perp_link_discrete_gradient(G, drift, y1, link, 0.0, h, y0, lambda), 0);
    for (int j = 0; j < link->nv; j++) {
        f[j] = 0.0;
        for (int i = 0; i < link->rows; i++)
            f[j] += G[i + j * link->rows] * lambda[i];
    }
}

/* J = d(G' lambda) / d v_b by central differences of fourth order. */
static void force_slope(double *J, scene *s, perp_link *link, const double *lambda, double h)
{
    static const double place[4] = {1.0, -1.0, 2.0, -2.0};
    static const double weight[4] = {8.0, -8.0, -1.0, 1.0};
    const double step = 5e-4 / h;
    double f[MOST_NV];
    memset(J, 0, (size_t)(link->nv * link->nv) * sizeof *J);
    for (int k = 0, column = 0; k < s->count; k++)
        for (int j = 0; j < s->systems[k]->nv; j++, column++) {
            double *v = s->systems[k]->v[PERP_GUESS], before = v[j];
            for (int p = 0; p < 4; p++) {
                v[j] = before + place[p] * step;
                force(f, s, link, lambda, h);
                for (int i = 0; i < link->nv; i++)
                    J[i + column * link->nv] += weight[p] * f[i] / (12.0 * step);
            }
            v[j] = before;
        }
    mean_step_move(s, h);
}

/* M + h theta K against the derivative of M (v - v_k) - G(v_b)' lambda, v_b = theta v + ...: the
 * symmetric part of d(G' lambda)/dv is -h theta K, exactly at v_b = 0, else to the order of h v. */
START_TEST(newton_sees_the_stiffness)
{
    perp_rng rng = {32};
    const double h = 0.1, theta = 0.6;
    for (int joint = 0; joint < JOINTS; joint++)
        for (int trial = 0; trial < TRIALS; trial++) {
            double speed = trial % 4 < 2 ? 0.0 : 0.02, tol = speed > 0.0 ? 4.0 * h * speed : 1e-8;
            scene s = case_scene(trial % 2 ? CAST_BODY : CAST_TWO_BODIES, &rng);
            perp_link *link = random_joint(&s, &rng, joint, speed);
            double K[MOST_NV * MOST_NV], J[MOST_NV * MOST_NV], lambda[MOST_ROWS];
            int nv = link->nv;
            case_fill(&rng, lambda, link->rows);
            force_slope(J, &s, link, lambda, h);
            ck_assert_int_eq(perp_link_stiffness(K, link, lambda), 1);
            for (int j = 0; j < nv; j++)
                for (int i = 0; i < nv; i++) {
                    double symmetric = 0.5 * theta * (J[i + j * nv] + J[j + i * nv]);
                    ck_assert_msg(fabs(symmetric + h * theta * K[i + j * nv]) <= h * tol,
                                  "joint %d, entry %d %d: %.9g, %.9g", joint, i, j,
                                  -symmetric / (h * theta), K[i + j * nv]);
                }
            case_free(&s);
        }
}
END_TEST

START_TEST(other_relations_have_none)
{
    perp_rng rng = {33};
    scene s = case_scene(CAST_BODY, &rng);
    const double C[7] = {0.0, 0.0, 1.0};
    perp_law law = perp_law_impact(0.5);
    perp_relation r = {.size = sizeof r, .kind = PERP_RELATION_LINEAR, .rows = 1, .C = C};
    perp_link *link = case_link(&s, &r, &law);
    double K[36] = {7.0}, lambda = 1.0;
    ck_assert_int_eq(perp_link_stiffness(K, link, &lambda), 0);
    ck_assert(K[0] == 7.0);
    case_free(&s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("joint stiffness");
    TCase *tcase = tcase_create("joint stiffness");
    tcase_add_test(tcase, stiffness_is_the_second_derivative);
    tcase_add_test(tcase, newton_sees_the_stiffness);
    tcase_add_test(tcase, other_relations_have_none);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
