/* SPDX-License-Identifier: BSD-3-Clause */
/* Motions with each kind of system, relation and law, by each scheme, in which the memory of a step
 * fails: each allocation of an arena, a pool or the collider, one after another.  The step says so,
 * the state is that of its start, and the motion goes on to the same bits. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fixtures/contract.h"
#include "tests/fixtures/tape_world.h"

enum { BYTES = 512, AFTER = 2 };

static const struct {
    const char *name;
    int steps;
} motions[] = {{"several", 3},   {"stop", 26},    {"soft", 3},     {"drives", 3},
               {"nonlinear", 3}, {"spheres", 19}, {"rolling", 3},  {"gear", 3},
               {"discs", 14},    {"limit", 3},    {"platform", 9}, {"pivot and distance", 3}};
enum { MOTIONS = sizeof motions / sizeof motions[0] };

static const struct {
    const char *name, *parameters;
} schemes[] = {{"moreau-jean", ""},
               {"moreau-jean", "configuration=converged"},
               {"schatzman-paoli", ""},
               {"generalized-alpha", ""},
               {"generalized-alpha", "smooth_contacts=0"},
               {"discrete-gradient", ""},
               {"discrete-gradient", "impacts=newton"},
               {"moreau-jean-direct-projection", ""},
               {"moreau-jean-combined-projection", ""},
               {"moreau-jean-adaptive", "at_h_min=accept h_min=0.05 atol=1e-2"},
               {"discrete-gradient-adaptive", "at_h_min=accept h_min=0.05 atol=1e-2"},
               {"moreau-jean-extrapolated", "at_h_min=accept h_min=0.05 atol=1e-2"},
               {"event-driven", ""},
               {"event-capturing-rk", ""},
               {"event-capturing-rk", "tableau=radau5"},
               {"splitting", "contact_forces=continuous inner_steps=controlled"}};
enum { SCHEMES = sizeof schemes / sizeof schemes[0] };

static void begin(tape_world *w, const tape_case *c, int by, const perp_allocator *allocator)
{
    perp_scheme scheme = rig_scheme(schemes[by].name, schemes[by].parameters);
    tape_world_open(w, c, c->p, allocator);
    ck_assert_int_eq(perp_sim_set_scheme(w->r.sim, (perp_system_id){0, 0}, &scheme), PERP_SOLVED);
}

static perp_status steps_of(tape_world *w, int count)
{
    perp_status status = PERP_SOLVED;
    for (int k = 0; k < count && status == PERP_SOLVED; k++)
        status = perp_sim_step(w->r.sim);
    return status;
}

/* Failure k of the steps; 1 when none was left. */
static int survives(const tape_case *c, int by, int steps, long k, const unsigned char *wanted)
{
    unsigned char before[BYTES] = {0}, after[BYTES] = {0};
    counter memory = {.once = 1};
    perp_allocator allocator = block_allocator(&memory);
    tape_world w;
    perp_status status = PERP_SOLVED;
    int done = 0, told = 0;
    begin(&w, c, by, &allocator);
    memory.fail_at = memory.allocations + k;
    while (done < steps) {
        tape_world_bits(before, sizeof before, &w);
        status = perp_sim_step(w.r.sim);
        done += status == PERP_SOLVED;
        if (status == PERP_SOLVED)
            continue;
        tape_world_bits(after, sizeof after, &w);
        const perp_step_info *info = perp_sim_info(w.r.sim);
        perp_status why = status == PERP_INTERRUPTED ? info->reason : status;
        ck_assert_msg(why == PERP_ERR_MEMORY && !told++, "%s, %s, block %ld: %s: %s",
                      schemes[by].name, c->name, k, perp_status_name(status), info->detail);
        ck_assert_mem_eq(before, after, sizeof before);
    }
    tape_world_bits(after, sizeof after, &w);
    if (told)
        ck_assert_msg(memcmp(after, wanted, sizeof after) == 0, "%s, %s, block %ld: another state",
                      schemes[by].name, c->name, k);
    int left = memory.allocations >= memory.fail_at;
    tape_world_close(&w);
    ck_assert_int_eq((int)memory.live, 0);
    return !left;
}

START_TEST(a_motion_goes_on)
{
    int by = _i % SCHEMES;
    const tape_case *c = tape_case_of(motions[_i / SCHEMES].name);
    int steps = motions[_i / SCHEMES].steps + AFTER;
    unsigned char wanted[BYTES] = {0};
    tape_world w;
    begin(&w, c, by, NULL);
    perp_status status = steps_of(&w, steps);
    ck_assert(status == PERP_SOLVED || status == PERP_ERR_UNSUPPORTED);
    tape_world_bits(wanted, sizeof wanted, &w);
    tape_world_close(&w);
    if (status == PERP_ERR_UNSUPPORTED)
        return;
    long k = 1;
    while (!survives(c, by, steps, k, wanted))
        k++;
    ck_assert_int_gt((int)k, 10);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("memory of steps");
    TCase *tests = tcase_create("blocks");
    tcase_add_loop_test(tests, a_motion_goes_on, 0, MOTIONS * SCHEMES);
    tcase_set_timeout(tests, 120);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
