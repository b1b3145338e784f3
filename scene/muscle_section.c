/* SPDX-License-Identifier: BSD-3-Clause */
/* {"type": "muscle", "system", "coordinate", ...} of "forces". */
#include <math.h>

#include "scene/muscle_section.h"

typedef struct key {
    const char *name;
    double *value;
    int positive;
} key;

static int read_ranges(perp_muscle *m, const perp_scene_node *at)
{
    double length[2], range[2] = {m->low, m->high};
    perp_scene_node node = perp_scene_get(at, "lengths"), own = perp_scene_get(at, "range");

    if (perp_scene_need_reals(length, at, "lengths", 2) != 0 ||
        perp_scene_reals(range, at, "range", 2) != 0)
        return -1;
    if (!(length[0] < length[1]))
        return perp_scene_fail(&node, "two rising lengths are expected");
    if (!(range[0] < range[1]) || !(range[0] >= 0.0))
        return perp_scene_fail(&own, "two rising numbers from 0 are expected");
    m->shortest = length[0];
    m->longest = length[1];
    m->low = range[0];
    m->high = range[1];
    return 0;
}

static int read_bounds(perp_muscle *m, const perp_scene_node *at)
{
    perp_scene_node node = perp_scene_get(at, "bounds");

    m->bounded = node.json != NULL;
    if (!m->bounded)
        return 0;
    if (perp_scene_need_reals(m->bound, at, "bounds", 2) != 0)
        return -1;
    return m->bound[0] <= m->bound[1] ? 0
                                      : perp_scene_fail(&node, "two rising forces are expected");
}

static int read_curves(perp_muscle *m, const perp_scene_node *at)
{
    const key keys[] = {{"force", &m->strength, 0}, {"lmin", &m->least, 0},
                        {"lmax", &m->most, 0},      {"vmax", &m->fastest, 1},
                        {"fpmax", &m->passive, 0},  {"fvmax", &m->eccentric, 0}};

    for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++) {
        perp_scene_node node = perp_scene_get(at, keys[k].name);
        if (perp_scene_real(keys[k].value, at, keys[k].name, 0.0, INFINITY) != 0)
            return -1;
        if (keys[k].positive && !(*keys[k].value > 0.0))
            return perp_scene_fail(&node, "not positive");
    }
    if (!(m->least < 1.0) || !(m->most > 1.0))
        return perp_scene_fail(at, "lmin < 1 < lmax is expected");
    return m->eccentric >= 1.0 ? 0 : perp_scene_fail(at, "fvmax: less than 1");
}

int perp_scene_read_muscle(perp_scene *scene, const perp_scene_node *at)
{
    perp_scene_node name = perp_scene_get(at, "system");
    perp_scene_muscle *made = perp_scene_take(scene, 1, sizeof *made);
    perp_scene_member *s;
    int varies;

    if (made == NULL ||
        perp_scene_object(at, "type system coordinate force lengths range lmin lmax "
                              "vmax fpmax fvmax activation bounds") != 0 ||
        (s = perp_scene_named(scene, &name)) == NULL)
        return -1;
    if (s->kind != PERP_SCENE_LAGRANGIAN)
        return perp_scene_fail(&name, "a muscle acts along a coordinate");
    perp_muscle_init(&made->muscle);
    if (perp_scene_integer(&made->coordinate, at, "coordinate", 0, s->nx - 1) != 0 ||
        read_ranges(&made->muscle, at) != 0 || read_curves(&made->muscle, at) != 0 ||
        read_bounds(&made->muscle, at) != 0 ||
        perp_scene_read_profile(scene, &made->activation, &varies, at, "activation") != 0)
        return -1;
    made->next = s->muscles;
    s->muscles = made;
    return 0;
}

void perp_scene_add_muscles(double *out, const perp_scene_member *s, double t, const double *x,
                            const double *v)
{
    for (const perp_scene_muscle *m = s->muscles; m != NULL; m = m->next)
        out[m->coordinate] += perp_muscle_force(&m->muscle, x[m->coordinate], v[m->coordinate],
                                                perp_scene_motion_value(&m->activation, t));
}
