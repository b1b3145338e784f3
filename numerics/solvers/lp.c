/* SPDX-License-Identifier: BSD-3-Clause */
/* Complementarity by linear programs: exact, for small problems.
 *
 * Of y = A x + b, 0 <= x perp y >= 0 the complementarity is dropped, and a vertex is sought that is
 * least in the sum of the smaller sides of the pairs; with the sides of that vertex, again
 * ([Mangasarian1978], [Mangasarian1997]).  Where that ends beside a solution the worst pair is
 * branched on: x_i = 0 or y_i = 0, depth first.  No bound on x or y is guessed.  A case counts as
 * empty only when multipliers of its linear program prove it, computed from the basis and checked
 * in arithmetic of our own; a vertex counts as a solution only when perp_stop() says so.
 *
 * So the search ends with a solution, with a vector that refutes the problem as it stands
 * (INFEASIBLE), with all cases refuted (EXHAUSTED), or with cases that could not be decided
 * in double precision (STALLED). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "handle/refute.h"
#include "handle/solver_type.h"
#include "lp/library.h"
#include "problem/proof.h"
#include "solvers/lp/lp_relaxation.h"
#include "solvers/pivoting/active_set.h"
#include "solvers/pivoting/lcp_form.h"

/* A vertex with an error below the second is looked at twice, below the first it is the solution.
 */
static const double rounding_share = 1e-9, near_share = 1e-3;
enum { SETS = 4, REFINEMENTS = 3 };
enum { ROUNDS_FIRST = 20, ROUNDS = 4, LOOK_EVERY = 32 };

typedef struct lp_state {
    perp_lp_library library;
    perp_arena sets; /* of an active set */
    double *kept;    /* n */
    perp_arena arena; /* of the form and the programs, made in each solve */
    perp_lcp lcp;
    perp_relaxation relaxation;
    double *u;             /* multipliers */
    perp_row_case *cases;  /* n: the rows of the problem in the current case */
    perp_proof_vectors proof;
    double reach; /* of the cases refuted so far */
    int *branch;           /* pairs branched on, in this order */
    unsigned char *second; /* 1: its second case is the current one */
    int depth, iteration, undecided;
    int asked, stopped; /* by the callback inside a linear program */
    double error;
    perp_work *work;
} lp_state;

/* From inside lp_solve. */
static int look(void *ctx)
{
    lp_state *state = ctx;
    if (!state->stopped && ++state->asked % LOOK_EVERY == 0)
        state->stopped = perp_stop_light(state->work, state->iteration, state->error);
    return state->stopped;
}

static perp_status lp_setup(perp_work *work)
{
    perp_status status;
    lp_state *state = perp_arena_take_zero(work->arena, 1, sizeof *state);
    double *kept = PERP_TAKE(work->arena, double, work->blocks.n);
    perp_lcp_size(&work->blocks, &status);
    if (status != PERP_SOLVED)
        return status;
    work->certificate = perp_refute_take(work, work->arena);
    if (work->arena->failed)
        return PERP_ERR_MEMORY;
    perp_arena_init(&state->arena, &work->arena->allocator);
    perp_arena_init(&state->sets, &work->arena->allocator);
    state->kept = kept;
    work->state = state;
    return perp_lp_library_open(&state->library, work->info);
}

/* All is read in solve. */
static perp_status lp_update(perp_work *work)
{
    (void)work;
    return PERP_SOLVED;
}

static void lp_release(perp_work *work)
{
    lp_state *state = work->state;
    perp_arena_free(&state->arena);
    perp_arena_free(&state->sets);
    perp_lp_library_close(&state->library);
}

static perp_status build(perp_work *work, lp_state *state)
{
    perp_arena_reset(&state->arena);
    perp_status status = perp_lcp_build(&state->lcp, work->problem, &work->blocks, &state->arena);
    if (status == PERP_SOLVED)
        status = perp_relaxation_take(&state->relaxation, &state->lcp, state->library.table,
                                      &state->arena);
    if (status != PERP_SOLVED)
        return status;
    state->u = PERP_TAKE(&state->arena, double, state->lcp.size);
    state->branch = PERP_TAKE(&state->arena, int, state->lcp.size);
    state->second = PERP_TAKE(&state->arena, unsigned char, state->lcp.size);
    size_t n = (size_t)work->blocks.n;
    double *rows = PERP_TAKE(&state->arena, double, 3 * n + perp_proof_work(&work->problem->M));
    state->cases = PERP_TAKE(&state->arena, perp_row_case, n);
    if (rows)
        state->proof = (perp_proof_vectors){rows, rows + n, rows + 2 * n, rows + 3 * n};
    work->outside_bytes = state->arena.bytes;
    return state->arena.failed ? PERP_ERR_MEMORY : PERP_SOLVED;
}

/* work->z from x; its error. */
static double measure(perp_work *work, lp_state *state, const double *found)
{
    const perp_lcp *lcp = &state->lcp;
    double *x = state->u;
    for (int i = 0; i < lcp->size; i++)
        x[i] = lcp->kind[i] == PERP_LCP_FREE ? found[i] : fmax(found[i], 0.0);
    perp_lcp_to_z(work->z, lcp, x);
    return perp_measure(work, work->z);
}

/* The active set of work->z, and those that its signs ask for next, solved in the rows of the
 * problem; work->z is the best of all, and its error is returned. */
static double polish(perp_work *work, lp_state *state, double error)
{
    size_t bytes = (size_t)work->blocks.n * sizeof(double);
    double *trial = work->z, least = error;
    perp_active_set set;
    if (!perp_active_set_takes(&work->problem->M))
        return error;
    memcpy(state->kept, work->z, bytes);
    perp_arena_reset(&state->sets);
    int going = perp_active_set_start(&set, work->problem, &work->blocks, trial, &state->sets);
    for (int k = 0; k < SETS && going && perp_active_set_solve(trial, &set, work->w); k++) {
        work->info->factorisations++;
        for (int step = 0; step < REFINEMENTS; step++) {
            perp_active_set_clip(trial, &set);
            error = perp_measure(work, trial);
            if (error < least) {
                least = error;
                memcpy(state->kept, trial, bytes);
            }
            perp_active_set_refine(trial, &set, work->w);
        }
        perp_measure(work, trial);
        going = perp_active_set_next(&set, trial, work->w);
    }
    memcpy(work->z, state->kept, bytes);
    return perp_measure(work, work->z);
}

/* The vertex, from its basis or, where that is near singular and worse, as the program has
 * it.  1: stop; a vertex with an error of rounding is the answer, whatever tol asks for. */
static int judge(perp_work *work, lp_state *state)
{
    state->error = measure(work, state, state->relaxation.x);
    if (state->error > work->settings->tol && state->error < near_share) {
        double other = measure(work, state, state->relaxation.found);
        state->error = other < state->error ? other : measure(work, state, state->relaxation.x);
        if (state->error > work->settings->tol)
            state->error = polish(work, state, state->error);
    }
    if (perp_stop(work, state->iteration, state->error))
        return 1;
    if (state->error <= rounding_share)
        work->monitor.verdict = PERP_STALLED;
    return state->error <= rounding_share;
}

typedef enum node_end {
    NODE_STOP,     /* work->monitor.verdict says why */
    NODE_REFUTED,  /* no solution in this case, proven */
    NODE_OPEN,     /* *pair is to be decided */
    NODE_UNDECIDED /* nothing is left to decide, and neither was found */
} node_end;

/* The multipliers in the rows of the problem. */
static void write_certificate(perp_work *work, const lp_state *state)
{
    const perp_lcp *lcp = &state->lcp;
    memset(work->certificate, 0, (size_t)lcp->n * sizeof(double));
    for (int i = 0; i < lcp->size; i++)
        if (lcp->kind[i] != PERP_LCP_SLACK)
            work->certificate[lcp->origin[i]] = lcp->sign[i] * lcp->row_scale[i] * state->u[i];
}

/* What the current case says of the rows of the problem.  1: a row is at both of its bounds. */
static int write_cases(const perp_work *work, lp_state *state)
{
    const perp_lcp *lcp = &state->lcp;
    int empty = 0;
    for (int k = 0; k < lcp->n; k++) {
        const perp_block *block = &work->blocks.at[k];
        state->cases[k] = perp_row_case_of(block);
    }
    for (int i = 0; i < lcp->size; i++) {
        perp_row_case *row = &state->cases[lcp->origin[i]];
        unsigned char at = state->relaxation.state[i];
        int last = lcp->sign[i] < 0.0;
        if (at == PERP_CASE_OPEN || lcp->kind[i] == PERP_LCP_FREE)
            continue;
        if (lcp->kind[i] != PERP_LCP_SLACK && at == PERP_CASE_X_IS_ZERO)
            *(last ? &row->lo : &row->hi) = last ? row->hi : row->lo;
        else if (lcp->kind[i] != PERP_LCP_SLACK) /* w = 0, or w = - the multiplier of hi */
            *(last ? &row->negative : &row->positive) = 0;
        else if (at == PERP_CASE_X_IS_ZERO)
            row->negative = 0;
        else if (row->hi > row->lo)
            row->lo = row->hi;
        else
            empty = 1;
    }
    return empty;
}

/* 1: the multipliers refute the case beyond all rounding, if with a reach. */
static int case_is_refuted(perp_work *work, lp_state *state)
{
    perp_certificate_figures figures = {.size = sizeof figures};
    if (write_cases(work, state))
        return 1;
    write_certificate(work, state);
    perp_proof_check_case(&figures, work->problem, &work->blocks, state->cases, work->certificate,
                          &state->proof);
    if (!figures.holds && perp_small_integers(state->kept, work->certificate, state->lcp.n)) {
        perp_certificate_figures other = {.size = sizeof other};
        perp_proof_check_case(&other, work->problem, &work->blocks, state->cases, state->kept,
                              &state->proof);
        figures = other.holds ? other : figures;
    }
    int of_use = figures.column <= PERP_PROOF_COLUMN && figures.value < -PERP_PROOF_VALUE;
    if (!figures.holds && !(figures.reach > 0.0 && of_use))
        return 0;
    state->reach = fmin(state->reach, figures.reach);
    return 1;
}

/* Multipliers for an empty case. */
static node_end refute(perp_work *work, lp_state *state, const perp_lp_control *control, int pair)
{
    perp_lp_outcome outcome;
    int proven = perp_relaxation_refute(&state->relaxation, state->u, control, &outcome);
    if (state->stopped)
        return NODE_STOP;
    if (outcome == PERP_LP_NO_MEMORY) {
        work->monitor.verdict = PERP_ERR_MEMORY;
        return NODE_STOP;
    }
    if (perp_stop_light(work, ++state->iteration, state->error))
        return NODE_STOP;
    if (proven && case_is_refuted(work, state))
        return NODE_REFUTED;
    return pair >= 0 ? NODE_OPEN : NODE_UNDECIDED;
}

/* Successive linear programs for the current case. */
static node_end explore(perp_work *work, lp_state *state, int *pair)
{
    perp_relaxation *relaxation = &state->relaxation;
    long most = 1000 + 100 * (long)relaxation->size;
    const perp_lp_control control = {look, state, most};
    int rounds = state->depth == 0 ? ROUNDS_FIRST : ROUNDS;
    double gap;
    memset(relaxation->side, PERP_SIDE_BOTH, (size_t)relaxation->size);
    for (int round = 0; round < rounds; round++) {
        perp_lp_outcome outcome = perp_relaxation_vertex(relaxation, &control);
        if (state->stopped)
            return NODE_STOP;
        if (outcome == PERP_LP_NO_MEMORY) {
            work->monitor.verdict = PERP_ERR_MEMORY;
            return NODE_STOP;
        }
        state->iteration++;
        if (outcome != PERP_LP_OPTIMAL) {
            if (perp_stop_light(work, state->iteration, state->error))
                return NODE_STOP;
            if (round == 0)
                *pair = perp_relaxation_worst_pair(relaxation, &gap);
            return refute(work, state, &control, *pair);
        }
        if (judge(work, state))
            return NODE_STOP;
        *pair = perp_relaxation_worst_pair(relaxation, &gap);
        if (!perp_relaxation_choose_sides(relaxation))
            break;
    }
    return *pair >= 0 ? NODE_OPEN : NODE_UNDECIDED;
}

/* The case that the smaller side of the pair asks for first. */
static void enter(lp_state *state, int pair)
{
    perp_relaxation *relaxation = &state->relaxation;
    state->branch[state->depth] = pair;
    state->second[state->depth++] = 0;
    relaxation->state[pair] =
        relaxation->x[pair] <= relaxation->y[pair] ? PERP_CASE_X_IS_ZERO : PERP_CASE_Y_IS_ZERO;
}

/* On to the next case; 0: there is none. */
static int advance(lp_state *state)
{
    unsigned char *at = state->relaxation.state;
    while (state->depth > 0) {
        int pair = state->branch[state->depth - 1];
        if (!state->second[state->depth - 1]) {
            state->second[state->depth - 1] = 1;
            at[pair] = at[pair] == PERP_CASE_X_IS_ZERO ? PERP_CASE_Y_IS_ZERO : PERP_CASE_X_IS_ZERO;
            return 1;
        }
        at[pair] = PERP_CASE_OPEN;
        state->depth--;
    }
    return 0;
}

/* The multipliers of the whole problem, in its own rows and checked there. */
static perp_status report_infeasible(perp_work *work, lp_state *state)
{
    write_certificate(work, state);
    return perp_refute(work);
}

static perp_status search(perp_work *work, lp_state *state)
{
    int pair = -1;
    state->depth = state->undecided = 0;
    state->reach = INFINITY;
    for (;;) {
        switch (explore(work, state, &pair)) {
        case NODE_STOP:
            return work->monitor.verdict;
        case NODE_OPEN:
            enter(state, pair);
            continue;
        case NODE_UNDECIDED:
            state->undecided++;
            break;
        case NODE_REFUTED:
            if (state->depth == 0)
                return report_infeasible(work, state);
        }
        if (!advance(state))
            break;
    }
    if (state->undecided > 0) {
        snprintf(work->info->detail, sizeof work->info->detail,
                 "%d of the cases could not be decided in double precision", state->undecided);
        return PERP_STALLED;
    }
    work->certificate_kind = PERP_CERTIFICATE_EXHAUSTED;
    work->reach = state->reach;
    return perp_reach_status(state->reach);
}

static perp_status lp_solve(perp_work *work)
{
    lp_state *state = work->state;
    state->work = work;
    state->iteration = state->asked = state->stopped = 0;
    if (perp_measure_and_stop(work, 0, &state->error))
        return work->monitor.verdict;
    perp_status status = build(work, state);
    if (status != PERP_SOLVED)
        return status;
    if (state->lcp.size == 0) {
        state->iteration = 1;
        return judge(work, state) ? work->monitor.verdict : PERP_STALLED;
    }
    status = search(work, state);
    if (status == PERP_STALLED || status == PERP_INFEASIBLE || status == PERP_INFEASIBLE_WITHIN) {
        memcpy(work->z, work->best, (size_t)work->blocks.n * sizeof(double));
        work->info->notes |= PERP_NOTE_BEST;
    }
    return status;
}

const perp_solver_type perp_solver_lp = {
    .name = "lp",
    .summary = "branching with linear programs: a solution, or a proof that there is none",
    .reads = "",
    .sets = PERP_LINEAR_SETS,
    .matrices =
        PERP_BIT(PERP_DENSE) | PERP_BIT(PERP_CSC) | PERP_BIT(PERP_BSR) | PERP_BIT(PERP_DELASSUS),
    .flags = PERP_ALLOCATES | PERP_READS_BLOCKS,
    .max_iter = 1000000,
    .stall = 0,
    .setup = lp_setup,
    .update = lp_update,
    .solve = lp_solve,
    .release = lp_release,
};
