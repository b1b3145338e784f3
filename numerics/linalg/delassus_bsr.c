/* SPDX-License-Identifier: BSD-3-Clause */
/* The product W = H' M^-1 H in square blocks.  Two groups of columns (contacts)
 * couple where they touch the same block of the mass, or both the sparse part. */
#include <limits.h>
#include <string.h>

#include "linalg/csc.h"
#include "linalg/mass.h"

/* A touch is a pair of a contact and a mass block that share an entry of H. */
typedef struct coupling {
    const perp_mat *W;
    const perp_mass *mass;
    int block, n;      /* order of a contact, number of contacts */
    int *contact_ptr;  /* touches of contact i: contact_ptr[i] ..., mass blocks ascending */
    int *touched;      /* mass block of a touch */
    size_t *data;      /* offset of a touch in left and right */
    int *mass_ptr;     /* touches of mass block b, contacts ascending */
    int *mass_touch;   /* a touch of this list */
    int *mass_contact; /* its contact */
    double *left;      /* W_ij = sum of left_i' right_j over the shared mass blocks */
    double *right;     /* with roots both are the same, and W is exactly symmetric */
    int *local;        /* position of an unknown in its mass block */
    int nsparse;       /* contacts that touch the sparse part */
    int *sparse;
} coupling;

static void count_touches(coupling *c, int *seen)
{
    const int *colptr = c->W->as.delassus.colptr, *row = c->W->as.delassus.row;
    for (int i = 0; i < c->n; i++) {
        int in_sparse = 0;
        for (int p = colptr[i * c->block]; p < colptr[(i + 1) * c->block]; p++) {
            int b = c->mass->block_of[row[p]];
            if (b < 0) {
                in_sparse = 1;
            } else if (seen[b] != i) {
                seen[b] = i;
                c->contact_ptr[i + 1]++;
                c->mass_ptr[b + 1]++;
            }
        }
        if (in_sparse)
            c->sparse[c->nsparse++] = i;
    }
    for (int i = 0; i < c->n; i++)
        c->contact_ptr[i + 1] += c->contact_ptr[i];
    for (int b = 0; b < c->mass->nblocks; b++)
        c->mass_ptr[b + 1] += c->mass_ptr[b];
}

/* Lists by mass block first; read in order they give sorted lists by contact. */
static size_t list_touches(coupling *c, int *seen, int *next)
{
    const int *colptr = c->W->as.delassus.colptr, *row = c->W->as.delassus.row;
    int nblocks = c->mass->nblocks;
    memset(seen, 0xff, (size_t)nblocks * sizeof(int));
    memcpy(next, c->mass_ptr, (size_t)nblocks * sizeof(int));
    for (int i = 0; i < c->n; i++) {
        for (int p = colptr[i * c->block]; p < colptr[(i + 1) * c->block]; p++) {
            int b = c->mass->block_of[row[p]];
            if (b >= 0 && seen[b] != i) {
                seen[b] = i;
                c->mass_contact[next[b]++] = i;
            }
        }
    }
    memcpy(next, c->contact_ptr, (size_t)c->n * sizeof(int));
    size_t size = 0;
    for (int b = 0; b < nblocks; b++) {
        for (int q = c->mass_ptr[b]; q < c->mass_ptr[b + 1]; q++) {
            int t = next[c->mass_contact[q]]++;
            c->touched[t] = b;
            c->mass_touch[q] = t;
            c->data[t] = size;
            size += (size_t)c->mass->blocks[b].dim * (size_t)c->block;
        }
    }
    return size;
}

static perp_status find_touches(coupling *c, size_t *size, perp_arena *arena)
{
    const perp_mass *mass = c->mass;
    int longest = c->n > mass->nblocks ? c->n : mass->nblocks;
    int *seen = PERP_TAKE(arena, int, mass->nblocks), *next = PERP_TAKE(arena, int, longest);
    c->contact_ptr = perp_arena_take_zero(arena, (size_t)c->n + 1, sizeof(int));
    c->mass_ptr = perp_arena_take_zero(arena, (size_t)mass->nblocks + 1, sizeof(int));
    c->sparse = PERP_TAKE(arena, int, c->n);
    c->local = PERP_TAKE(arena, int, mass->n);
    if (arena->failed)
        return PERP_ERR_MEMORY;
    memset(seen, 0xff, (size_t)mass->nblocks * sizeof(int));
    count_touches(c, seen);

    size_t touches = (size_t)c->contact_ptr[c->n];
    c->touched = PERP_TAKE(arena, int, touches);
    c->data = PERP_TAKE(arena, size_t, touches);
    c->mass_touch = PERP_TAKE(arena, int, touches);
    c->mass_contact = PERP_TAKE(arena, int, touches);
    if (arena->failed)
        return PERP_ERR_MEMORY;
    *size = list_touches(c, seen, next);
    for (int b = 0; b < mass->nblocks; b++)
        for (int k = 0; k < mass->blocks[b].dim; k++)
            c->local[mass->dof[mass->blocks[b].first + k]] = k;
    return PERP_SOLVED;
}

/* out = F G for a dim x dim matrix F and a dim x block matrix G. */
static void multiply(double *out, const double *F, const double *G, int dim, int block)
{
    for (int k = 0; k < block; k++) {
        for (int r = 0; r < dim; r++)
            out[r + k * dim] = 0.0;
        for (int s = 0; s < dim; s++)
            for (int r = 0; r < dim; r++)
                out[r + k * dim] += F[r + s * dim] * G[s + k * dim];
    }
}

/* The rows of H of each touch, then its two factors. */
static perp_status fill_factors(coupling *c, size_t size, perp_arena *arena)
{
    const int *colptr = c->W->as.delassus.colptr, *row = c->W->as.delassus.row;
    const perp_mass *mass = c->mass;
    double *rows = perp_arena_take_zero(arena, size, sizeof(double));
    double *product = PERP_TAKE(arena, double, size);
    int *touch_of = PERP_TAKE(arena, int, mass->nblocks);
    if (arena->failed)
        return PERP_ERR_MEMORY;
    for (int i = 0; i < c->n; i++) {
        for (int t = c->contact_ptr[i]; t < c->contact_ptr[i + 1]; t++)
            touch_of[c->touched[t]] = t;
        for (int k = 0; k < c->block; k++) {
            int j = i * c->block + k;
            for (int p = colptr[j]; p < colptr[j + 1]; p++) {
                int b = mass->block_of[row[p]];
                if (b >= 0)
                    rows[c->data[touch_of[b]] +
                         (size_t)(c->local[row[p]] + k * mass->blocks[b].dim)] =
                        c->W->as.delassus.x[p];
            }
        }
        for (int t = c->contact_ptr[i]; t < c->contact_ptr[i + 1]; t++) {
            const perp_mass_block *b = &mass->blocks[c->touched[t]];
            const double *F = mass->roots ? mass->roots + b->root : mass->inverses + b->inverse;
            multiply(product + c->data[t], F, rows + c->data[t], b->dim, c->block);
        }
    }
    c->left = mass->roots ? product : rows;
    c->right = product;
    return PERP_SOLVED;
}

/* Neighbours of contact i, itself among them, unsorted. */
static int neighbours(int *list, int *seen, const coupling *c, int i, int in_sparse)
{
    int count = 0;
    seen[i] = i;
    list[count++] = i;
    for (int t = c->contact_ptr[i]; t < c->contact_ptr[i + 1]; t++) {
        int b = c->touched[t];
        for (int q = c->mass_ptr[b]; q < c->mass_ptr[b + 1]; q++) {
            int j = c->mass_contact[q];
            if (seen[j] != i) {
                seen[j] = i;
                list[count++] = j;
            }
        }
    }
    for (int s = 0; in_sparse && s < c->nsparse; s++) {
        int j = c->sparse[s];
        if (seen[j] != i) {
            seen[j] = i;
            list[count++] = j;
        }
    }
    return count;
}

/* The pattern is symmetric: giving i to each of its neighbours in turn sorts. */
static perp_status find_pattern(int **rowptr_out, int **col_out, const coupling *c,
                                perp_arena *local, perp_arena *arena)
{
    size_t n = (size_t)c->n, total = 0;
    int *seen = PERP_TAKE(local, int, n), *list = PERP_TAKE(local, int, n);
    int *next = PERP_TAKE(local, int, n), *rowptr = PERP_TAKE(arena, int, n + 1);
    if (local->failed || !rowptr)
        return PERP_ERR_MEMORY;
    memset(seen, 0xff, n * sizeof(int));
    rowptr[0] = 0;
    for (int i = 0, s = 0; i < c->n; i++) {
        int in_sparse = s < c->nsparse && c->sparse[s] == i;
        s += in_sparse;
        total += (size_t)neighbours(list, seen, c, i, in_sparse);
        if (total > INT_MAX)
            return PERP_ERR_OVERFLOW;
        next[i] = rowptr[i];
        rowptr[i + 1] = (int)total;
    }
    int *col = PERP_TAKE(arena, int, total);
    if (!col)
        return PERP_ERR_MEMORY;
    memset(seen, 0xff, n * sizeof(int));
    for (int i = 0, s = 0; i < c->n; i++) {
        int in_sparse = s < c->nsparse && c->sparse[s] == i;
        s += in_sparse;
        int count = neighbours(list, seen, c, i, in_sparse);
        for (int k = 0; k < count; k++)
            col[next[list[k]]++] = i;
    }
    *rowptr_out = rowptr;
    *col_out = col;
    return PERP_SOLVED;
}

static inline void add_product_of(double *x, const double *left, const double *right, int dim,
                                  int block)
{
    for (int k = 0; k < block; k++) {
        for (int r = 0; r < block; r++) {
            double sum = 0.0;
            for (int d = 0; d < dim; d++)
                sum += left[d + r * dim] * right[d + k * dim];
            x[r + k * block] += sum;
        }
    }
}

/* Loops of known length where contacts, or rows, meet points and bodies. */
static void add_product(double *x, const double *left, const double *right, int dim, int block)
{
    if (dim == 1 && block == 3) {
        for (int k = 0; k < 3; k++)
            for (int r = 0; r < 3; r++)
                x[r + 3 * k] += left[r] * right[k];
        return;
    }
    if (dim == 6 && block == 1)
        add_product_of(x, left, right, 6, 1);
    else if (dim == 6 && block == 3)
        add_product_of(x, left, right, 6, 3);
    else
        add_product_of(x, left, right, dim, block);
}

static void fill_small(double *x, const int *rowptr, const int *col, const coupling *c, int *at)
{
    size_t size = (size_t)c->block * (size_t)c->block;
    for (int i = 0; i < c->n; i++) {
        for (int p = rowptr[i]; p < rowptr[i + 1]; p++)
            at[col[p]] = p;
        for (int t = c->contact_ptr[i]; t < c->contact_ptr[i + 1]; t++) {
            int b = c->touched[t], dim = c->mass->blocks[b].dim;
            for (int q = c->mass_ptr[b]; q < c->mass_ptr[b + 1]; q++)
                add_product(x + size * (size_t)at[c->mass_contact[q]], c->left + c->data[t],
                            c->right + c->data[c->mass_touch[q]], dim, c->block);
        }
    }
}

static int find_column(const int *rowptr, const int *col, int i, int j)
{
    int low = rowptr[i], high = rowptr[i + 1] - 1;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (col[middle] < j)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* One solve with the sparse part per column that reaches it; every contact
 * that reaches it couples with this column. */
static perp_status fill_sparse(double *x, const int *rowptr, const int *col, const coupling *c,
                               perp_arena *arena)
{
    const int *colptr = c->W->as.delassus.colptr, *row = c->W->as.delassus.row;
    const double *h = c->W->as.delassus.x;
    const perp_mass *mass = c->mass;
    const int *tail = mass->dof + (mass->n - mass->nsparse);
    int m = c->block;
    double *v = perp_arena_take_zero(arena, (size_t)mass->n, sizeof(double));
    double *work = PERP_TAKE(arena, double, mass->nsparse);
    if (arena->failed)
        return PERP_ERR_MEMORY;

    for (int s = 0; s < c->nsparse * m; s++) {
        int contact = c->sparse[s / m], j = contact * m + s % m;
        for (int p = colptr[j]; p < colptr[j + 1]; p++)
            if (mass->block_of[row[p]] < 0)
                v[row[p]] = h[p];
        perp_lu_solve_at(v, &mass->lu, v, tail, work);
        for (int t = 0; t < c->nsparse; t++) {
            int i = c->sparse[t], at = find_column(rowptr, col, i, contact);
            double *out = x + (size_t)m * (size_t)m * (size_t)at + (size_t)(s % m * m);
            for (int r = 0; r < m; r++)
                for (int p = colptr[i * m + r]; p < colptr[i * m + r + 1]; p++)
                    if (mass->block_of[row[p]] < 0)
                        out[r] += h[p] * v[row[p]];
        }
        for (int k = 0; k < mass->nsparse; k++)
            v[tail[k]] = 0.0;
    }
    return PERP_SOLVED;
}

static void add_compliance(double *x, const int *rowptr, const int *col, const coupling *c)
{
    const double *diagonal = c->W->as.delassus.diagonal;
    size_t m = (size_t)c->block;
    for (int i = 0; diagonal && i < c->n; i++) {
        double *own = x + m * m * (size_t)find_column(rowptr, col, i, i);
        for (size_t k = 0; k < m; k++)
            own[k * (m + 1)] += diagonal[(size_t)i * m + k];
    }
}

static perp_status build(perp_mat *B, coupling *c, perp_arena *local, perp_arena *arena)
{
    int *rowptr = NULL, *col = NULL;
    size_t size = 0;
    perp_status status = find_touches(c, &size, local);
    if (status == PERP_SOLVED)
        status = fill_factors(c, size, local);
    if (status == PERP_SOLVED)
        status = find_pattern(&rowptr, &col, c, local, arena);
    if (status != PERP_SOLVED)
        return status;

    int *at = PERP_TAKE(local, int, c->n);
    double *x = perp_arena_take_zero(arena, (size_t)rowptr[c->n],
                                     (size_t)c->block * (size_t)c->block * sizeof(double));
    if (!at || !x)
        return PERP_ERR_MEMORY;
    fill_small(x, rowptr, col, c, at);
    if (c->nsparse > 0)
        status = fill_sparse(x, rowptr, col, c, local);
    add_compliance(x, rowptr, col, c);
    if (status == PERP_SOLVED)
        status = perp_mat_init_bsr(B, c->n, c->block, rowptr, col, x);
    return status;
}

perp_status perp_bsr_from_delassus(perp_mat *B, const perp_mat *delassus, int block,
                                   perp_arena *arena)
{
    if (delassus->kind != PERP_DELASSUS || block < 1 || block > 6 || delassus->cols % block != 0)
        return PERP_ERR_ARGUMENT;
    perp_arena local;
    perp_arena_init(&local, &arena->allocator);
    coupling c = {.W = delassus,
                  .mass = delassus->as.delassus.mass,
                  .block = block,
                  .n = delassus->cols / block};
    perp_status status = build(B, &c, &local, arena);
    perp_arena_free(&local);
    return status;
}
