/* SPDX-License-Identifier: BSD-3-Clause */
/* Systems of few degrees of freedom, most of them with a closed form. */
#include <math.h>

#include "bench/scenes/trust_scenes.h"

static const double g = 9.81, pi = 3.14159265358979323846;
static const double bounce = 0.8; /* restitution of ball and oscillator */

void perp_trust_ball(FILE *f, const perp_trust_scene *scene)
{
    (void)scene;
    fputs(",\n\"systems\": [{\"name\": \"ball\", \"type\": \"lagrangian\", \"q0\": [1], \"F\": "
          "[-9.81]}],\n\"interactions\": [{\"name\": \"ground\", \"systems\": [\"ball\"], "
          "\"relation\": {\"type\": \"linear\", \"C\": [[1]]}, \"law\": {\"type\": \"impact\", "
          "\"e\": 0.8}}]",
          f);
    perp_trust_record(f, 0, ", \"ball.q\"");
}

/* The height at t of a ball that was let go at 1. */
static double ball_height(double t)
{
    double speed = sqrt(2.0 * g), past = t - speed / g;

    if (past < 0.0)
        return 1.0 - 0.5 * g * t * t;
    for (speed *= bounce; past > 2.0 * speed / g; speed *= bounce)
        past -= 2.0 * speed / g;
    return speed * past - 0.5 * g * past * past;
}

/* The mean over all steps of the distance from an exact motion. */
static double mean_distance(const perp_trust_series *series, const char *name,
                            double (*exact)(double))
{
    int column = perp_trust_column(series, name);
    double sum = 0.0;

    for (int k = 0; k < series->rows; k++)
        sum += fabs(perp_trust_at(series, k, column) - exact(perp_trust_at(series, k, 0)));
    return sum / series->rows;
}

double perp_trust_ball_error(const perp_trust_series *series)
{
    return mean_distance(series, "ball.q[0]", ball_height);
}

/* Period 1 without the stop, which stands where the spring is at rest. */
void perp_trust_oscillator(FILE *f, const perp_trust_scene *scene)
{
    (void)scene;
    fprintf(f,
            ",\n\"systems\": [{\"name\": \"mass\", \"type\": \"lagrangian\", \"K\": [[%.17g]], "
            "\"q0\": [1]}],\n\"interactions\": [{\"name\": \"stop\", \"systems\": [\"mass\"], "
            "\"relation\": {\"type\": \"linear\", \"C\": [[1]]}, \"law\": {\"type\": \"impact\", "
            "\"e\": 0.8}}]",
            4.0 * pi * pi);
    perp_trust_record(f, 0, ", \"mass.q\"");
}

static double oscillator_place(double t)
{
    double strikes = floor(2.0 * t + 0.5); /* at 1/4, 3/4, ... */

    return pow(bounce, strikes) * fabs(cos(2.0 * pi * t));
}

double perp_trust_oscillator_error(const perp_trust_series *series)
{
    return mean_distance(series, "mass.q[0]", oscillator_place);
}

/* Equal balls on a line, the first arrives with 6 m/s, e = 1; between them gaps of scene->size. */
void perp_trust_cradle(FILE *f, const perp_trust_scene *scene)
{
    perp_trust_list list = perp_trust_begin(f, "systems");

    for (int k = 0; k < scene->count; k++)
        perp_trust_entry(&list,
                         "{\"name\": \"ball-%d\", \"type\": \"lagrangian\", \"q0\": [%.17g], "
                         "\"v0\": [%g]}",
                         k, k == 0 ? -0.05 : k * (0.1 + scene->size), k == 0 ? 6.0 : 0.0);
    perp_trust_end(&list);
    list = perp_trust_begin(f, "interactions");
    for (int k = 0; k + 1 < scene->count; k++)
        perp_trust_entry(&list,
                         "{\"name\": \"gap-%d\", \"systems\": [\"ball-%d\", \"ball-%d\"], "
                         "\"relation\": {\"type\": \"linear\", \"C\": [[-1, 1]], \"e\": [-0.1]}, "
                         "\"law\": {\"type\": \"impact\", \"e\": 1}}",
                         k, k, k + 1);
    perp_trust_end(&list);
    perp_trust_record(f, 0, ", \"ball-0.v\", \"ball-5.v\"");
}

/* At the end the last ball has the whole velocity and the first none. */
double perp_trust_cradle_error(const perp_trust_series *series)
{
    int first = perp_trust_column(series, "ball-0.v[0]");
    int last = perp_trust_column(series, "ball-5.v[0]");

    return fmax(fabs(perp_trust_at(series, series->rows - 1, first)),
                fabs(perp_trust_at(series, series->rows - 1, last) - 6.0));
}

/* The toy of examples/woodpecker.c, numbers of [LeineEtAl2003]. */
void perp_trust_woodpecker(FILE *f, const perp_trust_scene *scene)
{
    static const char *const name[3] = {"beak", "low", "high"};
    static const double C[3][6] = {{0.0, 0.0, -0.02, 1.0, 0.01, -0.0051},
                                   {0.0, 0.0058, 0.0, 1.0, 0.0031, 0.0},
                                   {0.0, -0.0058, 0.0, 1.0, 0.0031, 0.0}};
    static const double play[3] = {0.0024, 0.0006, 0.0006}, e[3] = {0.5, 0.0, 0.0};
    const double mM = 0.0003, JM = 5e-9, mS = 0.0045, JS = 7e-7, lM = 0.01, lG = 0.015;
    const double M[9] = {mS + mM,      mS * lM, mS * lG,      mS * lM,          JM + mS * lM * lM,
                         mS * lM * lG, mS * lG, mS * lM * lG, JS + mS * lG * lG};
    perp_trust_list list;

    (void)scene;
    fputs(",\n\"systems\": [{\"name\": \"bird\", \"type\": \"lagrangian\", \"M\": [", f);
    for (int k = 0; k < 3; k++)
        fprintf(f, "%s[%.17g, %.17g, %.17g]", k > 0 ? ", " : "", M[3 * k], M[3 * k + 1],
                M[3 * k + 2]);
    fprintf(f,
            "], \"K\": [[0, 0, 0], [0, 0.0056, -0.0056], [0, -0.0056, 0.0056]],\n  \"F\": [%.17g, "
            "%.17g, %.17g], \"q0\": [0, -0.1036, -0.2788], \"v0\": [-0.3411, 0, -7.4583]}]",
            -(mS + mM) * g, -mS * g * lM, -mS * g * lG);
    list = perp_trust_begin(f, "interactions");
    for (int k = 0; k < 3; k++)
        perp_trust_entry(&list,
                         "{\"name\": \"%s\", \"systems\": [\"bird\"], \"relation\": {\"type\": "
                         "\"linear\", \"C\": [[%g, %g, %g], [%g, %g, %g]], \"e\": [%g, 0]}, "
                         "\"law\": {\"type\": \"friction\", \"dim\": 2, \"e\": %g, \"mu\": 0.3}}",
                         name[k], C[k][0], C[k][1], C[k][2], C[k][3], C[k][4], C[k][5], play[k],
                         e[k]);
    perp_trust_end(&list);
    perp_trust_record(f, 0, ", \"bird.q\"");
}

/* The mechanism of examples/scenes/slider_crank.json. */
void perp_trust_slider_crank(FILE *f, const perp_trust_scene *scene)
{
    static const char *const name[4] = {"top-left", "top-right", "bottom-left", "bottom-right"};
    perp_trust_list list;

    (void)scene;
    fputs(",\n\"systems\": [{\"name\": \"mechanism\", \"type\": \"slider-crank\", \"lengths\": "
          "[0.153, 0.306], \"masses\": [0.038, 0.038, 0.076],\n  \"inertias\": [7.4e-5, 5.9e-4, "
          "2.7e-6], \"slider\": [0.05, 0.025], \"rates\": [150, -75, 0]}]",
          f);
    list = perp_trust_begin(f, "interactions");
    for (int k = 0; k < 4; k++)
        perp_trust_entry(&list,
                         "{\"name\": \"%s\", \"systems\": [\"mechanism\"], \"law\": {\"type\": "
                         "\"friction\", \"dim\": 2, \"e\": 0.4, \"mu\": 0.01}, \"relation\": "
                         "{\"type\": \"point-line\", \"point\": %d, \"normal\": [0, %d], "
                         "\"offset\": -0.026}}",
                         name[k], k, k < 2 ? -1 : 1);
    perp_trust_end(&list);
    perp_trust_record(f, 0, ", \"mechanism.q\"");
}

/* A mass between a wall and one that comes nearer: no motion satisfies both. */
void perp_trust_press(FILE *f, const perp_trust_scene *scene)
{
    (void)scene;
    fputs(",\n\"systems\": [{\"name\": \"m\", \"type\": \"lagrangian\", \"q0\": [0.05]}],\n"
          "\"interactions\": [\n"
          "  {\"name\": \"lo\", \"systems\": [\"m\"], \"relation\": {\"type\": \"linear\", \"C\": "
          "[[1]], \"motion\": [{\"row\": 0, \"polynomial\": [0, 1]}]}, \"law\": {\"type\": "
          "\"impact\", \"e\": 0}},\n"
          "  {\"name\": \"hi\", \"systems\": [\"m\"], \"relation\": {\"type\": \"linear\", \"C\": "
          "[[-1]], \"e\": [0.1]}, \"law\": {\"type\": \"impact\", \"e\": 0}}]",
          f);
    perp_trust_record(f, 0, ", \"m.q\"");
}
