#!/usr/bin/env node
// SPDX-License-Identifier: BSD-3-Clause
// Scenes by MuJoCo.  Joints make a tree of bodies, as its users would; those that close a loop are
// `connect' constraints, two for a hinge.
//
// Hulls are meshes; motors are `velocity' and `position' actuators with a largest force, whose gains
// are chosen here, positions along a ramp.
//
// default: Euler, pyramidal cones, Newton with 100 iterations, contacts as soft as they are.
// advised: implicitfast, with joints but no motors RK4, elliptic cones with impratio 10, Newton to 1e-10, 10
// iterations without slip, contacts with the time constant 2 h, which is the least.  Restitution:
// a contact without damping where e = 1 (advised), else none: MuJoCo has no coefficient of it.  A state that diverges
// is set back to the start by MuJoCo itself: such a step counts as one that ended early.
import { directionIn, inverse, main, pointIn, product, scaled, sub, add }
  from './scene_peer.mjs';

const text = (v) => Array.from(v).join(' ');

// For each body the joint that ties it to its parent in the tree; -1: a free body.
function makeTree(scene) {
  const by = new Array(scene.bodies.length).fill(-1), parent = new Array(by.length).fill(-1);
  const reached = new Array(by.length).fill(false), used = new Set();
  for (let found = true; found;) {
    found = false;
    scene.joints.forEach((j, k) => {
      for (const [child, other] of [[j.a, j.b], [j.b, j.a]]) {
        if (used.has(k) || child < 0 || reached[child] || (other >= 0 && !reached[other])) continue;
        by[child] = k;
        parent[child] = other;
        reached[child] = found = true;
        used.add(k);
      }
    });
  }
  return { by, parent, closing: scene.joints.filter((_, k) => !used.has(k)) };
}

function geometry(body, k) {
  if (body.shape === 'bare') return '';
  const at = `pos="${text(body.shapeAt)}"`;
  if (body.shape === 'sphere') return `<geom type="sphere" size="${body.radius}" ${at}/>`;
  if (body.shape === 'box') return `<geom type="box" size="${text(body.half)}" ${at}/>`;
  return `<geom type="mesh" mesh="m${k}" ${at}/>`;
}

const types = { ball: 'ball', hinge: 'hinge', slider: 'slide' };
const TIGHT = 5; // a motor has its full force where the speed is wrong by a fifth

// Limits, and an actuator of its own for each drive: velocity and position with a largest force.
function writeActuator(j, n) {
  const d = j.drive, range = `forcerange="${-Math.abs(d.largest)} ${Math.abs(d.largest)}"`;
  if (d.kind === 'force') return `<motor joint="j${n}" name="d${n}"/>`;
  if (d.kind === 'speed')
    return `<velocity joint="j${n}" name="d${n}" kv="${TIGHT * d.largest / Math.abs(d.speed)}" ` +
      `${range}/>`;
  return `<position joint="j${n}" name="d${n}" kp="${100 * d.largest / Math.abs(d.target)}" ` +
    `dampratio="1" ${range}/>`;
}

// The value of a drive at t: a position goes there with its acceleration and speed.
function control(d, t) {
  if (d.kind === 'force') return d.largest;
  if (d.kind === 'speed') return d.speed;
  const way = Math.abs(d.target), top = Math.min(d.speed, Math.sqrt(way * d.acceleration));
  const ramp = top / d.acceleration, cruise = (way - top * ramp) / top;
  let x = way;
  if (t < ramp) x = 0.5 * d.acceleration * t * t;
  else if (t < ramp + cruise) x = 0.5 * top * ramp + top * (t - ramp);
  else if (t < 2 * ramp + cruise) x = way - 0.5 * d.acceleration * (2 * ramp + cruise - t) ** 2;
  return Math.sign(d.target) * x;
}

function writeBody(scene, tree, k) {
  const b = scene.bodies[k], parent = tree.parent[k] >= 0 ? scene.bodies[tree.parent[k]] : null;
  const j = tree.by[k] >= 0 ? scene.joints[tree.by[k]] : null;
  const q = parent === null ? b.quaternion : product(inverse(parent.quaternion), b.quaternion);
  let out = `<body name="b${k}" pos="${text(pointIn(parent, b.position))}" quat="${text(q)}">`;
  if (j === null) out += '<freejoint/>';
  else if (j.kind === 'ball') out += `<joint type="ball" pos="${text(pointIn(b, j.at))}"/>`;
  else
    out += `<joint name="j${tree.by[k]}" type="${types[j.kind]}" pos="${text(pointIn(b, j.at))}" ` +
      `axis="${text(directionIn(b, j.axis))}"${j.limits ? ` range="${text(j.limits)}"` : ''}/>`;
  out += `<inertial pos="0 0 0" mass="${b.mass}" diaginertia="${text(b.inertia)}"/>`;
  out += geometry(b, k);
  tree.parent.forEach((p, c) => {
    if (p === k) out += writeBody(scene, tree, c);
  });
  return out + '</body>';
}

function writeClosing(scene, j) {
  const a = scene.bodies[j.a], points = j.kind === 'hinge'
    ? [add(j.at, scaled(0.1, j.axis)), sub(j.at, scaled(0.1, j.axis))] : [j.at];
  return points.map((at) => `<connect body1="b${j.a}" ` +
    `body2="${j.b >= 0 ? `b${j.b}` : 'world'}" anchor="${text(pointIn(a, at))}"/>`).join('');
}

function writeModel(scene, tree, advised) {
  const bouncy = advised && scene.e === 1;
  const solref = bouncy ? `${-((Math.PI / (10 * scene.h)) ** 2)} 0` : `${2 * scene.h} 1`;
  const memory = Math.max(32, Math.min(1000, Math.ceil(0.2 * scene.bodies.length)));
  const meshes = scene.bodies.map((b, k) => (b.shape === 'hull'
    ? `<mesh name="m${k}" vertex="${text(b.vertices)}"/>` : '')).join('');
  const actuators = scene.joints.map((j, n) => (j.drive ? writeActuator(j, n) : '')).join('');
  const friction = `${scene.mu} 0 ${scene.rolling ?? 0}`;
  const condim = scene.rolling > 0 ? 6 : scene.mu > 0 ? 3 : 1;
  const planes = scene.planes.map((p) => {
    const z = p.normal, side = Math.abs(z[0]) < 0.9 ? [1, 0, 0] : [0, 1, 0];
    const y = [z[1] * side[2] - z[2] * side[1], z[2] * side[0] - z[0] * side[2],
      z[0] * side[1] - z[1] * side[0]];
    const n = Math.hypot(...y), Y = scaled(1 / n, y);
    const X = [Y[1] * z[2] - Y[2] * z[1], Y[2] * z[0] - Y[0] * z[2], Y[0] * z[1] - Y[1] * z[0]];
    return `<geom type="plane" size="0 0 1" pos="${text(scaled(p.offset, z))}" ` +
      `xyaxes="${text(X)} ${text(Y)}"/>`;
  });
  const driven = scene.joints.some((j) => j.drive);
  const scheme = scene.joints.length > 0 && !driven ? 'RK4' : 'implicitfast';
  const options = advised ? `integrator="${scheme}" cone="elliptic" impratio="10" ` +
    'tolerance="1e-10" noslip_iterations="10"' : '';
  return `<mujoco><compiler angle="radian"/><size memory="${memory}M"/>
<option timestep="${scene.h}" gravity="${text(scene.gravity)}" ${options}/>
<default><geom friction="${friction}" condim="${condim}"${advised
    ? ` solref="${solref}"` : ''}/><equality${advised ? ` solref="${solref}"` : ''}/></default>
<worldbody>${planes.join('')}
${scene.bodies.map((_, k) => (tree.parent[k] < 0 ? writeBody(scene, tree, k) : '')).join('\n')}
</worldbody><asset>${meshes}</asset><actuator>${actuators}</actuator><equality>${tree.closing.map((j) => writeClosing(scene, j)).join('')}</equality>
</mujoco>`;
}

function startVelocities(scene, tree, id, model, data) {
  scene.bodies.forEach((b, k) => {
    const dof = model.body_dofadr[id[k]], j = tree.by[k] >= 0 ? scene.joints[tree.by[k]] : null;
    const spin = directionIn(b, b.angular);
    if (j === null) data.qvel.set([...b.velocity, ...spin], dof);
    else if (j.kind === 'ball') data.qvel.set(spin, dof);
    else data.qvel[dof] = spin.reduce((sum, x, i) => sum + x * directionIn(b, j.axis)[i], 0);
  });
}

class World {
  constructor(mujoco, scene, advised) {
    const tree = makeTree(scene);
    this.mujoco = mujoco;
    this.scene = scene;
    this.model = mujoco.MjModel.from_xml_string(writeModel(scene, tree, advised));
    this.data = new mujoco.MjData(this.model);
    // MuJoCo numbers bodies along the tree.
    const kind = mujoco.mjtObj.mjOBJ_BODY.value;
    this.id = scene.bodies.map((_, k) => mujoco.mj_name2id(this.model, kind, `b${k}`));
    this.number = [-1];
    this.id.forEach((id, k) => { this.number[id] = k; });
    startVelocities(scene, tree, this.id, this.model, this.data);
    this.iterations = this.model.opt.iterations;
    this.force = new mujoco.DoubleBuffer(6);
    this.rate = new mujoco.DoubleBuffer(6);
    this.drives = scene.joints.flatMap((j, n) => (j.drive ? [{ drive: j.drive,
      id: mujoco.mj_name2id(this.model, mujoco.mjtObj.mjOBJ_ACTUATOR.value, `d${n}`) }] : []));
    this.owner = Array.from(this.model.geom_bodyid);
  }

  step() {
    this.last = this.data.time;
    for (const { drive, id } of this.drives)
      this.data.ctrl[id] = control(drive, this.last + this.scene.h);
    this.mujoco.mj_step(this.model, this.data);
  }

  tell(before) {
    const { mujoco, model, data } = this, all = data.contact, contacts = [];
    const place = (body) => (body < 0 ? [0, 0, 0] : before.subarray(13 * body, 13 * body + 3));
    for (let k = 0; k < data.ncon; k++) {
      const c = all.get(k), F = Array.from(c.frame), [g1, g2] = c.geom, pos = Array.from(c.pos);
      const a = this.number[this.owner[g2]], b = this.number[this.owner[g1]];
      mujoco.mj_contactForce(model, data, k, this.force);
      const f = this.force.GetView();
      contacts.push({ a, b, gap: c.dist, normal: F.slice(0, 3), armA: sub(pos, place(a)),
        armB: sub(pos, place(b)), impulse: [0, 1, 2].map((i) => this.scene.h *
          (f[0] * F[i] + f[1] * F[3 + i] + f[2] * F[6 + i])) });
      c.delete?.();
    }
    all.delete?.();
    return { count: contacts.length, contacts,
      early: Number(data.time < this.last || data.solver_niter.some((n) => n >= this.iterations)) };
  }

  states(to) {
    const { mujoco, model, data } = this;
    mujoco.mj_kinematics(model, data);
    mujoco.mj_comPos(model, data);
    mujoco.mj_comVel(model, data);
    const x = data.xpos, q = data.xquat;
    for (let k = 0; k < this.scene.bodies.length; k++) {
      const id = this.id[k];
      mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_BODY.value, id, this.rate, 0);
      const r = this.rate.GetView();
      to.set(x.subarray(3 * id, 3 * id + 3), 13 * k);
      to.set(q.subarray(4 * id, 4 * id + 4), 13 * k + 3);
      to.set([r[3], r[4], r[5], r[0], r[1], r[2]], 13 * k + 7);
    }
  }
}

main({
  package: '@mujoco/mujoco',
  title: 'MuJoCo',
  can: ['hull', 'off-centre', 'slider', 'drive', 'rolling'],
  refuses: (scene) => (scene.joints.some((j) => j.kind === 'distance')
    ? 'distances are tendons there' : undefined),
  make: async (module, scene, advised) => new World(await module.default(), scene, advised),
});
