/* SPDX-License-Identifier: BSD-3-Clause */
/* A follower pressed by a spring on a turning cam ([SDN] chapter 14): m u'' + k u = 0 above the
 * cam, y = u - c(t) >= 0, rheonomous, Newton's law with e = 0.8.  The spring is slack at u = 0, so
 * that it presses with 143 N where the cam is lowest; there is neither gravity nor damping.  The
 * cam is an eccentric of arcs: its slope is continuous, its curvature jumps five times a
 * revolution. */
#ifndef CAM_H
#define CAM_H

#include <math.h>
#include <perp/kernel.h>

static const double cam_mass = 1.221, cam_stiffness = 1430.8, cam_restitution = 0.8;

/* Height of the cam under the follower and its rate at `turns` a second from the end of its
 * lower dwell, t = 0. */
static inline double cam_height(double *rate, double t, double turns)
{
    const double pi = 3.14159265358979323846;
    const double k1 = 0.45, r1 = 0.85, k2 = 0.40393320723821, r3 = 0.15;
    double w = 2 * pi * turns, beta = fmod(w * t + pi / 2, 2 * pi), c, slope, s;
    if (beta > pi) {
        beta = 2 * pi - beta;
        w = -w;
    }
    double x = beta - pi / 2;
    if (x <= 0) {
        c = 0.4;
        slope = 0;
    } else if (x <= 1.050328174371336) {
        s = sqrt(1 - pow(k1 * cos(beta) / r1, 2));
        c = -k1 * sin(beta) + r1 * s;
        slope = -k1 * cos(beta) + k1 * k1 * sin(beta) * cos(beta) / (r1 * s);
    } else if (x <= 1.22173047639603) {
        x = beta + pi / 9;
        s = sqrt(1 - pow(k2 * sin(x) / r3, 2));
        c = -k2 * cos(x) + r3 * s;
        slope = k2 * sin(x) - k2 * k2 * sin(x) * cos(x) / (r3 * s);
    } else {
        c = 0.55393320723821;
        slope = 0;
    }
    *rate = w * slope;
    return c - 0.3;
}

static inline int cam_gap(double *y, double t, const double *q, const double *lambda,
                          const double *z, void *u)
{
    double rate;
    (void)lambda, (void)u;
    y[0] = q[0] - cam_height(&rate, t, z[0]);
    return 0;
}

static inline int cam_gap_q(double *H, double t, const double *q, const double *lambda,
                            const double *z, void *u)
{
    (void)t, (void)q, (void)lambda, (void)z, (void)u;
    H[0] = 1;
    return 0;
}

static inline int cam_gap_t(double *drift, double t, const double *q, const double *lambda,
                            const double *z, void *u)
{
    double rate;
    (void)q, (void)lambda, (void)u;
    cam_height(&rate, t, z[0]);
    drift[0] = -rate;
    return 0;
}

/* The follower begins at q, v. */
static inline perp_status cam_make(perp_model *model, double turns, double q, double v,
                                   perp_system_id *follower, perp_interaction_id *cam)
{
    perp_lagrangian_def def;
    perp_lagrangian_def_init(&def, sizeof def);
    def.n = 1;
    def.q0 = &q;
    def.v0 = &v;
    perp_mat_init_dense(&def.M, 1, 1, &cam_mass, 1);
    perp_mat_init_dense(&def.K, 1, 1, &cam_stiffness, 1);
    perp_status status = perp_model_add_lagrangian(model, &def, follower, NULL);
    perp_interaction_def contact;
    perp_interaction_def_init(&contact, sizeof contact);
    contact.systems = follower;
    contact.nsystems = 1;
    contact.relation.kind = PERP_RELATION_RHEONOMOUS;
    contact.relation.rows = 1;
    contact.relation.h = cam_gap;
    contact.relation.h_x = cam_gap_q;
    contact.relation.h_t = cam_gap_t;
    contact.relation.z = &turns;
    contact.relation.nz = 1;
    contact.law = perp_law_impact(cam_restitution);
    return status == PERP_SOLVED ? perp_model_add_interaction(model, &contact, cam, NULL) : status;
}

#endif
