// Where a camera must be so that a box fills the picture: from the side, or from above.

import * as THREE from 'three';

const FIELD_MAX = 2.2; // a field at most so many times as wide as where its robots are is shown as a whole
const FILL = 0.92; // of the picture's width or height that the box may take
const SIDE_TURN = 0.21; // robots are seen a little from the side, so that they have depth  [rad]
const FLAT = (50 * Math.PI) / 180; // elevation for what is flat …
const TALL = (19 * Math.PI) / 180; // … and for what is as tall as it is wide

export interface Picture {
  fov: number; // vertical  [degrees]
  aspect: number; // width over height
}

export interface View {
  target: THREE.Vector3;
  position: THREE.Vector3;
}

/** The nearest place along a direction from which all corners of the box are in the picture. */
export function fit(box: THREE.Box3, toCamera: THREE.Vector3, up: THREE.Vector3, picture: Picture): View {
  const target = box.getCenter(new THREE.Vector3());
  const right = new THREE.Vector3().crossVectors(up, toCamera).normalize();
  const top = new THREE.Vector3().crossVectors(toCamera, right);
  const high = FILL * Math.tan((picture.fov * Math.PI) / 360);
  const wide = high * picture.aspect;
  let distance = 0.3;
  const p = new THREE.Vector3();
  for (let corner = 0; corner < 8; corner++) {
    p.set(
      corner & 1 ? box.max.x : box.min.x,
      corner & 2 ? box.max.y : box.min.y,
      corner & 4 ? box.max.z : box.min.z,
    ).sub(target);
    const nearer = p.dot(toCamera);
    distance = Math.max(distance, nearer + Math.abs(p.dot(right)) / wide, nearer + Math.abs(p.dot(top)) / high);
  }
  return { target, position: toCamera.clone().multiplyScalar(distance).add(target) };
}

/**
 * From the side, across the longer extent. A field is seen as on television: from its long side, or along it where the
 * picture is upright. Robots are seen from the front (+x) where they stand side by side.
 */
export function sideView(box: THREE.Box3, isField: boolean, picture: Picture): View {
  const size = box.getSize(new THREE.Vector3());
  const flatness = size.z / Math.max(1e-6, Math.max(size.x, size.y));
  const elevation = Math.max(TALL, FLAT - (FLAT - TALL) * 2.5 * flatness);
  const isAcross = isField && picture.aspect < 1 ? size.x < size.y : size.x >= size.y;
  const azimuth = (isAcross ? -Math.PI / 2 : 0) + (isField ? 0 : SIDE_TURN);
  const level = Math.cos(elevation);
  const toCamera = new THREE.Vector3(level * Math.cos(azimuth), level * Math.sin(azimuth), Math.sin(elevation));
  return fit(box, toCamera, new THREE.Vector3(0, 0, 1), picture);
}

/** From above, the longer extent along the picture's longer side. */
export function topView(box: THREE.Box3, picture: Picture): View {
  const size = box.getSize(new THREE.Vector3());
  const isAlongX = size.x >= size.y === picture.aspect >= 1; // x to the right; else x up
  const back = isAlongX ? new THREE.Vector3(0, -1, 0) : new THREE.Vector3(-1, 0, 0);
  const view = fit(box, new THREE.Vector3(0, 0, 1), back.clone().negate(), picture);
  view.position.addScaledVector(back, 1e-3); // straight above there would be no "up"
  return view;
}

/** Is it a field for what is in the other box: around it, seen from above, and not so wide that one would lose sight? */
export function isFieldFor(field: THREE.Box3, moving: THREE.Box3): boolean {
  const width = (b: THREE.Box3) => Math.hypot(b.max.x - b.min.x, b.max.y - b.min.y);
  const isAround = (axis: 'x' | 'y') => field.min[axis] <= moving.min[axis] && field.max[axis] >= moving.max[axis];
  return !field.isEmpty() && isAround('x') && isAround('y') && width(field) < FIELD_MAX * width(moving);
}
