/* SPDX-License-Identifier: BSD-3-Clause */
/* Contacts that a step makes itself: what was at rest is thrown against something, and bodies turn
 * until other points of them meet.  Overlaps are measured from the states alone. */
#include "tests/fixtures/collide_scene.h"

#include <perp/rotation.h>

#include "kernel/sim/sim_inside.h"

enum { BODIES = 3 };
static const double STEP = 1e-2;

typedef struct world {
    scene s;
    perp_sim *sim;
} world;

static void open_world(world *w, int n, double e, const perp_allocator *memory)
{
    memset(w, 0, sizeof *w);
    w->s.bodies = calloc((size_t)n, sizeof *w->s.bodies);
    w->s.n = n;
    ck_assert_int_eq(perp_model_create(&w->s.model, memory), PERP_SOLVED);
    ck_assert_int_eq(perp_collider_create(&w->s.collider, w->s.model, memory), PERP_SOLVED);
    perp_collider_set_material(w->s.collider, 0, 0, e, 0.3);
}

static void body(world *w, int i, double mass, double x, double v)
{
    perp_body_def def;
    perp_body_def_init(&def, sizeof def);
    def.mass = mass;
    for (int k = 0; k < 3; k++)
        def.inertia[4 * k] = 4e-3 * mass;
    def.position[0] = x;
    def.velocity[0] = v;
    ck_assert_int_eq(perp_model_add_body(w->s.model, &def, &w->s.bodies[i], NULL), PERP_SOLVED);
}

static perp_status begin(world *w, const perp_allocator *memory)
{
    perp_sim_options options;
    perp_settings settings;
    perp_sim_options_init(&options, sizeof options);
    perp_settings_init(&settings, sizeof settings);
    options.settings = &settings;
    options.h = STEP;
    settings.tol = 1e-10;
    perp_status status = perp_sim_create(&w->sim, w->s.model, &options, memory, NULL);
    if (status == PERP_SOLVED)
        perp_sim_set_before_step(w->sim, perp_collider_step, w->s.collider);
    return status;
}

static void close_world(world *w)
{
    perp_sim_destroy(w->sim);
    close_scene(&w->s);
}

static double place(world *w, int i)
{
    double *v;
    return state_of(&w->s, i, &v)[0];
}

/* A heavy ball strikes one at rest, with something 1 cm behind it: a ball, a box or a wall.  The
 * light one has 10 m/s at once, that is 10 cm a step. */
typedef enum behind { BALL, BOX, WALL } behind;

static void strike_row(world *w, behind what, double e, const perp_allocator *memory)
{
    double half[3] = {0.1, 0.1, 0.1}, at[3] = {0.51, 0.0, 0.0}, normal[3] = {-1.0, 0.0, 0.0};
    int bodies = what == WALL ? 2 : 3;
    open_world(w, bodies, e, memory);
    body(w, 0, 100.0, 0.0, 10.0);
    body(w, 1, 1.0, 0.26, 0.0);
    if (what != WALL)
        body(w, 2, 1.0, 0.47, 0.0);
    for (int i = 0; i < bodies; i++)
        if (what == BOX && i > 0)
            perp_collider_add_box(w->s.collider, w->s.bodies[i], half, NULL, NULL);
        else
            perp_collider_add_sphere(w->s.collider, w->s.bodies[i], 0.1, NULL, NULL, NULL);
    if (what == WALL) {
        at[0] = 0.37;
        perp_collider_add_plane(w->s.collider, at, normal, NULL, NULL);
    }
}

static double overlap(world *w, behind what)
{
    double deepest = place(w, 0) + 0.2 - place(w, 1);
    if (what == WALL)
        return fmax(deepest, place(w, 1) + 0.1 - 0.37);
    return fmax(deepest, place(w, 1) + 0.2 - place(w, 2));
}

START_TEST(what_is_thrown_does_not_overlap)
{
    static const double restitution[] = {0.0, 0.5, 1.0};
    for (behind what = BALL; what <= WALL; what++)
        for (int k = 0; k < 3; k++) {
            world w;
            strike_row(&w, what, restitution[k], NULL);
            ck_assert_int_eq(begin(&w, NULL), PERP_SOLVED);
            for (int n = 0; n < 4; n++) {
                ck_assert_int_eq(perp_sim_step(w.sim), PERP_SOLVED);
                ck_assert_double_le(overlap(&w, what), 1e-9);
            }
            close_world(&w);
        }
}
END_TEST

/* Contacts of the second detection, where the heavy ball is found in one step and strikes in the
 * next one; the two steps are made. */
static int found_before_the_strike(world *w, const char *name)
{
    strike_row(w, BALL, 0.0, NULL);
    double *v, *q = state_of(&w->s, 0, &v);
    q[0] = -0.041;
    ck_assert_int_eq(begin(w, NULL), PERP_SOLVED);
    perp_scheme scheme;
    ck_assert_int_eq(perp_scheme_init(&scheme, name, sizeof scheme), PERP_SOLVED);
    ck_assert_int_eq(perp_sim_set_scheme(w->sim, (perp_system_id){0, 0}, &scheme), PERP_SOLVED);
    ck_assert_int_eq(perp_sim_step(w->sim), PERP_SOLVED);
    ck_assert_int_eq(perp_collider_contacts(w->s.collider), 1);
    ck_assert_int_eq(perp_collider_step(w->s.collider, w->sim, w->s.model, STEP, STEP), 0);
    int found = perp_collider_contacts(w->s.collider);
    ck_assert_int_eq(perp_sim_step(w->sim), PERP_SOLVED);
    return found;
}

/* What the light ball will meet is in that detection, so that the step is made once. */
START_TEST(what_will_be_thrown_is_foreseen)
{
    world w;
    ck_assert_int_eq(found_before_the_strike(&w, "discrete-gradient"), 2);
    ck_assert_double_le(overlap(&w, BALL), 1e-9);
    close_world(&w);
}
END_TEST

/* Nor is the step made again under a scheme that does not ask for it. */
START_TEST(other_schemes_have_what_is_near)
{
    world w;
    ck_assert_int_eq(found_before_the_strike(&w, "moreau-jean"), 1);
    ck_assert_int_eq(perp_collider_contacts(w.s.collider), 1);
    close_world(&w);
}
END_TEST

/* Between a wall and a ball of 100 times its mass a ball bounces 31 times, as many as pi has
 * tenths; all within one step here. */
START_TEST(a_light_ball_bounces_31_times)
{
    world w;
    double *v, energy;
    strike_row(&w, WALL, 1.0, NULL);
    ck_assert_int_eq(begin(&w, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_sim_step(w.sim), PERP_SOLVED);
    ck_assert_int_eq(perp_sim_info(w.sim)->impacts, 31);
    state_of(&w.s, 0, &v);
    ck_assert_double_lt(v[0], 0.0);
    energy = 50.0 * v[0] * v[0];
    state_of(&w.s, 1, &v);
    ck_assert_double_eq_tol(energy + 0.5 * v[0] * v[0], 5000.0, 1e-6);
    close_world(&w);
}
END_TEST

/* Momentum and energy of the row of balls, which no wall holds. */
START_TEST(what_is_thrown_keeps_its_momentum)
{
    static const double restitution[] = {0.0, 0.5, 1.0};
    for (int k = 0; k < 3; k++) {
        world w;
        double momentum = 0.0, energy = 0.0, mass[] = {100.0, 1.0, 1.0}, *v;
        strike_row(&w, BALL, restitution[k], NULL);
        ck_assert_int_eq(begin(&w, NULL), PERP_SOLVED);
        for (int n = 0; n < 4; n++)
            ck_assert_int_eq(perp_sim_step(w.sim), PERP_SOLVED);
        for (int i = 0; i < BODIES; i++) {
            state_of(&w.s, i, &v);
            momentum += mass[i] * v[0];
            energy += 0.5 * mass[i] * v[0] * v[0];
        }
        ck_assert_double_eq_tol(momentum, 1000.0, 1e-7);
        ck_assert_double_le(energy, 5000.0 * (1.0 + 1e-9));
        close_world(&w);
    }
}
END_TEST

START_TEST(the_answer_does_not_depend_on_what_was_before)
{
    world w, again;
    strike_row(&w, BOX, 0.0, NULL);
    strike_row(&again, BOX, 0.0, NULL);
    ck_assert_int_eq(begin(&w, NULL), PERP_SOLVED);
    ck_assert_int_eq(begin(&again, NULL), PERP_SOLVED);
    for (int n = 0; n < 6; n++) {
        double *v, *u;
        ck_assert_int_eq(perp_sim_step(w.sim), PERP_SOLVED);
        ck_assert_int_eq(perp_sim_step(again.sim), PERP_SOLVED);
        for (int i = 0; i < BODIES; i++) {
            double *x = state_of(&w.s, i, &v), *y = state_of(&again.s, i, &u);
            ck_assert_int_eq(memcmp(x, y, 7 * sizeof *x), 0);
            ck_assert_int_eq(memcmp(v, u, 6 * sizeof *v), 0);
        }
    }
    close_world(&w);
    close_world(&again);
}
END_TEST

/* From rest with 2000 m/s^2. */
static int pull(double *pose, double *twist, double t, void *user)
{
    (void)user;
    pose[0] = 1000.0 * t * t;
    pose[1] = 1.0;
    pose[2] = pose[4] = pose[5] = pose[6] = 0.0;
    pose[3] = 1.0;
    memset(twist, 0, 6 * sizeof *twist);
    twist[0] = 2000.0 * t;
    return 0;
}

/* A ball that a joint pulls through a wall in one step, from where no contact was: the wall cannot
 * stop it. */
START_TEST(what_joints_force_goes_on)
{
    world w;
    double at[3] = {0.13, 0.0, 0.0}, normal[3] = {-1.0, 0.0, 0.0};
    perp_body_def driver;
    perp_interaction_def joint;
    perp_system_id ends[2];
    open_world(&w, 2, 0.0, NULL);
    body(&w, 0, 1.0, 0.0, 0.0);
    perp_body_def_init(&driver, sizeof driver);
    driver.motion = pull;
    ck_assert_int_eq(perp_model_add_body(w.s.model, &driver, &w.s.bodies[1], NULL), PERP_SOLVED);
    ends[0] = w.s.bodies[0];
    ends[1] = w.s.bodies[1];
    perp_interaction_def_init(&joint, sizeof joint);
    joint.systems = ends;
    joint.nsystems = 2;
    joint.relation.kind = PERP_RELATION_JOINT;
    joint.relation.joint = PERP_JOINT_FIXED;
    joint.relation.rows = perp_joint_rows(PERP_JOINT_FIXED);
    joint.law = perp_law_equality();
    ck_assert_int_eq(perp_model_add_interaction(w.s.model, &joint, NULL, NULL), PERP_SOLVED);
    perp_collider_add_sphere(w.s.collider, w.s.bodies[0], 0.1, NULL, NULL, NULL);
    perp_collider_add_plane(w.s.collider, at, normal, NULL, NULL);
    ck_assert_int_eq(begin(&w, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_sim_step(w.sim), PERP_SOLVED);
    ck_assert_double_eq_tol(place(&w, 0), 1000.0 * STEP * STEP, 1e-9);
    close_world(&w);
}
END_TEST

/* A lookout that asks for what cannot be: x^2 + 1 = 0. */
typedef struct folly {
    perp_model *model;
    perp_system_id body;
    perp_interaction_id id;
    int looks, added, left;
} folly;

static int impossible(double *y, double t, const double *x, const double *lambda, const double *z,
                      void *user)
{
    (void)t;
    (void)lambda;
    (void)z;
    (void)user;
    y[0] = x[0] * x[0] + 1.0;
    return 0;
}

static int impossible_jacobian(double *H, double t, const double *x, const double *lambda,
                               const double *z, void *user)
{
    (void)t;
    (void)lambda;
    (void)z;
    (void)user;
    memset(H, 0, 6 * sizeof *H);
    H[0] = 2.0 * x[0];
    return 0;
}

static int look(void *ctx, double t, double h)
{
    folly *f = ctx;
    (void)t;
    (void)h;
    return f->looks++ == 0;
}

static perp_status add(void *ctx, perp_sim *sim)
{
    folly *f = ctx;
    perp_interaction_def def;
    perp_interaction_def_init(&def, sizeof def);
    def.systems = &f->body;
    def.nsystems = 1;
    def.relation.kind = PERP_RELATION_SCLERONOMOUS;
    def.relation.rows = 1;
    def.relation.h = impossible;
    def.relation.h_x = impossible_jacobian;
    def.law = perp_law_equality();
    f->added++;
    ck_assert_int_eq(perp_model_add_interaction(f->model, &def, &f->id, NULL), PERP_SOLVED);
    return perp_sim_prepare(sim);
}

static perp_status leave(void *ctx, perp_sim *sim)
{
    folly *f = ctx;
    f->left++;
    perp_model_remove_interaction(f->model, f->id);
    return perp_sim_prepare(sim);
}

static int foolish(void *ctx, perp_sim *sim, perp_model *model, double t, double h)
{
    (void)model;
    (void)t;
    (void)h;
    sim->stepper.lookout = (perp_step_lookout){look, add, leave, ctx};
    return 0;
}

/* A step that is not solved with what was missed is the one without it, bit for bit. */
START_TEST(what_cannot_be_is_left)
{
    world w, plain;
    double *v, *u;
    strike_row(&w, WALL, 0.5, NULL);
    strike_row(&plain, WALL, 0.5, NULL);
    ck_assert_int_eq(begin(&w, NULL), PERP_SOLVED);
    ck_assert_int_eq(begin(&plain, NULL), PERP_SOLVED);
    folly f = {.model = w.s.model, .body = w.s.bodies[1]};
    perp_sim_set_before_step(w.sim, foolish, &f);
    perp_sim_set_before_step(plain.sim, NULL, NULL);
    ck_assert_int_eq(perp_sim_step(w.sim), PERP_SOLVED);
    ck_assert_int_eq(perp_sim_step(plain.sim), PERP_SOLVED);
    ck_assert_int_eq(f.added, 1);
    ck_assert_int_eq(f.left, 1);
    ck_assert_int_eq(perp_sim_info(w.sim)->halvings, 0);
    for (int i = 0; i < 2; i++) {
        double *x = state_of(&w.s, i, &v), *y = state_of(&plain.s, i, &u);
        ck_assert_int_eq(memcmp(x, y, 7 * sizeof *x), 0);
        ck_assert_int_eq(memcmp(v, u, 6 * sizeof *v), 0);
    }
    close_world(&w);
    close_world(&plain);
}
END_TEST

/* Allocation k fails, in the model, the collider or the simulation: the step says so, leaves the
 * states of its start, and can be made after. */
START_TEST(each_failing_allocation_leaves_the_start)
{
    int failures = 0;
    for (long k = 1;; k++) {
        world w;
        ledger l = {0, 0, 0};
        perp_allocator memory = {ledger_allocate, ledger_release, &l};
        strike_row(&w, BOX, 0.0, &memory);
        ck_assert_int_eq(begin(&w, &memory), PERP_SOLVED);
        l.fail_at = l.calls + k;
        perp_status status = perp_sim_step(w.sim);
        int all = l.calls < l.fail_at;
        if (status != PERP_SOLVED) {
            ck_assert(status == PERP_ERR_MEMORY || status == PERP_INTERRUPTED);
            ck_assert_double_eq(place(&w, 0), 0.0);
            ck_assert_double_eq(place(&w, 1), 0.26);
            failures++;
            l.fail_at = 0;
            ck_assert_int_eq(perp_sim_step(w.sim), PERP_SOLVED);
        }
        ck_assert_double_le(overlap(&w, BOX), 1e-9);
        close_world(&w);
        ck_assert_int_eq(l.alive, 0);
        if (all)
            break;
    }
    ck_assert_int_gt(failures, 20);
}
END_TEST

/* How deep the corners of one box are in the other. */
static double corners_inside(world *w, int i, int j, const double *half)
{
    double *v, *a = state_of(&w->s, i, &v), *b = state_of(&w->s, j, &v), deepest = 0.0;
    for (int corner = 0; corner < 8; corner++) {
        double x[3], inside = INFINITY;
        for (int k = 0; k < 3; k++)
            x[k] = corner >> k & 1 ? half[k] : -half[k];
        perp_quaternion_rotate(a + 3, x, x);
        for (int k = 0; k < 3; k++)
            x[k] += a[k] - b[k];
        perp_quaternion_rotate_back(b + 3, x, x);
        for (int k = 0; k < 3; k++)
            inside = fmin(inside, half[k] - fabs(x[k]));
        deepest = fmax(deepest, inside);
    }
    return deepest;
}

/* Boxes that spin fast and meet, at most a fifth of a turn a step. */
START_TEST(boxes_that_turn_do_not_overlap)
{
    perp_rng rng = {17};
    double half[3] = {0.1, 0.06, 0.03}, worst = 0.0;
    int overlaps = 0;
    for (int k = 0; k < 60; k++) {
        world w;
        open_world(&w, 2, 0.0, NULL);
        body(&w, 0, 1.0, 0.0, 0.0);
        body(&w, 1, 1.0, 0.3, -5.0);
        begin(&w, NULL);
        for (int i = 0; i < 2; i++) {
            double *v, *x = state_of(&w.s, i, &v), turn[3];
            for (int m = 0; m < 3; m++) {
                turn[m] = between(&rng, -2, 2);
                v[3 + m] = between(&rng, -12, 12);
                x[m] += between(&rng, -0.03, 0.03);
            }
            perp_quaternion_exp(turn, x + 3);
            perp_collider_add_box(w.s.collider, w.s.bodies[i], half, NULL, NULL);
        }
        perp_model_changed(w.s.model);
        for (int n = 0; n < 12; n++) {
            ck_assert_int_ge(perp_sim_step(w.sim), 0);
            double deep = fmax(corners_inside(&w, 0, 1, half), corners_inside(&w, 1, 0, half));
            worst = fmax(worst, deep);
            overlaps += deep > 1e-4;
        }
        close_world(&w);
    }
    /* Without: 40 steps, the deepest 1.07e-2.  What is left is behind a surface at the start. */
    ck_assert_double_le(worst, 1.5e-3);
    ck_assert_int_le(overlaps, 6);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("unforeseen_contacts");
    TCase *tests = tcase_create("steps");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, what_is_thrown_does_not_overlap);
    tcase_add_test(tests, what_will_be_thrown_is_foreseen);
    tcase_add_test(tests, other_schemes_have_what_is_near);
    tcase_add_test(tests, a_light_ball_bounces_31_times);
    tcase_add_test(tests, what_is_thrown_keeps_its_momentum);
    tcase_add_test(tests, the_answer_does_not_depend_on_what_was_before);
    tcase_add_test(tests, what_joints_force_goes_on);
    tcase_add_test(tests, what_cannot_be_is_left);
    tcase_add_test(tests, each_failing_allocation_leaves_the_start);
    tcase_add_test(tests, boxes_that_turn_do_not_overlap);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
