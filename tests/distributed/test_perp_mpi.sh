#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# perp-mpi on the files of perp: solutions, reports, exit status.
set -u
perp=$PERP_BUILD/perp mpi=$PERP_BUILD/perp-mpi
needs=$mpi watchdog=120
. "$PERP_SOURCE/tests/distributed/ranks.sh"

if ! "$perp" generate boxes -n 120 --mu 0.4 "$work/p.hdf5" >"$work/log" 2>&1; then
    echo "1..0 # SKIP no problem file: $(tail -n 1 "$work/log")"
    exit 0
fi
status_of() { # WANTED COMMAND...
    wanted=$1; shift
    "$@" >"$work/log" 2>&1
    got=$?
    [ "$got" = "$wanted" ] || { echo "exit status $got" >>"$work/log"; return 1; }
}
check() { # WANTED TEXT COMMAND...
    wanted=$1 text=$2; shift 2
    status_of "$wanted" "$@"
    result $? "$text" "$work/log"
}
echo 1..54
check 0 "solved by three ranks" on 3 "$mpi" solve "$work/p.hdf5" -t 1e-6 --out "$work/r.hdf5"
# perp starts from the answer and has nothing to do: it is within tol by its own residual.
"$perp" solve "$work/p.hdf5" -s gs -t 1.01e-6 --start "$work/r.hdf5" >"$work/log" 2>&1 &&
    grep -q '^iterations *0$' "$work/log"
result $? "perp certifies the answer" "$work/log"
h5diff=$(command -v h5diff)
"$perp" solve "$work/p.hdf5" -q -t 1e-6 --out "$work/serial.hdf5" >"$work/log" 2>&1
if [ -n "$h5diff" ]; then
    # Everything but the numbers of the solution is the same.
    "$h5diff" -c --exclude-path /solution "$work/r.hdf5" "$work/serial.hdf5" >"$work/log" 2>&1 &&
        "$h5diff" -d 1e30 "$work/r.hdf5" "$work/serial.hdf5" /solution >>"$work/log" 2>&1
    result $? "the file is that of perp solve" "$work/log"
else
    result 0 "the file is that of perp solve # SKIP no h5diff" "$work/log"
fi
check 0 "text and --start" on 2 "$mpi" solve "$work/p.hdf5" -t 1e-5 --start "$work/r.hdf5" --out "$work/r.txt"
on 4 "$mpi" solve "$work/p.hdf5" -t 1e-4 --json >"$work/one.json" 2>"$work/log" &&
    on 4 "$mpi" solve "$work/p.hdf5" -t 1e-4 --json >"$work/two.json" 2>>"$work/log" &&
    sed -i '/_seconds"/d' "$work/one.json" "$work/two.json" && cmp "$work/one.json" "$work/two.json" >>"$work/log" 2>&1 &&
    grep -q '"message_bytes"' "$work/one.json" && grep -q '"imbalance"' "$work/one.json"
result $? "--json: the same counts twice" "$work/log"
check 1 "stopped early" on 2 "$mpi" solve "$work/p.hdf5" -S max_iter=2 --out "$work/early.txt"
[ -s "$work/early.txt" ]; result $? "the best iterate is written" "$work/log"
check 2 "no such file" on 3 "$mpi" solve "$work/none.hdf5"
grep -q 'none.hdf5' "$work/log"; result $? "and it is named" "$work/log"
head -c 3000 "$work/p.hdf5" >"$work/cut.hdf5"
check 2 "too few bytes" on 3 "$mpi" solve "$work/cut.hdf5"
check 2 "unknown solver" on 2 "$mpi" solve "$work/p.hdf5" -s schwartz
grep -q 'schwarz' "$work/log"; result $? "the one that was meant" "$work/log"
"$perp" generate boxes -n 60 --form local "$work/local.hdf5" >"$work/log" 2>&1
check 0 "the local form" on 3 "$mpi" solve "$work/local.hdf5" -t 1e-6 --out "$work/local.txt"
"$perp" solve "$work/local.hdf5" -s gs -t 1.01e-6 --start "$work/local.txt" >"$work/log" 2>&1 &&
    grep -q '^iterations *0$' "$work/log"
result $? "perp certifies that answer too" "$work/log"
"$perp" generate pd --size 40 --rows lcp -q "$work/lcp.dat" >"$work/log" 2>&1
check 0 "linear complementarity" on 3 "$mpi" solve "$work/lcp.dat"
"$perp" generate spheres -n 30 --mu-r 0.01 "$work/rolling.hdf5" >"$work/log" 2>&1
check 0 "rolling friction" on 2 "$mpi" solve "$work/rolling.hdf5" -t 1e-5 --out "$work/rolling.txt"
"$perp" solve "$work/rolling.hdf5" -s gs -t 1.01e-5 --start "$work/rolling.txt" >"$work/log" 2>&1 &&
    grep -q '^iterations *0$' "$work/log"
result $? "perp certifies that answer" "$work/log"
check 0 "rolling friction by apgd" on 2 "$mpi" solve "$work/rolling.hdf5" -s apgd -t 1e-5 --out "$work/rolling.txt"
"$perp" solve "$work/rolling.hdf5" -s gs -t 1.01e-5 --start "$work/rolling.txt" >"$work/log" 2>&1 &&
    grep -q '^iterations *0$' "$work/log"
result $? "perp certifies that answer" "$work/log"
# In parts: no rank has the whole.
check 0 "each rank reads its part" on 3 "$mpi" solve "$work/p.hdf5" --in-parts -t 1e-6 --out "$work/parts.txt"
"$perp" solve "$work/p.hdf5" -s gs -t 1.01e-6 --start "$work/parts.txt" >"$work/log" 2>&1 &&
    grep -q '^iterations *0$' "$work/log"
result $? "perp certifies the answer of parts" "$work/log"
check 0 "and starts from one" on 2 "$mpi" solve "$work/p.hdf5" --in-parts -t 1e-5 --start "$work/parts.txt" --json
grep -q '"iterations": 0' "$work/log"; result $? "which is within the tolerance" "$work/log"
check 0 "each rank makes its part" on 3 "$mpi" solve --generate 500 --mu 0.2 -t 1e-5 --out "$work/made.txt"
check 0 "and goes on from an answer" on 3 "$mpi" solve --generate 500 --mu 0.2 -t 1e-5 --start "$work/made.txt" --out "$work/made.txt" --json
grep -q '"iterations": 0' "$work/log" && ! grep -q 'perp:' "$work/log"; result $? "which is its own" "$work/log"
on 1 "$mpi" solve --generate 500 --json -t 1e-3 2>"$work/log" | grep '"contacts"' >"$work/one"
on 4 "$mpi" solve --generate 500 --json -t 1e-3 2>>"$work/log" | grep '"contacts"' >"$work/four"
[ -s "$work/one" ] && cmp "$work/one" "$work/four" >>"$work/log" 2>&1; result $? "as many contacts on 1 and 4 ranks" "$work/log"
# An iteration is some 470 flops a contact; factors of Newton's method would be a thousand times that.
on 2 "$mpi" solve --generate 10000 -t 1e-4 --json 2>"$work/log" |
    awk -F '[:,]' '/"iterations"/ { n = $2 } /"contacts"/ { c = $2 } /"flops"/ { f = $2 }
        END { print n " iterations, " f " flops"; exit !(n > 100 && f > 0 && f < 600 * n * c) }' >>"$work/log"
result $? "no factors where passes arrive soon" "$work/log"
# With a momentum that nothing limits passes circled: 352 iterations, and more on more ranks.
for ranks in 2 4; do
    on "$ranks" "$mpi" solve --generate 4000 -s schwarz -t 1e-4 --json >"$work/passes.json" 2>"$work/log"
    n=$(sed -n 's/^  "iterations": \([0-9]*\),$/\1/p' "$work/passes.json")
    cat "$work/passes.json" >>"$work/log"
    [ "${n:-1000}" -lt 200 ]; result $? "passes arrive with limited momentum, $ranks ranks: $n iterations" "$work/log"
done
check 2 "parts of too few bytes" on 3 "$mpi" solve "$work/cut.hdf5" --in-parts
check 2 "parts of no file" on 3 "$mpi" solve "$work/none.hdf5" --in-parts
check 2 "parts of the local form" on 2 "$mpi" solve "$work/local.hdf5" --in-parts
check 2 "parts of text" on 2 "$mpi" solve "$work/lcp.dat" --in-parts
check 2 "no file has the problem that .hdf5 would hold" on 2 "$mpi" solve --generate 100 --out "$work/x.hdf5"
# Rolling friction, and torsional friction beside it; the answer with its problem, which no rank had.
"$perp" generate spheres -n 40 --mu-r 0.01 --mu-s 0.01 "$work/six.hdf5" >"$work/log" 2>&1
for ranks in 1 2 3 4; do
    for file in rolling six p; do
        on "$ranks" "$mpi" solve "$work/$file.hdf5" --in-parts -q -t 1e-5 --out "$work/$file-$ranks.hdf5" >"$work/log" 2>&1 &&
            "$perp" info "$work/$file-$ranks.hdf5" >>"$work/log" 2>&1 &&
            awk '/^solution/ { n++; sub(",", "", $6); if (!($6 + 0 > 0 && $6 + 0 <= 1.01e-5 && $8 + 0 <= 1.01e-5)) bad = 1 } END { exit n != 1 || bad }' "$work/log"
        result $? "$file with its problem, in parts, $ranks ranks" "$work/log"
    done
done
on 4 "$mpi" solve "$work/six.hdf5" --in-parts -q -t 1e-5 --out "$work/twice.hdf5" >"$work/log" 2>&1
cmp "$work/six-4.hdf5" "$work/twice.hdf5" >>"$work/log" 2>&1; result $? "the same file twice, 4 ranks" "$work/log"
# One rank's file is cut: all say so, none waits.
printf 'f=p; [ "$OMPI_COMM_WORLD_RANK" = 1 ] && f=cut; exec "$1" solve "$2/$f.hdf5" --in-parts\n' >"$work/differ.sh"
check 2 "too few bytes on one rank" on 3 sh "$work/differ.sh" "$mpi" "$work"
# What all ranks together do not solve rank 0 does.
"$perp" generate ladder -n 30 -q "$work/ladder.dat" && "$perp" generate infeasible -q "$work/no.dat"
check 0 "a ladder of diode bridges on 3 ranks" on 3 "$mpi" solve "$work/ladder.dat" -S stall_window=100
check 3 "a proof that there is no solution" on 2 "$mpi" solve "$work/no.dat" -S stall_window=100
check 2 "wrong usage" on 2 "$mpi" solve
check 2 "the answer in place of the problem" on 2 "$mpi" solve "$work/p.hdf5" --out "$work/p.hdf5"
check 0 "help, without mpirun" "$mpi" solve --help
