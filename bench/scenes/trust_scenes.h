/* SPDX-License-Identifier: BSD-3-Clause */
/* Scenes in which a whole motion goes wrong where a scheme is not careful: taut chains, closed
 * loops, stacks at rest, heaps, impacts with a closed form.  Each is written as a file for perp
 * run. */
#ifndef PERP_TRUST_SCENES_H
#define PERP_TRUST_SCENES_H

#include <stdio.h>

#include "bench/scenes/trust_series.h"

typedef struct perp_trust_scene perp_trust_scene;
struct perp_trust_scene {
    const char *name, *title;
    double until, step;
    void (*write)(FILE *f, const perp_trust_scene *scene);
    int count;       /* links, cubes, balls: what the writer makes of it */
    double size;     /* mass of a tip, a gap */
    int has_joints;  /* 1: without contacts, 2: with contacts, their names begin with "joint-" */
    int needs_boxes; /* pairs of boxes or capsules, which need ODE */
    /* Distance from a closed form, NULL where there is none. */
    double (*error)(const perp_trust_series *series);
};

/* All of them, ended by one without a name. */
extern const perp_trust_scene perp_trust_scenes[];

/* The whole file. */
void perp_trust_write(FILE *f, const perp_trust_scene *scene);

/* Those of the catalogue of generators/rigid_scene.h (trust_rigid.c). */
void perp_trust_chain(FILE *f, const perp_trust_scene *scene);
void perp_trust_four_bar(FILE *f, const perp_trust_scene *scene);
void perp_trust_loops(FILE *f, const perp_trust_scene *scene);
void perp_trust_dropped_chain(FILE *f, const perp_trust_scene *scene);
void perp_trust_cards(FILE *f, const perp_trust_scene *scene);
void perp_trust_dominoes(FILE *f, const perp_trust_scene *scene);
/* Mechanisms (trust_mechanisms.c). */
void perp_trust_rods(FILE *f, const perp_trust_scene *scene);
void perp_trust_ring(FILE *f, const perp_trust_scene *scene);
void perp_trust_rod_ring(FILE *f, const perp_trust_scene *scene);
/* Bodies in contact (trust_piles.c). */
void perp_trust_stack(FILE *f, const perp_trust_scene *scene);
void perp_trust_heap(FILE *f, const perp_trust_scene *scene);
void perp_trust_block(FILE *f, const perp_trust_scene *scene);
/* Few degrees of freedom (trust_small.c). */
void perp_trust_ball(FILE *f, const perp_trust_scene *scene);
void perp_trust_oscillator(FILE *f, const perp_trust_scene *scene);
void perp_trust_cradle(FILE *f, const perp_trust_scene *scene);
void perp_trust_woodpecker(FILE *f, const perp_trust_scene *scene);
void perp_trust_slider_crank(FILE *f, const perp_trust_scene *scene);
void perp_trust_press(FILE *f, const perp_trust_scene *scene);
double perp_trust_ball_error(const perp_trust_series *series);
double perp_trust_oscillator_error(const perp_trust_series *series);
double perp_trust_cradle_error(const perp_trust_series *series);
double perp_trust_block_error(const perp_trust_series *series);

/* A list of the file: its name, its entries, its end. */
typedef struct perp_trust_list {
    FILE *f;
    int entries;
} perp_trust_list;
perp_trust_list perp_trust_begin(FILE *f, const char *name);
void perp_trust_entry(perp_trust_list *list, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void perp_trust_end(const perp_trust_list *list);
/* The section "record": energies and diagnostics, joint-0 to joint-(joints - 1), and `more`, ""
 * or a list that begins with a comma. */
void perp_trust_record(FILE *f, int joints, const char *more);

#endif
