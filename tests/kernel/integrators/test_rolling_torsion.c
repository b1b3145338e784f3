/* SPDX-License-Identifier: BSD-3-Clause */
/* Contacts with rolling and torsional friction at once: a ball that rolls and spins against its
 * closed forms, each of the two below and above its largest moment, energies, contacts as data,
 * laws of pairs, and what is refused. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perp/kernel.h>
#include <perp/verdict.h>

#include "core/rng.h"
#include "kernel/certificate/certificate.h"
#include "sets/set.h"

static const double g = 9.81, r = 0.2, mass = 3.0, h = 2e-3, inertia = 0.4 * 3.0 * 0.2 * 0.2;
static const char *const schemes[] = {"discrete-gradient", "moreau-jean"};

typedef struct world {
    perp_model *model;
    perp_sim *sim;
    perp_collider *collider;
    perp_system_id body;
    double *x, *v;
} world;

/* A ball on the plane z = 0, the weight tilted towards x, with a moment about z of the world. */
static void open_world(world *w, double mu_r, double mu_s, double tilt, double moment)
{
    static const double zero[3] = {0.0}, up[3] = {0.0, 0.0, 1.0};
    perp_law law = perp_law_rolling_torsion(0.0, 0.7, mu_r, mu_s);
    perp_body_def def;
    memset(w, 0, sizeof *w);
    ck_assert_int_eq(perp_model_create(&w->model, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_collider_create(&w->collider, w->model, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_collider_set_law(w->collider, 0, 0, &law), PERP_SOLVED);
    ck_assert_int_eq(perp_collider_add_plane(w->collider, zero, up, NULL, NULL), PERP_SOLVED);
    perp_body_def_init(&def, sizeof def);
    def.mass = mass;
    for (int k = 0; k < 3; k++)
        def.inertia[4 * k] = inertia;
    def.position[2] = r;
    def.force[0] = mass * g * sin(tilt);
    def.force[2] = -mass * g * cos(tilt);
    def.moment[2] = moment;
    def.moment_frame = PERP_INERTIAL;
    ck_assert_int_eq(perp_model_add_body(w->model, &def, &w->body, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_collider_add_sphere(w->collider, w->body, r, NULL, NULL, NULL),
                     PERP_SOLVED);
    ck_assert_int_eq(perp_model_state(w->model, w->body, &w->x, &w->v, NULL, NULL), PERP_SOLVED);
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

/* The angular velocity in the world. */
static void turning(const world *w, double *spin)
{
    perp_quaternion_rotate(w->x + 3, w->v + 3, spin);
}

static void not_refuted(const world *w)
{
    perp_verdict v;
    ck_assert_int_eq(perp_sim_verdict(w->sim, &v, sizeof v), PERP_SOLVED);
    ck_assert_msg(v.kind != PERP_VERDICT_NOT_VERIFIED, "%s", v.first);
}

/* v' = -mu_r g / (r (1 + 2/5)) and w_z' = -mu_s m g / I, each until it rests, whichever is first.
 */
START_TEST(rolls_and_spins)
{
    int spins_longer = _i / 2;
    double mu_r = 0.01, mu_s = spins_longer ? 0.004 : 0.016, speed = 0.6, first = -6.0;
    double slow = mu_r * g / (1.4 * r), brake = mu_s * mass * g / inertia;
    double stops = speed / slow, rests = fabs(first) / brake, energy = HUGE_VAL;
    world w;
    ck_assert_int_eq(stops < rests, spins_longer);
    open_world(&w, mu_r, mu_s, 0.0, 0.0);
    w.v[0] = speed;
    w.v[4] = speed / r;
    w.v[5] = first;
    start(&w, schemes[_i % 2]);
    while (perp_sim_time(w.sim) < 2.6) {
        ck_assert_int_eq(perp_sim_step(w.sim), PERP_SOLVED);
        double t = perp_sim_time(w.sim), spin[3], now;
        perp_contact_info info = {.size = sizeof info};
        turning(&w, spin);
        now = 0.5 * mass * (w.v[0] * w.v[0] + w.v[1] * w.v[1]);
        for (int k = 0; k < 3; k++)
            now += 0.5 * inertia * spin[k] * spin[k];
        ck_assert_double_le(now, energy + 1e-12);
        energy = now;
        /* Of second order; across, and where one of the two stops, of first. */
        ck_assert_double_eq_tol(w.v[0], fmax(speed - slow * t, 0.0),
                                fabs(t - stops) > h ? 1e-5 : slow * h);
        ck_assert_double_eq_tol(w.v[1], 0.0, 1e-3);
        ck_assert_double_eq_tol(spin[2], fmin(first + brake * t, 0.0),
                                fabs(t - rests) > h ? 1e-4 : brake * h);
        ck_assert_int_eq(perp_collider_contact(w.collider, 0, &info), PERP_SOLVED);
        ck_assert(info.mu_r == mu_r && info.mu_s == mu_s);
        int rolling = t < stops - 2.0 * h, turns = t < rests - 2.0 * h;
        if (rolling) {
            ck_assert_int_eq(info.state, PERP_CONTACT_ROLLING);
            ck_assert_double_eq_tol(info.moment[1], -mu_r * mass * g * h, 1e-5 * h);
        } else if (t > stops + 2.0 * h) {
            ck_assert_int_eq(info.state, turns                 ? PERP_CONTACT_SPINNING
                                         : t > rests + 2.0 * h ? PERP_CONTACT_STICKING
                                                               : info.state);
        }
        if (turns)
            ck_assert_double_eq_tol(info.moment[2], mu_s * mass * g * h, 1e-5 * h);
    }
    ck_assert_double_eq_tol(w.v[0], 0.0, 1e-9);
    ck_assert_double_eq_tol(w.v[5], 0.0, 1e-9);
    ck_assert_double_eq_tol(w.x[0], 0.5 * speed * stops, 2e-3);
    not_refuted(&w);
    close_world(&w);
}
END_TEST

/* A slope and a moment about the normal, each below or above what the contact bears: neither knows
 * of the other. */
START_TEST(each_has_its_bound)
{
    int rolls = _i & 1, turns = _i >> 1 & 1;
    double mu_r = 0.02, mu_s = 0.015, tilt = atan(mu_r / r) * (rolls ? 1.5 : 0.9);
    double most = mu_s * mass * g * cos(tilt), moment = (turns ? 1.5 : 0.9) * most, spin[3];
    world w;
    open_world(&w, mu_r, mu_s, tilt, moment);
    start(&w, schemes[_i >> 2 & 1]);
    ck_assert_int_eq(perp_sim_run(w.sim, 0.5), PERP_SOLVED);
    double rate = rolls ? (g * sin(tilt) - mu_r / r * g * cos(tilt)) / 1.4 : 0.0;
    turning(&w, spin);
    ck_assert_double_eq_tol(w.v[0], 0.5 * rate, 1e-4);
    ck_assert_double_eq_tol(spin[2], turns ? 0.5 * (moment - most) / inertia : 0.0, 1e-3);
    not_refuted(&w);
    close_world(&w);
}
END_TEST

/* A ball that spins alone, or rolls alone, is that of the law with the one coefficient. */
START_TEST(alone_as_before)
{
    int rolls = _i / 2;
    double end[2];
    for (int both = 0; both < 2; both++) {
        world w;
        open_world(&w, 0.01, 0.01, 0.0, 0.0);
        perp_law law =
            rolls ? perp_law_rolling(5, 0.0, 0.7, 0.01) : perp_law_torsion(0.0, 0.7, 0.01);
        if (!both)
            ck_assert_int_eq(perp_collider_set_law(w.collider, 0, 0, &law), PERP_SOLVED);
        w.v[0] = rolls ? 0.6 : 0.0;
        w.v[4] = rolls ? 3.0 : 0.0;
        w.v[5] = rolls ? 0.0 : 5.0;
        start(&w, schemes[_i % 2]);
        ck_assert_int_eq(perp_sim_run(w.sim, 0.2), PERP_SOLVED);
        end[both] = rolls ? w.v[0] : w.v[5];
        close_world(&w);
    }
    ck_assert_double_eq_tol(end[0], end[1], 1e-11);
    ck_assert_double_lt(end[0], rolls ? 0.6 : 5.0);
}
END_TEST

START_TEST(laws_of_pairs)
{
    perp_law found;
    world w;
    open_world(&w, 0.01, 0.02, 0.0, 0.0);
    perp_collider *c = w.collider;
    ck_assert_int_eq(perp_collider_pair_law(c, 0, 0, 0, &found), PERP_SOLVED);
    ck_assert(found.dim == 6 && found.mu_r == 0.01 && found.mu_s == 0.02);
    /* In the plane nothing turns about a normal. */
    ck_assert_int_eq(perp_collider_pair_law(c, 0, 0, 1, &found), PERP_SOLVED);
    ck_assert(found.dim == 3 && found.mu_r == 0.01 && found.mu_s == 0.0);
    ck_assert_int_eq(perp_collider_set_coefficients(c, 1, 0.0, 0.5, 0.04), PERP_SOLVED);
    ck_assert_int_eq(perp_collider_set_torsion(c, 1, 0.08), PERP_SOLVED);
    ck_assert_int_eq(perp_collider_pair_law(c, 1, 0, 0, &found), PERP_SOLVED);
    ck_assert_int_eq(found.dim, 6);
    ck_assert_double_eq_tol(found.mu_r, 0.02, 1e-15);
    ck_assert_double_eq_tol(found.mu_s, 0.04, 1e-15);
    /* One that only rolls beside one that is only braked about the normal: by the rules. */
    ck_assert_int_eq(perp_collider_set_coefficients(c, 2, 0.0, 0.5, 0.03), PERP_SOLVED);
    ck_assert_int_eq(perp_collider_set_coefficients(c, 3, 0.0, 0.5, 0.0), PERP_SOLVED);
    ck_assert_int_eq(perp_collider_set_torsion(c, 3, 0.01), PERP_SOLVED);
    ck_assert_int_eq(perp_collider_pair_law(c, 2, 3, 0, &found), PERP_SOLVED);
    ck_assert_int_eq(found.dim, 3);
    ck_assert_int_eq(perp_collider_set_combination(c, PERP_COMBINE_MAXIMUM, PERP_COMBINE_MAXIMUM,
                                                   PERP_COMBINE_MAXIMUM),
                     PERP_SOLVED);
    ck_assert_int_eq(perp_collider_pair_law(c, 2, 3, 0, &found), PERP_SOLVED);
    ck_assert_int_eq(found.dim, 5);
    ck_assert_int_eq(perp_collider_set_torsion_combination(c, PERP_COMBINE_MAXIMUM), PERP_SOLVED);
    ck_assert_int_eq(perp_collider_pair_law(c, 2, 3, 0, &found), PERP_SOLVED);
    ck_assert(found.dim == 6 && found.mu_r == 0.03 && found.mu_s == 0.01);
    close_world(&w);
}
END_TEST

/* The certificate judges a law by a projection of its own: that of the sets of the solvers says the
 * same, in units in which moments are impulses. */
START_TEST(judged_alike)
{
    static const int dims[] = {3, 4, 5, 6};
    perp_rng rng = {5};
    for (int n = 0; n < 20000; n++) {
        int dim = dims[n % 4], slips = dim == 3 ? 1 : 2;
        double p[6], w[6], c[6], y[6], x[6], sum = 0.0, par[3];
        double l = exp(2.0 * perp_rng_signed(&rng)), most = 0.0;
        for (int k = 0; k < 3; k++)
            par[k] = 0.05 + perp_rng_uniform(&rng);
        perp_law law = dim == 4   ? perp_law_torsion(0.0, par[0], par[1] * l)
                       : dim == 6 ? perp_law_rolling_torsion(0.0, par[0], par[1] * l, par[2] * l)
                                  : perp_law_rolling(dim, 0.0, par[0], par[1] * l);
        for (int i = 0; i < dim; i++) {
            p[i] = perp_rng_signed(&rng);
            y[i] = perp_rng_signed(&rng);
            c[i] = 0.5 + perp_rng_uniform(&rng);
        }
        for (int i = 0; i <= slips; i++)
            most = fmax(most, c[i]);
        for (int i = slips + 1; i < dim; i++)
            c[i] = most / (l * l);
        /* What the law has of moments and turns. */
        double impulse[6], rate[6];
        for (int i = 0; i < dim; i++) {
            impulse[i] = i > slips ? p[i] * l : p[i];
            rate[i] = i > slips ? y[i] / l : y[i];
        }
        memcpy(w, y, sizeof w);
        y[0] += perp_set_rolling.shift(w, par, dim);
        for (int i = 0; i < dim; i++)
            x[i] = p[i] - y[i] / most;
        perp_set_rolling.project(x, x, par, dim);
        for (int i = 0; i < dim; i++)
            sum += (p[i] - x[i]) * (p[i] - x[i]);
        ck_assert_double_eq_tol(perp_certificate_defect(&law, impulse, rate, c, 1.0),
                                sqrt(sum * most), 1e-12);
    }
}
END_TEST

static int no_contact(perp_contact_point *point, double t, const double *q_a, const double *q_b,
                      const double *z, void *user)
{
    (void)point, (void)t, (void)q_a, (void)q_b, (void)z, (void)user;
    return 1;
}

START_TEST(rows_of_relations)
{
    world w;
    open_world(&w, 0.01, 0.01, 0.0, 0.0);
    for (int rows = 1; rows <= 7; rows++) {
        perp_interaction_def def;
        perp_interaction_id id;
        perp_interaction_def_init(&def, sizeof def);
        def.systems = &w.body;
        def.nsystems = 1;
        def.law = perp_law_rolling_torsion(0.0, 0.5, 0.01, 0.02);
        def.relation.kind = PERP_RELATION_CONTACT;
        def.relation.rows = rows;
        def.relation.contact = no_contact;
        ck_assert_int_eq(perp_model_add_interaction(w.model, &def, &id, NULL),
                         rows == 6 ? PERP_SOLVED : PERP_ERR_ARGUMENT);
    }
    close_world(&w);
}
END_TEST

START_TEST(what_is_refused)
{
    static const char *const others[] = {"generalized-alpha", "event-driven", "event-capturing-rk"};
    static const double wrong[][3] = {{0.5, 0.0, 0.1},  {0.5, 0.1, 0.0}, {0.5, -0.1, 0.1},
                                      {0.5, 0.1, -0.1}, {0.5, 0.1, NAN}, {0.5, INFINITY, 0.1}};
    world w;
    open_world(&w, 0.01, 0.01, 0.0, 0.0);
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        perp_law law = perp_law_rolling_torsion(0.0, wrong[k][0], wrong[k][1], wrong[k][2]);
        ck_assert_int_eq(perp_collider_set_law(w.collider, 0, 0, &law), PERP_ERR_ARGUMENT);
    }
    for (int dim = 2; dim <= 7; dim++) {
        perp_law law = perp_law_rolling_torsion(0.0, 0.5, 0.1, 0.1);
        law.dim = dim;
        ck_assert_int_eq(perp_collider_set_law(w.collider, 0, 0, &law),
                         dim == 6 ? PERP_SOLVED : PERP_ERR_ARGUMENT);
    }
    perp_law law = perp_law_rolling_torsion(0.0, 0.5, 0.1, 0.1);
    law.e_t = 0.1;
    ck_assert_int_eq(perp_collider_set_law(w.collider, 0, 0, &law), PERP_ERR_ARGUMENT);
    start(&w, others[_i]);
    ck_assert_int_eq(perp_sim_step(w.sim), PERP_ERR_UNSUPPORTED);
    close_world(&w);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("rolling and torsional friction");
    TCase *tcase = tcase_create("both");
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, rolls_and_spins, 0, 4);
    tcase_add_loop_test(tcase, each_has_its_bound, 0, 8);
    tcase_add_loop_test(tcase, alone_as_before, 0, 4);
    tcase_add_test(tcase, laws_of_pairs);
    tcase_add_test(tcase, judged_alike);
    tcase_add_test(tcase, rows_of_relations);
    tcase_add_loop_test(tcase, what_is_refused, 0, 3);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
