/* SPDX-License-Identifier: BSD-3-Clause */
#include <argp.h>
#include <stdio.h>
#include <string.h>

#include <perp/io.h>

#include "generators/lcp_families.h"
#include "generators/friction_problems.h"
#include "generators/ladder.h"
#include "cli/commands.h"
#include "cli/message.h"

typedef enum source { NOTHING, SCENE, CIRCUIT, FAMILY } source;

typedef struct request {
    source source;
    const perp_generator *kind; /* SCENE */
    perp_family family;         /* FAMILY */
    const char *word, *out;     /* the arguments */
    perp_generate_options options;
    int has_mu, has_ratio, local, quiet;
    int relays;          /* CIRCUIT */
    double normal;       /* > 0: boxed pyramids */
    perp_dump_class cls; /* FAMILY */
} request;

enum {
    KEY_MU = 256,
    KEY_MU_R,
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
    {"seed", KEY_SEED, "N", 0, "Seed of jitter and velocities (1); same seed, same problem", 0},
    {"ratio", KEY_RATIO, "X", 0, "boxes: mass of the top course over the bottom one (1)", 0},
    {"restitution", KEY_RESTITUTION, "E", 0, "Newton's coefficient of restitution (0)", 0},
    {"form", KEY_FORM, "FORM", 0, "local (W, q) or global (M, H, G, f; default)", 0},
    {"pyramid", KEY_PYRAMID, "P", 0,
     "Boxed friction instead: local, each tangential impulse within mu P", 0},
    {"relays", KEY_RELAYS, NULL, 0, "ladder: relays and Zener diodes too", 0},
    {"rows", KEY_ROWS, "SETS", 0,
     "Families: lcp, mlcp (every fifth row is free) or boxed (and bounds on others) (lcp)", 0},
    {"quiet", 'q', NULL, 0, "Print errors only", 0},
    {0}};

static void parse_number(struct argp_state *state, const char *option, double *value,
                         const char *word, double low, double high)
{
    if (!perp_parse_real(value, word, low, high))
        argp_error(state, "--%s wants a number from %g to %g, not '%s'", option, low, high, word);
}

static long long parse_whole(struct argp_state *state, const char *option, const char *word,
                             long long low, long long high)
{
    long long value;

    if (!perp_parse_integer(&value, word, low, high)) {
        argp_error(state, "--%s wants a whole number from %lld to %lld, not '%s'", option, low,
                   high, word);
    }
    return value;
}

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

static void list_kinds(FILE *out)
{
    const perp_generator *g;

    for (int k = 0; (g = perp_generator_at(k)) != NULL; k++)
        fprintf(out, " %s", g->name);
    fputs(" ladder", out);
    for (int k = 0; k < PERP_FAMILY_COUNT; k++)
        fprintf(out, " %s", perp_family_name((perp_family)k));
}

static void parse_word(struct argp_state *state, request *wish, const char *word)
{
    if (wish->source == NOTHING) {
        wish->word = word;
        wish->source = find_source(wish, word);
        if (wish->source == NOTHING) {
            perp_complain("unknown kind '%s'", word);
            fputs("kinds:", stderr);
            list_kinds(stderr);
            fputc('\n', stderr);
            argp_error(state, "KIND must be one of these");
        }
    } else if (wish->out == NULL) {
        wish->out = word;
    } else {
        argp_error(state, "one OUT only, not '%s' too", word);
    }
}

static void parse_rows(struct argp_state *state, request *wish, const char *word)
{
    static const char *const names[] = {"lcp", "mlcp", "boxed"};
    static const perp_dump_class classes[] = {PERP_DUMP_LCP, PERP_DUMP_MLCP, PERP_DUMP_RELAY};

    for (int k = 0; k < 3; k++)
        if (strcmp(word, names[k]) == 0) {
            wish->cls = classes[k];
            return;
        }
    argp_error(state, "--rows is lcp, mlcp or boxed, not '%s'", word);
}

static void check_request(struct argp_state *state, const request *wish)
{
    int contacts = wish->has_mu || wish->local || wish->options.mu_r >= 0.0;

    if (wish->out == NULL)
        argp_error(state, "KIND and OUT are needed");
    if (wish->relays && wish->source != CIRCUIT)
        argp_error(state, "--relays is for ladder");
    if (wish->cls != PERP_DUMP_AUTO && wish->source != FAMILY)
        argp_error(state, "--rows is for the families, not for %s", wish->word);
    if (contacts && wish->source != SCENE)
        argp_error(state, "%s has no contacts", wish->word);
    if (wish->has_ratio && strcmp(wish->word, "boxes") != 0)
        argp_error(state, "--ratio is for boxes, not for %s", wish->word);
}

static error_t parse(int key, char *word, struct argp_state *state)
{
    request *wish = state->input;

    switch (key) {
    case 'n':
        wish->options.size = (int)parse_whole(state, "size", word, 1, PERP_GENERATE_SIZE_MAX);
        break;
    case KEY_MU:
        parse_number(state, "mu", &wish->options.mu, word, 0.0, 1e6);
        wish->has_mu = 1;
        break;
    case KEY_MU_R:
        parse_number(state, "mu-r", &wish->options.mu_r, word, 0.0, 1e6);
        break;
    case KEY_SEED:
        wish->options.seed = (uint64_t)parse_whole(state, "seed", word, 0, INT64_MAX);
        break;
    case KEY_RATIO:
        parse_number(state, "ratio", &wish->options.ratio, word, 1e-6, 1e6);
        wish->has_ratio = 1;
        break;
    case KEY_RESTITUTION:
        parse_number(state, "restitution", &wish->options.restitution, word, 0.0, 1.0);
        break;
    case KEY_FORM:
        wish->local = strcmp(word, "local") == 0;
        if (!wish->local && strcmp(word, "global") != 0)
            argp_error(state, "--form is local or global, not '%s'", word);
        break;
    case KEY_PYRAMID:
        parse_number(state, "pyramid", &wish->normal, word, 1e-12, 1e12);
        wish->local = 1;
        break;
    case KEY_RELAYS:
        wish->relays = 1;
        break;
    case KEY_ROWS:
        parse_rows(state, wish, word);
        break;
    case 'q':
        wish->quiet = 1;
        break;
    case ARGP_KEY_ARG:
        parse_word(state, wish, word);
        break;
    case ARGP_KEY_END:
        check_request(state, wish);
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static char *help_text(int key, const char *text, void *input)
{
    const perp_generator *g;
    char *buffer = NULL;
    size_t size;
    FILE *out;

    (void)input;
    if (key != ARGP_KEY_HELP_POST_DOC || (out = open_memstream(&buffer, &size)) == NULL)
        return (char *)text;
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
    fclose(out);
    return buffer;
}

/* Replaces the global form by the local one. */
static perp_status make_local(perp_dump **dump, perp_io_error *error)
{
    perp_dump *local;
    perp_status status = perp_dump_to_local(&local, *dump, NULL, error);

    if (status == PERP_SOLVED) {
        perp_dump_destroy(*dump);
        *dump = local;
    }
    return status;
}

/* Replaces the local form by boxed pyramids. */
static perp_status make_pyramids(perp_dump **dump, double normal)
{
    perp_dump *boxed;
    perp_status status = perp_generate_pyramid(&boxed, *dump, normal, NULL);

    if (status == PERP_SOLVED) {
        perp_dump_destroy(*dump);
        *dump = boxed;
    }
    return status;
}

static perp_status make_family(perp_dump **dump, const request *wish)
{
    perp_family_options family = {wish->family, wish->cls, wish->options.size, wish->options.seed};

    if (family.cls == PERP_DUMP_AUTO)
        family.cls = PERP_DUMP_LCP;
    return perp_generate_family(dump, NULL, &family, NULL);
}

static perp_status make(perp_dump **dump, const request *wish, perp_io_error *error)
{
    perp_ladder_options circuit = {wish->options.size, wish->relays, wish->options.seed};
    perp_status status;

    if (wish->source == CIRCUIT)
        return perp_generate_ladder(dump, &circuit, NULL);
    if (wish->source == FAMILY)
        return make_family(dump, wish);
    status = perp_generate(dump, wish->kind, &wish->options, NULL);
    if (status == PERP_SOLVED && wish->local)
        status = make_local(dump, error);
    if (status == PERP_SOLVED && wish->normal > 0.0)
        status = make_pyramids(dump, wish->normal);
    return status;
}

static void tell(const request *wish, const perp_dump *dump)
{
    if (dump->contacts > 0)
        printf("%s: %s; %d contacts, %s form\n", wish->out, dump->title, dump->contacts,
               wish->local ? "local" : "global");
    else
        printf("%s: %s; %d rows\n", wish->out, dump->title, dump->M.rows);
}

int perp_cmd_generate(int argc, char **argv)
{
    static const char doc[] = "Makes a problem of KIND and writes it to OUT.\v ";
    const struct argp argp = {options, parse, "KIND OUT", doc, NULL, help_text, NULL};
    request wish;
    perp_dump *dump;
    perp_io_error error;
    perp_status status;

    memset(&wish, 0, sizeof wish);
    memset(&error, 0, sizeof error);
    perp_generate_options_init(&wish.options, perp_generator_at(0));
    if (argp_parse(&argp, argc, argv, 0, NULL, &wish) != 0)
        return PERP_EXIT_ERROR;
    if (!wish.has_mu && wish.kind)
        wish.options.mu = wish.kind->mu;
    dump = NULL;
    status = make(&dump, &wish, &error);
    if (!dump)
        return perp_complain("%s: %s", wish.word, perp_status_text(status));
    if (status == PERP_SOLVED)
        status = perp_dump_write(dump, wish.out, PERP_FORMAT_AUTO, &error);
    if (status == PERP_SOLVED && !wish.quiet)
        tell(&wish, dump);
    perp_dump_destroy(dump);
    return status == PERP_SOLVED ? PERP_EXIT_DONE : perp_complain_io(wish.out, status, &error);
}
