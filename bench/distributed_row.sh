#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# One solve of a packing of spheres, made in place by its ranks, as a row of a table; without arguments
# the head of the table.  From the folder of the build; needs python3.
#     ../bench/distributed_row.sh CONTACTS RANKS SOLVER [ITERATIONS [REPORT]]
# To 1e-4, or for so many iterations (0: to 1e-4).  REPORT keeps what perp-mpi said, as JSON, for
# distributed_model.py.  Ranks have a core each, where there are so many; where not, times mean nothing.
set -eu
if [ $# = 0 ]; then
    echo '| contacts | ranks | solver | iterations | pairs cut | products | sweeps | messages | MB sent | Gflop | imbalance | solve s | ms an iteration |'
    echo '|---|---|---|---|---|---|---|---|---|---|---|---|---|'
    exit 0
fi
size=$1 ranks=$2 solver=$3 iterations=${4:-0}
kept=${5:-$(mktemp)}
[ -n "${5:-}" ] || trap 'rm -f "$kept"' EXIT
OPENBLAS_NUM_THREADS=1
export OPENBLAS_NUM_THREADS
if [ "$ranks" -le "$(nproc)" ]; then
    set -- --bind-to core
else
    set -- --oversubscribe --bind-to none --mca mpi_yield_when_idle 1
fi
set -- mpirun --quiet "$@" -n "$ranks" ./perp-mpi solve --generate "$size" -s "$solver" -t 1e-4 --json --quiet
[ "$iterations" = 0 ] || set -- "$@" -S "max_iter=$iterations"
"$@" >"$kept" || [ $? = 1 ]
python3 - "$kept" <<'SCRIPT'
import json, sys
d = json.load(open(sys.argv[1]))
c, p, n = d["counts"], d["partition"], len(d["ranks"])
mark = "" if d["exit"] == 0 else " (stopped)"
print(f"| {d['problem']['contacts']} | {n} | {d['solver']}{mark} | {d['iterations']} | {100 * p['cut'] / p['edges']:.1f} % |"
      f" {c['products'] / n:.0f} | {c['sweeps'] / n:.0f} | {c['messages'] / n:.0f} | {c['message_bytes'] / 1e6 / n:.2f} |"
      f" {c['flops'] / 1e9 / n:.2f} | {c['imbalance']:.3f} | {d['solve_seconds']:.3g} |"
      f" {1e3 * d['solve_seconds'] / d['iterations']:.4g} |", flush=True)
SCRIPT
