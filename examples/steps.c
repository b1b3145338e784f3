/* SPDX-License-Identifier: BSD-3-Clause */
/* A ball with a hinge-like guide rolls on a plane: the same handle solves a
 * sequence of steps, with new numbers and a warm start.  The problem mixes an
 * equality (the guide) with a frictional contact, and is given by its factors
 * H and mass, so that W = H' M^-1 H is never formed. */
#include <math.h>
#include <perp/numerics.h>
#include <stdio.h>

enum { DOFS = 6, ROWS = 4 };

static int fail(const char *what, perp_status status)
{
    fprintf(stderr, "%s: %s\n", what, perp_status_text(status));
    return 1;
}

/* One step of Moreau-Jean: q = H' v_free, then v = v_free + M^-1 H z. */
static void free_velocity(double *q, const double *v, const double *H)
{
    for (int j = 0; j < ROWS; j++) {
        q[j] = 0;
        for (int i = 0; i < DOFS; i++)
            q[j] += H[i + j * DOFS] * v[i];
    }
}

int main(void)
{
    const double mass = 2, radius = 0.1, inertia = 0.4 * mass * radius * radius;
    const double step = 1e-3, gravity = 9.81, mu = 0.4;
    double M[DOFS * DOFS] = {0}, v[DOFS] = {1, 0, 0, 0, 0, 0}, impulse[DOFS], scratch[DOFS];
    for (int i = 0; i < DOFS; i++)
        M[i + i * DOFS] = i < 3 ? mass : inertia;
    /* Rows of z: the guide v_y = 0, then the contact: normal z, tangents x, y. */
    const double H[DOFS * ROWS] = {0, 1, 0, 0, 0,       0, /**/ 0, 0, 1, 0,      0, 0,
                                   1, 0, 0, 0, -radius, 0, /**/ 0, 1, 0, radius, 0, 0};
    int colptr[ROWS + 1], row[DOFS * ROWS];
    for (int k = 0; k < DOFS * ROWS; k++) {
        row[k] = k % DOFS;
        colptr[k / DOFS] = k - k % DOFS;
    }
    colptr[ROWS] = DOFS * ROWS;

    perp_mat view;
    perp_mass *inverse;
    perp_where where;
    perp_mat_init_dense(&view, DOFS, DOFS, M, DOFS);
    perp_status status = perp_mass_create(&inverse, &view, NULL, &where);
    if (status != PERP_SOLVED)
        return fail("mass", status);
    double q[ROWS], z[ROWS] = {0}, w[ROWS];
    const perp_segment parts[2] = {{PERP_FREE, 1, 1, {NULL, NULL}, {0, 0}},
                                   {PERP_COULOMB, 3, 1, {&mu, NULL}, {0, 0}}};
    perp_problem problem = {.q = q, .seg = parts, .nseg = 2};
    perp_mat_init_delassus(&problem.M, DOFS, ROWS, colptr, row, H, inverse);

    perp_settings settings;
    perp_settings_init(&settings, sizeof settings);
    settings.warm_start = 1;
    settings.tol = 1e-12;
    perp_solver *solver;
    status = perp_solver_create(&solver, perp_solver_find("gs"), &settings, NULL, NULL);
    int steps = 0, iterations = 0;
    perp_info info = {.size = sizeof info};
    for (; status == PERP_SOLVED && steps < 200; steps++) {
        v[2] -= step * gravity;
        free_velocity(q, v, H);
        status = steps ? perp_solver_update(solver, &problem) : perp_solver_setup(solver, &problem);
        if (status == PERP_SOLVED) {
            status = perp_solver_solve(solver, z, w, &info);
            iterations += info.iterations;
        }
        for (int i = 0; i < DOFS; i++) {
            impulse[i] = 0;
            for (int j = 0; j < ROWS; j++)
                impulse[i] += H[i + j * DOFS] * z[j];
        }
        perp_mass_solve(inverse, impulse, scratch, impulse);
        for (int i = 0; i < DOFS; i++)
            v[i] += impulse[i];
    }
    perp_solver_destroy(solver);
    perp_mass_destroy(inverse);
    if (status != PERP_SOLVED)
        return fail("step", status);
    /* A sliding ball begins to roll at 5/7 of its speed, whatever mu. */
    printf("%d steps, %d iterations: v = %.6f, rolling at 5/7 = %.6f, spin %.6f rad/s\n", steps,
           iterations, v[0], 5.0 / 7, v[4]);
    return fabs(v[0] - 5.0 / 7) > 1e-9 || fabs(v[0] - radius * v[4]) > 1e-9;
}
