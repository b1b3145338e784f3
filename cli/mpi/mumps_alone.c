/* SPDX-License-Identifier: BSD-3-Clause */
/* Factorisations of one rank's own problems stay in that rank.
 *
 * libperp-numerics is linked with the sequential MUMPS, PETSc with the parallel one, and both have
 * the symbol dmumps_c: in this program all calls arrive at the parallel one, where "all processes"
 * of the sequential one would mean the ranks together.  This dmumps_c comes before both and says
 * MPI_COMM_SELF in its place; PETSc names a communicator of its own. */
#define _GNU_SOURCE /* RTLD_NEXT */
#include "config.h"

#ifdef HAVE_MUMPS
#include <dlfcn.h>

#include <dmumps_c.h>
#include <mpi.h>

enum { USE_COMM_WORLD = -987654 };

__attribute__((visibility("default"))) void MUMPS_CALL dmumps_c(DMUMPS_STRUC_C *id)
{
    void (*next)(DMUMPS_STRUC_C *);
    int started = 0;

    *(void **)&next = dlsym(RTLD_NEXT, "dmumps_c");
    MPI_Initialized(&started);
    if (id->job == -1 && id->comm_fortran == USE_COMM_WORLD && started)
        id->comm_fortran = (MUMPS_INT)MPI_Comm_c2f(MPI_COMM_SELF);
    if (next == NULL)
        id->infog[0] = -1;
    else
        next(id);
}
#endif
