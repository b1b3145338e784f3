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

draw() { # NAME, gnuplot commands on standard input
    "$build/examples/$1" "$data/$1.csv" >"$data/$1.txt" || { cat "$data/$1.txt"; exit 1; }
    {
        echo 'set terminal pngcairo size 800,480 font "sans,10" enhanced'
        echo "set output '$out/$1.png'"
        echo "csv = '$data/$1.csv'"
        echo 'set datafile separator ","'
        echo 'set grid lc rgb "#dddddd"'
        echo 'set key autotitle columnhead noenhanced'
        echo 'set linetype 1 lc rgb "#1f5fa8" lw 1.5; set linetype 2 lc rgb "#c0392b" lw 1.5'
        echo 'set linetype 3 lc rgb "#2e8b57" lw 1.5; set linetype 4 lc rgb "#8e6bbf" lw 1.5'
        cat
    } | gnuplot
    echo "$out/$1.png"
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
