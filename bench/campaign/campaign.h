/* SPDX-License-Identifier: BSD-3-Clause */
/* Campaigns: solvers x files x tolerances, each run in a process of its own.  The command
 * perp bench reads its options and calls what is here.
 *
 *     campaign.c             the loop: what is there is skipped, what ends is appended
 *     campaign_options.c     lists of solvers, tolerances and settings
 *     problem_files.c        arguments to the list of problem files
 *     ask_program.c          what a program says of itself
 *     peer_programs.c        the programs of the peers, and what they can do
 *     run_process.c          one process with its limits
 *     own_run.c              one run of one of our solvers, inside that process
 *     run_record.c           what it tells its parent
 *     campaign_progress.c    the bar or the plain lines
 *     results_file.c         the CSV file of results
 *     results_grid.c, virtual_best.c, ratios.c, measures.c, results_report.c,
 *     performance_profile.c  tables and pictures
 *     accuracy/              perp bench order and precision
 *     engines/               perp bench scenes
 */
#ifndef PERP_BENCH_CAMPAIGN_CAMPAIGN_H
#define PERP_BENCH_CAMPAIGN_CAMPAIGN_H

#include "bench/campaign/results_file.h"
#include "bench/campaign/run_record.h"

/* How a campaign, a report or a measurement ended; messages went to standard error. */
typedef enum perp_bench_ending {
    PERP_BENCH_DONE = 0,
    PERP_BENCH_STOPPED = 1, /* interrupted */
    PERP_BENCH_FAILED = 2
} perp_bench_ending;

/* Asked between pieces of work: non-zero to stop. */
typedef int (*perp_bench_stop_fn)(void);

enum { PERP_BENCH_LIST = 64 };

typedef struct perp_bench_options {
    char **input; /* files and folders, the caller's */
    int inputs;
    char *solver[PERP_BENCH_LIST];
    int solvers;
    double tol[PERP_BENCH_LIST];
    int tols;
    char *setting[PERP_BENCH_LIST]; /* "name=value", sorted, each name once */
    int settings;
    char setting_line[512]; /* the same, separated by blanks */
    double time_limit;      /* seconds, for one set-up and solve */
    long memory_mb;         /* address space of a run, 0: no limit */
    int repeats;
    int cpu;            /* to pin to, -1: none */
    const char *out;    /* CSV */
    const char *commit; /* what the rows are labelled with */
    int commit_given;   /* by --commit: of peers, too */
    char *text;         /* holds the lists */
    perp_bench_stop_fn stop;
} perp_bench_options;

/* The defaults: the library's choice of a solver, 1e-4 and 1e-8, the natural measure. */
int perp_bench_options_init(perp_bench_options *options);
/* Lists, separated by commas.  0, or -1 where they are empty, too long or no tolerances. */
int perp_bench_set_solvers(perp_bench_options *options, const char *list);
int perp_bench_set_tols(perp_bench_options *options, const char *list);
/* "name=value"; a later value of a name replaces an earlier one.  0 or -1. */
int perp_bench_add_setting(perp_bench_options *options, const char *pair);
/* Once all is set: sorts the settings and checks the CPU and the peers.  0, or -1 with a message.
 */
int perp_bench_options_finish(perp_bench_options *options, char *message, size_t size);
void perp_bench_options_free(perp_bench_options *options);

/* One problem file; name is "folder/file", unique in the list. */
typedef struct perp_bench_file {
    char *path;
    const char *name; /* the end of path */
    long bytes;
} perp_bench_file;

/* Files of the inputs, small ones first.  Returns their number or -1 with a message. */
int perp_bench_files(perp_bench_file **file, char **input, int inputs, char *message, size_t size);
void perp_bench_files_free(perp_bench_file *file, int files);

/* What one run is to do. */
typedef struct perp_bench_run {
    const char *path, *solver;
    double tol;
    const perp_bench_options *options;
} perp_bench_run;

/* Called about five times a second while a run goes on. */
typedef void (*perp_bench_tick)(void *ctx, double seconds);

/* Runs it in a process and waits.  Fills the record; a process that was killed
 * or died has the status time-limit, memory-limit or crash.  0; 1 when
 * stop() became non-zero (then the record means nothing); -1 when no
 * process could be started, with a message. */
int perp_bench_process(perp_bench_record *record, const perp_bench_run *run,
                       perp_bench_stop_fn stop, perp_bench_tick tick, void *ctx, char *message,
                       size_t size);
int perp_bench_own_path(char *path, size_t size); /* of this program; 0 or -1 */

const char *perp_bench_commit(void); /* what this was built from */

/* The helper program of a peer ("siconos:NSGS" -> .../perp-peer-siconos).  1
 * when it was found, 0 when not; -1 when the solver is not a peer's. */
int perp_bench_peer(const char *solver, char *path, size_t size);

/* A helper program by its own name: in $PERP_PEERS, then beside this one.  1 when it was found. */
int perp_bench_program(char *path, size_t size, const char *name);

enum {
    PERP_BENCH_READ_SECONDS = 600,  /* that a run may read the problem, or a peer for its list */
    PERP_BENCH_VERSION_SECONDS = 10 /* that a program may think of its version */
};

/* What `program what file` (file may be NULL) prints on its standard output, without its last line
 * ends.  1 and "": that are size bytes or more.  -1 and "": it fails, or has not ended after so
 * many seconds: then it is killed. What it says of a file on standard error is passed on. */
int perp_bench_ask(char *answer, size_t size, double seconds, const char *program, const char *what,
                   const char *file);

/* What the peer calls its version, "" when it does not say: the label of its
 * rows, so that they outlive our commits. */
void perp_bench_peer_version(char *version, size_t size, const char *solver);

/* The solvers of the options for one file: "siconos:all" becomes those that the
 * peer has for its class of problems.  0, or -1 when there are too many. */
enum { PERP_BENCH_SOLVERS = 256 };
typedef struct perp_bench_solvers {
    char name[PERP_BENCH_SOLVERS][80];
    int count;
} perp_bench_solvers;
int perp_bench_solvers_for(perp_bench_solvers *list, const perp_bench_options *options,
                           const char *file);

/* The solver of "nsn+formulation=natural-map", whose settings are written into *settings; NULL: no
 * such solver, setting or value. */
const perp_solver_type *perp_bench_solver_of(const char *text, perp_settings *settings);

/* Inside such a process: FD FILE SOLVER TOL REPEATS [name=value...].  read: of files that are not
 * trusted, as perp_problem_file_read(). */
typedef perp_status (*perp_bench_reader)(perp_problem_file **file, const char *path,
                                         perp_io_error *error);
int perp_bench_child(int argc, char **argv, perp_bench_reader read);

/* Runs what the file of results does not hold yet.  A perp_bench_ending; outcome may be NULL. */
typedef struct perp_bench_outcome {
    int runs, present; /* asked for; in the file before */
    int made;
    int false_solved; /* of those made: "solved" with an error above tol */
} perp_bench_outcome;
int perp_bench_campaign(const perp_bench_options *options, perp_bench_outcome *outcome);

struct perp_bench_grid; /* results_grid.h */

/* What a report is made of. */
enum { PERP_BENCH_FILES = 32 };
typedef struct perp_bench_report_options {
    const char *csv[PERP_BENCH_FILES];
    const char *folder; /* NULL: RESULTS-report */
    int files;
    int each; /* a peer's solvers one by one in the pictures */
    /* Shown in place of the tables on standard output; NULL: those tables. */
    void (*show)(void *ctx, const struct perp_bench_grid *grid, const char *folder, int pictures);
    void *ctx;
} perp_bench_report_options;
/* Tables and pictures into the folder.  A perp_bench_ending. */
int perp_bench_report(const perp_bench_report_options *options);

typedef struct perp_bench_progress {
    int on_tty;
    int total, done, skipped;
    double start; /* seconds, monotonic */
    char label[256];
} perp_bench_progress;

void perp_bench_progress_start(perp_bench_progress *progress, int total, int skipped);
void perp_bench_progress_run(perp_bench_progress *progress, const char *problem, const char *solver,
                             double tol);
void perp_bench_progress_tick(void *progress, double seconds);
void perp_bench_progress_end_run(perp_bench_progress *progress, const perp_bench_record *record);
void perp_bench_progress_end(perp_bench_progress *progress);

double perp_bench_now(void); /* seconds, monotonic */

#endif
