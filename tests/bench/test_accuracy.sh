#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# perp bench order and perp bench precision: small ladders, choices, refusals, interruption.
perp=${PERP_BUILD:-.}/perp
dir=`mktemp -d` || exit 99
trap 'rm -rf "$dir"' 0
cd "$dir" || exit 99

number=0
check() { # check NAME COMMAND...
    name=$1
    shift
    number=`expr $number + 1`
    if "$@" >log 2>&1; then
        echo "ok $number - $name"
    else
        echo "not ok $number - $name"
        sed 's/^/# /' log
    fi
}

bench() { timeout -k 2 120 "$perp" bench "$@"; }
rows() { expr `wc -l <"$1"` - 1; }
fields() { awk -F, 'NF != 19 { bad = 1 } END { exit bad }' "$1"; }
# Slopes of moreau-jean in the four columns lie around 1.
first_order() {
    grep '^| moreau-jean  ' "$1" | awk -F'|' '
        { for (k = 3; k <= 6; k++) if (!($k > 0.8 && $k < 1.2)) bad = 1; n++ }
        END { exit bad || n != 2 }'
}

order() {
    bench order --series moreau-jean,schatzman --levels 4 --phases 8 --out o && cat o/order.md &&
        first_order o/order.md && test `rows o/order.csv` -ge 32 && fields o/order.csv &&
        test `grep -c '^ball,moreau-jean,moreau-jean,' o/order.csv` -eq 4 &&
        test -s o/order_ball.dat && test -s o/order_oscillator.gp && ! ls o/*.part 2>/dev/null
}
check "order: first order in both examples, files in place" order

# Of the series with "(p)" in their names the slopes of q and v in L1 are above p - 0.3, and with
# transversal impacts, the second table, those of Hausdorff's distances.
any_order() {
    bench order --series capturing --levels 5 --phases 6 --out a && cat a/order.md &&
        grep '^| capturing .*(' a/order.md | awk -F'|' '
            { split($2, part, /[()]/); most = seen[$2]++ ? 6 : 4
              for (k = 3; k <= most; k++) if (!($k > part[2] - 0.3)) bad = 1; n++ }
            END { exit bad || n < 10 }'
}
check "order: any order, on transversal impacts and through the accumulation" any_order

every() { # no series may fail, and none may be without points
    bench order --levels 3 --phases 2 --examples oscillator --out e && cat e/order.md &&
        test `grep -c ',solved,' e/order.csv` -eq `rows e/order.csv` && ! grep ' - |' e/order.md
}
check "order: every scheme passes the oscillator" every

precision() {
    bench precision --series moreau-jean --no-peers --levels 2 --phases 1 --repeat 1 --out p &&
        cat p/precision.md && fields p/precision.csv && ! grep siconos p/precision.csv &&
        test `grep -c ',solved,' p/precision.csv` -eq `rows p/precision.csv` &&
        test -s p/precision_ball.dat && ! ls p/*.part 2>/dev/null
}
check "precision: work and errors of each" precision

peers() { # where there are any
    bench precision --series siconos --levels 2 --phases 1 --repeat 1 --out q 2>err && {
        cat q/precision.md
        test `grep -c ',solved,' q/precision.csv` -eq 8
    } || grep 'no series is called' err
}
check "precision: peers, where configure found them" peers

# A peer whose answers are the exact motion of the ball: q = q_n + v_n s - s^2 since the impact at
# 3 - 2^(2-n), which it leaves with 2^(1-n).
mkdir exact
cat >exact/perp-peer-impacts <<'SCRIPT'
#!/bin/sh
# SERIES EXAMPLE STEPS TOL REPEATS
awk -v steps=$3 -v how="$PEER_IS" 'BEGIN {
    end = 4.987
    for (i = 0; i <= steps; i++) {
        t = end * i / steps
        if (how == "short" && t > 2) break
        if (t >= 3) { printf "at %.17g 0 0\n", t; continue }
        n = 0
        while (3 - 2 ^ (1 - n) <= t) n++
        s = n ? t - (3 - 2 ^ (2 - n)) : t
        printf "at %.17g %.17g %.17g\n", t, n ? 2 ^ (1 - n) * s - s * s : 1 - s * s, n ? 2 ^ (1 - n) - 2 * s : -2 * s
        if (how == "torn" && i == 3) print "at 1 2"
    }
    if (how != "cut") print "done", steps, steps, 20, 0.001
}'
SCRIPT
chmod +x exact/perp-peer-impacts
exact() { # NAME PEER_IS: the series "siconos: moreau-jean" of that peer, into the folder NAME
    PEER_IS=$2 PERP_PEERS=$dir/exact bench precision --series "siconos: moreau-jean" --examples ball \
        --levels 3 --phases 1 --repeat 1 --out $1 && cat $1/precision.csv
}
column() { awk -F, -v name="$2" 'NR == 1 { for (k = 1; k <= NF; k++) if ($k == name) c = k; next } { print $c }' $1; }
exact_peer() { # L1 in q and v is rounding; what the peer counted is in the table
    exact e1 exact && test `grep -c ',solved,' e1/precision.csv` -eq 3 &&
        column e1/precision.csv q_l1 | awk '!($1 < 1e-14) { bad = 1 } END { exit bad || NR != 3 }' &&
        column e1/precision.csv v_l1 | awk '!($1 < 1e-14) { bad = 1 } END { exit bad || NR != 3 }' &&
        column e1/precision.csv events | awk '$1 != 20 { bad = 1 } END { exit bad }'
}
check "precision: an exact peer has no error" exact_peer
failing_peer() { # what ends early, or does not end, is no answer
    exact e2 short && test `grep -c ',failed,' e2/precision.csv` -eq 3 && grep 'ended at t = 1\.' e2/precision.csv &&
        exact e3 cut && test `grep -c ',failed,' e3/precision.csv` -eq 3
}
check "precision: a peer that ends early fails" failing_peer

pictures() {
    for kind in order precision; do
        bench $kind --series schatzman-paoli --levels 2 --phases 1 --out g >g.log || return 1
        grep 'no pictures' g.log || { test -s g/${kind}_ball.png && test -s g/${kind}_ball.svg; } ||
            return 1
    done
}
check "pictures where there is gnuplot" pictures

same() { # but for the seconds
    bench order --series schatzman,rk4,projection --levels 2 --phases 2 --out s1 &&
        bench order --series schatzman,rk4,projection --levels 2 --phases 2 --out s2 &&
        cmp s1/order.md s2/order.md
}
check "the same run gives the same table" same

refused() {
    ! bench order --series no-such --out x && ! bench order --levels 1 --out x &&
        ! bench precision --examples moon --out x && ! bench order file --out x && ! test -e x &&
        : >taken && ! bench order --series schatzman --levels 2 --phases 1 --out taken
}
check "wrong arguments are refused before anything is written" refused

interrupted() {
    "$perp" bench precision --phases 64 --levels 16 --repeat 1000 --out i >i.log 2>&1 &
    bench=$!
    sleep 0.5
    kill -INT $bench
    sleep 0.1
    kill -TERM $bench
    wait $bench
    test $? -ne 0 && ! test -e i
}
check "an interrupted measurement leaves nothing behind" interrupted
echo "1..$number"
