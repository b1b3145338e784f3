/* SPDX-License-Identifier: BSD-3-Clause */
/* perp generate: problems of any size. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <perp/io.h>

#include "generators/lcp_families.h"
#include "generators/friction_problems.h"
#include "generators/ladder.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/message.h"
#include "cli/names.h"

typedef enum source { NOTHING, SCENE, CIRCUIT, FAMILY } source;

typedef struct request {
    perp_shared shared;
    source source;
    const perp_generator *kind; /* SCENE */
    perp_family family;         /* FAMILY */
    const char *word, *out;     /* the arguments */
    perp_generate_options options;
    int has_mu, has_ratio, local;
    int relays;             /* CIRCUIT */
    double normal;          /* > 0: boxed pyramids */
    perp_problem_class cls; /* FAMILY */
} request;

enum {
    KEY_MU = 256,
    KEY_MU_R,
    KEY_MU_S,
    KEY_SEED,
    KEY_RATIO,
    KEY_RESTITUTION,
    KEY_FORM,
    KEY_RELAYS,
    KEY_PYRAMID,
    KEY_ROWS
};

static const struct argp_option options[] = {
    {"size", 'n', "N", 0,
     "Contacts (or rows, where there are none) wanted, met approximately (400)", 0},
    {"mu", KEY_MU, "X", 0, "Friction coefficient of every contact (the kind's own, below)", 0},
    {"mu-r", KEY_MU_R, "X", 0,
     "Rolling friction of every contact, in metres; adds its rows (without it none)", 0},
    {"mu-s", KEY_MU_S, "X", 0,
     "Torsional friction of every contact, in metres, in space; adds its row (without it none)", 0},
    {"seed", KEY_SEED, "N", 0, "Seed of jitter and velocities (1); same seed, same problem", 0},
    {"ratio", KEY_RATIO, "X", 0, "boxes: mass of the top course over the bottom one (1)", 0},
    {"restitution", KEY_RESTITUTION, "E", 0, "Newton's coefficient of restitution (0)", 0},
    {"form", KEY_FORM, "FORM", 0, "local (W, q) or global (M, H, G, f; default)", 0},
    {"pyramid", KEY_PYRAMID, "P", 0,
     "Boxed friction instead: local, each tangential impulse within mu P", 0},
    {"relays", KEY_RELAYS, NULL, 0, "ladder: relays and Zener diodes too", 0},
    {"rows", KEY_ROWS, "SETS", 0,
     "Families: lcp, mlcp (every fifth row is free) or boxed (and bounds on others) (lcp)", 0},
    {0}};

static source find_source(request *wish, const char *word)
{
    wish->kind = perp_generator_find(word);
    wish->family = perp_family_find(word);
    if (wish->kind != NULL)
        return SCENE;
    if (wish->family != PERP_FAMILY_COUNT)
        return FAMILY;
    return strcmp(word, "ladder") == 0 ? CIRCUIT : NOTHING;
}

/* All kinds, families last. */
static const char *kind_at(void *ctx, int k)
{
    const perp_generator *g;
    int made = 0;

    (void)ctx;
    while ((g = perp_generator_at(made)) != NULL && made < k)
        made++;
    if (g != NULL)
        return g->name;
    if (k == made)
        return "ladder";
    k -= made + 1;
    return k < PERP_FAMILY_COUNT ? perp_family_name((perp_family)k) : NULL;
}

static void check(void *input, struct argp_state *state)
{
    request *wish = input;
    int torsion = wish->options.mu_s >= 0.0, rolling = wish->options.mu_r >= 0.0;
    int contacts = wish->has_mu || wish->local || rolling || torsion;

    wish->word = wish->shared.word[0];
    wish->out = wish->shared.word[1];
    wish->source = find_source(wish, wish->word);
    if (wish->source == NOTHING)
        exit(perp_complain_unknown("kind", wish->word, kind_at, NULL,
                                   "'perp generate --help' describes the kinds"));
    if (wish->relays && wish->source != CIRCUIT)
        argp_error(state, "--relays is for ladder");
    if (wish->cls != PERP_CLASS_AUTO && wish->source != FAMILY)
        argp_error(state, "--rows is for the families, not for %s", wish->word);
    if (contacts && wish->source != SCENE)
        argp_error(state, "%s has no contacts", wish->word);
    if (torsion && wish->kind->spacedim != 3)
        argp_error(state, "%s is in the plane, where nothing turns about a normal", wish->word);
    if (wish->has_ratio && strcmp(wish->word, "boxes") != 0)
        argp_error(state, "--ratio is for boxes, not for %s", wish->word);
}

static error_t more_options(request *wish, int key, char *word, struct argp_state *state)
{
    static const char *const forms[] = {"global", "local", NULL};
    static const char *const rows[] = {"lcp", "mlcp", "boxed", NULL};
    static const perp_problem_class classes[] = {PERP_CLASS_LCP, PERP_CLASS_MLCP, PERP_CLASS_RELAY};

    switch (key) {
    case KEY_FORM:
        wish->local = perp_option_choice(state, "form", word, forms);
        return 0;
    case KEY_PYRAMID:
        wish->normal = perp_option_real(state, "pyramid", word, 1e-12, 1e12);
        wish->local = 1;
        return 0;
    case KEY_RELAYS:
        wish->relays = 1;
        return 0;
    case KEY_ROWS:
        wish->cls = classes[perp_option_choice(state, "rows", word, rows)];
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static error_t option(void *input, int key, char *word, struct argp_state *state)
{
    request *wish = input;
    perp_generate_options *made = &wish->options;

    switch (key) {
    case 'n':
        made->size = (int)perp_option_integer(state, "size", word, 1, PERP_GENERATE_SIZE_MAX);
        return 0;
    case KEY_MU:
        made->mu = perp_option_real(state, "mu", word, 0.0, 1e6);
        wish->has_mu = 1;
        return 0;
    case KEY_MU_R:
        made->mu_r = perp_option_real(state, "mu-r", word, 0.0, 1e6);
        return 0;
    case KEY_MU_S:
        made->mu_s = perp_option_real(state, "mu-s", word, 0.0, 1e6);
        return 0;
    case KEY_SEED:
        made->seed = (uint64_t)perp_option_integer(state, "seed", word, 0, INT64_MAX);
        return 0;
    case KEY_RATIO:
        made->ratio = perp_option_real(state, "ratio", word, 1e-6, 1e6);
        wish->has_ratio = 1;
        return 0;
    case KEY_RESTITUTION:
        made->restitution = perp_option_real(state, "restitution", word, 0.0, 1.0);
        return 0;
    default:
        return more_options(wish, key, word, state);
    }
}

static void more_help(FILE *out, int all)
{
    const perp_generator *g;

    (void)all;
    fputs("Kinds, with their friction coefficient:\n", out);
    for (int k = 0; (g = perp_generator_at(k)) != NULL; k++)
        fprintf(out, "  %-8s %.1f  %s\n", g->name, g->mu, g->summary);
    fputs(
        "  ladder   -    circuit: a ladder of diode bridges, a sparse mixed or boxed LCP (.dat)\n",
        out);
    fputs("\nFamilies of random linear complementarity problems, sparse (.dat):\n ", out);
    for (int k = 0; k < PERP_FAMILY_COUNT; k++)
        fprintf(out, " %s", perp_family_name((perp_family)k));
    fputs("\n", out);
    fputs(
        "\nContacts: each is one time step of 1 ms under gravity with small random velocities, in\n"
        "SI units.  OUT ends in .hdf5 (FCLib) or .dat (Siconos text).\n"
        "\nExample:\n  perp generate spheres --size 10000 --seed 7 spheres.hdf5",
        out);
}

/* Replaces the global form by the local one. */
static perp_status make_local(perp_problem_file **file, perp_io_error *error)
{
    perp_problem_file *local;
    perp_status status = perp_problem_file_to_local(&local, *file, NULL, error);

    if (status == PERP_SOLVED) {
        perp_problem_file_destroy(*file);
        *file = local;
    }
    return status;
}

/* Replaces the local form by boxed pyramids. */
static perp_status make_pyramids(perp_problem_file **file, double normal)
{
    perp_problem_file *boxed;
    perp_status status = perp_generate_pyramid(&boxed, *file, normal, NULL);

    if (status == PERP_SOLVED) {
        perp_problem_file_destroy(*file);
        *file = boxed;
    }
    return status;
}

static perp_status make_family(perp_problem_file **file, const request *wish)
{
    perp_family_options family = {wish->family, wish->cls, wish->options.size, wish->options.seed};

    if (family.cls == PERP_CLASS_AUTO)
        family.cls = PERP_CLASS_LCP;
    return perp_generate_family(file, NULL, &family, NULL);
}

static perp_status make(perp_problem_file **file, const request *wish, perp_io_error *error)
{
    perp_ladder_options circuit = {wish->options.size, wish->relays, wish->options.seed};
    perp_status status;

    if (wish->source == CIRCUIT)
        return perp_generate_ladder(file, &circuit, NULL);
    if (wish->source == FAMILY)
        return make_family(file, wish);
    status = perp_generate(file, wish->kind, &wish->options, NULL);
    if (status == PERP_SOLVED && wish->local)
        status = make_local(file, error);
    if (status == PERP_SOLVED && wish->normal > 0.0)
        status = make_pyramids(file, wish->normal);
    return status;
}

static void tell(const request *wish, const perp_problem_file *file)
{
    if (file->contacts > 0)
        printf("%s: %s; %d contacts, %s form\n", wish->out, file->title, file->contacts,
               wish->local ? "local" : "global");
    else
        printf("%s: %s; %d rows\n", wish->out, file->title, file->M.rows);
}

int perp_cmd_generate(int argc, char **argv)
{
    perp_command_line line = {.options = options,
                              .option = option,
                              .check = check,
                              .takes = PERP_TAKES_QUIET,
                              .words = "KIND OUT",
                              .about = "Makes a problem of KIND and writes it to OUT.",
                              .missing = "KIND and OUT are needed",
                              .least = 2,
                              .most = 2,
                              .more = more_help};
    request wish;
    perp_problem_file *file = NULL;
    perp_io_error error;
    perp_status status;

    memset(&wish, 0, sizeof wish);
    memset(&error, 0, sizeof error);
    perp_generate_options_init(&wish.options, perp_generator_at(0));
    perp_read_arguments(&wish.shared, &line, &wish, argc, argv);
    if (!wish.has_mu && wish.kind)
        wish.options.mu = wish.kind->mu;
    status = make(&file, &wish, &error);
    free(wish.shared.word);
    if (!file)
        return perp_complain("%s: %s", wish.word, perp_status_text(status));
    if (status == PERP_SOLVED)
        status = perp_problem_file_write(file, wish.out, PERP_FORMAT_AUTO, &error);
    if (status == PERP_SOLVED && !wish.shared.quiet)
        tell(&wish, file);
    perp_problem_file_destroy(file);
    return status == PERP_SOLVED ? PERP_EXIT_DONE : perp_complain_io(wish.out, status, &error);
}
