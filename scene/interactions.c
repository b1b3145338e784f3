/* SPDX-License-Identifier: BSD-3-Clause */
/* The section "interactions": systems, a relation and a law each. */
#include <math.h>
#include <string.h>

#include "scene/relations.h"

typedef struct relation_type {
    const char *name;
    perp_scene_relation_reader read;
} relation_type;

static const relation_type types[] = {
    {"linear", perp_scene_read_linear},
    {"point-line", perp_scene_read_point_line},
    {"disc-line", perp_scene_read_disc_line},
    {"disc-disc", perp_scene_read_disc_disc},
    {"distance", perp_scene_read_distance},
    {"coupling", perp_scene_read_coupling},
    {"path", perp_scene_read_path},
    {"curve", perp_scene_read_curve},
    {"sphere-plane", perp_scene_read_sphere_plane},
    {"sphere-sphere", perp_scene_read_sphere_sphere},
    {"joint", perp_scene_read_joint},
    {"rate", perp_scene_read_rate},
};
/* "gear" has no systems of its own: read_interaction() sends it to gears.c. */
enum { FIRST_OF_BODIES = 9 }; /* the relations from sphere-sphere on take two bodies */
static const char type_words[] =
    "linear|point-line|disc-line|disc-disc|distance|coupling|path|curve|"
    "sphere-plane|sphere-sphere|joint|rate|gear";

int perp_scene_want(const perp_scene_link *link, const perp_scene_node *at, int count,
                    perp_scene_kind kind)
{
    if (link->nsystems != count)
        return perp_scene_fail(at, "takes %d system%s, not %d", count, count > 1 ? "s" : "",
                               link->nsystems);
    for (int k = 0; k < count; k++)
        if (link->systems[k]->kind != kind)
            return perp_scene_fail(at, "'%s' is of the wrong kind for it", link->systems[k]->name);
    return 0;
}

int perp_scene_want_rows(const perp_scene_link *link, const perp_scene_node *at, int rows)
{
    if (!link->has_law)
        return perp_scene_fail(at, "needs a law");
    if (link->def.law.dim != 1 && link->def.law.dim != rows)
        return perp_scene_fail(at, "friction here has dim %d, not %d", rows, link->def.law.dim);
    return 0;
}

int perp_scene_read_normal(double *normal, double *offset, int dim, const perp_scene_node *at)
{
    perp_scene_node node = perp_scene_get(at, "normal");
    double length = 0.0;

    if (perp_scene_need_reals(normal, at, "normal", dim) != 0 ||
        perp_scene_real(offset, at, "offset", -INFINITY, INFINITY) != 0)
        return -1;
    for (int k = 0; k < dim; k++)
        length += normal[k] * normal[k];
    if (!(length > 0.0))
        return perp_scene_fail(&node, "the zero vector is no normal");
    /* A unit vector stays as it is, to the bit. */
    for (int k = 0; k < dim && length != 1.0; k++)
        normal[k] /= sqrt(length);
    return 0;
}

static int read_systems(perp_scene_link *link, const perp_scene_node *at)
{
    perp_scene_node list = perp_scene_get(at, "systems");
    size_t count;

    if (perp_scene_array(&list, &count) != 0)
        return -1;
    if (count < 1 || count > 1000)
        return perp_scene_fail(&list, "%zu systems are given", count);
    link->systems = perp_scene_take(link->scene, count, sizeof(perp_scene_member *));
    perp_system_id *ids = perp_scene_take(link->scene, count, sizeof *ids);
    if (link->systems == NULL || ids == NULL)
        return -1;
    for (size_t k = 0; k < count; k++) {
        perp_scene_node name = perp_scene_at(&list, k);
        perp_scene_member *s = perp_scene_named(link->scene, &name);
        if (s == NULL)
            return -1;
        if (s->fixed)
            return perp_scene_fail(&name, "'%s' stands still; leave it out", s->name);
        for (size_t i = 0; i < k; i++)
            if (link->systems[i] == s)
                return perp_scene_fail(&name, "'%s' is named twice", s->name);
        link->systems[k] = s;
        link->entries += s->nx;
        ids[k] = s->id;
    }
    link->nsystems = (int)count;
    link->def.systems = ids;
    link->def.nsystems = (int)count;
    return 0;
}

perp_scene_named_interaction *perp_scene_note_interaction(const perp_scene_link *link,
                                                          const char *name, perp_interaction_id id)
{
    perp_scene *scene = link->scene;
    perp_scene_named_interaction *made;

    if (scene->ninteractions == scene->interactions_capacity) {
        int more = 2 * scene->interactions_capacity + 16;
        made = perp_scene_take(scene, (size_t)more, sizeof *made);
        if (made == NULL)
            return NULL;
        if (scene->ninteractions > 0)
            memcpy(made, scene->interactions, (size_t)scene->ninteractions * sizeof *made);
        scene->interactions = made;
        scene->interactions_capacity = more;
    }
    if (perp_scene_number_of(&scene->interaction_names, name) < 0 &&
        perp_scene_put_name(&scene->interaction_names, scene, name, scene->ninteractions) != 0)
        return NULL;
    made = &scene->interactions[scene->ninteractions++];
    memset(made, 0, sizeof *made);
    made->name = name;
    made->rows = link->def.relation.rows;
    made->id = id;
    made->systems = link->systems;
    made->nsystems = link->nsystems;
    made->law = link->def.law.kind;
    made->dim = link->def.law.dim;
    made->compliant = link->def.relation.D != NULL;
    made->e =
        made->law == PERP_LAW_IMPACT || made->law == PERP_LAW_FRICTION ? link->def.law.e : 0.0;
    made->mu = link->def.law.dim > 1 ? link->def.law.mu : 0.0;
    made->touch = link->touch != NULL ? link->touch : link->def.relation.contact;
    made->touch_user = link->def.relation.user;
    made->ends = link->ends;
    if (link->def.relation.kind == PERP_RELATION_JOINT) {
        perp_relation *relation = perp_scene_take(scene, 1, sizeof *relation);
        if (relation == NULL)
            return NULL;
        *relation = link->def.relation;
        made->relation = relation;
    }
    return made;
}

static int note_interaction(const perp_scene_link *link, const perp_scene_node *at,
                            perp_interaction_id id)
{
    const char *name = NULL;

    if (perp_scene_string(&name, at, "name") != 0)
        return -1;
    if (name == NULL)
        name = perp_scene_text(link->scene, "interaction%zu", at->index);
    if (name == NULL || perp_scene_check_name(link->scene, at, name) != 0)
        return -1;
    return perp_scene_note_interaction(link, name, id) != NULL ? 0 : -1;
}

/* Where a joint with one coordinate sits, for couplings. */
static int note_frame(const perp_scene_link *link, const perp_scene_node *relation)
{
    const perp_relation *r = &link->def.relation;
    perp_scene_named_interaction *noted =
        &link->scene->interactions[link->scene->ninteractions - 1];

    if (r->kind != PERP_RELATION_JOINT ||
        (r->joint != PERP_JOINT_PIVOT && r->joint != PERP_JOINT_PRISMATIC))
        return 0;
    noted->frame.kind = r->joint == PERP_JOINT_PIVOT ? 1 : 2;
    memcpy(noted->frame.anchor, r->anchor, sizeof noted->frame.anchor);
    memcpy(noted->frame.axis, r->axis, sizeof noted->frame.axis);
    return perp_scene_real(&noted->frame.start, relation, "start", -1e300, 1e300);
}

/* A damper by the step: that of the scene now, and of each step before it. */
static int read_lag(perp_scene_link *link, const perp_scene_node *law, perp_scene_timed_law **timed)
{
    double lag[2] = {0.0}, h = link->scene->step;

    if (link->def.law.drive != PERP_DRIVE_SERVO || perp_scene_read_lag(lag, law) != 0 ||
        !(lag[0] + lag[1] > 0.0))
        return 0;
    if (*timed == NULL)
        *timed = perp_scene_take(link->scene, 1, sizeof **timed);
    if (*timed == NULL)
        return -1;
    memcpy((*timed)->lag, lag, sizeof lag);
    (*timed)->damping = link->def.law.damping;
    link->def.law.damping += 0.5 * h * lag[0] + 2.0 * lag[1] / h;
    return 0;
}

static void note_timed(perp_scene *scene, perp_scene_timed_law *timed, const perp_law *law,
                       perp_interaction_id id)
{
    if (timed == NULL)
        return;
    timed->id = id;
    timed->law = *law;
    timed->next = scene->timed_laws;
    scene->timed_laws = timed;
}

static int read_interaction(void *ctx, const perp_scene_node *at)
{
    perp_scene *scene = ctx;
    perp_scene_link link;
    perp_scene_node relation = perp_scene_get(at, "relation"), law = perp_scene_get(at, "law");
    perp_scene_node word = perp_scene_get(&relation, "type");
    perp_where where = {NULL, -1, -1};
    perp_interaction_id id;
    perp_scene_timed_law *timed = NULL;
    perp_status status;
    int type = -1;

    if (perp_scene_is(&word, JSON_STRING) && strcmp(json_string_value(word.json), "gear") == 0)
        return perp_scene_read_gear(scene, at);
    memset(&link, 0, sizeof link);
    link.scene = scene;
    link.has_law = law.json != NULL;
    perp_interaction_def_init(&link.def, sizeof link.def);
    if (perp_scene_object(at, "name systems relation law") != 0 || read_systems(&link, at) != 0 ||
        (link.has_law && perp_scene_read_law(scene, &link.def.law, &timed, &law) != 0) ||
        read_lag(&link, &law, &timed) != 0)
        return -1;
    if (!perp_scene_is(&relation, JSON_OBJECT))
        return perp_scene_fail(&relation, "an object is expected");
    if (perp_scene_choice(&type, &relation, "type", type_words) != 0)
        return -1;
    if (type < 0)
        return perp_scene_fail(&word, "missing; one of %s", type_words);
    for (int k = 0; k < link.nsystems; k++)
        if (link.systems[k]->prescribed && type < FIRST_OF_BODIES)
            return perp_scene_fail(&relation,
                                   "the motion of '%s' is given; joints and contacts of two bodies "
                                   "take it",
                                   link.systems[k]->name);
    if (types[type].read(&link, &relation) != 0 || perp_scene_read_row_bounds(&link, &law) != 0)
        return -1;
    status = perp_model_add_interaction(scene->model, &link.def, &id, &where);
    if (status != PERP_SOLVED)
        return perp_scene_fail_status(at, status, &where);
    note_timed(scene, timed, &link.def.law, id);
    if (note_interaction(&link, at, id) != 0 || note_frame(&link, &relation) != 0)
        return -1;
    scene->interactions[scene->ninteractions - 1].type = json_string_value(word.json);
    if (link.def.relation.kind != PERP_RELATION_JOINT)
        return 0;
    if (perp_scene_has(&relation, "lead") && perp_scene_add_screw(&link, &relation) != 0)
        return -1;
    return perp_scene_read_coordinates(&link, &relation);
}

int perp_scene_read_interactions(perp_scene *scene, const perp_scene_node *root)
{
    return perp_scene_each(root, "interactions", read_interaction, scene);
}
