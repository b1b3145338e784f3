#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# perp-mpi run: grains in a drum on 1, 2, 3 and 4 ranks beside one process, the same bits twice,
# checkpoints that go on with other numbers of ranks, a rank that dies, bad input.  A watchdog ends what
# hangs: that is a failure.
set -u
perp=$PERP_BUILD/perp mpi=$PERP_BUILD/perp-mpi
needs=$mpi watchdog=240
. "$PERP_SOURCE/tests/distributed/ranks.sh"
. "$PERP_SOURCE/tests/distributed/drum.sh"

echo 1..30
drum 1e-8 3 >"$work/drum.json"
# Grains of which each touches several others are chaotic.  What a tolerance means for this motion is
# seen from one process with others.
check 0 "one process" "$perp" run "$work/drum.json" -q --out "$work/serial"
find_spread
less "$spread" 0.05; result $? "the tolerance changes its motion by $spread" "$work/log"
for ranks in 1 2 3 4; do
    on "$ranks" "$mpi" run "$work/drum.json" --rows 20 --json --out "$work/r$ranks" >"$work/r$ranks.json" 2>"$work/log"
    code=$?
    [ "$code" = 0 ]; result $? "$ranks ranks" "$work/log"
    d=$(apart "$work/serial/series.csv" "$work/r$ranks/series.csv")
    echo "$d, by the tolerance $spread" >"$work/log"
    less "$d" "$(awk -v s="$spread" 'BEGIN { print 3 * s }')"
    result $? "$ranks ranks: mass, its centre and energies within the effect of the tolerance" "$work/log"
done
cmp "$work/serial/series.csv" "$work/r1/series.csv" >"$work/log" 2>&1
result $? "one rank has the bits of perp run" "$work/log"
solves=$(sed -n 's/^ *"solves": \([0-9]*\),*$/\1/p' "$work/r3.json")
left=$(sed -n 's/^ *"left": \([0-9]*\),*$/\1/p' "$work/r3.json")
cp "$work/r3.json" "$work/log"
[ "${solves:-0}" -gt 50 ] && [ "${left:-1}" = 0 ]; result $? "solved together: $solves" "$work/log"
on 3 "$mpi" run "$work/drum.json" --rows 20 -q --out "$work/again" >"$work/log" 2>&1
cmp "$work/r3/series.csv" "$work/again/series.csv" >>"$work/log" 2>&1 &&
    cmp "$work/r3/motion.bin" "$work/again/motion.bin" >>"$work/log" 2>&1
result $? "the same bits twice, 3 ranks" "$work/log"

# Checkpoints belong to no number of ranks.
check 0 "half of it on 2 ranks" on 2 "$mpi" run "$work/drum.json" --rows 20 -q --until 0.2 --out "$work/half"
cp -r "$work/half" "$work/half-serial"
check 0 "the rest on 3" on 3 "$mpi" run "$work/drum.json" --rows 20 -q --resume --out "$work/half"
d=$(apart "$work/serial/series.csv" "$work/half/series.csv")
echo "$d" >"$work/log"
less "$d" "$(awk -v s="$spread" 'BEGIN { print 3 * s }')" && [ "$(wc -l <"$work/half/series.csv")" = 62 ]
result $? "the whole series, within the effect of the tolerance" "$work/log"
check 0 "or in one process" "$perp" run "$work/drum.json" -q --resume --out "$work/half-serial"

# A rank that dies: the run ends, the last checkpoint is whole.
dying "$work/dies.sh"
FOLDER=$work/died; export FOLDER
on 3 sh "$work/dies.sh" "$mpi" run "$work/drum.json" --rows 20 -q --until 50 --checkpoint 0 --out "$work/died" >"$work/log" 2>&1
code=$?
[ $code != 0 ] && [ $code != 124 ] && [ -s "$work/died/checkpoint" ]; result $? "a rank that dies ends the run" "$work/log"
lines=$(wc -l <"$work/died/series.csv.part")
until=$(awk -v n="$lines" 'BEGIN { print 0.005 * (n + 10) }')
check 0 "it goes on from the checkpoint, 2 ranks" on 2 "$mpi" run "$work/drum.json" --rows 20 -q --resume --until "$until" --out "$work/died"
[ "$(wc -l <"$work/died/series.csv")" -gt "${lines:-1000000}" ]; result $? "and further than it was" "$work/log"

# Factorisations of the own solver stay in their rank, whichever MUMPS is there.
sed 's/"solver": {/"solver": {"name": "nsn", "factor": "mumps", /' "$work/drum.json" >"$work/factors.json"
if "$perp" run "$work/factors.json" -q --until 0.1 --out "$work/factors" >"$work/log" 2>&1; then
    on 3 "$mpi" run "$work/factors.json" --rows 100000 -q --until 0.1 --out "$work/factors3" >"$work/log" 2>&1 &&
        cmp "$work/factors/series.csv" "$work/factors3/series.csv" >>"$work/log" 2>&1
    result $? "the own solver has the bits of one process" "$work/log"
else
    result 0 "the own solver has the bits of one process # SKIP no MUMPS" "$work/log"
fi
check 2 "no such scene" on 3 "$mpi" run "$work/none.json"
[ "$(grep -c none.json "$work/log")" = 1 ]; result $? "said once" "$work/log"
printf '{"version": 1' >"$work/cut.json"
check 2 "too few bytes" on 3 "$mpi" run "$work/cut.json"
check 2 "a folder that cannot be made" on 3 "$mpi" run "$work/drum.json" --out "$work/drum.json/x"
check 2 "no checkpoint" on 2 "$mpi" run "$work/drum.json" --resume --out "$work/nothing"
# The disk of rank 0 is full after some steps: the others, whose steps are well, end too.
cat >"$work/full.sh" <<'SCRIPT'
[ "$OMPI_COMM_WORLD_RANK" = 0 ] && { trap '' XFSZ; ulimit -f 64; }
exec "$@"
SCRIPT
check 2 "no space for what rank 0 writes" on 3 sh "$work/full.sh" "$mpi" run "$work/drum.json" --rows 20 -q --until 3 --checkpoint 0 --out "$work/full"
grep -q 'File too large' "$work/log"; result $? "which it says" "$work/log"
# One rank has another scene: nobody waits for it.
drum 1e-8 4 >"$work/wrong.json"
printf 'f=drum; [ "$OMPI_COMM_WORLD_RANK" = 1 ] && f=wrong; p=$1; w=$2; exec "$p" run "$w/$f.json" --rows 20 -q\n' >"$work/differ.sh"
check 2 "a rank with other numbers" on 3 sh "$work/differ.sh" "$mpi" "$work"
grep -q 'came apart' "$work/log"; result $? "is found" "$work/log"
