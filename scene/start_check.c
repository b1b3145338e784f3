/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the start of a run is not what its schemes assume: bodies at one place, interactions that
 * begin open or violated, velocities that contradict them, shapes that overlap. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene/contact_section.h"
#include "scene/shapes.h"
#include "scene/scene_inside.h"

enum { SHOWN = 4, MOST = 200 };   /* pairs that a note names; that are told apart */
enum { REACH = 100 };             /* bodies at one place that each is compared with */
static const double small = 1e-6; /* of a length: rounding of numbers in a text */

/* What a scheme does about a position that is not as it should be. */
static const char *answer(const char *scheme)
{
    static const struct {
        const char *scheme, *does;
    } known[] = {
        {"discrete-gradient", "takes it away in the first steps"},
        {"discrete-gradient-adaptive", "takes it away in the first steps"},
        {"generalized-alpha", "takes it away in the first steps"},
        {"moreau-jean-direct-projection", "takes it away in the first steps"},
        {"moreau-jean-combined-projection", "takes it away in the first steps"},
        {"event-driven", "takes it away in the first step"},
        {"event-capturing-rk", "takes it away in the first step"},
        {"schatzman-paoli", "takes it away in the first step, which leaves a large velocity"},
        {"splitting", "does not take it away"},
    };

    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++)
        if (strcmp(known[k].scheme, scheme) == 0)
            return known[k].does;
    return "keeps it, and only stops it from growing";
}

const char *perp_scene_scheme_of(const perp_scene *scene, const perp_scene_member *s)
{
    perp_scheme scheme;

    if (perp_scheme_init(&scheme, perp_scheme_at(0), sizeof scheme) != PERP_SOLVED ||
        perp_sim_scheme(scene->sim, s->id, &scheme) != PERP_SOLVED)
        return "its scheme";
    return scheme.name;
}

/* A body that is somewhere. */
typedef struct standing {
    double at[3];
    int dim;
    perp_scene_member *body;
} standing;

static int order(const void *a, const void *b)
{
    const standing *one = a, *other = b;

    if (one->dim != other->dim)
        return one->dim < other->dim ? -1 : 1;
    for (int k = 0; k < 3; k++)
        if (one->at[k] < other->at[k] || one->at[k] > other->at[k])
            return one->at[k] < other->at[k] ? -1 : 1;
    return 0;
}

/* 0 where it has no place of its own. */
static int place_of(standing *place, perp_scene_member *s)
{
    memset(place, 0, sizeof *place);
    place->body = s;
    place->dim = s->dim;
    if ((s->fixed && s->shape.form != PERP_SCENE_PLANE) ||
        (!s->fixed && s->kind == PERP_SCENE_BODY))
        memcpy(place->at, s->position, sizeof place->at);
    else if (!s->fixed && s->kind == PERP_SCENE_LAGRANGIAN && s->dim == 2 && s->points == -1)
        memcpy(place->at, s->as->lagrangian.q0, 2 * sizeof(double));
    else
        return 0;
    return 1;
}

static int have_contacts(const perp_scene *scene, const perp_scene_member *a,
                         const perp_scene_member *b)
{
    return scene->contacts != NULL && a->shape.form != PERP_SCENE_NO_SHAPE &&
           b->shape.form != PERP_SCENE_NO_SHAPE;
}

static int are_joined(const perp_scene *scene, const perp_scene_member *a,
                      const perp_scene_member *b)
{
    for (int k = 0; k < scene->ninteractions; k++) {
        const perp_scene_named_interaction *one = &scene->interactions[k];
        int found = 0;
        for (int i = 0; i < one->nsystems; i++)
            found += one->systems[i] == a || one->systems[i] == b;
        if (found > 1)
            return 1;
    }
    for (const perp_scene_spring *s = scene->springs; s != NULL; s = s->next)
        if ((s->end[0].system == a && s->end[1].system == b) ||
            (s->end[0].system == b && s->end[1].system == a))
            return 1;
    return 0;
}

/* The section "contacts" says that they never touch each other. */
static int are_excluded(const perp_scene *scene, const perp_scene_member *a,
                        const perp_scene_member *b)
{
    const json_t *list = json_object_get(json_object_get(scene->json, "contacts"), "exclude");

    for (size_t k = 0; k < json_array_size(list); k++) {
        const json_t *pair = json_array_get(list, k);
        const char *one = json_string_value(json_array_get(pair, 0));
        const char *other = json_string_value(json_array_get(pair, 1));
        if (one != NULL && other != NULL &&
            ((strcmp(one, a->name) == 0 && strcmp(other, b->name) == 0) ||
             (strcmp(one, b->name) == 0 && strcmp(other, a->name) == 0)))
            return 1;
    }
    return 0;
}

/* The middle of a shape, from the place of its body. */
static void middle_of(double *middle, const perp_scene *scene, const perp_scene_member *s,
                      const perp_scene_shape *shape)
{
    const double *turn = s->fixed ? s->quaternion : NULL;
    double *x;

    memcpy(middle, shape->place, sizeof shape->place);
    if (!s->fixed && s->kind == PERP_SCENE_BODY &&
        perp_model_state(scene->model, s->id, &x, NULL, NULL, NULL) == PERP_SOLVED)
        turn = x + 3;
    if (turn != NULL)
        perp_quaternion_rotate(turn, shape->place, middle);
}

/* Two of their shapes may touch, and have their middle in one place. */
static int shapes_meet(const perp_scene *scene, perp_scene_member *a, perp_scene_member *b)
{
    double own[3], other[3];

    for (perp_scene_shape *x = perp_scene_next_shape(a, NULL); x; x = perp_scene_next_shape(a, x)) {
        middle_of(own, scene, a, x);
        for (perp_scene_shape *y = perp_scene_next_shape(b, NULL); y;
             y = perp_scene_next_shape(b, y)) {
            double apart = 0.0, size = 0.0;
            if ((x->group != 0 && x->group == y->group) ||
                !((x->category & y->touches) | (y->category & x->touches)))
                continue;
            middle_of(other, scene, b, y);
            for (int k = 0; k < 3; k++) {
                apart = fmax(apart, fabs(own[k] - other[k]));
                size = fmax(size, fabs(own[k]));
            }
            if (!(apart > small * size))
                return 1;
        }
    }
    return 0;
}

static int tell_place(perp_scene *scene, const standing *first, const standing *second, int pairs)
{
    const perp_scene_member *a = first->body, *b = second->body;
    perp_scene_node root = perp_scene_root(scene), list = perp_scene_get(&root, b->list);
    perp_scene_node node = perp_scene_at(&list, b->place);
    char more[48] = "";

    if (have_contacts(scene, a, b))
        return perp_scene_fail(&node,
                               "'%s' and '%s' stand at the same place, so that no direction parts "
                               "their shapes; 'exclude' of contacts (<exclude> of an MJCF) lists "
                               "pairs that never touch",
                               a->name, b->name);
    if (pairs > 1)
        snprintf(more, sizeof more, " (and %d more pair%s)", pairs - 1, pairs > 2 ? "s" : "");
    perp_scene_warn(scene, &node,
                    "'%s' and '%s' stand at the same place%s: nothing keeps them apart, each moves "
                    "as if the other were not there",
                    a->name, b->name, more);
    return 0;
}

/* Of two at one place: nothing says what keeps them apart. */
static int are_doubtful(const perp_scene *scene, const standing *one, const standing *other)
{
    perp_scene_member *a = one->body, *b = other->body;

    return order(one, other) == 0 && (perp_scene_is_integrated(a) || perp_scene_is_integrated(b)) &&
           !are_joined(scene, a, b) && !are_excluded(scene, a, b) &&
           (!have_contacts(scene, a, b) || shapes_meet(scene, a, b));
}

/* Two that touch, neighbours in the list or not: the second one, and how far before it the first
 * one is in *back; 0: none. */
static int find_touching(const perp_scene *scene, const standing *all, int count, int *back)
{
    for (int k = 1; k < count; k++)
        for (int i = k - 1; i >= 0 && i >= k - REACH && order(&all[i], &all[k]) == 0; i--)
            if (have_contacts(scene, all[i].body, all[k].body) &&
                are_doubtful(scene, &all[i], &all[k])) {
                *back = k - i;
                return k;
            }
    return 0;
}

int perp_scene_check_places(perp_scene *scene)
{
    standing *all = perp_scene_zeroed(&scene->memory, (size_t)scene->nsystems, sizeof *all);
    int count = 0, first = 0, back = 1, pairs = 0, result = 0, touching;

    if (all == NULL)
        return perp_scene_fail_memory(&scene->report);
    for (int k = 0; k < scene->nsystems; k++)
        count += place_of(&all[count], scene->systems[k]);
    qsort(all, (size_t)count, sizeof *all, order);
    for (int k = 1; k < count; k++) {
        if (!are_doubtful(scene, &all[k - 1], &all[k]))
            continue;
        first = pairs == 0 ? k : first;
        pairs++;
    }
    touching = find_touching(scene, all, count, &back);
    first = touching > 0 ? touching : first;
    if (first > 0) {
        int swap = all[first - back].body->place > all[first].body->place ? back : 0;
        result = tell_place(scene, &all[first - back + swap], &all[first - swap], pairs);
    }
    perp_scene_release(&scene->memory, all);
    return result;
}

/* The largest coordinate of the systems of an interaction: what its outputs are compared with. */
static double extent(perp_scene *scene, const perp_scene_named_interaction *one)
{
    double largest = 0.0, *x;

    for (int k = 0; k < one->nsystems; k++) {
        const perp_scene_member *s = one->systems[k];
        int entries = s->kind == PERP_SCENE_BODY ? 3 : s->points == -1 ? s->dim : s->nx;
        if (perp_model_state(scene->model, s->id, &x, NULL, NULL, NULL) != PERP_SOLVED)
            continue;
        for (int i = 0; i < entries; i++)
            largest = fmax(largest, fabs(x[i]));
    }
    return largest;
}

/* The largest velocity of the systems of an interaction. */
static double fastest(perp_scene *scene, const perp_scene_named_interaction *one)
{
    double largest = 0.0, *v;

    for (int k = 0; k < one->nsystems; k++) {
        const perp_scene_member *s = one->systems[k];
        int entries = 0;
        if (perp_model_state(scene->model, s->id, NULL, &v, NULL, &entries) != PERP_SOLVED)
            continue;
        for (int i = 0; i < entries; i++)
            largest = fmax(largest, fabs(v[i]));
    }
    return largest;
}

/* Rates that a joint does not allow, or a limit that is reached. */
static void note_rates(perp_scene *scene, const perp_scene_named_interaction *one, const double *y,
                       const double *u, int rows)
{
    int joint = one->law == PERP_LAW_EQUALITY;
    double worst = 0.0;

    for (int r = 0; r < rows; r += joint ? 1 : one->dim)
        if (joint || y[r] <= small * extent(scene, one))
            worst = fmax(worst, joint ? fabs(u[r]) : -u[r]);
    /* Rounding of velocities, and of a drift that is none of theirs. */
    if (!(worst > small * fastest(scene, one)) ||
        !(worst * scene->step > 1e-9 * extent(scene, one)))
        return;
    perp_scene_warn(scene, NULL,
                    joint
                        ? "the velocities at the start contradict '%s', whose rate is %.3g and not "
                          "0; %s takes that away by an impulse of the first step"
                        : "the velocities at the start contradict '%s', which is closed and closes "
                          "at %.3g; %s begins with an impact by its law",
                    one->name, worst, perp_scene_scheme_of(scene, one->systems[0]));
}

static void note_output(perp_scene *scene, const perp_scene_named_interaction *one)
{
    int rows = 0, joint = one->law == PERP_LAW_EQUALITY;
    double worst = 0.0;
    const double *y, *u;

    if (one->systems[0]->kind == PERP_SCENE_FIRST_ORDER || one->compliant ||
        one->law == PERP_LAW_BOX ||
        perp_model_output(scene->model, one->id, &y, &u, NULL, &rows, NULL) != PERP_SOLVED)
        return;
    note_rates(scene, one, y, u, rows);
    for (int r = 0; r < rows; r += joint ? 1 : one->dim)
        worst = fmax(worst, joint ? fabs(y[r]) : -y[r]);
    if (!(worst > small * extent(scene, one)))
        return;
    const char *scheme = perp_scene_scheme_of(scene, one->systems[0]);
    perp_scene_warn(scene, NULL,
                    joint ? "'%s' is open by %.3g at the start; %s %s"
                          : "'%s' is violated by %.3g at the start; %s %s",
                    one->name, worst, scheme, answer(scheme));
}

void perp_scene_note_outputs(perp_scene *scene)
{
    if (scene->saw_start)
        return;
    scene->saw_start = 1;
    for (int k = 0; k < scene->ninteractions; k++)
        note_output(scene, &scene->interactions[k]);
}

/* Two shapes and how deep one is in the other. */
typedef perp_scene_overlap overlap;

static const perp_scene_member *with_shape(const perp_scene *scene, perp_shape_id id)
{
    for (int k = 0; k < scene->nsystems; k++) {
        perp_scene_member *s = scene->systems[k];
        for (perp_scene_shape *x = perp_scene_next_shape(s, NULL); x;
             x = perp_scene_next_shape(s, x))
            if (x->id.index == id.index && x->id.generation == id.generation)
                return s;
    }
    return NULL;
}

/* By more than this part of the smaller one. */
static int is_deep(const overlap *found, double part)
{
    double a = perp_scene_half_width(&found->a->shape), b = perp_scene_half_width(&found->b->shape);

    return found->depth > part * (a > 0.0 && b > 0.0 ? fmin(a, b) : fmax(a, b));
}

static void tell_overlaps(perp_scene *scene, const overlap *shown, int pairs)
{
    const perp_scene_member *moving =
        !perp_scene_is_integrated(shown[0].a) ? shown[0].b : shown[0].a;
    const char *scheme = perp_scene_scheme_of(scene, moving);
    char list[512] = "";
    size_t used = 0;

    for (int k = 0; k < pairs && k < SHOWN && used < sizeof list; k++)
        used +=
            (size_t)snprintf(list + used, sizeof list - used, "%s'%.60s' and '%.60s' by %.3g",
                             k > 0 ? ", " : "", shown[k].a->name, shown[k].b->name, shown[k].depth);
    if (pairs > SHOWN && used < sizeof list)
        snprintf(list + used, sizeof list - used, ", and %d more", pairs - SHOWN);
    perp_scene_warn(scene, NULL, "overlap at the start: %s; %s %s", list, scheme, answer(scheme));
}

const char *perp_scene_find_interaction_id(const perp_scene_member *pair[2],
                                           const perp_scene *scene, perp_interaction_id id)
{
    const perp_collider *collider = perp_scene_contacts_collider(scene->contacts);
    perp_contact_info contact = {.size = sizeof contact};

    for (int k = 0; k < scene->ninteractions; k++)
        if (scene->interactions[k].id.index == id.index &&
            (id.generation == 0 || scene->interactions[k].id.generation == id.generation)) {
            pair[0] = scene->interactions[k].systems[0];
            return scene->interactions[k].name;
        }
    for (int k = 0; collider != NULL && k < perp_collider_contacts(collider); k++) {
        if (perp_collider_contact(collider, k, &contact) != PERP_SOLVED ||
            contact.interaction.index != id.index)
            continue;
        pair[0] = with_shape(scene, contact.first);
        pair[1] = with_shape(scene, contact.second);
        break;
    }
    if (pair[0] == NULL || pair[1] == NULL)
        pair[0] = pair[1] = NULL;
    return NULL;
}

/* Of one pair there are several points, and shapes of compounds. */
static overlap *listed(overlap *list, int count, const overlap *found)
{
    for (int k = 0; k < count; k++)
        if ((list[k].a == found->a && list[k].b == found->b) ||
            (list[k].a == found->b && list[k].b == found->a))
            return &list[k];
    return NULL;
}

void perp_scene_each_overlap(const perp_scene *scene, double part, perp_scene_overlap_fn fn,
                             void *ctx)
{
    const perp_collider *collider = perp_scene_contacts_collider(scene->contacts);

    for (int k = 0; collider != NULL && k < perp_collider_contacts(collider); k++) {
        perp_contact_info contact = {.size = sizeof contact};
        overlap found;
        if (perp_collider_contact(collider, k, &contact) != PERP_SOLVED ||
            !(contact.point.gap < 0.0))
            continue;
        found.a = with_shape(scene, contact.first);
        found.b = with_shape(scene, contact.second);
        found.depth = -contact.point.gap;
        memcpy(found.place, contact.point.point_a, sizeof found.place);
        memcpy(found.normal, contact.point.normal, sizeof found.normal);
        if (found.a != NULL && found.b != NULL && is_deep(&found, part))
            fn(ctx, &found);
    }
}

typedef struct overlap_list {
    overlap *list;
    int capacity, pairs;
} overlap_list;

static void list_pair(void *ctx, const perp_scene_overlap *found)
{
    overlap_list *l = ctx;
    overlap *same = listed(l->list, l->pairs < l->capacity ? l->pairs : l->capacity, found);

    if (same != NULL)
        same->depth = fmax(same->depth, found->depth);
    else if (l->pairs++ < l->capacity)
        l->list[l->pairs - 1] = *found;
}

int perp_scene_find_overlaps(const perp_scene *scene, double part, perp_scene_overlap *list,
                             int capacity)
{
    overlap_list l = {list, capacity, 0};

    perp_scene_each_overlap(scene, part, list_pair, &l);
    return l.pairs;
}

void perp_scene_note_overlaps(perp_scene *scene)
{
    overlap shown[MOST];

    if (scene->saw_overlaps || perp_scene_contacts_collider(scene->contacts) == NULL)
        return;
    scene->saw_overlaps = 1;
    int pairs = perp_scene_find_overlaps(scene, small, shown, MOST);
    if (pairs > 0)
        tell_overlaps(scene, shown, pairs);
}
