/* SPDX-License-Identifier: BSD-3-Clause */
/* scene.json, as far as the verification needs it: it was read once by the run, so that what is not
 * understood here is left out and said, not refused. */
#include <math.h>
#include <string.h>

#include "scene/verify/space.h"
#include "scene/verify/verify_inside.h"

static void copy_name(char *out, const char *text)
{
    size_t length = strlen(text);

    length = length < PERP_VERIFY_NAME - 1 ? length : PERP_VERIFY_NAME - 1;
    memcpy(out, text, length);
    out[length] = '\0';
}

perp_verify_system *perp_verify_find(perp_verification *v, const char *name)
{
    for (int k = 0; k < v->nsystems; k++)
        if (strcmp(v->systems[k]->name, name) == 0)
            return v->systems[k];
    return NULL;
}

static perp_verify_system *new_system(perp_verification *v, const json_t *at, const char *prefix,
                                      size_t number)
{
    perp_verify_system *s = perp_verify_take(v, 1, sizeof *s);

    if (v->nsystems == v->systems_capacity && s != NULL) {
        int more = 2 * v->systems_capacity + 16;
        perp_verify_system **grown = perp_verify_take(v, (size_t)more, sizeof *grown);
        if (grown == NULL)
            return NULL;
        if (v->nsystems > 0)
            memcpy(grown, v->systems, (size_t)v->nsystems * sizeof *grown);
        v->systems = grown;
        v->systems_capacity = more;
    }
    if (s == NULL)
        return NULL;
    if (json_object_get(at, "name") != NULL)
        copy_name(s->name, perp_verify_word(at, "name"));
    else
        snprintf(s->name, sizeof s->name, "%s%zu", prefix, number);
    copy_name(s->material, perp_verify_word(at, "material"));
    s->q_at = s->v_at = s->p_at = s->kinetic_at = s->potential_at = -1;
    s->scheme = PERP_VERIFY_OTHER_SCHEME;
    s->theta = 0.5;
    v->systems[v->nsystems++] = s;
    return s;
}

static void read_shape(perp_verify_system *s, const json_t *at)
{
    const char *type = perp_verify_word(at, "type");

    if (strcmp(type, "sphere") == 0) {
        s->form = PERP_VERIFY_SPHERE;
        s->size[0] = perp_verify_real(at, "radius", 0.0);
    } else if (strcmp(type, "box") == 0) {
        s->form = PERP_VERIFY_BOX;
        perp_verify_reals(s->size, json_object_get(at, "sides"), 3);
        for (int k = 0; k < 3; k++)
            s->size[k] *= 0.5;
    } else if (strcmp(type, "capsule") == 0) {
        s->form = PERP_VERIFY_CAPSULE;
        s->size[0] = perp_verify_real(at, "radius", 0.0);
        s->size[1] = 0.5 * perp_verify_real(at, "length", 0.0);
    } else if (strcmp(type, "plane") == 0 || strcmp(type, "line") == 0) {
        s->form = PERP_VERIFY_PLANE;
        perp_verify_reals(s->normal, json_object_get(at, "normal"), 3);
        s->offset = perp_verify_real(at, "offset", 0.0);
        double length = space_length(s->normal);
        for (int k = 0; k < 3; k++)
            s->normal[k] /= length > 0.0 ? length : 1.0;
    } else if (at != NULL) {
        s->form = PERP_VERIFY_OTHER_SHAPE;
    }
    if (s->form != PERP_VERIFY_PLANE &&
        (json_object_get(at, "position") != NULL || json_object_get(at, "quaternion") != NULL ||
         json_object_get(at, "rotation") != NULL))
        s->form = PERP_VERIFY_OTHER_SHAPE;
}

static const double pi = 3.14159265358979323846;

/* Volume, and the moments of a unit of mass that fills the shape evenly: a capsule is a rod and two
 * half balls, whose centres of mass lie 3/8 of the radius behind its ends. */
static double fill(double *moment, const perp_verify_system *s)
{
    const double r = s->size[0], l = s->size[1];

    if (s->form == PERP_VERIFY_SPHERE) {
        moment[0] = moment[1] = moment[2] = 0.4 * r * r;
        return 4.0 / 3.0 * pi * r * r * r;
    }
    if (s->form == PERP_VERIFY_BOX) {
        const double *a = s->size;
        moment[0] = (a[1] * a[1] + a[2] * a[2]) / 3.0;
        moment[1] = (a[2] * a[2] + a[0] * a[0]) / 3.0;
        moment[2] = (a[0] * a[0] + a[1] * a[1]) / 3.0;
        return 8.0 * a[0] * a[1] * a[2];
    }
    if (s->form == PERP_VERIFY_CAPSULE) {
        double rod = pi * r * r * 2.0 * l, ball = 4.0 / 3.0 * pi * r * r * r, all = rod + ball;
        double half = 83.0 / 320.0 * r * r, from = l + 0.375 * r;
        moment[0] = moment[1] =
            (rod * (l * l / 3.0 + 0.25 * r * r) + ball * (half + from * from)) / all;
        moment[2] = (rod * 0.5 * r * r + ball * 0.4 * r * r) / all;
        return all;
    }
    return 0.0;
}

/* Shapes that are not filled here: mass and inertia are known where both are given; the start is
 * known where the inertia is, for then the shapes stay where the scene has them. */
static void read_inertia(perp_verify_system *s, const json_t *at)
{
    const json_t *given = json_object_get(at, "inertia");
    double moment[3] = {0.0, 0.0, 0.0}, volume = fill(moment, s);

    if (s->form == PERP_VERIFY_OTHER_SHAPE) {
        s->no_mass = given == NULL || json_object_get(at, "mass") == NULL;
        if (given == NULL)
            s->q0 = NULL;
    }
    s->mass = json_object_get(at, "mass") != NULL ? perp_verify_real(at, "mass", 0.0)
                                                  : volume * perp_verify_real(at, "density", 0.0);
    if (perp_verify_is(json_array_get(given, 0), JSON_ARRAY)) {
        for (size_t i = 0; i < 3; i++)
            for (size_t j = 0; j < 3; j++)
                s->inertia[i + 3 * j] =
                    json_number_value(json_array_get(json_array_get(given, i), j));
        return;
    }
    for (int k = 0; k < 3; k++)
        moment[k] *= s->mass;
    perp_verify_reals(moment, json_object_get(at, "inertia"), 3);
    for (int k = 0; k < 3; k++)
        s->inertia[4 * k] = moment[k];
}

static int read_pose(perp_verification *v, perp_verify_system *s, const json_t *at)
{
    static const double identity[] = {1.0, 0.0, 0.0, 0.0};
    double turn[3] = {0.0, 0.0, 0.0}, length;

    memcpy(s->quaternion, identity, sizeof identity);
    perp_verify_reals(s->position, json_object_get(at, "position"), 3);
    perp_verify_reals(turn, json_object_get(at, "rotation"), 3);
    space_move(s->quaternion, identity, turn);
    perp_verify_reals(s->quaternion, json_object_get(at, "quaternion"), 4);
    length =
        sqrt(space_dot(s->quaternion + 1, s->quaternion + 1) + s->quaternion[0] * s->quaternion[0]);
    for (int k = 0; k < 4; k++)
        s->quaternion[k] /= length;
    s->q0 = perp_verify_take(v, 7, sizeof *s->q0);
    s->v0 = perp_verify_take(v, 6, sizeof *s->v0);
    if (s->q0 == NULL || s->v0 == NULL)
        return -1;
    memcpy(s->q0, s->position, sizeof s->position);
    memcpy(s->q0 + 3, s->quaternion, sizeof s->quaternion);
    perp_verify_reals(s->v0, json_object_get(at, "velocity"), 3);
    perp_verify_reals(s->v0 + 3, json_object_get(at, "angular"), 3);
    return 0;
}

static int read_copies(perp_verification *v, const perp_verify_system *first, const json_t *at)
{
    double count[3] = {1, 1, 1}, spacing[3] = {0, 0, 0};
    const json_t *copies = json_object_get(at, "copies");
    int jitter = perp_verify_real(copies, "jitter", 0.0) > 0.0;

    perp_verify_reals(count, json_object_get(copies, "count"), 3);
    perp_verify_reals(spacing, json_object_get(copies, "spacing"), 3);
    for (int k = 0; k < 3; k++)
        if (!(count[k] >= 1.0 && count[k] <= 10000.0 && count[k] == floor(count[k])))
            return perp_verify_fail(
                v, PERP_ERR_FORMAT,
                "%.400s/scene.json: copies.count of '%s': %g is no whole number "
                "from 1 to 10000",
                v->folder, first->name, count[k]);
    v->copies += count[0] * count[1] * count[2];
    if (v->copies > 1e6)
        return perp_verify_fail(v, PERP_ERR_FORMAT,
                                "%.400s/scene.json: copies.count: more than a million in all",
                                v->folder);
    v->nsystems--;
    for (int k = 0; k < (int)(count[0] * count[1] * count[2]); k++) {
        perp_verify_system *s = new_system(v, at, "body", 0);
        if (s == NULL)
            return -1;
        *s = *first;
        snprintf(s->name, sizeof s->name, "%.90s-%d", first->name, k);
        s->q0 = perp_verify_take(v, 7, sizeof *s->q0);
        if (s->q0 == NULL)
            return -1;
        if (first->q0 != NULL)
            memcpy(s->q0, first->q0, 7 * sizeof *s->q0);
        int place[3] = {k % (int)count[0], k / (int)count[0] % (int)count[1],
                        k / (int)(count[0] * count[1])};
        for (int i = 0; i < 3; i++) {
            s->q0[i] += place[i] * spacing[i];
            s->position[i] = first->position[i] + place[i] * spacing[i];
        }
        s->jitter = jitter;
        s->q0 = jitter || first->q0 == NULL ? NULL : s->q0;
    }
    return 0;
}

static int read_body(perp_verification *v, const json_t *at, size_t number)
{
    perp_verify_system *s = new_system(v, at, "body", number);

    if (s == NULL)
        return -1;
    s->kind = PERP_VERIFY_BODY;
    s->nq = 7;
    s->nv = 6;
    read_shape(s, json_object_get(at, "shape"));
    if (json_object_get(at, "shapes") != NULL)
        s->form = PERP_VERIFY_OTHER_SHAPE;
    s->motion = json_object_get(at, "motion");
    s->surface = json_object_get(at, "surface") != NULL;
    s->fixed = !s->motion && (perp_verify_is(json_object_get(at, "fixed"), JSON_TRUE) ||
                              s->form == PERP_VERIFY_PLANE);
    if (read_pose(v, s, at) != 0 || perp_verify_read_shapes(v, s, at) != 0)
        return -1;
    if (!s->fixed && !s->motion) {
        read_inertia(s, at);
        perp_verify_reals(s->force, json_object_get(at, "force"), 3);
        perp_verify_reals(s->moment, json_object_get(at, "moment"), 3);
        for (int k = 0; k < 3; k++)
            s->force[k] += s->mass * v->gravity[k];
    }
    return json_object_get(at, "copies") != NULL ? read_copies(v, s, at) : 0;
}

static int read_planar(perp_verification *v, perp_verify_system *s, const json_t *at)
{
    double radius = perp_verify_real(at, "radius", 0.0);

    s->kind = PERP_VERIFY_LINEAR;
    s->planar = 1;
    s->nq = s->nv = 3;
    s->mass = perp_verify_real(at, "mass", 1.0);
    s->M = perp_verify_take(v, 9, sizeof *s->M);
    s->F = perp_verify_take(v, 3, sizeof *s->F);
    s->q0 = perp_verify_take(v, 3, sizeof *s->q0);
    s->v0 = perp_verify_take(v, 3, sizeof *s->v0);
    if (s->M == NULL || s->F == NULL || s->q0 == NULL || s->v0 == NULL)
        return -1;
    s->M[0] = s->M[4] = s->mass;
    s->M[8] = perp_verify_real(at, "inertia", 0.5 * s->mass * radius * radius);
    if (json_object_get(at, "polygon") != NULL) {
        s->form = PERP_VERIFY_OTHER_SHAPE;
        s->no_mass = json_object_get(at, "inertia") == NULL;
    }
    if (radius > 0.0) {
        s->form = PERP_VERIFY_SPHERE; /* a disc, in the plane z = 0 */
        s->size[0] = radius;
    }
    perp_verify_reals(s->F, json_object_get(at, "force"), 3);
    s->F[0] += s->mass * v->gravity[0];
    s->F[1] += s->mass * v->gravity[1];
    perp_verify_reals(s->q0, json_object_get(at, "position"), 2);
    s->q0[2] = perp_verify_real(at, "angle", 0.0);
    perp_verify_reals(s->v0, json_object_get(at, "velocity"), 2);
    s->v0[2] = perp_verify_real(at, "rate", 0.0);
    memcpy(s->position, s->q0, 2 * sizeof *s->q0);
    if (perp_verify_read_shapes(v, s, at) != 0)
        return -1;
    if (s->form == PERP_VERIFY_OTHER_SHAPE) /* its centre of area is not looked for here */
        s->q0 = NULL;
    return 0;
}

static int read_masses(perp_verification *v, perp_verify_system *s, const json_t *at)
{
    const json_t *places = json_object_get(at, "positions");
    const json_t *rates = json_object_get(at, "velocities");
    int count = (int)json_array_size(places), dim = (int)json_array_size(json_array_get(places, 0));

    if (count < 1 || dim < 1) /* given in another form */
        return 0;
    if (dim > 3)
        return perp_verify_fail(v, PERP_ERR_FORMAT,
                                "%.400s/scene.json: points of %d coordinates in '%s'", v->folder,
                                dim, s->name);
    if (!perp_verify_fits(v, count, count))
        return -1;
    double *mass = perp_verify_vector(v, json_object_get(at, "masses"), count);
    s->kind = PERP_VERIFY_LINEAR;
    s->dim = dim;
    s->nq = s->nv = count * dim;
    s->M = perp_verify_take(v, (size_t)s->nv * (size_t)s->nv, sizeof *s->M);
    s->F = perp_verify_take(v, (size_t)s->nv, sizeof *s->F);
    s->q0 = perp_verify_take(v, (size_t)s->nq, sizeof *s->q0);
    s->v0 = perp_verify_take(v, (size_t)s->nv, sizeof *s->v0);
    if (s->M == NULL || s->F == NULL || s->q0 == NULL || s->v0 == NULL || mass == NULL)
        return -1;
    for (int k = 0; k < s->nv; k++) {
        size_t point = (size_t)(k / dim), entry = (size_t)(k % dim);
        s->M[k + k * s->nv] = mass[point];
        s->F[k] = mass[point] * v->gravity[entry];
        s->q0[k] = json_number_value(json_array_get(json_array_get(places, point), entry));
        s->v0[k] = json_number_value(json_array_get(json_array_get(rates, point), entry));
    }
    return 0;
}

/* Angles from hanging down; one rod has a constant mass and so an equation that is known here. */
static int read_pendulum(perp_verification *v, perp_verify_system *s, const json_t *at, int rods)
{
    s->rods = s->nq = s->nv = rods;
    s->weight = perp_verify_real(at, "gravity", 9.81);
    s->q0 = perp_verify_take(v, 2, sizeof *s->q0);
    s->v0 = perp_verify_take(v, 2, sizeof *s->v0);
    s->M = perp_verify_take(v, 4, sizeof *s->M);
    s->C = perp_verify_take(v, 4, sizeof *s->C);
    s->F = perp_verify_take(v, 2, sizeof *s->F);
    if (s->q0 == NULL || s->v0 == NULL || s->M == NULL || s->C == NULL || s->F == NULL)
        return -1;
    for (int k = 0; k < rods; k++)
        s->rod[k] = s->bob[k] = 1.0;
    perp_verify_reals(s->rod, json_object_get(at, "lengths"), 2);
    perp_verify_reals(s->bob, json_object_get(at, "masses"), 2);
    perp_verify_reals(s->q0, json_object_get(at, "angles"), 2);
    perp_verify_reals(s->v0, json_object_get(at, "rates"), 2);
    if (rods > 1)
        return 0;
    s->kind = PERP_VERIFY_LINEAR;
    s->rod[0] = perp_verify_real(at, "length", 1.0);
    s->bob[0] = perp_verify_real(at, "mass", 1.0);
    s->q0[0] = perp_verify_real(at, "angle", 0.0);
    s->v0[0] = perp_verify_real(at, "rate", 0.0);
    s->M[0] = s->bob[0] * s->rod[0] * s->rod[0];
    s->C[0] = perp_verify_real(at, "damping", 0.0);
    return 0;
}

static int size_of(const json_t *at, const char *key)
{
    const json_t *list = json_object_get(at, key);
    return perp_verify_is(list, JSON_OBJECT) ? perp_verify_whole(list, "n", 0)
                                             : (int)json_array_size(list);
}

static int read_matrices(perp_verification *v, perp_verify_system *s, const json_t *at)
{
    int first = s->kind == PERP_VERIFY_FIRST_ORDER;
    const char *start = first ? "x0" : "q0";
    int n = size_of(at, start);

    s->nq = s->nv = n;
    s->M = perp_verify_matrix(v, json_object_get(at, "M"), n, n);
    s->K = perp_verify_matrix(v, json_object_get(at, first ? "A" : "K"), n, n);
    for (int k = 0; first && s->K != NULL && k < n * n; k++)
        s->K[k] = -s->K[k];
    s->C = perp_verify_matrix(v, json_object_get(at, "C"), n, n);
    s->F = perp_verify_vector(v, json_object_get(at, first ? "b" : "F"), n);
    s->q0 = perp_verify_vector(v, json_object_get(at, start), n);
    s->v0 = first ? NULL : perp_verify_vector(v, json_object_get(at, "v0"), n);
    return v->status == PERP_SOLVED ? 0 : -1;
}

static int read_system(perp_verification *v, const json_t *at, size_t number)
{
    perp_verify_system *s = new_system(v, at, "system", number);
    const char *type = perp_verify_word(at, "type");

    if (s == NULL)
        return -1;
    s->kind = PERP_VERIFY_OTHER;
    s->nq = s->nv = strcmp(type, "pendulum") == 0          ? 1
                    : strcmp(type, "double-pendulum") == 0 ? 2
                    : strcmp(type, "slider-crank") == 0    ? 3
                                                           : 0;
    if (strcmp(type, "pendulum") == 0 || strcmp(type, "double-pendulum") == 0)
        return read_pendulum(v, s, at, s->nq);
    if (strcmp(type, "planar") == 0)
        return read_planar(v, s, at);
    if (strcmp(type, "point-masses") == 0)
        return read_masses(v, s, at);
    if (strcmp(type, "lagrangian") == 0)
        s->kind = PERP_VERIFY_LINEAR;
    else if (strcmp(type, "first-order") == 0)
        s->kind = PERP_VERIFY_FIRST_ORDER;
    else
        return 0;
    return read_matrices(v, s, at);
}

static int read_load(perp_verification *v, const json_t *at)
{
    perp_verify_system *s = perp_verify_find(v, perp_verify_word(at, "system"));
    perp_verify_load *load = perp_verify_take(v, 1, sizeof *load);

    if (s == NULL || load == NULL)
        return load == NULL ? -1 : 0;
    load->n = (int)json_array_size(json_object_get(at, "vector"));
    load->vector = perp_verify_vector(v, json_object_get(at, "vector"), load->n);
    load->at = at;
    load->own = strcmp(perp_verify_word(at, "frame"), "body") == 0;
    for (size_t k = 0; k < 3; k++)
        load->point[k] = json_number_value(json_array_get(json_object_get(at, "point"), k));
    load->next = s->loads;
    s->loads = load;
    return load->vector == NULL ? -1 : 0;
}

static int read_force(perp_verification *v, const json_t *at)
{
    if (strcmp(perp_verify_word(at, "type"), "load") == 0)
        return read_load(v, at);
    return perp_verify_read_spring(v, at);
}

static int takes(const json_t *scheme, const perp_verify_system *s)
{
    const json_t *list = json_object_get(scheme, "systems");

    for (size_t k = 0; k < json_array_size(list); k++) {
        const char *name = json_string_value(json_array_get(list, k));
        if (name != NULL && strcmp(name, s->name) == 0)
            return 1;
    }
    return list == NULL;
}

/* Parameters that leave the equations of the check "dynamics" as they are. */
static int is_plain(const json_t *scheme)
{
    static const char *const known =
        " name systems theta activation activation_at activate hysteresis configuration prediction "
        "projection_tol projection_iter impacts ";
    json_t *copy = json_deep_copy(scheme);
    const char *key;
    json_t *value;
    int plain = copy != NULL;

    json_object_foreach(copy, key, value)
    {
        char padded[64];
        snprintf(padded, sizeof padded, " %.60s ", key);
        plain &= strstr(known, padded) != NULL;
    }
    json_decref(copy);
    return plain;
}

static void read_scheme(perp_verification *v, const json_t *at)
{
    const char *name = perp_verify_word(at, "name");
    int first_order = strcmp(name, "euler-moreau") == 0;

    for (int k = 0; k < v->nsystems; k++) {
        perp_verify_system *s = v->systems[k];
        if ((s->kind == PERP_VERIFY_FIRST_ORDER) != first_order || !takes(at, s))
            continue;
        s->scheme = first_order                              ? PERP_VERIFY_EULER_MOREAU
                    : strcmp(name, "moreau-jean") == 0       ? PERP_VERIFY_MOREAU_JEAN
                    : strcmp(name, "discrete-gradient") == 0 ? PERP_VERIFY_DISCRETE_GRADIENT
                    : strcmp(name, "schatzman-paoli") == 0   ? PERP_VERIFY_TWO_STEP
                                                             : PERP_VERIFY_OTHER_SCHEME;
        s->theta = perp_verify_real(at, "theta", 0.5);
        s->plain = is_plain(at);
    }
}

static void read_combination(perp_verification *v, const json_t *at)
{
    static const char *const keys[] = {"e", "mu", "rolling", "torsion"};
    static const char *const begun[] = {"maximum", "geometric", "geometric", "geometric"};

    for (int k = 0; k < 4; k++) {
        const json_t *word = perp_verify_is(at, JSON_STRING) ? at : json_object_get(at, keys[k]);
        v->combine[k] = perp_verify_is(word, JSON_STRING) ? json_string_value(word) : begun[k];
    }
}

static int read_contacts(perp_verification *v, const json_t *at)
{
    const json_t *list = json_object_get(at, "materials");

    v->has_contacts = at != NULL;
    v->e = perp_verify_real(at, "e", 0.0);
    v->mu = perp_verify_real(at, "mu", 0.0);
    v->rolling = perp_verify_real(at, "rolling", 0.0);
    v->torsion = perp_verify_real(at, "torsion", 0.0);
    v->skin = perp_verify_real(at, "skin", 0.0);
    v->most_skin = fmax(0.0, v->skin);
    read_combination(v, json_object_get(at, "combine"));
    v->soft = perp_verify_real(at, "compliance", 0.0) > 0.0;
    v->gives = perp_verify_real(at, "relative_compliance", 0.0) > 0.0;
    v->npairs = (int)json_array_size(list);
    v->pairs = perp_verify_take(v, (size_t)v->npairs + 1, sizeof *v->pairs);
    for (int k = 0; v->pairs != NULL && k < v->npairs; k++) {
        const json_t *pair = json_array_get(list, (size_t)k);
        const json_t *between = json_object_get(pair, "between");
        int own = json_object_get(pair, "name") != NULL;
        for (size_t i = 0; i < 2; i++) {
            const char *name = json_string_value(json_array_get(between, i));
            copy_name(v->pairs[k].between[i], name != NULL ? name : "");
        }
        if (own)
            copy_name(v->pairs[k].between[0], perp_verify_word(pair, "name"));
        v->pairs[k].e = perp_verify_real(pair, "e", own ? v->e : 0.0);
        v->pairs[k].mu = perp_verify_real(pair, "mu", own ? v->mu : 0.0);
        v->pairs[k].rolling = perp_verify_real(pair, "rolling", own ? v->rolling : 0.0);
        v->pairs[k].torsion = perp_verify_real(pair, "torsion", own ? v->torsion : 0.0);
        v->pairs[k].skin = perp_verify_real(pair, "skin", 0.0);
        v->most_skin = fmax(v->most_skin, v->pairs[k].skin);
        v->soft |= perp_verify_real(pair, "compliance", 0.0) > 0.0;
        v->gives |= perp_verify_real(pair, "relative_compliance", 0.0) > 0.0;
    }
    return v->pairs == NULL ? -1 : 0;
}

/* Bodies that never touch, once their names are known. */
static int read_excluded(perp_verification *v, const json_t *at)
{
    const json_t *list = json_object_get(at, "exclude");
    size_t count = json_array_size(list);

    v->joined_touch = perp_verify_is(json_object_get(at, "joined"), JSON_TRUE);
    v->excluded = perp_verify_take(v, 2 * count + 1, sizeof *v->excluded);
    for (size_t k = 0; v->excluded != NULL && k < count; k++)
        for (size_t i = 0; i < 2; i++) {
            const char *name = json_string_value(json_array_get(json_array_get(list, k), i));
            v->excluded[2 * k + i] = name != NULL ? perp_verify_find(v, name) : NULL;
        }
    v->nexcluded = v->excluded != NULL ? (int)count : 0;
    return v->excluded == NULL ? -1 : 0;
}

static int each(perp_verification *v, const char *key,
                int (*read)(perp_verification *, const json_t *, size_t))
{
    const json_t *list = json_object_get(v->json, key);
    int bad = 0;

    for (size_t k = 0; k < json_array_size(list) && !bad; k++)
        bad = read(v, json_array_get(list, k), k) != 0;
    return bad ? -1 : 0;
}

static int load_text(perp_verification *v)
{
    char path[4200];
    json_error_t wrong;

    snprintf(path, sizeof path, "%.4000s/scene.json", v->folder);
    FILE *stream = fopen(path, "rb");
    if (stream == NULL)
        return perp_verify_fail(v, PERP_ERR_OPEN, "%.400s: no such file; perp run --out writes it",
                                path);
    v->json = json_loadf(stream, 0, &wrong);
    fclose(stream);
    if (v->json == NULL)
        return perp_verify_fail(v, PERP_ERR_FORMAT, "%.400s: %.200s (line %d)", path, wrong.text,
                                wrong.line);
    return 0;
}

int perp_verify_read_scene(perp_verification *v)
{
    const json_t *time, *forces, *schemes;

    if (load_text(v) != 0)
        return -1;
    time = json_object_get(v->json, "time");
    v->t0 = perp_verify_real(time, "t0", 0.0);
    v->step = perp_verify_real(time, "step", 0.0);
    v->newton_tol = perp_verify_real(json_object_get(v->json, "newton"), "tol", 1e-10);
    v->tol = perp_verify_real(json_object_get(v->json, "solver"), "tol", 1e-8);
    if (!(v->step > 0.0))
        return perp_verify_fail(v, PERP_ERR_FORMAT, "%.400s/scene.json: time.step is missing",
                                v->folder);
    perp_verify_reals(v->gravity, json_object_get(v->json, "gravity"), 3);
    if (each(v, "systems", read_system) != 0 || each(v, "bodies", read_body) != 0 ||
        read_contacts(v, json_object_get(v->json, "contacts")) != 0 ||
        read_excluded(v, json_object_get(v->json, "contacts")) != 0)
        return -1;
    forces = json_object_get(v->json, "forces");
    for (size_t k = 0; k < json_array_size(forces); k++)
        if (read_force(v, json_array_get(forces, k)) != 0)
            return -1;
    schemes = json_object_get(v->json, "schemes");
    for (size_t k = 0; k < json_array_size(schemes); k++)
        read_scheme(v, json_array_get(schemes, k));
    v->plain_first_order = 1;
    for (int k = 0; k < v->nsystems; k++)
        v->plain_first_order &=
            v->systems[k]->kind != PERP_VERIFY_FIRST_ORDER ||
            (v->systems[k]->scheme == PERP_VERIFY_EULER_MOREAU && v->systems[k]->plain);
    return perp_verify_read_interactions(v);
}
