/* SPDX-License-Identifier: BSD-3-Clause */
#include "solvers/interior/body_form.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/mass.h"

#define INLINE static inline __attribute__((always_inline))

/* 1: E + C can be inverted cone by cone, see divide_block(). */
static int is_even(const perp_mat *M, const perp_blocks *blocks)
{
    const double *c = M->as.delassus.diagonal;
    for (int k = 0; c && k < blocks->count; k++) {
        const perp_block *block = &blocks->at[k];
        if (block->set == PERP_ROLLING)
            return 0;
        for (int i = 2; i < block->dim; i++)
            if (c[block->row + i] != c[block->row + 1])
                return 0;
    }
    return 1;
}

/* Entries of the two matrices, those of one body counted once and the overlap of two bodies
 * twice. */
int perp_body_form_pays(const perp_mat *M, const perp_blocks *blocks, perp_arena *temporary)
{
    double contact = 0.0, body = 0.0;
    if (M->kind != PERP_DELASSUS || M->as.delassus.mass->nsparse > 0 || !is_even(M, blocks))
        return 0;
    const perp_mass *mass = M->as.delassus.mass;
    size_t count = (size_t)mass->nblocks;
    int *rows = perp_arena_take_zero(temporary, count, sizeof(int));
    int *seen = PERP_TAKE(temporary, int, count);
    if (temporary->failed)
        return 0;
    memset(seen, 0xff, count * sizeof(int));
    for (int k = 0; k < blocks->count; k++) {
        double dofs = 0.0;
        for (int j = blocks->at[k].row; j < blocks->at[k].row + blocks->at[k].dim; j++)
            for (int p = M->as.delassus.colptr[j]; p < M->as.delassus.colptr[j + 1]; p++) {
                int b = mass->block_of[M->as.delassus.row[p]];
                if (seen[b] != k) {
                    rows[b] += blocks->at[k].dim;
                    dofs += mass->blocks[b].dim;
                }
                seen[b] = k;
            }
        body += dofs * dofs;
    }
    for (size_t b = 0; b < count; b++)
        contact += (double)rows[b] * rows[b];
    return body <= 2.0 * contact;
}

static int by_value(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static void sort(int *x, int count)
{
    qsort(x, (size_t)count, sizeof *x, by_value);
}

/* Bodies of block k, ascending; `seen` holds the last block that named one. */
static int list_bodies(int *out, int *seen, const perp_mat *M, const perp_block *block, int k)
{
    const perp_mass *mass = M->as.delassus.mass;
    int count = 0;
    for (int j = block->row; j < block->row + block->dim; j++)
        for (int p = M->as.delassus.colptr[j]; p < M->as.delassus.colptr[j + 1]; p++) {
            int b = mass->block_of[M->as.delassus.row[p]];
            if (seen[b] == k)
                continue;
            seen[b] = k;
            if (out)
                out[count] = b;
            count++;
        }
    if (out)
        sort(out, count);
    return count;
}

static perp_status find_touches(perp_body_form *form, const perp_mat *M, const perp_blocks *blocks,
                                int *seen, perp_arena *arena)
{
    const perp_mass *mass = M->as.delassus.mass;
    size_t total = 0, count = (size_t)blocks->count;
    form->touch_ptr = PERP_TAKE(arena, int, count + 1);
    form->body = PERP_TAKE(arena, int, mass->nblocks);
    form->first = PERP_TAKE(arena, int, mass->nblocks + 1);
    if (arena->failed)
        return PERP_ERR_MEMORY;
    memset(seen, 0xff, (size_t)mass->nblocks * sizeof(int));
    form->touch_ptr[0] = 0;
    for (int k = 0; k < blocks->count; k++) {
        total += (size_t)list_bodies(NULL, seen, M, &blocks->at[k], k);
        if (total > INT_MAX)
            return PERP_ERR_OVERFLOW;
        form->touch_ptr[k + 1] = (int)total;
    }
    form->touch = PERP_TAKE(arena, int, total);
    form->data = PERP_TAKE(arena, size_t, total);
    form->pair = PERP_TAKE(arena, size_t, count);
    if (arena->failed)
        return PERP_ERR_MEMORY;
    /* Touched bodies are numbered in the order of the mass. */
    for (int b = 0; b < mass->nblocks; b++) {
        if (seen[b] < 0)
            continue;
        form->body[form->bodies] = b;
        form->first[form->bodies++] = form->order;
        form->order += mass->blocks[b].dim;
    }
    form->first[form->bodies] = form->order;
    memset(seen, 0xff, (size_t)mass->nblocks * sizeof(int));
    for (int k = 0; k < blocks->count; k++)
        list_bodies(form->touch + form->touch_ptr[k], seen, M, &blocks->at[k], k);
    for (int b = 0; b < form->bodies; b++)
        seen[form->body[b]] = b;
    for (int t = 0; t < (int)total; t++)
        form->touch[t] = seen[form->touch[t]];
    return PERP_SOLVED;
}

static int size_of(const perp_body_form *form, int body)
{
    return form->first[body + 1] - form->first[body];
}

static perp_status take_numbers(perp_body_form *form, const perp_blocks *blocks, perp_arena *arena)
{
    size_t total = 0, pairs = 0, widest = 0;
    for (int k = 0; k < blocks->count; k++) {
        size_t touches = (size_t)(form->touch_ptr[k + 1] - form->touch_ptr[k]);
        form->pair[k] = pairs;
        pairs += touches * touches;
        for (int t = form->touch_ptr[k]; t < form->touch_ptr[k + 1]; t++) {
            size_t size = (size_t)size_of(form, form->touch[t]) * (size_t)blocks->at[k].dim;
            form->data[t] = total;
            total += size;
            widest = size > widest ? size : widest;
        }
    }
    form->P = PERP_TAKE(arena, double, total);
    form->Q = form->definite ? form->P : PERP_TAKE(arena, double, total);
    form->place = PERP_TAKE(arena, int, pairs);
    form->block = PERP_TAKE(arena, double, widest);
    if (form->compliant)
        form->soft = PERP_TAKE(arena, double, blocks->n);
    form->v = PERP_TAKE(arena, double, form->order);
    form->t = PERP_TAKE(arena, double, form->order);
    return arena->failed ? PERP_ERR_MEMORY : PERP_SOLVED;
}

/* Blocks that touch each body. */
static perp_status invert_touches(int **ptr_out, int **block_out, const perp_body_form *form,
                                  int blocks, perp_arena *local)
{
    int total = form->touch_ptr[blocks];
    int *ptr = perp_arena_take_zero(local, (size_t)form->bodies + 2, sizeof(int));
    int *block = PERP_TAKE(local, int, total);
    if (local->failed)
        return PERP_ERR_MEMORY;
    for (int t = 0; t < total; t++)
        ptr[form->touch[t] + 2]++;
    for (int b = 0; b < form->bodies; b++)
        ptr[b + 2] += ptr[b + 1];
    for (int k = 0; k < blocks; k++)
        for (int t = form->touch_ptr[k]; t < form->touch_ptr[k + 1]; t++)
            block[ptr[form->touch[t] + 1]++] = k;
    *ptr_out = ptr;
    *block_out = block;
    return PERP_SOLVED;
}

/* What one column of bodies couples with, ascending. */
static int neighbours(int *list, int *seen, const perp_body_form *form, const int *ptr,
                      const int *block, int body)
{
    int count = 0;
    seen[body] = body;
    list[count++] = body;
    for (int q = ptr[body]; q < ptr[body + 1]; q++)
        for (int t = form->touch_ptr[block[q]]; t < form->touch_ptr[block[q] + 1]; t++)
            if (seen[form->touch[t]] != body) {
                seen[form->touch[t]] = body;
                list[count++] = form->touch[t];
            }
    return count;
}

/* The columns of one body, and `place` of the blocks that touch it. */
static void write_columns(perp_body_form *form, const int *list, int count, int *at, int body)
{
    int rows = 0;
    for (int i = 0; i < count; i++) {
        at[list[i]] = rows;
        rows += size_of(form, list[i]);
    }
    for (int j = form->first[body]; j < form->first[body + 1]; j++) {
        int *out = form->A.row + form->A.colptr[j];
        form->A.colptr[j + 1] = form->A.colptr[j] + rows;
        for (int i = 0; i < count; i++)
            for (int r = form->first[list[i]]; r < form->first[list[i] + 1]; r++)
                *out++ = r;
    }
}

static void write_places(perp_body_form *form, const int *ptr, const int *block, const int *at,
                         int body)
{
    for (int q = ptr[body]; q < ptr[body + 1]; q++) {
        int k = block[q], from = form->touch_ptr[k], touches = form->touch_ptr[k + 1] - from;
        int own = 0;
        while (form->touch[from + own] != body)
            own++;
        for (int t = 0; t < touches; t++)
            form->place[form->pair[k] + (size_t)t + (size_t)own * (size_t)touches] =
                at[form->touch[from + t]];
    }
}

static perp_status build_pattern(perp_body_form *form, int blocks, perp_arena *local,
                                 perp_arena *arena)
{
    int *ptr = NULL, *block = NULL;
    size_t total = 0, bodies = (size_t)form->bodies;
    perp_status status = invert_touches(&ptr, &block, form, blocks, local);
    int *seen = PERP_TAKE(local, int, bodies), *list = PERP_TAKE(local, int, bodies);
    int *at = PERP_TAKE(local, int, bodies);
    if (status != PERP_SOLVED || local->failed)
        return PERP_ERR_MEMORY;
    memset(seen, 0xff, bodies * sizeof(int));
    for (int b = 0; b < form->bodies; b++) {
        size_t rows = 0;
        int count = neighbours(list, seen, form, ptr, block, b);
        for (int i = 0; i < count; i++)
            rows += (size_t)size_of(form, list[i]);
        total += rows * (size_t)size_of(form, b);
    }
    if (total > INT_MAX)
        return PERP_ERR_OVERFLOW;
    form->A.rows = form->A.cols = form->order;
    form->A.colptr = PERP_TAKE(arena, int, (size_t)form->order + 1);
    form->A.row = PERP_TAKE(arena, int, total);
    form->A.x = PERP_TAKE(arena, double, total);
    if (arena->failed)
        return PERP_ERR_MEMORY;
    memset(seen, 0xff, bodies * sizeof(int));
    form->A.colptr[0] = 0;
    for (int b = 0; b < form->bodies; b++) {
        int count = neighbours(list, seen, form, ptr, block, b);
        sort(list, count);
        write_columns(form, list, count, at, b);
        write_places(form, ptr, block, at, b);
    }
    return PERP_SOLVED;
}

perp_status perp_body_form_build(perp_body_form *form, const perp_mat *M, const perp_interior *in,
                                 perp_arena *arena)
{
    char stack[PERP_ARENA_STACK];
    perp_arena local;
    *form = (perp_body_form){.definite = M->as.delassus.mass->roots != NULL,
                              .compliant = M->as.delassus.diagonal != NULL};
    perp_arena_init_with(&local, &arena->allocator, stack, sizeof stack);
    int *seen = PERP_TAKE(&local, int, M->as.delassus.mass->nblocks);
    perp_status status = seen ? PERP_SOLVED : PERP_ERR_MEMORY;
    if (status == PERP_SOLVED)
        status = find_touches(form, M, in->blocks, seen, arena);
    if (status == PERP_SOLVED)
        status = take_numbers(form, in->blocks, arena);
    if (status == PERP_SOLVED)
        status = build_pattern(form, in->blocks->count, &local, arena);
    perp_arena_free(&local);
    return status;
}

/* The touch of a block that names this body of the mass, -1: none. */
static int touch_of(const perp_body_form *form, int k, int body)
{
    for (int t = form->touch_ptr[k]; t < form->touch_ptr[k + 1]; t++)
        if (form->body[form->touch[t]] == body)
            return t;
    return -1;
}

/* Column j of H S at the places of a block's touches, in P (and in Q). */
static int gather(perp_body_form *form, const perp_mat *M, int k, int j, int column, double scale)
{
    const perp_mass *mass = M->as.delassus.mass;
    for (int p = M->as.delassus.colptr[j]; p < M->as.delassus.colptr[j + 1]; p++) {
        int row = M->as.delassus.row[p], b = mass->block_of[row];
        int t = b < 0 ? -1 : touch_of(form, k, b);
        if (t < 0)
            return 0;
        int size = size_of(form, form->touch[t]);
        size_t at =
            form->data[t] + (size_t)(column * size + mass->place[row] - mass->blocks[b].first);
        form->P[at] = scale * M->as.delassus.x[p];
        form->Q[at] = form->P[at];
    }
    return 1;
}

/* Columns of P: times B, or times mass^-1. */
static void multiply(double *P, const double *by, int size, int columns)
{
    for (int j = 0; j < columns; j++, P += size) {
        double out[PERP_MASS_BLOCK_MAX] = {0.0};
        for (int c = 0; c < size; c++)
            for (int i = 0; i < size; i++)
                out[i] += by[i + c * size] * P[c];
        memcpy(P, out, (size_t)size * sizeof(double));
    }
}

static int bodies_are_the_same(const perp_body_form *form, const perp_mass *mass)
{
    if (mass->nsparse > 0 || form->definite != (mass->roots != NULL))
        return 0;
    for (int b = 0; b < form->bodies; b++)
        if (form->body[b] >= mass->nblocks || mass->blocks[form->body[b]].dim != size_of(form, b))
            return 0;
    return 1;
}

perp_status perp_body_form_load(perp_body_form *form, const perp_mat *M, const perp_interior *in)
{
    const perp_mass *mass = M->as.delassus.mass;
    const double *c = M->as.delassus.diagonal;
    if (!bodies_are_the_same(form, mass) || form->compliant != (c != NULL) ||
        !is_even(M, in->blocks))
        return PERP_ERR_STATE;
    for (int i = 0; c && i < in->n; i++)
        form->soft[i] = c[i] * in->scale[i] * in->scale[i];
    for (int k = 0; k < in->blocks->count; k++) {
        int row = in->blocks->at[k].row, dim = in->blocks->at[k].dim;
        for (int t = form->touch_ptr[k]; t < form->touch_ptr[k + 1]; t++) {
            size_t bytes = (size_t)(size_of(form, form->touch[t]) * dim) * sizeof(double);
            memset(form->P + form->data[t], 0, bytes);
            memset(form->Q + form->data[t], 0, bytes);
        }
        for (int j = 0; j < dim; j++)
            if (!gather(form, M, k, row + j, j, in->scale[row + j]))
                return PERP_ERR_STATE;
        for (int t = form->touch_ptr[k]; t < form->touch_ptr[k + 1]; t++) {
            const perp_mass_block *body = &mass->blocks[form->body[form->touch[t]]];
            const double *by =
                form->definite ? mass->roots + body->root : mass->inverses + body->inverse;
            multiply(form->P + form->data[t], by, body->dim, dim);
        }
    }
    return PERP_SOLVED;
}

/* out += P x and y -= Q v of one touch. */
INLINE void forth_sized(double *out, const double *P, const double *x, int size, int dim)
{
    for (int j = 0; j < dim; j++)
        for (int i = 0; i < size; i++)
            out[i] += P[i + j * size] * x[j];
}

INLINE void back_sized(double *y, const double *Q, const double *v, int size, int dim)
{
    for (int j = 0; j < dim; j++) {
        double sum = 0.0;
        for (int i = 0; i < size; i++)
            sum += Q[i + j * size] * v[i];
        y[j] -= sum;
    }
}

void perp_body_form_forth(double *v, const perp_body_form *form, const perp_interior *in,
                          const double *x)
{
    memset(v, 0, (size_t)form->order * sizeof(double));
    for (int k = 0; k < in->blocks->count; k++) {
        const double *from = x + in->blocks->at[k].row;
        int dim = in->blocks->at[k].dim;
        for (int t = form->touch_ptr[k]; t < form->touch_ptr[k + 1]; t++) {
            const double *P = form->P + form->data[t];
            int size = size_of(form, form->touch[t]);
            double *out = v + form->first[form->touch[t]];
            if (size == 6 && dim == 3)
                forth_sized(out, P, from, 6, 3);
            else
                forth_sized(out, P, from, size, dim);
        }
    }
}

void perp_body_form_back(double *y, const perp_body_form *form, const perp_interior *in,
                         const double *v)
{
    for (int k = 0; k < in->blocks->count; k++) {
        double *out = y + in->blocks->at[k].row;
        int dim = in->blocks->at[k].dim;
        for (int t = form->touch_ptr[k]; t < form->touch_ptr[k + 1]; t++) {
            const double *Q = form->Q + form->data[t], *from = v + form->first[form->touch[t]];
            int size = size_of(form, form->touch[t]);
            if (size == 6 && dim == 3)
                back_sized(out, Q, from, 6, 3);
            else
                back_sized(out, Q, from, size, dim);
        }
    }
}

void perp_body_form_apply(double *y, perp_body_form *form, const perp_interior *in, const double *x)
{
    perp_body_form_forth(form->v, form, in, x);
    for (int i = 0; i < form->order; i++)
        form->v[i] = -form->v[i];
    memset(y, 0, (size_t)in->n * sizeof(double));
    perp_body_form_back(y, form, in, form->v);
    for (int i = 0; form->soft && i < in->n; i++)
        y[i] += form->soft[i] * x[i];
}

/* C = P inverse: size x dim. */
INLINE void times_sized(double *C, const double *P, const double *inverse, int size, int dim)
{
    memset(C, 0, (size_t)(size * dim) * sizeof(double));
    for (int j = 0; j < dim; j++)
        for (int l = 0; l < dim; l++) {
            double f = inverse[l + j * dim];
            for (int i = 0; i < size; i++)
                C[i + j * size] += P[i + l * size] * f;
        }
}

static void times(double *C, const double *P, const double *inverse, int size, int dim)
{
    if (size == 6 && dim == 3)
        times_sized(C, P, inverse, 6, 3);
    else
        times_sized(C, P, inverse, size, dim);
}

INLINE void add_pair_sized(perp_body_form *form, const double *C, const double *Q, int body,
                           int place, int rows, int columns, int dim)
{
    for (int c = 0; c < columns; c++) {
        double *out = form->A.x + form->A.colptr[form->first[body] + c] + place;
        for (int j = 0; j < dim; j++) {
            double f = Q[c + j * columns];
            for (int i = 0; i < rows; i++)
                out[i] += C[i + j * rows] * f;
        }
    }
}

/* Adds P E^-1 Q of one pair of bodies; rigid bodies in space have a loop of their own. */
static void add_pair(perp_body_form *form, const double *C, int rows, const double *Q, int body,
                     int place, int dim)
{
    int columns = size_of(form, body);
    if (rows == 6 && columns == 6 && dim == 3)
        add_pair_sized(form, C, Q, body, place, 6, 6, 3);
    else
        add_pair_sized(form, C, Q, body, place, rows, columns, dim);
}

void perp_body_form_add(perp_body_form *form, const perp_interior *in, const double *inverse,
                        double shift)
{
    memset(form->A.x, 0, (size_t)form->A.colptr[form->order] * sizeof(double));
    for (int k = 0; k < in->blocks->count; k++) {
        int dim = in->blocks->at[k].dim, from = form->touch_ptr[k];
        int touches = form->touch_ptr[k + 1] - from;
        for (int a = 0; a < touches; a++) {
            int rows = size_of(form, form->touch[from + a]);
            times(form->block, form->P + form->data[from + a], inverse, rows, dim);
            for (int b = 0; b < touches; b++)
                add_pair(form, form->block, rows, form->Q + form->data[from + b],
                         form->touch[from + b],
                         form->place[form->pair[k] + (size_t)a + (size_t)b * (size_t)touches], dim);
        }
        inverse += (size_t)dim * (size_t)dim;
    }
    for (int b = 0; b < form->bodies; b++)
        for (int j = form->first[b]; j < form->first[b + 1]; j++) {
            int p = form->A.colptr[j];
            while (form->A.row[p] != j)
                p++;
            form->A.x[p] += 1.0 + shift;
        }
}
