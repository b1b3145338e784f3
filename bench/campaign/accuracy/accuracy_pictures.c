/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/campaign/accuracy/accuracy.h"

#include <math.h>
#include <string.h>

#include "bench/campaign/campaign_file.h"
#include "scene/gnuplot.h"

/* One block per series, "h steps evaluations seconds q_l1 v_l1 q_h v_h". */
static void write_data(FILE *f, const perp_accuracy *a, int example)
{
    for (int s = 0; s < a->nseries; s++) {
        int count;
        const perp_accuracy_point *p = perp_accuracy_points(&count, a, example, s);
        if (count == 0)
            continue;
        fprintf(f, "# %s\n", a->series[s].label);
        for (int k = 0; k < count; k++) {
            if (strcmp(p[k].status, "solved") != 0)
                fprintf(f, "NaN NaN NaN NaN NaN NaN NaN NaN\n");
            else
                fprintf(f, "%.9g %.9g %.9g %.9g %.9g %.9g %.9g %.9g\n", p[k].h, p[k].steps,
                        p[k].evaluations, p[k].seconds, p[k].error[0], p[k].error[1], p[k].error[2],
                        p[k].error[3]);
        }
        fprintf(f, "\n\n");
    }
}

/* Inside single quotes gnuplot doubles a quote. */
static void write_quoted(FILE *f, const char *text)
{
    fputc('\'', f);
    for (; *text; text++) {
        if (*text == '\'')
            fputc('\'', f);
        fputc(*text, f);
    }
    fputc('\'', f);
}

/* Ten colours; the mark and the dash change with each ten, hollow marks for peers. */
static void write_style(FILE *f, const perp_accuracy_series *series, int shown)
{
    static const char *const colour[] = {"#1b6ca8", "#c0392b", "#2e8540", "#8e44ad", "#d35400",
                                         "#16a0a0", "#7f5539", "#333333", "#b8860b", "#e377c2"};
    static const int mark[] = {7, 5, 9, 11, 13};
    fprintf(f, "linecolor rgb '%s' pointtype %d pointsize 0.6 linewidth 1.3 dashtype %d",
            colour[shown % 10], series->peer ? 6 : mark[shown / 10 % 5], series->tols ? 2 : 1);
}

typedef struct panel {
    const char *x, *y;
    int x_column, y_column;
} panel;

static int count_shown(const perp_accuracy *a, int example)
{
    int shown = 0, count;
    for (int s = 0; s < a->nseries; s++) {
        perp_accuracy_points(&count, a, example, s);
        shown += count > 0;
    }
    return shown;
}

/* 1 where the panel has a point: scales are logarithmic, and an answer may be exact. */
static int has_point(const perp_accuracy *a, int example, const panel *one)
{
    for (int s = 0; s < a->nseries; s++) {
        int count;
        const perp_accuracy_point *p = perp_accuracy_points(&count, a, example, s);
        for (int k = 0; k < count; k++) {
            const double x[] = {p[k].h, p[k].steps, p[k].evaluations, p[k].seconds};
            if (strcmp(p[k].status, "solved") == 0 && x[one->x_column - 1] > 0.0 &&
                p[k].error[one->y_column - 5] > 0.0)
                return 1;
        }
    }
    return 0;
}

/* Every series in one panel; with x_column 0 the names of one half of them, as a legend. */
static void write_panel(FILE *f, const perp_accuracy *a, int example, const panel *one)
{
    char data[96];
    int shown = 0, written = 0, half = (count_shown(a, example) + 1) / 2;
    snprintf(data, sizeof data, "%s_%s.dat", a->kind == PERP_ACCURACY_ORDER ? "order" : "precision",
             a->example[example]->name);
    if (one->x_column > 0)
        fprintf(f, "set xlabel '%s'\nset ylabel '%s'\n%s", one->x, one->y,
                has_point(a, example, one) ? "" : "set xrange [1:10]\nset yrange [1:10]\n");
    else
        fprintf(f, "unset xlabel\nunset ylabel\nunset tics\nunset border\nunset grid\nunset "
                   "logscale\nset xrange [0:1]\nset yrange [0:1]\nset key inside left top "
                   "reverse Left samplen 2\n");
    for (int s = 0; s < a->nseries; s++) {
        int count;
        perp_accuracy_points(&count, a, example, s);
        if (count == 0)
            continue;
        if (one->x_column == 0 && shown / half != one->y_column) {
            shown++;
            continue;
        }
        fprintf(f, "%s", written++ ? ", \\\n     " : "plot ");
        if (one->x_column > 0) {
            write_quoted(f, data);
            fprintf(f, " index %d using %d:%d notitle with linespoints ", shown, one->x_column,
                    one->y_column);
            write_style(f, &a->series[s], shown);
        } else {
            fprintf(f, "NaN with linespoints ");
            write_style(f, &a->series[s], shown);
            fprintf(f, " title ");
            write_quoted(f, a->series[s].label);
        }
        shown++;
    }
    fprintf(f, "%s\n", written ? "" : "plot NaN notitle");
}

static void write_picture(FILE *f, const perp_accuracy *a, int example)
{
    static const panel order[] = {
        {"h", "error in q, L1", 1, 5},        {"h", "error in v, L1", 1, 6},        {"", "", 0, 0},
        {"h", "error in q, Hausdorff", 1, 7}, {"h", "error in v, Hausdorff", 1, 8}, {"", "", 0, 1}};
    static const panel precision[] = {
        {"steps", "error in q, L1", 2, 5},   {"evaluations", "error in q, L1", 3, 5},
        {"seconds", "error in q, L1", 4, 5}, {"", "", 0, 0},
        {"steps", "error in v, L1", 2, 6},   {"evaluations", "error in v, L1", 3, 6},
        {"seconds", "error in v, L1", 4, 6}, {"", "", 0, 1}};
    int is_order = a->kind == PERP_ACCURACY_ORDER;
    const panel *panels = is_order ? order : precision;
    int count = is_order ? 6 : 8, across = is_order ? 3 : 4;
    fprintf(f, "set multiplot layout 2,%d title ", across);
    write_quoted(f, a->example[example]->title);
    fprintf(f, "\n");
    for (int k = 0; k < count; k++) {
        if (panels[k].x_column > 0)
            fprintf(f, "set logscale xy\nset format xy '10^{%%T}'\nset grid\nset border\nset "
                       "tics\nset xrange [*:*]\nset yrange [*:*]\nunset key\n");
        write_panel(f, a, example, &panels[k]);
    }
    fprintf(f, "unset multiplot\nset output\n");
}

static void write_script(FILE *f, const perp_accuracy *a, int example, const char *stem)
{
    int wide = a->kind == PERP_ACCURACY_ORDER ? 1080 : 1360;
    fprintf(f,
            "set terminal svg size %d,720 dynamic enhanced background 'white' font 'sans,11'\n"
            "set output '%s.svg.part'\n",
            wide, stem);
    write_picture(f, a, example);
    fprintf(f,
            "set terminal pngcairo size %d,720 enhanced font 'sans,9'\nset output "
            "'%s.png.part'\n",
            wide, stem);
    write_picture(f, a, example);
}

static int draw_one(const perp_accuracy *a, int example)
{
    char stem[64], name[4][96];
    static const char *const ending[] = {"dat", "gp", "svg", "png"};
    snprintf(stem, sizeof stem, "%s_%s", a->kind == PERP_ACCURACY_ORDER ? "order" : "precision",
             a->example[example]->name);
    for (int k = 0; k < 4; k++)
        snprintf(name[k], sizeof name[k], "%s.%s", stem, ending[k]);
    FILE *f = perp_bench_file_begin(a->folder, name[0]);
    if (!f)
        return -1;
    write_data(f, a, example);
    if (perp_bench_file_end(f, a->folder, name[0]) ||
        !(f = perp_bench_file_begin(a->folder, name[1])))
        return -1;
    write_script(f, a, example, stem);
    if (perp_bench_file_end(f, a->folder, name[1]))
        return -1;
    const char *const picture[] = {name[2], name[3]};
    return perp_scene_gnuplot(a->folder, name[1], picture, 2);
}

int perp_accuracy_draw(const perp_accuracy *a)
{
    int how = 0;
    for (int x = 0; x < a->nexamples && how == 0; x++)
        how = draw_one(a, x);
    return how;
}
