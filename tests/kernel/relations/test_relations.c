/* SPDX-License-Identifier: BSD-3-Clause */
/* Relations by matrices and by callbacks: values, Jacobians along T(q), rates and inputs. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fixtures/relation_cases.h"

enum { TRIALS = 20, MOST = CASE_MOST * CASE_MOST };

static double largest_difference(const double *a, const double *b, int count)
{
    double largest = 0.0;
    for (int k = 0; k < count; k++) {
        ck_assert(isfinite(a[k]) && isfinite(b[k]));
        largest = fmax(largest, fabs(a[k] - b[k]));
    }
    return largest;
}

static void assert_close(const double *a, const double *b, int count, double tol, const char *what,
                         int kind)
{
    double difference = largest_difference(a, b, count);
    ck_assert_msg(difference <= tol, "%s of relation %d: %g", what, kind, difference);
}

/* Central differences of the output or the input of a link along T(q). */
static void slope_x(double *J, const scene *s, perp_link *link, int input, double t,
                    const double *x, const double *lambda)
{
    const double step = 1e-5;
    int count = input ? link->nv : link->rows;
    double to[CASE_MOST], up[CASE_MOST], down[CASE_MOST];
    for (int j = 0; j < link->nv; j++) {
        case_move(to, s, x, j, step);
        ck_assert_int_eq(input ? perp_link_input(up, link, t, to, lambda)
                               : perp_link_output(up, link, t, to, lambda),
                         0);
        case_move(to, s, x, j, -step);
        ck_assert_int_eq(input ? perp_link_input(down, link, t, to, lambda)
                               : perp_link_output(down, link, t, to, lambda),
                         0);
        for (int i = 0; i < count; i++)
            J[i + j * count] = (up[i] - down[i]) / (2.0 * step);
    }
}

static void slope_lambda(double *J, perp_link *link, int input, double t, const double *x,
                         const double *lambda)
{
    const double step = 1e-5;
    int count = input ? link->nv : link->rows;
    double to[CASE_MOST], up[CASE_MOST], down[CASE_MOST];
    memcpy(to, lambda, (size_t)link->rows * sizeof(double));
    for (int j = 0; j < link->rows; j++) {
        to[j] = lambda[j] + step;
        ck_assert_int_eq(
            input ? perp_link_input(up, link, t, x, to) : perp_link_output(up, link, t, x, to), 0);
        to[j] = lambda[j] - step;
        ck_assert_int_eq(input ? perp_link_input(down, link, t, x, to)
                               : perp_link_output(down, link, t, x, to),
                         0);
        to[j] = lambda[j];
        for (int i = 0; i < count; i++)
            J[i + j * count] = (up[i] - down[i]) / (2.0 * step);
    }
}

/* All Jacobians of a link against central differences. */
static void check_slopes(const scene *s, perp_link *link, perp_rng *rng, double tol)
{
    int kind = (int)link->relation.kind, rows = link->rows, nv = link->nv;
    double t = case_uniform(rng), lambda[CASE_MOST], H[MOST], J[MOST], up[CASE_MOST];
    double down[CASE_MOST], zero[MOST] = {0.0}, x[CASE_MOST];
    case_fill(rng, lambda, rows);
    memcpy(x, perp_link_gather_x(link, PERP_NOW), (size_t)s->N * sizeof(double));

    ck_assert_int_eq(perp_link_jacobian(H, link, t, x, lambda), 0);
    slope_x(J, s, link, 0, t, x, lambda);
    assert_close(H, J, rows * nv, tol, "H", kind);

    ck_assert_int_eq(perp_link_feedthrough(H, link, t, x, lambda), 0);
    slope_lambda(J, link, 0, t, x, lambda);
    assert_close(H, perp_link_has_feedthrough(link) ? J : zero, rows * rows, tol, "D", kind);
    assert_close(H, J, rows * rows, tol, "D as it should be", kind);

    ck_assert_int_eq(perp_link_input_lambda(H, link, t, x, lambda), 0);
    slope_lambda(J, link, 1, t, x, lambda);
    assert_close(H, J, nv * rows, tol, "B", kind);

    ck_assert_int_eq(perp_link_input_x(H, link, t, x, lambda), 0);
    if (perp_link_input_depends_on_x(link))
        slope_x(J, s, link, 1, t, x, lambda);
    assert_close(H, perp_link_input_depends_on_x(link) ? J : zero, nv * nv, tol, "K", kind);

    ck_assert_int_eq(perp_link_drift(H, link, t, x, lambda), 0);
    if (!link->second_order) {
        assert_close(H, zero, rows, 0.0, "h_t", kind);
        return;
    }
    ck_assert_int_eq(perp_link_output(up, link, t + 1e-5, x, lambda), 0);
    ck_assert_int_eq(perp_link_output(down, link, t - 1e-5, x, lambda), 0);
    for (int i = 0; i < rows; i++)
        J[i] = (up[i] - down[i]) / 2e-5;
    if (perp_link_has_drift(link))
        assert_close(H, J, rows, tol, "h_t", kind);
    else
        assert_close(H, zero, rows, 0.0, "h_t", kind);
}

/* The power of the input is that of lambda on the rate, where the input is H' lambda. */
static void check_power(perp_link *link, perp_rng *rng)
{
    double lambda[CASE_MOST], p[CASE_MOST], H[MOST], u[CASE_MOST], power = 0.0, rate = 0.0;
    if (perp_link_has_input(link))
        return;
    case_fill(rng, lambda, link->rows);
    const double *x = perp_link_gather_x(link, PERP_NOW);
    const double *V = perp_link_gather_v(link, PERP_NOW);
    ck_assert_int_eq(perp_link_input(p, link, 0.3, x, lambda), 0);
    ck_assert_int_eq(perp_link_jacobian(H, link, 0.3, x, lambda), 0);
    perp_link_rate(u, link, H, V, NULL);
    for (int i = 0; i < link->rows; i++)
        rate += lambda[i] * u[i];
    for (int j = 0; j < link->nv; j++)
        power += p[j] * V[j];
    ck_assert_double_eq_tol(rate, power, 1e-13 * (1.0 + fabs(rate)));
}

static int takes(perp_relation_kind kind, cast which)
{
    int first = which == CAST_FIRST || which == CAST_TWO_FIRST;
    if (kind == PERP_RELATION_TYPE1 || kind == PERP_RELATION_TYPE2)
        return first;
    return kind == PERP_RELATION_LINEAR || kind == PERP_RELATION_NONLINEAR || !first;
}

/* The smooth functions, without what a kind says that they do not depend on. */
static void check_smooth(perp_relation_kind kind, cast which, int differences)
{
    perp_rng rng = {(uint64_t)(100 * (int)kind + 10 * (int)which + differences)};
    scene s = case_scene(which, &rng);
    smooth_case user;
    perp_law law = perp_law_equality();
    perp_relation relation = case_smooth(kind, &user, &s);
    if (differences) {
        relation.h_x = relation.h_t = relation.h_lambda = relation.g_x = relation.g_lambda = NULL;
        relation.differences = 1;
    }
    perp_link *link = case_link(&s, &relation, &law);
    ck_assert_int_eq(link->differences, differences);
    ck_assert_int_eq(link->linear, 0);
    ck_assert_int_eq(link->inner, kind == PERP_RELATION_NONLINEAR ? s.nv : 0);
    ck_assert_int_eq(perp_link_has_drift(link),
                     link->second_order &&
                         (kind == PERP_RELATION_NONLINEAR || kind == PERP_RELATION_RHEONOMOUS));
    for (int trial = 0; trial < TRIALS; trial++) {
        case_random_states(&s, &rng);
        check_power(link, &rng);
        if (kind == PERP_RELATION_NONLINEAR)
            check_slopes(&s, link, &rng, differences ? 1e-6 : 2e-9);
    }
    case_free(&s);
}

START_TEST(smooth_relations_have_their_jacobians)
{
    for (int kind = PERP_RELATION_TYPE1; kind <= PERP_RELATION_COMPLIANT; kind++)
        for (int which = 0; which < CASTS; which++)
            for (int differences = 0; differences < 2; differences++)
                if (takes((perp_relation_kind)kind, (cast)which))
                    check_smooth((perp_relation_kind)kind, (cast)which, differences);
}
END_TEST

/* The H of each kind is that of the full relation; D, B where it has them. */
START_TEST(kinds_agree_where_they_overlap)
{
    perp_rng rng = {7};
    for (int kind = PERP_RELATION_TYPE1; kind <= PERP_RELATION_COMPLIANT; kind++)
        for (int which = 0; which < CASTS; which++) {
            if (!takes((perp_relation_kind)kind, (cast)which))
                continue;
            scene s = case_scene((cast)which, &rng);
            smooth_case user;
            perp_law law = perp_law_equality();
            perp_relation full = case_smooth(PERP_RELATION_NONLINEAR, &user, &s), one = full;
            one.kind = (perp_relation_kind)kind;
            perp_link *a = case_link(&s, &full, &law), *b = case_link(&s, &one, &law);
            const double *x = perp_link_gather_x(a, PERP_NOW);
            double lambda[CASE_ROWS], A[MOST], B[MOST];
            case_fill(&rng, lambda, CASE_ROWS);
            perp_link_jacobian(A, a, 0.4, x, lambda);
            perp_link_jacobian(B, b, 0.4, x, lambda);
            assert_close(A, B, s.nv * CASE_ROWS, 0.0, "H", kind);
            perp_link_evaluate(A, A + CASE_ROWS, a, 0.4, x, lambda);
            perp_link_output(B, b, 0.4, x, lambda);
            assert_close(A, B, CASE_ROWS, 0.0, "y", kind);
            if (perp_link_has_feedthrough(b)) {
                perp_link_feedthrough(A, a, 0.4, x, lambda);
                perp_link_feedthrough(B, b, 0.4, x, lambda);
                assert_close(A, B, CASE_ROWS * CASE_ROWS, 0.0, "D", kind);
            }
            if (perp_link_has_input(b)) {
                perp_link_input_lambda(A, a, 0.4, x, lambda);
                perp_link_input_lambda(B, b, 0.4, x, lambda);
                assert_close(A, B, s.nv * CASE_ROWS, 0.0, "B", kind);
            }
            case_free(&s);
        }
}
END_TEST

/* Matrices of a linear relation, constant or times (1 + t). */
typedef struct linear_case {
    double C[CASE_ROWS * CASE_MOST], D[CASE_ROWS * CASE_ROWS], F[CASE_ROWS * 2], e[CASE_ROWS];
    double B[CASE_MOST * CASE_ROWS], z[2];
    int N;
} linear_case;

static void scaled(double *out, const double *in, int count, double t)
{
    for (int k = 0; k < count; k++)
        out[k] = (1.0 + t) * in[k];
}

#define TERM(name, size)                                                                           \
    static int name##_at(double *out, double t, const double *x, const double *lambda,             \
                         const double *z, void *user)                                              \
    {                                                                                              \
        const linear_case *c = user;                                                               \
        (void)x;                                                                                   \
        (void)lambda;                                                                              \
        (void)z;                                                                                   \
        scaled(out, c->name, size, t);                                                             \
        return 0;                                                                                  \
    }
TERM(C, CASE_ROWS * c->N)
TERM(D, CASE_ROWS *CASE_ROWS)
TERM(F, CASE_ROWS * 2)
TERM(e, CASE_ROWS)
TERM(B, c->N *CASE_ROWS)
#undef TERM

static perp_relation linear_relation(linear_case *c, const scene *s, perp_rng *rng, int at_t)
{
    int second_order = s->systems[0]->kind != PERP_SYSTEM_FIRST_ORDER;
    memset(c, 0, sizeof *c);
    c->N = s->N;
    case_fill(rng, c->C, CASE_ROWS * s->N);
    case_fill(rng, c->D, CASE_ROWS * CASE_ROWS);
    case_fill(rng, c->F, CASE_ROWS * 2);
    case_fill(rng, c->e, CASE_ROWS);
    case_fill(rng, c->B, CASE_ROWS * s->N);
    case_fill(rng, c->z, 2);
    perp_relation r = {
        .size = sizeof r, .kind = PERP_RELATION_LINEAR, .rows = CASE_ROWS, .z = c->z, .nz = 2};
    r.user = c;
    if (at_t) {
        r.C_at = C_at;
        r.D_at = D_at;
        r.F_at = F_at;
        r.e_at = e_at;
        r.B_at = second_order ? NULL : B_at;
        r.differences = second_order;
    } else {
        r.C = c->C;
        r.D = c->D;
        r.F = c->F;
        r.e = c->e;
        r.B = second_order ? NULL : c->B;
    }
    return r;
}

/* y by its formula, from the caller's arrays. */
static void linear_output(double *y, const linear_case *c, double factor, const double *x,
                          const double *lambda)
{
    for (int i = 0; i < CASE_ROWS; i++) {
        double sum = c->e[i];
        for (int k = 0; k < c->N; k++)
            sum += c->C[i + k * CASE_ROWS] * x[k];
        for (int k = 0; k < CASE_ROWS; k++)
            sum += c->D[i + k * CASE_ROWS] * lambda[k];
        for (int k = 0; k < 2; k++)
            sum += c->F[i + k * CASE_ROWS] * c->z[k];
        y[i] = factor * sum;
    }
}

static void check_linear(cast which, int at_t)
{
    perp_rng rng = {(uint64_t)(50 + 2 * (int)which + at_t)};
    scene s = case_scene(which, &rng);
    linear_case c;
    perp_law law = perp_law_equality();
    perp_relation relation = linear_relation(&c, &s, &rng, at_t);
    linear_case kept = c;
    perp_link *link = case_link(&s, &relation, &law);
    if (!at_t)
        memset(&c, 0, sizeof c); /* copied: the caller's arrays may go */
    int bodies = which == CAST_BODY || which == CAST_TWO_BODIES || which == CAST_MIXED;
    ck_assert_int_eq(link->linear, !bodies);
    for (int trial = 0; trial < TRIALS; trial++) {
        double y[CASE_ROWS], expected[CASE_ROWS], lambda[CASE_ROWS], t = case_uniform(&rng);
        case_random_states(&s, &rng);
        case_fill(&rng, lambda, CASE_ROWS);
        const double *x = perp_link_gather_x(link, PERP_NOW);
        ck_assert_int_eq(perp_link_output(y, link, t, x, lambda), 0);
        linear_output(expected, &kept, at_t ? 1.0 + t : 1.0, x, lambda);
        assert_close(y, expected, CASE_ROWS, 1e-13, "y", 0);
        check_slopes(&s, link, &rng, at_t ? 1e-6 : 2e-9);
        check_power(link, &rng);
    }
    case_free(&s);
}

START_TEST(linear_relations_are_their_formula)
{
    for (int which = 0; which < CASTS; which++)
        for (int at_t = 0; at_t < 2; at_t++)
            check_linear((cast)which, at_t);
}
END_TEST

START_TEST(absent_terms_are_zero)
{
    perp_rng rng = {3};
    perp_law law = perp_law_complementarity();
    scene s = case_scene(CAST_FIRST, &rng);
    double C[4] = {1.0, 2.0, 3.0, 4.0}, D[1] = {0.0}, y, lambda = 5.0, block[16];
    perp_relation r = {.size = sizeof r, .kind = PERP_RELATION_LINEAR, .rows = 1, .C = C, .D = D};
    perp_link *link = case_link(&s, &r, &law);
    const double *x = perp_link_gather_x(link, PERP_NOW);
    ck_assert_int_eq(perp_link_output(&y, link, 0.0, x, &lambda), 0);
    ck_assert_double_eq_tol(y, x[0] + 2.0 * x[1] + 3.0 * x[2] + 4.0 * x[3], 1e-15);
    ck_assert_int_eq(perp_link_has_feedthrough(link), 0); /* D of zeros is none */
    ck_assert_int_eq(perp_link_input(block, link, 0.0, x, &lambda), 0);
    for (int k = 0; k < 4; k++)
        ck_assert_double_eq(block[k], 0.0);
    ck_assert_int_eq(perp_link_input_lambda(block, link, 0.0, x, &lambda), 0);
    for (int k = 0; k < 4; k++)
        ck_assert_double_eq(block[k], 0.0);
    const double *V = perp_link_gather_v(link, PERP_NOW);
    for (int k = 0; k < 4; k++)
        ck_assert_double_eq(V[k], 0.0);
    case_free(&s);
}
END_TEST

/* Columns of 0 for the quaternion: y is affine in what a step moves. */
START_TEST(linear_in_the_position_of_a_body_is_linear)
{
    perp_rng rng = {4};
    perp_law law = perp_law_impact(0.5);
    scene s = case_scene(CAST_BODY, &rng);
    double C[7] = {1.0, 0.5, 0.0, 0.0, 0.0, 0.0, 0.0};
    perp_relation r = {.size = sizeof r, .kind = PERP_RELATION_LINEAR, .rows = 1, .C = C};
    ck_assert_int_eq(case_link(&s, &r, &law)->linear, 1);
    C[5] = 1.0;
    ck_assert_int_eq(case_link(&s, &r, &law)->linear, 0);
    case_free(&s);
}
END_TEST

static int refuse(double *out, double t, const double *x, const double *lambda, const double *z,
                  void *user)
{
    (void)out;
    (void)t;
    (void)x;
    (void)lambda;
    (void)z;
    return *(int *)user;
}

START_TEST(callbacks_that_refuse_are_heard)
{
    perp_rng rng = {5};
    perp_law law = perp_law_equality();
    int code = 0;
    for (int differences = 0; differences < 2; differences++) {
        scene s = case_scene(CAST_MIXED, &rng);
        perp_relation r = {
            .size = sizeof r, .kind = PERP_RELATION_NONLINEAR, .rows = 1, .h = refuse, .g = refuse};
        r.user = &code;
        r.differences = differences;
        if (!differences)
            r.h_x = r.h_t = r.h_lambda = r.g_x = r.g_lambda = refuse;
        perp_link *link = case_link(&s, &r, &law);
        const double *x = perp_link_gather_x(link, PERP_NOW);
        double out[MOST] = {0.0}, lambda = 1.0;
        for (code = 0; code < 2; code++) {
            int heard = code != 0;
            ck_assert_int_eq(perp_link_output(out, link, 0.0, x, &lambda) != 0, heard);
            ck_assert_int_eq(perp_link_jacobian(out, link, 0.0, x, &lambda) != 0, heard);
            ck_assert_int_eq(perp_link_drift(out, link, 0.0, x, &lambda) != 0, heard);
            ck_assert_int_eq(perp_link_feedthrough(out, link, 0.0, x, &lambda) != 0, heard);
            ck_assert_int_eq(perp_link_input(out, link, 0.0, x, &lambda) != 0, heard);
            ck_assert_int_eq(perp_link_input_lambda(out, link, 0.0, x, &lambda) != 0, heard);
            ck_assert_int_eq(perp_link_input_x(out, link, 0.0, x, &lambda) != 0, heard);
        }
        case_free(&s);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("relations");
    TCase *tcase = tcase_create("relations");
    tcase_add_test(tcase, smooth_relations_have_their_jacobians);
    tcase_add_test(tcase, kinds_agree_where_they_overlap);
    tcase_add_test(tcase, linear_relations_are_their_formula);
    tcase_add_test(tcase, absent_terms_are_zero);
    tcase_add_test(tcase, linear_in_the_position_of_a_body_is_linear);
    tcase_add_test(tcase, callbacks_that_refuse_are_heard);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
