/* SPDX-License-Identifier: BSD-3-Clause */
/* The loop over the steps. */
#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/message.h"
#include "cli/live_progress.h"
#include "scene/contacts.h"
#include "scene/dump.h"
#include "scene/files.h"
#include "scene/series_hdf5.h"
#include "scene/plot.h"
#include "cli/run.h"

enum { MOST_DUMPS = 1000 };
static const double between_checkpoints = 60.0;

static int lost(const perp_run_job *job, const char *what)
{
    return perp_complain("%s/%s: %s", job->wish->out, what, strerror(errno));
}

/* Springs between systems, and the contacts. */
static int before_step(void *ctx, perp_sim *sim, perp_model *model, double t, double h)
{
    perp_run_scene *scene = ctx;
    perp_collider *collider = perp_run_collider(scene->contacts);

    perp_run_set_springs(scene, h);
    return collider != NULL ? perp_collider_step(collider, sim, model, t, h) : 0;
}

static int write_row(perp_run_job *job)
{
    if (job->csv.stream == NULL || job->progress.steps % job->record.stride != 0)
        return 0;
    perp_run_sample(job->row, &job->record, &job->scene);
    if (perp_run_csv_row(&job->csv, perp_sim_time(job->scene.sim), job->row, job->record.columns) !=
        0)
        return lost(job, "series.csv");
    return 0;
}

/* After a step: its instants, or a row. */
static int write_step(perp_run_job *job)
{
    if (!job->record.instants)
        return write_row(job);
    if (job->csv.stream == NULL)
        return 0;
    return perp_run_instants_write(&job->instants, &job->csv) != 0 ? lost(job, "series.csv") : 0;
}

static int write_frame(perp_run_job *job)
{
    if (job->frames.dir == NULL || job->progress.steps % job->frames.every != 0)
        return 0;
    return perp_run_frame(&job->frames, &job->scene) != 0 ? lost(job, "frames") : 0;
}

/* The state on the disk: series first, so that the checkpoint finds them. */
static int save(perp_run_job *job)
{
    long long bytes;

    if (job->wish->out == NULL)
        return 0;
    bytes = perp_run_csv_sync(&job->csv);
    if (bytes < 0)
        return lost(job, "series.csv");
    job->progress.csv_bytes = bytes;
    job->progress.frames = job->frames.count;
    job->progress.frame_every = job->frames.every;
    job->saved = perp_run_seconds();
    return perp_run_checkpoint_write(job->wish->out, &job->scene, &job->progress) != 0
               ? PERP_EXIT_ERROR
               : 0;
}

static int keep_problem(perp_run_job *job)
{
    char path[4400];
    perp_io_error error;
    perp_status status;

    if (!job->wish->dump || job->progress.dumps >= MOST_DUMPS ||
        !perp_run_holds(&job->wish->when, perp_sim_info(job->scene.sim)))
        return 0;
    status = perp_run_dump_step(job->wish->out, &job->scene, path, sizeof path, &error);
    if (status == PERP_ERR_UNSUPPORTED || status == PERP_ERR_NONFINITE) {
        if (job->refused++ == 0 && !job->wish->quiet)
            perp_complain("--dump: not written: %s",
                          error.text[0] != '\0' ? error.text : perp_status_text(status));
        return 0;
    }
    if (status != PERP_SOLVED)
        return perp_complain_io(path, status, &error);
    job->progress.dumps++;
    return 0;
}

static const char *detection_text(const perp_collider *collider)
{
    perp_status status = perp_collider_status(collider);

    if (status == PERP_ERR_UNSUPPORTED && perp_collider_lacks_narrow_phase(collider))
        return "these boxes or capsules need ODE (Debian: libode-dev), which this build has not";
    return perp_status_text(status);
}

static int step_failed(perp_run_job *job, perp_status status)
{
    const perp_step_info *info = perp_sim_info(job->scene.sim);
    perp_collider *collider = perp_run_collider(job->scene.contacts);

    perp_run_view_end(&job->view);
    if (collider != NULL && perp_collider_status(collider) < 0)
        return perp_complain("%s: contact detection at t = %g: %s", job->wish->file,
                             perp_sim_time(job->scene.sim), detection_text(collider));
    perp_complain("%s: the step from t = %g failed", job->wish->file,
                  perp_sim_time(job->scene.sim));
    return perp_complain_where(job->wish->file, status, &info->where, info->detail);
}

/* One step and what is written after it. */
static int one_step(perp_run_job *job)
{
    double before = perp_sim_time(job->scene.sim);
    perp_status status = perp_sim_step(job->scene.sim);
    const perp_step_info *info = perp_sim_info(job->scene.sim);

    if (status < 0 || perp_sim_time(job->scene.sim) <= before)
        return step_failed(job, status);
    job->progress.steps++;
    job->progress.unsolved += status > 0;
    if (info->rows > 0)
        job->largest_error = fmax(job->largest_error, info->solver->error);
    job->largest_violation = fmax(job->largest_violation, info->violation);
    perp_run_view_step(&job->view, (long)job->progress.steps, info->t, info->rows);
    if (write_step(job) != 0 || write_frame(job) != 0 || keep_problem(job) != 0)
        return PERP_EXIT_ERROR;
    if (job->wish->out != NULL && perp_run_seconds() - job->saved > between_checkpoints)
        return save(job);
    return 0;
}

static int loop(perp_run_job *job)
{
    perp_run_scene *scene = &job->scene;
    double steps = ceil((scene->until - scene->t0) / scene->step - 0.5);
    double begun = perp_run_seconds();
    int code = 0;

    perp_run_view_start(&job->view, job->wish->quiet, (long)job->progress.steps, (long)steps);
    job->saved = begun;
    perp_catch_interrupts();
    while (code == 0 && !job->interrupted && (double)job->progress.steps < steps) {
        code = one_step(job);
        job->interrupted = perp_interrupted();
    }
    if ((double)job->progress.steps >= steps)
        job->interrupted = 0;
    perp_run_view_end(&job->view);
    job->seconds = perp_run_seconds() - begun;
    return code;
}

/* A new series with its first row, or the one that an interrupted run left. */
static int open_series(perp_run_job *job)
{
    const char *dir = job->wish->out;

    if (job->wish->resume) {
        job->frames.count = (int)job->progress.frames;
        job->frames.every = (int)job->progress.frame_every;
        return perp_run_csv_resume(&job->csv, dir, job->progress.csv_bytes) != 0
                   ? lost(job, "series.csv")
                   : 0;
    }
    unlink(perp_run_join(dir, "checkpoint").text);
    if (perp_run_csv_start(&job->csv, dir, &job->record) != 0)
        return lost(job, "series.csv");
    return write_row(job) != 0 || write_frame(job) != 0 ? PERP_EXIT_ERROR : 0;
}

static int open_output(perp_run_job *job)
{
    const char *dir = job->wish->out;

    if (dir == NULL)
        return 0;
    if (perp_run_make_folder(dir) != 0 || access(dir, W_OK | X_OK) != 0)
        return perp_complain("--out '%s': %s", dir, strerror(errno));
    perp_run_frames_start(&job->frames, dir, &job->scene);
    if (job->wish->resume && perp_run_checkpoint_read(dir, &job->scene, &job->progress) != 0)
        return PERP_EXIT_ERROR;
    return open_series(job);
}

/* What is made once, from the whole series. */
static int close_output(perp_run_job *job)
{
    char text[256];
    int status;

    if (perp_run_csv_finish(&job->csv) != 0)
        return lost(job, "series.csv");
    if (job->frames.dir != NULL && perp_run_frames_list(&job->frames, &job->scene) != 0)
        return lost(job, "frames.pvd");
    if (perp_run_hdf5(job->wish->out, &job->record, text, sizeof text) < 0)
        return perp_complain("%s/%s", job->wish->out, text);
    if (!job->wish->plot)
        return 0;
    status = perp_run_plot(job->wish->out, &job->record,
                           job->scene.title != NULL ? job->scene.title : job->wish->file);
    if (status > 0)
        perp_complain("--plot: gnuplot is not installed (Debian: gnuplot-nox); %s/series.gp is "
                      "its script",
                      job->wish->out);
    return status < 0 ? perp_complain("--plot: gnuplot failed on %s/series.gp", job->wish->out) : 0;
}

int perp_run_go(perp_run_job *job)
{
    const perp_step_info *info = perp_sim_info(job->scene.sim);
    perp_status status;
    int code;

    perp_sim_set_before_step(job->scene.sim, before_step, &job->scene);
    perp_run_set_springs(&job->scene, job->scene.step);
    status = perp_sim_check(job->scene.sim);
    if (status != PERP_SOLVED)
        return perp_complain_where(job->wish->file, status, &info->where, info->detail);
    if (job->wish->check)
        return PERP_EXIT_DONE;
    code = open_output(job);
    if (code != 0)
        return code;
    job->begun = (long)job->progress.steps;
    if (job->record.instants && job->csv.stream != NULL)
        perp_run_instants_start(&job->instants, &job->record, &job->scene);
    code = loop(job);
    perp_run_instants_free(&job->instants);
    if (job->wish->out != NULL && (save(job) != 0 || close_output(job) != 0))
        return PERP_EXIT_ERROR;
    if (code != 0)
        return code;
    return job->interrupted ? PERP_EXIT_STOPPED : PERP_EXIT_DONE;
}
