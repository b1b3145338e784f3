/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/campaign/engines/scene_bench.h"

static const scene_engine engines[] = {
    {.name = "perp", .variant = "1e-4", .settings = "discrete-gradient, tol 1e-4", .tol = 1e-4},
    {.name = "perp", .variant = "1e-6", .settings = "discrete-gradient, tol 1e-6", .tol = 1e-6},
    {.name = "perp", .variant = "1e-8", .settings = "discrete-gradient, tol 1e-8", .tol = 1e-8},
    {.name = "mujoco",
     .variant = "default",
     .settings = "Euler, pyramidal cones, Newton",
     .program = "perp-scene-mujoco.mjs"},
    {.name = "mujoco",
     .variant = "advised",
     .settings = "implicitfast (joints: RK4), elliptic cones, impratio 10, Newton to 1e-10, "
                 "noslip 10, solref 2 h",
     .program = "perp-scene-mujoco.mjs"},
    {.name = "rapier",
     .variant = "default",
     .settings = "4 solver iterations",
     .program = "perp-scene-rapier.mjs"},
    {.name = "rapier",
     .variant = "advised",
     .settings = "4 substeps, 20 solver iterations, 4 internal ones, bullets as CCD",
     .program = "perp-scene-rapier.mjs"},
    {.name = "jolt",
     .variant = "default",
     .settings = "10 velocity and 2 position iterations",
     .program = "perp-scene-jolt.mjs"},
    {.name = "jolt",
     .variant = "advised",
     .settings = "4 substeps, 20 velocity and 10 position iterations, bullets as linear cast",
     .program = "perp-scene-jolt.mjs"},
    {.name = "physx",
     .variant = "default",
     .settings = "PGS, 4 position and 1 velocity iterations",
     .program = "perp-scene-physx.mjs"},
    {.name = "physx",
     .variant = "advised",
     .settings = "TGS, 4 substeps, 32 position and 4 velocity iterations, bullets as CCD",
     .program = "perp-scene-physx.mjs"},
    {.name = "cannon-es",
     .variant = "default",
     .settings = "Gauss-Seidel, 10 iterations",
     .program = "perp-scene-cannon.mjs"},
    {.name = "cannon-es",
     .variant = "advised",
     .settings = "4 substeps, 100 iterations, contact stiffness 1e8",
     .program = "perp-scene-cannon.mjs"},
    {.name = "bullet",
     .variant = "default",
     .settings = "sequential impulses, 10 iterations",
     .program = "perp-scene-bullet"},
    {.name = "bullet",
     .variant = "advised",
     .settings = "4 substeps, 100 iterations, bullets as CCD",
     .program = "perp-scene-bullet"},
    {.name = "ode",
     .variant = "default",
     .settings = "QuickStep, 20 iterations, ERP 0.2",
     .program = "perp-scene-ode"},
    {.name = "ode",
     .variant = "advised",
     .settings = "WorldStep (Dantzig) up to 300 bodies, else QuickStep with 100 iterations; 4 "
                 "substeps",
     .program = "perp-scene-ode"},
    {.name = "dart",
     .variant = "default",
     .settings = "boxed LCP by Dantzig, FCL",
     .program = "perp-scene-dart"},
    {.name = "dart",
     .variant = "advised",
     .settings = "boxed LCP by Dantzig, Bullet's collisions, 4 substeps",
     .program = "perp-scene-dart"},
    {.name = "simbody",
     .variant = "default",
     .settings = "compliant contacts of 1e8 Pa, CPodes to 1e-3; joints alone or more than 10 "
                 "bodies: Runge-Kutta-Merson to 1e-3 or 0.1",
     .program = "perp-scene-simbody"},
    {.name = "simbody",
     .variant = "advised",
     .settings = "up to 10 spheres or one box: rigid contacts, SemiExplicitEuler, PGS, 4 substeps; "
                 "else finer meshes; joints alone to 1e-6, more than 10 bodies to 0.01",
     .program = "perp-scene-simbody"},
    {.name = "siconos",
     .variant = "default",
     .settings = "Moreau-Jean, Bullet's collisions, NSGS to 1e-4; joints: GenericMechanical",
     .program = "perp-scene-siconos"},
    {.name = "siconos",
     .variant = "advised",
     .settings = "the same to 1e-8; spheres alone: SpaceFilter",
     .program = "perp-scene-siconos"},
};

int scene_engine_at(scene_engine *engine, int k)
{
    if (k < 0 || (size_t)k >= sizeof engines / sizeof engines[0])
        return -1;
    *engine = engines[k];
    return 0;
}

int scene_engine_find(scene_engine *engine)
{
    if (engine->program == NULL) {
        snprintf(engine->version, sizeof engine->version, "%s", perp_bench_commit());
        return perp_bench_own_path(engine->path, sizeof engine->path) == 0;
    }
    if (!perp_bench_program(engine->path, sizeof engine->path, engine->program))
        return 0;
    (void)perp_bench_ask(engine->version, sizeof engine->version, PERP_BENCH_VERSION_SECONDS,
                         engine->path, "--version", NULL);
    engine->version[strcspn(engine->version, ",\"\r\n")] = '\0';
    return engine->version[0] != '\0';
}
