/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of schemes, and schemes set by name. */
#include "kernel/sim/scheme_list.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define PERP_ADDRESS(symbol) &symbol,
static const perp_integrator *const all[] = {PERP_SCHEMES(PERP_ADDRESS)};
#undef PERP_ADDRESS
enum { COUNT = sizeof all / sizeof all[0] };

/* A parameter of scheme.def; whole: it is an int. */
typedef struct parameter {
    const char *name, *choices;
    double begins, lowest, highest;
    int whole;
    size_t offset;
} parameter;

static const parameter parameters[] = {
#define PERP_REAL(name, def, lo, hi, text)                                                         \
    {#name, NULL, def, lo, hi, 0, offsetof(perp_scheme, name)},
#define PERP_INT(name, def, lo, hi, text)                                                          \
    {#name, NULL, def, lo, hi, 1, offsetof(perp_scheme, name)},
#define PERP_CHOICE(name, def, choices, text)                                                      \
    {#name, choices, def, 0, 0, 1, offsetof(perp_scheme, name)},
#include <perp/scheme.def>
#undef PERP_REAL
#undef PERP_INT
#undef PERP_CHOICE
};
enum { PARAMETERS = sizeof parameters / sizeof parameters[0] };

const perp_integrator *perp_integrator_at(int k)
{
    return k >= 0 && k < COUNT ? all[k] : NULL;
}

const perp_integrator *perp_integrator_find(const char *name)
{
    for (int k = 0; name && k < COUNT; k++)
        if (strcmp(all[k]->name, name) == 0)
            return all[k];
    return NULL;
}

const char *perp_scheme_at(int k)
{
    const perp_integrator *integrator = perp_integrator_at(k);
    return integrator ? integrator->name : NULL;
}

const char *perp_scheme_summary(const char *name)
{
    const perp_integrator *integrator = perp_integrator_find(name);
    return integrator ? integrator->summary : NULL;
}

static const parameter *find_parameter(const char *name)
{
    for (int k = 0; k < PARAMETERS; k++)
        if (strcmp(parameters[k].name, name) == 0)
            return &parameters[k];
    return NULL;
}

static void store(perp_scheme *scheme, const parameter *what, double value)
{
    char *at = (char *)scheme + what->offset;
    int whole = (int)value;
    if (what->whole)
        memcpy(at, &whole, sizeof whole);
    else
        memcpy(at, &value, sizeof value);
}

static double load(const perp_scheme *scheme, const parameter *what)
{
    const char *at = (const char *)scheme + what->offset;
    double value;
    int whole;
    if (!what->whole) {
        memcpy(&value, at, sizeof value);
        return value;
    }
    memcpy(&whole, at, sizeof whole);
    return whole;
}

perp_status perp_scheme_init(perp_scheme *scheme, const char *name, size_t size)
{
    const perp_integrator *integrator = perp_integrator_find(name);
    if (!scheme)
        return PERP_ERR_ARGUMENT;
    if (!integrator || size != sizeof *scheme)
        return PERP_ERR_SETTING;
    memset(scheme, 0, sizeof *scheme);
    scheme->size = sizeof *scheme;
    scheme->name = integrator->name;
    for (int k = 0; k < PARAMETERS; k++)
        store(scheme, &parameters[k], parameters[k].begins);
    if (integrator->defaults)
        integrator->defaults(scheme);
    return PERP_SOLVED;
}

/* Position of text among "a|b|c", or -1. */
static int choice_index(const char *choices, const char *text)
{
    size_t length = strlen(text);
    int index = 0;
    for (const char *at = choices;; index++) {
        size_t span = strcspn(at, "|");
        if (span == length && strncmp(at, text, length) == 0)
            return index;
        if (at[span] == '\0')
            return -1;
        at += span + 1;
    }
}

static int choice_count(const char *choices)
{
    int count = 1;
    for (; *choices; choices++)
        count += *choices == '|';
    return count;
}

/* Reads digits into *mantissa and returns how many there were. */
static int read_digits(long double *mantissa, const char **text)
{
    int digits = 0;
    for (; **text >= '0' && **text <= '9'; (*text)++, digits++)
        *mantissa = 10 * *mantissa + (long double)(**text - '0');
    return digits;
}

/* A plain decimal number, read the same in every locale.  Rounded once where long double
 * holds its digits and its power of ten exactly (19 digits and 10^27 on x86).  0: none. */
static int read_number(double *value, const char *text)
{
    int negative = *text == '-';
    text += *text == '-' || *text == '+';
    long double mantissa = 0, scale = 1, power = 0;
    int before = read_digits(&mantissa, &text), after = 0;
    if (*text == '.') {
        text++;
        after = read_digits(&mantissa, &text);
    }
    if (before + after == 0)
        return 0;
    if (*text == 'e' || *text == 'E') {
        int down = text[1] == '-';
        text += 1 + (text[1] == '-' || text[1] == '+');
        if (read_digits(&power, &text) == 0)
            return 0;
        power = down ? -power : power;
    }
    power = fminl(fmaxl(power - (long double)after, -4900), 4900);
    for (long double k = fabsl(power); k > 0; k--)
        scale *= 10;
    mantissa = power < 0 ? mantissa / scale : mantissa * scale;
    *value = (double)(negative ? -mantissa : mantissa);
    return *text == '\0';
}

static int in_range(const parameter *what, double value)
{
    if (what->choices)
        return value >= 0 && value < choice_count(what->choices);
    return value >= what->lowest && value <= what->highest;
}

perp_status perp_scheme_set(perp_scheme *scheme, const char *name, const char *value)
{
    if (!scheme || !name || !value)
        return PERP_ERR_ARGUMENT;
    const parameter *what = find_parameter(name);
    double number = 0;
    if (scheme->size != sizeof *scheme || !what)
        return PERP_ERR_SETTING;
    if (what->choices)
        number = choice_index(what->choices, value);
    else if (!read_number(&number, value))
        return PERP_ERR_SETTING;
    if (!in_range(what, number) || (what->whole && number != floor(number)))
        return PERP_ERR_SETTING;
    store(scheme, what, number);
    return PERP_SOLVED;
}

perp_status perp_scheme_check(const perp_scheme *scheme, const char **name)
{
    *name = NULL;
    if (!scheme || scheme->size != sizeof *scheme)
        *name = "size";
    else if (!perp_integrator_find(scheme->name))
        *name = "name";
    for (int k = 0; !*name && k < PARAMETERS; k++)
        if (!in_range(&parameters[k], load(scheme, &parameters[k])))
            *name = parameters[k].name;
    return *name ? PERP_ERR_SETTING : PERP_SOLVED;
}

int perp_scheme_same(const perp_scheme *a, const perp_scheme *b)
{
    int same = strcmp(a->name, b->name) == 0;
    for (int k = 0; same && k < PARAMETERS; k++)
        same = load(a, &parameters[k]) == load(b, &parameters[k]);
    return same;
}
