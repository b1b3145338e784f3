/* SPDX-License-Identifier: BSD-3-Clause */
/* Muscles: forces along a coordinate that is their length, by their length, its rate and an
 * activation. */
#ifndef PERP_SCENE_MUSCLE_H
#define PERP_SCENE_MUSCLE_H

/* With l = low + (length - shortest) (high - low)/(longest - shortest), in optimal lengths, and v =
 * its rate / fastest, the force is - strength (activation FL(l) FV(v) + FP(l)). */
typedef struct perp_muscle {
    double strength;          /* the largest active one at rest */
    double shortest, longest; /* of the length, where l is low and high */
    double low, high;
    double least, most;        /* l where FL vanishes */
    double fastest;            /* speed of shortening where FV vanishes */
    double passive, eccentric; /* twice FP at (1 + most)/2; the largest FV */
    int bounded;               /* the force is no less than bound[0], and no more than bound[1] */
    double bound[2];
} perp_muscle;

void perp_muscle_init(perp_muscle *muscle);
double perp_muscle_force(const perp_muscle *muscle, double length, double rate, double activation);

#endif
