/* SPDX-License-Identifier: BSD-3-Clause */
/* Four numbers from a recorded motion: a puck on a spring is thrown over a rough table and comes to
 * rest.  Its places were recorded at every step; Gauss and Newton's method with the derivative of
 * the whole motion finds the coefficient of friction, the stiffness and the first velocity. */
#include <math.h>
#include <perp/kernel.h>
#include <stdio.h>
#include <string.h>

enum { STEPS = 120, UNKNOWNS = 4, DOFS = 3 };

typedef struct puck {
    perp_model *model;
    perp_sim *sim;
    perp_system_id system;
    perp_interaction_id table;
} puck;

/* of: mu, stiffness, first velocity along x and y. */
static int open_puck(puck *p, const double *of)
{
    const double q0[DOFS] = {0.3, 0.0, -1e-6}, v0[DOFS] = {of[2], of[3], 0.0};
    const double F[DOFS] = {0.0, 0.0, -9.81}, K[DOFS * DOFS] = {of[1], 0, 0, 0, of[1], 0, 0, 0, 0};
    const double normal_first[DOFS * DOFS] = {0, 1, 0, 0, 0, 1, 1, 0, 0};
    perp_lagrangian_def body;
    perp_interaction_def contact;
    perp_sim_options options;
    perp_settings settings;
    perp_scheme scheme;
    memset(p, 0, sizeof *p);
    perp_lagrangian_def_init(&body, sizeof body);
    body.n = DOFS;
    body.q0 = q0;
    body.v0 = v0;
    body.F = F;
    perp_mat_init_dense(&body.K, DOFS, DOFS, K, DOFS);
    perp_interaction_def_init(&contact, sizeof contact);
    contact.systems = &p->system;
    contact.nsystems = 1;
    contact.relation.rows = 3;
    contact.relation.C = normal_first;
    contact.law = perp_law_friction(3, 0.0, of[0]);
    perp_settings_init(&settings, sizeof settings);
    settings.tol = 1e-12;
    perp_sim_options_init(&options, sizeof options);
    options.h = 0.01;
    options.settings = &settings;
    perp_scheme_init(&scheme, "moreau-jean", sizeof scheme);
    return perp_model_create(&p->model, NULL) == PERP_SOLVED &&
           perp_model_add_lagrangian(p->model, &body, &p->system, NULL) == PERP_SOLVED &&
           perp_model_add_interaction(p->model, &contact, &p->table, NULL) == PERP_SOLVED &&
           perp_sim_create(&p->sim, p->model, &options, NULL, NULL) == PERP_SOLVED &&
           perp_sim_set_scheme(p->sim, (perp_system_id){0, 0}, &scheme) == PERP_SOLVED;
}

/* Places after each step, and their derivatives by the unknowns where d is there. */
static int run(const double *of, double q[STEPS + 1][DOFS], double (*d)[STEPS + 1][DOFS])
{
    puck p;
    perp_tape *tape = NULL;
    double *x, parameters[UNKNOWNS * 3] = {0}, v[UNKNOWNS * DOFS] = {0};
    int good = open_puck(&p, of);
    if (good && d) {
        const perp_tape_parameter list[3] = {
            {.quantity = PERP_TAPE_MU, .interaction = p.table},
            {.quantity = PERP_TAPE_K, .row = 0, .column = 0, .system = p.system},
            {.quantity = PERP_TAPE_K, .row = 1, .column = 1, .system = p.system}};
        good = perp_tape_create(&tape, p.sim, NULL, NULL, NULL) == PERP_SOLVED &&
               perp_tape_set_parameters(tape, 3, list, NULL) == PERP_SOLVED;
    }
    for (int k = 0; good && k <= STEPS; k++) {
        good = k == 0 || perp_sim_step(p.sim) == PERP_SOLVED;
        good = good && perp_model_state(p.model, p.system, &x, NULL, NULL, NULL) == PERP_SOLVED;
        if (good)
            memcpy(q[k], x, sizeof q[k]);
    }
    if (good && d) { /* four directions: mu, the stiffness, v_x, v_y */
        parameters[0] = parameters[3 + 1] = parameters[3 + 2] = 1.0;
        v[2 * DOFS] = v[3 * DOFS + 1] = 1.0;
        perp_tape_tangent along = {.size = sizeof along, .v = v, .parameters = parameters};
        good = perp_tape_jvp(tape, UNKNOWNS, &along, 1, &d[0][0][0], NULL, NULL, NULL) >= 0;
    }
    perp_tape_destroy(tape);
    perp_sim_destroy(p.sim);
    perp_model_destroy(p.model);
    return good;
}

/* x = A^-1 b by elimination; A positive definite. */
static void solve(double A[UNKNOWNS][UNKNOWNS], double b[UNKNOWNS])
{
    for (int k = 0; k < UNKNOWNS; k++)
        for (int i = k + 1; i < UNKNOWNS; i++) {
            double factor = A[i][k] / A[k][k];
            for (int j = k; j < UNKNOWNS; j++)
                A[i][j] -= factor * A[k][j];
            b[i] -= factor * b[k];
        }
    for (int k = UNKNOWNS - 1; k >= 0; k--) {
        for (int j = k + 1; j < UNKNOWNS; j++)
            b[k] -= A[k][j] * b[j];
        b[k] /= A[k][k];
    }
}

int main(void)
{
    static double recorded[STEPS + 1][DOFS], q[STEPS + 1][DOFS], d[UNKNOWNS][STEPS + 1][DOFS];
    const double truth[UNKNOWNS] = {0.31, 6.0, 1.4, 2.1};
    double of[UNKNOWNS] = {0.2, 4.5, 1.2, 1.8}, misfit = 1.0, wrong = 0.0;
    int good = run(truth, recorded, NULL);
    for (int pass = 0; good && misfit > 1e-11 && pass < 20; pass++) {
        double A[UNKNOWNS][UNKNOWNS] = {{0}}, b[UNKNOWNS] = {0};
        good = run(of, q, d);
        misfit = 0.0;
        for (int k = 0; k <= STEPS; k++)
            for (int i = 0; i < 2; i++) {
                double off = recorded[k][i] - q[k][i];
                misfit += off * off;
                for (int m = 0; m < UNKNOWNS; m++) {
                    b[m] += d[m][k][i] * off;
                    for (int n = 0; n < UNKNOWNS; n++)
                        A[m][n] += d[m][k][i] * d[n][k][i];
                }
            }
        misfit = sqrt(misfit);
        printf("mu %.10f  stiffness %.9f  v %.9f %.9f  misfit %.1e\n", of[0], of[1], of[2], of[3],
               misfit);
        solve(A, b);
        for (int m = 0; m < UNKNOWNS; m++)
            of[m] += b[m];
    }
    for (int m = 0; m < UNKNOWNS; m++)
        wrong = fmax(wrong, fabs(of[m] - truth[m]));
    return !(good && wrong < 1e-8);
}
