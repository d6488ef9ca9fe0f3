// How fast the page draws: node tests/speed.mjs PROGRAM [ARGUMENTS…], e.g. gradus_demo_feed --robots 22. At 640 × 480, software
// rendering, as in headless tests. Pictures a second depend on what else runs; processor time per picture hardly does.

import { readdirSync, readFileSync } from 'node:fs';
import { open, startBrowser, startSimulator } from './driver.mjs';

const [program, ...args] = process.argv.slice(2);

/** Processor seconds of all processes of our browsers, by the children of this one. */
function processorSeconds() {
  const parents = new Map();
  const times = new Map();
  for (const pid of readdirSync('/proc').filter((p) => /^\d+$/.test(p))) {
    try {
      const [, name, rest] = /^\d+ \((.*)\) (.*)$/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'));
      const fields = rest.split(' ');
      parents.set(Number(pid), Number(fields[1]));
      if (name.startsWith('chrom')) times.set(Number(pid), (Number(fields[11]) + Number(fields[12])) / 100);
    } catch {
      continue; // ended meanwhile
    }
  }
  const isOurs = (pid) => pid === process.pid || (parents.has(pid) && isOurs(parents.get(pid)));
  return [...times].filter(([pid]) => isOurs(pid)).reduce((sum, [, t]) => sum + t, 0);
}

const begin = performance.now();
const sim = await startSimulator(program, args);
const printed = performance.now();
const browser = await startBrowser({ width: 640, height: 480 });
const ready = performance.now();
await open(browser.page, sim.control ?? sim.view);
const first = performance.now();
await browser.page.waitForTimeout(2000);
const samples = [];
for (let i = 0; i < 5; i++) {
  const count = () => browser.page.evaluate(() => window.gradus.pictures);
  const [n0, w0, c0] = [await count(), performance.now(), processorSeconds()];
  await browser.page.waitForTimeout(2000);
  const [n1, w1, c1] = [await count(), performance.now(), processorSeconds()];
  samples.push({ perSecond: (1000 * (n1 - n0)) / (w1 - w0), milliseconds: (1000 * (c1 - c0)) / (n1 - n0) });
}
const info = await browser.page.evaluate(() => ({ ...window.gradus.stage.renderer.info.render }));
const median = (key) => samples.map((s) => s[key]).sort((a, b) => a - b)[2];
console.log(`address printed after ${(printed - begin).toFixed(0)} ms, first picture ${(first - ready).toFixed(0)} ms after opening it`);
console.log(`${median('perSecond').toFixed(1)} pictures a second (best ${Math.max(...samples.map((s) => s.perSecond)).toFixed(1)})`);
console.log(`${median('milliseconds').toFixed(1)} ms of processor time per picture, all processes of the browser`);
console.log(`${info.calls} draw calls, ${info.triangles} triangles`);
await browser.close();
await sim.stop();
