/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/mpi/meeting.h"

#include <string.h>

#include <mpi.h>

int perp_meet(perp_meeting *meeting, perp_meeting_place place, uint64_t bits, int wish, int *any)
{
    uint64_t own[5] = {(uint64_t)place, ~(uint64_t)place, bits, ~bits, (uint64_t)wish}, most[5];

    if (meeting->over)
        return 0;
    MPI_Allreduce(own, most, 5, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
    if (any != NULL)
        *any = (int)most[4];
    meeting->over = most[0] == PERP_MEET_END || most[0] != ~most[1] || most[2] != ~most[3];
    meeting->apart = meeting->over && most[0] != PERP_MEET_END;
    return !meeting->over;
}

uint64_t perp_bits_of(uint64_t before, const double *x, size_t n)
{
    uint64_t sum = before ^ n;

    for (size_t i = 0; i < n; i++) {
        uint64_t bits;
        memcpy(&bits, x + i, sizeof bits);
        sum = (sum ^ bits) * 0x9e3779b97f4a7c15u;
        sum ^= sum >> 29;
    }
    return sum;
}
