/* SPDX-License-Identifier: BSD-3-Clause */
/* The own narrow phase on random pairs of convex shapes: the gap against its definition, the
 * largest distance of two parallel planes between the shapes, with supports of this file; points on
 * the surfaces; the same bits, mirrored, for exchanged shapes; closed forms. */
#include "tests/fixtures/convex_pair.h"

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
    }
    place_pair(p);
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

/* A box, a cylinder, or a frustum as a hull, whose upper and lower faces are z = -half[2] and
 * half[2]. */
static void flat_shape(perp_shape_def *def, int kind, perp_rng *rng)
{
    random_shape(def,
                 kind == 0   ? PERP_SHAPE_BOX
                 : kind == 1 ? PERP_SHAPE_CYLINDER
                             : PERP_SHAPE_HULL,
                 rng);
    def->nvertices = 8;
    for (int k = 0; k < 8; k++) {
        double narrow = between(rng, 0.5, 1.0);
        cloud[3 * k] = (k & 1 ? narrow : -narrow) * def->half[0];
        cloud[3 * k + 1] = (k & 2 ? narrow : -narrow) * def->half[1];
        cloud[3 * k + 2] = (k & 4 ? 1.0 : -1.0) * def->half[2];
    }
}

/* Face on face, nearly parallel, apart or within each other by next to nothing, anywhere in space:
 * the normal is that of the faces. */
static void check_faces(pair *p, perp_rng *rng)
{
    double size = pow(10.0, -14.0 + 5.0 * perp_rng_uniform(rng)), turn[3], q[4];
    double tilt =
               perp_rng_uniform(rng) < 0.3 ? 0.0 : pow(10.0, -14.0 + 5.0 * perp_rng_uniform(rng)),
           gap = perp_rng_uniform(rng) < 0.2 ? 0.0 : size * between(rng, -1.0, 1.0);
    double up[3], local[3] = {0.0, 0.0, 0.0};
    perp_touch points[MOST_POINTS];
    for (int k = 0; k < 3; k++) {
        p->pose[0][k] = between(rng, -2.0, 2.0);
        turn[k] = between(rng, -3.0, 3.0);
    }
    perp_quaternion_exp(turn, p->pose[0] + 3);
    perp_quaternion_exp((double[3]){tilt * between(rng, -1, 1), tilt * between(rng, -1, 1),
                                    perp_rng_uniform(rng) < 0.3 ? 0.0 : between(rng, -3.0, 3.0)},
                        q);
    perp_quaternion_product(p->pose[0] + 3, q, p->pose[1] + 3);
    for (int k = 0; k < 2; k++)
        local[k] = 0.2 * fmin(p->def[0].half[k], p->def[1].half[k]) * between(rng, -1.0, 1.0);
    local[2] = -(p->def[0].half[2] + p->def[1].half[2] + gap);
    perp_quaternion_rotate(p->pose[0] + 3, local, p->pose[1]);
    for (int k = 0; k < 3; k++)
        p->pose[1][k] += p->pose[0][k];
    place_pair(p);
    perp_quaternion_rotate(p->pose[0] + 3, (double[3]){0.0, 0.0, 1.0}, up);
    int count = touch(points, p, 0, 0.01);
    ck_assert_int_gt(count, 0);
    for (int i = 0; i < count; i++) {
        const perp_contact_point *at = &points[i].at;
        NEED(at->normal[0] * up[0] + at->normal[1] * up[1] + at->normal[2] * up[2] > 1.0 - 1e-9);
        NEED(fabs(at->gap - gap) < 2.0 * tilt + 1e-12);
    }
    check_points(p, points, count, 0.01);
}

START_TEST(faces_that_barely_touch)
{
    const char *more = getenv("PERP_PAIRS");
    long rounds = more ? atol(more) / 60 : 100;
    int kinds_there = hulls_are_there() ? 3 : 2;
    for (int ka = 0; ka < kinds_there; ka++)
        for (int kb = ka; kb < kinds_there; kb++)
            for (int shapes = 0; shapes < 10; shapes++) {
                perp_rng rng = {(uint64_t)(1000 + 31 * shapes + 8 * ka + kb)};
                double zero[3] = {0.0, 0.0, 0.0};
                pair p;
                open_scene(&p.s, 2);
                for (int i = 0; i < 2; i++) {
                    flat_shape(&p.def[i], i ? kb : ka, &rng);
                    p.s.bodies[i] = add_body(p.s.model, zero, NULL);
                    p.def[i].body = p.s.bodies[i];
                    ck_assert_int_eq(perp_collider_add(p.s.collider, &p.def[i], NULL, NULL),
                                     PERP_SOLVED);
                    p.def[i] = p.s.collider->shapes[i].def;
                }
                for (long round = 0; round < rounds; round++)
                    check_faces(&p, &rng);
                close_scene(&p.s);
            }
}
END_TEST

/* A cylinder beside a cylinder, or on a face of a box, the axis parallel but for a tilt and the
 * ends level with each other or not, apart or within each other by next to nothing. */
static void check_sides(pair *p, perp_rng *rng)
{
    double size = pow(10.0, -17.0 + 7.0 * perp_rng_uniform(rng));
    double gap = perp_rng_uniform(rng) < 0.2 ? 0.0 : size * between(rng, -1.0, 1.0);
    double tilt =
        perp_rng_uniform(rng) < 0.3 ? 0.0 : pow(10.0, -17.0 + 7.0 * perp_rng_uniform(rng));
    int box = p->def[1].kind == PERP_SHAPE_BOX;
    double r[2] = {p->def[0].radius, box ? p->def[1].half[0] : p->def[1].radius}, out[3], q[4],
           about = between(rng, -3, 3);
    double level = perp_rng_uniform(rng) < 0.5 ? 0.0 : between(rng, -0.1, 0.1);
    perp_touch points[MOST_POINTS];
    double turn[3] = {1.57079632679489655799898, 0.0, 0.0};
    int square = perp_rng_uniform(rng) < 0.5; /* as scenes are written */
    for (int k = 0; k < 3; k++) {
        p->pose[0][k] = square ? 0.0 : between(rng, -2.0, 2.0);
        turn[k] = square ? turn[k] : between(rng, -3.0, 3.0);
    }
    perp_quaternion_exp(turn, p->pose[0] + 3);
    about = square ? floor(about) * 0.52359877559829887 : about;
    perp_quaternion_exp((double[3]){tilt * between(rng, -1, 1), tilt * between(rng, -1, 1), 0.0},
                        q);
    perp_quaternion_product(p->pose[0] + 3, q, p->pose[1] + 3);
    double twist = box || perp_rng_uniform(rng) < 0.5 ? about : between(rng, -3, 3);
    perp_quaternion_exp((double[3]){0.0, 0.0, twist}, q);
    perp_quaternion_product(p->pose[1] + 3, q, p->pose[1] + 3);
    double reach = r[0] + r[1] + gap;
    double local[3] = {reach * cos(about), reach * sin(about), level};
    perp_quaternion_rotate(p->pose[0] + 3, local, p->pose[1]);
    perp_quaternion_rotate(p->pose[0] + 3, (double[3]){-cos(about), -sin(about), 0.0}, out);
    for (int k = 0; k < 3; k++)
        p->pose[1][k] += p->pose[0][k];
    place_pair(p);
    int count = touch(points, p, 0, 0.01);
    ck_assert_int_gt(count, 0);
    for (int i = 0; i < count; i++) {
        const perp_contact_point *at = &points[i].at;
        NEED(at->normal[0] * out[0] + at->normal[1] * out[1] + at->normal[2] * out[2] > 1.0 - 1e-6);
        NEED(fabs(at->gap - gap) < 2.0 * tilt + 1e-9);
    }
    check_points(p, points, count, 0.01);
}

START_TEST(sides_that_barely_touch)
{
    const char *more = getenv("PERP_PAIRS");
    long rounds = more ? atol(more) / 40 : 400;
    for (int shapes = 0; shapes < 40; shapes++) {
        perp_rng rng = {(uint64_t)(4000 + shapes)};
        double zero[3] = {0.0, 0.0, 0.0};
        int alike = shapes % 2;
        pair p;
        open_scene(&p.s, 2);
        for (int i = 0; i < 2; i++) {
            random_shape(&p.def[i], i && shapes % 4 > 1 ? PERP_SHAPE_BOX : PERP_SHAPE_CYLINDER,
                         &rng);
            if (alike) {
                p.def[i].radius = p.def[i].half[0] = 0.1;
                p.def[i].half[2] = 0.4;
            }
            p.s.bodies[i] = add_body(p.s.model, zero, NULL);
            p.def[i].body = p.s.bodies[i];
            ck_assert_int_eq(perp_collider_add(p.s.collider, &p.def[i], NULL, NULL), PERP_SOLVED);
            p.def[i] = p.s.collider->shapes[i].def;
        }
        for (long round = 0; round < rounds; round++)
            check_sides(&p, &rng);
        close_scene(&p.s);
    }
}
END_TEST

static double least_gap(double *n, const perp_touch *points, int count)
{
    double gap = INFINITY;
    for (int i = 0; i < count; i++)
        if (points[i].at.gap < gap) {
            gap = points[i].at.gap;
            memcpy(n, points[i].at.normal, 3 * sizeof *n);
        }
    return gap;
}

/* Shapes far apart, also turned by quarters and in a line as scenes are written, are brought
 * together along the normal of their distance, which is less by as much then.  Rims that meet at
 * any angle may be off by 1e-4. */
static void check_barely(pair *p, perp_rng *rng)
{
    int square = perp_rng_uniform(rng) < 0.7;
    double size = pow(10.0, -17.0 + 7.0 * perp_rng_uniform(rng)), n[3], there[3];
    double wanted = perp_rng_uniform(rng) < 0.2 ? 0.0 : size * between(rng, -1.0, 1.0);
    perp_touch points[MOST_POINTS];
    for (int i = 0; i < 2; i++) {
        double turn[3], quarter = 1.57079632679489655799898;
        for (int k = 0; k < 3; k++) {
            turn[k] = square ? 0.0 : between(rng, -3.0, 3.0);
            p->pose[i][k] = square ? 0.0 : between(rng, -0.5, 0.5);
        }
        if (square) /* about one axis */
            turn[(int)(3.0 * perp_rng_uniform(rng)) % 3] = quarter * floor(between(rng, -1.0, 3.0));
        perp_quaternion_exp(turn, p->pose[i] + 3);
    }
    int axis = (int)(3.0 * perp_rng_uniform(rng)) % 3;
    p->pose[1][axis] += perp_rng_uniform(rng) < 0.5 ? -6.0 : 6.0;
    for (int round = 0; round < 2; round++) {
        place_pair(p);
        int count = touch(points, p, 0, 100.0);
        ck_assert_int_gt(count, 0);
        double gap = least_gap(round == 0 ? n : there, points, count);
        if (round == 1)
            NEED(fabs(gap - wanted) < (square ? 1e-7 : 2e-4));
        for (int k = 0; k < 3 && round == 0; k++)
            p->pose[1][k] += (gap - wanted) * n[k];
    }
}

START_TEST(shapes_that_barely_touch)
{
    const char *more = getenv("PERP_PAIRS");
    long rounds = more ? atol(more) / 28 : 400;
    for (int ka = 0; ka < KINDS; ka++)
        for (int kb = ka; kb < KINDS; kb++) {
            perp_rng rng = {(uint64_t)(7000 + 8 * ka + kb)};
            pair p;
            if (kb == KINDS - 1 && !hulls_are_there())
                continue;
            open_pair(&p, ka, kb);
            for (long round = 0; round < rounds; round++)
                check_barely(&p, &rng);
            close_scene(&p.s);
        }
}
END_TEST

/* Two cards that lean against each other, edge on edge, apart or within each other by next to
 * nothing: no normal that is returned parts them less than the horizontal one. */
static void check_edges(pair *p, perp_rng *rng)
{
    const double *half = p->def[0].half;
    double angle = between(rng, 0.02, 1.3), whole[4] = {1.0, 0.0, 0.0, 0.0}, edge[3], n[3];
    double off = perp_rng_uniform(rng) < 0.3 ? 0.0 : pow(10.0, -17.0 + 6.0 * perp_rng_uniform(rng));
    perp_touch points[MOST_POINTS];
    if (perp_rng_uniform(rng) < 0.7)
        perp_quaternion_exp(
            (double[3]){between(rng, -3, 3), between(rng, -3, 3), between(rng, -3, 3)}, whole);
    for (int i = 0; i < 2; i++) {
        double turn[3] = {0.0, i ? -angle : angle, 0.0}, q[4], side = i ? -1.0 : 1.0;
        for (int k = 0; k < 3; k++)
            turn[k] += off * between(rng, -1, 1);
        perp_quaternion_exp(turn, q);
        perp_quaternion_product(whole, q, p->pose[i] + 3);
        perp_quaternion_rotate(
            p->pose[i] + 3, (double[3]){side * half[0], off * between(rng, -1, 1), half[2]}, edge);
        for (int k = 0; k < 3; k++)
            p->pose[i][k] = off * between(rng, -1, 1) - edge[k];
    }
    place_pair(p);
    perp_quaternion_rotate(whole, (double[3]){-1.0, 0.0, 0.0}, n);
    int count = touch(points, p, 0, 0.01);
    ck_assert_int_gt(count, 0);
    double gap = -INFINITY, least = gap_along(&p->def[0], p->pose[0], &p->def[1], p->pose[1], n);
    for (int i = 0; i < count; i++)
        gap = fmax(gap,
                   gap_along(&p->def[0], p->pose[0], &p->def[1], p->pose[1], points[i].at.normal));
    NEED(gap >= least - 1e-9);
    check_nearest(p, points, count, rng, 4);
    check_points(p, points, count, 0.01);
    check_exchange(p, points, count, 0.01);
}

static void add_card(pair *p, int i, int hull)
{
    double zero[3] = {0.0, 0.0, 0.0};
    perp_shape_def *def = &p->def[i];
    perp_shape_def_init(def, sizeof *def);
    def->kind = hull ? PERP_SHAPE_HULL : PERP_SHAPE_BOX;
    memcpy(def->half, (const double[3]){0.005, 0.1, 0.15}, sizeof def->half);
    for (int k = 0; k < 24; k++)
        cloud[k] = (k / 3 >> k % 3 & 1 ? 1.0 : -1.0) * def->half[k % 3];
    def->vertices = cloud;
    def->nvertices = 8;
    p->s.bodies[i] = add_body(p->s.model, zero, NULL);
    def->body = p->s.bodies[i];
    ck_assert_int_eq(perp_collider_add(p->s.collider, def, NULL, NULL), PERP_SOLVED);
    *def = p->s.collider->shapes[i].def;
    memcpy(def->half, (const double[3]){0.005, 0.1, 0.15}, sizeof def->half);
}

START_TEST(edges_that_barely_touch)
{
    const char *more = getenv("PERP_PAIRS");
    long rounds = more ? atol(more) / 3 : 3000;
    for (int hulls = 0; hulls < (hulls_are_there() ? 3 : 1); hulls++) {
        perp_rng rng = {(uint64_t)(77 + hulls)};
        pair p;
        open_scene(&p.s, 2);
        add_card(&p, 0, hulls > 1);
        add_card(&p, 1, hulls > 0);
        for (long round = 0; round < rounds; round++)
            check_edges(&p, &rng);
        close_scene(&p.s);
    }
}
END_TEST

/* The tip of a tower of cards at rest: EPA took the thickness of the cards for their overlap, and a
 * step moved them apart by centimetres. */
START_TEST(tip_of_a_tower_of_cards)
{
    static const double pose[2][7] = {
        {0x1.061c3e65f1b35p+0, -0x1.faec3c71c71c6p-44, 0x1.1aca897a6e974p+1, 0x1.f82e13b0332e2p-1,
         0x1.6ef7498cd63b9p-45, 0x1.6492cea774a97p-3, 0x1.f42c415f3049bp-48},
        {0x1.22d984296a763p+0, -0x1.fae9e2aaaaaaap-44, 0x1.1aca897a6e972p+1, 0x1.f82e13b0332e2p-1,
         0x1.6eea428d9b6e1p-45, -0x1.6492cea774a87p-3, -0x1.f4793640cbebep-48}};
    for (int hulls = 0; hulls < (hulls_are_there() ? 2 : 1); hulls++) {
        perp_touch points[MOST_POINTS];
        pair p;
        open_scene(&p.s, 2);
        for (int i = 0; i < 2; i++) {
            add_card(&p, i, hulls);
            memcpy(state_of(&p.s, i, NULL), pose[i], sizeof pose[i]);
        }
        ck_assert_int_eq(perp_collider_place(p.s.collider, 0.0, 0), PERP_SOLVED);
        int count = touch(points, &p, 0, 0.01);
        ck_assert_int_eq(count, 2);
        for (int i = 0; i < count; i++)
            ck_assert_double_eq_tol(points[i].at.gap, 0.0, 1e-12);
        close_scene(&p.s);
    }
}
END_TEST

/* Two stones of an arch that overlap by 4e-11: a simplex without volume whose nearest point lay on
 * the wrong side of the origin. */
START_TEST(stones_of_an_arch)
{
    static const double x[2] = {0.11616246112922975, 0.13499961698802374},
                        z[2] = {-0.15344660949584665, 0.14596140903263466};
    static const double pose[2][7] = {
        {-1.9643760677178779, 7.744437291985347e-08, 0.37472442575789749, 0.77051324288696665,
         9.9333418236151675e-08, -0.63742398961428226, 1.0811337017835016e-07},
        {-1.9019210048458883, 1.721948389557072e-07, 0.61797098805333939, 0.80901699452698228,
         1.2589438717432756e-07, -0.58778525208318455, 1.4198653570886731e-07}};
    double vertices[24], zero[3] = {0.0, 0.0, 0.0};
    perp_touch points[MOST_POINTS];
    pair p;
    if (!hulls_are_there())
        return;
    for (int k = 0; k < 8; k++) {
        vertices[3 * k] = (k & 2 ? 1.0 : -1.0) * x[k & 1];
        vertices[3 * k + 1] = k & 4 ? 0.25 : -0.25;
        vertices[3 * k + 2] = z[k & 1];
    }
    open_scene(&p.s, 2);
    for (int i = 0; i < 2; i++) {
        perp_shape_def_init(&p.def[i], sizeof p.def[i]);
        p.def[i].kind = PERP_SHAPE_HULL;
        p.def[i].vertices = vertices;
        p.def[i].nvertices = 8;
        p.s.bodies[i] = add_body(p.s.model, zero, NULL);
        p.def[i].body = p.s.bodies[i];
        ck_assert_int_eq(perp_collider_add(p.s.collider, &p.def[i], NULL, NULL), PERP_SOLVED);
        p.def[i] = p.s.collider->shapes[i].def;
        memcpy(p.pose[i], pose[i], sizeof p.pose[i]);
        memcpy(state_of(&p.s, i, NULL), pose[i], sizeof p.pose[i]);
    }
    ck_assert_int_eq(perp_collider_place(p.s.collider, 0.0, 0), PERP_SOLVED);
    int count = touch(points, &p, 0, 0.01);
    ck_assert_int_eq(count, 4);
    for (int i = 0; i < count; i++) {
        ck_assert_double_eq_tol(points[i].at.gap, 0.0, 1e-9);
        ck_assert_double_eq_tol(points[i].at.normal[0], -sin(0.08 * acos(-1.0)), 1e-6);
    }
    check_exchange(&p, points, count, 0.01);
    close_scene(&p.s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("convex_pairs");
    TCase *tcase = tcase_create("convex_pairs");
    tcase_set_timeout(tcase, 600);
    tcase_add_test(tcase, random_pairs);
    tcase_add_test(tcase, faces_that_barely_touch);
    tcase_add_test(tcase, sides_that_barely_touch);
    tcase_add_test(tcase, shapes_that_barely_touch);
    tcase_add_test(tcase, edges_that_barely_touch);
    tcase_add_test(tcase, tip_of_a_tower_of_cards);
    tcase_add_test(tcase, stones_of_an_arch);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
