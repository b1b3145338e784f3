/* SPDX-License-Identifier: BSD-3-Clause */
/* Callbacks that refuse while a motion is recorded: the run goes on as without a tape, or its step
 * says so; the tape says where it ended.  Systems and parameters that no tape takes. */
#include "tests/fixtures/sim_scene.h"
#include "tests/fixtures/kernel_rig.h"

enum { STEPS = 6 };

/* A pendulum with a mass of its own on a curved stop, a driven mass on a floor, a sphere on the
 * ground. */
typedef struct world {
    scene s;
    rig r;
    perp_system_id id[3];
} world;

static int scene_mass_q(double *out, double t, const double *q, const double *w, const double *z,
                        void *user)
{
    (void)t, (void)z;
    out[0] = 2.0 * q[0] * w[0];
    return scene_tick(user, out);
}

static void open_world(world *w, const char *scheme, int with_mass_q)
{
    static const double z[1] = {4.0}, one[1] = {1.0}, e[1] = {0.02};
    double q0[1] = {-0.195}, v0[1] = {-0.4}, fall[1] = {0.01};
    memset(w, 0, sizeof *w);
    rig_init(&w->r, 5e-3);
    w->r.options.solver = NULL;
    perp_lagrangian_def def;
    perp_lagrangian_def_init(&def, sizeof def);
    def.n = 1;
    def.q0 = q0;
    def.v0 = v0;
    def.user = &w->s.calls;
    def.z = z;
    def.nz = 1;
    def.mass = scene_mass;
    def.mass_q = with_mass_q ? scene_mass_q : NULL;
    def.F_int = scene_F_int;
    def.F_int_q = scene_F_int_q;
    def.F_int_v = scene_F_int_v;
    w->id[0] = rig_add_lagrangian(&w->r, &def);
    perp_lagrangian_def_init(&def, sizeof def);
    def.n = 1;
    def.q0 = fall;
    def.v0 = v0;
    def.user = &w->s.calls;
    def.F_ext = scene_push;
    w->id[1] = rig_add_lagrangian(&w->r, &def);
    perp_body_def body;
    perp_body_def_init(&body, sizeof body);
    body.position[2] = 0.501;
    body.velocity[0] = 0.7;
    body.velocity[2] = -0.5;
    body.force[2] = -9.81;
    w->id[2] = rig_add_body(&w->r, &body);
    perp_relation stop = rig_relation(PERP_RELATION_SCLERONOMOUS, 1);
    stop.h = scene_h;
    stop.h_x = scene_h_x;
    stop.user = &w->s.calls;
    rig_interact(&w->r, &w->id[0], 1, &stop, perp_law_impact(0.4));
    rig_linear(&w->r, w->id[1], 1, one, e, perp_law_impact(0.6));
    perp_relation touch = rig_relation(PERP_RELATION_CONTACT, 3);
    touch.contact = scene_floor;
    touch.user = &w->s.calls;
    rig_interact(&w->r, &w->id[2], 1, &touch, perp_law_friction(3, 0.2, 0.3));
    perp_scheme s =
        rig_scheme(scheme, strcmp(scheme, "moreau-jean") == 0 ? "configuration=predicted" : "");
    rig_start(&w->r, &s);
}

static int state_of(const world *w, double *out)
{
    int at = 0;
    for (int k = 0; k < 3; k++) {
        double *q, *v;
        int nq, nv;
        perp_model_state(w->r.model, w->id[k], &q, &v, &nq, &nv);
        memcpy(out + at, q, sizeof *q * (size_t)nq);
        memcpy(out + at + nq, v, sizeof *v * (size_t)nv);
        at += nq + nv;
    }
    return at;
}

static perp_tape *tape_of(world *w)
{
    perp_tape_settings settings;
    perp_tape *tape;
    perp_tape_settings_init(&settings, sizeof settings);
    settings.differences = 1;
    ck_assert_int_eq(perp_tape_create(&tape, w->r.sim, &settings, NULL, NULL), PERP_SOLVED);
    return tape;
}

/* Steps until STEPS were made; how many were interrupted. */
static int run(world *w)
{
    int interrupted = 0;
    while (perp_sim_info(w->r.sim)->step < STEPS) {
        perp_status status = perp_sim_step(w->r.sim);
        ck_assert(status == PERP_SOLVED || status == PERP_INTERRUPTED);
        interrupted += status == PERP_INTERRUPTED;
        ck_assert_int_le(interrupted, 1);
    }
    return interrupted;
}

START_TEST(callbacks_refuse)
{
    const char *scheme = _i % 2 ? "discrete-gradient" : "moreau-jean";
    world plain;
    double wanted[64], found[64];
    int ended = 0, stopped = 0, done = 0;
    open_world(&plain, scheme, _i / 2);
    ck_assert_int_eq(run(&plain), 0);
    int n = state_of(&plain, wanted);
    rig_free(&plain.r);
    for (long k = 1; !done; k++) {
        world w;
        perp_tape_info info = {.size = sizeof info};
        open_world(&w, scheme, _i / 2);
        perp_tape *tape = tape_of(&w);
        w.s.calls.refuse_at = w.s.calls.calls + k;
        int interrupted = run(&w);
        done = w.s.calls.calls < w.s.calls.refuse_at;
        ck_assert_int_eq(perp_tape_info_get(tape, &info), PERP_SOLVED);
        ck_assert_int_eq(state_of(&w, found), n);
        for (int i = 0; i < n; i++)
            ck_assert_msg(found[i] == wanted[i], "%s, callback %ld: %d is %.17g", scheme, k, i,
                          found[i] - wanted[i]);
        stopped += interrupted;
        ended += info.status == PERP_INTERRUPTED;
        if (done)
            ck_assert_msg(info.status == PERP_SOLVED, "%s: %s", scheme, info.detail);
        if (!interrupted && !done)
            ck_assert_msg(info.status == PERP_INTERRUPTED && info.detail[0], "%s, callback %ld: %s",
                          scheme, k, info.detail);
        perp_tape_destroy(tape);
        rig_free(&w.r);
        ck_assert_int_lt(k, 5000);
    }
    ck_assert_int_gt(ended, 3);
    ck_assert_int_gt(stopped, 3);
}
END_TEST

/* Every quantity of every system and interaction of the scene in which everything meets: taken, or
 * refused for a reason that names the field. */
START_TEST(every_quantity)
{
    perp_sim_options options = scene_options();
    perp_tape_settings settings;
    perp_tape *tape;
    scene s;
    int taken = 0, refused = 0;
    ck_assert_int_eq(scene_open(&s, &options, NULL), PERP_SOLVED);
    perp_tape_settings_init(&settings, sizeof settings);
    settings.differences = 1;
    ck_assert_int_eq(perp_tape_create(&tape, s.sim, &settings, NULL, NULL), PERP_SOLVED);
    for (int quantity = -1; quantity <= PERP_TAPE_Z + 1; quantity++)
        for (int of = 0; of < SCENE_SYSTEMS + SCENE_LINKS; of++)
            for (int row = -1; row < 8; row++) {
                perp_where where = {NULL, -1, -1};
                perp_tape_parameter p = {.quantity = (perp_tape_quantity)quantity,
                                         .row = row,
                                         .column = row == 5   ? -1
                                                   : row == 4 ? 9
                                                              : 0};
                if (of < SCENE_SYSTEMS)
                    p.system = s.systems[of];
                else
                    p.interaction = s.links[of - SCENE_SYSTEMS];
                perp_status status = perp_tape_set_parameters(tape, 1, &p, &where);
                taken += status == PERP_SOLVED;
                refused += status != PERP_SOLVED;
                if (status == PERP_SOLVED)
                    continue;
                ck_assert(status == PERP_ERR_ARGUMENT || status == PERP_ERR_STATE ||
                          status == PERP_ERR_UNSUPPORTED);
                ck_assert_ptr_nonnull(where.what);
                ck_assert_int_eq(where.index, 0);
            }
    ck_assert(taken > 20 && refused > 200);
    ck_assert_int_eq(perp_tape_set_parameters(tape, -1, NULL, NULL), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_tape_set_parameters(tape, 1, NULL, NULL), PERP_ERR_ARGUMENT);
    /* A step with a first-order system is none for a tape, whatever the others are. */
    scene_steps(&s, 2);
    perp_tape_info info = {.size = sizeof info};
    ck_assert_int_eq(perp_tape_info_get(tape, &info), PERP_SOLVED);
    ck_assert_int_eq(info.status, PERP_ERR_UNSUPPORTED);
    ck_assert_int_eq(info.steps, 0);
    perp_tape_destroy(tape);
    scene_close(&s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("tapes that end");
    TCase *test = tcase_create("tape");
    tcase_set_timeout(test, 120);
    tcase_add_loop_test(test, callbacks_refuse, 0, 4);
    tcase_add_test(test, every_quantity);
    suite_add_tcase(suite, test);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
