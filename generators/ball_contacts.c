/* SPDX-License-Identifier: BSD-3-Clause */
#include "generators/ball_contacts.h"

#include <math.h>
#include <string.h>

#include "generators/cells.h"

#define BALL_PI 3.14159265358979323846

void perp_packing_add_ball(perp_packing *scene, const double x[3], double radius, double density)
{
    perp_body body;
    double square = radius * radius;

    memset(&body, 0, sizeof body);
    memcpy(body.x, x, sizeof body.x);
    body.radius = radius;
    if (scene->spacedim == 3) {
        body.mass = density * (4.0 / 3.0) * BALL_PI * square * radius;
        body.inertia[0] = body.inertia[1] = body.inertia[2] = 0.4 * body.mass * square;
    } else {
        body.mass = density * BALL_PI * square;
        body.inertia[0] = 0.5 * body.mass * square;
    }
    perp_packing_add_body(scene, &body);
}

typedef struct closeness {
    perp_packing *scene;
    double gap;
} closeness;

/* The contact point halves the gap; both arms lie on the line of centres. */
static void touch_pair(void *ctx, int a, int b, double distance)
{
    const closeness *near = ctx;
    const perp_body *body = near->scene->body;
    double gap = distance - body[a].radius - body[b].radius;
    double normal[3], arm_a[3], arm_b[3];

    if (gap >= near->gap || distance <= 0.0)
        return;
    for (int k = 0; k < 3; k++) {
        normal[k] = (body[a].x[k] - body[b].x[k]) / distance;
        arm_a[k] = -(body[a].radius + 0.5 * gap) * normal[k];
        arm_b[k] = (body[b].radius + 0.5 * gap) * normal[k];
    }
    perp_packing_add_touch(near->scene, a, b, normal, arm_a, arm_b);
}

void perp_packing_touch_balls(perp_packing *scene, double radius_max, double gap)
{
    closeness near = {scene, gap};

    perp_cells_pairs(scene, 2.0 * radius_max + gap, touch_pair, &near);
}

void perp_packing_touch_plane(perp_packing *scene, const double normal[3], double offset, double gap)
{
    static const double no_arm[3] = {0.0, 0.0, 0.0};

    for (int a = 0; a < scene->bodies; a++) {
        const perp_body *body = &scene->body[a];
        double height = -offset, arm[3];

        for (int k = 0; k < 3; k++)
            height += normal[k] * body->x[k];
        if (height - body->radius >= gap)
            continue;
        for (int k = 0; k < 3; k++)
            arm[k] = -height * normal[k];
        perp_packing_add_touch(scene, a, -1, normal, arm, no_arm);
    }
}
