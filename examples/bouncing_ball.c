/* SPDX-License-Identifier: BSD-3-Clause */
/* A ball falls on the ground and bounces infinitely often in a finite time ([ACA10]): with
 * restitution e from height H it rests from t = sqrt(2 H / g) (1 + e) / (1 - e) on.  The scheme
 * walks over the accumulation of impacts with a fixed step.
 *
 *     bouncing_ball [FILE.csv] */
#include <math.h>
#include <perp/kernel.h>
#include <stdio.h>

static const double g = 9.81, height = 1, e = 0.5;

static perp_status make_ball(perp_model *model, perp_system_id *ball, perp_interaction_id *ground)
{
    const double q0[1] = {height}, weight[1] = {-g}, down[1] = {1};
    perp_lagrangian_def def;
    perp_lagrangian_def_init(&def, sizeof def);
    def.n = 1;
    def.q0 = q0;
    def.F = weight;
    perp_status status = perp_model_add_lagrangian(model, &def, ball, NULL);
    perp_interaction_def gap;
    perp_interaction_def_init(&gap, sizeof gap);
    gap.systems = ball;
    gap.nsystems = 1;
    gap.relation.kind = PERP_RELATION_LINEAR;
    gap.relation.rows = 1;
    gap.relation.C = down;
    gap.law = perp_law_impact(e);
    if (status == PERP_SOLVED)
        status = perp_model_add_interaction(model, &gap, ground, NULL);
    return status;
}

int main(int argc, char **argv)
{
    FILE *csv = argc > 1 ? fopen(argv[1], "w") : NULL;
    perp_model *model = NULL;
    perp_sim *sim = NULL;
    perp_sim_options options;
    perp_system_id ball;
    perp_interaction_id ground;
    double *q = NULL, *v = NULL, rest = NAN;
    const double *impulse = NULL;
    int impacts = 0;

    perp_sim_options_init(&options, sizeof options);
    options.h = 1e-3;
    perp_status status = perp_model_create(&model, NULL);
    if (status == PERP_SOLVED)
        status = make_ball(model, &ball, &ground);
    if (status == PERP_SOLVED)
        status = perp_sim_create(&sim, model, &options, NULL, NULL);
    if (status == PERP_SOLVED)
        status = perp_model_state(model, ball, &q, &v, NULL, NULL);
    if (csv)
        fprintf(csv, "t,q,v,impulse\n");
    while (status == PERP_SOLVED && perp_sim_time(sim) < 2) {
        double before = v[0];
        status = perp_sim_step(sim);
        if (status == PERP_SOLVED)
            status = perp_model_output(model, ground, NULL, NULL, &impulse, NULL, NULL);
        if (status != PERP_SOLVED)
            break;
        if (fabs(v[0]) > 2 * g * options.h) {
            rest = perp_sim_time(sim); /* below, the step no longer tells bounces apart */
            impacts += before < 0 && v[0] > 0;
        }
        if (csv)
            fprintf(csv, "%.9g,%.9g,%.9g,%.9g\n", perp_sim_time(sim), q[0], v[0], impulse[0]);
    }
    if (csv)
        fclose(csv);
    double exact = sqrt(2 * height / g) * (1 + e) / (1 - e);
    if (status == PERP_SOLVED)
        printf("%d impacts, at rest from t = %.4f on (exact %.4f), height there %.1e\n", impacts,
               rest, exact, q[0]);
    else
        fprintf(stderr, "bouncing_ball: %s\n", perp_status_text(status));
    int wrong = status != PERP_SOLVED || fabs(rest - exact) > 20 * options.h || fabs(q[0]) > 1e-3;
    perp_sim_destroy(sim);
    perp_model_destroy(model);
    return wrong;
}
