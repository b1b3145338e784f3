/* SPDX-License-Identifier: BSD-3-Clause */
/* Rigid bodies ([SDN] ch. 11): M v' = (f, m - omega x I omega) - C v - K q + p with the twist
 * v = (velocity of the centre of mass, angular velocity in the body frame).  A force given in
 * the body frame acts as R f, a moment given in the inertial frame as R' m. */
#include <math.h>
#include <string.h>

#include <perp/rotation.h>

#include "kernel/systems/dynamic_system.h"
#include "numerics/core/sized.h"

void perp_body_def_init(perp_body_def *def, size_t size)
{
    const perp_body_def begun = {.mass = 1.0,
                                 .inertia = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0},
                                 .quaternion = {1.0, 0.0, 0.0, 0.0},
                                 .force_frame = PERP_INERTIAL,
                                 .moment_frame = PERP_BODY};
    perp_sized_init(def, size, &begun, sizeof begun);
}

/* The first Jacobian that is needed and missing, NULL where none. */
static const char *check_fields(const perp_body_def *def)
{
    if (def->f && !def->f_q && !def->differences)
        return "f_q";
    if (def->f && !def->f_v && !def->differences)
        return "f_v";
    if (def->m && !def->m_q && !def->differences)
        return "m_q";
    if (def->m && !def->m_v && !def->differences)
        return "m_v";
    if (def->force_frame != PERP_INERTIAL && def->force_frame != PERP_BODY)
        return "force_frame";
    if (def->moment_frame != PERP_INERTIAL && def->moment_frame != PERP_BODY)
        return "moment_frame";
    return NULL;
}

/* Symmetric to 1e-12 and positive definite (the three leading minors). */
static perp_status check_inertia(const double *J, perp_where *where)
{
    for (int i = 0; i < 9; i++)
        if (!isfinite(J[i]))
            return perp_system_refuse(where, PERP_ERR_NONFINITE, "inertia", i);
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < j; i++) {
            double scale = sqrt(fabs(J[4 * i] * J[4 * j]));
            if (fabs(J[i + 3 * j] - J[j + 3 * i]) > 1e-12 * scale)
                return perp_system_refuse(where, PERP_ERR_ARGUMENT, "inertia", i + 3 * j);
        }
    double L[9];
    for (int j = 0; j < 3; j++)
        for (int i = j; i < 3; i++) {
            double sum = J[i + 3 * j];
            for (int k = 0; k < j; k++)
                sum -= L[i + 3 * k] * L[j + 3 * k];
            if (i == j && !(sum > 1e-15 * J[4 * j]))
                return perp_system_refuse(where, PERP_ERR_ARGUMENT, "inertia", 4 * j);
            L[i + 3 * j] = i == j ? sqrt(sum) : sum / L[4 * j];
        }
    return PERP_SOLVED;
}

static perp_status fill_state(perp_system *s, const perp_body_def *def, perp_where *where)
{
    double *q = s->q[PERP_NOW], *v = s->v[PERP_NOW];
    perp_status status = perp_system_fill(q, def->position, 3, "position", where);
    if (status == PERP_SOLVED)
        status = perp_system_fill(q + 3, def->quaternion, 4, "quaternion", where);
    if (status == PERP_SOLVED && perp_quaternion_normalise(q + 3) != PERP_SOLVED)
        status = perp_system_refuse(where, PERP_ERR_ARGUMENT, "quaternion", -1);
    if (status == PERP_SOLVED)
        status = perp_system_fill(v, def->velocity, 3, "velocity", where);
    if (status == PERP_SOLVED)
        status = perp_system_fill(v + 3, def->angular, 3, "angular", where);
    return status;
}

static perp_status prescribe(perp_system *s, perp_where *where)
{
    if (perp_system_prescribed(s->q[PERP_NOW], s->v[PERP_NOW], s, 0.0))
        return perp_system_refuse(where, PERP_ERR_ARGUMENT, "motion", -1);
    return PERP_SOLVED;
}

void perp_body_mass(double *M, const perp_body_def *def)
{
    memset(M, 0, 36 * sizeof *M);
    for (int j = 0; j < 3; j++) {
        M[7 * j] = def->mass;
        for (int i = 0; i < 3; i++)
            M[i + 3 + 6 * (j + 3)] = def->inertia[i + 3 * j];
    }
}

static perp_status fill_mass(perp_system *s, const perp_body_def *def, perp_pool *pool,
                             perp_where *where)
{
    if (!isfinite(def->mass))
        return perp_system_refuse(where, PERP_ERR_NONFINITE, "mass", -1);
    if (def->mass <= 0.0)
        return perp_system_refuse(where, PERP_ERR_ARGUMENT, "mass", -1);
    perp_status status = check_inertia(def->inertia, where);
    if (status != PERP_SOLVED)
        return status;
    double M[36];
    perp_body_mass(M, def);
    perp_mat view = {PERP_DENSE, 6, 6, {.dense = {M, 6}}};
    return perp_system_mass(s, &view, 1, pool, where);
}

/* Smallest half-width of the box with this mass and these moments of inertia, whose axes are taken
 * for principal ones: m a_1^2 / 3 = (J_2 + J_3 - J_1) / 2. */
static double half_width(const perp_body_def *def)
{
    double sum = def->inertia[0] + def->inertia[4] + def->inertia[8], least = 0.0;
    for (int i = 0; i < 3; i++) {
        double spread = 0.5 * sum - def->inertia[4 * i];
        double width = spread > 1e-12 * sum ? sqrt(3.0 * spread / def->mass) : 0.0;
        if (width > 0.0 && (least == 0.0 || width < least))
            least = width;
    }
    return least;
}

/* Constant forces that do not turn with the body go into s->constant. */
static perp_status fill_forces(perp_system *s, const perp_body_def *def, perp_pool *pool,
                               perp_where *where)
{
    double force[3], moment[3];
    perp_status status = perp_system_fill(force, def->force, 3, "force", where);
    if (status == PERP_SOLVED)
        status = perp_system_fill(moment, def->moment, 3, "moment", where);
    if (status == PERP_SOLVED)
        status = perp_system_copy_mat(&s->as.body.C, &def->C, 6, 6, "C", pool, where);
    if (status == PERP_SOLVED)
        status = perp_system_copy_mat(&s->as.body.K, &def->K, 6, 7, "K", pool, where);
    if (status == PERP_SOLVED)
        status = perp_system_parameters(s, def->z, def->nz, pool, where);
    for (int i = 0; status == PERP_SOLVED && i < 3; i++) {
        s->constant[i] = def->force_frame == PERP_INERTIAL ? force[i] : 0.0;
        s->constant[3 + i] = def->moment_frame == PERP_BODY ? moment[i] : 0.0;
    }
    return status;
}

static int force_turns(const perp_body_def *def)
{
    return def->force_frame == PERP_BODY;
}

static int moment_turns(const perp_body_def *def)
{
    const double *m = def->moment;
    return def->moment_frame == PERP_INERTIAL &&
           (def->m || m[0] != 0.0 || m[1] != 0.0 || m[2] != 0.0);
}

static int is_spherical(const double *J)
{
    return J[0] == J[4] && J[4] == J[8] && J[1] == 0.0 && J[2] == 0.0 && J[3] == 0.0 &&
           J[5] == 0.0 && J[6] == 0.0 && J[7] == 0.0;
}

/* K acts on the quaternion. */
static int turns_with(const perp_mat *K)
{
    double e[7], y[6] = {0.0};
    for (int j = 3; K->rows && j < 7; j++) {
        memset(e, 0, sizeof e);
        e[j] = 1.0;
        perp_system_add_product(y, K, e, 1.0);
        for (int i = 0; i < 6; i++)
            if (y[i] != 0.0)
                return 1;
    }
    return 0;
}

perp_status perp_body_make(perp_system *s, const perp_body_def *def, perp_pool *pool,
                           perp_where *where)
{
    const char *field = check_fields(def);
    if (field)
        return perp_system_refuse(where, PERP_ERR_ARGUMENT, field, -1);
    perp_body_def *own = &s->as.body;
    s->kind = PERP_SYSTEM_BODY;
    s->user = def->user;
    *own = *def;
    memset(&own->C, 0, sizeof own->C);
    memset(&own->K, 0, sizeof own->K);
    perp_status status = perp_system_vectors(s, 7, 6, 1, pool);
    if (status == PERP_SOLVED)
        status = def->motion ? prescribe(s, where) : fill_state(s, def, where);
    if (status == PERP_SOLVED)
        status = fill_mass(s, def, pool, where);
    if (status == PERP_SOLVED)
        status = fill_forces(s, def, pool, where);
    if (status != PERP_SOLVED)
        return status;
    own->z = s->z;
    s->ledger.half_width = half_width(def);
    own->no_gyroscopic = def->no_gyroscopic || is_spherical(def->inertia);
    int turns = force_turns(def) || moment_turns(def);
    int varies = turns || def->f || def->m || !own->no_gyroscopic;
    s->linear = s->W_constant = !varies && !turns_with(&own->K);
    s->steady = !def->f && !def->m;
    s->plain = !varies && !own->C.rows && !own->K.rows;
    s->turns_alone = s->steady && !turns && !own->C.rows && !own->K.rows;
    if (!s->plain)
        status = perp_system_callback_memory(s, 0, pool);
    const perp_mat *terms[] = {&own->C};
    if (status == PERP_SOLVED)
        status = perp_system_make_iteration(s, terms, 1, varies || own->K.rows, pool, where);
    return status;
}

static void cross(double *out, const double *a, const double *b)
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static int term_f(double *out, perp_system *s, double t, const double *q, const double *v)
{
    return s->as.body.f(out, t, q, v, s->z, s->user);
}

static int term_m(double *out, perp_system *s, double t, const double *q, const double *v)
{
    return s->as.body.m(out, t, q, v, s->z, s->user);
}

/* x = sum of the constant part, where it turns, and of the callback, in the frame given. */
static int given_part(double *x, perp_system *s, const double *constant, int turns,
                      perp_system_fn there, perp_system_term term, double t, const double *q,
                      const double *v)
{
    for (int i = 0; i < 3; i++)
        x[i] = turns ? constant[i] : 0.0;
    if (!there)
        return 0;
    double more[3];
    if (term(more, s, t, q, v))
        return 1;
    for (int i = 0; i < 3; i++)
        x[i] += more[i];
    return 0;
}

void perp_body_gyroscopic(double *moment, const perp_system *s, const double *omega)
{
    const double *J = s->as.body.inertia;
    double momentum[3];
    if (s->as.body.no_gyroscopic) {
        moment[0] = moment[1] = moment[2] = 0.0;
        return;
    }
    for (int i = 0; i < 3; i++)
        momentum[i] = J[i] * omega[0] + J[i + 3] * omega[1] + J[i + 6] * omega[2];
    cross(moment, omega, momentum);
}

int perp_body_force(double *f, perp_system *s, double t, const double *q, const double *v)
{
    const perp_body_def *def = &s->as.body;
    double x[3];
    memcpy(f, s->constant, 6 * sizeof(double));
    if (force_turns(def) || def->f) {
        if (given_part(x, s, def->force, force_turns(def), def->f, term_f, t, q, v))
            return 1;
        if (force_turns(def))
            perp_quaternion_rotate(q + 3, x, x);
        for (int i = 0; i < 3; i++)
            f[i] += x[i];
    }
    if (moment_turns(def) || def->m) {
        if (given_part(x, s, def->moment, moment_turns(def), def->m, term_m, t, q, v))
            return 1;
        if (moment_turns(def))
            perp_quaternion_rotate_back(q + 3, x, x);
        for (int i = 0; i < 3; i++)
            f[3 + i] += x[i];
    }
    if (!def->no_gyroscopic) {
        perp_body_gyroscopic(x, s, v + 3);
        for (int i = 0; i < 3; i++)
            f[3 + i] -= x[i];
    }
    perp_system_add_product(f, &def->C, v, -1.0);
    perp_system_add_product(f, &def->K, q, -1.0);
    return 0;
}

/* D (3 x 4, leading dimension 6) += d(R(p) x)/dp, for transposed = 1 d(R(p)' x)/dp, of the
 * expression that perp_quaternion_rotate evaluates (corrected (11.99)-(11.102)). */
static void add_rotation_derivative(double *D, const double *p, const double *x, int transposed)
{
    const double *e = p + 1;
    double sign = transposed ? -1.0 : 1.0, along = e[0] * x[0] + e[1] * x[1] + e[2] * x[2], c[3];
    cross(c, e, x);
    for (int i = 0; i < 3; i++)
        D[i] += 2.0 * sign * c[i];
    for (int j = 0; j < 3; j++) {
        double axis[3] = {0.0};
        axis[j] = 1.0;
        cross(c, axis, x);
        for (int i = 0; i < 3; i++)
            D[i + 6 * (j + 1)] +=
                2.0 * (sign * p[0] * c[i] + axis[i] * along + e[i] * x[j] - 2.0 * x[i] * e[j]);
    }
}

/* Rows `first` on of J (6 x columns) += Q G with G the 3 x columns Jacobian of a callback and
 * Q = R, R' or the identity. */
static int add_given(double *J, int first, perp_system *s, perp_system_fn given,
                     perp_system_term term, int turns, double t, const double *q, const double *v,
                     int by_v)
{
    int refused = given ? given(s->matrix, t, q, v, s->z, s->user)
                        : perp_system_differences(s->matrix, 3, s, term, t, q, v, by_v);
    int columns = by_v ? 6 : 7;
    for (int j = 0; !refused && j < columns; j++) {
        double *column = s->matrix + 3 * (size_t)j;
        if (turns && first == 0)
            perp_quaternion_rotate(q + 3, column, column);
        else if (turns)
            perp_quaternion_rotate_back(q + 3, column, column);
        for (int i = 0; i < 3; i++)
            J[first + i + 6 * j] += column[i];
    }
    return refused;
}

/* d(-omega x I omega)/domega = -[e_i x I omega + omega x I e_i] (11.96). */
static void add_gyroscopic(double *J, const double *inertia, const double *w)
{
    double momentum[3], c[3];
    for (int i = 0; i < 3; i++)
        momentum[i] = inertia[i] * w[0] + inertia[i + 3] * w[1] + inertia[i + 6] * w[2];
    for (int j = 0; j < 3; j++) {
        double axis[3] = {0.0};
        axis[j] = 1.0;
        cross(c, axis, momentum);
        for (int i = 0; i < 3; i++)
            J[3 + i + 6 * (3 + j)] -= c[i];
        cross(c, w, inertia + 3 * j);
        for (int i = 0; i < 3; i++)
            J[3 + i + 6 * (3 + j)] -= c[i];
    }
}

int perp_body_jacobian(perp_system *s, double t, const double *q, const double *v)
{
    const perp_body_def *def = &s->as.body;
    double *J_q = s->jacobian_q, *J_v = s->jacobian_v, x[3];
    memset(J_q, 0, 42 * sizeof(double));
    memset(J_v, 0, 36 * sizeof(double));
    perp_system_add_matrix(J_q, &def->K, -1.0);
    perp_system_add_matrix(J_v, &def->C, -1.0);
    if (force_turns(def)) {
        if (given_part(x, s, def->force, 1, def->f, term_f, t, q, v))
            return 1;
        add_rotation_derivative(J_q + 18, q + 3, x, 0);
    }
    if (moment_turns(def)) {
        if (given_part(x, s, def->moment, 1, def->m, term_m, t, q, v))
            return 1;
        add_rotation_derivative(J_q + 21, q + 3, x, 1);
    }
    if (def->f && (add_given(J_q, 0, s, def->f_q, term_f, force_turns(def), t, q, v, 0) ||
                   add_given(J_v, 0, s, def->f_v, term_f, force_turns(def), t, q, v, 1)))
        return 1;
    if (def->m && (add_given(J_q, 3, s, def->m_q, term_m, moment_turns(def), t, q, v, 0) ||
                   add_given(J_v, 3, s, def->m_v, term_m, moment_turns(def), t, q, v, 1)))
        return 1;
    if (!def->no_gyroscopic && !s->without_gyroscopic)
        add_gyroscopic(J_v, def->inertia, v + 3);
    return 0;
}
