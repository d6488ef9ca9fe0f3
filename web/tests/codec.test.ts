// The bytes that C++ writes (tests/golden/view_frames.json, checked by tests/unit/server/frame_test.cpp) read back here.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { BODY_VALUES, CONTACT_VALUES, decodeFrame, Frame, ROBOT_VALUES } from '../src/feed/codec';

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
  }
});

test('a frame cut at any byte, of another version or with false counts is refused and changes nothing', () => {
  const full = golden.find((g) => g.name === 'full')!;
  const whole = bytesOf(full.bytes);
  const f = new Frame();
  for (let n = 0; n < whole.byteLength; n++) assert.equal(decodeFrame(whole.slice(0, n), f), false);
  for (const at of [0, 1, 57, 61, 65, 67]) {
    const wrong = whole.slice(0);
    new Uint8Array(wrong)[at] = 0xff;
    assert.equal(decodeFrame(wrong, f), false, String(at));
  }
  assert.equal(f.k, 0);
  assert.equal(f.bodyCount, 0);
});
