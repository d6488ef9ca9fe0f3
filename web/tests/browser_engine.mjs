// The page with the real engine behind it: node tests/browser_engine.mjs GRADUS OUTPUT_FOLDER PRINT_COMMANDS.mjs.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  bodyOnPage,
  now,
  open,
  pictures,
  pushNow,
  runTests,
  seekTo,
  setPaused,
  startBrowser,
  startSimulator,
  until,
} from './driver.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const gradus = process.argv[2];
const out = process.argv[3];
const printCommands = process.argv[4]; // reads a log with another library than ours
if (!printCommands) throw new Error('usage: node tests/browser_engine.mjs GRADUS OUTPUT_FOLDER PRINT_COMMANDS.mjs');
mkdirSync(out, { recursive: true });

const tests = [];
const test = (name, run) => tests.push({ name, run });

/** Steps one by one up to k (paused). */
const stepTo = async (page, k) => {
  for (let at = (await now(page)).k; at < k; at++) {
    await page.keyboard.press('ArrowRight');
    await until(page, (x) => window.gradus.frameNow.k === x, at + 1);
  }
  return (await now(page)).hash;
};

test('four robots walk at four levels', async ({ page, sim }) => {
  await open(page, sim.control);
  const levels = await page.evaluate(() =>
    window.gradus.sceneNow.robots.slice(0, 4).map((r, i) => r.levels[window.gradus.frameNow.levels[i]]),
  );
  assert.deepEqual(levels, ['kinematic_walk', 'single_body', 'prescribed_joints', 'articulated']);
  const x = () => page.evaluate(() => [0, 1, 2, 3].map((r) => window.gradus.frameNow.robots[11 * r + 2]));
  const before = await x();
  const t = (await now(page)).time;
  await until(page, (t0) => window.gradus.frameNow.time > t0 + 2, t);
  const after = await x();
  after.forEach((a, r) => assert.ok(a > before[r] + 0.05, `robot ${r} walked ${(a - before[r]).toFixed(3)} m`));
  await page.screenshot({ path: join(out, 'levels.png') });
});

test('robots with the same task are compared with the most detailed one', async ({ page }) => {
  const found = await page.evaluate(() => {
    const { frameNow: f, sceneNow: scene, stage } = window.gradus;
    const start = { level0: 0.9, level1: 0.3, level2: -0.3, level3: -0.9 }; // y of scenes/levels.toml; x is the same
    const at = (r) => {
      const o = 7 * stage.bodies.firstBodyOf(r);
      return [f.bodies[o], f.bodies[o + 1] - start[scene.robots[r].name], f.bodies[o + 2]];
    };
    const told = [0, 1, 2, 3].map((r) => f.robots[11 * r + 1]);
    const own = [0, 1, 2, 3].map((r) => Math.hypot(...at(r).map((x, i) => x - at(3)[i])));
    return { told, own };
  });
  assert.ok(Number.isNaN(found.told[3]), 'the reference itself has no error');
  // Poses glide to the newest frame, so they may be one frame behind: 1 cm at walking speed.
  for (const r of [0, 1, 2]) assert.ok(Math.abs(found.told[r] - found.own[r]) < 0.01, `${found.told} ${found.own}`);
  assert.match(await page.locator('.robot:nth-child(1) .error').textContent(), /mm|m$/);
  assert.equal(await page.locator('.levels .row').count(), 4);
});

test('a step adds one, the moment before has its hash again', async ({ page }) => {
  await page.locator('.canvas').focus();
  await setPaused(page, true);
  const a = await now(page);
  const after = await stepTo(page, a.k + 3);
  assert.notEqual(after, a.hash);
  await seekTo(page, a.k);
  assert.equal((await now(page)).hash, a.hash);
  await seekTo(page, a.k - 777); // far from a snapshot
  await seekTo(page, a.k + 3);
  assert.equal((await now(page)).hash, after);
  await setPaused(page, false);
});

test('dragging a robot pushes it; the moment with the push held has its hash again', async ({ page }) => {
  const body = await page.evaluate(() => window.gradus.stage.bodies.firstBodyOf(3));
  await setPaused(page, true); // a walking robot is hard to hit from a slow page
  await page.keyboard.press('a');
  await pictures(page, 2);
  const at = await bodyOnPage(page, body);
  await page.mouse.move(at.x, at.y);
  await page.mouse.down();
  await page.mouse.move(at.x + 25, at.y - 10, { steps: 4 });
  await until(page, pushNow);
  const { k } = await now(page);
  await setPaused(page, false);
  await until(page, (x) => window.gradus.frameNow.k > x + 250, k); // over several snapshots
  await setPaused(page, true);
  const held = await now(page);
  assert.ok((await page.evaluate(pushNow)) > 0.5);
  const next = await stepTo(page, held.k + 5);
  await page.screenshot({ path: join(out, 'push.png') });
  await page.mouse.up();
  await until(page, () => document.querySelector('.newtons').hidden);
  await setPaused(page, false);
  await until(page, (k) => window.gradus.frameNow.k > k + 600, held.k);
  await setPaused(page, true);
  await seekTo(page, held.k);
  assert.equal((await now(page)).hash, held.hash);
  assert.equal(await stepTo(page, held.k + 5), next);
});

test('a level changed in the past makes another course, the old one is its ghost', async ({ page }) => {
  const { k } = await now(page);
  await seekTo(page, k + 300);
  const old = (await now(page)).hash;
  await seekTo(page, k);
  await page.selectOption('select[aria-label="Level of detail of level0"]', 'articulated');
  await until(page, () => window.gradus.frameNow?.levels[0] === 3);
  await page.locator('.canvas').focus();
  await setPaused(page, false);
  await until(page, (x) => window.gradus.frameNow.k > x + 300, k);
  await setPaused(page, true);
  await seekTo(page, k + 300);
  await until(page, () => window.gradus.frameNow.hasGhost);
  assert.notEqual((await now(page)).hash, old, 'it changed the motion');
  await page.screenshot({ path: join(out, 'ghost.png') });
});

test('properties of the selected robot are live, can be plotted and set', async ({ page }) => {
  await page.click('.robot:nth-child(4) .name');
  await page.fill('.filter', 'level3.y');
  const row = page.locator('[data-path="level3.y"]');
  await row.locator('.plot').click();
  await until(page, () => document.querySelector('.chart canvas'));
  await row.locator('input').fill('-1.25');
  await row.locator('input').press('Enter');
  await until(page, () => document.querySelector('[data-path="level3.y"] .value').textContent === '-1.2500');
  await page.screenshot({ path: join(out, 'plot.png') });
});

test('a parameter of one robot is changed in a branch: another course beside the ghost, the difference plotted', async ({ context }) => {
  const run = await startSimulator(gradus, ['run', 'levels', '--speed', 'real', '--view']);
  const page = await context.newPage();
  await open(page, run.control);
  await page.locator('.canvas').focus();
  await until(page, () => window.gradus.frameNow.time > 2);
  await setPaused(page, true);
  const end = await now(page);
  const k0 = end.k - 600;
  await seekTo(page, k0 + 300);
  const old = (await now(page)).hash;
  await seekTo(page, k0);
  const before = (await now(page)).hash;
  await page.click('.robot:nth-child(4) .name');
  await page.fill('.filter', 'level3.left_knee');
  const row = page.locator('[data-path="level3.left_knee.kp"]');
  const shown = () => row.locator('.value').textContent();
  await until(page, () => Number(document.querySelector('[data-path="level3.left_knee.kp"] .value')?.textContent) > 0);
  const kp = Number(await shown());
  await page.locator('[data-path="level3.left_knee.q"] .plot').click();

  // a value that cannot be is refused with a sentence, and nothing branches
  await row.locator('input').fill('-3');
  await row.locator('input').press('Enter');
  await until(page, () =>
    [...document.querySelectorAll('.toast')].some((t) => t.textContent.includes('must be within 0 … 1e+06 N m/rad, not -3')),
  );
  assert.equal((await now(page)).hash, before);
  assert.ok(await page.evaluate(() => window.gradus.frameNow.past), 'no branch');

  await row.locator('input').fill(String(kp / 8));
  await row.locator('input').press('Enter');
  await until(page, () => window.gradus.timeline.events.some((e) => e.kind === 'branch'));
  await until(page, (x) => Number(document.querySelector('[data-path="level3.left_knee.kp"] .value').textContent) === x, kp / 8);
  assert.ok(await row.evaluate((e) => e.classList.contains('changed')), 'it is marked as changed');
  await page.locator('.canvas').focus();
  await setPaused(page, false);
  await until(page, (k) => window.gradus.frameNow.k > k, end.k);
  await setPaused(page, true);
  await seekTo(page, k0 + 300);
  assert.notEqual((await now(page)).hash, old, 'another course');
  await until(page, () => window.gradus.frameNow.hasGhost);
  await pictures(page, 2);
  const apart = await page.evaluate(() => {
    const { frameNow: f, stage } = window.gradus;
    return [0, 1, 2, 3].map((r) => {
      let most = 0;
      for (let b = stage.bodies.firstBodyOf(r); stage.bodies.robotOf(b) === r; b++)
        most = Math.max(most, Math.hypot(...[0, 1, 2].map((i) => f.bodies[7 * b + i] - f.ghosts[7 * b + i])));
      return most;
    });
  });
  assert.ok(apart[3] > 0.002, `level3 walks elsewhere: ${apart}`);
  for (const r of [0, 1, 2]) assert.equal(apart[r], 0, `level${r} shares its kind and walks as before: ${apart}`);
  await page.keyboard.press('x');
  await until(page, () =>
    window.gradus.plots.charts.flatMap((c) => c.curves).some((c) => c.difference.some((x) => Math.abs(x) > 1e-3)),
  );
  await page.screenshot({ path: join(out, 'parameter_ghost.png') });

  // back to before it: the old value, and the old bits
  await seekTo(page, k0 - 10);
  await until(page, (x) => Number(document.querySelector('[data-path="level3.left_knee.kp"] .value').textContent) === x, kp);
  await seekTo(page, k0 + 300);
  await row.locator('.undo').click(); // one more branch, with the value that it had
  await until(page, (x) => Number(document.querySelector('[data-path="level3.left_knee.kp"] .value').textContent) === x, kp);
  assert.ok(!(await row.evaluate((e) => e.classList.contains('changed'))));
  await page.close();
  await run.stop();
});

test('balance: at rest the ground carries the weight under the centre of mass', async ({ context }) => {
  const standing = await startSimulator(gradus, ['run', 'bench_standing', '--speed', '4', '--view']);
  const page = await context.newPage();
  await open(page, standing.control);
  await until(page, () => window.gradus.frameNow.time > 4);
  await page.locator('.canvas').focus();
  await setPaused(page, true);
  for (const key of ['m', 'p', 'k', 'n']) await page.keyboard.press(key);
  await until(page, () => window.gradus.frameNow.volumeCount > 0);
  const found = await page.evaluate(() => {
    const { frameNow: f, stage } = window.gradus;
    const [com, v, pressure] = [f.robots.slice(2, 5), f.robots.slice(5, 8), f.robots.slice(8, 11)];
    let force = 0;
    const points = [];
    for (let c = 0; c < f.contactCount; c++) {
      if (stage.bodies.robotOf(f.contactBodies[2 * c]) !== 0) continue;
      force += f.contacts[6 * c + 5];
      points.push([...f.contacts.slice(6 * c, 6 * c + 2), f.contacts[6 * c + 5]]);
    }
    const mean = [0, 1].map((i) => points.reduce((sum, p) => sum + p[i] * p[2], 0) / force);
    const inside = [0, 1].map((i) => points.some((p) => p[i] <= pressure[i]) && points.some((p) => p[i] >= pressure[i]));
    // Every body of the robot is in its tree's root box.
    const [cx, cy, cz, hx, hy, hz] = f.volumes;
    const bodies = window.gradus.sceneNow.robots[0].bodies.length;
    let outside = 0;
    for (let b = 0; b < bodies; b++) {
      const d = f.bodies.slice(7 * b, 7 * b + 3);
      outside = Math.max(outside, Math.abs(d[0] - cx) - hx, Math.abs(d[1] - cy) - hy, Math.abs(d[2] - cz) - hz);
    }
    return { com, speed: Math.hypot(...v), pressure, force, mean, inside, outside, points: points.length };
  });
  await page.screenshot({ path: join(out, 'balance.png') });
  assert.ok(found.points >= 4 && found.speed < 0.01, `it stands: ${JSON.stringify(found)}`);
  for (const i of [0, 1]) {
    assert.ok(Math.abs(found.pressure[i] - found.mean[i]) < 1e-4, 'centre of pressure = mean of the points by their force');
    assert.ok(Math.abs(found.pressure[i] - found.com[i]) < 0.003, 'at rest it is under the centre of mass');
    assert.ok(found.inside[i], 'and inside the support polygon');
  }
  const mass = JSON.parse(spawnSync(gradus, ['show', 'bench_standing', '--json'], { encoding: 'utf8' }).stdout)
    .robots[0].robot.objects.reduce((sum, o) => sum + o.mass, 0);
  assert.ok(Math.abs(found.force / (9.81 * mass) - 1) < 0.02, `${found.force} N for ${mass} kg`);
  assert.ok(found.outside <= 0, 'the root box holds every body');
  await page.close();
  await standing.stop();
});

test('a robot file is a scene: the robot alone on a plane', async ({ context }) => {
  const alone = await startSimulator(gradus, ['run', join(root, 'robots', 'quadruped.urdf'), '--speed', 'real', '--view']);
  const page = await context.newPage();
  await open(page, alone.control);
  assert.equal(await page.evaluate(() => window.gradus.sceneNow.robots[0].name), 'quadruped');
  await until(page, () => window.gradus.frameNow.time > 0.5);
  await page.screenshot({ path: join(out, 'robot.png') });
  await page.close();
  await alone.stop();
});

test('a log becomes a page that opens from disk and is served by gradus view', async ({ context }) => {
  const log = resolve(out, 'walk.mcap');
  const html = resolve(out, 'walk.html');
  const run = (...args) => spawnSync(gradus, args, { encoding: 'utf8' });
  const made = run('run', 'levels', '--for', '3s', '--log', log, '--quiet');
  assert.equal(made.status, 0, made.stderr);
  const exported = run('export', log, '-o', html);
  assert.equal(exported.status, 0, exported.stderr);
  console.log(`    ${exported.stdout.trim().split(': ')[1]}`);
  const page = await context.newPage();
  await open(page, `file://${html}`);
  await page.fill('.clock', '2');
  await page.press('.clock', 'Enter');
  await until(page, () => Math.abs(window.gradus.frameNow.time - 2) < 0.034);
  assert.ok(Math.abs((await now(page)).tMax - 3) < 0.04);
  await page.screenshot({ path: join(out, 'exported.png') });
  const viewed = await startSimulator(gradus, ['view', log]);
  await open(page, viewed.view);
  await until(page, () => window.gradus.frameNow.time > 0.2 && window.gradus.frameNow.replay);
  await page.close();
  await viewed.stop();
});

test('with a log there is no going back, and the page says so', async ({ context }) => {
  const logged = await startSimulator(gradus, [
    'run',
    'levels',
    '--speed',
    'real',
    '--view',
    '--log',
    resolve(out, 'live.mcap'),
  ]);
  const page = await context.newPage();
  await open(page, logged.control);
  assert.equal(await page.evaluate(() => window.gradus.sceneNow.can_seek), false);
  await page.locator('.canvas').focus();
  await page.keyboard.press('r');
  await until(page, () => document.querySelector('.toast')?.textContent.includes('a log is written'));
  assert.match(await page.locator('.why-not').textContent(), /^No going back: a log is written/);
  await page.close();
  await logged.stop();
  const replayed = spawnSync(gradus, ['replay', resolve(out, 'live.mcap')], { encoding: 'utf8' });
  assert.equal(replayed.status, 0, replayed.stdout + replayed.stderr);
});

/** In the page: step, and what the user's push does in it; null without one. */
const heldPush = () => {
  const { frameNow: f, sceneNow, stage } = window.gradus;
  for (let c = 0; c < f.contactCount; c++)
    if (f.contactBodies[2 * c + 1] === 0xfffe)
      return {
        k: f.k,
        robot: sceneNow.robots[stage.bodies.robotOf(f.contactBodies[2 * c])].name,
        force: [...f.contacts.slice(6 * c + 3, 6 * c + 6)],
      };
  return null;
};

test('dragging a robot applies a force that the log shows, and the exported page draws it', async ({ context }) => {
  const log = resolve(out, 'pushed.mcap');
  const logged = await startSimulator(gradus, ['run', 'levels', '--speed', '0.7', '--view', '--log', log]);
  const page = await context.newPage();
  await open(page, logged.control);
  await page.locator('.canvas').focus();
  await until(page, () => window.gradus.frameNow.time > 0.3);
  assert.equal(await page.locator('.speed option:checked').textContent(), '×0.7', 'a speed that the list lacks is shown');
  await page.keyboard.press('ArrowUp');
  await until(page, () => window.gradus.frameNow.speedTarget === 1);
  await setPaused(page, true); // a walking robot is hard to hit from a slow page
  await pictures(page, 2);
  const at = await bodyOnPage(page, await page.evaluate(() => window.gradus.stage.bodies.firstBodyOf(2)));
  await page.mouse.move(at.x, at.y);
  await page.mouse.down();
  await page.mouse.move(at.x + 30, at.y - 12, { steps: 4 });
  await until(page, heldPush);
  await setPaused(page, false);
  const { k } = await now(page);
  await until(page, (x) => window.gradus.frameNow.k > x + 200, k);
  await setPaused(page, true);
  const shown = await page.evaluate(heldPush);
  assert.equal(shown.robot, 'level2');
  await pictures(page, 1); // the label goes with the picture, which may be one frame behind
  const written = await page.locator('.newtons').textContent();
  await page.screenshot({ path: join(out, 'pushed_live.png') });
  await page.mouse.up();
  await until(page, () => document.querySelector('.newtons').hidden);
  await setPaused(page, false);
  await until(page, (x) => window.gradus.frameNow.k > x + 100, shown.k);
  await page.close();
  await logged.stop();

  const commands = spawnSync('node', [printCommands, log], { encoding: 'utf8' }).stdout.trim().split('\n').map(JSON.parse);
  const pushes = commands.filter((c) => c.command.do === 'push');
  assert.ok(pushes.length > 200, `${pushes.length} pushes in the log`);
  assert.ok(pushes.every((c) => c.command.robot === 'level2'));
  assert.equal(pushes.at(-1).command.name ?? '', '', 'the last one lets go');
  const same = pushes.filter((c) => c.k === shown.k - 1).at(-1); // the input of the step that led to the moment shown
  assert.ok(same, `no push before step ${shown.k}`);
  const { vector } = same.command;
  const off = Math.hypot(...shown.force.map((f, i) => f - vector[i]));
  assert.ok(off < 1e-4 * Math.hypot(...vector), `shown ${shown.force}, logged ${vector}`);
  assert.equal(written, `${Math.hypot(...vector).toFixed(1)} N`, 'the newtons beside the mouse');
  await drawnFromLog(context, log, shown);
});

/** The exported page and the one that gradus view serves draw the push of a log. */
async function drawnFromLog(context, log, shown) {
  const html = resolve(out, 'pushed.html');
  const exported = spawnSync(gradus, ['export', log, '-o', html, '--rate', '100'], { encoding: 'utf8' });
  assert.equal(exported.status, 0, exported.stderr);
  const viewed = await startSimulator(gradus, ['view', log, '--rate', '100']);
  const page = await context.newPage();
  for (const url of [`file://${html}`, viewed.view]) {
    await open(page, url);
    await page.fill('.clock', String((shown.k - (shown.k % 10)) * 0.001));
    await page.press('.clock', 'Enter');
    await until(page, heldPush);
    const drawn = await page.evaluate(heldPush);
    assert.equal(drawn.robot, 'level2');
    const ratio = Math.hypot(...drawn.force) / Math.hypot(...shown.force);
    assert.ok(ratio > 0.7 && ratio < 1.4, `${drawn.force} up to 10 ms before ${shown.force}`);
    await until(page, () => !document.querySelector('.newtons').hidden);
    const marked = await page.evaluate(() => window.gradus.timeline.events.filter((e) => e.kind === 'push'));
    assert.equal(marked.length, 1);
    assert.match(marked[0].text, /^level2 pushed by hand, at most \d+\.\d N$/);
  }
  await page.screenshot({ path: join(out, 'pushed_exported.png') });
  await page.close();
  await viewed.stop();
}

test('a match is rewound, changed in one robot and run again beside its ghost', async ({ context }) => {
  const match = await startSimulator(gradus, ['run', 'mirosot_5v5', '--speed', 'real', '--view']);
  const page = await context.newPage();
  await open(page, match.control);
  await page.locator('.canvas').focus();
  await until(page, () => window.gradus.frameNow.time > 3);
  await setPaused(page, true);
  const end = await now(page);
  const poses = () => page.evaluate(() => [...window.gradus.frameNow.bodies.slice(0, 7 * window.gradus.frameNow.bodyCount)]);
  const middle = end.k - 85; // soon after the change that is made below
  const hashes = [];
  for (const k of [end.k - 100, end.k - 37, middle, end.k]) {
    await seekTo(page, k);
    hashes.push((await now(page)).hash);
  }
  assert.equal(hashes[3], end.hash, 'forward again: the same bits');
  await seekTo(page, end.k - 100);
  assert.equal((await now(page)).hash, hashes[0], 'and back');
  await seekTo(page, middle - 1);
  assert.equal(await stepTo(page, middle), hashes[2], 'step by step as well');
  await until(page, () => window.gradus.frameNow.paused);
  await pictures(page, 1);
  const before = await poses();

  await seekTo(page, end.k - 100);
  await page.click('.robot:nth-child(2) .name');
  const path = '[data-path="blue2.y"]';
  await page.fill('.filter', 'blue2.y');
  await until(page, (p) => document.querySelector(`${p} .value`)?.textContent.length > 3, path);
  const y = Number(await page.locator(`${path} .value`).textContent());
  await page.locator(`${path} input`).fill((y > 0 ? y - 0.4 : y + 0.4).toFixed(3));
  await page.locator(`${path} input`).press('Enter');
  await until(page, () => window.gradus.timeline.events.some((e) => e.kind === 'branch'));
  await page.locator('.canvas').focus();
  await setPaused(page, false);
  await until(page, (k) => window.gradus.frameNow.k > k, end.k);
  await setPaused(page, true);
  await seekTo(page, end.k);
  assert.notEqual((await now(page)).hash, end.hash, 'another course');
  await seekTo(page, middle);
  await until(page, () => window.gradus.frameNow.hasGhost);
  await pictures(page, 2);
  const { ghost, apart, drawn } = await page.evaluate(() => {
    const { frameNow: f, stage } = window.gradus;
    const o = 7 * stage.bodies.firstBodyOf(1);
    const apart = Math.hypot(f.bodies[o] - f.ghosts[o], f.bodies[o + 1] - f.ghosts[o + 1]);
    return { ghost: [...f.ghosts.slice(0, 7 * f.bodyCount)], apart, drawn: stage.bodies.ghostCount() };
  });
  const off = Math.max(...before.map((x, i) => Math.abs(x - ghost[i])));
  assert.ok(off < 1e-4, `the ghost is the old course: ${off}`);
  assert.ok(apart > 0.15 && drawn > 0, `blue2 and its ghost are ${apart} m apart, ${drawn} parts are drawn`);
  await page.screenshot({ path: join(out, 'match_ghost.png') });
  await page.close();
  await match.stop();
});

test('a match is readable: the whole field, numbers instead of labels, the score', async ({ context }) => {
  const match = await startSimulator(gradus, ['run', 'mirosot_5v5', '--speed', 'real', '--view']);
  const page = await context.newPage();
  await open(page, match.control);
  await page.locator('.canvas').focus();
  /** Where the corners of the walls (2.2 × 1.8 m) are, in parts of the canvas. */
  const corners = () =>
    page.evaluate(() => {
      const { clientWidth: w, clientHeight: h } = window.gradus.stage.renderer.domElement;
      return [-1, 1].flatMap((x) =>
        [-1, 1].map((y) => {
          const p = window.gradus.stage.project(1.1 * x, 0.9 * y, 0);
          return [p.x / w, p.y / h];
        }),
      );
    });
  for (const camera of ['1', '4']) {
    await page.keyboard.press(camera);
    await pictures(page, 2);
    const at = await corners();
    assert.ok(at.flat().every((x) => x > 0.02 && x < 0.98), `camera ${camera}: ${at}`);
    const wide = Math.max(...at.map((p) => p[0])) - Math.min(...at.map((p) => p[0]));
    assert.ok(wide > 0.6, `camera ${camera}: the field takes ${wide.toFixed(2)} of the width`);
    await page.screenshot({ path: join(out, `match_camera_${camera}.png`) });
  }
  const labels = await page.evaluate(() => ({
    whole: document.querySelectorAll('.label:not(.number-only):not(.name-only):not([hidden])').length,
    numbers: document.querySelectorAll('.label.number-only:not([hidden])').length,
    ball: [...document.querySelectorAll('.label .name')].some((n) => n.textContent === 'ball'),
  }));
  assert.ok(labels.whole === 0 && labels.numbers >= 4 && !labels.ball, JSON.stringify(labels));
  await until(page, () => /^blue0:0yellow\d\d:\d\d$/.test(document.querySelector('.score').textContent));
  const at = await bodyOnPage(page, await page.evaluate(() => window.gradus.stage.bodies.firstBodyOf(5)));
  await page.mouse.move(at.x, at.y);
  await until(page, () =>
    [...document.querySelectorAll('.label:not(.number-only):not([hidden]) .name')].some((n) => /^yellow/.test(n.textContent)),
  );
  await page.close();
  await match.stop();
});

test('contacts with terrain and between robots are in the picture', async ({ context }) => {
  for (const [scene, ...others] of [
    ['terrain', 0xffff, 0xffff], // the static world
    ['scrum', 0, 0xfffd], // another body
  ]) {
    const run = await startSimulator(gradus, ['run', scene, '--speed', 'max', '--view']);
    const page = await context.newPage();
    await open(page, run.control);
    // Newtons between the bodies in question: more than nothing, and not what a fault would give.
    const newtons = await page.waitForFunction(
      ([low, high]) => {
        const f = window.gradus.frameNow;
        let sum = 0;
        for (let c = 0; c < f.contactCount; c++) {
          const other = f.contactBodies[2 * c + 1];
          if (other >= low && other <= high) sum += Math.hypot(...f.contacts.slice(6 * c + 3, 6 * c + 6));
        }
        return f.time > 0.5 && sum > 0 ? sum : 0;
      },
      others,
      { timeout: 60000, polling: 50 },
    );
    assert.ok((await newtons.jsonValue()) < 1e5);
    if (scene === 'scrum') await until(page, () => window.gradus.timeline.events.some((e) => e.kind === 'touch'));
    await page.screenshot({ path: join(out, `contacts_${scene}.png`) });
    await page.close();
    await run.stop();
  }
});

test('an edited scene is reloaded, a bad edit is told and the old scene goes on', async ({ context }) => {
  const file = resolve(out, 'edited.toml');
  const text = readFileSync(join(root, 'scenes', 'levels.toml'), 'utf8');
  writeFileSync(file, text);
  const edited = await startSimulator(gradus, ['run', file, '--speed', 'real', '--view']);
  const page = await context.newPage();
  await open(page, edited.control);
  await page.click('.robot:nth-child(3) .name');
  writeFileSync(file, text.replace('[world]', '[world]\nnonsense = 1'));
  await until(page, () => /edited\.toml:\d+:\d+.*nonsense/s.test(document.querySelector('.errors:not([hidden])')?.textContent));
  await page.screenshot({ path: join(out, 'bad_edit.png') });
  const { k } = await now(page);
  await until(page, (x) => window.gradus.frameNow.k > x, k);
  writeFileSync(file, text.replace('step     = "1 ms"', 'step     = "2 ms"'));
  await until(page, () => window.gradus.sceneNow.step === 0.002 && window.gradus.frameNow?.k > 10);
  assert.equal(await page.locator('.inspector h2').textContent(), 'level2', 'the selection is kept');
  await until(page, () =>
    window.gradus.timeline.events.some((e) => e.kind === 'note' && e.text.includes('step: 0.001 → 0.002')),
  );
  assert.ok(await page.locator('.errors').isHidden(), 'the errors are gone');
  await page.close();
  await edited.stop();
});

/** A Nao with all its senses, a ball, a wall before its sonars; another one that only stands there. */
const SENSES = `
[world]
step    = "1 ms"
include = ["fields/spl.toml"]

[robot.blue1]
model      = "robots/nao_h25_v6.toml"
pose       = { x = "-2 m" }
sensors    = ["nao_v6", "nao_cameras", "percepts"]

[robot.other]
model = "robots/nao_h25_v6.toml"
pose  = { x = "-1.4 m", y = "25 cm", yaw = "180 deg" }

[robot.ball]
model  = "robots/orange_ball.toml"
motion = "free_body"
pose   = { x = "-30 cm", y = "-35 cm", z = "42.5 mm" }
`;

test("a robot's camera is shown in the picture, its pads, sonars and percepts in the scene", async ({ context }) => {
  const file = resolve(out, 'senses.toml');
  writeFileSync(file, SENSES);
  const sim = await startSimulator(gradus, ['run', file, '--speed', 'real', '--view']);
  const page = await context.newPage();
  await open(page, sim.control);
  await page.selectOption('.eye select', 'blue1.camera_top');
  await until(page, () => window.gradus.eye.pictures > 3);
  const seen = await page.evaluate(() => {
    const canvas = document.querySelector('.eye canvas');
    const { data, width, height } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    let left = 0, right = 0, green = 0; // the ball is on the right; the other robot, with orange ears, on the left
    for (let i = 0; i < data.length; i += 4) {
      const [r, g, b] = [data[i], data[i + 1], data[i + 2]];
      const x = ((i / 4) % width) / width;
      if (r > 190 && r - b > 130 && g < 170) x > 0.55 && x < 0.9 ? right++ : x > 0.5 && left++;
      if (g > r + 20 && g > b + 20) green++;
    }
    return { width, height, left, right, green: green / width / height };
  });
  assert.equal(seen.width, 640);
  assert.equal(seen.height, 480);
  assert.ok(seen.right > 100 && seen.left === 0, `the ball has ${seen.right} pixels where it lies, ${seen.left} beside`);
  assert.ok(seen.green > 0.1, `the field fills ${seen.green} of the picture`);
  for (const name of ['sonar', 'seen']) await page.evaluate((n) => document.querySelector(`[data-overlay="${n}"]`).click(), name);
  await until(page, () => {
    const { pads, sonar, seen: things } = window.gradus.stage.overlays.sensors.counts;
    return pads >= 4 && sonar >= 32 && things >= 1;
  });
  const standing = await page.evaluate(() => {
    const { sceneNow: scene, frameNow: f } = window.gradus;
    const pads = scene.properties.map((p, i) => [p.path, i]).filter(([p]) => /^blue1\.\w*fsr\.(front|rear)_(left|right)$/.test(p));
    const at = (i) => f.signalValues[f.signalProperties.subarray(0, f.signalCount).indexOf(i)];
    return { count: pads.length, load: pads.reduce((sum, [, i]) => sum + at(i), 0) };
  });
  assert.equal(standing.count, 8, 'eight pads');
  assert.ok(standing.load > 25 && standing.load < 80, `they carry ${standing.load} N`);
  // a sensor's plot brings the truth along
  await page.evaluate(() => {
    const n = window.gradus.sceneNow.properties.findIndex((p) => p.path === 'blue1.gyro.x');
    window.gradus.plots.toggle(n);
  });
  await until(page, () => document.querySelectorAll('.plots .entry').length === 2);
  assert.deepEqual(
    await page.evaluate(() => [...document.querySelectorAll('.plots .entry')].map((e) => e.childNodes[1].textContent)),
    ['blue1.gyro.x', 'blue1.gyro.x.true'],
  );
  await page.evaluate(() => window.gradus.stage.setMode('follow'));
  await pictures(page, 4);
  await page.screenshot({ path: join(out, 'senses.png') });
  const before = await page.evaluate(() => window.gradus.eye.pictures);
  await page.keyboard.press('i'); // bottom
  await until(page, (n) => window.gradus.eye.pictures > n + 1, before);
  await page.keyboard.press('i'); // none
  assert.equal(await page.evaluate(() => window.gradus.eye.camera), -1);
  await page.close();
  await sim.stop();
});

test('looking through cameras changes no bit of the run', () => {
  const file = resolve(out, 'senses.toml');
  const alone = JSON.parse(spawnSync(gradus, ['run', file, '--for', '2s', '--json'], { encoding: 'utf8' }).stdout);
  assert.equal(alone.images.rendered, 0, 'nobody reads them, nobody renders them');
  return watchTo(file, 2).then((hash) => assert.equal(hash, alone.hash.padStart(16, '0')));
});

/** Hash of the state after so many seconds, with a viewer that looks through a camera all the while. */
async function watchTo(file, seconds) {
  const run = await startSimulator(gradus, ['run', file, '--speed', 'real', '--view']);
  const page = await browser.context.newPage();
  await open(page, run.control);
  await page.selectOption('.eye select', 'blue1.camera_bottom');
  await until(page, (t) => window.gradus.frameNow.time > t + 0.1 && window.gradus.eye.pictures > 3, seconds);
  await seekTo(page, seconds * 1000);
  const { hash } = await now(page);
  await page.close();
  await run.stop();
  return hash;
}

const sim = await startSimulator(gradus, ['run', 'levels', '--speed', 'real', '--view']);
const browser = await startBrowser();
const failures = await runTests(tests, browser, { sim }, out);
await browser.close();
await sim.stop();
console.log(failures ? `${failures} failed` : `all ${tests.length} passed`);
process.exit(failures ? 1 : 0);
