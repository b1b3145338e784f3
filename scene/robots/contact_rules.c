/* SPDX-License-Identifier: BSD-3-Clause */
#include "scene/robots/contact_rules.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

typedef struct work {
    perp_contact_rules *rules;
    perp_robot *robot;
    const perp_robot_links *links;
    int overlap; /* some margin is below 0 */
} work;

static int find_material(work *k, int g)
{
    const perp_robot_geom *geom = &k->robot->geoms[g];
    perp_contact_material m, *made;

    memset(&m, 0, sizeof m);
    m.mu = geom->mu;
    m.torsion = geom->torsion;
    m.rolling = geom->rolling;
    m.e = geom->e;
    m.margin = k->overlap ? geom->margin : 0.0;
    m.condim = geom->condim;
    m.priority = geom->priority;
    m.pair = k->rules->paired[g] ? g + 1 : 0;
    for (int i = 0; i < k->rules->count; i++) {
        const perp_contact_material *o = &k->rules->list[i];
        if (o->mu == m.mu && o->e == m.e && o->margin == m.margin && o->condim == m.condim &&
            o->priority == m.priority && o->pair == m.pair &&
            (m.condim < 4 || o->torsion == m.torsion) && (m.condim < 6 || o->rolling == m.rolling))
            return i;
    }
    made = perp_robot_add(k->robot->job, (void **)&k->rules->list, &k->rules->count,
                          &k->rules->capacity, sizeof m);
    if (made == NULL)
        return -1;
    *made = m;
    return k->rules->count - 1;
}

/* Masks with the bits that matter alone, those that one shape is and another one touches; each pair
 * of the model has a bit more. */
static void find_masks(work *k)
{
    perp_robot *robot = k->robot;
    perp_contact_rules *rules = k->rules;
    uint32_t are = 0, meet = 0;
    int bits = 0;

    for (int g = 0; g < robot->ngeoms; g++) {
        are |= (uint32_t)robot->geoms[g].contype;
        meet |= (uint32_t)robot->geoms[g].conaffinity;
    }
    for (int bit = 0; bit < 32; bit++) {
        if (!((are & meet) >> bit & 1) || bits == PERP_CONTACT_BITS)
            continue;
        for (int g = 0; g < robot->ngeoms; g++) {
            rules->category[g] |= (int)((uint32_t)robot->geoms[g].contype >> bit & 1) << bits;
            rules->meets[g] |= (int)((uint32_t)robot->geoms[g].conaffinity >> bit & 1) << bits;
        }
        bits++;
    }
    for (int i = 0; i < robot->npairs; i++, bits++) {
        if (bits >= PERP_CONTACT_BITS) {
            perp_robot_missing(robot->job, NULL, "so many pairs and bits of contype");
            break;
        }
        rules->category[robot->pairs[i].a] |= 1 << bits;
        rules->meets[robot->pairs[i].b] |= 1 << bits;
    }
    for (int g = 0; g < robot->ngeoms; g++) {
        rules->touches[g] = rules->category[g] != 0 || rules->meets[g] != 0;
        rules->masked |= rules->touches[g] && (rules->category[g] != 1 || rules->meets[g] != 1);
    }
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
    made = perp_robot_add(k->robot->job, (void **)&rules->apart, &rules->napart,
                          &rules->apart_capacity, sizeof *made);
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

int perp_contact_rules_make(perp_contact_rules *rules, perp_robot *robot,
                            const perp_robot_links *links)
{
    size_t n = (size_t)robot->ngeoms;
    work k = {rules, robot, links, 0};

    memset(rules, 0, sizeof *rules);
    rules->material = perp_robot_take(robot->job, n, sizeof *rules->material);
    rules->group = perp_robot_take(robot->job, n, sizeof *rules->group);
    rules->touches = perp_robot_take(robot->job, n, sizeof *rules->touches);
    rules->paired = perp_robot_take(robot->job, n, sizeof *rules->paired);
    rules->category = perp_robot_take(robot->job, n, sizeof *rules->category);
    rules->meets = perp_robot_take(robot->job, n, sizeof *rules->meets);
    if (rules->material == NULL || rules->group == NULL || rules->touches == NULL ||
        rules->category == NULL || rules->meets == NULL || rules->paired == NULL)
        return -1;
    for (int i = 0; i < robot->npairs; i++)
        rules->paired[robot->pairs[i].a] = rules->paired[robot->pairs[i].b] = 1;
    if (robot->no_contacts)
        return 0;
    find_masks(&k);
    for (int g = 0; g < robot->ngeoms; g++)
        k.overlap |= robot->geoms[g].margin < 0.0;
    for (int g = 0; g < robot->ngeoms && robot->job->options->no_self_contact; g++)
        if (robot->geoms[g].body >= 0 &&
            (robot->one_robot || links->carrier[robot->geoms[g].body] >= 0))
            rules->group[g] = 1;
    for (int g = 0; g < robot->ngeoms; g++) {
        if (!rules->touches[g])
            continue;
        rules->material[g] = find_material(&k, g);
        if (rules->material[g] < 0)
            return -1;
    }
    if (rules->count > 60)
        return perp_robot_fail(robot->job, NULL, "more than 60 kinds of friction of shapes");
    return part_neighbours(&k) != 0 ? -1 : part_listed(&k);
}

void perp_contact_rules_law(perp_contact_law *law, const perp_contact_rules *rules,
                            const perp_robot *robot, int a, int b)
{
    const perp_contact_material *one = &rules->list[a], *other = &rules->list[b];
    int condim = one->condim > other->condim ? one->condim : other->condim;

    law->mu = fmax(one->mu, other->mu);
    law->torsion = fmax(one->torsion, other->torsion);
    law->rolling = fmax(one->rolling, other->rolling);
    law->e = 0.5 * (one->e + other->e);
    law->skin = one->margin + other->margin;
    if (one->priority != other->priority) {
        const perp_contact_material *first = one->priority > other->priority ? one : other;
        condim = first->condim;
        law->mu = first->mu;
        law->torsion = first->torsion;
        law->rolling = first->rolling;
        law->e = first->e;
    }
    for (int k = 0; k < robot->npairs; k++) {
        const perp_robot_pair *p = &robot->pairs[k];
        if ((p->a + 1 == one->pair && p->b + 1 == other->pair) ||
            (p->b + 1 == one->pair && p->a + 1 == other->pair)) {
            condim = p->condim;
            law->skin = p->margin;
            law->mu = p->mu;
            law->torsion = p->torsion;
            law->rolling = p->rolling;
        }
    }
    law->skin = fmin(law->skin, 0.0);
    if (condim == 1)
        law->mu = 0.0;
    if (condim < 6 || law->mu == 0.0)
        law->rolling = 0.0;
    if (condim < 4 || law->mu == 0.0)
        law->torsion = 0.0;
}
