/* SPDX-License-Identifier: BSD-3-Clause */
/* Contact detection: the grid against all pairs, closed forms, Jacobians against
 * differences, persistence. */
#include "tests/fixtures/collide_scene.h"

/* All pairs by brute force; was: those that were in contact before, and are now. */
static int brute_force(scene *s, char *was, double margin, double h)
{
    int n = s->n, count = 0, k = 0;
    for (int i = 0; i < n; i++) {
        for (int j = i + 1; j < n; j++) {
            double *va, *vb, *a = state_of(s, i, &va), *b = state_of(s, j, &vb);
            double gap = sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                              (a[2] - b[2]) * (a[2] - b[2])) -
                         s->radius[i] - s->radius[j];
            double speed =
                sqrt((va[0] - vb[0]) * (va[0] - vb[0]) + (va[1] - vb[1]) * (va[1] - vb[1]) +
                     (va[2] - vb[2]) * (va[2] - vb[2]));
            double d = margin + h * speed;
            was[i * n + j] = gap <= (was[i * n + j] ? 2.0 * d : d);
            if (!was[i * n + j])
                continue;
            perp_contact_info info = {.size = sizeof info};
            count++;
            ck_assert_int_eq(perp_collider_contact(s->collider, k++, &info), PERP_SOLVED);
            ck_assert_uint_eq(info.first.index, (unsigned)i);
            ck_assert_uint_eq(info.second.index, (unsigned)j);
            ck_assert_double_eq_tol(info.point.gap, gap, 1e-14);
            for (int c = 0; c < 3; c++) {
                double normal = (a[c] - b[c]) / (gap + s->radius[i] + s->radius[j]);
                ck_assert_double_eq_tol(info.point.normal[c], normal, 1e-13);
            }
        }
    }
    return count;
}

START_TEST(grid_finds_what_all_pairs_find)
{
    perp_rng rng = {42};
    for (int round = 0; round < 4; round++) {
        int n = 40 + 80 * round, most = 0;
        double margin = round % 2 ? 0.05 : 1e-3, h = round < 2 ? 0.0 : 0.02;
        scene s;
        random_spheres(&s, n, &rng);
        ck_assert_int_eq(perp_collider_set_margin(s.collider, margin), PERP_SOLVED);
        char *was = calloc((size_t)n * (size_t)n, 1);
        for (int k = 0; k < 8; k++) {
            detect(&s, h);
            int count = brute_force(&s, was, margin, h);
            ck_assert_int_eq(perp_collider_contacts(s.collider), count);
            ck_assert_int_eq(perp_model_interactions(s.model), count);
            most = count > most ? count : most;
            shake(&s, &rng, k < 6 ? 0.5 * margin : 0.5, 1.0);
        }
        ck_assert_int_gt(most, 10);
        free(was);
        close_scene(&s);
    }
}
END_TEST

START_TEST(jacobians_are_derivatives_of_gaps)
{
    perp_rng rng = {7};
    for (int round = 0; round < 40; round++) {
        scene s;
        double turn[2][3], at[2][3], offset[3], half[3] = {0.3, 0.4, 0.5};
        open_scene(&s, 4);
        perp_collider_set_margin(s.collider, 3.0);
        perp_collider_set_material(s.collider, 0, 0, 0.1, round % 2 ? 0.5 : 0.0);
        for (int k = 0; k < 3; k++) {
            turn[0][k] = between(&rng, -2, 2);
            turn[1][k] = between(&rng, -2, 2);
            at[0][k] = between(&rng, -1, 1);
            at[1][k] = between(&rng, -1, 1);
            offset[k] = between(&rng, -0.3, 0.3);
        }
        s.bodies[0] = add_body(s.model, at[0], turn[0]);
        s.bodies[1] = add_body(s.model, at[1], turn[1]);
        perp_shape_def plane;
        perp_shape_def_init(&plane, sizeof plane);
        plane.kind = PERP_SHAPE_PLANE;
        memcpy(plane.normal, turn[1], sizeof plane.normal);
        plane.normal[0] += 3.0;
        plane.body = round % 3 == 1 ? s.bodies[1] : (perp_system_id){0, 0};
        if (round % 4 == 3)
            perp_collider_add_box(s.collider, s.bodies[0], half, NULL, NULL);
        else
            perp_collider_add_sphere(s.collider, s.bodies[0], 0.1, offset, NULL, NULL);
        if (round % 3 == 2 && round % 4 != 3)
            perp_collider_add_sphere(s.collider, s.bodies[1], 0.2, offset, NULL, NULL);
        else
            ck_assert_int_eq(perp_collider_add(s.collider, &plane, NULL, NULL), PERP_SOLVED);
        detect(&s, 0.0);
        for (int k = 0; k < perp_collider_contacts(s.collider); k++)
            check_jacobian(&s, k, 1e-8);
        ck_assert_int_gt(perp_collider_contacts(s.collider), 0);
        close_scene(&s);
    }
}
END_TEST

START_TEST(jacobians_in_the_plane)
{
    perp_rng rng = {9};
    for (int round = 0; round < 30; round++) {
        scene s;
        double offset[2] = {between(&rng, -0.2, 0.2), between(&rng, -0.2, 0.2)};
        double point[2] = {0.0, -0.5}, normal[2] = {0.3, 2.0};
        open_scene(&s, 2);
        perp_collider_set_margin(s.collider, 3.0);
        perp_collider_set_material(s.collider, 0, 0, 0.1, round % 2 ? 0.5 : 0.0);
        for (int i = 0; i < 2; i++) {
            s.bodies[i] =
                add_flat(s.model, between(&rng, -1, 1), between(&rng, -1, 1), between(&rng, -3, 3));
            ck_assert_int_eq(perp_collider_add_disc(s.collider, s.bodies[i], 0.1 + 0.1 * i,
                                                    round % 3 ? offset : NULL, NULL, NULL),
                             PERP_SOLVED);
        }
        ck_assert_int_eq(perp_collider_add_line(s.collider, point, normal, NULL, NULL),
                         PERP_SOLVED);
        detect(&s, 0.0);
        ck_assert_int_eq(perp_collider_contacts(s.collider), 3);
        for (int k = 0; k < 3; k++)
            check_jacobian(&s, k, 1e-8);
        close_scene(&s);
    }
}
END_TEST

START_TEST(planes_meet_vertices_and_ends)
{
    scene s;
    double at[3] = {0.2, -0.1, 0.55}, half[3] = {0.3, 0.4, 0.5}, origin[3] = {0, 0, 0};
    double up[3] = {0, 0, 4}, flat[3] = {0.0, acos(-1.0) / 2.0, 0.0};
    open_scene(&s, 2);
    perp_collider_set_margin(s.collider, 0.1);
    s.bodies[0] = add_body(s.model, at, NULL);
    at[2] = 0.25;
    s.bodies[1] = add_body(s.model, at, flat);
    perp_collider_add_plane(s.collider, origin, up, NULL, NULL);
    perp_collider_add_box(s.collider, s.bodies[0], half, NULL, NULL);
    detect(&s, 0.0);
    ck_assert_int_eq(perp_collider_contacts(s.collider), 4);
    for (int k = 0; k < 4; k++) {
        perp_contact_info info = {.size = sizeof info};
        perp_collider_contact(s.collider, k, &info);
        ck_assert_int_eq(info.feature, k);
        ck_assert_double_eq_tol(info.point.gap, 0.05, 1e-15);
        ck_assert_double_eq_tol(info.point.point_a[0], 0.2 + (k & 1 ? 0.3 : -0.3), 1e-15);
        ck_assert_double_eq_tol(info.point.point_b[2], 0.0, 1e-15);
        ck_assert_double_eq(info.point.normal[2], 1.0);
    }
    ck_assert_int_eq(perp_collider_lacks_narrow_phase(s.collider), 0);
    close_scene(&s);

    open_scene(&s, 2);
    perp_collider_set_margin(s.collider, 0.1);
    s.bodies[0] = add_body(s.model, at, flat);
    perp_collider_add_capsule(s.collider, s.bodies[0], 0.2, 0.7, NULL, NULL);
    perp_collider_add_plane(s.collider, origin, up, NULL, NULL);
    detect(&s, 0.0);
    ck_assert_int_eq(perp_collider_contacts(s.collider), 2);
    for (int k = 0; k < 2; k++) {
        perp_contact_info info = {.size = sizeof info};
        perp_collider_contact(s.collider, k, &info);
        ck_assert_double_eq_tol(info.point.gap, 0.05, 1e-14);
        ck_assert_double_eq_tol(info.point.point_a[0], 0.2 + (k ? 0.7 : -0.7), 1e-14);
        ck_assert_double_eq_tol(info.point.point_a[2], 0.05, 1e-14);
    }
    close_scene(&s);
}
END_TEST

/* Interaction of the only contact, {0, 0} where there is none. */
static perp_interaction_id sole(scene *s)
{
    perp_contact_info info = {.size = sizeof info};
    if (perp_collider_contacts(s->collider) == 0)
        return (perp_interaction_id){0, 0};
    ck_assert_int_eq(perp_collider_contacts(s->collider), 1);
    perp_collider_contact(s->collider, 0, &info);
    return info.interaction;
}

static void one_ball_on_a_plane(scene *s)
{
    double at[3] = {0.0, 0.0, 1.05}, origin[3] = {0, 0, 0}, up[3] = {0, 0, 1};
    open_scene(s, 1);
    perp_collider_set_margin(s->collider, 0.1);
    s->bodies[0] = add_body(s->model, at, NULL);
    perp_collider_add_sphere(s->collider, s->bodies[0], 1.0, NULL, NULL, NULL);
    perp_collider_add_plane(s->collider, origin, up, NULL, NULL);
    detect(s, 0.0);
}

START_TEST(contacts_stay_up_to_twice_the_margin)
{
    scene s;
    one_ball_on_a_plane(&s);
    perp_interaction_id id = sole(&s);
    double *x = state_of(&s, 0, NULL);
    double heights[] = {0.9, 1.0, 1.15, 1.199, 1.05};
    for (int k = 0; k < 5; k++) {
        x[2] = heights[k];
        detect(&s, 0.0);
        ck_assert(same(id, sole(&s)));
    }
    x[2] = 1.21;
    detect(&s, 0.0);
    ck_assert_int_eq(perp_collider_contacts(s.collider), 0);
    ck_assert_int_eq(perp_model_interactions(s.model), 0);
    x[2] = 1.15;
    detect(&s, 0.0);
    ck_assert_int_eq(perp_collider_contacts(s.collider), 0);
    x[2] = 1.09;
    detect(&s, 0.0);
    ck_assert_int_eq(perp_model_interactions(s.model), 1);
    ck_assert(!same(id, sole(&s)));
    close_scene(&s);
}
END_TEST

START_TEST(a_fast_body_is_seen_before_it_arrives)
{
    scene s;
    double *v, *x;
    one_ball_on_a_plane(&s);
    x = state_of(&s, 0, &v);
    x[2] = 6.0;
    detect(&s, 0.0);
    v[2] = -60.0;
    detect(&s, 0.05);
    ck_assert_int_eq(perp_collider_contacts(s.collider), 0);
    detect(&s, 0.1);
    ck_assert_int_eq(perp_collider_contacts(s.collider), 1);
    close_scene(&s);
}
END_TEST

START_TEST(what_is_gone_goes)
{
    perp_rng rng = {11};
    scene s;
    random_spheres(&s, 60, &rng);
    perp_collider_set_margin(s.collider, 0.1);
    detect(&s, 0.0);
    int before = perp_collider_contacts(s.collider);
    perp_shape_id gone = {7, 1};
    for (int i = 0; i < 60; i += 3)
        ck_assert_int_eq(perp_model_remove_system(s.model, s.bodies[i]), PERP_SOLVED);
    detect(&s, 0.0);
    ck_assert_int_eq(perp_collider_shapes(s.collider), 40);
    int after = perp_collider_contacts(s.collider);
    ck_assert_int_lt(after, before);
    ck_assert_int_eq(perp_model_interactions(s.model), after);
    for (int k = 0; k < after; k++) {
        perp_contact_info info = {.size = sizeof info};
        ck_assert_int_eq(perp_collider_contact(s.collider, k, &info), PERP_SOLVED);
        ck_assert(info.first.index % 3 != 0 && info.second.index % 3 != 0);
    }
    /* An interaction that the user took away comes back, others stay. */
    perp_contact_info info = {.size = sizeof info}, again = {.size = sizeof again};
    perp_collider_contact(s.collider, 0, &info);
    perp_collider_contact(s.collider, 1, &again);
    ck_assert_int_eq(perp_model_remove_interaction(s.model, info.interaction), PERP_SOLVED);
    detect(&s, 0.0);
    ck_assert_int_eq(perp_model_interactions(s.model), after);
    perp_collider_contact(s.collider, 1, &info);
    ck_assert(same(info.interaction, again.interaction));
    /* A shape that is removed; a stale name is refused. */
    ck_assert_int_eq(perp_collider_remove(s.collider, gone), PERP_SOLVED);
    ck_assert_int_eq(perp_collider_remove(s.collider, gone), PERP_ERR_STATE);
    ck_assert_int_eq(perp_model_interactions(s.model), perp_collider_contacts(s.collider));
    detect(&s, 0.0);
    ck_assert_int_eq(perp_model_interactions(s.model), perp_collider_contacts(s.collider));
    /* Its slot serves again under another generation. */
    perp_shape_id id;
    ck_assert_int_eq(perp_collider_add_sphere(s.collider, s.bodies[7], 0.1, NULL, &id, NULL),
                     PERP_SOLVED);
    ck_assert_uint_eq(id.index, 7);
    ck_assert_uint_ne(id.generation, 1);
    detect(&s, 0.0);
    close_scene(&s);
}
END_TEST

START_TEST(materials_give_laws)
{
    scene s;
    one_ball_on_a_plane(&s);
    perp_interaction_id id = sole(&s);
    ck_assert_int_eq(only_link(&s, 0)->rows, 1);
    ck_assert_double_eq(only_link(&s, 0)->law.e, 0.0);
    perp_collider_set_material(s.collider, 0, 0, 0.5, 0.0);
    detect(&s, 0.0);
    ck_assert(same(id, sole(&s)));
    ck_assert_double_eq(only_link(&s, 0)->law.e, 0.5);
    perp_collider_set_material(s.collider, 0, 0, 0.5, 0.3);
    detect(&s, 0.0);
    ck_assert_int_eq(only_link(&s, 0)->rows, 3);
    ck_assert_double_eq(only_link(&s, 0)->law.mu, 0.3);
    ck_assert_int_eq(perp_collider_set_material(s.collider, 0, 0, 1.5, 0.3), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_collider_set_material(s.collider, 0, 0, 0.5, -1), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_collider_set_material(s.collider, -1, 0, 0.5, 1), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_collider_set_material(s.collider, 3, 1, 0.25, 0.0), PERP_SOLVED);
    ck_assert_double_eq(perp_collider_law(s.collider, 1, 3, 0).e, 0.25);
    ck_assert_double_eq(perp_collider_law(s.collider, 2, 2, 0).mu, 0.3);
    ck_assert_int_eq(perp_collider_law(s.collider, 2, 2, 1).dim, 2);
    close_scene(&s);
}
END_TEST

START_TEST(groups_and_bodies_do_not_touch_themselves)
{
    scene s;
    double at[3] = {0, 0, 0}, near_by[3] = {0.1, 0, 0};
    open_scene(&s, 2);
    s.bodies[0] = add_body(s.model, at, NULL);
    s.bodies[1] = add_body(s.model, near_by, NULL);
    perp_collider_add_sphere(s.collider, s.bodies[0], 0.2, NULL, NULL, NULL);
    perp_collider_add_sphere(s.collider, s.bodies[0], 0.2, near_by, NULL, NULL);
    perp_collider_add_sphere(s.collider, (perp_system_id){0, 0}, 5.0, NULL, NULL, NULL);
    detect(&s, 0.0);
    ck_assert_int_eq(perp_collider_contacts(s.collider), 2);
    perp_contact_info info = {.size = sizeof info};
    perp_collider_contact(s.collider, 0, &info);
    ck_assert_uint_eq(info.second.index, 2);
    perp_shape_def def;
    perp_shape_def_init(&def, sizeof def);
    def.body = s.bodies[1];
    def.radius = 0.1;
    def.group = 3;
    perp_collider_add(s.collider, &def, NULL, NULL);
    def.body = s.bodies[0];
    perp_collider_add(s.collider, &def, NULL, NULL);
    detect(&s, 0.0);
    ck_assert_int_eq(perp_collider_contacts(s.collider), 2 + 2 + 1 + 1);
    close_scene(&s);
}
END_TEST

START_TEST(excluded_pairs_do_not_touch)
{
    scene s;
    perp_shape_id id[3];
    open_scene(&s, 3);
    for (int i = 0; i < 3; i++) {
        double at[3] = {0.1 * i, 0, 0};
        s.bodies[i] = add_body(s.model, at, NULL);
        perp_collider_add_sphere(s.collider, s.bodies[i], 0.2, NULL, &id[i], NULL);
    }
    detect(&s, 0.0);
    ck_assert_int_eq(perp_collider_contacts(s.collider), 3);
    ck_assert_int_eq(perp_collider_exclude(s.collider, id[2], id[0]), PERP_SOLVED);
    ck_assert_int_eq(perp_collider_exclude(s.collider, id[0], id[2]), PERP_SOLVED);
    detect(&s, 0.0);
    ck_assert_int_eq(perp_collider_contacts(s.collider), 2);
    ck_assert_int_eq(perp_collider_exclude(s.collider, id[0], id[0]), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_collider_exclude(s.collider, id[0], (perp_shape_id){7, 1}),
                     PERP_ERR_STATE);
    /* A shape that takes the slot of one that is gone is another shape. */
    ck_assert_int_eq(perp_collider_remove(s.collider, id[2]), PERP_SOLVED);
    perp_collider_add_sphere(s.collider, s.bodies[2], 0.2, NULL, &id[2], NULL);
    ck_assert_uint_eq(id[2].index, 2);
    detect(&s, 0.0);
    ck_assert_int_eq(perp_collider_contacts(s.collider), 3);
    close_scene(&s);
}
END_TEST

START_TEST(joined_bodies_do_not_touch)
{
    perp_joint joints[] = {PERP_JOINT_POINT, PERP_JOINT_PIVOT, PERP_JOINT_DISTANCE};
    for (int k = 0; k < 3; k++) {
        scene s;
        perp_interaction_def def;
        perp_interaction_id id;
        open_scene(&s, 2);
        for (int i = 0; i < 2; i++) {
            double at[3] = {0.3 * i, 0, 0};
            s.bodies[i] = add_body(s.model, at, NULL);
            perp_collider_add_sphere(s.collider, s.bodies[i], 0.2, NULL, NULL, NULL);
        }
        perp_interaction_def_init(&def, sizeof def);
        def.systems = s.bodies;
        def.nsystems = 2;
        def.relation.kind = PERP_RELATION_JOINT;
        def.relation.joint = joints[k];
        def.relation.rows = perp_joint_rows(joints[k]);
        def.relation.anchor_b[0] = 0.3;
        def.relation.axis[2] = 1.0;
        def.law = perp_law_equality();
        ck_assert_int_eq(perp_model_add_interaction(s.model, &def, &id, NULL), PERP_SOLVED);
        detect(&s, 0.0);
        ck_assert_int_eq(perp_collider_contacts(s.collider), k == 2);
        perp_collider_set_joined(s.collider, 1);
        detect(&s, 0.0);
        ck_assert_int_eq(perp_collider_contacts(s.collider), 1);
        perp_collider_set_joined(s.collider, 0);
        detect(&s, 0.0);
        ck_assert_int_eq(perp_collider_contacts(s.collider), k == 2);
        ck_assert_int_eq(perp_model_remove_interaction(s.model, id), PERP_SOLVED);
        detect(&s, 0.0);
        ck_assert_int_eq(perp_collider_contacts(s.collider), 1);
        close_scene(&s);
    }
}
END_TEST

/* A few shapes of any size leave the cells those of the many. */
START_TEST(one_large_among_many_small)
{
    enum { N = 4000 };
    perp_rng rng = {3};
    scene s;
    open_scene(&s, N);
    for (int i = 0; i < N; i++) {
        double x[3] = {between(&rng, -2, 2), between(&rng, -2, 2), between(&rng, -2, 2)};
        s.radius[i] = between(&rng, 0.02, 0.06);
        if (i == 17) {
            x[2] = -1e6;
            s.radius[i] = 1e6 - 1.9;
        }
        if (i == 18)
            s.radius[i] = 1e-7;
        s.bodies[i] = add_body(s.model, x, NULL);
        perp_collider_add_sphere(s.collider, s.bodies[i], s.radius[i], NULL, NULL, NULL);
    }
    perp_collider_set_margin(s.collider, 1e-3);
    detect(&s, 0.0);
    int found = 0;
    const double *place[N];
    for (int i = 0; i < N; i++)
        place[i] = state_of(&s, i, NULL);
    for (int i = 0; i < N; i++)
        for (int j = i + 1; j < N; j++) {
            const double *a = place[i], *b = place[j];
            double gap = sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                              (a[2] - b[2]) * (a[2] - b[2])) -
                         s.radius[i] - s.radius[j];
            found += gap <= 1e-3;
        }
    ck_assert_int_eq(perp_collider_contacts(s.collider), found);
    ck_assert_double_le(s.collider->grid.cell, 0.2);
    ck_assert_double_ge(s.collider->grid.cell, 0.05);
    ck_assert_int_eq(s.collider->grid.nloose, 1);
    close_scene(&s);
}
END_TEST

/* What the broad phase looks at: shapes in cells, pairs in one bucket, pairs whose boxes meet. */
typedef struct broad_count {
    double entries, compared, pairs;
} broad_count;

/* Small spheres of one density, loosely on each other, above one large body. */
static broad_count count_broad_phase(int n, int large_is_box)
{
    perp_rng rng = {11};
    broad_count count = {0.0, 0.0, 0.0};
    double side = 0.2 * cbrt((double)n), half[3] = {2e3, 2e3, 1.0}, below[3] = {0.0, 0.0, -1.0};
    scene s;
    open_scene(&s, n + 1);
    for (int i = 0; i < n; i++) {
        double x[3] = {between(&rng, 0, side), between(&rng, 0, side), between(&rng, 0, side)};
        s.bodies[i] = add_body(s.model, x, NULL);
        perp_collider_add_sphere(s.collider, s.bodies[i], between(&rng, 0.08, 0.1), NULL, NULL,
                                 NULL);
    }
    below[2] = large_is_box ? -1.0 : -1e4;
    s.bodies[n] = add_body(s.model, below, NULL);
    if (large_is_box)
        perp_collider_add_box(s.collider, s.bodies[n], half, NULL, NULL);
    else
        perp_collider_add_sphere(s.collider, s.bodies[n], 1e4, NULL, NULL, NULL);
    ck_assert_int_eq(perp_collider_place(s.collider, 1e-3, 0), PERP_SOLVED);
    ck_assert_int_eq(perp_grid_build(s.collider), PERP_SOLVED);
    for (unsigned k = 0; k <= s.collider->grid.mask; k++) {
        double own = s.collider->grid.start[k + 1] - s.collider->grid.start[k];
        count.entries += own;
        count.compared += 0.5 * own * (own - 1.0);
    }
    count.compared += (double)s.collider->grid.nloose * n;
    for (int i = 0; i <= n; i++) {
        ck_assert_int_eq(perp_grid_partners(s.collider, i), PERP_SOLVED);
        count.pairs += s.collider->grid.nfound;
    }
    close_scene(&s);
    return count;
}

/* Eight times the shapes: eight times the work, by count, with one large body among them. */
START_TEST(broad_phase_is_linear)
{
    broad_count few = count_broad_phase(12500, _i), many = count_broad_phase(100000, _i);

    ck_assert_double_le(few.entries, 12.0 * 12500);
    ck_assert_double_le(few.compared, 40.0 * 12500);
    ck_assert_double_le(many.entries, 1.1 * 8.0 * few.entries);
    ck_assert_double_le(many.compared, 1.1 * 8.0 * few.compared);
    ck_assert_double_le(many.pairs, 1.1 * 8.0 * few.pairs);
    ck_assert_double_ge(many.pairs, 100000.0);
}
END_TEST

START_TEST(bad_shapes_are_refused)
{
    scene s;
    double zero[3] = {0, 0, 0}, vertices[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    int triangle[3] = {0, 1, 3};
    perp_where where;
    perp_shape_def def;
    open_scene(&s, 2);
    s.bodies[0] = add_body(s.model, zero, NULL);
    s.bodies[1] = add_flat(s.model, 0, 0, 0);
    struct {
        perp_status status;
        const char *what;
    } want[] = {
        {PERP_ERR_ARGUMENT, "radius"},     {PERP_ERR_NONFINITE, "position"},
        {PERP_ERR_ARGUMENT, "material"},   {PERP_ERR_UNSUPPORTED, "body"},
        {PERP_ERR_STATE, "body"},          {PERP_ERR_ARGUMENT, "half"},
        {PERP_ERR_ARGUMENT, "quaternion"}, {PERP_ERR_ARGUMENT, "normal"},
        {PERP_ERR_ARGUMENT, "triangles"},  {PERP_ERR_ARGUMENT, "kind"},
    };
    for (int k = 0; k < 10; k++) {
        perp_shape_def_init(&def, sizeof def);
        def.body = s.bodies[0];
        def.radius = k == 0 ? -1.0 : 1.0;
        def.position[1] = k == 1 ? NAN : 0.0;
        def.material = k == 2 ? -1 : 0;
        if (k == 3)
            def.body = s.bodies[1];
        if (k == 4)
            def.body.generation += 5;
        if (k == 5) {
            def.kind = PERP_SHAPE_BOX;
            def.half[2] = 0.0;
        }
        if (k == 6)
            def.quaternion[0] = 0.0;
        if (k == 7) {
            def.kind = PERP_SHAPE_PLANE;
            def.normal[2] = 0.0;
        }
        if (k == 8) {
            def.kind = PERP_SHAPE_MESH;
            def.vertices = vertices;
            def.nvertices = 3;
            def.triangles = triangle;
            def.ntriangles = 1;
        }
        if (k == 9)
            def.kind = (perp_shape_kind)99;
        ck_assert_int_eq(perp_collider_add(s.collider, &def, NULL, &where), want[k].status);
        ck_assert_str_eq(where.what, want[k].what);
    }
    ck_assert_int_eq(perp_collider_shapes(s.collider), 0);
    perp_collider_add_sphere(s.collider, s.bodies[0], 1.0, NULL, NULL, NULL);
    state_of(&s, 0, NULL)[1] = INFINITY;
    ck_assert_int_eq(perp_collider_detect(s.collider, 0.0, 0.0), PERP_ERR_NONFINITE);
    ck_assert_int_eq(perp_collider_detect(s.collider, 0.0, -1.0), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_collider_set_margin(s.collider, NAN), PERP_ERR_ARGUMENT);
    close_scene(&s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("collide");
    TCase *tcase = tcase_create("collide");
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, grid_finds_what_all_pairs_find);
    tcase_add_test(tcase, jacobians_are_derivatives_of_gaps);
    tcase_add_test(tcase, jacobians_in_the_plane);
    tcase_add_test(tcase, planes_meet_vertices_and_ends);
    tcase_add_test(tcase, contacts_stay_up_to_twice_the_margin);
    tcase_add_test(tcase, a_fast_body_is_seen_before_it_arrives);
    tcase_add_test(tcase, what_is_gone_goes);
    tcase_add_test(tcase, materials_give_laws);
    tcase_add_test(tcase, groups_and_bodies_do_not_touch_themselves);
    tcase_add_test(tcase, excluded_pairs_do_not_touch);
    tcase_add_test(tcase, joined_bodies_do_not_touch);
    tcase_add_test(tcase, one_large_among_many_small);
    tcase_add_loop_test(tcase, broad_phase_is_linear, 0, 2);
    tcase_add_test(tcase, bad_shapes_are_refused);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
