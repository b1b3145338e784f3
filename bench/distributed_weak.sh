#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The weak series of docs/reference/distributed.md: as many contacts on each rank, made in place, as
# counts.  From the folder of the build; needs python3.
#     ../bench/distributed_weak.sh 20000 "1 2 4 8 16" >table.md
set -eu
each=${1:-20000}
ranks=${2:-1 2 4}
OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_mpi_yield_when_idle=1 OPENBLAS_NUM_THREADS=1
export OMPI_MCA_hwloc_base_binding_policy OMPI_MCA_mpi_yield_when_idle OPENBLAS_NUM_THREADS
echo '| contacts | ranks | solver | iterations | pairs cut | messages of a rank | MB sent by a rank | Gflop of a rank | imbalance |'
echo '|---|---|---|---|---|---|---|---|---|'
report=$(mktemp)
trap 'rm -f "$report"' EXIT
for solver in apgd schwarz; do
    for n in $ranks; do
        mpirun --oversubscribe -n "$n" ./perp-mpi solve --generate $((each * n)) -s "$solver" -t 1e-4 --json \
            >"$report" 2>/dev/null || true
        python3 - "$report" <<'SCRIPT'
import json, sys
d = json.load(open(sys.argv[1]))
c, p, n = d["counts"], d["partition"], len(d["ranks"])
mark = "" if d["exit"] == 0 else " (" + d["status"] + ")"
print(f"| {d['problem']['contacts']} | {n} | {d['solver']}{mark} | {d['iterations']} | {100 * p['cut'] / p['edges']:.1f} % |"
      f" {c['messages'] / n:.0f} | {c['message_bytes'] / 1e6 / n:.2f} | {c['flops'] / 1e9 / n:.2f} | {c['imbalance']:.3f} |")
SCRIPT
    done
done
