#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The pages: every link leads to a file that is there and to a heading in it, lines are short,
# every citation is a key of docs/references.md, and what is named ships.
set -u
cd "$PERP_SOURCE" || exit 99
LC_ALL=C
export LC_ALL
number=0
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
result() { # DESCRIPTION, complaints in $work/log
    number=$((number + 1))
    if [ -s "$work/log" ]; then
        echo "not ok $number - $1"
        sed 's/^/# /' "$work/log"
    else
        echo "ok $number - $1"
    fi
}

pages="$(ls ./*.md) $(find docs -name '*.md' | sort)"
echo 1..8

# Anchors of a page as its readers make them from headings: "page#anchor", one a line.
for page in $pages; do
    sed -n '/^```/,/^```/!s/^##* //p' "$page" | tr 'A-Z' 'a-z' |
        sed 's/[][`*(){}.,:;!?"'"'"'\/|<>=+&%$^~@#]//g; s/  */ /g; s/ *$//; s/ /-/g' |
        sed "s|^|${page#./}#|"
done >"$work/anchors"
# Links in running text, "page target", one a line; no code.
for page in $pages; do
    sed '/^```/,/^```/d; /^    /d; s/`[^`]*`//g' "$page" | grep -o '\](\([^)]*\))' |
        sed 's/^](//; s/)$//' | grep -v '^[a-z]*:' | sed "s|^|${page#./} |"
done >"$work/links"
while read -r page target; do
    file=${target%%#*}
    case $target in *#*) anchor=${target#*#} ;; *) anchor= ;; esac
    case $file in
    "") path=$page ;;
    *) path=$(dirname "$page")/$file ;;
    esac
    if [ ! -e "$path" ]; then
        echo "$page: $target: no such file"
        continue
    fi
    [ -n "$anchor" ] || continue
    path=$(cd "$(dirname "$path")" && pwd)/${path##*/}
    path=${path#"$(pwd)"/}
    grep -qxF "$path#$anchor" "$work/anchors" || echo "$page: $target: no such heading"
done <"$work/links" >"$work/log"
result "links of the pages lead somewhere"

# Sphinx, whose warnings are errors, does not run here: each page is in its contents, and each folder
# that a page links to lies beside the pages.
{
    for page in $(find docs -name '*.md'); do
        page=${page%.md}
        grep -q "^   ../${page#docs/}\$" docs/html/contents.rst || echo "$page: not in docs/html/contents.rst"
    done
    folders=$(sed -n 's/^html_pages = //p' docs/html/module.am)
    while read -r page target; do
        path=$(cd "$(dirname "$page")" && cd "$(dirname "${target%%#*}")" 2>/dev/null && pwd) || continue
        path=${path#"$(pwd)"/}
        case " $folders " in
        *" ${path%%/*} "*) ;;
        *) [ "$path" = "$(pwd)" ] || echo "$page: $target: its folder is not in html_pages of docs/html/module.am" ;;
        esac
    done <"$work/links"
} >"$work/log"
result "make html has each page and what it links to"

# 119 characters at most, but for rows of tables, which cannot be broken; bytes that continue
# a character of UTF-8 do not count.
for page in $pages; do
    awk -v page="$page" '{ line = $0; gsub(/[\200-\277]/, "", line) }
        length(line) > 119 && !/^\|/ { printf "%s:%d: %d characters\n", page, NR, length(line) }' "$page"
done >"$work/log"
result "lines of the pages are short"

# Keys are entries "- **[KEY]** ..." of references.md, AuthorYear or one of four.
sed -n 's/^- \*\*\[\([A-Za-z0-9+-]*\)\]\*\*.*/\1/p' docs/references.md | sort >"$work/keys"
uniq -d "$work/keys" | sed 's/^/defined twice: /' >"$work/log"
grep -rnoE '\[[A-Z][A-Za-z]*[0-9][0-9][0-9][0-9]\]|\[(SDN|SUG|SNL|ACA10)\]' --include='*.md' --include='*.h' --include='*.c' \
    --include='*.def' --include='*.sh' README.md docs include numerics kernel scene generators cli bench examples tests 2>/dev/null |
    sed 's/^\(.*\):[0-9]*:\[\(.*\)\]$/\2 \1/' | sort -u |
    while read -r key file; do
        grep -qx "$key" "$work/keys" || echo "$file: [$key] is not in docs/references.md"
    done >>"$work/log"
result "citations have an entry in references.md"

# Every page but an index is reached from another one.
for page in $pages; do
    page=${page#./}
    case $page in README.md) continue ;; esac
    name=${page##*/}
    grep -qE "[ /]$name(#|\$)" "$work/links" || echo "$page: no page leads here"
done >"$work/log"
result "every page is linked from another"

# Every page and picture is installed with the others.
{
    find docs -name '*.md' -o -name '*.png' | grep -v '^docs/html/' | sort | sed 's|^docs/|%D%/|'
} | while read -r file; do
    grep -qF "$file" docs/module.am || echo "$file is not in docs/module.am"
done >"$work/log"
result "every page and picture is in docs/module.am"

# Files of ours that a page names are there; a program stands for its source.
for page in $pages; do
    {
        grep -oE '`(include|numerics|kernel|scene|generators|cli|bench|tests|examples|docs)/[^` ]*`' "$page" | tr -d '`'
        grep -oE '^    (build/)?(bench|examples)/[a-z_]+( |$)' "$page" | sed 's|build/||'
    } | sed "s/^ *//; s/[ :].*//; s/#.*//" | sort -u | while read -r path; do
        case $path in *[*A-Z\{]*) continue ;; esac
        [ -e "$path" ] || [ -e "$path.c" ] || echo "$page: $path"
    done
done >"$work/log"
result "files that the pages name are there"

# No source is cited that a reader cannot find, and the words are those of the field.
{
    grep -rnE '(^|[^0-9.])00[0-4]( \(|, ?ch| ch| sec)|[Ss]eed 00[0-9]' README.md docs include
    # shellcheck disable=SC2086
    grep -nwiE 'house|rooms|at hand|anew|in vain|by turns|none the less' $pages
    grep -rnwiE 'house|rooms|at hand|anew|in vain|by turns|none the less' include
} >"$work/log"
result "sources can be found, words are those of the field"
