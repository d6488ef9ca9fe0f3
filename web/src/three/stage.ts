// Renderer, light, ground and cameras. z is up, metres, as in the simulation.

import * as THREE from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import { BODY_VALUES, type Frame } from '../feed/codec';
import type { Scene } from '../feed/protocol';
import { Bodies, isGround } from './bodies';
import { Overlays, type OverlayState } from './overlays';
import { SoftShadows } from './soft_shadows';

export type CameraMode = 'orbit' | 'follow' | 'robot' | 'top';

/** Is WebGL drawn by the CPU? Then shadows, smoothing and fine materials are left out. */
function rendersInSoftware(): boolean {
  const gl = document.createElement('canvas').getContext('webgl2');
  if (!gl) return false;
  const info = gl.getExtension('WEBGL_debug_renderer_info');
  const name = info ? String(gl.getParameter(info.UNMASKED_RENDERER_WEBGL)) : '';
  gl.getExtension('WEBGL_lose_context')?.loseContext();
  return /swiftshader|llvmpipe|software/i.test(name);
}

interface Palette {
  sky: number;
  grid: number;
  ground: number; // where the scene has no plane with a colour
  light: number;
}

const LIGHT: Palette = { sky: 0xe6ebf1, grid: 0x16202b, ground: 0xc4ccd4, light: 1.0 };
const DARK: Palette = { sky: 0x12161c, grid: 0xffffff, ground: 0x2a323c, light: 0.82 };

export class Stage {
  readonly software = rendersInSoftware();
  readonly renderer: THREE.WebGLRenderer;
  readonly camera = new THREE.PerspectiveCamera(42, 1, 0.02, 200);
  readonly bodies: Bodies;
  readonly overlays: Overlays;
  mode: CameraMode = 'orbit';
  followed = 0; // robot
  needsRender = true;
  private readonly scene = new THREE.Scene();
  private readonly controls: OrbitControls;
  private readonly sun = new THREE.DirectionalLight(0xffffff, 2.4);
  private readonly sky = new THREE.HemisphereLight(0xffffff, 0x8a8f98, 1.5);
  private readonly ground: THREE.Mesh<THREE.CircleGeometry, THREE.MeshLambertMaterial>;
  private readonly gridColour = { value: new THREE.Vector4() };
  private palette = LIGHT;
  private groundColour: THREE.Color | null = null;
  private readonly softShadows = new SoftShadows();
  private readonly anchor = new THREE.Vector3(); // where the followed robot was at the last frame
  private readonly v = new THREE.Vector3();
  private readonly q = new THREE.Quaternion();
  private hasAnchor = false;
  private framed = true; // false: the next frame puts all robots into the picture

  constructor(private readonly holder: HTMLElement) {
    this.renderer = new THREE.WebGLRenderer({ antialias: !this.software, powerPreference: 'high-performance' });
    this.renderer.setPixelRatio(this.software ? 1 : Math.min(window.devicePixelRatio, 2));
    this.renderer.shadowMap.type = THREE.PCFSoftShadowMap;
    this.renderer.domElement.className = 'canvas';
    this.renderer.domElement.tabIndex = 0;
    this.renderer.domElement.setAttribute('aria-label', '3D view of the simulation');
    holder.append(this.renderer.domElement);
    this.bodies = new Bodies({ software: this.software });
    this.overlays = new Overlays(this.bodies);
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
    );
    this.sun.shadow.mapSize.set(2048, 2048);
    this.sun.shadow.bias = -0.0004;
    this.sun.shadow.normalBias = 0.01;
    this.controls.maxPolarAngle = Math.PI * 0.495;
    this.controls.minDistance = 0.15;
    this.controls.maxDistance = 60;
    this.controls.zoomSpeed = 1.4;
    this.controls.addEventListener('change', () => (this.needsRender = true));
    new ResizeObserver(() => this.resize()).observe(this.holder);
    this.renderer.domElement.addEventListener('webglcontextrestored', () => (this.needsRender = true));
    this.setDark(false);
    this.resize();
  }

  setDark(isDark: boolean): void {
    this.palette = isDark ? DARK : LIGHT;
    this.scene.background = new THREE.Color(this.palette.sky);
    this.scene.fog = new THREE.Fog(this.palette.sky, 9, 34);
    this.sun.intensity = 2.3 * this.palette.light;
    this.sky.intensity = 1.35 * this.palette.light;
    this.paintGround();
  }

  /** A calm version of the scene's ground colour, and a grid of one metre. */
  private paintGround(): void {
    this.ground.material.color.set(this.palette.ground);
    if (this.groundColour) this.ground.material.color.lerp(this.groundColour, this.palette === DARK ? 0.42 : 0.6);
    const line = new THREE.Color(this.palette.grid);
    this.gridColour.value.set(line.r, line.g, line.b, this.palette === DARK ? 0.16 : 0.2);
    this.needsRender = true;
  }

  /** The ground with lines every metre, one pixel wide and fading where they would get too dense. */
  private groundMaterial(): THREE.MeshLambertMaterial {
    const material = new THREE.MeshLambertMaterial();
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
    this.softShadows.setScene(scene);
    const plane = scene.field.find((f) => isGround(f.shape));
    this.groundColour = plane ? new THREE.Color().setRGB(...plane.shape.colour, THREE.SRGBColorSpace) : null;
    this.paintGround();
    this.hasAnchor = false;
    if (!keepCamera) this.framed = false;
  }

  /** Puts the camera where all robots are in the picture. */
  private frameAll(f: Frame): void {
    const box = new THREE.Box3();
    for (let b = 0; b < f.bodyCount; b++) box.expandByPoint(this.v.fromArray(f.bodies, b * BODY_VALUES));
    if (box.isEmpty()) box.set(new THREE.Vector3(-1, -1, 0), new THREE.Vector3(1, 1, 1));
    box.expandByScalar(0.2); // origins of bodies are not their surfaces
    const centre = box.getCenter(new THREE.Vector3());
    const radius = Math.max(0.6, box.getSize(new THREE.Vector3()).length() / 2);
    const halfHeight = Math.tan((this.camera.fov * Math.PI) / 360);
    const fit = radius / Math.sin(Math.atan(halfHeight * Math.min(1, this.camera.aspect)));
    this.controls.target.copy(centre);
    this.camera.position.copy(centre).add(new THREE.Vector3(0.94, 0.2, 0.34).normalize().multiplyScalar(fit));
    this.controls.update();
    this.framed = true;
  }

  showAll(): void {
    this.framed = false;
    this.mode = this.mode === 'robot' || this.mode === 'top' ? 'orbit' : this.mode;
    this.needsRender = true;
  }

  setMode(mode: CameraMode): void {
    this.mode = mode;
    this.controls.enabled = mode !== 'robot';
    this.hasAnchor = false;
    if (mode === 'top') {
      const height = Math.max(2.5, this.camera.position.distanceTo(this.controls.target));
      this.camera.position.copy(this.controls.target).add(this.v.set(-0.001, 0, height));
    }
    if (mode === 'orbit' && this.camera.position.distanceTo(this.controls.target) < 0.2) this.framed = false;
    this.needsRender = true;
  }

  update(f: Frame, on: OverlayState): void {
    this.bodies.update(f.bodies, f.hasGhost ? f.ghosts : null);
    this.overlays.update(f, on);
    if (this.software) this.softShadows.update(f);
    if (!this.framed) this.frameAll(f);
    this.moveCamera(f);
    this.needsRender = true;
  }

  private moveCamera(f: Frame): void {
    const o = this.bodies.firstBodyOf(this.followed) * BODY_VALUES;
    if (o + BODY_VALUES > f.bodyCount * BODY_VALUES || this.mode === 'orbit') return;
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
    this.needsRender = true;
    this.render(); // at once: setting the size has cleared the canvas
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

  render(): boolean {
    if (!this.needsRender) return false;
    this.needsRender = false;
    this.aimSun();
    this.renderer.render(this.scene, this.camera);
    return true;
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
