/* SPDX-License-Identifier: BSD-3-Clause */
/* What runs in C between a solve and Python, so that the interpreter is asked twenty times a second
 * (or at each progress, where a function of the user wants that) and not at each measurement. */
#include <stdint.h>
#include <time.h>

static int perp_py_ask(void *, const perp_progress *);
static int perp_py_scene_ask(void *);

typedef struct perp_py_watch {
    double next; /* when Python is asked again; 0: counted from the first look */
    int every;   /* 1: ask each time */
    int stopped; /* 1: the answer was to stop, and it stays */
    void *handle;
    perp_mat matrix; /* of the last set-up, and what its index arrays held then */
    unsigned long long starts, entries;
    const int *changes; /* of its mass: how often it got new numbers; NULL: it has none */
    int changes_seen;
} perp_py_watch;

/* Beside the statuses of C: what perp_py_solve() refuses. */
enum { PERP_PY_UNALIGNED = -10001, PERP_PY_PATTERN = -10002, PERP_PY_MASS = -10003 };

static double perp_py_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int perp_py_is_time(perp_py_watch *watch)
{
    const double pause = 0.05, now = perp_py_now();
    if (watch->every)
        return 1;
    if (watch->next != 0.0 && now >= watch->next) {
        watch->next = now + pause;
        return 1;
    }
    if (watch->next == 0.0)
        watch->next = now + pause;
    return 0;
}

static int perp_py_progress(void *ctx, const perp_progress *progress)
{
    perp_py_watch *watch = ctx;
    if (!watch->stopped && perp_py_is_time(watch))
        watch->stopped = perp_py_ask(watch->handle, progress);
    return watch->stopped;
}

static int perp_py_scene_stop(void *ctx)
{
    perp_py_watch *watch = ctx;
    if (!watch->stopped && perp_py_is_time(watch))
        watch->stopped = perp_py_scene_ask(watch->handle);
    return watch->stopped;
}

static int perp_py_scene_progress(void *ctx, perp_scene *scene, const perp_scene_run_info *info)
{
    (void)scene;
    (void)info;
    return perp_py_scene_stop(ctx);
}

/* Index arrays of the user that change under a handle would lead it out of its memory. */
static unsigned long long perp_py_sum(const int *x, long long count)
{
    unsigned long long a = 0x9e3779b97f4a7c15u, b = (unsigned long long)count;
    for (long long k = 0; k < count; k++) {
        a = (a ^ (unsigned)x[k]) * 0x100000001b3u;
        b += a;
    }
    return b ^ (a >> 29);
}

static int perp_py_pattern(const perp_mat *A, const int **start, const int **entry)
{
    switch (A->kind) {
    case PERP_CSC:
        *start = A->as.csc.colptr;
        *entry = A->as.csc.row;
        return A->cols;
    case PERP_BSR:
        *start = A->as.bsr.rowptr;
        *entry = A->as.bsr.col;
        return A->rows / A->as.bsr.block;
    case PERP_DELASSUS:
        *start = A->as.delassus.colptr;
        *entry = A->as.delassus.row;
        return A->cols;
    default:
        return -1;
    }
}

/* After each set-up and update. */
static void perp_py_remember(perp_py_watch *watch, const perp_mat *A, const int *changes)
{
    const int *start, *entry, count = perp_py_pattern(A, &start, &entry);
    watch->matrix = *A;
    watch->changes = changes;
    watch->changes_seen = changes != NULL ? *changes : 0;
    if (count >= 0) {
        watch->starts = perp_py_sum(start, (long long)count + 1);
        watch->entries = perp_py_sum(entry, start[count]);
    }
}

static int perp_py_changed(const perp_py_watch *watch)
{
    const int *start, *entry, count = perp_py_pattern(&watch->matrix, &start, &entry);
    if (watch->changes != NULL && *watch->changes != watch->changes_seen)
        return PERP_PY_MASS;
    return count >= 0 && (watch->starts != perp_py_sum(start, (long long)count + 1) ||
                          watch->entries != perp_py_sum(entry, start[count]))
               ? PERP_PY_PATTERN
               : 0;
}

/* A solve with a new q (NULL: the last one) in one call.  memory: z, w, and a perp_info, whose size is
 * 0 where q is refused. */
static int perp_py_solve(perp_solver *solver, perp_py_watch *watch, const double *q, double *memory, int n)
{
    perp_info *info = (perp_info *)(void *)(memory + 2 * (size_t)n);
    int status = (uintptr_t)q % sizeof *q != 0 ? PERP_PY_UNALIGNED : perp_py_changed(watch);
    if (status == 0 && q != NULL)
        status = (int)perp_solver_update_q(solver, q);
    info->size = status < 0 ? 0 : sizeof *info;
    if (status < 0)
        return status;
    watch->next = 0.0;
    watch->stopped = 0;
    return (int)perp_solver_solve(solver, memory, memory + n, info);
}

/* Seconds that `repeats` solves with a new q take in C alone: what a call from Python is measured
 * against. */
static double perp_py_time_solves(perp_solver *solver, const double *q, double *z, double *w,
                                  perp_info *info, int repeats)
{
    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (int k = 0; k < repeats; k++) {
        perp_solver_update_q(solver, q);
        perp_solver_solve(solver, z, w, info);
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    return (double)(end.tv_sec - start.tv_sec) + 1e-9 * (double)(end.tv_nsec - start.tv_nsec);
}

/* Threads of OpenMP do not live on in a child of fork, and libgomp waits for them there for ever: they
 * end before, and come back where the next solve asks for them.  Weak: Perp may be without OpenMP. */
extern int omp_pause_resource_all(int) __attribute__((weak));

static void perp_py_before_fork(void)
{
    const int soft = 1; /* omp_pause_soft: settings stay */
    if (omp_pause_resource_all != NULL)
        omp_pause_resource_all(soft);
}
