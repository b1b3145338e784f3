/* SPDX-License-Identifier: BSD-3-Clause */
/* Energies, for records: kinetic from the kernel, potential of constant forces, stiffness,
 * springs and of the built-in systems.  Loads that depend on time have none. */
#include <math.h>

#include "scene/spring.h"

double perp_scene_kinetic(perp_scene *scene, const perp_scene_member *s)
{
    double energy = 0.0;

    if (s->fixed || s->kind == PERP_SCENE_FIRST_ORDER)
        return 0.0;
    perp_model_kinetic_energy(scene->model, s->id, scene->t0, &energy);
    return energy;
}

static double stiffness_energy(const perp_mat *K, const double *q)
{
    double energy = 0.0;

    for (int j = 0; j < K->rows && K->kind == PERP_DENSE; j++)
        for (int i = 0; i < K->rows; i++)
            energy += q[i] * K->as.dense.x[i + j * K->as.dense.ld] * q[j];
    for (int j = 0; j < K->rows && K->kind == PERP_CSC; j++)
        for (int k = K->as.csc.colptr[j]; k < K->as.csc.colptr[j + 1]; k++)
            energy += q[K->as.csc.row[k]] * K->as.csc.x[k] * q[j];
    return 0.5 * energy;
}

double perp_scene_potential(perp_scene *scene, const perp_scene_member *s)
{
    double *q = NULL, energy = 0.0;
    const double *ends[2];

    if (!perp_scene_is_integrated(s) || s->kind == PERP_SCENE_FIRST_ORDER ||
        perp_model_state(scene->model, s->id, &q, NULL, NULL, NULL) != PERP_SOLVED)
        return 0.0;
    for (int k = 0; k < (s->kind == PERP_SCENE_BODY ? 3 : s->nx); k++)
        energy -= s->force[k] * q[k];
    if (s->kind == PERP_SCENE_LAGRANGIAN && s->K.rows > 0)
        energy += stiffness_energy(&s->K, q);
    if (s->potential != NULL)
        energy += s->potential(s, q);
    ends[0] = q;
    ends[1] = NULL;
    for (const perp_scene_spring *p = s->springs; p != NULL; p = p->next) {
        double stretch = perp_scene_spring_stretch(p, ends);
        energy += perp_scene_spring_potential(p, stretch);
    }
    return energy;
}

double perp_scene_spring_energy(perp_scene *scene)
{
    double energy = 0.0;

    for (const perp_scene_spring *p = scene->springs; p != NULL; p = p->next) {
        double *q[2] = {NULL, NULL}, stretch;
        for (int k = 0; k < 2; k++)
            perp_model_state(scene->model, p->end[k].system->id, &q[k], NULL, NULL, NULL);
        stretch = perp_scene_spring_stretch(p, (const double *const *)q);
        energy += perp_scene_spring_potential(p, stretch);
    }
    return energy;
}
