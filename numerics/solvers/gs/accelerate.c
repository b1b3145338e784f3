/* SPDX-License-Identifier: BSD-3-Clause */
/* Acceleration of the sweeps: between two of them the iterate moves on from the image of
 * the last one.  The image is what is measured and returned.  The first sweeps of a
 * solve are plain.  The next point is projected on the sets, but for contacts with friction alone
 * that conjugate gradients moved: a sweep needs no point of the sets, and without the projection
 * body velocities follow by the same step, for a tenth of what they cost from z.
 *
 * auto: Anderson acceleration and nonlinear conjugate gradients alternate.  Anderson's minimum
 * is fast while the active set settles, but where |f| has local minima it stays there;
 * conjugate gradients go on.  A turn ends when it has not halved |f|. */
#include <math.h>
#include <string.h>

#include "core/parallel.h"
#include "sets/set.h"
#include "solvers/gs/sweeps.h"

enum { SHARES = 16 }; /* parts of a vector */
enum { DEPTH = 5 };   /* of Anderson acceleration */
enum { PLAIN_SWEEPS = 5, TURN_ANDERSON = 40, TURN_NNCG = 100 };
/* More rows are left to conjugate gradients alone: Anderson's vectors would be most of the
 * memory, and packings of that size stop it before 1e-4. */
enum { TURNS_ROWS = 12000 };

/* Points that conjugate gradients move to are not projected. */
static int is_loose(const perp_gs *gs)
{
    return gs->work->blocks.sets == PERP_BIT(PERP_COULOMB);
}

void perp_gs_take_acceleration(perp_gs *gs)
{
    perp_arena *arena = gs->work->arena;
    const perp_settings *settings = gs->work->settings;
    int wanted = gs->wanted, n = gs->work->blocks.n, depth = perp_depth_or(settings, DEPTH);
    if (wanted == PERP_ACCELERATION_NONE || gs->count <= 1)
        return;
    gs->before = PERP_TAKE(arena, double, n);
    if (depth > 0 && (wanted == PERP_ACCELERATION_ANDERSON ||
                      (wanted == PERP_ACCELERATION_AUTO && n <= TURNS_ROWS)))
        gs->anderson = perp_anderson_take(arena, n, depth);
    if (wanted != PERP_ACCELERATION_ANDERSON)
        gs->nncg = perp_nncg_take(arena, n);
    if (!is_loose(gs) || !gs->nncg || !gs->kept)
        gs->kept = NULL;
    else
        gs->kept_before = PERP_TAKE(arena, double, 2 * gs->kept_n);
    gs->kept_p = gs->kept ? gs->kept_before + gs->kept_n : NULL;
}

static void take_turn(perp_gs *gs, int acceleration)
{
    gs->acceleration = acceleration;
    gs->turn.sweeps = 0;
    gs->turn.mark = gs->turn.lowest;
    if (acceleration == PERP_ACCELERATION_ANDERSON)
        perp_anderson_restart(gs->anderson);
    else
        perp_nncg_restart(gs->nncg);
}

void perp_gs_begin_acceleration(perp_gs *gs)
{
    int wanted = gs->wanted;
    gs->acceleration = PERP_ACCELERATION_NONE;
    gs->remembered = gs->followed = 0;
    gs->turn = (perp_gs_turn){.lowest = INFINITY};
    gs->turn.taken = wanted == PERP_ACCELERATION_AUTO && gs->anderson && gs->nncg;
}

/* After the plain sweeps.  What the settings ask for may be without memory when they changed
 * after setup. */
static void begin_turns(perp_gs *gs)
{
    int wanted = gs->wanted;
    if (gs->anderson)
        gs->anderson->threads = gs->threads;
    if (gs->nncg)
        gs->nncg->threads = gs->threads;
    if (wanted == PERP_ACCELERATION_NONE)
        return;
    if (gs->anderson)
        perp_anderson_weigh(gs->anderson, &gs->work->blocks, gs->weight);
    if (gs->anderson && wanted != PERP_ACCELERATION_NNCG)
        take_turn(gs, PERP_ACCELERATION_ANDERSON);
    else if (gs->nncg && wanted != PERP_ACCELERATION_ANDERSON)
        take_turn(gs, PERP_ACCELERATION_NNCG);
}

static int share(int count, int part)
{
    return (int)((long long)count * part / SHARES);
}

static int follows(const perp_gs *gs)
{
    return gs->kept && gs->acceleration == PERP_ACCELERATION_NNCG;
}

static void remember(void *ctx, int part, int thread)
{
    const perp_gs *gs = ctx;
    int n = gs->work->blocks.n, from = share(n, part);
    (void)thread;
    memcpy(gs->before + from, gs->z + from, (size_t)(share(n, part + 1) - from) * sizeof(double));
    if (follows(gs)) {
        size_t begin = gs->kept_n * (size_t)part / SHARES;
        size_t end = gs->kept_n * (size_t)(part + 1) / SHARES;
        memcpy(gs->kept_before + begin, gs->kept + begin, (end - begin) * sizeof(double));
    }
}

void perp_gs_remember(perp_gs *gs, int iteration)
{
    if (iteration == PLAIN_SWEEPS + 1)
        begin_turns(gs);
    if (gs->acceleration != PERP_ACCELERATION_NONE && iteration > PLAIN_SWEEPS && !gs->remembered)
        perp_parallel_for(gs->threads, SHARES, remember, gs);
    gs->remembered = 0;
}

static void project(void *ctx, int part, int thread)
{
    const perp_gs *gs = ctx;
    (void)thread;
    for (int k = share(gs->count, part); k < share(gs->count, part + 1); k++) {
        const perp_block *block = &gs->block[k];
        double *z = gs->z + block->row;
        perp_set_type_of(block->set)->project(z, z, block->par, block->dim);
    }
}

/* After a step with |f| = norm: whose turn is next? */
static void end_turn(perp_gs *gs, double norm)
{
    perp_gs_turn *turn = &gs->turn;
    int anderson = gs->acceleration == PERP_ACCELERATION_ANDERSON;
    turn->lowest = norm < turn->lowest ? norm : turn->lowest;
    if (!turn->taken || ++turn->sweeps < (anderson ? TURN_ANDERSON : TURN_NNCG))
        return;
    if (turn->lowest > 0.5 * turn->mark)
        take_turn(gs, anderson ? PERP_ACCELERATION_NNCG : PERP_ACCELERATION_ANDERSON);
    turn->sweeps = 0;
    turn->mark = turn->lowest;
}

/* The kept product drifts by rounding where it is not made of z at measurements. */
enum { FOLLOWED_MOST = 50 };

static int move_by_gradients(perp_gs *gs)
{
    perp_nncg *c = gs->nncg;
    double square = gs->square;
    if (square < 0.0)
        square = perp_nncg_square(c, gs->before, gs->z, &gs->work->blocks, gs->weight);
    const perp_nncg_follower product = {gs->kept_before, gs->kept, gs->kept_p, gs->kept_n};
    int kept = follows(gs);
    int moved = perp_nncg_next(c, gs->before, gs->z, square, kept ? &product : NULL);
    gs->remembered = is_loose(gs);
    end_turn(gs, sqrt(c->square)); /* perhaps to Anderson's method */
    if (!moved)
        return PERP_GS_IMAGE;
    if (!is_loose(gs))
        perp_parallel_for(gs->threads, SHARES, project, gs);
    if (!kept || ++gs->followed > FOLLOWED_MOST) {
        gs->followed = gs->remembered = 0;
        return PERP_GS_MOVED;
    }
    return PERP_GS_FOLLOWED;
}

int perp_gs_move_on(perp_gs *gs, int iteration)
{
    double *z = gs->z;
    if (gs->acceleration == PERP_ACCELERATION_NONE || iteration <= PLAIN_SWEEPS)
        return PERP_GS_IMAGE;
    if (gs->acceleration == PERP_ACCELERATION_NNCG)
        return move_by_gradients(gs);
    int moved = perp_anderson_next(gs->anderson, z, gs->before, z) != PERP_ANDERSON_PLAIN;
    end_turn(gs, gs->anderson->norm);
    if (moved)
        perp_parallel_for(gs->threads, SHARES, project, gs);
    return moved ? PERP_GS_MOVED : PERP_GS_IMAGE;
}
