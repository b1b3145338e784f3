/* SPDX-License-Identifier: BSD-3-Clause */
/* Collision shapes of robots are coarse, and those of a link and the one after the next are often
 * in each other in every pose.  No motion takes that away: an SRDF lists such pairs, and where
 * there is none, those that overlap at the start are taken for it.  In any model there may be parts
 * in each other that no joint can part, a slider in the table that it slides on: soft contacts push
 * without effect, and exact ones have no solution. */
#include "scene/robots/overlaps.h"

#include <math.h>
#include <string.h>

#include "scene/robots/links.h"
#include "scene/robots/text_writer.h"
#include "scene/shapes.h"
#include "scene/scene_inside.h"

enum { MOST = 200 };
/* Of the smaller shape: fingers that are closed overlap by less; rounding of numbers in a text. */
static const double DEEP = 1e-2, SMALL = 1e-6;
/* Of what an arm would move a point by. */
static const double STILL = 1e-9;

typedef struct pair {
    perp_scene_overlap overlap;
    int held; /* no joint parts any of its points */
} pair;

typedef struct pairs {
    const perp_robot *robot;
    pair list[MOST];
    int count;
} pairs;

/* The link of this name; -1: it stands. */
static int link_of(const perp_robot_links *links, const char *name)
{
    for (int c = 0; c < links->count; c++)
        if (strcmp(links->link[c].name, name) == 0)
            return c;
    return -1;
}

static int is_above(const perp_robot_links *links, int c, int other)
{
    while (other > c)
        other = links->link[other].parent;
    return other == c;
}

/* What the gap of a shape depends on: the centre of a sphere or that of the end of a capsule, which
 * goes no less deep when the capsule turns about it; else the point. */
static void point_of(double *out, const perp_scene_overlap *o, const perp_scene_member *s)
{
    int round = s->shape.form == PERP_SCENE_SPHERE || s->shape.form == PERP_SCENE_CAPSULE;
    double way = round ? s->shape.size[0] : 0.0;

    for (int i = 0; i < 3; i++)
        out[i] = o->place[i] + (s == o->a ? way : -way) * o->normal[i];
}

/* How far a slider takes this point along a direction within its range. */
static double way_of_slider(const perp_robot_joint *joint, double along)
{
    double way = along > 0.0 ? joint->high - joint->start : joint->start - joint->low;

    if (!(fabs(along) > STILL))
        return 0.0;
    return joint->limited ? fabs(along) * fmax(way, 0.0) : HUGE_VAL;
}

/* A hinge takes a point as far as needed, but at an end of its range not where it would close
 * further.  turned: what it moves the point by. */
static double way_of_hinge(const perp_robot_joint *joint, const double *turned, const double *out,
                           double size)
{
    double rate = perp_dot3(out, turned), none = STILL * (1.0 + size);
    int at_end = rate > 0.0 ? joint->start >= joint->high : joint->start <= joint->low;

    if (!(sqrt(perp_dot3(turned, turned)) > none))
        return 0.0;
    return joint->limited && at_end && fabs(rate) > none ? 0.0 : HUGE_VAL;
}

/* How far the joint of a link takes this point out of what it is in; a slider only along the normal
 * `out`, for it goes on as it begins, any other as far as needed. */
static double way_out(const perp_robot *robot, const perp_robot_link *link, const double *place,
                      const double *out)
{
    double arm[3], turned[3], size;

    if (link->joint < 0)
        return HUGE_VAL;
    for (int i = 0; i < 3; i++)
        arm[i] = place[i] - link->anchor[i];
    size = sqrt(perp_dot3(arm, arm));
    switch (robot->joints[link->joint].motion) {
    case PERP_ROBOT_SLIDE:
        return way_of_slider(&robot->joints[link->joint], perp_dot3(out, link->axis));
    case PERP_ROBOT_HINGE:
        perp_cross3(turned, link->axis, arm);
        return way_of_hinge(&robot->joints[link->joint], turned, out, size);
    case PERP_ROBOT_BALL:
        return size > STILL ? HUGE_VAL : 0.0;
    case PERP_ROBOT_FREE:
    case PERP_ROBOT_FLAT:
        break;
    }
    return HUGE_VAL;
}

/* The joints between the two do not take them apart. */
static int is_held(const perp_robot *robot, int a, int b, const perp_scene_overlap *o)
{
    const perp_robot_links *links = robot->links;
    int side[2] = {a, b};
    double place[3], out[3], way = 0.0;

    for (int k = 0; k < 2; k++) {
        point_of(place, o, k == 0 ? o->a : o->b);
        for (int i = 0; i < 3; i++)
            out[i] = k == 0 ? o->normal[i] : -o->normal[i];
        for (int c = side[k]; c >= 0; c = links->link[c].parent)
            if (!is_above(links, c, side[1 - k]))
                way += way_out(robot, &links->link[c], place, out);
    }
    return way < o->depth;
}

static void note(void *ctx, const perp_scene_overlap *o)
{
    pairs *p = ctx;
    int held = is_held(p->robot, link_of(p->robot->links, o->a->name),
                       link_of(p->robot->links, o->b->name), o);

    for (int k = 0; k < p->count; k++) {
        pair *one = &p->list[k];
        if (one->overlap.a != o->a || one->overlap.b != o->b)
            continue;
        one->overlap.depth = fmax(one->overlap.depth, o->depth);
        one->held &= held;
        return;
    }
    if (p->count < MOST)
        p->list[p->count++] = (pair){*o, held};
}

static int is_coarse(const perp_scene_overlap *o)
{
    double a = perp_scene_half_width(&o->a->shape), b = perp_scene_half_width(&o->b->shape);

    return o->a->shape.form != PERP_SCENE_PLANE && o->b->shape.form != PERP_SCENE_PLANE &&
           o->depth > DEEP * fmin(a, b);
}

/* The pairs behind those that the text has. */
static const char *with_pairs(perp_robot *robot, const char *text, const pairs *p, int coarse)
{
    perp_text_writer w = {.job = robot->job};
    int first = robot->excludes_none;

    for (int k = 0; k < p->count; k++) {
        const perp_scene_overlap *o = &p->list[k].overlap;
        int held = p->list[k].held;
        if (!held && !(coarse && is_coarse(o)))
            continue;
        perp_write(&w, "%s[", first ? ",\n   \"exclude\": [" : ", ");
        perp_write_string(&w, o->a->name);
        perp_write(&w, ", ");
        perp_write_string(&w, o->b->name);
        perp_write(&w, "]");
        first = 0;
        perp_robot_note(robot->job, NULL,
                        "'%.60s' and '%.60s' overlap by %.3g at the start%s, so they never touch "
                        "each other%s",
                        o->a->name, o->b->name, o->depth,
                        held ? ", and no joint can part them" : "",
                        held ? "" : " (--srdf lists such pairs)");
    }
    if (w.used == 0 || w.text == NULL)
        return text;
    return perp_robot_text(robot->job, "%.*s%s%s%s", (int)robot->exclude_at, text, w.text,
                           robot->excludes_none ? "]" : "", text + robot->exclude_at);
}

/* Shapes that are far in each other, and may touch: what a user can do. */
static void note_others(perp_robot *robot, const pairs *p, int coarse)
{
    for (int k = 0; k < p->count; k++) {
        const perp_scene_overlap *o = &p->list[k].overlap;
        int a = link_of(robot->links, o->a->name), b = link_of(robot->links, o->b->name);
        double size =
            fmax(perp_scene_half_width(&o->a->shape), perp_scene_half_width(&o->b->shape));
        if (p->list[k].held || (coarse && is_coarse(o)) || !(o->depth > DEEP * size))
            continue;
        if (robot->keyframe != NULL)
            perp_robot_note(robot->job, NULL,
                            "'%.60s' and '%.60s' overlap by %.3g at the start; --keyframe %.60s "
                            "starts elsewhere",
                            o->a->name, o->b->name, o->depth, robot->keyframe);
        else if (a >= 0 && b >= 0)
            perp_robot_note(robot->job, NULL,
                            "'%.60s' and '%.60s' overlap by %.3g at the start, and a joint may "
                            "part them; if they are never to touch: --no-self-contact, or %s for "
                            "this pair",
                            o->a->name, o->b->name, o->depth,
                            robot->one_robot ? "--srdf" : "<exclude> in <contact>");
        else
            continue;
        return;
    }
}

/* A joint that is not free, or none of this is asked. */
static int has_joints(const perp_robot_links *links)
{
    for (int c = 0; links != NULL && c < links->count; c++)
        if (links->link[c].joint >= 0)
            return 1;
    return 0;
}

const char *perp_robot_part_overlaps(perp_robot *robot, const char *text, int coarse)
{
    perp_scene *scene = NULL;
    const char *made = text;

    if (robot->exclude_at == 0 || !has_joints(robot->links))
        return text;
    pairs *p = perp_robot_take(robot->job, 1, sizeof *p);
    if (p == NULL)
        return NULL;
    p->robot = robot;
    perp_status status = perp_scene_create_anywhere(&scene, text, &robot->job->memory);
    if (status == PERP_SOLVED)
        status = perp_scene_check(scene, NULL);
    if (status == PERP_ERR_MEMORY) {
        perp_robot_fail_status(robot->job, status, NULL, "not enough memory");
        made = NULL;
    } else if (status == PERP_SOLVED) {
        perp_scene_each_overlap(scene, SMALL, note, p);
        made = with_pairs(robot, text, p, coarse);
        note_others(robot, p, coarse);
    }
    perp_scene_destroy(scene);
    return made;
}
