/* SPDX-License-Identifier: BSD-3-Clause */
/* Interactions: impulse and work, the law, action and reaction. */
#include <math.h>
#include <string.h>

#include <perp/rotation.h>

#include "kernel/certificate/certificate.h"
#include "kernel/laws/law.h"

/* Rates of one link: rows each, behind the pairing in c->row. */
typedef struct rates {
    double *before, *after, *mean, *compliance; /* H M^-1 H' on the diagonal of M */
    double *part;                               /* nv: H' impulse */
} rates;

static int width_of(const perp_link *link)
{
    return link->rows > link->nv ? link->rows : link->nv;
}

void perp_certificate_pairing(perp_certificate *c, perp_link *link, perp_pairing *pairing)
{
    size_t width = (size_t)width_of(link);
    memset(c->row, 0, 3 * width * sizeof(double));
    *pairing = (perp_pairing){.H = link->H,
                              .drift = c->row,
                              .offset = c->row + width,
                              .impulse = c->row + 2 * width,
                              .box = 1.0,
                              .at = -1};
}

double *perp_certificate_swing(perp_certificate *c, const perp_link *link)
{
    return c->row + 8 * (size_t)width_of(link);
}

static rates rates_of(perp_certificate *c, const perp_link *link)
{
    size_t width = (size_t)width_of(link);
    double *first = c->row + 3 * width;
    return (rates){first, first + width, first + 2 * width, first + 3 * width, first + 4 * width};
}

/* Column j of a system: its part of H' impulse and of the rates.  Inlined with a known number of
 * rows. */
static inline void act_column(double *restrict before, double *restrict after,
                              double *restrict mean, double *restrict compliance, int rows,
                              const double *H, const perp_system *s, int j)
{
    const perp_ledger *l = &s->ledger;
    double v = s->v[PERP_NOW][j], v_k = l->before[j], vb = l->mean[j], w = l->weight[j];
    for (int i = 0; i < rows; i++) {
        before[i] += H[i] * v_k;
        after[i] += H[i] * v;
        mean[i] += H[i] * vb;
        compliance[i] += H[i] * H[i] * w;
    }
}

/* Three rows, as most contacts have. */
static void act_on_three(perp_system *s, const double *H, const double *impulse, rates *r,
                         double *part)
{
    double before[3], after[3], mean[3], compliance[3];
    double p[3] = {impulse[0], impulse[1], impulse[2]};
    size_t bytes = sizeof before;
    memcpy(before, r->before, bytes);
    memcpy(after, r->after, bytes);
    memcpy(mean, r->mean, bytes);
    memcpy(compliance, r->compliance, bytes);
    for (int j = 0; j < s->nv; j++, H += 3) {
        double a = H[0] * p[0], b = H[1] * p[1], c = H[2] * p[2];
        part[j] = a + b + c;
        s->ledger.input[j] += part[j];
        s->ledger.magnitude[j] += fabs(a) + fabs(b) + fabs(c);
        act_column(before, after, mean, compliance, 3, H, s, j);
    }
    memcpy(r->before, before, bytes);
    memcpy(r->after, after, bytes);
    memcpy(r->mean, mean, bytes);
    memcpy(r->compliance, compliance, bytes);
}

/* Any number of them; inlined with those of joints known. */
static inline __attribute__((always_inline)) void act_on_rows(perp_system *s, const double *H,
                                                              const double *impulse, const rates *r,
                                                              double *part, int rows)
{
    for (int j = 0; j < s->nv; j++, H += rows) {
        double sum = 0.0, all = 0.0;
        for (int i = 0; i < rows; i++) {
            sum += H[i] * impulse[i];
            all += fabs(H[i] * impulse[i]);
        }
        part[j] = sum;
        s->ledger.input[j] += sum;
        s->ledger.magnitude[j] += all;
        act_column(r->before, r->after, r->mean, r->compliance, rows, H, s, j);
    }
}

/* H' impulse of all systems, and the rates of all rows. */
static void act(perp_link *link, const perp_pairing *pairing, rates *r)
{
    int rows = link->rows;
    const double *H = pairing->H, *impulse = pairing->impulse;
    double *part = r->part;
    for (int i = 0; i < rows; i++) {
        r->before[i] = r->after[i] = pairing->drift[i];
        r->mean[i] = r->compliance[i] = 0.0;
    }
    for (int k = 0; k < link->nsystems; k++) {
        perp_system *s = link->systems[k];
        size_t size = (size_t)rows * (size_t)s->nv;
        if (rows == 3)
            act_on_three(s, H, impulse, r, part);
        else if (rows == 5)
            act_on_rows(s, H, impulse, r, part, 5);
        else if (rows == 1)
            act_on_rows(s, H, impulse, r, part, 1);
        else
            act_on_rows(s, H, impulse, r, part, rows);
        H += size;
        part += s->nv;
    }
}

/* What entry j of an input is made of: its terms may cancel each other, as relays do that hold a
 * state at rest. */
static double size_of_input(const perp_link *link, double impulse, int j)
{
    double sum = 0.0;
    for (int i = 0; !link->symmetric && link->right && i < link->rows; i++)
        sum += fabs(link->right[(size_t)j + (size_t)i * (size_t)link->nv] * link->lambda[i]);
    return perp_larger(fabs(impulse), sum);
}

/* An input of its own: the work of forces. */
static void act_input(perp_certificate *c, perp_link *link, const perp_pairing *pairing)
{
    const double *impulse = pairing->impulse;
    int at = 0;
    for (int k = 0; k < link->nsystems; k++) {
        perp_system *s = link->systems[k];
        perp_ledger *l = &s->ledger;
        for (int j = 0; j < s->nv; j++, impulse++, at++) {
            l->input[j] += *impulse;
            l->magnitude[j] += size_of_input(link, *impulse, at);
            if (link->second_order)
                c->step.boxes += *impulse * l->mean[j];
        }
        perp_certificate_root(s)->ledger.world = 1;
    }
}

/* Work of the rows from to to - 1 on the relative velocity, and the part of the obstacle. */
static double work_of(perp_certificate *c, const perp_pairing *pairing, const rates *r, int from,
                      int to)
{
    double work = 0.0;
    for (int i = from; i < to; i++) {
        double wall = pairing->impulse[i] * pairing->drift[i];
        c->step.walls -= wall;
        work += pairing->impulse[i] * r->mean[i] + wall;
    }
    return work;
}

static double energy_of_spring(double k, double y)
{
    return y < 0.0 ? 0.5 * k * y * y : 0.0;
}

/* Contacts with a stiffness: the work along the normal is that of a spring, which may come back,
 * but not more than it holds. */
static void add_soft_works(perp_certificate *c, const perp_link *link, const perp_pairing *pairing,
                           const rates *r)
{
    perp_certificate_step *step = &c->step;
    int dim = link->law.dim;
    double k = link->law.stiffness;
    for (int i = 0; i < link->rows; i += dim) {
        double y = link->y_start[i], end = y + c->h * (r->mean[i] + pairing->drift[i]);
        double normal = work_of(c, pairing, r, i, i + 1);
        double friction = work_of(c, pairing, r, i + 1, i + dim);
        double gained = normal + energy_of_spring(k, end) - energy_of_spring(k, y);
        step->boxes += normal;
        step->contact += fabs(friction) + fabs(gained);
        step->positive += friction > 0.0 || isnan(friction) ? friction : 0.0;
        step->positive += gained > 0.0 || isnan(gained) ? gained : 0.0;
        perp_certificate_note(c, PERP_MEASURE_contact_work, fmax(friction, gained), NULL, link);
    }
}

/* Work of its impulse along what impacts before the smooth step leave out of the mean velocity. */
static double along_lag(const perp_link *link, const rates *r)
{
    const double *part = r->part;
    double work = 0.0;
    for (int k = 0; k < link->nsystems; part += link->systems[k++]->nv)
        for (int j = 0; link->systems[k]->ledger.lag && j < link->systems[k]->nv; j++)
            work += part[j] * link->systems[k]->ledger.lag[j];
    return work;
}

static int lags(const perp_link *link)
{
    for (int k = 0; k < link->nsystems; k++)
        if (link->systems[k]->ledger.lag)
            return 1;
    return 0;
}

/* What a contact gives, of its work on the velocity that moves the positions.  A theta above 1/2
 * weighs that, so that an impact with restitution has a positive work on it, while it takes kinetic
 * energy; friction that reverses a slip is the other way round.  The difference is theta's own. */
static double given_by(const perp_link *link, const perp_pairing *pairing, const rates *r, int from,
                       int to, double work)
{
    double kinetic = 0.0;
    for (int i = from; i < to; i++)
        kinetic += pairing->impulse[i] * 0.5 * (r->before[i] + r->after[i]);
    return isnan(work) || isnan(kinetic) ? NAN : lags(link) ? work : fmin(work, kinetic);
}

static void add_works(perp_certificate *c, const perp_link *link, const perp_pairing *pairing,
                      const rates *r)
{
    perp_certificate_step *step = &c->step;
    perp_law_kind law = link->law.kind;
    int dim = link->law.dim;
    int friction = link->law.drive == PERP_DRIVE_FRICTION;
    if ((law == PERP_LAW_BOX && !friction) ||
        perp_link_has_feedthrough(link)) { /* forces, springs */
        for (int i = 0; i < link->rows; i++)
            step->boxes += pairing->impulse[i] * r->mean[i];
        return;
    }
    if (perp_law_gives_way(&link->law) && perp_law_is_soft(&link->law)) {
        add_soft_works(c, link, pairing, r);
        return;
    }
    for (int i = 0; i < link->rows; i += dim) {
        double work = work_of(c, pairing, r, i, i + dim);
        if (law == PERP_LAW_EQUALITY) {
            step->joint += work;
            step->joint_size += fabs(work);
            perp_certificate_note(c, PERP_MEASURE_joint_work, fabs(work), NULL, link);
        } else {
            double given = given_by(link, pairing, r, i, i + dim, work);
            step->contact += fabs(given);
            step->positive += given > 0.0 || isnan(given) ? given : 0.0;
            perp_certificate_note(c, PERP_MEASURE_contact_work, given, NULL, link);
        }
    }
    if (law != PERP_LAW_EQUALITY)
        step->crossed += along_lag(link, r);
}

/* Projection of x, dim entries, on the cone |x_T| <= mu x_N. */
static void project_cone(double *x, int dim, double mu)
{
    double t = dim == 3 ? sqrt(x[1] * x[1] + x[2] * x[2]) : fabs(x[1]);
    if (t <= mu * x[0])
        return;
    double along = (x[0] + mu * t) / (1.0 + mu * mu);
    if (along <= 0.0) {
        memset(x, 0, sizeof(double) * (size_t)dim);
        return;
    }
    x[0] = along;
    for (int i = 1; i < dim; i++)
        x[i] *= mu * along / t;
}

/* The nearest point to (n, a_k) with 0 <= a_k <= mu_k n: that on a face which is feasible and
 * nearest.  x: n, then a_k of so many parts. */
static void nearest_rolling(double *x, const double *mu, int parts)
{
    double best = HUGE_VAL, found[1 + PERP_LAW_PARTS] = {0.0};
    for (int face = 0; face <= 1 << parts; face++) {
        double along = x[0], square = 1.0, at[1 + PERP_LAW_PARTS] = {0.0};
        int apex = face == 1 << parts, fits = 1;
        for (int k = 0; k < parts; k++) {
            double m = face >> k & 1 ? mu[k] : 0.0;
            along += m * x[1 + k];
            square += m * m;
        }
        at[0] = apex ? 0.0 : along / square;
        double slack = fabs(at[0]), far = (at[0] - x[0]) * (at[0] - x[0]);
        for (int k = 0; k < parts; k++) {
            at[1 + k] = apex ? 0.0 : face >> k & 1 ? mu[k] * at[0] : x[1 + k];
            slack += fabs(at[1 + k]);
            far += (at[1 + k] - x[1 + k]) * (at[1 + k] - x[1 + k]);
        }
        for (int k = 0; k < parts; k++)
            fits &= at[1 + k] <= mu[k] * at[0] + 1e-14 * slack;
        if (!fits || at[0] < 0.0 || far >= best)
            continue;
        best = far;
        memcpy(found, at, sizeof found);
    }
    memcpy(x, found, sizeof(double) * (size_t)(1 + parts));
}

static double length_of(const double *x, int n)
{
    return n == 2 ? hypot(x[0], x[1]) : fabs(x[0]);
}

static double length_of_part(const double *x, const perp_law *law, int k)
{
    perp_law_part part = perp_law_part_of(law, k);
    return length_of(x + part.first, part.rows);
}

/* x of 3 to 6 rows, the moments and their bounds over a length. */
static void project_rolling(double *x, const perp_law *law, const double *mu)
{
    double to[1 + PERP_LAW_PARTS] = {x[0]}, a[PERP_LAW_PARTS];
    int parts = perp_law_parts(law);
    for (int k = 0; k < parts; k++)
        to[1 + k] = a[k] = length_of_part(x, law, k);
    nearest_rolling(to, mu, parts);
    x[0] = to[0];
    for (int k = 0; k < parts; k++) {
        perp_law_part part = perp_law_part_of(law, k);
        for (int i = part.first; i < part.first + part.rows; i++)
            x[i] *= a[k] > 0.0 ? to[1 + k] / a[k] : 0.0;
    }
}

/* The same as law_defect() with rolling or torsional friction.  A length makes moments and turns to
 * impulses and rates: l^2 = compliance of slip over that of turns. */
static double rolling_defect(const perp_law *law, const double *impulse, const double *w,
                             const double *compliance)
{
    int n = perp_law_slips(law), dim = law->dim;
    double c = compliance[0], turns = compliance[n + 1], mu[PERP_PARAMETERS], sum = 0.0;
    double x[PERP_LAW_ROWS], p[PERP_LAW_ROWS];
    for (int i = 1; i <= n; i++)
        c = perp_larger(c, compliance[i]);
    double l = turns > 0.0 ? sqrt(c / turns) : 1.0;
    for (int i = 0; i < dim; i++) {
        p[i] = i > n ? impulse[i] / l : impulse[i];
        x[i] = p[i] - (i > n ? l * w[i] : w[i]) / c;
    }
    perp_law_parameters(mu, law);
    double shift = 0.0;
    for (int k = 0; k < perp_law_parts(law); k++) {
        shift += mu[k] * length_of_part(w, law, k);
        mu[k] = k ? mu[k] / l : mu[k];
    }
    x[0] -= shift / c;
    project_rolling(x, law, mu);
    for (int i = 0; i < dim; i++)
        sum += (p[i] - x[i]) * (p[i] - x[i]);
    return sqrt(sum * c);
}

/* |p - projection of (p - w / compliance)| of one relation, over sqrt(M) as impulses are. */
static double law_defect(const perp_law *law, const double *impulse, const double *w,
                         double compliance, double h)
{
    double x[3] = {0.0, 0.0, 0.0}, r[3], sum = 0.0;
    int dim = law->dim;
    for (int i = 0; i < dim; i++)
        x[i] = impulse[i] - w[i] / compliance;
    if (law->kind == PERP_LAW_FRICTION) {
        double slip = dim == 3 ? sqrt(w[1] * w[1] + w[2] * w[2]) : fabs(w[1]);
        x[0] -= law->mu * slip / compliance;
        project_cone(x, dim, law->mu);
    } else if (law->kind == PERP_LAW_BOX) {
        x[0] = fmin(perp_larger(x[0], h * law->lo), h * law->hi);
    } else if (law->kind != PERP_LAW_EQUALITY) {
        x[0] = perp_larger(x[0], 0.0);
    }
    for (int i = 0; i < dim; i++) {
        r[i] = impulse[i] - x[i];
        sum += r[i] * r[i];
    }
    return sqrt(sum * compliance);
}

/* Of the momenta of a step: what springs press by the rounding of a gap where bodies touch in free
 * flight, and what sums of the momenta round. */
static const double NO_FORCE = 1e-8, NO_IMPULSE = 1e-14, OF_FORCES = 1e-2;

/* A momentum, in sqrt(energy). */
static double size_of(const perp_system *s, const double *momentum)
{
    double square = 0.0;
    for (int i = 0; i < s->nv; i++)
        square += momentum[i] * momentum[i] * s->ledger.weight[i];
    return sqrt(square);
}

/* Momenta of the systems of a link in the step, as impulses are measured. */
static double momentum_scale(const perp_link *link)
{
    double scale = 0.0;
    for (int k = 0; k < link->nsystems; k++) {
        const perp_ledger *l = &link->systems[k]->ledger;
        scale = perp_larger(scale, perp_larger(l->scale, size_of(link->systems[k], l->change)));
    }
    return scale;
}

/* What forces give its systems in the step, the largest: impulses far below that, of bodies that
 * touch in free flight, are compared with a part of it. */
static double force_scale(const perp_link *link)
{
    double scale = 0.0;
    for (int k = 0; k < link->nsystems; k++)
        scale = perp_larger(scale, size_of(link->systems[k], link->systems[k]->ledger.driven));
    return scale;
}

double perp_certificate_defect(const perp_law *law, const double *impulse, const double *w,
                               const double *compliance, double h)
{
    double largest = 0.0;
    if (perp_law_rolls(law))
        return rolling_defect(law, impulse, w, compliance);
    for (int i = 0; i < law->dim; i++)
        largest = perp_larger(largest, compliance[i]);
    return largest > 0.0 ? law_defect(law, impulse, w, largest, h) : 0.0;
}

/* Relation k of the link. */
static void note_one_law(perp_certificate *c, const perp_link *link, const perp_pairing *pairing,
                         const rates *r, int k)
{
    perp_certificate_step *step = &c->step;
    int dim = link->law.dim, first = k * dim;
    double w[PERP_LAW_ROWS] = {0.0}, compliance = 0.0, impulse = 0.0, rate = 0.0, jump = 0.0;
    int rolls = perp_law_rolls(&link->law), straight = rolls ? 1 + perp_law_slips(&link->law) : dim;
    for (int i = 0; i < dim; i++) {
        double before = r->before[first + i], p = pairing->impulse[first + i];
        w[i] = r->after[first + i] + pairing->offset[first + i];
        if (i >= straight)
            continue;
        compliance = perp_larger(compliance, r->compliance[first + i]);
        rate = perp_larger(rate, perp_larger(fabs(before), fabs(w[i])));
        jump = perp_larger(jump, fabs(r->after[first + i] - before));
        impulse += p * p;
    }
    if (!(compliance > 0.0))
        return;
    step->rate = perp_larger(step->rate, rate);
    impulse = sqrt(perp_larger(impulse * compliance, jump * jump / compliance));
    impulse = perp_larger(impulse, OF_FORCES * force_scale(link));
    step->impulse = perp_larger(step->impulse, impulse);
    perp_law law = perp_link_law(link, k);
    double defect = perp_certificate_defect(&law, pairing->impulse + first, w,
                                            r->compliance + first, c->h * pairing->box);
    double momentum = defect > 0.0 ? momentum_scale(link) : 0.0;
    if (defect <= NO_IMPULSE * momentum + pairing->rounding / sqrt(compliance)) {
        step->at[PERP_MEASURE_law].seen = 1;
        return;
    }
    double most = perp_larger(c->sums.impulse, step->impulse);
    double least = perp_law_is_soft(&link->law) ? NO_FORCE * momentum : 0.0;
    double value = defect / perp_larger(most, least);
    double left = 10.0 * pairing->tolerance * perp_larger(c->sums.rate, step->rate);
    double more = defect - left / sqrt(compliance) - least;
    if (more > step->law.value) {
        step->law.value = more;
        step->law.link = link;
    }
    if (least > 0.0 || isnan(defect)) {
        perp_certificate_note(c, PERP_MEASURE_law, isnan(defect) ? INFINITY : value, NULL, link);
        return;
    }
    step->at[PERP_MEASURE_law].seen = 1;
    if (defect > step->defect.value) {
        step->defect.value = defect;
        step->defect.link = link;
    }
}

static void note_law(perp_certificate *c, const perp_link *link, const perp_pairing *pairing,
                     const rates *r)
{
    for (int k = 0; k < link->relations; k++)
        if (link->on[k])
            note_one_law(c, link, pairing, r, k);
}

static void note_closings(perp_certificate *c, const perp_link *link, const perp_pairing *pairing,
                          const rates *r)
{
    for (int i = 0; i < link->rows; i += link->law.dim) {
        if (!(r->before[i] < 0.0 && pairing->impulse[i] > 0.0))
            continue;
        double size = perp_certificate_size(link);
        if (size > 0.0)
            perp_certificate_note(c, PERP_MEASURE_closing, -c->h * r->before[i] / size, NULL, link);
    }
}

/* By how much it gives way: overlap of a spring, way in the step of a relative compliance. */
static void note_compliance(perp_certificate *c, const perp_link *link, const perp_pairing *pairing,
                            const rates *r)
{
    double most = 0.0, size = perp_certificate_size(link);
    int dim = link->law.dim;
    for (int i = 0; i < link->rows; i++) {
        double end = link->y_start[i] + c->h * (r->mean[i] + pairing->drift[i]);
        if (perp_law_is_soft(&link->law) && i % dim == 0 && pairing->impulse[i] > 0.0)
            most = perp_larger(most, -end);
        if (link->law.relative_compliance > 0.0)
            most = perp_larger(
                most, c->h * fabs(link->soft[i] * (pairing->impulse[i] - link->centre[i])));
    }
    if (size > 0.0)
        perp_certificate_note(c, PERP_MEASURE_compliance, most / size, NULL, link);
}

/* Moment about the centre of the first body, inertial frame, of the twist wrench of one side. */
static void add_moment(double *moment, const perp_link *link, const perp_pairing *pairing,
                       const double *wrench, int side)
{
    const double *q = link->systems[side]->q[pairing->at], *q_a = link->systems[0]->q[pairing->at];
    double d[3] = {q[0] - q_a[0], q[1] - q_a[1], q[2] - q_a[2]}, m[3];
    perp_quaternion_rotate(q + 3, wrench + 3, m);
    moment[0] += m[0] + d[1] * wrench[2] - d[2] * wrench[1];
    moment[1] += m[1] + d[2] * wrench[0] - d[0] * wrench[2];
    moment[2] += m[2] + d[0] * wrench[1] - d[1] * wrench[0];
}

static double norm3(const double *x)
{
    return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
}

/* What the interaction of two bodies does to their sum; one whose points do not touch has a moment
 * by the distance between them. */
static void note_reaction(perp_certificate *c, const perp_link *link, const perp_pairing *pairing,
                          const rates *r)
{
    const double *a = r->part, *b = r->part + 6;
    double moment[3] = {0.0}, sum[3], apart = 0.0, value;
    int turns = pairing->at >= 0 && link->relation.kind == PERP_RELATION_CONTACT;
    const perp_ledger *first = &link->systems[0]->ledger, *second = &link->systems[1]->ledger;
    for (int k = 0; k < 3; k++)
        sum[k] = a[k] + b[k];
    double scale =
        perp_larger(first->scale / sqrt(first->weight[0]), second->scale / sqrt(second->weight[0]));
    scale = perp_larger(scale, perp_larger(norm3(a), norm3(b)));
    if (scale == 0.0)
        return;
    value = norm3(sum) / scale;
    if (turns) {
        add_moment(moment, link, pairing, a, 0);
        add_moment(moment, link, pairing, b, 1);
        const double *q_a = link->systems[0]->q[pairing->at];
        const double *q_b = link->systems[1]->q[pairing->at];
        double d[3] = {q_b[0] - q_a[0], q_b[1] - q_a[1], q_b[2] - q_a[2]};
        for (int i = 0; i < link->rows; i += link->law.dim)
            apart = perp_larger(apart, fabs(link->y_start[i]) + c->h * fabs(link->u_start[i]));
        double excess = norm3(moment) - 2.0 * apart * norm3(a);
        if (excess > 0.0 && norm3(d) > 0.0)
            value = perp_larger(value, excess / (scale * norm3(d)));
    }
    perp_certificate_note(c, PERP_MEASURE_momentum, value, NULL, link);
}

int perp_certificate_impulse(perp_certificate *c, perp_link *link, const perp_pairing *pairing)
{
    perp_relation_kind kind = link->relation.kind;
    if (pairing->kind == PERP_PAIRING_INPUT || !link->second_order) {
        act_input(c, link, pairing);
        return 0;
    }
    rates r = rates_of(c, link);
    act(link, pairing, &r);
    if (!link->systems[0]->ledger.staggered)
        add_works(c, link, pairing, &r);
    if (perp_law_is_impact(&link->law))
        note_closings(c, link, pairing, &r);
    if (perp_law_gives_way(&link->law))
        note_compliance(c, link, pairing, &r);
    if (pairing->lawful)
        note_law(c, link, pairing, &r);
    if (link->nsystems == 2 && (kind == PERP_RELATION_CONTACT || kind == PERP_RELATION_JOINT))
        note_reaction(c, link, pairing, &r);
    perp_certificate_join(link);
    return pairing->staged && !c->impacts.cut &&
           perp_certificate_looks_unstruck(c, link, pairing, r.before, r.after);
}

void perp_certificate_unstruck_impulse(perp_certificate *c, const perp_link *link,
                                       const perp_pairing *start)
{
    rates r = rates_of(c, link);
    perp_certificate_unstruck(c, link, start, r.before, r.after);
}
