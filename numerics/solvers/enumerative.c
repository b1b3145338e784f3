/* SPDX-License-Identifier: BSD-3-Clause */
/* The solver "enumerative": few rows, all answers.
 *
 * A sweep solves what is hardly coupled.  From there full steps of semismooth Newton: where the
 * modes of the contacts (open, stick, slip) are the right ones, one step solves blocks of one and
 * two rows, and those of three converge quadratically.  At last, where all blocks have finitely
 * many modes (two rows at most), a search through all of them (tree.h), which finds a solution or
 * shows that there is none: with a vector where the relaxation at the root has no solution, else
 * because every choice was refuted.  (Enumerative methods for the LCP: [Murty1988], section
 * 1.3.5.)  Sweep, steps, nodes and their pivots count as iterations.
 */
#include <string.h>

#include "handle/refute.h"
#include "solvers/enumeration/enumeration.h"
#include "solvers/enumeration/tree.h"

typedef struct enumerative_state {
    perp_enumeration *few;
    perp_tree *tree; /* NULL where a block has infinitely many modes */
} enumerative_state;

static perp_status setup(perp_work *work)
{
    enumerative_state *state = perp_arena_take_zero(work->arena, 1, sizeof *state);
    work->state = state;
    if (!state)
        return PERP_ERR_MEMORY;
    state->few = perp_enumeration_take(work, 1, 0.0);
    if (work->blocks.n == 0 || perp_tree_rows(&work->blocks) > 0) {
        work->certificate = perp_refute_take(work, work->arena);
        state->tree = perp_tree_take(work);
        if (!state->tree)
            return PERP_ERR_MEMORY;
    }
    return state->few && !work->arena->failed ? PERP_SOLVED : PERP_ERR_MEMORY;
}

static perp_status update(perp_work *work)
{
    (void)work;
    return PERP_SOLVED;
}

static perp_status solve(perp_work *work)
{
    enumerative_state *state = work->state;
    perp_status status = perp_enumeration_solve(state->few, work);
    if (status != PERP_STALLED || !state->tree)
        return status;
    work->monitor.verdict = PERP_SOLVED;
    perp_tree_end end = perp_tree_search(state->tree, work, state->few->M, 0, NULL, NULL);
    if (end.stopped)
        return work->monitor.verdict;
    memcpy(work->z, work->best, (size_t)work->blocks.n * sizeof(double));
    work->info->notes |= PERP_NOTE_BEST;
    if (end.undecided > 0)
        return PERP_STALLED;
    status = end.has_vector ? perp_refute(work) : PERP_STALLED;
    if (status == PERP_INFEASIBLE || (status != PERP_STALLED && work->reach >= end.reach))
        return status;
    work->certificate_kind = PERP_CERTIFICATE_EXHAUSTED;
    work->reach = end.reach;
    return perp_reach_status(end.reach);
}

const perp_solver_type perp_solver_enumerative = {
    .name = "enumerative",
    .everyday = 1,
    .summary = "tries every contact mode of a small problem: a solution, or a proof of none",
    .reads = "",
    .sets = PERP_BIT(PERP_FREE) | PERP_BIT(PERP_NONNEG) | PERP_BIT(PERP_BOX) |
            PERP_BIT(PERP_TRESCA) | PERP_BIT(PERP_COULOMB),
    .matrices =
        PERP_BIT(PERP_DENSE) | PERP_BIT(PERP_CSC) | PERP_BIT(PERP_BSR) | PERP_BIT(PERP_DELASSUS),
    .flags = PERP_READS_BLOCKS,
    .max_iter = 5000000,
    .stall = 0,
    .setup = setup,
    .update = update,
    .solve = solve,
};
