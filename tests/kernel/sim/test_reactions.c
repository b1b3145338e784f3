/* SPDX-License-Identifier: BSD-3-Clause */
/* Reactions of joints against statics and the momentum of their bodies; loops whose rows depend on
 * each other: the same motion as without them, and reactions of least norm whatever the order. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perp/kernel.h>

#include "tests/fixtures/contract.h"

static const double g = 9.81, h = 2e-3;
static const char *const schemes[] = {"discrete-gradient", "moreau-jean"};

typedef struct world {
    perp_model *model;
    perp_sim *sim;
} world;

static perp_system_id body(world *w, double mass, double x, double y, double z)
{
    perp_body_def def;
    perp_system_id id;
    perp_body_def_init(&def, sizeof def);
    def.mass = mass;
    def.position[0] = x;
    def.position[1] = y;
    def.position[2] = z;
    def.force[2] = -mass * g;
    for (int k = 0; k < 3; k++)
        def.inertia[4 * k] = 0.05 * mass * (1.0 + 0.3 * k);
    ck_assert_int_eq(perp_model_add_body(w->model, &def, &id, NULL), PERP_SOLVED);
    return id;
}

static perp_interaction_id join(world *w, perp_joint kind, const perp_system_id *ids, int n,
                                const double *anchor, const double *axis)
{
    perp_interaction_def def;
    perp_interaction_id id;
    perp_interaction_def_init(&def, sizeof def);
    def.systems = ids;
    def.nsystems = n;
    def.relation.kind = PERP_RELATION_JOINT;
    def.relation.joint = kind;
    def.relation.rows = perp_joint_rows(kind);
    memcpy(def.relation.anchor, anchor, sizeof def.relation.anchor);
    memcpy(def.relation.axis, axis, sizeof def.relation.axis);
    def.law = perp_law_equality();
    ck_assert_int_eq(perp_model_add_interaction(w->model, &def, &id, NULL), PERP_SOLVED);
    return id;
}

static void start(world *w, const char *name)
{
    perp_sim_options options;
    perp_scheme scheme;
    perp_sim_options_init(&options, sizeof options);
    options.h = h;
    ck_assert_int_eq(perp_sim_create(&w->sim, w->model, &options, NULL, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_scheme_init(&scheme, name, sizeof scheme), PERP_SOLVED);
    ck_assert_int_eq(perp_sim_set_scheme(w->sim, (perp_system_id){0, 0}, &scheme), PERP_SOLVED);
}

static void close_world(world *w)
{
    perp_sim_destroy(w->sim);
    perp_model_destroy(w->model);
}

static perp_reaction reaction(world *w, perp_interaction_id id)
{
    perp_reaction r = {.size = sizeof r};
    ck_assert_int_eq(perp_sim_reaction(w->sim, id, &r), PERP_SOLVED);
    return r;
}

static const double *state(world *w, perp_system_id id, int velocity)
{
    double *x, *v;
    ck_assert_int_eq(perp_model_state(w->model, id, &x, &v, NULL, NULL), PERP_SOLVED);
    return velocity ? v : x;
}

/* A beam held at its end: m g up, and m g l about the anchor. */
START_TEST(a_cantilever)
{
    static const double wall[3] = {0.2, 0.1, 0.3}, axis[3] = {1.0, 0.0, 0.0};
    world w = {0};
    ck_assert_int_eq(perp_model_create(&w.model, NULL), PERP_SOLVED);
    perp_system_id beam = body(&w, 3.0, 0.9, 0.1, 0.3);
    perp_interaction_id held = join(&w, PERP_JOINT_FIXED, &beam, 1, wall, axis);
    start(&w, schemes[_i]);
    ck_assert_double_eq(reaction(&w, held).force[2], 0.0); /* before the first step */
    ck_assert_int_eq(perp_sim_run(w.sim, 0.1), PERP_SOLVED);
    perp_reaction r = reaction(&w, held);
    for (int k = 0; k < 3; k++) {
        ck_assert_double_eq_tol(r.point[k], wall[k], 1e-12);
        ck_assert_double_eq_tol(r.force[k], k == 2 ? 3.0 * g : 0.0, 1e-9);
        ck_assert_double_eq_tol(r.moment[k], k == 1 ? -3.0 * g * 0.7 : 0.0, 1e-9);
    }
    ck_assert_int_eq(r.dependent, 0);
    close_world(&w);
}
END_TEST

/* Force on a pendulum: its momentum changes by that and by its weight. */
START_TEST(a_pendulum)
{
    static const double origin[3] = {0.0}, axis[3] = {0.0, 1.0, 0.0};
    world w = {0};
    double before[3];
    ck_assert_int_eq(perp_model_create(&w.model, NULL), PERP_SOLVED);
    perp_system_id bob = body(&w, 2.0, 0.5, 0.0, 0.0);
    perp_interaction_id pin = join(&w, PERP_JOINT_PIVOT, &bob, 1, origin, axis);
    start(&w, schemes[_i]);
    for (int k = 0; k < 300; k++) {
        memcpy(before, state(&w, bob, 1), sizeof before);
        ck_assert_int_eq(perp_sim_step(w.sim), PERP_SOLVED);
        const double *after = state(&w, bob, 1);
        perp_reaction r = reaction(&w, pin);
        for (int i = 0; i < 3; i++)
            ck_assert_double_eq_tol(r.force[i],
                                    2.0 * (after[i] - before[i]) / h + (i == 2 ? 2.0 * g : 0.0),
                                    _i == 0 ? 5e-2 : 2e-1);
    }
    close_world(&w);
}
END_TEST

/* A gate of 10 kg on two hinges, the rows of one following from those of the other. */
static void gate(world *w, const char *scheme, int hinges, int swapped, perp_interaction_id *ids,
                 perp_system_id *leaf)
{
    static const double anchor[3][3] = {{0.0, 0.0, 0.7}, {0.0, 0.0, -0.7}, {0.0, 0.0, 0.0}};
    static const double up[3] = {0.0, 0.0, 1.0};
    memset(w, 0, sizeof *w);
    ck_assert_int_eq(perp_model_create(&w->model, NULL), PERP_SOLVED);
    *leaf = body(w, 10.0, 0.4, 0.0, 0.0);
    for (int k = 0; k < hinges; k++) {
        int which = hinges == 1 ? 2 : swapped ? hinges - 1 - k : k;
        ids[hinges == 1 ? 0 : which] = join(w, PERP_JOINT_PIVOT, leaf, 1, anchor[which], up);
    }
    double *v;
    ck_assert_int_eq(perp_model_state(w->model, *leaf, NULL, &v, NULL, NULL), PERP_SOLVED);
    v[1] = 0.8;
    v[5] = 2.0;
    start(w, scheme);
}

START_TEST(a_gate_on_two_hinges)
{
    world one, two, other;
    perp_interaction_id single[1], pair[3], swapped[3];
    perp_system_id leaf[3];
    int hinges = _i / 2 % 2 ? 3 : 2;
    const char *scheme = schemes[_i % 2];
    gate(&one, scheme, 1, 0, single, &leaf[0]);
    gate(&two, scheme, hinges, 0, pair, &leaf[1]);
    gate(&other, scheme, hinges, 1, swapped, &leaf[2]);
    for (int k = 0; k < 200; k++) {
        ck_assert_int_eq(perp_sim_step(one.sim), PERP_SOLVED);
        ck_assert_int_eq(perp_sim_step(two.sim), PERP_SOLVED);
        ck_assert_int_eq(perp_sim_step(other.sim), PERP_SOLVED);
        for (int i = 0; i < 7; i++) {
            double x = state(&one, leaf[0], 0)[i];
            ck_assert_double_eq_tol(state(&two, leaf[1], 0)[i], x, 1e-9);
            ck_assert_double_eq_tol(state(&other, leaf[2], 0)[i], x, 1e-9);
        }
        perp_reaction whole = reaction(&one, single[0]);
        double sum[3] = {0.0};
        for (int n = 0; n < hinges; n++) {
            perp_reaction a = reaction(&two, pair[n]), b = reaction(&other, swapped[n]);
            ck_assert_int_eq(a.dependent, 5 * (hinges - 1));
            for (int i = 0; i < 3; i++) {
                ck_assert_double_eq_tol(a.force[i], b.force[i], 1e-6);
                ck_assert_double_eq_tol(a.moment[i], b.moment[i], 1e-6);
                sum[i] += a.force[i];
            }
            if (hinges == 2) /* each carries half of the weight */
                ck_assert_double_eq_tol(a.force[2], 5.0 * g, 1e-6);
        }
        for (int i = 0; i < 3; i++)
            ck_assert_double_eq_tol(sum[i], whole.force[i], 1e-6);
    }
    close_world(&one);
    close_world(&two);
    close_world(&other);
}
END_TEST

/* A planar loop of four bars with pivots in space: 3 rows too many. */
START_TEST(a_loop_of_four_bars)
{
    static const double corners[4][3] = {
        {0.0, 0.0, 0.0}, {0.0, 0.0, 0.5}, {0.8, 0.0, 0.5}, {0.8, 0.0, 0.0}};
    static const double axis[3] = {0.0, 1.0, 0.0};
    world w[2];
    perp_interaction_id pins[2][4];
    perp_system_id bars[2][3];
    for (int k = 0; k < 2; k++) {
        memset(&w[k], 0, sizeof w[k]);
        ck_assert_int_eq(perp_model_create(&w[k].model, NULL), PERP_SOLVED);
        bars[k][0] = body(&w[k], 1.0, 0.0, 0.0, 0.25);
        bars[k][1] = body(&w[k], 2.0, 0.4, 0.0, 0.5);
        bars[k][2] = body(&w[k], 1.0, 0.8, 0.0, 0.25);
        for (int n = 0; n < 4; n++) {
            int i = k ? 3 - n : n; /* another order, another choice of rows */
            perp_system_id pair[2] = {bars[k][i < 3 ? i : 2], bars[k][i < 1 ? 0 : i - 1]};
            pins[k][i] = join(&w[k], PERP_JOINT_PIVOT, i == 0 || i == 3 ? &pair[0] : pair,
                              i == 0 || i == 3 ? 1 : 2, corners[i], axis);
        }
        double *v;
        for (int n = 0; n < 3; n++) {
            ck_assert_int_eq(perp_model_state(w[k].model, bars[k][n], NULL, &v, NULL, NULL),
                             PERP_SOLVED);
            v[0] = n == 1 ? 0.5 : 0.25;
            v[4] = n == 1 ? 0.0 : 1.0;
        }
        start(&w[k], schemes[_i]);
    }
    for (int k = 0; k < 300; k++) {
        ck_assert_int_eq(perp_sim_step(w[0].sim), PERP_SOLVED);
        ck_assert_int_eq(perp_sim_step(w[1].sim), PERP_SOLVED);
    }
    for (int n = 0; n < 3; n++)
        for (int i = 0; i < 7; i++)
            ck_assert_double_eq_tol(state(&w[0], bars[0][n], 0)[i], state(&w[1], bars[1][n], 0)[i],
                                    1e-8);
    for (int n = 0; n < 4; n++) {
        perp_reaction a = reaction(&w[0], pins[0][n]), b = reaction(&w[1], pins[1][n]);
        ck_assert_int_eq(a.dependent, 3);
        for (int i = 0; i < 3; i++) {
            ck_assert_double_eq_tol(a.force[i], b.force[i], 1e-5);
            ck_assert_double_eq_tol(a.moment[i], b.moment[i], 1e-5);
        }
        ck_assert_double_eq_tol(a.force[1], 0.0, 1e-6); /* nothing across the plane */
    }
    close_world(&w[0]);
    close_world(&w[1]);
}
END_TEST

/* A run that goes back to a checkpoint has, at the same number of steps, the reactions of its own
 * loads. */
START_TEST(after_a_checkpoint)
{
    static const double wall[3] = {0.2, 0.1, 0.3}, axis[3] = {1.0, 0.0, 0.0};
    world w = {0};
    size_t bytes = 0;
    ck_assert_int_eq(perp_model_create(&w.model, NULL), PERP_SOLVED);
    perp_system_id beam = body(&w, 3.0, 0.9, 0.1, 0.3);
    perp_interaction_id held = join(&w, PERP_JOINT_FIXED, &beam, 1, wall, axis);
    start(&w, schemes[_i]);
    ck_assert_int_eq(perp_sim_run(w.sim, 0.02), PERP_SOLVED);
    ck_assert_int_eq(perp_sim_save(w.sim, NULL, &bytes), PERP_SOLVED);
    void *kept = malloc(bytes);
    ck_assert_int_eq(perp_sim_save(w.sim, kept, &bytes), PERP_SOLVED);
    for (int load = 1; load < 4; load++) {
        double F[3] = {0.0, 0.0, -10.0 * load};
        ck_assert_int_eq(perp_sim_load(w.sim, kept, bytes), PERP_SOLVED);
        ck_assert_int_eq(perp_model_set_force(w.model, beam, F), PERP_SOLVED);
        ck_assert_int_eq(perp_sim_step(w.sim), PERP_SOLVED);
        ck_assert_double_eq_tol(reaction(&w, held).force[2], 10.0 * load, 1e-8);
    }
    free(kept);
    close_world(&w);
}
END_TEST

/* A frame on two hinges, in which each block of memory fails while reactions are asked for. */
START_TEST(without_memory)
{
    static const double axis[3] = {0.0, 1.0, 0.0};
    int done = 0;
    for (long k = 1; !done && k < 100; k++) {
        world w = {0};
        counter memory = {.once = 1};
        perp_allocator allocator = block_allocator(&memory);
        perp_reaction r = {.size = sizeof r, .dependent = -7};
        ck_assert_int_eq(perp_model_create(&w.model, NULL), PERP_SOLVED);
        perp_system_id gate = body(&w, 2.0, 0.5, 0.0, 0.0);
        const double hinge[2][3] = {{0.0, -0.4, 0.0}, {0.0, 0.4, 0.0}};
        perp_interaction_id pins[2];
        for (int i = 0; i < 2; i++)
            pins[i] = join(&w, PERP_JOINT_PIVOT, &gate, 1, hinge[i], axis);
        perp_sim_options options;
        perp_sim_options_init(&options, sizeof options);
        options.h = h;
        ck_assert_int_eq(perp_sim_create(&w.sim, w.model, &options, &allocator, NULL), PERP_SOLVED);
        ck_assert_int_eq(perp_sim_run(w.sim, 0.02), PERP_SOLVED);
        if (k % 2 == 0) /* and what a changed model asks for */
            (void)body(&w, 1.0, 9.0, 9.0, 9.0);
        memory.fail_at = memory.allocations + (k + 1) / 2;
        perp_status status = perp_sim_reaction(w.sim, pins[0], &r);
        done = k % 2 == 0 && memory.allocations < memory.fail_at;
        if (memory.allocations >= memory.fail_at) {
            ck_assert_msg(status == PERP_ERR_MEMORY, "block %ld: %s", k, perp_status_name(status));
            ck_assert_int_eq(r.dependent, -7);
        }
        memory.fail_at = 0;
        perp_reaction again = reaction(&w, pins[0]), other = reaction(&w, pins[1]);
        ck_assert_int_eq(again.dependent, 5);
        for (int i = 0; i < 3; i++)
            ck_assert_double_eq_tol(again.force[i], other.force[i], 1e-7);
        close_world(&w);
        ck_assert_int_eq((int)memory.live, 0);
    }
    ck_assert_int_eq(done, 1);
}
END_TEST

/* A motion that refuses while a changed model is looked at says so. */
static int refuse(perp_contact_point *point, double t, const double *a, const double *b,
                  const double *z, void *user)
{
    (void)t, (void)a, (void)b, (void)z, (void)user;
    *point = (perp_contact_point){1.0, {0, 0, 1}, {0}, {0}};
    return 1;
}

START_TEST(a_callback_refuses)
{
    static const double wall[3] = {0.2, 0.1, 0.3}, axis[3] = {1.0, 0.0, 0.0};
    world w = {0};
    perp_reaction r = {.size = sizeof r};
    perp_interaction_def def;
    ck_assert_int_eq(perp_model_create(&w.model, NULL), PERP_SOLVED);
    perp_system_id beam = body(&w, 3.0, 0.9, 0.1, 0.3);
    perp_interaction_id held = join(&w, PERP_JOINT_FIXED, &beam, 1, wall, axis);
    start(&w, schemes[_i]);
    ck_assert_int_eq(perp_sim_run(w.sim, 0.02), PERP_SOLVED);
    perp_interaction_def_init(&def, sizeof def);
    def.systems = &beam;
    def.nsystems = 1;
    def.relation.kind = PERP_RELATION_CONTACT;
    def.relation.rows = 3;
    def.relation.contact = refuse;
    def.law = perp_law_friction(3, 0.0, 0.5);
    ck_assert_int_eq(perp_model_add_interaction(w.model, &def, &(perp_interaction_id){0, 0}, NULL),
                     PERP_SOLVED);
    ck_assert_int_eq(perp_sim_reaction(w.sim, held, &r), PERP_INTERRUPTED);
    close_world(&w);
}
END_TEST

START_TEST(what_is_refused)
{
    static const double origin[3] = {0.0}, axis[3] = {0.0, 1.0, 0.0};
    world w = {0};
    perp_reaction r = {.size = sizeof r};
    ck_assert_int_eq(perp_model_create(&w.model, NULL), PERP_SOLVED);
    perp_system_id bob = body(&w, 2.0, 0.5, 0.0, 0.0);
    perp_interaction_id pin = join(&w, PERP_JOINT_PIVOT, &bob, 1, origin, axis);
    start(&w, "event-driven");
    ck_assert_int_eq(perp_sim_reaction(w.sim, pin, &r), PERP_ERR_UNSUPPORTED);
    ck_assert_int_eq(perp_sim_reaction(w.sim, (perp_interaction_id){7, 1}, &r), PERP_ERR_STATE);
    ck_assert_int_eq(perp_sim_reaction(NULL, pin, &r), PERP_ERR_ARGUMENT);
    close_world(&w);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("reactions");
    TCase *tcase = tcase_create("reactions");
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, a_cantilever, 0, 2);
    tcase_add_loop_test(tcase, a_pendulum, 0, 2);
    tcase_add_loop_test(tcase, a_gate_on_two_hinges, 0, 4);
    tcase_add_loop_test(tcase, a_loop_of_four_bars, 0, 2);
    tcase_add_loop_test(tcase, after_a_checkpoint, 0, 2);
    tcase_add_test(tcase, without_memory);
    tcase_add_loop_test(tcase, a_callback_refuses, 0, 2);
    tcase_add_test(tcase, what_is_refused);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
