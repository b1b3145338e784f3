/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/mpi/run_on_ranks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/live_progress.h"
#include "cli/mpi/launch.h"

enum { PIECE = 1 << 28 };

/* The state that rank 0 goes on from, to all; memory of it, or NULL where some rank has none. */
static unsigned char *share_state(unsigned char *state, size_t size)
{
    if (perp_worst(state == NULL) != 0) {
        free(state);
        return NULL;
    }
    for (size_t at = 0; at < size; at += PIECE)
        MPI_Bcast(state + at, (int)(size - at < PIECE ? size - at : PIECE), MPI_BYTE, 0,
                  MPI_COMM_WORLD);
    return state;
}

/* What rank 0 says of its start: bytes of a state, 0: that of the scene, -1: it cannot begin. */
static long long tell_size(long long size)
{
    MPI_Bcast(&size, 1, MPI_LONG_LONG, 0, MPI_COMM_WORLD);
    return size;
}

/* Some 200 instants of a run in parts; the folder is that of rank 0. */
static int record_states(perp_run_ranks *run, const char *folder, long first, long last)
{
    char path[1024] = "";
    long numbers[2] = {first, last};
    int known;

    if (run->step.rank == 0)
        snprintf(path, sizeof path, "%s", folder != NULL ? folder : "");
    MPI_Bcast(path, sizeof path, MPI_CHAR, 0, MPI_COMM_WORLD);
    MPI_Bcast(numbers, 2, MPI_LONG, 0, MPI_COMM_WORLD);
    run->parts.begun = numbers[0] > 0;
    known =
        perp_part_record_start(&run->parts.record, path[0] != '\0' ? path : NULL, run->step.rank,
                               numbers[0], run->every > 0 ? run->every : numbers[1] / 200);
    run->no_memory = !known;
    run->parts.record.failed = perp_worst(run->parts.record.failed);
    run->meeting.over = perp_worst(!known) || run->parts.record.failed; /* all leave */
    return run->meeting.over;
}

/* On rank 0, once the checkpoint was read.  Saving sets its solvers up again, as loading does those
 * of the others. */
static int started(void *ctx, perp_scene *scene, const perp_scene_run_info *info)
{
    perp_run_ranks *run = ctx;
    unsigned char *state;
    size_t size = 0;

    run->begun = 1;
    if (info->steps == 0) {
        tell_size(0);
        return run->in_parts ? record_states(run, run->folder, 0, info->last) : 0;
    }
    perp_scene_save(scene, NULL, &size);
    tell_size((long long)size);
    state = malloc(size);
    if (state != NULL && perp_scene_save(scene, state, &size) != PERP_SOLVED) {
        free(state);
        state = NULL;
    }
    run->no_memory = state == NULL;
    state = share_state(state, size);
    free(state);
    if (state == NULL)
        return 1;
    return run->in_parts ? record_states(run, run->folder, info->steps, info->last) : 0;
}

/* On the others, before their run. */
static perp_status receive(perp_scene *scene)
{
    long long size = tell_size(0);
    unsigned char *state;
    perp_status status = PERP_ERR_MEMORY;

    if (size <= 0)
        return size == 0 ? PERP_SOLVED : PERP_INTERRUPTED;
    state = share_state(malloc((size_t)size), (size_t)size);
    if (state != NULL)
        status = perp_scene_load(scene, state, (size_t)size, NULL);
    free(state);
    return status;
}

/* The time, and the answer of the last problem. */
static uint64_t bits_of_step(perp_sim *sim)
{
    perp_problem problem;
    const double *z = NULL, *w = NULL;
    double t = perp_sim_time(sim);
    uint64_t bits = perp_bits_of(1, &t, 1);

    if (perp_sim_last_problem(sim, &problem, &z, &w) == PERP_SOLVED && z != NULL)
        bits = perp_bits_of(bits, z, (size_t)problem.M.rows);
    return bits;
}

static int after_step(void *ctx, perp_scene *scene, const perp_scene_run_info *info)
{
    perp_run_ranks *run = ctx;
    int stop = 0;

    if (info->steps == info->first + 1)
        perp_run_progress_start(&run->progress, run->quiet, info->first, info->last);
    perp_run_progress_step(&run->progress, info->steps, info->t, info->rows);
    if (!perp_meet(&run->meeting, PERP_MEET_STEP,
                   run->in_parts ? 0 : bits_of_step(perp_scene_sim(scene)),
                   perp_interrupted() || run->parts.record.failed, &stop))
        return 1;
    return stop;
}

/* By the clock of rank 0. */
static int checkpoint_due(void *ctx)
{
    perp_run_ranks *run = ctx;
    double now = perp_run_seconds();
    int due = run->step.rank == 0 && now - run->saved > run->checkpoint_seconds, any = 0;

    perp_meet(&run->meeting, PERP_MEET_CHECKPOINT, 0, due, &any);
    if (any)
        run->saved = perp_run_seconds();
    return any;
}

static void plan(perp_scene_run_options *own, perp_run_ranks *run,
                 const perp_scene_run_options *options)
{
    perp_scene_run_options_init(own, sizeof *own);
    if (run->step.rank == 0) {
        *own = *options;
        own->started = started;
    }
    own->progress = after_step;
    own->progress_ctx = run;
    own->checkpoint_due = checkpoint_due;
    own->checkpoint_ctx = run;
    run->checkpoint_seconds = options->folder != NULL ? options->checkpoint_seconds : INFINITY;
    run->saved = perp_run_seconds();
}

/* The status of a run that this rank had to leave: nobody wished that. */
static perp_status reason_of(const perp_run_ranks *run, const perp_scene *scene, perp_status status,
                             perp_scene_run_info *info)
{
    perp_status reason = perp_sim_info(perp_scene_sim(scene))->reason;
    const char *what = run->no_memory      ? "no memory for the start of the run"
                       : run->parts.failed ? "no memory for what the ranks share in a step"
                                           : NULL;

    if (status != PERP_SOLVED && status != PERP_INTERRUPTED)
        return status;
    if (what == NULL)
        return status == PERP_INTERRUPTED && reason < 0 ? reason : status;
    snprintf(info->detail, sizeof info->detail, "%s", what);
    return PERP_ERR_MEMORY;
}

perp_status perp_run_on_ranks(perp_run_ranks *run, perp_scene *scene,
                              const perp_scene_run_options *options, perp_scene_run_info *info)
{
    perp_scene_run_options own;
    perp_status status = PERP_SOLVED, begun = PERP_SOLVED;

    plan(&own, run, options);
    run->step.meeting = &run->meeting;
    run->folder = options->folder;
    run->parts.meeting = &run->meeting;
    run->parts.ranks = &run->step;
    run->parts.whole_rows = run->rows;
    if (run->in_parts)
        begun = perp_part_start(&run->parts, scene, run->skin);
    else if (run->step.ranks > 1)
        perp_sim_set_solve(perp_scene_sim(scene), run->rows, perp_solve_on_ranks, &run->step);
    if (perp_worst(begun != PERP_SOLVED) != 0) {
        run->meeting.over = run->begun = 1;
        return begun != PERP_SOLVED ? begun : PERP_INTERRUPTED;
    }
    if (run->step.rank != 0) {
        status = receive(scene);
        if (status == PERP_SOLVED && run->in_parts && record_states(run, NULL, 0, 0) != 0)
            status = PERP_INTERRUPTED;
        run->meeting.over = status == PERP_INTERRUPTED;
    }
    if (status == PERP_SOLVED)
        status = perp_scene_run(scene, &own, info);
    if (run->step.rank == 0 && !run->begun)
        tell_size(-1);
    else
        perp_meet(&run->meeting, PERP_MEET_END, 0, 0, NULL);
    status = reason_of(run, scene, status, info);
    perp_run_progress_end(&run->progress);
    if (run->in_parts) {
        run->states_lost = run->parts.record.failed;
        perp_part_count(&run->parts, &run->counts);
        perp_part_end(&run->parts, scene);
    }
    return status;
}
