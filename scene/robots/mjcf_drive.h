/* SPDX-License-Identifier: BSD-3-Clause */
/* Actuators as springs with dampers, before what they move. */
#ifndef PERP_SCENE_ROBOTS_MJCF_DRIVE_H
#define PERP_SCENE_ROBOTS_MJCF_DRIVE_H

#include "scene/robots/mjcf.h"

/* force = gain control + bias - stiffness length - damping speed, within low and high. */
typedef struct perp_mjcf_drive {
    double gain, bias, stiffness, damping, low, high, gear, control;
    double gears[6];
    perp_robot_table moves; /* an activation that changes, in place of the control; count 0: none */
} perp_mjcf_drive;

/* A range, where it counts; infinite elsewhere: 0 or -1. */
int perp_mjcf_read_bound(const perp_mjcf_reader *r, const char *range, const char *limited,
                         double *bound);
/* That of the control, infinite where controls are not clamped: 0 or -1. */
int perp_mjcf_read_control(const perp_mjcf_reader *r, const perp_mjcf_target *to, double *bound);
/* Up to its delay the control would be 0: 0 or -1. */
int perp_mjcf_check_delay(const perp_mjcf_reader *r, double control);
/* 0; -2: it is not done, and it was said; -1. */
int perp_mjcf_read_drive(const perp_mjcf_reader *r, const perp_mjcf_target *to, perp_mjcf_drive *d,
                         const perp_mjcf_actuator *a);

#endif
