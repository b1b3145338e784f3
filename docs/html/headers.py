#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Filter of Doxygen: a public header, with its comments as Doxygen wants them and its lists written out.

    headers.py INCLUDE_FOLDER HEADER >TEXT

The headers are written to be read: plain comments above or beside what they explain, formulas and tables aligned.
A paragraph that is aligned stays as it is (verbatim), other text flows.  Members that come from a list
(<perp/settings.def>, PERP_STATUS_LIST) are written out, with their text beside them.
"""
import re
import sys

ENTRY = re.compile(r"^(PERP_\w+)\((\w+),\s*(.*)\)\s*$")
ALIGNED = re.compile(r"\S {3,}\S|^ {2,}\S")


def escape(text):
    return re.sub(r"([\\@<>#%&$|\"])", r"\\\1", text).replace("*", "&lowast;")


def paragraphs(lines):
    """Text of a comment: runs of aligned lines verbatim, everything else flowing."""
    out, run, aligned = [], [], None

    def flush():
        if not run:
            return
        if aligned:
            out.extend(["@verbatim", *run, "@endverbatim"])
        else:
            out.extend(escape(line) for line in run)
        run.clear()

    previous = None
    for line in lines:
        if not line.strip():
            flush()
            out.append("")
            aligned = previous = None
            continue
        now = bool(ALIGNED.search(line))
        item = re.match(r"^ *(- |\d+\. )", line)
        if item:
            now = False
        elif previous == "item" and re.match(r"^ {2,4}\S", line) and not re.search(r"\S {3,}\S", line):
            now = False
        if now != aligned:
            flush()
            aligned = now
        run.append(line)
        previous = "item" if item or (previous == "item" and not now) else "text"
    flush()
    return out


def comment(text, mark):
    """One comment, without its delimiters, as a Doxygen comment."""
    lines = [re.sub(r"^\s*\* ?", "", line) if k else line.lstrip() for k, line in enumerate(text.split("\n"))]
    lines = [line.rstrip() for line in lines]
    while lines and not lines[-1]:
        lines.pop()
    if mark == "<":
        return "/**< " + " ".join(escape(line.strip()) for line in lines) + " */"
    return "/** " + "\n".join(paragraphs(lines)).lstrip("\n") + "\n */"


def member(kind, types, name, rest):
    """A line of a list as a member or an enumerator."""
    words = [w.strip() for w in re.findall(r'\s*("(?:[^"\\]|\\.)*"|[^,]+)', rest)]
    text = words[-1].strip('"') if words else ""
    if kind == "PERP_CHOICE" and len(words) >= 3:
        text += " (" + words[1].strip('"').replace("|", ", ") + ")"
    elif len(words) >= 4:
        text += f" (default {words[0]}, {words[1]} to {words[2]})"
    return f"{types[kind]} {name}; /**< {escape(text)} */"


def expand(source, include):
    """Lists written out, the C++ guards and PERP_API left out."""
    out, types, more = [], {}, {}
    status = re.search(r"#define PERP_STATUS_LIST\(X\)((?:.*\\\n)*.*\n)", source)
    entries = re.findall(r"X\((\w+),\s*(-?\d+),\s*\"([^\"]*)\"\)", status.group(1)) if status else []
    if status:
        source = source.replace(status.group(0), "")
    source = re.sub(r"#ifdef __cplusplus\n.*?#endif\n", "", source, flags=re.S)
    source = re.sub(r"#if defined\(__GNUC__\).*?#endif\n", "", source, flags=re.S)
    source = re.sub(r"\bPERP_API\s+", "", source)
    for line in source.split("\n"):
        define = re.match(r"#define (PERP_\w+)\([^)]*\)\s+(.*?)\s*\bname\b((?:\s*,\s*name##\w+)*)\s*;\s*"
                          r"(?:/\*.*\*/)?\s*$", line)
        listed = re.match(r"#include <(perp/\w+\.def)>", line)
        if define:
            types[define.group(1)] = define.group(2)
            more[define.group(1)] = re.findall(r"##(\w+)", define.group(3))
        elif listed and types:
            with open(f"{include}/{listed.group(1)}", encoding="utf-8") as f:
                for entry in map(ENTRY.match, f.read().split("\n")):
                    if entry and entry.group(1) in types:
                        for suffix in ["", *more[entry.group(1)]]:
                            out.append(member(entry.group(1), types, entry.group(2) + suffix, entry.group(3)))
            types = {}
        elif re.match(r"#define PERP_STATUS_ENUM|#undef ", line):
            pass
        elif "PERP_STATUS_LIST(PERP_STATUS_ENUM)" in line:
            out.extend(f"    {name} = {value}, /**< {escape(text)} */" for name, value, text in entries)
        else:
            out.append(line)
    return "\n".join(out)


def main():
    include, header = sys.argv[1:3]
    with open(header, encoding="utf-8") as f:
        source = f.read()
    source = re.sub(r"^/\* SPDX.*?\*/\n", "", source)
    out, at, first = [], 0, True
    source = expand(source, include)
    for found in re.finditer(r"/\*(?!\*)\s?(.*?)\s*\*/", source, flags=re.S):
        before = source[at:found.start()]
        line = before.rsplit("\n", 1)[-1] if "\n" in before or at == 0 else before
        beside = bool(line.strip())
        out.append(before)
        text = comment(found.group(1), "<" if beside else "")
        if first and not beside:
            text = text.replace("/** ", "/** @file\n", 1)
            first = False
        out.append(text)
        at = found.end()
    out.append(source[at:])
    sys.stdout.write("".join(out))


main()
