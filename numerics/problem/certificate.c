/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks certificates from the problem's own arrays. */
#include <perp/certificate.h>

#include <math.h>
#include <string.h>

#include "core/float_environment.h"
#include "core/sized.h"
#include "linalg/csc.h"
#include "problem/blocks.h"
#include "problem/proof.h"

static void rows(double *c, double *size, const perp_csc *M, const double *y)
{
    memset(c, 0, (size_t)M->rows * sizeof(double));
    memset(size, 0, (size_t)M->rows * sizeof(double));
    for (int j = 0; j < M->cols; j++) {
        for (int p = M->colptr[j]; p < M->colptr[j + 1]; p++) {
            c[M->row[p]] += M->x[p] * y[j];
            size[M->row[p]] += fabs(M->x[p] * y[j]);
        }
    }
}

/* Each y_i (M y)_i, of rows that are not FREE, over the size of its terms. */
static void check_ray(perp_certificate_figures *figures, const perp_blocks *blocks,
                      const perp_csc *M, const perp_proof_vectors *at, const double *y)
{
    for (int k = 0; k < blocks->count; k++) {
        double away = perp_proof_signs(at->right + k, &blocks->at[k], y + k);
        if (away > figures->sign) {
            figures->sign = away;
            figures->row = k;
        }
    }
    rows(at->c, at->size, M, at->right);
    for (int i = 0; i < blocks->n; i++) {
        perp_open_ends z = perp_block_ends(&blocks->at[i]);
        double product = at->right[i] > 0.0 ? at->c[i] : -at->c[i];
        if ((z.up && z.down) || fabs(at->right[i]) <= PERP_PROOF_SIGN || product <= 0.0)
            continue;
        if (product / at->size[i] > figures->column) {
            figures->column = product / at->size[i];
            figures->row = i;
        }
    }
    figures->holds = figures->sign <= PERP_PROOF_SIGN && figures->column <= PERP_PROOF_COLUMN;
}

static perp_status check(perp_certificate_figures *figures, const perp_problem *problem,
                         perp_certificate_kind kind, const double *y, perp_arena *arena)
{
    perp_blocks blocks;
    perp_csc M;
    double largest = 0.0;
    size_t n = (size_t)problem->M.rows;
    perp_status status = perp_blocks_build(&blocks, problem, arena);
    if (status == PERP_SOLVED && kind == PERP_CERTIFICATE_RAY)
        status = blocks.max_dim > 1 ? PERP_ERR_UNSUPPORTED
                                    : perp_csc_from_mat(&M, &problem->M, arena);
    if (status != PERP_SOLVED)
        return status;
    double *unit = PERP_TAKE(arena, double, n);
    perp_proof_vectors at = {PERP_TAKE(arena, double, n), PERP_TAKE(arena, double, n),
                             PERP_TAKE(arena, double, n),
                             PERP_TAKE(arena, double, perp_proof_work(&problem->M))};
    if (arena->failed)
        return PERP_ERR_MEMORY;
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(y[i]))
            return PERP_ERR_NONFINITE;
        largest = fmax(largest, fabs(y[i]));
    }
    if (!(largest > 0.0))
        return PERP_SOLVED;
    for (size_t i = 0; i < n; i++)
        unit[i] = y[i] / largest;
    if (kind == PERP_CERTIFICATE_RAY)
        check_ray(figures, &blocks, &M, &at, unit);
    else
        perp_proof_check(figures, problem, &blocks, y, &at);
    return PERP_SOLVED;
}

perp_status perp_certificate_check(const perp_problem *problem, perp_certificate_kind kind,
                                   const double *y, const perp_allocator *allocator,
                                   perp_certificate_figures *figures)
{
    PERP_HOLD_ENVIRONMENT();
    perp_arena arena;
    perp_certificate_figures own = {.row = -1, .holds = kind == PERP_CERTIFICATE_EXHAUSTED};
    if (!problem || perp_sized_write(figures, &own, sizeof own) != PERP_SOLVED)
        return PERP_ERR_ARGUMENT;
    if (kind == PERP_CERTIFICATE_EXHAUSTED || kind == PERP_CERTIFICATE_NONE)
        return PERP_SOLVED;
    if (kind != PERP_CERTIFICATE_RAY && kind != PERP_CERTIFICATE_INFEASIBLE)
        return PERP_ERR_ARGUMENT;
    if (!y && problem->M.rows > 0)
        return PERP_ERR_ARGUMENT;
    if (problem->M.kind == PERP_OPERATOR)
        return PERP_ERR_UNSUPPORTED;
    perp_arena_init(&arena, allocator);
    perp_status status = check(&own, problem, kind, y, &arena);
    perp_arena_free(&arena);
    perp_sized_write(figures, &own, sizeof own);
    return status;
}
