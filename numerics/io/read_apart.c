/* SPDX-License-Identifier: BSD-3-Clause */
/* HDF5 files read by a child process.
 *
 * HDF5 1.10 may crash in its own clean-up where memory runs out, and on files made for that.  The
 * child reads by perp_problem_file_read() under limits and sends what it has through a pipe; the
 * parent believes nothing of it: sizes are compared with what they have to be before memory is
 * taken, and the whole is checked as a file that a caller filled.  No signal is caught or sent: the
 * kernel ends a child that exceeds its limits, and what counts is whether the message is whole. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/float_environment.h"
#include "core/sized.h"
#include "io/failure.h"
#include "io/problem_file.h"

static const double least_bytes = 4294967296.0, bytes_of_each = 1200.0;
static const double least_seconds = 60.0, bytes_of_second = 1e7;
static const char whole[8] = "perp end";

typedef struct channel {
    int fd;
    int broken;
    double most; /* bytes that may be taken still */
    perp_heap *heap;
} channel;

static void put(channel *c, const void *data, size_t bytes)
{
    const char *at = data;
    while (bytes > 0 && !c->broken) {
        ssize_t n = write(c->fd, at, bytes);
        if (n < 0 && errno == EINTR)
            continue;
        c->broken = n <= 0;
        at += n > 0 ? n : 0;
        bytes -= n > 0 ? (size_t)n : 0;
    }
}

static int get(channel *c, void *data, size_t bytes)
{
    char *at = data;
    while (bytes > 0 && !c->broken) {
        ssize_t n = read(c->fd, at, bytes);
        if (n < 0 && errno == EINTR)
            continue;
        c->broken = n <= 0;
        at += n > 0 ? n : 0;
        bytes -= n > 0 ? (size_t)n : 0;
    }
    return !c->broken;
}

/* NULL: no memory, or not whole. */
static void *get_array(channel *c, size_t count, size_t size)
{
    void *data = NULL;
    if ((double)count * (double)size <= c->most)
        data = perp_heap_take(c->heap, count, size);
    c->most -= (double)count * (double)size;
    c->broken |= !data;
    return data && get(c, data, count * size) ? data : NULL;
}

typedef struct mat_head {
    int present, kind, rows, cols, block, entries;
} mat_head;

static mat_head head_of(const perp_mat *A)
{
    mat_head h = {0, (int)A->kind, A->rows, A->cols, 1, 0};
    switch (A->kind) {
    case PERP_DENSE:
        h.present = A->as.dense.x != NULL;
        break;
    case PERP_CSC:
        h.present = A->as.csc.colptr != NULL;
        h.entries = h.present ? A->as.csc.colptr[A->cols] : 0;
        break;
    case PERP_BSR:
        h.present = A->as.bsr.rowptr != NULL;
        h.block = A->as.bsr.block;
        h.entries = h.present ? A->as.bsr.rowptr[A->rows / h.block] : 0;
        break;
    default:
        break;
    }
    return h;
}

static void put_mat(channel *c, const perp_mat *A)
{
    mat_head h = head_of(A);
    size_t entries = (size_t)h.entries, square = (size_t)h.block * (size_t)h.block;
    put(c, &h, sizeof h);
    if (!h.present)
        return;
    if (A->kind == PERP_DENSE)
        for (int j = 0; j < A->cols; j++)
            put(c, A->as.dense.x + (size_t)j * (size_t)A->as.dense.ld,
                (size_t)A->rows * sizeof(double));
    if (A->kind == PERP_CSC) {
        put(c, A->as.csc.colptr, ((size_t)A->cols + 1) * sizeof(int));
        put(c, A->as.csc.row, entries * sizeof(int));
        put(c, A->as.csc.x, entries * sizeof(double));
    }
    if (A->kind == PERP_BSR) {
        put(c, A->as.bsr.rowptr, ((size_t)(A->rows / h.block) + 1) * sizeof(int));
        put(c, A->as.bsr.col, entries * sizeof(int));
        put(c, A->as.bsr.x, entries * square * sizeof(double));
    }
}

static void get_mat(channel *c, perp_mat *A)
{
    mat_head h;
    memset(A, 0, sizeof *A);
    if (!get(c, &h, sizeof h) || !h.present)
        return;
    int explicit_kind = h.kind == PERP_DENSE || h.kind == PERP_CSC || h.kind == PERP_BSR;
    if (!explicit_kind || h.rows < 0 || h.cols < 0 || h.entries < 0 || h.block < 1 || h.block > 6 ||
        h.rows % h.block != 0) {
        c->broken = 1;
        return;
    }
    size_t entries = (size_t)h.entries, square = (size_t)h.block * (size_t)h.block;
    int lines = h.kind == PERP_CSC ? h.cols : h.rows / h.block;
    if (h.kind == PERP_DENSE) {
        double *x = get_array(c, (size_t)h.rows * (size_t)h.cols, sizeof *x);
        c->broken |= !x || perp_mat_init_dense(A, h.rows, h.cols, x, h.rows > 0 ? h.rows : 1);
        return;
    }
    int *ptr = get_array(c, (size_t)lines + 1, sizeof *ptr);
    int *index = get_array(c, entries, sizeof *index);
    double *x = get_array(c, entries * square, sizeof *x);
    if (c->broken || ptr[lines] != h.entries)
        c->broken = 1;
    else if (h.kind == PERP_CSC)
        c->broken |= perp_mat_init_csc(A, h.rows, h.cols, ptr, index, x) != PERP_SOLVED;
    else
        c->broken |= perp_mat_init_bsr(A, lines, h.block, ptr, index, x) != PERP_SOLVED;
}

/* The vectors of a problem with friction, and their lengths. */
enum { VECTORS = 5 };

static void list_vectors(perp_problem_file *file, double ***at, size_t *count)
{
    size_t rows = (size_t)file->spacedim * (size_t)file->contacts;
    int global = file->cls == PERP_CLASS_GLOBAL;
    double **vectors[VECTORS] = {&file->q, &file->w, &file->b, &file->mu, &file->mu_r};
    size_t counts[VECTORS] = {global ? (size_t)file->dofs : rows, rows, (size_t)file->bilateral,
                              (size_t)file->contacts, (size_t)file->contacts};
    memcpy(at, vectors, sizeof vectors);
    memcpy(count, counts, sizeof counts);
}

static void put_file(channel *c, perp_problem_file *file)
{
    double **at[VECTORS];
    size_t count[VECTORS];
    put(c, file, sizeof *file);
    put_mat(c, &file->M);
    put_mat(c, &file->H);
    put_mat(c, &file->G);
    put_mat(c, &file->V);
    put_mat(c, &file->R);
    list_vectors(file, at, count);
    for (int k = 0; k < VECTORS; k++)
        if (*at[k])
            put(c, *at[k], count[k] * sizeof(double));
    put(c, whole, sizeof whole);
}

static int sizes_are_sound(const perp_problem_file *file)
{
    return (file->cls == PERP_CLASS_FRICTION || file->cls == PERP_CLASS_GLOBAL) &&
           file->spacedim >= 2 && file->spacedim <= 5 && file->contacts >= 0 &&
           file->contacts <= INT_MAX / 5 && file->dofs >= 0 && file->bilateral >= 0;
}

/* Into a new file. */
static void get_file(channel *c, perp_problem_file *file)
{
    perp_problem_file sent;
    double **at[VECTORS], **from[VECTORS];
    size_t count[VECTORS];
    char end[sizeof whole];
    void *owner = file->owner;
    if (!get(c, &sent, sizeof sent))
        return;
    if (!sizes_are_sound(&sent)) {
        c->broken = 1;
        return;
    }
    *file = (perp_problem_file){.cls = sent.cls,
                                .spacedim = sent.spacedim,
                                .contacts = sent.contacts,
                                .dofs = sent.dofs,
                                .bilateral = sent.bilateral,
                                .has_V = sent.has_V != 0,
                                .has_G = sent.has_G != 0,
                                .owner = owner};
    memcpy(file->title, sent.title, sizeof file->title - 1);
    memcpy(file->note, sent.note, sizeof file->note - 1);
    get_mat(c, &file->M);
    get_mat(c, &file->H);
    get_mat(c, &file->G);
    get_mat(c, &file->V);
    get_mat(c, &file->R);
    list_vectors(file, at, count);
    list_vectors(&sent, from, count);
    for (int k = 0; k < VECTORS && !c->broken; k++)
        if (*from[k])
            *at[k] = get_array(c, count[k], sizeof(double));
    if (!get(c, end, sizeof end) || memcmp(end, whole, sizeof whole) != 0)
        c->broken = 1;
}

static void limit(int what, double most)
{
    struct rlimit now;
    if (getrlimit(what, &now) != 0)
        return;
    rlim_t wanted = most < 9e18 ? (rlim_t)most : RLIM_INFINITY;
    if (now.rlim_cur == RLIM_INFINITY || wanted < now.rlim_cur)
        now.rlim_cur = wanted;
    setrlimit(what, &now);
}

/* The child keeps to itself: no words, no core, no more memory and time than that. */
static void confine(const perp_read_limits *limits)
{
    int nothing = open("/dev/null", O_RDWR);
    if (nothing >= 0) {
        dup2(nothing, STDOUT_FILENO);
        dup2(nothing, STDERR_FILENO);
    }
    limit(RLIMIT_CORE, 0.0);
    limit(RLIMIT_CPU, limits->seconds + 1.0);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    limit(RLIMIT_AS, limits->bytes);
#endif
}

static void choose_limits(perp_read_limits *own, const char *path)
{
    struct stat st;
    double bytes = stat(path, &st) == 0 ? (double)st.st_size : 0.0;
    if (!(own->bytes > 0.0))
        own->bytes = least_bytes + bytes_of_each * bytes;
    if (!(own->seconds > 0.0))
        own->seconds = least_seconds + bytes / bytes_of_second;
}

/* How the child ended, where its message is not whole. */
static perp_status explain(perp_io_error *error, const char *path, int known, int ended,
                           const perp_read_limits *limits)
{
    if (known && WIFSIGNALED(ended) && WTERMSIG(ended) == SIGXCPU)
        return perp_io_fail(error, PERP_ERR_FORMAT, path, 0, "HDF5 did not end within %g s",
                            limits->seconds);
    if (known && WIFSIGNALED(ended))
        return perp_io_fail(error, PERP_ERR_FORMAT, path, 0, "HDF5 died on it (signal %d)",
                            WTERMSIG(ended));
    return perp_io_fail(error, PERP_ERR_FORMAT, path, 0, "the process that read it did not end well");
}

/* What one side does with the file or the vector. */
typedef struct task {
    const char *path;
    perp_problem_class cls;
    const perp_allocator *allocator;
    perp_problem_file *file; /* to fill; or whose solution is read */
    double *z;               /* NULL: a problem */
} task;

static void child(int fd, const task *t)
{
    channel c = {.fd = fd};
    perp_io_error error = {0};
    perp_problem_file *file = NULL;
    perp_status status =
        t->z ? perp_solution_read(t->file, t->path, t->z, &error)
             : perp_problem_file_read(&file, t->path, t->cls, t->allocator, &error);
    put(&c, &status, sizeof status);
    put(&c, &error, sizeof error);
    if (status == PERP_SOLVED && t->z) {
        put(&c, t->z, (size_t)perp_problem_file_rows(t->file) * sizeof(double));
        put(&c, whole, sizeof whole);
    } else if (status == PERP_SOLVED) {
        put_file(&c, file);
    }
    _exit(0);
}

/* 1: the message is whole, with its status and error. */
static int listen_to(int fd, const task *t, double most, perp_status *status, perp_io_error *error)
{
    channel c = {fd, 0, most, perp_problem_file_heap(t->file)};
    char end[sizeof whole];
    if (!get(&c, status, sizeof *status) || !get(&c, error, sizeof *error))
        return 0;
    error->text[sizeof error->text - 1] = '\0';
    if (*status > 0)
        return 0;
    if (*status < 0)
        return 1;
    if (!t->z) {
        get_file(&c, t->file);
        return !c.broken;
    }
    return get(&c, t->z, (size_t)perp_problem_file_rows(t->file) * sizeof(double)) &&
           get(&c, end, sizeof end) && memcmp(end, whole, sizeof whole) == 0;
}

static perp_status run(const task *t, const perp_read_limits *limits, perp_io_error *error)
{
    int fd[2], ended = 0, known;
    perp_status status = PERP_ERR_FORMAT;
    perp_io_error own = {0};
    if (pipe(fd) != 0)
        return perp_io_fail(error, PERP_ERR_MEMORY, t->path, 0, "no pipe to a process");
    pid_t pid = fork();
    if (pid == 0) {
        close(fd[0]);
        confine(limits);
        child(fd[1], t);
    }
    close(fd[1]);
    if (pid < 0) {
        close(fd[0]);
        return perp_io_fail(error, PERP_ERR_MEMORY, t->path, 0, "no process to read it in");
    }
    int heard = listen_to(fd[0], t, limits->bytes, &status, &own);
    close(fd[0]);
    do
        known = waitpid(pid, &ended, 0) == pid;
    while (!known && errno == EINTR);
    if (!heard)
        return explain(error, t->path, known, ended, limits);
    if (error)
        *error = own;
    return status;
}

static perp_status read_limits(perp_read_limits *own, const perp_read_limits *limits,
                               const char *path)
{
    *own = (perp_read_limits){.size = sizeof *own};
    if (limits && perp_sized_read(own, sizeof *own, limits) != PERP_SOLVED)
        return PERP_ERR_ARGUMENT;
    choose_limits(own, path);
    return PERP_SOLVED;
}

perp_status perp_problem_file_read_apart(perp_problem_file **file, const char *path,
                                         perp_problem_class cls, const perp_read_limits *limits,
                                         const perp_allocator *allocator, perp_io_error *error)
{
    PERP_HOLD_ENVIRONMENT();
    perp_read_limits own;
    if (!file || !path || !perp_is_hdf5(path))
        return perp_problem_file_read(file, path, cls, allocator, error);
    if (error)
        *error = (perp_io_error){0};
    *file = NULL;
    if (read_limits(&own, limits, path) != PERP_SOLVED)
        return perp_io_fail(error, PERP_ERR_ARGUMENT, NULL, 0, "the limits have no size");
    task t = {.path = path, .cls = cls, .allocator = allocator};
    perp_status status = perp_problem_file_create(&t.file, allocator);
    if (status)
        return perp_io_fail(error, status, path, 0, "no memory");
    status = run(&t, &own, error);
    if (status == PERP_SOLVED)
        status = perp_problem_file_check(t.file, error);
    if (status)
        perp_problem_file_destroy(t.file);
    else
        *file = t.file;
    return status;
}

perp_status perp_solution_read_apart(perp_problem_file *file, const char *path,
                                     const perp_read_limits *limits, double *z,
                                     perp_io_error *error)
{
    PERP_HOLD_ENVIRONMENT();
    perp_read_limits own;
    if (!file || !path || !z || !perp_is_hdf5(path))
        return perp_solution_read(file, path, z, error);
    if (error)
        *error = (perp_io_error){0};
    if (read_limits(&own, limits, path) != PERP_SOLVED)
        return perp_io_fail(error, PERP_ERR_ARGUMENT, NULL, 0, "the limits have no size");
    return run(&(task){.path = path, .file = file, .z = z}, &own, error);
}
