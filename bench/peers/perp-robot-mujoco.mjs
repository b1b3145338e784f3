#!/usr/bin/env node
// SPDX-License-Identifier: BSD-3-Clause
// A model of a robot, MJCF or URDF, by Perp and by MuJoCo (npm @mujoco/mujoco), with the files of its
// folder: masses, inertias and places of bodies, paired by mass and place, and with T the distance of the
// centres of mass after that time, for steps h and h/2 of either, Perp's default scheme and MuJoCo's Euler
// at h/20.
//     perp-robot-mujoco.mjs PERP MODEL [T [h [options of perp ...]]]
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const [perp, model, T, h, ...rest] = process.argv.slice(2);
const require = createRequire(process.env.PERP_PEER_MODULES !== undefined
  ? pathToFileURL(process.env.PERP_PEER_MODULES + '/') : import.meta.url);
const load = (await import(pathToFileURL(require.resolve('@mujoco/mujoco')).href)).default;
const mujoco = await load();
const folder = mkdtempSync(join(tmpdir(), 'perp-robot-'));
const run = (...words) => execFileSync(perp, words, { stdio: ['ignore', 'pipe', 'pipe'] });

// The state at the start, of --keyframe NUMBER where that is among the options.
function begin(m) {
  const d = new mujoco.MjData(m);
  const key = rest.indexOf('--keyframe');
  if (key >= 0) mujoco.mj_resetDataKeyframe(m, d, Number(rest[key + 1]));
  return d;
}

// Files of a folder and of those in it, for MuJoCo to read.
function mount(folder, at, depth) {
  mujoco.FS.mkdir(at);
  for (const name of readdirSync(folder)) {
    const path = join(folder, name), what = statSync(path);
    if (what.isDirectory() && depth < 4) mount(path, `${at}/${name}`, depth + 1);
    if (what.isFile() && what.size < 5e7) mujoco.FS.writeFile(`${at}/${name}`, readFileSync(path));
  }
}

function compile() {
  mount(dirname(resolve(model)), '/model', 0);
  return mujoco.MjModel.from_xml_path(`/model/${basename(model)}`);
}

function matrix(q) {
  const [w, x, y, z] = q;
  return [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
    [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
    [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]];
}
const turned = (R, I) => R.map((a) => R.map((b) =>
  a.reduce((s, u, k) => s + b.reduce((t, v, l) => t + u * I[k][l] * v, 0), 0)));
const diagonal = (d) => d.map((x, i) => d.map((_, j) => (i === j ? x : 0)));
const full = (I) => (Array.isArray(I[0]) ? I : diagonal(I));
const distance = (a, b) => Math.hypot(...a.map((x, i) => x - b[i]));

// Bodies of MuJoCo, those without joints with the one that carries them: mass, centre, inertia.
function lumps(m, d) {
  const out = new Map();
  const at = (array, k, n) => Array.from(array.slice(n * k, n * k + n));
  for (let b = 1; b < m.nbody; b++) {
    const w = m.body_weldid[b];
    if (w === 0 || m.body_mass[b] === 0 || m.body_mocapid[b] >= 0) continue;
    if (!out.has(w)) out.set(w, []);
    const R = d.ximat.slice(9 * b, 9 * b + 9);
    const rows = [0, 1, 2].map((i) => [R[3 * i], R[3 * i + 1], R[3 * i + 2]]);
    out.get(w).push({ mass: m.body_mass[b], centre: at(d.xipos, b, 3),
      inertia: turned(rows, diagonal(at(m.body_inertia, b, 3))) });
  }
  return [...out.entries()].sort((a, b) => a[0] - b[0]).map(([, parts]) => {
    const mass = parts.reduce((s, p) => s + p.mass, 0);
    const centre = [0, 1, 2].map((i) => parts.reduce((s, p) => s + p.mass * p.centre[i], 0) / mass);
    const inertia = [0, 1, 2].map((i) => [0, 1, 2].map((j) => parts.reduce((s, p) => {
      const r = p.centre.map((x, k) => x - centre[k]);
      const rr = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
      return s + p.inertia[i][j] + p.mass * ((i === j ? rr : 0) - r[i] * r[j]);
    }, 0)));
    return { mass, centre, inertia };
  });
}

// Bodies of the scene with a mass of their own.
function bodiesOf(scene) {
  const small = 1e-6 * Math.max(...scene.bodies.filter((b) => !b.fixed).map((b) => b.mass));
  return scene.bodies.filter((b) => !b.fixed && b.mass > small);
}

// For each of our bodies the number of the one that is most like it in mass and place.
let partner = [];
function pair(own, theirs) {
  const left = new Set(theirs.keys());
  partner = own.map((b) => {
    const off = (k) => distance(b.position ?? [0, 0, 0], theirs[k].centre) +
      100 * Math.abs(Math.log(b.mass / theirs[k].mass));
    const best = [...left].reduce((a, k) => (a === undefined || off(k) < off(a) ? k : a), undefined);
    left.delete(best);
    return best;
  });
}

function compareMasses(scene, m, d) {
  const own = bodiesOf(scene), all = lumps(m, d);
  pair(own, all);
  const theirs = partner.map((k) => all[k]);
  let mass = 0, inertia = 0, place = 0;
  own.forEach((b, k) => {
    const t = theirs[k];
    const I = turned(matrix(b.quaternion ?? [1, 0, 0, 0]), full(b.inertia));
    const size = Math.max(...t.inertia.flat().map(Math.abs));
    mass = Math.max(mass, Math.abs(b.mass / t.mass - 1));
    inertia = Math.max(inertia, ...I.flat().map((x, i) => Math.abs(x - t.inertia.flat()[i]) / size));
    place = Math.max(place, distance(b.position ?? [0, 0, 0], t.centre));
  });
  console.log(`${basename(model)}: ${own.length} bodies, ${all.length} in MuJoCo; largest ` +
    `difference: mass ${mass.toExponential(1)}, inertia ${inertia.toExponential(1)}, place ` +
    `${place.toExponential(1)}`);
  return own;
}

function perpCentres(own, step) {
  const out = join(folder, `run${step}`);
  const scene = JSON.parse(readFileSync(join(folder, 'scene.json')));
  scene.record = { quantities: own.map((b) => `${b.name}.q`), stride: 1000000 };
  require('node:fs').writeFileSync(join(folder, 'own.json'), JSON.stringify(scene));
  run('run', join(folder, 'own.json'), '--until', T, '--step', String(step), '--out', out, '-q');
  const last = readFileSync(join(out, 'series.csv'), 'utf8').trim().split('\n').pop().split(',')
    .map(Number);
  return own.map((_, k) => last.slice(1 + 7 * k, 4 + 7 * k));
}

function mujocoCentres(m, step) {
  const d = begin(m);
  m.opt.timestep = step;
  m.opt.integrator = 0;
  for (let k = 0; k < Math.round(T / step); k++) mujoco.mj_step(m, d);
  mujoco.mj_forward(m, d);
  const all = lumps(m, d);
  return partner.map((k) => all[k].centre);
}

const worst = (a, b) => Math.max(...a.map((x, k) => distance(x, b[k])));
try {
  run('convert', model, join(folder, 'scene.json'), '-q', ...rest);
  const scene = JSON.parse(readFileSync(join(folder, 'scene.json')));
  const m = compile();
  const d = begin(m);
  mujoco.mj_forward(m, d);
  const own = compareMasses(scene, m, d);
  if (T !== undefined && T !== '0') {
    const a = mujocoCentres(m, h / 10), b = mujocoCentres(m, h / 20);
    const limit = b.map((x, k) => x.map((v, i) => 2 * v - a[k][i])); // without its first order
    const c = perpCentres(own, Number(h)), e = perpCentres(own, h / 2);
    console.log(`after ${T}: MuJoCo h/10 ${worst(a, limit).toExponential(1)}, h/20 ` +
      `${worst(b, limit).toExponential(1)}; Perp h ${worst(c, limit).toExponential(1)}, h/2 ` +
      `${worst(e, limit).toExponential(1)} m from their common limit`);
  }
} finally {
  rmSync(folder, { recursive: true });
}
