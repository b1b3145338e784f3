/* SPDX-License-Identifier: BSD-3-Clause */
/* One line a scene: the figure that matters most in it, and the time of a step, engines beside each
 * other. */
#include <math.h>
#include <string.h>

#include "bench/campaign/engines/scene_bench.h"

typedef enum digest_kind { DIGEST_LAW, DIGEST_OPENING, DIGEST_REST, DIGEST_OVERLAP } digest_kind;

static digest_kind kind_of(const rigid_scene *scene)
{
    if (scene->law != RIGID_LAW_NONE)
        return DIGEST_LAW;
    if (scene->joints > 0)
        return DIGEST_OPENING;
    return scene->rests ? DIGEST_REST : DIGEST_OVERLAP;
}

static void describe(FILE *f, const rigid_scene *scene)
{
    static const char *const what[] = {"", "joints open by, mm", "moved by, mm", "overlap, mm"};
    digest_kind kind = kind_of(scene);

    if (kind != DIGEST_LAW)
        fputs(what[kind], f);
    else if (isnan(scene->expected))
        fputs(rigid_law_title(scene->law), f);
    else
        fprintf(f, "%s; %.4g", rigid_law_title(scene->law), scene->expected);
}

/* The last one. */
static const scene_row *row_of(const scene_results *results, const char *scene,
                               const scene_engine *engine)
{
    for (int k = results->rows - 1; k >= 0; k--) {
        const scene_row *row = &results->row[k];
        if (strcmp(row->scene, scene) == 0 && strcmp(row->engine, engine->name) == 0 &&
            strcmp(row->variant, engine->variant) == 0)
            return row;
    }
    return NULL;
}

static void write_figure(FILE *f, const scene_row *row, digest_kind kind)
{
    const motion_figures *g = &row->figures;
    double mm = 1e3 * (kind == DIGEST_OPENING ? g->opening
                       : kind == DIGEST_REST  ? fmax(g->creep, g->sink)
                                              : g->overlap);

    if (g->steps <= 0) {
        fputs(row->status, f);
        return;
    }
    if (kind == DIGEST_LAW)
        fprintf(f, "%.4g", g->observed);
    else if (kind == DIGEST_REST && g->fallen > 0)
        fputs("**fell**", f);
    else if (mm > 0.0 && mm < 1e-6)
        fputs("<1e-6", f);
    else
        fprintf(f, "%.2g", mm);
    if (g->energy > 0.1)
        fputc('!', f);
    if (strcmp(row->status, "done") != 0)
        fputc('*', f);
}

static void write_time(FILE *f, const scene_row *row)
{
    const motion_figures *g = &row->figures;

    if (g->steps <= 0)
        fputc('-', f);
    else
        fprintf(f, "%.2g", 1e3 * g->seconds / (double)g->steps);
}

/* All settings of an engine in one cell, from `first` in the list on; where the next begins. */
static int write_cell(FILE *f, const scene_results *results, const rigid_scene *scene, int first,
                      int times)
{
    scene_engine engine, next;
    int k = first, written = 0;

    scene_engine_at(&engine, first);
    fputs(" ", f);
    for (next = engine; strcmp(next.name, engine.name) == 0;) {
        const scene_row *row = row_of(results, scene->name, &next);
        if (row != NULL) {
            fputs(written++ > 0 ? " / " : "", f);
            if (times)
                write_time(f, row);
            else
                write_figure(f, row, kind_of(scene));
        }
        if (scene_engine_at(&next, ++k) != 0)
            break;
    }
    fputs(" |", f);
    return k;
}

static int is_there(const scene_results *results, const char *engine)
{
    for (int k = 0; k < results->rows; k++)
        if (strcmp(results->row[k].engine, engine) == 0)
            return 1;
    return 0;
}

/* The heads, and with a scene its line. */
static void write_line(FILE *f, const scene_results *results, const rigid_scene *scene, int times)
{
    scene_engine engine;

    for (int k = 0; scene_engine_at(&engine, k) == 0;) {
        const char *name = engine.name;
        if (scene != NULL && is_there(results, name)) {
            k = write_cell(f, results, scene, k, times);
            continue;
        }
        if (scene == NULL && is_there(results, name))
            fprintf(f, " %s |", name);
        while (scene_engine_at(&engine, k) == 0 && strcmp(engine.name, name) == 0)
            k++;
    }
    fputc('\n', f);
}

static void write_rule(FILE *f, const scene_results *results, int before)
{
    scene_engine engine;
    const char *last = "";

    for (int k = 0; k < before; k++)
        fputs("|---", f);
    for (int k = 0; scene_engine_at(&engine, k) == 0; k++) {
        if (strcmp(engine.name, last) != 0 && is_there(results, engine.name))
            fputs("|---", f);
        last = engine.name;
    }
    fputs("|\n", f);
}

void scene_digest_write(FILE *f, const scene_results *results, int times)
{
    fputs(times ? "| scene |" : "| scene | figure |", f);
    write_line(f, results, NULL, times);
    write_rule(f, results, times ? 1 : 2);
    for (int k = 0; k < results->rows; k++) {
        rigid_scene scene;
        int before = 0;
        for (int i = 0; i < k && !before; i++)
            before = strcmp(results->row[i].scene, results->row[k].scene) == 0;
        if (before || rigid_scene_make(&scene, results->row[k].scene, NULL, 0) != RIGID_MADE)
            continue;
        fprintf(f, "| %d. %s |", scene.number, scene.name);
        if (!times) {
            fputc(' ', f);
            describe(f, &scene);
            fputs(" |", f);
        }
        write_line(f, results, &scene, times);
        rigid_scene_free(&scene);
    }
    fputc('\n', f);
}
