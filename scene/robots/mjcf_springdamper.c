/* SPDX-License-Identifier: BSD-3-Clause */
/* springdamper of joints: a spring and a damper of a time constant T and a damping ratio z.  What
 * they are of is I = n / sum((M^-1)_ii), the sum over the n rates of the joint, M the mass matrix
 * of the tree that it belongs to, where the model has its joints: stiffness I / (T z)^2, damping 2
 * I / T. */
#include <math.h>
#include <string.h>

#include <perp/rotation.h>

#include "scene/robots/cholesky.h"
#include "scene/robots/mjcf.h"

enum { MOST_RATES = 1500 };

/* A rigid part about the origin of the world: mass, mass times place, moments of inertia. */
typedef struct part {
    double mass, first[3], second[9];
} part;

/* What moves with a rate of 1: angular velocity, velocity of what is in the origin of the world. */
typedef struct rate {
    int body, joint;
    double w[3], v[3];
} rate;

typedef struct tree {
    const perp_robot *robot;
    perp_pose *pose;
    part *part; /* of each body with all that it carries */
    int *root;  /* the body in the world that each one hangs on */
    rate *rates;
    double *M; /* of the tree whose root is `factored`, as L, and a vector for work */
    int count, factored;
} tree;

static void weigh(part *out, const perp_robot_body *body, const perp_pose *pose)
{
    double c[3], tensor[9];

    perp_pose_apply(c, pose, body->centre);
    perp_turn_tensor(tensor, pose->q, body->inertia);
    double square = perp_dot3(c, c);
    out->mass = body->mass;
    for (int i = 0; i < 3; i++) {
        out->first[i] = body->mass * c[i];
        for (int j = 0; j < 3; j++)
            out->second[3 * i + j] =
                tensor[3 * i + j] + body->mass * ((i == j ? square : 0.0) - c[i] * c[j]);
    }
}

static int lay_out(tree *t)
{
    const perp_robot *robot = t->robot;
    size_t n = (size_t)robot->nbodies;

    t->pose = perp_robot_take(robot->job, n, sizeof *t->pose);
    t->part = perp_robot_take(robot->job, n, sizeof *t->part);
    t->root = perp_robot_take(robot->job, n, sizeof *t->root);
    t->rates = perp_robot_take(robot->job, MOST_RATES, sizeof *t->rates);
    if (t->pose == NULL || t->part == NULL || t->root == NULL || t->rates == NULL)
        return -1;
    for (int b = 0; b < robot->nbodies; b++) {
        const perp_robot_body *body = &robot->bodies[b];
        int up = body->parent;
        t->pose[b] = up >= 0 ? perp_pose_product(&t->pose[up], &body->pose) : body->pose;
        t->root[b] = up >= 0 ? t->root[up] : b;
        weigh(&t->part[b], body, &t->pose[b]);
    }
    for (int b = robot->nbodies - 1; b >= 0; b--) {
        int up = robot->bodies[b].parent;
        if (up < 0)
            continue;
        t->part[up].mass += t->part[b].mass;
        for (int i = 0; i < 3; i++)
            t->part[up].first[i] += t->part[b].first[i];
        for (int i = 0; i < 9; i++)
            t->part[up].second[i] += t->part[b].second[i];
    }
    return 0;
}

/* Turns about, or slides along, an axis in the frame of the body. */
static void add_rate(tree *t, int j, int slides, const double *own)
{
    const perp_robot_joint *joint = &t->robot->joints[j];
    rate *made = &t->rates[t->count++];
    double anchor[3], axis[3];

    memset(made, 0, sizeof *made);
    made->body = joint->body;
    made->joint = j;
    perp_pose_apply(anchor, &t->pose[joint->body], joint->anchor);
    perp_quaternion_rotate(t->pose[joint->body].q, own, axis);
    if (slides) {
        memcpy(made->v, axis, sizeof axis);
        return;
    }
    memcpy(made->w, axis, sizeof axis);
    perp_cross3(made->v, anchor, axis);
}

/* The rates of one tree; 0: they are too many. */
static int collect(tree *t, int root)
{
    t->count = 0;
    for (int j = 0; j < t->robot->njoints; j++) {
        const perp_robot_joint *joint = &t->robot->joints[j];
        if (t->root[joint->body] != root)
            continue;
        if (t->count + 6 > MOST_RATES)
            return 0;
        if (joint->motion == PERP_ROBOT_HINGE || joint->motion == PERP_ROBOT_SLIDE)
            add_rate(t, j, joint->motion == PERP_ROBOT_SLIDE, joint->axis);
        for (int k = 0; k < 6; k++) {
            const double axis[3] = {k % 3 == 0, k % 3 == 1, k % 3 == 2};
            if (joint->motion == PERP_ROBOT_FREE || (joint->motion == PERP_ROBOT_BALL && k >= 3))
                add_rate(t, j, k < 3, axis);
        }
    }
    return 1;
}

static int carries(const tree *t, int up, int b)
{
    while (b >= 0 && b != up)
        b = t->robot->bodies[b].parent;
    return b >= 0;
}

/* M, its lower half, row by row. */
static void assemble(tree *t)
{
    size_t n = (size_t)t->count;

    memset(t->M, 0, n * n * sizeof *t->M);
    for (size_t i = 0; i < n; i++) {
        const rate *a = &t->rates[i];
        const part *of = &t->part[a->body];
        double force[3], moment[3], turn[3];
        perp_cross3(force, a->w, of->first);
        perp_cross3(moment, of->first, a->v);
        for (int k = 0; k < 3; k++) {
            turn[k] = perp_dot3(of->second + 3 * k, a->w);
            force[k] += of->mass * a->v[k];
            moment[k] += turn[k];
        }
        for (size_t j = 0; j < n; j++) {
            const rate *b = &t->rates[j];
            size_t low = i > j ? i : j, high = i > j ? j : i;
            if (carries(t, b->body, a->body))
                t->M[low * n + high] = perp_dot3(b->v, force) + perp_dot3(b->w, moment);
        }
        t->M[i * n + i] += t->robot->joints[a->joint].armature;
    }
}

/* (M^-1)_ii = |L^-1 e_i|^2 */
static double inverse_at(const double *L, size_t n, size_t i, double *work)
{
    double square = 0.0;

    for (size_t r = i; r < n; r++) {
        double sum = r == i ? 1.0 : 0.0;
        for (size_t k = i; k < r; k++)
            sum -= L[r * n + k] * work[k];
        work[r] = sum / L[r * n + r];
        square += work[r] * work[r];
    }
    return square;
}

/* The factor for the tree of a joint, made once for its joints in a row; *ready = 0: there is none,
 * and it was said. */
static int prepare(tree *t, const perp_robot_joint *joint, int *ready)
{
    int root = t->root[joint->body];

    *ready = root == t->factored;
    if (*ready)
        return 0;
    t->factored = -1;
    if (!collect(t, root)) {
        perp_robot_missing(t->robot->job, joint->at, "the mass matrix of a tree of so many joints");
        return 0;
    }
    size_t n = (size_t)t->count;
    t->M = perp_robot_take(t->robot->job, n * (n + 1), sizeof *t->M);
    if (t->M == NULL)
        return -1;
    assemble(t);
    *ready = perp_robot_cholesky(t->M, n);
    if (*ready)
        t->factored = root;
    else
        perp_robot_missing(t->robot->job, joint->at, "the mass matrix of what has no mass");
    return 0;
}

/* The moment arm of a path about a rate: of what it moves, the gradient times its velocity. */
static double arm_of_path(const tree *t, const rate *r, const double *gradient)
{
    double sum = 0.0;

    for (int b = 0; b < t->robot->nbodies; b++) {
        double velocity[3], turn[3];
        if (!carries(t, r->body, b))
            continue;
        perp_cross3(velocity, r->w, t->pose[b].p);
        for (int i = 0; i < 3; i++)
            velocity[i] += r->v[i];
        perp_quaternion_rotate_back(t->pose[b].q, r->w, turn);
        sum += perp_dot3(gradient + 6 * b, velocity) + perp_dot3(gradient + 6 * b + 3, turn);
    }
    return sum;
}

static double arm_of_sum(const rate *r, const perp_robot_sum *sum)
{
    for (int k = 0; k < sum->terms; k++)
        if (sum->joint[k] == r->joint)
            return sum->factor[k];
    return 0.0;
}

int perp_mjcf_response(perp_mjcf *m, const perp_robot_sum *sum, const double *gradient,
                       double *square)
{
    tree t = {.robot = m->robot, .factored = -1};

    *square = 0.0;
    if (lay_out(&t) != 0)
        return -1;
    for (int j = 0; j < m->robot->njoints; j++) {
        const perp_robot_joint *joint = &m->robot->joints[j];
        int before = t.factored, ready;
        if (t.root[joint->body] == before)
            continue;
        if (prepare(&t, joint, &ready) != 0)
            return -1;
        if (!ready)
            return 0;
        size_t n = (size_t)t.count;
        double *x = t.M + n * n;
        for (size_t i = 0; i < n; i++)
            x[i] = sum->path != NULL ? arm_of_path(&t, &t.rates[i], gradient)
                                     : arm_of_sum(&t.rates[i], sum);
        perp_robot_solve_lower(t.M, n, x);
        perp_robot_solve_upper(t.M, n, x);
        for (size_t i = 0; i < n; i++)
            *square += x[i] * x[i];
    }
    return 0;
}

static int tune(tree *t, perp_robot_joint *joint)
{
    int number = (int)(joint - t->robot->joints), rates = 0, ready;
    double sum = 0.0, T = joint->response[0], z = joint->response[1];

    if (prepare(t, joint, &ready) != 0)
        return -1;
    size_t n = (size_t)t->count;
    for (size_t i = 0; ready && i < n; i++)
        if (t->rates[i].joint == number) {
            sum += inverse_at(t->M, n, i, t->M + n * n);
            rates++;
        }
    if (!ready)
        return 0;
    joint->stiffness = rates / sum / (T * T * z * z);
    joint->damping = 2.0 * rates / sum / T;
    return 0;
}

int perp_mjcf_tune_springs(perp_mjcf *m)
{
    tree t = {.robot = m->robot, .factored = -1};

    for (int j = 0; j < m->robot->njoints; j++) {
        perp_robot_joint *joint = &m->robot->joints[j];
        if (!(joint->response[0] > 0.0) || !(joint->response[1] > 0.0))
            continue;
        if ((t.pose == NULL && lay_out(&t) != 0) || tune(&t, joint) != 0)
            return -1;
    }
    return 0;
}
