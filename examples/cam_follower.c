/* SPDX-License-Identifier: BSD-3-Clause */
/* A follower pressed by a spring on a turning cam: y = q - c(t) >= 0, rheonomous (002 ch. 14).
 * The cam is an eccentric disc joined by arcs, so that its profile has a continuous slope but
 * jumps in curvature.  Slowly turned, the follower stays on the cam; at the higher speeds it
 * is thrown off at the top and impacts with e = 0.8.
 *
 *     cam_follower [FILE.csv] */
#include <math.h>
#include <perp/kernel.h>
#include <stdio.h>

static const double pi = 3.14159265358979323846, mass = 1.221, stiffness = 1430.8;

/* Height of the cam under the follower and its rate; z = {revolutions a minute}. */
static double profile(double *rate, double t, double rpm)
{
    const double k1 = 0.45, r1 = 0.85, k2 = 0.40393320723821, r3 = 0.15;
    double w = 2 * pi * rpm / 60, beta = fmod(w * t + pi / 2, 2 * pi), c, slope, s;
    if (beta > pi) {
        beta = 2 * pi - beta;
        w = -w;
    }
    double x = beta - pi / 2;
    if (x <= 0) {
        c = 0.4;
        slope = 0;
    } else if (x <= 1.050328174371336) {
        s = sqrt(1 - pow(k1 * cos(beta) / r1, 2));
        c = -k1 * sin(beta) + r1 * s;
        slope = -k1 * cos(beta) + k1 * k1 * sin(beta) * cos(beta) / (r1 * s);
    } else if (x <= 1.22173047639603) {
        x = beta + pi / 9;
        s = sqrt(1 - pow(k2 * sin(x) / r3, 2));
        c = -k2 * cos(x) + r3 * s;
        slope = k2 * sin(x) - k2 * k2 * sin(x) * cos(x) / (r3 * s);
    } else {
        c = 0.55393320723821;
        slope = 0;
    }
    *rate = w * slope;
    return c - 0.3;
}

static int gap(double *y, double t, const double *q, const double *lambda, const double *z, void *u)
{
    double rate;
    (void)lambda, (void)u;
    y[0] = q[0] - profile(&rate, t, z[0]);
    return 0;
}

static int gap_q(double *H, double t, const double *q, const double *lambda, const double *z,
                 void *u)
{
    (void)t, (void)q, (void)lambda, (void)z, (void)u;
    H[0] = 1;
    return 0;
}

static int gap_t(double *drift, double t, const double *q, const double *lambda, const double *z,
                 void *u)
{
    double rate;
    (void)q, (void)lambda, (void)u;
    profile(&rate, t, z[0]);
    drift[0] = -rate;
    return 0;
}

static perp_status make(perp_model *model, double rpm, perp_system_id *follower,
                        perp_interaction_id *cam)
{
    const double q0[1] = {0.1}, F[1] = {-9.81 * mass};
    perp_lagrangian_def def;
    perp_lagrangian_def_init(&def);
    def.n = 1;
    def.q0 = q0;
    def.F = F;
    perp_mat_init_dense(&def.M, 1, 1, &mass, 1);
    perp_mat_init_dense(&def.K, 1, 1, &stiffness, 1);
    perp_status status = perp_model_add_lagrangian(model, &def, follower, NULL);
    perp_interaction_def contact;
    perp_interaction_def_init(&contact);
    contact.systems = follower;
    contact.nsystems = 1;
    contact.relation.kind = PERP_RELATION_RHEONOMOUS;
    contact.relation.rows = 1;
    contact.relation.h = gap;
    contact.relation.h_x = gap_q;
    contact.relation.h_t = gap_t;
    contact.relation.z = &rpm;
    contact.relation.nz = 1;
    contact.law = perp_law_impact(0.8);
    return status == PERP_SOLVED ? perp_model_add_interaction(model, &contact, cam, NULL) : status;
}

/* Two seconds at one speed; highest: the largest gap. */
static perp_status turn(double rpm, FILE *csv, double *highest)
{
    perp_model *model = NULL;
    perp_sim *sim = NULL;
    perp_sim_options options;
    perp_system_id follower;
    perp_interaction_id cam;
    const double *y = NULL, *impulse = NULL;
    double *q = NULL, *v = NULL, worst = 0, rate, touched = 0;
    perp_sim_options_init(&options, sizeof options);
    options.h = 1e-4;
    perp_status status = perp_model_create(&model, NULL);
    if (status == PERP_SOLVED)
        status = make(model, rpm, &follower, &cam);
    if (status == PERP_SOLVED)
        status = perp_sim_create(&sim, model, &options, NULL, NULL);
    if (status == PERP_SOLVED)
        status = perp_model_state(model, follower, &q, &v, NULL, NULL);
    for (int k = 0; k < 20000 && status == PERP_SOLVED; k++) {
        status = perp_sim_step(sim);
        if (status == PERP_SOLVED)
            status = perp_model_output(model, cam, &y, NULL, &impulse, NULL, NULL);
        if (status)
            break;
        *highest = fmax(*highest, y[0]);
        worst = fmax(worst, -y[0]);
        touched += impulse[0] > 0;
        if (csv && k % 5 == 4)
            fprintf(csv, "%g,%.9g,%.9g,%.9g,%.9g,%.9g\n", rpm, perp_sim_time(sim), q[0], v[0],
                    profile(&rate, perp_sim_time(sim), rpm), impulse[0]);
    }
    printf(
        "%3g rpm: on the cam in %5.1f %% of the steps, gap up to %7.2f mm, penetration %.2f mm\n",
        rpm, touched / 200, 1e3 * *highest, 1e3 * worst);
    perp_sim_destroy(sim);
    perp_model_destroy(model);
    return status;
}

int main(int argc, char **argv)
{
    const double speeds[4] = {100, 358, 660, 700};
    FILE *csv = argc > 1 ? fopen(argv[1], "w") : NULL;
    double gaps[4] = {0};
    int bad = 0;
    if (csv)
        fprintf(csv, "rpm,t,q,v,cam,impulse\n");
    for (int k = 0; k < 4; k++)
        bad |= turn(speeds[k], csv, &gaps[k]) != PERP_SOLVED;
    bad |= csv && fclose(csv);
    return bad || gaps[0] > 1e-3 || gaps[1] < 0.1;
}
