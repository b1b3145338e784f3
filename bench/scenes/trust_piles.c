/* SPDX-License-Identifier: BSD-3-Clause */
/* Bodies with shapes: at rest on each other, falling onto each other, falling over. */
#include <math.h>

#include "bench/scenes/trust_scenes.h"

static perp_trust_list bodies_on_floor(FILE *f)
{
    perp_trust_list list;

    fputs(", \"gravity\": [0, 0, -9.81]", f);
    list = perp_trust_begin(f, "bodies");
    perp_trust_entry(&list, "{\"name\": \"floor\", \"shape\": {\"type\": \"plane\", \"normal\": "
                            "[0, 0, 1]}}");
    return list;
}

static void add_box(perp_trust_list *list, const char *name, int k, const double sides[3],
                    const double at[3], double turn)
{
    perp_trust_entry(
        list,
        "{\"name\": \"%s-%d\", \"shape\": {\"type\": \"box\", \"sides\": [%.17g, %.17g, "
        "%.17g]}, \"density\": 1000, \"position\": [%.17g, %.17g, %.17g], "
        "\"rotation\": [0, %.17g, 0]}",
        name, k, sides[0], sides[1], sides[2], at[0], at[1], at[2], turn);
}

/* Cubes of 1 m, each shifted by a centimetre. */
void perp_trust_stack(FILE *f, const perp_trust_scene *scene)
{
    perp_trust_list list = bodies_on_floor(f);

    for (int k = 0; k < scene->count; k++)
        add_box(&list, "cube", k, (double[3]){1.0, 1.0, 1.0}, (double[3]){0.01 * k, 0.0, k + 0.5},
                0.0);
    perp_trust_end(&list);
    fputs(",\n\"contacts\": {\"e\": 0, \"mu\": 0.5}", f);
    perp_trust_record(f, 0, ", \"active\"");
}

/* Layers of 36 spheres, 36 boxes and 36 capsules fall between walls, then a heavy sphere. */
void perp_trust_heap(FILE *f, const perp_trust_scene *scene)
{
    static const char *const shape[3] = {"\"sphere\", \"radius\": 0.06",
                                         "\"box\", \"sides\": [0.12, 0.1, 0.08]",
                                         "\"capsule\", \"radius\": 0.04, \"length\": 0.08"};
    static const char *const name[3] = {"sphere", "box", "capsule"};
    static const double normal[4][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
    perp_trust_list list = bodies_on_floor(f);

    (void)scene;
    for (int k = 0; k < 4; k++)
        perp_trust_entry(
            &list,
            "{\"name\": \"wall-%d\", \"shape\": {\"type\": \"plane\", \"normal\": [%g, "
            "%g, 0], \"offset\": -0.5}}",
            k, normal[k][0], normal[k][1]);
    for (int k = 0; k < 3; k++)
        perp_trust_entry(&list,
                         "{\"name\": \"%s\", \"shape\": {\"type\": %s}, \"density\": 1000, "
                         "\"position\": [-0.375, -0.375, %.17g], \"rotation\": [0.3, 0.5, 0.1], "
                         "\"copies\": {\"count\": [6, 6, 1], \"spacing\": [0.15, 0.15, 0], "
                         "\"jitter\": 0.003, \"seed\": %d}}",
                         name[k], shape[k], 0.12 + 0.19 * k, k + 1);
    perp_trust_entry(&list, "{\"name\": \"ball\", \"shape\": {\"type\": \"sphere\", \"radius\": "
                            "0.12}, \"density\": 3000, \"position\": [0.03, 0.02, 0.85]}");
    perp_trust_end(&list);
    fputs(",\n\"contacts\": {\"e\": 0.2, \"mu\": 0.5}", f);
    perp_trust_record(f, 0, ", \"active\"");
}

static const double block[3] = {0.2, 0.4, 1.0};
static const double tilt = 0.12;

/* A block that stands on an edge, tilted by less than it takes to fall over. */
void perp_trust_block(FILE *f, const perp_trust_scene *scene)
{
    perp_trust_list list = bodies_on_floor(f);

    (void)scene;
    add_box(&list, "block", 0, block,
            (double[3]){0.5 * (block[2] * sin(tilt) - block[0] * cos(tilt)), 0.0,
                        0.5 * (block[2] * cos(tilt) + block[0] * sin(tilt))},
            tilt);
    perp_trust_end(&list);
    fputs(",\n\"contacts\": {\"e\": 0, \"mu\": 2}", f);
    perp_trust_record(f, 0, ", \"block-0.q\"");
}

/* [Housner1963]: the impact on the other edge leaves the part 1 - 1.5 sin^2(a) of the rate, a the
 * angle between a diagonal and a side; that gives the next largest tilt. */
double perp_trust_block_error(const perp_trust_series *series)
{
    int turn = perp_trust_column(series, "block-0.q[5]");
    double a = atan2(block[0], block[2]), left = 1.0 - 1.5 * sin(a) * sin(a), largest = 0.0;
    double exact = a - acos(cos(a) + left * left * (cos(a - tilt) - cos(a)));

    for (int k = 0; k < series->rows; k++) {
        double angle = 2.0 * asin(perp_trust_at(series, k, turn));
        if (angle > 0.0 && largest < -0.5 * exact)
            break;
        largest = fmin(largest, angle);
    }
    return fabs(largest + exact);
}
