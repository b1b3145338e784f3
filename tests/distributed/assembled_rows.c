/* SPDX-License-Identifier: BSD-3-Clause */
/* Assembled matrices whose rows lie in several processes, beside the serial library. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "distributed/on_ranks.h"

typedef struct matrix {
    perp_petsc_problem part;
    perp_segment seg;
    int first, rows; /* own rows */
} matrix;

/* Rows of whole blocks: evenly, or all on the last rank. */
static void take_range(matrix *m, int blocks, int dim, int at_last)
{
    int own = blocks / size + (rank < blocks % size), to = 0;
    if (at_last)
        own = rank == size - 1 ? blocks : 0;
    MPI_Scan(&own, &to, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    m->first = dim * (to - own);
    m->rows = dim * own;
}

static void make_matrix(matrix *m, const packing *p, const char *type, int at_last)
{
    const perp_segment *seg = &p->problem.seg[0];
    const double *W = p->problem.M.as.dense.x;
    int n = p->problem.M.rows, dim = seg->dim;
    memset(m, 0, sizeof *m);
    take_range(m, n / dim, dim, at_last);
    MatCreate(MPI_COMM_WORLD, &m->part.M);
    MatSetSizes(m->part.M, m->rows, m->rows, PETSC_DETERMINE, PETSC_DETERMINE);
    MatSetType(m->part.M, type);
    MatSetBlockSize(m->part.M, dim);
    MatSetUp(m->part.M);
    MatSetOption(m->part.M, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE);
    VecCreateMPI(MPI_COMM_WORLD, m->rows, PETSC_DETERMINE, &m->part.q);
    for (int i = m->first; i < m->first + m->rows; i++) {
        VecSetValue(m->part.q, i, p->problem.q[i], INSERT_VALUES);
        for (int j = 0; j < n; j++) {
            double x = W[(size_t)i + (size_t)j * (size_t)n];
            if (x != 0.0)
                MatSetValue(m->part.M, i, j, x, INSERT_VALUES);
        }
    }
    MatAssemblyBegin(m->part.M, MAT_FINAL_ASSEMBLY);
    MatAssemblyEnd(m->part.M, MAT_FINAL_ASSEMBLY);
    VecAssemblyBegin(m->part.q);
    VecAssemblyEnd(m->part.q);
    m->seg = *seg;
    m->seg.count = m->rows / dim;
    m->seg.par[0] = seg->par[0] + (seg->stride[0] ? m->first / dim * seg->stride[0] : 0);
    m->part.seg = &m->seg;
    m->part.nseg = 1;
}

static void free_matrix(matrix *m)
{
    MatDestroy(&m->part.M);
    VecDestroy(&m->part.q);
    VecDestroy(&m->part.C);
}

static void compare_answer(divided *d, const packing *p, const char *solver, const double *serial)
{
    int n = p->problem.M.rows;
    double *z = calloc((size_t)n, sizeof *z), far = 0.0, unit = 0.0;
    perp_settings settings;
    perp_petsc_where where;
    if (!z)
        abort();
    perp_settings_init(&settings, sizeof settings);
    settings.tol = 1e-10;
    perp_status status = perp_petsc_solve(d->system, solver, &settings, d->z, d->w, NULL, &where);
    expect(status == PERP_SOLVED, "%s: %s", solver, perp_status_name(status));
    expect(perp_petsc_share_gather(d->share, d->z, z) == PERP_SOLVED, "gather");
    for (int i = 0; rank == 0 && i < n; i++) {
        far = fmax(far, fabs(z[i] - serial[i]));
        unit = fmax(unit, fabs(serial[i]));
    }
    expect(far <= 1e-6 * unit, "%s: %g from the serial answer, of %g", solver, far, unit);
    free(z);
}

static void check_type(const packing *p, const char *type, int at_last, const double *serial)
{
    matrix m;
    divided d;
    perp_petsc_where where;
    memset(&d, 0, sizeof d);
    make_matrix(&m, p, type, at_last);
    perp_status status =
        perp_petsc_share_assembled(&d.share, MPI_COMM_WORLD, &m.part, NULL, &where);
    expect(status == PERP_SOLVED, "%s: %s %s", type, perp_status_name(status), where.what);
    free_matrix(&m);
    if (status != PERP_SOLVED)
        return;
    const perp_petsc_problem *part = perp_petsc_share_problem(d.share);
    const perp_petsc_cut *cut = perp_petsc_share_cut(d.share);
    expect(strcmp(cut->method, "as given") == 0 && cut->own_rows == m.rows, "rows stay");
    expect(cut->cut <= cut->edges && (size > 1 && !at_last ? cut->cut > 0 : cut->cut == 0),
           "%d of %d pairs cut", cut->cut, cut->edges);
    status = perp_petsc_create(&d.system, MPI_COMM_WORLD, part, NULL, &where);
    expect(status == PERP_SOLVED, "create: %s %s %s", perp_status_name(status), where.what,
           where.text);
    if (status == PERP_SOLVED) {
        VecDuplicate(part->q, &d.z);
        VecDuplicate(part->q, &d.w);
        compare_residuals(p, &d, 1.0);
        for (int s = 0; perp_petsc_solver_name(s); s++)
            compare_answer(&d, p, perp_petsc_solver_name(s), serial);
    }
    divided_free(&d);
}

void check_assembled_rows(void)
{
    packing *p = packing_make_local("boxes", 60, 0.3);
    double *dense = make_dense(p), *serial = calloc((size_t)p->problem.M.rows, sizeof *serial);
    if (!serial)
        abort();
    solve_serial(p, serial);
    check_type(p, MATAIJ, 0, serial);
    check_type(p, MATBAIJ, 0, serial);
    check_type(p, MATAIJ, 1, serial);
    free(dense);
    free(serial);
    packing_free(p);
}

enum { NO_M, WITH_H, NAN_IN_M, NAN_IN_Q, NO_SEG, SHORT_SEG, LONG_Q, LARGE_BLOCK, NO_MU, BAD };

static void spoil(matrix *m, int how)
{
    int last = rank == size - 1;
    PetscScalar *x;
    if (how == NAN_IN_M) {
        if (last)
            MatSetValue(m->part.M, m->first, m->first, NAN, INSERT_VALUES);
        MatAssemblyBegin(m->part.M, MAT_FINAL_ASSEMBLY);
        MatAssemblyEnd(m->part.M, MAT_FINAL_ASSEMBLY);
    }
    if (how == NAN_IN_Q) {
        VecGetArray(m->part.q, &x);
        if (last)
            x[m->rows - 1] = NAN;
        VecRestoreArray(m->part.q, &x);
    }
    if (how == LONG_Q) {
        VecDestroy(&m->part.q);
        VecCreateMPI(MPI_COMM_WORLD, m->rows + last, PETSC_DETERMINE, &m->part.q);
    }
    if (!last)
        return;
    if (how == NO_SEG)
        m->part.seg = NULL;
    m->seg.count -= how == SHORT_SEG;
    if (how == NO_MU)
        m->seg.par[0] = NULL;
    if (how == LARGE_BLOCK)
        m->seg =
            (perp_segment){.set = PERP_SOC, .dim = m->rows, .count = 1, .par = {m->seg.par[0]}};
}

static void check_bad_matrix(const packing *p, int how, perp_status wanted, const char *what)
{
    matrix m;
    perp_petsc_share *share = NULL;
    perp_petsc_where where;
    make_matrix(&m, p, MATAIJ, 0);
    spoil(&m, how);
    Mat kept = m.part.M;
    if (how == NO_M && rank == size - 1)
        m.part.M = NULL;
    m.part.H = how == WITH_H && rank == size - 1 ? kept : NULL;
    perp_status status = perp_petsc_share_assembled(&share, MPI_COMM_WORLD, &m.part, NULL, &where);
    expect(alike(status) && alike(where.rank), "bad matrix %d: ranks differ", how);
    expect(status == wanted && !share, "bad matrix %d: %s at '%s'", how, perp_status_name(status),
           where.what);
    expect(strcmp(where.what, what) == 0, "bad matrix %d: at '%s'", how, where.what);
    m.part.M = kept;
    perp_petsc_share_destroy(share);
    free_matrix(&m);
}

/* The k-th allocation of the last rank fails. */
static void *allocate(void *ctx, size_t bytes)
{
    long *left = ctx;
    return (*left)-- > 0 ? malloc(bytes) : NULL;
}

static void release(void *ctx, void *block)
{
    (void)ctx;
    free(block);
}

static void check_memory_of(const packing *p)
{
    matrix m;
    make_matrix(&m, p, MATAIJ, 0);
    for (long k = 0, done = 0; !done; k++) {
        long left = k;
        perp_allocator memory = {allocate, release, &left};
        perp_petsc_share *share = NULL;
        perp_status status = perp_petsc_share_assembled(&share, MPI_COMM_WORLD, &m.part,
                                                        rank == size - 1 ? &memory : NULL, NULL);
        expect(alike(status), "allocation %ld: ranks differ", k);
        expect(status == (share ? PERP_SOLVED : PERP_ERR_MEMORY), "allocation %ld: %s", k,
               perp_status_name(status));
        done = status == PERP_SOLVED || k > 1000;
        perp_petsc_share_destroy(share);
    }
    free_matrix(&m);
}

/* What one rank gives wrongly, and one without memory: all ranks say the same. */
void check_bad_matrices(void)
{
    static const struct {
        perp_status status;
        const char *what;
    } wanted[BAD] = {
        [NO_M] = {PERP_ERR_ARGUMENT, "M"},      [WITH_H] = {PERP_ERR_ARGUMENT, "H"},
        [NAN_IN_M] = {PERP_ERR_NONFINITE, "M"}, [NAN_IN_Q] = {PERP_ERR_NONFINITE, "q"},
        [NO_SEG] = {PERP_ERR_ARGUMENT, "seg"},  [SHORT_SEG] = {PERP_ERR_STRUCTURE, "seg"},
        [LONG_Q] = {PERP_ERR_STRUCTURE, "q"},   [LARGE_BLOCK] = {PERP_ERR_UNSUPPORTED, "M"},
        [NO_MU] = {PERP_ERR_ARGUMENT, "mu"}};
    packing *p = packing_make_local("boxes", 60, 0.3);
    double *dense = make_dense(p);
    for (int how = 0; how < BAD; how++)
        check_bad_matrix(p, how, wanted[how].status, wanted[how].what);
    expect(perp_petsc_share_assembled(NULL, MPI_COMM_WORLD, NULL, NULL, NULL) == PERP_ERR_ARGUMENT,
           "nowhere to put it");
    check_memory_of(p);
    free(dense);
    packing_free(p);
}
