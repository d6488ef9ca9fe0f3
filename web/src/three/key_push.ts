// Pushing the selected robot with keys: a steady force at its base, level, as the camera sees ahead and sideways.

import * as THREE from 'three';
import { BODY_VALUES, type Frame } from '../feed/codec';
import type { Triple } from '../feed/protocol';
import { PUSH_STIFFNESS } from './overlays';
import type { Stage } from './stage';

const FORCE = 30; // [N]
const DIRECTIONS: Record<string, [number, number]> = { W: [1, 0], S: [-1, 0], D: [0, 1], A: [0, -1] }; // ahead, right

export interface KeyPushListener {
  push(body: number, point: Triple, target: Triple): void;
  release(): void;
  canPush(): boolean;
}

export class KeyPush {
  private held: [number, number] | null = null;
  private readonly ahead = new THREE.Vector3();
  private readonly target = new THREE.Vector3();

  constructor(
    private readonly stage: Stage,
    private readonly listener: KeyPushListener,
  ) {
    window.addEventListener('keyup', (e) => {
      if (e.key === 'Shift' || e.key.toUpperCase() in DIRECTIONS) this.letGo();
    });
    window.addEventListener('blur', () => this.letGo());
  }

  /** Does the key mean a push? Then it has begun. */
  press(key: string): boolean {
    const direction = DIRECTIONS[key];
    if (!direction || !this.listener.canPush()) return false;
    this.held = direction;
    return true;
  }

  private letGo(): void {
    if (!this.held) return;
    this.held = null;
    this.listener.release();
  }

  /** Once per frame: the spring's end stays ahead of the base, so that the force stays the same. */
  update(f: Frame, robot: number): void {
    if (!this.held) return;
    const body = this.stage.bodies.firstBodyOf(robot);
    const [ahead, right] = this.held;
    this.stage.ahead(this.ahead);
    const reach = FORCE / PUSH_STIFFNESS;
    this.target.fromArray(f.bodies, body * BODY_VALUES);
    this.target.x += reach * (ahead * this.ahead.x + right * this.ahead.y);
    this.target.y += reach * (ahead * this.ahead.y - right * this.ahead.x);
    this.listener.push(body, [0, 0, 0], this.target.toArray());
  }
}
