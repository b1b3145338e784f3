/* SPDX-License-Identifier: BSD-3-Clause */
/* Rigid bodies, planar and spatial: friction, the free flight, a ball joint. */
#include <math.h>
#include <string.h>

#include "tests/fixtures/kernel_rig.h"
#include "tests/kernel/trajectories/reference.h"

/* A disc with friction; the index set looks a whole step ahead.  The program behind the file
 * wrote h as the time of row 0. */
START_TEST(disc_with_friction)
{
    static const reference_column columns[] = {{"t", 8.9e-16},  {"q0", 2.4e-15}, {"v0", 1.6e-14},
                                               {"omega", 0.0},  {"p0", 3.0e-14}, {"l_n", 3.0e-14},
                                               {"q1", 1.3e-13}, {"q2", 2.9e-13}, {"v1", 5.6e-17}};
    reference ref;
    if (!reference_open(&ref, "Ball2D_kernel_only_with_friction"))
        return;
    rig r;
    const double h = 0.005, R = 0.5, g = 9.81;
    rig_init(&r, h);
    r.options.solver = "gs";
    const double M[] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.4 * R * R};
    const double q0[] = {1.0, 0.0, 0.0}, v0[] = {0.0, 0.0, 2.0}, F[] = {-g, 0.0, 0.0};
    const double C[] = {1.0, 0.0, 0.0, 1.0, 0.0, -R}, e[] = {-R, 0.0};
    perp_system_id disc = rig_lagrangian(&r, 3, q0, v0, M, F);
    perp_interaction_id floor = rig_linear(&r, disc, 2, C, e, perp_law_friction(2, 0.9, 0.1));
    perp_scheme scheme = rig_scheme("moreau-jean", "activation=1");
    rig_start(&r, &scheme);
    const double first[] = {h, 1.0, 0.0, 2.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    reference_compare(&ref, 0, first);
    for (int k = 1; k <= reference_steps(&ref); k++) {
        rig_step(&r);
        const double *q = rig_q(&r, disc), *v = rig_v(&r, disc);
        const double row[] = {perp_sim_time(r.sim),     q[0], v[0], v[2], rig_input(&r, disc)[0],
                              rig_lambda(&r, floor)[0], q[1], q[2], v[1]};
        reference_compare(&ref, k, row);
    }
    reference_close(&ref, columns, 1e-10, 0);
    rig_free(&r);
}
END_TEST

/* Lower tip of a stick of length 1, and where it is sideways. */
static int tip(double *out, double t, const double *q, const double *lambda, const double *z,
               void *user)
{
    (void)t, (void)lambda, (void)z, (void)user;
    out[0] = q[1] - 0.5 * cos(q[2]);
    out[1] = -q[0] - 0.5 * sin(q[2]);
    return 0;
}

static int tip_q(double *out, double t, const double *q, const double *lambda, const double *z,
                 void *user)
{
    (void)t, (void)lambda, (void)z, (void)user;
    const double H[] = {0.0, -1.0, 1.0, 0.0, 0.5 * sin(q[2]), -0.5 * cos(q[2])};
    memcpy(out, H, sizeof H);
    return 0;
}

typedef struct stick_sums {
    double u[2], v1, normal, tangential, weight;
} stick_sums;

/* The works of a step belong to the velocities on record, which see the new directions. */
static void stick_row(double *row, const rig *r, perp_system_id stick, perp_interaction_id contact,
                      stick_sums *sums)
{
    const double h = 1e-4, g = 10.0, mu = 0.01;
    const double *q = rig_q(r, stick), *v = rig_v(r, stick), *l = rig_lambda(r, contact);
    const double *u = rig_u(r, contact);
    double normal = 0.5 * (u[0] + sums->u[0]) * l[0], tangential = 0.5 * (u[1] + sums->u[1]) * l[1];
    double slip = 0.5 * mu * fabs(u[1] + sums->u[1]) * l[0];
    sums->normal += normal;
    sums->tangential += tangential;
    sums->weight -= h * 0.5 * (sums->v1 + v[1]) * g;
    const double all[] = {perp_sim_time(r->sim),
                          q[0],
                          q[1],
                          q[2],
                          v[0],
                          v[1],
                          v[2],
                          rig_input(r, stick)[0],
                          rig_y(r, contact)[0],
                          0.0,
                          u[0],
                          u[1],
                          l[0],
                          l[1],
                          normal,
                          tangential,
                          slip,
                          sums->normal,
                          sums->tangential,
                          0.5 * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2] / 12.0),
                          g * q[1],
                          sums->weight};
    memcpy(row, all, sizeof all);
    memcpy(sums->u, u, sizeof sums->u);
    sums->v1 = v[1];
}

START_TEST(impacting_stick)
{
    static const reference_column columns[] = {
        {"t", 2.8e-17},   {"q0", 1.2e-14},   {"q1", 8.9e-16},  {"q2", 1.5e-14},  {"v0", 0.0},
        {"v1", 1.8e-14},  {"v2", 9.3e-15},   {"p0", 2.5e-17},  {"y", 7.2e-15},   {"0", 0.0},
        {"u_n", 1.8e-14}, {"u_t", 2.4e-14},  {"r_n", 2.4e-15}, {"r_t", 2.5e-17}, {"w_n", 3.1e-17},
        {"w_t", 8.0e-18}, {"slip", 8.0e-18}, {"W_n", 3.1e-17}, {"W_t", 7.7e-18}, {"kin", 1.7e-14},
        {"pot", 8.9e-15}, {"W_f", 8.0e-15}};
    reference ref;
    if (!reference_open(&ref, "ImpactingStick"))
        return;
    rig r;
    rig_init(&r, 1e-4);
    r.options.solver = "gs";
    r.options.newton_iter = 1;
    const double quarter = acos(-1.0) / 4.0, F[] = {0.0, -10.0, 0.0};
    const double M[] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0 / 12.0};
    const double q0[] = {0.5 * sin(quarter), 0.5 * cos(quarter) + 0.01, quarter};
    const double v0[] = {-0.5, 0.1, 0.1};
    perp_system_id stick = rig_lagrangian(&r, 3, q0, v0, M, F);
    perp_relation relation = rig_relation(PERP_RELATION_SCLERONOMOUS, 2);
    relation.h = tip;
    relation.h_x = tip_q;
    perp_interaction_id contact =
        rig_interact(&r, &stick, 1, &relation, perp_law_friction(2, 1.0, 0.01));
    perp_scheme scheme = rig_scheme("moreau-jean", "configuration=start");
    rig_start(&r, &scheme);
    double row[22] = {0.0, q0[0], q0[1], q0[2], v0[0], v0[1], v0[2]};
    stick_sums sums = {{0.0, 0.0}, v0[1], 0.0, 0.0, 0.0};
    row[19] = row[20] = row[21] = NAN;
    reference_compare(&ref, 0, row);
    for (int k = 1; k <= reference_steps(&ref); k++) {
        rig_step(&r);
        stick_row(row, &r, stick, contact, &sums);
        reference_compare(&ref, k, row);
    }
    reference_close(&ref, columns, 1e-10, 0);
    rig_free(&r);
}
END_TEST

static int ball_gap(perp_contact_point *point, double t, const double *q_a, const double *q_b,
                    const double *z, void *user)
{
    (void)t, (void)q_b, (void)z, (void)user;
    point->gap = fabs(q_a[0]) - 0.1;
    for (int i = 0; i < 3; i++) {
        point->normal[i] = i == 0;
        point->point_a[i] = point->point_b[i] = q_a[i] - (i == 0 ? 0.1 : 0.0);
    }
    return 0;
}

START_TEST(ball_as_a_body)
{
    static const reference_column columns[] = {
        {"t", 8.9e-16},   {"x", 1.4e-14}, {"v", 3.5e-14},   {"p", 5.2e-14},
        {"l_n", 5.2e-14}, {"acos", 0.0},  {"|f|", 5.2e-14}, {"x", 1.4e-14},
        {"y", 0.0},       {"z", 0.0},     {"q3", 0.0},      {"q4", 0.0},
        {"q5", 0.0},      {"q6", 0.0},    {"v_y", 0.0},     {"v_z", 0.0}};
    reference ref;
    if (!reference_open(&ref, "BouncingBallNETS"))
        return;
    rig r;
    rig_init(&r, 0.005);
    r.options.solver = "gs";
    r.options.newton_iter = 10;
    perp_body_def def;
    perp_body_def_init(&def, sizeof def);
    def.position[0] = 1.0;
    def.velocity[0] = 2.0;
    def.force[0] = -9.81;
    perp_system_id ball = rig_add_body(&r, &def);
    perp_relation relation = rig_relation(PERP_RELATION_CONTACT, 3);
    relation.contact = ball_gap;
    perp_law law = perp_law_friction(3, 0.9, 0.6);
    law.e_t = 0.9;
    perp_interaction_id floor = rig_interact(&r, &ball, 1, &relation, law);
    rig_start_moreau_jean(&r);
    for (int k = 0; k <= reference_steps(&ref); k++) {
        if (k > 0)
            rig_step(&r);
        const double *q = rig_q(&r, ball), *v = rig_v(&r, ball), *p = rig_input(&r, ball);
        double pull = k > 0 ? sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]) : 0.0;
        const double row[] = {perp_sim_time(r.sim),
                              q[0],
                              v[0],
                              k > 0 ? p[0] : 0.0,
                              rig_lambda(&r, floor)[0],
                              acos(q[3]),
                              pull,
                              q[0],
                              q[1],
                              q[2],
                              q[3],
                              q[4],
                              q[5],
                              q[6],
                              v[1],
                              v[2]};
        reference_compare(&ref, k, row);
    }
    reference_close(&ref, columns, 1e-10, 0);
    rig_free(&r);
}
END_TEST

/* The body of the two joint tests, turned by pi/4 about y. */
static perp_system_id add_arm(rig *r, double spin)
{
    const double inertia[] = {0.1, 0.1, 0.0, 0.1, 1.0, 0.0, 0.0, 0.0, 1.0};
    const double eighth = acos(-1.0) / 8.0;
    perp_body_def def;
    perp_body_def_init(&def, sizeof def);
    memcpy(def.inertia, inertia, sizeof inertia);
    def.position[0] = 0.5 / sqrt(2.0);
    def.position[2] = -0.5 / sqrt(2.0);
    def.quaternion[0] = cos(eighth);
    def.quaternion[2] = sin(eighth);
    def.velocity[0] = 100.0;
    def.angular[2] = spin;
    def.force[2] = -9.81;
    return rig_add_body(r, &def);
}

START_TEST(free_body)
{
    static const reference_column columns[] = {{"t", 8.9e-16},  {"x", 1.2e-11},  {"y", 0.0},
                                               {"z", 4.0e-12},  {"q0", 2.1e-13}, {"q1", 8.6e-14},
                                               {"q2", 8.5e-14}, {"q3", 2.1e-13}, {NULL, 0.0}};
    reference ref;
    if (!reference_open(&ref, "NE_1DS"))
        return;
    rig r;
    rig_init(&r, 0.01);
    perp_system_id arm = add_arm(&r, 100.0);
    perp_scheme scheme = rig_scheme("moreau-jean", "theta=1");
    rig_start(&r, &scheme);
    double row[22] = {0.0};
    for (int k = 0; k <= reference_steps(&ref); k++) {
        rig_step(&r);
        row[0] = perp_sim_time(r.sim);
        memcpy(row + 1, rig_q(&r, arm), 7 * sizeof(double));
        reference_compare(&ref, k, row);
    }
    reference_close(&ref, columns, 1e-10, 0);
    rig_free(&r);
}
END_TEST

static double norm3(const double *x)
{
    return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
}

/* The tolerance of the Newton loop is visible in the file, its stopping test too. */
START_TEST(ball_joint)
{
    static const reference_column columns[] = {
        {"t", 8.9e-16},   {"x", 5.9e-13},     {"y", 6.6e-13},  {"z", 1.2e-12},
        {"q0", 4.6e-12},  {"q1", 4.8e-12},    {"q2", 4.7e-12}, {"q3", 5.0e-12},
        {"|y|", 1.5e-13}, {"|H v|", 1.3e-14}, {NULL, 0.0}};
    reference ref;
    if (!reference_open(&ref, "NE_1DS_1Knee_MLCP"))
        return;
    rig r;
    rig_init(&r, 0.01);
    r.options.newton_tol = 1e-6;
    r.options.newton_iter = 50;
    perp_system_id arm = add_arm(&r, 0.0);
    perp_relation relation = rig_relation(PERP_RELATION_JOINT, 3);
    relation.joint = PERP_JOINT_POINT;
    perp_interaction_id knee = rig_interact(&r, &arm, 1, &relation, perp_law_equality());
    perp_scheme scheme = rig_scheme("moreau-jean", "theta=1");
    rig_start(&r, &scheme);
    double row[22] = {0.0};
    for (int k = 0; k <= reference_steps(&ref); k++) {
        rig_step(&r);
        perp_problem problem;
        const double *w = NULL;
        ck_assert_int_eq(perp_sim_last_problem(r.sim, &problem, NULL, &w), PERP_SOLVED);
        row[0] = perp_sim_time(r.sim);
        memcpy(row + 1, rig_q(&r, arm), 7 * sizeof(double));
        row[8] = norm3(rig_y(&r, knee));
        row[9] = norm3(w);
        reference_compare(&ref, k, row);
    }
    reference_close(&ref, columns, 1e-10, 0);
    rig_free(&r);
}
END_TEST

TCase *trajectories_bodies(void)
{
    TCase *tcase = tcase_create("bodies");
    tcase_add_test(tcase, disc_with_friction);
    tcase_add_test(tcase, impacting_stick);
    tcase_add_test(tcase, ball_as_a_body);
    tcase_add_test(tcase, free_body);
    tcase_add_test(tcase, ball_joint);
    return tcase;
}
