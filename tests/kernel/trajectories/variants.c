/* SPDX-License-Identifier: BSD-3-Clause */
/* The ball under other schemes: projections, Schatzman-Paoli, a compliant floor. */
#include <math.h>
#include <string.h>

#include "tests/kernel/trajectories/ball.h"
#include "tests/kernel/trajectories/reference.h"

/* What a projection added to the height: q - (q_k + h (v + v_k)/2). */
static double pushed(double q, double v, double q_k, double v_k, double h)
{
    return q - (q_k + h * (0.5 * v + 0.5 * v_k));
}

static void projected(const char *name, const char *scheme_name, const char *parameters,
                      const reference_column *columns)
{
    reference ref;
    if (!reference_open(&ref, name))
        return;
    rig r;
    const double h = 0.005;
    rig_init(&r, h);
    perp_system_id ball = ball_add(&r, 9.81);
    perp_interaction_id ground = ball_on_ground(&r, ball, 0.9);
    perp_scheme scheme = rig_scheme(scheme_name, parameters);
    rig_start(&r, &scheme);
    double q_k = 1.0, v_k = 0.0;
    const double first[] = {0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    reference_compare(&ref, 0, first);
    for (int k = 1; k <= reference_steps(&ref); k++) {
        rig_step(&r);
        double q = rig_q(&r, ball)[0], v = rig_v(&r, ball)[0];
        double push = pushed(q, v, q_k, v_k, h);
        const double row[] = {perp_sim_time(r.sim),    q,    v,   rig_input(&r, ball)[0],
                              *rig_lambda(&r, ground), push, push};
        reference_compare(&ref, k, row);
        q_k = q;
        v_k = v;
    }
    reference_close(&ref, columns, 1e-10, 0);
    rig_free(&r);
}

START_TEST(direct_projection)
{
    static const reference_column columns[] = {{"t", 1.6e-13},  {"q", 4.2e-14},  {"v", 1.1e-13},
                                               {"p1", 2.2e-13}, {"l1", 2.2e-13}, {"p0", 2.5e-14},
                                               {"l0", 2.5e-14}};
    projected("BouncingBallTS-DirectProjection-level0", "moreau-jean-direct-projection",
              "activate=1e-7 hysteresis=1 projection_tol=1e-8 projection_iter=20", columns);
}
END_TEST

START_TEST(combined_projection)
{
    static const reference_column columns[] = {{"t", 8.9e-16},  {"q", 2.4e-15},  {"v", 1.9e-14},
                                               {"p1", 3.0e-14}, {"l1", 3.0e-14}, {"p0", 1.8e-15},
                                               {"l0", 1.8e-15}};
    projected("BouncingBallTS-CombinedProjection", "moreau-jean-combined-projection",
              "projection_tol=1e-10 projection_iter=4", columns);
}
END_TEST

/* Rounding is amplified in the late rows: the statement goes up to row 1299. */
START_TEST(schatzman_paoli)
{
    enum { ROWS = 1300 };
    static const reference_column columns[] = {
        {"t", 8.9e-16}, {"q", 2.7e-11}, {"v", 2.7e-11}, {"p", 2.7e-11}, {"lambda", 2.7e-11}};
    reference ref;
    if (!reference_open(&ref, "BouncingBallTS-SchatzmanPaoliOSI"))
        return;
    rig r;
    rig_init(&r, 0.005);
    perp_system_id ball = ball_add(&r, 9.81);
    perp_interaction_id ground = ball_on_ground(&r, ball, 0.9);
    perp_scheme scheme = rig_scheme("schatzman-paoli", "velocity=centred");
    rig_start(&r, &scheme);
    const double first[] = {0.0, 1.0, 0.0, 0.0, 0.0};
    reference_compare(&ref, 0, first);
    for (int k = 1; k < ROWS; k++) {
        rig_step(&r);
        const double row[] = {perp_sim_time(r.sim), rig_q(&r, ball)[0], rig_v(&r, ball)[0],
                              rig_input(&r, ball)[0], *rig_lambda(&r, ground)};
        reference_compare(&ref, k, row);
    }
    reference_close(&ref, columns, 1e-9, ROWS);
    rig_free(&r);
}
END_TEST

/* One step from each pair of rows: a state set by hand starts with q_k-1 = q_k - h v. */
START_TEST(schatzman_paoli_step_by_step)
{
    static const reference_column columns[] = {
        {"t", 0.0}, {"q", 2.2e-16}, {"v", 3.3e-13}, {"p", 9.8e-17}, {"lambda", 9.8e-17}};
    reference ref;
    if (!reference_open(&ref, "BouncingBallTS-SchatzmanPaoliOSI"))
        return;
    strcat(ref.name, ", from each pair of rows");
    rig r;
    const double h = 0.005;
    rig_init(&r, h);
    perp_system_id ball = ball_add(&r, 9.81);
    perp_interaction_id ground = ball_on_ground(&r, ball, 0.9);
    perp_scheme scheme = rig_scheme("schatzman-paoli", "velocity=centred start=backward");
    rig_start(&r, &scheme);
    for (int k = 1; k < reference_steps(&ref); k++) {
        double q = reference_row(&ref, k)[1], before = reference_row(&ref, k - 1)[1];
        rig_q(&r, ball)[0] = q;
        rig_v(&r, ball)[0] = (q - before) / h;
        perp_model_changed(r.model);
        rig_step(&r);
        const double row[] = {NAN, rig_q(&r, ball)[0], rig_v(&r, ball)[0], rig_input(&r, ball)[0],
                              *rig_lambda(&r, ground)};
        reference_compare(&ref, k + 1, row);
    }
    reference_close(&ref, columns, 1e-12, ref.rows - 2);
    rig_free(&r);
}
END_TEST

/* A rigid ceiling, a compliant floor by the published scheme, which counts h v twice. */
START_TEST(compliant_contact)
{
    static const reference_column columns[] = {
        {"t", 8.9e-16}, {"q", 2.5e-14}, {"v", 1.6e-13}, {"p", 2.2e-13}, {"ceiling", 2.2e-13}};
    reference ref;
    if (!reference_open(&ref, "BouncingBallTS-CompliantContact"))
        return;
    rig r;
    rig_init(&r, 5e-4);
    perp_system_id ball = ball_add(&r, 9.81);
    const double up[] = {1.0, 0.0, 0.0}, down[] = {-1.0, 0.0, 0.0};
    const double top = 0.7, bottom = -0.1, compliance = 0.01;
    perp_interaction_id ceiling = rig_linear(&r, ball, 1, down, &top, perp_law_impact(1.0));
    perp_relation relation = rig_relation(PERP_RELATION_LINEAR, 1);
    relation.C = up;
    relation.D = &compliance;
    relation.e = &bottom;
    rig_interact(&r, &ball, 1, &relation, perp_law_complementarity());
    perp_scheme scheme = rig_scheme("moreau-jean", "inconsistent_compliance=1");
    rig_start(&r, &scheme);
    const double first[] = {0.0, 1.0, 0.0, 0.0, 0.0};
    reference_compare(&ref, 0, first);
    for (int k = 1; k <= reference_steps(&ref); k++) {
        rig_step(&r);
        const double row[] = {perp_sim_time(r.sim), rig_q(&r, ball)[0], rig_v(&r, ball)[0],
                              rig_input(&r, ball)[0], *rig_lambda(&r, ceiling)};
        reference_compare(&ref, k, row);
    }
    reference_close(&ref, columns, 1e-10, 0);
    rig_free(&r);
}
END_TEST

TCase *trajectories_variants(void)
{
    TCase *tcase = tcase_create("variants");
    tcase_add_test(tcase, direct_projection);
    tcase_add_test(tcase, combined_projection);
    tcase_add_test(tcase, schatzman_paoli);
    tcase_add_test(tcase, schatzman_paoli_step_by_step);
    tcase_add_test(tcase, compliant_contact);
    return tcase;
}
