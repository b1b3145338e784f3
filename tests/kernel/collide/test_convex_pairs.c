/* SPDX-License-Identifier: BSD-3-Clause */
/* The own narrow phase on random pairs of convex shapes: the gap against its definition, the
 * largest distance of two parallel planes between the shapes, with supports of this file; points on
 * the surfaces; the same bits, mirrored, for exchanged shapes; closed forms. */
#include "config.h"

#include "tests/fixtures/collide_scene.h"

enum { KINDS = 7, MOST_POINTS = 16 };
/* A check that says nothing while it holds: there are millions. */
#define NEED(condition)                                                                            \
    do {                                                                                           \
        if (!(condition))                                                                          \
            ck_abort_msg("%s", #condition);                                                        \
    } while (0)

static const perp_shape_kind kinds[KINDS] = {
    PERP_SHAPE_SPHERE, PERP_SHAPE_BOX,       PERP_SHAPE_CAPSULE, PERP_SHAPE_CYLINDER,
    PERP_SHAPE_CONE,   PERP_SHAPE_ELLIPSOID, PERP_SHAPE_HULL};
static double cloud[3 * 14];

/* Least of n . x over a shape at a pose. */
static double lowest(const perp_shape_def *def, const double *pose, const double *n)
{
    double d[3], low = 0.0, flat;
    perp_quaternion_rotate_back(pose + 3, n, d);
    flat = sqrt(d[0] * d[0] + d[1] * d[1]);
    switch (def->kind) {
    case PERP_SHAPE_BOX:
        for (int k = 0; k < 3; k++)
            low -= fabs(d[k]) * def->half[k];
        break;
    case PERP_SHAPE_SPHERE:
        low = -def->radius;
        break;
    case PERP_SHAPE_CAPSULE:
        low = -def->radius - fabs(d[2]) * def->half[2];
        break;
    case PERP_SHAPE_CYLINDER:
        low = -def->radius * flat - fabs(d[2]) * def->half[2];
        break;
    case PERP_SHAPE_CONE:
        low = fmin(-def->radius * flat, 2.0 * def->half[2] * d[2]);
        break;
    case PERP_SHAPE_ELLIPSOID:
        for (int k = 0; k < 3; k++)
            low += def->half[k] * def->half[k] * d[k] * d[k];
        low = -sqrt(low);
        break;
    default:
        low = INFINITY;
        for (int i = 0; i < def->nvertices; i++) {
            const double *x = def->vertices + 3 * i;
            low = fmin(low, d[0] * x[0] + d[1] * x[1] + d[2] * x[2]);
        }
    }
    return low + n[0] * pose[0] + n[1] * pose[1] + n[2] * pose[2];
}

static double gap_along(const perp_shape_def *a, const double *pose_a, const perp_shape_def *b,
                        const double *pose_b, const double *n)
{
    double down[3] = {-n[0], -n[1], -n[2]};
    return lowest(a, pose_a, n) + lowest(b, pose_b, down);
}

static void unit(double *n)
{
    double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    for (int k = 0; k < 3; k++)
        n[k] /= length;
}

typedef struct pair {
    scene s;
    perp_shape_def def[2];
    double pose[2][7];
} pair;

static void random_shape(perp_shape_def *def, perp_shape_kind kind, perp_rng *rng)
{
    perp_shape_def_init(def, sizeof *def);
    def->kind = kind;
    def->radius = between(rng, 0.1, 0.8);
    for (int k = 0; k < 3; k++)
        def->half[k] = between(rng, 0.1, 0.8);
    for (int k = 0; k < 42; k++)
        cloud[k] = between(rng, -0.7, 0.7);
    def->vertices = cloud;
    def->nvertices = 14;
}

static int hulls_are_there(void)
{
#ifdef HAVE_QHULL
    return 1;
#else
    return 0;
#endif
}

static void open_pair(pair *p, int ka, int kb)
{
    perp_rng rng = {(uint64_t)(97 + 10 * ka + kb)};
    const int kind[2] = {ka, kb};
    double zero[3] = {0.0, 0.0, 0.0};
    open_scene(&p->s, 2);
    perp_collider_set_margin(p->s.collider, 100.0);
    for (int i = 0; i < 2; i++) {
        random_shape(&p->def[i], kinds[kind[i]], &rng);
        p->s.bodies[i] = add_body(p->s.model, zero, NULL);
        p->def[i].body = p->s.bodies[i];
        ck_assert_int_eq(perp_collider_add(p->s.collider, &p->def[i], NULL, NULL), PERP_SOLVED);
        p->def[i] = p->s.collider->shapes[i].def;
        p->pose[i][3] = 1.0;
    }
    detect(&p->s, 0.0);
}

/* New places; the shapes of the collider follow. */
static void move_pair(pair *p, perp_rng *rng, double apart)
{
    for (int i = 0; i < 2; i++) {
        double turn[3];
        for (int k = 0; k < 3; k++) {
            turn[k] = between(rng, -3, 3);
            p->pose[i][k] = between(rng, -apart, apart);
        }
        perp_quaternion_exp(turn, p->pose[i] + 3);
        memcpy(state_of(&p->s, i, NULL), p->pose[i], sizeof p->pose[i]);
    }
    ck_assert_int_eq(perp_collider_place(p->s.collider, 0.0), PERP_SOLVED);
}

static int touch(perp_touch *points, const pair *p, int first, double reach)
{
    const perp_shape *shapes = p->s.collider->shapes;
    int count = perp_shape_touch(points, MOST_POINTS, &shapes[first], &shapes[1 - first], reach);
    ck_assert_int_ge(count, 0);
    ck_assert_int_le(count, MOST_POINTS);
    return count;
}

/* Of the points the one whose normal parts the shapes most: its gap is that of its normal, and no
 * other normal gives more.  Directions are tried at random and around that normal. */
static void check_nearest(const pair *p, const perp_touch *points, int count, perp_rng *rng,
                          int trials)
{
    double gap = -INFINITY, n[3] = {0.0, 0.0, 1.0}, own = 0.0;
    for (int i = 0; i < count; i++) {
        double part =
            gap_along(&p->def[0], p->pose[0], &p->def[1], p->pose[1], points[i].at.normal);
        if (part > gap || (part > gap - 1e-12 && points[i].at.gap < own)) {
            gap = fmax(part, gap);
            own = points[i].at.gap;
            memcpy(n, points[i].at.normal, sizeof n);
        }
    }
    ck_assert_double_eq_tol(n[0] * n[0] + n[1] * n[1] + n[2] * n[2], 1.0, 1e-14);
    ck_assert_double_eq_tol(own, gap, 3e-7);
    for (int k = 0; k < trials; k++) {
        double to[3], size = k % 2 ? 10.0 : pow(10.0, -9.0 * perp_rng_uniform(rng));
        for (int i = 0; i < 3; i++)
            to[i] = n[i] + size * between(rng, -1, 1);
        unit(to);
        double other = gap_along(&p->def[0], p->pose[0], &p->def[1], p->pose[1], to);
        NEED(other <= gap + 1e-9);
    }
}

static void check_points(const pair *p, const perp_touch *points, int count, double reach)
{
    for (int i = 0; i < count; i++) {
        const perp_contact_point *at = &points[i].at;
        double apart = 0.0, along_a = 0.0, along_b = 0.0, down[3];
        NEED(at->gap <= reach);
        NEED(isfinite(at->gap));
        for (int k = 0; k < 3; k++) {
            double d = at->point_a[k] - at->point_b[k] - at->gap * at->normal[k];
            apart += d * d;
            along_a += at->normal[k] * at->point_a[k];
            along_b += at->normal[k] * at->point_b[k];
            down[k] = -at->normal[k];
        }
        NEED(sqrt(apart) <= 1e-9);
        /* No point is outside of its shape. */
        NEED(along_a >= lowest(&p->def[0], p->pose[0], at->normal) - 1e-9);
        NEED(along_b <= -lowest(&p->def[1], p->pose[1], down) + 1e-9);
    }
}

static void check_exchange(const pair *p, const perp_touch *points, int count, double reach)
{
    perp_touch back[MOST_POINTS];
    ck_assert_int_eq(touch(back, p, 1, reach), count);
    for (int i = 0; i < count; i++) {
        NEED(back[i].at.gap == points[i].at.gap);
        for (int k = 0; k < 3; k++) {
            NEED(back[i].at.normal[k] == -points[i].at.normal[k]);
            NEED(back[i].at.point_a[k] == points[i].at.point_b[k]);
            NEED(back[i].at.point_b[k] == points[i].at.point_a[k]);
        }
    }
}

START_TEST(random_pairs)
{
    const char *more = getenv("PERP_PAIRS");
    long rounds = more ? atol(more) / 28 : 3600;
    for (int ka = 0; ka < KINDS; ka++)
        for (int kb = ka; kb < KINDS; kb++) {
            perp_rng rng = {(uint64_t)(1 + 8 * ka + kb)};
            perp_touch points[MOST_POINTS];
            pair p;
            if (kb == KINDS - 1 && !hulls_are_there())
                continue;
            open_pair(&p, ka, kb);
            for (long round = 0; round < rounds; round++) {
                double reach = round % 4 ? 100.0 : 0.1;
                move_pair(&p, &rng, round % 3 ? 0.6 : 1.5);
                int count = touch(points, &p, 0, reach);
                ck_assert(count > 0 || reach < 1.0);
                check_points(&p, points, count, reach);
                check_exchange(&p, points, count, reach);
                if (count > 0)
                    check_nearest(&p, points, count, &rng, round < 300 ? 60 : 4);
            }
            close_scene(&p.s);
        }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("convex_pairs");
    TCase *tcase = tcase_create("convex_pairs");
    tcase_set_timeout(tcase, 600);
    tcase_add_test(tcase, random_pairs);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
