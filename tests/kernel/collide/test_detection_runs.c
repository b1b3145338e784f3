/* SPDX-License-Identifier: BSD-3-Clause */
/* Simulations whose contacts come from detection: rolling and sliding against closed forms,
 * a pile, checkpoints, memory. */
#include "tests/fixtures/collide_scene.h"
#include "tests/fixtures/solver_choice.h"

typedef struct world {
    scene s;
    perp_sim *sim;
    double g;
} world;

static void open_world(world *w, int n, double e, double mu, const perp_allocator *memory)
{
    memset(w, 0, sizeof *w);
    w->g = 9.81;
    w->s.bodies = calloc((size_t)n, sizeof *w->s.bodies);
    w->s.n = n;
    ck_assert_int_eq(perp_model_create(&w->s.model, memory), PERP_SOLVED);
    ck_assert_int_eq(perp_collider_create(&w->s.collider, w->s.model, memory), PERP_SOLVED);
    perp_collider_set_material(w->s.collider, 0, 0, e, mu);
}

static void begin(world *w, double h, const char *solver, const perp_allocator *memory)
{
    perp_sim_options options;
    perp_settings settings;
    perp_where where;
    perp_sim_options_init(&options, sizeof options);
    perp_settings_init(&settings, sizeof settings);
    options.settings = &settings;
    options.h = h;
    options.on_unsolved = solver ? PERP_UNSOLVED_ACCEPT : PERP_UNSOLVED_STOP;
    options.solver = solver ? choose_solver(solver, &settings) : NULL;
    settings.tol = solver ? 1e-7 : 1e-10;
    ck_assert_int_eq(perp_sim_create(&w->sim, w->s.model, &options, memory, &where), PERP_SOLVED);
    perp_sim_set_before_step(w->sim, perp_collider_step, w->s.collider);
}

static void set_moreau_jean(world *w)
{
    const perp_system_id all = {0, 0};
    perp_scheme scheme;
    ck_assert_int_eq(perp_scheme_init(&scheme, "moreau-jean", sizeof scheme), PERP_SOLVED);
    ck_assert_int_eq(perp_sim_set_scheme(w->sim, all, &scheme), PERP_SOLVED);
}

static void step(world *w, int steps)
{
    for (int k = 0; k < steps; k++) {
        perp_status status = perp_sim_step(w->sim);
        ck_assert_msg(status >= 0, "step %d: %s, %s", k, perp_status_name(status),
                      perp_sim_info(w->sim)->detail);
    }
}

static void close_world(world *w)
{
    perp_sim_destroy(w->sim);
    close_scene(&w->s);
}

static void body(world *w, int i, double mass, double inertia, const double *at, const double *turn)
{
    perp_body_def def;
    perp_body_def_init(&def, sizeof def);
    def.mass = mass;
    for (int k = 0; k < 3; k++) {
        def.inertia[4 * k] = inertia;
        def.position[k] = at[k];
    }
    if (turn)
        perp_quaternion_exp(turn, def.quaternion);
    def.force[2] = -mass * w->g;
    ck_assert_int_eq(perp_model_add_body(w->s.model, &def, &w->s.bodies[i], NULL), PERP_SOLVED);
}

/* A box on an incline, on the vertices of its lowest face.  Rounding opens a gap at the start,
 * so that it may fall in its first step: the slip counts from the tenth. */
static double slide(double angle, double mu, double *speed)
{
    world w;
    double half[3] = {0.5, 0.4, 0.2}, origin[3] = {0, 0, 0}, h = 2e-3;
    double normal[3] = {sin(angle), 0.0, cos(angle)}, turn[3] = {0.0, angle, 0.0}, at[3], start[3];
    open_world(&w, 1, 0.0, mu, NULL);
    for (int k = 0; k < 3; k++)
        at[k] = 0.2 * normal[k];
    body(&w, 0, 2.0, 0.2, at, turn);
    perp_collider_add_box(w.s.collider, w.s.bodies[0], half, NULL, NULL);
    perp_collider_add_plane(w.s.collider, origin, normal, NULL, NULL);
    begin(&w, h, NULL, NULL);
    double *v, *x = state_of(&w.s, 0, &v), square = 0.0, slip = 0.0;
    step(&w, 10);
    memcpy(start, x, sizeof start);
    step(&w, 490);
    ck_assert_int_eq(perp_collider_contacts(w.s.collider), 4);
    for (int k = 0; k < 3; k++) {
        slip += (x[k] - start[k]) * (x[k] - start[k]);
        square += v[k] * v[k];
        ck_assert_double_eq_tol(v[3 + k], 0.0, 1e-6);
    }
    *speed = sqrt(square);
    close_world(&w);
    return sqrt(slip);
}

START_TEST(a_box_sticks_below_the_friction_angle)
{
    double mu = 0.5, speed, t = 1.0, g = 9.81;
    double below = atan(mu) - 0.02, above = atan(mu) + 0.05;
    double slip = slide(below, mu, &speed);
    ck_assert_double_le(speed, 1e-9);
    ck_assert_double_le(slip, 1e-9);
    slide(above, mu, &speed);
    ck_assert_double_eq_tol(speed, t * g * (sin(above) - mu * cos(above)), 1e-5);
}
END_TEST

/* A ball that rolls down: a = 5/7 g sin; it slips where mu < 2/7 tan: g (sin - mu cos). */
START_TEST(a_ball_rolls_and_slips)
{
    double angle = 0.4, g = 9.81;
    for (int round = 0; round < 2; round++) {
        world w;
        double mu = round ? 0.05 : 0.5, r = 0.3, origin[3] = {0, 0, 0};
        double normal[3] = {sin(angle), 0, cos(angle)}, at[3] = {r * normal[0], 0, r * normal[2]};
        open_world(&w, 1, 0.0, mu, NULL);
        body(&w, 0, 2.0, 0.4 * 2.0 * r * r, at, NULL);
        perp_collider_add_sphere(w.s.collider, w.s.bodies[0], r, NULL, NULL, NULL);
        perp_collider_add_plane(w.s.collider, origin, normal, NULL, NULL);
        begin(&w, 1e-3, NULL, NULL);
        step(&w, 1000);
        double *v, want = round ? g * (sin(angle) - mu * cos(angle)) : 5.0 / 7.0 * g * sin(angle);
        state_of(&w.s, 0, &v);
        ck_assert_double_eq_tol(hypot(v[0], v[2]), want, 1e-6);
        ck_assert_double_eq_tol(v[4] * r, round ? 2.5 * mu * g * cos(angle) : want, 1e-6);
        close_world(&w);
    }
}
END_TEST

/* The same for a disc in the plane, centred on its system and not: a = 2/3 g sin. */
START_TEST(a_disc_rolls)
{
    double angle = 0.4, g = 9.81;
    for (int round = 0; round < 2; round++) {
        world w;
        perp_lagrangian_def def;
        double mu = round ? 0.05 : 0.8, r = 0.3, m = 2.0, origin[2] = {0, 0};
        double normal[2] = {sin(angle), cos(angle)}, q[3] = {r * normal[0], r * normal[1], 0.3};
        double M[9] = {m, 0, 0, 0, m, 0, 0, 0, 0.5 * m * r * r}, F[3] = {0, -m * g, 0};
        open_world(&w, 1, 0.0, mu, NULL);
        perp_lagrangian_def_init(&def, sizeof def);
        def.n = 3;
        def.q0 = q;
        def.F = F;
        perp_mat_init_dense(&def.M, 3, 3, M, 3);
        ck_assert_int_eq(perp_model_add_lagrangian(w.s.model, &def, &w.s.bodies[0], NULL),
                         PERP_SOLVED);
        perp_collider_add_disc(w.s.collider, w.s.bodies[0], r, NULL, NULL, NULL);
        perp_collider_add_line(w.s.collider, origin, normal, NULL, NULL);
        begin(&w, 1e-3, NULL, NULL);
        step(&w, 1000);
        double *v, want = round ? g * (sin(angle) - mu * cos(angle)) : 2.0 / 3.0 * g * sin(angle);
        state_of(&w.s, 0, &v);
        ck_assert_double_eq_tol(hypot(v[0], v[1]), want, 1e-6);
        ck_assert_double_eq_tol(-v[2] * r, round ? 2.0 * mu * g * cos(angle) : want, 1e-6);
        close_world(&w);
    }
}
END_TEST

/* Balls dropped into a box without a lid. */
static void pile(world *w, int n, const perp_allocator *memory)
{
    perp_rng rng = {77};
    double corner[2][3] = {{-0.5, -0.5, 0.0}, {0.5, 0.5, 0.0}};
    open_world(w, n, 0.1, 0.4, memory);
    for (int side = 0; side < 2; side++)
        for (int axis = 0; axis < 3 - side; axis++) {
            double normal[3] = {0, 0, 0};
            normal[axis] = side ? -1.0 : 1.0;
            perp_collider_add_plane(w->s.collider, corner[side], normal, NULL, NULL);
        }
    for (int i = 0; i < n; i++) {
        double r = between(&rng, 0.08, 0.12);
        double at[3] = {-0.375 + 0.25 * (i % 4), -0.375 + 0.25 * (i / 4 % 4),
                        0.15 + 0.25 * (i / 16)};
        at[0] += between(&rng, -0.01, 0.01);
        body(w, i, 1.0, 0.4 * r * r, at, NULL);
        perp_collider_add_sphere(w->s.collider, w->s.bodies[i], r, NULL, NULL, NULL);
    }
    begin(w, 2.5e-3, "gs", memory);
    set_moreau_jean(w);
}

START_TEST(a_pile_settles)
{
    enum { N = 48 };
    world w;
    ledger l = {0, 0, 0};
    perp_allocator memory = {ledger_allocate, ledger_release, &l};
    pile(&w, N, &memory);
    double energy = 0.0, most = 0.0;
    step(&w, 900);
    long calls = l.calls;
    for (int k = 0; k < 600; k++) {
        step(&w, 1);
        most = fmax(most, perp_sim_info(w.sim)->violation);
    }
    ck_assert_int_eq(l.calls, calls);
    for (int i = 0; i < N; i++) {
        double e, *x = state_of(&w.s, i, NULL);
        ck_assert_double_gt(x[2], 0.05);
        ck_assert_double_lt(fmax(fabs(x[0]), fabs(x[1])), 0.45);
        perp_model_kinetic_energy(w.s.model, w.s.bodies[i], 0.0, &e);
        energy += e;
    }
    ck_assert_double_lt(energy, 1e-3 * N);
    ck_assert_double_lt(most, 5e-3);
    ck_assert_int_gt(perp_sim_info(w.sim)->active, N);
    close_world(&w);
    ck_assert_int_eq(l.alive, 0);
}
END_TEST

START_TEST(a_run_continues_bit_for_bit)
{
    enum { N = 32 };
    world a, b;
    pile(&a, N, NULL);
    step(&a, 220);
    size_t bytes[2] = {0, 0};
    perp_collider_save(a.s.collider, NULL, &bytes[0]);
    perp_sim_save(a.sim, NULL, &bytes[1]);
    char *contacts = malloc(bytes[0]), *state = malloc(bytes[1]);
    ck_assert_int_eq(perp_collider_save(a.s.collider, contacts, &bytes[0]), PERP_SOLVED);
    ck_assert_int_eq(perp_sim_save(a.sim, state, &bytes[1]), PERP_SOLVED);
    pile(&b, N, NULL);
    ck_assert_int_eq(perp_collider_load(b.s.collider, contacts, bytes[0]), PERP_SOLVED);
    ck_assert_int_eq(perp_sim_load(b.sim, state, bytes[1]), PERP_SOLVED);
    for (int k = 0; k < 10; k++) {
        step(&a, 20);
        step(&b, 20);
        for (int i = 0; i < N; i++) {
            double *v, *w, *x = state_of(&a.s, i, &v), *y = state_of(&b.s, i, &w);
            ck_assert_mem_eq(x, y, 7 * sizeof(double));
            ck_assert_mem_eq(v, w, 6 * sizeof(double));
        }
    }
    free(contacts);
    free(state);
    close_world(&a);
    close_world(&b);
}
END_TEST

/* Boxes at rest on an incline, four contacts each.  The impulses of a step are those of the last,
 * and no solver needs more than a look at them. */
START_TEST(boxes_at_rest_take_no_iteration)
{
    static const char *const solvers[] = {"auto", "gs", "prox prox_newton=single", NULL};
    enum { N = 12 };
    world w;
    double half[3] = {0.3, 0.25, 0.1}, origin[3] = {0, 0, 0}, angle = 0.3;
    double normal[3] = {sin(angle), 0.0, cos(angle)}, turn[3] = {0.0, angle, 0.0};
    open_world(&w, N, 0.0, 0.5, NULL);
    for (int i = 0; i < N; i++) {
        double at[3] = {0.0999 * normal[0], 1.0 * i, 0.0999 * normal[2]};
        body(&w, i, 1.0 + i, 0.02, at, turn);
        perp_collider_add_box(w.s.collider, w.s.bodies[i], half, NULL, NULL);
    }
    perp_collider_add_plane(w.s.collider, origin, normal, NULL, NULL);
    begin(&w, 2e-3, solvers[_i], NULL);
    perp_scheme scheme;
    perp_scheme_init(&scheme, "discrete-gradient", sizeof scheme);
    scheme.rest = 0.0; /* solved again in each step */
    ck_assert_int_eq(perp_sim_set_scheme(w.sim, (perp_system_id){0, 0}, &scheme), PERP_SOLVED);
    step(&w, 20);
    for (int k = 0; k < 50; k++) {
        step(&w, 1);
        const perp_step_info *info = perp_sim_info(w.sim);
        ck_assert_int_eq(info->status, PERP_SOLVED);
        ck_assert_int_eq(info->rows, 3 * 4 * N);
        ck_assert_int_le(info->solver->iterations, 1);
    }
    close_world(&w);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("collide_sim");
    TCase *tcase = tcase_create("collide_sim");
    tcase_set_timeout(tcase, 300); /* at -O0 */
    tcase_add_test(tcase, a_box_sticks_below_the_friction_angle);
    tcase_add_test(tcase, a_ball_rolls_and_slips);
    tcase_add_test(tcase, a_disc_rolls);
    tcase_add_loop_test(tcase, boxes_at_rest_take_no_iteration, 0, 4);
    tcase_add_test(tcase, a_pile_settles);
    tcase_add_test(tcase, a_run_continues_bit_for_bit);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
