/* SPDX-License-Identifier: BSD-3-Clause */
/* The next iterate of Newton's method from one and its increment f, by a matrix that is near the
 * derivative.  With joints the last iterates are mixed [Anderson1965]: gamma minimises
 * |D (f - dF gamma)|, the next iterate is x + f - (dX + dF) gamma.  It ends cycles of period two,
 * whose multiplier is near -1.  With contacts alone, whose normals turn with what their impulses
 * turn, multipliers far below -1 are met, by one direction at a time: where the loop goes to and
 * fro it takes the part of f that would have ended the last two as a linear iteration
 * [IronsTuck1969]. */
#include <math.h>
#include <string.h>

#include "kernel/integrators/discrete_gradient/discrete_gradient.h"
#include "kernel/step/stepper.h"

/* Iterates before which increments are taken as they are. */
enum { MIX_AFTER = 2, MIX_CLAMPED_AFTER = 5 };
/* Of an increment, at least. */
static const double LEAST = 0.02;

static perp_status begin(perp_dg_history *history, perp_pool *pool, int n)
{
    int most = (2 * PERP_DG_DEPTH + 6) * n;
    if (!perp_pool_grow(pool, (void **)&history->block, &history->capacity, most, sizeof(double)))
        return PERP_ERR_MEMORY;
    double *at = history->block;
    history->n = n;
    history->part = 1.0;
    history->x = at;
    history->f = at + n;
    history->weight = at + 2 * n;
    history->iterate = at + 3 * n;
    history->increment = at + 4 * n;
    history->mixed = at + 5 * n;
    history->dx = at + 6 * n;
    history->df = history->dx + PERP_DG_DEPTH * n;
    perp_dg_history_forget(history);
    return PERP_SOLVED;
}

void perp_dg_history_forget(perp_dg_history *history)
{
    history->count = history->next = history->has_last = 0;
}

/* The differences to the last iterate and increment, in the ring. */
static void remember(perp_dg_history *history, const double *x, const double *f)
{
    int n = history->n;
    if (history->has_last) {
        double *dx = history->dx + (size_t)history->next * (size_t)n;
        double *df = history->df + (size_t)history->next * (size_t)n;
        for (int i = 0; i < n; i++) {
            dx[i] = x[i] - history->x[i];
            df[i] = f[i] - history->f[i];
        }
        history->next = (history->next + 1) % PERP_DG_DEPTH;
        history->count += history->count < PERP_DG_DEPTH;
    }
    memcpy(history->x, x, sizeof(double) * (size_t)n);
    memcpy(history->f, f, sizeof(double) * (size_t)n);
    history->has_last = 1;
}

static double product(const double *weight, const double *a, const double *b, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += weight[i] * weight[i] * a[i] * b[i];
    return sum;
}

/* gamma by the normal equations with pivots in the order of the ring; a difference that adds less
 * than 1e-10 to those before it is left out. */
static void least_squares(double *gamma, const perp_dg_history *history)
{
    double A[PERP_DG_DEPTH][PERP_DG_DEPTH], b[PERP_DG_DEPTH];
    int m = history->count, n = history->n;
    for (int i = 0; i < m; i++) {
        const double *df = history->df + (size_t)i * (size_t)n;
        b[i] = product(history->weight, df, history->f, n);
        for (int j = 0; j <= i; j++)
            A[i][j] = A[j][i] =
                product(history->weight, df, history->df + (size_t)j * (size_t)n, n);
    }
    double diagonal[PERP_DG_DEPTH];
    for (int i = 0; i < m; i++)
        diagonal[i] = A[i][i];
    for (int k = 0; k < m; k++) {
        int kept = A[k][k] > 1e-10 * diagonal[k] && diagonal[k] > 0.0;
        for (int i = k + 1; i < m && kept; i++) {
            double factor = A[i][k] / A[k][k];
            for (int j = k; j < m; j++)
                A[i][j] -= factor * A[k][j];
            b[i] -= factor * b[k];
        }
        if (!kept) {
            for (int i = 0; i < m; i++)
                A[i][k] = A[k][i] = 0.0;
            A[k][k] = 1.0;
            b[k] = 0.0;
        }
    }
    for (int k = m - 1; k >= 0; k--) {
        gamma[k] = b[k];
        for (int j = k + 1; j < m; j++)
            gamma[k] -= A[k][j] * gamma[j];
        gamma[k] /= A[k][k];
    }
}

static void mix(perp_dg_history *history, int mixes)
{
    double gamma[PERP_DG_DEPTH] = {0.0}, *next = history->mixed;
    int n = history->n;
    remember(history, history->iterate, history->increment);
    if (mixes)
        least_squares(gamma, history);
    for (int i = 0; i < n; i++)
        next[i] = history->x[i] + history->f[i];
    for (int k = 0; mixes && k < history->count; k++) {
        const double *dx = history->dx + (size_t)k * (size_t)n;
        const double *df = history->df + (size_t)k * (size_t)n;
        for (int i = 0; i < n; i++)
            next[i] -= (dx[i] + df[i]) * gamma[k];
    }
}

/* The largest angle by which an increment turns a body at the end of the step. */
static double turn(const perp_dg *dg)
{
    double largest = 0.0;
    for (int k = 0; k < dg->nopen; k++) {
        const perp_system *s = dg->open[k];
        for (int i = 3; s->kind == PERP_SYSTEM_BODY && i < 6; i++)
            largest = fmax(largest, fabs(s->work[i]));
    }
    return largest * dg->h * dg->theta;
}

/* Velocities and their increments as vectors; how many. */
static int pack_velocities(perp_dg *dg)
{
    int n = 0;
    for (int k = 0; k < dg->nopen; k++) {
        const perp_system *s = dg->open[k];
        for (int i = 0; i < s->nv; i++, n++) {
            dg->history.iterate[n] = s->v[PERP_NOW][i];
            dg->history.increment[n] = s->work[i];
        }
    }
    return n;
}

/* The same with multipliers of the joints and impulses of the contacts. */
static void pack(perp_dg *dg)
{
    double *x = dg->history.iterate, *f = dg->history.increment;
    int n = pack_velocities(dg);
    for (int k = 0; k < dg->njoints; k++) {
        const perp_link *link = dg->joints[k];
        const double *change = perp_dg_joint_increment(dg, link);
        for (int i = 0; i < link->rows; i++, n++) {
            x[n] = link->lambda[i];
            f[n] = change[i];
        }
    }
    for (int i = 0; i < dg->smooth.rows; i++, n++) {
        x[n] = dg->multipliers[i];
        f[n] = dg->smooth.z[i] - dg->multipliers[i];
    }
}

static void unpack(perp_dg *dg, const double *x)
{
    int n = 0;
    for (int k = 0; k < dg->nopen; k++)
        for (int i = 0; i < dg->open[k]->nv; i++)
            dg->open[k]->v[PERP_NOW][i] = x[n++];
    for (int k = 0; k < dg->njoints; k++)
        for (int i = 0; i < dg->joints[k]->rows; i++)
            dg->joints[k]->lambda[i] = x[n++];
}

/* By the mass of each motion; impulses by the mean of those along lines, moments by this and the
 * arm of the joints. */
static void set_weights(perp_dg *dg, int n)
{
    double *weight = dg->history.weight, sum = 0.0;
    int at = 0, count = 0;
    for (int k = 0; k < dg->nopen; k++)
        for (int i = 0; i < dg->open[k]->nv; i++, at++) {
            double mass = fabs(perp_iteration_diagonal(&dg->open[k]->W, i));
            int straight = dg->open[k]->kind != PERP_SYSTEM_BODY || i < 3;
            weight[at] = sqrt(mass);
            sum += straight ? mass : 0.0;
            count += straight;
        }
    double middle = sum > 0.0 ? sqrt(sum / count) : 1.0;
    for (int i = at; i < n; i++)
        weight[i] = 1.0 / middle;
    for (int k = 0; at < n && k < dg->njoints; k++)
        for (int i = 0; i < dg->joints[k]->rows; i++, at++)
            weight[at] /= perp_joint_row_turns(dg->joints[k], i) ? perp_dg_arm(dg) : 1.0;
    for (int a = 0; at < n && a < dg->smooth.nactive; a++) {
        const perp_link *link = dg->smooth.active[a];
        for (int i = 0; i < link->rows; i++)
            weight[at + link->first_row + i] /= perp_dg_row_length(dg, link, i);
    }
}

static int dofs_of(const perp_dg *dg)
{
    int dofs = 0;
    for (int k = 0; k < dg->nopen; k++)
        dofs += dg->open[k]->nv;
    return dofs;
}

/* The part of the increment that is taken. */
static double relax(perp_dg_history *history)
{
    double along = 0.0, square = 0.0;
    for (int i = 0; i < history->n; i++) {
        double weight = history->weight[i] * history->weight[i];
        double change = history->increment[i] - history->f[i];
        along += weight * history->f[i] * change;
        square += weight * change * change;
    }
    memcpy(history->f, history->increment, sizeof(double) * (size_t)history->n);
    double part = square > 0.0 ? -history->part * along / square : 1.0;
    history->part = part > 0.0 ? fmin(1.0, fmax(LEAST, part)) : 1.0;
    return history->part;
}

/* The history for iterates of n numbers; fresh: what is there is of no use. */
static perp_status open_history(perp_step *step, perp_dg *dg, int n, int fresh)
{
    if (!fresh && dg->history.n == n)
        return PERP_SOLVED;
    if (begin(&dg->history, dg->pool, n) != PERP_SOLVED)
        return perp_step_refuse(step, PERP_ERR_MEMORY, NULL, -1, NULL);
    set_weights(dg, n);
    return PERP_SOLVED;
}

/* So much of the increments. */
static void add_part(perp_dg *dg, double part)
{
    for (int k = 0; k < dg->nopen; k++) {
        perp_system *s = dg->open[k];
        for (int i = 0; i < s->nv; i++)
            s->v[PERP_NOW][i] += part * s->work[i];
    }
    for (int k = 0; k < dg->njoints; k++) {
        const double *change = perp_dg_joint_increment(dg, dg->joints[k]);
        for (int i = 0; i < dg->joints[k]->rows; i++)
            dg->joints[k]->lambda[i] += part * change[i];
    }
}

static perp_status advance_relaxed(perp_step *step, perp_dg *dg, double part)
{
    int first = dg->relaxed == 1, n = dofs_of(dg);
    if (dg->relaxed > 0) {
        perp_status status = open_history(step, dg, n, first);
        if (status != PERP_SOLVED)
            return status;
        pack_velocities(dg);
        if (first)
            memcpy(dg->history.f, dg->history.increment, sizeof(double) * (size_t)n);
        else
            part *= relax(&dg->history);
    }
    add_part(dg, part);
    return PERP_SOLVED;
}

/* Whole increments, shortened ones where a body would turn too far, relaxed or mixed ones. */
perp_status perp_dg_advance(perp_step *step, perp_dg *dg)
{
    double angle = turn(dg), part = angle > 1.0 ? 1.0 / angle : 1.0;
    if (dg->njoints == 0)
        return advance_relaxed(step, dg, part);
    if (part < 1.0) {
        add_part(dg, part);
        perp_dg_history_forget(&dg->history);
        return PERP_SOLVED;
    }
    int n = dofs_of(dg) + perp_saddle_rows(&dg->saddle) + dg->smooth.rows;
    perp_status status = open_history(step, dg, n, step->iteration == 0);
    if (status != PERP_SOLVED)
        return status;
    pack(dg);
    mix(&dg->history, step->iteration >= (dg->clamped ? MIX_CLAMPED_AFTER : MIX_AFTER));
    unpack(dg, dg->history.mixed);
    return PERP_SOLVED;
}
