/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/campaign/campaign.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LABELS = 16 };

typedef struct campaign {
    const perp_bench_options *options;
    perp_bench_file *file;
    int files;
    perp_bench_solvers solvers;              /* for the present file */
    perp_bench_row late[PERP_BENCH_SOLVERS]; /* where a peer ran into the limit; tol 0: nowhere */
    perp_bench_table table;                  /* what was there at the start */
    perp_bench_progress progress;
    char host[256];
    struct {
        char peer[80], version[256];
    } label[LABELS]; /* of the peers asked so far, the last ones */
    int labels;
    int fd;
    int false_solved;
} campaign;

static const char *label_of(campaign *c, const char *solver)
{
    const char *colon = strchr(solver, ':');
    if (!colon || c->options->commit_given)
        return c->options->commit;
    int known = 0, last = c->labels < LABELS ? c->labels : LABELS;
    size_t length = (size_t)(colon - solver) + 1;
    while (known < last &&
           (strncmp(c->label[known].peer, solver, length) || c->label[known].peer[length]))
        known++;
    if (known == last) {
        known = c->labels++ % LABELS;
        snprintf(c->label[known].peer, sizeof c->label[known].peer, "%.*s", (int)length, solver);
        perp_bench_peer_version(c->label[known].version, sizeof c->label[known].version, solver);
    }
    return c->label[known].version[0] ? c->label[known].version : c->options->commit;
}

static perp_bench_row key_of(campaign *c, int file, int tol, int solver)
{
    perp_bench_row row;
    memset(&row, 0, sizeof row);
    perp_bench_record_init(&row.run);
    row.host = c->host;
    row.commit = label_of(c, c->solvers.name[solver]);
    row.problem = c->file[file].name;
    row.solver = c->solvers.name[solver];
    row.settings = c->options->setting_line;
    row.tol = c->options->tol[tol];
    return row;
}

/* Sets the solvers of a file; those of a peer that are late are not yet known. */
static int enter_file(campaign *c, int file)
{
    memset(c->late, 0, sizeof c->late);
    return perp_bench_solvers_for(&c->solvers, c->options, c->file[file].path);
}

/* -1 when a list of solvers cannot be made. */
static int count_runs(campaign *c, int *present)
{
    int runs = 0;
    *present = 0;
    for (int f = 0; f < c->files; f++) {
        if (enter_file(c, f))
            return -1;
        for (int t = 0; t < c->options->tols; t++) {
            for (int s = 0; s < c->solvers.count; s++) {
                perp_bench_row row = key_of(c, f, t, s);
                *present += perp_bench_table_find(&c->table, &row) != NULL;
                runs++;
            }
        }
    }
    return runs;
}

/* 0 done, 1 interrupted, -1 with a message printed. */
static int one_run(campaign *c, int file, perp_bench_row *row)
{
    char message[512];
    perp_bench_run run = {c->file[file].path, row->solver, row->tol, c->options};
    perp_bench_progress_run(&c->progress, row->problem, row->solver, row->tol);
    int how = perp_bench_process(&row->run, &run, c->options->stop, perp_bench_progress_tick,
                                 &c->progress, message, sizeof message);
    if (how < 0) {
        fprintf(stderr, "\nperp bench: %s\n", message);
        return -1;
    }
    if (how > 0)
        return 1;
    if (perp_bench_append(c->fd, row)) {
        fprintf(stderr, "\nperp bench: %s: %s\n", c->options->out, strerror(errno));
        return -1;
    }
    if (!strcmp(row->run.status, "solved") && !(row->run.error <= row->tol)) {
        c->false_solved++;
        fprintf(stderr, "%sperp bench: FALSE \"solved\": %s %g %s, error %.2e\n",
                c->progress.on_tty ? "\n" : "", row->solver, row->tol, row->problem,
                row->run.error);
    }
    perp_bench_progress_end_run(&c->progress, &row->run);
    return 0;
}

static int is_late(const perp_bench_row *row)
{
    return strchr(row->solver, ':') && !strcmp(row->run.status, "time-limit");
}

/* A peer that was killed at a looser tolerance is not started again. */
static int skip_late(campaign *c, perp_bench_row *row, const perp_bench_row *late)
{
    row->run.n = late->run.n;
    row->run.contacts = late->run.contacts;
    row->run.nnz = late->run.nnz;
    perp_bench_progress_run(&c->progress, row->problem, row->solver, row->tol);
    snprintf(row->run.status, sizeof row->run.status, "time-limit");
    snprintf(row->run.note, sizeof row->run.note, "not run: too late at tol %g already", late->tol);
    row->run.setup = row->run.solve = NAN;
    if (perp_bench_append(c->fd, row)) {
        fprintf(stderr, "\nperp bench: %s: %s\n", c->options->out, strerror(errno));
        return -1;
    }
    perp_bench_progress_end_run(&c->progress, &row->run);
    return 0;
}

static int one_cell(campaign *c, int file, int tol, int solver)
{
    perp_bench_row row = key_of(c, file, tol, solver);
    const perp_bench_row *found = perp_bench_table_find(&c->table, &row);
    perp_bench_row *late = &c->late[solver];
    int how = 0;
    if (!found && late->tol > row.tol)
        return skip_late(c, &row, late);
    if (!found)
        how = c->options->stop() ? 1 : one_run(c, file, &row);
    if (how == 0 && row.tol > late->tol && is_late(found ? found : &row))
        *late = found ? *found : row;
    return how;
}

/* Solvers innermost, so that those compared on a file run close to each other. */
static int run_all(campaign *c)
{
    for (int f = 0; f < c->files; f++) {
        int how = enter_file(c, f);
        for (int t = 0; t < c->options->tols && !how; t++)
            for (int s = 0; s < c->solvers.count && !how; s++)
                how = one_cell(c, f, t, s);
        if (how)
            return how;
    }
    return 0;
}

/* What is refused is refused before the file of results is touched. */
static int open_all(campaign *c, int *runs, int *present, char *message, size_t size)
{
    c->files = perp_bench_files(&c->file, c->options->input, c->options->inputs, message, size);
    if (c->files < 0 || perp_bench_table_read(&c->table, c->options->out, message, size))
        return -1;
    if (gethostname(c->host, sizeof c->host - 1))
        snprintf(c->host, sizeof c->host, "unknown");
    *runs = count_runs(c, present);
    if (*runs < 0) {
        *runs = 0;
        snprintf(message, size,
                 "more than %d solvers for a file, a name of more than %d characters, or a peer "
                 "that is gone",
                 PERP_BENCH_SOLVERS, (int)sizeof c->solvers.name[0] - 1);
        return -1;
    }
    c->fd = perp_bench_append_open(c->options->out, &c->table, message, size);
    return c->fd < 0 ? -1 : 0;
}

int perp_bench_campaign(const perp_bench_options *options, perp_bench_outcome *outcome)
{
    campaign c;
    char message[1024];
    int how = -1, runs = 0, present = 0;
    memset(&c, 0, sizeof c);
    c.options = options;
    c.fd = -1;
    /* One thread in the linear algebra of every run, of ours and of peers. */
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    setenv("OMP_NUM_THREADS", "1", 1);
    if (open_all(&c, &runs, &present, message, sizeof message)) {
        fprintf(stderr, "perp bench: %s\n", message);
    } else {
        perp_bench_progress_start(&c.progress, runs, present);
        how = run_all(&c);
        perp_bench_progress_end(&c.progress);
    }
    if (how > 0)
        fprintf(stderr, "perp bench: interrupted; the same command goes on from here\n");
    if (outcome)
        *outcome = (perp_bench_outcome){runs, present, c.progress.done, c.false_solved};
    if (c.fd >= 0 && close(c.fd)) {
        fprintf(stderr, "perp bench: %s: %s\n", options->out, strerror(errno));
        how = -1;
    }
    perp_bench_table_free(&c.table);
    perp_bench_files_free(c.file, c.files);
    return how == 0 ? PERP_BENCH_DONE : how > 0 ? PERP_BENCH_STOPPED : PERP_BENCH_FAILED;
}
