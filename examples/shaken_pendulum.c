/* SPDX-License-Identifier: BSD-3-Clause */
/* A pendulum stands on its head while its base is shaken: the base is a body with a prescribed
 * motion, a sampler looks at the pendulum every 10 ms, and the joint tells its reaction.
 *
 *     shaken_pendulum [FILE.csv] */
#include <math.h>
#include <perp/kernel.h>
#include <stdio.h>

static const double pi = 3.14159265358979323846, g = 9.81, l = 0.25, amplitude = 0.02;

static int shake(double *pose, double *twist, double t, void *user)
{
    double omega = 2.0 * pi * *(const double *)user; /* its frequency */
    for (int k = 0; k < 7; k++)
        pose[k] = k == 3;
    for (int k = 0; k < 6; k++)
        twist[k] = 0.0;
    pose[2] = amplitude * cos(omega * t);
    twist[2] = -amplitude * omega * sin(omega * t);
    return 0;
}

typedef struct watch {
    FILE *csv;
    perp_system_id rod, base;
    perp_interaction_id pivot;
    double largest;
} watch;

static int look(void *ctx, perp_sim *sim, perp_model *model, double t, double h)
{
    watch *w = ctx;
    double *q = NULL, *base = NULL;
    perp_reaction reaction = {.size = sizeof reaction};
    (void)h;
    if (perp_model_state(model, w->rod, &q, NULL, NULL, NULL) != PERP_SOLVED ||
        perp_model_state(model, w->base, &base, NULL, NULL, NULL) != PERP_SOLVED ||
        perp_sim_reaction(sim, w->pivot, &reaction) != PERP_SOLVED)
        return 1;
    double angle = atan2(q[0], q[2] - base[2]);
    w->largest = fmax(w->largest, fabs(angle));
    if (w->csv)
        fprintf(w->csv, "%.9g,%.9g,%.9g,%.9g\n", t, base[2], angle, reaction.force[2]);
    return 0;
}

/* Hands out the largest angle from upright in 4 s. */
static perp_status run(double frequency, FILE *csv, double *largest)
{
    watch w = {.csv = csv};
    perp_model *model = NULL;
    perp_sim *sim = NULL;
    perp_body_def rod, base;
    perp_interaction_def joint;
    perp_sim_options options;
    perp_body_def_init(&rod, sizeof rod);
    perp_body_def_init(&base, sizeof base);
    rod.position[0] = l * sin(0.1);
    rod.position[2] = amplitude + l * cos(0.1);
    rod.force[2] = -g;
    for (int k = 0; k < 3; k++)
        rod.inertia[4 * k] = l * l / 3.0; /* of 1 kg along 2 l */
    base.motion = shake;
    base.user = &frequency;
    perp_status status = perp_model_create(&model, NULL);
    if (status == PERP_SOLVED)
        status = perp_model_add_body(model, &rod, &w.rod, NULL);
    if (status == PERP_SOLVED)
        status = perp_model_add_body(model, &base, &w.base, NULL);
    perp_interaction_def_init(&joint, sizeof joint);
    joint.systems = (perp_system_id[]){w.rod, w.base};
    joint.nsystems = 2;
    joint.relation.kind = PERP_RELATION_JOINT;
    joint.relation.joint = PERP_JOINT_PIVOT;
    joint.relation.rows = perp_joint_rows(PERP_JOINT_PIVOT);
    joint.relation.anchor[2] = amplitude;
    joint.relation.axis[1] = 1.0;
    joint.law = perp_law_equality();
    if (status == PERP_SOLVED)
        status = perp_model_add_interaction(model, &joint, &w.pivot, NULL);
    perp_sim_options_init(&options, sizeof options);
    options.h = 1e-3;
    if (status == PERP_SOLVED)
        status = perp_sim_create(&sim, model, &options, NULL, NULL);
    if (status == PERP_SOLVED)
        status = perp_sim_add_sampler(sim, 0.01, look, &w);
    if (status == PERP_SOLVED)
        status = perp_sim_run(sim, 4.0);
    perp_sim_destroy(sim);
    perp_model_destroy(model);
    *largest = w.largest;
    return status;
}

int main(int argc, char **argv)
{
    FILE *csv = argc > 1 ? fopen(argv[1], "w") : NULL;
    double shaken, still;
    if (csv)
        fprintf(csv, "t,base,angle,force\n");
    perp_status status = run(30.0, csv, &shaken);
    if (csv)
        fclose(csv);
    if (status == PERP_SOLVED)
        status = run(0.0, NULL, &still);
    if (status != PERP_SOLVED) {
        fprintf(stderr, "%s\n", perp_status_text(status));
        return 1;
    }
    printf("shaken at 30 Hz it stays within %.2f rad of upright, still it falls by %.2f rad\n",
           shaken, still);
    return !(shaken < 0.3 && still > 2.0);
}
