/* SPDX-License-Identifier: BSD-3-Clause */
/* The time loop: failures of one-step problems, events and hooks, bodies that come and go,
 * time without drift. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fixtures/mixture.h"

static const double one = 1.0;

/* A stack of three planar discs between two walls: contacts with friction that depend on each
 * other, so that few sweeps do not solve them. */
static void add_stack(rig *r, perp_system_id disc[3], perp_law law)
{
    const double C[] = {-1, 0, 0, -1, 0, -0.5, 1, 0, 0, 1, 0, -0.5}, gap[] = {-1.0, 0.0};
    const double floor[] = {1, 0, 0, 1, 0, -0.5}, from_floor[] = {-0.5, 0.0};
    const double M[] = {1, 0, 0, 0, 1, 0, 0, 0, 0.1}, F[] = {-9.81, 3.0, 0.0};
    for (int k = 0; k < 3; k++) {
        const double q0[] = {0.5 + k, 0.0, 0.0}, v0[] = {-1.0 - k, 0.3 * k, 1.0};
        disc[k] = rig_lagrangian(r, 3, q0, v0, M, F);
    }
    rig_linear(r, disc[0], 2, floor, from_floor, law);
    perp_relation relation = rig_relation(PERP_RELATION_LINEAR, 2);
    relation.C = C;
    relation.e = gap;
    rig_interact(r, disc, 2, &relation, law);
    rig_interact(r, disc + 1, 2, &relation, law);
}

static void get_stack(double *out, const rig *r, const perp_system_id disc[3])
{
    for (int k = 0; k < 3; k++) {
        memcpy(out + 6 * k, rig_q(r, disc[k]), 3 * sizeof *out);
        memcpy(out + 6 * k + 3, rig_v(r, disc[k]), 3 * sizeof *out);
    }
}

/* One sweep of gs, which is not enough; scheme 1 knows no friction. */
static const char *const schemes[] = {"moreau-jean", "schatzman-paoli",
                                      "moreau-jean-direct-projection", "generalized-alpha"};

static void stack_with(rig *r, perp_system_id disc[3], int which, perp_unsolved then)
{
    perp_scheme scheme = rig_scheme(schemes[which], "");
    rig_init(r, 1e-2);
    r->options.solver = "gs";
    r->options.on_unsolved = then;
    r->settings.max_iter = 1;
    r->settings.tol = 1e-14;
    add_stack(r, disc, which == 1 ? perp_law_impact(0.0) : perp_law_friction(2, 0.0, 0.4));
    rig_start(r, &scheme);
}

/* At rest multipliers of the step before are within tol: taken as they are by warm_start = 1, so
 * that what they lack acts in the same sense in step after step; by 2 only within tol / 10. */
START_TEST(starts_that_are_the_answer)
{
    rig r;
    perp_system_id disc[3];
    perp_scheme scheme = rig_scheme("moreau-jean", "");
    rig_init(&r, 1e-2);
    r.options.solver = "gs";
    r.options.warm_start = _i;
    r.settings.tol = 1e-6;
    add_stack(&r, disc, perp_law_friction(2, 0.0, 0.4));
    rig_start(&r, &scheme);
    int open = 0;
    for (int k = 0; k < 400; k++) {
        rig_step(&r);
        const perp_info *info = perp_sim_info(r.sim)->solver;
        ck_assert_double_le(info->error, 1e-6);
        open += info->iterations == 0 && info->error > 1e-7;
    }
    if (_i == 1)
        ck_assert_int_gt(open, 50);
    else
        ck_assert_int_eq(open, 0);
    rig_free(&r);
}
END_TEST

static void stack_under(rig *r, perp_system_id disc[3], int which)
{
    stack_with(r, disc, which, PERP_UNSOLVED_STOP);
}

static void stack_that_fails(rig *r, perp_system_id disc[3])
{
    stack_under(r, disc, 0);
}

typedef struct failures {
    perp_failure_action action[64]; /* by call, the last one for all after it */
    int count, calls, attempts;     /* largest attempt seen */
    double t;                       /* at the last call */
} failures;

static perp_failure_action on_failure(void *ctx, const perp_sim *sim, const perp_info *info,
                                      int attempt, const char **solver)
{
    failures *f = ctx;
    ck_assert_int_ne(info->status, PERP_SOLVED);
    ck_assert_str_eq(*solver ? *solver : "", "gs");
    int k = f->calls++;
    f->attempts = attempt > f->attempts ? attempt : f->attempts;
    f->t = perp_sim_time(sim);
    return f->action[k < f->count ? k : f->count - 1];
}

START_TEST(a_failure_stops)
{
    rig r;
    perp_system_id disc[3];
    double before[18], after[18];
    failures f = {{PERP_FAILURE_STOP}, 1, 0, 0, 0.0};
    stack_that_fails(&r, disc);
    perp_sim_set_on_failure(r.sim, on_failure, &f);
    get_stack(before, &r, disc);
    perp_status status = perp_sim_step(r.sim);
    ck_assert_int_ne(status, PERP_SOLVED);
    ck_assert_int_eq(f.calls, 1);
    ck_assert_int_eq((int)perp_sim_info(r.sim)->step, 0);
    ck_assert_double_eq(perp_sim_time(r.sim), 0.0);
    ck_assert_int_eq(perp_sim_info(r.sim)->status, status);
    ck_assert_str_ne(perp_sim_info(r.sim)->detail, "");
    get_stack(after, &r, disc);
    ck_assert_mem_eq(before, after, sizeof before);
    status = perp_sim_run(r.sim, 1.0);
    ck_assert_int_ne(status, PERP_SOLVED);
    ck_assert_int_eq(f.calls, 2);
    rig_free(&r);
}
END_TEST

START_TEST(a_failure_is_accepted)
{
    rig r;
    perp_system_id disc[3];
    failures f = {{PERP_FAILURE_ACCEPT}, 1, 0, 0, 0.0};
    stack_that_fails(&r, disc);
    perp_sim_set_on_failure(r.sim, on_failure, &f);
    perp_status status = perp_sim_step(r.sim);
    ck_assert_int_gt(status, 0);
    ck_assert_int_eq(perp_sim_info(r.sim)->status, status);
    ck_assert_int_eq((int)perp_sim_info(r.sim)->step, 1);
    ck_assert_double_eq(perp_sim_time(r.sim), 1e-2);
    ck_assert_int_gt(perp_sim_run(r.sim, 0.5), 0);
    ck_assert_int_gt((int)perp_sim_info(r.sim)->step, 49);
    rig_free(&r);
}
END_TEST

static perp_failure_action try_another(void *ctx, const perp_sim *sim, const perp_info *info,
                                       int attempt, const char **solver)
{
    int *attempts = ctx;
    (void)sim, (void)info;
    *attempts = attempt > *attempts ? attempt : *attempts;
    if (attempt == 0)
        return PERP_FAILURE_RETRY; /* with the same: fails again */
    *solver = "nsn";
    return attempt == 1 ? PERP_FAILURE_RETRY : PERP_FAILURE_ACCEPT;
}

/* One sweep of gs fails twice; the semismooth Newton method gets further with its own
 * iterations only where the limit allows. */
START_TEST(a_failure_is_tried_again)
{
    rig r;
    perp_system_id disc[3];
    int attempts = 0;
    stack_that_fails(&r, disc);
    perp_sim_set_on_failure(r.sim, try_another, &attempts);
    perp_status status = perp_sim_step(r.sim);
    ck_assert_int_ge(status, 0);
    ck_assert_int_ge(attempts, 1);
    ck_assert_int_ge(perp_sim_info(r.sim)->solves, 3);
    ck_assert_str_eq(perp_sim_info(r.sim)->solver->solver, "nsn");
    rig_free(&r);
}
END_TEST

/* Without a callback: once more by gs, then in halves, and in the end not made; on request it is
 * accepted after gs. */
START_TEST(a_failure_without_callback)
{
    rig r;
    perp_system_id disc[3];
    double before[18], after[18];
    stack_that_fails(&r, disc);
    get_stack(before, &r, disc);
    ck_assert_int_gt(perp_sim_step(r.sim), 0);
    ck_assert_int_eq(perp_sim_info(r.sim)->solves, 2 + 2 * perp_sim_info(r.sim)->halvings);
    ck_assert_int_eq(perp_sim_info(r.sim)->halvings, 20);
    ck_assert_int_eq((int)perp_sim_info(r.sim)->step, 0);
    ck_assert_int_eq((int)perp_sim_info(r.sim)->unsolved, 0);
    get_stack(after, &r, disc);
    ck_assert_mem_eq(before, after, sizeof before);
    rig_free(&r);
    stack_with(&r, disc, 0, PERP_UNSOLVED_ACCEPT);
    ck_assert_int_gt(perp_sim_step(r.sim), 0);
    ck_assert_int_eq(perp_sim_info(r.sim)->solves, 2);
    ck_assert_int_eq((int)perp_sim_info(r.sim)->step, 1);
    ck_assert_int_eq((int)perp_sim_info(r.sim)->unsolved, 1);
    ck_assert_int_eq((int)perp_sim_info(r.sim)->infeasible, 0);
    rig_free(&r);
}
END_TEST

/* Cut in two, and both halves accepted: as two steps of half the length. */
START_TEST(a_step_is_halved)
{
    rig r, half;
    perp_system_id disc[3], other[3];
    double now[18], expected[18];
    failures f = {{PERP_FAILURE_HALVE, PERP_FAILURE_ACCEPT}, 2, 0, 0, 0.0}, accept = f;
    accept.action[0] = PERP_FAILURE_ACCEPT;
    stack_under(&r, disc, _i);
    perp_sim_set_on_failure(r.sim, on_failure, &f);
    ck_assert_int_gt(perp_sim_step(r.sim), 0);
    ck_assert_int_eq(perp_sim_info(r.sim)->halvings, 1);
    ck_assert_double_eq(perp_sim_time(r.sim), 1e-2);
    ck_assert_int_eq((int)perp_sim_info(r.sim)->step, 1);
    stack_under(&half, other, _i);
    perp_sim_set_on_failure(half.sim, on_failure, &accept);
    ck_assert_int_eq(perp_sim_set_h(half.sim, 5e-3), PERP_SOLVED);
    for (int k = 0; k < 2; k++)
        ck_assert_int_ge(perp_sim_step(half.sim), 0);
    get_stack(now, &r, disc);
    get_stack(expected, &half, other);
    for (int i = 0; i < 18; i++)
        ck_assert_double_eq_tol(now[i], expected[i], 1e-12);
    rig_free(&r);
    rig_free(&half);
}
END_TEST

/* The first half succeeds and the second stops: all of the step is taken back, and the run goes
 * on as if it had never been tried. */
START_TEST(a_second_half_stops)
{
    rig r, other;
    perp_system_id disc[3], there[3];
    double before[18], after[18], expected[18];
    failures f = {{PERP_FAILURE_ACCEPT}, 1, 0, 0, 0.0}, accept = f;
    const failures stop = {
        {PERP_FAILURE_HALVE, PERP_FAILURE_ACCEPT, PERP_FAILURE_STOP}, 3, 0, 0, 0.0};
    stack_under(&r, disc, _i);
    stack_under(&other, there, _i);
    perp_sim_set_on_failure(r.sim, on_failure, &f);
    perp_sim_set_on_failure(other.sim, on_failure, &accept);
    for (int k = 0; k < 40; k++) {
        if (k % 10 == 0) {
            f = stop;
            get_stack(before, &r, disc);
            perp_status status = perp_sim_step(r.sim);
            ck_assert_int_eq(f.calls, k == 0 || status != PERP_SOLVED ? 3 : 0);
            get_stack(after, &r, disc);
            if (status != PERP_SOLVED)
                ck_assert_mem_eq(before, after, sizeof before);
            f = accept;
        }
        if (perp_sim_info(r.sim)->step == k)
            ck_assert_int_ge(perp_sim_step(r.sim), 0);
        ck_assert_int_ge(perp_sim_step(other.sim), 0);
        get_stack(after, &r, disc);
        get_stack(expected, &other, there);
        ck_assert_mem_eq(after, expected, sizeof after);
    }
    rig_free(&r);
    rig_free(&other);
}
END_TEST

/* Halving without end is given up. */
START_TEST(halving_ends)
{
    rig r;
    perp_system_id disc[3];
    double before[18], after[18];
    failures f = {{PERP_FAILURE_HALVE}, 1, 0, 0, 0.0};
    stack_that_fails(&r, disc);
    perp_sim_set_on_failure(r.sim, on_failure, &f);
    get_stack(before, &r, disc);
    ck_assert_int_ne(perp_sim_step(r.sim), PERP_SOLVED);
    ck_assert_int_lt(f.calls, 100);
    get_stack(after, &r, disc);
    ck_assert_mem_eq(before, after, sizeof before);
    rig_free(&r);
}
END_TEST

typedef struct diary {
    int before, after, events;
    int stop_before, stop_after; /* at this call; 0 never */
    double event_time, t;        /* of the last event; of the last call */
} diary;

static int note_before(void *ctx, perp_sim *sim, perp_model *model, double t, double h)
{
    diary *d = ctx;
    (void)sim, (void)model, (void)h;
    d->t = t;
    return ++d->before == d->stop_before;
}

static int note_after(void *ctx, perp_sim *sim, perp_model *model, double t, double h)
{
    diary *d = ctx;
    (void)model, (void)h;
    ck_assert_double_eq(t, perp_sim_time(sim));
    return ++d->after == d->stop_after;
}

static int note_event(void *ctx, perp_sim *sim, perp_model *model, double t, double h)
{
    diary *d = ctx;
    (void)sim, (void)model, (void)h;
    d->events++;
    d->event_time = t;
    return 0;
}

START_TEST(hooks_and_events)
{
    rig r;
    diary d = {0, 0, 0, 31, 57, 0.0, 0.0};
    rig_init(&r, 0.1);
    perp_system_id ball = rig_lagrangian(&r, 1, &one, &one, NULL, NULL);
    rig_start_moreau_jean(&r);
    perp_sim_set_before_step(r.sim, note_before, &d);
    perp_sim_set_after_step(r.sim, note_after, &d);
    ck_assert_int_eq(perp_sim_schedule(r.sim, 1.0, note_event, &d), PERP_SOLVED);
    ck_assert_int_eq(perp_sim_run(r.sim, 0.95), PERP_SOLVED);
    ck_assert_int_eq(d.events, 0);
    ck_assert_int_eq(d.before, 9);
    ck_assert_int_eq(perp_sim_run(r.sim, 2.0), PERP_SOLVED);
    ck_assert_int_eq(d.events, 1);
    ck_assert_double_eq_tol(d.event_time, 1.0, 1e-12);
    /* Stopped before the 31st step: nothing moved. */
    ck_assert_int_eq(perp_sim_run(r.sim, 9.0), PERP_INTERRUPTED);
    ck_assert_int_eq((int)perp_sim_info(r.sim)->step, 30);
    ck_assert_double_eq_tol(*rig_q(&r, ball), 4.0, 1e-12);
    /* Stopped after the 57th step, which counts. */
    ck_assert_int_eq(perp_sim_run(r.sim, 9.0), PERP_INTERRUPTED);
    ck_assert_int_eq((int)perp_sim_info(r.sim)->step, 57);
    ck_assert_int_eq(d.after, 57);
    ck_assert_double_eq_tol(perp_sim_time(r.sim), 5.7, 1e-12);
    ck_assert_int_eq(perp_sim_run(r.sim, 9.0), PERP_SOLVED);
    ck_assert_int_eq(d.events, 1);
    rig_free(&r);
}
END_TEST

static int kick(void *ctx, perp_sim *sim, perp_model *model, double t, double h)
{
    const perp_system_id *ball = ctx;
    const double F = 2.0;
    double *v;
    (void)sim, (void)t, (void)h;
    perp_model_state(model, *ball, NULL, &v, NULL, NULL);
    *v = -1.0;
    perp_model_changed(model);
    return perp_model_set_force(model, *ball, &F) != PERP_SOLVED;
}

/* An event that changes state and force. */
START_TEST(an_event_acts)
{
    rig r;
    rig_init(&r, 1e-2);
    perp_system_id ball = rig_lagrangian(&r, 1, &one, &one, NULL, NULL);
    perp_interaction_id wall = rig_linear(&r, ball, 1, &one, NULL, perp_law_impact(0.5));
    rig_start_moreau_jean(&r);
    ck_assert_int_eq(perp_sim_schedule(r.sim, 1.0, kick, &ball), PERP_SOLVED);
    rig_run(&r, 1.5);
    ck_assert_double_eq_tol(*rig_v(&r, ball), 0.0, 1e-12);
    ck_assert_double_eq_tol(*rig_q(&r, ball), 2.0 - 0.5 + 0.25, 1e-12);
    ck_assert_double_eq_tol(*rig_u(&r, wall), 0.0, 1e-12);
    rig_free(&r);
}
END_TEST

static int refuse_after(double *out, double t, const double *x, const double *v, const double *z,
                        void *user)
{
    (void)x, (void)v, (void)z, (void)user;
    *out = 0.0;
    return t > 0.5;
}

/* A callback of the model that refuses ends the step with the old state. */
START_TEST(a_callback_refuses)
{
    rig r;
    rig_init(&r, 1e-2);
    perp_lagrangian_def def;
    perp_lagrangian_def_init(&def, sizeof def);
    def.n = 1;
    def.q0 = def.v0 = &one;
    def.F_ext = refuse_after;
    perp_system_id ball = rig_add_lagrangian(&r, &def);
    rig_start_moreau_jean(&r);
    ck_assert_int_eq(perp_sim_run(r.sim, 1.0), PERP_INTERRUPTED);
    double q = *rig_q(&r, ball), t = perp_sim_time(r.sim);
    ck_assert_double_eq_tol(t, 0.5, 1.5e-2);
    ck_assert_double_eq_tol(q, 1.0 + t, 1e-12);
    ck_assert_int_eq(perp_sim_step(r.sim), PERP_INTERRUPTED);
    ck_assert_double_eq(*rig_q(&r, ball), q);
    rig_free(&r);
}
END_TEST

/* Balls come every 20 steps and go every 50; what was there all the time does not notice. */
START_TEST(bodies_come_and_go)
{
    mixture m, alone;
    double state[64], expected[64];
    perp_system_id guest[40];
    int guests = 0, left = 0;
    mixture_make(&m, WITH_ALL, NULL, NULL);
    mixture_make(&alone, WITH_ALL, NULL, NULL);
    int count = mixture_states(expected, &alone);
    const double C[] = {1.0, 0.0}, F[] = {-9.81, 0.0}, q0[] = {0.1, 0.0};
    for (int k = 0; k < 600; k++) {
        if (k % 20 == 10 && guests < 40) {
            guest[guests] = rig_lagrangian(&m.r, 2, q0, NULL, NULL, F);
            rig_linear(&m.r, guest[guests], 1, C, NULL, perp_law_impact(0.3));
            guests++;
        }
        if (k % 50 == 49) {
            ck_assert_int_eq(perp_model_remove_system(m.r.model, guest[left]), PERP_SOLVED);
            ck_assert_int_eq(perp_model_remove_system(m.r.model, guest[left]), PERP_ERR_STATE);
            ck_assert_int_eq(perp_model_state(m.r.model, guest[left], NULL, NULL, NULL, NULL),
                             PERP_ERR_STATE);
            left++;
        }
        rig_step(&m.r);
        rig_step(&alone.r);
    }
    ck_assert_int_eq(perp_model_systems(m.r.model), 5 + guests - left);
    ck_assert_int_eq(perp_model_interactions(m.r.model), 5 + guests - left);
    mixture_states(expected, &alone);
    double *x, *v;
    int nx, nv, at = 0;
    const perp_system_id here[] = {m.ball, m.relay, m.body, m.circuit, m.arm};
    for (int k = 0; k < 5; k++) {
        perp_model_state(m.r.model, here[k], &x, &v, &nx, &nv);
        memcpy(state + at, x, (size_t)nx * sizeof *x);
        at += nx;
        if (v)
            memcpy(state + at, v, (size_t)nv * sizeof *v);
        at += v ? nv : 0;
    }
    ck_assert_int_eq(at, count);
    for (int i = 0; i < count; i++)
        ck_assert_double_eq_tol(state[i], expected[i], 1e-8);
    mixture_free(&m);
    mixture_free(&alone);
}
END_TEST

typedef struct trap {
    perp_system_id ball;
    perp_interaction_id wall;
    int open;
} trap;

/* Takes the floor away and puts it back, from inside the hook. */
static int toggle(void *ctx, perp_sim *sim, perp_model *model, double t, double h)
{
    trap *p = ctx;
    (void)sim, (void)h;
    int open = fmod(t + 1e-9, 2.0) > 1.0;
    if (open == p->open)
        return 0;
    p->open = open;
    if (open)
        return perp_model_remove_interaction(model, p->wall) != PERP_SOLVED;
    perp_interaction_def def;
    perp_interaction_def_init(&def, sizeof def);
    const double below = 100.0;
    def.systems = &p->ball;
    def.nsystems = 1;
    def.relation.kind = PERP_RELATION_LINEAR;
    def.relation.rows = 1;
    def.relation.C = &one;
    def.relation.e = &below;
    def.law = perp_law_impact(0.0);
    return perp_model_add_interaction(model, &def, &p->wall, NULL) != PERP_SOLVED;
}

START_TEST(a_hook_changes_the_model)
{
    rig r;
    const double F = -1.0, start = -100.0, below = 100.0;
    rig_init(&r, 1e-2);
    trap p = {rig_lagrangian(&r, 1, &start, NULL, NULL, &F), {0, 0}, 0};
    p.wall = rig_linear(&r, p.ball, 1, &one, &below, perp_law_impact(0.0));
    rig_start_moreau_jean(&r);
    perp_sim_set_before_step(r.sim, toggle, &p);
    rig_run(&r, 1.0);
    ck_assert_double_eq(*rig_q(&r, p.ball), -100.0);
    rig_run(&r, 2.0);
    ck_assert_int_eq(perp_model_interactions(r.model), 0);
    ck_assert_double_eq_tol(*rig_v(&r, p.ball), -1.0, 1e-9);
    rig_run(&r, 3.0);
    ck_assert_int_eq(perp_model_interactions(r.model), 1);
    ck_assert_double_eq_tol(*rig_v(&r, p.ball), 0.0, 1e-12);
    rig_free(&r);
}
END_TEST

/* t = t0 + k h whatever the number of steps; again from where h changed. */
START_TEST(time_does_not_drift)
{
    rig r;
    rig_init(&r, 0.1);
    r.options.t0 = 3.0;
    perp_system_id ball = rig_lagrangian(&r, 1, &one, &one, NULL, NULL);
    rig_start_moreau_jean(&r);
    ck_assert_int_eq(perp_sim_run(r.sim, 1003.0), PERP_SOLVED);
    ck_assert_double_eq(perp_sim_time(r.sim), 3.0 + 10000 * 0.1);
    ck_assert_int_eq((int)perp_sim_info(r.sim)->step, 10000);
    ck_assert_int_eq(perp_sim_set_h(r.sim, 0.25), PERP_SOLVED);
    rig_run(&r, 1004.0);
    ck_assert_double_eq(perp_sim_time(r.sim), 1004.0);
    ck_assert_int_eq((int)perp_sim_info(r.sim)->step, 10004);
    ck_assert_double_eq_tol(*rig_q(&r, ball), 1002.0, 1e-9);
    ck_assert_int_eq(perp_sim_set_h(r.sim, 0.0), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_sim_set_h(r.sim, NAN), PERP_ERR_ARGUMENT);
    rig_free(&r);
}
END_TEST

/* What the info of a step says. */
START_TEST(diagnostics)
{
    mixture m;
    mixture_make(&m, WITH_ALL, NULL, NULL);
    for (int k = 0; k < 300; k++) {
        perp_problem problem;
        const double *z, *w;
        rig_step(&m.r);
        const perp_step_info *info = perp_sim_info(m.r.sim);
        ck_assert_int_eq((int)info->step, k + 1);
        ck_assert_double_eq(info->t, perp_sim_time(m.r.sim));
        ck_assert_double_eq(info->h, 2e-3);
        ck_assert_int_ge(info->newton, 1);
        ck_assert_double_le(info->newton_residual, 1e-10);
        ck_assert_double_lt(info->violation, 0.02);
        ck_assert_int_ge(info->active, 3);
        perp_sim_last_problem(m.r.sim, &problem, &z, &w);
        ck_assert_int_eq(problem.M.rows, info->rows);
        perp_residuals residual = {.size = sizeof residual};
        double again[64];
        ck_assert_int_le(info->rows, 64);
        ck_assert_int_eq(perp_residual(&problem, z, NULL, again, &residual), PERP_SOLVED);
        ck_assert_double_le(fmin(residual.natural, residual.scaled), 1e-12);
    }
    mixture_free(&m);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("sim");
    TCase *failing = tcase_create("failures");
    tcase_add_test(failing, a_failure_stops);
    tcase_add_test(failing, a_failure_is_accepted);
    tcase_add_test(failing, a_failure_is_tried_again);
    tcase_add_test(failing, a_failure_without_callback);
    tcase_add_loop_test(failing, a_step_is_halved, 0, 4);
    tcase_add_loop_test(failing, a_second_half_stops, 0, 4);
    tcase_add_test(failing, halving_ends);
    suite_add_tcase(suite, failing);
    TCase *loop = tcase_create("loop");
    tcase_add_loop_test(loop, starts_that_are_the_answer, 1, 3);
    tcase_add_test(loop, hooks_and_events);
    tcase_add_test(loop, an_event_acts);
    tcase_add_test(loop, a_callback_refuses);
    tcase_add_test(loop, bodies_come_and_go);
    tcase_add_test(loop, a_hook_changes_the_model);
    tcase_add_test(loop, time_does_not_drift);
    tcase_add_test(loop, diagnostics);
    suite_add_tcase(suite, loop);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
