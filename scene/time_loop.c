/* SPDX-License-Identifier: BSD-3-Clause */
/* The loop over the steps. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "scene/caller_struct.h"
#include "scene/files.h"
#include "scene/run_job.h"

double perp_scene_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

perp_status perp_scene_stop(perp_scene_job *job, perp_status status, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(job->info.detail, sizeof job->info.detail, format, arguments);
    va_end(arguments);
    return status;
}

static const char *detection_text(const perp_collider *collider)
{
    perp_status status = perp_collider_status(collider);

    if (status == PERP_ERR_UNSUPPORTED && perp_collider_lacks_narrow_phase(collider))
        return "two surfaces of triangles that move do not touch each other";
    return perp_status_text(status);
}

/* " 'floor', moreau-jean" or " between 'a' and 'b', moreau-jean". */
static void name_interaction(char *text, size_t size, const perp_scene *scene, uint32_t slot)
{
    const perp_scene_member *pair[2] = {NULL, NULL};
    const char *name = perp_scene_find_interaction_id(pair, scene, (perp_interaction_id){slot, 0});

    if (name != NULL)
        snprintf(text, size, " '%.60s', %s", name, perp_scene_scheme_of(scene, pair[0]));
    else if (pair[0] != NULL)
        snprintf(text, size, " between '%.60s' and '%.60s', %s", pair[0]->name, pair[1]->name,
                 perp_scene_scheme_of(scene, pair[!perp_scene_is_integrated(pair[0])]));
}

/* What a place of the model is called here; "" where the scene does not know it. */
static void name_of(char *text, size_t size, const perp_scene *scene, const perp_where *where)
{
    const perp_scene_member *s = NULL;

    text[0] = '\0';
    if (where->what == NULL || where->index < 0)
        return;
    if (strcmp(where->what, "interaction") == 0) {
        name_interaction(text, size, scene, (uint32_t)where->index);
        return;
    }
    if (strcmp(where->what, "system") != 0 && strcmp(where->what, "scheme") != 0)
        return;
    for (int k = 0; k < scene->nsystems && s == NULL; k++)
        if (!scene->systems[k]->fixed && scene->systems[k]->id.index == (uint32_t)where->index)
            s = scene->systems[k];
    if (s != NULL)
        snprintf(text, size, " of '%.60s', %s", s->name, perp_scene_scheme_of(scene, s));
}

void perp_scene_step_text(char *text, size_t size, const perp_scene *scene, perp_status status,
                          const perp_step_info *info)
{
    const perp_collider *collider = perp_scene_collider(scene);
    const perp_where *where = &info->where;
    char name[256];
    size_t used = 0;

    if (collider != NULL && perp_collider_status(collider) < 0) {
        const char *detail = perp_collider_detail(collider);
        snprintf(text, size, "contact detection at t = %g: %s%s%s", perp_sim_time(scene->sim),
                 detection_text(collider), detail[0] != '\0' ? ": " : "", detail);
        return;
    }
    if (info->reason != PERP_SOLVED) /* of a hook that ended the step */
        status = info->reason;
    used = (size_t)snprintf(text, size, "%s", perp_status_text(status));
    if (where->what != NULL && used < size)
        used += (size_t)snprintf(text + used, size - used, " (%s", where->what);
    if (where->what != NULL && where->segment >= 0 && used < size)
        used += (size_t)snprintf(text + used, size - used, ", segment %d", where->segment);
    name_of(name, sizeof name, scene, where);
    if (name[0] != '\0' && used < size)
        used += (size_t)snprintf(text + used, size - used, "%s", name);
    else if (where->what != NULL && where->index >= 0 && used < size)
        used += (size_t)snprintf(text + used, size - used, ", index %d", where->index);
    if (where->what != NULL && used < size)
        used += (size_t)snprintf(text + used, size - used, ")");
    if (info->detail[0] != '\0' && used < size)
        snprintf(text + used, size - used, ": %s", info->detail);
}

/* The first step that was not solved, whether it was made or not. */
static void note_unsolved(perp_scene_job *job, double t, const char *why)
{
    perp_scene_run_info *info = &job->info;

    if (info->why_unsolved[0] != '\0')
        return;
    info->first_unsolved = t;
    snprintf(info->why_unsolved, sizeof info->why_unsolved, "%s", why);
}

/* A step that was made though it was not solved. */
static void step_accepted(perp_scene_job *job, perp_status status)
{
    const perp_step_info *step = perp_sim_info(job->scene->sim);
    const perp_info *solver = step->solver;
    char text[512];

    job->done.unsolved++;
    job->info.infeasible += status == PERP_INFEASIBLE_STEP;
    if (job->info.why_unsolved[0] != '\0')
        return;
    if (!perp_scene_squeezed_text(text, sizeof text, job->scene))
        snprintf(text, sizeof text, "%s (%s: error %.1e)", perp_status_text(status),
                 solver->solver != NULL ? solver->solver : "no solver", solver->error);
    note_unsolved(job, step->t - step->h, text);
}

static perp_status step_failed(perp_scene_job *job, perp_status status)
{
    const perp_scene *scene = job->scene;
    const perp_collider *collider = perp_scene_collider(scene);
    char text[512];

    if (status != PERP_ERR_MEMORY && status != PERP_INTERRUPTED)
        perp_scene_write_failed(job);
    if (perp_scene_squeezed_text(text, sizeof text, scene)) {
        note_unsolved(job, perp_sim_time(scene->sim), text);
        return perp_scene_stop(job, status, "%s: the step from t = %g failed: %s", scene->name,
                               perp_sim_time(scene->sim), text);
    }
    perp_scene_step_text(text, sizeof text, scene, status, perp_sim_info(scene->sim));
    if (status > 0 && status != PERP_INTERRUPTED)
        note_unsolved(job, perp_sim_time(scene->sim), text);
    if (collider != NULL && perp_collider_status(collider) < 0)
        return perp_scene_stop(job, perp_collider_status(collider), "%s: %s", scene->name, text);
    if (status == PERP_SOLVED)
        status = PERP_ERR_NUMERICAL;
    return perp_scene_stop(job, status, "%s: the step from t = %g failed: %s", scene->name,
                           perp_sim_time(scene->sim), text);
}

static int checkpoint_is_due(const perp_scene_job *job)
{
    const perp_scene_run_options *wish = &job->wish;

    if (wish->checkpoint_due != NULL)
        return wish->checkpoint_due(wish->checkpoint_ctx) != 0;
    return wish->folder != NULL && perp_scene_seconds() - job->saved > wish->checkpoint_seconds;
}

/* The state to the folder.  Without one it is saved and dropped: a process that makes a part of the
 * run lists the whole model, as that which writes it does. */
static perp_status save(perp_scene_job *job)
{
    perp_allocator *memory = &job->scene->memory;
    perp_status status;
    size_t bytes = 0;
    void *state;

    if (job->wish.folder != NULL)
        return perp_scene_save_output(job);
    perp_scene_save(job->scene, NULL, &bytes);
    state = memory->allocate(memory->ctx, bytes);
    if (state == NULL)
        return perp_scene_stop(job, PERP_ERR_MEMORY, "%s: no memory to save the state",
                               job->scene->name);
    status = perp_scene_save(job->scene, state, &bytes);
    memory->release(memory->ctx, state);
    return status;
}

/* One step and what is written after it. */
static perp_status one_step(perp_scene_job *job)
{
    perp_sim *sim = job->scene->sim;
    double before = perp_sim_time(sim);
    perp_status status = perp_sim_step(sim);
    const perp_step_info *step = perp_sim_info(sim);
    perp_scene_run_info *info = &job->info;

    if (status < 0 || perp_sim_time(sim) <= before)
        return step_failed(job, status);
    job->done.steps++;
    if (status > 0)
        step_accepted(job, status);
    perp_scene_note_solver(job->scene, step->solver);
    if (step->rows > 0)
        info->largest_error = fmax(info->largest_error, step->solver->error);
    info->largest_violation = fmax(info->largest_violation, step->violation);
    info->steps = (long)job->done.steps;
    info->unsolved = (long)job->done.unsolved;
    info->t = step->t;
    info->rows = step->rows;
    info->seconds = perp_scene_seconds() - job->begun;
    status = perp_scene_take_row(job, 0);
    if (status == PERP_SOLVED)
        status = perp_scene_write_step(job);
    return status == PERP_SOLVED && checkpoint_is_due(job) ? save(job) : status;
}

static int is_stopped(const perp_scene_job *job)
{
    return job->wish.stop != NULL && job->wish.stop(job->wish.stop_ctx) != 0;
}

static perp_status loop(perp_scene_job *job)
{
    const perp_scene *scene = job->scene;
    double steps = ceil((job->wish.until - scene->t0) / scene->step - 0.5);
    perp_status status = PERP_SOLVED;
    int stopped = 0;

    job->info.first = job->info.steps = (long)job->done.steps;
    job->info.last = (long)steps;
    job->info.t = perp_sim_time(scene->sim);
    if (job->wish.started != NULL)
        stopped = job->wish.started(job->wish.progress_ctx, job->scene, &job->info) != 0;
    job->begun = job->saved = perp_scene_seconds();
    job->scene->stop = job->wish.stop;
    job->scene->stop_ctx = job->wish.stop_ctx;
    stopped |= is_stopped(job);
    while (status == PERP_SOLVED && !stopped && (double)job->done.steps < steps) {
        status = one_step(job);
        if (status == PERP_SOLVED && job->wish.progress != NULL)
            stopped = job->wish.progress(job->wish.progress_ctx, job->scene, &job->info) != 0;
    }
    job->info.seconds = perp_scene_seconds() - job->begun;
    job->scene->stop = NULL;
    if (status == PERP_SOLVED && stopped && (double)job->done.steps < steps)
        return perp_scene_stop(job, PERP_INTERRUPTED, "%s: interrupted at t = %g", scene->name,
                               perp_sim_time(scene->sim));
    return status;
}

/* Steps, and the files after them: what was done is kept where a step failed. */
static perp_status run(perp_scene_job *job)
{
    perp_scene_record *record = &job->scene->record;
    perp_sim *sim = job->scene->sim;
    perp_status status, end = PERP_SOLVED;
    int shows = record->instants && (job->wish.folder != NULL || job->wish.keep_rows);
    char why[sizeof job->info.detail];

    if (is_stopped(job))
        return perp_scene_stop(job, PERP_INTERRUPTED,
                               "%s: interrupted before the first step; nothing was written",
                               job->scene->name);
    status = perp_scene_open_output(job);
    if (status != PERP_SOLVED)
        return status;
    if (shows)
        perp_sim_set_at_instants(sim, perp_recorder_instant, record->recorder);
    status = loop(job);
    if (shows)
        perp_sim_set_at_instants(sim, NULL, NULL);
    if (job->wish.folder == NULL) {
        if (status == PERP_SOLVED || status == PERP_INTERRUPTED)
            end = perp_scene_write_last(job, NULL);
        return end == PERP_SOLVED ? status : end;
    }
    if (job->lost) /* the checkpoint before it stays, and what it goes on with */
        return status;
    memcpy(why, job->info.detail, sizeof why);
    end = perp_scene_save_output(job);
    if (end == PERP_SOLVED)
        end = perp_scene_write_last(job, status == PERP_SOLVED || status == PERP_INTERRUPTED ? NULL
                                                                                             : why);
    if (end == PERP_SOLVED)
        end = perp_scene_close_output(job);
    if (end != PERP_SOLVED && (status == PERP_SOLVED || status == PERP_INTERRUPTED))
        return end;
    memcpy(job->info.detail, why, sizeof why);
    return status;
}

static perp_status start(perp_scene_job *job, perp_scene *scene,
                         const perp_scene_run_options *options)
{
    memset(job, 0, sizeof *job);
    job->lock = -1;
    job->scene = scene;
    job->info.first_unsolved = NAN;
    perp_scene_run_options_init(&job->wish, sizeof job->wish);
    if (perp_scene_accept(&job->wish, sizeof job->wish, options) != PERP_SOLVED)
        return PERP_ERR_ARGUMENT;
    if (isnan(job->wish.until))
        job->wish.until = scene->until;
    if (job->wish.folder == NULL &&
        (job->wish.resume || job->wish.pictures || job->wish.problems != NULL))
        return perp_scene_stop(job, PERP_ERR_ARGUMENT,
                               "pictures, problems and resuming need a folder");
    if (job->wish.problems != NULL && !perp_scene_parse_when(&job->when, job->wish.problems))
        return perp_scene_stop(job, PERP_ERR_ARGUMENT,
                               "'%.200s' is not residual, iterations, rows or status compared with "
                               "a number",
                               job->wish.problems);
    job->done.steps = llround((perp_sim_time(scene->sim) - scene->t0) / scene->step);
    job->info.t = perp_sim_time(scene->sim);
    return PERP_SOLVED;
}

/* Checks the simulation, then steps and writes, and leaves the files as they are to be. */
static perp_status run_checked(perp_scene_job *job)
{
    perp_scene *scene = job->scene;
    perp_status status = perp_sim_check(scene->sim);

    if (status != PERP_SOLVED) {
        char text[512];
        perp_scene_step_text(text, sizeof text, scene, status, perp_sim_info(scene->sim));
        return perp_scene_stop(job, status, "%s: %s", scene->name, text);
    }
    if (job->done.steps == 0 && !job->wish.resume)
        perp_scene_note_outputs(scene);
    status = run(job);
    perp_scene_csv_leave(&job->csv);
    perp_scene_csv_leave(&job->contacts.csv);
    perp_scene_csv_leave(&job->impacts.csv);
    perp_scene_csv_leave(&job->motion.file);
    perp_scene_frames_end(&job->frames);
    if (!job->wish.keep_rows && job->rows > 0)
        perp_recorder_clear(scene->record.recorder);
    perp_scene_unlock_folder(job->lock);
    return status;
}

static perp_status no_memory(const perp_scene *scene, perp_scene_run_info *info)
{
    perp_scene_run_info none = {.status = PERP_ERR_MEMORY, .first_unsolved = NAN};

    none.t = perp_sim_time(scene->sim);
    snprintf(none.detail, sizeof none.detail, "%s: no memory for a run", scene->name);
    perp_scene_give(info, &none, sizeof none);
    return PERP_ERR_MEMORY;
}

/* The job holds what is about to be written, more than the stack of some threads. */
perp_status perp_scene_run(perp_scene *scene, const perp_scene_run_options *options,
                           perp_scene_run_info *info)
{
    perp_scene_job *job;
    perp_status status;

    if (scene == NULL)
        return PERP_ERR_ARGUMENT;
    job = scene->memory.allocate(scene->memory.ctx, sizeof *job);
    if (job == NULL)
        return no_memory(scene, info);
    status = start(job, scene, options);
    if (status == PERP_SOLVED)
        status = run_checked(job);
    job->info.status = status;
    job->info.t = perp_sim_time(scene->sim);
    job->info.steps = (long)job->done.steps;
    job->info.frames = job->frames.count;
    /* That of a failed step may be there, too. */
    if (job->info.problems < (long)job->done.problems)
        job->info.problems = (long)job->done.problems;
    perp_scene_give(info, &job->info, sizeof job->info);
    scene->memory.release(scene->memory.ctx, job);
    return status;
}
