/* SPDX-License-Identifier: BSD-3-Clause */
/* What other programs call the words of a scene. */
#include "scene/node.h"

#include <perp/base.h>

#include <string.h>

/* Without case, hyphens and underscores.  A word may stand for several: that of the list counts. */
static const struct {
    const char *other, *here;
} names[] = {
    {"angularvelocity", "angular"},
    {"ball", "sphere"},
    {"ball", "point"},
    {"bounce", "e"},
    {"center", "position"},
    {"convex", "hull"},
    {"convexhull", "hull"},
    {"cube", "box"},
    {"dt", "step"},
    {"duration", "until"},
    {"end", "until"},
    {"floor", "plane"},
    {"friction", "mu"},
    {"frictioncoefficient", "mu"},
    {"ground", "plane"},
    {"halfspace", "plane"},
    {"heightmap", "height-field"},
    {"hinge", "pivot"},
    {"h", "step"},
    {"iterations", "max_iter"},
    {"maxiterations", "max_iter"},
    {"mesh", "surface"},
    {"omega", "angular"},
    {"orientation", "quaternion"},
    {"origin", "anchor"},
    {"pos", "position"},
    {"range", "limits"},
    {"restitution", "e"},
    {"revolute", "pivot"},
    {"rollingfriction", "rolling"},
    {"rotational", "pivot"},
    {"size", "sides"},
    {"slider", "prismatic"},
    {"sliding", "prismatic"},
    {"spherical", "point"},
    {"static", "fixed"},
    {"terrain", "height-field"},
    {"timestep", "step"},
    {"tmax", "until"},
    {"tolerance", "tol"},
    {"torsionalfriction", "torsion"},
    {"translational", "prismatic"},
    {"vel", "velocity"},
    {"weld", "fixed"},
    /* types of relations */
    {"ball", "joint"},
    {"hinge", "joint"},
    {"point", "joint"},
    {"pivot", "joint"},
    {"prismatic", "joint"},
    {"revolute", "joint"},
    {"rod", "distance"},
    {"rope", "distance"},
    {"slider", "joint"},
    {"spherical", "joint"},
    {"string", "distance"},
    {"weld", "joint"},
};

static char bare(char c)
{
    return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

static int is_same(const char *word, const char *other)
{
    for (; *word != '\0'; word++) {
        if (*word == '-' || *word == '_')
            continue;
        if (bare(*word) != *other)
            return 0;
        other++;
    }
    return *other == '\0';
}

static const char *in_list(const char *name, const char *list)
{
    for (const char *at = list; *at != '\0'; at += strspn(at, " |")) {
        size_t span = strcspn(at, " |");
        if (span == strlen(name) && memcmp(at, name, span) == 0)
            return at;
        at += span;
    }
    return NULL;
}

const char *perp_scene_meant(const char *word, const char *list, size_t *length)
{
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        const char *found = is_same(word, names[k].other) ? in_list(names[k].here, list) : NULL;
        if (found != NULL) {
            *length = strlen(names[k].here);
            return found;
        }
    }
    return perp_nearest_in_list(word, list, length);
}
