// Picture in picture: what a robot's camera sees. The simulator sends pictures only of the camera that is chosen here.

import type { Picture } from '../feed/codec';
import type { Scene } from '../feed/protocol';
import { h, setText } from './dom';

export interface EyeListener {
  /** Another camera, or none, must be subscribed to. */
  cameraChanged(): void;
}

export class Eye {
  private readonly choice = h('select', { 'aria-label': 'Camera of a robot' });
  private readonly canvas = h('canvas');
  private readonly caption = h('span.caption');
  readonly element = h('div.eye', { hidden: true, role: 'group', 'aria-label': "A robot's camera" });
  /** Number of the sensor that is looked through; −1: none. */
  camera = -1;
  pictures = 0; // shown so far
  private names: string[] = [];
  private numbers: number[] = [];
  private isBusy = false;

  constructor(private readonly listener: EyeListener) {
    this.choice.addEventListener('change', () => this.choose(this.choice.value));
    this.element.append(this.choice, this.canvas, this.caption);
  }

  /** Keeps the camera by its name. A recording holds no pictures. */
  setScene(scene: Scene, hasPictures: boolean): void {
    const before = this.names[this.numbers.indexOf(this.camera)] ?? '';
    this.names = [];
    this.numbers = [];
    (hasPictures ? (scene.sensors ?? []) : []).forEach((s, i) => {
      if (s.kind !== 'camera') return;
      this.names.push(`${scene.robots[s.robot]?.name}.${s.name}`);
      this.numbers.push(i);
    });
    this.choice.replaceChildren(
      h('option', { value: '' }, 'camera …'),
      ...this.names.map((n) => h('option', { value: n }, n)),
    );
    this.element.hidden = this.names.length === 0;
    this.choose(this.names.includes(before) ? before : '');
  }

  /** The next camera, or none after the last. */
  next(): void {
    const i = this.numbers.indexOf(this.camera) + 1;
    this.choose(this.names[i] ?? '');
  }

  private choose(name: string): void {
    this.choice.value = name;
    this.camera = this.numbers[this.names.indexOf(name)] ?? -1;
    this.canvas.hidden = true;
    setText(this.caption, '');
    this.listener.cameraChanged();
  }

  async show(p: Picture): Promise<void> {
    if (p.sensor !== this.camera || this.isBusy) return;
    this.isBusy = true;
    try {
      const bitmap = await createImageBitmap(new Blob([p.jpeg], { type: 'image/jpeg' }));
      if (p.sensor !== this.camera) return;
      this.canvas.width = bitmap.width;
      this.canvas.height = bitmap.height;
      this.canvas.getContext('2d')!.drawImage(bitmap, 0, 0);
      bitmap.close();
      this.canvas.hidden = false;
      setText(this.caption, `frame ${p.frame} · ${p.time.toFixed(3)} s · ${p.milliseconds.toFixed(1)} ms`);
      this.pictures++;
    } finally {
      this.isBusy = false;
    }
  }
}
