/* SPDX-License-Identifier: BSD-3-Clause */
/* What a solver file provides (one const perp_solver_type) and what it is
 * given (a perp_work).  solver.c does all that is common to every solver.
 *
 * A new solver: one file ending in its descriptor, one line in registry.h, one
 * line in solvers/module.am.
 *
 * One name may stand for several methods, between which one of its settings chooses.  Each of them
 * has a descriptor of its own, with the same name; that of the default is the one in the registry,
 * and its `variants` lists all of them.
 */
#ifndef PERP_HANDLE_SOLVER_TYPE_H
#define PERP_HANDLE_SOLVER_TYPE_H

#include <stddef.h>
#include <stdint.h>

#include <perp/solver.h>

#include "core/arena.h"
#include "core/rng.h"
#include "problem/blocks.h"
#include "problem/residual.h"

#define PERP_BIT(k) (1u << (k))
#define PERP_ALL_SETS (PERP_BIT(PERP_ROLLING) - 1u) /* but ROLLING, which a solver adds itself */
/* Linear complementarity, with equations and bounds. */
#define PERP_LINEAR_SETS (PERP_BIT(PERP_FREE) | PERP_BIT(PERP_NONNEG) | PERP_BIT(PERP_BOX))
#define PERP_ALL_MATRICES (PERP_BIT(PERP_DELASSUS + 1) - 1u)

enum {
    PERP_ALLOCATES = 1,      /* solve may allocate, perp_solver_allocates() */
    PERP_READS_BLOCKS = 2,   /* solve reads q and the parameters of the sets again; setup and update
                                keep nothing that was made of them */
    PERP_NEEDS_DIAGONAL = 4, /* of OPERATOR: refused without one */
    PERP_ROWS_FIRST = 8      /* a few rows of intervals are tried at once (few_rows.h); setup may
                                come as late as in the first solve that they do not end */
};

/* State of perp_stop(); solvers do not look inside. */
typedef struct perp_monitor {
    /* Looks at each measurement that would let the iteration go on; 1: stalled.  May be NULL. */
    int (*watch)(void *ctx, int iteration, double error);
    void *watch_ctx;
    const char *solver;            /* that the callback is told of */
    int before;                    /* iterations of this solve in other solvers, for the callback */
    double start, best, reference; /* reference: best error when progress was last seen */
    double seen;                   /* clock of the last call, under a time limit */
    double first;                  /* error of the first iterate, INFINITY where unknown */
    double spent;                  /* counted work of this solve in solvers before */
    int window, since;             /* measurements allowed and made since then */
    int best_iteration, max_iter;
    int measures, certified; /* made so far; number of the one that said solved, of work->z */
    int of_iterate;          /* the last one was of work->z */
    perp_status verdict;     /* why the last perp_stop() said stop */
} perp_monitor;

typedef struct perp_work {
    const perp_problem *problem;
    const perp_settings *settings;
    perp_blocks blocks;   /* the segments, flattened: block k -> rows, set, parameters */
    perp_scaling scaling; /* d_k per block; scaling.d is NULL when there is none */
    perp_arena *arena;    /* to take memory from, in setup and update only */
    void *state;          /* the solver's own, set by its setup */
    double *z;            /* n: first iterate on entry to solve, answer on return */
    double *w;            /* n: M z + q of the last perp_measure() */
    double *scratch;      /* perp_mat_scratch(&problem->M) doubles; that of scaling, too */
    double *best;         /* n: the z of the lowest error, kept by perp_stop() */
    int threads;          /* of perp_measure(); 0 is 1 */
    uint32_t *touched;    /* of perp_measure(): perp_mat_find_touched(), or NULL */
    perp_monitor monitor;
    perp_info *info; /* a solver counts factorisations and writes detail */
    void *memory;    /* what save and load carry; set by setup, or NULL */
    size_t memory_bytes;
    size_t outside_bytes; /* held by the solver outside the arena, for info->bytes */
    perp_certificate_kind certificate_kind;
    double *certificate; /* n, set by a solver whose descriptor may end so */
    double reach;        /* of its proof, as in perp_info */
} perp_work;

struct perp_solver_type {
    const char *name;
    const char *summary;
    const char *reads; /* names of the method settings it reads, "relaxation sweep" */
    /* Of a name with several methods: the setting that chooses, where it lies in perp_settings,
     * and the descriptors by its value.  NULL: one method. */
    const char *chosen_by;
    size_t choice;
    const perp_solver_type *const *variants;
    int methods;               /* entries of variants */
    const char *variants_read; /* settings that any of them reads, `chosen_by` included */
    const char *variant;       /* which one this is, "formulation=natural-map"; NULL: one method */
    int everyday;              /* 1: a user may choose it without having studied it */
    unsigned sets;             /* PERP_BIT(set) */
    unsigned matrices;         /* PERP_BIT(kind) */
    unsigned flags;
    int max_iter; /* where settings->max_iter is 0 */
    int stall;    /* where settings->stall_window is 0; 0: never */
    /* Takes memory from work->arena, analyses the pattern, factors what does
     * not change.  Sets work->state. */
    perp_status (*setup)(perp_work *work);
    /* New numbers, same pattern; takes no memory from the arena.  NULL, or the answer
     * PERP_ERR_STATE: the arena is reset and setup is called. */
    perp_status (*update)(perp_work *work);
    /* Only q is new.  NULL: solve reads it from work->problem. */
    perp_status (*update_q)(perp_work *work);
    /* From work->z to an answer in work->z.  No allocation unless flagged. */
    perp_status (*solve)(perp_work *work);
    /* Frees what lies outside the arena (factorisations).  NULL: nothing. */
    void (*release)(perp_work *work);
};

/* What this method takes, whatever others of its name do. */
static inline int perp_method_takes_set(const perp_solver_type *type, perp_set set)
{
    return (int)set >= 0 && set < PERP_SET_COUNT && (type->sets & PERP_BIT(set)) != 0;
}

static inline int perp_method_takes_matrix(const perp_solver_type *type, perp_mat_kind kind)
{
    return (int)kind >= 0 && kind <= PERP_DELASSUS && (type->matrices & PERP_BIT(kind)) != 0;
}

/* Names the setting that chooses between the methods in `list`. */
#define PERP_CHOSEN_BY(setting, list)                                                              \
    .chosen_by = #setting, .choice = offsetof(perp_settings, setting), .variants = list,           \
    .methods = (int)(sizeof list / sizeof list[0])

/* The method that these settings choose; the type itself where it has one. */
const perp_solver_type *perp_solver_method(const perp_solver_type *type,
                                           const perp_settings *settings);

/* The setting relaxation or depth, or the solver's `own` value where that is asked for. */
static inline double perp_relaxation_or(const perp_settings *settings, double own)
{
    return settings->relaxation > 0.0 ? settings->relaxation : own;
}

static inline int perp_depth_or(const perp_settings *settings, int own)
{
    return settings->depth >= 0 ? settings->depth : own;
}

/* 1: M is an operator without the diagonal that this solver needs. */
int perp_solver_misses_diagonal(const perp_solver_type *type, const perp_mat *M);

/* Limits and stagnation count from here, by the settings and what stands for them in the type;
 * max_iter 0: those.  The best iterate so far stays. */
void perp_monitor_begin(perp_monitor *monitor, const perp_settings *settings,
                        const perp_solver_type *type, int max_iter);

/* The full residual of `z`: w = M z + q into work->w, all measures into
 * work->info->residual.  Returns the error that tol is compared with. */
double perp_measure(perp_work *work, const double *z);
/* That error from work->info->residual. */
double perp_error_of(const perp_work *work);
/* 1 where the measure (0 natural, 1 scaled) counts in that error. */
int perp_reads_measure(const perp_work *work, int measure);

/* Called once per measurement with the current iterate in work->z and its
 * full error.  1: stop now; work->monitor.verdict says why, and work->z has
 * been exchanged for the best iterate when the last was worse.  The single place for
 * tolerance, limits, callback, stagnation and non-finite iterates. */
int perp_stop(perp_work *work, int iteration, double error);
/* 1: of a sequence of problems (warm_start from 3 on), one whose first iterate was nearly the
 * answer. Some iterations may then go on to the part of the tolerance within which a first iterate
 * is taken. */
int perp_is_at_rest(const perp_work *work);
double perp_settled(const perp_work *work);
/* 1: what the answer carries begins at rest (warm_start from 5 on), whatever the first iterate is. */
int perp_is_from_rest(const perp_work *work);

/* What rounding the numbers of z to doubles can add to the error of work->best, by four products
 * with random changes of half a unit in the last place.  Afterwards work->z is work->best, and w
 * and the residual are measured there.  OPERATOR: 0, not known, and nothing is measured. */
double perp_floor(perp_work *work);
/* An error of at most this many floors is not lowered any more. */
enum { PERP_FLOORS = 4 };

/* perp_measure() of work->z into *error, and perp_stop(). */
int perp_measure_and_stop(perp_work *work, int iteration, double *error);

/* 1: a cold start from z = 0 need not be measured, because the natural map of a contact with
 * q_N < 0 is at least |q_N| / sqrt(1 + mu^2) there, and that is too much. */
int perp_zero_is_far(const perp_work *work);

/* Between measurements, for long iterations: limits and callback only, with
 * the last error reported. */
int perp_stop_light(perp_work *work, int iteration, double light_error);

/* For methods whose iterates lie beside K by a rounding or by the tolerance: the projection of
 * work->z takes its place where it is as good.  trial: n. */
void perp_project_answer(perp_work *work, double *trial);

/* For solvers that run others: reads q and the parameters of the sets again, from the arrays
 * that the handle borrows; M is as it was.  Nothing is checked and nothing allocated where the
 * solver is flagged PERP_READS_BLOCKS; perp_solver_update() for the others. */
perp_status perp_solver_refresh(perp_solver *solver);

#endif
