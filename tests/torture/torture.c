/* SPDX-License-Identifier: BSD-3-Clause */
/* The commands that write, disturbed: writes that fail, processes that are killed at any moment,
 * signals, standard streams that are closed.  What has its final name is whole, a failure is told
 * with the name of the file, and the same command goes on to the same bytes.
 *
 *     torture [CASES] [SEED] [JOB]      CASES: a number, or all: each moment of each command */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/torture/jobs.h"

enum { MOMENTS = 20000, WORDS = 512 };

typedef enum trouble { WRITES, KILLS, MOMENTS_KILLED, SIGNALS, STREAMS, TROUBLES } trouble;

static const char *const trouble_words[TROUBLES] = {"writes that fail", "kills at any time",
                                                    "kills at a write", "signals", "streams"};

/* What a job does undisturbed. */
typedef struct reference {
    torture_tree tree;
    int status, moments;
    char (*moment)[WORDS]; /* "KIND PATH" of each */
    long microseconds;
    long cases[TROUBLES], bad[TROUBLES];
} reference;

static char stage[] = "/tmp/perp-torture-XXXXXX";
static reference *references;
static uint64_t seed = 1;

static uint64_t next(uint64_t below) /* splitmix64 */
{
    uint64_t z = (seed += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (z ^ (z >> 31)) % below;
}

static long now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000L + t.tv_nsec / 1000L;
}

static int read_moments(reference *r, const char *log)
{
    FILE *f = fopen(log, "r");
    r->moment = calloc(MOMENTS, sizeof *r->moment);
    if (f == NULL || r->moment == NULL)
        return -1;
    while (r->moments < MOMENTS && fgets(r->moment[r->moments], WORDS, f) != NULL) {
        r->moment[r->moments][strcspn(r->moment[r->moments], "\n")] = '\0';
        r->moments++;
    }
    fclose(f);
    return r->moments > 0 ? 0 : -1;
}

/* The job once with its moments noted, in a folder of its own. */
static int measure(int k)
{
    const torture_job *job = &torture_jobs[k];
    reference *r = &references[k];
    char folder[256], log[256], out[512];
    snprintf(folder, sizeof folder, "%s/ref-%d", stage, k);
    snprintf(log, sizeof log, "%s/log-%d", stage, k);
    snprintf(out, sizeof out, "%s/%s", folder, job->out);
    mkdir(folder, 0777);
    torture_process p = {.folder = folder, .word = job->word, .log = log};
    torture_run(&p);
    r->status = p.status;
    torture_tree_read(&r->tree, out);
    if (read_moments(r, log) != 0 || r->tree.count == 0 || (p.status != 0 && p.status != 3)) {
        printf("# %s: status %d, %d moments, %d files: %s\n", job->name, p.status, r->moments,
               r->tree.count, p.text);
        return -1;
    }
    torture_remove(folder);
    mkdir(folder, 0777);
    long begun = now();
    torture_process plain = {.folder = folder, .word = job->word};
    torture_run(&plain);
    r->microseconds = now() - begun;
    torture_remove(folder);
    return 0;
}

/* Runs the job to its end where it was disturbed.  NULL, or what is wrong. */
static const char *go_on(int k, const char *folder)
{
    const torture_job *job = &torture_jobs[k];
    static char text[TORTURE_TEXT + 64];
    char path[512];
    const char *word[TORTURE_WORDS + 1];
    int words = 0;
    while ((word[words] = job->word[words]) != NULL)
        words++;
    snprintf(path, sizeof path, "%s/%s/checkpoint", folder, job->out);
    if (job->kind == TORTURE_RUN && access(path, F_OK) == 0) {
        word[words++] = "--resume";
        word[words] = NULL;
    }
    torture_process p = {.folder = folder, .word = word};
    torture_run(&p);
    if (p.status != references[k].status) {
        snprintf(text, sizeof text, "to go on: status %d: %s", p.status, p.text);
        return text;
    }
    torture_tree tree;
    snprintf(path, sizeof path, "%s/%s", folder, job->out);
    torture_tree_read(&tree, path);
    const char *wrong = torture_complete(job, &tree, &references[k].tree);
    torture_tree_free(&tree);
    return wrong;
}

/* A file that could not be opened was opened again: all is there, nothing is to be told. */
static int is_made_good(const torture_job *job, const torture_process *p, const char *moment,
                        const torture_tree *tree, const reference *r)
{
    return strncmp(moment, "open ", 5) == 0 && p->status == r->status &&
           torture_complete(job, tree, &r->tree) == NULL;
}

static const char *judge_writes(const torture_process *p, const char *moment)
{
    static char text[TORTURE_TEXT + 640];
    const char *wrong = NULL;
    if (p->status <= 0 || p->status == 3)
        wrong = "exit status";
    else if (!torture_names(p->text, moment))
        wrong = "the file is not named";
    if (wrong != NULL)
        snprintf(text, sizeof text, "%s: %s: status %d, signal %d: %s", moment, wrong, p->status,
                 p->number, p->text);
    return wrong != NULL ? text : NULL;
}

static const char *judge_signal(const torture_job *job, const torture_process *p, int number)
{
    static char text[TORTURE_TEXT + 64];
    int caught = job->kind == TORTURE_RUN || job->kind == TORTURE_ROWS;
    int late = p->status == 0 || p->status == 3; /* it came after all work */
    if (late || p->status == 1 || (p->number == number && !caught))
        return NULL;
    snprintf(text, sizeof text, "status %d, signal %d: %s", p->status, p->number, p->text);
    return text;
}

static const char *judge_streams(const torture_job *job, const torture_process *p,
                                 const torture_tree *tree, const torture_tree *whole)
{
    static char text[TORTURE_TEXT + 64];
    const char *wrong = torture_complete(job, tree, whole);
    if (p->number == 0 && wrong == NULL)
        return NULL;
    snprintf(text, sizeof text, "%s, status %d, signal %d: %s", wrong != NULL ? wrong : "",
             p->status, p->number, p->text);
    return text;
}

typedef struct one_case {
    int job;
    trouble trouble;
    int moment, variant;
} one_case;

static void disturb(const one_case *c, torture_process *p, char *moment, size_t size)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    static const char *const failing[] = {"fail", "full", "fail"};
    static const int codes[] = {ENOSPC, ENOSPC, EIO};
    const reference *r = &references[c->job];
    switch (c->trouble) {
    case WRITES:
        /* Closing writes nothing, so that it fails on its own alone. */
        snprintf(moment, size, "%d %s %d", c->moment,
                 strncmp(r->moment[c->moment - 1], "close ", 6) == 0 ? "fail"
                                                                     : failing[c->variant % 3],
                 codes[c->variant % 3]);
        p->moment = moment;
        break;
    case KILLS:
        p->signal = SIGKILL;
        p->delay = (long)next((uint64_t)(r->microseconds + r->microseconds / 10 + 1000));
        break;
    case MOMENTS_KILLED:
        snprintf(moment, size, "%d half %d", c->moment, SIGKILL);
        p->moment = moment;
        break;
    case SIGNALS:
        snprintf(moment, size, "%d raise %d", c->moment, signals[c->variant % 3]);
        p->moment = moment;
        break;
    default: /* 1 to 7: closed; 8 to 10: broken pipes */
        for (int fd = 0; fd < 3; fd++)
            p->stream[fd] = c->variant < 7 && (c->variant + 1) >> fd & 1 ? TORTURE_CLOSED
                            : c->variant >= 7 && fd > 0 && (c->variant - 6) >> (fd - 1) & 1
                                ? TORTURE_BROKEN_PIPE
                                : TORTURE_KEPT;
        break;
    }
}

/* NULL, or what is wrong. */
static const char *try_case(const one_case *c, char *how, size_t size)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    const torture_job *job = &torture_jobs[c->job];
    const reference *r = &references[c->job];
    torture_tree tree, older = {NULL, 0, 0};
    char folder[256], out[512];
    const char *wrong = NULL;
    snprintf(folder, sizeof folder, "%s/case", stage);
    snprintf(out, sizeof out, "%s/%s", folder, job->out);
    mkdir(folder, 0777);
    if (job->kind == TORTURE_BYTES && strchr(job->out, '.') != NULL && c->variant % 2) {
        torture_file file = {(char *)"", (unsigned char *)"of before\n", 10};
        torture_tree before = {&file, 1, 1};
        torture_tree_write(&before, out);
        torture_tree_read(&older, out);
    }
    torture_process p = {.folder = folder, .word = job->word};
    disturb(c, &p, how, size);
    torture_run(&p);
    torture_tree_read(&tree, out);
    wrong = p.number == -1 ? "it hangs"
                           : torture_whole(job, &tree, &r->tree, &older,
                                           c->trouble == KILLS || c->trouble == MOMENTS_KILLED);
    if (wrong == NULL && c->trouble == WRITES &&
        !is_made_good(job, &p, r->moment[c->moment - 1], &tree, r))
        wrong = judge_writes(&p, r->moment[c->moment - 1]);
    if (wrong == NULL && c->trouble == SIGNALS)
        wrong = judge_signal(job, &p, signals[c->variant % 3]);
    if (wrong == NULL && c->trouble == STREAMS)
        wrong = judge_streams(job, &p, &tree, &r->tree);
    torture_tree_free(&tree);
    torture_tree_free(&older);
    if (wrong == NULL && c->trouble != STREAMS)
        wrong = go_on(c->job, folder);
    torture_remove(folder);
    return wrong;
}

static void count_case(const one_case *c)
{
    char how[128] = "";
    const char *wrong = try_case(c, how, sizeof how);
    reference *r = &references[c->job];
    r->cases[c->trouble]++;
    if (wrong == NULL)
        return;
    r->bad[c->trouble]++;
    printf("# %s, %s, %d of %d (%s), variant %d: ", torture_jobs[c->job].name,
           trouble_words[c->trouble], c->moment, r->moments,
           c->moment > 0 ? r->moment[c->moment - 1] : "", c->variant);
    for (const char *at = wrong; *at != '\0'; at++)
        putchar(*at == '\n' ? '|' : *at);
    printf(" [%s]\n", how);
    fflush(stdout);
}

/* Digits squashed, so that the many frames of a run are one kind of moment. */
static uint64_t kind_of(const char *moment)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (; *moment != '\0'; moment++)
        if (*moment < '0' || *moment > '9')
            hash = (hash ^ (unsigned char)*moment) * 0x100000001b3u;
    return hash;
}

/* One of the kinds, then one of its moments. */
static int pick_moment(const reference *r)
{
    for (;;) {
        int k = (int)next((uint64_t)r->moments), same = 0, kinds = 0;
        for (int i = 0; i < r->moments; i++)
            same += kind_of(r->moment[i]) == kind_of(r->moment[k]);
        for (int i = 0; i < r->moments; i++) {
            int first = 1;
            for (int j = 0; j < i && first; j++)
                first = kind_of(r->moment[j]) != kind_of(r->moment[i]);
            kinds += first;
        }
        if (next((uint64_t)same) == 0 || kinds == 1)
            return k + 1;
    }
}

/* Moments at which something was lost, not told, or fatal before: the last whose text has both
 * words. Variant 0: one call fails; 1: no space is left from then on. */
static const struct {
    const char *job, *kind, *path;
    int variant;
} known[] = {{"run", "rename", "/series.csv", 0},       {"run", "sync", "/series.csv", 0},
             {"run", "write", "/series.csv", 1},        {"run", "write", "/series.h5", 1},
             {"run-contacts", "rename", "contacts", 0}, {"run-contacts", "open", "/problems/", 0},
             {"generate", "write", "/out.", 1},         {"convert", "close", "/out.", 0},
             {"bench", "close", "/r.csv", 0},           {"bench-report", "write", "/summary.md", 0},
             {"bench-order", "rename", "/order.md", 0}, {"bench-scenes", "open", "/scenes.csv", 0}};

static void run_known(const char *only)
{
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
        for (int job = 0; job < torture_job_count; job++) {
            const reference *r = &references[job];
            one_case c = {job, WRITES, r->moments, known[k].variant};
            if (strcmp(known[k].job, torture_jobs[job].name) != 0 ||
                (only != NULL && strcmp(only, known[k].job) != 0))
                continue;
            while (c.moment > 0 &&
                   (strncmp(r->moment[c.moment - 1], known[k].kind, strlen(known[k].kind)) != 0 ||
                    strstr(r->moment[c.moment - 1], known[k].path) == NULL))
                c.moment--;
            if (c.moment > 0)
                count_case(&c);
        }
    }
}

static void run_some(long cases, const char *only)
{
    run_known(only);
    for (long k = 0; k < cases; k++) {
        one_case c;
        c.job = (int)(k % torture_job_count);
        c.trouble = (trouble)(k / torture_job_count % TROUBLES);
        c.variant = (int)next(10);
        c.moment = c.trouble == KILLS || c.trouble == STREAMS ? 0 : pick_moment(&references[c.job]);
        if (only == NULL || strcmp(only, torture_jobs[c.job].name) == 0)
            count_case(&c);
    }
}

static void run_all(const char *only)
{
    for (int job = 0; job < torture_job_count; job++) {
        if (only != NULL && strcmp(only, torture_jobs[job].name) != 0)
            continue;
        for (int t = 0; t < TROUBLES; t++)
            for (int m = 1; m <= (t == STREAMS ? 1 : references[job].moments); m++)
                for (int v = 0; v < (t == STREAMS                        ? 10
                                     : t == KILLS || t == MOMENTS_KILLED ? 1
                                                                         : 3);
                     v++) {
                    one_case c = {job, (trouble)t, t == KILLS || t == STREAMS ? 0 : m, v};
                    count_case(&c);
                }
    }
}

static int report(void)
{
    long bad = 0;
    int number = 0;
    for (int k = 0; k < torture_job_count; k++) {
        for (int t = 0; t < TROUBLES; t++) {
            const reference *r = &references[k];
            if (r->cases[t] == 0)
                continue;
            printf("%sok %d - %s, %s: %ld of %ld\n", r->bad[t] ? "not " : "", ++number,
                   torture_jobs[k].name, trouble_words[t], r->cases[t] - r->bad[t], r->cases[t]);
            bad += r->bad[t];
        }
        torture_tree_free(&references[k].tree);
        free(references[k].moment);
    }
    printf("1..%d\n", number);
    return bad > 0;
}

int main(int argc, char **argv)
{
    const char *cases = argc > 1 ? argv[1] : getenv("TORTURE_CASES");
    const char *flags = getenv("PERP_SANITIZE_FLAGS");
    const char *only = argc > 3 ? argv[3] : NULL;
    int bad = 0;
    if (flags != NULL && flags[0] != '\0') {
        puts("1..0 # SKIP a sanitizer replaces the same calls");
        return 0;
    }
    if (!torture_has_shim()) {
        puts("1..0 # SKIP no shared libraries");
        return 0;
    }
    seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    references = calloc((size_t)torture_job_count, sizeof *references);
    if (references == NULL || mkdtemp(stage) == NULL)
        return 99;
    setenv("PATH", "/nonexistent", 1); /* no gnuplot: pictures are none of the matter */
    bad = torture_inputs(stage) != 0;
    for (int k = 0; k < torture_job_count && !bad; k++)
        bad = measure(k) != 0;
    if (!bad && cases != NULL && strcmp(cases, "all") == 0)
        run_all(only);
    else if (!bad)
        run_some(cases != NULL ? strtol(cases, NULL, 10) : 2L * TROUBLES * torture_job_count, only);
    torture_remove(stage);
    if (bad) {
        puts("Bail out! the commands do not run undisturbed");
        return 99;
    }
    bad = report();
    free(references);
    return bad;
}
