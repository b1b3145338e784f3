#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# gallery.sh PERP SCENES STYLE OUT [NAME...]: each scene of the folder SCENES (or those named) as a page with
# its picture in OUT, OUT/index.html in the style of the pages, and OUT/page.rst, the page of the manual
# that shows them, which has OUT beside its folder docs.  What is there and younger than the scene stays.
set -eu
perp=$1 scenes=$2 style=$3 out=$4
shift 4
mkdir -p "$out"
[ $# -gt 0 ] || set -- $(cd "$scenes" && ls ./*.json | sed 's|^\./||; s|\.json$||')
list=$out/index.html.part page=$out/page.rst.part
cat >"$page" <<'END'
.. SPDX-License-Identifier: BSD-3-Clause

Gallery of scenes
=================

Each picture opens the page of a run of ``examples/scenes``, as ``perp view examples/scenes/NAME.json`` writes it.

.. raw:: html

   <div style="display: grid; gap: 1.5em; grid-template-columns: repeat(auto-fill, minmax(16em, 1fr))">
END
cat >"$list" <<END
<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Scenes of Perp</title>
<style>
$(cat "$style")
</style>
<body class="long">
<header><h1>Scenes of Perp</h1>
<p>Each picture opens the page of its run: <code>perp view examples/scenes/NAME.json</code>.</p></header>
<ul class="gallery">
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
    printf '   <div><a href="../../gallery/%s.html"><img src="../../gallery/%s.png" alt="" loading="lazy" style="width: 100%%"><br><b>%s</b></a><br>%s</div>\n' \
        "$name" "$name" "$name" "$title" >>"$page"
    printf '<li><a href="%s.html"><img src="%s.png" alt="" loading="lazy"><br><b>%s</b></a><br>%s</li>\n' \
        "$name" "$name" "$name" "$title" >>"$list"
done
echo '</ul>' >>"$list"
if ! grep -q '<li>' "$list"; then
    rm "$list" "$page"
    echo 'gallery: no scene could be drawn' >&2
    exit 1
fi
echo '   </div>' >>"$page"
mv "$page" "$out/page.rst"
mv "$list" "$out/index.html"
echo "$out/index.html"
