/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernel/step/one_step_islands.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "numerics/core/clock.h"

/* What is at most this part of the largest rate is what sums round. */
static const double ROUNDING = 64.0 * DBL_EPSILON;

static perp_one_step_islands *islands_of(perp_one_step *one)
{
    if (!one->islands)
        one->islands = perp_pool_take(one->pool, sizeof *one->islands);
    return one->islands;
}

/* Counts no further than it must: it is asked for each link of a group. */
static int is_small(const perp_one_step *one, int group)
{
    const perp_link_groups *groups = &one->islands->groups;
    int rows = 0;
    for (int k = groups->first[group];
         k < groups->first[group + 1] && rows <= PERP_ONE_STEP_FEW_ROWS; k++)
        rows += perp_one_step_width(one->active[groups->member[k]]);
    return rows <= PERP_ONE_STEP_FEW_ROWS;
}

static int list_blocks(perp_one_step *one)
{
    perp_one_step_islands *islands = one->islands;
    if (!perp_pool_grow(one->pool, (void **)&islands->first_block, &islands->capacity_first_block,
                        one->nactive, sizeof(int)) ||
        !perp_pool_grow(one->pool, (void **)&islands->rest, &islands->capacity_rest, one->nactive,
                        sizeof(int)))
        return 0;
    for (int a = 0, at = 0; a < one->nactive; a++) {
        islands->first_block[a] = at;
        at += perp_one_step_blocks(one, one->active[a]);
    }
    return 1;
}

/* The groups, and the links of those that are not small, ascending. */
static int find(perp_one_step *one)
{
    perp_one_step_islands *islands = one->islands;
    islands->pattern = 0;
    if (!perp_link_groups_find(&islands->groups, one->pool, one->active, one->nactive,
                               one->tied ? one->saddle : NULL) ||
        !list_blocks(one))
        return 0;
    islands->small = islands->nrest = 0;
    for (int g = 0; g < islands->groups.count; g++)
        islands->small += is_small(one, g);
    for (int a = 0; islands->small < islands->groups.count && a < one->nactive; a++)
        if (!is_small(one, islands->groups.of[a]))
            islands->rest[islands->nrest++] = a;
    islands->pattern = one->pattern;
    return 1;
}

int perp_one_step_has_islands(perp_one_step *one)
{
    perp_one_step_islands *islands = islands_of(one);
    if (!islands || one->nactive == 0 || one->form == PERP_FORM_DELASSUS)
        return 0;
    if (islands->pattern != one->pattern && !find(one))
        return 0;
    return islands->groups.count > 1 && islands->small > 0;
}

int perp_one_step_hard_rows(perp_one_step *one, const char *name)
{
    int rows = 0;
    if (name || one->rows <= PERP_ONE_STEP_FEW_ROWS || !perp_one_step_has_islands(one))
        return one->rows;
    for (int k = 0; k < one->islands->nrest; k++)
        rows += perp_one_step_width(one->active[one->islands->rest[k]]);
    return rows;
}

/* Of all islands so far. */
typedef struct tally {
    const perp_one_step *one;
    const perp_solver_type *type; /* or NULL */
    perp_settings settings;
    double start, largest; /* of q in the whole */
    perp_info total;
} tally;

static void add(tally *t, const perp_info *info, int rows)
{
    perp_info *total = &t->total;
    double share = (double)rows / t->one->rows;
    if (info->status != PERP_SOLVED && total->status == PERP_SOLVED) {
        total->status = info->status;
        total->where = info->where;
        memcpy(total->detail, info->detail, sizeof total->detail);
    }
    total->solver = total->solver ? total->solver : info->solver;
    total->iterations = info->iterations > total->iterations ? info->iterations : total->iterations;
    total->factorisations += info->factorisations;
    total->flops = fmax(total->flops, info->flops);
    total->setup_seconds += info->setup_seconds;
    total->solve_seconds += info->solve_seconds;
    total->bytes = info->bytes > total->bytes ? info->bytes : total->bytes;
    total->notes |= info->notes;
    total->work += share * info->work;
}

/* 0: no time is left. */
static int limit_time(tally *t, perp_settings *settings)
{
    *settings = t->settings;
    if (settings->time_limit > 0.0)
        settings->time_limit -= perp_clock_seconds() - t->start;
    return settings->time_limit > 0.0 || !(t->settings.time_limit > 0.0);
}

static perp_status solve_part(tally *t, perp_one_step *one, perp_one_step_part *part,
                              perp_one_step_handle *handle)
{
    perp_info info = {.size = sizeof info};
    perp_settings settings;
    if (!limit_time(t, &settings))
        return PERP_TIME_LIMIT;
    perp_status status =
        perp_one_step_run(one, handle, &part->problem, &settings, part->z, part->w, &info);
    info.status = status;
    add(t, &info, part->rows);
    if (status >= 0)
        perp_one_step_part_give(part, one);
    return status;
}

/* Rates that are rounding: their signs may contradict each other. */
static int is_rounding(const tally *t, const perp_one_step_part *part)
{
    double most = 0.0;
    for (int i = 0; i < part->rows; i++)
        most = fmax(most, fabs(part->q[i]));
    return most <= ROUNDING * t->largest;
}

static perp_status solve_small(tally *t, perp_one_step *one, int group)
{
    perp_one_step_islands *islands = one->islands;
    perp_one_step_part *part = &islands->alone;
    int first = islands->groups.first[group], count = islands->groups.first[group + 1] - first;
    perp_status status = perp_one_step_part_take(part, one, islands->groups.member + first, count,
                                                 islands->first_block, 1);
    if (status != PERP_SOLVED)
        return status;
    if (is_rounding(t, part)) {
        memset(part->z, 0, sizeof(double) * (size_t)part->rows);
        memcpy(part->w, part->q, sizeof(double) * (size_t)part->rows);
        perp_one_step_part_give(part, one);
        return PERP_SOLVED;
    }
    const perp_solver_type *type = t->type ? t->type : perp_one_step_type(one, &part->problem);
    perp_one_step_handle *handle = perp_one_step_handle_in(islands->handles, one->pool, type);
    handle->pattern = 0; /* of another island */
    return solve_part(t, one, part, handle);
}

static perp_status solve_rest(tally *t, perp_one_step *one)
{
    perp_one_step_islands *islands = one->islands;
    perp_one_step_part *part = &islands->others;
    perp_status status =
        perp_one_step_part_take(part, one, islands->rest, islands->nrest, islands->first_block, 0);
    if (status != PERP_SOLVED)
        return status;
    islands->kept.type = t->type ? t->type : perp_solver_find("auto");
    return solve_part(t, one, part, &islands->kept);
}

static double error_of(const perp_residuals *r, perp_measure_kind measure)
{
    if (measure == PERP_MEASURE_NATURAL || isnan(r->scaled))
        return r->natural;
    return measure == PERP_MEASURE_SCALED ? r->scaled : fmax(r->natural, r->scaled);
}

/* The verdict is of the whole: an island of tiny rates may have resisted. */
static perp_status judge(tally *t, perp_one_step *one, perp_info *info)
{
    size_t size = info->size;
    t->total.residual.size = sizeof t->total.residual;
    perp_status status =
        perp_residual(&one->problem, one->z, &one->allocator, one->w, &t->total.residual);
    t->total.error = error_of(&t->total.residual, (perp_measure_kind)t->settings.measure);
    if (status != PERP_SOLVED)
        t->total.status = status;
    else if (t->total.error <= t->settings.tol)
        t->total.status = PERP_SOLVED;
    else if (t->total.status == PERP_SOLVED)
        t->total.status = PERP_STALLED;
    t->total.size = size;
    *info = t->total;
    return info->status;
}

/* There is no use in another island; nor in a verdict. */
static int ends_all(perp_status status)
{
    return (status < 0 && status != PERP_ERR_NUMERICAL && status != PERP_ERR_SINGULAR) ||
           status == PERP_INTERRUPTED;
}
static int ends_loop(perp_status status)
{
    return ends_all(status) || status == PERP_TIME_LIMIT;
}

perp_status perp_one_step_solve_islands(perp_one_step *one, const perp_solver_type *type,
                                        const perp_settings *settings, perp_info *info)
{
    tally t = {.one = one, .type = type, .settings = *settings, .total = {.size = sizeof t.total}};
    perp_status status = PERP_SOLVED;
    t.start = settings->time_limit > 0.0 ? perp_clock_seconds() : 0.0;
    for (int i = 0; i < one->rows; i++)
        t.largest = fmax(t.largest, fabs(one->q[i]));
    for (int g = 0; g < one->islands->groups.count && !ends_loop(status); g++)
        if (is_small(one, g))
            status = solve_small(&t, one, g);
    if (one->islands->nrest > 0 && !ends_loop(status))
        status = solve_rest(&t, one);
    if (!ends_all(status))
        return judge(&t, one, info);
    t.total.status = status;
    t.total.size = info->size;
    t.total.error = HUGE_VAL;
    *info = t.total;
    return status;
}

void perp_one_step_islands_forget(perp_one_step *one)
{
    for (int k = 0; one->islands && k <= PERP_ONE_STEP_HANDLES; k++) {
        perp_one_step_handle *handle =
            k < PERP_ONE_STEP_HANDLES ? &one->islands->handles[k] : &one->islands->kept;
        perp_solver_destroy(handle->solver);
        perp_pool_give(one->pool, handle->memory);
        *handle = (perp_one_step_handle){.type = NULL};
    }
}

void perp_one_step_islands_free(perp_one_step *one)
{
    perp_one_step_islands_forget(one);
    if (!one->islands)
        return;
    perp_link_groups_free(&one->islands->groups);
    perp_one_step_part_free(&one->islands->alone, one->pool);
    perp_one_step_part_free(&one->islands->others, one->pool);
    perp_pool_give(one->pool, one->islands->first_block);
    perp_pool_give(one->pool, one->islands->rest);
    perp_pool_give(one->pool, one->islands);
    one->islands = NULL;
}
