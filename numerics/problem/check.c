/* SPDX-License-Identifier: BSD-3-Clause */
#include <float.h>
#include <limits.h>
#include <math.h>

#include <perp/problem.h>

#include "core/float_environment.h"
#include "sets/set.h"

static perp_status fail(perp_where *where, perp_status status, const char *what, int segment,
                        int index)
{
    if (where)
        *where = (perp_where){what, segment, index};
    return status;
}

/* Shape of segment k; adds its rows. */
static perp_status check_shape(const perp_segment *seg, int k, long long *rows, perp_where *where)
{
    if ((unsigned)seg->set >= PERP_SET_COUNT)
        return fail(where, PERP_ERR_ARGUMENT, "set", k, -1);
    const perp_set_type *type = perp_set_type_of((int)seg->set);
    if (!perp_set_takes_dim(type, seg->dim))
        return fail(where, PERP_ERR_ARGUMENT, "dim", k, -1);
    if (seg->count < 0)
        return fail(where, PERP_ERR_ARGUMENT, "count", k, -1);
    for (int p = 0; p < perp_set_reads(type, seg->dim); p++) {
        if (seg->count > 0 && !seg->par[p])
            return fail(where, PERP_ERR_ARGUMENT, type->parameter[p], k, -1);
        if (seg->stride[p] < 0)
            return fail(where, PERP_ERR_ARGUMENT, "stride", k, p);
    }
    *rows += (long long)seg->dim * seg->count;
    if (*rows > INT_MAX)
        return fail(where, PERP_ERR_OVERFLOW, "count", k, -1);
    return PERP_SOLVED;
}

/* 1: all bounds are in order and none is on the wrong side of infinity; NaN is not. */
static int are_bounds(const perp_segment *seg)
{
    const double *lo = seg->par[0], *hi = seg->par[1];
    int wrong = 0;
    for (int i = 0; i < seg->count; i++, lo += seg->stride[0], hi += seg->stride[1])
        wrong |= !(*lo <= *hi) | (*lo > DBL_MAX) | (*hi < -DBL_MAX);
    return !wrong;
}

/* Parameters of every block of segment k; the index named is that of the block. */
static perp_status check_parameters(const perp_segment *seg, int k, perp_where *where)
{
    const perp_set_type *type = perp_set_type_of((int)seg->set);
    if (type->parameters == 0 || (seg->set == PERP_BOX && are_bounds(seg)))
        return PERP_SOLVED;
    int parameters = perp_set_reads(type, seg->dim), varies = 0;
    for (int p = 0; p < parameters; p++)
        varies |= seg->stride[p] != 0;
    int count = varies || seg->count == 0 ? seg->count : 1;
    for (int i = 0; i < count; i++) {
        double par[PERP_PARAMETERS] = {0.0};
        if (i > 0 && parameters == 1 &&
            seg->par[0][(size_t)i * (size_t)seg->stride[0]] ==
                seg->par[0][(size_t)(i - 1) * (size_t)seg->stride[0]])
            continue;
        for (int p = 0; p < parameters; p++) {
            par[p] = seg->par[p][(size_t)i * (size_t)seg->stride[p]];
            if (isnan(par[p]) || (seg->set != PERP_BOX && isinf(par[p])))
                return fail(where, PERP_ERR_NONFINITE, type->parameter[p], k, i);
        }
        if (!type->admissible(par)) {
            int wrong = 0;
            while (seg->set == PERP_ROLLING && wrong + 1 < parameters && par[wrong] >= 0.0)
                wrong++;
            return fail(where, PERP_ERR_ARGUMENT, type->parameter[wrong], k, i);
        }
    }
    return PERP_SOLVED;
}

perp_status perp_problem_check(const perp_problem *problem, const perp_allocator *allocator,
                               perp_where *where)
{
    PERP_HOLD_ENVIRONMENT();
    if (!problem)
        return fail(where, PERP_ERR_ARGUMENT, "problem", -1, -1);
    if (problem->nseg < 0)
        return fail(where, PERP_ERR_ARGUMENT, "nseg", -1, -1);
    if (problem->nseg > 0 && !problem->seg)
        return fail(where, PERP_ERR_ARGUMENT, "seg", -1, -1);
    long long rows = 0;
    for (int k = 0; k < problem->nseg; k++) {
        perp_status status = check_shape(&problem->seg[k], k, &rows, where);
        if (status != PERP_SOLVED)
            return status;
    }
    if (problem->M.rows != problem->M.cols || rows != problem->M.rows)
        return fail(where, PERP_ERR_STRUCTURE, "M.rows", -1, -1);
    if (rows > 0 && !problem->q)
        return fail(where, PERP_ERR_ARGUMENT, "q", -1, -1);
    for (int k = 0; k < problem->nseg; k++) {
        perp_status status = check_parameters(&problem->seg[k], k, where);
        if (status != PERP_SOLVED)
            return status;
    }
    for (int i = 0; i < (int)rows; i++)
        if (!isfinite(problem->q[i]))
            return fail(where, PERP_ERR_NONFINITE, "q", -1, i);
    return perp_mat_check(&problem->M, allocator, where);
}
