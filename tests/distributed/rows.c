/* SPDX-License-Identifier: BSD-3-Clause */
/* Problems set row by row: any division of rows and bodies among the ranks, and none at all. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "distributed/chain.h"

/* The own part of the serial answer of the chain. */
static void serial_answer(int bodies, double *z)
{
    int n = bodies - 1;
    double *W = calloc((size_t)(n * n), sizeof *W), *q = calloc((size_t)n, sizeof *q);
    double *w = calloc((size_t)n, sizeof *w);
    perp_problem problem = {.q = q, .nseg = 1};
    perp_segment seg = {.set = PERP_NONNEG, .dim = 1, .count = n};
    if (!W || !q || !w)
        abort();
    problem.seg = &seg;
    chain_dense(bodies, W, q);
    perp_mat_init_dense(&problem.M, n, n, W, n);
    expect(perp_solve("lemke", &problem, NULL, z, w, NULL) == PERP_SOLVED, "lemke");
    free(W);
    free(q);
    free(w);
}

static void solve_chain(int bodies, layout where, const char *solver)
{
    chain c;
    perp_petsc *system;
    perp_petsc_where at;
    perp_settings settings;
    Vec z;
    double *serial = calloc((size_t)bodies, sizeof *serial), worst = 0.0;
    if (!serial)
        abort();
    serial_answer(bodies, serial);
    chain_make(&c, bodies, where);
    perp_status status = perp_petsc_create(&system, MPI_COMM_WORLD, &c.part, NULL, &at);
    expect(status == PERP_SOLVED, "create: %s %s %s", perp_status_name(status), at.what, at.text);
    VecDuplicate(c.part.q, &z);
    perp_settings_init(&settings, sizeof settings);
    settings.tol = 1e-11;
    status = perp_petsc_solve(system, solver, &settings, z, NULL, NULL, &at);
    expect(status == PERP_SOLVED, "%s, layout %d: %s", solver, (int)where,
           perp_status_name(status));
    const PetscScalar *own;
    PetscInt first, end;
    VecGetOwnershipRange(z, &first, &end);
    VecGetArrayRead(z, &own);
    for (PetscInt i = first; i < end; i++)
        worst = fmax(worst, fabs(own[i - first] - serial[i]));
    VecRestoreArrayRead(z, &own);
    expect(worst < 1e-7, "%s, layout %d: %g from the serial answer", solver, (int)where, worst);
    VecDestroy(&z);
    perp_petsc_destroy(system);
    chain_free(&c);
    free(serial);
}

void check_rows(void)
{
    static const layout layouts[] = {EVEN, ROWS_LAST, BODIES_LAST, APART};
    for (int k = 0; k < 4; k++)
        for (int s = 0; perp_petsc_solver_name(s); s++) {
            solve_chain(23, layouts[k], perp_petsc_solver_name(s));
            solve_chain(4, layouts[k], perp_petsc_solver_name(s));
        }
}

/* No rows anywhere, with bodies and without; and a chain with fewer rows than ranks. */
void check_empty(void)
{
    for (int bodies = 0; bodies < 2; bodies++)
        for (int s = 0; perp_petsc_solver_name(s); s++) {
            chain c;
            perp_petsc *system;
            perp_petsc_info info = {.size = sizeof info};
            perp_residuals r = {.size = sizeof r, .natural = 1.0};
            Vec z;
            chain_make(&c, 1, EVEN);
            if (!bodies) {
                chain_free(&c);
                memset(&c, 0, sizeof c);
                MatCreateAIJ(MPI_COMM_WORLD, 0, 0, 0, 0, 0, NULL, 0, NULL, &c.part.H);
                MatAssemblyBegin(c.part.H, MAT_FINAL_ASSEMBLY);
                MatAssemblyEnd(c.part.H, MAT_FINAL_ASSEMBLY);
                MatDuplicate(c.part.H, MAT_COPY_VALUES, &c.part.M);
                VecCreateMPI(MPI_COMM_WORLD, 0, 0, &c.part.q);
            }
            VecDuplicate(c.part.q, &z);
            perp_status status = perp_petsc_create(&system, MPI_COMM_WORLD, &c.part, NULL, NULL);
            expect(status == PERP_SOLVED, "nothing: %s", perp_status_name(status));
            status =
                perp_petsc_solve(system, perp_petsc_solver_name(s), NULL, z, NULL, &info, NULL);
            expect(status == PERP_SOLVED && info.iterations == 0, "nothing is solved: %s",
                   perp_status_name(status));
            status = perp_petsc_residual(system, z, NULL, &r, NULL);
            expect(status == PERP_SOLVED && r.natural == 0.0, "residual of nothing");
            VecDestroy(&z);
            perp_petsc_destroy(system);
            chain_free(&c);
        }
    for (int s = 0; perp_petsc_solver_name(s); s++)
        solve_chain(2, EVEN, perp_petsc_solver_name(s));
}
