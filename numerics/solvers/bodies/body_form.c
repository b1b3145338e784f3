/* SPDX-License-Identifier: BSD-3-Clause */
#include "solvers/bodies/body_form.h"

#include <string.h>

#include "core/clones.h"
#include "linalg/mass.h"
#include "solvers/bodies/body_pattern.h"

int perp_body_form_takes(const perp_mat *M)
{
    return M->kind == PERP_DELASSUS && M->as.delassus.mass->nsparse == 0;
}

static perp_status take_numbers(perp_body_form *form, const perp_blocks *blocks, perp_arena *arena)
{
    size_t numbers = 0, widest = 0;
    for (int k = 0; k < blocks->count; k++)
        for (int e = form->touch_ptr[k]; e < form->touch_ptr[k + 1]; e++) {
            size_t size =
                (size_t)perp_body_form_size(form, form->touch[e].body) * (size_t)blocks->at[k].dim;
            form->touch[e].lever = numbers;
            numbers += size;
            widest = size > widest ? size : widest;
        }
    form->P = PERP_TAKE(arena, double, numbers);
    form->Q = form->definite ? form->P : PERP_TAKE(arena, double, numbers);
    form->product = PERP_TAKE(arena, double, widest);
    form->couples = PERP_TAKE(arena, unsigned char, blocks->count);
    return arena->failed ? PERP_ERR_MEMORY : PERP_SOLVED;
}

perp_status perp_body_form_build(perp_body_form *form, const perp_mat *M, const perp_blocks *blocks,
                                 perp_arena *arena)
{
    *form = (perp_body_form){.definite = M->as.delassus.mass->roots != NULL,
                             .components = M->as.delassus.mass->nblocks};
    perp_status status = perp_body_pattern_build(form, M, blocks, arena);
    return status == PERP_SOLVED ? take_numbers(form, blocks, arena) : status;
}

static int components_are_the_same(const perp_body_form *form, const perp_mat *M)
{
    if (!perp_body_form_takes(M))
        return 0;
    const perp_mass *mass = M->as.delassus.mass;
    if (form->components != mass->nblocks || form->definite != (mass->roots != NULL))
        return 0;
    for (int c = 0; c < mass->nblocks; c++)
        if (mass->blocks[c].dim != form->size[c])
            return 0;
    return 1;
}

/* Column `column` of H times `scale` at `place` in the levers of block k.  0: of another body. */
static int load_column(perp_body_form *form, const perp_mat *M, int k, int column, int place,
                       double scale)
{
    const perp_mass *mass = M->as.delassus.mass;
    for (int p = M->as.delassus.colptr[column]; p < M->as.delassus.colptr[column + 1]; p++) {
        int row = M->as.delassus.row[p], component = mass->block_of[row];
        int body = form->body[component], e = form->touch_ptr[k];
        while (e < form->touch_ptr[k + 1] && form->touch[e].body != body)
            e++;
        if (e == form->touch_ptr[k + 1])
            return 0;
        const perp_mass_block *part = &mass->blocks[component];
        int j = mass->place[row] - part->first, dim = part->dim;
        size_t at = form->touch[e].lever + (size_t)form->offset[component] +
                    (size_t)place * (size_t)perp_body_form_size(form, body);
        double x = scale * M->as.delassus.x[p];
        if (form->definite) { /* a root is lower triangular */
            for (int i = j; i < dim; i++)
                form->P[at + (size_t)i] += mass->roots[part->root + (size_t)(i + j * dim)] * x;
            continue;
        }
        for (int i = 0; i < dim; i++)
            form->P[at + (size_t)i] += mass->inverses[part->inverse + (size_t)(i + j * dim)] * x;
        form->Q[at + (size_t)j] += x;
    }
    return 1;
}

perp_status perp_body_form_load(perp_body_form *form, const perp_mat *M, const perp_blocks *blocks,
                                const double *scale)
{
    if (!components_are_the_same(form, M))
        return PERP_ERR_STATE;
    for (int k = 0; k < blocks->count; k++) {
        int row = blocks->at[k].row, dim = blocks->at[k].dim;
        for (int e = form->touch_ptr[k]; e < form->touch_ptr[k + 1]; e++) {
            const perp_body_touch *touch = &form->touch[e];
            size_t bytes = (size_t)(perp_body_form_size(form, touch->body) * dim) * sizeof(double);
            memset(form->P + touch->lever, 0, bytes);
            memset(form->Q + touch->lever, 0, bytes);
        }
        for (int j = 0; j < dim; j++)
            if (!load_column(form, M, k, row + j, j, scale ? scale[row + j] : 1.0))
                return PERP_ERR_STATE;
    }
    return PERP_SOLVED;
}

static int is_zero(const double *C, int count)
{
    for (int i = 0; i < count; i++)
        if (C[i] != 0.0)
            return 0;
    return 1;
}

/* T = C Q, dim x size. */
PERP_BODY_INLINE void multiply(double *restrict T, const double *restrict C,
                               const double *restrict Q, int size, int dim)
{
    for (int j = 0; j < size; j++)
        for (int i = 0; i < dim; i++) {
            double sum = 0.0;
            for (int l = 0; l < dim; l++)
                sum += C[i + l * dim] * Q[j + l * size];
            T[i + j * dim] = sum;
        }
}

/* A pair of bodies in A += P T; `stride` from one column of the second to the next. */
PERP_BODY_INLINE void add_pair(double *restrict at, size_t stride, const double *restrict P,
                               const double *restrict T, int rows, int columns, int dim)
{
    for (int j = 0; j < columns; j++, at += stride)
        for (int l = 0; l < dim; l++)
            for (int i = 0; i < rows; i++)
                at[i] += P[i + l * rows] * T[l + j * dim];
}

PERP_CLONES static void add_block(perp_body_form *form, int k, const double *C, int dim)
{
    double *T = form->product;
    int from = form->touch_ptr[k], to = form->touch_ptr[k + 1];
    for (int f = from; f < to; f++) {
        const double *Q = form->Q + form->touch[f].lever;
        int body = form->touch[f].body, columns = perp_body_form_size(form, body);
        int column = form->first[body];
        size_t stride = (size_t)(form->A.colptr[column + 1] - form->A.colptr[column]);
        if (columns == 6 && dim == 3)
            multiply(T, C, Q, 6, 3);
        else
            multiply(T, C, Q, columns, dim);
        for (int e = from; e < to; e++) {
            const double *P = form->P + form->touch[e].lever;
            double *at = form->A.x + form->place[form->touch[e].pair + (size_t)(f - from)];
            int rows = perp_body_form_size(form, form->touch[e].body);
            if (rows == 6 && columns == 6 && dim == 3)
                add_pair(at, stride, P, T, 6, 6, 3);
            else
                add_pair(at, stride, P, T, rows, columns, dim);
        }
    }
}

void perp_body_form_add(perp_body_form *form, const perp_blocks *blocks, const double *C,
                        double shift)
{
    memset(form->A.x, 0, (size_t)form->A.colptr[form->order] * sizeof *form->A.x);
    for (int body = 0; body < form->bodies; body++) {
        int size = perp_body_form_size(form, body), column = form->first[body];
        int at = perp_body_pattern_place(form, column, body);
        int stride = form->A.colptr[column + 1] - form->A.colptr[column];
        for (int i = 0; i < size; i++)
            form->A.x[at + i * (stride + 1)] = 1.0 + shift;
    }
    for (int k = 0; k < blocks->count; k++) {
        int dim = blocks->at[k].dim;
        form->couples[k] = (unsigned char)!is_zero(C, dim * dim);
        if (form->couples[k])
            add_block(form, k, C, dim);
        C += (size_t)dim * (size_t)dim;
    }
}
