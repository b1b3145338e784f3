/* SPDX-License-Identifier: BSD-3-Clause */
/* The woodpecker toy: a bird on a spring at a sleeve with play on a pole.  The sleeve jams and
 * slips, the beak strikes the pole, and the bird comes down pecking in a limit cycle.  Three
 * degrees of freedom, numbers of [LeineEtAl2003].
 *
 *     woodpecker [FILE.csv] */
#include <math.h>
#include <perp/kernel.h>
#include <stdio.h>

static const double mM = 0.0003, JM = 5e-9, mS = 0.0045, JS = 7e-7; /* sleeve, bird */
static const double spring = 0.0056, g = 9.81, r0 = 0.0025, rM = 0.0031, hM = 0.0058;
static const double lM = 0.01, lG = 0.015, hS = 0.02, lS = 0.0201;

/* q: height of the sleeve, angles of sleeve and bird. */
static perp_status make_bird(perp_model *model, perp_system_id *bird)
{
    const double q0[3] = {0, -0.1036, -0.2788}, v0[3] = {-0.3411, 0, -7.4583};
    const double F[3] = {-(mS + mM) * g, -mS * g * lM, -mS * g * lG};
    const double K[9] = {0, 0, 0, 0, spring, -spring, 0, -spring, spring};
    const double M[9] = {mS + mM,      mS * lM, mS * lG,      mS * lM,          JM + mS * lM * lM,
                         mS * lM * lG, mS * lG, mS * lM * lG, JS + mS * lG * lG};
    perp_lagrangian_def def;
    perp_lagrangian_def_init(&def, sizeof def);
    def.n = 3;
    def.q0 = q0;
    def.v0 = v0;
    def.F = F;
    perp_mat_init_dense(&def.M, 3, 3, M, 3);
    perp_mat_init_dense(&def.K, 3, 3, K, 3);
    return perp_model_add_lagrangian(model, &def, bird, NULL);
}

/* A point against the pole: gap = C row 0 . q + play, slip along the pole = C row 1 . q. */
static perp_status add_contact(perp_model *model, perp_system_id bird, const double *C, double play,
                               double e, perp_interaction_id *id)
{
    const double offset[2] = {play, 0};
    perp_interaction_def def;
    perp_interaction_def_init(&def, sizeof def);
    def.systems = &bird;
    def.nsystems = 1;
    def.relation.kind = PERP_RELATION_LINEAR;
    def.relation.rows = 2;
    def.relation.C = C;
    def.relation.e = offset;
    def.law = perp_law_friction(2, e, 0.3);
    return perp_model_add_interaction(model, &def, id, NULL);
}

static perp_status make(perp_model *model, perp_system_id *bird, perp_interaction_id contact[3])
{
    const double beak[6] = {0, 1, 0, lM, -hS, lG - lS};
    const double low[6] = {0, 1, hM, rM, 0, 0}, high[6] = {0, 1, -hM, rM, 0, 0};
    perp_status status = make_bird(model, bird);
    if (status == PERP_SOLVED)
        status = add_contact(model, *bird, beak, lM + lG - lS - r0, 0.5, &contact[0]);
    if (status == PERP_SOLVED)
        status = add_contact(model, *bird, low, rM - r0, 0, &contact[1]);
    if (status == PERP_SOLVED)
        status = add_contact(model, *bird, high, rM - r0, 0, &contact[2]);
    return status;
}

int main(int argc, char **argv)
{
    FILE *csv = argc > 1 ? fopen(argv[1], "w") : NULL;
    perp_model *model = NULL;
    perp_sim *sim = NULL;
    perp_sim_options options;
    perp_system_id bird;
    perp_interaction_id contact[3];
    const double *p = NULL;
    double *q = NULL, *v = NULL, first = 0, last = 0, height[2] = {0, 0};
    int pecks = 0, struck = 0;

    perp_sim_options_init(&options, sizeof options);
    options.h = 2e-5;
    perp_status status = perp_model_create(&model, NULL);
    if (status == PERP_SOLVED)
        status = make(model, &bird, contact);
    if (status == PERP_SOLVED)
        status = perp_sim_create(&sim, model, &options, NULL, NULL);
    if (status == PERP_SOLVED)
        status = perp_model_state(model, bird, &q, &v, NULL, NULL);
    if (csv)
        fprintf(csv, "t,y,phi_M,phi_S,v_y,v_M,v_S\n");
    while (status == PERP_SOLVED && perp_sim_time(sim) < 2) {
        double t = perp_sim_time(sim);
        status = perp_sim_step(sim);
        if (status != PERP_SOLVED ||
            perp_model_output(model, contact[0], NULL, NULL, &p, NULL, NULL) != PERP_SOLVED)
            break;
        int strikes = p[0] > 0;
        if (strikes && !struck && t > last + 0.05 && t > 0.5) {
            first = pecks ? first : t;
            height[pecks > 0] = q[0];
            last = t;
            pecks++;
        }
        struck = strikes;
        if (csv && perp_sim_info(sim)->step % 20 == 0)
            fprintf(csv, "%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g\n", t, q[0], q[1], q[2], v[0], v[1],
                    v[2]);
    }
    if (csv)
        fclose(csv);
    int wrong = status != PERP_SOLVED || pecks < 5;
    if (wrong)
        fprintf(stderr, "woodpecker: %s, %d pecks\n", perp_status_text(status), pecks);
    else
        printf("%d pecks, one in %.4f s, and each time %.3f mm down\n", pecks,
               (last - first) / (pecks - 1), 1e3 * (height[0] - height[1]) / (pecks - 1));
    perp_sim_destroy(sim);
    perp_model_destroy(model);
    return wrong;
}
