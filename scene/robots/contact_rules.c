/* SPDX-License-Identifier: BSD-3-Clause */
#include "scene/robots/contact_rules.h"

#include <math.h>
#include <string.h>

typedef struct work {
    perp_contact_rules *rules;
    perp_robot *robot;
    const perp_robot_links *links;
} work;

static int may_touch(const perp_robot_geom *a, const perp_robot_geom *b)
{
    return (a->contype & b->conaffinity) != 0 || (b->contype & a->conaffinity) != 0;
}

static int find_material(work *k, int g)
{
    const perp_robot_geom *geom = &k->robot->geoms[g];
    perp_contact_material m, *made;

    memset(&m, 0, sizeof m);
    m.mu = geom->mu;
    m.torsion = geom->torsion;
    m.rolling = geom->rolling;
    m.e = geom->e;
    m.condim = geom->condim;
    m.priority = geom->priority;
    m.pair = k->rules->paired[g] ? g + 1 : 0;
    for (int i = 0; i < k->rules->count; i++) {
        const perp_contact_material *o = &k->rules->list[i];
        if (o->mu == m.mu && o->e == m.e && o->condim == m.condim && o->priority == m.priority &&
            o->pair == m.pair && (m.condim < 4 || o->torsion == m.torsion) &&
            (m.condim < 6 || o->rolling == m.rolling))
            return i;
    }
    made = perp_robot_add(k->robot->job, (void **)&k->rules->list, &k->rules->count,
                          &k->rules->room, sizeof m);
    if (made == NULL)
        return -1;
    *made = m;
    return k->rules->count - 1;
}

/* Shapes by their masks: which kinds touch anything, and groups of those that do not touch their like. */
static int find_kinds(work *k)
{
    perp_robot *robot = k->robot;
    perp_contact_rules *rules = k->rules;
    int types = 0, affinities = 0;

    for (int g = 0; g < robot->ngeoms; g++) {
        const perp_robot_geom *geom = &robot->geoms[g];
        int kind = 0;
        while (kind < rules->kinds && (rules->kind[kind].contype != geom->contype ||
                                       rules->kind[kind].conaffinity != geom->conaffinity))
            kind++;
        if (kind == PERP_CONTACT_KINDS)
            return perp_robot_fail(robot->job, geom->at, "more than %d pairs of contype and conaffinity",
                                   PERP_CONTACT_KINDS);
        if (kind == rules->kinds)
            rules->kind[rules->kinds++] = (perp_contact_kind){geom->contype, geom->conaffinity, 0};
        rules->kind_of[g] = kind;
        types |= geom->contype;
        affinities |= geom->conaffinity;
    }
    for (int i = 0; i < rules->kinds; i++) {
        perp_contact_kind *kind = &rules->kind[i];
        if ((kind->contype & affinities) != 0 || (kind->conaffinity & types) != 0)
            kind->group = (kind->contype & kind->conaffinity) != 0 ? 0 : i + 1;
        else
            kind->group = -1;
    }
    for (int g = 0; g < robot->ngeoms; g++) {
        int group = rules->kind[rules->kind_of[g]].group;
        rules->touches[g] = group >= 0 || rules->paired[g];
        rules->group[g] = group > 0 ? group : 0;
    }
    return 0;
}

/* Whether two kinds that both touch something do not touch each other. */
static int kinds_part(const perp_contact_rules *rules)
{
    for (int i = 0; i < rules->kinds; i++)
        for (int j = 0; j < i; j++) {
            const perp_contact_kind *a = &rules->kind[i], *b = &rules->kind[j];
            if (a->group >= 0 && b->group >= 0 && (a->contype & b->conaffinity) == 0 &&
                (b->contype & a->conaffinity) == 0)
                return 1;
        }
    return 0;
}

static int keep_apart(work *k, int a, int b)
{
    perp_contact_rules *rules = k->rules;
    perp_robot_pair *made;
    const char *key = perp_robot_text(k->robot->job, "%d:%d", a < b ? a : b, a < b ? b : a);

    if (key == NULL)
        return -1;
    if (a == b || perp_name_index_find(&rules->known_apart, key) >= 0)
        return 0;
    if (perp_name_index_put(&rules->known_apart, k->robot->job, key, 0) != 0)
        return -1;
    made = perp_robot_add(k->robot->job, (void **)&rules->apart, &rules->napart, &rules->room_apart,
                          sizeof *made);
    if (made == NULL)
        return -1;
    made->a = a;
    made->b = b;
    return 0;
}

/* Parent and child of a joint, past the parts between them. */
static int part_neighbours(work *k)
{
    if (k->robot->parents_touch)
        return 0;
    for (int c = 0; c < k->links->count; c++) {
        int up = k->links->link[c].parent;
        if (k->links->link[c].small)
            continue;
        while (up >= 0 && k->links->link[up].small &&
               k->links->link[up].body == k->links->link[c].body)
            up = k->links->link[up].parent;
        if (up >= 0 && keep_apart(k, c, up) != 0)
            return -1;
    }
    return 0;
}

static int side_of(const work *k, int body)
{
    int c = body >= 0 ? k->links->carrier[body] : -1;

    return c >= 0 ? c : -2 - body; /* -1: shapes of the world itself */
}

static int part_listed(work *k)
{
    for (int i = 0; i < k->robot->nexcludes; i++) {
        int a = side_of(k, k->robot->excludes[i].a), b = side_of(k, k->robot->excludes[i].b);
        if ((a >= 0 || b >= 0) && keep_apart(k, a, b) != 0)
            return -1;
    }
    return 0;
}

/* 1: all pairs of shapes of two bodies are kept from touching by their masks; 0: none is; -1: some. */
static int masks_part(const work *k, int a, int b)
{
    int some = 0, all = 1;

    for (int g = 0; g < k->robot->ngeoms; g++)
        for (int h = 0; h < k->robot->ngeoms; h++) {
            const perp_robot_geom *one = &k->robot->geoms[g], *other = &k->robot->geoms[h];
            if (side_of(k, one->body) != a || side_of(k, other->body) != b ||
                !k->rules->touches[g] || !k->rules->touches[h])
                continue;
            if (k->rules->group[g] != 0 && k->rules->group[g] == k->rules->group[h])
                continue;
            if (may_touch(one, other))
                all = 0;
            else
                some = 1;
        }
    return some == 0 ? 0 : all ? 1 : -1;
}

/* Masks of different kinds of shapes that groups do not say. */
static int part_by_masks(work *k)
{
    const perp_robot *robot = k->robot;

    if (!kinds_part(k->rules))
        return 0;
    if (k->links->count > 500 || robot->ngeoms > 2000) {
        perp_robot_missing(robot->job, NULL, "contype and conaffinity of so many shapes");
        return 0;
    }
    for (int a = 0; a < k->links->count; a++)
        for (int b = -1 - robot->nbodies; b < a; b++) {
            int found = masks_part(k, a, b);
            if (found > 0 && keep_apart(k, a, b) != 0)
                return -1;
            if (found < 0)
                perp_robot_missing(
                    robot->job, robot->bodies[k->links->link[a].body].at,
                    "contype and conaffinity that let some shapes of two bodies touch and others "
                    "not");
        }
    return 0;
}

int perp_contact_rules_make(perp_contact_rules *rules, perp_robot *robot,
                            const perp_robot_links *links)
{
    size_t n = (size_t)robot->ngeoms;
    work k = {rules, robot, links};

    memset(rules, 0, sizeof *rules);
    rules->material = perp_robot_take(robot->job, n, sizeof *rules->material);
    rules->group = perp_robot_take(robot->job, n, sizeof *rules->group);
    rules->touches = perp_robot_take(robot->job, n, sizeof *rules->touches);
    rules->paired = perp_robot_take(robot->job, n, sizeof *rules->paired);
    rules->kind_of = perp_robot_take(robot->job, n, sizeof *rules->kind_of);
    if (rules->material == NULL || rules->group == NULL || rules->touches == NULL ||
        rules->kind_of == NULL || rules->paired == NULL)
        return -1;
    for (int i = 0; i < robot->npairs; i++)
        rules->paired[robot->pairs[i].a] = rules->paired[robot->pairs[i].b] = 1;
    if (robot->no_contacts)
        return 0;
    if (find_kinds(&k) != 0)
        return -1;
    for (int g = 0; g < robot->ngeoms && robot->job->options->no_self_contact; g++)
        if (robot->geoms[g].body >= 0 &&
            (robot->one_robot || links->carrier[robot->geoms[g].body] >= 0))
            rules->group[g] = PERP_CONTACT_KINDS + 1;
    for (int g = 0; g < robot->ngeoms; g++) {
        if (!rules->touches[g])
            continue;
        rules->material[g] = find_material(&k, g);
        if (rules->material[g] < 0)
            return -1;
    }
    if (rules->count > 60)
        return perp_robot_fail(robot->job, NULL, "more than 60 kinds of friction of shapes");
    return part_neighbours(&k) != 0 || part_listed(&k) != 0 ? -1 : part_by_masks(&k);
}

void perp_contact_rules_law(perp_contact_law *law, const perp_contact_rules *rules,
                            const perp_robot *robot, int a, int b)
{
    const perp_contact_material *one = &rules->list[a], *other = &rules->list[b];
    int condim = one->condim > other->condim ? one->condim : other->condim;

    law->mu = fmax(one->mu, other->mu);
    law->rolling = fmax(one->rolling, other->rolling);
    law->e = 0.5 * (one->e + other->e);
    if (one->priority != other->priority) {
        const perp_contact_material *first = one->priority > other->priority ? one : other;
        condim = first->condim;
        law->mu = first->mu;
        law->rolling = first->rolling;
        law->e = first->e;
    }
    for (int k = 0; k < robot->npairs; k++) {
        const perp_robot_pair *p = &robot->pairs[k];
        if ((p->a + 1 == one->pair && p->b + 1 == other->pair) ||
            (p->b + 1 == one->pair && p->a + 1 == other->pair)) {
            condim = p->condim;
            law->mu = p->mu;
            law->rolling = p->rolling;
        }
    }
    if (condim == 1)
        law->mu = 0.0;
    if (condim < 6 || law->mu == 0.0)
        law->rolling = 0.0;
}
