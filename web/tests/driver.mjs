// Starts a simulator and a browser for the tests. Debian's chromium, software rendering, no network.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { chromium } from 'playwright-core';

const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
const FLAGS = [
  '--no-sandbox',
  '--use-gl=angle',
  '--use-angle=swiftshader',
  '--enable-unsafe-swiftshader',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-dev-shm-usage',
];

/** Simulators that a failed test did not stop end with it. */
const running = new Set();
const stopAll = () => running.forEach((child) => child.kill('SIGKILL'));
process.on('exit', stopAll);
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));

/** Runs a program that prints the address to watch, and before it the one to control if there is one, until stop(). */
export async function startSimulator(program, args = []) {
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'] });
  running.add(child);
  child.once('exit', () => running.delete(child));
  const urls = {};
  const found = new Promise((resolve) => {
    const said = [];
    const read = (line) => {
      said.push(line);
      const [, right, url] = /(control|view|watch|watch only):?\s+(http\S+)$/.exec(line.trim()) ?? [];
      if (right) urls[right === 'control' ? 'control' : 'view'] = url;
      if (urls.view) resolve();
    };
    createInterface({ input: child.stdout }).on('line', read);
    createInterface({ input: child.stderr }).on('line', read);
    child.once('exit', (status) =>
      resolve(
        urls.view ? undefined : Promise.reject(new Error(`${program} ended with ${status}: ${said.join(' | ')}`)),
      ),
    );
  });
  await found;
  const ended = new Promise((resolve) =>
    child.exitCode === null ? child.once('exit', resolve) : resolve(child.exitCode),
  );
  return { ...urls, stop: async () => (child.stdin.end(), child.kill('SIGTERM'), ended) };
}

/** A fresh browser; `problems` collects console errors and unhandled rejections of every page. */
export async function startBrowser(viewport = { width: 1000, height: 640 }, options = {}) {
  const profile = mkdtempSync(join(tmpdir(), 'gradus-browser-'));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: CHROMIUM,
    headless: true,
    args: FLAGS,
    viewport,
    ...options,
  });
  const problems = [];
  const watch = (page) => {
    page.on('console', (m) => m.type() === 'error' && problems.push(m.text()));
    page.on('pageerror', (e) => problems.push(String(e)));
  };
  context.pages().forEach(watch);
  context.on('page', watch);
  const close = async () => {
    await context.close();
    rmSync(profile, { recursive: true, force: true });
  };
  return { context, page: context.pages()[0] ?? (await context.newPage()), problems, close };
}

export const now = (page) =>
  page.evaluate(() => ({ ...window.gradus.frameNow, hash: window.gradus.frameNow.hash, bodies: null }));
export const until = (page, condition, argument) =>
  page.waitForFunction(condition, argument, { timeout: 60000, polling: 50 });

/** Waits for so many further pictures. */
export async function pictures(page, count) {
  const before = await page.evaluate(() => window.gradus.pictures);
  await until(page, (n) => window.gradus.pictures >= n, before + count);
}

export async function open(page, url) {
  await page.goto(url, { waitUntil: 'commit', timeout: 60000 });
  await until(page, () => window.gradus?.frameNow && window.gradus.pictures > 1);
}

/** Presses space until the run stands, or runs. */
export async function setPaused(page, isPaused) {
  if ((await now(page)).paused === isPaused) return;
  await page.keyboard.press('Space');
  await until(page, (x) => window.gradus.frameNow.paused === x, isPaused);
}

/** Goes to step k by typing its time. */
export async function seekTo(page, k) {
  const h = await page.evaluate(() => window.gradus.sceneNow.step);
  await page.fill('.clock', (k * h).toFixed(6));
  await page.press('.clock', 'Enter');
  await until(page, (x) => window.gradus.frameNow.k === x, k);
  await page.locator('.canvas').focus();
}

/** Where a body's origin is on the page. */
export async function bodyOnPage(page, body) {
  const at = await page.evaluate((b) => {
    const d = window.gradus.frameNow.bodies;
    return window.gradus.stage.project(d[7 * b], d[7 * b + 1], d[7 * b + 2]);
  }, body);
  const box = await page.locator('.canvas').boundingBox();
  return { x: box.x + at.x, y: box.y + at.y };
}

/** In the page: newtons of the user's push, 0 without one. */
export const pushNow = () => {
  const f = window.gradus.frameNow;
  for (let c = 0; c < f.contactCount; c++)
    if (f.contactBodies[2 * c + 1] === 0xfffe) return Math.hypot(...f.contacts.slice(6 * c + 3, 6 * c + 6));
  return 0;
};

/**
 * Runs named tests one after another; any console error fails the one during which it came. Returns the failures.
 * While working on one: ONLY='a match' runs the tests whose names match, if they do not need those before them.
 */
export async function runTests(tests, browser, context, out) {
  let failures = 0;
  const only = new RegExp(process.env['ONLY'] ?? '');
  for (const { name, run } of tests.filter((t) => only.test(t.name))) {
    const begin = Date.now();
    try {
      await run({ page: browser.page, context: browser.context, ...context });
      assert.deepEqual(browser.problems.splice(0), [], 'console errors');
      console.log(`ok   ${name} (${Date.now() - begin} ms)`);
    } catch (error) {
      failures++;
      console.log(`FAIL ${name}\n     ${error.message}`);
      await browser.page.screenshot({ path: join(out, `failed-${failures}.png`) }).catch(() => {});
    }
  }
  return failures;
}
