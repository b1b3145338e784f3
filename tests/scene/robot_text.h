/* SPDX-License-Identifier: BSD-3-Clause */
/* What tests of models of robots share: texts to scenes, numbers of a scene, its last row. */
#ifndef PERP_TESTS_ROBOT_TEXT_H
#define PERP_TESTS_ROBOT_TEXT_H

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <perp/robot.h>

#include "tests/fixtures/scene_text.h"

typedef struct told {
    int notes, left_out, missing;
    char last[800];
} told;

static inline void hear(void *ctx, perp_robot_word word, const perp_scene_error *remark)
{
    told *t = ctx;
    t->notes += word == PERP_ROBOT_NOTE;
    t->left_out += word == PERP_ROBOT_LEFT_OUT;
    t->missing += word == PERP_ROBOT_MISSING;
    snprintf(t->last, sizeof t->last, "%s", remark->text);
}

static inline perp_robot_options defaults(void)
{
    perp_robot_options options;
    perp_robot_options_init(&options, sizeof options);
    return options;
}

/* The scene of a model; to be given back.  Inlined, gcc 12 takes it for a pointer to what is gone. */
static __attribute__((noinline, unused)) char *convert(const char *model, const perp_robot_options *options)
{
    perp_scene_error error = {.size = sizeof error};
    char *text = NULL;
    ck_assert_msg(perp_robot_read_text(&text, model, strlen(model), options, NULL, &error) ==
                      PERP_SOLVED,
                  "%s", error.text);
    return text;
}

/* The scene of a model that has no more than remarks. */
static __attribute__((noinline, unused)) char *taken(const char *model, told *t)
{
    perp_robot_options options = defaults();
    memset(t, 0, sizeof *t);
    options.tell = hear;
    options.tell_ctx = t;
    char *text = convert(model, &options);
    ck_assert_int_eq(t->missing + t->left_out, 0);
    return text;
}

/* Both models make one scene. */
static inline void same_scene(const char *a, const char *b)
{
    told t;
    char *one = taken(a, &t), *other = taken(b, &t);
    ck_assert_str_eq(one, other);
    perp_robot_release(one, NULL);
    perp_robot_release(other, NULL);
}

/* The scene of a model, from a keyframe; NULL: configured without libxml2. */
static inline perp_scene *scene_of_model(const char *model, const char *keyframe)
{
    perp_scene_error error = {.size = sizeof error};
    perp_robot_options options = defaults();
    char *text = NULL;
    options.keyframe = keyframe;
    perp_status status = perp_robot_read_text(&text, model, strlen(model), &options, NULL, &error);
    if (status == PERP_ERR_UNSUPPORTED && strstr(error.text, "libxml2") != NULL)
        return NULL;
    ck_assert_msg(status == PERP_SOLVED, "%s", error.text);
    perp_scene *scene = scene_of(text, NULL);
    perp_robot_release(text, NULL);
    return scene;
}

/* The model is refused with this status, in these words. */
static inline void refused(const char *model, perp_status wanted, const char *words, int line)
{
    perp_scene_error error = {.size = sizeof error};
    char *text;
    perp_status status = perp_robot_read_text(&text, model, strlen(model), NULL, NULL, &error);
    ck_assert_msg(status == wanted, "%d: %s", (int)status, error.text);
    ck_assert_ptr_null(text);
    ck_assert_msg(strstr(error.text, words) != NULL, "%s", error.text);
    ck_assert_msg(error.line == line, "line %d: %s", error.line, error.text);
}

/* n numbers behind "key": in the entry of this name. */
static inline void numbers_of(double *x, int n, const char *scene, const char *name, const char *key)
{
    char wanted[120];
    const char *at;
    snprintf(wanted, sizeof wanted, "{\"name\": \"%s\"", name);
    at = strstr(scene, wanted);
    ck_assert_msg(at != NULL, "no %s in %s", name, scene);
    snprintf(wanted, sizeof wanted, "\"%s\": ", key);
    at = strstr(at + 1, wanted);
    ck_assert_msg(at != NULL, "no %s of %s in %s", key, name, scene);
    at += strlen(wanted);
    for (int k = 0; k < n; k++) {
        char *end;
        at += strspn(at, "[, ");
        x[k] = strtod(at, &end);
        ck_assert_msg(end != at, "%s of %s: %.40s", key, name, at);
        at = end;
    }
}

static inline void close_to(double x, double y, double size)
{
    ck_assert_msg(fabs(x - y) <= 1e-12 * size, "%.17g and %.17g", x, y);
}

/* A URDF. */
static inline const char *pendulum(void)
{
    return "<robot name='pendulum'>\n<link name='world'/>\n<link name='rod'><inertial><origin xyz='0 0 -0.5' "
           "rpy='0 0 0'/><mass value='2'/><inertia ixx='0.2' ixy='0' ixz='0' iyy='0.2' iyz='0' izz='0.01'/>"
           "</inertial></link>\n<joint name='swing' type='revolute'><parent link='world'/><child link='rod'/>"
           "<origin xyz='0 0 1' rpy='0 0 0'/><axis xyz='0 1 0'/><limit lower='-3' upper='0.9' effort='10' "
           "velocity='5'/><dynamics damping='0.1' friction='0.05'/></joint>\n</robot>";
}

#ifdef HAVE_JANSSON
/* A column of the last row: time, energy, and what the model records. */
static inline double last_value(const char *text, int column)
{
    perp_scene *scene = scene_of(text, NULL);
    double value = scene_last_row(scene)[column];
    perp_scene_destroy(scene);
    return value;
}
#endif

#endif
