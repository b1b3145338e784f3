/* SPDX-License-Identifier: BSD-3-Clause */
/* Masses of shapes: integrals over points of a grid, triangles against closed forms, parts against
 * the whole, surfaces that are refused. */
#include "config.h"

#include "tests/fixtures/collide_scene.h"

static const double cube[24] = {-1, -1, -1, 1, -1, -1, -1, 1, -1, 1, 1, -1,
                                -1, -1, 1,  1, -1, 1,  -1, 1, 1,  1, 1, 1};
static const int sides[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                              2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};

static perp_shape_def shape(perp_shape_kind kind)
{
    perp_shape_def def;
    perp_shape_def_init(&def, sizeof def);
    def.kind = kind;
    def.radius = 0.5;
    def.half[0] = 0.4;
    def.half[1] = 0.6;
    def.half[2] = 0.7;
    def.vertices = cube;
    def.nvertices = 8;
    def.triangles = sides;
    def.ntriangles = 12;
    return def;
}

static int inside(const perp_shape_def *def, const double *x)
{
    double r = def->radius, flat = hypot(x[0], x[1]), h = def->half[2], sum = 0.0;
    switch (def->kind) {
    case PERP_SHAPE_SPHERE:
        return hypot(flat, x[2]) <= r;
    case PERP_SHAPE_BOX:
        return fabs(x[0]) <= def->half[0] && fabs(x[1]) <= def->half[1] && fabs(x[2]) <= h;
    case PERP_SHAPE_CAPSULE:
        return hypot(flat, fmax(fabs(x[2]) - h, 0.0)) <= r;
    case PERP_SHAPE_CYLINDER:
        return flat <= r && fabs(x[2]) <= h;
    case PERP_SHAPE_CONE:
        return x[2] >= 0.0 && flat <= r * (1.0 - x[2] / (2.0 * h));
    case PERP_SHAPE_ELLIPSOID:
        for (int k = 0; k < 3; k++)
            sum += x[k] * x[k] / (def->half[k] * def->half[k]);
        return sum <= 1.0;
    default:
        return fabs(x[0]) <= 1.0 && fabs(x[1]) <= 1.0 && fabs(x[2]) <= 1.0;
    }
}

/* Sums over the middles of small cubes. */
START_TEST(closed_forms_are_the_integrals)
{
    perp_shape_kind kinds[] = {PERP_SHAPE_SPHERE,   PERP_SHAPE_BOX,  PERP_SHAPE_CAPSULE,
                               PERP_SHAPE_CYLINDER, PERP_SHAPE_CONE, PERP_SHAPE_ELLIPSOID,
                               PERP_SHAPE_MESH};
    for (int kind = 0; kind < 7; kind++) {
        enum { N = 150 };
        perp_shape_def def = shape(kinds[kind]);
        double volume, centre[3], inertia[9], cell = 3.0 / N, sum = 0.0, first[3] = {0}, J[9] = {0};
        ck_assert_int_eq(perp_shape_volume(&def, &volume, NULL), PERP_SOLVED);
        ck_assert_int_eq(perp_shape_fill(&def, volume, centre, inertia, NULL), PERP_SOLVED);
        for (int c = 0; c < N * N * N; c++) {
            double x[3] = {(c % N + 0.5) * cell - 1.5, (c / N % N + 0.5) * cell - 1.5,
                           (c / N / N + 0.5) * cell - 1.5};
            if (!inside(&def, x))
                continue;
            sum += cell * cell * cell;
            for (int i = 0; i < 3; i++) {
                first[i] += cell * cell * cell * x[i];
                for (int j = 0; j < 3; j++)
                    J[i + 3 * j] -= cell * cell * cell * (x[i] - centre[i]) * (x[j] - centre[j]);
            }
        }
        double trace = J[0] + J[4] + J[8];
        for (int i = 0; i < 3; i++)
            J[4 * i] -= trace;
        ck_assert_double_eq_tol(sum, volume, 0.03 * volume);
        for (int i = 0; i < 3; i++)
            ck_assert_double_eq_tol(first[i] / sum, centre[i], 0.01);
        for (int i = 0; i < 9; i++)
            ck_assert_double_eq_tol(J[i], inertia[i], 0.03 * volume);
    }
}
END_TEST

/* A box as triangles, turned and shifted; and as eight points. */
START_TEST(triangles_have_the_mass_of_the_box)
{
    perp_shape_def box = shape(PERP_SHAPE_BOX);
    double vertices[24], want_centre[3], want[9], centre[3], inertia[9], volume, whole;
    double turn[3] = {0.3, -0.5, 0.7};
    for (int i = 0; i < 24; i++)
        vertices[i] = cube[i] * box.half[i % 3] + 1.0;
    box.position[0] = box.position[1] = box.position[2] = 1.0;
    for (int k = 0; k < 2; k++) {
        perp_shape_def mesh = shape(k ? PERP_SHAPE_HULL : PERP_SHAPE_MESH);
        mesh.vertices = vertices;
        perp_status status = perp_shape_volume(&mesh, &volume, NULL);
        if (k && status == PERP_ERR_UNSUPPORTED)
            continue;
        ck_assert_int_eq(status, PERP_SOLVED);
        perp_shape_volume(&box, &whole, NULL);
        ck_assert_double_eq_tol(volume, whole, 1e-13);
        ck_assert_int_eq(perp_shape_fill(&box, 2.5, want_centre, want, NULL), PERP_SOLVED);
        ck_assert_int_eq(perp_shape_fill(&mesh, 2.5, centre, inertia, NULL), PERP_SOLVED);
        for (int i = 0; i < 9; i++)
            ck_assert_double_eq_tol(inertia[i], want[i], 1e-13);
        for (int i = 0; i < 3; i++)
            ck_assert_double_eq_tol(centre[i], want_centre[i], 1e-13);
        /* Turned: the trace and the determinant stay. */
        perp_quaternion_exp(turn, mesh.quaternion);
        ck_assert_int_eq(perp_shape_fill(&mesh, 2.5, centre, inertia, NULL), PERP_SOLVED);
        ck_assert_double_eq_tol(inertia[0] + inertia[4] + inertia[8], want[0] + want[4] + want[8],
                                1e-13);
        ck_assert_double_eq_tol(inertia[1], inertia[3], 1e-14);
        ck_assert_double_gt(fabs(inertia[1]), 1e-3);
    }
}
END_TEST

/* Two half boxes are a whole one. */
START_TEST(parts_add_up)
{
    perp_shape_def whole = shape(PERP_SHAPE_BOX), part = whole;
    double centre[3], want[9], sum = 0.0, at[3] = {0}, J[9] = {0}, c[3], own[9];
    part.half[0] *= 0.5;
    perp_shape_fill(&whole, 3.0, centre, want, NULL);
    for (int k = -1; k <= 1; k += 2) {
        part.position[0] = k * part.half[0];
        ck_assert_int_eq(perp_shape_fill(&part, 1.5, c, own, NULL), PERP_SOLVED);
        perp_mass_add(&sum, at, J, 1.5, c, own);
    }
    ck_assert_double_eq_tol(sum, 3.0, 1e-15);
    for (int i = 0; i < 9; i++)
        ck_assert_double_eq_tol(J[i], want[i], 1e-14);
    for (int i = 0; i < 3; i++)
        ck_assert_double_eq_tol(at[i], 0.0, 1e-15);
}
END_TEST

START_TEST(bad_surfaces_are_refused)
{
    perp_shape_def mesh = shape(PERP_SHAPE_MESH), plane = shape(PERP_SHAPE_PLANE);
    int turned[36];
    double volume, flat[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0};
    int triangles[64], count;
    perp_where where;
    mesh.ntriangles = 11;
    ck_assert_int_eq(perp_shape_volume(&mesh, &volume, &where), PERP_ERR_STRUCTURE);
    ck_assert_int_ge(where.index, 0);
    mesh.ntriangles = 12;
    for (int i = 0; i < 36; i++)
        turned[i] = sides[i % 3 == 0 ? i : i % 3 == 1 ? i + 1 : i - 1];
    mesh.triangles = turned;
    ck_assert_int_eq(perp_shape_volume(&mesh, &volume, &where), PERP_ERR_STRUCTURE);
    ck_assert_str_eq(where.what, "triangles: inside out");
    ck_assert_int_eq(perp_shape_volume(&plane, &volume, &where), PERP_ERR_UNSUPPORTED);
#ifdef HAVE_QHULL
    ck_assert_int_eq(perp_hull_triangles(flat, 4, triangles, &count, &where), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_hull_triangles(cube, 8, triangles, &count, NULL), PERP_SOLVED);
    ck_assert_int_eq(count, 12);
#else
    ck_assert_int_eq(perp_hull_triangles(flat, 4, triangles, &count, &where), PERP_ERR_UNSUPPORTED);
#endif
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("shape_mass");
    TCase *tcase = tcase_create("shape_mass");
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, closed_forms_are_the_integrals);
    tcase_add_test(tcase, triangles_have_the_mass_of_the_box);
    tcase_add_test(tcase, parts_add_up);
    tcase_add_test(tcase, bad_surfaces_are_refused);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
