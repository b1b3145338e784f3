/* SPDX-License-Identifier: BSD-3-Clause */
#include "solvers/newton/newton_system.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/mass.h"

int perp_nsn_is_global(const perp_mat *M)
{
    return M->kind == PERP_DELASSUS && M->as.delassus.mass->nsparse == 0;
}

/* What the pattern of J is made from: the columns of C name rows of z (C is M,
 * or H' in the global form). */
typedef struct pattern {
    const perp_blocks *blocks;
    const int *block_of;
    int lead;
    const perp_csc *C;
    const perp_mat *delassus; /* NULL in the local form */
    int *stamp;               /* blocks of z, then blocks of the mass: last column that named it */
    int column;
    int *out; /* where rows are written; NULL while they are counted */
    size_t count;
} pattern;

static void put_rows(pattern *p, int first, int count)
{
    for (int i = 0; p->out && i < count; i++)
        p->out[p->count + (size_t)i] = first + i;
    p->count += (size_t)count;
}

static void put_block(pattern *p, int k)
{
    if (p->stamp[k] == p->column)
        return;
    p->stamp[k] = p->column;
    put_rows(p, p->lead + p->blocks->at[k].row, p->blocks->at[k].dim);
}

/* Rows of v that -G(:, j) reaches: the components that H(:, j) touches. */
static void put_bodies(pattern *p, int j)
{
    const perp_mass *mass = p->delassus->as.delassus.mass;
    int *stamp = p->stamp + p->blocks->count;
    for (int e = p->delassus->as.delassus.colptr[j]; e < p->delassus->as.delassus.colptr[j + 1];
         e++) {
        int body = mass->block_of[p->delassus->as.delassus.row[e]];
        if (stamp[body] == p->column)
            continue;
        stamp[body] = p->column;
        for (int i = 0; i < mass->blocks[body].dim; i++)
            put_rows(p, mass->dof[mass->blocks[body].first + i], 1);
    }
}

/* Rows of column c of J. */
static void put_column(pattern *p, int c)
{
    int z = c - p->lead;
    p->column = c;
    if (p->delassus && z < 0)
        put_rows(p, c, 1);
    if (p->delassus && z >= 0)
        put_bodies(p, z);
    if (!p->delassus || z < 0)
        for (int e = p->C->colptr[c]; e < p->C->colptr[c + 1]; e++)
            put_block(p, p->block_of[p->C->row[e]]);
    if (z >= 0)
        put_block(p, p->block_of[z]);
}

static void put_all(pattern *p, int *colptr, int order, int marks)
{
    p->count = 0;
    for (int k = 0; k < marks; k++)
        p->stamp[k] = -1;
    for (int c = 0; c < order; c++) {
        if (p->out)
            colptr[c] = (int)p->count;
        put_column(p, c);
    }
    if (p->out)
        colptr[order] = (int)p->count;
}

static int by_value(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* Where the rows of z begin in each column, and a column's own block in it. */
static void find_places(perp_nsn *nsn)
{
    const perp_csc *J = &nsn->J;
    for (int c = 0; c < J->cols; c++) {
        int p = J->colptr[c], z = c - nsn->lead;
        while (p < J->colptr[c + 1] && J->row[p] < nsn->lead)
            p++;
        nsn->tail[c] = p;
        if (z < 0)
            continue;
        int first = nsn->lead + nsn->blocks->at[nsn->block_of[z]].row;
        while (J->row[p] < first)
            p++;
        nsn->own[z] = p;
    }
}

static perp_status build_pattern(perp_nsn *nsn, pattern *p, perp_arena *arena)
{
    int order = nsn->lead + nsn->n;
    int marks = p->blocks->count + (p->delassus ? p->delassus->as.delassus.mass->nblocks : 0);
    p->stamp = PERP_TAKE(arena, int, marks);
    if (!p->stamp)
        return PERP_ERR_MEMORY;
    put_all(p, NULL, order, marks);
    if (p->count > INT_MAX)
        return PERP_ERR_OVERFLOW;
    nsn->J.rows = nsn->J.cols = order;
    nsn->J.colptr = PERP_TAKE(arena, int, (size_t)order + 1);
    nsn->J.row = PERP_TAKE(arena, int, p->count);
    nsn->J.x = PERP_TAKE(arena, double, p->count);
    nsn->fixed = PERP_TAKE(arena, double, p->count);
    if (arena->failed)
        return PERP_ERR_MEMORY;
    p->out = nsn->J.row;
    put_all(p, nsn->J.colptr, order, marks);
    for (int c = 0; c < order; c++)
        qsort(nsn->J.row + nsn->J.colptr[c], (size_t)(nsn->J.colptr[c + 1] - nsn->J.colptr[c]),
              sizeof(int), by_value);
    find_places(nsn);
    return PERP_SOLVED;
}

/* M, or H', in sorted columns. */
static perp_status coupling(perp_csc *C, const perp_problem *problem, int global, perp_arena *arena)
{
    const perp_mat *M = &problem->M;
    perp_mat H;
    perp_csc columns;
    if (!global)
        return perp_csc_from_mat(C, M, arena);
    perp_status status = perp_mat_init_csc(&H, M->as.delassus.dofs, M->cols, M->as.delassus.colptr,
                                           M->as.delassus.row, M->as.delassus.x);
    if (status == PERP_SOLVED)
        status = perp_csc_from_mat(&columns, &H, arena);
    return status == PERP_SOLVED ? perp_csc_transpose(C, &columns, arena) : status;
}

static perp_status take(perp_nsn *nsn, perp_arena *arena)
{
    size_t entries = 0, count = (size_t)nsn->blocks->count;
    nsn->block_of = PERP_TAKE(arena, int, nsn->n);
    nsn->start = PERP_TAKE(arena, size_t, count + 1);
    if (arena->failed)
        return PERP_ERR_MEMORY;
    for (size_t k = 0; k < count; k++) {
        const perp_block *block = &nsn->blocks->at[k];
        nsn->start[k] = entries;
        entries += (size_t)block->dim * (size_t)block->dim;
        for (int i = 0; i < block->dim; i++)
            nsn->block_of[block->row + i] = (int)k;
    }
    nsn->start[count] = entries;
    nsn->F = PERP_TAKE(arena, double, nsn->n);
    nsn->Fw = PERP_TAKE(arena, double, entries);
    nsn->Fz = PERP_TAKE(arena, double, entries);
    nsn->rho = PERP_TAKE(arena, double, 2 * count);
    nsn->alpha = PERP_TAKE(arena, double, count);
    nsn->rhs = PERP_TAKE(arena, double, (size_t)nsn->lead + (size_t)nsn->n);
    nsn->cursor = PERP_TAKE(arena, int, (size_t)nsn->lead + (size_t)nsn->n);
    nsn->tail = PERP_TAKE(arena, int, (size_t)nsn->lead + (size_t)nsn->n);
    nsn->own = PERP_TAKE(arena, int, nsn->n);
    return arena->failed ? PERP_ERR_MEMORY : PERP_SOLVED;
}

perp_status perp_nsn_build(perp_nsn *nsn, const perp_problem *problem, const perp_blocks *blocks,
                           const perp_reform *reform, perp_arena *arena)
{
    int global = !nsn->local && perp_nsn_is_global(&problem->M);
    char stack[PERP_ARENA_STACK];
    perp_arena temporary;
    perp_csc C;
    nsn->blocks = blocks;
    nsn->reform = reform;
    nsn->n = blocks->n;
    nsn->lead = global ? problem->M.as.delassus.dofs : 0;
    if (nsn->lead > INT_MAX - 1 - nsn->n)
        return PERP_ERR_OVERFLOW;
    perp_status status = take(nsn, arena);
    perp_arena_init_with(&temporary, &arena->allocator, stack, sizeof stack);
    if (status == PERP_SOLVED)
        status = coupling(&C, problem, global, &temporary);
    if (status == PERP_SOLVED) {
        pattern p = {.blocks = blocks, .block_of = nsn->block_of, .lead = nsn->lead, .C = &C};
        p.delassus = global ? &problem->M : NULL;
        status = build_pattern(nsn, &p, arena);
    }
    perp_arena_free(&temporary);
    return status;
}

/* Entry (row, column) of J, or NULL outside the pattern.  Matrices name the rows of a
 * column mostly in their order. */
static double *entry(perp_nsn *nsn, int row, int column)
{
    int low = nsn->J.colptr[column], high = nsn->J.colptr[column + 1] - 1;
    int next = nsn->cursor[column];
    if (next <= high && nsn->J.row[next] == row) {
        nsn->cursor[column] = next + 1;
        return &nsn->fixed[next];
    }
    while (low <= high) {
        int middle = low + (high - low) / 2;
        if (nsn->J.row[middle] == row) {
            nsn->cursor[column] = middle + 1;
            return &nsn->fixed[middle];
        }
        if (nsn->J.row[middle] < row)
            low = middle + 1;
        else
            high = middle - 1;
    }
    return NULL;
}

/* Adds to an entry; 1 when it lies outside the pattern. */
static int add(perp_nsn *nsn, int row, int column, double x)
{
    double *at = entry(nsn, row, column);
    if (at)
        *at += x;
    return !at;
}

static int load_explicit(perp_nsn *nsn, const perp_mat *M)
{
    int outside = 0;
    for (int j = 0; M->kind == PERP_DENSE && j < M->cols; j++)
        for (int i = 0; i < M->rows; i++) {
            double x = M->as.dense.x[(size_t)i + (size_t)j * (size_t)M->as.dense.ld];
            if (x != 0.0)
                outside |= add(nsn, i, j, x);
        }
    for (int j = 0; M->kind == PERP_CSC && j < M->cols; j++)
        for (int p = M->as.csc.colptr[j]; p < M->as.csc.colptr[j + 1]; p++)
            outside |= add(nsn, M->as.csc.row[p], j, M->as.csc.x[p]);
    int b = M->kind == PERP_BSR ? M->as.bsr.block : 1;
    for (int i = 0; M->kind == PERP_BSR && i < M->rows / b; i++)
        for (int p = M->as.bsr.rowptr[i]; p < M->as.bsr.rowptr[i + 1]; p++)
            for (int k = 0; k < b * b; k++)
                outside |= add(nsn, i * b + k % b, M->as.bsr.col[p] * b + k / b,
                               M->as.bsr.x[(size_t)p * (size_t)(b * b) + (size_t)k]);
    return outside;
}

/* Column j of -G, body by body: each is one product with a small inverse. */
static int load_bodies(perp_nsn *nsn, const perp_mat *M, int j, double *v)
{
    const perp_mass *mass = M->as.delassus.mass;
    int outside = 0;
    for (int p = M->as.delassus.colptr[j]; p < M->as.delassus.colptr[j + 1]; p++)
        v[M->as.delassus.row[p]] += M->as.delassus.x[p];
    for (int p = M->as.delassus.colptr[j]; p < M->as.delassus.colptr[j + 1]; p++) {
        const perp_mass_block *body = &mass->blocks[mass->block_of[M->as.delassus.row[p]]];
        const int *dof = mass->dof + body->first;
        double any = 0.0;
        for (int i = 0; i < body->dim; i++)
            any = v[dof[i]] != 0.0 ? 1.0 : any;
        if (any == 0.0)
            continue;
        perp_mass_block_solve(v, mass, mass->block_of[M->as.delassus.row[p]]);
        for (int i = 0; i < body->dim; i++) {
            outside |= add(nsn, dof[i], nsn->lead + j, -v[dof[i]]);
            v[dof[i]] = 0.0;
        }
    }
    return outside;
}

static int load_global(perp_nsn *nsn, const perp_mat *M)
{
    int outside = 0;
    double *v = nsn->rhs;
    memset(v, 0, (size_t)nsn->lead * sizeof(double));
    for (int d = 0; d < nsn->lead; d++)
        outside |= add(nsn, d, d, 1.0);
    for (int j = 0; j < nsn->n; j++) {
        outside |= load_bodies(nsn, M, j, v);
        for (int p = M->as.delassus.colptr[j]; p < M->as.delassus.colptr[j + 1]; p++)
            outside |= add(nsn, nsn->lead + j, M->as.delassus.row[p], M->as.delassus.x[p]);
        if (M->as.delassus.diagonal)
            outside |= add(nsn, nsn->lead + j, nsn->lead + j, M->as.delassus.diagonal[j]);
    }
    return outside;
}

perp_status perp_nsn_load(perp_nsn *nsn, const perp_problem *problem,
                          const perp_allocator *allocator)
{
    const perp_mat *M = &problem->M;
    perp_arena temporary;
    perp_csc C;
    int outside = 0;
    perp_status status = PERP_SOLVED;
    if (nsn->lead > 0 && !perp_nsn_is_global(M))
        return PERP_ERR_STRUCTURE;
    memset(nsn->fixed, 0, (size_t)nsn->J.colptr[nsn->J.cols] * sizeof(double));
    memcpy(nsn->cursor, nsn->J.colptr, (size_t)nsn->J.cols * sizeof(int));
    if (nsn->lead > 0) {
        outside = load_global(nsn, M);
    } else if (M->kind == PERP_DELASSUS) {
        perp_arena_init(&temporary, allocator);
        status = perp_csc_from_mat(&C, M, &temporary);
        if (status == PERP_SOLVED) {
            perp_mat view = perp_csc_view(&C);
            outside = load_explicit(nsn, &view);
        }
        perp_arena_free(&temporary);
    } else {
        outside = load_explicit(nsn, M);
    }
    for (int c = 0; c < nsn->J.cols; c++)
        for (int p = nsn->J.colptr[c]; p < nsn->tail[c]; p++)
            nsn->J.x[p] = nsn->fixed[p];
    return status == PERP_SOLVED && outside ? PERP_ERR_STRUCTURE : status;
}

void perp_nsn_steps(perp_nsn *nsn, const double *d, double factor)
{
    for (int k = 0; k < nsn->blocks->count; k++) {
        double size = d[k] * d[k];
        nsn->alpha[k] = factor * size;
        nsn->rho[2 * k] = nsn->rho[2 * k + 1] = 1.0 / (size + nsn->alpha[k]);
    }
}

double perp_nsn_weight(const perp_nsn *nsn, int k, int i)
{
    double unit = perp_block_unit(&nsn->blocks->at[k], i);
    return nsn->alpha[k] / (unit * unit);
}

static double merit_of(const perp_nsn *nsn, int k)
{
    const perp_block *block = &nsn->blocks->at[k];
    double square = 0.0;
    for (int i = 0; i < block->dim; i++) {
        double F = nsn->F[block->row + i] / perp_block_unit(block, i);
        square += F * F;
    }
    return 0.5 * square / nsn->rho[2 * k];
}

double perp_nsn_residual(perp_nsn *nsn, const double *w, const double *z)
{
    double merit = 0.0;
    for (int k = 0; k < nsn->blocks->count; k++) {
        const perp_block *block = &nsn->blocks->at[k];
        nsn->reform->eval(nsn->F + block->row, NULL, NULL, block, nsn->rho + 2 * k, w + block->row,
                          z + block->row);
        merit += merit_of(nsn, k);
    }
    return merit;
}

/* out = Fw m for the dim rows of a block in one column. */
static inline void fill_block(double *restrict out, const double *restrict Fw,
                              const double *restrict m, int dim)
{
    if (dim == 1) {
        out[0] = Fw[0] * m[0];
    } else if (dim == 2) {
        out[0] = Fw[0] * m[0] + Fw[2] * m[1];
        out[1] = Fw[1] * m[0] + Fw[3] * m[1];
    } else if (dim == 3) {
        out[0] = Fw[0] * m[0] + Fw[3] * m[1] + Fw[6] * m[2];
        out[1] = Fw[1] * m[0] + Fw[4] * m[1] + Fw[7] * m[2];
        out[2] = Fw[2] * m[0] + Fw[5] * m[1] + Fw[8] * m[2];
    } else {
        memset(out, 0, (size_t)dim * sizeof(double));
        for (int j = 0; j < dim; j++)
            for (int i = 0; i < dim; i++)
                out[i] += Fw[i + j * dim] * m[j];
    }
}

/* Fw M, then Fz + Fw A in the diagonal blocks. */
void perp_nsn_fill(perp_nsn *nsn)
{
    const perp_csc *J = &nsn->J;
    const perp_block *blocks = nsn->blocks->at;
    const int *row = J->row, *block_of = nsn->block_of;
    const size_t *start = nsn->start;
    const double *F = nsn->Fw, *fixed = nsn->fixed;
    int lead = nsn->lead;
    for (int c = 0; c < J->cols; c++) {
        for (int p = nsn->tail[c], end = J->colptr[c + 1]; p < end;) {
            int k = block_of[row[p] - lead], dim = blocks[k].dim;
            fill_block(J->x + p, F + start[k], fixed + p, dim);
            p += dim;
        }
    }
    for (int k = 0; k < nsn->blocks->count; k++) {
        const perp_block *block = &nsn->blocks->at[k];
        const double *Fw = nsn->Fw + nsn->start[k], *Fz = nsn->Fz + nsn->start[k];
        for (int j = 0; j < block->dim; j++) {
            double *out = J->x + nsn->own[block->row + j];
            double alpha = perp_nsn_weight(nsn, k, j);
            for (int i = 0; i < block->dim; i++)
                out[i] += alpha * Fw[i + j * block->dim] + Fz[i + j * block->dim];
        }
    }
}

double perp_nsn_evaluate(perp_nsn *nsn, const double *w, const double *z)
{
    double merit = 0.0;
    for (int k = 0; k < nsn->blocks->count; k++) {
        const perp_block *block = &nsn->blocks->at[k];
        nsn->reform->eval(nsn->F + block->row, nsn->Fw + nsn->start[k], nsn->Fz + nsn->start[k],
                          block, nsn->rho + 2 * k, w + block->row, z + block->row);
        merit += merit_of(nsn, k);
    }
    return merit;
}

double perp_nsn_jacobian(perp_nsn *nsn, const double *w, const double *z)
{
    double merit = perp_nsn_evaluate(nsn, w, z);
    perp_nsn_fill(nsn);
    return merit;
}

void perp_nsn_rhs(perp_nsn *nsn)
{
    memset(nsn->rhs, 0, (size_t)nsn->lead * sizeof(double));
    for (int i = 0; i < nsn->n; i++)
        nsn->rhs[nsn->lead + i] = -nsn->F[i];
}
