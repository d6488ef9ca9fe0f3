// Taking hold of a body with the mouse: a click selects, a drag pulls with a spring.

import * as THREE from 'three';
import { BODY_VALUES, CONTACT_VALUES, type Frame } from '../feed/codec';
import { USER_PUSH, type Triple } from '../feed/protocol';
import type { Stage } from './stage';

const CLICK_PIXELS = 4;

export interface DragListener {
  select(robot: number, body: number): void;
  push(body: number, point: Triple, target: Triple): void;
  release(): void;
  canPush(): boolean;
}

export class Drag {
  private readonly ray = new THREE.Raycaster();
  private readonly plane = new THREE.Plane();
  private held: {
    body: number;
    point_B: THREE.Vector3;
    target: THREE.Vector3;
    x: number;
    y: number;
    moved: boolean;
  } | null = null;
  private readonly label: HTMLElement;
  private frame: Frame | null = null;
  private mustSend = false;

  constructor(
    private readonly stage: Stage,
    holder: HTMLElement,
    private readonly listener: DragListener,
  ) {
    this.label = document.createElement('div');
    this.label.className = 'newtons';
    this.label.hidden = true;
    holder.append(this.label);
    const canvas = stage.renderer.domElement;
    // Capture phase: decides before the camera's controls see the event.
    canvas.addEventListener('pointerdown', (e) => this.down(e), { capture: true });
    canvas.addEventListener('pointermove', (e) => this.move(e));
    canvas.addEventListener('pointerup', (e) => this.up(e));
    canvas.addEventListener('pointercancel', () => this.letGo());
  }

  private aim(e: PointerEvent): void {
    const box = this.stage.renderer.domElement.getBoundingClientRect();
    const at = new THREE.Vector2(
      ((e.clientX - box.left) / box.width) * 2 - 1,
      1 - ((e.clientY - box.top) / box.height) * 2,
    );
    this.ray.setFromCamera(at, this.stage.camera);
  }

  private down(e: PointerEvent): void {
    if (e.button !== 0 || !this.frame) return;
    this.aim(e);
    const hit = this.stage.bodies.pick(this.ray);
    if (!hit) return;
    const o = hit.body * BODY_VALUES;
    const p = new THREE.Vector3().fromArray(this.frame.bodies, o);
    const q = new THREE.Quaternion().fromArray(this.frame.bodies, o + 3).normalize();
    this.held = {
      body: hit.body,
      point_B: hit.point.clone().sub(p).applyQuaternion(q.invert()),
      target: hit.point.clone(),
      x: e.clientX,
      y: e.clientY,
      moved: false,
    };
    this.plane.setFromNormalAndCoplanarPoint(this.stage.camera.getWorldDirection(new THREE.Vector3()), hit.point);
    this.stage.setControlsEnabled(false);
    this.stage.renderer.domElement.setPointerCapture(e.pointerId);
  }

  private move(e: PointerEvent): void {
    const held = this.held;
    if (!held) return;
    if (!held.moved && Math.hypot(e.clientX - held.x, e.clientY - held.y) < CLICK_PIXELS) return;
    held.moved = true;
    this.aim(e);
    this.ray.ray.intersectPlane(this.plane, held.target);
    this.mustSend = this.listener.canPush();
  }

  private up(_e: PointerEvent): void {
    if (!this.held) return;
    if (!this.held.moved) this.listener.select(this.stage.bodies.robotOf(this.held.body), this.held.body);
    this.letGo();
  }

  letGo(): void {
    if (!this.held) return;
    if (this.held.moved && this.listener.canPush()) this.listener.release();
    this.held = null;
    this.mustSend = false;
    this.stage.setControlsEnabled(true);
    this.stage.needsRender = true;
  }

  /** Once per picture: sends the newest target and writes the newtons beside the point. */
  update(frame: Frame): void {
    this.frame = frame;
    if (this.held && this.mustSend) {
      this.mustSend = false;
      this.listener.push(this.held.body, this.held.point_B.toArray(), this.held.target.toArray());
    }
    this.showForce(frame);
  }

  private showForce(f: Frame): void {
    for (let c = 0; c < f.contactCount; c++) {
      if (f.contactBodies[2 * c + 1] !== USER_PUSH) continue;
      const d = f.contacts;
      const o = c * CONTACT_VALUES;
      const at = this.stage.project(d[o]!, d[o + 1]!, d[o + 2]!);
      const newtons = Math.hypot(d[o + 3]!, d[o + 4]!, d[o + 5]!);
      this.label.hidden = at === null;
      if (at) this.label.style.transform = `translate(${Math.round(at.x) + 14}px, ${Math.round(at.y) - 12}px)`;
      this.label.textContent = `${newtons.toFixed(1)} N`;
      return;
    }
    this.label.hidden = true;
  }
}
