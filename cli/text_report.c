/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/text_report.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "cli/help.h"

void perp_row(const char *label, const char *format, ...)
{
    va_list arguments;

    printf("%-12s ", label);
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    putchar('\n');
}

const char *perp_describe_class(const perp_problem_file *file)
{
    int rolling = file->mu_r != NULL;

    switch (file->cls) {
    case PERP_CLASS_FRICTION:
        if (rolling)
            return file->spacedim == 3   ? "2D rolling friction, local form"
                   : file->spacedim == 4 ? "3D torsional friction, local form"
                   : file->spacedim == 6 ? "3D rolling and torsional friction, local form"
                                         : "3D rolling friction, local form";
        return file->spacedim == 2 ? "2D friction, local form" : "3D friction, local form";
    case PERP_CLASS_GLOBAL:
        if (rolling)
            return file->spacedim == 3   ? "2D rolling friction, global form"
                   : file->spacedim == 4 ? "3D torsional friction, global form"
                   : file->spacedim == 6 ? "3D rolling and torsional friction, global form"
                                         : "3D rolling friction, global form";
        return file->spacedim == 2 ? "2D friction, global form" : "3D friction, global form";
    case PERP_CLASS_LCP:
        return "linear complementarity";
    case PERP_CLASS_MLCP:
        return "mixed linear complementarity";
    case PERP_CLASS_RELAY:
        return "relay (box)";
    default:
        return "unknown";
    }
}

long long perp_same_segments(const perp_problem *problem, int *k)
{
    const perp_segment *first = &problem->seg[*k];
    long long count = 0;

    for (; *k < problem->nseg && problem->seg[*k].set == first->set &&
           problem->seg[*k].dim == first->dim;
         ++*k)
        count += problem->seg[*k].count;
    return count;
}

/* "1236 rows: 412 COULOMB of 3, 6 FREE" */
static void print_sets(const perp_problem *problem)
{
    int printed = 0;

    printf("%-12s %d:", "rows", problem->M.rows);
    for (int k = 0; k < problem->nseg;) {
        const perp_segment *seg = &problem->seg[k];
        long long count = perp_same_segments(problem, &k);

        if (count == 0)
            continue;
        if (printed++ == 8) {
            printf(" ...");
            break;
        }
        printf("%s %lld %s", printed > 1 ? "," : "", count, perp_set_name(seg->set));
        if (seg->dim > 1)
            printf(" of %d", seg->dim);
    }
    putchar('\n');
}

void perp_report_problem(const char *path, const perp_problem_file *file,
                         const perp_problem *problem)
{
    perp_row("problem", "%s", path);
    if (file->title[0] != '\0')
        perp_row("title", "%s", file->title);
    perp_row("class", "%s", perp_describe_class(file));
    if (file->cls == PERP_CLASS_GLOBAL) {
        perp_row("size", "%d contacts, %d degrees of freedom, %d bilateral rows", file->contacts,
                 file->dofs, file->bilateral);
    } else if (file->cls == PERP_CLASS_FRICTION) {
        perp_row("size", "%d contacts, %d bilateral rows", file->contacts, file->bilateral);
    }
    print_sets(problem);
    if (file->note[0] != '\0')
        perp_row("note", "%s", file->note);
}

static void print_notes(const perp_info *info)
{
    if (info->notes & PERP_NOTE_UNREAD) {
        perp_row("note", "setting '%s' was changed, but %s does not read it",
                 info->where.what != NULL ? info->where.what : "?", info->solver);
    }
    if (info->notes & PERP_NOTE_NO_SCALED)
        perp_row("note", "the matrix has no diagonal: only the natural measure was judged");
    if (info->notes & PERP_NOTE_SUBSTITUTE)
        perp_row("note", "some scales come from neighbours, their diagonal being negligible");
    if (info->notes & PERP_NOTE_BEST)
        perp_row("note", "the answer is the best iterate, not the last one");
    if (info->notes & PERP_NOTE_DEAR)
        perp_row("note", "more than a hundred times the work of its cheapest stage");
    if (info->notes & PERP_NOTE_FLOOR)
        perp_row("note",
                 "its error is that of rounding it to doubles (%.1e): no iterate does better",
                 info->floor);
}

/* The decision trail of `auto`. */
static void print_stages(const perp_info *info)
{
    for (int k = 0; k < info->nstages; k++) {
        const perp_stage *stage = &info->stages[k];

        perp_row(k == 0 ? "stages" : "",
                 "%s: %d iterations, %d factorisations, error %.2e to %.2e, %.3g s", stage->solver,
                 stage->iterations, stage->factorisations, stage->first, stage->best,
                 stage->seconds);
        perp_row("", "  %s", stage->why);
    }
}

static const char *measure_words(int measure)
{
    return measure == PERP_MEASURE_NATURAL  ? "natural"
           : measure == PERP_MEASURE_SCALED ? "scaled"
                                            : "natural and scaled";
}

void perp_report_result(const perp_info *info, const perp_settings *settings, int verbose)
{
    const perp_residuals *r = &info->residual;

    if (info->status == PERP_INFEASIBLE)
        perp_row("status", "no solution: %s", perp_status_text(info->status));
    else if (info->status == PERP_INFEASIBLE_WITHIN)
        perp_row("status", "no solution with all |z_i| below %.3g: shown; a larger one may exist",
                 info->reach);
    else
        perp_row("status", "%s: %s", info->status == PERP_SOLVED ? "solved" : "stopped early",
                 perp_status_text(info->status));
    if (info->detail[0] != '\0')
        perp_row("", "%s", info->detail);
    perp_row("iterations", "%d", info->iterations);
    if (info->factorisations > 0)
        perp_row("factorised", "%d times", info->factorisations);
    perp_row("time", "%.4g s set-up, %.4g s solve", info->setup_seconds, info->solve_seconds);
    if (verbose)
        print_stages(info);
    if (verbose)
        perp_row("memory", "%.3g MiB held by the solver", (double)info->bytes / 1048576.0);
    perp_row("certificate", "recomputed from the file's data; tol %.3g on %s", settings->tol,
             measure_words(settings->measure));
    perp_row("  natural", "%.3e", r->natural);
    if (isnan(r->scaled))
        perp_row("  scaled", "none");
    else
        perp_row("  scaled", "%.3e", r->scaled);
    perp_row("  primal", "%.3e   distance of z to K", r->primal);
    perp_row("  dual", "%.3e   distance of w + s to the dual cone", r->dual);
    perp_row("  gap", "%.3e   |z . (w + s)|", r->gap);
    print_notes(info);
}
