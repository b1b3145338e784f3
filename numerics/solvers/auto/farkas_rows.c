/* SPDX-License-Identifier: BSD-3-Clause */
#include "solvers/auto/farkas_rows.h"

#include <math.h>
#include <string.h>

#include "linalg/mass.h"
#include "problem/proof.h"
#include "sets/rolling.h"

/* Directions around a disk at first, of balls of so many entries at most, and those that may be
 * added to each block. */
enum { AROUND = 8, ROUND_MOST = 8, CUTS = 16 };
static const double outside = 1e-9, turn = 2.0 * 3.14159265358979323846;
/* Part of the largest z from which a block is one of the large. */
static const double large_part = 0.02;

static perp_status motions(perp_farkas_rows *p, const perp_mat *M)
{
    const perp_mass *mass = M->as.delassus.mass;
    int dofs = M->as.delassus.dofs;
    perp_csc H = {dofs, M->cols, (int *)M->as.delassus.colptr, (int *)M->as.delassus.row,
                  (double *)M->as.delassus.x};
    p->diagonal = M->as.delassus.diagonal;
    p->weight = PERP_TAKE(p->arena, double, dofs);
    if (!p->weight)
        return PERP_ERR_MEMORY;
    for (int i = 0; i < dofs; i++)
        p->weight[i] = 1.0;
    for (int k = 0; k < mass->nblocks; k++) {
        const perp_mass_block *b = &mass->blocks[k];
        for (int i = 0; i < b->dim; i++)
            p->weight[mass->dof[b->first + i]] = 1.0 / mass->inverses[b->inverse + (size_t)(i + i * b->dim)];
    }
    return perp_csc_transpose(&p->A, &H, p->arena);
}

perp_status perp_farkas_unknowns(perp_farkas_rows *p, perp_work *work, int moved,
                                 perp_arena *arena)
{
    const perp_blocks *blocks = &work->blocks;
    perp_status status;
    *p = (perp_farkas_rows){.work = work, .arena = arena};
    if (moved) {
        status = motions(p, &work->problem->M);
    } else {
        status = perp_csc_from_mat(&p->A, &work->problem->M, arena);
        p->weight = PERP_TAKE(arena, double, blocks->n);
        for (int k = 0; p->weight && k < blocks->count; k++)
            for (int i = blocks->at[k].row; i < blocks->at[k].row + blocks->at[k].dim; i++)
                p->weight[i] = work->scaling.d ? work->scaling.d[k] * work->scaling.d[k] : 1.0;
    }
    if (status != PERP_SOLVED || arena->failed)
        return status != PERP_SOLVED ? status : PERP_ERR_MEMORY;
    for (int i = 0; i < p->A.cols; i++)
        if (!(p->weight[i] > 0.0) || !isfinite(p->weight[i]))
            p->weight[i] = 1.0;
    return PERP_SOLVED;
}

/* One line more over `dim` rows or unknowns, coefficients 0.  NULL: no space or no memory. */
static perp_farkas_line *add(perp_farkas_rows *p, int of_w, int row, int dim, double b)
{
    double *c = p->lines < p->most ? perp_arena_take_zero(p->arena, (size_t)dim, sizeof(double))
                                   : NULL;
    if (!c)
        return NULL;
    perp_farkas_line *line = &p->line[p->lines++];
    *line = (perp_farkas_line){row, dim, b, c, (unsigned char)of_w, 0};
    return line;
}

static void add_sign(perp_farkas_rows *p, int row, double sign, int equality)
{
    perp_farkas_line *line = add(p, 1, row, 1, 0.0);
    if (line) {
        line->c[0] = sign;
        line->equality = (unsigned char)equality;
    }
}

static void add_bound(perp_farkas_rows *p, int row, double sign, double b)
{
    perp_farkas_line *line = add(p, 0, row, 1, b);
    if (line)
        line->c[0] = sign;
}

/* r x_N - d.x_T >= 0, or r - d.x_T >= 0 where r is a radius, with n tangents from `from` on; d over
 * its length. */
static void add_edge(perp_farkas_rows *p, int of_w, const perp_block *block, int from, int n,
                     double r, const double *d)
{
    int radius = block->set == PERP_TRESCA;
    double length = 0.0;
    perp_farkas_line *line = add(p, of_w, block->row, from + n, radius ? r : 0.0);
    if (!line)
        return;
    for (int i = 0; i < n; i++)
        length = hypot(length, d[i]);
    /* Of w the dual cone, w_N >= mu |w_T|. */
    line->c[0] = radius ? 0.0 : of_w ? 1.0 : r;
    for (int i = 0; i < n; i++)
        line->c[from + i] = -(of_w ? r : 1.0) * d[i] / length;
}

static void add_disk(perp_farkas_rows *p, int of_w, const perp_block *block, int from, int n,
                     double r)
{
    double d[ROUND_MOST] = {0.0};
    if (n == 2) {
        for (int k = 0; k < AROUND; k++) {
            d[0] = cos(turn * k / AROUND);
            d[1] = sin(turn * k / AROUND);
            add_edge(p, of_w, block, from, n, r, d);
        }
        return;
    }
    for (int k = 0; n <= ROUND_MOST && k < 2 * n; k++) {
        d[k / 2] = k % 2 == 0 ? 1.0 : -1.0;
        add_edge(p, of_w, block, from, n, r, d);
        d[k / 2] = 0.0;
    }
}

static int disks_of(const perp_block *block)
{
    return block->set == PERP_ROLLING ? perp_rolling_disks(block->dim) : 1;
}

static int rows_of(const perp_block *block)
{
    return block->set == PERP_ROLLING ? perp_rolling_rows(block->dim) : block->dim - 1;
}

/* 1: w of these rows is A x + q. */
static int is_whole(const perp_farkas_rows *p, int row, int dim)
{
    for (int i = row; p->diagonal && i < row + dim; i++)
        if (p->diagonal[i] != 0.0)
            return 0;
    return 1;
}

static void add_w(perp_farkas_rows *p, const perp_block *block)
{
    perp_row_case row = perp_row_case_of(block);
    if (!is_whole(p, block->row, 1))
        return;
    if (block->dim > 1) {
        add_sign(p, block->row, 1.0, 0);
        if (block->set == PERP_SOC && is_whole(p, block->row, block->dim))
            add_disk(p, 1, block, 1, block->dim - 1, block->par[0]);
    } else if (!row.positive && !row.negative) {
        add_sign(p, block->row, 1.0, 1);
    } else if (row.positive != row.negative) {
        add_sign(p, block->row, row.negative ? -1.0 : 1.0, 0);
    }
}

static void add_z(perp_farkas_rows *p, const perp_block *block)
{
    perp_row_case row = perp_row_case_of(block);
    if (block->dim > 1) {
        add_bound(p, block->row, 1.0, 0.0);
        add_disk(p, 0, block, 1, rows_of(block), block->par[0]);
        for (int k = 1; k < disks_of(block); k++)
            add_disk(p, 0, block, perp_rolling_first(block->dim, k),
                     perp_rolling_count(block->dim, k), block->par[k]);
        return;
    }
    if (isfinite(row.lo))
        add_bound(p, block->row, 1.0, -row.lo);
    if (isfinite(row.hi))
        add_bound(p, block->row, -1.0, row.hi);
}

/* d |z| of a block in the normal row, of a FREE one of any sign. */
static double size_of(const perp_work *work, int k)
{
    double d = work->scaling.d ? work->scaling.d[k] : 1.0;
    return d * fabs(work->z[work->blocks.at[k].row]);
}

static int lines_of(const perp_block *block)
{
    int balls = block->set == PERP_SOC && block->dim - 1 > 2 ? 4 * ROUND_MOST : 0;
    return 2 * AROUND + 4 + CUTS + balls;
}

int perp_farkas_lines(perp_farkas_rows *p, perp_farkas_scope scope)
{
    const perp_blocks *blocks = &p->work->blocks;
    double largest = 0.0;
    long long most = 0;
    for (int k = 0; k < blocks->count; k++) {
        largest = fmax(largest, size_of(p->work, k));
        most += lines_of(&blocks->at[k]);
    }
    p->lines = 0;
    p->most = most < 100000000 ? (int)most : 100000000;
    p->line = PERP_TAKE(p->arena, perp_farkas_line, p->most);
    for (int k = 0; p->line && k < blocks->count; k++) {
        if (scope == PERP_FARKAS_LARGE && !(size_of(p->work, k) >= large_part * largest))
            continue;
        add_w(p, &blocks->at[k]);
        if (scope == PERP_FARKAS_ALL)
            add_z(p, &blocks->at[k]);
    }
    return !p->arena->failed;
}

/* Where x is outside the disk or the dual cone, the edge there.  1: added. */
static int cut_disk(perp_farkas_rows *p, int of_w, const perp_block *block, const double *x,
                    int from, int n, double r)
{
    double length = 0.0, limit = of_w ? x[0] : block->set == PERP_TRESCA ? r : r * x[0];
    for (int i = 0; i < n; i++)
        length = hypot(length, x[from + i]);
    double beyond = of_w ? r * length : length;
    if (n < 2 || !(beyond > limit + outside * (fabs(limit) + beyond)))
        return 0;
    int before = p->lines;
    add_edge(p, of_w, block, from, n, r, x + from);
    return p->lines > before;
}

static int cut_w(perp_farkas_rows *p, const double *w)
{
    const perp_blocks *blocks = &p->work->blocks;
    int added = 0;
    for (int k = 0; k < blocks->count; k++) {
        const perp_block *block = &blocks->at[k];
        if (block->set == PERP_SOC && is_whole(p, block->row, block->dim))
            added += cut_disk(p, 1, block, w + block->row, 1, block->dim - 1, block->par[0]);
    }
    return added;
}

static int cut_z(perp_farkas_rows *p, const double *z)
{
    const perp_blocks *blocks = &p->work->blocks;
    int added = 0;
    for (int k = 0; k < blocks->count; k++) {
        const perp_block *block = &blocks->at[k];
        const double *at = z + block->row;
        if (block->dim == 1)
            continue;
        added += cut_disk(p, 0, block, at, 1, rows_of(block), block->par[0]);
        for (int d = 1; d < disks_of(block); d++)
            added += cut_disk(p, 0, block, at, perp_rolling_first(block->dim, d),
                              perp_rolling_count(block->dim, d), block->par[d]);
    }
    return added;
}

int perp_farkas_cut(perp_farkas_rows *p, const double *x, perp_farkas_scope scope)
{
    const perp_csc *A = &p->A;
    int added = 0;
    if (p->work->blocks.sets & (1u << PERP_SOC)) {
        double *w = PERP_TAKE(p->arena, double, A->rows);
        if (!w)
            return 0;
        memcpy(w, p->work->problem->q, (size_t)A->rows * sizeof *w);
        for (int j = 0; j < A->cols; j++)
            for (int e = A->colptr[j]; e < A->colptr[j + 1]; e++)
                w[A->row[e]] += A->x[e] * x[j];
        added += cut_w(p, w);
    }
    return added + (scope == PERP_FARKAS_ALL ? cut_z(p, x) : 0);
}

/* Lists of the coefficients on each row of w and on each unknown. */
typedef struct lists {
    int *of_w, *of_x, *next, *line;
    double *c;
} lists;

static int list_coefficients(lists *l, const perp_farkas_rows *p, perp_arena *arena)
{
    size_t rows = (size_t)p->A.rows, cols = (size_t)p->A.cols, total = 0;
    for (int k = 0; k < p->lines; k++)
        total += (size_t)p->line[k].dim;
    *l = (lists){PERP_TAKE(arena, int, rows), PERP_TAKE(arena, int, cols),
                 PERP_TAKE(arena, int, total), PERP_TAKE(arena, int, total),
                 PERP_TAKE(arena, double, total)};
    if (arena->failed)
        return -1;
    memset(l->of_w, -1, rows * sizeof(int));
    memset(l->of_x, -1, cols * sizeof(int));
    int at = 0;
    for (int k = 0; k < p->lines; k++) {
        const perp_farkas_line *line = &p->line[k];
        int *head = (line->of_w ? l->of_w : l->of_x) + line->row;
        for (int i = 0; i < line->dim; i++) {
            if (line->c[i] == 0.0)
                continue;
            l->line[at] = k;
            l->c[at] = line->c[i];
            l->next[at] = head[i];
            head[i] = at++;
        }
    }
    return at;
}

/* The rows being written. */
typedef struct writing {
    int *row, *last, at, from;
    double *x;
} writing;

/* Some rows of w may meet in one line. */
static void put(writing *to, int line, double x)
{
    if (x == 0.0)
        return;
    if (to->last[line] >= to->from) {
        to->x[to->last[line]] += x;
        return;
    }
    to->last[line] = to->at;
    to->row[to->at] = line;
    to->x[to->at++] = x;
}

static void put_column(writing *to, const lists *l, const perp_csc *A, int j)
{
    to->from = to->at;
    for (int e = A->colptr[j]; e < A->colptr[j + 1]; e++)
        for (int k = l->of_w[A->row[e]]; k >= 0; k = l->next[k])
            put(to, l->line[k], l->c[k] * A->x[e]);
    for (int k = l->of_x[j]; k >= 0; k = l->next[k])
        put(to, l->line[k], l->c[k]);
}

static size_t entries_of(const perp_csc *A, const lists *l, size_t coefficients)
{
    size_t entries = coefficients;
    for (int e = 0; e < A->colptr[A->cols]; e++)
        for (int k = l->of_w[A->row[e]]; k >= 0; k = l->next[k])
            entries++;
    return entries;
}

int perp_farkas_write(perp_linear_rows *rows, int **kept, const perp_farkas_rows *p,
                      perp_arena *arena)
{
    const perp_csc *A = &p->A;
    size_t n = (size_t)A->cols, lines = (size_t)p->lines;
    lists l;
    int coefficients = list_coefficients(&l, p, arena), cols = 0;
    if (coefficients < 0)
        return 0;
    size_t entries = entries_of(A, &l, (size_t)coefficients);
    int *colptr = PERP_TAKE(arena, int, n + 1), *keep = PERP_TAKE(arena, int, n);
    writing to = {PERP_TAKE(arena, int, entries), PERP_TAKE(arena, int, lines), 0, 0,
                  PERP_TAKE(arena, double, entries)};
    double *b = PERP_TAKE(arena, double, lines), *weight = PERP_TAKE(arena, double, n);
    unsigned char *equality = PERP_TAKE(arena, unsigned char, lines);
    if (arena->failed || entries > 0x7fffffff)
        return 0;
    memset(to.last, -1, lines * sizeof(int));
    for (int k = 0; k < p->lines; k++) {
        const perp_farkas_line *line = &p->line[k];
        b[k] = line->b;
        for (int i = 0; line->of_w && i < line->dim; i++)
            b[k] += line->c[i] * p->work->problem->q[line->row + i];
        equality[k] = line->equality;
    }
    colptr[0] = 0;
    for (int j = 0; j < A->cols; j++) {
        put_column(&to, &l, A, j);
        if (to.at == to.from)
            continue;
        keep[cols] = j;
        weight[cols++] = p->weight[j];
        colptr[cols] = to.at;
    }
    *kept = keep;
    *rows = (perp_linear_rows){.size = sizeof *rows, .rows = p->lines, .cols = cols,
                               .colptr = colptr, .row = to.row, .x = to.x, .b = b,
                               .equality = equality, .weight = weight};
    return 1;
}
