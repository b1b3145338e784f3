/* SPDX-License-Identifier: BSD-3-Clause */
/* Shapes of every kind with materials, exclusions, groups and running surfaces, of which each block
 * of memory fails once: as they are added, in detections, saved and loaded.  What failed is told,
 * and done again it gives the contacts that there are without a failure.  Coefficients that
 * combine, by their formulas; arguments that are refused. */
#include "tests/fixtures/collide_scene.h"

#include "tests/fixtures/contract.h"

enum { BODIES = 14, FLAT = 4, MOST = 400 };

static const double cube[24] = {-1, -1, -1, 1, -1, -1, -1, 1, -1, 1, 1, -1,
                                -1, -1, 1,  1, -1, 1,  -1, 1, 1,  1, 1, 1};
static const int sides[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                              2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
static const double square[12] = {-0.3, -0.3, 0, 0.3, -0.3, 0, 0.3, 0.3, 0, -0.3, 0.3, 0};

typedef struct world {
    perp_model *model;
    perp_collider *collider;
    perp_system_id body[BODIES], flat[FLAT];
} world;

static perp_shape_def shape_of(world *w, int k)
{
    static const perp_shape_kind kinds[] = {
        PERP_SHAPE_SPHERE, PERP_SHAPE_BOX,       PERP_SHAPE_CAPSULE, PERP_SHAPE_CYLINDER,
        PERP_SHAPE_CONE,   PERP_SHAPE_ELLIPSOID, PERP_SHAPE_MESH};
    perp_shape_def def;
    perp_shape_def_init(&def, sizeof def);
    def.kind = kinds[k % 7];
    def.body = w->body[k];
    def.radius = 0.3;
    for (int i = 0; i < 3; i++)
        def.half[i] = 0.25 + 0.05 * i;
    if (def.kind == PERP_SHAPE_MESH) {
        static double small[24];
        for (int i = 0; i < 24; i++)
            small[i] = 0.3 * cube[i];
        def.vertices = small;
        def.nvertices = 8;
        def.triangles = sides;
        def.ntriangles = 12;
    }
    def.material = k % 3;
    def.group = k == 3 || k == 4;
    return def;
}

static perp_status add_flat_shapes(world *w)
{
    double origin[2] = {0, -5.0}, up[2] = {0, 1};
    perp_status status = perp_collider_add_line(w->collider, origin, up, NULL, NULL);
    for (int k = 0; k < FLAT && status == PERP_SOLVED; k++) {
        perp_shape_def def;
        perp_shape_def_init(&def, sizeof def);
        def.kind = k % 2 ? PERP_SHAPE_POLYGON : PERP_SHAPE_DISC;
        def.body = w->flat[k];
        def.radius = 0.3;
        def.vertices = square;
        def.nvertices = k % 2 ? 4 : 0;
        status = perp_collider_add(w->collider, &def, NULL, NULL);
    }
    return status;
}

/* Everything that takes memory, in turn, up to the first that fails. */
static perp_status furnish(world *w)
{
    double origin[3] = {0, 0, -0.9}, up[3] = {0, 0, 1}, belt[3] = {0.4, 0, 0};
    perp_shape_id ids[BODIES], plane;
    perp_law law = perp_law_friction(3, 0.1, 0.6);
    perp_status status = perp_collider_set_material(w->collider, 0, 0, 0.1, 0.4);
    if (status == PERP_SOLVED)
        status = perp_collider_set_law(w->collider, 1, 2, &law);
    if (status == PERP_SOLVED)
        status = perp_collider_set_skin(w->collider, 0, 1, 0.01);
    if (status == PERP_SOLVED)
        status = perp_collider_set_coefficients(w->collider, 2, 0.3, 0.5, 0.0);
    if (status == PERP_SOLVED)
        status = perp_collider_set_coefficients(w->collider, 5, 0.3, 0.5, 0.01);
    for (int k = 0; k < BODIES && status == PERP_SOLVED; k++) {
        perp_shape_def def = shape_of(w, k);
        status = perp_collider_add(w->collider, &def, &ids[k], NULL);
    }
    if (status == PERP_SOLVED)
        status = perp_collider_add_plane(w->collider, origin, up, &plane, NULL);
    if (status == PERP_SOLVED)
        status = perp_collider_set_surface(w->collider, plane, belt, NULL);
    if (status == PERP_SOLVED)
        status = add_flat_shapes(w);
    for (int k = 1; k < 4 && status == PERP_SOLVED; k++)
        status = perp_collider_exclude(w->collider, ids[0], ids[k]);
    return status;
}

static void place(world *w, int k, double shift)
{
    double *x, *v;
    ck_assert_int_eq(perp_model_state(w->model, w->body[k], &x, &v, NULL, NULL), PERP_SOLVED);
    x[0] = 0.5 * (k % 4) + shift;
    x[1] = 0.5 * (k / 4);
    x[2] = -0.62 + 0.02 * (k % 3) - 0.3 * shift;
}

static void open_world(world *w, const perp_allocator *allocator)
{
    ck_assert_int_eq(perp_model_create(&w->model, allocator), PERP_SOLVED);
    for (int k = 0; k < BODIES; k++) {
        double x[3] = {0}, turn[3] = {0.1 * k, 0.05, -0.03 * k};
        w->body[k] = add_body(w->model, x, turn);
        place(w, k, 0.0);
    }
    for (int k = 0; k < FLAT; k++)
        w->flat[k] = add_flat(w->model, 0.5 * k, -4.72, 0.2 * k);
    ck_assert_int_eq(perp_collider_create(&w->collider, w->model, allocator), PERP_SOLVED);
}

static void close_world(world *w)
{
    perp_collider_destroy(w->collider);
    perp_model_destroy(w->model);
}

/* Gaps of all contacts in the order of the list. */
static int gaps(double *out, const world *w)
{
    int count = perp_collider_contacts(w->collider);
    ck_assert_int_le(count, MOST);
    for (int k = 0; k < count; k++) {
        perp_contact_info info = {.size = sizeof info};
        ck_assert_int_eq(perp_collider_contact(w->collider, k, &info), PERP_SOLVED);
        out[k] = info.point.gap;
    }
    return count;
}

/* Two detections with motions between them, saved and loaded. */
static perp_status use(world *w, void *buf, size_t capacity)
{
    size_t bytes = capacity;
    perp_status status = perp_collider_detect(w->collider, 0.0, 1e-3);
    for (int k = 0; k < BODIES; k++)
        place(w, k, 0.03);
    if (status == PERP_SOLVED)
        status = perp_collider_detect(w->collider, 0.0, 1e-3);
    if (status == PERP_SOLVED)
        status = perp_collider_save(w->collider, buf, &bytes);
    if (status == PERP_SOLVED)
        status = perp_collider_load(w->collider, buf, bytes);
    return status;
}

START_TEST(each_block_fails)
{
    static double wanted[MOST], found[MOST];
    enum { BYTES = 1 << 20 };
    void *buf = malloc(BYTES);
    world w;
    open_world(&w, NULL);
    ck_assert_int_eq(furnish(&w), PERP_SOLVED);
    ck_assert_int_eq(use(&w, buf, BYTES), PERP_SOLVED);
    int count = gaps(wanted, &w), left = 1;
    ck_assert_int_gt(count, 20);
    close_world(&w);
    for (long k = 1; left; k++) {
        counter memory = {.once = 1};
        perp_allocator allocator = _i ? block_allocator(&memory) : counter_allocator(&memory);
        open_world(&w, &allocator);
        memory.fail_at = memory.allocations + k;
        perp_status status = furnish(&w);
        if (status == PERP_SOLVED)
            status = use(&w, buf, BYTES);
        left = memory.allocations >= memory.fail_at;
        ck_assert_msg(status == (left ? PERP_ERR_MEMORY : PERP_SOLVED), "block %ld: %s", k,
                      perp_status_name(status));
        memory.fail_at = 0;
        /* A new collider on the same model, for what was half done. */
        perp_collider_clear(w.collider, -1);
        perp_collider_destroy(w.collider);
        ck_assert_int_eq(perp_model_interactions(w.model), 0);
        ck_assert_int_eq(perp_collider_create(&w.collider, w.model, &allocator), PERP_SOLVED);
        for (int i = 0; i < BODIES; i++)
            place(&w, i, 0.0);
        ck_assert_int_eq(furnish(&w), PERP_SOLVED);
        ck_assert_int_eq(use(&w, buf, BYTES), PERP_SOLVED);
        ck_assert_int_eq(gaps(found, &w), count);
        for (int i = 0; i < count; i++)
            ck_assert_double_eq(found[i], wanted[i]);
        close_world(&w);
        ck_assert_int_eq((int)memory.live, 0);
        ck_assert_int_lt(k, 3000);
    }
    free(buf);
}
END_TEST

/* Detections and loads alone: the same collider goes on. */
START_TEST(a_detection_is_done_again)
{
    static double wanted[MOST], found[MOST];
    enum { BYTES = 1 << 20 };
    void *buf = malloc(BYTES);
    world w;
    int count = 0, left = 1;
    for (long k = 0; left; k++) {
        counter memory = {.once = 1};
        perp_allocator allocator = block_allocator(&memory);
        open_world(&w, &allocator);
        ck_assert_int_eq(furnish(&w), PERP_SOLVED);
        memory.fail_at = k > 0 ? memory.allocations + k : 0;
        perp_status status = use(&w, buf, BYTES);
        left = k == 0 || memory.allocations >= memory.fail_at;
        ck_assert(status == PERP_SOLVED || (k > 0 && left && status == PERP_ERR_MEMORY));
        ck_assert_int_eq(perp_model_interactions(w.model), perp_collider_contacts(w.collider));
        memory.fail_at = 0;
        ck_assert_int_eq(use(&w, buf, BYTES), PERP_SOLVED);
        int now = gaps(k > 0 ? found : wanted, &w);
        count = k > 0 ? count : now;
        ck_assert_int_eq(now, count);
        for (int i = 0; i < count && k > 0; i++)
            ck_assert_double_eq_tol(found[i], wanted[i], 1e-12);
        close_world(&w);
        ck_assert_int_eq((int)memory.live, 0);
        ck_assert_int_lt(k, 3000);
    }
    free(buf);
}
END_TEST

static double combined(perp_combination rule, double a, double b)
{
    const double by[] = {[PERP_COMBINE_MINIMUM] = fmin(a, b),
                         [PERP_COMBINE_MEAN] = (a + b) / 2.0,
                         [PERP_COMBINE_GEOMETRIC] = sqrt(a * b),
                         [PERP_COMBINE_MAXIMUM] = fmax(a, b),
                         [PERP_COMBINE_PRODUCT] = a * b};
    return by[rule];
}

START_TEST(coefficients_combine)
{
    static const perp_combination rules[] = {PERP_COMBINE_MINIMUM, PERP_COMBINE_MEAN,
                                             PERP_COMBINE_GEOMETRIC, PERP_COMBINE_MAXIMUM,
                                             PERP_COMBINE_PRODUCT};
    scene s;
    open_scene(&s, 1);
    ck_assert_int_eq(perp_collider_set_coefficients(s.collider, 1, 0.3, 0.5, 0.01), PERP_SOLVED);
    ck_assert_int_eq(perp_collider_set_coefficients(s.collider, 4, 0.8, 0.2, 0.04), PERP_SOLVED);
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 5; j++) {
            perp_law law;
            ck_assert_int_eq(
                perp_collider_set_combination(s.collider, rules[i], rules[j], rules[(i + j) % 5]),
                PERP_SOLVED);
            ck_assert_int_eq(perp_collider_pair_law(s.collider, 4, 1, 0, &law), PERP_SOLVED);
            ck_assert_double_eq_tol(law.e, combined(rules[i], 0.3, 0.8), 1e-15);
            ck_assert_double_eq_tol(law.mu, combined(rules[j], 0.5, 0.2), 1e-15);
            ck_assert_double_eq_tol(law.mu_r, combined(rules[(i + j) % 5], 0.01, 0.04), 1e-15);
        }
    ck_assert_int_lt(
        perp_collider_set_combination(s.collider, (perp_combination)-1, rules[0], rules[0]), 0);
    ck_assert_int_lt(
        perp_collider_set_combination(s.collider, rules[0], (perp_combination)99, rules[0]), 0);
    ck_assert_int_lt(perp_collider_set_combination(NULL, rules[0], rules[0], rules[0]), 0);
    close_scene(&s);
}
END_TEST

START_TEST(refused_arguments)
{
    scene s;
    double x[3] = {0, 0, 0}, half[3] = {1, 1, 1}, volume, inertia[9], centre[3];
    perp_where where = {NULL, -1, -1};
    perp_shape_id none = {7, 99}, other = {8, 99}, id;
    perp_shape_def def;
    perp_law law = perp_law_friction(3, 0.1, 0.6);
    size_t bytes = 0;
    open_scene(&s, 1);
    s.bodies[0] = add_body(s.model, x, NULL);
    perp_shape_def_init(&def, sizeof def);
    def.body = s.bodies[0];
    ck_assert_int_eq(perp_collider_create(NULL, s.model, NULL), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_collider_add(NULL, &def, &id, &where), PERP_ERR_ARGUMENT);
    ck_assert_str_eq(where.what, "collider");
    ck_assert_int_eq(perp_collider_add(s.collider, NULL, &id, &where), PERP_ERR_ARGUMENT);
    ck_assert_str_eq(where.what, "def");
    ck_assert_int_eq(perp_collider_add_box(s.collider, s.bodies[0], NULL, &id, &where),
                     PERP_ERR_ARGUMENT);
    ck_assert_str_eq(where.what, "half");
    ck_assert_int_eq(perp_collider_add_plane(s.collider, NULL, half, &id, &where),
                     PERP_ERR_ARGUMENT);
    ck_assert_str_eq(where.what, "point");
    ck_assert_int_eq(perp_collider_add_plane(s.collider, x, NULL, &id, &where), PERP_ERR_ARGUMENT);
    ck_assert_str_eq(where.what, "normal");
    ck_assert_int_eq(perp_collider_add_line(s.collider, x, NULL, &id, NULL), PERP_ERR_ARGUMENT);
    perp_shape_def wrong = def;
    wrong.size = 0;
    ck_assert_int_eq(perp_collider_add(s.collider, &wrong, &id, &where), PERP_ERR_ARGUMENT);
    wrong = def;
    wrong.kind = PERP_SHAPE_MESH;
    ck_assert_int_eq(perp_collider_add(s.collider, &wrong, &id, &where), PERP_ERR_ARGUMENT);
    ck_assert_str_eq(where.what, "vertices");
    wrong.vertices = cube;
    wrong.nvertices = -1;
    ck_assert_int_lt(perp_collider_add(s.collider, &wrong, &id, &where), 0);
    wrong.nvertices = 8;
    ck_assert_int_eq(perp_collider_add(s.collider, &wrong, &id, &where), PERP_ERR_ARGUMENT);
    ck_assert_str_eq(where.what, "triangles");
    ck_assert_int_eq(perp_shape_volume(NULL, &volume, &where), PERP_ERR_ARGUMENT);
    ck_assert_str_eq(where.what, "def");
    ck_assert_int_eq(perp_shape_fill(NULL, 1.0, centre, inertia, &where), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_shape_fill(&def, -1.0, centre, inertia, &where), PERP_ERR_ARGUMENT);
    ck_assert_str_eq(where.what, "mass");
    wrong = def;
    memset(wrong.quaternion, 0, sizeof wrong.quaternion);
    ck_assert_int_eq(perp_shape_fill(&wrong, 1.0, centre, inertia, &where), PERP_ERR_ARGUMENT);
    ck_assert_str_eq(where.what, "quaternion");
    ck_assert_int_eq(perp_collider_set_margin(NULL, 0.1), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_collider_set_margin(s.collider, -0.1), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_collider_set_material(NULL, 0, 0, 0.1, 0.1), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_collider_set_material(s.collider, -1, 0, 0.1, 0.1), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_collider_set_law(s.collider, 0, -1, &law), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_collider_set_law(s.collider, 0, 0, NULL), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_collider_set_skin(NULL, 0, 0, 0.1), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_collider_set_coefficients(NULL, 0, 0.1, 0.1, 0.1), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_collider_set_torsion(s.collider, 9, 0.1), PERP_ERR_STATE);
    ck_assert_int_eq(perp_collider_pair_law(NULL, 0, 0, 0, &law), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_collider_exclude(NULL, none, none), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_collider_exclude(s.collider, none, other), PERP_ERR_STATE);
    ck_assert_int_eq(perp_collider_set_joined(NULL, 1), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_collider_reserve(NULL, 1), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_collider_remove(s.collider, none), PERP_ERR_STATE);
    ck_assert_int_eq(perp_collider_set_surface(s.collider, none, x, x), PERP_ERR_STATE);
    ck_assert_int_eq(perp_collider_detect(NULL, 0.0, 0.0), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_collider_save(NULL, NULL, &bytes), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_collider_load(NULL, x, 8), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_hull_triangles(NULL, 4, NULL, NULL, &where), PERP_ERR_ARGUMENT);
    close_scene(&s);
    perp_collider_destroy(NULL);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("memory of colliders");
    TCase *tests = tcase_create("colliders");
    tcase_set_timeout(tests, 300);
    tcase_add_loop_test(tests, each_block_fails, 0, 2);
    tcase_add_test(tests, a_detection_is_done_again);
    tcase_add_test(tests, coefficients_combine);
    tcase_add_test(tests, refused_arguments);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
