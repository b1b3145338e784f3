/* SPDX-License-Identifier: BSD-3-Clause */
/* The interactions of scene.json. */
#include <math.h>
#include <string.h>

#include "scene/verify/space.h"
#include "scene/verify/verify_inside.h"

static int place_in(const char *text, const char *const *names)
{
    int k = 0;

    while (names[k] != NULL && strcmp(names[k], text) != 0)
        k++;
    return k;
}

static void set_drive(perp_verify_interaction *i, double largest)
{
    i->law = PERP_VERIFY_RELAY;
    i->drives = 1;
    i->lo = -largest;
    i->hi = largest;
}

/* A largest force, or a range of it with null for none. */
static void set_range(perp_verify_interaction *i, const json_t *at, const char *key)
{
    const json_t *force = json_object_get(at, key);

    set_drive(i, perp_verify_is_number(force) ? json_number_value(force) : INFINITY);
    if (!perp_verify_is(force, JSON_ARRAY))
        return;
    if (perp_verify_is_number(json_array_get(force, 0)))
        i->lo = json_number_value(json_array_get(force, 0));
    if (perp_verify_is_number(json_array_get(force, 1)))
        i->hi = json_number_value(json_array_get(force, 1));
}

static int read_law(perp_verification *v, perp_verify_interaction *i, const json_t *at)
{
    static const char *const names[] = {"complementarity", "equality", "box",
                                        "impact",          "friction", NULL};
    static const char *const drives[] = {"motor", "dry-friction", "servo", NULL};
    int law = place_in(perp_verify_word(at, "type"), names);

    i->law = names[law] == NULL ? PERP_VERIFY_EQUALITY : (perp_verify_law)law;
    if (drives[place_in(perp_verify_word(at, "type"), drives)] != NULL) {
        i->dim = 1;
        set_range(i, at, "force");
        return 0;
    }
    i->e = perp_verify_real(at, "e", 0.0);
    i->e_t = perp_verify_real(at, "e_t", 0.0);
    i->mu = perp_verify_real(at, "mu", 0.0);
    i->soft = perp_verify_real(at, "compliance", 0.0) > 0.0;
    i->gives = i->soft || perp_verify_real(at, "relative_compliance", 0.0) > 0.0;
    i->lo = perp_verify_is(json_object_get(at, "lo"), JSON_NULL) ? -INFINITY
                                                                 : perp_verify_real(at, "lo", -1.0);
    i->hi = perp_verify_is(json_object_get(at, "hi"), JSON_NULL) ? INFINITY
                                                                 : perp_verify_real(at, "hi", 1.0);
    i->dim = 1;
    if (i->law != PERP_VERIFY_FRICTION)
        return 0;
    double dim = perp_verify_real(at, "dim", 3.0);
    if (dim != 2.0 && dim != 3.0)
        return perp_verify_fail(v, PERP_ERR_FORMAT,
                                "%.400s/scene.json: law.dim of '%s': %g is neither 2 nor 3",
                                v->folder, i->name, dim);
    i->dim = (int)dim;
    return 0;
}

static int rows_of(const json_t *C)
{
    if (perp_verify_is(C, JSON_ARRAY))
        return (int)json_array_size(C);
    if (json_object_get(C, "rows") != NULL)
        return perp_verify_whole(C, "rows", 0);
    const json_t *diagonal = json_object_get(C, "diagonal");
    return perp_verify_is(diagonal, JSON_ARRAY) ? (int)json_array_size(diagonal)
                                                : perp_verify_whole(C, "n", 0);
}

/* A list of bounds of a box, null for none; a number is left to lo or hi. */
static int read_row_bounds(perp_verification *v, double **bound, const perp_verify_interaction *i,
                           const json_t *list, double none)
{
    if (i->law != PERP_VERIFY_RELAY || i->rows < 1 || !perp_verify_is(list, JSON_ARRAY))
        return 0;
    *bound = perp_verify_take(v, (size_t)i->rows, sizeof **bound);
    for (int k = 0; *bound != NULL && k < i->rows; k++) {
        const json_t *one = json_array_get(list, (size_t)k);
        (*bound)[k] = perp_verify_is_number(one) ? json_number_value(one) : none;
    }
    return *bound == NULL ? -1 : 0;
}

static int read_linear(perp_verification *v, perp_verify_interaction *i, const json_t *at)
{
    int columns = 0;

    for (int k = 0; k < i->nsystems; k++)
        columns += i->systems[k]->nq;
    i->rows = rows_of(json_object_get(at, "C"));
    if (i->rows < 1 || columns < 1)
        return 0;
    i->relation = PERP_VERIFY_MATRIX;
    i->motion = json_object_get(at, "motion");
    i->moving = i->motion != NULL;
    i->C = perp_verify_matrix(v, json_object_get(at, "C"), i->rows, columns);
    if (i->C == NULL)
        return -1;
    i->D = perp_verify_matrix(v, json_object_get(at, "D"), i->rows, i->rows);
    i->offset_e = perp_verify_vector(v, json_object_get(at, "e"), i->rows);
    return v->status == PERP_SOLVED ? 0 : -1;
}

static void make_unit(double *axis)
{
    double length = space_length(axis);

    for (int k = 0; k < 3; k++)
        axis[k] /= length > 0.0 ? length : 1.0;
}

static void read_joint(perp_verify_interaction *i, const json_t *at)
{
    static const char *const names[] = {"point",     "pivot",    "prismatic",
                                        "fixed",     "distance", "cylindrical",
                                        "universal", "planar",   NULL};
    static const int rows[] = {3, 5, 5, 6, 1, 4, 4, 3, 0};
    const char *word = perp_verify_word(at, "joint");

    i->screw = strcmp(word, "screw") == 0;
    int joint = place_in(i->screw ? "cylindrical" : word, names);

    if (names[joint] == NULL)
        return;
    i->relation = (perp_verify_relation)(PERP_VERIFY_POINT + joint);
    i->rows = rows[joint];
    i->axis[0] = 1.0;
    if (json_object_get(at, "axis") != NULL)
        perp_verify_reals(i->axis, json_object_get(at, "axis"), 3);
    perp_verify_reals(i->axis_b, json_object_get(at, "axis_b"), 3);
    make_unit(i->axis);
    make_unit(i->axis_b);
    perp_verify_reals(i->anchor, json_object_get(at, "anchor"), 3);
    perp_verify_reals(i->anchor_b, json_object_get(at, "anchor_b"), 3);
}

static void read_ball(perp_verify_interaction *i, const json_t *at, int balls)
{
    const json_t *points = json_object_get(at, "points");

    i->relation = balls == 2 ? PERP_VERIFY_SPHERE_SPHERE : PERP_VERIFY_SPHERE_PLANE;
    i->rows = i->dim;
    for (int k = 0; k < balls && k < i->nsystems; k++)
        if (i->systems[k]->form == PERP_VERIFY_SPHERE)
            i->radius[k] = i->systems[k]->size[0];
    if (balls == 2) {
        perp_verify_reals(i->radius, json_object_get(at, "radii"), 2);
        for (size_t k = 0; k < 2; k++)
            perp_verify_reals(i->point[k], json_array_get(points, k), 3);
        return;
    }
    i->radius[0] = perp_verify_real(at, "radius", i->radius[0]);
    perp_verify_reals(i->point[0], json_object_get(at, "point"), 3);
}

/* Those that act at a point. */
static void read_point(perp_verify_interaction *i, const json_t *at, const char *type)
{
    static const char *const types[] = {"point-line",   "disc-line",     "disc-disc",
                                        "sphere-plane", "sphere-sphere", NULL};
    int string = strcmp(type, "distance") == 0;

    if (!string && types[place_in(type, types)] == NULL)
        return;
    i->acts = string ? PERP_VERIFY_ACTS_ALONG : PERP_VERIFY_ACTS_BETWEEN;
    i->point_rows = i->dim;
    i->flat = strstr(type, "-line") != NULL || strstr(type, "-plane") != NULL;
    if (!i->flat)
        return;
    perp_verify_reals(i->normal, json_object_get(at, "normal"), 3);
    i->offset = perp_verify_real(at, "offset", 0.0);
    make_unit(i->normal);
}

static int read_systems(perp_verification *v, perp_verify_interaction *i, const json_t *list)
{
    i->systems = perp_verify_take(v, json_array_size(list) + 1, sizeof(perp_verify_system *));
    for (size_t k = 0; i->systems != NULL && k < json_array_size(list); k++) {
        const char *name = json_string_value(json_array_get(list, k));
        perp_verify_system *s = name != NULL ? perp_verify_find(v, name) : NULL;
        if (s != NULL)
            i->systems[i->nsystems++] = s;
        if (s != NULL && k < 2)
            i->system[k] = s;
    }
    return i->systems == NULL ? -1 : 0;
}

/* A gear acts on the bodies of both joints, which stand before it in the list, not on systems that
 * it names. */
static int read_gear(perp_verification *v, perp_verify_interaction *i, const json_t *at)
{
    static const char *const keys[] = {"of", "with"};

    i->systems = perp_verify_take(v, 5, sizeof(perp_verify_system *));
    i->nsystems = 0;
    for (int k = 0; k < 2 && i->systems != NULL; k++) {
        const perp_verify_interaction *joint = v->interactions;
        char name[PERP_VERIFY_NAME];
        snprintf(name, sizeof name, "%.100s", perp_verify_word(at, keys[k]));
        name[strcspn(name, ".")] = '\0';
        while (joint < i && strcmp(joint->name, name) != 0)
            joint++;
        for (int n = 0; joint < i && n < joint->nsystems && n < 2; n++)
            i->systems[i->nsystems++] = joint->systems[n];
    }
    return i->systems == NULL ? -1 : 0;
}

/* The joint "rod" or "rod.slide" of a term, which stands before i; 0: it is none that is known
 * here. */
static int find_joint(const perp_verification *v, const perp_verify_interaction *i,
                      perp_verify_term *term, const json_t *relation_list, const char *word)
{
    size_t length = strcspn(word, ".");
    const char *part = word[length] == '.' ? word + length + 1 : "";

    for (const perp_verify_interaction *joint = v->interactions; joint < i; joint++) {
        const json_t *at = json_object_get(
            json_array_get(relation_list, (size_t)(joint - v->interactions)), "relation");
        if (strlen(joint->name) != length || strncmp(joint->name, word, length) != 0)
            continue;
        term->is_angle = joint->relation == PERP_VERIFY_PIVOT ||
                         joint->relation == PERP_VERIFY_PLANAR || strcmp(part, "angle") == 0;
        term->joint = (int)(joint - v->interactions);
        term->start =
            perp_verify_real(part[0] != '\0' ? json_object_get(at, part) : at, "start", 0.0);
        return joint->relation >= PERP_VERIFY_PIVOT && joint->relation <= PERP_VERIFY_PLANAR &&
               json_object_get(at, "lead") == NULL;
    }
    return 0;
}

/* of = ratio with + offset, or the sum of terms; what is not known here has none. */
static int read_terms(perp_verification *v, perp_verify_interaction *i, const json_t *at,
                      const json_t *all)
{
    const json_t *list = json_object_get(at, "terms");
    size_t count = list != NULL ? json_array_size(list) : 2;
    int known = 1;

    i->terms = perp_verify_take(v, count + 1, sizeof *i->terms);
    if (i->terms == NULL)
        return -1;
    i->offset = perp_verify_real(at, "offset", 0.0);
    for (size_t k = 0; k < count; k++) {
        perp_verify_term *term = &i->terms[k];
        const json_t *one = json_array_get(list, k);
        const char *joint = perp_verify_word(list != NULL ? one : at, list != NULL ? "joint"
                                                                      : k == 0     ? "of"
                                                                                   : "with");
        term->joint = -1;
        term->factor = list != NULL ? perp_verify_real(one, "factor", 1.0)
                       : k == 0     ? 1.0
                                    : -perp_verify_real(at, "ratio", 0.0);
        if (joint[0] != '\0') {
            known &= find_joint(v, i, term, all, joint);
            continue;
        }
        term->system = perp_verify_find(v, perp_verify_word(one, "system"));
        term->entry = perp_verify_whole(one, "coordinate", 0);
        known &= term->system != NULL && term->entry >= 0 && term->entry < term->system->nq;
    }
    i->nterms = known ? (int)count : 0;
    return 0;
}

/* What the relation ties together, for the groups of momentum. */
static void tie(perp_verify_interaction *i)
{
    int to_world = i->nsystems < 2 || i->relation == PERP_VERIFY_MATRIX ||
                   i->relation == PERP_VERIFY_OTHER_RELATION;

    for (int k = 0; k < i->nsystems; k++)
        to_world |= i->systems[k]->motion != NULL;
    for (int k = 0; k < i->nsystems; k++) {
        i->systems[k]->interactions++;
        i->systems[k]->touches_world |= to_world;
        i->systems[k]->jointed |= i->law == PERP_VERIFY_EQUALITY;
    }
}

static int read_interaction(perp_verification *v, const json_t *at, size_t number)
{
    perp_verify_interaction *i = &v->interactions[number];
    const json_t *relation = json_object_get(at, "relation");
    const char *type = perp_verify_word(relation, "type");
    int bad = 0;

    if (json_object_get(at, "name") != NULL)
        snprintf(i->name, sizeof i->name, "%.100s", perp_verify_word(at, "name"));
    else
        snprintf(i->name, sizeof i->name, "interaction%zu", number);
    i->y_at = i->u_at = i->lambda_at = i->active_at = i->sum_at = -1;
    i->relation = PERP_VERIFY_OTHER_RELATION;
    if (read_law(v, i, json_object_get(at, "law")) != 0 ||
        read_systems(v, i, json_object_get(at, "systems")) != 0)
        return -1;
    if (strcmp(type, "gear") == 0)
        bad = read_gear(v, i, relation) != 0 ||
              read_terms(v, i, relation, json_object_get(v->json, "interactions")) != 0;
    else if (strcmp(type, "coupling") == 0)
        bad = read_terms(v, i, relation, json_object_get(v->json, "interactions"));
    else if (strcmp(type, "linear") == 0)
        bad = read_linear(v, i, relation);
    else if (strcmp(type, "joint") == 0)
        read_joint(i, relation);
    else if (strcmp(type, "sphere-plane") == 0)
        read_ball(i, relation, 1);
    else if (strcmp(type, "sphere-sphere") == 0)
        read_ball(i, relation, 2);
    const json_t *law = json_object_get(at, "law");
    bad |= read_row_bounds(v, &i->row_lo, i, json_object_get(law, "lo"), -INFINITY) |
           read_row_bounds(v, &i->row_hi, i, json_object_get(law, "hi"), INFINITY);
    read_point(i, relation, type);
    tie(i);
    return bad;
}

/* What the limits and drives of one coordinate are, under the names of the columns. */
typedef struct coordinate {
    const perp_verify_interaction *joint;
    perp_verify_interaction *list; /* NULL: they are counted */
    int count, is_angle;
    double start; /* of the coordinate */
    char prefix[PERP_VERIFY_NAME];
    perp_verify_interaction counted; /* in place of an entry of the list */
} coordinate;

static perp_verify_interaction *add(coordinate *c, const char *name)
{
    perp_verify_interaction *made = c->list != NULL ? &c->list[c->count] : &c->counted;

    c->count++;
    *made = *c->joint;
    snprintf(made->name, sizeof made->name, "%.90s%.20s", c->prefix, name);
    made->nterms = 0;
    made->relation = c->is_angle ? PERP_VERIFY_ANGLE : PERP_VERIFY_SLIDE;
    made->rows = made->dim = 1;
    made->side = 1.0;
    made->origin = -c->start;
    return made;
}

static void add_limit(coordinate *c, const json_t *bound, const char *name, double side, double e)
{
    perp_verify_interaction *made;

    if (!perp_verify_is_number(bound))
        return;
    made = add(c, name);
    made->law = PERP_VERIFY_IMPACT;
    made->e = e;
    made->origin = json_number_value(bound) - c->start;
    made->side = side;
}

static void add_coordinate(coordinate *c, const json_t *at)
{
    static const char *const drives[] = {"motor", "servo"};
    const json_t *limits = json_object_get(at, "limits");
    const char *force = c->is_angle ? "torque" : "force";

    c->start = perp_verify_real(at, "start", 0.0);
    double e = perp_verify_real(at, "e", 0.0);
    add_limit(c, json_array_get(limits, 0), "lower", 1.0, e);
    add_limit(c, json_array_get(limits, 1), "upper", -1.0, e);
    for (int k = 0; k < 2; k++) {
        const json_t *drive = json_object_get(at, drives[k]);
        if (drive != NULL)
            set_range(add(c, drives[k]), drive, force);
    }
    if (perp_verify_real(at, "load", 0.0) != 0.0)
        set_drive(add(c, "load"), fabs(perp_verify_real(at, "load", 0.0)));
    if (json_object_get(at, "friction") != NULL)
        set_drive(add(c, "friction"), perp_verify_real(at, "friction", 0.0));
    if (perp_verify_real(json_object_get(at, "spring"), "stiffness", 0.0) +
            perp_verify_real(at, "damping", 0.0) >
        0.0)
        set_drive(add(c, "spring"), INFINITY);
}

/* The coordinates of a joint; list NULL: their number alone. */
static int coordinates(perp_verify_interaction *list, const perp_verify_interaction *joint,
                       const json_t *relation)
{
    static const char *const parts[] = {"slide", "angle"};
    coordinate c = {.joint = joint,
                    .list = list,
                    .is_angle = joint->relation == PERP_VERIFY_PIVOT ||
                                joint->relation == PERP_VERIFY_PLANAR};

    if (c.is_angle || joint->relation == PERP_VERIFY_PRISMATIC) {
        snprintf(c.prefix, sizeof c.prefix, "%.100s.", joint->name);
        add_coordinate(&c, relation);
    }
    for (int k = 0; k < 2 && joint->relation == PERP_VERIFY_CYLINDRICAL; k++) {
        c.is_angle = k;
        snprintf(c.prefix, sizeof c.prefix, "%.90s.%s.", joint->name, parts[k]);
        add_coordinate(&c, json_object_get(relation, parts[k]));
    }
    return c.count;
}

/* Those of all joints, behind the interactions of the list. */
static int add_coordinates(perp_verification *v, const json_t *list)
{
    int count = (int)json_array_size(list), more = 0;

    for (int k = 0; k < count; k++)
        more += coordinates(NULL, &v->interactions[k],
                            json_object_get(json_array_get(list, (size_t)k), "relation"));
    if (more == 0)
        return 0;
    perp_verify_interaction *all =
        perp_verify_take(v, (size_t)count + (size_t)more, sizeof *v->interactions);
    if (all == NULL)
        return -1;
    memcpy(all, v->interactions, (size_t)count * sizeof *all);
    v->interactions = all;
    for (int k = 0; k < count; k++)
        v->ninteractions +=
            coordinates(all + v->ninteractions, &all[k],
                        json_object_get(json_array_get(list, (size_t)k), "relation"));
    return 0;
}

int perp_verify_read_interactions(perp_verification *v)
{
    const json_t *list = json_object_get(v->json, "interactions");
    size_t count = json_array_size(list);

    v->interactions = perp_verify_take(v, count + 1, sizeof *v->interactions);
    v->ninteractions = (int)count;
    for (size_t k = 0; v->interactions != NULL && k < count; k++)
        if (read_interaction(v, json_array_get(list, k), k) != 0)
            return -1;
    return v->interactions == NULL ? -1 : add_coordinates(v, list);
}
