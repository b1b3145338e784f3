/* SPDX-License-Identifier: BSD-3-Clause */
#include "scene/contact_section.h"

#include <math.h>
#include <string.h>

#include "scene/relations.h"
#include "scene/shapes.h"

enum { MATERIALS = 64 };

struct perp_scene_contacts {
    perp_collider *collider;
    const char *material[MATERIALS]; /* 0: shapes without one */
    int materials;
    int *owners, shapes; /* by index of the shape: the number of its body, and its own there */
};

int perp_scene_body_of_shape(int *shape, const perp_scene *scene, perp_shape_id id)
{
    const perp_scene_contacts *contacts = scene->contacts;

    if (contacts == NULL || (int)id.index >= contacts->shapes)
        return -1;
    *shape = contacts->owners[2 * id.index + 1];
    return contacts->owners[2 * id.index];
}

perp_collider *perp_scene_contacts_collider(const perp_scene_contacts *contacts)
{
    return contacts != NULL ? contacts->collider : NULL;
}

void perp_scene_contacts_destroy(perp_scene_contacts *contacts)
{
    if (contacts == NULL)
        return;
    perp_collider_destroy(contacts->collider);
}

/* The number of a material; a new one is added. */
static int material(perp_scene_contacts *contacts, const char *name)
{
    for (int k = 0; k < contacts->materials; k++)
        if (strcmp(contacts->material[k], name) == 0)
            return k;
    if (contacts->materials == MATERIALS)
        return -1;
    contacts->material[contacts->materials] = name;
    return contacts->materials++;
}

/* In the frame of the body, or where a body that stands still has it. */
static perp_status add_shape(perp_scene_contacts *contacts, const perp_scene_member *s,
                             perp_scene_shape *shape, int number, perp_where *where)
{
    perp_shape_def def;

    perp_scene_shape_def(&def, shape);
    def.material = number;
    if (!s->fixed) {
        def.body = s->id;
    } else {
        perp_quaternion_rotate(s->quaternion, def.position, def.position);
        for (int k = 0; k < 3; k++)
            def.position[k] += s->position[k];
        perp_quaternion_rotate(s->quaternion, def.normal, def.normal);
        perp_quaternion_product(s->quaternion, def.quaternion, def.quaternion);
    }
    return perp_collider_add(contacts->collider, &def, &shape->id, where);
}

/* Whose shapes they are. */
static int note_owners(perp_scene *scene, perp_scene_contacts *contacts)
{
    contacts->shapes = perp_collider_shapes(contacts->collider);
    contacts->owners =
        perp_scene_take(scene, 2 * (size_t)contacts->shapes + 1, sizeof *contacts->owners);
    if (contacts->owners == NULL)
        return -1;
    for (int k = 0; k < scene->nsystems; k++) {
        perp_scene_member *s = scene->systems[k];
        int number = 0;
        for (perp_scene_shape *x = perp_scene_next_shape(s, NULL); x;
             x = perp_scene_next_shape(s, x)) {
            contacts->owners[2 * x->id.index] = k;
            contacts->owners[2 * x->id.index + 1] = number++;
        }
    }
    return 0;
}

static const char *material_of(const perp_scene_member *s, const perp_scene_shape *shape)
{
    return shape->material != NULL ? shape->material : s->material;
}

static perp_status reserve(const perp_scene *scene, const perp_scene_contacts *contacts)
{
    int shapes = 0;

    for (int k = 0; k < scene->nsystems; k++)
        for (perp_scene_shape *x = perp_scene_next_shape(scene->systems[k], NULL); x;
             x = perp_scene_next_shape(scene->systems[k], x))
            shapes++;
    return perp_collider_reserve(contacts->collider, shapes);
}

static int add_shapes(perp_scene *scene, perp_scene_contacts *contacts)
{
    perp_scene_node root = perp_scene_root(scene);

    if (reserve(scene, contacts) != PERP_SOLVED)
        return perp_scene_fail_memory(&scene->report);
    for (int k = 0; k < scene->nsystems; k++) {
        perp_scene_member *s = scene->systems[k];
        perp_scene_node list = perp_scene_get(&root, s->list),
                        node = perp_scene_at(&list, s->place);
        for (perp_scene_shape *x = perp_scene_next_shape(s, NULL); x;
             x = perp_scene_next_shape(s, x)) {
            const char *name = material_of(s, x);
            perp_where where = {NULL, -1, -1};
            int number = name != NULL ? material(contacts, name) : 0;
            if (number < 0)
                return perp_scene_fail(&node, "more than %d materials", MATERIALS - 1);
            perp_status status = add_shape(contacts, s, x, number, &where);
            if (status != PERP_SOLVED)
                return perp_scene_fail_status(&node, status, &where);
        }
    }
    return 0;
}

static int is_known(const perp_scene *scene, const char *name)
{
    for (int k = 0; k < scene->nsystems; k++) {
        perp_scene_member *s = scene->systems[k];
        if (s->material != NULL && strcmp(s->material, name) == 0)
            return 1;
        for (perp_scene_shape *x = perp_scene_next_shape(s, NULL); x;
             x = perp_scene_next_shape(s, x))
            if (x->material != NULL && strcmp(x->material, name) == 0)
                return 1;
    }
    return 0;
}

static int fail_material(perp_scene *scene, const perp_scene_node *name)
{
    const char *word = json_string_value(name->json), *best = NULL;

    for (int k = 0; k < scene->nsystems; k++) {
        perp_scene_member *s = scene->systems[k];
        const char *pair[2] = {best, s->material};
        best = perp_nearest_name(word, pair, 2);
        for (perp_scene_shape *x = perp_scene_next_shape(s, NULL); x;
             x = perp_scene_next_shape(s, x)) {
            pair[0] = best;
            pair[1] = x->material;
            best = perp_nearest_name(word, pair, 2);
        }
    }
    if (best != NULL)
        return perp_scene_fail(name, "no shape has the material '%s'; did you mean '%s'?", word,
                               best);
    return perp_scene_fail(name, "no shape has the material '%s'", word);
}

/* e, mu, rolling, torsion and what makes contacts give way, of all or of a pair. */
static int read_law(perp_law *law, const perp_scene_node *at)
{
    perp_scene_node node = perp_scene_get(at, "rolling");
    double e = 0.0, mu = 0.0, rolling = 0.0, torsion = 0.0;

    if (perp_scene_real(&e, at, "e", 0.0, 1.0) != 0 ||
        perp_scene_real(&mu, at, "mu", 0.0, 1e300) != 0 ||
        perp_scene_real(&rolling, at, "rolling", 0.0, 1e300) != 0 ||
        perp_scene_real(&torsion, at, "torsion", 0.0, 1e300) != 0)
        return -1;
    if (rolling > 0.0 && mu == 0.0)
        return perp_scene_fail(&node, "what slides does not roll: give mu");
    if (torsion > 0.0)
        node = perp_scene_get(at, "torsion");
    if (torsion > 0.0 && mu == 0.0)
        return perp_scene_fail(&node, "torsional friction without friction: give mu");
    *law = torsion > 0.0 && rolling > 0.0 ? perp_law_rolling_torsion(e, mu, rolling, torsion)
           : torsion > 0.0                ? perp_law_torsion(e, mu, torsion)
           : rolling > 0.0                ? perp_law_rolling(5, e, mu, rolling)
           : mu > 0.0                     ? perp_law_friction(3, e, mu)
                                          : perp_law_impact(e);
    if (perp_scene_read_compliance(law, at) != 0)
        return -1;
    if (law->stiffness == 0.0 && law->relative_compliance == 0.0)
        return 0;
    return torsion > 0.0   ? perp_scene_fail(&node, "contacts with torsional friction are rigid")
           : rolling > 0.0 ? perp_scene_fail(&node, "contacts with rolling friction are rigid")
                           : 0;
}

/* {"name": a, "e", "mu", "rolling", "torsion"}: coefficients that combine with those of others;
 * what is left out is that of all. */
static int read_own(perp_scene *scene, perp_scene_contacts *contacts, const perp_scene_node *at,
                    const perp_law *all)
{
    double e = all->e, mu = all->mu, rolling = all->mu_r, torsion = all->mu_s;
    perp_scene_node name = perp_scene_get(at, "name");
    int number;

    if (perp_scene_object(at, "name e mu rolling torsion") != 0 ||
        perp_scene_real(&e, at, "e", 0.0, 1.0) != 0 ||
        perp_scene_real(&mu, at, "mu", 0.0, 1e300) != 0 ||
        perp_scene_real(&rolling, at, "rolling", 0.0, 1e300) != 0 ||
        perp_scene_real(&torsion, at, "torsion", 0.0, 1e300) != 0)
        return -1;
    if (!perp_scene_is(&name, JSON_STRING))
        return perp_scene_fail(&name, "a string is expected");
    if (!is_known(scene, json_string_value(name.json)))
        return fail_material(scene, &name);
    number = material(contacts, json_string_value(name.json));
    if (number < 0)
        return perp_scene_fail(&name, "more than %d materials", MATERIALS - 1);
    perp_status status =
        perp_collider_set_coefficients(contacts->collider, number, e, mu, rolling);
    if (status == PERP_SOLVED)
        status = perp_collider_set_torsion(contacts->collider, number, torsion);
    return status == PERP_SOLVED ? 0 : perp_scene_fail_status(at, status, NULL);
}

/* "combine": one word for all coefficients, or one for each. */
static int read_combination(perp_scene_contacts *contacts, const perp_scene_node *at)
{
    static const char words[] = "minimum|mean|geometric|maximum|product";
    static const char *const keys[] = {"e", "mu", "rolling", "torsion"};
    perp_scene_node node = perp_scene_get(at, "combine");
    int rule[4] = {PERP_COMBINE_MAXIMUM, PERP_COMBINE_GEOMETRIC, PERP_COMBINE_GEOMETRIC,
                   PERP_COMBINE_GEOMETRIC};

    if (node.json == NULL)
        return 0;
    if (perp_scene_is(&node, JSON_STRING)) {
        if (perp_scene_choice(&rule[0], at, "combine", words) != 0)
            return -1;
        rule[1] = rule[2] = rule[3] = rule[0];
    } else if (perp_scene_object(&node, "e mu rolling torsion") != 0) {
        return -1;
    } else {
        for (int k = 0; k < 4; k++)
            if (perp_scene_choice(&rule[k], &node, keys[k], words) != 0)
                return -1;
    }
    perp_status status =
        perp_collider_set_combination(contacts->collider, (perp_combination)rule[0],
                                      (perp_combination)rule[1], (perp_combination)rule[2]);
    if (status == PERP_SOLVED)
        status = perp_collider_set_torsion_combination(contacts->collider, (perp_combination)rule[3]);
    return status == PERP_SOLVED ? 0 : perp_scene_fail_status(&node, status, NULL);
}

/* "skin" of all or of a pair. */
static int read_skin(perp_scene_contacts *contacts, const perp_scene_node *at, int a, int b)
{
    double skin = 0.0;

    if (perp_scene_real(&skin, at, "skin", -1e300, 1e300) != 0)
        return -1;
    perp_status status = perp_collider_set_skin(contacts->collider, a, b, skin);
    return status == PERP_SOLVED ? 0 : perp_scene_fail_status(at, status, NULL);
}

/* {"between": [a, b], "e", "mu", ...} of the list "materials". */
static int read_pair(perp_scene *scene, perp_scene_contacts *contacts, const perp_scene_node *at)
{
    perp_scene_node both = perp_scene_get(at, "between");
    perp_law law;
    int number[2] = {0, 0};
    size_t count;

    if (perp_scene_object(at, "between e mu rolling torsion skin " PERP_SCENE_COMPLIANCE) != 0 ||
        perp_scene_array(&both, &count) != 0)
        return -1;
    if (count != 2)
        return perp_scene_fail(&both, "two materials are expected");
    for (size_t k = 0; k < 2; k++) {
        perp_scene_node name = perp_scene_at(&both, k);
        if (!perp_scene_is(&name, JSON_STRING))
            return perp_scene_fail(&name, "a string is expected");
        if (!is_known(scene, json_string_value(name.json)))
            return fail_material(scene, &name);
        number[k] = material(contacts, json_string_value(name.json));
        if (number[k] < 0)
            return perp_scene_fail(&name, "more than %d materials", MATERIALS - 1);
    }
    if (read_law(&law, at) != 0 || read_skin(contacts, at, number[0], number[1]) != 0)
        return -1;
    perp_status status = perp_collider_set_law(contacts->collider, number[0], number[1], &law);
    return status == PERP_SOLVED ? 0 : perp_scene_fail_status(at, status, NULL);
}

static int read_materials(perp_scene *scene, perp_scene_contacts *contacts,
                          const perp_scene_node *at)
{
    perp_scene_node list = perp_scene_get(at, "materials");
    double margin = 0.0;
    perp_law law;
    perp_status status;
    size_t count = 0;

    if (perp_scene_real(&margin, at, "margin", 0.0, INFINITY) != 0)
        return -1;
    if (read_law(&law, at) != 0 || read_skin(contacts, at, 0, 0) != 0)
        return -1;
    status = perp_collider_set_law(contacts->collider, 0, 0, &law);
    if (status == PERP_SOLVED)
        status = perp_collider_set_margin(contacts->collider, margin);
    if (status != PERP_SOLVED)
        return perp_scene_fail_status(at, status, NULL);
    if (list.json != NULL && perp_scene_array(&list, &count) != 0)
        return -1;
    for (size_t k = 0; k < count; k++) {
        perp_scene_node pair = perp_scene_at(&list, k);
        if ((perp_scene_has(&pair, "name") ? read_own(scene, contacts, &pair, &law)
                                           : read_pair(scene, contacts, &pair)) != 0)
            return -1;
    }
    return read_combination(contacts, at);
}

static void exclude(perp_scene_contacts *contacts, perp_scene_member *a, perp_scene_member *b)
{
    for (perp_scene_shape *x = perp_scene_next_shape(a, NULL); x; x = perp_scene_next_shape(a, x))
        for (perp_scene_shape *y = perp_scene_next_shape(b, NULL); y;
             y = perp_scene_next_shape(b, y))
            (void)perp_collider_exclude(contacts->collider, x->id, y->id);
}

/* "exclude": [[a, b], ...]: bodies that never touch. */
static int read_excluded(perp_scene *scene, perp_scene_contacts *contacts,
                         const perp_scene_node *at)
{
    perp_scene_node list = perp_scene_get(at, "exclude");
    size_t count = 0, two;

    if (list.json != NULL && perp_scene_array(&list, &count) != 0)
        return -1;
    for (size_t k = 0; k < count; k++) {
        perp_scene_node pair = perp_scene_at(&list, k);
        perp_scene_member *s[2] = {NULL, NULL};
        if (perp_scene_array(&pair, &two) != 0)
            return -1;
        if (two != 2)
            return perp_scene_fail(&pair, "two names are expected");
        for (size_t i = 0; i < 2; i++) {
            perp_scene_node name = perp_scene_at(&pair, i);
            s[i] = perp_scene_named(scene, &name);
            if (s[i] == NULL)
                return -1;
        }
        if (s[0] != s[1])
            exclude(contacts, s[0], s[1]);
    }
    return 0;
}

int perp_scene_read_contacts(perp_scene *scene, const perp_scene_node *root)
{
    perp_scene_node node = perp_scene_get(root, "contacts");
    perp_scene_contacts *contacts;
    perp_status status;
    int joined = 0;

    if (node.json == NULL)
        return 0;
    contacts = perp_scene_take(scene, 1, sizeof *contacts);
    if (contacts == NULL ||
        perp_scene_object(&node, "e mu rolling torsion skin margin materials combine exclude "
                                 "joined " PERP_SCENE_COMPLIANCE) != 0)
        return -1;
    contacts->material[contacts->materials++] = "";
    scene->contacts = contacts;
    status = perp_collider_create(&contacts->collider, scene->model, &scene->memory);
    if (status != PERP_SOLVED)
        return perp_scene_fail_status(&node, status, NULL);
    if (perp_scene_flag(&joined, &node, "joined") != 0)
        return -1;
    (void)perp_collider_set_joined(contacts->collider, joined);
    if (add_shapes(scene, contacts) != 0 || note_owners(scene, contacts) != 0 ||
        read_materials(scene, contacts, &node) != 0 ||
        read_excluded(scene, contacts, &node) != 0 ||
        perp_scene_set_surfaces(scene, scene->t0) != 0)
        return -1;
    if (perp_collider_lacks_narrow_phase(contacts->collider))
        return perp_scene_fail(&node,
                               "two surfaces of which one moves do not touch each other: give "
                               "one of them as hulls");
    if (perp_collider_shapes(contacts->collider) == 0)
        return perp_scene_fail(&node, "no system or body has a shape");
    return 0;
}
