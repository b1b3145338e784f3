/* SPDX-License-Identifier: BSD-3-Clause */
/* W of few dofs, taken apart together with the rows of equalities, and the matrix of the others:
 *
 *     W  -G_e' -G_r'      dofs
 *     N_e  D_e             equalities
 *     N_r        D_r       the rest, which becomes N_r K^-1 G_r' + D_r with K of the first two
 *
 * Where the rest has more rows than the systems that it touches have dofs, the last row and column
 * are those of the identity, -1 and 1, and become K^-1 of these dofs.  Where equalities depend on
 * each other, or hold the rest, all rows are the rest. */
#include <math.h>
#include <string.h>

#include "kernel/derivative/linear.h"
#include "kernel/derivative/stage_system.h"

#define GROW(tape, array, capacity, count)                                                         \
    perp_pool_grow(&(tape)->pool, (void **)&(tape)->stage_system->array,                           \
                   &(tape)->stage_system->capacity, (count), sizeof *(tape)->stage_system->array)

typedef struct small {
    perp_small_lu_plan plan;
    int inverse, dofs, dof[PERP_SMALL_LU_MOST]; /* K^-1 of these */
    int place[PERP_SMALL_LU_MOST];              /* of a dof among them */
    double diagonal[PERP_SMALL_LU_MOST];        /* of W */
} small;

/* Entry (row, column) of two unknowns.  Those of a system, and the rows of a part, stand one behind
 * the other in the order that they have there. */
static double *place_of(double *A, const perp_small_lu_plan *plan, int row, int column)
{
    return A + (size_t)plan->row_of[row] * (size_t)plan->columns + plan->column_of[column];
}

/* Adds K of a part to W. */
static void add_part(double *A, const perp_small_lu_plan *plan, const perp_tape *tape,
                     const perp_tape_part *p)
{
    const double *K = p->K;
    for (int k = 0; k < p->nsystems; k++) {
        const perp_tape_system *column = &tape->systems[p->system[k]];
        for (int j = 0; j < column->nv; j++)
            for (int m = 0; m < p->nsystems; m++) {
                const perp_tape_system *row = &tape->systems[p->system[m]];
                double *down = place_of(A, plan, row->at, column->at) + j;
                for (int i = 0; i < row->nv; i++, down += plan->columns)
                    *down += *K++;
            }
    }
}

/* Rows of a part, from unknown `to` on. */
static void add_rows(double *A, const perp_small_lu_plan *plan, const perp_tape *tape,
                     const perp_tape_part *p, int to)
{
    const double *N = p->N, *G = p->G;
    for (int k = 0; k < p->nsystems; k++) {
        const perp_tape_system *own = &tape->systems[p->system[k]];
        double *left = place_of(A, plan, to, own->at), *across = place_of(A, plan, own->at, to);
        for (int v = 0; v < own->nv; v++, across += plan->columns) {
            double *down = left + v;
            for (int i = 0; i < p->rows; i++, down += plan->columns) {
                *down += *N++;
                across[i] -= *G++;
            }
        }
    }
    double *diagonal = place_of(A, plan, to, to);
    for (int i = 0; i < p->rows && p->diagonal; i++)
        diagonal[i * (plan->columns + 1)] = p->diagonal[i];
}

/* Systems, and the rows of a part from `to` on, are in one block each. */
static void reach(perp_small_lu_plan *plan, const perp_tape *tape, const perp_tape_part *p, int to,
                  int rows)
{
    uint64_t systems = 0;
    for (int k = 0; k < p->nsystems && (p->K || rows > 0); k++)
        systems |= (uint64_t)1 << plan->block_of[tape->systems[p->system[k]].at];
    for (int k = 0; k < p->nsystems; k++) {
        int own = plan->block_of[tape->systems[p->system[k]].at];
        plan->reach[own] |= p->K ? systems : 0;
        if (rows > 0)
            perp_small_lu_reach(plan, own, plan->block_of[to]);
    }
}

/* Equalities that were not placed yet, and the systems that they join, as bits. */
typedef struct order {
    int count, first[PERP_SMALL_LU_WIDEST], rows[PERP_SMALL_LU_WIDEST];
    uint64_t systems[PERP_SMALL_LU_WIDEST], joined[PERP_SMALL_LU_MOST];
} order;

static void list_equalities(order *o, const perp_tape *tape, const perp_tape_solve_stage *solve)
{
    int first = tape->dofs;
    o->count = 0;
    memset(o->joined, 0, sizeof(uint64_t) * (size_t)tape->nsystems);
    for (const perp_tape_part *p = solve->parts; p; p = p->next) {
        if (!perp_tape_stage_eliminates(tape->stage_system, p))
            continue;
        uint64_t systems = 0;
        for (int k = 0; k < p->nsystems; k++)
            systems |= (uint64_t)1 << p->system[k];
        for (int k = 0; k < p->nsystems; k++)
            o->joined[p->system[k]] |= systems;
        o->systems[o->count] = systems;
        o->first[o->count] = first;
        o->rows[o->count++] = p->rows;
        first += p->rows;
    }
}

/* Equalities of system k with no other one that is left than those in `with` go behind it, as many
 * as it has dofs; all: all that are left. */
static void add_equalities(perp_small_lu_plan *plan, order *o, uint64_t own, uint64_t others,
                           int most)
{
    int kept = 0;
    for (int i = 0; i < o->count; i++) {
        int goes = o->systems[i] & own && !(o->systems[i] & others) && o->rows[i] <= most;
        if (goes) {
            perp_small_lu_add(plan, PERP_SMALL_LU_MULTIPLIER, o->first[i], o->rows[i]);
            most -= o->rows[i];
        } else {
            o->systems[kept] = o->systems[i];
            o->first[kept] = o->first[i];
            o->rows[kept++] = o->rows[i];
        }
    }
    o->count = kept;
}

static int count_bits(uint64_t x)
{
    int count = 0;
    for (; x; x &= x - 1)
        count++;
    return count;
}

/* The ends of chains first, each with the joint that holds it: of a tree nothing fills in; or,
 * where apart is 1, joints after all systems. */
static void order_blocks(perp_small_lu_plan *plan, const perp_tape *tape,
                         const perp_tape_solve_stage *solve, int apart)
{
    uint64_t left = 0;
    order o;
    list_equalities(&o, tape, solve);
    for (int k = 0; k < tape->nsystems; k++)
        left |= (uint64_t)1 << k;
    while (left) {
        int best = -1, least = 0;
        for (int k = 0; k < tape->nsystems; k++) {
            int count = count_bits(o.joined[k] & left & ~((uint64_t)1 << k));
            if (left >> k & 1 && (best < 0 || count < least)) {
                best = k;
                least = count;
            }
        }
        left &= ~((uint64_t)1 << best);
        uint64_t near = o.joined[best] & left, next = near & (~near + 1);
        const perp_tape_system *own = &tape->systems[best];
        perp_small_lu_add(plan, PERP_SMALL_LU_MOTION, own->at, own->nv);
        if (!apart)
            add_equalities(plan, &o, (uint64_t)1 << best, left & ~next, own->nv);
    }
    for (int i = 0; i < o.count; i++)
        perp_small_lu_add(plan, PERP_SMALL_LU_MULTIPLIER, o.first[i], o.rows[i]);
}

/* The dofs of systems that the rest touches. */
static void find_touched(small *m, const perp_tape *tape, const perp_tape_solve_stage *solve)
{
    uint64_t touched = 0;
    for (const perp_tape_part *p = solve->parts; p; p = p->next)
        for (int k = 0; k < p->nsystems && p->rows > 0; k++)
            touched |= (uint64_t)!perp_tape_stage_eliminates(tape->stage_system, p) << p->system[k];
    m->dofs = 0;
    for (int k = 0; k < tape->nsystems; k++)
        for (int v = 0; touched >> k & 1 && v < tape->systems[k].nv; v++) {
            m->place[tape->systems[k].at + v] = m->dofs;
            m->dof[m->dofs++] = tape->systems[k].at + v;
        }
    m->inverse = tape->stage_system->has_matrix && m->dofs < tape->stage_system->rest;
}

/* The blocks, and which of them have entries in which.  0: too many, with joints not apart. */
static int lay_out(small *m, const perp_tape *tape, const perp_tape_solve_stage *solve, int apart)
{
    const perp_tape_stage_system *s = tape->stage_system;
    perp_small_lu_plan *plan = &m->plan;
    int equality = s->dofs, rest = s->dofs + s->equalities;
    find_touched(m, tape, solve);
    perp_small_lu_begin(plan, rest + (!s->has_matrix ? 0 : m->inverse ? m->dofs : s->rest));
    order_blocks(plan, tape, solve, apart);
    for (int i = 0, count; !plan->full && m->inverse && i < m->dofs; i += count) {
        int block = plan->block_of[m->dof[i]];
        for (count = 1; i + count < m->dofs && plan->block_of[m->dof[i + count]] == block;)
            count++;
        perp_small_lu_add(plan, PERP_SMALL_LU_REST, rest + i, count);
        if (plan->full)
            return 0;
        perp_small_lu_reach(plan, plan->block_of[rest + i], block);
    }
    for (const perp_tape_part *p = solve->parts; p; p = p->next) {
        int eliminated = perp_tape_stage_eliminates(s, p), *to = eliminated ? &equality : &rest;
        int in = eliminated || (s->has_matrix && !m->inverse) ? p->rows : 0;
        perp_small_lu_add(plan, PERP_SMALL_LU_REST, *to, eliminated ? 0 : in);
        if (plan->full)
            return 0;
        reach(plan, tape, p, *to, in);
        *to += in;
    }
    return 1;
}

static void fill(double *A, small *m, const perp_tape *tape, const perp_tape_solve_stage *solve)
{
    const perp_tape_stage_system *s = tape->stage_system;
    const perp_small_lu_plan *plan = &m->plan;
    int equality = s->dofs, rest = s->dofs + s->equalities;
    for (const perp_tape_part *p = solve->parts; p; p = p->next) {
        int eliminated = perp_tape_stage_eliminates(s, p), *to = eliminated ? &equality : &rest;
        int in = eliminated || (s->has_matrix && !m->inverse) ? p->rows : 0;
        if (p->K)
            add_part(A, plan, tape, p);
        if (in > 0)
            add_rows(A, plan, tape, p, *to);
        *to += in;
    }
    for (int i = 0; m->inverse && i < m->dofs; i++) {
        int u = s->dofs + s->equalities + i, v = m->dof[i];
        A[plan->row_of[u] * plan->columns + plan->column_of[v]] = 1.0;
        A[plan->row_of[v] * plan->columns + plan->column_of[u]] = -1.0;
    }
    for (int v = 0; v < s->dofs; v++)
        m->diagonal[v] = A[plan->row_of[v] * plan->columns + plan->column_of[v]];
}

/* The rest stands in the order of its unknowns. */
static void take_matrix(perp_tape_stage_system *s, const double *A, const small *m)
{
    const perp_small_lu_plan *plan = &m->plan;
    size_t n = (size_t)s->rest, first = (size_t)plan->unknowns;
    for (size_t i = 0; i < n; i++) {
        const double *own = A + (first + i) * (size_t)plan->columns;
        for (size_t j = 0; j < n; j++)
            s->m_x[i + j * n] = own[plan->column_of[first + j]];
    }
}

/* work: 2 dofs x rest. */
static void multiply_matrix(perp_tape *tape, const perp_tape_solve_stage *solve, const double *A,
                            const small *m, double *work)
{
    const perp_small_lu_plan *plan = &m->plan;
    const perp_tape_stage_system *s = tape->stage_system;
    size_t n = (size_t)s->rest, first = (size_t)plan->unknowns;
    double *to = work + n * (size_t)s->dofs, x[PERP_SMALL_LU_MOST];
    perp_tape_stage_lay_out(work, m->place, m->dofs, tape, solve);
    for (int j = 0; j < m->dofs; j++) {
        const double *column = A + plan->column_of[first + (size_t)j];
        for (int i = 0; i < m->dofs; i++)
            x[i] = column[(first + (size_t)i) * (size_t)plan->columns];
        perp_tape_stage_sum(to + (size_t)m->dof[j] * n, work, x, m->dofs, n, 0);
    }
    perp_tape_stage_columns(tape, solve, to);
}

/* Equalities leave little of a row of the rest of what W would give it. */
static int is_held(const perp_tape_stage_system *s, const perp_tape_solve_stage *solve,
                   const small *m, const perp_tape *tape)
{
    size_t at = 0;
    for (const perp_tape_part *p = solve->parts; p && s->equalities > 0; p = p->next)
        for (int i = 0; i < p->rows && !perp_tape_stage_eliminates(s, p); i++, at++) {
            double size = p->diagonal ? fabs(p->diagonal[i]) : 0.0;
            for (int k = 0, j = i; k < p->nsystems; k++) {
                const perp_tape_system *own = &tape->systems[p->system[k]];
                for (int v = own->at; v < own->at + own->nv; v++, j += p->rows) {
                    double term = fabs(p->N[j] * p->G[j]);
                    size += term > 0.0 ? term / fabs(m->diagonal[v]) : 0.0;
                }
            }
            if (fabs(s->m_x[at * (size_t)(s->rest + 1)]) < PERP_SMALL_LU_LOST * size)
                return 1;
        }
    return 0;
}

static int equalities_of(const perp_tape_solve_stage *solve)
{
    int count = 0;
    for (const perp_tape_part *p = solve->parts; p; p = p->next)
        count += p->set == PERP_FREE ? p->rows : 0;
    return count;
}

static perp_small_lu_answer fill_and_eliminate(double *A, small *m, const perp_tape *tape,
                                               const perp_tape_solve_stage *solve)
{
    perp_small_lu_clear(A, &m->plan);
    fill(A, m, tape, solve);
    return perp_small_lu_eliminate(A, &m->plan);
}

static perp_status take_apart(perp_tape *tape, const perp_tape_solve_stage *solve, small *m,
                              int equalities)
{
    perp_tape_stage_system *s = tape->stage_system;
    s->has_matrix = s->dofs + solve->rows <= PERP_SMALL_LU_WIDEST;
    s->equalities = s->has_matrix ? equalities : 0;
    s->rest = solve->rows - s->equalities;
    if (!lay_out(m, tape, solve, 0))
        (void)lay_out(m, tape, solve, 1);
    /* Joined blocks have no more columns than others. */
    size_t entries = (size_t)m->plan.rows * (size_t)m->plan.columns;
    double *A = perp_tape_work(tape, entries + 2 * (size_t)s->dofs * (size_t)s->rest);
    if (!A || (s->has_matrix && !GROW(tape, m_x, capacity_m_x, s->rest * s->rest)))
        return PERP_ERR_MEMORY;
    perp_small_lu_answer answer = fill_and_eliminate(A, m, tape, solve);
    if (answer == PERP_SMALL_LU_UNSTABLE) {
        perp_small_lu_join(&m->plan);
        answer = fill_and_eliminate(A, m, tape, solve);
    }
    if (answer == PERP_SMALL_LU_FINE && s->has_matrix) {
        if (m->inverse)
            multiply_matrix(tape, solve, A, m, A + entries);
        else
            take_matrix(s, A, m);
        answer = is_held(s, solve, m, tape) ? PERP_SMALL_LU_DEPENDENT : answer;
    }
    if (answer == PERP_SMALL_LU_DEPENDENT && s->equalities > 0)
        return take_apart(tape, solve, m, 0);
    return answer == PERP_SMALL_LU_FINE ? PERP_SOLVED : PERP_ERR_SINGULAR;
}

perp_status perp_tape_stage_factor_small(perp_tape *tape, const perp_tape_solve_stage *solve)
{
    perp_tape_stage_system *s = tape->stage_system;
    small m;
    int integers, numbers;
    perp_status status = take_apart(tape, solve, &m, equalities_of(solve));
    if (status != PERP_SOLVED)
        return status;
    perp_small_lu_memory(&m.plan, &integers, &numbers);
    if (!GROW(tape, lu_of, capacity_lu_of, integers) || !GROW(tape, lu_x, capacity_lu_x, numbers))
        return PERP_ERR_MEMORY;
    perp_small_lu_pack(&s->lu, tape->work, &m.plan, s->lu_of, s->lu_x);
    return PERP_SOLVED;
}
