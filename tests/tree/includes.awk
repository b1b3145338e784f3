# SPDX-License-Identifier: BSD-3-Clause
# The graph of #include lines of the files that it is given, paths from the top of the tree.
# Prints, one a line:
#   circle DEPTH A -> B  FILE:LINE     an edge in a circle, or between two, of folders at that depth
#                                      (1 or 2) or of files (0)
#   layer FILE:LINE -> B               an edge that `allow` does not have
# Variable allow: "FOLDER: FOLDER...; ..." - the folders (or parts of their paths) that a file below
# the first may include besides those below itself; one that it does not name may include all.
function folder(path, depth,    part, n, i, out) {
    n = split(path, part, "/") - 1
    out = n ? part[1] : "."
    for (i = 2; i <= n && i <= depth; i++)
        out = out "/" part[i]
    return out
}
function below(path, top) {
    return path == top || index(path, top "/") == 1
}
# Without "a/../" and "./".
function plain(path) {
    while (sub(/^\.\//, "", path) || sub(/\/\.\//, "/", path) || sub(/[^\/]+\/\.\.\//, "", path))
        ;
    return path
}
# The file of the tree that an include of `name` in `from` means, or "".
function resolve(from, name,    dir, i, path) {
    dir = from
    sub(/[^\/]*$/, "", dir)
    path = plain(dir name)
    if (path in known)
        return path
    for (i = 1; i <= roots; i++) {
        path = plain(root[i] name)
        if (path in known)
            return path
    }
    return ""
}
# What is left of a graph when all that nothing leads to, or that leads nowhere, is taken away.
function circles(depth,    a, b, e, k, n, pair, out, into, again, alive, edge, first) {
    n = 0
    for (e = 1; e <= edges; e++) {
        a = depth ? folder(from[e], depth) : from[e]
        b = depth ? folder(to[e], depth) : to[e]
        if (a == b || (depth && (below(a, b) || below(b, a) || below(a, "examples"))) || (a, b) in first)
            continue
        first[a, b] = from[e] ":" line[e]
        edge[++n] = a SUBSEP b
        alive[n] = 1
    }
    do {
        again = 0
        split("", out)
        split("", into)
        for (k = 1; k <= n; k++)
            if (alive[k]) {
                split(edge[k], pair, SUBSEP)
                out[pair[1]] = into[pair[2]] = 1
            }
        for (k = 1; k <= n; k++)
            if (alive[k]) {
                split(edge[k], pair, SUBSEP)
                if (!(pair[1] in into) || !(pair[2] in out)) {
                    alive[k] = 0
                    again = 1
                }
            }
    } while (again)
    for (k = 1; k <= n; k++)
        if (alive[k]) {
            split(edge[k], pair, SUBSEP)
            print "circle " depth " " pair[1] " -> " pair[2] "  " first[edge[k]]
        }
}
function layers(    e, i, k, n, m, rule, part, target, good) {
    n = split(allow, rule, /; */)
    for (e = 1; e <= edges; e++)
        for (i = 1; i <= n; i++) {
            m = split(rule[i], part, /[: ]+/)
            if (!below(from[e], part[1]) || below(to[e], part[1]))
                continue
            good = 0
            for (k = 2; k <= m; k++)
                good = good || (part[k] != "" && below(to[e], part[k]))
            if (!good)
                print "layer " from[e] ":" line[e] " -> " to[e]
        }
}
BEGIN {
    roots = split(" include/ numerics/ kernel/ scene/ distributed/ generators/ bench/ viewer/ cli/ tests/", root, " ")
    root[++roots] = ""
    for (i = 1; i < ARGC; i++)
        known[ARGV[i]] = 1
}
/^[ \t]*#[ \t]*include[ \t]*["<]/ {
    name = $0
    sub(/^[^"<]*["<]/, "", name)
    sub(/[">].*/, "", name)
    target = resolve(FILENAME, name)
    if (target != "") {
        from[++edges] = FILENAME
        to[edges] = target
        line[edges] = FNR
    }
}
END {
    circles(1)
    circles(2)
    circles(0)
    layers()
}
