/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* sched_setaffinity */
#include "bench/measure.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Seconds of this process on the processor: waiting for a busy core is no bandwidth. */
static double processor_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double perp_measure_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int perp_measure_pin(int cpu)
{
    cpu_set_t set;
    if (cpu < 0)
        return 0;
    CPU_ZERO(&set);
    CPU_SET((size_t)cpu, &set);
    return sched_setaffinity(0, sizeof set, &set);
}

static int rising(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

double perp_measure_quantile(double *x, int count, double p)
{
    int k = (int)(p * count);
    qsort(x, (size_t)count, sizeof *x, rising);
    if (count % 2 == 0 && 2 * k == count)
        return 0.5 * (x[k - 1] + x[k]);
    return x[k < count ? k : count - 1];
}

size_t perp_measure_mat_bytes(const perp_mat *A)
{
    const size_t real = sizeof(double), index = sizeof(int);
    size_t b, k;
    switch (A->kind) {
    case PERP_DENSE:
        return (size_t)A->rows * (size_t)A->cols * real;
    case PERP_CSC:
        k = (size_t)A->as.csc.colptr[A->cols];
        return k * (real + index) + ((size_t)A->cols + 1) * index;
    case PERP_BSR:
        b = (size_t)A->as.bsr.block;
        k = (size_t)A->as.bsr.rowptr[(size_t)A->rows / b];
        return k * (b * b * real + index) + ((size_t)A->rows / b + 1) * index;
    case PERP_DELASSUS:
        k = (size_t)A->as.delassus.colptr[A->cols];
        return k * (real + index) + ((size_t)A->cols + 1) * index;
    case PERP_OPERATOR:
    default:
        return 0;
    }
}

size_t perp_measure_problem_bytes(const perp_problem *problem)
{
    const size_t real = sizeof(double);
    size_t bytes = perp_measure_mat_bytes(&problem->M) + (size_t)problem->M.rows * real;
    for (int s = 0; s < problem->nseg; s++) {
        const perp_segment *seg = &problem->seg[s];
        for (int p = 0; p < perp_set_parameters(seg->set, seg->dim); p++)
            bytes += real * (seg->stride[p] ? (size_t)seg->count * (size_t)seg->stride[p] : 1);
    }
    return bytes;
}

size_t perp_measure_file_bytes(const perp_problem_file *file, const perp_problem *problem)
{
    size_t bytes = perp_measure_problem_bytes(problem);
    if (file->cls == PERP_CLASS_GLOBAL) {
        bytes += perp_measure_mat_bytes(&file->M) +
                 sizeof(double) * (size_t)(file->dofs + problem->M.rows);
    }
    return bytes;
}

typedef union head {
    size_t bytes;
    max_align_t align;
} head;

static void *count_allocate(void *ctx, size_t bytes)
{
    perp_measure_counter *c = ctx;
    head *h = malloc(sizeof *h + bytes);
    if (!h)
        return NULL;
    h->bytes = bytes;
    c->now += bytes;
    c->peak = c->now > c->peak ? c->now : c->peak;
    return h + 1;
}

static void count_release(void *ctx, void *block)
{
    perp_measure_counter *c = ctx;
    if (block) {
        head *h = (head *)block - 1;
        c->now -= h->bytes;
        free(h);
    }
}

perp_allocator perp_measure_allocator(perp_measure_counter *counter)
{
    return (perp_allocator){count_allocate, count_release, counter};
}

double perp_measure_sweep_bytes(const perp_problem_file *file, const perp_problem *p)
{
    if (p->M.kind != PERP_DELASSUS)
        return (double)perp_measure_problem_bytes(p) + 16.0 * p->M.rows;
    double values = 8.0 * p->M.as.delassus.colptr[p->M.cols];
    double diagonal = 8.0 * file->contacts * file->spacedim * file->spacedim;
    return values + diagonal + 24.0 * p->M.rows + 16.0 * file->dofs;
}

int perp_measure_load(perp_problem_file **file, perp_problem *problem, const char *path)
{
    perp_io_error error = {.line = 0};
    perp_status status = perp_problem_file_read(file, path, PERP_CLASS_AUTO, NULL, &error);
    if (status == PERP_SOLVED)
        status = perp_problem_file_get(*file, problem, &error);
    if (status != PERP_SOLVED) {
        fprintf(stderr, "%s: %s\n", path, error.text[0] ? error.text : perp_status_text(status));
        return -1;
    }
    return 0;
}

int perp_measure_setting(perp_settings *settings, const char *text)
{
    char name[64];
    const char *equal = strchr(text, '=');
    if (equal)
        snprintf(name, sizeof name, "%.*s", (int)(equal - text), text);
    if (!equal || perp_settings_set(settings, name, equal + 1)) {
        fprintf(stderr, "%s: no such setting or value\n", text);
        return -1;
    }
    return 0;
}

long perp_measure_status_kb(const char *name)
{
    char line[256];
    size_t length = strlen(name);
    long kb = -1;
    FILE *f = fopen("/proc/self/status", "r");
    if (!f)
        return -1;
    while (kb < 0 && fgets(line, sizeof line, f))
        if (!strncmp(line, name, length) && line[length] == ':')
            kb = strtol(line + length + 1, NULL, 10);
    fclose(f);
    return kb;
}

/* Eight sums, so that no addition waits for the one before. */
double perp_measure_dot(const double *restrict x, const double *restrict y, size_t n)
{
    double s[8] = {0};
    for (size_t k = 0; k + 8 <= n; k += 8)
        for (size_t j = 0; j < 8; j++)
            s[j] += x[k + j] * y[k + j];
    return s[0] + s[1] + s[2] + s[3] + s[4] + s[5] + s[6] + s[7];
}

void perp_measure_add(double *restrict a, const double *restrict b, const double *restrict c,
                      size_t n, double s)
{
    for (size_t k = 0; k < n; k++)
        a[k] = b[k] + s * c[k];
}

static double *ones(size_t n)
{
    double *x = malloc((n + 8) * sizeof *x);
    for (size_t k = 0; x && k < n + 8; k++)
        x[k] = 1.0;
    return x;
}

/* Seconds of the fastest pass. */
static double fastest_pass(double *a, const double *b, const double *c, size_t n, double *sink)
{
    double best = 1e300, total = 0.0;
    for (int pass = 0; pass < 5 || total < 0.1; pass++) {
        double start = processor_now();
        int inner = n < 65536 ? (int)(65536 / (n + 1)) + 1 : 1;
        for (int k = 0; k < inner; k++) {
            if (c) {
                perp_measure_add(a, b, c, n, 1e-9 * k);
                *sink += a[n / 2];
            } else {
                *sink += perp_measure_dot(a, b, n);
            }
        }
        double seconds = processor_now() - start;
        total += seconds;
        best = seconds / inner < best ? seconds / inner : best;
    }
    return best;
}

static double bandwidth(size_t bytes, size_t arrays)
{
    size_t n = bytes / (arrays * sizeof(double)) / 8 * 8;
    double sink = 0.0, rate = 0.0;
    double *a = ones(n), *b = ones(n), *c = arrays == 3 ? ones(n) : NULL;
    if (a && b && (c || arrays == 2) && n > 0)
        rate = (double)(arrays * n * sizeof(double)) / fastest_pass(a, b, c, n, &sink);
    if (sink < 0.0)
        printf(" ");
    free(a);
    free(b);
    free(c);
    return rate;
}

double perp_measure_read(size_t bytes)
{
    return bandwidth(bytes, 2);
}

double perp_measure_triad(size_t bytes)
{
    return bandwidth(bytes, 3);
}
