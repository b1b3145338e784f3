/* SPDX-License-Identifier: BSD-3-Clause */
/* The tables of scenes.md: a table a scene. */
#include <math.h>
#include <string.h>

#include "bench/campaign/engines/scene_bench.h"

static void cell(FILE *f, const char *format, double x)
{
    if (isnan(x))
        fputs(" - |", f);
    else
        fprintf(f, format, x);
}

/* Lengths in mm. */
static void length_cell(FILE *f, double x)
{
    if (isnan(x))
        fputs(" - |", f);
    else if (x > 0.0 && x < 1e-9)
        fputs(" <1e-6 |", f);
    else
        fprintf(f, " %.3g |", 1e3 * x);
}

static void write_ending(FILE *f, const scene_row *row)
{
    fprintf(f, " %s", row->status);
    if (strcmp(row->status, "done") != 0 && row->figures.steps > 0)
        fprintf(f, " at t = %.3g", row->figures.t);
    if (row->note[0] != '\0')
        fprintf(f, ": %s", row->note);
    fputs(" |\n", f);
}

static void write_line(FILE *f, const scene_row *row, int rests, int law, int joints)
{
    const motion_figures *g = &row->figures;
    double steps = g->steps > 0 ? (double)g->steps : NAN, bad = g->steps > 0 ? 0.0 : NAN;

    fprintf(f, "| %s %s |", row->engine, row->variant);
    length_cell(f, g->overlap + bad);
    if (joints)
        length_cell(f, g->opening + bad);
    if (rests) {
        length_cell(f, g->creep + bad);
        length_cell(f, g->sink + bad);
        if (g->steps <= 0)
            fputs(" - |", f);
        else if (g->fallen > 0)
            fprintf(f, " **%ld of %d fell** |", g->fallen, row->bodies);
        else
            fputs(" stands |", f);
    }
    cell(f, " %.1e |", g->energy + bad);
    if (law)
        cell(f, " %.4g |", g->observed + bad);
    if (isnan(g->worst))
        fputs(" not given | not given |", f);
    else
        fprintf(f, " %.0e | %.0e |", g->worst, g->median);
    if (g->early < 0)
        fputs(" not given |", f);
    else
        fprintf(f, " %ld of %ld |", g->early, g->steps);
    cell(f, " %.1f |", g->contacts);
    cell(f, " %.3g |", 1e3 * g->seconds / steps);
    cell(f, " %.2g |", g->contacts * steps / g->seconds);
    cell(f, " %.0f |", row->peak_kb >= 0 ? (double)row->peak_kb / 1024.0 : NAN);
    write_ending(f, row);
}

/* A later run of the same scene, engine and settings, by another version, say. */
static int is_replaced(const scene_results *results, int row)
{
    const scene_row *a = &results->row[row];

    for (int k = row + 1; k < results->rows; k++) {
        const scene_row *b = &results->row[k];
        if (strcmp(a->scene, b->scene) == 0 && strcmp(a->engine, b->engine) == 0 &&
            strcmp(a->variant, b->variant) == 0)
            return 1;
    }
    return 0;
}

static void write_scene(FILE *f, const scene_results *results, const char *name)
{
    rigid_scene scene;
    const scene_row *first = NULL;
    int rests, law, joints;

    if (rigid_scene_make(&scene, name, NULL, 0) != RIGID_MADE)
        return;
    for (int k = 0; k < results->rows && first == NULL; k++)
        if (strcmp(results->row[k].scene, name) == 0)
            first = &results->row[k];
    rests = scene.rests;
    law = scene.law != RIGID_LAW_NONE;
    joints = scene.joints > 0;
    fprintf(f, "### %d. %s: %s\n\n%d bodies, h = %.4g s, to t = %g s", scene.number, name,
            scene.title, scene.bodies, first->h, first->until);
    if (law && !isnan(scene.expected))
        fprintf(f, "; the law says %.4g", scene.expected);
    fputs(".\n\n| engine | overlap, mm |", f);
    fputs(joints ? " opening, mm |" : "", f);
    fputs(rests ? " creep, mm | sink, mm | standing |" : "", f);
    fputs(" energy from nothing |", f);
    if (law)
        fprintf(f, " %s |", rigid_law_title(scene.law));
    fputs(" residual, worst | median | ended early | contacts | ms a step | contacts a second | MB "
          "| ended |\n|---|---|",
          f);
    fputs(joints ? "---|" : "", f);
    fputs(rests ? "---|---|---|" : "", f);
    fputs(law ? "---|" : "", f);
    fputs("---|---|---|---|---|---|---|---|---|\n", f);
    for (int k = 0; k < results->rows; k++)
        if (strcmp(results->row[k].scene, name) == 0 && !is_replaced(results, k))
            write_line(f, &results->row[k], rests, law, joints);
    fputc('\n', f);
    rigid_scene_free(&scene);
}

static int seen(const scene_results *results, int row)
{
    for (int k = 0; k < row; k++)
        if (strcmp(results->row[k].scene, results->row[row].scene) == 0)
            return 1;
    return 0;
}

static void write_engines(FILE *f, const scene_results *results)
{
    scene_engine engine;

    fputs("| engine | version | settings |\n|---|---|---|\n", f);
    for (int k = 0; scene_engine_at(&engine, k) == 0; k++)
        for (int r = 0; r < results->rows; r++) {
            const scene_row *row = &results->row[r];
            if (strcmp(row->engine, engine.name) != 0 || strcmp(row->variant, engine.variant) != 0)
                continue;
            fprintf(f, "| %s %s | %s | %s |\n", engine.name, engine.variant, row->version,
                    engine.settings);
            break;
        }
    fputc('\n', f);
}

void scene_tables_write(FILE *f, const scene_results *results)
{
    write_engines(f, results);
    fputs("What matters most in each scene, settings in the order above; ! where more than a tenth "
          "of "
          "the energy came\nfrom nothing, * where the run did not come to its end:\n\n",
          f);
    scene_digest_write(f, results, 0);
    fputs("Milliseconds of processor time a step:\n\n", f);
    scene_digest_write(f, results, 1);
    for (int k = 0; k < results->rows; k++)
        if (!seen(results, k))
            write_scene(f, results, results->row[k].scene);
}
