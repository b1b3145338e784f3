/* SPDX-License-Identifier: BSD-3-Clause */
/* An LC oscillator feeds a resistor through a diode: the diode conducts (lambda > 0, its
 * voltage 0) or blocks (lambda = 0), and each half wave through it damps the oscillation.
 *
 *     rlcd_circuit [FILE.csv] */
#include <perp/kernel.h>
#include <stdio.h>

static const double L = 1e-2, C = 1e-6, R = 1e3;

/* x = (voltage of the capacitor, current of the coil); lambda = current of the diode,
 * y = -voltage of the capacitor + R lambda, the reverse voltage of the diode. */
static perp_status make_circuit(perp_model *model, perp_system_id *circuit,
                                perp_interaction_id *diode)
{
    const double x0[2] = {10, 0}, A[4] = {0, 1 / L, -1 / C, 0};
    const double H[2] = {-1, 0}, B[2] = {-1 / C, 0};
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
    link.relation.rows = 1;
    link.relation.C = H;
    link.relation.D = &R;
    link.relation.B = B;
    link.law = perp_law_complementarity();
    return status == PERP_SOLVED ? perp_model_add_interaction(model, &link, diode, NULL) : status;
}

int main(int argc, char **argv)
{
    FILE *csv = argc > 1 ? fopen(argv[1], "w") : NULL;
    perp_model *model = NULL;
    perp_sim *sim = NULL;
    perp_sim_options options;
    perp_scheme scheme;
    perp_system_id circuit;
    perp_interaction_id diode;
    const double *lambda = NULL, *y = NULL;
    double *x = NULL, charge = 0;
    int switches = 0, conducted = 0;

    perp_sim_options_init(&options, sizeof options);
    options.h = 1e-6;
    perp_scheme_init(&scheme, "euler-moreau", sizeof scheme);
    scheme.theta = 0.5;
    perp_status status = perp_model_create(&model, NULL);
    if (status == PERP_SOLVED)
        status = make_circuit(model, &circuit, &diode);
    if (status == PERP_SOLVED)
        status = perp_sim_create(&sim, model, &options, NULL, NULL);
    if (status == PERP_SOLVED)
        status = perp_sim_set_scheme(sim, (perp_system_id){0, 0}, &scheme);
    if (status == PERP_SOLVED)
        status = perp_model_state(model, circuit, &x, NULL, NULL, NULL);
    if (csv)
        fprintf(csv, "t,v_C,i_L,v_diode,i_diode\n");
    while (status == PERP_SOLVED && perp_sim_time(sim) < 5e-3) {
        status = perp_sim_step(sim);
        if (status == PERP_SOLVED)
            status = perp_model_output(model, diode, &y, NULL, &lambda, NULL, NULL);
        if (status != PERP_SOLVED)
            break;
        charge += options.h * lambda[0];
        switches += (lambda[0] > 1e-9) != conducted;
        conducted = lambda[0] > 1e-9;
        if (csv && perp_sim_info(sim)->step % 10 == 0)
            fprintf(csv, "%.9g,%.9g,%.9g,%.9g,%.9g\n", perp_sim_time(sim), x[0], x[1], -y[0],
                    lambda[0]);
    }
    if (csv)
        fclose(csv);
    if (status == PERP_SOLVED)
        printf("at t = 5 ms: capacitor %.4f V, coil %.4f mA; the diode switched %d times and let "
               "%.4g C through\n",
               x[0], 1e3 * x[1], switches, charge);
    else
        fprintf(stderr, "rlcd_circuit: %s\n", perp_status_text(status));
    perp_sim_destroy(sim);
    perp_model_destroy(model);
    return status != PERP_SOLVED || switches < 5;
}
