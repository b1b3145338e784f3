/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of time: a polynomial, a sine, a ramp and a table. */
#include <math.h>

#include "scene/numbers.h"

/* {"from": t, "to": t, "by": amount}: rises by the amount between two times, without a kink. */
static int read_ramp(perp_scene_motion *motion, const perp_scene_node *at)
{
    perp_scene_node ramp = perp_scene_get(at, "ramp");

    if (ramp.json == NULL)
        return 0;
    if (perp_scene_object(&ramp, "from to by") != 0 ||
        perp_scene_real(&motion->ramp[0], &ramp, "from", -1e300, 1e300) != 0 ||
        perp_scene_need_real(&motion->ramp[1], &ramp, "to", -1e300, 1e300) != 0 ||
        perp_scene_need_real(&motion->ramp[2], &ramp, "by", -1e300, 1e300) != 0)
        return -1;
    return motion->ramp[1] > motion->ramp[0]
               ? 0
               : perp_scene_fail(&ramp, "it ends, at %g, before it begins, at %g", motion->ramp[1],
                                 motion->ramp[0]);
}

/* Slopes of a smooth table: harmonic means, so that it rises and falls where the entries do
 * [FritschButland1984]; 0 at both ends and at extrema. */
static void set_slopes(perp_scene_motion *motion)
{
    double *x = motion->table;

    for (int k = 1; k + 1 < motion->entries; k++) {
        double *at = x + 3 * k, before = at[0] - at[-3], after = at[3] - at[0];
        double left = (at[1] - at[-2]) / before, right = (at[4] - at[1]) / after;
        if (left * right > 0.0)
            at[2] = 3.0 * (before + after) /
                    ((2.0 * after + before) / left + (after + 2.0 * before) / right);
    }
}

/* [[t, value], ...], times growing. */
static int read_table(perp_scene *scene, perp_scene_motion *motion, const perp_scene_node *at)
{
    perp_scene_node list = perp_scene_get(at, "table"), word = perp_scene_get(at, "between");
    int between = 0;
    size_t count;

    if (perp_scene_choice(&between, at, "between", "smooth|linear") != 0)
        return -1;
    if (list.json == NULL)
        return word.json == NULL ? 0 : perp_scene_fail(&word, "this is of a table");
    if (perp_scene_array(&list, &count) != 0)
        return -1;
    if (count < 2 || count > 1000000)
        return perp_scene_fail(&list, "%zu entries; two at least are expected", count);
    motion->table = perp_scene_take(scene, 3 * count, sizeof *motion->table);
    if (motion->table == NULL)
        return -1;
    for (size_t k = 0; k < count; k++) {
        perp_scene_node row = perp_scene_at(&list, k);
        size_t two;
        if (perp_scene_array(&row, &two) != 0)
            return -1;
        if (two != 2)
            return perp_scene_fail(&row, "a time and a value are expected");
        for (size_t i = 0; i < 2; i++) {
            perp_scene_node entry = perp_scene_at(&row, i);
            if (perp_scene_number(&motion->table[3 * k + i], &entry, -1e300, 1e300) != 0)
                return -1;
        }
        if (k > 0 && !(motion->table[3 * k] > motion->table[3 * k - 3]))
            return perp_scene_fail(&row, "times are to grow");
    }
    motion->entries = (int)count;
    motion->linear = between == 1;
    set_slopes(motion);
    return 0;
}

int perp_scene_read_motion(perp_scene *scene, perp_scene_motion *motion, const perp_scene_node *at)
{
    double frequency = 0.0;

    motion->coefficients = -1;
    if (perp_scene_real(&motion->amplitude, at, "amplitude", -INFINITY, INFINITY) != 0 ||
        perp_scene_real(&frequency, at, "frequency", 0.0, INFINITY) != 0 ||
        perp_scene_real(&motion->phase, at, "phase", -INFINITY, INFINITY) != 0 ||
        perp_scene_vector(scene, &motion->coefficient, &motion->coefficients, at, "polynomial") !=
            0 ||
        read_ramp(motion, at) != 0 || read_table(scene, motion, at) != 0)
        return -1;
    if (motion->coefficient == NULL)
        motion->coefficients = 0;
    motion->omega = 2.0 * 3.14159265358979323846 * frequency;
    if (motion->coefficients == 0 && motion->entries == 0 && !perp_scene_has(at, "ramp") &&
        !perp_scene_has(at, "amplitude"))
        return perp_scene_fail(
            at, "needs amplitude (with frequency and phase), polynomial, ramp or table");
    return 0;
}

int perp_scene_read_profile(perp_scene *scene, perp_scene_motion *motion, int *varies,
                            const perp_scene_node *at, const char *key)
{
    perp_scene_node node = perp_scene_get(at, key);
    double *constant;

    *varies = perp_scene_is(&node, JSON_OBJECT);
    if (*varies)
        return perp_scene_object(&node, PERP_SCENE_MOTION_KEYS) != 0
                   ? -1
                   : perp_scene_read_motion(scene, motion, &node);
    constant = perp_scene_take(scene, 1, sizeof *constant);
    if (constant == NULL || perp_scene_need_real(constant, at, key, -1e300, 1e300) != 0)
        return -1;
    motion->coefficient = constant;
    motion->coefficients = 1;
    return 0;
}

/* Part of the rise, 0 to 1, and its rate over the length: 10 s^3 - 15 s^4 + 6 s^5. */
static double rise(double s)
{
    s = fmin(fmax(s, 0.0), 1.0);
    return s * s * s * (10.0 + s * (-15.0 + 6.0 * s));
}

static double rise_rate(double s)
{
    return s <= 0.0 || s >= 1.0 ? 0.0 : 30.0 * s * s * (1.0 - s) * (1.0 - s);
}

/* The entry of a table from which t goes on; -1 before the first, entries - 1 after the last. */
static int entry_at(const perp_scene_motion *motion, double t)
{
    int low = -1, high = motion->entries;

    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (motion->table[3 * middle] <= t)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Value, and rate in *rate. */
static double table_value(const perp_scene_motion *motion, double t, double *rate)
{
    int k = entry_at(motion, t);
    const double *at = motion->table + 3 * (k < 0 ? 0 : k);

    *rate = 0.0;
    if (k < 0 || k == motion->entries - 1)
        return at[1];
    double h = at[3] - at[0], s = (t - at[0]) / h, way = at[4] - at[1];
    if (motion->linear) {
        *rate = way / h;
        return at[1] + s * way;
    }
    /* Hermite's cubic. */
    double a = h * at[2] - way, b = way - h * at[5];
    *rate = (way + (1.0 - 2.0 * s) * (a * (1.0 - s) + b * s) + s * (1.0 - s) * (b - a)) / h;
    return at[1] + s * way + s * (1.0 - s) * (a * (1.0 - s) + b * s);
}

double perp_scene_motion_value(const perp_scene_motion *motion, double t)
{
    double value = 0.0, rate;
    const double *ramp = motion->ramp;

    for (int k = motion->coefficients - 1; k >= 0; k--)
        value = value * t + motion->coefficient[k];
    if (motion->amplitude != 0.0)
        value += motion->amplitude * sin(motion->omega * t + motion->phase);
    if (ramp[2] != 0.0)
        value += ramp[2] * rise((t - ramp[0]) / (ramp[1] - ramp[0]));
    if (motion->entries > 0)
        value += table_value(motion, t, &rate);
    return value;
}

double perp_scene_motion_rate(const perp_scene_motion *motion, double t)
{
    double rate = 0.0, of_table = 0.0;
    const double *ramp = motion->ramp;

    for (int k = motion->coefficients - 1; k >= 1; k--)
        rate = rate * t + k * motion->coefficient[k];
    if (motion->amplitude != 0.0)
        rate += motion->amplitude * motion->omega * cos(motion->omega * t + motion->phase);
    if (ramp[2] != 0.0)
        rate += ramp[2] * rise_rate((t - ramp[0]) / (ramp[1] - ramp[0])) / (ramp[1] - ramp[0]);
    if (motion->entries > 0)
        (void)table_value(motion, t, &of_table);
    return rate + of_table;
}
