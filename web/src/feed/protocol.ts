// What the server says in text, and what the page may ask for. The C++ side is apps/server/scene_description.h and
// command.h; docs/viewer.md describes both.

export type Triple = [number, number, number];

export interface Pose {
  p: Triple; // [m]
  q: [number, number, number, number]; // x, y, z, w
}

export interface Shape {
  kind: 'box' | 'sphere' | 'capsule' | 'cylinder' | 'mesh' | 'plane';
  pose: Pose; // in the body; of field objects in the world
  colour: Triple; // 0 … 1
  radius?: number;
  length?: number; // capsule: between the centres; cylinder: full height
  size?: Triple;
  mesh?: number;
}

export interface Body {
  name: string;
  shapes: Shape[];
}

export interface Robot {
  name: string;
  levels: string[];
  level: number;
  bodies: Body[];
  joints: { name: string; lower: number | null; upper: number | null }[];
}

export interface Property {
  path: string;
  unit: string;
  type: 'number' | 'whole' | 'boolean';
  settable?: boolean;
  lower?: number | null;
  upper?: number | null;
  about?: number; // index into the scene's abouts
  initial?: number | null; // of a parameter: what it was before anybody set it; null: no limit
}

/** A sensor that can be drawn; its values are the properties ROBOT.NAME.CHANNEL. */
export interface Sensor {
  robot: number;
  name: string;
  kind: string; // pads, sonar, objects, camera
  body: number; // that carries it
  pose: Pose; // its axes in the body
  numbers: number[]; // pads: x, y of each; sonar: half of the cone, range; camera: width, height
}

export interface Scene {
  type: 'scene';
  name: string;
  about: string;
  revision: number;
  step: number; // [s]
  seed: string;
  can_seek: boolean;
  can_branch: boolean;
  no_past?: string; // why there is none
  robots: Robot[];
  field: { name: string; shape: Shape }[];
  meshes: { vertices: number[]; triangles: number[] }[];
  abouts: string[];
  properties: Property[];
  sensors?: Sensor[];
}

export interface SimulationEvent {
  type: 'event';
  k: number;
  time: number;
  kind: string;
  text: string;
  robot: number;
}

export interface Reply {
  type: 'reply';
  id: number;
  ok: boolean;
  text: string;
}

export interface Lease {
  type: 'lease';
  mine: boolean;
  taken: boolean;
  viewers: number;
}

export interface Hello {
  type: 'hello';
  version: number;
  may_control: boolean;
}

/** Where robots are going to step. */
export interface Plans {
  type: 'plans';
  plans: { robot: number; base: Triple[]; footholds: Triple[] }[];
}

export type Message = Scene | Plans | SimulationEvent | Reply | Lease | Hello;

export type Command =
  | { do: 'pause' | 'resume' | 'reset' | 'branch' | 'release_push' | 'take_control' | 'give_control' }
  | { do: 'step'; count: number }
  | { do: 'speed'; factor: number | 'max' }
  | { do: 'set_motion'; robot: string; level: string }
  | { do: 'set_property'; path: string; value: number | boolean }
  | { do: 'push'; body: number; point: Triple; target: Triple; stiffness: number; max_force: number }
  | { do: 'seek'; time: number }
  | { do: 'subscribe'; properties: number[]; volumes: boolean; camera?: number };

export const STATIC_WORLD = 0xffff;
export const USER_PUSH = 0xfffe;
