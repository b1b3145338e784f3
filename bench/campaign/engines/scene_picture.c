/* SPDX-License-Identifier: BSD-3-Clause */
/* Two panels over the scenes: what went wrong in millimetres, and the time of a step. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/campaign/engines/scene_bench.h"
#include "bench/campaign/campaign_file.h"
#include "scene/gnuplot.h"

static const char stem[] = "scenes";

/* Places of the scenes along the picture, in the order of the rows. */
static int place_of(const scene_results *results, int row)
{
    int place = 0;

    for (int k = 0; k < results->rows; k++) {
        int before = 0;
        if (strcmp(results->row[k].scene, results->row[row].scene) == 0)
            return place;
        for (int i = 0; i < k && !before; i++)
            before = strcmp(results->row[i].scene, results->row[k].scene) == 0;
        place += !before;
    }
    return place;
}

static double wrong(const scene_row *row)
{
    const motion_figures *g = &row->figures;

    return 1e3 * fmax(1e-9, fmax(g->overlap, isnan(g->opening) ? 0.0 : g->opening));
}

/* One block per engine: place, mm, ms a step. */
static int write_data(FILE *f, const scene_results *results, char names[SCENE_ENGINES][64])
{
    scene_engine engine;
    int blocks = 0;

    for (int e = 0; scene_engine_at(&engine, e) == 0 && blocks < SCENE_ENGINES; e++) {
        int found = 0;
        for (int k = 0; k < results->rows; k++) {
            const scene_row *row = &results->row[k];
            if (strcmp(row->engine, engine.name) != 0 ||
                strcmp(row->variant, engine.variant) != 0 || row->figures.steps <= 0)
                continue;
            if (found++ == 0)
                fprintf(f, "# %s %s\n", engine.name, engine.variant);
            fprintf(f, "%g %.6g %.6g\n", place_of(results, k) + 0.03 * (blocks - 11), wrong(row),
                    1e3 * row->figures.seconds / (double)row->figures.steps);
        }
        if (found == 0)
            continue;
        fputs("\n\n", f);
        snprintf(names[blocks++], sizeof names[0], "%s %s", engine.name, engine.variant);
    }
    return blocks;
}

static void write_panel(FILE *f, char names[SCENE_ENGINES][64], int blocks, int column)
{
    static const char *const colour[] = {"#1b6ca8", "#c0392b", "#2e8540", "#8e44ad",
                                         "#d35400", "#16a0a0", "#7f5539", "#333333",
                                         "#b8860b", "#e377c2", "#7cb518"};
    enum { COLOURS = sizeof colour / sizeof *colour };
    int colours = -1;
    char last[64] = "";

    fprintf(f, "set ylabel '%s'\nset key outside right top samplen 1\n",
            column == 2 ? "overlap or opening, mm" : "ms a step");
    for (int k = 0; k < blocks; k++) {
        size_t length = strcspn(names[k], " ");
        if (strncmp(last, names[k], length + 1) != 0)
            colours++;
        snprintf(last, sizeof last, "%s", names[k]);
        fprintf(f,
                "%s'%s.dat' index %d using 1:%d with points linecolor rgb '%s' pointtype %d "
                "pointsize 0.7 title '%s'",
                k > 0 ? ", \\\n     " : "plot ", stem, k, column, colour[colours % COLOURS],
                strncmp(names[k], "perp", 4) == 0     ? 7
                : strstr(names[k], "advised") != NULL ? 5
                                                      : 4,
                names[k]);
    }
    fputc('\n', f);
}

static void write_script(FILE *f, const scene_results *results, char names[SCENE_ENGINES][64],
                         int blocks)
{
    static const char *const terminal[] = {
        "svg size 1280,800 dynamic background 'white' font 'sans,11'",
        "pngcairo size 1280,800 font 'sans,9'"};
    static const char *const ending[] = {"svg", "png"};

    for (int t = 0; t < 2; t++) {
        int places = 0;
        fprintf(f, "set terminal %s\nset output '%s.%s.part'\nset multiplot layout 2,1\n",
                terminal[t], stem, ending[t]);
        fputs("set logscale y\nset format y '%g'\nset grid\nset xtics rotate by -35 (", f);
        for (int k = 0; k < results->rows; k++)
            if (place_of(results, k) == places)
                fprintf(f, "%s'%s' %d", places > 0 ? ", " : "", results->row[k].scene, places),
                    places++;
        fprintf(f, ")\nset xrange [-0.6:%g]\n", places - 0.4);
        write_panel(f, names, blocks, 2);
        write_panel(f, names, blocks, 3);
        fputs("unset multiplot\nset output\n", f);
    }
}

int scene_picture_draw(const char *folder, const scene_results *results)
{
    static const char *const picture[] = {"scenes.svg", "scenes.png"};
    char names[SCENE_ENGINES][64];
    FILE *f = perp_bench_file_begin(folder, "scenes.dat");
    int blocks;

    if (f == NULL)
        return -1;
    blocks = write_data(f, results, names);
    if (perp_bench_file_end(f, folder, "scenes.dat") != 0)
        return -1;
    if (blocks == 0)
        return 0;
    f = perp_bench_file_begin(folder, "scenes.gp");
    if (f == NULL)
        return -1;
    write_script(f, results, names, blocks);
    if (perp_bench_file_end(f, folder, "scenes.gp") != 0)
        return -1;
    return perp_scene_gnuplot(folder, "scenes.gp", picture, 2);
}
