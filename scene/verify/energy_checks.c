/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows themselves, energies, and what energy gains from nothing. */
#include <math.h>
#include <string.h>

#include "scene/verify/space.h"
#include "scene/verify/verify_inside.h"

/* x' A y for n x n numbers; A NULL: the identity. */
static double form(const double *A, const double *x, const double *y, int n, double *size)
{
    double sum = 0.0;

    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            double a = A != NULL ? A[i + j * n] : (double)(i == j);
            sum += x[i] * a * y[j];
            *size += fabs(x[i] * a * y[j]);
        }
    return sum;
}

static int kinetic(double *energy, double *size, const perp_verify_system *s, const double *row)
{
    const double *v = row + s->v_at;

    if (s->v_at < 0 || s->no_mass || (s->kind == PERP_VERIFY_OTHER && s->rods == 0) ||
        (s->rods > 0 && s->q_at < 0))
        return 0;
    if (s->rods > 0) {
        double of_weight;
        perp_verify_bobs(energy, &of_weight, size, s, row + s->q_at, v);
        return 1;
    }
    *energy = s->kind == PERP_VERIFY_BODY
                  ? 0.5 * (s->mass * space_dot(v, v) + form(s->inertia, v + 3, v + 3, 3, size))
                  : 0.5 * form(s->M, v, v, s->nv, size);
    *size += fabs(*energy);
    return 1;
}

/* In the present row; with the springs to the world. */
static int potential(double *energy, double *size, const perp_verification *v,
                     const perp_verify_system *s)
{
    const double *q = v->now + s->q_at, *force = s->kind == PERP_VERIFY_BODY ? s->force : s->F;
    double of_motion;

    if (s->q_at < 0 || s->no_mass || (s->kind == PERP_VERIFY_OTHER && s->rods == 0))
        return 0;
    *energy = 0.0;
    if (s->rods > 0)
        perp_verify_bobs(&of_motion, energy, size, s, q, NULL);
    if (!perp_verify_spring_energy(energy, size, v, s))
        return 0;
    if (s->rods > 0)
        return 1;
    for (int k = 0; k < (s->kind == PERP_VERIFY_BODY ? 3 : s->nv); k++) {
        *energy -= force[k] * q[k];
        *size += fabs(force[k] * q[k]);
    }
    if (s->kind == PERP_VERIFY_LINEAR && s->K != NULL)
        *energy += 0.5 * form(s->K, q, q, s->nv, size);
    return 1;
}

/* Energy that constant forces, and the rounding of places, give in a step from rest. */
static double energy_of_step(const perp_verification *v, const perp_verify_system *s)
{
    int body = s->kind == PERP_VERIFY_BODY;
    const double *force = body ? s->force : s->F;
    double sum = 0.0;
    for (int i = 0; i < (body ? 3 : s->nv) && force != NULL && s->rods == 0; i++) {
        double mass = body ? s->mass : s->M != NULL ? s->M[i * (s->nv + 1)] : 1.0;
        sum += mass > 0.0 ? 0.5 * force[i] * force[i] * v->h * v->h / mass : 0.0;
    }
    sum += body ? 0.5 * s->mass * v->still * v->still : 0.0;
    return sum;
}

static void compare(perp_verification *v, enum perp_verify_id id, int at, double own, double size,
                    const char *name)
{
    if (at < 0)
        return;
    double written = v->now[at], scale = fmax(size, fmax(fabs(own), fabs(written)));
    perp_verify_note(v, id, scale > 0.0 ? fabs(written - own) / scale : 0.0, "%s", name);
}

/* Work of the constant forces along what a correction of positions may have been: the way that the
 * velocities do not tell, up to `most` where the overlaps are known. */
static double work_of_corrections(const perp_verification *v, double most)
{
    double sum = 0.0;

    for (int k = 0; k < v->nsystems; k++) {
        const perp_verify_system *s = v->systems[k];
        double work = 0.0, size = 0.0;
        for (int i = 0; i < 3 && s->kind == PERP_VERIFY_BODY && s->q_at >= 0 && s->v_at >= 0; i++) {
            double way = v->now[s->q_at + i] - v->before[s->q_at + i];
            double rate =
                s->theta * v->now[s->v_at + i] + (1.0 - s->theta) * v->before[s->v_at + i];
            work += s->force[i] * (way - v->h * rate);
            size += fabs(s->force[i]);
        }
        sum += s->unseen ? fabs(work) : fmin(fabs(work), size > 0.0 ? size * most : 0.0);
    }
    return sum;
}

/* A limit or a contact that acted in the step with this row, which may have begun with an impact or
 * ended with a correction of positions. */
static int is_struck(const perp_verification *v)
{
    for (int k = 0; k < v->ninteractions; k++) {
        const perp_verify_interaction *i = &v->interactions[k];
        int impact = i->law == PERP_VERIFY_IMPACT || i->law == PERP_VERIFY_FRICTION;
        for (int r = 0; impact && r < i->rows; r++)
            if (i->lambda_at < 0 || v->now[i->lambda_at + r] != 0.0)
                return 1;
    }
    return v->has_contacts;
}

/* The most that motors, servos, springs, friction and what takes overlaps of the row before away
 * gave in the step that ends with this row:
 * force times way.  The way that the rates do not tell may be that of a correction of positions,
 * which the force did not act along. */
static double work_of_drives(perp_verification *v)
{
    double work = 0.0;
    int coordinates = 0, struck = is_struck(v);

    for (int k = 0; k < v->ninteractions && v->row > 0; k++) {
        const perp_verify_interaction *i = &v->interactions[k];
        coordinates |= i->relation == PERP_VERIFY_SLIDE || i->relation == PERP_VERIFY_ANGLE;
        int known =
            i->drives && i->nsystems > 0 && i->y_at >= 0 && i->u_at >= 0 && i->lambda_at >= 0;
        for (int r = 0; known && r < i->rows; r++) {
            double way = v->now[i->y_at + r] - v->before[i->y_at + r];
            double theta = i->systems[0]->theta, force = v->now[i->lambda_at + r];
            double rate = theta * v->now[i->u_at + r] + (1.0 - theta) * v->before[i->u_at + r];
            double told = force * way + fabs(force * (way - v->h * rate));
            work += struck ? fmax(told, 0.0) : told;
            v->driven += fabs(force * way);
        }
    }
    return work + work_of_corrections(v, coordinates ? INFINITY : v->overlaps);
}

static void note_gain(perp_verification *v, double energy, double rounding)
{
    double rise = v->row > 0 ? energy - v->energy_before - work_of_drives(v) : 0.0;
    const char *open = perp_verify_violated(v);

    if (open != NULL) {
        perp_verify_leave_out(v, PERP_VERIFY_GAIN,
                              "a step that takes away how far '%s' was violated moves weights",
                              open);
        rise = 0.0;
    }
    v->was_halved |= v->halvings_at < 0 || v->now[v->halvings_at] > 0.0;
    v->energy_before = energy;
    v->rises += fmax(0.0, rise - rounding);
    if (v->row >= v->rises_capacity) {
        long more = 2 * v->rises_capacity + 1024;
        double *grown = perp_verify_take(v, 2 * (size_t)more, sizeof *grown);
        if (grown == NULL)
            return;
        if (v->rises_capacity > 0) {
            memcpy(grown, v->rise_at, (size_t)v->rises_capacity * sizeof *grown);
            memcpy(grown + more, v->rise_time, (size_t)v->rises_capacity * sizeof *grown);
        }
        v->rise_at = grown;
        v->rise_time = grown + more;
        v->rises_capacity = more;
    }
    v->rise_at[v->row] = v->rises;
    v->rise_time[v->row] = v->t;
    v->found[PERP_VERIFY_GAIN].known = 1;
}

void perp_verify_energies(perp_verification *v)
{
    double T = 0.0, V = 0.0, size_T = 0.0, size_V = 0.0, least = 0.0;
    int has_T = 1, has_V = 1, moving = 0;

    for (int k = 0; k < v->nsystems; k++) {
        const perp_verify_system *s = v->systems[k];
        double own_T = 0.0, own_V = 0.0, part_T = 0.0, part_V = 0.0;
        if (s->fixed || s->kind == PERP_VERIFY_FIRST_ORDER)
            continue;
        moving = 1;
        int knows_T = kinetic(&own_T, &part_T, s, v->now);
        int knows_V = potential(&own_V, &part_V, v, s);
        if (knows_T)
            compare(v, PERP_VERIFY_KINETIC, s->kinetic_at, own_T, part_T, s->name);
        if (knows_V)
            compare(v, PERP_VERIFY_POTENTIAL, s->potential_at, own_V, part_V, s->name);
        if (!knows_T)
            perp_verify_leave_out(v, PERP_VERIFY_KINETIC, "no v of '%s', or no mass", s->name);
        if (!knows_V)
            perp_verify_leave_out(v, PERP_VERIFY_POTENTIAL, "no q of '%s', or forces of its own",
                                  s->name);
        has_T &= knows_T;
        has_V &= knows_V;
        T += own_T, V += own_V, size_T += part_T, size_V += part_V;
        least += knows_T && knows_V ? energy_of_step(v, s) : 0.0;
    }
    if (has_V && perp_verify_has_springs(v, NULL, 1))
        has_V = perp_verify_spring_energy(&V, &size_V, v, NULL);
    if (moving && has_T)
        compare(v, PERP_VERIFY_KINETIC, v->kinetic_at, T, size_T, "all");
    if (moving && has_V)
        compare(v, PERP_VERIFY_POTENTIAL, v->potential_at, V, size_V, "all");
    if (v->kinetic_at >= 0 && v->potential_at >= 0)
        compare(v, PERP_VERIFY_ENERGY, v->energy_at,
                v->now[v->kinetic_at] + v->now[v->potential_at],
                fabs(v->now[v->kinetic_at]) + fabs(v->now[v->potential_at]), "all");
    else if (has_T && has_V)
        compare(v, PERP_VERIFY_ENERGY, v->energy_at, T + V, size_T + size_V, "all");
    if (!moving || !has_T || !has_V)
        return;
    v->most_kinetic = fmax(v->most_kinetic, T);
    v->least_energy = fmax(v->least_energy, least);
    v->low_potential = v->row > 0 ? fmin(v->low_potential, V) : V;
    v->high_potential = v->row > 0 ? fmax(v->high_potential, V) : V;
    note_gain(v, T + V, 1e-14 * (size_T + size_V));
}

/* The work of a drive follows from the rows: its force acted along the change of y, in every step.
 */
static int gives_work(const perp_verification *v, const perp_verify_interaction *i)
{
    return v->every_step && v->instants < 0 && i->y_at >= 0 && i->u_at >= 0 && i->lambda_at >= 0 &&
           i->nsystems > 0 && i->systems[0]->scheme == PERP_VERIFY_DISCRETE_GRADIENT &&
           !v->was_halved;
}

/* Why energy may come from outside; NULL: it may not. */
static const char *source(const perp_verification *v)
{
    if (v->muscles)
        return "muscles give energy";
    for (int k = 0; k < v->nsystems; k++)
        if (v->systems[k]->loads != NULL)
            return "loads depend on time";
    for (int k = 0; k < v->nsystems; k++)
        if (v->systems[k]->motion != NULL || v->systems[k]->surface)
            return "bodies or surfaces that move by themselves give energy";
    if (json_array_size(json_object_get(v->json, "controllers")) > 0)
        return "controllers give energy";
    if (perp_verify_has_springs(v, NULL, 1))
        return "springs between systems are taken once a step, where no row is";
    for (const perp_verify_spring *p = v->springs; p != NULL; p = p->next) {
        if (p->wind[0] != 0.0 || p->wind[1] != 0.0 || p->wind[2] != 0.0)
            return "wind gives energy";
        if (p->bend[0] != 0.0 || p->bend[1] != 0.0)
            return "springs that are no lines give their energy back in the mean alone";
        if (p->end[0].is_point && !p->drags)
            return "springs between points give their energy back in the mean alone";
    }
    for (int k = 0; k < v->nsystems; k++)
        if (v->systems[k]->rods > 0)
            return "the weight of a pendulum gives its energy back in the mean alone";
    for (int k = 0; k < v->nsystems; k++)
        if (v->systems[k]->scheme == PERP_VERIFY_TWO_STEP)
            return "schatzman-paoli has no velocities but differences of positions";
    if (v->soft)
        return "contacts with a compliance keep energy";
    for (int k = 0; k < v->ninteractions; k++) {
        const perp_verify_interaction *i = &v->interactions[k];
        if (i->moving)
            return "an interaction moves";
        if (i->drives && gives_work(v, i))
            continue;
        if (i->drives)
            return "a motor, a servo or a spring gives energy";
        if (i->law == PERP_VERIFY_RELAY || i->law == PERP_VERIFY_COMPLEMENTARITY || i->D != NULL)
            return "an interaction may keep or give energy";
        if (i->soft)
            return "contacts with a compliance keep energy";
    }
    for (int k = 0; k < v->nsystems; k++)
        for (int i = 0; v->systems[k]->kind == PERP_VERIFY_BODY && i < 3; i++)
            if (v->systems[k]->moment[i] != 0.0)
                return "a moment that turns with its body has no potential";
    return NULL;
}

void perp_verify_gain(perp_verification *v)
{
    perp_verify_finding *f = &v->found[PERP_VERIFY_GAIN];
    double range = v->high_potential - v->low_potential;
    double scale = v->most_kinetic + range + v->driven + v->least_energy;
    const char *why = source(v);

    if (!f->known || why != NULL) {
        f->known = 0;
        snprintf(f->why, sizeof f->why, "%s",
                 why != NULL ? why : "energies of the whole are not known");
        return;
    }
    f->worst = scale > 0.0 ? v->rises / scale : 0.0;
    f->contradicted = f->worst > 1e-3;
    f->row = -1;
    for (long k = 0; k <= v->row && f->contradicted && f->row < 0; k++)
        if (v->rise_at[k] > 1e-3 * scale) {
            f->row = k;
            f->t = v->rise_time[k];
        }
}

static void check_start(perp_verification *v)
{
    for (int k = 0; k < v->nsystems; k++) {
        const perp_verify_system *s = v->systems[k];
        if (s->fixed || s->motion || s->q0 == NULL || s->q_at < 0) {
            if (!s->fixed && !s->motion)
                perp_verify_leave_out(v, PERP_VERIFY_START,
                                      "where '%s' begins, or its q, is not in the files", s->name);
            continue;
        }
        double worst = 0.0, scale = 1e-300;
        for (int i = 0; i < s->nq; i++) {
            worst = fmax(worst, fabs(v->now[s->q_at + i] - s->q0[i]));
            scale = fmax(scale, fabs(s->q0[i]));
        }
        for (int i = 0; s->v0 != NULL && s->v_at >= 0 && i < s->nv; i++) {
            double from = fabs(v->now[s->v_at + i] - s->v0[i]);
            worst = fmax(worst, from / fmax(1.0, fabs(s->v0[i])));
        }
        perp_verify_note(v, PERP_VERIFY_START, worst / fmax(scale, 1e-3), "%s", s->name);
    }
}

void perp_verify_rows(perp_verification *v)
{
    perp_verify_prescribed(v);
    if (v->row == 0 && v->t == v->t0)
        check_start(v);
    else if (v->row == 0)
        perp_verify_leave_out(v, PERP_VERIFY_START, "the first row is not that of t0");
    if (v->row > 0 && !(v->h > 0.0) && v->instants < 0)
        perp_verify_note(v, PERP_VERIFY_TIMES, INFINITY, "t goes from %.10g to %.10g", v->t - v->h,
                         v->t);
    else if (v->row > 0 && v->instants < 0)
        perp_verify_note(v, PERP_VERIFY_TIMES,
                         fabs(v->h / v->step - nearbyint(v->h / v->step)) +
                             (v->h < 0.5 * v->step ? 1.0 : 0.0),
                         "between two rows");
    else if (v->row > 0)
        perp_verify_note(v, PERP_VERIFY_TIMES, v->h < 0.0 ? INFINITY : 0.0, "instants");
    for (int k = 1; k < v->columns; k++)
        if (!isfinite(v->now[k]))
            perp_verify_note(v, PERP_VERIFY_TIMES, isnan(v->now[k]) ? 0.0 : INFINITY, "%s",
                             v->names[k]);
    for (int k = 0; k < v->nsystems; k++) {
        const perp_verify_system *s = v->systems[k];
        if (s->fixed || s->kind != PERP_VERIFY_BODY || s->q_at < 0)
            continue;
        const double *Q = v->now + s->q_at + 3;
        perp_verify_note(v, PERP_VERIFY_QUATERNIONS,
                         fabs(sqrt(Q[0] * Q[0] + space_dot(Q + 1, Q + 1)) - 1.0), "%s", s->name);
    }
}
