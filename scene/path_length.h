/* SPDX-License-Identifier: BSD-3-Clause */
/* The length of a path through points of bodies, around spheres and cylinders that they carry; or a
 * place along an axis of a body. */
#ifndef PERP_SCENE_PATH_LENGTH_H
#define PERP_SCENE_PATH_LENGTH_H

typedef enum perp_path_kind {
    PERP_PATH_POINT,
    PERP_PATH_SPHERE,   /* between two points */
    PERP_PATH_CYLINDER, /* the same; without ends, along the z of its frame */
    PERP_PATH_DIVIDE,   /* a new branch begins, whose length counts divided by `divisor` */
    PERP_PATH_AXIS,     /* how far the point behind it lies along the z of its frame, with a sign */
    PERP_PATH_ROD /* how far it slides along that z, held by a rod of length `radius` that ends
                     in the point behind it; where the rod is too short, as an axis */
} perp_path_kind;

typedef struct perp_path_part {
    perp_path_kind kind;
    int body; /* its place among the poses; -1: the world */
    double place[3], turn[4], radius, divisor;
    /* A point in the frame of the round shape: the path takes the way around that comes nearest to
     * it; and where it lies inside, the path is drawn to the shape from outside and touches it. */
    int has_side;
    double side[3];
    int side_apart, side_body; /* or in the frame of another body (-1: the world) */
} perp_path_part;

/* poses: place and unit quaternion of each body, 7 numbers.  gradient (NULL: not wanted): 6 for
 * each body, by the velocity of its origin and by its turns about the axes that it carries. */
double perp_path_length(const perp_path_part *parts, int count, const double *poses, int bodies,
                        double *gradient);

/* Beside a shape whose side is across, the rule of the side makes the length jump as the line turns
 * past a right angle with it: from around the shape to straight, or back. Here the path has of all
 * such ways those that bring the length near to `near`, so that it stays on the way that it had. */
double perp_path_length_near(const perp_path_part *parts, int count, const double *poses,
                             int bodies, double near, double *gradient);

#endif
