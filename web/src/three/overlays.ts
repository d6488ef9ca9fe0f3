// Drawn over the scene and switched one by one: contacts and their forces, centre of mass, balance, trails.

import * as THREE from 'three';
import { CONTACT_VALUES, ROBOT_VALUES, VOLUME_VALUES, type Frame } from '../feed/codec';
import { capturePoint, stabilityMargin, supportPolygons } from './balance';
import { USER_PUSH, type Plans } from '../feed/protocol';
import type { Bodies } from './bodies';
import { SensorMarks } from './sensors';

export const OVERLAYS = {
  labels: { title: 'Labels', key: 'l', on: true },
  contacts: { title: 'Contact points', key: 'c', on: true },
  forces: { title: 'Contact forces', key: 'f', on: true },
  com: { title: 'Centre of mass', key: 'm', on: false },
  support: { title: 'Support polygon and margin', key: 'p', on: false },
  balance: { title: 'Pressure and capture point', key: 'k', on: false },
  velocity: { title: 'Velocity', key: 'v', on: false },
  trails: { title: 'Trails', key: 't', on: false },
  plans: { title: 'Planned ways', key: 'y', on: true },
  volumes: { title: 'Bounding volumes', key: 'n', on: false },
  pads: { title: 'Foot pads', key: 'q', on: true },
  sonar: { title: 'Sonar cones', key: 'w', on: false },
  seen: { title: 'Perceived objects', key: 'j', on: false },
  ghost: { title: 'Ghost of the course left', key: 'g', on: true },
  levels: { title: 'Colour by level', key: 'o', on: false },
  shadows: { title: 'Shadows', key: 'h', on: true },
} as const;

export type OverlayName = keyof typeof OVERLAYS;
export type OverlayState = Record<OverlayName, boolean>;

const CONTACT_MAX = 2048; // drawn; more are left out
const ARROW_LENGTH = 0.3; // of the strongest force in sight  [m]
export const PUSH_STIFFNESS = 150; // of the mouse's spring: its arrow ends where the mouse is  [N/m]
const TRAIL_POINTS = 600;
const LIFT = 0.004; // above the ground, against flicker  [m]
const VOLUME_MAX = 8192;

const COM = 0xf2c14e;
const FORCE = 0xff6b4a;
const CONTACT = 0xffd23f;
const PUSH = 0x35d0ff;
const PRESSURE = 0xff4fa3;
const CAPTURE = 0x59e3a7;
const VELOCITY = 0x8be04e;
const VOLUME = 0xff5fc4;
const PLAN = 0x35d0ff;
const PLAN_MAX = 4096; // footholds drawn

/** Arrows as two instanced meshes: shafts and heads. */
class Arrows implements VectorSet {
  readonly object = new THREE.Group();
  private readonly shafts: THREE.InstancedMesh;
  private readonly heads: THREE.InstancedMesh;
  private count = 0;
  private readonly m = new THREE.Matrix4();
  private readonly q = new THREE.Quaternion();
  private readonly dir = new THREE.Vector3();
  private readonly at = new THREE.Vector3();
  private readonly size = new THREE.Vector3();
  private static readonly UP = new THREE.Vector3(0, 0, 1);

  constructor(
    colour: number,
    capacity: number,
    private readonly radius: number,
  ) {
    const material = new THREE.MeshBasicMaterial({ color: colour, toneMapped: false });
    const shaft = new THREE.CylinderGeometry(1, 1, 1, 8).rotateX(Math.PI / 2).translate(0, 0, 0.5);
    const head = new THREE.ConeGeometry(1, 1, 12).rotateX(Math.PI / 2).translate(0, 0, 0.5);
    this.shafts = new THREE.InstancedMesh(shaft, material, capacity);
    this.heads = new THREE.InstancedMesh(head, material, capacity);
    for (const mesh of [this.shafts, this.heads]) {
      mesh.frustumCulled = false;
      mesh.count = 0;
      this.object.add(mesh);
    }
  }

  begin(): void {
    this.count = 0;
  }

  add(x: number, y: number, z: number, dx: number, dy: number, dz: number): void {
    const length = Math.hypot(dx, dy, dz);
    if (length < 1e-4 || this.count >= this.shafts.instanceMatrix.count) return;
    const r = this.radius;
    const head = Math.min(4.5 * r, 0.5 * length);
    this.dir.set(dx, dy, dz).divideScalar(length);
    this.q.setFromUnitVectors(Arrows.UP, this.dir);
    this.at.set(x, y, z);
    this.shafts.setMatrixAt(this.count, this.m.compose(this.at, this.q, this.size.set(r, r, length - head)));
    this.at.addScaledVector(this.dir, length - head);
    this.heads.setMatrixAt(this.count, this.m.compose(this.at, this.q, this.size.set(2.4 * r, 2.4 * r, head)));
    this.count++;
  }

  end(): void {
    for (const mesh of [this.shafts, this.heads]) {
      mesh.count = this.count;
      mesh.instanceMatrix.needsUpdate = true;
    }
  }
}

/** Equal small meshes at many places. */
class Markers implements PointSet {
  readonly object: THREE.InstancedMesh;
  private readonly m = new THREE.Matrix4();

  constructor(geometry: THREE.BufferGeometry, colour: number, capacity: number, onTop = false) {
    const material = new THREE.MeshBasicMaterial({
      color: colour,
      toneMapped: false,
      depthTest: !onTop,
      transparent: onTop,
    });
    this.object = new THREE.InstancedMesh(geometry, material, capacity);
    this.object.frustumCulled = false;
    this.object.renderOrder = onTop ? 5 : 0;
    this.object.count = 0;
  }

  begin(): void {
    this.object.count = 0;
  }

  add(x: number, y: number, z: number): void {
    if (this.object.count >= this.object.instanceMatrix.count || !Number.isFinite(x + y + z)) return;
    this.object.setMatrixAt(this.object.count++, this.m.makeTranslation(x, y, z));
  }

  end(): void {
    this.object.instanceMatrix.needsUpdate = true;
  }
}

/** Line segments written anew every frame. */
class Segments {
  readonly lines: THREE.LineSegments;
  private readonly positions: THREE.BufferAttribute;
  private count = 0;

  constructor(
    colour: number,
    private readonly capacity: number,
    opacity = 1,
  ) {
    this.positions = new THREE.BufferAttribute(new Float32Array(capacity * 6), 3).setUsage(THREE.DynamicDrawUsage);
    const geometry = new THREE.BufferGeometry().setAttribute('position', this.positions);
    const material = new THREE.LineBasicMaterial({
      color: colour,
      transparent: opacity < 1,
      opacity,
      toneMapped: false,
    });
    this.lines = new THREE.LineSegments(geometry, material);
    this.lines.frustumCulled = false;
  }

  begin(): void {
    this.count = 0;
  }

  add(ax: number, ay: number, az: number, bx: number, by: number, bz: number): void {
    if (this.count >= this.capacity || !Number.isFinite(ax + ay + az + bx + by + bz)) return;
    this.positions.setXYZ(2 * this.count, ax, ay, az);
    this.positions.setXYZ(2 * this.count + 1, bx, by, bz);
    this.count++;
  }

  end(): void {
    this.lines.geometry.setDrawRange(0, 2 * this.count);
    this.positions.needsUpdate = true;
  }
}

/** Where many points or vectors are drawn. Renderers without a GPU pay for every instance: there lines and dots do. */
interface PointSet {
  readonly object: THREE.Object3D;
  begin(): void;
  add(x: number, y: number, z: number): void;
  end(): void;
}

interface VectorSet {
  readonly object: THREE.Object3D;
  begin(): void;
  add(x: number, y: number, z: number, dx: number, dy: number, dz: number): void;
  end(): void;
}

/** Square dots of a few pixels. */
class Dots implements PointSet {
  readonly object: THREE.Points;
  private readonly positions: THREE.BufferAttribute;
  private count = 0;

  constructor(colour: number, capacity: number) {
    this.positions = new THREE.BufferAttribute(new Float32Array(capacity * 3), 3).setUsage(THREE.DynamicDrawUsage);
    const geometry = new THREE.BufferGeometry().setAttribute('position', this.positions);
    this.object = new THREE.Points(
      geometry,
      new THREE.PointsMaterial({ color: colour, size: 4, sizeAttenuation: false, toneMapped: false }),
    );
    this.object.frustumCulled = false;
  }

  begin(): void {
    this.count = 0;
  }

  add(x: number, y: number, z: number): void {
    if (this.count < this.positions.count) this.positions.setXYZ(this.count++, x, y, z);
  }

  end(): void {
    this.object.geometry.setDrawRange(0, this.count);
    this.positions.needsUpdate = true;
  }
}

/** Vectors as plain lines. */
class Strokes implements VectorSet {
  private readonly segments: Segments;

  constructor(colour: number, capacity: number) {
    this.segments = new Segments(colour, capacity);
  }

  get object(): THREE.Object3D {
    return this.segments.lines;
  }

  begin(): void {
    this.segments.begin();
  }

  add(x: number, y: number, z: number, dx: number, dy: number, dz: number): void {
    this.segments.add(x, y, z, x + dx, y + dy, z + dz);
  }

  end(): void {
    this.segments.end();
  }
}

/** Wire boxes, one instance each; deeper nodes of a tree are fainter. */
class Boxes {
  readonly lines: THREE.LineSegments;
  private readonly geometry = new THREE.InstancedBufferGeometry();
  private readonly place: THREE.InstancedBufferAttribute; // centre x, y, z, depth
  private readonly half: THREE.InstancedBufferAttribute;

  constructor(colour: number, capacity: number) {
    const edges = new THREE.EdgesGeometry(new THREE.BoxGeometry(2, 2, 2));
    this.geometry.setAttribute('position', edges.getAttribute('position'));
    this.place = new THREE.InstancedBufferAttribute(new Float32Array(4 * capacity), 4).setUsage(THREE.DynamicDrawUsage);
    this.half = new THREE.InstancedBufferAttribute(new Float32Array(3 * capacity), 3).setUsage(THREE.DynamicDrawUsage);
    this.geometry.setAttribute('place', this.place);
    this.geometry.setAttribute('extent', this.half);
    this.geometry.instanceCount = 0;
    const material = new THREE.ShaderMaterial({
      transparent: true,
      depthWrite: false,
      uniforms: { colour: { value: new THREE.Color(colour) } },
      vertexShader: `attribute vec4 place; attribute vec3 extent; varying float strength;
        void main() {
          strength = 1.0 / (1.0 + 0.3 * place.w);
          gl_Position = projectionMatrix * viewMatrix * vec4(place.xyz + extent * position, 1.0);
        }`,
      fragmentShader: `uniform vec3 colour; varying float strength;
        void main() { gl_FragColor = vec4(colour, strength); }`,
    });
    this.lines = new THREE.LineSegments(this.geometry, material);
    this.lines.frustumCulled = false;
  }

  update(f: Frame, isOn: boolean): void {
    const n = isOn ? Math.min(f.volumeCount, this.place.count) : 0;
    this.lines.visible = n > 0;
    this.geometry.instanceCount = n;
    for (let i = 0, o = 0; i < n; i++, o += VOLUME_VALUES) {
      const d = f.volumes;
      this.place.setXYZW(i, d[o]!, d[o + 1]!, d[o + 2]!, d[o + 6]!);
      this.half.setXYZ(i, d[o + 3]!, d[o + 4]!, d[o + 5]!);
    }
    this.place.needsUpdate = this.half.needsUpdate = n > 0;
  }
}

interface Trail {
  line: THREE.Line;
  positions: THREE.BufferAttribute;
  count: number;
  lastTime: number;
}

export class Overlays {
  readonly group = new THREE.Group();
  /** Length of the longest force arrow stands for this many newtons. */
  forceScale = 0;
  private readonly contacts: PointSet;
  private readonly forces: VectorSet;
  private readonly pushes = new Arrows(PUSH, 4, 0.009);
  private readonly com = new Markers(new THREE.SphereGeometry(0.026, 16, 12), COM, 256, true);
  private readonly plumb = new Segments(COM, 256, 0.7);
  private readonly velocities = new Arrows(VELOCITY, 256, 0.008);
  private readonly pressure = new Markers(
    new THREE.CylinderGeometry(0.024, 0.024, 0.004, 20).rotateX(Math.PI / 2),
    PRESSURE,
    256,
    true,
  );
  private readonly capture = new Markers(new THREE.TorusGeometry(0.026, 0.007, 8, 24), CAPTURE, 256, true);
  private readonly support = new Segments(COM, 2048);
  private readonly inside = new Segments(CAPTURE, 256); // from below the centre of mass to the nearest edge
  private readonly outside = new Segments(FORCE, 256);
  private readonly volumes = new Boxes(VOLUME, VOLUME_MAX);
  private readonly way = new Segments(PLAN, PLAN_MAX);
  private readonly footholds = new Markers(new THREE.SphereGeometry(0.007, 10, 8), PLAN, PLAN_MAX, true);
  readonly sensors = new SensorMarks();
  private readonly captured = [0, 0];
  private trails: Trail[] = [];
  private readonly ring = new THREE.Mesh(
    new THREE.RingGeometry(0.94, 1, 64),
    new THREE.MeshBasicMaterial({ transparent: true, opacity: 0.9, depthWrite: false, toneMapped: false }),
  );

  constructor(
    private readonly bodies: Bodies,
    isCoarse: boolean,
  ) {
    const dot = new THREE.SphereGeometry(0.011, 10, 8);
    this.contacts = isCoarse ? new Dots(CONTACT, CONTACT_MAX) : new Markers(dot, CONTACT, CONTACT_MAX);
    this.forces = isCoarse ? new Strokes(FORCE, CONTACT_MAX) : new Arrows(FORCE, CONTACT_MAX, 0.0055);
    this.group.add(
      this.contacts.object,
      this.forces.object,
      this.pushes.object,
      this.com.object,
      this.plumb.lines,
      this.velocities.object,
      this.pressure.object,
      this.capture.object,
      this.support.lines,
      this.inside.lines,
      this.outside.lines,
      this.volumes.lines,
      this.way.lines,
      this.footholds.object,
      this.ring,
      this.sensors.group,
    );
  }

  setRobots(colours: string[]): void {
    for (const t of this.trails) {
      t.line.removeFromParent();
      t.line.geometry.dispose();
    }
    this.trails = colours.map((colour) => this.makeTrail(colour));
  }

  private makeTrail(colour: string): Trail {
    const positions = new THREE.BufferAttribute(new Float32Array(TRAIL_POINTS * 3), 3).setUsage(THREE.DynamicDrawUsage);
    const line = new THREE.Line(
      new THREE.BufferGeometry().setAttribute('position', positions),
      new THREE.LineBasicMaterial({ color: colour, toneMapped: false }),
    );
    line.frustumCulled = false;
    line.geometry.setDrawRange(0, 0);
    this.group.add(line);
    return { line, positions, count: 0, lastTime: -1 };
  }

  update(f: Frame, on: OverlayState): void {
    this.updateContacts(f, on);
    this.updateBalance(f, on);
    this.updateSupport(f, on.support);
    this.updateTrails(f, on.trails);
    this.volumes.update(f, on.volumes);
    this.sensors.update(f, on);
    this.way.lines.visible = this.footholds.object.visible = on.plans;
  }

  /** Planned ways, until the next ones come. */
  setPlans(plans: Plans): void {
    this.way.begin();
    this.footholds.begin();
    for (const { base, footholds } of plans.plans) {
      base.slice(1).forEach((p, i) => this.way.add(...base[i]!, ...p));
      for (const p of footholds) this.footholds.add(...p);
    }
    this.way.end();
    this.footholds.end();
  }

  /** A ring on the ground around the selected robot, in the colour of its level. */
  markSelected(f: Frame, robot: number, colour: string): void {
    const o = robot * ROBOT_VALUES;
    this.ring.visible = robot >= 0 && robot < f.robotCount && Number.isFinite(f.robots[o + 2]!);
    if (!this.ring.visible) return;
    const radius = Math.max(0.12, 0.62 * f.robots[o + 4]!); // about as wide as the robot is tall
    this.ring.material.color.set(colour);
    this.ring.scale.set(radius, radius, 1);
    this.ring.position.set(f.robots[o + 2]!, f.robots[o + 3]!, LIFT);
  }

  private updateContacts(f: Frame, on: OverlayState): void {
    this.adaptForceScale(f);
    const scale = this.forceScale > 0 ? ARROW_LENGTH / this.forceScale : 0;
    this.contacts.begin();
    this.forces.begin();
    this.pushes.begin();
    for (let c = 0, o = 0; c < f.contactCount; c++, o += CONTACT_VALUES) {
      const d = f.contacts;
      const x = d[o]!,
        y = d[o + 1]!,
        z = d[o + 2]!,
        fx = d[o + 3]! * scale,
        fy = d[o + 4]! * scale,
        fz = d[o + 5]! * scale;
      if (f.contactBodies[2 * c + 1] === USER_PUSH) {
        this.pushes.add(x, y, z, d[o + 3]! / PUSH_STIFFNESS, d[o + 4]! / PUSH_STIFFNESS, d[o + 5]! / PUSH_STIFFNESS);
        continue;
      }
      if (on.contacts) this.contacts.add(x, y, z);
      if (on.forces) this.forces.add(x, y, z, fx, fy, fz);
    }
    this.contacts.end();
    this.forces.end();
    this.pushes.end();
  }

  /** The strongest force gets the full arrow; the scale follows a weaker maximum only slowly, so that arrows can be compared. */
  private adaptForceScale(f: Frame): void {
    let strongest = 0;
    for (let c = 0, o = 3; c < f.contactCount; c++, o += CONTACT_VALUES)
      if (f.contactBodies[2 * c + 1] !== USER_PUSH)
        strongest = Math.max(strongest, Math.hypot(f.contacts[o]!, f.contacts[o + 1]!, f.contacts[o + 2]!));
    if (Number.isFinite(strongest)) this.forceScale = Math.max(strongest, this.forceScale * 0.995);
  }

  private updateBalance(f: Frame, on: OverlayState): void {
    for (const m of [this.com, this.plumb, this.velocities, this.pressure, this.capture]) m.begin();
    for (let r = 0, o = 0; r < f.robotCount; r++, o += ROBOT_VALUES) {
      const d = f.robots;
      const x = d[o + 2]!,
        y = d[o + 3]!,
        z = d[o + 4]!,
        vx = d[o + 5]!,
        vy = d[o + 6]!,
        vz = d[o + 7]!;
      if (on.com) {
        this.com.add(x, y, z);
        this.plumb.add(x, y, z, x, y, LIFT);
      }
      if (on.velocity) this.velocities.add(x, y, z, 0.5 * vx, 0.5 * vy, 0.5 * vz);
      if (on.balance) {
        this.pressure.add(d[o + 8]!, d[o + 9]!, d[o + 10]! + LIFT);
        capturePoint(d, o, this.captured);
        if (Number.isFinite(d[o + 8]!)) this.capture.add(this.captured[0]!, this.captured[1]!, LIFT);
      }
    }
    for (const m of [this.com, this.plumb, this.velocities, this.pressure, this.capture]) m.end();
  }

  private updateSupport(f: Frame, isOn: boolean): void {
    for (const lines of [this.support, this.inside, this.outside]) lines.begin();
    if (isOn)
      for (const [robot, hull] of supportPolygons(f, (body) => this.bodies.robotOf(body))) {
        hull.forEach((p, i) => {
          const q = hull[(i + 1) % hull.length]!;
          this.support.add(p[0], p[1], p[2] + LIFT, q[0], q[1], q[2] + LIFT);
        });
        const x = f.robots[robot * ROBOT_VALUES + 2]!,
          y = f.robots[robot * ROBOT_VALUES + 3]!;
        const near = stabilityMargin(hull, x, y);
        if (near) (near.margin > 0 ? this.inside : this.outside).add(x, y, near.at[2] + LIFT, near.at[0], near.at[1], near.at[2] + LIFT);
      }
    for (const lines of [this.support, this.inside, this.outside]) lines.end();
  }

  private updateTrails(f: Frame, isOn: boolean): void {
    this.trails.forEach((t, r) => {
      t.line.visible = isOn;
      if (r >= f.robotCount || f.time === t.lastTime) return;
      if (f.time < t.lastTime) t.count = 0; // went back: a new line
      if (f.time - t.lastTime < 0.03 && t.count > 0) return;
      t.lastTime = f.time;
      const o = r * ROBOT_VALUES + 2;
      const array = t.positions.array as Float32Array;
      if (t.count === TRAIL_POINTS) array.copyWithin(0, 3, 3 * t.count--);
      array.set(f.robots.subarray(o, o + 3), 3 * t.count++);
      t.line.geometry.setDrawRange(0, t.count);
      t.positions.needsUpdate = true;
    });
  }
}
