/* SPDX-License-Identifier: BSD-3-Clause */
/* kills [COUNT [SEED [FROM]]]: scenes drawn at random (drawing.h) are run by the command under a
 * drawn scheme, with what is recorded and how often it is saved drawn, too; signals end the runs at
 * any moment, SIGKILL more often than those that are caught, and others go on from the checkpoint
 * with as many threads as are drawn.  All files that come of it have the bytes of those of a run
 * that nothing ended and that saved itself at its end alone.  COUNT 0 prints the scene FROM. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <perp/scene.h>

#include "tests/torture/drawing.h"
#include "tests/torture/jobs.h"

enum { MOST_KILLS = 4, OUT_OF_CHOICE = 2 }; /* exit status of what is refused */

/* NULL: what the scene says. */
static const char *const schemes[] = {NULL,
                                      NULL,
                                      NULL,
                                      NULL,
                                      "discrete-gradient-adaptive",
                                      "moreau-jean",
                                      "generalized-alpha",
                                      "schatzman-paoli"};
static const char *const records[] = {
    "", ", \"record\": {\"certify\": true}",
    ", \"record\": {\"quantities\": [\"energy\", \"solves\", \"iterations\", \"error\"]}"};
static const char *const pauses[] = {"0", "0", "0.01", "60"};
static const char *const ends[] = {"0.05", "0.15", "0.4"};
static const char *const threads[] = {"1", "2", "3"};
static const int signals[] = {SIGKILL, SIGKILL, SIGKILL, SIGTERM, SIGINT};

static const torture_job job = {"run", TORTURE_RUN, "d", {NULL}};
static char stage[] = "/tmp/perp-kills-XXXXXX";
static long resumed,
    refused; /* runs that went on from a checkpoint; scenes that a scheme refuses */

typedef struct one_case {
    drawing d;
    const char *scheme, *pause, *end;
    torture_tree whole;
    int status;
    long microseconds;
} one_case;

#define PICK(c, list) list[perp_rng_below(&(c)->d.rng, (int)(sizeof list / sizeof list[0]))]

static long now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000L + t.tv_nsec / 1000L;
}

static void draw(one_case *c, uint64_t seed, long k)
{
    static void (*const families[])(drawing *, uint64_t) = {drawing_of_bodies, drawing_of_machine,
                                                            drawing_on_ground};
    memset(c, 0, sizeof *c);
    families[k % 3](&c->d, seed * 1000003u + (uint64_t)k);
    c->d.length--; /* before the bracket at its end */
    drawing_put(&c->d, "%s}", PICK(c, records));
    c->scheme = PICK(c, schemes);
    c->pause = PICK(c, pauses);
    c->end = PICK(c, ends);
}

static int write_scene(const one_case *c)
{
    char path[256];
    snprintf(path, sizeof path, "%s/scene.json", stage);
    FILE *f = fopen(path, "w");
    return f != NULL && fputs(c->d.text, f) >= 0 && fclose(f) == 0 ? 0 : -1;
}

/* A run in STAGE/NAME, from its checkpoint where there is one; number 0: to its end. */
static torture_process run(one_case *c, const char *name, const char *pause, int number, long delay)
{
    char folder[256], path[300];
    const char *word[TORTURE_WORDS + 1] = {
        "run",     "../scene.json", "--out",        "d",  "--set", "threads=0",
        "--until", c->end,          "--checkpoint", pause};
    int words = 10;
    snprintf(folder, sizeof folder, "%s/%s", stage, name);
    snprintf(path, sizeof path, "%s/d/checkpoint", folder);
    mkdir(folder, 0777);
    if (c->scheme) {
        word[words++] = "--scheme";
        word[words++] = c->scheme;
    }
    if (access(path, F_OK) == 0) {
        word[words++] = "--resume";
        resumed++;
    }
    setenv("OMP_NUM_THREADS", PICK(c, threads), 1);
    torture_process p = {.folder = folder, .word = word, .signal = number, .delay = delay};
    torture_run(&p);
    p.folder = NULL;
    p.word = NULL;
    return p;
}

static void read_tree(torture_tree *tree, const char *name)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s/d", stage, name);
    torture_tree_read(tree, path);
}

/* A step that fails is tried again by a run that goes on: contacts are found once more from the
 * same states, by the normals that they had, and may then have other last digits in the checkpoint.
 */
static void forget_checkpoint(torture_tree *tree)
{
    for (int k = 0; k < tree->count; k++) {
        if (strcmp(tree->file[k].name, "checkpoint") != 0)
            continue;
        torture_file last = tree->file[--tree->count];
        free(tree->file[k].name);
        free(tree->file[k].bytes);
        tree->file[k--] = last;
    }
}

/* NULL, or what is wrong with the run that nothing ends. */
static const char *measure(one_case *c)
{
    static char text[TORTURE_TEXT + 64];
    long begun = now();
    torture_process p = run(c, "whole", "60", 0, 0);
    c->microseconds = now() - begun;
    c->status = p.status;
    read_tree(&c->whole, "whole");
    if (strstr(p.text, " failed: ") != NULL)
        forget_checkpoint(&c->whole);
    if (p.status >= 0 && (p.status == OUT_OF_CHOICE || c->whole.count > 0))
        return NULL;
    snprintf(text, sizeof text, "undisturbed: status %d, signal %d: %s", p.status, p.number,
             p.text);
    return text;
}

static const char *end_it(one_case *c)
{
    static char text[TORTURE_TEXT + 64];
    static const torture_tree none = {NULL, 0, 0};
    torture_tree tree;
    int number = PICK(c, signals);
    long most = c->microseconds + c->microseconds / 10 + 1000;
    torture_process p =
        run(c, "ended", c->pause, number, (long)(perp_rng_uniform(&c->d.rng) * (double)most));
    read_tree(&tree, "ended");
    const char *wrong = torture_whole(&job, &tree, &c->whole, &none, number == SIGKILL);
    torture_tree_free(&tree);
    if (p.number == -1)
        return "it hangs";
    /* It may have been ready, or not yet have asked for the signal. */
    if (p.number != 0 ? p.number != number : p.status != 1 && p.status != c->status) {
        snprintf(text, sizeof text, "signal %d: status %d, signal %d: %s", number, p.status,
                 p.number, p.text);
        return text;
    }
    return wrong;
}

static const char *go_on(one_case *c)
{
    static char text[TORTURE_TEXT + 64];
    torture_tree tree;
    torture_process p = run(c, "ended", c->pause, 0, 0);
    if (p.status != c->status) {
        snprintf(text, sizeof text, "to go on: status %d, not %d: %s", p.status, c->status, p.text);
        return text;
    }
    read_tree(&tree, "ended");
    const char *wrong = torture_complete(&job, &tree, &c->whole);
    torture_tree_free(&tree);
    return wrong;
}

/* NULL, or what is wrong. */
static const char *try_case(one_case *c)
{
    const char *wrong = write_scene(c) == 0 ? measure(c) : "no scene can be written";
    if (wrong != NULL || c->status == OUT_OF_CHOICE) {
        refused += wrong == NULL;
        return wrong;
    }
    int kills = 1 + perp_rng_below(&c->d.rng, MOST_KILLS);
    for (int k = 0; k < kills && wrong == NULL; k++)
        wrong = end_it(c);
    return wrong != NULL ? wrong : go_on(c);
}

static void clear(one_case *c)
{
    static const char *const folders[] = {"whole", "ended"};
    for (int k = 0; k < 2; k++) {
        char folder[256];
        snprintf(folder, sizeof folder, "%s/%s", stage, folders[k]);
        torture_remove(folder);
    }
    torture_tree_free(&c->whole);
}

static void tell(const one_case *c, long number, const char *wrong)
{
    printf("# %ld, %s, --until %s, --checkpoint %s: ", number, c->scheme ? c->scheme : "-", c->end,
           c->pause);
    for (; *wrong != '\0'; wrong++)
        putchar(*wrong == '\n' ? '|' : *wrong);
    putchar('\n');
    fflush(stdout);
}

static int has_scenes(void)
{
    perp_scene *scene = NULL;
    perp_status status = perp_scene_create_from_text(&scene, "{}", NULL, NULL, NULL);
    return status != PERP_ERR_UNSUPPORTED;
}

int main(int argc, char **argv)
{
    static one_case c;
    long cases = argc > 1 ? strtol(argv[1], NULL, 10) : 36;
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    long from = argc > 3 ? strtol(argv[3], NULL, 10) : 0, bad = 0;
    if (!has_scenes()) {
        puts("1..0 # SKIP scenes need jansson");
        return 0;
    }
    if (cases == 0) {
        draw(&c, seed, from);
        puts(c.d.text);
        return 0;
    }
    if (mkdtemp(stage) == NULL) {
        perror(stage);
        return 99;
    }
    for (long k = from; k < from + cases; k++) {
        draw(&c, seed, k);
        const char *wrong = try_case(&c);
        if (wrong != NULL)
            tell(&c, k, wrong);
        bad += wrong != NULL;
        clear(&c);
    }
    torture_remove(stage);
    printf("# %ld scenes, %ld refused; %ld runs went on from a checkpoint\n", cases, refused,
           resumed);
    printf("%sok 1 - runs that are ended and go on have the bytes of those that are not\n",
           bad > 0 ? "not " : "");
    int enough = 2 * refused <= cases && 2 * resumed >= cases;
    printf("%sok 2 - most are run, and many go on\n1..2\n", enough ? "" : "not ");
    return bad > 0 || !enough;
}
