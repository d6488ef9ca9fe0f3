import './style.css';
import { App } from './app';
import { LiveFeed } from './feed/live';
import { h } from './ui/dom';

const root = document.getElementById('app')!;
const token = new URLSearchParams(location.search).get('token') ?? '';

try {
  const app = new App(new LiveFeed(`ws://${location.host}/stream?token=${encodeURIComponent(token)}`), root);
  Object.assign(window, { gradus: app }); // for the curious at the console, and for the browser tests
} catch (error) {
  root.replaceChildren(h('p.fatal', {}, `The viewer cannot start: ${error instanceof Error ? error.message : String(error)}`));
}
