/* SPDX-License-Identifier: BSD-3-Clause */
/* Momenta of bodies, summed over the ranks that touch them: w = H M^-1 H' z + C z + q.
 *
 * Each rank adds up H'z of its own rows.  One scatter sums these at the owners of the unknowns, one
 * brings the sums back, and each rank then has the same momenta of its bodies to the bit, of which
 * it makes velocities itself. */
#include <string.h>

#include "distributed/system.h"

/* Messages of a scatter in both directions. */
static perp_status count_messages(perp_petsc *system)
{
    int size = system->size, *need = system->peers, *give = need + size;
    const PetscInt *range;
    PetscErrorCode code = VecGetOwnershipRanges(system->all, &range);
    if (code)
        return perp_petsc_status(code);
    memset(need, 0, 2 * (size_t)size * sizeof *need);
    for (int i = 0, rank = 0; i < system->dofs; i++) {
        while (system->global[i] >= range[rank + 1])
            rank++;
        need[rank]++;
    }
    MPI_Alltoall(need, 1, MPI_INT, give, 1, MPI_INT, system->comm);
    need[system->rank] = give[system->rank] = 0;
    for (int rank = 0; rank < size; rank++) {
        system->each.neighbours += need[rank] > 0 || give[rank] > 0;
        system->each.messages += (need[rank] > 0) + (give[rank] > 0);
        system->each.bytes += 8.0 * ((double)need[rank] + (double)give[rank]);
    }
    return PERP_SOLVED;
}

static PetscErrorCode make_exchange(perp_petsc *system, PetscInt owned)
{
    IS unknowns;
    PetscCall(VecCreateMPI(system->comm, owned, PETSC_DETERMINE, &system->all));
    PetscCall(VecCreateSeq(PETSC_COMM_SELF, system->dofs, &system->own));
    PetscCall(
        ISCreateGeneral(system->comm, system->dofs, system->global, PETSC_COPY_VALUES, &unknowns));
    PetscCall(VecScatterCreate(system->all, unknowns, system->own, NULL, &system->exchange));
    PetscCall(ISDestroy(&unknowns));
    return 0;
}

perp_status perp_petsc_take_exchange(perp_petsc *system, PetscInt owned)
{
    perp_status status = perp_petsc_status(make_exchange(system, owned));
    return status == PERP_SOLVED ? count_messages(system) : status;
}

/* own of all ranks summed, and back. */
static PetscErrorCode sum_own(perp_petsc *system)
{
    VecScatter s = system->exchange;
    PetscCall(VecSet(system->all, 0.0));
    PetscCall(VecScatterBegin(s, system->own, system->all, ADD_VALUES, SCATTER_REVERSE));
    PetscCall(VecScatterEnd(s, system->own, system->all, ADD_VALUES, SCATTER_REVERSE));
    PetscCall(VecScatterBegin(s, system->all, system->own, INSERT_VALUES, SCATTER_FORWARD));
    PetscCall(VecScatterEnd(s, system->all, system->own, INSERT_VALUES, SCATTER_FORWARD));
    return 0;
}

perp_status perp_petsc_touching_ranks(perp_petsc *system, double *ranks)
{
    const PetscScalar *x;
    PetscErrorCode code = VecSet(system->own, 1.0);
    if (!code)
        code = sum_own(system);
    if (!code)
        code = VecGetArrayRead(system->own, &x);
    if (code)
        return perp_petsc_status(code);
    if (system->dofs > 0)
        memcpy(ranks, x, (size_t)system->dofs * sizeof *ranks);
    return perp_petsc_status(VecRestoreArrayRead(system->own, &x));
}

static void momenta(const perp_petsc *system, const double *z, double *p)
{
    for (int i = 0; i < system->dofs; i++)
        p[i] = 0.0;
    for (int i = 0; i < system->rows; i++)
        for (int k = system->colptr[i]; z[i] != 0.0 && k < system->colptr[i + 1]; k++)
            p[system->row[k]] += system->x[k] * z[i];
}

/* In place. */
static void velocities(const perp_petsc *system, double *p)
{
    for (int b = 0; b < system->nbodies; b++) {
        const perp_body *body = &system->bodies[b];
        const double *inverse = system->inverses + body->inverse;
        const int *dof = system->dof + body->first;
        double in[PERP_BODY_MOST], out[PERP_BODY_MOST] = {0.0};
        for (int i = 0; i < body->dim; i++)
            in[i] = p[dof[i]];
        for (int j = 0; j < body->dim; j++)
            for (int i = 0; i < body->dim; i++)
                out[i] += inverse[i + j * body->dim] * in[j];
        for (int i = 0; i < body->dim; i++)
            p[dof[i]] = out[i];
    }
}

perp_status perp_petsc_product(perp_petsc *system, const double *z, double *w)
{
    PetscScalar *p;
    PetscErrorCode code = VecGetArray(system->own, &p);
    if (code)
        return perp_petsc_status(code);
    momenta(system, z, p);
    code = VecRestoreArray(system->own, &p);
    if (!code)
        code = sum_own(system);
    if (!code)
        code = VecGetArray(system->own, &p);
    if (code)
        return perp_petsc_status(code);
    velocities(system, p);
    for (int i = 0; i < system->rows; i++) {
        double sum = 0.0;
        for (int k = system->colptr[i]; k < system->colptr[i + 1]; k++)
            sum += system->x[k] * p[system->row[k]];
        if (system->C)
            sum += system->C[i] * z[i];
        w[i] = sum + system->q[i];
    }
    system->load.products += 1.0;
    system->load.messages += system->each.messages;
    system->load.bytes += system->each.bytes;
    system->load.flops += system->product_flops;
    return perp_petsc_status(VecRestoreArray(system->own, &p));
}
