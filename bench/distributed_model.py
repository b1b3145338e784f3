#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The performance model of docs/reference/distributed.md, fitted to reports of perp-mpi solve --json.

    mpirun -n 2 perp-mpi solve --generate 100000 -t 1e-4 --json >a.json ...
    bench/distributed_model.py [--contacts 1e8] [--rate F] [--latency S] [--bandwidth B] a.json b.json ...
    bench/distributed_model.py --compare [--rate F] [--latency S] [--bandwidth B] a.json b.json ...

An iteration of a rank with n = N / P of N contacts takes
    t = F n / f + p (2 v a + B / b) + s (a log2 P + 8 m P / b),   B = 8.3 c n^(2/3) bytes.
F, p, c, v, s and m come from the counts, the growth of the iterations with N from a line through their
logarithms, or the most that were seen where that falls; f, a and b are given.

With --compare: the time of an iteration that was measured beside that of the model with F, p, c, v, s and m of the
report itself, so that what differs are rates, latencies and waiting.
"""
import argparse
import json
import math


def line(points):
    """Slope and value at 0 of the line of least squares; flat where all have one abscissa."""
    n = len(points)
    mx, my = sum(x for x, _ in points) / n, sum(y for _, y in points) / n
    den = sum((x - mx) ** 2 for x, _ in points)
    slope = sum((x - mx) * (y - my) for x, y in points) / den if den > 0 else 0.0
    return slope, my - slope * mx


def read(path):
    with open(path, encoding="utf-8") as f:
        d = json.load(f)
    c, P, N, I = d["counts"], len(d["ranks"]), d["problem"]["contacts"], d["iterations"]
    n = N / P
    return {"solver": d["solver"], "P": P, "N": N, "I": I, "F": c["flops"] / (I * N), "p": c["products"] / (I * P),
            "c": c["shared"] / P / n ** (2 / 3), "v": c["neighbours"] / P, "s": c["sums"] / (I * P),
            "m": c["sum_bytes"] / (8 * c["sums"]) if c["sums"] else 0.0,
            "B": c["message_bytes"] / max(1, c["products"]) / max(1.0, c["shared"] / P),
            "solved": d["exit"] == 0, "flops": c["flops"], "seconds": d["solve_seconds"]}


def times(r, rate, a):
    """Seconds of an iteration: compute, exchange, sums."""
    n = r["N"] / r["P"]
    return (r["F"] * n / rate,
            r["p"] * (2 * r["v"] * a.latency + r["B"] * r["c"] * n ** (2 / 3) / a.bandwidth),
            r["s"] * (a.latency * math.log2(r["P"]) + 8 * r["m"] * r["P"] / a.bandwidth))


def compare(runs, a):
    print("| contacts | solver | ranks | measured, ms an iteration | model | measured / model | Gflop/s of a rank |\n"
          "|---|---|---|---|---|---|---|")
    for r in sorted(runs, key=lambda r: (r["solver"], r["N"], r["P"])):
        if r["P"] == 1:
            continue
        measured, model = r["seconds"] / r["I"], sum(times(r, a.rate, a))
        print(f"| {r['N']} | {r['solver']} | {r['P']} | {1e3 * measured:.3g} | {1e3 * model:.3g} |"
              f" {measured / model:.2f} | {1e-9 * r['flops'] / r['P'] / r['seconds']:.2f} |")


def mean(runs, key):
    return sum(r[key] for r in runs) / len(runs)


def predict(runs, a):
    several = [r for r in runs if r["P"] > 1]
    grow, first = line([(math.log(r["N"]), math.log(r["I"])) for r in several])
    # Where they do not grow, the most that were seen.
    I = math.exp(first + grow * math.log(a.contacts)) if grow > 0 else max(r["I"] for r in several)
    F, p, s, m, B = (mean(several, k) for k in ("F", "p", "s", "m", "B"))
    # Bytes of a product for each shared unknown: 8 out and 8 back, but what a rank owns it does not send.
    print(f"{runs[0]['solver']}: iterations {math.exp(first):.3g} N^{grow:.3f}, {I:.0f} for N = {a.contacts:.3g}")
    print(f"  F {F:.0f} flops a contact, p {p:.2f} products, {B:.1f} bytes a shared unknown, s {s:.2f} sums of m {m:.1f}")
    for P in sorted({r["P"] for r in several}):
        of = [r for r in several if r["P"] == P]
        print(f"  P {P}: c {mean(of, 'c'):.1f}, neighbours {mean(of, 'v'):.1f}")
    print("| ranks | compute | exchange | sums | solve |\n|---|---|---|---|---|")
    r = {"N": a.contacts, "F": F, "p": p, "s": s, "m": m, "B": B, "c": a.shared, "v": a.neighbours}
    for P in (16, 64, 256, 1024, 4096):
        compute, exchange, sums = times(dict(r, P=P), a.rate, a)
        print(f"| {P} | {1e3 * compute:.3g} ms | {1e3 * exchange:.2g} ms | {1e3 * sums:.2g} ms |"
              f" {I * (compute + exchange + sums):.3g} s |")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--contacts", type=float, default=1e8)
    parser.add_argument("--rate", type=float, default=0.6e9, help="flops/s of a rank")
    parser.add_argument("--latency", type=float, default=2e-6)
    parser.add_argument("--bandwidth", type=float, default=10e9)
    parser.add_argument("--shared", type=float, default=16.0, help="c inside a large packing")
    parser.add_argument("--neighbours", type=float, default=20.0, help="of a rank inside it")
    parser.add_argument("--compare", action="store_true", help="measured times beside those of the model")
    parser.add_argument("report", nargs="+")
    a = parser.parse_args()
    if a.compare:
        return compare([read(path) for path in a.report], a)
    runs = [r for r in map(read, a.report) if r["solved"]]
    for solver in sorted({r["solver"] for r in runs}):
        predict([r for r in runs if r["solver"] == solver], a)


main()
