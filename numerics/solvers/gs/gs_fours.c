/* SPDX-License-Identifier: BSD-3-Clause */
/* Gauss-Seidel on H' M^-1 H for contacts of three rows on one or two bodies of six unknowns, in a
 * coloured order, four contacts at once.  As in gs_bodies.c y = L^-1 H z is kept and B_k = L^-1 H_k
 * packed, but inside each piece of the order contacts that share no body stand together in fours,
 * and all that a visit reads of them but z and y lies in one run of memory: B, the diagonal blocks
 * and their inverses, q, the friction.  Lanes that the common solution leaves are solved one by
 * one. */
#include <limits.h>
#include <stddef.h>
#include <string.h>

#include "core/clones.h"
#include "linalg/small.h"
#include "local/four_contacts.h"
#include "solvers/gs/grouping.h"

typedef perp_four four;

enum { DOFS = 6, LANES = 4, SIDES = 2, WINDOW = 64 };
/* Doubles behind those of the bodies for the lanes of a piece that have no body: zeros that are
 * written, too, so that no two threads may have them in common. */
enum { NO_BODY = 8 };
/* Contacts of a piece of the order at least, so that most fours in it are full. */
enum { CLUSTER = 64 };

/* Numbers of four contacts, lane by lane. */
typedef struct pack {
    four B[SIDES][3][DOFS]; /* column c of the side's part of B_k */
    four A[PERP_FOUR_BLOCK], inverse[PERP_FOUR_BLOCK];
    four norm;   /* |A|_2; negative where the inverse was not made yet */
    four weight; /* d^2 */
    four mu, q[3];
} pack;

/* Which four: rows in z, -1 for a lane without one, and bodies in y; a side without a body has
 * the place behind all of them. */
typedef struct place {
    int row[LANES], at[SIDES][LANES];
} place;

typedef struct fours {
    int packs;
    int *first; /* pieces + 1: packs of each piece */
    place *place;
    pack *pack;
    double *y;
} fours;

/* Bodies of contact k: 1 and 2 of them; 0: none or too many. */
static int sides_of(int body[SIDES], const perp_mat *W, int k)
{
    const int *colptr = W->as.delassus.colptr, *row = W->as.delassus.row;
    int count = 0;
    for (int p = colptr[3 * k]; p < colptr[3 * k + 3]; p++) {
        int b = row[p] / DOFS;
        if ((count > 0 && body[0] == b) || (count > 1 && body[1] == b))
            continue;
        if (count == SIDES)
            return 0;
        body[count++] = b;
    }
    return count;
}

int perp_gs_fours_fit(const perp_work *work)
{
    const perp_mat *W = &work->problem->M;
    const perp_settings *settings = work->settings;
    int body[SIDES];
    if (W->kind != PERP_DELASSUS || W->as.delassus.diagonal ||
        work->blocks.sets != PERP_BIT(PERP_COULOMB) || work->blocks.uniform != 3 ||
        settings->freeze || !perp_gs_wants_colours(work))
        return 0;
    const perp_mass *mass = W->as.delassus.mass;
    if (!mass->roots || mass->nsparse > 0 || mass->n > INT_MAX - DOFS ||
        !perp_gs_group_fits(mass, DOFS))
        return 0;
    for (int k = 0; k < work->blocks.count; k++)
        if (!sides_of(body, W, k))
            return 0;
    return 1;
}

static int shares_body(const int *bodies, int count, const int *body, int sides)
{
    for (int i = 0; i < count; i++)
        for (int j = 0; j < sides; j++)
            if (bodies[i] == body[j])
                return 1;
    return 0;
}

/* The next four of the contacts in list[0 .. count-1] that are not taken: each the first one,
 * within a window, that shares no body with those before it. */
static void choose_four(int four_of[LANES], const perp_mat *W, const int *list, char *taken,
                        int count)
{
    int bodies[SIDES * LANES], held = 0, lane = 0, end = count < WINDOW ? count : WINDOW;
    for (int j = 0; j < end && lane < LANES; j++) {
        int body[SIDES];
        if (taken[j])
            continue;
        int sides = sides_of(body, W, list[j]);
        if (shares_body(bodies, held, body, sides))
            continue;
        memcpy(bodies + held, body, (size_t)sides * sizeof(int));
        held += sides;
        taken[j] = 1;
        four_of[lane++] = list[j];
    }
    while (lane < LANES)
        four_of[lane++] = -1;
}

/* Fills first, and members (four to a pack); returns the packs. */
static int choose_fours(int *first, int *members, const perp_gs *gs, char *taken)
{
    const perp_colouring *order = &gs->colouring;
    int packs = 0;
    for (int piece = 0; piece < order->pieces; piece++) {
        int at = order->start[piece], end = order->start[piece + 1];
        first[piece] = packs;
        for (;;) {
            while (at < end && taken[at])
                at++;
            if (at == end)
                break;
            choose_four(members + LANES * (size_t)packs++, &gs->work->problem->M, order->order + at,
                        taken + at, end - at);
        }
    }
    first[order->pieces] = packs;
    return packs;
}

static void settle(fours *s, const perp_gs *gs, const int *members)
{
    const perp_mat *W = &gs->work->problem->M;
    for (int i = 0, piece = 0; i < s->packs; i++) {
        while (i >= s->first[piece + 1])
            piece++;
        int behind = W->as.delassus.mass->n + NO_BODY * piece;
        for (int lane = 0; lane < LANES; lane++) {
            int k = members[LANES * (size_t)i + (size_t)lane], body[SIDES], sides;
            sides = k < 0 ? 0 : sides_of(body, W, k);
            s->place[i].row[lane] = k < 0 ? -1 : 3 * k;
            for (int side = 0; side < SIDES; side++)
                s->place[i].at[side][lane] = side < sides ? DOFS * body[side] : behind;
        }
    }
}

/* Of y. */
static size_t numbers(const perp_gs *gs)
{
    size_t bodies = (size_t)gs->work->problem->M.as.delassus.mass->n;
    return bodies + NO_BODY * (size_t)gs->colouring.pieces;
}

static perp_status couple(perp_gs *gs, perp_coupling *coupling, perp_arena *temporary)
{
    perp_status status = perp_gs_couple_bodies(gs, coupling, DOFS, temporary);
    coupling->least = CLUSTER;
    return status;
}

static perp_status setup(perp_gs *gs)
{
    perp_arena *arena = gs->work->arena, temporary;
    size_t count = (size_t)gs->count, n = (size_t)gs->work->problem->M.as.delassus.mass->n;
    fours *s = perp_arena_take_zero(arena, 1, sizeof *s);
    if (numbers(gs) > INT_MAX)
        return PERP_ERR_OVERFLOW;
    perp_arena_init(&temporary, &arena->allocator);
    int *members = PERP_TAKE(&temporary, int, LANES *count);
    char *taken = perp_arena_take_zero(&temporary, count, 1);
    if (s && !temporary.failed) {
        s->first = PERP_TAKE(arena, int, (size_t)gs->colouring.pieces + 1);
        s->packs = s->first ? choose_fours(s->first, members, gs, taken) : 0;
        s->place = PERP_TAKE(arena, place, s->packs);
        s->y = PERP_TAKE(arena, double, numbers(gs));
        s->pack = PERP_TAKE(arena, pack, s->packs);
        if (!arena->failed)
            settle(s, gs, members);
        gs->product = s;
        gs->kept = s->y;
        gs->kept_n = n;
    }
    int failed = temporary.failed || arena->failed;
    perp_arena_free(&temporary);
    return failed ? PERP_ERR_MEMORY : PERP_SOLVED;
}

/* Column c of B_k: each entry of H brings a column of the root of its block.  0: a body that the
 * contact did not touch in setup. */
static int load_column(pack *to, const place *where, int lane, int c, const perp_mat *W,
                       const int *place_of)
{
    const perp_mass *mass = W->as.delassus.mass;
    int column = where->row[lane] + c;
    for (int p = W->as.delassus.colptr[column]; p < W->as.delassus.colptr[column + 1]; p++) {
        int dof = W->as.delassus.row[p], at = dof - dof % DOFS;
        int side = at == where->at[0][lane] ? 0 : 1;
        if (at != where->at[side][lane])
            return 0;
        const perp_mass_block *block = &mass->blocks[mass->block_of[dof]];
        const double *root = mass->roots + block->root + place_of[dof] * block->dim;
        for (int i = 0; i < block->dim; i++) {
            double *b = (double *)&to->B[side][c][mass->dof[block->first + i] % DOFS];
            b[lane] += root[i] * W->as.delassus.x[p];
        }
    }
    return 1;
}

/* A = B' B, and what an empty lane needs to stay open. */
static void finish_pack(pack *to, const place *where, const perp_gs *gs)
{
    static const int row[] = {0, 0, 0, 1, 1, 2}, col[] = {0, 1, 2, 1, 2, 2};
    for (int e = 0; e < PERP_FOUR_BLOCK; e++)
        for (int side = 0; side < SIDES; side++)
            for (int i = 0; i < DOFS; i++)
                to->A[e] += to->B[side][row[e]][i] * to->B[side][col[e]][i];
    for (int lane = 0; lane < LANES; lane++) {
        double d = where->row[lane] < 0 ? 0.0 : gs->weight[where->row[lane] / 3];
        to->weight[lane] = d * d;
        to->norm[lane] = where->row[lane] < 0 ? 1.0 : PERP_GS_UNPREPARED;
        if (where->row[lane] < 0)
            to->q[0][lane] = 1.0;
    }
}

static int load_pack(pack *to, const place *where, const perp_gs *gs, const int *place_of)
{
    memset(to, 0, sizeof *to);
    for (int lane = 0; lane < LANES; lane++)
        for (int c = 0; c < 3 && where->row[lane] >= 0; c++)
            if (!load_column(to, where, lane, c, &gs->work->problem->M, place_of))
                return 0;
    finish_pack(to, where, gs);
    return 1;
}

static perp_status load(perp_gs *gs)
{
    const fours *s = gs->product;
    const perp_mass *mass = gs->work->problem->M.as.delassus.mass;
    perp_arena temporary;
    if (!mass->roots || mass->nsparse > 0 || !perp_gs_group_fits(mass, DOFS))
        return PERP_ERR_STATE;
    perp_arena_init(&temporary, &gs->work->arena->allocator);
    int *place_of = PERP_TAKE(&temporary, int, mass->n);
    perp_status status = place_of ? PERP_SOLVED : PERP_ERR_MEMORY;
    for (int b = 0; place_of && b < mass->nblocks; b++)
        for (int i = 0; i < mass->blocks[b].dim; i++)
            place_of[mass->dof[mass->blocks[b].first + i]] = i;
    for (int i = 0; i < s->packs && status == PERP_SOLVED; i++)
        if (!load_pack(&s->pack[i], &s->place[i], gs, place_of))
            status = PERP_ERR_STATE;
    perp_arena_free(&temporary);
    return status;
}

/* q and the friction of this solve. */
static void begin(perp_gs *gs)
{
    const fours *s = gs->product;
    const double *q = gs->work->problem->q;
    for (int i = 0; i < s->packs; i++)
        for (int lane = 0; lane < LANES; lane++) {
            int row = s->place[i].row[lane];
            if (row < 0)
                continue;
            for (int c = 0; c < 3; c++)
                s->pack[i].q[c][lane] = q[row + c];
            s->pack[i].mu[lane] = gs->block[row / 3].par[0];
        }
}

static void whole_block(double A[9], const four *from, int lane)
{
    static const int entry[9] = {0, 1, 2, 1, 3, 4, 2, 4, 5};
    for (int i = 0; i < 9; i++)
        A[i] = from[entry[i]][lane];
}

/* The inverses of lanes that are to close. */
static void prepare(const perp_gs *gs, pack *p, const perp_four_mask *closing)
{
    static const int entry[PERP_FOUR_BLOCK] = {0, 1, 2, 4, 5, 8};
    for (int lane = 0; lane < LANES; lane++) {
        perp_local_prep prep;
        double A[9];
        if (!(*closing)[lane] || p->norm[lane] >= 0.0)
            continue;
        whole_block(A, p->A, lane);
        if (gs->work->scaling.substituted)
            perp_local_prepare(&prep, A, 3);
        else
            perp_local_prepare_given(&prep, A, p->weight[lane]);
        p->norm[lane] = prep.norm;
        for (int e = 0; e < PERP_FOUR_BLOCK; e++)
            p->inverse[e][lane] = prep.inverse[entry[e]];
    }
}

/* One lane by the local solver of the settings; z: before. */
static void solve_lane(four r[3], const perp_gs *gs, const pack *p, const four b[3],
                       const four z[3], int lane)
{
    perp_local_prep prep = {.norm = p->norm[lane], .invertible = 1};
    double A[9], mu = p->mu[lane], own[3], was[3], rhs[3];
    whole_block(A, p->A, lane);
    whole_block(prep.inverse, p->inverse, lane);
    for (int i = 0; i < 3; i++) {
        own[i] = was[i] = z[i][lane];
        rhs[i] = b[i][lane];
    }
    if (perp_gs_failed(gs, gs->contact(own, A, &prep, rhs, mu)))
        perp_set_coulomb.project(own, was, &mu, 3);
    for (int i = 0; i < 3; i++)
        r[i][lane] = own[i];
}

static void solve_left(four r[3], const perp_gs *gs, const pack *p, const four b[3],
                       const four z[3], const perp_four_mask *left)
{
    for (int lane = 0; lane < LANES; lane++)
        if ((*left)[lane])
            solve_lane(r, gs, p, b, z, lane);
}

/* Relaxed, and projected again. */
static void relax(four r[3], const perp_gs *gs, const pack *p, const four z[3])
{
    for (int lane = 0; lane < LANES; lane++) {
        double x[3], mu = p->mu[lane];
        for (int i = 0; i < 3; i++)
            x[i] = z[i][lane] + gs->omega * (r[i][lane] - z[i][lane]);
        if (gs->omega > 1.0)
            perp_set_coulomb.project(x, x, &mu, 3);
        for (int i = 0; i < 3; i++)
            r[i][lane] = x[i];
    }
}

/* The answers of four contacts for b; lanes that the common solution leaves one by one. */
PERP_FOUR_INLINE void solve_four(four r[3], const perp_gs *gs, pack *p, const four b[3],
                                 const four z[3])
{
    const perp_four_mask closing = ~(b[0] >= 0.0);
    perp_four_mask done = ~closing;
    const perp_four_mask unprepared = closing & (p->norm < 0.0);
    if (perp_four_any(&unprepared))
        prepare(gs, p, &closing);
    for (int i = 0; i < 3; i++)
        r[i] = z[i];
    if (gs->kind == PERP_LOCAL_HYBRID)
        perp_four_contacts(r, &done, p->A, p->inverse, &p->norm, b, &p->mu);
    else
        for (int i = 0; i < 3; i++)
            r[i] = PERP_FOUR_SELECT(done, PERP_FOUR_ALL(0.0), r[i]);
    const perp_four_mask left = ~done;
    if (perp_four_any(&left))
        solve_left(r, gs, p, b, z, &left);
    if (gs->omega != 1.0)
        relax(r, gs, p, z);
}

/* Unknown i of four bodies.  In registers: lanes written one by one would be read from memory. */
#define GATHER(y, at, i)                                                                           \
    ((four){(y)[(at)[0] + (i)], (y)[(at)[1] + (i)], (y)[(at)[2] + (i)], (y)[(at)[3] + (i)]})

PERP_FOUR_INLINE void scatter(double *y, const int at[LANES], int i, const four *x)
{
    const four all = *x; /* lanes by constants: by an index they would go through memory */
    y[at[0] + i] = all[0];
    y[at[1] + i] = all[1];
    y[at[2] + i] = all[2];
    y[at[3] + i] = all[3];
}

PERP_FOUR_INLINE void find_rows(const double *at[LANES], const double *z, const int row[LANES])
{
    static const double none[3];
    for (int lane = 0; lane < LANES; lane++)
        at[lane] = row[lane] < 0 ? none : z + row[lane];
}

#define ROW(at, c) ((four){(at)[0][c], (at)[1][c], (at)[2][c], (at)[3][c]})

/* Visits four contacts; adds (d step)^2 to the lanes of *change. */
PERP_FOUR_INLINE void visit(four *change, const perp_gs *gs, double *y, pack *p, const place *where)
{
    const double *from[LANES];
    find_rows(from, gs->z, where->row);
    const four z[3] = {ROW(from, 0), ROW(from, 1), ROW(from, 2)};
    four b[3], r[3], own[3], square = {0.0};
    for (int c = 0; c < 3; c++)
        b[c] = p->q[c];
    for (int k = 0; k < SIDES; k++)
        for (int i = 0; i < DOFS; i++) {
            const four at = GATHER(y, where->at[k], i);
            for (int c = 0; c < 3; c++)
                b[c] += p->B[k][c][i] * at;
        }
    perp_four_multiply(own, p->A, z);
    for (int c = 0; c < 3; c++)
        b[c] -= own[c];
    solve_four(r, gs, p, b, z);
    perp_four_mask moved = (perp_four_mask){0};
    for (int c = 0; c < 3; c++) {
        own[c] = r[c] - z[c];
        square += own[c] * own[c];
        moved |= own[c] != 0.0;
    }
    if (!perp_four_any(&moved))
        return;
    *change += square * p->weight;
    for (int lane = 0; lane < LANES; lane++)
        for (int c = 0; c < 3 && where->row[lane] >= 0; c++)
            gs->z[where->row[lane] + c] = r[c][lane];
    for (int k = 0; k < SIDES; k++)
        for (int i = 0; i < DOFS; i++) {
            const four sum =
                GATHER(y, where->at[k], i) +
                (p->B[k][0][i] * own[0] + p->B[k][1][i] * own[1] + p->B[k][2][i] * own[2]);
            scatter(y, where->at[k], i, &sum);
        }
}

PERP_CLONES
static double visit_packs(const perp_gs *gs, const fours *s, int from, int to, int backward)
{
    four change = PERP_FOUR_ALL(0.0);
    for (int i = 0; i < to - from; i++) {
        int at = backward ? to - 1 - i : from + i;
        visit(&change, gs, s->y, &s->pack[at], &s->place[at]);
    }
    return (change[0] + change[1]) + (change[2] + change[3]);
}

/* The piece that begins at this position. */
static int piece_at(const perp_colouring *order, int position)
{
    int low = 0, high = order->pieces - 1;
    while (low < high) {
        int middle = low + (high - low + 1) / 2;
        if (order->start[middle] <= position)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

static double run(perp_gs *gs, int from, int to, int backward)
{
    const fours *s = gs->product;
    int piece = piece_at(&gs->colouring, from);
    return from == to ? 0.0 : visit_packs(gs, s, s->first[piece], s->first[piece + 1], backward);
}

/* y += B z */
PERP_CLONES
static void add_packs(const perp_gs *gs, const fours *s, int from, int to)
{
    for (int i = from; i < to; i++) {
        const place *where = &s->place[i];
        const pack *p = &s->pack[i];
        const double *row[LANES];
        find_rows(row, gs->z, where->row);
        const four z0 = ROW(row, 0), z1 = ROW(row, 1), z2 = ROW(row, 2);
        for (int k = 0; k < SIDES; k++)
            for (int j = 0; j < DOFS; j++) {
                const four sum = GATHER(s->y, where->at[k], j) +
                                 (p->B[k][0][j] * z0 + p->B[k][1][j] * z1 + p->B[k][2][j] * z2);
                scatter(s->y, where->at[k], j, &sum);
            }
    }
}

static void add_steps(perp_gs *gs, int from, int to)
{
    const fours *s = gs->product;
    int piece = piece_at(&gs->colouring, from);
    if (from < to)
        add_packs(gs, s, s->first[piece], s->first[piece + 1]);
}

static void refresh(perp_gs *gs, int measured)
{
    const fours *s = gs->product;
    (void)measured;
    memset(s->y, 0, numbers(gs) * sizeof(double));
    perp_gs_each_piece(gs, add_steps);
}

const perp_gs_kernel perp_gs_fours = {couple, setup, load, refresh, run, begin, 1};
