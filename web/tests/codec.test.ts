// The bytes that C++ writes (tests/golden/view_frames.json, checked by tests/unit/server/frame_test.cpp) read back here.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { BODY, BODY_VALUES, CONTACT, CONTACT_VALUES, decodeFrame, decodePicture, Frame, HEADER, ROBOT, ROBOT_VALUES, SIGNAL, VERSION, VOLUME, VOLUME_VALUES } from '../src/feed/codec';

declare const ROOT: string;

type Numbers = (number | null)[];

interface Golden {
  name: string;
  bytes: string;
  frame: {
    scene_revision: number;
    sequence: number;
    k: number;
    time: number;
    t_min: number;
    t_max: number;
    hash: string;
    paused: boolean;
    behind: boolean;
    replay: boolean;
    past: boolean;
    speed_target: number | null;
    speed_actual: number;
    bodies: { p: Numbers; q: Numbers }[];
    ghosts: { p: Numbers; q: Numbers }[];
    robots: {
      level: number;
      fallen: boolean;
      us_per_step: number | null;
      error: number | null;
      com: Numbers;
      com_velocity: Numbers;
      centre_of_pressure: Numbers;
    }[];
    contacts: { point: Numbers; force: Numbers; body: number; other: number }[];
    signals: { property: number; value: number }[];
    ghost_signals: { property: number; value: number }[];
    volumes: { centre: Numbers; half: Numbers; depth: number }[];
  };
}

const golden = JSON.parse(readFileSync(join(ROOT, 'tests/golden/view_frames.json'), 'utf8')) as Golden[];

function bytesOf(hex: string): ArrayBuffer {
  const bytes = new Uint8Array(hex.length / 2);
  for (let i = 0; i < bytes.length; i++) bytes[i] = parseInt(hex.slice(2 * i, 2 * i + 2), 16);
  return bytes.buffer;
}

/** Equal within the quantum of quaternions; null is what JSON makes of NaN. */
function near(actual: ArrayLike<number>, at: number, expected: Numbers, tolerance: number, what: string): void {
  expected.forEach((x, i) => {
    const y = actual[at + i]!;
    if (x === null) assert.ok(Number.isNaN(y), `${what}[${i}]`);
    else assert.ok(Math.abs(x - y) <= tolerance, `${what}[${i}]: ${y} for ${x}`);
  });
}

const QUANTUM = 0.5 / 32767 + 1e-6;

function checkPoses(values: Float32Array, expected: { p: Numbers; q: Numbers }[], what: string): void {
  expected.forEach((body, b) => {
    near(values, b * BODY_VALUES, body.p, 0, `${what} ${b} p`);
    near(values, b * BODY_VALUES + 3, body.q, QUANTUM, `${what} ${b} q`);
  });
}

test('golden frames decode to what C++ encoded, also into a frame used before', () => {
  assert.ok(golden.length >= 8);
  const f = new Frame();
  for (const { name, bytes, frame: x } of golden) {
    assert.ok(decodeFrame(bytesOf(bytes), f), name);
    assert.deepEqual(
      [
        f.sceneRevision,
        f.sequence,
        f.k,
        f.time,
        f.tMin,
        f.tMax,
        f.hash,
        f.paused,
        f.behind,
        f.replay,
        f.past,
        f.speedActual,
      ],
      [
        x.scene_revision,
        x.sequence,
        x.k,
        x.time,
        x.t_min,
        x.t_max,
        x.hash,
        x.paused,
        x.behind,
        x.replay,
        x.past,
        x.speed_actual,
      ],
      name,
    );
    assert.equal(f.speedTarget, x.speed_target ?? Infinity);
    assert.deepEqual(
      [f.bodyCount, f.robotCount, f.contactCount, f.signalCount, f.hasGhost],
      [x.bodies.length, x.robots.length, x.contacts.length, x.signals.length, x.ghosts.length > 0],
      name,
    );
    checkPoses(f.bodies, x.bodies, 'body');
    checkPoses(f.ghosts, x.ghosts, 'ghost');
    x.robots.forEach((r, i) => {
      assert.deepEqual([f.levels[i], f.fallen[i]], [r.level, r.fallen ? 1 : 0]);
      near(
        f.robots,
        i * ROBOT_VALUES,
        [r.us_per_step, r.error, ...r.com, ...r.com_velocity, ...r.centre_of_pressure],
        0,
        'robot',
      );
    });
    x.contacts.forEach((c, i) => {
      near(f.contacts, i * CONTACT_VALUES, [...c.point, ...c.force], 0, 'contact');
      assert.deepEqual([f.contactBodies[2 * i], f.contactBodies[2 * i + 1]], [c.body, c.other]);
    });
    x.signals.forEach((s, i) => assert.deepEqual([f.signalProperties[i], f.signalValues[i]], [s.property, s.value]));
    assert.equal(f.ghostSignalCount, x.ghost_signals.length);
    x.ghost_signals.forEach((s, i) =>
      assert.deepEqual([f.ghostSignalProperties[i], f.ghostSignalValues[i]], [s.property, s.value]),
    );
    assert.equal(f.volumeCount, x.volumes.length);
    x.volumes.forEach((b, i) => near(f.volumes, i * VOLUME_VALUES, [...b.centre, ...b.half, b.depth], 0, 'volume'));
  }
});

/** The other way: what was read, written again by the table of docs/viewer.md. */
function encodeFrame(f: Frame): Uint8Array {
  const size =
    HEADER +
    BODY * f.bodyCount * (f.hasGhost ? 2 : 1) +
    ROBOT * f.robotCount +
    CONTACT * f.contactCount +
    SIGNAL * (f.signalCount + f.ghostSignalCount) +
    VOLUME * f.volumeCount;
  const v = new DataView(new ArrayBuffer(size));
  const flag = (is: boolean, bit: number) => (is ? bit : 0);
  v.setUint8(0, VERSION);
  v.setUint8(1, 1);
  v.setUint16(2, flag(f.paused, 1) | flag(f.behind, 2) | flag(f.replay, 4) | flag(f.past, 8) | flag(f.hasGhost, 16), true);
  v.setUint32(4, f.sceneRevision, true);
  v.setBigUint64(8, BigInt(f.k), true);
  [f.time, f.tMin, f.tMax].forEach((t, i) => v.setFloat64(16 + 8 * i, t, true));
  v.setUint32(40, f.hashLow, true);
  v.setUint32(44, f.hashHigh, true);
  v.setFloat32(48, f.speedTarget, true);
  v.setFloat32(52, f.speedActual, true);
  v.setUint32(56, f.bodyCount, true);
  v.setUint32(60, f.contactCount, true);
  v.setUint16(64, f.robotCount, true);
  v.setUint16(66, f.signalCount, true);
  v.setUint32(68, f.sequence, true);
  v.setUint16(72, f.ghostSignalCount, true);
  v.setUint16(74, f.volumeCount, true);
  let at = HEADER;
  const floats = (from: Float32Array, start: number, n: number) => {
    for (let i = 0; i < n; i++, at += 4) v.setFloat32(at, from[start + i]!, true);
  };
  for (const list of f.hasGhost ? [f.bodies, f.ghosts] : [f.bodies])
    for (let b = 0; b < f.bodyCount; b++) {
      floats(list, b * BODY_VALUES, 3);
      for (let i = 0; i < 4; i++, at += 2) v.setInt16(at, Math.round(list[b * BODY_VALUES + 3 + i]! * 32767), true);
    }
  for (let r = 0; r < f.robotCount; r++) {
    v.setUint8(at, f.levels[r]!);
    v.setUint8(at + 1, f.fallen[r]!);
    at += 4;
    floats(f.robots, r * ROBOT_VALUES, ROBOT_VALUES);
  }
  for (let c = 0; c < f.contactCount; c++) {
    floats(f.contacts, c * CONTACT_VALUES, CONTACT_VALUES);
    v.setUint16(at, f.contactBodies[2 * c]!, true);
    v.setUint16(at + 2, f.contactBodies[2 * c + 1]!, true);
    at += 4;
  }
  const signals = (n: number, properties: Uint16Array, values: Float32Array) => {
    for (let s = 0; s < n; s++, at += 4) {
      v.setUint16(at, properties[s]!, true);
      at += 4;
      v.setFloat32(at, values[s]!, true);
    }
  };
  signals(f.signalCount, f.signalProperties, f.signalValues);
  signals(f.ghostSignalCount, f.ghostSignalProperties, f.ghostSignalValues);
  for (let i = 0; i < f.volumeCount; i++, at += 4) {
    floats(f.volumes, i * VOLUME_VALUES, 6);
    v.setUint16(at, f.volumes[i * VOLUME_VALUES + 6]!, true);
  }
  return new Uint8Array(v.buffer);
}

test('what was decoded, encoded again by the same table, gives the bytes of C++', () => {
  const f = new Frame();
  for (const { name, bytes } of golden) {
    decodeFrame(bytesOf(bytes), f);
    assert.deepEqual(encodeFrame(f), new Uint8Array(bytesOf(bytes)), name);
  }
});

test('a frame cut at any byte, of another version or with false counts is refused and changes nothing', () => {
  const full = golden.find((g) => g.name === 'full')!;
  const whole = bytesOf(full.bytes);
  const f = new Frame();
  for (let n = 0; n < whole.byteLength; n++) assert.equal(decodeFrame(whole.slice(0, n), f), false);
  for (const at of [0, 1, 57, 61, 65, 67, 72, 73, 74, 75]) {
    const wrong = whole.slice(0);
    new Uint8Array(wrong)[at] = 0xff;
    assert.equal(decodeFrame(wrong, f), false, String(at));
  }
  assert.equal(f.k, 0);
  assert.equal(f.bodyCount, 0);
});

test('a picture is read as the server writes it; cut, longer, or of another kind it is refused', () => {
  const bytes = new Uint8Array(32 + 5);
  const v = new DataView(bytes.buffer);
  v.setUint8(0, VERSION);
  v.setUint8(1, 2);
  v.setUint16(2, 7, true);
  v.setUint32(4, 3, true);
  v.setUint32(8, 12, true);
  v.setFloat64(16, 0.4, true);
  v.setFloat32(24, 1.5, true);
  v.setUint32(28, 5, true);
  bytes.set([1, 2, 3, 4, 5], 32);
  const p = decodePicture(bytes.buffer)!;
  assert.deepEqual([p.sensor, p.sceneRevision, p.frame, p.time, p.milliseconds], [7, 3, 12, 0.4, 1.5]);
  assert.deepEqual([...p.jpeg], [1, 2, 3, 4, 5]);
  for (let n = 0; n < bytes.length; n++) assert.equal(decodePicture(bytes.buffer.slice(0, n)), null);
  for (const at of [0, 1, 28, 31]) {
    const wrong = bytes.slice();
    wrong[at] = 0x7f;
    assert.equal(decodePicture(wrong.buffer), null, String(at));
  }
});
