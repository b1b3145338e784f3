/* SPDX-License-Identifier: BSD-3-Clause */
/* Block Gauss-Seidel: what the sweeps over different matrices share.
 *
 * Each block is solved for b_k = q_k + sum_{j != k} M_kj z_j with the newest z.
 * The kernels differ only in how b_k is had:
 *   rows     BSR: the row of blocks is multiplied out
 *   columns  DENSE, CSC: w = M z + q is kept, each step adds columns to it
 *   fours    DELASSUS, contacts of rigid bodies in a coloured order: as bodies, four at once
 *   bodies   DELASSUS, small positive definite masses: y = L^-1 H z is kept, and L^-1 H packed
 *   inplace  DELASSUS, small masses: v = M^-1 H z is kept, and H read where it lies
 *   pairs    DELASSUS, any mass: v = M^-1 H z is kept
 *   products OPERATOR with a diagonal: all rows at once (Jacobi), one product each
 *
 * The solvers gs and pgs differ in a perp_gs_variant.
 */
#ifndef PERP_SOLVERS_GS_H
#define PERP_SOLVERS_GS_H

#include "handle/solver_type.h"
#include "local/local.h"
#include "sets/set.h"
#include "solvers/acceleration/anderson.h"
#include "solvers/acceleration/nncg.h"
#include "solvers/gs/colouring.h"

typedef struct perp_gs perp_gs;

typedef struct perp_gs_kernel {
    /* The coupling of the blocks, in memory of `temporary` or of the problem; before
     * setup, and it may set gs->product.  NULL: this kernel has no coloured order. */
    perp_status (*couple)(perp_gs *gs, perp_coupling *coupling, perp_arena *temporary);
    /* Takes memory from the arena and sets gs->product. */
    perp_status (*setup)(perp_gs *gs);
    /* Reads the numbers of the problem and sets the diagonal blocks; called after
     * setup and by update.  Temporary memory through the arena's allocator. */
    perp_status (*load)(perp_gs *gs);
    /* The kept product from work->z, to undo drift or because z moved.
     * measured: work->w is M z + q. */
    void (*refresh)(perp_gs *gs, int measured);
    /* Visits the positions from .. to - 1 of the order, backward from the last; returns
     * the change. */
    double (*run)(perp_gs *gs, int from, int to, int backward);
    /* Reads q and the parameters of the sets, at the start of each solve.  NULL: run does. */
    void (*begin)(perp_gs *gs);
    int prepares; /* 1: it keeps the inverses of diagonal blocks itself */
} perp_gs_kernel;

extern const perp_gs_kernel perp_gs_rows, perp_gs_columns, perp_gs_fours, perp_gs_bodies,
    perp_gs_inplace, perp_gs_pairs, perp_gs_products;

/* 1: the settings ask for a coloured order of so many blocks. */
int perp_gs_wants_colours(const perp_work *work);
/* 1: perp_gs_fours takes the problem. */
int perp_gs_fours_fit(const perp_work *work);

typedef struct perp_gs_variant {
    int acceleration; /* a perp_acceleration_kind, or PERP_GS_AS_SET: the setting */
    int relaxes;      /* 1: where relaxation is 0 it is found from the rate (gs/gs_relaxation.c) */
    int regularised;  /* 1: sweeps for proximal points (gs/gs_proximal.c) */
} perp_gs_variant;

/* The functions of a descriptor. */
perp_status perp_gs_setup(perp_work *work, const perp_gs_variant *variant);
perp_status perp_gs_update(perp_work *work);
perp_status perp_gs_solve(perp_work *work);

typedef perp_status (*perp_gs_contact)(double r[3], const double A[9], const perp_local_prep *prep,
                                       const double b[3], double mu);

/* Where two accelerations take turns. */
typedef struct perp_gs_turn {
    int taken;           /* 1: they do */
    int sweeps;          /* in this one */
    double lowest, mark; /* |f|: lowest so far, and when the turn began */
} perp_gs_turn;

/* Relaxation from the rate: the change of a sweep when the rate was last read, and since. */
typedef struct perp_gs_pace {
    double mark, ceiling;
    int sweeps, grown; /* grown: times in a row that it was larger */
} perp_gs_pace;

/* Proximal points: -(w + alpha d^2 (z - centre) + s) in N_K(z). */
typedef struct perp_gs_proximal {
    double *centre; /* n; NULL: not regularised */
    double alpha;
    double mark; /* change of a sweep when last looked at */
    int sweeps;  /* from this centre */
} perp_gs_proximal;

struct perp_gs {
    perp_work *work;
    const perp_gs_variant *variant;
    const perp_gs_kernel *kernel;
    void *product; /* the kernel's own */
    const perp_block *block;
    int count;
    int uniform;          /* dim of all blocks, or 0 */
    double *z;            /* work->z */
    const double *weight; /* d_k of the scaled measure */

    /* Coloured order, where colouring.pieces > 0.  What the solver keeps of each block
     * lies in slots in the order of visits, so that a sweep passes through memory in order;
     * without colours slot k is block k. */
    perp_colouring colouring;
    double *partial;      /* by piece: the change */
    struct perp_gs *team; /* by thread: copies of this with scratch of their own */
    int team_size, threads;

    double *diagonal; /* copies of the blocks M_kk by slot, or NULL */
    size_t *start;    /* where slot k begins in diagonal; NULL: at k uniform^2 */
    int *stored;      /* without copies: number of M_kk in the BSR matrix, -1 for none; by slot */

    perp_local_prep *prep; /* contacts of three rows with friction only, by slot; made when one
                              first closes */
    int preps;
    int *prep_at;     /* NULL: slot k has number k */
    double *b, *step; /* of the current block */
    double *scratch;  /* of perp_local_solve() */
    int *order;       /* of the slots, with shuffle; NULL: in turn */
    short *rest;      /* > 0: sweeps to skip, <= 0: -(calm sweeps); NULL: no freezing */
    double *before;   /* n: z before the current sweep */
    /* What a kernel keeps that is linear in z (body velocities), or NULL, so that it follows
     * conjugate gradients without a pass over the matrix; and the same for `before` and p. */
    double *kept, *kept_before, *kept_p;
    size_t kept_n;
    perp_anderson *anderson;
    perp_nncg *nncg;

    /* Of the current solve. */
    perp_gs_contact contact;
    perp_local_kind kind;
    int inexact; /* a local solver that stopped early has come nearer all the same */
    double omega;
    int freeze;
    int thorough; /* 1: frozen blocks are visited, too */
    int skipped;  /* blocks left out since this was last set to 0 */
    double calm;  /* blocks that change less are calm */
    int wanted;   /* acceleration, by the variant or the setting */
    int acceleration;
    perp_gs_turn turn;
    perp_gs_pace pace;
    perp_gs_proximal proximal;
    double square;  /* sum of (d_k step_k)^2 of the last sweep; negative: of more than one pass */
    int remembered; /* 1: `before` is the present z already */
    int followed;   /* moves of the kept product since it was made of z */
    int refused;    /* 1: the callback of an operator asked to stop */
};

enum { PERP_GS_AS_SET = -1 }; /* the acceleration of the setting */

enum { PERP_GS_CALM_SWEEPS = 3 };

#define PERP_GS_UNPREPARED (-1.0) /* the norm of such a prep */

/* Copies of the diagonal blocks: memory, numbers. */
void perp_gs_take_diagonal(perp_gs *gs);
perp_status perp_gs_load_diagonal(perp_gs *gs);

/* A pass over all blocks; returns the change. */
double perp_gs_sweep(perp_gs *gs, int backward);

/* work(gs, from, to) for all positions, piece by piece, coupled pieces never at once. */
void perp_gs_each_piece(perp_gs *gs, void (*work)(perp_gs *gs, int from, int to));

/* Finds the coloured order where the settings ask for one, and takes the memory of the threads. */
perp_status perp_gs_take_colours(perp_gs *gs);
perp_status perp_gs_take_team(perp_gs *gs);
/* What threads need for the products of measurements, and the same for a new pattern. */
void perp_gs_take_touched(perp_work *work);
void perp_gs_find_touched(perp_work *work);
/* How many threads this solve takes. */
void perp_gs_begin_team(perp_gs *gs);

/* Moves the block in the slot, any set, to its solution for gs->b.  The step z_k(new) -
 * z_k(old) goes to gs->step.  1: it is not zero. */
int perp_gs_move(const perp_gs *gs, int slot);

/* r becomes z + omega (r - z), projected again where omega > 1. */
void perp_gs_relax(const perp_gs *gs, const perp_block *block, const double *z, double *r);

/* Memory for what the settings ask for, the start of a solve, before each sweep, and after it: did
 * z move on from the image of the sweep? */
enum {
    PERP_GS_IMAGE,
    PERP_GS_MOVED,
    PERP_GS_FOLLOWED
}; /* FOLLOWED: and the kept product with it */

void perp_gs_take_acceleration(perp_gs *gs);
void perp_gs_begin_acceleration(perp_gs *gs);
void perp_gs_remember(perp_gs *gs, int iteration);
int perp_gs_move_on(perp_gs *gs, int iteration);

/* Relaxation from the rate: before the first sweep, and after each with its change. */
void perp_gs_begin_pace(perp_gs *gs);
void perp_gs_pace_on(perp_gs *gs, double change);

/* Proximal points: memory, before the first sweep, and after each with its change; 1: z moved. */
void perp_gs_take_proximal(perp_gs *gs);
void perp_gs_begin_proximal(perp_gs *gs);
int perp_gs_proximal_on(perp_gs *gs, double change);
/* The diagonal of block k, a single row, with the weight that draws it to the centre; gs->b is
 * shifted towards it.  An equation with a negative diagonal is taken with the other sign. */
double perp_gs_regularise(const perp_gs *gs, int k, double diagonal);

extern const double perp_gs_no_block[36];

/* Fills the prep of a contact of three rows. */
void perp_gs_prepare(const perp_gs *gs, int slot, const double A[9]);

/* The block in a slot. */
static inline int perp_gs_block_of(const perp_gs *gs, int slot)
{
    return gs->colouring.pieces ? gs->colouring.order[slot] : slot;
}

static inline const double *perp_gs_diagonal(const perp_gs *gs, int slot)
{
    size_t size = (size_t)gs->uniform * (size_t)gs->uniform;
    if (gs->stored) {
        const double *x = gs->work->problem->M.as.bsr.x;
        return gs->stored[slot] < 0 ? perp_gs_no_block : x + size * (size_t)gs->stored[slot];
    }
    return gs->diagonal + (gs->start ? gs->start[slot] : size * (size_t)slot);
}

/* A local solver that stopped early has come nearer where it is one that iterates. */
static inline int perp_gs_failed(const perp_gs *gs, perp_status status)
{
    return status != PERP_SOLVED && !(status == PERP_STALLED && gs->inexact);
}

/* The change of a block to its new z = r, relaxed; 1: it is not zero. */
static inline int perp_gs_step(const perp_gs *gs, const perp_block *block, double *z, double *r,
                               double *step, int dim)
{
    int moved = 0;
    if (gs->omega != 1.0)
        perp_gs_relax(gs, block, z, r);
    for (int i = 0; i < dim; i++) {
        double change = r[i] - z[i];
        z[i] = r[i];
        step[i] = change;
        moved |= change != 0.0;
    }
    return moved;
}

static inline int perp_gs_is_contact(const perp_block *block)
{
    return block->set == PERP_COULOMB && block->dim == 3;
}

static inline perp_local_prep *perp_gs_prep(const perp_gs *gs, int slot)
{
    return gs->prep + (gs->prep_at ? gs->prep_at[slot] : slot);
}

/* The same for a contact of three rows with friction, its diagonal block A and
 * the current b.  b_N >= 0: open, whatever the local solver. */
static inline int perp_gs_move_contact(const perp_gs *gs, int slot, const double A[9],
                                       const double b[3], double step[3])
{
    const perp_block *block = &gs->block[perp_gs_block_of(gs, slot)];
    double *z = gs->z + block->row;
    double r[3] = {0.0, 0.0, 0.0};
    perp_status status = PERP_SOLVED;
    if (!(b[0] >= 0.0)) {
        perp_local_prep *prep = perp_gs_prep(gs, slot);
        if (prep->norm == PERP_GS_UNPREPARED)
            perp_gs_prepare(gs, slot, A);
        for (int i = 0; i < 3; i++)
            r[i] = z[i];
        status = gs->contact(r, A, prep, b, block->par[0]);
    }
    if (perp_gs_failed(gs, status))
        perp_set_coulomb.project(r, z, block->par, 3);
    return perp_gs_step(gs, block, z, r, step, 3);
}

/* b -= M_kk z_k, from the whole row to that of the others. */
static inline void perp_gs_subtract_own(double *b, const double *A, const double *z, int dim)
{
    for (int c = 0; c < dim; c++)
        for (int i = 0; i < dim; i++)
            b[i] -= A[(size_t)c * (size_t)dim + (size_t)i] * z[c];
}

/* b += diagonal z_k of DELASSUS: what the bodies do not bring. */
static inline void perp_gs_add_compliance(const perp_gs *gs, double *b, int row, int dim)
{
    const double *diagonal = gs->work->problem->M.as.delassus.diagonal;
    for (int i = 0; diagonal && i < dim; i++)
        b[i] += diagonal[row + i] * gs->z[row + i];
}

/* The slot visited at step i of a pass over the positions from .. to - 1. */
static inline int perp_gs_visit(const perp_gs *gs, int i, int from, int to, int backward)
{
    int at = backward ? to - 1 - i : from + i;
    return gs->order ? gs->order[at] : at;
}

/* 1: leave block k out this time. */
static inline int perp_gs_resting(perp_gs *gs, int k)
{
    if (!gs->rest || gs->thorough || gs->rest[k] <= 0)
        return 0;
    gs->rest[k]--;
    gs->skipped++;
    return 1;
}

/* |d_k step|^2; sends the block to rest when it has been calm long enough. */
static inline double perp_gs_change(const perp_gs *gs, int k, const double *step, int dim)
{
    double sum = 0.0;
    for (int i = 0; i < dim; i++)
        sum += step[i] * step[i];
    sum *= gs->weight[k] * gs->weight[k];
    if (gs->rest) {
        short *rest = &gs->rest[k];
        if (sum > gs->calm)
            *rest = 0;
        else if (*rest <= 0 && --*rest <= -PERP_GS_CALM_SWEEPS)
            *rest = (short)gs->freeze;
    }
    return sum;
}

#endif
