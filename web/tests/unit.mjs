// Bundles every tests/*.test.ts and runs it with node's own test runner (node 18 reads no TypeScript).

import { build } from 'esbuild';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const out = mkdtempSync(join(tmpdir(), 'gradus-web-'));
const entryPoints = readdirSync(here)
  .filter((f) => f.endsWith('.test.ts'))
  .map((f) => join(here, f));
await build({
  entryPoints,
  outdir: out,
  bundle: true,
  platform: 'node',
  format: 'esm',
  outExtension: { '.js': '.mjs' },
  logLevel: 'warning',
  define: { ROOT: JSON.stringify(join(here, '..', '..')) },
});
const files = readdirSync(out).map((f) => join(out, f));
const { status } = spawnSync(process.execPath, ['--test', ...files], { stdio: 'inherit' });
rmSync(out, { recursive: true, force: true });
process.exit(status ?? 1);
