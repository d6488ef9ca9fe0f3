import './style.css';
import { App } from './app';
import type { Feed } from './feed/feed';
import { LiveFeed } from './feed/live';
import { RecordedFeed } from './feed/recorded';
import { h } from './ui/dom';

const root = document.getElementById('app')!;

/** An exported file carries its recording; the served page asks the simulator. */
function chooseFeed(): Feed {
  const scene = document.getElementById('gradus-scene')?.textContent;
  const frames = document.getElementById('gradus-frames')?.textContent;
  if (scene && frames) return RecordedFeed.fromText(scene, frames);
  const token = new URLSearchParams(location.search).get('token') ?? '';
  return new LiveFeed(`ws://${location.host}/stream?token=${encodeURIComponent(token)}`);
}

try {
  const app = new App(chooseFeed(), root);
  Object.assign(window, { gradus: app }); // for the curious at the console, and for the browser tests
} catch (error) {
  root.replaceChildren(
    h('p.fatal', {}, `The viewer cannot start: ${error instanceof Error ? error.message : String(error)}`),
  );
}
