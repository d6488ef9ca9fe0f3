// A soft dark spot under every body near the ground: what stands where is seen even where shadow maps cost too much.

import * as THREE from 'three';
import { BODY_VALUES, type Frame } from '../feed/codec';
import type { Scene, Shape } from '../feed/protocol';

const REACH = 0.3; // bodies higher than this leave no spot  [m]
const CAPACITY = 1024;

function spot(): THREE.Texture {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = 64;
  const paint = canvas.getContext('2d')!;
  const gradient = paint.createRadialGradient(32, 32, 0, 32, 32, 32);
  gradient.addColorStop(0, 'rgb(255 255 255 / 1)');
  gradient.addColorStop(0.5, 'rgb(255 255 255 / 0.45)');
  gradient.addColorStop(1, 'rgb(255 255 255 / 0)');
  paint.fillStyle = gradient;
  paint.fillRect(0, 0, 64, 64);
  return new THREE.CanvasTexture(canvas);
}

/** Half the greatest extent.  [m] */
export function radiusOf(shape: Shape): number {
  const s = shape.size ?? [0, 0, 0];
  return Math.max((shape.radius ?? 0) + (shape.length ?? 0) / 2, Math.hypot(s[0], s[1]) / 2);
}

export class SoftShadows {
  readonly mesh: THREE.InstancedMesh;
  private radii: number[] = []; // per body
  private readonly m = new THREE.Matrix4();

  constructor() {
    const material = new THREE.MeshBasicMaterial({
      map: spot(),
      color: 0x000000,
      transparent: true,
      opacity: 0.15,
      depthWrite: false,
    });
    this.mesh = new THREE.InstancedMesh(new THREE.PlaneGeometry(2, 2), material, CAPACITY);
    this.mesh.frustumCulled = false;
    this.mesh.count = 0;
    this.mesh.renderOrder = 1;
  }

  setScene(scene: Scene): void {
    this.radii = scene.robots.flatMap((r) => r.bodies.map((b) => Math.max(0, ...b.shapes.map(radiusOf))));
  }

  update(f: Frame): void {
    let n = 0;
    for (let b = 0; b < f.bodyCount && n < CAPACITY; b++) {
      const o = b * BODY_VALUES;
      const height = f.bodies[o + 2]!;
      const radius = this.radii[b] ?? 0;
      if (radius === 0 || height > REACH || height < -0.1) continue;
      const size = 1.5 * radius + 0.35 * Math.max(0, height); // wider the higher it is
      this.m.makeScale(size, size, 1).setPosition(f.bodies[o]!, f.bodies[o + 1]!, 0.002);
      this.mesh.setMatrixAt(n++, this.m);
    }
    this.mesh.count = n;
    this.mesh.instanceMatrix.needsUpdate = true;
  }
}
