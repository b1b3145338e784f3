/* SPDX-License-Identifier: BSD-3-Clause */
/* Convex shapes in place, the gap between two of them, and the points where they touch.
 *
 * A shape is a core plus a ball of radius `ball` around each of its points: a sphere is a point and
 * a ball, a capsule a segment and a ball.  The support function of a core is the largest of a few
 * smooth branches: one for each vertex of a polytope, one for each rim of a cylinder.
 *
 * For a unit vector n from b to a, g(n) = min n . x over a - max n . x over b never exceeds the
 * signed distance, and the largest g is that distance, or minus the depth of the overlap.  GJK or
 * EPA find the place of the maximum; it is then solved for exactly on the branches that meet there.
 */
#ifndef PERP_KERNEL_CONVEX_H
#define PERP_KERNEL_CONVEX_H

#include <perp/collide.h>

typedef enum perp_core_kind {
    PERP_CORE_POINT,
    PERP_CORE_SEGMENT,   /* half[2], along z */
    PERP_CORE_BOX,       /* half */
    PERP_CORE_CYLINDER,  /* radius, half[2] */
    PERP_CORE_CONE,      /* radius, half[2]: base at z = 0, tip at 2 half[2] */
    PERP_CORE_ELLIPSOID, /* half: semi-axes */
    PERP_CORE_HULL,      /* vertices and faces */
} perp_core_kind;

/* Faces: loops of vertices, anticlockwise from outside. */
typedef struct perp_hull {
    int nvertices, nfaces;
    double *vertex; /* 3 each */
    int *point;     /* which of the points given each is */
    int *start;     /* nfaces + 1 */
    int *loop;
    double *normal; /* 3 each, unit, outwards */
} perp_hull;

typedef struct perp_convex {
    perp_core_kind kind;
    double centre[3], R[9]; /* column-major: axes of the shape */
    double half[3], radius, ball;
    double size; /* of the core: a length that nothing of it exceeds from the centre */
    const perp_hull *hull;
} perp_convex;

enum { PERP_FACET_POINTS = 40 };

/* What of a core lies farthest along a direction: a segment or a polygon. */
typedef struct perp_facet {
    int count;
    double x[PERP_FACET_POINTS][3];
    double normal[3];
} perp_facet;

/* n from b to a; point_a and point_b on the cores, a - b = gap n; the balls are not counted. */
typedef struct perp_separation {
    double gap, normal[3], point_a[3], point_b[3];
} perp_separation;

/* A point where two shapes touch or may touch, gap with the balls counted.  radius_a: of a ball
 * that has the curvature of a at point_a; 0: an edge or a corner. */
typedef struct perp_touch {
    perp_contact_point at;
    double radius_a, radius_b;
    int plane_a, plane_b; /* at most one: the other side meets a plane that moves with it */
} perp_touch;

/* One vertex of the difference of two cores. */
typedef struct perp_minkowski {
    double m[3], a[3], b[3];
    int branch_a, branch_b;
} perp_minkowski;

typedef struct perp_simplex {
    int count;
    perp_minkowski vertex[4];
    double weight[4];
} perp_simplex;

/* Farthest point of the core along d (not 0), and its branch (convex.c). */
int perp_convex_support(double *out, const perp_convex *c, const double *d);
/* The point of one branch along n; *curved: it depends on n. */
void perp_convex_branch(double *out, const perp_convex *c, int branch, const double *n);
/* The face whose normal is nearest to d: the cosine, -2 where there is none.  around: 0 a round
 * face as an octagon within it, 1 as a polygon of 16 around it. */
double perp_convex_face(perp_facet *face, const perp_convex *c, const double *d, int around);
/* The straight edge or line of the surface that is nearest to perpendicular to d where it is
 * farthest along d: the sine of the angle that is missing, 2 where there is none. */
double perp_convex_line(perp_facet *line, const perp_convex *c, const double *d);
/* Radius of a ball that touches at the place of a core where n is the outward normal. */
double perp_convex_curvature(const perp_convex *c, const double *n, const double *x);

enum { PERP_GJK_APART, PERP_GJK_FAR, PERP_GJK_OVERLAP };
/* Distance of the cores and its simplex; FAR: it is more than limit; OVERLAP: normal is the last
 * direction (gjk.c). */
int perp_gjk(perp_simplex *simplex, double *normal, const perp_convex *a, const perp_convex *b,
             double limit);
void perp_gjk_support(perp_minkowski *out, const perp_convex *a, const perp_convex *b,
                      const double *direction);
/* The direction of the least overlap and the face there (epa.c). */
void perp_epa(perp_simplex *simplex, double *normal, const perp_convex *a, const perp_convex *b);
/* The same of boxes and hulls that overlap or just touch, by all their faces and edges; 0: one of
 * them is neither, or they are too many (separating_axes.c). */
int perp_separating_axis(perp_simplex *simplex, double *normal, const perp_convex *a,
                         const perp_convex *b);
/* Goes up from a direction to a normal with a larger g than the present one, which stays where there
 * is none. */
void perp_climb(perp_simplex *simplex, double *normal, const double *start, const perp_convex *a,
                const perp_convex *b);

/* The same from the best of some directions: towards the other, across an axis, normals of faces.
 * Where shapes barely touch EPA has no volume to begin with. */
void perp_climb_from_likely(perp_simplex *simplex, double *normal, const perp_convex *a,
                            const perp_convex *b);
/* The same from the present one. */
void perp_climb_on(perp_simplex *simplex, double *normal, const perp_convex *a,
                   const perp_convex *b);

/* The normal that a pair had, from b to a, and what it may part less than the best one to be kept,
 * of the smaller size: what bodies at rest move in some steps. */
typedef struct perp_kept_normal {
    double n[3], slack;
} perp_kept_normal;

/* Of two polytopes, n: that normal, of norm 1, and that of a face where it was; 0: it is not kept. */
int perp_convex_kept(double *n, const perp_convex *a, const perp_convex *b,
                     const perp_kept_normal *before);
/* 0: farther apart than limit (separation.c).  before: NULL, or the normal that the pair had, which
 * two polytopes keep: edges that lie along each other leave it open, and it must not jump while
 * they rest. */
int perp_convex_separation(perp_separation *out, const perp_convex *a, const perp_convex *b,
                           double limit, const perp_kept_normal *before);
double perp_convex_gap(const perp_convex *a, const perp_convex *b, const double *n); /* g(n) */

/* Points with gaps up to reach; at most capacity, in an order that depends on the input alone
 * (patch.c). */
int perp_convex_touch(perp_touch *points, int capacity, const perp_convex *a, const perp_convex *b,
                      double reach, const perp_kept_normal *before);
/* The same of a on one face of b alone, that of normal n: what lies above it, inside of its sides.
 */
int perp_convex_touch_face(perp_touch *points, int capacity, const perp_convex *a,
                           const perp_convex *b, const double *n, double reach);
/* The same above a half-space n . x <= offset, which counts as b. */
int perp_convex_touch_plane(perp_touch *points, int capacity, const perp_convex *a,
                            const double *normal, double offset, double reach);

/* Which of at most PERP_TOUCHES points are kept, at most `most`: how many (spread.c).  same: gaps
 * that differ by less are as low. */
enum { PERP_TOUCHES = 64 };
int perp_touch_spread(int *chosen, const perp_touch *points, int count, int most, double same);
/* Of their points on a, squared. */
double perp_touch_distance2(const perp_touch *x, const perp_touch *y);

#endif
