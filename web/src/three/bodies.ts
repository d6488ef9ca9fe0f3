// All moving bodies and the field as instanced meshes: one draw call per kind of shape, whatever the number of robots.

import * as THREE from 'three';
import { BODY_VALUES } from '../feed/codec';
import type { Scene, Shape } from '../feed/protocol';
import type { CheapLight } from './cheap_light';

const GHOST_MIN = 0.006; // difference from which a ghost is shown  [m] or of quaternions
const NOWHERE = new THREE.Matrix4().makeScale(0, 0, 0);
const STATIC = -1; // body number of field objects
const LINE_WIDTH_MAX = 0.03; // what is flat and narrower is a painted line  [m]
const LINE_HEIGHT_MAX = 0.002; // [m]
const LINE_PIXELS = 1.6; // lines are drawn at least this wide: thinner ones break up

interface Part {
  body: number; // index into the frame's bodies, or STATIC
  local: THREE.Matrix4; // unit shape → body: pose and size
  colour: THREE.Color;
}

interface Batch {
  geometry: THREE.BufferGeometry;
  isBox: boolean;
  parts: Part[];
  mesh?: THREE.InstancedMesh;
}

export interface Quality {
  software: boolean;
  light: CheapLight; // for software
}

function capsule(radius: number, length: number, coarse: boolean): THREE.BufferGeometry {
  const g = new THREE.CapsuleGeometry(radius, length, coarse ? 2 : 6, coarse ? 7 : 18);
  return g.rotateX(Math.PI / 2); // three's axis is y, ours z
}

/** Unit geometry and its scale; shapes that share a geometry share a draw call. */
function unitShape(
  shape: Shape,
  scene: Scene,
  coarse: boolean,
): { key: string; make: () => THREE.BufferGeometry; scale: THREE.Vector3 } {
  const r = shape.radius ?? 0;
  const l = shape.length ?? 0;
  const one = new THREE.Vector3(1, 1, 1);
  switch (shape.kind) {
    case 'box':
      return {
        key: 'box',
        make: () => new THREE.BoxGeometry(1, 1, 1),
        scale: new THREE.Vector3(...(shape.size ?? [0, 0, 0])),
      };
    case 'sphere':
      return {
        key: 'sphere',
        make: () => (coarse ? new THREE.SphereGeometry(1, 10, 7) : new THREE.SphereGeometry(1, 28, 18)),
        scale: new THREE.Vector3(r, r, r),
      };
    case 'cylinder':
      return {
        key: 'cylinder',
        make: () => new THREE.CylinderGeometry(1, 1, 1, coarse ? 14 : 24).rotateX(Math.PI / 2),
        scale: new THREE.Vector3(r, r, l),
      };
    case 'capsule': // its ends would not stay round under scaling
      return { key: `capsule ${r} ${l}`, make: () => capsule(r, l, coarse), scale: one };
    case 'mesh':
      return { key: `mesh ${shape.mesh}`, make: () => triangles(scene, shape.mesh ?? -1), scale: one };
    case 'plane':
      return {
        key: 'plane',
        make: () => new THREE.PlaneGeometry(1, 1),
        scale: new THREE.Vector3(...(shape.size ?? [0, 0, 1])),
      };
  }
}

function triangles(scene: Scene, index: number): THREE.BufferGeometry {
  const mesh = scene.meshes[index];
  const g = new THREE.BufferGeometry();
  if (!mesh) return g;
  g.setAttribute('position', new THREE.Float32BufferAttribute(mesh.vertices, 3));
  g.setIndex(mesh.triangles);
  const flat = g.toNonIndexed(); // facets, as the description has no normals
  flat.computeVertexNormals();
  return flat;
}

/** A plane without size is the ground; the stage draws that. */
export function isGround(shape: Shape): boolean {
  return shape.kind === 'plane' && !(shape.size && shape.size[0] > 0 && shape.size[1] > 0);
}

export class Bodies {
  readonly group = new THREE.Group();
  private readonly ghostGroup = new THREE.Group();
  private batches: Batch[] = [];
  private ghosts: THREE.InstancedMesh[] = [];
  private readonly pose = new THREE.Matrix4();
  private readonly matrix = new THREE.Matrix4();
  private readonly p = new THREE.Vector3();
  private readonly q = new THREE.Quaternion();
  private readonly one = new THREE.Vector3(1, 1, 1);
  private readonly size = new THREE.Vector3();
  private firstBody: number[] = []; // of each robot
  private robotOfBody: number[] = [];
  private tints: (string | null)[] = []; // per robot
  private linePixel = 0; // size of a pixel for which painted lines were last widened  [m]
  private highlighted = -1;

  constructor(private readonly quality: Quality) {
    this.group.add(this.ghostGroup);
  }

  setScene(scene: Scene): void {
    this.clear();
    const byKey = new Map<string, Batch>();
    let body = 0;
    scene.robots.forEach((robot, r) => {
      this.firstBody.push(body);
      for (const b of robot.bodies) {
        for (const shape of b.shapes) this.addPart(scene, shape, body, byKey);
        this.robotOfBody.push(r);
        body++;
      }
    });
    const holes = this.addRings(scene, byKey);
    for (const f of scene.field)
      if (!isGround(f.shape) && !holes.has(f.shape)) this.addPart(scene, f.shape, STATIC, byKey);
    this.batches = [...byKey.values()];
    for (const batch of this.batches) this.group.add((batch.mesh = this.makeMesh(batch, false)));
    this.tints = scene.robots.map(() => null);
    this.placeStatic();
    this.paint();
  }

  /** A painted disc with one of the ground's colour on it is a circle: drawn as a ring, since two discs a millimetre apart flicker and
   *  the ground itself is drawn in a calmer colour. Returns the discs that it stands for. */
  private addRings(scene: Scene, byKey: Map<string, Batch>): Set<Shape> {
    const taken = new Set<Shape>();
    const ground = scene.field.find((f) => isGround(f.shape))?.shape;
    if (!ground) return taken;
    const discs = scene.field
      .map((f) => f.shape)
      .filter((s) => s.kind === 'cylinder' && (s.length ?? 1) <= LINE_HEIGHT_MAX && s.pose.p[2] <= LINE_HEIGHT_MAX);
    const isGrounds = (s: Shape): boolean => s.colour.every((c, i) => Math.abs(c - ground.colour[i]!) < 1e-6);
    for (const inner of discs.filter(isGrounds)) {
      const outer = discs.find(
        (s) =>
          !isGrounds(s) &&
          (s.radius ?? 0) > (inner.radius ?? 0) &&
          Math.hypot(s.pose.p[0]! - inner.pose.p[0]!, s.pose.p[1]! - inner.pose.p[1]!) < 1e-6,
      );
      if (!outer) continue;
      const key = `ring ${inner.radius} ${outer.radius}`;
      if (!byKey.has(key))
        byKey.set(key, { geometry: new THREE.RingGeometry(inner.radius, outer.radius, 72), isBox: false, parts: [] });
      byKey.get(key)!.parts.push({
        body: STATIC,
        local: new THREE.Matrix4().makeTranslation(outer.pose.p[0]!, outer.pose.p[1]!, LINE_HEIGHT_MAX),
        colour: new THREE.Color().setRGB(...outer.colour, THREE.SRGBColorSpace),
      });
      taken.add(inner).add(outer);
    }
    return taken;
  }

  private addPart(scene: Scene, shape: Shape, body: number, byKey: Map<string, Batch>): void {
    const unit = unitShape(shape, scene, this.quality.software);
    let batch = byKey.get(unit.key);
    if (!batch) byKey.set(unit.key, (batch = { geometry: unit.make(), isBox: shape.kind === 'box', parts: [] }));
    const local = new THREE.Matrix4().compose(
      new THREE.Vector3(...shape.pose.p),
      new THREE.Quaternion(...shape.pose.q),
      unit.scale,
    );
    batch.parts.push({ body, local, colour: new THREE.Color().setRGB(...shape.colour, THREE.SRGBColorSpace) });
  }

  private makeMesh(batch: Batch, isGhost: boolean): THREE.InstancedMesh {
    const look = isGhost ? { transparent: true, opacity: 0.42, depthWrite: false } : {};
    const material = this.quality.software
      ? this.quality.light.material(look)
      : new THREE.MeshStandardMaterial({ roughness: 0.62, metalness: 0.05, ...look });
    const mesh = new THREE.InstancedMesh(batch.geometry, material, batch.parts.length);
    mesh.instanceMatrix.setUsage(THREE.DynamicDrawUsage);
    mesh.frustumCulled = false; // the instances are everywhere
    mesh.boundingSphere = new THREE.Sphere(new THREE.Vector3(), 1e6); // likewise for picking
    mesh.castShadow = !isGhost;
    mesh.receiveShadow = !isGhost;
    return mesh;
  }

  update(bodies: Float32Array, ghosts: Float32Array | null): void {
    for (const batch of this.batches) this.place(batch, batch.mesh!, bodies);
    this.ghostGroup.visible = ghosts !== null;
    if (!ghosts) return;
    if (this.ghosts.length === 0) this.makeGhosts();
    this.batches.forEach((batch, i) => {
      this.place(batch, this.ghosts[i]!, ghosts);
      this.hideEqual(batch, this.ghosts[i]!, bodies, ghosts);
    });
  }

  /** A ghost where the body itself is would only flicker. */
  private hideEqual(batch: Batch, mesh: THREE.InstancedMesh, bodies: Float32Array, ghosts: Float32Array): void {
    batch.parts.forEach((part, i) => {
      if (part.body === STATIC) return;
      let difference = 0;
      for (let o = part.body * BODY_VALUES, j = 0; j < BODY_VALUES; j++)
        difference = Math.max(difference, Math.abs(bodies[o + j]! - ghosts[o + j]!));
      if (difference < GHOST_MIN) mesh.setMatrixAt(i, NOWHERE);
    });
  }

  /** Parts of ghosts in the picture. */
  ghostCount(): number {
    if (!this.ghostGroup.visible) return 0;
    let count = 0;
    for (const mesh of this.ghosts)
      for (let i = 0; i < mesh.count; i++) {
        mesh.getMatrixAt(i, this.matrix);
        if (this.matrix.determinant() !== 0) count++;
      }
    return count;
  }

  private makeGhosts(): void {
    const blue = new THREE.Color(0x8fb4ff);
    for (const batch of this.batches) {
      const mesh = this.makeMesh(batch, true);
      batch.parts.forEach((part, i) => {
        mesh.setColorAt(i, blue);
        if (part.body === STATIC) mesh.setMatrixAt(i, NOWHERE);
      });
      this.ghosts.push(mesh);
      this.ghostGroup.add(mesh);
    }
  }

  private place(batch: Batch, mesh: THREE.InstancedMesh, bodies: Float32Array): void {
    let last = STATIC;
    batch.parts.forEach((part, i) => {
      if (part.body === STATIC) return;
      if (part.body !== last) this.poseOf(bodies, (last = part.body), this.pose);
      mesh.setMatrixAt(i, this.matrix.multiplyMatrices(this.pose, part.local));
    });
    mesh.instanceMatrix.needsUpdate = true;
  }

  private placeStatic(): void {
    for (const batch of this.batches)
      batch.parts.forEach((part, i) => {
        if (part.body === STATIC) batch.mesh!.setMatrixAt(i, part.local);
      });
  }

  /** Painted lines keep their width on the ground, but never get thinner than the eye can follow. pixel: its size there [m] */
  widenLines(pixel: number): void {
    if (Math.abs(pixel - this.linePixel) < 0.1 * this.linePixel) return;
    this.linePixel = pixel;
    const wanted = LINE_PIXELS * pixel;
    const x = new THREE.Vector3();
    const y = new THREE.Vector3();
    const z = new THREE.Vector3();
    for (const batch of this.batches)
      batch.parts.forEach((part, i) => {
        if (part.body !== STATIC || !batch.isBox) return;
        part.local.extractBasis(x, y, z);
        const [a, b] = [x.length(), y.length()];
        if (z.length() > LINE_HEIGHT_MAX || Math.min(a, b) > LINE_WIDTH_MAX) return;
        this.size.set(Math.max(1, wanted / a), Math.max(1, wanted / b), 1);
        batch.mesh!.setMatrixAt(i, this.matrix.copy(part.local).scale(this.size));
        batch.mesh!.instanceMatrix.needsUpdate = true;
      });
  }

  /** Around everything that moves, as it is now. */
  movingBox(bodies: Float32Array, to: THREE.Box3): THREE.Box3 {
    to.makeEmpty();
    this.eachBox((part, box) => {
      if (part.body === STATIC) return;
      this.poseOf(bodies, part.body, this.pose);
      to.union(box.applyMatrix4(this.matrix.multiplyMatrices(this.pose, part.local)));
    });
    return to;
  }

  /** Around the field's objects; empty if there are none but the ground. */
  fieldBox(to: THREE.Box3): THREE.Box3 {
    to.makeEmpty();
    this.eachBox((part, box) => {
      if (part.body === STATIC) to.union(box.applyMatrix4(part.local));
    });
    return to;
  }

  private eachBox(see: (part: Part, box: THREE.Box3) => void): void {
    const box = new THREE.Box3();
    for (const batch of this.batches) {
      if (!batch.geometry.boundingBox) batch.geometry.computeBoundingBox();
      for (const part of batch.parts) see(part, box.copy(batch.geometry.boundingBox!));
    }
  }

  private poseOf(bodies: Float32Array, body: number, to: THREE.Matrix4): void {
    const o = body * BODY_VALUES;
    this.p.fromArray(bodies, o);
    this.q.fromArray(bodies, o + 3).normalize();
    to.compose(this.p, this.q, this.one);
  }

  firstBodyOf(robot: number): number {
    return this.firstBody[robot] ?? 0;
  }

  robotOf(body: number): number {
    return this.robotOfBody[body] ?? -1;
  }

  /** Colours per robot instead of the description's, or null for those. */
  setTints(tints: (string | null)[]): void {
    if (tints.length === this.tints.length && tints.every((t, i) => t === this.tints[i])) return;
    this.tints = tints;
    this.paint();
  }

  highlight(robot: number): void {
    if (robot === this.highlighted) return;
    this.highlighted = robot;
    this.paint();
  }

  private paint(): void {
    const colour = new THREE.Color();
    const glow = new THREE.Color(0xffffff);
    for (const batch of this.batches) {
      batch.parts.forEach((part, i) => {
        const robot = part.body === STATIC ? -1 : this.robotOf(part.body);
        const tint = robot >= 0 ? this.tints[robot] : null;
        colour.copy(part.colour);
        if (tint) colour.lerp(new THREE.Color(tint), 0.75);
        if (robot >= 0 && robot === this.highlighted) colour.lerp(glow, 0.06);
        batch.mesh!.setColorAt(i, colour);
      });
      if (batch.mesh!.instanceColor) batch.mesh!.instanceColor.needsUpdate = true;
    }
  }

  /** The body under a ray and the point on it, both null for the field and nothing. */
  pick(ray: THREE.Raycaster): { body: number; point: THREE.Vector3 } | null {
    const meshes = this.batches.map((b) => b.mesh!);
    const hit = ray.intersectObjects(meshes, false)[0];
    if (!hit || hit.instanceId === undefined) return null;
    const batch = this.batches[meshes.indexOf(hit.object as THREE.InstancedMesh)];
    const body = batch?.parts[hit.instanceId]?.body ?? STATIC;
    return body === STATIC ? null : { body, point: hit.point };
  }

  private clear(): void {
    for (const mesh of [...this.batches.map((b) => b.mesh!), ...this.ghosts]) {
      mesh.removeFromParent();
      (mesh.material as THREE.Material).dispose();
      mesh.dispose();
    }
    for (const batch of this.batches) batch.geometry.dispose();
    this.batches = [];
    this.ghosts = [];
    this.firstBody = [];
    this.robotOfBody = [];
    this.highlighted = -1;
    this.linePixel = 0;
  }
}
