/* SPDX-License-Identifier: BSD-3-Clause */
/* The follower of cam.h over two seconds by Moreau-Jean: slowly turned it stays on the cam; at the
 * higher speeds it is thrown off at the top and impacts with e = 0.8.
 *
 *     cam_follower [FILE.csv] */
#include <stdio.h>

#include "cam.h"

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
        status = cam_make(model, rpm / 60, 0.1, 0, &follower, &cam);
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
                    cam_height(&rate, perp_sim_time(sim), rpm / 60), impulse[0]);
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
