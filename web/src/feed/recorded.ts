// The feed of a recording that came with the page: frames as the simulator would have sent them, played here.

import { mixPoses } from '../three/smooth';
import { decodeFrame, Frame, HEADER } from './codec';
import type { Feed, FeedListener, Series } from './feed';
import type { Command, Scene, SimulationEvent } from './protocol';

const TIME_OFFSET = 16; // of the simulated time in a frame's header

export class RecordedFeed implements Feed {
  readonly isRecording = true;
  private readonly frame = new Frame();
  private readonly next = new Frame(); // the one after it, for poses in between
  private readonly times: number[];
  private listener!: FeedListener;
  private time: number; // simulated, of the moment shown
  private shownTime = -1; // simulated, of the picture
  private speed = 1;
  private isPaused = false;
  private lastWall = 0;
  private mustShow = true;

  constructor(
    private readonly scene: Scene & { events?: SimulationEvent[] },
    private readonly frames: ArrayBuffer[],
  ) {
    this.times = frames.map((f) => new DataView(f).getFloat64(TIME_OFFSET, true));
    this.time = this.times[0] ?? 0;
  }

  /** Scene as JSON; frames in base64, each after its length in 32 bits. */
  static fromText(scene: string, frames: string): RecordedFeed {
    const text = atob(frames.trim());
    const bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
    const view = new DataView(bytes.buffer);
    const list: ArrayBuffer[] = [];
    for (let at = 0; at + 4 <= bytes.length;) {
      const size = view.getUint32(at, true);
      if (size < HEADER || at + 4 + size > bytes.length) throw new Error('the recording is damaged');
      list.push(bytes.buffer.slice(at + 4, at + 4 + size));
      at += 4 + size;
    }
    if (list.length === 0) throw new Error('the recording is empty');
    return new RecordedFeed(JSON.parse(scene) as Scene, list);
  }

  start(listener: FeedListener): void {
    this.listener = listener;
    setTimeout(() => {
      // after the page is complete
      listener.connection('open');
      listener.scene(this.scene);
      listener.lease({ type: 'lease', mine: true, taken: true, viewers: 1 }, true);
      for (const e of this.scene.events ?? []) listener.event(e);
      this.lastWall = performance.now();
      requestAnimationFrame((now) => this.play(now));
    });
  }

  send(c: Command): void {
    switch (c.do) {
      case 'pause':
        this.isPaused = true;
        break;
      case 'resume':
        this.resume();
        break;
      case 'speed':
        this.speed = c.factor === 'max' ? 16 : c.factor;
        break;
      case 'seek':
        this.isPaused = true;
        this.time = c.time;
        break;
      case 'reset':
        this.time = this.times[0]!;
        break;
      case 'step':
        this.isPaused = true;
        this.time = this.times[Math.min(this.frames.length - 1, this.indexAt(this.time) + c.count)]!;
        break;
      case 'subscribe':
      case 'release_push':
      case 'take_control':
      case 'give_control':
        break;
      default:
        this.listener.problem('This is a recording: nothing in it can be changed.');
    }
    this.mustShow = true;
  }

  private resume(): void {
    this.isPaused = false;
    if (this.time >= this.times[this.times.length - 1]!) this.time = this.times[0]!;
  }

  series(property: number): Series {
    const f = new Frame();
    const values = this.frames.map((bytes) => {
      if (!decodeFrame(bytes, f)) return null;
      const at = f.signalProperties.subarray(0, f.signalCount).indexOf(property);
      return at >= 0 && Number.isFinite(f.signalValues[at]!) ? f.signalValues[at]! : null;
    });
    return { times: this.times, values };
  }

  /** Number of the last frame that is not later than t. */
  private indexAt(t: number): number {
    let low = 0;
    let high = this.times.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.times[middle]! <= t + 1e-9) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  private play(now: number): void {
    requestAnimationFrame((t) => this.play(t));
    const last = this.times[this.times.length - 1]!;
    if (!this.isPaused)
      this.time = Math.min(last, this.time + (this.speed * Math.min(100, now - this.lastWall)) / 1000);
    this.lastWall = now;
    if (!this.isPaused && this.time >= last) this.isPaused = this.mustShow = true;
    if (this.time === this.shownTime && !this.mustShow) return;
    this.shownTime = this.time;
    this.mustShow = false;
    this.show(this.indexAt(this.time));
  }

  private show(index: number): void {
    const f = this.frame;
    if (!decodeFrame(this.frames[index]!, f))
      return this.listener.problem(`Frame ${index} of the recording cannot be read.`);
    this.moveOn(index);
    f.tMin = this.times[0]!;
    f.tMax = this.times[this.times.length - 1]!;
    f.paused = this.isPaused;
    f.behind = f.past = false;
    f.replay = true;
    f.speedTarget = f.speedActual = this.speed;
    this.listener.frame(f);
  }

  /** Poses at the moment itself, between this frame and the next; everything else stays as recorded. */
  private moveOn(index: number): void {
    const begin = this.times[index]!;
    const end = this.times[index + 1];
    if (this.isPaused || end === undefined || this.time <= begin || !decodeFrame(this.frames[index + 1]!, this.next))
      return;
    const f = this.frame;
    if (this.next.bodyCount !== f.bodyCount) return;
    mixPoses(f.bodies, this.next.bodies, (this.time - begin) / (end - begin), f.bodyCount, f.bodies);
  }
}
