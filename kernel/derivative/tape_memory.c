/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory of what is recorded: chunks from the pool, filled from the first on and used again after a
 * reset. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "kernel/derivative/linear.h"
#include "kernel/derivative/stage_system.h"

enum { CHUNK = 1 << 16, ALIGNMENT = 16 };

static unsigned char *new_chunk(perp_tape *tape, size_t bytes)
{
    size_t size = bytes > CHUNK ? bytes : CHUNK;
    if (!perp_pool_grow(&tape->pool, (void **)&tape->chunks, &tape->capacity_chunks,
                        tape->nchunks + 1, sizeof *tape->chunks))
        return NULL;
    unsigned char *made = perp_pool_take(&tape->pool, size);
    if (!made)
        return NULL;
    tape->chunk = tape->nchunks;
    tape->chunks[tape->nchunks++] = (perp_tape_chunk){made, size};
    tape->used = 0;
    return made;
}

void *perp_tape_take(perp_tape *tape, size_t count, size_t size)
{
    if (size > 0 && count > (SIZE_MAX - ALIGNMENT) / size)
        return NULL;
    size_t bytes = (count * size + ALIGNMENT) / ALIGNMENT * ALIGNMENT;
    while (tape->chunk < tape->nchunks && bytes > tape->chunks[tape->chunk].size - tape->used) {
        tape->chunk++;
        tape->used = 0;
    }
    if (tape->chunk >= tape->nchunks && !new_chunk(tape, bytes))
        return NULL;
    void *taken = tape->chunks[tape->chunk].bytes + tape->used;
    tape->used += bytes;
    tape->info.bytes += bytes;
    return memset(taken, 0, bytes);
}

double *perp_tape_copy(perp_tape *tape, const double *x, size_t count)
{
    double *copy = perp_tape_take(tape, count, sizeof(double));
    if (copy && count > 0)
        memcpy(copy, x, count * sizeof(double));
    return copy;
}

const double *perp_tape_keep(perp_tape *tape, const double *x, size_t count, int *failed)
{
    size_t k = 0;
    while (k < count && x[k] == 0.0)
        k++;
    if (k == count)
        return NULL;
    const double *copy = perp_tape_copy(tape, x, count);
    *failed |= !copy;
    return copy;
}

int perp_tape_keeps(perp_tape *tape, size_t bytes)
{
    if (!tape->keeps || tape->info.factors > tape->settings.factors ||
        bytes > tape->settings.factors - tape->info.factors)
        return 0;
    tape->info.factors += bytes;
    return 1;
}

void perp_tape_forget(perp_tape *tape)
{
    perp_tape_linear_forget(tape);
    perp_tape_stage_system_forget(tape);
    tape->info.factors = 0;
    tape->products = 0;
    tape->chunk = 0;
    tape->used = 0;
    tape->info.bytes = 0;
}

double *perp_tape_work(perp_tape *tape, size_t count)
{
    if (count > INT32_MAX ||
        !perp_pool_grow(&tape->pool, (void **)&tape->work, &tape->capacity_work, (int)count + 1,
                        sizeof *tape->work))
        return NULL;
    return tape->work;
}
