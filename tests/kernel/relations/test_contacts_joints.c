/* SPDX-License-Identifier: BSD-3-Clause */
/* CONTACT and JOINT: Jacobians against motions, frames, invariance, rank. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perp/rotation.h>

#include "tests/fixtures/relation_cases.h"

enum { TRIALS = 100, JOINTS = PERP_JOINT_PLANAR + 1 };

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* dy/dx along the velocities by central differences. */
static void slope(double *J, const scene *s, perp_link *link, double t, const double *x)
{
    const double step = 1e-5;
    double to[CASE_MOST], up[6], down[6];
    for (int j = 0; j < link->nv; j++) {
        case_move(to, s, x, j, step);
        ck_assert_int_eq(perp_link_output(up, link, t, to, NULL), 0);
        case_move(to, s, x, j, -step);
        ck_assert_int_eq(perp_link_output(down, link, t, to, NULL), 0);
        for (int i = 0; i < link->rows; i++)
            J[i + j * link->rows] = (up[i] - down[i]) / (2.0 * step);
    }
}

static void assert_matrix(const double *a, const double *b, int count, double tol, int kind)
{
    for (int k = 0; k < count; k++)
        ck_assert_msg(fabs(a[k] - b[k]) <= tol, "kind %d, entry %d: %.17g, %.17g", kind, k, a[k],
                      b[k]);
}

static void check_power(perp_link *link, perp_rng *rng, const double *x)
{
    double lambda[6], p[12], H[72], u[6], power = 0.0, rate = 0.0;
    const double *V = perp_link_gather_v(link, PERP_NOW);
    case_fill(rng, lambda, link->rows);
    ck_assert_int_eq(perp_link_input(p, link, 0.0, x, lambda), 0);
    ck_assert_int_eq(perp_link_jacobian(H, link, 0.0, x, lambda), 0);
    perp_link_rate(u, link, H, V, NULL);
    for (int i = 0; i < link->rows; i++)
        rate += lambda[i] * u[i];
    for (int j = 0; j < link->nv; j++)
        power += p[j] * V[j];
    ck_assert_double_eq_tol(rate, power, 1e-13 * (1.0 + fabs(rate)));
}

/* Smallest pivot of H H' under symmetric pivoting. */
static double smallest_pivot(const double *H, int rows, int nv)
{
    double G[36], smallest = INFINITY;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < rows; j++) {
            G[i + 6 * j] = 0.0;
            for (int k = 0; k < nv; k++)
                G[i + 6 * j] += H[i + k * rows] * H[j + k * rows];
        }
    for (int k = 0; k < rows; k++) {
        smallest = fmin(smallest, G[k + 6 * k]);
        for (int i = k + 1; i < rows; i++)
            for (int j = k + 1; j < rows; j++)
                G[i + 6 * j] -= G[i + 6 * k] * G[k + 6 * j] / G[k + 6 * k];
    }
    return smallest;
}

static perp_relation random_joint(perp_joint joint, perp_rng *rng)
{
    perp_relation r = {.size = sizeof r, .kind = PERP_RELATION_JOINT, .joint = joint};
    r.rows = perp_joint_rows(joint);
    case_fill(rng, r.anchor, 3);
    case_fill(rng, r.anchor_b, 3);
    case_fill(rng, r.axis, 3);
    case_fill(rng, r.axis_b, 3);
    return r;
}

/* States that turn by up to `angle` and shift away from where the joint was made. */
static void disturb(scene *s, perp_rng *rng, double angle)
{
    for (int k = 0; k < s->count; k++) {
        double v[6], *q = s->systems[k]->q[PERP_NOW];
        case_fill(rng, v, 6);
        perp_body_move(q, v, angle, q);
    }
}

START_TEST(joints_start_closed_with_full_rank)
{
    perp_rng rng = {11};
    perp_law law = perp_law_equality();
    for (int joint = 0; joint < JOINTS; joint++)
        for (int trial = 0; trial < TRIALS; trial++) {
            scene s = case_scene(trial % 2 ? CAST_BODY : CAST_TWO_BODIES, &rng);
            perp_relation r = random_joint((perp_joint)joint, &rng);
            perp_link *link = case_link(&s, &r, &law);
            double y[6], H[72], J[72], x[CASE_MOST];
            memcpy(x, perp_link_gather_x(link, PERP_NOW), (size_t)s.N * sizeof(double));
            ck_assert_int_eq(perp_link_output(y, link, 0.0, x, NULL), 0);
            for (int i = 0; i < r.rows; i++)
                ck_assert_double_eq_tol(y[i], 0.0, 1e-14);
            ck_assert_int_eq(perp_link_jacobian(H, link, 0.0, x, NULL), 0);
            ck_assert_double_gt(smallest_pivot(H, r.rows, s.nv), 1e-3);
            slope(J, &s, link, 0.0, x);
            assert_matrix(H, J, r.rows * s.nv, 1e-8, joint);
            case_free(&s);
        }
}
END_TEST

START_TEST(joints_have_their_jacobians_anywhere)
{
    perp_rng rng = {12};
    perp_law law = perp_law_equality();
    for (int joint = 0; joint < JOINTS; joint++)
        for (int trial = 0; trial < TRIALS; trial++) {
            scene s = case_scene(trial % 2 ? CAST_BODY : CAST_TWO_BODIES, &rng);
            perp_relation r = random_joint((perp_joint)joint, &rng);
            perp_link *link = case_link(&s, &r, &law);
            double y[6], z[6], H[72], J[72], x[CASE_MOST];
            disturb(&s, &rng, 0.7);
            memcpy(x, perp_link_gather_x(link, PERP_NOW), (size_t)s.N * sizeof(double));
            ck_assert_int_eq(perp_link_evaluate(y, H, link, 0.0, x, NULL), 0);
            slope(J, &s, link, 0.0, x);
            assert_matrix(H, J, r.rows * s.nv, 2e-8, joint);
            check_power(link, &rng, x);
            /* Both signs of a quaternion are one rotation. */
            for (int k = 3; k < 7; k++)
                x[k] = -x[k];
            ck_assert_int_eq(perp_link_output(z, link, 0.0, x, NULL), 0);
            assert_matrix(y, z, r.rows, 1e-14, joint);
            case_free(&s);
        }
}
END_TEST

/* A rigid motion of both bodies leaves y as it is; the rows in the inertial frame turn with it. */
START_TEST(joints_do_not_see_rigid_motions)
{
    perp_rng rng = {13};
    perp_law law = perp_law_equality();
    for (int joint = 0; joint < JOINTS; joint++)
        for (int trial = 0; trial < TRIALS; trial++) {
            scene s = case_scene(CAST_TWO_BODIES, &rng);
            perp_relation r = random_joint((perp_joint)joint, &rng);
            perp_link *link = case_link(&s, &r, &law);
            double y[6], z[6], x[14], turn[4], shift[3];
            disturb(&s, &rng, 0.5);
            memcpy(x, perp_link_gather_x(link, PERP_NOW), sizeof x);
            ck_assert_int_eq(perp_link_output(y, link, 0.0, x, NULL), 0);
            case_quaternion(&rng, turn);
            case_fill(&rng, shift, 3);
            for (int k = 0; k < 2; k++) {
                double *q = x + 7 * k;
                perp_quaternion_rotate(turn, q, q);
                for (int i = 0; i < 3; i++)
                    q[i] += shift[i];
                perp_quaternion_product(turn, q + 3, q + 3);
            }
            ck_assert_int_eq(perp_link_output(z, link, 0.0, x, NULL), 0);
            if (joint == PERP_JOINT_POINT || joint == PERP_JOINT_PIVOT ||
                joint == PERP_JOINT_FIXED || joint == PERP_JOINT_UNIVERSAL)
                perp_quaternion_rotate(turn, y, y);
            assert_matrix(y, z, r.rows, 1e-13, joint);
            case_free(&s);
        }
}
END_TEST

/* What a joint lets free costs nothing: turning about the pivot, sliding, turning the knee. */
START_TEST(joints_leave_their_motions_free)
{
    perp_rng rng = {14};
    perp_law law = perp_law_equality();
    for (int trial = 0; trial < TRIALS; trial++) {
        static const perp_joint joints[] = {PERP_JOINT_PIVOT, PERP_JOINT_PRISMATIC,
                                            PERP_JOINT_CYLINDRICAL, PERP_JOINT_UNIVERSAL};
        for (int which = 0; which < 4; which++) {
            perp_joint joint = joints[which];
            scene s = case_scene(trial % 2 ? CAST_BODY : CAST_TWO_BODIES, &rng);
            perp_relation r = random_joint((perp_joint)joint, &rng);
            perp_link *link = case_link(&s, &r, &law);
            double *q = s.systems[0]->q[PERP_NOW], y[6], norm = sqrt(dot(r.axis, r.axis));
            double amount = case_uniform(&rng), axis[3], arm[3], turn[4], half = amount / 2.0;
            for (int k = 0; k < 3; k++)
                axis[k] = r.axis[k] / norm;
            if (joint == PERP_JOINT_PRISMATIC) {
                for (int k = 0; k < 3; k++)
                    q[k] += amount * axis[k];
            } else {
                for (int k = 0; k < 3; k++) {
                    arm[k] = q[k] - r.anchor[k];
                    turn[1 + k] = sin(half) * axis[k];
                }
                turn[0] = cos(half);
                perp_quaternion_rotate(turn, arm, arm);
                perp_quaternion_product(turn, q + 3, q + 3);
                for (int k = 0; k < 3; k++)
                    q[k] = r.anchor[k] + arm[k];
            }
            const double *x = perp_link_gather_x(link, PERP_NOW);
            ck_assert_int_eq(perp_link_output(y, link, 0.0, x, NULL), 0);
            for (int i = 0; i < r.rows; i++)
                ck_assert_double_eq_tol(y[i], 0.0, 1e-13);
            case_free(&s);
        }
    }
}
END_TEST

/* y = x + R(Q) r - anchor and H = [I, -R skew(r)] of a knee on the world. */
START_TEST(a_knee_on_the_world_is_its_formula)
{
    perp_rng rng = {15};
    perp_law law = perp_law_equality();
    for (int trial = 0; trial < TRIALS; trial++) {
        scene s = case_scene(CAST_BODY, &rng);
        perp_relation r = random_joint(PERP_JOINT_POINT, &rng);
        double *q = s.systems[0]->q[PERP_NOW], arm[3], body[3], R[9], y[3], H[18], expected[18];
        for (int k = 0; k < 3; k++)
            arm[k] = r.anchor[k] - q[k];
        perp_quaternion_rotate_back(q + 3, arm, body);
        perp_link *link = case_link(&s, &r, &law);
        disturb(&s, &rng, 2.0);
        const double *x = perp_link_gather_x(link, PERP_NOW);
        ck_assert_int_eq(perp_link_evaluate(y, H, link, 0.0, x, NULL), 0);
        perp_quaternion_rotate(q + 3, body, arm);
        for (int k = 0; k < 3; k++)
            ck_assert_double_eq_tol(y[k], q[k] + arm[k] - r.anchor[k], 1e-14);
        double skew[9] = {0.0, body[2], -body[1], -body[2], 0.0, body[0], body[1], -body[0], 0.0};
        perp_quaternion_matrix(q + 3, R);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                expected[i + 3 * j] = i == j;
                expected[i + 3 * (3 + j)] = 0.0;
                for (int k = 0; k < 3; k++)
                    expected[i + 3 * (3 + j)] -= R[i + 3 * k] * skew[k + 3 * j];
            }
        assert_matrix(H, expected, 18, 1e-14, -1);
        ck_assert_int_eq(link->symmetric, 1);
        ck_assert_ptr_null(link->right);
        case_free(&s);
    }
}
END_TEST

/* Spheres of radius 0.3 and 0.2, or a sphere over a plane that rises with speed z[0]. */
typedef struct spheres {
    double normal[3]; /* of the plane */
    int calls;
} spheres;

static int touch(perp_contact_point *point, double t, const double *q_a, const double *q_b,
                 const double *z, void *user)
{
    spheres *sp = user;
    double *n = point->normal, d[3], length = 0.0;
    sp->calls++;
    memcpy(n, sp->normal, sizeof sp->normal);
    if (q_b) {
        for (int k = 0; k < 3; k++)
            d[k] = q_a[k] - q_b[k];
        length = sqrt(dot(d, d));
        for (int k = 0; k < 3; k++)
            n[k] = d[k] / length;
    }
    point->gap = q_b ? length - 0.5 : dot(n, q_a) - 0.3 - t * z[0];
    for (int k = 0; k < 3; k++) {
        point->point_a[k] = q_a[k] - 0.3 * n[k];
        point->point_b[k] = q_b ? q_b[k] + 0.2 * n[k] : point->point_a[k] - point->gap * n[k];
    }
    return 0;
}

static int rising(double *out, double t, const double *x, const double *lambda, const double *z,
                  void *user)
{
    (void)t;
    (void)x;
    (void)lambda;
    (void)user;
    out[0] = -z[0];
    out[1] = out[2] = 0.0;
    return 0;
}

static void unit(perp_rng *rng, double *n)
{
    double q[4], x[3] = {1.0, 0.0, 0.0};
    case_quaternion(rng, q);
    perp_quaternion_rotate(q, x, n);
}

START_TEST(gaps_have_their_jacobian)
{
    perp_rng rng = {16};
    perp_law laws[2] = {perp_law_impact(0.5), perp_law_friction(3, 0.5, 0.3)};
    for (int trial = 0; trial < TRIALS; trial++) {
        scene s = case_scene(trial % 2 ? CAST_BODY : CAST_TWO_BODIES, &rng);
        spheres user = {.calls = 0};
        double z = 0.4, y[3], again[3], H[36], J[36], drift[3], x[CASE_MOST];
        int rows = trial % 4 < 2 ? 1 : 3;
        unit(&rng, user.normal);
        perp_relation r = {
            .size = sizeof r, .kind = PERP_RELATION_CONTACT, .rows = rows, .contact = touch};
        r.z = &z;
        r.nz = 1;
        r.user = &user;
        r.h_t = rows == 3 && s.count == 1 ? rising : NULL;
        perp_link *link = case_link(&s, &r, &laws[rows == 3]);
        ck_assert_ptr_null(link->right);
        memcpy(x, perp_link_gather_x(link, PERP_NOW), (size_t)s.N * sizeof(double));
        ck_assert_int_eq(perp_link_evaluate(y, H, link, 0.6, x, NULL), 0);
        ck_assert_int_eq(user.calls, 1);
        slope(J, &s, link, 0.6, x);
        for (int j = 0; j < s.nv; j++)
            ck_assert_double_eq_tol(H[j * rows], J[j * rows], 1e-8);
        for (int i = 1; i < rows; i++)
            ck_assert_double_eq(y[i], 0.0);
        ck_assert_int_eq(perp_link_output(again, link, 0.6, x, NULL), 0);
        ck_assert_int_eq(perp_link_jacobian(J, link, 0.6, x, NULL), 0);
        assert_matrix(y, again, rows, 0.0, rows);
        assert_matrix(H, J, rows * s.nv, 0.0, rows);
        check_power(link, &rng, x);
        ck_assert_int_eq(perp_link_drift(drift, link, 0.6, x, NULL), 0);
        ck_assert_double_eq(drift[0], r.h_t ? -z : 0.0);
        case_free(&s);
    }
}
END_TEST

/* Points anywhere: the rows are the velocity of the one material point against the other. */
static int given_point(perp_contact_point *point, double t, const double *q_a, const double *q_b,
                       const double *z, void *user)
{
    (void)t;
    (void)q_a;
    (void)q_b;
    (void)z;
    *point = *(const perp_contact_point *)user;
    return 0;
}

/* Material point of a body that is at `point` when the body is at q, after it moved to `to`. */
static void carry(double *out, const double *point, const double *q, const double *to)
{
    double arm[3] = {point[0] - q[0], point[1] - q[1], point[2] - q[2]};
    perp_quaternion_rotate_back(q + 3, arm, arm);
    perp_quaternion_rotate(to + 3, arm, out);
    for (int k = 0; k < 3; k++)
        out[k] += to[k];
}

START_TEST(contact_rows_are_velocities_of_points)
{
    perp_rng rng = {17};
    perp_law law = perp_law_friction(3, 0.0, 0.3);
    const double step = 1e-5;
    for (int trial = 0; trial < TRIALS; trial++) {
        scene s = case_scene(CAST_TWO_BODIES, &rng);
        perp_contact_point point = {.gap = 0.1};
        unit(&rng, point.normal);
        case_fill(&rng, point.point_a, 3);
        case_fill(&rng, point.point_b, 3);
        perp_relation r = {
            .size = sizeof r, .kind = PERP_RELATION_CONTACT, .rows = 3, .contact = given_point};
        r.user = &point;
        perp_link *link = case_link(&s, &r, &law);
        double H[36], x[14], up[14], down[14], a[2][3], b[2][3], speed[3];
        memcpy(x, perp_link_gather_x(link, PERP_NOW), sizeof x);
        ck_assert_int_eq(perp_link_jacobian(H, link, 0.0, x, NULL), 0);
        for (int j = 0; j < 12; j++) {
            case_move(up, &s, x, j, step);
            case_move(down, &s, x, j, -step);
            carry(a[0], point.point_a, x, up);
            carry(a[1], point.point_a, x, down);
            carry(b[0], point.point_b, x + 7, up + 7);
            carry(b[1], point.point_b, x + 7, down + 7);
            for (int k = 0; k < 3; k++)
                speed[k] = (a[0][k] - a[1][k] - b[0][k] + b[1][k]) / (2.0 * step);
            for (int i = 0; i < 3; i++) {
                double axis[3] = {H[i], H[i + 3], H[i + 6]};
                ck_assert_double_eq_tol(H[i + 3 * j], dot(axis, speed), 1e-9);
            }
        }
        case_free(&s);
    }
}
END_TEST

/* The frame that a normal gives: rows of H on the velocity of the first body. */
static void frame_of(double frame[9], perp_link *link, perp_contact_point *point, const double *n)
{
    double H[18], q[7] = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0};
    memcpy(point->normal, n, sizeof point->normal);
    ck_assert_int_eq(perp_link_jacobian(H, link, 0.0, q, NULL), 0);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            frame[3 * i + k] = H[i + 3 * k];
}

START_TEST(frames_are_orthonormal_and_steady)
{
    perp_rng rng = {18};
    perp_law law = perp_law_friction(3, 0.0, 0.3);
    scene s = case_scene(CAST_BODY, &rng);
    perp_contact_point point = {.gap = 0.0};
    perp_relation r = {
        .size = sizeof r, .kind = PERP_RELATION_CONTACT, .rows = 3, .contact = given_point};
    r.user = &point;
    perp_link *link = case_link(&s, &r, &law);
    for (int trial = 0; trial < 1000; trial++) {
        double n[3] = {0.0}, near[3], frame[9], other[9], cross[3], length = 0.0;
        if (trial < 6)
            n[trial / 2] = trial % 2 ? -1.0 : 1.0;
        else
            unit(&rng, n);
        if (fabs(fabs(n[0]) - 0.8) < 1e-7)
            continue; /* where the choice of the tangent changes */
        frame_of(frame, link, &point, n);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                ck_assert_double_eq_tol(dot(frame + 3 * i, frame + 3 * j), i == j, 1e-14);
        for (int k = 0; k < 3; k++) {
            ck_assert_double_eq(frame[k], n[k]);
            int a = (k + 1) % 3, b = (k + 2) % 3;
            cross[k] = n[a] * frame[3 + b] - n[b] * frame[3 + a];
        }
        for (int k = 0; k < 3; k++)
            ck_assert_double_eq_tol(frame[6 + k], cross[k], 1e-15);
        for (int k = 0; k < 3; k++) {
            near[k] = n[k] + 1e-9 * case_uniform(&rng);
            length += near[k] * near[k];
        }
        for (int k = 0; k < 3; k++)
            near[k] /= sqrt(length);
        frame_of(other, link, &point, near);
        for (int k = 0; k < 9; k++)
            ck_assert_double_eq_tol(frame[k], other[k], 1e-8);
    }
    case_free(&s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("contacts and joints");
    TCase *tcase = tcase_create("contacts and joints");
    tcase_add_test(tcase, joints_start_closed_with_full_rank);
    tcase_add_test(tcase, joints_have_their_jacobians_anywhere);
    tcase_add_test(tcase, joints_do_not_see_rigid_motions);
    tcase_add_test(tcase, joints_leave_their_motions_free);
    tcase_add_test(tcase, a_knee_on_the_world_is_its_formula);
    tcase_add_test(tcase, gaps_have_their_jacobian);
    tcase_add_test(tcase, contact_rows_are_velocities_of_points);
    tcase_add_test(tcase, frames_are_orthonormal_and_steady);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
