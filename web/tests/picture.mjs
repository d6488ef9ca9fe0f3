// Takes a picture of a scene in the viewer, with shadows: node tests/picture.mjs URL FILE.png [seconds to wait]
import { startBrowser } from './driver.mjs';

const [url, file, wait = '8'] = process.argv.slice(2);
const browser = await startBrowser({ width: 1280, height: 720 }, { colorScheme: 'light' });
await browser.page.goto(`${url}&quality=fine`);
await browser.page.waitForTimeout(Number(wait) * 1000);
await browser.page.screenshot({ path: file });
await browser.close();
if (browser.problems.length) console.error(browser.problems.join('\n'));
process.exit(browser.problems.length ? 1 : 0);
