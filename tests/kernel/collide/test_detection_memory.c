/* SPDX-License-Identifier: BSD-3-Clause */
/* Contact detection: memory, bytes for checkpoints, and points from a narrow phase. */
#include "tests/fixtures/collide_scene.h"

/* What failing allocations and bytes are tried on: creates, adds, detects twice. */
static perp_status whole_use(ledger *l, perp_model *model, const perp_system_id *bodies, int n,
                             int *contacts)
{
    perp_allocator memory = {ledger_allocate, ledger_release, l};
    perp_collider *c = NULL;
    double origin[3] = {0, 0, -1}, up[3] = {0, 0, 1};
    perp_status status = perp_collider_create(&c, model, &memory);
    for (int i = 0; i < n && status == PERP_SOLVED; i++)
        status = perp_collider_add_sphere(c, bodies[i], 0.3, NULL, NULL, NULL);
    if (status == PERP_SOLVED)
        status = perp_collider_set_material(c, 0, 0, 0.1, 0.4);
    if (status == PERP_SOLVED)
        status = perp_collider_add_plane(c, origin, up, NULL, NULL);
    for (int k = 0; k < 2 && status == PERP_SOLVED; k++)
        status = perp_collider_detect(c, 0.0, 0.0);
    int found = perp_collider_contacts(c);
    ck_assert_int_eq(perp_model_interactions(model), found);
    if (status == PERP_ERR_MEMORY && c && perp_collider_shapes(c) == n + 1) {
        l->fail_at = 0;
        ck_assert_int_eq(perp_collider_detect(c, 0.0, 0.0), PERP_SOLVED);
        ck_assert_int_eq(perp_collider_contacts(c), *contacts);
        found = *contacts;
    }
    *contacts = found;
    if (c)
        perp_collider_clear(c, -1);
    perp_collider_destroy(c);
    return status;
}

START_TEST(each_failing_allocation_is_survived)
{
    enum { N = 30 };
    perp_rng rng = {3};
    perp_model *model;
    perp_system_id bodies[N];
    ledger l = {0, 0, 0}, of_model = {0, 0, 0};
    perp_allocator memory = {ledger_allocate, ledger_release, &of_model};
    ck_assert_int_eq(perp_model_create(&model, &memory), PERP_SOLVED);
    for (int i = 0; i < N; i++) {
        double x[3] = {between(&rng, -1, 1), between(&rng, -1, 1), between(&rng, -1, 1)};
        bodies[i] = add_body(model, x, NULL);
    }
    int contacts = 0, failures = 0;
    ck_assert_int_eq(whole_use(&l, model, bodies, N, &contacts), PERP_SOLVED);
    ck_assert_int_gt(contacts, 20);
    long calls = l.calls;
    for (long k = 1; k <= calls; k++) {
        int found = contacts;
        l = (ledger){0, 0, k};
        failures += whole_use(&l, model, bodies, N, &found) == PERP_ERR_MEMORY;
        ck_assert_int_eq(l.alive, 0);
    }
    ck_assert_int_eq(failures, (int)calls);
    perp_model_destroy(model);
    ck_assert_int_eq(of_model.alive, 0);
}
END_TEST

/* The same, with the memory of the model failing under it. */
START_TEST(a_model_without_memory_is_survived)
{
    enum { N = 30 };
    for (long k = 1; k < 12; k++) {
        perp_rng rng = {3};
        perp_model *model;
        perp_collider *c;
        ledger l = {0, 0, 0};
        perp_allocator memory = {ledger_allocate, ledger_release, &l};
        ck_assert_int_eq(perp_model_create(&model, &memory), PERP_SOLVED);
        ck_assert_int_eq(perp_collider_create(&c, model, NULL), PERP_SOLVED);
        for (int i = 0; i < N; i++) {
            double x[3] = {between(&rng, -1, 1), between(&rng, -1, 1), between(&rng, -1, 1)};
            perp_system_id id = add_body(model, x, NULL);
            perp_collider_add_sphere(c, id, 0.3, NULL, NULL, NULL);
        }
        l.fail_at = l.calls + k;
        perp_status status = perp_collider_detect(c, 0.0, 0.0);
        ck_assert(status == PERP_SOLVED || status == PERP_ERR_MEMORY);
        ck_assert_int_eq(perp_model_interactions(model), perp_collider_contacts(c));
        l.fail_at = 0;
        ck_assert_int_eq(perp_collider_detect(c, 0.0, 0.0), PERP_SOLVED);
        ck_assert_int_eq(perp_model_interactions(model), perp_collider_contacts(c));
        ck_assert_int_gt(perp_collider_contacts(c), 20);
        perp_collider_destroy(c);
        perp_model_destroy(model);
        ck_assert_int_eq(l.alive, 0);
    }
}
END_TEST

START_TEST(no_memory_at_the_high_water_mark)
{
    enum { N = 200 };
    ledger l = {0, 0, 0};
    perp_allocator memory = {ledger_allocate, ledger_release, &l};
    perp_rng rng = {5};
    perp_model *model;
    perp_collider *c;
    perp_system_id bodies[N];
    double home[N][3];
    ck_assert_int_eq(perp_model_create(&model, &memory), PERP_SOLVED);
    ck_assert_int_eq(perp_collider_create(&c, model, &memory), PERP_SOLVED);
    for (int i = 0; i < N; i++) {
        for (int k = 0; k < 3; k++)
            home[i][k] = between(&rng, -1, 1);
        bodies[i] = add_body(model, home[i], NULL);
        perp_collider_add_sphere(c, bodies[i], 0.15, NULL, NULL, NULL);
    }
    long after_first = 0;
    for (int cycle = 0; cycle < 4; cycle++) {
        for (int phase = 0; phase < 6; phase++) {
            for (int i = 0; i < N; i++) {
                double *x;
                perp_model_state(model, bodies[i], &x, NULL, NULL, NULL);
                for (int k = 0; k < 3; k++)
                    x[k] = home[i][k] * (1.0 + 0.3 * phase);
            }
            ck_assert_int_eq(perp_collider_detect(c, 0.0, 0.0), PERP_SOLVED);
        }
        if (cycle == 0)
            after_first = l.calls;
    }
    ck_assert_int_eq(l.calls, after_first);
    perp_collider_destroy(c);
    perp_model_destroy(model);
    ck_assert_int_eq(l.alive, 0);
}
END_TEST

/* Keys of the interactions of a model in the order of its slots. */
static int list_order(scene *s, uint64_t *order, int capacity)
{
    perp_interaction_id id = {0, 0};
    int count = 0;
    while (id = perp_model_next_interaction(s->model, id), id.generation != 0) {
        ck_assert_int_lt(count, capacity);
        order[count] = UINT64_MAX;
        for (int k = 0; k < perp_collider_contacts(s->collider); k++) {
            perp_contact_info info = {.size = sizeof info};
            perp_collider_contact(s->collider, k, &info);
            if (same(info.interaction, id))
                order[count] = (uint64_t)info.first.index << 32 | info.second.index;
        }
        ck_assert(order[count] != UINT64_MAX);
        count++;
    }
    return count;
}

static void same_order(scene *a, scene *b)
{
    enum { ROOM = 2000 };
    static uint64_t x[ROOM], y[ROOM];
    int n = list_order(a, x, ROOM);
    ck_assert_int_eq(list_order(b, y, ROOM), n);
    ck_assert_mem_eq(x, y, (size_t)n * sizeof *x);
}

static void copy_states(scene *to, scene *from)
{
    for (int i = 0; i < from->n; i++) {
        double *v, *w;
        memcpy(state_of(to, i, &w), state_of(from, i, &v), 7 * sizeof(double));
        memcpy(w, v, 6 * sizeof(double));
    }
}

/* Slots come back in their order, and so do the free ones: additions after a load land as
 * they would have. */
START_TEST(bytes_bring_back_the_order)
{
    perp_rng rng = {21}, again;
    scene a, b;
    random_spheres(&a, 80, &rng);
    for (int k = 0; k < 6; k++) {
        detect(&a, 0.0);
        shake(&a, &rng, 0.1, 0.0);
    }
    detect(&a, 0.0);
    size_t bytes = 0, capacity;
    ck_assert_int_eq(perp_collider_save(a.collider, NULL, &bytes), PERP_SOLVED);
    char *buf = malloc(bytes), *copy = malloc(bytes);
    capacity = bytes - 1;
    ck_assert_int_eq(perp_collider_save(a.collider, buf, &capacity), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_collider_save(a.collider, buf, &bytes), PERP_SOLVED);
    again = (perp_rng){21};
    random_spheres(&b, 80, &again);
    copy_states(&b, &a);
    ck_assert_int_eq(perp_collider_load(b.collider, buf, bytes), PERP_SOLVED);
    same_order(&a, &b);
    ck_assert_int_eq(perp_collider_save(b.collider, copy, &bytes), PERP_SOLVED);
    ck_assert_mem_eq(buf, copy, bytes);
    for (int k = 0; k < 4; k++) {
        detect(&a, 0.0);
        detect(&b, 0.0);
        same_order(&a, &b);
        shake(&a, &rng, 0.1, 0.0);
        copy_states(&b, &a);
    }
    /* Back in place: the collider that went on takes its own bytes. */
    perp_collider_load(b.collider, buf, bytes);
    ck_assert_int_eq(perp_collider_load(a.collider, buf, bytes), PERP_SOLVED);
    same_order(&a, &b);
    /* Bytes that are none. */
    perp_rng noise = {1};
    for (int k = 0; k < 2000; k++) {
        memcpy(copy, buf, bytes);
        size_t cut = k % 2 ? bytes : (size_t)perp_rng_below(&noise, (int)bytes);
        for (int hits = 0; hits < 3; hits++)
            copy[perp_rng_below(&noise, (int)bytes)] = (char)perp_rng_next(&noise);
        perp_status status = perp_collider_load(b.collider, copy, cut);
        ck_assert_int_eq(perp_model_interactions(b.model), perp_collider_contacts(b.collider));
        ck_assert(status <= 0);
    }
    free(buf);
    free(copy);
    close_scene(&a);
    close_scene(&b);
}
END_TEST

/* A narrow phase of spheres that pretend to be boxes, with two points each. */
static perp_status pretend_make(void **own, void *ctx, const perp_shape_def *def)
{
    (void)ctx;
    *own = calloc(1, sizeof(double));
    **(double **)own = def->half[0];
    return PERP_SOLVED;
}

static void pretend_drop(void *own, void *ctx)
{
    (void)ctx;
    free(own);
}

static int pretend_collide(perp_contact_point *points, int capacity, void *ctx, void *own_a,
                           const double *pose_a, void *own_b, const double *pose_b, double reach)
{
    int *flip = ctx;
    double gap = pose_a[2] - pose_b[2] - *(double *)own_a - *(double *)own_b;
    if (gap > reach || capacity < 2)
        return gap > reach ? 0 : -1;
    for (int k = 0; k < 2; k++) {
        perp_contact_point *p = &points[*flip ? 1 - k : k];
        double x = pose_a[0] + (k ? 0.3 : -0.3);
        *p = (perp_contact_point){.gap = gap, .normal = {0, 0, 1}};
        p->point_a[0] = p->point_b[0] = x;
        p->point_a[2] = pose_a[2] - *(double *)own_a;
        p->point_b[2] = p->point_a[2] - gap;
    }
    return 2;
}

/* A cube of triangles: two of them need a narrow phase. */
static void add_cube(scene *s, perp_system_id body, perp_shape_id *id)
{
    static const double vertices[24] = {-1, -1, -1, 1, -1, -1, -1, 1, -1, 1, 1, -1,
                                        -1, -1, 1,  1, -1, 1,  -1, 1, 1,  1, 1, 1};
    static const int triangles[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                      2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
    ck_assert_int_eq(
        perp_collider_add_mesh(s->collider, body, vertices, 8, triangles, 12, id, NULL),
        PERP_SOLVED);
}

START_TEST(a_run_says_why_the_collider_stopped_it)
{
    scene s;
    double at[2][3] = {{0, 0, 0}, {0.01, 0, 2.05}};
    open_scene(&s, 2);
    perp_collider_set_margin(s.collider, 0.1);
    for (int i = 0; i < 2; i++) {
        s.bodies[i] = add_body(s.model, at[i], NULL);
        add_cube(&s, s.bodies[i], NULL);
    }
    perp_sim *sim;
    perp_sim_options options;
    perp_sim_options_init(&options, sizeof options);
    ck_assert_int_eq(perp_sim_create(&sim, s.model, &options, NULL, NULL), PERP_SOLVED);
    perp_sim_set_before_step(sim, perp_collider_step, s.collider);
    ck_assert_int_eq(perp_sim_step(sim), PERP_INTERRUPTED);
    const perp_step_info *info = perp_sim_info(sim);
    ck_assert_int_eq(info->status, PERP_INTERRUPTED);
    ck_assert_int_eq(info->reason, PERP_ERR_UNSUPPORTED);
    ck_assert_str_eq(info->where.what, "shape");
    ck_assert_int_ge(info->where.index, 0);
    ck_assert_ptr_nonnull(strstr(info->detail, "narrow phase"));
    ck_assert_str_eq(info->detail, perp_collider_detail(s.collider));
    perp_sim_destroy(sim);
    close_scene(&s);
}
END_TEST

START_TEST(points_of_a_narrow_phase_keep_their_names)
{
    scene s;
    int flip = 0;
    double at[2][3] = {{0, 0, 0}, {0.01, 0, 2.05}}, half[3] = {1, 1, 1};
    perp_narrow_phase narrow = {sizeof narrow, &flip, pretend_make, pretend_drop, pretend_collide};
    open_scene(&s, 2);
    for (int i = 0; i < 2; i++)
        s.bodies[i] = add_body(s.model, at[i], NULL);
    /* Without a narrow phase two meshes that are near each other are an error. */
    perp_collider_set_margin(s.collider, 0.1);
    perp_shape_id ids[2];
    for (int i = 0; i < 2; i++)
        add_cube(&s, s.bodies[1 - i], &ids[i]);
    ck_assert_int_eq(perp_collider_lacks_narrow_phase(s.collider), 1);
    ck_assert_int_eq(perp_collider_detect(s.collider, 0.0, 0.0), PERP_ERR_UNSUPPORTED);
    ck_assert_int_eq(perp_collider_step(s.collider, NULL, s.model, 0.0, 0.0), 1);
    ck_assert_int_eq(perp_collider_status(s.collider), PERP_ERR_UNSUPPORTED);
    ck_assert_int_eq(perp_collider_set_narrow_phase(s.collider, &narrow), PERP_ERR_STATE);
    for (int i = 1; i >= 0; i--)
        perp_collider_remove(s.collider, ids[i]);
    ck_assert_int_eq(perp_collider_set_narrow_phase(s.collider, &narrow), PERP_SOLVED);
    for (int i = 0; i < 2; i++)
        perp_collider_add_box(s.collider, s.bodies[1 - i], half, NULL, NULL);
    detect(&s, 0.0);
    ck_assert_int_eq(perp_collider_contacts(s.collider), 2);
    perp_contact_info first[2] = {{.size = sizeof *first}, {.size = sizeof *first}};
    perp_contact_info info = {.size = sizeof info};
    for (int k = 0; k < 2; k++) {
        ck_assert_int_eq(perp_collider_contact(s.collider, k, &first[k]), PERP_SOLVED);
        ck_assert_double_eq_tol(first[k].point.gap, 0.05, 1e-15);
        ck_assert_double_eq_tol(first[k].point.point_a[0], 0.01 + (k ? 0.3 : -0.3), 1e-15);
        check_jacobian(&s, k, 1e-8);
    }
    /* The other order of points, after a small motion. */
    flip = 1;
    double *x = state_of(&s, 1, NULL);
    x[0] += 0.03;
    x[2] += 0.1;
    ck_assert_int_eq(perp_collider_contact(s.collider, 0, &info), PERP_SOLVED);
    ck_assert_double_eq_tol(info.point.gap, 0.15, 1e-15);
    detect(&s, 0.0);
    for (int k = 0; k < 2; k++) {
        perp_collider_contact(s.collider, k, &info);
        ck_assert(same(info.interaction, first[k].interaction));
        ck_assert_double_eq_tol(info.point.point_a[0], 0.04 + (k ? 0.3 : -0.3), 1e-15);
    }
    x[2] += 0.06;
    detect(&s, 0.0);
    ck_assert_int_eq(perp_model_interactions(s.model), 0);
    close_scene(&s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("collide_memory");
    TCase *tcase = tcase_create("collide_memory");
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, each_failing_allocation_is_survived);
    tcase_add_test(tcase, a_model_without_memory_is_survived);
    tcase_add_test(tcase, no_memory_at_the_high_water_mark);
    tcase_add_test(tcase, bytes_bring_back_the_order);
    tcase_add_test(tcase, a_run_says_why_the_collider_stopped_it);
    tcase_add_test(tcase, points_of_a_narrow_phase_keep_their_names);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
