/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/peers/scene_peer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int run(const scene_peer *peer, const rigid_scene *scene, int fd, int advised)
{
    double start = motion_processor_time();
    motion_out out;
    long steps = lround(scene->until / scene->h);
    void *world = peer->make(scene, advised);

    if (world == NULL || motion_begin(&out, fd, scene, peer->version) != 0)
        return 2;
    out.record.seconds = motion_processor_time() - start;
    if (motion_write(&out) != 0)
        return 2;
    for (long k = 1; k <= steps; k++) {
        start = motion_processor_time();
        peer->step(world, &out);
        out.record.seconds = motion_processor_time() - start;
        out.record.t = (double)k * scene->h;
        peer->states(world, &out);
        if (motion_write(&out) != 0)
            return 2;
    }
    motion_end(&out);
    return 0;
}

static const char *lacks(const rigid_scene *scene, int can)
{
    for (int k = 0; k < scene->bodies; k++) {
        const rigid_body *b = &scene->body[k];
        if (b->shape == RIGID_HULL && !(can & SCENE_PEER_HULLS))
            return "no hulls";
        for (int i = 0; i < 3; i++)
            if (b->shape_at[i] != 0.0 && !(can & SCENE_PEER_OFF_CENTRE))
                return "no shapes away from the centre of mass";
    }
    for (int k = 0; k < scene->joints; k++) {
        const rigid_joint *j = &scene->joint[k];
        if (j->kind == RIGID_SLIDER && !(can & SCENE_PEER_SLIDERS))
            return "no sliders";
        if (j->kind == RIGID_DISTANCE && !(can & SCENE_PEER_DISTANCES))
            return "no joint that keeps a distance";
        if ((j->drive.kind != RIGID_FREE || j->drive.limited) && !(can & SCENE_PEER_DRIVES))
            return "no motors and limits";
    }
    return scene->rolling > 0.0 && !(can & SCENE_PEER_ROLLING) ? "no rolling friction" : NULL;
}

int scene_peer_main(const scene_peer *peer, int argc, char **argv)
{
    rigid_scene scene;
    const char *why;
    int code;

    if (argc == 2 && strcmp(argv[1], "--version") == 0)
        return puts(peer->version) < 0;
    if (argc != 7 || rigid_scene_make(&scene, argv[2], NULL, 0) != RIGID_MADE) {
        fprintf(stderr, "usage: %s FD SCENE FILE default|advised H UNTIL\n", argv[0]);
        return 2;
    }
    scene.h = strtod(argv[5], NULL);
    scene.until = strtod(argv[6], NULL);
    why = lacks(&scene, peer->can);
    code = why != NULL ? motion_refuse(atoi(argv[1]), why)
                       : run(peer, &scene, atoi(argv[1]), strcmp(argv[4], "advised") == 0);
    rigid_scene_free(&scene);
    fflush(stdout);
    _exit(code != 0 ? 2 : 0); /* a library need not leave in order */
}
