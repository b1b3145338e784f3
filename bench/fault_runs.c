/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/fault_runs.h"

#include <ctype.h>
#include <string.h>

#include "bench/fault_scenes.h"
#include "bench/stage_faults.h"
#include "kernel/integrators/moreau_jean.h"
#include "kernel/sim/scheme_list.h"
#include "kernel/sim/sim_inside.h"

/* Faults of the scheme have a letter, a capital one in its staged impacts; those of callbacks a
 * number. */
typedef struct fault_kind {
    const char *name;
    char letter;
    int callback;
    double amount;
} fault_kind;

static const fault_kind kinds[] = {
    {"impulse scaled", 'i', 0, 1e-4},
    {"multiplier scaled", 'm', 0, 1e-4},
    {"wrong sign of a row", 's', 0, 0.0},
    {"action for reaction", 'a', 0, 0.0},
    {"contact left out", 'd', 0, 0.0},
    {"wrong mass", 'w', 0, 1e-3},
    {"step length off", 't', 0, 1e-3},
    {"position moved", 'p', 0, 1e-4},
    {"wrong restitution", 'c', 0, 0.1},
    {"wrong friction", 'u', 0, 0.2},
    {"joint left out", 'j', 0, 0.0},
    {"gyroscopic term left out", 'g', 0, 0.0},
    {"force off", 'f', 0, 1e-3},
    {"stage: wrong restitution", 'E', 0, 0.1},
    {"stage: wrong friction", 'F', 0, 0.2},
    {"stage: impulse and motion scaled", 'V', 0, 1e-4},
    {"stage: struck at a wrong time", 'G', 0, 1e-3},
    {"stage: not made", 'N', 0, 0.0},
    {"stage: impulse scaled", 'I', 0, 1e-4},
    {"stage: left out", 'D', 0, 0.0},
    {"callback: wrong sign of a row", 0, PERP_CALLBACK_SIGN_OF_ROW, 0.0},
    {"callback: wrong sign of an entry", 0, PERP_CALLBACK_SIGN_OF_ENTRY, 0.0},
    {"callback: stale normal", 0, PERP_CALLBACK_STALE_NORMAL, 0.0},
    {"callback: lost contact", 0, PERP_CALLBACK_LOST_CONTACT, 0.0},
    {"callback: fickle mass", 0, PERP_CALLBACK_FICKLE_MASS, 1e-3},
};

/* The run that is made: functions of a scheme have no context of their own. */
static struct {
    char letter; /* of the fault, 0 while there is none */
    double amount;
    double kept; /* what the fault took away */
} now;

static perp_status activate(perp_step *step, perp_link *link)
{
    perp_status status = perp_mj_activate(step, link);
    int joint = link->law.kind == PERP_LAW_EQUALITY;
    if ((now.letter == 'd' && !joint) || (now.letter == 'j' && joint)) {
        link->active = 0;
        memset(link->on, 0, (size_t)link->relations);
    }
    return status;
}

static perp_status iterate(perp_step *step, perp_system *s)
{
    if (now.letter == 'g')
        s->as.body.no_gyroscopic = 1;
    perp_status status = perp_mj_iterate(step, s);
    for (int i = 0; i < s->nv; i++) {
        double change = s->free[i] - s->v[PERP_START][i];
        if (now.letter == 'w')
            s->free[i] = s->v[PERP_START][i] + change / (1.0 + now.amount);
        if (now.letter == 'f')
            s->free[i] += now.amount * change;
    }
    if (now.letter == 'g')
        s->as.body.no_gyroscopic = 0;
    return status;
}

static perp_status rows(perp_step *step, perp_link *link)
{
    size_t height = (size_t)link->rows;
    if (now.letter == 's')
        link->ready = 0;
    perp_status status = perp_mj_rows(step, link);
    for (size_t j = 0; now.letter == 's' && j < (size_t)link->nv; j++)
        link->left[j * height] = -link->left[j * height];
    for (size_t k = 6 * height; now.letter == 'a' && link->nsystems == 2 && k < 12 * height; k++)
        link->left[k] = -link->left[k];
    if (now.letter == 'c') {
        now.kept = link->law.e;
        link->law.e += now.amount;
    } else if (now.letter == 'u') {
        now.kept = link->law.mu;
        link->law.mu *= 1.0 + now.amount;
    }
    return status;
}

/* The law as it was; the scene has one interaction that impacts. */
static void restore_laws(perp_step *step)
{
    for (int k = 0; k < step->nlinks && now.kept > 0.0; k++) {
        perp_law *law = &step->links[k]->law;
        if (now.letter == 'c')
            law->e = now.kept;
        if (now.letter == 'u')
            law->mu = now.kept;
    }
    now.kept = 0.0;
}

static void scale_multipliers(perp_step *step)
{
    for (int k = 0; k < step->nlinks; k++)
        for (int i = 0; i < step->links[k]->rows; i++)
            step->links[k]->lambda[i] *= 1.0 + now.amount;
}

static perp_status advance(perp_step *step, perp_system *s)
{
    perp_step wrong = *step;
    restore_laws(step);
    if (now.letter == 't')
        wrong.h *= 1.0 + now.amount;
    if (now.letter == 'm' && s == step->systems[0])
        scale_multipliers(step);
    for (int i = 0; i < s->nv; i++) {
        if (now.letter == 'i')
            s->p[i] *= 1.0 + now.amount;
        if (now.letter == 'w')
            s->p[i] /= 1.0 + now.amount;
    }
    perp_status status = perp_mj_advance(&wrong, s);
    if (now.letter == 'w')
        for (int i = 0; i < s->nv; i++)
            s->p[i] *= 1.0 + now.amount;
    if (now.letter == 'p')
        s->q[PERP_NOW][0] += now.amount * step->h;
    return status;
}

static perp_status residual(double *square, perp_step *step, perp_system *s)
{
    if (now.letter == 'g')
        s->as.body.no_gyroscopic = 1;
    /* The loop must end where the fault took it. */
    perp_status status =
        now.letter == 0 || now.letter == 'g' ? perp_mj_residual(square, step, s) : PERP_SOLVED;
    if (now.letter == 'g')
        s->as.body.no_gyroscopic = 0;
    return status;
}

/* tables: one of each scheme that may err. */
static void exchange(perp_sim *sim, perp_integrator tables[2])
{
    perp_integrator *table = &tables[0];
    *table = perp_moreau_jean;
    table->activate = activate;
    table->iterate = iterate;
    table->rows = rows;
    table->advance = advance;
    table->residual = residual;
    perp_stage_fault_table(&tables[1]);
    for (int k = 0; k < sim->stepper.nschemes; k++) {
        if (sim->stepper.integrators[k] == &perp_moreau_jean)
            sim->stepper.integrators[k] = &tables[0];
        if (sim->stepper.integrators[k] == &perp_discrete_gradient)
            sim->stepper.integrators[k] = &tables[1];
    }
}

static perp_status set_scheme(perp_sim *sim, const perp_fault_scene *scene)
{
    perp_scheme scheme;
    perp_status status = perp_scheme_init(
        &scheme, scene->scheme ? scene->scheme : "discrete-gradient", sizeof scheme);
    return status == PERP_SOLVED ? perp_sim_set_scheme(sim, (perp_system_id){0, 0}, &scheme)
                                 : status;
}

static void begin_fault(perp_fault_errs *errs, const perp_fault_run *run)
{
    const fault_kind *kind = &kinds[run->fault];
    now.letter = kind->letter;
    now.amount = errs->amount = run->amount;
    errs->kind = (perp_callback_fault)kind->callback;
    if (isupper((unsigned char)kind->letter))
        perp_stage_fault_set(kind->letter, run->amount);
}

static perp_status make_steps(perp_sim *sim, const perp_fault_scene *scene, perp_fault_errs *errs,
                              const perp_fault_run *run)
{
    perp_status status = PERP_SOLVED;
    for (long k = 1; k <= scene->steps && status == PERP_SOLVED; k++) {
        if (run->fault >= 0 && k == run->from)
            begin_fault(errs, run);
        status = perp_sim_step(sim);
    }
    return status;
}

perp_status perp_fault_go(perp_fault_result *result, const perp_fault_run *run)
{
    const perp_fault_scene *scene = perp_fault_scene_at(run->scene);
    perp_integrator tables[2];
    perp_fault_errs errs = {.kind = PERP_CALLBACK_RIGHT};
    perp_sim_options options;
    perp_system_id first;
    perp_model *model = NULL;
    perp_sim *sim = NULL;
    memset(result, 0, sizeof *result);
    memset(&now, 0, sizeof now);
    perp_stage_fault_set(0, 0.0);
    if (!scene)
        return PERP_ERR_ARGUMENT;
    perp_sim_options_init(&options, sizeof options);
    options.h = scene->h;
    perp_status status = perp_model_create(&model, NULL);
    if (status == PERP_SOLVED)
        status = scene->build(model, &errs, &first);
    if (status == PERP_SOLVED)
        status = perp_sim_create(&sim, model, &options, NULL, NULL);
    if (status == PERP_SOLVED)
        status = set_scheme(sim, scene);
    if (status == PERP_SOLVED) {
        exchange(sim, tables);
        result->status = make_steps(sim, scene, &errs, run);
        result->steps = perp_sim_info(sim)->step;
        status = perp_sim_verdict(sim, &result->verdict, sizeof result->verdict);
    }
    memset(&now, 0, sizeof now);
    perp_sim_destroy(sim);
    perp_model_destroy(model);
    return status;
}

int perp_fault_scenes(void)
{
    int count = 0;
    while (perp_fault_scene_at(count))
        count++;
    return count;
}

int perp_fault_kinds(void)
{
    return (int)(sizeof kinds / sizeof kinds[0]);
}

const char *perp_fault_scene_name(int scene)
{
    return perp_fault_scene_at(scene) ? perp_fault_scene_at(scene)->name : NULL;
}

const char *perp_fault_name(int fault)
{
    return fault >= 0 && fault < perp_fault_kinds() ? kinds[fault].name : NULL;
}

double perp_fault_amount(int fault)
{
    return kinds[fault].amount;
}

long perp_fault_steps(int scene)
{
    return perp_fault_scene_at(scene)->steps;
}

int perp_fault_applies(int scene, int fault)
{
    const perp_fault_scene *own = perp_fault_scene_at(scene);
    const fault_kind *kind = &kinds[fault];
    return kind->letter ? strchr(own->hooks, kind->letter) != NULL
                        : strchr(own->callbacks, '0' + kind->callback) != NULL;
}
