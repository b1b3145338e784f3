/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/campaign/run_record.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void perp_bench_record_init(perp_bench_record *record)
{
    memset(record, 0, sizeof *record);
    record->n = record->contacts = -1;
    record->nnz = -1.0;
    record->peak_kb = -1;
    record->error = NAN;
    record->residual = (perp_residuals){sizeof(perp_residuals), NAN, NAN, NAN, NAN, NAN, {0}};
}

void perp_bench_status_word(char *word, size_t size, perp_status status)
{
    const char *name = perp_status_name(status);
    size_t k = 0;
    if (!strncmp(name, "PERP_", 5))
        name += 5;
    for (; name[k] && k + 1 < size; k++)
        word[k] = name[k] == '_' ? '-' : (char)tolower((unsigned char)name[k]);
    word[k] = '\0';
}

double perp_bench_error(const perp_residuals *residual, perp_measure_kind measure)
{
    if (measure == PERP_MEASURE_NATURAL || isnan(residual->scaled))
        return residual->natural;
    if (measure == PERP_MEASURE_SCALED)
        return residual->scaled;
    return residual->natural >= residual->scaled ? residual->natural : residual->scaled;
}

static double stored(const perp_mat *A)
{
    switch (A->kind) {
    case PERP_DENSE:
        return (double)A->rows * A->cols;
    case PERP_CSC:
        return A->as.csc.colptr ? (double)A->as.csc.colptr[A->cols] : 0.0;
    case PERP_BSR: {
        int b = A->as.bsr.block;
        return (double)A->as.bsr.rowptr[A->rows / b] * b * b;
    }
    case PERP_DELASSUS:
        return (double)A->as.delassus.colptr[A->cols];
    default:
        return 0.0;
    }
}

double perp_bench_nnz(const perp_problem_file *file, const perp_problem *problem)
{
    double nnz = stored(&problem->M);
    return file->cls == PERP_CLASS_GLOBAL ? nnz + stored(&file->M) : nnz;
}

int perp_bench_write_all(int fd, const char *text, size_t length)
{
    while (length > 0) {
        ssize_t done = write(fd, text, length);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return -1;
        text += done;
        length -= (size_t)done;
    }
    return 0;
}

int perp_bench_tell_size(int fd, int n, int contacts, double nnz)
{
    char line[128];
    int k = snprintf(line, sizeof line, "size %d %d %.0f\n", n, contacts, nnz);
    return perp_bench_write_all(fd, line, (size_t)k);
}

int perp_bench_tell_begin(int fd)
{
    return perp_bench_write_all(fd, "begin\n", 6);
}

int perp_bench_tell_run(int fd, const perp_bench_record *run)
{
    char line[640], note[sizeof run->note];
    size_t k = 0;
    for (; run->note[k]; k++)
        note[k] = iscntrl((unsigned char)run->note[k]) ? ' ' : run->note[k];
    note[k] = '\0';
    int length = snprintf(
        line, sizeof line, "run %s %ld %.17g %.17g %.17g %.17g %.17g %.17g %.9g %.9g %ld %s\n",
        run->status[0] ? run->status : "none", run->iterations, run->residual.natural,
        run->residual.scaled, run->residual.primal, run->residual.dual, run->residual.gap,
        run->error, run->setup, run->solve, run->peak_kb, note);
    return perp_bench_write_all(fd, line, (size_t)length);
}

const char *perp_bench_read_numbers(const char *text, int count, double *x)
{
    for (int k = 0; text && k < count; k++)
        text = perp_number_read(text + strspn(text, " "), &x[k]);
    return text;
}

/* A line of perp_bench_tell_run(); the note where it begins, NULL where it is no such line. */
static const char *read_run(perp_bench_record *run, const char *line)
{
    double x[8];
    int end = 0;
    perp_bench_record_init(run);
    if (sscanf(line, "run %31s %ld%n", run->status, &run->iterations, &end) != 2)
        return NULL;
    line = perp_bench_read_numbers(line + end, 8, x);
    if (!line || sscanf(line, "%ld%n", &run->peak_kb, &end) != 1)
        return NULL;
    run->residual.natural = x[0];
    run->residual.scaled = x[1];
    run->residual.primal = x[2];
    run->residual.dual = x[3];
    run->residual.gap = x[4];
    run->error = x[5];
    run->setup = x[6];
    run->solve = x[7];
    return line[end] == ' ' ? line + end + 1 : "";
}

static int hear_run(perp_bench_record *record, const char *line)
{
    perp_bench_record run;
    const char *note = read_run(&run, line);
    if (!note)
        return -1;
    if (record->repeats++ == 0) {
        memcpy(record->status, run.status, sizeof run.status);
        record->iterations = run.iterations;
        record->residual = run.residual;
        record->error = run.error;
        record->setup = run.setup;
        record->solve = run.solve;
        record->peak_kb = run.peak_kb;
        snprintf(record->note, sizeof record->note, "%s", note);
        return 0;
    }
    if (strcmp(record->status, run.status) || record->iterations != run.iterations)
        snprintf(record->note, sizeof record->note, "repeats differ");
    if (run.setup + run.solve < record->setup + record->solve) {
        record->setup = run.setup;
        record->solve = run.solve;
    }
    return 0;
}

int perp_bench_hear(perp_bench_record *record, const char *line)
{
    int n, contacts, end = 0;
    double nnz;
    if (!strcmp(line, "begin")) {
        record->begun++;
        return 0;
    }
    if (sscanf(line, "size %d %d%n", &n, &contacts, &end) == 2 &&
        perp_bench_read_numbers(line + end, 1, &nnz)) {
        record->n = n;
        record->contacts = contacts;
        record->nnz = nnz;
        return 0;
    }
    return hear_run(record, line);
}

long perp_bench_peak_kb(void)
{
    char line[256];
    long kb = -1;
    FILE *f = fopen("/proc/self/status", "r");
    if (!f)
        return -1;
    while (kb < 0 && fgets(line, sizeof line, f))
        if (sscanf(line, "VmHWM: %ld", &kb) != 1)
            kb = -1;
    fclose(f);
    return kb;
}
