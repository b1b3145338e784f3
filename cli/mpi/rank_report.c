/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/mpi/rank_report.h"

#include <stdio.h>

#include "cli/text_report.h"

void perp_report_cut(const perp_petsc_cut *cut, const perp_problem *problem, int ranks)
{
    int bodies = problem->M.kind == PERP_DELASSUS;

    perp_row("ranks", "%d", ranks);
    perp_row("partition", "%s: %d %s, %d pairs of them, %d cut (%.2g %%)", cut->method, cut->bodies,
             bodies ? "bodies" : "blocks of rows", cut->edges, cut->cut,
             cut->edges > 0 ? 100.0 * cut->cut / cut->edges : 0.0);
    perp_row("load", "%d rows on one rank at most, %.0f in the mean", cut->most_rows,
             (double)problem->M.rows / ranks);
}

/* Ranks that are listed; of more the last line tells. */
enum { LISTED = 16 };

void perp_report_ranks(const perp_rank_line *line, const perp_petsc_info *info)
{
    printf("%-12s %9s %9s %9s %9s %9s %9s %9s %10s %9s\n", "", "rows", "bodies", "unknowns",
           "shared", "products", "sweeps", "messages", "bytes", "flops");
    for (int r = 0; r < info->ranks && r < LISTED; r++) {
        const perp_petsc_load *load = &line[r].load;
        char name[24];

        snprintf(name, sizeof name, "  rank %d", r);
        perp_row(name, "%9d %9d %9d %9d %9.0f %9.0f %9.0f %10.4g %9.3g", load->rows, line[r].bodies,
                 load->unknowns, load->shared, load->products, load->sweeps, load->messages,
                 load->bytes, load->flops);
    }
    if (info->ranks > LISTED)
        perp_row("  ...", "%d ranks more (--json lists all)", info->ranks - LISTED);
    perp_row("  all", "%9d %9s %9s %9s %9.0f %9.0f %9.0f %10.4g %9.3g", info->sum.rows, "", "", "",
             info->sum.products, info->sum.sweeps, info->sum.messages, info->sum.bytes,
             info->sum.flops);
    perp_row("imbalance", "%.3f: most flops of a rank over the mean; %.0f sums over the ranks",
             info->imbalance, info->own.sums);
}

void perp_json_load(perp_json *json, const perp_petsc_load *load)
{
    perp_json_integer(json, "rows", load->rows);
    perp_json_integer(json, "blocks", load->blocks);
    perp_json_integer(json, "unknowns", load->unknowns);
    perp_json_integer(json, "shared", load->shared);
    perp_json_integer(json, "neighbours", load->neighbours);
    perp_json_real(json, "products", load->products);
    perp_json_real(json, "sweeps", load->sweeps);
    perp_json_real(json, "messages", load->messages);
    perp_json_real(json, "message_bytes", load->bytes);
    perp_json_real(json, "sums", load->sums);
    perp_json_real(json, "sum_bytes", load->sum_bytes);
    perp_json_real(json, "flops", load->flops);
}

void perp_json_cut(perp_json *json, const perp_petsc_cut *cut)
{
    perp_json_object(json, "partition");
    perp_json_text(json, "method", cut->method);
    perp_json_integer(json, "bodies", cut->bodies);
    perp_json_integer(json, "edges", cut->edges);
    perp_json_integer(json, "cut", cut->cut);
    perp_json_integer(json, "most_rows", cut->most_rows);
    perp_json_end_object(json);
}

void perp_json_ranks(perp_json *json, const perp_petsc_cut *cut, const perp_rank_line *line,
                     const perp_petsc_info *info)
{
    perp_json_cut(json, cut);
    perp_json_array(json, "ranks");
    for (int r = 0; r < info->ranks; r++) {
        perp_json_object(json, NULL);
        perp_json_integer(json, "own_bodies", line[r].bodies);
        perp_json_load(json, &line[r].load);
        perp_json_end_object(json);
    }
    perp_json_end_array(json);
    perp_json_object(json, "counts");
    perp_json_load(json, &info->sum);
    perp_json_real(json, "imbalance", info->imbalance);
    perp_json_end_object(json);
}
