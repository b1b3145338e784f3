#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Draws a picture of each kernel example with gnuplot.
#
#     examples/pictures.sh [BUILD [OUT]]
#
# BUILD: where the examples were built (build), OUT: folder of the pictures (docs/pictures).
set -eu
source=$(cd "$(dirname "$0")/.." && pwd)
build=${1:-$source/build}
out=${2:-$source/docs/pictures}
data=$(mktemp -d)
trap 'rm -rf "$data"' EXIT
mkdir -p "$out"

table() { # NAME [ARGUMENT...]
    name=$1; shift
    "$build/examples/$name" "$data/$name.csv" "$@" >"$data/$name.txt" ||
        { cat "$data/$name.txt"; exit 1; }
}

picture() { # PICTURE NAME, gnuplot commands on standard input
    {
        echo 'set terminal pngcairo size 800,480 font "sans,10" enhanced'
        echo "set output '$out/$1.png'"
        echo "csv = '$data/$2.csv'"
        echo 'set datafile separator ","'
        echo 'set grid lc rgb "#dddddd"'
        echo 'set key autotitle columnhead noenhanced'
        echo 'set linetype 1 lc rgb "#1f5fa8" lw 1.5; set linetype 2 lc rgb "#c0392b" lw 1.5'
        echo 'set linetype 3 lc rgb "#2e8b57" lw 1.5; set linetype 4 lc rgb "#8e6bbf" lw 1.5'
        cat
    } | gnuplot
    echo "$out/$1.png"
}

draw() { # NAME, gnuplot commands on standard input
    table "$1"
    picture "$1" "$1"
}

draw bouncing_ball <<'EOP'
set multiplot layout 2,1
set ylabel 'height, m'; set xrange [0:1.6]
plot csv using 1:2 with lines title ''
set ylabel 'velocity, m/s'; set xlabel 't, s'
plot csv using 1:3 with lines lt 2 title ''
EOP

draw cam_follower <<'EOP'
set multiplot layout 4,1 margins 0.09,0.97,0.1,0.97 spacing 0.03
set xrange [0:1]; set format x ''; set ytics autofreq
speeds = '100 358 660 700'
do for [k = 1:4] {
    n = word(speeds, k)
    if (k == 4) { set format x '%g'; set xlabel 't, s' }
    set ylabel n.' rpm'; set ytics (k == 1 ? 0.1 : k == 2 ? 0.2 : 0.4)
    plot csv using ($1 == n + 0 ? $2 : NaN):3 with lines title (k == 1 ? 'follower' : ''), \
         csv using ($1 == n + 0 ? $2 : NaN):5 with lines lt 2 title (k == 1 ? 'cam' : '')
}
EOP

table cam_poincare 20000 420
rows='set key noautotitle
rows(part, scheme, rpm) = sprintf("< awk -F, %s$1 == %d && $2 == %d && ($3 == %d || %d == 0)%s %s", \
    "\047", part, scheme, rpm, rpm, "\047", csv)
plotted(scheme) = word("event-driven moreau-jean", scheme + 1)'

{ echo "$rows"; cat <<'EOP'; } | picture cam_motion cam_poincare
set multiplot layout 3,1 margins 0.09,0.97,0.1,0.97 spacing 0.03
set xrange [0:2]; set format x ''
do for [k = 1:3] {
    n = word('358 660 700', k) + 0
    if (k == 3) { set format x '%g'; set xlabel 't, s' }
    set ylabel sprintf('gap at %d rpm, m', n)
    plot for [s = 0:1] rows(1, s, n) using 4:6 with lines lt s + 1 dt s + 1 \
         title (k == 1 ? plotted(s) : '')
}
EOP

{ echo "$rows"; cat <<'EOP'; } | picture cam_states cam_poincare
set terminal pngcairo size 800,640
set multiplot layout 2,2 margins 0.08,0.98,0.08,0.95 spacing 0.1,0.14
do for [n in '358 700'] {
    do for [s = 0:1] {
        set title n.' rpm, '.plotted(s)
        set xlabel 'u, m'; set ylabel 'du/dt, m/s' offset 1
        plot rows(1, s, n + 0) using ($4 > 2 ? $8 : NaN):9 with dots lt s + 1
    }
}
EOP

{ echo "$rows"; cat <<'EOP'; } | picture cam_attractor cam_poincare
set terminal pngcairo size 900,720
set multiplot layout 2,3 margins 0.07,0.98,0.08,0.95 spacing 0.06,0.12
do for [s = 0:2] {
    set title (s == 0 ? 'event-driven' : s == 1 ? 'moreau-jean, h = 0.1 ms' : 'moreau-jean, T = 909 h')
    set xlabel 'angle of the cam at the impact'; set ylabel (s == 0 ? '-dy/dt, m/s' : '') offset 1
    set xrange [0:360]; set yrange [0:60]; set xtics 90
    plot rows(2, s, 660) using 5:(-$7) with points pt 7 ps (s < 2 ? 0.1 : 0.5) lt s + 1
}
do for [s = 0:2] {
    unset title; set xlabel 'gap once a turn, m'; set ylabel (s == 0 ? 'du/dt, m/s' : '') offset 1
    set xrange [0:0.35]; set yrange [-50:40]; set xtics 0.1
    plot rows(3, s, 660) using 6:9 with points pt 7 ps (s < 2 ? 0.1 : 0.5) lt s + 1
}
EOP

{ echo "$rows"; cat <<'EOP'; } | picture cam_speeds cam_poincare
set xlabel 'rpm'; set ylabel 'angle of the cam at the impacts'; set yrange [0:360]; set ytics 90
plot rows(4, 0, 0) using 3:5 with dots
EOP

draw rlcd_circuit <<'EOP'
set multiplot layout 2,1
set ylabel 'capacitor, V'
plot csv using ($1 * 1e3):2 with lines title ''
set ylabel 'mA'; set xlabel 't, ms'
plot csv using ($1 * 1e3):($3 * 1e3) with lines title 'coil', \
     csv using ($1 * 1e3):($5 * 1e3) with lines title 'diode'
EOP

draw diode_bridge <<'EOP'
set multiplot layout 2,1
set ylabel 'capacitor, V'
plot csv using ($1 * 1e3):2 with lines title ''
set ylabel 'resistor, mA'; set xlabel 't, ms'
plot csv using ($1 * 1e3):($4 * 1e3) with lines lt 2 title ''
EOP

draw relay <<'EOP'
set multiplot layout 1,2
set xlabel 'y'; set ylabel 'x_2'; set xtics 0.05
plot csv using 2:3 with lines title ''
set xlabel 't, s'; set ylabel 'relay'; set xtics 2; set xrange [50:60]; set yrange [-1.15:1.15]
plot csv using 1:5 with lines lt 2 title ''
EOP

draw slider_crank <<'EOP'
set multiplot layout 2,1
set ylabel 'slider, mm'; set yrange [-0.6:1]
plot csv using ($1 * 1e3):($5 * 1e3) with lines title 'height', \
     csv using ($1 * 1e3):($4 * 50) with lines title 'angle x half length'
set ylabel 'gap of a corner, mm'; set yrange [-0.1:1.6]; set xlabel 't, ms'
plot for [k = 6:9] csv using ($1 * 1e3):(column(k) * 1e3) with lines
EOP

draw woodpecker <<'EOP'
set multiplot layout 1,2
set xlabel 't, s'; set ylabel 'angle, rad'; set xrange [0:1]
plot csv using 1:4 with lines title 'bird', csv using 1:3 with lines title 'sleeve', \
     csv using 1:2 with lines title 'height, m'
set xrange [*:*]; set xlabel 'angle of the bird, rad'; set ylabel 'its rate, rad/s'
plot csv using ($1 > 1 ? $4 : NaN):7 with lines lt 2 title ''
EOP

draw sphere_pile <<'EOP'
set multiplot layout 1,3
set size ratio -1; set xlabel 'x, m'; set ylabel 'z, m'; set xrange [-0.02:0.57]; set yrange [0:0.85]
set style fill solid 0.5 border lc rgb '#333333'
do for [t in '0.002 0.402 1.002'] {
    set title sprintf('t = %.1f s', t + 0)
    plot csv using (abs($1 - (t + 0)) < 1e-6 ? $3 : NaN):5:(0.05) with circles title ''
}
EOP

# A scene.
"$build/perp" run "$source/examples/scenes/arm.json" --out "$data/arm" >"$data/arm.txt" ||
    { cat "$data/arm.txt"; exit 1; }
cp "$data/arm/series.csv" "$data/arm.csv"
picture arm arm <<'EOP'
set multiplot layout 2,1
set ylabel 'angle, rad'; set yrange [-1.5:3]
plot csv using 1:2 with lines title 'shoulder', csv using 1:5 with lines title 'elbow'
set ylabel 'torque, N m'; set xlabel 't, s'; set yrange [-28:28]
plot csv using 1:4 with lines title 'motor', csv using 1:7 with lines title 'friction'
EOP
