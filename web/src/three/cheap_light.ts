// Light for renderers without a GPU: computed at the corners of triangles instead of every pixel, from the same sun and
// sky as the real lights. For instanced meshes without rotation of the whole.

import * as THREE from 'three';

/** Sun and sky, shared by all cheap materials; brightness as of the real lights over π, as for Lambert's law. */
export class CheapLight {
  private readonly strength = { value: new THREE.Vector2(0.73, 0.43) }; // sun, sky
  private readonly sun = { value: new THREE.Vector3(0.45, -0.5, 1).normalize() };

  setBrightness(sun: number, sky: number): void {
    this.strength.value.set(sun / Math.PI, sky / Math.PI);
  }

  /** Of a level surface, which needs no shader. */
  onLevel(): number {
    return this.strength.value.x * this.sun.value.z + this.strength.value.y;
  }

  material(look: THREE.MeshBasicMaterialParameters): THREE.MeshBasicMaterial {
    const material = new THREE.MeshBasicMaterial(look);
    material.onBeforeCompile = (shader) => {
      shader.uniforms['lightStrength'] = this.strength;
      shader.uniforms['lightSun'] = this.sun;
      shader.vertexShader = shader.vertexShader
        .replace(
          '#include <common>',
          '#include <common>\nuniform vec2 lightStrength; uniform vec3 lightSun; varying float lightHere;',
        )
        .replace(
          '#include <begin_vertex>',
          `#include <begin_vertex>
          mat3 turn = mat3(instanceMatrix);
          vec3 outward = normal / vec3(dot(turn[0], turn[0]), dot(turn[1], turn[1]), dot(turn[2], turn[2]));
          outward = normalize(turn * outward);
          lightHere = lightStrength.x * max(dot(outward, lightSun), 0.0) + lightStrength.y * (0.65 + 0.35 * outward.z);`,
        );
      shader.fragmentShader = shader.fragmentShader
        .replace('#include <common>', '#include <common>\nvarying float lightHere;')
        .replace('#include <color_fragment>', '#include <color_fragment>\ndiffuseColor.rgb *= lightHere;');
    };
    return material;
  }
}
