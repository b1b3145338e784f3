/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/torture/jobs.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "config.h"

#ifdef HAVE_HDF5
#define ENDING ".hdf5"
#else
#define ENDING ".dat"
#endif

const torture_job torture_jobs[] = {
#ifdef HAVE_JANSSON
    {"run", TORTURE_RUN, "d", {"run", "../input/fall.json", "--out", "d", "--checkpoint", "0"}},
#ifdef HAVE_ODE
    {"run-contacts",
     TORTURE_RUN,
     "d",
     {"run", "../input/heap.json", "--out", "d", "--checkpoint", "0", "--problems", "rows>0"}},
#endif
    {"bench-scenes",
     TORTURE_TABLES,
     "d",
     {"bench", "scenes", "--no-peers", "--scenes", "wall:2", "--until", "0.02", "--out", "d"}},
#endif
    {"generate", TORTURE_BYTES, "out" ENDING, {"generate", "boxes", "out" ENDING, "--size", "20"}},
    {"generate-text", TORTURE_BYTES, "out.dat", {"generate", "ladder", "out.dat", "--size", "200"}},
    {"convert",
     TORTURE_BYTES,
     "out" ENDING,
     {"convert", "../input/local.dat", "out" ENDING, "--class", "friction"}},
    {"convert-text", TORTURE_BYTES, "out.dat", {"convert", "../input/p" ENDING, "out.dat"}},
    {"convert-part",
     TORTURE_BYTES,
     "out.mtx",
     {"convert", "../input/p" ENDING, "out.mtx", "--part", "M"}},
    {"solve", TORTURE_BYTES, "z.txt", {"solve", "../input/p" ENDING, "--out", "z.txt"}},
    {"proof", TORTURE_BYTES, "proof.txt", {"solve", "../input/none.dat", "--proof", "proof.txt"}},
    {"bench",
     TORTURE_ROWS,
     "r.csv",
     {"bench", "../input/a.dat", "../input/none.dat", "--solver", "gs,lemke", "--tol", "1e-4,1e-6",
      "--repeat", "1", "--out", "r.csv"}},
    {"bench-report", TORTURE_BYTES, "d", {"bench", "report", "../input/r.csv", "--out", "d"}},
    {"bench-order",
     TORTURE_TABLES,
     "d",
     {"bench", "order", "--no-peers", "--examples", "ball", "--series", "schatzman", "--levels",
      "2", "--phases", "1", "--out", "d"}},
};
const int torture_job_count = sizeof torture_jobs / sizeof torture_jobs[0];

static int put(const char *stage, const char *name, const char *text)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/input/%s", stage, name);
    FILE *f = fopen(path, "w");
    if (f == NULL)
        return -1;
    fputs(text, f);
    return fclose(f);
}

static int make(const char *stage, const char *const *word)
{
    char input[4096];
    torture_process p = {.folder = input, .word = word};
    snprintf(input, sizeof input, "%s/input", stage);
    torture_run(&p);
    if (p.status != 0)
        fprintf(stderr, "torture: %s: %s\n", word[1], p.text);
    return p.status == 0 ? 0 : -1;
}

int torture_inputs(const char *stage)
{
    static const char *const made[][8] = {
        {"generate", "boxes", "p" ENDING, "--size", "20"},
        {"generate", "boxes", "local.dat", "--size", "20", "--form", "local"},
        {"generate", "infeasible", "none.dat", "--size", "30"},
        {"bench", "a.dat", "--solver", "gs,lemke", "--out", "r.csv"}};
    char path[4096];
    snprintf(path, sizeof path, "%s/input", stage);
    if (mkdir(path, 0777) != 0 || put(stage, "a.dat", "1 0 1 1 1 1  2 -1\n") != 0)
        return -1;
    if (put(stage, "fall.json",
            "{\"version\": 1, \"time\": {\"step\": 0.01, \"until\": 0.3}, \"gravity\": [0, 0, "
            "-9.81],\n"
            " \"bodies\": [{\"name\": \"a\", \"shape\": {\"type\": \"sphere\", \"radius\": 0.1}, "
            "\"density\": 1000}],\n \"record\": {\"quantities\": [\"a.q\", \"a.v\", "
            "\"energy\"]}}\n") != 0 ||
        put(stage, "heap.json",
            "{\"version\": 1, \"time\": {\"step\": 0.01, \"until\": 0.2}, \"gravity\": [0, 0, "
            "-9.81],\n"
            " \"bodies\": [{\"name\": \"floor\", \"shape\": {\"type\": \"plane\", \"normal\": [0, "
            "0, "
            "1]}},\n  {\"name\": \"a\", \"shape\": {\"type\": \"sphere\", \"radius\": 0.1}, "
            "\"density\": 1000,\n   \"position\": [0, 0, 0.12], \"copies\": {\"count\": [2, 1, 2], "
            "\"spacing\": [0.19, 0.2, 0.21]}}],\n \"contacts\": {\"mu\": 0.3, \"e\": 0.1},\n"
            " \"record\": {\"quantities\": [\"kinetic\", \"active\"], \"certify\": true}}\n") != 0)
        return -1;
    for (size_t k = 0; k < sizeof made / sizeof made[0]; k++)
        if (make(stage, made[k]) != 0)
            return -1;
    return 0;
}

static int lines(const torture_file *file)
{
    int count = 0;
    for (size_t k = 0; k < file->size; k++)
        count += file->bytes[k] == '\n';
    return count;
}

static int ends_whole(const torture_file *file)
{
    return file->size == 0 || file->bytes[file->size - 1] == '\n';
}

static int is_prefix(const torture_file *file, const torture_file *whole)
{
    return whole != NULL && file->size <= whole->size && ends_whole(file) &&
           memcmp(file->bytes, whole->bytes, file->size) == 0;
}

static int ends_in(const torture_file *file, const char *end)
{
    size_t length = strlen(end);
    return file->size >= length && memcmp(file->bytes + file->size - length, end, length) == 0;
}

/* The first superblock says where the file ends. */
static int is_hdf5(const torture_file *file)
{
    uint64_t end = 0;
    for (int k = 0; k < 8 && file->size >= 48; k++)
        end |= (uint64_t)file->bytes[40 + k] << (8 * k);
    return file->size >= 48 && memcmp(file->bytes, "\211HDF\r\n\032\n", 8) == 0 &&
           end == file->size;
}

/* Unsigned number of four bytes in the order of the machine. */
static uint32_t number_at(const torture_file *file, size_t at)
{
    uint32_t number;
    memcpy(&number, file->bytes + at, sizeof number);
    return number;
}

/* The head and whole records, each an instant of the whole run; behind the last of them why a run
 * failed. */
static int is_motion(const torture_file *file, const torture_file *whole)
{
    enum { BEFORE = 24, TAG = 4, RECORD = 8, FAILED = 4 };
    if (whole == NULL || file->size < BEFORE)
        return 0;
    size_t at = BEFORE + (size_t)number_at(file, BEFORE - TAG), same = at;
    while (at + RECORD <= file->size) {
        int failed = number_at(file, at) == FAILED;
        at += RECORD + number_at(file, at + TAG);
        same = failed && at == file->size ? same : at;
    }
    return at == file->size && same <= whole->size && memcmp(file->bytes, whole->bytes, same) == 0;
}

/* Of a run that ended early. */
static int is_run_whole(const torture_file *file, const torture_file *whole)
{
    const char *name = file->name;
    if (strcmp(name, "checkpoint") == 0)
        return 1; /* reading it tells */
    if (strcmp(name, "series.csv") == 0 || strcmp(name, "contacts.csv") == 0 ||
        strcmp(name, "impacts.csv") == 0)
        return is_prefix(file, whole);
    if (strcmp(name, "frames.pvd") == 0)
        return ends_in(file, "</VTKFile>\n");
    if (strcmp(name, "motion.bin") == 0)
        return is_motion(file, whole);
    return strcmp(name, "series.h5") == 0 ? is_hdf5(file) : torture_same(file, whole);
}

static int is_whole(const torture_job *job, const torture_file *file, const torture_tree *tree,
                    int killed)
{
    const torture_file *whole = torture_tree_find(tree, file->name);
    if (job->kind == TORTURE_RUN)
        return is_run_whole(file, whole);
    if (job->kind == TORTURE_ROWS)
        return whole != NULL && lines(file) <= lines(whole) && (killed || ends_whole(file));
    if (job->kind == TORTURE_TABLES) /* seconds differ */
        return whole != NULL && ends_whole(file);
    return torture_same(file, whole);
}

const char *torture_whole(const torture_job *job, const torture_tree *tree,
                          const torture_tree *reference, const torture_tree *older, int killed)
{
    static char text[256];
    for (int k = 0; k < tree->count; k++) {
        const torture_file *file = &tree->file[k];
        if (torture_is_temporary(file->name) || is_whole(job, file, reference, killed) ||
            torture_same(file, torture_tree_find(older, file->name)))
            continue;
        snprintf(text, sizeof text, "%s/%s is not whole", job->out, file->name);
        return text;
    }
    return NULL;
}

const char *torture_complete(const torture_job *job, const torture_tree *tree,
                             const torture_tree *reference)
{
    static char text[256];
    for (int k = 0; k < reference->count; k++) {
        const torture_file *whole = &reference->file[k];
        const torture_file *file = torture_tree_find(tree, whole->name);
        int same = file != NULL && (job->kind == TORTURE_BYTES || job->kind == TORTURE_RUN
                                        ? torture_same(file, whole)
                                        : lines(file) == lines(whole));
        if (same)
            continue;
        snprintf(text, sizeof text, "%s/%s is not that of a run without trouble", job->out,
                 whole->name);
        return text;
    }
    return NULL;
}

int torture_names(const char *text, const char *moment)
{
    char path[512], *name, *end;
    snprintf(path, sizeof path, "%s", strchr(moment, ' ') + 1);
    if ((end = strstr(path, ".part")) != NULL)
        *end = '\0';
    if ((end = strstr(path, ".tmp")) != NULL) { /* NAME.PID.COUNT.tmp */
        *end = '\0';
        for (int k = 0; k < 2 && (end = strrchr(path, '.')) != NULL; k++)
            *end = '\0';
    }
    name = strrchr(path, '/');
    if (strstr(text, name != NULL ? name + 1 : path) != NULL)
        return 1;
    if (name == NULL)
        return 0;
    *name = '\0'; /* many files of a kind are named by their folder */
    name = strrchr(path, '/');
    name = name != NULL ? name + 1 : path;
    if (strncmp(moment + strcspn(moment, " "), " /tmp/perp-scene-", 17) == 0)
        return strstr(text, "/tmp/perp-scene-") != NULL; /* another one each time */
    return (strcmp(name, "frames") == 0 || strcmp(name, "problems") == 0) &&
           strstr(text, name) != NULL;
}
