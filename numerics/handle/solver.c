/* SPDX-License-Identifier: BSD-3-Clause */
/* What is common to every solver: checks, memory, warm start, clock, call,
 * the residual recomputed, info. */
#include "core/float_environment.h"
#include "handle/solver_handle.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "core/clock.h"
#include "core/sized.h"
#include "handle/costs.h"
#include "handle/explain.h"
#include "handle/few_rows.h"
#include "handle/settings_table.h"

/* An error: its place, and a sentence about it.  problem is the one that was given, or NULL. */
static perp_status fail_at(perp_solver *solver, perp_status status, const perp_where *where,
                           const perp_problem *problem)
{
    solver->info.status = status;
    solver->info.where = *where;
    perp_explain(solver->info.detail, status, where, problem, NULL, solver->type->name);
    return status;
}

perp_status perp_solver_fail(perp_solver *solver, perp_status status, const char *what)
{
    perp_where where = solver->info.where;
    if (what)
        where = (perp_where){what, -1, -1};
    if (!what && solver->info.detail[0]) {
        solver->info.status = status;
        return status;
    }
    return fail_at(solver, status, &where, NULL);
}

static perp_status refuse_argument(perp_solver *solver, const char *what, const char *sentence)
{
    perp_solver_fail(solver, PERP_ERR_ARGUMENT, what);
    snprintf(solver->info.detail, sizeof solver->info.detail, "%s", sentence);
    return PERP_ERR_ARGUMENT;
}

static size_t bytes_held(const perp_solver *solver)
{
    return solver->arena.bytes + solver->work.outside_bytes + sizeof *solver;
}

/* All but the stages, of which there are none from now on. */
static void info_clear(perp_solver *solver)
{
    perp_info *info = &solver->info;
    double setup_seconds = info->setup_seconds, flops = info->flops;
    memset(info, 0, offsetof(perp_info, stages));
    info->size = sizeof *info;
    info->residual.size = sizeof info->residual;
    info->solver = solver->type->name;
    info->where = (perp_where){NULL, -1, -1};
    info->error = NAN;
    info->setup_seconds = setup_seconds;
    info->flops = flops;
    info->bytes = bytes_held(solver);
    info->reach = info->work = 0.0;
}

/* 0 where nobody asks for the time: a look at the clock takes as long as a small solve. */
static double seconds_now(const perp_solver *solver)
{
    const perp_settings *settings = &solver->settings;
    return settings->timing || settings->time_limit > 0.0 || settings->progress
               ? perp_clock_seconds()
               : 0.0;
}

static double seconds_since(const perp_solver *solver, double start)
{
    return solver->settings.timing ? perp_clock_seconds() - start : 0.0;
}

perp_status perp_solver_update_q(perp_solver *solver, const double *q)
{
    PERP_HOLD_ENVIRONMENT();
    if (!solver)
        return PERP_ERR_ARGUMENT;
    if (!solver->ready)
        return perp_solver_fail(solver, PERP_ERR_STATE, "setup");
    int n = solver->work.blocks.n;
    if (n > 0 && !q)
        return perp_solver_fail(solver, PERP_ERR_ARGUMENT, "q");
    double start = seconds_now(solver);
    info_clear(solver);
    for (int i = 0; i < n; i++)
        if (!isfinite(q[i]))
            return fail_at(solver, PERP_ERR_NONFINITE, &(perp_where){"q", -1, i}, NULL);
    solver->problem.q = q;
    if (solver->type->update_q && !solver->deferred) {
        perp_status status = solver->type->update_q(&solver->work);
        solver->ready = status == PERP_SOLVED;
        if (status != PERP_SOLVED)
            return perp_solver_fail(solver, status, NULL);
    }
    solver->info.setup_seconds = seconds_since(solver, start);
    return PERP_SOLVED;
}

/* 1 when `name` is one of the blank-separated words. */
static int has_word(const char *words, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = words; *at;) {
        size_t span = strcspn(at, " ");
        if (span == length && strncmp(at, name, length) == 0)
            return 1;
        at += span + strspn(at + span, " ");
    }
    return 0;
}

/* The last method setting that was changed and is not read. */
static const char *find_unread(const perp_solver_type *type, const perp_settings *settings)
{
    const char *unread = NULL;
    const perp_option *option;
    for (int k = PERP_COMMON_SETTINGS; (option = perp_option_at(&perp_settings_table, k)); k++)
        if (perp_option_changed(settings, option) && !has_word(type->reads, option->info.name))
            unread = option->info.name;
    return unread;
}

perp_status perp_solver_set_settings(perp_solver *solver, const perp_settings *settings)
{
    PERP_HOLD_ENVIRONMENT();
    if (!solver || !settings)
        return PERP_ERR_ARGUMENT;
    /* The same bytes, and so a size that holds them, were checked before. */
    if (settings->size == sizeof *settings &&
        memcmp(settings, &solver->settings, sizeof *settings) == 0)
        return PERP_SOLVED;
    perp_settings own;
    perp_where where = {NULL, -1, -1};
    int method = 0;
    perp_status status =
        perp_settings_read_next(&own, &solver->settings, settings, &method, &where);
    if (status != PERP_SOLVED)
        return perp_solver_fail(solver, status, where.what);
    solver->settings = own;
    if (method)
        solver->unread = find_unread(perp_solver_method(solver->named, &own), &own);
    return PERP_SOLVED;
}

perp_status perp_solver_create(perp_solver **solver, const perp_solver_type *type,
                               const perp_settings *settings, const perp_allocator *allocator,
                               perp_where *where)
{
    PERP_HOLD_ENVIRONMENT();
    if (!solver)
        return PERP_ERR_ARGUMENT;
    *solver = NULL;
    if (where)
        *where = (perp_where){type ? NULL : "type", -1, -1};
    if (!type)
        return PERP_ERR_ARGUMENT;
    perp_settings own;
    if (perp_settings_read(&own, settings, where) != PERP_SOLVED)
        return PERP_ERR_SETTING;
    perp_allocator memory = perp_allocator_or_malloc(allocator);
    perp_solver *made = memory.allocate(memory.ctx, sizeof *made);
    if (!made)
        return PERP_ERR_MEMORY;
    memset(made, 0, sizeof *made);
    made->settings = own;
    made->named = type;
    made->type = perp_solver_method(type, &made->settings);
    made->unread = find_unread(made->type, &made->settings);
    perp_arena_init(&made->arena, &memory);
    info_clear(made);
    *solver = made;
    return PERP_SOLVED;
}

/* Gives back what the solver holds outside the arena. */
static void release(perp_solver *solver)
{
    if (solver->type->release && solver->work.state)
        solver->type->release(&solver->work);
    solver->work = (perp_work){0};
    solver->ready = 0;
}

void perp_solver_destroy(perp_solver *solver)
{
    if (solver) {
        release(solver);
        perp_arena_free(&solver->arena);
        perp_allocator memory = solver->arena.allocator;
        memory.release(memory.ctx, solver);
    }
}

static perp_status refuse(perp_solver *solver, const char *what, const char *refused)
{
    const perp_solver_type *type = solver->type;
    snprintf(solver->info.detail, sizeof solver->info.detail, "%s%s%s does not take %s", type->name,
             type->variant ? " with " : "", type->variant ? type->variant : "", refused);
    solver->info.where = (perp_where){what, -1, -1};
    return solver->info.status = PERP_ERR_UNSUPPORTED;
}

static perp_status check_support(perp_solver *solver, const perp_problem *problem)
{
    const perp_solver_type *type = solver->type;
    if (!perp_method_takes_matrix(type, problem->M.kind))
        return refuse(solver, "M", "this kind of matrix");
    if (perp_solver_misses_diagonal(type, &problem->M))
        return refuse(solver, "diagonal", "an operator without its diagonal");
    for (int s = 0; s < problem->nseg; s++) {
        if (!perp_method_takes_set(type, problem->seg[s].set)) {
            refuse(solver, perp_set_name(problem->seg[s].set), perp_set_name(problem->seg[s].set));
            solver->info.where.segment = s;
            return PERP_ERR_UNSUPPORTED;
        }
    }
    return PERP_SOLVED;
}

/* The arrays that every solver has. */
static perp_status prepare(perp_solver *solver)
{
    perp_work *work = &solver->work;
    perp_arena *arena = &solver->arena;
    work->problem = &solver->problem;
    work->settings = &solver->settings;
    work->arena = arena;
    work->info = &solver->info;
    perp_status status = perp_blocks_build(&work->blocks, work->problem, arena);
    if (status == PERP_SOLVED)
        status = perp_scaling_build(&work->scaling, work->problem, &work->blocks, arena);
    if (status != PERP_SOLVED)
        return perp_solver_fail(solver, status, NULL);
    if (!work->scaling.d && solver->settings.measure == PERP_MEASURE_SCALED)
        return perp_solver_fail(solver, PERP_ERR_UNSUPPORTED, "measure");
    int n = work->blocks.n;
    size_t apart = ((size_t)n + 7) & ~(size_t)7;
    work->z = PERP_TAKE(arena, double, 3 * apart);
    if (!work->z)
        return perp_solver_fail(solver, PERP_ERR_MEMORY, NULL);
    work->w = work->z + apart;
    work->best = work->w + apart;
    work->scratch = work->scaling.low;
    return PERP_SOLVED;
}

/* Entries that the index arrays of a checked matrix name. */
static int stored_entries(const perp_mat *A)
{
    switch (A->kind) {
    case PERP_CSC:
        return A->as.csc.colptr[A->cols];
    case PERP_BSR:
        return A->as.bsr.rowptr[A->rows / A->as.bsr.block];
    case PERP_DELASSUS:
        return A->as.delassus.colptr[A->cols];
    default:
        return 0;
    }
}

static perp_status check(perp_solver *solver, const perp_problem *problem)
{
    perp_allocator memory = solver->arena.allocator;
    perp_where where = {NULL, -1, -1};
    perp_status status = perp_problem_check(problem, &memory, &where);
    return status == PERP_SOLVED ? status : fail_at(solver, status, &where, problem);
}

/* What setup_supported() left undone for the sake of a few rows. */
static perp_status setup_deferred(perp_solver *solver)
{
    solver->deferred = 0;
    perp_status status = solver->type->setup(&solver->work);
    if (status == PERP_SOLVED && solver->arena.failed)
        status = PERP_ERR_MEMORY;
    return status == PERP_SOLVED ? status : perp_solver_fail(solver, status, NULL);
}

static perp_status setup_supported(perp_solver *solver, const perp_problem *problem)
{
    solver->problem = *problem;
    solver->entries = stored_entries(&problem->M);
    perp_status status = prepare(solver);
    if (status != PERP_SOLVED)
        return status;
    solver->few = solver->type->flags & PERP_ROWS_FIRST && perp_few_rows(&solver->work);
    solver->deferred = solver->few && !solver->settings.warm_start;
    return solver->deferred ? PERP_SOLVED : setup_deferred(solver);
}

/* From the beginning, for a problem that was checked. */
static perp_status setup_checked(perp_solver *solver, const perp_problem *problem)
{
    release(solver);
    perp_arena_reset(&solver->arena);
    solver->work.memory = NULL;
    solver->work.memory_bytes = 0;
    perp_status status = setup_supported(solver, problem);
    if (status != PERP_SOLVED)
        release(solver);
    solver->ready = status == PERP_SOLVED;
    return status;
}

/* New settings may have asked for another one. */
static void choose_method(perp_solver *solver)
{
    const perp_solver_type *chosen = perp_solver_method(solver->named, &solver->settings);
    if (chosen != solver->type)
        release(solver);
    solver->type = chosen;
}

perp_status perp_solver_setup(perp_solver *solver, const perp_problem *problem)
{
    PERP_HOLD_ENVIRONMENT();
    if (!solver)
        return PERP_ERR_ARGUMENT;
    if (!problem)
        return perp_solver_fail(solver, PERP_ERR_ARGUMENT, "problem");
    double start = seconds_now(solver);
    choose_method(solver);
    info_clear(solver);
    perp_status status = check(solver, problem);
    if (status == PERP_SOLVED)
        status = check_support(solver, problem);
    if (status == PERP_SOLVED)
        status = setup_checked(solver, problem);
    else
        release(solver);
    solver->info.setup_seconds = seconds_since(solver, start);
    solver->info.bytes = bytes_held(solver);
    return status;
}

/* The arrays of the present problem may be gone, so their size was noted. */
static int same_shape(const perp_solver *solver, const perp_mat *B)
{
    const perp_mat *A = &solver->problem.M;
    return A->kind == B->kind && A->rows == B->rows && A->cols == B->cols &&
           (A->kind != PERP_BSR || A->as.bsr.block == B->as.bsr.block) &&
           (A->kind != PERP_DELASSUS || (A->as.delassus.dofs == B->as.delassus.dofs &&
                                         !A->as.delassus.diagonal == !B->as.delassus.diagonal)) &&
           (A->kind != PERP_OPERATOR || !B->as.op.diagonal == !solver->work.scaling.d) &&
           solver->entries == stored_entries(B);
}

/* The blocks have their new parameters already. */
static perp_status update_checked(perp_solver *solver, const perp_problem *problem)
{
    perp_work *work = &solver->work;
    perp_allocator memory = solver->arena.allocator;
    if (!solver->type->update)
        return setup_checked(solver, problem);
    solver->problem = *problem;
    perp_status status = perp_scaling_update(&work->scaling, problem, &work->blocks, &memory);
    if (status == PERP_SOLVED && !solver->deferred)
        status = solver->type->update(work);
    if (status == PERP_ERR_STATE)
        return setup_checked(solver, problem);
    return status == PERP_SOLVED ? status : perp_solver_fail(solver, status, NULL);
}

perp_status perp_solver_update(perp_solver *solver, const perp_problem *problem)
{
    PERP_HOLD_ENVIRONMENT();
    if (!solver)
        return PERP_ERR_ARGUMENT;
    if (!problem)
        return perp_solver_fail(solver, PERP_ERR_ARGUMENT, "problem");
    if (!solver->ready)
        return perp_solver_fail(solver, PERP_ERR_STATE, "setup");
    double start = seconds_now(solver);
    info_clear(solver);
    perp_status status = check(solver, problem);
    if (status != PERP_SOLVED)
        return status;
    if (!same_shape(solver, &problem->M))
        return refuse_argument(solver, "M",
                               "M has another kind, shape or number of entries than in setup");
    if (perp_blocks_update(&solver->work.blocks, problem) != PERP_SOLVED)
        return refuse_argument(solver, "seg", "the blocks of seg are not those of setup");
    status = update_checked(solver, problem);
    solver->ready = status == PERP_SOLVED;
    solver->info.setup_seconds = seconds_since(solver, start);
    solver->info.bytes = bytes_held(solver);
    return status;
}

perp_status perp_solver_refresh(perp_solver *solver)
{
    if (!solver->ready)
        return perp_solver_fail(solver, PERP_ERR_STATE, "setup");
    perp_problem problem = solver->problem;
    if (!(solver->type->flags & PERP_READS_BLOCKS))
        return perp_solver_update(solver, &problem);
    info_clear(solver);
    return perp_blocks_update(&solver->work.blocks, &problem);
}

static void note_unread(perp_solver *solver)
{
    if (!solver->unread)
        return;
    solver->info.notes |= PERP_NOTE_UNREAD;
    solver->info.where.what = solver->unread;
}

static perp_status first_iterate(perp_solver *solver, const double *z)
{
    perp_work *work = &solver->work;
    size_t n = (size_t)work->blocks.n;
    if (!solver->settings.warm_start) {
        memset(work->z, 0, n * sizeof(double));
    } else {
        for (size_t i = 0; i < n; i++)
            if (!isfinite(z[i]))
                return fail_at(solver, PERP_ERR_NONFINITE, &(perp_where){"z", -1, (int)i}, NULL);
        memcpy(work->z, z, n * sizeof(double));
    }
    memcpy(work->best, work->z, n * sizeof(double));
    return PERP_SOLVED;
}

static void monitor_start(perp_solver *solver, double start)
{
    perp_monitor *monitor = &solver->work.monitor;
    *monitor = (perp_monitor){.solver = solver->type->name, .start = start, .best = INFINITY};
    monitor->best_iteration = -1;
    perp_monitor_begin(monitor, &solver->settings, solver->type, 0);
    solver->work.certificate_kind = PERP_CERTIFICATE_NONE;
}

/* 1 when the last measurement was of just these bits and said solved. */
static int is_certified(const perp_work *work)
{
    const perp_monitor *monitor = &work->monitor;
    return monitor->certified > 0 && monitor->certified == monitor->measures &&
           memcmp(work->z, work->best, sizeof(double) * (size_t)work->blocks.n) == 0 &&
           perp_error_of(work) <= work->settings->tol;
}

/* Of an iterate that did not arrive; z, w and the residuals stay. */
static void note_floor(perp_solver *solver, double error)
{
    perp_work *work = &solver->work;
    memcpy(work->best, work->z, sizeof(double) * (size_t)work->blocks.n);
    solver->info.floor = perp_floor(work);
    if (error <= PERP_FLOORS * solver->info.floor)
        solver->info.notes |= PERP_NOTE_FLOOR;
}

/* The iterate is judged from the problem's arrays, whatever the solver says. */
static perp_status judge(perp_solver *solver, perp_status claimed)
{
    perp_work *work = &solver->work;
    if (claimed < 0)
        return claimed;
    if (claimed == PERP_SOLVED) /* then the note is that of a stage before */
        solver->info.notes &= ~(unsigned)PERP_NOTE_BEST;
    if (claimed == PERP_SOLVED && is_certified(work)) {
        solver->info.error = perp_error_of(work);
        return PERP_SOLVED;
    }
    work->monitor.verdict = PERP_SOLVED;
    double error = perp_measure(work, work->z);
    if (work->monitor.verdict != PERP_SOLVED) {
        for (int i = 0; i < work->blocks.n; i++)
            work->w[i] = NAN;
        solver->info.residual =
            (perp_residuals){sizeof(perp_residuals), NAN, NAN, NAN, NAN, NAN, {0}};
        return work->monitor.verdict;
    }
    solver->info.error = error;
    if (error <= solver->settings.tol)
        return PERP_SOLVED;
    if (!isfinite(error)) {
        perp_explain_not_finite(&solver->info, work->w, work->blocks.n);
        return PERP_ERR_NUMERICAL;
    }
    note_floor(solver, error);
    return claimed == PERP_SOLVED ? PERP_STALLED : claimed;
}

/* Time that no stage has counted is that of the last. */
static void time_last_stage(perp_info *info)
{
    double rest = info->solve_seconds;
    for (int k = 0; k < info->nstages; k++)
        rest -= info->stages[k].seconds;
    if (info->nstages > 0 && rest > 0.0)
        info->stages[info->nstages - 1].seconds += rest;
}

/* A few rows at once take as many steps as they take. */
static int tries_rows(const perp_solver *solver)
{
    const perp_settings *settings = &solver->settings;
    return solver->few && !settings->warm_start && !settings->max_iter && !settings->progress &&
           !(settings->time_limit > 0.0);
}

/* From work->z. */
static perp_status run(perp_solver *solver, double start)
{
    perp_work *work = &solver->work;
    monitor_start(solver, start);
    if (tries_rows(solver)) {
        if (perp_few_rows_solve(work) == PERP_SOLVED)
            return PERP_SOLVED;
        monitor_start(solver, start);
    }
    if (solver->deferred) {
        perp_status status = setup_deferred(solver);
        if (status != PERP_SOLVED) {
            release(solver);
            return status;
        }
    }
    return solver->type->solve(work);
}

/* Both are written, so that neither may be missing or share memory with the other. */
static perp_status check_outputs(perp_solver *solver, const double *z, const double *w)
{
    uintptr_t n = (uintptr_t)solver->work.blocks.n * sizeof *z, a = (uintptr_t)z, b = (uintptr_t)w;
    if (!z || !w)
        return perp_solver_fail(solver, PERP_ERR_ARGUMENT, z ? "w" : "z");
    if (!solver->ready || a + n <= b || b + n <= a)
        return PERP_SOLVED;
    return refuse_argument(solver, "w", "w shares memory with z");
}

perp_status perp_solver_solve(perp_solver *solver, double *z, double *w, perp_info *info)
{
    PERP_HOLD_ENVIRONMENT();
    if (!solver)
        return PERP_ERR_ARGUMENT;
    info_clear(solver);
    if (info && !perp_sized_claim(info))
        return perp_solver_fail(solver, PERP_ERR_ARGUMENT, "size");
    if (check_outputs(solver, z, w) != PERP_SOLVED) {
        if (info)
            perp_sized_write(info, &solver->info, sizeof solver->info);
        return PERP_ERR_ARGUMENT;
    }
    double start = seconds_now(solver);
    perp_work *work = &solver->work;
    perp_status status = PERP_ERR_STATE;
    if (solver->ready)
        status = first_iterate(solver, z);
    else
        perp_solver_fail(solver, status, "setup");
    if (status == PERP_SOLVED) {
        note_unread(solver);
        solver->info.notes |= work->scaling.d ? 0u : (unsigned)PERP_NOTE_NO_SCALED;
        solver->info.notes |= work->scaling.substituted ? (unsigned)PERP_NOTE_SUBSTITUTE : 0u;
        status = judge(solver, run(solver, start));
        solver->info.work = perp_costs_spent(work, solver->info.iterations);
        int proven = status == PERP_INFEASIBLE || status == PERP_INFEASIBLE_WITHIN;
        if (status != PERP_RAY && !proven)
            work->certificate_kind = PERP_CERTIFICATE_NONE;
        solver->info.reach = proven ? work->reach : 0.0;
    }
    solver->info.status = status;
    if (status < 0)
        perp_solver_fail(solver, status, NULL);
    if (status >= 0) {
        memcpy(z, work->z, sizeof(double) * (size_t)work->blocks.n);
        memcpy(w, work->w, sizeof(double) * (size_t)work->blocks.n);
    }
    solver->info.bytes = bytes_held(solver);
    solver->info.solve_seconds = seconds_since(solver, start);
    time_last_stage(&solver->info);
    if (info)
        perp_sized_write(info, &solver->info, sizeof solver->info);
    return status;
}

const perp_info *perp_solver_info(const perp_solver *solver)
{
    return solver ? &solver->info : NULL;
}

perp_status perp_solver_certificate(const perp_solver *solver, int n, perp_certificate_kind *kind,
                                    double *y)
{
    if (!solver || !kind)
        return PERP_ERR_ARGUMENT;
    *kind = solver->work.certificate_kind;
    if (y && *kind != PERP_CERTIFICATE_NONE && *kind != PERP_CERTIFICATE_EXHAUSTED) {
        if (n != solver->work.blocks.n)
            return PERP_ERR_ARGUMENT;
        memcpy(y, solver->work.certificate, sizeof(double) * (size_t)n);
    }
    return PERP_SOLVED;
}
