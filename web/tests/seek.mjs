// How fast any moment of the past is reached: node tests/seek.mjs GRADUS [SECONDS] [SCENE…] (levels and mirosot_5v5, 60 s). The
// scenes run to that time as fast as possible with the default memory, then random moments are asked for, one after another:
//
//   state   from the command to the reply, which comes when the state is there (server and network included)
//   picture from the command to the first picture of that moment, drawn by the CPU
//
// Exit status 1 if a state takes 200 ms or more.

import { open, startBrowser, startSimulator, until } from './driver.mjs';

const SEEKS = 60;
const LIMIT = 200; // [ms]
const gradus = process.argv[2];
const seconds = Number(process.argv[3] ?? 60);
const scenes = process.argv.length > 4 ? process.argv.slice(4) : ['levels', 'mirosot_5v5'];

/** In the page: goes to a step and waits for reply and picture.  [ms] */
const measure = async ({ k, h }) => {
  const app = window.gradus;
  const { socket, nextId } = app.feed;
  const begin = performance.now();
  const since = () => performance.now() - begin;
  const replied = new Promise((resolve) => {
    const hear = (e) => {
      if (typeof e.data !== 'string' || JSON.parse(e.data).id !== nextId) return;
      socket.removeEventListener('message', hear);
      resolve(since());
    };
    socket.addEventListener('message', hear);
  });
  app.feed.send({ do: 'seek', time: k * h });
  const picture = await new Promise((resolve) => {
    let pictures = Infinity; // when the frame was first seen
    const look = () => {
      if (app.frameNow.k === k && pictures === Infinity) pictures = app.pictures;
      if (app.pictures > pictures) resolve(since());
      else requestAnimationFrame(look);
    };
    look();
  });
  return { state: await replied, picture };
};

const percentile = (list, p) => [...list].sort((a, b) => a - b)[Math.min(list.length - 1, Math.floor(p * list.length))];
const browser = await startBrowser({ width: 640, height: 480 });
let isSlow = false;
for (const scene of scenes) {
  const sim = await startSimulator(gradus, ['run', scene, '--speed', 'max', '--view']);
  await open(browser.page, sim.control);
  await until(browser.page, (t) => window.gradus.frameNow.time > t, seconds);
  await browser.page.keyboard.press('Space');
  await until(browser.page, () => window.gradus.frameNow.paused);
  const { tMin, tMax, h } = await browser.page.evaluate(() => ({
    ...window.gradus.frameNow,
    h: window.gradus.sceneNow.step,
  }));
  const found = [];
  for (let i = 0, x = 0.5; i < SEEKS; i++) {
    x = (x + 0.6180339887) % 1; // moments all over the past, never two near each other
    found.push(await browser.page.evaluate(measure, { k: Math.round((tMin + x * (tMax - tMin)) / h), h }));
  }
  console.log(`${scene}: ${SEEKS} moments of ${tMin.toFixed(1)} to ${tMax.toFixed(1)} s`);
  for (const what of ['state', 'picture']) {
    const times = found.map((f) => f[what]);
    console.log(
      `  ${what.padEnd(8)} median ${percentile(times, 0.5).toFixed(1)} ms, 95 % ${percentile(times, 0.95).toFixed(1)} ms, slowest ${Math.max(...times).toFixed(1)} ms`,
    );
  }
  isSlow ||= Math.max(...found.map((f) => f.state)) >= LIMIT;
  await sim.stop();
}
await browser.close();
process.exit(isSlow ? 1 : 0);
