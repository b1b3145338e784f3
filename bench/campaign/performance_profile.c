/* SPDX-License-Identifier: BSD-3-Clause */
/* Performance profiles [DolanMore2002]: the share of
 * problems that a solver solves within a factor of the fastest. */
#include "bench/campaign/results_grid.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/campaign/campaign_file.h"
#include "scene/gnuplot.h"

static double fastest(const perp_bench_grid *grid, int tol, int problem)
{
    double best = INFINITY;
    for (int s = 0; s < grid->count; s++) {
        const perp_bench_row *row = perp_bench_cell(grid, s, tol, problem);
        if (!grid->series[s].hidden && perp_bench_judge(row) == PERP_BENCH_SOLVED &&
            perp_bench_seconds(row) < best)
            best = perp_bench_seconds(row);
    }
    return best;
}

static int problems_at(const perp_bench_grid *grid, int tol)
{
    int problems = 0;
    for (int p = 0; p < grid->problems; p++) {
        int seen = 0;
        for (int s = 0; s < grid->count; s++)
            seen |= perp_bench_cell(grid, s, tol, p) != NULL;
        problems += seen;
    }
    return problems;
}

static int rising(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Factors of one series in rising order; returns their number. */
static int factors(double *factor, const perp_bench_grid *grid, int series, int tol)
{
    int count = 0;
    for (int p = 0; p < grid->problems; p++) {
        const perp_bench_row *row = perp_bench_cell(grid, series, tol, p);
        if (perp_bench_judge(row) == PERP_BENCH_SOLVED)
            factor[count++] = perp_bench_seconds(row) / fastest(grid, tol, p);
    }
    qsort(factor, (size_t)count, sizeof *factor, rising);
    return count;
}

static double largest_factor(double *factor, const perp_bench_grid *grid, int tol)
{
    double largest = 2.0;
    for (int s = 0; s < grid->count; s++) {
        int count = grid->series[s].hidden ? 0 : factors(factor, grid, s, tol);
        if (count > 0 && factor[count - 1] > largest)
            largest = factor[count - 1];
    }
    return 1.2 * largest;
}

/* One block of lines per series, "factor share", from 1 to the right edge. */
static void write_steps(FILE *f, double *factor, const perp_bench_grid *grid, int tol, double right)
{
    int problems = problems_at(grid, tol);
    for (int s = 0; s < grid->count; s++) {
        if (grid->series[s].hidden)
            continue;
        int count = factors(factor, grid, s, tol), at_one = 0;
        while (at_one < count && factor[at_one] <= 1.0)
            at_one++;
        fprintf(f, "# %s\n1 %.6g\n", grid->series[s].label, (double)at_one / problems);
        for (int k = at_one; k < count; k++)
            fprintf(f, "%.9g %.6g\n", factor[k], (k + 1.0) / problems);
        fprintf(f, "%.9g %.6g\n\n\n", right, (double)count / problems);
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

/* Eight colours that stand out on white; with five dash types 40 series differ. */
static void write_plot(FILE *f, const perp_bench_grid *grid, const char *data)
{
    static const char *const colour[] = {"#1b6ca8", "#c0392b", "#2e8540", "#8e44ad",
                                         "#d35400", "#16a0a0", "#7f5539", "#333333"};
    int shown = 0;
    for (int s = 0; s < grid->count; s++) {
        if (grid->series[s].hidden)
            continue;
        fprintf(f, "%s", shown ? ", \\\n     " : "plot ");
        write_quoted(f, data);
        fprintf(f,
                " index %d using 1:2 with steps linewidth 2 linecolor rgb '%s' dashtype %d title ",
                shown, colour[shown % 8], shown % 5 + 1);
        write_quoted(f, grid->series[s].label);
        shown++;
    }
    fprintf(f, "\n");
}

static void write_script(FILE *f, const perp_bench_grid *grid, int tol, double right,
                         const char *stem, const char *data)
{
    static const char *const terminal[2][2] = {
        {"svg size 900,600 dynamic noenhanced background 'white' font 'sans,14'", "svg"},
        {"pngcairo size 1200,800 noenhanced font 'sans,14'", "png"}};
    fprintf(f, "set title 'Performance profile at %g, %d problems'\n", grid->tol[tol],
            problems_at(grid, tol));
    fprintf(f,
            "set xlabel 'time / time of the fastest'\nset ylabel 'share of problems solved'\n"
            "set logscale x\nset xrange [1:%.9g]\nset yrange [0:1.02]\n"
            "set key outside right top\nset grid\n",
            right);
    for (int k = 0; k < 2; k++) {
        char picture[80];
        snprintf(picture, sizeof picture, "%s.%s.part", stem, terminal[k][1]);
        fprintf(f, "set terminal %s\nset output ", terminal[k][0]);
        write_quoted(f, picture);
        fprintf(f, "\n");
        write_plot(f, grid, data);
    }
    fprintf(f, "set output\n");
}

static int one_profile(const perp_bench_grid *grid, int tol, const char *folder, double *factor)
{
    char stem[64], data[80], script[80], svg[80], png[80];
    const char *const picture[] = {svg, png};
    double right = largest_factor(factor, grid, tol);
    snprintf(stem, sizeof stem, "profile-%g", grid->tol[tol]);
    snprintf(data, sizeof data, "%s.dat", stem);
    snprintf(script, sizeof script, "%s.gp", stem);
    snprintf(svg, sizeof svg, "%s.svg", stem);
    snprintf(png, sizeof png, "%s.png", stem);
    FILE *f = perp_bench_file_begin(folder, data);
    if (!f)
        return -2;
    write_steps(f, factor, grid, tol, right);
    if (perp_bench_file_end(f, folder, data) || !(f = perp_bench_file_begin(folder, script)))
        return -2;
    write_script(f, grid, tol, right, stem, data);
    if (perp_bench_file_end(f, folder, script))
        return -2;
    return perp_scene_gnuplot(folder, script, picture, 2);
}

int perp_bench_profiles(const perp_bench_grid *grid, const char *folder)
{
    int result = 0;
    double *factor = calloc((size_t)grid->problems + 1, sizeof *factor);
    if (!factor)
        return -2;
    for (int t = 0; t < grid->tols && result >= 0; t++) {
        int one = one_profile(grid, t, folder, factor);
        result = one == 0 ? result : one;
    }
    free(factor);
    return result;
}
