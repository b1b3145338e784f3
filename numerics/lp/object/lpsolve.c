/* SPDX-License-Identifier: BSD-3-Clause */
/* libperp-lp: lp_solve 5.5 behind the table of numerics/lp/table.h. */
#include <lpsolve/lp_lib.h>

#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>

#include "lp/object/memory.h"
#include "lp/table.h"

#undef PERP_API
#define PERP_API __attribute__((visibility("default")))

/* lp_solve keeps some of its work in static variables. */
static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

typedef struct run {
    const perp_lp_program *program;
    const perp_lp_control *control;
    perp_lp_answer *answer;
    lprec *lp;
    int limited, stopped;
} run;

/* lp_solve asks this in each iteration. */
static int __WINAPI should_stop(lprec *lp, void *ctx)
{
    run *r = ctx;
    if (get_total_iter(lp) > r->control->iterations)
        r->limited = 1;
    else if (r->control->stop && r->control->stop(r->control->ctx))
        r->stopped = 1;
    return r->limited || r->stopped;
}

static double bound(lprec *lp, double x)
{
    return isinf(x) ? (x > 0.0 ? get_infinite(lp) : -get_infinite(lp)) : x;
}

static int add_columns(run *r, REAL *value, int *at)
{
    const perp_lp_program *p = r->program;
    for (int j = 0; j < p->cols; j++) {
        int count = 0;
        value[count] = p->cost[j];
        at[count++] = 0;
        for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++) {
            value[count] = p->x[k];
            at[count++] = p->row[k] + 1;
        }
        if (!add_columnex(r->lp, count, value, at) ||
            !set_bounds(r->lp, j + 1, bound(r->lp, p->lo[j]), bound(r->lp, p->hi[j])) ||
            (p->integer && p->integer[j] && !set_int(r->lp, j + 1, TRUE)))
            return 0;
    }
    return 1;
}

/* Everything of the program into r->lp. */
static int build(run *r)
{
    const perp_lp_program *p = r->program;
    size_t count = (size_t)p->rows + 2;
    REAL *value = malloc(count * sizeof *value);
    int *at = malloc(count * sizeof *at);
    if (!(r->lp = make_lp(p->rows, 0)))
        return 0;
    set_verbose(r->lp, NEUTRAL);
    set_minim(r->lp);
    set_scaling(r->lp, SCALE_GEOMETRIC | SCALE_POWER2 | SCALE_EQUILIBRATE);
    set_presolve(r->lp, PRESOLVE_NONE, 0);
    put_abortfunc(r->lp, should_stop, r);
    for (int i = 0; i < p->rows; i++) {
        int type = p->sense[i] == '>' ? GE : p->sense[i] == '<' ? LE : EQ;
        if (!set_constr_type(r->lp, i + 1, type) || !set_rh(r->lp, i + 1, p->right[i]))
            return 0;
    }
    int made = add_columns(r, value, at);
    free(value);
    free(at);
    return made;
}

/* The basic variables in the numbering of the table. */
static int basis_of(run *r)
{
    const perp_lp_program *p = r->program;
    int *list = malloc(((size_t)p->rows + (size_t)p->cols + 1) * sizeof *list);
    int read = get_basis(r->lp, list, FALSE);
    for (int i = 0; i < p->rows && read; i++) {
        int k = abs(list[i + 1]);
        r->answer->basic[i] = k > p->rows ? k - p->rows - 1 : p->cols + k - 1;
    }
    free(list);
    return read;
}

static perp_lp_outcome read_answer(run *r)
{
    REAL *x;
    if (!get_ptr_variables(r->lp, &x))
        return PERP_LP_FAILED;
    for (int j = 0; j < r->program->cols; j++)
        r->answer->x[j] = x[j];
    r->answer->objective = get_objective(r->lp);
    return !r->answer->basic || basis_of(r) ? PERP_LP_OPTIMAL : PERP_LP_FAILED;
}

static perp_lp_outcome solve_program(run *r)
{
    if (!build(r))
        return PERP_LP_FAILED;
    int status = solve(r->lp);
    r->answer->iterations = (long)get_total_iter(r->lp);
    if (r->limited || r->stopped)
        return r->limited ? PERP_LP_LIMIT : PERP_LP_STOPPED;
    switch (status) {
    case OPTIMAL:
        return read_answer(r);
    case INFEASIBLE:
        return PERP_LP_INFEASIBLE;
    case UNBOUNDED:
        return PERP_LP_UNBOUNDED;
    case NOMEMORY:
        return PERP_LP_NO_MEMORY;
    default:
        return PERP_LP_FAILED;
    }
}

/* All blocks are given back here, those of the lprec too. */
static perp_lp_outcome solve_locked(run *r)
{
    jmp_buf landing;
    perp_lp_outcome outcome;
    int thrown = setjmp(landing);
    if (thrown == 0) {
        perp_lp_memory_begin(&landing);
        outcome = solve_program(r);
        if (r->lp)
            delete_lp(r->lp);
    } else {
        outcome = thrown == 1 ? PERP_LP_NO_MEMORY : PERP_LP_FAILED;
    }
    perp_lp_memory_end();
    return outcome;
}

static perp_lp_outcome perp_lp_solve(const perp_lp_program *program, const perp_lp_control *control,
                                     perp_lp_answer *answer)
{
    run r = {program, control, answer, NULL, 0, 0};
    pthread_mutex_lock(&one_at_a_time);
    perp_lp_outcome outcome = solve_locked(&r);
    pthread_mutex_unlock(&one_at_a_time);
    return outcome;
}

extern PERP_API const perp_lp_table perp_lp_table_1;
const perp_lp_table perp_lp_table_1 = {PERP_LP_VERSION, perp_lp_solve};
