// Starts a simulator and a browser for the tests. Debian's chromium, software rendering, no network.

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

/** Runs a program that prints "control URL" and "view URL", until stop(). */
export async function startSimulator(program, args = []) {
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const urls = {};
  for await (const line of createInterface({ input: child.stdout })) {
    const [, right, url] = /^(control|view)\s+(http\S+)$/.exec(line.trim()) ?? [];
    if (right) urls[right] = url;
    if (urls.control && urls.view) break;
  }
  if (!urls.control) throw new Error(`${program} printed no address`);
  const ended = new Promise((resolve) => child.once('exit', resolve));
  return { ...urls, stop: async () => (child.stdin.end(), child.kill('SIGTERM'), ended) };
}

/** A fresh browser; `problems` collects console errors and unhandled rejections of every page. */
export async function startBrowser(viewport = { width: 1280, height: 800 }, options = {}) {
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
