/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/kernel/trajectories/reference.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE *find(reference *r, const char *name)
{
    const char *source = getenv("PERP_SOURCE");
    for (r->every = 1; r->every <= 3; r->every++) {
        char path[1024], kind[24] = "";
        if (r->every > 1)
            snprintf(kind, sizeof kind, ".every%d", r->every);
        snprintf(path, sizeof path, "%s/../shared/data/trajectories/%s%s.ref",
                 source ? source : ".", name, kind);
        FILE *file = fopen(path, "r");
        if (file)
            return file;
    }
    return NULL;
}

int reference_open(reference *r, const char *name)
{
    memset(r, 0, sizeof *r);
    snprintf(r->name, sizeof r->name, "%s", name);
    FILE *file = find(r, name);
    if (!file)
        return 0;
    ck_assert_int_eq(fscanf(file, "%d %d", &r->rows, &r->cols), 2);
    ck_assert_int_gt(r->rows, 0);
    ck_assert_int_gt(r->cols, 0);
    ck_assert_int_le(r->cols, REFERENCE_COLUMNS);
    int count = r->rows * r->cols;
    r->x = malloc((size_t)count * sizeof *r->x);
    ck_assert_ptr_nonnull(r->x);
    for (int i = 0; i < count; i++)
        ck_assert_int_eq(fscanf(file, "%lf", &r->x[i]), 1);
    fclose(file);
    return 1;
}

int reference_steps(const reference *r)
{
    return (r->rows - 1) * r->every;
}

const double *reference_row(const reference *r, int k)
{
    return k % r->every || k / r->every >= r->rows ? NULL : r->x + k / r->every * r->cols;
}

void reference_compare(reference *r, int k, const double *ours)
{
    const double *row = reference_row(r, k);
    if (!row)
        return;
    r->compared++;
    for (int j = 0; j < r->cols; j++) {
        if (isnan(ours[j]))
            continue;
        double difference = fabs(ours[j] - row[j]);
        r->seen[j] = 1;
        if (difference > r->largest[j])
            r->largest[j] = difference;
    }
}

static void tabulate(const reference *r, const reference_column *columns)
{
    const char *path = getenv("PERP_TRAJECTORY_TABLE");
    FILE *file = path ? fopen(path, "a") : NULL;
    if (!file)
        return;
    fprintf(file, "%s (%d rows)\n", r->name, r->compared);
    for (int j = 0; j < r->cols && columns[j].name; j++)
        if (r->seen[j])
            fprintf(file, "    %-12s %9.1e   (stated %.1e)\n", columns[j].name, r->largest[j],
                    columns[j].stated);
        else
            fprintf(file, "    %-12s not compared\n", columns[j].name);
    fclose(file);
}

void reference_close(reference *r, const reference_column *columns, double floor, int rows)
{
    tabulate(r, columns);
    ck_assert_int_eq(r->compared, rows ? rows : r->rows);
    for (int j = 0; j < r->cols && columns[j].name; j++) {
        double allowed = fmax(floor, 10.0 * columns[j].stated);
        ck_assert_msg(r->largest[j] <= allowed, "%s: column %s differs by %g, allowed %g", r->name,
                      columns[j].name, r->largest[j], allowed);
    }
    free(r->x);
    r->x = NULL;
}
