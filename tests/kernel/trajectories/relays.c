/* SPDX-License-Identifier: BSD-3-Clause */
/* Relays on linear first-order systems: lambda in -Sign(y). */
#include <math.h>

#include "tests/fixtures/kernel_rig.h"
#include "tests/kernel/trajectories/reference.h"

/* x' = A x + B lambda, y = C x, one relay for each row of C. */
static perp_interaction_id add_relay(rig *r, perp_system_id *system, int n, int rows,
                                     const double *x0, const double *A, const double *B,
                                     const double *C)
{
    perp_relation relation = rig_relation(PERP_RELATION_LINEAR, rows);
    relation.B = B;
    relation.C = C;
    *system = rig_first_order(r, n, x0, A);
    return rig_interact(r, system, 1, &relation, perp_law_relay(-1.0, 1.0));
}

START_TEST(simple_relay)
{
    static const reference_column columns[] = {{"t", 5.6e-17},  {"x0", 4.5e-16}, {"x1", 4.5e-16},
                                               {"l0", 2.2e-13}, {"l1", 2.2e-13}, {"y0", 4.5e-16},
                                               {"y1", 4.5e-16}};
    reference ref;
    if (!reference_open(&ref, "SimpleExampleRelay"))
        return;
    rig r;
    perp_system_id system;
    rig_init(&r, 1e-3);
    const double x0[] = {1.0, -1.0}, B[] = {2.0, 0.0, 0.0, 2.0}, C[] = {1.0, 0.0, 0.0, 1.0};
    perp_interaction_id relay = add_relay(&r, &system, 2, 2, x0, NULL, B, C);
    perp_scheme scheme = rig_scheme("euler-moreau", "theta=0.5");
    rig_start(&r, &scheme);
    const double first[] = {0.0, 1.0, -1.0, 0.0, 0.0, 1.0, -1.0};
    reference_compare(&ref, 0, first);
    for (int k = 1; k <= reference_steps(&ref); k++) {
        rig_step(&r);
        const double *x = rig_q(&r, system), *l = rig_lambda(&r, relay), *y = rig_y(&r, relay);
        const double row[] = {perp_sim_time(r.sim), x[0], x[1], l[0], l[1], y[0], y[1]};
        reference_compare(&ref, k, row);
    }
    reference_close(&ref, columns, 1e-12, 0);
    rig_free(&r);
}
END_TEST

START_TEST(friction_oscillator)
{
    static const reference_column columns[] = {
        {"t", 7.1e-15}, {"x0", 5.2e-13}, {"x1", 5.1e-13}, {"lambda", 2.0e-12}, {"y", 5.1e-13},
        {"0", 0.0},     {"0", 0.0},      {"f0", 5.1e-13}, {"f1", 1.5e-12},     {"0", 0.0}};
    reference ref;
    if (!reference_open(&ref, "FrictionOscillator"))
        return;
    rig r;
    perp_system_id system;
    rig_init(&r, 1e-2);
    const double x0[] = {12.0, 6.0}, A[] = {0.0, -1.0, 1.0, 0.0};
    const double B[] = {0.0, 1.0}, C[] = {0.0, 1.0};
    perp_interaction_id relay = add_relay(&r, &system, 2, 1, x0, A, B, C);
    perp_scheme scheme = rig_scheme("euler-moreau", "theta=0.5");
    rig_start(&r, &scheme);
    const double first[] = {0.0, 12.0, 6.0, 0.0, 0.0, 0.0, 0.0, NAN, NAN, 0.0};
    reference_compare(&ref, 0, first);
    for (int k = 1; k <= reference_steps(&ref); k++) {
        rig_step(&r);
        const double *x = rig_q(&r, system), l = *rig_lambda(&r, relay);
        const double row[] = {
            perp_sim_time(r.sim), x[0], x[1], l, *rig_y(&r, relay), 0.0, 0.0, x[1], -x[0] + l, 0.0};
        reference_compare(&ref, k, row);
    }
    reference_close(&ref, columns, 1e-10, 0);
    rig_free(&r);
}
END_TEST

/* The linear part is unstable: rounding grows. */
START_TEST(relay_oscillator)
{
    static const reference_column columns[] = {
        {"t", 7.1e-15},      {"x0", 2.9e-12}, {"x1", 2.6e-11}, {"x2", 9.6e-12},
        {"lambda", 2.5e-10}, {"y", 2.9e-12},  {"0", 0.0}};
    reference ref;
    if (!reference_open(&ref, "RelayOscillatorWithSliding"))
        return;
    rig r;
    perp_system_id system;
    rig_init(&r, 1e-2);
    const double xi = -0.07, omega = 10.0, lambda0 = 0.05;
    const double A[] = {-(2.0 * xi * omega + lambda0),
                        -(2.0 * xi * omega * lambda0 + omega * omega),
                        -lambda0 * omega * omega,
                        1.0,
                        0.0,
                        0.0,
                        0.0,
                        1.0,
                        0.0};
    const double x0[] = {0.0, 0.5, 0.0}, B[] = {1.0, -2.0, 1.0}, C[] = {1.0, 0.0, 0.0};
    perp_interaction_id relay = add_relay(&r, &system, 3, 1, x0, A, B, C);
    perp_scheme scheme = rig_scheme("euler-moreau", "theta=0.5");
    rig_start(&r, &scheme);
    const double first[] = {0.0, 0.0, 0.5, 0.0, 0.0, 0.0, 0.0};
    reference_compare(&ref, 0, first);
    for (int k = 1; k <= reference_steps(&ref); k++) {
        rig_step(&r);
        const double *x = rig_q(&r, system);
        const double row[] = {perp_sim_time(r.sim), x[0], x[1], x[2], *rig_lambda(&r, relay),
                              *rig_y(&r, relay),    0.0};
        reference_compare(&ref, k, row);
    }
    reference_close(&ref, columns, 1e-10, 0);
    rig_free(&r);
}
END_TEST

TCase *trajectories_relays(void)
{
    TCase *tcase = tcase_create("relays");
    tcase_add_test(tcase, simple_relay);
    tcase_add_test(tcase, friction_oscillator);
    tcase_add_test(tcase, relay_oscillator);
    return tcase;
}
