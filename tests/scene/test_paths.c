/* SPDX-License-Identifier: BSD-3-Clause */
/* Lengths of paths against closed forms, their gradients against differences, and what acts along
 * them in scenes and in models of robots. */
#include "config.h"
#include "tests/scene/robot_text.h"

#include <stdint.h>

#include <perp/rotation.h>

#include "scene/path_length.h"

static const double pi = 3.14159265358979323846;
static uint64_t state = 11;

static double draw(void) /* in [-1, 1] */
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 11) * 0x1p-52 - 1.0;
}

static perp_path_part point(int body, double x, double y, double z)
{
    return (perp_path_part){
        .kind = PERP_PATH_POINT, .body = body, .place = {x, y, z}, .turn = {1.0}};
}

static perp_path_part shape(perp_path_kind kind, double radius)
{
    return (perp_path_part){.kind = kind, .body = -1, .turn = {1.0}, .radius = radius};
}

static perp_path_part on_side(perp_path_part of, double x, double y, double z)
{
    of.has_side = 1;
    of.side[0] = x;
    of.side[1] = y;
    of.side[2] = z;
    return of;
}

static void is_long(const perp_path_part *parts, int count, double length)
{
    double found = perp_path_length(parts, count, NULL, 0, NULL);
    ck_assert_msg(fabs(found - length) <= 1e-13 * length, "%.17g, not %.17g", found, length);
}

/* From (-2, 0) to (2, 0) over a circle of radius 1: two tangents and the arc between them. */
START_TEST(lengths_have_closed_forms)
{
    double tangent = sqrt(3.0), low = 2.0 * tangent + pi / 3.0, up = 3.0;
    perp_path_part a = point(-1, -2.0, 0.0, 0.0), b = point(-1, 2.0, 0.0, 0.0);
    perp_path_part ball = shape(PERP_PATH_SPHERE, 1.0), drum = shape(PERP_PATH_CYLINDER, 1.0);
    is_long((perp_path_part[]){a, b}, 2, 4.0);
    is_long((perp_path_part[]){a, ball, b}, 3, low);
    is_long((perp_path_part[]){a, drum, b}, 3, low);
    /* A helix: the drum unrolled. */
    is_long((perp_path_part[]){a, drum, point(-1, 2.0, 0.0, up)}, 3, hypot(low, up));
    /* Past the circle: straight, but around it by the side beyond it. */
    perp_path_part over = point(-1, -2.0, 1.5, 0.0), across = point(-1, 2.0, 1.5, 0.0);
    is_long((perp_path_part[]){over, drum, across}, 3, 4.0);
    is_long((perp_path_part[]){over, on_side(drum, 0.0, 2.0, 0.0), across}, 3, 4.0);
    double straight = sqrt(2.5 * 2.5 - 1.0);
    double angle = 2.0 * (pi / 2.0 + atan2(1.5, 2.0) - acos(1.0 / 2.5));
    is_long((perp_path_part[]){over, on_side(drum, 0.0, -2.0, 0.0), across}, 3,
            2.0 * straight + angle);
    /* Drawn to the circle by a side within it: the mirror. */
    is_long((perp_path_part[]){over, on_side(drum, 0.0, 0.5, 0.0), across}, 3,
            2.0 * hypot(2.0, 0.5));
    /* From within: straight. */
    is_long((perp_path_part[]){point(-1, 0.2, 0.0, 0.0), ball, b}, 3, 1.8);
    /* Branches. */
    perp_path_part half = {.kind = PERP_PATH_DIVIDE, .divisor = 2.0};
    is_long((perp_path_part[]){a, b, half, a, ball, b}, 6, 4.0 + 0.5 * low);
}
END_TEST

/* Past a drum whose side is across there are two ways; the rule takes the one around it, until the
 * side turns past a right angle. What the length was says which one the path has. */
START_TEST(paths_stay_on_their_way)
{
    perp_path_part parts[3] = {point(-1, -2.0, 1.5, 0.0), shape(PERP_PATH_CYLINDER, 1.0),
                               point(-1, 2.0, 1.5, 0.0)};
    double round = 2.0 * sqrt(2.5 * 2.5 - 1.0) + 2.0 * (pi / 2.0 + atan2(1.5, 2.0) - acos(0.4));
    for (int k = 0; k <= 12; k++) {
        double angle = pi / 2.0 * (0.5 + k / 12.0), by_rule = angle < pi / 2.0 ? round : 4.0;
        parts[1] = on_side(shape(PERP_PATH_CYLINDER, 1.0), 2.0 * sin(angle), -2.0 * cos(angle), 0);
        if (k != 6)
            is_long(parts, 3, by_rule);
        for (int around = 0; around < 2; around++) {
            double wanted = around ? round : 4.0, gradient[1];
            double near = perp_path_length_near(parts, 3, NULL, 0, wanted + 0.1, gradient);
            ck_assert_double_eq_tol(near, wanted, 1e-13 * wanted);
        }
    }
}
END_TEST

static void move(double *poses, const double *from, int bodies, int entry, double by)
{
    double twist[6] = {0.0};
    memcpy(poses, from, 7 * (size_t)bodies * sizeof *poses);
    twist[entry % 6] = 1.0;
    perp_body_move(from + 7 * (entry / 6), twist, by, poses + 7 * (entry / 6));
}

/* Two bodies in random poses, and a path with two shapes, each with a side or without. */
START_TEST(gradients_are_those_of_lengths)
{
    int bent = 0;
    for (int k = 0; k < 2000; k++) {
        double poses[14], other[14], gradient[12], line = 0.0;
        perp_path_part parts[8] = {point(-1, draw(), draw(), draw()),
                                   shape(k % 2 ? PERP_PATH_SPHERE : PERP_PATH_CYLINDER, 0.3),
                                   point(1, draw(), draw(), draw()),
                                   {.kind = PERP_PATH_DIVIDE, .divisor = 2.0},
                                   point(0, draw(), draw(), draw()),
                                   shape(k % 3 ? PERP_PATH_SPHERE : PERP_PATH_CYLINDER, 0.2),
                                   point(1, draw(), draw(), draw()),
                                   point(0, draw(), draw(), draw())};
        for (int i = 0; i < 14; i++)
            poses[i] = draw();
        for (int b = 0; b < 2; b++) {
            ck_assert_int_eq(perp_quaternion_normalise(poses + 7 * b + 3), PERP_SOLVED);
            for (int i = 0; i < 3; i++) {
                parts[1 + 4 * b].place[i] = 0.3 * draw();
                parts[1 + 4 * b].side[i] = (k % 5 == 0 ? 0.1 : 0.7) * draw();
                parts[1 + 4 * b].turn[1 + i] = draw();
            }
            parts[1 + 4 * b].body = b;
            parts[1 + 4 * b].has_side = k % 4 < 2;
            ck_assert_int_eq(perp_quaternion_normalise(parts[1 + 4 * b].turn), PERP_SOLVED);
        }
        double length = perp_path_length(parts, 8, poses, 2, gradient);
        perp_path_part straight[6];
        memcpy(straight, parts, sizeof parts[0]);
        straight[1] = parts[2];
        straight[2] = parts[3];
        straight[3] = parts[4];
        memcpy(straight + 4, parts + 6, 2 * sizeof parts[0]);
        line = perp_path_length(straight, 6, poses, 2, NULL);
        ck_assert_double_ge(length, line * (1.0 - 1e-14));
        bent += length > line * (1.0 + 1e-9);
        for (int e = 0; e < 12; e++) {
            const double h = 1e-5;
            double ends[2];
            for (int s = 0; s < 2; s++) {
                move(other, poses, 2, e, s == 0 ? -h : h);
                ends[s] = perp_path_length(parts, 8, other, 2, NULL);
            }
            double slope = (ends[1] - ends[0]) / (2.0 * h);
            if (fabs(ends[1] - ends[0]) > 0.01)
                continue; /* it jumps to the other side there */
            ck_assert_msg(fabs(slope - gradient[e]) <= 2e-5, "%d, %d: %.12g, not %.12g", k, e,
                          gradient[e], slope);
        }
    }
    ck_assert_int_gt(bent, 800);
}
END_TEST

/* A slider with a rod, and a place along an axis: lengths by their definition, gradients by
 * differences. */
START_TEST(gradients_along_axes)
{
    for (int k = 0; k < 500; k++) {
        double poses[14], other[14], gradient[12], v[3], axis[3], own[3] = {0.0, 0.0, 1.0};
        perp_path_part parts[5] = {shape(PERP_PATH_ROD, 3.0),
                                   point(1, draw(), draw(), draw()),
                                   {.kind = PERP_PATH_DIVIDE, .divisor = -2.0},
                                   shape(PERP_PATH_AXIS, 0.0),
                                   point(0, draw(), draw(), draw())};
        for (int i = 0; i < 14; i++)
            poses[i] = draw();
        for (int b = 0; b < 2; b++) {
            ck_assert_int_eq(perp_quaternion_normalise(poses + 7 * b + 3), PERP_SOLVED);
            for (int i = 0; i < 3; i++) {
                parts[3 * b].place[i] = draw();
                parts[3 * b].turn[1 + i] = draw();
            }
            parts[3 * b].body = b;
            ck_assert_int_eq(perp_quaternion_normalise(parts[3 * b].turn), PERP_SOLVED);
        }
        double length = perp_path_length(parts, 5, poses, 2, gradient), wanted = 0.0;
        for (int b = 0; b < 2; b++) {
            const double *p = poses + 7 * b, *q = poses + 7 * (1 - b);
            double from[3], to[3], turned[3], along = 0.0, square = 0.0;
            perp_quaternion_rotate(parts[3 * b].turn, own, turned);
            perp_quaternion_rotate(p + 3, turned, axis);
            perp_quaternion_rotate(p + 3, parts[3 * b].place, from);
            perp_quaternion_rotate(q + 3, parts[3 * b + 1].place, to);
            for (int i = 0; i < 3; i++) {
                v[i] = to[i] + q[i] - from[i] - p[i];
                along += v[i] * axis[i];
                square += v[i] * v[i];
            }
            if (b == 0 && along * along + 9.0 > square)
                along -= sqrt(along * along + 9.0 - square);
            wanted += b == 0 ? along : along / -2.0;
        }
        ck_assert_double_eq_tol(length, wanted, 1e-12);
        for (int e = 0; e < 12; e++) {
            const double h = 1e-5;
            double ends[2];
            for (int s = 0; s < 2; s++) {
                move(other, poses, 2, e, s == 0 ? -h : h);
                ends[s] = perp_path_length(parts, 5, other, 2, NULL);
            }
            double slope = (ends[1] - ends[0]) / (2.0 * h);
            if (fabs(slope) < 30.0) /* else the rod is about to be too short */
                ck_assert_msg(fabs(slope - gradient[e]) <= 2e-5 * (1.0 + slope * slope),
                              "%d, %d: %.12g, not %.12g", k, e, gradient[e], slope);
        }
    }
}
END_TEST

#if defined HAVE_LIBXML2 && defined HAVE_JANSSON
/* A drum of radius 0.3 on a hinge with a moment of inertia of 0.5, around which a string goes from
 * a fixed point to one on its rim, and a mass of 2 on a slide.  The moment arm is the radius. */
#define DRUM(acts, rest)                                                                           \
    "<mujoco><option gravity='0 0 0' timestep='1e-3'/><worldbody><site name='o' pos='2 .3 0'/>"    \
    "<site name='top' pos='0 3 0'/>\n<body name='drum'><inertial pos='0 0 0' mass='1' "            \
    "diaginertia='.4 .4 .5'/><joint name='x' axis='0 0 1'/><geom name='g' type='cylinder' "        \
    "size='.3 .1' contype='0' conaffinity='0'/><site name='s' pos='-.31 0 0'/>"                    \
    "<site name='side' pos='0 1 0'/></body>\n<body name='mass' pos='3 0 0'><joint name='y' "       \
    "type='slide' axis='1 0 0'/><inertial pos='0 0 0' mass='2' diaginertia='1 1 1'/>"              \
    "<site name='m'/></body></worldbody>\n<tendon><spatial name='t' " acts                         \
    "><site site='o'/><geom geom='g' sidesite='side'/><site site='s'/>" rest "</spatial></tendon>"

static perp_robot_options quarter(void)
{
    perp_robot_options options = defaults();
    options.until = 0.25;
    return options;
}

/* The column at the end of 0.25; a pull of f turns the drum by -r/I f t^2/2. */
static void turns_by(const char *model, const char *keyframe, int column, double angle,
                     double error)
{
    perp_robot_options options = quarter();
    options.keyframe = keyframe;
    char *scene = convert(model, &options);
    ck_assert_double_eq_tol(last_value(scene, column), angle, error);
    perp_robot_release(scene, NULL);
}

START_TEST(drives_pull_along_paths)
{
    static const char motor[] =
        DRUM("", "") "<actuator><motor name='a' tendon='t' gear='-2'/></actuator>"
                     "<keyframe><key ctrl='2'/></keyframe></mujoco>";
    static const char servo[] =
        DRUM("", "") "<actuator><position name='a' tendon='t' kp='40' ctrlrange='0 9'/></actuator>"
                     "<keyframe><key ctrl='1'/></keyframe></mujoco>";
    static const char bounded[] =
        DRUM("", "") "<actuator><position name='a' tendon='t' kp='400' forcerange='-3 3'/>"
                     "</actuator><keyframe><key ctrl='1'/></keyframe></mujoco>";
    const double r = 0.3, I = 0.5, t = 0.25;
    double length = 2.0 + r * pi / 2.0, w = sqrt(40.0 * r * r / I);
    /* The site stands off the drum by 0.01: its tangent is that much longer and the arm is not
     * quite r; all that stays as the drum turns. */
    double leave = acos(r / 0.31);
    length = 2.0 + r * (pi / 2.0 - leave) + sqrt(0.31 * 0.31 - r * r);
    turns_by(motor, "0", 2, -0.5 * t * t * 4.0 * r / I, 1e-8);
    turns_by(servo, "0", 2, -(length - 1.0) / r * (1.0 - cos(w * t)), 2e-6);
    turns_by(bounded, "0", 2, -0.5 * t * t * 3.0 * r / I, 1e-8);
}
END_TEST

/* A spring and a damper, and a range that stops the drum. */
START_TEST(springs_and_ranges_act_along_paths)
{
    static const char spring[] =
        DRUM("stiffness='40' damping='3' springlength='1'", "") "</mujoco>";
    static const char slack[] = DRUM("stiffness='40' springlength='.5 1'", "") "</mujoco>";
    static const char dry[] =
        DRUM("frictionloss='1'", "") "<actuator><motor name='a' tendon='t' gear='-4'/></actuator>"
                                     "<keyframe><key ctrl='1'/></keyframe></mujoco>";
    static const char range[] =
        DRUM("range='2.3 3' stiffness='40' springlength='1'", "") "</mujoco>";
    const double r = 0.3, I = 0.5, t = 0.25;
    double length = 2.0 + r * (pi / 2.0 - acos(r / 0.31)) + sqrt(0.31 * 0.31 - r * r);
    double a = 0.5 * 3.0 * r * r / I, k = 40.0 * r * r / I, w = sqrt(k - a * a),
           whole = (length - 1.0) / r;
    turns_by(spring, NULL, 2, -whole * (1.0 - exp(-a * t) * (cos(w * t) + a / w * sin(w * t))),
             2e-6);
    turns_by(slack, NULL, 2, -whole * (1.0 - cos(sqrt(k) * t)), 2e-6);
    turns_by(dry, "0", 2, -0.5 * t * t * 3.0 * r / I, 1e-8);
    turns_by(range, NULL, 2, -(length - 2.3) / r, 1e-7);
}
END_TEST

/* The mass on a slide pulled by the half of a pull: from (0, 3), 3 to the side. */
START_TEST(pulleys_divide_pulls)
{
    static const char model[] =
        DRUM("", "<pulley divisor='2'/><site site='m'/><site site='o'/>") "<actuator><motor "
                                                                          "name='a' tendon='t' "
                                                                          "gear='-4'/></"
                                                                          "actuator><keyframe><key "
                                                                          "ctrl='1'/>"
                                                                          "</keyframe></mujoco>";
    static const char flat[] =
        "<mujoco><option gravity='0 0 0' timestep='1e-3'/><worldbody><site name='o'/>"
        "<site name='u'/><body pos='3 0 0'><joint name='y' type='slide' axis='1 0 0'/>"
        "<inertial pos='0 0 0' mass='2' diaginertia='1 1 1'/><site name='m'/></body></worldbody>"
        "<tendon><spatial name='t'><site site='o'/><site site='u'/><pulley divisor='2'/>"
        "<site site='m'/><site site='o'/></spatial></tendon><actuator><motor tendon='t' "
        "gear='-4'/></actuator><keyframe><key ctrl='1'/></keyframe></mujoco>";
    perp_robot_options options = quarter();
    options.keyframe = "0";
    char *scene = convert(model, &options);
    ck_assert_ptr_nonnull(strstr(scene, "\"divide\": 2"));
    ck_assert_ptr_nonnull(strstr(scene, "\"cylinder\": 0.3"));
    perp_robot_release(scene, NULL);
    /* The branch of the slide has half of the pull of 4. */
    turns_by(flat, "0", 2, -0.5 * 0.25 * 0.25 * 2.0 / 2.0, 1e-8);
}
END_TEST

/* A drum turns under a rope that goes around it by a side of its own, which is far from where the
 * rope would lie: by the rule of the side the rope is off the drum, all at once, at a right angle.
 * It stays, and nothing turns the drum but its own momentum; the mass swings by the spring. */
START_TEST(ropes_stay_on_their_way)
{
    static const char model[] =
        "<mujoco><option gravity='0 0 0' timestep='1e-3'/><default><geom contype='0' "
        "conaffinity='0'/></default><worldbody><site name='o' pos='-1 .3 0'/><body><inertial "
        "pos='0 0 0' mass='1' diaginertia='1 1 .5'/><joint name='x' axis='0 0 1'/><geom name='g' "
        "type='cylinder' size='.2 .1'/><site name='side' pos='0 -.5 0'/></body><body pos='1 .3 0'>"
        "<joint name='y' type='slide' axis='1 0 0'/><inertial pos='0 0 0' mass='2' diaginertia="
        "'1 1 1'/><site name='m'/></body></worldbody><tendon><spatial stiffness='40' "
        "springlength='2'><site site='o'/><geom geom='g' sidesite='side'/><site site='m'/>"
        "</spatial></tendon><keyframe><key qvel='8 0'/></keyframe></mujoco>";
    const double I = 0.5, rate = 8.0;
    perp_robot_options options = quarter();
    options.keyframe = "0";
    double length =
        2.0 * sqrt(1.09 - 0.04) + 0.2 * (pi - 2.0 * (acos(0.2 / sqrt(1.09)) - atan2(0.3, 1.0)));
    /* That of the spring counts from the length 0. */
    double energy = 0.5 * I * rate * rate + 20.0 * length * (length - 4.0);
    char *scene = convert(model, &options);
    ck_assert_double_eq_tol(last_value(scene, 2), rate * 0.25, 1e-9);
    ck_assert_double_eq_tol(last_value(scene, 1), energy, 1e-6 * fabs(energy));
    ck_assert_double_le(last_value(scene, 4), -0.04);
    perp_robot_release(scene, NULL);
}
END_TEST

/* Two tendons of which one is as much longer as the other is shorter. */
START_TEST(paths_are_tied)
{
    static const char model[] =
        "<mujoco><option gravity='0 0 0' timestep='1e-3'/><worldbody><site name='o'/>"
        "<body pos='3 0 0'><joint name='x' type='slide' axis='1 0 0'/><inertial pos='0 0 0' "
        "mass='2' diaginertia='1 1 1'/><site name='m'/></body><body pos='0 3 0'><joint name='y' "
        "type='slide' axis='0 1 0'/><inertial pos='0 0 0' mass='3' diaginertia='1 1 1'/>"
        "<site name='n'/></body></worldbody><tendon><spatial name='t'><site site='o'/>"
        "<site site='m'/></spatial><spatial name='u'><site site='o'/><site site='n'/></spatial>"
        "</tendon><equality><tendon tendon1='t' tendon2='u' polycoef='0 2 0 0 0'/></equality>"
        "<actuator><motor tendon='t' gear='1'/></actuator><keyframe><key ctrl='7'/></keyframe>"
        "</mujoco>";
    double x = 0.5 * 0.25 * 0.25 * 7.0 / (2.0 + 3.0 / 4.0);
    turns_by(model, "0", 2, x, 1e-8);
    turns_by(model, "0", 4, 0.5 * x, 1e-8);
}
END_TEST

/* The energy after `until` in steps of h. */
static double energy_of(const char *model, double until, double h)
{
    perp_robot_options options = defaults();
    options.until = until;
    options.step = h;
    char *text = convert(model, &options);
    double energy = last_value(text, 1);
    perp_robot_release(text, NULL);
    return energy;
}

/* A double pendulum with springs along bent paths: what its joints lose is of the order h^3. */
START_TEST(springs_along_paths_keep_energy)
{
    static const char model[] =
        "<mujoco><default><geom contype='0' conaffinity='0'/></default>"
        "<worldbody><site name='o' pos='.1 -.1 .3'/><body><joint axis='0 1 0'/><geom "
        "type='capsule' fromto='0 0 0 .3 0 0' size='.03'/><geom name='g' type='sphere' size='.06'/>"
        "<site name='a' pos='.15 .02 .03'/><body pos='.3 0 0'><joint axis='0 1 .3'/><geom "
        "type='capsule' fromto='0 0 0 .25 0 0' size='.025'/><geom name='h' type='cylinder' "
        "size='.05 .1' euler='90 0 0'/><site name='b' pos='.15 0 -.04'/></body></body></worldbody>"
        "<tendon><spatial stiffness='300' springlength='.2'><site site='o'/><geom geom='g'/>"
        "<site site='a'/><geom geom='h'/><site site='b'/></spatial></tendon></mujoco>";
    double first = energy_of(model, 1e-7, 1e-7), lost[2];
    for (int k = 0; k < 2; k++)
        lost[k] = first - energy_of(model, 1.0, k == 0 ? 2e-3 : 1e-3);
    ck_assert_double_ge(lost[1], 0.0);
    ck_assert_double_le(lost[0], 2e-4 * first);
    ck_assert_double_le(7.0 * lost[1], lost[0]);
}
END_TEST
#endif

#ifdef HAVE_LIBXML2
/* Each replica has its own. */
START_TEST(paths_are_copied)
{
    char *text = convert(
        "<mujoco><worldbody><replicate count='3' offset='0 1 0'><body name='b'><joint name='j'/>"
        "<geom name='g' type='cylinder' size='.1 .1'/><site name='s' pos='.12 0 0'/><site "
        "name='side' pos='0 .2 0'/></body><site name='m' pos='-.5 0 0'/></replicate></worldbody>"
        "<tendon><spatial name='t' range='0 1'><site site='m'/><geom geom='g' sidesite='side'/>"
        "<site site='s'/></spatial></tendon></mujoco>",
        NULL);
    int count = 0;
    for (const char *at = text; (at = strstr(at, "\"type\": \"path\"")) != NULL; at++)
        count++;
    ck_assert_int_eq(count, 3);
    perp_robot_release(text, NULL);
}
END_TEST

#define ENDS                                                                                       \
    "<mujoco><worldbody><site name='o'/><body pos='1 0 0'><joint/><geom name='g' size='.1'/>"      \
    "<geom name='c' type='box' size='.1 .1 .1'/><site name='s'/></body></worldbody>"

START_TEST(paths_are_checked)
{
    refused(ENDS "<tendon>\n<spatial><site site='o'/><geom geom='g'/></spatial></tendon></mujoco>",
            PERP_ERR_FORMAT, "a site is expected", 2);
    refused(ENDS "<tendon><spatial><site site='o'/>\n<geom geom='c'/><site site='s'/></spatial>"
                 "</tendon></mujoco>",
            PERP_ERR_FORMAT, "neither a sphere nor a cylinder", 2);
    refused(ENDS "<tendon><spatial><site site='o'/><site site='s'/>\n<pulley divisor='0'/>"
                 "<site site='o'/><site site='s'/></spatial></tendon></mujoco>",
            PERP_ERR_FORMAT, "divisor", 2);
    refused(ENDS "<tendon><spatial name='t'><site site='o'/><site site='s'/></spatial><fixed "
                 "name='f'><joint joint='x' coef='1'/></fixed></tendon></mujoco>",
            PERP_ERR_FORMAT, "there is no joint", 1);
}
END_TEST
#endif

#ifdef HAVE_JANSSON
START_TEST(relations_are_checked)
{
    static const struct {
        const char *points, *words;
    } wrong[] = {
        {"[{\"world\": [0, 0, 0]}]", "2 to 256 points"},
        {"[{\"world\": [0, 0, 0]}, {\"system\": \"b\", \"point\": [0, 0, 0], \"sphere\": 1}]",
         "begins and ends with a point"},
        {"[{\"world\": [0, 0, 0]}, {\"system\": \"b\", \"point\": [0, 0, 0], \"sphere\": 1}, "
         "{\"divide\": 2}, {\"world\": [0, 0, 0]}]",
         "before and behind"},
        {"[{\"world\": [0, 0, 0]}, {\"system\": \"b\", \"point\": [0, 0, 0], \"side\": [0, 0, 1]}]",
         "a side without"},
        {"[{\"world\": [0, 0, 0]}, {\"point\": [0, 0, 0]}]", "one of system, world"},
        {"[{\"world\": [0, 0, 0]}, {\"divide\": 0}]", "divided by 0"},
        {"[{\"world\": [0, 0, 0]}, {\"system\": \"b\", \"point\": [0, 0, 0], \"axis\": [1, 0, 0]}]",
         "an axis has a point behind it"},
        {"[{\"world\": [0, 0, 0], \"axis\": [0, 0, 0]}, {\"system\": \"b\", \"point\": [0, 0, 0]}]",
         "no axis"},
        {"[{\"world\": [0, 0, 0], \"rod\": 1}, {\"system\": \"b\", \"point\": [0, 0, 0]}]",
         "missing"},
        {"[{\"world\": [0, 0, 0], \"side_of\": \"b\"}, {\"system\": \"b\", \"point\": [0, 0, 0]}]",
         "there is none"},
        {"[{\"world\": [0, 0, 0]}, {\"world\": [0, 0, 0], \"cylinder\": 1, \"axis\": [0, 0, 0]}, "
         "{\"system\": \"b\", \"point\": [1, 0, 0]}]",
         "no axis"},
    };
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        char text[1000];
        perp_scene_error error;
        snprintf(text, sizeof text,
                 SCENE_TIME
                 "\"bodies\": [{\"name\": \"b\", \"mass\": 1, \"shape\": {\"type\": "
                 "\"sphere\", \"radius\": 1}}], \"interactions\": [{\"systems\": [\"b\"], "
                 "\"relation\": {\"type\": \"path\", \"points\": %s}}]}",
                 wrong[k].points);
        scene_refusal(&error, text, wrong[k].words);
    }
}
END_TEST
#endif

int main(void)
{
    Suite *suite = suite_create("paths");
    TCase *tests = tcase_create("paths");
    tcase_add_test(tests, lengths_have_closed_forms);
    tcase_add_test(tests, paths_stay_on_their_way);
    tcase_add_test(tests, gradients_are_those_of_lengths);
    tcase_add_test(tests, gradients_along_axes);
#if defined HAVE_LIBXML2 && defined HAVE_JANSSON
    tcase_add_test(tests, drives_pull_along_paths);
    tcase_add_test(tests, springs_and_ranges_act_along_paths);
    tcase_add_test(tests, ropes_stay_on_their_way);
    tcase_add_test(tests, pulleys_divide_pulls);
    tcase_add_test(tests, paths_are_tied);
    tcase_add_test(tests, springs_along_paths_keep_energy);
#endif
#ifdef HAVE_LIBXML2
    tcase_add_test(tests, paths_are_checked);
    tcase_add_test(tests, paths_are_copied);
#endif
#ifdef HAVE_JANSSON
    tcase_add_test(tests, relations_are_checked);
#endif
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
