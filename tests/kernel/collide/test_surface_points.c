/* SPDX-License-Identifier: BSD-3-Clause */
/* Which points of surfaces of triangles are kept: what touches has the normal of what it touches,
 * and what carries is there, however many points there are. */
#include "config.h"

#include <perp/rotation.h>

#include "kernel/collide/convex.h"
#include "tests/fixtures/collide_scene.h"

enum { FIELD = 40 };

static perp_shape_def shape_of(perp_shape_kind kind, perp_system_id body)
{
    perp_shape_def def;
    perp_shape_def_init(&def, sizeof def);
    def.kind = kind;
    def.body = body;
    return def;
}

/* The extent along an axis of what is as low as this. */
static double extent(const scene *s, int axis, double low)
{
    double least = HUGE_VAL, most = -HUGE_VAL;
    for (int k = 0; k < perp_collider_contacts(s->collider); k++) {
        perp_contact_info info = {.size = sizeof info};
        ck_assert_int_eq(perp_collider_contact(s->collider, k, &info), PERP_SOLVED);
        if (info.point.gap > low)
            continue;
        least = fmin(least, info.point.point_a[axis]);
        most = fmax(most, info.point.point_a[axis]);
    }
    return most - least;
}

/* Eight corners, 12 triangles. */
static void add_cube(scene *s, double half)
{
    static const int triangles[36] = {0, 1, 3, 0, 3, 2, 4, 6, 7, 4, 7, 5, 0, 4, 5, 0, 5, 1,
                                      2, 3, 7, 2, 7, 6, 0, 2, 6, 0, 6, 4, 1, 5, 7, 1, 7, 3};
    double x[24];
    for (int i = 0; i < 8; i++)
        for (int k = 0; k < 3; k++)
            x[3 * i + k] = i >> (2 - k) & 1 ? half : -half;
    ck_assert_int_eq(
        perp_collider_add_mesh(s->collider, s->bodies[0], x, 8, triangles, 12, NULL, NULL),
        PERP_SOLVED);
}

/* A cube of triangles on a face of a box, one edge of it along the face. */
START_TEST(an_edge_that_lies_on_a_face)
{
    perp_rng rng = {(unsigned)_i + 1};
    const double half = 0.05, top = 0.2, turn = between(&rng, 0.0, 6.0);
    const double lean = between(&rng, 0.05, 1.5);
    const double deep = _i % 2 ? pow(10.0, between(&rng, -16.0, -9.0)) : 0.0;
    const double down = half * (sin(lean) + cos(lean));
    const double place[3] = {between(&rng, -0.1, 0.1), between(&rng, -0.1, 0.1), top + down - deep};
    double *q, *v;
    scene s;
    open_scene(&s, 1);
    s.bodies[0] = add_body(s.model, place, NULL);
    q = state_of(&s, 0, &v);
    q[3] = cos(0.5 * turn) * cos(0.5 * lean);
    q[4] = cos(0.5 * turn) * sin(0.5 * lean);
    q[5] = sin(0.5 * turn) * sin(0.5 * lean);
    q[6] = sin(0.5 * turn) * cos(0.5 * lean);
    add_cube(&s, half);
    perp_shape_def box = shape_of(PERP_SHAPE_BOX, (perp_system_id){0, 0});
    for (int k = 0; k < 3; k++)
        box.half[k] = k == 2 ? top : 0.5;
    ck_assert_int_eq(perp_collider_add(s.collider, &box, NULL, NULL), PERP_SOLVED);
    detect(&s, 0.0);
    ck_assert_double_gt(hypot(extent(&s, 0, 1e-8), extent(&s, 1, 1e-8)), 1.9 * half);
    for (int k = 0; k < perp_collider_contacts(s.collider); k++) {
        perp_contact_info info = {.size = sizeof info};
        ck_assert_int_eq(perp_collider_contact(s.collider, k, &info), PERP_SOLVED);
        ck_assert_msg(fabs(info.point.normal[2]) > 1.0 - 1e-9, "turn %g, lean %g: normal %g %g %g",
                      turn, lean, info.point.normal[0], info.point.normal[1], info.point.normal[2]);
    }
    close_scene(&s);
}
END_TEST

/* Bumps that touch z = 0 in each node, or a flat field, under a box that is far larger than its
 * triangles. */
START_TEST(a_box_on_many_triangles)
{
    const double spacing = 0.05, side = spacing * FIELD;
    const double half[3] = {0.4 * side, 0.3 * side, 0.1}, place[3] = {0.0, 0.0, 0.1};
    double *x = malloc(sizeof *x * 3 * (FIELD + 1) * (FIELD + 1));
    int *t = malloc(sizeof *t * 6 * FIELD * FIELD), count = 0;
    scene s;
    for (int i = 0; i <= FIELD; i++)
        for (int j = 0; j <= FIELD; j++) {
            double *p = x + 3 * (i * (FIELD + 1) + j);
            p[0] = spacing * i - 0.5 * side;
            p[1] = spacing * j - 0.5 * side;
            p[2] = _i && (i + j) % 2 ? -1e-3 : 0.0;
        }
    for (int i = 0; i < FIELD; i++)
        for (int j = 0; j < FIELD; j++) {
            int a = i * (FIELD + 1) + j, b = a + FIELD + 1;
            const int of_square[6] = {a, b, b + 1, a, b + 1, a + 1};
            memcpy(t + 6 * count++, of_square, sizeof of_square);
        }
    open_scene(&s, 1);
    s.bodies[0] = add_body(s.model, place, NULL);
    perp_shape_def box = shape_of(PERP_SHAPE_BOX, s.bodies[0]);
    memcpy(box.half, half, sizeof half);
    ck_assert_int_eq(perp_collider_add(s.collider, &box, NULL, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_collider_add_mesh(s.collider, (perp_system_id){0, 0}, x,
                                            (FIELD + 1) * (FIELD + 1), t, 2 * count, NULL, NULL),
                     PERP_SOLVED);
    detect(&s, 0.0);
    for (int axis = 0; axis < 2; axis++)
        ck_assert_double_gt(extent(&s, axis, 1e-8), 2.0 * half[axis] - 2.1 * spacing);
    close_scene(&s);
    free(x);
    free(t);
}
END_TEST

/* Four triangles in a square of this half side, turned. */
static void add_square(scene *s, double half, const double *frame)
{
    const double corner[15] = {-half, -half, 0, half, -half, 0, half, half, 0, -half, half, 0};
    static const int triangles[12] = {0, 1, 4, 1, 2, 4, 2, 3, 4, 3, 0, 4};
    double x[15];
    for (int i = 0; i < 5; i++)
        perp_quaternion_rotate(frame, corner + 3 * i, x + 3 * i);
    ck_assert_int_eq(
        perp_collider_add_mesh(s->collider, (perp_system_id){0, 0}, x, 5, triangles, 4, NULL, NULL),
        PERP_SOLVED);
}

static void add_block(scene *s, const double *frame)
{
    const double below[3] = {0.0, 0.0, -1.0};
    perp_shape_def box = shape_of(PERP_SHAPE_BOX, (perp_system_id){0, 0});
    for (int k = 0; k < 3; k++)
        box.half[k] = 1.0;
    perp_quaternion_rotate(frame, below, box.position);
    memcpy(box.quaternion, frame, sizeof box.quaternion);
    ck_assert_int_eq(perp_collider_add(s->collider, &box, NULL, NULL), PERP_SOLVED);
}

/* A box or a lying cylinder on a box or on triangles: whatever rounding makes of two faces that
 * coincide, the plane is that of what is below, and the points move with the body. */
START_TEST(points_move_with_what_lies)
{
    perp_rng rng = {(unsigned)_i + 4000};
    const double half[3] = {0.2, 0.1, 0.05}, angle = between(&rng, -3.0, 3.0);
    const double place[3] = {between(&rng, -0.1, 0.1), between(&rng, -0.1, 0.1), half[2]};
    const double turn[4] = {cos(0.5 * angle), 0.0, 0.0, sin(0.5 * angle)};
    const int round = _i % 2;
    double *q, *v, frame[4], rotation[3], lie[4] = {1.0, 0.0, 0.0, 0.0};
    scene s;
    open_scene(&s, 1);
    s.bodies[0] = add_body(s.model, place, NULL);
    q = state_of(&s, 0, &v);
    for (int k = 0; k < 3; k++)
        rotation[k] = between(&rng, -2.0, 2.0);
    perp_quaternion_exp(rotation, frame);
    if (round)
        lie[0] = lie[1] = sqrt(0.5);
    perp_quaternion_rotate(frame, place, q);
    perp_quaternion_product(turn, lie, q + 3);
    perp_quaternion_product(frame, q + 3, q + 3);
    perp_shape_def body = shape_of(round ? PERP_SHAPE_CYLINDER : PERP_SHAPE_BOX, s.bodies[0]);
    memcpy(body.half, half, sizeof half);
    body.radius = half[2];
    if (round)
        body.half[2] = half[0];
    ck_assert_int_eq(perp_collider_add(s.collider, &body, NULL, NULL), PERP_SOLVED);
    if (_i / 2 % 2)
        add_block(&s, frame);
    else
        add_square(&s, 1.0, frame);
    detect(&s, 0.0);
    ck_assert_int_ge(perp_collider_contacts(s.collider), 2);
    for (int k = 0; k < s.collider->nnow; k++) {
        const perp_contact *contact = s.collider->now[k];
        ck_assert_msg(contact->plane && !contact->reversed,
                      "case %d, angle %g: plane %d, reversed %d", _i % 4, angle, contact->plane,
                      contact->reversed);
    }
    close_scene(&s);
}
END_TEST

/* Points in a square, some as low as the lowest: these are kept, then what is far from all. */
START_TEST(what_is_low_is_kept)
{
    enum { MOST = 12 };
    perp_rng rng = {(unsigned)_i + 900};
    perp_touch points[PERP_TOUCHES];
    int chosen[PERP_TOUCHES], low = 1 + (int)perp_rng_below(&rng, MOST), found = 0;
    int count = MOST + (int)perp_rng_below(&rng, PERP_TOUCHES - MOST);
    memset(points, 0, sizeof points);
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < 2; k++)
            points[i].at.point_a[k] = between(&rng, -1.0, 1.0);
        points[i].at.gap = i < low ? between(&rng, 0.0, 1e-7) : between(&rng, 1e-5, 1e-2);
    }
    ck_assert_int_eq(perp_touch_spread(chosen, points, count, MOST, 1e-6), MOST);
    for (int i = 0; i < MOST; i++) {
        ck_assert(chosen[i] >= 0 && chosen[i] < count);
        for (int j = 0; j < i; j++)
            ck_assert_int_ne(chosen[i], chosen[j]);
        found += chosen[i] < low;
    }
    ck_assert_int_eq(found, low);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("points of surfaces");
    TCase *tcase = tcase_create("points of surfaces");
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, an_edge_that_lies_on_a_face, 0, 400);
    tcase_add_loop_test(tcase, a_box_on_many_triangles, 0, 2);
    tcase_add_loop_test(tcase, points_move_with_what_lies, 0, 400);
    tcase_add_loop_test(tcase, what_is_low_is_kept, 0, 400);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
