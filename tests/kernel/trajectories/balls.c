/* SPDX-License-Identifier: BSD-3-Clause */
/* Balls under moreau-jean: one contact, contacts that come late, a column of ten. */
#include <math.h>

#include "tests/kernel/trajectories/ball.h"
#include "tests/kernel/trajectories/reference.h"

perp_system_id ball_add(rig *r, double gravity)
{
    const double q0[] = {1.0, 0.0, 0.0}, F[] = {-gravity, 0.0, 0.0};
    const double M[] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.4 * 0.01};
    return rig_lagrangian(r, 3, q0, NULL, M, F);
}

perp_interaction_id ball_on_ground(rig *r, perp_system_id ball, double e)
{
    const double C[] = {1.0, 0.0, 0.0};
    return rig_linear(r, ball, 1, C, NULL, perp_law_impact(e));
}

static const reference_column five[] = {
    {"t", 8.9e-16}, {"q", 2.9e-15}, {"v", 2.2e-14}, {"p", 2.7e-14}, {"lambda", 2.7e-14}};

START_TEST(bouncing_ball)
{
    reference ref;
    if (!reference_open(&ref, "BouncingBallTS"))
        return;
    rig r;
    rig_init(&r, 0.005);
    perp_system_id ball = ball_add(&r, 9.81);
    perp_interaction_id ground = ball_on_ground(&r, ball, 0.9);
    rig_start_moreau_jean(&r);
    const double first[] = {0.0, 1.0, 0.0, 0.0, 0.0};
    reference_compare(&ref, 0, first);
    for (int k = 1; k <= reference_steps(&ref); k++) {
        rig_step(&r);
        const double row[] = {perp_sim_time(r.sim), rig_q(&r, ball)[0], rig_v(&r, ball)[0],
                              rig_input(&r, ball)[0], *rig_lambda(&r, ground)};
        reference_compare(&ref, k, row);
    }
    reference_close(&ref, five, 1e-10, 0);
    rig_free(&r);
}
END_TEST

/* The contact is added before the step that makes row 201, when the ball lies far below. */
START_TEST(contact_that_comes_late)
{
    static const reference_column late[] = {
        {"t", 8.9e-16}, {"q", 1.2e-14}, {"v", 1.5e-14}, {"p", 1.8e-14}, {"lambda", 1.8e-14}};
    reference ref;
    if (!reference_open(&ref, "BouncingBallTS-Dynamic"))
        return;
    rig r;
    perp_interaction_id ground = {0, 0};
    rig_init(&r, 0.005);
    perp_system_id ball = ball_add(&r, 9.81);
    rig_start_moreau_jean(&r);
    const double first[] = {0.0, 1.0, 0.0, 0.0, 0.0};
    reference_compare(&ref, 0, first);
    for (int k = 1; k <= reference_steps(&ref); k++) {
        if (k == 201)
            ground = ball_on_ground(&r, ball, 0.9);
        rig_step(&r);
        const double row[] = {perp_sim_time(r.sim), rig_q(&r, ball)[0], rig_v(&r, ball)[0],
                              rig_input(&r, ball)[0], k > 200 ? *rig_lambda(&r, ground) : 0.0};
        reference_compare(&ref, k, row);
    }
    reference_close(&ref, late, 1e-10, 0);
    rig_free(&r);
}
END_TEST

static const double slope = 0.1;

static int oblique(double *out, double t, const double *x, const double *lambda, const double *z,
                   void *user)
{
    (void)t, (void)lambda, (void)z, (void)user;
    *out = x[0] + slope * x[1];
    return 0;
}

static int oblique_x(double *out, double t, const double *x, const double *lambda, const double *z,
                     void *user)
{
    (void)t, (void)x, (void)lambda, (void)z, (void)user;
    out[0] = 1.0;
    out[1] = slope;
    out[2] = 0.0;
    return 0;
}

/* A relation that is declared nonlinear: the index set looks at the predicted position. */
START_TEST(scleronomous)
{
    static const reference_column columns[] = {{"t", 8.9e-16},     {"q0", 2.7e-15}, {"q1", 9.9e-14},
                                               {"v0", 2.3e-14},    {"v1", 5.3e-15}, {"p", 4.8e-14},
                                               {"lambda", 4.8e-14}};
    reference ref;
    if (!reference_open(&ref, "BouncingBallTS-Scleronomous"))
        return;
    rig r;
    rig_init(&r, 0.025);
    r.options.newton_tol = 1e-6;
    perp_system_id ball = ball_add(&r, 10.0);
    perp_relation relation = rig_relation(PERP_RELATION_SCLERONOMOUS, 1);
    relation.h = oblique;
    relation.h_x = oblique_x;
    perp_interaction_id ground = rig_interact(&r, &ball, 1, &relation, perp_law_impact(0.9));
    perp_scheme scheme = rig_scheme("moreau-jean", "activation_at=predicted");
    rig_start(&r, &scheme);
    const double first[] = {0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    reference_compare(&ref, 0, first);
    for (int k = 1; k <= reference_steps(&ref); k++) {
        rig_step(&r);
        const double *q = rig_q(&r, ball), *v = rig_v(&r, ball);
        const double row[] = {
            perp_sim_time(r.sim),   q[0], q[1], v[0], v[1], rig_input(&r, ball)[0],
            *rig_lambda(&r, ground)};
        reference_compare(&ref, k, row);
    }
    reference_close(&ref, columns, 1e-10, 0);
    rig_free(&r);
}
END_TEST

/* Ten systems, ten contacts between neighbours, multiple impacts. */
START_TEST(column_of_beads)
{
    enum { BEADS = 10 };
    static reference_column columns[4 * BEADS + 1];
    reference ref;
    if (!reference_open(&ref, "ColumnOfBeadsTS"))
        return;
    rig r;
    perp_system_id bead[BEADS];
    rig_init(&r, 5e-4);
    const double M[] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.4 * 0.01};
    const double F[] = {-9.81, 0.0, 0.0}, ground = -0.1, apart = -0.2;
    const double C[] = {1.0, 0.0, 0.0}, between[] = {-1.0, 0.0, 0.0, 1.0, 0.0, 0.0};
    double row[4 * BEADS + 1] = {0.0};
    columns[0] = (reference_column){"t", 2.2e-16};
    for (int i = 0; i < BEADS; i++) {
        const double q0[] = {1.0 + 0.25 * i, 0.0, 0.0};
        bead[i] = rig_lagrangian(&r, 3, q0, NULL, M, F);
        row[1 + 2 * i] = q0[0];
        columns[1 + 2 * i] = (reference_column){"q", 6.7e-15};
        columns[2 + 2 * i] = (reference_column){"v", 3.2e-14};
    }
    perp_relation relation = rig_relation(PERP_RELATION_LINEAR, 1);
    relation.C = between;
    relation.e = &apart;
    rig_linear(&r, bead[0], 1, C, &ground, perp_law_impact(0.9));
    for (int i = 1; i < BEADS; i++)
        rig_interact(&r, bead + i - 1, 2, &relation, perp_law_impact(0.9));
    rig_start_moreau_jean(&r);
    reference_compare(&ref, 0, row);
    for (int k = 1; k <= reference_steps(&ref); k++) {
        rig_step(&r);
        row[0] = perp_sim_time(r.sim);
        for (int i = 0; i < BEADS; i++) {
            row[1 + 2 * i] = rig_q(&r, bead[i])[0];
            row[2 + 2 * i] = rig_v(&r, bead[i])[0];
        }
        reference_compare(&ref, k, row);
    }
    reference_close(&ref, columns, 1e-10, 0);
    rig_free(&r);
}
END_TEST

TCase *trajectories_balls(void)
{
    TCase *tcase = tcase_create("balls");
    tcase_add_test(tcase, bouncing_ball);
    tcase_add_test(tcase, contact_that_comes_late);
    tcase_add_test(tcase, scleronomous);
    tcase_add_test(tcase, column_of_beads);
    return tcase;
}
