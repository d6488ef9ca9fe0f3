// Takes a picture of a scene in the viewer, with shadows: node tests/picture.mjs URL FILE.png [simulated time to wait for] [keys to press]
// Where the CPU draws, the page takes its time to open: let the run go slowly until then (--speed 0.1), the picture is taken at real time.
import { open, pictures, startBrowser, until } from './driver.mjs';

const [url, file, time = '4', keys = ''] = process.argv.slice(2);
const browser = await startBrowser({ width: 1280, height: 720 }, { colorScheme: 'light' });
await open(browser.page, `${url}&quality=fine`);
await browser.page.locator('.canvas').focus();
await until(browser.page, (t) => window.gradus.frameNow.time > t, Number(time));
await browser.page.evaluate(() => document.querySelector('.drag-hint')?.remove());
await browser.page.selectOption('.speed', '1');
for (const key of keys) await browser.page.keyboard.press(key);
await pictures(browser.page, 3);
await browser.page.locator('.canvas').blur(); // no frame around what has the focus
await browser.page.screenshot({ path: file });
await browser.close();
if (browser.problems.length) console.error(browser.problems.join('\n'));
process.exit(browser.problems.length ? 1 : 0);
