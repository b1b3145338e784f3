/* SPDX-License-Identifier: BSD-3-Clause */
/* Slow and plain dense algebra for tests, column-major, and an allocator that
 * counts and can be told to fail. */
#ifndef PERP_TESTS_DENSE_REFERENCE_H
#define PERP_TESTS_DENSE_REFERENCE_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perp/matrix.h>

#include "core/rng.h"

static inline double *ref_zero(int rows, int cols)
{
    return calloc((size_t)rows * (size_t)cols + 1, sizeof(double));
}

static inline double *ref_random(perp_rng *rng, int rows, int cols)
{
    double *A = ref_zero(rows, cols);
    for (int i = 0; i < rows * cols; i++)
        A[i] = perp_rng_signed(rng);
    return A;
}

/* A' as a new matrix. */
static inline double *ref_transpose(const double *A, int rows, int cols)
{
    double *T = ref_zero(cols, rows);
    for (int j = 0; j < cols; j++)
        for (int i = 0; i < rows; i++)
            T[j + i * cols] = A[i + j * rows];
    return T;
}

/* A B as a new matrix, A rows x inner. */
static inline double *ref_multiply(const double *A, const double *B, int rows, int inner, int cols)
{
    double *C = ref_zero(rows, cols);
    for (int j = 0; j < cols; j++) {
        for (int i = 0; i < rows; i++) {
            long double sum = 0.0L;
            for (int k = 0; k < inner; k++)
                sum += (long double)A[i + k * rows] * (long double)B[k + j * inner];
            C[i + j * rows] = (double)sum;
        }
    }
    return C;
}

/* A^-1 B as a new matrix, Gauss-Jordan with full row pivoting in long double. */
static inline double *ref_solve(const double *A, const double *B, int n, int cols)
{
    size_t width = (size_t)(n + cols);
    long double *T = malloc((size_t)n * width * sizeof *T + 1);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            T[(size_t)i * width + (size_t)j] = A[i + j * n];
        for (int j = 0; j < cols; j++)
            T[(size_t)i * width + (size_t)(n + j)] = B[i + j * n];
    }
    for (int k = 0; k < n; k++) {
        int pivot = k;
        for (int i = k + 1; i < n; i++)
            if (fabsl(T[(size_t)i * width + (size_t)k]) >
                fabsl(T[(size_t)pivot * width + (size_t)k]))
                pivot = i;
        for (size_t j = 0; j < width; j++) {
            long double t = T[(size_t)k * width + j];
            T[(size_t)k * width + j] = T[(size_t)pivot * width + j];
            T[(size_t)pivot * width + j] = t;
        }
        for (int i = 0; i < n; i++) {
            if (i == k)
                continue;
            long double l = T[(size_t)i * width + (size_t)k] / T[(size_t)k * width + (size_t)k];
            for (size_t j = (size_t)k; j < width; j++)
                T[(size_t)i * width + j] -= l * T[(size_t)k * width + j];
        }
    }
    double *X = ref_zero(n, cols);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < cols; j++)
            X[i + j * n] =
                (double)(T[(size_t)i * width + (size_t)(n + j)] / T[(size_t)i * width + (size_t)i]);
    free(T);
    return X;
}

/* max |A - B| / max |B|. */
static inline double ref_distance(const double *A, const double *B, size_t count)
{
    double difference = 0.0, largest = 0.0;
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(A[i]))
            return INFINITY;
        difference = fmax(difference, fabs(A[i] - B[i]));
        largest = fmax(largest, fabs(B[i]));
    }
    return largest > 0.0 ? difference / largest : difference;
}

/* The entries of DENSE, CSC and BSR, added one by one. */
static inline double *ref_dense_of(const perp_mat *A)
{
    double *D = ref_zero(A->rows, A->cols);
    int b = A->kind == PERP_BSR ? A->as.bsr.block : 1;
    for (int j = 0; A->kind == PERP_DENSE && j < A->cols; j++)
        for (int i = 0; i < A->rows; i++)
            D[i + j * A->rows] = A->as.dense.x[i + j * A->as.dense.ld];
    for (int j = 0; A->kind == PERP_CSC && j < A->cols; j++)
        for (int p = A->as.csc.colptr[j]; p < A->as.csc.colptr[j + 1]; p++)
            D[A->as.csc.row[p] + j * A->rows] += A->as.csc.x[p];
    for (int i = 0; A->kind == PERP_BSR && i < A->rows / b; i++)
        for (int p = A->as.bsr.rowptr[i]; p < A->as.bsr.rowptr[i + 1]; p++)
            for (int e = 0; e < b * b; e++)
                D[i * b + e % b + (A->as.bsr.col[p] * b + e / b) * A->rows] +=
                    A->as.bsr.x[p * b * b + e];
    return D;
}

/* A random pattern: `major` lists of indices below minor, in random order and
 * without duplicates; the diagonal is in it where diagonal is 1. */
typedef struct ref_pattern {
    int *ptr, *index;
} ref_pattern;

static inline ref_pattern ref_random_pattern(perp_rng *rng, int major, int minor, double density,
                                             int diagonal)
{
    ref_pattern P;
    P.ptr = malloc(((size_t)major + 1) * sizeof(int));
    P.index = malloc(((size_t)major * (size_t)minor + 1) * sizeof(int));
    P.ptr[0] = 0;
    for (int j = 0, end = 0; j < major; j++) {
        int first = end;
        for (int i = 0; i < minor; i++)
            if (perp_rng_uniform(rng) < density || (diagonal && i == j))
                P.index[end++] = i;
        for (int k = end - 1; k > first; k--) {
            int other = first + perp_rng_below(rng, k - first + 1), t = P.index[k];
            P.index[k] = P.index[other];
            P.index[other] = t;
        }
        P.ptr[j + 1] = end;
    }
    return P;
}

static inline void ref_pattern_free(ref_pattern *P)
{
    free(P->ptr);
    free(P->index);
}

/* Fails from the k-th allocation on; counts what is not released. */
typedef struct ref_memory {
    int fail_at, count, live;
} ref_memory;

static inline void *ref_allocate(void *ctx, size_t bytes)
{
    ref_memory *memory = ctx;
    if (memory->count++ >= memory->fail_at)
        return NULL;
    memory->live++;
    return malloc(bytes);
}

static inline void ref_release(void *ctx, void *block)
{
    ref_memory *memory = ctx;
    if (block)
        memory->live--;
    free(block);
}

static inline perp_allocator ref_allocator(ref_memory *memory)
{
    return (perp_allocator){ref_allocate, ref_release, memory};
}

#endif
