// What robots feel and see, drawn over the scene: loads on foot pads, sonar cones up to their reading, perceived objects.

import * as THREE from 'three';
import { BODY_VALUES, type Frame } from '../feed/codec';
import type { Scene, Sensor } from '../feed/protocol';

export type SensorOverlay = 'pads' | 'sonar' | 'seen';

const PAD_HEIGHT = 0.2 / 25; // of a bar for a newton  [m/N]
const PAD_RADIUS = 0.008; // [m]
const CONE_LINES = 12;
const CAPACITY = 512; // bars and marks; more are left out
const KIND: Record<SensorOverlay, string> = { pads: 'pads', sonar: 'sonar', seen: 'objects' };

/** A sensor, and the properties that hold its readings. */
interface Drawn {
  sensor: Sensor;
  properties: number[];
  names: string[]; // of the channels
}

export class SensorMarks {
  readonly group = new THREE.Group();
  private drawn: Record<SensorOverlay, Drawn[]> = { pads: [], sonar: [], seen: [] };
  private readonly bars: THREE.InstancedMesh;
  private readonly marks: THREE.InstancedMesh;
  private readonly cones = new Lines(0x4aa8ff, CAPACITY * CONE_LINES, 0.75);
  private readonly sights = new Lines(0xffb02e, CAPACITY, 0.9);
  private readonly values = new Map<number, number>();
  private readonly m = new THREE.Matrix4();
  private readonly at = new THREE.Vector3();
  private readonly to = new THREE.Vector3();
  private readonly size = new THREE.Vector3();
  private readonly q = new THREE.Quaternion();
  private readonly still = new THREE.Quaternion();
  private readonly pose = new THREE.Matrix4();
  private readonly inBody = new THREE.Matrix4();

  constructor() {
    const bar = new THREE.CylinderGeometry(1, 1, 1, 10).rotateX(Math.PI / 2).translate(0, 0, 0.5);
    this.bars = new THREE.InstancedMesh(bar, new THREE.MeshBasicMaterial({ color: 0xff4fa3, toneMapped: false }), CAPACITY);
    const mark = new THREE.MeshBasicMaterial({ color: 0xffb02e, toneMapped: false, wireframe: true });
    this.marks = new THREE.InstancedMesh(new THREE.OctahedronGeometry(0.06), mark, CAPACITY);
    for (const mesh of [this.bars, this.marks]) {
      mesh.frustumCulled = false;
      mesh.count = 0;
    }
    this.group.add(this.bars, this.marks, this.cones.object, this.sights.object);
  }

  setScene(scene: Scene): void {
    const number = new Map(scene.properties.map((p, i) => [p.path, i]));
    this.drawn = { pads: [], sonar: [], seen: [] };
    for (const overlay of Object.keys(KIND) as SensorOverlay[])
      for (const sensor of scene.sensors ?? []) {
        if (sensor.kind !== KIND[overlay]) continue;
        const prefix = `${scene.robots[sensor.robot]?.name}.${sensor.name}.`;
        const channels = scene.properties
          .filter((p) => p.path.startsWith(prefix) && number.has(`${p.path}.true`))
          .map((p) => p.path);
        this.drawn[overlay].push({
          sensor,
          properties: channels.map((path) => number.get(path)!),
          names: channels.map((path) => path.slice(prefix.length)),
        });
      }
  }

  /** What must be subscribed to. */
  properties(on: Record<SensorOverlay, boolean>): number[] {
    return (Object.keys(KIND) as SensorOverlay[]).flatMap((o) => (on[o] ? this.drawn[o].flatMap((d) => d.properties) : []));
  }

  update(f: Frame, on: Record<SensorOverlay, boolean>): void {
    this.values.clear();
    for (let s = 0; s < f.signalCount; s++) this.values.set(f.signalProperties[s]!, f.signalValues[s]!);
    this.bars.count = this.marks.count = 0;
    this.cones.begin();
    this.sights.begin();
    if (on.pads) for (const d of this.drawn.pads) this.drawPads(f, d);
    if (on.sonar) for (const d of this.drawn.sonar) this.drawCone(f, d);
    if (on.seen) for (const d of this.drawn.seen) this.drawSeen(f, d);
    this.bars.instanceMatrix.needsUpdate = this.marks.instanceMatrix.needsUpdate = true;
    this.cones.end();
    this.sights.end();
  }

  /** Number of bars, of cone lines and of perceived objects in the picture. */
  get counts(): { pads: number; sonar: number; seen: number } {
    return { pads: this.bars.count, sonar: this.cones.count, seen: this.marks.count };
  }

  /** The sensor's axes in the world. */
  private place(f: Frame, s: Sensor): boolean {
    const o = s.body * BODY_VALUES;
    if (s.body >= f.bodyCount) return false;
    const b = f.bodies;
    this.pose.compose(
      this.at.set(b[o]!, b[o + 1]!, b[o + 2]!),
      this.q.set(b[o + 3]!, b[o + 4]!, b[o + 5]!, b[o + 6]!),
      this.size.set(1, 1, 1),
    );
    this.inBody.compose(this.at.fromArray(s.pose.p), this.q.fromArray(s.pose.q), this.size);
    this.pose.multiply(this.inBody);
    return true;
  }

  private drawPads(f: Frame, { sensor, properties }: Drawn): void {
    if (!this.place(f, sensor)) return;
    properties.forEach((p, i) => {
      const force = this.values.get(p) ?? 0;
      if (!(force > 0) || this.bars.count >= CAPACITY) return;
      this.at.set(sensor.numbers[2 * i] ?? 0, sensor.numbers[2 * i + 1] ?? 0, 0).applyMatrix4(this.pose);
      this.size.set(PAD_RADIUS, PAD_RADIUS, PAD_HEIGHT * force);
      this.bars.setMatrixAt(this.bars.count++, this.m.compose(this.at, this.still, this.size));
    });
  }

  private drawCone(f: Frame, { sensor, properties }: Drawn): void {
    const distance = this.values.get(properties[0] ?? -1);
    if (distance === undefined || !this.place(f, sensor)) return;
    const half = sensor.numbers[0] ?? 0.5;
    const eye = new THREE.Vector3().setFromMatrixPosition(this.pose);
    let before: THREE.Vector3 | null = null;
    for (let i = 0; i <= CONE_LINES; i++) {
      const turn = (2 * Math.PI * i) / CONE_LINES;
      const rim = new THREE.Vector3(
        Math.cos(half),
        Math.sin(half) * Math.cos(turn),
        Math.sin(half) * Math.sin(turn),
      )
        .multiplyScalar(distance)
        .applyMatrix4(this.pose);
      if (before) this.cones.add(before, rim);
      if (i < CONE_LINES && i % 3 === 0) this.cones.add(eye, rim);
      before = rim;
    }
  }

  private drawSeen(f: Frame, { sensor, properties, names }: Drawn): void {
    if (!this.place(f, sensor)) return;
    const eye = new THREE.Vector3().setFromMatrixPosition(this.pose);
    const value = (name: string) => this.values.get(properties[names.indexOf(name)] ?? -1) ?? 0;
    for (const name of names) {
      if (!name.endsWith('.seen') || !(value(name) > 0) || this.marks.count >= CAPACITY) continue;
      const thing = name.slice(0, -'.seen'.length);
      const d = value(`${thing}.distance`);
      const azimuth = value(`${thing}.azimuth`);
      const elevation = value(`${thing}.elevation`);
      this.to
        .set(d * Math.cos(elevation) * Math.cos(azimuth), d * Math.cos(elevation) * Math.sin(azimuth), d * Math.sin(elevation))
        .applyMatrix4(this.pose);
      this.marks.setMatrixAt(this.marks.count++, this.m.makeTranslation(this.to.x, this.to.y, this.to.z));
      this.sights.add(eye, this.to);
    }
  }
}

/** Line segments written anew every frame. */
class Lines {
  readonly object: THREE.LineSegments;
  count = 0;
  private readonly positions: THREE.BufferAttribute;

  constructor(colour: number, capacity: number, opacity: number) {
    this.positions = new THREE.BufferAttribute(new Float32Array(capacity * 6), 3).setUsage(THREE.DynamicDrawUsage);
    const geometry = new THREE.BufferGeometry().setAttribute('position', this.positions);
    const material = new THREE.LineBasicMaterial({ color: colour, transparent: true, opacity, toneMapped: false });
    this.object = new THREE.LineSegments(geometry, material);
    this.object.frustumCulled = false;
  }

  begin(): void {
    this.count = 0;
  }

  add(a: THREE.Vector3, b: THREE.Vector3): void {
    if (2 * this.count + 2 > this.positions.count || !Number.isFinite(a.x + b.x)) return;
    this.positions.setXYZ(2 * this.count, a.x, a.y, a.z);
    this.positions.setXYZ(2 * this.count + 1, b.x, b.y, b.z);
    this.count++;
  }

  end(): void {
    this.object.geometry.setDrawRange(0, 2 * this.count);
    this.positions.needsUpdate = true;
  }
}
