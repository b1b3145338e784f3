/* SPDX-License-Identifier: BSD-3-Clause */
/* Circuits with diodes: linear first-order systems with complementarity. */
#include <math.h>
#include <string.h>

#include "tests/fixtures/kernel_rig.h"
#include "tests/kernel/trajectories/reference.h"

static const double inductance = 1e-2, capacity = 1e-6, resistance = 1e3;

/* C and D by rows here, as the statements print them; column-major for the model. */
static void by_columns(double *out, const double *in, int rows, int cols)
{
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++)
            out[i + j * rows] = in[i * cols + j];
}

START_TEST(circuit_rlcd)
{
    static const reference_column columns[] = {{"t", 8.7e-19},      {"x0", 2.8e-14},
                                               {"x1", 3.1e-16},     {"-y", 2.6e-14},
                                               {"lambda", 2.8e-17}, {"0", 0.0}};
    reference ref;
    if (!reference_open(&ref, "CircuitRLCD"))
        return;
    rig r;
    rig_init(&r, 1e-5);
    const double x0[] = {10.0, 0.0}, A[] = {0.0, 1.0 / inductance, -1.0 / capacity, 0.0};
    const double B[] = {-1.0 / capacity, 0.0}, C[] = {-1.0, 0.0};
    perp_relation relation = rig_relation(PERP_RELATION_LINEAR, 1);
    relation.B = B;
    relation.C = C;
    relation.D = &resistance;
    perp_system_id system = rig_first_order(&r, 2, x0, A);
    perp_interaction_id diode = rig_interact(&r, &system, 1, &relation, perp_law_complementarity());
    perp_scheme scheme = rig_scheme("euler-moreau", "theta=0.5000000000001");
    rig_start(&r, &scheme);
    const double first[] = {0.0, 10.0, 0.0, 10.0, 0.0, 0.0};
    reference_compare(&ref, 0, first);
    for (int k = 1; k <= reference_steps(&ref); k++) {
        rig_step(&r);
        const double *x = rig_q(&r, system);
        const double row[] = {perp_sim_time(r.sim),   x[0], x[1], -*rig_y(&r, diode),
                              *rig_lambda(&r, diode), 0.0};
        reference_compare(&ref, k, row);
    }
    reference_close(&ref, columns, 1e-10, 0);
    rig_free(&r);
}
END_TEST

/* Four diodes between an LC circuit and a resistor. */
static perp_interaction_id add_bridge(rig *r, perp_system_id *system)
{
    const double x0[] = {10.0, 0.0}, A[] = {0.0, 1.0 / inductance, -1.0 / capacity, 0.0};
    const double c = 1.0 / capacity, g = 1.0 / resistance;
    const double B[] = {0, 0, -c, c, 0, 0, 0, 0}, C[] = {0, 0, 0, 0, -1, 0, 1, 0};
    const double D[] = {g, g, -1, 0, g, g, 0, -1, 1, 0, 0, 0, 0, 1, 0, 0};
    double b[8], cc[8], d[16];
    by_columns(b, B, 2, 4);
    by_columns(cc, C, 4, 2);
    by_columns(d, D, 4, 4);
    perp_relation relation = rig_relation(PERP_RELATION_LINEAR, 4);
    relation.B = b;
    relation.C = cc;
    relation.D = d;
    *system = rig_first_order(r, 2, x0, A);
    return rig_interact(r, system, 1, &relation, perp_law_complementarity());
}

START_TEST(diode_bridge)
{
    static const reference_column columns[] = {{"t", 8.7e-19},  {"x0", 4.6e-13},   {"x1", 4.7e-15},
                                               {"y0", 1.8e-15}, {"-l0", 4.6e-13},  {"-l1", 4.6e-13},
                                               {"l2", 1.8e-15}, {"y0+l2", 4.6e-16}};
    reference ref;
    if (!reference_open(&ref, "DiodeBridge"))
        return;
    rig r;
    perp_system_id system;
    rig_init(&r, 1e-6);
    perp_interaction_id bridge = add_bridge(&r, &system);
    perp_scheme scheme = rig_scheme("euler-moreau", "theta=0.5");
    rig_start(&r, &scheme);
    const double first[] = {0.0, 10.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    reference_compare(&ref, 0, first);
    for (int k = 1; k <= reference_steps(&ref); k++) {
        rig_step(&r);
        const double *x = rig_q(&r, system), *y = rig_y(&r, bridge), *l = rig_lambda(&r, bridge);
        const double row[] = {perp_sim_time(r.sim), x[0], x[1], y[0], -l[0], -l[1], l[2],
                              y[0] + l[2]};
        reference_compare(&ref, k, row);
    }
    reference_close(&ref, columns, 1e-10, 0);
    rig_free(&r);
}
END_TEST

/* gamma acts in the relation alone; the y on record is that of the end point. */
START_TEST(diode_bridge_theta_gamma)
{
    static const reference_column columns[] = {
        {"t", 3.4e-16},    {"x0", 2.9e-12},   {"x1", 2.9e-14}, {"y0", 2.9e-15},
        {"-l0", 2.9e-12},  {"-l1", 2.9e-12},  {"l2", 2.9e-15}, {"stored", 2.8e-18},
        {"lost", 6.1e-18}, {"total", 6.3e-18}};
    reference ref;
    if (!reference_open(&ref, "DiodeBridge_ThetaGamma"))
        return;
    rig r;
    perp_system_id system;
    const double h = 1e-6;
    rig_init(&r, h);
    perp_interaction_id bridge = add_bridge(&r, &system);
    perp_scheme scheme = rig_scheme("euler-moreau", "theta=0.5 gamma=0.5 variant=full");
    rig_start(&r, &scheme);
    const double first[] = {0.0, 10.0, 0.0, 0.0, 0.0, 0.0, 0.0, 5e-5, 0.0, 5e-5};
    reference_compare(&ref, 0, first);
    double lost = 0.0;
    for (int k = 1; k <= reference_steps(&ref); k++) {
        rig_step(&r);
        const double *x = rig_q(&r, system), *l = rig_lambda(&r, bridge);
        double y0 = (l[0] + l[1]) / resistance - l[2];
        double stored = 0.5 * (capacity * x[0] * x[0] + inductance * x[1] * x[1]);
        lost += 0.5 * h * 2.0 / resistance * (l[0] + l[1]) * (l[0] + l[1]);
        const double row[] = {
            perp_sim_time(r.sim), x[0], x[1], y0, -l[0], -l[1], l[2], stored, lost, stored + lost};
        reference_compare(&ref, k, row);
    }
    reference_close(&ref, columns, 1e-10, 0);
    rig_free(&r);
}
END_TEST

/* Two systems on one interaction.  -y0 and -l1 are not unique, their sum is. */
START_TEST(diode_bridge_cap_filter)
{
    static const reference_column columns[] = {
        {"t", 8.7e-19},      {"x0", 1.8e-13}, {"x1", 2.0e-15}, {"l0", 3.0e-15},
        {"-y0-l1", 1.8e-13}, {"-l1", 0.0},    {"l2", 4.8e-15}};
    reference ref;
    if (!reference_open(&ref, "DiodeBridgeCapFilter"))
        return;
    rig r;
    rig_init(&r, 1e-6);
    const double c = 1.0 / capacity, f = 1.0 / 300e-9, decay = -1.0 / (resistance * 300e-9);
    const double A[] = {0.0, 1.0 / inductance, -c, 0.0}, x0[] = {10.0, 0.0}, zero = 0.0;
    const double B[] = {0, 0, -c, c, 0, 0, 0, 0, f, 0, f, 0};
    const double C[] = {0, 0, 1, 0, 0, 0, -1, 0, 1, 1, 0, 0};
    const double D[] = {0, -1, 0, 0, 1, 0, 1, -1, 0, -1, 0, 0, 0, 1, 0, 0};
    double b[12], cc[12], d[16];
    by_columns(b, B, 3, 4);
    by_columns(cc, C, 4, 3);
    by_columns(d, D, 4, 4);
    perp_relation relation = rig_relation(PERP_RELATION_LINEAR, 4);
    relation.B = b;
    relation.C = cc;
    relation.D = d;
    perp_system_id systems[] = {rig_first_order(&r, 2, x0, A),
                                rig_first_order(&r, 1, &zero, &decay)};
    perp_interaction_id bridge =
        rig_interact(&r, systems, 2, &relation, perp_law_complementarity());
    perp_scheme scheme = rig_scheme("euler-moreau", "theta=1");
    rig_start(&r, &scheme);
    for (int k = 1; k <= reference_steps(&ref); k++) {
        rig_step(&r);
        const double *x = rig_q(&r, systems[0]), *y = rig_y(&r, bridge);
        const double *l = rig_lambda(&r, bridge), *row = reference_row(&ref, k);
        double sum = -y[0] - l[1] - row[5];
        const double ours[] = {perp_sim_time(r.sim), x[0], x[1], l[0], sum, NAN, l[2]};
        reference_compare(&ref, k, ours);
    }
    reference_close(&ref, columns, 1e-10, ref.rows - 1);
    rig_free(&r);
}
END_TEST

TCase *trajectories_circuits(void)
{
    TCase *tcase = tcase_create("circuits");
    tcase_add_test(tcase, circuit_rlcd);
    tcase_add_test(tcase, diode_bridge);
    tcase_add_test(tcase, diode_bridge_theta_gamma);
    tcase_add_test(tcase, diode_bridge_cap_filter);
    return tcase;
}
