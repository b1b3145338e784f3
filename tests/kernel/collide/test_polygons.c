/* SPDX-License-Identifier: BSD-3-Clause */
/* Convex polygons of the plane: gaps against distances of points and edges, Jacobians against
 * differences, a stack that stands, a block that slides. */
#include "tests/fixtures/collide_scene.h"

typedef struct polygon {
    double x[3 * 8];
    int count;
} polygon;

/* Points on an ellipse in order. */
static void random_polygon(polygon *p, perp_rng *rng)
{
    double a = between(rng, 0.2, 0.6), b = between(rng, 0.2, 0.6);
    p->count = 3 + (int)between(rng, 0, 5.99);
    for (int i = 0; i < p->count; i++) {
        double angle = 6.283185307 * (i + between(rng, 0.1, 0.9)) / p->count;
        p->x[3 * i] = a * cos(angle);
        p->x[3 * i + 1] = b * sin(angle);
        p->x[3 * i + 2] = 0.0;
    }
}

static perp_shape_def shape_of(const polygon *p, perp_system_id body)
{
    perp_shape_def def;
    perp_shape_def_init(&def, sizeof def);
    def.kind = PERP_SHAPE_POLYGON;
    def.body = body;
    def.vertices = p->x;
    def.nvertices = p->count;
    return def;
}

static void placed(double (*out)[2], const polygon *p, const double *q)
{
    for (int i = 0; i < p->count; i++) {
        double c = cos(q[2]), s = sin(q[2]);
        out[i][0] = q[0] + c * p->x[3 * i] - s * p->x[3 * i + 1];
        out[i][1] = q[1] + s * p->x[3 * i] + c * p->x[3 * i + 1];
    }
}

/* The largest height of one above an edge of the other, and their least distance. */
static double signed_distance(double (*x)[2], int n, double (*y)[2], int m)
{
    double most = -INFINITY, least = INFINITY;
    for (int side = 0; side < 2; side++) {
        double(*u)[2] = side ? y : x, (*v)[2] = side ? x : y;
        int nu = side ? m : n, nv = side ? n : m;
        for (int i = 0; i < nu; i++) {
            const double *p = u[i], *q = u[(i + 1) % nu];
            double d[2] = {q[0] - p[0], q[1] - p[1]}, length = hypot(d[0], d[1]), low = INFINITY;
            for (int k = 0; k < nv; k++) {
                double w[2] = {v[k][0] - p[0], v[k][1] - p[1]};
                double along =
                    fmax(0.0, fmin(1.0, (w[0] * d[0] + w[1] * d[1]) / (length * length)));
                low = fmin(low, (w[0] * d[1] - w[1] * d[0]) / length);
                least = fmin(least, hypot(w[0] - along * d[0], w[1] - along * d[1]));
            }
            most = fmax(most, low);
        }
    }
    return most > 0.0 ? least : most;
}

START_TEST(gaps_are_distances)
{
    perp_rng rng = {12};
    for (int round = 0; round < 2000; round++) {
        scene s;
        polygon p[2];
        double at[2][8][2], gap = INFINITY;
        open_scene(&s, 2);
        perp_collider_set_margin(s.collider, 5.0);
        perp_collider_set_material(s.collider, 0, 0, 0.1, round % 2 ? 0.5 : 0.0);
        for (int i = 0; i < 2; i++) {
            random_polygon(&p[i], &rng);
            s.bodies[i] = add_flat(s.model, between(&rng, -0.8, 0.8), between(&rng, -0.8, 0.8),
                                   between(&rng, -3, 3));
            perp_shape_def def = shape_of(&p[i], s.bodies[i]);
            ck_assert_int_eq(perp_collider_add(s.collider, &def, NULL, NULL), PERP_SOLVED);
            placed(at[i], &p[i], state_of(&s, i, NULL));
        }
        detect(&s, 0.0);
        int count = perp_collider_contacts(s.collider);
        ck_assert_int_ge(count, 1);
        ck_assert_int_le(count, 3);
        for (int k = 0; k < count; k++) {
            perp_contact_info info = {.size = sizeof info};
            perp_collider_contact(s.collider, k, &info);
            gap = fmin(gap, info.point.gap);
            if (round % 20 == 0)
                check_jacobian(&s, k, 1e-7);
        }
        ck_assert_double_eq_tol(gap, signed_distance(at[0], p[0].count, at[1], p[1].count), 1e-12);
        close_scene(&s);
    }
}
END_TEST

/* A disc beside a square: above an edge, off a corner, within. */
START_TEST(discs_and_squares)
{
    polygon square = {{-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0}, 4};
    double at[4][3] = {{0.3, 1.25, 0.2}, {1.3, 1.4, 0.5 - 0.2}, {0.9, 0.1, -0.3}, {-2, 0, 0.8}};
    for (int k = 0; k < 8; k++) {
        scene s;
        perp_contact_info info = {.size = sizeof info};
        open_scene(&s, 2);
        perp_collider_set_margin(s.collider, 3.0);
        for (int i = 0; i < 2; i++) {
            const double *x = at[k / 2];
            int disc = i == k % 2;
            s.bodies[i] = add_flat(s.model, disc ? x[0] : 0.0, disc ? x[1] : 0.0, 0.0);
            perp_shape_def def = shape_of(&square, s.bodies[i]);
            if (disc)
                perp_collider_add_disc(s.collider, s.bodies[i], 0.2, NULL, NULL, NULL);
            else
                perp_collider_add(s.collider, &def, NULL, NULL);
        }
        detect(&s, 0.0);
        double want[4] = {0.05, 0.5 - 0.2, -0.3, 0.8};
        perp_collider_contact(s.collider, 0, &info);
        ck_assert_msg(perp_collider_contacts(s.collider) == 1, "case %d: %d contacts", k,
                      perp_collider_contacts(s.collider));
        ck_assert_double_eq_tol(info.point.gap, want[k / 2], 1e-14);
        check_jacobian(&s, 0, 1e-7);
        close_scene(&s);
    }
}
END_TEST

/* Blocks on each other and on an incline below and above the angle of friction. */
START_TEST(blocks_stand_and_slide)
{
    enum { N = 4 };
    polygon block = {{-0.5, -0.2, 0, 0.5, -0.2, 0, 0.5, 0.2, 0, -0.5, 0.2, 0}, 4};
    double mu = 0.5, g = 9.81, h = 2e-3;
    for (int k = 0; k < 2; k++) {
        double angle = k ? atan(mu) + 0.1 : 0.2, normal[2] = {-sin(angle), cos(angle)}, start = 0.0;
        double origin[2] = {0, 0};
        int n = k ? 1 : N;
        scene s;
        perp_sim *sim;
        perp_sim_options options;
        open_scene(&s, n);
        perp_collider_set_material(s.collider, 0, 0, 0.0, mu);
        perp_collider_add_line(s.collider, origin, normal, NULL, NULL);
        for (int i = 0; i < n; i++) {
            double height = 0.2 + 0.4 * i;
            double q[3] = {height * normal[0], height * normal[1], angle}, F[3] = {0, -g, 0};
            double M[9] = {1, 0, 0, 0, 1, 0, 0, 0, 0.1};
            perp_lagrangian_def def;
            perp_lagrangian_def_init(&def, sizeof def);
            def.n = 3;
            def.q0 = q;
            def.F = F;
            perp_mat_init_dense(&def.M, 3, 3, M, 3);
            ck_assert_int_eq(perp_model_add_lagrangian(s.model, &def, &s.bodies[i], NULL),
                             PERP_SOLVED);
            perp_shape_def shape = shape_of(&block, s.bodies[i]);
            ck_assert_int_eq(perp_collider_add(s.collider, &shape, NULL, NULL), PERP_SOLVED);
        }
        perp_sim_options_init(&options, sizeof options);
        options.h = h;
        ck_assert_int_eq(perp_sim_create(&sim, s.model, &options, NULL, NULL), PERP_SOLVED);
        perp_sim_set_before_step(sim, perp_collider_step, s.collider);
        for (int i = 0; i < 250; i++) {
            double *v;
            ck_assert_int_ge(perp_sim_step(sim), 0);
            state_of(&s, 0, &v);
            start = i == 49 ? hypot(v[0], v[1]) : start;
        }
        double *v;
        state_of(&s, n - 1, &v);
        double want = k ? 200 * h * g * (sin(angle) - mu * cos(angle)) : 0.0;
        ck_assert_double_eq_tol(hypot(v[0], v[1]) - start, want, 1e-6);
        ck_assert_double_eq_tol(v[2], 0.0, 1e-8);
        ck_assert_int_eq(perp_collider_contacts(s.collider), 2 * n);
        perp_sim_destroy(sim);
        close_scene(&s);
    }
}
END_TEST

/* Two cards lean on each other corner to corner: the edge that the normal belongs to stays while
 * they move by what a step at rest leaves. */
START_TEST(corners_keep_their_normal)
{
    polygon card = {{-0.005, -0.15, 0, 0.005, -0.15, 0, 0.005, 0.15, 0, -0.005, 0.15, 0}, 4};
    double lean = 0.35, across = 0.15 * sin(lean) + 0.005 * cos(lean), first[2];
    perp_rng rng = {7};
    scene s;
    open_scene(&s, 2);
    for (int i = 0; i < 2; i++) {
        s.bodies[i] = add_flat(s.model, i ? across : -across, 1.0, i ? lean : -lean);
        perp_shape_def def = shape_of(&card, s.bodies[i]);
        ck_assert_int_eq(perp_collider_add(s.collider, &def, NULL, NULL), PERP_SOLVED);
    }
    double *x = state_of(&s, 1, NULL), place[2] = {x[0] - 1e-12, x[1]};
    for (int k = 0; k < 300; k++) {
        perp_contact_info info = {.size = sizeof info};
        x[0] = place[0] - 5e-13 * between(&rng, 0.0, 1.0);
        x[1] = place[1] + 5e-12 * between(&rng, -1.0, 1.0);
        detect(&s, 0.0);
        perp_collider_contact(s.collider, 0, &info);
        if (k == 0)
            memcpy(first, info.point.normal, sizeof first);
        double cosine = first[0] * info.point.normal[0] + first[1] * info.point.normal[1];
        ck_assert_double_eq_tol(cosine, 1.0, 1e-12);
    }
    close_scene(&s);
}
END_TEST

START_TEST(bad_polygons_are_refused)
{
    polygon hollow = {{0, 0, 0, 1, 0, 0, 0.1, 0.1, 0, 0, 1, 0}, 4};
    polygon line = {{0, 0, 0, 1, 0, 0, 2, 0, 0}, 3};
    polygon star = {{1, 0, 0, -0.8, 0.6, 0, 0.3, -1, 0, 0.3, 1, 0, -0.8, -0.6, 0}, 5};
    const polygon *bad[] = {&hollow, &line, &star};
    perp_where where;
    scene s;
    open_scene(&s, 1);
    s.bodies[0] = add_flat(s.model, 0, 0, 0);
    for (int k = 0; k < 3; k++) {
        perp_shape_def def = shape_of(bad[k], s.bodies[0]);
        ck_assert_int_eq(perp_collider_add(s.collider, &def, NULL, &where), PERP_ERR_ARGUMENT);
        ck_assert_str_eq(where.what, "vertices");
    }
    close_scene(&s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("polygons");
    TCase *tcase = tcase_create("polygons");
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, gaps_are_distances);
    tcase_add_test(tcase, discs_and_squares);
    tcase_add_test(tcase, blocks_stand_and_slide);
    tcase_add_test(tcase, corners_keep_their_normal);
    tcase_add_test(tcase, bad_polygons_are_refused);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
