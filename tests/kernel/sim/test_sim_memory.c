/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory of simulations: none taken over the last half of a run, a failure at any allocation is
 * reported as such, nothing leaks. */
#include <stdlib.h>
#include <string.h>

#include "tests/fixtures/contract.h"
#include "tests/fixtures/mixture.h"

static const double one = 1.0;

typedef struct watch {
    counter memory, seen;
    long at_start, by_malloc;
} watch;

static void watch_start(watch *w)
{
    w->at_start = w->memory.allocations;
    malloc_watch_start(0, 0);
}

static void watch_stop(watch *w, const char *what)
{
    malloc_watch_stop(&w->seen);
    ck_assert_msg(w->memory.allocations == w->at_start, "%s: %ld allocations in steps", what,
                  w->memory.allocations - w->at_start);
    ck_assert_msg(w->seen.allocations == 0, "%s: %ld calls of malloc in steps", what,
                  w->seen.allocations);
}

/* Steps without assertions, which would allocate. */
static int quiet_steps(perp_sim *sim, int count)
{
    int bad = 0;
    for (int k = 0; k < count; k++)
        bad += perp_sim_step(sim) != PERP_SOLVED;
    return bad;
}

static const struct {
    const char *scheme, *parameters;
    int with;
} kinds[] = {
    {"moreau-jean", "theta=0.5", WITH_ALL},
    {"euler-moreau", "theta=0.5 gamma=0.5 variant=full", WITH_CIRCUIT | WITH_RELAY},
    {"moreau-jean-direct-projection", "", WITH_BALL | WITH_BODY | WITH_ARM},
    {"moreau-jean-combined-projection", "", WITH_ARM},
    {"event-driven", "", WITH_BALL},
    {"generalized-alpha", "", WITH_ALL},
    {"discrete-gradient", "", WITH_ALL},
    {"discrete-gradient-adaptive", "atol=1e-5", WITH_ALL},
    {"event-capturing-rk", "", WITH_BALL},
    {"event-capturing-rk", "tableau=radau5", WITH_ARM},
    {"splitting", "", WITH_BALL | WITH_BODY},
    {"splitting", "contact_forces=continuous inner_steps=controlled", WITH_BALL | WITH_ARM},
    {"moreau-jean-adaptive", "atol=1e-5", WITH_ALL},
    {"moreau-jean-extrapolated", "atol=1e-4 levels=3", WITH_ALL},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

START_TEST(none_in_the_last_half)
{
    mixture m;
    watch w;
    memset(&w, 0, sizeof w);
    perp_allocator allocator = counter_allocator(&w.memory);
    perp_scheme scheme = rig_scheme(kinds[_i].scheme, kinds[_i].parameters);
    mixture_make(&m, kinds[_i].with, &scheme, &allocator);
    int bad = quiet_steps(m.r.sim, 500);
    watch_start(&w);
    bad += quiet_steps(m.r.sim, 500);
    watch_stop(&w, kinds[_i].scheme);
    ck_assert_int_eq(bad, 0);
    mixture_free(&m);
    ck_assert_int_eq((int)w.memory.live, 0);
}
END_TEST

enum { BEADS = 30 };

static void add_column(rig *r, perp_system_id *bead)
{
    const double F = -9.81, ground = -0.1, apart = -0.2, between[] = {-1.0, 1.0};
    for (int i = 0; i < BEADS; i++) {
        double q0 = 0.3 + 0.22 * i;
        bead[i] = rig_lagrangian(r, 1, &q0, NULL, NULL, &F);
    }
    rig_linear(r, bead[0], 1, &one, &ground, perp_law_impact(0.7));
    for (int i = 1; i < BEADS; i++) {
        perp_relation relation = rig_relation(PERP_RELATION_LINEAR, 1);
        relation.C = between;
        relation.e = &apart;
        rig_interact(r, bead + i - 1, 2, &relation, perp_law_impact(0.7));
    }
}

static const struct {
    const char *solver;
    perp_form form;
} ways[] = {{"lemke", PERP_FORM_DENSE},
            {"gs", PERP_FORM_DENSE},
            {"gs", PERP_FORM_CSC},
            {"gs", PERP_FORM_BSR},
            {"gs", PERP_FORM_DELASSUS},
            {NULL, PERP_FORM_AUTO},
            {"projection", PERP_FORM_CSC},
            {"nsn", PERP_FORM_CSC}};
enum { WAYS = sizeof ways / sizeof ways[0], NSN = WAYS - 1 }; /* the last one factorises */

/* Contacts that open and close all the time, in every form of the matrix; the rows in the
 * problem change with them. */
START_TEST(contacts_come_and_go)
{
    rig r;
    perp_system_id bead[BEADS];
    watch w;
    memset(&w, 0, sizeof w);
    perp_allocator allocator = counter_allocator(&w.memory);
    rig_init_with(&r, 2e-3, &allocator);
    r.options.solver = ways[_i].solver;
    r.options.form = ways[_i].form;
    r.settings.tol = 1e-8;
    add_column(&r, bead);
    rig_start_moreau_jean(&r); /* has one problem a step, the largest with all of them closed */
    int sizes = 0, last = -1;
    for (int k = 0; k < 1500; k++) {
        int status = perp_sim_step(r.sim);
        ck_assert_int_ge(status, 0);
        sizes += perp_sim_info(r.sim)->rows != last;
        last = perp_sim_info(r.sim)->rows;
    }
    ck_assert_int_gt(sizes, 20);
    /* From all of them closed, the largest problem there is, through the same motion again. */
    for (int i = 0; i < BEADS; i++) {
        *rig_q(&r, bead[i]) = 0.1 + 0.2 * i;
        *rig_v(&r, bead[i]) = -1.0;
    }
    perp_model_changed(r.model);
    quiet_steps(r.sim, 10);
    for (int i = 0; i < BEADS; i++) {
        *rig_q(&r, bead[i]) = 0.3 + 0.22 * i;
        *rig_v(&r, bead[i]) = 0.0;
    }
    perp_model_changed(r.model);
    watch_start(&w);
    quiet_steps(r.sim, 1500);
    watch_stop(&w, ways[_i].solver ? ways[_i].solver : "the solver chosen");
    rig_free(&r);
    ck_assert_int_eq((int)w.memory.live, 0);
}
END_TEST

/* Systems that are added and removed in turn use the same memory again. */
START_TEST(bodies_come_and_go)
{
    rig r;
    watch w;
    memset(&w, 0, sizeof w);
    perp_allocator allocator = counter_allocator(&w.memory);
    rig_init_with(&r, 2e-3, &allocator);
    r.options.solver = "gs";
    rig_start(&r, NULL);
    const double q0[] = {0.05, 0.0}, F[] = {-9.81, 0.0}, C[] = {1.0, 0.0, 0.0, 1.0};
    perp_system_id guest[5];
    for (int round = 0; round < 60; round++) {
        if (round == 30)
            watch_start(&w);
        for (int k = 0; k < 5; k++) {
            if (round >= 5 - k)
                perp_model_remove_system(r.model, guest[k]);
            perp_lagrangian_def def;
            perp_lagrangian_def_init(&def, sizeof def);
            def.n = 2;
            def.q0 = q0;
            def.F = F;
            perp_model_add_lagrangian(r.model, &def, &guest[k], NULL);
            perp_interaction_def link;
            perp_interaction_def_init(&link, sizeof link);
            link.systems = &guest[k];
            link.nsystems = 1;
            link.relation.kind = PERP_RELATION_LINEAR;
            link.relation.rows = 2;
            link.relation.C = C;
            link.law = perp_law_friction(2, 0.2, 0.3);
            perp_model_add_interaction(r.model, &link, &(perp_interaction_id){0, 0}, NULL);
            quiet_steps(r.sim, 7);
        }
    }
    watch_stop(&w, "guests");
    rig_free(&r);
    ck_assert_int_eq((int)w.memory.live, 0);
}
END_TEST

/* Runs in which allocations fail; circuit: first-order systems are in. */
typedef struct fragile {
    const char *scheme;
    perp_form form;
    int circuit;
} fragile;

static const fragile fragiles[] = {{"moreau-jean", PERP_FORM_DENSE, 1},
                                   {"moreau-jean", PERP_FORM_CSC, 1},
                                   {"moreau-jean", PERP_FORM_AUTO, 1},
                                   {"generalized-alpha", PERP_FORM_AUTO, 1},
                                   {"discrete-gradient", PERP_FORM_AUTO, 1},
                                   {"discrete-gradient-adaptive", PERP_FORM_AUTO, 1},
                                   {"moreau-jean-adaptive", PERP_FORM_AUTO, 1},
                                   {"moreau-jean-extrapolated", PERP_FORM_AUTO, 1},
                                   {"event-driven", PERP_FORM_AUTO, 0},
                                   {"event-capturing-rk", PERP_FORM_AUTO, 0},
                                   {"splitting", PERP_FORM_AUTO, 0}};
enum { FRAGILES = sizeof fragiles / sizeof fragiles[0] };

/* A model with a system of each kind and some steps; statuses instead of assertions. */
static perp_status build_and_run(const perp_allocator *allocator, const fragile *way, int *stepped)
{
    perp_model *model = NULL;
    perp_sim *sim = NULL;
    perp_system_id id[3] = {{0, 0}};
    perp_interaction_id link_id;
    const double q0[] = {0.01, 0.0}, F[] = {-9.81, 0.0}, C[] = {1.0, 0.0, 0.0, 1.0}, A = -1.0;
    perp_lagrangian_def ball;
    perp_first_order_def circuit;
    perp_body_def body;
    perp_interaction_def link;
    *stepped = 0;
    perp_lagrangian_def_init(&ball, sizeof ball);
    ball.n = 2;
    ball.q0 = q0;
    ball.F = F;
    perp_first_order_def_init(&circuit, sizeof circuit);
    circuit.n = 1;
    circuit.x0 = &one;
    (void)perp_mat_init_dense(&circuit.A, 1, 1, &A, 1);
    perp_body_def_init(&body, sizeof body);
    body.force[2] = -9.81;
    perp_interaction_def_init(&link, sizeof link);
    perp_status status = perp_model_create(&model, allocator);
    if (status == PERP_SOLVED)
        status = perp_model_add_lagrangian(model, &ball, &id[0], NULL);
    if (status == PERP_SOLVED && way->circuit)
        status = perp_model_add_first_order(model, &circuit, &id[1], NULL);
    if (status == PERP_SOLVED)
        status = perp_model_add_body(model, &body, &id[2], NULL);
    for (int k = 0; k < 3 && status == PERP_SOLVED; k++) {
        if (k == 1 && !way->circuit)
            continue;
        perp_interaction_def_init(&link, sizeof link);
        link.systems = &id[k];
        link.nsystems = 1;
        link.relation.kind = k == 2 ? PERP_RELATION_JOINT : PERP_RELATION_LINEAR;
        link.relation.rows = k == 0 ? 2 : k == 1 ? 1 : 3;
        link.relation.joint = PERP_JOINT_POINT;
        link.relation.anchor[0] = 1.0;
        link.relation.C = k == 0 ? C : k == 1 ? &one : NULL;
        link.relation.B = k == 1 ? &one : NULL;
        link.law = k == 0   ? perp_law_friction(2, 0.3, 0.5)
                   : k == 1 ? perp_law_relay(-2.0, 2.0)
                            : perp_law_equality();
        status = perp_model_add_interaction(model, &link, &link_id, NULL);
    }
    perp_sim_options options;
    perp_sim_options_init(&options, sizeof options);
    options.h = 1e-2;
    options.solver = "gs";
    options.form = way->form;
    if (status == PERP_SOLVED)
        status = perp_sim_create(&sim, model, &options, allocator, NULL);
    perp_scheme scheme;
    if (status == PERP_SOLVED)
        status = perp_scheme_init(&scheme, way->scheme, sizeof scheme);
    if (status == PERP_SOLVED)
        status = perp_sim_set_scheme(sim, (perp_system_id){0, 0}, &scheme);
    for (int k = 0; k < 12 && status == PERP_SOLVED; k++) {
        status = perp_sim_step(sim);
        *stepped += status == PERP_SOLVED;
    }
    perp_sim_destroy(sim);
    perp_model_destroy(model);
    return status;
}

/* Each k in turn fails, allocations and then blocks, once and for good: PERP_ERR_MEMORY or the same result as ever. */
START_TEST(any_allocation_fails)
{
    const fragile *way = &fragiles[_i % FRAGILES];
    counter c = {0, 0, 0, 0};
    int stepped;
    perp_allocator allocator = _i < FRAGILES ? counter_allocator(&c) : block_allocator(&c);
    ck_assert_int_eq(build_and_run(&allocator, way, &stepped), PERP_SOLVED);
    long total = c.allocations;
    ck_assert_int_gt((int)total, 10);
    ck_assert_int_eq((int)c.live, 0);
    for (int once = 0; once < 2; once++)
        for (long k = 1; k <= total; k++) {
            c = (counter){0, 0, k, once};
            perp_status status = build_and_run(&allocator, way, &stepped);
            ck_assert_msg(status == PERP_ERR_MEMORY || (once && status == PERP_SOLVED),
                          "%s: allocation %ld of %ld: %s after %d steps", way->scheme, k, total,
                          perp_status_name(status), stepped);
            ck_assert_msg(c.live == 0, "allocation %ld: %ld blocks leaked", k, c.live);
        }
}
END_TEST

/* The same with malloc below the libraries under Perp. */
START_TEST(any_malloc_fails)
{
    const fragile *way = &fragiles[_i];
    counter seen;
    int stepped;
    if (!malloc_is_seen())
        return;
    malloc_watch_start(0, 0);
    perp_status status = build_and_run(NULL, way, &stepped);
    malloc_watch_stop(&seen);
    ck_assert_int_eq(status, PERP_SOLVED);
    long total = seen.allocations;
    for (long k = 1; k <= total; k++) {
        malloc_watch_start(k, 0);
        status = build_and_run(NULL, way, &stepped);
        malloc_watch_stop(&seen);
        ck_assert_msg(status == PERP_ERR_MEMORY, "malloc %ld of %ld: %s", k, total,
                      perp_status_name(status));
        ck_assert_msg(seen.live == 0, "malloc %ld: %ld blocks leaked", k, seen.live);
    }
}
END_TEST

static const char *const marching[] = {"moreau-jean", "moreau-jean-adaptive",
                                       "moreau-jean-extrapolated", "generalized-alpha",
                                       "discrete-gradient", "discrete-gradient-adaptive"};
enum { MARCHING = sizeof marching / sizeof marching[0] };

/* Memory that fails in a step leaves the state of its start, and the run can go on. */
START_TEST(a_step_without_memory)
{
    perp_scheme scheme = rig_scheme(marching[_i % MARCHING], "");
    for (long k = 1; k < 200; k++) {
        mixture m;
        double before[64], after[64];
        counter c = {0, 0, 0, 1};
        perp_allocator allocator = _i < MARCHING ? counter_allocator(&c) : block_allocator(&c);
        mixture_make(&m, WITH_ALL, _i % MARCHING > 0 ? &scheme : NULL, &allocator);
        int count = mixture_states(before, &m);
        c.fail_at = c.allocations + k;
        perp_status status = perp_sim_step(m.r.sim);
        if (status == PERP_SOLVED) {
            mixture_free(&m);
            return;
        }
        ck_assert_int_eq(status, PERP_ERR_MEMORY);
        mixture_states(after, &m);
        ck_assert_mem_eq(before, after, sizeof(double) * (size_t)count);
        for (int i = 0; i < 20; i++)
            rig_step(&m.r);
        mixture_free(&m);
        ck_assert_int_eq((int)c.live, 0);
    }
}
END_TEST

/* The same with thirty contacts that all close, in every form. */
START_TEST(a_large_step_without_memory)
{
    perp_status status = PERP_ERR_MEMORY;
    for (long k = 1; status != PERP_SOLVED; k++) {
        rig r;
        perp_system_id bead[BEADS];
        counter c = {0, 0, 0, 1};
        perp_allocator allocator = _i < WAYS ? counter_allocator(&c) : block_allocator(&c);
        rig_init_with(&r, 2e-3, &allocator);
        r.options.solver = ways[_i % WAYS].solver;
        r.options.form = ways[_i % WAYS].form;
        r.settings.tol = 1e-8;
        add_column(&r, bead);
        rig_start(&r, NULL);
        for (int i = 0; i < BEADS; i++)
            *rig_q(&r, bead[i]) = 0.1 + 0.2 * i;
        perp_model_changed(r.model);
        c.fail_at = c.allocations + k;
        status = perp_sim_step(r.sim);
        c.fail_at = 0;
        ck_assert_msg(status == PERP_SOLVED || status == PERP_ERR_MEMORY, "allocation %ld: %s", k,
                      perp_status_name(status));
        for (int i = 0; i < BEADS && status != PERP_SOLVED; i++)
            ck_assert_double_eq(*rig_q(&r, bead[i]), 0.1 + 0.2 * i);
        ck_assert_int_lt(k, 1000);
        for (int i = 0; i < 5; i++)
            ck_assert_int_ge(perp_sim_step(r.sim), 0);
        rig_free(&r);
        ck_assert_int_eq((int)c.live, 0);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("sim memory");
    TCase *tcase = tcase_create("sim memory");
    tcase_set_timeout(tcase, 600);
    tcase_add_loop_test(tcase, none_in_the_last_half, 0, KINDS);
    tcase_add_loop_test(tcase, contacts_come_and_go, 0, NSN);
    tcase_add_test(tcase, bodies_come_and_go);
    tcase_add_loop_test(tcase, any_allocation_fails, 0, FRAGILES);
    tcase_add_loop_test(tcase, any_malloc_fails, 2, FRAGILES);
    tcase_add_loop_test(tcase, a_step_without_memory, 0, MARCHING);
    tcase_add_loop_test(tcase, a_large_step_without_memory, 0, WAYS);
    suite_add_tcase(suite, tcase);
    TCase *blocks = tcase_create("blocks");
    tcase_set_timeout(blocks, 600);
    tcase_add_loop_test(blocks, any_allocation_fails, FRAGILES, 2 * FRAGILES);
    tcase_add_loop_test(blocks, a_step_without_memory, MARCHING, 2 * MARCHING);
    tcase_add_loop_test(blocks, a_large_step_without_memory, WAYS, 2 * WAYS);
    suite_add_tcase(suite, blocks);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
