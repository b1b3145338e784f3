/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/campaign/accuracy/accuracy.h"

#include <math.h>
#include <string.h>

/* Errors below it are rounding, and say nothing of an order. */
static const double rounding = 1e-12;

const perp_accuracy_point *perp_accuracy_points(int *count, const perp_accuracy *a, int example,
                                                int series)
{
    int first = 0;
    while (first < a->points &&
           (a->point[first].example != example || a->point[first].series != series))
        first++;
    *count = 0;
    while (first + *count < a->points && a->point[first + *count].example == example &&
           a->point[first + *count].series == series)
        ++*count;
    return a->point + first;
}

static int counts(const perp_accuracy_point *point, int error)
{
    return !strcmp(point->status, "solved") && point->error[error] > rounding;
}

double perp_accuracy_slope(const perp_accuracy_point *point, int count, int error)
{
    double x = 0.0, y = 0.0, xx = 0.0, xy = 0.0;
    int used = 0;
    for (int k = 0; k < count; k++)
        if (counts(&point[k], error)) {
            x += log(point[k].h);
            y += log(point[k].error[error]);
            used++;
        }
    if (used < 3)
        return NAN;
    x /= used;
    y /= used;
    for (int k = 0; k < count; k++)
        if (counts(&point[k], error)) {
            double dx = log(point[k].h) - x;
            xx += dx * dx;
            xy += dx * (log(point[k].error[error]) - y);
        }
    return xy / xx;
}

static void write_text(FILE *f, const char *text)
{
    int quote = text && strpbrk(text, ",\"\n") != NULL;
    if (quote)
        fputc('"', f);
    for (; text && *text; text++) {
        if (*text == '"')
            fputc('"', f);
        fputc(*text == '\n' ? ' ' : *text, f);
    }
    if (quote)
        fputc('"', f);
}

static void write_number(FILE *f, double x, const char *format)
{
    fputc(',', f);
    if (isfinite(x))
        fprintf(f, format, x);
}

void perp_accuracy_write_csv(FILE *f, const perp_accuracy *a)
{
    fprintf(f, "example,series,scheme,parameters,level,h,tol,phases,status,steps,rejected,"
               "evaluations,events,q_l1,v_l1,q_hausdorff,v_hausdorff,seconds,note\n");
    for (int k = 0; k < a->points; k++) {
        const perp_accuracy_point *p = &a->point[k];
        const perp_accuracy_series *series = &a->series[p->series];
        int solved = !strcmp(p->status, "solved");
        write_text(f, a->example[p->example]->name);
        fputc(',', f);
        write_text(f, series->label);
        fputc(',', f);
        write_text(f, series->peer ? series->peer : series->scheme);
        fputc(',', f);
        write_text(f, series->set);
        fprintf(f, ",%d", p->level);
        write_number(f, p->h, "%.17g");
        write_number(f, p->tol, "%.3g");
        fprintf(f, ",%d,%s", a->phases, p->status);
        write_number(f, p->steps, "%.10g");
        write_number(f, p->rejected, "%.10g");
        write_number(f, p->evaluations, "%.10g");
        write_number(f, p->events, "%.10g");
        for (int e = 0; e < PERP_ACCURACY_ERRORS; e++)
            write_number(f, solved ? p->error[e] : NAN, "%.6e");
        write_number(f, p->seconds, "%.6e");
        fputc(',', f);
        write_text(f, p->note);
        fputc('\n', f);
    }
}

static void write_order_row(FILE *f, const char *label, const perp_accuracy_point *p, int count)
{
    const perp_accuracy_point *last = &p[count - 1];
    fprintf(f, "| %-31s ", label);
    for (int e = 0; e < PERP_ACCURACY_ERRORS; e++) {
        double slope = perp_accuracy_slope(p, count, e);
        if (isnan(slope))
            fprintf(f, "|    - ");
        else
            fprintf(f, "| %4.2f ", slope);
    }
    if (strcmp(last->status, "solved") != 0)
        fprintf(f, "| %s: %s |\n", last->status, last->note);
    else
        fprintf(f, "| %8.2e | %8.2e | %8.2e | %8.2e | %8.2e |\n", last->h, last->error[0],
                last->error[1], last->error[2], last->error[3]);
}

static void write_precision_rows(FILE *f, const perp_accuracy_series *series,
                                 const perp_accuracy_point *p, int count)
{
    for (int k = 0; k < count; k++) {
        fprintf(f, "| %-31s | %-3s %8.2e ", k == 0 ? series->label : "", series->tols ? "tol" : "h",
                series->tols ? p[k].tol : p[k].h);
        if (strcmp(p[k].status, "solved") != 0)
            fprintf(f, "| %s: %s |\n", p[k].status, p[k].note);
        else
            fprintf(f,
                    "| %8.2e | %8.2e | %8.2e | %8.2e | %7.0f | %6.0f | %8.0f | %5.1f | %9.2e |\n",
                    p[k].error[0], p[k].error[1], p[k].error[2], p[k].error[3], p[k].steps,
                    p[k].rejected, p[k].evaluations, p[k].events, p[k].seconds);
    }
}

static void write_head(FILE *f, const perp_accuracy *a, int example)
{
    fprintf(f, "%s\n\n", a->example[example]->title);
    if (a->kind == PERP_ACCURACY_ORDER)
        fprintf(f,
                "| %-31s | q L1 | v L1 | q H  | v H  | finest h | q L1     | v L1     | q H      "
                "| v H      |\n|---|---|---|---|---|---|---|---|---|---|\n",
                "order by least squares");
    else
        fprintf(f,
                "| %-31s | %-12s | q L1     | v L1     | q H      | v H      | steps   | reject "
                "| evaluat. | event | seconds   |\n|---|---|---|---|---|---|---|---|---|---|---|\n",
                "series", "h or tol");
}

void perp_accuracy_write_tables(FILE *f, const perp_accuracy *a)
{
    for (int x = 0; x < a->nexamples; x++) {
        write_head(f, a, x);
        for (int s = 0; s < a->nseries; s++) {
            int count;
            const perp_accuracy_point *p = perp_accuracy_points(&count, a, x, s);
            if (count > 0 && a->kind == PERP_ACCURACY_ORDER)
                write_order_row(f, a->series[s].label, p, count);
            else if (count > 0)
                write_precision_rows(f, &a->series[s], p, count);
        }
        fputc('\n', f);
    }
    fprintf(f,
            "L1: norm over all instants; H: Hausdorff distance of the filled-in graphs [ACA10]. "
            "Means over %d "
            "phase%s.\n",
            a->phases, a->phases == 1 ? "" : "s");
}
