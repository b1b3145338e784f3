/* SPDX-License-Identifier: BSD-3-Clause */
/* perp_petsc_solve(): checks, the loop that all methods have, the answer measured again, counts. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/clock.h"
#include "core/float_environment.h"
#include "core/sized.h"
#include "distributed/method.h"

static const perp_petsc_method *const methods[] = {&perp_petsc_auto, &perp_petsc_schwarz,
                                                   &perp_petsc_apgd};
enum { METHODS = sizeof methods / sizeof methods[0] };

const char *perp_petsc_solver_name(int k)
{
    return k >= 0 && k < METHODS ? methods[k]->name : NULL;
}

const char *perp_petsc_solver_summary(int k)
{
    return k >= 0 && k < METHODS ? methods[k]->summary : NULL;
}

/* Number of a method, -1 where there is none of that name. */
static int find(const char *name)
{
    for (int k = 0; k < METHODS; k++)
        if (!name || strcmp(name, methods[k]->name) == 0)
            return k;
    return -1;
}

/* A vector of the caller: divided as q is. */
static perp_status read_vector(const perp_petsc *system, Vec x, double *to, const char *what,
                               perp_petsc_where *where)
{
    PetscInt n;
    const PetscScalar *from;
    if (!x)
        return perp_petsc_at(where, PERP_ERR_ARGUMENT, what, -1);
    if (VecGetLocalSize(x, &n) || n != system->rows)
        return perp_petsc_at(where, PERP_ERR_STRUCTURE, what, -1);
    if (!to)
        return PERP_SOLVED;
    if (VecGetArrayRead(x, &from))
        return perp_petsc_at(where, PERP_ERR_NUMERICAL, what, -1);
    int bad = -1;
    for (int i = 0; i < system->rows; i++) {
        to[i] = from[i];
        if (bad < 0 && !isfinite(to[i]))
            bad = i;
    }
    (void)VecRestoreArrayRead(x, &from);
    return bad < 0 ? PERP_SOLVED : perp_petsc_at(where, PERP_ERR_NONFINITE, what, bad);
}

static perp_status write_vector(const perp_petsc *system, Vec x, const double *from)
{
    PetscScalar *to;
    if (!x)
        return PERP_SOLVED;
    PetscErrorCode code = VecGetArray(x, &to);
    if (code)
        return perp_petsc_status(code);
    if (system->rows > 0)
        memcpy(to, from, (size_t)system->rows * sizeof *to);
    return perp_petsc_status(VecRestoreArray(x, &to));
}

static void clear_where(perp_petsc_where *where)
{
    memset(where, 0, sizeof *where);
    where->rank = where->segment = where->index = -1;
}

/* Collective: numbers that all ranks must have given alike; *which: the first that is not, or -1.
 */
static void compare(MPI_Comm comm, const double *x, int n, int *which)
{
    double both[2 * PERP_SUM_MOST], most[2 * PERP_SUM_MOST];
    for (int i = 0; i < n; i++) {
        both[i] = x[i];
        both[n + i] = -x[i];
    }
    MPI_Allreduce(both, most, 2 * n, MPI_DOUBLE, MPI_MAX, comm);
    *which = -1;
    for (int i = 0; i < n && *which < 0; i++)
        if (most[i] != -most[n + i])
            *which = i;
}

/* The settings that decide; all ranks have the same ones or an error. */
static perp_status agree_on_settings(const perp_petsc *system, const perp_settings *s, int method,
                                     int has_w, perp_petsc_where *where)
{
    static const char *const names[] = {"tol",         "max_iter", "time_limit",   "warm_start",
                                        "measure",     "step",     "stall_window", "check_every",
                                        "solver name", "w"};
    const double x[] = {s->tol,  s->max_iter,     s->time_limit,  s->warm_start, s->measure,
                        s->step, s->stall_window, s->check_every, method,        has_w};
    int which;
    compare(system->comm, x, (int)(sizeof x / sizeof x[0]), &which);
    if (which < 0)
        return PERP_SOLVED;
    clear_where(where);
    snprintf(where->what, sizeof where->what, "%s", names[which]);
    snprintf(where->text, sizeof where->text, "the ranks were given different ones");
    return PERP_ERR_SETTING;
}

static perp_status read_settings(perp_settings *own, const perp_settings *given,
                                 perp_petsc_where *where)
{
    perp_where at = {NULL, -1, -1};
    perp_settings_init(own, sizeof *own);
    if (given && perp_sized_read(own, sizeof *own, given) != PERP_SOLVED)
        return perp_petsc_at(where, PERP_ERR_SETTING, "size", -1);
    perp_status status = perp_settings_check(own, &at);
    return status == PERP_SOLVED ? status
                                 : perp_petsc_at(where, status, at.what ? at.what : "settings", -1);
}

/* The measure that tol is compared with, as of a serial solve. */
static double error_of(const perp_residuals *r, int measure)
{
    if (measure == PERP_MEASURE_NATURAL)
        return r->natural;
    if (measure == PERP_MEASURE_SCALED)
        return r->scaled;
    return fmax(fmax(r->natural, r->scaled), r->dual * r->dual);
}

static void measure(perp_petsc_run *run)
{
    perp_petsc *system = run->system;
    perp_petsc_measure(system, system->z, system->w, &run->residual);
    run->error = error_of(&run->residual, run->settings.measure);
    /* fmax() above passes over a NaN. */
    if (!isfinite(run->residual.natural) || !isfinite(run->residual.scaled))
        run->error = INFINITY;
}

static void keep_best(perp_petsc_run *run)
{
    perp_petsc *system = run->system;
    if (!(run->error < run->best))
        return;
    run->best = run->error;
    if (system->rows > 0)
        memcpy(system->best, system->z, (size_t)system->rows * sizeof(double));
}

/* Collective: callbacks and clocks of all ranks. */
static perp_status limits(perp_petsc_run *run, const char *name, int iteration, double start)
{
    const perp_settings *settings = &run->settings;
    double now[2] = {0.0, 0.0};
    iteration += run->before;
    if (settings->time_limit > 0.0 || settings->progress)
        now[0] = perp_clock_seconds() - start;
    if (settings->progress) {
        perp_progress progress = {sizeof progress, name,      name,  iteration,
                                  run->error,      run->best, now[0]};
        now[1] = settings->progress(settings->progress_ctx, &progress) != 0;
    }
    run->system->load.sums += 1.0;
    run->system->load.sum_bytes += sizeof now;
    perp_petsc_largest(run->system->comm, now, 2);
    if (now[1] > 0.0)
        return PERP_INTERRUPTED;
    return settings->time_limit > 0.0 && now[0] >= settings->time_limit ? PERP_TIME_LIMIT
                                                                        : PERP_SOLVED;
}

typedef struct watch {
    double reference;
    int since, window, max_iter, every;
} watch;

static watch begin_watch(const perp_petsc_run *run, const perp_petsc_method *method)
{
    const perp_settings *s = &run->settings;
    watch w = {.reference = INFINITY};
    w.window = s->stall_window ? s->stall_window : method->stall;
    w.max_iter = s->max_iter ? s->max_iter : method->max_iter;
    w.every = method->check_every ? method->check_every : s->check_every;
    return w;
}

/* After a measurement: PERP_SOLVED means that the loop goes on where the error is above tol. */
static perp_status judge(perp_petsc_run *run, watch *w, const char *name, int iteration,
                         double start)
{
    if (!isfinite(run->error))
        return PERP_STALLED;
    keep_best(run);
    w->since = run->error < 0.5 * w->reference ? 0 : w->since + 1;
    w->reference = w->since ? w->reference : run->error;
    perp_status status = limits(run, name, iteration, start);
    if (status == PERP_SOLVED && w->since >= w->window)
        status = PERP_STALLED;
    return status == PERP_SOLVED && iteration >= w->max_iter ? PERP_ITERATION_LIMIT : status;
}

static perp_status loop(perp_petsc_run *run, const perp_petsc_method *method, double start,
                        int *iterations)
{
    perp_petsc *system = run->system;
    watch w = begin_watch(run, method);
    perp_status status = perp_petsc_product(system, system->z, system->w);
    for (int k = 0; status == PERP_SOLVED; k++) {
        *iterations = k;
        if (k % w.every == 0 || k >= w.max_iter) {
            measure(run);
            if (run->error <= run->settings.tol)
                return PERP_SOLVED;
            status = judge(run, &w, method->name, k, start);
            if (status == PERP_SOLVED && k == 0)
                status = method->begin(run);
            else if (status == PERP_SOLVED && method->watch)
                status = method->watch(run);
        }
        if (status == PERP_SOLVED)
            status = method->step(run);
    }
    return status;
}

/* The best iterate where the last is not within tol, and its measure. */
static perp_status certify(perp_petsc_run *run, perp_status claimed)
{
    perp_petsc *system = run->system;
    if (claimed < 0)
        return claimed;
    if (claimed != PERP_SOLVED && isfinite(run->best)) {
        if (system->rows > 0)
            memcpy(system->z, system->best, (size_t)system->rows * sizeof(double));
    }
    perp_status status = perp_petsc_product(system, system->z, system->w);
    if (status != PERP_SOLVED)
        return status;
    measure(run);
    if (run->error <= run->settings.tol)
        return PERP_SOLVED;
    if (!isfinite(run->error))
        return PERP_ERR_NUMERICAL;
    return claimed == PERP_SOLVED ? PERP_STALLED : claimed;
}

/* Collective: sums over the ranks and the largest share. */
static void add_loads(perp_petsc *system, perp_petsc_info *info)
{
    const perp_petsc_load *own = &system->load;
    double x[] = {own->rows,       own->blocks,   own->unknowns,  own->shared,
                  own->neighbours, own->products, own->sweeps,    own->messages,
                  own->bytes,      own->sums,     own->sum_bytes, own->flops};
    double most = own->flops;
    info->own = *own;
    perp_petsc_sum(system->comm, x, (int)(sizeof x / sizeof x[0]), system->sums);
    perp_petsc_largest(system->comm, &most, 1);
    info->sum = (perp_petsc_load){(int)x[0], (int)x[1], (int)x[2], (int)x[3], (int)x[4], x[5],
                                  x[6],      x[7],      x[8],      x[9],      x[10],     x[11]};
    info->imbalance = x[11] > 0.0 ? most * system->size / x[11] : 1.0;
}

static void reset_load(perp_petsc_load *load)
{
    load->products = load->sweeps = load->messages = load->bytes = 0.0;
    load->sums = load->sum_bytes = load->flops = 0.0;
}

/* One method from system->z; its iterations are added. */
static perp_status attempt(perp_petsc_run *run, const perp_petsc_method *method, double start,
                           perp_petsc_where *where)
{
    perp_petsc *system = run->system;
    int iterations = 0;
    perp_arena_init(&run->arena, &system->arena.allocator);
    run->state = NULL;
    perp_status status = method->setup(run, where);
    if (status == PERP_SOLVED && run->arena.failed)
        status = PERP_ERR_MEMORY;
    status = perp_petsc_agree(system->comm, status, where);
    if (status == PERP_SOLVED)
        status = loop(run, method, start, &iterations);
    if (method->release)
        method->release(run);
    perp_arena_free(&run->arena);
    run->before += iterations;
    return status;
}

/* What is left of the iterations that the caller allows: PERP_SOLVED where the next method may go
 * on, from the best iterate. */
static perp_status prepare_next(perp_petsc_run *run)
{
    perp_petsc *system = run->system;
    if (!isfinite(run->best))
        return PERP_STALLED;
    if (run->settings.max_iter > 0 && run->settings.max_iter <= run->before)
        return PERP_ITERATION_LIMIT;
    if (run->settings.max_iter > 0)
        run->settings.max_iter -= run->before;
    if (system->rows > 0)
        memcpy(system->z, system->best, (size_t)system->rows * sizeof(double));
    return PERP_SOLVED;
}

/* From system->z. */
static perp_status run_method(perp_petsc_run *run, const perp_petsc_method *method,
                              perp_petsc_info *info, perp_petsc_where *where)
{
    perp_petsc *system = run->system;
    double start = perp_clock_seconds();
    reset_load(&system->load);
    run->best = run->error = INFINITY;
    perp_status status = attempt(run, method, start, where);
    for (const perp_petsc_method *next = method->then; status == PERP_STALLED && next;
         next = next->then) {
        int before = run->before;
        status = prepare_next(run);
        if (status != PERP_SOLVED)
            break;
        status = attempt(run, next, start, where);
        snprintf(info->detail, sizeof info->detail,
                 "stalled after %d iterations; %s went on for %d", before, next->name,
                 run->before - before);
    }
    status = certify(run, status);
    info->iterations = run->before;
    info->size = sizeof *info;
    info->status = status;
    info->solver = method->name;
    info->ranks = system->size;
    info->error = run->error;
    info->residual = run->residual;
    info->seconds = run->settings.timing ? perp_clock_seconds() - start : 0.0;
    if (status >= 0)
        add_loads(system, info);
    return status;
}

static perp_status solve(perp_petsc *system, const char *solver, const perp_settings *settings,
                         Vec z, Vec w, perp_petsc_info *info, perp_petsc_where *where)
{
    perp_petsc_run run = {.system = system};
    int method = find(solver);
    perp_status status = read_settings(&run.settings, settings, where);
    if (status == PERP_SOLVED && method < 0)
        status = perp_petsc_at(where, PERP_ERR_SETTING, "solver name", -1);
    if (status == PERP_SOLVED)
        status = read_vector(system, z, run.settings.warm_start ? system->z : NULL, "z", where);
    if (status == PERP_SOLVED && w)
        status = read_vector(system, w, NULL, "w", where);
    status = perp_petsc_agree(system->comm, status, where);
    if (status == PERP_SOLVED)
        status = agree_on_settings(system, &run.settings, method, w != NULL, where);
    if (status != PERP_SOLVED)
        return status;
    if (!run.settings.warm_start && system->rows > 0)
        memset(system->z, 0, (size_t)system->rows * sizeof(double));
    perp_blocks_project(system->z, &system->blocks, system->z);
    status = run_method(&run, methods[method], info, where);
    if (status < 0)
        return status;
    perp_status written = write_vector(system, z, system->z);
    if (written == PERP_SOLVED)
        written = write_vector(system, w, system->w);
    written = perp_petsc_agree(system->comm, written, where);
    return written == PERP_SOLVED ? status : written;
}

perp_status perp_petsc_solve(perp_petsc *system, const char *solver, const perp_settings *settings,
                             Vec z, Vec w, perp_petsc_info *info, perp_petsc_where *where)
{
    PERP_HOLD_ENVIRONMENT();
    perp_petsc_where at;
    perp_petsc_info own;
    memset(&own, 0, sizeof own);
    clear_where(&at);
    if (!system || (info && !perp_sized_claim(info)))
        return PERP_ERR_ARGUMENT;
    perp_petsc_quiet();
    perp_status status = solve(system, solver, settings, z, w, &own, &at);
    perp_petsc_loud();
    if (where)
        *where = at;
    own.status = status;
    own.ranks = system->size;
    if (info)
        perp_sized_write(info, &own, sizeof own);
    return status;
}

static perp_status residual(perp_petsc *system, Vec z, Vec w, perp_residuals *own,
                            perp_petsc_where *where)
{
    perp_status status = read_vector(system, z, system->z, "z", where);
    if (status == PERP_SOLVED && w)
        status = read_vector(system, w, NULL, "w", where);
    status = perp_petsc_agree(system->comm, status, where);
    if (status == PERP_SOLVED)
        status = perp_petsc_product(system, system->z, system->w);
    if (status != PERP_SOLVED)
        return status;
    perp_petsc_measure(system, system->z, system->w, own);
    status = write_vector(system, w, system->w);
    return perp_petsc_agree(system->comm, status, where);
}

perp_status perp_petsc_residual(perp_petsc *system, Vec z, Vec w, perp_residuals *residuals,
                                perp_petsc_where *where)
{
    PERP_HOLD_ENVIRONMENT();
    perp_petsc_where at;
    perp_residuals own = {.size = sizeof own};
    clear_where(&at);
    if (!system || !perp_sized_claim(residuals))
        return PERP_ERR_ARGUMENT;
    perp_petsc_quiet();
    perp_status status = residual(system, z, w, &own, &at);
    perp_petsc_loud();
    if (where)
        *where = at;
    if (status == PERP_SOLVED)
        perp_sized_write(residuals, &own, sizeof own);
    return status;
}
