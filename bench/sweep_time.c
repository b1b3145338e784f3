/* SPDX-License-Identifier: BSD-3-Clause */
/* Time of one Gauss-Seidel sweep: ours on BSR, ours on DELASSUS (for a global
 * problem), and Siconos' NSGS with its quartic and with its default local solver,
 * alternating in one run; beside the bandwidth of memory measured in the same run.
 *
 *     sweep [--sweeps N] [--rounds R] [--cpu K] [--peer PROGRAM|none]
 *           [--set name=value] FILE...
 *
 * Every solver starts from zero, checks no residual between, and is run for 10
 * and for 10 + N sweeps; the difference of the times over N is a sweep, free
 * of set-up and of the final residual.  The median of R rounds counts.
 *
 * Bytes of a sweep, the least that must be moved: matrix values and indices
 * (DELASSUS: values of H and the diagonal blocks), q read, z read and written,
 * and for DELASSUS the body velocities read and written.  Bandwidth is that of
 * reading two arrays, once with as many bytes as the sweep, once with 1 GiB.
 */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/measure.h"
#include "bench/campaign/run_record.h"

enum { FEW = 10, ROUNDS_MAX = 101, VARIANTS = 4 };

typedef struct options {
    int sweeps, rounds, cpu;
    char peer[PATH_MAX];
    perp_settings settings;
    double far_bandwidth;
} options;

typedef struct variant {
    const char *name;
    const char *method;   /* of Siconos, NULL for ours */
    perp_problem problem; /* of ours */
    perp_solver *solver;
    double *z, *w;
    double bytes;
    double sweep[ROUNDS_MAX]; /* seconds */
    int used;
} variant;

static void default_peer(char *peer, const char *program)
{
    const char *slash = strrchr(program, '/');
    snprintf(peer, PATH_MAX, "%.*s../perp-peer-siconos", slash ? (int)(slash + 1 - program) : 0,
             program);
}

static int read_options(options *o, int argc, char **argv)
{
    int k = 1;
    o->sweeps = 0;
    o->rounds = 7;
    o->cpu = -1;
    default_peer(o->peer, argv[0]);
    perp_settings_init(&o->settings, sizeof o->settings);
    o->settings.tol = 0.0;
    o->settings.check_every = 1000000;
    o->settings.stall_window = INT_MAX;
    for (; k + 1 < argc && argv[k][0] == '-'; k += 2)
        if (!strcmp(argv[k], "--sweeps"))
            o->sweeps = atoi(argv[k + 1]);
        else if (!strcmp(argv[k], "--rounds"))
            o->rounds = atoi(argv[k + 1]);
        else if (!strcmp(argv[k], "--cpu"))
            o->cpu = atoi(argv[k + 1]);
        else if (!strcmp(argv[k], "--peer"))
            snprintf(o->peer, sizeof o->peer, "%s", argv[k + 1]);
        else if (strcmp(argv[k], "--set") || perp_measure_setting(&o->settings, argv[k + 1]))
            return -1;
    if (access(o->peer, X_OK))
        o->peer[0] = '\0';
    return k < argc && o->rounds > 0 && o->rounds <= ROUNDS_MAX && o->sweeps >= 0 ? k : -1;
}

/* Seconds of a solve of so many sweeps; NaN with a message when it is not that. */
static double our_time(variant *v, const options *o, int sweeps)
{
    perp_settings settings = o->settings;
    perp_info info = {.size = sizeof info};
    settings.max_iter = sweeps;
    perp_status status = perp_solver_set_settings(v->solver, &settings);
    double start = perp_measure_now();
    if (status == PERP_SOLVED)
        status = perp_solver_solve(v->solver, v->z, v->w, &info);
    double seconds = perp_measure_now() - start;
    if (status != PERP_ITERATION_LIMIT || info.iterations != sweeps) {
        fprintf(stderr, "%s: %s after fewer than %d sweeps\n", v->name, perp_status_text(status),
                sweeps);
        return NAN;
    }
    return seconds;
}

/* The file's name comes from mkdtemp(), so it needs no quoting. */
static double peer_time(const variant *v, const options *o, const char *path, int sweeps)
{
    char command[2 * PATH_MAX + 128], line[1024];
    perp_bench_record record;
    perp_bench_record_init(&record);
    snprintf(command, sizeof command, "'%s' 3 %s %s 1e-14 1 max_iter=%d 3>&1 >/dev/null 2>&1",
             o->peer, path, v->method, sweeps);
    FILE *f = popen(command, "r");
    while (f && fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = '\0';
        perp_bench_hear(&record, line);
    }
    if (!f || pclose(f) || record.repeats != 1 || record.iterations < sweeps) {
        fprintf(stderr, "%s: %s after %ld of %d sweeps\n", v->name,
                record.status[0] ? record.status : "no result", record.iterations, sweeps);
        return NAN;
    }
    return record.solve;
}

static double one_sweep(variant *v, const options *o, const char *path, int sweeps)
{
    double few = v->method ? peer_time(v, o, path, FEW) : our_time(v, o, FEW);
    double many = v->method ? peer_time(v, o, path, FEW + sweeps) : our_time(v, o, FEW + sweeps);
    return (many - few) / sweeps;
}

static int add_ours(variant *v, const char *name, const perp_problem *problem, const options *o,
                    double bytes)
{
    size_t n = (size_t)problem->M.rows;
    v->name = name;
    v->problem = *problem;
    v->bytes = bytes;
    v->z = calloc(n + 1, sizeof *v->z);
    v->w = calloc(n + 1, sizeof *v->w);
    perp_status status =
        perp_solver_create(&v->solver, perp_solver_find("gs"), &o->settings, NULL, NULL);
    if (status == PERP_SOLVED && v->z && v->w)
        status = perp_solver_setup(v->solver, &v->problem);
    if (status != PERP_SOLVED || !v->z || !v->w) {
        fprintf(stderr, "%s: %s\n", name, perp_status_text(status));
        return -1;
    }
    return 0;
}

/* As many as take a fifth of a second. */
static int enough_sweeps(variant *v, const options *o)
{
    if (o->sweeps > 0)
        return o->sweeps;
    double seconds = our_time(v, o, FEW);
    int sweeps = seconds > 0.0 ? (int)(0.2 * FEW / seconds) : 0;
    return sweeps < 10 ? 10 : sweeps > 20000 ? 20000 : sweeps;
}

static int print_variants(variant *v, int variants, const options *o)
{
    double peer = NAN;
    for (int k = 0; k < variants && isnan(peer); k++)
        if (v[k].method)
            peer = perp_measure_quantile(v[k].sweep, o->rounds, 0.5);
    printf("  %-22s %12s %12s %12s %8s %12s %8s %10s %10s\n", "", "median us", "fastest us",
           "slowest us", "x 562", "bytes", "GB/s", "% of near", "% of 1 GiB");
    for (int k = 0; k < variants; k++) {
        double median = perp_measure_quantile(v[k].sweep, o->rounds, 0.5);
        printf("  %-22s %12.3f %12.3f %12.3f %8.2f", v[k].name, 1e6 * median, 1e6 * v[k].sweep[0],
               1e6 * v[k].sweep[o->rounds - 1], peer / median);
        if (!v[k].method) {
            double rate = v[k].bytes / median, near = perp_measure_read((size_t)v[k].bytes);
            printf(" %12.0f %8.2f %10.1f %10.1f", v[k].bytes, 1e-9 * rate, 100.0 * rate / near,
                   100.0 * rate / o->far_bandwidth);
        }
        printf("\n");
        if (isnan(median))
            return -1;
    }
    return 0;
}

static int run_variants(variant *v, int variants, const options *o, const char *path)
{
    int sweeps = enough_sweeps(&v[0], o);
    printf("  %d rounds of %d sweeps\n", o->rounds, sweeps);
    for (int r = 0; r < o->rounds; r++) {
        for (int k = 0; k < variants; k++) {
            v[k].sweep[r] = one_sweep(&v[k], o, path, sweeps);
            if (isnan(v[k].sweep[r]))
                return -1;
        }
    }
    return print_variants(v, variants, o);
}

/* The local form as a file that the peer reads. */
static int write_local(char *folder, char *path, size_t size, const perp_problem_file *local)
{
    perp_io_error error = {.line = 0};
    strcpy(folder, "/tmp/perp-sweep-XXXXXX");
    if (!mkdtemp(folder)) {
        folder[0] = '\0';
        return -1;
    }
    snprintf(path, size, "%s/local.hdf5", folder);
    if (perp_problem_file_write(local, path, PERP_FORMAT_AUTO, &error)) {
        snprintf(path, size, "%s/local.dat", folder);
        if (perp_problem_file_write(local, path, PERP_FORMAT_AUTO, &error)) {
            fprintf(stderr, "%s: %s\n", path, error.text);
            return -1;
        }
    }
    return 0;
}

static int measure(perp_problem_file *file, const perp_problem *problem, perp_problem_file *local,
                   const options *o)
{
    variant v[VARIANTS];
    perp_problem local_problem;
    perp_io_error error = {.line = 0};
    char folder[64] = "", path[128] = "";
    int variants = 0;
    memset(v, 0, sizeof v);
    int bad = perp_problem_file_get(local, &local_problem, &error) != PERP_SOLVED ||
              add_ours(&v[variants++], "gs, BSR", &local_problem, o,
                       perp_measure_sweep_bytes(file, &local_problem));
    if (!bad && file != local)
        bad = add_ours(&v[variants++], "gs, DELASSUS", problem, o,
                       perp_measure_sweep_bytes(file, problem));
    if (!bad && o->peer[0] && local->spacedim == 3 && !local->mu_r && !local->has_V) {
        bad = write_local(folder, path, sizeof path, local);
        v[variants].method = "NSGS-QUARTIC";
        v[variants++].name = "Siconos NSGS 562";
        v[variants].method = "NSGS";
        v[variants++].name = "Siconos NSGS default";
    }
    if (!bad) {
        printf("  %d contacts, %d rows, %.0f bytes of matrix and vectors\n", local->contacts,
               local_problem.M.rows, perp_measure_sweep_bytes(file, &local_problem));
        bad = run_variants(v, variants, o, path);
    }
    for (int k = 0; k < variants; k++) {
        perp_solver_destroy(v[k].solver);
        free(v[k].z);
        free(v[k].w);
    }
    if (folder[0]) {
        unlink(path);
        rmdir(folder);
    }
    return bad;
}

static int one_file(const char *path, const options *o)
{
    perp_problem_file *file = NULL, *local = NULL;
    perp_problem problem;
    perp_io_error error = {.line = 0};
    printf("%s\n", path);
    int bad = perp_measure_load(&file, &problem, path);
    if (!bad && file->cls != PERP_CLASS_FRICTION && file->cls != PERP_CLASS_GLOBAL) {
        fprintf(stderr, "%s: not a friction problem\n", path);
        bad = -1;
    }
    if (!bad && file->cls == PERP_CLASS_GLOBAL) {
        bad = perp_problem_file_to_local(&local, file, NULL, &error) != PERP_SOLVED;
        if (bad)
            fprintf(stderr, "%s: %s\n", path, error.text);
    }
    bad = bad || measure(file, &problem, local ? local : file, o);
    perp_problem_file_destroy(local);
    perp_problem_file_destroy(file);
    return bad;
}

int main(int argc, char **argv)
{
    static const size_t far = (size_t)1 << 30;
    options o;
    int bad = 0, first = read_options(&o, argc, argv);
    if (first < 0) {
        fprintf(stderr, "usage: sweep [--sweeps N] [--rounds R] [--cpu K] [--peer PROGRAM|none] "
                        "[--set name=value] FILE...\n");
        return 2;
    }
    if (perp_measure_pin(o.cpu)) {
        fprintf(stderr, "sweep: no such CPU\n");
        return 2;
    }
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    o.far_bandwidth = perp_measure_read(far);
    printf("memory, 1 GiB: read %.2f GB/s, triad %.2f GB/s%s\n", 1e-9 * o.far_bandwidth,
           1e-9 * perp_measure_triad(far), o.peer[0] ? "" : "; no Siconos");
    for (int k = first; k < argc; k++)
        bad |= one_file(argv[k], &o) != 0;
    return bad;
}
