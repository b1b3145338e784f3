/* SPDX-License-Identifier: BSD-3-Clause */
/* A pass over the blocks, shared among threads where they are coloured. */
#include "core/parallel.h"
#include "linalg/mat.h"
#include "solvers/gs/sweeps.h"

/* Below this a coloured order costs more sweeps than threads bring; and below that
 * threads are not woken. */
enum { COLOURED_FROM = 2000, THREADS_FROM = 500 };

int perp_gs_wants_colours(const perp_work *work)
{
    const perp_settings *settings = work->settings;
    int wanted = settings->order == PERP_ORDER_COLOURED ||
                 (settings->order == PERP_ORDER_AUTO && work->blocks.count >= COLOURED_FROM);
    return wanted && !settings->shuffle && work->blocks.count > 0;
}

perp_status perp_gs_take_colours(perp_gs *gs)
{
    perp_arena *arena = gs->work->arena, temporary;
    perp_coupling coupling;
    if (!perp_gs_wants_colours(gs->work) || !gs->kernel->couple)
        return PERP_SOLVED;
    perp_arena_init(&temporary, &arena->allocator);
    perp_status status = gs->kernel->couple(gs, &coupling, &temporary);
    if (status == PERP_SOLVED)
        status = perp_colouring_find(&gs->colouring, &coupling, arena);
    if (status != PERP_SOLVED)
        gs->colouring.pieces = 0;
    perp_arena_free(&temporary);
    return status == PERP_ERR_UNSUPPORTED ? PERP_SOLVED : status;
}

perp_status perp_gs_take_team(perp_gs *gs)
{
    perp_arena *arena = gs->work->arena;
    if (!gs->colouring.pieces)
        return PERP_SOLVED;
    size_t dim = (size_t)gs->work->blocks.max_dim;
    gs->team_size = perp_parallel_threads(gs->work->settings->threads);
    gs->partial = PERP_TAKE(arena, double, gs->colouring.pieces);
    gs->team = PERP_TAKE(arena, perp_gs, gs->team_size);
    for (int t = 0; gs->team && t < gs->team_size; t++) {
        gs->team[t].b = PERP_TAKE(arena, double, dim);
        gs->team[t].step = PERP_TAKE(arena, double, dim);
        gs->team[t].scratch =
            PERP_TAKE(arena, double, perp_local_scratch(gs->work->blocks.max_dim));
    }
    return arena->failed ? PERP_ERR_MEMORY : PERP_SOLVED;
}

/* So that threads share the product with H of a measurement. */
void perp_gs_take_touched(perp_work *work)
{
    const perp_mat *M = &work->problem->M;
    work->touched = NULL;
    if (perp_parallel_threads(work->settings->threads) > 1 && M->kind == PERP_DELASSUS)
        work->touched = PERP_TAKE(work->arena, uint32_t, M->cols);
    perp_gs_find_touched(work);
}

void perp_gs_find_touched(perp_work *work)
{
    if (work->touched)
        perp_mat_find_touched(work->touched, &work->problem->M);
}

/* Threads that can have a cluster of the same colour; of blocks in their own order only vectors are
 * shared, which many of them are needed for. */
static int threads_with_work(const perp_gs *gs)
{
    const perp_colouring *colouring = &gs->colouring;
    int most = 1;
    if (!colouring->pieces)
        return gs->count < COLOURED_FROM ? 1 : gs->count;
    for (int c = 0; c < colouring->colours; c++) {
        int clusters = colouring->first[c + 1] - colouring->first[c];
        most = clusters > most ? clusters : most;
    }
    return most;
}

void perp_gs_begin_team(perp_gs *gs)
{
    int threads = perp_parallel_threads(gs->work->settings->threads), most = threads_with_work(gs);
    gs->threads = gs->count < THREADS_FROM ? 1 : threads < most ? threads : most;
    gs->work->threads = gs->threads;
}

/* Threads whose scratch memory was taken in setup. */
static int gather_team(perp_gs *gs)
{
    int threads = gs->threads < gs->team_size ? gs->threads : gs->team_size;
    for (int t = 0; t < threads; t++) {
        perp_gs copy = *gs;
        copy.b = gs->team[t].b;
        copy.step = gs->team[t].step;
        copy.scratch = gs->team[t].scratch;
        copy.skipped = 0;
        gs->team[t] = copy;
    }
    return threads;
}

typedef struct job {
    perp_gs *gs;
    int backward;
    void (*work)(perp_gs *gs, int from, int to);
} job;

static void run_piece(void *ctx, int piece, int thread)
{
    const job *j = ctx;
    const int *start = j->gs->colouring.start + piece;
    perp_gs *own = &j->gs->team[thread];
    if (j->work)
        j->work(own, start[0], start[1]);
    else
        j->gs->partial[piece] = own->kernel->run(own, start[0], start[1], j->backward);
}

double perp_gs_sweep(perp_gs *gs, int backward)
{
    const perp_colouring *colouring = &gs->colouring;
    double change = 0.0;
    if (!colouring->pieces)
        return gs->kernel->run(gs, 0, gs->count, backward);
    job j = {gs, backward, NULL};
    int threads = gather_team(gs);
    perp_parallel_phases(threads, colouring->first, colouring->colours, backward, run_piece, &j);
    for (int piece = 0; piece < colouring->pieces; piece++)
        change += gs->partial[piece];
    for (int t = 0; t < threads; t++)
        gs->skipped += gs->team[t].skipped;
    return change;
}

void perp_gs_each_piece(perp_gs *gs, void (*work)(perp_gs *gs, int from, int to))
{
    const perp_colouring *colouring = &gs->colouring;
    if (!colouring->pieces) {
        work(gs, 0, gs->count);
        return;
    }
    job j = {gs, 0, work};
    int threads = gather_team(gs);
    perp_parallel_phases(threads, colouring->first, colouring->colours, 0, run_piece, &j);
}
