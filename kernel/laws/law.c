/* SPDX-License-Identifier: BSD-3-Clause */
/* Laws: constructors, ranges and what each becomes in the one-step problem. */
#include "kernel/laws/law.h"

#include <math.h>

/* It lies in a perp_interaction_def and is returned by value. */
_Static_assert(sizeof(perp_law) == sizeof(size_t) + 8 + 13 * sizeof(double),
               "sizeof(perp_law) stays");

perp_law perp_law_complementarity(void)
{
    return (perp_law){.size = sizeof(perp_law), .kind = PERP_LAW_COMPLEMENTARITY, .dim = 1};
}

perp_law perp_law_equality(void)
{
    return (perp_law){.size = sizeof(perp_law), .kind = PERP_LAW_EQUALITY, .dim = 1};
}

perp_law perp_law_relay(double lo, double hi)
{
    return (perp_law){.size = sizeof(perp_law), .kind = PERP_LAW_BOX, .dim = 1, .lo = lo, .hi = hi};
}

perp_law perp_law_impact(double e)
{
    return (perp_law){.size = sizeof(perp_law), .kind = PERP_LAW_IMPACT, .dim = 1, .e = e};
}

perp_law perp_law_friction(int dim, double e, double mu)
{
    return (perp_law){
        .size = sizeof(perp_law), .kind = PERP_LAW_FRICTION, .dim = dim, .e = e, .mu = mu};
}

perp_law perp_law_rolling(int dim, double e, double mu, double mu_r)
{
    perp_law law = perp_law_friction(dim, e, mu);
    law.mu_r = mu_r;
    return law;
}

perp_law perp_law_torsion(double e, double mu, double mu_s)
{
    perp_law law = perp_law_friction(4, e, mu);
    law.mu_s = mu_s;
    return law;
}

perp_law perp_law_rolling_torsion(double e, double mu, double mu_r, double mu_s)
{
    perp_law law = perp_law_rolling(6, e, mu, mu_r);
    law.mu_s = mu_s;
    return law;
}

perp_law perp_law_soft_contact(int dim, double stiffness, double damping, double mu)
{
    perp_law law = dim == 1 ? perp_law_impact(0.0) : perp_law_friction(dim, 0.0, mu);
    law.stiffness = stiffness;
    law.damping = damping;
    return law;
}

static perp_law drive(perp_drive kind, double largest)
{
    perp_law law = perp_law_relay(-largest, largest);
    law.drive = kind;
    return law;
}

perp_law perp_law_motor(double rate, double largest)
{
    perp_law law = drive(PERP_DRIVE_MOTOR, largest);
    law.rate = rate;
    return law;
}

perp_law perp_law_dry_friction(double largest)
{
    return drive(PERP_DRIVE_FRICTION, largest);
}

perp_law perp_law_servo(double stiffness, double damping, double target, double largest)
{
    perp_law law = drive(PERP_DRIVE_SERVO, largest);
    law.stiffness = stiffness;
    law.damping = damping;
    law.target = target;
    return law;
}

perp_law perp_law_profile(double target, double rate, double acceleration, double largest)
{
    perp_law law = drive(PERP_DRIVE_PROFILE, largest);
    law.target = target;
    law.rate = rate;
    law.acceleration = acceleration;
    return law;
}

static perp_status refuse(perp_where *where, perp_status status, const char *what)
{
    if (where)
        *where = (perp_where){what, -1, -1};
    return status;
}

static perp_status check_range(double value, double lowest, double highest, const char *what,
                               perp_where *where)
{
    if (!isfinite(value))
        return refuse(where, PERP_ERR_NONFINITE, what);
    if (value < lowest || value > highest)
        return refuse(where, PERP_ERR_ARGUMENT, what);
    return PERP_SOLVED;
}

static perp_status check_bounds(const perp_law *law, perp_where *where)
{
    if (isnan(law->lo))
        return refuse(where, PERP_ERR_NONFINITE, "law.lo");
    if (isnan(law->hi))
        return refuse(where, PERP_ERR_NONFINITE, "law.hi");
    if (law->lo > law->hi || law->lo == (double)INFINITY)
        return refuse(where, PERP_ERR_ARGUMENT, "law.lo");
    if (law->hi == -(double)INFINITY)
        return refuse(where, PERP_ERR_ARGUMENT, "law.hi");
    return PERP_SOLVED;
}

static perp_status check_servo(const perp_law *law, perp_where *where)
{
    perp_status status = check_range(law->stiffness, 0.0, HUGE_VAL, "law.stiffness", where);
    if (status == PERP_SOLVED)
        status = check_range(law->damping, 0.0, HUGE_VAL, "law.damping", where);
    if (status == PERP_SOLVED && !(law->stiffness + law->damping > 0.0))
        status = refuse(where, PERP_ERR_ARGUMENT, "law.stiffness");
    if (status == PERP_SOLVED && law->place != 0.0)
        status = check_range(law->place, 0.5, 1.0, "law.place", where);
    return status;
}

static perp_status check_contact(const perp_law *law, perp_where *where)
{
    perp_status status = check_range(law->stiffness, 0.0, HUGE_VAL, "law.stiffness", where);
    if (status == PERP_SOLVED)
        status = check_range(law->damping, 0.0, law->stiffness > 0.0 ? HUGE_VAL : 0.0,
                             "law.damping", where);
    if (status == PERP_SOLVED && law->place != 0.0)
        status = check_range(law->place, law->stiffness > 0.0 ? 0.5 : 0.0,
                             law->stiffness > 0.0 ? 1.0 : 0.0, "law.place", where);
    if (status == PERP_SOLVED && law->stiffness > 0.0 && (law->e != 0.0 || law->e_t != 0.0))
        status = refuse(where, PERP_ERR_ARGUMENT, law->e != 0.0 ? "law.e" : "law.e_t");
    if (status == PERP_SOLVED)
        status =
            check_range(law->relative_compliance, 0.0, HUGE_VAL, "law.relative_compliance", where);
    return status;
}

/* Zero where a law does not read it. */
static perp_status check_unread(const perp_law *law, perp_where *where)
{
    int servo = law->drive == PERP_DRIVE_SERVO, profile = law->drive == PERP_DRIVE_PROFILE;
    int contact = perp_law_is_impact(law);
    const struct {
        double value;
        int read;
        const char *what;
    } fields[] = {{law->rate, profile || law->drive == PERP_DRIVE_MOTOR, "law.rate"},
                  {law->target, servo || profile, "law.target"},
                  {law->stiffness, servo || contact, "law.stiffness"},
                  {law->damping, servo || contact, "law.damping"},
                  {law->place, servo || contact, "law.place"},
                  {law->relative_compliance, contact, "law.relative_compliance"},
                  {law->acceleration, profile, "law.acceleration"}};
    for (size_t k = 0; k < sizeof fields / sizeof fields[0]; k++)
        if (!fields[k].read && fields[k].value != 0.0)
            return refuse(where, PERP_ERR_ARGUMENT, fields[k].what);
    return PERP_SOLVED;
}

/* Rows of FRICTION, by what it has beside slip. */
static int rows_fit(const perp_law *law)
{
    if (law->mu_s != 0.0)
        return law->dim == (law->mu_r != 0.0 ? 6 : 4);
    if (law->mu_r != 0.0)
        return law->dim == 3 || law->dim == 5;
    return law->dim == 2 || law->dim == 3;
}

/* Rolling or torsional friction: its size, and what does not go with it. */
static perp_status check_moments(const perp_law *law, perp_where *where)
{
    perp_status status = check_range(law->mu_r, 0.0, HUGE_VAL, "law.mu_r", where);
    if (status == PERP_SOLVED)
        status = check_range(law->mu_s, 0.0, HUGE_VAL, "law.mu_s", where);
    if (status != PERP_SOLVED)
        return status;
    if (!perp_law_rolls(law))
        return PERP_SOLVED;
    if (law->e_t != 0.0)
        return refuse(where, PERP_ERR_ARGUMENT, "law.e_t");
    if (law->stiffness != 0.0)
        return refuse(where, PERP_ERR_ARGUMENT, "law.stiffness");
    return law->relative_compliance != 0.0
               ? refuse(where, PERP_ERR_ARGUMENT, "law.relative_compliance")
               : PERP_SOLVED;
}

static perp_status check_drive(const perp_law *law, int rows, perp_where *where)
{
    perp_status status = PERP_SOLVED;
    if ((int)law->drive < 0 || law->drive > PERP_DRIVE_PROFILE ||
        (law->drive != PERP_DRIVE_NONE && law->kind != PERP_LAW_BOX))
        return refuse(where, PERP_ERR_ARGUMENT, "law.drive");
    if (law->drive != PERP_DRIVE_NONE && rows != 1)
        return refuse(where, PERP_ERR_ARGUMENT, "relation.rows");
    status = check_unread(law, where);
    if (status != PERP_SOLVED)
        return status;
    if (law->drive == PERP_DRIVE_FRICTION && !(isfinite(law->lo) && isfinite(law->hi)))
        return refuse(where, PERP_ERR_NONFINITE, "law.hi");
    if (law->drive == PERP_DRIVE_FRICTION && (law->lo > 0.0 || law->hi < 0.0))
        return refuse(where, PERP_ERR_ARGUMENT, law->lo > 0.0 ? "law.lo" : "law.hi");
    if (law->drive == PERP_DRIVE_MOTOR)
        status = check_range(law->rate, -HUGE_VAL, HUGE_VAL, "law.rate", where);
    if (law->drive == PERP_DRIVE_SERVO)
        status = check_servo(law, where);
    if (law->drive == PERP_DRIVE_PROFILE && isnan(law->rate))
        status = refuse(where, PERP_ERR_NONFINITE, "law.rate");
    if (law->drive == PERP_DRIVE_PROFILE && status == PERP_SOLVED && !(law->rate > 0.0))
        status = refuse(where, PERP_ERR_ARGUMENT, "law.rate");
    if (law->drive == PERP_DRIVE_PROFILE && status == PERP_SOLVED)
        status = check_range(law->acceleration, 0.0, HUGE_VAL, "law.acceleration", where);
    if (law->drive == PERP_DRIVE_PROFILE && status == PERP_SOLVED && !(law->acceleration > 0.0))
        status = refuse(where, PERP_ERR_ARGUMENT, "law.acceleration");
    if (status == PERP_SOLVED && !isfinite(law->target))
        status = refuse(where, PERP_ERR_NONFINITE, "law.target");
    return status;
}

perp_status perp_law_check(const perp_law *law, int rows, perp_where *where)
{
    if (law->size != sizeof *law)
        return refuse(where, PERP_ERR_ARGUMENT, "law.size");
    if (law->reserved_int != 0)
        return refuse(where, PERP_ERR_ARGUMENT, "law.reserved");
    if ((int)law->kind < 0 || law->kind > PERP_LAW_FRICTION)
        return refuse(where, PERP_ERR_ARGUMENT, "law.kind");
    int friction = law->kind == PERP_LAW_FRICTION;
    if (friction ? !rows_fit(law) : law->dim != 1)
        return refuse(where, PERP_ERR_ARGUMENT, "law.dim");
    if (rows < 1 || rows % law->dim != 0)
        return refuse(where, PERP_ERR_ARGUMENT, "relation.rows");
    perp_status status = PERP_SOLVED;
    if (perp_law_is_impact(law))
        status = check_range(law->e, 0.0, 1.0, "law.e", where);
    if (status == PERP_SOLVED && friction)
        status = check_range(law->e_t, 0.0, 1.0, "law.e_t", where);
    if (status == PERP_SOLVED && friction)
        status = check_range(law->mu, 0.0, HUGE_VAL, "law.mu", where);
    if (status == PERP_SOLVED && friction)
        status = check_moments(law, where);
    if (status == PERP_SOLVED && perp_law_is_impact(law))
        status = check_contact(law, where);
    if (status == PERP_SOLVED && law->kind == PERP_LAW_BOX)
        status = check_bounds(law, where);
    if (status == PERP_SOLVED)
        status = check_drive(law, rows, where);
    return status;
}

perp_set perp_law_set(const perp_law *law)
{
    switch (law->kind) {
    case PERP_LAW_EQUALITY:
        return PERP_FREE;
    case PERP_LAW_BOX:
        return PERP_BOX;
    case PERP_LAW_FRICTION:
        return perp_law_rolls(law) ? PERP_ROLLING : PERP_COULOMB;
    case PERP_LAW_COMPLEMENTARITY:
    case PERP_LAW_IMPACT:
        break;
    }
    return PERP_NONNEG;
}

void perp_law_parameters(double par[PERP_PARAMETERS], const perp_law *law)
{
    for (int p = 0; p < PERP_PARAMETERS; p++)
        par[p] = 0.0;
    if (law->kind == PERP_LAW_BOX) {
        par[0] = law->lo;
        par[1] = law->hi;
    }
    if (law->kind != PERP_LAW_FRICTION)
        return;
    par[0] = law->mu;
    par[1] = law->mu_r > 0.0 ? law->mu_r : law->mu_s;
    par[2] = law->mu_r > 0.0 ? law->mu_s : 0.0;
}

int perp_law_is_impact(const perp_law *law)
{
    return law->kind == PERP_LAW_IMPACT || law->kind == PERP_LAW_FRICTION;
}

void perp_law_restitution(double *q, const perp_law *law, const double *u_start, int rows)
{
    if (!perp_law_is_impact(law))
        return;
    for (int i = 0; i < rows; i++)
        q[i] += (i % law->dim == 0 ? law->e : law->e_t) * u_start[i];
}

/* Rate at which a profile approaches its target: there in this step, or so that it can still brake.
 */
static double approach(const perp_law *law, double h, double y0)
{
    double distance = law->target - y0, way = fabs(distance);
    double rate = fmin(way / h, sqrt(2.0 * law->acceleration * way));
    return copysign(fmin(rate, law->rate), distance);
}

/* The spring is taken at y0 + place h ub, the damper at the mean rate ub = theta u + (1 - theta)
 * u0: p = - h k (y0 + place h ub - target) - h d ub is 0 = ub + C (p + h k (y0 - target)) with C =
 * 1/(h (place h k + d)); divided by theta. */
static void servo(double *offset, double *compliance, const perp_law *law, double h, double theta,
                  double y0, double u0, double place)
{
    double s = law->place > 0.0 ? law->place : place, k = law->stiffness;
    double C = 1.0 / (h * (s * h * k + law->damping));
    *compliance = C / theta;
    *offset = ((1.0 - theta) * u0 + C * h * k * (y0 - law->target)) / theta;
}

void perp_law_drive(double *offset, double *compliance, const perp_law *law, double h, double theta,
                    double y0, double u0, double place)
{
    *offset = *compliance = 0.0;
    switch (law->drive) {
    case PERP_DRIVE_MOTOR:
        *offset = -law->rate;
        break;
    case PERP_DRIVE_SERVO:
        servo(offset, compliance, law, h, theta, y0, u0, place);
        break;
    case PERP_DRIVE_PROFILE:
        *offset = -approach(law, h, y0);
        break;
    case PERP_DRIVE_NONE:
    case PERP_DRIVE_FRICTION:
        break;
    }
}

/* F = -k (y0 + s h ub) - d ub pressing only, in terms of p = h F and of ub = theta u + start: 0 <=
 * p perp ub + C (p + h k y0) with C = 1/(h (s h k + d)).  A gap that is open at first gives nothing
 * until y0 + s h ub < 0, neither spring nor damper. */
void perp_law_contact(double *offset, double *compliance, const perp_law *law, double h,
                      double theta, double y0, double start)
{
    double s = law->place > 0.0 ? law->place : 1.0, k = law->stiffness;
    double C = 1.0 / (h * (s * h * k + law->damping));
    *compliance = C / theta;
    *offset = (start + C * h * k * fmin(y0, 0.0) + fmax(y0, 0.0) / (s * h)) / theta;
}

void perp_law_shrink(const perp_law *law, double *impulse)
{
    double mu[PERP_PARAMETERS];
    int parts = law->kind != PERP_LAW_FRICTION ? 0 : perp_law_rolls(law) ? perp_law_parts(law) : 1;
    impulse[0] = fmax(impulse[0], 0.0);
    perp_law_parameters(mu, law);
    for (int k = 0; k < parts; k++) {
        perp_law_part part = perp_law_part_of(law, k);
        double square = 0.0, most = mu[k] * impulse[0];
        for (int i = part.first; i < part.first + part.rows; i++)
            square += impulse[i] * impulse[i];
        double scale = square > most * most ? most / sqrt(square) : 1.0;
        for (int i = part.first; i < part.first + part.rows; i++)
            impulse[i] *= scale;
    }
}

double perp_law_violation(const perp_law *law, const double *y, int rows)
{
    double largest = 0.0;
    if (law->kind == PERP_LAW_BOX || perp_law_is_soft(law))
        return 0.0;
    for (int i = 0; i < rows; i += law->dim) {
        double violation = law->kind == PERP_LAW_EQUALITY ? fabs(y[i]) : -y[i];
        if (violation > largest)
            largest = violation;
    }
    return largest;
}
