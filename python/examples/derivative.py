# SPDX-License-Identifier: BSD-3-Clause
"""The coefficient of friction from a recorded slide, by the derivative of each step's contact problem."""
import numpy as np

import perp

STEPS, h, gravity, mass = 60, 0.02, 9.81, 2.0


def slide(mu, derivative=False):
    """Velocities (STEPS, 3) of a block that is thrown over the ground, and their derivatives by mu."""
    v, dv, rows = np.array([0.0, 3, 1]), np.zeros(3), []
    with perp.Solver(np.eye(3) / mass, v, perp.Coulomb(mu), tol=1e-12) as solver:
        for _ in range(STEPS):
            r = solver.solve(q=v - [h * gravity, 0, 0])
            v = r.w
            if derivative:
                dv = r.jvp(q=dv, sets={"mu": 1.0}).w
            rows.append(np.concatenate([v, dv]))
    return np.array(rows)[:, :3], np.array(rows)[:, 3:]


recorded, _ = slide(0.37)
mu, tried = 0.8, []
for _ in range(12):
    v, by_mu = slide(mu, derivative=True)
    tried.append((mu, v))
    off = (v - recorded).ravel()
    print(f"mu {mu:.12f}  misfit {np.linalg.norm(off):.1e}")
    if np.linalg.norm(off) < 1e-10:
        break
    mu -= by_mu.ravel() @ off / (by_mu.ravel() @ by_mu.ravel())
assert abs(mu - 0.37) < 1e-9


def picture(axis):
    time = h * np.arange(1, STEPS + 1)
    axis.plot(time, np.hypot(recorded[:, 1], recorded[:, 2]), "k.", label="recorded")
    for guess, v in tried[:4]:
        axis.plot(time, np.hypot(v[:, 1], v[:, 2]), label=f"mu = {guess:.3f}")
    axis.set(xlabel="time in s", ylabel="speed in m/s")
    axis.legend()


def picture(axis):
    t = h * np.arange(1, STEPS + 1)
    axis.plot(t, recorded[:, 1], "k.", label="recorded")
    axis.plot(t, slide(0.8)[0][:, 1], label="mu = 0.8, the first guess")
    axis.plot(t, slide(mu)[0][:, 1], label=f"mu = {mu:.2f}, found")
    axis.set(xlabel="t [s]", ylabel="velocity [m/s]")
    axis.legend()
