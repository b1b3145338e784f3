/* SPDX-License-Identifier: BSD-3-Clause */
#include "generators/packing.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void *plain_allocate(void *ctx, size_t bytes)
{
    (void)ctx;
    return malloc(bytes);
}

static void plain_release(void *ctx, void *block)
{
    (void)ctx;
    free(block);
}

void perp_packing_init(perp_packing *scene, int spacedim, uint64_t seed,
                     const perp_allocator *allocator)
{
    const perp_allocator plain = {plain_allocate, plain_release, NULL};

    memset(scene, 0, sizeof *scene);
    scene->spacedim = spacedim;
    scene->mu_r = scene->mu_s = -1.0;
    scene->rng.state = seed;
    scene->allocator = allocator != NULL ? *allocator : plain;
    scene->status = PERP_SOLVED;
}

void perp_packing_free(perp_packing *scene)
{
    const perp_allocator *allocator = &scene->allocator;

    allocator->release(allocator->ctx, scene->body);
    allocator->release(allocator->ctx, scene->touch);
    allocator->release(allocator->ctx, scene->joint);
    scene->body = NULL;
    scene->touch = NULL;
    scene->joint = NULL;
    scene->bodies = scene->touches = scene->joints = 0;
}

/* The array with space for one more entry than `count`, or NULL. */
static void *grown(perp_packing *scene, void *array, int *capacity, int count, size_t size)
{
    const perp_allocator *allocator = &scene->allocator;
    int wanted = *capacity > 0 ? *capacity + *capacity / 2 : 64;
    void *larger;

    if (count < *capacity)
        return array;
    if (*capacity > INT_MAX / 2 || (size_t)wanted > SIZE_MAX / size) {
        scene->status = PERP_ERR_OVERFLOW;
        return NULL;
    }
    larger = allocator->allocate(allocator->ctx, (size_t)wanted * size);
    if (larger == NULL) {
        scene->status = PERP_ERR_MEMORY;
        return NULL;
    }
    if (count > 0)
        memcpy(larger, array, (size_t)count * size);
    allocator->release(allocator->ctx, array);
    *capacity = wanted;
    return larger;
}

int perp_packing_add_body(perp_packing *scene, const perp_body *body)
{
    perp_body *array;

    if (scene->status != PERP_SOLVED)
        return -1;
    array = grown(scene, scene->body, &scene->capacity[0], scene->bodies, sizeof *array);
    if (array == NULL)
        return -1;
    scene->body = array;
    array[scene->bodies] = *body;
    return scene->bodies++;
}

/* Tangents of a unit normal: in 2D the normal turned by a right angle, in 3D
 * from the axis that is least parallel to it. */
static void complete_frame(double frame[3][3], int spacedim)
{
    const double *n = frame[0];
    double *t = frame[1], *s = frame[2], length;

    if (spacedim == 2) {
        t[0] = -n[1];
        t[1] = n[0];
        t[2] = s[0] = s[1] = s[2] = 0.0;
        return;
    }
    if (fabs(n[0]) < 0.9) {
        length = sqrt(n[1] * n[1] + n[2] * n[2]);
        t[0] = 0.0;
        t[1] = n[2] / length;
        t[2] = -n[1] / length;
    } else {
        length = sqrt(n[0] * n[0] + n[2] * n[2]);
        t[0] = -n[2] / length;
        t[1] = 0.0;
        t[2] = n[0] / length;
    }
    s[0] = n[1] * t[2] - n[2] * t[1];
    s[1] = n[2] * t[0] - n[0] * t[2];
    s[2] = n[0] * t[1] - n[1] * t[0];
}

void perp_packing_add_touch(perp_packing *scene, int a, int b, const double normal[3],
                          const double arm_a[3], const double arm_b[3])
{
    perp_touch *array, *touch;

    if (scene->status != PERP_SOLVED)
        return;
    array = grown(scene, scene->touch, &scene->capacity[1], scene->touches, sizeof *array);
    if (array == NULL)
        return;
    scene->touch = array;
    touch = &array[scene->touches++];
    touch->a = a;
    touch->b = b;
    memcpy(touch->frame[0], normal, sizeof touch->frame[0]);
    complete_frame(touch->frame, scene->spacedim);
    memcpy(touch->arm_a, arm_a, sizeof touch->arm_a);
    memcpy(touch->arm_b, arm_b, sizeof touch->arm_b);
}

static void arm_to(double arm[3], const perp_packing *scene, int body, const double point[3])
{
    for (int k = 0; k < 3; k++)
        arm[k] = body >= 0 ? point[k] - scene->body[body].x[k] : 0.0;
}

void perp_packing_add_touch_at(perp_packing *scene, int a, int b, const double normal[3],
                             const double point[3])
{
    double arm_a[3], arm_b[3];

    if (scene->status != PERP_SOLVED)
        return;
    arm_to(arm_a, scene, a, point);
    arm_to(arm_b, scene, b, point);
    perp_packing_add_touch(scene, a, b, normal, arm_a, arm_b);
}

void perp_packing_add_joint_at(perp_packing *scene, int a, int b, const double point[3])
{
    perp_joint *array, *joint;

    if (scene->status != PERP_SOLVED)
        return;
    array = grown(scene, scene->joint, &scene->capacity[2], scene->joints, sizeof *array);
    if (array == NULL)
        return;
    scene->joint = array;
    joint = &array[scene->joints++];
    joint->a = a;
    joint->b = b;
    arm_to(joint->arm_a, scene, a, point);
    arm_to(joint->arm_b, scene, b, point);
}

void perp_packing_shake(perp_packing *scene, double linear, double angular)
{
    int dim = scene->spacedim, spins = dim == 3 ? 3 : 1;

    for (int k = 0; k < scene->bodies; k++) {
        for (int j = 0; j < dim; j++)
            scene->body[k].velocity[j] = linear * perp_rng_normal(&scene->rng);
        for (int j = 0; j < spins; j++)
            scene->body[k].spin[j] = angular * perp_rng_normal(&scene->rng);
    }
}

double perp_rng_normal(perp_rng *rng)
{
    double sum = -6.0;

    for (int k = 0; k < 12; k++)
        sum += perp_rng_uniform(rng);
    return sum;
}
