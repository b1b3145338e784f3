/* SPDX-License-Identifier: BSD-3-Clause */
/* The virtual best of a peer as a series of its own. */
#include "bench/campaign/results_grid.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const best_ending = ":best";

static int is_peer(const perp_bench_row *row)
{
    return strchr(row->solver, ':') != NULL;
}

int perp_bench_is_best(const perp_bench_row *row)
{
    const char *colon = strchr(row->solver, ':');
    return colon && !strcmp(colon, best_ending);
}

void perp_bench_merge_limits(perp_bench_table *table)
{
    for (int k = 0; k < table->rows; k++) {
        const char *longest = table->row[k].settings;
        if (!is_peer(&table->row[k]))
            continue;
        for (int j = 0; j < table->rows; j++) {
            const char *other = table->row[j].settings;
            if (is_peer(&table->row[j]) && perp_bench_same_but_limit(other, longest) &&
                perp_bench_limit_of(other) > perp_bench_limit_of(longest))
                longest = other;
        }
        table->row[k].settings = longest;
    }
}

int perp_bench_first_peer(char *prefix, size_t size, const perp_bench_table *table)
{
    for (int k = 0; k < table->rows; k++) {
        const char *solver = table->row[k].solver, *colon = strchr(solver, ':');
        if (colon) {
            snprintf(prefix, size, "%.*s", (int)(colon - solver) + 1, solver);
            return 1;
        }
    }
    return 0;
}

static int same_cell(const perp_bench_row *a, const perp_bench_row *b)
{
    return a->tol <= b->tol && a->tol >= b->tol && !strcmp(a->problem, b->problem);
}

static int is_solved(const perp_bench_row *row)
{
    return !strcmp(row->run.status, "solved") && row->run.error <= PERP_BENCH_BEST_SLACK * row->tol;
}

/* Has this run been made again further down? */
static int is_old(const perp_bench_table *table, int k, int rows)
{
    const perp_bench_row *row = &table->row[k];
    for (int j = k + 1; j < rows; j++)
        if (same_cell(&table->row[j], row) && !strcmp(table->row[j].solver, row->solver))
            return 1;
    return 0;
}

/* Row k stands for its cell when it is the first of the peer there. */
static int is_first(const perp_bench_table *table, int k, size_t prefix, const char *name)
{
    for (int j = 0; j < k; j++)
        if (!strncmp(table->row[j].solver, name, prefix) &&
            same_cell(&table->row[j], &table->row[k]))
            return 0;
    return 1;
}

static perp_bench_row best_of(const perp_bench_table *table, int first, int rows, size_t prefix,
                              const char *name)
{
    perp_bench_row best = table->row[first];
    const perp_bench_row *winner = NULL;
    int refused = 1;
    for (int k = first; k < rows; k++) {
        const perp_bench_row *row = &table->row[k];
        if (strncmp(row->solver, name, prefix) || !same_cell(row, &best) || is_old(table, k, rows))
            continue;
        refused &= !strcmp(row->run.status, "err-unsupported");
        if (is_solved(row) && (!winner || perp_bench_seconds(row) < perp_bench_seconds(winner)))
            winner = row;
    }
    if (winner)
        best = *winner;
    snprintf(best.run.note, sizeof best.run.note, "%.100s",
             winner ? winner->solver + prefix : "nobody");
    if (!winner) {
        snprintf(best.run.status, sizeof best.run.status, "%s",
                 refused ? "err-unsupported" : "unsolved");
        best.run.error = best.run.setup = best.run.solve = NAN;
    }
    best.host = best.commit = "";
    best.solver = name;
    return best;
}

int perp_bench_add_best(perp_bench_table *table, const char *name)
{
    size_t prefix = strcspn(name, ":") + 1;
    int rows = table->rows;
    const char *settings = "";
    for (int k = 0; k < rows; k++) {
        if (strncmp(table->row[k].solver, name, prefix) || !is_first(table, k, prefix, name))
            continue;
        perp_bench_row best = best_of(table, k, rows, prefix, name);
        settings = settings[0] ? settings : best.settings;
        best.settings = settings;
        if (table->rows == table->capacity) {
            int capacity = 2 * table->capacity + 64;
            perp_bench_row *more = realloc(table->row, (size_t)capacity * sizeof *more);
            if (!more)
                return -1;
            table->row = more;
            table->capacity = capacity;
        }
        table->row[table->rows++] = best;
    }
    return 0;
}
