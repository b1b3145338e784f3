/* SPDX-License-Identifier: BSD-3-Clause */
/* From row to row: positions by velocities, momenta by forces and impulses. */
#include <math.h>
#include <string.h>

#include "scene/verify/space.h"
#include "scene/verify/verify_inside.h"

/* The scheme iterates to 1e-6 of the largest momentum where no joints are. */
static const double ITERATED = 5e-6;

static int follows_equations(const perp_verify_system *s)
{
    return s->plain &&
           (s->scheme == PERP_VERIFY_MOREAU_JEAN || s->scheme == PERP_VERIFY_EULER_MOREAU);
}

/* Its p and lambda are impulses of the whole step. */
static int gives_impulses(const perp_verify_system *s)
{
    return s->scheme == PERP_VERIFY_MOREAU_JEAN || s->scheme == PERP_VERIFY_DISCRETE_GRADIENT;
}

static void add_load(double *f, const perp_verify_load *load, const perp_verify_system *s,
                     const double *row, double value)
{
    double inside[3], moment[3];

    if (s->kind != PERP_VERIFY_BODY || load->n < 3) {
        for (int i = 0; i < s->nv && i < load->n; i++)
            f[i] += value * load->vector[i];
        return;
    }
    memcpy(inside, load->vector, sizeof inside);
    if (!load->own)
        space_turn_back(inside, row + s->q_at + 3, load->vector);
    space_cross(moment, load->point, inside);
    if (load->own)
        space_turn(inside, row + s->q_at + 3, load->vector);
    for (int i = 0; i < 3; i++) {
        f[i] += value * (load->own ? inside[i] : load->vector[i]);
        f[i + 3] += value * (moment[i] + (load->n == 6 ? load->vector[i + 3] : 0.0));
    }
}

/* f = forces at one end of a step, nv entries; 0 where they are not known here. */
static int force(double *f, const perp_verification *v, const perp_verify_system *s,
                 const double *row, double t)
{
    if (s->kind == PERP_VERIFY_OTHER || s->no_mass || s->springs || s->q_at < 0 ||
        (s->kind != PERP_VERIFY_FIRST_ORDER && s->v_at < 0))
        return 0;
    if (s->kind == PERP_VERIFY_BODY) {
        const double *w = row + s->v_at + 3;
        double spin[3];
        for (int i = 0; i < 3; i++)
            spin[i] = s->inertia[i] * w[0] + s->inertia[i + 3] * w[1] + s->inertia[i + 6] * w[2];
        space_cross(spin, w, spin);
        for (int i = 0; i < 3; i++) {
            f[i] = s->force[i];
            f[i + 3] = s->moment[i] - spin[i];
        }
    } else {
        for (int i = 0; i < s->nv; i++) {
            f[i] = s->F[i];
            for (int j = 0; j < s->nv && s->K != NULL; j++)
                f[i] -= s->K[i + j * s->nv] * row[s->q_at + j];
            for (int j = 0; j < s->nv && s->C != NULL && s->v_at >= 0; j++)
                f[i] -= s->C[i + j * s->nv] * row[s->v_at + j];
        }
    }
    if (s->rods == 1)
        f[0] -= s->bob[0] * s->weight * s->rod[0] * sin(row[s->q_at]);
    if (!perp_verify_spring_force(f, v, s, row))
        return 0;
    for (const perp_verify_load *load = s->loads; load != NULL; load = load->next)
        add_load(f, load, s, row, perp_verify_function(load->at, t));
    return 1;
}

/* out = M x. */
static void mass_times(double *out, const perp_verify_system *s, const double *x)
{
    for (int i = 0; i < s->nv; i++) {
        out[i] = 0.0;
        if (s->kind == PERP_VERIFY_BODY && i < 3)
            out[i] = s->mass * x[i];
        for (int j = 0; s->kind == PERP_VERIFY_BODY && i >= 3 && j < 3; j++)
            out[i] += s->inertia[i - 3 + 3 * j] * x[j + 3];
        for (int j = 0; s->kind != PERP_VERIFY_BODY && j < s->nv; j++)
            out[i] += (s->M != NULL ? s->M[i + j * s->nv] : (double)(i == j)) * x[j];
    }
}

/* Largest entry. */
static double largest(const double *x, int n)
{
    double most = 0.0;

    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(x[i]));
    return most;
}

/* change: M (x1 - x0) - h theta f1 - h (1 - theta) f0, what the interactions gave; in work of 6 nv.
 */
static int momentum_change(double *work, const perp_verification *v, const perp_verify_system *s,
                           double *scale)
{
    int n = s->nv, at = s->kind == PERP_VERIFY_FIRST_ORDER ? s->q_at : s->v_at;
    double *f0 = work + n, *f1 = work + 2 * n, *end = work + 3 * n, *start = work + 4 * n;

    if (at < 0 || !force(f0, v, s, v->before, v->t - v->h) || !force(f1, v, s, v->now, v->t))
        return 0;
    mass_times(end, s, v->now + at);
    mass_times(start, s, v->before + at);
    for (int i = 0; i < n; i++)
        work[i] = end[i] - start[i] - v->h * (s->theta * f1[i] + (1.0 - s->theta) * f0[i]);
    *scale =
        fmax(fmax(largest(end, n), largest(start, n)), v->h * fmax(largest(f0, n), largest(f1, n)));
    return 1;
}

/* Entries of the momentum whose force is known, whatever the scheme takes it at: all of a system
 * with coordinates that nothing touches, where the ends of the step are weighed by theta, else
 * those of constant forces: all, the translation of a body, or none. */
static int known_entries(const perp_verification *v, const perp_verify_system *s)
{
    if (s->kind == PERP_VERIFY_LINEAR && s->interactions == 0 && !s->near)
        return s->nv;
    if (s->kind == PERP_VERIFY_FIRST_ORDER || s->loads != NULL || s->rods > 0 ||
        perp_verify_has_springs(v, s, 0))
        return 0;
    if (s->kind != PERP_VERIFY_BODY)
        return s->K == NULL && s->C == NULL ? s->nv : 0;
    for (int i = 0; i < 9; i++)
        if (fabs(s->inertia[i] - (i % 4 == 0 ? s->inertia[0] : 0.0)) > 1e-14 * s->inertia[0])
            return 3;
    return 6;
}

static void check_dynamics(perp_verification *v, perp_verify_system *s, const double *change,
                           double scale)
{
    double worst = 0.0, factor = s->kind == PERP_VERIFY_FIRST_ORDER ? v->h : 1.0;
    int count = follows_equations(s)                                     ? s->nv
                : s->plain && s->scheme == PERP_VERIFY_DISCRETE_GRADIENT ? known_entries(v, s)
                                                                         : 0;

    if (count < s->nv)
        perp_verify_leave_out(v, PERP_VERIFY_DYNAMICS,
                              "the scheme of '%s' takes forces where no row is", s->name);
    if (s->p_at < 0)
        perp_verify_leave_out(v, PERP_VERIFY_DYNAMICS, "no p of '%s'", s->name);
    if (s->p_at < 0 || count == 0)
        return;
    for (int i = 0; i < count; i++) {
        double p = factor * v->now[s->p_at + i];
        worst = fmax(worst, fabs(change[i] - p));
        scale = fmax(scale, fabs(p));
    }
    worst = fmax(0.0, worst - 2.0 * v->newton_tol);
    if (!follows_equations(s)) /* of what goes through it, too */
        worst = fmax(0.0, worst - ITERATED * fmax(scale, fmax(v->most_momentum, s->strength)));
    perp_verify_note(v, PERP_VERIFY_DYNAMICS, scale > 0.0 ? worst / scale : 0.0, "%s", s->name);
}

/* Largest |q1 - (q0 moved by h u)|, u a twist, of which so much of a turn is allowed. */
static double distance_from(const perp_verify_system *s, const double *q1, const double *q0,
                            const double *u, double h, double allowed)
{
    double worst = 0.0, end[4], w[3];

    for (int i = 0; i < (s->kind == PERP_VERIFY_BODY ? 3 : s->nq); i++)
        worst = fmax(worst, fabs(q1[i] - q0[i] - h * u[i]));
    if (s->kind != PERP_VERIFY_BODY)
        return worst;
    for (int i = 0; i < 3; i++)
        w[i] = h * u[i + 3];
    space_move(end, q0 + 3, w);
    double same = 0.0, turned = 0.0;
    for (int i = 0; i < 4; i++) {
        same = fmax(same, fabs(q1[i + 3] - end[i]));
        turned = fmax(turned, fabs(q1[i + 3] + end[i]));
    }
    return fmax(worst, fmin(same, turned) - allowed);
}

/* The two others have their sum. */
double perp_verify_least_inertia(const double *J)
{
    double trace = J[0] + J[4] + J[8], minors[3];
    space_cross(minors, J + 3, J + 6);
    return trace > 0.0 ? fmax(0.0, 4.0 * space_dot(J, minors) / (trace * trace)) : 0.0;
}

/* Joints are closed and slips of contacts stopped on velocities at the end of a step, which takes
 * energy: the most by which the velocity in the row is not the one that moved the body, of this
 * mass or inertia. */
static double stopped_way(const perp_verification *v, const perp_verify_system *s, double mass)
{
    double taken = v->energy_at >= 0 ? v->before[v->energy_at] - v->now[v->energy_at] : 0.0;
    if (s->scheme != PERP_VERIFY_DISCRETE_GRADIENT || !(s->near || s->interactions > 0) ||
        !(taken > 0.0))
        return 0.0;
    return mass > 0.0 ? v->h * s->theta * sqrt(2.0 * taken / mass) : HUGE_VAL;
}

static double least_width(const perp_verify_system *s)
{
    double least = INFINITY;
    for (int k = 0; k < s->nshapes; k++)
        least = fmin(least, s->shapes[k].least);
    return least;
}

/* How far forces move a body in a step. */
static double way_of_forces(const perp_verification *v, const perp_verify_system *s)
{
    double force = s->planar ? hypot(s->F[0], s->F[1]) : space_length(s->force);
    return v->h * v->h * force / s->mass;
}

/* Corrections of positions go where the gap opens, which is far where bodies are wedged: so many
 * times the overlap, but not further than forces move a body in a step.  Turns of what is round
 * open no gap, and may be as large. */
static double wedged_way(const perp_verification *v, const perp_verify_system *s)
{
    static const double WEDGED = 1e4;
    int corrects = s->scheme == PERP_VERIFY_DISCRETE_GRADIENT && s->near;
    return corrects ? fmin(WEDGED * v->overlaps, way_of_forces(v, s)) : 0.0;
}

static double wedged_turn(const perp_verification *v, const perp_verify_system *s)
{
    int corrects = s->scheme == PERP_VERIFY_DISCRETE_GRADIENT && s->near;
    return corrects ? way_of_forces(v, s) / least_width(s) : 0.0;
}

/* What a body in contact may have moved beside its velocities; in the plane with its angle, which
 * is a coordinate. */
static double corrected_way(const perp_verification *v, const perp_verify_system *s)
{
    if (!s->near || !(s->planar || s->kind == PERP_VERIFY_BODY))
        return 0.0;
    if (!s->planar)
        return stopped_way(v, s, s->mass) + wedged_way(v, s);
    return stopped_way(v, s, fmin(s->mass, s->M[8])) + fmax(wedged_way(v, s), wedged_turn(v, s));
}

/* By the mean velocity; other schemes may leave it by what the velocity changed, and a body that
 * nothing touches moves along the mean under every scheme but for the turning of its axis. */
static void check_positions(perp_verification *v, const perp_verify_system *s, const char *open,
                            double *work)
{
    const double *q0 = v->before + s->q_at, *q1 = v->now + s->q_at;
    const double *v0 = v->before + s->v_at, *v1 = v->now + s->v_at;
    double scale = 1e-300, turn = 0.0, slack = 0.0;

    if (s->q_at < 0 || s->v_at < 0 || s->nq == 0) {
        perp_verify_leave_out(v, PERP_VERIFY_POSITIONS, "no q or v of '%s'", s->name);
        return;
    }
    for (int i = 0; i < s->nv; i++) {
        work[i] = s->theta * v1[i] + (1.0 - s->theta) * v0[i];
        turn = fmax(turn, fabs(v1[i] - v0[i]));
        scale = fmax(scale, v->h * fmax(fabs(v0[i]), fabs(v1[i])));
    }
    for (int i = 0; i < s->nq; i++)
        scale = fmax(scale, fmax(fabs(q0[i]), fabs(q1[i])));
    int exact = s->plain && s->scheme == PERP_VERIFY_MOREAU_JEAN;
    int corrected = !exact && (s->near || s->interactions > 0);
    if (corrected && perp_verify_moves_unseen(v, s, open, scale))
        return;
    if (corrected) /* overlaps are taken away on positions */
        slack = v->h * v->fastest + v->overlaps + corrected_way(v, s);
    if (!exact)
        slack += 1.01 * v->h * (turn + perp_verify_struck_rate(v, s)) + 1e-6 * scale;
    if (s->scheme == PERP_VERIFY_DISCRETE_GRADIENT && s->plain && s->interactions == 0 &&
        !s->near && (!v->has_contacts || v->has_contact_file) && known_entries(v, s) == s->nv)
        slack = 0.0; /* nothing moves it but forces */
    double inertia = s->kind == PERP_VERIFY_BODY ? perp_verify_least_inertia(s->inertia) : 0.0;
    double turned = stopped_way(v, s, inertia) + 1.01 * v->h * perp_verify_struck_turn(v, s);
    if (corrected)
        turned += v->overlap_parts;
    if (corrected && s->kind == PERP_VERIFY_BODY)
        turned += wedged_turn(v, s);
    perp_verify_note(v, PERP_VERIFY_POSITIONS,
                     fmax(0.0, distance_from(s, q1, q0, work, v->h, turned) - slack) / scale, "%s",
                     s->name);
}

/* The group of a system, by its chain of representatives. */
int perp_verify_group(const perp_verification *v, int k)
{
    while (v->systems[k]->group != k)
        k = v->systems[k]->group;
    return k;
}

static int number_of(const perp_verification *v, const perp_verify_system *s)
{
    int k = 0;

    while (k < v->nsystems && v->systems[k] != s)
        k++;
    return k;
}

static void join(perp_verification *v, perp_verify_system *a, perp_verify_system *b)
{
    if (a == NULL || b == NULL || a->fixed || b->fixed || a->motion || b->motion) {
        if (a != NULL)
            a->world = 1;
        if (b != NULL)
            b->world = 1;
        return;
    }
    int i = perp_verify_group(v, number_of(v, a)), j = perp_verify_group(v, number_of(v, b));
    v->systems[i]->group = j;
}

static void add_strength(perp_verify_system *s, double size)
{
    if (s == NULL || s->fixed || s->motion || size == 0.0)
        return;
    s->strength += size;
    s->acting++;
}

/* Size of the force on the centre of mass that a relation of unit rows gives; -1: not known. */
static double strength_of(const perp_verification *v, const perp_verify_interaction *i,
                          const double *lambda)
{
    if (i->screw)
        return -1.0;
    switch (i->relation) {
    case PERP_VERIFY_PLANAR:
        return fabs(lambda[0]);
    case PERP_VERIFY_POINT:
    case PERP_VERIFY_PIVOT:
    case PERP_VERIFY_FIXED:
        return space_length(lambda);
    case PERP_VERIFY_UNIVERSAL:
        return space_length(lambda);
    case PERP_VERIFY_PRISMATIC:
    case PERP_VERIFY_CYLINDRICAL:
        return hypot(lambda[0], lambda[1]);
    case PERP_VERIFY_ANGLE:
        return 0.0;
    case PERP_VERIFY_SLIDE:
        return fabs(lambda[0]) * (i->law == PERP_VERIFY_RELAY ? v->h : 1.0);
    case PERP_VERIFY_DISTANCE:
        return fabs(lambda[0]);
    case PERP_VERIFY_SPHERE_PLANE:
    case PERP_VERIFY_SPHERE_SPHERE:
        return i->rows == 3 ? space_length(lambda) : fabs(lambda[0]);
    default:
        return -1.0;
    }
}

/* By how much an impulse on a body that turns so fast may leave the direction of a plane: of the
 * scheme's mean of the normal, which closes the gap to the last digit, by a second power.  The
 * place where a flat ellipsoid touches runs ahead of its turn by the ratio of its axes. */
static double leaning(const perp_verification *v, const perp_verify_system *s)
{
    if (s->kind != PERP_VERIFY_BODY || s->v_at < 0 || s->scheme == PERP_VERIFY_MOREAU_JEAN ||
        s->form == PERP_VERIFY_SPHERE) /* whose turns change no gap */
        return 0.0;
    double turn =
        v->h * fmax(space_length(v->before + s->v_at + 3), space_length(v->now + s->v_at + 3));
    double ratio = 1.0;
    for (int k = 0; k < s->nshapes; k++) {
        const double *r = s->shapes[k].size;
        if (s->shapes[k].form == PERP_VERIFY_ELLIPSOID)
            ratio = fmax(ratio, fmax(r[0], fmax(r[1], r[2])) / fmin(r[0], fmin(r[1], r[2])));
    }
    turn *= ratio;
    return fmin(turn * turn / 16.0, 1.0);
}

/* Normal impulses add up as vectors; tangential ones in unknown directions.  A normal between two
 * bodies turned since the impulse was found, that of a plane hardly did. */
static void push(const perp_verification *v, const perp_verify_contact *c)
{
    perp_verify_system *pair[2] = {c->first, c->second};
    double turned = 0.0;

    if (pair[0] == NULL || pair[1] == NULL)
        return;
    if (pair[0]->form != PERP_VERIFY_PLANE && pair[1]->form != PERP_VERIFY_PLANE)
        turned = 4.0 * v->h * v->fastest / fmin(pair[0]->size[0], pair[1]->size[0]);
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < 3; i++)
            pair[k]->pushed[i] += (k == 0 ? c->lambda[0] : -c->lambda[0]) * c->normal[i];
        pair[k]->rubbed += hypot(c->lambda[1], c->lambda[2]) + fmin(turned, 2.0) * c->lambda[0];
        pair[k]->blur += leaning(v, pair[k]) * space_length(c->lambda);
        if (turned > 0.0 && pair[k]->scheme != PERP_VERIFY_MOREAU_JEAN)
            pair[k]->blur += fmin(turned + 2e-3, 2.0) * space_length(c->lambda);
    }
}

/* What acts on each system in this row: the groups that touch, and how strongly. */
static void gather(perp_verification *v)
{
    for (int k = 0; k < v->nsystems; k++) {
        perp_verify_system *s = v->systems[k];
        s->group = k;
        s->world = s->touches_world;
        s->strength = s->struck = s->rubbed = s->blur = s->reach = 0.0;
        memset(s->pushed, 0, sizeof s->pushed);
        s->acting = s->unbounded = s->near = 0;
    }
    for (int k = 0; k < v->ninteractions; k++) {
        const perp_verify_interaction *i = &v->interactions[k];
        double size =
            i->lambda_at >= 0 && i->rows > 0 ? strength_of(v, i, v->now + i->lambda_at) : -1.0;
        for (int n = 0; n < 2; n++)
            if (i->system[n] != NULL)
                i->system[n]->reach = fmax(i->system[n]->reach, space_length(i->arm[n]));
        for (int n = 0; n < i->nsystems; n++) {
            i->systems[n]->unbounded |= size < 0.0;
            add_strength(i->systems[n], fmax(size, 0.0));
            if (i->law != PERP_VERIFY_EQUALITY)
                i->systems[n]->struck += fmax(size, 0.0);
            if (n > 0)
                join(v, i->systems[0], i->systems[n]);
        }
    }
    for (int k = 0; k < v->ncontacts; k++) {
        const perp_verify_contact *c = &v->contacts[k];
        double size = space_length(c->lambda);
        for (int n = 0; n < 2; n++) {
            perp_verify_system *s = n == 0 ? c->first : c->second;
            if (s != NULL)
                s->near = 1;
        }
        if (size == 0.0)
            continue;
        join(v, c->first, c->second);
        add_strength(c->first, size);
        add_strength(c->second, size);
        push(v, c);
    }
}

static void check_impulses(perp_verification *v, const perp_verify_system *s)
{
    double size = sqrt(space_dot(s->impulse, s->impulse));
    double scale = fmax(fmax(size, s->strength), s->momentum);
    int exact = s->scheme == PERP_VERIFY_MOREAU_JEAN;

    if (!s->impulse_known || s->unbounded || (s->jointed && !exact) || !gives_impulses(s) ||
        (v->has_contacts && !v->has_contact_file)) {
        perp_verify_leave_out(v, PERP_VERIFY_IMPULSES,
                              "multipliers or the momentum of '%s' are not in the files", s->name);
        return;
    }
    double excess = s->acting == 1 ? fabs(size - s->strength) : fmax(0.0, size - s->strength);
    /* Directions that turn are means over the step there. */
    if (!exact)
        excess = fmax(0.0, excess - s->blur - (s->interactions > 0 ? 1e-3 * s->strength : 0.0));
    if (s->interactions == 0) {
        double rest[3];
        for (int i = 0; i < 3; i++)
            rest[i] = s->impulse[i] - s->pushed[i];
        excess = fmax(excess, space_length(rest) - s->rubbed - s->blur);
    }
    if (!exact)
        excess -= ITERATED * scale;
    perp_verify_note(v, PERP_VERIFY_IMPULSES, scale > 0.0 ? fmax(0.0, excess) / scale : 0.0, "%s",
                     s->name);
}

/* Of a group: its impulse, size, whether something is not known, what is rest. */
enum { GROUP = 6 };

static void check_momentum(perp_verification *v, double *sums)
{
    memset(sums, 0, GROUP * (size_t)v->nsystems * sizeof *sums);
    for (int k = 0; k < v->nsystems; k++) {
        const perp_verify_system *s = v->systems[k];
        if (s->fixed || s->motion || s->kind == PERP_VERIFY_FIRST_ORDER)
            continue;
        double *of = sums + GROUP * perp_verify_group(v, k);
        of[4] += s->world || !s->impulse_known || !gives_impulses(s) ||
                 (v->has_contacts && !v->has_contact_file);
        for (int i = 0; i < 3; i++)
            of[i] += s->impulse[i];
        of[3] += space_length(s->impulse) + s->momentum;
        of[5] += s->mass * v->still;
    }
    for (int k = 0; k < v->nsystems; k++) {
        const double *of = sums + GROUP * k;
        if (of[4] == 0.0 && of[3] > 0.0)
            perp_verify_note(v, PERP_VERIFY_MOMENTUM, fmax(0.0, space_length(of) - of[5]) / of[3],
                             "the group of %s", v->systems[k]->name);
    }
}

/* The momentum that interactions gave: recorded, or what forces leave of the change. */
static void set_impulse(perp_verification *v, perp_verify_system *s, double *work)
{
    double scale = 0.0;

    s->impulse_known = 0;
    memset(s->impulse, 0, sizeof s->impulse);
    if (!momentum_change(work, v, s, &scale)) {
        perp_verify_leave_out(v, PERP_VERIFY_DYNAMICS, "forces or the state of '%s' are not known",
                              s->name);
        return;
    }
    check_dynamics(v, s, work, scale);
    if (s->kind != PERP_VERIFY_BODY && !s->planar)
        return;
    for (int i = 0; i < (s->planar ? 2 : 3); i++)
        s->impulse[i] = gives_impulses(s) && s->p_at >= 0 ? v->now[s->p_at + i] : work[i];
    s->momentum = fmax(s->mass * largest(v->now + s->v_at, s->planar ? 2 : 3),
                       s->mass * largest(v->before + s->v_at, s->planar ? 2 : 3));
    s->impulse_known = s->loads == NULL || s->scheme == PERP_VERIFY_MOREAU_JEAN;
}

void perp_verify_motion(perp_verification *v)
{
    size_t most = GROUP * (size_t)v->nsystems + 8;
    double *work;

    if (v->row == 0)
        return;
    if (!v->every_step || v->instants >= 0) {
        for (int id = PERP_VERIFY_POSITIONS; id <= PERP_VERIFY_SPIN; id++)
            perp_verify_leave_out(v, (enum perp_verify_id)id,
                                  "two rows are not one step of the scene apart");
        return;
    }
    if (v->halvings_at >= 0 && v->now[v->halvings_at] > 0.0) {
        for (int id = PERP_VERIFY_POSITIONS; id <= PERP_VERIFY_SPIN; id++)
            perp_verify_leave_out(v, (enum perp_verify_id)id,
                                  "row %ld, t = %.10g: the step was halved, its impulses are those "
                                  "of the last part",
                                  v->row, v->t);
        return;
    }
    for (int k = 0; k < v->nsystems; k++)
        most = 6 * (size_t)v->systems[k]->nv > most ? 6 * (size_t)v->systems[k]->nv : most;
    if (v->work_capacity < most) {
        v->work = perp_verify_take(v, most, sizeof *v->work);
        v->work_capacity = v->work != NULL ? most : 0;
    }
    work = v->work;
    if (work == NULL)
        return;
    v->fastest = v->most_momentum = 0.0;
    v->blind = 0;
    double place = 1.0; /* of a quaternion */
    for (int k = 0; k < v->nsystems; k++) {
        const perp_verify_system *s = v->systems[k];
        v->blind |= !s->fixed && !s->motion && s->v_at < 0 && s->kind != PERP_VERIFY_FIRST_ORDER;
        if (!s->fixed && s->v_at >= 0)
            v->fastest = fmax(v->fastest, fmax(largest(v->now + s->v_at, s->nv),
                                               largest(v->before + s->v_at, s->nv)));
        if (!s->fixed && s->q_at >= 0)
            place = fmax(place, largest(v->now + s->q_at, s->nq));
        if (!s->fixed && s->v_at >= 0 && (s->kind == PERP_VERIFY_BODY || s->planar))
            v->most_momentum = fmax(
                v->most_momentum, s->mass * fmax(largest(v->now + s->v_at, s->planar ? 2 : 3),
                                                 largest(v->before + s->v_at, s->planar ? 2 : 3)));
    }
    v->still = perp_verify_rest(v, place);
    gather(v);
    for (int k = 0; k < v->nsystems; k++) {
        perp_verify_system *s = v->systems[k];
        if (s->fixed || s->motion)
            continue;
        set_impulse(v, s, work);
        if (s->kind == PERP_VERIFY_FIRST_ORDER)
            continue;
        check_positions(v, s, perp_verify_violated(v), work);
        if (s->kind == PERP_VERIFY_BODY || s->planar)
            check_impulses(v, s);
    }
    perp_verify_inputs(v);
    check_momentum(v, work);
    perp_verify_spin(v);
}
