# SPDX-License-Identifier: BSD-3-Clause
# Makes <perp/choices.h>: one enum for each PERP_CHOICE of settings.def and scheme.def.
#     awk -f choices.awk settings.def scheme.def >choices.h         (make choices)
# A scheme parameter that has the name of a setting gets the prefix perp_scheme_.

# Arguments of a macro, split at commas outside of quotes; quotes are taken off.
function arguments(line, part,    n, k, c, quoted) {
    sub(/^[^(]*\(/, "", line)
    sub(/\)[^)]*$/, "", line)
    n = 1
    part[1] = ""
    for (k = 1; k <= length(line); k++) {
        c = substr(line, k, 1)
        if (c == "\"") {
            quoted = !quoted
        } else if (c == "," && !quoted) {
            part[++n] = ""
        } else if (c != " " || part[n] != "") {
            part[n] = part[n] c
        }
    }
    return n
}

# A comment of lines below 100 characters.
function comment(text,    word, n, k, line) {
    n = split(text, word, " ")
    line = "/*"
    for (k = 1; k <= n; k++) {
        if (length(line) + length(word[k]) > 94) {
            print line
            line = " *"
        }
        line = line " " word[k]
    }
    print line " */"
}

# An enumerator: upper case, dashes as underscores.
function constant(text) {
    text = toupper(text)
    gsub(/-/, "_", text)
    return text
}

BEGIN {
    print "/* SPDX-License-Identifier: BSD-3-Clause */"
    print "/* Values of the settings (<perp/settings.h>) and of the parameters of a scheme (<perp/sim.h>)"
    print " * that are choices: settings.sweep = PERP_SWEEP_SYMMETRIC.  Made by choices.awk from"
    print " * settings.def and scheme.def; do not edit. */"
    print "#ifndef PERP_CHOICES_H"
    print "#define PERP_CHOICES_H"
}

/^PERP_CHOICE\(/ {
    n = arguments($0, part)
    name = part[1]
    owner = FILENAME ~ /scheme\.def$/ ? "scheme" : "settings"
    prefix = owner == "scheme" && (name in taken) ? "scheme_" : ""
    if (owner == "settings")
        taken[name] = 1
    count = split(part[3], choice, "|")
    print ""
    comment(owner "." name ": " part[n])
    print "typedef enum perp_" prefix name "_kind {"
    for (k = 1; k <= count; k++) {
        note = k - 1 == part[2] ? " /* default */" : ""
        print "    PERP_" constant(prefix name) "_" constant(choice[k]) (k < count ? "," : "") note
    }
    print "} perp_" prefix name "_kind;"
}

END {
    print ""
    print "#endif"
}
