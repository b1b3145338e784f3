/* SPDX-License-Identifier: BSD-3-Clause */
#include "generators/friction_problems.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const perp_generator generators[] = {
    {"spheres", "3D close packing of spheres in a box", 0.3, 3, perp_build_spheres},
    {"boxes", "3D boxes stacked in running bond, four contacts a face", 0.5, 3, perp_build_boxes},
    {"arch", "3D masonry arch; with more contacts a vault of several rings", 0.7, 3,
     perp_build_arch},
    {"grains", "2D wall of disks between two upright walls", 0.3, 2, perp_build_grains},
    {"chains", "3D crossed chains of rods with ball joints (bilateral rows)", 0.3, 3,
     perp_build_chains},
};

const perp_generator *perp_generator_at(int k)
{
    return k >= 0 && k < (int)(sizeof generators / sizeof generators[0]) ? &generators[k] : NULL;
}

const perp_generator *perp_generator_find(const char *name)
{
    const perp_generator *g;

    for (int k = 0; (g = perp_generator_at(k)) != NULL; k++)
        if (strcmp(g->name, name) == 0)
            return g;
    return NULL;
}

void perp_generate_options_init(perp_generate_options *options, const perp_generator *generator)
{
    options->size = 400;
    options->mu = generator->mu;
    options->mu_r = options->mu_s = -1.0;
    options->seed = 1;
    options->ratio = 1.0;
    options->restitution = 0.0;
}

static int in_range(const perp_generate_options *o, int most)
{
    return o->size >= 1 && o->size <= most && o->mu >= 0.0 && isfinite(o->mu) &&
           isfinite(o->mu_r) && isfinite(o->mu_s) && o->ratio > 0.0 && isfinite(o->ratio) &&
           o->restitution >= 0.0 && o->restitution <= 1.0;
}

perp_status perp_generate(perp_problem_file **file, const perp_generator *generator,
                          const perp_generate_options *options, const perp_allocator *allocator)
{
    perp_packing scene;
    perp_status status;
    char title[128];

    *file = NULL;
    if (generator == NULL || !in_range(options, PERP_GENERATE_SIZE_MAX) ||
        (options->mu_s >= 0.0 && generator->spacedim != 3))
        return PERP_ERR_ARGUMENT;
    perp_packing_init(&scene, generator->spacedim, options->seed, allocator);
    scene.mu_r = options->mu_r;
    scene.mu_s = options->mu_s;
    generator->build(&scene, options);
    snprintf(title, sizeof title, "%s%s, %d bodies, seed %llu",
             options->mu_r >= 0.0 && options->mu_s >= 0.0 ? "rolling and torsional "
             : options->mu_r >= 0.0                       ? "rolling "
             : options->mu_s >= 0.0                       ? "torsional "
                                                          : "",
             generator->name, scene.bodies, (unsigned long long)options->seed);
    status = perp_packing_to_file(file, &scene, options->mu, options->restitution, title);
    perp_packing_free(&scene);
    return status;
}
