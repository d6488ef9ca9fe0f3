// Pictures of every scene in the viewer, desktop and phone, light and dark, to be looked at one by one:
//   node tests/every_scene.mjs GRADUS FOLDER [SCENE …]
// Writes FOLDER/<scene>-<desktop|phone>-<light|dark>.png. Exit status 1 if a page reports an error or shows nothing.
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { open, pictures, startBrowser, startSimulator, until } from './driver.mjs';

const [program, folder, ...wanted] = process.argv.slice(2);
if (!program || !folder) {
  console.error('usage: node tests/every_scene.mjs GRADUS FOLDER [SCENE …]');
  process.exit(2);
}
mkdirSync(folder, { recursive: true });
const listed = execFileSync(program, ['list', 'scenes'], { encoding: 'utf8' });
const scenes = wanted.length ? wanted : [...listed.matchAll(/^\s*([a-z]\w*)\s/gm)].map((m) => m[1]);
const SIZES = { desktop: { width: 1280, height: 720 }, phone: { width: 390, height: 844 } };
let faults = 0;
for (const scene of scenes) {
  const simulator = await startSimulator(program, ['run', scene, '--view=0', '--speed', '0.3', '--for', '600s']);
  for (const [size, viewport] of Object.entries(SIZES))
    for (const colorScheme of ['light', 'dark']) {
      const browser = await startBrowser(viewport, { colorScheme, hasTouch: size === 'phone', isMobile: size === 'phone' });
      const name = `${scene}-${size}-${colorScheme}`;
      try {
        await open(browser.page, simulator.view ?? simulator.control);
        await until(browser.page, () => window.gradus.frameNow.time > 0.3);
        await pictures(browser.page, 2);
        await browser.page.screenshot({ path: join(folder, `${name}.png`) });
      } catch (error) {
        browser.problems.push(String(error));
      }
      await browser.close();
      faults += browser.problems.length;
      console.log(`${name}${browser.problems.map((p) => `\n  FAULT: ${p}`).join('')}`);
    }
  await simulator.stop();
}
process.exit(faults ? 1 : 0);
