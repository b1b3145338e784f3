/* SPDX-License-Identifier: BSD-3-Clause */
#include "linalg/factor/factor.h"

#include "linalg/factor/ordering.h"

#if HAVE_CONFIG_H
#include "config.h"
#endif

/* From here on MUMPS is faster. */
static const double multifrontal_flops = 2e9;

/* Dense LU up to TINY_MAX always, up to DENSE_MAX for matrices that are at
 * least 1/DENSE_SHARE full. */
enum { TINY_MAX = 32, DENSE_MAX = 4000, DENSE_SHARE = 8 };

const perp_factor_type *perp_factor_type_of(perp_factor_kind kind)
{
    switch (kind) {
    case PERP_FACTOR_LAPACK:
        return &perp_factor_lapack;
    case PERP_FACTOR_KLU:
        return &perp_factor_klu;
    case PERP_FACTOR_LDL:
        return &perp_factor_ldl;
    case PERP_FACTOR_MUMPS:
#if HAVE_MUMPS
        return &perp_factor_mumps;
#endif
        break;
    case PERP_FACTOR_FRONTS:
        return &perp_factor_fronts;
    case PERP_FACTOR_AUTO:
        break;
    }
    return NULL;
}

static int is_dense(const perp_csc *A)
{
    double n = A->cols;
    return A->cols <= TINY_MAX ||
           (A->cols <= DENSE_MAX && A->colptr[A->cols] * (double)DENSE_SHARE >= n * n);
}

/* Orders before it chooses: the choice among sparse kinds depends on the fill. */
static perp_status prepare(perp_factor *factor, perp_factor_kind kind, const perp_csc *A)
{
    if (kind == PERP_FACTOR_AUTO && (A->cols <= TINY_MAX || (factor->definite && is_dense(A))))
        kind = PERP_FACTOR_LAPACK;
    if (kind == PERP_FACTOR_AUTO && !factor->definite)
        kind = PERP_FACTOR_FRONTS;
    if (kind != PERP_FACTOR_LAPACK && kind != PERP_FACTOR_FRONTS) {
        perp_allocator *memory = &factor->allocator;
        factor->perm = memory->allocate(memory->ctx, ((size_t)A->cols + 1) * sizeof(int));
        if (!factor->perm)
            return PERP_ERR_MEMORY;
        perp_status status = perp_order(factor->perm, &factor->fill, A, factor->ordering, memory);
        if (status != PERP_SOLVED)
            return status;
    }
    if (kind == PERP_FACTOR_AUTO) {
        kind = PERP_FACTOR_LDL;
        if (factor->fill.flops > multifrontal_flops && perp_factor_type_of(PERP_FACTOR_MUMPS))
            kind = PERP_FACTOR_MUMPS;
    }
    factor->type = perp_factor_type_of(kind);
    return PERP_SOLVED;
}

perp_status perp_factor_create(perp_factor **out, perp_factor_kind kind, perp_ordering_kind ordering,
                               int definite, const perp_csc *A, const perp_allocator *allocator)
{
    if (A->rows != A->cols)
        return PERP_ERR_ARGUMENT;
    if (kind != PERP_FACTOR_AUTO && !perp_factor_type_of(kind))
        return PERP_ERR_UNSUPPORTED;
    perp_allocator memory = perp_allocator_or_malloc(allocator);
    perp_factor *factor = memory.allocate(memory.ctx, sizeof *factor);
    if (!factor)
        return PERP_ERR_MEMORY;
    *factor = (perp_factor){
        .allocator = memory, .ordering = ordering, .definite = definite, .n = A->cols};
    perp_status status = prepare(factor, kind, A);
    if (status == PERP_SOLVED)
        status = factor->type->analyse(factor, A);
    if (status != PERP_SOLVED) {
        perp_factor_destroy(factor);
        return status;
    }
    *out = factor;
    return PERP_SOLVED;
}

perp_status perp_factor_numeric(perp_factor *factor, const perp_csc *A)
{
    perp_status status = factor->type->factorise(factor, A);
    factor->repivot = 0;
    return status;
}

void perp_factor_solve(perp_factor *factor, double *x)
{
    factor->type->solve(factor, x);
}

int perp_factor_sign(const perp_factor *factor)
{
    return factor->type->sign ? factor->type->sign(factor) : 0;
}

void perp_factor_stats_get(const perp_factor *factor, perp_factor_stats *stats)
{
    factor->type->stats(factor, stats);
}

void perp_factor_destroy(perp_factor *factor)
{
    if (!factor)
        return;
    perp_allocator memory = factor->allocator;
    if (factor->type)
        factor->type->destroy(factor);
    memory.release(memory.ctx, factor->perm);
    memory.release(memory.ctx, factor);
}
