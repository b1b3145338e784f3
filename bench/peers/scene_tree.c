/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/peers/scene_tree.h"

#include <math.h>
#include <stdlib.h>

/* Whether the body takes the joint as its way to a parent that has its place already. */
static int take(scene_tree *tree, int *placed, int joint, int child, int other)
{
    if (child < 0 || placed[child] || (other >= 0 && !placed[other]))
        return 0;
    tree->by[child] = joint;
    tree->parent[child] = other;
    tree->closes[joint] = 0;
    return placed[child] = 1;
}

/* Bodies that joints tie to what has a place; 1: one was found. */
static int grow(scene_tree *tree, const rigid_scene *scene, int *placed, int *count)
{
    int before = *count;

    for (int k = 0; k < scene->joints; k++) {
        const rigid_joint *j = &scene->joint[k];
        if (!tree->closes[k])
            continue;
        if (take(tree, placed, k, j->a, j->b))
            tree->order[(*count)++] = j->a;
        else if (take(tree, placed, k, j->b, j->a))
            tree->order[(*count)++] = j->b;
    }
    return *count > before;
}

int scene_tree_make(scene_tree *tree, const rigid_scene *scene)
{
    size_t bodies = (size_t)scene->bodies + 1, joints = (size_t)scene->joints + 1;
    int *placed = calloc(bodies, sizeof *placed), count = 0;

    tree->by = malloc(bodies * sizeof *tree->by);
    tree->parent = malloc(bodies * sizeof *tree->parent);
    tree->order = malloc(bodies * sizeof *tree->order);
    tree->closes = malloc(joints * sizeof *tree->closes);
    if (placed == NULL || tree->by == NULL || tree->parent == NULL || tree->order == NULL ||
        tree->closes == NULL) {
        free(placed);
        return -1;
    }
    for (int k = 0; k < scene->bodies; k++)
        tree->by[k] = tree->parent[k] = -1;
    for (int k = 0; k < scene->joints; k++)
        tree->closes[k] = 1;
    /* What hangs on the world first, then trees with a free body at their root. */
    while (grow(tree, scene, placed, &count))
        continue;
    for (int k = 0; k < scene->bodies; k++) {
        if (placed[k])
            continue;
        placed[k] = 1;
        tree->order[count++] = k;
        while (grow(tree, scene, placed, &count))
            continue;
    }
    free(placed);
    return 0;
}

double scene_drive_place(const rigid_drive *d, double t)
{
    double way = fabs(d->target), top = fmin(d->speed, sqrt(way * d->acceleration));
    double rising = top / d->acceleration;
    double cruising = top > 0.0 ? (way - top * rising) / top : 0.0;
    double end = 2.0 * rising + cruising, x;

    if (t < rising)
        x = 0.5 * d->acceleration * t * t;
    else if (t < rising + cruising)
        x = top * (t - 0.5 * rising);
    else
        x = way - 0.5 * d->acceleration * pow(fmax(0.0, end - t), 2.0);
    return copysign(x, d->target);
}
