#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The gallery: a page with all scenes in it and one of the manual, hostile titles as text, what cannot be drawn
# left out, what is there kept.  The pictures are of a program that only writes files.
set -u
stage=$(mktemp -d) || exit 99
trap 'rm -rf "$stage"' EXIT
cd "$stage" || exit 99
number=0
check() { # NAME COMMAND...
    name=$1; shift
    number=$((number + 1))
    if "$@" >log 2>&1; then echo "ok $number - $name"
    else echo "not ok $number - $name"; sed 's/^/# /' log; fi
}
mkdir scenes

printf '{\n "title": "Plain"\n}\n' >scenes/plain.json
cp scenes/plain.json scenes/bad.json
printf '{\n "title": "A </div><script>throw 1</script> & \\"more\\"",\n "time": {}\n}\n' >scenes/hostile.json
cat >perp <<'END2'
#!/bin/sh
# view SCENE -o PAGE --png PICTURE ...
case $2 in *bad*) exit 1 ;; esac
echo "$2" >>made
echo page >"$4" && echo picture >"$6"
END2
chmod +x perp
gallery() { sh "$PERP_SOURCE/docs/html/gallery.sh" ./perp scenes "$PERP_SOURCE/viewer/page/view.css" out "$@"; }

check "all scenes" gallery
listed() {
    for page in out/index.html out/page.rst; do
        for one in hostile plain; do grep -q "\"[./a-z]*$one.html\"" $page && grep -q "\"[./a-z]*$one.png\"" $page || return 1; done
        ! grep -q "bad\.html" $page && ! grep -q '<script>' $page && grep -q 'A &lt;/div&gt;&lt;script&gt;throw 1.*&amp; &quot;more&quot;' $page || return 1
    done
    ! ls out/*.part 2>/dev/null
}
check "are in both pages, titles as text, without the one that failed" listed
check "once more" gallery
check "makes nothing that is there" test "$(wc -l <made)" = 2
named() { gallery plain && ! grep -q hostile out/index.html && grep -q plain out/page.rst; }
check "those that are named" named
none() {
    ! sh "$PERP_SOURCE/docs/html/gallery.sh" ./perp scenes "$PERP_SOURCE/viewer/page/view.css" empty bad && [ -z "$(ls empty)" ]
}
check "no scene that can be drawn is an error" none
manual() {
    grep -q '^   gallery$' "$PERP_SOURCE/docs/html/contents.rst" && grep -q 'gallery/page.rst' "$PERP_SOURCE/docs/html/module.am" &&
        awk '/^.. raw:: html/ { raw = 1; next } raw && NF && !/^   / { exit 1 }' out/page.rst
}
check "the manual has it" manual
echo "1..$number"
