/* SPDX-License-Identifier: BSD-3-Clause */
/* Generators of friction problems of any size.
 *
 * Each one builds a scene of rigid bodies in contact and writes one time step
 * of Moreau-Jean for it, in global form (PERP_CLASS_GLOBAL):
 *
 *     M v = H r + G l + M v_k + h F,   G' v = 0,   u = H' v + w,
 *
 * with h = 1e-3 s, gravity 9.81 m/s^2, SI units, small random velocities v_k,
 * and w_N = e u_N(v_k), w_T = 0.  3D bodies have six unknowns (velocity of the
 * centre, angular velocity in the fixed frame), 2D bodies three.  The normal
 * row comes first and u_N > 0 separates.  r and l are impulses.  With rolling
 * friction the relative angular velocities about the tangents follow the rows of
 * the contact, and their r are moments times seconds; with torsional friction that about
 * the normal does.
 *
 * Same options, same numbers.  Spheres, grains and boxes use only exact
 * operations and the square root, so they do not depend on the C library.
 */
#ifndef PERP_GENERATORS_FRICTION_PROBLEMS_H
#define PERP_GENERATORS_FRICTION_PROBLEMS_H

#include <stdint.h>

#include <perp/io.h>

#include "generators/packing.h"

#define PERP_GENERATE_STEP 1e-3
#define PERP_GENERATE_GRAVITY 9.81
#define PERP_GENERATE_SIZE_MAX 10000000

typedef struct perp_generate_options {
    int size;    /* contacts wanted, 1 to PERP_GENERATE_SIZE_MAX; met approximately */
    double mu;   /* friction coefficient of every contact, >= 0 */
    double mu_r; /* its rolling friction in metres, >= 0; negative: none, and no rows for it */
    double mu_s; /* its torsional friction in the same way; in space */
    uint64_t seed;
    double ratio;       /* boxes: mass of the top course over that of the bottom one, > 0 */
    double restitution; /* e in [0, 1] */
} perp_generate_options;

typedef struct perp_generator {
    const char *name;
    const char *summary; /* one line: what is in the scene */
    double mu;           /* a usual friction coefficient */
    int spacedim;        /* 2 or 3 */
    /* Adds bodies, contacts and joints to an empty scene of that dimension. */
    void (*build)(perp_packing *scene, const perp_generate_options *options);
} perp_generator;

/* Generator k, or NULL past the end; and by name, NULL when unknown. */
const perp_generator *perp_generator_at(int k);
const perp_generator *perp_generator_find(const char *name);

/* size 400, the generator's mu, no rolling or torsional friction, seed 1, ratio 1, no restitution.
 */
void perp_generate_options_init(perp_generate_options *options, const perp_generator *generator);

/* PERP_ERR_ARGUMENT: an option is out of its range.  PERP_ERR_OVERFLOW: more
 * than 2^31 - 1 entries.  On error *file is NULL.  allocator may be NULL. */
perp_status perp_generate(perp_problem_file **file, const perp_generator *generator,
                          const perp_generate_options *options, const perp_allocator *allocator);

/* The problem of "spheres" in parts, for processes that each make one: bodies in ranges of their
 * numbers, a contact in the part of the later of its bodies.  All numbers are those of the whole
 * but for the contacts: only the parts together know how many there are, so first_contact and
 * contacts are 0, and columns of H begin with 0 in each part.  size may reach
 * PERP_GENERATE_PART_SIZE_MAX.  Rolling and torsional friction are left out.  PERP_ERR_UNSUPPORTED:
 * another generator. */
#define PERP_GENERATE_PART_SIZE_MAX 500000000
perp_status perp_generate_part(perp_problem_part **made, const perp_generator *generator,
                               const perp_generate_options *options, int part, int parts,
                               const perp_allocator *allocator);

/* Spheres along x, y and z for so many contacts; how many spheres.  Those with the numbers from
 * `from` to `to` - 1, their contacts with each other and with the walls. */
int perp_spheres_layout(int count[3], int size);
void perp_build_spheres_range(perp_packing *scene, const int count[3], int from, int to);

/* The scenes; see each file for its geometry. */
void perp_build_spheres(perp_packing *scene, const perp_generate_options *options);
void perp_build_boxes(perp_packing *scene, const perp_generate_options *options);
void perp_build_arch(perp_packing *scene, const perp_generate_options *options);
void perp_build_grains(perp_packing *scene, const perp_generate_options *options);
void perp_build_chains(perp_packing *scene, const perp_generate_options *options);

#endif
