#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Pictures and films by programs that stand for Chromium and ffmpeg: what these are asked for, what becomes of
# their answers, and what is said where they end, answer what was not asked, or are not there.
set -u
perp=$PERP_BUILD/perp
fake=$PERP_BUILD/tests/viewer/fake_chromium
skip() { echo "1..0 # SKIP $1"; exit 0; }
grep -q '^#define HAVE_JANSSON' "$PERP_BUILD/config.h" || skip "configured without jansson"
test -x "$fake" || skip "nothing stands for Chromium"
stage=$(mktemp -d) || exit 99
trap 'rm -rf "$stage"' EXIT
cd "$stage" || exit 99
mkdir bin tmp
ln -s "$fake" bin/chromium
TMPDIR=$stage/tmp PATH=$stage/bin:$PATH
export TMPDIR PATH STAGE=$stage
# FAKE_FFMPEG: the status of its call NUMBER, as "NUMBER STATUS"; it puts what it was given into its output.
cat >bin/ffmpeg <<'END'
#!/bin/sh
echo "$*" >>"$STAGE/calls"
set -- $FAKE_FFMPEG -- "$@"
calls=$(wc -l <"$STAGE/calls")
[ "$1" = -- ] || [ "$calls" != "$1" ] || { [ "$2" = killed ] && kill -9 $$; [ "$2" = stays ] && exec sleep 100; exit "$2"; }
frames=
for word; do
    [ "$word" = -version ] && exit 0
    case $word in file:*frames) frames=${word#file:} ;; esac
    last=$word
done
cat "$frames" >"${last#file:}"
END
chmod +x bin/ffmpeg
FAKE_FFMPEG=
export FAKE_FFMPEG
echo '(function(){exports.InstancedMesh = 1;})()' >three.js
cat >ball.json <<'END'
{"version": 1, "time": {"step": 0.01, "until": 0.1}, "gravity": [0, 0, -9.81],
 "bodies": [{"name": "a", "shape": {"type": "sphere", "radius": 0.1}, "density": 1000, "position": [0, 0, 2]}]}
END
"$perp" run ball.json --out ball -q || exit 99
number=0
# says STATUS PATTERN FAKE OPTION...: exit status and message; nothing is left behind but what was wanted.
says() {
    expected=$1 pattern=$2 how=$3; shift 3
    : >calls
    rm -f out.*
    FAKE_CHROMIUM=$how timeout 60 "$perp" view ball --three three.js --size 320x200 "$@" >out 2>err </dev/null
    status=$?
    number=$((number + 1))
    if [ "$status" = "$expected" ] && cat out err | grep -q -e "$pattern" && ! ls -A tmp | grep -q . &&
        ! ls out.*.part 2>/dev/null && { [ "$status" = 0 ] || ! ls out.* 2>/dev/null; }; then
        echo "ok $number - $how $*: $pattern"
    else
        echo "not ok $number - $how $*: status $status"
        cat out err calls | cut -c1-300 | sed 's/^/# /'
        ls -A tmp out.*
    fi
}
# holds FILE LINE...: what stands for the pictures is there, and no more.
holds() {
    file=$1; shift
    for time; do printf '\373\377 perp, t=%s' "$time"; done >wanted
    number=$((number + 1))
    if cmp "$file" wanted; then echo "ok $number - $file holds $*"
    else echo "not ok $number - $file holds $*"; fi
}

says 0 'out.png: a picture' well --png out.png
holds out.png 0.10000000000000001
says 0 'out.png: a picture' noise:1 --png out.png --at 0.02 --camera 1,2,3 --follow 'a&b'
holds out.png 0.02
says 0 'out.png: a picture' stays:1 --png out.png --at 0.02
holds out.png 0.02
says 0 'out.gif: 3 pictures, 0.3 s' well --gif out.gif --fps 10 --from 0.05 --until 0.1 --speed 0.25
holds out.gif 0.050000000000000003 0.075000000000000011 0.10000000000000001
says 0 'out.mp4: 2 pictures' well --mp4 out.mp4 --fps 10
holds out.mp4 0 0.10000000000000001

# Its messages: a target, a session, the size, the address, the state of the page, the picture.
for k in 1 2 3 4 5 9; do
    says 2 'Chromium ended by itself (status 3)' end:$k --png out.png
    says 2 'Chromium ended by itself (status 0)' leaves:$k --png out.png
done
for k in 1 2 5 9; do
    says 2 'Chromium answered what was not expected: {"id":'$k',"result":{}}' odd:$k --png out.png
done
says 2 'Chromium ended by itself (signal 9)' dies:3 --png out.png
says 2 'no motion is in it' broken:1 --png out.png
says 2 'Chromium made no picture: data:,' blank:1 --png out.png
says 2 'x/out.png.part: No such file' well -o page.html --png x/out.png
mkdir taken
says 2 'taken: Is a directory' well --png taken

# ffmpeg: its version, the colours of a GIF, the film.
FAKE_FFMPEG='1 1' says 2 'a film needs ffmpeg, which is not installed' well --gif out.gif
FAKE_FFMPEG='1 killed' says 2 'a film needs ffmpeg, which is not installed' well --gif out.gif
for call in 2 3; do
    FAKE_FFMPEG="$call 7" says 2 'out.gif.part: ffmpeg wrote no film (status 7)' well --gif out.gif
done
FAKE_FFMPEG='2 killed' says 2 'out.mp4.part: ffmpeg wrote no film (status 128)' well --mp4 out.mp4
says 2 'x/out.gif.part: No such file' well -o page.html --gif x/out.gif

# A signal ends the browser, and ffmpeg.
# interrupted FAKE FFMPEG CALLS FOLDER: after so many calls of ffmpeg, with a folder of that name.
interrupted() {
    : >calls
    number=$((number + 1))
    FAKE_CHROMIUM=$1 FAKE_FFMPEG=$2 "$perp" view ball --three three.js --mp4 out.mp4 --fps 10 >out 2>err </dev/null &
    job=$!
    until [ "$(wc -l <calls)" = "$3" ] && ls -A tmp | grep -q "$4" || ! kill -0 $job 2>/dev/null; do sleep 0.1; done
    sleep 0.3
    kill -TERM $job
    wait $job
    status=$?
    if [ $status = 1 ] && grep -q 'interrupted; no film was written' err && ! ls out.mp4* 2>/dev/null &&
        ! ls -A tmp | grep -q .; then
        echo "ok $number - a signal, $1 $2"
    else
        echo "not ok $number - a signal, $1 $2: status $status"
        sed 's/^/# /' out err
    fi
}
interrupted hangs:3 '' 1 perp-browser
interrupted well '2 stays' 2 perp-film
(rm -f bin/chromium; ln -s nowhere bin/chromium)
mkdir bare
for tool in sh cat wc ls rm sed grep cut timeout dirname basename expr; do
    found=$(command -v $tool) && case $found in /*) ln -s "$found" bare/ ;; esac
done
PATH=$stage/bare says 2 'a picture needs Chromium, which is not installed' well --png out.png
PATH=$stage/bare says 2 'a film needs ffmpeg, which is not installed' well --gif out.gif
rm bin/chromium; ln -s "$fake" bin/chromium
echo "1..$number"
