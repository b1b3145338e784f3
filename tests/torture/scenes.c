/* SPDX-License-Identifier: BSD-3-Clause */
/* scenes COUNT SEED FROM [bodies|machines|grounds [STEPS]]: scenes drawn at random (drawing.h) are
 * run for a while: 100 steps, and without any of these some for 1000, in which what moves comes to
 * rest, or leaves the ground.  Each is read, makes its steps or says why not, is finite, and has
 * the same bits when it is run again, when it is saved on its way and when it goes on from there,
 * and nothing in the files of such a run contradicts them; what is not verified, or goes elsewhere
 * when the scene stands elsewhere, is listed by its number, and nearly all have to be verified and
 * not to.  COUNT 0 prints the scene FROM. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <perp/scene.h>
#include <perp/verdict.h>

#include "tests/torture/drawing.h"

enum { STEPS = 100, LONG_RUN = 1000, COORDINATES = 13 * DRAWING_BODIES, AGAIN = 8, LONG = 10 };

typedef struct outcome {
    perp_status created, stopped;
    perp_verdict verdict;
    perp_scene_error error;
    int finite;
    double state[COORDINATES];
} outcome;

static void look(outcome *o, const drawing *d, perp_scene *scene)
{
    perp_model *model = perp_scene_model(scene);
    o->finite = 1;
    for (int k = 0, at = 0; k < d->bodies; k++, at += 13) {
        char name[16];
        perp_scene_system_info info = {.size = sizeof info};
        double *q = NULL, *v = NULL;
        snprintf(name, sizeof name, "b%d", k);
        if (perp_scene_system(scene, perp_scene_find_system(scene, name), &info) != PERP_SOLVED ||
            perp_model_state(model, info.id, &q, &v, NULL, NULL) != PERP_SOLVED)
            abort();
        memcpy(o->state + at, q, 7 * sizeof *q);
        memcpy(o->state + at + 7, v, 6 * sizeof *v);
        for (int i = at; i < at + 13; i++)
            o->finite &= isfinite(o->state[i]);
    }
}

static void run(outcome *o, const drawing *d, long steps)
{
    perp_scene *scene = NULL;
    memset(o, 0, sizeof *o);
    o->error.size = sizeof o->error;
    o->created = perp_scene_create_from_text(&scene, d->text, NULL, NULL, &o->error);
    if (o->created != PERP_SOLVED)
        return;
    perp_sim *sim = perp_scene_sim(scene);
    for (long k = 0; k < steps && o->stopped == PERP_SOLVED; k++)
        o->stopped = perp_sim_step(sim);
    if (perp_sim_verdict(sim, &o->verdict, sizeof o->verdict) != PERP_SOLVED)
        abort();
    look(o, d, scene);
    perp_scene_destroy(scene);
}

static long counts[4]; /* verified, with remarks, not verified, of these stopped */

static void count(long number, const outcome *o)
{
    int verified = o->verdict.kind == PERP_VERDICT_VERIFIED,
        remarks = o->verdict.kind == PERP_VERDICT_REMARKS;
    counts[verified ? 0 : remarks ? 1 : 2]++;
    if (verified || remarks)
        return;
    counts[3] += o->stopped != PERP_SOLVED;
    printf("# %ld: not verified, %s, step %ld%s%s\n", number,
           o->verdict.first ? o->verdict.first : "-", o->verdict.step,
           o->stopped != PERP_SOLVED ? ": " : "",
           o->stopped != PERP_SOLVED ? perp_status_text(o->stopped) : "");
    fflush(stdout);
}

static int report(int number, int holds, const char *what, long bad)
{
    printf("%s %d - %s", holds ? "ok" : "not ok", number, what);
    if (bad > 0)
        printf(": %ld are not", bad);
    putchar('\n');
    return !holds;
}

typedef struct family {
    const char *name;
    void (*draw)(drawing *d, uint64_t seed);
    int moves; /* may stand elsewhere */
} family;

enum { MADE, STOPPED, FINITE, SAME, VERIFIED, FILES, MOVED, SAVED, CHECKS };

static void look_elsewhere(const drawing *d, long number, long steps, long bad[CHECKS])
{
    long step = drawing_parts(d, steps);
    if (step > 0)
        printf("# %ld: elsewhere another motion from step %ld on\n", number, step);
    bad[MOVED] += step > 0;
}

static void look_at_saved(const drawing *d, long number, long steps, long bad[CHECKS])
{
    long step = drawing_saved_parts(d, steps);
    if (step > 0)
        printf("# %ld: saved or resumed it has other bits from step %ld on\n", number, step);
    bad[SAVED] += step > 0;
}

/* steps 0: as `make check` does. */
static void run_scenes(const family *of, long cases, uint64_t seed, long from, long steps,
                       long bad[CHECKS])
{
    char what_is[160];
    static drawing d;
    static outcome first, second;
    memset(counts, 0, sizeof counts);
    for (long k = from; k < from + cases; k++) {
        long own = steps > 0 ? steps : k % LONG == LONG - 1 ? LONG_RUN : STEPS;
        of->draw(&d, seed * 1000003u + (uint64_t)k);
        run(&first, &d, own);
        if (first.created != PERP_SOLVED) {
            printf("# %ld: %s\n# %s\n", k, first.error.text, d.text);
            bad[MADE]++;
            continue;
        }
        bad[STOPPED] += first.stopped < 0;
        bad[FINITE] += !first.finite;
        count(k, &first);
        if (k % AGAIN == 0) {
            run(&second, &d, own);
            bad[SAME] += memcmp(first.state, second.state, sizeof first.state) != 0;
        }
        if (k % AGAIN == 1 && first.verdict.kind != PERP_VERDICT_NOT_VERIFIED &&
            drawing_is_contradicted(&d, (int)own, what_is, sizeof what_is)) {
            printf("# %ld: contradicted, %s\n", k, what_is);
            bad[FILES]++;
        }
        if (k % AGAIN > AGAIN / 2)
            look_at_saved(&d, k, own, bad);
        if (k % AGAIN >= AGAIN / 2 && of->moves)
            look_elsewhere(&d, k, own, bad);
    }
    bad[VERIFIED] += counts[2];
    printf("# %ld %s: %ld verified, %ld with remarks, %ld not verified, of which %ld stopped\n",
           cases, of->name, counts[0], counts[1], counts[2], counts[3]);
}

static int has_scenes(void)
{
    perp_scene *scene = NULL;
    perp_scene_error error = {.size = sizeof error};
    perp_status status = perp_scene_create_from_text(&scene, "{}", NULL, NULL, &error);
    return status != PERP_ERR_UNSUPPORTED;
}

int main(int argc, char **argv)
{
    static const family families[] = {{"bodies", drawing_of_bodies, 1},
                                      {"machines", drawing_of_machine, 0},
                                      {"grounds", drawing_on_ground, 1}};
    static drawing d;
    long cases = argc > 1 ? strtol(argv[1], NULL, 10) : 60;
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    long steps = argc > 5 ? strtol(argv[5], NULL, 10) : argc > 1 ? STEPS : 0;
    long from = argc > 3 ? strtol(argv[3], NULL, 10) : 0, bad[CHECKS] = {0}, all = 0;
    if (!has_scenes()) {
        puts("1..0 # SKIP scenes need jansson");
        return 0;
    }
    for (int k = 0; k < 3; k++) {
        if (argc > 4 && strcmp(argv[4], families[k].name) != 0)
            continue;
        if (cases == 0) {
            families[k].draw(&d, seed * 1000003u + (uint64_t)from);
            puts(d.text);
            continue;
        }
        run_scenes(&families[k], cases, seed, from, steps, bad);
        all += cases;
    }
    if (all == 0)
        return cases != 0;
    int failed = report(1, bad[MADE] == 0, "scenes are read", bad[MADE]);
    failed |= report(2, bad[STOPPED] == 0, "steps end as solved, or as unsolved", bad[STOPPED]);
    failed |= report(3, bad[FINITE] == 0, "states are finite", bad[FINITE]);
    failed |= report(4, bad[SAME] == 0, "states have the same bits again", bad[SAME]);
    failed |=
        report(5, 20 * bad[VERIFIED] <= all, "nineteen of twenty are verified", bad[VERIFIED]);
    failed |= report(6, bad[FILES] == 0, "files of runs are not contradicted", bad[FILES]);
    failed |=
        report(7, 20 * bad[MOVED] <= all, "nineteen of twenty move alike elsewhere", bad[MOVED]);
    failed |= report(8, bad[SAVED] == 0, "runs that are saved and resumed have the same bits",
                     bad[SAVED]);
    puts("1..8");
    return failed;
}
