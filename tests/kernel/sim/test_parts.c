/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts of a simulation (perp_sim_set_parts()): contacts are made where they belong, once; a part
 * that has all is the whole; what is absent stays; checkpoints hold it; refusals. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perp/collide.h>
#include <perp/sim.h>
#include <perp/verdict.h>

#include "tests/fixtures/ball_pile.h"

/* The first ball is heavier than the others. */
static void open_world(world *w, const char *scheme_name)
{
    open_pile(w, &(ball_pile){5.0, 2.0, 0.201, 0.001, 1e-10}, scheme_name);
}

/* What the processes do for each other, where there is one. */
typedef struct alone {
    int solves, adds, totals, fails; /* fails: which call fails, 0 none */
    int rows, dofs, added;           /* of the last ones */
} alone;

static perp_status solve(void *ctx, const perp_problem *problem, const perp_mat *mass,
                         const perp_settings *settings, double *z, double *w, perp_info *info)
{
    alone *a = ctx;
    perp_solver *solver = NULL;
    perp_status status;
    a->solves++;
    a->rows = problem->M.rows;
    a->dofs = mass->rows;
    if (a->fails == 1)
        return PERP_STALLED;
    if (a->rows == 0)
        return PERP_SOLVED;
    ck_assert_int_eq(problem->M.kind, PERP_DELASSUS);
    ck_assert_int_eq(problem->M.as.delassus.dofs, mass->rows);
    status = perp_solver_create(&solver, perp_solver_find("nsn"), settings, NULL, NULL);
    if (status == PERP_SOLVED)
        status = perp_solver_setup(solver, problem);
    if (status == PERP_SOLVED)
        status = perp_solver_solve(solver, z, w, info);
    perp_solver_destroy(solver);
    return status;
}

static int add(void *ctx, double *x, int n)
{
    alone *a = ctx;
    (void)x;
    a->adds++;
    a->added = n;
    return a->fails == 2;
}

static int total(void *ctx, double *x, int n)
{
    alone *a = ctx;
    (void)x;
    ck_assert_int_le(n, 32);
    a->totals++;
    return a->fails == 3;
}

static void part(world *w, alone *a)
{
    perp_sim_parts parts = {
        .size = sizeof parts, .ctx = a, .solve = solve, .add = add, .total = total};
    ck_assert_int_eq(perp_sim_set_parts(w->sim, &parts), PERP_SOLVED);
}

static void steps(world *w, int count)
{
    for (int k = 0; k < count; k++)
        ck_assert_msg(perp_sim_step(w->sim) == PERP_SOLVED, "step %d: %s", k,
                      perp_sim_info(w->sim)->detail);
}

/* With all bodies here, shared or not, the part is the whole, its certificate too. */
START_TEST(one_part_is_the_whole)
{
    double whole[STATE * BALLS], parted[STATE * BALLS];
    perp_verdict of_whole = {.size = sizeof of_whole}, of_part = {.size = sizeof of_part};
    alone a = {0};
    world w;
    open_world(&w, "moreau-jean");
    steps(&w, 40);
    read_states(&w, whole);
    ck_assert_int_eq(perp_sim_verdict(w.sim, &of_whole, sizeof of_whole), PERP_SOLVED);
    close_world(&w);
    open_world(&w, "moreau-jean");
    for (int k = 0; _i && k < BALLS; k++)
        ck_assert_int_eq(perp_model_set_presence(w.model, w.body[k], PERP_PRESENCE_SHARED),
                         PERP_SOLVED);
    part(&w, &a);
    steps(&w, 40);
    read_states(&w, parted);
    ck_assert_int_eq(perp_sim_verdict(w.sim, &of_part, sizeof of_part), PERP_SOLVED);
    close_world(&w);
    ck_assert_int_ge(a.solves, 40);
    ck_assert_int_eq(a.dofs, 6 * BALLS);
    ck_assert_int_gt(a.rows, 3 * BALLS);
    ck_assert_int_eq(a.added, _i ? 6 * BALLS : 0);
    for (int i = 0; i < STATE * BALLS; i++)
        ck_assert_double_eq_tol(whole[i], parted[i], 1e-7);
    ck_assert_int_eq(of_whole.kind, of_part.kind);
}
END_TEST

static int is_here(const perp_contact_info *info, uint32_t first, uint32_t second)
{
    return (info->first.index == first && info->second.index == second) ||
           (info->first.index == second && info->second.index == first);
}

static int has(const world *w, const perp_contact_info *wanted)
{
    perp_contact_info info = {.size = sizeof info};
    int count = 0;
    for (int k = 0; k < perp_collider_contacts(w->collider); k++) {
        perp_collider_contact(w->collider, k, &info);
        count += is_here(&info, wanted->first.index, wanted->second.index);
    }
    return count;
}

/* Two worlds, each with some of the balls and the others as guests: each contact of the whole is in
 * one of them, that of the heavier ball where that is own. */
START_TEST(contacts_belong_to_one)
{
    world whole, part_of[2];
    perp_contact_info info = {.size = sizeof info};
    int crossing = 0;
    open_world(&whole, "moreau-jean");
    perp_collider_detect(whole.collider, 0.0, 5e-3);
    for (int p = 0; p < 2; p++) {
        open_world(&part_of[p], "moreau-jean");
        for (int k = 0; k < BALLS; k++)
            perp_model_set_presence(part_of[p].model, part_of[p].body[k],
                                    k % 2 == p ? PERP_PRESENCE_SHARED : PERP_PRESENCE_GUEST);
        perp_collider_detect(part_of[p].collider, 0.0, 5e-3);
    }
    for (int k = 0; k < perp_collider_contacts(whole.collider); k++) {
        perp_collider_contact(whole.collider, k, &info);
        int a = has(&part_of[0], &info), b = has(&part_of[1], &info);
        ck_assert_int_eq(a + b, 1);
        crossing += info.second.index > 0 && (info.first.index ^ info.second.index) & 1;
        /* Shape 0 is the plane, shape 1 the heavy ball. */
        if (info.first.index == 1 || info.second.index == 1)
            ck_assert_int_eq(a, 1);
    }
    ck_assert_int_gt(crossing, 10);
    ck_assert_int_eq(perp_collider_contacts(whole.collider),
                     perp_collider_contacts(part_of[0].collider) +
                         perp_collider_contacts(part_of[1].collider));
    for (int p = 0; p < 2; p++)
        close_world(&part_of[p]);
    close_world(&whole);
}
END_TEST

typedef struct pairs {
    int count, stop;
} pairs;

static int see(void *ctx, perp_system_id a, perp_system_id b)
{
    pairs *p = ctx;
    ck_assert(a.index != b.index);
    p->count++;
    return p->stop;
}

/* Absent balls touch nothing and stay where they are, also in a checkpoint; who is near them is
 * still known. */
START_TEST(absent_bodies_stay)
{
    double before[STATE * BALLS], after[STATE * BALLS], loaded[STATE * BALLS];
    perp_contact_info info = {.size = sizeof info};
    pairs all = {0}, some = {0};
    size_t bytes = 0;
    alone a = {0};
    world w, other;
    open_world(&w, "moreau-jean");
    read_states(&w, before);
    ck_assert_int_eq(perp_collider_neighbours(w.collider, 5e-3, 0.0, see, &all), PERP_SOLVED);
    for (int k = 9; k < BALLS; k++)
        perp_model_set_presence(w.model, w.body[k], PERP_PRESENCE_ABSENT);
    part(&w, &a);
    steps(&w, 20);
    ck_assert_int_eq(a.dofs, 6 * 9);
    read_states(&w, after);
    ck_assert_mem_eq(before + STATE * 9, after + STATE * 9, sizeof(double) * STATE * (BALLS - 9));
    ck_assert(memcmp(before, after, sizeof(double) * STATE * 9) != 0);
    for (int k = 0; k < perp_collider_contacts(w.collider); k++) {
        perp_collider_contact(w.collider, k, &info);
        ck_assert_uint_le(info.first.index, 9);
        ck_assert_uint_le(info.second.index, 9);
    }
    ck_assert_int_eq(perp_collider_neighbours(w.collider, 5e-3, 0.0, see, &some), PERP_SOLVED);
    ck_assert_int_gt(some.count, 20);
    some.stop = 1;
    ck_assert_int_eq(perp_collider_neighbours(w.collider, 5e-3, 0.0, see, &some), PERP_INTERRUPTED);

    ck_assert_int_eq(perp_sim_save(w.sim, NULL, &bytes), PERP_SOLVED);
    void *state = malloc(bytes);
    ck_assert_int_eq(perp_sim_save(w.sim, state, &bytes), PERP_SOLVED);
    size_t contacts = 0;
    perp_collider_save(w.collider, NULL, &contacts);
    void *table = malloc(contacts);
    ck_assert_int_eq(perp_collider_save(w.collider, table, &contacts), PERP_SOLVED);
    open_world(&other, "moreau-jean");
    ck_assert_int_eq(perp_collider_load(other.collider, table, contacts), PERP_SOLVED);
    ck_assert_int_eq(perp_sim_load(other.sim, state, bytes), PERP_SOLVED);
    read_states(&other, loaded);
    ck_assert_mem_eq(after, loaded, sizeof after);
    steps(&other, 3);
    steps(&w, 3);
    free(state);
    free(table);
    close_world(&other);
    close_world(&w);
}
END_TEST

/* A process without bodies takes part in each solve; a failing call leaves the state. */
/* The pile stands in space, where nothing acts from outside, and joins have a part of it elsewhere.
 */
typedef struct elsewhere {
    int calls, islands, fails;
    double defect, world, bulk; /* what others add to the sums of each island */
} elsewhere;

static elsewhere *others; /* join has the ctx of the solver */

static int join(void *ctx, const int *island, int systems, double *sums, int islands)
{
    (void)ctx;
    others->calls++;
    others->islands = islands;
    for (int k = 0; k < systems; k++) {
        ck_assert_int_ge(island[k], 0);
        ck_assert_int_lt(island[k], islands);
    }
    for (int k = 0; k < islands; k++) {
        ck_assert_double_ge(sums[5 * k + 3], 0.0);
        sums[5 * k] += others->defect;
        sums[5 * k + 3] += others->bulk;
        sums[5 * k + 4] += others->world;
    }
    return others->fails;
}

/* The largest momentum from nothing that the certificate has, of one pile whose balls have others
 * elsewhere. */
static double momentum_of(elsewhere *e, int joins)
{
    perp_figure figure = {.size = sizeof figure};
    alone a = {0};
    world w;
    open_world(&w, "moreau-jean");
    for (int k = 0; k < BALLS; k++)
        perp_model_set_presence(w.model, w.body[k], PERP_PRESENCE_SHARED);
    perp_sim_parts parts = {.size = sizeof parts,
                            .ctx = &a,
                            .solve = solve,
                            .add = add,
                            .total = total,
                            .join = joins ? join : NULL};
    others = e;
    ck_assert_int_eq(perp_sim_set_parts(w.sim, &parts), PERP_SOLVED);
    if (e->fails)
        ck_assert_int_eq(perp_sim_step(w.sim), PERP_INTERRUPTED);
    else
        steps(&w, 3); /* they fall, and touch nothing yet */
    for (int k = 0; perp_sim_figure(w.sim, k, &figure, sizeof figure) == PERP_SOLVED; k++)
        if (strcmp(figure.name, "momentum") == 0)
            break;
    ck_assert_str_eq(figure.name, "momentum");
    close_world(&w);
    return figure.value;
}

START_TEST(islands_go_on_elsewhere)
{
    elsewhere none = {0}, some = {.defect = 3.0, .bulk = 4.0}, touched = some, fails = {.fails = 1};
    touched.world = 1.0;
    ck_assert_double_lt(momentum_of(&none, 1), 1e-12);
    ck_assert_int_ge(none.calls, 3);
    ck_assert_int_ge(none.islands, 1);
    ck_assert_double_gt(momentum_of(&some, 1), 1e-3);
    ck_assert_double_lt(momentum_of(&touched, 1), 1e-12);
    momentum_of(&fails, 1);
    some.calls = 0;
    ck_assert_double_lt(momentum_of(&some, 0), 1e-12);
    ck_assert_int_eq(some.calls, 0);
}
END_TEST

START_TEST(empty_and_failing)
{
    double before[STATE * BALLS], after[STATE * BALLS];
    alone a = {0};
    world w;
    open_world(&w, "moreau-jean");
    part(&w, &a);
    steps(&w, 12);
    read_states(&w, before);
    for (a.fails = 1; a.fails <= 3; a.fails++) {
        perp_status status = perp_sim_step(w.sim);
        ck_assert_int_eq(status, a.fails == 1 ? PERP_STALLED : PERP_INTERRUPTED);
        read_states(&w, after);
        ck_assert_mem_eq(before, after, sizeof after);
    }
    a.fails = 0;
    steps(&w, 2);
    for (int k = 0; k < BALLS; k++)
        perp_model_set_presence(w.model, w.body[k], PERP_PRESENCE_ABSENT);
    a.solves = 0;
    steps(&w, 2);
    ck_assert_int_ge(a.solves, 2);
    ck_assert_int_eq(a.rows, 0);
    ck_assert_int_eq(a.dofs, 0);
    close_world(&w);
}
END_TEST

START_TEST(refused)
{
    perp_sim_parts parts = {.size = sizeof parts, .solve = solve, .add = add};
    pairs p = {0};
    alone a = {0};
    world w;
    open_world(&w, "discrete-gradient");
    ck_assert_int_eq(perp_sim_set_parts(NULL, NULL), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_sim_set_parts(w.sim, &parts), PERP_ERR_ARGUMENT); /* no total */
    parts.total = total;
    parts.size = 1;
    ck_assert_int_eq(perp_sim_set_parts(w.sim, &parts), PERP_ERR_ARGUMENT);
    part(&w, &a);
    ck_assert_int_eq(perp_sim_step(w.sim), PERP_ERR_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(perp_sim_info(w.sim)->detail, "discrete-gradient"));
    ck_assert_int_eq(perp_sim_set_parts(w.sim, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_sim_step(w.sim), PERP_SOLVED);
    ck_assert_int_eq(perp_model_set_presence(w.model, w.body[0], (perp_presence)4),
                     PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_model_set_presence(w.model, (perp_system_id){99, 1}, PERP_PRESENCE_OWN),
                     PERP_ERR_STATE);
    ck_assert_int_eq(perp_model_set_presence(NULL, w.body[0], PERP_PRESENCE_OWN), PERP_ERR_STATE);
    ck_assert_int_eq(perp_collider_neighbours(NULL, 0.0, 0.0, see, &p), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_collider_neighbours(w.collider, 0.0, NAN, see, &p), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_collider_neighbours(w.collider, 0.0, 0.0, NULL, &p), PERP_ERR_ARGUMENT);
    ck_assert(isnan(perp_collider_reach(NULL, 0.0)));
    ck_assert(isnan(perp_collider_margin(NULL)));
    close_world(&w);
}
END_TEST

/* The way of the fastest ball; NaN where a state is none. */
START_TEST(ways)
{
    double *q, *v;
    world w;
    open_world(&w, "moreau-jean");
    perp_model_state(w.model, w.body[5], &q, &v, NULL, NULL);
    v[1] = -3.0;
    ck_assert_double_eq_tol(perp_collider_reach(w.collider, 0.01), 0.03, 1e-15);
    ck_assert_double_eq_tol(perp_collider_margin(w.collider), 0.002, 1e-15);
    perp_model_set_presence(w.model, w.body[5], PERP_PRESENCE_ABSENT);
    ck_assert_double_eq_tol(perp_collider_reach(w.collider, 0.01), 0.0, 1e-15);
    perp_model_state(w.model, w.body[6], &q, NULL, NULL, NULL);
    q[0] = NAN;
    ck_assert(isnan(perp_collider_reach(w.collider, 0.01)));
    close_world(&w);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("parts");
    TCase *tc = tcase_create("parts");
    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, one_part_is_the_whole, 0, 2);
    tcase_add_test(tc, contacts_belong_to_one);
    tcase_add_test(tc, absent_bodies_stay);
    tcase_add_test(tc, islands_go_on_elsewhere);
    tcase_add_test(tc, empty_and_failing);
    tcase_add_test(tc, refused);
    tcase_add_test(tc, ways);
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
