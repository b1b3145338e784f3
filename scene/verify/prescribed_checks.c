/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of time, and the bodies that move by them. */
#include <math.h>
#include <string.h>

#include "scene/verify/space.h"
#include "scene/verify/verify_inside.h"

static double entry(const json_t *table, size_t row, size_t column)
{
    return json_number_value(json_array_get(json_array_get(table, row), column));
}

/* Slope of a smooth table at an entry: 0 at its ends and at extrema, else a harmonic mean of the
 * slopes on both sides, that of the shorter side weighing more. */
static double slope_at(const json_t *table, size_t k)
{
    if (k == 0 || k + 1 == json_array_size(table))
        return 0.0;
    double h0 = entry(table, k, 0) - entry(table, k - 1, 0);
    double h1 = entry(table, k + 1, 0) - entry(table, k, 0);
    double d0 = (entry(table, k, 1) - entry(table, k - 1, 1)) / h0;
    double d1 = (entry(table, k + 1, 1) - entry(table, k, 1)) / h1;
    double w0 = (h0 + 2.0 * h1) / (3.0 * (h0 + h1)), w1 = (2.0 * h0 + h1) / (3.0 * (h0 + h1));

    return d0 * d1 > 0.0 ? 1.0 / (w0 / d0 + w1 / d1) : 0.0;
}

static double of_table(const json_t *at, double t)
{
    const json_t *table = json_object_get(at, "table");
    size_t count = json_array_size(table), k = 0;

    if (count == 0)
        return 0.0;
    while (k < count && entry(table, k, 0) <= t)
        k++;
    if (k == 0 || k == count)
        return entry(table, k == 0 ? 0 : count - 1, 1);
    double h = entry(table, k, 0) - entry(table, k - 1, 0), s = (t - entry(table, k - 1, 0)) / h;
    double y0 = entry(table, k - 1, 1), y1 = entry(table, k, 1);
    if (strcmp(perp_verify_word(at, "between"), "linear") == 0)
        return y0 + s * (y1 - y0);
    double m0 = slope_at(table, k - 1), m1 = slope_at(table, k), r = 1.0 - s;
    return r * r * (1.0 + 2.0 * s) * y0 + s * s * (3.0 - 2.0 * s) * y1 +
           h * s * r * (r * m0 - s * m1);
}

double perp_verify_function(const json_t *at, double t)
{
    const json_t *polynomial = json_object_get(at, "polynomial"), *ramp;
    double sum = 0.0, frequency = perp_verify_real(at, "frequency", 0.0);

    for (size_t k = json_array_size(polynomial); k > 0; k--)
        sum = sum * t + json_number_value(json_array_get(polynomial, k - 1));
    sum += perp_verify_real(at, "amplitude", 0.0) *
           sin(6.283185307179586476925 * frequency * t + perp_verify_real(at, "phase", 0.0));
    ramp = json_object_get(at, "ramp");
    if (ramp != NULL) {
        double from = perp_verify_real(ramp, "from", 0.0), to = perp_verify_real(ramp, "to", 1.0);
        double s = fmin(1.0, fmax(0.0, (t - from) / (to - from)));
        sum += perp_verify_real(ramp, "by", 0.0) * pow(s, 3) * (10.0 - 15.0 * s + 6.0 * s * s);
    }
    return sum + of_table(at, t);
}

/* One move after those before it. */
static void move(double *q, const json_t *at, double t)
{
    const json_t *turn = json_object_get(at, "turn");
    const json_t *own = turn != NULL ? turn : json_object_get(at, "slide");
    double axis[3] = {0.0, 0.0, 0.0}, centre[3] = {0.0, 0.0, 0.0}, from[3];
    double value = perp_verify_function(own, t), length;

    perp_verify_reals(axis, json_object_get(own, "axis"), 3);
    perp_verify_reals(centre, json_object_get(own, "centre"), 3);
    length = space_length(axis);
    for (int k = 0; k < 3; k++)
        axis[k] *= value / length;
    if (turn == NULL) {
        for (int k = 0; k < 3; k++)
            q[k] += axis[k];
        return;
    }
    const double rest[] = {1.0, 0.0, 0.0, 0.0};
    double rotation[4];
    space_move(rotation, rest, axis);
    for (int k = 0; k < 3; k++)
        from[k] = q[k] - centre[k];
    space_turn(from, rotation, from);
    for (int k = 0; k < 3; k++)
        q[k] = centre[k] + from[k];
    space_times(q + 3, rotation, q + 3);
}

void perp_verify_pose(double q[7], const perp_verify_system *s, double t)
{
    memcpy(q, s->position, sizeof s->position);
    memcpy(q + 3, s->quaternion, sizeof s->quaternion);
    if (!perp_verify_is(s->motion, JSON_ARRAY))
        move(q, s->motion, t);
    for (size_t i = 0; i < json_array_size(s->motion); i++)
        move(q, json_array_get(s->motion, i), t);
}

void perp_verify_prescribed(perp_verification *v)
{
    for (int k = 0; k < v->nsystems; k++) {
        const perp_verify_system *s = v->systems[k];
        double q[7], worst = 0.0, same = 0.0, turned = 0.0, scale = 1.0;
        if (s->motion == NULL)
            continue;
        if (s->q_at < 0) {
            perp_verify_leave_out(v, PERP_VERIFY_POSITIONS, "no q of '%s'", s->name);
            continue;
        }
        perp_verify_pose(q, s, v->t);
        const double *seen = v->now + s->q_at;
        for (int i = 0; i < 3; i++) {
            worst = fmax(worst, fabs(seen[i] - q[i]));
            scale = fmax(scale, fabs(q[i]));
        }
        for (int i = 3; i < 7; i++) {
            same = fmax(same, fabs(seen[i] - q[i]));
            turned = fmax(turned, fabs(seen[i] + q[i]));
        }
        perp_verify_note(v, PERP_VERIFY_POSITIONS, fmax(worst, fmin(same, turned)) / scale,
                         "%s, whose motion is given", s->name);
    }
}
