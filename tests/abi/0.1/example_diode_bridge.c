/* SPDX-License-Identifier: BSD-3-Clause */
/* An LC oscillator feeds a resistor through a bridge of four diodes: whatever the sign of the
 * oscillation, the current in the resistor has one direction.
 *
 *     diode_bridge [FILE.csv] */
#include <math.h>
#include <perp/kernel.h>
#include <stdio.h>

static const double L = 1e-2, C = 1e-6, R = 1e3;

/* lambda: reverse voltages of the two upper diodes, currents of the two lower ones; y the
 * other of the pair. */
static perp_status make_bridge(perp_model *model, perp_system_id *circuit,
                               perp_interaction_id *diodes)
{
    const double x0[2] = {10, 0}, A[4] = {0, 1 / L, -1 / C, 0};
    const double H[8] = {0, 0, -1, 1, 0, 0, 0, 0}; /* by columns */
    const double D[16] = {1 / R, 1 / R, 1, 0, 1 / R, 1 / R, 0, 1, -1, 0, 0, 0, 0, -1, 0, 0};
    const double B[8] = {0, 0, 0, 0, -1 / C, 0, 1 / C, 0};
    perp_first_order_def def;
    perp_first_order_def_init(&def, sizeof def);
    def.n = 2;
    def.x0 = x0;
    perp_mat_init_dense(&def.A, 2, 2, A, 2);
    perp_status status = perp_model_add_first_order(model, &def, circuit, NULL);
    perp_interaction_def link;
    perp_interaction_def_init(&link, sizeof link);
    link.systems = circuit;
    link.nsystems = 1;
    link.relation.kind = PERP_RELATION_LINEAR;
    link.relation.rows = 4;
    link.relation.C = H;
    link.relation.D = D;
    link.relation.B = B;
    link.law = perp_law_complementarity();
    return status == PERP_SOLVED ? perp_model_add_interaction(model, &link, diodes, NULL) : status;
}

int main(int argc, char **argv)
{
    FILE *csv = argc > 1 ? fopen(argv[1], "w") : NULL;
    perp_model *model = NULL;
    perp_sim *sim = NULL;
    perp_sim_options options;
    perp_system_id circuit;
    perp_interaction_id diodes;
    const double *lambda = NULL, *y = NULL;
    double *x = NULL, lowest = 0, highest = 0;

    perp_sim_options_init(&options, sizeof options);
    options.h = 1e-6; /* first-order systems take euler-moreau with theta = 1/2 by themselves */
    perp_status status = perp_model_create(&model, NULL);
    if (status == PERP_SOLVED)
        status = make_bridge(model, &circuit, &diodes);
    if (status == PERP_SOLVED)
        status = perp_sim_create(&sim, model, &options, NULL, NULL);
    if (status == PERP_SOLVED)
        status = perp_model_state(model, circuit, &x, NULL, NULL, NULL);
    if (csv)
        fprintf(csv, "t,v_C,i_L,i_R,v_1,v_2\n");
    while (status == PERP_SOLVED && perp_sim_time(sim) < 5e-3) {
        status = perp_sim_step(sim);
        if (status == PERP_SOLVED)
            status = perp_model_output(model, diodes, &y, NULL, &lambda, NULL, NULL);
        if (status != PERP_SOLVED)
            break;
        double resistor = (lambda[0] + lambda[1]) / R;
        lowest = fmin(lowest, resistor);
        highest = fmax(highest, resistor);
        if (csv && perp_sim_info(sim)->step % 10 == 0)
            fprintf(csv, "%.9g,%.9g,%.9g,%.9g,%.9g,%.9g\n", perp_sim_time(sim), x[0], x[1],
                    resistor, -lambda[0], -lambda[1]);
    }
    if (csv)
        fclose(csv);
    if (status == PERP_SOLVED)
        printf("at t = 5 ms: capacitor %.5f V, coil %.5f mA; current of the resistor between "
               "%.1e and %.4f mA\n",
               x[0], 1e3 * x[1], 1e3 * lowest, 1e3 * highest);
    else
        fprintf(stderr, "diode_bridge: %s\n", perp_status_text(status));
    perp_sim_destroy(sim);
    perp_model_destroy(model);
    return status != PERP_SOLVED || lowest < -1e-9 || highest < 5e-3;
}
