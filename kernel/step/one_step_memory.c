/* SPDX-License-Identifier: BSD-3-Clause */
/* What solvers remember from one solve to the next.  A run goes on from a checkpoint with the same
 * bits, and one that was saved has those of one that was not; so either a checkpoint holds it, as
 * of the main problem (one->remembers), whose set-ups hand it on where the size stays, or it ends
 * with the step. */
#include "kernel/step/one_step.h"

static void drop(perp_one_step *one, perp_one_step_handle *handle)
{
    perp_pool_give(one->pool, handle->memory);
    handle->memory = NULL;
    handle->memory_bytes = 0;
}

static int remembers(const perp_one_step *one, const perp_one_step_handle *handle)
{
    return one->remembers && handle >= one->handles &&
           handle < one->handles + PERP_ONE_STEP_HANDLES;
}

/* Into handle->memory; 0: the solver has nothing, or no memory is left. */
static int take(perp_one_step *one, perp_one_step_handle *handle)
{
    size_t bytes = 0;
    if (perp_solver_save(handle->solver, NULL, &bytes) != PERP_SOLVED)
        bytes = 0;
    if (!handle->memory || handle->memory_bytes != bytes) {
        drop(one, handle);
        handle->memory = bytes > 0 ? perp_pool_take(one->pool, bytes) : NULL;
    }
    if (!handle->memory)
        return 0;
    handle->memory_bytes = bytes;
    return perp_solver_save(handle->solver, handle->memory, &bytes) == PERP_SOLVED;
}

void perp_one_step_keep(perp_one_step *one, perp_one_step_handle *handle)
{
    if (!remembers(one, handle))
        drop(one, handle);
    else if (!handle->memory && handle->pattern != 0 && !take(one, handle))
        drop(one, handle);
}

void perp_one_step_recall(perp_one_step *one, perp_one_step_handle *handle)
{
    handle->step = one->pool->steps;
    if (remembers(one, handle) && handle->memory) {
        /* Of another size of problem where the active contacts changed: then it is dropped. */
        (void)perp_solver_load(handle->solver, handle->memory, handle->memory_bytes);
        drop(one, handle);
    } else if (!remembers(one, handle) && !take(one, handle)) {
        drop(one, handle);
        handle->pattern = 0; /* it is set up again each time */
    }
}

void perp_one_step_renew(perp_one_step *one, perp_one_step_handle *handle)
{
    if (handle->step != one->pool->steps && !remembers(one, handle))
        (void)perp_solver_load(handle->solver, handle->memory, handle->memory_bytes);
    handle->step = one->pool->steps;
}
