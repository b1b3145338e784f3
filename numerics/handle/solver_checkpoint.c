/* SPDX-License-Identifier: BSD-3-Clause */
/* The memory of a handle between solves, as bytes. */
#include <stdio.h>
#include <string.h>

#include "core/float_environment.h"
#include "handle/solver_handle.h"

/* Header of a checkpoint: the same solver and the same size, or it is refused. */
typedef struct checkpoint {
    char magic[8];
    char solver[64];
    uint64_t rows, bytes;
} checkpoint;

static checkpoint checkpoint_of(const perp_solver *solver)
{
    checkpoint header;
    memset(&header, 0, sizeof header);
    memcpy(header.magic, "perp-m1", 8);
    snprintf(header.solver, sizeof header.solver, "%s%s%s",
             solver->type->variant ? solver->type->variant : "", solver->type->variant ? " " : "",
             solver->type->name);
    header.rows = (uint64_t)solver->work.blocks.n;
    header.bytes = solver->work.memory ? solver->work.memory_bytes : 0;
    return header;
}

perp_status perp_solver_save(const perp_solver *solver, void *buf, size_t *bytes)
{
    if (!solver || !bytes)
        return PERP_ERR_ARGUMENT;
    if (!solver->ready)
        return PERP_ERR_STATE;
    checkpoint header = checkpoint_of(solver);
    size_t capacity = *bytes;
    *bytes = sizeof header + (size_t)header.bytes;
    if (buf && capacity < *bytes)
        return PERP_ERR_ARGUMENT;
    if (buf) {
        memcpy(buf, &header, sizeof header);
        if (header.bytes)
            memcpy((char *)buf + sizeof header, solver->work.memory, (size_t)header.bytes);
    }
    return PERP_SOLVED;
}

perp_status perp_solver_load(perp_solver *solver, const void *buf, size_t bytes)
{
    PERP_HOLD_ENVIRONMENT();
    if (!solver || !buf)
        return PERP_ERR_ARGUMENT;
    if (!solver->ready)
        return perp_solver_fail(solver, PERP_ERR_STATE, "setup");
    checkpoint header = checkpoint_of(solver);
    if (bytes != sizeof header + header.bytes || memcmp(buf, &header, sizeof header) != 0)
        return perp_solver_fail(solver, PERP_ERR_ARGUMENT, "checkpoint");
    if (header.bytes)
        memcpy(solver->work.memory, (const char *)buf + sizeof header, (size_t)header.bytes);
    return PERP_SOLVED;
}
