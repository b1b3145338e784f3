/* SPDX-License-Identifier: BSD-3-Clause */
/* perp-peer-siconos: one run of one solver of Siconos numerics, for perp bench.
 *
 *     perp-peer-siconos FD FILE SOLVER TOL REPEATS [name=value...]
 *     perp-peer-siconos --list FILE     the names for its class of problems
 *     perp-peer-siconos --version
 *
 * The file is read by Perp's own reader and handed over as it is in memory;
 * the z that comes back is judged by perp_residual() on Perp's problem.
 * SOLVER is a name of the table below or ID[/LOCAL] in numbers, LOCAL replacing
 * the solver of one contact.  Of the settings max_iter and measure are read.
 * Defaults of Siconos otherwise, start at zero, 100 000 iterations at most.
 *
 * Siconos may exit, abort or never return: hence a program of its own.
 */
#define _GNU_SOURCE /* dladdr */
#include <dlfcn.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <perp/io.h>

#include <Friction_cst.h>
#include <MLCP_Solvers.h>
#include <NonSmoothDrivers.h>
#include <NumericsVerbose.h>
#include <SolverOptions.h>

#include "bench/peers/siconos_copy.h"
#include "bench/campaign/run_record.h"
#include "bench/campaign/solve_clock.h"

static const double enough_seconds = 1.0;

enum { CLASS_FC3D, CLASS_FC2D, CLASS_GFC3D, CLASS_LCP, CLASS_MLCP, CLASS_RELAY, CLASS_NONE };

typedef struct method {
    int cls;
    const char *name;
    int id, local;
    int dense; /* wants the dense matrix */
} method;

/* 501 (NSGSV), 510 (NCP fixed point) and 601 of release 4.4 end the process on
 * every problem and are left out. */
static const method methods[] = {
    {CLASS_FC3D, "NSGS", 500, 0, 0},
    {CLASS_FC3D, "NSGS-QUARTIC", 500, 562, 0},
    {CLASS_FC3D, "NSGS-PROJECTION", 500, 552, 0},
    {CLASS_FC3D, "NSGS-QUARTIC_NU", 500, 563, 0},
    {CLASS_FC3D, "NSGS-PROJECTION_LOCAL", 500, 553, 0},
    {CLASS_FC3D, "NSGS-PROJECTION_REGULARIZED", 500, 554, 0},
    {CLASS_FC3D, "NSGS-PROJECTION_DIAGONAL", 500, 555, 0},
    {CLASS_FC3D, "NSGS-NSN", 500, 550, 0},
    {CLASS_FC3D, "NSGS-NSN_GP", 500, 551, 0},
    {CLASS_FC3D, "NSN_AC", 504, 0, 0},
    {CLASS_FC3D, "NSN_AC_TEST", 521, 0, 0},
    {CLASS_FC3D, "NSN_FB", 513, 0, 0},
    {CLASS_FC3D, "NSN_NM", 520, 0, 0},
    {CLASS_FC3D, "PROX", 502, 0, 0},
    {CLASS_FC3D, "ADMM", 523, 0, 0},
    {CLASS_FC3D, "ACLMFP", 516, 0, 0},
    {CLASS_FC3D, "TFP", 503, 0, 0},
    {CLASS_FC3D, "SOCLCP", 517, 0, 0},
    {CLASS_FC3D, "VI_EG", 507, 0, 0},
    {CLASS_FC3D, "VI_FPP", 506, 0, 0},
    {CLASS_FC3D, "EG", 512, 0, 0},
    {CLASS_FC3D, "FPP", 511, 0, 0},
    {CLASS_FC3D, "DSFP", 505, 0, 0},
    {CLASS_FC3D, "HP", 508, 0, 0},
    {CLASS_FC3D, "PFP", 522, 0, 0},
    {CLASS_FC2D, "NSGS", 400, 0, 0},
    {CLASS_FC2D, "NSGS-DENSE", 400, 0, 1},
    {CLASS_FC2D, "CPG", 402, 0, 1},
    {CLASS_FC2D, "LEMKE", 404, 0, 1},
    {CLASS_FC2D, "ENUM", 405, 0, 1},
    {CLASS_GFC3D, "NSGS", 605, 0, 0},
    {CLASS_GFC3D, "NSGS_WR", 600, 0, 0},
    {CLASS_GFC3D, "NSGS_WR-QUARTIC", 600, 562, 0},
    {CLASS_GFC3D, "NSGS_WR-PROJECTION", 600, 552, 0},
    {CLASS_GFC3D, "PROX_WR", 602, 0, 0},
    {CLASS_GFC3D, "DSFP_WR", 603, 0, 0},
    {CLASS_GFC3D, "TFP_WR", 604, 0, 0},
    {CLASS_GFC3D, "NSN_AC", 607, 0, 0},
    {CLASS_GFC3D, "NSN_AC_WR", 606, 0, 0},
    {CLASS_GFC3D, "ADMM", 613, 0, 0},
    {CLASS_GFC3D, "ADMM_WR", 614, 0, 0},
    {CLASS_GFC3D, "IPM", 615, 0, 0},
    {CLASS_GFC3D, "VI_FPP", 610, 0, 0},
    {CLASS_GFC3D, "VI_EG", 611, 0, 0},
    {CLASS_GFC3D, "ACLMFP", 612, 0, 0},
    {CLASS_LCP, "LEMKE", 200, 0, 1},
    {CLASS_LCP, "PIVOT", 215, 0, 1},
    {CLASS_LCP, "BARD", 216, 0, 1},
    {CLASS_LCP, "MURTY", 217, 0, 1},
    {CLASS_LCP, "PATHSEARCH", 219, 0, 1},
    {CLASS_LCP, "AVI_CAOFERRIS", 214, 0, 1},
    {CLASS_LCP, "NEWTON_FB", 209, 0, 1},
    {CLASS_LCP, "NEWTON_MIN", 218, 0, 1},
    {CLASS_LCP, "NSGS", 202, 0, 1},
    {CLASS_LCP, "PGS", 202, 0, 1},
    {CLASS_LCP, "PSOR", 210, 0, 1},
    {CLASS_LCP, "CPG", 203, 0, 1},
    {CLASS_LCP, "ENUM", 213, 0, 1},
    {CLASS_MLCP, "LEMKE", 115, 0, 1},
    {CLASS_MLCP, "NEWTON_FB", 112, 0, 1},
    {CLASS_MLCP, "NSGS", 100, 0, 1},
    {CLASS_MLCP, "PGS", 100, 0, 1},
    {CLASS_MLCP, "PSOR", 102, 0, 1},
    {CLASS_MLCP, "SIMPLEX", 106, 0, 1},
    {CLASS_MLCP, "ENUM", 105, 0, 1},
    {CLASS_RELAY, "LEMKE", 303, 0, 1},
    {CLASS_RELAY, "AVI_CAOFERRIS", 306, 0, 1},
    {CLASS_RELAY, "NSGS", 300, 0, 1},
    {CLASS_RELAY, "PGS", 300, 0, 1},
    {CLASS_RELAY, "ENUM", 301, 0, 1},
};

typedef struct peer {
    int fd, repeats, max_iter, cls;
    double tol;
    perp_measure_kind measure;
    method how;
    perp_problem_file *file;
    perp_problem problem;
    double *z, *w, *v; /* of Siconos */
    double *ours;      /* z in the order of the problem */
    int *order;        /* MLCP */
} peer;

static int class_of(const perp_problem_file *file)
{
    switch (file->cls) {
    case PERP_CLASS_FRICTION:
        return file->has_V || file->mu_r ? CLASS_NONE
               : file->spacedim == 3     ? CLASS_FC3D
                                         : CLASS_FC2D;
    case PERP_CLASS_GLOBAL:
        return file->has_G || file->mu_r || file->spacedim != 3 ? CLASS_NONE : CLASS_GFC3D;
    case PERP_CLASS_LCP:
        return CLASS_LCP;
    case PERP_CLASS_MLCP:
        return CLASS_MLCP;
    case PERP_CLASS_RELAY:
        return CLASS_RELAY;
    case PERP_CLASS_AUTO:
    default:
        return CLASS_NONE;
    }
}

static int find_method(method *how, int cls, const char *name)
{
    char *end;
    long id = strtol(name, &end, 10);
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
        if (methods[k].cls == cls && !strcmp(methods[k].name, name)) {
            *how = methods[k];
            return 0;
        }
    }
    if (end == name || id <= 0 || cls == CLASS_NONE)
        return -1;
    *how = (method){cls, name, (int)id, *end == '/' ? atoi(end + 1) : 0, cls >= CLASS_LCP};
    return 0;
}

static int fail(const peer *p, const char *status, const char *text)
{
    perp_bench_record run;
    perp_bench_record_init(&run);
    snprintf(run.status, sizeof run.status, "%s", status);
    snprintf(run.note, sizeof run.note, "%.120s", text);
    run.setup = run.solve = NAN;
    perp_bench_tell_run(p->fd, &run);
    return 1;
}

static int load(peer *p, const char *path)
{
    perp_io_error error = {.line = 0};
    char word[32];
    perp_status status = perp_problem_file_read(&p->file, path, PERP_CLASS_AUTO, NULL, &error);
    if (status == PERP_SOLVED)
        status = perp_problem_file_get(p->file, &p->problem, &error);
    if (status != PERP_SOLVED) {
        perp_bench_status_word(word, sizeof word, status);
        return fail(p, word, error.text);
    }
    size_t n = (size_t)p->problem.M.rows;
    p->z = calloc(n + 1, sizeof *p->z);
    p->w = calloc(n + 1, sizeof *p->w);
    p->ours = calloc(n + 1, sizeof *p->ours);
    p->order = calloc(n + 1, sizeof *p->order);
    p->v = calloc((size_t)p->file->dofs + 1, sizeof *p->v);
    if (!p->z || !p->w || !p->ours || !p->order || !p->v)
        return fail(p, "err-memory", "");
    p->cls = class_of(p->file);
    return perp_bench_tell_size(p->fd, p->problem.M.rows, p->file->contacts,
                                perp_bench_nnz(p->file, &p->problem));
}

static void *copy_problem(peer *p)
{
    switch (p->cls) {
    case CLASS_FC3D:
    case CLASS_FC2D:
        return perp_peer_friction(p->file, p->how.dense);
    case CLASS_GFC3D:
        return perp_peer_global(p->file);
    case CLASS_LCP:
        return perp_peer_lcp(p->file);
    case CLASS_MLCP:
        return perp_peer_mlcp(p->file, p->order);
    default:
        return perp_peer_relay(p->file);
    }
}

static int drive(peer *p, void *problem, SolverOptions *options)
{
    switch (p->cls) {
    case CLASS_FC3D:
        return fc3d_driver(problem, p->z, p->w, options);
    case CLASS_FC2D:
        return fc2d_driver(problem, p->z, p->w, options);
    case CLASS_GFC3D:
        return gfc3d_driver(problem, p->z, p->w, p->v, options);
    case CLASS_LCP:
        return linearComplementarity_driver(problem, p->z, p->w, options);
    case CLASS_MLCP:
        mlcp_driver_init(problem, options);
        return mlcp_driver(problem, p->z, p->w, options);
    default:
        return relay_driver(problem, p->z, p->w, options);
    }
}

static void judge(peer *p, perp_bench_record *run)
{
    int n = p->problem.M.rows;
    for (int k = 0; k < n; k++)
        p->ours[p->cls == CLASS_MLCP ? p->order[k] : k] = p->z[k];
    if (perp_residual(&p->problem, p->ours, NULL, NULL, &run->residual) == PERP_SOLVED)
        run->error = perp_bench_error(&run->residual, p->measure);
}

static int run_once(peer *p, double *seconds)
{
    perp_bench_record run;
    size_t n = (size_t)p->problem.M.rows;
    void *problem = copy_problem(p);
    SolverOptions *options = solver_options_create(p->how.id);
    if (!problem || !options)
        return fail(p, problem ? "err-unsupported" : "err-memory", "");
    options->iparam[SICONOS_IPARAM_MAX_ITER] = p->max_iter;
    options->dparam[SICONOS_DPARAM_TOL] = p->tol;
    if (p->how.local)
        solver_options_update_internal(options, 0, p->how.local);
    memset(p->z, 0, n * sizeof *p->z);
    memset(p->w, 0, n * sizeof *p->w);
    memset(p->v, 0, (size_t)p->file->dofs * sizeof *p->v);
    perp_bench_record_init(&run);
    if (perp_bench_tell_begin(p->fd))
        return -1;
    perp_bench_stopwatch start = perp_bench_start();
    int info = drive(p, problem, options);
    run.solve = perp_bench_seconds_since(start);
    run.peak_kb = perp_bench_peak_kb();
    run.iterations = options->iparam[SICONOS_IPARAM_ITER_DONE];
    snprintf(run.status, sizeof run.status, "%s", info == 0 ? "solved" : "failed");
    snprintf(run.note, sizeof run.note, "info %d", info);
    judge(p, &run);
    *seconds += run.solve;
    /* Times of failures are not compared: once is enough. */
    return perp_bench_tell_run(p->fd, &run) || info != 0;
}

static int read_settings(peer *p, int argc, char **argv)
{
    perp_settings settings;
    char name[64];
    perp_settings_init(&settings, sizeof settings);
    for (int k = 0; k < argc; k++) {
        const char *equal = strchr(argv[k], '=');
        if (!equal)
            return -1;
        snprintf(name, sizeof name, "%.*s", (int)(equal - argv[k]), argv[k]);
        if (perp_settings_set(&settings, name, equal + 1))
            return -1;
    }
    p->max_iter = settings.max_iter > 0 ? settings.max_iter : 100000;
    p->measure = (perp_measure_kind)settings.measure;
    return 0;
}

/* Its headers do not say a version; the name of the library's file does. */
static int print_version(void)
{
    Dl_info where;
    char path[PATH_MAX];
    void *address = dlsym(RTLD_DEFAULT, "fc3d_driver");
    if (!address || !dladdr(address, &where) || !realpath(where.dli_fname, path))
        return 1;
    const char *name = strrchr(path, '/');
    return puts(name ? name + 1 : path) < 0;
}

static int list_methods(const char *path)
{
    perp_problem_file *file = NULL;
    perp_io_error error = {.line = 0};
    if (perp_problem_file_read(&file, path, PERP_CLASS_AUTO, NULL, &error) != PERP_SOLVED)
        return 1;
    int cls = class_of(file);
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++)
        if (methods[k].cls == cls)
            puts(methods[k].name);
    perp_problem_file_destroy(file);
    return 0;
}

int main(int argc, char **argv)
{
    peer p = {0};
    double seconds = 0.0;
    if (argc == 3 && !strcmp(argv[1], "--list"))
        return list_methods(argv[2]);
    if (argc == 2 && !strcmp(argv[1], "--version"))
        return print_version();
    if (argc < 6 || read_settings(&p, argc - 6, argv + 6)) {
        fprintf(stderr, "usage: perp-peer-siconos FD FILE SOLVER TOL REPEATS [name=value...]\n"
                        "This is a helper of `perp bench'.\n");
        return 2;
    }
    p.fd = atoi(argv[1]);
    p.tol = strtod(argv[4], NULL);
    p.repeats = atoi(argv[5]);
    numerics_set_verbose(0);
    int bad = load(&p, argv[2]);
    if (!bad && find_method(&p.how, p.cls, argv[3]))
        bad = fail(&p, "err-unsupported", "");
    for (int k = 0; k < p.repeats && !bad && seconds < enough_seconds; k++)
        bad = run_once(&p, &seconds);
    /* The exit handlers of the libraries are skipped: some of them crash. */
    _exit(0);
}
