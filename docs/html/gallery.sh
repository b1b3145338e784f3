#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# gallery.sh PERP SCENES OUT [NAME...]: each scene of the folder SCENES (or those named) as a page with
# its picture in OUT, and OUT/index.html.  What is there and younger than the scene stays.
set -eu
perp=$1 scenes=$2 out=$3
shift 3
mkdir -p "$out"
[ $# -gt 0 ] || set -- $(cd "$scenes" && ls ./*.json | sed 's|^\./||; s|\.json$||')
list=$out/index.html.part
cat >"$list" <<'END'
<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Scenes of Perp</title>
<style>
:root { color-scheme: light dark; }
body { font: 16px/1.4 system-ui, sans-serif; margin: 2em; }
ul { list-style: none; padding: 0; display: grid; gap: 1.5em; grid-template-columns: repeat(auto-fill, minmax(18em, 1fr)); }
img { width: 100%; height: auto; border: 1px solid #8888; }
</style>
<h1>Scenes of Perp</h1>
<p>Each picture opens the page of its run: <code>perp view examples/scenes/NAME.json</code>.</p>
<ul>
END
for name; do
    scene=$scenes/$name.json
    title=$(sed -n 's/^ *"title": *"\(.*\)",\{0,1\} *$/\1/p' "$scene" | head -n 1 |
        sed 's/\\"/"/g; s/&/\&amp;/g; s/</\&lt;/g; s/>/\&gt;/g; s/"/\&quot;/g')
    if [ ! -s "$out/$name.png" ] || [ -n "$(find "$scene" -newer "$out/$name.png")" ]; then
        echo "$name" >&2
        "$perp" view "$scene" -o "$out/$name.html" --png "$out/$name.png" --size 900x600 --quiet ||
            { echo "gallery: $name left out" >&2; continue; }
    fi
    printf '<li><a href="%s.html"><img src="%s.png" alt="" loading="lazy"><br><b>%s</b></a><br>%s</li>\n' \
        "$name" "$name" "$name" "$title" >>"$list"
done
echo '</ul>' >>"$list"
mv "$list" "$out/index.html"
echo "$out/index.html"
