/* SPDX-License-Identifier: BSD-3-Clause */
/* Impacts before the smooth step, judged stage by stage (impacts.h): momentum, restitution,
 * friction, and that what is struck is closed at its time.  v' lies in s->free and the sum of the
 * lags in s->residual while they are walked through.
 *
 * A defect of a law is the distance of the impulse from what the law makes of it and of
 * w = u+ + e u-, over the largest impulse of the stage that ends an approach, |u-| / (H M^-1 H').
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "kernel/certificate/certificate.h"
#include "kernel/laws/law.h"

/* Of the largest momentum of a system: what stages that are nothing beside it may miss. */
static const double NOTHING = 1e-9;
static const double ROUNDING = 32.0 * DBL_EPSILON;
/* Of the step: a strike as late as this after another one of the same bodies is with it. */
static const double AT_ONCE = 1e-9;
/* Strikes on the bodies of a contact before it in a step: beyond them they may be said to
 * accumulate. */
enum { MANY = 20 };

int perp_certificate_jumped(const perp_system *s)
{
    return s->ledger.stated && s->kind != PERP_SYSTEM_FIRST_ORDER &&
           s->ledger.before != s->v[PERP_START] &&
           memcmp(s->ledger.before, s->v[PERP_START], sizeof(double) * (size_t)s->nv) != 0;
}

/* In sqrt(energy): of what moves places. */
static double speed_of(const perp_system *s, const double *v, const double *less)
{
    double sum = 0.0;
    for (int i = 0; i < perp_certificate_places(s); i++) {
        double u = v[i] - (less ? less[i] : 0.0);
        sum += u * u / s->ledger.weight[i];
    }
    return sqrt(sum);
}

void perp_certificate_begin_jumps(perp_system *s)
{
    size_t bytes = sizeof(double) * (size_t)s->nv;
    memcpy(s->free, s->v[PERP_START], bytes);
    memset(s->residual, 0, bytes);
    memset(s->ledger.kept, 0, bytes);
    memset(s->ledger.input, 0, bytes);
    s->ledger.jump = s->ledger.earlier = NULL;
    s->ledger.since = s->ledger.through = 0.0;
    s->ledger.fastest = speed_of(s, s->free, NULL);
}

void perp_certificate_begin_stage(perp_certificate *c, int stage)
{
    const perp_impacts *impacts = &c->impacts;
    int first = perp_impacts_first_jump(impacts, stage);
    for (int k = first; k < impacts->stages[stage].jumps; k++)
        impacts->jumps[k].system->ledger.jump = impacts->numbers + impacts->jumps[k].first;
    c->step.blow = c->step.approach = c->step.blow_rate = c->step.blow_term = 0.0;
    c->step.blow_link = NULL;
    if (impacts->stages[stage].kind != PERP_IMPACT_EXPANSION || stage == 0)
        return;
    for (int k = perp_impacts_first_jump(impacts, stage - 1); k < first; k++)
        impacts->jumps[k].system->ledger.earlier = impacts->numbers + impacts->jumps[k].first;
}

/* u- and u+ of all rows, and the largest of their terms; tau: of each relation, or NULL. */
static double set_rates(double *before, double *after, const perp_link *link,
                        const perp_pairing *pairing, const double *tau)
{
    int rows = link->rows;
    const double *H = pairing->H;
    double largest = 0.0;
    for (int i = 0; i < rows; i++)
        before[i] = after[i] = pairing->drift[i];
    for (int k = 0; k < link->nsystems; k++) {
        const perp_system *s = link->systems[k];
        const double *dv = s->ledger.jump, *earlier = s->ledger.earlier;
        for (int j = 0; j < s->nv; j++, H += rows) {
            double own = dv ? dv[j] : 0.0, change = dv ? dv[2 * s->nv + j] : 0.0;
            double compressed = earlier ? earlier[j] : 0.0;
            for (int i = 0; i < rows; i++) {
                double late = tau && tau[i / link->law.dim] > 0.0 ? tau[i / link->law.dim] : 0.0;
                before[i] += H[i] * (s->free[j] - compressed + late * change);
                after[i] += H[i] * (s->free[j] + own + late * change);
                largest = perp_larger(largest, fabs(H[i]) * (fabs(s->free[j]) + fabs(own)));
            }
        }
    }
    return largest;
}

/* Its part of the impulses of the systems; of one that has no jump others must take it away again.
 */
static void add_inputs(perp_certificate *c, perp_link *link, const perp_pairing *pairing,
                       const double *impulse, const double *delayed)
{
    int rows = link->rows;
    const double *H = pairing->H;
    for (int i = 0; i < rows; i++) {
        double wall = impulse[i] * pairing->drift[i];
        c->step.struck_walls += wall;
        c->step.walls -= wall;
    }
    for (int k = 0; k < link->nsystems; k++) {
        perp_system *s = link->systems[k];
        perp_ledger *l = &s->ledger;
        double passed = 0.0;
        for (int j = 0; j < s->nv; j++, H += rows)
            for (int i = 0; i < rows; i++) {
                l->kept[j] += H[i] * impulse[i];
                l->input[j] += H[i] * delayed[i];
                passed = perp_larger(passed, fabs(H[i] * impulse[i]) * sqrt(l->weight[j]));
            }
        l->through = perp_larger(l->through, passed);
        if (!l->jump)
            l->scale = perp_larger(l->scale, passed);
    }
}

/* What the certificate adds to the numbers of a strike. */
static double *compliances_of(const perp_impacts *impacts, const perp_strike *strike)
{
    return impacts->numbers + strike->first + 4 * strike->link->rows + 2 * strike->link->relations;
}

static void set_compliances(double *compliance, const perp_link *link, const perp_pairing *pairing)
{
    const double *H = pairing->H;
    for (int k = 0; k < link->nsystems; k++)
        for (int j = 0; j < link->systems[k]->nv; j++, H += link->rows)
            for (int i = 0; i < link->rows; i++)
                compliance[i] += H[i] * H[i] * link->systems[k]->ledger.weight[j];
}

/* p_N of an expansion has a part that is given, which is friction's, too. */
static double expansion_defect(const perp_law *law, const double *p, const double *compressed,
                               const double *w, const double *compliance)
{
    double c = 0.0, slip[2] = {0.0, 0.0}, sum, length, free = p[0] - law->e * compressed[0];
    double bound = law->mu * perp_larger(p[0], 0.0);
    for (int i = 0; i < law->dim; i++)
        c = perp_larger(c, compliance[i]);
    if (!(c > 0.0))
        return 0.0;
    double r = free - perp_larger(free - w[0] / c, 0.0);
    sum = r * r;
    for (int i = 1; i < law->dim; i++)
        slip[i - 1] = p[i] - w[i] / c;
    length = hypot(slip[0], slip[1]);
    for (int i = 1; i < law->dim; i++) {
        r = p[i] - (length > bound ? slip[i - 1] * (bound / length) : slip[i - 1]);
        sum += r * r;
    }
    return sqrt(sum * c);
}

/* The impulse of the compression, the same place in the stage before as a rule; NULL: there is
 * none.
 */
static const double *compression_of(const perp_impacts *impacts, int stage,
                                    const perp_strike *strike)
{
    if (stage == 0)
        return NULL;
    int first = perp_impacts_first_strike(impacts, stage - 1);
    int count = impacts->stages[stage - 1].strikes - first;
    int place = (int)(strike - impacts->strikes) - impacts->stages[stage - 1].strikes;
    for (int k = 0; k < count; k++) {
        const perp_strike *before = &impacts->strikes[first + (place + k) % count];
        if (before->link == strike->link)
            return impacts->numbers + before->first;
    }
    return NULL;
}

static int share_system(const perp_link *a, const perp_link *b)
{
    for (int i = 0; i < a->nsystems; i++)
        for (int j = 0; j < b->nsystems; j++)
            if (a->systems[i] == b->systems[j])
                return 1;
    return 0;
}

/* Does another contact of the stage bear on the systems of this one, directly or by a joint? */
static int meets_others(const perp_impacts *impacts, int stage, const perp_link *link)
{
    int contacts = 0, joined = 0;
    for (int k = perp_impacts_first_strike(impacts, stage); k < impacts->stages[stage].strikes;
         k++) {
        const perp_link *other = impacts->strikes[k].link;
        int joint = other->law.kind == PERP_LAW_EQUALITY;
        if (other == link)
            continue;
        int shared = share_system(link, other);
        if (shared && !joint)
            return 1;
        contacts += !joint;
        joined |= shared;
    }
    return joined && contacts > 0;
}

/* Were its systems struck so often in the stages before that their impacts accumulate, or are taken
 * for that?  A scheme ends such plastically. */
static int accumulates(const perp_impacts *impacts, int stage, const perp_link *link)
{
    int blows = 0;
    for (int k = perp_impacts_first_strike(impacts, stage) - 1; k >= 0 && blows < MANY; k--) {
        const perp_link *other = impacts->strikes[k].link;
        blows += other->law.kind != PERP_LAW_EQUALITY && share_system(link, other);
    }
    return blows >= MANY;
}

/* Without friction and other contacts Newton's law takes energy, and nothing but their number
 * excuses leaving restitution out. */
static double restitution_of(const perp_impacts *impacts, int stage, const perp_link *link,
                             double part)
{
    if (part > 0.0)
        return 1.0;
    if ((link->law.e == 0.0 && link->law.e_t == 0.0) || link->law.mu > 0.0 || link->relations > 1 ||
        impacts->stages[stage].kind != PERP_IMPACT_NEWTON)
        return part;
    return meets_others(impacts, stage, link) || accumulates(impacts, stage, link) ? part : 1.0;
}

/* Was restitution left out for the number of impacts alone?  The scheme says so; a lone contact
 * without friction has no other excuse (restitution_of()). */
static int is_ended(const perp_certificate *c, int stage, const perp_strike *strike)
{
    const perp_link *link = strike->link;
    return strike->ended ||
           (link->relations == 1 && link->law.mu == 0.0 && accumulates(&c->impacts, stage, link) &&
            !meets_others(&c->impacts, stage, link));
}

/* Then the law is another one, which is said where what it leaves out is no rounding of the largest
 * impulse of the step: impacts that accumulate leave nothing. */
static void note_end(perp_certificate *c, int stage, const perp_strike *strike)
{
    perp_link *link = strike->link;
    int rows = link->rows, dim = link->law.dim;
    const double *own = c->impacts.numbers + strike->first, *time = own + 4 * rows;
    const double *part = time + link->relations, *compliance = compliances_of(&c->impacts, strike);
    if (c->impacts.stages[stage].kind != PERP_IMPACT_NEWTON || link->law.e == 0.0)
        return;
    for (int r = 0; r < link->relations; r++) {
        double bounce = -link->law.e * own[2 * rows + r * dim];
        double missed = bounce / sqrt(compliance[r * dim]) / c->step.impulse;
        if (part[r] == 0.0 && time[r] >= 0.0 && own[r * dim] > 0.0 &&
            missed > c->thresholds.impacts && is_ended(c, stage, strike))
            perp_certificate_note(c, PERP_MEASURE_impacts,
                                  fmin(missed, c->thresholds.impacts_remarks), NULL, link);
    }
}

/* Of relation r. */
static double strike_defect(const perp_certificate *c, int stage, const perp_strike *strike, int r,
                            const double *compliance)
{
    static const double none[PERP_LAW_ROWS] = {0.0};
    const perp_link *link = strike->link;
    const perp_law *law = &link->law;
    int rows = link->rows, dim = law->dim, first = r * dim;
    perp_impact_kind kind = c->impacts.stages[stage].kind;
    const double *own = c->impacts.numbers + strike->first, *before = own + 2 * rows + first;
    const double *after = own + 3 * rows + first, *impulse = own + first;
    double part = own[4 * rows + link->relations + r], w[PERP_LAW_ROWS];
    if (kind == PERP_IMPACT_CARRIED)
        return perp_certificate_defect(law, impulse, none, compliance, c->h);
    if (kind == PERP_IMPACT_NEWTON)
        part = restitution_of(&c->impacts, stage, link, part);
    for (int i = 0; i < dim; i++) {
        double e = kind == PERP_IMPACT_COMPRESSION ? 0.0 : i > 0 ? law->e_t : law->e;
        w[i] = after[i] + part * e * (i > 0 ? before[i] : fmin(before[i], 0.0));
    }
    if (kind != PERP_IMPACT_EXPANSION || law->kind == PERP_LAW_EQUALITY) /* joints hold in each */
        return perp_certificate_defect(law, impulse, w, compliance, c->h);
    const double *compressed = compression_of(&c->impacts, stage, strike);
    w[0] = after[0];
    return expansion_defect(law, impulse, compressed ? compressed + first : none, w, compliance);
}

/* What sums of the coordinates round in a gap. */
static double rounding_of(const perp_link *link)
{
    double largest = perp_link_place(link, PERP_START);
    for (int k = 0; k < link->nsystems; k++)
        largest = perp_larger(largest, link->systems[k]->ledger.half_width);
    return PERP_ROUNDING_OF_PLACE * (perp_joint_is_angle(link) ? 1.0 : largest);
}

double perp_certificate_rest_rate(const perp_certificate *c, const perp_link *link)
{
    return 16.0 * rounding_of(link) / c->h;
}

/* The largest rates and impulses of the stage. */
static void note_sizes(perp_certificate *c, const perp_strike *strike)
{
    perp_certificate_step *step = &c->step;
    const double *own = c->impacts.numbers + strike->first;
    const double *compliance = compliances_of(&c->impacts, strike);
    int rows = strike->link->rows;
    for (int i = 0; i < rows; i++) {
        double p = fabs(own[i]), rate = fabs(own[2 * rows + i]);
        step->impulse = perp_larger(step->impulse, p * sqrt(compliance[i]));
        step->rate = perp_larger(step->rate, p * compliance[i]);
        step->blow_rate = perp_larger(step->blow_rate, perp_larger(rate, p * compliance[i]));
    }
}

/* When the rates of the whole stage are known, since the tolerance is of the largest. */
static void judge_strike(perp_certificate *c, int stage, const perp_strike *strike,
                         double tolerance)
{
    perp_link *link = strike->link;
    perp_certificate_step *step = &c->step;
    int rows = link->rows, dim = link->law.dim, joint = link->law.kind == PERP_LAW_EQUALITY;
    int straight = perp_law_rolls(&link->law) ? 1 + perp_law_slips(&link->law) : dim;
    const double *own = c->impacts.numbers + strike->first, *time = own + 4 * rows;
    double left = 10.0 * tolerance * step->blow_rate + 256.0 * DBL_EPSILON * step->blow_term +
                  perp_certificate_rest_rate(c, link);
    if (perp_law_gives_way(&link->law))
        return;
    if (!joint)
        note_end(c, stage, strike);
    for (int r = 0; r < link->relations; r++) {
        const double *compliance = compliances_of(&c->impacts, strike) + r * dim;
        double largest = 0.0, size = 0.0;
        for (int i = 0; i < dim; i++) {
            largest = i < straight ? perp_larger(largest, compliance[i]) : largest;
            size = perp_larger(size, fabs(own[r * dim + i]) * sqrt(compliance[i]));
        }
        if (!(joint || time[r] >= 0.0) || !(largest > 0.0))
            continue;
        double approach = -own[2 * rows + r * dim] / sqrt(compliance[0]);
        step->approach =
            perp_larger(step->approach, joint ? size : perp_larger(approach, 0.1 * size));
        double defect = strike_defect(c, stage, strike, r, compliance) - left / sqrt(largest);
        if (defect > step->blow || isnan(defect)) {
            step->blow = isnan(defect) ? INFINITY : defect;
            step->blow_link = link;
        }
    }
}

void perp_certificate_strike(perp_certificate *c, const perp_strike *strike,
                             const perp_pairing *pairing)
{
    perp_link *link = strike->link;
    int rows = link->rows, joint = link->law.kind == PERP_LAW_EQUALITY;
    double *own = c->impacts.numbers + strike->first;
    perp_certificate_note(c, joint ? PERP_MEASURE_joint_work : PERP_MEASURE_contact_work, 0.0, NULL,
                          link); /* its part is in the sum of all */
    double term =
        set_rates(own + 2 * rows, own + 3 * rows, link, pairing, joint ? NULL : own + 4 * rows);
    c->step.blow_term = perp_larger(c->step.blow_term, term);
    set_compliances(compliances_of(&c->impacts, strike), link, pairing);
    note_sizes(c, strike);
    add_inputs(c, link, pairing, own, own + rows);
}

int perp_certificate_is_timed(const perp_certificate *c, int stage, const perp_strike *strike)
{
    perp_impact_kind kind = c->impacts.stages[stage].kind;
    const double *time = c->impacts.numbers + strike->first + 4 * strike->link->rows;
    const double *part = time + strike->link->relations;
    for (int r = 0; r < strike->link->relations; r++)
        if (time[r] > 0.0 && part[r] > 0.0)
            return kind == PERP_IMPACT_NEWTON || kind == PERP_IMPACT_COMPRESSION;
    return 0;
}

/* y_k + h (tau u - H lag + tau^2 H change/2) is 0, or negative where the bodies were struck just
 * before: over the way of a step. */
void perp_certificate_time(perp_certificate *c, const perp_strike *strike,
                           const perp_pairing *pairing)
{
    const perp_link *link = strike->link;
    const double *time = c->impacts.numbers + strike->first + 4 * link->rows;
    const double *part = time + link->relations;
    for (int r = 0; r < link->relations; r++) {
        int i = r * link->law.dim;
        double tau = time[r], u = pairing->drift[i], way = u * tau, since = 0.0;
        const double *H = pairing->H + i;
        if (!(tau > 0.0 && part[r] > 0.0))
            continue;
        for (int k = 0; k < link->nsystems; k++) {
            const perp_system *s = link->systems[k];
            const double *change = s->ledger.jump ? s->ledger.jump + 2 * s->nv : NULL;
            for (int j = 0; j < s->nv; j++, H += link->rows) {
                double more = change ? change[j] : 0.0;
                u += *H * (s->free[j] + tau * more);
                way += *H * (tau * (s->free[j] + 0.5 * tau * more) - s->residual[j]);
            }
            since = perp_larger(since, s->ledger.since);
        }
        double y = link->y_start[i] + c->h * way, reach = c->h * fabs(u);
        double off = tau > since + AT_ONCE ? fabs(y) : y;
        off -= rounding_of(link) + 1e-12 * (fabs(link->y_start[i]) + reach);
        if (off > 0.0)
            perp_certificate_note(c, PERP_MEASURE_impacts, off / reach, NULL, link);
    }
}

/* Sum of the squares of errors, of places and of turns: of each what is more than rest. */
static double above_rest(const perp_certificate *c, const perp_system *s, const double *squares)
{
    int n = perp_certificate_places(s);
    double sum = squares[0] <= perp_certificate_rest(s, c->h, 0, n) ? 0.0 : squares[0];
    if (n < s->nv && !(squares[1] <= perp_certificate_rest(s, c->h, n, s->nv)))
        sum += squares[1];
    return sum;
}

/* |M x - sum|, x in work, and the larger of the two, in sqrt(energy).  Non-zero: a callback
 * refused. */
static int mismatch(const perp_certificate *c, perp_system *s, const double *sum, double *error,
                    double *size)
{
    perp_ledger *l = &s->ledger;
    int places = perp_certificate_places(s);
    double r2[2] = {0.0, 0.0}, made = 0.0, given = 0.0;
    if (perp_system_mass_apply(l->magnitude, s, s->q[PERP_START], s->work))
        return 1;
    for (int i = 0; i < s->nv; i++) {
        double r = l->magnitude[i] - sum[i], w = l->weight[i];
        r2[i >= places] += r * r * w;
        made += l->magnitude[i] * l->magnitude[i] * w;
        given += sum[i] * sum[i] * w;
    }
    *error = sqrt(above_rest(c, s, r2));
    *size = sqrt(perp_larger(made, given));
    return 0;
}

/* The jump of a system in a stage: against the impulses of the stage, too. */
static int end_jump(perp_certificate *c, const perp_jump *jump)
{
    perp_system *s = jump->system;
    perp_ledger *l = &s->ledger;
    const double *own = c->impacts.numbers + jump->first;
    size_t bytes = sizeof(double) * (size_t)s->nv;
    double error, late, size, ignored;
    memcpy(s->work, own, bytes);
    if (mismatch(c, s, l->kept, &error, &size))
        return 1;
    memcpy(s->work, own + s->nv, bytes);
    if (mismatch(c, s, l->input, &late, &ignored))
        return 1;
    error = perp_larger(error, late);
    /* Of impulses that pass through what is light to others. */
    if (error <= ROUNDING * l->through)
        error = 0.0;
    l->scale = perp_larger(l->scale, size);
    double value = error > 0.0 ? error / l->scale : error;
    if (error > NOTHING * l->scale)
        value = perp_larger(value, (error - NOTHING * l->scale) / size);
    perp_certificate_note(c, PERP_MEASURE_dynamics, isnan(error) ? INFINITY : value, s, NULL);
    for (int i = 0; i < s->nv; i++) {
        s->free[i] += own[i];
        s->residual[i] += own[s->nv + i];
    }
    l->fastest = perp_larger(l->fastest, speed_of(s, s->free, NULL));
    if (jump->time >= 0.0)
        l->since = jump->time;
    l->jump = l->earlier = NULL;
    l->through = 0.0;
    memset(l->kept, 0, bytes);
    memset(l->input, 0, bytes);
    return 0;
}

/* Its systems that have no jump. */
static void judge_unmoved(perp_certificate *c, const perp_link *link)
{
    for (int k = 0; k < link->nsystems; k++) {
        perp_system *s = link->systems[k];
        perp_ledger *l = &s->ledger;
        size_t bytes = sizeof(double) * (size_t)s->nv;
        double squares[2] = {0.0, 0.0};
        if (l->jump)
            continue;
        for (int i = 0; i < s->nv; i++) {
            double r = perp_larger(fabs(l->kept[i]), fabs(l->input[i]));
            squares[i >= perp_certificate_places(s)] += r * r * l->weight[i];
        }
        if (!(sqrt(above_rest(c, s, squares)) <= NOTHING * l->scale))
            perp_certificate_note(c, PERP_MEASURE_dynamics, 1.0, s, NULL);
        l->through = 0.0;
        memset(l->kept, 0, bytes);
        memset(l->input, 0, bytes);
    }
}

int perp_certificate_end_stage(perp_certificate *c, int stage, double tolerance)
{
    const perp_impacts *impacts = &c->impacts;
    const perp_certificate_step *step = &c->step;
    for (int k = perp_impacts_first_strike(impacts, stage); k < impacts->stages[stage].strikes; k++)
        judge_strike(c, stage, &impacts->strikes[k], tolerance);
    for (int k = perp_impacts_first_strike(impacts, stage); k < impacts->stages[stage].strikes; k++)
        judge_unmoved(c, impacts->strikes[k].link);
    for (int k = perp_impacts_first_jump(impacts, stage); k < impacts->stages[stage].jumps; k++)
        if (end_jump(c, &impacts->jumps[k]))
            return 1;
    double value = step->blow > 0.0 ? step->blow / step->approach : 0.0;
    perp_certificate_note(c, PERP_MEASURE_impacts, isnan(value) ? INFINITY : value, NULL,
                          step->blow_link);
    return 0;
}

/* A system that impacts throw to and fro within a step goes no further than by its velocities: what
 * the lags leave of its way above twice that. */
static void note_way(perp_certificate *c, const perp_system *s)
{
    const perp_ledger *l = &s->ledger;
    double bound = 2.0 * (l->fastest + speed_of(s, s->v[PERP_NOW], l->before));
    double way = speed_of(s, l->mean, NULL);
    if (l->lag && !(way * way <=
                    bound * bound + perp_certificate_rest(s, c->h, 0, perp_certificate_places(s))))
        perp_certificate_note(c, PERP_MEASURE_dynamics, way / bound, s, NULL);
}

/* All stages together made v' and the lag that the smooth step began with. */
int perp_certificate_jump(perp_certificate *c, perp_system *s)
{
    perp_ledger *l = &s->ledger;
    const double *v = l->before, *v_k = s->v[PERP_START];
    double energy = 0.0, late = 0.0, error2[2] = {0.0, 0.0};
    int places = perp_certificate_places(s);
    if (!perp_certificate_jumped(s) && memcmp(s->free, v_k, sizeof(double) * (size_t)s->nv) == 0)
        return 0;
    for (int i = 0; i < s->nv; i++)
        s->work[i] = v[i] - v_k[i];
    if (perp_system_mass_apply(l->magnitude, s, s->q[PERP_START], s->work))
        return 1;
    for (int i = 0; i < s->nv; i++) {
        double lag = l->lag ? l->lag[i] : 0.0;
        double off = fabs(s->free[i] - v[i]) + fabs(s->residual[i] - lag);
        energy += 0.5 * (v[i] + v_k[i]) * l->magnitude[i];
        late += lag * l->change[i];
        error2[i >= places] += off * off / l->weight[i];
    }
    c->step.struck += energy + late;
    c->step.kinetic += energy;
    note_way(c, s);
    double sum = above_rest(c, s, error2), value = sum > 0.0 ? sqrt(sum) / l->scale : sum;
    perp_certificate_note(c, PERP_MEASURE_dynamics, isnan(value) ? INFINITY : value, s, NULL);
    return 0;
}
