/* SPDX-License-Identifier: BSD-3-Clause */
/* A step as a sequence of stages, for schemes that solve several problems in one.  Tangents stand
 * in registers of `dofs` numbers each, times of impacts in numbers of their own:
 *
 *     TIME   a number = a row over registers + share * an earlier number
 *     SOLVE  W y = rho + G' dz,   dz the derivative of a problem with   w = N y + D z + beta,
 *            rho and beta linear in registers, numbers, and the dz that an earlier solve kept
 *     MOVE   a register = keep * itself + sum of scaled and turned registers + a vector * a number
 *     EDGE   a row over registers: where it leads over the edge the step has another form beside
 *
 * G are the directions of forces, N the rows of rates: for discrete gradients they differ.  All of
 * it is linear, so that the backward product runs through the same list from its end. */
#ifndef PERP_KERNEL_STAGES_H
#define PERP_KERNEL_STAGES_H

#include <perp/sim_derivative.h>

typedef enum perp_tape_register {
    PERP_REG_Q,       /* configuration at the start */
    PERP_REG_START,   /* velocity at the start */
    PERP_REG_V,       /* with the impacts of the step so far */
    PERP_REG_LAG,     /* what the impacts leave out of the mean velocity */
    PERP_REG_CHANGE,  /* what the velocity changes by in the step without impacts */
    PERP_REG_CARRIED, /* its part by contacts that carry */
    PERP_REG_END_Q,
    PERP_REG_END_V,
    PERP_REG_Y, /* of the last solve */
    PERP_REG_COUNT
} perp_tape_register;

/* One register in a part: what it puts into rho, nv x nv, and beta, rows x nv; NULL: nothing. */
typedef struct perp_tape_from {
    int reg;
    const double *rho, *beta;
    struct perp_tape_from *next;
} perp_tape_from;

/* One number in a part: nv and rows entries. */
typedef struct perp_tape_by {
    int time;
    const double *rho, *beta;
    struct perp_tape_by *next;
} perp_tape_by;

/* What one system (rows = 0) or interaction puts into a solve. */
typedef struct perp_tape_part {
    int nsystems, nv;
    const int *system; /* places in the list of systems */
    int rows, first;   /* of the problem */
    int blocks, block, dim;
    perp_set set;
    double par[PERP_PARAMETERS];    /* of the set */
    const double *values;           /* blocks: the first of each, or NULL: all the same */
    const double *K;                /* nv x nv, added to W */
    const double *G, *N;            /* rows x nv */
    const double *z, *w, *diagonal; /* rows; diagonal NULL: 0 */
    perp_tape_from *from;
    perp_tape_by *by;
    const double *kept; /* kept_rows x nv: rho += kept' dz of the solve that kept it */
    const double
        *bound; /* kept_rows x blocks: the same of the first parameter of the set, or NULL */
    int kept_first, kept_rows;
    struct perp_tape_part *next;
} perp_tape_part;

/* What parameter number `parameter` puts into a solve. */
typedef struct perp_tape_term {
    int parameter, at;
    int target; /* perp_tape_target */
    double value;
    struct perp_tape_term *next;
} perp_tape_term;

typedef struct perp_tape_solve {
    perp_tape_part *parts, *last;
    perp_tape_term *terms;
    int rows, blocks, parts_with_rows;
    int keeps;                             /* its dz is read by a later solve */
    double forces;                         /* rho += forces times the forces of the step */
    struct perp_tape_stage_system *system; /* factors that a product kept, or NULL */
} perp_tape_solve_stage;

/* A row over registers of some systems. */
typedef struct perp_tape_row {
    int nsystems, nv;
    const int *system;
    const double *of[PERP_REG_COUNT]; /* nv each, or NULL */
    double value,
        zero; /* of an edge: how far it is away, and what of a state's size counts as none */
    double
        none; /* of an edge: a move that counts as none, beside the size of the row; 0: rounding */
    int unknown; /* of an edge: not that another form begins, the derivative of this one is unknown
                  */
} perp_tape_row;

typedef struct perp_tape_time {
    int number, earlier; /* -1: none */
    double share;
    perp_tape_row row;
} perp_tape_time_stage;

enum { PERP_TAPE_SOURCES = 4 };

typedef struct perp_tape_source {
    int reg;
    double scale;
    const double *each;         /* by system, beside scale; NULL: 1 */
    const double *const *turns; /* 3 x 3 by system, see perp_tape_add_turned(); NULL: none */
} perp_tape_source;

typedef struct perp_tape_move {
    int reg, count;
    const double *keep; /* by system; NULL: 0 */
    perp_tape_source source[PERP_TAPE_SOURCES];
    const int *time;       /* by system: a number or -1; NULL: none */
    const double *by_time; /* dofs */
} perp_tape_move_stage;

typedef enum perp_tape_stage_kind {
    PERP_STAGE_TIME,
    PERP_STAGE_SOLVE,
    PERP_STAGE_MOVE,
    PERP_STAGE_EDGE
} perp_tape_stage_kind;

typedef struct perp_tape_stage {
    perp_tape_stage_kind kind;
    union {
        perp_tape_time_stage time;
        perp_tape_solve_stage solve;
        perp_tape_move_stage move;
        perp_tape_row edge;
    } as;
    struct perp_tape_stage *next, *before;
} perp_tape_stage;

typedef struct perp_tape_stages {
    perp_tape_stage *first, *last;
    int times;     /* numbers */
    int kept_rows; /* of the largest solve that keeps */
} perp_tape_stages;

#endif
