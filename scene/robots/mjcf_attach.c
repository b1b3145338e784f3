/* SPDX-License-Identifier: BSD-3-Clause */
/* <attach>: a body of another model, or all of its world, in the place of the element.  What refers
 * to it comes along; names get the prefix; classes and the compiler settings are those of its file.
 */
#include <string.h>

#include "scene/robots/mjcf.h"
#include "scene/robots/search_path.h"

enum { MOST_DEEP = 16 };

typedef struct child {
    perp_mjcf *m;
    const perp_xml *at; /* the <attach> */
    perp_xml *root;
    const char *prefix, *folder, *main, *main_name; /* main: its outermost class, and here */
    int part, first_part;
    int whole;             /* all of its world */
    perp_name_index names; /* "kind name" of what is taken */
} child;

/* Letters of kinds; o: of any body, shape, site or joint. */
static const struct {
    const char *attribute, *kind;
} references[] = {
    {"joint", "j"},      {"joint1", "j"},     {"joint2", "j"},    {"jointinparent", "j"},
    {"body", "b"},       {"body1", "b"},      {"body2", "b"},     {"geom", "g"},
    {"geom1", "g"},      {"geom2", "g"},      {"site", "s"},      {"site1", "s"},
    {"site2", "s"},      {"sidesite", "s"},   {"refsite", "s"},   {"cranksite", "s"},
    {"slidersite", "s"}, {"tendon", "t"},     {"tendon1", "t"},   {"tendon2", "t"},
    {"actuator", "a"},   {"objname", "bgsj"}, {"refname", "bgsj"}};
static const char names_of_assets[] = "mesh hfield material texture target";
enum { REFERENCES = sizeof references / sizeof references[0] };

static char kind_of(const perp_xml *at)
{
    static const struct {
        const char *name;
        char kind;
    } kinds[] = {{"joint", 'j'}, {"freejoint", 'j'}, {"body", 'b'},   {"geom", 'g'},
                 {"site", 's'},  {"fixed", 't'},     {"spatial", 't'}};

    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
        if (perp_xml_is(at, kinds[k].name))
            return kinds[k].kind;
    return 'a';
}

static int note_name(child *c, const perp_xml *at, char kind)
{
    const char *name = perp_xml_get(at, "name");
    const char *key = name != NULL ? perp_robot_text(c->m->job, "%c %s", kind, name) : NULL;

    if (name == NULL)
        return 0;
    return key != NULL ? perp_name_index_put(&c->names, c->m->job, key, 0) : -1;
}

static int note_names(child *c, const perp_xml *at)
{
    if (note_name(c, at, kind_of(at)) != 0)
        return -1;
    for (const perp_xml *below = at->first; below != NULL; below = below->next)
        if (note_names(c, below) != 0)
            return -1;
    return 0;
}

static int is_taken(child *c, const char *kinds, const char *name)
{
    if (strcmp(name, "world") == 0 && strchr(kinds, 'b') != NULL)
        return 1;
    for (; *kinds != '\0'; kinds++) {
        const char *key = perp_robot_text(c->m->job, "%c %s", *kinds, name);
        if (key != NULL && perp_name_index_find(&c->names, key) >= 0)
            return 1;
    }
    return 0;
}

/* Whether all that an element refers to is taken. */
static int belongs(child *c, const perp_xml *at)
{
    for (int k = 0; k < REFERENCES && !c->whole; k++) {
        const char *name = perp_xml_get(at, references[k].attribute);
        if (name != NULL && !is_taken(c, references[k].kind, name))
            return 0;
    }
    for (const perp_xml *below = at->first; below != NULL; below = below->next)
        if (!belongs(c, below))
            return 0;
    return 1;
}

static int is_name(const char *attribute)
{
    for (int k = 0; k < REFERENCES; k++)
        if (strcmp(references[k].attribute, attribute) == 0)
            return 1;
    return strcmp(attribute, "name") == 0 || perp_mjcf_is_listed(names_of_assets, attribute);
}

static int rename_all(const child *c, perp_xml *at)
{
    for (perp_xml_attribute *a = at->attributes; a != NULL; a = a->next) {
        int class = strcmp(a->name, "class") == 0 || strcmp(a->name, "childclass") == 0;
        if (class && strcmp(a->value, c->main) == 0 && at->part == c->part)
            a->value = c->main_name;
        else if (class || (is_name(a->name) && strcmp(a->value, "world") != 0))
            a->value = perp_robot_text(c->m->job, "%s%s", c->prefix, a->value);
        if (a->value == NULL)
            return -1;
    }
    for (perp_xml *below = at->first; below != NULL; below = below->next)
        if (rename_all(c, below) != 0)
            return -1;
    return 0;
}

static void set_part(perp_xml *at, int part)
{
    if (at->part == 0)
        at->part = part;
    for (perp_xml *below = at->first; below != NULL; below = below->next)
        set_part(below, part);
}

static perp_xml *new_element(child *c, const char *name)
{
    perp_xml *made = perp_robot_take(c->m->job, 1, sizeof *made);

    if (made == NULL)
        return NULL;
    made->name = name;
    made->file = c->at->file;
    made->line = c->at->line;
    made->part = c->part;
    return made;
}

int perp_mjcf_add_attribute(perp_mjcf *m, perp_xml *at, const char *name, const char *value)
{
    perp_xml_attribute *made = perp_robot_take(m->job, 1, sizeof *made);

    if (made == NULL || value == NULL)
        return -1;
    made->name = name;
    made->value = value;
    made->next = at->attributes;
    at->attributes = made;
    return 0;
}

/* Meshes are called by their files where they have no name. */
static int name_assets(child *c)
{
    for (perp_xml *section = NULL; (section = perp_xml_child(c->root, "asset", section)) != NULL;)
        for (perp_xml *at = section->first; at != NULL; at = at->next) {
            const char *file = perp_xml_get(at, "file"), *name;
            if (file == NULL || perp_xml_get(at, "name") != NULL)
                continue;
            name = perp_robot_base_name(c->m->job, file);
            if (name == NULL || perp_mjcf_add_attribute(c->m, at, "name", name) != 0)
                return -1;
        }
    return 0;
}

/* The sections <default> of the file as one class of its own. */
static int take_defaults(child *c)
{
    perp_xml *made = new_element(c, "default"), **end;

    if (made == NULL)
        return -1;
    c->main = "main";
    end = &made->first;
    for (perp_xml *one = NULL; (one = perp_xml_child(c->root, "default", one)) != NULL;) {
        const char *name = perp_xml_get(one, "class");
        c->main = name != NULL ? name : c->main;
        *end = one->first;
        while (*end != NULL)
            end = &(*end)->next;
        one->first = NULL;
    }
    c->main_name = perp_robot_text(c->m->job, "%smain.%d", c->prefix, c->part);
    c->m->parts[c->part - 1].defaults = made;
    c->m->parts[c->part - 1].main_class = c->main_name;
    return c->main_name != NULL ? perp_mjcf_add_attribute(c->m, made, "class", c->main) : -1;
}

static perp_xml *find_body(perp_xml *at, const char *name)
{
    for (perp_xml *below = at->first; below != NULL; below = below->next) {
        const char *own = perp_xml_is(below, "body") ? perp_xml_get(below, "name") : NULL;
        perp_xml *found = own != NULL && strcmp(own, name) == 0 ? below : find_body(below, name);
        if (found != NULL)
            return found;
    }
    return NULL;
}

static const char *class_around(const child *c, const perp_xml *at)
{
    for (; at != NULL; at = at->up)
        if (perp_xml_get(at, "childclass") != NULL)
            return perp_xml_get(at, "childclass");
    return c->main;
}

/* Elements in a frame with the class that they had. */
static perp_xml *wrap(child *c, perp_xml *first, const char *class)
{
    perp_xml *frame = new_element(c, "frame");

    if (frame == NULL || perp_mjcf_add_attribute(c->m, frame, "childclass", class) != 0)
        return NULL;
    frame->first = first;
    for (perp_xml *at = first; at != NULL; at = at->next) {
        at->up = frame;
        frame->last = at;
    }
    return frame;
}

/* What goes in the place of <attach>: a frame; NULL after a failure.  A body has the place that it
 * has in what it stands in, frames around it left out, as in MuJoCo. */
static perp_xml *take_body(child *c, const char *name)
{
    perp_xml *world = NULL, *body = NULL;

    c->whole = name == NULL || strcmp(name, "world") == 0;
    while (body == NULL && (world = perp_xml_child(c->root, "worldbody", world)) != NULL)
        body = c->whole ? world : find_body(world, name);
    if (body == NULL) {
        perp_robot_fail(c->m->job, c->at, "the model has no body '%.80s'",
                        name != NULL ? name : "world");
        return NULL;
    }
    if (c->whole)
        return wrap(c, body->first, c->main);
    if (note_names(c, body) != 0)
        return NULL;
    world = body->up;
    body->next = NULL;
    return wrap(c, body, class_around(c, world));
}

/* Sections of the file with what belongs to the body, at the end of the model. */
static int take_sections(child *c, perp_xml *to)
{
    static const char *const sections[] = {"asset",    "contact", "tendon",  "equality",
                                           "actuator", "sensor",  "keyframe"};
    perp_xml **end = &to->first;

    while (*end != NULL)
        end = &(*end)->next;
    for (int s = 0; s < 7; s++)
        for (perp_xml *old = NULL; (old = perp_xml_child(c->root, sections[s], old)) != NULL;) {
            perp_xml *made = new_element(c, sections[s]), **last;
            if (made == NULL)
                return -1;
            made->up = to;
            last = &made->first;
            for (perp_xml *at = old->first, *next; at != NULL; at = next) {
                next = at->next;
                if (perp_xml_is(at, "model") || (s > 0 && !belongs(c, at)))
                    continue;
                if ((s == 2 || s == 4) && note_name(c, at, kind_of(at)) != 0)
                    return -1;
                at->up = made;
                at->next = NULL;
                *last = at;
                last = &at->next;
            }
            if (rename_all(c, made) != 0)
                return -1;
            *end = made;
            end = &made->next;
        }
    return 0;
}

/* "DIR/FILE" without FILE, below the folder of the model that names it. */
static const char *folder_of(perp_robot_job *job, const char *folder, const char *file)
{
    const char *slash = strrchr(file, '/');

    if (slash == NULL)
        return folder;
    return folder != NULL && file[0] != '/'
               ? perp_robot_text(job, "%s/%.*s", folder, (int)(slash - file), file)
               : perp_robot_text(job, "%.*s", (int)(slash - file), file);
}

/* NULL: it is not there, or after a failure. */
static perp_xml *read_model(perp_mjcf *m, const perp_xml *asset, const char *folder)
{
    const char *file = perp_xml_get(asset, "file"), *path;
    perp_xml *root;
    int outside;

    if (file == NULL) {
        perp_robot_fail(m->job, asset, "no file is named");
        return NULL;
    }
    if (++m->job->files > PERP_ROBOT_MOST_FILES) {
        perp_robot_fail(m->job, asset, "more than %d files", PERP_ROBOT_MOST_FILES);
        return NULL;
    }
    path = perp_robot_look_beside(m->job, file, folder, asset, &outside);
    if (path == NULL && m->job->status == PERP_SOLVED)
        perp_robot_missing(m->job, asset, "'%.200s' is %s the search path", file,
                           outside ? "outside of" : "not found in");
    file = path != NULL ? perp_robot_shown_path(m->job, path) : NULL;
    root = file != NULL ? perp_xml_read(m->job, path, file) : NULL;
    if (root != NULL && !perp_xml_is(root, "mujoco")) {
        perp_robot_fail(m->job, root, "the model that is attached is no MJCF");
        return NULL;
    }
    return root;
}

/* The model of this name, which is its own where <model> gives none. */
static perp_xml *find_model(perp_mjcf *m, const perp_xml *root, const perp_xml *attach,
                            const char *folder, const perp_xml **asset)
{
    const char *wanted = perp_xml_get(attach, "model");
    const perp_xml *section = NULL, *at;

    while (wanted != NULL && (section = perp_xml_child(root, "asset", section)) != NULL)
        for (at = NULL; (at = perp_xml_child(section, "model", at)) != NULL;) {
            const char *name = perp_xml_get(at, "name");
            perp_xml *read = NULL;
            if (name == NULL && (read = read_model(m, at, folder)) == NULL)
                return NULL;
            name = name != NULL ? name : perp_xml_get(read, "model");
            if (name == NULL || strcmp(name, wanted) != 0)
                continue;
            *asset = at;
            perp_mjcf_check(&(perp_mjcf_reader){m, at, NULL, NULL}, "name file", "content_type");
            return read != NULL ? read : read_model(m, at, folder);
        }
    perp_robot_fail(m->job, attach, "there is no model '%.80s'", wanted != NULL ? wanted : "");
    return NULL;
}

static int read_part(child *c, int depth)
{
    perp_mjcf *m = c->m;
    perp_mjcf_part *part;

    if (perp_mjcf_include(m->job, c->root, c->folder, 0) != 0)
        return -1;
    c->first_part = m->nparts;
    if (perp_mjcf_attach(m, c->root, c->folder, depth + 1) != 0)
        return -1;
    part = perp_robot_add(m->job, (void **)&m->parts, &m->nparts, &m->parts_capacity, sizeof *part);
    if (part == NULL)
        return -1;
    c->part = m->nparts;
    set_part(c->root, c->part);
    part->first = c->first_part;
    return perp_mjcf_read_settings(m, c->root, c->folder, &part->settings) != 0 ||
                   name_assets(c) != 0
               ? -1
               : take_defaults(c);
}

static int attach_one(perp_mjcf *m, perp_xml *root, perp_xml **slot, const char *folder, int depth)
{
    perp_xml *at = *slot, *frame;
    const perp_xml *asset = NULL;
    const char *prefix = perp_xml_get(at, "prefix");
    child c;

    memset(&c, 0, sizeof c);
    c.m = m;
    c.at = at;
    c.prefix = prefix != NULL ? prefix : "";
    if (depth > MOST_DEEP)
        return perp_robot_fail(m->job, at, "models hang on each other more than %d deep",
                               MOST_DEEP);
    perp_mjcf_check(&(perp_mjcf_reader){m, at, NULL, NULL}, "model body prefix", "");
    c.root = find_model(m, root, at, folder, &asset);
    if (c.root == NULL && m->job->status == PERP_SOLVED)
        *slot = at->next;
    if (c.root == NULL)
        return m->job->status == PERP_SOLVED ? 0 : -1;
    c.folder = folder_of(m->job, folder, perp_xml_get(asset, "file"));
    if (m->job->status != PERP_SOLVED || read_part(&c, depth) != 0 ||
        (frame = take_body(&c, perp_xml_get(at, "body"))) == NULL || rename_all(&c, frame) != 0 ||
        take_sections(&c, root) != 0)
        return -1;
    for (int k = c.first_part; k < m->nparts; k++)
        if (rename_all(&c, m->parts[k].defaults) != 0)
            return -1;
    for (int k = c.first_part; k + 1 < m->nparts; k++)
        m->parts[k].main_class = perp_xml_get(m->parts[k].defaults, "class");
    frame->up = at->up;
    frame->next = at->next;
    *slot = frame;
    return 0;
}

static int attach_below(perp_mjcf *m, perp_xml *root, perp_xml *up, const char *folder, int depth)
{
    for (perp_xml **slot = &up->first, *at; (at = *slot) != NULL;) {
        int bad =
            perp_xml_is(at, "attach") ? attach_one(m, root, slot, folder, depth)
            : perp_xml_is(at, "body") || perp_xml_is(at, "frame") || perp_xml_is(at, "replicate")
                ? attach_below(m, root, at, folder, depth)
                : 0;
        if (bad != 0)
            return -1;
        if (*slot != at->next || !perp_xml_is(at, "attach"))
            slot = &(*slot)->next; /* not past what comes behind one that was left out */
    }
    return 0;
}

int perp_mjcf_attach(perp_mjcf *m, perp_xml *root, const char *folder, int depth)
{
    for (perp_xml *at = NULL; (at = perp_xml_child(root, "worldbody", at)) != NULL;)
        if (attach_below(m, root, at, folder, depth) != 0)
            return -1;
    return 0;
}
