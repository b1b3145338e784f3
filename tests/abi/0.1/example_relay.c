/* SPDX-License-Identifier: BSD-3-Clause */
/* A relay feeds back the sign of the output of a linear system (multivalued at 0): the motion
 * meets the surface y = 0 in bursts, and slides on it with a value of the relay inside of
 * (-1, 1), not by switching to and fro.
 *
 *     relay [FILE.csv] */
#include <math.h>
#include <perp/kernel.h>
#include <stdio.h>

static perp_status make(perp_model *model, perp_system_id *plant, perp_interaction_id *relay)
{
    const double xi = -0.07, w = 10, slow = 0.05;
    const double x0[3] = {0, 0.5, 0}, B[3] = {1, -2, 1}, H[3] = {1, 0, 0};
    const double A[9] = {-(2 * xi * w + slow),
                         -(2 * xi * w * slow + w * w),
                         -slow * w * w, /**/
                         1,
                         0,
                         0,
                         /**/ 0,
                         1,
                         0};
    perp_first_order_def def;
    perp_first_order_def_init(&def, sizeof def);
    def.n = 3;
    def.x0 = x0;
    perp_mat_init_dense(&def.A, 3, 3, A, 3);
    perp_status status = perp_model_add_first_order(model, &def, plant, NULL);
    perp_interaction_def link;
    perp_interaction_def_init(&link, sizeof link);
    link.systems = plant;
    link.nsystems = 1;
    link.relation.kind = PERP_RELATION_LINEAR;
    link.relation.rows = 1;
    link.relation.C = H;
    link.relation.B = B;
    link.law = perp_law_relay(-1, 1);
    return status == PERP_SOLVED ? perp_model_add_interaction(model, &link, relay, NULL) : status;
}

int main(int argc, char **argv)
{
    FILE *csv = argc > 1 ? fopen(argv[1], "w") : NULL;
    perp_model *model = NULL;
    perp_sim *sim = NULL;
    perp_sim_options options;
    perp_system_id plant;
    perp_interaction_id relay;
    const double *lambda = NULL;
    double *x = NULL, sliding = 0, longest = 0, farthest = 0, burst = 0;

    perp_sim_options_init(&options, sizeof options);
    options.h = 2e-3;
    perp_status status = perp_model_create(&model, NULL);
    if (status == PERP_SOLVED)
        status = make(model, &plant, &relay);
    if (status == PERP_SOLVED)
        status = perp_sim_create(&sim, model, &options, NULL, NULL);
    if (status == PERP_SOLVED)
        status = perp_model_state(model, plant, &x, NULL, NULL, NULL);
    if (csv)
        fprintf(csv, "t,x1,x2,x3,lambda\n");
    while (status == PERP_SOLVED && perp_sim_time(sim) < 60) {
        status = perp_sim_step(sim);
        if (status == PERP_SOLVED)
            status = perp_model_output(model, relay, NULL, NULL, &lambda, NULL, NULL);
        if (status != PERP_SOLVED)
            break;
        if (fabs(lambda[0]) < 1 - 1e-9) {
            burst += options.h;
            sliding += options.h;
            longest = fmax(longest, burst);
            farthest = fmax(farthest, fabs(x[0]));
        } else {
            burst = 0;
        }
        if (csv && perp_sim_info(sim)->step % 5 == 0)
            fprintf(csv, "%.9g,%.9g,%.9g,%.9g,%.9g\n", perp_sim_time(sim), x[0], x[1], x[2],
                    lambda[0]);
    }
    if (csv)
        fclose(csv);
    if (status == PERP_SOLVED)
        printf("sliding for %.2f s of 60 s, %.2f s at most at once, |y| there at most %.0e\n",
               sliding, longest, farthest);
    else
        fprintf(stderr, "relay: %s\n", perp_status_text(status));
    perp_sim_destroy(sim);
    perp_model_destroy(model);
    return status != PERP_SOLVED || longest < 0.05 || farthest > 1e-9;
}
