/* SPDX-License-Identifier: BSD-3-Clause */
/* Which contacts are in the problem of a step, and the law that each gets.
 *
 * All pairs that may close are in it, and the problem decides.  The gap at the end is
 *
 *     y_1 = y + h (theta u + s),     s = (1 - theta) G v' - G lag,
 *
 * u = G v by the discrete gradient G, v' the velocity after the impacts of the step and lag what
 * they leave out of its mean.  With the Jacobian H at the start, s_0 = (1 - theta) H v' - H lag,
 * the law is
 *
 *     0 <= u + b perp p >= 0,     b = (s - s_0 + max(0, s_0 + (max(y, 0) - y_no)/h))/theta,
 *
 * with the least gap y_no = theta slack, so small that what is written of 0 here holds of it. That
 * is y_1 >= min(0, max(y, 0) + h s_0) up to a y < 0: the gap does not end below 0, or, where
 * the bodies approach at the start, not below where the approach leads that is stopped in this
 * step.  Where the normal does not turn s = s_0 and that is u >= 0.  What the turn of a normal
 * makes of the rate, s - s_0, is an acceleration and no approach: it is followed without loss.
 * Where p > 0 the work of the contact, p times the mean rate, is - p max(y, 0)/h, or p s_0 with
 * s_0 <= 0: never positive, but that what rests may rise to y_no above what carries it, by work
 * that its own weight gives back.  Restitution is not here: impact_stages.c comes first.
 *
 * Friction acts on u_T, which can give energy by the part of p_T . u_T' in the mean; contacts where
 * it does see u_T + (1 - theta)/theta u_T' instead, and then none does: p_T . (theta u_T +
 * (1 - theta) u'_T) is theta times what the law makes negative.  Contacts that stuck in the last
 * step and whose u_T' is below what forces stop in one see it from the first iterate on.  As bodies
 * move on their rows turn, so that u_T' is a little slip of either sign, and of what sticks each
 * second one would give energy and ask for another iterate; by the mean rate what sticks does no
 * work, as joints.
 *
 * A contact that sticks by the mean rate ends with its slip reversed, and where several press
 * against each other one gives energy again in the next step: to and fro without end.  slip_stage.c
 * stops them; with joints, slow ones between the same bodies are stopped by the next step, whose
 * work is at most p_T . u_T' / 2. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "kernel/integrators/discrete_gradient/discrete_gradient.h"
#include "kernel/step/stepper.h"

/* Gaps that constant forces close in a step are h^2 a/2; this is 8 times as much. */
static const double BAND = 4.0;
/* Of the speed that forces give in a step: slower slips are stopped rather than turned around. */
static const double SLOW = 0.05;
/* Radians in a step: what less makes of a gap is nothing beside forces, if there are any. */
static const double NO_TURN = 1e-6;
/* Of the energies of the step: a work that is nothing beside them. */
static const double NOTHING = 1e-16;
/* Part of its cone that friction has at most where it sticks. */
static const double INSIDE = 0.999;
/* Of the error of a solve that ended early: work of friction that it leaves. */
static const double LEFT = 10.0;

/* Until the states of the first iterate are set the accelerations of the free motion lie in
 * v[PERP_GUESS].  A point of a body moves with
 * its centre, near enough for a bound; other relations are asked for their Jacobian. */
double perp_dg_acceleration(const perp_link *link, const double *H, int i)
{
    double sum = 0.0;
    int at = 0;
    for (int k = 0; k < link->nsystems; k++) {
        const perp_system *s = link->systems[k];
        const double *a = s->v[PERP_GUESS];
        if (link->relation.kind == PERP_RELATION_CONTACT)
            sum += sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
        else
            for (int j = 0; j < s->nv; j++)
                sum += fabs(H[i + (at + j) * link->rows] * a[j]);
        at += s->nv;
    }
    return sum;
}

/* H lag of one row. */
static double lag_rate(const perp_dg *dg, const perp_link *link, int i)
{
    double sum = 0.0;
    const double *H = link->H + i;
    for (int k = 0; k < link->nsystems; k++) {
        const double *lag = perp_dg_lag(dg, link->systems[k]);
        for (int j = 0; lag && j < link->systems[k]->nv; j++)
            sum += H[(size_t)j * (size_t)link->rows] * lag[j];
        H += (size_t)link->systems[k]->nv * (size_t)link->rows;
    }
    return sum;
}

/* Do its rows turn by more than forces make of them?  A contact of bodies that do not spin has the
 * same normal and points all the step. */
static int may_turn(const perp_dg *dg, const perp_link *link)
{
    double still = dg->acceleration > 0.0 ? NO_TURN / dg->h : 0.0;
    if (link->linear || perp_link_is_coordinate(link))
        return 0;
    if (link->relation.kind != PERP_RELATION_CONTACT || link->guide)
        return 1;
    for (int k = 0; k < link->nsystems; k++) {
        const double *v = link->systems[k]->v_kept;
        if (fabs(v[3]) > still || fabs(v[4]) > still || fabs(v[5]) > still)
            return 1;
    }
    return 0;
}

void perp_dg_forget_ahead(const perp_dg *dg)
{
    for (int k = 0; k < dg->nsystems; k++)
        dg->systems[k]->ahead = 0;
}

/* Where the velocities after the impacts lead by the end of the step, without forces: in q[GUESS],
 * which is free until the first iterate, since a body has many contacts. */
static const double *place_ahead(const perp_dg *dg, perp_system *s)
{
    const double *lag = perp_dg_lag(dg, s);
    if (s->ahead)
        return s->q[PERP_GUESS];
    for (int i = 0; i < s->nv; i++)
        s->work[i] = s->v_kept[i] - (lag ? lag[i] : 0.0);
    perp_system_move(s->q[PERP_GUESS], s, s->q[PERP_START], s->work, dg->h);
    s->ahead = 1;
    return s->q[PERP_GUESS];
}

/* Gaps y there.  Non-zero: refused. */
static int gaps_ahead(double *y, const perp_step *step, const perp_dg *dg, perp_link *link)
{
    double *x = link->X;
    for (int k = 0; k < link->nsystems; x += link->systems[k++]->nq)
        memcpy(x, place_ahead(dg, link->systems[k]), sizeof(double) * (size_t)link->systems[k]->nq);
    return perp_link_output(y, link, step->t_end, link->X, link->lambda_start);
}

/* The largest component of the spins of its bodies. */
static double spin_of(const perp_link *link)
{
    double spin = 0.0;
    for (int k = 0; k < link->nsystems; k++)
        for (int j = 3; j < 6; j++)
            spin = fmax(spin, fabs(link->systems[k]->v_kept[j]));
    return spin;
}

double perp_dg_turn_left(const perp_link *link, int i)
{
    if (!(link->turn[i] > 0.0) || !(link->turn_spin > 0.0))
        return link->turn[i];
    return link->turn[i] * fmin(1.0, spin_of(link) / link->turn_spin);
}

/* The way of a gap is h u + h turn / 2 where its rate changes evenly. */
int perp_dg_find_turn(const perp_step *step, const perp_dg *dg, perp_link *link)
{
    memset(link->turn, 0, sizeof(double) * (size_t)link->rows);
    if (!may_turn(dg, link))
        return 0;
    int own = link->relation.kind == PERP_RELATION_CONTACT && !link->guide;
    link->turn_spin = own ? spin_of(link) : 0.0;
    if (gaps_ahead(link->turn, step, dg, link))
        return 1;
    for (int i = 0; i < link->rows; i++) {
        double way = link->turn[i] - link->y_start[i];
        double turn = 2.0 * (link->u[i] - way / dg->h) - fabs(link->swing[i]);
        link->turn[i] = i % link->law.dim == 0 && turn > 0.0 ? turn : 0.0;
    }
    return 0;
}

/* The largest of its rows. */
static double speed_of_forces(const perp_dg *dg, const perp_link *link)
{
    int alike = link->relation.kind == PERP_RELATION_CONTACT;
    double largest = 0.0;
    for (int i = 0; i < (alike ? 1 : link->rows); i++)
        largest = fmax(largest, dg->h * perp_dg_acceleration(link, link->H, i));
    return largest;
}

/* One relation of a contact is enough: the law of those that are far does nothing.  Limits of what
 * hangs together are not moved by the free motion, but rest within their slack. */
static perp_status contact_is_near(perp_step *step, perp_dg *dg, perp_link *link)
{
    int struck = dg->nhits > 0;
    double h = dg->h;
    /* A point needs no Jacobian for its rates of the last output and the bound of acceleration. */
    if ((struck || link->relation.kind != PERP_RELATION_CONTACT) && perp_dg_start_rates(step, link))
        return perp_step_callback_refused(step, PERP_INTERRUPTED, "interaction", link->slot);
    const double *u = struck ? link->u : link->u_start;
    int turns = may_turn(dg, link);
    link->force_speed = speed_of_forces(dg, link);
    if (turns && gaps_ahead(link->spare, step, dg, link))
        return perp_step_callback_refused(step, PERP_INTERRUPTED, "interaction", link->slot);
    link->active = 0;
    for (int r = 0; r < link->relations; r++) {
        int i = r * link->law.dim;
        double lag = struck ? lag_rate(dg, link, i) : 0.0;
        double band = BAND * h * h * perp_dg_acceleration(link, link->H, i);
        double way = h * (u[i] - lag);
        link->ahead[i] = (1.0 - dg->theta) * u[i] - lag;
        double y = link->y_start[i] + fmin(way, 0.0);
        y = turns ? fmin(y, link->spare[i]) : y;
        int near = y <= fmax(band, link->slack);
        link->on[r] = (unsigned char)near;
        link->active |= near;
        perp_dg_mark(link, r, 0);
    }
    return PERP_SOLVED;
}

perp_status perp_dg_index_set(perp_step *step, perp_dg *dg)
{
    perp_dg_forget_ahead(dg);
    for (int k = 0; k < dg->nlinks; k++) {
        perp_link *link = dg->links[k];
        perp_status status = PERP_SOLVED;
        link->active = 1;
        if (perp_law_is_impact(&link->law))
            status = contact_is_near(step, dg, link);
        if (status != PERP_SOLVED)
            return status;
    }
    return PERP_SOLVED;
}

int perp_dg_catch_missed(perp_step *step, perp_dg *dg)
{
    int missed = 0;
    for (int k = 0; k < dg->nlinks; k++) {
        perp_link *link = dg->links[k];
        int coordinate = perp_link_is_coordinate(link);
        if (link->active || !perp_law_is_impact(&link->law) || !(coordinate || dg->drives > 0))
            continue;
        const double *x = perp_link_gather_x(link, PERP_NOW);
        if (perp_link_output(link->y, link, step->t_end, x, link->lambda)) {
            perp_step_callback_refused(step, PERP_INTERRUPTED, "interaction", link->slot);
            return -1;
        }
        for (int r = 0; r < link->relations; r++) {
            int now = link->y[r * link->law.dim] < -perp_dg_may_stay(dg, link);
            link->on[r] = (unsigned char)now;
            link->active |= now;
            missed += now;
        }
        if (link->active)
            memset(link->lambda, 0, sizeof(double) * (size_t)link->rows);
    }
    return missed;
}

/* (1 - theta) (Hb v' + drift) - Hb lag of one row: what the start gives to the mean rate. */
static double start_part(const perp_dg *dg, const perp_link *link, int i, double drift)
{
    double u = drift, lag_rate = 0.0;
    int at = 0;
    for (int k = 0; k < link->nsystems; k++) {
        const perp_system *s = link->systems[k];
        const double *lag = perp_dg_lag(dg, s);
        for (int j = 0; j < s->nv; j++, at++) {
            double H = link->left[i + at * link->rows];
            u += H * s->v_kept[j];
            lag_rate += lag ? H * lag[j] : 0.0;
        }
    }
    return (1.0 - dg->theta) * u - lag_rate;
}

double perp_dg_start_rate(const perp_dg *dg, const perp_link *link, int i, double drift)
{
    return dg->theta < 1.0 ? start_part(dg, link, i, drift) / (1.0 - dg->theta) : 0.0;
}

/* How far a relation can move in the step, generously: gaps beyond it say no more than this. offset
 * is its drift here. */
static double reach(const perp_dg *dg, const perp_link *link, int i)
{
    double sum = dg->acceleration * dg->h / perp_dg_row_length(dg, link, i) + fabs(link->offset[i]);
    int at = 0;
    for (int k = 0; k < link->nsystems; k++) {
        const perp_system *s = link->systems[k];
        for (int j = 0; j < s->nv; j++, at++)
            sum += fabs(link->left[i + at * link->rows]) *
                   (fabs(s->v_kept[j]) + fabs(s->v[PERP_NOW][j]));
    }
    return 1e3 * dg->h * sum;
}

/* A contact with a stiffness instead: its force does the work of a spring and of a damper. */
static double spring(const perp_dg *dg, perp_link *link, int i)
{
    double offset, start = start_part(dg, link, i, link->offset[i]);
    perp_law_contact(&offset, &link->give, &link->law, dg->h, dg->theta, link->y_start[i], start);
    return offset;
}

/* theta b of a normal row with this s and gap.  Closing a gap that overlaps leave would throw a
 * contact at rest to, the next step fro: the rate that it leaves is as large. */
static double at_end(const perp_dg *dg, const perp_link *link, int i, double s, double y)
{
    double ahead = link->linear ? s : link->ahead[i], none = link->slack * dg->theta;
    return s - ahead + fmax(0.0, ahead + (y - none) / dg->h);
}

/* By what it carried without impacts; what slid has all of its cone but for rounding. */
static int has_stuck(const perp_link *link, int r)
{
    const double *p = link->smooth + r * link->law.dim;
    double friction = link->law.dim == 2 ? fabs(p[1]) : hypot(p[1], p[2]);
    return p[0] > 0.0 && friction < INSIDE * link->law.mu * p[0];
}

/* Can friction that sticks give energy: does the contact slip at the start, and slower than what
 * forces stop? */
static int may_give_energy(const perp_dg *dg, const perp_link *link, int r)
{
    double square = 0.0;
    for (int i = r * link->law.dim + 1; i < (r + 1) * link->law.dim; i++) {
        double u = perp_dg_start_rate(dg, link, i, link->offset[i]);
        square += u * u;
    }
    double slip = sqrt(square);
    return slip <= link->force_speed && link->law.mu * slip > dg->no_work * link->force_speed;
}

/* What will stick sees the mean rate. */
static void expect_sticking(const perp_dg *dg, perp_link *link)
{
    for (int r = 0; perp_dg_stops_slips(link) && dg->theta < 1.0 && r < link->relations; r++)
        if (link->on[r] && has_stuck(link, r) && may_give_energy(dg, link, r))
            perp_dg_mark(link, r, PERP_DG_BACKWARD);
}

void perp_dg_gap_rows(const perp_dg *dg, perp_link *link)
{
    int dim = link->law.dim, soft = perp_law_is_soft(&link->law);
    link->give = 0.0;
    if (dg->expects)
        expect_sticking(dg, link);
    for (int i = 0; i < link->rows; i++) {
        int normal = i % dim == 0, backward = link->mode[i / dim] & PERP_DG_BACKWARD;
        if (!normal && !backward)
            continue;
        if (normal && soft) {
            link->offset[i] += spring(dg, link, i);
            continue;
        }
        double b = start_part(dg, link, i, link->offset[i]);
        double y = fmax(link->y_start[i], 0.0);
        if (normal && !link->on[i / dim])
            y = fmin(y, reach(dg, link, i));
        if (normal)
            b = at_end(dg, link, i, b, y);
        link->offset[i] += b / dg->theta;
    }
}

/* Row i of left V, and `drift`. */
static double row_rate(const perp_link *link, int i, double drift)
{
    double u = drift;
    for (int j = 0; j < link->nv; j++)
        u += link->left[i + j * link->rows] * link->V[j];
    return u;
}

/* Work of friction by the rates at the start and by the mean ones; offset of such a row is its
 * drift here. */
static int gives_energy(const perp_dg *dg, const perp_link *link, int r)
{
    double start = 0.0, mean = 0.0;
    double load = link->lambda[r * link->law.dim] /
                  perp_dg_row_length(dg, link, r * link->law.dim); /* one of moments by its arm */
    /* Forces give a coordinate of joints a part of what they give bodies. */
    double slip = (link->law.dim > 1 ? 1.0 : SLOW) * dg->h * dg->acceleration;
    int first = r * link->law.dim + (link->law.dim > 1);
    for (int i = first; i < (r + 1) * link->law.dim; i++) {
        double u = row_rate(link, i, link->offset[i]);
        mean += link->lambda[i] * u;
        start += link->lambda[i] * perp_dg_start_rate(dg, link, i, link->offset[i]);
        slip += fabs(u) * perp_dg_row_length(dg, link, i);
    }
    double part = fmax(dg->no_work, LEFT * dg->loose);
    double none = fmax(part * fabs(load) * slip, NOTHING * dg->energy);
    return start > none && mean > none;
}

int perp_dg_turn_backward(perp_step *step, perp_dg *dg)
{
    int turned = 0;
    for (int k = 0; k < dg->nlinks; k++) {
        perp_link *link = dg->links[k];
        int rubs = link->law.kind == PERP_LAW_FRICTION || link->law.drive == PERP_DRIVE_FRICTION;
        if (!link->active || !rubs || dg->theta >= 1.0)
            continue;
        int turns = 0;
        (void)perp_link_gather_v(link, PERP_GUESS);
        for (int r = 0; r < link->relations; r++) {
            if (link->mode[r] & (PERP_DG_BACKWARD | PERP_DG_REVERSED) || !gives_energy(dg, link, r))
                continue;
            perp_dg_mark(link, r, PERP_DG_BACKWARD);
            turns = turned = 1;
        }
        if (turns && perp_dg_link_rows(step, dg, link) != PERP_SOLVED)
            return -1;
    }
    return turned;
}

/* Contacts between the same systems, neighbours in the list where one detection found them. */
static int shares_pair(const perp_dg *dg, int k)
{
    const perp_link *link = dg->links[k];
    if (link->relations > 1)
        return 1;
    for (int other = k - 1; other <= k + 1; other += 2) {
        const perp_link *near = other >= 0 && other < dg->nlinks ? dg->links[other] : NULL;
        if (!near || !near->active || near->nsystems != link->nsystems)
            continue;
        int same = 1;
        for (int i = 0; i < link->nsystems; i++)
            same &= near->systems[i] == link->systems[i];
        if (same)
            return 1;
    }
    return 0;
}

/* And so slow that it is no motion but what a step at rest has left. */
static int is_reversed(const perp_dg *dg, const perp_link *link, int r)
{
    double product = 0.0, square = 0.0, slow = SLOW * dg->h * dg->acceleration;
    int dim = link->law.dim;
    for (int i = r * dim + (dim > 1); i < (r + 1) * dim; i++) {
        double length = perp_dg_row_length(dg, link, i), u = length * row_rate(link, i, 0.0);
        product += u * length * perp_dg_start_rate(dg, link, i, 0.0);
        square += u * u;
    }
    return product < 0.0 && square <= slow * slow;
}

void perp_dg_note_reversals(const perp_dg *dg)
{
    for (int k = 0; k < dg->nlinks; k++) {
        perp_link *link = dg->links[k];
        int gathered = 0;
        for (int r = 0; r < link->relations; r++) {
            int backward = link->active && link->mode[r] & PERP_DG_BACKWARD &&
                           link->law.kind == PERP_LAW_FRICTION && shares_pair(dg, k) &&
                           !perp_dg_stops_slips(link);
            if (backward && !gathered)
                (void)perp_link_gather_v(link, PERP_NOW);
            gathered |= backward;
            link->mode[r] = (unsigned char)(link->mode[r] & ~PERP_DG_REVERSED);
            if (backward && is_reversed(dg, link, r))
                link->mode[r] |= PERP_DG_REVERSED;
        }
    }
}
