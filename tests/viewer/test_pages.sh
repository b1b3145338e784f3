#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Pages of perp view in a real browser: no error on the console, pictures that are neither blank nor
# equal, the state at a time as the series has it, ten thousand bodies, names that would break a page.
set -u
perp=$PERP_BUILD/perp
scenes=$PERP_SOURCE/examples/scenes
skip() { echo "1..1"; echo "ok 1 - pages in a browser # SKIP $1"; exit 0; }
grep -q '^#define HAVE_JANSSON' "$PERP_BUILD/config.h" || skip "configured without jansson"
three=$("$perp" view --help | sed -n 's/.*(\(\/.*\.js\)).*/\1/p')
[ -r "$three" ] || skip "no three.js (Debian: libjs-three)"
browser=
for name in chromium chromium-browser google-chrome; do
    command -v $name >/dev/null 2>&1 && { browser=$name; break; }
done
[ -n "$browser" ] || skip "no Chromium (Debian: chromium)"
stage=$(mktemp -d) || exit 99
trap 'rm -rf "$stage"' EXIT
cd "$stage" || exit 99
TMPDIR=$stage
export TMPDIR
cp "$PERP_SOURCE/tests/viewer/driver.html" .

# Rows near a quarter and at the end of a series as {"t": ..., "values": {...}}.
rows() { # SERIES
    awk -F, 'NR == 1 { for (k = 1; k <= NF; k++) { name[k] = $k; gsub(/"/, "", name[k]) } next }
        { line[NR] = $0; last = NR }
        END { n = split(int(last / 4) + 2 " " int(last / 2) + 2 " " last, wanted, " ")
            for (r = 1; r <= n; r++) {
                row = wanted[r] > last ? last : wanted[r]; split(line[row], x, ",")
                printf "%s{\"t\": %s, \"values\": {", (r > 1 ? ", " : ""), x[1]; first = 1
                for (k = 2; k in name; k++)
                    if (name[k] ~ /\.[qx]\[[0-9]+\]$/) { printf "%s\"%s\": %s", (first ? "" : ", "), name[k], x[k]; first = 0 }
                printf "}}" } }' "$1"
}
# page NAME UNTIL EXTRA: runs NAME.json and adds it to the list.
echo "const EXPECTED = [" >expected.js
page() {
    file=$1.json
    [ -f "$file" ] || file=$scenes/$1.json
    "$perp" run "$file" --out "$1" --until "$2" -q >log 2>&1 || sed "s/^/# /" log
    "$perp" view "$1" -o "$1.html" -q || echo "not ok - a page of $1"
    printf '{"name": "%s", "page": "%s.html", %s "expect": [%s]},\n' "$1" "$1" "${3:-}" \
        "$(rows "$1/series.csv")" >>expected.js
}
page box_stack 0.3 '"touches": true,'
page shapes 0.6
page conveyor 0.5 '"touches": true, "dark": true,'
page ball_joint 0.5
page knee 0.5 '"red": true, "wheels": 0,'
# A body without a shape whose axes are turned out of its frame.
cat >tumble.json <<'END'
{"version": 1, "title": "Tumble", "time": {"step": 0.01, "until": 0.2},
 "bodies": [{"name": "a", "mass": 2, "inertia": [[0.9, 0.1, 0.05], [0.1, 1, -0.2], [0.05, -0.2, 0.8]], "angular": [3, 1, 2]}],
 "record": {"quantities": ["energy"]}}
END
page tumble 0.2 '"wheels": 0,'
page gear_train 0.5 '"wheels": 2,'
page disc_heap 0.5 '"touches": true,'
page slider_crank 0.01
page double_pendulum 1
page rolling_disc 6 '"touches": true,'
page impacting_stick 0.2
page bouncing_ball 1
page rlcd_circuit 0.001

cat >many.json <<'END'
{"version": 1, "title": "Ten thousand", "time": {"step": 0.01, "until": 0.04}, "gravity": [0, 0, -9.81],
 "bodies": [{"name": "ball", "shape": {"type": "sphere", "radius": 0.04}, "density": 1000,
   "copies": {"count": [25, 25, 16], "spacing": [0.1, 0.1, 0.1]}}],
 "record": {"quantities": ["energy"]}}
END
page many 0.04 '"moves": 10000,'
sed 's/"count": \[[^]]*\]/"count": [12, 12, 12]/; s/"type": "sphere", "radius": 0.04/"type": "box", "sides": [0.06, 0.06, 0.06]/; s/Ten thousand/Boxes/' \
    many.json >boxes.json
page boxes 0.04 '"moves": 1728, "corners": true,'
# The shapes that have coarse ones, and a thousand contacts.
cat >mixed.json <<'END'
{"version": 1, "title": "Mixed", "time": {"step": 0.01, "until": 0.04}, "gravity": [0, 0, -9.81], "bodies": [
 {"name": "ball", "shape": {"type": "sphere", "radius": 0.04}, "density": 1000, "copies": {"count": [12, 12, 3], "spacing": [0.1, 0.1, 0.1]}},
 {"name": "box", "shape": {"type": "box", "sides": [0.05, 0.04, 0.06]}, "density": 1000, "angular": [3, 1, 2], "position": [0, 0, 0.3],
  "copies": {"count": [12, 12, 3], "spacing": [0.1, 0.1, 0.1]}},
 {"name": "capsule", "shape": {"type": "capsule", "radius": 0.02, "length": 0.04}, "density": 1000, "angular": [3, 1, 2], "position": [0, 0, 0.6],
  "copies": {"count": [12, 12, 2], "spacing": [0.1, 0.1, 0.1]}},
 {"name": "cylinder", "shape": {"type": "cylinder", "radius": 0.03, "length": 0.05}, "density": 1000, "angular": [3, 1, 2], "position": [0, 0, 0.8],
  "copies": {"count": [12, 12, 2], "spacing": [0.1, 0.1, 0.1]}},
 {"name": "cone", "shape": {"type": "cone", "radius": 0.03, "height": 0.06}, "density": 1000, "angular": [3, 1, 2], "position": [0, 0, 1],
  "copies": {"count": [12, 12, 2], "spacing": [0.1, 0.1, 0.1]}}],
 "record": {"quantities": ["energy"]}}
END
page mixed 0.04 '"moves": 1728, "mixed": true,'
cat >carpet.json <<'END'
{"version": 1, "title": "Carpet", "time": {"step": 0.01, "until": 0.08}, "gravity": [0, 0, -9.81], "bodies": [
 {"name": "floor", "shape": {"type": "plane", "normal": [0, 0, 1]}},
 {"name": "box", "shape": {"type": "box", "sides": [0.1, 0.1, 0.1]}, "density": 1000, "position": [0, 0, 0.05], "velocity": [0.5, 0, 0],
  "copies": {"count": [17, 17, 1], "spacing": [0.2, 0.2, 0.2]}}],
 "contacts": {"mu": 0.3}, "record": {"quantities": ["energy"]}}
END
page carpet 0.08 '"thin": 1156,'
# A run that fails in its eighth step.
sed 's/"solver": *{[^}]*}, *//; s/^{/{"solver": {"name": "gs", "max_iter": 3},/' "$scenes/box_stack.json" >fails.json
page fails 0.3 '"stopped": "the step from t = ",'
cat >hostile.json <<'END'
{"version": 1, "title": "</script><script>throw 1</script><!--<script>\"'&", "time": {"step": 0.01, "until": 0.1},
 "gravity": [0, 0, -9.81],
 "bodies": [{"name": "<!--<script>&lt;", "shape": {"type": "sphere", "radius": 0.1}, "density": 1000},
   {"name": "__proto__", "shape": {"type": "sphere", "radius": 0.1}, "density": 1000, "position": [1, 0, 0]}],
 "record": {"quantities": ["energy"]}}
END
page hostile 0.1 '"contains": ["</script><script>throw 1</script><!--<script>\"'"'"'&", "<!--<script>&lt;", "__proto__"],'
# A page of which a part is missing, and one with letters that are no base64.
sed '/class="chunks"/d' box_stack.html >less.html
sed 's/\(<script type="text\/plain" class="chunks">.\{400\}\).\{4\}/\1AA/' box_stack.html >worse.html
for name in less worse; do echo "{\"name\": \"$name.html\", \"page\": \"$name.html\", \"damaged\": true, \"expect\": []}," >>expected.js; done
if grep -q '^#define HAVE_HDF5' "$PERP_BUILD/config.h"; then
    "$perp" view "$PERP_SOURCE/bench/problems/spheres.hdf5" -o spheres.html -q || echo "not ok - a page of a problem"
    echo '{"name": "spheres.hdf5", "page": "spheres.html", "blocks": 289, "expect": []},' >>expected.js
fi
# A campaign of three problems and two solvers: each of its rows opens a page.
mkdir small && "$perp" generate grains small/a.dat --form local --size 10 -q && "$perp" generate grains small/b.dat --form local --size 20 -q &&
    "$perp" generate grains small/c.dat --form local --size 30 -q && "$perp" bench small --solver gs,nsn --tol 1e-6 --out results.csv >log 2>&1 &&
    "$perp" view results.csv --problems small -q && echo '{"name": "results.csv", "page": "results.html", "runs": 6, "expect": []},' >>expected.js ||
    { echo "not ok - a page of a campaign"; sed 's/^/# /' log; }
echo "];" >>expected.js

# Pictures by the command: two times, two pictures.
png() { # NAME TIME
    "$perp" view box_stack --png "$1.png" --at "$2" --camera 30,20 --size 400x300 --quiet &&
        head -c 8 "$1.png" | od -An -tx1 | grep -q '89 50 4e 47' && test "$(wc -c <"$1.png")" -gt 2000
}
pictures() { png early 0 && png late 0.3 && ! cmp -s early.png late.png && test ! -e early.png.html; }
tell() { # NAME COMMAND
    if "$2" >log 2>&1; then echo "ok - $1"; elif [ $? = 77 ]; then echo "ok - $1 # SKIP no ffmpeg"
    else echo "not ok - $1"; sed 's/^/# /' log; fi
}
tell "pictures of two times" pictures
# Films: the pictures that were asked for, as many and as large, and they differ; nothing else is left.
films() {
    command -v ffmpeg >/dev/null 2>&1 && command -v ffprobe >/dev/null 2>&1 || return 77
    "$perp" view box_stack --mp4 film.mp4 --from 0.1 --until 0.2 --speed 0.5 --fps 20 --size 161x121 --follow ball &&
        "$perp" view box_stack --gif film.gif --until 0.2 --fps 20 --size 160x120 || return 1
    # 0.1 s at half the speed are 0.2 s, 5 pictures with both ends; 0.2 s are 0.2 s.  MP4 wants even numbers.
    for wanted in 162,122,5:film.mp4 160,120,5:film.gif; do
        got=$(ffprobe -v error -count_frames -select_streams v -show_entries stream=width,height,nb_read_frames -of csv=p=0 "${wanted#*:}")
        echo "$got"
        [ "$got" = "${wanted%%:*}" ] || return 1
    done
    ffmpeg -v error -i film.gif -f framemd5 - | grep -v '^#' | awk -F, '{ print $NF }' | sort -u >looks
    cat looks
    [ "$(wc -l <looks)" -ge 4 ] && ! ls ./*.part ./*.html 2>/dev/null | grep film && ! ls -d "$stage"/perp-* 2>/dev/null
}
tell "films" films
# A film that is stopped leaves nothing; the signal comes while the browser draws or starts.
stopped() {
    command -v ffmpeg >/dev/null 2>&1 || return 77
    "$perp" view box_stack --mp4 cut.mp4 --speed 0.001 --fps 100 --size 160x120 &
    shooting=$!
    for k in $(seq 200); do [ -e cut.mp4.part ] && break; sleep 0.1; done
    sleep 2
    kill -TERM "$shooting"
    wait "$shooting"
    status=$?
    echo "status $status"
    ls -d cut.mp4* "$stage"/perp-*
    [ "$status" = 1 ] && [ -z "$(ls -d cut.mp4* "$stage"/perp-* 2>/dev/null)" ]
}
tell "a film that is stopped leaves nothing" stopped

timeout -k 5 300 "$browser" --headless --no-sandbox --use-angle=swiftshader --enable-unsafe-swiftshader \
    --allow-file-access-from-files --user-data-dir="$stage/profile" --hide-scrollbars --window-size=1000,700 \
    --virtual-time-budget=600000 --dump-dom "file://$stage/driver.html" >dom 2>log
sed -n '/<pre id="tap">/,/^done$/p' dom | sed -e 's/.*<pre id="tap">//' -e 's/&lt;/</g; s/&gt;/>/g; s/&amp;/\&/g' |
    grep -v '^done$' >tap
if grep -q '^1\.\.' tap; then
    sed 's/^1\.\.\([0-9]*\)$/\1/' tap | awk '/^[0-9]+$/ { print "1.." $1 + 3; next } { print }'
else
    echo "1..4"
    echo "not ok - the browser opens the pages"
    tail -20 log | sed 's/^/# /'
fi
