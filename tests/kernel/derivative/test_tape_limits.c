/* SPDX-License-Identifier: BSD-3-Clause */
/* Where a motion has no derivative or only one of a side, what is not recorded, and bad
 * input. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fixtures/tape_world.h"

static perp_tape *tape_of(perp_sim *sim, int differences, const perp_allocator *allocator)
{
    perp_tape_settings settings;
    perp_tape *tape;
    perp_tape_settings_init(&settings, sizeof settings);
    settings.differences = differences;
    ck_assert_int_eq(perp_tape_create(&tape, sim, &settings, allocator, NULL), PERP_SOLVED);
    return tape;
}

static perp_tape_info info_of(const perp_tape *tape)
{
    perp_tape_info info = {.size = sizeof info};
    ck_assert_int_eq(perp_tape_info_get(tape, &info), PERP_SOLVED);
    return info;
}

/* A mass on a floor under F, from y and u; scheme with activation 0.5. */
static void open_mass(rig *r, double y, double u, double F, perp_law law)
{
    double q0[1] = {y}, v0[1] = {u}, C[1] = {1.0};
    rig_init(r, 0.1);
    perp_system_id id = rig_lagrangian(r, 1, q0, v0, NULL, &F);
    rig_linear(r, id, 1, C, NULL, law);
    rig_start_moreau_jean(r);
}

/* On the threshold: up it leaves the floor and the motion jumps, down it stays, for q; along v
 * alone of the same sign too. */
START_TEST(threshold_of_the_index_set)
{
    rig r;
    double up[1] = {1.0}, down[1] = {-1.0}, none[1] = {0.0}, dq[1], dv[1], bar[1] = {1.0}, of_q[1];
    open_mass(&r, 0.0, 0.0, -1.0, perp_law_impact(0.0));
    perp_tape *tape = tape_of(r.sim, 0, NULL);
    rig_step(&r);
    rig_step(&r);
    perp_tape_report report = {.size = sizeof report};
    perp_tape_tangent along = {.size = sizeof along, .q = up};
    ck_assert_int_eq(perp_tape_jvp(tape, 1, &along, 0, dq, dv, NULL, &report),
                     PERP_NOT_DIFFERENTIABLE);
    ck_assert_int_eq(report.status, PERP_NOT_DIFFERENTIABLE);
    ck_assert_int_eq(report.step, 1);
    ck_assert_double_eq_tol(dq[0], 1.0, 1e-15);
    along.q = down;
    ck_assert_int_eq(perp_tape_jvp(tape, 1, &along, 0, dq, dv, NULL, &report), PERP_ONE_SIDED);
    ck_assert_double_eq_tol(dq[0], -1.0, 1e-15);
    ck_assert_double_eq_tol(dv[0], 0.0, 1e-15);
    along.q = none;
    ck_assert_int_eq(perp_tape_jvp(tape, 1, &along, 0, dq, dv, NULL, &report), PERP_SOLVED);
    ck_assert_int_eq(report.step, -1);
    perp_tape_gradient of = {.size = sizeof of, .q = of_q};
    ck_assert_int_eq(perp_tape_vjp(tape, 1, 0, bar, NULL, &of, &report), PERP_ONE_SIDED);
    ck_assert_int_eq(report.step, 1);
    ck_assert_double_eq_tol(of_q[0], 1.0, 1e-15);
    perp_tape_destroy(tape);
    rig_free(&r);
}
END_TEST

/* A damper that begins to act at y = 0 has a derivative on each side. */
START_TEST(damper_at_its_beginning)
{
    rig r;
    double up[1] = {1.0}, none[1] = {0.0}, dq[1], bar[1] = {1.0}, of_q[1];
    open_mass(&r, 0.0, -1.0, 0.0, perp_law_soft_contact(1, 50.0, 2.0, 0.0));
    perp_tape *tape = tape_of(r.sim, 0, NULL);
    rig_step(&r);
    perp_tape_report report = {.size = sizeof report};
    perp_tape_tangent along = {.size = sizeof along, .q = up};
    ck_assert_int_eq(perp_tape_jvp(tape, 1, &along, 0, dq, NULL, NULL, &report),
                     PERP_NOT_DIFFERENTIABLE);
    along.q = none;
    along.v = up;
    ck_assert_int_eq(perp_tape_jvp(tape, 1, &along, 0, dq, NULL, NULL, &report), PERP_SOLVED);
    perp_tape_gradient of = {.size = sizeof of, .q = of_q};
    ck_assert_int_eq(perp_tape_vjp(tape, 1, 0, bar, NULL, &of, &report), PERP_ONE_SIDED);
    perp_tape_destroy(tape);
    rig_free(&r);
}
END_TEST

/* Where a profile goes over from its largest rate to braking. */
START_TEST(end_of_a_profile)
{
    rig r;
    double along_q[1] = {1.0}, dv[1];
    /* sqrt(2 a way) = rate at way = 0.5 for a = 1, rate = 1 */
    open_mass(&r, 0.5, 1.0, 0.0, perp_law_profile(1.0, 1.0, 1.0, 50.0));
    perp_tape *tape = tape_of(r.sim, 0, NULL);
    rig_step(&r);
    perp_tape_tangent along = {.size = sizeof along, .q = along_q};
    ck_assert_int_eq(perp_tape_jvp(tape, 1, &along, 0, NULL, dv, NULL, NULL),
                     PERP_NOT_DIFFERENTIABLE);
    perp_tape_reset(tape);
    rig_step(&r);
    ck_assert_int_eq(perp_tape_jvp(tape, 1, &along, 0, NULL, dv, NULL, NULL), PERP_SOLVED);
    ck_assert_double_eq_tol(dv[0], -1.0 / sqrt(2.0 * 0.4), 1e-9); /* d sqrt(2 a way) */
    perp_tape_destroy(tape);
    rig_free(&r);
}
END_TEST

/* Closed, no force left and none needed: the force along -1 presses, along +1 lifts. */
START_TEST(kink_of_a_touching_contact)
{
    rig r;
    double down[1] = {-1.0}, up[1] = {1.0}, dv[1];
    open_mass(&r, -0.01, 0.0, 0.0, perp_law_impact(0.0));
    perp_tape *tape = tape_of(r.sim, 0, NULL);
    rig_step(&r);
    perp_tape_tangent along = {.size = sizeof along, .forces = down};
    ck_assert_int_eq(perp_tape_jvp(tape, 1, &along, 0, NULL, dv, NULL, NULL), PERP_ONE_SIDED);
    ck_assert_double_eq_tol(dv[0], 0.0, 1e-15);
    along.forces = up;
    ck_assert_int_eq(perp_tape_jvp(tape, 1, &along, 0, NULL, dv, NULL, NULL), PERP_ONE_SIDED);
    ck_assert_double_eq_tol(dv[0], 0.1, 1e-15);
    perp_tape_destroy(tape);
    rig_free(&r);
}
END_TEST

/* Two contacts that say the same: impulses are not unique, the motion is. */
START_TEST(hyperstatic_contacts)
{
    rig r;
    double q0[1] = {-0.01}, F[1] = {-1.0}, C[2] = {1.0, 1.0}, dq[1], dv[1], along_v[1] = {1.0};
    rig_init(&r, 0.1);
    perp_system_id id = rig_lagrangian(&r, 1, q0, NULL, NULL, F);
    rig_linear(&r, id, 2, C, NULL, perp_law_impact(0.0));
    rig_start_moreau_jean(&r);
    perp_tape *tape = tape_of(r.sim, 0, NULL);
    rig_step(&r);
    perp_tape_tangent along = {.size = sizeof along, .v = along_v};
    perp_status status = perp_tape_jvp(tape, 1, &along, 0, dq, dv, NULL, NULL);
    ck_assert_msg(status == PERP_NOT_UNIQUE || status == PERP_ONE_SIDED, "%s",
                  perp_status_name(status));
    ck_assert_double_eq_tol(dv[0], 0.0, 1e-12);
    ck_assert_double_eq_tol(dq[0], 0.05, 1e-12);
    perp_tape_destroy(tape);
    rig_free(&r);
}
END_TEST

/* Scheme, law and so on, each by name. */
static void refused(rig *r, const char *what, const char *detail)
{
    perp_tape *tape = tape_of(r->sim, 0, NULL);
    double dq[TAPE_DOFS];
    perp_tape_tangent along = {.size = sizeof along};
    for (int k = 0; k < 3; k++)
        rig_step(r);
    perp_tape_info info = info_of(tape);
    ck_assert_msg(info.status == PERP_ERR_UNSUPPORTED, "%s: %s", detail,
                  perp_status_name(info.status));
    ck_assert_msg(strstr(info.detail, detail) != NULL, "%s", info.detail);
    ck_assert_str_eq(info.where.what, what);
    ck_assert_int_ge(info.step, 1);
    ck_assert_int_eq(perp_tape_jvp(tape, 1, &along, 0, dq, NULL, NULL, NULL), PERP_ERR_UNSUPPORTED);
    perp_tape_destroy(tape);
    rig_free(r);
}

static void open_with(rig *r, const char *scheme, const char *parameters, perp_law law)
{
    double q0[1] = {-0.01}, F[1] = {-1.0}, C[1] = {1.0};
    rig_init(r, 0.01);
    perp_system_id id = rig_lagrangian(r, 1, q0, NULL, NULL, F);
    rig_linear(r, id, 1, C, NULL, law);
    perp_scheme s = rig_scheme(scheme, parameters);
    rig_start(r, &s);
}

static void open_with_bounds(rig *r, const char *scheme)
{
    static const double q0 = 0.0, F = 1.0, C = 1.0, lo = -2.0;
    rig_init(r, 0.01);
    perp_system_id id = rig_lagrangian(r, 1, &q0, NULL, NULL, &F);
    perp_relation relation = rig_relation(PERP_RELATION_LINEAR, 1);
    relation.C = &C;
    relation.lo = &lo;
    rig_interact(r, &id, 1, &relation, perp_law_relay(-1.0, 1.0));
    perp_scheme s = rig_scheme(scheme, "");
    rig_start(r, &s);
}

START_TEST(what_is_not_recorded)
{
    rig r;
    open_with_bounds(&r, "discrete-gradient");
    refused(&r, "interaction", "bounds of each row");
    open_with_bounds(&r, "moreau-jean");
    refused(&r, "interaction", "bounds of each row");
    perp_law soft = perp_law_impact(0.0);
    soft.relative_compliance = 1e-4;
    open_with(&r, "discrete-gradient", "", soft);
    refused(&r, "interaction", "relative_compliance");
    open_with(&r, "schatzman-paoli", "", perp_law_impact(0.0));
    refused(&r, "scheme", "schatzman-paoli");
    open_with(&r, "event-driven", "", perp_law_impact(0.0));
    refused(&r, "scheme", "event-driven");
    open_with(&r, "moreau-jean", "hysteresis=1", perp_law_impact(0.0));
    refused(&r, "scheme", "hysteresis");
    open_with(&r, "moreau-jean", "activation_at=predicted", perp_law_impact(0.0));
    refused(&r, "scheme", "activation_at predicted");
    open_with(&r, "moreau-jean", "", soft);
    refused(&r, "interaction", "relative_compliance");
}
END_TEST

/* Rows by a callback without differences, and configurations that follow the iterate. */
START_TEST(configurations_that_are_not_recorded)
{
    static const struct {
        const char *name, *detail;
    } cases[] = {{"nonlinear", "set differences"}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        const tape_case *c = tape_case_of(cases[k].name);
        tape_world w;
        tape_world_open(&w, c, c->p, NULL);
        perp_tape *tape = tape_of(w.r.sim, 0, NULL);
        tape_world_run(&w, c->steps);
        perp_tape_info info = info_of(tape);
        ck_assert_int_eq(info.status, PERP_ERR_UNSUPPORTED);
        ck_assert_msg(strstr(info.detail, cases[k].detail) != NULL, "%s", info.detail);
        perp_tape_destroy(tape);
        tape_world_close(&w);
    }
    static const char *const schemes[] = {"configuration=iterated", "configuration=converged"};
    for (int k = 0; k < 2; k++) {
        const tape_case *c = tape_case_of("box");
        tape_world w;
        tape_world_open(&w, c, c->p, NULL);
        perp_scheme scheme = rig_scheme("moreau-jean", schemes[k]);
        perp_sim_set_scheme(w.r.sim, (perp_system_id){0, 0}, &scheme);
        perp_tape *tape = tape_of(w.r.sim, 0, NULL);
        for (int i = 0; i < c->steps; i++)
            (void)perp_sim_step(w.r.sim);
        perp_tape_info info = info_of(tape);
        ck_assert_int_eq(info.status, PERP_ERR_UNSUPPORTED);
        ck_assert_msg(strstr(info.detail, "choose predicted") != NULL, "%s", info.detail);
        perp_tape_destroy(tape);
        tape_world_close(&w);
    }
}
END_TEST

/* Contacts of a narrow phase: two boxes. */
START_TEST(contacts_found_again)
{
    const double half[3] = {0.5, 0.5, 0.5};
    tape_world w;
    memset(&w, 0, sizeof w);
    rig_init(&w.r, 0.01);
    w.r.options.solver = NULL;
    perp_collider *collider;
    ck_assert_int_eq(perp_collider_create(&collider, w.r.model, NULL), PERP_SOLVED);
    perp_collider_set_material(collider, 0, 0, 0.0, 0.3);
    for (int k = 0; k < 2; k++) {
        perp_body_def def;
        perp_body_def_init(&def, sizeof def);
        def.position[2] = 1.001 * k;
        def.force[2] = k ? -9.81 : 0.0;
        perp_system_id id = rig_add_body(&w.r, &def);
        ck_assert_int_eq(perp_collider_add_box(collider, id, half, NULL, NULL), PERP_SOLVED);
    }
    perp_scheme scheme = rig_scheme("moreau-jean", "configuration=predicted");
    rig_start(&w.r, &scheme);
    perp_sim_set_before_step(w.r.sim, perp_collider_step, collider);
    perp_tape *tape = tape_of(w.r.sim, 1, NULL);
    for (int k = 0; k < 10; k++)
        rig_step(&w.r);
    perp_tape_info info = info_of(tape);
    ck_assert_int_eq(info.status, PERP_ERR_UNSUPPORTED);
    ck_assert_msg(strstr(info.detail, "found again") != NULL, "%s", info.detail);
    perp_tape_destroy(tape);
    perp_collider_destroy(collider);
    rig_free(&w.r);
}
END_TEST

/* What hooks change counts as given, and is said. */
START_TEST(what_is_given)
{
    const tape_case *c = tape_case_of("block");
    static const double forces[200] = {0.0, 0.0, 0.0, 0.0, 0.1};
    for (int k = 0; k < 3; k++) {
        tape_world w;
        tape_world_open(&w, c, c->p, NULL);
        perp_tape *tape = tape_of(w.r.sim, 0, NULL);
        w.forces = k == 1 ? forces : NULL;
        tape_world_run(&w, 3);
        perp_law law = perp_law_friction(2, 0.0, 0.4);
        if (k == 2)
            ck_assert_int_eq(perp_model_set_law(w.r.model, w.link[0], &law), PERP_SOLVED);
        tape_world_run(&w, 2);
        ck_assert_int_eq(info_of(tape).status, PERP_SOLVED);
        ck_assert_int_eq(info_of(tape).given, k > 0);
        perp_tape_destroy(tape);
        tape_world_close(&w);
    }
}
END_TEST

/* Of the ground of the case: y = q_1 - 0.2 sin(2 q_0 - t), slip q_0 + ... */
static int ground_turn(double *turn, double *drift, double t, const double *x, void *user)
{
    double s = sin(2.0 * x[0] - t);
    turn[0] = 0.8 * s;
    turn[3] = -0.8 * s;
    drift[0] = -0.4 * s;
    return --*(int *)user == 0;
}

/* What the caller gives is what differences find; a callback may refuse. */
START_TEST(turns_that_are_given)
{
    const tape_case *c = tape_case_of("nonlinear");
    double dq[2][2][2], along_q[2] = {0.3, -0.7}, along_v[2] = {1.0, 0.4};
    for (int k = 0; k < 3; k++) {
        tape_world w;
        int left = k == 2 ? 40 : -1;
        tape_world_open(&w, c, c->p, NULL);
        perp_tape *tape = tape_of(w.r.sim, k == 0, NULL);
        if (k > 0)
            ck_assert_int_eq(perp_tape_set_turn(tape, w.link[0], ground_turn, &left), PERP_SOLVED);
        tape_world_run(&w, c->steps);
        perp_tape_info info = info_of(tape);
        if (k == 2) {
            ck_assert_int_eq(info.status, PERP_INTERRUPTED);
        } else {
            ck_assert_int_eq(info.differences, k == 0);
            perp_tape_tangent along = {.size = sizeof along, .q = along_q, .v = along_v};
            ck_assert_int_eq(perp_tape_jvp(tape, 1, &along, 0, dq[k][0], dq[k][1], NULL, NULL),
                             PERP_SOLVED);
        }
        ck_assert_int_eq(perp_tape_set_turn(tape, w.link[0], NULL, NULL), PERP_ERR_STATE);
        perp_tape_destroy(tape);
        tape_world_close(&w);
    }
    for (int i = 0; i < 4; i++)
        ck_assert_double_eq_tol(dq[0][i / 2][i % 2], dq[1][i / 2][i % 2], 1e-8);
}
END_TEST

START_TEST(one_iteration_is_not_recorded)
{
    const tape_case *c = tape_case_of("nonlinear");
    tape_world w;
    tape_world_open(&w, c, c->p, NULL);
    perp_sim_destroy(w.r.sim);
    w.r.options.newton_iter = 1;
    perp_scheme scheme = rig_scheme("moreau-jean", "configuration=predicted");
    rig_start(&w.r, &scheme);
    perp_tape *tape = tape_of(w.r.sim, 1, NULL);
    tape_world_run(&w, 2);
    ck_assert_int_eq(info_of(tape).status, PERP_ERR_UNSUPPORTED);
    ck_assert_str_eq(info_of(tape).where.what, "newton_iter");
    perp_tape_destroy(tape);
    tape_world_close(&w);
}
END_TEST

START_TEST(wrong_calls)
{
    const tape_case *c = tape_case_of("block");
    tape_world w;
    perp_tape *other;
    perp_tape_parameter list[TAPE_PARAMETERS];
    perp_where where = {NULL, -1, -1};
    double x[TAPE_DOFS] = {0};
    int at, count;
    tape_world_open(&w, c, c->p, NULL);
    perp_tape *tape = tape_of(w.r.sim, 0, NULL);
    ck_assert_int_eq(perp_tape_create(&other, w.r.sim, NULL, NULL, &where), PERP_ERR_STATE);
    ck_assert_ptr_null(other);
    perp_tape_tangent along = {.size = sizeof along};
    ck_assert_int_eq(perp_tape_jvp(tape, 1, &along, 0, x, NULL, NULL, NULL), PERP_ERR_STATE);
    c->list(list, &w);
    list[1].row = 2;
    ck_assert_int_eq(perp_tape_set_parameters(tape, 3, list, &where), PERP_ERR_ARGUMENT);
    ck_assert_str_eq(where.what, "row");
    ck_assert_int_eq(where.index, 1);
    list[1].row = 0;
    list[0].quantity = PERP_TAPE_LO;
    ck_assert_int_eq(perp_tape_set_parameters(tape, 3, list, &where), PERP_ERR_ARGUMENT);
    list[0] = (perp_tape_parameter){.quantity = PERP_TAPE_Z, .system = w.system[0]};
    ck_assert_int_eq(perp_tape_set_parameters(tape, 1, list, &where), PERP_ERR_UNSUPPORTED);
    list[0].system.generation += 1;
    ck_assert_int_eq(perp_tape_set_parameters(tape, 1, list, &where), PERP_ERR_STATE);
    tape_world_run(&w, 3);
    ck_assert_int_eq(perp_tape_set_parameters(tape, 0, NULL, &where), PERP_ERR_STATE);
    ck_assert_int_eq(perp_tape_place(tape, w.system[0], &at, &count), PERP_SOLVED);
    ck_assert_int_eq(at, 0);
    ck_assert_int_eq(count, 2);
    x[1] = (double)NAN;
    along.q = x;
    double kept[2] = {7.0, 7.0};
    ck_assert_int_eq(perp_tape_jvp(tape, 1, &along, 0, kept, NULL, NULL, NULL), PERP_ERR_NONFINITE);
    ck_assert_double_eq(kept[0], 7.0);
    perp_tape_gradient of = {.size = sizeof of};
    ck_assert_int_eq(perp_tape_vjp(tape, 1, 0, x, NULL, &of, NULL), PERP_ERR_NONFINITE);
    ck_assert_int_eq(perp_tape_jvp(NULL, 1, &along, 0, x, NULL, NULL, NULL), PERP_ERR_ARGUMENT);
    perp_tape_destroy(tape);
    tape_world_close(&w);
    perp_tape_destroy(NULL);
    perp_tape_reset(NULL);
    perp_tape_info info = {.size = sizeof info};
    ck_assert_int_eq(perp_tape_create(NULL, NULL, NULL, NULL, NULL), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_tape_create(&tape, NULL, NULL, NULL, &where), PERP_ERR_ARGUMENT);
    ck_assert_str_eq(where.what, "sim");
    ck_assert_int_eq(perp_tape_set_parameters(NULL, 0, NULL, NULL), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_tape_set_recording(NULL, 1), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_tape_info_get(NULL, &info), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_tape_place(NULL, w.system[0], &at, &count), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_tape_vjp(NULL, 1, 0, x, x, &of, NULL), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_tape_gradient_of_run(NULL, 1, NULL, NULL, &of, NULL), PERP_ERR_ARGUMENT);
}
END_TEST

/* A state that was changed by hand, a step that was left out, a simulation that is gone. */
START_TEST(broken_chains)
{
    const tape_case *c = tape_case_of("block");
    tape_world w;
    double push[2] = {0.1, 0.0}, dq[2], dv[2];
    perp_tape_tangent along = {.size = sizeof along, .v = push};
    tape_world_open(&w, c, c->p, NULL);
    perp_tape *tape = tape_of(w.r.sim, 0, NULL);
    tape_world_run(&w, 3);
    tape_world_shift(&w, NULL, push, 1.0);
    tape_world_run(&w, 1);
    perp_tape_info info = info_of(tape);
    ck_assert_int_eq(info.status, PERP_ERR_UNSUPPORTED);
    ck_assert_int_eq(info.steps, 3);
    ck_assert_int_eq(info.step, 4);
    perp_tape_reset(tape);
    tape_world_run(&w, 2);
    perp_tape_set_recording(tape, 0);
    tape_world_run(&w, 2);
    ck_assert_int_eq(info_of(tape).steps, 2);
    ck_assert_int_eq(info_of(tape).first, 5);
    ck_assert_int_eq(perp_tape_jvp(tape, 1, &along, 0, dq, dv, NULL, NULL), PERP_SOLVED);
    perp_tape_set_recording(tape, 1);
    tape_world_run(&w, 1);
    ck_assert_int_eq(info_of(tape).status, PERP_ERR_UNSUPPORTED);
    perp_tape_reset(tape);
    tape_world_run(&w, 2);
    tape_world_close(&w);
    ck_assert_int_eq(perp_tape_jvp(tape, 1, &along, 0, dq, dv, NULL, NULL), PERP_SOLVED);
    perp_tape_destroy(tape);
}
END_TEST

/* At rest the state does not show that a step was left out. */
START_TEST(steps_left_out_at_rest)
{
    rig r;
    open_mass(&r, -0.01, 0.0, -1.0, perp_law_impact(0.0));
    perp_tape *tape = tape_of(r.sim, 0, NULL);
    for (int k = 0; k < 9; k++) {
        perp_tape_set_recording(tape, k < 3 || k > 5);
        rig_step(&r);
    }
    ck_assert_int_eq(info_of(tape).status, PERP_ERR_UNSUPPORTED);
    ck_assert_str_eq(info_of(tape).where.what, "step");
    ck_assert_int_eq(info_of(tape).step, 7);
    perp_tape_destroy(tape);
    rig_free(&r);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("limits of derivatives of motions");
    TCase *test = tcase_create("limits");
    tcase_set_timeout(test, 120);
    tcase_add_test(test, threshold_of_the_index_set);
    tcase_add_test(test, damper_at_its_beginning);
    tcase_add_test(test, end_of_a_profile);
    tcase_add_test(test, kink_of_a_touching_contact);
    tcase_add_test(test, hyperstatic_contacts);
    tcase_add_test(test, what_is_not_recorded);
    tcase_add_test(test, configurations_that_are_not_recorded);
    tcase_add_test(test, contacts_found_again);
    tcase_add_test(test, what_is_given);
    tcase_add_test(test, turns_that_are_given);
    tcase_add_test(test, one_iteration_is_not_recorded);
    tcase_add_test(test, wrong_calls);
    tcase_add_test(test, broken_chains);
    tcase_add_test(test, steps_left_out_at_rest);
    suite_add_tcase(suite, test);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
