/* SPDX-License-Identifier: BSD-3-Clause */
/* Bodies that are ABSENT keep little more than their definition; what is asked of them,
 * checkpoints, and their return do not change by it. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include <perp/collide.h>
#include <perp/sim.h>
#include <perp/verdict.h>

enum { MANY = 1000 };

/* Bytes that are taken and not given back. */
typedef struct counted {
    size_t now, most;
} counted;

static void *allocate(void *ctx, size_t bytes)
{
    counted *c = ctx;
    size_t *block = malloc(bytes + 16);
    if (!block)
        return NULL;
    block[0] = bytes;
    c->now += bytes;
    c->most = c->now > c->most ? c->now : c->most;
    return (char *)block + 16;
}

static void release(void *ctx, void *at)
{
    counted *c = ctx;
    size_t *block = (size_t *)((char *)at - 16);
    if (!at)
        return;
    c->now -= block[0];
    free(block);
}

static perp_body_def ball(int k)
{
    perp_body_def def;
    perp_body_def_init(&def, sizeof def);
    def.mass = 2.0 + k;
    for (int i = 0; i < 3; i++)
        def.inertia[4 * i] = 0.1 * (i + 1);
    def.inertia[1] = def.inertia[3] = 0.01;
    def.position[0] = 0.3 * k;
    def.quaternion[1] = 0.2;
    def.velocity[1] = 1.0;
    def.angular[2] = 0.5 + k;
    def.force[2] = -9.81 * def.mass;
    return def;
}

static size_t bytes_of_many(int absent)
{
    counted c = {0, 0};
    perp_allocator allocator = {allocate, release, &c};
    perp_collider *collider;
    perp_model *model;
    ck_assert_int_eq(perp_model_create(&model, &allocator), PERP_SOLVED);
    ck_assert_int_eq(perp_collider_create(&collider, model, &allocator), PERP_SOLVED);
    ck_assert_int_eq(perp_collider_reserve(collider, MANY), PERP_SOLVED);
    perp_model_begin_absent(model, absent);
    for (int k = 0; k < MANY; k++) {
        perp_body_def def = ball(k);
        perp_system_id id;
        ck_assert_int_eq(perp_model_add_body(model, &def, &id, NULL), PERP_SOLVED);
        ck_assert_int_eq(perp_collider_add_sphere(collider, id, 0.1, NULL, NULL, NULL),
                         PERP_SOLVED);
    }
    ck_assert_int_eq(perp_model_systems(model), MANY);
    perp_collider_destroy(collider);
    perp_model_destroy(model);
    ck_assert_uint_eq(c.now, 0);
    return c.most;
}

START_TEST(absent_bodies_are_small)
{
    size_t whole = bytes_of_many(0), absent = bytes_of_many(1);
    ck_assert_uint_lt(absent, MANY * 1700);
    ck_assert_uint_lt(3 * absent, whole);
}
END_TEST

/* Two models of three bodies with the same bits, the last two of one absent. */
typedef struct pair {
    perp_model *model[2];
    perp_sim *sim[2];
    perp_system_id id[3];
} pair;

static void open_pair(pair *p)
{
    perp_sim_options options;
    perp_sim_options_init(&options, sizeof options);
    options.h = 1e-3;
    for (int m = 0; m < 2; m++) {
        ck_assert_int_eq(perp_model_create(&p->model[m], NULL), PERP_SOLVED);
        for (int k = 0; k < 3; k++) {
            perp_body_def def = ball(k);
            perp_model_begin_absent(p->model[m], m == 1 && k > 0);
            ck_assert_int_eq(perp_model_add_body(p->model[m], &def, &p->id[k], NULL), PERP_SOLVED);
        }
        ck_assert_int_eq(perp_sim_create(&p->sim[m], p->model[m], &options, NULL, NULL),
                         PERP_SOLVED);
    }
}

static void close_pair(pair *p)
{
    for (int m = 0; m < 2; m++) {
        perp_sim_destroy(p->sim[m]);
        perp_model_destroy(p->model[m]);
    }
}

static void check_states(const pair *p)
{
    for (int k = 0; k < 3; k++) {
        double *q[2], *v[2], energy[2];
        int nq, nv;
        for (int m = 0; m < 2; m++) {
            ck_assert_int_eq(perp_model_state(p->model[m], p->id[k], &q[m], &v[m], &nq, &nv),
                             PERP_SOLVED);
            ck_assert_int_eq(nq, 7);
            ck_assert_int_eq(nv, 6);
            ck_assert_int_eq(perp_model_kinetic_energy(p->model[m], p->id[k], 0.0, &energy[m]),
                             PERP_SOLVED);
        }
        ck_assert_mem_eq(q[0], q[1], 7 * sizeof(double));
        ck_assert_mem_eq(v[0], v[1], 6 * sizeof(double));
        ck_assert_mem_eq(&energy[0], &energy[1], sizeof(double));
    }
}

START_TEST(absent_bodies_answer)
{
    const double force[3] = {1.0, 2.0, 3.0}, *input;
    perp_scheme scheme;
    double *z;
    int nz;
    pair p;
    open_pair(&p);
    check_states(&p);
    perp_system_id id = {0, 0}, away = p.id[2];
    for (int k = 0; k < 3; k++) {
        id = perp_model_next_system(p.model[1], id);
        ck_assert_uint_eq(id.index, p.id[k].index);
    }
    ck_assert_int_eq(perp_model_input(p.model[1], away, &input), PERP_SOLVED);
    ck_assert_double_eq(input[5], 0.0);
    ck_assert_int_eq(perp_model_parameters(p.model[1], away, &z, &nz), PERP_SOLVED);
    ck_assert_int_eq(nz, 0);
    ck_assert_int_eq(perp_scheme_init(&scheme, "moreau-jean", sizeof scheme), PERP_SOLVED);
    scheme.theta = 0.6;
    for (int m = 0; m < 2; m++) {
        ck_assert_int_eq(perp_model_set_force(p.model[m], away, force), PERP_SOLVED);
        ck_assert_int_eq(perp_sim_set_scheme(p.sim[m], away, &scheme), PERP_SOLVED);
        ck_assert_int_eq(perp_sim_set_size(p.sim[m], away, 0.1), PERP_SOLVED);
    }
    scheme.theta = 0.0;
    ck_assert_int_eq(perp_sim_scheme(p.sim[1], away, &scheme), PERP_SOLVED);
    ck_assert_double_eq(scheme.theta, 0.6);
    /* They come back as they would have been. */
    for (int k = 1; k < 3; k++)
        ck_assert_int_eq(perp_model_set_presence(p.model[1], p.id[k], PERP_PRESENCE_OWN),
                         PERP_SOLVED);
    for (int n = 0; n < 5; n++)
        for (int m = 0; m < 2; m++)
            ck_assert_int_eq(perp_sim_step(p.sim[m]), PERP_SOLVED);
    check_states(&p);
    ck_assert_int_eq(perp_model_set_presence(p.model[1], away, PERP_PRESENCE_ABSENT), PERP_SOLVED);
    check_states(&p);
    ck_assert_int_eq(perp_model_remove_system(p.model[1], away), PERP_SOLVED);
    ck_assert_int_eq(perp_model_systems(p.model[1]), 2);
    ck_assert_int_eq(perp_model_state(p.model[1], away, NULL, NULL, NULL, NULL), PERP_ERR_STATE);
    close_pair(&p);
}
END_TEST

/* An interaction needs them whole. */
START_TEST(interactions_bring_them_back)
{
    perp_interaction_def def;
    perp_interaction_id joint;
    pair p;
    open_pair(&p);
    perp_interaction_def_init(&def, sizeof def);
    def.systems = p.id + 1;
    def.nsystems = 2;
    def.law = perp_law_equality();
    def.relation.kind = PERP_RELATION_JOINT;
    def.relation.joint = PERP_JOINT_POINT;
    def.relation.rows = 3;
    ck_assert_int_eq(perp_model_add_interaction(p.model[1], &def, &joint, NULL), PERP_SOLVED);
    check_states(&p);
    ck_assert_int_eq(perp_model_remove_interaction(p.model[1], joint), PERP_SOLVED);
    check_states(&p);
    close_pair(&p);
}
END_TEST

static int nobody(void *ctx, double *x, int n)
{
    (void)ctx, (void)x, (void)n;
    return 0;
}

static perp_status nothing(void *ctx, const perp_problem *problem, const perp_mat *mass,
                           const perp_settings *settings, double *z, double *w, perp_info *info)
{
    (void)ctx, (void)problem, (void)mass, (void)settings, (void)z, (void)w, (void)info;
    return PERP_SOLVED;
}

START_TEST(checkpoints_hold_them)
{
    perp_sim_parts parts = {.size = sizeof parts, .solve = nothing, .add = nobody, .total = nobody};
    size_t bytes = 0, other = 0;
    double *v;
    pair p;
    open_pair(&p);
    ck_assert_int_eq(perp_sim_set_parts(p.sim[1], &parts), PERP_SOLVED);
    perp_scheme scheme;
    ck_assert_int_eq(perp_scheme_init(&scheme, "moreau-jean", sizeof scheme), PERP_SOLVED);
    for (int m = 0; m < 2; m++) {
        ck_assert_int_eq(perp_sim_set_scheme(p.sim[m], (perp_system_id){0, 0}, &scheme),
                         PERP_SOLVED);
        perp_model_state(p.model[m], p.id[2], NULL, &v, NULL, NULL);
        v[0] = 7.0;
    }
    ck_assert_int_eq(perp_sim_save(p.sim[1], NULL, &bytes), PERP_SOLVED);
    ck_assert_int_eq(perp_sim_save(p.sim[0], NULL, &other), PERP_SOLVED);
    ck_assert_uint_eq(bytes, other);
    void *state = malloc(bytes);
    ck_assert_int_eq(perp_sim_save(p.sim[1], state, &bytes), PERP_SOLVED);
    for (int m = 0; m < 2; m++) {
        perp_model_state(p.model[m], p.id[2], NULL, &v, NULL, NULL);
        v[0] = 9.0;
        ck_assert_int_eq(perp_sim_load(p.sim[m], state, bytes), PERP_SOLVED);
        perp_model_state(p.model[m], p.id[2], NULL, &v, NULL, NULL);
        ck_assert_double_eq(v[0], 7.0);
    }
    check_states(&p);
    free(state);
    close_pair(&p);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("absent bodies");
    TCase *tc = tcase_create("absent bodies");
    tcase_add_test(tc, absent_bodies_are_small);
    tcase_add_test(tc, absent_bodies_answer);
    tcase_add_test(tc, interactions_bring_them_back);
    tcase_add_test(tc, checkpoints_hold_them);
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
