/* SPDX-License-Identifier: BSD-3-Clause */
#include "io/mass_columns.h"

#include <limits.h>
#include <string.h>

#include "linalg/partition.h"

/* Unknowns of a component up to which its inverse is kept. */
enum { PERP_SMALL_COMPONENT = 64 };

typedef struct components {
    int n, count, widest; /* widest: of the small ones */
    int *of;              /* n: component of an unknown */
    int *start, *dof;     /* unknowns of component k: dof[start[k]] .. */
    int *place;           /* n: position of an unknown within its component */
    size_t *offset;       /* of the inverse of component k, column-major */
    double *inverse;
} components;

static int width(const components *K, int k)
{
    return K->start[k + 1] - K->start[k];
}

static int is_small(const components *K, int k)
{
    return width(K, k) <= PERP_SMALL_COMPONENT;
}

static void join_entries(int *parent, const perp_mat *M)
{
    for (int j = 0; j < M->cols; j++)
        for (int p = M->as.csc.colptr[j]; p < M->as.csc.colptr[j + 1]; p++)
            perp_partition_join(parent, M->as.csc.row[p], j);
}

static perp_status find_components(components *K, const perp_mat *M, perp_heap *work)
{
    int n = K->n = M->rows;
    int *parent = PERP_HEAP_TAKE(work, int, n);
    K->of = PERP_HEAP_TAKE(work, int, n);
    K->place = PERP_HEAP_TAKE(work, int, n);
    K->dof = PERP_HEAP_TAKE(work, int, n);
    K->start = PERP_HEAP_ZERO(work, int, (size_t)n + 2);
    if (!parent || !K->of || !K->place || !K->dof || !K->start)
        return PERP_ERR_MEMORY;
    perp_partition_start(parent, n);
    join_entries(parent, M);
    for (int i = 0; i < n; i++) {
        int r = perp_partition_root(parent, i);
        K->of[i] = r == i ? K->count++ : K->of[r];
        K->place[i] = K->start[K->of[i] + 1]++;
    }
    for (int k = 0; k < K->count; k++)
        K->start[k + 1] += K->start[k];
    for (int i = 0; i < n; i++)
        K->dof[K->start[K->of[i]] + K->place[i]] = i;
    return PERP_SOLVED;
}

static perp_status invert_small(components *K, const perp_mass *mass, perp_heap *work)
{
    size_t total = 0, n = (size_t)K->n;
    K->offset = PERP_HEAP_TAKE(work, size_t, K->count);
    double *x = PERP_HEAP_TAKE(work, double, 2 * n);
    if (!K->offset || !x)
        return PERP_ERR_MEMORY;
    for (int k = 0; k < K->count; k++) {
        size_t w = (size_t)width(K, k);
        K->offset[k] = total;
        total += is_small(K, k) ? w * w : 0;
        if (is_small(K, k) && width(K, k) > K->widest)
            K->widest = width(K, k);
    }
    K->inverse = PERP_HEAP_TAKE(work, double, total);
    if (!K->inverse)
        return PERP_ERR_MEMORY;
    for (int c = 0; c < K->widest; c++) {
        memset(x, 0, n * sizeof *x);
        for (int k = 0; k < K->count; k++)
            if (is_small(K, k) && width(K, k) > c)
                x[K->dof[K->start[k] + c]] = 1.0;
        perp_mass_solve(mass, x, x + n, x);
        for (int k = 0; k < K->count; k++) {
            int w = width(K, k);
            for (int i = 0; is_small(K, k) && c < w && i < w; i++)
                K->inverse[K->offset[k] + (size_t)(i + w * c)] = x[K->dof[K->start[k] + i]];
        }
    }
    return PERP_SOLVED;
}

/* State of the product: rows of C, an accumulator over unknowns and one over
 * columns of C, with marks of the last column that touched an entry. */
typedef struct product {
    const components *K;
    const perp_mass *mass;
    const perp_mat *C;
    const perp_mat *rows; /* C' in compressed columns */
    double *y, *scratch;  /* n */
    int *mark_component;  /* K->count */
    int *touched, ntouched;
    double *sum;      /* C->cols */
    int *mark, *list; /* C->cols */
} product;

static void touch(product *Q, int k, int j)
{
    const components *K = Q->K;
    if (Q->mark_component[k] == j)
        return;
    Q->mark_component[k] = j;
    Q->touched[Q->ntouched++] = k;
    for (int p = K->start[k]; p < K->start[k + 1]; p++)
        Q->y[K->dof[p]] = 0.0;
}

/* y = M^-1 C(:, j) on the components touched. */
static void solve_column(product *Q, int j)
{
    const components *K = Q->K;
    const int *colptr = Q->C->as.csc.colptr, *row = Q->C->as.csc.row;
    const double *x = Q->C->as.csc.x;
    int large = 0;
    Q->ntouched = 0;
    for (int p = colptr[j]; p < colptr[j + 1]; p++) {
        touch(Q, K->of[row[p]], j);
        large |= !is_small(K, K->of[row[p]]);
    }
    if (large) {
        memset(Q->y, 0, (size_t)K->n * sizeof *Q->y);
        for (int p = colptr[j]; p < colptr[j + 1]; p++)
            Q->y[row[p]] = x[p];
        perp_mass_solve(Q->mass, Q->y, Q->scratch, Q->y);
        return;
    }
    for (int p = colptr[j]; p < colptr[j + 1]; p++) {
        int k = K->of[row[p]], w = width(K, k);
        const double *column = K->inverse + K->offset[k] + (size_t)w * (size_t)K->place[row[p]];
        for (int i = 0; i < w; i++)
            Q->y[K->dof[K->start[k] + i]] += column[i] * x[p];
    }
}

/* Columns of C that share a component with column j; they are Q->list. */
static int neighbours(product *Q, int j)
{
    const int *ptr = Q->rows->as.csc.colptr, *col = Q->rows->as.csc.row;
    int count = 0;
    for (int t = 0; t < Q->ntouched; t++) {
        int k = Q->touched[t];
        for (int d = Q->K->start[k]; d < Q->K->start[k + 1]; d++)
            for (int p = ptr[Q->K->dof[d]]; p < ptr[Q->K->dof[d] + 1]; p++)
                if (Q->mark[col[p]] != j) {
                    Q->mark[col[p]] = j;
                    Q->list[count++] = col[p];
                }
    }
    return count;
}

static void multiply_column(product *Q, int count)
{
    const int *ptr = Q->rows->as.csc.colptr, *col = Q->rows->as.csc.row;
    const double *x = Q->rows->as.csc.x;
    for (int e = 0; e < count; e++)
        Q->sum[Q->list[e]] = 0.0;
    for (int t = 0; t < Q->ntouched; t++) {
        int k = Q->touched[t];
        for (int d = Q->K->start[k]; d < Q->K->start[k + 1]; d++) {
            int i = Q->K->dof[d];
            for (int p = ptr[i]; p < ptr[i + 1]; p++)
                Q->sum[col[p]] += x[p] * Q->y[i];
        }
    }
}

static perp_status prepare(product *Q, perp_heap *work)
{
    const components *K = Q->K;
    size_t n = (size_t)K->n, cols = (size_t)Q->C->cols;
    Q->y = PERP_HEAP_TAKE(work, double, n);
    Q->scratch = PERP_HEAP_TAKE(work, double, n);
    Q->mark_component = PERP_HEAP_TAKE(work, int, K->count);
    Q->touched = PERP_HEAP_TAKE(work, int, K->count);
    Q->sum = PERP_HEAP_TAKE(work, double, cols);
    Q->mark = PERP_HEAP_TAKE(work, int, cols);
    Q->list = PERP_HEAP_TAKE(work, int, cols);
    return Q->y && Q->scratch && Q->mark_component && Q->touched && Q->sum && Q->mark && Q->list
               ? PERP_SOLVED
               : PERP_ERR_MEMORY;
}

static void clear_marks(product *Q)
{
    for (int k = 0; k < Q->K->count; k++)
        Q->mark_component[k] = -1;
    for (int j = 0; j < Q->C->cols; j++)
        Q->mark[j] = -1;
}

/* Entries of the result, which are known from the pattern alone. */
static size_t count_entries(product *Q)
{
    const perp_mat *C = Q->C;
    size_t total = 0;
    clear_marks(Q);
    for (int j = 0; j < C->cols; j++) {
        Q->ntouched = 0;
        for (int p = C->as.csc.colptr[j]; p < C->as.csc.colptr[j + 1]; p++) {
            int k = Q->K->of[C->as.csc.row[p]];
            if (Q->mark_component[k] != j)
                Q->touched[Q->ntouched++] = k;
            Q->mark_component[k] = j;
        }
        total += (size_t)neighbours(Q, j);
    }
    return total;
}

static perp_status form(perp_mat *P, product *Q, perp_heap *work)
{
    int cols = Q->C->cols;
    size_t total = count_entries(Q);
    if (total > INT_MAX)
        return PERP_ERR_OVERFLOW;
    int *colptr = PERP_HEAP_TAKE(work, int, (size_t)cols + 1);
    int *row = PERP_HEAP_TAKE(work, int, total);
    double *x = PERP_HEAP_TAKE(work, double, total);
    if (!colptr || !row || !x)
        return PERP_ERR_MEMORY;
    clear_marks(Q);
    colptr[0] = 0;
    for (int j = 0, e = 0; j < cols; j++) {
        solve_column(Q, j);
        int count = neighbours(Q, j);
        multiply_column(Q, count);
        for (int k = 0; k < count; k++, e++) {
            row[e] = Q->list[k];
            x[e] = Q->sum[Q->list[k]];
        }
        colptr[j + 1] = e;
    }
    return perp_mat_init_csc(P, cols, cols, colptr, row, x);
}

perp_status perp_mass_product(perp_mat *P, const perp_mat *M, const perp_mass *mass,
                              const perp_mat *C, perp_heap *work)
{
    components K = {0};
    perp_triplets T;
    perp_mat rows;
    perp_status status = find_components(&K, M, work);
    if (!status)
        status = invert_small(&K, mass, work);
    if (!status)
        status = perp_triplets_from_mat(&T, C, work);
    if (status)
        return status;
    perp_triplets_transpose(&T);
    status = perp_triplets_to_csc(&rows, &T, work, work);
    product Q = {.K = &K, .mass = mass, .C = C, .rows = &rows};
    if (!status)
        status = prepare(&Q, work);
    return status ? status : form(P, &Q, work);
}
