/* SPDX-License-Identifier: BSD-3-Clause */
#include "solvers/auto/clusters.h"

#include <math.h>
#include <string.h>

#include "core/clock.h"
#include "handle/costs.h"
#include "linalg/small.h"

/* Contacts that a cluster begins with. */
enum { WORST = 10 };
/* Problems of so few blocks are left to other stages; a cluster is at most this part of the rows.
 */
enum { LEAST_BLOCKS = 100 };
static const double LARGEST = 0.75;
/* Rows for each freedom: what is tied more often hangs together as a whole. */
static const double MOST_ROWS = 2.0;
/* Of the squares of the residual: less in the worst contacts, and it is no matter of some places.
 */
static const double CONCENTRATED = 0.5;
/* Of the tolerance of the whole; the loosest; counted work that one may take, in its sweeps. */
static const double PART = 0.1, LOOSEST = 1e-1, TIGHTEST = 1e-13, BUDGET = 6e3;

void perp_clusters_init(perp_clusters *clusters, const perp_allocator *allocator)
{
    memset(clusters, 0, sizeof *clusters);
    perp_arena_init(&clusters->arena, allocator);
}

void perp_clusters_release(perp_clusters *clusters)
{
    perp_solver_destroy(clusters->solver);
    clusters->solver = NULL;
    perp_arena_free(&clusters->arena);
}

size_t perp_clusters_bytes(const perp_clusters *clusters)
{
    size_t handle = clusters->solver ? perp_solver_info(clusters->solver)->bytes : 0;
    return clusters->arena.bytes + handle;
}

int perp_clusters_possible(const perp_work *work)
{
    const perp_mat *M = &work->problem->M;
    if (M->kind == PERP_DELASSUS && M->rows > MOST_ROWS * M->as.delassus.dofs)
        return 0;
    return (M->kind == PERP_BSR || M->kind == PERP_CSC || M->kind == PERP_DELASSUS) &&
           work->blocks.count >= LEAST_BLOCKS;
}

static int take(perp_clusters *c, const perp_work *work)
{
    perp_arena *arena = &c->arena;
    const perp_mat *M = &work->problem->M;
    int n = work->blocks.n, dofs = M->kind == PERP_DELASSUS ? M->as.delassus.dofs : 0;
    perp_arena_reset(arena);
    if (!perp_part_maps_take(&c->maps, work, arena))
        return 0;
    c->of_row = PERP_TAKE(arena, int, n);
    c->row = PERP_TAKE(arena, int, n);
    c->block = PERP_TAKE(arena, int, work->blocks.count);
    c->in = perp_arena_take_zero(arena, (size_t)work->blocks.count, 1);
    c->on = perp_arena_take_zero(arena, (size_t)dofs, 1);
    c->square = PERP_TAKE(arena, double, 2 * (size_t)work->blocks.count);
    if (arena->failed)
        return 0;
    for (int k = 0; k < work->blocks.count; k++)
        for (int i = 0; i < work->blocks.at[k].dim; i++)
            c->of_row[work->blocks.at[k].row + i] = k;
    return 1;
}

/* Squares of both measures, block by block; those whose error is the larger one. */
static double *find_squares(perp_clusters *c, const perp_work *work)
{
    int count = work->blocks.count, larger = 0;
    perp_residual_squares all = {{0.0}, {0.0}, {0.0}, {0.0}}, one;
    double worst = -1.0;
    for (int k = 0; k < count; k++) {
        perp_residual_of_block(&one, work->problem, &work->blocks, &work->scaling, k, work->z,
                               work->w);
        perp_residual_add(&all, &one);
        c->square[k] = one.map[0];
        c->square[count + k] = one.map[1];
    }
    for (int m = 0; m < 2; m++) {
        double base = perp_residual_base(&all, m);
        if (!perp_reads_measure(work, m) || !(all.map[m] > worst * base))
            continue;
        worst = base > 0.0 ? all.map[m] / base : INFINITY;
        larger = m;
    }
    return c->square + (size_t)larger * (size_t)count;
}

/* The part of all that they hold. */
static double mark_worst(perp_clusters *c, const perp_work *work, double *square)
{
    double all = 0.0, held = 0.0;
    for (int b = 0; b < work->blocks.count; b++)
        all += square[b];
    for (int k = 0; k < WORST; k++) {
        int worst = 0;
        for (int b = 1; b < work->blocks.count; b++)
            if (square[b] > square[worst])
                worst = b;
        held += square[worst];
        c->in[worst] = 1;
        square[worst] = -1.0;
    }
    return all > 0.0 ? held / all : 0.0;
}

static void touch(perp_clusters *c, int row, int distance)
{
    if (!c->in[c->of_row[row]])
        c->in[c->of_row[row]] = (unsigned char)(distance + 2);
}

/* Blocks that the entries of M join to those at this distance. */
static void grow_by_entries(perp_clusters *c, const perp_work *work, int distance)
{
    const perp_mat *M = &work->problem->M;
    int m = M->kind == PERP_BSR ? M->as.bsr.block : 1;
    for (int i = 0; i < work->blocks.n; i += m) {
        int near = 0;
        for (int k = i; k < i + m; k++)
            near |= c->in[c->of_row[k]] == distance + 1;
        if (!near)
            continue;
        const int *from = M->kind == PERP_BSR ? M->as.bsr.rowptr : M->as.csc.colptr;
        const int *to = M->kind == PERP_BSR ? M->as.bsr.col : M->as.csc.row;
        for (int e = from[i / m]; e < from[i / m + 1]; e++)
            for (int k = 0; k < m; k++)
                touch(c, to[e] * m + k, distance);
    }
}

/* The same by the bodies that contacts act on: those with a row of H in one of their freedoms. */
static void grow_by_bodies(perp_clusters *c, const perp_work *work, int distance)
{
    const perp_mat *M = &work->problem->M;
    const int *colptr = M->as.delassus.colptr, *row = M->as.delassus.row;
    for (int j = 0; j < work->blocks.n; j++)
        for (int e = colptr[j]; c->in[c->of_row[j]] == distance + 1 && e < colptr[j + 1]; e++)
            c->on[row[e]] = 1;
    for (int j = 0; j < work->blocks.n; j++)
        for (int e = colptr[j]; e < colptr[j + 1]; e++)
            if (c->on[row[e]])
                touch(c, j, distance);
}

/* Lists blocks and rows and fills the map; the rows. */
static int list(perp_clusters *c, const perp_work *work, int *blocks)
{
    int rows = 0;
    *blocks = 0;
    for (int k = 0; k < work->blocks.count; k++) {
        const perp_block *block = &work->blocks.at[k];
        for (int i = block->row; i < block->row + block->dim; i++) {
            c->maps.map[i] = c->in[k] ? rows : -1;
            c->row[rows] = i;
            rows += c->in[k] != 0;
        }
        c->block[*blocks] = k;
        *blocks += c->in[k] != 0;
    }
    return rows;
}

/* What the rest does to the cluster is in its q. */
static perp_status hold_the_rest(perp_clusters *c, perp_part *part, const perp_work *work)
{
    size_t size = perp_mat_scratch(&part->problem.M);
    double *scratch = PERP_TAKE(&c->arena, double, size);
    if (c->arena.failed)
        return PERP_ERR_MEMORY;
    (void)perp_mat_apply(&part->problem.M, part->z, scratch, part->w);
    for (int i = 0; i < part->rows; i++)
        part->q[i] = work->w[part->row[i]] - part->w[i];
    return PERP_SOLVED;
}

/* What the callback of the user is told of a cluster: iterations of the whole, of which those of a
 * cluster are its part. */
typedef struct relay {
    const perp_work *work;
    double share; /* of the rows */
} relay;

static int tell(void *ctx, const perp_progress *progress)
{
    const relay *r = ctx;
    const perp_work *work = r->work;
    perp_progress whole = *progress;
    whole.iteration =
        work->monitor.before + work->info->iterations + (int)(r->share * progress->iteration);
    whole.seconds = perp_clock_seconds() - work->monitor.start;
    return work->settings->progress(work->settings->progress_ctx, &whole);
}

/* left: iterations of the whole. */
static perp_status adjust(perp_clusters *c, const perp_work *work, const perp_part *part, relay *r,
                          int left)
{
    perp_settings settings = *work->settings;
    double whole = perp_norm(work->problem->q, work->blocks.n),
           own = perp_norm(part->q, part->rows);
    double tol = own > 0.0 ? PART * settings.tol * whole / own : LOOSEST;
    settings.tol = fmin(LOOSEST, fmax(TIGHTEST, tol));
    settings.max_iter = (int)fmin(left / r->share, perp_solver_auto_whole.max_iter);
    settings.warm_start = 1;
    if (settings.progress) {
        settings.progress = tell;
        settings.progress_ctx = r;
    }
    return perp_part_solver(&c->solver, &perp_solver_auto_whole, settings, work,
                            perp_costs_spent(work, work->info->iterations), r->share, BUDGET);
}

static perp_status solve(perp_clusters *c, perp_work *work, perp_part *part, int left)
{
    perp_info info = {.size = sizeof info};
    relay r = {work, (double)part->rows / work->blocks.n};
    perp_status status = perp_part_build(part, &c->maps, work, &c->arena);
    if (status == PERP_SOLVED)
        status = hold_the_rest(c, part, work);
    if (status == PERP_SOLVED)
        status = adjust(c, work, part, &r, left);
    if (status == PERP_SOLVED)
        status = perp_solver_setup(c->solver, &part->problem);
    if (status == PERP_SOLVED)
        status = perp_solver_solve(c->solver, part->z, part->w, &info);
    work->info->iterations += (int)(r.share * info.iterations);
    work->info->factorisations += info.factorisations;
    work->info->work += r.share * info.work;
    for (int i = 0; status >= 0 && i < part->rows; i++)
        work->z[part->row[i]] = part->z[i];
    return status;
}

perp_status perp_clusters_solve(perp_clusters *c, perp_work *work, int around, int left)
{
    perp_part part = {.rows = 0};
    if (!take(c, work))
        return PERP_ERR_MEMORY;
    if (!(mark_worst(c, work, find_squares(c, work)) >= CONCENTRATED))
        return PERP_ERR_UNSUPPORTED;
    for (int distance = 0; distance < around; distance++)
        if (work->problem->M.kind == PERP_DELASSUS)
            grow_by_bodies(c, work, distance);
        else
            grow_by_entries(c, work, distance);
    part.rows = list(c, work, &part.blocks);
    part.row = c->row;
    part.block = c->block;
    return part.rows <= LARGEST * work->blocks.n ? solve(c, work, &part, left)
                                                 : PERP_ERR_UNSUPPORTED;
}
