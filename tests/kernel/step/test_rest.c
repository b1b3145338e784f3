/* SPDX-License-Identifier: BSD-3-Clause */
/* Islands at rest: two stacks of boxes on a floor, and what wakes one of them. */
#include "config.h"

#include "kernel/step/rest.h"
#include "tests/fixtures/collide_scene.h"
#include "tests/fixtures/verdict.h"

enum { LOW = 2, HIGH = 3, BOXES = LOW + HIGH, ALL = BOXES + 1, DROPPED = BOXES };
enum { COURSES = 5, WIDE = 5, BRICKS = COURSES * WIDE };
enum { LAYERS = 20, CUBES = LAYERS * (LAYERS + 1) / 2 };

static const double H = 1.0 / 240.0, GRAVITY = 9.81;

typedef struct world {
    scene s;
    perp_sim *sim;
    perp_shape_id floor, shapes[CUBES];
} world;

static void add_box(world *w, int i, double x, double z)
{
    perp_body_def def;
    perp_shape_def shape;
    perp_body_def_init(&def, sizeof def);
    perp_shape_def_init(&shape, sizeof shape);
    def.position[0] = x;
    def.position[2] = z;
    def.force[2] = -GRAVITY;
    for (int k = 0; k < 9; k += 4)
        def.inertia[k] = 2.0 / 3.0;
    ck_assert_int_eq(perp_model_add_body(w->s.model, &def, &w->s.bodies[i], NULL), PERP_SOLVED);
    shape.kind = PERP_SHAPE_BOX;
    shape.half[0] = shape.half[1] = shape.half[2] = 1.0;
    shape.body = w->s.bodies[i];
    ck_assert_int_eq(perp_collider_add(w->s.collider, &shape, &w->shapes[i], NULL), PERP_SOLVED);
}

static void open_ground(world *w, int bodies)
{
    const double origin[3] = {0.0, 0.0, 0.0}, up[3] = {0.0, 0.0, 1.0};
    memset(w, 0, sizeof *w);
    open_scene(&w->s, bodies);
    ck_assert_int_eq(perp_collider_set_material(w->s.collider, 0, 0, 0.0, 0.5), PERP_SOLVED);
    ck_assert_int_eq(perp_collider_add_plane(w->s.collider, origin, up, &w->floor, NULL),
                     PERP_SOLVED);
}

/* With the tolerance of the solver, and the scheme's `rest`. */
static void begin(world *w, double tol, double rest)
{
    perp_sim_options options;
    perp_settings settings;
    perp_scheme scheme;
    perp_settings_init(&settings, sizeof settings);
    settings.tol = tol;
    perp_sim_options_init(&options, sizeof options);
    options.h = H;
    options.settings = &settings;
    ck_assert_int_eq(perp_sim_create(&w->sim, w->s.model, &options, NULL, NULL), PERP_SOLVED);
    perp_scheme_init(&scheme, "discrete-gradient", sizeof scheme);
    scheme.rest = rest;
    ck_assert_int_eq(perp_sim_set_scheme(w->sim, (perp_system_id){0, 0}, &scheme), PERP_SOLVED);
    perp_sim_set_before_step(w->sim, perp_collider_step, w->s.collider);
}

/* The lower stack at x = 0, the higher one at x = 10, and a box `drop` above the latter. */
static void open_world(world *w, double drop, double rest)
{
    open_ground(w, ALL);
    for (int i = 0; i < LOW; i++)
        add_box(w, i, 0.0, 1.0 + 2.0 * i);
    for (int i = 0; i < HIGH; i++)
        add_box(w, LOW + i, 10.0, 1.0 + 2.0 * i);
    if (drop > 0.0)
        add_box(w, DROPPED, 10.0, 1.0 + 2.0 * HIGH + drop);
    begin(w, 1e-8, rest);
}

/* Courses of cubes, each second one half a cube aside. */
static void open_wall(world *w, double tol)
{
    open_ground(w, BRICKS);
    for (int i = 0; i < BRICKS; i++)
        add_box(w, i, 2.0 * (i % WIDE) + (i / WIDE % 2), 1.0 + 2.0 * (i / WIDE));
    begin(w, tol, 2e-7);
}

/* Layers of cubes, each one shorter by a cube. */
static void open_pyramid(world *w, double tol)
{
    int at = 0;
    open_ground(w, CUBES);
    for (int layer = 0; layer < LAYERS; layer++)
        for (int i = 0; i < LAYERS - layer; i++)
            add_box(w, at++, 2.01 * i + 1.005 * layer, 1.0 + 2.0 * layer);
    begin(w, tol, 2e-7);
}

static void close_world(world *w)
{
    perp_sim_destroy(w->sim);
    close_scene(&w->s);
}

static void steps(world *w, int count)
{
    for (int k = 0; k < count; k++)
        ck_assert_int_eq(perp_sim_step(w->sim), PERP_SOLVED);
}

static int resting(const world *w)
{
    return perp_sim_info(w->sim)->resting;
}

/* Rests after a while. */
static void settle(world *w, int count)
{
    for (int k = 0; k < 400 && resting(w) < count; k++)
        steps(w, 1);
    ck_assert_int_eq(resting(w), count);
}

static void states(world *w, int n, double *out)
{
    for (int i = 0; i < n; i++) {
        double *v, *x = state_of(&w->s, i, &v);
        memcpy(out + 13 * i, x, 7 * sizeof *x);
        memcpy(out + 13 * i + 7, v, 6 * sizeof *v);
    }
}

/* Impulse of the floor on all that stands on it, over the time of a step. */
static double weight_on_floor(world *w)
{
    double sum = 0.0;
    for (int k = 0; k < perp_collider_contacts(w->s.collider); k++) {
        perp_contact_info info = {.size = sizeof info};
        ck_assert_int_eq(perp_collider_contact(w->s.collider, k, &info), PERP_SOLVED);
        const double *lambda;
        ck_assert_int_eq(
            perp_model_output(w->s.model, info.interaction, NULL, NULL, &lambda, NULL, NULL),
            PERP_SOLVED);
        if (only_link(&w->s, k)->nsystems == 1)
            sum += lambda[0];
    }
    return sum / H;
}

START_TEST(stacks_come_to_rest)
{
    world w;
    double before[13 * BOXES], after[13 * BOXES];
    open_world(&w, 0.0, 2e-7);
    steps(&w, PERP_REST_STEPS - 1);
    ck_assert_int_eq(resting(&w), 0);
    settle(&w, BOXES);
    states(&w, BOXES, before);
    steps(&w, 500);
    states(&w, BOXES, after);
    ck_assert_mem_eq(before, after, sizeof before);
    for (int i = 0; i < BOXES; i++)
        for (int k = 7; k < 13; k++)
            ck_assert_double_eq(after[13 * i + k], 0.0);
    ck_assert_int_eq(perp_sim_info(w.sim)->solves, 0);
    ck_assert_int_eq(perp_sim_info(w.sim)->rows, 0);
    ck_assert_double_eq_tol(weight_on_floor(&w), BOXES * GRAVITY, 1e-6 * BOXES * GRAVITY);
    ck_assert_int_eq(verdict_of(w.sim).kind, PERP_VERDICT_VERIFIED);
    close_world(&w);
}
END_TEST

/* What a loose tolerance leaves in the velocities does not keep a wall awake. */
START_TEST(walls_rest_at_loose_tolerances)
{
    static const double tols[] = {1e-3, 1e-4, 1e-6};
    for (int k = 0; k < 3; k++) {
        world w;
        open_wall(&w, tols[k]);
        settle(&w, BRICKS);
        ck_assert_double_le(figure_of(w.sim, "dynamics").value, 1e-6);
        if (tols[k] <= 1e-6)
            ck_assert_int_eq(verdict_of(w.sim).kind, PERP_VERDICT_VERIFIED);
        close_world(&w);
    }
}
END_TEST

/* What stands is built at rest: its first step is solved so far, at any tolerance, that nothing
 * moves.
 */
START_TEST(what_begins_at_rest_is_solved_to_rest)
{
    world w;
    open_pyramid(&w, 1e-4);
    steps(&w, 1);
    for (int i = 0; i < CUBES; i++) {
        double *v;
        (void)state_of(&w.s, i, &v);
        for (int k = 0; k < 6; k++)
            ck_assert_double_le(fabs(v[k]), 1e-8 * GRAVITY * H);
    }
    steps(&w, PERP_REST_STEPS);
    ck_assert_int_eq(resting(&w), CUBES);
    ck_assert_int_eq(verdict_of(w.sim).kind, PERP_VERDICT_VERIFIED);
    close_world(&w);
}
END_TEST

START_TEST(nothing_rests_where_it_is_not_wished)
{
    world w;
    open_world(&w, 0.0, 0.0);
    steps(&w, 3 * PERP_REST_STEPS);
    ck_assert_int_eq(resting(&w), 0);
    close_world(&w);
}
END_TEST

/* Falls on the higher stack: that one is woken, and no other.  All of it ends where it does where
 * nothing ever rests. */
START_TEST(only_what_is_hit_wakes)
{
    world w, awake;
    double at[13 * ALL], there[13 * ALL];
    open_world(&w, 2.0, 2e-7);
    open_world(&awake, 2.0, 0.0);
    settle(&w, BOXES);
    int least = BOXES;
    for (int k = 0; k < 400; k++) {
        steps(&w, 1);
        least = resting(&w) < least ? resting(&w) : least;
    }
    ck_assert_int_eq(least, LOW);
    ck_assert_int_eq(resting(&w), ALL);
    steps(&awake, (int)perp_sim_info(w.sim)->step);
    states(&w, ALL, at);
    states(&awake, ALL, there);
    for (int i = 0; i < 13 * ALL; i++)
        ck_assert_double_eq_tol(at[i], there[i], 1e-7);
    ck_assert_int_eq(verdict_of(w.sim).kind, PERP_VERDICT_VERIFIED);
    close_world(&w);
    close_world(&awake);
}
END_TEST

/* Disturbances of the lower stack, and how many boxes rest after the next step. */
static void push(world *w)
{
    const double F[3] = {1e-3, 0.0, -GRAVITY};
    ck_assert_int_eq(perp_model_set_force(w->s.model, w->s.bodies[0], F), PERP_SOLVED);
}

static void throw(world * w)
{
    double *v;
    state_of(&w->s, 1, &v);
    v[2] = 1.0;
}

static void shift(world *w)
{
    double *v;
    state_of(&w->s, 1, &v)[2] += 1e-6;
    perp_model_changed(w->s.model);
}

static void pull_away(world *w)
{
    ck_assert_int_eq(perp_model_remove_system(w->s.model, w->s.bodies[0]), PERP_SOLVED);
}

static void open_floor(world *w)
{
    ck_assert_int_eq(perp_collider_remove(w->s.collider, w->floor), PERP_SOLVED);
}

static void grease(world *w)
{
    ck_assert_int_eq(perp_collider_set_material(w->s.collider, 0, 0, 0.0, 0.25), PERP_SOLVED);
}

static void put_aside(world *w)
{
    perp_shape_def shape;
    perp_shape_def_init(&shape, sizeof shape);
    shape.kind = PERP_SHAPE_SPHERE;
    shape.radius = 0.5;
    shape.position[0] = -1.4;
    shape.position[2] = 1.0;
    ck_assert_int_eq(perp_collider_add(w->s.collider, &shape, NULL, NULL), PERP_SOLVED);
}

static void join(world *w)
{
    perp_interaction_def def;
    perp_interaction_def_init(&def, sizeof def);
    def.systems = w->s.bodies;
    def.nsystems = 2;
    def.relation.kind = PERP_RELATION_JOINT;
    def.relation.joint = PERP_JOINT_FIXED;
    def.relation.rows = 6;
    def.law = perp_law_equality();
    ck_assert_int_eq(perp_model_add_interaction(w->s.model, &def, NULL, NULL), PERP_SOLVED);
}

static void shorten(world *w)
{
    ck_assert_int_eq(perp_sim_set_h(w->sim, 0.5 * H), PERP_SOLVED);
}

static const struct {
    const char *name;
    void (*disturb)(world *w);
    int left;
} disturbances[] = {
    {"a force", push, HIGH},
    {"a velocity", throw, HIGH},
    {"a position", shift, HIGH},
    {"a support that goes", pull_away, HIGH},
    {"the floor goes", open_floor, 0},
    {"another friction", grease, 0},
    {"a shape that touches", put_aside, HIGH},
    {"a joint", join, HIGH},
    {"another step", shorten, 0},
};

START_TEST(what_is_disturbed_wakes)
{
    world w;
    open_world(&w, 0.0, 2e-7);
    settle(&w, BOXES);
    steps(&w, 3);
    disturbances[_i].disturb(&w);
    steps(&w, 1);
    ck_assert_msg(resting(&w) == disturbances[_i].left, "%s: %d rest", disturbances[_i].name,
                  resting(&w));
    close_world(&w);
}
END_TEST

/* The top box is pushed by a little more than friction holds: it goes with the acceleration of the
 * difference, slow as that is, and never rests. */
START_TEST(what_creeps_does_not_rest)
{
    const double more = 1e-4, F[3] = {0.5 * GRAVITY * (1.0 + more), 0.0, -GRAVITY};
    world w;
    double *v;
    open_world(&w, 0.0, 2e-7);
    ck_assert_int_eq(perp_model_set_force(w.s.model, w.s.bodies[LOW - 1], F), PERP_SOLVED);
    steps(&w, 480);
    double t = perp_sim_time(w.sim), way = state_of(&w.s, LOW - 1, &v)[0];
    ck_assert_double_eq_tol(way, 0.25 * GRAVITY * more * t * t, 0.02 * way);
    ck_assert_int_eq(resting(&w), HIGH);
    close_world(&w);
}
END_TEST

/* Saved while it rests, before it is hit: the same bits to the end. */
START_TEST(a_resumed_run_has_the_same_bits)
{
    world w, other;
    double at[13 * ALL], there[13 * ALL];
    size_t bytes = 0, contact_bytes = 0;
    open_world(&w, 2.0, 2e-7);
    open_world(&other, 2.0, 2e-7);
    settle(&w, BOXES);
    ck_assert_int_eq(perp_sim_save(w.sim, NULL, &bytes), PERP_SOLVED);
    ck_assert_int_eq(perp_collider_save(w.s.collider, NULL, &contact_bytes), PERP_SOLVED);
    void *saved = malloc(bytes), *contacts = malloc(contact_bytes);
    ck_assert_int_eq(perp_sim_save(w.sim, saved, &bytes), PERP_SOLVED);
    ck_assert_int_eq(perp_collider_save(w.s.collider, contacts, &contact_bytes), PERP_SOLVED);
    ck_assert_int_eq(perp_collider_load(other.s.collider, contacts, contact_bytes), PERP_SOLVED);
    ck_assert_int_eq(perp_sim_load(other.sim, saved, bytes), PERP_SOLVED);
    for (int k = 0; k < 400; k++) {
        steps(&w, 1);
        steps(&other, 1);
        ck_assert_int_eq(resting(&w), resting(&other));
        states(&w, ALL, at);
        states(&other, ALL, there);
        ck_assert_mem_eq(at, there, sizeof at);
    }
    free(saved);
    free(contacts);
    close_world(&w);
    close_world(&other);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("rest");
    TCase *tc = tcase_create("rest");
    tcase_add_test(tc, stacks_come_to_rest);
    tcase_add_test(tc, walls_rest_at_loose_tolerances);
    tcase_add_test(tc, what_begins_at_rest_is_solved_to_rest);
    tcase_add_test(tc, nothing_rests_where_it_is_not_wished);
    tcase_add_test(tc, only_what_is_hit_wakes);
    tcase_add_loop_test(tc, what_is_disturbed_wakes, 0,
                        (int)(sizeof disturbances / sizeof disturbances[0]));
    tcase_add_test(tc, what_creeps_does_not_rest);
    tcase_add_test(tc, a_resumed_run_has_the_same_bits);
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
