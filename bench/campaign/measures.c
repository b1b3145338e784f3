/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the two measures of an error disagree about a run. */
#include "bench/campaign/results_grid.h"

#include <math.h>

/* One within tol, the other ten times above it. */
static int differ(const perp_bench_row *row)
{
    double natural = row->run.residual.natural, scaled = row->run.residual.scaled;
    return !isnan(natural) && !isnan(scaled) && fmin(natural, scaled) <= row->tol &&
           fmax(natural, scaled) > 10.0 * row->tol;
}

int perp_bench_write_measures(FILE *f, const perp_bench_grid *grid)
{
    int found = 0;
    for (int t = 0; t < grid->tols; t++) {
        for (int p = 0; p < grid->problems; p++) {
            for (int s = 0; s < grid->count; s++) {
                const perp_bench_row *row = perp_bench_cell(grid, s, t, p);
                if (grid->series[s].hidden || !row || !differ(row))
                    continue;
                if (!found++)
                    fprintf(f, "| tol | problem | solver | natural | scaled |\n"
                               "|---|---|---|---|---|\n");
                fprintf(f, "| %g | %s | %s | %.1e | %.1e |\n", grid->tol[t], grid->problem[p],
                        grid->series[s].label, row->run.residual.natural, row->run.residual.scaled);
            }
        }
    }
    return found;
}
