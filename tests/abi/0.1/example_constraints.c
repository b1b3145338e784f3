/* SPDX-License-Identifier: BSD-3-Clause */
/* A mass on a rod, and one that slides inside a hoop: the same motion by an equality and by a
 * unilateral contact.  Each scheme and step: error of q after a second, drift of the rod,
 * penetration of the hoop. */
#include <math.h>
#include <perp/kernel.h>
#include <stdio.h>

static const double g = 9.81, start = 0.8;

/* y = (1 - |q|^2)/2: 0 on the circle, positive inside. */
static int inside(double *y, double t, const double *q, const double *lambda, const double *z,
                  void *user)
{
    (void)t, (void)lambda, (void)z, (void)user;
    *y = 0.5 * (1.0 - q[0] * q[0] - q[1] * q[1]);
    return 0;
}

static int inside_q(double *H, double t, const double *q, const double *lambda, const double *z,
                    void *user)
{
    (void)t, (void)lambda, (void)z, (void)user;
    H[0] = -q[0];
    H[1] = -q[1];
    return 0;
}

/* The angle after a second by 1e5 Runge-Kutta steps of a'' = -g sin a. */
static double exact_angle(void)
{
    const double h = 1e-5;
    double a = start, w = 0.0;
    for (int k = 0; k < 100000; k++) {
        double a1 = w, w1 = -g * sin(a), a2 = w + 0.5 * h * w1, w2 = -g * sin(a + 0.5 * h * a1);
        double a3 = w + 0.5 * h * w2, w3 = -g * sin(a + 0.5 * h * a2);
        double a4 = w + h * w3, w4 = -g * sin(a + h * a3);
        a += h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4);
        w += h / 6.0 * (w1 + 2.0 * w2 + 2.0 * w3 + w4);
    }
    return a;
}

static perp_status make(perp_model *model, perp_system_id *mass, perp_interaction_id *link,
                        perp_law law)
{
    const double q0[] = {sin(start), -cos(start)}, F[] = {0.0, -g};
    perp_lagrangian_def def;
    perp_lagrangian_def_init(&def, sizeof def);
    def.n = 2;
    def.q0 = q0;
    def.F = F;
    perp_status status = perp_model_add_lagrangian(model, &def, mass, NULL);
    perp_interaction_def circle;
    perp_interaction_def_init(&circle, sizeof circle);
    circle.systems = mass;
    circle.nsystems = 1;
    circle.relation.kind = PERP_RELATION_SCLERONOMOUS;
    circle.relation.rows = 1;
    circle.relation.h = inside;
    circle.relation.h_x = inside_q;
    circle.law = law;
    return status == PERP_SOLVED ? perp_model_add_interaction(model, &circle, link, NULL) : status;
}

/* error: of q after a second; worst: |y| for an equality, -y for a contact. */
static perp_status run(double *error, double *worst, const perp_scheme *scheme, perp_law law,
                       int steps, double angle)
{
    perp_model *model = NULL;
    perp_sim *sim = NULL;
    perp_system_id mass = {0, 0};
    perp_interaction_id link;
    perp_sim_options options;
    double *q;
    *error = NAN;
    *worst = 0.0;
    perp_sim_options_init(&options, sizeof options);
    options.h = 1.0 / steps;
    perp_status status = perp_model_create(&model, NULL);
    if (status == PERP_SOLVED)
        status = make(model, &mass, &link, law);
    if (status == PERP_SOLVED)
        status = perp_sim_create(&sim, model, &options, NULL, NULL);
    if (status == PERP_SOLVED)
        status = perp_sim_set_scheme(sim, mass, scheme);
    for (int k = 0; k < steps && status == PERP_SOLVED; k++) {
        status = perp_sim_step(sim);
        *worst = fmax(*worst, perp_sim_info(sim)->violation);
    }
    if (status == PERP_SOLVED && !perp_model_state(model, mass, &q, NULL, NULL, NULL))
        *error = hypot(q[0] - sin(angle), q[1] + cos(angle));
    perp_sim_destroy(sim);
    perp_model_destroy(model);
    return status;
}

static const struct {
    const char *label, *scheme;
    int smooth_contacts;
} rows[] = {{"moreau-jean", "moreau-jean", 1},
            {"direct projection", "moreau-jean-direct-projection", 1},
            {"combined projection", "moreau-jean-combined-projection", 1},
            {"generalized-alpha, smooth_contacts=0", "generalized-alpha", 0},
            {"generalized-alpha", "generalized-alpha", 1}};
enum { ROWS = sizeof rows / sizeof rows[0] };

int main(void)
{
    const double angle = exact_angle();
    double error[3][2], worst[2];
    int bad = 0;
    printf("| scheme | rod: error of q at h = 1/100, 1/200, 1/400 | drift | hoop: error of q | "
           "penetration |\n|---|---|---|---|---|\n");
    for (int k = 0; k < ROWS; k++) {
        perp_scheme scheme;
        bad |= perp_scheme_init(&scheme, rows[k].scheme, sizeof scheme) != PERP_SOLVED;
        scheme.smooth_contacts = rows[k].smooth_contacts;
        for (int i = 0; i < 3; i++) {
            int steps = 100 << i;
            bad |= run(&error[i][0], &worst[0], &scheme, perp_law_equality(), steps, angle) ||
                   run(&error[i][1], &worst[1], &scheme, perp_law_impact(0.5), steps, angle);
        }
        printf("| %s | %.1e, %.1e, %.1e | %.0e | %.1e, %.1e, %.1e | %.0e |\n", rows[k].label,
               error[0][0], error[1][0], error[2][0], worst[0], error[0][1], error[1][1],
               error[2][1], worst[1]);
    }
    /* The last row: order 2 on both, and nothing drifts or penetrates. */
    return bad || !(error[2][0] < 1e-5) || !(error[2][1] < 1e-5) || worst[0] > 1e-9 ||
           worst[1] > 1e-9;
}
