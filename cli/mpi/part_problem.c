/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/mpi/part_problem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/mpi/part_blocks.h"
#include "cli/mpi/part_common.h"
#include "cli/mpi/part_islands.h"
#include "cli/mpi/part_whole.h"

enum { DOFS = PERP_PART_DOFS, MASS = DOFS * DOFS };

/* One problem while it is solved. */
typedef struct posed {
    perp_part_steps *steps;
    const perp_problem *problem;
    perp_settings settings;
    double *z, *w;
    perp_info *info;
    int rows, blocks;
    double all_rows, crossing; /* of all ranks */
    perp_part_block *block;
    double *masses; /* of own bodies */
    Mat H, M;
    Vec q, C, x, y; /* x: z, y: w */
    perp_petsc *system;
    perp_petsc_info own;
    perp_petsc_where where;
} posed;

static perp_status agree(perp_status own)
{
    int mine = own < 0 ? -(int)own : 0, worst;
    MPI_Allreduce(&mine, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return worst > 0 ? (perp_status)-worst : PERP_SOLVED;
}

/* Blocks of the mass of the bodies that are owned. */
static int take_masses(posed *p, const perp_mat *mass)
{
    const perp_part_layout *layout = &p->steps->layout;
    size_t at = 0;

    p->masses = calloc((size_t)MASS * (size_t)layout->own + 1, sizeof *p->masses);
    if (p->masses == NULL || mass->rows != DOFS * layout->present)
        return 0;
    for (int k = 0; k < layout->present; k++) {
        if (layout->owner[layout->here[k]] != layout->rank)
            continue;
        for (int j = 0; j < DOFS; j++)
            for (int e = mass->as.csc.colptr[DOFS * k + j];
                 e < mass->as.csc.colptr[DOFS * k + j + 1]; e++)
                p->masses[at + (size_t)(mass->as.csc.row[e] - DOFS * k + DOFS * j)] =
                    mass->as.csc.x[e];
        at += MASS;
    }
    return 1;
}

/* Columns of a row, ascending, with their values. */
static void sort_row(PetscInt *column, PetscScalar *x, int n)
{
    for (int i = 1; i < n; i++) {
        PetscInt c = column[i];
        PetscScalar value = x[i];
        int k = i;
        for (; k > 0 && column[k - 1] > c; k--) {
            column[k] = column[k - 1];
            x[k] = x[k - 1];
        }
        column[k] = c;
        x[k] = value;
    }
}

static PetscErrorCode fill(Mat A, PetscInt rows, PetscInt cols, int block, const PetscInt *start,
                           const PetscInt *column, const PetscScalar *x)
{
    PetscCall(MatSetSizes(A, rows, cols, PETSC_DETERMINE, PETSC_DETERMINE));
    PetscCall(MatSetType(A, MATAIJ));
    if (block > 1)
        PetscCall(MatSetBlockSize(A, block));
    PetscCall(MatSeqAIJSetPreallocationCSR(A, start, column, x));
    PetscCall(MatMPIAIJSetPreallocationCSR(A, start, column, x));
    return 0;
}

static PetscErrorCode make_H(posed *p)
{
    const perp_part_layout *layout = &p->steps->layout;
    const perp_mat *from = &p->problem->M;
    int entries = p->rows > 0 ? from->as.delassus.colptr[p->rows] : 0;
    PetscInt *start, *column, none = 0;
    PetscScalar *x;

    PetscCall(PetscMalloc1(entries + 1, &column));
    PetscCall(PetscMalloc1(entries + 1, &x));
    for (int e = 0; e < entries; e++) {
        int dof = from->as.delassus.row[e];
        column[e] = DOFS * layout->number[layout->here[dof / DOFS]] + dof % DOFS;
        x[e] = from->as.delassus.x[e];
    }
    start = p->rows > 0 ? (PetscInt *)from->as.delassus.colptr : &none;
    for (int i = 0; i < p->rows; i++)
        sort_row(column + start[i], x + start[i], start[i + 1] - start[i]);
    PetscCall(MatCreate(MPI_COMM_WORLD, &p->H));
    PetscCall(fill(p->H, p->rows, DOFS * layout->own, 1, start, column, x));
    PetscCall(PetscFree(column));
    PetscCall(PetscFree(x));
    return 0;
}

static PetscErrorCode make_M(posed *p)
{
    const perp_part_layout *layout = &p->steps->layout;
    PetscInt n = DOFS * layout->own, *start, *column;
    PetscScalar *x;

    PetscCall(PetscMalloc1(n + 1, &start));
    PetscCall(PetscMalloc1((size_t)(DOFS * n) + 1, &column));
    PetscCall(PetscMalloc1((size_t)(DOFS * n) + 1, &x));
    for (PetscInt i = 0; i < n; i++) {
        const double *body = p->masses + (size_t)MASS * (size_t)(i / DOFS);
        start[i] = DOFS * i;
        for (int j = 0; j < DOFS; j++) {
            column[DOFS * i + j] = DOFS * layout->first + i - i % DOFS + j;
            x[DOFS * i + j] = body[i % DOFS + DOFS * j];
        }
    }
    start[n] = DOFS * n;
    PetscCall(MatCreate(MPI_COMM_WORLD, &p->M));
    PetscCall(fill(p->M, n, n, DOFS, start, column, x));
    PetscCall(PetscFree(start));
    PetscCall(PetscFree(column));
    PetscCall(PetscFree(x));
    return 0;
}

static PetscErrorCode make_vector(Vec *v, int rows, const double *from)
{
    PetscScalar *to;
    PetscCall(VecCreateMPI(MPI_COMM_WORLD, rows, PETSC_DETERMINE, v));
    PetscCall(VecGetArray(*v, &to));
    for (int i = 0; i < rows; i++)
        to[i] = from != NULL ? from[i] : 0.0;
    PetscCall(VecRestoreArray(*v, &to));
    return 0;
}

static PetscErrorCode make_objects(posed *p)
{
    const double *give = p->rows > 0 ? p->problem->M.as.delassus.diagonal : NULL;
    int own = give != NULL, any;

    PetscCall(make_H(p));
    PetscCall(make_M(p));
    PetscCall(make_vector(&p->q, p->rows, p->problem->q));
    PetscCall(make_vector(&p->x, p->rows, p->z));
    PetscCall(make_vector(&p->y, p->rows, NULL));
    MPI_Allreduce(&own, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (any)
        PetscCall(make_vector(&p->C, p->rows, give));
    return 0;
}

static perp_status create(posed *p)
{
    perp_petsc_problem part;

    if (make_objects(p) != 0)
        return PERP_ERR_MEMORY;
    part = (perp_petsc_problem){.H = p->H,
                                .M = p->M,
                                .q = p->q,
                                .C = p->C,
                                .seg = p->rows > 0 ? p->problem->seg : NULL,
                                .nseg = p->rows > 0 ? p->problem->nseg : 0};
    return perp_petsc_create(&p->system, MPI_COMM_WORLD, &part, NULL, &p->where);
}

static void release(posed *p)
{
    (void)MatDestroy(&p->H);
    (void)MatDestroy(&p->M);
    (void)VecDestroy(&p->q);
    (void)VecDestroy(&p->C);
    (void)VecDestroy(&p->x);
    (void)VecDestroy(&p->y);
    perp_petsc_destroy(p->system);
    free(p->block);
    free(p->masses);
}

/* Between z, w and the vectors of PETSc. */
static perp_status copy(Vec v, double *x, int n, int back)
{
    PetscScalar *of;
    if (VecGetArray(v, &of) != 0)
        return PERP_ERR_MEMORY;
    if (n > 0 && back)
        memcpy(x, of, (size_t)n * sizeof *x);
    else if (n > 0)
        memcpy(of, x, (size_t)n * sizeof *x);
    return VecRestoreArray(v, &of) == 0 ? PERP_SOLVED : PERP_ERR_MEMORY;
}

/* As in a distributed solve. */
static double error_of(const perp_residuals *r, int measure)
{
    if (measure == (int)PERP_MEASURE_NATURAL)
        return r->natural;
    if (measure == (int)PERP_MEASURE_SCALED)
        return r->scaled;
    return fmax(fmax(r->natural, r->scaled), r->dual * r->dual);
}

/* z measured by the data of all ranks; w. */
static perp_status measure(posed *p)
{
    perp_status status = copy(p->x, p->z, p->rows, 0);

    p->info->residual.size = sizeof p->info->residual;
    if (status == PERP_SOLVED)
        status = perp_petsc_residual(p->system, p->x, p->y, &p->info->residual, &p->where);
    if (status == PERP_SOLVED)
        status = copy(p->y, p->w, p->rows, 1);
    p->info->error = error_of(&p->info->residual, p->settings.measure);
    if (isnan(p->info->residual.natural) || isnan(p->info->residual.scaled))
        p->info->error = NAN;
    return status;
}

/* Islands of one rank, each there; and how many rows are left to several. */
static perp_status solve_islands(posed *p)
{
    double own[2] = {p->rows, p->rows}, all[2];
    perp_status status = PERP_SOLVED;

    p->block = perp_part_blocks(p->problem, &p->blocks);
    if (p->block == NULL || !perp_part_mark_apart(p->block, p->blocks, &p->steps->layout))
        status = PERP_ERR_MEMORY;
    for (int k = 0; status == PERP_SOLVED && k < p->blocks; k++)
        own[1] -= p->block[k].apart ? p->block[k].dim : 0;
    if (status == PERP_SOLVED && own[1] < p->rows)
        (void)perp_part_solve_apart(p->problem, p->block, p->blocks, &p->settings, p->z);
    MPI_Allreduce(own, all, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    p->all_rows = all[0];
    p->crossing = all[1];
    p->steps->rows_apart += (long)(all[0] - all[1]);
    return agree(status);
}

/* Rows that cross (all = 0), or all of them, by rank 0. */
static perp_status solve_whole(posed *p, int all)
{
    perp_part_subset subset;
    int blocks = 0, iterations = 0;
    perp_status status = PERP_SOLVED;

    if (!perp_part_subset_take(&subset, p->problem, p->block, p->blocks, all ? -1 : 0, p->z))
        status = PERP_ERR_MEMORY;
    for (int k = 0; k < subset.nseg; k++)
        blocks += subset.seg[k].count;
    status = agree(status);
    if (status == PERP_SOLVED)
        status = perp_part_solve_whole(&p->steps->layout, &subset, blocks, p->masses, &p->settings,
                                       &iterations, p->steps->name);
    for (int i = 0; status >= 0 && i < subset.rows; i++)
        p->z[subset.origin[i]] = subset.z[i];
    perp_part_subset_give(&subset);
    p->steps->whole++;
    p->info->iterations += iterations;
    p->info->solver = p->steps->name;
    return status < 0 || status == PERP_INTERRUPTED ? status : measure(p);
}

static perp_status solve_together(posed *p)
{
    perp_settings settings = p->settings;
    perp_status status;

    settings.warm_start = 1;
    if (settings.max_iter <= 0)
        settings.max_iter = p->steps->ranks->max_iter;
    status = perp_petsc_solve(p->system, p->steps->ranks->solver, &settings, p->x, p->y, &p->own,
                              &p->where);
    perp_count_solve(p->steps->ranks, &p->own, status);
    if (status < 0 || status == PERP_INTERRUPTED)
        return status;
    p->info->iterations += p->own.iterations;
    p->info->solver = p->steps->ranks->solver;
    p->info->error = p->own.error;
    p->info->residual = p->own.residual;
    status = copy(p->x, p->z, p->rows, 1);
    return status == PERP_SOLVED ? copy(p->y, p->w, p->rows, 1) : status;
}

static int is_within(const posed *p)
{
    return p->info->error <= p->settings.tol;
}

/* Each way where the one before it did not end. */
static perp_status solve(posed *p)
{
    perp_part_steps *steps = p->steps;
    perp_status status = solve_islands(p);

    if (status != PERP_SOLVED || p->all_rows == 0.0)
        return status;
    status = create(p);
    if (status == PERP_SOLVED)
        status = measure(p);
    steps->apart += status == PERP_SOLVED && p->crossing == 0.0;
    if (status == PERP_SOLVED && !is_within(p) && p->crossing > 0.0 &&
        p->crossing < steps->whole_rows)
        status = solve_whole(p, 0);
    if (status == PERP_SOLVED && !is_within(p))
        status = solve_together(p);
    if (status == PERP_SOLVED && !is_within(p)) {
        steps->ended++;
        status = solve_whole(p, 1);
    }
    if (status != PERP_SOLVED)
        return status;
    return is_within(p) ? PERP_SOLVED : PERP_STALLED;
}

perp_status perp_part_solve(void *ctx, const perp_problem *problem, const perp_mat *mass,
                            const perp_settings *settings, double *z, double *w, perp_info *info)
{
    perp_part_steps *steps = ctx;
    posed p = {.steps = steps,
               .problem = problem,
               .settings = *settings,
               .z = z,
               .w = w,
               .info = info,
               .rows = problem->M.rows,
               .own = {.size = sizeof p.own},
               .where = {.rank = -1, .segment = -1, .index = -1}};
    perp_status status;

    if (!perp_meet(steps->meeting, PERP_MEET_SOLVE, 0, 0, NULL))
        return PERP_INTERRUPTED;
    if (settings->warm_start == 0 && p.rows > 0)
        memset(z, 0, (size_t)p.rows * sizeof *z);
    p.settings.warm_start = 1;
    p.settings.progress = perp_solve_interrupted;
    p.settings.progress_ctx = NULL;
    info->solver = "none";
    status = agree(take_masses(&p, mass) ? PERP_SOLVED : PERP_ERR_MEMORY);
    if (status == PERP_SOLVED)
        status = solve(&p);
    release(&p);
    if (status < 0 && p.where.rank >= 0)
        snprintf(info->detail, sizeof info->detail, "rank %d: %.40s %.90s", p.where.rank,
                 p.where.what, p.where.text);
    return status;
}

int perp_part_add(void *ctx, double *x, int n)
{
    perp_part_steps *steps = ctx;

    if (!perp_meet(steps->meeting, PERP_MEET_SUM, 0, 0, NULL))
        return 1;
    steps->failed |= perp_part_layout_add(&steps->layout, x, n) != 0;
    return steps->failed;
}

int perp_part_join(void *ctx, const int *island, int bodies, double *sums, int islands)
{
    perp_part_steps *steps = ctx;

    if (!perp_meet(steps->meeting, PERP_MEET_ISLANDS, 0, 0, NULL))
        return 1;
    steps->failed |= perp_part_join_islands(&steps->layout, island, bodies, sums, islands) != 0;
    return steps->failed;
}
