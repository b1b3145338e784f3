#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The table of docs/reference/distributed.md: perp-mpi on packings of spheres, as counts.  From the
# folder of the build; needs python3.
#     ../bench/distributed_series.sh "10000 100000" "1 2 4 8 16" >table.md
set -eu
sizes=${1:-10000}
ranks=${2:-1 2 4}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_mpi_yield_when_idle=1 OPENBLAS_NUM_THREADS=1
export OMPI_MCA_hwloc_base_binding_policy OMPI_MCA_mpi_yield_when_idle OPENBLAS_NUM_THREADS
echo '| contacts | ranks | solver | iterations | pairs cut | products | sweeps | messages | MB sent | Gflop | imbalance |'
echo '|---|---|---|---|---|---|---|---|---|---|---|'
for size in $sizes; do
    ./perp generate spheres --size "$size" --mu 0.3 -q "$work/p.hdf5"
    for solver in apgd schwarz; do
        for n in $ranks; do
            mpirun --oversubscribe -n "$n" ./perp-mpi solve "$work/p.hdf5" -s "$solver" -t 1e-4 --json \
                >"$work/$n.json" 2>/dev/null || true
            python3 - "$work/$n.json" <<'SCRIPT'
import json, sys
d = json.load(open(sys.argv[1]))
c, p, n = d["counts"], d["partition"], len(d["ranks"])
mark = "" if d["exit"] == 0 else " (" + d["status"] + ")"
print(f"| {d['problem']['contacts']} | {n} | {d['solver']}{mark} | {d['iterations']} | {100 * p['cut'] / p['edges']:.1f} % |"
      f" {c['products'] / n:.0f} | {c['sweeps'] / n:.0f} | {c['messages']:.0f} | {c['message_bytes'] / 1e6:.2f} |"
      f" {c['flops'] / 1e9:.2f} | {c['imbalance']:.3f} |")
SCRIPT
        done
    done
done
