/* SPDX-License-Identifier: BSD-3-Clause */
#include "solvers/auto/farkas.h"

#include <math.h>
#include <string.h>

#include "feasible/rows.h"
#include "handle/refute.h"
#include "linalg/csc.h"
#include "problem/proof.h"
#include "sets/rolling.h"

/* Directions around a disk at first, and those that are added to each. */
enum { AROUND = 8, ROUNDS = 6, LARGEST = 5000 };
static const double outside = 1e-9;
/* The first iteration at which the size of z is looked at, and the ratio to the next. */
enum { FIRST_LOOK = 8 };
static const double NEXT_LOOK = 1.8;

/* One row of the program: sign times row `row` of w, or c.z + b over the rows from `row` on. */
typedef struct line {
    int row, dim;   /* dim 0: of w */
    double b, c[6]; /* of z: the coefficients; of w: c[0] the sign */
    unsigned char equality;
} line;

typedef struct program {
    perp_work *work;
    perp_csc M;
    perp_arena *arena;
    line *line;
    int lines, most;
} program;

static line *add(program *p, int row, int dim, double b)
{
    if (p->lines == p->most)
        return NULL;
    line *l = &p->line[p->lines++];
    *l = (line){.row = row, .dim = dim, .b = b};
    return l;
}

static void add_w(program *p, int row, double sign, int equality)
{
    line *l = add(p, row, 0, sign * p->work->problem->q[row]);
    if (l) {
        l->c[0] = sign;
        l->equality = (unsigned char)equality;
    }
}

static void add_z(program *p, int row, double sign, double b)
{
    line *l = add(p, row, 1, b);
    if (l)
        l->c[0] = sign;
}

/* r z_N - d.z_T >= 0, or r - d.z_T >= 0 where r is a radius; the tangents begin at `from`. */
static void add_edge(program *p, const perp_block *block, int from, int n, double r, double angle)
{
    int radius = block->set == PERP_TRESCA;
    line *l = add(p, block->row, from + n, radius ? r : 0.0);
    if (!l)
        return;
    l->c[0] = radius ? 0.0 : r;
    l->c[from] = -cos(angle);
    if (n == 2)
        l->c[from + 1] = -sin(angle);
}

static void add_disk(program *p, const perp_block *block, int from, int n, double r)
{
    int count = n == 1 ? 2 : AROUND;
    for (int k = 0; k < count; k++)
        add_edge(p, block, from, n, r, 2.0 * 3.14159265358979323846 * k / count);
}

static void add_block(program *p, const perp_block *block)
{
    int dim = block->dim, n = block->set == PERP_ROLLING ? perp_rolling_rows(dim) : dim - 1;
    if (dim == 1) {
        perp_row_case row = perp_row_case_of(block);
        int free = !row.positive && !row.negative;
        if (free || row.positive != row.negative)
            add_w(p, block->row, row.negative ? -1.0 : 1.0, free);
        if (isfinite(row.lo))
            add_z(p, block->row, 1.0, -row.lo);
        if (isfinite(row.hi))
            add_z(p, block->row, -1.0, row.hi);
        return;
    }
    add_w(p, block->row, 1.0, 0);
    add_z(p, block->row, 1.0, 0.0);
    if (n > 2)
        return;
    add_disk(p, block, 1, n, block->par[0]);
    if (block->set == PERP_ROLLING)
        add_disk(p, block, 1 + n, perp_rolling_turns(dim), block->par[1]);
}

/* Where z is outside the disk, the edge there.  1: added. */
static int cut_disk(program *p, const perp_block *block, const double *z, int from, double r)
{
    double a = z[from], b = z[from + 1], limit = block->set == PERP_TRESCA ? r : r * z[0];
    double length = hypot(a, b);
    if (!(length > limit + outside * (fabs(limit) + length)))
        return 0;
    int before = p->lines;
    add_edge(p, block, from, 2, r, atan2(b, a));
    return p->lines > before;
}

static int cut(program *p, const double *v)
{
    int added = 0;
    const perp_blocks *blocks = &p->work->blocks;
    for (int k = 0; k < blocks->count; k++) {
        const perp_block *block = &blocks->at[k];
        const double *z = v + block->row;
        if (block->set == PERP_ROLLING && block->dim > 3) {
            added += cut_disk(p, block, z, 1, block->par[0]);
            added += block->dim == 5 ? cut_disk(p, block, z, 3, block->par[1]) : 0;
        } else if (block->dim == 3 && block->set != PERP_ROLLING) {
            added += cut_disk(p, block, z, 1, block->par[0]);
        }
    }
    return added;
}

/* The rows as compressed columns. */
static int write_rows(perp_linear_rows *rows, const program *p, perp_arena *arena)
{
    const perp_csc *M = &p->M;
    size_t n = (size_t)M->cols, lines = (size_t)p->lines, at = 0;
    size_t entries = (size_t)M->colptr[n] + 6 * lines;
    int *place = PERP_TAKE(arena, int, n), *head = PERP_TAKE(arena, int, n);
    int *next = PERP_TAKE(arena, int, 6 * lines), *colptr = PERP_TAKE(arena, int, n + 1);
    int *row = PERP_TAKE(arena, int, entries);
    double *x = PERP_TAKE(arena, double, entries), *b = PERP_TAKE(arena, double, lines);
    double *weight = PERP_TAKE(arena, double, n);
    unsigned char *equality = PERP_TAKE(arena, unsigned char, lines);
    if (arena->failed)
        return 0;
    memset(place, -1, n * sizeof *place);
    memset(head, -1, n * sizeof *head);
    for (int k = 0; k < p->lines; k++) {
        const line *l = &p->line[k];
        b[k] = l->b;
        equality[k] = l->equality;
        if (l->dim == 0)
            place[l->row] = k;
        for (int i = 0; i < l->dim; i++) {
            next[6 * k + i] = head[l->row + i];
            head[l->row + i] = 6 * k + i;
        }
    }
    for (size_t j = 0; j < n; j++) {
        colptr[j] = (int)at;
        for (int e = M->colptr[j]; e < M->colptr[j + 1]; e++) {
            int k = place[M->row[e]];
            if (k < 0 || M->x[e] == 0.0)
                continue;
            row[at] = k;
            x[at++] = p->line[k].c[0] * M->x[e];
        }
        for (int e = head[j]; e >= 0; e = next[e]) {
            double c = p->line[e / 6].c[e % 6];
            if (c == 0.0)
                continue;
            row[at] = e / 6;
            x[at++] = c;
        }
    }
    colptr[n] = (int)at;
    for (int k = 0; k < p->work->blocks.count; k++) {
        const perp_block *block = &p->work->blocks.at[k];
        double d = p->work->scaling.d ? p->work->scaling.d[k] : 1.0;
        for (int i = block->row; i < block->row + block->dim; i++)
            weight[i] = d * d > 0.0 && isfinite(d * d) ? d * d : 1.0;
    }
    *rows = (perp_linear_rows){.size = sizeof *rows, .rows = p->lines, .cols = M->cols,
                               .colptr = colptr, .row = row, .x = x, .b = b,
                               .equality = equality, .weight = weight};
    return 1;
}

/* The multipliers of the rows of w, as the certificate. */
static perp_status settle(program *p, const double *y)
{
    perp_work *work = p->work;
    memset(work->certificate, 0, (size_t)work->blocks.n * sizeof(double));
    for (int k = 0; k < p->lines; k++)
        if (p->line[k].dim == 0)
            work->certificate[p->line[k].row] = p->line[k].c[0] * y[k];
    return perp_refute(work);
}

static perp_status search(program *p, double most)
{
    size_t n = (size_t)p->M.cols;
    double *v = PERP_TAKE(p->arena, double, n), *y = PERP_TAKE(p->arena, double, p->most);
    perp_status status = PERP_STALLED;
    if (p->arena->failed)
        return PERP_ERR_MEMORY;
    for (int round = 0; round < ROUNDS; round++) {
        perp_linear_rows rows;
        perp_arena arena;
        perp_arena_init(&arena, &p->arena->allocator);
        status = write_rows(&rows, p, &arena)
                     ? perp_rows_refute(&rows, most, &arena, v, y)
                     : PERP_ERR_MEMORY;
        perp_arena_free(&arena);
        if (status == PERP_INFEASIBLE)
            return settle(p, y);
        if (status != PERP_SOLVED || !cut(p, v))
            break;
    }
    return status == PERP_ERR_MEMORY ? status : PERP_STALLED;
}

perp_status perp_farkas_search(perp_work *work, double *certificate, double most)
{
    const perp_blocks *blocks = &work->blocks;
    double *before = work->certificate;
    perp_certificate_kind kind = work->certificate_kind;
    perp_arena arena;
    program p = {.work = work, .arena = &arena};
    if (work->problem->M.kind == PERP_OPERATOR || blocks->n > LARGEST || !certificate)
        return PERP_STALLED;
    perp_arena_init(&arena, &work->arena->allocator);
    p.most = blocks->count * (2 * AROUND + 4 + 2 * ROUNDS);
    p.line = PERP_TAKE(&arena, line, p.most);
    perp_status status =
        arena.failed ? PERP_ERR_MEMORY : perp_csc_from_mat(&p.M, &work->problem->M, &arena);
    for (int k = 0; status == PERP_SOLVED && k < blocks->count; k++)
        add_block(&p, &blocks->at[k]);
    work->certificate = certificate;
    if (status == PERP_SOLVED)
        status = search(&p, most);
    perp_arena_free(&arena);
    if (status == PERP_INFEASIBLE || status == PERP_INFEASIBLE_WITHIN)
        return status;
    work->certificate = before;
    work->certificate_kind = kind;
    return PERP_STALLED;
}

int perp_growth_is_endless(perp_growth *growth, const perp_work *work, int iteration)
{
    double size = 0.0;
    if (iteration < FIRST_LOOK || iteration < NEXT_LOOK * growth->seen)
        return 0;
    for (int k = 0; k < work->blocks.count; k++) {
        const perp_block *block = &work->blocks.at[k];
        double d = work->scaling.d ? work->scaling.d[k] : 1.0;
        for (int i = block->row; i < block->row + block->dim; i++)
            size += d * d * work->z[i] * work->z[i];
    }
    size = sqrt(size);
    double ratio = growth->seen > 0 ? (double)iteration / growth->seen : 1.0;
    int endless = growth->seen > 0 && size > growth->size * (1.0 + 0.7 * (ratio - 1.0));
    growth->seen = iteration;
    growth->size = size;
    return endless;
}
