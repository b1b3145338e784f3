/* SPDX-License-Identifier: BSD-3-Clause */
/* Systems tied by joints:
 *
 *     [ A  -G' ] [x]   [b]     A: the iteration matrices W of the systems + weight times the
 *     [ G   0  ] [l] = [c]     stiffness K of the joints, G: `left` of the joints
 *
 * factored with the sign of l changed, which makes it symmetric, as a sparse L D L' on blocks (one
 * for a system, one for a joint) in the order of saddle_order.h.  A may be indefinite; D has as
 * many negative entries as there are rows exactly where A is positive definite on the null space
 * of G.  Rows that follow from others are found by their pivots and are left out: they get
 * a share of about 0 in l, and x fulfils them where they are consistent.  Where W is not symmetric
 * its symmetric part is used.  Method: [DuffReid1983] for the form, Featherstone's order of
 * elimination on trees. */
#ifndef PERP_KERNEL_SADDLE_H
#define PERP_KERNEL_SADDLE_H

#include "kernel/relations/link.h"
#include "kernel/step/saddle_order.h"
#include "kernel/systems/pool.h"

enum { PERP_SADDLE_HELD = 96 };

/* Begins as zeros; all memory from the pool, kept from step to step. */
typedef struct perp_saddle {
    perp_pool *pool;
    void *held[PERP_SADDLE_HELD]; /* what the pattern and the analysis took */
    int nheld, noutline;
    int outlined, analysed, factored;
    unsigned long pattern, version; /* grow with each new shape and with each factorisation */

    /* Pattern; systems and joints in the order of their islands. */
    perp_system **systems;
    perp_link **joints;
    int *given; /* place of a joint in the list of the caller */
    int *order; /* the inverse */
    int nsystems, njoints, islands;
    int dofs, rows, nodes;
    int *system_part, *joint_part, *node_part; /* islands + 1 each */
    int *system_sizes;                         /* nv, kind, entries of W of each system */
    int *joint_sizes;                          /* rows, nv of each joint */
    int *system_at;                            /* offset in x, nsystems + 1 */
    int *joint_at;                             /* offset in l, njoints + 1 */
    int *system_node;                          /* first node, nsystems + 1 within an island */
    int *joint_node;                           /* node of a joint */
    int *tie_ptr, *tie_system, *tie_column;    /* systems of each joint, its columns */
    int *weight, *node_system, *node_at;       /* of a node; offset in x with l behind */
    int *dof_node;                             /* of an entry of x */
    unsigned char *late;                       /* nodes: see saddle_order.h */
    unsigned char *stiff;                      /* joints: K connects their systems */

    /* Analysis. */
    perp_saddle_order elimination;
    int *first;    /* by place: of its scalars in the permuted vector */
    int *width;    /* by place */
    size_t *panel; /* by place: diagonal block and, below it, rows of the column */
    int *scalar;   /* of the permuted vector: offset in x, in a joint in the order of its pivots */
    int *row_ptr, *row_at;      /* by place: its rows below the block, in the permuted vector */
    size_t *entry_at;           /* by entry of elimination.column: its rows in `values` */
    size_t *A_at, *G_at, *K_at; /* copies of the matrices, in `numbers` */
    int *block_ptr;             /* by joint: of its blocks, one for each node of its systems */
    int *block_node, *block_column;
    size_t *block_at;               /* in values */
    size_t *pair_ptr, *pair_at;     /* by joint: blocks of its K, all pairs of its nodes */
    size_t *sparse_ptr, *sparse_at; /* by system of several nodes: entries of W in values */
    int widest;

    /* Numbers. */
    double *values, *pivots, *numbers;
    double *earlier; /* numbers before the present ones */
    size_t nnumbers;
    double *scale;  /* in x: |diagonal of W|; in l: diagonal of G W^-1 G' */
    double *size;   /* sums of magnitudes in the diagonal of one block */
    double *doubt;  /* likewise: what rounding may have changed a pivot of the block by, about */
    double *doubts; /* the same of all pivots, in the permuted vector */
    unsigned char *doubtful; /* by place: they count in later columns */
    double *inverse, *product, *permuted, *right, *change;
    size_t *map;            /* by place */
    unsigned char *dropped; /* in l: rows that follow from others */
    int ndropped;
    unsigned char *dependent; /* in l: those of perp_saddle_keep_dropped() */
    const double *giving;     /* set by its owner, in l: C, G x + C l = c; or NULL: 0 */
    int trusting;             /* 1: `dependent` are left out whatever their pivots are */
    double *loss;             /* by island: see perp_saddle_is_exact() */
    int stiffened;            /* the last factorisation has the stiffness of the joints */
    int trusted;              /* and was made with `trusting` */
    int negative;             /* its negative pivots */
    int roughly;              /* set by its owner: solves whose factors are exact are not refined */
    struct perp_saddle_learned *learned; /* of a checkpoint, until the next shape */
} perp_saddle;

/* Sets s->coupled to the offset of its entries in x, or -1 where no joint touches s, s->island to
 * the number of its island (systems tied by joints), or -1, and link->first_row of the joints to
 * the offset of their rows in l.  The analysis is kept while the pattern stays; else memory is
 * taken from the pool.  PERP_ERR_MEMORY, PERP_ERR_OVERFLOW: nothing is left but what a new call
 * needs. */
perp_status perp_saddle_shape(perp_saddle *saddle, perp_pool *pool, perp_system *const *systems,
                              int nsystems, perp_link *const *joints, int njoints);

/* Copies W (its values, before or after its own factorisation), left and the stiffness, and
 * factors.  stiffness: nv x nv column-major, symmetric, of each joint; NULL for one or for all:
 * none.  *negative: number of negative pivots.  PERP_ERR_SINGULAR: a pivot is 0 or not finite.
 * Numbers without stiffness that are those of the present factors, to the bit, are not factored
 * again. Takes memory where a joint's K connects its systems or rows turn out dependent in another
 * way for the first time since the pattern changed: PERP_ERR_MEMORY. */
perp_status perp_saddle_factor(perp_saddle *saddle, const double *const *stiffness, double weight,
                               int *negative);

/* From here on the rows that the last factorisation left out are `dependent`. */
void perp_saddle_keep_dropped(perp_saddle *saddle);

/* Those of another saddle system of the same systems and joints. */
void perp_saddle_take_dependent(perp_saddle *saddle, const perp_saddle *other);

static inline int perp_saddle_dofs(const perp_saddle *saddle)
{
    return saddle->dofs;
}

static inline int perp_saddle_rows(const perp_saddle *saddle)
{
    return saddle->rows;
}

/* The first system of an island. */
static inline perp_system *perp_saddle_first(const perp_saddle *saddle, int island)
{
    return saddle->systems[saddle->system_part[island]];
}

/* Numbers stored in L, with the diagonal blocks in full. */
size_t perp_saddle_entries(const perp_saddle *saddle);

/* x: dofs + rows, right-hand side (b, c) in, (x, l) out; refined until the residual is rounding.
 * Rows that follow from others are not looked at in it. */
void perp_saddle_solve(perp_saddle *saddle, double *x);
/* The same for the entries of one island alone; the others are not touched. */
void perp_saddle_solve_island(perp_saddle *saddle, int island, double *x);

/* The factors as they are leave at most 1e-9 of any right-hand side that was solved for with
 * them, in the measure of the refinement; 0 where there was none since they were made. */
int perp_saddle_is_exact(const perp_saddle *saddle, int island);

/* Sets the entries of one island in x to 0. */
void perp_saddle_zero_island(const perp_saddle *saddle, int island, double *x);

/* Gives its memory back to the pool. */
void perp_saddle_free(perp_saddle *saddle);

/* saddle_learned.c: what factorisations have found of the pattern, in a checkpoint: which joints
 * wait or are stiff, which rows are dependent.  The next new shape takes what was read, with
 * `pattern` one more; where its joints are others, two more.  saddle NULL: only looked at. */
struct perp_walk;
void perp_saddle_walk(struct perp_walk *w, perp_saddle *saddle, perp_pool *pool);
int perp_saddle_take_learned(perp_saddle *saddle); /* 0: it is of other joints, and dropped */
void perp_saddle_drop_learned(perp_saddle *saddle);

/* Between the files of this folder: memory for the analysis; NULL when it is out. */
void *perp_saddle_take(perp_saddle *saddle, size_t count, size_t size);
perp_status perp_saddle_outline(perp_saddle *saddle, perp_system *const *systems, int nsystems,
                                perp_link *const *joints, int njoints);
perp_status perp_saddle_analyse(perp_saddle *saddle);
/* Its W is one block of the factors. */
static inline int perp_saddle_is_block(const perp_saddle *saddle, int system)
{
    return saddle->weight[saddle->system_node[system]] == saddle->systems[system]->nv;
}
/* 1: the analysis has to be made again. */
int perp_saddle_copy(perp_saddle *saddle, const double *const *stiffness, double weight);

#endif
