/* SPDX-License-Identifier: BSD-3-Clause */
/* What a run writes into its folder, and when. */
#define _POSIX_C_SOURCE 200809L /* access, unlink */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "scene/contact_points.h"
#include "scene/files.h"
#include "scene/run_job.h"
#include "scene/series_hdf5.h"
#include "scene/series_picture.h"
#include "scene/step_problem.h"

enum { MOST_PROBLEMS = 1000 };

/* Rows that stay in memory, so that series.h5 need not be read from the text of the series. */
enum { KEPT_BYTES = 1 << 24 };

/* Of the time since the last checkpoint, for waiting until frames are on the disk. */
#define SYNC_SHARE 0.02

static perp_status lost(perp_scene_job *job, const char *what)
{
    job->lost = 1;
    return perp_scene_stop(job, errno == ENOMEM ? PERP_ERR_MEMORY : PERP_ERR_OPEN, "%s/%s: %s",
                           job->wish.folder, what, strerror(errno));
}

static perp_status take_row(perp_scene_job *job)
{
    perp_status status =
        perp_recorder_sample(job->scene->record.recorder, perp_sim_time(job->scene->sim));

    if (status != PERP_SOLVED)
        return perp_scene_stop(job, status, "%s: recording: %s", job->scene->name,
                               perp_status_text(status));
    return PERP_SOLVED;
}

perp_status perp_scene_take_row(perp_scene_job *job, int first)
{
    const perp_scene_record *record = &job->scene->record;

    if ((job->csv.stream == NULL && !job->wish.keep_rows) || (record->instants && !first) ||
        job->done.steps % record->stride != 0)
        return PERP_SOLVED;
    return take_row(job);
}

/* The rows that the file does not have. */
static perp_status write_rows(perp_scene_job *job)
{
    perp_recorder *recorder = job->scene->record.recorder;
    int columns = perp_recorder_columns(recorder), rows = perp_recorder_rows(recorder);
    const double *data = perp_recorder_data(recorder);

    for (int k = job->written; k < rows && job->csv.stream != NULL; k++)
        if (perp_scene_csv_row(&job->csv, data + (size_t)k * (size_t)columns, columns) != 0)
            return lost(job, "series.csv");
    job->rows += rows - job->written;
    if (!job->wish.keep_rows &&
        (double)rows * (double)columns * sizeof(double) > (double)KEPT_BYTES)
        perp_recorder_clear(recorder);
    job->written = perp_recorder_rows(recorder);
    return PERP_SOLVED;
}

/* All rows of the file, where memory has them; a run that goes on has only those of its own. */
static const double *kept_rows(const perp_scene_job *job)
{
    const perp_recorder *recorder = job->scene->record.recorder;
    size_t columns = (size_t)perp_recorder_columns(recorder);

    if (job->wish.resume || job->rows == 0 ||
        perp_recorder_rows(recorder) - job->first != job->rows)
        return NULL;
    return perp_recorder_data(recorder) + (size_t)job->first * columns;
}

static perp_status write_motion(perp_scene_job *job)
{
    if (job->motion.file.stream == NULL || !perp_scene_motion_is_due(&job->motion, job->done.steps))
        return PERP_SOLVED;
    return perp_scene_motion_instant(&job->motion, job->scene) != 0 ? lost(job, "motion.bin")
                                                                    : PERP_SOLVED;
}

static perp_status write_frame(perp_scene_job *job)
{
    if (job->frames.dir == NULL || job->done.steps % job->frames.every != 0)
        return PERP_SOLVED;
    return perp_scene_frame(&job->frames, job->scene) != 0 ? lost(job, "frames") : PERP_SOLVED;
}

perp_status perp_scene_write_last(perp_scene_job *job, const char *why)
{
    const perp_scene_record *record = &job->scene->record;
    perp_scene_frames *frames = &job->frames;
    perp_status status = PERP_SOLVED;

    if ((job->csv.stream != NULL || job->wish.keep_rows) && !record->instants &&
        job->done.steps % record->stride != 0) {
        status = take_row(job);
        if (status == PERP_SOLVED)
            status = write_rows(job);
    }
    if (status == PERP_SOLVED && job->motion.file.stream != NULL &&
        !perp_scene_motion_is_due(&job->motion, job->done.steps) &&
        perp_scene_motion_instant(&job->motion, job->scene) != 0)
        return lost(job, "motion.bin");
    if (why != NULL && job->motion.file.stream != NULL &&
        perp_scene_motion_end(&job->motion, why) != 0)
        return lost(job, "motion.bin");
    if (status != PERP_SOLVED || frames->dir == NULL || job->done.steps % frames->every == 0)
        return status;
    frames->between = 1;
    frames->last = perp_sim_time(job->scene->sim);
    return perp_scene_frame(frames, job->scene) != 0 ? lost(job, "frames") : PERP_SOLVED;
}

static int is_hard(const perp_scene_job *job)
{
    return job->wish.problems != NULL && job->done.problems < MOST_PROBLEMS &&
           perp_scene_holds(&job->when, perp_sim_info(job->scene->sim));
}

/* The problem of a hard step; one that no file can hold is counted. */
static perp_status write_problem(perp_scene_job *job, long number)
{
    char path[4400] = "";
    perp_io_error error;
    perp_status status;

    status =
        perp_scene_write_problem(job->wish.folder, job->scene, number, path, sizeof path, &error);
    if (status == PERP_ERR_UNSUPPORTED || status == PERP_ERR_NONFINITE) {
        if (job->info.refused++ == 0)
            snprintf(job->info.refusal, sizeof job->info.refusal, "%s",
                     error.text[0] != '\0' ? error.text : perp_status_text(status));
        return PERP_SOLVED;
    }
    if (status != PERP_SOLVED) {
        job->lost = 1; /* the run goes on from before this step, and writes it then */
        return perp_scene_stop(job, status, "%.500s: %s", path,
                               error.text[0] != '\0' ? error.text : perp_status_text(status));
    }
    job->done.problems++;
    job->info.problems = (long)job->done.problems;
    return PERP_SOLVED;
}

perp_status perp_scene_write_step(perp_scene_job *job)
{
    perp_status status = write_rows(job);

    if (status == PERP_SOLVED && job->contacts.csv.stream != NULL &&
        perp_scene_contacts_rows(&job->contacts, job->scene) != 0)
        return lost(job, "contacts.csv");
    if (status == PERP_SOLVED && job->impacts.csv.stream != NULL &&
        perp_scene_impacts_rows(&job->impacts, job->scene) != 0)
        return lost(job, "impacts.csv");
    perp_scene_motion_note(&job->motion, job->scene);
    if (status == PERP_SOLVED)
        status = write_motion(job);
    if (status == PERP_SOLVED)
        status = write_frame(job);
    return status == PERP_SOLVED && is_hard(job)
               ? write_problem(job, perp_sim_info(job->scene->sim)->step)
               : status;
}

/* It is made again by a run that goes on, and counted there. */
void perp_scene_write_failed(perp_scene_job *job)
{
    int64_t count = job->done.problems;
    if (is_hard(job))
        (void)write_problem(job, perp_sim_info(job->scene->sim)->step + 1);
    job->done.problems = count;
}

/* What only the end of the run would find out. */
static perp_status find_obstacles(perp_scene_job *job)
{
    static const char *const names[] = {"scene.json",  "series.csv", "series.h5",  "contacts.csv",
                                        "impacts.csv", "checkpoint", "frames.pvd", "series.gp",
                                        "series.png",  "series.svg", "motion.bin"};

    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
        if (perp_scene_is_free(job->wish.folder, names[k]) != 0)
            return lost(job, names[k]);
    return PERP_SOLVED;
}

/* What the run was made from, for perp verify. */
static perp_status write_copy(perp_scene_job *job)
{
    return perp_scene_write_copy(job->wish.folder, job->scene) != 0 ? lost(job, "scene.json")
                                                                    : PERP_SOLVED;
}

static int wants_contacts(const perp_scene *scene)
{
    return (scene->record.certify || scene->record.contacts) && perp_scene_has_contacts(scene);
}

static perp_status open_contacts(perp_scene_job *job)
{
    if (!wants_contacts(job->scene))
        return PERP_SOLVED;
    return perp_scene_contacts_open(&job->contacts, job->wish.folder,
                                    job->wish.resume ? job->done.contacts_bytes : -1) != 0
               ? lost(job, "contacts.csv")
               : PERP_SOLVED;
}

static perp_status open_impacts(perp_scene_job *job)
{
    if (!job->scene->record.certify)
        return PERP_SOLVED;
    return perp_scene_impacts_open(&job->impacts, job->wish.folder,
                                   job->wish.resume ? job->done.impacts_bytes : -1) != 0
               ? lost(job, "impacts.csv")
               : PERP_SOLVED;
}

static perp_status open_motion(perp_scene_job *job)
{
    perp_scene_motion_record *motion = &job->motion;

    perp_scene_motion_plan(motion, job->scene);
    if (job->wish.resume) {
        motion->about.every = (long)job->done.motion_every;
        motion->pending = job->done.pending;
    }
    return perp_scene_motion_open(motion, job->scene, job->wish.folder,
                                  job->wish.resume ? job->done.motion_bytes : -1) != 0
               ? lost(job, "motion.bin")
               : PERP_SOLVED;
}

/* A new series with its first row, or the one that an interrupted run left. */
static perp_status open_series(perp_scene_job *job)
{
    const char *folder = job->wish.folder;
    perp_status status;

    if (job->wish.resume) {
        job->frames.count = job->frames.synced = job->frames.before = (int)job->done.frames;
        job->frames.every = (int)job->done.frame_every;
        if (job->frames.every == 0)
            job->frames.dir = NULL; /* it began without */
        return perp_scene_csv_resume(&job->csv, folder, "series.csv", job->done.csv_bytes) != 0
                   ? lost(job, "series.csv")
                   : PERP_SOLVED;
    }
    unlink(perp_scene_join(folder, "checkpoint").text);
    unlink(perp_scene_join(folder, "frames.pvd").text);
    if (perp_scene_csv_start(&job->csv, folder, "series.csv") != 0 ||
        perp_scene_csv_head(&job->csv, job->scene->record.recorder) != 0)
        return lost(job, "series.csv");
    status = perp_scene_take_row(job, 1);
    if (status == PERP_SOLVED)
        status = write_rows(job);
    if (status == PERP_SOLVED)
        status = write_motion(job);
    return status == PERP_SOLVED ? write_frame(job) : status;
}

perp_status perp_scene_open_output(perp_scene_job *job)
{
    const char *folder = job->wish.folder;
    perp_status status = PERP_SOLVED;

    job->first = job->written = perp_recorder_rows(job->scene->record.recorder);
    if (folder == NULL)
        return job->wish.keep_rows ? perp_scene_take_row(job, 1) : PERP_SOLVED;
    if (perp_scene_make_folder(folder) != 0 || access(folder, W_OK | X_OK) != 0)
        return perp_scene_stop(job, PERP_ERR_OPEN, "%s: %s", folder, strerror(errno));
    job->lock = perp_scene_lock_folder(folder);
    if (job->lock < 0 && errno == EWOULDBLOCK)
        return perp_scene_stop(job, PERP_ERR_OPEN, "%s: another run writes into this folder",
                               folder);
    if (job->lock < 0)
        return perp_scene_stop(job, PERP_ERR_OPEN, "%s: %s", folder, strerror(errno));
    status = perp_scene_frames_start(&job->frames, folder, job->scene,
                                     job->wish.resume ? -1 : job->wish.vtk, job->wish.until) != 0
                 ? lost(job, "frames")
                 : find_obstacles(job);
    if (status == PERP_SOLVED && job->wish.resume)
        status = perp_scene_checkpoint_read(folder, job->scene, &job->done, job->info.detail,
                                            sizeof job->info.detail);
    if (status == PERP_SOLVED)
        status = write_copy(job);
    if (status == PERP_SOLVED)
        status = open_contacts(job);
    if (status == PERP_SOLVED)
        status = open_impacts(job);
    if (status == PERP_SOLVED)
        status = open_motion(job);
    return status == PERP_SOLVED ? open_series(job) : status;
}

perp_status perp_scene_save_output(perp_scene_job *job)
{
    long long bytes = perp_scene_csv_sync(&job->csv);

    if (bytes < 0)
        return lost(job, "series.csv");
    job->done.csv_bytes = bytes;
    bytes = job->contacts.csv.stream != NULL ? perp_scene_csv_sync(&job->contacts.csv) : 0;
    if (bytes < 0)
        return lost(job, "contacts.csv");
    job->done.contacts_bytes = bytes;
    bytes = job->impacts.csv.stream != NULL ? perp_scene_csv_sync(&job->impacts.csv) : 0;
    if (bytes < 0)
        return lost(job, "impacts.csv");
    job->done.impacts_bytes = bytes;
    bytes = job->motion.file.stream != NULL ? perp_scene_csv_sync(&job->motion.file) : 0;
    if (bytes < 0)
        return lost(job, "motion.bin");
    job->done.motion_bytes = bytes;
    job->done.motion_every = job->motion.about.every;
    job->done.pending = job->motion.pending;
    if (perp_scene_sync_kept(perp_scene_join(job->wish.folder, "scene.json").text) != 0)
        return lost(job, "scene.json");
    if (perp_scene_frames_sync(&job->frames, job->scene,
                               SYNC_SHARE * (perp_scene_seconds() - job->saved)) != 0)
        return lost(job, "frames");
    job->done.frames = job->frames.count;
    job->done.frame_every = job->frames.every;
    job->saved = perp_scene_seconds();
    return perp_scene_checkpoint_write(job->wish.folder, job->scene, &job->done, job->info.detail,
                                       sizeof job->info.detail);
}

perp_status perp_scene_close_output(perp_scene_job *job)
{
    perp_scene *scene = job->scene;
    const char *folder = job->wish.folder;
    char text[256];
    int how;

    if (perp_scene_csv_finish(&job->csv) != 0)
        return lost(job, "series.csv");
    if (job->contacts.csv.stream != NULL && perp_scene_csv_finish(&job->contacts.csv) != 0)
        return lost(job, "contacts.csv");
    if (job->impacts.csv.stream != NULL && perp_scene_csv_finish(&job->impacts.csv) != 0)
        return lost(job, "impacts.csv");
    if (job->motion.file.stream != NULL && perp_scene_csv_finish(&job->motion.file) != 0)
        return lost(job, "motion.bin");
    if (job->frames.dir != NULL && perp_scene_frames_list(&job->frames, scene) != 0)
        return lost(job, "frames.pvd");
    how = perp_scene_hdf5(folder, scene, kept_rows(job), (int)job->rows, wants_contacts(scene),
                          text, sizeof text);
    /* What was renamed is so on the disk when the folder is synced: series.h5 does that. */
    if (how > 0 && perp_scene_sync_kept(folder) != 0)
        return lost(job, "");
    if (how < 0)
        return perp_scene_stop(job, how == -2 ? PERP_ERR_MEMORY : PERP_ERR_OPEN, "%s/%s", folder,
                               text);
    if (!job->wish.pictures)
        return PERP_SOLVED;
    how = perp_scene_draw(folder, scene);
    job->info.pictures = how == 0 ? 1 : -1;
    if (how < 0)
        return perp_scene_stop(job, PERP_ERR_OPEN, "gnuplot failed on %s/series.gp", folder);
    return PERP_SOLVED;
}
