# SPDX-License-Identifier: BSD-3-Clause
# All mutants of a C file, one a line: LINE OPERATOR PLACE, or with -v line= -v operator= -v place= the
# file with that one.  Comments, preprocessor lines and declarations of tables are left as they are.
BEGIN {
    split("lt le gt ge plus minus times max min and or zero one up down sum not differ", names, " ")
    from["lt"] = " < "; to["lt"] = " <= "
    from["le"] = " <= "; to["le"] = " < "
    from["gt"] = " > "; to["gt"] = " >= "
    from["ge"] = " >= "; to["ge"] = " > "
    from["plus"] = " + "; to["plus"] = " - "
    from["minus"] = " - "; to["minus"] = " + "
    from["times"] = " * "; to["times"] = " + "
    from["max"] = "fmax("; to["max"] = "fmin("
    from["min"] = "fmin("; to["min"] = "fmax("
    from["and"] = " && "; to["and"] = " || "
    from["or"] = " || "; to["or"] = " && "
    from["zero"] = "0.0"; to["zero"] = "1.0"
    from["one"] = "1.0"; to["one"] = "0.0"
    from["up"] = "perp_up("; to["up"] = "perp_down("
    from["down"] = "perp_down("; to["down"] = "perp_up("
    from["sum"] = " += "; to["sum"] = " = "
    from["not"] = "!("; to["not"] = "("
    from["differ"] = " != "; to["differ"] = " == "
    count = split("lt le gt ge plus minus times max min and or zero one up down sum not differ", order, " ")
}

function is_code(text) {
    if (inside) {
        inside = text !~ /\*\//
        return 0
    }
    if (text ~ /^ *\/\*/) {
        inside = text !~ /\*\//
        return 0
    }
    return text !~ /^#|^ *\*|^static const [a-z_]+ [a-z_]+;|for \(int [a-z]+ = 0;/
}

{
    text = $0
    if (is_code(text)) {
        code = text
        sub(/ *\/\*.*$/, "", code)
        for (k = 1; k <= count; k++) {
            at = 1
            for (n = 1; (found = index(substr(code, at), from[order[k]])) > 0; n++) {
                at += found - 1
                if (!line)
                    print NR, order[k], n
                else if (NR == line && order[k] == operator && n == place)
                    text = substr(text, 1, at - 1) to[order[k]] substr(text, at + length(from[order[k]]))
                at += length(from[order[k]])
            }
        }
    }
    if (line)
        print text
}
