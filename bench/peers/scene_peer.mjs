// SPDX-License-Identifier: BSD-3-Clause
// What the programs for engines of npm have in common; see scene_peer.h and bench/campaign/engines/motion.h.
// Packages are taken from the folder $PERP_NODE, where npm install --prefix put them, or else
// from the folder the command was started in.
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';

function folderOf(name) {
  return path.resolve(process.env.PERP_NODE ?? '.', 'node_modules', name);
}

function describe(name) {
  return JSON.parse(fs.readFileSync(path.join(folderOf(name), 'package.json'), 'utf8'));
}

export async function load(name) {
  const about = describe(name);
  const all = about.exports?.['.'];
  const entry = all?.import?.default ?? all?.import ?? all?.default ?? about.module ?? about.main;
  return import(pathToFileURL(path.join(folderOf(name), entry)));
}

// Where a package has a file that its engine wants to read.
export function fileOf(name, file) {
  return path.join(folderOf(name), file);
}

function processorTime() {
  const used = process.cpuUsage();
  return (used.user + used.system) * 1e-6;
}

function writeAll(fd, view) {
  const bytes = Buffer.from(view.buffer, view.byteOffset, view.byteLength);
  for (let done = 0; done < bytes.length;) {
    try {
      done += fs.writeSync(fd, bytes, done);
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
    }
  }
}

function writeText(fd, text) {
  const bytes = Buffer.alloc(128);
  bytes.write(text.slice(0, 127), 'latin1');
  writeAll(fd, bytes);
}

const HEAD = 5, BODY = 13, CONTACT = 15;

// One record: t, seconds, early, count, the states and, unless contacts is null, the contacts:
// {a, b, armA, armB, normal, impulse, gap}.
function writeRecord(fd, states, t, seconds, told) {
  const contacts = told.contacts ?? null;
  const given = contacts === null ? 0 : contacts.length;
  const record = new Float64Array(HEAD + states.length + CONTACT * given);
  record.set([t, seconds, told.early ?? NaN, told.count ?? NaN, contacts === null ? -1 : given]);
  record.set(states, HEAD);
  let at = HEAD + states.length;
  for (let k = 0; k < given; k++, at += CONTACT) {
    const c = contacts[k];
    record.set([c.a, c.b, ...c.armA, ...c.armB, ...c.normal, ...c.impulse, c.gap], at);
  }
  writeAll(fd, record);
}

// Small vectors, and quaternions with the scalar first.
export const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
export const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const scaled = (s, a) => [s * a[0], s * a[1], s * a[2]];
export const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0]];
export function turn(q, v) {
  const u = [q[1], q[2], q[3]], t = scaled(2, cross(u, v));
  return add(add(v, scaled(q[0], t)), cross(u, t));
}
export const inverse = (q) => [q[0], -q[1], -q[2], -q[3]];
export function product(p, q) {
  return [p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
    p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
    p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
    p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0]];
}
// The quaternion that turns one unit vector to another.
export function between(a, b) {
  const c = cross(a, b), w = 1 + dot(a, b);
  if (w < 1e-9) return Math.abs(a[0]) < 0.9 ? [0, 0, a[2], -a[1]] : [0, -a[2], 0, a[0]];
  const n = Math.hypot(w, ...c);
  return [w / n, c[0] / n, c[1] / n, c[2] / n];
}
// A point and a direction of the world in the frame of a body (null: of the world).
export function pointIn(body, at) {
  return body === null ? at : turn(inverse(body.quaternion), sub(at, body.position));
}
export function directionIn(body, v) {
  return body === null ? v : turn(inverse(body.quaternion), v);
}

// What no program can do that does not say so: shapes other than spheres and boxes about the centre of
// mass, sliders, motors and limits.  can: 'hull', 'off-centre', 'slider', 'drive', 'rolling'.
function lacks(scene, can) {
  if (!can.includes('hull') && scene.bodies.some((b) => b.shape === 'hull')) return 'no hulls';
  if (!can.includes('off-centre') && scene.bodies.some((b) => b.shapeAt?.some((x) => x !== 0)))
    return 'no shapes away from the centre of mass';
  if (!can.includes('slider') && scene.joints.some((j) => j.kind === 'slider')) return 'no sliders';
  if (!can.includes('drive') && scene.joints.some((j) => j.drive || j.limits))
    return 'no motors and limits';
  if (!can.includes('rolling') && scene.rolling > 0) return 'no rolling friction';
  return undefined;
}

// peer: name of the package, title; make(module, scene, advised) -> world, a promise;
// can: list of features; refuses(scene) -> why, or undefined; world.step(): may be timed alone; world.tell(before) ->
// {early, count, contacts}, before: the states at the start of the step; world.states(to).
export async function main(peer) {
  const [fdText, , file, variant, h, until] = process.argv.slice(2);
  if (fdText === '--version') {
    try {
      console.log(`${peer.title} ${describe(peer.package).version}`);
    } catch {
      process.exit(1);
    }
    return;
  }
  if (until === undefined) {
    console.error('usage: PROGRAM FD SCENE FILE default|advised H UNTIL');
    process.exit(2);
  }
  const fd = Number(fdText);
  const scene = JSON.parse(fs.readFileSync(file, 'utf8'));
  scene.h = Number(h);
  scene.until = Number(until);
  const why = lacks(scene, peer.can ?? []) ?? peer.refuses?.(scene);
  if (why !== undefined) return writeText(fd, `!${why}`);
  const module = await load(peer.package);
  let start = processorTime();
  const world = await peer.make(module, scene, variant === 'advised');
  const states = new Float64Array(BODY * scene.bodies.length);
  scene.bodies.forEach((b, k) => states.set(
    [...b.position, ...b.quaternion, ...b.velocity, ...b.angular], BODY * k));
  writeText(fd, `perp-motion 1 ${peer.title} ${describe(peer.package).version}`);
  writeRecord(fd, states, 0, processorTime() - start, {});
  const steps = Math.round(scene.until / scene.h);
  for (let k = 1; k <= steps; k++) {
    start = processorTime();
    world.step();
    const seconds = processorTime() - start;
    const told = world.tell(states);
    world.states(states);
    writeRecord(fd, states, k * scene.h, seconds, told);
  }
  process.exit(0);
}
