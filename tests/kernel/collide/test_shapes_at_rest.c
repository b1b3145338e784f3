/* SPDX-License-Identifier: BSD-3-Clause */
/* Simulations on the own narrow phase: shapes stand, lie and roll as they should. */
#include "config.h"

#include "tests/fixtures/collide_scene.h"

typedef struct world {
    scene s;
    perp_sim *sim;
} world;

static void open_world(world *w, int n, double e, double mu)
{
    open_scene(&w->s, n);
    perp_collider_set_material(w->s.collider, 0, 0, e, mu);
}

static void begin(world *w, double h)
{
    perp_sim_options options;
    perp_sim_options_init(&options, sizeof options);
    options.h = h;
    ck_assert_int_eq(perp_sim_create(&w->sim, w->s.model, &options, NULL, NULL), PERP_SOLVED);
    perp_sim_set_before_step(w->sim, perp_collider_step, w->s.collider);
}

static void step(world *w, int steps)
{
    for (int k = 0; k < steps; k++) {
        perp_status status = perp_sim_step(w->sim);
        ck_assert_msg(status >= 0, "step %d: %s, %s", k, perp_status_name(status),
                      perp_sim_info(w->sim)->detail);
    }
}

static void close_world(world *w)
{
    perp_sim_destroy(w->sim);
    close_scene(&w->s);
}

static void add(world *w, int i, perp_shape_def *shape, const double *at, const double *turn,
                double gx, double inertia_xy, double inertia_z)
{
    perp_body_def def;
    perp_body_def_init(&def, sizeof def);
    memcpy(def.position, at, sizeof def.position);
    if (turn)
        perp_quaternion_exp(turn, def.quaternion);
    def.inertia[0] = def.inertia[4] = inertia_xy;
    def.inertia[8] = inertia_z;
    def.force[0] = gx;
    def.force[2] = -9.81;
    ck_assert_int_eq(perp_model_add_body(w->s.model, &def, &w->s.bodies[i], NULL), PERP_SOLVED);
    shape->body = w->s.bodies[i];
    ck_assert_int_eq(perp_collider_add(w->s.collider, shape, NULL, NULL), PERP_SOLVED);
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
    return def;
}

static void add_floor(world *w, int box)
{
    double origin[3] = {0, 0, 0}, up[3] = {0, 0, 1};
    if (!box) {
        perp_collider_add_plane(w->s.collider, origin, up, NULL, NULL);
        return;
    }
    perp_shape_def def = shape(PERP_SHAPE_BOX, 0, 20, 20, 0.5);
    def.position[2] = -0.5;
    ck_assert_int_eq(perp_collider_add(w->s.collider, &def, NULL, NULL), PERP_SOLVED);
}

static int same_names(const world *w, perp_interaction_id *id, int count)
{
    int n = perp_collider_contacts(w->s.collider), kept = n == count;
    for (int k = 0; k < n && k < 64; k++) {
        perp_contact_info info = {.size = sizeof info};
        perp_collider_contact(w->s.collider, k, &info);
        kept = kept && same(id[k], info.interaction);
        id[k] = info.interaction;
    }
    return kept;
}

/* Boxes on each other: they stay where they are, on the same contacts. */
START_TEST(a_stack_stands)
{
    enum { N = 5 };
    world w;
    perp_interaction_id id[64];
    perp_shape_def box = shape(PERP_SHAPE_BOX, 0, 0.5, 0.4, 0.3);
    open_world(&w, N, 0.0, 0.5);
    add_floor(&w, 1);
    for (int i = 0; i < N; i++) {
        double at[3] = {0.05 * i, 0.0, 0.3 + 0.6 * i};
        add(&w, i, &box, at, NULL, 0.0, 0.2, 0.2);
    }
    begin(&w, 2e-3);
    step(&w, 20);
    same_names(&w, id, 0);
    for (int k = 0; k < 100; k++) {
        step(&w, 5);
        ck_assert(same_names(&w, id, 4 * N));
    }
    for (int i = 0; i < N; i++) {
        double *v, *x = state_of(&w.s, i, &v);
        ck_assert_double_eq_tol(x[0], 0.05 * i, 1e-9);
        ck_assert_double_eq_tol(x[2], 0.3 + 0.6 * i, 1e-9);
        for (int k = 0; k < 6; k++)
            ck_assert_double_eq_tol(v[k], 0.0, 1e-9);
    }
    close_world(&w);
}
END_TEST

typedef struct pose {
    perp_shape_def def;
    double height, turn[3];
    int points; /* in touch at rest */
} pose;

/* Each at rest on a plane and on a box: nothing moves, no contact changes its name. */
START_TEST(shapes_lie)
{
    double quarter = acos(-1.0) / 2.0, slope = atan2(0.3, 0.8);
    pose poses[] = {
        {shape(PERP_SHAPE_CYLINDER, 0.3, 1, 1, 0.4), 0.4, {0, 0, 0}, 8},
        {shape(PERP_SHAPE_CYLINDER, 0.3, 1, 1, 0.4), 0.3, {0, quarter, 0}, 2},
        {shape(PERP_SHAPE_CONE, 0.3, 1, 1, 0.4), 0.0, {0, 0, 0.2}, 8},
        {shape(PERP_SHAPE_CONE, 0.3, 1, 1, 0.4), 0.3 * cos(slope), {0, quarter + slope, 0}, 2},
        {shape(PERP_SHAPE_ELLIPSOID, 0.0, 0.5, 0.4, 0.2), 0.2, {0, 0, 0}, 1},
        {shape(PERP_SHAPE_CAPSULE, 0.3, 1, 1, 0.4), 0.3, {quarter, 0, 0}, 2},
        {shape(PERP_SHAPE_BOX, 0.3, 0.1, 0.2, 0.4), 0.1, {0, quarter, 0}, 4},
        {shape(PERP_SHAPE_SPHERE, 0.3, 0.1, 0.2, 0.4), 0.3, {0, 1, 0}, 1},
    };
    for (int k = 0; k < 16; k++) {
        pose *p = &poses[k / 2];
        double at[3] = {0.1, 0.2, p->height};
        perp_interaction_id id[64];
        world w;
        open_world(&w, 1, 0.0, 0.5);
        add_floor(&w, k % 2);
        if (p->def.kind == PERP_SHAPE_CONE) /* about its centre of mass */
            p->def.position[2] = -0.2;
        if (p->def.kind == PERP_SHAPE_CONE && p->turn[1] == 0.0)
            at[2] = 0.2;
        if (p->def.kind == PERP_SHAPE_CONE && p->turn[1] != 0.0)
            at[2] = p->height - 0.2 * sin(slope);
        add(&w, 0, &p->def, at, p->turn, 0.0, 0.05, 0.03);
        begin(&w, 2e-3);
        step(&w, 10);
        same_names(&w, id, 0);
        for (int i = 0; i < 20; i++) {
            step(&w, 10);
            ck_assert_msg(same_names(&w, id, p->points), "shape %d on %s: %d contacts", k / 2,
                          k % 2 ? "a box" : "a plane", perp_collider_contacts(w.s.collider));
        }
        double *v, *x = state_of(&w.s, 0, &v);
        for (int i = 0; i < 6; i++)
            ck_assert_msg(fabs(v[i]) <= 1e-8, "shape %d on %d: v[%d] = %g", k / 2, k % 2, i, v[i]);
        for (int i = 0; i < 3; i++)
            ck_assert_double_eq_tol(x[i], at[i], 1e-8);
        close_world(&w);
    }
}
END_TEST

/* A force along x of m a: a rolling cylinder moves at 2/3 a, a sphere at 5/7 a. */
START_TEST(round_shapes_roll)
{
    double quarter = acos(-1.0) / 2.0, turn[3] = {quarter, 0, 0}, r = 0.3, h = 1e-3;
    for (int k = 0; k < 6; k++) {
        world w;
        perp_shape_def def = k / 2 == 0   ? shape(PERP_SHAPE_CYLINDER, r, 1, 1, 0.4)
                             : k / 2 == 1 ? shape(PERP_SHAPE_CAPSULE, r, 1, 1, 0.4)
                                          : shape(PERP_SHAPE_ELLIPSOID, 0, r, r, 0.5);
        double at[3] = {0, 0, r}, inertia = 0.5 * r * r;
        open_world(&w, 1, 0.0, 0.5);
        add_floor(&w, k % 2);
        add(&w, 0, &def, at, turn, 1.0, 0.1, inertia);
        begin(&w, h);
        step(&w, 100);
        double *v, *x = state_of(&w.s, 0, &v), early = v[0];
        step(&w, 900);
        ck_assert_double_eq_tol(v[0] - early, 0.6, 1e-8);
        ck_assert_double_eq_tol(x[2], r, 1e-9);
        ck_assert_double_eq_tol(x[1], 0.0, 1e-6);
        close_world(&w);
    }
}
END_TEST

/* A bullet of 1 cm at 500 m/s and a wall of 1 mm, with a step in which it flies 0.5 m. */
START_TEST(a_bullet_does_not_pass)
{
    perp_shape_kind kinds[] = {PERP_SHAPE_SPHERE, PERP_SHAPE_CAPSULE, PERP_SHAPE_CYLINDER,
                               PERP_SHAPE_CONE,   PERP_SHAPE_BOX,     PERP_SHAPE_ELLIPSOID};
    for (int k = 0; k < 24; k++) {
        world w;
        double at[3] = {-0.05 - 0.37 * (k / 6), 0.01, 0.02}, turn[3] = {0.3, 1.2, 0.1 * k};
        perp_shape_def def = shape(kinds[k % 6], 0.005, 0.005, 0.005, 0.005);
        perp_shape_def wall = shape(PERP_SHAPE_BOX, 0, 0.0005, 1, 1);
        open_world(&w, 1, 0.0, 0.3);
        add(&w, 0, &def, at, turn, 0.0, 1e-5, 1e-5);
        ck_assert_int_eq(perp_collider_add(w.s.collider, &wall, NULL, NULL), PERP_SOLVED);
        double *v, *x = state_of(&w.s, 0, &v);
        v[0] = 500.0;
        begin(&w, 1e-3);
        for (int i = 0; i < 20; i++) {
            step(&w, 1);
            ck_assert_msg(x[0] < 0.0, "kind %d, start %d: at %g after step %d", k % 6, k / 6, x[0],
                          i);
        }
        close_world(&w);
    }
}
END_TEST

/* A floor of triangles n x n, z = slope |x| at its vertices. */
static void add_triangles(world *w, int n, double size, double slope)
{
    double *x = calloc((size_t)(3 * (n + 1) * (n + 1)), sizeof *x);
    int *t = calloc((size_t)(6 * n * n), sizeof *t), k = 0;
    for (int j = 0; j <= n; j++)
        for (int i = 0; i <= n; i++) {
            double *p = x + 3 * (i + (n + 1) * j);
            p[0] = size * (2.0 * i / n - 1.0);
            p[1] = size * (2.0 * j / n - 1.0);
            p[2] = slope * fabs(p[0]);
        }
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            int a = i + (n + 1) * j, b = a + 1, c = a + n + 1, d = c + 1;
            const int two[6] = {a, b, d, a, d, c};
            memcpy(t + 3 * k, two, sizeof two);
            k += 2;
        }
    ck_assert_int_eq(perp_collider_add_mesh(w->s.collider, (perp_system_id){0, 0}, x,
                                            (n + 1) * (n + 1), t, 2 * n * n, NULL, NULL),
                     PERP_SOLVED);
    ck_assert_int_eq(perp_collider_lacks_narrow_phase(w->s.collider), 0);
    free(x);
    free(t);
}

/* What slides over flat triangles slides as on a plane: no edge of theirs is felt. */
START_TEST(edges_within_a_floor_are_not_felt)
{
    double quarter = acos(-1.0) / 2.0, h = 1e-3, mu = 0.3, g = 9.81;
    pose poses[] = {{shape(PERP_SHAPE_BOX, 0.0, 0.2, 0.15, 0.1), 0.1, {0, 0, 0.4}, 0},
                    {shape(PERP_SHAPE_CYLINDER, 0.2, 1, 1, 0.1), 0.1, {0, 0, 0}, 0},
                    {shape(PERP_SHAPE_CYLINDER, 0.2, 1, 1, 0.3), 0.2, {0, quarter, 0}, 0},
                    {shape(PERP_SHAPE_CAPSULE, 0.1, 1, 1, 0.3), 0.1, {0, quarter, 0}, 0},
                    {shape(PERP_SHAPE_SPHERE, 0.1, 1, 1, 0.3), 0.1, {0, 0, 0}, 0}};
    for (int k = 0; k < 5; k++) {
        world w;
        double at[3] = {-1.13, 0.21, poses[k].height};
        open_world(&w, 1, 0.0, mu);
        add_triangles(&w, 16, 4.0, 0.0);
        /* So heavy to turn that it slides upright. */
        add(&w, 0, &poses[k].def, at, poses[k].turn, 0.0, 1e4, 1e4);
        begin(&w, h);
        double *v, *x = state_of(&w.s, 0, &v);
        v[0] = 2.0;
        step(&w, 20);
        double early = v[0], from = x[0];
        step(&w, 480);
        double t = 480 * h;
        ck_assert_msg(fabs(early - v[0] - mu * g * t) < 1e-3 * mu * g * t, "shape %d: slowed %g", k,
                      early - v[0]);
        ck_assert_double_eq_tol(x[0] - from, early * t - 0.5 * mu * g * t * t, 2e-3);
        ck_assert_double_eq_tol(x[2], poses[k].height, 1e-6);
        ck_assert_double_eq_tol(v[1], 0.0, 1e-3);
        close_world(&w);
    }
}
END_TEST

static void normal_of_first(double *n, const world *w)
{
    perp_contact_info info = {.size = sizeof info};
    ck_assert_int_gt(perp_collider_contacts(w->s.collider), 0);
    perp_collider_contact(w->s.collider, 0, &info);
    memcpy(n, info.point.normal, sizeof info.point.normal);
}

/* Two cards lean on each other along their upper edges, whose normal nothing tells but the past: it
 * stays while they move by what a step at rest leaves, and not where it parts them less. */
START_TEST(edges_along_each_other_keep_their_normal)
{
    for (int hull = 0; hull < 2; hull++) {
        perp_rng rng = {7};
        world w;
        double corner[8][3], lean = 0.35, n[3], now[3],
                             across = 0.15 * sin(lean) + 0.005 * cos(lean);
        for (int k = 0; k < 8; k++)
            for (int i = 0; i < 3; i++)
                corner[k][i] = (k >> i & 1 ? 1.0 : -1.0) * (i == 0 ? 0.005 : i == 1 ? 0.1 : 0.15);
        open_world(&w, 2, 0.0, 0.7);
        for (int k = 0; k < 2; k++) {
            perp_shape_def card =
                shape(hull ? PERP_SHAPE_HULL : PERP_SHAPE_BOX, 0.0, 0.005, 0.1, 0.15);
            double at[3] = {k ? across : -across, 0.0, 1.0}, turn[3] = {0.0, k ? -lean : lean, 0.0};
            card.vertices = hull ? corner[0] : NULL;
            card.nvertices = hull ? 8 : 0;
            add(&w, k, &card, at, turn, 0.0, 1.0, 1.0);
        }
        double *x = state_of(&w.s, 1, NULL), place[3];
        memcpy(place, x, sizeof place);
        x[0] -= 1e-13;
        detect(&w.s, 0.0);
        normal_of_first(n, &w);
        for (int k = 0; k < 300; k++) {
            for (int i = 0; i < 3; i++)
                x[i] = place[i] + 5e-11 * between(&rng, -1.0, 1.0);
            detect(&w.s, 0.0);
            normal_of_first(now, &w);
            ck_assert_double_eq_tol(n[0] * now[0] + n[1] * now[1] + n[2] * now[2], 1.0, 1e-12);
        }
        /* Raised, its face lies on the edge of the other one, whichever normal it was. */
        x[0] = place[0] - 5e-4;
        x[2] = place[2] + 1e-3;
        detect(&w.s, 0.0);
        normal_of_first(now, &w);
        ck_assert_double_eq_tol(fabs(now[0]), cos(lean), 1e-9);
        ck_assert_double_eq_tol(now[2] * now[0], sin(lean) * cos(lean), 1e-9);
        close_scene(&w.s);
    }
}
END_TEST

/* A ball in a valley touches both sides; a ridge holds one at its top. */
START_TEST(valleys_and_ridges)
{
    double slope = 0.5, r = 0.3;
    for (int k = 0; k < 2; k++) {
        world w;
        double s = k ? -slope : slope;
        double at[3] = {0, 0.1, k ? r : r * sqrt(1.0 + slope * slope)};
        perp_shape_def ball = shape(PERP_SHAPE_SPHERE, r, 1, 1, 1);
        open_world(&w, 1, 0.0, 0.5);
        add_triangles(&w, 8, 2.0, s);
        add(&w, 0, &ball, at, NULL, 0.0, 0.04, 0.04);
        begin(&w, 1e-3);
        step(&w, 100);
        double *v, *x = state_of(&w.s, 0, &v);
        ck_assert_double_eq_tol(x[2], at[2], 1e-8);
        ck_assert_int_eq(perp_collider_contacts(w.s.collider), k ? 1 : 2);
        close_world(&w);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("shapes_at_rest");
    TCase *tcase = tcase_create("shapes_at_rest");
    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, a_stack_stands);
    tcase_add_test(tcase, shapes_lie);
    tcase_add_test(tcase, round_shapes_roll);
    tcase_add_test(tcase, a_bullet_does_not_pass);
    tcase_add_test(tcase, edges_within_a_floor_are_not_felt);
    tcase_add_test(tcase, edges_along_each_other_keep_their_normal);
    tcase_add_test(tcase, valleys_and_ridges);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
