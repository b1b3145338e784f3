/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scene/relations.h"

static const char law_words[] =
    "complementarity|equality|box|impact|friction|motor|dry-friction|servo";

/* A bound; null means none. */
static int read_bound(double *value, const perp_scene_node *at, const char *key, double none)
{
    perp_scene_node node = perp_scene_get(at, key);

    if (perp_scene_is(&node, JSON_NULL)) {
        *value = none;
        return 0;
    }
    return perp_scene_real(value, at, key, -INFINITY, INFINITY);
}

/* Bounds of each row are read once the rows are known. */
static int read_box(perp_law *law, const perp_scene_node *at)
{
    perp_scene_node node = perp_scene_get(at, "hi"), least = perp_scene_get(at, "lo");
    double lo = -1.0, hi = 1.0;

    if (perp_scene_object(at, "type lo hi") != 0)
        return -1;
    if (perp_scene_is(&least, JSON_ARRAY) || perp_scene_is(&node, JSON_ARRAY)) {
        *law = perp_law_relay(-1.0, 1.0);
        return 0;
    }
    if (read_bound(&lo, at, "lo", -INFINITY) != 0 || read_bound(&hi, at, "hi", INFINITY) != 0)
        return -1;
    if (lo > hi)
        return perp_scene_fail(&node, "%g is less than lo, %g", hi, lo);
    *law = perp_law_relay(lo, hi);
    return 0;
}

/* One for each row, null for none; a number is that of all rows. */
static int read_row_bounds(double *bound, int rows, const perp_scene_node *at, const char *key,
                           double otherwise, double none)
{
    perp_scene_node list = perp_scene_get(at, key);
    double all = otherwise;

    if (!perp_scene_is(&list, JSON_ARRAY)) {
        int bad = read_bound(&all, at, key, none);
        for (int r = 0; r < rows; r++)
            bound[r] = all;
        return bad;
    }
    if (json_array_size(list.json) != (size_t)rows)
        return perp_scene_fail(&list, "%zu bounds for %d rows", json_array_size(list.json), rows);
    for (int r = 0; r < rows; r++) {
        perp_scene_node one = perp_scene_at(&list, (size_t)r);
        bound[r] = none;
        if (!perp_scene_is(&one, JSON_NULL) &&
            perp_scene_number(&bound[r], &one, -INFINITY, INFINITY) != 0)
            return -1;
    }
    return 0;
}

int perp_scene_read_row_bounds(perp_scene_link *link, const perp_scene_node *at)
{
    perp_scene_node hi = perp_scene_get(at, "hi"), lo = perp_scene_get(at, "lo");
    int rows = link->def.relation.rows;

    if (!link->has_law || link->def.law.kind != PERP_LAW_BOX ||
        (!perp_scene_is(&lo, JSON_ARRAY) && !perp_scene_is(&hi, JSON_ARRAY)))
        return 0;
    double *bound = perp_scene_take(link->scene, 2 * (size_t)rows, sizeof *bound);
    if (bound == NULL || read_row_bounds(bound, rows, at, "lo", -1.0, -INFINITY) != 0 ||
        read_row_bounds(bound + rows, rows, at, "hi", 1.0, INFINITY) != 0)
        return -1;
    for (int r = 0; r < rows; r++)
        if (bound[r] > bound[rows + r])
            return perp_scene_fail(&hi, "row %d: %g is less than lo, %g", r, bound[rows + r],
                                   bound[r]);
    link->def.relation.lo = bound;
    link->def.relation.hi = bound + rows;
    return 0;
}

int perp_scene_read_compliance(perp_law *law, const perp_scene_node *at)
{
    perp_scene_node e = perp_scene_get(at, "e"), damping = perp_scene_get(at, "damping");
    double compliance = 0.0;

    if (perp_scene_real(&compliance, at, "compliance", 0.0, 1e300) != 0 ||
        perp_scene_real(&law->damping, at, "damping", 0.0, 1e300) != 0 ||
        perp_scene_real(&law->relative_compliance, at, "relative_compliance", 0.0, 1e300) != 0)
        return -1;
    if (compliance > 0.0 && law->e > 0.0)
        return perp_scene_fail(&e, "a contact with a compliance has a damping in place of e");
    if (law->damping > 0.0 && compliance == 0.0)
        return perp_scene_fail(&damping, "a damping is that of a contact with a compliance");
    law->stiffness = compliance > 0.0 ? 1.0 / compliance : 0.0;
    return 0;
}

static int read_friction(perp_law *law, const perp_scene_node *at)
{
    double e = 0.0, e_t = 0.0, mu = 0.0;
    int dim = 3;

    if (perp_scene_object(at, "type e e_t mu dim " PERP_SCENE_COMPLIANCE) != 0 ||
        perp_scene_real(&e, at, "e", 0.0, 1.0) != 0 ||
        perp_scene_real(&e_t, at, "e_t", 0.0, 1.0) != 0 ||
        perp_scene_need_real(&mu, at, "mu", 0.0, 1e300) != 0 ||
        perp_scene_integer(&dim, at, "dim", 2, 3) != 0)
        return -1;
    *law = perp_law_friction(dim, e, mu);
    law->e_t = e_t;
    return perp_scene_read_compliance(law, at);
}

/* The largest force, or a range of it with null for none; absent or null means any. */
static int read_largest(double bound[2], const perp_scene_node *at, const char *key)
{
    perp_scene_node node = perp_scene_get(at, key);

    bound[0] = -INFINITY;
    bound[1] = INFINITY;
    if (perp_scene_is(&node, JSON_NULL))
        return 0;
    if (!perp_scene_is(&node, JSON_ARRAY)) {
        int bad = perp_scene_real(&bound[1], at, key, 0.0, INFINITY);
        bound[0] = -bound[1];
        return bad;
    }
    if (json_array_size(node.json) != 2)
        return perp_scene_fail(&node, "a largest force is expected, or the least and the largest");
    for (size_t k = 0; k < 2; k++) {
        perp_scene_node one = perp_scene_at(&node, k);
        if (!perp_scene_is(&one, JSON_NULL) &&
            perp_scene_number(&bound[k], &one, -1e300, 1e300) != 0)
            return -1;
    }
    return bound[0] <= bound[1] ? 0
                                : perp_scene_fail(&node, "%g is less than %g", bound[1], bound[0]);
}

/* A number, or a function of time: 0 for now, *timed is made. */
static int read_timed(perp_scene *scene, double *value, perp_scene_timed_law **timed,
                      const perp_scene_node *at, const char *key)
{
    perp_scene_node node = perp_scene_get(at, key);
    int varies;

    if (!perp_scene_is(&node, JSON_OBJECT))
        return perp_scene_need_real(value, at, key, -1e300, 1e300);
    *timed = perp_scene_take(scene, 1, sizeof **timed);
    if (*timed == NULL || perp_scene_read_profile(scene, &(*timed)->motion, &varies, at, key) != 0)
        return -1;
    (*timed)->moves = 1;
    *value = perp_scene_motion_value(&(*timed)->motion, scene->t0);
    return 0;
}

int perp_scene_read_motor(perp_scene *scene, perp_law *law, perp_scene_timed_law **timed,
                          const perp_scene_node *at, const char *force, const char *more)
{
    char keys[80];
    double speed = 0.0, bound[2];

    snprintf(keys, sizeof keys, "speed %s %s", force, more);
    if (perp_scene_object(at, keys) != 0 || read_timed(scene, &speed, timed, at, "speed") != 0 ||
        read_largest(bound, at, force) != 0)
        return -1;
    *law = perp_law_motor(speed, INFINITY);
    law->lo = bound[0];
    law->hi = bound[1];
    return 0;
}

int perp_scene_read_lag(double lag[2], const perp_scene_node *at)
{
    return perp_scene_real(&lag[0], at, "lag", 0.0, 1e300) != 0 ||
                   perp_scene_real(&lag[1], at, "armature", 0.0, 1e300) != 0
               ? -1
               : 0;
}

int perp_scene_read_servo(perp_scene *scene, perp_law *law, perp_scene_timed_law **timed,
                          const perp_scene_node *at, const char *force, const char *more)
{
    char keys[120];
    double target = 0.0, stiffness = 0.0, damping = 0.0, speed = INFINITY, acceleration = 0.0;
    double bound[2], lag[2] = {0.0};
    int profile = perp_scene_has(at, "acceleration");

    snprintf(keys, sizeof keys, "target %s %s %s", force,
             profile ? "speed acceleration" : "stiffness damping", more);
    if (perp_scene_object(at, keys) != 0 || read_largest(bound, at, force) != 0 ||
        read_timed(scene, &target, timed, at, "target") != 0 ||
        perp_scene_real(&stiffness, at, "stiffness", 0.0, 1e300) != 0 ||
        perp_scene_real(&damping, at, "damping", 0.0, 1e300) != 0 ||
        perp_scene_real(&speed, at, "speed", 1e-300, INFINITY) != 0 ||
        perp_scene_real(&acceleration, at, "acceleration", 1e-300, 1e300) != 0)
        return -1;
    if (strstr(more, "lag") != NULL && !profile && perp_scene_read_lag(lag, at) != 0)
        return -1;
    if (!profile && !(stiffness + damping + lag[0] + lag[1] > 0.0))
        return perp_scene_fail(at, "a servo has a stiffness and a damping, or an acceleration");
    *law = profile ? perp_law_profile(target, speed, acceleration, INFINITY)
                   : perp_law_servo(stiffness, damping, target, INFINITY);
    law->lo = bound[0];
    law->hi = bound[1];
    return 0;
}

static int read_dry_friction(perp_law *law, const perp_scene_node *at)
{
    double force = 0.0;

    if (perp_scene_object(at, "type force") != 0 ||
        perp_scene_need_real(&force, at, "force", 0.0, 1e300) != 0)
        return -1;
    *law = perp_law_dry_friction(force);
    return 0;
}

int perp_scene_read_law(perp_scene *scene, perp_law *law, perp_scene_timed_law **timed,
                        const perp_scene_node *at)
{
    perp_scene_node word = perp_scene_get(at, "type");
    double e = 0.0;
    int type = -1;

    if (!perp_scene_is(at, JSON_OBJECT))
        return perp_scene_fail(at, "an object is expected");
    if (perp_scene_choice(&type, at, "type", law_words) != 0)
        return -1;
    switch (type) {
    case 0:
        *law = perp_law_complementarity();
        return perp_scene_object(at, "type");
    case 1:
        *law = perp_law_equality();
        return perp_scene_object(at, "type");
    case 2:
        return read_box(law, at);
    case 3:
        if (perp_scene_object(at, "type e " PERP_SCENE_COMPLIANCE) != 0 ||
            perp_scene_real(&e, at, "e", 0.0, 1.0) != 0)
            return -1;
        *law = perp_law_impact(e);
        return perp_scene_read_compliance(law, at);
    case 4:
        return read_friction(law, at);
    case 5:
        return perp_scene_read_motor(scene, law, timed, at, "force", "type");
    case 6:
        return read_dry_friction(law, at);
    case 7:
        return perp_scene_read_servo(scene, law, timed, at, "force", "type lag armature");
    default:
        return perp_scene_fail(&word, "missing; one of %s", law_words);
    }
}
