#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# perp-mpi as its user sees it: help, reports as text, what is refused and what is said then; one rank that
# gets another file or none; runs in parts with other settings.  A watchdog ends what hangs: that is a
# failure.
set -u
perp=$PERP_BUILD/perp mpi=$PERP_BUILD/perp-mpi
needs=$mpi watchdog=120
. "$PERP_SOURCE/tests/distributed/ranks.sh"
. "$PERP_SOURCE/tests/distributed/drum.sh"
said() { # PATTERN TEXT: the last command said so
    grep -q -e "$1" "$work/log"
    result $? "$2" "$work/log"
}
once() { # PATTERN TEXT: one rank said so, and no other
    [ "$(grep -c -e "$1" "$work/log")" = 1 ]
    result $? "$2" "$work/log"
}

echo 1..85
check 0 "help" "$mpi" --help
said 'Usage: mpirun' "says how it is started"
check 0 "version" "$mpi" --version
said '^perp-mpi [0-9]' "has a number"
check 2 "no command" "$mpi"
check 2 "another command" "$mpi" slove
said 'solve' "the one that was meant"
check 0 "help of run" "$mpi" run --help
said 'schwarz' "lists the solvers"

# Problems.
"$perp" generate spheres -n 60 --mu 0.3 -q "$work/p.hdf5" >"$work/log" 2>&1
check 0 "a report as text" on 3 "$mpi" solve "$work/p.hdf5" -t 1e-5
said '^partition' "with the partition"
check 0 "and more of it" on 3 "$mpi" solve "$work/p.hdf5" -t 1e-5 -v
said '^imbalance' "counts"
said '  rank 2 ' "of each rank"
check 0 "apgd" on 2 "$mpi" solve "$work/p.hdf5" -s apgd -t 1e-5 -q
check 0 "a packing of another seed" on 2 "$mpi" solve --generate 200 --seed 7 -t 1e-4 --json
cp "$work/log" "$work/seven"
check 0 "and of the first" on 2 "$mpi" solve --generate 200 --seed 1 -t 1e-4 --json
grep '"contacts"' "$work/log" >"$work/a"; grep '"contacts"' "$work/seven" >"$work/b"
! cmp -s "$work/a" "$work/b"; result $? "they differ" "$work/log"
# Passes of Gauss-Seidel alone needed 1272 and 1303 iterations.
"$perp" generate boxes -n 400 -q "$work/boxes.hdf5" >"$work/log" 2>&1
for ranks in 2 3; do
    check 0 "boxes, tightly, $ranks ranks" on $ranks "$mpi" solve "$work/boxes.hdf5" -t 1e-7 -S max_iter=600 -q --out "$work/boxes.txt"
    check 0 "perp takes the answer" "$perp" solve "$work/boxes.hdf5" -s gs -t 1.01e-7 --start "$work/boxes.txt"
    said '^iterations *0$' "as it is"
done
# These stalled while 60 passes without progress ended the turn of their momentum.
"$perp" generate boxes -n 600 --mu 0.6 -q "$work/hard.hdf5" >"$work/log" 2>&1
"$perp" generate spheres -n 150 --mu-r 0.01 -q "$work/rolling.hdf5" >"$work/log" 2>&1
for ranks in 2 4; do
    check 0 "hard friction, $ranks ranks" on $ranks "$mpi" solve "$work/hard.hdf5" -t 1e-7 -q --out "$work/hard.txt"
    check 0 "perp takes the answer" "$perp" solve "$work/hard.hdf5" -s gs -t 1.01e-7 --start "$work/hard.txt"
    said '^iterations *0$' "as it is"
    check 0 "a packing with little friction, $ranks ranks" on $ranks "$mpi" solve --generate 500 --mu 0.2 -t 1e-5 -q
done
check 0 "rolling friction, 4 ranks" on 4 "$mpi" solve "$work/rolling.hdf5" -t 1e-7 -q
# One rank has all solvers of the library; passes alone did not end in minutes.
check 0 "rolling friction, one rank" on 1 "$mpi" solve "$work/rolling.hdf5" -t 1e-7 -q
# Where schwarz stands still apgd goes on from its best iterate, with the iterations that are left.
check 1 "schwarz alone stands still" on 4 "$mpi" solve --generate 500 --mu 0.2 -t 1e-5 -S stall_window=80 -s schwarz
check 0 "apgd goes on" on 4 "$mpi" solve --generate 500 --mu 0.2 -t 1e-5 -S stall_window=80
said 'stalled after [0-9]* iterations; apgd went on for [0-9]' "which is said"
# With rolling friction, too: schwarz alone ends at 1.04e-6 after 4904 iterations.
"$perp" generate spheres -n 300 --mu-r 0.01 -q "$work/rolls.hdf5" >"$work/log" 2>&1
check 0 "apgd goes on with rolling friction" on 2 "$mpi" solve "$work/rolls.hdf5" -t 1e-6 -S stall_window=700
said 'stalled after [0-9]* iterations; apgd went on for [0-9]' "which is said"
check 1 "within the limit" on 4 "$mpi" solve --generate 500 --mu 0.2 -t 1e-5 -S stall_window=80 -S max_iter=200 --json
said '"iterations": 200,' "of both together"
check 2 "a file and a packing" on 2 "$mpi" solve "$work/p.hdf5" --generate 100
once 'takes the place' "said once"
check 2 "an unknown setting" on 2 "$mpi" solve "$work/p.hdf5" -S blocks=1
check 2 "a value out of range" on 2 "$mpi" solve "$work/p.hdf5" -S max_iter=-4
check 2 "a start that is not there" on 3 "$mpi" solve "$work/p.hdf5" --start "$work/none.hdf5"
once 'none.hdf5' "is named once"
echo 1 >"$work/short.txt"
check 2 "a start of another length" on 2 "$mpi" solve "$work/p.hdf5" --start "$work/short.txt"
check 2 "an answer that cannot be written" on 2 "$mpi" solve "$work/p.hdf5" -t 1e-4 --out "$work/none/r.txt"
check 2 "no packing of no contacts" on 2 "$mpi" solve --generate 0
check 2 "JSON of what failed" on 2 "$mpi" solve "$work/none.hdf5" --json
said '"exit": 2' "says so"
# The file is there on rank 0 alone, or on the others alone.
printf 'f=p; [ "$OMPI_COMM_WORLD_RANK" = "$3" ] && f=none; exec "$1" solve "$2/$f.hdf5" --in-parts -q\n' >"$work/lacks.sh"
for who in 0 2; do
    check 2 "no file on rank $who" on 3 sh "$work/lacks.sh" "$mpi" "$work" $who
done
# Ranks with other words: none waits.
printf 't=1e-4; [ "$OMPI_COMM_WORLD_RANK" = 1 ] && t=1e-5; exec "$1" solve "$2/p.hdf5" -q -t $t\n' >"$work/tol.sh"
check 2 "another tolerance on rank 1" on 3 sh "$work/tol.sh" "$mpi" "$work"
said 'tol' "is named"
printf 's=schwarz; [ "$OMPI_COMM_WORLD_RANK" = 1 ] && s=apgd; exec "$1" solve "$2/p.hdf5" -q -s $s\n' >"$work/solver.sh"
check 2 "another solver on rank 1" on 3 sh "$work/solver.sh" "$mpi" "$work"
printf 'n=200; [ "$OMPI_COMM_WORLD_RANK" = 1 ] && n=300; exec "$1" solve --generate $n -q\n' >"$work/size.sh"
check 2 "a packing of another size on rank 1" on 3 sh "$work/size.sh" "$mpi"
# A rank that is killed while it solves.
printf '[ "$OMPI_COMM_WORLD_RANK" = 1 ] && { "$@" & p=$!; sleep 3; kill -9 $p; wait $p; exit 9; }; exec "$@"\n' >"$work/killed.sh"
on 3 sh "$work/killed.sh" "$mpi" solve --generate 30000 -q -t 1e-14 -S stall_window=1000000 -S max_iter=1000000 >"$work/log" 2>&1
code=$?
[ $code != 0 ] && [ $code != 124 ]; result $? "a rank that dies ends the solve" "$work/log"

# Scenes.
jean='"schemes": [{"name": "moreau-jean"}], "certificate": {"penetration": 1, "penetration_remarks": 1}, '
drum 1e-8 1 "$jean" >"$work/drum.json"
check 0 "a report as text of a run" on 3 "$mpi" run "$work/drum.json" --rows 20 --until 0.2
said '^ranks *3' "says how many"
said '^partition' "and how problems were divided"
check 0 "in parts" on 3 "$mpi" run "$work/drum.json" --in-parts --until 0.2
said '^parts ' "says who has what"
said "^verdict" "and the verdict on all"
check 0 "with a skin" on 3 "$mpi" run "$work/drum.json" --in-parts --skin 5 --until 0.2 --json
[ "$(sed -n 's/^ *"divisions": \([0-9]*\),*$/\1/p' "$work/log")" = 1 ]
result $? "a wide one needs one division" "$work/log"
check 0 "a scheme by name" on 2 "$mpi" run "$work/drum.json" --scheme moreau-jean --in-parts --until 0.1 -q
check 0 "the natural measure" on 2 "$mpi" run "$work/drum.json" --in-parts --rows 1 -S measure=natural --until 0.2 -q
check 0 "the scaled one, by apgd" on 2 "$mpi" run "$work/drum.json" --in-parts --rows 1 -S measure=scaled -s apgd --until 0.2 -q
check 2 "an unknown solver" on 3 "$mpi" run "$work/drum.json" -s schwartz
said 'schwarz' "the one that was meant"
for words in "--time-limit 3" "--resume" "--vtk 3" "--skin 0.1" "--states 3"; do
    check 2 "refused: $words" on 2 "$mpi" run "$work/drum.json" $words
done
check 2 "no file but the input" on 2 "$mpi" run -
said 'all ranks can read' "is told"
check 2 "JSON of a run that failed" on 2 "$mpi" run "$work/none.json" --json
said '"exit": 2' "says so"
printf 'f=drum; [ "$OMPI_COMM_WORLD_RANK" = 2 ] && f=none; exec "$1" run "$2/$f.json" -q\n' >"$work/lacks.sh"
check 2 "no scene on rank 2" on 3 sh "$work/lacks.sh" "$mpi" "$work"
said 'rank 2' "which says so"

# Balls in space that press each other, from rank to rank: no world, so that they keep their momentum.
awk 'BEGIN {
    print "{\"version\": 1, \"time\": {\"until\": 0.2, \"step\": 0.005}, \"solver\": {\"tol\": 1e-10}, \"gravity\": [0, 0, 0],"
    print "\"schemes\": [{\"name\": \"moreau-jean\"}], \"certificate\": {\"penetration\": 1, \"penetration_remarks\": 1}, \"bodies\": ["
    for (k = 0; k < 12; k++)
        printf "{\"name\": \"b%d\", \"shape\": {\"type\": \"sphere\", \"radius\": 0.1}, \"density\": %d, \"position\": [%g, %g, 0], \"velocity\": [%g, 0, %g]}%s\n", k, 1000 * (1 + k % 3), 0.2001 * k, 0.02 * (k % 2), 0.3 * (6 - k), 0.1 * (k % 3), k < 11 ? "," : "],"
    print "\"contacts\": {\"e\": 0, \"mu\": 0.4}, \"record\": {\"stride\": 1, \"quantities\": [\"kinetic\"]}}"
}' >"$work/space.json"
value() { # FILE: of the measure "momentum"
    awk '/"name": "momentum"/ { on = 1 } on && /"value"/ { gsub(/[",]/, ""); print $2; exit }' "$1"
}
"$perp" run "$work/space.json" --json >"$work/space" 2>"$work/log"
for ranks in 2 4; do
    on $ranks "$mpi" run "$work/space.json" --in-parts --json >"$work/space$ranks" 2>"$work/log"
    cat "$work/space" "$work/space$ranks" >>"$work/log"
    m=$(value "$work/space$ranks")
    [ -n "$m" ] && less "$m" 1e-12; result $? "the momentum of islands that cross, $ranks ranks: $m" "$work/log"
done
