/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory of a handle, the pattern of J, and the inner solver on it. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "core/float_environment.h"
#include "core/sized.h"
#include "ncp/state.h"

void perp_ncp_settings_init(perp_ncp_settings *settings, size_t size)
{
    const perp_ncp_settings own = {.method = PERP_NCP_JOSEPHY, .tol = 1e-8, .max_iter = 200};
    perp_sized_init(settings, size, &own, sizeof own);
}

static perp_status fail(perp_where *where, perp_status status, const char *what, int index)
{
    if (where)
        *where = (perp_where){what, -1, index};
    return status;
}

static perp_status check_settings(const perp_ncp_settings *s, perp_where *where)
{
    if (s->method != PERP_NCP_JOSEPHY && s->method != PERP_NCP_FISCHER)
        return fail(where, PERP_ERR_SETTING, "method", -1);
    if (!(s->tol >= 0.0 && s->tol <= 1.0))
        return fail(where, PERP_ERR_SETTING, "tol", -1);
    if (s->max_iter < 0)
        return fail(where, PERP_ERR_SETTING, "max_iter", -1);
    if (!(s->time_limit >= 0.0))
        return fail(where, PERP_ERR_SETTING, "time_limit", -1);
    return PERP_SOLVED;
}

/* The sets, by way of a problem with an empty matrix. */
static perp_status check_sets(const perp_ncp *ncp, perp_arena *scratch, perp_where *where)
{
    int *zeros = perp_arena_take_zero(scratch, (size_t)ncp->n + 1, sizeof(int));
    double *q = perp_arena_take_zero(scratch, (size_t)ncp->n + 1, sizeof(double));
    perp_problem empty = {.q = q, .seg = ncp->seg, .nseg = ncp->nseg};
    if (scratch->failed)
        return PERP_ERR_MEMORY;
    perp_mat_init_csc(&empty.M, ncp->n, ncp->n, zeros, zeros, q);
    perp_status status = perp_problem_check(&empty, &scratch->allocator, where);
    for (int k = 0; status == PERP_SOLVED && k < ncp->nseg; k++)
        if (ncp->seg[k].set > PERP_BOX && ncp->seg[k].count > 0)
            status = fail(where, PERP_ERR_UNSUPPORTED, perp_set_name(ncp->seg[k].set), -1);
    return status;
}

static perp_status check_pattern(const perp_ncp *ncp, perp_arena *scratch, perp_where *where)
{
    perp_mat J;
    if (!ncp->colptr != !ncp->row)
        return fail(where, PERP_ERR_ARGUMENT, ncp->row ? "colptr" : "row", -1);
    if (!ncp->colptr)
        return PERP_SOLVED;
    if (ncp->colptr[0] != 0 || ncp->colptr[ncp->n] < 0)
        return fail(where, PERP_ERR_STRUCTURE, "colptr", -1);
    double *x = perp_arena_take_zero(scratch, (size_t)ncp->colptr[ncp->n] + 1, sizeof(double));
    if (!x)
        return PERP_ERR_MEMORY;
    perp_status status = perp_mat_init_csc(&J, ncp->n, ncp->n, ncp->colptr, ncp->row, x);
    return status == PERP_SOLVED ? perp_mat_check(&J, &scratch->allocator, where) : status;
}

/* J's pattern with the diagonal: triplets whose values are the caller's indices plus 1. */
static perp_status take_pattern(perp_ncp_solver *h, perp_arena *scratch)
{
    const perp_ncp *ncp = &h->ncp;
    size_t n = (size_t)ncp->n, count = ncp->colptr ? (size_t)ncp->colptr[n] : n * n;
    if (count + n > INT_MAX)
        return PERP_ERR_OVERFLOW;
    int *row = PERP_TAKE(scratch, int, count + n), *col = PERP_TAKE(scratch, int, count + n);
    double *index = PERP_TAKE(scratch, double, count + n);
    h->values = PERP_TAKE(&h->arena, double, count);
    if (scratch->failed || h->arena.failed)
        return PERP_ERR_MEMORY;
    for (size_t j = 0, at = 0; j < n; j++) {
        size_t size = ncp->colptr ? (size_t)(ncp->colptr[j + 1] - ncp->colptr[j]) : n;
        for (size_t k = 0; k < size; k++, at++) {
            row[at] = ncp->colptr ? ncp->row[at] : (int)k;
            col[at] = (int)j;
            index[at] = (double)at + 1.0;
        }
        row[count + j] = col[count + j] = (int)j;
        index[count + j] = 0.0;
    }
    perp_status status =
        perp_csc_from_triplets(&h->J, ncp->n, ncp->n, (int)(count + n), row, col, index, &h->arena);
    if (status != PERP_SOLVED)
        return status;
    size_t entries = (size_t)h->J.colptr[n];
    h->from = PERP_TAKE(&h->arena, int, entries);
    h->diagonal = PERP_TAKE(&h->arena, int, n);
    h->V = h->J;
    h->V.x = PERP_TAKE(&h->arena, double, entries);
    if (h->arena.failed)
        return PERP_ERR_MEMORY;
    for (int j = 0; j < ncp->n; j++) {
        for (int p = h->J.colptr[j]; p < h->J.colptr[j + 1]; p++) {
            h->from[p] = (int)h->J.x[p] - 1;
            h->V.x[p] = h->J.x[p] = h->J.row[p] == j ? 1.0 : 0.0;
            if (h->J.row[p] == j)
                h->diagonal[j] = p;
        }
    }
    return PERP_SOLVED;
}

static perp_status take_vectors(perp_ncp_solver *h)
{
    double **at[] = {&h->fischer, &h->dz,      &h->dF,      &h->z,       &h->F,
                     &h->trial,   &h->trial_F, &h->step,    &h->q,       &h->best,
                     &h->best_F,  &h->inner_z, &h->inner_w, &h->gradient};
    for (size_t k = 0; k < sizeof at / sizeof at[0]; k++)
        *at[k] = perp_arena_take_zero(&h->arena, (size_t)h->ncp.n, sizeof(double));
    return h->arena.failed ? PERP_ERR_MEMORY : PERP_SOLVED;
}

/* On the identity; the numbers come with each step. */
static perp_status take_inner(perp_ncp_solver *h, perp_where *where)
{
    const perp_ncp_settings *s = &h->settings;
    const perp_solver_type *type = perp_solver_find(s->solver ? s->solver : "lemke");
    perp_settings tight;
    if (!type)
        return fail(where, PERP_ERR_SETTING, "solver", -1);
    perp_settings_init(&tight, sizeof tight);
    tight.tol = 1e-10;
    tight.measure = PERP_MEASURE_NATURAL;
    h->problem = (perp_problem){perp_csc_view(&h->J), h->q, h->ncp.seg, h->ncp.nseg};
    perp_status status = perp_solver_create(&h->inner, type, s->inner ? s->inner : &tight,
                                            &h->arena.allocator, where);
    if (status == PERP_SOLVED)
        status = perp_solver_setup(h->inner, &h->problem);
    if (status != PERP_SOLVED && h->inner && where)
        *where = perp_solver_info(h->inner)->where;
    return status;
}

static perp_status fill(perp_ncp_solver *h, perp_arena *scratch, perp_where *where)
{
    perp_status status = check_sets(&h->ncp, scratch, where);
    if (status == PERP_SOLVED)
        status = check_pattern(&h->ncp, scratch, where);
    if (status == PERP_SOLVED) {
        const perp_problem shape = {.seg = h->ncp.seg, .nseg = h->ncp.nseg};
        status = perp_blocks_build(&h->blocks, &shape, &h->arena);
    }
    if (status == PERP_SOLVED)
        status = take_pattern(h, scratch);
    if (status == PERP_SOLVED)
        status = take_vectors(h);
    if (status == PERP_SOLVED && h->ncp.n > 0)
        status = perp_factor_create(&h->factor, PERP_FACTOR_AUTO, PERP_ORDERING_AUTO, 0, &h->V,
                                    &h->arena.allocator);
    if (status == PERP_SOLVED && h->settings.method == PERP_NCP_JOSEPHY)
        status = take_inner(h, where);
    return status;
}

perp_status perp_ncp_solver_create(perp_ncp_solver **handle, const perp_ncp *ncp,
                                   const perp_ncp_settings *settings,
                                   const perp_allocator *allocator, perp_where *where)
{
    PERP_HOLD_ENVIRONMENT();
    perp_ncp_settings own;
    if (!handle)
        return PERP_ERR_ARGUMENT;
    *handle = NULL;
    if (!ncp || ncp->n < 0 || !ncp->F || !ncp->J)
        return fail(where, PERP_ERR_ARGUMENT, ncp ? "F" : "ncp", -1);
    perp_ncp_settings_init(&own, sizeof own);
    if (settings && perp_sized_read(&own, sizeof own, settings) != PERP_SOLVED)
        return fail(where, PERP_ERR_SETTING, "size", -1);
    perp_status status = check_settings(&own, where);
    if (status != PERP_SOLVED)
        return status;
    perp_allocator memory = perp_allocator_or_malloc(allocator);
    perp_ncp_solver *made = memory.allocate(memory.ctx, sizeof *made);
    if (!made)
        return PERP_ERR_MEMORY;
    memset(made, 0, sizeof *made);
    made->ncp = *ncp;
    made->settings = own;
    perp_arena scratch;
    perp_arena_init(&made->arena, &memory);
    perp_arena_init(&scratch, &memory);
    status = fill(made, &scratch, where);
    perp_arena_free(&scratch);
    if (status == PERP_SOLVED)
        *handle = made;
    else
        perp_ncp_solver_destroy(made);
    return status;
}

void perp_ncp_solver_destroy(perp_ncp_solver *h)
{
    if (!h)
        return;
    perp_allocator memory = h->arena.allocator;
    perp_solver_destroy(h->inner);
    if (h->factor)
        perp_factor_destroy(h->factor);
    perp_arena_free(&h->arena);
    memory.release(memory.ctx, h);
}
