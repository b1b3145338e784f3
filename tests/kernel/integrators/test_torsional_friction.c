/* SPDX-License-Identifier: BSD-3-Clause */
/* Torsional friction of contacts: a spinning ball against its closed form, bodies that press on
 * each other, moments below and above the largest, energies and work, contacts as data, laws of
 * pairs, refusals. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perp/kernel.h>
#include <perp/verdict.h>

static const double g = 9.81, r = 0.2, mass = 3.0, h = 2e-3, spin_inertia = 0.4 * 3.0 * 0.2 * 0.2;
static const char *const schemes[] = {"discrete-gradient", "moreau-jean"};

typedef struct world {
    perp_model *model;
    perp_sim *sim;
    perp_collider *collider;
    perp_system_id body[2];
    double *x[2], *v[2];
    int bodies;
} world;

static void open_world(world *w, const perp_law *law)
{
    memset(w, 0, sizeof *w);
    ck_assert_int_eq(perp_model_create(&w->model, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_collider_create(&w->collider, w->model, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_collider_set_law(w->collider, 0, 0, law), PERP_SOLVED);
}

static void add_ball(world *w, const double *position, const double *force, const double *moment)
{
    int k = w->bodies++;
    perp_body_def def;
    perp_body_def_init(&def, sizeof def);
    def.mass = mass;
    for (int i = 0; i < 3; i++) {
        def.inertia[4 * i] = spin_inertia;
        def.position[i] = position[i];
        def.force[i] = force[i];
        def.moment[i] = moment ? moment[i] : 0.0;
    }
    ck_assert_int_eq(perp_model_add_body(w->model, &def, &w->body[k], NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_collider_add_sphere(w->collider, w->body[k], r, NULL, NULL, NULL),
                     PERP_SOLVED);
    ck_assert_int_eq(perp_model_state(w->model, w->body[k], &w->x[k], &w->v[k], NULL, NULL),
                     PERP_SOLVED);
}

/* A ball on the plane z = 0, with a moment about the vertical. */
static void ball_on_plane(world *w, double mu, double mu_s, double moment)
{
    static const double zero[3] = {0.0}, up[3] = {0.0, 0.0, 1.0};
    perp_law law = perp_law_torsion(0.0, mu, mu_s);
    open_world(w, &law);
    ck_assert_int_eq(perp_collider_add_plane(w->collider, zero, up, NULL, NULL), PERP_SOLVED);
    add_ball(w, (double[]){0.0, 0.0, r}, (double[]){0.0, 0.0, -mass * g},
             (double[]){0.0, 0.0, moment});
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
    perp_sim_set_before_step(w->sim, perp_collider_step, w->collider);
}

static void close_world(world *w)
{
    perp_sim_destroy(w->sim);
    perp_collider_destroy(w->collider);
    perp_model_destroy(w->model);
}

static perp_contact_info contact_of(const world *w)
{
    perp_contact_info info = {.size = sizeof info};
    ck_assert_int_eq(perp_collider_contact(w->collider, 0, &info), PERP_SOLVED);
    return info;
}

static void not_refuted(const world *w)
{
    perp_verdict v;
    ck_assert_int_eq(perp_sim_verdict(w->sim, &v, sizeof v), PERP_SOLVED);
    ck_assert_msg(v.kind != PERP_VERDICT_NOT_VERIFIED, "%s", v.first);
}

/* w' = - mu_s m g / I until it rests at I w_0 / (mu_s m g). */
START_TEST(spins_down)
{
    double mu_s = 0.01, first = _i / 2 ? -5.0 : 5.0, slow = mu_s * mass * g / spin_inertia;
    double stop = fabs(first) / slow, energy = 0.5 * spin_inertia * first * first, before = first;
    world w;
    ball_on_plane(&w, 0.6, mu_s, 0.0);
    w.v[0][5] = first;
    start(&w, schemes[_i % 2]);
    for (int k = 0; k < 600; k++) {
        ck_assert_int_eq(perp_sim_step(w.sim), PERP_SOLVED);
        double t = perp_sim_time(w.sim), now = w.v[0][5];
        ck_assert_double_eq_tol(now, copysign(fmax(fabs(first) - slow * t, 0.0), first),
                                t < stop - h || t > stop + h ? 1e-9 : slow * h);
        ck_assert_double_le(0.5 * spin_inertia * now * now, energy + 1e-13);
        perp_contact_info info = contact_of(&w);
        double work = info.moment[2] * 0.5 * (now + before);
        ck_assert_double_le(work, 1e-13);
        ck_assert_double_eq_tol(0.5 * spin_inertia * now * now - energy, work, 1e-12);
        ck_assert_double_le(fabs(info.moment[2]), mu_s * info.impulse[2] * (1.0 + 1e-12));
        ck_assert_double_eq(info.mu_s, mu_s);
        if (t < stop - h) {
            ck_assert_int_eq(info.state, PERP_CONTACT_SPINNING);
            ck_assert_double_eq_tol(info.moment[2], -copysign(mu_s * mass * g * h, first), 1e-10);
        } else if (t > stop + 2.0 * h) {
            ck_assert_int_eq(info.state, PERP_CONTACT_STICKING);
        }
        energy = 0.5 * spin_inertia * now * now;
        before = now;
    }
    ck_assert_double_eq_tol(w.v[0][5], 0.0, 1e-12);
    ck_assert_double_eq_tol(w.x[0][0], 0.0, 1e-12);
    not_refuted(&w);
    close_world(&w);
}
END_TEST

/* It stays below the largest moment, else what is left turns it. */
START_TEST(under_a_moment)
{
    int turns = _i / 2;
    double mu_s = 0.02, most = mu_s * mass * g, moment = (turns ? 1.5 : 0.9) * most;
    world w;
    ball_on_plane(&w, 0.7, mu_s, moment);
    start(&w, schemes[_i % 2]);
    ck_assert_int_eq(perp_sim_run(w.sim, 1.0), PERP_SOLVED);
    double rate = turns ? (moment - most) / spin_inertia : 0.0;
    ck_assert_double_eq_tol(w.v[0][5], rate, 1e-9);
    perp_contact_info info = contact_of(&w);
    ck_assert_int_eq(info.state, turns ? PERP_CONTACT_SPINNING : PERP_CONTACT_STICKING);
    ck_assert_double_eq_tol(info.moment[2], -(turns ? most : moment) * h, 1e-10);
    not_refuted(&w);
    close_world(&w);
}
END_TEST

/* Slip and spin do not know of each other: mu g / until it rolls, and mu_s. */
START_TEST(slides_and_spins)
{
    double mu = 0.1, mu_s = 0.004, speed = 1.4, first = 6.0;
    double slow = mu_s * mass * g / spin_inertia, rolls = 2.0 * speed / (7.0 * mu * g);
    world w;
    ball_on_plane(&w, mu, mu_s, 0.0);
    w.v[0][0] = speed;
    w.v[0][5] = first;
    start(&w, schemes[_i]);
    while (perp_sim_time(w.sim) < 1.0 - 0.5 * h) {
        ck_assert_int_eq(perp_sim_step(w.sim), PERP_SOLVED);
        double t = perp_sim_time(w.sim), left = speed - mu * g * t, R[3];
        perp_quaternion_rotate(w.x[0] + 3, w.v[0] + 3, R);
        ck_assert_double_eq_tol(w.v[0][0], fmax(left, speed / 1.4), 2.0 * mu * g * h);
        ck_assert_double_eq_tol(R[2], first - slow * t, 25.0 * h * h); /* of second order */
        perp_contact_info info = contact_of(&w);
        if (fabs(t - rolls) > 2.0 * h)
            ck_assert_int_eq(info.state, t < rolls ? PERP_CONTACT_SLIDING : PERP_CONTACT_ROLLING);
    }
    not_refuted(&w);
    close_world(&w);
}
END_TEST

/* Two balls pressed together by a force along x: the sum of their spins stays, the difference falls
 * by 2 mu_s F / I. */
START_TEST(between_bodies)
{
    double mu_s = 0.01, force = 20.0, slow = 2.0 * mu_s * force / spin_inertia;
    perp_law law = perp_law_torsion(0.0, 0.5, mu_s);
    world w;
    open_world(&w, &law);
    add_ball(&w, (double[]){-r, 0.0, 0.0}, (double[]){force, 0.0, 0.0}, NULL);
    add_ball(&w, (double[]){r, 0.0, 0.0}, (double[]){-force, 0.0, 0.0}, NULL);
    w.v[0][3] = 5.0;
    w.v[1][3] = 1.0;
    start(&w, schemes[_i]);
    for (int k = 0; k < 400; k++) {
        ck_assert_int_eq(perp_sim_step(w.sim), PERP_SOLVED);
        double t = perp_sim_time(w.sim), left = fmax(4.0 - slow * t, 0.0);
        int near = fabs(t - 4.0 / slow) <= h;
        ck_assert_double_eq_tol(w.v[0][3] + w.v[1][3], 6.0, 1e-11);
        ck_assert_double_eq_tol(w.v[0][3] - w.v[1][3], left, near ? slow * h : 1e-9);
    }
    ck_assert_double_eq_tol(w.v[0][3], 3.0, 1e-11);
    not_refuted(&w);
    close_world(&w);
}
END_TEST

/* A surface that spins takes the ball along: w' = mu_s m g / I until both turn at one rate. */
START_TEST(on_a_turntable)
{
    static const double zero[3] = {0.0}, up[3] = {0.0, 0.0, 1.0}, spin[3] = {0.0, 0.0, 3.0};
    double mu_s = 0.01, fast = mu_s * mass * g / spin_inertia;
    perp_law law = perp_law_torsion(0.0, 0.5, mu_s);
    perp_shape_id table;
    world w;
    open_world(&w, &law);
    ck_assert_int_eq(perp_collider_add_plane(w.collider, zero, up, &table, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_collider_set_surface(w.collider, table, NULL, spin), PERP_SOLVED);
    add_ball(&w, (double[]){0.0, 0.0, r}, (double[]){0.0, 0.0, -mass * g}, NULL);
    start(&w, schemes[_i]);
    for (int k = 0; k < 400; k++) {
        ck_assert_int_eq(perp_sim_step(w.sim), PERP_SOLVED);
        double t = perp_sim_time(w.sim);
        int near = fabs(t - 3.0 / fast) <= h;
        ck_assert_double_eq_tol(w.v[0][5], fmin(fast * t, 3.0), near ? fast * h : 1e-9);
        if (!near)
            ck_assert_int_eq(contact_of(&w).state,
                             t * fast < 3.0 ? PERP_CONTACT_SPINNING : PERP_CONTACT_STICKING);
    }
    not_refuted(&w);
    close_world(&w);
}
END_TEST

START_TEST(laws_of_pairs)
{
    perp_law law = perp_law_torsion(0.0, 0.5, 0.02), found;
    world w;
    ball_on_plane(&w, 0.5, 0.02, 0.0);
    perp_collider *c = w.collider;
    ck_assert_int_eq(perp_collider_set_torsion(c, 1, 0.08), PERP_ERR_STATE);
    ck_assert_int_eq(perp_collider_set_coefficients(c, 1, 0.1, 0.5, 0.0), PERP_SOLVED);
    ck_assert_int_eq(perp_collider_pair_law(c, 1, 1, 0, &found), PERP_SOLVED);
    ck_assert(found.dim == 3 && found.mu_s == 0.0);
    ck_assert_int_eq(perp_collider_set_torsion(c, 1, 0.08), PERP_SOLVED);
    ck_assert_int_eq(perp_collider_pair_law(c, 0, 1, 0, &found), PERP_SOLVED);
    ck_assert_int_eq(found.dim, 4);
    ck_assert_double_eq_tol(found.mu_s, 0.04, 1e-15);
    ck_assert_double_eq(found.mu, 0.5);
    ck_assert_double_eq(found.e, 0.1);
    ck_assert_int_eq(perp_collider_set_torsion_combination(c, PERP_COMBINE_MAXIMUM), PERP_SOLVED);
    ck_assert_int_eq(perp_collider_pair_law(c, 0, 1, 0, &found), PERP_SOLVED);
    ck_assert_double_eq(found.mu_s, 0.08);
    /* In the plane nothing turns about a normal. */
    ck_assert_int_eq(perp_collider_pair_law(c, 0, 1, 1, &found), PERP_SOLVED);
    ck_assert(found.dim == 2 && found.mu_s == 0.0);
    ck_assert_int_eq(perp_collider_pair_law(c, 0, 0, 1, &found), PERP_SOLVED);
    ck_assert(found.dim == 2 && found.mu_s == 0.0);
    /* A material with rolling friction beside one with torsional friction. */
    ck_assert_int_eq(perp_collider_set_coefficients(c, 2, 0.0, 0.5, 0.01), PERP_SOLVED);
    ck_assert_int_eq(perp_collider_pair_law(c, 2, 2, 0, &found), PERP_SOLVED);
    ck_assert_int_eq(found.dim, 5);
    ck_assert_int_eq(perp_collider_set_combination(c, PERP_COMBINE_MAXIMUM, PERP_COMBINE_MAXIMUM,
                                                   PERP_COMBINE_MAXIMUM),
                     PERP_SOLVED);
    ck_assert_int_eq(perp_collider_pair_law(c, 1, 2, 0, &found), PERP_SOLVED);
    ck_assert(found.dim == 6 && found.mu_r == 0.01 && found.mu_s == 0.08);
    ck_assert_int_eq(perp_collider_pair_law(c, 1, 2, 1, &found), PERP_SOLVED);
    ck_assert(found.dim == 3 && found.mu_r == 0.01 && found.mu_s == 0.0);
    ck_assert_int_eq(perp_collider_set_law(c, 1, 2, &law), PERP_SOLVED);
    ck_assert_int_eq(perp_collider_pair_law(c, 1, 2, 0, &found), PERP_SOLVED);
    ck_assert_int_eq(perp_collider_set_torsion(c, 1, -1.0), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_collider_set_torsion(c, 1, NAN), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_collider_set_torsion_combination(c, (perp_combination)9),
                     PERP_ERR_ARGUMENT);
    start(&w, schemes[0]);
    close_world(&w);
}
END_TEST

static int no_contact(perp_contact_point *point, double t, const double *q_a, const double *q_b,
                      const double *z, void *user)
{
    (void)point, (void)t, (void)q_a, (void)q_b, (void)z, (void)user;
    return 1;
}

/* Rows of a relation CONTACT are those of its law. */
START_TEST(rows_of_relations)
{
    const struct {
        perp_law law;
        int rows;
        perp_status status;
    } cases[] = {{perp_law_torsion(0.0, 0.5, 0.01), 4, PERP_SOLVED},
                 {perp_law_torsion(0.0, 0.5, 0.01), 3, PERP_ERR_ARGUMENT},
                 {perp_law_torsion(0.0, 0.5, 0.01), 5, PERP_ERR_ARGUMENT},
                 {perp_law_torsion(0.0, 0.5, 0.01), 8, PERP_ERR_ARGUMENT},
                 {perp_law_rolling(5, 0.0, 0.5, 0.01), 5, PERP_SOLVED},
                 {perp_law_rolling(5, 0.0, 0.5, 0.01), 4, PERP_ERR_ARGUMENT},
                 {perp_law_rolling(3, 0.0, 0.5, 0.01), 3, PERP_ERR_ARGUMENT},
                 {perp_law_friction(3, 0.0, 0.5), 3, PERP_SOLVED},
                 {perp_law_friction(2, 0.0, 0.5), 4, PERP_ERR_ARGUMENT},
                 {perp_law_impact(0.0), 4, PERP_ERR_ARGUMENT}};
    world w;
    ball_on_plane(&w, 0.5, 0.01, 0.0);
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        perp_interaction_def def;
        perp_interaction_id id;
        perp_interaction_def_init(&def, sizeof def);
        def.systems = w.body;
        def.nsystems = 1;
        def.law = cases[k].law;
        def.relation.kind = PERP_RELATION_CONTACT;
        def.relation.rows = cases[k].rows;
        def.relation.contact = no_contact;
        ck_assert_msg(perp_model_add_interaction(w.model, &def, &id, NULL) == cases[k].status,
                      "case %zu", k);
        perp_law law = perp_law_rolling(3, 0.0, 0.5, 0.01);
        if (cases[k].status == PERP_SOLVED)
            ck_assert_int_eq(perp_model_set_law(w.model, id, &law), PERP_ERR_ARGUMENT);
    }
    close_world(&w);
}
END_TEST

START_TEST(what_is_refused)
{
    static const char *const others[] = {"generalized-alpha", "event-driven", "event-capturing-rk"};
    perp_law law = perp_law_torsion(0.0, 0.5, 0.0);
    world w;
    ball_on_plane(&w, 0.5, 0.01, 0.0);
    ck_assert_int_eq(perp_collider_set_law(w.collider, 0, 0, &law), PERP_ERR_ARGUMENT);
    law = perp_law_torsion(0.0, 0.5, -0.1);
    ck_assert_int_eq(perp_collider_set_law(w.collider, 0, 0, &law), PERP_ERR_ARGUMENT);
    law = perp_law_torsion(0.0, 0.5, INFINITY);
    ck_assert_int_eq(perp_collider_set_law(w.collider, 0, 0, &law), PERP_ERR_ARGUMENT);
    law = perp_law_torsion(0.0, 0.5, 0.1);
    law.mu_r = 0.1;
    ck_assert_int_eq(perp_collider_set_law(w.collider, 0, 0, &law), PERP_ERR_ARGUMENT);
    law = perp_law_torsion(0.0, 0.5, 0.1);
    law.dim = 5;
    ck_assert_int_eq(perp_collider_set_law(w.collider, 0, 0, &law), PERP_ERR_ARGUMENT);
    law = perp_law_torsion(0.0, 0.5, 0.1);
    law.e_t = 0.1;
    ck_assert_int_eq(perp_collider_set_law(w.collider, 0, 0, &law), PERP_ERR_ARGUMENT);
    law.e_t = 0.0;
    law.stiffness = 1e3;
    ck_assert_int_eq(perp_collider_set_law(w.collider, 0, 0, &law), PERP_ERR_ARGUMENT);
    start(&w, others[_i]);
    ck_assert_int_eq(perp_sim_step(w.sim), PERP_ERR_UNSUPPORTED);
    ck_assert_msg(strstr(perp_sim_info(w.sim)->detail, "torsional") != NULL, "%s",
                  perp_sim_info(w.sim)->detail);
    close_world(&w);
}
END_TEST

START_TEST(states_by_laws)
{
    const double normal[3] = {0, 0, 1}, still[3] = {0}, across[3] = {3, 4, 0}, along[3] = {0, 0, 2};
    const double rest[4] = {0}, turns[4] = {0, 0, 0, 2};
    perp_law law = perp_law_rolling(4, 0.0, 0.5, 0.0), slips = perp_law_friction(3, 0.0, 0.5);
    perp_law plane = perp_law_friction(2, 0.0, 0.5), smooth = perp_law_impact(0.0);
    law.mu_s = 0.1;
    const struct {
        const perp_law *law;
        const double *u, *spin;
        double lambda[4];
        perp_contact_state state;
    } c[] = {
        {&smooth, rest, still, {0.0}, PERP_CONTACT_OPEN},
        {&smooth, rest, still, {1.0}, PERP_CONTACT_SLIDING},
        {&plane, rest, still, {2.0, -1.0}, PERP_CONTACT_SLIDING},
        {&plane, rest, still, {2.0, 0.9}, PERP_CONTACT_STICKING},
        {&slips, rest, still, {2.0, 0.6, 0.8}, PERP_CONTACT_SLIDING},
        {&slips, rest, across, {2.0, 0.6, 0.7}, PERP_CONTACT_ROLLING},
        {&slips, rest, along, {2.0, 0.6, 0.7}, PERP_CONTACT_STICKING},
        {&law, turns, along, {2.0, 0.0, 0.0, -0.2}, PERP_CONTACT_SPINNING},
        {&law, rest, still, {2.0, 0.0, 0.0, -0.2}, PERP_CONTACT_STICKING},
        {&law, turns, along, {2.0, 0.0, 0.0, -0.1}, PERP_CONTACT_STICKING},
        {&law, turns, across, {2.0, 0.0, 0.0, -0.2}, PERP_CONTACT_ROLLING},
        {&law, turns, along, {NAN}, PERP_CONTACT_OPEN},
    };
    for (size_t k = 0; k < sizeof c / sizeof *c; k++)
        ck_assert_int_eq(perp_contact_state_of(c[k].law, c[k].u, c[k].lambda, normal, c[k].spin, h),
                         c[k].state);
    ck_assert_int_eq(perp_contact_state_of(NULL, rest, turns, normal, still, h), PERP_CONTACT_OPEN);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("torsional friction");
    TCase *tcase = tcase_create("torsional friction");
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, spins_down, 0, 4);
    tcase_add_loop_test(tcase, under_a_moment, 0, 4);
    tcase_add_loop_test(tcase, slides_and_spins, 0, 2);
    tcase_add_loop_test(tcase, between_bodies, 0, 2);
    tcase_add_loop_test(tcase, on_a_turntable, 0, 2);
    tcase_add_test(tcase, laws_of_pairs);
    tcase_add_test(tcase, rows_of_relations);
    tcase_add_loop_test(tcase, what_is_refused, 0, 3);
    tcase_add_test(tcase, states_by_laws);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
