/* SPDX-License-Identifier: BSD-3-Clause */
/* How rows turn, in closed form, beside differences of the rows: balls and planes of all sides,
 * with friction and rolling, joints and couplings in any configuration. */
#include "kernel/derivative/relation_turn.h"
#include "tests/fixtures/collide_scene.h"

/* A place above 0 and a rotation, both drawn. */
static perp_system_id drawn(scene *s, perp_rng *rng, double height)
{
    double x[3] = {between(rng, -0.3, 0.3), between(rng, -0.3, 0.3), height};
    double turn[3] = {between(rng, -2, 2), between(rng, -2, 2), between(rng, -2, 2)};
    return add_body(s->model, x, turn);
}

static void add_ball(scene *s, perp_system_id body, perp_rng *rng)
{
    double offset[3] = {between(rng, -0.1, 0.1), between(rng, -0.1, 0.1), between(rng, -0.1, 0.1)};
    ck_assert_int_eq(perp_collider_add_sphere(s->collider, body, 0.5, offset, NULL, NULL),
                     PERP_SOLVED);
}

/* A plane that moves with a body, or stands. */
static void add_plane(scene *s, const perp_system_id *body, perp_rng *rng)
{
    perp_shape_def def;
    double world[3] = {between(rng, -0.4, 0.4), between(rng, -0.4, 0.4), 1.0};
    perp_shape_def_init(&def, sizeof def);
    def.kind = PERP_SHAPE_PLANE;
    memcpy(def.normal, world, sizeof world);
    if (body) {
        double *q;
        ck_assert_int_eq(perp_model_state(s->model, *body, &q, NULL, NULL, NULL), PERP_SOLVED);
        def.body = *body;
        perp_quaternion_rotate_back(q + 3, world, def.normal);
    }
    ck_assert_int_eq(perp_collider_add(s->collider, &def, NULL, NULL), PERP_SOLVED);
}

/* G beside central differences of H, about the states at NOW. */
static void check_turn(perp_link *link, double tolerance)
{
    int rows = link->rows, nv = link->nv;
    size_t each = (size_t)(rows * nv);
    double *G = calloc(each * (size_t)(nv + 2), sizeof *G), *drift = G + each * (size_t)nv;
    double *H = drift + each, *x = calloc((size_t)link->N + 1, sizeof *x), largest = 0.0;
    double *work = calloc(perp_link_turn_work(link), sizeof *work), *plus = H;
    double *minus = calloc(each, sizeof *minus);
    for (int k = 0; k < link->nsystems; k++)
        memset(link->systems[k]->q[PERP_GUESS], 0x3f, 8 * (size_t)link->systems[k]->nq);
    moved(x, link, 0, 0.0);
    ck_assert_int_eq(perp_link_turn_source(link), PERP_TURN_CLOSED);
    ck_assert_int_eq(perp_link_turn(G, drift, link, 0.0, x, work), 0);
    for (int k = 0; k < nv; k++) {
        double step = 1e-5;
        moved(x, link, k, step);
        ck_assert_int_eq(perp_link_jacobian(plus, link, 0.0, x, link->lambda), 0);
        moved(x, link, k, -step);
        ck_assert_int_eq(perp_link_jacobian(minus, link, 0.0, x, link->lambda), 0);
        for (size_t i = 0; i < each; i++) {
            double difference = (plus[i] - minus[i]) / (2.0 * step);
            largest = fmax(largest, fabs(difference));
            ck_assert_msg(fabs(G[i + (size_t)k * each] - difference) <= tolerance,
                          "coordinate %d, row %zu, column %zu: %g beside %g", k, i % (size_t)rows,
                          i / (size_t)rows, G[i + (size_t)k * each], difference);
        }
    }
    ck_assert_double_gt(largest, 1e-2);
    free(minus);
    free(work);
    free(x);
    free(G);
}

/* _i: the sides, and normal rows alone, with friction, with rolling, with
 * torsion. */
START_TEST(contacts_of_a_detection)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        perp_rng rng = {1000 * (uint64_t)_i + seed};
        scene s;
        int sides = _i % 4, kind = _i / 4;
        open_scene(&s, 0);
        perp_collider_set_margin(s.collider, 2.0);
        if (kind >= 2)
            perp_collider_set_coefficients(s.collider, 0, 0.0, 0.3, kind == 2 ? 0.1 : 0.0);
        else
            perp_collider_set_material(s.collider, 0, 0, 0.0, kind ? 0.3 : 0.0);
        if (kind == 3)
            perp_collider_set_torsion(s.collider, 0, 0.1);
        if (sides == 0) { /* ball on the world */
            add_plane(&s, NULL, &rng);
            add_ball(&s, drawn(&s, &rng, 0.6), &rng);
        } else if (sides == 1) { /* two balls */
            add_ball(&s, drawn(&s, &rng, 0.0), &rng);
            add_ball(&s, drawn(&s, &rng, 1.1), &rng);
        } else { /* a plane that moves, as the first and as the second */
            perp_system_id low = drawn(&s, &rng, 0.0), high = drawn(&s, &rng, 0.7);
            if (sides == 2)
                add_plane(&s, &low, &rng);
            add_ball(&s, high, &rng);
            if (sides == 3)
                add_plane(&s, &low, &rng);
        }
        detect(&s, 0.01);
        ck_assert_int_eq(perp_collider_contacts(s.collider), 1);
        perp_link *link = only_link(&s, 0);
        ck_assert_int_eq(link->rows, kind == 0 ? 1 : kind == 1 ? 3 : kind == 2 ? 5 : 4);
        check_turn(link, 2e-8);
        close_scene(&s);
    }
}
END_TEST

/* Any two bodies; they need not be where the joint was made. */
START_TEST(joints)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        perp_rng rng = {7000 + 1000 * (uint64_t)_i + seed};
        perp_interaction_def def;
        perp_interaction_id id;
        scene s;
        open_scene(&s, 0);
        perp_system_id bodies[2] = {drawn(&s, &rng, 0.0), drawn(&s, &rng, 0.8)};
        perp_joint joint = (perp_joint)(_i / 2);
        perp_interaction_def_init(&def, sizeof def);
        def.systems = bodies;
        def.nsystems = 1 + _i % 2;
        def.relation.kind = PERP_RELATION_JOINT;
        def.relation.joint = joint;
        def.relation.rows = perp_joint_rows(joint);
        for (int k = 0; k < 3; k++) {
            def.relation.anchor[k] = between(&rng, -0.5, 0.5);
            def.relation.anchor_b[k] = between(&rng, 0.5, 1.5);
            def.relation.axis[k] = between(&rng, 0.2, 1.0);
            def.relation.axis_b[k] = between(&rng, -1.0, -0.2) * (k == 1 ? -1.0 : 1.0);
        }
        int coordinate = joint == PERP_JOINT_SLIDE || joint == PERP_JOINT_ANGLE;
        def.law = coordinate ? perp_law_motor(1.0, 2.0) : perp_law_equality();
        ck_assert_int_eq(perp_model_add_interaction(s.model, &def, &id, NULL), PERP_SOLVED);
        perp_link *link = perp_model_link(s.model, id);
        for (int k = 0; k < link->nsystems; k++) {
            perp_system *body = link->systems[k];
            double twist[6];
            for (int i = 0; i < 6; i++)
                twist[i] = between(&rng, -0.3, 0.3);
            perp_system_move(body->q[PERP_NOW], body, body->q[PERP_NOW], twist, 1.0);
            memcpy(body->q[PERP_START], body->q[PERP_NOW], 7 * sizeof(double));
        }
        check_turn(link, 3e-8);
        close_scene(&s);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("how rows turn");
    TCase *test = tcase_create("closed forms");
    tcase_add_loop_test(test, contacts_of_a_detection, 0, 16);
    tcase_add_loop_test(test, joints, 0, 2 * (PERP_JOINT_TURN + 1));
    suite_add_tcase(suite, test);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
