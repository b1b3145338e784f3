/* SPDX-License-Identifier: BSD-3-Clause */
/* The narrow phase of libode, and that of the collider: gaps and points of boxes, capsules and
 * meshes against closed forms, before the shapes overlap and after. */
#include "tests/fixtures/collide_scene.h"

#include <perp/narrow_phase.h>

enum { MOST_POINTS = 32 };

typedef struct pairing {
    scene s;
    perp_narrow_phase narrow;
} pairing;

static const double cube_vertices[24] = {-1, -1, -1, 1, -1, -1, -1, 1, -1, 1, 1, -1,
                                         -1, -1, 1,  1, -1, 1,  -1, 1, 1,  1, 1, 1};
static const int cube_triangles[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                       2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};

/* own: 1 without a narrow phase of ODE. */
static void open_pairing_of(pairing *p, double margin, int own)
{
    open_scene(&p->s, 2);
    memset(&p->narrow, 0, sizeof p->narrow);
    if (!own) {
        ck_assert_int_eq(perp_narrow_phase_create(&p->narrow, NULL), PERP_SOLVED);
        ck_assert_int_eq(perp_collider_set_narrow_phase(p->s.collider, &p->narrow), PERP_SOLVED);
    }
    perp_collider_set_margin(p->s.collider, margin);
}

#define open_pairing(p, margin) open_pairing_of(p, margin, _i)

static void close_pairing(pairing *p)
{
    close_scene(&p->s);
    perp_narrow_phase_destroy(&p->narrow);
}

static void add(pairing *p, int i, const perp_shape_def *shape, const double *at,
                const double *rotation)
{
    perp_shape_def def = *shape;
    p->s.bodies[i] = add_body(p->s.model, at, rotation);
    def.body = p->s.bodies[i];
    ck_assert_int_eq(perp_collider_add(p->s.collider, &def, NULL, NULL), PERP_SOLVED);
}

static int list(pairing *p, perp_contact_info *info)
{
    detect(&p->s, 0.0);
    int n = perp_collider_contacts(p->s.collider);
    ck_assert_int_le(n, MOST_POINTS);
    for (int k = 0; k < n; k++) {
        info[k].size = sizeof info[k];
        perp_collider_contact(p->s.collider, k, &info[k]);
        check_jacobian(&p->s, k, 1e-7);
    }
    return n;
}

static perp_shape_def shape(perp_shape_kind kind, double radius, double x, double y, double z)
{
    perp_shape_def def;
    perp_shape_def_init(&def, sizeof def);
    def.kind = kind;
    def.radius = radius;
    def.half[0] = x;
    def.half[1] = y;
    def.half[2] = z;
    def.vertices = cube_vertices;
    def.nvertices = 8;
    def.triangles = cube_triangles;
    def.ntriangles = 12;
    return def;
}

/* Nearest point of a box or a segment of the z axis to x, in their frame. */
static void nearest(double *out, const perp_shape_def *def, const double *x)
{
    for (int k = 0; k < 3; k++) {
        double half = def->kind == PERP_SHAPE_MESH                ? 1.0
                      : def->kind == PERP_SHAPE_CAPSULE && k != 2 ? 0.0
                                                                  : def->half[k];
        out[k] = fmax(-half, fmin(half, x[k]));
    }
}

/* A sphere at random places outside of a box, a capsule or a cube of triangles. */
START_TEST(spheres_near_solids)
{
    perp_rng rng = {5};
    perp_contact_info info[MOST_POINTS];
    perp_shape_def ball = shape(PERP_SHAPE_SPHERE, 0.2, 1, 1, 1);
    perp_shape_def solids[] = {shape(PERP_SHAPE_BOX, 0, 0.5, 0.7, 0.9),
                               shape(PERP_SHAPE_CAPSULE, 0.3, 1, 1, 0.8),
                               shape(PERP_SHAPE_MESH, 0, 1, 1, 1)};
    for (int round = 0; round < 120; round++) {
        pairing p;
        const perp_shape_def *solid = &solids[round % 3];
        double turn[3], at[3], x[3], foot[3], n[3], square = 0.0;
        double radius = solid->kind == PERP_SHAPE_CAPSULE ? solid->radius : 0.0;
        for (int k = 0; k < 3; k++) {
            turn[k] = between(&rng, -2, 2);
            at[k] = between(&rng, -3, 3);
            x[k] = between(&rng, -2, 2);
        }
        nearest(foot, solid, x);
        for (int k = 0; k < 3; k++)
            square += (x[k] - foot[k]) * (x[k] - foot[k]);
        if (square < 1e-4)
            continue;
        double gap = between(&rng, -0.05, 0.05);
        for (int k = 0; k < 3; k++) {
            n[k] = (x[k] - foot[k]) / sqrt(square);
            x[k] = foot[k] + (0.2 + radius + gap) * n[k];
        }
        double q[7] = {at[0], at[1], at[2]}, out[3];
        perp_quaternion_exp(turn, q + 3);
        perp_contact_outside(out, q, 0, x);
        perp_quaternion_rotate(q + 3, n, n);
        open_pairing(&p, 0.06);
        add(&p, round % 2, solid, at, turn);
        add(&p, 1 - round % 2, &ball, out, NULL);
        int count = list(&p, info);
        ck_assert_int_eq(count, 1);
        ck_assert_double_eq_tol(info[0].point.gap, gap, 1e-6);
        for (int k = 0; k < 3; k++) {
            ck_assert_double_eq_tol(info[0].point.normal[k], -n[k], 1e-6);
            ck_assert_double_eq_tol(info[0].point.point_b[k], out[k] - 0.2 * n[k], 1e-6);
        }
        close_pairing(&p);
    }
}
END_TEST

/* One box above another, turned about the vertical: vertices of the face that they share. */
START_TEST(a_box_on_a_box)
{
    perp_contact_info info[MOST_POINTS];
    perp_shape_def small = shape(PERP_SHAPE_BOX, 0, 0.5, 0.4, 0.3);
    perp_shape_def large = shape(PERP_SHAPE_BOX, 0, 2, 2, 0.5);
    double gaps[] = {-0.01, 0.0, 0.01, 0.04};
    for (int round = 0; round < 8; round++) {
        pairing p;
        double gap = gaps[round / 2], turn[3] = {0, 0, 0.3 * (round % 2)};
        double low[3] = {0.1, 0.2, 0}, high[3] = {0.2, 0.1, 0.8 + gap};
        open_pairing(&p, 0.05);
        add(&p, 0, &small, high, turn);
        add(&p, 1, &large, low, NULL);
        ck_assert_int_eq(list(&p, info), 4);
        for (int k = 0; k < 4; k++) {
            double q[7] = {high[0], high[1], high[2]}, local[3];
            perp_quaternion_exp(turn, q + 3);
            perp_contact_inside(local, q, 0, info[k].point.point_a);
            ck_assert_double_eq_tol(info[k].point.gap, gap, 1e-12);
            ck_assert_double_eq_tol(info[k].point.normal[2], 1.0, 1e-12);
            ck_assert_double_eq_tol(fabs(local[0]), 0.5, 1e-9);
            ck_assert_double_eq_tol(fabs(local[1]), 0.4, 1e-9);
        }
        close_pairing(&p);
    }
}
END_TEST

/* Boxes whose enlarged corners overlap though the boxes would pass each other. */
START_TEST(boxes_that_pass_each_other)
{
    perp_contact_info info[MOST_POINTS];
    perp_shape_def box = shape(PERP_SHAPE_BOX, 0, 0.5, 0.5, 0.5);
    pairing p;
    double origin[3] = {0, 0, 0}, aside[3] = {1.04, 1.02, 0.1};
    open_pairing(&p, 0.05);
    add(&p, 0, &box, origin, NULL);
    add(&p, 1, &box, aside, NULL);
    /* The corners are nearer than the margin: the own narrow phase knows their true distance. */
    int count = list(&p, info);
    ck_assert_int_eq(count, _i ? 2 : 0);
    for (int k = 0; k < count; k++)
        ck_assert_double_eq_tol(info[k].point.gap, hypot(0.04, 0.02), 1e-12);
    close_pairing(&p);
}
END_TEST

/* An edge over an edge, at right angles: one point, with the gap between the edges. */
START_TEST(edges_that_cross)
{
    perp_contact_info info[MOST_POINTS];
    perp_shape_def box = shape(PERP_SHAPE_BOX, 0, 0.5, 0.5, 0.5);
    double quarter = acos(-1.0) / 4.0, root = sqrt(0.5);
    for (int round = 0; round < 2; round++) {
        pairing p;
        double gap = round ? 0.02 : -0.02, low[3] = {0, 0, 0}, high[3] = {0.1, -0.1, 0};
        double turn_low[3] = {quarter, 0, 0}, turn_high[3] = {0, quarter, 0};
        high[2] = 2.0 * root + gap;
        open_pairing(&p, 0.05);
        add(&p, 0, &box, high, turn_high);
        add(&p, 1, &box, low, turn_low);
        ck_assert_int_eq(list(&p, info), 1);
        ck_assert_double_eq_tol(info[0].point.gap, gap, 1e-9);
        ck_assert_double_eq_tol(info[0].point.normal[2], 1.0, 1e-9);
        if (round) {
            ck_assert_double_eq_tol(info[0].point.point_b[0], 0.1, 1e-9);
            ck_assert_double_eq_tol(info[0].point.point_b[1], 0.0, 1e-9);
        }
        close_pairing(&p);
    }
}
END_TEST

/* A capsule that lies on a box, a cube of triangles and another capsule. */
START_TEST(a_capsule_that_lies)
{
    perp_contact_info info[MOST_POINTS];
    perp_shape_def capsule = shape(PERP_SHAPE_CAPSULE, 0.2, 1, 1, 0.6);
    perp_shape_def under[] = {shape(PERP_SHAPE_BOX, 0, 1, 1, 1), shape(PERP_SHAPE_MESH, 0, 1, 1, 1),
                              shape(PERP_SHAPE_CAPSULE, 1.0, 1, 1, 2)};
    double lying[3] = {0, acos(-1.0) / 2.0, 0}, origin[3] = {0, 0, 0};
    for (int round = 0; round < 3; round++) {
        pairing p;
        double at[3] = {0.05, 0, 1.22}, least = 1.0, most = -1.0;
        open_pairing(&p, 0.05);
        add(&p, 0, &capsule, at, lying);
        add(&p, 1, &under[round], origin, round == 2 ? lying : NULL);
        int count = list(&p, info);
        ck_assert_int_ge(count, 2);
        for (int k = 0; k < count; k++) {
            ck_assert_double_eq_tol(info[k].point.gap, 0.02, 1e-6);
            ck_assert_double_eq_tol(info[k].point.normal[2], 1.0, 1e-6);
            least = fmin(least, info[k].point.point_a[0]);
            most = fmax(most, info[k].point.point_a[0]);
        }
        ck_assert_double_eq_tol(least, 0.05 - 0.6, 1e-6);
        ck_assert_double_eq_tol(most, 0.05 + 0.6, 1e-6);
        close_pairing(&p);
    }
}
END_TEST

/* A box on a cube of triangles, and two such cubes that overlap a little. */
START_TEST(meshes)
{
    perp_contact_info info[MOST_POINTS];
    perp_shape_def box = shape(PERP_SHAPE_BOX, 0, 0.5, 0.5, 0.5);
    perp_shape_def mesh = shape(PERP_SHAPE_MESH, 0, 1, 1, 1);
    double origin[3] = {0, 0, 0};
    for (int round = 0; round < 2 - _i; round++) {
        pairing p;
        double at[3] = {0.1, 0.03, 1.52};
        if (round)
            at[2] = 1.995;
        open_pairing(&p, 0.05);
        add(&p, 0, round ? &mesh : &box, at, NULL);
        add(&p, 1, &mesh, origin, NULL);
        int count = list(&p, info), vertical = 0;
        for (int k = 0; k < count; k++) {
            if (info[k].point.normal[2] < 0.99)
                continue;
            ck_assert_double_eq_tol(info[k].point.gap, round ? -0.005 : 0.02, 1e-6);
            vertical++;
        }
        ck_assert_int_ge(vertical, 3);
        close_pairing(&p);
    }
}
END_TEST

/* Boxes on each other, on a plane: they stay where they are. */
START_TEST(a_stack_stands)
{
    enum { N = 4 };
    scene s;
    perp_narrow_phase narrow;
    perp_sim *sim;
    perp_sim_options options;
    double half[3] = {0.5, 0.4, 0.3}, origin[3] = {0, 0, 0}, up[3] = {0, 0, 1};
    open_scene(&s, N);
    ck_assert_int_eq(perp_narrow_phase_create(&narrow, NULL), PERP_SOLVED);
    perp_collider_set_narrow_phase(s.collider, &narrow);
    perp_collider_set_material(s.collider, 0, 0, 0.0, 0.5);
    perp_collider_add_plane(s.collider, origin, up, NULL, NULL);
    for (int i = 0; i < N; i++) {
        perp_body_def def;
        perp_body_def_init(&def, sizeof def);
        def.position[0] = 0.05 * i;
        def.position[2] = 0.3 + 0.6 * i + 1e-4 * (i + 1);
        def.force[2] = -9.81;
        for (int k = 0; k < 3; k++)
            def.inertia[4 * k] = 0.2;
        ck_assert_int_eq(perp_model_add_body(s.model, &def, &s.bodies[i], NULL), PERP_SOLVED);
        perp_collider_add_box(s.collider, s.bodies[i], half, NULL, NULL);
    }
    perp_sim_options_init(&options, sizeof options);
    options.h = 2e-3;
    ck_assert_int_eq(perp_sim_create(&sim, s.model, &options, NULL, NULL), PERP_SOLVED);
    perp_sim_set_before_step(sim, perp_collider_step, s.collider);
    for (int k = 0; k < 500; k++)
        ck_assert_int_ge(perp_sim_step(sim), 0);
    ck_assert_int_eq(perp_collider_contacts(s.collider), 4 * N);
    for (int i = 0; i < N; i++) {
        double *v, *x = state_of(&s, i, &v);
        ck_assert_double_eq_tol(x[0], 0.05 * i, 1e-5);
        ck_assert_double_eq_tol(x[2], 0.3 + 0.6 * i, 1e-3);
        ck_assert_double_eq_tol(fabs(x[3]), 1.0, 1e-6);
        for (int k = 0; k < 6; k++)
            ck_assert_double_eq_tol(v[k], 0.0, 1e-5);
    }
    perp_sim_destroy(sim);
    close_scene(&s);
    perp_narrow_phase_destroy(&narrow);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("collide_ode");
    TCase *tcase = tcase_create("collide_ode");
    tcase_add_loop_test(tcase, spheres_near_solids, 0, 2);
    tcase_add_loop_test(tcase, a_box_on_a_box, 0, 2);
    tcase_add_loop_test(tcase, boxes_that_pass_each_other, 0, 2);
    tcase_add_loop_test(tcase, edges_that_cross, 0, 2);
    tcase_add_loop_test(tcase, a_capsule_that_lies, 0, 2);
    tcase_add_loop_test(tcase, meshes, 0, 2);
    tcase_add_test(tcase, a_stack_stands);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
