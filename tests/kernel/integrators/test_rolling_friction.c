/* SPDX-License-Identifier: BSD-3-Clause */
/* Rolling friction of detected contacts: balls and discs against closed forms, on slopes below and
 * above the angle where they roll off, energies, contacts as data, refusals. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perp/kernel.h>
#include <perp/verdict.h>

static const double g = 9.81, r = 0.2, mass = 3.0;

typedef struct world {
    perp_model *model;
    perp_sim *sim;
    perp_collider *collider;
    perp_system_id body;
    double *x, *v;
} world;

/* A ball on the plane z = 0, the weight tilted by an angle towards x; or a disc on the line y = 0.
 */
static void open_world(world *w, int flat, double tilt, double mu, double mu_r)
{
    static const double zero[3] = {0.0}, up[3] = {0.0, 0.0, 1.0}, up_flat[3] = {0.0, 1.0, 0.0};
    perp_law law = perp_law_rolling(5, 0.0, mu, mu_r);
    memset(w, 0, sizeof *w);
    ck_assert_int_eq(perp_model_create(&w->model, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_collider_create(&w->collider, w->model, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_collider_set_law(w->collider, 0, 0, &law), PERP_SOLVED);
    if (flat) {
        double M[9] = {mass, 0, 0, 0, mass, 0, 0, 0, 0.5 * mass * r * r};
        double q[3] = {0.0, r, 0.0}, F[3] = {mass * g * sin(tilt), -mass * g * cos(tilt), 0.0};
        perp_lagrangian_def def;
        perp_lagrangian_def_init(&def, sizeof def);
        def.n = 3;
        def.q0 = q;
        def.M = (perp_mat){PERP_DENSE, 3, 3, {.dense = {M, 3}}};
        def.F = F;
        ck_assert_int_eq(perp_model_add_lagrangian(w->model, &def, &w->body, NULL), PERP_SOLVED);
        ck_assert_int_eq(perp_collider_add_line(w->collider, zero, up_flat, NULL, NULL),
                         PERP_SOLVED);
        ck_assert_int_eq(perp_collider_add_disc(w->collider, w->body, r, NULL, NULL, NULL),
                         PERP_SOLVED);
    } else {
        perp_body_def def;
        perp_body_def_init(&def, sizeof def);
        def.mass = mass;
        for (int k = 0; k < 3; k++)
            def.inertia[4 * k] = 0.4 * mass * r * r;
        def.position[2] = r;
        def.force[0] = mass * g * sin(tilt);
        def.force[2] = -mass * g * cos(tilt);
        ck_assert_int_eq(perp_model_add_body(w->model, &def, &w->body, NULL), PERP_SOLVED);
        ck_assert_int_eq(perp_collider_add_plane(w->collider, zero, up, NULL, NULL), PERP_SOLVED);
        ck_assert_int_eq(perp_collider_add_sphere(w->collider, w->body, r, NULL, NULL, NULL),
                         PERP_SOLVED);
    }
    ck_assert_int_eq(perp_model_state(w->model, w->body, &w->x, &w->v, NULL, NULL), PERP_SOLVED);
}

static void start(world *w, const char *name)
{
    perp_sim_options options;
    perp_scheme scheme;
    perp_sim_options_init(&options, sizeof options);
    options.h = 2e-3;
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

static const char *const schemes[] = {"discrete-gradient", "moreau-jean"};

/* v' = - mu_r g / (r (1 + J/(m r^2))) until it rests. */
START_TEST(rolls_out)
{
    int flat = _i / 2;
    double mu_r = 0.01, J = flat ? 0.5 : 0.4, speed = 0.8, slow = mu_r * g / (r * (1.0 + J));
    world w;
    open_world(&w, flat, 0.0, 0.6, mu_r);
    w.v[0] = speed;
    w.v[flat ? 2 : 4] = flat ? -speed / r : speed / r;
    start(&w, schemes[_i % 2]);
    double energy = 0.5 * mass * (1.0 + J) * speed * speed;
    for (int k = 0; k < 2000; k++) {
        ck_assert_int_eq(perp_sim_step(w.sim), PERP_SOLVED);
        double t = perp_sim_time(w.sim), now = 0.5 * mass * (1.0 + J) * w.v[0] * w.v[0];
        ck_assert_double_eq_tol(w.v[0], fmax(speed - slow * t, 0.0), 2e-5);
        ck_assert_double_le(now, energy + 1e-12);
        energy = now;
        perp_contact_info info = {.size = sizeof info};
        ck_assert_int_eq(perp_collider_contact(w.collider, 0, &info), PERP_SOLVED);
        if (t < 0.9 * speed / slow) {
            ck_assert_int_eq(info.state, PERP_CONTACT_ROLLING);
            ck_assert_double_eq_tol(info.moment[flat ? 2 : 1],
                                    (flat ? 1.0 : -1.0) * mu_r * mass * g * 2e-3, 1e-8);
        }
    }
    ck_assert_double_eq_tol(w.v[0], 0.0, 1e-10);
    ck_assert_double_eq_tol(w.x[0], 0.5 * speed * speed / slow, 1e-3);
    perp_verdict v;
    ck_assert_int_eq(perp_sim_verdict(w.sim, &v, sizeof v), PERP_SOLVED);
    if (_i % 2 == 0)
        ck_assert_msg(v.kind != PERP_VERDICT_NOT_VERIFIED, "%s", v.first);
    close_world(&w);
}
END_TEST

/* On a slope it stays where tan(tilt) < mu_r / r, else it rolls off with what is left. */
START_TEST(on_a_slope)
{
    int flat = _i / 4, off = _i % 2;
    double mu_r = 0.02, tilt = atan(mu_r / r) * (off ? 1.5 : 0.9), J = flat ? 0.5 : 0.4;
    world w;
    open_world(&w, flat, tilt, 0.7, mu_r);
    start(&w, schemes[_i / 2 % 2]);
    ck_assert_int_eq(perp_sim_run(w.sim, 1.0), PERP_SOLVED);
    double rate = off ? (g * sin(tilt) - mu_r / r * g * cos(tilt)) / (1.0 + J) : 0.0;
    ck_assert_double_eq_tol(w.v[0], rate, 1e-6);
    ck_assert_double_eq_tol(w.x[0], 0.5 * rate, 1e-3);
    close_world(&w);
}
END_TEST

START_TEST(what_is_refused)
{
    perp_law law = perp_law_rolling(5, 0.0, 0.5, 0.0);
    world w;
    open_world(&w, 0, 0.0, 0.5, 0.01);
    ck_assert_int_eq(perp_collider_set_law(w.collider, 0, 0, &law), PERP_ERR_ARGUMENT);
    law = perp_law_rolling(4, 0.0, 0.5, 0.01);
    ck_assert_int_eq(perp_collider_set_law(w.collider, 0, 0, &law), PERP_ERR_ARGUMENT);
    law = perp_law_rolling(3, 0.0, 0.5, 0.01);
    ck_assert_int_eq(perp_collider_set_law(w.collider, 0, 0, &law), PERP_ERR_ARGUMENT);
    law = perp_law_rolling(5, 0.0, 0.5, -0.01);
    ck_assert_int_eq(perp_collider_set_law(w.collider, 0, 0, &law), PERP_ERR_ARGUMENT);
    start(&w, "generalized-alpha");
    ck_assert_int_eq(perp_sim_step(w.sim), PERP_ERR_UNSUPPORTED);
    ck_assert_msg(strstr(perp_sim_info(w.sim)->detail, "rolling") != NULL, "%s",
                  perp_sim_info(w.sim)->detail);
    close_world(&w);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("rolling friction");
    TCase *tcase = tcase_create("rolling friction");
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, rolls_out, 0, 4);
    tcase_add_loop_test(tcase, on_a_slope, 0, 8);
    tcase_add_test(tcase, what_is_refused);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
