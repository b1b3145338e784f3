/* SPDX-License-Identifier: BSD-3-Clause */
#define _XOPEN_SOURCE 700
#include "bench/campaign/engines/scene_bench.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/campaign/campaign_file.h"

static int complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

static int complain(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    fputs("perp bench scenes: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    return PERP_BENCH_FAILED;
}

/* What a run of the command works on. */
typedef struct work {
    const scene_options *options;
    char scene[SCENE_LIST][64];
    scene_engine engine[SCENE_ENGINES];
    int scenes, engines, done, total, terminal;
    scene_results results;
    char json[4096]; /* the scene as a file, for programs that read it */
    char label[160];
    double begin;
} work;

void scene_options_init(scene_options *options)
{
    memset(options, 0, sizeof *options);
    options->limit = 60.0;
    options->until = options->h = NAN;
    options->cpu = -1;
    options->peers = 1;
}

static int add_scene(work *w, const char *name)
{
    for (int k = 0; k < w->scenes; k++)
        if (strcmp(w->scene[k], name) == 0)
            return 0;
    if (w->scenes == SCENE_LIST)
        return complain("more than %d scenes", SCENE_LIST);
    snprintf(w->scene[w->scenes++], sizeof w->scene[0], "%s", name);
    return 0;
}

/* A word with parameters is one scene; a family stands for its scenes in the catalogue. */
static int take_word(work *w, const char *word)
{
    char message[512];
    rigid_scene scene;
    rigid_made made;
    int found = 0;

    for (int k = 0; strchr(word, ':') == NULL && rigid_scene_at(k) != NULL; k++) {
        const char *name = rigid_scene_at(k);
        if (strcspn(name, ":") != strlen(word) || strncmp(name, word, strlen(word)) != 0)
            continue;
        found = 1;
        if (add_scene(w, name) != 0)
            return PERP_BENCH_FAILED;
    }
    if (found)
        return 0;
    made = rigid_scene_make(&scene, word, message, sizeof message);
    rigid_scene_free(&scene);
    if (made != RIGID_MADE)
        return complain("%s; see perp bench scenes --list", message);
    return add_scene(w, word);
}

static int choose_scenes(work *w)
{
    char *copy, *next = NULL;
    int code = 0;

    if (w->options->scenes == NULL) {
        for (int k = 0; rigid_scene_at(k) != NULL && code == 0; k++)
            code = add_scene(w, rigid_scene_at(k));
        return code;
    }
    copy = strdup(w->options->scenes);
    if (copy == NULL)
        return complain("%s", strerror(ENOMEM));
    for (char *word = strtok_r(copy, ",", &next); word != NULL && code == 0;
         word = strtok_r(NULL, ",", &next))
        code = take_word(w, word);
    free(copy);
    return code == 0 && w->scenes == 0 ? complain("no scene is named") : code;
}

/* "mujoco" stands for all of its settings, "mujoco:advised" for one. */
static int is_asked_for(const scene_engine *engine, const char *word)
{
    size_t length = strcspn(word, ":");

    if (strlen(engine->name) != length || strncmp(engine->name, word, length) != 0)
        return 0;
    return word[length] == '\0' || strcmp(word + length + 1, engine->variant) == 0;
}

static int take_engine(work *w, const scene_engine *engine, int named)
{
    scene_engine *to = &w->engine[w->engines];

    if (w->engines == SCENE_ENGINES)
        return complain("more than %d engines", SCENE_ENGINES);
    *to = *engine;
    if (w->engines > 0 && strcmp(to[-1].name, to->name) == 0) {
        memcpy(to->path, to[-1].path, sizeof to->path);
        memcpy(to->version, to[-1].version, sizeof to->version);
        w->engines++;
        return 0;
    }
    if (scene_engine_find(to)) {
        w->engines++;
        return 0;
    }
    return named ? complain("%s was not found: %s%s", engine->name, engine->program,
                            to->path[0] != '\0' ? " says no version" : " is not there")
                 : 0;
}

/* All that are found, and a line on the others. */
static int take_all_engines(work *w)
{
    char missing[256] = "";
    const char *last = "";
    scene_engine engine;
    int code = 0;

    for (int k = 0; scene_engine_at(&engine, k) == 0 && code == 0; k++) {
        int before = w->engines;
        size_t used = strlen(missing);
        if (engine.program != NULL && !w->options->peers)
            continue;
        code = take_engine(w, &engine, 0);
        if (code == 0 && w->engines == before && strcmp(last, engine.name) != 0)
            snprintf(missing + used, sizeof missing - used, "%s%s", used > 0 ? ", " : "",
                     engine.name);
        last = engine.name;
    }
    if (missing[0] != '\0')
        fprintf(stderr, "not found, see perp bench scenes --help: %s\n", missing);
    return code;
}

static int choose_engines(work *w)
{
    char *copy, *next = NULL;
    scene_engine engine;
    int code = 0;

    if (w->options->engines == NULL)
        return take_all_engines(w);
    copy = strdup(w->options->engines);
    if (copy == NULL)
        return complain("%s", strerror(ENOMEM));
    for (char *word = strtok_r(copy, ",", &next); word != NULL && code == 0;
         word = strtok_r(NULL, ",", &next)) {
        int found = 0;
        for (int k = 0; scene_engine_at(&engine, k) == 0 && code == 0; k++)
            if (is_asked_for(&engine, word)) {
                found = 1;
                code = take_engine(w, &engine, 1);
            }
        if (!found)
            code = complain("no engine is called '%s'; see perp bench scenes --list", word);
    }
    free(copy);
    return code == 0 && w->engines == 0 ? complain("no engine is named") : code;
}

static void show(void *ctx, double t)
{
    const work *w = ctx;

    if (w->terminal) {
        fprintf(stderr, "\r\033[K%d/%d  %.100s  t = %.4g", w->done, w->total, w->label, t);
        fflush(stderr);
    }
}

static void show_end(work *w, const scene_row *row)
{
    w->done++;
    if (w->terminal)
        return;
    fprintf(stderr, "%d/%d %s: %s", w->done, w->total, w->label, row->status);
    if (row->figures.steps > 0)
        fprintf(stderr, ", %.3g ms a step",
                1e3 * row->figures.seconds / (double)row->figures.steps);
    fprintf(stderr, "%s%s\n", row->note[0] != '\0' ? ": " : "", row->note);
}

/* A run that ended at a shorter limit is made again. */
static int is_there(work *w, const scene_engine *engine, const rigid_scene *scene)
{
    scene_row like = {.h = scene->h, .until = scene->until};
    const scene_row *row;

    snprintf(like.scene, sizeof like.scene, "%s", scene->name);
    snprintf(like.engine, sizeof like.engine, "%s", engine->name);
    snprintf(like.variant, sizeof like.variant, "%s", engine->variant);
    snprintf(like.version, sizeof like.version, "%s", engine->version);
    row = scene_results_find(&w->results, &like);
    return row != NULL &&
           (strcmp(row->status, "time-limit") != 0 || row->limit >= w->options->limit);
}

static int run_one(work *w, const scene_engine *engine, const rigid_scene *scene)
{
    char message[256];
    scene_row row;
    int how;

    snprintf(w->label, sizeof w->label, "%s %s %s", scene->name, engine->name, engine->variant);
    if (is_there(w, engine, scene)) {
        w->done++;
        return PERP_BENCH_DONE;
    }
    show(w, 0.0);
    how = scene_engine_run(&row, engine, scene, w->json, w->options, show, w, message,
                           sizeof message);
    if (how < 0)
        return complain("%s", message);
    if (how > 0)
        return PERP_BENCH_STOPPED;
    show_end(w, &row);
    if (scene_results_put(&w->results, &row) != 0)
        return complain("%s", strerror(ENOMEM));
    if (scene_results_write(&w->results, w->options->folder) != 0)
        return complain("%s: %s", w->options->folder, strerror(errno));
    return PERP_BENCH_DONE;
}

static int write_json(const work *w, const rigid_scene *scene)
{
    FILE *f = fopen(w->json, "w");
    int bad = f == NULL;

    if (f != NULL) {
        bad = rigid_scene_write(f, scene);
        bad |= fclose(f);
    }
    return bad ? complain("%s: %s", w->json, strerror(errno)) : 0;
}

static int run_scene(work *w, const char *name)
{
    char message[512];
    rigid_scene scene;
    rigid_made made = rigid_scene_make(&scene, name, message, sizeof message);
    int code;

    if (made != RIGID_MADE)
        return complain("%s", message);
    if (!isnan(w->options->h))
        scene.h = w->options->h;
    if (!isnan(w->options->until))
        scene.until = w->options->until;
    code = write_json(w, &scene);
    for (int k = 0; k < w->engines && code == PERP_BENCH_DONE; k++)
        code = run_one(w, &w->engine[k], &scene);
    rigid_scene_free(&scene);
    return code;
}

/* In a file of its own, that goes away again. */
static int run_all(work *w)
{
    const char *tmp = getenv("TMPDIR");
    int fd, code = PERP_BENCH_DONE;

    snprintf(w->json, sizeof w->json, "%.3000s/perp-scene-XXXXXX", tmp != NULL ? tmp : "/tmp");
    fd = mkstemp(w->json);
    if (fd < 0)
        return complain("%s: %s", w->json, strerror(errno));
    close(fd);
    w->begin = perp_bench_now();
    for (int k = 0; k < w->scenes && code == PERP_BENCH_DONE; k++)
        code = run_scene(w, w->scene[k]);
    unlink(w->json);
    if (w->terminal)
        fputs("\r\033[K", stderr);
    return code;
}

static int report(const work *w)
{
    const char *folder = w->options->folder;
    FILE *f = perp_bench_file_begin(folder, "scenes.md");
    int drawn;

    if (f == NULL)
        return complain("%s: %s", folder, strerror(errno));
    scene_tables_write(f, &w->results);
    if (perp_bench_file_end(f, folder, "scenes.md") != 0)
        return complain("%s: %s", folder, strerror(errno));
    scene_tables_write(stdout, &w->results);
    drawn = scene_picture_draw(folder, &w->results);
    if (drawn < 0)
        return complain("%s: the picture could not be drawn", folder);
    printf("\nresults in %s: scenes.csv, scenes.md%s\n", folder,
           drawn == 0 ? ", scenes.svg, scenes.png" : "; no gnuplot for the picture");
    return PERP_BENCH_DONE;
}

int scene_bench_run(const scene_options *options)
{
    scene_options with = *options;
    work *w = calloc(1, sizeof *w);
    char message[1200];
    int code, shown;

    if (w == NULL)
        return complain("%s", strerror(ENOMEM));
    with.folder = options->folder != NULL ? options->folder : "scenes";
    w->options = &with;
    w->terminal = isatty(STDERR_FILENO);
    code = choose_scenes(w);
    if (code == 0)
        code = choose_engines(w);
    if (code == 0 && scene_results_read(&w->results, with.folder, message, sizeof message) != 0)
        code = complain("%s", message);
    if (code == 0) {
        w->total = w->scenes * w->engines;
        code = run_all(w);
        shown = code == PERP_BENCH_FAILED ? code : report(w);
        code = shown != PERP_BENCH_DONE ? shown : code;
    }
    scene_results_free(&w->results);
    free(w);
    return code;
}

int scene_bench_list(void)
{
    scene_engine engine;

    for (int k = 0; rigid_scene_at(k) != NULL; k++) {
        rigid_scene scene;
        (void)rigid_scene_make(&scene, rigid_scene_at(k), NULL, 0);
        printf("%2d %-14s %s\n", scene.number, rigid_scene_at(k), scene.title);
        rigid_scene_free(&scene);
    }
    putchar('\n');
    for (int k = 0; scene_engine_at(&engine, k) == 0; k++) {
        int found = scene_engine_find(&engine);
        printf("%s:%s  %s: %s\n", engine.name, engine.variant, found ? engine.version : "not found",
               engine.settings);
    }
    return PERP_BENCH_DONE;
}
