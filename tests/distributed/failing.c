/* SPDX-License-Identifier: BSD-3-Clause */
/* Each call of PETSc by the library fails once, on one rank: the call of the library returns an
 * error and gives nothing out; what was made can be destroyed.  What makes them fail is preloaded:
 * tests/torture/failing_petsc.c. */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include <dlfcn.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "distributed/chain.h"
#include "generators/friction_problems.h"

typedef int (*failing)(long place);

/* A part: solved by all solvers, gathered, measured. */
static perp_status use(perp_petsc_share *share, const perp_petsc_problem *part)
{
    perp_petsc_where where = {.rank = -1};
    perp_petsc *system = NULL;
    perp_residuals r = {.size = sizeof r};
    perp_settings settings;
    Vec z = NULL, w = NULL;
    PetscInt rows;
    VecDuplicate(part->q, &z);
    VecDuplicate(part->q, &w);
    VecGetSize(z, &rows);
    double *whole = calloc((size_t)rows + 1, sizeof *whole);
    perp_status status = perp_petsc_create(&system, MPI_COMM_WORLD, part, NULL, &where);
    expect((status == PERP_SOLVED) == (system != NULL), "a system or an error");
    perp_settings_init(&settings, sizeof settings);
    settings.max_iter = 4; /* answers are those of other checks */
    for (int s = 0; status >= 0 && perp_petsc_solver_name(s) != NULL; s++) {
        VecSet(z, 0.0);
        status = perp_petsc_solve(system, perp_petsc_solver_name(s), &settings, z, w, NULL, &where);
    }
    if (status >= 0)
        status = perp_petsc_residual(system, z, w, &r, &where);
    if (status >= 0 && share != NULL)
        status = perp_petsc_share_gather(share, z, whole);
    if (status >= 0 && share != NULL)
        status = perp_petsc_share_scatter(share, whole, w);
    expect(status < 0 || r.natural >= 0.0, "an error, or an iterate that is measured");
    perp_petsc_destroy(system);
    VecDestroy(&z);
    VecDestroy(&w);
    free(whole);
    return status;
}

static perp_status use_share(perp_petsc_share *share, perp_status status)
{
    expect((status == PERP_SOLVED) == (share != NULL), "a share or an error");
    if (status == PERP_SOLVED)
        status = use(share, perp_petsc_share_problem(share));
    perp_petsc_share_destroy(share);
    return status;
}

static perp_status of_whole(const packing *p)
{
    perp_petsc_share *share = NULL;
    perp_petsc_where where;
    const perp_mat *mass = p->problem.M.kind == PERP_DELASSUS ? &p->file->M : NULL;
    perp_status status =
        perp_petsc_share_create(&share, MPI_COMM_WORLD, &p->problem, mass, NULL, &where);
    return use_share(share, status);
}

static perp_status of_bodies(void)
{
    packing *p = packing_make("spheres", 6, 0.3);
    perp_status status = of_whole(p);
    packing_free(p);
    return status;
}

static perp_status of_assembled(void)
{
    packing *p = packing_make_local("boxes", 6, 0.3);
    perp_status status = of_whole(p);
    packing_free(p);
    return status;
}

static perp_status of_parts(void)
{
    perp_petsc_share *share = NULL;
    perp_generate_options options;
    perp_problem_part *part;
    const perp_generator *generator = perp_generator_find("spheres");
    perp_generate_options_init(&options, generator);
    options.size = 6;
    perp_status status = perp_generate_part(&part, generator, &options, 0, 1, NULL);
    expect(status == PERP_SOLVED, "generate");
    part->contacts = part->own_contacts;
    status = perp_petsc_share_parts(&share, MPI_COMM_WORLD, part, NULL, NULL);
    perp_problem_part_destroy(part);
    return use_share(share, status);
}

/* Rows of an assembled matrix: -1 beside 4, in blocks of three. */
static perp_status of_rows(void)
{
    enum { N = 12 };
    static double mu[N / 3] = {0.3, 0.2, 0.5, 0.1};
    perp_petsc_share *share = NULL;
    perp_segment seg = {.set = PERP_COULOMB, .dim = 3, .count = N / 3, .par = {mu}, .stride = {1}};
    perp_petsc_problem part = {.seg = &seg, .nseg = 1};
    MatCreateAIJ(MPI_COMM_WORLD, N, N, N, N, 3, NULL, 0, NULL, &part.M);
    MatSetBlockSize(part.M, 3);
    VecCreateMPI(MPI_COMM_WORLD, N, N, &part.q);
    for (int i = 0; i < N; i++) {
        VecSetValue(part.q, i, chain_q(i), INSERT_VALUES);
        for (int j = i > 0 ? i - 1 : 0; j <= i + 1 && j < N; j++)
            MatSetValue(part.M, i, j, i == j ? 4.0 : -1.0, INSERT_VALUES);
    }
    MatAssemblyBegin(part.M, MAT_FINAL_ASSEMBLY);
    MatAssemblyEnd(part.M, MAT_FINAL_ASSEMBLY);
    VecAssemblyBegin(part.q);
    VecAssemblyEnd(part.q);
    perp_status status = perp_petsc_share_assembled(&share, MPI_COMM_WORLD, &part, NULL, NULL);
    status = use_share(share, status);
    MatDestroy(&part.M);
    VecDestroy(&part.q);
    return status;
}

static perp_status of_chain(void)
{
    chain c;
    chain_make(&c, 9, EVEN);
    perp_status status = use(NULL, &c.part);
    chain_free(&c);
    return status;
}

void check_failing_petsc(void)
{
    static perp_status (*const flows[])(void) = {of_bodies, of_assembled, of_parts, of_rows,
                                                 of_chain};
    failing fails = (failing)(uintptr_t)dlsym(RTLD_DEFAULT, "failing_petsc");
    PetscPushErrorHandler(PetscReturnErrorHandler, NULL);
    expect(fails != NULL && size == 1, "on one rank, beside what makes calls fail");
    for (size_t k = 0; k < sizeof flows / sizeof flows[0] && fails != NULL; k++) {
        perp_status whole = flows[k]();
        expect(whole >= PERP_SOLVED, "flow %zu, without failures: %s", k, perp_status_name(whole));
        for (long place = 1, reached = 1; reached; place++) {
            fails(place);
            perp_status status = flows[k]();
            reached = fails(0);
            /* An error, or where what was given back failed, an iterate. */
            expect(reached || status >= PERP_SOLVED, "flow %zu, place %ld: %s", k, place,
                   perp_status_name(status));
            if (!reached)
                printf("flow %zu: %ld places\n", k, place - 1);
        }
        expect(flows[k]() >= PERP_SOLVED, "flow %zu, after failures", k);
    }
    PetscPopErrorHandler();
}
