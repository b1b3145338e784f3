/* SPDX-License-Identifier: BSD-3-Clause */
/* How the directions G of a discrete gradient turn with the start q_k and the move D = h v_b of a
 * step.  Rows of contacts are H half way, the first of each plus a multiple of p' = (M v_b)':
 *
 *     G = H_m + f p',   f = miss/(h p.v_b),   miss = y_1 - y_0 - h H_m v_b,
 *     dmiss = H_1 dq_1 - H_0 dq_0 - h (dH_m) v_b - H_m dD
 *
 * in closed form with dH at q_m.  Those of joints are product rules along the step
 * (joint_gradient_turn.c); of other relations without a closed form, central differences where the
 * settings allow them. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "kernel/derivative/stage_build.h"
#include "kernel/relations/discrete_gradient.h"
#include "kernel/step/stepper.h"

static int make(perp_tape *tape, const perp_link *link, perp_tape_gradient_turn *out)
{
    int rows = link->rows, nv = link->nv;
    *out = (perp_tape_gradient_turn){.L_q = perp_tape_zeros(tape, nv, nv),
                                     .L_D = perp_tape_zeros(tape, nv, nv),
                                     .U_q = perp_tape_zeros(tape, rows, nv),
                                     .U_D = perp_tape_zeros(tape, rows, nv),
                                     .S_q = perp_tape_zeros(tape, rows, nv),
                                     .S_D = perp_tape_zeros(tape, rows, nv)};
    return out->L_q && out->L_D && out->U_q && out->U_D && out->S_q && out->S_D;
}

static int mass_varies(const perp_link *link)
{
    for (int k = 0; k < link->nsystems; k++)
        if (link->systems[k]->kind == PERP_SYSTEM_LAGRANGIAN &&
            link->systems[k]->as.lagrangian.mass)
            return 1;
    return 0;
}

/* (1 - theta) v' - lag of its systems. */
static void start_velocities(double *v, const perp_link *link, const perp_dg *dg)
{
    for (int k = 0; k < link->nsystems; k++) {
        const perp_system *s = link->systems[k];
        const double *lag = perp_dg_lag(dg, s);
        for (int i = 0; i < s->nv; i++)
            *v++ = (1.0 - dg->theta) * s->v_kept[i] - (lag ? lag[i] : 0.0);
    }
}

/* Arrays of one interaction. */
typedef struct desk {
    double *x, *T, *drift, *H_m, *v_1, *v_s, *v_b, *square, *rates, *turn, *P, *p, *dmiss;
} desk;

static double *lay_out(desk *d, const perp_tape *tape, perp_link *link)
{
    size_t N = (size_t)link->N, nv = (size_t)link->nv, rows = (size_t)link->rows;
    size_t square = (nv > rows ? nv * nv : nv * rows) + 2 * nv;
    size_t sizes[] = {N,         rows * nv * nv,
                      rows * nv, rows * nv,
                      nv,        nv,
                      nv,        square,
                      rows * nv, perp_tape_turn_numbers(tape, link),
                      nv * nv,   nv,
                      2 * nv};
    double **parts[] = {&d->x,      &d->T,     &d->drift, &d->H_m, &d->v_1, &d->v_s,  &d->v_b,
                        &d->square, &d->rates, &d->turn,  &d->P,   &d->p,   &d->dmiss};
    size_t total = 1;
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++)
        total += sizes[k];
    double *block = perp_pool_take_array((perp_pool *)&tape->pool, total, sizeof *block),
           *at = block;
    for (size_t k = 0; block && k < sizeof sizes / sizeof sizes[0]; at += sizes[k++])
        *parts[k] = at;
    return block;
}

/* out_q += m A, out_D += m B / 2 of a matrix m (rows x nv) by q_m. */
static void by_middle(double *out_q, double *out_D, const double *m, double *work, int rows,
                      const perp_tape *tape, const int *place, const perp_link *link,
                      const perp_tape_turns *half)
{
    size_t n = (size_t)rows * (size_t)link->nv;
    perp_tape_times_turns(work, m, rows, tape, place, link->nsystems, half->A, 1.0);
    for (size_t k = 0; k < n; k++)
        out_q[k] += work[k];
    perp_tape_times_turns(work, m, rows, tape, place, link->nsystems, half->B, 0.5);
    for (size_t k = 0; k < n; k++)
        out_D[k] += work[k];
}

static double dot(const double *a, const double *b, int n)
{
    double sum = 0.0;
    for (int k = 0; k < n; k++)
        sum += a[k] * b[k];
    return sum;
}

/* The move of row i: by q_k in dmiss, by D in dmiss + nv. */
static void miss_of_row(desk *d, const perp_tape *tape, const int *place, const perp_link *link,
                        int i, double h, const perp_tape_turns *whole, const perp_tape_turns *half,
                        const double *H0, const double *H1)
{
    size_t rows = (size_t)link->rows, nv = (size_t)link->nv;
    double *row = d->square, *out = d->square + nv;
    double *by_q = d->dmiss, *by_D = d->dmiss + nv;
    for (size_t j = 0; j < nv; j++)
        row[j] = H1[(size_t)i + j * rows];
    perp_tape_times_turns(by_q, row, 1, tape, place, link->nsystems, whole->A, 1.0);
    perp_tape_times_turns(by_D, row, 1, tape, place, link->nsystems, whole->B, 1.0);
    for (size_t k = 0; k < nv; k++) {
        double sum = 0.0;
        for (size_t j = 0; j < nv; j++)
            sum += d->T[(size_t)i + (j + k * nv) * rows] * d->v_b[j];
        row[k] = sum;
        by_q[k] -= H0[(size_t)i + k * rows];
        by_D[k] -= d->H_m[(size_t)i + k * rows];
    }
    perp_tape_times_turns(out, row, 1, tape, place, link->nsystems, half->A, h);
    for (size_t k = 0; k < nv; k++)
        by_q[k] -= out[k];
    perp_tape_times_turns(out, row, 1, tape, place, link->nsystems, half->B, 0.5 * h);
    for (size_t k = 0; k < nv; k++)
        by_D[k] -= out[k];
}

/* p of the row, its product with v_b, and P: p = P v_b. */
static int direction(desk *d, perp_link *link, int i, double *square)
{
    int refused = perp_link_gradient_direction(d->p, square, link, d->H_m, i);
    double *column = d->P, none;
    for (int m = 0; m < link->nsystems; m++)
        memset(link->systems[m]->v[PERP_GUESS], 0, sizeof(double) * (size_t)link->systems[m]->nv);
    for (int k = 0; k < link->nsystems; k++)
        for (int j = 0; j < link->systems[k]->nv && !refused; j++, column += link->nv) {
            double *v = link->systems[k]->v[PERP_GUESS];
            v[j] = 1.0;
            refused = perp_link_gradient_direction(column, &none, link, d->H_m, i);
            v[j] = 0.0;
        }
    const double *from = d->v_b;
    for (int m = 0; m < link->nsystems; from += link->systems[m++]->nv)
        memcpy(link->systems[m]->v[PERP_GUESS], from,
               sizeof(double) * (size_t)link->systems[m]->nv);
    return refused;
}

/* G of row i is H half way plus f p'. */
static void add_correction(perp_tape_gradient_turn *out, const desk *d, const perp_link *link,
                           int i, double h, double f, double square)
{
    size_t rows = (size_t)link->rows, nv = (size_t)link->nv;
    double along_1 = dot(d->p, d->v_1, link->nv), along_s = dot(d->p, d->v_s, link->nv);
    double lambda = link->lambda[i];
    for (size_t k = 0; k < nv; k++) {
        const double *P = d->P + k * nv;
        double f_q = d->dmiss[k] / (h * square);
        double f_D = (d->dmiss[nv + k] - 2.0 * f * d->p[k]) / (h * square);
        size_t at = (size_t)i + k * rows;
        out->U_q[at] += f_q * along_1;
        out->S_q[at] += f_q * along_s;
        out->U_D[at] += f_D * along_1 + f / h * dot(P, d->v_1, link->nv);
        out->S_D[at] += f_D * along_s + f / h * dot(P, d->v_s, link->nv);
        for (size_t j = 0; j < nv; j++) {
            out->L_q[j + k * nv] += lambda * d->p[j] * f_q;
            out->L_D[j + k * nv] += lambda * (d->p[j] * f_D + f / h * P[j]);
        }
    }
}

/* dp of row i by a parameter: of the mass or inertia of system k, which begins at `at`. */
static void direction_by_mass(double *dp, const desk *d, const perp_link *link, int k, int at,
                              const perp_tape_parameter *p)
{
    const perp_system *s = link->systems[k];
    const double *v = d->v_b;
    memset(dp, 0, sizeof(double) * (size_t)link->nv);
    if (s->kind != PERP_SYSTEM_BODY) {
        dp[at + p->row] = v[at + p->column];
    } else if (p->quantity == PERP_TAPE_INERTIA) {
        memcpy(dp + at + 3, d->p + at + 3, 3 * sizeof(double));
    } else if (link->nsystems == 2 && d->p[0] == -d->p[6] && d->p[1] == -d->p[7] &&
               d->p[2] == -d->p[8]) {
        double own = s->as.body.mass, other = link->systems[1 - k]->as.body.mass;
        double part = other / (own + other) * (other / (own + other));
        for (int i = 0; i < 3; i++) {
            dp[i] = part * (v[i] - v[6 + i]);
            dp[6 + i] = -dp[i];
        }
    } else {
        memcpy(dp + at, v + at, 3 * sizeof(double));
    }
}

/* f p' by the masses and inertias that are parameters. */
static int add_masses(perp_tape *tape, perp_tape_gradient_turn *out, const desk *d,
                      const perp_link *link, int i, double f, double square)
{
    int at = 0, n = link->nv;
    for (int k = 0; k < link->nsystems; at += link->systems[k++]->nv)
        for (int j = 0; j < tape->nparameters; j++) {
            const perp_tape_parameter *p = &tape->parameters[j];
            const perp_tape_system *own = &tape->systems[tape->place[link->systems[k]->slot]];
            if ((p->quantity != PERP_TAPE_MASS && p->quantity != PERP_TAPE_INERTIA) ||
                (int)p->system.index != own->slot || p->system.generation != own->generation)
                continue;
            perp_tape_direction *made = PERP_TAPE_ARRAY(tape, perp_tape_direction, 1);
            double *dp = PERP_TAPE_ARRAY(tape, double, n);
            if (!made || !dp)
                return 0;
            direction_by_mass(dp, d, link, k, at, p);
            double grows = dot(dp, d->v_b, n) / square;
            *made = (perp_tape_direction){j, i, dp, 0.0, out->by_mass};
            for (int l = 0; l < n; l++)
                dp[l] = f * (dp[l] - grows * d->p[l]);
            made->rate = dot(dp, d->v_1, n);
            for (int l = 0; l < n; l++)
                dp[l] *= link->lambda[i];
            out->by_mass = made;
        }
    return 1;
}

/* The largest entry of p tells f. */
static double factor_of(const desk *d, const perp_link *link, int i)
{
    int largest = 0, rows = link->rows;
    for (int j = 1; j < link->nv; j++)
        largest = fabs(d->p[j]) > fabs(d->p[largest]) ? j : largest;
    return d->p[largest] != 0.0
               ? (link->left[i + largest * rows] - d->H_m[i + largest * rows]) / d->p[largest]
               : 0.0;
}

static int is_corrected(const desk *d, const perp_link *link, int i)
{
    for (int j = 0; j < link->nv; j++)
        if (link->left[i + j * link->rows] != d->H_m[i + j * link->rows])
            return 1;
    return 0;
}

static perp_status closed(perp_tape *tape, perp_step *step, const perp_dg *dg, perp_link *link,
                          const perp_tape_turns *whole, const perp_tape_turns *half,
                          const double *H0, const double *H1, perp_tape_gradient_turn *out, desk *d)
{
    int rows = link->rows, nv = link->nv;
    double middle = step->t + 0.5 * dg->h;
    const int *place = perp_tape_places(tape, link);
    if (!place)
        return PERP_ERR_MEMORY;
    perp_tape_gather_q(d->x, link, PERP_GUESS);
    perp_tape_gather_v(d->v_1, link, PERP_NOW);
    perp_tape_gather_v(d->v_b, link, PERP_GUESS);
    start_velocities(d->v_s, link, dg);
    perp_status status = perp_tape_turn_at(tape, link, middle, d->x, d->T, d->drift, d->turn);
    if (status != PERP_SOLVED)
        return status;
    if (perp_link_jacobian(d->H_m, link, middle, d->x, link->lambda))
        return PERP_INTERRUPTED;
    double *m = perp_tape_work(tape, (size_t)(nv > rows ? nv : rows) * (size_t)nv);
    if (!m)
        return PERP_ERR_MEMORY;
    perp_tape_along_impulse(d->square, d->T, rows, nv, link->lambda);
    by_middle(out->L_q, out->L_D, d->square, m, nv, tape, place, link, half);
    perp_tape_along_velocity(d->rates, d->T, d->drift, 1.0, rows, nv, d->v_1);
    by_middle(out->U_q, out->U_D, d->rates, m, rows, tape, place, link, half);
    perp_tape_along_velocity(d->rates, d->T, d->drift, 1.0 - dg->theta, rows, nv, d->v_s);
    by_middle(out->S_q, out->S_D, d->rates, m, rows, tape, place, link, half);
    for (int i = 0; i < rows; i += link->law.dim) {
        double square;
        if (!is_corrected(d, link, i))
            continue;
        int refused = direction(d, link, i, &square);
        if (refused)
            return PERP_INTERRUPTED;
        miss_of_row(d, tape, place, link, i, dg->h, whole, half, H0, H1);
        double f = factor_of(d, link, i);
        add_correction(out, d, link, i, dg->h, f, square);
        if (!add_masses(tape, out, d, link, i, f, square))
            return PERP_ERR_MEMORY;
    }
    return PERP_SOLVED;
}

/* The states that a discrete gradient reads: to `kept`, or back. */
static void hold(double *kept, perp_link *link, int back)
{
    for (int k = 0; k < link->nsystems; k++) {
        perp_system *s = link->systems[k];
        double *parts[] = {s->q[PERP_START], s->q[PERP_GUESS], s->q[PERP_NOW], s->v[PERP_GUESS]};
        for (int m = 0; m < 4; m++) {
            size_t count = (size_t)(m < 3 ? s->nq : s->nv);
            memcpy(back ? parts[m] : kept, back ? kept : parts[m], count * sizeof(double));
            kept += count;
        }
    }
}

static void add_scaled(double *restrict y, const double *restrict x, double scale, size_t n)
{
    for (size_t i = 0; i < n; i++)
        y[i] += scale * x[i];
}

/* The stencil: G and drift at these states added with a weight. */
static int add_point(double *sum, double weight, perp_step *step, const perp_dg *dg,
                     perp_link *link, double *work)
{
    size_t rows = (size_t)link->rows, nv = (size_t)link->nv;
    double *G = work, *drift = G + rows * nv, *y0 = drift + rows, *y1 = y0 + rows, *x = y1 + rows;
    perp_tape_gather_q(x, link, PERP_START);
    if (perp_link_output(y0, link, step->t, x, link->lambda))
        return 1;
    if (perp_link_discrete_gradient(G, drift, y1, link, step->t, dg->h, y0, link->lambda))
        return 1;
    add_scaled(sum, G, weight, rows * nv + rows);
    return 0;
}

/* The derivatives by a coordinate of G and drift become those of what they are multiplied with. */
static void fill_column(perp_tape_gradient_turn *out, int by_D, int column, const double *sum,
                        const perp_dg *dg, const perp_link *link, const double *v_1,
                        const double *v_s)
{
    size_t rows = (size_t)link->rows, nv = (size_t)link->nv, at = (size_t)column;
    const double *drift = sum + rows * nv;
    double *L = (by_D ? out->L_D : out->L_q) + at * nv;
    double *U = (by_D ? out->U_D : out->U_q) + at * rows;
    double *S = (by_D ? out->S_D : out->S_q) + at * rows;
    for (size_t i = 0; i < rows; i++) {
        U[i] = drift[i];
        S[i] = (1.0 - dg->theta) * drift[i];
    }
    for (size_t j = 0; j < nv; j++) {
        const double *G = sum + j * rows;
        L[j] = 0.0;
        for (size_t i = 0; i < rows; i++) {
            U[i] += G[i] * v_1[j];
            S[i] += G[i] * v_s[j];
            L[j] += G[i] * link->lambda[i];
        }
    }
}

/* Coordinate j of system k moved: of the start, or of D. */
static void move_states(perp_link *link, int k, int j, int by_D, double by, double h, double *unit)
{
    perp_system *s = link->systems[k];
    memset(unit, 0, sizeof(double) * (size_t)s->nv);
    unit[j] = 1.0;
    if (by_D)
        s->v[PERP_GUESS][j] += by / h;
    else
        perp_system_move(s->q[PERP_START], s, s->q[PERP_START], unit, by);
    perp_system_move(s->q[PERP_GUESS], s, s->q[PERP_START], s->v[PERP_GUESS], 0.5 * h);
    perp_system_move(s->q[PERP_NOW], s, s->q[PERP_START], s->v[PERP_GUESS], h);
}

/* The derivatives by coordinate j of system k: central differences. */
static int one_column(double *sum, int by_D, int k, int j, perp_step *step, const perp_dg *dg,
                      perp_link *link, const double *kept, double *work)
{
    const perp_system *s = link->systems[k];
    int turn = s->kind == PERP_SYSTEM_BODY && j >= 3;
    double by = cbrt(DBL_EPSILON) * fmax(1.0, turn ? 0.0 : fabs(s->q[PERP_START][j]));
    memset(sum, 0, sizeof(double) * (size_t)link->rows * (size_t)(link->nv + 1));
    for (int side = -1; side <= 1; side += 2) {
        move_states(link, k, j, by_D, side * by, dg->h, work);
        int refused = add_point(sum, 0.5 * side / by, step, dg, link, work);
        hold((double *)kept, link, 1);
        if (refused)
            return 1;
    }
    return 0;
}

static perp_status by_differences(perp_tape *tape, perp_step *step, const perp_dg *dg,
                                  perp_link *link, perp_tape_gradient_turn *out)
{
    size_t rows = (size_t)link->rows, nv = (size_t)link->nv, N = (size_t)link->N;
    size_t points = rows * nv + rows, work = points + 2 * rows + N + nv;
    double *kept =
        perp_pool_take_array(&tape->pool, 3 * N + 3 * nv + points + work + 1, sizeof *kept);
    double *v_1 = kept ? kept + 3 * N + nv : NULL, *v_s = kept ? v_1 + nv : NULL,
           *sum = kept ? v_s + nv : NULL;
    int refused = 0, column = 0;
    if (!kept)
        return PERP_ERR_MEMORY;
    hold(kept, link, 0);
    perp_tape_gather_v(v_1, link, PERP_NOW);
    start_velocities(v_s, link, dg);
    for (int k = 0; k < link->nsystems && !refused; k++)
        for (int j = 0; j < link->systems[k]->nv && !refused; j++, column++)
            for (int by_D = 0; by_D < 2 && !refused; by_D++) {
                refused = one_column(sum, by_D, k, j, step, dg, link, kept, sum + points);
                if (!refused)
                    fill_column(out, by_D, column, sum, dg, link, v_1, v_s);
            }
    perp_pool_give(&tape->pool, kept);
    return refused ? PERP_INTERRUPTED : PERP_SOLVED;
}

/* Joints and couplings, in closed form. */
static perp_status coordinates(perp_tape *tape, const perp_dg *dg, const perp_link *link,
                               perp_tape_gradient_turn *out)
{
    size_t nv = (size_t)link->nv;
    double *v_1 = perp_tape_work(tape, 2 * nv), *v_s = v_1 ? v_1 + nv : NULL;
    if (!v_1)
        return PERP_ERR_MEMORY;
    perp_tape_gather_v(v_1, link, PERP_NOW);
    start_velocities(v_s, link, dg);
    perp_tape_turn_coordinate(out, link, dg, v_1, v_s);
    return PERP_SOLVED;
}

/* Masses in the direction of rows that were corrected. */
static perp_status masses_alone(perp_tape *tape, perp_step *step, const perp_dg *dg,
                                perp_link *link, perp_tape_gradient_turn *out)
{
    desk d;
    double *block = lay_out(&d, tape, link);
    if (!block)
        return PERP_ERR_MEMORY;
    perp_tape_gather_q(d.x, link, PERP_GUESS);
    perp_tape_gather_v(d.v_1, link, PERP_NOW);
    perp_tape_gather_v(d.v_b, link, PERP_GUESS);
    int refused = perp_link_jacobian(d.H_m, link, step->t + 0.5 * dg->h, d.x, link->lambda),
        fine = 1;
    for (int i = 0; i < link->rows && !refused && fine; i += link->law.dim) {
        double square;
        if (!is_corrected(&d, link, i))
            continue;
        refused = direction(&d, link, i, &square);
        fine = add_masses(tape, out, &d, link, i, factor_of(&d, link, i), square);
    }
    perp_pool_give(&tape->pool, block);
    return !fine ? PERP_ERR_MEMORY : refused ? PERP_INTERRUPTED : PERP_SOLVED;
}

/* Parameters z of a system whose mass depends on them, in the same direction. */
static perp_status by_z(perp_tape *tape, perp_step *step, const perp_dg *dg, perp_link *link,
                        perp_tape_gradient_turn *out)
{
    int rows = link->rows, nv = link->nv;
    double *G = perp_tape_zeros(tape, rows, nv + 2), *y1 = G ? G + rows * nv : NULL;
    if (!G)
        return PERP_ERR_MEMORY;
    perp_tape_gather_v(link->V, link, PERP_NOW);
    for (int k = 0; k < link->nsystems; k++)
        for (int j = 0; j < tape->nparameters; j++) {
            const perp_tape_parameter *p = &tape->parameters[j];
            perp_system *s = link->systems[k];
            const perp_tape_system *own = &tape->systems[tape->place[s->slot]];
            if (p->quantity != PERP_TAPE_Z || (int)p->system.index != own->slot ||
                p->system.generation != own->generation || p->row >= s->nz)
                continue;
            double value = s->z[p->row], by = cbrt(DBL_EPSILON) * fmax(1.0, fabs(value));
            perp_tape_direction *made = PERP_TAPE_ARRAY(tape, perp_tape_direction, rows);
            double *force = PERP_TAPE_ARRAY(tape, double, nv *(1 + rows));
            if (!made || !force)
                return PERP_ERR_MEMORY;
            for (int side = -1; side <= 1; side += 2) {
                s->z[p->row] = value + side * by;
                int refused = perp_link_discrete_gradient(G, y1 + rows, y1, link, step->t, dg->h,
                                                          link->y_start, link->lambda);
                s->z[p->row] = value;
                if (refused)
                    return PERP_INTERRUPTED;
                for (int i = 0; i < rows; i++)
                    for (int l = 0; l < nv; l++) {
                        double slope = side * G[i + l * rows] / (2.0 * by);
                        force[l] += slope * link->lambda[i];
                        made[i].rate += slope * link->V[l];
                    }
            }
            for (int i = 0; i < rows; i++) {
                made[i] = (perp_tape_direction){j, i, i ? force + nv * i : force, made[i].rate,
                                                out->by_mass};
                out->by_mass = &made[i];
            }
        }
    return PERP_SOLVED;
}

perp_status perp_tape_turn_gradient(perp_tape *tape, perp_step *step, const perp_dg *dg,
                                    perp_link *link, const perp_tape_turns *whole,
                                    const perp_tape_turns *half, const double *H0, const double *H1,
                                    perp_tape_gradient_turn *out)
{
    perp_turn_source source = perp_tape_turn_source(tape, link);
    desk d;
    if (!make(tape, link, out))
        return PERP_ERR_MEMORY;
    out->nothing = source == PERP_TURN_NONE;
    if (out->nothing)
        return PERP_SOLVED;
    if (perp_link_is_coordinate(link))
        return coordinates(tape, dg, link, out);
    if (source == PERP_TURN_DIFFERENCES || perp_link_has_drift(link) || mass_varies(link)) {
        if (!tape->settings.differences)
            return perp_tape_refuse_link(tape, link,
                                         "no derivative of its discrete gradient is known: set "
                                         "differences");
        tape->info.differences = 1;
        perp_status status = by_differences(tape, step, dg, link, out);
        if (status == PERP_SOLVED)
            status = masses_alone(tape, step, dg, link, out);
        return status == PERP_SOLVED && mass_varies(link) ? by_z(tape, step, dg, link, out)
                                                          : status;
    }
    double *block = lay_out(&d, tape, link);
    if (!block)
        return PERP_ERR_MEMORY;
    perp_status status = closed(tape, step, dg, link, whole, half, H0, H1, out, &d);
    perp_pool_give(&tape->pool, block);
    return status;
}
