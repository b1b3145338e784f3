/* SPDX-License-Identifier: BSD-3-Clause */
#include "distributed/shifted.h"

#include <string.h>

#include "linalg/small.h"

/* Different unknowns of a block of rows, into s->unknown. */
static int list_unknowns(const perp_petsc_shifted *s, const perp_block *block)
{
    const perp_petsc *system = s->system;
    int n = 0;
    for (int k = system->colptr[block->row]; k < system->colptr[block->row + block->dim]; k++) {
        int at = 0;
        while (at < n && s->unknown[at] != system->row[k])
            at++;
        s->unknown[at] = system->row[k];
        n += at == n;
    }
    return n;
}

static int most_unknowns(const perp_petsc *system)
{
    int most = PERP_BODY_MOST;
    for (int k = 0; k < system->blocks.count; k++) {
        const perp_block *block = &system->blocks.at[k];
        int n = system->colptr[block->row + block->dim] - system->colptr[block->row];
        most = n > most ? n : most;
    }
    return most;
}

perp_status perp_petsc_shifted_take(perp_petsc_shifted *s, perp_petsc *system, perp_arena *arena)
{
    size_t most = (size_t)most_unknowns(system), masses = 0;
    for (int b = 0; b < system->nbodies; b++)
        masses += (size_t)(system->bodies[b].dim * system->bodies[b].dim);
    s->system = system;
    s->inverse = PERP_TAKE(arena, double, system->rows);
    s->masses = PERP_TAKE(arena, double, masses);
    s->local = PERP_TAKE(arena, double, most *most);
    s->unknown = PERP_TAKE(arena, int, most);
    if (arena->failed)
        return PERP_ERR_MEMORY;
    for (int b = 0; b < system->nbodies; b++) {
        const perp_body *body = &system->bodies[b];
        double *M = s->masses + body->inverse;
        if (!perp_small_invert(M, system->inverses + body->inverse, body->dim))
            return PERP_ERR_SINGULAR;
        for (int i = 0; i < body->dim * body->dim; i++)
            M[i] /= body->ranks;
    }
    return PERP_SOLVED;
}

/* Where A has entries of this rank: bodies, blocks of rows, and ones where no rank has any. */
static PetscErrorCode make_pattern(perp_petsc_shifted *s)
{
    perp_petsc *system = s->system;
    PetscInt *i, *j, own, from;
    PetscCount n = 0;
    PetscCall(VecGetLocalSize(system->all, &own));
    PetscCall(VecGetOwnershipRange(system->all, &from, NULL));
    for (int b = 0; b < system->nbodies; b++)
        n += system->bodies[b].dim * system->bodies[b].dim;
    for (int k = 0; k < system->blocks.count; k++) {
        int count = list_unknowns(s, &system->blocks.at[k]);
        n += count * count;
    }
    n += own;
    PetscCall(PetscMalloc2((size_t)n + 1, &i, (size_t)n + 1, &j));
    PetscCall(PetscMalloc1((size_t)n + 1, &s->x));
    s->entries = n;
    n = 0;
    for (int b = 0; b < system->nbodies; b++) {
        const perp_body *body = &system->bodies[b];
        const int *dof = system->dof + body->first;
        for (int k = 0; k < body->dim * body->dim; k++, n++) {
            i[n] = system->global[dof[k % body->dim]];
            j[n] = system->global[dof[k / body->dim]];
        }
    }
    for (int b = 0; b < system->blocks.count; b++) {
        int count = list_unknowns(s, &system->blocks.at[b]);
        for (int k = 0; k < count * count; k++, n++) {
            i[n] = system->global[s->unknown[k % count]];
            j[n] = system->global[s->unknown[k / count]];
        }
    }
    for (PetscInt k = 0; k < own; k++, n++)
        i[n] = j[n] = from + k;
    PetscCall(MatCreate(system->comm, &s->A));
    PetscCall(MatSetSizes(s->A, own, own, PETSC_DETERMINE, PETSC_DETERMINE));
    PetscCall(MatSetType(s->A, MATAIJ));
    PetscCall(MatSetPreallocationCOO(s->A, n, i, j));
    return PetscFree2(i, j);
}

/* A factorisation, unless PETSc's options say otherwise (-perp_admm_ksp_type cg). */
static PetscErrorCode make_solver(perp_petsc_shifted *s)
{
    PC pc;
    PetscCall(KSPCreate(s->system->comm, &s->ksp));
    PetscCall(KSPSetOptionsPrefix(s->ksp, "perp_admm_"));
    PetscCall(KSPSetType(s->ksp, KSPPREONLY));
    PetscCall(KSPSetTolerances(s->ksp, 1e-8, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT));
    PetscCall(KSPGetPC(s->ksp, &pc));
    PetscCall(PCSetType(pc, PCLU));
#ifdef PETSC_HAVE_MUMPS
    PetscCall(PCFactorSetMatSolverType(pc, MATSOLVERMUMPS));
#endif
    PetscCall(KSPSetFromOptions(s->ksp));
    PetscCall(VecDuplicate(s->system->all, &s->rhs));
    return VecDuplicate(s->system->all, &s->answer);
}

static PetscErrorCode begin(perp_petsc_shifted *s)
{
    PetscCall(make_pattern(s));
    return make_solver(s);
}

perp_status perp_petsc_shifted_begin(perp_petsc_shifted *s)
{
    perp_petsc_where where;
    return perp_petsc_agree(s->system->comm, perp_petsc_status(begin(s)), &where);
}

/* H_k' S_k^-1 H_k over the unknowns of a block, by columns. */
static int fill_block(perp_petsc_shifted *s, const perp_block *block)
{
    const perp_petsc *system = s->system;
    int n = list_unknowns(s, block);
    memset(s->local, 0, (size_t)(n * n) * sizeof *s->local);
    for (int row = block->row; row < block->row + block->dim; row++)
        for (int a = system->colptr[row]; a < system->colptr[row + 1]; a++) {
            int i = 0;
            while (s->unknown[i] != system->row[a])
                i++;
            for (int b = system->colptr[row]; b < system->colptr[row + 1]; b++) {
                int j = 0;
                while (s->unknown[j] != system->row[b])
                    j++;
                s->local[i + j * n] += system->x[a] * system->x[b] * s->inverse[row];
            }
        }
    return n;
}

static PetscErrorCode fill(perp_petsc_shifted *s)
{
    perp_petsc *system = s->system;
    const PetscScalar *touched;
    PetscCount n = 0;
    PetscInt own;
    for (int b = 0; b < system->nbodies; b++)
        for (int k = 0; k < system->bodies[b].dim * system->bodies[b].dim; k++)
            s->x[n++] = s->masses[system->bodies[b].inverse + (size_t)k];
    for (int k = 0; k < system->blocks.count; k++) {
        int size = fill_block(s, &system->blocks.at[k]);
        for (int e = 0; e < size * size; e++)
            s->x[n++] = s->local[e];
    }
    /* Unknowns that no rank touches. */
    PetscCall(VecSet(system->own, 1.0));
    PetscCall(VecSet(system->all, 0.0));
    PetscCall(
        VecScatterBegin(system->exchange, system->own, system->all, ADD_VALUES, SCATTER_REVERSE));
    PetscCall(
        VecScatterEnd(system->exchange, system->own, system->all, ADD_VALUES, SCATTER_REVERSE));
    PetscCall(VecGetLocalSize(system->all, &own));
    PetscCall(VecGetArrayRead(system->all, &touched));
    for (PetscInt k = 0; k < own; k++)
        s->x[n++] = PetscRealPart(touched[k]) > 0.0 ? 0.0 : 1.0;
    PetscCall(VecRestoreArrayRead(system->all, &touched));
    PetscCall(MatSetValuesCOO(s->A, s->x, INSERT_VALUES));
    PetscCall(KSPSetOperators(s->ksp, s->A, s->A));
    return KSPSetUp(s->ksp);
}

perp_status perp_petsc_shifted_use(perp_petsc_shifted *s, const double *shift)
{
    perp_petsc *system = s->system;
    perp_petsc_where where;
    for (int k = 0; k < system->blocks.count; k++) {
        const perp_block *block = &system->blocks.at[k];
        for (int i = block->row; i < block->row + block->dim; i++)
            s->inverse[i] = 1.0 / (shift[k] + (system->C ? system->C[i] : 0.0));
    }
    return perp_petsc_agree(system->comm, perp_petsc_status(fill(s)), &where);
}

/* s->answer = A^-1 H' S^-1 b, brought to system->own. */
static PetscErrorCode solve(perp_petsc_shifted *s, const double *b)
{
    perp_petsc *system = s->system;
    VecScatter exchange = system->exchange;
    KSPConvergedReason reason;
    PetscInt iterations;
    PetscScalar *p;
    PetscCall(VecGetArray(system->own, &p));
    memset(p, 0, (size_t)system->dofs * sizeof *p);
    for (int i = 0; i < system->rows; i++)
        for (int k = system->colptr[i]; k < system->colptr[i + 1]; k++)
            p[system->row[k]] += system->x[k] * s->inverse[i] * b[i];
    PetscCall(VecRestoreArray(system->own, &p));
    PetscCall(VecSet(s->rhs, 0.0));
    PetscCall(VecScatterBegin(exchange, system->own, s->rhs, ADD_VALUES, SCATTER_REVERSE));
    PetscCall(VecScatterEnd(exchange, system->own, s->rhs, ADD_VALUES, SCATTER_REVERSE));
    PetscCall(KSPSolve(s->ksp, s->rhs, s->answer));
    PetscCall(KSPGetConvergedReason(s->ksp, &reason));
    PetscCall(KSPGetIterationNumber(s->ksp, &iterations));
    PetscCall(VecScatterBegin(exchange, s->answer, system->own, INSERT_VALUES, SCATTER_FORWARD));
    PetscCall(VecScatterEnd(exchange, s->answer, system->own, INSERT_VALUES, SCATTER_FORWARD));
    system->load.messages += system->each.messages;
    system->load.bytes += system->each.bytes;
    system->load.flops += 4.0 * system->colptr[system->rows];
    /* Of an iterative method: products, whose exchanges are like these. */
    system->load.products += (double)iterations;
    return reason < 0 ? PETSC_ERR_CONV_FAILED : 0;
}

perp_status perp_petsc_shifted_solve(perp_petsc_shifted *s, const double *b, double *x)
{
    perp_petsc *system = s->system;
    const PetscScalar *v;
    PetscErrorCode code = solve(s, b);
    if (!code)
        code = VecGetArrayRead(system->own, &v);
    if (code)
        return perp_petsc_status(code);
    for (int i = 0; i < system->rows; i++) {
        double sum = b[i];
        for (int k = system->colptr[i]; k < system->colptr[i + 1]; k++)
            sum -= system->x[k] * PetscRealPart(v[system->row[k]]);
        x[i] = sum * s->inverse[i];
    }
    return perp_petsc_status(VecRestoreArrayRead(system->own, &v));
}

void perp_petsc_shifted_free(perp_petsc_shifted *s)
{
    (void)KSPDestroy(&s->ksp);
    (void)MatDestroy(&s->A);
    (void)VecDestroy(&s->rhs);
    (void)VecDestroy(&s->answer);
    (void)PetscFree(s->x);
}
