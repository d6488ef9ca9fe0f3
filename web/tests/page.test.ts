// Small functions of the page that need no browser.

import assert from 'node:assert/strict';
import test from 'node:test';
import * as THREE from 'three';
import { Frame } from '../src/feed/codec';
import { capturePoint, convexHull, stabilityMargin, supportPolygons } from '../src/three/balance';
import { fit, isFieldFor, sideView, topView } from '../src/three/framing';
import { parseLights, placeOf } from '../src/three/lights';
import { mixPoses, Smoother } from '../src/three/smooth';
import { formatNumber, formatTime } from '../src/ui/dom';

test('convex hull keeps corners only, counter-clockwise', () => {
  const square: [number, number][] = [
    [0, 0],
    [1, 0],
    [1, 1],
    [0, 1],
  ];
  const hull = convexHull([[0.5, 0.5], ...square, [0.5, 0], [0, 0]]);
  assert.deepEqual(hull, [
    [0, 0],
    [1, 0],
    [1, 1],
    [0, 1],
  ]);
  assert.equal(convexHull([[1, 2]]).length, 1);
  assert.equal(convexHull([]).length, 0);
});

test('numbers and times are written as people read them', () => {
  assert.equal(formatNumber(0.12345), '0.1235');
  assert.equal(formatNumber(-1234.56), '-1234.6');
  assert.equal(formatNumber(1e-7), '1.000e-7');
  assert.equal(formatNumber(-3e-18), '0.0000');
  assert.equal(formatNumber(5115), '5115');
  assert.equal(formatNumber(NaN), '–');
  assert.equal(formatTime(754.508), '12:34.508');
  assert.equal(formatTime(0), '00:00.000');
  assert.equal(formatTime(59.9996), '01:00.000');
});

test('support polygon: the hull of a robot’s own contacts with the ground, not of pushes or of other robots', () => {
  const f = new Frame();
  const contacts: [number, number, number, number][] = [
    // x, y, body, other
    [0, 0, 0, 0xffff],
    [0.2, 0, 0, 0xffff],
    [0.2, 0.1, 1, 0xffff],
    [0, 0.1, 1, 0xffff],
    [0.1, 0.05, 1, 0xffff], // inside
    [9, 9, 1, 0xfffe], // the mouse
    [8, 8, 1, 2], // another body
    [5, 5, 2, 0xffff], // another robot
  ];
  f.contactCount = contacts.length;
  f.contacts = new Float32Array(contacts.flatMap(([x, y]) => [x, y, 0.5 * x, 0, 0, 1]));
  f.contactBodies = new Uint16Array(contacts.flatMap(([, , body, other]) => [body, other]));
  const hulls = supportPolygons(f, (body) => (body < 2 ? 0 : 1));
  assert.equal(hulls.get(0)!.length, 4);
  const area = hulls.get(0)!.reduce((sum, [x, y], i, all) => {
    const [u, v] = all[(i + 1) % all.length]!;
    return sum + (x * v - u * y) / 2;
  }, 0);
  assert.ok(Math.abs(area - 0.02) < 1e-8, `${area}`);
  assert.ok(hulls.get(0)!.every(([x, , z]) => Math.abs(z - 0.5 * x) < 1e-6), 'corners keep their heights');
  assert.deepEqual(hulls.get(1), [[5, 5, 2.5]]);
});

test('stability margin: the nearest edge, negative outside, at the height of the edge', () => {
  const hull: [number, number, number][] = [
    [-0.3, -0.2, 0],
    [0.3, -0.2, 0],
    [0.3, 0.2, 0.1],
    [-0.3, 0.2, 0.1],
  ];
  const inside = stabilityMargin(hull, 0.05, 0.03)!;
  assert.ok(Math.abs(inside.margin - 0.17) < 1e-12);
  assert.ok(Math.abs(inside.at[0] - 0.05) < 1e-12 && Math.abs(inside.at[1] - 0.2) < 1e-12 && Math.abs(inside.at[2] - 0.1) < 1e-12);
  assert.ok(Math.abs(stabilityMargin(hull, 0.34, -0.23)!.margin + 0.05) < 1e-12);
  assert.ok(Math.abs(stabilityMargin(hull.slice(0, 2), 0, 0)!.margin + 0.2) < 1e-12);
  assert.equal(stabilityMargin([], 0, 0), null);
});

test('capture point: a pendulum that starts there comes to rest over it', () => {
  // x'' = g/z (x − p): with p = ξ the solution decays, x → ξ. Integrated here, independently of the formula.
  const z = 0.4;
  const robots = new Float32Array([0, 0, 0.1, -0.2, z, 0.35, 0.15, 0, 0, 0, 0]);
  const xi = [0, 0];
  capturePoint(robots, 0, xi);
  for (const axis of [0, 1]) {
    let x = robots[2 + axis]!;
    let v = robots[5 + axis]!;
    const h = 1e-5;
    for (let t = 0; t < 1; t += h) {
      const half = v + (h / 2) * (9.81 / z) * (x - xi[axis]!);
      x += h * half;
      v = half + (h / 2) * (9.81 / z) * (x - xi[axis]!);
    }
    assert.ok(Math.abs(x - xi[axis]!) < 0.004 && Math.abs(v) < 0.02, `axis ${axis}: ${x - xi[axis]!} m, ${v} m/s`);
  }
});

test('poses between frames: half way, the short way round, at once when paused or moved in time', () => {
  const a = new Float32Array([0, 0, 0, 0, 0, 0, 1]);
  const b = new Float32Array([2, 4, 6, 0, 0, 0, -1]); // the same orientation
  const to = new Float32Array(7);
  mixPoses(a, b, 0.5, 1, to);
  assert.deepEqual([...to], [1, 2, 3, 0, 0, 0, 1]);
  const f = new Frame();
  f.bodyCount = 1;
  const smoother = new Smoother();
  const show = (time: number, x: number, wall: number, paused = false) => {
    f.time = time;
    f.paused = paused;
    f.bodies = new Float32Array([x, 0, 0, 0, 0, 0, 1]);
    smoother.take(f, wall);
  };
  show(0, 0, 0);
  for (let i = 1; i < 40; i++) {
    show(0.05 * i, i, 50 * i);
    for (const wall of [2, 10, 25, 48]) smoother.apply(f, 50 * i + wall);
  }
  show(2, 40, 2000);
  smoother.apply(f, 2012);
  smoother.apply(f, 2025);
  assert.ok(f.bodies[0]! > 39.3 && f.bodies[0]! < 39.7, `half way: ${f.bodies[0]}`);
  show(2.05, 41, 2050, true);
  assert.equal(smoother.apply(f, 2051), false);
  assert.equal(f.bodies[0], 41, 'paused: where it is');
  show(1, 20, 2100);
  assert.equal(smoother.apply(f, 2101), false);
  assert.equal(f.bodies[0], 20, 'went back: where it is');
});

test('a framed box fills the picture and no corner is outside', () => {
  const picture = { fov: 42, aspect: 1.5 };
  const box = new THREE.Box3(new THREE.Vector3(-1.3, -0.95, 0), new THREE.Vector3(1.3, 0.95, 0.08));
  for (const view of [sideView(box, true, picture), sideView(box, false, picture), topView(box, picture)]) {
    const camera = new THREE.PerspectiveCamera(picture.fov, picture.aspect, 0.02, 200);
    camera.up.set(0, 0, 1);
    camera.position.copy(view.position);
    camera.lookAt(view.target);
    camera.updateMatrixWorld();
    let reach = 0;
    for (const x of [box.min.x, box.max.x])
      for (const y of [box.min.y, box.max.y])
        for (const z of [box.min.z, box.max.z]) {
          const p = new THREE.Vector3(x, y, z).project(camera);
          reach = Math.max(reach, Math.abs(p.x), Math.abs(p.y));
        }
    assert.ok(reach > 0.9 && reach < 0.93, `${reach}`);
  }
  const top = topView(box, { fov: 42, aspect: 0.5 });
  assert.ok(top.position.x < 0 && top.position.y === 0, 'upright pictures show the length upright: x is up');
  assert.ok(sideView(box, true, picture).position.y < -1, 'a field is seen from its long side');
  const high = fit(box, new THREE.Vector3(0, 0, 1), new THREE.Vector3(0, 1, 0), picture);
  assert.ok(high.position.z > 2);
});

test('a field is what is around the robots and not much wider', () => {
  const box = (x: number, y: number) => new THREE.Box3(new THREE.Vector3(-x, -y, 0), new THREE.Vector3(x, y, 0.5));
  assert.ok(isFieldFor(box(1.2, 0.9), box(1, 0.7)));
  assert.ok(!isFieldFor(box(5, 3), box(0.2, 1)), 'too wide');
  assert.ok(!isFieldFor(box(0.1, 0.7), box(0.2, 1)), 'a goal is no field');
  assert.ok(!isFieldFor(new THREE.Box3(), box(1, 1)), 'nothing there');
});

test('lights are read from events and sit on the body that wears them', () => {
  assert.deepEqual(parseLights('v6 lights: chest #ff0000, left_eye #0080ff'), [
    { place: 'chest', colour: 0xff0000 },
    { place: 'left_eye', colour: 0x0080ff },
  ]);
  assert.deepEqual(parseLights('v6 lights: off'), []);
  assert.equal(parseLights('v6 says: hello'), null);
  const pose = { p: [0.01, 0, 0.05], q: [0, 0, 0, 1] };
  const box = { kind: 'box', pose, colour: [1, 1, 1], size: [0.2, 0.1, 0.3] };
  const bodies = ['Torso', 'HeadYaw', 'HeadPitch', 'LFoot'].map((name) => ({ name, shapes: [box] }));
  const robot = { name: 'v6', levels: [], level: 0, bodies, joints: [] };
  const scene = { robots: [robot], meshes: [] };
  const at = (place: string) => placeOf(place, robot as never, scene as never);
  assert.equal(at('left_eye').body, 2);
  assert.ok(at('left_eye').at[1] > 0 && at('right_eye').at[1] < 0); // y is to the left
  assert.ok(Math.abs(at('chest').at[0] - 0.11) < 1e-12); // in front
  assert.equal(at('chest').body, 0);
  assert.equal(at('left_foot').body, 3);
  // A ring: the first is on top, the third of eight to the left, and all are on the same body.
  const eye = at('left_eye').at;
  assert.ok(at('left_eye_1').at[2] > eye[2] && Math.abs(at('left_eye_1').at[1] - eye[1]) < 1e-12);
  assert.ok(at('left_eye_3').at[1] > eye[1] && Math.abs(at('left_eye_3').at[2] - eye[2]) < 1e-12);
  assert.equal(at('left_eye_5').body, 2);
  assert.deepEqual(parseLights('v6 lights: left_eye_3 #0080ff'), [{ place: 'left_eye_3', colour: 0x0080ff }]);
});
