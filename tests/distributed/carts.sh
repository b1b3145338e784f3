# SPDX-License-Identifier: BSD-3-Clause
# Carts of a box and two wheels on pivots that fall on a floor, to be read by tests of runs on several ranks:
# motors, servos, two controllers, a spring from each to a ball, a gear between the wheels of one cart and one
# between wheels of two.  fast 1: these two drive into the others.
carts() { # TOL UNTIL FAST [MORE]
    awk -v tol="$1" -v until="$2" -v fast="$3" -v more="${4:-}" '
    function body(name, shape, density, x, y, z, spin) {
        printf ", {\"name\": \"%s\", \"shape\": {%s}, \"density\": %g, \"position\": [%.17g, %g, %.17g]", name, shape, density, x, y, z
        if (fast && k < 2) printf ", \"velocity\": [3, 0, 0], \"angular\": [0, %g, 0]", spin
        print "}"
    }
    function pivot(name, wheel, x, more) {
        printf "%s{\"name\": \"%s%d\", \"systems\": [\"wheel%d-%d\", \"cart%d\"], \"relation\": {\"type\": \"joint\", ", comma, name, k, k, wheel, k
        printf "\"joint\": \"pivot\", \"anchor\": [%.17g, 0, %.17g], \"axis\": [0, 1, 0]%s}}\n", x, z, more
        comma = ", "
    }
    BEGIN {
        print "{\"version\": 1, " more "\"time\": {\"until\": " until ", \"step\": 0.005}, \"solver\": {\"tol\": " tol "},"
        print "\"gravity\": [0, 0, -9.81], \"bodies\": ["
        print "{\"name\": \"floor\", \"shape\": {\"type\": \"plane\", \"normal\": [0, 0, 1], \"offset\": 0}}"
        for (k = 0; k < 6; k++) {
            x = 1.5 * k; z = 0.13 + 0.02 * k
            body("cart" k, "\"type\": \"box\", \"sides\": [0.5, 0.3, 0.1]", 500, x, 0, z + 0.08, 0)
            for (w = 0; w < 2; w++) body("wheel" k "-" w, "\"type\": \"sphere\", \"radius\": 0.1", 800, x + 0.2 * (2 * w - 1), 0, z, 30)
            body("ball" k, "\"type\": \"sphere\", \"radius\": 0.06", 1000, x, 0.35, z + 0.2, 0)
        }
        print "], \"interactions\": ["
        for (k = 0; k < 6; k++) {
            x = 1.5 * k; z = 0.13 + 0.02 * k
            drive = ""
            if (k % 3 == 0) drive = ", \"motor\": {\"speed\": " (fast ? 30 : 8) ", \"torque\": 2}"
            if (k % 3 == 1) drive = ", \"servo\": {\"target\": 1, \"stiffness\": 5, \"damping\": 0.2}"
            pivot("front", 1, x + 0.2, drive)
            pivot("back", 0, x - 0.2, "")
        }
        print ", {\"name\": \"belt\", \"relation\": {\"type\": \"gear\", \"of\": \"front3\", \"with\": \"back3\", \"ratio\": 1}}"
        print ", {\"name\": \"axles\", \"relation\": {\"type\": \"gear\", \"of\": \"back0\", \"with\": \"back1\", \"ratio\": 1}}"
        print "], \"controllers\": ["
        for (k = 2; k < 6; k += 3) {
            printf "%s{\"name\": \"pilot%d\", \"joint\": \"front%d\", \"type\": \"pid\", \"period\": 0.01, \"target\": {\"polynomial\": [0, 6]},", (k > 2 ? ", " : ""), k, k
            print "\"kp\": 3, \"ki\": 20, \"kd\": 0.05, \"largest\": 4}"
        }
        print "], \"forces\": ["
        for (k = 0; k < 6; k++) {
            printf "%s{\"type\": \"spring\", \"stiffness\": 300, \"damping\": 3, \"length\": 0.3, ", k ? ", " : ""
            printf "\"from\": {\"system\": \"cart%d\", \"point\": [0, 0.15, 0]}, \"to\": {\"system\": \"ball%d\", \"point\": [0, 0, 0]}}\n", k, k
        }
        print "], \"contacts\": {\"e\": 0, \"mu\": 0.4}, \"record\": {\"stride\": 1, \"quantities\": [\"kinetic\", \"potential\""
        for (k = 0; k < 6; k++) printf ", \"cart%d.q[0]\", \"cart%d.q[2]\", \"ball%d.q[2]\"", k, k, k
        print ", \"front0.angle\", \"front1.angle\", \"front5.angle\", \"front0.torque\", \"front1.torque\", \"pilot2.lambda\", \"pilot5.lambda\","
        print "\"front5.reaction\", \"back1.reaction\", \"axles.lambda\", \"front4.active\", \"rows\", \"active\"]}}"
    }'
}
# How far two series are apart in any line, as parts of what each column changes in the first of them: columns
# of the motion, or (KIND forces) of what joints, drives and the controller do.
carts_apart() { # SERIES SERIES KIND
    awk -F, -v kind="$3" '
        FNR == 1 { if (NR == 1) for (i = 2; i <= NF; i++) {
                       what[i] = $i ~ /lambda|torque|reaction/ ? "forces" : ($i ~ /active|rows/ ? "counts" : "motion") }
                   next }
        NR == FNR { for (i = 2; i <= NF; i++) { x[FNR, i] = $i
                        if (FNR == 2 || $i < low[i]) low[i] = $i
                        if (FNR == 2 || $i > high[i]) high[i] = $i }
                    n = FNR; next }
        FNR <= n { lines++; for (i = 2; i <= NF; i++) if (what[i] == kind && high[i] - low[i] > 1e-3) {
                       d = ($i - x[FNR, i]) / (high[i] - low[i]); if (d < 0) d = -d; if (!(d <= most)) most = d } }
        END { printf "%.6g\n", lines == n - 1 ? most : 9 }' "$1" "$2"
}
