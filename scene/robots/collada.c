/* SPDX-License-Identifier: BSD-3-Clause */
#include "scene/robots/collada.h"

#include <math.h>
#include <string.h>

#include <perp/base.h>
#include <perp/collide.h>

#include <libxml/parser.h>
#include <libxml/tree.h>

enum { MOST_DEEP = 64, MOST_POINTS = 4000000, MOST_PLACES = 100000, MOST_STEPS = 100000000 };

typedef struct cloud {
    perp_robot_job *job;
    xmlNode *root;
    double *x;
    size_t count, capacity; /* of numbers */
    int places, depth;
    long steps; /* of looking for ids */
    const char *why;
} cloud;

/* Rows of a place: three rows of a matrix, with the translation in the last column. */
typedef struct place {
    double m[12];
} place;

static int is(const xmlNode *node, const char *name)
{
    return node->type == XML_ELEMENT_NODE && strcmp((const char *)node->name, name) == 0;
}

static xmlNode *child_of(const xmlNode *node, const char *name)
{
    xmlNode *at = node != NULL ? node->children : NULL;

    while (at != NULL && !is(at, name))
        at = at->next;
    return at;
}

/* An attribute of plain text; NULL: absent. */
static const char *word(const xmlNode *node, const char *name)
{
    for (const xmlAttr *a = node->properties; a != NULL; a = a->next)
        if (strcmp((const char *)a->name, name) == 0)
            return a->children != NULL && a->children->content != NULL
                       ? (const char *)a->children->content
                       : "";
    return NULL;
}

/* Numbers of its text, at most `most`: how many there are, -1 where one is none. */
static int numbers(const xmlNode *node, double *out, int most)
{
    int count = 0;

    for (const xmlNode *text = node->children; text != NULL; text = text->next) {
        const char *c = text->type == XML_TEXT_NODE ? (const char *)text->content : "";
        for (c += strspn(c, " \t\r\n"); *c != '\0' && count < most; c += strspn(c, " \t\r\n")) {
            const char *end = perp_number_read(c, &out[count]);
            if (end == NULL || end == c || !isfinite(out[count]))
                return -1;
            count++;
            c = end;
        }
    }
    return count;
}

/* The element of this name with an id, anywhere below. */
static xmlNode *find(cloud *c, xmlNode *below, const char *name, const char *id, int depth)
{
    for (xmlNode *at = below->children; at != NULL && depth < MOST_DEEP && c->steps < MOST_STEPS;
         at = at->next, c->steps++) {
        const char *own = is(at, name) ? word(at, "id") : NULL;
        xmlNode *found =
            own != NULL && strcmp(own, id) == 0 ? at : find(c, at, name, id, depth + 1);
        if (found != NULL)
            return found;
    }
    return NULL;
}

static xmlNode *refer(cloud *c, const xmlNode *at, const char *attribute, const char *name)
{
    const char *url = word(at, attribute);

    return url != NULL && url[0] == '#' ? find(c, c->root, name, url + 1, 0) : NULL;
}

static place product(const place *a, const place *b)
{
    place out;

    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++) {
            out.m[4 * i + j] = j == 3 ? a->m[4 * i + 3] : 0.0;
            for (int k = 0; k < 3; k++)
                out.m[4 * i + j] += a->m[4 * i + k] * b->m[4 * k + j];
        }
    return out;
}

static place turn(const double *axis, double degrees)
{
    double n[3], size = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
    double c = cos(degrees * 0.017453292519943295769), s = sin(degrees * 0.017453292519943295769);
    place out = {{0.0}};

    for (int i = 0; i < 3; i++)
        n[i] = size > 0.0 ? axis[i] / size : 0.0;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        out.m[4 * i + i] = c + (1.0 - c) * n[i] * n[i];
        out.m[4 * i + j] = (1.0 - c) * n[i] * n[j] - s * n[k];
        out.m[4 * i + k] = (1.0 - c) * n[i] * n[k] + s * n[j];
    }
    return out;
}

/* One transformation of a node: 1; 0: it is none, -1: it is not as it should be. */
static int transformation(place *out, const xmlNode *at)
{
    double x[16] = {0.0};
    int wanted = is(at, "matrix")                         ? 16
                 : is(at, "rotate")                       ? 4
                 : is(at, "translate") || is(at, "scale") ? 3
                                                          : 0;

    if (wanted == 0)
        return 0;
    if (numbers(at, x, 16) != wanted)
        return -1;
    memset(out, 0, sizeof *out);
    if (wanted == 16)
        memcpy(out->m, x, sizeof out->m);
    else if (wanted == 4)
        *out = turn(x, x[3]);
    for (int i = 0; i < 3 && wanted == 3; i++) {
        out->m[5 * i] = is(at, "scale") ? x[i] : 1.0;
        out->m[4 * i + 3] = is(at, "scale") ? 0.0 : x[i];
    }
    return 1;
}

static int add_point(cloud *c, const place *p, const double *x)
{
    if (c->count + 3 > c->capacity) {
        size_t more = 2 * c->capacity + 384;
        double *grown = perp_robot_take(c->job, more, sizeof *grown);
        if (grown == NULL)
            return -1;
        if (c->count > 0)
            memcpy(grown, c->x, c->count * sizeof *grown);
        c->x = grown;
        c->capacity = more;
    }
    for (int i = 0; i < 3; i++, c->count++) {
        c->x[c->count] = p->m[4 * i + 3];
        for (int k = 0; k < 3; k++)
            c->x[c->count] += p->m[4 * i + k] * x[k];
    }
    return 0;
}

/* The numbers that the positions of a mesh are made of. */
static int add_source(cloud *c, const place *p, const xmlNode *source)
{
    const xmlNode *array = child_of(source, "float_array");
    const xmlNode *accessor = child_of(child_of(source, "technique_common"), "accessor");
    const char *text = accessor != NULL ? word(accessor, "stride") : NULL;
    double stride = 3.0, *x;
    int most, count;

    if (array == NULL)
        return 0;
    if (text != NULL &&
        (perp_number_read(text, &stride) == NULL || !(stride >= 3.0 && stride < 64.0)))
        return c->why = "a stride of positions that is none", 1;
    most = array->children != NULL && array->children->content != NULL
               ? (int)(strlen((const char *)array->children->content) / 2 + 1)
               : 0;
    if (most > 3 * MOST_POINTS)
        return c->why = "too many points", 1;
    x = perp_robot_take(c->job, (size_t)most + 1, sizeof *x);
    if (x == NULL)
        return -1;
    count = numbers(array, x, most);
    if (count < 0)
        return c->why = "a position that is no number", 1;
    if (c->count + (size_t)count > 3 * (size_t)MOST_POINTS)
        return c->why = "too many points", 1;
    for (int k = 0; k + 2 < count; k += (int)stride)
        if (add_point(c, p, x + k) != 0)
            return -1;
    return 0;
}

static int add_geometry(cloud *c, const place *p, const xmlNode *geometry)
{
    const xmlNode *mesh = child_of(geometry, "mesh"), *input = NULL;

    if (mesh == NULL)
        return 0;
    for (input = child_of(child_of(mesh, "vertices"), "input"); input != NULL;
         input = input->next) {
        const char *means = is(input, "input") ? word(input, "semantic") : NULL;
        const xmlNode *source;
        int bad;
        if (means == NULL || strcmp(means, "POSITION") != 0)
            continue;
        source = refer(c, input, "source", "source");
        bad = source != NULL ? add_source(c, p, source) : 0;
        if (bad != 0)
            return bad;
    }
    return 0;
}

static int add_node(cloud *c, place p, const xmlNode *node)
{
    int bad = 0;

    if (++c->depth > MOST_DEEP)
        return c->why = "nodes in each other too deep", 1;
    if (++c->places > MOST_PLACES || c->steps >= MOST_STEPS)
        return c->why = "too many nodes", 1;
    for (const xmlNode *at = node->children; at != NULL && bad == 0; at = at->next) {
        place own;
        int some = transformation(&own, at);
        if (some < 0)
            return c->why = "a transformation that is none", 1;
        if (some > 0) {
            p = product(&p, &own);
        } else if (is(at, "node")) {
            bad = add_node(c, p, at);
        } else if (is(at, "instance_geometry") || is(at, "instance_node")) {
            int shape = is(at, "instance_geometry");
            const xmlNode *to = refer(c, at, "url", shape ? "geometry" : "node");
            if (to != NULL)
                bad = shape ? add_geometry(c, &p, to) : add_node(c, p, to);
        }
    }
    c->depth--;
    return bad;
}

/* The scene, or all meshes of a file that has none. */
static int add_scene(cloud *c)
{
    const xmlNode *unit = child_of(child_of(c->root, "asset"), "unit"), *scene, *list;
    const char *metres = unit != NULL ? word(unit, "meter") : NULL;
    double size = 1.0;
    place p = {{0.0}};
    int bad = 0;

    if (metres != NULL && (perp_number_read(metres, &size) == NULL || !(size > 0.0)))
        return c->why = "a unit of length that is none", 1;
    for (int i = 0; i < 3; i++)
        p.m[5 * i] = size;
    scene = child_of(child_of(c->root, "scene"), "instance_visual_scene");
    scene = scene != NULL ? refer(c, scene, "url", "visual_scene")
                          : child_of(child_of(c->root, "library_visual_scenes"), "visual_scene");
    if (scene != NULL)
        return add_node(c, p, scene);
    list = child_of(c->root, "library_geometries");
    for (const xmlNode *at = list != NULL ? list->children : NULL; at != NULL && bad == 0;
         at = at->next)
        if (is(at, "geometry"))
            bad = add_geometry(c, &p, at);
    return bad;
}

/* Those points alone that the hull has. */
static int keep_hull(cloud *c, perp_robot_mesh *mesh)
{
    int n = (int)(c->count / 3), triangles = 0, kept = 0;
    int *corner = perp_robot_take(c->job, 6 * (size_t)n + 12, sizeof *corner);
    int *used = perp_robot_take(c->job, (size_t)n, sizeof *used);

    if (corner == NULL || used == NULL)
        return -1;
    if (perp_hull_triangles(c->x, n, corner, &triangles, NULL) == PERP_SOLVED) {
        for (int k = 0; k < 3 * triangles; k++)
            used[corner[k]] = 1;
        for (int k = 0; k < n; k++)
            if (used[k])
                memmove(c->x + 3 * (size_t)kept++, c->x + 3 * (size_t)k, 3 * sizeof *c->x);
        n = kept;
    }
    mesh->points = c->x;
    mesh->npoints = n;
    return 0;
}

int perp_robot_read_collada(perp_robot_job *job, perp_robot_mesh *mesh, const char *bytes,
                            size_t size, const char **why)
{
    xmlDoc *doc = xmlReadMemory(bytes, (int)size, NULL, NULL,
                                XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING);
    cloud c = {.job = job, .root = doc != NULL ? xmlDocGetRootElement(doc) : NULL};
    int bad = 1;

    if (c.root == NULL || doc->intSubset != NULL || !is(c.root, "COLLADA"))
        c.why = "no COLLADA";
    else
        bad = add_scene(&c);
    xmlFreeDoc(doc);
    if (bad == 0 && c.count < 12) {
        c.why = "no mesh in it";
        bad = 1;
    }
    for (size_t k = 0; k < c.count && bad == 0; k++)
        c.x[k] *= mesh->scale[k % 3];
    *why = c.why;
    return bad != 0 ? bad : keep_hull(&c, mesh);
}
