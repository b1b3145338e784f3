/* SPDX-License-Identifier: BSD-3-Clause */
/* Shapes on ridges and corners of triangles, sharp or not: no contact is much deeper than a known
 * way out, and one is there. */
#include "config.h"

#include "tests/fixtures/collide_scene.h"

/* Triangles along the ridge on each side. */
enum { PARTS = 6, DRAWS = 400 };

/* The ridge runs along y in z = 0; the sides fall to z = -depth at x = +-width. */
static void add_ridge(scene *s, double width, double depth)
{
    double x[3 * 3 * (PARTS + 1)];
    int t[3 * 4 * PARTS];
    for (int i = 0; i <= PARTS; i++)
        for (int k = 0; k < 3; k++) {
            double *p = x + 3 * (3 * i + k);
            p[0] = (k - 1) * width;
            p[1] = 6.0 * i / PARTS - 3.0;
            p[2] = k == 1 ? 0.0 : -depth;
        }
    for (int i = 0; i < PARTS; i++) {
        int a = 3 * i, b = a + 3;
        const int of_part[12] = {a,     a + 1, b + 1, a,     b + 1, b,
                                 a + 1, a + 2, b + 2, a + 1, b + 2, b + 1};
        memcpy(t + 12 * i, of_part, sizeof of_part);
    }
    ck_assert_int_eq(perp_collider_add_mesh(s->collider, (perp_system_id){0, 0}, x, 3 * (PARTS + 1),
                                            t, 4 * PARTS, NULL, NULL),
                     PERP_SOLVED);
}

/* The point of a shape farthest along d, in its own frame. */
static void support(double *p, const perp_shape_def *def, const double *d)
{
    double across = hypot(d[0], d[1]), length = 0.0, best = -HUGE_VAL;
    for (int i = 0; i < 3; i++)
        length += def->half[i] * d[i] * def->half[i] * d[i];
    for (int i = 0; i < 3; i++)
        p[i] = def->kind == PERP_SHAPE_ELLIPSOID ? def->half[i] * def->half[i] * d[i] / sqrt(length)
                                                 : copysign(def->half[i], d[i]);
    for (int i = 0; def->kind == PERP_SHAPE_CYLINDER && i < 2; i++)
        p[i] = def->radius * d[i] / across;
    for (int k = 0; k < def->nvertices; k++) {
        const double *v = def->vertices + 3 * k;
        double along = v[0] * d[0] + v[1] * d[1] + v[2] * d[2];
        if (along > best)
            memcpy(p, v, 3 * sizeof *p);
        best = fmax(best, along);
    }
}

static perp_shape_def draw_shape(perp_rng *rng, double *vertices, int n)
{
    static const perp_shape_kind kinds[] = {PERP_SHAPE_BOX, PERP_SHAPE_CYLINDER,
                                            PERP_SHAPE_ELLIPSOID, PERP_SHAPE_HULL};
    perp_shape_def def;
    perp_shape_def_init(&def, sizeof def);
    def.kind = kinds[perp_rng_below(rng, 4)];
    def.radius = between(rng, 0.05, 0.2);
    for (int i = 0; i < 3; i++)
        def.half[i] = between(rng, 0.01, 0.2);
    for (int k = 0; k < 3 * n; k++)
        vertices[k] = between(rng, -0.2, 0.2);
    if (def.kind == PERP_SHAPE_HULL) {
        def.vertices = vertices;
        def.nvertices = n;
    }
    return def;
}

static void turn(double *out, const double *q, const double *v, double sign)
{
    const double u[3] = {sign * q[1], sign * q[2], sign * q[3]};
    double t[3] = {2 * (u[1] * v[2] - u[2] * v[1]), 2 * (u[2] * v[0] - u[0] * v[2]),
                   2 * (u[0] * v[1] - u[1] * v[0])};
    out[0] = v[0] + q[0] * t[0] + u[1] * t[2] - u[2] * t[1];
    out[1] = v[1] + q[0] * t[1] + u[2] * t[0] - u[0] * t[2];
    out[2] = v[2] + q[0] * t[2] + u[0] * t[1] - u[1] * t[0];
}

/* The shape so that its point p touches the surface at `at`, so deep along n: no contact is deeper
 * by far, and one is there.  rotation: of the body, p in its frame. */
static void judge(scene *s, perp_shape_def *def, const double *rotation, const double *p,
                  const double *at, const double *n, double deep)
{
    double q[4], out[3], place[3], least = HUGE_VAL;
    perp_quaternion_exp(rotation, q);
    turn(out, q, p, 1.0);
    for (int i = 0; i < 3; i++)
        place[i] = at[i] - deep * n[i] - out[i];
    s->bodies[0] = add_body(s->model, place, rotation);
    def->body = s->bodies[0];
    if (perp_collider_add(s->collider, def, NULL, NULL) != PERP_SOLVED)
        return; /* without Qhull there are no hulls */
    detect(s, 0.0);
    ck_assert_int_gt(perp_collider_contacts(s->collider), 0);
    for (int k = 0; k < perp_collider_contacts(s->collider); k++) {
        perp_contact_info info = {.size = sizeof info};
        ck_assert_int_eq(perp_collider_contact(s->collider, k, &info), PERP_SOLVED);
        least = fmin(least, info.point.gap);
    }
    ck_assert_msg(least >= -2.0 * deep - 1e-8, "kind %d, %g deep: a contact of %g", (int)def->kind,
                  deep, least);
    ck_assert_msg(least <= deep + 1e-8, "kind %d: nearest %g", (int)def->kind, least);
}

/* A random orientation, or, with `lies`, the lower face of a box or cylinder across n, which leans
 * by this angle about y; p is its point that is deepest, or one of that face. */
static void pose(double *rotation, double *p, const perp_shape_def *def, const double *n,
                 double angle, int lies, perp_rng *rng)
{
    const double back[3] = {-n[0], -n[1], -n[2]};
    double q[4], d[3];
    for (int i = 0; i < 3; i++)
        rotation[i] = between(rng, -2.0, 2.0);
    perp_quaternion_exp(rotation, q);
    turn(d, q, back, -1.0);
    support(p, def, d);
    if (!lies || (def->kind != PERP_SHAPE_BOX && def->kind != PERP_SHAPE_CYLINDER))
        return;
    double side = 0.6 * (def->kind == PERP_SHAPE_BOX ? def->half[0] : def->radius);
    rotation[0] = rotation[2] = 0.0;
    rotation[1] = angle;
    p[0] = side * between(rng, -1.0, 1.0);
    p[1] = 0.0;
    p[2] = -def->half[2];
}

/* Deep in a ridge along a direction between the normals of its two sides. */
START_TEST(no_contact_is_deeper_than_a_way_out)
{
    perp_rng rng = {(unsigned)_i + 11};
    double vertices[36], rotation[3], p[3];
    const double depth = 2.0, width = depth * tan(between(&rng, 0.02, 1.2));
    const double deep = pow(10.0, between(&rng, -12.0, -3.0));
    const double angle = between(&rng, -0.95, 0.95) * atan2(depth, width);
    const double n[3] = {sin(angle), 0.0, cos(angle)};
    const double at[3] = {0.0, between(&rng, -0.8, 0.8), 0.0};
    perp_shape_def def = draw_shape(&rng, vertices, 12);
    scene s;
    pose(rotation, p, &def, n, angle, _i % 2, &rng);
    open_scene(&s, 1);
    add_ridge(&s, width, depth);
    judge(&s, &def, rotation, p, at, n, deep);
    close_scene(&s);
}
END_TEST

/* Triangles around a corner, all below a plane through it, with edges that are hollow or not. */
START_TEST(a_corner_above_all_around_it)
{
    enum { AROUND = 7 };
    perp_rng rng = {(unsigned)_i + 5000};
    double vertices[36], rotation[3], p[3], x[3 * (AROUND + 1)] = {0.0};
    int t[3 * AROUND];
    const double deep = pow(10.0, between(&rng, -12.0, -3.0)), at[3] = {0.0, 0.0, 0.0};
    const double angle = between(&rng, -1.0, 1.0), n[3] = {sin(angle), 0.0, cos(angle)};
    perp_shape_def def = draw_shape(&rng, vertices, 12);
    scene s;
    for (int k = 0; k < AROUND; k++) {
        double *v = x + 3 * (k + 1), turned = 2.0 * acos(-1.0) * k / AROUND;
        v[0] = cos(turned);
        v[1] = sin(turned);
        v[2] = (-between(&rng, 0.02, 2.0) - n[0] * v[0]) / n[2];
        const int of_part[3] = {0, k + 1, (k + 1) % AROUND + 1};
        memcpy(t + 3 * k, of_part, sizeof of_part);
    }
    pose(rotation, p, &def, n, angle, _i % 2, &rng);
    open_scene(&s, 1);
    ck_assert_int_eq(perp_collider_add_mesh(s.collider, (perp_system_id){0, 0}, x, AROUND + 1, t,
                                            AROUND, NULL, NULL),
                     PERP_SOLVED);
    judge(&s, &def, rotation, p, at, n, deep);
    close_scene(&s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("sharp ridges");
    TCase *tcase = tcase_create("sharp ridges");
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, no_contact_is_deeper_than_a_way_out, 0, DRAWS);
    tcase_add_loop_test(tcase, a_corner_above_all_around_it, 0, DRAWS);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
