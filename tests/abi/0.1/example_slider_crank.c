/* SPDX-License-Identifier: BSD-3-Clause */
/* A slider-crank whose slider has clearance in its guide: the four corners of the slider touch
 * the guide with impacts and friction.  Numbers of [FloresEtAl2010].
 *
 *     slider_crank [FILE.csv] */
#include <math.h>
#include <perp/kernel.h>
#include <stdio.h>

/* Lengths and masses of crank and rod, slider: half sides, mass; inertias; clearance. */
static const double l1 = 0.153, l2 = 0.306, a = 0.05, b = 0.025, c = 0.001, g = 9.81;
static const double m1 = 0.038, m2 = 0.038, m3 = 0.076, J1 = 7.4e-5, J2 = 5.9e-4, J3 = 2.7e-6;

/* q: angles of crank, rod and slider against the guide; the two pins are rigid. */
static int mass(double *M, double t, const double *q, const double *v, const double *z, void *user)
{
    double coupling = (m2 / 2 + m3) * l1 * l2 * cos(q[0] - q[1]);
    (void)t, (void)v, (void)z, (void)user;
    for (int k = 0; k < 9; k++)
        M[k] = 0;
    M[0] = J1 + (m1 / 4 + m2 + m3) * l1 * l1;
    M[4] = J2 + (m2 / 4 + m3) * l2 * l2;
    M[8] = J3;
    M[1] = M[3] = coupling;
    return 0;
}

static int inertia(double *N, double t, const double *q, const double *v, const double *z,
                   void *user)
{
    double coupling = (m2 / 2 + m3) * l1 * l2 * sin(q[0] - q[1]);
    (void)t, (void)z, (void)user;
    N[0] = coupling * v[1] * v[1] + g * l1 * (m1 / 2 + m2 + m3) * cos(q[0]);
    N[1] = -coupling * v[0] * v[0] + g * l2 * (m2 / 2 + m3) * cos(q[1]);
    N[2] = 0;
    return 0;
}

/* Corners: front below, front above, rear below, rear above; two rows each, the distance from
 * the guide and the position along it. */
static int corners(double *y, double t, const double *q, const double *lambda, const double *z,
                   void *user)
{
    double px = l1 * cos(q[0]) + l2 * cos(q[1]), py = l1 * sin(q[0]) + l2 * sin(q[1]);
    (void)t, (void)lambda, (void)z, (void)user;
    for (int k = 0; k < 4; k++) {
        double x = k < 2 ? a : -a, up = k % 2 ? 1 : -1;
        double height = py + x * sin(q[2]) + up * b * cos(q[2]);
        y[2 * k] = b + c / 2 - up * height;
        y[2 * k + 1] = px + x * cos(q[2]) - up * b * sin(q[2]);
    }
    return 0;
}

static int corners_q(double *H, double t, const double *q, const double *lambda, const double *z,
                     void *user)
{
    (void)t, (void)lambda, (void)z, (void)user;
    for (int k = 0; k < 4; k++) {
        double x = k < 2 ? a : -a, up = k % 2 ? 1 : -1, *row = H + 2 * k;
        row[0] = -up * l1 * cos(q[0]);
        row[8] = -up * l2 * cos(q[1]);
        row[16] = -up * (x * cos(q[2]) - up * b * sin(q[2]));
        row[1] = -l1 * sin(q[0]);
        row[9] = -l2 * sin(q[1]);
        row[17] = -x * sin(q[2]) - up * b * cos(q[2]);
    }
    return 0;
}

static perp_status make(perp_model *model, perp_system_id *crank, perp_interaction_id *guide)
{
    const double q0[3] = {0, 0, 0}, v0[3] = {150, -75, 0};
    perp_lagrangian_def def;
    perp_lagrangian_def_init(&def, sizeof def);
    def.n = 3;
    def.q0 = q0;
    def.v0 = v0;
    def.mass = mass;
    def.N = inertia;
    def.differences = 1; /* instead of N_q and N_v */
    perp_status status = perp_model_add_lagrangian(model, &def, crank, NULL);
    perp_interaction_def contact;
    perp_interaction_def_init(&contact, sizeof contact);
    contact.systems = crank;
    contact.nsystems = 1;
    contact.relation.kind = PERP_RELATION_SCLERONOMOUS;
    contact.relation.rows = 8;
    contact.relation.h = corners;
    contact.relation.h_x = corners_q;
    contact.law = perp_law_friction(2, 0.4, 0.01);
    return status == PERP_SOLVED ? perp_model_add_interaction(model, &contact, guide, NULL)
                                 : status;
}

int main(int argc, char **argv)
{
    FILE *csv = argc > 1 ? fopen(argv[1], "w") : NULL;
    perp_model *model = NULL;
    perp_sim *sim = NULL;
    perp_sim_options options;
    perp_system_id crank;
    perp_interaction_id guide;
    const double *y = NULL, *p = NULL;
    double *q = NULL, deep = 0, touched = 0, energy[2] = {0, 0};
    perp_sim_options_init(&options, sizeof options);
    options.h = 1e-5;
    perp_status status = perp_model_create(&model, NULL);
    if (status == PERP_SOLVED)
        status = make(model, &crank, &guide);
    if (status == PERP_SOLVED)
        status = perp_sim_create(&sim, model, &options, NULL, NULL);
    if (status == PERP_SOLVED)
        status = perp_model_state(model, crank, &q, NULL, NULL, NULL);
    if (status == PERP_SOLVED)
        status = perp_model_kinetic_energy(model, crank, 0, &energy[0]);
    if (csv)
        fprintf(csv, "t,crank,rod,slider,height,lower_front,upper_front,lower_rear,upper_rear\n");
    while (status == PERP_SOLVED && q[0] < 4 * 3.14159265358979) {
        status = perp_sim_step(sim);
        if (status == PERP_SOLVED)
            status = perp_model_output(model, guide, &y, NULL, &p, NULL, NULL);
        if (status != PERP_SOLVED)
            break;
        for (int k = 0; k < 4; k++) {
            deep = fmax(deep, -y[2 * k]);
            touched += p[2 * k] > 0 ? 0.25 : 0;
        }
        if (csv && perp_sim_info(sim)->step % 4 == 0)
            fprintf(csv, "%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g\n", perp_sim_time(sim), q[0],
                    q[1], q[2], l1 * sin(q[0]) + l2 * sin(q[1]), y[0], y[2], y[4], y[6]);
    }
    if (csv)
        fclose(csv);
    if (status == PERP_SOLVED && !perp_model_kinetic_energy(model, crank, 0, &energy[1]))
        printf(
            "two turns in %.2f ms: each corner touched for %.0f %% of them, at most %.1f um deep; "
            "kinetic energy %.4f J -> %.4f J\n",
            1e3 * perp_sim_time(sim), 100 * touched * options.h / perp_sim_time(sim), 1e6 * deep,
            energy[0], energy[1]);
    else
        fprintf(stderr, "slider_crank: %s\n", perp_status_text(status));
    perp_sim_destroy(sim);
    perp_model_destroy(model);
    return status != PERP_SOLVED || touched < 100 || deep > 1e-4 || energy[1] > energy[0];
}
