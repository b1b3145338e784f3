/* SPDX-License-Identifier: BSD-3-Clause */
/* The list of scenes, and what all their files have in common. */
#include "bench/scenes/trust_scenes.h"

#include <stdarg.h>
#include <stddef.h>

#define H (1.0 / 240.0)

const perp_trust_scene perp_trust_scenes[] = {
    {"chain-1", "20 links and a ball of 1 kg swing from the horizontal", 5, H, perp_trust_chain, 20,
     1, 1, 0, NULL},
    {"chain-1e3", "20 links and a ball of 1000 kg", 5, H, perp_trust_chain, 20, 1e3, 1, 0, NULL},
    {"chain-1e6", "20 links and a ball of 1e6 kg", 5, H, perp_trust_chain, 20, 1e6, 1, 0, NULL},
    {"chain-50-1e3", "50 links and a ball of 1000 kg", 5, H, perp_trust_chain, 50, 1e3, 1, 0, NULL},
    {"chain-200-1e3", "200 links and a ball of 1000 kg", 5, H, perp_trust_chain, 200, 1e3, 1, 0,
     NULL},
    {"ring-1e3", "A ring of 20 links held at one corner, 1000 kg at the opposite one", 5, H,
     perp_trust_ring, 20, 1e3, 1, 0, NULL},
    {"rods-1", "20 masses on rods, 1 kg at the end", 5, H, perp_trust_rods, 20, 1, 1, 0, NULL},
    {"rods-1e3", "20 masses on rods, 1000 kg at the end", 5, H, perp_trust_rods, 20, 1e3, 1, 0,
     NULL},
    {"rods-1e6", "20 masses on rods, 1e6 kg at the end", 5, H, perp_trust_rods, 20, 1e6, 1, 0,
     NULL},
    {"rods-200-1e3", "200 masses on rods, 1000 kg at the end", 5, H, perp_trust_rods, 200, 1e3, 1,
     0, NULL},
    {"rod-ring-1e3", "A ring of 20 masses on rods, 1000 kg opposite to where it hangs", 5, H,
     perp_trust_rod_ring, 20, 1e3, 1, 0, NULL},
    {"four-bar", "A four-bar linkage with pivots, 3 redundant rows", 5, H, perp_trust_four_bar, 1,
     0, 1, 0, NULL},
    {"four-bar-points", "The linkage with two point joints for a hinge, 7 redundant rows", 5, H,
     perp_trust_four_bar, 2, 0, 1, 0, NULL},
    {"loops", "Six loops below each other, 18 redundant rows", 5, H, perp_trust_loops, 6, 0, 1, 0,
     NULL},
    {"stack-2", "2 cubes at rest for a minute, h = 10 ms", 60, 0.01, perp_trust_stack, 2, 0, 0, 1,
     NULL},
    {"stack-10-2ms", "10 cubes at rest for a minute, h = 2 ms", 60, 0.002, perp_trust_stack, 10, 0,
     0, 1, NULL},
    {"stack-10-5ms", "10 cubes at rest for a minute, h = 5 ms", 60, 0.005, perp_trust_stack, 10, 0,
     0, 1, NULL},
    {"stack-10", "10 cubes at rest for a minute, h = 10 ms", 60, 0.01, perp_trust_stack, 10, 0, 0,
     1, NULL},
    {"stack-20", "20 cubes at rest for a minute, h = 10 ms", 60, 0.01, perp_trust_stack, 20, 0, 0,
     1, NULL},
    {"heap", "109 spheres, boxes and capsules fall into a heap, e = 0.2", 4, H, perp_trust_heap,
     109, 0, 0, 1, NULL},
    {"cards", "A tower of cards, 4 levels, 4 cubes dropped on it", 2.5, H, perp_trust_cards, 4, 0,
     0, 1, NULL},
    {"dropped-1", "The chain strikes the ground, ball of 1 kg", 2, H, perp_trust_dropped_chain, 20,
     1, 2, 0, NULL},
    {"dropped-1e3", "The chain strikes the ground, ball of 1000 kg", 2, H, perp_trust_dropped_chain,
     20, 1e3, 2, 0, NULL},
    {"dropped-1e6", "The chain strikes the ground, ball of 1e6 kg", 2, H, perp_trust_dropped_chain,
     20, 1e6, 2, 0, NULL},
    {"ball", "A bouncing ball, e = 0.8", 2.5, 0.005, perp_trust_ball, 0, 0, 0, 0,
     perp_trust_ball_error},
    {"oscillator", "A mass on a spring at a stop, e = 0.8", 4, 0.005, perp_trust_oscillator, 0, 0,
     0, 0, perp_trust_oscillator_error},
    {"cradle", "A cradle of 6 balls that touch, e = 1", 0.2, 0.004, perp_trust_cradle, 6, 0, 0, 0,
     perp_trust_cradle_error},
    {"cradle-gaps", "A cradle of 6 balls with gaps of 1 mm, e = 1", 0.2, 0.004, perp_trust_cradle,
     6, 1e-3, 0, 0, perp_trust_cradle_error},
    {"cradle-0.1mm", "A cradle of 6 balls with gaps of 0.1 mm, e = 1", 0.2, 0.004,
     perp_trust_cradle, 6, 1e-4, 0, 0, perp_trust_cradle_error},
    {"rocking", "A block rocks on its edges", 3, H, perp_trust_block, 0, 0, 0, 0,
     perp_trust_block_error},
    {"dominoes", "20 dominoes", 2, H, perp_trust_dominoes, 20, 0, 0, 1, NULL},
    {"woodpecker", "The woodpecker toy", 1, 2e-5, perp_trust_woodpecker, 0, 0, 0, 0, NULL},
    {"slider-crank", "A slider-crank whose slider has clearance in its guide", 0.15, 1e-5,
     perp_trust_slider_crank, 0, 0, 0, 0, NULL},
    {"press", "A mass between two walls, one of which comes nearer: infeasible from t = 0.1 on",
     0.2, 0.001, perp_trust_press, 0, 0, 0, 0, NULL},
    {NULL, NULL, 0, 0, NULL, 0, 0, 0, 0, NULL}};

perp_trust_list perp_trust_begin(FILE *f, const char *name)
{
    perp_trust_list list = {f, 0};

    fprintf(f, ",\n\"%s\": [", name);
    return list;
}

void perp_trust_entry(perp_trust_list *list, const char *format, ...)
{
    va_list arguments;

    fputs(list->entries++ > 0 ? ",\n  " : "\n  ", list->f);
    va_start(arguments, format);
    vfprintf(list->f, format, arguments);
    va_end(arguments);
}

void perp_trust_end(const perp_trust_list *list)
{
    fputs("]", list->f);
}

void perp_trust_record(FILE *f, int joints, const char *more)
{
    fputs(",\n\"record\": {\"quantities\": [\"energy\", \"kinetic\", \"potential\", \"violation\", "
          "\"newton\"",
          f);
    for (int k = 0; k < joints; k++)
        fprintf(f, ", \"joint-%d.y\"", k);
    fprintf(f, "%s]}", more);
}

void perp_trust_write(FILE *f, const perp_trust_scene *scene)
{
    fprintf(f, "{\"version\": 1, \"title\": \"%s\",\n\"time\": {\"until\": %.17g, \"step\": %.17g}",
            scene->title, scene->until, scene->step);
    scene->write(f, scene);
    fputs(",\n\"frames\": {\"every\": 0}}\n", f);
}
