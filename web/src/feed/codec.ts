// Reads the binary frames of apps/server/frame.h into arrays that are used again for every frame, so that watching a
// run allocates nothing.

export const VERSION = 2;
export const HEADER = 80;
export const BODY = 20;
export const ROBOT = 48;
export const CONTACT = 28;
export const SIGNAL = 8;
export const VOLUME = 28;
const FRAME_TYPE = 1;
const PICTURE_TYPE = 2;
const PICTURE_HEADER = 32;

export const BODY_VALUES = 7; // p x, y, z, q x, y, z, w
export const ROBOT_VALUES = 11; // µs per step, error, com 3, com velocity 3, centre of pressure 3
export const CONTACT_VALUES = 6; // point 3, force 3
export const VOLUME_VALUES = 7; // centre 3, half extents 3, depth

export class Frame {
  sceneRevision = 0;
  sequence = 0;
  k = 0;
  time = 0;
  tMin = 0;
  tMax = 0;
  hashHigh = 0;
  hashLow = 0;
  paused = false;
  behind = false;
  replay = false;
  past = false;
  hasGhost = false;
  speedTarget = 1; // Infinity = as fast as possible
  speedActual = 1;

  bodyCount = 0;
  robotCount = 0;
  contactCount = 0;
  signalCount = 0;
  ghostSignalCount = 0;
  volumeCount = 0;
  bodies = new Float32Array(0);
  ghosts = new Float32Array(0);
  levels = new Uint8Array(0);
  fallen = new Uint8Array(0);
  robots = new Float32Array(0);
  contacts = new Float32Array(0);
  contactBodies = new Uint16Array(0); // body, other
  signalProperties = new Uint16Array(0);
  signalValues = new Float32Array(0);
  ghostSignalProperties = new Uint16Array(0); // the same properties in the course that was left
  ghostSignalValues = new Float32Array(0);
  volumes = new Float32Array(0); // boxes of the collision trees, if subscribed

  get hash(): string {
    return this.hashHigh.toString(16).padStart(8, '0') + this.hashLow.toString(16).padStart(8, '0');
  }
}

/** A picture of a robot's camera. */
export interface Picture {
  sensor: number; // index into the scene's sensors
  sceneRevision: number;
  frame: number;
  time: number; // of its exposure  [s]
  milliseconds: number; // that rendering took
  jpeg: Uint8Array<ArrayBuffer>;
}

/** Null when it is none, or version or length do not fit. */
export function decodePicture(buffer: ArrayBuffer): Picture | null {
  const v = new DataView(buffer);
  if (v.byteLength < PICTURE_HEADER || v.getUint8(0) !== VERSION || v.getUint8(1) !== PICTURE_TYPE) return null;
  if (v.getUint32(28, true) !== v.byteLength - PICTURE_HEADER) return null;
  return {
    sensor: v.getUint16(2, true),
    sceneRevision: v.getUint32(4, true),
    frame: u64(v, 8),
    time: v.getFloat64(16, true),
    milliseconds: v.getFloat32(24, true),
    jpeg: new Uint8Array(buffer, PICTURE_HEADER),
  };
}

interface Sized {
  readonly length: number;
}

/** The array itself if it is long enough, otherwise a longer one. */
function atLeast<T extends Sized>(array: T, length: number, make: new (n: number) => T): T {
  return array.length >= length ? array : new make(length);
}

function u64(v: DataView, at: number): number {
  return v.getUint32(at, true) + v.getUint32(at + 4, true) * 4294967296;
}

/** Fills `f`; false (and `f` unchanged) when version, type or length do not fit. */
export function decodeFrame(buffer: ArrayBuffer, f: Frame): boolean {
  const v = new DataView(buffer);
  if (v.byteLength < HEADER || v.getUint8(0) !== VERSION || v.getUint8(1) !== FRAME_TYPE) return false;
  const flags = v.getUint16(2, true);
  const bodies = v.getUint32(56, true);
  const contacts = v.getUint32(60, true);
  const robots = v.getUint16(64, true);
  const signals = v.getUint16(66, true);
  const ghostSignals = v.getUint16(72, true);
  const volumes = v.getUint16(74, true);
  const hasGhost = (flags & 16) !== 0;
  const size =
    HEADER +
    BODY * bodies * (hasGhost ? 2 : 1) +
    ROBOT * robots +
    CONTACT * contacts +
    SIGNAL * (signals + ghostSignals) +
    VOLUME * volumes;
  if (size !== v.byteLength) return false;

  readHeader(v, f, flags);
  f.hasGhost = hasGhost;
  f.bodyCount = bodies;
  f.robotCount = robots;
  f.contactCount = contacts;
  f.signalCount = signals;
  f.ghostSignalCount = ghostSignals;
  f.volumeCount = volumes;

  let at = HEADER;
  f.bodies = atLeast(f.bodies, bodies * BODY_VALUES, Float32Array);
  at = readBodies(v, at, bodies, f.bodies);
  if (hasGhost) {
    f.ghosts = atLeast(f.ghosts, bodies * BODY_VALUES, Float32Array);
    at = readBodies(v, at, bodies, f.ghosts);
  }
  at = readRobots(v, at, f);
  at = readContacts(v, at, f);
  f.signalProperties = atLeast(f.signalProperties, signals, Uint16Array);
  f.signalValues = atLeast(f.signalValues, signals, Float32Array);
  at = readSignals(v, at, signals, f.signalProperties, f.signalValues);
  f.ghostSignalProperties = atLeast(f.ghostSignalProperties, ghostSignals, Uint16Array);
  f.ghostSignalValues = atLeast(f.ghostSignalValues, ghostSignals, Float32Array);
  at = readSignals(v, at, ghostSignals, f.ghostSignalProperties, f.ghostSignalValues);
  f.volumes = atLeast(f.volumes, volumes * VOLUME_VALUES, Float32Array);
  readVolumes(v, at, volumes, f.volumes);
  return true;
}

function readHeader(v: DataView, f: Frame, flags: number): void {
  f.paused = (flags & 1) !== 0;
  f.behind = (flags & 2) !== 0;
  f.replay = (flags & 4) !== 0;
  f.past = (flags & 8) !== 0;
  f.sceneRevision = v.getUint32(4, true);
  f.k = u64(v, 8);
  f.time = v.getFloat64(16, true);
  f.tMin = v.getFloat64(24, true);
  f.tMax = v.getFloat64(32, true);
  f.hashLow = v.getUint32(40, true);
  f.hashHigh = v.getUint32(44, true);
  f.speedTarget = v.getFloat32(48, true);
  f.speedActual = v.getFloat32(52, true);
  f.sequence = v.getUint32(68, true);
}

function readBodies(v: DataView, from: number, count: number, to: Float32Array): number {
  let at = from;
  for (let b = 0, o = 0; b < count; b++, at += BODY, o += BODY_VALUES) {
    for (let i = 0; i < 3; i++) to[o + i] = v.getFloat32(at + 4 * i, true);
    for (let i = 0; i < 4; i++) to[o + 3 + i] = v.getInt16(at + 12 + 2 * i, true) / 32767;
  }
  return at;
}

function readRobots(v: DataView, from: number, f: Frame): number {
  const n = f.robotCount;
  f.levels = atLeast(f.levels, n, Uint8Array);
  f.fallen = atLeast(f.fallen, n, Uint8Array);
  f.robots = atLeast(f.robots, n * ROBOT_VALUES, Float32Array);
  let at = from;
  for (let r = 0; r < n; r++, at += ROBOT) {
    f.levels[r] = v.getUint8(at);
    f.fallen[r] = v.getUint8(at + 1) & 1;
    for (let i = 0; i < ROBOT_VALUES; i++) f.robots[r * ROBOT_VALUES + i] = v.getFloat32(at + 4 + 4 * i, true);
  }
  return at;
}

function readContacts(v: DataView, from: number, f: Frame): number {
  const n = f.contactCount;
  f.contacts = atLeast(f.contacts, n * CONTACT_VALUES, Float32Array);
  f.contactBodies = atLeast(f.contactBodies, n * 2, Uint16Array);
  let at = from;
  for (let c = 0; c < n; c++, at += CONTACT) {
    for (let i = 0; i < CONTACT_VALUES; i++) f.contacts[c * CONTACT_VALUES + i] = v.getFloat32(at + 4 * i, true);
    f.contactBodies[2 * c] = v.getUint16(at + 24, true);
    f.contactBodies[2 * c + 1] = v.getUint16(at + 26, true);
  }
  return at;
}

function readSignals(v: DataView, from: number, n: number, properties: Uint16Array, values: Float32Array): number {
  let at = from;
  for (let s = 0; s < n; s++, at += SIGNAL) {
    properties[s] = v.getUint16(at, true);
    values[s] = v.getFloat32(at + 4, true);
  }
  return at;
}

function readVolumes(v: DataView, from: number, n: number, to: Float32Array): void {
  for (let i = 0, at = from, o = 0; i < n; i++, at += VOLUME, o += VOLUME_VALUES) {
    for (let j = 0; j < 6; j++) to[o + j] = v.getFloat32(at + 4 * j, true);
    to[o + 6] = v.getUint16(at + 24, true);
  }
}
