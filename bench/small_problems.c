/* SPDX-License-Identifier: BSD-3-Clause */
/* Thousands of small random problems of every kind through some solvers.
 *
 *     small_problems [--class contact|linear] [--problems N] [--first K] [--seed S] [--solvers A,B]
 *           [--set name=value] [--patience SECONDS] [--cpu K] [--save FOLDER] [--list]
 *
 * A solver `default' is the one that perp_solve() chooses.  Problems are made and solved in
 * a process of their own, restarted where it dies or takes longer than
 * --patience over one solve, so that a crash costs one problem.  Whatever a solver says,
 * the residual of its z is recomputed without the library (small_residual.c).
 *
 * Printed per family and solver: problems, share solved, not solved, of these proven to have no
 * solution (by a certificate that holds), and the counts of what must not be: missed (not solved,
 * though a solution is known to exist: small_solvable.c), false (says "solved", and the error is
 * above tol; or says that there is no solution, and there is one or the certificate does not hold),
 * broken (NaN or a w that is not M z + q), err (an error status), crash and hang; then median and
 * 99th percentile of the microseconds of set-up and solve of those that were solved.  --list prints
 * a line for each one that was not solved; --save writes the problem into a file for perp solve.
 * The exit status is 1 where something was false, broken, an error, a crash or a hang.
 */
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/campaign/solve_clock.h"
#include "bench/measure.h"
#include "bench/small_check.h"

enum { SOLVERS = 32, REFUSED = 1000, CRASHED, HUNG };

typedef struct options {
    const char *solver[SOLVERS];
    small_class cls;
    int solvers, cpu, list;
    long problems, first;
    uint64_t seed;
    double patience;
    const char *folder;
    perp_settings settings;
} options;

/* One message of the child: begin (done 0) or end of a solve. */
typedef struct outcome {
    long index;
    int solver, done;
    int status;                     /* perp_status, or REFUSED, CRASHED, HUNG */
    int iterations, exists, proven; /* proven: the certificate holds */
    double error, away, seconds;
} outcome;

typedef struct tally {
    long runs, solved, proven, missed, false_solved, broken, errors, crashes, hangs, refused;
    double *seconds; /* of the solved ones */
    double worst;    /* error of the unsolved ones */
} tally;

static int read_solvers(options *o, char *text)
{
    for (char *name = strtok(text, ","); name; name = strtok(NULL, ",")) {
        if (o->solvers == SOLVERS || (strcmp(name, "default") && !perp_solver_find(name)))
            return -1;
        o->solver[o->solvers++] = name;
    }
    return o->solvers > 0 ? 0 : -1;
}

static int read_class(options *o, const char *name)
{
    o->cls = strcmp(name, "linear") == 0 ? SMALL_OF_LINEAR : SMALL_OF_CONTACTS;
    return o->cls == SMALL_OF_LINEAR || strcmp(name, "contact") == 0 ? 0 : -1;
}

static int read_options(options *o, int argc, char **argv)
{
    static char chosen[] = "default,gs,nsn";
    int bad = 0;
    memset(o, 0, sizeof *o);
    o->problems = 1600;
    o->seed = 1;
    o->cpu = -1;
    o->patience = 20.0;
    perp_settings_init(&o->settings, sizeof o->settings);
    for (int k = 1; k < argc && !bad; k++) {
        const char *name = argv[k];
        if (!strcmp(name, "--list")) {
            o->list = 1;
            continue;
        }
        char *value = k + 1 < argc ? argv[++k] : NULL;
        if (!value)
            return -1;
        if (!strcmp(name, "--class"))
            bad = read_class(o, value);
        else if (!strcmp(name, "--problems"))
            o->problems = atol(value);
        else if (!strcmp(name, "--first"))
            o->first = atol(value);
        else if (!strcmp(name, "--seed"))
            o->seed = strtoull(value, NULL, 10);
        else if (!strcmp(name, "--cpu"))
            o->cpu = atoi(value);
        else if (!strcmp(name, "--patience"))
            o->patience = atof(value);
        else if (!strcmp(name, "--save"))
            o->folder = value;
        else if (!strcmp(name, "--solvers"))
            bad = read_solvers(o, value);
        else
            bad = strcmp(name, "--set") || perp_measure_setting(&o->settings, value);
    }
    if (!bad && o->solvers == 0)
        bad = read_solvers(o, chosen);
    return bad || o->problems < 0 || o->first < 0 || !(o->patience > 0.0) ? -1 : 0;
}

/* 1: the solver's certificate holds. */
static int is_proven(const perp_solver *solver, const perp_problem *problem, double *y)
{
    perp_certificate_kind kind;
    perp_certificate_figures figures = {.size = sizeof figures};
    return perp_solver_certificate(solver, problem->M.rows, &kind, y) == PERP_SOLVED &&
           perp_certificate_check(problem, kind, y, NULL, &figures) == PERP_SOLVED &&
           (figures.holds || figures.reach > 0.0);
}

static perp_status solve_timed(outcome *out, const options *o, const small_problem *p, double *z,
                               double *w)
{
    const char *name = o->solver[out->solver];
    perp_solver *solver = NULL;
    perp_info info = {.size = sizeof info};
    perp_bench_stopwatch start = perp_bench_start();
    const perp_solver_type *type =
        strcmp(name, "default") ? perp_solver_find(name) : perp_solver_choose(&p->problem);
    perp_status status = perp_solver_create(&solver, type, &o->settings, NULL, NULL);
    if (status == PERP_SOLVED)
        status = perp_solver_setup(solver, &p->problem);
    if (status == PERP_SOLVED)
        status = perp_solver_solve(solver, z, w, &info);
    out->seconds = perp_bench_seconds_since(start);
    out->iterations = info.iterations;
    out->error = out->away = NAN;
    if (status >= 0)
        out->error = small_error(p, z, w, &out->away);
    if (status == PERP_INFEASIBLE || status == PERP_INFEASIBLE_WITHIN)
        out->proven = is_proven(solver, &p->problem, w);
    perp_solver_destroy(solver);
    return status;
}

static void solve_one(outcome *out, const options *o, const small_problem *p, double *z, double *w)
{
    memset(z, 0, (size_t)p->problem.M.rows * sizeof *z);
    memset(w, 0, (size_t)p->problem.M.rows * sizeof *w);
    perp_status status = solve_timed(out, o, p, z, w);
    out->status = status == PERP_ERR_UNSUPPORTED ? REFUSED : (int)status;
    if (status > 0)
        out->exists = small_exists(p);
}

static int tell(int fd, const outcome *out)
{
    return write(fd, out, sizeof *out) == (ssize_t)sizeof *out ? 0 : -1;
}

/* The child: everything from (index, solver) on. */
static void work(const options *o, long index, int solver, int fd)
{
    for (; index < o->first + o->problems; index++, solver = 0) {
        small_problem p;
        double *z = NULL, *w = NULL;
        if (small_make(&p, o->cls, o->seed, index)) {
            fprintf(stderr, "small_problems: problem %ld could not be made\n", index);
            _exit(2);
        }
        z = calloc((size_t)p.problem.M.rows + 1, sizeof *z);
        w = calloc((size_t)p.problem.M.rows + 1, sizeof *w);
        for (; z && w && solver < o->solvers; solver++) {
            outcome out = {.index = index, .solver = solver};
            if (tell(fd, &out))
                _exit(0);
            solve_one(&out, o, &p, z, w);
            out.done = 1;
            if (tell(fd, &out))
                _exit(0);
        }
        free(z);
        free(w);
        small_free(&p);
    }
    _exit(0);
}

static void save(const options *o, const outcome *out)
{
    small_problem p;
    char path[4096];
    if (!o->folder || small_make(&p, o->cls, o->seed, out->index))
        return;
    snprintf(path, sizeof path, "%s/%s-%llu-%ld.dat", o->folder, small_family_name(p.family),
             (unsigned long long)o->seed, out->index);
    if (small_write(&p, path))
        fprintf(stderr, "small_problems: %ld has no file form\n", out->index);
    small_free(&p);
}

static int is_false(const options *o, const outcome *out)
{
    if (out->status == PERP_INFEASIBLE)
        return out->exists || !out->proven;
    return out->status == PERP_SOLVED && !(out->error <= 1.001 * o->settings.tol);
}

static int is_broken(const outcome *out)
{
    return out->status >= 0 && out->status < REFUSED && !(out->away <= 1e-10);
}

static void count(tally *t, const options *o, const outcome *out)
{
    tally *own = &t[(int)small_family_of(o->cls, out->index) * SOLVERS + out->solver];
    int bad_status = out->status < 0, sound = 0;
    if (out->status == REFUSED) {
        own->refused++;
        return;
    }
    own->runs++;
    own->errors += bad_status;
    own->crashes += out->status == CRASHED;
    own->hangs += out->status == HUNG;
    own->broken += is_broken(out);
    own->false_solved += is_false(o, out);
    if (out->status == PERP_SOLVED && !is_false(o, out) && !is_broken(out)) {
        own->seconds[own->solved++] = 1e6 * out->seconds;
        sound = 1;
    } else if (out->error > own->worst) {
        own->worst = out->error;
    }
    if (sound)
        return;
    own->proven += out->status == PERP_INFEASIBLE && !is_false(o, out);
    own->missed += out->exists;
    if (o->list) {
        printf("%ld %s %s: %s, %d iterations, error %.2e, w off %.1e, %.3f s%s\n", out->index,
               small_family_name(small_family_of(o->cls, out->index)), o->solver[out->solver],
               out->status == CRASHED ? "CRASH"
               : out->status == HUNG  ? "HANG"
                                      : perp_status_name((perp_status)out->status),
               out->iterations, out->error, out->away, out->seconds,
               is_false(o, out) ? ", FALSE"
               : is_broken(out) ? ", BROKEN"
               : out->exists    ? ", MISSED"
                                : "");
        fflush(stdout);
    }
    save(o, out);
}

/* One child from (last) on; last becomes the message heard last.  Returns how it ended: 0
 * with all done, or CRASHED, or HUNG. */
static int run_child(const options *o, tally *t, outcome *last, long index, int solver)
{
    int fd[2], status = 0, how = 0;
    if (pipe(fd))
        return CRASHED;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        struct rlimit none = {0, 0};
        setrlimit(RLIMIT_CORE, &none);
        close(fd[0]);
        work(o, index, solver, fd[1]);
    }
    close(fd[1]);
    for (;;) {
        struct pollfd p = {fd[0], POLLIN, 0};
        outcome out;
        int ready = poll(&p, 1, (int)(1000.0 * o->patience));
        if (ready < 0 && errno == EINTR)
            continue;
        if (ready == 0) {
            kill(child, SIGKILL);
            how = HUNG;
            break;
        }
        if (read(fd[0], &out, sizeof out) != (ssize_t)sizeof out)
            break;
        *last = out;
        if (out.done)
            count(t, o, &out);
    }
    close(fd[0]);
    waitpid(child, &status, 0);
    if (how == 0 && !(WIFEXITED(status) && WEXITSTATUS(status) == 0))
        how = CRASHED;
    return how;
}

/* 0, or -1 when a child dies between two solves. */
static int run_all(const options *o, tally *t)
{
    long index = o->first;
    int solver = 0;
    for (;;) {
        outcome last = {.index = -1};
        int how = run_child(o, t, &last, index, solver);
        if (how == 0)
            return 0;
        if (last.index < 0 || last.done)
            return -1;
        last.status = how;
        last.error = last.away = NAN;
        count(t, o, &last);
        index = last.index;
        solver = last.solver + 1;
    }
}

static void add(tally *sum, const tally *t)
{
    for (long k = 0; k < t->solved; k++)
        sum->seconds[sum->solved + k] = t->seconds[k];
    sum->runs += t->runs;
    sum->solved += t->solved;
    sum->proven += t->proven;
    sum->missed += t->missed;
    sum->false_solved += t->false_solved;
    sum->broken += t->broken;
    sum->errors += t->errors;
    sum->crashes += t->crashes;
    sum->hangs += t->hangs;
    sum->refused += t->refused;
    sum->worst = fmax(sum->worst, t->worst);
}

static void print_line(const char *family, const char *solver, tally *t)
{
    printf("%-12s %-14s %7ld %8.3f %6ld %6ld %6ld %6ld %6ld %5ld %5ld %5ld %7ld ", family, solver,
           t->runs, t->runs ? 100.0 * (double)t->solved / (double)t->runs : 0.0,
           t->runs - t->solved, t->proven, t->missed, t->false_solved, t->broken, t->errors,
           t->crashes, t->hangs, t->refused);
    if (t->solved > 0)
        printf("%9.1f %10.1f", perp_measure_quantile(t->seconds, (int)t->solved, 0.5),
               perp_measure_quantile(t->seconds, (int)t->solved, 0.99));
    printf("%s", t->worst > 0.0 ? "" : "\n");
    if (t->worst > 0.0)
        printf(" %9.1e\n", t->worst);
}

static int print_all(const options *o, tally *t, double *scratch)
{
    int bad = 0;
    printf("seed %llu, problems %ld to %ld, tol %g\n", (unsigned long long)o->seed, o->first,
           o->first + o->problems - 1, o->settings.tol);
    printf("%-12s %-14s %7s %8s %6s %6s %6s %6s %6s %5s %5s %5s %7s %9s %10s %9s\n", "family",
           "solver", "runs", "% solved", "not", "proven", "missed", "false", "broken", "err",
           "crash", "hang", "refused", "median us", "99% us", "worst");
    for (int s = 0; s < o->solvers; s++) {
        tally all = {.seconds = scratch};
        for (int f = 0; f < SMALL_FAMILIES; f++) {
            tally *own = &t[f * SOLVERS + s];
            add(&all, own);
            if (own->runs + own->refused > 0)
                print_line(small_family_name((small_family)f), o->solver[s], own);
        }
        print_line("all", o->solver[s], &all);
        bad |= all.false_solved || all.broken || all.errors || all.crashes || all.hangs;
    }
    return bad;
}

int main(int argc, char **argv)
{
    options o;
    if (read_options(&o, argc, argv)) {
        fprintf(stderr,
                "usage: small_problems [--class contact|linear] [--problems N] [--first K] [--seed "
                "S] [--solvers A,B] "
                "[--set name=value] [--patience S] [--cpu K] [--save FOLDER] [--list]\n");
        return 2;
    }
    size_t cells = (size_t)SMALL_FAMILIES * SOLVERS;
    size_t each = (size_t)o.problems / SMALL_LINEAR_FAMILIES + 1;
    tally *t = calloc(cells, sizeof *t);
    double *seconds = calloc(each * cells, sizeof *seconds);
    double *scratch = calloc((size_t)o.problems + 1, sizeof *scratch);
    if (!t || !seconds || !scratch || perp_measure_pin(o.cpu)) {
        fprintf(stderr, "small_problems: no memory, or no such CPU\n");
        return 2;
    }
    for (size_t k = 0; k < cells; k++)
        t[k].seconds = seconds + k * each;
    signal(SIGPIPE, SIG_IGN);
    int bad = run_all(&o, t) ? 2 : 0;
    if (bad)
        fprintf(stderr, "small_problems: a child died between two solves\n");
    int found = print_all(&o, t, scratch);
    free(t);
    free(seconds);
    free(scratch);
    return bad ? bad : found;
}
