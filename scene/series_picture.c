/* SPDX-License-Identifier: BSD-3-Clause */
#include "scene/series_picture.h"

#include <stdio.h>

#include "scene/files.h"
#include "scene/gnuplot.h"
#include "scene/scene_inside.h"

enum { PANELS = 8, CURVES = 8 };

/* Inside single quotes gnuplot doubles a quote. */
static void write_quoted(FILE *f, const char *text)
{
    fputc('\'', f);
    for (; *text != '\0'; text++) {
        if (*text == '\'')
            fputc('\'', f);
        fputc((unsigned char)*text < ' ' ? ' ' : *text, f);
    }
    fputc('\'', f);
}

static void write_panel(FILE *f, const perp_scene_quantity *quantity, const perp_recorder *recorder)
{
    static const char *const colour[CURVES] = {"#1b6ca8", "#c0392b", "#2e8540", "#8e44ad",
                                               "#d35400", "#16a0a0", "#7f5539", "#333333"};

    fputs("set ylabel ", f);
    write_quoted(f, quantity->label);
    fputc('\n', f);
    for (int k = 0; k < quantity->count && k < CURVES; k++) {
        fprintf(f, "%s'series.csv' skip 1 using 1:%d with lines linewidth 1.5 linecolor rgb '%s' ",
                k > 0 ? ", \\\n     " : "plot ", quantity->first + k + 1, colour[k]);
        if (quantity->count == 1) {
            fputs("notitle", f);
        } else {
            fputs("title ", f);
            write_quoted(f, perp_recorder_name(recorder, quantity->first + k));
        }
    }
    fputc('\n', f);
}

static void write_picture(FILE *f, const perp_scene_record *record, const char *title,
                          const char *terminal, const char *picture)
{
    int panels = record->nquantities < PANELS ? record->nquantities : PANELS;

    fprintf(f, "set terminal %s\nset output '%s'\nset multiplot layout %d,%d title ", terminal,
            picture, panels > 4 ? (panels + 1) / 2 : panels, panels > 4 ? 2 : 1);
    write_quoted(f, title);
    fputc('\n', f);
    for (int k = 0; k < panels; k++)
        write_panel(f, &record->quantities[k], record->recorder);
    fputs("unset multiplot\nset output\n", f);
}

int perp_scene_draw(const char *dir, const perp_scene *scene)
{
    static const char *const picture[] = {"series.svg", "series.png"};
    const perp_scene_record *record = &scene->record;
    const char *title = scene->title != NULL ? scene->title : scene->name;
    int panels = record->nquantities < PANELS ? record->nquantities : PANELS;
    int rows = panels > 4 ? (panels + 1) / 2 : panels, across = panels > 4 ? 2 : 1;
    char terminal[2][160];
    FILE *f = perp_scene_open(dir, "series.gp");

    if (f == NULL)
        return -1;
    snprintf(terminal[0], sizeof terminal[0],
             "svg size %d,%d dynamic noenhanced background 'white' font 'sans,12'", 800 * across,
             100 + 220 * rows);
    snprintf(terminal[1], sizeof terminal[1], "pngcairo size %d,%d noenhanced font 'sans,12'",
             800 * across, 100 + 220 * rows);
    fputs("set datafile separator ','\nset grid\nset xlabel 't'\nset key outside right top\nset "
          "lmargin 14\n",
          f);
    write_picture(f, record, title, terminal[0], "series.svg.part");
    write_picture(f, record, title, terminal[1], "series.png.part");
    if (perp_scene_keep(f, dir, "series.gp") != 0)
        return -1;
    return perp_scene_gnuplot(dir, "series.gp", picture, 2);
}
