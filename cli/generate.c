/* SPDX-License-Identifier: BSD-3-Clause */
#include <argp.h>
#include <stdio.h>
#include <string.h>

#include <perp/io.h>

#include "bench/generate/generate.h"
#include "bench/generate/ladder.h"
#include "cli/commands.h"
#include "cli/message.h"

typedef struct request {
    const perp_generator *kind;
    const char *out;
    perp_generate_options options;
    int has_mu, has_ratio, local, quiet;
    int ladder, relays; /* ladder: a circuit instead of `kind` */
    double normal;      /* > 0: boxed pyramids */
} request;

enum {
    KEY_MU = 256,
    KEY_MU_R,
    KEY_SEED,
    KEY_RATIO,
    KEY_RESTITUTION,
    KEY_FORM,
    KEY_RELAYS,
    KEY_PYRAMID
};

static const struct argp_option options[] = {
    {"size", 'n', "N", 0, "Contacts (ladder: rows) wanted, met approximately (400)", 0},
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

static void parse_word(struct argp_state *state, request *wish, const char *word)
{
    const perp_generator *g;

    if (wish->kind == NULL && !wish->ladder) {
        wish->ladder = strcmp(word, "ladder") == 0;
        if (wish->ladder)
            return;
        wish->kind = perp_generator_find(word);
        if (wish->kind == NULL) {
            perp_complain("unknown kind '%s'", word);
            fputs("kinds:", stderr);
            for (int k = 0; (g = perp_generator_at(k)) != NULL; k++)
                fprintf(stderr, " %s", g->name);
            fputs(" ladder", stderr);
            fputc('\n', stderr);
            argp_error(state, "KIND must be one of these");
        }
    } else if (wish->out == NULL) {
        wish->out = word;
    } else {
        argp_error(state, "one OUT only, not '%s' too", word);
    }
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
    case 'q':
        wish->quiet = 1;
        break;
    case ARGP_KEY_ARG:
        parse_word(state, wish, word);
        break;
    case ARGP_KEY_END:
        if (wish->out == NULL)
            argp_error(state, "KIND and OUT are needed");
        if (wish->relays && !wish->ladder)
            argp_error(state, "--relays is for ladder");
        if (wish->ladder && (wish->has_mu || wish->local || wish->options.mu_r >= 0.0))
            argp_error(state, "a ladder has no contacts");
        if (wish->has_ratio && wish->kind != NULL && strcmp(wish->kind->name, "boxes") != 0)
            argp_error(state, "--ratio is for boxes, not for %s", wish->kind->name);
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

static perp_status make(perp_dump **dump, const request *wish, perp_io_error *error)
{
    perp_ladder_options circuit = {wish->options.size, wish->relays, wish->options.seed};
    perp_status status;

    if (wish->ladder)
        return perp_generate_ladder(dump, &circuit, NULL);
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
        return perp_complain("%s: %s", wish.ladder ? "ladder" : wish.kind->name,
                             perp_status_text(status));
    if (status == PERP_SOLVED)
        status = perp_dump_write(dump, wish.out, PERP_FORMAT_AUTO, &error);
    if (status == PERP_SOLVED && !wish.quiet)
        tell(&wish, dump);
    perp_dump_destroy(dump);
    return status == PERP_SOLVED ? PERP_EXIT_DONE : perp_complain_io(wish.out, status, &error);
}
