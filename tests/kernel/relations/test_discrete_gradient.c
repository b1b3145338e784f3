/* SPDX-License-Identifier: BSD-3-Clause */
/* Discrete gradients: the identity y1 - y0 = h (G v_b + drift) over long steps for every kind of
 * relation, G against the Jacobian half way, the means along a turn. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perp/rotation.h>

#include "kernel/relations/discrete_gradient.h"
#include "kernel/relations/turn_mean.h"
#include "tests/fixtures/mean_step.h"

enum { TRIALS = 200, JOINTS = PERP_JOINT_TURN + 1, MOST_ROWS = 6, MOST_NV = 12 };

/* Of one step: what the function gives, at time t. */
typedef struct outcome {
    double G[MOST_ROWS * MOST_NV], drift[MOST_ROWS], y0[MOST_ROWS], y1[MOST_ROWS];
} outcome;

static void take(outcome *o, perp_link *link, double t, double h, const double *lambda)
{
    if (link->joint) /* the branch of an angle is that of the start */
        perp_joint_settle(link, perp_link_gather_x(link, PERP_START));
    ck_assert_int_eq(perp_link_output(o->y0, link, t, perp_link_gather_x(link, PERP_START), lambda),
                     0);
    ck_assert_int_eq(perp_link_discrete_gradient(o->G, o->drift, o->y1, link, t, h, o->y0, lambda),
                     0);
}

/* Rows 0, stride, ... fulfil the identity. */
static void assert_identity(const outcome *o, perp_link *link, double h, int stride, int kind)
{
    const double *v = perp_link_gather_v(link, PERP_GUESS);
    for (int i = 0; i < link->rows; i += stride) {
        double sum = h * o->drift[i], size = fabs(o->y0[i]) + fabs(o->y1[i]) + fabs(sum) + 1.0;
        for (int j = 0; j < link->nv; j++) {
            sum += h * o->G[i + j * link->rows] * v[j];
            size += fabs(h * o->G[i + j * link->rows] * v[j]);
        }
        ck_assert_msg(fabs(o->y1[i] - o->y0[i] - sum) <= 4e-15 * size,
                      "kind %d, row %d: change %.17g, %.17g", kind, i, o->y1[i] - o->y0[i], sum);
    }
}

static void assert_end(const outcome *o, perp_link *link, double t, const double *lambda)
{
    double y[MOST_ROWS];
    const double *x = perp_link_gather_x(link, PERP_NOW);
    ck_assert_int_eq(perp_link_output(y, link, t, x, lambda), 0);
    for (int i = 0; i < link->rows; i++)
        ck_assert_double_eq_tol(fabs(o->y1[i]), fabs(y[i]), 1e-14);
}

START_TEST(joints_change_by_their_gradients)
{
    perp_rng rng = {21};
    perp_law law = perp_law_equality();
    for (int joint = 0; joint < JOINTS; joint++)
        for (int trial = 0; trial < TRIALS; trial++) {
            scene s = case_scene(trial % 2 ? CAST_BODY : CAST_TWO_BODIES, &rng);
            perp_relation r = mean_step_joint((perp_joint)joint, &rng);
            perp_link *link = case_link(&s, &r, &law);
            outcome o;
            mean_step_disturb(&s, &rng, 1.0);
            mean_step_begin(&s, &rng, 2.0 + 0.02 * trial); /* turns up to 10 rad */
            mean_step_move(&s, 1.0);
            take(&o, link, 0.0, 1.0, NULL);
            if (joint == PERP_JOINT_TURN && o.y1[0] > 2.5) { /* no step goes over half a turn */
                case_free(&s);
                continue;
            }
            assert_identity(&o, link, 1.0, 1, joint);
            assert_end(&o, link, 0.0, NULL);
            for (int i = 0; i < r.rows; i++)
                ck_assert(o.drift[i] == 0.0);
            case_free(&s);
        }
}
END_TEST

/* Largest |G - H half way|. */
static double distance_to_jacobian(perp_link *link, double t, double h, const double *lambda)
{
    double H[MOST_ROWS * MOST_NV], largest = 0.0;
    outcome o;
    take(&o, link, t, h, lambda);
    const double *x = perp_link_gather_x(link, PERP_GUESS);
    ck_assert_int_eq(perp_link_jacobian(H, link, t + 0.5 * h, x, lambda), 0);
    for (int k = 0; k < link->rows * link->nv; k++)
        largest = fmax(largest, fabs(o.G[k] - H[k]));
    return largest;
}

static void assert_second_order(scene *s, perp_link *link, const double *lambda, int kind)
{
    double coarse, fine;
    mean_step_move(s, 2e-2);
    coarse = distance_to_jacobian(link, 0.3, 2e-2, lambda);
    mean_step_move(s, 1e-3);
    fine = distance_to_jacobian(link, 0.3, 1e-3, lambda);
    ck_assert_msg(fine <= coarse / 250.0 + 1e-11, "kind %d: %g, %g", kind, coarse, fine);
    ck_assert_msg(coarse <= 1e-2, "kind %d: %g", kind, coarse);
}

START_TEST(gradients_of_joints_are_second_order)
{
    perp_rng rng = {22};
    perp_law law = perp_law_equality();
    for (int joint = 0; joint < JOINTS; joint++)
        for (int trial = 0; trial < 20; trial++) {
            scene s = case_scene(trial % 2 ? CAST_BODY : CAST_TWO_BODIES, &rng);
            perp_relation r = mean_step_joint((perp_joint)joint, &rng);
            perp_link *link = case_link(&s, &r, &law);
            mean_step_disturb(&s, &rng, 0.3);
            mean_step_begin(&s, &rng, 1.0);
            assert_second_order(&s, link, NULL, joint);
            case_free(&s);
        }
}
END_TEST

/* C(t) of a linear relation, 2 rows. */
static int swaying(double *out, double t, const double *x, const double *lambda, const double *z,
                   void *user)
{
    const int *N = user;
    (void)x, (void)lambda, (void)z;
    for (int k = 0; k < 2 * *N; k++)
        out[k] = sin(1.0 + 3.0 * k + t);
    return 0;
}

static const cast casts[] = {CAST_LAGRANGIAN, CAST_BODY, CAST_TWO_BODIES, CAST_MIXED};

START_TEST(linear_relations_have_their_matrix)
{
    perp_rng rng = {23};
    perp_law law = perp_law_equality();
    for (int trial = 0; trial < TRIALS; trial++) {
        scene s = case_scene(casts[trial % 4], &rng);
        double C[2 * CASE_MOST], D[4], lambda[2];
        case_fill(&rng, C, 2 * s.N);
        case_fill(&rng, D, 4);
        case_fill(&rng, lambda, 2);
        perp_relation r = {.size = sizeof r, .kind = PERP_RELATION_LINEAR, .rows = 2, .C = C};
        r.D = trial % 3 ? D : NULL;
        r.user = &s.N;
        if (trial % 8 >= 4) {
            r.C = NULL;
            r.C_at = swaying;
            r.differences = 1;
        }
        perp_link *link = case_link(&s, &r, &law);
        outcome o;
        mean_step_begin(&s, &rng, 2.0);
        mean_step_move(&s, 1.0);
        take(&o, link, 0.4, 1.0, lambda);
        assert_identity(&o, link, 1.0, 1, trial % 8);
        assert_end(&o, link, 1.4, lambda);
        for (int k = 0; k < 6 && r.C && casts[trial % 4] == CAST_LAGRANGIAN; k++)
            ck_assert(o.G[k] == C[k]);
        case_free(&s);
    }
}
END_TEST

/* The smooth functions of the fixture without time. */
typedef struct still_case {
    smooth_case base; /* first: the fixture sees only this */
    perp_relation moving;
} still_case;

static int still_h(double *out, double t, const double *x, const double *lambda, const double *z,
                   void *user)
{
    still_case *c = user;
    (void)t;
    return c->moving.h(out, 0.3, x, lambda, z, &c->base);
}

static int still_h_x(double *out, double t, const double *x, const double *lambda, const double *z,
                     void *user)
{
    still_case *c = user;
    (void)t;
    return c->moving.h_x(out, 0.3, x, lambda, z, &c->base);
}

static perp_relation smooth_relation(perp_relation_kind kind, still_case *user, const scene *s)
{
    perp_relation r = case_smooth(kind, &user->base, s);
    user->moving = r;
    r.user = user;
    if (kind == PERP_RELATION_SCLERONOMOUS || kind == PERP_RELATION_COMPLIANT) {
        r.h = still_h;
        r.h_x = still_h_x;
    }
    return r;
}

static const perp_relation_kind smooth[] = {PERP_RELATION_SCLERONOMOUS, PERP_RELATION_RHEONOMOUS,
                                            PERP_RELATION_COMPLIANT, PERP_RELATION_NONLINEAR};

START_TEST(smooth_relations_change_by_their_gradients)
{
    perp_rng rng = {24};
    perp_law law = perp_law_equality();
    for (int kind = 0; kind < 4; kind++)
        for (int trial = 0; trial < TRIALS; trial++) {
            scene s = case_scene(casts[trial % 4], &rng);
            still_case user;
            double lambda[CASE_ROWS];
            perp_relation r = smooth_relation(smooth[kind], &user, &s);
            perp_link *link = case_link(&s, &r, &law);
            outcome o;
            case_fill(&rng, lambda, CASE_ROWS);
            mean_step_begin(&s, &rng, 1.5);
            mean_step_move(&s, 1.0);
            take(&o, link, 0.4, 1.0, lambda);
            assert_identity(&o, link, 1.0, 1, kind);
            assert_end(&o, link, 1.4, lambda);
            for (int i = 0; i < CASE_ROWS && kind % 2 == 0; i++)
                ck_assert(o.drift[i] == 0.0);
            if (trial < 20)
                assert_second_order(&s, link, lambda, kind);
            case_free(&s);
        }
}
END_TEST

/* y = sin(q_0) cos(q_1) + q_2^3. */
static int bent(double *out, double t, const double *x, const double *lambda, const double *z,
                void *user)
{
    (void)t, (void)lambda, (void)z, (void)user;
    out[0] = sin(x[0]) * cos(x[1]) + x[2] * x[2] * x[2];
    return 0;
}

static int bent_x(double *out, double t, const double *x, const double *lambda, const double *z,
                  void *user)
{
    (void)t, (void)lambda, (void)z, (void)user;
    out[0] = cos(x[0]) * cos(x[1]);
    out[1] = -sin(x[0]) * sin(x[1]);
    out[2] = 3.0 * x[2] * x[2];
    return 0;
}

START_TEST(corrections_are_in_the_metric_of_the_masses)
{
    double M[9] = {4.0, 1.0, 0.5, 1.0, 3.0, -0.2, 0.5, -0.2, 0.1}, q0[3] = {0.4, -0.8, 0.7};
    const double v[3] = {0.3, -0.5, 0.9}, h = 0.5;
    perp_lagrangian_def def;
    scene s = {.count = 1, .N = 3, .nv = 3};
    perp_law law = perp_law_impact(0.0);
    perp_relation r = {.size = sizeof r, .kind = PERP_RELATION_SCLERONOMOUS, .rows = 1};
    double H[3];
    outcome o;
    r.h = bent;
    r.h_x = bent_x;
    ck_assert_int_eq(perp_model_create(&s.model, NULL), PERP_SOLVED);
    perp_lagrangian_def_init(&def, sizeof def);
    def.n = 3;
    def.q0 = q0;
    def.M = (perp_mat){PERP_DENSE, 3, 3, {.dense = {M, 3}}};
    ck_assert_int_eq(perp_model_add_lagrangian(s.model, &def, &s.id[0], NULL), PERP_SOLVED);
    s.systems[0] = perp_model_system(s.model, s.id[0]);
    perp_link *link = case_link(&s, &r, &law);
    memcpy(s.systems[0]->q[PERP_START], q0, sizeof q0);
    memcpy(s.systems[0]->v[PERP_GUESS], v, sizeof v);
    mean_step_move(&s, h);
    take(&o, link, 0.0, h, NULL);
    assert_identity(&o, link, h, 1, 0);
    ck_assert_int_eq(bent_x(H, 0.0, s.systems[0]->q[PERP_GUESS], NULL, NULL, NULL), 0);
    double factor = (o.G[0] - H[0]) / (M[0] * v[0] + M[3] * v[1] + M[6] * v[2]);
    ck_assert_double_gt(fabs(factor), 1e-4);
    for (int j = 1; j < 3; j++)
        ck_assert_double_eq_tol(o.G[j] - H[j],
                                factor * (M[j] * v[0] + M[3 + j] * v[1] + M[6 + j] * v[2]), 1e-14);
    case_free(&s);
}
END_TEST

/* Systems at rest: y changes by time alone, whatever G is. */
START_TEST(rest_leaves_the_drift)
{
    perp_rng rng = {25};
    perp_law law = perp_law_equality();
    for (int trial = 0; trial < 8; trial++) {
        scene s = case_scene(casts[trial % 4], &rng);
        still_case user;
        double lambda[CASE_ROWS] = {0.0}, H[CASE_ROWS * MOST_NV];
        perp_relation r = smooth_relation(smooth[1], &user, &s);
        perp_link *link = case_link(&s, &r, &law);
        outcome o;
        mean_step_begin(&s, &rng, 0.0);
        mean_step_move(&s, 0.5);
        take(&o, link, 0.4, 0.5, lambda);
        assert_identity(&o, link, 0.5, 1, trial);
        const double *x = perp_link_gather_x(link, PERP_GUESS);
        ck_assert_int_eq(perp_link_jacobian(H, link, 0.65, x, lambda), 0);
        ck_assert_mem_eq(H, o.G, (size_t)(link->rows * link->nv) * sizeof(double));
        case_free(&s);
    }
}
END_TEST

/* A point of the first body over a ball of radius 0.2, on the second body or in the world, where
 * it moves with z[0] in direction y and has no gap at all beyond z[1]. */
static const double tip[3] = {0.3, -0.2, 0.4}, centre[3] = {-0.1, 0.5, 0.2};

static int over_ball(perp_contact_point *point, double t, const double *q_a, const double *q_b,
                     const double *z, void *user)
{
    double c[3], d[3], radius = 0.2;
    (void)user;
    perp_quaternion_rotate(q_a + 3, tip, point->point_a);
    if (q_b)
        perp_quaternion_rotate(q_b + 3, centre, c);
    else
        memcpy(c, centre, sizeof c);
    c[1] += z[0] * t;
    for (int k = 0; k < 3; k++) {
        c[k] += q_b ? q_b[k] : 0.0;
        point->point_a[k] += q_a[k];
        d[k] = point->point_a[k] - c[k];
    }
    double length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    for (int k = 0; k < 3; k++) {
        point->normal[k] = d[k] / length;
        point->point_b[k] = c[k] + radius * point->normal[k];
    }
    point->gap = length > z[1] ? (double)INFINITY : length - radius;
    return 0;
}

static int ball_rate(double *out, double t, const double *x, const double *lambda, const double *z,
                     void *user)
{
    perp_contact_point point;
    (void)lambda;
    over_ball(&point, t, x, NULL, z, user);
    out[0] = -z[0] * point.normal[1];
    out[1] = 0.25;
    out[2] = t;
    return 0;
}

static perp_relation ball_contact(int rows, int moves, const double *z)
{
    perp_relation r = {.size = sizeof r, .kind = PERP_RELATION_CONTACT, .rows = rows};
    r.contact = over_ball;
    r.h_t = moves ? ball_rate : NULL;
    r.z = z;
    r.nz = 2;
    return r;
}

START_TEST(gaps_change_by_their_gradients)
{
    perp_rng rng = {26};
    for (int trial = 0; trial < TRIALS; trial++) {
        int rows = trial % 3 ? 3 : 1, moves = trial % 4 == 0;
        double z[2] = {moves ? 0.7 : 0.0, 1e3}, H[3 * MOST_NV];
        perp_law law = rows == 3 ? perp_law_friction(3, 0.5, 0.3) : perp_law_impact(0.5);
        scene s = case_scene(trial % 2 ? CAST_TWO_BODIES : CAST_BODY, &rng);
        perp_relation r = ball_contact(rows, moves, z);
        perp_link *link = case_link(&s, &r, &law);
        outcome o;
        mean_step_begin(&s, &rng, 1.5);
        mean_step_move(&s, 1.0);
        take(&o, link, 0.4, 1.0, NULL);
        assert_identity(&o, link, 1.0, rows, trial);
        const double *x = perp_link_gather_x(link, PERP_GUESS);
        ck_assert_int_eq(perp_link_jacobian(H, link, 0.9, x, NULL), 0);
        for (int j = 0; j < link->nv; j++)
            for (int i = 1; i < rows; i++)
                ck_assert(o.G[i + rows * j] == H[i + rows * j]);
        for (int j = 0; j < 3 && s.count == 2; j++)
            ck_assert(o.G[rows * j] == -o.G[rows * (6 + j)]);
        ck_assert(rows == 1 || o.drift[1] == (moves ? 0.25 : 0.0));
        ck_assert(rows == 1 || o.drift[2] == (moves ? 0.9 : 0.0));
        case_free(&s);
    }
}
END_TEST

START_TEST(gaps_without_an_end_keep_their_jacobian)
{
    perp_rng rng = {27};
    for (int moves = 0; moves < 2; moves++) {
        double z[2] = {0.7 * moves, 1.5}, H[3 * MOST_NV], h_t[3];
        perp_law law = perp_law_friction(3, 0.5, 0.3);
        scene s = case_scene(CAST_BODY, &rng);
        perp_relation r = ball_contact(3, moves, z);
        perp_link *link = case_link(&s, &r, &law);
        double *q = s.systems[0]->q[PERP_NOW];
        outcome o;
        memset(q, 0, 7 * sizeof *q);
        q[3] = 1.0;
        mean_step_begin(&s, &rng, 0.1);
        s.systems[0]->v[PERP_GUESS][0] = 3.0;
        mean_step_move(&s, 1.0);
        take(&o, link, 0.0, 1.0, NULL);
        ck_assert(isfinite(o.y0[0]) && isinf(o.y1[0]));
        const double *x = perp_link_gather_x(link, PERP_GUESS);
        ck_assert_int_eq(perp_link_jacobian(H, link, 0.5, x, NULL), 0);
        ck_assert_int_eq(perp_link_drift(h_t, link, 0.5, x, NULL), 0);
        ck_assert_mem_eq(H, o.G, 18 * sizeof(double));
        ck_assert_mem_eq(h_t, o.drift, sizeof h_t);
        case_free(&s);
    }
}
END_TEST

/* A mismatch of rounding is not divided by a motion of its own size: G stays near H. */
START_TEST(small_motions_do_not_amplify_rounding)
{
    perp_rng rng = {28};
    for (int trial = 0; trial < TRIALS; trial++) {
        double z[2] = {0.0, 1e9}, speed = pow(10.0, -1.0 - 0.07 * trial);
        perp_law law = perp_law_impact(0.5);
        scene s = case_scene(CAST_TWO_BODIES, &rng);
        perp_relation r = ball_contact(1, 0, z);
        perp_link *link = case_link(&s, &r, &law);
        for (int k = 0; k < 2; k++)
            s.systems[k]->q[PERP_NOW][0] += 1e3;
        mean_step_begin(&s, &rng, speed);
        mean_step_move(&s, 1.0);
        double away = distance_to_jacobian(link, 0.0, 1.0, NULL);
        ck_assert_msg(away <= 40.0 * speed * speed + 1e-12, "speed %g: %g", speed, away);
        case_free(&s);
    }
}
END_TEST

/* A detection that finds each gap to 1e-7 only. */
static int coarse_gap(perp_contact_point *point, double t, const double *q_a, const double *q_b,
                      const double *z, void *user)
{
    int refused = over_ball(point, t, q_a, q_b, z, NULL), *calls = user;
    point->gap += (++*calls / 2 % 2 ? 1e-7 : -1e-7);
    return refused;
}

START_TEST(noise_of_a_detection_does_not_turn_the_force)
{
    perp_rng rng = {30};
    for (int trial = 0; trial < 40; trial++) {
        double z[2] = {0.0, 1e9};
        int calls = 0;
        perp_law law = perp_law_friction(3, 0.0, 0.5);
        scene s = case_scene(trial % 2 ? CAST_TWO_BODIES : CAST_BODY, &rng);
        perp_relation r = ball_contact(3, 0, z);
        r.contact = coarse_gap;
        r.user = &calls;
        perp_link *link = case_link(&s, &r, &law);
        mean_step_begin(&s, &rng, pow(10.0, -8.0 - 0.2 * trial));
        mean_step_move(&s, 1e-2);
        ck_assert_double_le(distance_to_jacobian(link, 0.0, 1e-2, NULL), 1e-12);
        case_free(&s);
    }
}
END_TEST

START_TEST(means_of_a_turn)
{
    perp_rng rng = {29};
    for (int trial = 0; trial < 400; trial++) {
        double angle = trial < 100 ? pow(10.0, -8.0 + 0.08 * trial) : 0.0315 * (trial - 99);
        double q[7] = {0.0}, v[6] = {0.0}, q_m[7], q_1[7], R0[9], R_m[9], R1[9], P[9], T[42];
        double *w = v + 3, norm;
        case_quaternion(&rng, q + 3);
        case_fill(&rng, w, 3);
        norm = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
        for (int k = 0; k < 3; k++)
            w[k] *= angle / norm;
        perp_body_move(q, v, 0.5, q_m);
        perp_body_move(q, v, 1.0, q_1);
        perp_quaternion_matrix(q + 3, R0);
        perp_quaternion_matrix(q_m + 3, R_m);
        perp_quaternion_matrix(q_1 + 3, R1);
        perp_turn_mean(P, R_m, w);
        double kappa = angle > 1e-3 ? tan(0.5 * angle) / (0.5 * angle) : 1.0 + angle * angle / 12;
        perp_body_rates(q_m, T);
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++) {
                /* Column k of P skew(w), then P across the axis by the pole of tan. */
                int a = (k + 1) % 3, b = (k + 2) % 3;
                double moved = P[i + 3 * a] * w[b] - P[i + 3 * b] * w[a];
                ck_assert_double_eq_tol(moved, R1[i + 3 * k] - R0[i + 3 * k],
                                        2e-15 + 1e-16 * angle);
                double across = 0.5 * kappa *
                                ((R0[i + 3 * a] + R1[i + 3 * a]) * w[b] -
                                 (R0[i + 3 * b] + R1[i + 3 * b]) * w[a]);
                ck_assert_double_eq_tol(moved, across, 4e-15 * (1.0 + angle) * (1.0 + fabs(kappa)));
            }
        for (int i = 3; i < 7; i++) {
            double moved = 0.0;
            for (int k = 3; k < 6; k++)
                moved += perp_sinc(angle * angle / 16.0) * T[i + 7 * k] * v[k];
            ck_assert_double_eq_tol(moved, q_1[i] - q[i], 2e-15 + 1e-16 * angle);
        }
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("discrete_gradient");
    TCase *tests = tcase_create("core");
    tcase_add_test(tests, joints_change_by_their_gradients);
    tcase_add_test(tests, gradients_of_joints_are_second_order);
    tcase_add_test(tests, linear_relations_have_their_matrix);
    tcase_add_test(tests, smooth_relations_change_by_their_gradients);
    tcase_add_test(tests, corrections_are_in_the_metric_of_the_masses);
    tcase_add_test(tests, rest_leaves_the_drift);
    tcase_add_test(tests, gaps_change_by_their_gradients);
    tcase_add_test(tests, gaps_without_an_end_keep_their_jacobian);
    tcase_add_test(tests, small_motions_do_not_amplify_rounding);
    tcase_add_test(tests, noise_of_a_detection_does_not_turn_the_force);
    tcase_add_test(tests, means_of_a_turn);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
