/* SPDX-License-Identifier: BSD-3-Clause */
/* The equation of motion of a discrete-gradient step, differentiated.  With D = h v_b, E its part
 * without v, D = E + h theta v,
 *
 *     M(q_m) (v - v') - h theta F(q_1, v) - h (1 - theta) F(q_0, v_s) + h g(v_b) = G' lambda,
 *     q_1 = q_0 (+) D,    q_m = q_0 (+) D/2,    v_s = v' - lag/(1 - theta),
 *
 * F without the gyroscopic moment g of a body, which is taken at the mean velocity. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "kernel/derivative/stage_build.h"
#include "kernel/step/stepper.h"

/* g'(omega), 3 x 3: g is a quadratic form. */
static void gyroscopic_slope(double *slope, const perp_system *s, const double *omega)
{
    for (int j = 0; j < 3; j++) {
        double plus[3], minus[3], a[3], b[3];
        for (int i = 0; i < 3; i++) {
            plus[i] = omega[i] + (i == j ? 1.0 : 0.0);
            minus[i] = omega[i] - (i == j ? 1.0 : 0.0);
        }
        perp_body_gyroscopic(a, s, plus);
        perp_body_gyroscopic(b, s, minus);
        for (int i = 0; i < 3; i++)
            slope[i + 3 * j] = 0.5 * (a[i] - b[i]);
    }
}

void perp_tape_add_gyroscopic(double *J, const perp_system *s, const double *omega, double scale)
{
    double slope[9];
    gyroscopic_slope(slope, s, omega);
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++)
            J[(3 + i) + 6 * (3 + j)] += scale * slope[i + 3 * j];
}

static int turns_freely(const perp_system *s)
{
    return s->kind == PERP_SYSTEM_BODY && !s->as.body.no_gyroscopic;
}

/* dF/dq and dF/dv without the gyroscopic moment; either NULL: 0. */
perp_status perp_tape_forces_at(perp_tape *tape, int k, perp_system *s, double t, const double *q,
                                const double *v, const double **by_q, const double **by_v)
{
    const perp_tape_system *own = &tape->systems[k];
    size_t n = (size_t)s->nv;
    double turned[36];
    const double *J = s->jacobian_q;
    int failed = 0, held = s->without_gyroscopic;
    *by_q = own->by_q;
    *by_v = own->by_v;
    if (own->by_q || s->plain)
        return PERP_SOLVED;
    if (s->kind == PERP_SYSTEM_BODY) {
        s->without_gyroscopic = 1;
        int refused = perp_body_jacobian(s, t, q, v);
        s->without_gyroscopic = held;
        if (refused)
            return PERP_INTERRUPTED;
        perp_system_to_rates(turned, s, s->jacobian_q, q, 6);
        J = turned;
    } else if (perp_lagrangian_jacobian(s, t, q, v)) {
        return PERP_INTERRUPTED;
    }
    *by_q = perp_tape_keep(tape, J, n * n, &failed);
    *by_v = perp_tape_keep(tape, s->jacobian_v, n * n, &failed);
    tape->info.differences |= s->differences;
    return failed ? PERP_ERR_MEMORY : PERP_SOLVED;
}

/* Matrices of a system. */
typedef struct motion {
    const double *M, *T, *q0, *v0, *q1, *v1;
    double *W, *C, *by_q, *by_v, *by_lag; /* C: by D */
} motion;

static void add(double *to, const double *from, size_t n, double scale)
{
    for (size_t k = 0; from && k < n; k++)
        to[k] += scale * from[k];
}

/* W, and what goes into rho. */
static int combine(motion *m, perp_tape *tape, const perp_dg *dg, int k, const perp_system *s,
                   const perp_tape_turns *whole)
{
    size_t entries = (size_t)s->nv * (size_t)s->nv;
    double h = dg->h, a = h * dg->theta, late = 1.0 - dg->theta;
    double *work = perp_tape_work(tape, entries);
    m->W = perp_tape_new_copy(tape, m->M, s->nv, s->nv);
    m->C = perp_tape_zeros(tape, s->nv, s->nv);
    m->by_q = perp_tape_zeros(tape, s->nv, s->nv);
    m->by_v = perp_tape_new_copy(tape, m->M, s->nv, s->nv);
    m->by_lag = perp_tape_zeros(tape, s->nv, s->nv);
    if (!work || !m->W || !m->C || !m->by_q || !m->by_v || !m->by_lag)
        return 0;
    if (m->T) {
        add(m->C, m->T, entries, 0.5); /* of Lagrangian systems, which do not turn */
        add(m->by_q, m->T, entries, -1.0);
    }
    if (m->q1) {
        perp_tape_times_turns(work, m->q1, s->nv, tape, &k, 1, whole->B, a);
        add(m->C, work, entries, -1.0);
        perp_tape_times_turns(work, m->q1, s->nv, tape, &k, 1, whole->A, a);
        add(m->by_q, work, entries, 1.0);
    }
    if (turns_freely(s))
        perp_tape_add_gyroscopic(m->C, s, s->v[PERP_GUESS] + 3, 1.0);
    add(m->W, m->v1, entries, -a);
    add(m->W, m->C, entries, a);
    add(m->by_q, m->q0, entries, h * late);
    add(m->by_v, m->v0, entries, h * late);
    add(m->by_v, m->C, entries, -h * late);
    if (late > 0.0)
        add(m->by_lag, m->v0, entries, -h);
    add(m->by_lag, m->C, entries, h);
    return 1;
}

/* How a parameter enters the equation of a body: its mass through `change`, its inertia through
 * that and the gyroscopic moment g times `whole`. */
static int terms_of_body(perp_tape *tape, perp_tape_solve_stage *solve, int j, int at,
                         const double *M, const double *change, const double *g, double whole)
{
    int inertia = tape->parameters[j].quantity == PERP_TAPE_INERTIA, fine = 1;
    for (int i = 0; i < 3; i++) {
        double value = inertia ? -whole * g[i] : -change[i];
        for (int l = 0; inertia && l < 3; l++)
            value -= M[3 + i + 6 * (3 + l)] * change[3 + l];
        fine &=
            perp_tape_add_term(tape, solve, j, PERP_TAPE_RHO, at + i + (inertia ? 3 : 0), value);
    }
    return fine;
}

/* Parameters of system k in M change = first F(q_0, v_0) + last F(q_1, v_1) + ...; g of a body. */
typedef struct equation {
    int k;
    double first, last, whole;
    const double *v0, *change, *M, *g;
} equation;

static int terms_of_system(perp_tape *tape, perp_tape_solve_stage *solve, const perp_system *s,
                           const equation *e)
{
    const perp_tape_system *own = &tape->systems[e->k];
    int fine = 1, body = s->kind == PERP_SYSTEM_BODY;
    for (int j = 0; j < tape->nparameters; j++) {
        const perp_tape_parameter *p = &tape->parameters[j];
        int row = own->at + p->row, column = p->column;
        double value = 0.0;
        if (p->quantity < PERP_TAPE_MASS || p->quantity == PERP_TAPE_Z ||
            (int)p->system.index != own->slot || p->system.generation != own->generation)
            continue;
        if (body && (p->quantity == PERP_TAPE_MASS || p->quantity == PERP_TAPE_INERTIA)) {
            fine &= terms_of_body(tape, solve, j, own->at, e->M, e->change, e->g, e->whole);
            continue;
        }
        if (p->quantity == PERP_TAPE_FORCE)
            value = e->whole;
        else if (p->quantity == PERP_TAPE_MASS)
            value = -e->change[column];
        else if (p->quantity == PERP_TAPE_K)
            value = -e->first * s->q[PERP_START][column] - e->last * s->q[PERP_NOW][column];
        else if (p->quantity == PERP_TAPE_C)
            value = -e->first * e->v0[column] - e->last * s->v[PERP_NOW][column];
        fine &= perp_tape_add_term(tape, solve, j, PERP_TAPE_RHO, row, value);
    }
    return fine;
}

int perp_tape_start_terms(perp_tape *tape, perp_tape_solve_stage *solve, const perp_dg *dg, int k)
{
    const perp_system *s = dg->systems[k];
    double g[3] = {0.0, 0.0, 0.0}, *zero = PERP_TAPE_ARRAY(tape, double, s->nv);
    if (turns_freely(s))
        perp_body_gyroscopic(g, s, s->v[PERP_START] + 3);
    const double *M = tape->systems[k].mass;
    equation e = {k, dg->h, 0.0, dg->h, s->v[PERP_START], zero, M, g};
    return zero && terms_of_system(tape, solve, s, &e);
}

/* rho += weight times the equation for the present z; change NULL: h F at the start alone. */
static int add_equation(double *rho, double *part, perp_step *step, const perp_dg *dg,
                        perp_system *s, const double *change, const double *start, double weight)
{
    const double parts[2] = {change ? dg->h * (1.0 - dg->theta) : dg->h,
                             change ? dg->h * dg->theta : 0.0};
    for (int end = 0; end < 2; end++) {
        if (parts[end] == 0.0)
            continue;
        if (perp_system_force(part, s, end ? step->t_end : step->t,
                              s->q[end ? PERP_NOW : PERP_START], end ? s->v[PERP_NOW] : start))
            return 1;
        for (int i = 0; i < s->nv; i++)
            rho[i] += weight * parts[end] * part[i];
    }
    if (!change)
        return 0;
    if (perp_system_mass_apply(part, s, s->q[PERP_GUESS], change))
        return 1;
    for (int i = 0; i < s->nv; i++)
        rho[i] -= weight * part[i];
    return 0;
}

perp_status perp_tape_terms_of_z(perp_tape *tape, perp_step *step, const perp_dg *dg,
                                 perp_tape_solve_stage *solve, int k, const double *change,
                                 const double *start)
{
    perp_system *s = dg->systems[k];
    const perp_tape_system *own = &tape->systems[k];
    for (int j = 0; j < tape->nparameters; j++) {
        const perp_tape_parameter *p = &tape->parameters[j];
        if (p->quantity != PERP_TAPE_Z || (int)p->system.index != own->slot ||
            p->system.generation != own->generation)
            continue;
        if (p->row >= s->nz)
            return perp_tape_end(tape, PERP_ERR_ARGUMENT, "system", s->slot,
                                 "it has no parameter z of this number");
        double *rho = PERP_TAPE_ARRAY(tape, double, 2 * s->nv);
        double value = s->z[p->row], by = cbrt(DBL_EPSILON) * fmax(1.0, fabs(value));
        long evaluations = s->evaluations;
        int refused = rho == NULL;
        for (int side = -1; side <= 1 && !refused; side += 2) {
            s->z[p->row] = value + side * by;
            refused = add_equation(rho, rho + s->nv, step, dg, s, change, start, side / (2.0 * by));
        }
        s->z[p->row] = value;
        s->evaluations = evaluations;
        tape->info.differences = 1;
        if (refused)
            return rho ? PERP_INTERRUPTED : PERP_ERR_MEMORY;
        for (int i = 0; i < s->nv; i++)
            if (!perp_tape_add_term(tape, solve, j, PERP_TAPE_RHO, own->at + i, rho[i]))
                return PERP_ERR_MEMORY;
    }
    return PERP_SOLVED;
}

static perp_status follow_system(perp_tape *tape, perp_step *step, const perp_dg *dg, int k,
                                 perp_tape_solve_stage *solve, const perp_tape_turns *whole)
{
    perp_system *s = dg->systems[k];
    motion m = {.M = NULL};
    perp_status status = PERP_SOLVED;
    double *change = PERP_TAPE_ARRAY(tape, double, s->nv);
    double *start = PERP_TAPE_ARRAY(tape, double, s->nv);
    int *place = PERP_TAPE_ARRAY(tape, int, 1);
    if (!change || !start || !place)
        return PERP_ERR_MEMORY;
    *place = k;
    for (int i = 0; i < s->nv; i++) {
        change[i] = s->v[PERP_NOW][i] - s->v_kept[i];
        start[i] = perp_dg_start_velocity(dg, s, i);
    }
    m.M = perp_tape_mass_at(tape, k, s, s->q[PERP_GUESS], &status);
    if (status == PERP_SOLVED)
        m.T = perp_tape_mass_turn(tape, s, s->q[PERP_GUESS], change, &status);
    if (status == PERP_SOLVED && dg->theta < 1.0)
        status = perp_tape_forces_at(tape, k, s, step->t, s->q[PERP_START], start, &m.q0, &m.v0);
    if (status == PERP_SOLVED)
        status = perp_tape_forces_at(tape, k, s, step->t_end, s->q[PERP_NOW], s->v[PERP_NOW], &m.q1,
                                     &m.v1);
    if (status == PERP_SOLVED && !combine(&m, tape, dg, k, s, whole))
        status = PERP_ERR_MEMORY;
    if (status != PERP_SOLVED)
        return status;
    perp_tape_part *part = perp_tape_add_part(tape, solve, place, 1, s->nv);
    if (!part)
        return PERP_ERR_MEMORY;
    part->K = m.W;
    double g[3] = {0.0, 0.0, 0.0}, late = 1.0 - dg->theta;
    if (turns_freely(s))
        perp_body_gyroscopic(g, s, s->v[PERP_GUESS] + 3);
    equation e = {k, dg->h * late, dg->h * dg->theta, dg->h, start, change, m.M, g};
    return perp_tape_add_from(tape, part, PERP_REG_Q, m.by_q, NULL) &&
                   perp_tape_add_from(tape, part, PERP_REG_V, m.by_v, NULL) &&
                   (dg->nhits == 0 ||
                    perp_tape_add_from(tape, part, PERP_REG_LAG, m.by_lag, NULL)) &&
                   terms_of_system(tape, solve, s, &e)
               ? perp_tape_terms_of_z(tape, step, dg, solve, k, change, start)
               : PERP_ERR_MEMORY;
}

/* v and q at the end. */
static int moves(perp_tape *tape, const perp_dg *dg, const perp_tape_turns *whole)
{
    perp_tape_stage *v = perp_tape_add_stage(tape, PERP_STAGE_MOVE);
    perp_tape_stage *q = perp_tape_add_stage(tape, PERP_STAGE_MOVE);
    if (!v || !q)
        return 0;
    v->as.move = (perp_tape_move_stage){
        .reg = PERP_REG_END_V, .count = 1, .source = {{PERP_REG_Y, 1.0, NULL, NULL}}};
    q->as.move = (perp_tape_move_stage){
        .reg = PERP_REG_END_Q,
        .count = 4,
        .source = {{PERP_REG_Q, 1.0, NULL, whole->A},
                   {PERP_REG_Y, dg->h * dg->theta, NULL, whole->B},
                   {PERP_REG_V, dg->h * (1.0 - dg->theta), NULL, whole->B},
                   {PERP_REG_LAG, dg->nhits > 0 ? -dg->h : 0.0, NULL, whole->B}}};
    return 1;
}

perp_status perp_tape_follow_smooth(perp_tape *tape, perp_step *step, const perp_dg *dg)
{
    perp_tape_turns whole, half;
    perp_tape_stage *stage = perp_tape_add_stage(tape, PERP_STAGE_SOLVE);
    if (!stage || !perp_tape_take_turns(tape, &whole) || !perp_tape_take_turns(tape, &half))
        return PERP_ERR_MEMORY;
    perp_tape_solve_stage *solve = &stage->as.solve;
    perp_status status = PERP_SOLVED;
    solve->forces = dg->h;
    for (int k = 0; k < dg->nsystems; k++) {
        const perp_system *s = dg->systems[k];
        if (s->kind == PERP_SYSTEM_BODY &&
            (!perp_tape_set_turn_of(tape, &whole, k, s->v[PERP_GUESS] + 3, dg->h) ||
             !perp_tape_set_turn_of(tape, &half, k, s->v[PERP_GUESS] + 3, 0.5 * dg->h)))
            return PERP_ERR_MEMORY;
    }
    for (int k = 0; k < dg->nsystems && status == PERP_SOLVED; k++)
        status = follow_system(tape, step, dg, k, solve, &whole);
    if (status == PERP_SOLVED)
        status = perp_tape_follow_rows(tape, step, dg, solve, &whole, &half);
    if (status != PERP_SOLVED)
        return status;
    return moves(tape, dg, &whole) ? PERP_SOLVED : PERP_ERR_MEMORY;
}
