/* SPDX-License-Identifier: BSD-3-Clause */
#include "distributed/agreement.h"

#include <stdio.h>
#include <string.h>

void perp_petsc_quiet(void)
{
    (void)PetscPushErrorHandler(PetscReturnErrorHandler, NULL);
}

void perp_petsc_loud(void)
{
    (void)PetscPopErrorHandler();
}

perp_status perp_petsc_status(PetscErrorCode code)
{
    switch (code) {
    case 0:
        return PERP_SOLVED;
    case PETSC_ERR_MEM:
        return PERP_ERR_MEMORY;
    case PETSC_ERR_SUP:
        return PERP_ERR_UNSUPPORTED;
    case PETSC_ERR_ARG_SIZ:
    case PETSC_ERR_ARG_INCOMP:
    case PETSC_ERR_ARG_WRONGSTATE:
        return PERP_ERR_STRUCTURE;
    default:
        return PERP_ERR_NUMERICAL;
    }
}

int perp_petsc_lies_on(PetscObject object, MPI_Comm comm)
{
    MPI_Comm own;
    int order;
    if (!object || PetscObjectGetComm(object, &own))
        return 0;
    return !MPI_Comm_compare(own, comm, &order) && (order == MPI_IDENT || order == MPI_CONGRUENT);
}

perp_status perp_petsc_at(perp_petsc_where *where, perp_status status, const char *what, int index)
{
    snprintf(where->what, sizeof where->what, "%s", what);
    where->segment = -1;
    where->index = index;
    return status;
}

perp_status perp_petsc_agree(MPI_Comm comm, perp_status own, perp_petsc_where *where)
{
    int rank, size, first;
    struct {
        int status;
        perp_petsc_where where;
    } message;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    int failed = own < 0 ? rank : size;
    MPI_Allreduce(&failed, &first, 1, MPI_INT, MPI_MIN, comm);
    if (first == size) {
        memset(where, 0, sizeof *where);
        where->rank = where->segment = where->index = -1;
        return PERP_SOLVED;
    }
    memset(&message, 0, sizeof message);
    message.status = (int)own;
    message.where = *where;
    message.where.rank = rank;
    MPI_Bcast(&message, (int)sizeof message, MPI_BYTE, first, comm);
    *where = message.where;
    return (perp_status)message.status;
}

void perp_petsc_sum(MPI_Comm comm, double *x, int n, double *memory)
{
    int size;
    MPI_Comm_size(comm, &size);
    MPI_Allgather(x, n, MPI_DOUBLE, memory, n, MPI_DOUBLE, comm);
    memset(x, 0, (size_t)n * sizeof *x);
    for (int rank = 0; rank < size; rank++)
        for (int i = 0; i < n; i++)
            x[i] += memory[(size_t)rank * (size_t)n + (size_t)i];
}

void perp_petsc_largest(MPI_Comm comm, double *x, int n)
{
    double largest[PERP_SUM_MOST];
    MPI_Allreduce(x, largest, n, MPI_DOUBLE, MPI_MAX, comm);
    memcpy(x, largest, (size_t)n * sizeof *x);
}
