/* SPDX-License-Identifier: BSD-3-Clause */
/* The stages of impacts of a step, from the velocities of the row before: that their impulses make
 * the velocities that the lines tell, their laws, and that none is missing. */
#include <math.h>
#include <string.h>

#include "scene/verify/impacts.h"
#include "scene/verify/space.h"

/* Rates are told with those that forces make of them within the step: to so much of it. */
static const double OF_FORCES = 2.0;
/* Of the tolerance of the solver and the largest rate of the stages before. */
static const double LEFT_OF_STAGES = 10.0;

/* v' and what it changes by in a stage; `unclear` where impulses act on it that no line tells. */
static void begin_system(perp_verification *v, perp_verify_system *s)
{
    s->unclear = s->fixed || s->motion || s->jointed || s->no_mass || s->v_at < 0 ||
                 s->scheme != PERP_VERIFY_DISCRETE_GRADIENT ||
                 (s->kind != PERP_VERIFY_BODY && s->kind != PERP_VERIFY_LINEAR);
    if (s->unclear)
        return;
    if (s->flying == NULL) { /* and work for M x = p */
        size_t n = (size_t)s->nv;
        s->flying = perp_verify_take(v, 3 * n + n * (n + 1), sizeof *s->flying);
    }
    if (s->flying == NULL)
        return;
    memcpy(s->flying, v->before + s->v_at, (size_t)s->nv * sizeof *s->flying);
    memset(s->flying + s->nv, 0, 2 * (size_t)s->nv * sizeof *s->flying);
}

/* x = A^-1 x by elimination; A, n x n column-major, is overwritten. */
static int solve(double *A, double *x, int n)
{
    for (int k = 0; k < n; k++) {
        int p = k;
        for (int i = k + 1; i < n; i++)
            p = fabs(A[i + k * n]) > fabs(A[p + k * n]) ? i : p;
        if (A[p + k * n] == 0.0)
            return 0;
        for (int j = k; j < n && p != k; j++) {
            double other = A[k + j * n];
            A[k + j * n] = A[p + j * n];
            A[p + j * n] = other;
        }
        double other = x[k];
        x[k] = x[p];
        x[p] = other;
        for (int i = k + 1; i < n; i++) {
            double part = A[i + k * n] / A[k + k * n];
            for (int j = k; j < n; j++)
                A[i + j * n] -= part * A[k + j * n];
            x[i] -= part * x[k];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++)
            x[k] -= A[k + j * n] * x[j];
        x[k] /= A[k + k * n];
    }
    return 1;
}

/* Place and orientation of a body at the part `at` of its free motion. */
static void pose_at(const perp_verification *v, const perp_verify_system *s, double at, double *x,
                    double *Q)
{
    const double *q = v->before + s->q_at, *u = v->before + s->v_at;
    double w[3];

    for (int k = 0; k < 3; k++) {
        x[k] = q[k] + at * v->h * u[k];
        w[k] = at * v->h * u[k + 3];
    }
    space_move(Q, q + 3, w);
}

/* A wrench at a point, as a change of velocity: into `out` of 6. */
static void push_body(const perp_verification *v, const perp_verify_system *s, double at,
                      const double *point, const double *force, const double *moment, double *out)
{
    double x[3], Q[4], arm[3], turn[3], J[9];

    pose_at(v, s, at, x, Q);
    for (int k = 0; k < 3; k++)
        arm[k] = point[k] - x[k];
    space_cross(turn, arm, force);
    for (int k = 0; k < 3; k++)
        turn[k] += moment[k];
    space_turn_back(turn, Q, turn);
    memcpy(J, s->inertia, sizeof J);
    solve(J, turn, 3);
    for (int k = 0; k < 3; k++) {
        out[k] += force[k] / s->mass;
        out[k + 3] += turn[k];
    }
}

/* out += sign times the velocity of its point by the twist u. */
static void point_velocity(const perp_verification *v, const perp_verify_system *s, double at,
                           const double *point, const double *u, double sign, double *out)
{
    double x[3], Q[4], arm[3], w[3];

    pose_at(v, s, at, x, Q);
    for (int k = 0; k < 3; k++)
        arm[k] = point[k] - x[k];
    space_turn(w, Q, u + 3);
    space_cross(w, w, arm);
    for (int k = 0; k < 3; k++)
        out[k] += sign * (u[k] + w[k]);
}

static int is_known(const perp_verify_system *s)
{
    return perp_verify_stands(s) || (!s->unclear && s->flying != NULL);
}

static int has_known_points(const perp_verify_system *s)
{
    return (perp_verify_stands(s) || s->kind == PERP_VERIFY_BODY) && is_known(s) &&
           !(s && s->surface);
}

/* The rates of a line follow from velocities: of points, and of relations by matrices. */
static int has_rates(const perp_verify_impact *i)
{
    if (i->is_point)
        return has_known_points(i->first) && has_known_points(i->second) &&
               (i->interaction == NULL || i->interaction->nsystems <= 2);
    if (i->interaction == NULL || i->interaction->relation != PERP_VERIFY_MATRIX ||
        i->interaction->moving)
        return 0;
    for (int k = 0; k < i->interaction->nsystems; k++)
        if (!is_known(i->interaction->systems[k]) || perp_verify_stands(i->interaction->systems[k]))
            return 0;
    return 1;
}

/* The part `which` of `flying` of each system as rates: 0: v', 1: its change, 2: the whole. */
static void rates_of(const perp_verification *v, const perp_verify_impact *i, int which,
                     double *out)
{
    const perp_verify_interaction *own = i->interaction;
    int column = 0;

    memset(out, 0, 3 * sizeof *out);
    if (i->is_point) {
        if (!perp_verify_stands(i->first))
            point_velocity(v, i->first, i->at, i->point_a, i->first->flying + which * i->first->nv,
                           1.0, out);
        if (!perp_verify_stands(i->second))
            point_velocity(v, i->second, i->at, i->point_b,
                           i->second->flying + which * i->second->nv, -1.0, out);
        return;
    }
    for (int k = 0; k < own->nsystems; k++) {
        const perp_verify_system *s = own->systems[k];
        for (int j = 0; j < s->nv; j++, column++)
            for (int r = 0; r < i->rows && r < 3; r++)
                out[r] += own->C[i->relation * i->rows + r + column * own->rows] *
                          s->flying[which * s->nv + j];
    }
}

static void push_point(perp_verification *v, const perp_verify_impact *i, int known)
{
    perp_verify_system *pair[2] = {i->first, i->second};

    for (int k = 0; k < 2; k++) {
        perp_verify_system *s = pair[k];
        double sign = k == 0 ? 1.0 : -1.0, force[3], moment[3];
        if (perp_verify_stands(s) || s->unclear)
            continue;
        s->unclear = !known;
        for (int m = 0; m < 3; m++) {
            force[m] = sign * i->impulse[m];
            moment[m] = sign * i->moment[m];
        }
        if (known)
            push_body(v, s, i->at, k == 0 ? i->point_a : i->point_b, force, moment,
                      s->flying + s->nv);
    }
}

/* The impulse of a line goes into the changes of its systems; those whose change it does not tell
 * are unclear from here on. */
static void push(perp_verification *v, const perp_verify_impact *i)
{
    const perp_verify_interaction *own = i->interaction;
    int column = 0, known = has_rates(i);

    if (i->is_point) {
        push_point(v, i, known);
        return;
    }
    perp_verify_system *pair[2] = {i->first, i->second};
    for (int k = 0; k < 2 && own == NULL; k++)
        if (!perp_verify_stands(pair[k]))
            pair[k]->unclear = 1;
    for (int k = 0; own != NULL && k < own->nsystems; k++) {
        perp_verify_system *s = own->systems[k];
        int n = s->nv;
        if (!known) {
            s->unclear = 1;
            continue;
        }
        double *p = s->flying + 3 * n, *A = p + n;
        for (int j = 0; j < n; j++, column++) {
            p[j] = 0.0;
            for (int r = 0; r < i->rows && r < 3; r++)
                p[j] += own->C[i->relation * i->rows + r + column * own->rows] * i->impulse[r];
        }
        for (int j = 0; j < n * n; j++)
            A[j] = s->M != NULL ? s->M[j] : (double)(j % (n + 1) == 0);
        s->unclear |= !solve(A, p, n);
        for (int j = 0; !s->unclear && j < n; j++)
            s->flying[n + j] += p[j];
    }
}

/* The change of each system goes where `to` says: 0: v', and the whole; 2: the whole alone. */
static void take_changes(perp_verification *v, int to)
{
    for (int k = 0; k < v->nsystems; k++) {
        perp_verify_system *s = v->systems[k];
        for (int j = 0; !s->unclear && s->flying != NULL && j < s->nv; j++) {
            if (to == 0)
                s->flying[j] += s->flying[s->nv + j];
            else
                s->flying[2 * s->nv + j] += s->flying[s->nv + j];
            s->flying[s->nv + j] = 0.0;
        }
    }
}

/* A contact of the plane that was detected, with rolling friction: its third row is a turn. */
static int has_turn(const perp_verify_impact *i)
{
    return i->interaction == NULL && !i->is_point && i->rows == 3;
}

/* Coefficients of a line: e, e_t, mu, rolling; 0: they are not known here. */
static int law_of(const perp_verification *v, const perp_verify_impact *i, double law[4])
{
    const char *material[2];
    double all[4];

    if (i->interaction != NULL) {
        law[0] = i->interaction->e;
        law[1] = i->interaction->e_t;
        law[2] = i->interaction->mu;
        law[3] = 0.0;
        return !i->interaction->gives;
    }
    if (i->first == NULL || i->second == NULL || v->soft || v->gives)
        return 0;
    for (int k = 0; k < 2; k++) {
        const perp_verify_system *s = k == 0 ? i->first : i->second;
        int shape = i->shape[k];
        material[k] = shape >= 0 && shape < s->nshapes ? s->shapes[shape].material : s->material;
    }
    perp_verify_material(v, material[0], material[1], all);
    law[0] = all[0];
    law[1] = 0.0;
    law[2] = all[1];
    law[3] = all[2];
    return 1;
}

/* Its normal part, and what is left but for a turn. */
static double split(const perp_verify_impact *i, const double *vector, double *slip)
{
    double along = i->is_point ? space_dot(i->normal, vector) : vector[0];

    for (int k = 0; k < 3; k++)
        slip[k] = i->is_point ? vector[k] - along * i->normal[k] : k > 0 ? vector[k] : 0.0;
    if (has_turn(i))
        slip[2] = 0.0;
    return along;
}

/* The line of the same contact in the stage `later` after that of i, and of this law; NULL: none.
 */
static const perp_verify_impact *partner_of(const perp_verification *v, const perp_verify_impact *i,
                                            int later, perp_verify_impact_law law)
{
    for (const perp_verify_impact *at = v->impacts; at < v->impacts + v->nimpacts; at++)
        if (at->stage == i->stage + later && at->law == law && at->interaction == i->interaction &&
            at->relation == i->relation && at->first == i->first && at->second == i->second &&
            at->shape[0] == i->shape[0] && at->shape[1] == i->shape[1] && at->feature == i->feature)
            return at;
    return NULL;
}

static const perp_verify_impact *compression_of(const perp_verification *v,
                                                const perp_verify_impact *i)
{
    return partner_of(v, i, -1, PERP_VERIFY_COMPRESSION);
}

/* 0 <= w perp p >= 0 and Coulomb's law, p over the largest impulse and w over the largest rate of
 * the stage; of w as much is nothing as the stages before may have left, and as the tolerance of
 * the largest impulse makes of it. */
static double off_law(const perp_verification *v, const perp_verify_impact *i, const double law[4],
                      double most_p, double most_u)
{
    int known;
    double left =
        LEFT_OF_STAGES * v->tol * (v->stage_rate + most_p * perp_verify_mobility(i, &known));
    left = known ? left : HUGE_VAL;
    double p_T[3], w_T[3], u_T[3], p = split(i, i->impulse, p_T), w = split(i, i->after, w_T);
    double before = split(i, i->before, u_T), slip, bound = law[2] * fmax(p, 0.0), worst;

    if (i->law == PERP_VERIFY_NEWTON)
        w += i->restitution * law[0] * fmin(before, 0.0);
    if (i->law == PERP_VERIFY_EXPANSION) {
        const perp_verify_impact *compression = compression_of(v, i);
        double p_c[3] = {0.0};
        if (compression != NULL) {
            p -= law[0] * split(i, compression->impulse, p_c);
            split(i, compression->before, u_T);
        }
    }
    for (int k = 0; k < 3 && i->law != PERP_VERIFY_COMPRESSION; k++)
        w_T[k] += i->restitution * law[1] * u_T[k];
    w = copysign(fmax(0.0, fabs(w) - left), w);
    worst = fmax(-p / most_p, space_length(p_T) / most_p - bound / most_p);
    if (has_turn(i) && law[3] > 0.0)
        worst = fmax(worst, (fabs(i->impulse[2]) / law[3] - fmax(p, 0.0)) / most_p);
    if (i->law == PERP_VERIFY_CARRIED)
        return worst;
    worst = fmax(worst, fmax(-w / most_u, fmin(fabs(w) / most_u, fabs(p) / most_p)));
    slip = space_length(w_T);
    if (i->rows == 2 || i->rows == 3)
        worst =
            fmax(worst, fabs(space_dot(p_T, w_T) + bound * slip) / (most_p * fmax(slip, most_u)));
    return worst;
}

static const char *name_of(const perp_verify_system *s)
{
    return s != NULL ? s->name : "the world";
}

static void note(perp_verification *v, const perp_verify_impact *i, double value, const char *what)
{
    if (i->interaction != NULL)
        perp_verify_note(v, PERP_VERIFY_IMPACTS, value, "%s: %s", i->interaction->name, what);
    else
        perp_verify_note(v, PERP_VERIFY_IMPACTS, value, "%s and %s: %s", name_of(i->first),
                         name_of(i->second), what);
}

/* The rates that the impulses of a line change: of an expansion, whose line has those before the
 * compression, those after it. */
static const double *rates_at_start(const perp_verification *v, const perp_verify_impact *i)
{
    const perp_verify_impact *compression =
        i->law == PERP_VERIFY_EXPANSION ? compression_of(v, i) : NULL;

    return compression != NULL ? compression->after : i->before;
}

/* How far the rates before an expansion are from those before its compression. */
static double off_compression(const perp_verification *v, const perp_verify_impact *i)
{
    const perp_verify_impact *compression = compression_of(v, i);
    double worst = compression == NULL ? INFINITY : 0.0;

    for (int m = 0; compression != NULL && m < 3; m++)
        worst = fmax(worst, fabs(i->before[m] - compression->before[m]));
    return worst;
}

/* What an impulse makes of the velocity of its lighter body: the tolerance of a solver is of that,
 * also where another impulse takes it away again. */
static double made_by(const perp_verify_impact *i)
{
    int known;
    return space_length(i->impulse) * perp_verify_mobility(i, &known);
}

/* The lines from..to - 1 are one stage. */
static void check_stage(perp_verification *v, int from, int to)
{
    double law[4], slip[3], most_p = 1e-300, most_made = 0.0;
    /* What is left of rates by rounding, far below what forces give in a step, says nothing. */
    double most_u = fmax(1e-300, 1e-8 * (v->fastest + fabs(v->h) * space_length(v->gravity)));

    for (int k = from; k < to; k++) {
        const perp_verify_impact *i = &v->impacts[k];
        most_p = fmax(most_p, fmax(fabs(split(i, i->impulse, slip)), space_length(slip)));
        most_u =
            fmax(most_u, fmax(fabs(split(i, i->before, slip)), fabs(split(i, i->after, slip))));
        most_made = fmax(most_made, made_by(i));
        push(v, i);
    }
    /* What is as slow as places round rests: no law can be read from it. */
    for (int k = from; k < to && most_u > v->still; k++) {
        const perp_verify_impact *i = &v->impacts[k];
        double own[3], worst = 0.0, speed = fmax(most_u, 1e-6 * v->fastest);
        if (has_rates(i)) {
            const double *start = rates_at_start(v, i);
            rates_of(v, i, 1, own);
            for (int m = 0; m < (i->is_point && i->rows == 1 ? 0 : 3); m++)
                worst = fmax(worst, fabs(i->after[m] - start[m] - own[m]));
            if (i->is_point && i->rows == 1)
                worst =
                    fabs(split(i, i->after, slip) - split(i, start, slip) - split(i, own, slip));
            note(v, i, worst / speed, "change of its rates by the impulses");
            rates_of(v, i, 0, own);
            worst = fabs(split(i, i->before, slip) - split(i, own, slip)) -
                    OF_FORCES * i->time * perp_verify_drift(v, i);
            if (i->law == PERP_VERIFY_NEWTON || i->law == PERP_VERIFY_COMPRESSION)
                note(v, i, fmax(0.0, worst) / speed, "rates before");
            if (i->law == PERP_VERIFY_EXPANSION)
                note(v, i, off_compression(v, i) / speed, "rates before");
        }
        if (i->law == PERP_VERIFY_COMPRESSION && !partner_of(v, i, 1, PERP_VERIFY_EXPANSION))
            note(v, i, INFINITY, "no expansion");
        if (law_of(v, i, law))
            note(v, i, off_law(v, i, law, most_p, fmax(most_u, most_made)), "its law");
    }
    take_changes(v, 0);
    v->stage_rate = fmax(v->stage_rate, fmax(most_u, most_made));
}

static int is_of(const perp_verify_impact *i, const perp_verify_system *s)
{
    int own = i->first == s || i->second == s;

    for (int m = 0; i->interaction != NULL && m < i->interaction->nsystems; m++)
        own |= i->interaction->systems[m] == s;
    return own;
}

double perp_verify_struck_rate(const perp_verification *v, const perp_verify_system *s)
{
    double most = 0.0;

    for (int k = 0; k < v->nimpacts; k++) {
        const perp_verify_impact *i = &v->impacts[k];
        if (is_of(i, s))
            most = fmax(most, fmax(space_length(i->before), space_length(i->after)));
    }
    return most;
}

double perp_verify_struck_turn(const perp_verification *v, const perp_verify_system *s)
{
    double inertia = s->kind == PERP_VERIFY_BODY ? perp_verify_least_inertia(s->inertia) : 0.0;
    double sum = 0.0;

    for (int k = 0; k < v->nimpacts; k++) {
        const perp_verify_impact *i = &v->impacts[k];
        if (is_of(i, s))
            sum += s->around * space_length(i->impulse) + space_length(i->moment);
    }
    return sum == 0.0 ? 0.0 : inertia > 0.0 ? sum / inertia : HUGE_VAL;
}

static int is_struck(const perp_verification *v, const perp_verify_system *s)
{
    for (int k = 0; k < v->nimpacts; k++)
        if (is_of(&v->impacts[k], s))
            return 1;
    return 0;
}

/* Relations by matrices of the row before that close within the step, by the rows of the series. */
static void check_relations(perp_verification *v)
{
    for (int n = 0; n < v->ninteractions; n++) {
        const perp_verify_interaction *i = &v->interactions[n];
        int struck = 0, impact = i->law == PERP_VERIFY_IMPACT || i->law == PERP_VERIFY_FRICTION;
        if (!impact || !(i->e > 0.0) || i->relation != PERP_VERIFY_MATRIX || i->gives ||
            i->D != NULL || i->y_at < 0 || i->u_at < 0)
            continue;
        for (int k = 0; k < i->nsystems; k++)
            struck |= !is_known(i->systems[k]) || is_struck(v, i->systems[k]);
        for (int r = 0; r < i->rows && !struck; r += i->dim) {
            double y = v->before[i->y_at + r], u = v->before[i->u_at + r];
            double slow = perp_verify_slow_row(v, i, r);
            if (u < -4.0 * slow && y < -0.9 * v->h * (u + 2.0 * slow))
                perp_verify_note(v, PERP_VERIFY_IMPACTS, 1.0, "%s: not struck", i->name);
        }
    }
}

/* It stands, nothing but the impulses of the lines strikes it, or its motion is given. */
static int moves_as_told(const perp_verify_system *s)
{
    return is_known(s) || (s->motion != NULL && !s->surface);
}

/* Has the same contact another normal in this row?  Then it had that one when the step began. */
static int has_turned(const perp_verification *v, const perp_verify_contact *c)
{
    for (int k = 0; k < v->ncontacts; k++) {
        const perp_verify_contact *now = &v->contacts[k];
        if (now->first == c->first && now->second == c->second && now->shape[0] == c->shape[0] &&
            now->shape[1] == c->shape[1] && space_dot(now->normal, c->normal) < 0.9)
            return 1;
    }
    return 0;
}

/* A contact of the row before that closes within the step, faster than without an impact, is
 * struck.
 */
static void check_missing(perp_verification *v)
{
    check_relations(v);
    for (int k = 0; k < v->nclosing; k++) {
        const perp_verify_contact *c = &v->closing[k];
        double e[4], slow;
        /* The triangle that is next has another normal. */
        if (c->first->has_unseen || c->second->has_unseen || has_turned(v, c))
            continue;
        if (!moves_as_told(c->first) || !moves_as_told(c->second) ||
            (!perp_verify_stands(c->first) && c->first->kind != PERP_VERIFY_BODY) ||
            is_struck(v, c->first) || is_struck(v, c->second))
            continue;
        perp_verify_material(v, perp_verify_material_of(c, 0), perp_verify_material_of(c, 1), e);
        slow = perp_verify_slow_contact(v, c);
        if (e[0] > 0.0 && c->u[0] < -4.0 * slow && c->gap < -0.9 * v->h * (c->u[0] + 2.0 * slow))
            perp_verify_note(v, PERP_VERIFY_IMPACTS, 1.0, "%s and %s: not struck", c->first->name,
                             c->second->name);
    }
}

static double told_of(const perp_verification *v, const perp_verify_contact *c)
{
    double sum = 0.0, slip[3];
    for (int k = 0; k < v->nimpacts; k++) {
        const perp_verify_impact *i = &v->impacts[k];
        if (i->interaction == NULL && i->first == c->first && i->second == c->second &&
            i->shape[0] == c->shape[0] && i->shape[1] == c->shape[1] && i->feature == c->feature)
            sum += split(i, i->impulse, slip);
    }
    return sum;
}

/* Each step: impulses that stages gave to a contact are in its multiplier, but for what the solver
 * of the smooth step leaves of its largest one: it may be below 0 by as much. */
static void check_whole(perp_verification *v)
{
    double largest = 0.0;
    for (int n = 0; n < v->ncontacts; n++)
        largest = fmax(largest, v->contacts[n].lambda[0]);
    for (int n = 0; n < v->ncontacts; n++) {
        const perp_verify_contact *c = &v->contacts[n];
        double sum = told_of(v, c), missing = sum - c->lambda[0] - 10.0 * v->tol * largest;
        if (sum > 0.0)
            perp_verify_note(v, PERP_VERIFY_IMPACTS, fmax(0.0, missing) / sum,
                             "%s and %s: its whole impulse", c->first->name, c->second->name);
    }
}

/* The contacts that may close in the next step. */
static void keep_closing(perp_verification *v)
{
    v->nclosing = 0;
    if (v->ncontacts > v->closing_capacity) {
        v->closing = perp_verify_take(v, 2 * (size_t)v->ncontacts, sizeof *v->closing);
        v->closing_capacity = v->closing != NULL ? 2 * v->ncontacts : 0;
    }
    for (int k = 0; k < v->ncontacts && v->closing_capacity > 0; k++)
        if (v->contacts[k].first != NULL && v->contacts[k].second != NULL &&
            v->contacts[k].u[0] < 0.0)
            v->closing[v->nclosing++] = v->contacts[k];
}

static void check_step(perp_verification *v)
{
    for (int k = 0; k < v->nsystems; k++)
        begin_system(v, v->systems[k]);
    for (int k = 0; k < v->nimpacts; k++)
        push(v, &v->impacts[k]);
    take_changes(v, 2);
    check_missing(v);
    v->stage_rate = 0.0;
    for (int from = 0, to; from < v->nimpacts; from = to) {
        for (to = from + 1; to < v->nimpacts && v->impacts[to].stage == v->impacts[from].stage;)
            to++;
        check_stage(v, from, to);
    }
    check_whole(v);
}

void perp_verify_impacts(perp_verification *v)
{
    int halved = v->halvings_at >= 0 && v->now[v->halvings_at] > 0.0;

    if (v->row == 0)
        return;
    if (v->impact_file == NULL) {
        perp_verify_leave_out(v, PERP_VERIFY_IMPACTS, "no impacts.csv: record.certify writes it");
        return;
    }
    if (v->every_step && v->instants < 0 && !halved)
        check_step(v);
    else
        perp_verify_leave_out(v, PERP_VERIFY_IMPACTS, "row %ld, t = %.10g: the step was halved",
                              v->row, v->t);
    keep_closing(v);
}
