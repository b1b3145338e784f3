/* SPDX-License-Identifier: BSD-3-Clause */
/* Systems: the residual of the equation of motion, how positions moved, energies. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "kernel/certificate/certificate.h"

/* Parts of the extent of a system below which its rotation does not count on its own. */
static const double SMALL_PART = 1e-3;

static int has_mass_callback(const perp_system *s)
{
    return s->kind == PERP_SYSTEM_LAGRANGIAN && s->as.lagrangian.mass;
}

int perp_certificate_motion(perp_certificate *c, perp_system *s, const perp_balance *balance)
{
    perp_ledger *ledger = &s->ledger;
    size_t bytes = sizeof(double) * (size_t)s->nv;
    (void)c;
    ledger->share = balance->weight;
    ledger->inertial = balance->inertial;
    ledger->before = balance->before;
    ledger->lag = balance->lag;
    ledger->staggered = balance->staggered;
    ledger->still = balance->still;
    ledger->tolerance = balance->tolerance;
    ledger->slack = balance->slack;
    ledger->stated = 1;
    ledger->island = s;
    ledger->world = s->kind != PERP_SYSTEM_BODY;
    ledger->defect[0] = ledger->defect[1] = ledger->defect[2] = ledger->bulk = 0.0;
    memset(ledger->input, 0, bytes);
    memset(ledger->magnitude, 0, bytes);
    if (s->kind == PERP_SYSTEM_FIRST_ORDER) {
        memset(ledger->momentum, 0, bytes);
        return 0;
    }
    if (perp_system_mass_apply(ledger->momentum, s, s->q[PERP_GUESS], s->v[PERP_NOW]))
        return 1;
    for (int i = 0; has_mass_callback(s) && i < s->nv; i++) {
        double diagonal = fabs(s->matrix[(size_t)i * ((size_t)s->nv + 1)]);
        ledger->weight[i] = diagonal > 0.0 ? 1.0 / diagonal : 1.0;
    }
    return 0;
}

/* Squares of the residual, of the largest momentum or impulse, and of the largest impulse, of the
 * entries from to to - 1. */
typedef struct squares {
    double residual, scale, impulse, weight;
} squares;

static squares squares_of(const perp_system *s, int from, int to)
{
    const perp_ledger *l = &s->ledger;
    double momentum = 0.0, change = 0.0, driven = 0.0, input = 0.0;
    squares sum = {0.0, 0.0, 0.0, 0.0};
    for (int i = from; i < to; i++) {
        double r = l->change[i] - l->driven[i] - l->input[i], w = l->weight[i];
        sum.residual += r * r * w;
        momentum += l->momentum[i] * l->momentum[i] * w;
        change += l->change[i] * l->change[i] * w;
        driven += l->driven[i] * l->driven[i] * w;
        input += l->magnitude[i] * l->magnitude[i] * w;
        sum.weight = perp_larger(sum.weight, w);
    }
    sum.impulse = perp_larger(change, perp_larger(driven, input));
    sum.scale = perp_larger(momentum, sum.impulse);
    return sum;
}

/* What rounding makes of impulses that pass through to others: of what is light that may be much.
 */
static double carried(const perp_system *s, const squares *sum)
{
    return s->ledger.slack * sqrt(sum->weight * s->nv);
}

/* What the residual is above the tolerance of the scheme and rounding, over the impulses. */
static double excess(const perp_system *s, const squares *sum)
{
    const perp_ledger *l = &s->ledger;
    double allowed = (2.0 * l->tolerance + 64.0 * DBL_EPSILON) * sqrt(sum->scale) + carried(s, sum);
    double more = sqrt(sum->residual) - allowed;
    return more > 0.0 ? more / sqrt(sum->impulse) : 0.0;
}

double perp_certificate_rest(const perp_system *s, double h, int from, int to)
{
    double most = 0.0, weight = s->ledger.weight[from];
    int turn = s->kind == PERP_SYSTEM_BODY && from >= 3;
    for (int i = from; i < to; i++) {
        weight = weight < s->ledger.weight[i] ? weight : s->ledger.weight[i];
        if (!turn && i < s->nq)
            most = perp_larger(most, fabs(s->q[PERP_NOW][i]));
    }
    double speed =
        1024.0 * DBL_EPSILON * (turn ? 1.0 : perp_larger(most, s->ledger.half_width)) / h;
    return h > 0.0 && weight > 0.0 ? speed * speed / weight : 0.0;
}

/* still: perp_certificate_rest() of its translation. */
static void note_residual(perp_certificate *c, perp_system *s, double still)
{
    perp_ledger *l = &s->ledger;
    int body = s->kind == PERP_SYSTEM_BODY;
    squares move = squares_of(s, 0, body ? 3 : s->nv), turn = {0.0, 0.0, 0.0, 0.0};
    if (body)
        turn = squares_of(s, 3, 6);
    if (move.residual <= still || sqrt(move.residual) <= carried(s, &move))
        move.residual = 0.0;
    if (sqrt(turn.residual) <= carried(s, &turn) ||
        (turn.residual > 0.0 && turn.residual <= perp_certificate_rest(s, c->h, 3, 6)))
        turn.residual = 0.0;
    if (move.scale + turn.scale > l->scale * l->scale)
        l->scale = sqrt(move.scale + turn.scale);
    if (turn.scale > l->turning * l->turning)
        l->turning = sqrt(turn.scale);
    double value = 0.0, sum = move.residual + turn.residual;
    if (sum > 0.0) {
        value = sqrt(move.residual) / l->scale;
        value = perp_larger(value, excess(s, &move));
        if (turn.residual > 0.0) {
            value = perp_larger(value, sqrt(turn.residual) /
                                           perp_larger(l->turning, SMALL_PART * l->scale));
            turn.impulse = perp_larger(turn.impulse, SMALL_PART * SMALL_PART * move.impulse);
            turn.scale = perp_larger(turn.scale, SMALL_PART * SMALL_PART * move.scale);
            value = perp_larger(value, excess(s, &turn));
        }
    }
    perp_certificate_note(c, PERP_MEASURE_dynamics, isnan(sum) ? INFINITY : value, s, NULL);
}

/* Sine of half the angle between the turn of a body and exp(h omega). */
static double turn_defect(const double *p, const double *p_k, const double *turn)
{
    double angle = sqrt(turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2]);
    double x = 0.25 * angle * angle, c, f;
    if (angle < 0.2) { /* series: the rest is below rounding */
        c = 1.0 - x / 2.0 * (1.0 - x / 12.0 * (1.0 - x / 30.0 * (1.0 - x / 56.0)));
        f = 0.5 * (1.0 - x / 6.0 * (1.0 - x / 20.0 * (1.0 - x / 42.0 * (1.0 - x / 72.0))));
    } else {
        c = cos(0.5 * angle);
        f = sin(0.5 * angle) / angle;
    }
    double e[4] = {c, f * turn[0], f * turn[1], f * turn[2]};
    /* p_k o e against p. */
    double r[4] = {p_k[0] * e[0] - p_k[1] * e[1] - p_k[2] * e[2] - p_k[3] * e[3],
                   p_k[0] * e[1] + p_k[1] * e[0] + p_k[2] * e[3] - p_k[3] * e[2],
                   p_k[0] * e[2] - p_k[1] * e[3] + p_k[2] * e[0] + p_k[3] * e[1],
                   p_k[0] * e[3] + p_k[1] * e[2] - p_k[2] * e[1] + p_k[3] * e[0]};
    double less = 0.0, more = 0.0;
    for (int i = 0; i < 4; i++) {
        less += (r[i] - p[i]) * (r[i] - p[i]);
        more += (r[i] + p[i]) * (r[i] + p[i]);
    }
    return sqrt(less < more ? less : more);
}

/* What the mean velocity says of the move against the move. */
static void note_move(perp_certificate *c, const perp_system *s)
{
    const double *q = s->q[PERP_NOW], *q_k = s->q[PERP_START], *mean = s->ledger.mean;
    int body = s->kind == PERP_SYSTEM_BODY, n = body ? 3 : s->nv;
    double worst = 0.0, h = c->h;
    for (int i = 0; i < n; i++) {
        double error = fabs(q[i] - q_k[i] - h * mean[i]);
        double rounding = 16.0 * DBL_EPSILON * (fabs(q[i]) + fabs(q_k[i]));
        if (error <= rounding)
            continue;
        /* Ways that are nothing beside what the momentum makes of a step do not count. */
        double way =
            perp_larger(fabs(h * mean[i]), 1e-3 * h * s->ledger.scale * sqrt(s->ledger.weight[i]));
        worst = perp_larger(worst, isnan(error) ? INFINITY : (error - rounding) / way);
    }
    if (body) {
        double turn[3] = {h * mean[3], h * mean[4], h * mean[5]};
        double angle = sqrt(turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2]);
        int same =
            angle == 0.0 && q[3] == q_k[3] && q[4] == q_k[4] && q[5] == q_k[5] && q[6] == q_k[6];
        double error = same ? 0.0 : 2.0 * turn_defect(q + 3, q_k + 3, turn) - 64.0 * DBL_EPSILON;
        if (error > 0.0)
            worst = perp_larger(worst, error / perp_larger(angle, 1e-6));
    }
    perp_certificate_note(c, PERP_MEASURE_dynamics, worst, s, NULL);
}

/* Energies of constant forces and of -K q. */
typedef struct conservative {
    double work;      /* on the mean velocity, as the scheme weighs K q */
    double potential; /* change of the potential */
    double springs;   /* what theta alone makes of the two */
    double rounding;
} conservative;

static void linear_springs(conservative *e, perp_system *s, double h)
{
    const double *q = s->q[PERP_NOW], *q_k = s->q[PERP_START];
    perp_ledger *l = &s->ledger;
    double *force = l->magnitude, share = l->share, size = 0.0;
    const perp_mat *K = &s->as.lagrangian.K;
    size_t bytes = sizeof(double) * (size_t)s->nv;
    for (int i = 0; i < s->nv; i++)
        s->work[i] = 0.5 * (q[i] + q_k[i]);
    memset(force, 0, bytes);
    perp_system_add_product(force, K, s->work, 1.0);
    for (int i = 0; i < s->nv; i++) {
        e->potential += force[i] * (q[i] - q_k[i]);
        size += fabs(force[i]) * (fabs(q[i]) + fabs(q_k[i]));
    }
    e->rounding += size;
    for (int i = 0; i < s->nv; i++)
        s->work[i] = q[i] - q_k[i];
    memset(force, 0, bytes);
    perp_system_add_product(force, K, s->work, 1.0);
    for (int i = 0; i < s->nv; i++)
        e->springs += (0.5 - share) * force[i] * s->work[i];
    for (int i = 0; i < s->nv; i++)
        s->work[i] = share * q[i] + (1.0 - share) * q_k[i];
    memset(force, 0, bytes);
    perp_system_add_product(force, K, s->work, 1.0);
    for (int i = 0; i < s->nv; i++)
        e->work -= h * force[i] * l->mean[i];
}

static conservative conservative_part(perp_system *s, double h)
{
    conservative e = {0};
    int n = s->kind == PERP_SYSTEM_BODY ? 3 : s->nv;
    const double *q = s->q[PERP_NOW], *q_k = s->q[PERP_START];
    for (int i = 0; i < n; i++) {
        double F = s->constant[i];
        e.work += h * F * s->ledger.mean[i];
        e.potential -= F * (q[i] - q_k[i]);
        e.rounding += fabs(F) * (fabs(q[i]) + fabs(q_k[i]));
    }
    if (s->kind == PERP_SYSTEM_LAGRANGIAN && s->as.lagrangian.K.rows)
        linear_springs(&e, s, h);
    return e;
}

/* Energy to move a body against its forces by its size: what rests has no other scale, and an
 * overlap is compared with the size, too. */
static double lift_by_size(const perp_system *s, double h)
{
    const perp_ledger *l = &s->ledger;
    const double *f = l->driven;
    double size = l->size > 0.0 ? l->size : l->half_width;
    if (s->kind != PERP_SYSTEM_BODY || !(h > 0.0))
        return 0.0;
    return sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]) / h * size;
}

/* Works of the impulses along the places of a body, and of their moments along its attitude, of
 * which a quaternion has half the angles: of each the rounding is lost, where the step ends and
 * where it began, since both are doubles.  What joints hold still has no other rates. */
static double on_places(const perp_system *s, double h)
{
    const double *q = s->q[PERP_NOW], *q_k = s->q[PERP_START];
    double sum = 0.0;
    for (int i = 0; s->kind == PERP_SYSTEM_BODY && h > 0.0 && i < 6; i++)
        sum += s->ledger.magnitude[i] * (i < 3 ? fabs(q[i]) + fabs(q_k[i]) : 4.0);
    return sum > 0.0 ? sum / h : 0.0;
}

/* After note_residual(): `magnitude` is overwritten. */
static void add_energy(perp_certificate *c, perp_system *s, double still)
{
    const perp_ledger *l = &s->ledger;
    perp_certificate_step *step = &c->step;
    const double *v = s->v[PERP_NOW], *v_k = l->before;
    double change = 0.0, kinetic = 0.0, driven = 0.0, input = 0.0, size = 0.0, energy = 0.0;
    double least = 0.0;
    for (int i = 0; i < s->nv; i++) {
        change += l->mean[i] * l->change[i];
        kinetic += 0.5 * (v[i] + v_k[i]) * l->change[i];
        driven += l->mean[i] * l->driven[i];
        input += l->mean[i] * l->input[i];
        energy += 0.5 * v[i] * l->momentum[i];
        size += fabs(l->mean[i]) * (fabs(l->momentum[i]) + fabs(l->driven[i]) + l->magnitude[i]);
        least += 0.5 * l->driven[i] * l->driven[i] * l->weight[i];
    }
    least += lift_by_size(s, c->h) + still;
    conservative e = conservative_part(s, c->h);
    size += on_places(s, c->h);
    double missing = change + e.potential - e.springs - (driven - e.work) - input;
    step->kinetic += kinetic;
    step->potential += e.potential;
    step->forces += driven - e.work;
    step->inertial += l->inertial;
    step->balance += missing;
    step->floor += 8.0 * DBL_EPSILON * (size + e.rounding);
    step->energy += energy;
    step->least += least;
    perp_certificate_note(c, PERP_MEASURE_energy, fabs(missing), s, NULL);
    perp_certificate_note(c, PERP_MEASURE_rises, kinetic + e.potential - (driven - e.work), s,
                          NULL);
}

void perp_certificate_balance(perp_certificate *c, perp_system *s)
{
    double still = perp_certificate_rest(s, c->h, 0, perp_certificate_places(s));
    note_residual(c, s, still);
    if (s->kind == PERP_SYSTEM_FIRST_ORDER)
        return;
    if (!s->ledger.still)
        note_move(c, s);
    if (!s->ledger.staggered)
        add_energy(c, s, still);
    perp_certificate_add_momentum(s);
}

int perp_certificate_moved(perp_certificate *c, perp_system *s, int velocities)
{
    perp_ledger *l = &s->ledger;
    double energy = 0.0;
    if (velocities) {
        for (int i = 0; i < s->nv; i++)
            s->work[i] = s->v[PERP_NOW][i] - l->kept[i];
        if (perp_system_mass_apply(l->change, s, s->q[PERP_NOW], s->work))
            return 1;
        for (int i = 0; i < s->nv; i++)
            energy += 0.5 * (s->v[PERP_NOW][i] + l->kept[i]) * l->change[i];
        c->step.projected += energy;
        perp_certificate_note(c, PERP_MEASURE_velocity_stage, fabs(energy), s, NULL);
        return 0;
    }
    const double *q = s->q[PERP_NOW];
    int n = s->kind == PERP_SYSTEM_BODY ? 3 : s->nv;
    for (int i = 0; i < n; i++) {
        energy -= s->constant[i] * (q[i] - l->kept[i]);
        l->shifted = perp_larger(l->shifted, fabs(q[i] - l->kept[i]));
    }
    if (s->kind == PERP_SYSTEM_LAGRANGIAN && s->as.lagrangian.K.rows) {
        for (int i = 0; i < n; i++)
            s->work[i] = 0.5 * (q[i] + l->kept[i]);
        memset(l->change, 0, sizeof(double) * (size_t)n);
        perp_system_add_product(l->change, &s->as.lagrangian.K, s->work, 1.0);
        for (int i = 0; i < n; i++)
            energy += l->change[i] * (q[i] - l->kept[i]);
    }
    c->step.stage += energy;
    perp_certificate_note(c, PERP_MEASURE_position_stage, fabs(energy), s, NULL);
    return 0;
}

void perp_certificate_spin(perp_certificate *c, const perp_system *s)
{
    const double *w = s->kind == PERP_SYSTEM_BODY ? s->v[PERP_NOW] + 3 : NULL;
    if (w)
        perp_certificate_note(c, PERP_MEASURE_spin,
                              c->h * sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]), s, NULL);
}
