/* SPDX-License-Identifier: BSD-3-Clause */
#include "scene/robots/mjcf.h"

#include <math.h>
#include <string.h>

#include <perp/rotation.h>

#include "scene/robots/search_path.h"

/* Puts the children of another file in the place of <include>. */
static int splice(perp_robot_job *job, perp_xml *up, perp_xml **slot, perp_xml *include,
                  const char *folder, int depth)
{
    const char *file = perp_xml_get(include, "file");
    const char *path;
    perp_xml *root, *last = NULL;

    if (file == NULL)
        return perp_robot_fail(job, include, "no file is named");
    if (++job->files > PERP_ROBOT_MOST_FILES)
        return perp_robot_fail(job, include, "more than %d files", PERP_ROBOT_MOST_FILES);
    path = perp_robot_find_file(job, file, folder, include);
    file = path != NULL ? perp_robot_shown_path(job, path) : NULL;
    root = file != NULL ? perp_xml_read(job, path, file) : NULL;
    if (root == NULL)
        return -1;
    if (!perp_xml_is(root, "mujoco") && !perp_xml_is(root, "mujocoinclude"))
        return perp_robot_fail(job, root, "the file that is included begins with another element");
    if (perp_mjcf_include(job, root, folder, depth + 1) != 0)
        return -1;
    for (perp_xml *child = root->first; child != NULL; child = child->next) {
        child->up = up;
        last = child;
    }
    if (last == NULL) {
        *slot = include->next;
    } else {
        *slot = root->first;
        last->next = include->next;
    }
    return 0;
}

int perp_mjcf_include(perp_robot_job *job, perp_xml *root, const char *folder, int depth)
{
    perp_xml **slot = &root->first;

    if (depth > 16)
        return perp_robot_fail(job, root, "files include each other more than 16 deep");
    while (*slot != NULL) {
        perp_xml *child = *slot;
        if (perp_xml_is(child, "include")) {
            perp_xml *after = child->next;
            if (splice(job, root, slot, child, folder, depth) != 0)
                return -1;
            while (*slot != after)
                slot = &(*slot)->next;
            continue;
        }
        if (child->first != NULL && perp_mjcf_include(job, child, folder, depth) != 0)
            return -1;
        slot = &child->next;
    }
    return 0;
}

enum { MOST_DEFAULTS = 2000 };

static const char of_defaults[] =
    "default mesh material joint geom site camera light pair equality tendon general motor "
    "position "
    "velocity intvelocity damper cylinder muscle adhesion dcmotor plugin";

static int add_class(perp_mjcf *m, const perp_xml *at, const perp_mjcf_class *up)
{
    const char *name = perp_xml_get(at, "class");
    perp_mjcf_class **slot, *made;

    if (name == NULL && up != NULL)
        return perp_robot_fail(m->job, at, "a class inside another one has no name");
    name = name != NULL ? name : "main";
    if (perp_name_index_find(&m->class_index, name) >= 0)
        return perp_robot_fail(m->job, at, "the class '%.80s' is there twice", name);
    made = perp_robot_take(m->job, 1, sizeof *made);
    slot = perp_robot_add(m->job, (void **)&m->classes, &m->nclasses, &m->classes_capacity,
                          sizeof *slot);
    if (made == NULL || slot == NULL ||
        perp_name_index_put(&m->class_index, m->job, name, m->nclasses - 1) != 0)
        return -1;
    *slot = made;
    made->name = name;
    made->up = up;
    made->at = at;
    for (const perp_xml *child = at->first; child != NULL; child = child->next) {
        if (++m->defaults > MOST_DEFAULTS)
            return perp_robot_fail(m->job, child, "more than %d defaults", MOST_DEFAULTS);
        for (const perp_xml_attribute *a = child->attributes; a != NULL; a = a->next)
            if (strncmp(a->name, "solref", 6) == 0 || strncmp(a->name, "solimp", 6) == 0)
                perp_mjcf_note_soft(m, child);
        if (!perp_mjcf_is_listed(of_defaults, child->name))
            perp_robot_missing(m->job, child, "this element");
        if (perp_xml_is(child, "default") && add_class(m, child, made) != 0)
            return -1;
    }
    return 0;
}

int perp_mjcf_read_classes(perp_mjcf *m)
{
    static const perp_xml nothing = {.name = "default"};
    perp_xml *top = perp_xml_child(m->root, "default", NULL), *more = top;

    /* Several sections are one. */
    while (more != NULL && (more = perp_xml_child(m->root, "default", more)) != NULL) {
        perp_xml **end = &top->first;
        while (*end != NULL)
            end = &(*end)->next;
        *end = more->first;
        more->first = NULL;
    }
    if (add_class(m, top != NULL ? top : &nothing, NULL) != 0)
        return -1;
    for (int k = 0; k < m->nparts; k++)
        if (add_class(m, m->parts[k].defaults, NULL) != 0)
            return -1;
    return 0;
}

const perp_mjcf_class *perp_mjcf_class_of(perp_mjcf *m, const perp_xml *at,
                                          const perp_mjcf_class *childclass)
{
    const char *name = perp_xml_get(at, "class");

    if (name == NULL && childclass != NULL)
        return childclass;
    if (name == NULL)
        name = at->part > 0 ? m->parts[at->part - 1].main_class : m->classes[0]->name;
    if (perp_name_index_find(&m->class_index, name) >= 0)
        return m->classes[perp_name_index_find(&m->class_index, name)];
    perp_robot_fail(m->job, at, "there is no class '%.80s'", name);
    return NULL;
}

int perp_mjcf_is_listed(const char *list, const char *word)
{
    size_t length = strlen(word);

    for (const char *c = list; *c != '\0'; c += strcspn(c, " ")) {
        c += strspn(c, " ");
        if (strncmp(c, word, length) == 0 && (c[length] == ' ' || c[length] == '\0'))
            return 1;
    }
    return 0;
}

/* Defaults of one kind of actuator are those of every kind, but for what makes up the kind. */
static const char actuators[] =
    "general motor position velocity intvelocity orientation pid damper "
    "cylinder muscle adhesion dcmotor plugin";
static const char of_one_kind[] =
    "kp kv dampratio timeconst dyntype gaintype biastype dynprm gainprm biasprm input inheritrange "
    "area diameter bias range force scale lmin lmax vmax fpmax fvmax gain";

static int is_default_of(const perp_xml *one, const char *tag, const char *attribute)
{
    return perp_xml_is(one, tag) ||
           (perp_mjcf_is_listed(actuators, tag) && perp_mjcf_is_listed(actuators, one->name) &&
            !perp_mjcf_is_listed(of_one_kind, attribute));
}

const char *perp_mjcf_get(const perp_xml *at, const perp_mjcf_class *from, const char *tag,
                          const char *attribute)
{
    const char *found = perp_xml_get(at, attribute);

    tag = tag != NULL ? tag : at->name;
    for (; found == NULL && from != NULL; from = from->up)
        for (const perp_xml *one = from->at->first; one != NULL; one = one->next) {
            const char *value = perp_xml_get(one, attribute);
            if (value != NULL && is_default_of(one, tag, attribute))
                found = value;
        }
    return found;
}

int perp_mjcf_numbers(const perp_mjcf_reader *r, const char *attribute, double *values, int most)
{
    const char *text = perp_mjcf_get(r->at, r->from, r->tag, attribute);

    return text == NULL ? 0 : perp_xml_numbers(r->m->job, values, most, r->at, attribute, text);
}

int perp_mjcf_exactly(const perp_mjcf_reader *r, const char *attribute, double *values, int n)
{
    double read[16];
    int count = perp_mjcf_numbers(r, attribute, read, n);

    if (count < 0)
        return -1;
    if (count != n && perp_mjcf_get(r->at, r->from, r->tag, attribute) != NULL)
        return perp_robot_fail(r->m->job, r->at, "%s: %d numbers are expected, %d given", attribute,
                               n, count);
    if (count == n)
        memcpy(values, read, (size_t)n * sizeof *values);
    return count;
}

static int read_word(const perp_mjcf_reader *r, const char *attribute, const char *const *words)
{
    const char *text = perp_mjcf_get(r->at, r->from, r->tag, attribute);

    for (int k = 0; text != NULL && words[k] != NULL; k++)
        if (strcmp(words[k], text) == 0)
            return k;
    if (text != NULL)
        perp_robot_fail(r->m->job, r->at, "%s: '%.60s' is not known", attribute, text);
    return text != NULL ? -2 : -1;
}

int perp_mjcf_flag(const perp_mjcf_reader *r, const char *attribute, int *value)
{
    static const char *const words[] = {"false", "true", NULL};
    int read = read_word(r, attribute, words);

    if (read >= 0)
        *value = read;
    return read == -2 ? -1 : 0;
}

int perp_mjcf_limited(const perp_mjcf_reader *r, const char *attribute, int *value)
{
    static const char *const words[] = {"false", "true", "auto", NULL};
    int read = read_word(r, attribute, words);

    *value = read == 0 || read == 1 ? read : -1;
    return read == -2 ? -1 : 0;
}

/* Angles about axes of the frame that turns (small letters) or of the one around it. */
static void from_euler(double *q, const perp_mjcf_settings *s, const double *angle)
{
    perp_pose out = perp_pose_identity();

    for (int k = 0; k < 3; k++) {
        int letter = s->sequence[k] | 32, moves = s->sequence[k] >= 'a';
        double axis[3] = {letter == 'x', letter == 'y', letter == 'z'};
        perp_pose one = perp_pose_identity();
        perp_turn_about(one.q, axis, angle[k] * s->radians);
        out = moves ? perp_pose_product(&out, &one) : perp_pose_product(&one, &out);
    }
    memcpy(q, out.q, sizeof out.q);
}

int perp_mjcf_orientation(const perp_mjcf_reader *r, double *q)
{
    static const char *const words[] = {"quat", "axisangle", "euler", "xyaxes", "zaxis"};
    static const int sizes[] = {4, 4, 3, 6, 3};
    double x[6] = {0.0};
    int which = -1;

    for (int k = 0; k < 5; k++)
        if (perp_xml_get(r->at, words[k]) != NULL) {
            if (which >= 0)
                return perp_robot_fail(r->m->job, r->at, "%s and %s are both given", words[which],
                                       words[k]);
            which = k;
        }
    for (int k = 0; k < 5 && which < 0; k++)
        if (perp_mjcf_get(r->at, r->from, r->tag, words[k]) != NULL)
            which = k;
    if (which < 0)
        return 0;
    if (perp_mjcf_exactly(r, words[which], x, sizes[which]) < 0)
        return -1;
    if (which == 2) {
        from_euler(q, perp_mjcf_settings_of(r->m, r->at), x);
        return 0;
    }
    if ((which == 3 && perp_turn_from_xy(q, x, x + 3) != 0) ||
        (which != 3 && x[0] == 0.0 && x[1] == 0.0 && x[2] == 0.0 && (which != 0 || x[3] == 0.0)))
        return perp_robot_fail(r->m->job, r->at, "%s: no direction", words[which]);
    if (which == 0) {
        memcpy(q, x, 4 * sizeof *q);
        (void)perp_quaternion_normalise(q);
    } else if (which == 1) {
        perp_turn_about(q, x, x[3] * perp_mjcf_settings_of(r->m, r->at)->radians);
    } else if (which == 4) {
        perp_turn_from_z(q, x);
    }
    return 0;
}

int perp_mjcf_pose(const perp_mjcf_reader *r, perp_pose *pose)
{
    *pose = perp_pose_identity();
    return perp_mjcf_exactly(r, "pos", pose->p, 3) < 0 ? -1 : perp_mjcf_orientation(r, pose->q);
}

void perp_mjcf_note_soft(perp_mjcf *m, const perp_xml *at)
{
    if (m->soft == NULL)
        m->soft = at;
}

static void check(perp_mjcf *m, const perp_xml *at, perp_xml_attribute *a, const char *read,
                  const char *harmless)
{
    if (strncmp(a->name, "solref", 6) == 0 || strncmp(a->name, "solimp", 6) == 0) {
        perp_mjcf_note_soft(m, at);
    } else if (strcmp(a->name, "margin") == 0 && a->value[strspn(a->value, " \t\n")] == '-' &&
               strpbrk(a->value, "123456789") != NULL &&
               (perp_xml_is(at, "geom") || perp_xml_is(at, "pair"))) {
        return; /* shapes that may overlap: read with their friction */
    } else if (strcmp(a->name, "margin") == 0 || strcmp(a->name, "gap") == 0) {
        if (m->thick == NULL && strpbrk(a->value, "123456789") != NULL)
            m->thick = at;
    } else if (!perp_mjcf_is_listed(read, a->name) && !perp_mjcf_is_listed(harmless, a->name) &&
               !a->told) {
        perp_robot_missing(m->job, at, "%.60s", a->name);
        a->told = 1;
    }
}

void perp_mjcf_check(const perp_mjcf_reader *r, const char *read, const char *harmless)
{
    const char *tag = r->tag != NULL ? r->tag : r->at->name;

    for (perp_xml_attribute *a = r->at->attributes; a != NULL; a = a->next)
        check(r->m, r->at, a, read, harmless);
    for (const perp_mjcf_class *from = r->from; from != NULL; from = from->up)
        for (const perp_xml *one = from->at->first; one != NULL; one = one->next)
            for (perp_xml_attribute *a = one->attributes; a != NULL; a = a->next)
                if (is_default_of(one, tag, a->name))
                    check(r->m, one, a, read, harmless);
}

const char *perp_mjcf_name(perp_mjcf *m, const perp_xml *at, const char *suffix, const char *prefix,
                           int number)
{
    const char *name = perp_xml_get(at, "name");

    if (name == NULL || name[0] == '\0')
        return perp_robot_text(m->job, "%s-%d", prefix, number);
    return suffix[0] == '\0' ? name : perp_robot_text(m->job, "%s%s", name, suffix);
}

int perp_mjcf_restitution(const perp_mjcf_reader *r, const char *attribute, double *e)
{
    static const double pi = 3.14159265358979323846;
    double soft[2] = {0.02, 1.0}, ratio;
    int count = perp_mjcf_numbers(r, attribute, soft, 2);

    *e = 0.0;
    if (count < 2)
        return count < 0 ? -1 : 0;
    /* (time constant, damping ratio), or both negative: (-stiffness, -damping) of a unit mass. */
    ratio = soft[0] > 0.0 ? soft[1] : -0.5 * soft[1] / sqrt(-soft[0]);
    if (ratio < 1.0 && ratio >= 0.0)
        *e = exp(-pi * ratio / sqrt(1.0 - ratio * ratio));
    return 0;
}
