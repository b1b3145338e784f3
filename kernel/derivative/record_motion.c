/* SPDX-License-Identifier: BSD-3-Clause */
/* The smooth part of a step, system by system: mass, derivatives of the right-hand side at both
 * ends, and how a rotation carries small turns.  With R+ = R exp(phi^) and phi = h omega a small
 * turn dphi of R and a change of phi become exp(-phi^) dphi + Jr(phi) dphi. */
#include <float.h>
#include <math.h>
#include <string.h>

#include <perp/rotation.h>

#include "kernel/derivative/tape.h"

/* A system's matrices are kept dense. */
enum { LARGEST = 2000 };

static double *constant_mass(perp_tape *tape, const perp_system *s)
{
    size_t n = (size_t)s->nv;
    double *M = perp_tape_take(tape, n * n, sizeof *M);
    if (!M)
        return NULL;
    if (!s->mass_diagonal)
        perp_system_add_matrix(M, &s->mass, 1.0);
    for (size_t i = 0; s->mass_diagonal && i < n; i++)
        M[i * (n + 1)] = s->mass_diagonal[i];
    return M;
}

static int has_mass_callback(const perp_system *s)
{
    return s->kind == PERP_SYSTEM_LAGRANGIAN && s->as.lagrangian.mass;
}

/* Derivatives that are -K and -C for good. */
static int is_constant(const perp_system *s)
{
    return s->kind == PERP_SYSTEM_LAGRANGIAN && s->W_constant && !s->plain;
}

static perp_status describe(perp_tape *tape, perp_tape_system *own, const perp_system *s)
{
    size_t entries = (size_t)s->nv * (size_t)s->nv;
    if (s->nv > LARGEST)
        return perp_tape_end(tape, PERP_ERR_UNSUPPORTED, "system", s->slot,
                             "a system of more than %d coordinates is not recorded", LARGEST);
    *own = (perp_tape_system){.system = s,
                              .generation = tape->sim->stepper.model->systems[s->slot].generation,
                              .slot = s->slot,
                              .nv = s->nv,
                              .at = tape->dofs};
    if (!has_mass_callback(s) && !(own->mass = constant_mass(tape, s)))
        return PERP_ERR_MEMORY;
    if (is_constant(s)) {
        own->by_q = perp_tape_take(tape, entries, sizeof(double));
        own->by_v = perp_tape_take(tape, entries, sizeof(double));
        if (!own->by_q || !own->by_v)
            return PERP_ERR_MEMORY;
        perp_system_add_matrix(own->by_q, &s->as.lagrangian.K, -1.0);
        perp_system_add_matrix(own->by_v, &s->as.lagrangian.C, -1.0);
    }
    return PERP_SOLVED;
}

perp_status perp_tape_list_systems(perp_tape *tape)
{
    const perp_stepper *stepper = &tape->sim->stepper;
    int slots = stepper->model->nsystems;
    tape->nsystems = tape->dofs = 0;
    if (!perp_pool_grow(&tape->pool, (void **)&tape->systems, &tape->capacity_systems,
                        stepper->nsystems, sizeof *tape->systems) ||
        !perp_pool_grow(&tape->pool, (void **)&tape->place, &tape->capacity_place, slots,
                        sizeof *tape->place))
        return PERP_ERR_MEMORY;
    tape->places = slots;
    for (int k = 0; k < slots; k++)
        tape->place[k] = -1;
    for (int k = 0; k < stepper->nsystems; k++) {
        perp_status status = describe(tape, &tape->systems[k], stepper->systems[k]);
        if (status != PERP_SOLVED)
            return status;
        tape->place[stepper->systems[k]->slot] = k;
        tape->dofs += stepper->systems[k]->nv;
    }
    tape->nsystems = stepper->nsystems;
    tape->info.systems = tape->nsystems;
    tape->info.dofs = tape->dofs;
    return PERP_SOLVED;
}

int perp_tape_moves_ahead(const perp_scheme *scheme)
{
    return scheme->configuration != PERP_CONFIGURATION_START;
}

void perp_tape_guess(double *q, const perp_system *s, double ahead)
{
    perp_system_move(q, s, s->q[PERP_START], s->v[PERP_START], ahead);
}

/* M(x_g) at work[0 ..] and its derivative times a. */
static perp_status record_mass(perp_tape *tape, perp_tape_motion *m, perp_system *s,
                               const double *a)
{
    size_t n = (size_t)s->nv;
    int failed = 0;
    double *q = perp_tape_work(tape, n * n + 4 * n), *M = q ? q + n : NULL;
    if (!q)
        return PERP_ERR_MEMORY;
    perp_tape_guess(q, s, m->ahead);
    if (perp_lagrangian_mass(M, s, q))
        return PERP_INTERRUPTED;
    if (!(m->mass = perp_tape_copy(tape, M, n * n)))
        return PERP_ERR_MEMORY;
    if (s->as.lagrangian.mass_q) {
        if (s->as.lagrangian.mass_q(M, 0.0, q, a, s->z, s->user))
            return PERP_INTERRUPTED;
        m->turn = perp_tape_keep(tape, M, n * n, &failed);
        return failed ? PERP_ERR_MEMORY : PERP_SOLVED;
    }
    if (!tape->settings.differences)
        return perp_tape_end(tape, PERP_ERR_UNSUPPORTED, "system", s->slot,
                             "its mass has no derivative: give mass_q, or set differences");
    tape->info.differences = 1;
    double *turn = perp_tape_take(tape, n * n, sizeof *turn);
    if (!turn)
        return PERP_ERR_MEMORY;
    for (size_t j = 0; j < n; j++) {
        double place = q[j], step = cbrt(DBL_EPSILON) * fmax(1.0, fabs(place));
        for (int side = -1; side <= 1; side += 2) {
            q[j] = place + side * step;
            if (perp_lagrangian_mass(M, s, q))
                return PERP_INTERRUPTED;
            for (size_t l = 0; l < n; l++)
                for (size_t i = 0; i < n; i++)
                    turn[i + j * n] += side * M[i + l * n] * a[l] / (2.0 * step);
        }
        q[j] = place;
    }
    m->turn = turn;
    return PERP_SOLVED;
}

/* By position (in coordinates of the velocity) and velocity, at one end. */
static perp_status record_right_side(perp_tape *tape, const double **by_q, const double **by_v,
                                     perp_system *s, double t, perp_moment moment)
{
    const double *q = s->q[moment], *v = s->v[moment], *J = s->jacobian_q;
    size_t n = (size_t)s->nv;
    double turned[36];
    int failed = 0;
    if (s->kind == PERP_SYSTEM_BODY) {
        if (perp_body_jacobian(s, t, q, v))
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

/* A = exp(-phi^), B = Jr(phi) = I - (1 - cos a)/a^2 phi^ + (a - sin a)/a^3 phi^ phi^. */
int perp_tape_record_turn(perp_tape *tape, const double **A, const double **B, const double *omega,
                          double h)
{
    double phi[3], p[4], R[9], square = 0.0, first, second;
    double *a = PERP_TAPE_ARRAY(tape, double, 18), *b = a ? a + 9 : NULL;
    if (!a)
        return 0;
    for (int k = 0; k < 3; k++) {
        phi[k] = h * omega[k];
        square += phi[k] * phi[k];
    }
    if (square < 1e-2) {
        first = 0.5 - square * (1.0 / 24 - square * (1.0 / 720 - square * (1.0 / 40320)));
        second = 1.0 / 6 - square * (1.0 / 120 - square * (1.0 / 5040 - square * (1.0 / 362880)));
    } else {
        double angle = sqrt(square);
        first = 2.0 * pow(sin(0.5 * angle) / angle, 2.0);
        second = (angle - sin(angle)) / (square * angle);
    }
    perp_quaternion_exp(phi, p);
    perp_quaternion_matrix(p, R);
    const double hat[9] = {0.0, phi[2], -phi[1], -phi[2], 0.0, phi[0], phi[1], -phi[0], 0.0};
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++) {
            a[i + 3 * j] = R[j + 3 * i];
            b[i + 3 * j] = (i == j ? 1.0 - second * square : 0.0) - first * hat[i + 3 * j] +
                           second * phi[i] * phi[j];
        }
    *A = a;
    *B = b;
    return 1;
}

/* Some parameter of this system needs its states. */
static int has_parameter(const perp_tape *tape, const perp_tape_system *own)
{
    for (int k = 0; k < tape->nparameters; k++) {
        const perp_tape_parameter *p = &tape->parameters[k];
        if (p->quantity >= PERP_TAPE_MASS && p->quantity != PERP_TAPE_FORCE &&
            (int)p->system.index == own->slot && p->system.generation == own->generation)
            return 1;
    }
    return 0;
}

static perp_status record_states(perp_tape *tape, perp_tape_motion *m, const perp_system *s,
                                 const double *change)
{
    size_t nq = (size_t)s->nq, nv = (size_t)s->nv;
    double *state = perp_tape_take(tape, 2 * (nq + nv), sizeof *state);
    m->change = perp_tape_copy(tape, change, nv);
    double *spin = s->kind == PERP_SYSTEM_BODY ? PERP_TAPE_ARRAY(tape, double, 6) : NULL;
    if (!state || !m->change || (s->kind == PERP_SYSTEM_BODY && !spin))
        return PERP_ERR_MEMORY;
    memcpy(state, s->q[PERP_START], nq * sizeof(double));
    memcpy(state + nq, s->v[PERP_START], nv * sizeof(double));
    memcpy(state + nq + nv, s->q[PERP_NOW], nq * sizeof(double));
    memcpy(state + 2 * nq + nv, s->v[PERP_NOW], nv * sizeof(double));
    m->state = state;
    if (spin) {
        perp_body_gyroscopic(spin, s, s->v[PERP_START] + 3);
        perp_body_gyroscopic(spin + 3, s, s->v[PERP_NOW] + 3);
    }
    m->spin = spin;
    return PERP_SOLVED;
}

static perp_status record_rotation(perp_tape *tape, perp_tape_motion *m, const perp_system *s,
                                   double h)
{
    double omega[3];
    const double *before = s->v[PERP_START] + 3, *after = s->v[PERP_NOW] + 3;
    for (int k = 0; k < 3; k++)
        omega[k] = m->theta * after[k] + (1.0 - m->theta) * before[k];
    return perp_tape_record_turn(tape, &m->A, &m->B, omega, h) &&
                   perp_tape_record_turn(tape, &m->A_g, &m->B_g, before, m->ahead)
               ? PERP_SOLVED
               : PERP_ERR_MEMORY;
}

/* A mass that turns is that of one configuration that the start alone decides. */
static perp_status check_configuration(perp_tape *tape, const perp_system *s,
                                       const perp_scheme *scheme)
{
    int iterated = scheme->configuration == PERP_CONFIGURATION_ITERATED;
    if (scheme->configuration == PERP_CONFIGURATION_CONVERGED ||
        (iterated && tape->sim->stepper.info.newton > 1))
        return perp_tape_end(tape, PERP_ERR_UNSUPPORTED, "system", s->slot,
                             iterated
                                 ? "configuration iterated took more than one iteration: "
                                   "choose predicted"
                                 : "configuration converged is not recorded: choose predicted");
    return PERP_SOLVED;
}

perp_status perp_tape_record_motion(perp_tape *tape, const perp_step *step, perp_tape_step *node,
                                    int k)
{
    perp_system *s = step->systems[k];
    const perp_scheme *scheme = perp_step_scheme(step, s);
    const perp_tape_system *own = &tape->systems[k];
    perp_tape_motion *m = &node->motions[k];
    double forces = scheme->forces == PERP_FORCES_EXPLICIT ? 0.0 : scheme->theta, h = step->h;
    perp_status status = PERP_SOLVED;
    *m = (perp_tape_motion){.theta = scheme->theta,
                            .end = h * forces,
                            .start = h * (1.0 - forces),
                            .ahead = perp_tape_moves_ahead(scheme) ? h * scheme->prediction : 0.0,
                            .mass = own->mass,
                            .q0 = own->by_q,
                            .v0 = own->by_v,
                            .q1 = own->by_q,
                            .v1 = own->by_v};
    if (has_mass_callback(s) && (status = check_configuration(tape, s, scheme)) != PERP_SOLVED)
        return status;
    double *change = s->work; /* used by schemes alone */
    for (int i = 0; i < s->nv; i++)
        change[i] = s->v[PERP_NOW][i] - s->v[PERP_START][i];
    if (has_mass_callback(s))
        status = record_mass(tape, m, s, change);
    if (status == PERP_SOLVED && !own->by_q && !s->plain) {
        if (m->start != 0.0)
            status = record_right_side(tape, &m->q0, &m->v0, s, step->t, PERP_START);
        if (status == PERP_SOLVED && m->end != 0.0)
            status = record_right_side(tape, &m->q1, &m->v1, s, step->t_end, PERP_NOW);
    }
    if (status == PERP_SOLVED && s->kind == PERP_SYSTEM_BODY)
        status = record_rotation(tape, m, s, h);
    if (status == PERP_SOLVED && has_parameter(tape, own))
        status = record_states(tape, m, s, change);
    return status == PERP_INTERRUPTED
               ? perp_tape_end(tape, status, "system", s->slot, "a callback refused")
               : status;
}
