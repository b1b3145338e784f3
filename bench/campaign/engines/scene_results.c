/* SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <perp/base.h>

#include "bench/campaign/engines/scene_bench.h"
#include "bench/campaign/campaign_file.h"
#include "scene/files.h"

static const char file[] = "scenes.csv";
static const char header[] =
    "scene,engine,settings,version,h,until,limit,bodies,status,steps,t,seconds,contacts,overlap,"
    "opening,creep,sink,fallen,energy,expected,observed,worst_residual,median_residual,early,"
    "peak_kb,note\n";
enum { COLUMNS = 26 };

static void write_number(FILE *f, double x)
{
    if (isnan(x))
        fputc(',', f);
    else
        fprintf(f, "%.9g,", x);
}

static void write_count(FILE *f, long count)
{
    if (count < 0)
        fputc(',', f);
    else
        fprintf(f, "%ld,", count);
}

/* No field holds a comma, a quote or a line end. */
static void write_row(FILE *f, const scene_row *row)
{
    const motion_figures *g = &row->figures;

    fprintf(f, "%s,%s,%s,%s,", row->scene, row->engine, row->variant, row->version);
    write_number(f, row->h);
    write_number(f, row->until);
    write_number(f, row->limit);
    fprintf(f, "%d,%s,%ld,", row->bodies, row->status, g->steps);
    write_number(f, g->t);
    write_number(f, g->seconds);
    write_number(f, g->contacts);
    write_number(f, g->overlap);
    write_number(f, g->opening);
    write_number(f, g->creep);
    write_number(f, g->sink);
    write_count(f, g->fallen);
    write_number(f, g->energy);
    write_number(f, row->expected);
    write_number(f, g->observed);
    write_number(f, g->worst);
    write_number(f, g->median);
    write_count(f, g->early);
    write_count(f, row->peak_kb);
    fprintf(f, "%s\n", row->note);
}

int scene_results_write(const scene_results *results, const char *folder)
{
    FILE *f = perp_bench_file_begin(folder, file);

    if (f == NULL)
        return -1;
    fputs(header, f);
    for (int k = 0; k < results->rows; k++)
        write_row(f, &results->row[k]);
    return perp_bench_file_end(f, folder, file);
}

static double number(const char *text)
{
    double x;

    return perp_number_read(text, &x) != NULL ? x : NAN;
}

static long whole(const char *text)
{
    return *text != '\0' ? strtol(text, NULL, 10) : -1;
}

static void copy(char *to, size_t size, const char *from)
{
    snprintf(to, size, "%s", from);
}

/* Cuts the line in place.  0, or -1: not as many fields as there are columns. */
static int read_row(scene_row *row, char *line)
{
    char *field[COLUMNS];
    motion_figures *g = &row->figures;
    int k = 0;

    memset(row, 0, sizeof *row);
    line[strcspn(line, "\r\n")] = '\0';
    for (char *at = line; k < COLUMNS; k++) {
        field[k] = at;
        at = strchr(at, ',');
        if (at == NULL)
            break;
        *at++ = '\0';
    }
    if (k != COLUMNS - 1)
        return -1;
    copy(row->scene, sizeof row->scene, field[0]);
    copy(row->engine, sizeof row->engine, field[1]);
    copy(row->variant, sizeof row->variant, field[2]);
    copy(row->version, sizeof row->version, field[3]);
    row->h = number(field[4]);
    row->until = number(field[5]);
    row->limit = number(field[6]);
    row->bodies = (int)whole(field[7]);
    copy(row->status, sizeof row->status, field[8]);
    g->steps = whole(field[9]);
    g->t = number(field[10]);
    g->seconds = number(field[11]);
    g->contacts = number(field[12]);
    g->overlap = number(field[13]);
    g->opening = number(field[14]);
    g->creep = number(field[15]);
    g->sink = number(field[16]);
    g->fallen = whole(field[17]);
    g->energy = number(field[18]);
    row->expected = number(field[19]);
    g->observed = number(field[20]);
    g->worst = number(field[21]);
    g->median = number(field[22]);
    g->early = whole(field[23]);
    g->finite = 1;
    row->peak_kb = whole(field[24]);
    copy(row->note, sizeof row->note, field[25]);
    return 0;
}

int scene_results_read(scene_results *results, const char *folder, char *message, size_t size)
{
    char line[2048];
    perp_scene_path_text path = perp_scene_join(folder, file);
    FILE *f = fopen(path.text, "r");
    int number_of = 1, code = 0;

    memset(results, 0, sizeof *results);
    if (f == NULL && errno == ENOENT)
        return 0;
    if (f == NULL || fgets(line, sizeof line, f) == NULL || strcmp(line, header) != 0) {
        snprintf(message, size, "%.900s: %s", path.text,
                 f == NULL ? strerror(errno) : "no results of perp bench scenes");
        code = -1;
    }
    while (code == 0 && fgets(line, sizeof line, f) != NULL) {
        scene_row row;
        number_of++;
        if (read_row(&row, line) != 0) {
            snprintf(message, size, "%.900s: line %d has not %d columns", path.text, number_of,
                     COLUMNS);
            code = -1;
        } else if (scene_results_put(results, &row) != 0) {
            snprintf(message, size, "%s", perp_status_text(PERP_ERR_MEMORY));
            code = -1;
        }
    }
    if (f != NULL)
        fclose(f);
    if (code != 0)
        scene_results_free(results);
    return code;
}

void scene_results_free(scene_results *results)
{
    free(results->row);
    memset(results, 0, sizeof *results);
}

/* As they are in the file. */
static int same(double a, double b)
{
    return fabs(a - b) <= 1e-8 * fabs(b);
}

scene_row *scene_results_find(scene_results *results, const scene_row *like)
{
    for (int k = 0; k < results->rows; k++) {
        scene_row *row = &results->row[k];
        if (strcmp(row->scene, like->scene) == 0 && strcmp(row->engine, like->engine) == 0 &&
            strcmp(row->variant, like->variant) == 0 && strcmp(row->version, like->version) == 0 &&
            same(row->h, like->h) && same(row->until, like->until))
            return row;
    }
    return NULL;
}

int scene_results_put(scene_results *results, const scene_row *row)
{
    scene_row *there = scene_results_find(results, row);

    if (there != NULL) {
        *there = *row;
        return 0;
    }
    if (results->rows == results->capacity) {
        int capacity = 2 * results->capacity + 64;
        scene_row *made = realloc(results->row, (size_t)capacity * sizeof *made);
        if (made == NULL)
            return -1;
        results->row = made;
        results->capacity = capacity;
    }
    results->row[results->rows++] = *row;
    return 0;
}
