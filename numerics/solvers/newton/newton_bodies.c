/* SPDX-License-Identifier: BSD-3-Clause */
#include "solvers/newton/newton_bodies.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/clones.h"
#include "linalg/mass.h"
#include "linalg/small.h"

/* What a step leaves of F: refined to the first, good enough below the second, as the next step
 * sees it.  The system of the bodies is solved as its factors do it: the refinement sees the whole.
 */
static const double GOAL = 1e-8, LIMIT = 1e-4, ONCE = 0.5;
enum { REFINEMENTS = 3 };

int perp_nsn_bodies_take(const perp_mat *M, const perp_blocks *blocks)
{
    return M->kind == PERP_DELASSUS && M->as.delassus.mass->nsparse == 0 &&
           M->as.delassus.mass->roots != NULL && blocks->max_dim <= PERP_MASS_BLOCK_MAX;
}

static int dim_of(const perp_nsn_bodies *b, int body)
{
    return b->first[body + 1] - b->first[body];
}

/* What a component is touched by, in one number, and how far it was seen. */
typedef struct touched {
    uint64_t key;
    int block, component;
} touched;

static void note_blocks(touched *seen, const perp_nsn *nsn, const perp_mat *M)
{
    const perp_mass *mass = M->as.delassus.mass;
    for (int c = 0; c < mass->nblocks; c++)
        seen[c] = (touched){.key = 14695981039346656037u, .block = -1, .component = c};
    for (int k = 0; k < nsn->blocks->count; k++) {
        const perp_block *block = &nsn->blocks->at[k];
        int to = M->as.delassus.colptr[block->row + block->dim];
        for (int p = M->as.delassus.colptr[block->row]; p < to; p++) {
            touched *at = &seen[mass->block_of[M->as.delassus.row[p]]];
            if (at->block == k)
                continue;
            at->block = k;
            at->key = (at->key ^ (uint64_t)k) * 1099511628211u;
        }
    }
}

static int by_key(const void *a, const void *b)
{
    const touched *x = a, *y = b;
    if ((x->block < 0) != (y->block < 0))
        return x->block < 0 ? 1 : -1;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->component > y->component) - (x->component < y->component);
}

/* Components with the same key become a body, as far as small inverses reach; any other choice
 * would do as well, at another cost. */
static void group_components(perp_nsn_bodies *b, const touched *seen, const perp_mass *mass)
{
    int rows = 0;
    for (int c = 0; c < mass->nblocks; c++) {
        int component = seen[c].component, dim = mass->blocks[component].dim;
        if (seen[c].block < 0) {
            b->body[component] = -1;
            continue;
        }
        if (c == 0 || seen[c].key != seen[c - 1].key ||
            rows + dim - b->first[b->bodies - 1] > PERP_MASS_BLOCK_MAX)
            b->first[b->bodies++] = rows;
        b->body[component] = b->bodies - 1;
        b->offset[component] = rows - b->first[b->bodies - 1];
        rows += dim;
    }
    b->first[b->bodies] = rows;
}

/* Bodies of each block, in `touch` where that is there.  Returns how many touches. */
static int list_touches(perp_nsn_bodies *b, const perp_nsn *nsn, const perp_mat *M, int *stamp)
{
    const perp_mass *mass = M->as.delassus.mass;
    int count = 0;
    memset(stamp, 0xff, (size_t)b->bodies * sizeof *stamp);
    for (int k = 0; k < nsn->blocks->count; k++) {
        const perp_block *block = &nsn->blocks->at[k];
        int to = M->as.delassus.colptr[block->row + block->dim];
        b->touch_ptr[k] = count;
        for (int p = M->as.delassus.colptr[block->row]; p < to; p++) {
            int body = b->body[mass->block_of[M->as.delassus.row[p]]];
            if (stamp[body] == k)
                continue;
            stamp[body] = k;
            if (b->touch)
                b->touch[count] = (perp_nsn_touch){.body = body};
            count++;
        }
    }
    b->touch_ptr[nsn->blocks->count] = count;
    return count;
}

/* Offsets of all touches; the numbers that G and `place` hold. */
static void place_touches(perp_nsn_bodies *b, const perp_nsn *nsn, size_t *numbers, size_t *pairs)
{
    *numbers = *pairs = 0;
    b->flops = 0.0;
    for (int k = 0; k < nsn->blocks->count; k++) {
        int from = b->touch_ptr[k], to = b->touch_ptr[k + 1], dim = nsn->blocks->at[k].dim;
        double rows = 0.0;
        for (int e = from; e < to; e++) {
            b->touch[e].G = *numbers;
            b->touch[e].at = *pairs;
            *numbers += (size_t)dim_of(b, b->touch[e].body) * (size_t)dim;
            *pairs += (size_t)(to - from);
            rows += dim_of(b, b->touch[e].body);
        }
        b->flops += 2.0 * dim * rows * (rows + dim);
    }
}

/* The bodies beside each one, ascending, in `beside` where that is there. */
static size_t list_neighbours(const perp_nsn_bodies *b, const int *block_ptr, const int *block,
                              int *beside_ptr, int *beside, int *stamp)
{
    size_t count = 0;
    memset(stamp, 0xff, (size_t)b->bodies * sizeof *stamp);
    for (int body = 0; body < b->bodies; body++) {
        size_t from = count;
        beside_ptr[body] = (int)from;
        for (int p = block_ptr[body]; p < block_ptr[body + 1]; p++)
            for (int e = b->touch_ptr[block[p]]; e < b->touch_ptr[block[p] + 1]; e++) {
                int other = b->touch[e].body;
                if (stamp[other] == body)
                    continue;
                stamp[other] = body;
                if (beside) {
                    size_t at = count;
                    for (; at > from && beside[at - 1] > other; at--)
                        beside[at] = beside[at - 1];
                    beside[at] = other;
                }
                count++;
            }
    }
    beside_ptr[b->bodies] = (int)count;
    return count;
}

/* Blocks of each body. */
static void list_blocks(const perp_nsn_bodies *b, int blocks, int *block_ptr, int *block)
{
    memset(block_ptr, 0, ((size_t)b->bodies + 2) * sizeof *block_ptr);
    for (int e = 0; e < b->touch_ptr[blocks]; e++)
        block_ptr[b->touch[e].body + 2]++;
    for (int body = 0; body < b->bodies; body++)
        block_ptr[body + 2] += block_ptr[body + 1];
    for (int k = 0; k < blocks; k++)
        for (int e = b->touch_ptr[k]; e < b->touch_ptr[k + 1]; e++)
            block[block_ptr[b->touch[e].body + 1]++] = k;
}

/* Columns of K from the neighbours of their bodies; PERP_ERR_OVERFLOW. */
static perp_status build_columns(perp_nsn_bodies *b, const int *beside_ptr, const int *beside,
                                 int *group, perp_arena *arena)
{
    size_t entries = 0;
    int order = b->first[b->bodies];
    for (int body = 0; body < b->bodies; body++)
        for (int p = beside_ptr[body]; p < beside_ptr[body + 1]; p++)
            entries += (size_t)dim_of(b, body) * (size_t)dim_of(b, beside[p]);
    if (entries > INT_MAX)
        return PERP_ERR_OVERFLOW;
    b->K = (perp_csc){.rows = order, .cols = order};
    b->K.colptr = PERP_TAKE(arena, int, (size_t)order + 1);
    b->K.row = PERP_TAKE(arena, int, entries);
    b->K.x = PERP_TAKE(arena, double, entries);
    if (arena->failed)
        return PERP_ERR_MEMORY;
    int count = 0;
    for (int body = 0; body < b->bodies; body++)
        for (int c = b->first[body]; c < b->first[body + 1]; c++) {
            b->K.colptr[c] = count;
            group[c] = body;
            for (int p = beside_ptr[body]; p < beside_ptr[body + 1]; p++)
                for (int r = b->first[beside[p]]; r < b->first[beside[p] + 1]; r++)
                    b->K.row[count++] = r;
        }
    b->K.colptr[order] = count;
    return PERP_SOLVED;
}

/* Where the rows of `body` begin in a column. */
static int place_in_column(const perp_nsn_bodies *b, int column, int body)
{
    int low = b->K.colptr[column], high = b->K.colptr[column + 1] - 1;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (b->K.row[middle] < b->first[body])
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void place_pairs(perp_nsn_bodies *b, int blocks)
{
    for (int k = 0; k < blocks; k++)
        for (int e = b->touch_ptr[k]; e < b->touch_ptr[k + 1]; e++)
            for (int f = b->touch_ptr[k]; f < b->touch_ptr[k + 1]; f++)
                b->place[b->touch[e].at + (size_t)(f - b->touch_ptr[k])] =
                    place_in_column(b, b->first[b->touch[f].body], b->touch[e].body);
}

/* Bodies, touches and their offsets. */
static perp_status build_touches(perp_nsn_bodies *b, const perp_nsn *nsn, const perp_mat *M,
                                 perp_arena *arena, perp_arena *temporary)
{
    const perp_mass *mass = M->as.delassus.mass;
    touched *seen = PERP_TAKE(temporary, touched, mass->nblocks);
    int *stamp = PERP_TAKE(temporary, int, mass->nblocks);
    size_t numbers, pairs, entries = nsn->start[nsn->blocks->count];
    b->body = PERP_TAKE(arena, int, mass->nblocks);
    b->offset = PERP_TAKE(arena, int, mass->nblocks);
    b->first = PERP_TAKE(arena, int, (size_t)mass->nblocks + 1);
    b->touch_ptr = PERP_TAKE(arena, int, (size_t)nsn->blocks->count + 1);
    if (arena->failed || temporary->failed)
        return PERP_ERR_MEMORY;
    note_blocks(seen, nsn, M);
    qsort(seen, (size_t)mass->nblocks, sizeof *seen, by_key);
    group_components(b, seen, mass);
    int count = list_touches(b, nsn, M, stamp);
    b->touch = PERP_TAKE(arena, perp_nsn_touch, count);
    if (arena->failed)
        return PERP_ERR_MEMORY;
    (void)list_touches(b, nsn, M, stamp);
    place_touches(b, nsn, &numbers, &pairs);
    b->place = PERP_TAKE(arena, int, pairs);
    b->G = PERP_TAKE(arena, double, numbers);
    b->diagonal = PERP_TAKE(arena, double, nsn->n);
    b->S = PERP_TAKE(arena, double, entries);
    b->C = PERP_TAKE(arena, double, entries);
    b->couples = PERP_TAKE(arena, unsigned char, nsn->blocks->count);
    b->u = PERP_TAKE(arena, double, b->first[b->bodies]);
    b->residual = PERP_TAKE(arena, double, nsn->n);
    return arena->failed ? PERP_ERR_MEMORY : PERP_SOLVED;
}

static perp_status build_matrix(perp_nsn_bodies *b, const perp_nsn *nsn,
                                perp_ordering_kind ordering, perp_arena *arena,
                                perp_arena *temporary)
{
    int blocks = nsn->blocks->count, bodies = b->bodies;
    int *block_ptr = PERP_TAKE(temporary, int, (size_t)bodies + 2);
    int *block = PERP_TAKE(temporary, int, b->touch_ptr[blocks]);
    int *beside_ptr = PERP_TAKE(temporary, int, (size_t)bodies + 1);
    int *stamp = PERP_TAKE(temporary, int, bodies);
    int *group = PERP_TAKE(temporary, int, b->first[bodies]);
    if (temporary->failed)
        return PERP_ERR_MEMORY;
    list_blocks(b, blocks, block_ptr, block);
    size_t count = list_neighbours(b, block_ptr, block, beside_ptr, NULL, stamp);
    int *beside = count <= INT_MAX ? PERP_TAKE(temporary, int, count) : NULL;
    if (!beside)
        return count <= INT_MAX ? PERP_ERR_MEMORY : PERP_ERR_OVERFLOW;
    (void)list_neighbours(b, block_ptr, block, beside_ptr, beside, stamp);
    perp_status status = build_columns(b, beside_ptr, beside, group, arena);
    if (status != PERP_SOLVED)
        return status;
    place_pairs(b, blocks);
    return perp_front_analyse(&b->front, &b->K, group, bodies, ordering, arena);
}

perp_status perp_nsn_bodies_build(perp_nsn_bodies *bodies, const perp_nsn *nsn,
                                  const perp_problem *problem, perp_ordering_kind ordering,
                                  perp_arena *arena)
{
    char stack[PERP_ARENA_STACK];
    perp_arena temporary;
    *bodies = (perp_nsn_bodies){0};
    perp_arena_init_with(&temporary, &arena->allocator, stack, sizeof stack);
    perp_status status = build_touches(bodies, nsn, &problem->M, arena, &temporary);
    if (status == PERP_SOLVED)
        status = build_matrix(bodies, nsn, ordering, arena, &temporary);
    bodies->flops += bodies->front.flops;
    perp_arena_free(&temporary);
    return status;
}

/* A column of H into the rows of its bodies, times the roots of their components. */
static void load_column(perp_nsn_bodies *b, const perp_mat *M, int k, int column, int place)
{
    const perp_mass *mass = M->as.delassus.mass;
    for (int e = b->touch_ptr[k]; e < b->touch_ptr[k + 1]; e++) {
        int body = b->touch[e].body, rows = dim_of(b, body);
        double *out = b->G + b->touch[e].G + (size_t)place * (size_t)rows;
        memset(out, 0, (size_t)rows * sizeof *out);
        for (int p = M->as.delassus.colptr[column]; p < M->as.delassus.colptr[column + 1]; p++) {
            int row = M->as.delassus.row[p], component = mass->block_of[row];
            const perp_mass_block *part = &mass->blocks[component];
            const double *root = mass->roots + part->root;
            int j = mass->place[row] - part->first;
            for (int i = j; b->body[component] == body && i < part->dim; i++)
                out[b->offset[component] + i] += root[i + j * part->dim] * M->as.delassus.x[p];
        }
    }
}

int perp_nsn_bodies_load(perp_nsn_bodies *bodies, const perp_nsn *nsn, const perp_problem *problem)
{
    const perp_mat *M = &problem->M;
    if (!perp_nsn_bodies_take(M, nsn->blocks))
        return 0;
    for (int k = 0; k < nsn->blocks->count; k++) {
        const perp_block *block = &nsn->blocks->at[k];
        for (int j = 0; j < block->dim; j++) {
            load_column(bodies, M, k, block->row + j, j);
            bodies->diagonal[block->row + j] =
                M->as.delassus.diagonal ? M->as.delassus.diagonal[block->row + j] : 0.0;
        }
    }
    return 1;
}

/* S_k and C_k of all blocks.  0: an inverse is missing. */
static int invert_blocks(perp_nsn_bodies *b, const perp_nsn *nsn)
{
    for (int k = 0; k < nsn->blocks->count; k++) {
        const perp_block *block = &nsn->blocks->at[k];
        int dim = block->dim;
        const double *Fw = nsn->Fw + nsn->start[k], *Fz = nsn->Fz + nsn->start[k];
        double *S = b->S + nsn->start[k], *C = b->C + nsn->start[k];
        double A[PERP_MASS_BLOCK_MAX * PERP_MASS_BLOCK_MAX];
        for (int j = 0; j < dim; j++) {
            double add = perp_nsn_weight(nsn, k, j) + b->diagonal[block->row + j];
            for (int i = 0; i < dim; i++)
                A[i + j * dim] = Fz[i + j * dim] + add * Fw[i + j * dim];
        }
        if (!perp_small_invert(S, A, dim))
            return 0;
        memset(C, 0, (size_t)(dim * dim) * sizeof *C);
        for (int j = 0; j < dim; j++)
            for (int l = 0; l < dim; l++)
                for (int i = 0; i < dim; i++)
                    C[i + j * dim] += S[i + l * dim] * Fw[l + j * dim];
    }
    return 1;
}

static int is_zero(const double *C, int count)
{
    for (int i = 0; i < count; i++)
        if (C[i] != 0.0)
            return 0;
    return 1;
}

/* Rows of a, columns of b of K += Ga T, T = C Gb' (dim x nb); na rows, the column length `stride`.
 */
static inline __attribute__((always_inline)) void add_pair(double *restrict at, size_t stride,
                                                           const double *restrict Ga,
                                                           const double *restrict T, int na, int nb,
                                                           int dim)
{
    for (int j = 0; j < nb; j++, at += stride)
        for (int l = 0; l < dim; l++)
            for (int i = 0; i < na; i++)
                at[i] += Ga[i + l * na] * T[l + j * dim];
}

/* T = C G', dim x rows. */
static inline __attribute__((always_inline)) void coupled_rows(double *restrict T,
                                                               const double *restrict C,
                                                               const double *restrict G, int rows,
                                                               int dim)
{
    for (int j = 0; j < rows; j++)
        for (int i = 0; i < dim; i++) {
            double sum = 0.0;
            for (int l = 0; l < dim; l++)
                sum += C[i + l * dim] * G[j + l * rows];
            T[i + j * dim] = sum;
        }
}

PERP_CLONES static void add_block(perp_nsn_bodies *b, int k, const double *C, int dim)
{
    double T[PERP_MASS_BLOCK_MAX * PERP_MASS_BLOCK_MAX];
    int from = b->touch_ptr[k], to = b->touch_ptr[k + 1];
    for (int f = from; f < to; f++) {
        const double *Gb = b->G + b->touch[f].G;
        int body = b->touch[f].body, nb = dim_of(b, body), column = b->first[body];
        size_t stride = (size_t)(b->K.colptr[column + 1] - b->K.colptr[column]);
        if (nb == 6 && dim == 3)
            coupled_rows(T, C, Gb, 6, 3);
        else
            coupled_rows(T, C, Gb, nb, dim);
        for (int e = from; e < to; e++) {
            const double *Ga = b->G + b->touch[e].G;
            double *at = b->K.x + b->place[b->touch[e].at + (size_t)(f - from)];
            int na = dim_of(b, b->touch[e].body);
            if (na == 6 && nb == 6 && dim == 3)
                add_pair(at, stride, Ga, T, 6, 6, 3);
            else
                add_pair(at, stride, Ga, T, na, nb, dim);
        }
    }
}

static void assemble(perp_nsn_bodies *b, const perp_nsn *nsn)
{
    memset(b->K.x, 0, (size_t)b->K.colptr[b->K.cols] * sizeof *b->K.x);
    for (int body = 0; body < b->bodies; body++) {
        int rows = dim_of(b, body), at = place_in_column(b, b->first[body], body);
        int stride = b->K.colptr[b->first[body] + 1] - b->K.colptr[b->first[body]];
        for (int i = 0; i < rows; i++) /* the columns of a body have the same rows */
            b->K.x[at + i * (stride + 1)] = 1.0;
    }
    for (int k = 0; k < nsn->blocks->count; k++) {
        int dim = nsn->blocks->at[k].dim;
        const double *C = b->C + nsn->start[k];
        b->couples[k] = (unsigned char)!is_zero(C, dim * dim);
        if (b->couples[k])
            add_block(b, k, C, dim);
    }
}

/* y = G' u, rows x dim. */
static inline __attribute__((always_inline)) void
add_rates(double *restrict y, const double *restrict G, const double *restrict u, int rows, int dim)
{
    for (int j = 0; j < dim; j++) {
        double even = 0.0, odd = 0.0;
        for (int i = 0; i + 1 < rows; i += 2) {
            even += G[i + j * rows] * u[i];
            odd += G[i + 1 + j * rows] * u[i + 1];
        }
        y[j] += even + odd + (rows % 2 ? G[rows - 1 + j * rows] * u[rows - 1] : 0.0);
    }
}

/* y = G_k' u. */
static inline __attribute__((always_inline)) void rates(double *y, const perp_nsn_bodies *b, int k,
                                                        int dim, const double *u)
{
    memset(y, 0, (size_t)dim * sizeof *y);
    for (int e = b->touch_ptr[k]; e < b->touch_ptr[k + 1]; e++) {
        const double *G = b->G + b->touch[e].G, *own = u + b->first[b->touch[e].body];
        int rows = dim_of(b, b->touch[e].body);
        if (rows == 6 && dim == 3)
            add_rates(y, G, own, 6, 3);
        else
            add_rates(y, G, own, rows, dim);
    }
}

/* y += A x, rows x dim. */
static inline __attribute__((always_inline)) void add_product(double *restrict y,
                                                              const double *restrict A,
                                                              const double *restrict x, int rows,
                                                              int dim)
{
    for (int j = 0; j < dim; j++)
        for (int i = 0; i < rows; i++)
            y[i] += A[i + j * rows] * x[j];
}

/* u += G_k x. */
static inline __attribute__((always_inline)) void push(double *u, const perp_nsn_bodies *b, int k,
                                                       int dim, const double *x)
{
    for (int e = b->touch_ptr[k]; e < b->touch_ptr[k + 1]; e++) {
        int body = b->touch[e].body, rows = dim_of(b, body);
        if (rows == 6 && dim == 3)
            add_product(u + b->first[body], b->G + b->touch[e].G, x, 6, 3);
        else
            add_product(u + b->first[body], b->G + b->touch[e].G, x, rows, dim);
    }
}

/* dz -= J^-1 residual by the factors: what the blocks make by themselves, and */
PERP_CLONES static void correct_alone(double *dz, perp_nsn_bodies *b, const perp_nsn *nsn)
{
    double step[PERP_MASS_BLOCK_MAX];
    memset(b->u, 0, (size_t)b->first[b->bodies] * sizeof *b->u);
    for (int k = 0; k < nsn->blocks->count; k++) {
        int dim = nsn->blocks->at[k].dim, row = nsn->blocks->at[k].row;
        memset(step, 0, (size_t)dim * sizeof *step);
        if (dim == 3)
            add_product(step, b->S + nsn->start[k], b->residual + row, 3, 3);
        else
            add_product(step, b->S + nsn->start[k], b->residual + row, dim, dim);
        for (int i = 0; i < dim; i++) {
            step[i] = -step[i];
            dz[row + i] += step[i];
        }
        push(b->u, b, k, dim, step);
    }
}

/* what the bodies make of that. */
PERP_CLONES static void correct_coupled(double *dz, perp_nsn_bodies *b, const perp_nsn *nsn)
{
    double y[PERP_MASS_BLOCK_MAX];
    for (int k = 0; k < nsn->blocks->count; k++) {
        int dim = nsn->blocks->at[k].dim, row = nsn->blocks->at[k].row;
        if (!b->couples[k])
            continue;
        rates(y, b, k, dim, b->u);
        for (int j = 0; j < dim; j++)
            y[j] = -y[j];
        if (dim == 3)
            add_product(dz + row, b->C + nsn->start[k], y, 3, 3);
        else
            add_product(dz + row, b->C + nsn->start[k], y, dim, dim);
    }
}

/* Squares count by 1 / rho, as in the merit. */
static double square_of(const perp_nsn *nsn)
{
    double square = 0.0;
    for (int k = 0; k < nsn->blocks->count; k++) {
        const perp_block *block = &nsn->blocks->at[k];
        for (int i = block->row; i < block->row + block->dim; i++)
            square += nsn->F[i] * nsn->F[i] / nsn->rho[2 * k];
    }
    return square;
}

/* Residual of the rows of a block, from y = (M + A) dz; its square. */
static inline __attribute__((always_inline)) double block_residual(perp_nsn_bodies *b,
                                                                   const perp_nsn *nsn, int k,
                                                                   int dim, const double *dz,
                                                                   const double *y)
{
    double square = 0.0;
    int row = nsn->blocks->at[k].row;
    const double *Fw = nsn->Fw + nsn->start[k], *Fz = nsn->Fz + nsn->start[k];
    for (int i = 0; i < dim; i++) {
        double sum = nsn->F[row + i];
        for (int j = 0; j < dim; j++)
            sum += Fw[i + j * dim] * y[j] + Fz[i + j * dim] * dz[row + j];
        b->residual[row + i] = sum;
        square += sum * sum;
    }
    return square / nsn->rho[2 * k];
}

/* residual = F + Fw (M + A) dz + Fz dz; its square. */
PERP_CLONES static double square_left(perp_nsn_bodies *b, const perp_nsn *nsn, const double *dz)
{
    double square = 0.0, y[PERP_MASS_BLOCK_MAX];
    memset(b->u, 0, (size_t)b->first[b->bodies] * sizeof *b->u);
    for (int k = 0; k < nsn->blocks->count; k++)
        push(b->u, b, k, nsn->blocks->at[k].dim, dz + nsn->blocks->at[k].row);
    for (int k = 0; k < nsn->blocks->count; k++) {
        int dim = nsn->blocks->at[k].dim, row = nsn->blocks->at[k].row;
        memset(y, 0, (size_t)dim * sizeof *y);
        if (b->couples[k])
            rates(y, b, k, dim, b->u);
        for (int j = 0; j < dim; j++)
            y[j] += (perp_nsn_weight(nsn, k, j) + b->diagonal[row + j]) * dz[row + j];
        square +=
            dim == 3 ? block_residual(b, nsn, k, 3, dz, y) : block_residual(b, nsn, k, dim, dz, y);
    }
    return square;
}

perp_status perp_nsn_bodies_direction(double *dz, perp_nsn_bodies *bodies, const perp_nsn *nsn)
{
    if (!invert_blocks(bodies, nsn))
        return PERP_ERR_SINGULAR;
    assemble(bodies, nsn);
    perp_status status = perp_front_factorise(&bodies->front, bodies->K.x, NULL);
    if (status != PERP_SOLVED)
        return status;
    memset(dz, 0, (size_t)nsn->n * sizeof *dz);
    memcpy(bodies->residual, nsn->F, (size_t)nsn->n * sizeof *dz);
    double whole = square_of(nsn), left = INFINITY;
    for (int step = 0; step <= REFINEMENTS; step++) {
        double before = left;
        correct_alone(dz, bodies, nsn);
        (void)perp_front_solve(&bodies->front, bodies->K.x, NULL, bodies->u, ONCE);
        correct_coupled(dz, bodies, nsn);
        left = square_left(bodies, nsn, dz);
        if (!(left > GOAL * GOAL * whole) || !(left <= 0.25 * before))
            break;
    }
    return left <= LIMIT * LIMIT * whole ? PERP_SOLVED : PERP_ERR_NUMERICAL;
}
