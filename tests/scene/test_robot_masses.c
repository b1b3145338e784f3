/* SPDX-License-Identifier: BSD-3-Clause */
/* Masses and inertias of MJCF that follow from surfaces: shells, beside sums over many points of
 * them; and meshes that are not convex. */
#include "config.h"

#include "tests/scene/robot_text.h"

#ifdef HAVE_LIBXML2
static const double pi = 3.14159265358979323846;

/* Area, centre and inertia about it of a surface by patches. */
typedef struct sums {
    double area, first[3], second[9];
} sums;

static void add(sums *s, double x, double y, double z, double area)
{
    const double p[3] = {x, y, z};
    s->area += area;
    for (int i = 0; i < 3; i++) {
        s->first[i] += area * p[i];
        for (int j = 0; j < 3; j++)
            s->second[3 * i + j] += area * p[i] * p[j];
    }
}

enum { MANY = 400 };

/* A tube of radius r, |z| < h. */
static void add_tube(sums *s, double r, double h)
{
    for (int i = 0; i < MANY; i++)
        for (int j = 0; j < MANY; j++) {
            double a = 2.0 * pi * (i + 0.5) / MANY, z = h * (2.0 * j + 1.0 - MANY) / MANY;
            add(s, r * cos(a), r * sin(a), z, 2.0 * pi * r / MANY * 2.0 * h / MANY);
        }
}

/* Two half balls, at +-h; or two discs. */
static void add_ends(sums *s, double r, double h, int flat)
{
    for (int i = 0; i < MANY; i++)
        for (int j = 0; j < 2 * MANY; j++) {
            double a = 2.0 * pi * (i + 0.5) / MANY, u = (j + 0.5) / MANY - 1.0,
                   side = u < 0.0 ? -h : h;
            double across = flat ? r * fabs(u) : r * sqrt(1.0 - u * u);
            double area = 2.0 * pi / MANY * r / MANY * (flat ? across : r);
            add(s, across * cos(a), across * sin(a), side + (flat ? 0.0 : r * u), area);
        }
}

static void add_box(sums *s, const double *half)
{
    for (int face = 0; face < 6; face++)
        for (int i = 0; i < MANY; i++)
            for (int j = 0; j < MANY; j++) {
                int k = face / 2, l = (k + 1) % 3, m = (k + 2) % 3;
                double p[3];
                p[k] = face % 2 ? half[k] : -half[k];
                p[l] = half[l] * (2.0 * i + 1.0 - MANY) / MANY;
                p[m] = half[m] * (2.0 * j + 1.0 - MANY) / MANY;
                add(s, p[0], p[1], p[2], 4.0 * half[l] * half[m] / MANY / MANY);
            }
}

/* "inertia" of a body: 3 numbers, or 9 in rows. */
static void inertia_of(double *out, const char *text, const char *name)
{
    char wanted[80];
    double number[9];
    snprintf(wanted, sizeof wanted, "{\"name\": \"%s\"", name);
    const char *at = strstr(strstr(text, wanted), "\"inertia\": [");
    ck_assert_ptr_nonnull(at);
    int full = at[12] == '[', count = full ? 9 : 3;
    at += 11;
    for (int k = 0; k < count; k++) {
        char *end;
        at += strspn(at, "[], ");
        number[k] = strtod(at, &end);
        at = end;
    }
    for (int k = 0; k < 9; k++)
        out[k] = full ? number[k] : k % 4 == 0 ? number[k / 4] : 0.0;
}

static void has(const char *model, const sums *s, double density, double tolerance)
{
    double mass, inertia[9], trace = s->second[0] + s->second[4] + s->second[8];
    char *text = convert(model, NULL);
    numbers_of(&mass, 1, text, "b", "mass");
    inertia_of(inertia, text, "b");
    ck_assert_msg(fabs(mass / (density * s->area) - 1.0) < tolerance, "%.17g, not %.17g", mass,
                  density * s->area);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double c2 =
                s->first[0] * s->first[0] + s->first[1] * s->first[1] + s->first[2] * s->first[2];
            double about = (i == j ? trace - c2 / s->area : 0.0) - s->second[3 * i + j] +
                           s->first[i] * s->first[j] / s->area;
            ck_assert_msg(fabs(inertia[3 * i + j] - density * about) < tolerance * density * trace,
                          "%d %d: %.17g, not %.17g", i, j, inertia[3 * i + j], density * about);
        }
    perp_robot_release(text, NULL);
}

START_TEST(shells)
{
    static const char *const shapes[] = {
        "type='sphere' size='0.7'", "type='capsule' size='0.3 0.5'",
        "type='cylinder' size='0.3 0.5'", "type='box' size='0.2 0.3 0.7'"};
    static const double half[3] = {0.2, 0.3, 0.7};
    char model[400];
    sums s = {0};
    if (_i == 0)
        add_ends(&s, 0.7, 0.0, 0);
    else if (_i == 3)
        add_box(&s, half);
    else
        add_tube(&s, 0.3, 0.5);
    if (_i == 1 || _i == 2)
        add_ends(&s, 0.3, 0.5, _i == 2);
    snprintf(
        model, sizeof model,
        "<mujoco><worldbody><body name='b'><freejoint/><geom %s density='3' shellinertia='true'/>"
        "</body></worldbody></mujoco>",
        shapes[_i]);
    has(model, &s, 3.0, 2e-5);
}
END_TEST

/* An arrow of three squares that is not seen whole from any place in its middle. */
#define ARROW                                                                                      \
    "vertex='0 0 0 3 0 0 3 1 0 1 1 0 1 3 0 0 3 0 0 0 1 3 0 1 3 1 1 1 1 1 1 3 1 0 3 1' "            \
    "face='0 2 1 0 3 2 0 4 3 0 5 4 6 7 8 6 8 9 6 9 10 6 10 11 0 1 7 0 7 6 1 2 8 1 8 7 2 3 9 2 9 "  \
    "8 "                                                                                           \
    "3 4 10 3 10 9 4 5 11 4 11 10 5 0 6 5 6 11'"
#define OF_ARROW(how)                                                                              \
    "<mujoco><asset><mesh name='m' " how " " ARROW                                                 \
    "/></asset><worldbody><body name='b'><freejoint/>"                                             \
    "<geom type='mesh' mesh='m' density='1'/></body></worldbody></mujoco>"

static const double corner[12][3] = {{0, 0, 0}, {3, 0, 0}, {3, 1, 0}, {1, 1, 0},
                                     {1, 3, 0}, {0, 3, 0}, {0, 0, 1}, {3, 0, 1},
                                     {3, 1, 1}, {1, 1, 1}, {1, 3, 1}, {0, 3, 1}};
static const int triangle[20][3] = {{0, 2, 1},  {0, 3, 2},  {0, 4, 3},   {0, 5, 4}, {6, 7, 8},
                                    {6, 8, 9},  {6, 9, 10}, {6, 10, 11}, {0, 1, 7}, {0, 7, 6},
                                    {1, 2, 8},  {1, 8, 7},  {2, 3, 9},   {2, 9, 8}, {3, 4, 10},
                                    {3, 10, 9}, {4, 5, 11}, {4, 11, 10}, {5, 0, 6}, {5, 6, 11}};

static double det(const double *a, const double *b, const double *c)
{
    return a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) +
           a[2] * (b[0] * c[1] - b[1] * c[0]);
}

/* Sum of the sizes of the tetrahedra from a place, and their common centre. */
static double sizes(const double *from, double *centre)
{
    double whole = 0.0, sum[3] = {0.0};
    for (int t = 0; t < 20; t++) {
        double p[3][3], part;
        for (int c = 0; c < 3; c++)
            for (int i = 0; i < 3; i++)
                p[c][i] = corner[triangle[t][c]][i] - from[i];
        part = fabs(det(p[0], p[1], p[2])) / 6.0;
        whole += part;
        for (int i = 0; i < 3; i++)
            sum[i] += part * (from[i] + (p[0][i] + p[1][i] + p[2][i]) / 4.0);
    }
    for (int i = 0; i < 3; i++)
        centre[i] = sum[i] / whole;
    return whole;
}

/* As MuJoCo weighs meshes where they do not say how: sizes of tetrahedra, from the middle of the
 * surface for the centre, and from there for the mass. */
START_TEST(a_mesh_that_is_not_convex)
{
    double middle[3] = {0.0}, area = 0.0, centre[3], ignored[3], mass;
    for (int t = 0; t < 20; t++) {
        double a[3], b[3], n[3], size;
        const double *p = corner[triangle[t][0]], *q = corner[triangle[t][1]],
                     *r = corner[triangle[t][2]];
        for (int i = 0; i < 3; i++) {
            a[i] = q[i] - p[i];
            b[i] = r[i] - p[i];
        }
        for (int i = 0; i < 3; i++)
            n[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
        size = 0.5 * sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        area += size;
        for (int i = 0; i < 3; i++)
            middle[i] += size * (p[i] + q[i] + r[i]) / 3.0;
    }
    for (int i = 0; i < 3; i++)
        middle[i] /= area;
    double first = sizes(middle, centre), wanted = sizes(centre, ignored);
    ck_assert_double_gt(fabs(wanted / first - 1.0), 1e-4); /* or the test shows nothing */
    char *text = convert(OF_ARROW(""), NULL);
    numbers_of(&mass, 1, text, "b", "mass");
    close_to(mass, wanted, wanted);
    perp_robot_release(text, NULL);
    text = convert(OF_ARROW("inertia='exact'"), NULL);
    numbers_of(&mass, 1, text, "b", "mass");
    close_to(mass, 5.0, 5.0);
    perp_robot_release(text, NULL);
}
END_TEST

START_TEST(a_mesh_that_is_a_shell)
{
    sums s = {0};
    for (int t = 0; t < 20; t++)
        for (int i = 0; i < MANY; i++)
            for (int j = 0; j < 2 * (MANY - i) - 1; j++) { /* small triangles of a triangle */
                const double *p[3];
                double u = (i + (j % 2 ? 2.0 : 1.0) / 3.0) / MANY,
                       v = (j / 2 + (j % 2 ? 2.0 : 1.0) / 3.0) / MANY, x[3], a[3], b[3], n[3];
                for (int c = 0; c < 3; c++)
                    p[c] = corner[triangle[t][c]];
                for (int k = 0; k < 3; k++) {
                    a[k] = p[1][k] - p[0][k];
                    b[k] = p[2][k] - p[0][k];
                    x[k] = p[0][k] + u * a[k] + v * b[k];
                }
                for (int k = 0; k < 3; k++)
                    n[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
                add(&s, x[0], x[1], x[2],
                    0.5 * sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]) / MANY / MANY);
            }
    has(OF_ARROW("inertia='shell'"), &s, 1.0, 1e-5);
}
END_TEST

/* Each principal moment by itself: along y +- z, of 0.75 and 1.75. */
START_TEST(moments_have_a_bound)
{
    static const double wanted[] = {1.25, 0.0, 0.0, 0.0, 1.375, 0.375, 0.0, 0.375, 1.375};
    double inertia[9];
    char *text =
        convert("<mujoco><compiler boundinertia='1'/><worldbody><body name='b'><freejoint/>"
                "<inertial pos='0 0 0' mass='1' fullinertia='1.25 1.25 1.25 0 0 .5'/></body>"
                "</worldbody></mujoco>",
                NULL);
    inertia_of(inertia, text, "b");
    for (int k = 0; k < 9; k++)
        close_to(inertia[k], wanted[k], 1.0);
    perp_robot_release(text, NULL);
}
END_TEST
#endif

int main(void)
{
    Suite *suite = suite_create("robot masses");
    TCase *tcase = tcase_create("robot masses");
#ifdef HAVE_LIBXML2
    tcase_add_loop_test(tcase, shells, 0, 4);
    tcase_add_test(tcase, moments_have_a_bound);
    tcase_add_test(tcase, a_mesh_that_is_not_convex);
    tcase_add_test(tcase, a_mesh_that_is_a_shell);
#endif
    tcase_set_timeout(tcase, 60);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
