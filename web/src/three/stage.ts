// Renderer, light, ground and cameras. z is up, metres, as in the simulation.

import * as THREE from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import { BODY_VALUES, type Frame } from '../feed/codec';
import type { Scene } from '../feed/protocol';
import { Bodies, isGround } from './bodies';
import { CheapLight } from './cheap_light';
import { isFieldFor, sideView, topView } from './framing';
import { Lights } from './lights';
import { Overlays, type OverlayState } from './overlays';
import { SoftShadows } from './soft_shadows';

const HEAD_ROOM = 0.2; // for labels over robots  [m]

export type CameraMode = 'orbit' | 'follow' | 'robot' | 'top';

/** Is WebGL drawn by the CPU? Then shadows, smoothing and fine materials are left out, unless ?quality=fine asks for them. */
function rendersInSoftware(): boolean {
  const wish = new URLSearchParams(location.search).get('quality');
  if (wish) return wish !== 'fine';
  const gl = document.createElement('canvas').getContext('webgl2');
  if (!gl) return false;
  const info = gl.getExtension('WEBGL_debug_renderer_info');
  const name = info ? String(gl.getParameter(info.UNMASKED_RENDERER_WEBGL)) : '';
  gl.getExtension('WEBGL_lose_context')?.loseContext();
  return /swiftshader|llvmpipe|software/i.test(name);
}

interface Palette {
  zenith: string; // the sky above, down to …
  sky: number; // … the horizon
  grid: number;
  ground: number; // where the scene has no plane with a colour
  light: number;
}

const LIGHT: Palette = { zenith: '#b4cde6', sky: 0xeef3f7, grid: 0x10251a, ground: 0xc4ccd4, light: 1.0 };
const DARK: Palette = { zenith: '#05080d', sky: 0x1a222c, grid: 0xffffff, ground: 0x2a323c, light: 0.82 };

/** A dome from the horizon's colour, which is also the fog's, up to the zenith's. */
function makeSky(palette: Palette): THREE.Mesh {
  const dome = new THREE.SphereGeometry(150, 24, 24, 0, 2 * Math.PI, 0, Math.PI / 2).rotateX(Math.PI / 2);
  const horizon = new THREE.Color(palette.sky);
  const zenith = new THREE.Color(palette.zenith);
  const height = dome.getAttribute('position');
  const colours = new Float32Array(3 * height.count);
  const colour = new THREE.Color();
  for (let i = 0; i < height.count; i++)
    colour
      .copy(horizon)
      .lerp(zenith, Math.min(1, (4 * height.getZ(i)) / 150))
      .toArray(colours, 3 * i);
  dome.setAttribute('color', new THREE.BufferAttribute(colours, 3));
  const material = new THREE.MeshBasicMaterial({ vertexColors: true, side: THREE.BackSide, fog: false, depthWrite: false });
  const mesh = new THREE.Mesh(dome, material);
  mesh.renderOrder = -1;
  return mesh;
}

export class Stage {
  readonly software = rendersInSoftware();
  readonly renderer: THREE.WebGLRenderer;
  readonly camera = new THREE.PerspectiveCamera(42, 1, 0.02, 200);
  readonly bodies: Bodies;
  readonly overlays: Overlays;
  mode: CameraMode = 'orbit';
  followed = 0; // robot
  needsRender = true;
  readonly lights = new Lights();
  private readonly scene = new THREE.Scene();
  private readonly controls: OrbitControls;
  private readonly sun = new THREE.DirectionalLight(0xffffff, 2.4);
  private readonly sky = new THREE.HemisphereLight(0xffffff, 0x8a8f98, 1.5);
  private readonly light = new CheapLight();
  private readonly ground: THREE.Mesh<THREE.CircleGeometry, THREE.MeshLambertMaterial | THREE.MeshBasicMaterial>;
  private readonly gridColour = { value: new THREE.Vector4() };
  private palette = LIGHT;
  private dome: THREE.Mesh | null = null;
  private groundColour: THREE.Color | null = null;
  private readonly softShadows = new SoftShadows();
  private readonly anchor = new THREE.Vector3(); // where the followed robot was at the last frame
  private readonly v = new THREE.Vector3();
  private readonly v2 = new THREE.Vector3();
  private readonly q = new THREE.Quaternion();
  private hasAnchor = false;
  private framed = true; // false: the next frame puts all robots into the picture
  private isUntouched = true; // the user has not moved the camera: it goes along with the robots
  private seesField = false; // the whole field is in the picture: no need to go along
  private readonly middle = new THREE.Vector3(); // of the robots, when the camera last went along

  constructor(private readonly holder: HTMLElement) {
    this.renderer = new THREE.WebGLRenderer({ antialias: !this.software, powerPreference: 'high-performance' });
    this.renderer.setPixelRatio(this.software ? 1 : Math.min(window.devicePixelRatio, 2));
    this.renderer.shadowMap.type = THREE.PCFSoftShadowMap;
    this.renderer.domElement.className = 'canvas';
    document.body.classList.toggle('software', this.software);
    this.renderer.domElement.tabIndex = 0;
    this.renderer.domElement.setAttribute('aria-label', '3D view of the simulation');
    holder.append(this.renderer.domElement);
    this.bodies = new Bodies({ software: this.software, light: this.light });
    this.overlays = new Overlays(this.bodies, this.software);
    this.ground = new THREE.Mesh(new THREE.CircleGeometry(60, 64), this.groundMaterial());
    this.ground.receiveShadow = true;
    this.ground.position.z = -0.001;
    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, this.renderer.domElement);
    this.setUp();
  }

  private setUp(): void {
    this.scene.add(
      this.ground,
      this.sky,
      this.sun,
      this.sun.target,
      this.softShadows.mesh,
      this.bodies.group,
      this.overlays.group,
      this.lights.group,
    );
    this.sun.shadow.mapSize.set(2048, 2048);
    this.sun.shadow.bias = -0.0004;
    this.sun.shadow.normalBias = 0.01;
    this.controls.maxPolarAngle = Math.PI * 0.495;
    this.controls.minDistance = 0.15;
    this.controls.maxDistance = 60;
    this.controls.zoomSpeed = 1.4;
    this.controls.addEventListener('start', () => (this.isUntouched = false));
    this.controls.addEventListener('change', () => (this.needsRender = true));
    new ResizeObserver(() => this.resize()).observe(this.holder);
    this.renderer.domElement.addEventListener('webglcontextrestored', () => (this.needsRender = true));
    this.setDark(false);
    this.resize();
  }

  setDark(isDark: boolean): void {
    this.palette = isDark ? DARK : LIGHT;
    this.scene.background = new THREE.Color(this.palette.sky);
    this.dome?.removeFromParent();
    if (!this.software) this.scene.add((this.dome = makeSky(this.palette)));
    this.scene.fog = new THREE.Fog(this.palette.sky, 10, 45);
    this.sun.intensity = 2.3 * this.palette.light;
    this.sky.intensity = 1.35 * this.palette.light;
    this.light.setBrightness(this.sun.intensity, this.sky.intensity);
    this.paintGround();
  }

  /** A calm version of the scene's ground colour, and a grid of one metre. */
  private paintGround(): void {
    this.ground.material.color.set(this.palette.ground);
    if (this.groundColour) this.ground.material.color.lerp(this.groundColour, this.palette === DARK ? 0.5 : 0.78);
    if (this.software) this.ground.material.color.multiplyScalar(this.light.onLevel());
    const line = new THREE.Color(this.palette.grid);
    this.gridColour.value.set(line.r, line.g, line.b, this.palette === DARK ? 0.07 : 0.13);
    this.needsRender = true;
  }

  /** The ground with lines every metre, one pixel wide and fading where they would get too dense. */
  private groundMaterial(): THREE.MeshLambertMaterial | THREE.MeshBasicMaterial {
    const material = this.software ? new THREE.MeshBasicMaterial() : new THREE.MeshLambertMaterial();
    material.onBeforeCompile = (shader) => {
      shader.uniforms['gridColour'] = this.gridColour;
      shader.vertexShader = shader.vertexShader
        .replace('#include <common>', '#include <common>\nvarying vec2 gridPoint;')
        .replace('#include <begin_vertex>', '#include <begin_vertex>\ngridPoint = position.xy;');
      shader.fragmentShader = shader.fragmentShader
        .replace('#include <common>', '#include <common>\nvarying vec2 gridPoint;\nuniform vec4 gridColour;')
        .replace(
          '#include <color_fragment>',
          `
          vec2 width = fwidth(gridPoint);
          vec2 away = abs(fract(gridPoint - 0.5) - 0.5) / width; // pixels to the nearest line
          float line = (1.0 - min(min(away.x, away.y), 1.0)) * (1.0 - smoothstep(0.1, 0.5, max(width.x, width.y)));
          diffuseColor.rgb = mix(diffuseColor.rgb, gridColour.rgb, line * gridColour.a);`,
        );
    };
    return material;
  }

  setShadows(isOn: boolean): void {
    const use = isOn && !this.software;
    this.softShadows.mesh.visible = isOn && this.software;
    if (this.renderer.shadowMap.enabled === use) return;
    this.renderer.shadowMap.enabled = this.sun.castShadow = use;
    this.scene.traverse((o) => {
      if (o instanceof THREE.Mesh) (o.material as THREE.Material).needsUpdate = true;
    });
    this.needsRender = true;
  }

  setScene(scene: Scene, keepCamera: boolean): void {
    this.bodies.setScene(scene);
    this.lights.setScene(scene);
    this.softShadows.setScene(scene);
    const plane = scene.field.find((f) => isGround(f.shape));
    this.groundColour = plane ? new THREE.Color().setRGB(...plane.shape.colour, THREE.SRGBColorSpace) : null;
    this.ground.visible = plane !== undefined; // where the scene has none there is nothing to stand on, and terrain has valleys
    this.paintGround();
    this.hasAnchor = false;
    if (!keepCamera) this.framed = false;
  }

  /** Puts the camera where all robots are in the picture; in a match, the field. */
  private frameAll(f: Frame): void {
    const box = this.bodies.movingBox(f.bodies, new THREE.Box3());
    if (!Number.isFinite(box.min.x + box.max.z)) box.set(new THREE.Vector3(-1, -1, 0), new THREE.Vector3(1, 1, 1));
    const field = this.bodies.fieldBox(new THREE.Box3());
    this.seesField = isFieldFor(field, box);
    if (this.seesField) box.union(field);
    else {
      box.max.z += HEAD_ROOM;
      box.expandByVector(this.v.set(0.1, 0.1, 0));
    }
    const view = this.mode === 'top' ? topView(box, this.camera) : sideView(box, this.seesField, this.camera);
    this.controls.target.copy(view.target);
    this.camera.position.copy(view.position);
    this.controls.update();
    this.framed = this.isUntouched = true;
    this.middleOf(f, this.middle);
  }

  /** Mean of the robots' bases. */
  private middleOf(f: Frame, to: THREE.Vector3): void {
    to.set(0, 0, 0);
    for (let r = 0; r < f.robotCount; r++)
      to.add(this.v.fromArray(f.bodies, this.bodies.firstBodyOf(r) * BODY_VALUES));
    to.divideScalar(Math.max(1, f.robotCount)).setZ(0);
  }

  /** A camera that nobody has moved goes along with robots that walk away, in the plane. */
  private goAlong(f: Frame): void {
    const before = this.v2.copy(this.middle);
    this.middleOf(f, this.middle);
    const move = before.sub(this.middle).negate();
    if (!(move.lengthSq() > 0)) return; // also when a position is not finite
    this.camera.position.add(move);
    this.controls.target.add(move);
    this.controls.update();
  }

  showAll(): void {
    this.framed = false;
    if (this.mode === 'robot') this.mode = 'orbit';
    this.needsRender = true;
  }

  setMode(mode: CameraMode): void {
    const before = this.mode;
    if (mode !== before) this.isUntouched = false;
    this.mode = mode;
    this.controls.enabled = mode !== 'robot';
    this.hasAnchor = false;
    if (mode === 'top' || (mode !== 'robot' && (before === 'top' || before === 'robot'))) this.framed = false;
    this.needsRender = true;
  }

  update(f: Frame, on: OverlayState): void {
    this.bodies.update(f.bodies, f.hasGhost && on.ghost ? f.ghosts : null);
    this.overlays.update(f, on);
    this.lights.update(f);
    if (this.software) this.softShadows.update(f);
    if (!this.framed) this.frameAll(f);
    this.moveCamera(f);
    this.needsRender = true;
  }

  private moveCamera(f: Frame): void {
    const isStill = this.mode === 'orbit' || this.mode === 'top';
    if (isStill && this.isUntouched && !this.seesField) return this.goAlong(f);
    const o = this.bodies.firstBodyOf(this.followed) * BODY_VALUES;
    if (o + BODY_VALUES > f.bodyCount * BODY_VALUES || isStill) return;
    this.v.fromArray(f.bodies, o);
    if (this.mode === 'robot') return this.lookFromRobot(f, o);
    if (!this.hasAnchor) {
      this.camera.position.add(this.v).sub(this.controls.target);
      this.controls.target.copy(this.v);
    } else {
      const move = this.anchor.sub(this.v).negate();
      this.camera.position.add(move);
      this.controls.target.add(move);
    }
    this.anchor.copy(this.v);
    this.hasAnchor = true;
    this.controls.update();
  }

  /** From behind and above the base, looking where it faces (+x). */
  private lookFromRobot(f: Frame, o: number): void {
    this.q.fromArray(f.bodies, o + 3).normalize();
    const ahead = new THREE.Vector3(1, 0, 0).applyQuaternion(this.q);
    this.camera.position.copy(this.v).addScaledVector(ahead, -0.9);
    this.camera.position.z = this.v.z + 0.55;
    this.controls.target.copy(this.v).addScaledVector(ahead, 1.2);
    this.camera.lookAt(this.controls.target);
  }

  private resize(): void {
    const { clientWidth: w, clientHeight: h } = this.holder;
    if (w === 0 || h === 0) return;
    this.renderer.setSize(w, h);
    this.camera.aspect = w / h;
    this.camera.updateProjectionMatrix();
    if (this.isUntouched && (this.mode === 'orbit' || this.mode === 'top')) this.framed = false;
    this.needsRender = true;
    this.render(); // at once: setting the size has cleared the canvas
  }

  /** By keys: turns about the target by an angle, or comes nearer by a factor. */
  turn(angle: number): void {
    this.isUntouched = false;
    if (this.mode === 'robot') return;
    this.v.copy(this.camera.position).sub(this.controls.target).applyAxisAngle(this.camera.up, angle);
    this.camera.position.copy(this.controls.target).add(this.v);
    this.controls.update();
    this.needsRender = true;
  }

  zoom(factor: number): void {
    this.isUntouched = false;
    if (this.mode === 'robot') return;
    this.v.copy(this.camera.position).sub(this.controls.target).multiplyScalar(factor);
    this.camera.position.copy(this.controls.target).add(this.v);
    this.controls.update();
    this.needsRender = true;
  }

  /** Level directions as the camera sees them, for pushes by keys: ahead and to the right. */
  ahead(to: THREE.Vector3): THREE.Vector3 {
    this.camera.getWorldDirection(to).setZ(0);
    return to.lengthSq() > 1e-6 ? to.normalize() : to.set(1, 0, 0);
  }

  setControlsEnabled(isEnabled: boolean): void {
    this.controls.enabled = isEnabled && this.mode !== 'robot';
  }

  /** Light and shadow go with the camera's target, so that the shadow map is spent on what is seen. */
  private aimSun(): void {
    const reach = Math.min(12, Math.max(1.5, 0.8 * this.camera.position.distanceTo(this.controls.target)));
    this.sun.target.position.copy(this.controls.target);
    this.sun.position.copy(this.controls.target).add(
      this.v
        .set(0.45, -0.5, 1)
        .normalize()
        .multiplyScalar(2 * reach),
    );
    const c = this.sun.shadow.camera;
    if (c.right !== reach) {
      c.left = c.bottom = -reach;
      c.right = c.top = reach;
      c.far = 5 * reach;
      c.updateProjectionMatrix();
    }
  }

  /** Ground and sky end somewhere, but not where anybody gets to; whole metres, so that the grid stays where it is. */
  private bringSurroundings(): void {
    this.dome?.position.copy(this.camera.position).setZ(0);
    const { x, y } = this.controls.target;
    this.ground.position.set(Math.round(x), Math.round(y), this.ground.position.z);
  }

  render(): boolean {
    if (!this.needsRender) return false;
    this.needsRender = false;
    this.aimSun();
    this.bringSurroundings();
    this.bodies.widenLines(this.pixelSize(this.camera.position.distanceTo(this.controls.target)));
    this.renderer.render(this.scene, this.camera);
    return true;
  }

  /** What a CSS pixel covers at a distance.  [m] */
  pixelSize(distance: number): number {
    const height = Math.max(1, this.renderer.domElement.clientHeight);
    return (2 * distance * Math.tan((this.camera.fov * Math.PI) / 360)) / height;
  }

  /** Where a point of the world is on the canvas, in CSS pixels; null behind the camera. */
  project(x: number, y: number, z: number): { x: number; y: number; distance: number } | null {
    this.camera.updateMatrixWorld();
    this.v.set(x, y, z).applyMatrix4(this.camera.matrixWorldInverse);
    const distance = -this.v.z;
    if (distance <= 0) return null;
    this.v.applyMatrix4(this.camera.projectionMatrix);
    const { clientWidth: w, clientHeight: h } = this.renderer.domElement;
    return { x: ((this.v.x + 1) / 2) * w, y: ((1 - this.v.y) / 2) * h, distance };
  }

  /** A picture as it is on the screen. */
  screenshot(): Promise<Blob | null> {
    this.needsRender = true;
    this.render();
    return new Promise((resolve) => this.renderer.domElement.toBlob(resolve, 'image/png'));
  }
}
