/* SPDX-License-Identifier: BSD-3-Clause */
/* Models as containers: identifiers, slots, memory. */
#include <check.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fixtures/dense_reference.h"
#include "kernel/model/model_inside.h"
#include "tests/fixtures/model_zoo.h"

static const double zeros[64];

static perp_mat dense(const double *x, int rows, int cols)
{
    perp_mat A;
    ck_assert_int_eq(perp_mat_init_dense(&A, rows, cols, x, rows), 0);
    return A;
}

static perp_model *new_model(void)
{
    perp_model *model;
    ck_assert_int_eq(perp_model_create(&model, NULL), PERP_SOLVED);
    return model;
}

static perp_system_id add_point(perp_model *model, int n)
{
    perp_lagrangian_def def;
    perp_system_id id = {0, 0};
    perp_lagrangian_def_init(&def, sizeof def);
    def.n = n;
    def.q0 = zeros;
    ck_assert_int_eq(perp_model_add_lagrangian(model, &def, &id, NULL), PERP_SOLVED);
    return id;
}

static perp_interaction_id add_stop(perp_model *model, const perp_system_id *systems, int count,
                                    int n)
{
    double C[16] = {1.0, 0.5, -1.0};
    perp_interaction_def def;
    perp_interaction_id id = {0, 0};
    perp_where where;
    perp_interaction_def_init(&def, sizeof def);
    def.relation.rows = 1;
    def.systems = systems;
    def.nsystems = count;
    def.relation.C = C;
    def.law = perp_law_impact(0.5);
    ck_assert_int_le(n, 16);
    ck_assert_int_eq(perp_model_add_interaction(model, &def, &id, &where), PERP_SOLVED);
    return id;
}

static void assert_gone(perp_model *model, perp_system_id id)
{
    double *x, *v, energy;
    const double *p;
    int n;
    ck_assert_ptr_null(perp_model_system(model, id));
    ck_assert_int_eq(perp_model_state(model, id, &x, &v, &n, &n), PERP_ERR_STATE);
    ck_assert_int_eq(perp_model_input(model, id, &p), PERP_ERR_STATE);
    ck_assert_int_eq(perp_model_parameters(model, id, &x, &n), PERP_ERR_STATE);
    ck_assert_int_eq(perp_model_set_force(model, id, zeros), PERP_ERR_STATE);
    ck_assert_int_eq(perp_model_kinetic_energy(model, id, 0.0, &energy), PERP_ERR_STATE);
    ck_assert_int_eq(perp_model_remove_system(model, id), PERP_ERR_STATE);
}

START_TEST(stale_systems_are_refused)
{
    perp_model *model = new_model();
    perp_system_id never[] = {{0, 0}, {0, 1}, {7, 1}, {UINT32_MAX, UINT32_MAX}};
    for (int k = 0; k < 4; k++)
        assert_gone(model, never[k]);
    perp_system_id a = add_point(model, 2), b = add_point(model, 3);
    ck_assert_uint_eq(a.index, 0);
    ck_assert_uint_gt(a.generation, 0);
    ck_assert_int_eq(perp_model_systems(model), 2);
    ck_assert_int_eq(perp_model_remove_system(model, a), PERP_SOLVED);
    assert_gone(model, a);
    ck_assert_ptr_nonnull(perp_model_system(model, b));
    perp_system_id c = add_point(model, 5);
    ck_assert_uint_eq(c.index, a.index);
    ck_assert_uint_ne(c.generation, a.generation);
    assert_gone(model, a);
    int n = 0;
    ck_assert_int_eq(perp_model_state(model, c, NULL, NULL, &n, NULL), PERP_SOLVED);
    ck_assert_int_eq(n, 5);
    ck_assert_int_eq(perp_model_systems(model), 2);
    /* An interaction with one that is gone, or with one twice. */
    perp_system_id with[2] = {b, a};
    perp_interaction_def def;
    perp_interaction_id id;
    perp_where where;
    perp_interaction_def_init(&def, sizeof def);
    def.relation.rows = 1;
    def.relation.C = zeros;
    def.law = perp_law_impact(0.0);
    def.systems = with;
    def.nsystems = 2;
    ck_assert_int_eq(perp_model_add_interaction(model, &def, &id, &where), PERP_ERR_STATE);
    ck_assert_str_eq(where.what, "systems");
    ck_assert_int_eq(where.index, 1);
    with[1] = b;
    ck_assert_int_eq(perp_model_add_interaction(model, &def, &id, &where), PERP_ERR_ARGUMENT);
    ck_assert_str_eq(where.what, "systems");
    def.nsystems = 0;
    ck_assert_int_eq(perp_model_add_interaction(model, &def, &id, &where), PERP_ERR_ARGUMENT);
    ck_assert_str_eq(where.what, "nsystems");
    ck_assert_int_eq(perp_model_interactions(model), 0);
    perp_model_destroy(model);
}
END_TEST

START_TEST(systems_take_their_interactions_along)
{
    perp_model *model = new_model();
    perp_system_id s[4];
    for (int k = 0; k < 4; k++)
        s[k] = add_point(model, 1);
    perp_system_id pair[2] = {s[0], s[1]}, chain[3] = {s[3], s[1], s[2]};
    perp_interaction_id i[4] = {add_stop(model, &s[0], 1, 1), add_stop(model, pair, 2, 2),
                                add_stop(model, chain, 3, 3), add_stop(model, &s[2], 1, 1)};
    ck_assert_int_eq(perp_model_interactions(model), 4);
    unsigned long version = model->version;
    ck_assert_int_eq(perp_model_remove_system(model, s[1]), PERP_SOLVED);
    ck_assert_uint_ne(model->version, version);
    ck_assert_int_eq(perp_model_interactions(model), 2);
    const double *y;
    int rows, active;
    ck_assert_int_eq(perp_model_output(model, i[0], &y, NULL, NULL, &rows, &active), PERP_SOLVED);
    ck_assert_int_eq(rows, 1);
    for (int k = 1; k < 3; k++) {
        perp_law law = perp_law_impact(0.1);
        ck_assert_int_eq(perp_model_output(model, i[k], &y, NULL, NULL, NULL, NULL),
                         PERP_ERR_STATE);
        ck_assert_int_eq(perp_model_set_law(model, i[k], &law), PERP_ERR_STATE);
        ck_assert_int_eq(perp_model_remove_interaction(model, i[k]), PERP_ERR_STATE);
    }
    ck_assert_int_eq(perp_model_system(model, s[0])->interactions, 1);
    ck_assert_int_eq(perp_model_system(model, s[3])->interactions, 0);
    /* Walks meet what is there, and go on after a removal. */
    perp_system_id walk = {0, 0};
    int met = 0;
    while ((walk = perp_model_next_system(model, walk)).generation) {
        met++;
        ck_assert_int_eq(perp_model_remove_system(model, walk), PERP_SOLVED);
    }
    ck_assert_int_eq(met, 3);
    ck_assert_int_eq(perp_model_interactions(model), 0);
    perp_interaction_id none = perp_model_next_interaction(model, (perp_interaction_id){0, 0});
    ck_assert_uint_eq(none.generation, 0);
    perp_model_destroy(model);
}
END_TEST

START_TEST(laws_change_within_their_kind)
{
    perp_model *model = new_model();
    perp_system_id s = add_point(model, 1);
    perp_interaction_id i = add_stop(model, &s, 1, 1);
    perp_law law = perp_law_impact(0.25);
    ck_assert_int_eq(perp_model_set_law(model, i, &law), PERP_SOLVED);
    ck_assert_double_eq(perp_model_link(model, i)->law.e, 0.25);
    law.e = 1.5;
    ck_assert_int_lt(perp_model_set_law(model, i, &law), 0);
    law = perp_law_equality();
    ck_assert_int_eq(perp_model_set_law(model, i, &law), PERP_ERR_ARGUMENT);
    ck_assert_double_eq(perp_model_link(model, i)->law.e, 0.25);
    perp_model_destroy(model);
}
END_TEST

START_TEST(states_and_energies)
{
    perp_model *model = new_model();
    double q0[3] = {1, 2, 3}, v0[3] = {4, 5, 6}, M[9] = {2, 1, 0, 1, 3, 0, 0, 0, 4}, energy;
    double z[2] = {7, 8}, F[3] = {1, -1, 2}, force[6], *x, *v;
    int nx, nv, nz;
    perp_lagrangian_def def;
    perp_system_id id;
    perp_lagrangian_def_init(&def, sizeof def);
    def.n = 3;
    def.q0 = q0;
    def.v0 = v0;
    def.M = dense(M, 3, 3);
    def.z = z;
    def.nz = 2;
    ck_assert_int_eq(perp_model_add_lagrangian(model, &def, &id, NULL), PERP_SOLVED);
    q0[0] = M[0] = z[0] = 99.0; /* all was copied */
    ck_assert_int_eq(perp_model_state(model, id, &x, &v, &nx, &nv), PERP_SOLVED);
    ck_assert(nx == 3 && nv == 3 && x[0] == 1.0 && v[2] == 6.0);
    ck_assert_int_eq(perp_model_kinetic_energy(model, id, 0.0, &energy), PERP_SOLVED);
    ck_assert_double_eq_tol(energy, 0.5 * (2 * 16 + 2 * 20 + 3 * 25 + 4 * 36), 1e-12);
    ck_assert_int_eq(perp_model_parameters(model, id, &x, &nz), PERP_SOLVED);
    ck_assert(nz == 2 && x[0] == 7.0 && x[1] == 8.0);
    ck_assert_int_eq(perp_model_set_force(model, id, F), PERP_SOLVED);
    perp_system *s = perp_model_system(model, id);
    ck_assert_int_eq(perp_system_force(force, s, 0.0, s->q[PERP_NOW], s->v[PERP_NOW]), 0);
    ck_assert_mem_eq(force, F, sizeof F);
    F[1] = NAN;
    ck_assert_int_eq(perp_model_set_force(model, id, F), PERP_ERR_NONFINITE);
    F[1] = -1.0;

    perp_body_def body;
    perp_body_def_init(&body, sizeof body);
    body.mass = 2.0;
    body.quaternion[0] = 3.0;
    body.quaternion[2] = 4.0;
    body.velocity[0] = 3.0;
    body.angular[1] = 4.0;
    for (int frame = 0; frame < 2; frame++) {
        body.force_frame = frame ? PERP_BODY : PERP_INERTIAL;
        ck_assert_int_eq(perp_model_add_body(model, &body, &id, NULL), PERP_SOLVED);
        ck_assert_int_eq(perp_model_state(model, id, &x, &v, &nx, &nv), PERP_SOLVED);
        ck_assert(nx == 7 && nv == 6);
        ck_assert_double_eq_tol(x[3], 0.6, 1e-15);
        ck_assert_double_eq_tol(x[5], 0.8, 1e-15);
        ck_assert_int_eq(perp_model_kinetic_energy(model, id, 0.0, &energy), PERP_SOLVED);
        ck_assert_double_eq_tol(energy, 9.0 + 8.0, 1e-14);
        ck_assert_int_eq(perp_model_set_force(model, id, F), PERP_SOLVED);
        s = perp_model_system(model, id);
        double unit[7] = {0, 0, 0, 1, 0, 0, 0};
        ck_assert_int_eq(perp_system_force(force, s, 0.0, unit, v), 0);
        for (int i = 0; i < 3; i++)
            ck_assert_double_eq_tol(force[i], F[i], 1e-15);
    }
    perp_first_order_def first;
    perp_first_order_def_init(&first, sizeof first);
    first.n = 3;
    first.x0 = v0;
    ck_assert_int_eq(perp_model_add_first_order(model, &first, &id, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_model_state(model, id, &x, &v, &nx, &nv), PERP_SOLVED);
    ck_assert(nx == 3 && nv == 0 && v == NULL && x[1] == 5.0);
    ck_assert_int_eq(perp_model_kinetic_energy(model, id, 0.0, &energy), PERP_SOLVED);
    ck_assert_double_eq(energy, 0.0);
    ck_assert_int_eq(perp_model_set_force(model, id, F), PERP_ERR_ARGUMENT);
    perp_model_destroy(model);
}
END_TEST

/* Everything that a model can hold, of size n where there is one.  Each identifier that was
 * given stays good. */
static perp_status build(perp_model *model, int n, const double *M, perp_system_id *ids)
{
    perp_first_order_def first;
    perp_lagrangian_def second;
    perp_body_def body;
    int *ptr = malloc(((size_t)n + 1) * sizeof(int)), *row = malloc((size_t)n * sizeof(int));
    for (int i = 0; i <= n; i++)
        ptr[i] = i;
    for (int i = 0; i < n; i++)
        row[i] = i;
    perp_first_order_def_init(&first, sizeof first);
    first.n = n;
    first.x0 = M + 1;
    first.A = dense(M, n, n);
    first.b = first.z = M;
    first.nz = n;
    first.f = zoo_f;
    first.differences = 1;
    first.controls = 2;
    first.T = zoo_T;
    first.u = zoo_u;
    perp_lagrangian_def_init(&second, sizeof second);
    second.n = n;
    second.q0 = second.F = M + 1;
    second.M = dense(M, n, n);
    second.C = second.M;
    perp_mat_init_csc(&second.K, n, n, ptr, row, M);
    perp_body_def_init(&body, sizeof body);
    body.inertia[0] = 2.0;
    body.K = dense(M, 6, 7);
    body.z = M;
    body.nz = n;
    perp_status status = perp_model_add_first_order(model, &first, &ids[0], NULL);
    if (status == PERP_SOLVED)
        status = perp_model_add_lagrangian(model, &second, &ids[1], NULL);
    second.M = second.C = second.K;
    second.K.as.csc.colptr = ptr;
    if (status == PERP_SOLVED)
        status = perp_model_add_lagrangian(model, &second, &ids[2], NULL);
    for (int k = 3; status == PERP_SOLVED && k < 8; k++)
        status = perp_model_add_body(model, &body, &ids[k], NULL);
    free(ptr);
    free(row);
    return status;
}

/* Fails from the k-th allocation on, for every k: an error, nothing lost, nothing half made. */
START_TEST(every_allocation_may_fail)
{
    const int sizes[] = {10, 40, 90};
    for (int trial = 0; trial < 3; trial++) {
        int n = sizes[trial], k = 0, done = 0;
        double *M = ref_zero(n, n);
        for (int i = 0; i < n * n; i++)
            M[i] = i % (n + 1) == 0 ? 3.0 : 0.01 / (1.0 + (i / n + i % n) % 7);
        for (int i = 0; i < n; i++) { /* also the values of a diagonal matrix */
            M[i] += 1.0;
            M[i * n] = M[i];
        }
        for (; !done; k++) {
            ref_memory memory = {k, 0, 0};
            perp_allocator allocator = ref_allocator(&memory);
            perp_model *model = NULL;
            perp_status status = perp_model_create(&model, &allocator);
            if (status != PERP_SOLVED) {
                ck_assert_int_eq(status, PERP_ERR_MEMORY);
                ck_assert_ptr_null(model);
                ck_assert_int_eq(memory.live, 0);
                continue;
            }
            perp_system_id ids[8];
            memset(ids, 0, sizeof ids);
            status = build(model, n, M, ids);
            done = status == PERP_SOLVED;
            if (!done) {
                int made = perp_model_systems(model), good = 0;
                ck_assert_int_eq(status, PERP_ERR_MEMORY);
                for (int i = 0; i < 8; i++)
                    good += perp_model_system(model, ids[i]) != NULL;
                ck_assert_int_eq(good, made);
                memory.fail_at = INT_MAX;
                ck_assert_int_eq(build(model, n, M, ids), PERP_SOLVED);
                ck_assert_int_eq(perp_model_systems(model), made + 8);
            }
            perp_model_destroy(model);
            ck_assert_int_eq(memory.live, 0);
        }
        ck_assert_int_ge(k, 10);
        free(M);
    }
}
END_TEST

/* Systems that come and go stop allocating after the first round. */
START_TEST(memory_is_used_again)
{
    ref_memory memory = {INT_MAX, 0, 0};
    perp_allocator allocator = ref_allocator(&memory);
    perp_model *model;
    ck_assert_int_eq(perp_model_create(&model, &allocator), PERP_SOLVED);
    double *M = ref_zero(12, 12);
    for (int i = 0; i < 144; i++)
        M[i] = i % 13 == 0 ? 3.0 : 0.01;
    for (int i = 0; i < 12; i++)
        M[i] = M[12 * i] = 2.0 + i;
    int mark = 0;
    for (int round = 0; round < 20; round++) {
        perp_system_id ids[8], points[30];
        ck_assert_int_eq(build(model, 12, M, ids), PERP_SOLVED);
        for (int k = 0; k < 30; k++)
            points[k] = add_point(model, 1 + k % 4);
        for (int k = 0; k < 30; k++)
            add_stop(model, &points[k], 1, 1 + k % 4);
        for (int k = 0; k < 8; k++)
            ck_assert_int_eq(perp_model_remove_system(model, ids[(k + round) % 8]), PERP_SOLVED);
        for (int k = 0; k < 30; k++)
            ck_assert_int_eq(perp_model_remove_system(model, points[(k * 7 + round) % 30]),
                             PERP_SOLVED);
        ck_assert_int_eq(perp_model_interactions(model), 0);
        if (round == 0)
            mark = memory.count;
        ck_assert_int_eq(memory.count, mark);
        ck_assert_int_eq(model->nsystems, 38);
    }
    free(M);
    perp_model_destroy(model);
    ck_assert_int_eq(memory.live, 0);
}
END_TEST

static int all_are(const unsigned char *block, size_t size, int value)
{
    for (size_t i = 0; i < size; i++)
        if (block[i] != value)
            return 0;
    return 1;
}

START_TEST(pools_give_aligned_zeroed_blocks)
{
    ref_memory memory = {INT_MAX, 0, 0};
    perp_allocator allocator = ref_allocator(&memory);
    perp_pool pool;
    perp_rng rng = {32};
    perp_pool_init(&pool, &allocator);
    unsigned char *blocks[200] = {NULL};
    size_t sizes[200] = {0};
    for (int trial = 0; trial < 20000; trial++) {
        int k = perp_rng_below(&rng, 200);
        if (blocks[k]) {
            ck_assert(all_are(blocks[k], sizes[k], k));
            perp_pool_give(&pool, blocks[k]);
            blocks[k] = NULL;
            continue;
        }
        sizes[k] = (size_t)perp_rng_below(&rng, trial % 50 ? 300 : 30000);
        blocks[k] = perp_pool_take(&pool, sizes[k]);
        ck_assert_ptr_nonnull(blocks[k]);
        ck_assert_uint_eq((uintptr_t)blocks[k] % 64, 0);
        ck_assert(all_are(blocks[k], sizes[k], 0));
        memset(blocks[k], k, sizes[k]);
    }
    ck_assert_int_eq(pool.failed, 0);
    ck_assert_int_eq(pool.allocations, memory.count);
    ck_assert_ptr_null(perp_pool_take_array(&pool, SIZE_MAX / 4, 8));
    ck_assert_int_eq(pool.failed, 1);
    ck_assert_ptr_null(perp_pool_take(&pool, SIZE_MAX - 10));
    perp_pool_give(&pool, NULL);

    void *array = NULL;
    int capacity = 0;
    for (int count = 1; count < 1000; count++) {
        ck_assert(perp_pool_grow(&pool, &array, &capacity, count, sizeof(int)));
        ck_assert_int_ge(capacity, count);
        ((int *)array)[count - 1] = count;
    }
    for (int i = 0; i < 999; i++)
        ck_assert_int_eq(((int *)array)[i], i + 1);
    ck_assert_int_eq(capacity, 1024);
    memory.fail_at = 0;
    void *before = array;
    ck_assert(!perp_pool_grow(&pool, &array, &capacity, 1000000, sizeof(int)));
    ck_assert(array == before && capacity == 1024);
    perp_pool_free(&pool);
    ck_assert_int_eq(memory.live, 0);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("models");
    TCase *tests = tcase_create("slots and memory");
    tcase_add_test(tests, stale_systems_are_refused);
    tcase_add_test(tests, systems_take_their_interactions_along);
    tcase_add_test(tests, laws_change_within_their_kind);
    tcase_add_test(tests, states_and_energies);
    tcase_add_test(tests, every_allocation_may_fail);
    tcase_add_test(tests, memory_is_used_again);
    tcase_add_test(tests, pools_give_aligned_zeroed_blocks);
    suite_add_tcase(s, tests);
    SRunner *runner = srunner_create(s);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
