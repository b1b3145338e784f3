/* SPDX-License-Identifier: BSD-3-Clause */
/* Pairs whose gap is their distance less a length: against the same pairs without it, for all kinds
 * of contacts; who is found at which distance; what a step does that throws a body. */
#include "tests/fixtures/collide_scene.h"

#include <perp/rotation.h>

static const double cube[24] = {-1, -1, -1, 1, -1, -1, -1, 1, -1, 1, 1, -1,
                                -1, -1, 1,  1, -1, 1,  -1, 1, 1,  1, 1, 1};

/* A body in space with one shape above one on the world, or on a second body. */
static const struct {
    perp_shape_kind above, below;
    int two; /* bodies */
} pairs[] = {
    {PERP_SHAPE_SPHERE, PERP_SHAPE_PLANE, 0},     {PERP_SHAPE_SPHERE, PERP_SHAPE_SPHERE, 1},
    {PERP_SHAPE_CAPSULE, PERP_SHAPE_PLANE, 0},    {PERP_SHAPE_BOX, PERP_SHAPE_PLANE, 0},
    {PERP_SHAPE_ELLIPSOID, PERP_SHAPE_PLANE, 0},  {PERP_SHAPE_CYLINDER, PERP_SHAPE_PLANE, 0},
    {PERP_SHAPE_BOX, PERP_SHAPE_BOX, 1},          {PERP_SHAPE_CAPSULE, PERP_SHAPE_BOX, 1},
    {PERP_SHAPE_SPHERE, PERP_SHAPE_ELLIPSOID, 1}, {PERP_SHAPE_HULL, PERP_SHAPE_BOX, 0},
    {PERP_SHAPE_HULL, PERP_SHAPE_CONE, 1},
};
enum { PAIRS = sizeof pairs / sizeof pairs[0] };

static void add_shape(scene *s, perp_system_id body, perp_shape_kind kind)
{
    perp_shape_def def;
    perp_shape_def_init(&def, sizeof def);
    def.kind = kind;
    def.body = body;
    def.radius = 1.0;
    for (int k = 0; k < 3; k++)
        def.half[k] = kind == PERP_SHAPE_ELLIPSOID ? 1.0 + 0.3 * (k == 0) : 1.0;
    def.normal[2] = 1.0;
    if (kind == PERP_SHAPE_CAPSULE || kind == PERP_SHAPE_BOX)
        def.radius = kind == PERP_SHAPE_BOX ? 0.0 : 0.5;
    if (kind == PERP_SHAPE_CAPSULE)
        def.half[2] = 0.5;
    def.vertices = kind == PERP_SHAPE_HULL ? cube : NULL;
    def.nvertices = kind == PERP_SHAPE_HULL ? 8 : 0;
    ck_assert_int_eq(perp_collider_add(s->collider, &def, NULL, NULL), PERP_SOLVED);
}

/* One shape is 0.01 in the other or above it, tilted a little. */
static void open_pair(scene *s, int k, double apart)
{
    double low[3] = {0.1, -0.05, -1.0}, high[3] = {0.0, 0.0, 1.0 + apart};
    double tilt[3] = {0.01, -0.02, 0.3};
    open_scene(s, 2);
    if (pairs[k].below == PERP_SHAPE_PLANE)
        low[2] = 0.0;
    if (pairs[k].below == PERP_SHAPE_CONE)
        low[2] = -2.0;
    s->bodies[0] = add_body(s->model, high, tilt);
    s->bodies[1] = pairs[k].two ? add_body(s->model, low, NULL) : (perp_system_id){0, 0};
    add_shape(s, s->bodies[0], pairs[k].above);
    if (pairs[k].two || pairs[k].below == PERP_SHAPE_PLANE) {
        add_shape(s, s->bodies[1], pairs[k].below);
    } else {
        perp_shape_def def;
        perp_shape_def_init(&def, sizeof def);
        def.kind = pairs[k].below;
        memcpy(def.position, low, sizeof low);
        def.half[0] = def.half[1] = def.half[2] = 1.0;
        ck_assert_int_eq(perp_collider_add(s->collider, &def, NULL, NULL), PERP_SOLVED);
    }
    perp_collider_set_margin(s->collider, 0.3);
    perp_collider_set_material(s->collider, 0, 0, 0.0, 0.5);
}

static perp_contact_info contact(const scene *s, int k)
{
    perp_contact_info info = {.size = sizeof info};
    ck_assert_int_eq(perp_collider_contact(s->collider, k, &info), PERP_SOLVED);
    return info;
}

/* The contact of `with` whose points are nearest to those of this one. */
static perp_contact_info same_place(const scene *with, const perp_contact_info *one)
{
    perp_contact_info best = contact(with, 0);
    double least = INFINITY;
    for (int k = 0; k < perp_collider_contacts(with->collider); k++) {
        perp_contact_info info = contact(with, k);
        double square = 0.0;
        for (int i = 0; i < 3; i++)
            square += pow(info.point.point_a[i] + info.point.point_b[i] - one->point.point_a[i] -
                              one->point.point_b[i],
                          2.0);
        if (square < least)
            best = info;
        least = fmin(least, square);
    }
    return best;
}

START_TEST(gaps_are_less_by_the_skin)
{
    static const double skins[] = {0.02, -0.03, 0.1}, apart[] = {0.01, -0.01};
    scene plain, with;
    open_pair(&plain, _i, apart[0]);
    open_pair(&with, _i, apart[0]);
    for (int k = 0; k < 3; k++)
        for (int way = 0; way < 2; way++) {
            double *x = state_of(&plain, 0, NULL), *y = state_of(&with, 0, NULL);
            x[2] = y[2] = 1.0 + apart[way];
            ck_assert_int_eq(perp_collider_set_skin(with.collider, 0, 0, skins[k]), PERP_SOLVED);
            detect(&plain, 0.0);
            detect(&with, 0.0);
            ck_assert_int_ge(perp_collider_contacts(plain.collider), 1);
            ck_assert_int_eq(perp_collider_contacts(with.collider),
                             perp_collider_contacts(plain.collider));
            for (int c = 0; c < perp_collider_contacts(plain.collider); c++) {
                perp_contact_info a = contact(&plain, c), b = same_place(&with, &a);
                ck_assert_double_eq(a.skin, 0.0);
                ck_assert_double_eq(b.skin, skins[k]);
                ck_assert_double_eq_tol(b.point.gap, a.point.gap - skins[k], 1e-12);
                for (int i = 0; i < 3; i++) {
                    double n = a.point.normal[i];
                    ck_assert_double_eq_tol(b.point.normal[i], n, 1e-9);
                    ck_assert_double_eq_tol(b.point.point_a[i],
                                            a.point.point_a[i] - 0.5 * skins[k] * n, 1e-9);
                    ck_assert_double_eq_tol(b.point.point_b[i],
                                            a.point.point_b[i] + 0.5 * skins[k] * n, 1e-9);
                }
                check_jacobian(&with, c, 1e-6);
            }
        }
    close_scene(&plain);
    close_scene(&with);
}
END_TEST

/* A change of the skin keeps the contact and its multipliers, at rest too. */
START_TEST(a_change_keeps_the_contact)
{
    scene s;
    open_pair(&s, _i, 0.01);
    detect(&s, 0.0);
    perp_contact_info before = contact(&s, 0);
    perp_collider_set_skin(s.collider, 0, 0, 0.04);
    detect(&s, 0.0);
    perp_contact_info after = contact(&s, 0);
    ck_assert(same(before.interaction, after.interaction));
    ck_assert_double_eq_tol(after.point.gap, before.point.gap - 0.04, 1e-12);
    close_scene(&s);
}
END_TEST

static void move(scene *s, double way)
{
    for (int i = 0; i < 2; i++) {
        double *x = state_of(s, i, NULL);
        x[0] += way * i;
        x[2] += way;
    }
}

/* Two balls or cubes beside each other, above a plane, so far apart and above it. */
static void open_row(scene *s, int cubes, double apart)
{
    double at[3] = {0.0, 0.0, 1.0 + apart}, half[3] = {1.0, 1.0, 1.0};
    double below[3] = {0.0, 0.0, 0.0}, up[3] = {0.0, 0.0, 1.0};
    open_scene(s, 2);
    for (int i = 0; i < 2; i++) {
        s->bodies[i] = add_body(s->model, at, NULL);
        if (cubes)
            perp_collider_add_box(s->collider, s->bodies[i], half, NULL, NULL);
        else
            perp_collider_add_sphere(s->collider, s->bodies[i], 1.0, NULL, NULL, NULL);
        at[0] = 2.0 + apart;
    }
    perp_collider_add_plane(s->collider, below, up, NULL, NULL);
    perp_collider_set_margin(s->collider, 0.1);
}

/* Contacts are made and left at the gaps that they are without a skin. */
START_TEST(who_is_found)
{
    static const double skins[] = {0.0, 0.7, 6.0, -0.4};
    for (int k = 0; k < 4; k++)
        for (int cubes = 0; cubes < 2; cubes++) {
            int all = cubes ? 12 : 3;
            scene s;
            open_row(&s, cubes, skins[k] + 0.15);
            perp_collider_set_skin(s.collider, 0, 0, skins[k]);
            detect(&s, 0.0);
            ck_assert_int_eq(perp_collider_contacts(s.collider), 0);
            move(&s, -0.1);
            detect(&s, 0.0);
            ck_assert_int_eq(perp_collider_contacts(s.collider), all);
            for (int c = 0; c < all; c++)
                ck_assert_double_eq_tol(contact(&s, c).point.gap, 0.05, 1e-12);
            /* Up to twice the distance, and then no more. */
            move(&s, 0.1);
            detect(&s, 0.0);
            ck_assert_int_eq(perp_collider_contacts(s.collider), all);
            move(&s, 0.1);
            detect(&s, 0.0);
            ck_assert_int_eq(perp_collider_contacts(s.collider), 0);
            close_scene(&s);
        }
}
END_TEST

/* Of pairs of materials; those that were not set have that of (0, 0). */
START_TEST(pairs_of_materials)
{
    double up[3] = {0.0, 0.0, 1.0}, at[3] = {0.0, 0.0, 1.0};
    scene s;
    open_scene(&s, 3);
    for (int i = 0; i < 3; i++, at[0] += 5.0) {
        perp_shape_def def;
        perp_shape_def_init(&def, sizeof def);
        s.bodies[i] = add_body(s.model, at, NULL);
        def.body = s.bodies[i];
        def.radius = 1.0;
        def.material = i;
        ck_assert_int_eq(perp_collider_add(s.collider, &def, NULL, NULL), PERP_SOLVED);
    }
    perp_collider_add_plane(s.collider, (const double[3]){0.0, 0.0, 0.0}, up, NULL, NULL);
    ck_assert_int_eq(perp_collider_set_skin(s.collider, 2, 0, -0.25), PERP_SOLVED);
    detect(&s, 0.0);
    ck_assert_double_eq(contact(&s, 0).point.gap, 0.0);
    ck_assert_double_eq(contact(&s, 1).point.gap, 0.0);
    ck_assert_int_eq(perp_collider_contacts(s.collider), 2); /* the third is 0.25 away */
    ck_assert_int_eq(perp_collider_set_skin(s.collider, 0, 0, 0.125), PERP_SOLVED);
    ck_assert_int_eq(perp_collider_set_skin(s.collider, 0, 2, 0.0), PERP_SOLVED);
    detect(&s, 0.0);
    ck_assert_double_eq(contact(&s, 0).point.gap, -0.125);
    ck_assert_double_eq(contact(&s, 1).point.gap, -0.125);
    ck_assert_double_eq(contact(&s, 2).point.gap, 0.0);
    ck_assert_int_eq(perp_collider_set_skin(s.collider, 0, 0, NAN), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_collider_set_skin(s.collider, -1, 0, 0.0), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_collider_set_skin(s.collider, 0, 5000, 0.0), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_collider_set_skin(NULL, 0, 0, 0.0), PERP_ERR_ARGUMENT);
    close_scene(&s);
}
END_TEST

/* Discs and polygons, with their rows. */
START_TEST(in_the_plane)
{
    double normal[2] = {0.0, 1.0}, zero[2] = {0.0, 0.0};
    static const double square[12] = {-0.5, -0.5, 0, 0.5, -0.5, 0, 0.5, 0.5, 0, -0.5, 0.5, 0};
    scene s;
    open_scene(&s, 2);
    s.bodies[0] = add_flat(s.model, 0.0, 0.6, 0.3);
    s.bodies[1] = add_flat(s.model, 1.1, 0.6, 0.0);
    perp_collider_add_disc(s.collider, s.bodies[0], 0.5, NULL, NULL, NULL);
    perp_shape_def def;
    perp_shape_def_init(&def, sizeof def);
    def.kind = PERP_SHAPE_POLYGON;
    def.body = s.bodies[1];
    def.vertices = square;
    def.nvertices = 4;
    ck_assert_int_eq(perp_collider_add(s.collider, &def, NULL, NULL), PERP_SOLVED);
    perp_collider_add_line(s.collider, zero, normal, NULL, NULL);
    perp_collider_set_margin(s.collider, 0.3);
    perp_collider_set_material(s.collider, 0, 0, 0.0, 0.5);
    perp_collider_set_skin(s.collider, 0, 0, 0.04);
    detect(&s, 0.0);
    ck_assert_int_eq(perp_collider_contacts(s.collider), 4);
    for (int k = 0; k < 4; k++) {
        ck_assert_double_eq_tol(contact(&s, k).point.gap, 0.06, 1e-12);
        check_jacobian(&s, k, 1e-6);
    }
    close_scene(&s);
}
END_TEST

/* What load makes has the skins of the materials. */
START_TEST(a_checkpoint_has_them)
{
    scene s;
    char buffer[4096];
    size_t bytes = sizeof buffer;
    open_pair(&s, _i, 0.01);
    perp_collider_set_skin(s.collider, 0, 0, -0.03);
    detect(&s, 0.0);
    perp_contact_info before = contact(&s, 0);
    ck_assert_int_eq(perp_collider_save(s.collider, buffer, &bytes), PERP_SOLVED);
    ck_assert_int_eq(perp_collider_load(s.collider, buffer, bytes), PERP_SOLVED);
    ck_assert_double_eq(contact(&s, 0).point.gap, before.point.gap);
    close_scene(&s);
}
END_TEST

/* A heavy body strikes one at rest, this another one, and what stands 5 mm behind that would hold
 * it too late. */
START_TEST(what_is_thrown_keeps_its_distance)
{
    static const double skins[] = {0.02, -0.02, 0.02};
    static const double speeds[] = {10.0, 10.0, 7.0}; /* the last ends between skin and surface */
    for (int k = 0; k < 6; k++) {
        double at[3] = {0.0, 0.0, 0.0}, normal[3] = {-1.0, 0.0, 0.0}, half[3] = {0.1, 0.1, 0.1};
        double skin = skins[k % 3], *v;
        int cubes = k / 3;
        perp_sim_options options;
        perp_sim *sim;
        scene s;
        open_scene(&s, 3);
        for (int i = 0; i < 3; i++) {
            perp_body_def def;
            perp_body_def_init(&def, sizeof def);
            def.mass = i ? 1.0 : 100.0;
            for (int c = 0; c < 3; c++)
                def.inertia[4 * c] = 4e-3 * def.mass;
            def.position[0] = i == 2 ? 0.461 + 2.0 * skin : i == 1 ? 0.26 + skin : 0.0;
            def.velocity[0] = i ? 0.0 : speeds[k % 3];
            ck_assert_int_eq(perp_model_add_body(s.model, &def, &s.bodies[i], NULL), PERP_SOLVED);
            if (cubes)
                perp_collider_add_box(s.collider, s.bodies[i], half, NULL, NULL);
            else
                perp_collider_add_sphere(s.collider, s.bodies[i], 0.1, NULL, NULL, NULL);
        }
        at[0] = 0.566 + 3.0 * skin;
        if (cubes) {
            perp_shape_def def;
            perp_shape_def_init(&def, sizeof def);
            def.kind = PERP_SHAPE_BOX;
            def.position[0] = at[0] + 0.1;
            memcpy(def.half, half, sizeof half);
            ck_assert_int_eq(perp_collider_add(s.collider, &def, NULL, NULL), PERP_SOLVED);
        } else {
            perp_collider_add_plane(s.collider, at, normal, NULL, NULL);
        }
        perp_collider_set_material(s.collider, 0, 0, 0.5, 0.0);
        perp_collider_set_skin(s.collider, 0, 0, skin);
        perp_sim_options_init(&options, sizeof options);
        options.h = 1e-2;
        ck_assert_int_eq(perp_sim_create(&sim, s.model, &options, NULL, NULL), PERP_SOLVED);
        perp_sim_set_before_step(sim, perp_collider_step, s.collider);
        for (int n = 0; n < 4; n++) {
            ck_assert_int_eq(perp_sim_step(sim), PERP_SOLVED);
            double before = state_of(&s, 0, &v)[0];
            for (int i = 1; i < 3; i++) {
                double now = state_of(&s, i, &v)[0];
                ck_assert_double_ge(now - before - 0.2, skin - 1e-8);
                before = now;
            }
            ck_assert_double_ge(at[0] - before - 0.1, skin - 1e-8);
        }
        perp_sim_destroy(sim);
        close_scene(&s);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("skins");
    TCase *tests = tcase_create("skins");
    tcase_add_loop_test(tests, gaps_are_less_by_the_skin, 0, PAIRS);
    tcase_add_loop_test(tests, a_change_keeps_the_contact, 0, PAIRS);
    tcase_add_test(tests, who_is_found);
    tcase_add_test(tests, pairs_of_materials);
    tcase_add_test(tests, in_the_plane);
    tcase_add_loop_test(tests, a_checkpoint_has_them, 0, PAIRS);
    tcase_add_test(tests, what_is_thrown_keeps_its_distance);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
