// Poses between frames. Frames come 60 times a second at best and not evenly; pictures are drawn when the screen wants
// them. From what is shown now the bodies glide to the newest frame in the time that frames take to come, so motion is
// even and at most one frame late. Paused, stepped or moved in time, the frame itself is shown at once.

import { BODY_VALUES, type Frame } from '../feed/codec';

const GLIDE_MAX = 100; // [ms]; longer gaps are stalls, not a frame rate
const JUMP = 0.3; // simulated: further than that is not motion but another moment  [s]

/** to = a + (b − a) t for positions, shortest way for quaternions (normalised where they are used). */
export function mixPoses(a: Float32Array, b: Float32Array, t: number, count: number, to: Float32Array): void {
  for (let o = 0; o < count * BODY_VALUES; o += BODY_VALUES) {
    for (let i = 0; i < 3; i++) to[o + i] = a[o + i]! + (b[o + i]! - a[o + i]!) * t;
    let dot = 0;
    for (let i = 3; i < BODY_VALUES; i++) dot += a[o + i]! * b[o + i]!;
    const sign = dot < 0 ? -1 : 1;
    for (let i = 3; i < BODY_VALUES; i++) to[o + i] = a[o + i]! + (sign * b[o + i]! - a[o + i]!) * t;
  }
}

export class Smoother {
  private from = new Float32Array(0);
  private to = new Float32Array(0);
  private shown = new Float32Array(0);
  private bodyCount = -1;
  private time = 0; // simulated, of the newest frame
  private arrived = 0; // wall  [ms]
  private interval = 1000 / 60; // between frames, smoothed  [ms]
  private isGliding = false;
  private lastPicture = 0; // wall  [ms]

  /** A new frame: remembers its poses as the goal. */
  take(f: Frame, now: number): void {
    const n = f.bodyCount * BODY_VALUES;
    const isMotion = f.bodyCount === this.bodyCount && !f.paused && f.time > this.time && f.time < this.time + JUMP;
    if (this.to.length < n) {
      this.from = new Float32Array(n);
      this.to = new Float32Array(n);
      this.shown = new Float32Array(n);
    }
    this.from.set(this.shown);
    this.to.set(f.bodies.subarray(0, n));
    if (!isMotion) this.shown.set(this.to);
    this.isGliding = isMotion;
    const gap = Math.min(GLIDE_MAX, now - this.arrived);
    this.interval += 0.2 * (gap - this.interval);
    this.arrived = now;
    this.bodyCount = f.bodyCount;
    this.time = f.time;
  }

  /** Writes the poses to show now into the frame; are they others than before? */
  apply(f: Frame, now: number): boolean {
    const sincePicture = now - this.lastPicture;
    this.lastPicture = now;
    if (!this.isGliding || f.bodyCount !== this.bodyCount) return false;
    const isFast = sincePicture < 0.75 * this.interval; // else every picture has a frame of its own
    const t = isFast ? Math.min(1, (now - this.arrived) / this.interval) : 1;
    mixPoses(this.from, this.to, t, this.bodyCount, this.shown);
    f.bodies.set(this.shown.subarray(0, this.bodyCount * BODY_VALUES));
    this.isGliding = t < 1;
    return true;
  }
}
