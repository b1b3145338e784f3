/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers of a step that are those of all ranks: sums, and the largest with what belongs to it. */
#include <math.h>
#include <string.h>

#include "cli/mpi/part_common.h"

/* In the order of the ranks. */
int perp_part_total(void *ctx, double *x, int n)
{
    perp_part_steps *steps = ctx;
    double *all = steps->totals;

    if (!perp_part_serve(steps) || n > PERP_PART_TOTALS)
        return 1;
    MPI_Allgather(x, n, MPI_DOUBLE, all, n, MPI_DOUBLE, MPI_COMM_WORLD);
    for (int i = 0; i < n; i++) {
        x[i] = 0.0;
        for (int r = 0; r < steps->layout.ranks; r++)
            x[i] += all[r * n + i];
    }
    return 0;
}

/* A group as it is sent: its rank, then its numbers. */
enum { GROUPS = 64, NUMBERS = 8, SENT = NUMBERS + 1 };

static void keep_larger(void *from, void *to, int *count, MPI_Datatype *type)
{
    const double *a = from;
    double *b = to;

    (void)type;
    for (int k = 0; k < *count; k++, a += SENT, b += SENT) {
        int larger = isnan(a[1]) ? !isnan(b[1]) : a[1] > b[1];
        int equal = isnan(a[1]) ? isnan(b[1]) : a[1] == b[1];
        if (larger || (equal && a[0] < b[0]))
            memcpy(b, a, SENT * sizeof *b);
    }
}

int perp_part_largest(void *ctx, double *x, int groups, int width)
{
    perp_part_steps *steps = ctx;
    double own[GROUPS * SENT] = {0.0}, most[GROUPS * SENT];
    MPI_Datatype group;

    if (!perp_part_serve(steps) || groups > GROUPS || width > NUMBERS)
        return 1;
    for (int k = 0; k < groups; k++) {
        own[SENT * k] = steps->layout.rank;
        memcpy(own + SENT * k + 1, x + width * k, (size_t)width * sizeof *x);
    }
    if (steps->most == MPI_OP_NULL)
        MPI_Op_create(keep_larger, 1, &steps->most);
    MPI_Type_contiguous(SENT, MPI_DOUBLE, &group);
    MPI_Type_commit(&group);
    MPI_Allreduce(own, most, groups, group, steps->most, MPI_COMM_WORLD);
    MPI_Type_free(&group);
    for (int k = 0; k < groups; k++)
        memcpy(x + width * k, most + SENT * k + 1, (size_t)width * sizeof *x);
    return 0;
}
