/* SPDX-License-Identifier: BSD-3-Clause */
/* The matrix N W^-1 G' + D of a solve, all entries of it at once. */
#include <string.h>

#include "kernel/derivative/stage_system.h"
#include "numerics/core/clones.h"

PERP_CLONES void perp_tape_stage_sum(double *restrict y, const double *restrict x,
                                     const double *restrict c, int count, size_t n, int more)
{
    int k = 0;
    if (!more)
        for (size_t j = 0; j < n; j++)
            y[j] = count > 0 ? c[0] * x[j] : 0.0;
    if (!more && count > 0) {
        k = 1;
        x += n;
    }
    for (; k + 3 <= count; k += 3, x += 3 * n)
        for (size_t j = 0; j < n; j++)
            y[j] += c[k] * x[j] + c[k + 1] * x[n + j] + c[k + 2] * x[2 * n + j];
    for (; k < count; k++, x += n)
        for (size_t j = 0; j < n; j++)
            y[j] += c[k] * x[j];
}

void perp_tape_stage_lay_out(double *to, const int *place, int count, const perp_tape *tape,
                             const perp_tape_solve_stage *solve)
{
    const perp_tape_stage_system *s = tape->stage_system;
    size_t n = (size_t)s->rest, first = 0;
    memset(to, 0, sizeof(double) * n * (size_t)count);
    for (const perp_tape_part *p = solve->parts; p; p = p->next) {
        if (p->rows == 0 || perp_tape_stage_eliminates(s, p))
            continue;
        for (int k = 0, at = 0; k < p->nsystems; k++) {
            const perp_tape_system *own = &tape->systems[p->system[k]];
            double *of_dof = to + (size_t)(place ? place[own->at] : own->at) * n + first;
            for (int v = 0; v < own->nv; v++, at++, of_dof += n)
                for (size_t i = 0; i < (size_t)p->rows; i++)
                    of_dof[i] = p->N[i + (size_t)at * (size_t)p->rows];
        }
        first += (size_t)p->rows;
    }
}

/* K^-T N', one row of N after the other. */
static void solve_row_by_row(double *to, const double *from, perp_tape_stage_system *s)
{
    size_t n = (size_t)s->rest;
    for (size_t i = 0; i < n; i++) {
        for (size_t d = 0; d < (size_t)s->dofs; d++)
            s->part[d] = from[d * n + i];
        perp_tape_stage_solve_transposed(s, s->part);
        for (size_t d = 0; d < (size_t)s->dofs; d++)
            to[d * n + i] = s->part[d];
    }
}

void perp_tape_stage_columns(perp_tape *tape, const perp_tape_solve_stage *solve, const double *to)
{
    perp_tape_stage_system *s = tape->stage_system;
    size_t n = (size_t)s->rest, j = 0;
    for (const perp_tape_part *p = solve->parts; p; p = p->next) {
        for (int i = 0; i < p->rows && !perp_tape_stage_eliminates(s, p); i++, j++) {
            double *column = s->m_x + j * n, *row = s->gather[0];
            for (int v = 0; v < p->nv; v++)
                row[v] = p->G[(size_t)i + (size_t)v * (size_t)p->rows];
            for (int k = 0; k < p->nsystems; k++) {
                const perp_tape_system *own = &tape->systems[p->system[k]];
                perp_tape_stage_sum(column, to + (size_t)own->at * n, row, own->nv, n, k > 0);
                row += own->nv;
            }
            column[j] += p->diagonal ? p->diagonal[i] : 0.0;
        }
    }
}

int perp_tape_stage_matrix(perp_tape *tape, const perp_tape_solve_stage *solve)
{
    perp_tape_stage_system *s = tape->stage_system;
    size_t n = (size_t)s->rest, dofs = (size_t)s->dofs;
    double *from = perp_tape_work(tape, 2 * n * dofs), *to = from ? from + n * dofs : NULL;
    if (!from)
        return 0;
    perp_tape_stage_lay_out(from, NULL, tape->dofs, tape, solve);
    solve_row_by_row(to, from, s);
    perp_tape_stage_columns(tape, solve, to);
    return 1;
}
