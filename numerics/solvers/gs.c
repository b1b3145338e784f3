/* SPDX-License-Identifier: BSD-3-Clause */
/* The solver "gs": block Gauss-Seidel ([SDN], chapter 15; [JourdanEtAl1998]) with exact solutions
 * of the blocks.
 *
 * An iteration is one pass over the blocks; with sweep = symmetric one forward
 * and one backward.  relaxation: z_k moves to z_k + relaxation (answer - z_k).
 * shuffle: a new order before each iteration, starting from `seed` at each
 * solve.  freeze: a block that was calm for three passes (change below a tenth
 * of the mean one) is left out of so many, but never of the pass before a
 * measurement.  A block without a solution of its own keeps its z, projected where acceleration
 * moved it out of its set.
 *
 * The full residual is measured every check_every iterations, and as soon as
 * the change of a pass, times the ratio of residual and change last seen,
 * falls to tol.  After a false alarm some iterations go by before the next.  A few blocks are
 * measured after the first, which solves them where they are hardly coupled; one block alone
 * after each.
 */
#include "solvers/gs/sweeps.h"

#include <math.h>
#include <string.h>

#include "linalg/mass.h"
#include "sets/set.h"

enum { FEW = 64 };

void perp_gs_relax(const perp_gs *gs, const perp_block *block, const double *z, double *r)
{
    for (int i = 0; i < block->dim; i++)
        r[i] = z[i] + gs->omega * (r[i] - z[i]);
    if (gs->omega > 1.0)
        perp_set_type_of(block->set)->project(r, r, block->par, block->dim);
}

int perp_gs_move(const perp_gs *gs, int slot)
{
    int k = perp_gs_block_of(gs, slot);
    const perp_block *block = &gs->block[k];
    const double *A = perp_gs_diagonal(gs, slot);
    if (perp_gs_is_contact(block))
        return perp_gs_move_contact(gs, slot, A, gs->b, gs->step);
    size_t size = (size_t)block->dim * sizeof(double);
    double *z = gs->z + block->row, *r = gs->step, regularised;
    memcpy(r, z, size);
    if (gs->proximal.centre) {
        regularised = perp_gs_regularise(gs, k, A[0]);
        A = &regularised;
    }
    perp_status status = perp_local_solve(r, block, A, NULL, gs->b, gs->kind, gs->scratch);
    if (perp_gs_failed(gs, status))
        perp_set_type_of(block->set)->project(r, z, block->par, block->dim);
    return perp_gs_step(gs, block, z, r, r, block->dim);
}

/* From so many blocks on a copy of H is left out: docs/reference/solvers.md. */
enum { IN_PLACE_FROM = 100000 };

static const perp_gs_kernel *choose_kernel(const perp_work *work)
{
    const perp_mat *M = &work->problem->M;
    int storage = work->settings->storage;
    if (M->kind == PERP_BSR)
        return &perp_gs_rows;
    if (M->kind == PERP_OPERATOR)
        return &perp_gs_products;
    if (M->kind != PERP_DELASSUS)
        return &perp_gs_columns;
    const perp_mass *mass = M->as.delassus.mass;
    if (mass->nsparse > 0)
        return &perp_gs_pairs;
    if (storage != PERP_STORAGE_IN_PLACE && perp_gs_fours_fit(work))
        return &perp_gs_fours;
    if (storage == PERP_STORAGE_IN_PLACE ||
        (storage == PERP_STORAGE_AUTO && work->blocks.count >= IN_PLACE_FROM))
        return &perp_gs_inplace;
    return mass->roots ? &perp_gs_bodies : &perp_gs_pairs;
}

static void take_preps(perp_gs *gs, perp_arena *arena)
{
    int contacts = 0;
    if (gs->kernel->prepares)
        return;
    for (int k = 0; k < gs->count; k++)
        contacts += perp_gs_is_contact(&gs->block[k]);
    gs->prep = PERP_TAKE(arena, perp_local_prep, contacts);
    gs->preps = contacts;
    if (contacts == gs->count)
        return;
    gs->prep_at = PERP_TAKE(arena, int, gs->count);
    for (int slot = 0, at = 0; gs->prep_at && slot < gs->count; slot++) {
        gs->prep_at[slot] = at;
        at += perp_gs_is_contact(&gs->block[perp_gs_block_of(gs, slot)]);
    }
}

void perp_gs_prepare(const perp_gs *gs, int slot, const double A[9])
{
    perp_local_prep *prep = perp_gs_prep(gs, slot);
    double d = gs->weight[perp_gs_block_of(gs, slot)];
    if (gs->work->scaling.substituted)
        perp_local_prepare(prep, A, 3);
    else
        perp_local_prepare_given(prep, A, d * d);
}

static void forget_preps(perp_gs *gs)
{
    for (int k = 0; k < gs->preps; k++)
        gs->prep[k].norm = PERP_GS_UNPREPARED;
}

perp_status perp_gs_update(perp_work *work)
{
    perp_gs *gs = work->state;
    forget_preps(gs);
    perp_gs_find_touched(work);
    return gs->kernel->load(gs);
}

static int wanted_acceleration(const perp_gs *gs)
{
    int own = gs->variant->acceleration;
    return own == PERP_GS_AS_SET ? gs->work->settings->acceleration : own;
}

perp_status perp_gs_setup(perp_work *work, const perp_gs_variant *variant)
{
    perp_arena *arena = work->arena;
    const perp_settings *settings = work->settings;
    perp_gs *gs = perp_arena_take_zero(arena, 1, sizeof *gs);
    if (!gs)
        return PERP_ERR_MEMORY;
    size_t dim = (size_t)work->blocks.max_dim;
    gs->work = work;
    gs->variant = variant;
    gs->wanted = wanted_acceleration(gs);
    gs->kernel = choose_kernel(work);
    gs->block = work->blocks.at;
    gs->count = work->blocks.count;
    gs->uniform = work->blocks.uniform;
    gs->z = work->z;
    gs->weight = work->scaling.d;
    gs->b = PERP_TAKE(arena, double, dim);
    gs->step = PERP_TAKE(arena, double, dim);
    gs->scratch = PERP_TAKE(arena, double, perp_local_scratch(work->blocks.max_dim));
    gs->order = settings->shuffle ? PERP_TAKE(arena, int, gs->count) : NULL;
    gs->rest = settings->freeze ? PERP_TAKE(arena, short, gs->count) : NULL;
    perp_status status = perp_gs_take_colours(gs);
    if (status == PERP_SOLVED)
        status = perp_gs_take_team(gs);
    if (status != PERP_SOLVED)
        return status;
    status = gs->kernel->setup(gs);
    if (status == PERP_SOLVED && arena->failed)
        status = PERP_ERR_MEMORY;
    work->state = gs;
    if (status == PERP_SOLVED)
        status = gs->kernel->load(gs);
    if (status != PERP_SOLVED)
        return status;
    /* After the kernel has given its temporary memory back. */
    take_preps(gs, arena);
    perp_gs_take_touched(work);
    perp_gs_take_acceleration(gs);
    perp_gs_take_proximal(gs);
    if (arena->failed)
        return PERP_ERR_MEMORY;
    forget_preps(gs);
    return PERP_SOLVED;
}

/* The settings may have changed since setup; memory for the order and for
 * freezing is there only when setup saw them asked for. */
static void begin(perp_gs *gs, const perp_settings *settings)
{
    static const perp_gs_contact contacts[] = {
        [PERP_LOCAL_HYBRID] = perp_local_hybrid,
        [PERP_LOCAL_QUARTIC] = perp_local_quartic,
        [PERP_LOCAL_NEWTON] = perp_local_newton,
        [PERP_LOCAL_PROJECTION] = perp_local_projection,
    };
    gs->kind = (perp_local_kind)settings->local;
    gs->contact = contacts[settings->local];
    gs->inexact = gs->kind == PERP_LOCAL_NEWTON || gs->kind == PERP_LOCAL_PROJECTION;
    gs->omega = perp_relaxation_or(settings, 1.0);
    gs->freeze = settings->freeze;
    gs->calm = 0.0;
    gs->refused = 0;
    gs->wanted = wanted_acceleration(gs);
    perp_gs_begin_team(gs);
    perp_gs_begin_acceleration(gs);
    for (int k = 0; gs->order && k < gs->count; k++)
        gs->order[k] = k;
    if (gs->rest)
        memset(gs->rest, 0, (size_t)gs->count * sizeof *gs->rest);
    if (gs->kernel->begin)
        gs->kernel->begin(gs);
    if (settings->warm_start)
        perp_blocks_project(gs->z, &gs->work->blocks, gs->z);
    perp_gs_begin_pace(gs);
    perp_gs_begin_proximal(gs);
}

/* Fisher-Yates. */
static void shuffle(int *order, int count, perp_rng *rng)
{
    for (int k = count - 1; k > 0; k--) {
        int j = perp_rng_below(rng, k + 1), swapped = order[k];
        order[k] = order[j];
        order[j] = swapped;
    }
}

/* Returns the root of the change. */
static double iterate(perp_gs *gs, int thorough, perp_rng *rng)
{
    const perp_settings *settings = gs->work->settings;
    gs->thorough = thorough;
    gs->skipped = 0;
    if (gs->order && settings->shuffle)
        shuffle(gs->order, gs->count, rng);
    double change = gs->square = perp_gs_sweep(gs, 0);
    if (settings->sweep == PERP_SWEEP_SYMMETRIC) {
        change = perp_gs_sweep(gs, 1);
        gs->square = -1.0;
    }
    gs->calm = 0.01 * change / gs->count;
    return sqrt(change);
}

/* When to measure: ratio is that of residual and change at the last measurement. */
typedef struct bell {
    double ratio;
    int measured; /* iteration of the last measurement */
    int pause;    /* iterations to wait after the next false alarm */
    int deaf;     /* until this iteration */
} bell;

/* |q / d|: before the first measurement the residual is taken to be change / |q / d|. */
static double size_of_q(const perp_gs *gs)
{
    const double *q = gs->work->problem->q;
    double sum = 0.0;
    for (int k = 0; k < gs->count; k++) {
        double square = 0.0;
        for (int i = 0; i < gs->block[k].dim; i++)
            square += q[gs->block[k].row + i] * q[gs->block[k].row + i];
        sum += square / (gs->weight[k] * gs->weight[k]);
    }
    return sum > 0.0 ? sqrt(sum) : 1.0;
}

/* A residual above tol was measured.  false_alarm: because the alarm rang. */
static void bell_measured(bell *a, int iteration, double ratio, int false_alarm, int longest)
{
    a->measured = iteration;
    if (isfinite(ratio))
        a->ratio = ratio;
    if (false_alarm) {
        a->deaf = iteration + a->pause;
        a->pause = a->pause < longest ? 2 * a->pause : a->pause;
    } else {
        a->pause = a->pause > 1 ? a->pause / 2 : 1;
    }
}

/* The first iterate.  1: stop. */
static int start(perp_gs *gs)
{
    perp_work *work = gs->work;
    if (perp_zero_is_far(work))
        memcpy(work->w, work->problem->q, (size_t)work->blocks.n * sizeof(double));
    else if (perp_stop(work, 0, perp_measure(work, work->z)))
        return 1;
    gs->kernel->refresh(gs, 1);
    return 0;
}

static int is_power_of_two(int k)
{
    return (k & (k - 1)) == 0;
}

/* From a start that is nearly an answer, as of a body at rest, a sweep or two are enough. */
static const double NEAR = 10.0;

perp_status perp_gs_solve(perp_work *work)
{
    perp_gs *gs = work->state;
    const perp_settings *settings = work->settings;
    perp_rng rng = {(uint64_t)settings->seed};
    double error = INFINITY;
    begin(gs, settings);
    if (start(gs))
        return work->monitor.verdict;
    /* A few blocks are measured before the ratio is read. */
    bell alarm = {.ratio = gs->count <= FEW ? INFINITY : 1.0 / size_of_q(gs), .pause = 1};
    int near = work->monitor.best <= NEAR * settings->tol, thorough = 0;
    for (int iteration = 1;; iteration++) {
        int due = gs->count == 1 || (iteration == 1 && gs->count <= FEW) ||
                  (near && is_power_of_two(iteration)) ||
                  iteration - alarm.measured >= settings->check_every;
        perp_gs_remember(gs, iteration);
        double change = iterate(gs, due || thorough || !gs->freeze, &rng);
        if (gs->refused)
            return PERP_INTERRUPTED;
        int rings = iteration >= alarm.deaf && alarm.ratio * change <= settings->tol;
        thorough = rings && gs->skipped;
        int measure = due || (rings && !gs->skipped);
        if (measure)
            error = perp_measure(work, work->z);
        if (measure ? perp_stop(work, iteration, error) : perp_stop_light(work, iteration, error))
            return work->monitor.verdict;
        if (measure)
            bell_measured(&alarm, iteration, error / change, rings, settings->check_every);
        perp_gs_pace_on(gs, change);
        int moved =
            perp_gs_proximal_on(gs, change) ? PERP_GS_MOVED : perp_gs_move_on(gs, iteration);
        if (moved == PERP_GS_MOVED || (moved == PERP_GS_FOLLOWED && measure))
            gs->kernel->refresh(gs, 0);
        else if (moved == PERP_GS_IMAGE && measure)
            gs->kernel->refresh(gs, 1);
    }
}

static perp_status setup(perp_work *work)
{
    static const perp_gs_variant plain = {.acceleration = PERP_GS_AS_SET};
    return perp_gs_setup(work, &plain);
}

const perp_solver_type perp_solver_gs = {
    .name = "gs",
    .everyday = 1,
    .summary = "block Gauss-Seidel, each contact solved exactly",
    .reads =
        "relaxation sweep shuffle seed freeze check_every local acceleration depth order threads "
        "storage",
    .sets = PERP_ALL_SETS | PERP_BIT(PERP_ROLLING),
    .matrices =
        PERP_BIT(PERP_DENSE) | PERP_BIT(PERP_CSC) | PERP_BIT(PERP_BSR) | PERP_BIT(PERP_DELASSUS),
    .flags = PERP_READS_BLOCKS,
    .max_iter = 50000,
    .stall = 1000,
    .setup = setup,
    .update = perp_gs_update,
    .solve = perp_gs_solve,
};
